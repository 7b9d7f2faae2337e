"""Parses again what a grammar gave up because of one brace, bracket or half-typed line.

An error is common and mostly harmless: the grammar skips some tokens and goes on. It is not where it cuts a container, so that
its end is lost and its members stand outside, or nowhere. There blocks are closed by brackets and indentation (`extract/blocks`).
Where that is not it, the lines at the error are hidden one after the other: one that a user has not typed to its end hides all
around it. What is hidden so has no symbols, what is around it keeps its own.
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
    damage = damage_of(broken.tree, blocks.has_braces)
    if damage.cut < 0 or len(source) > MOST_BYTES:
        return broken
    result, cut, has_closed = broken, damage.cut, False
    edits = find_unclosed(blocks, source)
    if len(edits) > _MOST_EDITS:
        return broken._replace(broken_at=damage.cut)
    if edits and (tried := _try(parser, blocks, result, source, edits, damage.size)):
        result, text, damage = tried
        source, cut, has_closed = text.source, edits[0].start, True
    if damage.cut >= 0:
        result, damage = _hide_lines(parser, blocks, result, source, damage)
    # Where only a line was hidden, no container is cut any more.
    return result._replace(broken_at=cut) if has_closed or damage.cut >= 0 else result


def _hide_lines(parser: Parser, blocks: Blocks, result: PartialTree, source: bytes, damage: Damage) -> tuple[PartialTree, Damage]:
    """Hides lines at errors while that makes the damage much smaller."""
    n_left = min(_MOST_PARSES, _MOST_READ // (len(source) + 1))
    is_better = True
    while is_better and damage.size and n_left > 0:
        is_better = False
        for start, end in _lines_at(source, damage.places):
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


def _lines_at(source: bytes, places: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The lines in which errors begin, those before these, those in which they end, and lines that go on although they are the
    last of a block, all without their indentation."""
    seen = set()
    dangling = [match.start() for match in islice(_DANGLING.finditer(source), _MOST_PLACES)]
    at_errors = [(first, len(source[:first].rstrip()) - 1, last) for first, last in places]
    for around in (*at_errors, dangling):
        for place in around:
            start = source.rfind(b"\n", 0, max(place, 0)) + 1
            end = source.find(b"\n", start)
            end = len(source) if end < 0 else end
            start += len(source[start:end]) - len(source[start:end].lstrip())
            if start < end and start not in seen:
                seen.add(start)
                yield start, end
