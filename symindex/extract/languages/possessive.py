"""Possessive quantifiers for interpreters before 3.11.5, which let those of groups match too little (python/cpython#106052).

There they are compiled as what they stand for: the greedy quantifier in an atomic group. A greedy one alone would find the same,
but take time without end on some texts.
"""

import re
from re import _compiler as sre_compiler  # type: ignore[attr-defined]  # what turns a parsed pattern into one
from re import _constants as sre  # type: ignore[attr-defined]  # what a parsed pattern consists of
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any


def compile_atomic(pattern: bytes, flags: int) -> re.Pattern[bytes]:
    """The pattern, compiled in that way; it does not know its own text. Raises re.error."""
    parsed = sre_parser.parse(pattern, flags)
    _change(parsed)
    compiled: re.Pattern[bytes] = sre_compiler.compile(parsed, flags)
    return compiled


def _change(parsed: Any) -> None:
    for at, (operation, argument) in enumerate(parsed.data):
        for inner in _inner(operation, argument):
            _change(inner)
        if operation is sre.POSSESSIVE_REPEAT:
            greedy = sre_parser.SubPattern(parsed.state, [(sre.MAX_REPEAT, argument)])
            parsed.data[at] = (sre.ATOMIC_GROUP, greedy)


def _inner(operation: Any, argument: Any) -> list[Any]:
    """The parsed patterns that an operation holds."""
    if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return [argument[2]]
    if operation is sre.SUBPATTERN:
        return [argument[3]]
    if operation is sre.ATOMIC_GROUP:
        return [argument]
    if operation in (sre.ASSERT, sre.ASSERT_NOT):
        return [argument[1]]
    if operation is sre.BRANCH:
        return list(argument[1])
    if operation is sre.GROUPREF_EXISTS:
        return [one for one in argument[1:] if one is not None]
    return []
