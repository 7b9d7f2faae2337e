"""What a user can set for a workspace: `symindex.toml` at its root, over the defaults.

Each value is checked by itself: a wrong one is reported in a line and leaves the others in force.
"""

import codecs
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from msgspec import Meta

from symindex.errors import RequestError, shown
from symindex.files.access.regular import read_regular
from symindex.files.ignore.glob_set import MOST_EXPRESSIONS, GlobSet
from symindex.files.ignore.globs import parse_glob, path_regex, plain_glob
from symindex.files.ignore.selection import Selection
from symindex.files.index_place import INDEX_DIR_VARIABLE, SETTINGS_NAME
from symindex.files.walk import MAX_FILE_BYTES
from symindex.text.counts import count_of
from symindex.text.decoding import check_toml_keys, decoder_of

if TYPE_CHECKING:
    from symindex.extract.items.types import ItemTypes
    from symindex.extract.languages.registry import Languages

LARGEST_FILE_BYTES: Final = 100_000_000
LONGEST_FILE_SECONDS: Final = 100.0
LARGEST_LIMIT: Final = 10_000

MOST_GLOBS: Final = 1_000
LONGEST_GLOB: Final = 1_000
"""In characters. The settings of a tree may come from a stranger, so none of them may keep its
reader busy for long."""

MOST_BYTES: Final = 65_536
"""The largest `symindex.toml` that is read."""

_SHOWN_PROBLEMS: Final = 20


