"""Answers a pasted trace: the frames in the workspace, each with its symbol and line."""

from symindex.cancellation import check_wanted
from symindex.errors import RequestError
from symindex.explore.targets.lines import line_of, symbol_at
from symindex.explore.targets.names import LESS_LIKELY, symbols_named
from symindex.explore.trace.frames import Frame, as_code_names, parse_trace
from symindex.explore.trace.located import Locator, named_in
from symindex.explore.trace.origin import Origin
from symindex.protocol.search import add_notices
from symindex.protocol.trace import TraceFrame, TraceResponse
from symindex.resolve.tree import IndexedFile, Row, Tree, find_file, read_text
from symindex.text.counts import count_of
from symindex.text.separators import SEPARATOR


def trace(tree: Tree, text: str, most_bytes: int, folder: str = "") -> TraceResponse:
    """Answers a trace. folder: in which the program may have run, relative to the root.

    Raises RequestError if no line has the form of a frame.
    """
    parsed = parse_trace(text)
    if not parsed.frames:
        raise RequestError(
            "no line looks like a frame of a stack trace: paste a stack trace or a compiler's"
            " message as it was printed"
        )
    locator, frames_found = Locator(tree, folder), list[TraceFrame]()
    origin = Origin(tree, locator)
    notices: list[str] = []
    unread: dict[str, None] = {}
    frames = parsed.likely()
    for number, frame in frames:
        check_wanted()
        located = _locate(tree, locator, origin, frame, most_bytes, unread)
        if located is not None:
            located.number = number
            frames_found.append(located)
            notices += filter(None, [_how_it_differs(tree, located, frame)])
    response = TraceResponse(frames=frames_found, total=len(parsed.frames), looked_up=len(frames))
    n_more = len(notices) - _MOST_NOTICES
    add_notices(response, notices[:_MOST_NOTICES])
    if n_more > 0:
        others = count_of(n_more, "other frame is", "other frames are")
        add_notices(response, [f"{others} outside of the functions that they name"])
    if unread:
        first, n_others = next(iter(unread)), len(unread) - 1
        others = f", and {count_of(n_others, 'other file')}" if n_others else ""
        add_notices(
            response, [f"{first}{others}: symbols are from the index, without lines of code"]
        )
    if parsed.n_unread:
        were_not = count_of(parsed.n_unread, "line was not", "lines were not")
        add_notices(response, [f"{were_not} read, in the middle; frames there are not counted"])
    return response


_MOST_NOTICES = 5
"""Most frames whose difference from the file is described; the others are counted."""


def _locate(
    tree: Tree,
    locator: Locator,
    origin: Origin,
    frame: Frame,
    most_bytes: int,
    unread: dict[str, None],
) -> TraceFrame | None:
    """Locates a frame; returns `None` if it is not in the workspace. unread: gets why its file
    cannot be read."""
    name = as_code_names(frame.symbol) if frame.symbol else ""
    if frame.path:
        files = origin.own_files(locator.find(frame.path, name, frame.line), frame)
        if files:
            return _in_file(tree, files, frame, most_bytes, unread)
        source = locator.find_source(frame.path, name) if name else None
        return _at_symbol(frame, source, source.line) if source is not None else None
    meant = origin.own_symbols(symbols_named(tree, name), frame.symbol) if name else []
    if not meant or (meant[0].way >= _WHOLE_NAME and not _is_of_root(tree, name, meant[0].way)):
        # a library's function may share its last part with ours
        inherited = origin.inherited(name, _WHOLE_NAME) if name else None
        return _at_symbol(frame, inherited, inherited.line) if inherited is not None else None
    row = meant[0].row
    likely = sum(not match.row.flags & LESS_LIKELY for match in meant)
    line = (
        frame.line if row.lines[0] <= frame.line <= row.lines[1] else row.line
    )  # some loggers give no file
    return _at_symbol(frame, row, line, max(likely - 1, 0))


_WHOLE_NAME = 16
"""`NamedSymbol.way` from which parts of the name are missing."""


def _is_of_root(tree: Tree, name: str, way: int) -> bool:
    """Whether only the first part of a name is missing, and it is the name of a root, as for
    packages."""
    first = SEPARATOR.split(name, maxsplit=1)[0].replace("-", "_")
    return way < 2 * _WHOLE_NAME and any(
        root.name.replace("-", "_") == first for root in tree.roots.values()
    )


def _at_symbol(frame: Frame, row: Row, line: int, others: int = 0) -> TraceFrame:
    return TraceFrame(
        number=0,
        text=frame.text,
        file_path=row.file.path,
        line=line,
        symbol=line_of(row),
        others=others,
    )


def _how_it_differs(tree: Tree, located: TraceFrame, frame: Frame) -> str:
    """Returns a notice if the line of a frame is outside the function that it names: another
    version may have failed. Empty otherwise."""
    name = as_code_names(frame.symbol) if frame.symbol and frame.path else ""
    file = find_file(tree, located.file_path) if name else None
    if file is None or not frame.line or located.line != frame.line:
        return ""
    if (
        f"{SEPARATOR.split(name)[-1]}(" in located.code
    ):  # some languages name the called function, not the one around the call
        return ""
    rows = named_in(file, name)
    if not rows or any(row.lines[0] <= frame.line <= row.lines[1] for row in rows):
        return ""
    return (
        f"frame {located.number} names {rows[0].qualified_name}, which is at"
        f" {located.file_path}:{rows[0].line}: the line of the frame is outside of it, so another"
        " version of the file may have failed"
    )


def _in_file(
    tree: Tree, files: list[IndexedFile], frame: Frame, most_bytes: int, unread: dict[str, None]
) -> TraceFrame:
    file, code = files[0], ""
    try:
        lines = read_text(tree, file, most_bytes).lines
        code = lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else ""
    except RequestError as error:  # it cannot be read any more; assumed unchanged
        unread[str(error)] = None
    row = symbol_at(file, frame.line)
    if not frame.line and frame.symbol and (rows := named_in(file, as_code_names(frame.symbol))):
        return _at_symbol(frame, rows[0], rows[0].line, len(rows) - 1)
    located = TraceFrame(
        number=0,
        text=frame.text,
        file_path=file.path,
        line=frame.line,
        code=code,
        others=len(files) - 1,
    )
    located.symbol = line_of(row) if row is not None else None
    return located
