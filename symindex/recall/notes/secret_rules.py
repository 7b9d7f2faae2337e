"""The rules by which `scrubbing` finds keys and passwords: the table `secret_rules.toml`, and its
patterns compiled.

Every pattern that meets a whole text is one of RE2, so its time is linear in the text.
"""

from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
import re2  # type: ignore[import-untyped]

from symindex.files.access.regular import read_regular
from symindex.text.decoding import decoder_of

_MOST_RULE_BYTES: Final = 1_000_000
"""Bytes of the table: many times what it has, and a bound as every read has one."""

_MOST_PATTERN_BYTES: Final = 64 << 20
"""Bytes of memory for the automaton of one pattern. RE2 is slower with less, and never wrong."""

_BEGIN: Final = r"(?:^|[^0-9A-Za-z]|\\[nrtbf]|%[0-9A-F]{2})"
"""`@B` of a pattern: the beginning of a word, also after an escape that is written out."""

QUOTE: Final = r"(?:\\*[\"'`]|\\*&quot;|\\*u0022|%22|\\*&#3[49];)"
"""`@Q` of a pattern: a quote, escaped as JSON, HTML or a URL escapes it, any number of times."""


class Rule(msgspec.Struct, forbid_unknown_fields=True):
    """kind: what a person reads of it. keywords: the pattern is only tried on a text that has one.
    pattern: its last group that matches is the secret, else all that matches."""

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
    """The rules of `secret_rules.toml`."""
    decoder_of(_Rules)
    data = read_regular(
        Path(__file__).with_name("secret_rules.toml"), _MOST_RULE_BYTES, follow=True
    )
    return msgspec.toml.decode(data, type=_Rules)


@lru_cache(maxsize=512)
def compiled(pattern: str) -> "re2._Regexp[bytes]":
    """A pattern of the rules, for bytes."""
    options = re2.Options()
    options.max_mem = _MOST_PATTERN_BYTES
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(pattern.replace("@B", _BEGIN).replace("@Q", QUOTE).encode(), options)
