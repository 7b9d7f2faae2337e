"""Finds places that resemble a message that occurs nowhere literally, or only in tests: first its
templates, then the places that contain most of it, in order.

A program prints values where its source has placeholders, and source splits long texts. So lines
with a word of the message are read as templates (`grep/templates`). Then every two consecutive
words are searched, and a place scores by the number of different pairs of the message in it. Rare
pairs count more than common ones.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.explore.grep.hits import FileHits, hits_at
from symindex.explore.grep.reading import FilePass, key_of, language_of
from symindex.explore.grep.templates import MOST_LINE, message_of, share_of
from symindex.extract.texts.file_text import BINARY_BYTES, to_utf8
from symindex.protocol.grep import FileText, GrepRequest, TextRow
from symindex.resolve.tree import Tree, read_bytes
from symindex.text.patterns.byte_pattern import any_of

MOST_WORDS: Final = 40
"""Most words of a message that are used: the first ones."""

_LONG: Final = 4
"""Fewest letters of a long word. Pairs of two shorter words occur everywhere."""

NEAR_BYTES: Final = 400
"""Longest distance of pairs that belong to one place."""

MOST_PLACES: Final = 10
"""Most places that are shown."""

MOST_TEMPLATES: Final = 10
"""Most templates that are shown; equally good ones beyond are counted."""

MOST_LONG_WORDS: Final = 12
"""Most words by which templates are searched."""

LEAST_SHARE: Final = 0.35
"""Share of the message's weight that a place must contain."""

MOST_OF_FILE: Final = 3
"""Most places of one file that are shown."""

_AS_GOOD: Final = 0.95
"""Share of the weight of a file's best place that its other places need."""

_OF_BEST: Final = 0.7
"""Share of the best place's weight that the others need."""

_MOST_BETWEEN: Final = 8
"""Longest distance between the two words of a pair, in characters."""

_FEW: Final = 2
"""Pairs of a short text: a file with one of them counts; for a longer text it needs two."""

_MOST_OF_FILE: Final = 1_000
"""Most pairs that are stored for one file."""

_MOST_KEPT: Final = 500_000
"""Most pairs that are stored for all files: about 60 MB."""

_FIRST: Final = re.compile(rb"[\w\x80-\xff]+")
_ASIDE: Final = 0.6
"""Factor for tests, copies and text that is not code."""

_WORD: Final = re.compile(r"[^\W\d_][\w]*(?:['\u2019][a-z]+)?")


class _Place(NamedTuple):
    score: float
    path: str
    start: int


class _PairPlace(NamedTuple):
    """A pair in a file: the byte offsets of the pair and of its line, and its number."""

    start: int
    number: int
    line: int


class NearTexts(NamedTuple):
    """The best places, as files with rows; empty if no place contains a good part of the text.

    Attributes:
        n_read: how many of `n_files` files were searched.
        n_more: how many templates are as good as those shown.
        n_more_places: how many other places are good enough to be shown, and are not.
    """

    files: list[FileText]
    n_read: int
    n_files: int
    n_more: int = 0
    n_more_places: int = 0


