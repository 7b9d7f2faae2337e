"""Hook events of coding agents: the agents' own formats, what is noted, and what is not."""

import base64
import json
import random
import string
import subprocess
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.errors import RequestError
from symindex.recall.notes import hook_events
from symindex.recall.notes.hook_events import agent_names, read_event
from symindex.recall.notes.note import Note
from symindex.recall.notes.notes import Notes
from tests.support.command import run, run_symindex

CLAUDE = {
    "session_id": "abc123",
    "transcript_path": "/home/u/.claude/t.jsonl",
    "cwd": "/",
    "permission_mode": "default",
}
GEMINI = {
    "session_id": "g-1",
    "transcript_path": "/t.json",
    "cwd": "/",
    "timestamp": "2026-11-24T10:00:00Z",
}
CURSOR = {
    "conversation_id": "conv-123", "generation_id": "gen-456", "model": "gpt-5", "cursor_version": "2.0.77",
    "workspace_roots": ["/"], "user_email": "user@example.com",
}  # fmt: skip

BASH = {"command": "npm test", "description": "Runs the tests", "timeout": 120000}

EVENTS: list[tuple[dict[str, Any], str, str, str]] = [
    # event, category, source, text
    (
        {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "Mend the parser"},
        "user-prompt", "claude-code", "Mend the parser",
    ),
    ({**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "We decided: uv"}, "decision", "claude-code", "We decided: uv"),
    (
        {**CLAUDE, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": BASH, "tool_use_id": "toolu_01",
         "error": "Command exited with non-zero status code 1", "is_interrupt": False},
        "error", "claude-code", "Bash: npm test\nCommand exited with non-zero status code 1",
    ),
    (
        {**CLAUDE, "hook_event_name": "PostToolUse", "tool_name": "ExitPlanMode", "tool_input": {"plan": "1. Read\n2. Mend"},
         "tool_response": {"plan": "1. Read"}},
        "plan", "claude-code", "1. Read\n2. Mend",
    ),
    (
        {**CLAUDE, "hook_event_name": "PostToolUse", "tool_name": "AskUserQuestion", "tool_input": {"questions": []},
         "tool_response": {"answers": {"Which cache?": "Redis"}}},
        "decision", "claude-code", '{"Which cache?":"Redis"}',
    ),
    (
        {**CLAUDE, "hook_event_name": "PreCompact", "trigger": "manual", "custom_instructions": "keep the plan"},
        "compaction", "claude-code", "keep the plan",
    ),
    ({**GEMINI, "hook_event_name": "BeforeAgent", "prompt": "Where is it?"}, "user-prompt", "gemini-cli", "Where is it?"),
    (
        {**GEMINI, "hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": "make"},
         "tool_response": {"llmContent": "", "returnDisplay": "", "error": "exit code 2"}},
        "error", "gemini-cli", "run_shell_command: make\nexit code 2",
    ),
    (
        {**CURSOR, "hook_event_name": "beforeSubmitPrompt", "prompt": "Fix the bug in main.ts", "attachments": []},
        "user-prompt", "cursor", "Fix the bug in main.ts",
    ),
    (
        {**CURSOR, "hook_event_name": "postToolUseFailure", "tool_name": "Shell", "tool_input": {"command": "tsc"},
         "error_message": "TS2304", "failure_type": "error", "duration": 12},
        "error", "cursor", "Shell: tsc\nTS2304",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("event", "category", "agent", "text"), EVENTS)
def test_events_of_agents(event: dict[str, Any], category: str, agent: str, text: str) -> None:
    for named in ("", agent):
        recorded = read_event(json.dumps(event).encode(), named)
        assert recorded is not None and (recorded.note.category, recorded.note.text) == (
            category,
            text,
        )
        assert recorded.note.source == f"hook:{agent}" and recorded.note.session in (
            "abc123",
            "g-1",
            "conv-123",
        )
    assert agent in agent_names()


