"""Outlines: what is defined in a file, a folder, or the files that a glob matches, as a tree that fits into what a reader has.

The tree is opened level by level while there is room, small parts before large ones: so the largest stay closed, and say how much
is in them. A row costs what it costs as Markdown (`render/outline`).
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal, Protocol

import msgspec

from symindex.errors import one_of
from symindex.explore.missing import nothing_there, why_no_symbols
from symindex.explore.nest import Nested, count_below, nest_file
from symindex.explore.tree import IndexedFile, Tree, count_symbols, files_like, find_file, indexed_files, is_glob, shown_path
from symindex.protocol import KINDS, OutlineItem, OutlineRequest, OutlineResponse, add_notices, check_limit, expand_kinds
from symindex.search.filters import path_filter
from symindex.text.token_budget import estimate_tokens
from symindex.workers.cancellation import check_wanted

MOST_LEVELS: Final = 100
"""No tree is opened further, whatever its depth: readers of JSON end somewhere, too."""

_NO_LIMIT: Final = 10**9

_SUFFIX_TOKENS: Final = 10
"""What a closed row says of what is in it."""


class _Choice(msgspec.Struct, frozen=True):
    """What is wanted of each file. kinds: KindRow.code of what is shown, `None` for all. count: of a file, how many there are."""

    kinds: frozenset[int] | None
    with_signatures: bool
    count: Callable[[IndexedFile], int]


class _Node(Protocol):
    """A row in the making.

    rank: what is shown first where not all of a level fit, smaller first. n_own: 1 if it counts as shown, n_below: how many that
    count are below it. text: about what is written of it.
    """

    item: OutlineItem
    rank: tuple[int, ...]
    n_own: int
    n_below: int
    text: str

    def children(self) -> "Sequence[_Node]":
        """The rows of the next level."""

    def close(self) -> None:
        """Something in it is not shown."""


def outline(tree: Tree, request: OutlineRequest) -> OutlineResponse:
    """The answer to a request. Raises RequestError for what is not there, or cannot be."""
    check_limit("depth", request.depth)
    check_limit("max_tokens", request.max_tokens)
    for word in request.include or ():
        if word != "signature":
            raise one_of("include field", word, ["signature"])
    kinds = expand_kinds(request.kinds) if request.kinds else None
    choice = _Choice(kinds, bool(request.include), count_symbols(tree, kinds))
    path, files, meant = _resolve(tree, shown_path(tree, request.path))
    # What a glob matches is shown from the root on.
    root: _Node = (
        _FileNode(files[0], choice) if meant == "file" else _FolderNode(path if meant == "folder" else "", files, choice)
    )
    hidden = _open(root, request.max_tokens or _NO_LIMIT, min(request.depth or MOST_LEVELS, MOST_LEVELS))
    symbols = root.item.symbols
    response = OutlineResponse(
        request=request,
        path=path,
        files=root.item.files or len(files),
        symbols=symbols,
        hidden=hidden,
        omitted=root.item.omitted,
        items=root.item.items,
    )
    if not symbols:
        add_notices(response, [why_no_symbols(files, request.kinds or [])])
    return response


def _resolve(tree: Tree, path: str) -> tuple[str, list[IndexedFile], Literal["file", "folder", "glob"]]:
    """The path that is meant, its files, and what it is. Raises RequestError where it is nothing."""
    file = find_file(tree, path)
    if file is not None:
        return path, [file], "file"
    known = [file for file in indexed_files(tree) if file.known_language]
    below = [file for file in known if file.path.startswith(f"{path}/")] if path else known
    if below:
        return path, below, "folder"
    if is_glob(path):
        lets_through = path_filter([path])
        matching = [file for file in known if lets_through(file.path)]
        if matching:
            return path, matching, "glob"
    alike = files_like(tree, path) if path else []
    if len(alike) == 1:
        return alike[0].path, alike, "file"
    raise nothing_there(tree, path)


def _open(root: _Node, room: int, depth: int) -> int:
    """Opens a tree level by level while there is room, in tokens; returns how many of what counts stay hidden."""
    level: list[_Node] = [root]
    hidden = number = 0
    one_way = True
    while level and number < depth:
        following: list[_Node] = []
        one_way = one_way and len(level) == 1
        for node in sorted(level, key=lambda node: node.n_below):
            check_wanted()
            children = list(node.children()) if node.n_below and room > 0 else []
            costs = [_cost(child, number) for child in children]
            # Where there is but one way to go, rather some of it than nothing.
            chosen = _that_fit(children, costs, room + _SUFFIX_TOKENS * bool(number), at_least_some=one_way)
            room -= sum(costs[at] for at in chosen)
            kept = [children[at] for at in chosen]
            node.item.items = [child.item for child in kept]
            left_out = node.n_below - sum(child.n_own + child.n_below for child in kept)
            if left_out:
                node.item.hidden = left_out
                node.item.omitted = len(children) - len(kept) if kept else 0
                node.close()
                hidden += left_out
            elif number and node.n_below:
                room += _SUFFIX_TOKENS
            following.extend(kept)
        level, number = following, number + 1
    for node in level:
        if node.n_below:
            node.item.hidden = node.n_below
            node.close()
            hidden += node.n_below
    return hidden


def _that_fit(children: list[_Node], costs: list[int], room: int, at_least_some: bool) -> list[int]:
    """All, if they fit; else none, or the best of them; by their numbers."""
    if sum(costs) <= room:
        return list(range(len(children)))
    if not at_least_some:
        return []
    chosen: list[int] = []
    for number in sorted(range(len(children)), key=lambda number: (children[number].rank, number)):
        if chosen and costs[number] > room:
            break
        room -= costs[number]
        chosen.append(number)
    return sorted(chosen)


def _cost(node: _Node, level: int) -> int:
    """What a row costs, closed."""
    return estimate_tokens(f"{'  ' * level}- {node.text}\n") + _SUFFIX_TOKENS * bool(node.n_below)


class _SymbolNode:
    n_own: int

    def __init__(self, nested: Nested, choice: _Choice) -> None:
        self._nested, self._choice = nested, choice
        self.n_own = int(_counts(nested, choice))
        self.n_below = nested.n_below
        self.rank: tuple[int, ...] = nested.rank
        self.item = OutlineItem(
            name=nested.name,
            kind=nested.kind,
            line=nested.line,
            end_line=nested.end_line,
            signature=nested.row.index.signature(nested.row.number) if choice.with_signatures else "",
            symbols=self.n_below,
        )
        self.text = f"{nested.line}-{nested.end_line} {nested.kind} `{self.item.signature or nested.name}`"

    def children(self) -> Sequence[_Node]:
        return _symbol_nodes(self._nested.members, self._choice)

    def close(self) -> None:
        self.item.id = self._nested.row.id


def _symbol_nodes(nested: Sequence[Nested], choice: _Choice) -> list[_Node]:
    """Of those that are chosen, or in which something is."""
    return [_SymbolNode(each, choice) for each in nested if each.n_below or _counts(each, choice)]


def _counts(nested: Nested, choice: _Choice) -> bool:
    return choice.kinds is None or KINDS[nested.kind].code in choice.kinds


class _FileNode:
    n_own = 1

    def __init__(self, file: IndexedFile, choice: _Choice, above: str = "") -> None:
        self._file, self._choice = file, choice
        self.n_below = choice.count(file)
        self.rank: tuple[int, ...] = (1,)
        self.item = OutlineItem(name=file.path, kind="file", language=file.known_language, symbols=self.n_below)
        self.text = f"`{file.path[len(above) :]}`"

    def children(self) -> Sequence[_Node]:
        nested = nest_file(self._file)
        count_below(nested, self._choice.kinds)
        return _symbol_nodes(nested, self._choice)

    def close(self) -> None:
        pass


class _FolderNode:
    n_own = 0

    def __init__(self, path: str, files: Sequence[IndexedFile], choice: _Choice, above: str = "") -> None:
        if choice.kinds is not None:
            files = [file for file in files if choice.count(file)]
        self._path, self._files, self._choice = path, files, choice
        self.rank: tuple[int, ...] = (0,)
        symbols = sum(map(choice.count, files))
        self.n_below = len(files) + symbols
        self.item = OutlineItem(name=path, kind="folder", files=len(files), symbols=symbols)
        self.text = f"`{path[len(above) :]}/`"

    def children(self) -> Sequence[_Node]:
        prefix = f"{self._path}/" if self._path else ""
        inner: dict[str, list[IndexedFile]] = {}
        for file in self._files:
            inner.setdefault(file.path[len(prefix) :].partition("/")[0], []).append(file)
        nodes: list[_Node] = []
        for name, files in inner.items():
            path = prefix + name
            if files[0].path == path:
                nodes.append(_FileNode(files[0], self._choice, prefix))
            else:
                nodes.append(_FolderNode(_only_way(path, files), files, self._choice, prefix))
        return nodes

    def close(self) -> None:
        pass


def _only_way(path: str, files: Sequence[IndexedFile]) -> str:
    """The innermost folder that holds all the files of a folder: a row for each on the way to it would say nothing."""
    parts = [file.path.split("/")[:-1] for file in files]
    count = path.count("/") + 1
    while all(len(each) > count and each[count] == parts[0][count] for each in parts):
        count += 1
    return "/".join(parts[0][:count])
