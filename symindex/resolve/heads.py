"""The heads of functions whose signature is too long to be stored whole."""

import re
from typing import Final

from symindex.errors import RequestError
from symindex.resolve.tree import Row, Tree, read_text

MOST_HEAD: Final = 4_000
"""Most bytes of a definition that are read."""

_MOST_FILE: Final = 4_000_000
"""Bytes of the largest file that is read."""

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class Heads:
    """Reads the heads of functions, each once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[Row, str] = {}

    def of(self, row: Row) -> str:
        """Returns the signature of a symbol; of one that is cut, the beginning of its definition,
        on one line."""
        signature = row.index.signature(row.number)
        if not signature.endswith("…"):
            return signature
        if row not in self._known:
            self._known[row] = self._read(row) or signature
        return self._known[row]

    def _read(self, row: Row) -> str:
        try:
            data = read_text(self._tree, row.file, _MOST_FILE).data
        except RequestError:
            return ""
        start = row.index.places(row.number)[0]
        text = data[start : start + MOST_HEAD].decode("utf-8", "ignore")
        return " ".join(_COMMENT.sub(" ", text).split())
