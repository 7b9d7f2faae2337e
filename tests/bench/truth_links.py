"""The truth about symbols of a tree, from what a compiler or a run says about each place: links from
places to definitions, in a file that a collector of one language wrote.

A command: `python -m tests.bench.truth_links Rust --into rust.json LINKS...`. A place that no link
names is unknown.
"""

import argparse
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

import symindex
from symindex.resolve.tree import indexed_files
from tests.bench.places import say
from tests.bench.truth_data import (
    OTHER,
    OWN,
    RELATED,
    UNKNOWN,
    Place,
    Symbol,
    TreeTruth,
    Truth,
    digest_of,
)
from tests.bench.truth_servers import SERVER_OF, draw

_WORD: Final = re.compile(r"(?:\w|(?<=\w)[?!](?=[^=]|$))+")
_TYPES: Final = ("class", "struct", "interface", "trait", "enum", "module")


class Link(msgspec.Struct, array_like=True):
    """A use, and the lines of what it means; an empty path is outside the tree. is_exact: whether
    it means just this; a use of an implementation has a second link to what it implements."""

    path: str
    line: int
    column: int
    to_path: str
    first: int
    last: int
    is_exact: bool = True


class Heir(msgspec.Struct, array_like=True):
    """A type, and one that it inherits from directly, by their lines."""

    path: str
    first: int
    last: int
    base_path: str
    base_first: int
    base_last: int


class Links(msgspec.Struct):
    """What is known about a tree. kinds: of the symbols that links can lead to.
    marks_definitions: whether the names of definitions are links as well, so that nothing is known
    about the others, as where a condition leaves out code. has_parts: whether definitions of
    types with one whole name are one type. leads_to_symbols: whether a link leads to a symbol, so
    that nothing is known if it is not found, as in code that a macro repeats. are_apart: whether
    definitions of one whole name in a file are symbols of their own, as a method of a class and
    that of its values are."""

    folder: str
    kinds: list[str]
    links: list[Link]
    heirs: list[Heir]
    marks_definitions: bool = False
    has_parts: bool = False
    leads_to_symbols: bool = False
    are_apart: bool = False


class _Definitions:
    """The symbols of a tree by their places."""

    def __init__(self, own: dict[tuple[str, bool], set[Place]]) -> None:
        self._by_name = defaultdict[tuple[str, str], list[tuple[int, str]]](list)
        self._by_path = defaultdict[str, list[tuple[int, str]]](list)
        for (id_, _), places in own.items():
            name = id_.rpartition("#")[2].rpartition(".")[2].partition("~")[0]
            for path, line, _ in places:
                self._by_name[path, name].append((line, id_))
                self._by_path[path].append((line, id_))

    def named(self, name: str, path: str, first: int, last: int) -> str | None:
        """Returns the id of the first symbol of this name within lines."""
        found = [row for row in self._by_name.get((path, name), ()) if first <= row[0] <= last]
        return min(found)[1] if found else None

    def first(self, path: str, first: int, last: int) -> tuple[int, str] | None:
        """Returns the line and the id of the first symbol within lines."""
        found = [row for row in self._by_path.get(path, ()) if first <= row[0] <= last]
        return min(found, key=lambda row: row[0]) if found else None


