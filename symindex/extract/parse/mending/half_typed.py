"""Completes or hides a line that a user has not typed to its end, where it takes what stands behind
it.

Such a line gives itself away by indentation: a node that begins in it holds a line that is indented
no more than its own, or an error begins beside it. It is tried with what closes its brackets,
without the operator that it ends with, cut in front of its last open bracket, and hidden whole, and
the first of these stays that leaves the least code in errors or out of place. Where a line that is
indented more follows, its own block goes on, so it is completed and never hidden.
"""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final, NamedTuple, Protocol

import tree_sitter

from symindex.extract.blocks import Blocks, find_open
from symindex.extract.bodies import Stretches
from symindex.extract.parse.partial_tree import PartialTree
from symindex.extract.texts.mended_text import Edit, MendedText

_MOST_PROBES: Final = 40
_MOST_READ: Final = 80_000
"""Bytes that are parsed at most to find what to do with half-typed lines."""

_MOST_PLACES: Final = 6
_MOST_LINES: Final = 4
_MOST_VAIN: Final = 10
_MOST_ERRORS: Final = 12
"""What a grammar gives up more often is no line that is half typed, but a dialect."""
_MOST_HARMLESS: Final = 3
"""The same where no error has taken what stands behind it."""

_LONGEST_LINE: Final = 500
_TAIL: Final = re.compile(
    rb"(?:\s*+(?:[-=]>|::?|[-+*/%&|^~=<!?.,@$\\({\[]|\b(?:and|or|not|in|is|as|new|await|return)\b))++\s*+\Z"
)
_WORD_LAST: Final = re.compile(rb"\w\Z")


class Prober(Protocol):
    """Parses sources of one language."""

    def probe(self, last: PartialTree, text: MendedText) -> tree_sitter.Tree:
        """About what a source that was mended gives, in a fraction of the time."""

    def parse_once(self, source: bytes, needed: Stretches) -> PartialTree:
        """The tree of a source. needed: ranges whose bodies are read."""


class Survey(NamedTuple):
    """What errors leave of a tree. lost: bytes in errors, tokens that are missing, and bytes of
    what stands out of place. lines: places of lines that may have caused it, as where each begins
    to be looked at and the last code of it."""

    lost: int
    places: list[tuple[int, int]]
    n_errors: int = 0
    n_taken: int = 0


def survey(
    tree: tree_sitter.Tree, source: bytes, blocks: Blocks, put_in: AbstractSet[int] = frozenset()
) -> Survey:
    """Looks at the nodes of a tree that hold errors, and at those around what was put in. put_in:
    where that begins."""
    root = tree.root_node
    if root.child_count == 1 and not root.children[0].child_count and not root.has_error:
        return Survey(len(source), [])  # what makes it code was hidden
    lost = 0
    n_errors = 0
    taken: list[tuple[int, int]] = []
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
            if child.has_error or child.is_missing or (put_in and child.child_count)
        ]
        if (
            children
            and (node.parent is not None or node.is_error)
            and (
                children[-1].start_byte in put_in
                or not _is_closed(node, children[-1], source, blocks)
            )
            and not blocks.flat(source, _code_of_line(source, node.start_byte)[0])
        ):
            for child in _out_of_place(node, children, source, blocks):
                lost += 0 if is_counted else child.end_byte - child.start_byte
                if len(taken) < _MOST_PLACES:
                    taken.append((node.start_byte, _code_before(blocks, source, child.start_byte)))
    return Survey(lost, taken + errors[: 2 * _MOST_PLACES], n_errors, len(taken))


def _is_closed(
    node: tree_sitter.Node, last: tree_sitter.Node, source: bytes, blocks: Blocks
) -> bool:
    """Whether a node ends with a closer that is indented as the line in which it began."""
    start = last.start_byte
    if last.is_missing or blocks.closer(source, start) is None:
        return False
    line = _line_start(source, start)
    return not source[line:start].strip() and start - line == _indent_at(source, node.start_byte)


def _out_of_place(
    node: tree_sitter.Node, children: list[tree_sitter.Node], source: bytes, blocks: Blocks
) -> Iterator[tree_sitter.Node]:
    """Children that begin a line of their own, which is indented no more than the one in which the
    node began, behind others that do not begin theirs there."""
    first = node.start_byte
    first_line = _line_start(source, first)
    indent = _indent_at(source, first)
    column = -1  # of the sibling before, where that begins its line
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
    """Bytes of code that a tree has in errors or out of place, and those that were hidden before it
    was parsed."""
    put_in: set[int] = set()
    for text in result.mended:
        put_in = {text.mended(place) for place in put_in} | set(text.put_in)
    return survey(result.tree, result.source, blocks, put_in).lost + sum(
        text.hidden for text in result.mended
    )


