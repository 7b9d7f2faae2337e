"""Messages to the language server, read without a server: bodies and headers, settings, the
handshake, tokens, URIs and rows, progress."""

import asyncio
import json
import logging
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolFlag, SymbolKind
from symindex.serve.lsp import channel, handshake, listener, progress
from symindex.serve.lsp.channel import (
    INVALID_REQUEST,
    NOT_INITIALIZED,
    PARSE_ERROR,
    REQUEST_FAILED,
    BrokenHeaderError,
    Channel,
    MessageError,
    read_message,
    to_json,
)
from symindex.serve.lsp.client_server import _answer_to
from symindex.serve.lsp.configuration import Bounds, Configuration, read_configuration
from symindex.serve.lsp.convert import (
    OLD_KINDS,
    SymbolCapabilities,
    encode_rows,
    kind_table,
    symbol_list,
    symbol_tree,
    to_path,
    uri_of,
)
from symindex.serve.lsp.handshake import read_client_info, run_handshake, watched_globs
from symindex.serve.lsp.listener import _refusal, first_message
from symindex.settings import LARGEST_LIMIT
from symindex.workers.document_messages import SymbolPosition

often = settings(max_examples=40)

BODIES: list[tuple[bytes, Any, int, str]] = [
    (b"{", None, PARSE_ERROR, "not valid JSON: "),
    (b'{"a": NaN}', None, PARSE_ERROR, "not valid JSON: NaN is not a JSON number"),
    (b'{"a": 1e999}', None, PARSE_ERROR, "not valid JSON: 1e999 is not a JSON number"),
    (b"[" * 100_000, None, PARSE_ERROR, "not valid JSON: "),
    (b"[]", None, INVALID_REQUEST, "not an object: a message is one request, response or notification"),
    (b'{"jsonrpc": "2.0", "id": true, "method": "m"}', None, INVALID_REQUEST, '"id" must be a number or a string'),
    (b'{"jsonrpc": "1.0", "id": 5, "method": "m"}', 5, INVALID_REQUEST, 'not a message: "jsonrpc" must be "2.0", with "method" or "result"'),
    (b'{"jsonrpc": "2.0", "id": 5}', 5, INVALID_REQUEST, "not a message: "),
    (b'{"jsonrpc": "2.0", "id": 5, "method": 1}', 5, INVALID_REQUEST, "not a message: "),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(BODIES)))
def test_what_is_no_message(number: int) -> None:
    body, request_id, code, text = BODIES[number]
    with pytest.raises(MessageError) as caught:
        read_message(body)
    assert (caught.value.request_id, caught.value.code) == (request_id, code)
    assert str(caught.value).startswith(text) and len(str(caught.value)) < 230
    assert json.loads(caught.value.encoded()) == {
        "jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": str(caught.value)}
    }  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        {"method": "m"},
        {"method": "m", "id": 1.5},
        {"id": 1, "result": None},
        {"id": "a", "error": {}},
    ],
)
def test_requests_notifications_and_responses(fields: dict[str, Any]) -> None:
    message = {"jsonrpc": "2.0", **fields}
    assert read_message(json.dumps(message).encode()) == message


class Fields(msgspec.Struct, omit_defaults=True, rename="camel"):
    name_here: str = "x"
    other: int = 0
    absent: str | msgspec.UnsetType = msgspec.UNSET


def test_half_a_surrogate_pair_is_sent_as_a_question_mark() -> None:
    assert json.loads(to_json({"a": "\ud800b"})) == {"a": "?b"}
    values = ["\ud800", (1, "é"), {"\udfff": Fields("\ud800", 3)}, Fields(), None, 2.5]
    assert json.loads(to_json(values)) == [
        "?", [1, "é"], {"?": {"nameHere": "?", "other": 3}}, {}, None, 2.5
    ]  # fmt: skip


class Writer:
    """The other end of a channel, in memory."""

    def __init__(self) -> None:
        self.sent, self.is_ended = bytearray(), False
        self.transport = SimpleNamespace(
            set_write_buffer_limits=lambda high: None, get_write_buffer_size=lambda: len(self.sent)
        )

    def write(self, data: bytes) -> None:
        self.sent += data

    def is_closing(self) -> bool:
        return self.is_ended

    async def drain(self) -> None: ...


