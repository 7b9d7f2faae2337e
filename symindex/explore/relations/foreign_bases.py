"""Subtypes of a type that the workspace does not define, such as a library's: everything that names
it as a base."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from symindex.explore.relations.resolving import is_type
from symindex.explore.relations.types import inheriting
from symindex.explore.relations.uses import RelatedSymbol, Use, UseSearch
from symindex.explore.targets.names import symbols_named
from symindex.text.folding import fold
from symindex.text.imports import Origin
from symindex.text.separators import SEPARATOR

_NAME: Final = re.compile(r"[^\W\d]\w*")


def subtypes_of_name(search: UseSearch, text: str) -> list[RelatedSymbol]:
    """Returns what names this type as its base. If the name is qualified, code that takes or
    imports it from there is sure, code that says neither is unsure, and code that imports it from
    elsewhere is left out."""
    parts = [part for part in SEPARATOR.split(text.strip().strip("`")) if part]
    if not parts or not _NAME.fullmatch(parts[-1]):
        return []
    name, qualifier = parts[-1], parts[:-1]
    uses = search.find(
        [name],
        keeps=lambda use: (
            use.mention.role in ("inherit", "implement", "import") and not use.mention.is_module
        ),
    )
    imported: dict[str, list[str]] = defaultdict(list)
    for use in uses:
        if use.mention.role == "import" and use.mention.receiver:
            imported[use.file.path].append(use.mention.receiver)
    is_defined = any(is_type(match.row) for match in symbols_named(search.tree, name))
    subtypes: dict[object, RelatedSymbol] = {}
    for use in uses:
        if use.mention.role == "import":
            continue
        is_sure = _is_taken_from(use, imported[use.file.path], qualifier)
        if is_sure or (is_sure is False and not is_defined):
            for related in inheriting(search.tree, use, None, 0, is_unsure=not is_sure):
                subtypes.setdefault(related.row or related.name, related)
    return sorted(subtypes.values(), key=lambda related: related.is_unsure)


def _is_taken_from(use: Use, imports: Sequence[str], qualifier: Sequence[str]) -> bool | None:
    """Whether a use certainly takes a name from a qualifier; `None` if it takes it from
    elsewhere."""
    if not qualifier:
        return True
    receiver = [part for part in SEPARATOR.split(use.mention.receiver) if part]
    module, name = use.mention.origin
    if receiver:
        origin = Origin(".".join(filter(None, (module, name)))).words
        whole = [*origin, *receiver[1:]] if module else receiver
        return _ends_alike(whole, qualifier) or _ends_alike(receiver, qualifier) or None
    if imports:
        return any(_ends_alike(Origin(module).words, qualifier) for module in imports) or None
    return False


def _ends_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two qualifiers end with the same name, ignoring case."""
    return bool(one) and fold(one[-1]).replace("-", "_") == fold(other[-1]).replace("-", "_")
