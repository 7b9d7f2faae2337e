"""Cuts pieces out of a text around the words that were searched for.

`cut_snippet` makes the short snippet of a search hit: one piece, and a match may be several words
in a row. `cut_windows` makes the longer excerpt of a recalled text: several pieces in the order of
the text, with the matches marked. Both begin and end pieces at the edges of lines or words.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeAlias

from symindex.text.patterns.wildcard import matches_wildcard
from symindex.text.words import stem, words_of

LONGEST_SNIPPET: Final = 300
"""Longest snippet, in characters, with its ellipses."""

BEFORE: Final = 80
"""About how many characters of a snippet precede its first match: few enough that the match is
still visible in the first half."""

AROUND: Final = 300
"""Characters that a window shows on either side of a match."""

ROOM: Final = 1_500
"""About how many characters the windows of one text have together."""

MOST_READ: Final = 200_000
"""Longest text, in characters, that is searched for matches: the rest of a longer one is
ignored."""

MARK: Final = "\ufdd0"
"""Encloses each match where marks are requested. It is a noncharacter, so no text contains it."""

CUT: Final = "…"

_SHORTEST_BEGINNING: Final = 3
"""Fewest letters with which a word also matches longer words that begin with it, as in a search."""

_BLANKS: Final = re.compile(r"(?<=\S)[^\S\n]+")
_BLANK: Final = re.compile(r"\s")
_WORD: Final = re.compile(r"\w+")

Run: TypeAlias = tuple[str, ...]
"""Words that must be next to each other, folded (`text/words`). `*` in a word is any text."""


def cut_snippet(text: str, runs: Sequence[Run]) -> str:
    """Returns the piece of a text that contains most of the runs, or the beginning of the text if
    it contains none. Of equally good pieces the first is taken."""
    plain = "\n".join(
        filter(None, map(str.rstrip, _BLANKS.sub(" ", text[:MOST_READ]).split("\n")))
    ).strip()
    start = _snippet_start(plain, max(0, _best_match(plain, runs) - BEFORE))
    ellipsis = f"{CUT} " if start else ""
    room = LONGEST_SNIPPET - len(ellipsis)
    if len(plain) - start <= room and len(text) <= MOST_READ:
        return ellipsis + plain[start:].strip()
    limit = start + room - len(CUT) - 1
    end = _last_edge(plain, start, limit, limit + 1)
    return f"{ellipsis}{plain[start:end].strip()} {CUT}"


def cut_windows(
    text: str, is_match: Callable[[str], str], room: int = ROOM, marks: bool = False
) -> str:
    """Returns the pieces of a text around its matches, or its beginning if there are none.

    Overlapping pieces are joined. If not all of them fit, those with the most different words come
    first.

    is_match: returns which of the searched words a word of the text matches; empty for no match.
    room: about how many characters to return. marks: whether to enclose each match in MARK.
    """
    text, mark = text[:MOST_READ], MARK if marks else ""
    matches = [
        (word.start(), word.end(), searched)
        for word in _WORD.finditer(text)
        if (searched := is_match(word[0]))
    ]
    if len(text) <= room:
        return _marked(text, 0, len(text), matches, mark)
    windows: list[list[int]] = []
    for start, end, _ in matches or [(0, 0, "")]:
        low, high = _window_start(text, start), _window_end(text, end)
        if windows and low <= windows[-1][1]:
            windows[-1][1] = max(high, windows[-1][1])
        else:
            windows.append([low, high])
    chosen: list[tuple[int, int]] = []
    room_left = room
    for low, high in sorted(windows, key=lambda window: (*_worth(window, matches), window[0])):
        if room_left <= 0:
            break
        high = high if high - low <= room_left else _last_edge(text, low, low + room_left)
        if chosen and not any(low <= start and end <= high for start, end, _ in matches):
            break  # what is left of the room shows no match
        chosen.append((low, high))
        room_left -= high - low
    pieces = [_marked(text, low, high, matches, mark).strip() for low, high in sorted(chosen)]
    is_cut_before, is_cut_after = min(chosen)[0] > 0, max(chosen)[1] < len(text)
    return (
        (f"{CUT} " if is_cut_before else "")
        + f"\n{CUT}\n".join(pieces)
        + (f" {CUT}" if is_cut_after else "")
    )


def find_passage(text: str, beginnings: Iterable[str]) -> int:
    """Returns where the passage of a long text begins that contains most of some words: at the
    beginning of a line shortly before them; 0 if it contains none. Of equally good passages the
    first is taken. beginnings: of the words, folded."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter has become two
        lowered = text
    places = sorted(
        (position, number)
        for number, begin in enumerate(beginnings)
        for position in islice(_beginning_with(lowered, begin), _MOST_PLACES)
    )
    inside: dict[int, int] = {}
    first = best = most = 0
    for position, number in places:
        inside[number] = inside.get(number, 0) + 1
        while position - places[first][0] > _PASSAGE:
            dropped = places[first][1]
            inside[dropped] -= 1
            if not inside[dropped]:
                del inside[dropped]
            first += 1
        if len(inside) > most:
            most, best = len(inside), places[first][0]
    return text.rfind("\n", 0, max(best - BEFORE, 0)) + 1 if most else 0


