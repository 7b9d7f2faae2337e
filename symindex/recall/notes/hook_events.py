"""Events of coding agents' hooks -> notes: prompts, decisions, plans, errors, and how these were
mended.

What an agent writes is data (`agents.toml`). An event is a stranger's text: it is bounded, and what
looks like a key or a password is not kept.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from symindex.errors import RequestError, one_of
from symindex.files.access.regular import read_regular
from symindex.recall.notes.note import Note
from symindex.recall.notes.scrubbing import HIDDEN as HIDDEN
from symindex.recall.notes.scrubbing import scrub, told
from symindex.text.decoding import decoder_of
from symindex.text.escaping import shorten

MOST_BYTES: Final = 1_000_000
"""Bytes of an event: more than agents write, and read in less than a second."""

LONGEST_TEXT: Final = 8_000
"""Characters of a note: a prompt or an error, not a log."""

LONGEST_SUBJECT: Final = 300
"""Characters of the line that names a call, and of the name of a session."""

CUT: Final = "\n[…]\n"
"""What a note has in the place of the middle of a text."""

_WINDOW: Final = 32_000
"""Characters of each end of a longer text in which secrets are looked for, so that the time is
bounded. A note keeps an eighth of them."""

_MARGIN: Final = 4_000
"""Characters at the inner edge of such a window that are never kept, for the edge may cut a secret
in two: as many as the longest key has. What begins a key block and does not end it is hidden up to
the edge."""

_DECIDES: Final = re.compile(
    r"\s*(?:decision:|decided:|we(?:'ve| have)? (?:decided|agreed)\b|let's go with\b)",
    re.IGNORECASE,
)
"""How a prompt begins that tells a decision."""


class _Call(msgspec.Struct, forbid_unknown_fields=True):
    category: str
    text: str = ""


class _Event(msgspec.Struct, forbid_unknown_fields=True):
    category: str
    text: str = ""
    tool: str = ""
    input: str = ""
    error: str = ""
    tools: dict[str, _Call] = {}


class _Agent(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    session: str
    folder: str
    events: dict[str, _Event]


_TABLE: Final = dict[str, list[_Agent]]


@lru_cache(maxsize=1)
def _agents() -> list[_Agent]:
    decoder_of(_TABLE)
    data = read_regular(Path(__file__).with_name("agents.toml"), MOST_BYTES, follow=True)
    return msgspec.toml.decode(data, type=_TABLE)["agents"]


def agent_names() -> list[str]:
    """Those whose events are known."""
    return [agent.name for agent in _agents()]


class Recorded(msgspec.Struct):
    """A note to keep, without its project. folder: of the project as the event names it; empty if
    it does not. is_result: whether it only counts if the same call has failed before. cut: one line
    that says which secrets were cut."""

    note: Note
    folder: str
    is_result: bool = False
    cut: str = ""


def read_event(data: bytes, agent: str = "") -> Recorded | None:
    """What an event says; `None` where it is nothing to note. agent: by default as the event looks.
    Raises RequestError for what is no event."""
    if len(data) > MOST_BYTES:
        raise RequestError(f"the event has more than {MOST_BYTES:,} bytes: nothing is noted")
    try:
        event = msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise RequestError(f"the event is no JSON: {error}") from None
    if not isinstance(event, dict):
        raise RequestError(
            "the event is no object: expected what a coding agent writes to its hooks"
        )
    if agent and agent not in agent_names():
        raise one_of("agent", agent[:100], agent_names())
    name = event.get("hook_event_name")
    if not isinstance(name, str):
        return None
    likely = [
        each for each in _agents() if (each.name == agent if agent else each.session in event)
    ]
    known = next((each for each in likely if name in each.events), None)
    if known is None:
        return None
    return _recorded(known, known.events[name], event)


def _recorded(agent: _Agent, rule: _Event, event: dict[str, Any]) -> Recorded | None:
    tool = _text(_at(event, rule.tool))
    call = rule.tools.get(tool)
    category, text = (call.category, call.text) if call is not None else (rule.category, rule.text)
    said = _text(_at(event, text))
    if call is None and rule.error and (failed := _text(_at(event, rule.error))):
        category, said = "error", failed
    if category == "user-prompt" and _DECIDES.match(said):
        category = "decision"
    subject, subject_kinds = (
        _subject(tool, _at(event, rule.input)) if tool and call is None else ("", Counter[str]())
    )
    is_result = category == "result"
    if not (said.strip() or (is_result and subject)):
        return None
    body, kinds = _without_secrets(said.strip())
    session, session_kinds = _without_secrets(_text(_at(event, agent.session)))
    folder = _at(event, agent.folder)
    folder = folder[0] if isinstance(folder, list) and folder else folder
    note = Note(
        text=_cut("\n".join(filter(None, (subject, body)))),
        category="error-resolution" if is_result else category,
        session=session[:LONGEST_SUBJECT],
        source=f"hook:{agent.name}",
    )
    return Recorded(
        note,
        folder if isinstance(folder, str) else "",
        is_result,
        told(kinds + subject_kinds + session_kinds),
    )


def resolve(recorded: Recorded, earlier: Callable[[str], Sequence[Note]]) -> Note | None:
    """The note of a call that did its work: `None` unless it had failed before in this session, and
    was not mended yet.

    earlier: the last notes of a category in this session, the newest first.
    """
    subject = recorded.note.text
    failed = next((note for note in earlier("error") if _is_of(note, subject)), None)
    if failed is None or any(
        _is_of(note, subject) and note.time_ms >= failed.time_ms
        for note in earlier("error-resolution")
    ):
        return None
    failure = failed.text.removeprefix(subject).strip()
    return msgspec.structs.replace(
        recorded.note, text=_cut(f"{subject}\nworks again; it had failed with:\n{failure}")
    )


def _is_of(note: Note, subject: str) -> bool:
    return note.text.partition("\n")[0] == subject


def _at(event: Any, path: str) -> Any:
    """What stands under keys that are joined by dots; `None` for nothing."""
    for key in path.split(".") if path else ():
        event = event.get(key) if isinstance(event, dict) else None
    return event if path else None


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _subject(tool: str, given: Any) -> tuple[str, Counter[str]]:
    """A call on one line: the tool, and what it was about. And how many secrets of each kind there
    were."""
    fields = given if isinstance(given, dict) else {}
    about = next((fields[name] for name in _ABOUT if isinstance(fields.get(name), str)), "")
    text, kinds = _without_secrets(f"{tool}: {about or _text(given)}")
    return shorten(" ".join(text.split()), LONGEST_SUBJECT), kinds


_ABOUT: Final = ("command", "file_path", "path", "pattern", "url")
"""The fields of a call that say what it was about, the first that is there."""


def _without_secrets(text: str) -> tuple[str, Counter[str]]:
    """A text without its secrets, and how many of each kind there were. Of a long one both ends, so
    that the time is bounded."""
    if len(text) <= 2 * _WINDOW:
        return scrub(text)
    head, kinds = scrub(text[:_WINDOW])
    tail, more = scrub(text[-_WINDOW:])
    half = LONGEST_TEXT // 2
    return f"{head[:-_MARGIN][:half]}{CUT}{tail[_MARGIN:][-half:]}", kinds + more


def _cut(text: str, most: int = LONGEST_TEXT) -> str:
    """A text of bounded length: its beginning, and its end, where errors say what is wrong."""
    if len(text) <= most:
        return text
    half = (most - len(CUT)) // 2
    return f"{text[:half]}{CUT}{text[-half:]}"
