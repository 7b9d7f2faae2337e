"""Chooses the lexer of Pygments for a text and runs it. Only workers do so, because a lexer may run
without end."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class, find_lexer_class_for_filename, get_all_lexers
from pygments.token import STANDARD_TYPES, _TokenType

CLASSES: Final = frozenset(STANDARD_TYPES.values()) - {"", "w"}
"""The CSS classes of tokens. White space has none."""

Run = tuple[str, str]
"""A CSS class, empty for none, and a text."""


def find_lexer(name: str) -> Lexer | None:
    """Returns the lexer of a language, by its id or any name that Pygments knows; `None` if there
    is none."""
    lexer_name = _lexer_names().get(_aliases().get(name, name).lower(), "")
    found = find_lexer_class(lexer_name) if lexer_name else None
    return found() if found is not None else None


def find_lexer_for_file(name: str) -> Lexer | None:
    """Returns the lexer for files of a name; `None` if there is none. It does not look into the
    file, as Pygments otherwise does to choose between several."""
    found = find_lexer_class_for_filename(name)
    return found() if found is not None else None


@cache
def _aliases() -> dict[str, str]:
    table = files("symindex.serve.web.content").joinpath("lexers.toml").read_text("utf-8")
    return tomllib.loads(table)


@cache
def _lexer_names() -> dict[str, str]:
    """Returns Pygments' own lexers by their short names. `get_lexer_by_name` would look
    through all installed packages for a name that it does not know."""
    return {
        alias.lower(): name
        for name, aliases, _, _ in get_all_lexers(plugins=False)
        for alias in aliases
    }


def class_runs(text: str, lexer: Lexer) -> Iterator[Run]:
    """Yields the text in pieces of one class each. Raises ValueError if the lexer changes the
    text."""
    position, last_class, start = 0, "", 0
    # `get_tokens` would drop blank lines at both ends.
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        if not text.startswith(value, position):
            raise ValueError("the lexer changes the text")
        css_class = _class_of(kind)
        if css_class != last_class:
            if start < position:
                yield last_class, text[start:position]
            last_class, start = css_class, position
        position += len(value)
    if position != len(text):
        raise ValueError("the lexer drops a part of the text")
    if start < position:
        yield last_class, text[start:]


@cache
def _class_of(kind: _TokenType) -> str:
    """Returns the class of a type of token, or of the nearest type above it that has one."""
    while kind not in STANDARD_TYPES:
        assert kind.parent is not None
        kind = kind.parent
    css_class = STANDARD_TYPES[kind]
    return css_class if css_class in CLASSES else ""
