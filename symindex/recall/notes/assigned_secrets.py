"""Finds secrets that are assigned to names: the positions of names and values in a text, in linear
time.

A value is read up to a limit and judged; only a secret is read to its end. Any other value is
searched again: it may contain an assignment.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import re2  # type: ignore[import-untyped]

from symindex.recall.notes.secret_rules import QUOTE, compiled, rules
from symindex.recall.notes.secret_values import (
    MOST_JUDGED,
    is_random_variable,
    is_secret,
    is_variable,
)

_NAME_BYTES: Final = 80
"""Most bytes of a name before the word that makes it the name of a secret."""

_QUOTED_BYTES: Final = 4_000
"""Most bytes in which a closing quote is searched before the value is judged."""

_NAMES: Final = (
    r"passw(?:or)?[dt]|passphrase|passcode|pass|pwd|pw|psk|kennwort|secret|token|key|cred|auth|cookie|sess|sid|jwt|sig|hmac|bearer|otp"
    r"|salt|pepper|pin|csrf|xsrf|nonce|hash|dsn|connection|webhook|code|license|mnemonic|seed.?phrase|pat|sas"
)
"""Words in names of secrets."""

_TYPE: Final = r":\s{0,3}(?:&(?:'static )?)?(?:str|string|String|SecretStr|Final(?:\[str\])?|bytes|Optional\[str\]|str \| None|any)\s{0,3}="  # noqa: E501
"""Matches a type between a name and its value."""

_VARIABLE: Final = re2.compile(rb"(?:^|[^0-9A-Za-z_]|\\[nrt])([A-Z][A-Z0-9_]{2,60})=")
"""Matches an environment variable that is set."""

_UNQUOTED: Final = re2.compile(rb"(?:[^\s\"'`<>,;&|\\)}\]]|\\+[^nrt\"'`\\\s/u])+")
"""Matches a value without quotes, in code and prose."""

_LINE: Final = re2.compile(rb"(?:[^\s\"'`\\]|\\+[^nrt\"'`\\\s/u])+")
"""Matches an unquoted value of an environment variable, which may contain any character."""

_TAG: Final = re.compile(rb"[|>][-+]?[ \t]*(?:\r?\n|\\n)[ \t]+|!!?\w{1,40} +")
"""Matches what YAML has before a value: the beginning of a block, or a type."""

_OPENING: Final = re.compile(rb"(?:[bBrRuUfF@$L]{0,2})(\\*)([\"'`]|&quot;|u0022)|(%22)")
"""Matches the opening quote of a value, with the prefixes of languages and the backslashes that
escape it."""


class _Value(NamedTuple):
    """The position of a value, as far as it was read. quote: its quote, empty if it has none.
    depth: backslashes before the quote."""

    begin: int
    end: int
    quote: bytes
    depth: int
    unquoted: "re2._Regexp[bytes]"


def _assignment() -> "re2._Regexp[bytes]":
    """A name that is related to secrets, and the separator before its value."""
    words = f"{_NAMES}|{'|'.join(sorted(rules().services))}"
    return compiled(
        rf"(?i)(?:{words})[\w.\-]{{0,60}}({QUOTE}?\]?(?:\[\])?\s{{0,3}}"
        rf"(?:{_TYPE}|:=|=>|->|={{1,3}}|!=|\?=|:|%3D|\\u003d|&#61;)\s{{0,3}}|{QUOTE}\s{{0,3}},\s{{0,3}})"
    )


def assigned(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Yields the values that are assigned to names of secrets."""
    over = 0
    for match in _assignment().finditer(data):
        if match.start() < over:
            continue
        name, begins = _name_before(data, match.start(), match.start(1))
        divided = data[match.start(1) : match.end()]
        value = _value_at(data, match.end(), is_variable(name) and divided == b"=")
        judged = data[value.begin : min(value.end, value.begin + MOST_JUDGED)].decode(
            "utf-8", "replace"
        )
        follows = data[value.end : value.end + 40].split(b"\n")[0].strip(b" \t\r,;\"'\\")
        line = data[data.rfind(b"\n", max(0, begins - 80), begins) + 1 : begins].strip(b" \t-")
        after = data[value.end : value.end + 1]
        is_alone = not follows and not line
        if judged and is_secret(
            name, divided.decode("utf-8", "replace"), judged, bool(value.quote), after, is_alone
        ):
            over = _end_of(data, value)
            yield (
                value.begin,
                over,
                "password" if re.search("(?i)pass|pwd|pw", name) else "assignment",
            )


def random_variables(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Yields random values of environment variables with any name."""
    over = 0
    for match in _VARIABLE.finditer(data):
        if match.start() < over:
            continue
        value = _value_at(data, match.end(), True)
        judged = data[value.begin : min(value.end, value.begin + MOST_JUDGED)].decode(
            "utf-8", "replace"
        )
        if is_random_variable(match[1].decode(), judged):
            over = _end_of(data, value)
            yield value.begin, over, "random"


def _name_before(data: bytes, word: int, end: int) -> tuple[str, int]:
    """Returns a whole name and its start. word: start of the word in it that was recognized."""
    begin = word
    while begin > max(0, word - _NAME_BYTES) and (
        data[begin - 1 : begin].isalnum() or data[begin - 1] in b"_-.$"
    ):
        begin -= 1
    if begin and data[begin - 1] == 0x5C and data[begin] in b"nrt":
        begin += 1  # an escape written as text
    return data[begin:end].decode("utf-8", "replace").strip("-.$"), begin


def _value_at(data: bytes, position: int, is_line: bool) -> _Value:
    """Returns the value that begins at a place, as far as it is judged. is_line: whether only a
    blank ends it."""
    unquoted = _LINE if is_line else _UNQUOTED
    if tag := _TAG.match(data, position):
        position = tag.end()
    opening = _OPENING.match(data, position)
    if opening is None:
        match = unquoted.match(data, position, min(len(data), position + MOST_JUDGED))
        return _Value(position, match.end() if match else position, b"", 0, unquoted)
    quote, depth, begin = opening[2] or opening[3], len(opening[1] or b""), opening.end()
    return _Value(
        begin, _closed(data, begin, begin + _QUOTED_BYTES, quote, depth), quote, depth, unquoted
    )


def _end_of(data: bytes, value: _Value) -> int:
    """Returns the end of a value that was read up to a limit."""
    if not value.quote:
        match = value.unquoted.match(data, value.begin)
        return match.end() if match else value.end
    if value.end < value.begin + _QUOTED_BYTES:
        return value.end
    return _closed(data, value.begin, len(data), value.quote, value.depth)


def _closed(data: bytes, begin: int, most: int, quote: bytes, depth: int) -> int:
    """Returns the end of a quoted value: a quote that is escaped as often as the opening one, or
    the end of the line."""
    most = min(len(data), most)
    line_end = data.find(b"\n", begin, most)
    most = line_end if line_end >= 0 else most
    end = data.find(quote, begin, most)
    while end >= 0:
        slashes = end
        while slashes > begin and data[slashes - 1] == 0x5C:
            slashes -= 1
        if end - slashes <= depth:
            return slashes
        end = data.find(quote, end + 1, most)
    return most
