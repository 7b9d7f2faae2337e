"""Which symbol stands around a line of a file, and which a range of lines touches."""

from symindex.explore.tree import IndexedFile, Row, rows_of
from symindex.protocol.explore import SymbolLine


def symbol_at(file: IndexedFile, line: int) -> Row | None:
    """The innermost symbol around a line."""
    around = [row for row in rows_of(file) if row.lines[0] <= line <= row.lines[1]]
    return min(around, key=lambda row: (row.lines[1] - row.lines[0], -row.lines[0]), default=None)


def symbols_touched(file: IndexedFile, first: int, last: int) -> list[Row]:
    """The symbols that have lines of a range, in the order of their places. Of those that hold all
    of it only the innermost."""
    touched = [row for row in rows_of(file) if row.lines[0] <= last and row.lines[1] >= first]
    around = [row for row in touched if row.lines[0] <= first and row.lines[1] >= last]
    innermost = min(
        around, key=lambda row: (row.lines[1] - row.lines[0], -row.lines[0]), default=None
    )
    return [row for row in touched if row not in around or row is innermost]


def nearest_symbols(file: IndexedFile, line: int) -> list[Row]:
    """The symbols before and behind a line."""
    rows = rows_of(file)
    before = max(
        (row for row in rows if row.lines[1] < line), key=lambda row: row.lines[1], default=None
    )
    after = min(
        (row for row in rows if row.lines[0] > line), key=lambda row: row.lines[0], default=None
    )
    return [row for row in (before, after) if row is not None]


def line_of(row: Row, name: str = "", id: str = "") -> SymbolLine:
    """A symbol as a row of a list."""
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
