"""Completes or hides lines that a user has not finished typing, if the grammar reads the lines
after them as a part of them.

Indentation reveals such a line: a node that begins in it contains a line that is indented no
deeper, or an error begins next to it. Several changes are tried: closing its brackets, removing the
operator at its end, cutting it before its last open bracket, and hiding it. The change that leaves
the least code in errors or out of place is kept. A line that is followed by a deeper one opens a
block, so it is completed and never hidden.
"""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final, NamedTuple, Protocol

import tree_sitter

from symindex.extract.blocks import Blocks, find_open
from symindex.extract.captures import Stretches
from symindex.extract.parse.partial_tree import PartialTree
from symindex.extract.texts.repaired_text import Edit, RepairedText

_MOST_PROBES: Final = 40
_MOST_READ: Final = 80_000
"""Most bytes that are parsed to find what to do with half-typed lines."""

_MOST_PLACES: Final = 6
_MOST_LINES: Final = 4
_MOST_VAIN: Final = 10
_MOST_ERRORS: Final = 12
"""Most errors in a file: more of them come from a dialect, not from half-typed lines."""
_MOST_HARMLESS: Final = 3
"""Most errors if none of them has taken the lines after it."""

_LONGEST_LINE: Final = 500
_TAIL: Final = re.compile(
    rb"(?:\s*+(?:[-=]>|::?|[-+*/%&|^~=<!?.,@$\\({\[]|\b(?:and|or|not|in|is|as|new|await|return)\b))++\s*+\Z"
)
_WORD_LAST: Final = re.compile(rb"\w\Z")


class Prober(Protocol):
    """Parses sources of one language."""

    def probe(self, last: PartialTree, text: RepairedText) -> tree_sitter.Tree:
        """Returns the approximate tree of a repaired source, in a fraction of the time."""

    def parse_once(self, source: bytes, needed: Stretches) -> PartialTree:
        """Returns the tree of a source. needed: ranges whose bodies are parsed."""


class Survey(NamedTuple):
    """The damage in a tree.

    lost: bytes in errors, missing tokens, and bytes of nodes that are out of place. places: lines
    that may have caused it, each as a first place and the last place of its code. n_errors: the
    number of errors. n_taken: the number of nodes that contain lines which do not belong to them.
    """

    lost: int
    places: list[tuple[int, int]]
    n_errors: int = 0
    n_taken: int = 0


def survey(
    tree: tree_sitter.Tree, source: bytes, blocks: Blocks, inserted: AbstractSet[int] = frozenset()
) -> Survey:
    """Measures the damage in a tree: nodes with errors, and nodes around inserted text. inserted:
    where inserted text begins."""
    root = tree.root_node
    if root.child_count == 1 and not root.children[0].child_count and not root.has_error:
        return Survey(len(source), [])  # the text that makes it code was hidden
    lost = 0
    n_errors = 0
    out_of_place: list[tuple[int, int]] = []
    errors: list[tuple[int, int]] = []
    nodes = [(tree.root_node, False)]
    while nodes:
        node, is_counted = nodes.pop()
        if node.is_error and not is_counted:
            lost += node.end_byte - node.start_byte + 1
            is_counted = True
            n_errors += 1
            errors += [
                (node.start_byte, node.start_byte),
                (_code_before(blocks, source, node.start_byte),) * 2,
            ]
        elif node.is_missing:
            lost += 1
            errors.append((_code_before(blocks, source, node.start_byte),) * 2)
        children = node.children
        nodes += [
            (child, is_counted)
            for child in reversed(children)
            if child.has_error or child.is_missing or (inserted and child.child_count)
        ]
        if (
            children
            and (node.id != root.id or node.is_error)  # `parent` searches from the root
            and (
                children[-1].start_byte in inserted
                or not _is_closed(node, children[-1], source, blocks)
            )
            and not blocks.flat(source, _code_of_line(source, node.start_byte)[0])
        ):
            for child in _out_of_place(node, children, source, blocks):
                lost += 0 if is_counted else child.end_byte - child.start_byte
                if len(out_of_place) < _MOST_PLACES:
                    out_of_place.append(
                        (node.start_byte, _code_before(blocks, source, child.start_byte))
                    )
    return Survey(lost, out_of_place + errors[: 2 * _MOST_PLACES], n_errors, len(out_of_place))


