"""Estimates how many tokens a text costs a language model, from the pieces into which today's
tokenizers divide code.

No tokenizer is used, because every model has its own, and all of them are large.
`tests/text/test_token_budget.py` compares the estimate with a public one: for code, Markdown and
paths it is within a quarter, and more often above than below.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

MOST_TOKENS: Final = 50_000
"""Highest budget that the MCP server accepts and hints offer: agents' hosts cut longer answers."""

_PIECES: Final = re.compile(
    r"[ ._]?[A-ZÀ-Þ]?[a-zß-ÿ]{1,9}"  # a word, or a piece of a long one, with one sign before it
    r"|[ ._]?[A-ZÀ-Þ]{1,4}"
    r"|\d{1,3}"
    r"|[\u0370-\u1fff]{1,3}"  # other alphabets
    r"|[\u3040-\u30ff\uac00-\ud7af]{1,2}"  # syllables
    r"|[^\W\d_A-Za-z]"  # Han characters, and letters with rare marks
    r"|[^\w\s]{1,2}"
    r"|_+"
    r"|\n+"
    r"|[ \t]{2,}"  # indentation; a single space belongs to what follows
)


def estimate_tokens(text: str) -> int:
    return sum(1 for _ in _PIECES.finditer(text))


def cut_to_tokens(text: str, limit: int) -> str:
    """Returns the beginning of a text with at most `limit` tokens."""
    ends = [piece.end() for piece in islice(_PIECES.finditer(text), limit + 1)]
    return text if len(ends) <= limit else text[: ends[limit - 1] if limit > 0 else 0]


def best_that_fit(
    costs: Sequence[int], ranks: Sequence[Any], room: int, at_least: int = 0
) -> list[int]:
    """Returns the numbers of the rows that fit into the room, in order: all of them, or those with
    the smallest ranks, up to the first that does not fit. at_least: rows that are returned even if
    they do not fit."""
    if sum(costs) <= room:
        return list(range(len(costs)))
    chosen: list[int] = []
    for number in sorted(range(len(costs)), key=ranks.__getitem__):
        if costs[number] > room and len(chosen) >= at_least:
            break
        room -= costs[number]
        chosen.append(number)
    return sorted(chosen)
