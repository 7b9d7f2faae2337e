"""Reads `fleet.toml`: which repositories a fleet has, and what each of them may take.

An operator writes the file, and scripts do. So every fault names its entry and says what would be
right, and no fault is skipped: a fleet that silently lacks a repository answers wrongly.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar, get_args

import msgspec
from msgspec import Meta

from symindex.errors import RequestError, like_it
from symindex.fetch.http_reader import origin_of
from symindex.files.access.regular import read_regular
from symindex.fleet.catalogue.addresses import is_loopback, read_address, shown_address
from symindex.fleet.catalogue.names import clashes, shown_name, why_bad_name, why_bad_ref
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.catalogue.url_list import read_list
from symindex.text.decoding import check_toml_keys, decoder_of
from symindex.text.escaping import shorten, show_controls

FILE_NAME: Final = "fleet.toml"

MOST_BYTES: Final = 4_000_000
"""Largest `fleet.toml`, in bytes: some 30,000 entries, which take a second to read. More belong
into a list."""

MOST_REPOSITORIES: Final = 100_000
"""Most repositories of a fleet, before those of organisations."""

MOST_ORGANISATIONS: Final = 100
_MOST_GLOBS: Final = 100
_LONGEST_GLOB: Final = 200
_MOST_REFS: Final = 50
_LONGEST_QUOTED: Final = 200

Forge = Literal["github", "gitlab", "gitea"]

API_OF_FORGE: Final[dict[Forge, str]] = {
    "github": "https://api.github.com",
    "gitlab": "https://gitlab.com/api/v4",
}
"""The address of the API where an entry names none."""

_Variable = Annotated[str, Meta(pattern=r"\A(?:[A-Za-z_][A-Za-z0-9_]{0,199})?\Z")]
_Globs = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=_LONGEST_GLOB)], ...],
    Meta(max_length=_MOST_GLOBS),
]


class Organisation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An organisation, a group or a user whose repositories its forge lists.

    url: the address of the API. token_env: the environment variable with the token, for the API and
    for git. include, exclude: globs of names such as `team/web-*`; `*` stands for slashes too.
    archived, forks: whether to include such repositories. place: the entry, for messages.
    """

    forge: Forge
    name: Annotated[str, Meta(min_length=1, max_length=200)]
    url: str = ""
    token_env: _Variable = ""
    include: _Globs = ()
    exclude: _Globs = ()
    archived: bool = False
    forks: bool = False
    place: str = ""


class Catalogue(msgspec.Struct, frozen=True):
    """The content of `fleet.toml`. repositories: those that it names itself, with those of its
    lists. store: the address of the store. source_folder: our folder for the files of repositories,
    absolute; empty for the default. notices: what is odd, and not wrong."""

    repositories: tuple[Repository, ...]
    organisations: tuple[Organisation, ...]
    limits: Limits
    store: str
    source_folder: str
    notices: tuple[str, ...] = ()


class _RepositoryEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    url: str = ""
    folder: str = ""
    archive: str = ""
    name: str | None = None
    ref: str = ""
    refs: Annotated[tuple[str, ...], Meta(max_length=_MOST_REFS)] = ()
    token_env: _Variable = ""


class _ListEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    file: Annotated[str, Meta(min_length=1)]
    token_env: _Variable = ""