def find_near(
    tree: Tree,
    request: GrepRequest,
    max_bytes: int,
    seconds: float,
    rows_of: Callable[[FileHits], Iterable[TextRow]],
    only_code: bool = False,
) -> NearTexts:
    """Finds the best places, best first. only_code: leaves out tests, copies and text that is not
    code."""
    pairs, words = (
        _pairs(request.pattern),
        [*_long_words(request.pattern), *_runs_of_short_words(request.pattern)],
    )
    if not words:
        return NearTexts([], 0, 0)
    pattern, reading = any_of(words + pairs), FilePass(tree, request, max_bytes, seconds)
    templates: list[_Place] = []
    files = _scan(reading, pairs, _watch(tree, request, words, templates, only_code))
    if only_code:
        files = {
            path: file_pairs for path, file_pairs in files.items() if not key_of(tree, path)[0]
        }
    counts = Counter(
        number for file_pairs in files.values() for number in {item.number for item in file_pairs}
    )
    weights = [
        math.log(1 + (len(files) + 1) / (1 + counts[number])) + 0.2 for number in range(len(pairs))
    ]
    places = [
        _Place(score * (_ASIDE if key_of(tree, path)[0] else 1.0), path, start)
        for path, file_pairs in files.items()
        for score, start in _best_places(file_pairs, weights)
    ]
    places.sort(key=lambda place: (-place.score, place.path, place.start))
    templates.sort(key=lambda place: (-place.score, place.path, place.start))
    total_weight = sum(
        weight for number, weight in enumerate(weights) if counts[number]
    )  # the other words may be values
    least = max(LEAST_SHARE * total_weight, _OF_BEST * places[0].score) if places else 0
    good = [place for place in templates if place.score >= _OF_BEST * templates[0].score]
    best = good[:MOST_TEMPLATES]
    shown_places, n_more_places = {(place.path, place.start) for place in best}, 0
    if not best or not only_code:
        least = max(least, total_weight / 2) if best else least
        good_places = [place for place in places if place.score >= least]
        rest = good_places[: MOST_PLACES - len(best)]
        good_paths = {place.path for place in good}
        n_more_places = sum(place.path not in good_paths for place in good_places[len(rest) :])
        best += [place for place in rest if (place.path, place.start) not in shown_places]
    shown: dict[str, FileText] = {}
    for place in best:
        text = shown.setdefault(
            place.path,
            FileText(file_path=place.path, language=language_of(tree, place.path), items=[]),
        )
        with suppress(RequestError):  # the file has gone since
            data = read_bytes(tree, place.path, max_bytes)
            if pattern.stands_at(to_utf8(data)[0], place.start):  # else the file was rewritten
                for row in rows_of(hits_at(tree, (0, place.path), data, [place.start])):
                    if row.line not in {item.line for item in text.items}:
                        text.items.append(row)
    with_rows = [file for file in shown.values() if file.items]
    n_more = max(len(good) - MOST_TEMPLATES, 0)
    return NearTexts(with_rows, reading.n_read, reading.n_files, n_more, n_more_places)


def _runs_of_short_words(text: str) -> list[str]:
    """Returns runs of three short words, or of two if there are none of three, as they are written.
    None of the words of `is not one of` is rare, and the long words around them may be values."""
    words = [*_WORD.finditer(text)][:MOST_WORDS]
    for count in (3, 2):
        runs = [words[number : number + count] for number in range(len(words) - count + 1)]
        joined = [
            text[run[0].start() : run[-1].end()]
            for run in runs
            if all(len(word[0]) < _LONG for word in run)
        ]
        if plain_runs := [
            run_text
            for run_text in joined
            if run_text.count(" ") == count - 1 and run_text.replace(" ", "").isalnum()
        ]:
            return list(dict.fromkeys(plain_runs))[:MOST_LONG_WORDS]
    return []


def _long_words(text: str) -> list[str]:
    """Returns the longest words of a message: templates are searched by these."""
    words = dict.fromkeys(match[0] for match in _WORD.finditer(text) if len(match[0]) >= _LONG)
    return sorted(words, key=lambda word: -len(word))[:MOST_LONG_WORDS]


def _watch(
    tree: Tree, request: GrepRequest, words: list[str], templates: list[_Place], only_code: bool
) -> Callable[[str, bytes], None]:
    """Returns the function that searches each file for templates and adds them."""
    message, any_word = message_of(request.pattern), any_of(words)

    def look(path: str, text: bytes) -> None:
        aside = None
        for start, _ in any_word.first_of_lines(text, _MOST_OF_FILE):
            first = text.rfind(b"\n", 0, start) + 1
            last = text.find(b"\n", start)
            line = text[first : last if last >= 0 else len(text)]
            if len(line) > MOST_LINE or len(templates) >= _MOST_KEPT:
                continue
            share = share_of(line.decode("utf-8", "replace"), message)
            if share:
                aside = key_of(tree, path)[0] if aside is None else aside
                if not (aside and only_code):
                    templates.append(_Place(share * (_ASIDE if aside else 1.0), path, start))

    return look


