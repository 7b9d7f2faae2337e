"""A language is a folder of text: `language.toml` says how its files are recognised and read, `symbols.scm` what they define.

Nothing in the Python code names a language. The rules for these folders are in `grammars/README.md`; the structs below
are their schema, and a key that is not here is an error.
"""

import hashlib
import os
import re
import sys
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec

from symindex.decoding import check_toml_keys, decoder_of
from symindex.errors import GrammarError, RequestError, one_of
from symindex.files.regular import read_regular
from symindex.protocol import SymbolKind
from symindex.source.possessive import compile_atomic

MOST_FILE_BYTES = 200_000
"""Of a language's rules, or of its query: ten times what any needs."""

ENV_GRAMMARS = "SYMINDEX_GRAMMARS"
"""More folders of languages, separated as in PATH; a language found there replaces the shipped one of that name."""


class DocRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How comments are told from their text.

    line: markers that open a line comment, longest first.
    block: pairs that open and close a block comment; leading `*` of the lines inside are dropped.
    quotes: pairs around docstrings, tried in order.
    skip: a comment that matches this pattern is not documentation (editor settings, licence heads).
    replace: pairs of a pattern and its replacement, for markup in the lines of a doc; a line that they leave empty goes.
    """

    line: list[str] = []
    block: list[list[str]] = []
    quotes: list[list[str]] = []
    skip: str = ""
    replace: list[list[str]] = []


class VisibilityRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The language's convention for what other files can see.

    default: `exported`, `private`, or empty where the language does not say.
    exported_words, private_words, neither_words: words in the header before the name; the first that is found decides.
    private_words_outside: the same, for what stands in no type (`static`, which says something else of members).
    exported_names, private_names: patterns for the name itself, tried after the words.
    inside: the default inside a container of some kind; `container` means as visible as that is.
    """

    default: str = ""
    inside: dict[str, str] = {}
    exported_words: list[str] = []
    private_words: list[str] = []
    private_words_outside: list[str] = []
    neither_words: list[str] = []
    exported_names: str = ""
    private_names: str = ""


class MarkRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Patterns that set a flag on a symbol: searched in its header (attributes included), in `head`, which is the part of
    the header before the name (a parameter's attributes are not in it), in its name, or in its doc."""

    head: str = ""
    header: str = ""
    names: str = ""
    doc: str = ""


class BodyRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Bodies between braces that define nothing, so that the parser need not see them (`source/bodies`). The patterns are
    searched in bytes; those of a list are tried one after the other.

    signs: texts of which a file holds one where it is worth the pass; none: it always is.
    breaks: the characters with which strings, comments and the like begin.
    quiet: what begins with them: stretches in which braces mean nothing, and a break that opens none. A file that holds a break
        which is neither is parsed as it is.
    comments: what counts for nothing in what follows, but not in `inside`.
    heads: what ends, up to blanks, where a body's brace stands. It is searched from the brace or semicolon before on; a pattern
        that begins with `\\A` is all that stands there.
    values: the same for lists of values.
    others: what is found there where the brace is none of a body all the same.
    inner: what begins there, at a brace in a body, where something is defined with that brace.
    inside: what is found in a body where something may be defined. Such a body is seen; the bodies in it are judged one by one.
    behind: what stands behind a body that is seen.
    filler: what the parser sees in place of a function's body, where the grammar could take empty braces for something else.
    """

    signs: list[str] = []
    breaks: str = ""
    quiet: list[str] = []
    comments: str = "(?!)"
    heads: list[str] = []
    values: list[str] = []
    others: list[str] = []
    inner: str = ""
    inside: list[str] = []
    behind: str = ""
    filler: str = ""


class SuiteRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The same where not braces but lines tell how far a body reaches.

    body: a pattern that reads on to the next body and over it, or to the end. Of its groups, `first` begins where the first
        statement does, `kept` is a docstring, and `rest` ends with the last statement.
    filler: what the parser sees in place of the first statement where no docstring is kept. closer: what the body ends with.
    inside: what is found in a body where something may be defined.
    """

    body: str = ""
    filler: str = ""
    closer: str = ""
    inside: list[str] = []


class LanguageFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The schema of `language.toml`.

    name: as people write it. grammar: the grammar's name in the language pack.
    extensions (with the dot, lower case), filenames, interpreters: how files are recognised.
    editor_ids: what editors call the language, where that is neither its id nor its name.
    format_names: what formats of other programs call it (`render/export`), where that is not its name.
    content: for an extension that several languages claim, a pattern that decides for this one; the claimant without a
        pattern gets the rest.
    queries: languages whose `symbols.scm` come before this one's own.
    separators: what the language writes between the parts of a qualified name, other than `.`; they become dots in containers
        and in the names of namespaces.
    name_trim: quotes, cut from a captured name that begins and ends with the same one.
    name_prefix: what may open a name and is no part of it.
    name_until: what ends a name that is not quoted, though the grammar's token goes on (`alias ll=ls`).
    blank_names: names that define nothing (`_`).
    attributes: a pattern for what may stand before the header and does not belong into the signature.
    declarations: a pattern for signatures that only say that something stands elsewhere (`extern int x`); what a pattern of the
        query finds may be said to be such by `(#set! role declaration)`.
    parts: a pattern for signatures of types that may be written in several places, which are then one (`partial class`).
    file_parts: the same, for places in one file.
    directives: a pattern for lines amid the header that do not belong into the signature (`#if`).
    inside: what a definition becomes directly inside a container of some kind: `inside.class.function = "method"`.
    constructors: names that make a method a constructor; `=` stands for the name of the enclosing type.
    constants: names that make a variable, a field, or a property without code of its own a constant.
    mend: pairs of a pattern and its replacement, for correct source that the grammar cannot read: the parser sees it with
        these replaced. A replacement is padded with blanks, or with the character that stands third, to the length of what it
        replaces. A pattern that begins with a literal is found fast. repair: the same, for a file that the grammar met
        errors in.
    once: kinds of which only the first of a qualified name counts (the languages where assigning is defining).
    test_paths: globs of files that hold tests.
    identifiers: types of the nodes that are identifiers, each a whole name; where references are looked for.
    identifier_prefixes: what may open such a node beside `name_prefix` and is no part of the name (`@name`).
    bare_code: types of nodes that hold code as bare text (the body of a macro); it is read by itself.
    bodies, suites: what the parser need not see.
    """

    name: str
    grammar: str
    extensions: list[str] = []
    filenames: list[str] = []
    editor_ids: list[str] = []
    format_names: dict[str, str] = {}
    interpreters: list[str] = []
    content: dict[str, str] = {}
    queries: list[str] = []
    separators: list[str] = []
    name_trim: str = ""
    name_prefix: str = ""
    name_until: str = ""
    blank_names: str = ""
    attributes: str = ""
    declarations: str = ""
    parts: str = ""
    file_parts: str = ""
    directives: str = ""
    inside: dict[str, dict[str, str]] = {}
    constructors: list[str] = []
    constants: str = ""
    mend: list[list[str]] = []
    repair: list[list[str]] = []
    once: list[str] = []
    test_paths: list[str] = []
    identifiers: list[str] = []
    identifier_prefixes: list[str] = []
    bare_code: list[str] = []
    doc: DocRules = DocRules()
    visibility: VisibilityRules = VisibilityRules()
    test: MarkRules = MarkRules()
    deprecated: MarkRules = MarkRules()
    bodies: BodyRules = BodyRules()
    suites: SuiteRules = SuiteRules()


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
    package = Path(__file__).resolve().parent.parent
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
    kept_in: folders that hold them as they are (`source/kept`).
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
    if sys.version_info < (3, 11, 5):
        # Possessive quantifiers of groups match too little there (python/cpython#106052). Greedy ones find the same.
        pattern = _POSSESSIVE_GROUP.sub(r"\1", pattern)
    return re.compile(pattern, re.MULTILINE)


@lru_cache(maxsize=256)
def compile_bytes(pattern: str) -> re.Pattern[bytes]:
    """A pattern of a language's rules that is searched in bytes, compiled once; `^` and `$` match at lines."""
    if sys.version_info < (3, 11, 5):
        return compile_atomic(pattern.encode(), re.MULTILINE)
    return re.compile(pattern.encode(), re.MULTILINE)


_POSSESSIVE_GROUP = re.compile(r"(\)(?:[*+?]|\{\d+(?:,\d*)?\}))\+")


@lru_cache(maxsize=1)
def _upper_case_letters() -> str:
    return "".join(filter(str.isupper, map(chr, range(0x10000))))
