"""One symbol, looked at closely: its signature, doc, code, what it stands in and what stands in it.

`max_tokens` is for all of it. The code has it first; where it does not fit, what a type consists of is told by its members, and
the rest of the code by the lines to ask for.
"""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from symindex.errors import RequestError
from symindex.explore.nest import Nested, all_below, nest_file
from symindex.explore.resolve.names import LESS_LIKELY, find_meant
from symindex.explore.resolve.targets import find_target
from symindex.explore.resolve.type_parts import members_of_part, other_parts
from symindex.explore.tree import Row, Tree, read_text, rows_of, rows_of_container
from symindex.protocol import (
    CALLABLE_KINDS,
    KINDS,
    TOLD_FLAGS,
    Range,
    SymbolDetail,
    SymbolFlag,
    SymbolLine,
    SymbolRequest,
    SymbolResponse,
    add_notices,
    check_limit,
)
from symindex.text.token_budget import cut_to_tokens, estimate_tokens

SHOWN_OTHERS: Final = 20
"""So many are listed of several that may be meant, at most, and"""

SHOWN_BESIDE: Final = 5
"""so many where one is meant."""

HEAD_LINES: Final = 12
"""So many lines are shown of what is too long and has members, which are listed."""

LEAST_TOKENS: Final = 40
"""So many a line of code gets however few are left."""

_DOC_SHARE: Final = 4
"""A doc gets this part of the tokens at most."""

_HEADER_TOKENS: Final = 60
"""What the first lines and the hints of an answer cost besides its id."""

_LINES: Final = re.compile(r"\s*(\d{1,9})\s*(?:(?:[-:,]|\.\.)\s*(\d{1,9})\s*)?")


def symbol(tree: Tree, request: SymbolRequest, most_bytes: int) -> SymbolResponse:
    """The answer to a request. most_bytes: no larger file is read. Raises RequestError for what is not there, or cannot be."""
    check_limit("max_tokens", request.max_tokens)
    lines = _parse_lines(request.lines) if request.lines is not None else None
    target = find_target(tree, request.symbol, most_bytes)
    response = SymbolResponse(request=request, symbol=None, others=[], total=len(target.rows))
    notices = list(target.notices)
    room = _Room(request.max_tokens)
    if not target.rows:
        if target.suggestions:
            response.suggestions = target.suggestions
    elif target.is_sure:
        if lines is None:
            response.others = _others(target.rows[1:], SHOWN_BESIDE, _Room(room.part(_DOC_SHARE)))
            room.take(sum(map(_cost, response.others)))
        response.symbol = _detail(tree, target.rows[0], request, lines, most_bytes, room, notices)
    else:
        likely = [row for row in target.rows if not row.flags & LESS_LIKELY]
        response.others = _others(likely or target.rows, SHOWN_OTHERS, room)
    add_notices(response, notices)
    return response


class _Room:
    """How many tokens are left; `None` is without end."""

    def __init__(self, tokens: int | None) -> None:
        self.left = tokens

    def take(self, tokens: int) -> None:
        if self.left is not None:
            self.left = max(0, self.left - tokens)

    def has(self, tokens: int) -> bool:
        return self.left is None or tokens <= self.left

    def part(self, share: int) -> int | None:
        return None if self.left is None else self.left // share


def _parse_lines(text: str) -> tuple[int, int]:
    found = _LINES.fullmatch(text)
    if found is None:
        raise RequestError(f"lines {text[:50]!r}: expected a range as 120-180")
    first = int(found[1])
    last = int(found[2]) if found[2] else first
    if first < 1 or last < first:
        raise RequestError(f"lines {text!r}: expected a range that begins at line 1 or later, and does not end before it begins")
    return first, last


def _others(rows: Sequence[Row], most: int, room: _Room) -> list[SymbolLine]:
    """The first of some symbols; one at least."""
    shown: list[SymbolLine] = []
    for row in rows[:most]:
        line = _line(row, with_id=True)
        if shown and not room.has(_cost(line)):
            break
        room.take(_cost(line))
        shown.append(line)
    return shown


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


