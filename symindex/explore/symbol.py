"""One symbol in detail: its signature, doc, code, what it stands in and what stands in it.

`max_tokens` is for all of it. The code has it first. A type that is too long shows its first lines
and its members instead, a section its own text and the sections in it; what is left out is given as
the lines to ask for.
"""

from collections.abc import Sequence
from contextlib import suppress
from posixpath import commonprefix
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from symindex.errors import RequestError
from symindex.explore.chosen_paths import choose_paths
from symindex.explore.code_lines import LEAST_TOKENS, CodeLines, around_line
from symindex.explore.nest import Nested, all_below, nest_file
from symindex.explore.resolve.lines import line_of
from symindex.explore.resolve.names import LESS_LIKELY, symbols_named
from symindex.explore.resolve.targets import Target, find_target
from symindex.explore.resolve.type_parts import members_of_part, other_parts
from symindex.explore.text_range import parse_lines, range_of, show_range
from symindex.explore.tree import Row, Tree, indexed_files, read_text, rows_of, rows_of_container
from symindex.index.broken_files import tell_broken
from symindex.protocol.explore import (
    LastCommit,
    SymbolDetail,
    SymbolLine,
    SymbolRequest,
    SymbolResponse,
)
from symindex.protocol.kinds import CALLABLE_KINDS, KINDS, SymbolFlag, SymbolKind, words_of_flags
from symindex.protocol.search import Range, add_notices
from symindex.requests import check_limit
from symindex.text.counts import count_of
from symindex.text.token_budget import best_that_fit, cut_to_tokens, estimate_tokens

OUT_OF_DATE: Final = (
    "has changed since it was indexed: what follows is what the index knows; ask again in a moment"
)
"""What a notice says of a file, behind its path."""

SHOWN_OTHERS: Final = 20
"""How many symbols are listed where several may be meant."""

SHOWN_BESIDE: Final = 5
"""How many others are listed where one is meant."""

MOST_CANDIDATES: Final = 3
SHORT: Final = 25
"""So many symbols of so many lines are shown whole where any may be meant."""

HEAD_LINES: Final = 12
"""How many lines are shown of what is too long and has members, which are listed."""

_DOC_SHARE: Final = 4
"""A doc gets a quarter of the tokens at most, and so do other symbols of the same name."""

_HEADER_TOKENS: Final = 60
"""What the first lines and the hints of an answer cost besides its id."""

_NO_LIMIT: Final = 10**9

_Named = list[tuple[Row, str]]
"""Symbols with the names that they are listed by."""


def symbol(tree: Tree, request: SymbolRequest, most_bytes: int) -> SymbolResponse:
    """The answer to a request. most_bytes: no larger file is read. Raises RequestError for what is
    not there, or cannot be."""
    check_limit("max_tokens", request.max_tokens)
    place = range_of(request)
    refused: RequestError | None = None
    if place is None or place[-1]:
        try:
            found, target = _find(tree, request.symbol, most_bytes)
            if target.rows or place is None:
                return show_target(found, _narrowed(tree, target, request), request, most_bytes)
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
    found, target = _find(tree, request.symbol, most_bytes)
    return show_target(found, _narrowed(tree, target, request), request, most_bytes)


def _narrowed(tree: Tree, target: Target, request: SymbolRequest) -> Target:
    """A target with the symbols alone that lie where the request says."""
    if request.path is UNSET or not request.path:
        return target
    chosen = choose_paths(tree, request.path, [file.path for file in indexed_files(tree)])
    rows = [row for row in target.rows if chosen.keeps(row.file.path)]
    if not rows and target.rows:
        elsewhere = ", ".join(dict.fromkeys(row.file.path for row in target.rows[:SHOWN_BESIDE]))
        return Target(
            [],
            False,
            [],
            [f"nothing in {', '.join(chosen.shown)} has this name; elsewhere: {elsewhere}"],
        )
    return target._replace(
        rows=rows, is_sure=(target.is_sure and rows[:1] == target.rows[:1]) or len(rows) == 1
    )


