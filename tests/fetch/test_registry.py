"""Registries, in a folder and on a local server: what is read, and what happens if they lie or
hang."""

import hashlib
import http.server
import ipaddress
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from symindex.errors import IntegrityError, RequestError, StorageError, SymindexError
from symindex.fetch import http_reader
from symindex.fetch.http_reader import is_public, origin_of, read_url
from symindex.fetch.registry import Registry, open_registry
from symindex.text.versions import newest, version_key
from tests.support.files import write_files


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def entry(version: str, data: bytes, **more: Any) -> dict[str, Any]:
    named = {
        "type": "tool",
        "id": "deploy/release",
        "version": version,
        "sha256": sha256(data),
        "size": len(data),
    }
    named |= {"title": "Release", "description": "Cuts a release.", "licence": "MIT"}
    return {
        **named,
        **({"path": f"tools/release {version}.py"} if "url" not in more else {}),
        **more,
    }


VERSIONS = ["1.9.0", "1.10.0", "2.0.0-rc.1", "0.1"]
CONTENT = {version: f"# {version}\n".encode() for version in VERSIONS}


def document(*items: dict[str, Any]) -> bytes:
    entries = [*items] or [entry(version, data) for version, data in CONTENT.items()]
    return json.dumps({"symindex_registry": 1, "made_by": "x", "items": entries}).encode()