def collect_links(language: str, known: Links, n_symbols: int) -> TreeTruth:
    """Draws so many symbols of a tree, half of them with common names, and judges their places."""
    root, suffixes = Path(known.folder), SERVER_OF[language].suffixes
    with (
        tempfile.TemporaryDirectory() as scratch,
        symindex.open(root, Path(scratch, "index")) as workspace,
    ):
        workspace.refresh()
        drawn = draw(workspace, suffixes, known.are_apart)
        files = indexed_files(workspace.source.tree())
        paths = [file.path for file in files if file.path.endswith(suffixes)]
    texts = {path: (root / path).read_text("utf-8", "replace") for path in sorted(paths)}
    definitions = _Definitions(drawn.own)
    words = _words(texts)
    by_place = defaultdict[Place, list[Link]](list)
    for link in known.links:
        by_place[link.path, link.line, link.column].append(link)

    def whole(id_: str) -> str:
        whole = id_.partition("~")[0]
        return whole.partition("#")[2] if known.has_parts else whole

    subtypes = defaultdict[str, set[tuple[str, int]]](set)
    for heir in known.heirs:
        base = definitions.first(heir.base_path, heir.base_first, heir.base_last)
        own = definitions.first(heir.path, heir.first, heir.last)
        if base is not None and own is not None:
            subtypes[whole(base[1])].add((heir.path, own[0]))
    unseen = list[tuple[str, int]]()
    symbols = [one for one in drawn.symbols if not known.kinds or one.kind in known.kinds]
    for symbol in symbols:
        symbol.places = _verdicts(symbol, words, by_place, definitions, known)
        if symbol.kind in _TYPES and known.heirs:
            symbol.subtypes = sorted(subtypes[whole(symbol.id)])
        if symbol.kind in _TYPES and symbol.name_place not in by_place:
            unseen.append(symbol.name_place[:2])
    chosen = list(_choose(symbols, n_symbols))
    say(f"truth: {language}: {root.name}: {len(chosen)} symbols")
    if not known.marks_definitions:
        unseen = []
    return TreeTruth(known.folder, chosen, digest_of(root, [*texts]), unseen)


def _words(texts: dict[str, str]) -> dict[str, list[Place]]:
    """Returns the places of all words."""
    words = defaultdict[str, list[Place]](list)
    for path, text in texts.items():
        for number, line in enumerate(text.split("\n"), 1):
            for match in _WORD.finditer(line):
                words[match[0]].append((path, number, match.start() + 1))
    return words


def _verdicts(
    symbol: Symbol,
    words: dict[str, list[Place]],
    by_place: Mapping[Place, list[Link]],
    definitions: _Definitions,
    known: Links,
) -> dict[str, list[Place]]:
    places = defaultdict[str, list[Place]](list)
    own = symbol.id if known.are_apart else symbol.id.partition("~")[0]
    for place in words.get(symbol.name, ()):
        links = by_place.get(place, ())
        verdict = UNKNOWN
        for link in links:
            meant = definitions.named(symbol.name, link.to_path, link.first, link.last)
            if meant == own:
                verdict = OWN if link.is_exact else RELATED
                break
            if link.is_exact and (meant or not (known.leads_to_symbols and link.to_path)):
                verdict = OTHER
        places[verdict].append(place)
    return dict(places)


def _choose(symbols: list[Symbol], n_symbols: int) -> Iterator[Symbol]:
    """Yields symbols with a use, half of them with common names; a quarter more are types with
    subtypes; a tenth has no use that is known, but its name is used."""
    room = {True: n_symbols // 2, False: n_symbols - n_symbols // 2}
    unused = {is_common: n // 5 for is_common, n in room.items()}
    n_types = n_symbols // 4
    for symbol in symbols:
        uses = [place for place in symbol.places.get(OWN, ()) if place != symbol.name_place]
        is_unused = not uses and unused[symbol.is_common] > 0 and OTHER in symbol.places
        if room[symbol.is_common] > 0 and (uses or is_unused):
            room[symbol.is_common] -= 1
            unused[symbol.is_common] -= is_unused
            yield symbol
        elif symbol.subtypes and n_types and len(uses) < 500:
            n_types -= 1
            yield symbol


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.truth_links", description=__doc__)
    parser.add_argument("language", choices=SERVER_OF)
    parser.add_argument("paths", type=Path, nargs="+", help="files of links")
    parser.add_argument("--into", type=Path, required=True, help="the file of the truth")
    parser.add_argument("--symbols", type=int, default=150, metavar="N", help="of all trees")
    options = parser.parse_args(words)
    truth = Truth(options.language, SERVER_OF[options.language].command, [])
    for path in options.paths:
        known = msgspec.json.decode(path.read_bytes(), type=Links)
        n_symbols = -(-options.symbols // len(options.paths))
        truth.trees.append(collect_links(options.language, known, n_symbols))
    options.into.write_bytes(msgspec.json.encode(truth))
    return 0


if __name__ == "__main__":
    sys.exit(main())
