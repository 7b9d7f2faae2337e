"""Addresses of git repositories: the four kinds that are read, the names they give, the rest."""

from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.fleet.catalogue.addresses import read_address, shown_address, transport_of

FOLDER = Path("/home/op/fleet")

READ: dict[str, tuple[str, str, str]] = {
    "https://github.com/pallets/click.git": ("https", "", "pallets/click"),
    "https://git.example.org:8443/a/b/c/": ("https", "", "a/b/c"),
    "http://127.0.0.1:3000/a/b": ("http", "", "a/b"),
    "http://localhost/a": ("http", "", "a"),
    "http://[::1]:80/a": ("http", "", "a"),
    "ssh://git@example.org:22/team/web.git": ("ssh", "", "team/web"),
    "git@example.org:team/web.git": ("ssh", "", "team/web"),
    "example.org:~me/web": ("ssh", "", "me/web"),
    "file:///srv/git/web.git": ("file", "/srv/git/web.git", "web"),
    "file:///srv/a%20b": ("file", "/srv/a b", "a b"),
    "/srv/git/web.git/": ("file", "/srv/git/web.git", "web"),
    "/srv/web/.git": ("file", "/srv/web/.git", "web"),
    "../web": ("file", "/home/op/web", "web"),
    "web": ("file", "/home/op/fleet/web", "web"),
    "a/b:c": ("file", "/home/op/fleet/a/b:c", "b:c"),
}


@pytest.mark.parametrize(("text", "expected"), READ.items(), ids=READ)
def test_what_is_read(text: str, expected: tuple[str, str, str]) -> None:
    transport, location, name = expected
    assert read_address(text, FOLDER) == (transport, location or text, name)
    assert transport_of(location or text) == transport


REFUSED: dict[str, str] = {
    "": "is not an address",
    " https://example.org/a": "is not an address",
    "https://example.org/a\nb": "is not an address",
    "https://example.org/a b": "is not an address",
    "https://exämple.org/a": "is not an address",
    "https:///a": "is not an address",
    "https://[::1/a": "is not an address",
    "https://example.org:99999/a": "is not an address",
    "x" * 2_001: "is not an address",
    "--upload-pack=touch x": "begins with a hyphen, like an option",
    "-oProxyCommand=x:y": "begins with a hyphen, like an option",
    "ext::sh -c x": "names a program of git, which would be run",
    "fd::17": "names a program of git",
    "transport::https://example.org/a": "names a program of git",
    "https://u:p@example.org/a": "contains a user or a password",
    "https://token@example.org/a": "contains a user or a password",
    "ssh://u:p@example.org/a": "contains a password: ssh uses keys",
    "ssh://-oProxyCommand=x/a": "has a host like an option",
    "ssh://-x@example.org/a": "has a host like an option",
    "-x@example.org:a": "begins with a hyphen",
    "git@-example.org:a": "has a host or a path like an option",
    "git@example.org:-a": "has a host or a path like an option",
    "http://example.org/a": "is not encrypted: give the https address",
    "http://127.0.0.1.example.org/a": "is not encrypted",
    "git://example.org/a": "git:// is not read",
    "ftp://example.org/a": "ftp:// is not read",
    "https://example.org/": "names a server and no repository",
    "https://example.org/.git": "names a server and no repository",
    "https://example.org/a?b": "has a part after ? or #",
    "https://example.org/a#b": "has a part after ? or #",
    "file://host/a": "names another machine",
}


@pytest.mark.parametrize(("text", "fault"), REFUSED.items(), ids=[text[:40] for text in REFUSED])
def test_what_is_refused(text: str, fault: str) -> None:
    with pytest.raises(RequestError) as caught:
        read_address(text, FOLDER)
    message = str(caught.value)
    assert fault in message and "\n" not in message and len(message) < 600
    assert "u:p" not in message and "token@" not in message


def test_a_message_shows_no_password() -> None:
    assert shown_address("https://me:secret@example.org/a\x1b") == "https://example.org/a\\x1b"
    assert len(shown_address("x" * 5_000)) == 201
