"""What a language's rules say of a name, of the words before it and of a header, asked once for every symbol.

Most symbols look alike: a pattern is not searched in a text that lacks what the pattern cannot match without, and what was
found out of a name, or of the words before it, is kept for the next symbol that has the same.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]  # what a compiled pattern consists of
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple

from symindex.extract.languages.registry import Language, compile_pattern

_KEPT_ANSWERS: Final = 20_000
"""How many names and heads of a language are remembered; then it begins anew. A few megabytes."""


class Finder:
    """A pattern of a language's rules, ready to be searched; one without a pattern finds nothing.

    needs: texts of which everything the pattern matches holds one; none where the pattern does not tell.
    begin_with: the characters that what it matches can begin with, `None` where the pattern does not tell.
    """

    __slots__ = ("_begins_lines", "_begins_text", "_parts", "begin_with", "needs", "regex")

    def __init__(self, pattern: str) -> None:
        self.regex = compile_pattern(pattern) if pattern else None
        self.needs: tuple[str, ...] = ()
        self.begin_with: frozenset[str] | None = frozenset()
        self._begins_lines = self._begins_text = False
        self._parts: tuple[str, ...] = ()
        if self.regex is not None:
            self.needs = needed_literals(self.regex)
            parts = [max(need.split(), key=len, default="") for need in self.needs]
            self._parts = tuple(parts) if all(parts) else ()
            parsed = sre_parser.parse(self.regex.pattern, self.regex.flags)
            self.begin_with = None if self.regex.flags & re.IGNORECASE else _first_letters(parsed)
            first = parsed[0]
            self._begins_lines = first == (sre.AT, sre.AT_BEGINNING)
            self._begins_text = first == (sre.AT, sre.AT_BEGINNING_STRING)

    def __bool__(self) -> bool:
        return self.regex is not None

    def can_be_in(self, text: str) -> bool:
        """Whether it is worth a search: the text holds what the pattern cannot match without."""
        if self.regex is None:
            return False
        for need in self.needs:
            if need in text:
                return True
        return not self.needs

    def may_be_in(self, file: str) -> bool:
        """Whether the pattern may be found in texts that are put together from pieces of a file, with white space between: only
        what a piece must hold for itself tells."""
        return self.regex is not None and (not self._parts or any(part in file for part in self._parts))

    def is_in(self, text: str) -> bool:
        """Whether the pattern is found in the text."""
        if not self.can_be_in(text) or self.regex is None:
            return False
        if self._begins_text or self._begins_lines:
            return self.regex.match(text) is not None or (self._begins_lines and self._opens_a_line(self.regex, text))
        return self.regex.search(text) is not None

    def _opens_a_line(self, regex: re.Pattern[str], text: str) -> bool:
        """Whether the pattern matches at a line behind the first. A search would try every place."""
        at = text.find("\n")
        while at >= 0:
            if regex.match(text, at + 1) is not None:
                return True
            at = text.find("\n", at + 1)
        return False

    def replace(self, template: str | Callable[[re.Match[str]], str], text: str) -> str:
        """The text with what the pattern finds replaced by the template."""
        return self.regex.sub(template, text) if self.can_be_in(text) and self.regex is not None else text


class Mend:
    """What the parser is to see in place of what a pattern finds: of the same length, cut or padded."""

    def __init__(self, pattern: str, template: str, padding: str = " ") -> None:
        self.finder = Finder(pattern)
        self.template = template
        self.padding = padding

    def replace(self, match: re.Match[str]) -> str:
        """For one place."""
        return match.expand(self.template).ljust(len(match[0]), self.padding)[: len(match[0])]

    def apply(self, text: str) -> str:
        """For all places in a text."""
        return self.finder.replace(self.replace, text)


def apply_mends(mends: tuple[Mend, ...], data: bytes) -> bytes:
    """The source with what the grammar cannot read put otherwise, every byte that matters at its place; the same object where
    nothing was found."""
    if not mends:
        return data
    text = before = data.decode("latin-1")  # a character for every byte
    for mend in mends:
        text = mend.apply(text)
    return data if text == before else text.encode("latin-1")


class OfName(NamedTuple):
    """What a name tells. visibility: `exported`, `private` or empty."""

    is_blank: bool
    is_constant: bool
    visibility: str
    is_test: bool
    is_deprecated: bool


class OfHead(NamedTuple):
    """What the words before a name tell. visibility: by the first word that decides; `None` where none does."""

    visibility: str | None
    is_test: bool
    is_deprecated: bool


class Rules:
    """A language's rules with their patterns compiled, and the answers that were given."""

    def __init__(self, language: Language) -> None:
        rules = language.rules
        self.separators = rules.separators
        self.name_trim = rules.name_trim
        self.name_prefix = rules.name_prefix
        self.name_until = rules.name_until
        self.trims_plain_names = rules.name_prefix.isidentifier() or rules.name_until.isidentifier()
        self.constructors = frozenset(rules.constructors) - {"="}
        self.type_names_construct = "=" in rules.constructors
        self.inside = {
            str(outer.value): {a.value: b.value for a, b in row.items()} for outer, row in language.kind_inside.items()
        }
        self.once = frozenset(kind.value for kind in language.once)
        self.mends = tuple(Mend(*pair) for pair in rules.mend)
        self.repairs = tuple(Mend(*pair) for pair in rules.repair)
        self.attributes = Finder(rules.attributes)
        self.declarations = Finder(rules.declarations)
        self.parts = Finder(rules.parts)
        self.file_parts = Finder(rules.file_parts)
        self.directives = Finder(rules.directives)
        self.test_header = Finder(rules.test.header)
        self.test_doc = Finder(rules.test.doc)
        self.deprecated_header = Finder(rules.deprecated.header)
        self.deprecated_doc = Finder(rules.deprecated.doc)
        self.doc_skip = Finder(rules.doc.skip)
        self.doc_replace = [(Finder(pattern), template) for pattern, template in rules.doc.replace]
        self.default_visibility = rules.visibility.default
        self.visibility_inside = rules.visibility.inside
        self.words_differ_outside = bool(rules.visibility.private_words_outside)
        words = rules.visibility
        inside = {word: "" for word in words.neither_words}
        inside |= {word: "private" for word in words.private_words}
        outside = inside | {word: "private" for word in words.private_words_outside}
        exported = {word: "exported" for word in words.exported_words}
        self._words = {False: inside | exported, True: outside | exported}
        self._private_names = Finder(words.private_names)
        self._exported_names = Finder(words.exported_names)
        self._blank_names = Finder(rules.blank_names)
        self._constants = Finder(rules.constants)
        self._marks = [(Finder(marks.head), Finder(marks.names)) for marks in (rules.test, rules.deprecated)]
        self._names: dict[str, OfName] = {}
        self._heads: dict[bool, dict[str, OfHead]] = {False: {}, True: {}}

    def of_name(self, name: str) -> OfName:
        """What the patterns for names say of one that is not empty."""
        known = self._names.get(name)
        return known if known is not None else self._read_name(name)

    def of_head(self, head: str, is_outside: bool) -> OfHead:
        """What the words of a head say; `is_outside`: where `private_words_outside` count."""
        known = self._heads[is_outside].get(head)
        return known if known is not None else self._read_head(head, is_outside)

    def _read_name(self, name: str) -> OfName:
        visibility = ""
        if self._private_names.is_in(name):
            visibility = "private"
        elif self._exported_names.is_in(name):
            visibility = "exported"
        (_, test), (_, deprecated) = self._marks
        answer = OfName(
            self._blank_names.is_in(name), self._constants.is_in(name), visibility, test.is_in(name), deprecated.is_in(name)
        )
        if len(self._names) >= _KEPT_ANSWERS:
            self._names.clear()
        self._names[name] = answer
        return answer

    def _read_head(self, head: str, is_outside: bool) -> OfHead:
        words = self._words[is_outside]
        visibility = next((words[word] for word in _WORD.findall(head) if word in words), None)
        (test, _), (deprecated, _) = self._marks
        answer = OfHead(visibility, bool(head) and test.is_in(head), bool(head) and deprecated.is_in(head))
        heads = self._heads[is_outside]
        if len(heads) >= _KEPT_ANSWERS:
            heads.clear()
        if len(head) <= _LONG_HEAD:
            heads[head] = answer
        return answer


