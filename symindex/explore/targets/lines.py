"""Finds the symbols at a line or range of lines of a file."""

from symindex.protocol.explore import SymbolLine
from symindex.resolve.tree import IndexedFile, Row, rows_of


def symbol_at(file: IndexedFile, line: int) -> Row | None:
    """Returns the innermost symbol around a line."""
    around = [row for row in rows_of(file) if row.lines[0] <= line <= row.lines[1]]
    return min(around, key=lambda row: (row.lines[1] - row.lines[0], -row.lines[0]), default=None)


def symbols_touched(file: IndexedFile, first: int, last: int) -> list[Row]:
    """Returns the symbols with lines in a range, ordered by place. Of those that contain the whole
    range, only the innermost."""
    touched = [row for row in rows_of(file) if row.lines[0] <= last and row.lines[1] >= first]
    around = [row for row in touched if row.lines[0] <= first and row.lines[1] >= last]
    innermost = min(
        around, key=lambda row: (row.lines[1] - row.lines[0], -row.lines[0]), default=None
    )
    return [row for row in touched if row not in around or row is innermost]


def nearest_symbols(file: IndexedFile, line: int) -> list[Row]:
    """Returns the symbols before and after a line."""
    rows = rows_of(file)
    before = max(
        (row for row in rows if row.lines[1] < line), key=lambda row: row.lines[1], default=None
    )
    after = min(
        (row for row in rows if row.lines[0] > line), key=lambda row: row.lines[0], default=None
    )
    return [row for row in (before, after) if row is not None]


def line_of(row: Row, name: str = "", id: str = "") -> SymbolLine:
    """Returns a symbol as a row of a list."""
    return SymbolLine(
        id=id,
        name=name or row.name,
        kind=row.kind_word,
        file_path=row.file.path,
        line=row.line,
        end_line=row.lines[1],
        container=row.container or None,
        signature=row.index.signature(row.number),
    )
