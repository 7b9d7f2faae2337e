"""What a user can set for a workspace: `symindex.toml` at its root, over the defaults.

Every value is checked by itself: what is wrong is said in a line of its own, and the others hold.
"""

import codecs
import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from symindex.errors import RequestError, shown
from symindex.files.access.regular import read_regular
from symindex.files.ignore.glob_set import MOST_EXPRESSIONS, GlobSet
from symindex.files.ignore.globs import path_regex, plain_glob
from symindex.files.ignore.selection import Selection
from symindex.files.locations import INDEX_DIR_VARIABLE, SETTINGS_NAME
from symindex.files.walk import MAX_FILE_BYTES
from symindex.text.decoding import check_toml_keys, decoder_of

if TYPE_CHECKING:
    from symindex.extract.languages.registry import Languages

LARGEST_FILE_BYTES: Final = 100_000_000
LONGEST_FILE_SECONDS: Final = 100.0
LARGEST_LIMIT: Final = 10_000

MOST_GLOBS: Final = 1_000
LONGEST_GLOB: Final = 1_000
"""A tree chooses its own settings, so that none of them may keep who reads it busy for long."""

MOST_BYTES: Final = 65_536
"""Of a whole `symindex.toml`."""

_SHOWN_CHARACTERS: Final = 100
"""No more of a wrong value is shown."""

_SHOWN_PROBLEMS: Final = 20


