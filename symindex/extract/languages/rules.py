"""A language's rules, compiled and applied to each symbol: to its name, the words before the name,
its header and its doc.

Most symbols look alike. So a pattern is searched only in texts that contain the literals of its
matches, and the results for a name, or for the words before a name, are cached.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from symindex.extract.languages.language import Language, compile_pattern
from symindex.extract.parse.skipping.regex_literals import required_literals, rest_from, widths
from symindex.extract.texts.source_text import as_utf8, with_ascii_letters, with_line_feeds
from symindex.protocol.kinds import SymbolFlag

_CACHED: Final = 2_000
"""Most cached names, and most cached heads, of a language: half a megabyte. Ten times as many save
no measurable time, and a worker meets many languages."""

_LONG_HEAD: Final = 200
"""Longest cached head, in characters: a longer one (with large attributes) is unlikely to come
again."""


class RulePattern:
    """A pattern of a language's rules, searched only in texts with its required literals. An empty
    pattern is never found."""

    __slots__ = ("_literals", "_words", "regex")

    def __init__(self, pattern: str) -> None:
        self.regex: re.Pattern[str] = compile_pattern(pattern)
        self._literals = (required_literals(self.regex) or ("",)) if pattern else ()
        words = [max(literal.split(), key=len, default="") for literal in self._literals]
        self._words = words if all(words) else [""][: len(words)]

    def can_be_in(self, text: str) -> bool:
        """Whether the text contains the pattern's literals."""
        for literal in self._literals:  # noqa: SIM110  # for each symbol several times, and a generator takes twice as long
            if literal in text:
                return True
        return False

    def can_be_in_file(self, text: str) -> bool:
        """Whether the pattern may match a text that is joined from pieces of this one with white
        space between them. Only literals without white space can rule that out."""
        return any(word in text for word in self._words)

    def is_in(self, text: str) -> bool:
        """Whether the pattern is found in the text."""
        return self.can_be_in(text) and self.regex.search(text) is not None

    def replace(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Returns the text with each match replaced."""
        return self.regex.sub(replacement, text) if self.can_be_in(text) else text


class _FilePattern(RulePattern):
    """A pattern that is searched in whole files and found in few.

    The part of the pattern from its literal on is searched first. It begins with a literal, so it
    is found several times faster than a pattern that begins with any word or blank.
    """

    __slots__ = ("_rest",)

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        tells = len(self._literals) == 1 and (
            len(self._literals[0]) > 1 or self._literals[0].isidentifier()
        )
        self._rest = (
            rest_from(self.regex, self._literals[0]) if tells else None
        )  # brackets and blanks are everywhere
        if self._literals == (pattern,) and len(pattern) == 2:
            self._literals = ("",)  # `in` takes three times as long as the search

    def can_be_in(self, text: str) -> bool:
        return super().can_be_in(text) and (
            self._rest is None or self._rest.search(text) is not None
        )


_Replacement = str | Callable[[re.Match[str]], str]


def _same_length(regex: re.Pattern[str], template: str, padding: str) -> _Replacement:
    """Returns a replacement of `mend` or `repair`, cut or padded to the length of the match. Most
    are a plain text or a group, which are made far faster than by a template."""
    if template == r"\1":
        return lambda match: (match[1] or "").ljust(len(match[0]), padding)[: len(match[0])]
    if "\\" in template + padding:
        return lambda match: match.expand(template).ljust(len(match[0]), padding)[: len(match[0])]
    shortest, longest = widths(regex)
    if shortest == longest:
        return template.ljust(shortest, padding)[:shortest]
    return lambda match: template.ljust(len(match[0]), padding)[: len(match[0])]


_WITH_PLACE: Final = 4
"""Length of a row of `repair_near` that names places."""

_Substitutions = list[tuple[_FilePattern, _Replacement]]


def _substitutions(rows: Sequence[Sequence[str]]) -> _Substitutions:
    return [_substitution(*row) for row in rows]


def _substitution(
    pattern: str, template: str, padding: str = " ", place: str = ""
) -> tuple[_FilePattern, _Replacement]:
    """Returns the pattern to search and its replacement. If a place is given, the place is
    searched, and all replacements are made inside of it."""
    inner = RulePattern(pattern) if place else _FilePattern(pattern)
    replacement = _same_length(inner.regex, template, padding)
    if isinstance(inner, _FilePattern):
        return inner, replacement
    return _FilePattern(place), lambda match: inner.replace(replacement, match[0])


def substitute(substitutions: _Substitutions, data: bytes) -> bytes:
    """Makes substitutions in a source, one after the other. Returns the same object if none
    applies."""
    if not substitutions:
        return data
    text = original = data.decode("latin-1")  # one character for each byte
    for pattern, replacement in substitutions:
        text = pattern.replace(replacement, text)
    return data if text == original else text.encode("latin-1")


def substitute_in(
    substitutions: _Substitutions, data: bytes, stretches: Iterable[tuple[int, int]]
) -> bytes:
    """Makes substitutions in the lines that some stretches of a source touch. Returns the same
    object if none applies.

    Each line is searched with the line break before it, as in the whole source.
    """
    pieces: list[bytes] = []
    done = 0
    for start, end in stretches:
        start = max(data.rfind(b"\n", 0, max(start, 0)), done)
        end = len(data) if (line_end := data.find(b"\n", end)) < 0 else line_end
        if start < end:
            pieces += data[done:start], substitute(substitutions, data[start:end])
            done = end
    changed = b"".join([*pieces, data[done:]])
    return data if changed == data else changed


def parser_text(language: Language, data: bytes) -> bytes:
    """Returns a file's bytes as the parser sees them, in as many bytes."""
    data = as_utf8(data)
    if language.rules.line_feeds:
        data = with_line_feeds(data)
    if language.rules.ascii_letters:
        data = with_ascii_letters(data)
    return substitute(rules_of(language).substitutions, data)


class NameFacts(NamedTuple):
    """The facts in a name. visibility: `exported`, `private` or empty. flags: TEST and
    DEPRECATED."""

    is_blank: bool
    is_constant: bool
    visibility: str
    flags: int


class HeadFacts(NamedTuple):
    """The facts in the words before a name. visibility: by the first word that decides; `None` if
    none does."""

    visibility: str | None
    flags: int


class CompiledRules:
    """A language's rules with their patterns compiled."""

    def __init__(self, language: Language) -> None:
        rules, words = language.rules, language.rules.visibility
        self.trims_plain_names: bool = (
            rules.name_prefix.isidentifier() or rules.name_until.isidentifier()
        )
        quotes = "".join(map(re.escape, rules.name_trim))
        quoted = [rf"([{quotes}])(?P<quoted>.*?)\1"] if quotes else []
        if rules.name_prefix and rules.name_until:
            quoted.append(
                f"{re.escape(rules.name_prefix)}(?P<enclosed>.*?){re.escape(rules.name_until)}"
            )
        self.quoted_part: re.Pattern[str] | None = (
            re.compile(rf"(?<![^.])(?:{'|'.join(quoted)})(?![^.])", re.DOTALL) if quoted else None
        )
        self.constructors: frozenset[str] = frozenset(rules.constructors) - {"="}
        self.type_names_construct: bool = "=" in rules.constructors
        self.substitutions: _Substitutions = _substitutions(rules.mend)
        self._repair, self._repair_near = rules.repair, rules.repair_near
        self.attributes: RulePattern = RulePattern(rules.attributes)
        self.declarations: RulePattern = RulePattern(rules.declarations)
        self.parts: RulePattern = RulePattern(rules.parts)
        self.file_parts: RulePattern = RulePattern(rules.file_parts)
        self.directives: RulePattern = RulePattern(rules.directives)
        self.function_types: RulePattern = RulePattern(rules.function_types)
        self.typed_names: RulePattern = RulePattern(rules.typed_names)
        self.doc_skip: RulePattern = RulePattern(rules.doc.skip)
        self.doc_replace: list[tuple[RulePattern, str]] = [
            (RulePattern(pattern), replacement) for pattern, replacement in rules.doc.replace
        ]
        self.words_differ_outside: bool = bool(words.private_words_outside)
        inside = dict.fromkeys(words.neither_words, "") | dict.fromkeys(
            words.private_words, "private"
        )
        outside = inside | dict.fromkeys(words.private_words_outside, "private")
        exported = dict.fromkeys(words.exported_words, "exported")
        self._words = {False: inside | exported, True: outside | exported}
        self._private_names = RulePattern(words.private_names)
        self._exported_names = RulePattern(words.exported_names)
        self._blank_names = RulePattern(rules.blank_names)
        self._constants = RulePattern(rules.constants)
        marks = (SymbolFlag.TEST.value, rules.test), (SymbolFlag.DEPRECATED.value, rules.deprecated)
        self._head_marks = [(flag, RulePattern(mark.head)) for flag, mark in marks if mark.head]
        self._name_marks = [(flag, RulePattern(mark.names)) for flag, mark in marks if mark.names]
        self.header_marks: list[tuple[int, RulePattern]] = [
            (flag, RulePattern(mark.header)) for flag, mark in marks if mark.header
        ]
        self.doc_marks: list[tuple[int, RulePattern]] = [
            (flag, RulePattern(mark.doc)) for flag, mark in marks if mark.doc
        ]
        self.of_name: Callable[[str], NameFacts] = lru_cache(_CACHED)(self._read_name)
        self._of_short_head = lru_cache(_CACHED)(self._read_head)

    @cached_property
    def repairs(self) -> _Substitutions:
        """The repairs of files with errors, compiled for the first of these files, as the next two:
        they are most of all patterns."""
        return _substitutions(self._repair)

    @cached_property
    def near_repairs(self) -> _Substitutions:
        """The repairs that are made around errors alone."""
        return _substitutions([row for row in self._repair_near if len(row) < _WITH_PLACE])

    @cached_property
    def placed_repairs(self) -> _Substitutions:
        """The repairs that are made in named places."""
        return _substitutions([row for row in self._repair_near if len(row) == _WITH_PLACE])

    def of_head(self, head: str, is_outside: bool) -> HeadFacts:
        """Returns the facts in the words of a head. is_outside: whether `private_words_outside`
        count."""
        return (
            self._of_short_head(head, is_outside)
            if len(head) <= _LONG_HEAD
            else self._read_head(head, is_outside)
        )

    def _read_name(self, name: str) -> NameFacts:
        """Applies the patterns for names to a name, which is not empty."""
        visibility = ""
        if self._private_names.is_in(name):
            visibility = "private"
        elif self._exported_names.is_in(name):
            visibility = "exported"
        return NameFacts(
            self._blank_names.is_in(name),
            self._constants.is_in(name),
            visibility,
            find_flags(self._name_marks, name),
        )

    def _read_head(self, head: str, is_outside: bool) -> HeadFacts:
        words = self._words[is_outside]
        visibility = next((words[word] for word in _WORD.findall(head) if word in words), None)
        return HeadFacts(visibility, find_flags(self._head_marks, head) if head else 0)


_WORD: Final = re.compile(
    r'"[^"\n]*"|[\w#@.-]+'
)  # strings, dotted names (`@kotlin.internal.InlineOnly`) and words


def find_flags(marks: list[tuple[int, RulePattern]], text: str) -> int:
    """Returns the flags whose patterns are found in a text."""
    return sum([flag for flag, pattern in marks if pattern.is_in(text)])


@lru_cache(maxsize=64)
def rules_of(language: Language) -> CompiledRules:
    """Returns the language's rules, compiled once."""
    return CompiledRules(language)
