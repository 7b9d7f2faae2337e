"""Turns events of coding agents' hooks into notes: prompts, decisions, plans, errors and their
repairs.

The events of each agent are data (`agents.toml`). Events are untrusted text: their size is limited,
and what looks like a key or password is not stored.
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
"""Largest event, in bytes: more than agents write, and read in less than a second."""

LONGEST_TEXT: Final = 8_000
"""Longest text of a note, in characters: a prompt or an error, not a log."""

LONGEST_SUBJECT: Final = 300
"""Longest line that names a call, and longest name of a session, in characters."""

CUT: Final = "\n[…]\n"
"""Replaces the middle of a long text in a note."""

_WINDOW: Final = 32_000
"""Characters at each end of a longer text that are searched for secrets, which limits the time. A
note contains an eighth of them."""

_MARGIN: Final = 4_000
"""Characters at the inner edge of each end that are never stored, as the edge may cut a secret in
two: longer than passwords and tokens. An unclosed key block is hidden up to the edge."""

_RUN: Final = re.compile(r"[\w+/=.~%\\-]*")
"""Matches the signs that keys consist of, however long: a key in base64 may be longer than the
margin, so a run of them at the edge is not stored either."""

_DECIDES: Final = re.compile(
    r"\s*(?:decision:|decided:|we(?:'ve| have)? (?:decided|agreed)\b|let's go with\b)",
    re.IGNORECASE,
)
"""Matches the beginning of a prompt that states a decision."""


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
    """Agents whose events are known."""
    return [agent.name for agent in _agents()]


class Recorded(msgspec.Struct):
    """A note to store, without its project.

    Attributes:
        folder: of the project according to the event; may be empty.
        is_result: whether it counts only if the same call failed before.
        cut: one line that tells which secrets were cut.
    """

    note: Note
    folder: str
    is_result: bool = False
    cut: str = ""


def read_event(data: bytes, agent: str = "") -> Recorded | None:
    """Returns the note of an event; `None` if it has nothing to note. Raises RequestError for data
    that is not an event. agent: by default recognized by the event."""
    if len(data) > MOST_BYTES:
        raise RequestError(f"the event has more than {MOST_BYTES:,} bytes: nothing is recorded")
    try:
        event = msgspec.json.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise RequestError(f"the event is not JSON: {error}") from None
    if not isinstance(event, dict):
        raise RequestError(
            "the event is not an object: expected what a coding agent writes to its hooks"
        )
    if agent and agent not in agent_names():
        raise one_of("agent", agent[:100], agent_names())
    name = event.get("hook_event_name")
    if not isinstance(name, str):
        return None
    likely = [
        candidate
        for candidate in _agents()
        if (candidate.name == agent if agent else candidate.session in event)
    ]
    sender = next((candidate for candidate in likely if name in candidate.events), None)
    if sender is None:
        return None
    return _recorded(sender, sender.events[name], event)


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
    """Returns the note of a successful call: `None` unless the call failed before in this session
    and no repair is noted yet.

    earlier: the last notes of a category in this session, newest first.
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
    """Returns the value under keys joined by dots; `None` if there is none."""
    for key in path.split(".") if path else ():
        event = event.get(key) if isinstance(event, dict) else None
    return event if path else None


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _subject(tool: str, given: Any) -> tuple[str, Counter[str]]:
    """Returns a call as one line, with its tool and subject, and the number of secrets of each
    kind."""
    fields = given if isinstance(given, dict) else {}
    about = next((fields[name] for name in _ABOUT if isinstance(fields.get(name), str)), "")
    text, kinds = _without_secrets(f"{tool}: {about or _text(given)}")
    return shorten(" ".join(text.split()), LONGEST_SUBJECT), kinds


_ABOUT: Final = ("command", "file_path", "path", "pattern", "url")
"""Fields of a call that tell its subject; the first that exists counts."""


def _without_secrets(text: str) -> tuple[str, Counter[str]]:
    """Returns a text without its secrets, and their number by kind. Of a long text, only both ends,
    which limits the time."""
    if len(text) <= 2 * _WINDOW:
        return scrub(text)
    head, kinds = scrub(_without_run(text[_WINDOW - 1 :: -1])[::-1])
    tail, more = scrub(_without_run(text[-_WINDOW:]))
    half = LONGEST_TEXT // 2
    return f"{head[:-_MARGIN][:half]}{CUT}{tail[_MARGIN:][-half:]}", kinds + more


def _without_run(text: str) -> str:
    run = _RUN.match(text)
    return text[run.end() :] if run is not None else text


def _cut(text: str, most: int = LONGEST_TEXT) -> str:
    """Limits the length of a text: keeps its beginning, and its end, where errors tell the
    cause."""
    if len(text) <= most:
        return text
    half = (most - len(CUT)) // 2
    return f"{text[:half]}{CUT}{text[-half:]}"
