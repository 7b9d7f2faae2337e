"""Finds the symbols that a name means, qualified or not, in any notation of languages and people.

Only whole names count; similar names are left to searches. Only the best way to match counts:
`Server.Serve` is the method of that class, and not also a function `Serve` in `server.go`. From
best to worst, the text is:

1. the qualified name;
2. the end of it (`Slice.size` for `leveldb.Slice.size`);
3. folders of the path, then the name (`bufio.Reader`), adjacent or further away;
4. folders and containers in order, with parts left out;
5. one of these in another case;
6. one of these after its first parts are dropped (`crate::config::Config`).
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from symindex.index.snapshot import Part
from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolFlag, SymbolKind
from symindex.resolve.modules.links import links_of, uses_of
from symindex.resolve.tree import Row, Tree, row_of
from symindex.search.names.centrality import central_points
from symindex.text.separators import SEPARATOR

LESS_LIKELY: Final = SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED | SymbolFlag.LOCAL
"""A symbol with one of these flags is meant only if there is none without."""

_ENDS: Final = 1
_IN_PATH: Final = 4
"""Minus 1 if the parts are the last folders, and minus 1 if the last part is the file: either may
name a package."""

_IN_ORDER: Final = 5
_CASE: Final = 8
"""Added if the case differs."""

_DROPPED: Final = 16
"""Added for each part that is dropped at the beginning."""

_DECLARES: Final = 2
"""`NamedSymbol.likely` of a declaration whose definition is known: after tests and copies."""

_MOST_PARTS: Final = 32
"""Most parts of a qualified name; a longer text may only be a title."""

_MOST_DROPPED: Final = 4
"""Most parts at the beginning that may match nothing."""

_BESIDES_NAME: Final = (
    re.compile(r"(?<=[\w>\]])\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?:const)?$"),  # arguments
    re.compile(r"(?<=\w)(?:::)?<[^<>]*(?:<[^<>]*>[^<>]*)*>(?=\W|$)"),  # type arguments
    re.compile(r"^[*&]+"),  # signs of a pointer
)

_RECEIVER: Final = re.compile(r"^\(\s*[*&]*\s*([\w.:]+)\s*\)(?=\W)")
"""Matches the receiver in `(*Buffer).Write`, the notation of Go's traces."""


class NamedSymbol(NamedTuple):
    """A symbol that a name may mean.

    Attributes:
        way: how it matches; smaller is better.
        likely: its rank among equal matches, smaller is likelier. Tests, copies and local symbols
            come later, then declarations; types come first, then callables.
    """

    way: int
    likely: tuple[int, int]
    path: str
    row: Row
    qualified_name: str


def symbols_named(tree: Tree, text: str) -> list[NamedSymbol]:
    """Returns the symbols that a name means, likeliest first; all match in the same way. Empty if
    none match."""
    for reading in _readings(text):
        matches = [meant for parts in _divisions(reading) for meant in _match(tree, reading, parts)]
        if matches:
            matches = _code_first(tree, matches)
            best = min(meant.way for meant in matches)
            unique = {meant.row: meant for meant in matches if meant.way == best}
            return sorted(
                _behind_definitions(_without_constructors(list(unique.values()))), key=_order
            )
    return []


def _code_first(tree: Tree, matches: list[NamedSymbol]) -> list[NamedSymbol]:
    """Returns the matches without keys of settings that are named like something in code together
    with its qualifiers: `com.acme.Cart`, if there is such a class."""
    code = [meant for meant in matches if tree.languages.code(meant.row.file.known_language)]
    if not any(meant.way < _DROPPED for meant in code):
        return matches
    return [meant for meant in matches if meant in code or not SEPARATOR.search(meant.row.name)]


def find_similar(tree: Tree, text: str) -> list[str]:
    """Returns the qualified names of symbols with the last part of a name, where the rest of it is
    wrong: likeliest first, equally likely ones by path and line."""
    for reading in _readings(text):
        for parts in _divisions(reading):
            matches = [
                (
                    _likely(facts.traits),
                    part.prefix + facts.path,
                    part.index.place.at(facts.number),
                    row_of(part, facts),
                )
                for part in tree.snapshot.parts
                for facts in part.rows_written(parts[-1])
            ]
            if matches:
                matches.sort(key=lambda match: match[:3])
                return list(dict.fromkeys(row.qualified_name for *_, row in matches))
    return []


