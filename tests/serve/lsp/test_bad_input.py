"""The language server answers bad messages, places and trees with errors and notices, and keeps
running."""

import json
import os
import random
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.support.command import unprivileged
from tests.support.files import write_files
from tests.support.hanging_language import own_environment
from tests.support.lsp_client import EVERYTHING, Client, Editors, LspError, framed, start_server
from tests.support.waiting import until
from tests.support.watching import skip_unwatched

pytestmark = pytest.mark.nightly

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602


@pytest.fixture
def client(editors: Editors) -> Client:
    """A client without a folder."""
    return editors.start()


@pytest.fixture
def client_of_tree(editors: Editors, tmp_path: Path) -> Client:
    """A client with an empty folder."""
    (tmp_path / "tree").mkdir()
    return editors.start(tmp_path / "tree")


@pytest.mark.slow
@pytest.mark.parametrize(
    "params",
    [
        {"initializationOptions": {"indexDir": "\ud800"}},
        {"initializationOptions": {"limit": "\ud800"}},
        {"initializationOptions": {"indexDir": "x" * 5_000}},
        {"rootUri": None, "rootPath": "/\ud800"},
        {"rootUri": None, "rootPath": "/" + "y/" * 3_000},
    ],
)
def test_text_that_cannot_be_a_path_breaks_no_answer(
    params: dict[str, Any], tmp_path: Path
) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def alive(): pass\n"})
    client = start_server(env=own_environment(tmp_path / "home"))
    hello = {"capabilities": {}, "rootUri": root.as_uri(), **params}
    client.send(
        json.dumps(
            {"jsonrpc": "2.0", "id": client.expect(99), "method": "initialize", "params": hello}
        ).encode()
    )
    client.answer(99)
    assert isinstance(client.call("workspace/symbol", {"query": "alive"}, 10), list)
    client.leave()


def assert_alive(client: Client) -> None:
    uri = client.open("untitled:alive", "def alive(): pass\n", "python")
    assert [node["name"] for node in client.outline(uri)] == ["alive"]
    client.close_document(uri)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", PARSE_ERROR),
        (b"", PARSE_ERROR),
        (b"\xff\xfe\x00", PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "shutdown"', PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b"NaN!", PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": 1e999, "method": "shutdown"}', PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": NaN, "method": "shutdown"}', PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": -Infinity, "method": "shutdown"}', PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b"null", INVALID_REQUEST),
        (b'"text"', INVALID_REQUEST),
        (b"7", INVALID_REQUEST),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}]', INVALID_REQUEST),
        (b"{}", INVALID_REQUEST),
        (b'{"jsonrpc": "2.0"}', INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "method": "initialized", "params": {}}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "method": 3}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "method": null}', INVALID_REQUEST),
        (
            rb'{"jsonrpc": "2.0", "id": "\ud800", "method": "workspace/symbol", "params": {"query": "x"}}',
            INVALID_REQUEST,
        ),
    ],
)
def test_an_invalid_message_gets_an_error_without_an_id(
    body: bytes, code: int, client: Client
) -> None:
    client.send(body)
    error = client.stray()
    assert error.code == code
    assert error.data is None
    assert_alive(client)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"method": "no/such/method"}, METHOD_NOT_FOUND),
        ({"method": ""}, METHOD_NOT_FOUND),
        ({"method": "$/noSuchRequest"}, METHOD_NOT_FOUND),
        ({"method": "textDocument/completion", "params": {}}, None),
        ({"method": "workspace/symbol"}, INVALID_PARAMS),
        ({"method": "workspace/symbol", "params": {}}, INVALID_PARAMS),
        ({"method": "workspace/symbol", "params": []}, INVALID_PARAMS),
        ({"method": "workspace/symbol", "params": {"query": ["x"]}}, INVALID_PARAMS),
        (
            {"method": "workspace/symbol", "params": {"query": "x", "partialResultToken": [1]}},
            INVALID_PARAMS,
        ),
        (
            {"method": "textDocument/documentSymbol", "params": {"textDocument": "file:///a"}},
            INVALID_PARAMS,
        ),
        (
            {"method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": 4}}},
            INVALID_PARAMS,
        ),
        (
            {"method": "workspace/executeCommand", "params": {"command": "rm"}},
            types.LSPErrorCodes.RequestFailed,
        ),
        ({"method": "symindex/outline", "params": None}, types.LSPErrorCodes.RequestFailed),
        (
            {"method": "symindex/outline", "params": {"textDocument": {"uri": []}}},
            types.LSPErrorCodes.RequestFailed,
        ),
        ({"method": "symindex/search", "params": [1]}, types.LSPErrorCodes.RequestFailed),
        ({"method": "initialized"}, None),
        ({"method": "textDocument/didOpen", "params": {}}, INVALID_PARAMS),
        (
            {
                "method": "textDocument/didOpen",
                "params": {
                    "textDocument": {"uri": "a", "languageId": 4, "version": 1, "text": "x"}
                },
            },
            INVALID_PARAMS,
        ),
        (
            {
                "method": "textDocument/didOpen",
                "params": {
                    "textDocument": {"uri": "a", "languageId": "c", "version": "1", "text": "x"}
                },
            },
            INVALID_PARAMS,
        ),
        (
            {"method": "textDocument/didClose", "params": {"textDocument": {"uri": "untitled:x"}}},
            INVALID_REQUEST,
        ),
        ({"method": "exit_"}, METHOD_NOT_FOUND),
    ],
)
def test_a_request_that_is_not_right_gets_the_right_code(
    message: dict[str, Any], code: int | None, client: Client
) -> None:
    number = client.expect(5000)
    client.send({"jsonrpc": "2.0", "id": number, **message})
    with pytest.raises(LspError) as caught:
        client.answer(number)
    assert code is None or caught.value.code == code
    assert "Traceback" not in caught.value.message
    assert str(Path(__file__).parents[3]) not in caught.value.message
    assert caught.value.data is None
    assert_alive(client)