def _cost(line: SymbolLine, beside: str = "") -> int:
    """What a row of a list costs as Markdown (`render/symbol`), about. beside: the file that needs no path there."""
    if line.id:
        return estimate_tokens(f"- `{line.id}` {line.kind}, line {line.line}: `{line.signature}`\n")
    place = line.line if line.file_path == beside else f"`{line.file_path}:{line.line}`"
    return estimate_tokens(f"- {place} `{line.signature or line.name}` {line.kind}\n")


def _detail(
    tree: Tree,
    row: Row,
    request: SymbolRequest,
    lines: tuple[int, int] | None,
    most_bytes: int,
    room: _Room,
    notices: list[str],
) -> SymbolDetail:
    file, own = row.file, row.lines
    text = _text(tree, row, most_bytes, notices)
    if lines is not None and lines[0] > len(text) and text:
        raise RequestError(f"lines {request.lines}: {file.path} has {len(text):,} lines; the symbol is {own[0]}-{own[1]}")
    nested = next(each for each in all_below(nest_file(file, with_locals=True)) if each.row == row)
    room.take(_HEADER_TOKENS + 2 * estimate_tokens(row.id))
    doc = row.index.doc(row.number) if lines is None else ""
    if (most := room.part(_DOC_SHARE)) is not None and estimate_tokens(doc) > most:
        doc = cut_to_tokens(doc, max(most, LEAST_TOKENS)).rstrip() + " ..."
    room.take(estimate_tokens(doc))
    inside = {each.row for each in nested.members}
    outer = [each for each in _elsewhere(tree, row) if each not in inside] if lines is None else []
    inner = [each.row for each in nested.members] + outer if lines is None else []
    code = _Code(text, lines or own, room.left)
    if lines is None and not code.is_whole and inner and row.kind not in CALLABLE_KINDS:
        code.shorten(min([own[0] + HEAD_LINES, *(each.line for each in nested.members if each.line > own[0])]))
    if code.cut:
        notices.append(f"line {code.last} is cut: it has {len(text[code.last - 1]):,} characters")
    room.take(code.tokens)
    named = [*((each.row, each.name) for each in nested.members), *((each, each.name) for each in outer)] if lines is None else []
    if code.is_whole and text:  # which shows the others
        named = [(each, name) for each, name in named if each.file.path != file.path or not own[0] <= each.line <= own[1]]
    members = _that_fit([each for each, _ in named], [name for _, name in named], room, file.path)
    beside = (nested.parent.members if nested.parent is not None else nest_file(file)) if request.siblings else []
    others = [each for each in beside if each.row != row]
    siblings = _that_fit([each.row for each in others], [each.name for each in others], room, file.path)
    return SymbolDetail(
        id=row.id,
        name=row.name,
        kind=row.kind,
        language=file.known_language,
        file_path=file.path,
        line=row.line,
        range=Range(start_line=own[0], end_line=own[1]),
        container=row.container or None,
        container_chain=_chain(nested),
        signature=row.index.signature(row.number),
        doc=doc,
        flags=[str(flag.name).lower() for flag in TOLD_FLAGS if row.flags & flag],
        code=code.text,
        code_start_line=code.first,
        code_end_line=code.last,
        is_whole=code.is_whole and (lines is None or lines == own),
        more_lines=code.more,
        members=members,
        hidden_members=len(named) - len(members),
        siblings=siblings,
        hidden_siblings=len(others) - len(siblings),
    )


def _chain(nested: Nested) -> list[SymbolLine]:
    """What a symbol stands in, outermost first."""
    chain: list[SymbolLine] = []
    above = nested.parent
    while above is not None:
        chain.insert(0, _line(above.row))
        above = above.parent
    return chain


def _text(tree: Tree, row: Row, most_bytes: int, notices: list[str]) -> list[str]:
    """The lines of a symbol's file; none where it cannot be read any more."""
    file = row.file
    try:
        text = read_text(tree, file, most_bytes)
    except RequestError as error:
        notices.append(f"{error}; what follows is what the index knows")
        return []
    if text.digest != file.known.digest:
        notices.append(f"{file.path} has changed since it was indexed: the lines may have moved")
    return text.lines


