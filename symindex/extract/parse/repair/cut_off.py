"""Completes a file that ends in the middle of something, like one that is being written.

If a file ends inside of blocks, the grammar returns all that is open as one error whose children
are the tokens in order. The tokens that open something show what is missing; of the language, only
the words that close blocks must be known (`[blocks].words`). The missing text is added after the
last line, with a word for a missing value. If no word completes the last statement, its last tokens
are hidden, one after the other.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

import tree_sitter

from symindex.extract.blocks import Blocks
from symindex.extract.languages.language import Language, compile_bytes
from symindex.extract.parse.partial_tree import PartialTree
from symindex.extract.parse.repair.broken import MOST_APART, RepairParser, damage_of
from symindex.extract.texts.repaired_text import Edit, RepairedText

_MOST_READ: Final = 500_000
"""Most bytes that are parsed to find how a file continues."""

_LEAST_LOSS: Final = 500
"""Least loss, as one byte in this many: a file that has lost less ends properly."""

_MOST_PARSES: Final = 100
_MOST_LINES: Final = 300
_MOST_OPEN: Final = 200
"""Most blocks that are closed: some grammars take minutes for thousands of nested ones."""

_MOST_POINTS: Final = 6
_MOST_TOKENS: Final = 200_000

_BLANKS: Final = re.compile(rb"[ \t]*+")
_CLOSING_LINE: Final = re.compile(rb"(?m)^[ \t]*+(?:[\])}]++[;,]?|end)[ \t\r]*+$")
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}
_QUOTES: Final = ('"', "'", "`", '"""', "'''", "```")


class Endings:
    """The texts that complete files of a language. rests: texts for the missing rest of a
    statement. separators: texts after the last block of a statement."""

    def __init__(self, language: Language) -> None:
        rules = language.rules.blocks
        self.closed_by: dict[str, str] = {
            **_BRACKETS,
            **{quote: quote for quote in _QUOTES},
            **dict(rules.words),
        }
        self.closers: frozenset[str] = frozenset(self.closed_by.values())
        self.rests: tuple[str, ...] = ("", *(rules.rests or (" x",)))
        self.separators: tuple[str, ...] = ("", rules.end) if rules.end else ("",)
        marks = [
            *language.rules.doc.line,
            *(pair[0] for pair in language.rules.doc.block),
            *self.closers,
        ]
        between = [rules.between] if rules.between else []
        self.is_comment: Callable[..., re.Match[bytes] | None] = compile_bytes(
            "|".join(map(re.escape, marks[: -len(self.closers)])) or "(?!)"
        ).match
        self._block_comments = compile_bytes(
            "|".join(
                rf"{re.escape(opens)}[\s\S]*?{re.escape(closes)}"
                for opens, closes in language.rules.doc.block
            )
            or "(?!)"
        )
        self.comments: list[tuple[bytes, bytes]] = [
            (opens.encode(), closes.encode()) for opens, closes in language.rules.doc.block
        ]
        self.passes: Callable[..., re.Match[bytes] | None] = compile_bytes(
            "|".join([r"[\r\n]", *map(re.escape, marks), *between])
        ).match

    def closing(self, kinds: list[str], separator: str) -> str:
        """Returns the text that closes open tokens, innermost first, with a separator after each
        statement and at the end."""
        text, is_statement = "", True
        for kind in kinds:
            closer = self.closed_by[kind]
            is_block = closer == "}" or closer[:1].isalpha()
            if is_block and is_statement:
                text += separator
            text += "\n" + closer if closer[:1].isalpha() else " " + closer if is_block else closer
            is_statement = not is_block
        return f"{text}{separator}\n"

    def long_quiet(self, blocks: Blocks | None, source: bytes) -> Iterator[re.Match[bytes]]:
        """Yields the comments and strings that may continue on the next line. A single quote is
        left out, because it may be unclosed."""
        if blocks is None:
            yield from self._block_comments.finditer(source)
            return
        for token in blocks.tokens.finditer(source):
            if token.lastgroup == "quiet" and (
                token[0][:1] not in b"\"'" or token[0][:1] == token[0][1:2]
            ):
                yield token

    def open_comment(self, source: bytes) -> int:
        """Returns the start of a comment that is never closed, -1 if there is none."""
        for opens, closes in self.comments:
            start = source.rfind(opens)
            if opens != closes and start >= 0 and source.find(closes, start + len(opens)) < 0:
                return start
        return -1


endings_of: Final = lru_cache(maxsize=64)(Endings)


def complete(
    parser: RepairParser, endings: Endings, broken: PartialTree, source: bytes, loss: int
) -> PartialTree | None:
    """Completes a source that ends in the middle of something. Returns its tree; `None` if it ends
    properly or nothing helps. broken: the tree of the source. loss: bytes in errors or hidden."""
    if len(source) > MOST_APART or loss * _LEAST_LOSS < len(source):
        return None
    size = damage_of(broken.tree).size
    opened = endings.open_comment(source)
    if opened < 0 or _is_in_text(broken.tree.root_node, opened):
        if not _ends_in_error(broken.tree.root_node):
            return None
        return _completed(parser, endings, broken, source, size, len(source))
    # An open comment hides all that follows, so its text is blanked and the code before is
    # completed.
    text = RepairedText(source, [Edit(opened, len(source))])
    text.n_hidden = 0
    bare = parser.parse_with_rules(text.source, True)._replace(
        repairs=(*broken.repairs, text), broken_at=opened
    )
    if not bare.has_error:
        return bare
    return _completed(parser, endings, bare, text.source, damage_of(bare.tree).size, opened) or bare


def _is_in_text(root: tree_sitter.Node, place: int) -> bool:
    """Whether the grammar reads the text at a place as part of a literal."""
    node = root.descendant_for_byte_range(place, place + 1)
    return (
        node is not None
        and node.is_named
        and not node.is_error
        and not node.child_count
        and "comment" not in node.type
    )


def _completed(
    parser: RepairParser, endings: Endings, broken: PartialTree, source: bytes, least: int, end: int
) -> PartialTree | None:
    """Completes the code before `end`, as `complete` does. least: the damage that must be
    reduced."""
    tokens = [token for token in _tokens(broken.tree) if token[0] < end]
    if not tokens:
        return None
    opened = _open_at(endings, tokens, end)
    if opened and opened[-1][1] in _QUOTES and _CLOSING_LINE.search(source, opened[-1][0], end):
        return None  # a string that was left open before more code follows
    if len(opened) > _MOST_OPEN or not _is_cut(endings, source[: tokens[-1][1]], opened):
        return None
    best, pieces = list[Edit](), dict[bytes, bytes]()
    n_left = min(_MOST_PARSES, _MOST_READ // (len(source) + 1))
    for point, tail in _attempts(endings, tokens, source, end):
        n_left -= 1
        edits = [Edit(point, len(source)), Edit(len(source), len(source), tail)]
        text = RepairedText(broken.source if len(broken.source) == len(source) else source, edits)
        if n_left < 0 or text.n_hidden >= least:
            break
        tree = parser.attempt(text.source, pieces)
        if tree is None:  # and that took long
            n_left -= _MOST_PARSES // 2
            continue
        size = damage_of(tree).size + text.n_hidden
        if size < least:
            least, best = size, edits
    if not best:
        return None
    text = RepairedText(source, best)
    tried = parser.parse_with_rules(text.source, True)
    return tried._replace(repairs=(*broken.repairs, text), broken_at=best[0].start)


def _attempts(
    endings: Endings, tokens: list[tuple[int, int, str]], source: bytes, end: int
) -> Iterator[tuple[int, bytes]]:
    """Yields the places up to which a source may be kept, each with a text to follow it; those that
    keep most first."""
    for point in _points(tokens, source, end):
        kinds = [kind for _, kind in reversed(_open_at(endings, tokens, point))]
        tails = dict.fromkeys(
            rest + endings.closing(kinds, separator)
            for rest in endings.rests
            for separator in endings.separators
        )
        for tail in tails:
            yield point, tail.encode()


def cut_at(endings: Endings, result: PartialTree) -> int:
    """Returns the start of an error that cuts a container; -1 for none. In a language without
    `[blocks].quiet`, open tokens decide."""
    cut = damage_of(result.tree).cut
    if cut < 0:
        opened = _open_at(endings, list(_tokens(result.tree)), len(result.source))
        cut = next((start for start, kind in opened if kind not in _QUOTES), -1)
    return cut


def loss_of(result: PartialTree) -> int:
    """Returns the number of bytes of a source that are in errors or hidden."""
    return damage_of(result.tree).size + sum(text.n_hidden for text in result.repairs)


def _tokens(tree: tree_sitter.Tree) -> Iterator[tuple[int, int, str]]:
    """Yields the nodes that errors consist of, in order: start, end, and type (empty for a complete
    node). A node with an inserted part counts as an error."""
    nodes = [(tree.root_node, False)]
    n_left = _MOST_TOKENS
    while nodes and n_left > 0:
        node, is_inside = nodes.pop()
        n_left -= 1
        if node.is_missing:
            continue
        children = node.children if node.has_error else []
        if is_inside and not node.is_error and not children:
            yield node.start_byte, node.end_byte, "" if node.child_count else node.type
        elif node.is_error and not children:
            yield node.start_byte, node.end_byte, ""
        else:
            inside = node.is_error or any(child.is_missing for child in children)
            nodes += [(child, inside) for child in reversed(children) if inside or child.has_error]


def open_in(endings: Endings, tree: tree_sitter.Tree) -> list[str]:
    """Returns the types of the tokens that a source leaves open, outermost first."""
    return [kind for _, kind in _open_at(endings, list(_tokens(tree)), tree.root_node.end_byte)]


def _ends_in_error(node: tree_sitter.Node) -> bool:
    """Whether the last child of a node is an error or missing, at any depth."""
    while not node.is_error and not node.is_missing:
        last = next(
            (child for child in reversed(node.children) if not child.is_extra or child.has_error),
            None,
        )
        if last is None or not last.has_error:
            return False
        node = last
    return True


def _open_at(
    endings: Endings, tokens: list[tuple[int, int, str]], place: int
) -> list[tuple[int, str]]:
    """Returns the tokens that are open at a place, each with its start and type."""
    stack: list[tuple[int, str]] = []
    for start, end, kind in tokens:
        if end > place:
            break
        if stack and endings.closed_by[stack[-1][1]] == kind:
            stack.pop()
        elif kind in endings.closed_by:
            stack.append((start, kind))
        elif kind in endings.closers:
            for depth, (_, open_kind) in enumerate(reversed(stack[-4:])):
                if endings.closed_by[open_kind] == kind:
                    del stack[-depth - 1 :]
                    break
    return stack


def _points(tokens: list[tuple[int, int, str]], source: bytes, end: int) -> Iterator[int]:
    """Yields the places up to which a source may be kept: all of it, without the last tokens, and
    without the contents of the blocks around them, by indentation."""
    last = place = len(source[:end].rstrip())
    yield place
    for start, stop, _ in reversed(tokens[-_MOST_POINTS:]):
        for place in (stop, start):
            if place < last:
                last = place
                yield place
    indent = _indent(source, line := source.rfind(b"\n", 0, last) + 1)
    for _ in range(_MOST_LINES):
        if line <= 0 or not indent:
            return
        line_end, line = line - 1, source.rfind(b"\n", 0, line - 1) + 1
        code = line + _indent(source, line)
        if code - line < indent and source[code:line_end].strip():
            indent = code - line
            yield line + len(source[line:line_end].rstrip())
            yield code


def _is_cut(endings: Endings, source: bytes, opened: list[tuple[int, str]]) -> bool:
    """Whether the lines after each line that opens a block are indented deeper than it. Otherwise
    an end is missing in the middle of the file."""
    blocks = [start for start, kind in opened if kind not in _QUOTES]
    for start, end in zip(blocks, [*blocks[1:], len(source)], strict=False):
        is_first = source[start : start + 1] not in (b"(", b"[")
        least = _indent(source, source.rfind(b"\n", 0, start) + 1)
        line = source.find(b"\n", start, end) + 1
        while line > 0:
            code = line + _indent(source, line)
            if code < len(source) and not endings.passes(source, code):
                if code - line <= least:
                    if is_first:
                        break  # the contents of this block are not indented
                    return False
                is_first = False
            line = source.find(b"\n", line, end) + 1
    return True


def _indent(source: bytes, line: int) -> int:
    """Returns the indentation of a line, in blanks."""
    blanks = _BLANKS.match(source, line)
    return blanks.end() - line if blanks is not None else 0
