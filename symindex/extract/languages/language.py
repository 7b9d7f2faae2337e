"""A language is a folder of text: `language.toml` says how its files are recognised and read,
`symbols.scm` what they define.

No language is named in the Python code. `grammars/README.md` has the rules for these folders,
`schema` the keys.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property, lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Final, get_args, get_type_hints

import msgspec

from symindex.configuration import read_configuration
from symindex.errors import GrammarError, RequestError, right_words
from symindex.extract.languages.schema import LanguageFile, Substitution, UnusedRules, line_of
from symindex.files.access.regular import read_regular
from symindex.protocol.kinds import DATA_KINDS, SymbolKind
from symindex.text.decoding import check_toml_keys, decoder_of

MOST_FILE_BYTES: Final = 200_000
"""Largest `language.toml` or query, in bytes: ten times what any language needs."""

ENV_GRAMMARS: Final = "SYMINDEX_GRAMMARS"
"""Environment variable for more folders of languages, separated as in PATH. A language in one of
them replaces the shipped one of the same name."""


_DEFINITION: Final = re.compile(r"(?m)^[^;\n]*@definition\.(\w+)")


class Language(msgspec.Struct, frozen=True, eq=False, dict=True, array_like=True):
    """One language.

    id: the name of its folder, by which requests and answers call the language. query: the text of
    `symbols.scm`, after the queries of the languages that it builds on. bindings: the text of
    `bindings.scm`, likewise; empty if the folder has none.
    """

    id: str
    rules: LanguageFile
    query: str
    bindings: str = ""

    @cached_property
    def embeds(self) -> bool:
        """Whether its files may contain code in other languages."""
        return "#set! language" in self.query or "@language" in self.query

    @cached_property
    def is_data(self) -> bool:
        """Whether its files contain data, not code: all their definitions are keys and tables."""
        kinds = {*_DEFINITION.findall(self.query)}
        return bool(kinds) and not self.embeds and kinds <= DATA_KINDS

    @cached_property
    def digest(self) -> bytes:
        """A digest of 16 bytes of everything in the folder that affects extraction."""
        extracting = msgspec.structs.replace(self.rules, unused=UnusedRules())
        parts = msgspec.json.encode(extracting), self.query.encode(), self.bindings.encode()
        text = b"\0".join(parts)
        return hashlib.blake2b(text, digest_size=16).digest()


def _shipped_folder() -> Path:
    """Returns `grammars/`: inside an installed package, next to the package in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "grammars"
    return inside if inside.is_dir() else package.parent / "grammars"


def grammar_folders() -> list[Path]:
    """Returns the folders that contain languages, later ones winning: the shipped one, those of the
    user's configuration, and those of SYMINDEX_GRAMMARS. Raises RequestError for a relative
    path."""
    folders = [_shipped_folder()]
    variable = os.environ.get(ENV_GRAMMARS, "").split(os.pathsep)
    for place, words in (
        ("grammars in config.toml", read_configuration().grammars),
        (ENV_GRAMMARS, filter(None, variable)),
    ):
        for word in words:
            folder = Path(word).expanduser()
            if (
                not folder.is_absolute()
            ):  # it would be another folder in each tree, written by the author of that tree
                raise RequestError(f"{place} contains {word[:200]!r}: paths must be absolute")
            folders.append(folder)
    return folders


def find_languages(folders: Iterable[Path]) -> dict[str, Path]:
    """Returns the language folders below each of `folders`, or `folders` that are language folders
    themselves, by name; later ones win."""
    languages: dict[str, Path] = {}
    for top in folders:
        try:
            with os.scandir(top) as listed:
                names = sorted(
                    entry.name
                    for entry in listed
                    if entry.is_dir() and not entry.name.startswith((".", "_"))
                )
            entries = [top / name for name in names]
            if (top / "language.toml").is_file():
                entries = [Path(os.path.abspath(top))]
        except OSError as error:
            raise GrammarError(
                f"{top}: {error.strerror}; name a language folder, or a folder of language folders"
            ) from None
        languages.update((entry.name, entry) for entry in entries)
    return languages


def read_rules(folder: Path) -> LanguageFile:
    """Reads the `language.toml` of a folder and checks its keys alone. Raises GrammarError."""
    path = folder / "language.toml"
    text = ""
    try:
        decoder_of(LanguageFile)
        check_toml_keys(text := _read(path))
        return msgspec.toml.decode(text, type=LanguageFile)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise GrammarError(f"{path}{_tell_keys(str(error), text)}") from None
    except OSError as error:
        raise GrammarError(
            f"{path}: {error.strerror}; a language folder contains language.toml and symbols.scm"
        ) from None