def has_parts_left_out(meant: list[NamedSymbol]) -> bool:
    """Whether symbols match only the last parts of a name."""
    return meant[0].way >= _DROPPED


def differ_in_case(meant: list[NamedSymbol]) -> bool:
    """Whether symbols have a name only if its case does not count."""
    return _CASE <= meant[0].way < _DROPPED


def how_they_differ(meant: list[NamedSymbol]) -> str:
    """Returns a notice about symbols that do not have exactly the written name; empty if they
    do."""
    if has_parts_left_out(meant):
        return "nothing has this whole name; what is shown matches its last parts"
    return (
        "nothing is written like this; what is shown differs in case"
        if meant[0].way >= _CASE
        else ""
    )


def _readings(text: str) -> Iterator[str]:
    """Yields a text as it is, then without what is not part of a name."""
    yield text
    bare = _RECEIVER.sub(r"\1", text)
    for pattern in _BESIDES_NAME:
        bare = pattern.sub("", bare)
    if bare and bare != text:
        yield bare.strip()


def _divisions(text: str) -> list[list[str]]:
    """Returns the ways to divide a text into qualifiers and a name. Names may contain separators,
    as titles of tests do."""
    edges = [match.span() for match in SEPARATOR.finditer(text)]
    if len(edges) > _MOST_PARTS:
        return [[text]]
    divided = [
        [*SEPARATOR.split(text[:start]), text[end:]] for start, end in edges if end < len(text)
    ]
    return [[text], *([part for part in parts if part] for parts in divided)]


def _match(tree: Tree, text: str, parts: list[str]) -> Iterator[NamedSymbol]:
    """Yields the symbols with the last part's name that match the other parts."""
    forms = _forms(text, parts)
    for part in tree.snapshot.parts:
        for facts in part.rows_written(parts[-1]):
            name, container, shown = facts.name, facts.container, part.prefix + facts.path
            qualified = f"{container}.{name}" if container else name
            for base, form in forms:
                way = form(name, qualified, shown)
                if way is not None:
                    row = row_of(part, facts)
                    yield NamedSymbol(base + way, _likely(facts.traits), shown, row, qualified)
                    break


def _likely(traits: int) -> tuple[int, int]:
    return int(bool(traits >> 8 & LESS_LIKELY)), KINDS[KIND_OF_CODE[traits & 255]].quality


def _order(meant: NamedSymbol) -> tuple[tuple[int, int], str, int]:
    return meant.likely, meant.path, meant.row.index.place.at(meant.row.number)


def _without_constructors(meant: list[NamedSymbol]) -> list[NamedSymbol]:
    """Removes constructors named like their type: the name means the type."""
    others = [match for match in meant if match.row.kind is not SymbolKind.CONSTRUCTOR]
    return others if any(match.likely[1] == 0 for match in others) else meant


def _behind_definitions(meant: list[NamedSymbol]) -> list[NamedSymbol]:
    """Sorts declarations after the definitions of the same thing, even generated or vendored
    ones."""
    alike: dict[tuple[str, str], list[NamedSymbol]] = {}
    for match in meant:
        alike.setdefault((match.qualified_name, match.row.file.known_language), []).append(match)
    declaring = set()
    for group in alike.values():
        declarations = {match.row for match in group if match.row.flags & SymbolFlag.DECLARATION}
        if len(declarations) < len(group):
            declaring |= declarations
    return [
        match._replace(likely=(_DECLARES, match.likely[1])) if match.row in declaring else match
        for match in meant
    ]


_Form = Callable[[str, str, str], int | None]
"""Returns how a symbol matches, given its name, qualified name and path; smaller is better, `None`
if it does not match."""


def _forms(text: str, parts: list[str]) -> list[tuple[int, _Form]]:
    """Returns the ways to read a name, best first, each with what it adds to `NamedSymbol.way`."""
    forms = []
    for dropped in range(min(max(1, len(parts) - 1), _MOST_DROPPED + 1)):
        whole = text if not dropped else ""
        forms.append((dropped * _DROPPED, _form(whole, parts[dropped:], any_case=False)))
        forms.append((dropped * _DROPPED + _CASE, _form(whole, parts[dropped:], any_case=True)))
    return forms