FILES = {
    "index.json": document(),
    **{f"tools/release {version}.py": data for version, data in CONTENT.items()},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_files(tmp_path / "registry", FILES)


Answer = Callable[[http.server.BaseHTTPRequestHandler], None]


class Server:
    """A local server whose answers a test sets.

    asked: the requested paths; headers: the requests' headers.
    """

    def __init__(self) -> None:
        self.answers: dict[str, bytes | Answer] = {
            f"/r/{name.replace(' ', '%20')}": data for name, data in FILES.items()
        }
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.ended = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                outer.headers.append(dict(self.headers))
                answer = outer.answers.get(self.path)
                with suppress(OSError):
                    if callable(answer):
                        answer(self)
                    elif answer is None:
                        self.send_error(404)
                    else:
                        send(self, answer)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/r/"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()


def send(handler: http.server.BaseHTTPRequestHandler, data: bytes, **headers: str) -> None:
    handler.send_response(200)
    for name, value in {
        "Content-Length": str(len(data)),
        "Content-Type": "text/html",
    }.items() | headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(data)


def redirect(target: str) -> Answer:
    def answer(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", target)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def check_reading(registry: Registry) -> None:
    assert [entry.version for entry in registry.list()] == ["0.1", "1.9.0", "1.10.0", "2.0.0-rc.1"]
    item = registry.read("tool", "deploy/release")
    assert (item.data, item.entry.version, item.entry.title) == (b"# 1.10.0\n", "1.10.0", "Release")
    assert registry.read("tool", "deploy/release", "2.0.0-rc.1").data == b"# 2.0.0-rc.1\n"
    with pytest.raises(
        RequestError,
        match=r"has no version '3' of tool deploy/release: it has 2\.0\.0-rc\.1, 1\.10\.0, 1\.9\.0, 0\.1",
    ):
        registry.read("tool", "deploy/release", "3")
    with pytest.raises(
        RequestError, match=r"has no directive 'deploy/release'; it has one of type tool"
    ):
        registry.read("directive", "deploy/release")
    with pytest.raises(RequestError, match="has no tool 'none'"):
        registry.read("tool", "none")


def test_a_folder(folder: Path) -> None:
    check_reading(open_registry(str(folder)))
    check_reading(open_registry(str(folder), sha256(FILES["index.json"])))
    check_reading(open_registry(str(folder), "sha256:" + sha256(FILES["index.json"]).upper()))


def test_a_server(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    check_reading(open_registry(server.url, allow_private=True))
    check_reading(
        open_registry(server.url + "index.json", sha256(FILES["index.json"]), allow_private=True)
    )
    assert {name for headers in server.headers for name in headers} == {
        "Host",
        "User-Agent",
        "Accept-Encoding",
        "Connection",
    }


def test_redirects_within_the_server(server: Server) -> None:
    server.answers["/r/index.json"] = redirect("/1")
    server.answers["/1"] = redirect("2?x=y")
    server.answers["/2?x=y"] = redirect(f"{server.url}3")
    server.answers["/r/3"] = document()
    assert len(open_registry(server.url, allow_private=True).list()) == 4
    server.answers["/r/3"] = redirect("/r/4")
    server.answers["/r/4"] = document()
    with pytest.raises(StorageError, match="redirects more than 3 times"):
        open_registry(server.url, allow_private=True)


ELSEWHERE = [
    "http://127.0.0.1:9/", "http://localhost/", "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://10.0.0.1/",
    "http://[::ffff:127.0.0.1]/", "http://2130706433/", "http://0/", "http://0x7f.1/", "http://[fe80::1]/", "http://100.64.0.1/",
    "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://192.168.1.1/", "http://[fd00::1]/",
]  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("target", ELSEWHERE)
def test_a_private_address_is_not_asked(target: str, server: Server) -> None:
    server.answers["/r/index.json"] = redirect(target)
    with pytest.raises(SymindexError, match=r"is not a public address|there is no machine called"):
        open_registry(server.url, allow_private=True)
    server.answers["/r/index.json"] = document(entry("1", b"x", url=target))
    registry = open_registry(server.url, allow_private=True)
    with pytest.raises(SymindexError, match=r"is not a public address|there is no machine called"):
        registry.read("tool", "deploy/release")
    with pytest.raises(SymindexError, match=r"is not a public address|there is no machine called"):
        open_registry(target, "0" * 64)


def test_the_server_itself_is_not_asked_unless_it_is_allowed(server: Server) -> None:
    with pytest.raises(
        RequestError, match=r"anybody on the way can change what http delivers; use https, or pin"
    ):
        open_registry(server.url)
    with pytest.raises(RequestError, match=r"127\.0\.0\.1 is not a public address"):
        open_registry(server.url, sha256(FILES["index.json"]))
    assert server.asked == []


def test_the_checked_address_is_the_one_that_is_asked(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name has a public address when it is checked, and cannot resolve to another one for the
    request."""
    real, answers = http_reader.socket.getaddrinfo, ["93.184.216.34", "127.0.0.1"]
    monkeypatch.setattr(http_reader, "CONNECT_SECONDS", 0.3)
    monkeypatch.setattr(
        http_reader.socket,
        "getaddrinfo",
        lambda _, port, **more: real(answers.pop(0), port, **more),
    )
    connected: list[object] = []

    def connect(_: object, address: object) -> None:
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(http_reader.socket.socket, "connect", connect)
    with pytest.raises(StorageError):
        read_url(server.url.replace("127.0.0.1", "example.org"), 100)
    assert [address[0] for address in connected] == ["93.184.216.34"] and answers == ["127.0.0.1"]  # type: ignore[index]
    monkeypatch.setattr(http_reader.socket, "getaddrinfo", lambda *_, **__: [
        (2, 1, 6, "", ("93.184.216.34", 80)), (2, 1, 6, "", ("10.0.0.1", 80)),
    ])  # fmt: skip
    with pytest.raises(
        RequestError, match=r"example\.org is 10\.0\.0\.1"
    ):  # one such address is enough
        read_url("http://example.org/", 100)


def test_a_certificate_that_nobody_vouches_for(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(
        name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1)
    )
    made = made.add_extension(
        x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False
    )
    made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    kept = tmp_path / "certificate.pem"
    kept.write_bytes(made.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key.pem").write_bytes(private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(kept, tmp_path / "key.pem")
    server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
    url = server.url.replace("http://127.0.0.1", "https://localhost")
    with pytest.raises(StorageError, match=r"cannot be read: .*certificate"):
        open_registry(url, allow_private=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(kept))
    check_reading(open_registry(url, allow_private=True))
    with pytest.raises(StorageError, match=r"cannot be read: .*[Hh]ostname|IP address"):
        open_registry(url.replace("localhost", "127.0.0.1"), allow_private=True)


def test_https_is_not_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        http_reader, "_read_once", lambda *_, **__: http_reader._Redirect("http://example.org/x")
    )
    with pytest.raises(
        RequestError, match=r"leads to http://example\.org/x, which is not encrypted"
    ):
        read_url("https://example.org/", 100)


@pytest.mark.parametrize(
    "url",
    ["https://user:pass@example.org/", "https://example.org:99999/", "https:///x", "https://exa mple.org/", "https://ex\nample.org/",
     "file:///etc/passwd", "gopher://example.org/", "https://Übung.de/",
     "https://example.org/\\x", "https://[::1", "https://" + "x" * 3_000],
)  # fmt: skip
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(RequestError):
        origin_of(url)
    with pytest.raises(RequestError) as caught:
        open_registry(url)
    assert "pass@" not in str(caught.value)


def test_public_addresses() -> None:
    assert all(
        map(
            is_public,
            ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"],
        )
    )
    for address in ["127.0.0.1", "0.0.0.0", "255.255.255.255", "224.0.0.1", "ff02::1", "::", "fe80::1%eth0", "192.0.2.1", "x",
                    "169.254.169.254", "fd00:ec2::254", "::7f00:1", "198.18.0.1", "240.0.0.1"]:  # fmt: skip
        assert not is_public(address), address
    assert not any(
        is_public(str(ipaddress.ip_address(0x0A000000 + n))) for n in range(0, 2**24, 999_983)
    )


def never(handler: http.server.BaseHTTPRequestHandler) -> None:
    waiting.wait(20)


def drip_header(handler: http.server.BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    while not waiting.wait(0.05):
        handler.wfile.write(b"x")


def drip_body(handler: http.server.BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while not waiting.wait(0.05):
        handler.wfile.write(b" ")


def endless_body(handler: http.server.BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        handler.wfile.write(b" " * 65_536)


def endless_continues(handler: http.server.BaseHTTPRequestHandler) -> None:
    while True:
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def cut_short(handler: http.server.BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}")


def claims_much(handler: http.server.BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{}")


def no_http(handler: http.server.BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.0\r\n")


def chunk(size: bytes) -> Answer:
    return raw(b"Transfer-Encoding: chunked\r\n\r\n" + size + b"\r\n{}\r\n0\r\n\r\n")


def raw(rest: bytes) -> Answer:
    def answer(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + rest)

    return answer


waiting = threading.Event()

FAILING: dict[str, tuple[Answer, str]] = {
    "never answers": (never, "did not answer within 0.6 s; try again later"),
    "drips a header": (drip_header, "did not answer within 0.6 s"),
    "drips a body": (drip_body, "did not answer within 0.6 s"),
    "endless body": (endless_body, "more than 10,000,000 bytes"),
    "endless continues": (endless_continues, "did not answer within 0.6 s"),
    "cut short": (cut_short, "ends too early|IncompleteRead"),
    "claims much": (claims_much, "the document has 99,999,999,999 bytes, more than 10,000,000"),
    "no HTTP": (no_http, "cannot be read: SSH-2.0"),
    "an error": (
        lambda handler: handler.send_error(503),
        "the server says 503 Service Unavailable",
    ),
    "a negative chunk": (
        chunk(b"-1"),
        r"cannot be read: the document has a chunk of size '-1'; check",
    ),
    "a chunk that is more negative": (chunk(b"-22"), "a chunk of size '-22'"),
    "a signed chunk": (chunk(b"+2"), r"a chunk of size '\+2'"),
    "a chunk with a blank": (chunk(b"1 2"), "a chunk of size '1 2'"),
    "a chunk with a prefix": (chunk(b"0x2"), "a chunk of size '0x2'"),
    "a chunk with an underline": (chunk(b"0_2"), "a chunk of size '0_2'"),
    "a chunk in other digits": (chunk("٢".encode()), "a chunk of size"),
    "a huge chunk": (chunk(b"f" * 9_000), "a chunk of size 'fff"),
    "a chunk with an endless extension": (chunk(b"2;" + b"a" * 70_000), "a chunk of size '2'"),
    "a chunk without a size": (chunk(b""), "a chunk of size ''"),
    "a negative length": (raw(b"Content-Length: -5\r\n\r\n{}"), "has the length '-5'"),
    "two lengths": (
        raw(b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
        "has the length '2, 3'",
    ),
    "packed": (
        raw(b"Content-Encoding: gzip\r\n\r\n{}"),
        "is encoded as 'gzip', which was not asked for",
    ),
    "a redirect to no address": (
        redirect("http://[::1"),
        r"redirects to 'http://\[::1', which is not an address",
    ),
    "a redirect to an empty machine": (redirect("http://[]/"), "not an address"),
    "a redirect nowhere": (redirect(""), "redirects more than|cannot be read"),
    "a redirect to a file": (redirect("file:///etc/passwd"), "is not a web address"),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize(("answer", "words"), FAILING.values(), ids=FAILING)
def test_a_server_that_fails(
    answer: Answer, words: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_reader, "SECONDS", 0.6 if "within" in words else 10.0)
    waiting.clear()
    server.answers["/r/index.json"] = answer
    began = time.monotonic()
    try:
        with pytest.raises(SymindexError, match=words) as caught:
            open_registry(server.url, allow_private=True)
    finally:
        waiting.set()
    assert time.monotonic() - began < 5
    assert (
        "\n" not in str(caught.value)
        and str(caught.value).count("/r/") <= 2
        and len(str(caught.value)) < 500
    )


@pytest.mark.parametrize("size", [b"22", b"22 ", b"22;name=value", b"0000022"])
def test_chunks_as_the_protocol_has_them(size: bytes, server: Server) -> None:
    data = b'{"symindex_registry":1,"items":[]}'
    body = b"Transfer-Encoding: chunked\r\n\r\n" + size + b"\r\n" + data + b"\r\n0\r\n\r\n"
    server.answers["/r/index.json"] = raw(body)
    assert open_registry(server.url, allow_private=True).list() == []


def test_no_process_listens() -> None:
    with pytest.raises(StorageError, match="Connection refused; check that the address is right"):
        open_registry("http://127.0.0.1:1/", allow_private=True)


def test_a_digest_that_lies(server: Server, folder: Path) -> None:
    for registry in (open_registry(server.url, allow_private=True), open_registry(str(folder))):
        write_files(folder, {"tools/release 1.10.0.py": "# 1.10.1\n"})
        server.answers["/r/tools/release%201.10.0.py"] = b"# 1.10.1\n"
        with pytest.raises(IntegrityError) as caught:
            registry.read("tool", "deploy/release")
        assert str(caught.value).startswith(
            f"{registry.source}: tool deploy/release 1.10.0 is not what the index says: sha256 "
        )
        assert sha256(b"# 1.10.0\n") in str(caught.value) and sha256(b"# 1.10.1\n") in str(
            caught.value
        )
    with pytest.raises(
        IntegrityError,
        match=rf"has the sha256 {sha256(FILES['index.json'])} instead of the pinned {'0' * 64}",
    ):
        open_registry(str(folder), "0" * 64)
    with pytest.raises(RequestError, match="the pin 'abc' is not a digest"):
        open_registry(str(folder), "abc")


X = entry("1", b"x")
BAD_INDEXES: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"<html>", "not an index of a registry: JSON is malformed"),
    "nothing": (b"", "not an index of a registry"),
    "nested": (b"[" * 100_000, "not an index"),
    "nested in a field": (b'{"symindex_registry": 1, "x": ' + b"[" * 100_000, "not an index"),
    "another kind": (b"[]", "not an index of a registry: Expected `object`"),
    "another format": (
        b'{"symindex_registry": 2}',
        "an index of format 2: this version of symindex reads format 1",
    ),
    "no items": (b'{"symindex_registry": 1}', "missing required field `items`"),
    "no digest": (
        document({"type": "tool", "id": "a", "version": "1", "size": 1, "path": "a"}),
        r"`sha256` - at `\$\.items\[0\]`",
    ),
    "a wrong digest": (document({**X, "sha256": "x"}), "not an index"),
    "a wrong size": (document({**X, "size": -1}), "not an index"),
    "too large": (document({**X, "size": 2_000_001}), "not an index"),
    "a wrong version": (document({**X, "version": "--force"}), "not an index"),
    "a wrong type": (document({**X, "type": "../x"}), "not an index"),
    "an id that leads out": (
        document({**X, "id": "../../x"}),
        r"wrong entry, 'tool \.\./\.\./x 1': id '\.\./\.\./x' contains '\.\.'",
    ),
    "a path that leads out": (
        document({**X, "path": "../x"}),
        r"wrong entry.*path '\.\./x' contains",
    ),
    "an absolute path": (document({**X, "path": "/etc/passwd"}), "is absolute"),
    "an encoded path": (document({**X, "path": "a/%2e%2e/x"}), "percent-encoded"),
    "an address as a path": (document({**X, "path": "http://127.0.0.1/"}), "contains :"),
    "no path": (document({**X, "path": ""}), "must have either a path or a url"),
    "twice": (document(X, X), "is listed twice"),
    "a url": (
        document(entry("1", b"x", url="https://example.org/x")),
        "a folder must not call addresses",
    ),
}


@pytest.mark.parametrize(("data", "words"), BAD_INDEXES.values(), ids=BAD_INDEXES)
def test_an_index_that_is_wrong(data: bytes, words: str, tmp_path: Path) -> None:
    write_files(tmp_path, {"index.json": data})
    with pytest.raises(RequestError, match=words) as caught:
        open_registry(str(tmp_path))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 700


def test_a_folder_leads_nowhere(folder: Path, tmp_path: Path) -> None:
    write_files(tmp_path, {"secret": "# 1.10.0\n"})
    (folder / "tools" / "release 1.10.0.py").unlink()
    (folder / "tools" / "release 1.10.0.py").symlink_to(tmp_path / "secret")
    with pytest.raises(StorageError, match="cannot be read: a symbolic link"):
        open_registry(str(folder)).read("tool", "deploy/release")
    (folder / "index.json").unlink()
    for make in (
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.mkdir(),
        lambda _: None,
    ):
        make(folder / "index.json")
        with pytest.raises(
            StorageError,
            match=r"index\.json cannot be read: .*; check that it is the folder of a registry",
        ):
            open_registry(str(folder))
        with suppress(OSError):
            (folder / "index.json").unlink()
        with suppress(OSError):
            (folder / "index.json").rmdir()
    (folder / "index.json").write_bytes(b" " * 10_000_001)
    with pytest.raises(StorageError, match="larger than 10,000,000 bytes"):
        open_registry(str(folder))


def test_the_order_of_versions() -> None:
    ordered = ["", "main", "0.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11",
               "1.0.0-rc.1",
               "1.0.0", "1.0.1", "1.2", "1.10", "v2.0.0", "2024.5.1", "9" * 60]  # fmt: skip
    assert sorted(reversed(ordered), key=version_key) == ordered
    assert (
        newest(["1.0", "2.0-rc.1", "1.1"]) == "1.1"
        and newest(["2.0-rc.1", "2.0-rc.2"]) == "2.0-rc.2"
    )