def show_target(
    tree: Tree, target: Target, request: SymbolRequest, most_bytes: int
) -> SymbolResponse:
    """The same where it is known what the request means."""
    lines = parse_lines(request.lines) if request.lines is not None else None
    response = SymbolResponse(request=request, symbol=None, others=[], total=len(target.rows))
    notices = list(target.notices)
    room = request.max_tokens or _NO_LIMIT
    if target.is_sure:
        if lines is None and not target.focus:
            response.others = _others(target.rows[1:], SHOWN_BESIDE, room // _DOC_SHARE)
            room = max(0, room - sum(map(_cost, response.others)))
        response.symbol = _detail(
            tree, target.rows[0], request, lines, most_bytes, room, notices, target.focus
        )
        if request.history:
            response.symbol.last_commit = _last_commit(tree, target.rows[0], most_bytes, notices)
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
            one = msgspec.structs.replace(request, max_tokens=share, siblings=False)
            response.candidates = [
                _detail(tree, row, one, None, most_bytes, share or _NO_LIMIT, notices)
                for row in likely
            ]
        response.others = _others(likely, SHOWN_OTHERS, room)
    shown = target.rows if target.is_sure or response.candidates is not UNSET else []
    files = {
        row.file.path: row.file.known
        for row in shown[: 1 if target.is_sure else None]
        if row.flags & _CUT
    }
    add_notices(
        response, [*notices, *tell_broken(files.values(), *([] if len(files) > 1 else files))]
    )
    return response


_CUT: Final = SymbolFlag.BROKEN | SymbolFlag.CONFLICTED


def _find(tree: Tree, text: str, most_bytes: int) -> tuple[Tree, Target]:
    """What a text means: a symbol, or else a section or an item; and the tree that holds it. Raises
    as `find_target`."""
    refused: RequestError | None = None
    target = Target([], False)
    try:
        target = find_target(tree, text, most_bytes)
    except RequestError as error:
        refused = error
    if not target.rows and tree.snapshot.documents.n_symbols:
        with suppress(RequestError):
            described = find_target(tree.documents, text, most_bytes)
            if described.rows:
                return tree.documents, described
    if refused is not None:
        raise refused
    return tree, target


def _others(rows: Sequence[Row], most: int, room: int) -> list[SymbolLine]:
    """The first of some symbols, as many as fit, but at least one."""
    lines = [line_of(row, id=row.id) for row in rows[:most]]
    return [
        lines[number]
        for number in best_that_fit([*map(_cost, lines)], [0] * len(lines), room, at_least=1)
    ]


def _cost(line: SymbolLine, beside: str = "") -> int:
    """What a row of a list costs as Markdown (`render/symbol`), about. beside: the file that needs
    no path there."""
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
    room: int,
    notices: list[str],
    focus: int = 0,
) -> SymbolDetail:
    file, own = row.file, row.lines
    text = _text(tree, row, most_bytes, notices)
    if lines is not None and lines[0] > len(text) and text:
        raise RequestError(
            f"lines {request.lines}: {file.path} has {count_of(len(text), 'line')}; the symbol is"
            f" {own[0]}-{own[1]}"
        )
    nested = next(
        (each for each in all_below(nest_file(file, with_locals=True)) if each.row == row),
        Nested(row, row.name),
    )
    room = max(0, room - _HEADER_TOKENS - 2 * estimate_tokens(row.id))
    doc = _doc(row, room) if lines is None else ""
    members = _members(tree, nested) if lines is None else []
    room = max(0, room - estimate_tokens(doc))
    most = room if request.max_tokens is not None else None
    head = ""
    if (
        focus
        and lines is None
        and text
        and (around := around_line(text, own, focus, most)) is not None
    ):
        doc, (head, lines) = "", around
    code = _that_fits(nested, text, lines, most, bool(members))
    if code.is_cut:
        notices.append(f"line {code.last} is cut: it has {len(text[code.last - 1]):,} characters")
    if not request.code and lines is None:
        code = CodeLines([], (own[0], own[0] - 1), most)
    room = max(0, room - code.tokens)
    if code.is_whole and text and request.code:  # which shows the others
        members = [
            (each, name)
            for each, name in members
            if each.file.path != file.path or not own[0] <= each.line <= own[1]
        ]
    shown_members, cost = _that_fit(members, room, file.path)
    beside = (
        (nested.parent.members if nested.parent is not None else nest_file(file))
        if request.siblings
        else []
    )
    siblings = [(each.row, each.name) for each in beside if each.row != row]
    shown_siblings, _ = _that_fit(siblings, room - cost, file.path)
    return SymbolDetail(
        id=row.id,
        name=row.name,
        kind=row.kind_word,
        language=file.known_language,
        file_path=file.path,
        line=row.line,
        range=Range(start_line=own[0], end_line=own[1]),
        container=row.container or None,
        container_chain=_chain(nested),
        signature=row.index.signature(row.number),
        doc=doc,
        flags=words_of_flags(row.flags),
        code="\n".join(code.shown),
        code_start_line=code.first,
        code_end_line=code.last,
        is_whole=code.is_whole and request.code and (lines is None or lines == own),
        more_lines=code.more,
        members=shown_members,
        hidden_members=len(members) - len(shown_members),
        siblings=shown_siblings,
        hidden_siblings=len(siblings) - len(shown_siblings),
        focus=focus,
        head=head,
    )


