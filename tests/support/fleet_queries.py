"""Queries about many repositories, drawn by lot from their own names and words, and the answers of
two sources to them, compared as a whole."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from symindex.errors import RequestError
from symindex.index.snapshot import Snapshot
from symindex.protocol.search import SearchRequest
from symindex.workspace.answers import Answers

PAGE: Final = 20


def _names(snapshot: Snapshot, chance: random.Random, count: int) -> list[str]:
    """Draws names of symbols that have at least four characters."""
    names: list[str] = []
    while len(names) < count:
        row = chance.randrange(sum(part.index.n_symbols for part in snapshot.parts))
        part, number = snapshot.locate(row)
        name = part.index.name_at(number)
        if len(name) >= 4 and name.isprintable() and '"' not in name:
            names.append(name)
    return names


def _misspelt(name: str, chance: random.Random) -> str:
    place = chance.randrange(1, len(name) - 1)
    return name[:place] + name[place + 1] + name[place] + name[place + 2 :]


def _words(name: str) -> str:
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
    return " ".join(words.replace("_", " ").split())


_KINDS: Final[Sequence[Callable[[str, str, random.Random], SearchRequest]]] = (
    lambda one, two, chance: SearchRequest(query=one, max_items=PAGE),
    lambda one, two, chance: SearchRequest(query=one[: max(3, len(one) // 2)], max_items=PAGE),
    lambda one, two, chance: SearchRequest(query=_misspelt(one, chance), max_items=PAGE),
    lambda one, two, chance: SearchRequest(query=f"{_words(one)} {_words(two)}", max_items=PAGE),
    lambda one, two, chance: SearchRequest(query=f"how to {_words(one)}", max_items=PAGE),
    lambda one, two, chance: SearchRequest(query=f"{one} OR {two}", max_items=PAGE),
    lambda one, two, chance: SearchRequest(query=f"{one} AND kind:function", max_items=PAGE),
    lambda one, two, chance: SearchRequest(query=f"{one[:3]}* NOT {two}", max_items=PAGE),
    lambda one, two, chance: SearchRequest(query=one[1:], max_items=PAGE, kinds=["class"]),
    lambda one, two, chance: SearchRequest(
        query=_words(one), max_items=PAGE, type="section", space="project"
    ),
    lambda one, two, chance: SearchRequest(
        query=_words(one), max_items=PAGE, type="readme", space="project", include=["id"]
    ),
    lambda one, two, chance: SearchRequest(query=one, max_items=PAGE, start_index=PAGE),
    lambda one, two, chance: SearchRequest(query=one[:2], max_items=PAGE, fuzzy=True),
    lambda one, two, chance: SearchRequest(
        query=one, max_items=PAGE, include=["id", "signature", "doc", "score", "range", "flags"]
    ),
)
"""A name; its beginning; misspelt; words; a question; boolean queries; options."""


def draw_queries(snapshot: Snapshot, count: int, seed: int) -> Iterator[SearchRequest]:
    """Yields requests of each kind in turn."""
    chance = random.Random(seed)
    names = _names(snapshot, chance, 2 * count)
    for number, (one, two) in enumerate(zip(names[:count], names[count:], strict=True)):
        yield _KINDS[number % len(_KINDS)](one, two, chance)


def answer_of(answers: Answers, request: SearchRequest) -> Any:
    """Returns the whole answer as builtins, or the error."""
    try:
        response = answers.search(request)
    except RequestError as error:
        return str(error)
    answer = msgspec.to_builtins(response)
    answer.pop("elsewhere", None)  # How much text is read for it depends on the time.
    # A fleet has no times of files, and does not search what the index leaves out.
    for hit in answer.get("text") or ():
        hit.pop("added", None)
    if answers.source.plan(request).needs_spaces:  # A fleet has no space of the user's own.
        answer["pagination_id"] = bool(answer["pagination_id"])
        answer.pop("notices", None)
    notices = [
        notice
        for notice in answer.pop("notices", None) or ()
        if not any(outside in notice for outside in _OUTSIDE)
    ]
    return answer | {"notices": notices}


_OUTSIDE: Final = (
    "which is not in the index", "packages", "not all parts were tried", "each alone finds",
)  # fmt: skip
"""Notices about what is outside of an index, excluded files and packages of the one tree; and those
that depend on the time."""
