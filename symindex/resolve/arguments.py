"""Which of several functions a call means, by the types of its arguments, as far as the code
declares them."""

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from symindex.extract.file_bindings import POINTER
from symindex.protocol.kinds import SymbolKind
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import Denoted, Kind, Place, is_type
from symindex.resolve.overriding import is_parameter, parameter_in, types_of
from symindex.resolve.reading.expressions import chain_of, names_of
from symindex.resolve.reading.function_types import arity_of_type
from symindex.resolve.reading.overloads import Argument, CallRules, called_parameters
from symindex.resolve.tree import Row

_MADE: Final = re.compile(r"new\s+(?P<type>[^\W\d][\w.:$]*)\s*(?=[({]|$)")
_CAST: Final = re.compile(r"\((?P<type>[^\W\d][\w.:$]*)\)\s*[\w(\"']")
_TAKEN_AS: Final = re.compile(r".*\sas\s+(?P<type>[^\W\d][\w.]*)")
_GIVEN_OUT: Final = re.compile(r"(?:ref|out|in|await)\s+(?!\w+\s+\w)")
_TYPE: Final = re.compile(r"[^\W\d][\w.]*(?:<[^()]*>)?")
_PLAIN: Final = re.compile(r"[^\W\d][\w.]*")


class Fit(IntEnum):
    """How the type of a parameter fits that of an argument. OPEN: it is not known whether it
    does."""

    NOT = 0
    OPEN = 1
    ABOVE = 2
    SAME = 3


class ArgumentType(NamedTuple):
    """The type of an argument. row: of a type that the tree defines. lineage: it and its
    supertypes. name: of a type that the tree does not define, with its arguments, without white
    space."""

    row: Row | None
    lineage: tuple[Row, ...] = ()
    is_whole: bool = True
    name: str = ""


class _Fitted(NamedTuple):
    """How a parameter fits an argument, and the types of the parameter. is_foreign: whether the
    tree does not define its type, which is below none of the tree's."""

    fit: Fit
    types: frozenset[Row] = frozenset()
    is_foreign: bool = False


class Call(NamedTuple):
    """A call of one of several functions.

    place: of it; `local` has what is declared of the names of its arguments. is_added: as in
    `fitting_overloads`.
    """

    place: Place
    values: Sequence[Argument]
    is_added: bool
    rules: CallRules