def test_notifications_that_are_not_right_are_ignored(client: Client) -> None:
    for method, params in [
        ("no/such", {}),
        ("$/cancelRequest", {}),
        ("$/cancelRequest", {"id": None}),
        ("$/cancelRequest", {"id": [1]}),
        ("$/setTrace", {"value": "loud"}),
        ("textDocument/didOpen", None),
        ("textDocument/didChange", {"textDocument": {"uri": "untitled:x"}}),
        (
            "textDocument/didChange",
            {"textDocument": {"uri": "untitled:x", "version": 1}, "contentChanges": [{"range": 3}]},
        ),
        ("textDocument/didClose", {"textDocument": {"uri": "untitled:never-opened"}}),
        ("textDocument/didSave", {"textDocument": {"uri": "no uri at all"}}),
        (
            "workspace/didChangeWorkspaceFolders",
            {"event": {"added": [{"uri": "http://x/y", "name": "x"}], "removed": []}},
        ),
        ("workspace/didChangeWorkspaceFolders", {}),
        (
            "workspace/didChangeWatchedFiles",
            {"changes": [{"uri": "file:///etc/passwd", "type": 9}]},
        ),
        (
            "workspace/didChangeWatchedFiles",
            {"changes": [{"uri": "file:///nowhere/\x00", "type": 1}]},
        ),
        ("workspace/didRenameFiles", {"files": [{"oldUri": "untitled:a", "newUri": "::::"}]}),
        ("workspace/didChangeConfiguration", {"settings": 17}),
        ("workspace/didChangeConfiguration", {"settings": [1, 2]}),
        ("workspace/didChangeConfiguration", {}),
        ("window/workDoneProgress/cancel", {"token": 4}),
        ("$/progress", {"token": 1, "value": 2}),
    ]:
        client.notify(method, params)
    assert_alive(client)


def test_answers_without_a_request_are_ignored(client: Client) -> None:
    for message in [
        {"id": 77, "result": None},
        {"id": "x", "error": {"code": 1, "message": "no"}},
        {"id": None, "result": 1},
        {"result": 1},
        {"id": 5, "error": "no"},
        {"id": [1], "result": 1},
    ]:
        client.send({"jsonrpc": "2.0", **message})  # type: ignore[dict-item]
    assert_alive(client)


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, -1, "a text", "", 2**53, 1.5])
def test_ids_come_back_as_they_were(number: Any, client: Client) -> None:
    client.expect(number)
    client.send(
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": "workspace/symbol",
            "params": {"query": "none_such"},
        }
    )
    assert client.answer(number) == []


