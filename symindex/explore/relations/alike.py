"""Tells by the signatures of two methods whether one may implement the other."""

import re
from collections.abc import Iterator
from typing import Final

from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.overriding import Parameter, types_of
from symindex.resolve.tree import Row

_NAMED: Final = re.compile(r"(?!(?:func|map|chan|struct|interface)\b)\w+\s+(?=\S)")
_QUALIFIER: Final = re.compile(r"\b\w+\.(?=\w)")
_SAME: Final = {"interface{}": "any"}


def may_be_alike(resolver: Resolver, one: Row, other: Row) -> bool:
    """Whether two methods of a name may have the same parameters and results, by their signatures:
    a type parameter may stand for any type, and a signature that is cut tells nothing."""
    types, others = _types(_signature(one), one.name), _types(_signature(other), other.name)
    if types is None or others is None:
        return True
    if [*map(len, types)] != [*map(len, others)]:
        return False
    return all(
        _may_be_one_type(resolver, (one, its), (other, others_type))
        for pair in zip(types, others, strict=True)
        for its, others_type in zip(*pair, strict=True)
    )


def _signature(row: Row) -> str:
    return row.index.signature(row.number)


def _may_be_one_type(resolver: Resolver, one: tuple[Row, str], other: tuple[Row, str]) -> bool:
    """Whether two types may be the same. Each comes with the method that has it."""
    if _plain(one[1]) != _plain(other[1]):
        return any(
            re.fullmatch(_with_any(resolver, *this), _plain(that[1])) is not None
            for this, that in ((one, other), (other, one))
        )
    pairs = zip(_meant(resolver, *one), _meant(resolver, *other), strict=True)
    return all(
        first is None or second is None or bool(first & second) or first == second
        for first, second in pairs
    )


def _with_any(resolver: Resolver, row: Row, type_text: str) -> str:
    """Returns a pattern for a type, in which the type parameters around a method are any type."""
    file = resolver.files.of(row)

    def part(name: str) -> str:
        is_any = file.parameter(row.qualified_name, name) is not None
        return r"[\w.*\[\]]+" if is_any else re.escape(name)

    return "".join(part(one) for one in re.split(r"(\w+)", _plain(type_text)))


def _meant(resolver: Resolver, row: Row, type_text: str) -> Iterator[frozenset[Row] | None]:
    """Yields what the names in a type denote; none of the tree's types for one of a library."""
    file = resolver.files.of(row)
    for name in _NAMES.findall(type_text):
        last = name.rpartition(".")[2]
        is_open = file.parameter(row.qualified_name, name) is not None
        yield None if is_open else types_of(resolver, row, Parameter("", last, False), name)


_NAMES: Final = re.compile(r"\b[^\W\d]\w*(?:\.\w+)?")


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
        types.append(types[-1] if are_named and name is None and types else bare.strip())
    return types[::-1]


def _plain(type_text: str) -> str:
    bare = "".join(_QUALIFIER.sub("", type_text).split())
    return _SAME.get(bare, bare)
