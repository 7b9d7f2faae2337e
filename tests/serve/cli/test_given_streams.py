"""What a command reads from standard input: all of it up to a limit, and nothing of what is longer."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from symindex.recall.content import content
from symindex.recall.notes import hook_events
from symindex.serve.cli import in_dialect
from symindex.serve.cli.commands import explore, grep, note
from tests.support.command import Ran, run
from tests.support.files import write_files


class Command(NamedTuple):
    """A command that reads a stream.

    arguments: after the root. limits: each module and name of its limit. given: what it reads.
    is_read: whether it has read the end.
    """

    arguments: tuple[str, ...]
    limits: tuple[tuple[object, str], ...]
    given: str
    is_read: Callable[[Ran], bool]
    refused_code: int = 2


def says(word: str) -> Callable[[Ran], bool]:
    return lambda ran: ran.code == 0 and word in ran.out


COMMANDS = {
    "trace": Command(
        ("trace",),
        ((explore, "MOST_TRACE"),),
        'File "x.py", line 1, in f\n  File "a.py", line 1, in only\n',
        says("a.py:1"),
    ),
    "grep": Command(("grep", "needle", "-"), ((grep, "MOST_GIVEN"),), "1\n2\nneedle", says("Found 1")),
    "note add": Command(("note", "add", "-"), ((note, "_MOST_READ"),), "a long text", says("note ")),
    "note hook": Command(
        ("note", "hook"),
        ((note, "_MOST_READ"), (hook_events, "MOST_BYTES")),
        '{"hook_event_name": "UserPromptSubmit", "session_id": "1", "prompt": "a long text"}',
        lambda ran: ran.code == 0,
        refused_code=1,
    ),
    "add": Command(("add", "-", "--source", "x"), ((content, "MOST_BYTES"),), "a long text", says("x")),
    "search": Command(
        ("search", "--format", "rye", "--request", "-"),
        ((in_dialect, "MOST_BYTES"),),
        '{"query": "only", "scope": "symbol"}',
        says("a.py"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_stream_is_read_whole_or_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = COMMANDS[name]
    hook_events.agent_names()  # the limit of an event is also that of their table
    root = write_files(tmp_path / "tree", {"a.py": "def only():\n    return only\n"})
    place = [f"--root={root}", f"--index-dir={tmp_path / 'index'}"]

    def ask(most: int) -> Ran:
        for module, limit in command.limits:
            monkeypatch.setattr(module, limit, most)
        places = place[:1] if name in ("note add", "note hook") else place
        return run(*command.arguments, *places, given=command.given.encode())

    refused = ask(len(command.given) - 1)
    assert refused.code == command.refused_code and not refused.out
    assert refused.err.count("\n") == 1 and f"more than {len(command.given) - 1} " in refused.err
    if name.startswith("note"):
        assert "a long text" not in run("note", "list", place[0]).out
    read = ask(len(command.given))
    assert command.is_read(read), (read.out, read.err)
    if name.startswith("note"):
        assert "a long text" in run("note", "list", place[0]).out
