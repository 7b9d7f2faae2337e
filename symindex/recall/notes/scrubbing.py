"""Removes keys and passwords from text: what the rules of a secret scanner recognize, and random
values of assignments.

A value is hidden as a whole before a text is cut, so that no half of it stays. The time is linear
in the text.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from symindex.recall.notes.assigned_secrets import assigned, random_variables
from symindex.recall.notes.secret_rules import Rule, compiled, rules
from symindex.recall.notes.secret_values import (
    MOST_JUDGED,
    is_code,
    is_innocent,
    is_path,
    is_random,
)

HIDDEN: Final = "[secret]"
"""Replaces a secret in a text."""

_PORTS: Final = re.compile(
    r"(?:[\d.]{7,15}:)?(?:\d{2,5}(?:-\d{1,5})?:)?\d{1,5}(?:-\d{1,5})?(?:/\w{3,4})?"
)
"""Values of `-p` and `-P` that are not passwords."""

_Span = tuple[int, int, str]


def scrub(text: str) -> tuple[str, Counter[str]]:
    """Replaces each key and password in a text by `[secret]`; returns the text, and their number by
    kind."""
    data = text.encode("utf-8", "replace")
    kinds: Counter[str] = Counter()
    table = rules()
    for group, is_judged in ((table.blocks, False), (table.tokens, False), (table.commands, True)):
        lowered = data.lower()
        applying = [
            rule for rule in group if any(word.encode() in lowered for word in rule.keywords)
        ]
        data = _without(
            data, [span for rule in applying for span in _matches(rule, data, is_judged)], kinds
        )
    for find in (assigned, random_variables):
        data = _without(data, [*find(data)], kinds)
    return data.decode("utf-8", "replace"), kinds


def told(kinds: Counter[str]) -> str:
    """Returns one line that tells what was cut; empty if nothing was."""
    if not kinds:
        return ""
    return (
        f"text that looks like keys or passwords was replaced by {HIDDEN} in the note:"
        f" {listed(kinds)}"
    )


def listed(kinds: Counter[str]) -> str:
    """Returns the number of secrets of each kind, as words."""
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


def _matches(rule: Rule, data: bytes, is_judged: bool) -> Iterator[_Span]:
    """Yields the positions of a rule's secrets. is_judged: whether the rule goes by the words
    around, so that the value itself may be harmless."""
    for match in compiled(rule.pattern).finditer(data):
        begin, end = match.span(match.lastindex or 0)
        if is_judged and _is_let_be(
            rule.kind, data[begin : min(end, begin + MOST_JUDGED)].decode("utf-8", "replace")
        ):
            continue
        yield begin, end, rule.kind


def _is_let_be(kind: str, value: str) -> bool:
    if kind == "url-password" and re.match(r"\d{1,5}(?:[/?#]|$)", value):
        return True  # a port
    if kind == "password-option" and _PORTS.fullmatch(value):
        return True
    if kind == "user-password" and (len(value) < 6 or re.match(r"v?\d+\.\d", value)):
        return True  # a version
    if kind in ("spoken", "login-pair") and (len(value) < 5 or is_code(value) or is_path(value)):
        return True
    if kind == "random" and not (
        is_random(value, 24) and sum(map(str.isdigit, value)) > (0 if len(value) >= 32 else 2)
    ):
        return True
    if kind == "kubernetes":
        return False  # Base64 may look like a path
    return is_innocent(value.strip(" .,;:)"))


def _without(data: bytes, spans: list[_Span], kinds: Counter[str]) -> bytes:
    """Replaces spans of bytes, which may overlap, by the mark."""
    pieces, position, hidden = [], 0, HIDDEN.encode()
    for begin, end, kind in sorted(spans):
        if end <= position:
            continue
        if begin >= position:
            pieces += [data[position:begin], hidden]
            kinds[kind] += 1
        position = end
    return b"".join([*pieces, data[position:]])
