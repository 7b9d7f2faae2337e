"""Reads from a regular expression which literals its matches contain, so that texts without them
are not searched.

This is the only module that imports private parts of `re`: `_parser` parses an expression to a
sequence of operations, `_constants` names the operations, and `_compiler` compiles a part of a
sequence. `tests/extract/test_regex_literals.py` fails on a Python that changes one of them.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from re import _compiler as sre_compiler  # type: ignore[attr-defined]
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any, Final

from symindex.extract.parse.skipping import switch


@lru_cache(maxsize=8)
def _parsed(regex: re.Pattern[str]) -> Any:
    """Returns the parts of a pattern. Callers ask for the same pattern several times in a row."""
    return sre_parser.parse(regex.pattern, regex.flags)


def widths(regex: re.Pattern[str]) -> tuple[int, int]:
    """Returns the lengths of the shortest and the longest match, in characters."""
    shortest, longest = _parsed(regex).getwidth()
    return shortest, longest


def required_literals(regex: re.Pattern[str]) -> tuple[str, ...]:
    """Returns literals of which each match, with the text around it, contains at least one; none if
    the pattern does not require any."""
    return () if regex.flags & re.IGNORECASE or not switch.IS_ON else _needs(_parsed(regex))


def beginning_literals(regex: re.Pattern[str]) -> tuple[str, ...]:
    """Returns literals of which each match begins with one; none if that is unknown."""
    return () if regex.flags & re.IGNORECASE or not switch.IS_ON else _begins(_parsed(regex))


def ends_with(regex: re.Pattern[str], letter: str) -> bool:
    """Whether each match is known to end with a letter."""
    items = [*sre_parser.parse(regex.pattern, regex.flags)]
    return items[-1:] == [(sre.LITERAL, ord(letter))] and not regex.flags & re.IGNORECASE


def _begins(items: Iterable[tuple[Any, Any]]) -> tuple[str, ...]:
    run = ""
    for operation, argument in items:
        if operation in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            continue  # matches no text
        if operation is sre.LITERAL and argument < 128:
            run += chr(argument)
            continue
        if not run and operation is sre.SUBPATTERN and not argument[1] & re.IGNORECASE:
            return _begins(argument[3])
        if not run and operation is sre.BRANCH:
            branches = [_begins(branch) for branch in argument[1]]
            return tuple(dict.fromkeys(chain(*branches))) if all(branches) else ()
        break
    return (run,) if run else ()


def _needs(items: Iterable[tuple[Any, Any]]) -> tuple[str, ...]:
    """Returns the best literals that a sequence requires: long, and few."""
    choices: list[tuple[str, ...]] = []
    run = ""
    for operation, argument in items:
        if operation is sre.LITERAL and argument < 128:
            run += chr(argument)
            continue
        if operation is sre.ASSERT:
            choices.append(_needs(argument[1]))
        if operation in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):
            continue  # matches no text: its neighbours are adjacent
        choices.append((run,) if run else ())
        run = ""
        if operation is sre.SUBPATTERN:
            _, added, _, inner = argument
            choices.append(() if added & re.IGNORECASE else _needs(inner))
        elif operation is sre.ATOMIC_GROUP:
            choices.append(_needs(argument))
        elif (
            operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT) and argument[0] > 0
        ):
            choices.append(_needs(argument[2]))
        elif operation is sre.BRANCH:
            branches = [_needs(branch) for branch in argument[1]]
            needs = dict.fromkeys(chain(*branches)) if all(branches) else {}
            choices.append(
                tuple(
                    need
                    for need in needs
                    if not any(shorter in need and shorter != need for shorter in needs)
                )
            )
    choices.append((run,) if run else ())
    return max(choices, key=lambda needs: min(map(len, needs)) - len(needs) if needs else -1000)


def rest_from(regex: re.Pattern[str], literal: str) -> re.Pattern[str] | None:
    """Returns the part of a pattern from a required literal on; `None` if the pattern begins with
    the literal, or nothing follows it."""
    parsed = _parsed(regex)
    rest = (
        []
        if literal in _begins(parsed)
        else _without_earlier_groups(_rest(list(parsed), literal)[0])
    )
    if len(rest) <= len(literal):
        return None
    compiled: re.Pattern[str] = sre_compiler.compile(
        sre_parser.SubPattern(parsed.state, rest), regex.flags
    )
    return compiled


def _rest(items: list[tuple[Any, Any]], literal: str) -> tuple[list[tuple[Any, Any]], bool]:
    """Returns a sequence from a literal on, empty if the literal is not found; and whether the
    literal is in a lookahead, so that the rest of the sequence does not follow it."""
    for number, (operation, argument) in enumerate(items):
        if operation is sre.LITERAL and any(
            begun.startswith(literal) for begun in _begins(items[number:])
        ):
            return items[number:], False
        if (
            operation is sre.SUBPATTERN and not argument[1] and not argument[2]
        ):  # no flags of its own
            rest, is_ahead = _rest(list(argument[3]), literal)
            if rest:
                return (rest, True) if is_ahead else ([*rest, *items[number + 1 :]], False)
        elif operation is sre.ASSERT and argument[0] > 0:  # a lookahead
            rest, _ = _rest(list(argument[1]), literal)
            if rest:
                return rest, True
    return [], False


def _without_earlier_groups(items: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Returns the items before the first that refers to a group outside of them."""
    begun: set[int | None] = set()
    for number, item in enumerate(items):
        operations = list(_operations([item]))
        begun.update(
            argument[0] for operation, argument in operations if operation is sre.SUBPATTERN
        )
        if any(
            operation is sre.GROUPREF and argument not in begun
            for operation, argument in operations
        ):
            return items[:number]
        if any(operation is sre.GROUPREF_EXISTS for operation, _ in operations):
            return items[:number]
    return items