async def channel_of(data: bytes, longest: int = 1 << 20) -> tuple[Channel, Writer]:
    reader, writer = asyncio.StreamReader(limit=1 << 16), Writer()
    reader.feed_data(data)
    reader.feed_eof()
    end: Any = writer
    made = Channel(reader, end)
    made.longest = longest
    return made, writer


HEADERS: list[tuple[bytes, list[bytes | None]]] = [
    (b"Content-Length: 2\r\n\r\nab", [b"ab", None]),
    (
        b"\r\n\r\ncontent-length:2\nContent-Type: x\n\nabContent-Length: 0\r\n\r\n",
        [b"ab", b"", None],
    ),
    (b"Content-Length: 10\r\n\r\n0123456789", [b"0123456789", None]),
    (b"Content-Length: 11\r\n\r\n0123456789a", [None]),
    (b"Content-Length: 3\r\n\r\nab", [None]),
    (b"Content-Length: -1\r\n\r\n", [None]),
    (b"Content-Length: 0000000000001\r\n\r\na", [None]),
    (b"Content-Length: 000000000001\r\n\r\na", [b"a", None]),
    (b"Content-Length: 1\r\nContent-Length: 1\r\n\r\na", [None]),
    (b"X: 1\r\n\r\n", [None]),
    (b"Content-Length 1\r\n\r\na", [None]),
    (b"Content-Length: 1", [None]),
    (b"", [None]),
]


@pytest.mark.parametrize(("data", "bodies"), HEADERS)
def test_messages_are_read_by_their_headers(data: bytes, bodies: list[bytes | None]) -> None:
    async def check() -> None:
        made, writer = await channel_of(data, longest=10)
        assert [await made.read() for _ in bodies] == bodies
        assert not writer.sent

    asyncio.run(check())


@pytest.mark.parametrize(("n", "is_read"), [(4096, True), (4097, False)])
def test_a_header_has_four_kilobytes_at_most(n: int, is_read: bool) -> None:
    async def check() -> None:
        length, end = b"Content-Length: 1\r\n", b"\r\n"
        field = b"Content-Type: ".ljust(n - len(length) - 2 * len(end), b"x") + end
        header = length + field + end
        assert len(header) == n
        made, _ = await channel_of(header + b"a")
        if is_read:
            assert await made.read() == b"a"
        else:
            with pytest.raises(BrokenHeaderError, match="incomplete or longer than 4096 bytes"):
                await made._read_length()

    asyncio.run(check())


