"""How many parameters functions without a name have, and the types of functions."""

import re
from collections.abc import Mapping
from typing import Final

from symindex.resolve.reading.expressions import end_of_group, names_of, split

_HEAD: Final = re.compile(r"(?:async\s+|static\s+)*(?:(?P<one>\w+)|\((?P<all>[^()]*)\))\s*[=-]>")
_BLOCK: Final = re.compile(
    r"\{\s*(?P<head>[^{}\"';=]+?)\s*(?P<sign>->|=>|\bin\b)(?P<rest>.*)", re.DOTALL
)
_RESULT: Final = re.compile(r"\s*[\w.<>\[\]?]+\s+in\b")
"""What follows the arrow in a block that says its result before its code."""

_PARAMETER: Final = re.compile(r"(?:\w+|\([^()]*\))(?:\s*:[^,]*)?")
_MODIFIERS: Final = re.compile(r"(?:\s+(?:async|throws|rethrows))+$")
_NAMED: Final = re.compile(r"(?<![\w.])([^\W\d][\w.]*)(\s*<)?")


def arity_of_function(text: str) -> int:
    """Returns how many parameters a function without a name has; -1 if it does not say."""
    if text.startswith("{"):
        return _arity_of_block(text)
    head = _HEAD.match(text)
    if head is None:
        return -1
    return 1 if head["one"] else _count(head["all"])


def _arity_of_block(text: str) -> int:
    block = _BLOCK.match(text)
    if block is None or block["head"].startswith("case "):
        return -1
    inner, is_group = block["head"], re.fullmatch(r"\([^()]*\)", block["head"]) is not None
    if is_group and (block["sign"] != "->" or _RESULT.match(block["rest"])):
        return _count(inner[1:-1])
    parts = split(inner, ",")
    return len(parts) if all(_PARAMETER.fullmatch(part) for part in parts) else -1


def _count(parameters: str) -> int:
    return len(split(parameters, ",")) if parameters.strip() else 0


def arity_of_type(parameter: str, functions: Mapping[str, int]) -> int:
    """Returns how many parameters the functions have that a parameter takes; -1 if its type is not
    known to be that of functions.

    parameter: as a signature has it, with `→` for arrows. functions: how many of the arguments of
    a type are not for a parameter, by its name.
    """
    type_ = ":".join(split(parameter, ":")[1:]).strip() or parameter
    type_ = type_.partition("=")[0].strip()
    before, sign, _ = _at_arrow(type_)
    if sign:
        before = _MODIFIERS.sub("", before.strip())
        if not before.endswith(")"):
            return 1 if before else -1
        return _count(before[_start_of_group(before) + 1 : -1])
    if whole := re.fullmatch(r"(?:@?\w+\s+)*\((.*→.*)\)[?!]?", type_):
        return arity_of_type(whole[1], functions)
    for named in _NAMED.finditer(type_):
        name = names_of(named[1])[-1]
        if name not in functions:
            if named[2]:
                return -1
            continue
        start = named.end() - 1
        end = end_of_group(type_, start) if named[2] else start
        n_types = len(split(type_[start + 1 : end - 1], ",")) if named[2] else 0
        is_whole = end >= 0 and (n_types or not functions[name])
        return max(-1, n_types - functions[name]) if is_whole else -1
    return -1


def _at_arrow(text: str) -> tuple[str, str, str]:
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "→" and depth == 0:
            return text[:at], letter, text[at + 1 :]
    return text, "", ""


def _start_of_group(text: str) -> int:
    """Returns the start of the group of brackets that a text ends with."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in ")]}>") - (text[at] in "([{<")
        if depth == 0:
            return at
    return 0
