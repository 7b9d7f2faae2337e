"""The table of item types: the shipped rows, a user's rows above them, and which row a file belongs
to.

`match` is called for every file of a walk. So the rows that a folder allows are found once per
folder, and then looked up by name and extension.
"""

import hashlib
import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import shown
from symindex.extract.items.item import WEIGHTS
from symindex.extract.items.item_type import PARTS, SOURCES, ItemType, find_folder
from symindex.files.access.regular import read_regular
from symindex.files.ignore.globs import parse_glob
from symindex.protocol.kinds import SymbolKind
from symindex.text.decoding import decode, decoder_of

READERS_VERSION: Final = 2
"""Version of the readers. Raise it whenever the same file gives other items than before, so that
indexes are rebuilt."""

MOST_ROWS: Final = 100
MOST_WORDS: Final = 50
"""Most entries in each list of a row."""
LONGEST_WORD: Final = 200

RESERVED: Final = frozenset(
    {"all", "item", "symbol", "note", *(kind.value.lower() for kind in SymbolKind)}
)
"""Words that mean something else where a type may be named."""

_TABLE: Final = Path(__file__).with_name("item_types.toml")
_MOST_BYTES: Final = 1_000_000
_MOST_FOLDERS: Final = 4_096
"""How many folders to cache before the cache is cleared."""

_TYPE_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_EXTENSION: Final = re.compile(r"(?:\.[\w+-]+){1,3}")


class ItemTypes:
    """The rows in order; the first one that claims a file counts."""

    def __init__(self, rows: Iterable[ItemType]) -> None:
        self.rows: tuple[ItemType, ...] = tuple(rows)
        self._of_folder: dict[str, _Lookup] = {}
        self._lookups: dict[tuple[int, ...], _Lookup] = {}
        # The rows, by a folder name in one of their globs, or by "" if there is none: most folders
        # have no such name, and need no match against a glob.
        self._named: dict[str, set[int]] = {}
        for number, row in enumerate(self.rows):
            for glob in row.folders or ("",):
                self._named.setdefault(_plain_part(glob), set()).add(number)

    def may_be_in(self, folder: str) -> bool:
        """Whether a hidden folder may contain items, or folders that do, wherever it is. folder:
        its path with a final slash."""
        parts = folder.split("/")
        first = next(
            (position for position, part in enumerate(parts) if part.startswith(".")), None
        )
        tail = "/".join(parts[first:]) if first is not None else ""
        globs = (
            glob.removeprefix("**/").removesuffix("/**")
            for row in self.rows
            for glob in row.folders
        )
        return tail.endswith("/") and any(f"{glob}/".startswith(tail) for glob in globs)

    def match(self, path: str) -> ItemType | None:
        """Returns the row of a file; `None` if it is not an item. path: relative to the root of its
        space."""
        folder, _, name = path.rpartition("/")
        lookup = self._of_folder.get(folder)
        if lookup is None:
            lookup = self._look_up(folder)
        dot = name.rfind(".")
        extension = name[dot:].lower() if dot > 0 else ""
        if extension not in lookup.extensions:
            row = lookup.names.get(name.lower())
            return self.rows[row] if row is not None else None
        row = lookup.best(name.lower(), extension)
        return self.rows[row] if row is not None else None

    def takes(self, path: str) -> bool:
        """Whether to read a file for its items even if no language claims it."""
        return self.match(path) is not None

    def globs(self, document_extensions: frozenset[str]) -> tuple[str, ...]:
        """Returns globs for the paths of all items that are neither code nor documents, which match
        few other files. Arguments as in `ItemType.globs`."""
        return tuple(
            dict.fromkeys(glob for row in self.rows for glob in row.globs(document_extensions))
        )

    @cached_property
    def part_types(self) -> frozenset[str]:
        """The names of the types of items that may be parts of a file."""
        return frozenset(row.type for row in self.rows if row.parts)

    @cached_property
    def names(self) -> list[str]:
        """The names of all types, sorted."""
        return sorted(
            {row.type for row in self.rows} | {row.whole for row in self.rows if row.whole}
        )

    def rows_of(self, type_name: str) -> list[ItemType]:
        """Returns the rows of a type, best first."""
        return [row for row in self.rows if type_name in (row.type, row.whole)]

    @cached_property
    def digest(self) -> bytes:
        """16 bytes that change whenever a row or a reader does."""
        return hashlib.blake2b(
            b"%d\0" % READERS_VERSION + pack_item_types(self), digest_size=16
        ).digest()

    def _look_up(self, folder: str) -> "_Lookup":
        """Returns the rows that claim files of a folder. Most folders share one such set."""
        candidates = self._named.get("", set()).union(
            *(self._named[part] for part in folder.split("/") if part in self._named)
        )
        fitting = tuple(
            number
            for number in sorted(candidates)
            if not self.rows[number].folders
            or any(find_folder(glob, folder) for glob in self.rows[number].folders)
        )
        lookup = self._lookups.get(fitting)
        if lookup is None:
            lookup = self._lookups[fitting] = _Lookup(
                [(number, self.rows[number]) for number in fitting]
            )
        if len(self._of_folder) >= _MOST_FOLDERS:
            self._of_folder.clear()
        self._of_folder[folder] = lookup
        return lookup