def _operations(items: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """Yields all operations of a sequence, at any depth."""
    for operation, argument in items:
        yield operation, argument
        for part in argument if isinstance(argument, tuple) else (argument,):
            for inner in part if isinstance(part, list) else (part,):
                if isinstance(inner, sre_parser.SubPattern):
                    yield from _operations(inner)


_MOST_BEGINNINGS: Final = 100
"""Most beginnings of a regular expression, before similar ones are merged."""


def beginnings(pattern: str) -> set[str]:
    """Returns the possible beginnings of the matches of a regular expression; none if unknown."""
    try:
        parsed = sre_parser.parse(pattern)
    except re.error:
        return set()
    items = list(parsed)
    if parsed.state.flags & re.IGNORECASE or not items or items[0] != (sre.AT, sre.AT_BEGINNING):
        return set()
    return _extended({""}, items[1:])[0]


def _extended(texts_so_far: set[str], items: list[tuple[Any, Any]]) -> tuple[set[str], bool]:
    """Appends a sequence to each beginning. Returns the beginnings, and whether they are complete,
    so that more may follow."""
    for operation, argument in items:
        complete = texts_so_far
        if operation is sre.LITERAL:
            texts_so_far = {text + chr(argument) for text in texts_so_far}
        elif operation is sre.IN and all(kind is sre.LITERAL for kind, _ in argument):
            texts_so_far = {text + chr(sign) for text in texts_so_far for _, sign in argument}
        elif operation is sre.SUBPATTERN and not argument[1]:
            texts_so_far, goes_on = _extended(texts_so_far, list(argument[3]))
            if not goes_on:
                return texts_so_far, False
        elif operation is sre.BRANCH:
            branches = [_extended(texts_so_far, list(branch)) for branch in argument[1]]
            texts_so_far = set().union(*[texts for texts, _ in branches])
            if not all(goes_on for _, goes_on in branches):
                return texts_so_far, False
        elif operation is sre.MAX_REPEAT and argument[:2] == (0, 1):
            added, goes_on = _extended(texts_so_far, list(argument[2]))
            texts_so_far = texts_so_far | added
            if not goes_on:
                return texts_so_far, False
        elif operation not in (sre.AT, sre.ASSERT_NOT, sre.ASSERT):
            return texts_so_far, False
        if len(texts_so_far) > _MOST_BEGINNINGS:
            return complete, False
    return texts_so_far, True
