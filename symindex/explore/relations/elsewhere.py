"""What inherits from a type that is not defined in the workspace, as from one of a library: all
that names it as a base."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from symindex.explore.relations.resolving import is_type
from symindex.explore.relations.types import Related, inheriting
from symindex.explore.relations.uses import Use, UseSearch
from symindex.explore.resolve.names import symbols_named
from symindex.text.folding import fold
from symindex.text.imports import Origin
from symindex.text.separators import SEPARATOR

_NAME: Final = re.compile(r"[^\W\d]\w*")


def subtypes_of_name(search: UseSearch, text: str) -> list[Related]:
    """What names a type of that name as its base. Of a qualified name those count that take it from
    there, or import it from there; those that say neither are not sure, and those that import it
    from elsewhere are left out."""
    parts = [part for part in SEPARATOR.split(text.strip().strip("`")) if part]
    if not parts or not all(_NAME.fullmatch(part) for part in parts[-1:]):
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
    is_here = any(is_type(meant.row) for meant in symbols_named(search.tree, name))
    found: dict[object, Related] = {}
    for use in uses:
        fits = (
            _fits(use, imported[use.file.path], qualifier) if use.mention.role != "import" else None
        )
        if fits or (fits is False and not is_here):
            for related in inheriting(search.tree, use, None, 0, is_unsure=not fits):
                found.setdefault(related.row or related.name, related)
    return sorted(found.values(), key=lambda related: related.is_unsure)


def _fits(use: Use, imports: Sequence[str], qualifier: Sequence[str]) -> bool | None:
    """Whether a use takes a name from where a qualifier says; `None` where it takes it from
    elsewhere."""
    if not qualifier:
        return True
    receiver = [part for part in SEPARATOR.split(use.mention.receiver) if part]
    module, name = use.mention.origin
    if receiver:
        whole = (
            [*Origin(".".join(filter(None, (module, name)))).words, *receiver[1:]]
            if module
            else receiver
        )
        return _ends_alike(whole, qualifier) or _ends_alike(receiver, qualifier) or None
    if imports:
        return any(_ends_alike(Origin(module).words, qualifier) for module in imports) or None
    return False


def _ends_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two qualifiers end with one name, in whatever case."""
    return bool(one) and fold(one[-1]).replace("-", "_") == fold(other[-1]).replace("-", "_")