def test_header_fields_come_in_any_case_and_order(client: Client) -> None:
    body = b'{"jsonrpc":"2.0","id":%d,"method":"workspace/symbol","params":{"query":"none_such"}}'
    for n, head in enumerate([
        b"content-length: %d\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
        b"CONTENT-LENGTH:%d\r\n\r\n",
        b"Content-Length: %d\n\n",
        b"\r\n\r\nContent-Length: %d\r\n\r\n",
    ]):  # fmt: skip
        number = client.expect(8000 + n)
        client.send_bytes(head % len(body % number) + body % number)
        assert client.answer(number) == []
    slowly = framed(body % client.expect(8100))
    for position in range(len(slowly)):
        client.send_bytes(slowly[position : position + 1])
    assert client.answer(8100) == []


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: 99999999999\r\n\r\n",
    ],
)
def test_a_header_that_cannot_be_ends_the_connection_and_no_other(
    head: bytes, client: Client, editors: Editors
) -> None:
    other = editors.start()
    client.send_bytes(head)
    client.wait(lambda: client.is_ended, "the end of the connection")
    client.hang_up()
    assert_alive(other)


@pytest.mark.parametrize(
    "tail",
    [b"Content-Length: 100\r\n\r\n{", b"Content-Le", b"garbage\r\n\r\n" * 50, b"x" * 3_000_000],
)
def test_a_connection_that_breaks_off_ends_and_no_other(
    tail: bytes, client: Client, editors: Editors
) -> None:
    other = editors.start()
    try:
        client.send_bytes(tail)
    finally:
        client.hang_up()
    assert_alive(other)


def test_random_bytes_in_messages(client: Client) -> None:
    chance = random.Random(4)
    good = b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:r","text":"x","version":1}}}'
    for _ in range(300):
        body = bytearray(good)
        for _ in range(chance.randrange(1, 4)):
            body[chance.randrange(len(body))] = chance.randrange(256)
        client.send(bytes(body))
    assert_alive(client)


URIS = [
    "untitled:Untitled-1",
    "untitled:",
    "file:///no/such/file.py",
    "file:///with%20space/na%C3%AFve.py",
    "file:///with space/naïve.py",
    "file:///C:/Users/x/a.py",
    "file:///c%3A/Users/x/a.py",
    "file://server/share/a.py",
    "file://[bad/a.py",
    "file:relative.py",
    "git:/x/a.py?ref=HEAD",
    "vscode-notebook-cell:/x/a.ipynb#W0s",
    "jdt://contents/rt.jar/java.lang/String.class",
    "http://example.invalid/a.py",
    "a.py",
    "",
    "file://",
    "file:///",
    "file:///%00",
    "file:///%FF%FE.py",
    "file:///a.py#fragment",
    "file:///../../a.py",
    "file:///" + "x" * 5000 + ".py",
    "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
]


@pytest.mark.slow
@pytest.mark.parametrize("uri", URIS)
def test_any_uri_can_be_a_document_and_none_of_a_missing_file_has_symbols(
    uri: str, client: Client
) -> None:
    with pytest.raises(LspError) as caught:
        client.outline(uri)
    assert caught.value.code == types.LSPErrorCodes.RequestFailed
    client.open(uri, "def in_any_uri(): pass\n", "python")
    assert [node["name"] for node in client.outline(uri)] == ["in_any_uri"]
    client.change(uri, 2, ("def two(): pass\n", 0, 0, 0, 0))
    assert [node["name"] for node in client.outline(uri)] == ["two", "in_any_uri"]
    client.close_document(uri)
    with pytest.raises(LspError):
        client.outline(uri)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "with space.py",
        "naïve ünïcode.py",
        "per%cent%20.py",
        "hash#mark?.py",
        "c:drive.py",
        "[b]{c}$.py",
    ],
)
def test_files_of_any_name_are_found_and_opened_by_their_uris(
    name: str, client_of_tree: Client, tmp_path: Path
) -> None:
    path = write_files(tmp_path / "tree", {name: "def on_disk(): pass\n"}) / name
    client_of_tree.until_names("on_disk", ["on_disk"])
    uri = client_of_tree.symbols("on_disk")[0]["location"]["uri"]
    assert uri == path.as_uri()
    plain = "file://" + str(path).replace("%", "%25").replace("#", "%23").replace("?", "%3F")
    escaped = "file://" + "".join(
        f"%{byte:02x}" if byte != 47 else "/" for byte in os.fsencode(path)
    )
    for spelling in (uri, plain, escaped):
        assert [node["name"] for node in client_of_tree.outline(spelling)] == ["on_disk"]
    client_of_tree.open(escaped, "def in_editor(): pass\n", "python")
    client_of_tree.until_names("in_editor", ["in_editor"])
    assert client_of_tree.symbols("in_editor")[0]["location"]["uri"] == escaped
    assert client_of_tree.names("on_disk") == []


