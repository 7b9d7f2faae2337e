"""Shows a range of lines of any text file in the workspace, with the symbols that it touches."""

import os
import re
from typing import Final

from symindex.errors import RequestError
from symindex.explore.missing import nothing_there
from symindex.explore.targets.lines import line_of, nearest_symbols, symbols_touched
from symindex.explore.targets.target import file_of_place
from symindex.extract.texts.file_text import BINARY_BYTES
from symindex.files.walk import VERSION_CONTROL
from symindex.protocol.explore import SymbolRequest, SymbolResponse, TextRange
from symindex.protocol.search import add_notices
from symindex.resolve.tree import IndexedFile, Tree, find_file, read_shown, shown_path
from symindex.text.counts import count_of
from symindex.text.token_budget import cut_to_tokens, estimate_tokens

AROUND: Final = 10
"""Lines shown on each side of a line that is in no symbol."""

MODULE_LINES: Final = 20
"""Lines shown of a file that is a module."""

MOST_TOUCHED: Final = 8
"""Most symbols listed for a range."""

_PLACE: Final = re.compile(
    r"(?P<path>[^\n#]+?):(?P<first>\d{1,9})(?:(?P<mark>-|:|,|\.\.)(?P<last>\d{1,9}))?", re.DOTALL
)
LINES: Final = re.compile(r"\s*(?P<first>\d{1,9})\s*(?:(?:[-:,]|\.\.)\s*(?P<last>\d{1,9})\s*)?")


def parse_lines(text: str) -> tuple[int, int]:
    """Reads a range such as `120-180`. Raises RequestError for anything else."""
    match = LINES.fullmatch(text)
    if match is None:
        raise RequestError(f"lines {text[:50]!r}: expected a range as 120-180")
    first = int(match["first"])
    last = int(match["last"]) if match["last"] else first
    if first < 1 or last < first:
        raise RequestError(
            f"lines {text!r}: expected a range that begins at line 1 or later, and does not end"
            " before it begins"
        )
    return first, last


def range_of(tree: Tree, request: SymbolRequest) -> tuple[str, int, int, bool] | None:
    """Returns path, first and last line of a request, and whether it names a single line; `None` if
    it means a symbol."""
    text = request.symbol.strip().strip("`")
    if request.lines is not None:
        is_path = text and ("#" not in text or find_file(tree, text) is not None)
        return (text, *parse_lines(request.lines), False) if is_path else None
    match = _PLACE.fullmatch(text)
    if match is None:
        return None
    first = int(match["first"])
    if match["last"] is None or match["mark"] == ":":  # the number is a column
        return match["path"], first, first, True
    return (match["path"], *parse_lines(f"{first}-{match['last']}"), False)


def show_range(
    tree: Tree,
    path: str,
    first: int,
    last: int,
    is_line: bool,
    request: SymbolRequest,
    most_bytes: int,
) -> SymbolResponse | None:
    """Answers a request for lines; `None` if no file has that path and it may be a name. Raises
    RequestError for a file or line that cannot be shown.

    is_line: one line was named that is in no symbol; the lines around it are shown.
    """
    file = file_of_place(tree, path)
    shown = file.path if file is not None else _unindexed(tree, path, is_path=request.lines is None)
    if shown is None:
        return None
    text = read_shown(tree, shown, most_bytes)
    if text.data.find(b"\0", 0, BINARY_BYTES) >= 0:
        raise RequestError(f"{shown}: is binary: only text is shown")
    lines = text.lines
    if first > len(lines):
        raise RequestError(
            f"{shown} has {count_of(len(lines), 'line')}: there is no line {first:,}"
        )
    response = SymbolResponse(request=request, symbol=None, others=[], total=1)
    if is_line:
        if near := ", ".join(_nearest(file, first)):
            notice = f"{shown}:{first}: no symbol is on that line; nearest: {near}"
            add_notices(response, [notice])
        first, last = max(1, first - AROUND), first + AROUND
    last = min(last, len(lines))
    code, end, is_cut = _lines_that_fit(lines, first, last, request.max_tokens)
    if is_cut:
        add_notices(response, [f"line {end} is cut: it has {len(lines[end - 1]):,} characters"])
    if file is not None and file.known.digest != text.digest:
        add_notices(
            response, [f"{shown} has changed since it was indexed: its symbols may have moved"]
        )
    touched = symbols_touched(file, first, end) if file is not None else []
    if len(touched) > MOST_TOUCHED:
        more = count_of(len(touched) - MOST_TOUCHED, "more symbol is", "more symbols are")
        add_notices(response, [f"{more} in these lines: ask for an outline of the file"])
    response.text = TextRange(
        file_path=shown,
        language=file.known_language if file is not None else "",
        code="\n".join(code),
        code_start_line=first,
        code_end_line=end,
        n_lines=len(lines),
        touched=[line_of(row) for row in touched[:MOST_TOUCHED]],
        more_lines=f"{end + 1}-{last}" if end < last else "",
    )
    return response


def _nearest(file: IndexedFile | None, line: int) -> list[str]:
    """Returns the symbols before and after a line, with their lines, for a notice."""
    rows = nearest_symbols(file, line) if file is not None else []
    return [f"{row.id} (lines {row.lines[0]}-{row.lines[1]})" for row in rows]


def _unindexed(tree: Tree, path: str, is_path: bool) -> str | None:
    """Returns the shown path of a text file that is not in the index; `None` if there is none and
    the text may be a name. is_path: whether a suffix makes the text a path."""
    try:
        shown = shown_path(tree, path)
    except RequestError:
        if "/" in path:
            raise
        return None
    if not shown and "/" in path:
        raise nothing_there(tree, shown)
    if not VERSION_CONTROL.isdisjoint(shown.split("/")):
        raise RequestError(f"{shown}: belongs to version control")
    try:
        read_shown(tree, shown, 0)
    except RequestError as error:
        if "has more than" in str(error):
            return shown
        if "/" in path or (is_path and re.search(r"\.\w+$", path)):
            raise (error if os.path.lexists(path) else nothing_there(tree, shown)) from None
        return None
    return shown


def _lines_that_fit(
    lines: list[str], first: int, last: int, room: int | None
) -> tuple[list[str], int, bool]:
    """Returns the lines that fit, at least one, the number of the last one, and whether that one is
    cut. room: in tokens."""
    requested = lines[first - 1 : last]
    if room is None:
        return requested, last, False
    fitting: list[str] = []
    for line in requested:
        room -= estimate_tokens(line) + 3
        if room < 0:
            break
        fitting.append(line)
    if not fitting:
        return [cut_to_tokens(requested[0], 40)], first, True
    return fitting, first + len(fitting) - 1, False
