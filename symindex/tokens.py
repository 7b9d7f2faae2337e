"""What a text costs a language model, about: counted by the pieces that today's tokenizers make of code.

No tokenizer is asked, because each model has its own and all of them are large. `tests/test_tokens.py` compares with a public
one.
"""

import re
from typing import Final

_PIECES: Final = re.compile(r"[A-Z]?[a-z]{1,7}|[A-Z]{1,3}|\d{1,3}|[^\W\d_A-Za-z]|_|[^\w\s]{1,2}|\n+")
"""A piece of a word, of a number, a letter of other scripts, punctuation; single spaces belong to what follows."""


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has."""
    return sum(1 for _ in _PIECES.finditer(text))
