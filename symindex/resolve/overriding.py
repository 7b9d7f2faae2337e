"""Whether a method overrides another of its name, by what their parameters say."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from symindex.protocol.kinds import SymbolKind
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import Kind
from symindex.resolve.reading.expressions import OWN_TYPES
from symindex.resolve.reading.files import Files
from symindex.resolve.reading.overloads import parameters_of
from symindex.resolve.tree import Row

_SIGNS: Final = re.compile(
    r"@\w+(?:\([^()]*\))?|[?!&*\[\]]|\.\.\.|\b(?:inout|final|const|ref|out|in|params|vararg|this|some|any"
    r"|borrowing|consuming|sending|noinline|crossinline)\b(?!\s*[:.])"
)
"""What is around the name of a type and does not change which type it is."""

_MANY: Final = re.compile(r"\[\s*\]|\.\.\.|\bvararg\b|^\s*\[")
_NAME: Final = re.compile(r"[^\W\d][\w.]*")
_ARGUMENTS: Final = re.compile(r"<.*>")
_INDEXED: Final = re.compile(r"(?<=\w)\[[^\[\]]*\]")
_ATTRIBUTES: Final = re.compile(r"^\s*(?:\[[^\[\]]*\]\s*)+(?=\w)")
_OVERRIDES: Final = re.compile(r"\boverride\b")


class Parameter(NamedTuple):
    """A parameter as a signature has it. label: how calls name it. type: the last name of its type,
    or the whole type if it is no name. is_many: whether the type is one of several values. written:
    the type with its arguments."""

    label: str
    type: str
    is_many: bool
    written: str = ""


def _parameters(row: Row) -> list[Parameter] | None:
    """Returns the parameters of a function; `None` if its signature shows none."""
    has = parameters_of(row)
    return [parameter_in(one) for one in has.written] if has is not None else None


def parameter_in(text: str) -> Parameter:
    """Reads a parameter, with its type behind a colon or before its name."""
    given = text.partition("=")[0]
    whole = _type_in(given)
    before, sign, behind = _ARGUMENTS.sub("", given).partition(":")
    words = before.split()
    if sign:
        written, label = behind, words[0] if words else ""
    else:
        written, label = _ATTRIBUTES.sub("", before).strip().rpartition(" ")[0], ""
    bare = " ".join(_SIGNS.sub(" ", _INDEXED.sub("", written)).split())
    is_name = _NAME.fullmatch(bare) is not None
    is_many = _MANY.search(written if is_name else "") is not None or text.startswith("vararg ")
    return Parameter(label, bare.rpartition(".")[2] if is_name else bare, is_many, whole)


def _type_in(parameter: str) -> str:
    """Returns the type of a parameter with its arguments, without what is around its name."""
    before, sign, behind = parameter.partition(":")
    written = behind if sign else _ATTRIBUTES.sub("", before).strip().rpartition(" ")[0]
    return " ".join(_SIGNS.sub(" ", written).split())


def overriding(resolver: Resolver, own: Row, others: Sequence[Row]) -> list[tuple[Row, bool]]:
    """Returns which of several methods of one type, which have the name of a method above or below
    it, override that or are overridden by it, as far as parameters tell; and of each whether that
    is unsure."""
    files = resolver.files
    rules = files.rules_of(files.of(own))
    if rules is not None and rules.explicit:
        others = _explicit_first(files, own, others)
    by = rules.overriding if rules is not None else ""
    has = _parameters(own) if by else None
    if has is None:
        return [(row, False) for row in others[:1]]
    told = {row: _is_same(resolver, own, has, row, by == "labels") for row in others}
    same = [(row, False) for row, is_same in told.items() if is_same]
    unsure = [(row, True) for row, is_same in told.items() if is_same is None]
    return same[:1] or unsure[:1]


def _explicit_first(files: Files, own: Row, others: Sequence[Row]) -> list[Row]:
    """Returns the methods that may override one or be overridden by it: if one names the type of
    the other in its signature, no other method of its own type does."""

    def names(row: Row, of: Row) -> bool:
        beside = files.of(row).by_name.get(row.qualified_name, ())
        told = {files.explicit_type(one) for one in beside}
        interface, own_type = of.container.rpartition(".")[2], files.explicit_type(row)
        return own_type == (interface if interface in told else "")

    found = [row for row in others if names(own, row) and names(row, own)]
    return sorted(found, key=lambda row: not files.explicit_type(row))


def _signature(row: Row) -> str:
    return row.index.signature(row.number)


def _is_same(
    resolver: Resolver, own: Row, has: Sequence[Parameter], row: Row, has_labels: bool
) -> bool | None:
    """Whether the parameters of two methods have the same types; `None` if that is not known."""
    its = _parameters(row)
    if its is None:
        return True
    if len(its) != len(has):
        return False
    if has_labels and [one.label for one in its] != [one.label for one in has]:
        return False
    found = [
        _is_same_type(resolver, own, one, row, other) for one, other in zip(has, its, strict=True)
    ]
    if False in found:
        is_said = any(_OVERRIDES.search(_signature(one)) for one in (own, row))
        return None if is_said and not _has_namesakes(resolver, own) else False
    return None if None in found else True


def _has_namesakes(resolver: Resolver, row: Row) -> bool:
    return len(resolver.files.of(row).by_name.get(row.qualified_name, ())) > 1


def _is_same_type(
    resolver: Resolver, own: Row, one: Parameter, row: Row, other: Parameter
) -> bool | None:
    is_generic = is_parameter(resolver, own, one) or is_parameter(resolver, row, other)
    if is_generic or one.type.casefold() == other.type.casefold():
        return is_generic or one.is_many is other.is_many
    if "→" in one.type and "→" in other.type:
        return True  # functions, which are written in many ways
    if not (_NAME.fullmatch(one.type) and _NAME.fullmatch(other.type)):
        return None
    first, second = (types_of(resolver, own, one), types_of(resolver, row, other))
    if first is None or second is None:
        return None
    open_types = [at for at in (*first, *second) if at.kind is SymbolKind.TYPE]
    if first & second or any(at.container in (own.container, row.container) for at in open_types):
        return True  # an associated type is what a subtype makes it
    return None if open_types else False  # another name of a type without a name


def types_of(
    resolver: Resolver, row: Row, parameter: Parameter, written: str = ""
) -> frozenset[Row] | None:
    """Returns the types of a parameter, with aliases replaced by the types that they name. Empty if
    the tree does not define the type; `None` if it is not known.

    written: the type with its arguments, where types of one name differ in these.
    """
    file = resolver.files.of(row)
    rules = resolver.files.rules_of(file)
    if rules is not None and parameter.type in rules.any_types:
        return frozenset()
    resolver.work.begin()
    found = resolver.of_type(file, row.qualified_name, written or parameter.type)
    if found.kind not in (Kind.VALUE, Kind.FOREIGN):
        return None
    meant = [to for at in found.rows for to in resolver.lineages.meant(at) or [at]]
    return frozenset(to for to in meant if not resolver.lineages.meant(to))


def is_parameter(resolver: Resolver, row: Row, parameter: Parameter) -> bool:
    file = resolver.files.of(row)
    is_own = [parameter.type] in OWN_TYPES
    return is_own or file.parameter(row.qualified_name, parameter.type) is not None
