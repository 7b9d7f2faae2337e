"""A message that stands nowhere as it is: the places that hold most of it, in order.

What a program prints is not what its source holds: values stand where the source has placeholders, and a long text is written in
several pieces. So every two words that follow each other are looked for, and a place counts by how many different pairs of the
message stand there. Rare ones count more than common ones.
"""

import itertools
import math
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Final, NamedTuple

from symindex.explore.excerpts import excerpts
from symindex.explore.grep.hits import FileHits, is_aside, listed_paths
from symindex.explore.tree import IndexedFile, Tree, find_file
from symindex.extract.file_text import BINARY_BYTES, digest_of, to_utf8
from symindex.files.access.beneath import Beneath
from symindex.protocol.grep import FileText, GrepRequest, TextRow
from symindex.text.byte_pattern import byte_pattern
from symindex.workers.cancellation import check_wanted

MOST_WORDS: Final = 40
"""The first ones of a message count."""

_LONG: Final = 4
"""Letters. Two words that are both shorter stand together everywhere."""

NEAR_BYTES: Final = 400
"""Pairs this near to each other belong to one place."""

MOST_PLACES: Final = 10
LEAST_SHARE: Final = 0.35
"""Of the message's weight that a place must hold, and of that of the best place."""

MOST_OF_FILE: Final = 3
_AS_GOOD: Final = 0.95
"""How many places of one file are shown, and how good the others have to be beside its best one."""

_OF_BEST: Final = 0.7
_MOST_BETWEEN: Final = 8
"""Characters between two words of a pair."""

_FEW: Final = 2
_MOST_FOUND: Final = 5_000
_CHECKED_EACH: Final = 64
_FIRST: Final = re.compile(rb"[\w\x80-\xff]+")
_ASIDE: Final = 0.6
"""What tests, copies and text that is no code count."""

_WORD: Final = re.compile(r"[^\W\d_][\w]*(?:['\u2019][a-z]+)?")


class _Place(NamedTuple):
    score: float
    path: str
    start: int
    data: bytes


_Found = list[tuple[int, int]]
"""Where which pairs begin in a file, in order: bytes, and numbers of pairs."""


def find_near(
    tree: Tree, request: GrepRequest, max_bytes: int, seconds: float, rows_of: Callable[[FileHits], Iterable[TextRow]]
) -> list[FileText]:
    """The best places, each as a file with one row. Empty where nothing holds a good part of the text."""
    pairs = _pairs(request.pattern)
    if not pairs:
        return []
    files = list(_scan(tree, request, pairs, max_bytes, time.monotonic() + seconds))
    counts = [0] * len(pairs)
    for _, _, found in files:
        for number in {number for _, number in found}:
            counts[number] += 1
    weights = [math.log(1 + (len(files) + 1) / (1 + count)) + 0.2 for count in counts]
    places = [
        _Place(score * (_ASIDE if is_aside(tree, path) else 1.0), path, start, data)
        for path, data, found in files
        for score, start in _best_places(found, weights, data)
    ]
    places.sort(key=lambda place: (-place.score, place.path))
    known = sum(weight for weight, count in zip(weights, counts, strict=True) if count)  # the others may be values
    least = max(LEAST_SHARE * known, _OF_BEST * places[0].score) if places else 0
    shown: dict[str, FileText] = {}
    for place in places[:MOST_PLACES]:
        if place.score >= least:
            file = find_file(tree, place.path)
            language = file.known_language if file is not None else ""
            text = shown.setdefault(place.path, FileText(file_path=place.path, language=language, items=[]))
            text.items += rows_of(_hits(place, file))
    return list(shown.values())


def _pairs(text: str) -> list[str]:
    """Every two words of a message that follow each other, as they stand there, each once."""
    words = [*_WORD.finditer(text)][:MOST_WORDS]
    return list(
        dict.fromkeys(
            text[first.start() : second.end()]
            for first, second in itertools.pairwise(words)
            if max(len(first[0]), len(second[0])) >= _LONG and second.start() - first.end() <= _MOST_BETWEEN
        )
    )


def _hits(place: _Place, file: IndexedFile | None) -> FileHits:
    has_changed = file is not None and file.known.digest != digest_of(place.data)
    return FileHits((0, place.path), file, excerpts(to_utf8(place.data)[0], [place.start]), has_changed=has_changed)


def _best_places(found: _Found, weights: list[float], data: bytes) -> list[tuple[float, int]]:
    """The best stretch of a file, and others of its that are as good: a message may stand there several times."""
    places: list[tuple[float, int]] = []
    while found and len(places) < MOST_OF_FILE:
        score, start, (first, last) = _best_place(found, weights, data)
        if places and score < _AS_GOOD * places[0][0]:
            break
        places.append((score, start))
        found = found[:first] + found[last + 1 :]
    return places


def _best_place(found: _Found, weights: list[float], data: bytes) -> tuple[float, int, tuple[int, int]]:
    """The weight of the best stretch of a file, where the best line of it begins, and which pairs it holds, from and to."""
    best, stretch, first = 0.0, (0, 0), 0
    held: dict[int, int] = {}
    for last, (start, number) in enumerate(found):
        held[number] = held.get(number, 0) + 1
        while found[first][0] < start - NEAR_BYTES:
            gone = found[first][1]
            held[gone] -= 1
            if not held[gone]:
                del held[gone]
            first += 1
        score = sum(weights[each] for each in held)
        if score > best:
            best, stretch = score, (first, last)
    lines: dict[int, tuple[float, int]] = {}
    for start, number in found[stretch[0] : stretch[1] + 1]:
        line = data.rfind(b"\n", 0, start)
        weight, place = lines.get(line, (0.0, start))
        lines[line] = weight + weights[number], place
    return best, max(lines.values(), key=lambda pair: (pair[0], -pair[1]))[1], stretch


def _scan(
    tree: Tree, request: GrepRequest, pairs: list[str], max_bytes: int, deadline: float
) -> Iterator[tuple[str, bytes, _Found]]:
    """The files with pairs: path, text, and the pairs. Files that hold one by chance are as good as none, if the text is long."""
    any_of = byte_pattern("|".join(map(re.escape, pairs)), True, False)
    numbers = {pair.encode(): number for number, pair in enumerate(pairs)}
    least = 1 + (len(pairs) > _FEW)
    with ExitStack() as stack:
        trees = {prefix: stack.enter_context(Beneath(os.path.realpath(root))) for prefix, root in tree.roots.items()}
        for count, (prefix, path) in enumerate(listed_paths(tree, request)):
            if not count % _CHECKED_EACH:
                check_wanted()
                if time.monotonic() > deadline:
                    return
            shown = prefix + path
            try:
                data = tree.texts.get(shown) or trees[prefix].read(path, max_bytes)
            except OSError:
                continue
            if not any_of.holds(data) or data.find(b"\0", 0, BINARY_BYTES) >= 0:
                continue
            text = to_utf8(data)[0]
            found: _Found = []
            place = 0
            while (span := any_of.next_after(text, place)) is not None and len(found) < _MOST_FOUND:
                pair = text[span[0] : span[1]]
                found.append((span[0], numbers[pair]))
                place = span[0] + max(1, len(_FIRST.match(pair)[0]))  # type: ignore[index]  # the next pair begins with its second word
            if len({number for _, number in found}) >= least:
                yield shown, data, found