class _Lookup:
    """Rows by what they require of a file name; each key leads to the first row that has it."""

    def __init__(self, rows: list[tuple[int, ItemType]]) -> None:
        self.names: dict[str, int] = {}
        self._plain: dict[str, int] = {}
        self._double: dict[str, int] = {}
        self._stems: list[tuple[int, ItemType]] = []
        for number, row in rows:
            for name in row.names:
                self.names.setdefault(name, number)
            if row.stems:
                self._stems.append((number, row))
                continue
            for extension in row.extensions:
                (self._plain if extension.count(".") == 1 else self._double).setdefault(
                    extension, number
                )
        stemmed = {extension for _, row in self._stems for extension in row.extensions}
        # The last part of every extension in a row: all other files are looked up by name alone.
        self.extensions = frozenset(
            f".{extension.rpartition('.')[2]}"
            for extension in {*self._plain, *self._double, *stemmed}
        )

    def best(self, name: str, extension: str) -> int | None:
        """Returns the first row for a name in lower case."""
        rows = [self.names.get(name), self._plain.get(extension)]
        if self._double and name.count(".") > 1:
            rows += [
                row
                for ending, row in self._double.items()
                if name.endswith(ending) and len(ending) < len(name)
            ]
        stem = name.partition(".")[0]
        rows += [
            number
            for number, row in self._stems
            if extension in row.extensions and _fits(stem, row.stems)
        ]
        return min((number for number in rows if number is not None), default=None)


def _plain_part(glob: str) -> str:
    """Returns the first component of a glob that is a plain name; empty if there is none."""
    return next((part for part in glob.split("/") if part and not re.search(r"[*?\[\\]", part)), "")


def _fits(stem: str, stems: tuple[str, ...]) -> bool:
    return any(
        stem.startswith(pattern[:-1]) if pattern.endswith("*") else stem == pattern
        for pattern in stems
    )


@lru_cache(maxsize=1)
def shipped_item_types() -> ItemTypes:
    """Returns the shipped table."""
    import tomllib  # imported here because workers receive the finished table

    table = tomllib.loads(read_regular(_TABLE, _MOST_BYTES, follow=True).decode())
    decoder_of(ItemType)
    defaults = msgspec.convert({"type": "", **table["defaults"]}, ItemType)
    return ItemTypes(_filled(msgspec.convert(row, ItemType), defaults) for row in table["types"])


def build_item_types(rows: Iterable[object], trusted: bool = False) -> tuple[ItemTypes, list[str]]:
    """Returns the shipped table with a user's rows above it, and a message for each row that is
    left out or cut.

    rows: mappings, as from `[[item_types]]` in a settings file. A row with the name of a shipped
    type is one more place for it and inherits what it does not state; with `replace = true` the
    shipped rows of that type are left out. trusted: whether the rows are the user's own. Rows of a
    source tree cannot set `user_folder`: a tree does not choose where we write.
    """
    shipped = shipped_item_types()
    decoder_of(ItemType)
    added: list[ItemType] = []
    problems: list[str] = []
    for number, row in enumerate(rows, 1):
        if number > MOST_ROWS:
            problems.append(f"item_types: more than {MOST_ROWS} rows: the others are left out")
            break
        accepted, fault = _check(row, trusted)
        if fault:
            problems.append(f"item_types, row {number}: {fault}")
        if accepted is not None:
            like = next(iter(shipped.rows_of(accepted.type)), shipped.rows_of("doc")[0])
            added.append(_filled(accepted, like))
    replaced = {row.type for row in added if row.replace}
    return ItemTypes([*added, *(row for row in shipped.rows if row.type not in replaced)]), problems


