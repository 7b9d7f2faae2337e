"""The registry of all languages: finds the language of a file, and packs languages for workers."""

import copy
import hashlib
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from symindex.errors import GrammarError, RequestError
from symindex.extract.languages.file_hints import interpreters_of, mode_of
from symindex.extract.languages.language import (
    NO_LANGUAGE_FOLDER,
    Language,
    compile_pattern,
    find_languages,
    grammar_folders,
    in_folder,
    read_language,
)
from symindex.extract.languages.tree_rules import TreeRules
from symindex.files.file_names import made_from, suffixes
from symindex.files.index_place import SETTINGS_NAME
from symindex.text.decoding import decode

if TYPE_CHECKING:
    from symindex.extract.items.types import ItemTypes
    from symindex.files.ignore.selection import Selection
    from symindex.files.walk import FileFilter


class Languages:
    """All languages. Finds the language of a file.

    chosen: the ids of the languages whose files are read; empty for all. The others still count
    when the language of a file is decided, so that a `.h` file in a language that was not chosen is
    not read as one that was. kept_in: the folders whose cache file contains these languages
    (`languages/language_cache`). faults: why folders were left out, a line each. tree: the rules of
    the tree that is read. item_types: the types of the items in files of languages, and of the
    formats of documents (`documents/formats`), which are chosen as languages are.
    """

    def __init__(self, languages: Iterable[Language], chosen: Iterable[str] = ()) -> None:
        self.chosen: frozenset[str] = frozenset(chosen)
        self.kept_in: set[Path] = set()
        self.faults: tuple[str, ...] = ()
        self.tree: TreeRules = TreeRules()
        self._item_types: ItemTypes | None = None
        self._packed_item_types = b""
        self.by_id: dict[str, Language] = {
            language.id: language
            for language in sorted(languages, key=lambda language: language.id)
        }
        self._of_extension: dict[str, list[Language]] = {}
        self._of_filename: dict[str, Language] = {}
        self._of_interpreter: dict[str, Language] = {}
        self._of_word: dict[str, Language] = {}
        for language in self.by_id.values():
            for extension in language.rules.extensions:
                self._of_extension.setdefault(extension, []).append(language)
            self._of_filename.update((name, language) for name in language.rules.filenames)
            self._of_interpreter.update(
                (name.lower(), language) for name in language.rules.interpreters
            )
        for extension, claimants in self._of_extension.items():
            # Languages with a pattern are tried first; the one without a pattern gets the rest.
            claimants.sort(key=lambda language: extension not in language.rules.content)

    def choose(self, words: Iterable[str], tree: TreeRules | None = None) -> "Languages":
        """Returns these languages with only some of them chosen; without words, all. tree: the
        rules of the tree. Raises RequestError, as `get` does."""
        chosen = copy.copy(self)  # its tables cover all languages and never change
        chosen.__dict__.pop("extensions", None)
        chosen.chosen = frozenset().union(*(self.ids_of(word) for word in words))
        chosen.tree = tree or self.tree
        return chosen

    @property
    def item_types(self) -> "ItemTypes":
        """The shipped table of item types, unless another was set."""
        if self._item_types is None:
            from symindex.extract.items.types import (
                shipped_item_types,
            )  # here, because a search needs no table

            self._item_types = shipped_item_types()
        return self._item_types

    @item_types.setter
    def item_types(self, types: "ItemTypes") -> None:
        self._item_types, self._packed_item_types = types, b""

    @property
    def packed_item_types(self) -> bytes:
        """The table of item types as bytes, for workers."""
        from symindex.extract.items.types import pack_item_types  # here, as above

        return self._packed_item_types or pack_item_types(self.item_types)

    def keep_item_types(self, packed: bytes) -> None:
        """Unpacks the shipped table of item types: reading its file takes a tenth of an update."""
        self._packed_item_types = packed

    def relatives_of(self, language_id: str) -> frozenset[str]:
        """Returns the ids of the languages whose symbols a file of this language may use, itself
        included: those with common queries or relatives."""
        own = self.by_id.get(language_id)
        if own is None:
            return frozenset([language_id])
        relatives = {own.id, *own.rules.queries, *own.rules.relatives}
        return frozenset(
            language.id
            for language in self.by_id.values()
            if relatives & {language.id, *language.rules.queries, *language.rules.relatives}
        )

    def code(self, language_id: str) -> Language | None:
        """Returns the language of an id if its files are code: neither data nor documents."""
        language = self.by_id.get(language_id)
        if language is None or language.is_data:
            return None
        from symindex.extract.documents.formats import (
            load_formats,
        )  # here, because most questions do not concern pages

        row = load_formats().by_id.get(language_id)
        return language if row is None or not row.reader else None

    def takes_format(self, format_id: str) -> bool:
        """Whether files of a format are read."""
        return not self.chosen or format_id in self.chosen

    def is_chosen(self, language: Language) -> bool:
        """Whether files in a language are read."""
        return not self.chosen or language.id in self.chosen

    @cached_property
    def extensions(self) -> frozenset[str]:
        """The extensions that chosen languages claim, in lower case."""
        return frozenset(
            extension
            for extension, claimants in self._of_extension.items()
            if any(map(self.is_chosen, claimants))
        )

    def wanted(self, max_file_bytes: int, selection: "Selection | None" = None) -> "FileFilter":
        """Returns the filter of files for a walk: files of chosen languages where the selection
        includes them (by default everywhere)."""
        from symindex.extract.documents.formats import (
            load_formats,
        )  # here, because workers that parse need none of this
        from symindex.files.ignore.selection import EVERYTHING
        from symindex.files.walk import FileFilter

        names = frozenset(
            name for name, language in self._of_filename.items() if self.is_chosen(language)
        )
        formats = load_formats()
        selected = [
            row
            for format_id, row in formats.by_id.items()
            if row.reader and self.takes_format(format_id)
        ]
        extensions = self.extensions.union(*(row.extensions for row in selected))
        names = names.union(*(row.filenames for row in selected))
        known_names = frozenset(self._of_extension).union(
            self._of_filename, formats.document_extensions, formats.document_names
        )
        items = () if self.chosen else self.item_types.globs(formats.document_extensions)
        items += tuple(
            glob
            for glob, language_id in self.tree.overrides
            if language_id in self.by_id and self.is_chosen(self.by_id[language_id])
        )
        # Not a document, but perhaps code: a `CMakeLists.txt`.
        excluded = frozenset(name for row in selected for name in row.not_filenames) - names | {
            SETTINGS_NAME
        }
        return FileFilter(
            extensions,
            names,
            max_file_bytes,
            selection or EVERYTHING,
            known_names - extensions - names,
            items,
            excluded,
        )

    def id_of(self, word: str) -> str:
        """Returns the id of the language or format with this id, name or extension, ignoring case.
        Raises RequestError with a hint at similar words."""
        with suppress(RequestError):
            return self.get(word).id
        from symindex.extract.documents.formats import (
            load_formats,
        )  # here, because most words are languages

        formats, lower = load_formats(), word.lower()
        for names, row in formats.by_id.items():
            if (
                lower in (names, row.name.lower())
                or lower in row.extensions
                or f".{lower}" in row.extensions
            ):
                return names
        raise self.unknown(word)

    def ids_of(self, word: str) -> frozenset[str]:
        """Returns the ids that a word in a request means: that of `id_of`, and those of the
        language's dialects. Raises RequestError, as `id_of` does."""
        meant = self.id_of(word)
        return frozenset(
            [
                meant,
                *(
                    language.id
                    for language in self.by_id.values()
                    if language.rules.dialect_of == meant
                ),
            ]
        )

    def get(self, word: str) -> Language:
        """Returns the language with this id, name, alias or extension, ignoring case. Raises
        RequestError with a hint at similar words."""
        lower = word.lower()
        for language in self.by_id.values():
            if lower in (language.id, language.rules.name.lower(), *language.rules.editor_ids):
                return language
        if (by_word := self.named(lower)) is not None:
            return by_word
        raise self.unknown(word)

    def unknown(self, word: str) -> RequestError:
        """Makes the error for a word that is not a language. There are too many languages to
        list."""
        from symindex.extract.documents.formats import load_formats  # here, as above

        words = sorted({*self.by_id, *load_formats().by_id})
        from difflib import get_close_matches  # here, because most words are right

        near = get_close_matches(word.strip().lower()[:50], words, cutoff=0.5)
        like = f"; similar: {', '.join(near)}" if near else ""
        return RequestError(
            f"unknown language {word!r}: `symindex languages` lists the {len(words)} that there"
            f" are{like}"
        )

    def named(self, word: str) -> Language | None:
        """Returns the language that a word in a file means: an id, a name, an alias, an editor's
        word, or an extension, ignoring case; `None` if there is no such language."""
        lower = word.strip().lower()
        if not self._of_word:  # a language's own name wins over another language's alias
            self._of_word = dict(self.by_id)
            for key in ("name", "editor_ids", "aliases", "interpreters"):
                for language in self.by_id.values():
                    words = getattr(language.rules, key)
                    for word_ in [words] if key == "name" else words:
                        self._of_word.setdefault(word_.lower(), language)
            for extension, claimants in self._of_extension.items():
                self._of_word.setdefault(extension[1:], claimants[-1])
        return self._of_word.get(lower) or self._of_word.get(lower.removeprefix("."))

    def id_of_name(self, word: str) -> str | None:
        """Returns the id of the language that a word in a file means; `None` if there is no such
        language."""
        language = self.named(word)
        return None if language is None else language.id

    def by_name(self, path: str) -> list[Language]:
        """Returns the languages that a file can be in; more than one if only the content can
        decide. path: relative to the root of its tree, or the name alone."""
        assigned = self.tree.language_of(path)
        if assigned is not None:
            return [self.by_id[assigned]] if assigned in self.by_id else []
        return self._claimants(path.rpartition("/")[2])[0]

    def may_be(self, path: str, ids: Collection[str]) -> bool:
        """Whether a file may be in one of these languages, by its name alone. path: as for
        `by_name`."""
        claimants = self.by_name(path)
        if not claimants or any(language.id in ids for language in claimants):
            return True
        # The first line of a script decides, whichever language claims its extension.
        return any(language.rules.content and language.rules.interpreters for language in claimants)

    def by_content(self, path: str, data: bytes) -> Language | None:
        """Returns the language of a file. The rules of the tree decide, then its name, its hints to
        editors, its first lines, and patterns on its content. path: as for `by_name`."""
        assigned = self.tree.language_of(path)
        if assigned is not None:
            return self.by_id.get(assigned)
        file_name = path.rpartition("/")[2]
        claimants, extension = self._claimants(file_name)
        if not claimants:
            is_bare = "." not in (made_from(file_name) or file_name).lstrip(".")
            return self._by_shebang(data) or self.named(mode_of(data)) if is_bare else None
        if len(claimants) == 1 and extension not in claimants[0].rules.content:
            return claimants[0]
        mode, words = mode_of(data), interpreters_of(data)
        if (candidate := self.named(mode)) in claimants:
            return candidate
        candidate = self._by_words(words)
        # A program for one language often also runs those that build on it.
        if candidate is not None and not any(
            candidate.id in language.rules.queries for language in claimants
        ):
            return candidate
        text = data[:_CONTENT_BYTES].decode("utf-8", "replace")
        for language in claimants:
            pattern = language.rules.content.get(extension)
            is_other = any(word in language.rules.others for word in (mode, *words))
            if not is_other and (pattern is None or compile_pattern(pattern).search(text)):
                return language
        return None

    def _claimants(self, file_name: str) -> tuple[list[Language], str]:
        """Returns the languages that claim a name, and the extension by which they do; no extension
        if they claim the whole name. A template counts as the file that is made from it."""
        language = self._of_filename.get(file_name)
        if language is not None:
            return [language], ""
        for suffix in suffixes(file_name):
            claimants = self._of_extension.get(suffix) or self._of_extension.get(suffix.lower())
            if claimants:
                return claimants, suffix.lower()
        target = made_from(file_name)
        return self._claimants(target) if target else ([], "")

    def _by_shebang(self, data: bytes) -> Language | None:
        return self._by_words(interpreters_of(data))

    def _by_words(self, words: Iterable[str]) -> Language | None:
        """Returns the language of a program, by the first word that means one."""
        for word in words:
            language = self._of_interpreter.get(word) or self._of_interpreter.get(
                word.rstrip("0123456789.-")
            )
            if language is not None and word not in language.rules.others:
                return language
        return None

    @cached_property
    def digest(self) -> bytes:
        """A digest of 16 bytes of all languages."""
        hasher = hashlib.blake2b(digest_size=16)
        for language in self.by_id.values():
            hasher.update(language.id.encode() + b"\0" + language.digest)
        return hasher.digest()

    @property
    def reading_digest(self) -> bytes:
        """A digest of everything that decides how a file is read: the languages, the rules of the
        tree and the types of items."""
        tree = msgspec.msgpack.encode(self.tree)
        return hashlib.blake2b(self.digest + self.item_types.digest + tree, digest_size=16).digest()