def _beginning_with(text: str, begin: str) -> Iterator[int]:
    """Yields the positions of a text at which no letter or digit precedes some letters."""
    position = text.find(begin)
    while position >= 0:
        if not position or not text[position - 1].isalnum():
            yield position
        position = text.find(begin, position + len(begin))


_PASSAGE: Final = 2_000
"""Length of a passage, in characters."""

_MOST_PLACES: Final = 1_000
"""Most places of a word in a text that are looked at."""


def mark_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Returns a text with MARK around some spans of it, which are in order and do not overlap."""
    return _marked(text, 0, len(text), ((*span, "") for span in spans), MARK)


def _marked(
    text: str, low: int, high: int, matches: Iterable[tuple[int, int, str]], mark: str
) -> str:
    """Returns `text[low:high]` with `mark` around the matches inside it."""
    pieces, end_before = [], low
    for start, end, _ in matches:
        if low <= start and end <= high:
            pieces += [text[end_before:start], mark, text[start:end], mark]
            end_before = end
    return "".join([*pieces, text[end_before:high]])


def _first_edge(text: str, start: int, line_limit: int, word_limit: int) -> int:
    """Returns where a line begins between `start` and `line_limit`, else where a word begins before
    `word_limit`; 0 if neither does."""
    line = text.find("\n", start, line_limit)
    word = _BLANK.search(text, start, word_limit)
    return line + 1 if line >= 0 else word.end() if word is not None else 0


def _last_edge(text: str, start: int, limit: int, stop: int | None = None) -> int:
    """Returns where a line ends in the last third before `limit`, else where a word ends, else
    `limit`. stop: where to search from, backwards; `limit` by default."""
    stop = limit if stop is None else stop
    line = text.rfind("\n", start + (limit - start) * 2 // 3, stop)
    word = text.rfind(" ", start + 1, stop)
    return line if line > start else word if word > start else limit


def _snippet_start(text: str, offset: int) -> int:
    if offset == 0:
        return 0
    return _first_edge(text, offset - 1, offset + BEFORE, offset + BEFORE) or offset


def _window_start(text: str, offset: int) -> int:
    low = max(0, offset - AROUND)
    return (_first_edge(text, low, low + AROUND // 3, offset) or low) if low else 0


def _window_end(text: str, offset: int) -> int:
    high = min(len(text), offset + AROUND)
    return high if high == len(text) else _last_edge(text, offset, high)


def _worth(window: list[int], matches: list[tuple[int, int, str]]) -> tuple[int, int]:
    """Returns a sort key: windows with more different words, then with more matches, come first."""
    inside = [word for start, end, word in matches if window[0] <= start and end <= window[1]]
    return -len({*inside}), -len(inside)


def _best_match(text: str, runs: Sequence[Run]) -> int:
    """Returns where the first match of the best piece begins: the piece whose different runs have
    the most words."""
    matches = _matches(text, runs)
    best, best_start, end = 0, 0, 0
    counts: dict[Run, int] = {}
    for start, run in matches:
        while end < len(matches) and matches[end][0] < start + LONGEST_SNIPPET - BEFORE:
            counts[matches[end][1]] = counts.get(matches[end][1], 0) + 1
            end += 1
        n_words = sum(len(inside) for inside, count in counts.items() if count)
        if n_words > best:
            best, best_start = n_words, start
        counts[run] -= 1
    return best_start


def _matches(text: str, runs: Sequence[Run]) -> list[tuple[int, Run]]:
    """Returns where each run occurs, in order."""
    words: list[str] = []
    starts: list[int] = []
    words_of_token: dict[str, list[str]] = {}
    for token in _WORD.finditer(text):
        if token[0] not in words_of_token:
            words_of_token[token[0]] = words_of(token[0])
        words += words_of_token[token[0]]
        starts += [token.start()] * len(words_of_token[token[0]])
    distinct = set(words)
    matches: list[tuple[int, Run]] = []
    for run in dict.fromkeys(runs):
        is_phrase = len(run) > 1
        accepted = [
            {word for word in distinct if _matches_word(searched, word, is_phrase)}
            for searched in run
        ]
        for number in range(len(words) - len(run) + 1) if all(accepted) else ():
            if words[number] in accepted[0] and all(
                map(set.__contains__, accepted, words[number : number + len(run)])
            ):
                matches.append((starts[number], run))
    return sorted(matches)


def _matches_word(searched: str, word: str, is_phrase: bool) -> bool:
    """Whether a searched word matches a word of the text. In a phrase words must be equal."""
    if "*" in searched:
        return matches_wildcard(searched, word)
    if word == searched or is_phrase:
        return word == searched
    return stem(word) == stem(searched) or (
        len(searched) >= _SHORTEST_BEGINNING and word.startswith(searched)
    )