def _last_commit(
    tree: Tree, row: Row, most_bytes: int, notices: list[str]
) -> LastCommit | UnsetType:
    """The commit that last touched a symbol; what there is instead of one becomes a notice."""
    from symindex.explore.changes.last_commit import (
        last_commit,
    )  # here, because few requests ask for it

    try:
        found = last_commit(tree, row, most_bytes)
    except RequestError as error:
        notices.append(f"the last commit is not known: {error}")
        return UNSET
    if found is None:
        notices.append("no commit holds it as it is now")
        return UNSET
    return found


def _doc(row: Row, room: int) -> str:
    """A symbol's doc, cut to its share of the tokens."""
    doc = row.index.doc(row.number)
    if estimate_tokens(doc) <= (share := room // _DOC_SHARE):
        return doc
    return cut_to_tokens(doc, max(share, LEAST_TOKENS)).rstrip() + " ..."


def _that_fits(
    nested: Nested,
    text: list[str],
    lines: tuple[int, int] | None,
    room: int | None,
    has_members: bool,
) -> CodeLines:
    """What is shown of a symbol's lines, or of others of its file."""
    row, own = nested.row, nested.row.lines
    code = CodeLines(text, lines or own, room)
    is_prose = row.kind in (SymbolKind.SECTION, SymbolKind.ITEM)
    if has_members and not code.is_whole and row.kind not in CALLABLE_KINDS:
        if is_prose and room is not None:
            code = CodeLines(
                text, own, room * 2 // 3
            )  # the rest is for the list of the sections in it
        head = own[1] + 1 if is_prose else own[0] + HEAD_LINES
        code.shorten(
            min(
                [head, *(first for each in nested.members if (first := each.row.lines[0]) > own[0])]
            )
        )
    if is_prose:
        code.end_at_paragraph(text)
    return code


def _chain(nested: Nested) -> list[SymbolLine]:
    """What a symbol stands in, outermost first."""
    chain: list[SymbolLine] = []
    while nested.parent is not None:
        nested = nested.parent
        chain.insert(0, line_of(nested.row))
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
        notices.append(f"{file.path} {OUT_OF_DATE}")
        return []  # its lines may stand elsewhere by now
    return text.lines


def _members(tree: Tree, nested: Nested) -> _Named:
    """What stands in a symbol, and what belongs to it and stands elsewhere."""
    inside = {each.row: each.name for each in nested.members}
    return [
        *inside.items(),
        *((each, each.name) for each in _elsewhere(tree, nested.row) if each not in inside),
    ]


def _elsewhere(tree: Tree, row: Row) -> list[Row]:
    """What belongs to a type and stands elsewhere: its other parts, with their members; and members
    in other files of its language. Of these, none that its own file declares as well, and none of a
    file that defines another type of that name or is nearer to one."""
    if KINDS[row.kind].quality or row.flags & SymbolFlag.LOCAL:
        return []
    found: dict[str, list[Row]] = {}
    language, own = row.file.known_language, row.file.path
    declared = {each.name for each in rows_of(row.file) if each.container == row.qualified_name}
    for each in rows_of_container(tree, row.qualified_name):
        file = each.file
        if file.path != own and file.known_language == language and each.name not in declared:
            found.setdefault(file.path, []).append(each)
    types = [
        each.row
        for each in symbols_named(tree, row.qualified_name)
        if each.qualified_name == row.qualified_name
    ]
    parts = other_parts(tree, row, types)
    in_parts = [
        each for part in parts for each in (part, *members_of_part(part, row.qualified_name))
    ]
    rivals = {each.file.path for each in types if KINDS[each.kind].quality == 0}
    mine = [
        rows
        for path, rows in sorted(found.items())
        if path not in rivals and _nearest(path, rivals) == own
    ]
    return [*in_parts, *(each for rows in mine for each in rows)]


def _nearest(path: str, owners: set[str]) -> str:
    """The file, of some, that shares the most folders with another."""
    folders = path.split("/")[:-1]
    return max(
        sorted(owners),
        key=lambda owner: len(commonprefix([folders, owner.split("/")[:-1]])),
        default="",
    )


def _that_fit(symbols: _Named, room: int, beside: str) -> tuple[list[SymbolLine], int]:
    """The lines of those that there is room for, in their order, and what they cost: with
    signatures if all fit so, else by their names; private ones are left out first. beside: as of
    `_cost`."""
    lines = [line_of(row, name) for row, name in symbols]
    costs = [_cost(line, beside) for line in lines]
    if sum(costs) > room:
        for line in lines:
            line.signature = ""
        costs = [_cost(line, beside) for line in lines]
    chosen = best_that_fit(costs, [row.flags & SymbolFlag.PRIVATE for row, _ in symbols], room)
    return [lines[number] for number in chosen], sum(costs[number] for number in chosen)
