"""A language is a folder of text: `language.toml` says how its files are recognised and read, `symbols.scm` what they define.

Nothing in the Python code names a language. The rules for these folders are in `grammars/README.md`, their schema in
`extract/languages/schema`.
"""

import hashlib
import os
import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from symindex.errors import GrammarError, RequestError, one_of
from symindex.extract.languages.schema import LanguageFile
from symindex.files.access.regular import read_regular
from symindex.protocol import SymbolKind
from symindex.text.decoding import check_toml_keys, decoder_of

if TYPE_CHECKING:
    from symindex.files.ignore.selection import Selection
    from symindex.files.walk import Wanted

MOST_FILE_BYTES = 200_000
"""Of a language's rules, or of its query: ten times what any needs."""

ENV_GRAMMARS = "SYMINDEX_GRAMMARS"
"""More folders of languages, separated as in PATH; a language found there replaces the shipped one of that name."""


class Language:
    """One language, ready to use: the rules of its folder with their patterns compiled.

    id: the folder's name, which is what requests and answers call the language.
    query: the text of `symbols.scm`, with that of the languages it builds on before it.
    """

    def __init__(self, folder: Path, rules: LanguageFile, query: str) -> None:
        self.id = folder.name
        self.folder = folder
        self.rules = rules
        self.query = query
        self.kind_inside = {
            SymbolKind(outer): {SymbolKind(inner): SymbolKind(becomes) for inner, becomes in row.items()}
            for outer, row in rules.inside.items()
        }
        self.once = frozenset(SymbolKind(kind) for kind in rules.once)

    @property
    def name(self) -> str:
        """As people write it: `C++`."""
        return self.rules.name

    @cached_property
    def digest(self) -> bytes:
        """16 bytes that change whenever anything in the folder that matters for extraction does."""
        text = msgspec.json.encode(self.rules) + b"\0" + self.query.encode()
        return hashlib.blake2b(text, digest_size=16).digest()


def file_suffix(file_name: str) -> str:
    """The extension with its dot; empty where there is none. A leading dot begins a name, not an extension."""
    dot = file_name.rfind(".")
    return file_name[dot:] if dot > 0 else ""


