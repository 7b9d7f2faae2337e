"""The rules by which `scrubbing` finds keys and passwords: the table `secret_rules.toml`, with
compiled patterns.

Every pattern that reads a whole text is RE2's, so its time is linear in the text.
"""

from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
import re2  # type: ignore[import-untyped]

from symindex.files.access.regular import read_regular
from symindex.text.decoding import decoder_of

_MOST_RULE_BYTES: Final = 1_000_000
"""Largest table, in bytes: many times its size; every read has a limit."""

_MOST_PATTERN_BYTES: Final = 64 << 20
"""Memory for the automaton of one pattern, in bytes. With less, RE2 is slower but never wrong."""

_BEGIN: Final = r"(?:^|[^0-9A-Za-z]|\\[nrtbf]|%[0-9A-F]{2})"
"""`@B` in a pattern: the beginning of a word, also after an escape written as text."""

QUOTE: Final = r"(?:\\*[\"'`]|\\*&quot;|\\*u0022|%22|\\*&#3[49];)"
"""`@Q` in a pattern: a quote, escaped any number of times as in JSON, HTML or a URL."""


class Rule(msgspec.Struct, forbid_unknown_fields=True):
    """A rule.

    Attributes:
        kind: the name of the secret for people.
        keywords: the pattern is only tried on a text with one of these.
        pattern: its last group that matches is the secret, else the whole match.
    """

    kind: str
    keywords: list[str]
    pattern: str


class _Rules(msgspec.Struct, forbid_unknown_fields=True):
    tokens: list[Rule]
    blocks: list[Rule]
    commands: list[Rule]
    strong: frozenset[str]
    weak: frozenset[str]
    services: frozenset[str]
    innocent: frozenset[str]
    describing: frozenset[str]
    hashes: frozenset[str]


@lru_cache(maxsize=1)
def rules() -> _Rules:
    """Returns the rules of `secret_rules.toml`."""
    decoder_of(_Rules)
    data = read_regular(
        Path(__file__).with_name("secret_rules.toml"), _MOST_RULE_BYTES, follow=True
    )
    return msgspec.toml.decode(data, type=_Rules)


@lru_cache(maxsize=512)
def compiled(pattern: str) -> "re2._Regexp[bytes]":
    """Compiles a pattern of the rules, for bytes."""
    options = re2.Options()
    options.max_mem = _MOST_PATTERN_BYTES
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(pattern.replace("@B", _BEGIN).replace("@Q", QUOTE).encode(), options)
