"""How many parameters a definition has, by the brackets behind its name: some languages tell functions of one name apart so."""

import re
from typing import Final

_MOST_CHARACTERS: Final = 2_000
"""Of a longer list only this beginning is read."""

_TOKEN: Final = re.compile(
    r"""<<|>>|[(\[{)\]},]|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|(?<!\w)\?\\?.|[^\s(\[{)\]},"'?<>]++|\S"""
)
"""Brackets, commas, strings, characters (`?,`), words. `<<a, b>>` is a bracket, too."""


def count_parameters(text: str) -> int:
    """The parameters in the brackets that `text` begins with; 0 where it begins with none. Strings may hold anything."""
    text = text[:_MOST_CHARACTERS].lstrip()
    if not text.startswith("("):
        return 0
    depth, commas, is_empty = 0, 0, True
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in (")", "]", "}", ">>"):
            depth -= 1
            if depth == 0:
                break
        elif sign == "," and depth == 1:
            commas += 1
        else:
            is_empty = is_empty and depth == 0
            depth += sign in ("(", "[", "{", "<<")
    return 0 if is_empty else commas + 1
