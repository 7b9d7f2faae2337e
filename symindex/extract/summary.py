"""What authors of queries ask: what a language's query yields, whether its folder is sound, what it makes of a file."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from symindex.errors import GrammarError, RequestError
from symindex.extract.bodies import bodies_of
from symindex.extract.documents.formats import load_formats
from symindex.extract.file_text import to_utf8
from symindex.extract.languages.language import Language, find_languages, grammar_folders, read_language
from symindex.extract.languages.registry import load_languages
from symindex.extract.parse.query import compile_query
from symindex.files.access.regular import read_regular
from symindex.protocol.kinds import SymbolKind

MOST_DUMPED_BYTES: Final = 100_000_000
"""A file that is dumped is one that the user has named, so it may be large, and a link."""


class LanguageSummary(msgspec.Struct, kw_only=True):
    """What a language's query and rules yield.

    kinds: that its definitions can have. containers: definitions enclose others, or name what they belong to.
    signatures: of definitions with a body, how many patterns say where the header ends. docs: it finds documentation.
    """

    id: str
    name: str
    files: list[str]
    kinds: list[str]
    containers: bool
    signatures: bool
    docs: bool
    patterns: int
    group: Literal["language"] = "language"


class FormatSummary(msgspec.Struct, kw_only=True):
    """A format of documents or of data. sections: whether its files have some; items may be in any."""

    id: str
    name: str
    files: list[str]
    sections: bool
    group: Literal["format"] = "format"


def summarize_languages() -> list[LanguageSummary]:
    """What is found in each of the languages that are used."""
    return [summarize_language(language) for language in load_languages().by_id.values()]


def summarize_formats() -> list[FormatSummary]:
    """The formats of documents and of data, as their table has them."""
    return [
        FormatSummary(id=known, name=row.name, files=[*row.extensions, *row.filenames], sections=bool(row.reader))
        for known, row in load_formats().by_id.items()
    ]


def summarize_language(language: Language) -> LanguageSummary:
    """What the language's query and rules say, compiled. Raises GrammarError."""
    compiled = compile_query(language)
    rules = language.rules
    kinds = {pattern.kind for pattern in compiled.patterns if pattern.kind}
    for row in rules.inside.values():
        kinds |= {becomes for inner, becomes in row.items() if inner in kinds}
    if rules.constants:
        kinds.add(SymbolKind.CONSTANT)
    if rules.constructors and SymbolKind.METHOD in kinds:
        kinds.add(SymbolKind.CONSTRUCTOR)
    captures = {capture for pattern in compiled.patterns for capture in pattern.captures}
    has_bodies = "body" in captures or compiled.grammar.field_id_for_name("body") is not None
    return LanguageSummary(
        id=language.id,
        name=language.rules.name,
        files=[*rules.extensions, *rules.filenames],
        kinds=[str(kind) for kind in SymbolKind if kind in kinds],
        containers=has_bodies or "container" in captures,
        signatures=has_bodies,
        docs="doc" in captures,
        patterns=len(compiled.patterns),
    )


class CheckLine(NamedTuple):
    """One line of a check's report."""

    text: str
    is_fault: bool


def check_languages(folders: Iterable[Path] | None = None) -> Iterator[CheckLine]:
    """A line for every language below the folders, those in use unless told otherwise; faults say what would be right."""
    tops = list(folders) if folders is not None else grammar_folders()
    known = find_languages(grammar_folders()) | find_languages(tops)
    claims: dict[tuple[str, str], list[Language]] = {}
    for folder in find_languages(tops).values():
        try:
            language = read_language(folder, known)
            summary = summarize_language(language)
            bodies_of(language)
        except GrammarError as error:
            yield CheckLine(f"{folder.name}: {error}", True)
            continue
        yield CheckLine(f"{folder.name}: ok, {summary.patterns} patterns, {len(summary.kinds)} kinds", False)
        rules = language.rules
        for sort, words in ("extension", rules.extensions), ("file name", rules.filenames), ("interpreter", rules.interpreters):
            for word in words:
                claims.setdefault((sort, word), []).append(language)
    for (sort, word), claimants in claims.items():
        silent = [language.id for language in claimants if word not in language.rules.content]
        if len(claimants) > 1 and len(silent) != 1:
            yield CheckLine(
                f"{' and '.join(language.id for language in claimants)} all claim the {sort} {word}: all but one need a "
                f"pattern for it under [content]",
                True,
            )


def open_source(file: Path, language_word: str | None) -> tuple[Language, bytes]:
    """The language of one file, the named or the recognised one, and its text. Raises RequestError."""
    try:
        data, _ = to_utf8(read_regular(file, MOST_DUMPED_BYTES, follow=True))
    except OSError as error:
        raise RequestError(f"{file}: {error.strerror}; name a source file") from None
    languages = load_languages()
    language = languages.get(language_word) if language_word else languages.by_content(file.name, data)
    if language is None:
        raise RequestError(f"{file}: no language for it; name one with --lang, see `symindex languages`")
    return language, data
