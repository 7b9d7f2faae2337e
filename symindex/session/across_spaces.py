"""Answers from several spaces: which of them a request needs, and one snapshot of them all.

A search for symbols is about the project alone, unless the request names a space. Items are looked for in every space, because
one that hides another says so. Nothing here is loaded by a search that stays in the project.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET

from symindex.errors import is_unicode
from symindex.extract.languages.registry import Languages
from symindex.index.packages.environment import Environment
from symindex.index.snapshot import Snapshot, Space
from symindex.protocol import LABEL_IN_PATH, SearchRequest, SymbolRequest, SymbolResponse, add_notices
from symindex.search.match.names import Needle, Tier, match_strong, tier_of
from symindex.search.options.read import EVERY_SPACE, read_options
from symindex.search.query import Name
from symindex.search.read_query import read_query
from symindex.search.universe import Universe, universe_of
from symindex.session.spaces import SpacePart, Spaces
from symindex.text.folding import fold
from symindex.text.separators import SEPARATOR

if TYPE_CHECKING:
    from symindex.explore.tree import Tree
    from symindex.index.update import Progress

MOST_TOLD: Final = 3
"""So many packages are named that have what the project lacks."""


class NeededSpaces(msgspec.Struct, frozen=True):
    """The spaces beside the project that an answer is made from. builds: whether packages that are not indexed yet are waited
    for, because the request names their space."""

    spaces: frozenset[Space]
    builds: bool = False


NONE: Final = NeededSpaces(frozenset())

EVERY_SPACE_BESIDE: Final = NeededSpaces(frozenset((Space.USER, Space.SYSTEM)))


def needed_spaces(request: SearchRequest, languages: Languages) -> NeededSpaces:
    """The spaces that a request needs. Raises RequestError for one that cannot be read."""
    options = read_options(request)
    is_about_items = universe_of(request, read_query(request, languages), options) is not Universe.SYMBOLS
    every = frozenset((Space.USER, Space.SYSTEM))
    if request.space is UNSET:
        return NeededSpaces(every) if is_about_items else NONE
    if options.space == EVERY_SPACE:
        return NeededSpaces(every, builds=True)
    if is_about_items:  # what hides another says so, wherever that is
        return NeededSpaces(every, builds=options.space == Space.SYSTEM.word)
    named = frozenset(space for space in every if space.word == options.space)
    return NeededSpaces(named, builds=Space.SYSTEM in named)


def parts_of(
    spaces: Sequence[Spaces], needed: NeededSpaces, waits: bool, progress: "Progress | None"
) -> tuple[list[SpacePart], list[str]]:
    """The snapshots of the needed spaces of some projects, and notices. waits: whether the caller waits until packages are
    indexed."""
    parts: list[SpacePart] = []
    notices: list[str] = []
    for each in spaces:
        if needed.builds and Space.SYSTEM in needed.spaces:
            notices += each.build(each.environment().missing(), waits, progress)
        parts += each.parts(needed.spaces)
    return parts, notices


def join(project: Snapshot, parts: Sequence[SpacePart]) -> Snapshot:
    """The snapshot of a project with other spaces behind it."""
    snapshots = [project, *(part.snapshot for part in parts)]
    return Snapshot.joined(snapshots, [""] * len(snapshots), [Space.PROJECT, *(part.space for part in parts)])


def find_symbol(tree: "Tree", spaces: Sequence[Spaces], request: SymbolRequest, most_bytes: int) -> SymbolResponse | None:
    """A symbol that the project has not, from the packages that it may lie in; `None` where none has it."""
    from symindex.explore.symbol import symbol as show_symbol  # here, because most requests search
    from symindex.explore.tree import Tree

    text = request.symbol.strip().strip("`")
    if not is_unicode(text):  # as no name of a package is
        return None
    notices: list[str] = []
    for each in spaces:
        found = each.package_part(text)
        if found is None:
            continue
        part, rest, more = found
        notices += more
        inside = Tree(part.snapshot, tree.languages, part.roots)
        # What a package exports is often defined under another path: `os.path.join` in posixpath.py.
        last = SEPARATOR.split(rest)[-1]
        for asked in dict.fromkeys(filter(None, (text, rest, last))):
            response = show_symbol(inside, msgspec.structs.replace(request, symbol=asked), most_bytes)
            if response.total:
                response.request = request
                names = sorted({label[0] for path in _paths(response) if (label := LABEL_IN_PATH.match(path)) is not None})
                add_notices(response, [f"not in the project; from the system space: {', '.join(names)}", *notices])
                return response
    if notices:
        return SymbolResponse(request=request, symbol=None, others=[], total=0, notices=notices)
    return None


def _paths(response: SymbolResponse) -> list[str]:
    return [response.symbol.file_path] if response.symbol is not None else [line.file_path for line in response.others]


def tell_packages(environment: Environment, request: SearchRequest, names: Sequence[str]) -> list[str]:
    """A notice on the packages that define what a search of the project has found nothing exact for. names: of its hits."""
    from symindex.search.parse_query import parse_query  # here, because it is asked last

    query = parse_query(request.query)
    if not isinstance(query, Name) or not query.name or request.space is not UNSET or request.start_index:
        return []
    needle = Needle(query.name)
    if any((points := match_strong(needle, name, fold(name))) and tier_of(points) is Tier.EXACT for name in names):
        return []
    found = environment.packages_with(query.name)
    if not found:
        return []
    told = ", ".join(package.label for package in found[:MOST_TOLD])
    more = f" and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
    return [f"the system space has `{query.name}`: in {told}{more}; search it with space: system, or ask for the symbol"]
