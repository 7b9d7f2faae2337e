"""Completes a file that ends inside of something, as one that is being written does.

A grammar that comes to the end of a file amid blocks leaves all that it has not closed as one error, whose children are the tokens
in their order. Those that open something and are not closed tell what is missing, without any knowledge of the language but the
words that close its blocks (`[blocks].words`). It is put behind the last line, with a word in place of a value that is missing.
Where a statement is cut so that no word completes it, its last tokens are hidden, one after the other.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import tree_sitter

from symindex.extract.languages.language import Language, compile_bytes
from symindex.extract.mended_text import Edit, MendedText
from symindex.extract.parse.broken import MOST_BYTES, Parser, damage_of
from symindex.extract.parse.partial_tree import PartialTree

_MOST_READ: Final = 2_000_000
"""Bytes that are parsed at most to find how a file goes on."""

_MOST_PARSES: Final = 30
_MOST_OPEN: Final = 200
"""Blocks that are closed at most: some grammars take minutes for thousands that are nested."""

_MOST_POINTS: Final = 8
_MOST_TOKENS: Final = 200_000

_BLANKS: Final = re.compile(rb"[ \t]*+")
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}
_QUOTES: Final = ('"', "'", "`", '"""', "'''", "```")


class Endings:
    """What completes the files of a language. rests: texts that may stand in place of what is missing of a statement.
    end: what stands behind the last block of a statement."""

    def __init__(self, language: Language) -> None:
        rules = language.rules.blocks
        self.closed_by = {**_BRACKETS, **{quote: quote for quote in _QUOTES}, **dict(rules.words)}
        self.closers = frozenset(self.closed_by.values())
        self.rests = ("", *(rules.rests or (" x",)))
        self.end = rules.end
        marks = [*language.rules.doc.line, *(pair[0] for pair in language.rules.doc.block), *self.closers]
        between = [rules.between] if rules.between else []
        self.passes = compile_bytes("|".join([r"[\r\n]", *map(re.escape, marks), *between])).match


endings_of: Final = lru_cache(maxsize=64)(Endings)


def complete(parser: Parser, endings: Endings, broken: PartialTree, source: bytes) -> PartialTree | None:
    """The tree of a source that ends inside of something, with what is missing put behind it; `None` where it does not end so,
    or nothing helps. broken: what the parser gave for this source."""
    if len(source) > MOST_BYTES:
        return None
    tokens = list(_tokens(broken.tree))
    opened = _open_at(endings, tokens, len(source))
    if not tokens or len(opened) > _MOST_OPEN or not _is_cut(endings, source[: tokens[-1][1]], opened):
        return None
    least, best = damage_of(broken.tree).size, list[Edit]()
    n_left = min(_MOST_PARSES, _MOST_READ // (len(source) + 1))
    for point in _points(tokens, source):
        closers = "".join(_closing(endings.closed_by[kind]) for _, kind in reversed(_open_at(endings, tokens, point)))
        for rest in endings.rests:
            n_left -= 1
            if n_left < 0 or not least:
                break
            edits = [Edit(point, len(source)), Edit(len(source), len(source), (rest + closers + endings.end + "\n").encode())]
            text = MendedText(source, edits)
            size = damage_of(parser.probe(broken, text)).size + text.hidden
            if size < least:
                least, best = size, edits
    if not best:
        return None
    text = MendedText(source, best)
    tried = parser.parse_and_repair(text.source, True)
    return tried._replace(mended=(*broken.mended, text), broken_at=best[0].start)


def loss_of(result: PartialTree) -> int:
    """How many bytes of a source are in errors or hidden."""
    return damage_of(result.tree).size + sum(text.hidden for text in result.mended)


def _closing(closer: str) -> str:
    """What closes a block, on a line of its own where it is a word."""
    return "\n" + closer if closer[:1].isalpha() else " " + closer if closer == "}" else closer


def _tokens(tree: tree_sitter.Tree) -> Iterator[tuple[int, int, str]]:
    """Where the nodes begin and end that errors consist of, in order, and what they are: of a whole node nothing."""
    nodes = [(tree.root_node, False)]
    n_left = _MOST_TOKENS
    while nodes and n_left > 0:
        node, is_inside = nodes.pop()
        n_left -= 1
        is_part = is_inside and not node.is_error
        if is_part and not (node.has_error and node.child_count):
            yield node.start_byte, node.end_byte, "" if node.child_count else node.type
        elif node.is_error and not node.child_count:
            yield node.start_byte, node.end_byte, ""
        else:
            inside = node.is_error
            nodes += [(child, inside) for child in reversed(node.children) if inside or child.has_error]


def _open_at(endings: Endings, tokens: list[tuple[int, int, str]], place: int) -> list[tuple[int, str]]:
    """What is open at a place: where it begins, and what it is."""
    stack: list[tuple[int, str]] = []
    for start, end, kind in tokens:
        if end > place:
            break
        if stack and endings.closed_by[stack[-1][1]] == kind:
            stack.pop()
        elif kind in endings.closed_by:
            stack.append((start, kind))
        elif kind in endings.closers:
            for depth, (_, other) in enumerate(reversed(stack[-4:])):
                if endings.closed_by[other] == kind:
                    del stack[-depth - 1 :]
                    break
    return stack


def _points(tokens: list[tuple[int, int, str]], source: bytes) -> Iterator[int]:
    """Up to where a source may be kept: all of it, up to the last token, and without the last ones."""
    places = [len(source.rstrip())]
    for start, end, _ in reversed(tokens[-_MOST_POINTS:]):
        places += [end, start]
    last = len(source) + 1
    for place in places[: 2 * _MOST_POINTS]:
        if place < last:
            last = place
            yield place


def _is_cut(endings: Endings, source: bytes, opened: list[tuple[int, str]]) -> bool:
    """Whether what stands behind each line that opens a block is indented more than it: else an end is missing amid the file."""
    blocks = [start for start, kind in opened if kind not in _QUOTES]
    for start, end in zip(blocks, [*blocks[1:], len(source)], strict=False):
        least = _indent(source, source.rfind(b"\n", 0, start) + 1)
        line = source.find(b"\n", start, end) + 1
        while line > 0:
            code = line + _indent(source, line)
            if code - line <= least and code < len(source) and not endings.passes(source, code):
                return False
            line = source.find(b"\n", line, end) + 1
    return True


def _indent(source: bytes, line: int) -> int:
    """How many blanks a line begins with."""
    blanks = _BLANKS.match(source, line)
    return blanks.end() - line if blanks is not None else 0