def test_a_web_browser_is_told_that_this_is_no_web_server() -> None:
    async def check() -> None:
        made, writer = await channel_of(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert await made.read() is None
        assert bytes(writer.sent).startswith(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n")
        assert made.waiting == len(writer.sent)
        other, plain = await channel_of(b"GET nothing\r\n")
        assert await other.read() is None and not plain.sent

    asyncio.run(check())


def test_an_invalid_message_of_an_admitted_client_is_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def check() -> None:
        for longest in (1 << 20, channel.LONGEST_MESSAGE):
            made, _ = await channel_of(b"X: 1\r\n", longest)
            await made.read()

    caplog.set_level(logging.INFO, "symindex.lsp")
    asyncio.run(check())
    assert [record.levelno for record in caplog.records] == [logging.INFO, logging.WARNING]


def test_messages_are_written_with_a_header_until_the_end() -> None:
    async def check() -> None:
        made, writer = await channel_of(b"")
        made.write(b"abc")
        writer.is_ended = True
        made.write(b"d")
        assert bytes(writer.sent) == b"Content-Length: 3\r\n\r\nabc"

    asyncio.run(check())


CONFIGURED: list[tuple[Any, Configuration, list[str]]] = [
    (None, Configuration(), []),
    ({}, Configuration(), []),
    ({"limit": 1, "trace": 1, "hover": None}, Configuration(limit=1), []),
    ({"symindex": {"limit": LARGEST_LIMIT}}, Configuration(limit=LARGEST_LIMIT), []),
    ({"symindex": 1, "limit": 2}, Configuration(limit=2), ["unknown setting 'symindex': "]),
    ([1], Configuration(), ["the settings are [1]: they must be an object with the keys limit, include, "]),
    ({"limit": 0}, Configuration(), ["setting 'limit': 0 is not an integer from 1 to "]),
    ({"limit": LARGEST_LIMIT + 1}, Configuration(), [f"setting 'limit': {LARGEST_LIMIT + 1} is not an integer from 1 to {LARGEST_LIMIT:,}"]),
    ({"limit": True}, Configuration(), ["setting 'limit': true is not"]),
    ({"limit": "1"}, Configuration(), ["setting 'limit': \"1\" is not"]),
    ({"limt": 1}, Configuration(), ["unknown setting 'limt': did you mean 'limit'? Expected one of limit, include, "]),
    ({"include": ["*.py"], "exclude": ["a/**"]}, Configuration(include=("*.py",), exclude=("a/**",)), []),
    ({"include": "x"}, Configuration(), ["setting 'include': \"x\" is not a list of strings"]),
    ({"include": [""]}, Configuration(), ["setting 'include': [\"\"] is not a list of strings"]),
    ({"include": ["!x"]}, Configuration(), ["setting 'include': '!x' is not a glob: "]),
    ({"languages": ["python"]}, Configuration(languages=("python",)), []),
    ({"indexDir": "/i"}, Configuration(index_dir="/i"), []),
    ({"indexDir": ""}, Configuration(), []),
    ({"indexDir": "a\0b"}, Configuration(), ["setting 'indexDir': "]),
    ({"indexDir": 1}, Configuration(), ["setting 'indexDir': 1 is not a path"]),
    ({"hover": True, "references": ["go"]}, Configuration(hover=True, references=("go",)), []),
    ({"typeHierarchy": 1}, Configuration(), ["setting 'typeHierarchy': 1 is not true, false or a list of languages"]),
    ({"limit": "x" * 58}, Configuration(), ["setting 'limit': \"" + "x" * 58 + "\" is not"]),
    ({"limit": "x" * 59}, Configuration(), ["setting 'limit': \"" + "x" * 59 + "… is not"]),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CONFIGURED)))
def test_settings_of_a_client(number: int) -> None:
    sent, configuration, problems = CONFIGURED[number]
    read, messages = read_configuration(sent)
    assert read == configuration
    assert len(messages) == len(problems)
    assert all(text.startswith(begin) for text, begin in zip(messages, problems, strict=True))


def test_who_chooses_where_indexes_are() -> None:
    assert not Bounds().keep_index_dir
    assert Bounds((Path("/r"),)).keep_index_dir and Bounds((), "").keep_index_dir


URIS: list[tuple[str, str | None]] = [
    ("file:///a/b%20c", "/a/b c"), ("file://localhost/a", "/a"), ("file://host/a", None), ("untitled:Untitled-1", None),
    ("file:///a?b#c", "/a?b#c"), ("file:///a?b", "/a?b"), ("file:///a#c", "/a#c"), ("file:///a/../b", "/b"), ("file:///a%00", None),
    ("file://[", None), ("file:///%ff", "/\udcff"), ("file:", None), ("file:///c:/x", "/c:/x"), ("file:///\ud800", None),
]  # fmt: skip


@pytest.mark.parametrize(("uri", "path"), URIS)
def test_the_file_that_a_uri_names(uri: str, path: str | None) -> None:
    assert to_path(uri) == (Path(path) if path is not None else None)


PLAIN: Final = SymbolCapabilities(kind_table(frozenset(range(1, 27))), True)
OLD: Final = SymbolCapabilities(kind_table(OLD_KINDS), False)


def test_a_client_gets_only_kinds_that_it_supports() -> None:
    for row in KINDS.values():
        assert PLAIN.kinds[row.code] == row.lsp
        old = OLD.kinds[row.code]
        assert old in OLD_KINDS and (old == row.lsp if row.lsp in OLD_KINDS else old != row.lsp)
    code = KINDS[SymbolKind.STRUCT].code
    assert OLD.kinds[code] == KINDS[SymbolKind.CLASS].lsp
    none = kind_table(frozenset({13}))
    assert {*none.values()} == {KINDS[SymbolKind.VARIABLE].lsp} and len(KIND_OF_CODE) > 10