def _form(text: str, parts: list[str], any_case: bool) -> _Form:
    """Returns one way to read a name. text: as it is written. parts: the qualifiers and the
    name."""
    if any_case:
        text, parts = text.lower(), [part.lower() for part in parts]
    joined = ".".join(parts)
    like_folders = [
        part.replace("-", "_") for part in parts
    ]  # code writes `_` for a hyphen in the folder of a package
    inner = {".".join(parts[count:]): count for count in range(1, len(parts))}

    def way_of(name: str, qualified: str, path: str) -> int | None:
        if any_case:
            name, qualified, path = name.lower(), qualified.lower(), path.lower()
        if name != parts[-1]:
            return None
        if len(parts) == 1 or qualified in (text, joined):
            return 0
        if qualified.endswith(f".{joined}"):
            return _ENDS
        folders = path.replace("-", "_").split("/")
        folders[-1] = folders[-1].partition(".")[0] or folders[-1]
        count = inner.get(qualified)
        if count is not None and _is_in_order(like_folders[:count], folders):
            of_path = like_folders[:count]
            return _IN_PATH - (folders[-count:] == of_path) - (folders[-count - 1 : -1] == of_path)
        containers = qualified[: -len(name)].rstrip(".").replace("-", "_")
        return (
            _IN_ORDER
            if _is_in_order(like_folders[:-1], [*folders, *containers.split(".")])
            else None
        )

    return way_of


def _is_in_order(parts: list[str], chain: list[str]) -> bool:
    rest = iter(chain)
    return all(part in rest for part in parts)


NOT_EXPORTED: Final = 0.7
"""Factor for a symbol that is not exported, in a language that marks exports."""

STAND_IN: Final = 0.4
"""Factor for a mock, stub or shim."""

NEAR: Final = 1.3
"""Factor for a symbol in a file that was shown recently, or next to one."""

CLEARLY: Final = 1.5
"""Ratio of likelihoods at which the best of many symbols is as good as sure."""

_STAND_INS: Final = re.compile(
    r"(?:^|[/_.-])(?:mock|mocks|fake|fakes|stub|stubs|shim|shims|dummy|compat)(?:[/_.-]|$)",
    re.IGNORECASE,
)


UNSEEN: Final = 0.3
"""Factor for a symbol that no file with its name sees, compared with the one that most do."""


def by_likelihood(tree: Tree, rows: Sequence[Row]) -> list[tuple[float, Row]]:
    """Returns symbols of one name with their likelihoods, likeliest first: how central each is, how
    many of the files that mention the name see it, whether it is exported, and what was shown
    recently. The numbers only compare with each other."""
    parts = [part for part in tree.snapshot.parts if part.index.n_files]
    memo: Any = tree.snapshot.memo
    if "likelihood" not in memo:
        # By the first row: copies of a snapshot share the memo, and have parts of their own.
        points_of = zip(parts, central_points(parts), strict=True)
        memo["likelihood"] = {part.base: points for part, points in points_of}
    has_exports = any(row.flags & SymbolFlag.EXPORTED for row in rows)
    uses = _uses(tree, parts, rows)
    most = max(uses.values(), default=0.0)
    recent_folders = [path.rpartition("/")[0] for path in tree.recent]

    def likelihood(row: Row) -> float:
        points = float(memo["likelihood"][row.part.base][row.number])
        if most:
            share = math.log1p(uses.get((row.part.base, row.number), 0)) / math.log1p(most)
            points *= UNSEEN + (1 - UNSEEN) * share
        if has_exports and not row.flags & SymbolFlag.EXPORTED:
            points *= NOT_EXPORTED
        path = row.file.path
        if _STAND_INS.search(path):
            points *= STAND_IN
        is_near = path in tree.recent or path.rpartition("/")[0] in recent_folders
        return points * (NEAR if is_near else 1.0)

    # Equals keep their order.
    return sorted(((likelihood(row), row) for row in rows), key=lambda pair: -pair[0])


def _uses(tree: Tree, parts: Sequence[Part], rows: Sequence[Row]) -> dict[tuple[int, int], float]:
    """Returns by part and row how many files mention the name and see the symbol."""
    links = links_of(tree, parts, [row.name for row in rows])
    return {
        (part.base, row): count
        for part, uses in zip(parts, uses_of(links, parts), strict=True)
        for row, count in zip(uses.rows.tolist(), uses.counts.tolist(), strict=True)
    }