class _Top(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    repository: tuple[dict[str, Any], ...] = ()
    list: tuple[dict[str, Any], ...] = ()
    organisation: Annotated[tuple[dict[str, Any], ...], Meta(max_length=MOST_ORGANISATIONS)] = ()
    store: str = ""
    source_folder: str = ""
    max_repository_bytes: Any = Limits().max_repository_bytes
    max_files: Any = Limits().max_files
    seconds: Any = Limits().seconds


_UNKNOWN: Final = re.compile(r"unknown field `(.{1,200}?)`")
_NO_FORGE: Final = re.compile(r"Invalid enum value '(.{1,200}?)' - at `\$\.forge`")

_T = TypeVar("_T", bound=msgspec.Struct)


def read_catalogue(path: Path) -> Catalogue:
    """Reads a catalogue. Relative paths in it are relative to its folder. Raises RequestError."""
    path = Path(os.path.abspath(path))
    for kind in (_Top, _RepositoryEntry, _ListEntry, Organisation, Limits):
        decoder_of(kind)
    top = _convert(_parse(path), _Top, str(path))
    limits = {name: getattr(top, name) for name in Limits.__struct_fields__}
    repositories = [*_repositories(path, top)]
    if len(repositories) > MOST_REPOSITORIES:
        raise RequestError(
            f"{path}: more than {MOST_REPOSITORIES:,} repositories: divide them into fleets"
        )
    _check_clashes(path, repositories)
    return Catalogue(
        tuple(repositories),
        tuple(_organisations(path, top)),
        _convert(limits, Limits, str(path)),
        top.store,
        str(_path_in(path, top.source_folder)) if top.source_folder else "",
    )


def _parse(path: Path) -> dict[str, Any]:
    import tomllib  # deferred, because most commands read no catalogue

    try:
        text = read_regular(path, MOST_BYTES, follow=True).decode("utf-8-sig")
        check_toml_keys(text)
        return tomllib.loads(text)
    except FileNotFoundError:
        raise RequestError(
            f"{path}: there is no such file: write one with an entry [[repository]] and its url"
        ) from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror or error}") from None
    except RecursionError:
        raise RequestError(f"{path}: values are nested too deeply") from None
    except ValueError as error:
        raise RequestError(f"{path}: not TOML: {_line(str(error))}") from None


def _convert(values: dict[str, Any], kind: type[_T], place: str) -> _T:
    """Checks the types of an entry. Raises RequestError that names the place and the keys."""
    try:
        return msgspec.convert(values, kind)
    except (msgspec.ValidationError, ValueError) as error:
        if "$.token_env" in str(error):  # whatever it is, it may be a token
            raise RequestError(
                f"{place}: token_env names no environment variable, such as FLEET_TOKEN"
            ) from None
        keys = [name for name in kind.__struct_fields__ if name != "place"]
        near = _near(str(error), keys)
        raise RequestError(
            f"{place}: {_line(str(error))}{near}; the keys are {', '.join(keys)}"
        ) from None


def _near(why: str, keys: list[str]) -> str:
    """Returns the end of a message about an unknown key or forge: what may be meant."""
    if (unknown := _UNKNOWN.search(why)) is not None:
        return like_it(unknown[1].lower(), keys)
    if (unknown := _NO_FORGE.search(why)) is not None:
        return like_it(unknown[1].lower(), get_args(Forge))
    return ""


def _repositories(path: Path, top: _Top) -> Iterator[Repository]:
    for number, row in enumerate(top.repository, 1):
        place = _place(path, "repository", number, row, ("name", "url", "folder", "archive"))
        yield from _of_entry(_convert(row, _RepositoryEntry, place), path.parent, place)
    for number, row in enumerate(top.list, 1):
        place = _place(path, "list", number, row, ("file",))
        entry = _convert(row, _ListEntry, place)
        file = _path_in(path, entry.file)
        for line in read_list(file):
            listed = _RepositoryEntry(
                url=line.url, name=line.name, ref=line.ref, token_env=entry.token_env
            )
            yield from _of_entry(listed, file.parent, line.place)


