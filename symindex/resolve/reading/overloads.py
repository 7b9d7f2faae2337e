"""Which of several functions of one name a call can mean, by its arguments: their number, their
labels, the types of literals, and how many parameters of their own they have."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from symindex.resolve.reading.expressions import end_of_group, split
from symindex.resolve.reading.function_types import arity_of_function, arity_of_type
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
_REFERENCE: Final = re.compile(r"(?:\[[^\[\]]*\]\s*)*(out|ref)\s+[^\W\d]")
"""A parameter or an argument that is passed by reference, which both of them say."""

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
    """An argument of a call. kind: what it evidently is, a key of _NEVER; empty if it is not. text:
    its expression. arity: of a function, how many parameters it has; -1 if that is not known.
    is_block: whether it is a block behind the others."""

    label: str
    kind: str
    text: str = ""
    arity: int = -1
    is_block: bool = False


class Arguments(NamedTuple):
    """What a function is called with. n_types: how many types it is given. is_cut: whether only the
    first arguments are known. has_block: whether a block follows them, which may be one more."""

    values: tuple[Argument, ...]
    n_types: int = 0
    is_cut: bool = False
    has_block: bool = False

    def with_block(self) -> "Arguments":
        """Returns the arguments with the block that follows them as the last one."""
        block = Argument("", "function", is_block=True)
        return self._replace(values=(*self.values, block), has_block=False)


class Parameters(NamedTuple):
    """How many arguments a function takes, and its parameters as they are written. types: the last
    names of their types. is_added: whether the first stands for the receiver. n_types: of the
    function's own type parameters, where they follow its name. is_cut: whether the last parameter
    is written in part."""

    least: int
    most: int
    types: tuple[str, ...]
    written: tuple[str, ...] = ()
    is_added: bool = False
    n_types: int = 0
    is_cut: bool = False

    def is_like(self, other: "Parameters") -> bool:
        """Whether another function takes as many arguments, and types."""
        return (self.most, self.n_types) == (other.most, other.n_types)

    def without_receiver(self) -> "Parameters":
        """Returns the parameters that a call with a receiver has arguments for."""
        types, written = self.types[1:], self.written[1:]
        return self._replace(least=self.least - 1, most=self.most - 1, types=types, written=written)


def arguments_of(text: str, name: str) -> Arguments | None:
    """Returns the arguments of the call of a name that a text begins with; `None` if it has
    none."""
    text = _CHARACTER.sub("'c'", _TEXT.sub('"s"', text))
    given = re.match(rf"{re.escape(name)}(<[^()]*>|\[[\w\s,.\[\]]*\])?\s?([({{])", text)
    if given is None:
        return None
    n_types = len(split(given[1][1:-1], ",")) if given[1] else 0
    if given[2] == "{":
        return Arguments((), n_types, has_block=True)
    masked = "(" + _NAMED_TYPES.sub("", text[given.end() :])
    end = _end_of_arguments(masked, 0)
    if end < 0:
        parts = [*_parts(masked[1:].rstrip("…").strip())]
        return Arguments(tuple(map(_argument, filter(None, parts))), n_types, is_cut=True)
    inner = masked[1 : end - 1].strip().rstrip(",")
    values = tuple(map(_argument, _parts(inner))) if inner else ()
    return Arguments(values, n_types, has_block=masked[end:].lstrip().startswith("{"))


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


def _argument(text: str) -> Argument:
    label = _LABEL.match(text)
    value = text[label.end() :] if label is not None else text
    kind = _kind_of(value)
    arity = arity_of_function(value) if kind == "function" else -1
    return Argument(label[1] if label is not None else "", kind, value, arity)


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
    """Returns the parameters of a function, as its signature has them; `None` if it does not show
    them all."""
    has = _parameters_in(row.index.signature(row.number), row.name)
    return None if has is None or has.is_cut else has


def labelled_type(has: Parameters | None, label: str, number: int) -> str | None:
    """Returns the type of the parameter that an argument with a label is given to; `None` if there
    is none, empty if the type is a function or not known. label: `_` for none."""
    if has is None:
        return ""
    labels = [part.partition(":")[0].split()[:1] for part in has.written]
    at = [one for one, its in enumerate(labels) if its == [label]]
    if label == "_" and len(at) > 1:
        at = [one for one in at if one == number]
    if not at:
        return "" if has.is_cut else None
    if has.is_cut and at[0] == len(labels) - 1:
        return ""
    type_ = has.written[at[0]].partition(":")[2].partition("=")[0].strip().removesuffix("...")
    return "" if re.search(r"[→@(]", type_) else type_


def _parameters_in(signature: str, name: str) -> Parameters | None:
    """Returns the parameters that a signature shows; `None` if it shows none."""
    head = re.search(rf"(?<![\w$]){re.escape(name)}{_TYPE_GROUP}\s?\(", signature)
    if head is None:
        return None
    end = end_of_group(signature, head.end() - 1)
    is_cut = end < 0
    if is_cut and not signature.endswith("…"):
        return None
    inner = signature[head.end() : -1 if is_cut else end - 1].strip()
    parts = split(_ARROW.sub("→", inner), ",") if inner else []
    has_many = bool(parts) and _ANY_NUMBER.search(parts[-1]) is not None
    n_given = sum(_GIVEN.search(part) is not None for part in parts)
    least = len(parts) - n_given - (has_many or is_cut)
    most = _MANY if has_many or is_cut else len(parts)
    is_added = bool(parts) and _ADDED.match(parts[0]) is not None
    n_types = len(split(head[1][1:-1], ",")) if head[1] else 0
    types = tuple(map(_type_of, parts))
    return Parameters(least, most, types, tuple(parts), is_added, n_types, is_cut)


def _type_of(parameter: str) -> str:
    """Returns the last name of the type of a parameter, before or behind its name."""
    before, sign, behind = re.sub(r"<.*>", "", parameter.partition("=")[0]).partition(":")
    words = (behind if sign else before).split()
    written = words[0] if sign and words else words[-2] if len(words) > 1 else ""
    return written.rpartition(".")[2]


def _signature_of(row: Row) -> str:
    return row.index.signature(row.number)


class CallRules(NamedTuple):
    """What a language says of calls. has_defaults: whether signatures show which parameters need no
    argument. functions: as in `function_types.arity_of_type`. head: returns the signature of a
    function, whole if it can."""

    has_defaults: bool = True
    functions: Mapping[str, int] = MappingProxyType({})
    head: Callable[[Row], str] = _signature_of


_ANY_RULES: Final = CallRules()


def fitting_overloads(
    rows: Sequence[Row],
    arguments: Arguments | None,
    rules: CallRules = _ANY_RULES,
    *,
    is_added: bool = False,
) -> tuple[Row, ...]:
    """Returns the functions that take these arguments, without those that a nearer one overrides;
    of those, the ones that have just the type of a literal, if there are any.

    rows: functions of one name, nearest first. arguments: `None` if they are not known. is_added:
    whether the receiver stands for their first parameter.
    """
    kept: list[tuple[Row, Parameters | None]] = []
    for row in rows:
        has = called_parameters(row, rules, is_added)
        if has is not None:
            has = has if rules.has_defaults else has._replace(least=0)
            nearer = (its for one, its in kept if its and one.container != row.container)
            takes = arguments is None or _takes_any(has, arguments, rules)
            if not takes or any(_overrides(its, has) for its in nearer):
                continue
        kept.append((row, has))
    values = arguments.values if arguments is not None else ()
    exact = [_n_exact(has, values) for _, has in kept if has is not None]
    most = max(exact, default=0)
    return tuple(row for row, has in kept if has is None or _n_exact(has, values) == most)


def called_parameters(row: Row, rules: CallRules, is_added: bool) -> Parameters | None:
    """Returns the parameters that a call has arguments for: without the one that the receiver
    stands for."""
    has = _parameters_in(rules.head(row), row.name)
    return has.without_receiver() if has is not None and has.is_added and is_added else has


def are_alike(one: Row, other: Row, is_declared: bool) -> bool:
    """Whether two functions have the same parameters, like two variants that a condition selects.

    is_declared: whether one declares the other, so that names and values may differ.
    """
    its, others = parameters_of(one), parameters_of(other)
    if its is None or others is None:
        return False
    are_like = its.types == others.types and its.n_types == others.n_types
    return are_like and (is_declared or its.written == others.written)


def _takes_any(has: Parameters, arguments: Arguments, rules: CallRules) -> bool:
    """Whether a function takes arguments, with the block behind them or without it."""
    is_whole = arguments.has_block and _takes(has, arguments.with_block(), rules)
    return is_whole or _takes(has, arguments, rules)


def _takes(has: Parameters, arguments: Arguments, rules: CallRules) -> bool:
    n_given = len(arguments.values)
    if n_given > has.most or (n_given < has.least and not arguments.is_cut):
        return False
    is_inferred = has.n_types and not arguments.n_types
    if (arguments.n_types and arguments.n_types != has.n_types) or (is_inferred and not has.types):
        return False
    for number, argument in enumerate(arguments.values):
        if argument.label:
            name = rf"(?<![\w$]){re.escape(argument.label)}(?![\w$])"
            if not has.is_cut and not any(re.search(name, part) for part in has.written):
                return False
        elif number < len(has.types) - (has.most == _MANY):
            its = _class_of(has.types[number])
            is_optional = argument.kind == "nothing" and "?" in has.written[number]
            if _passing(has.written[number]) != _passing(argument.text):
                return False
            if its in _NEVER.get(argument.kind, ()) and not is_optional:
                return False
        if not argument.label and number < len(has.written) and (has.is_cut or has.most != _MANY):
            arity = arity_of_type(has.written[number], rules.functions)
            if 0 <= argument.arity != arity >= 0:
                return False
    return True


def _passing(text: str) -> str:
    """Returns the word for how a parameter or an argument is passed."""
    match = _REFERENCE.match(text)
    return match[1] if match is not None else ""


def _n_exact(has: Parameters, arguments: Sequence[Argument]) -> int:
    """Returns how many literals a function takes as what they are."""
    return sum(
        argument.kind == _class_of(its) and argument.kind in ("text", "truth")
        for argument, its in zip(arguments, has.types, strict=False)
    )


def _class_of(type_name: str) -> str:
    return "" if "[" in type_name else _CLASSES.get(type_name.rstrip("?!").lower(), "")


def _overrides(nearer: Parameters, farther: Parameters) -> bool:
    return len(nearer.types) == len(farther.types) and all(
        one == other or _ANY_TYPE.fullmatch(other) is not None
        for one, other in zip(nearer.types, farther.types, strict=True)
    )