def _pairs(text: str) -> list[str]:
    """Returns the unique pairs of consecutive words of a message, as they are written."""
    words = [*_WORD.finditer(text)][:MOST_WORDS]
    return list(
        dict.fromkeys(
            text[first.start() : second.end()]
            for first, second in itertools.pairwise(words)
            if max(len(first[0]), len(second[0])) >= _LONG
            and second.start() - first.end() <= _MOST_BETWEEN
            and "\n" not in text[first.end() : second.start()]
        )
    )


def _best_places(pairs: list[_PairPlace], weights: list[float]) -> list[tuple[float, int]]:
    """Returns the best stretch of a file, and others that are as good: a file may contain a message
    several times."""
    places: list[tuple[float, int]] = []
    while pairs and len(places) < MOST_OF_FILE:
        score, start, (first, last) = _best_place(pairs, weights)
        if places and score < _AS_GOOD * places[0][0]:
            break
        places.append((score, start))
        pairs = pairs[:first] + pairs[last + 1 :]
    return places


def _best_place(
    pairs: list[_PairPlace], weights: list[float]
) -> tuple[float, int, tuple[int, int]]:
    """Returns the weight of the best stretch of a file, the start of its best line, and the range
    of its pairs."""
    best, stretch, first = 0.0, (0, 0), 0
    counts: dict[int, int] = {}
    for last, (start, number, _) in enumerate(pairs):
        counts[number] = counts.get(number, 0) + 1
        while pairs[first].start < start - NEAR_BYTES:
            gone = pairs[first].number
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            first += 1
        score = sum(weights[pair_number] for pair_number in counts)
        if score > best:
            best, stretch = score, (first, last)
    lines: dict[int, tuple[float, int]] = {}
    for start, number, line in pairs[stretch[0] : stretch[1] + 1]:
        weight, place = lines.get(line, (0.0, start))
        lines[line] = weight + weights[number], place
    return best, max(lines.values(), key=lambda pair: (pair[0], -pair[1]))[1], stretch


def _scan(
    reading: FilePass, pairs: list[str], watch: Callable[[str, bytes], None]
) -> dict[str, list[_PairPlace]]:
    """Returns the files with pairs and their places. For a long text, files with a few chance pairs
    are dropped.

    watch: called with each text file.
    """
    pattern = any_of(pairs) if pairs else None
    numbers = {pair.encode(): number for number, pair in enumerate(pairs)}
    least = 1 + (len(pairs) > _FEW)
    files: dict[str, list[_PairPlace]] = {}
    n_kept = 0
    for path, data in reading:
        if n_kept > _MOST_KEPT:
            reading.n_read -= 1  # searched no further
            break
        text = to_utf8(data)[0]
        if text.find(b"\0", 0, BINARY_BYTES) >= 0:
            continue
        watch(path, text)
        if pattern is None or not pattern.holds(text):
            continue
        file_pairs: list[_PairPlace] = []
        place = 0
        while (span := pattern.next_after(text, place)) is not None and len(
            file_pairs
        ) < _MOST_OF_FILE:
            pair = text[span[0] : span[1]]
            file_pairs.append(_PairPlace(span[0], numbers[pair], text.rfind(b"\n", 0, span[0])))
            place = span[0] + max(1, len(_FIRST.match(pair)[0]))  # type: ignore[index]  # the next pair begins with its second word
        if len({file_pair.number for file_pair in file_pairs}) >= least:
            files[path] = file_pairs
            n_kept += len(file_pairs)
    return files
