"""Judges a symbol by the text of its own file: where its name occurs there, and what is in front of
its definition."""

from collections.abc import Iterator, Sequence
from typing import Final

from symindex.explore.unused.candidates import (
    DATA,
    Candidate,
    CodeFile,
    Reach,
    is_type,
    methods_of,
)
from symindex.extract.languages.language import compile_bytes
from symindex.protocol.kinds import SymbolFlag, SymbolKind
from symindex.resolve.tree import Row

_WORD: Final = bytes(
    code for code in range(256) if code >= 128 or chr(code).isalnum() or code == 95
)
_QUOTES: Final = b"\"'`"

MOST_PLACES: Final = 50
"""Most places of a name in its own file that are looked at: a name with more has a use."""

_NEAR: Final = 300
"""Bytes in front of a definition that tell whether it is a value."""


class FileEvidence:
    """The text of one file, and what it says about its symbols."""

    def __init__(self, file: CodeFile, data: bytes) -> None:
        self.file = file
        self.data = data
        self._rules = file.language.rules.unused
        self._is_shared = self._has(self._rules.shared)
        self._has_layouts = self._has(self._rules.layouts)

    def _has(self, pattern: str) -> bool:
        return bool(pattern) and bool(compile_bytes(pattern).search(self.data))

    def reach(self, candidate: Candidate) -> Reach:
        """Returns from where a symbol can be used, after a look at the file."""
        if self._is_shared and candidate.reach is Reach.FILE and not candidate.row.container:
            return Reach.TREE
        return candidate.reach

    def speaks_for(self, candidate: Candidate) -> str:
        """Returns how the file names a symbol: `nowhere`, or only in its own code or comment; empty
        if something in the file uses it, or if its definition may register it."""
        row = candidate.row
        if self._has_layouts and row.kind is SymbolKind.FIELD:
            return ""
        start, _, name_start, name_end = self.file.places[row.number]
        name = row.name.encode()
        if self.data[name_start:name_end] != name:
            return ""
        low, high = 0, len(self.data)
        if candidate.reach is Reach.FUNCTION:
            outer = self.file.outermost(row)
            low, high = self.file.places[outer.number][:2] if outer is not None else (low, high)
        places = [*_places(self.data, name, low, high)]
        own = "nowhere" if len(places) == 1 else self._only_own(row, places)
        if own and (
            self._is_registered(row, start, name_start)
            or self._is_value(row)
            or self._is_extracted(name_end)
        ):
            return ""
        return own

    def _only_own(self, row: Row, places: Sequence[int]) -> str:
        """Returns what of a symbol's own its name occurs in; empty if it occurs elsewhere, too."""
        if len(places) > MOST_PLACES:
            return ""
        start, end, name_start, _ = self.file.places[row.number]
        inside = methods_of(self.file.rows, row) if is_type(row) else []
        spans = [(start, end), *(self.file.places[one.number][:2] for one in inside)]
        where = "nowhere"
        comment = self._comment_start(start)
        in_comment = 0
        for place in places:
            if place == name_start:
                continue
            if row.kind in DATA:
                if not (start <= place < end and self._is_quoted(place, len(row.name.encode()))):
                    return ""
                where = "in its own definition"
            elif any(span[0] <= place < span[1] for span in spans):
                where = "in its own code"
            elif comment <= place < start:
                in_comment += 1
            else:
                return ""
        if in_comment:
            doc = row.index.doc(row.number).encode()
            if in_comment > len([*_places(doc, row.name.encode(), 0, len(doc))]):
                return ""  # a directive names it
            where = "in its own comment" if where == "nowhere" else where
        return where

    def _is_quoted(self, place: int, size: int) -> bool:
        before, behind = self.data[place - 1 : place], self.data[place + size : place + size + 1]
        return bool(before) and before == behind and before in _QUOTES

    def _comment_start(self, start: int) -> int:
        """Returns where the comment lines directly above a place begin."""
        doc = self.file.language.rules.doc
        signs = [*doc.line, *(sign for pair in doc.block for sign in pair)]
        marks = (*(sign.encode() for sign in signs), b"*")
        line = self.data.rfind(b"\n", 0, start) + 1
        while line:
            above = self.data.rfind(b"\n", 0, line - 1) + 1
            if not self.data[above:line].strip().startswith(marks):
                break
            line = above
        return line

    def _is_registered(self, row: Row, start: int, name_start: int) -> bool:
        """Whether a decorator, or one around a field, may register a symbol."""
        if self._is_decorated(start, name_start):
            return True
        if row.kind not in DATA:
            return False
        around = self.file.around(row)
        while around is not None:
            first, _, name, _ = self.file.places[around.number]
            if self._is_decorated(first, name):
                return True
            around = self.file.around(around)
        return False

    def _is_decorated(self, start: int, name_start: int) -> bool:
        if not self._rules.decorator:
            return False
        pattern = compile_bytes(self._rules.decorator)
        matches = pattern.finditer(self.data, start, name_start)
        names = {match[1].decode("utf-8", "replace").rpartition(".")[2] for match in matches}
        return not names <= {*self._rules.decorators}

    def _is_extracted(self, name_end: int) -> bool:
        """Whether tools read a definition in the source."""
        pattern = self._rules.extracted
        return bool(pattern) and bool(compile_bytes(pattern).match(self.data, name_end))

    def _is_value(self, row: Row) -> bool:
        """Whether a definition is part of an expression, or assigned to a member of something: its
        name is not what it is used by."""
        start, _, name_start, _ = self.file.places[row.number]
        if self.data[name_start - 1 : name_start] == b".":
            return True
        if row.flags & SymbolFlag.LOCAL and start == name_start:
            return True
        if not self._rules.expressions or row.kind in DATA:
            return False
        before = self.data[max(0, start - _NEAR) : start].rstrip()
        is_free = row.kind in {SymbolKind.FUNCTION, SymbolKind.CLASS}
        return is_free and bool(compile_bytes(self._rules.expressions).search(before))


def _places(data: bytes, name: bytes, low: int, high: int) -> Iterator[int]:
    """Yields where a name is a whole word between two places, at most one more than MOST_PLACES."""
    size, found = len(name), 0
    place = data.find(name, low, high)
    while place >= 0 and found <= MOST_PLACES:
        is_whole = (place == 0 or data[place - 1] not in _WORD) and (
            place + size == len(data) or data[place + size] not in _WORD
        )
        if is_whole:
            found += 1
            yield place
        place = data.find(name, place + size, high)
