"""Answers authors of queries: what a language's query yields, whether its folder is sound, and how
a file is read."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

import msgspec

from symindex.errors import GrammarError, RequestError
from symindex.extract.documents.formats import load_formats
from symindex.extract.languages.language import (
    NO_LANGUAGE_FOLDER,
    Language,
    find_languages,
    grammar_folders,
    in_folder,
    read_language,
    read_rules,
)
from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.languages.schema import LanguageFile
from symindex.extract.parse.author_tools import check_for_author
from symindex.extract.parse.binding_query import check_bindings
from symindex.extract.parse.grammar import load_grammar
from symindex.extract.parse.query import compile_query, without_foreign_nodes
from symindex.extract.parse.skipping.bodies import bodies_of
from symindex.extract.texts.file_text import to_utf8
from symindex.files.access.regular import read_regular
from symindex.protocol.kinds import SymbolKind
from symindex.text.counts import count_of

MOST_DUMPED_BYTES: Final = 100_000_000
"""Largest file that is dumped, in bytes. The user has named it, so it may be large, and a link."""


Tier = Literal["full", "good", "basic"]


class LanguageSummary(msgspec.Struct, kw_only=True):
    """What a language's query and rules yield.

    kinds: those that its definitions can have. containers: whether definitions enclose others, or
    name their container. signatures: whether something marks the end of a definition's header.
    docs: whether it finds documentation. flags: whether it finds visibility, tests or deprecation.
    embeds: the languages of embedded code that the query names. tier: `full` with all of these,
    `good` with containers and signatures, else `basic`; at least that of the embedded code.
    """

    id: str
    name: str
    tier: Tier
    files: list[str]
    kinds: list[str]
    containers: bool
    signatures: bool
    docs: bool
    flags: bool
    embeds: list[str]
    group: Literal["language"] = "language"


class FormatSummary(msgspec.Struct, kw_only=True):
    """A format of documents or data. sections: whether its files have sections; all may have
    items."""

    id: str
    name: str
    files: list[str]
    sections: bool
    group: Literal["format"] = "format"


def summarize_languages() -> list[LanguageSummary]:
    """Describes each of the languages in use."""
    languages = load_languages(check=False).by_id
    used: dict[str, LanguageSummary] = {}
    for language in sorted(
        languages.values(), key=lambda language: bool(_EMBEDDED.search(language.query))
    ):
        used[language.id] = row = summarize_language(language)
        row.tier = min(
            [row.tier, *(used[embed].tier for embed in row.embeds if embed in used)],
            key=_TIERS.index,
        )
    return sorted(used.values(), key=lambda row: row.id)


def language_faults() -> tuple[str, ...]:
    """Returns why folders of languages are left out, a line each."""
    return load_languages(check=False).faults


def summarize_formats() -> list[FormatSummary]:
    """Describes the formats of documents and data, in the order of their table."""
    return [
        FormatSummary(
            id=formats,
            name=row.name,
            files=[*row.extensions, *row.filenames],
            sections=bool(row.reader),
        )
        for formats, row in load_formats().by_id.items()
    ]


def summarize_language(language: Language) -> LanguageSummary:
    """Describes a language by its query and rules. The query is not compiled, because all of them
    take seconds. Raises GrammarError."""
    rules, query = (
        language.rules,
        _COMMENTS.sub("", without_foreign_nodes(language.query, load_grammar(language))),
    )
    kinds = set(_DEFINITION.findall(query))
    for row in rules.inside.values():
        kinds |= {becomes for inner, becomes in row.items() if inner in kinds}
    if rules.constants or "#set! kind constant" in query:
        kinds.add(SymbolKind.CONSTANT)
    if rules.constructors and SymbolKind.METHOD in kinds:
        kinds.add(SymbolKind.CONSTRUCTOR)
    captures = set(_CAPTURE.findall(query))
    says_where = "body" in captures or "#set! extent rest" in query
    has_bodies = bool(kinds) and (
        says_where or load_grammar(language).field_id_for_name("body") is not None
    )
    has_containers = has_bodies or "container" in captures
    seen, marks = rules.visibility, (rules.test, rules.deprecated)
    has_flags = any(
        [
            seen.default,
            seen.inside,
            seen.exported_names,
            seen.private_names,
            rules.test_paths,
            "(#set! flag" in query,
        ]
    )
    has_flags = has_flags or any(
        getattr(mark, key) for mark in marks for key in mark.__struct_fields__
    )
    is_full = has_containers and has_bodies and "doc" in captures and has_flags
    return LanguageSummary(
        id=language.id,
        name=language.rules.name,
        tier="full" if is_full else "good" if has_containers and has_bodies else "basic",
        files=[*rules.extensions, *rules.filenames],
        kinds=[str(kind) for kind in SymbolKind if kind in kinds],
        containers=has_containers,
        signatures=has_bodies,
        docs="doc" in captures,
        flags=has_flags,
        embeds=sorted({*_EMBEDDED.findall(query)}),
    )


_TIERS: Final = get_args(Tier)
_COMMENTS: Final = re.compile(r"(?m)^[ \t]*+;.*$")
_DEFINITION: Final = re.compile(r"@definition\.(\w+)")
_CAPTURE: Final = re.compile(r"@(\w+)")
_EMBEDDED: Final = re.compile(r"#set! language (\w+)")


class CheckLine(NamedTuple):
    """One line of a check's report."""

    text: str
    is_fault: bool