class Settings(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The keys of `symindex.toml`.

    index_dir: where the tree would have its index kept, which is not followed (`not_followed`).
    include: globs; only files that match one are read. Empty: all.
    exclude: globs; files and folders that match one are not.
    languages: ids, names or extensions; only files in these languages are read. Empty: all.
    max_file_bytes: larger files are skipped.
    file_seconds: of the processor's time; a file that takes longer is given up.
    limit: how many symbols the language server sends at most for a query of the workspace.
    """

    index_dir: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    max_file_bytes: int = MAX_FILE_BYTES
    file_seconds: float = 10.0
    limit: int = 256

    @property
    def selection(self) -> Selection:
        """The globs, as a walk takes them."""
        return Selection(self.include, self.exclude)


DEFAULTS: Final = Settings()

_Faults = Callable[[Any], Iterator[str]]
"""What is wrong with a value of the right type, a line each."""


def _glob_faults(instead: str) -> _Faults:
    def faults(globs: tuple[str, ...]) -> Iterator[str]:
        if len(globs) > MOST_GLOBS:
            yield f"holds {len(globs):,} globs: at most {MOST_GLOBS:,} are taken"
            return
        for glob in globs:
            if len(glob) > LONGEST_GLOB:
                yield f"holds {_show(glob)}, of {len(glob):,} characters: a glob has at most {LONGEST_GLOB:,}"
            elif glob.startswith("!"):
                yield f"holds {_show(glob)}: no glob begins with ! here; {instead}"
            elif path_regex(glob) is None:
                yield f"holds {_show(glob)}, which cannot be read: a glob looks like src/** or *.py"
        n_left_out = GlobSet([plain_glob(glob) for glob in globs]).n_left_out
        if n_left_out:
            yield f"holds {n_left_out:,} globs too many with wildcards inside: at most {MOST_EXPRESSIONS:,} are taken"

    return faults


def _no_faults(_: Any) -> Iterator[str]:
    return iter(())


class _Key(NamedTuple):
    """A key's type, what would be right, whether a value of that type is, and what else may be wrong with it."""

    type: object
    right: str
    fits: Callable[[Any], bool] = lambda _: True
    faults: _Faults = _no_faults


_GLOBS: Final = "a list of globs like ['src/**', '*.py']"

_KEYS: Final = {
    "index_dir": _Key(str, "the path of a folder"),
    "include": _Key(tuple[str, ...], _GLOBS, faults=_glob_faults("files to leave out go into exclude")),
    "exclude": _Key(tuple[str, ...], _GLOBS, faults=_glob_faults("the only files to read go into include")),
    "languages": _Key(tuple[str, ...], "a list of languages, as `symindex languages` names them"),
    "max_file_bytes": _Key(
        int, f"a whole number from 1 to {LARGEST_FILE_BYTES:,}", lambda number: 1 <= number <= LARGEST_FILE_BYTES
    ),
    "file_seconds": _Key(
        float,
        f"a number greater than 0 and at most {LONGEST_FILE_SECONDS:,.0f}",
        lambda seconds: 0 < seconds <= LONGEST_FILE_SECONDS,
    ),
    "limit": _Key(int, f"a whole number from 1 to {LARGEST_LIMIT:,}", lambda number: 1 <= number <= LARGEST_LIMIT),
}


def read_settings(root: Path, languages: "Languages | None" = None) -> tuple[Settings, list[str]]:
    """The settings of a workspace, and a line for each problem; as `check_settings`."""
    path = root / SETTINGS_NAME
    try:
        data = read_regular(path, MOST_BYTES)
    except FileNotFoundError:
        return DEFAULTS, []
    except OSError as error:
        return DEFAULTS, [f"{path}: cannot be read: {error.strerror}"]
    try:
        values = _parse(data)
    except ValueError as error:
        return DEFAULTS, [f"{path}: {_cut(str(error).splitlines()[0], 200)}; legal keys are {', '.join(_KEYS)}"]
    return check_settings(values, str(path), languages)


def _parse(data: bytes) -> dict[str, object]:
    """The keys and values of a settings file. Raises ValueError for what is no TOML, no text, or nested beyond all reason."""
    import tomllib  # here, because few trees have such a file

    text = data.removeprefix(codecs.BOM_UTF8).decode()
    check_toml_keys(text)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("values are nested too deeply") from None


def not_followed(root: Path, settings: Settings) -> list[str]:
    """A line for what these settings say and nobody does: a tree does not choose where we write."""
    if not settings.index_dir:
        return []
    instead = f"name it with --index-dir or {INDEX_DIR_VARIABLE}"
    return [f"{shown(root / SETTINGS_NAME)}: index_dir is not followed, for a tree does not choose where we write; {instead}"]


def check_settings(
    values: Mapping[str, object], place: str, languages: "Languages | None" = None, below: Settings = DEFAULTS
) -> tuple[Settings, list[str]]:
    """The settings that these values make, and a line for each problem, which names the key, the value and what would be right.

    values: by key, as TOML or JSON has them; `None` sets nothing. place: where they stand, for the lines.
    languages: by which the words in `languages` are checked. Default: they are not, since languages take their time to load.
    below: what holds for a key that is not set, or wrongly.
    """
    right: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in values.items():
        key = _KEYS.get(name)
        if key is None:
            problems.append(f"{place}: unknown key {_show(name)}; legal keys are {', '.join(_KEYS)}")
            continue
        if value is None:
            continue
        taken = _convert(value, key)
        if taken is None:
            problems.append(f"{place}: {name} is {_show(value)}: it must be {key.right}")
            continue
        faults = [*key.faults(taken), *(_unknown(taken, languages) if name == "languages" and languages is not None else ())]
        problems.extend(f"{place}: {fault if fault.startswith(name) else f'{name} {fault}'}" for fault in faults)
        if not faults:
            right[name] = taken
    if len(problems) > _SHOWN_PROBLEMS:
        problems[_SHOWN_PROBLEMS:] = [f"{place}: and {len(problems) - _SHOWN_PROBLEMS:,} more problems"]
    return msgspec.structs.replace(below, **right), problems


def variant_of(values: Mapping[str, object]) -> str:
    """Of settings that stand over those of a root: what tells the index that they make from the root's own; empty where they
    make the same."""
    deciding = {name: value for name, value in values.items() if value is not None and name not in ("index_dir", "limit")}
    return hashlib.blake2b(msgspec.json.encode(deciding, order="deterministic"), digest_size=6).hexdigest() if deciding else ""


def _convert(value: object, key: _Key) -> Any:
    """The value in the key's type; `None` where it is of another, or out of range."""
    try:
        decoder_of(key.type)
        taken = msgspec.convert(value, key.type)
    except (msgspec.ValidationError, RecursionError, OverflowError):
        return None
    return taken if key.fits(taken) else None


def _unknown(words: tuple[str, ...], languages: "Languages") -> Iterator[str]:
    for word in words:
        try:
            languages.get(word)
        except RequestError as error:
            yield f"holds an {error}"


def _show(value: object) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply; a number of too many digits
        return f"a {type(value).__name__} that is too long to show"
    return _cut(text, _SHOWN_CHARACTERS)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