def test_a_file_whose_name_is_not_unicode_can_be_opened(
    client_of_tree: Client, tmp_path: Path
) -> None:
    path = os.path.join(os.fsencode(tmp_path / "tree"), b"latin\xe9.py")
    with open(path, "w") as file:
        file.write("def latin_named(): pass\n")
    uri = (tmp_path / "tree").as_uri() + "/latin%E9.py"
    assert client_of_tree.outline(uri)[0]["name"] == "latin_named"
    client_of_tree.open(uri, "def latin_unsaved(): pass\n", "python")
    assert client_of_tree.outline(uri)[0]["name"] == "latin_unsaved"
    assert client_of_tree.names("latin") == []  # the index leaves out such file names, too
    assert_alive(client_of_tree)


def test_places_beyond_the_end_and_in_the_wrong_order(client: Client) -> None:
    uri = client.open("untitled:edits", "first = 1\n", "python")
    client.change(uri, 2, ("second = 2\n", 900, 900, 2_000_000_000, 0))
    client.change(uri, 3, ("0", 0, 9000, 0, 9000), ("1", 1, 9, 1, 8))
    client.change(uri, 1, ("third = 3\n", 0, 0, 0, 0))  # an older version is logged and applied
    client.change(uri, 1, ("fourth = 4\n", 2, 0, 2, 0))
    client.wait_for_log("an edit of version 1 comes after version 3")
    assert [node["name"] for node in client.outline(uri)] == ["third", "first", "fourth", "second"]
    for place in [(-1, 0), (0, -1)]:
        client.change(uri, 9, ("x", *place, *place))
    client.change("untitled:never", 9, "x = 1")
    assert len(client.outline(uri)) == 4
    ends = client.outline(uri)[-1]["range"]["end"]
    assert ends == {"line": 3, "character": 10}


def test_an_open_document_that_is_opened_again_is_replaced(client: Client) -> None:
    uri = client.open("untitled:twice", "one = 1\n", "python")
    client.open("untitled:twice", "two = 2\n", "python")
    assert [node["name"] for node in client.outline(uri)] == ["two"]
    client.close_document(uri)
    client.close_document(uri)
    with pytest.raises(LspError):
        client.outline(uri)


def test_half_a_surrogate_pair(client: Client) -> None:
    number = client.expect(6000)
    client.send(
        b'{"jsonrpc":"2.0","id":6000,"method":"workspace/symbol","params":{"query":"\\ud83d"}}'
    )
    with pytest.raises(LspError, match=r"^-32803: .* is not valid Unicode"):
        client.answer(number)
    uri = "untitled:half"
    body = (
        b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:half",'
        b'"languageId":"python","version":1,"text":"x = \'\\ud83d\'; after = 1\\n"}}}'
    )
    client.send(body)
    assert [node["selectionRange"]["start"]["character"] for node in client.outline(uri)] == [0, 9]


