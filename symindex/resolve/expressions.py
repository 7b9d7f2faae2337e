"""Reads expressions and types of many languages as chains of names, without a syntax tree.

`await self.store(x).open("a").name` is the chain `self`, `store()`, `open()`, `name`. What is not a
chain - an operator, a literal, an index - cannot be followed, and gives none.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple


class Step(NamedTuple):
    """A name of a chain. is_called: whether arguments follow it."""

    name: str
    is_called: bool = False


Chain = tuple[Step, ...]

MOST_STEPS: Final = 8
"""Most names of a chain that is followed."""

_BEFORE: Final = re.compile(r"(?:(?:await|new|return|yield|try|co_await)\b\s*|[&*!(]\s*|\\)*")
_NAME: Final = re.compile(r"[$@]{0,2}[^\W\d][\w$]*")
_SIGN: Final = re.compile(r"\s*(?:\?\.|!!?\.|\?->|->|::|\.|\\)\s*(?:<[^<>]*>\s*)?")
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}


def chain_of(text: str) -> Chain:
    """Returns the chain of an expression; empty if it is none."""
    start = _BEFORE.match(text)
    at = start.end() if start is not None else 0
    is_new = "new" in text[:at].split()
    steps: list[Step] = []
    while len(steps) <= MOST_STEPS:
        name = _NAME.match(text, at)
        if name is None:
            return ()
        at, is_called = name.end(), False
        at += text.startswith(" {", at)  # a function as the last argument
        while at < len(text) and text[at] in "([{<!?":
            if text[at] in "!?":
                if text[at + 1 : at + 2] in (".", "!", "-", ":", "["):
                    break
                at += 1
                continue
            sign, end = text[at], _end_of_group(text, at)
            if end < 0:
                return ()
            if sign == "[" and text[end : end + 1] != "(":
                return ()  # an index: the type of elements is not known
            is_called = is_called or sign in "({"
            at = end + text.startswith(" {", end)
        steps.append(Step(name[0], is_called))
        separator = _SIGN.match(text, at)
        if separator is None:
            break
        at = separator.end()
    rest = text[at:].strip(" );,")
    if rest or not 0 < len(steps) <= MOST_STEPS:
        return ()
    if is_new and not any(step.is_called for step in steps):
        steps[-1] = Step(steps[-1].name, True)
    return tuple(steps)


def _end_of_group(text: str, start: int) -> int:
    """Returns the end of a group of brackets, -1 if it is not closed. Quotes are skipped."""
    stack: list[str] = []
    at = start
    while at < len(text):
        sign = text[at]
        if sign in "\"'`":
            at = text.find(sign, at + 1)
            if at < 0:
                return -1
        elif sign in _CLOSERS and (sign != "<" or not stack or stack[-1] == ">"):
            stack.append(_CLOSERS[sign])
        elif stack and sign == stack[-1]:
            stack.pop()
            if not stack:
                return at + 1
        elif sign in "\n;":
            return -1
        at += 1
    return -1


def alternatives(text: str) -> list[str]:
    """Returns the expressions that an expression chooses from: both sides of `a or b`,
    `a if c else b`, `a ?? b`."""
    whole = re.match(r"(.+?) if .+? else (.+)\Z", text)
    if whole is not None:
        return [whole[1], whole[2]]
    return [part for part in re.split(r"\s(?:or|\|\||\?\?|\?:)\s", text) if part]


_WORDS: Final = re.compile(
    r"(?:(?:const|mut|dyn|impl|ref|out|in|readonly|final|volatile|typename|struct|class|enum|unsafe"
    r"|any|some|inout|borrowing|consuming|escaping|static|lateinit|var|val|let)\b\s*"
    r"|@\w+\s*|[&*?:]\s*|'[a-z_]\w*\s+)*"
)
_NOTHING: Final = frozenset({"None", "null", "undefined", "nil", "void", "Void", "never", "false"})


def types_in(text: str, wrappers: Collection[str] = ()) -> list[str]:
    """Returns the names of the types that a value may have, qualified as written: `A` and `b.B` for
    `Optional[A] | "b.B"`, `A` and `B` for `A & B`. Types of elements do not count.

    wrappers: types that stand for their argument.
    """
    return list(dict.fromkeys(_types_in(text, wrappers, 4)))


def _types_in(text: str, wrappers: Collection[str], depth: int) -> Iterator[str]:
    for part in _split(text.strip().strip("\"'`"), "|&"):
        words = _WORDS.match(part)
        bare = part[words.end() if words is not None else 0 :].strip("\"'` ")
        match = _TYPE.match(bare)
        if match is None or match[0] in _NOTHING:
            continue
        name, rest = match[0], bare[match.end() :].lstrip()
        last = re.split(r"[.:\\]", name)[-1]
        is_array = re.match(r"(?:<.*>\s?)?\[[\s,]*\]", rest) is not None
        if rest[:1] in ("<", "[") and (end := _end_of_group(rest, 0)) > 0:
            inner = rest[1 : end - 1].strip()
            if rest[0] == "[" and (not inner or inner.isdigit()):
                continue  # an array
            arguments = _split(inner, ",")
            if last in wrappers and depth:
                of_all = arguments if last == "Union" else arguments[:1]
                for argument in of_all:
                    yield from _types_in(argument, wrappers, depth - 1)
                continue
            rest = rest[end:].lstrip()
        if not is_array and not rest.startswith("["):
            yield name


_TYPE: Final = re.compile(r"\\?[$]?[^\W\d][\w$]*(?:\s?(?:\.|::|\\|->)\s?[^\W\d][\w$]*)*")


def _split(text: str, signs: str) -> list[str]:
    """Splits a text at signs outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter in signs and depth <= 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def names_of(type_name: str) -> list[str]:
    """Returns the names of a qualified name."""
    return [name for name in re.split(r"\s?(?:\.|::|\\|->|/)\s?", type_name) if name]


OWN_TYPES: Final = (["this"], ["Self"], ["self"], ["static"])
"""Results that are of the receiver's type."""

_ARRAY: Final = re.compile(r"[\w.$<>]+(?:\[\d*\])+|\[[^\[\]]*\][\w.*&\[\]]+|\[[^\W\d][\w.$]*\]")
_PARAMETER: Final = re.compile(r"[A-Z]\d?|T[A-Z]\w*|_\w+")
_LITERAL: Final = re.compile(r"\s*(?:[rbfuRBFU]{0,2}[\"'`]|[\[{\d])")


def is_array(type_text: str) -> bool:
    """Whether a type is that of an array, whose members no program defines."""
    return _ARRAY.fullmatch(type_text.strip(": ")) is not None


def is_parameter(name: str) -> bool:
    """Whether a type has the usual name of a type parameter."""
    return _PARAMETER.fullmatch(name) is not None


def is_literal(text: str) -> bool:
    """Whether an expression is a literal, whose type no program defines."""
    return _LITERAL.match(text) is not None