class Settings(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The keys of `symindex.toml`.

    index_dir: where the tree would have its index kept, which is not followed (`not_followed`).
    include: globs; only files that match one are read. Empty: all. exclude: globs; files and
    folders that match one are left out. languages: ids, names or extensions; only files in these
    languages are read. Empty: all. minified: globs; files that match one are read though they look
    minified. max_file_bytes: larger files are skipped. file_seconds: of processor time; a file that
    takes longer is given up. limit: how many symbols the language server sends at most for a query
    of the workspace. item_types: rows above those of the shipped table
    (`extract/items/item_types.toml`). overrides: globs, each with the language of the files that
    match it, whatever their names say; the last that matches decides. code_fences: whether the code
    in documents gives symbols.
    """

    index_dir: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    minified: tuple[str, ...] = ()
    max_file_bytes: Annotated[int, Meta(ge=1, le=LARGEST_FILE_BYTES)] = MAX_FILE_BYTES
    file_seconds: Annotated[float, Meta(gt=0, le=LONGEST_FILE_SECONDS)] = 10.0
    limit: Annotated[int, Meta(ge=1, le=LARGEST_LIMIT)] = 256
    item_types: tuple[dict[str, Any], ...] = ()
    overrides: dict[str, str] = {}
    code_fences: bool = False

    @property
    def selection(self) -> Selection:
        """The globs, as a walk takes them."""
        return Selection(self.include, self.exclude)


DEFAULTS: Final = Settings()

_GLOBS: Final = "a list of globs like ['src/**', '*.py']"

_EXPECTED: Final = {
    "index_dir": "the path of a folder",
    "include": _GLOBS,
    "exclude": _GLOBS,
    "languages": "a list of languages, as `symindex languages` names them",
    "minified": _GLOBS,
    "max_file_bytes": f"an integer from 1 to {LARGEST_FILE_BYTES:,}",
    "file_seconds": f"a number greater than 0 and at most {LONGEST_FILE_SECONDS:,.0f}",
    "limit": f"an integer from 1 to {LARGEST_LIMIT:,}",
    "item_types": "tables of [[item_types]], each with a type, and with extensions or names",
    "overrides": "a table of globs and languages like {'*.inc' = 'LANGUAGE'}",
    "code_fences": "true or false",
}


def read_settings(root: Path, languages: "Languages | None" = None) -> tuple[Settings, list[str]]:
    """The settings of a workspace, and a line for each problem; as `check_settings`."""
    path = root / SETTINGS_NAME
    try:
        values = _parse(read_regular(path, MOST_BYTES))
    except FileNotFoundError:
        return DEFAULTS, []
    except OSError as error:
        return DEFAULTS, [f"{path}: cannot be read: {error.strerror}"]
    except ValueError as error:
        return DEFAULTS, [
            f"{path}: {_cut(str(error).splitlines()[0], 200)}; the keys are {', '.join(_EXPECTED)}"
        ]
    return check_settings(values, str(path), languages)


def _parse(data: bytes) -> dict[str, object]:
    """The keys and values of a settings file. Raises ValueError for what is no TOML, no text, or
    nested too deeply."""
    import tomllib  # here, because few trees have such a file

    text = data.removeprefix(codecs.BOM_UTF8).decode()
    check_toml_keys(text)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("values are nested too deeply") from None


def not_followed(root: Path, settings: Settings) -> list[str]:
    """A line for an `index_dir` in the tree's settings: a tree does not choose where we write."""
    if not settings.index_dir:
        return []
    instead = f"name it with --index-dir or {INDEX_DIR_VARIABLE}"
    return [
        f"{shown(root / SETTINGS_NAME)}: index_dir is not followed, for a tree does not choose"
        f" where we write; {instead}"
    ]


def check_settings(
    values: Mapping[str, object],
    place: str,
    languages: "Languages | None" = None,
    below: Settings = DEFAULTS,
) -> tuple[Settings, list[str]]:
    """The settings that these values make, and a line for each problem, which names the key, the
    value and what would be right.

    values: by key, as TOML or JSON has them; `None` sets nothing. place: where they stand, for the
    lines. languages: what the words in `languages` are checked against; `None` checks nothing,
    because languages take long to load. below: the settings in force for a key that is not set, or
    has a wrong value.
    """
    decoder_of(Settings)
    right: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in values.items():
        if name not in _EXPECTED:
            problems.append(f"unknown key {_show(name)}: expected one of {', '.join(_EXPECTED)}")
        elif value is not None:
            try:
                taken = getattr(msgspec.convert({name: value}, Settings), name)
            except (msgspec.ValidationError, RecursionError, OverflowError):
                problems.append(f"{name} is {_show(value)}: it must be {_EXPECTED[name]}")
                continue
            faults = [f"{name} {fault}" for fault in _faults(name, taken, languages)]
            problems += faults
            if not faults:
                right[name] = taken
    if len(problems) > _SHOWN_PROBLEMS:
        problems[_SHOWN_PROBLEMS:] = [
            f"and {count_of(len(problems) - _SHOWN_PROBLEMS, 'more problem')}"
        ]
    return msgspec.structs.replace(below, **right), [f"{place}: {problem}" for problem in problems]


def is_glob(text: str) -> bool:
    """Whether a text is a glob of `include` or `exclude`."""
    return not text.startswith("!") and parse_glob(text) is not None


def language_id(word: str) -> str:
    """The id of a language, by its id, name or extension. Raises RequestError for a word that names
    none."""
    from symindex.extract.languages.registry import (
        load_languages,
    )  # here, because it takes its time

    return load_languages(check=False).id_of(word)


def variant_of(values: Mapping[str, object]) -> str:
    """What distinguishes the index of a root with these settings, given over its own, from the
    root's own index; empty where both hold the same."""
    deciding = {
        name: value
        for name, value in values.items()
        if value is not None and name not in ("index_dir", "limit")
    }
    return (
        hashlib.blake2b(
            msgspec.json.encode(deciding, order="deterministic"), digest_size=6
        ).hexdigest()
        if deciding
        else ""
    )


def item_types_of(settings: Settings) -> "ItemTypes":
    """The table of item types of a tree with these settings."""
    from symindex.extract.items.types import (  # here, because few trees have rows of their own
        build_item_types,
        shipped_item_types,
    )

    return build_item_types(settings.item_types)[0] if settings.item_types else shipped_item_types()


def _faults(name: str, value: Any, languages: "Languages | None") -> Iterator[str]:
    """What is wrong with a value of the right type, a line each."""
    if name == "languages" and languages is not None:
        for word in value:
            try:
                languages.id_of(word)
            except RequestError as error:
                yield f"holds an {error}"
    if name == "item_types" and value:
        from symindex.extract.items.types import build_item_types  # here, as above

        yield from (fault.removeprefix("item_types, ") for fault in build_item_types(value)[1])
    if name == "overrides" and languages is not None:
        for word in value.values():
            if languages.named(word) is None:
                yield f"holds an {languages.unknown(word)}"
    if name not in ("include", "exclude", "minified", "overrides"):
        return
    if len(value) > MOST_GLOBS:
        yield f"holds {len(value):,} globs: at most {MOST_GLOBS:,} are taken"
        return
    value = [*value]
    instead = (
        "files to leave out go into exclude"
        if name == "include"
        else "the only files to read go into include"
    )
    for glob in value:
        if len(glob) > LONGEST_GLOB:
            yield (
                f"holds {_show(glob)}, of {len(glob):,} characters: a glob has at most"
                f" {LONGEST_GLOB:,}"
            )
        elif glob.startswith("!"):
            yield f"holds {_show(glob)}: no glob begins with ! here; {instead}"
        elif path_regex(glob) is None:
            yield f"holds {_show(glob)}, which cannot be read: a glob looks like src/** or *.py"
    n_left_out = GlobSet([plain_glob(glob) for glob in value]).n_left_out
    if n_left_out:
        yield (
            f"holds {count_of(n_left_out, 'glob')} too many with wildcards inside: at most"
            f" {MOST_EXPRESSIONS:,} are taken"
        )


def _show(value: object) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply; a number of too many digits
        return f"a {type(value).__name__} that is too long to show"
    return _cut(text, 100)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
