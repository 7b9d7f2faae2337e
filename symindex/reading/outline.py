"""Outlines: what is defined in a file, a folder, or the files that a glob matches, as a tree that fits into what a reader has.

The tree is opened level by level while there is room, small parts before large ones: so the largest stay closed, and say how much
is in them.
"""

from collections.abc import Sequence
from typing import Final, Protocol

import msgspec

from symindex.errors import RequestError
from symindex.protocol import KINDS, OutlineItem, OutlineRequest, OutlineResponse, check_limit, expand_kinds
from symindex.reading.missing import nothing_there, why_no_symbols
from symindex.reading.nest import Nested, nest_file
from symindex.reading.tree import IndexedFile, Tree, find_file, indexed_files, is_glob, shown_path
from symindex.search.filters import path_filter
from symindex.tokens import estimate_tokens

_ROW_TOKENS: Final = 7
"""What a row costs besides its name and its signature."""

_NO_LIMIT: Final = 10**9


class _Choice(msgspec.Struct, frozen=True):
    """What is wanted of each file. kinds: KindRow.code of what is shown, `None` for all."""

    kinds: frozenset[int] | None
    with_signatures: bool


class _Node(Protocol):
    """A row in the making. rank: what is shown first where not all of a level fit, smaller first. n_below: rows below it."""

    item: OutlineItem
    rank: tuple[int, ...]
    n_below: int

    def children(self) -> "Sequence[_Node]":
        """The rows of the next level."""


def outline(tree: Tree, request: OutlineRequest) -> OutlineResponse:
    """The answer to a request. Raises RequestError for what is not there, or cannot be."""
    check_limit("depth", request.depth)
    check_limit("max_tokens", request.max_tokens)
    for word in request.include or ():
        if word != "signature":
            raise RequestError(f"unknown include field {word!r}: legal in an outline is signature")
    choice = _Choice(expand_kinds(request.kinds) if request.kinds else None, bool(request.include))
    path = shown_path(tree, request.path)
    file = find_file(tree, path)
    files = [file] if file is not None else _files_of(tree, path)
    if not files:
        raise nothing_there(tree, path)
    root: _Node = _FileNode(file, choice) if file is not None else _FolderNode("" if is_glob(path) else path, files, choice)
    hidden = _open(root, request.max_tokens or _NO_LIMIT, request.depth or _NO_LIMIT)
    response = OutlineResponse(
        request=request, path=path, files=len(files), symbols=root.item.symbols, hidden=hidden, items=root.item.items
    )
    if not root.item.items:
        response.notices = [why_no_symbols(tree, files, request.kinds or [])]
    return response


def _files_of(tree: Tree, path: str) -> list[IndexedFile]:
    """The files below a folder, or that a glob matches."""
    files = [file for file in indexed_files(tree) if file.known_language]
    if not path:
        return files
    if is_glob(path):
        lets_through = path_filter([path])
        return [file for file in files if lets_through(file.path)]
    return [file for file in files if file.path.startswith(f"{path}/")]


def _open(root: _Node, room: int, depth: int) -> int:
    """Opens a tree level by level while there is room, in tokens; returns how many rows stay hidden."""
    level: list[_Node] = [root]
    hidden = number = 0
    while level and number < depth:
        following: list[_Node] = []
        for node in sorted(level, key=lambda node: node.n_below):
            children = list(node.children()) if node.n_below and room > _ROW_TOKENS else []
            chosen = _that_fit(children, room, at_least_some=not following and not number)
            room -= sum(map(_cost, chosen))
            node.item.items = [child.item for child in chosen]
            left_out = node.n_below - len(chosen) - sum(child.n_below for child in chosen)
            if node.n_below and left_out:
                node.item.hidden = left_out
                hidden += left_out
            following.extend(chosen)
        level, number = following, number + 1
    for node in level:
        node.item.hidden = node.n_below
        hidden += node.n_below
    return hidden


