"""One symbol, looked at closely: its signature, doc, code, what it stands in and what stands in it."""

import re
from typing import Final

from symindex.errors import RequestError
from symindex.protocol import (
    CALLABLE_KINDS,
    TOLD_FLAGS,
    Range,
    SymbolDetail,
    SymbolLine,
    SymbolRequest,
    SymbolResponse,
    check_limit,
)
from symindex.reading.nest import Nested, all_below, nest_file
from symindex.reading.target import find_target
from symindex.reading.tree import Row, Tree, lines_of, read_text
from symindex.tokens import estimate_tokens

SHOWN_OTHERS: Final = 20
"""So many are listed of several that may be meant."""

HEAD_LINES: Final = 12
"""So many lines are shown of what is too long and has members, which are listed."""

_ROW_TOKENS: Final = 7
"""What a member costs besides its name or signature."""

_LINES: Final = re.compile(r"\s*(\d+)\s*(?:[-:,]\s*(\d+)\s*)?")


def symbol(tree: Tree, request: SymbolRequest, most_bytes: int) -> SymbolResponse:
    """The answer to a request. most_bytes: no larger file is read. Raises RequestError for what is not there, or cannot be."""
    check_limit("max_tokens", request.max_tokens)
    target = find_target(tree, request.symbol)
    lines = _parse_lines(request.lines) if request.lines is not None else None
    response = SymbolResponse(request=request, symbol=None, others=[], total=len(target.rows))
    if not target.rows:
        response.suggestions = target.suggestions
        return response
    shown = target.rows[1:] if target.is_sure else target.rows
    response.others = [_line(row, with_id=True) for row in shown[:SHOWN_OTHERS]]
    if target.is_sure:
        detail, notices = _detail(tree, target.rows[0], request, lines, most_bytes)
        response.symbol = detail
        if notices:
            response.notices = notices
    return response


def _parse_lines(text: str) -> tuple[int, int]:
    found = _LINES.fullmatch(text)
    if found is None:
        raise RequestError(f"lines {text!r}: expected a range as 120-180")
    first = int(found[1])
    last = int(found[2]) if found[2] else first
    if first < 1 or last < first:
        raise RequestError(f"lines {text!r}: expected a range that begins at line 1 or later, and does not end before it begins")
    return first, last


def _line(row: Row, with_id: bool = False, name: str = "") -> SymbolLine:
    _, last = row.lines
    return SymbolLine(
        name=name or row.name,
        kind=row.kind,
        file_path=row.file.path,
        line=row.line,
        end_line=last,
        container=row.container or None,
        id=row.id if with_id else "",
        signature=row.index.signature(row.number),
    )


def _detail(
    tree: Tree, row: Row, request: SymbolRequest, lines: tuple[int, int] | None, most_bytes: int
) -> tuple[SymbolDetail, list[str]]:
    file = row.file
    notices = []
    try:
        text = lines_of(read_text(tree, file.path, most_bytes))
    except RequestError as error:
        text = []
        notices.append(f"{error}; what follows is what the index knows")
    first, last = row.lines
    if text and last > len(text):
        notices.append(f"{file.path} has changed since it was indexed: lines may have moved")
    nested = _find(nest_file(file, with_locals=True), row)
    start, end, is_whole = _which_lines(text, (first, last), lines, nested, request.max_tokens)
    if lines is not None and start > len(text):
        raise RequestError(f"lines {request.lines}: {file.path} has {len(text):,} lines; the symbol is {first}-{last}")
    code = "\n".join(text[start - 1 : end])
    left = request.max_tokens - estimate_tokens(code) if request.max_tokens is not None else None
    members = _that_fit([_line(each.row, name=each.name) for each in nested.members], left)
    around: list[SymbolLine] = []
    above = nested.parent
    while above is not None:
        around.insert(0, _line(above.row))
        above = above.parent
    beside = nested.parent.members if nested.parent is not None else nest_file(file)
    detail = SymbolDetail(
        id=row.id,
        name=row.name,
        kind=row.kind,
        language=file.known_language,
        file_path=file.path,
        line=row.line,
        range=Range(start_line=first, end_line=last),
        container=row.container or None,
        container_chain=around,
        signature=row.index.signature(row.number),
        doc=row.index.doc(row.number),
        flags=[str(flag.name).lower() for flag in TOLD_FLAGS if row.flags & flag],
        code=code,
        code_start_line=start,
        code_end_line=end,
        is_whole=is_whole,
        members=members,
        hidden_members=len(nested.members) - len(members),
        siblings=[_line(each.row, name=each.name) for each in beside if each.row != row] if request.siblings else [],
    )
    return detail, notices


def _that_fit(members: list[SymbolLine], max_tokens: int | None) -> list[SymbolLine]:
    """The members that there is room for: rather all of them by their names than some with their signatures."""
    if max_tokens is None or sum(map(_cost, members)) <= max_tokens:
        return members
    for member in members:
        member.signature = ""
    shown: list[SymbolLine] = []
    for member in members:
        max_tokens -= _cost(member)
        if max_tokens < 0:
            break
        shown.append(member)
    return shown


def _cost(member: SymbolLine) -> int:
    return _ROW_TOKENS + estimate_tokens(member.signature or member.name)


def _which_lines(
    text: list[str], own: tuple[int, int], asked: tuple[int, int] | None, nested: Nested, max_tokens: int | None
) -> tuple[int, int, bool]:
    """The lines of code that are shown, first and last, and whether they are all of the symbol."""
    first, last = asked or own
    last = min(last, len(text))
    left = max_tokens
    end = first - 1
    for number in range(first, last + 1):
        cost = estimate_tokens(text[number - 1]) + 1
        if left is not None and cost > left and number > first:
            break
        end = number
        left = left - cost if left is not None else None
    if end >= last:
        return first, last, asked is None or asked == own
    if asked is None and nested.members and nested.kind not in CALLABLE_KINDS:
        # What stands in it is listed, so its beginning is enough.
        body = min(member.line for member in nested.members)
        end = min(end, max(first, min(body - 1, first + HEAD_LINES - 1)))
    return first, end, False


def _find(items: list[Nested], row: Row) -> Nested:
    return next(each for each in all_below(items) if each.row == row)
