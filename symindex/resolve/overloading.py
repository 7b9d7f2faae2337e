"""Which of the functions that a type has of one name a use means."""

from collections.abc import Sequence
from functools import cached_property

from symindex.extract.languages.schema import BindingRules
from symindex.protocol.kinds import CALLABLE_KINDS
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import Denoted, Kind
from symindex.resolve.reading.excerpts import Mention
from symindex.resolve.reading.expressions import names_of
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.reading.overloads import are_alike, arguments_of, fitting_overloads
from symindex.resolve.tree import Row


def fitting(
    rules: BindingRules, rows: Sequence[Row], mention: Mention, container: str
) -> tuple[Row, ...]:
    """Returns the functions that a call may mean: those that take its arguments.

    rows: of one name, nearest first. container: the name of the type that has them.
    """
    is_added = bool(mention.receiver) and names_of(mention.receiver)[-1:] != [container]
    arguments = arguments_of(mention.called, mention.name)
    return fitting_overloads(
        rows, arguments, is_added=is_added, has_defaults=not rules.hides_overloads
    )


class Overloads:
    """The functions that have the name and the type of a symbol, itself included; none if it is
    the only one.

    row: the symbol.
    """

    def __init__(self, resolver: Resolver, row: Row) -> None:
        self.row = row
        self._resolver = resolver
        self._file: FileFacts = resolver.files.of(row)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The functions, the symbol first."""
        own, rules = self.row, self._resolver.files.rules_of(self._file)
        if rules is None or not rules.overloads or own.kind not in CALLABLE_KINDS:
            return ()
        rows = [
            row
            for row in self._file.by_name.get(own.qualified_name, ())
            if row.kind in CALLABLE_KINDS and not self._is_own(row)
        ]
        return (own, *rows) if rows else ()

    def _is_own(self, row: Row) -> bool:
        """Whether a function is the symbol, as it is declared apart or chosen by a condition, or
        whether another type has it."""
        packages = self._resolver.packages
        if row == self.row or packages.are_one(row, self.row) or are_alike(row, self.row):
            return True
        types = [
            one
            for one in self._file.by_name.get(self.row.container, ())
            if self._resolver.files.is_type(one)
        ]
        return len(types) > 1 and not any(
            packages.is_member(row, one) and packages.is_member(self.row, one) for one in types
        )

    def defines(self, line: int) -> bool:
        """Whether a line of the symbol's file defines another of the functions, and not it."""
        return line != self.row.line and any(row.line == line for row in self.rows)

    def meant(self, mention: Mention, denoted: Denoted) -> tuple[Row, ...]:
        """Returns those that a use may mean, which denotes a function of their name: all if its
        arguments do not tell."""
        rows = self.rows
        if not rows or denoted.kind is not Kind.SYMBOL:
            return ()
        rules = self._resolver.files.rules_of(self._file)
        if mention.role != "call" or rules is None:
            return rows
        container = self.row.container.rpartition(".")[2]
        return fitting(rules, rows, mention, container) or rows
