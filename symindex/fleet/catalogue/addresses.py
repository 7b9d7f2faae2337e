"""Reads the address of a git repository, and derives the name that people expect for it.

git understands more than addresses: `ext::` runs a program, a leading hyphen is an option, and a
password in an address is shown in every message. So an address is one of four kinds, or refused.
"""

import ipaddress
import os
import re
from pathlib import Path
from typing import Final, Literal, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from symindex.errors import RequestError
from symindex.text.escaping import shorten, show_controls

LONGEST_ADDRESS: Final = 2_000
"""Longest address, in characters."""

_SHOWN: Final = 200

Transport = Literal["https", "http", "ssh", "file"]

_PATH_OF_SSH: Final = re.compile(r"(?:([\w.-]+)@)?(\[[0-9A-Fa-f:]+\]|[\w.-]{2,}):(?!//)(.+)")
"""Matches the short form of ssh, `git@host:path`. A host has two letters: `C:` is a drive."""

_EXPECTED: Final = "expected one such as https://example.org/team/web.git, git@host:team/web, or"
_FORMS: Final = f"{_EXPECTED} the path of a folder"


class Address(NamedTuple):
    """Where a git repository is. transport: how it is reached. location: for git; of a local one
    the absolute path. name: what people call it."""

    transport: Transport
    location: str
    name: str


def read_address(text: str, folder: Path) -> Address:
    """Reads an address. folder: what a relative path is relative to. Raises RequestError."""
    shown = shown_address(text)
    if not text or len(text) > LONGEST_ADDRESS or not text.isprintable() or text != text.strip():
        raise RequestError(f"{shown!r} is not an address: {_FORMS}")
    if text.startswith("-"):
        raise RequestError(f"{shown!r} begins with a hyphen, like an option: {_FORMS}")
    if re.match(r"[A-Za-z0-9+.-]+::", text):
        raise RequestError(f"{shown!r} names a program of git, which would be run: {_FORMS}")
    if "://" in text:
        return _read_url(text, shown)
    if "/" not in text.partition(":")[0] and (short := _PATH_OF_SSH.fullmatch(text)):
        return _ssh_address(text, shown, short[2], short[3])
    path = Path(text).expanduser()
    return _local(path if path.is_absolute() else folder / path)


def transport_of(location: str) -> Transport:
    """Returns how a location is reached that `read_address` has returned."""
    scheme = location.partition("://")[0]
    if scheme in ("https", "http"):
        return "https" if scheme == "https" else "http"
    return "file" if Path(location).is_absolute() else "ssh"


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def shown_address(text: str) -> str:
    """Returns an address for a message: without a user and a password, escaped, and not too
    long."""
    return shorten(show_controls(re.sub(r"(?<=://)[^/@]*@", "", text)), _SHOWN)


def _read_url(text: str, shown: str) -> Address:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise RequestError(f"{shown!r} is not an address: {_FORMS}") from None
    if not text.isascii() or " " in text or (parts.scheme != "file" and not host):
        raise RequestError(f"{shown!r} is not an address: {_FORMS}")
    if parts.query or parts.fragment:
        raise RequestError(f"{shown!r} has a part after ? or #, which no repository has: {_FORMS}")
    if parts.scheme == "file":
        if host not in ("", "localhost"):
            raise RequestError(f"{shown!r} names another machine; give the path as it is here")
        return _local(Path(unquote(parts.path)))
    if parts.scheme == "ssh":
        return _ssh_url(text, shown, parts, host)
    if parts.scheme not in ("https", "http"):
        raise RequestError(f"{shown!r}: {parts.scheme}:// is not read: {_FORMS}")
    if parts.username is not None or parts.password is not None:
        raise RequestError(
            f"{shown!r} contains a user or a password, which messages would show: put the token"
            " into an environment variable, and name that as token_env"
        )
    if parts.scheme == "http" and not is_loopback(host):
        raise RequestError(f"{shown!r} is not encrypted: give the https address")
    return Address(transport_of(text), text, _name_of(parts.path, shown))


def _ssh_url(text: str, shown: str, parts: SplitResult, host: str) -> Address:
    if parts.password is not None:
        raise RequestError(f"{shown!r} contains a password: ssh uses keys")
    if host.startswith("-") or (parts.username or "").startswith("-"):
        raise RequestError(f"{shown!r} has a host like an option: {_FORMS}")
    return Address("ssh", text, _name_of(parts.path, shown))


def _ssh_address(text: str, shown: str, host: str, path: str) -> Address:
    if host.startswith("-") or path.startswith("-"):
        raise RequestError(f"{shown!r} has a host or a path like an option: {_FORMS}")
    return Address("ssh", text, _name_of(path, shown))


def _local(path: Path) -> Address:
    path = Path(os.path.abspath(path))
    name = path.parent.name if path.name == ".git" else path.name.removesuffix(".git")
    return Address("file", str(path), name)


def _name_of(path: str, shown: str) -> str:
    """Returns the path of a repository on its server, such as `team/web`."""
    name = unquote(path).strip("/").removeprefix("~").removesuffix(".git").strip("/")
    if not name:
        raise RequestError(f"{shown!r} names a server and no repository: {_FORMS}")
    return name
