"""Repairs a source in which one brace, bracket or half-typed line made the grammar give up.

Most errors are harmless: the grammar skips some tokens and goes on. An error that cuts a container
is not: the container loses its end, and its members appear outside of it or nowhere. Then blocks
are closed by brackets and indentation (`extract/blocks`). If that does not help, lines at the error
are hidden, one after the other: a half-typed line can hide everything around it, or take the name
that the next line declares. A hidden line has no symbols, but all around it keep theirs.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple, Protocol

import tree_sitter

from symindex.extract.blocks import Blocks, find_unclosed
from symindex.extract.captures import Stretches
from symindex.extract.parse.partial_tree import PartialTree
from symindex.extract.parse.repair.half_typed import complete_lines, is_unfinished, lost_in
from symindex.extract.texts.repaired_text import Edit, RepairedText
from symindex.text.editing.difference import differing

MOST_BYTES: Final = 1_000_000
"""Largest file that is repaired, in bytes."""

MOST_APART: Final = 64_000
"""Largest file that is parsed in many attempts, in bytes."""

_MOST_READ: Final = 3_000_000
"""Most bytes that are parsed to find the line to hide."""

_MOST_PARSES: Final = 24
_MOST_EDITS: Final = 200
"""Most blocks that are closed. Nobody leaves more open by mistake, and some grammars take minutes
for thousands of nested ones."""

_CLOSERS: Final = frozenset({"}", "end", "@end"})
_BRACES: Final = {"{": 1, "}": -1}


_MUCH_BETTER: Final = 0.5
"""Repairing several half-typed lines must leave at most this share of the damage that closing
blocks leaves."""


class Damage(NamedTuple):
    """The damage that errors do to a tree.

    size: bytes in errors, plus one for each missing token. cut: the start of the first error that
    cuts a container, -1 for none. places: the ranges of the first errors.
    """

    size: int
    cut: int
    places: list[tuple[int, int]]


def damage_of(tree: tree_sitter.Tree, has_braces: bool = True) -> Damage:
    """Measures the damage that errors do to a tree. has_braces: whether braces close all blocks of
    the language."""
    size, cut = 0, -1
    places: list[tuple[int, int]] = []
    root = tree.root_node
    nodes = [(root, False)]
    while nodes:
        node, is_inside = nodes.pop()
        if node.is_error:
            if not is_inside:
                size += node.end_byte - node.start_byte + 1
            if cut < 0 and (node.id == root.id or _cuts(node, has_braces)):
                cut = node.start_byte
        elif node.is_missing:
            size += 1
            if cut < 0 and node.type in _CLOSERS:
                cut = node.start_byte
        inner = [
            (child, is_inside or node.is_error)
            for child in reversed(node.children)
            if child.has_error or child.is_missing
        ]
        if not inner and len(places) < _MOST_PLACES:
            places.append((node.start_byte, node.end_byte))
        nodes += inner
    return Damage(size, cut, places)


_MOST_PLACES: Final = 4
_NEAR: Final = 2_000

_FOLLOWING: Final = re.compile(rb"\r?\n(?:[ \t\r\f]*\n)*+([ \t]*+)(?=\S)")
"""The end of a line, and the indentation of the next line that is not blank."""

_BLOCK_IN_LINE: Final = re.compile(rb"\{[ \t]*+([^{}\n]+)(?:\}[;,)]*+[ \t]*+)?\r?\Z")
"""The code of a block on the line that opens it. Only this code is hidden, not the head of the
block."""

_DANGLING: Final = re.compile(
    rb"(?m)(?:(?<=[\w)\]])(?:\.|->|::|\(|<)|[ \w](?:=|&&|\|\||[+?]))[ \t]*\r?$(?=\n[ \t]*(?:\}|end\b|def|fn\b|pub\b))"  # noqa: E501
)


def _cuts(error: tree_sitter.Node, has_braces: bool) -> bool:
    """Whether an error contains the brace that opens a block or the one that closes it, but not
    both. If words or lines close blocks, an error over several lines counts."""
    if not has_braces:
        return error.end_point[0] > error.start_point[0] or any(
            child.type in _CLOSERS for child in error.children
        )
    return sum(_BRACES.get(child.type, 0) for child in error.children) != 0


class RepairParser(Protocol):
    """Parses sources of one language."""

    def parse_with_rules(self, source: bytes, is_repaired: bool) -> PartialTree:
        """Returns the tree of a source. is_repaired: whether an earlier form of it had errors."""

    def parse_once(self, source: bytes, needed: Stretches) -> PartialTree:
        """Returns the tree of a source. needed: ranges whose bodies are parsed."""

    def probe(self, last: PartialTree, text: RepairedText) -> tree_sitter.Tree:
        """Returns the approximate tree of a repaired source, in a fraction of the time. last: the
        tree before the repair. text: the repair of what the parser saw."""

    def attempt(self, source: bytes, pieces: dict[bytes, bytes]) -> tree_sitter.Tree | None:
        """Returns the tree of a source; `None` if the grammar takes too many steps. pieces: parts
        of earlier sources."""


def repair_blocks(
    parser: RepairParser, blocks: Blocks, broken: PartialTree, source: bytes
) -> PartialTree:
    """Closes the blocks of a source whose containers are cut, and completes or hides half-typed
    lines. Returns the new tree, or `broken` if no container is cut or nothing helps. broken: the
    tree of the source."""
    if len(source) > MOST_BYTES:
        return broken
    closed = _close_and_hide(parser, blocks, broken, source)
    if closed.repairs and closed.broken_at < 0:
        place = differing(source, closed.repairs[0].source)[0]
        if is_unfinished(blocks, source, *_line_at(source, place), may_end_in_word=False):
            closed = closed._replace(broken_at=place)
    lost = lost_in(closed, blocks)
    if not lost:
        return closed
    edits = complete_lines(parser, blocks, broken, source)
    if not edits:
        return closed
    text = RepairedText(source, edits)
    completed = parser.parse_with_rules(text.source, True)._replace(repairs=(text,))
    completed = _close_and_hide(parser, blocks, completed, text.source)
    if lost_in(completed, blocks) > lost * _MUCH_BETTER:
        return closed
    return completed._replace(
        broken_at=min(edit.start for edit in edits), repairs=completed.repairs
    )


def _close_and_hide(
    parser: RepairParser, blocks: Blocks, broken: PartialTree, source: bytes
) -> PartialTree:
    """Closes blocks and hides lines of a source. Returns the new tree, or the old one if nothing
    helps. broken: the tree of the source."""
    damage = damage_of(broken.tree, blocks.has_braces)
    result, cut, has_closed = broken, damage.cut, False
    edits: list[Edit] = []
    for is_last in False, True:
        if not has_closed and damage.cut >= 0:
            earlier_edits, edits = (
                edits,
                find_unclosed(blocks, source) if not is_last or result is not broken else edits,
            )
            if (
                is_last and edits
            ):  # closing blocks was not enough: unfinished last lines of blocks are hidden as well
                lines = [
                    _line_at(source, match.start())
                    for match in islice(_DANGLING.finditer(source), _MOST_PLACES)
                ]
                edits = edits + [
                    edit
                    for start, end in lines
                    if (edit := _hiding(blocks, source, start, end, True)) is not None
                ]
            if len(edits) > _MOST_EDITS:
                return broken._replace(broken_at=cut)
            if edits != earlier_edits and (
                tried := _try(parser, blocks, result, source, edits, damage.size)
            ):
                result, text, damage = tried
                source, cut, has_closed = text.source, edits[0].start, True
        if not is_last:
            result, source, damage = _hide_lines(
                parser, blocks, result, source, damage, are_half_typed=True
            )
    if damage.cut >= 0:
        result, source, damage = _hide_lines(
            parser, blocks, result, source, damage, are_half_typed=False
        )
    return result._replace(broken_at=cut) if has_closed or damage.cut >= 0 else result


def _hide_lines(
    parser: RepairParser,
    blocks: Blocks,
    result: PartialTree,
    source: bytes,
    damage: Damage,
    are_half_typed: bool,
) -> tuple[PartialTree, bytes, Damage]:
    """Hides lines at errors if that helps: half-typed lines that the grammar continues on the next
    line, or other lines that reduce the damage much. Each line is probed; all together are parsed
    once."""
    n_left = min(_MOST_PARSES, _MOST_READ // (len(source) + 1))
    edits: list[Edit] = []
    tried_lines: set[int] = set()
    probed, least_damage, is_better = result, damage, True
    while is_better and least_damage.size and n_left > 0:
        is_better = False
        for start, end in _lines_at(blocks, source, least_damage):
            if (
                start in tried_lines
                or n_left <= 0
                or (are_half_typed and not _takes_next_line(blocks, probed, source, start, end))
            ):
                continue
            edit = _hiding(blocks, source, start, end, are_half_typed)
            if edit is None:
                continue
            tried_lines.add(start)
            n_left -= 1
            text = RepairedText(probed.source, [edit])
            tree = parser.probe(probed, text)
            new_damage = damage_of(tree, blocks.has_braces)
            size = (
                least_damage.size // 2
                if not are_half_typed or (least_damage.cut < 0 <= new_damage.cut)
                else least_damage.size
            )
            if new_damage.size < size:
                edits.append(edit)
                probed, least_damage, is_better = (
                    probed._replace(tree=tree, source=text.source),
                    new_damage,
                    True,
                )
                break
    tried = _parse_repaired(parser, blocks, result, source, edits, damage.size) if edits else None
    return (tried[0], tried[1].source, tried[2]) if tried else (result, source, damage)


def _hiding(
    blocks: Blocks, source: bytes, start: int, end: int, are_half_typed: bool
) -> Edit | None:
    """Returns the edit that hides a line, or the code of the block that it opens; `None` if the
    line opens a block that goes on."""
    opens = bool(blocks.closers_of(source[start:end]))
    if are_half_typed or (opens and blocks.has_braces):
        block = _BLOCK_IN_LINE.search(source, start, end)
        if block is not None:
            return Edit(*block.span(1), blocks.filler)
    return None if opens else Edit(start, end, blocks.filler)


def _takes_next_line(
    blocks: Blocks, result: PartialTree, source: bytes, start: int, end: int
) -> bool:
    """Whether the grammar continues a line on the next one, although that is indented no deeper and
    does not continue a block."""
    following = _FOLLOWING.match(source, end)
    if (
        following is None
        or following.end() - following.start(1) > start - source.rfind(b"\n", 0, start) - 1
    ):
        return False
    place = following.end()
    if (
        blocks.closer(source, place)
        or blocks.between(source, place)
        or not blocks.is_whole(source[start:end])
    ):
        return False
    last = start + len(source[start:end].rstrip()) - 1
    node = result.tree.root_node.descendant_for_byte_range(last, place + 1)
    if node is None or node.parent is None:
        return node is not None and node.is_error and node.start_byte < start
    return node.is_error or node.start_byte >= start


def _try(
    parser: RepairParser,
    blocks: Blocks,
    last: PartialTree,
    source: bytes,
    edits: list[Edit],
    size: int,
) -> tuple[PartialTree, RepairedText, Damage] | None:
    """Returns the result of edits if they leave less damage than `size`. Most edits do not help, so
    they are probed first. last: the tree before the edits."""
    if (
        damage_of(parser.probe(last, RepairedText(last.source, edits)), blocks.has_braces).size
        >= size
    ):
        return None
    return _parse_repaired(parser, blocks, last, source, edits, size)


def _parse_repaired(
    parser: RepairParser,
    blocks: Blocks,
    last: PartialTree,
    source: bytes,
    edits: list[Edit],
    size: int,
) -> tuple[PartialTree, RepairedText, Damage] | None:
    """Returns the result of probed edits, if they leave less damage than `size`."""
    text = RepairedText(source, edits)
    tried = parser.parse_with_rules(text.source, True)
    damage = damage_of(tried.tree, blocks.has_braces)
    return (
        (tried._replace(repairs=(*last.repairs, text)), text, damage)
        if damage.size < size
        else None
    )


def _lines_at(blocks: Blocks, source: bytes, damage: Damage) -> Iterator[tuple[int, int]]:
    """Yields the lines to try, without their indentation: those of the code before errors, those
    where errors begin, those before these, and those where errors end. If a container is cut, also
    unfinished lines at the end of a block."""
    starts, places, dangling = set(), damage.places, list[int]()
    if damage.cut >= 0:
        places = [(damage.cut, damage.cut), *places]
        dangling = [match.start() for match in islice(_DANGLING.finditer(source), _MOST_PLACES)]
    at_errors = [
        (_end_before(source, first), first, _end_before(source, _line_start(source, first)), last)
        for first, last in places
    ]
    for around in (*at_errors, dangling):
        for place in around:
            start, end = _line_at(source, max(place, 0))
            if start < end and start not in starts:
                starts.add(start)
                if not blocks.is_comment(source, start):
                    yield start, end


def _line_at(source: bytes, place: int) -> tuple[int, int]:
    """Returns the range of the line around a place, without its indentation and line break."""
    start = _line_start(source, place)
    end = source.find(b"\n", start)
    end = len(source) if end < 0 else end
    return start + len(source[start:end]) - len(source[start:end].lstrip()), end


def _line_start(source: bytes, place: int) -> int:
    return source.rfind(b"\n", 0, place) + 1


def _end_before(source: bytes, place: int) -> int:
    """Returns the place of the last character before a place that is not blank, if it is near."""
    start = max(place - _NEAR, 0)
    return start + len(source[start:place].rstrip()) - 1
