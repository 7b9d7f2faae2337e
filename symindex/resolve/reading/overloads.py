"""Which of several functions of one name a call can mean, by its arguments: their number, their
labels, and the types of literals."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from symindex.resolve.reading.expressions import end_of_group, split
from symindex.resolve.tree import Row

_MANY: Final = 1000
_ANY_NUMBER: Final = re.compile(r"\.\.\.|\*\s|\*$|\bvararg\b|\bparams\b")
_ANY_TYPE: Final = re.compile(r"[A-Z]\d?")
"""The name of a type parameter, for which a subtype may have any type."""

_GIVEN: Final = re.compile(r"(?<![=<>!])=(?![=>])")
"""What is before the value that a parameter has if no argument gives it."""
_ADDED: Final = re.compile(r"^this\s")
"""The parameter that stands for the receiver of a function that is called like a member."""

_TEXT: Final = re.compile(r"[\w@$]{0,3}(?:\"(?:[^\"\\]|\\.)*\"|`[^`]*`)")
_CHARACTER: Final = re.compile(r"'(?:[^'\\]|\\.[^']*)'")
_TYPE_GROUP: Final = r"(<[^()]*>|\[[^()]*\])?"
_NAMED_TYPES: Final = re.compile(r"(?<=\w)<[\w\s,.?&*:\[\]<>]*>(?=\s*[({),.;:\[>]|$)")
_LABEL: Final = re.compile(r"(\w+)\s*(?::(?!:)|=(?![=>]))\s*")
_FUNCTION: Final = re.compile(r"(?:async\s+|static\s+)*(?:\w+|\([^()]*\))\s*[=-]>|\{")
_ARROW: Final = re.compile(r"[=-]>")
"""In the type of a function, where it ends no group."""
_NUMBER: Final = re.compile(r"-?(?:\d[\w.]*)$")

_CLASSES: Final = {
    **dict.fromkeys(("string", "str", "charsequence"), "text"),
    **dict.fromkeys(("bool", "boolean"), "truth"),
    **dict.fromkeys(("char", "character"), "character"),
    **dict.fromkeys(
        (
            *("int", "integer", "long", "short", "byte", "double", "float", "decimal", "uint"),
            *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "ulong"),
            *("ushort", "sbyte", "size_t"),
        ),
        "number",
    ),
}
"""What values of types that most languages have by these names are."""

_NEVER: Final = {
    "text": ("number", "truth"),
    "character": ("truth",),
    "number": ("text", "truth"),
    "truth": ("text", "number", "character"),
    "nothing": ("number", "truth", "character"),
    "function": ("text", "number", "truth", "character"),
    "made": ("text", "number", "truth", "character"),
}
"""By what an argument evidently is: the classes of types that cannot take it."""


class Argument(NamedTuple):
    """An argument of a call. kind: what it evidently is, a key of _NEVER; empty if it is not. type:
    the last name of its declared type, if that is known."""

    label: str
    kind: str
    type: str = ""


class Arguments(NamedTuple):
    """What a function is called with. n_types: how many types it is given."""

    values: tuple[Argument, ...]
    n_types: int = 0


class Parameters(NamedTuple):
    """How many arguments a function takes, and its parameters as they are written. types: the last
    names of their types. is_added: whether the first stands for the receiver. n_types: of the
    function's own type parameters, where they follow its name."""

    least: int
    most: int
    types: tuple[str, ...]
    written: tuple[str, ...] = ()
    is_added: bool = False
    n_types: int = 0

    def is_like(self, other: "Parameters") -> bool:
        """Whether another function takes as many arguments, and types."""
        return (self.most, self.n_types) == (other.most, other.n_types)

    def without_receiver(self) -> "Parameters":
        """Returns the parameters that a call with a receiver has arguments for."""
        types, written = self.types[1:], self.written[1:]
        return self._replace(least=self.least - 1, most=self.most - 1, types=types, written=written)


def arguments_of(
    text: str, name: str, types: Mapping[str, str] = MappingProxyType({})
) -> Arguments | None:
    """Returns the arguments of the call of a name that a text begins with; `None` if they do not
    end in the text, or if a function may follow them. types: that the code declares for names."""
    text = _CHARACTER.sub("'c'", _TEXT.sub('"s"', text))
    given = re.match(rf"{re.escape(name)}(<[^()]*>|\[[\w\s,.\[\]]*\])?\s?\(", text)
    if given is None:
        return None
    masked = "(" + _NAMED_TYPES.sub("", text[given.end() :])
    end = _end_of_arguments(masked, 0)
    if end < 0 or masked[end:].lstrip().startswith("{"):
        return None
    inner = masked[1 : end - 1].strip().rstrip(",")
    n_types = len(split(given[1][1:-1], ",")) if given[1] else 0
    values = tuple(_argument(part, types) for part in _parts(inner)) if inner else ()
    return Arguments(values, n_types)


