"""What separates the parts of a qualified name, in any language and in what people type."""

import re
from typing import Final

_ANY: Final = r"(?:::|->|[.#/\\])"
"""In what is typed, all of them count: `Auth::login`, `auth/login`."""

SEPARATOR: Final = re.compile(_ANY)

BETWEEN_NAMES: Final = re.compile(rf"(?<=[\w?!)\]>`]){_ANY}(?=[\w@$#~:`])")
"""The same between two names only: who looks for one identifier may look for an operator, or type a path's first slash."""

_JOINING: Final = re.compile(r"::|#|\\")
"""Those that stand in no name: a title of a test may hold a slash, and `operator->` is a name."""


def split_name(word: str) -> list[str]:
    """The parts of a qualified name."""
    return SEPARATOR.split(word)


def with_dots(name: str) -> str:
    """A qualified name as the index has it, but for what may be a part of a name."""
    return _JOINING.sub(".", name)


IN_IMPORTS: Final = r"(?:\.|/|::|\\)"
"""A pattern: what languages write between the parts of a path that they import. `->` and `#` lead to members alone."""