def _is_closed(
    node: tree_sitter.Node, last: tree_sitter.Node, source: bytes, blocks: Blocks
) -> bool:
    """Whether a node ends with a closer that is indented like the line where the node begins."""
    start = last.start_byte
    if last.is_missing or blocks.closer(source, start) is None:
        return False
    line = _line_start(source, start)
    return not source[line:start].strip() and start - line == _indent_at(source, node.start_byte)


def _out_of_place(
    node: tree_sitter.Node, children: list[tree_sitter.Node], source: bytes, blocks: Blocks
) -> Iterator[tree_sitter.Node]:
    """Yields children that begin a line indented no deeper than the line where the node begins,
    unless their previous sibling begins a line at the same column."""
    first = node.start_byte
    first_line = _line_start(source, first)
    indent = _indent_at(source, first)
    column = -1  # the column of the previous sibling, if it begins a line
    for child in children:
        start = child.start_byte
        line = first_line if start == first else _line_start(source, start)
        if source[line:start].strip():
            column = -1
            continue
        if (
            line > first
            and start - line <= indent
            and column != start - line
            and not _says_nothing(blocks, source, start)
        ):
            yield child
        column = start - line


def _says_nothing(blocks: Blocks, source: bytes, place: int) -> bool:
    return bool(blocks.closer(source, place) or blocks.between(source, place))


def lost_in(result: PartialTree, blocks: Blocks) -> int:
    """Returns the bytes of code in errors or out of place, and those that repairs have hidden."""
    inserted: set[int] = set()
    for text in result.repairs:
        inserted = {text.repaired_place(place) for place in inserted} | set(text.inserted)
    return survey(result.tree, result.source, blocks, inserted).lost + sum(
        text.n_hidden for text in result.repairs
    )


