"""The separators of qualified names in any language and in what users type."""

import re
from typing import Final

_ANY: Final = r"(?:::|->|[.#/\\])"
"""Any separator: users may type `Auth::login` or `auth/login`."""

SEPARATOR: Final = re.compile(_ANY)

BETWEEN_NAMES: Final = re.compile(rf"(?<=[\w?!)\]>`]){_ANY}(?=[\w@$#~:`])")
"""A separator between two names: an identifier may be an operator, and a path may begin with a
slash."""

_JOINING: Final = re.compile(r"::|#|\\")
"""Separators that no name contains. The title of a test may contain a slash, and `operator->` is a
name."""


def with_dots(name: str) -> str:
    """Returns a qualified name with dots instead of the separators that no name contains, as in the
    index."""
    return _JOINING.sub(".", name)


IN_IMPORTS: Final = r"(?:\.|/|::|\\)"
"""Pattern of the separators in import paths. `->` and `#` only separate members."""

IN_CODE: Final = r"(?:\??\.|::|->|#)"
"""Pattern of what code writes between a name and its qualifier, in most languages."""
