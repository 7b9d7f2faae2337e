"""The truth about symbols of a tree, in a file: where each is used, according to a language server,
and which types inherit from it.

Every place of a symbol has a verdict. It comes from two answers: the server's references of the
symbol, and the server's definition of every place that has the symbol's name. So places that we
list, and the server does not, are known to mean another symbol, or to be unknown to the server.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final

import msgspec

Place = tuple[str, int, int]
"""Path, line and column, 1-based."""

OWN: Final = "own"
RELATED: Final = "related"
OTHER: Final = "other"
UNKNOWN: Final = "unknown"
"""Verdicts of places. own: a use of the symbol. related: the server lists it, but it is defined by
another symbol, for example by a method that overrides this one; right, but not required. other: it
means another symbol. unknown: the server knows no definition, as for members of values whose type
it cannot tell."""

_WORD: Final = r"(?<![\w$]){}(?![\w$])"
_TYPE_WORD: Final = re.compile(
    r"^[ \t]*(?:template\s*<.*>\s*)?(?:\w+[ \t]+)*?(class|interface|struct|trait|enum)\s+"
    r"([A-Za-z_$][\w$]*)",
    re.M,
)
_GOES_ON: Final = re.compile(r"[\w$]+\s*(?:\.|::)")
"""A name that only leads to another: the base is inside of what it names."""
_BASES_WORD: Final = re.compile(r"\b(extends|implements)\b|:(?!:)")


class Symbol(msgspec.Struct):
    """A drawn symbol. name_place: of its definition. is_common: whether several symbols of the tree
    have its name. weight: how many places each place of the verdicts `other` and `unknown`
    represents, because a common name occurs too often to ask about all of them. subtypes: paths and
    lines of the types that inherit from it directly; `None` if nobody asked."""

    id: str
    name: str
    kind: str
    name_place: Place
    is_common: bool
    places: dict[str, list[tuple[str, int, int]]]
    weight: float = 1.0
    subtypes: list[tuple[str, int]] | None = None

    @property
    def half(self) -> str:
        """`seen` or `unseen`: only the rows of the first half are shown."""
        return ("seen", "unseen")[hashlib.sha256(self.id.encode()).digest()[0] % 2]

    def verdicts(self) -> dict[Place, str]:
        """Returns the verdict of each place."""
        return {place: verdict for verdict, rows in self.places.items() for place in rows}


class TreeTruth(msgspec.Struct):
    """A tree and its symbols. digest: of the files that the symbols are in. unseen: the definitions
    of types that nothing is known about."""

    folder: str
    symbols: list[Symbol]
    digest: str = ""
    unseen: list[tuple[str, int]] = []


class Truth(msgspec.Struct):
    """A language's trees."""

    language: str
    server: str
    trees: list[TreeTruth]


def read_truth(path: Path) -> Truth:
    """Reads a file of this format."""
    return msgspec.json.decode(path.read_bytes(), type=Truth)


def digest_of(root: Path, paths: Iterable[str]) -> str:
    """Returns a digest of the contents of files, so that a changed tree is noticed."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.encode() + b"\0" + (root / path).read_bytes())
    return digest.hexdigest()[:16]


def named_places(name: str, texts: Mapping[str, str]) -> list[Place]:
    """Returns the places of a name, as a whole word, in texts by path, comments included."""
    word = re.compile(_WORD.format(re.escape(name)))
    return [
        (path, number, match.start() + 1)
        for path, text in texts.items()
        if name in text
        for number, line in enumerate(text.split("\n"), 1)
        for match in word.finditer(line)
    ]


def judge(
    own: set[Place],
    references: set[Place],
    definitions: Mapping[Place, Sequence[Place]],
    follows: bool = False,
) -> dict[str, list[Place]]:
    """Returns the places by verdict.

    own: the places of the symbol's own definitions and declarations. definitions: the server's, of
    each place; empty if it knows none. follows: whether a place is a use, too, that is defined by
    one which the server lists: a name that is taken from a module, by its shorthand there.
    """
    meant = set(own)
    while more := {
        # a use may be defined by an import or an export, which is a use itself
        place
        for place in references & definitions.keys() - meant
        if not meant.isdisjoint(definitions[place])
    }:
        meant |= more
    meant |= {place for place, found in definitions.items() if not own.isdisjoint(found)}
    if follows:
        meant |= {place for place, found in definitions.items() if not meant.isdisjoint(found)}
    verdicts: dict[str, list[Place]] = {OWN: [], RELATED: [], OTHER: [], UNKNOWN: []}
    for place in sorted(references | definitions.keys()):
        found = definitions.get(place, ())
        if place in meant or (place in references and not found):
            verdicts[OWN].append(place)
        elif place in references:
            verdicts[RELATED].append(place)
        else:
            verdicts[OTHER if found else UNKNOWN].append(place)
    return verdicts


def subtype_at(text: str, offset: int, is_python: bool) -> int | None:
    """Returns the offset of the name of the type that inherits from the type named at `offset`;
    `None` if the place does not inherit."""
    begin = max(0, offset - 2000)
    before = text[begin:offset]
    types = list(_TYPE_WORD.finditer(before))
    if not types or _GOES_ON.match(text, offset):
        return None
    found = types[-1]
    head = before[found.end() :]
    if is_python:
        head = re.sub(r"^\s*\[[^(]*\](?=\()", "", head)
        depths = list(accumulate(map(_step, head)))
        is_base = head[:1] == "(" and depths[-1] == 1 and min(depths) == 1
        is_base = is_base and not re.search(r"=\s*[\w.]*$", head)
    else:
        base = _BASES_WORD.search(head)
        is_base = base is not None and not {*"{};"} & {*head}
        is_base = is_base and _depth(head) == 0
    return begin + found.start(2) if is_base else None


def _depth(text: str) -> int:
    return sum(map(_step, text))


def _step(char: str) -> int:
    return (char in "([{<") - (char in ")]}>")
