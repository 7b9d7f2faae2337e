"""Reads and checks the settings of a workspace: `symindex.toml` at its root, on top of the
defaults.

Each value is checked by itself: a wrong one is reported in one line and does not affect the others.
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
"""Longest glob, in characters. The settings of a tree may come from a stranger, so no value of them
may take long to apply."""

MOST_BYTES: Final = 65_536
"""Largest `symindex.toml` that is read, in bytes."""

_SHOWN_PROBLEMS: Final = 20


class Settings(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The keys of `symindex.toml`.

    index_dir: where the tree asks to have its index stored; it is ignored, with a notice
    (`ignored_index_dir`). include: globs; only files that match one are read. Empty: all. exclude:
    globs; files and folders that match one are left out. languages: ids, names or extensions; only
    files in these languages are read. Empty: all. minified: globs; files that match one are read
    although they look minified. max_file_bytes: larger files are skipped. file_seconds: processor
    time after which a file is given up. limit: largest number of symbols that the language server
    sends for a query about the workspace. item_types: rows that take precedence over those of the
    shipped table (`extract/items/item_types.toml`). overrides: globs with the language of the files
    that match, regardless of their names; the last match decides. code_fences: whether the code in
    documents gives symbols.
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
        """The globs in the form that a walk uses."""
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
    """Returns the settings of a workspace, and a line for each problem, like `check_settings`."""
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
    """Returns the keys and values of a settings file. Raises ValueError for data that is not TOML
    or not text, or is nested too deeply."""
    import tomllib  # deferred, because few trees have such a file

    text = data.removeprefix(codecs.BOM_UTF8).decode()
    check_toml_keys(text)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("values are nested too deeply") from None


def ignored_index_dir(root: Path, settings: Settings) -> list[str]:
    """Returns a line about an `index_dir` in the tree's settings: a tree does not decide where we
    write."""
    if not settings.index_dir:
        return []
    instead = f"set it with --index-dir or {INDEX_DIR_VARIABLE}"
    return [
        f"{shown(root / SETTINGS_NAME)}: index_dir is ignored, because a source tree must not"
        f" choose where symindex writes; {instead}"
    ]


def check_settings(
    values: Mapping[str, object],
    place: str,
    languages: "Languages | None" = None,
    below: Settings = DEFAULTS,
) -> tuple[Settings, list[str]]:
    """Returns the settings with these values, and a line for each problem, which names the key, the
    value and the right form.

    values: by key, as in TOML or JSON; `None` sets nothing. place: the source of the values, which
    begins the lines. languages: checks the words in `languages`; `None` checks nothing, because
    loading languages takes long. below: the settings that apply to a key with no value or a wrong
    one.
    """
    decoder_of(Settings)
    right: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in values.items():
        if name not in _EXPECTED:
            problems.append(f"unknown key {_show(name)}: expected one of {', '.join(_EXPECTED)}")
        elif value is not None:
            try:
                checked = getattr(msgspec.convert({name: value}, Settings), name)
            except (msgspec.ValidationError, RecursionError, OverflowError):
                problems.append(f"{name} is {_show(value)}: it must be {_EXPECTED[name]}")
                continue
            faults = [f"{name} {fault}" for fault in _faults(name, checked, languages)]
            problems += faults
            if not faults:
                right[name] = checked
    if len(problems) > _SHOWN_PROBLEMS:
        problems[_SHOWN_PROBLEMS:] = [
            f"and {count_of(len(problems) - _SHOWN_PROBLEMS, 'more problem')}"
        ]
    return msgspec.structs.replace(below, **right), [f"{place}: {problem}" for problem in problems]


def is_glob(text: str) -> bool:
    """Whether a text is a valid glob for `include` or `exclude`."""
    return not text.startswith("!") and parse_glob(text) is not None


def language_id(word: str) -> str:
    """Returns the id of a language that is named by its id, its name or an extension. Raises
    RequestError for an unknown word."""
    from symindex.extract.languages.registry import (
        load_languages,
    )  # deferred, because it loads slowly

    return load_languages(check=False).id_of(word)


def variant_of(values: Mapping[str, object]) -> str:
    """Returns a digest of the values, given on top of a root's own settings, that decide which
    files are indexed and how. It distinguishes the second index of the root from its own; empty
    without such values."""
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
    """Returns the table of item types of a tree with these settings."""
    from symindex.extract.items.types import (  # deferred, because few trees have rows of their own
        build_item_types,
        shipped_item_types,
    )

    return build_item_types(settings.item_types)[0] if settings.item_types else shipped_item_types()


def _faults(name: str, value: Any, languages: "Languages | None") -> Iterator[str]:
    """Explains what is wrong with a value of the right type, in one line for each fault."""
    if name == "languages" and languages is not None:
        for word in value:
            try:
                languages.id_of(word)
            except RequestError as error:
                yield f"contains an {error}"
    if name == "item_types" and value:
        from symindex.extract.items.types import build_item_types  # deferred, as above

        yield from (fault.removeprefix("item_types, ") for fault in build_item_types(value)[1])
    if name == "overrides" and languages is not None:
        for word in value.values():
            if languages.named(word) is None:
                yield f"contains an {languages.unknown(word)}"
    if name not in ("include", "exclude", "minified", "overrides"):
        return
    if len(value) > MOST_GLOBS:
        yield f"contains {len(value):,} globs: at most {MOST_GLOBS:,} are allowed"
        return
    value = [*value]
    instead = (
        "list files to leave out in exclude"
        if name == "include"
        else "list the only files to read in include"
    )
    for glob in value:
        if len(glob) > LONGEST_GLOB:
            yield (
                f"contains {_show(glob)}, of {len(glob):,} characters: a glob has at most"
                f" {LONGEST_GLOB:,}"
            )
        elif glob.startswith("!"):
            yield f"contains {_show(glob)}: a glob cannot begin with ! here; {instead}"
        elif path_regex(glob) is None:
            yield f"contains {_show(glob)}, which is not a glob: a glob looks like src/** or *.py"
    n_left_out = GlobSet([plain_glob(glob) for glob in value]).n_left_out
    if n_left_out:
        yield (
            f"contains {count_of(n_left_out, 'glob')} too many with wildcards inside: at most"
            f" {MOST_EXPRESSIONS:,} are allowed"
        )


def _show(value: object) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number with too many digits
        return f"a {type(value).__name__} that is too long to show"
    return _cut(text, 100)


def _cut(text: str, n_characters: int) -> str:
    return text if len(text) <= n_characters else f"{text[:n_characters]}..."