@pytest.mark.slow
def test_a_document_of_50_megabytes_delays_no_other_request(
    client: Client, editors: Editors
) -> None:
    other = editors.start()
    text = "x = 1\n" * (50_000_000 // 6)
    uri = client.open("untitled:big", text, "python")
    small = other.open("untitled:small", "def small(): pass\n", "python")
    assert other.outline(small)[0]["name"] == "small"
    assert client.outline(uri) == []
    client.hear(
        "window/logMessage",
        lambda params: (
            "has no outline, because it was not read: larger than the size limit"
            in params["message"]
        ),
    )
    assert (
        "larger than" in client.call("symindex/outline", {"textDocument": {"uri": uri}})["skipped"]
    )
    client.change(uri, 2, ("def added(): pass\n", 0, 0, 0, 0))
    client.change(uri, 3, "def all_that_is_left(): pass\n")
    assert [node["name"] for node in client.outline(uri)] == ["all_that_is_left"]


@pytest.mark.slow
def test_a_missing_root_is_reported_and_awaited(editors: Editors, tmp_path: Path) -> None:
    root = tmp_path / "later"
    client = editors.start(root)
    assert str(root) in client.hear("window/showMessage")["message"]
    assert client.names("late") == []
    assert_alive(client)
    write_files(root, {"a.py": "def late(): pass\n"})
    client.until_names("late", ["late"])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs file modes")
def test_an_unreadable_root_is_reported_and_awaited(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def hidden(): pass\n"})
    root.chmod(0)
    client = start_server(prefix=unprivileged(), env=own_environment(tmp_path / "home"))
    client.initialize(root)
    assert "cannot be read" in client.hear("window/showMessage")["message"]
    assert client.names("hidden") == []
    root.chmod(0o755)
    client.until_names("hidden", ["hidden"])
    assert client.leave() == 0


def test_a_root_that_is_a_file(editors: Editors, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "def in_a_file(): pass\n"})
    client = editors.start(tmp_path / "a.py")
    assert client.hear("window/showMessage")["type"] == types.MessageType.Error
    assert client.names("in_a_file") == []
    assert_alive(client)


@pytest.mark.slow
def test_a_root_that_vanishes_and_returns(editors: Editors, tmp_path: Path) -> None:
    skip_unwatched()
    root = write_files(tmp_path / "tree", {"a.py": "def before(): pass\n"})
    client = editors.start_indexed(root)
    shutil.rmtree(root)
    client.hear("window/logMessage", lambda params: f"{root}: does not exist" in params["message"])
    assert client.names("before") == ["before"]  # a disk may be away for a moment
    assert_alive(client)
    write_files(root, {"b.py": "def after(): pass\n"})
    client.until_names("after", ["after"])
    assert client.names("before") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "params",
    [
        {"rootUri": "nonsense"},
        {"rootUri": "file:///a%00b"},
        {"rootUri": "file:///" + "a" * 5_000},
        {"rootPath": "relative/path"},
        {"rootPath": "/a\0b"},
        {"workspaceFolders": None},
        {"processId": 2**40},
    ],
)
def test_handshakes_that_name_odd_things(params: dict[str, Any], editors: Editors) -> None:
    client = editors.connect()
    assert (
        client.initialize(**({"workspaceFolders": None} | params))["positionEncoding"] == "utf-16"
    )
    assert_alive(client)


@pytest.mark.slow
@pytest.mark.parametrize(
    "body", [b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "x": "\xff"}', b"[" * 200_000]
)
def test_a_first_message_that_cannot_be_read_is_an_error_and_no_end(body: bytes) -> None:
    client = start_server()
    client.send(body)
    assert client.stray().code == PARSE_ERROR
    client.initialize()
    assert_alive(client)
    assert client.leave() == 0


def test_one_odd_value_is_not_the_end_of_a_session(client: Client) -> None:
    """A document may be opened before the session exists, with a URI that is not valid Unicode."""
    document = {"uri": "file:///\ud800", "languageId": "", "version": 1, "text": ""}
    client.send(
        json.dumps(
            {
                "jsonrpc": "2.0",
                "method": "textDocument/didOpen",
                "params": {"textDocument": document},
            }
        ).encode()
    )
    assert_alive(client)


@pytest.mark.slow
@pytest.mark.parametrize("params", [None, []])
def test_a_handshake_that_cannot_be_read_is_an_error_and_may_be_repeated(params: Any) -> None:
    client = start_server()
    with pytest.raises(LspError, match=r"^-32602"):
        client.call("initialize", params)
    client.initialize()
    assert_alive(client)
    assert client.leave() == 0