def check_languages(
    folders: Iterable[Path] | None = None, begin: Callable[[str], object] = lambda _: None
) -> Iterator[CheckLine]:
    """Checks every language below the folders; by default, those in use. Yields a line for each,
    with hints for its faults.

    begin: called with the name of each language before it is checked, as a check may never end.
    """
    tops = list(folders) if folders is not None else grammar_folders()
    checked = _found_below(tops)
    yield from checked.lines
    languages = (
        find_languages(grammar_folders()[:1])
        | _found_below(grammar_folders()[1:]).folders
        | checked.folders
    )
    read: list[Language] = []
    for folder in checked.folders.values():
        begin(folder.name)
        try:
            language = read_language(folder, languages)
            patterns = compile_query(language).patterns
            check_bindings(language)
            check_for_author(language)
            bodies_of(language)
            n_kinds = len(summarize_language(language).kinds)
        except GrammarError as error:
            yield CheckLine(f"{folder.name}: {in_folder(error, languages)}", True)
            continue
        read.append(language)
        yield CheckLine(
            f"{folder.name}: ok, {count_of(len(patterns), 'pattern')}, {count_of(n_kinds, 'kind')}",
            False,
        )
    siblings = (
        language
        for language in load_languages(check=False).by_id.values()
        if language.id not in checked.folders
    )
    yield from _tell_claims(read, list(siblings) if folders is not None else [])


def told_of_folder(error: GrammarError) -> str:
    """Returns the message of an error of a language in use, with the path of its folder and the
    line."""
    return str(in_folder(error, _found_below(grammar_folders()).folders))


class _FoundFolders(NamedTuple):
    """Language folders, by name. lines: faults of folders that cannot be listed, and of names that
    two of them have."""

    folders: dict[str, Path]
    lines: list[CheckLine]


def _found_below(tops: Iterable[Path]) -> _FoundFolders:
    folders: dict[str, Path] = {}
    lines: list[CheckLine] = []
    for top in tops:
        try:
            by_name = find_languages([top])
        except GrammarError as error:
            lines.append(CheckLine(f"symindex: {error}", True))
            continue
        if not by_name:
            lines.append(CheckLine(f"symindex: {top}: {NO_LANGUAGE_FOLDER}", True))
        for name in by_name.keys() & folders.keys():
            lines.append(
                CheckLine(
                    f"{name}: {by_name[name]} is used, {folders[name]} is not: of several folders"
                    " with the same name, the last wins",
                    False,
                )
            )
        folders |= by_name
    return _FoundFolders(folders, lines)


def _tell_claims(languages: list[Language], siblings: list[Language]) -> Iterator[CheckLine]:
    """Yields a fault for each file name that several languages claim without patterns that tell
    them apart."""
    claims: dict[tuple[str, str], list[Language]] = {}
    own_claims = {language.id for language in languages}
    for language in [*languages, *siblings]:
        rules = language.rules
        for sort, words in (
            ("extension", rules.extensions),
            ("file name", rules.filenames),
            ("interpreter", rules.interpreters),
        ):
            for word in words:
                claims.setdefault((sort, word), []).append(language)
    for (sort, word), claimants in claims.items():
        names = [language.id for language in claimants]
        silent = [language.id for language in claimants if word not in language.rules.content]
        if len(silent) > 1 and not own_claims.isdisjoint(silent):
            how = (
                "all but one need a pattern for it under [content]"
                if sort == "extension"
                else "only one of them can have it"
            )
            yield CheckLine(f"{' and '.join(names)} all claim the {sort} {word}: {how}", True)


def open_grammar(file: Path, name: str) -> tuple[Language, bytes]:
    """Returns a grammar as a language of its own, by the name that `grammar` has in
    `language.toml`, and the text of a file. Raises RequestError."""
    language = Language(name, LanguageFile(name, name), "")
    try:
        load_grammar(language)
    except GrammarError as error:
        raise RequestError(f"--{str(error).partition(': ')[2]}") from None
    return language, _read_source(file)


def open_tree(file: Path, language_word: str | None) -> tuple[Language, bytes]:
    """Returns the language of a file for its syntax tree, which exists before the language's query
    is written or right, and its text. Raises RequestError."""
    begun: list[Language] = []
    for folder in _found_below(grammar_folders()[1:]).folders.values():
        with suppress(GrammarError):
            begun.append(Language(folder.name, read_rules(folder), ""))
    begun_ids = {language.id for language in begun}
    data, all_languages = _read_source(file), load_languages()
    languages = Languages(
        [
            *(
                language
                for language in all_languages.by_id.values()
                if language.id not in begun_ids
            ),
            *begun,
        ]
    )
    languages.faults = all_languages.faults
    return _language_of(languages, file, data, language_word), data


def open_source(file: Path, language_word: str | None) -> tuple[Language, bytes]:
    """Returns the language of one file, the named or the recognised one, and its text. Raises
    RequestError."""
    data = _read_source(file)
    return _language_of(load_languages(), file, data, language_word), data


def _read_source(file: Path) -> bytes:
    try:
        return to_utf8(read_regular(file, MOST_DUMPED_BYTES, follow=True))[0]
    except OSError as error:
        raise RequestError(f"{file}: {error.strerror}; name a source file") from None


def _language_of(
    languages: Languages, file: Path, data: bytes, language_word: str | None
) -> Language:
    left_out = "".join(f"; left out: {fault}" for fault in languages.faults)
    try:
        language = (
            languages.get(language_word) if language_word else languages.by_content(file.name, data)
        )
    except RequestError as error:
        raise RequestError(f"{error}{left_out}") from None
    if language is None:
        raise RequestError(
            f"{file}: no language for it; name one with --lang, see `symindex languages`{left_out}"
        )
    return language
