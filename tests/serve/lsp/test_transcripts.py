"""Recorded messages of real editors (fixtures/lsp), sent again: the server must answer as it
did."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.editors.record import FOLDER
from tests.editors.trees import TREE
from tests.support.files import write_files
from tests.support.lsp_client import Client, LspError, start_server
from tests.support.waiting import until

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

EDITORS = ("neovim", "emacs")


def read_transcript(editor: str, root: Path) -> list[tuple[str, dict[str, Any]]]:
    """Reads the speaker and message of each line, for a tree at `root`."""
    entries = [json.loads(line) for line in (FOLDER / f"{editor}.jsonl").read_text().splitlines()]
    place = (
        json.dumps(entries, ensure_ascii=False)
        .replace("{root}", str(root))
        .replace('"{pid}"', str(os.getpid()))
    )
    return [(entry["from"], entry["message"]) for entry in json.loads(place)]


def overtaken(transcript: list[tuple[str, dict[str, Any]]]) -> set[int]:
    """Returns the requests that a later one overtook: the server may answer or end them."""
    waiting: list[int] = []
    ids: set[int] = set()
    for speaker, message in transcript:
        if speaker == "client" and message.get("method") == "workspace/symbol":
            ids.update(waiting)
            waiting.append(message["id"])
        elif speaker == "server" and message.get("id") in waiting:
            waiting.remove(message["id"])
    return ids


def send(client: Client, message: dict[str, Any]) -> None:
    if "id" in message:
        client.expect(message["id"])
    client.send({"jsonrpc": "2.0", **message})


def answer_of(client: Client, number: int) -> Any:
    """Returns the result, or the code of the error."""
    try:
        return client.answer(number)
    except LspError as error:
        return error.code


def repeat_until(client: Client, request: dict[str, Any], expected: Any) -> None:
    """Repeats a request under new ids until the answer is the expected one."""
    numbers = iter(range(1_000, 100_000))

    def ask() -> Any:
        number = next(numbers)
        send(client, {**request, "id": number})
        return client.answer(number)

    until(lambda: ask() == expected, f"{request['method']} answered as recorded", instead=ask)


@pytest.mark.parametrize("editor", EDITORS)
def test_a_recorded_session_gets_the_recorded_answers(editor: str, tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", TREE)
    client = start_server()
    requests: dict[int, dict[str, Any]] = {}
    asked: Counter[str] = Counter()
    compared: Counter[str] = Counter()
    transcript = read_transcript(editor, root)
    given_up = overtaken(transcript)
    for speaker, message in transcript:
        method, number = message.get("method", ""), message.get("id")
        if speaker == "client":
            if method:  # our client answers the server's requests with null, as both editors do
                if number is not None:
                    requests[number] = message
                send(client, message)
        elif number in requests:
            request = requests[number]
            answer = answer_of(client, number)
            # the recording script waited by this request
            if request["method"] == "symindex/search":
                repeat_until(client, request, message["result"])
            elif request["method"] == "initialize":
                assert answer["capabilities"] == message["result"]["capabilities"]
            elif number not in given_up and "result" in message:
                assert answer == message["result"], request
            compared[request["method"]] += 1
        elif number is not None:
            asked[method] += 1
            client.wait(
                lambda method=method: len(client.told(method)) >= asked[method],  # type: ignore[misc]
                f"{method} from the server",
            )
        elif method == "$/progress" and message["params"]["value"]["kind"] == "end":
            client.hear("$/progress", lambda params: params["value"]["kind"] == "end")
    assert compared["workspace/symbol"] >= 10 and compared["textDocument/documentSymbol"] >= 2
    assert asked
    answers = [answer_of(client, number) for number in requests]
    assert answers[-1] is None  # the answer to shutdown, for which Neovim does not wait
    client.notify("exit")
    assert client.hang_up() == 0
    assert client.strange == []


@pytest.mark.parametrize("editor", EDITORS)
def test_a_transcript_tells_nothing_of_a_machine(editor: str) -> None:
    text = (FOLDER / f"{editor}.jsonl").read_text()
    assert "{root}" in text and '"{pid}"' in text
    places = [
        piece
        for piece in text.split('"')
        if piece.startswith(("/", "file:", "~")) and "{root}" not in piece
    ]
    assert places == []