def _tell_keys(error: str, text: str) -> str:
    """Explains the fault of a `language.toml`: the key or word, its line, and a hint at what would
    be right."""
    unknown, place = (
        re.search(r"unknown field `(\w+)`", error),
        re.search(r" - at `\$\.?([\w.]*)", error),
    )
    table = place[1].partition(".")[0] if place else ""
    key = ".".join(filter(None, (place[1] if place else "", unknown[1] if unknown else "")))
    line = line_of(text, key) if key else 0
    known_keys = (
        getattr(LanguageFile(name="", grammar=""), table, None)
        if table
        else LanguageFile(name="", grammar="")
    )
    keys = getattr(known_keys, "__struct_fields__", ())
    legal = right_words(unknown[1], keys) if unknown and keys else ""
    if wrong := re.search(r"Invalid enum value '(.*?)'", error):
        legal = right_words(wrong[1], filter(None, get_args(get_type_hints(LanguageFile).get(key))))
    return f"{f':{line}' if line else ''}: {error}{legal}"


def read_language(
    folder: Path, siblings: dict[str, Path], check: bool = True, checks_patterns: bool = True
) -> Language:
    """Reads one language folder. Raises GrammarError.

    siblings: the folders of the languages that its `queries` may name. check: whether to check its
    words. checks_patterns: whether to check its patterns too; otherwise a wrong one shows when it
    is first used.
    """
    path, rules = folder / "language.toml", read_rules(folder)
    for name in reversed(rules.repairs_of):
        rules = _with_repairs(path, rules, name, siblings)
    texts, bindings = [], []
    for name in [*rules.queries, folder.name]:
        source = siblings.get(name, folder if name == folder.name else None)
        if source is None:
            raise _fault(
                path, "queries", name, f"unknown language {name!r}{right_words(name, siblings)}"
            )
        try:
            text = _read(source / "symbols.scm")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise GrammarError(f"{source / 'symbols.scm'}: {reason}; {HOW_TO_BEGIN}") from None
        texts.append(f"{QUERY_OF}{name}\n{text}")
        bindings.append(f"{QUERY_OF}{name}\n{_read_bindings(source)}")
    has_bindings = (folder / BINDINGS).exists()
    if check:
        _check_rules(path, rules)
        if checks_patterns:
            _check_patterns(path, rules)
    return Language(
        folder.name, rules, "\n".join(texts), "\n".join(bindings) if has_bindings else ""
    )


BINDINGS: Final = "bindings.scm"


def _read_bindings(folder: Path) -> str:
    """Returns the `bindings.scm` of a language folder, empty if it has none."""
    try:
        return _read(folder / BINDINGS)
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise GrammarError(f"{folder / BINDINGS}: {reason}") from None


def _with_repairs(
    path: Path, rules: LanguageFile, name: str, siblings: Mapping[str, Path]
) -> LanguageFile:
    """Returns the rules of a language with the repairs of the language that it names in
    `repairs_of`."""
    if name not in siblings:
        raise _fault(
            path, "repairs_of", name, f"unknown language {name!r}{right_words(name, siblings)}"
        )
    base = read_rules(siblings[name])
    return msgspec.structs.replace(
        rules,
        mend=_joined(base.mend, rules.mend),
        repair=_joined(base.repair, rules.repair),
        repair_near=_joined(base.repair_near, rules.repair_near),
        branches=rules.branches if rules.branches.open else base.branches,
    )


def _joined(rows: list[Substitution], own: list[Substitution]) -> list[Substitution]:
    return [*rows, *(row for row in own if row not in rows)]


def in_folder(error: GrammarError, folders: Mapping[str, Path]) -> GrammarError:
    """Returns the error with the path of its folder and the line of its key. The folder may be
    anywhere."""
    text = str(error)
    match = re.match(r"grammars/([^/\n]+)/", text)
    if match is None or match[1] not in folders:
        return error
    folder, message = folders[match[1]], text[match.end() :]
    if error.key:
        message = f"{_at_key('language.toml', folder / 'language.toml', error.key, error.word)}{message.removeprefix('language.toml')}"  # noqa: E501
    return GrammarError(f"{folder}/{message}")


def _at_key(shown: object, path: Path, key: str, word: str) -> str:
    """Returns the name of a `language.toml`, with the line of one of its keys, or of a word
    there."""
    line = 0
    with suppress(OSError, UnicodeDecodeError):
        line = line_of(_read(path), key, word)
    return f"{shown}:{line}" if line else str(shown)


def _fault(path: Path, key: str, word: str, message: str) -> GrammarError:
    return GrammarError(f"{_at_key(path, path, key, word)}: {key}: {message}")


NO_LANGUAGE_FOLDER: Final = (
    "no folder in it; name a language folder, or a folder of language folders"
)

QUERY_OF: Final = "; symbols.scm of "
"""Begins the line before the query of each language, in a text of several queries."""

HOW_TO_BEGIN: Final = "`symindex dump --tree FILE` shows the nodes that patterns name"


def _read(path: Path) -> str:
    """Reads a file of a language folder, which may have come with a foreign tree."""
    return read_regular(path, MOST_FILE_BYTES, follow=True).decode().replace("\r\n", "\n")