def complete_lines(
    prober: Prober, blocks: Blocks, broken: PartialTree, source: bytes
) -> list[Edit]:
    """The edits, of a source, that complete or hide its half-typed lines; none where that does not
    help. broken: what the source gave."""
    n_left = min(_MOST_PROBES, _MOST_READ // (len(source) + 1))
    found = survey(broken.tree, broken.source, blocks)
    if not found.lost or n_left <= 0 or found.n_errors > _MOST_ERRORS:
        return []
    if not found.n_taken and (
        found.n_errors > _MOST_HARMLESS
        or not any(_lines(blocks, source, found.places, frozenset()))
    ):
        return []
    hints = find_open(blocks, source)
    open_lines = {_code_of_line(source, hint)[0] for hint in hints} | {-1}
    if (
        not hints
        and not found.n_taken
        and not any(_lines(blocks, source, found.places, open_lines))
    ):
        return []
    if hints and broken.bodies:  # where brackets do not match, it is not known where bodies end
        broken = prober.parse_once(source, [(0, len(source))])
        found = survey(broken.tree, broken.source, blocks)
    hints = [hint for hint in hints if not blocks.is_comment(source, hint)][:_MOST_LINES]
    hints += [
        match.end(2) - 1
        for match in islice(_UNFINISHED.finditer(source), _MOST_LINES)
        if not _says_nothing(blocks, source, match.end())
    ]
    places = [(hint, hint) for hint in hints]
    edits: list[Edit] = []
    text = MendedText(broken.source, edits)
    done: set[int] = set()
    while found.lost and n_left > 0:
        best: tuple[int, list[Edit], Survey, int] | None = None
        n_vain = 0
        lines = _lines(
            blocks,
            source,
            places + [(text.original(first), text.original(last)) for first, last in found.places],
            open_lines,
        )
        for start, end in islice(lines, _MOST_TRIED):
            if end in done or n_left <= 0 or n_vain > _MOST_VAIN:
                continue
            for change in _changes(blocks, source, start, end):
                n_left -= 1
                n_vain += 1
                tried = MendedText(broken.source, edits + change)
                left = survey(prober.probe(broken, tried), tried.source, blocks)
                left = left._replace(lost=left.lost + tried.hidden)
                if left.lost < (found.lost if best is None else best[0]):
                    best, n_vain = (left.lost, change, left, end), 0
            if best is not None and best[0] == 0:
                break
        if best is None:
            break
        edits, found = edits + best[1], best[2]
        done.add(best[3])
        text = MendedText(broken.source, edits)
    return edits


_MOST_TRIED: Final = 8
_UNFINISHED: Final = re.compile(
    rb"(?m)^([ \t]*+)(?=\S)([^\n]*[-({\[,=.<+&|\\])[ \t]*\r?\n(?:[ \t\r]*\n)*+(?!\1[ \t])[ \t]*+"
)
"""A line that ends with what opens or goes on, up to the code of the next one, where that is
indented no more."""


def _lines(
    blocks: Blocks, source: bytes, places: list[tuple[int, int]], open_lines: AbstractSet[int]
) -> Iterator[tuple[int, int]]:
    """Where the code of lines begins and ends that may be half typed, each once."""
    seen: set[int] = set()
    for first, last in places:
        for place in (last, first):
            start, end = _code_of_line(source, place)
            if (
                start < end <= start + _LONGEST_LINE
                and end not in seen
                and not blocks.is_comment(source, start)
                and not blocks.flat(source, start)
                and is_unfinished(blocks, source, start, end, open_lines)
            ):
                seen.add(end)
                yield start, end


def is_unfinished(
    blocks: Blocks,
    source: bytes,
    start: int,
    end: int,
    open_lines: AbstractSet[int] = frozenset(),
    may_end_in_word: bool = True,
) -> bool:
    """Whether the code of a line leaves a bracket, a block or a string open, or ends with an
    operator or a word.

    open_lines: where lines begin whose brackets are never closed; where none is given, those of all
    lines count.
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
    """What may be done with a line, what keeps the most of it first."""
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
    """Whether a line that is indented more follows."""
    following = _FOLLOWING.match(source, end)
    return following is not None and len(following[1]) > start - _line_start(source, start)


def _is_closed_below(blocks: Blocks, source: bytes, start: int, end: int) -> bool:
    """Whether a brace closes the lines below, indented as the line is, although none opens them."""
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
    """Where the last character before a place stands that is neither blank nor in a comment, if
    that is near."""
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