def _of_entry(entry: _RepositoryEntry, folder: Path, place: str) -> Iterator[Repository]:
    """Yields the repositories of an entry: one for each of its refs."""
    sources = [key for key in ("url", "folder", "archive") if getattr(entry, key)]
    if len(sources) != 1:
        given = " and ".join(sources) or "none of them"
        raise RequestError(f"{place}: expected one of url, folder and archive, but has {given}")
    if sources != ["url"] and (entry.ref or entry.refs or entry.token_env):
        raise RequestError(f"{place}: only a url has a ref, refs or a token_env")
    if entry.ref and entry.refs:
        raise RequestError(f"{place}: has ref and refs: give only refs")
    for ref in (*entry.refs, entry.ref):
        if (entry.refs or entry.ref) and ref != "" and (why := why_bad_ref(ref)):
            raise RequestError(f"{place}: ref {shown_name(ref)}: {why}; give a branch or a tag")
    if "" in entry.refs or len({*entry.refs}) < len(entry.refs):
        raise RequestError(f"{place}: refs has an empty name, or one name twice")
    kind, location, default = _source_of(entry, sources[0], folder, place)
    name = default if entry.name is None else entry.name
    for ref in entry.refs or (entry.ref,):
        full = f"{name}@{ref}" if entry.refs else name
        if why := why_bad_name(full):
            hint = "" if entry.name is not None else "; give it a name"
            raise RequestError(f"{place}: name {shown_name(full)}: {why}{hint}")
        yield Repository(full, kind, location, ref, entry.token_env, place)


def _source_of(
    entry: _RepositoryEntry, source: str, folder: Path, place: str
) -> tuple[Literal["git", "folder", "archive"], str, str]:
    """Returns the kind, the location and the default name of an entry."""
    try:
        if source == "url":
            address = read_address(entry.url, folder)
            if entry.token_env and address.transport not in ("https", "http"):
                raise RequestError("token_env is for addresses that begin with https://")
            return "git", address.location, address.name
    except RequestError as error:
        raise RequestError(f"{place}: {error}") from None
    text: str = getattr(entry, source)
    if "\0" in text:
        raise RequestError(f"{place}: the path of the {source} contains a NUL")
    location = Path(os.path.abspath(folder / Path(text).expanduser()))
    if source == "folder":
        return "folder", str(location), location.name
    return "archive", str(location), location.name


def _organisations(path: Path, top: _Top) -> Iterator[Organisation]:
    for number, row in enumerate(top.organisation, 1):
        place = _place(path, "organisation", number, row, ("name", "url"))
        entry = _convert(row, Organisation, place)
        url = (entry.url or API_OF_FORGE.get(entry.forge, "")).rstrip("/")
        if not url:
            raise RequestError(
                f"{place}: {entry.forge} needs the url of its API, such as"
                " https://git.example.org/api/v1"
            )
        if not entry.name.isprintable() or ".." in entry.name or entry.name.startswith(("-", "/")):
            raise RequestError(f"{place}: {shown_name(entry.name)} is no name of an organisation")
        try:
            origin = origin_of(url)
        except RequestError as error:
            raise RequestError(f"{place}: {error}") from None
        if origin.scheme != "https" and not is_loopback(origin.host):
            raise RequestError(
                f"{place}: {shown_address(url)} is not encrypted: give the https address"
            )
        if "?" in url or "#" in url:
            raise RequestError(f"{place}: the url of an API has no part after ? or #")
        yield msgspec.structs.replace(entry, url=url, place=place)


def _check_clashes(path: Path, repositories: list[Repository]) -> None:
    named = ((repository.name, repository) for repository in repositories)
    for (name, first), (other, second) in clashes(named):
        same = name.casefold() == other.casefold()
        fault = "have one name" if same else "have names of which one is a folder of the other"
        raise RequestError(
            f"{path}: two entries {fault}: {shown_name(name)} ({first.place}) and"
            f" {shown_name(other)} ({second.place}): give one of them another name"
        )


def _place(path: Path, table: str, number: int, row: dict[str, Any], keys: tuple[str, ...]) -> str:
    """Returns what messages call an entry: its file, table, number, and the first of some keys."""
    called = next((row[key] for key in keys if isinstance(row.get(key), str)), "")
    shown = f" ({shown_address(called)})" if called else ""
    return f"{path}: [[{table}]] {number}{shown}"


def _path_in(path: Path, text: str) -> Path:
    return Path(os.path.abspath(path.parent / Path(text).expanduser()))


def _line(text: str) -> str:
    return shorten(show_controls(text.splitlines()[0] if text else "it is empty"), _LONGEST_QUOTED)