def _elsewhere(tree: Tree, row: Row) -> list[Row]:
    """What belongs to a type and stands elsewhere: its other parts with what stands in them; and in other files of its language,
    as methods do in some: not what is declared in its own as well, and nothing of files that define another type of that name."""
    if KINDS[row.kind].quality or row.flags & SymbolFlag.LOCAL:
        return []
    found: dict[str, list[Row]] = {}
    language, own = row.file.known_language, row.file.path
    declared = {each.name for each in rows_of(row.file) if each.container == row.qualified_name}
    for each in rows_of_container(tree, row.qualified_name):
        file = each.file
        if file.path != own and file.known_language == language and each.name not in declared:
            found.setdefault(file.path, []).append(each)
    types = [each.row for each in find_meant(tree, row.qualified_name) if each.qualified_name == row.qualified_name]
    parts = other_parts(tree, row, types)
    in_parts = [each for part in parts for each in (part, *members_of_part(part, row.qualified_name))]
    rivals = {each.file.path for each in types if KINDS[each.kind].quality == 0}
    mine = [rows for path, rows in sorted(found.items()) if path not in rivals and _nearest(path, rivals) == own]
    return [*in_parts, *(each for rows in mine for each in rows)]


def _nearest(path: str, owners: set[str]) -> str:
    """Which of some files stands nearest to another."""

    def n_shared(owner: str) -> int:
        pairs = zip(path.split("/")[:-1], owner.split("/")[:-1], strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    return max(sorted(owners), key=n_shared, default="")


def _that_fit(rows: list[Row], names: list[str], room: _Room, beside: str) -> list[SymbolLine]:
    """Those that there is room for, in their order: rather all by their names than some with their signatures, and rather what is
    used from outside."""
    lines = [_line(row, name=name) for row, name in zip(rows, names, strict=True)]
    for signatures in (True, False):
        for line in lines:
            line.signature = line.signature if signatures else ""
        costs = [_cost(line, beside) for line in lines]
        if room.has(sum(costs)):
            room.take(sum(costs))
            return lines
    shown = set()
    for number in sorted(range(len(lines)), key=lambda number: (rows[number].flags & SymbolFlag.PRIVATE, number)):
        if not room.has(costs[number]):
            break
        room.take(costs[number])
        shown.add(number)
    return [line for number, line in enumerate(lines) if number in shown]


class _Code:
    """Lines of a file that fit. first, last: 1-based; cut: whether the last one is shown in part."""

    def __init__(self, text: list[str], wanted: tuple[int, int], room: int | None) -> None:
        self._lines = text
        self.first, self._end = wanted[0], min(wanted[1], len(text))
        self.last, self.tokens, self.cut = self.first - 1, 0, ""
        for number in range(self.first, self._end + 1):
            cost = estimate_tokens(text[number - 1]) + 1 if room is not None else 0
            if room is not None and self.tokens + cost > room:
                if number == self.first:
                    self.cut = cut_to_tokens(text[number - 1], max(room, LEAST_TOKENS))
                    self.last, self.tokens = number, estimate_tokens(self.cut)
                    self.cut = "" if self.cut == text[number - 1] else self.cut
                break
            self.last, self.tokens = number, self.tokens + cost

    def shorten(self, before: int) -> None:
        """To the lines before one, but for the first, and without empty lines at the end."""
        if self.cut:
            return
        self.last = max(self.first, min(self.last, before - 1))
        while self.last > self.first and not self._lines[self.last - 1].strip():
            self.last -= 1
        self.tokens = sum(estimate_tokens(line) + 1 for line in self._lines[self.first - 1 : self.last])

    @property
    def text(self) -> str:
        """What is shown."""
        return self.cut or "\n".join(self._lines[self.first - 1 : max(0, self.last)])

    @property
    def is_whole(self) -> bool:
        """Whether that is all."""
        return self.last >= self._end and not self.cut

    @property
    def more(self) -> str:
        """The lines that are left."""
        return f"{self.last + 1}-{self._end}" if self.last < self._end else ""
