"""Secrets: random keys and passwords in every form, in random surroundings, as events of hooks.

They are in several levels of JSON and at the edges of cuts. Any part of one in a note is a fault.
Every eighth attack repeats a piece of a form and measures the time.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from symindex.recall.notes.hook_events import LONGEST_TEXT, read_event
from tests.attack.figures import Figures
from tests.support.secret_forms import FORMS, filled, kept_part, nested

SURROUNDINGS: Final = (
    "{}", "please run: {} now", "first\n{}\nlast", "- {}\n- {}", "# {}", "+{}", "> {}", "`{}`", "```\n{}\n```", "x = 1; {}",
    "$ {}\n", "é → {} ←", "1. {}", "({})", "\t{}\t", "error: {}: failed", "2026-11-24 10:00 INFO {}",
)  # fmt: skip
"""Texts around a secret, with `{}` for its form."""

FILLINGS: Final = (
    "the quick brown fox. ",
    "a line\n",
    "x",
    "0123456789 ",
    "é",
    "def f(a):\n    return a\n",
    "{}[]()",
    '"key": 1, ',
)
"""Filling that makes a text so long that it is cut."""

LEAST_PART: Final = 12
"""Length of a piece of a secret that is a fault, in characters."""

MOST_SECONDS: Final = 5.0
"""Limit of processor time for an event with a megabyte of repetitions, in seconds; an idle machine
needs less than 2."""


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of events."""
    figures = Figures(count, Counter(), [])
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        attack = _repeat if number % 8 == 7 else _hide
        if fault := attack(chance, figures.contained):
            figures.faults.append(f"{number}: {fault}")
            say(f"secrets: {figures.faults[-1]}")
    say(f"secrets: {count} events, {len(figures.faults)} faults")
    return figures


def _hide(chance: random.Random, contained: Counter[str]) -> str:
    """Puts a secret where an agent writes; returns the part of it in a note, or an empty text."""
    form = chance.choice(FORMS)
    text, secrets = filled(form, chance)
    given = nested(
        chance.choice(SURROUNDINGS).replace("{}", text), chance.choice((0, 0, 0, 1, 2, 3))
    )
    if chance.random() < 0.3:
        given = _long(given, chance)
    recorded = read_event(
        json.dumps(_event(given, chance), ensure_ascii=chance.random() < 0.5).encode()
    )
    if recorded is None:
        return ""
    note = recorded.note
    kept = "\n".join(
        (note.text, note.session, note.source, note.category, note.author, *note.links)
    )
    if part := kept_part(secrets, kept, LEAST_PART):
        return f"{form!r}: {part!r} is kept of {given[:200]!r}"
    contained.update(["hidden" if recorded.cut else "cut away"])
    return ""


def _long(given: str, chance: random.Random) -> str:
    """Lengthens a text so that the secret is at an edge of the part that is kept or scanned."""
    filling = chance.choice(FILLINGS)
    before = max(
        0,
        chance.choice((0, LONGEST_TEXT // 2, 4 * LONGEST_TEXT, 30_000)) + chance.randint(-400, 100),
    )
    after = max(
        0,
        chance.choice((0, LONGEST_TEXT // 2, 4 * LONGEST_TEXT, 90_000)) + chance.randint(-400, 100),
    )
    return f"{(filling * before)[:before]}\n{given}\n{(filling * after)[:after]}"


def _event(given: str, chance: random.Random) -> dict[str, Any]:
    """Returns an event with a text in one of its fields."""
    event = {"session_id": "s", "cwd": "/", "hook_event_name": "UserPromptSubmit", "prompt": "x"}
    kind = chance.randrange(6)
    if kind < 3:
        return {**event, "prompt": given}
    if kind == 3:
        return {**event, "session_id": given}
    failed = {**event, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash"}
    if kind == 4:
        return {**failed, "tool_input": {"command": given}, "error": "exit code 1"}
    return {**failed, "tool_input": {"command": "make"}, "error": given}


def _repeat(chance: random.Random, contained: Counter[str]) -> str:
    """Repeats a piece of a form up to a megabyte; returns the time if it was too long."""
    text, _ = filled(chance.choice(FORMS), chance)
    begin = chance.randrange(len(text))
    piece = text[begin : begin + chance.randint(1, 30)] + chance.choice(
        ("", "", " ", "\n", "=", ":", '"')
    )
    data = json.dumps(
        _event(piece * (400_000 // len(piece.encode())), chance), ensure_ascii=False
    ).encode()
    begun = time.process_time()
    read_event(data)
    took = time.process_time() - begun
    contained.update(["repeated"])
    return f"{piece!r} repeated takes {took:.1f} s" if took > MOST_SECONDS else ""