def _that_fit(children: list[_Node], room: int, at_least_some: bool) -> list[_Node]:
    """All, if they fit; else none, or the best of them."""
    costs = [_cost(child) for child in children]
    if sum(costs) <= room:
        return children
    if not at_least_some:
        return []
    chosen: set[int] = set()
    for number in sorted(range(len(children)), key=lambda number: (children[number].rank, number)):
        if costs[number] > room:
            break
        room -= costs[number]
        chosen.add(number)
    return [child for number, child in enumerate(children) if number in chosen]


def _cost(node: _Node) -> int:
    return _ROW_TOKENS + estimate_tokens(node.item.name) + estimate_tokens(node.item.signature)


class _SymbolNode:
    def __init__(self, nested: Nested, choice: _Choice) -> None:
        self._members: Sequence[_Node] = [_SymbolNode(member, choice) for member in _wanted(nested.members, choice)]
        self.n_below: int = sum(1 + member.n_below for member in self._members)
        self.rank: tuple[int, ...] = nested.rank
        self.item = OutlineItem(
            name=nested.name,
            kind=nested.kind,
            line=nested.line,
            end_line=nested.end_line,
            signature=nested.row.index.signature(nested.row.number) if choice.with_signatures else "",
            symbols=self.n_below,
        )

    def children(self) -> Sequence[_Node]:
        return self._members


def _wanted(nested: Sequence[Nested], choice: _Choice) -> list[Nested]:
    """Those that are chosen, or in which something is."""
    if choice.kinds is None:
        return list(nested)
    return [each for each in nested if KINDS[each.kind].code in choice.kinds or _wanted(each.members, choice)]


class _FileNode:
    def __init__(self, file: IndexedFile, choice: _Choice) -> None:
        self._file, self._choice = file, choice
        self.n_below = file.n_symbols if choice.kinds is None else file.count_kinds(choice.kinds)
        self.rank: tuple[int, ...] = (1,)
        self.item = OutlineItem(name=file.path, kind="file", language=file.known_language, symbols=self.n_below)

    def children(self) -> Sequence[_Node]:
        nodes = [_SymbolNode(nested, self._choice) for nested in _wanted(nest_file(self._file), self._choice)]
        # Without what is defined inside functions, and with what others stand in.
        self.n_below = self.item.symbols = sum(1 + node.n_below for node in nodes)
        return nodes


class _FolderNode:
    def __init__(self, path: str, files: Sequence[IndexedFile], choice: _Choice) -> None:
        self._path, self._files, self._choice = path, files, choice
        self.rank: tuple[int, ...] = (0,)
        self._nodes: Sequence[_Node] = self._inner_nodes()
        self.n_below = sum(1 + node.n_below for node in self._nodes)
        symbols = sum(node.item.symbols for node in self._nodes)
        self.item = OutlineItem(name=path, kind="folder", files=len(files), symbols=symbols)

    def _inner_nodes(self) -> list[_Node]:
        prefix = f"{self._path}/" if self._path else ""
        inner: dict[str, list[IndexedFile]] = {}
        for file in self._files:
            rest = file.path[len(prefix) :]
            inner.setdefault(rest.partition("/")[0] if "/" in rest else rest, []).append(file)
        nodes: list[_Node] = []
        for name, files in inner.items():
            path = prefix + name
            if files[0].path == path:
                node: _Node = _FileNode(files[0], self._choice)
            else:
                node = _FolderNode(_only_way(path, files), files, self._choice)
            if self._choice.kinds is None or node.n_below:
                nodes.append(node)
        return nodes

    def children(self) -> Sequence[_Node]:
        return self._nodes


def _only_way(path: str, files: Sequence[IndexedFile]) -> str:
    """The innermost folder that holds all the files of a folder: a row for each on the way to it would say nothing."""
    parts = [file.path.split("/")[:-1] for file in files]
    count = path.count("/") + 1
    while all(len(each) > count and each[count] == parts[0][count] for each in parts):
        count += 1
    return "/".join(parts[0][:count])