def test_optional_fields_of_a_symbol() -> None:
    deprecated = SymbolFlag.DEPRECATED.value
    assert PLAIN.more("", 0) == {} and PLAIN.more("c", 0) == {"containerName": "c"}
    assert PLAIN.more("", deprecated) == {"tags": (1,)}
    assert OLD.more("c", deprecated | 1 << 20) == {"containerName": "c", "deprecated": True}


def symbol(
    name: str, kind: SymbolKind, signature: str = "", container: str = "", flags: int = 0
) -> Any:
    return SimpleNamespace(
        name=name, kind=kind, signature=signature, container=container, flags=flags
    )


DOCUMENT: Any = SimpleNamespace(
    outline=[
        (
            symbol("A", SymbolKind.CLASS, "class A"),
            SymbolPosition((0, 0), (5, 0), (0, 6), (0, 7), -1),
        ),
        (
            symbol("f", SymbolKind.METHOD, "", "A", SymbolFlag.DEPRECATED.value),
            SymbolPosition((2, 4), (3, 0), (1, 0), (3, 2), 0),
        ),
        (symbol("S", SymbolKind.SECTION, "S"), SymbolPosition((6, 0), (7, 0), (6, 0), (6, 1), -1)),
    ]
)


def place(*numbers: int) -> dict[str, Any]:
    return {
        "start": {"line": numbers[0], "character": numbers[1]},
        "end": {"line": numbers[2], "character": numbers[3]},
    }


def test_symbols_of_a_document_as_a_tree_and_as_a_list() -> None:
    tree = json.loads(to_json(symbol_tree(DOCUMENT, PLAIN)))
    assert tree == [
        {
            "name": "A", "kind": 5, "range": place(0, 0, 5, 0), "selectionRange": place(0, 6, 0, 7), "detail": "class A",
            "children": [{"name": "f", "kind": 6, "range": place(1, 0, 3, 2), "selectionRange": place(1, 0, 3, 2), "tags": [1]}],
        },
        {"name": "S", "kind": KINDS[SymbolKind.SECTION].lsp, "range": place(6, 0, 7, 0), "selectionRange": place(6, 0, 6, 1)},
    ]  # fmt: skip
    rows = json.loads(to_json(symbol_list(DOCUMENT, "file:///a", OLD)))
    assert rows[1] == {
        "name": "f", "kind": 6, "location": {"uri": "file:///a", "range": place(1, 0, 3, 2)},
        "containerName": "A", "deprecated": True,
    }  # fmt: skip


def match(path: str, folder: str = "/r/a b", key: str | None = None, **more: Any) -> Any:
    place = SimpleNamespace(path=Path(folder), name=folder)
    usual = {"line": 3, "start": 1, "end": 5, "kind": KINDS[SymbolKind.CLASS].code, "flags": 0}
    return SimpleNamespace(path=path, folder=place, key=key, **(usual | more))


def test_the_uri_of_a_row() -> None:
    assert uri_of(match("x/y.py")) == "file:///r/a%20b/x/y.py"
    assert uri_of(match("x y?.py", "/")) == "file:///x%20y%3F.py"
    assert uri_of(match("x", key="untitled:1")) == "untitled:1"
    assert uri_of(match("x", "relative")) == "file:///relative/x"


@pytest.mark.parametrize(
    ("first", "sizes"), [(None, [3]), (0, [3]), (1, [1, 2]), (3, [3]), (9, [3])]
)
def test_rows_are_encoded_whole_or_in_two_parts(first: int | None, sizes: list[int]) -> None:
    rows: Any = [
        ("a", "c", match("x.py")),
        ('"b\ud800', "", match("x.py", flags=SymbolFlag.DEPRECATED.value)),
        ("d", "c", match("y.py", line=9)),
    ]
    parts = [json.loads(part) for part in encode_rows(rows, PLAIN, first)]
    assert [len(part) for part in parts] == sizes
    every = [row for part in parts for row in part]
    assert [row["name"] for row in every] == ["a", '"b?', "d"]
    location = {"uri": "file:///r/a%20b/x.py", "range": place(3, 1, 3, 5)}
    assert every[0] == {"name": "a", "kind": 5, "location": location, "containerName": "c"}
    assert every[1]["tags"] == [1] and "containerName" not in every[1]
    assert every[2]["location"]["uri"].endswith("/y.py")
    same: Any = [("a", "", match("x.py")), ("a", "", match("x.py", "/other"))]
    (answer,) = map(json.loads, encode_rows(same, PLAIN))
    uris = [row["location"]["uri"] for row in answer]
    assert uris == ["file:///r/a%20b/x.py", "file:///other/x.py"]
    assert encode_rows([], PLAIN) == [b"[]"] and encode_rows([], PLAIN, 5) == []