def nearest_by_types(resolver: Resolver, call: Call, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Returns the functions without those that another one fits better, by the types of
    arguments."""
    values = call.values
    types = [_type_of(resolver, call.place, value) for value in values]
    if not any(types) and all(value.kind != "function" for value in values):
        return tuple(rows)
    fitted = [
        [_fit(resolver, call, row, number, its) for number, its in enumerate(types)] for row in rows
    ]
    unknown = [number for number, its in enumerate(types) if its is None]
    taken = [_taken(call, row, unknown) for row in rows]
    return tuple(
        row
        for row, own, at in zip(rows, fitted, taken, strict=True)
        if not any(
            _is_better(resolver, other, own, are_alike=at == its)
            for other, its in zip(fitted, taken, strict=True)
            if other is not own
        )
    )


def _taken(call: Call, row: Row, numbers: Sequence[int]) -> list[str]:
    """Returns the types of the parameters that take some arguments, as they are written."""
    has = called_parameters(row, call.rules, call.is_added)
    return [has.types[at] for at in numbers if has is not None and at < len(has.types)]


def _is_better(
    resolver: Resolver, one: Sequence[_Fitted], other: Sequence[_Fitted], *, are_alike: bool
) -> bool:
    """Whether a function fits some argument better than another one does, and none worse.
    are_alike: whether both take the arguments of unknown types alike; else these decide."""
    pairs = [*zip(one, other, strict=True)]
    if any(mine.fit is Fit.NOT or _wins(resolver, its, mine) for mine, its in pairs):
        return False
    if not are_alike and all(its.fit is not Fit.NOT for its in other):
        return False
    return any(_wins(resolver, mine, its) for mine, its in pairs)


def _wins(resolver: Resolver, one: _Fitted, other: _Fitted) -> bool:
    """Whether a parameter fits an argument better than another one."""
    if one.fit is Fit.SAME:
        return other.fit is not Fit.SAME
    if one.fit is not Fit.ABOVE:
        return False
    if other.fit is Fit.ABOVE and not one.types & other.types:
        return any(other.types & {*resolver.lineages.of(row)[0]} for row in one.types)
    return other.fit is Fit.NOT or other.is_foreign


def _fit(
    resolver: Resolver, call: Call, row: Row, number: int, its: ArgumentType | None
) -> _Fitted:
    has, value = called_parameters(row, call.rules, call.is_added), call.values[number]
    is_function = value.kind == "function"
    if has is None or (its is None and not is_function):
        return _Fitted(Fit.OPEN)
    if value.is_block and number >= has.most:
        return _Fitted(Fit.NOT)
    if value.label:
        name = re.compile(rf"(?<![\w$]){re.escape(value.label)}(?![\w$])")
        number = next((at for at, one in enumerate(has.written) if name.search(one)), _NOWHERE)
    is_last = number == len(has.written) - 1
    if not number < len(has.written) or (is_last and has.is_cut):
        return _Fitted(Fit.OPEN)
    if is_function and arity_of_type(has.written[number], call.rules.functions) >= 0:
        return _Fitted(Fit.ABOVE)
    parameter = parameter_in(has.written[number])
    if parameter.is_many or is_parameter(resolver, row, parameter):
        return _Fitted(Fit.OPEN)
    if not _PLAIN.fullmatch(parameter.type):
        return _Fitted(Fit.OPEN)
    types = types_of(resolver, row, parameter, parameter.written)
    if types is None or (types and parameter.type not in {one.name for one in types}):
        return _Fitted(Fit.OPEN)
    if its is None:
        is_not = bool(types) and all(one.kind in _MADE_KINDS for one in types)
        return _Fitted(Fit.NOT if is_not else Fit.OPEN, types)
    if its.row is None:
        if types:
            return _Fitted(Fit.NOT, types)
        is_same = "".join(parameter.written.split()) == its.name
        return _Fitted(Fit.SAME if is_same else Fit.OPEN, is_foreign=True)
    if its.row in types:
        return _Fitted(Fit.SAME, types)
    if types & {*its.lineage}:
        return _Fitted(Fit.ABOVE, types)
    is_not = bool(types) or _is_no_base(its, parameter.type)
    return _Fitted(Fit.NOT if is_not else Fit.OPEN, types, is_foreign=not types)


_MADE_KINDS: Final = frozenset({SymbolKind.CLASS, SymbolKind.STRUCT, SymbolKind.ENUM})
"""Kinds of types that no anonymous function is a value of."""

_NOWHERE: Final = 10**6


def _is_no_base(its: ArgumentType, name: str) -> bool:
    """Whether a type of the tree is not below a type that the tree does not define: all of its
    supertypes are known, and that one is not above all types."""
    return its.is_whole and name.rpartition(".")[2] not in _ABOVE_ALL


_ABOVE_ALL: Final = frozenset({"object", "Object", "Any", "AnyRef", "AnyObject", "dynamic", "auto"})
"""Types that every value has."""


def _type_of(resolver: Resolver, place: Place, value: Argument) -> ArgumentType | None:
    """Returns the type of an argument; `None` if the code does not declare it."""
    if value.kind not in ("", "made"):
        return None
    text = _GIVEN_OUT.sub("", value.text.strip())
    made = _MADE.match(text) or _CAST.match(text) or _TAKEN_AS.fullmatch(text)
    if made is not None:
        return _named(resolver, place, made["type"])
    chain = chain_of(text)
    if not chain or any(step.n_indexes or step.reach for step in chain):
        return None
    denoted = resolver.followed(place, chain)
    if denoted.kind is Kind.VALUE:
        is_around = any(resolver.means_around(place, chain[0].name))
        is_clear = not is_around or all(_is_only(resolver, row) for row in denoted.rows)
        return _of_value(resolver, denoted) if is_clear else None
    is_name = len(chain) == 1 and not chain[0].is_called and denoted.kind is Kind.FOREIGN
    return _declared(resolver, place, chain[0].name) if is_name else None


def _is_only(resolver: Resolver, row: Row) -> bool:
    """Whether no other type in the file of a type has its whole name, with other parameters."""
    return len(resolver.files.of(row).types_by_name.get(row.qualified_name, ())) < 2


def _named(resolver: Resolver, place: Place, name: str) -> ArgumentType | None:
    denoted = resolver.of_type(place.file, place.container, name)
    if denoted.kind is Kind.FOREIGN:
        return ArgumentType(None, name=name)
    return _of_value(resolver, denoted)


def _of_value(resolver: Resolver, denoted: Denoted) -> ArgumentType | None:
    is_plain = not (denoted.is_boxed or denoted.is_wrapped) and len(denoted.rows) == 1
    if denoted.written is not None and is_plain:  # else of what is in a type
        is_plain = [names_of(denoted.written.text.partition("<")[0])[-1:]] == [
            [denoted.rows[0].name]
        ]
    if not is_plain or not is_type(denoted.rows[0]):
        return None
    lineage, is_whole = resolver.lineages.of(denoted.rows[0])
    return ArgumentType(denoted.rows[0], lineage, is_whole)


def _declared(resolver: Resolver, place: Place, name: str) -> ArgumentType | None:
    """Returns the type of a library that a local name or a field is declared to be of."""
    texts = place.local.get(name, [])
    if not texts:
        found = resolver.name(place, name)
        rows = found.rows if found.kind is Kind.SYMBOL else ()
        texts = [f":{fact.type}" for row in rows for fact in resolver.files.of(row).facts_of(row)]
    if len(texts) != 1:
        return None
    text = texts[0][1:].rstrip(POINTER).strip()
    made = _MADE.match(text) if texts[0][0] == "=" else None
    type_ = made["type"] if made is not None else text
    is_plain = _TYPE.fullmatch(type_) is not None and (texts[0][0] == ":" or made is not None)
    return ArgumentType(None, name="".join(type_.split())) if is_plain else None
