"""The patterns of a query: what each captures and sets, checked against what there is."""

import re
from typing import Final

import msgspec

from symindex.errors import GrammarError
from symindex.extract.captures import Settings
from symindex.protocol import SymbolKind

CAPTURES: Final = ("name", "doc", "container", "body", "header", "source", "whole", "part")
"""The legal captures beside `definition.<kind>`; names that begin with `_` are free, for use in predicates."""

SETTINGS: Final[dict[str, tuple[str, ...]]] = {
    "visibility": ("exported", "private", "container"),
    "flag": ("test", "deprecated"),
    "role": ("declaration",),
    "extent": ("rest",),
    "doc": ("body", "attribute"),
    "body": ("none", "empty"),
    "scope": ("function", "signature", "name", "open", "container"),
    "header": ("whole",),
    "name": ("span", "path"),
    "local": ("none",),
    "place": ("file",),
}
"""The legal `#set!` directives and their values; `grammars/README.md` explains each."""


class Pattern(msgspec.Struct, frozen=True):
    """One pattern of a query: what it captures and sets, and the line of the query text that it begins on.

    kind: of the definitions it finds, `None` where it finds something else; word: the same as plain text, which is found
    faster in a dictionary than a member of an enumeration; capture: what they are captured as.
    is_plain: every node that it captures as a name is one. takes_field_body: where a match captures no body, the field of that
    name is it. encloses: what stands in bodies belongs to the definitions. doc: where the comments that it finds stand.
    """

    kind: SymbolKind | None
    captures: frozenset[str]
    settings: dict[str, str | None]
    line: int
    word: str
    capture: str
    is_plain: bool
    takes_field_body: bool
    encloses: bool
    doc: str
    of_definition: Settings


_NOT_CODE = re.compile(r'"(?:\\.|[^"\\])*"|;[^\n]*')


def read_pattern(where: str, text: str, line: int, settings: dict[str, str | None]) -> Pattern:
    """A pattern from its text, the line that it begins on in the file `where`, and its settings. Raises GrammarError."""
    captures = frozenset(re.findall(r"@([\w.]+)", _NOT_CODE.sub("", text)))
    kinds = [name.removeprefix("definition.") for name in captures if name.startswith("definition.")]
    for name in captures:
        if name in CAPTURES or name.startswith("_"):
            continue
        if not name.startswith("definition.") or kinds[0] not in set(SymbolKind):
            legal = ", ".join([f"@{capture}" for capture in CAPTURES] + [f"@definition.{kind}" for kind in SymbolKind])
            raise GrammarError(f"{where}:{line}: unknown capture @{name}: legal are {legal}")
    for key, value in settings.items():
        if key not in SETTINGS or value not in SETTINGS[key]:
            legal = ", ".join(f"{name} {'|'.join(values)}" for name, values in SETTINGS.items())
            raise GrammarError(f"{where}:{line}: unknown setting {key} {value}: legal are {legal}")
    shape = {name for name in captures if not name.startswith("_")}
    legal_shape = (
        (len(kinds) == 1 and "name" in shape)
        or shape in ({"doc"}, {"source"})
        or shape in ({"container", "body"}, {"whole", "part"})
        or (shape == {"body"} and settings.get("scope") in ("function", "open"))
        or (shape == {"name"} and "visibility" in settings)
    )
    if not legal_shape:
        raise GrammarError(
            f"{where}:{line}: a pattern captures one @definition.<kind> and @name, or @doc or @source alone, or @container and "
            f"@body, or @body alone with (#set! scope function|open), or @name alone with (#set! visibility ...), or @whole "
            f"and @part"
        )
    kind = SymbolKind(kinds[0]) if kinds else None
    return Pattern(
        kind=kind,
        captures=captures,
        settings=settings,
        line=line,
        word=kind.value if kind is not None else "",
        capture=f"definition.{kind}",
        is_plain="name" not in settings,
        takes_field_body=settings.get("body") != "none",
        encloses=settings.get("body") != "empty",
        doc=settings.get("doc") or "before",
        of_definition=Settings(
            visibility=settings.get("visibility") or "",
            flag=settings.get("flag") or "",
            only_declares=settings.get("role") == "declaration",
            extends_to_next=settings.get("extent") == "rest",
            is_file_wide=settings.get("place") == "file",
            is_never_local=settings.get("local") == "none",
        ),
    )