def test_what_a_client_says_of_itself(tmp_path: Path) -> None:
    empty = read_client_info({})
    assert (empty.folders, empty.process_id, empty.options, empty.encoding) == (
        (),
        None,
        None,
        "utf-16",
    )
    assert not (empty.takes_trees or empty.resolves or empty.shows_progress or empty.tells_settings)
    assert empty.registers == frozenset() and empty.symbols == OLD
    client = read_client_info({
        "processId": 7,
        "initializationOptions": {"symindex": {"limit": 3, "token": "secret"}},
        "workspaceFolders": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b", "name": 1}, {"uri": "x:y"}, 5],
        "rootUri": "file:///ignored",
        "capabilities": {
            "general": {"positionEncodings": ["utf-7", "utf-32", "utf-8"]},
            "window": {"workDoneProgress": True},
            "workspace": {
                "configuration": True,
                "symbol": {"symbolKind": {"valueSet": [*range(1, 27), "x"]}, "tagSupport": {"valueSet": [1]}, "resolveSupport": {}},
                "didChangeWatchedFiles": {"dynamicRegistration": True},
            },
            "textDocument": {
                "documentSymbol": {"hierarchicalDocumentSymbolSupport": True, "symbolKind": 5},
                "hover": {"dynamicRegistration": True}, "definition": {"dynamicRegistration": False},
            },
        },
    })  # fmt: skip
    assert client.folders == ((Path("/a"), "A"), (Path("/b"), "b"))
    assert (client.process_id, client.options, client.encoding) == (7, {"limit": 3}, "utf-32")
    assert (
        client.takes_trees and client.resolves and client.shows_progress and client.tells_settings
    )
    assert client.registers == {"workspace/didChangeWatchedFiles", "textDocument/hover"}
    assert client.symbols == PLAIN and client.document_symbols == OLD
    assert read_client_info({"rootUri": "file:///a/b", "rootPath": "/c"}).folders == (
        (Path("/a/b"), "b"),
    )
    for root, folders in (("/c/d", ((Path("/c/d"), "d"),)), ("", ()), ("a\0", ()), (5, ())):
        assert read_client_info({"rootPath": root}).folders == folders
    assert read_client_info({"initializationOptions": 5, "processId": "x"}).options == 5


def test_what_the_server_offers() -> None:
    client = read_client_info({})
    result = handshake.initialize_result(client, Configuration(hover=True, references=("go",)))
    offered = result["capabilities"]
    assert offered["positionEncoding"] == "utf-16"
    assert offered["textDocumentSync"] == {
        "openClose": True,
        "change": 2,
        "save": {"includeText": False},
    }
    assert {key for key in offered if key.endswith("Provider")} == {
        "workspaceSymbolProvider", "documentSymbolProvider", "executeCommandProvider", "hoverProvider", "referencesProvider"
    }  # fmt: skip
    assert offered["workspace"]["workspaceFolders"] == {
        "supported": True,
        "changeNotifications": True,
    }
    assert watched_globs([".py", ".", ".app.src", "x"]) == [
        "**/*.{app.src,py,x}", "**/.gitignore", "**/.ignore", "**/.rgignore", "**/symindex.toml"
    ]  # fmt: skip


def request(method: str, request_id: Any = 1, params: Any = None) -> bytes:
    return to_json({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})


class Client:
    """A channel that has some messages."""

    def __init__(self, *messages: bytes) -> None:
        self.messages, self.sent, self.longest = [*messages], list[Any](), 0

    async def read(self) -> bytes | None:
        return self.messages.pop(0) if self.messages else None

    def write(self, message: bytes) -> None:
        self.sent.append(json.loads(message))


