"""Reads the settings that a client sends in `initializationOptions`,
`workspace/didChangeConfiguration` or `workspace/configuration`, and the bounds set by the user who
starts the server, which no client can change."""

import difflib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from symindex.errors import RequestError
from symindex.serve.lsp.convert import is_path
from symindex.settings import LARGEST_LIMIT, is_glob, language_id


class Bounds(NamedTuple):
    """The bounds that the server was started with.

    roots: if there are any, only files in these folders are read; links are resolved. index_dir:
    where indexes are stored. With either of them, clients cannot choose where indexes are stored.
    """

    roots: tuple[Path, ...] = ()
    index_dir: str | None = None

    @property
    def keep_index_dir(self) -> bool:
        return bool(self.roots) or self.index_dir is not None


Choice = bool | tuple[str, ...]
"""All languages, none, or the editor's ids of some."""


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one client.

    limit: most rows of a workspace/symbol answer; `None` for the workspace's limit. include,
    exclude: globs; answers contain only files that match one of the first and none of the second.
    languages: ids; answers contain only symbols of these languages; empty for all. index_dir: where
    indexes are stored, instead of the user's cache directory. definition and the fields after it:
    whether requests of that kind are answered by name: for all languages, none, or some.
    """

    limit: int | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    index_dir: str | None = None
    definition: Choice = False
    hover: Choice = False
    references: Choice = False
    implementation: Choice = False
    type_hierarchy: Choice = False
    call_hierarchy: Choice = False


def read_configuration(sent: Any) -> tuple[Configuration, list[str]]:
    """Returns the settings of a client, and a message for each invalid value, which is ignored.

    sent: an object with the keys of KEYS, or one with that object under `symindex`.
    """
    if sent is None:
        return Configuration(), []
    sent = own_part(sent)
    if not isinstance(sent, dict):
        return Configuration(), [
            f"the settings are {_shown(sent)}: they must be an object with the keys"
            f" {', '.join(KEYS)}"
        ]
    problems = []
    values: dict[str, Any] = {}
    for key, value in sent.items():
        if key in EDITORS_OWN:
            continue
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            meant = f"did you mean {near[0]!r}? Expected one of" if near else "expected one of"
            problems.append(f"unknown setting {key!r}: {meant} {', '.join(KEYS)}")
            continue
        if value is None:
            continue
        name, read = KEYS[key]
        try:
            values[name] = read(value)
        except RequestError as error:
            problems.append(f"setting {key!r}: {error}")
    return Configuration(**values), problems


def own_part(sent: Any) -> Any:
    """Returns what a client has sent under the key `symindex`, or everything if there is no object
    under that key."""
    below = sent.get("symindex") if isinstance(sent, dict) else None
    return below if isinstance(below, dict) else sent


def _read_limit(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST_LIMIT:
        raise RequestError(f"{_shown(value)} is not an integer from 1 to {LARGEST_LIMIT:,}")
    return value


def _read_globs(value: Any) -> tuple[str, ...]:
    for glob in _read_texts(value):
        if not is_glob(glob):
            raise RequestError(
                f"{glob!r} is not a glob: one looks like src/** or *.py; to exclude "
                "files, use 'exclude'"
            )
    return _read_texts(value)


def _read_languages(value: Any) -> tuple[str, ...]:
    return tuple(map(language_id, _read_texts(value)))


def _read_texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
        raise RequestError(f"{_shown(value)} is not a list of strings")
    return tuple(value)


def _read_folder(value: Any) -> str | None:
    if not isinstance(value, str) or not is_path(value):
        raise RequestError(f"{_shown(value)} is not a path")
    return value or None


def _read_choice(value: Any) -> Choice:
    if isinstance(value, bool):
        return value
    try:
        return _read_texts(value)
    except RequestError:
        raise RequestError(f"{_shown(value)} is not true, false or a list of languages") from None


def _shown(value: Any) -> str:
    text = (
        json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        .encode("utf-8", "replace")
        .decode()
    )
    return text if len(text) <= 60 else text[:60] + "…"


KEYS: Final[dict[str, tuple[str, Callable[[Any], Any]]]] = {
    "limit": ("limit", _read_limit),
    "include": ("include", _read_globs),
    "exclude": ("exclude", _read_globs),
    "languages": ("languages", _read_languages),
    "indexDir": ("index_dir", _read_folder),
    "definition": ("definition", _read_choice),
    "hover": ("hover", _read_choice),
    "references": ("references", _read_choice),
    "implementation": ("implementation", _read_choice),
    "typeHierarchy": ("type_hierarchy", _read_choice),
    "callHierarchy": ("call_hierarchy", _read_choice),
}
"""The keys that a client may send, with the field of Configuration and the function that reads the
value."""

EDITORS_OWN: Final = frozenset(
    {"command", "args", "trace", "enable", "enabled", "settings", "path", "token"}
)
"""Keys that editor extensions use for themselves, and the token, which `serve/lsp/listener` has
already read."""