def test_other_events_are_let_be() -> None:
    prompt = {"hook_event_name": "UserPromptSubmit"}
    others: list[dict[str, Any]] = [
        {}, {"hook_event_name": ["x"]}, {**CLAUDE, "hook_event_name": "SessionStart"}, {**CLAUDE, **prompt},
        {**CLAUDE, **prompt, "prompt": "  "}, {**prompt, "prompt": "x"},
    ]  # fmt: skip
    for event in others:
        assert read_event(json.dumps(event).encode()) is None
    odd = {
        **CLAUDE,
        "hook_event_name": "PostToolUseFailure",
        "tool_name": {"a": 1},
        "tool_input": [1],
        "error": {"code": 3},
    }
    assert read_event(json.dumps(odd).encode()) is not None


@pytest.mark.parametrize(
    "data",
    [b"", b"x", b"[1]", b"1", b"[" * 100_000, b"\xff\xfe", b'{"a": ' + b"1" * 2_000_000 + b"}"],
)
def test_an_invalid_event_is_refused_on_one_line(data: bytes) -> None:
    with pytest.raises(RequestError) as caught:
        read_event(data)
    assert "\n" not in str(caught.value)


def test_a_call_that_works_again_is_noted_once(tmp_path: Path) -> None:
    def event(name: str, **more: Any) -> bytes:
        return json.dumps(
            {**CLAUDE, "hook_event_name": name, "tool_name": "Bash", "tool_input": BASH, **more}
        ).encode()

    with Notes(tmp_path, tmp_path / "notes") as notes:
        assert notes.record(event("PostToolUse")) is None
        notes.record(event("PostToolUseFailure", error="AssertionError"))
        assert notes.record(event("PostToolUse", session_id="another")) is None
        resolved = notes.record(event("PostToolUse"))
        assert (
            resolved is not None
            and resolved.category == "error-resolution"
            and "AssertionError" in resolved.text
        )
        assert notes.record(event("PostToolUse")) is None
        assert notes.counts() == {} and [
            note.project for note in notes.newest_first(all_projects=True)[0]
        ] == ["/", "/"]


def test_secrets_are_not_kept() -> None:
    secrets = (
        "ghp_" + "a1" * 12, "AKIA" + "ABCD1234EFGH5678", "sk-" + "x1" * 15, "password=hunter22", "API_KEY: 'abcdef123456'",
        "Authorization: Bearer abcdefgh12345678xyz", "https://ann:secretword@example.org/",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    )  # fmt: skip
    for secret in secrets:
        recorded = read_event(
            json.dumps(
                {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": f"use {secret} here"}
            ).encode()
        )
        assert recorded is not None and hook_events.HIDDEN in recorded.note.text
        assert secret not in recorded.note.text and recorded.note.text.startswith("use ")
    plain = "the token budget is small; password rules; secret: yes"
    event = {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": plain}
    recorded = read_event(json.dumps(event).encode())
    assert recorded is not None and recorded.note.text == plain


def test_long_texts_are_cut_in_their_middle() -> None:
    event = {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "a" * 50_000 + "z"}
    recorded = read_event(json.dumps(event).encode())
    assert (
        recorded is not None
        and len(recorded.note.text) <= hook_events.LONGEST_TEXT
        and recorded.note.text[-1] == "z"
    )


def key_block(n_letters: int, line: int = 64) -> str:
    """Returns a private key as files contain it."""
    letters = random.Random(n_letters).choices(
        string.ascii_letters + string.digits + "+/", k=n_letters
    )
    lines = ["".join(letters[start : start + line]) for start in range(0, n_letters, line)]
    return "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----\n"])