def shake(*messages: bytes, first: bytes | None = None) -> tuple[Any, list[Any]]:
    client: Any = Client(*messages)
    return asyncio.run(run_handshake(client, first)), client.sent


def test_initialize_comes_first() -> None:
    hello = request("initialize", 2, {"processId": 5})
    notification = to_json({"jsonrpc": "2.0", "method": "initialized"})
    client, sent = shake(request("shutdown"), notification, b"{", hello)
    assert client.process_id == 5
    assert [(answer["id"], answer.get("error", {}).get("code")) for answer in sent] == [
        (1, NOT_INITIALIZED), (None, PARSE_ERROR), (2, None)
    ]  # fmt: skip
    assert sent[0]["error"]["message"] == "shutdown: initialize must come first"
    client, sent = shake(first=hello)
    assert client is not None and len(sent) == 1
    exit_message = to_json({"jsonrpc": "2.0", "method": "exit"})
    assert shake(exit_message, hello) == (None, []) and shake() == (None, [])
    client, sent = shake(request("initialize", 3, [1]))
    assert client is None and sent[0]["error"]["code"] == -32602


def test_faults_of_a_handshake_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, code, text in (
        (RequestError("why"), -32602, "why"),
        (KeyError("secret"), -32603, "internal error (KeyError); see the server's log"),
    ):

        def fail(_: Any, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr(handshake, "read_client_info", fail)
        assert shake(request("initialize", 4, {}))[1][0]["error"] == {"code": code, "message": text}


REFUSED: list[tuple[Any, Any, int, str]] = [
    (b"{", None, PARSE_ERROR, "not JSON"),
    ([], None, INVALID_REQUEST, "not a message of JSON-RPC 2.0"),
    ({"jsonrpc": "1.0"}, None, INVALID_REQUEST, "not a message of JSON-RPC 2.0"),
    ({"jsonrpc": "2.0", "method": "initialize"}, None, NOT_INITIALIZED, "initialize must come first"),
    ({"jsonrpc": "2.0", "method": "x", "id": "i" * 200}, "i" * 200, NOT_INITIALIZED, "initialize must come first"),
    ({"jsonrpc": "2.0", "method": "x", "id": "i" * 201}, None, NOT_INITIALIZED, "initialize must come first"),
    ({"jsonrpc": "2.0", "method": "initialize", "id": 5}, 5, REQUEST_FAILED, "initialize: a token is required: give it as"),
    ({"jsonrpc": "2.0", "method": "initialize", "id": 5, "params": {"initializationOptions": {"token": "x"}}}, 5, REQUEST_FAILED, "initialize: the token is wrong: give it as"),
    ({"jsonrpc": "2.0", "method": "initialize", "id": 5, "params": {"initializationOptions": {"token": 5}}}, 5, REQUEST_FAILED, "initialize: a token is required"),
    ({"jsonrpc": "2.0", "method": "initialize", "id": 5, "params": {"initializationOptions": {"token": "\ud800"}}}, 5, REQUEST_FAILED, "initialize: the token is wrong"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_who_is_not_admitted(number: int) -> None:
    said, request_id, code, text = REFUSED[number]
    refusal = _refusal(said if isinstance(said, bytes) else json.dumps(said).encode(), "secret")
    assert refusal is not None
    assert (refusal.request_id, refusal.code) == (request_id, code)
    assert str(refusal).startswith(text)


def test_who_is_admitted() -> None:
    for options in (
        {"token": "secret"},
        {"symindex": {"token": "secret"}},
        {"token": 1, "symindex": {"token": "secret"}},
    ):
        hello = request("initialize", 1, {"initializationOptions": options})
        assert _refusal(hello, "secret") is None
    assert _refusal(request("initialize"), "") is None
    hello = request("initialize", 1, {"initializationOptions": {"token": "secret"}})
    client: Any = Client(hello)
    assert asyncio.run(first_message(client, "secret", 9.0)) == hello
    assert client.longest == channel.LONGEST_MESSAGE == 1 << 29
    client = Client(hello)
    assert asyncio.run(first_message(client, "other", 9.0)) is None
    assert client.sent[0]["error"]["code"] == REQUEST_FAILED and client.longest == 0
    assert asyncio.run(first_message(Client(), "", 9.0)) is None  # type: ignore[arg-type]

    async def never() -> None:
        await asyncio.sleep(60.0)

    silent: Any = SimpleNamespace(read=never)
    assert asyncio.run(first_message(silent, "", 0.01)) is None


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (RequestError("why"), REQUEST_FAILED, "why"),
        (KeyError("secret"), -32603, "internal error (KeyError); see the server's log"),
    ],
)
def test_what_a_client_sees_of_an_error(error: Exception, code: int, text: str) -> None:
    answer = _answer_to(error, "method")
    assert (answer.code, answer.message) == (code, text)
    assert _answer_to(answer, "method") is answer


class Shown:
    """pygls's progress: records what is sent."""

    def __init__(self) -> None:
        self.tokens: dict[str, Any] = {}
        self.sent: list[Any] = []
        self.accepts = True

    async def create_async(self, token: str) -> None:
        if not self.accepts:
            raise TimeoutError
        self.tokens[token] = asyncio.get_running_loop().create_future()

    def begin(self, token: str, value: Any) -> None:
        self.sent.append(("begin", value.title, value.message, value.percentage, value.cancellable))

    def report(self, token: str, value: Any) -> None:
        self.sent.append(("report", value.message, value.percentage))

    def end(self, token: str, value: Any) -> None:
        self.sent.append(("end", value.message))


def event(kind: str, done: int = 0, total: int = 0, text: str = "") -> Any:
    return SimpleNamespace(
        kind=kind, root=Path("/r/name"), done=done, total=total, text=text, cancel=lambda: None
    )


def test_the_progress_of_indexing_is_shown_from_its_beginning_to_its_end() -> None:
    async def check() -> None:
        shown, works, listens = Shown(), list[Any](), [True]
        pygls: Any = shown
        bars = progress.ProgressBars(pygls, works.append, lambda: listens[0])
        bars.show(event("end"))
        bars.show(event("begin"))
        bars.show(event("report", 1, 3))
        assert shown.sent == []  # nothing may be sent before the client has accepted it
        await works.pop()
        bars.show(event("report", 1500, 3000))
        listens[0] = False
        bars.show(event("report", 1600, 3000))
        listens[0] = True
        bars.show(event("report", 3000, 3000))
        bars.show(event("report", 0, 0))
        bars.show(event("end", text="why"))
        assert shown.sent == [
            ("begin", "Indexing name", "1/3 files", 33, True),
            ("report", "1,500/3,000 files", 50),
            ("report", "writing the index", 100),
            ("report", "writing the index", 0),
            ("end", "why"),
        ]
        assert shown.tokens == {}
        shown.sent.clear()
        bars.show(event("begin"))
        bars.show(event("end"))
        await works.pop()
        assert shown.sent == [] and shown.tokens == {}
        shown.accepts = False
        bars.show(event("begin"))
        await works.pop()
        bars.show(event("end"))
        assert shown.sent == []

    asyncio.run(check())


def test_a_run_ends_when_its_bar_is_cancelled() -> None:
    async def check() -> None:
        shown, works, cancelled = Shown(), list[Any](), list[str]()
        pygls: Any = shown
        bars = progress.ProgressBars(pygls, works.append, lambda: True)
        begun = event("begin")
        begun.cancel = lambda: cancelled.append("cancelled")
        bars.show(begun)
        await works.pop()
        (future,) = shown.tokens.values()
        future.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert cancelled == ["cancelled"]

    asyncio.run(check())


@often
@given(st.text(st.sampled_from("aB é/?#%[]:\\&+"), max_size=9))
def test_the_uri_of_a_file_names_the_file(name: str) -> None:
    path = os.path.normpath("/r/" + name)
    inside = path.removeprefix("/r/")
    if path.startswith("/r/") and inside and not inside.startswith("/"):
        assert to_path(uri_of(match(inside, "/r"))) == Path(path)


def test_who_listens_at_most() -> None:
    made = listener._Listener(SimpleNamespace(), "", SimpleNamespace())  # type: ignore[arg-type]
    assert 1 <= made._connections.most <= 64