def pack_languages(languages: Languages) -> bytes:
    """Packs all languages, whichever are chosen, for workers and for the cache file. Unpacking
    takes a tenth of the time of reading the folders."""
    return msgspec.msgpack.encode(
        (languages.tree, languages.digest, list(languages.by_id.values()))
    )


def unpack_languages(data: bytes, chosen: Iterable[str] = ()) -> Languages:
    """Unpacks languages. chosen: as for `Languages`. Raises msgspec.MsgspecError for bytes of
    another version."""
    tree, digest, read = decode(data, tuple[TreeRules, bytes, list[Language]])
    languages = Languages(read, chosen)
    languages.tree, languages.digest = tree, digest
    return languages


_CONTENT_BYTES: Final = 64 * 1024
"""Bytes of a file that patterns on its content see: the head and the first declarations."""


def load_languages(check: bool = True) -> Languages:
    """Reads all language folders, the shipped ones and the user's own. Leaves out those with a
    mistake, and says why in `faults`.

    check: whether to look for mistakes, which takes ten times as long.
    """
    return _load(tuple(grammar_folders()), check)


@lru_cache(maxsize=8)
def _load(folders: tuple[Path, ...], check: bool) -> Languages:
    shipped = find_languages(folders[:1])
    loaded, faults = dict(shipped), []
    for folder in folders[1:]:
        try:
            below = find_languages([folder])
            loaded |= below
            if not below:
                faults.append(f"{folder}: {NO_LANGUAGE_FOLDER}")
        except GrammarError as error:
            faults.append(str(error))
    user_folders = {name: folder for name, folder in loaded.items() if folder != shipped.get(name)}
    read = {}
    for name, folder in [
        *user_folders.items(),
        *shipped.items(),
    ]:  # the user's own first: a wrong one replaces nothing
        if name in read:
            continue
        try:
            read[name] = _read(folder, loaded, check, is_shipped=name not in user_folders)
        except GrammarError as error:
            faults.append(str(in_folder(error, loaded)))
            if user_folders.pop(name, None) is not None and name in shipped:
                loaded[name] = shipped[name]
    languages = Languages(read.values())
    languages.faults = tuple(faults)
    return languages


def _read(folder: Path, siblings: dict[str, Path], check: bool, is_shipped: bool) -> Language:
    # Tests check the patterns and queries of the shipped languages: compiling them all takes longer
    # than searching an index.
    language = read_language(folder, siblings, check, not is_shipped)
    if not is_shipped:
        from symindex.extract.parse.query import compile_query  # here, because it loads the parser

        compile_query(language).compile()
    return language