def _end_of_arguments(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at + 1
    return -1


def _parts(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    yield text[start:].strip()


def _argument(text: str, types: Mapping[str, str]) -> Argument:
    label = _LABEL.match(text)
    value = text[label.end() :] if label is not None else text
    declared = re.sub(r"<.*>", "", types.get(value, "")).rpartition(".")[2].rstrip("?!")
    kind = _kind_of(value) or _class_of(declared)
    return Argument(label[1] if label is not None else "", kind, declared)


def _kind_of(value: str) -> str:
    if value in ("null", "nil", "nullptr"):
        return "nothing"
    if value in ("true", "false"):
        return "truth"
    if _NUMBER.match(value):
        return "number"
    if value in ('"s"', "'c'"):
        return "text" if value[0] == '"' else "character"
    if _FUNCTION.match(value):
        return "function"
    return "made" if re.match(r"new\s+[A-Z]", value) else ""


def parameters_of(row: Row) -> Parameters | None:
    """Returns the parameters of a function, as its signature has them; `None` if it shows none."""
    signature = row.index.signature(row.number)
    head = re.search(rf"(?<![\w$]){re.escape(row.name)}{_TYPE_GROUP}\s?\(", signature)
    end = end_of_group(signature, head.end() - 1) if head is not None else -1
    if head is None or end < 0:
        return None
    inner = signature[head.end() : end - 1].strip()
    parts = split(_ARROW.sub("→", inner), ",") if inner else []
    has_many = bool(parts) and _ANY_NUMBER.search(parts[-1]) is not None
    n_given = sum(_GIVEN.search(part) is not None for part in parts)
    least = len(parts) - n_given - has_many
    most = _MANY if has_many else len(parts)
    is_added = bool(parts) and _ADDED.match(parts[0]) is not None
    n_types = len(split(head[1][1:-1], ",")) if head[1] else 0
    types = tuple(map(_type_of, parts))
    return Parameters(least, most, types, tuple(parts), is_added, n_types)


def _type_of(parameter: str) -> str:
    """Returns the last name of the type of a parameter, before or behind its name."""
    before, sign, behind = re.sub(r"<.*>", "", parameter.partition("=")[0]).partition(":")
    words = (behind if sign else before).split()
    written = words[0] if sign and words else words[-2] if len(words) > 1 else ""
    return written.rpartition(".")[2]


def fitting_overloads(
    rows: Sequence[Row],
    arguments: Arguments | None,
    *,
    is_added: bool = False,
    has_defaults: bool = True,
) -> tuple[Row, ...]:
    """Returns the functions that take these arguments, without those that a nearer one overrides;
    of those, the ones that have just the type of a literal, if there are any.

    rows: functions of one name, nearest first. arguments: `None` if they are not known. is_added:
    whether the receiver stands for their first parameter. has_defaults: whether signatures show
    which parameters need no argument.
    """
    kept: list[tuple[Row, Parameters | None]] = []
    for row in rows:
        has = parameters_of(row)
        if has is not None:
            has = has.without_receiver() if has.is_added and is_added else has
            has = has if has_defaults else has._replace(least=0)
            nearer = (its for one, its in kept if its and one.container != row.container)
            takes = arguments is None or _takes(has, arguments)
            if not takes or any(_overrides(its, has) for its in nearer):
                continue
        kept.append((row, has))
    values = arguments.values if arguments is not None else ()
    exact = [_n_exact(has, values) for _, has in kept if has is not None]
    most = max(exact, default=0)
    return tuple(row for row, has in kept if has is None or _n_exact(has, values) == most)


def are_alike(one: Row, other: Row, is_declared: bool) -> bool:
    """Whether two functions have the same parameters, like two variants that a condition selects.

    is_declared: whether one declares the other, so that names and values may differ.
    """
    its, others = parameters_of(one), parameters_of(other)
    if its is None or others is None:
        return False
    are_like = its.types == others.types and its.n_types == others.n_types
    return are_like and (is_declared or its.written == others.written)


def _takes(has: Parameters, arguments: Arguments) -> bool:
    if not has.least <= len(arguments.values) <= has.most:
        return False
    is_inferred = has.n_types and not arguments.n_types
    if (arguments.n_types and arguments.n_types != has.n_types) or (is_inferred and not has.types):
        return False
    for number, argument in enumerate(arguments.values):
        if argument.label:
            name = rf"(?<![\w$]){re.escape(argument.label)}(?![\w$])"
            if not any(re.search(name, part) for part in has.written):
                return False
        elif number < len(has.types) - (has.most == _MANY):
            its = _class_of(has.types[number])
            is_optional = argument.kind == "nothing" and "?" in has.written[number]
            if its in _NEVER.get(argument.kind, ()) and not is_optional:
                return False
    return True


def _n_exact(has: Parameters, arguments: Sequence[Argument]) -> int:
    """Returns how many literals a function takes as what they are, and how many values of a
    declared type, if the types of all arguments are known."""
    are_known = all(argument.kind or argument.type for argument in arguments)
    pairs = zip(arguments, has.types, strict=False)
    return sum(
        are_known and argument.type == its.rstrip("?!")
        if argument.type
        else argument.kind == _class_of(its) and argument.kind in ("text", "truth")
        for argument, its in pairs
    )


def _class_of(type_name: str) -> str:
    return "" if "[" in type_name else _CLASSES.get(type_name.rstrip("?!").lower(), "")


def _overrides(nearer: Parameters, farther: Parameters) -> bool:
    return len(nearer.types) == len(farther.types) and all(
        one == other or _ANY_TYPE.fullmatch(other) is not None
        for one, other in zip(nearer.types, farther.types, strict=True)
    )