def complete_lines(
    prober: Prober, blocks: Blocks, broken: PartialTree, source: bytes
) -> list[Edit]:
    """Returns the edits that complete or hide the half-typed lines of a source; none if they do not
    help. broken: the tree of the source."""
    n_left = min(_MOST_PROBES, _MOST_READ // (len(source) + 1))
    damage = survey(broken.tree, broken.source, blocks)
    if not damage.lost or n_left <= 0 or damage.n_errors > _MOST_ERRORS:
        return []
    if not damage.n_taken and (
        damage.n_errors > _MOST_HARMLESS
        or not any(_lines(blocks, source, damage.places, frozenset()))
    ):
        return []
    openers = find_open(blocks, source)
    open_lines = {_code_of_line(source, opener)[0] for opener in openers} | {-1}
    if (
        not openers
        and not damage.n_taken
        and not any(_lines(blocks, source, damage.places, open_lines))
    ):
        return []
    if openers and broken.bodies:  # unmatched brackets do not show where bodies end
        broken = prober.parse_once(source, [(0, len(source))])
        damage = survey(broken.tree, broken.source, blocks)
    search = _LineSearch(prober, blocks, broken, source, open_lines, n_left)
    return search.edits(damage, _suspects(blocks, source, openers))


def _suspects(blocks: Blocks, source: bytes, openers: list[int]) -> list[tuple[int, int]]:
    """Returns places in lines that look half typed, whatever the tree shows. openers: brackets that
    are never closed."""
    places = [opener for opener in openers if not blocks.is_comment(source, opener)][:_MOST_LINES]
    places += [
        match.end(2) - 1
        for match in islice(_UNFINISHED.finditer(source), _MOST_LINES)
        if not _says_nothing(blocks, source, match.end())
    ]
    return [(place, place) for place in places]


class _Attempt(NamedTuple):
    """One change of a line, and the damage that it leaves. line_end: the end of the line's code."""

    changes: list[Edit]
    damage: Survey
    line_end: int


class _LineSearch:
    """Changes one line after the other, always by the change that leaves the least damage."""

    def __init__(
        self,
        prober: Prober,
        blocks: Blocks,
        broken: PartialTree,
        source: bytes,
        open_lines: AbstractSet[int],
        n_left: int,
    ) -> None:
        self._prober, self._blocks, self._broken = prober, blocks, broken
        self._source, self._open_lines, self._n_left = source, open_lines, n_left
        self._done: set[int] = set()  # ends of the lines that have been changed

    def edits(self, damage: Survey, suspects: list[tuple[int, int]]) -> list[Edit]:
        """Returns the edits that leave the least damage."""
        edits: list[Edit] = []
        while damage.lost and self._n_left > 0:
            text = RepairedText(self._broken.source, edits)
            places = [(text.original(first), text.original(last)) for first, last in damage.places]
            attempt = self._best_attempt(edits, damage.lost, suspects + places)
            if attempt is None:
                break
            edits, damage = edits + attempt.changes, attempt.damage
            self._done.add(attempt.line_end)
        return edits

    def _best_attempt(
        self, edits: list[Edit], lost: int, places: list[tuple[int, int]]
    ) -> _Attempt | None:
        """Returns the change that leaves the least damage; `None` if none leaves less than before.
        edits: the changes so far. lost: the damage that they leave."""
        best: _Attempt | None = None
        n_vain = 0
        lines = _lines(self._blocks, self._source, places, self._open_lines)
        for start, end in islice(lines, _MOST_TRIED):
            if end in self._done or self._n_left <= 0 or n_vain > _MOST_VAIN:
                continue
            for changes in _changes(self._blocks, self._source, start, end):
                self._n_left -= 1
                n_vain += 1
                text = RepairedText(self._broken.source, edits + changes)
                tree = self._prober.probe(self._broken, text)
                damage = survey(tree, text.source, self._blocks)
                damage = damage._replace(lost=damage.lost + text.n_hidden)
                if damage.lost < lost:
                    best, lost, n_vain = _Attempt(changes, damage, end), damage.lost, 0
            if best is not None and lost == 0:
                break
        return best


_MOST_TRIED: Final = 8
_UNFINISHED: Final = re.compile(
    rb"(?m)^([ \t]*+)(?=\S)([^\n]*[-({\[,=.<+&|\\])[ \t]*\r?\n(?:[ \t\r]*\n)*+(?!\1[ \t])[ \t]*+"
)
"""A line that ends with an opening bracket or an operator, up to the code of the next line, if that
is indented no deeper."""


def _lines(
    blocks: Blocks, source: bytes, places: list[tuple[int, int]], open_lines: AbstractSet[int]
) -> Iterator[tuple[int, int]]:
    """Yields the code ranges of lines that may be half typed, each once."""
    ends: set[int] = set()
    for first, last in places:
        for place in (last, first):
            start, end = _code_of_line(source, place)
            if (
                start < end <= start + _LONGEST_LINE
                and end not in ends
                and not blocks.is_comment(source, start)
                and not blocks.flat(source, start)
                and is_unfinished(blocks, source, start, end, open_lines)
            ):
                ends.add(end)
                yield start, end


def is_unfinished(
    blocks: Blocks,
    source: bytes,
    start: int,
    end: int,
    open_lines: AbstractSet[int] = frozenset(),
    may_end_in_word: bool = True,
) -> bool:
    """Whether a line leaves a bracket, a block or a string open, or ends with an operator or a
    word.

    open_lines: the starts of lines whose brackets are never closed; if empty, those of all lines
    count.
    """
    line = source[start:end]
    opened = blocks.open_in(line)
    if opened is None:
        return blocks.has_open_text(line)
    if (opened.closers and not open_lines) or start in open_lines:
        return True
    if _TAIL.search(line, max(len(line) - _LONGEST_LINE, 0)):
        return not (
            line.endswith(b",")
            and source[start - _NEAR if start > _NEAR else 0 : start]
            .rstrip()
            .endswith((b",", b"(", b"<", b"[", b"{"))
        )
    if opened.closers:
        return False
    if not blocks.has_braces:
        return may_end_in_word
    return may_end_in_word and bool(_WORD_LAST.search(line)) and not blocks.between(source, start)


def _changes(blocks: Blocks, source: bytes, start: int, end: int) -> Iterator[list[Edit]]:
    """Yields the changes to try on a line; those that keep most of it come first."""
    line = source[start:end]
    opened = blocks.open_in(line)
    goes_on = _goes_on(blocks, source, start, end)
    if opened is not None and opened.before:
        closed = [Edit(start + opened.block, start + opened.block, opened.before + b" ")]
        yield (
            closed if goes_on else [*closed, Edit(end, end, opened.closers[: -len(opened.before)])]
        )
    if opened is not None and not goes_on and opened.closers:
        yield [Edit(end, end, opened.closers)]
    elif opened is not None and goes_on:
        has_block = opened.closers != opened.brackets_closers
        opener = b" {" if not has_block and _is_closed_below(blocks, source, start, end) else b""
        if opened.brackets_closers or opener:
            yield [Edit(end, end, opened.brackets_closers + opener)]
        if (
            opener
            and (tail := _TAIL.search(line))
            and (rest := blocks.open_in(line[: tail.start()]))
        ):
            yield [Edit(start + tail.start(), end), Edit(end, end, rest.closers + opener)]
    tail = _TAIL.search(line)
    if tail is not None and tail.start() > 0:
        head = line[: tail.start()]
        rest = blocks.open_in(head)
        cut = Edit(start + tail.start(), end)
        if rest is not None and not goes_on:
            yield [cut, Edit(end, end, rest.closers)] if rest.closers else [cut]
    if goes_on:
        return
    if opened is not None and opened.first > 0:
        yield [Edit(start + opened.first, end)]
    yield [Edit(start, end, blocks.filler)]


def _goes_on(blocks: Blocks, source: bytes, start: int, end: int) -> bool:
    """Whether the next line is indented deeper."""
    following = _FOLLOWING.match(source, end)
    return following is not None and len(following[1]) > start - _line_start(source, start)


def _is_closed_below(blocks: Blocks, source: bytes, start: int, end: int) -> bool:
    """Whether a brace closes the lines below a line, at its indentation, although none opens
    them."""
    if not blocks.has_braces:
        return False
    line = _line_start(source, start)
    below = re.compile(rb"\n[ \t]{0,%d}(?=[^\s#])" % (start - line)).search(source, end)
    return (
        below is not None
        and below.end() - below.start() - 1 == start - line
        and source[below.end() : below.end() + 1] == b"}"
    )


_FOLLOWING: Final = re.compile(rb"\r?\n(?:[ \t\r\f]*\n)*+([ \t]*+)(?=\S)")


def _code_of_line(source: bytes, place: int) -> tuple[int, int]:
    start = _line_start(source, max(place, 0))
    end = source.find(b"\n", start)
    line = source[start : end if end >= 0 else len(source)]
    return start + len(line) - len(line.lstrip()), start + len(line.rstrip())


def _line_start(source: bytes, place: int) -> int:
    return source.rfind(b"\n", 0, place) + 1


def _indent_at(source: bytes, place: int) -> int:
    start = _line_start(source, place)
    line = source[start : max(place, start) + 1]
    return len(line) - len(line.lstrip())


def _code_before(blocks: Blocks, source: bytes, place: int) -> int:
    """Returns the place of the last character before a place that is neither blank nor in a
    comment, if it is near."""
    start = max(place - _NEAR, 0)
    for _ in range(_NEAR // 20):
        place = start + len(source[start:place].rstrip())
        for opens, closes in blocks.block_comments:
            if (
                source.endswith(closes, start, place)
                and (begins := source.rfind(opens, start, place)) >= 0
            ):
                place = begins
                break
        else:
            line, _ = _code_of_line(source, place - 1)
            if not blocks.is_comment(source, line) or line <= start:
                break
            place = line
    return place - 1


_NEAR: Final = 4_000
