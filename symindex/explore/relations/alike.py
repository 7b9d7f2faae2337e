"""Tells by the signatures of two methods whether one may implement the other."""

import re
from typing import Final

_NAMED: Final = re.compile(r"(?!(?:func|map|chan|struct|interface)\b)\w+\s+(?=\S)")
_QUALIFIER: Final = re.compile(r"\b\w+\.(?=\w)")
_SAME: Final = {"interface{}": "any"}


def may_be_alike(one: str, other: str, name: str) -> bool:
    """Whether two methods of a name may have the same parameters and results, by the text of their
    signatures. Types count without their packages; a signature that is cut tells nothing."""
    first, second = _types(one, name), _types(other, name)
    return first is None or second is None or first == second


def _types(signature: str, name: str) -> tuple[list[str], list[str]] | None:
    """Returns the types of the parameters and those of the results; `None` if they are not
    known."""
    head = re.search(rf"(?<!\w){re.escape(name)}\s*\(", signature)
    parameters = _group(signature, head.end() - 1) if head is not None else None
    if head is None or parameters is None or "…" in signature:
        return None
    rest = signature[head.end() + len(parameters) + 1 :].strip().removesuffix("{").strip()
    results = _group(rest, 0) if rest.startswith("(") else rest
    return None if results is None else (_types_of(parameters), _types_of(results))


def _group(text: str, start: int) -> str | None:
    """Returns what is in a pair of parentheses; `None` if it is not closed."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return text[start + 1 : at]
    return None


def _types_of(text: str) -> list[str]:
    """Returns the types of a list of parameters: of `a, b int, c *x.T`, two times `int` and
    `*T`."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    parts = [part for part in (*parts, text[start:].strip()) if part]
    are_named = any(_NAMED.match(part) for part in parts)
    types: list[str] = []
    for part in reversed(parts):
        name = _NAMED.match(part)
        bare = part[name.end() :] if name is not None else part
        bare = types[-1] if are_named and name is None and types else _plain(bare)
        types.append(bare)
    return types[::-1]


def _plain(type_text: str) -> str:
    bare = "".join(_QUALIFIER.sub("", type_text).split())
    return _SAME.get(bare, bare)
