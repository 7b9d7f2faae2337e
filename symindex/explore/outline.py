"""Outlines: the symbols of a file, a folder, or the files that a glob matches, as a tree that fits
a budget of tokens.

The tree is opened level by level while there is room, small parts before large ones. So the largest
parts stay closed and show a count of their content. The cost of a row is that of its Markdown
(`render/outline`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from posixpath import commonpath
from typing import Final, Literal, NamedTuple

import msgspec

from symindex.cancellation import check_wanted
from symindex.errors import RequestError, one_of
from symindex.explore.chosen_paths import choose_paths, given_paths
from symindex.explore.missing import nothing_there, skip_of, told_of, why_no_symbols
from symindex.explore.nest import Nested, count_below, nest_file
from symindex.files.skips import SkipReason
from symindex.index.broken_files import tell_broken
from symindex.protocol.explore import OutlineItem, OutlineRequest, OutlineResponse
from symindex.protocol.kinds import KINDS, expand_kinds
from symindex.protocol.search import add_notices
from symindex.requests import check_limit
from symindex.resolve.tree import (
    IndexedFile,
    Row,
    Tree,
    count_symbols,
    files_like,
    find_file,
    indexed_files,
    is_glob,
)
from symindex.text.token_budget import best_that_fit, estimate_tokens

MOST_LEVELS: Final = 100
"""Most levels that are opened: readers of JSON have limits of their own."""

_NO_LIMIT: Final = 10**9

_SUFFIX_TOKENS: Final = 10
"""Tokens of the count in a closed row."""


class _Choice(msgspec.Struct, frozen=True):
    """Which symbols a request selects. kinds: KindRow.code of those that are shown, `None` for all.
    count: returns the number of selected symbols in a file."""

    kinds: frozenset[int] | None
    with_signatures: bool
    count: Callable[[IndexedFile], int]

    def includes(self, nested: Nested) -> bool:
        """Whether a symbol is of a selected kind."""
        return self.kinds is None or KINDS[nested.row.kind].code in self.kinds


@dataclass(eq=False)
class _Node:
    """A row that may be opened.

    Attributes:
        text: approximately its Markdown.
        rank: sort key if not all rows of a level fit, smaller first.
        n_own: 1 if the row itself counts as shown.
        n_below: selected symbols or files below it.
        children: makes the rows of the next level.
        row: of a symbol.
    """

    item: OutlineItem
    text: str
    rank: tuple[int, ...]
    n_own: int
    n_below: int
    children: "Callable[[], list[_Node]]"
    row: Row | None = None

    def hide(self, count: int) -> None:
        """Records how many selected symbols or files below the row are not shown."""
        self.item.hidden = count
        if self.row is not None:
            self.item.id = self.row.id


def outline(tree: Tree, request: OutlineRequest) -> OutlineResponse:
    """Answers a request. Raises RequestError for a path that does not exist or is not valid."""
    check_limit("depth", request.depth)
    check_limit("max_tokens", request.max_tokens)
    for word in request.include or ():
        if word != "signature":
            raise one_of("include field", word, ["signature"])
    kinds = expand_kinds(request.kinds) if request.kinds else None
    choice = _Choice(kinds, bool(request.include), count_symbols(tree, kinds))
    path, files, meant, notices = _resolve(tree, request.path)
    # Matches of a glob are shown below the root.
    root = (
        _file_node(files[0], choice)
        if meant == "file"
        else _folder_node(path if meant == "folder" else "", files, choice)
    )
    is_below = meant == "glob" and bool(
        commonpath([file.path.rpartition("/")[0] for file in files])
    )
    # A folder that alone contains all matches of a glob is not a level.
    depth = min((request.depth or MOST_LEVELS) + is_below, MOST_LEVELS)
    hidden = _open(root, request.max_tokens or _NO_LIMIT, depth)
    response = OutlineResponse(
        request=request,
        path=path,
        files=root.item.files or len(files),
        symbols=root.item.symbols,
        hidden=hidden,
        omitted=root.item.omitted,
        items=root.item.items,
    )
    add_notices(response, notices)
    add_notices(
        response,
        tell_broken(
            (file.known for file in files if file.is_broken),
            files[0].path if meant == "file" else "",
        ),
    )
    if not response.symbols:
        add_notices(response, [why_no_symbols(files, request.kinds or [])])
    return response


class _Target(NamedTuple):
    """The target of a request's path: the path as it is shown, its files, its kind, and notices
    about it."""

    path: str
    files: list[IndexedFile]
    kind: Literal["file", "folder", "glob"]
    notices: Sequence[str] = ()


def _resolve(tree: Tree, given: str | Sequence[str]) -> _Target:
    """Finds the target of a request's path. Raises RequestError if there is none."""
    shown = given_paths(tree, given) or [""]
    path = ", ".join(shown)
    files = [file for file in indexed_files(tree) if file.known_language]
    if len(shown) == 1 and not path.startswith("!"):
        file = find_file(tree, path)
        if file is not None:
            if file.known.skip == SkipReason.UNREADABLE:
                raise RequestError(told_of(path, skip_of(file)))
            return _Target(path, [_with_headings(tree, file)], "file")
        below = [file for file in files if file.path.startswith(f"{path}/")] if path else files
        if below:
            return _Target(path, below, "folder")
        alike = files_like(tree, path) if path and not is_glob(path) else []
        if len(alike) == 1:
            return _Target(alike[0].path, [_with_headings(tree, alike[0])], "file")
        if not is_glob(path):
            raise nothing_there(tree, path)
    chosen = choose_paths(tree, shown, [file.path for file in files])
    matching = [_with_headings(tree, file) for file in files if chosen.keeps(file.path)]
    if not matching:
        raise nothing_there(tree, path if len(shown) == 1 else next(iter(chosen.unmatched), path))
    return _Target(path, matching, "glob", chosen.notices)


