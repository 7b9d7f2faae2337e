"""Limits of fetched items, registries, keys and signatures, and the errors past a limit."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest

from symindex.fetch import http_reader
from symindex.fetch.http_reader import Origin, origin_of, read_url
from symindex.fetch.item_content import _read_file
from symindex.fetch.keys import generate_signing_key, read_public_key
from symindex.fetch.locate import _elsewhere, _only
from symindex.fetch.registry import open_registry
from symindex.fetch.safe_path import split_path
from symindex.fetch.sign_file import sign_files
from symindex.fetch.signature import find_signature, sign
from symindex.fetch.trust import TrustStore
from tests.fetch.test_registry import document, entry
from tests.support.files import write_files
from tests.support.limits import SAME, Limit, cases, check_limit

KEY = generate_signing_key()


def path_of_length(n: int, folder: Path) -> object:
    return len("/".join(split_path("p" * n)))


def path_of_parts(n: int, folder: Path) -> object:
    return len(split_path("/".join(["p"] * n)))


def redirected(n: int, folder: Path) -> object:
    answers = iter([http_reader._Redirect(f"https://a.example/{number}") for number in range(n)])
    with mock.patch.object(http_reader, "_read_once", lambda *_, **__: next(answers, b"text")):
        return read_url("https://a.example/", 10)


def long_address(n: int, folder: Path) -> object:
    return origin_of("https://a.example/".ljust(n, "x")).host


def late(n: int, folder: Path) -> object:
    """Reads a document that fails after `n` seconds."""
    times = iter([0.0, float(n)])
    with (
        mock.patch.object(http_reader, "_read_once", side_effect=OSError(5, "broken")),
        mock.patch.object(http_reader.time, "monotonic", lambda: next(times)),
    ):
        return read_url("https://a.example/", 10)


def addresses(n: int, folder: Path) -> object:
    rows = [(2, 1, 6, "", (f"93.184.216.{number}", 443)) for number in range(n)]
    with mock.patch.object(http_reader.socket, "getaddrinfo", lambda *_, **__: rows):
        return len(
            http_reader.resolve(Origin("https", "a.example", 443), time.monotonic() + 9, False)
        )


def fetched(n: int, folder: Path) -> object:
    write_files(folder, {"a.md": "x" * n})
    return len(
        _read_file(cast(Any, SimpleNamespace(root=folder, below="a.md", shown="a.md", texts={})))
    )


def index_of_registry(n: int, folder: Path) -> object:
    write_files(folder, {"index.json": document(entry("1", b"")).ljust(n)})
    return open_registry(str(folder)).find("tool", "deploy/release").version


def item_of_registry(n: int, folder: Path) -> object:
    data = b"x" * n
    write_files(folder, {"index.json": document(entry("1", data)), "tools/release 1.py": data})
    registry = open_registry(str(folder))
    return len(registry.read("tool", "deploy/release").data)


def versions_of_registry(n: int, folder: Path) -> object:
    write_files(folder, {"index.json": document(*(entry(str(number), b"") for number in range(n)))})
    return open_registry(str(folder)).find("tool", "deploy/release", "9")


def located(n: int) -> list[Any]:
    shared: dict[str, Any] = {
        "facts": SimpleNamespace(type="tool"),
        "part": SimpleNamespace(space="project"),
        "path": "a.md",
    }
    return [
        SimpleNamespace(summary=f"item {number}", label=f"space {number}", place=number, **shared)
        for number in range(n)
    ]


def ambiguous(n: int, folder: Path) -> object:
    return _only(located(n), "the-id")


def elsewhere(n: int, folder: Path) -> object:
    with mock.patch("symindex.fetch.locate._by_id", lambda *_: located(n)):
        return _elsewhere([], "the-id", None)


def key_file(n: int, folder: Path) -> object:
    write_files(folder, {"key": KEY.public.line.ljust(n)})
    return read_public_key(str(folder / "key")) == KEY.public


def keys(n: int, folder: Path) -> object:
    store = TrustStore(folder / "trust")
    for number in range(n):
        store.add(generate_signing_key().public.line, f"key{number}")
    return len(store.list())


def prefix(n: int, folder: Path) -> object:
    """Finds a key by the first `12 - n` characters of its fingerprint."""
    store = TrustStore(folder / "trust")
    store.add(KEY.public.line, "own")
    given = KEY.public.fingerprint[: len("SHA256:") + 12 - n]
    return store.find(given).name


def signed_file(n: int, folder: Path) -> object:
    write_files(folder, {"a.py": "x" * n})
    return len(sign_files([str(folder / "a.py")], KEY))


def signature_line(n: int, folder: Path) -> object:
    line, _, rest = sign(b"x = 1\n", KEY, ".py").partition(b"\n")
    return verdict(line.ljust(n - 1, b"x") + b"\n" + rest)


def signature_lines(n: int, folder: Path) -> object:
    line, _, rest = sign(b"x = 1\n", KEY, ".py").partition(b"\n")
    return len(sign((line + b"\n") * n + rest, KEY, ".py").splitlines())


def verdict(data: bytes) -> object:
    signature = find_signature(data, "a.py")
    return signature is not None and signature.problem


LIMITS: list[Limit] = [
    Limit("fetch.signature.LONGEST_LINE", 400, signature_line, "has a garbled signature line", 'has a signature line of 401 bytes'),
    Limit("fetch.signature._MOST_LINES", 3, signature_lines, 2, ".py: has more than 3 signature lines: delete them first"),
    Limit("fetch.safe_path.LONGEST_PATH", 8, path_of_length, 8, "path 'ppppppppp' has 9 characters, more than 8: expected a relative path such as tools/deploy.md"),
    Limit("fetch.safe_path.MOST_PARTS", 3, path_of_parts, 3, "path 'p/p/p/p' has 4 parts, more than 3: expected a relative path such as tools/deploy.md"),
    Limit("fetch.safe_path.LONGEST_PART", 8, path_of_length, 8, "path 'ppppppppp' contains a part of 9 bytes, more than 8: expected a relative path such as tools/deploy.md"),
    Limit("fetch.http_reader.MOST_REDIRECTS", 2, redirected, b"text", 'https://a.example/: redirects more than 2 times; use the address that it leads to'),
    Limit("fetch.http_reader.LONGEST_URL", 40, long_address, "a.example", "'https://a.example/xxxxxxxxxxxxxxxxxxxxxxx' is not an address: expected one such as https://example.org/registry/, with other characters encoded"),
    Limit("fetch.http_reader.SECONDS", 4, late, "https://a.example/: did not answer within 4 s; try again later", "https://a.example/: cannot be read: broken; check that the address is right",
        -1),
    Limit("fetch.http_reader._MOST_ADDRESSES", 2, addresses, 2, SAME),
    Limit("fetch.item_content.MOST_BYTES", 8, fetched, 8, 'a.md: has more than 8 bytes, the most that is fetched'),
    Limit("fetch.registry.LARGEST_INDEX", 500, index_of_registry, "1", 'TMP: index.json cannot be read: larger than 500 bytes; check that it is the folder of a registry'),
    Limit("fetch.registry.LARGEST_ITEM", 8, item_of_registry, 8, 'TMP: tools/release 1.py cannot be read: larger than 8 bytes; check that it is the folder of a registry'),
    Limit("fetch.registry._SHOWN", 2, versions_of_registry, "TMP has no version '9' of tool deploy/release: it has 1, 0", "TMP has no version '9' of tool deploy/release: it has 2, 1 and 1 older ones"),
    Limit("fetch.locate.MOST_TOLD", 2, ambiguous, "the-id is ambiguous: item 0, item 1; name one by its path", 'the-id is ambiguous: item 0, item 1 and 1 more; name one by its path'),
    Limit("fetch.locate.MOST_TOLD", 2, elsewhere, "; there is: tool in space 0, tool in space 1", '; there is: tool in space 0, tool in space 1 and 1 more'),
    Limit("fetch.keys._LARGEST_FILE", 200, key_file, True, 'TMP/key: larger than 200 bytes: name a file with a public key'),
    Limit("fetch.trust.MOST_KEYS", 2, keys, 2, 'TMP/trust contains 2 keys, the most allowed; remove one first'),
    Limit("fetch.trust._SHORTEST_PREFIX", 6, prefix, "own", f"no key {KEY.public.fingerprint[:12]!r}: the keys are own ({KEY.public.fingerprint}); a fingerprint needs 6 characters at least"),
    Limit("fetch.sign_file.LARGEST_FILE", 8, signed_file, 1, "'TMP/a.py': larger than 8 bytes: name a file to sign"),
]  # fmt: skip


@cases(LIMITS)
def test_limits_of_fetch(case: Limit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_limit(case, monkeypatch, tmp_path)