def _check_rules(path: Path, rules: LanguageFile) -> None:
    kinds = set(SymbolKind)
    for key, words in [
        (
            "inside",
            [
                *rules.inside,
                *(word for row in rules.inside.values() for pair in row.items() for word in pair),
            ],
        ),
        ("once", rules.once),
        ("clauses", rules.clauses),
        ("visibility.inside", rules.visibility.inside),
    ]:
        for word in words:
            if word not in kinds:
                raise _fault(path, key, word, f"unknown kind {word!r}{right_words(word, kinds)}")
    defaults = [("visibility.default", rules.visibility.default)]
    defaults += [
        (f"visibility.inside.{kind}", word) for kind, word in rules.visibility.inside.items()
    ]
    for key, default in defaults:
        if default not in ("", "exported", "private", "container"):
            raise _fault(
                path,
                key,
                default,
                f"{default!r}: expected one of exported, private, container, or nothing",
            )
    _check_names(path, rules)


def _check_names(path: Path, rules: LanguageFile) -> None:
    """Checks the keys that files are recognised by."""
    for key, words in ("extensions", rules.extensions), ("content", rules.content):
        for word in words:
            right = f".{word.lower().removeprefix('*').removeprefix('.')}"
            if word != right and not re.fullmatch(r"\.[A-Z]", word):  # `.C` is not `.c`
                raise _fault(
                    path, key, word, f"{word!r} must begin with a dot, in lower case: {right!r}"
                )
    for word in rules.content.keys() - rules.extensions:
        raise _fault(path, "content", word, f"{word!r} is not one of the extensions")
    for glob in rules.test_paths:
        if glob.endswith("/"):
            raise _fault(
                path,
                "test_paths",
                glob,
                f"{glob!r} is not a file: for all files in that folder, write {glob + '*'!r}",
            )
        if re.search(r"\[(?!!?\]?[^\]]*\])", glob):
            raise _fault(
                path,
                "test_paths",
                glob,
                f"{glob!r}: the bracket is not closed; write `[[]` for a bracket",
            )


_PATTERNS: Final = (
    "attributes",
    "declarations",
    "parts",
    "file_parts",
    "directives",
    "function_types",
    "typed_names",
    "blank_names",
    "constants",
    "doc.skip",
    "doc.of_file",
    "doc.before",
    "doc.behind",
    "visibility.exported_names",
    "visibility.private_names",
    "test.head",
    "test.header",
    "test.names",
    "test.doc",
    "deprecated.head",
    "deprecated.header",
    "deprecated.names",
    "deprecated.doc",
    "branches.open",
    "branches.next",
    "branches.close",
    "branches.negated",
    "branches.quiet",
    "branches.goes_on",
    "branches.continues",
    "blocks.between",
    "blocks.heads",
    "blocks.flat",
    "statements.begins",
    "statements.comments",
    "statements.hides",
    "statements.separators",
    "statements.delimiter",
    "statements.stops",
    "statements.bodies",
    "statements.declares",
    "statements.opens",
    "statements.closes",
    "statements.goes_on",
    "statements.tags",
    "statements.names",
    "unused.names",
    "unused.decorator",
    "unused.expressions",
    "unused.shared",
    "unused.computed",
    "unused.layouts",
    "unused.extracted",
)
"""The keys of a `language.toml` with one pattern each."""


def _check_patterns(path: Path, rules: LanguageFile) -> None:
    patterns = [(key, attrgetter(key)(rules)) for key in _PATTERNS]
    patterns += [(f"content.{extension}", pattern) for extension, pattern in rules.content.items()]
    for key, pairs in (
        ("doc.replace", rules.doc.replace),
        ("mend", rules.mend),
        ("repair", rules.repair),
        ("repair_near", rules.repair_near),
    ):
        patterns += [
            (f"{key} {pattern!r}", pattern) for row in pairs for pattern in (row[0], *row[3:])
        ]
    blocks = rules.blocks
    of_blocks = [
        *blocks.quiet,
        *blocks.unclosed,
        *(word for row in blocks.pairs for word in row[:2]),
    ]
    # the closing pattern may refer to the opening one
    of_blocks += [opens for opens, _ in blocks.texts]
    patterns += [("blocks", pattern) for pattern in of_blocks]
    patterns += [
        ("statements", pattern)
        for pattern in (*rules.statements.quiet, *(row[0] for row in rules.statements.heads))
    ]
    patterns += [("repair_signs", pattern) for pattern in rules.repair_signs]
    for key, pattern in patterns:
        try:
            compile_pattern(pattern)
        except re.error as error:
            name = key.partition(" ")[0]
            raise GrammarError(
                f"{_at_key(path, path, name, pattern)}: {key}: {error}, in {pattern!r}"
            ) from None


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern of a language's rules, once; `^` and `$` match at lines, `\\p{Lu}` is any
    upper-case letter."""
    if r"\p{Lu}" in pattern:
        pattern = pattern.replace(r"\p{Lu}", f"[{_upper_case_letters()}]")
    return re.compile(pattern, re.MULTILINE)


@lru_cache(maxsize=256)
def compile_bytes(pattern: str) -> re.Pattern[bytes]:
    """Compiles a pattern of a language's rules that is searched in bytes, once; `^` and `$` match
    at lines."""
    return re.compile(pattern.encode(), re.MULTILINE)


@lru_cache(maxsize=1)
def _upper_case_letters() -> str:
    return "".join(filter(str.isupper, map(chr, range(0x10000))))
