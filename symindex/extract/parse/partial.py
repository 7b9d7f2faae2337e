"""Parses a file without the bodies of functions that define nothing, which are most of it.

The symbols must be those of the whole file. What a grammar makes of an error depends on the text
around it, so a file with errors is parsed again with the bodies near these errors visible, unless
the language's bodies are `firm`. If errors remain, the source is repaired (`parse/repair`).
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

import tree_sitter

from symindex.extract.blocks import blocks_of
from symindex.extract.captures import Stretches
from symindex.extract.languages.language import Language
from symindex.extract.languages.rules import rules_of, substitute, substitute_in
from symindex.extract.parse.branches import take_branches
from symindex.extract.parse.grammar import load_grammar
from symindex.extract.parse.partial_tree import PartialTree
from symindex.extract.parse.repair.broken import repair_blocks
from symindex.extract.parse.repair.cut_off import complete, cut_at, endings_of, loss_of
from symindex.extract.parse.repair.open_text import open_texts_of
from symindex.extract.parse.repair.units import repair_units
from symindex.extract.parse.skipping.byte_patterns import signs_of
from symindex.extract.parse.skipping.hidden_bodies import BodySkipper
from symindex.extract.parse.statements import hide_statements
from symindex.extract.texts.repaired_text import Edit, RepairedText
from symindex.text.editing.difference import differing, point_at


class PreviousParse:
    """The last parse of an open document, from which its next version is parsed."""

    def __init__(self) -> None:
        self.language_id = ""
        self.result: PartialTree | None = None


class PartialParser:
    """Parses sources of one language. Broken source never fails: tree-sitter marks what it cannot
    read and goes on. A grammar that never returns cannot be interrupted from inside its process, so
    `workers/pool` ends the process."""

    def __init__(self, language: Language, skips_bodies: bool = True) -> None:
        self._language_id = language.id
        self._parser = tree_sitter.Parser(load_grammar(language))
        self._branches = language.rules.branches
        self._statements = language.rules.statements
        self._rules = rules_of(language)
        self._signs = signs_of(language)
        self._blocks = blocks_of(language)
        self._endings = endings_of(language)
        self._texts = open_texts_of(language)
        self._indents = language.rules.blocks.indents
        # Markup has open elements, which brackets do not show.
        self._is_markup = any(opens.startswith("<!") for opens, _ in language.rules.doc.block)
        self._bodies = BodySkipper(language, skips_bodies)

    def parse(self, source: bytes, previous: PreviousParse | None = None) -> PartialTree:
        """Returns the tree of a source. previous: the last parse of the document that this is a
        version of; it changes only the speed."""
        if previous is None:
            return self._parse_and_repair(source)
        # Only from a tree without errors to another one: what a grammar makes of an error depends
        # on what it has read before.
        last, previous.result = (
            previous.result if previous.language_id == self._language_id else None,
            None,
        )
        result = self.parse_once(source, last=last)
        if result.has_error:
            result = self._parse_and_repair(source)
        previous.language_id = self._language_id
        previous.result = None if result.has_error else result
        return result

    def _parse_and_repair(self, source: bytes, n_texts: int = 0) -> PartialTree:
        """Repairs a source if it has errors. n_texts: how many open texts are hidden in the source
        already."""
        repaired = self._repaired(source, n_texts)
        if repaired.has_error and repaired.broken_at < 0 and not self._is_markup:
            root = repaired.tree.root_node
            for node in (root, *root.children):
                if node.is_error and (node.end_byte - node.start_byte) * 2 > len(source):
                    return repaired._replace(broken_at=node.start_byte)
        return repaired

    def _repaired(self, source: bytes, n_texts: int) -> PartialTree:
        result = self.parse_with_rules(source)
        if not result.has_error:
            return result
        if self._is_markup:
            return result
        if n_texts < _MOST_TEXTS and (opened := self._texts.find(source)) is not None:
            text = RepairedText(source, [Edit(*opened, _NO_TEXT)])
            result = self._parse_and_repair(text.source, n_texts + 1)
            broken_at = min(opened[0], result.broken_at) if result.broken_at >= 0 else opened[0]
            return result._replace(repairs=(text, *result.repairs), broken_at=broken_at)
        if self._blocks is None:
            repaired = result._replace(broken_at=cut_at(self._endings, result))
        else:
            repaired = repair_blocks(self, self._blocks, result, source)
        if not (loss := loss_of(repaired)):
            return repaired
        completed = complete(self, self._endings, result, source, loss)
        if completed is not None and (rest_of_loss := loss_of(completed)) * 2 < loss:
            repaired, loss = completed, rest_of_loss
        if not loss or repaired.broken_at < 0 or not self._indents:
            return repaired
        apart = repair_units(self, self._endings, self._blocks, result, source, loss)
        return apart if apart is not None and loss_of(apart) * 2 < loss else repaired

    def parse_with_rules(self, source: bytes, is_repaired: bool = False) -> PartialTree:
        """Returns the tree of a source, with the language's repair rules applied if it has errors
        without them. is_repaired: whether the source had errors both ways, so that it is not parsed
        without the rules."""
        repaired: bytes | None = None
        ahead: PartialTree | None = None
        if is_repaired or self._signs.match(source):
            repaired = self._apply_rules(source)
            if repaired is not source:
                ahead = self.parse_once(repaired)
                if not ahead.has_error:
                    return ahead
        result = ahead if ahead and is_repaired else self.parse_once(source)
        if not result.has_error:
            return result
        if repaired is None:
            repaired = self._apply_rules(source)
        if repaired is not source:
            result = ahead or self.parse_once(repaired)
        if result.has_error and (self._rules.near_repairs or self._rules.placed_repairs):
            result, repaired = self._apply_rules_near_errors(result, repaired)
        if result.bodies and result.has_error and not self._bodies.is_firm:
            return self.parse_once(repaired, find_errors(result.tree), first_result=result)
        return result

    def _apply_rules_near_errors(
        self, result: PartialTree, source: bytes
    ) -> tuple[PartialTree, bytes]:
        """Applies the repair rules for the text around errors, unless that leaves more errors.
        Returns the tree and the source."""
        for _ in range(_MOST_ROUNDS):
            errors = find_errors(result.tree)
            repaired = substitute_in(
                self._rules.near_repairs, substitute(self._rules.placed_repairs, source), errors
            )
            if repaired is source:
                break
            tried = self.parse_once(repaired)
            if tried.has_error and _extent(find_errors(tried.tree)) > _extent(errors):
                break
            result, source = tried, repaired
            if not result.has_error:
                break
        return result, source

    def parse_once(
        self,
        source: bytes,
        needed: Sequence[tuple[int, int]] = (),
        last: PartialTree | None = None,
        first_result: PartialTree | None = None,
    ) -> PartialTree:
        """Returns the tree of a source without most bodies, whatever errors it has.

        needed: ranges, in order; bodies that touch them are parsed. last: the tree of the previous
        version, without errors. first_result: the tree of this source without `needed`, which is
        returned if no body touches these.
        """
        shown, bodies, jumps = self._bodies.show(source, needed)
        if first_result is not None and bodies == first_result.bodies:
            return first_result
        self._set_jumps(shown, jumps)
        tree = (
            self._parser.parse(shown)
            if last is None
            else self._parser.parse(shown, _edited(last, shown))
        )
        return PartialTree(tree, shown, bodies, jumps)

    def probe(self, last: PartialTree, text: RepairedText) -> tree_sitter.Tree:
        """Returns the approximate tree of a repaired source: repair rules are not applied again,
        and if places do not move, it is parsed from the last tree. last: the tree of the source
        before the repair. text: the repair of what the parser saw of it."""
        self._set_jumps(
            text.source,
            [(text.repaired_place(start), text.repaired_place(end)) for start, end in last.jumps],
        )
        return self._parser.parse(
            text.source, _edited(last._replace(tree=last.tree.copy()), text.source)
        )

    def attempt(self, source: bytes, pieces: dict[bytes, bytes]) -> tree_sitter.Tree | None:
        """Returns the tree of a source; `None` if the grammar takes too many steps, as for code
        that makes no sense. pieces: parts of earlier sources; the parser never frees its input, so
        equal parts are passed again."""
        shown, _, jumps = self._bodies.show_without_bodies(source)
        self._set_jumps(shown, jumps)
        n_left = _STEPS_AT_LEAST + len(shown) * _STEPS_OF_KILOBYTE // 1_000

        def read(place: int, _: tuple[int, int]) -> bytes:
            piece = shown[place : place + _READ_AT_ONCE]
            return pieces.setdefault(piece, piece)

        def has_tried_enough(_: int, __: bool) -> bool:
            nonlocal n_left
            n_left -= 1
            return n_left < 0

        try:
            return self._parser.parse(read, progress_callback=has_tried_enough)
        except ValueError:
            self._parser.reset()
            return None

    def _set_jumps(self, source: bytes, jumps: Stretches) -> None:
        if jumps:
            self._parser.included_ranges = _ranges(0, len(source), jumps)
        else:
            del self._parser.included_ranges

    def parse_piece(
        self, source: bytes, stretches: Stretches, points: "LinePoints"
    ) -> tree_sitter.Tree:
        """Returns the tree of stretches of a source that are in another language than the rest,
        parsed as one text."""
        self._parser.included_ranges = [
            tree_sitter.Range(points.at(start), points.at(end), start, end)
            for start, end in stretches
        ]
        return self._parser.parse(source)

    def apply_rules_to_piece(self, source: bytes, stretches: Stretches, copy: bytearray) -> bool:
        """Applies the language's repair rules to a piece with errors, in a copy of its source.
        Returns whether they changed anything."""
        start, end = stretches[0][0], stretches[-1][1]
        text = source[start:end]
        repaired = self._apply_rules(text)
        for first, last in stretches:
            copy[first:last] = repaired[first - start : last - start]
        return repaired is not text

    def _apply_rules(self, text: bytes) -> bytes:
        """Applies the language's repair rules to a text with errors, in as many bytes. Returns the
        same object if they change nothing."""
        return substitute(
            self._rules.repairs,
            hide_statements(self._statements, take_branches(self._branches, text)),
        )

    def parse_range(
        self, source: bytes, start: int, end: int, excluded: Stretches
    ) -> tree_sitter.Tree:
        """Returns the tree of one range of a source, without some stretches of it."""
        self._parser.included_ranges = _ranges(start, end, excluded)
        return self._parser.parse(source)


class LinePoints:
    """Rows and columns of places in a source. Grammars of indented languages need the columns."""

    def __init__(self, source: bytes) -> None:
        self._starts = [0, *accumulate(len(line) + 1 for line in source.split(b"\n"))]

    def at(self, byte: int) -> tuple[int, int]:
        """Returns the row of a byte, and its column in bytes."""
        row = bisect_right(self._starts, byte) - 1
        return row, byte - self._starts[row]


def _edited(last: PartialTree, shown: bytes) -> tree_sitter.Tree:
    """Returns the last tree, edited to fit the source that the parser sees now."""
    start, old_end, new_end = differing(last.source, shown)
    last.tree.edit(
        start,
        old_end,
        new_end,
        point_at(shown, start),
        point_at(last.source, old_end),
        point_at(shown, new_end),
    )
    return last.tree


def _ranges(start: int, end: int, excluded: Stretches) -> list[tree_sitter.Range]:
    """Returns a range without some stretches of it, for the parser. The rows and columns of its
    tree are meaningless."""
    ranges = []
    for body_start, body_end in excluded:
        if start < body_start and body_end < end:
            ranges.append(tree_sitter.Range((0, start), (0, body_start), start, body_start))
            start = body_end
    return [*ranges, tree_sitter.Range((0, start), (0, end), start, end)]


def _extent(stretches: Stretches) -> int:
    return sum(end - start for start, end in stretches)


_NO_TEXT: Final = b'""'
"""Replaces an open text, in any language."""

_STEPS_AT_LEAST: Final = 50
_STEPS_OF_KILOBYTE: Final = 20
"""Most reports of a parser about its progress: in code that a grammar can read, it makes 15 for
each kilobyte."""

_READ_AT_ONCE: Final = 128

_MOST_TEXTS: Final = 4
"""Most open strings and heredocs that are hidden in a file: each costs one more search and
parse."""

_MOST_ROUNDS: Final = 2
"""Most rounds of repairs around errors: one error may hide the next."""


def find_errors(tree: tree_sitter.Tree) -> Stretches:
    """Returns the errors of a tree, each with the text around it, in order."""
    errors: Stretches = []
    nodes = [tree.root_node]
    while nodes:
        node = nodes.pop()
        if node.is_error or node.is_missing:
            start, end = node.start_byte - _AROUND_AN_ERROR, node.end_byte + _AROUND_AN_ERROR
            if errors and start <= errors[-1][1]:
                errors[-1] = (errors[-1][0], max(end, errors[-1][1]))
            else:
                errors.append((start, end))
        else:
            nodes.extend(child for child in reversed(node.children) if child.has_error)
    return errors


_AROUND_AN_ERROR: Final = 500
"""Bytes around an error: more than a grammar skips or takes back to go on after it."""