def _with_headings(tree: Tree, file: IndexedFile) -> IndexedFile:
    """Returns a file as its sections and items if it defines no symbols."""
    return file if file.n_symbols else find_file(tree.documents, file.path) or file


def _open(root: _Node, room: int, depth: int) -> int:
    """Opens a tree level by level while there is room, in tokens. Returns how many selected symbols
    or files stay hidden."""
    level = [root]
    hidden = number = 0
    one_way = True
    while level and number < depth:
        following: list[_Node] = []
        one_way = one_way and len(level) == 1
        for node in sorted(level, key=lambda node: node.n_below):
            check_wanted()
            children = node.children() if node.n_below and room > 0 else []
            costs = [_cost(child, number) for child in children]
            free = room + _SUFFIX_TOKENS * bool(number)
            # If each level so far had one node, some of its rows are better than none.
            is_opened = one_way or sum(costs) <= free
            chosen = (
                best_that_fit(costs, [child.rank for child in children], free, at_least=1)
                if is_opened
                else []
            )
            room -= sum(costs[index] for index in chosen)
            opened = [children[index] for index in chosen]
            node.item.items = [child.item for child in opened]
            left_out = node.n_below - sum(child.n_own + child.n_below for child in opened)
            if left_out:
                node.hide(left_out)
                node.item.omitted = len(children) - len(opened) if opened else 0
                hidden += left_out
            elif number and node.n_below:
                room += _SUFFIX_TOKENS
            following.extend(opened)
        level, number = following, number + 1
    for node in level:
        if node.n_below:
            node.hide(node.n_below)
            hidden += node.n_below
    return hidden


def _cost(node: _Node, level: int) -> int:
    """Returns the cost of a closed row, in tokens."""
    return estimate_tokens(f"{'  ' * level}- {node.text}\n") + _SUFFIX_TOKENS * bool(node.n_below)


def _symbol_nodes(symbols: Sequence[Nested], choice: _Choice) -> list[_Node]:
    """Returns the rows of symbols that are selected or contain selected ones."""
    return [_symbol_node(item, choice) for item in symbols if item.n_below or choice.includes(item)]


def _symbol_node(nested: Nested, choice: _Choice) -> _Node:
    row = nested.row
    line, end_line = row.lines
    word = row.kind_word
    signature = row.index.signature(row.number) if choice.with_signatures else ""
    return _Node(
        OutlineItem(
            name=nested.name,
            kind=word,
            line=line,
            end_line=end_line,
            signature=signature,
            symbols=nested.n_below,
        ),
        text=f"{line}-{end_line} {word} `{signature or nested.name}`",
        rank=nested.rank,
        n_own=int(choice.includes(nested)),
        n_below=nested.n_below,
        children=lambda: _symbol_nodes(nested.members, choice),
        row=row,
    )


def _file_node(file: IndexedFile, choice: _Choice, above: str = "") -> _Node:
    def symbols() -> list[_Node]:
        nested = nest_file(file)
        count_below(nested, choice.kinds)
        return _symbol_nodes(nested, choice)

    n_symbols = choice.count(file)
    item = OutlineItem(name=file.path, kind="file", language=file.known_language, symbols=n_symbols)
    return _Node(
        item,
        f"`{file.path[len(above) :]}`",
        rank=(1,),
        n_own=1,
        n_below=n_symbols,
        children=symbols,
    )


def _folder_node(
    path: str, files: Sequence[IndexedFile], choice: _Choice, above: str = ""
) -> _Node:
    if choice.kinds is not None:
        files = [file for file in files if choice.count(file)]

    def inner() -> list[_Node]:
        prefix = f"{path}/" if path else ""
        by_name: dict[str, list[IndexedFile]] = {}
        for file in files:
            by_name.setdefault(file.path[len(prefix) :].partition("/")[0], []).append(file)
        return [
            _file_node(inside[0], choice, prefix)
            if inside[0].path == prefix + name
            # The innermost folder that contains them all: rows for the folders above would tell
            # nothing.
            else _folder_node(
                commonpath([file.path.rpartition("/")[0] for file in inside]),
                inside,
                choice,
                prefix,
            )
            for name, inside in by_name.items()
        ]

    symbols = sum(map(choice.count, files))
    item = OutlineItem(name=path, kind="folder", files=len(files), symbols=symbols)
    return _Node(
        item,
        f"`{path[len(above) :]}/`",
        rank=(0,),
        n_own=0,
        n_below=len(files) + symbols,
        children=inner,
    )