_LONG_HEAD: Final = 200
"""Longer heads (with attributes that hold much) are not likely to come again."""

_WORD = re.compile(r'"[^"\n]*"|[\w#@.-]+')  # strings, dotted names (`@kotlin.internal.InlineOnly`) and words


@lru_cache(maxsize=64)
def rules_of(language: Language) -> Rules:
    """The language's rules, compiled once."""
    return Rules(language)


def needed_literals(regex: re.Pattern[str]) -> tuple[str, ...]:
    """Texts of which every text that the pattern matches in holds at least one; empty where that cannot be told."""
    parsed = sre_parser.parse(regex.pattern, regex.flags)
    return () if regex.flags & re.IGNORECASE else _needs(parsed)


def _needs(items: Iterable[tuple[Any, Any]]) -> tuple[str, ...]:
    """The best of what a sequence cannot do without: long, and few."""
    found: list[tuple[str, ...]] = []
    run = ""
    for operation, argument in items:
        if operation is sre.LITERAL and argument < 128:
            run += chr(argument)
            continue
        if operation is sre.ASSERT:
            found.append(_needs(argument[1]))
        if operation in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            continue  # it takes no place: what stands before and behind it are neighbours
        found.append((run,) if run else ())
        run = ""
        if operation is sre.SUBPATTERN:
            _, added, _, inner = argument
            found.append(() if added & re.IGNORECASE else _needs(inner))
        elif operation is sre.ATOMIC_GROUP:
            found.append(_needs(argument))
        elif operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT) and argument[0] > 0:
            found.append(_needs(argument[2]))
        elif operation is sre.BRANCH:
            branches = [_needs(branch) for branch in argument[1]]
            found.append(_shortest_of_all([need for needs in branches for need in needs]) if all(branches) else ())
    found.append((run,) if run else ())
    return max(found, key=lambda needs: min(map(len, needs)) - len(needs) if needs else -1000)


def _first_letters(items: Iterable[tuple[Any, Any]]) -> frozenset[str] | None:
    """What a match of a sequence can begin with; `None` where that is not told by letters."""
    for operation, argument in items:
        if operation is sre.LITERAL:
            return frozenset(chr(argument))
        if operation is sre.SUBPATTERN:
            return None if argument[1] & re.IGNORECASE else _first_letters(argument[3])
        if operation is sre.BRANCH:
            firsts = [_first_letters(branch) for branch in argument[1]]
            known = [first for first in firsts if first is not None]
            return frozenset().union(*known) if len(known) == len(firsts) else None
        return None
    return None


def _shortest_of_all(needs: list[str]) -> tuple[str, ...]:
    """Without those that hold another one."""
    return tuple(dict.fromkeys(need for need in needs if not any(other in need and other != need for other in needs)))
