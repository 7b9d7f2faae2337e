"""Parses again what a grammar gave up because of one brace, bracket or half-typed line.

An error is common and mostly harmless: the grammar skips some tokens and goes on. It is not where it cuts a container, so that
its end is lost and its members stand outside, or nowhere. There blocks are closed by brackets and indentation (`extract/blocks`).
Where that is not it, the lines at the error are hidden one after the other: one that a user has not typed to its end hides all
around it, or takes the name of what the next line declares. What is hidden so has no symbols, what is around it keeps its own.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple, Protocol

import tree_sitter

from symindex.extract.blocks import Blocks, find_unclosed
from symindex.extract.mended_text import Edit, MendedText
from symindex.extract.parse.partial_tree import PartialTree

MOST_BYTES: Final = 1_000_000
"""A larger file is not mended."""

_MOST_READ: Final = 3_000_000
"""Bytes that are parsed at most to find which line to hide."""

_MOST_PARSES: Final = 24
_MOST_EDITS: Final = 200
"""Nobody leaves more blocks open by mistake; some grammars take minutes for thousands that are nested."""

_CLOSERS: Final = frozenset({"}", "end", "@end"})
_BRACES: Final = {"{": 1, "}": -1}


class Damage(NamedTuple):
    """What errors do to a tree. size: bytes in errors, and one for each token that is missing. cut: where the first error begins
    that cuts a container, -1 for none. places: where the first errors begin and end."""

    size: int
    cut: int
    places: list[tuple[int, int]]


def damage_of(tree: tree_sitter.Tree, has_braces: bool = True) -> Damage:
    """How much of a tree its errors have taken. has_braces: whether its blocks are all closed by braces."""
    size, cut = 0, -1
    places: list[tuple[int, int]] = []
    nodes = [(tree.root_node, False)]
    while nodes:
        node, is_inside = nodes.pop()
        if node.is_error:
            if not is_inside:
                size += node.end_byte - node.start_byte + 1
            if cut < 0 and _cuts(node, has_braces):
                cut = node.start_byte
        elif node.is_missing:
            size += 1
            if cut < 0 and node.type in _CLOSERS:
                cut = node.start_byte
        inner = [(child, is_inside or node.is_error) for child in reversed(node.children) if child.has_error or child.is_missing]
        if not inner and len(places) < _MOST_PLACES:
            places.append((node.start_byte, node.end_byte))
        nodes += inner
    return Damage(size, cut, places)


_MOST_PLACES: Final = 4

_FOLLOWING: Final = re.compile(rb"\r?\n(?:[ \t\r\f]*\n)*+([ \t]*+)(?=\S)")
"""The end of a line, and the indentation of the next one that is not blank."""

_ONE_LINE_BLOCK: Final = re.compile(rb"\{[ \t]*+([^{}\n]+)\}[;,)]*+[ \t]*+\r?\Z")
"""A block in a line: what stands in it is hidden, and not what it belongs to."""

_DANGLING: Final = re.compile(rb"(?m)(?<=[\w)\]])(?:\.|->|::|\()[ \t]*\r?$(?=\n[ \t]*(?:\}|end\b|def|fn\b|pub\b))")


def _cuts(error: tree_sitter.Node, has_braces: bool) -> bool:
    """Whether an error has the brace that opens a block, or the one that closes it, and not the other. Of blocks that words or
    lines close, an error of some lines is one."""
    if error.parent is None:
        return True
    if not has_braces:
        return error.end_point[0] > error.start_point[0] or any(child.type in _CLOSERS for child in error.children)
    return sum(_BRACES.get(child.type, 0) for child in error.children) != 0


class Parser(Protocol):
    """Parses sources of one language."""

    def parse_and_repair(self, source: bytes, is_mended: bool) -> PartialTree:
        """The tree of a source. is_mended: of one that had errors before."""

    def probe(self, last: PartialTree, text: MendedText) -> tree_sitter.Tree:
        """About what a source that was mended gives, in a fraction of the time. last: of the source before. text: made of what
        the parser saw of it."""


def mend(parser: Parser, blocks: Blocks, broken: PartialTree, source: bytes) -> PartialTree:
    """The tree of a source whose containers are cut, with its blocks closed and half-typed lines hidden; the one that was given
    where none are cut or nothing helps. broken: what the parser gave for this source."""
    if len(source) > MOST_BYTES:
        return broken
    damage = damage_of(broken.tree, blocks.has_braces)
    result, cut, has_closed = broken, damage.cut, False
    if cut >= 0:
        edits = find_unclosed(blocks, source)
        if len(edits) > _MOST_EDITS:
            return broken._replace(broken_at=cut)
        if edits and (tried := _try(parser, blocks, result, source, edits, damage.size)):
            result, text, damage = tried
            source, cut, has_closed = text.source, edits[0].start, True
    result, source, damage = _hide_half_typed(parser, blocks, result, source, damage)
    if damage.cut >= 0:
        result, damage = _hide_lines(parser, blocks, result, source, damage)
    # Where only a line was hidden, no container is cut any more.
    return result._replace(broken_at=cut) if has_closed or damage.cut >= 0 else result


def _hide_half_typed(
    parser: Parser, blocks: Blocks, result: PartialTree, source: bytes, damage: Damage
) -> tuple[PartialTree, bytes, Damage]:
    """Hides lines at errors whose code the grammar goes on with in the next line, although that is indented no more."""
    n_left = min(_MOST_PARSES, _MOST_READ // (len(source) + 1))
    seen: set[int] = set()
    is_better = True
    while is_better and damage.size and n_left > 0:
        is_better = False
        for start, end in _lines_at(blocks, source, damage.places):
            if start in seen or n_left <= 0 or not _takes_next_line(blocks, result, source, start, end):
                continue
            seen.add(start)
            n_left -= 1
            block = _ONE_LINE_BLOCK.search(source, start, end)
            hidden = block.span(1) if block is not None else (start, end)
            tried = _try(parser, blocks, result, source, [Edit(*hidden, blocks.filler)], damage.size)
            if tried and (tried[2].cut < 0 or damage.cut >= 0 or tried[2].size < damage.size // 2):
                result, text, damage = tried
                source, is_better = text.source, True
                break
    return result, source, damage


def _takes_next_line(blocks: Blocks, result: PartialTree, source: bytes, start: int, end: int) -> bool:
    """Whether what stands in a line goes on in the next one, although that is indented no more and is no rest of a block."""
    following = _FOLLOWING.match(source, end)
    if following is None or following.end() - following.start(1) > start - source.rfind(b"\n", 0, start) - 1:
        return False
    place = following.end()
    if blocks.closer(source, place) or blocks.between(source, place) or not blocks.is_whole(source[start:end]):
        return False
    last = start + len(source[start:end].rstrip()) - 1
    node = result.tree.root_node.descendant_for_byte_range(last, place + 1)
    if node is None or node.parent is None:
        return node is not None and node.is_error and node.start_byte < start
    return node.is_error or node.start_byte >= start


def _hide_lines(parser: Parser, blocks: Blocks, result: PartialTree, source: bytes, damage: Damage) -> tuple[PartialTree, Damage]:
    """Hides lines at errors while that makes the damage much smaller."""
    n_left = min(_MOST_PARSES, _MOST_READ // (len(source) + 1))
    is_better = True
    while is_better and damage.size and n_left > 0:
        is_better = False
        for start, end in _lines_at(blocks, source, damage.places):
            if blocks.closers_of(source[start:end]) or n_left <= 0:
                continue
            n_left -= 1
            if tried := _try(parser, blocks, result, source, [Edit(start, end, blocks.filler)], damage.size // 2):
                result, text, damage = tried
                source, is_better = text.source, True
                break
    return result, damage


def _try(
    parser: Parser, blocks: Blocks, last: PartialTree, source: bytes, edits: list[Edit], size: int
) -> tuple[PartialTree, MendedText, Damage] | None:
    """What a source with edits gives, where that has less damage than a size; most edits are tried in vain, so they are probed.
    last: what the source gave before."""
    if damage_of(parser.probe(last, MendedText(last.source, edits)), blocks.has_braces).size >= size:
        return None
    text = MendedText(source, edits)
    tried = parser.parse_and_repair(text.source, True)
    damage = damage_of(tried.tree, blocks.has_braces)
    return (tried._replace(mended=(*last.mended, text)), text, damage) if damage.size < size else None


def _lines_at(blocks: Blocks, source: bytes, places: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The lines in which errors begin, those before these, those in which they end, and lines that go on although they are the
    last of a block, all without their indentation."""
    seen = set()
    dangling = [match.start() for match in islice(_DANGLING.finditer(source), _MOST_PLACES)]
    at_errors = [
        (first, _end_before(source, first), _end_before(source, _line_start(source, first)), last) for first, last in places
    ]
    for around in (*at_errors, dangling):
        for place in around:
            start = _line_start(source, max(place, 0))
            end = source.find(b"\n", start)
            end = len(source) if end < 0 else end
            start += len(source[start:end]) - len(source[start:end].lstrip())
            if start < end and start not in seen:
                seen.add(start)
                if not blocks.is_comment(source, start):
                    yield start, end


def _line_start(source: bytes, place: int) -> int:
    return source.rfind(b"\n", 0, place) + 1


def _end_before(source: bytes, place: int) -> int:
    """Where the last character before a place stands that is not blank."""
    return len(source[:place].rstrip()) - 1
