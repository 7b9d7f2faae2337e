"""One symbol in detail: its signature, doc, code, container and members.

`max_tokens` limits the whole answer. Code comes first. A type that is too long shows its first
lines and a list of its members instead; a section shows its own text and a list of the sections in
it. Lines that are left out are given as a range to request.
"""

from contextlib import suppress
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from symindex.errors import RequestError
from symindex.explore.chosen_paths import choose_paths
from symindex.explore.code_lines import LEAST_TOKENS, CodeLines, around_line
from symindex.explore.nest import Nested, all_below, nest_file
from symindex.explore.symbol_lists import (
    NamedRows,
    chain_of,
    cost_of,
    members_of,
    others_that_fit,
    rows_that_fit,
)
from symindex.explore.targets.names import LESS_LIKELY
from symindex.explore.targets.target import Target, find_target
from symindex.explore.text_range import parse_lines, range_of, show_range
from symindex.index.broken_files import tell_broken
from symindex.protocol.explore import LastCommit, SymbolDetail, SymbolRequest, SymbolResponse
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag, SymbolKind, words_of_flags
from symindex.protocol.search import Range, add_notices
from symindex.requests import check_limit
from symindex.resolve.tree import Row, Tree, indexed_files, read_text
from symindex.text.counts import count_of
from symindex.text.token_budget import cut_to_tokens, estimate_tokens

OUT_OF_DATE: Final = (
    "has changed since it was indexed: what follows is from the index; ask again in a moment"
)
"""A notice about a file, after its path."""

SHOWN_OTHERS: Final = 20
"""Most symbols that are listed where several may be meant."""

SHOWN_BESIDE: Final = 5
"""Most other symbols that are listed where one is meant."""

MOST_CANDIDATES: Final = 3
"""Most symbols that are shown whole where any of them may be meant."""

SHORT: Final = 25
"""Most lines of each of them."""

HEAD_LINES: Final = 12
"""Lines shown of a symbol that is too long and whose members are listed."""

_DOC_SHARE: Final = 4
"""Divisor of the tokens: a doc gets a quarter at most, and so do other symbols of the same name."""

_HEADER_TOKENS: Final = 60
"""Tokens of the first lines and hints of an answer, besides its id."""

_NO_LIMIT: Final = 10**9

_CUT: Final = SymbolFlag.BROKEN | SymbolFlag.CONFLICTED


def symbol(tree: Tree, request: SymbolRequest, most_bytes: int) -> SymbolResponse:
    """Answers a request. most_bytes: largest file that is read. Raises RequestError for a symbol,
    file or line that does not exist, or is not valid."""
    check_limit("max_tokens", request.max_tokens)
    place = range_of(tree, request)
    refused: RequestError | None = None
    if place is None or place[-1]:
        try:
            found_tree, target = _find(tree, request.symbol, most_bytes)
            if target.rows or place is None:
                return show_target(
                    found_tree, _below_path(tree, target, request), request, most_bytes
                )
        except RequestError as error:
            if place is None:
                raise
            refused = error
    assert place is not None
    shown = show_range(tree, *place, request, most_bytes)
    if shown is None and refused is not None:
        raise refused
    if shown is not None:
        return shown
    found_tree, target = _find(tree, request.symbol, most_bytes)
    return show_target(found_tree, _below_path(tree, target, request), request, most_bytes)


def _below_path(tree: Tree, target: Target, request: SymbolRequest) -> Target:
    """Returns a target with only the symbols below the paths of the request."""
    if request.path is UNSET or not request.path:
        return target
    chosen = choose_paths(tree, request.path, [file.path for file in indexed_files(tree)])
    rows = [row for row in target.rows if chosen.keeps(row.file.path)]
    if not rows and target.rows:
        paths = list(dict.fromkeys(row.file.path for row in target.rows))
        elsewhere = ", ".join(paths[:SHOWN_BESIDE])
        if len(paths) > SHOWN_BESIDE:
            elsewhere += f" and {len(paths) - SHOWN_BESIDE} more files"
        notice = f"nothing in {', '.join(chosen.shown)} has this name; elsewhere: {elsewhere}"
        return Target([], False, [], [notice])
    is_same = target.is_sure and rows[:1] == target.rows[:1]
    return target._replace(rows=rows, is_sure=is_same or len(rows) == 1)