def pack_item_types(types: ItemTypes) -> bytes:
    """Encodes the table for workers."""
    return msgspec.msgpack.encode(types.rows, order="deterministic")


def unpack_item_types(data: bytes) -> ItemTypes:
    """Decodes a packed table. Raises msgspec.MsgspecError for bytes of another version."""
    return ItemTypes(decode(data, tuple[ItemType, ...]))


def _filled(row: ItemType, like: ItemType) -> ItemType:
    """Fills what a row does not state from another one."""
    return msgspec.structs.replace(
        row,
        names=tuple(name.lower() for name in row.names),
        stems=tuple(name.lower() for name in row.stems),
        extensions=tuple(name.lower() for name in row.extensions),
        metadata=row.metadata or like.metadata,
        user_folder=row.user_folder or like.user_folder,
        aliases={**like.aliases, **row.aliases},
        weights={**like.weights, **row.weights},
    )


def _check(row: object, trusted: bool) -> tuple[ItemType | None, str]:
    """Returns a row, or what is wrong with it; both if a part of it is left out."""
    try:
        kept_row = msgspec.convert(row, ItemType)
    except (msgspec.ValidationError, RecursionError, OverflowError) as error:
        keys = ", ".join(ItemType.__struct_fields__)
        return None, f"{shown(str(error).splitlines()[0])[:200]}; the keys are {keys}"
    fault = _fault(kept_row)
    if fault:
        return None, fault
    if kept_row.user_folder and not trusted:
        fault_text = (
            "user_folder is ignored, because a source tree must not choose where symindex writes;"
            " set it in your own configuration"
        )
        return msgspec.structs.replace(kept_row, user_folder=""), fault_text
    return kept_row, ""


def _fault(row: ItemType) -> str:
    """Returns what is wrong with a row whose values have the right types; empty if nothing is."""
    for name in ("type", "whole"):
        word = getattr(row, name)
        if (word or name == "type") and (not _TYPE_NAME.fullmatch(word) or word in RESERVED):
            return (
                f"{name} is {_show(word)}: it must be a word in small letters that is not a kind of"
                " symbol"
            )
    lists = (
        row.folders,
        row.extensions,
        row.names,
        row.stems,
        row.metadata,
        row.parts,
        row.without,
    )
    if any(len(words) > MOST_WORDS for words in lists) or any(
        len(word) > LONGEST_WORD for words in lists for word in words
    ):
        return (
            f"a list of more than {MOST_WORDS} entries, or an entry of more than {LONGEST_WORD}"
            " characters"
        )
    if not (row.extensions or row.names):
        return "neither extensions nor names: say which files are meant, as in extensions = ['.md']"
    for glob in row.folders:
        inner = glob.removeprefix("**/").removesuffix("/**").strip("/")
        if ".." in glob.split("/") or not inner or parse_glob(inner) is None:
            return (
                f"folders has {_show(glob)}: it must be a glob from the root like 'docs/runbooks'"
            )
    for extension in row.extensions:
        if not _EXTENSION.fullmatch(extension):
            return f"extensions has {_show(extension)}: it must begin with a dot, like '.md'"
    for name, words, allowed in (("metadata", row.metadata, SOURCES), ("parts", row.parts, PARTS)):
        wrong = next((word for word in words if word.partition(":")[0] not in allowed), None)
        if wrong is not None:
            return f"{name} has {_show(wrong)}: it must be one of {', '.join(sorted(allowed))}"
    if wrong := next((name for name in row.weights if name not in WEIGHTS), None):
        return f"weights has {_show(wrong)}: it must be one of {', '.join(WEIGHTS)}"
    if any(not 0 <= weight <= 100 for weight in row.weights.values()):
        return "weights must be numbers from 0 to 100"
    if row.user_folder and (
        not row.user_folder.startswith("~/") or ".." in row.user_folder.split("/")
    ):
        return f"user_folder is {_show(row.user_folder)}: it must be a folder like '~/.ai/tools'"
    return ""


def _show(word: str) -> str:
    return shown(repr(word[:80]))