@pytest.mark.parametrize(
    "params", [{}, {"capabilities": 3}, {"capabilities": {"workspace": {"symbol": 3}}}]
)
def test_a_handshake_of_which_a_part_cannot_be_read_is_answered(
    params: Any, editors: Editors
) -> None:
    client = editors.connect()
    params = {**params, "initializationOptions": {"token": client.token}}
    assert client.call("initialize", params)["capabilities"]["positionEncoding"] == "utf-16"
    assert_alive(client)


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "\0",
        "a\0b",
        "\ufffd",
        "🙂",
        "x" * 100_000,
        "(" * 5_000,
        "a." * 5_000,
        "\u202eabc",
        "\n",
        "NOT",
        '"',
        "*",
        "a:b:c",
        "::",
        ".",
        "/",
    ],
)
def test_any_query_is_answered(query: str, client: Client) -> None:
    began = time.monotonic()
    try:
        client.symbols(query)
    except LspError as error:
        assert (error.code, len(error.message) < 1_000) == (types.LSPErrorCodes.RequestFailed, True)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "wrong", [{"line": 0, "character": 2**32 - 1}, {"line": -1, "character": 0}]
)
def test_an_edit_that_cannot_be_read_is_reported(wrong: dict[str, int], client: Client) -> None:
    """The user learns that the server's copy of the document differs from the editor's until it is
    opened again."""
    uri = client.open("untitled:lost", "def before(): pass\n", "python")
    change = {"range": {"start": {"line": 0, "character": 0}, "end": wrong}, "text": ""}
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]},
    )
    assert (
        "cannot apply an edit to an open document" in client.hear("window/showMessage")["message"]
    )
    client.close_document(uri)


@pytest.mark.slow
@pytest.mark.parametrize("n_cancelled", [0, 3])
def test_requests_with_one_id_are_each_answered_once(n_cancelled: int, tmp_path: Path) -> None:
    """A cancellation ends one of them, and no request waits forever."""
    client = start_server()
    client.initialize(write_files(tmp_path / "tree", {"a.py": "def thing(): pass\n"}))
    answers: list[dict[str, Any]] = []
    take = client._take

    def keep(message: dict[str, Any]) -> None:
        if message.get("id") == "twice":
            answers.append(message)
        else:
            take(message)

    client._take = keep  # type: ignore[method-assign]
    for _ in range(20):
        client.send(
            {
                "jsonrpc": "2.0",
                "id": "twice",
                "method": "symindex/search",
                "params": {"query": "thing"},
            }
        )
    for _ in range(n_cancelled):
        client.notify("$/cancelRequest", {"id": "twice"})
    until(lambda: len(answers) >= 20, "an answer to each")
    assert client.call("symindex/search", {"query": "thing"})["total"] == 1
    errors = [answer["error"]["code"] for answer in answers if "error" in answer]
    assert len(answers) == 20 and len(errors) <= n_cancelled and {*errors} <= {-32800}
    assert client.leave() == 0


@pytest.mark.slow
@pytest.mark.parametrize("capabilities", [EVERYTHING, {}])
@pytest.mark.parametrize("uri", ["untitled:\ud800", "file:///\ud800.py", "\ud800"])
def test_a_document_with_half_a_surrogate_pair_in_its_uri_and_its_names(
    uri: str, capabilities: dict[str, Any]
) -> None:
    """A client without support for nested symbols gets the URI back in each row, which once caused
    an internal error."""
    client = start_server()
    client.initialize(capabilities=capabilities)
    document = {
        "uri": uri,
        "languageId": "python",
        "version": 1,
        "text": "x\ud800 = 1\ndef odd(): pass\n",
    }
    client.send(
        json.dumps(
            {
                "jsonrpc": "2.0",
                "method": "textDocument/didOpen",
                "params": {"textDocument": document},
            }
        ).encode()
    )
    number = client.expect(7000)
    about = {"textDocument": {"uri": uri}}
    client.send(
        json.dumps(
            {"jsonrpc": "2.0", "id": 7000, "method": "textDocument/documentSymbol", "params": about}
        ).encode()
    )
    assert "odd" in [row["name"] for row in client.answer(number)]
    assert client.leave() == 0