def show_target(
    tree: Tree, target: Target, request: SymbolRequest, most_bytes: int
) -> SymbolResponse:
    """Answers a request whose target is known."""
    lines = parse_lines(request.lines) if request.lines is not None else None
    response = SymbolResponse(request=request, symbol=None, others=[], total=len(target.rows))
    detail = _Details(tree, most_bytes, [*target.notices])
    room = request.max_tokens or _NO_LIMIT
    if target.is_sure:
        row = target.rows[0]
        if lines is None and not target.focus:
            response.others = others_that_fit(target.rows[1:], SHOWN_BESIDE, room // _DOC_SHARE)
            room = max(0, room - sum(map(cost_of, response.others)))
        response.symbol = detail.of(row, request, lines, room, target.focus)
        if request.history:
            response.symbol.last_commit = detail.last_commit(row)
    elif target.suggestions:
        response.suggestions = [*target.suggestions]
    else:
        likely = [row for row in target.rows if not row.flags & LESS_LIKELY] or target.rows
        if (
            lines is None
            and 1 < len(likely) <= MOST_CANDIDATES
            and all(row.lines[1] - row.lines[0] < SHORT for row in likely)
        ):
            share = request.max_tokens and request.max_tokens // len(likely)
            part = msgspec.structs.replace(request, max_tokens=share, siblings=False)
            response.candidates = [detail.of(row, part, None, share or _NO_LIMIT) for row in likely]
        response.others = others_that_fit(likely, SHOWN_OTHERS, room)
    shown = target.rows[: 1 if target.is_sure else None]
    if not target.is_sure and response.candidates is UNSET:
        shown = []
    broken = {row.file.path: row.file.known for row in shown if row.flags & _CUT}
    warnings = tell_broken(broken.values(), *([] if len(broken) > 1 else broken))
    add_notices(response, [*detail.notices, *warnings])
    return response


def _find(tree: Tree, text: str, most_bytes: int) -> tuple[Tree, Target]:
    """Returns the symbol that a text means, or else the section or item, with the tree that
    contains it. Raises as `find_target` does."""
    refused: RequestError | None = None
    target = Target([], False)
    try:
        target = find_target(tree, text, most_bytes)
    except RequestError as error:
        refused = error
    if not target.rows and tree.snapshot.documents.n_symbols:
        with suppress(RequestError):
            in_documents = find_target(tree.documents, text, most_bytes)
            if in_documents.rows:
                return tree.documents, in_documents
    if refused is not None:
        raise refused
    return tree, target


class _Text(NamedTuple):
    """The text of a symbol in an answer.

    Attributes:
        head: its first lines, shown above the lines around a focus.
        lines: the range that is shown; `None` for the whole symbol.
        room: tokens that are left.
    """

    doc: str
    head: str
    lines: tuple[int, int] | None
    code: CodeLines
    room: int


class _Details:
    """Makes the details of symbols, and collects notices."""

    def __init__(self, tree: Tree, most_bytes: int, notices: list[str]) -> None:
        self._tree, self._most_bytes, self.notices = tree, most_bytes, notices

    def of(
        self,
        row: Row,
        request: SymbolRequest,
        lines: tuple[int, int] | None,
        room: int,
        focus: int = 0,
    ) -> SymbolDetail:
        """Returns the detail of a symbol.

        Args:
            lines: a range of its file to show instead of its code.
            room: in tokens.
            focus: a line of the symbol to show if it is too long; 0 for none.
        """
        file, own_lines = row.file, row.lines
        file_lines = self._lines(row)
        nested = next(
            (item for item in all_below(nest_file(file, with_locals=True)) if item.row == row),
            Nested(row, row.name),
        )
        members = members_of(self._tree, nested) if lines is None else []
        text = self._text(nested, file_lines, request, lines, room, focus, bool(members))
        code = text.code
        if code.is_whole and file_lines and request.code:  # the code shows its members
            members = [
                (member, name)
                for member, name in members
                if member.file.path != file.path or not own_lines[0] <= member.line <= own_lines[1]
            ]
        shown_members, cost = rows_that_fit(members, text.room, file.path)
        siblings = _siblings(nested) if request.siblings else []
        shown_siblings, _ = rows_that_fit(siblings, text.room - cost, file.path)
        return SymbolDetail(
            id=row.id,
            name=row.name,
            kind=row.kind_word,
            language=file.known_language,
            file_path=file.path,
            line=row.line,
            range=Range(start_line=own_lines[0], end_line=own_lines[1]),
            container=row.container or None,
            container_chain=chain_of(nested),
            signature=row.index.signature(row.number),
            doc=text.doc,
            flags=words_of_flags(row.flags),
            code="\n".join(code.shown),
            code_start_line=code.first,
            code_end_line=code.last,
            is_whole=code.is_whole and request.code and text.lines in (None, own_lines),
            more_lines=code.more,
            members=shown_members,
            hidden_members=len(members) - len(shown_members),
            siblings=shown_siblings,
            hidden_siblings=len(siblings) - len(shown_siblings),
            focus=focus,
            head=text.head,
        )

    def _text(
        self,
        nested: Nested,
        file_lines: list[str],
        request: SymbolRequest,
        lines: tuple[int, int] | None,
        room: int,
        focus: int,
        has_members: bool,
    ) -> _Text:
        """Returns doc and code of a symbol, as much as fits. Raises RequestError for lines behind
        the end of the file."""
        row, own_lines = nested.row, nested.row.lines
        if lines is not None and lines[0] > len(file_lines) and file_lines:
            raise RequestError(
                f"lines {request.lines}: {row.file.path} has {count_of(len(file_lines), 'line')};"
                f" the symbol is {own_lines[0]}-{own_lines[1]}"
            )
        room = max(0, room - _HEADER_TOKENS - 2 * estimate_tokens(row.id))
        doc, head = _doc(row, room) if lines is None else "", ""
        room = max(0, room - estimate_tokens(doc))
        limit = room if request.max_tokens is not None else None
        if focus and lines is None and file_lines:
            window = around_line(file_lines, own_lines, focus, limit)
            if window is not None:
                doc, (head, lines) = "", window
        code = _code_that_fits(nested, file_lines, lines, limit, has_members)
        if code.is_cut:
            n_characters = len(file_lines[code.last - 1])
            self.notices.append(f"line {code.last} is cut: it has {n_characters:,} characters")
        if not request.code and lines is None:
            code = CodeLines([], (own_lines[0], own_lines[0] - 1), limit)
        return _Text(doc, head, lines, code, max(0, room - code.tokens))

    def _lines(self, row: Row) -> list[str]:
        """Returns the lines of a symbol's file; none if it cannot be read or has changed, as the
        symbol may have moved."""
        file = row.file
        try:
            text = read_text(self._tree, file, self._most_bytes)
        except RequestError as error:
            self.notices.append(f"{error}; what follows is from the index")
            return []
        if text.digest != file.known.digest:
            self.notices.append(f"{file.path} {OUT_OF_DATE}")
            return []
        return text.lines

    def last_commit(self, row: Row) -> LastCommit | UnsetType:
        """Returns the commit that last changed a symbol; adds a notice if there is none."""
        from symindex.explore.changes.last_commit import last_commit  # few requests need it

        try:
            commit = last_commit(self._tree, row, self._most_bytes)
        except RequestError as error:
            self.notices.append(f"the last commit is not known: {error}")
            return UNSET
        if commit is None:
            self.notices.append("no commit contains it as it is now")
            return UNSET
        return commit


def _siblings(nested: Nested) -> NamedRows:
    """Returns the other symbols in the container of a symbol."""
    parent = nested.parent
    beside = parent.members if parent is not None else nest_file(nested.row.file)
    return [(sibling.row, sibling.name) for sibling in beside if sibling.row != nested.row]


def _doc(row: Row, room: int) -> str:
    """Returns a symbol's doc, cut to its share of the tokens."""
    doc = row.index.doc(row.number)
    if estimate_tokens(doc) <= (share := room // _DOC_SHARE):
        return doc
    return cut_to_tokens(doc, max(share, LEAST_TOKENS)).rstrip() + " ..."


def _code_that_fits(
    nested: Nested,
    file_lines: list[str],
    lines: tuple[int, int] | None,
    room: int | None,
    has_members: bool,
) -> CodeLines:
    """Returns the lines of a symbol, or other lines of its file, that fit. If they do not and the
    symbol has members, which are listed, only its first lines."""
    row, own_lines = nested.row, nested.row.lines
    code = CodeLines(file_lines, lines or own_lines, room)
    is_prose = row.kind in (SymbolKind.SECTION, SymbolKind.ITEM)
    if has_members and not code.is_whole and row.kind not in CALLABLE_KINDS:
        if is_prose and room is not None:  # a third is for the list of its sections
            code = CodeLines(file_lines, own_lines, room * 2 // 3)
        end = own_lines[1] + 1 if is_prose else own_lines[0] + HEAD_LINES
        starts = [member.row.lines[0] for member in nested.members]
        code.shorten(min([end, *(start for start in starts if start > own_lines[0])]))
    if is_prose:
        code.end_at_paragraph(file_lines)
    return code
