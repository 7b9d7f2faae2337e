"""The separators in qualified names, of any language and of what users type."""

import re
from typing import Final

_ANY: Final = r"(?:::|->|[.#/\\])"
"""Users may type any of them: `Auth::login`, `auth/login`."""

SEPARATOR: Final = re.compile(_ANY)

BETWEEN_NAMES: Final = re.compile(rf"(?<=[\w?!)\]>`]){_ANY}(?=[\w@$#~:`])")
"""The same between two names only: an identifier may be an operator, and a path may begin with a
slash."""

_JOINING: Final = re.compile(r"::|#|\\")
"""The separators that no name contains: a title of a test may hold a slash, and `operator->` is a
name."""


def with_dots(name: str) -> str:
    """A qualified name with dots for the separators that no name contains, as in the index."""
    return _JOINING.sub(".", name)


IN_IMPORTS: Final = r"(?:\.|/|::|\\)"
"""A pattern: the separators in paths of imports. `->` and `#` separate members only."""

IN_CODE: Final = r"(?:\??\.|::|->|#)"
"""A pattern: what code writes between a name and what qualifies it, in most languages."""
