"""Which of several symbols of one whole name a use means: of overloads, by the arguments of a call;
of types with different numbers of type parameters, by where it is."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from symindex.extract.languages.schema import BindingRules
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag, SymbolKind
from symindex.resolve import sides
from symindex.resolve.arguments import Call, nearest_by_types
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import DOUBTFUL, Denoted, Kind, Place, is_named_as_its_type
from symindex.resolve.modules import extensions
from symindex.resolve.reach import is_parameter
from symindex.resolve.reading.excerpts import Mention
from symindex.resolve.reading.expressions import names_of
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.reading.overloads import (
    CallRules,
    are_alike,
    arguments_of,
    fitting_overloads,
)
from symindex.resolve.tree import Row


def fitting(
    resolver: Resolver, place: Place, rows: Sequence[Row], mention: Mention, container: str
) -> tuple[Row, ...]:
    """Returns the functions that a call may mean: those that take its arguments.

    rows: of one name, nearest first. container: the name of the type that has them.
    """
    rules = resolver.files.rules_of(resolver.files.of(rows[0])) or BindingRules()
    is_added = bool(mention.receiver) and names_of(mention.receiver)[-1:] != [container]
    arguments = arguments_of(mention.called, mention.name)
    if arguments is not None and _NO_BLOCK.search(mention.before):
        arguments = arguments._replace(has_block=False)
    called = CallRules(not rules.hides_overloads, rules.functions, resolver.heads.of)
    fit = fitting_overloads(rows, arguments, called, is_added=is_added)
    if len(fit) < 2 or arguments is None:
        return fit
    if arguments.has_block and not _MAY_BE_BASE.search(mention.before):
        arguments = arguments.with_block()
    place = place._replace(local=mention.given)
    call = Call(place, arguments.values, is_added, called)
    return nearest_by_types(resolver, call, fit)


_NO_BLOCK: Final = re.compile(r"^[\s}]*(?:else\s+)?(?:if|guard|while|for|switch)\b|\bnew\s+$")
"""What is before a call if a block behind it is no argument: that of a statement, or of a type."""

_MAY_BE_BASE: Final = re.compile(r"(?:[:,]|\bextends|\bwith)\s*$")
"""What is before the supertype of a type, whose block follows its arguments."""


def overloaded(
    resolver: Resolver, place: Place, receiver: Denoted, member: Denoted, mention: Mention
) -> Denoted:
    """Returns the functions that a call can mean, inherited ones included, where a type has several
    of one name; DOUBTFUL if none takes its arguments."""
    rules = resolver.files.rules_of(place.file)
    is_called = mention.role == "call" and member.kind is Kind.SYMBOL
    if rules is None or not (rules.overloads and is_called):
        return member
    if rules.hides_overloads and not _takes_over(resolver, receiver, mention.name):
        return member
    rows = resolver.overloads(receiver, mention.name)
    if not {*member.rows} <= {*rows} or len({row.container for row in rows}) == 1:
        return member
    container = rows[0].container.rpartition(".")[2]
    fit = fitting(resolver, place, rows, mention, container)
    return member._replace(rows=fit) if fit else DOUBTFUL


def _takes_over(resolver: Resolver, receiver: Denoted, name: str) -> bool:
    """Whether a type names functions of its supertypes as its own, beside those that it has."""
    types = [row for row in receiver.rows if resolver.files.is_type(row)]
    return any(resolver.files.of(row).facts_of(row, name) for row in types)


def are_of_one_arity(resolver: Resolver, one: Row, other: Row) -> bool:
    """Whether two types of one name have as many type parameters, or one is a single object, which
    has none."""
    if SymbolKind.MODULE in (one.kind, other.kind):
        return True
    return resolver.packages.arity(one) == resolver.packages.arity(other)


class Overloads:
    """The symbols of a file that have one whole name: functions that differ by their parameters,
    types that differ by the number of type parameters, members of such types.

    row: one of them.
    """

    def __init__(self, resolver: Resolver, row: Row) -> None:
        self.row = row
        self._resolver = resolver
        self._file: FileFacts = resolver.files.of(row)
        self._rules: BindingRules | None = resolver.files.rules_of(self._file)

    @property
    def _has_overloads(self) -> bool:
        return self._rules is not None and self._rules.overloads

    @cached_property
    def _others(self) -> list[Row]:
        """The others."""
        rows = self._file.by_name.get(self.row.qualified_name, ())
        if not self._has_overloads:
            return [row for row in rows if sides.are_apart(self._resolver, row, self.row)]
        return [row for row in rows if row != self.row and self._is_other(row)]

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The functions of one type with the symbol's name, the symbol first; none if it is the
        only one."""
        own = self.row
        rows = [
            row
            for row in self._others
            if row.kind in CALLABLE_KINDS
            and own.kind in CALLABLE_KINDS
            and self._is_beside(row)
            and not self.are_apart(row)
            and not extensions.are_apart(self._resolver.files, row, own)
        ]
        return (own, *rows) if rows else ()

    def _is_other(self, row: Row) -> bool:
        """Whether another definition is not the symbol's own, as one that is declared apart or
        chosen by a condition is."""
        own, resolver = self.row, self._resolver
        are_callable = [one.kind in CALLABLE_KINDS for one in (own, row)]
        if not self._is_beside(row) or self.are_apart(row):
            return True
        if all(are_callable):
            is_declared = bool((row.flags ^ own.flags) & SymbolFlag.DECLARATION)
            return not are_alike(row, own, is_declared)
        if any(are_callable):
            return not is_named_as_its_type(own) and not is_named_as_its_type(row)
        has_types = resolver.files.is_type(own) and resolver.files.is_type(row)
        return has_types and not are_of_one_arity(resolver, row, own)

    def are_apart(self, row: Row) -> bool:
        """Whether values of one type do not have both the symbol and another member."""
        files = self._resolver.files
        is_explicit = files.explicit_type(row) != files.explicit_type(self.row)
        return is_explicit or sides.are_apart(self._resolver, row, self.row)

    def _is_beside(self, row: Row) -> bool:
        """Whether a symbol and this one belong to the same type. Types that share a name differ in
        the number of their type parameters."""
        types = self._types
        return len(types) < 2 or any(
            self._resolver.packages.is_member(row, one)
            and self._resolver.packages.arity(one) == self._arity
            for one in types
        )

    @cached_property
    def _types(self) -> list[Row]:
        rows = self._file.by_name.get(self.row.container, ())
        return [row for row in rows if self._resolver.files.is_type(row)]

    @cached_property
    def _arity(self) -> int:
        """The number of type parameters of the type that the symbol is a member of."""
        packages = self._resolver.packages
        own = [one for one in self._types if packages.is_member(self.row, one)]
        return packages.arity((own or self._types)[0]) if self._types else 0

    def of_role(self, rows: tuple[Row, ...], mention: Mention) -> tuple[Row, ...]:
        """Returns the types among types and functions of this whole name where a type is named,
        else the functions. rows: what a use may mean."""
        own = (self.row, *self._others)
        types = tuple(row for row in own if self._resolver.files.is_type(row))
        if not (0 < len(types) < len(own) and {*rows} & {*own}):
            return rows
        is_type = mention.role not in ("call", "read") or mention.before.endswith("new ")
        fit = [row for row in own if (row in types) == is_type]
        return tuple(dict.fromkeys((*fit, *(row for row in rows if row not in own))))

    def are_one_type(self, row: Row) -> bool:
        """Whether the symbol is a type, and another definition of its whole name is of it: it has
        as many type parameters, and is no function."""
        files = self._resolver.files
        is_apart = self._has_overloads or self._resolver.packages.sees_files(self._file)
        if not files.is_type(self.row) or (is_apart and row.kind in CALLABLE_KINDS):
            return False
        is_packaged = self._resolver.is_packaged(self._file)
        return not is_packaged or are_of_one_arity(self._resolver, row, self.row)

    def are_meant_instead(self, path: str, mention: Mention, container: str) -> bool:
        """Whether a name is that of a type parameter, or of a member of a type around it that
        differs from the symbol's only in type parameters."""
        file = self._resolver.files.at(path)
        if file is None or self._rules is None or not self._resolver.files.rules_of(file):
            return False
        if is_parameter(file, mention, container):
            return True
        is_own = not mention.receiver or mention.receiver in self._rules.this
        return is_own and self._are_nearer(file, mention.line, container)

    def define(self, line: int) -> bool:
        """Whether a line of the symbol's file defines another of them, and not it."""
        return line != self.row.line and any(row.line == line for row in self._others)

    def is_defined_at(self, path: str, line: int) -> bool | None:
        """Whether the definition or declaration at a line is of the symbol and not of a type or
        value that shares its name, where files see each other by including them; `None` if that is
        not known."""
        packages, files = self._resolver.packages, self._resolver.files
        file = files.at(path)
        if file is None or not packages.sees_files(self._file):
            return None
        rows = [row for row in file.by_name.get(self.row.qualified_name, ()) if row.line == line]
        if not any(files.is_type(row) != files.is_type(self.row) for row in self._namesakes):
            return None
        told = [row == self.row or packages.are_one(row, self.row) for row in rows]
        return None if not told or None in told else any(told)

    @cached_property
    def _namesakes(self) -> list[Row]:
        """The symbols with the whole name of the symbol."""
        rows = self._resolver.files.named(self.row.name)
        return [row for row in rows if row.qualified_name == self.row.qualified_name]

    def _nearest(self, file: FileFacts, line: int, container: str) -> Row | None:
        """Returns the type around a line that has the whole name of the symbol's; `None` if the
        line is outside of it."""
        if not self._has_overloads or not self._types:
            return None
        if not f"{container}.".startswith(f"{self.row.container}."):
            return None
        around = [
            row
            for row in file.by_name.get(self.row.container, ())
            if self._resolver.files.is_type(row) and row.line <= line
        ]
        return max(around, key=lambda row: row.line, default=None)

    def _are_nearer(self, file: FileFacts, line: int, container: str) -> bool:
        """Whether a line is in a type that has the whole name of the symbol's, another number of
        type parameters, and a member of the symbol's name, which is nearer than the symbol."""
        nearest = self._nearest(file, line, container)
        if nearest is None or self._resolver.packages.arity(nearest) == self._arity:
            return False
        return bool(self._resolver.own_members(nearest, self.row.name))

    def here(self, denoted: Denoted, path: str, mention: Mention, container: str) -> Denoted:
        """Returns what a use denotes, with the symbol instead of the members of types that have the
        whole name of its own, where that is around the use."""
        twins = [row for row in self._others if not self._is_beside(row)]
        is_own = not mention.receiver or (self._rules and mention.receiver in self._rules.this)
        if not (is_own and path == self._file.path and {*twins} & {*denoted.rows}):
            return denoted
        if self._nearest(self._file, mention.line, container) is None:
            return denoted
        rows = (self.row if row in twins else row for row in denoted.rows)
        return denoted._replace(rows=tuple(dict.fromkeys(rows)))

    def meant(
        self, mention: Mention, denoted: Denoted, path: str, container: str
    ) -> tuple[Row, ...]:
        """Returns those that a use may mean, which may denote a function of their name: all if its
        arguments do not tell. container: of the use, in the file at `path`."""
        rows, file = self.rows, self._resolver.files.at(path)
        if not rows or denoted.kind not in (Kind.SYMBOL, Kind.UNKNOWN):
            return ()
        if mention.role != "call" or file is None:
            return rows
        place = Place(file, container, mention.given)
        own = self.row.container.rpartition(".")[2]
        return fitting(self._resolver, place, rows, mention, own) or rows