def _shipped_folder() -> Path:
    """`grammars/` inside an installed package, beside it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "grammars"
    return inside if inside.is_dir() else package.parent / "grammars"


def grammar_folders() -> list[Path]:
    """The folders that hold languages, later ones winning: the shipped one, then those of SYMINDEX_GRAMMARS. Raises RequestError
    for one that depends on the current folder."""
    more = [Path(part) for part in os.environ.get(ENV_GRAMMARS, "").split(os.pathsep) if part]
    for folder in more:
        if not folder.is_absolute():  # it would be another one in each folder, written by whoever has made that
            raise RequestError(f"{ENV_GRAMMARS} holds {str(folder)[:200]!r}: it must be whole paths")
    return [_shipped_folder(), *more]


def read_language(folder: Path, siblings: dict[str, Path], check: bool = True, checks_patterns: bool = True) -> Language:
    """Reads one language folder; `siblings` finds the languages that its `queries` names. Raises GrammarError.

    check: whether its patterns and words are looked at.
    checks_patterns: a pattern that is none is told of here, rather than where it is first used.
    """
    path = folder / "language.toml"
    try:
        decoder_of(LanguageFile)
        check_toml_keys(text := _read(path))
        rules = msgspec.toml.decode(text, type=LanguageFile)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise GrammarError(f"{path}: {error}") from None
    except OSError as error:
        raise GrammarError(f"{path}: {error.strerror}; a language folder holds language.toml and symbols.scm") from None
    texts = []
    for name in [*rules.queries, folder.name]:
        source = siblings.get(name, folder if name == folder.name else None)
        if source is None:
            raise GrammarError(f"{path}: {one_of('language in queries', name, siblings)}")
        try:
            texts.append(_read(source / "symbols.scm"))
        except (OSError, UnicodeDecodeError) as error:
            raise GrammarError(f"{source / 'symbols.scm'}: {error}") from None
    if check:
        _check_rules(path, rules)
        if checks_patterns:
            _check_patterns(path, rules)
    return Language(folder, rules, "\n".join(texts))


def _read(path: Path) -> str:
    """A file of a language folder, which may have come with a tree whose languages somebody checks."""
    return read_regular(path, MOST_FILE_BYTES, follow=True).decode().replace("\r\n", "\n")


def _check_rules(path: Path, rules: LanguageFile) -> None:
    kinds = set(SymbolKind)
    for where, words in [
        ("inside", [*rules.inside, *(word for row in rules.inside.values() for pair in row.items() for word in pair)]),
        ("once", rules.once),
        ("visibility.inside", rules.visibility.inside),
    ]:
        for word in words:
            if word not in kinds:
                raise GrammarError(f"{path}: {where}: {one_of('kind', word, kinds)}")
    for default in [rules.visibility.default, *rules.visibility.inside.values()]:
        if default not in ("", "exported", "private", "container"):
            raise GrammarError(f"{path}: visibility {default!r}: legal are exported, private, container or empty")
    mends = [pair[:2] if len(pair) == 3 else pair for pair in [*rules.mend, *rules.repair]]
    for pair in [*rules.doc.block, *rules.doc.quotes, *rules.doc.replace, *mends]:
        if len(pair) != 2:
            raise GrammarError(
                f"{path}: {pair} is not a pair (doc.block, doc.quotes: of opening and closing marks; doc.replace, mend: of "
                f"pattern and text)"
            )


def _check_patterns(path: Path, rules: LanguageFile) -> None:
    patterns = {
        "attributes": rules.attributes,
        "declarations": rules.declarations,
        "parts": rules.parts,
        "file_parts": rules.file_parts,
        "directives": rules.directives,
        "blank_names": rules.blank_names,
        "constants": rules.constants,
        "doc.skip": rules.doc.skip,
        **{f"doc.replace {pair[0]!r}": pair[0] for pair in rules.doc.replace if pair},
        **{f"mend or repair {pair[0]!r}": pair[0] for pair in [*rules.mend, *rules.repair] if pair},
        "visibility.exported_names": rules.visibility.exported_names,
        "visibility.private_names": rules.visibility.private_names,
        **{f"content.{extension}": pattern for extension, pattern in rules.content.items()},
        **{
            f"{key}.{field}": getattr(getattr(rules, key), field)
            for key in ("test", "deprecated")
            for field in ("head", "header", "names", "doc")
        },
    }
    for key, pattern in patterns.items():
        try:
            compile_pattern(pattern)
        except re.error as error:
            raise GrammarError(f"{path}: {key}: {error}") from None


def find_languages(folders: Iterable[Path]) -> dict[str, Path]:
    """The language folders below each of `folders`, by name, later ones winning."""
    found: dict[str, Path] = {}
    for top in folders:
        try:
            entries = sorted(entry for entry in top.iterdir() if entry.is_dir() and not entry.name.startswith((".", "_")))
        except OSError as error:
            raise GrammarError(f"{top}: {error.strerror}; name a folder of language folders") from None
        found.update((entry.name, entry) for entry in entries)
    return found


class Languages:
    """All languages at hand, and which of them a file is written in.

    chosen: ids of those whose files are read; none: all. The others are known all the same: of a file that several may claim it
    must be told that it is in one that was not chosen.
    kept_in: folders that hold them as they are (`extract/languages/language_cache`).
    """

    def __init__(self, languages: Iterable[Language], chosen: Iterable[str] = ()) -> None:
        self.chosen = frozenset(chosen)
        self.kept_in: set[Path] = set()
        self.by_id = {language.id: language for language in sorted(languages, key=lambda language: language.id)}
        self._of_extension: dict[str, list[Language]] = {}
        self._of_filename: dict[str, Language] = {}
        self._of_interpreter: dict[str, Language] = {}
        for language in self.by_id.values():
            for extension in language.rules.extensions:
                self._of_extension.setdefault(extension, []).append(language)
            self._of_filename.update((name, language) for name in language.rules.filenames)
            self._of_interpreter.update((name, language) for name in language.rules.interpreters)
        for extension, claimants in self._of_extension.items():
            # Those with a pattern are asked first; the one without gets the rest.
            claimants.sort(key=lambda language: extension not in language.rules.content)

    def choose(self, words: Iterable[str]) -> "Languages":
        """These languages, of which only some are to be read; without words, all. Raises as `get`."""
        chosen = Languages(self.by_id.values(), [self.get(word).id for word in words])
        chosen.kept_in = self.kept_in
        return chosen

    def is_chosen(self, language: Language) -> bool:
        """Whether files in this language are to be read."""
        return not self.chosen or language.id in self.chosen

    @cached_property
    def extensions(self) -> frozenset[str]:
        """The extensions that some chosen language claims, in lower case."""
        return frozenset(extension for extension, claimants in self._of_extension.items() if any(map(self.is_chosen, claimants)))

    @cached_property
    def filenames(self) -> frozenset[str]:
        """The whole names that some chosen language claims."""
        return frozenset(name for name, language in self._of_filename.items() if self.is_chosen(language))

    @cached_property
    def unchosen(self) -> frozenset[str]:
        """The extensions and whole names that are claimed, but by no chosen language."""
        return frozenset(self._of_extension).union(self._of_filename) - self.extensions - self.filenames

    def wanted(self, max_file_bytes: int, selection: "Selection | None" = None) -> "Wanted":
        """Which files a walk takes: whatever is of some language that is chosen, where the selection has it. Default:
        everywhere."""
        from symindex.files.ignore.selection import EVERYTHING  # here, because processes that parse walk through nothing
        from symindex.files.walk import Wanted

        return Wanted(self.extensions, self.filenames, max_file_bytes, selection or EVERYTHING, self.unchosen)

    def get(self, word: str) -> Language:
        """The language of that id, name or extension, whatever the case. Raises RequestError listing the legal ones."""
        lower = word.lower()
        for language in self.by_id.values():
            if lower in (language.id, language.name.lower(), *language.rules.editor_ids):
                return language
        claimants = self._of_extension.get(lower if lower.startswith(".") else f".{lower}")
        if claimants:
            return claimants[-1]
        raise one_of("language", word, self.by_id)

    def by_name(self, file_name: str, suffix: str | None = None) -> list[Language]:
        """The languages that a file of this name can be in; more than one where only the content tells.

        suffix: `file_suffix` of the name, from who knows it.
        """
        language = self._of_filename.get(file_name)
        if language is not None:
            return [language]
        if suffix is None:
            suffix = file_suffix(file_name)
        return self._of_extension.get(suffix) or self._of_extension.get(suffix.lower()) or []

    def by_content(self, file_name: str, data: bytes) -> Language | None:
        """The language of a file, from its name, then its first line, then patterns on its content."""
        claimants = self.by_name(file_name)
        if not claimants and "." not in file_name.lstrip("."):
            return self._by_shebang(data)
        if len(claimants) > 1:
            suffix = file_suffix(file_name).lower()
            text = data[:_CONTENT_BYTES].decode("utf-8", "replace")
            for language in claimants:
                pattern = language.rules.content.get(suffix)
                if pattern is None or compile_pattern(pattern).search(text):
                    return language
        return claimants[-1] if claimants else None

    def _by_shebang(self, data: bytes) -> Language | None:
        if not data.startswith(b"#!"):
            return None
        words = data[2:200].split(b"\n", 1)[0].decode("ascii", "replace").split()
        names = [word.rsplit("/", 1)[-1] for word in words if not word.startswith("-") and "=" not in word]
        if names and names[0] == "env":
            del names[0]
        if not names:
            return None
        return self._of_interpreter.get(names[0]) or self._of_interpreter.get(names[0].rstrip("0123456789.-"))

    @cached_property
    def digest(self) -> bytes:
        """16 bytes that change whenever any language does."""
        hasher = hashlib.blake2b(digest_size=16)
        for language in self.by_id.values():
            hasher.update(language.id.encode() + b"\0" + language.digest)
        return hasher.digest()


_CONTENT_BYTES = 64 * 1024
"""How much of a file the patterns on its content see: heads and first declarations, not a whole amalgamation."""


def load_languages(folders: Iterable[Path] | None = None, check: bool = True) -> Languages:
    """Reads every language folder, the shipped ones and those of SYMINDEX_GRAMMARS unless told otherwise.

    check: whether to look for mistakes in them, which takes ten times as long. Raises GrammarError that names one.
    """
    return _load(tuple(folders if folders is not None else grammar_folders()), check)


@lru_cache(maxsize=8)
def _load(folders: tuple[Path, ...], check: bool) -> Languages:
    # The patterns of the shipped languages are checked by tests; to compile those of all takes longer than to search an index.
    siblings = find_languages(folders)
    shipped = _shipped_folder()
    return Languages(read_language(folder, siblings, check, folder.parent != shipped) for folder in siblings.values())


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern of a language's rules, compiled once; `^` and `$` match at lines, `\\p{Lu}` is any upper-case letter."""
    if r"\p{Lu}" in pattern:
        pattern = pattern.replace(r"\p{Lu}", f"[{_upper_case_letters()}]")
    return re.compile(pattern, re.MULTILINE)


@lru_cache(maxsize=256)
def compile_bytes(pattern: str) -> re.Pattern[bytes]:
    """A pattern of a language's rules that is searched in bytes, compiled once; `^` and `$` match at lines."""
    return re.compile(pattern.encode(), re.MULTILINE)


@lru_cache(maxsize=1)
def _upper_case_letters() -> str:
    return "".join(filter(str.isupper, map(chr, range(0x10000))))
