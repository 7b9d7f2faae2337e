"""What a text costs a language model, about: counted by the pieces that today's tokenizers make of code.

No tokenizer is asked, because each model has its own and all of them are large. `tests/text/test_token_budget.py` compares with a
public one: code, Markdown and paths come out within a quarter of it, and rather above than below.
"""

import re
from typing import Final

MOST_TOKENS: Final = 50_000
"""However large a budget is, the agent door answers no more, as hosts let no more through; nor is more offered by a hint."""

_PIECES: Final = re.compile(
    r"[ ._]?[A-ZÀ-Þ]?[a-zß-ÿ]{1,9}"  # a word, or a piece of a long one, with the one sign before it
    r"|[ ._]?[A-ZÀ-Þ]{1,4}"
    r"|\d{1,3}"
    r"|[\u0370-\u1fff]{1,3}"  # other alphabets
    r"|[\u3040-\u30ff\uac00-\ud7af]{1,2}"  # syllables
    r"|[^\W\d_A-Za-z]"  # Han characters, and letters with rarer marks
    r"|[^\w\s]{1,2}"
    r"|_+"
    r"|\n+"
    r"|[ \t]{2,}"  # indentation; a single space belongs to what follows
)


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has."""
    return sum(1 for _ in _PIECES.finditer(text))


def cut_to_tokens(text: str, most: int) -> str:
    """The beginning of a text that has about so many tokens, and no more."""
    end = 0
    for number, piece in enumerate(_PIECES.finditer(text)):
        if number >= most:
            return text[:end]
        end = piece.end()
    return text