CUT_SECRETS = {
    "token": f"ghp_{'aB3' * 12}",
    "password": f"password: '{'!'.join(f'Zebra{number}tr0ub4dor' for number in range(9))}'",
    "url": f"postgres://admin:{'!'.join(f'Zebra{number}tr0ub4dor' for number in range(5))}@db.example/x",
    "block": key_block(3_200),
    "large block": key_block(12_700),
    "block in base64": f"client-key-data: {base64.b64encode(key_block(6_400).encode()).decode()}",
    "block in JSON": json.dumps({"private_key": key_block(6_400)}),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", CUT_SECRETS)
def test_the_edge_of_what_is_searched_shows_no_part_of_a_secret(name: str) -> None:
    """Where the text between the edge and the cut consists of other secrets, so that little of it
    is left."""
    secret = CUT_SECRETS[name]
    others = (key_block(1_600) * 30)[: 2 * hook_events._WINDOW]
    for inside in {*range(1, len(secret), len(secret) // 5 + 1), len(secret) - 1}:
        room = hook_events._WINDOW - inside
        for text in (
            f"{others[-room:]}{secret}{'y ' * 40_000}",
            f"{'y ' * 40_000}{secret}{others[:room]}",
        ):
            event = {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": text}
            recorded = read_event(json.dumps(event).encode())
            assert recorded is not None
            parts = [secret[start : start + 12] for start in range(len(secret) - 12)]
            shown = [part for part in parts if part.isalnum() and part in recorded.note.text]
            assert not shown, inside


@pytest.mark.nightly
@pytest.mark.slow
def test_a_cut_leaves_no_half_of_a_secret() -> None:
    key = "sk-" + "".join(random.Random(1).choices("abcdefgh0123456789XYZ", k=300))
    block = (
        "-----BEGIN PRIVATE KEY-----\n"
        + "\n".join(key[3:67][::-1] for _ in range(40))
        + "\n-----END PRIVATE KEY-----"
    )
    places = [*range(3_700, 4_100, 100), 7_800, 7_990, 31_700, 31_970]
    for secret, parts in ((key, key), (block, key[3:67][::-1])):
        for before, after in ((place, rest) for place in places for rest in (0, 4_000, 60_000)):
            for text in (
                f"{'a ' * (before // 2)}{secret}{' b' * (after // 2)}",
                f"{'a ' * after}{secret}{' b' * (before // 2)}",
            ):
                recorded = read_event(
                    json.dumps(
                        {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": text}
                    ).encode()
                )
                assert recorded is not None and len(recorded.note.text) <= hook_events.LONGEST_TEXT
                assert not [
                    begin
                    for begin in range(len(parts) - 12)
                    if parts[begin : begin + 12] in recorded.note.text
                ], before


def test_secrets_of_calls_and_sessions_are_not_kept_and_are_counted() -> None:
    secret = "ghp_" + "a1B2" * 9
    call = {
        **CLAUDE, "session_id": f"s {secret} " + "x" * 500, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": {"command": f"git clone https://{secret}@github.com/a/b"}, "error": f"denied: {secret}",
    }  # fmt: skip
    recorded = read_event(json.dumps(call).encode())
    assert recorded is not None and secret[:12] not in msgspec.json.encode(recorded.note).decode()
    assert (
        recorded.cut.endswith("3 github")
        and len(recorded.note.session) <= hook_events.LONGEST_SUBJECT
    )


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    "piece",
    [
        "eyJ-",
        "-----BEGIN PRIVATE KEY-----",
        "a://",
        "sk-",
        "token=",
        "a:b@",
        '"',
        "\\",
        '{"a":"',
        "password='",
    ],
)
def test_looking_for_secrets_takes_no_square_of_a_text(piece: str) -> None:
    text = piece * (900_000 // (len(json.dumps(piece)) - 2))
    event = {
        **CLAUDE,
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": text[: len(text) // 2]},
    }
    read_event(
        json.dumps(CLAUDE | {"hook_event_name": "UserPromptSubmit", "prompt": "token=x"}).encode()
    )  # loads the rules before the time is measured
    for given in (
        {**event, "error": text[: len(text) // 2]},
        {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": text},
    ):
        data = json.dumps(given).encode()
        begun = time.process_time()
        read_event(data)
        assert time.process_time() - begun < 2


@pytest.mark.nightly
def test_the_command_says_what_it_has_cut(tmp_path: Path) -> None:
    tree = ["--root", str(tmp_path)]
    prompt = f"use ghp_{'a1' * 18} and {'b2' * 10}@x, password=hunter22"
    event = {
        **CLAUDE,
        "cwd": str(tmp_path),
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
    }
    ran = run_symindex("note", "hook", *tree, input=json.dumps(event))
    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr == (
        "symindex: text that looks like keys or passwords was replaced by [secret] in the note: 1 github, 1 password\n"
    )
    assert "hunter22" not in run("note", "export", *tree).out


@pytest.mark.nightly
def test_the_command_never_stops_an_agent(tmp_path: Path) -> None:
    def hook(given: str, *options: str) -> "subprocess.CompletedProcess[str]":
        return run_symindex("note", "hook", *options, input=given)

    tree = ["--root", str(tmp_path)]
    event = json.dumps(
        {**CLAUDE, "cwd": str(tmp_path), "hook_event_name": "UserPromptSubmit", "prompt": "hello"}
    )
    ran = hook(event, *tree)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert "hello" in run("note", "list", *tree).out
    assert "notes      user-prompt 1" in run("status", *tree).out
    assert json.loads(run("status", *tree, "--json").out)["notes"] == {"user-prompt": 1}
    bad = hook("[]", *tree)
    assert (bad.returncode, bad.stdout) == (1, "") and bad.stderr.count("\n") == 1
    assert hook(event, "--agent", "nobody", *tree).returncode == 1


def noted(event: dict[str, Any], agent: dict[str, Any] = CLAUDE) -> hook_events.Recorded | None:
    return read_event(json.dumps({**agent, **event}).encode())


FAILURE = {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": "bad"}

SUBJECTS = [
    ({"command": "a  b\n c", "file_path": "x"}, "Bash: a b c"), ({"file_path": "x", "path": "y"}, "Bash: x"),
    ({"path": "y", "pattern": "z"}, "Bash: y"), ({"pattern": "z", "url": "u"}, "Bash: z"), ({"url": "u"}, "Bash: u"),
    ({"other": 1}, 'Bash: {"other":1}'), ({"command": 7, "url": "u"}, "Bash: u"), ([1], "Bash: [1]"), ("text", "Bash: text"),
    (None, "Bash:"), ({"command": ""}, 'Bash: {"command":""}'), ({"command": "c" * 294}, "Bash: " + "c" * 294),
    ({"command": "c" * 295}, "Bash: " + "c" * 294 + "…"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "subject"), SUBJECTS)
def test_a_call_is_named_by_its_tool_and_what_it_is_about(given: Any, subject: str) -> None:
    recorded = noted({**FAILURE, "tool_input": given})
    assert recorded is not None
    first, _, rest = recorded.note.text.partition("\n")
    assert (first, rest) == (subject, "bad")


FOLDERS = [("/a", "/a"), (["/b", "/c"], "/b"), ([], ""), (7, ""), (None, ""), ([7], "")]


@pytest.mark.parametrize(("given", "folder"), FOLDERS)
def test_the_folder_of_an_event(given: Any, folder: str) -> None:
    recorded = noted({"hook_event_name": "UserPromptSubmit", "prompt": "x", "cwd": given})
    assert recorded is not None and recorded.folder == folder


@pytest.mark.parametrize(
    ("prompt", "category"),
    [("  Decision: x", "decision"), ("decided: x", "decision"), ("We've decided on x", "decision"), ("we have agreed", "decision"),
     ("we decided", "decision"), ("let's go with x", "decision"), ("we decidedly", "user-prompt"), ("so we decided", "user-prompt"),
     ("decision", "user-prompt")],
)  # fmt: skip
def test_a_prompt_that_begins_like_a_decision_is_one(prompt: str, category: str) -> None:
    recorded = noted({"hook_event_name": "UserPromptSubmit", "prompt": prompt})
    assert recorded is not None and recorded.note.category == category
    assert recorded.note.text == prompt.strip()


def test_which_results_are_noted() -> None:
    result = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "c"}}
    recorded = noted(result)
    assert recorded is not None and recorded.is_result
    assert (recorded.note.text, recorded.note.category) == ("Bash: c", "error-resolution")
    assert noted({**result, "tool_name": ""}) is None
    plan = noted({**result, "tool_name": "ExitPlanMode", "tool_input": {"plan": "p"}})
    assert plan is not None and not plan.is_result and plan.note.text == "p"
    assert noted({**result, "tool_name": "ExitPlanMode", "tool_input": {"plan": " "}}) is None
    gemini = {"hook_event_name": "AfterTool", "tool_name": "t", "tool_input": {"path": "p"}}
    recorded = noted({**gemini, "tool_response": {"error": ""}}, GEMINI)
    assert recorded is not None and recorded.is_result
    recorded = noted({**gemini, "tool_response": "text"}, GEMINI)
    assert recorded is not None and recorded.is_result
    # Another agent's event of that name, and an agent that does not know the event.
    data = json.dumps({**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "x"}).encode()
    assert read_event(data, "gemini-cli") is None
    with pytest.raises(RequestError, match="unknown agent 'nobody': expected one of"):
        read_event(data, "nobody")


def error(subject: str, time_ms: int, more: str = "broken") -> Note:
    return Note(text=f"{subject}\n{more}", time_ms=time_ms)


@pytest.mark.parametrize(
    ("errors", "repairs", "failure"),
    [
        ([], [], None), ([error("other", 5)], [], None), ([error("call", 5)], [], "broken"),
        ([error("call", 5, "newer"), error("call", 3)], [], "newer"), ([error("call", 5)], [error("call", 5)], None),
        ([error("call", 5)], [error("call", 6)], None), ([error("call", 5)], [error("call", 4)], "broken"),
        ([error("call", 5)], [error("other", 6)], "broken"), ([error("call", 5)], [error("call", 4), error("call", 6)], None),
        ([error("call", 5, "")], [], ""),
    ],
)  # fmt: skip
def test_a_result_repairs_the_last_failure_of_its_call_once(
    errors: list[Note], repairs: list[Note], failure: str | None
) -> None:
    recorded = hook_events.Recorded(Note(text="call"), "", True)
    earlier = {"error": errors, "error-resolution": repairs}
    note = hook_events.resolve(recorded, earlier.__getitem__)
    if failure is None:
        assert note is None
    else:
        assert note is not None
        assert note.text == f"call\nworks again; it had failed with:\n{failure}"


def test_the_middle_of_a_text_is_cut_to_the_limit() -> None:
    for length in (8_000, 8_001, 9_000):
        recorded = noted(
            {
                "hook_event_name": "UserPromptSubmit",
                "prompt": "a " * (length // 2) + "z" * (length % 2),
            }
        )
        assert recorded is not None
        text = recorded.note.text
        assert len(text) <= 8_000 and (hook_events.CUT in text) is (length > 8_000)
        assert length <= 8_000 or text.index(hook_events.CUT) == 3_997 == len(text) - 4_002
    both = 2 * hook_events._WINDOW
    for length in (both, both + 1):
        recorded = noted(
            {
                "hook_event_name": "UserPromptSubmit",
                "prompt": "x " * (length // 2) + "y" * (length % 2),
            }
        )
        assert recorded is not None and len(recorded.note.text) == 7_999


def test_the_name_of_a_session_is_cut() -> None:
    for length in (300, 301):
        recorded = noted(
            {"hook_event_name": "UserPromptSubmit", "prompt": "x", "session_id": "s" * length}
        )
        assert recorded is not None and recorded.note.session == "s" * 300
    recorded = noted({"hook_event_name": "UserPromptSubmit", "prompt": "x", "session_id": {"a": 1}})
    assert recorded is not None and recorded.note.session == '{"a":1}'


@pytest.mark.parametrize("table", [hook_events._Call, hook_events._Event, hook_events._Agent])
def test_an_unknown_key_in_the_table_of_agents_is_an_error(table: type[msgspec.Struct]) -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `colour`"):
        msgspec.convert({"colour": 1}, table)
