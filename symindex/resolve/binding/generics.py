"""What type parameters stand for: the arguments that the type of a value gives to them, or that a
type between gives to its base."""

from symindex.extract.file_bindings import NO_SYMBOL, PARAMETER, POINTER
from symindex.protocol.kinds import CALLABLE_KINDS
from symindex.resolve.binding.core import Core
from symindex.resolve.denoted import UNKNOWN, Denoted, Kind, Place, Written, is_type
from symindex.resolve.reading.expressions import Step, arguments_in, types_in
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.tree import Row


class Generics(Core):
    """The part of a resolver for these."""

    def given(
        self, place: Place, receiver: Denoted, found: Denoted, step: Step, depth: int
    ) -> Denoted | None:
        """Returns what a member of a value denotes whose declared type is a type parameter: UNKNOWN
        if nothing says what it stands for. `None` if it is none, or one of the code around.

        found: the member. step: names it.
        """
        is_one = receiver.kind is Kind.VALUE and len(receiver.rows) == 1
        if found.kind is not Kind.SYMBOL or not is_one or depth <= 0:
            return None
        member = found.rows[0]
        if (member.kind in CALLABLE_KINDS) != step.is_called:
            return None
        file = self.files.of(member)
        name = self._type_name(file, member)
        owners = [
            row for row in file.by_name.get(member.container, ()) if name in file.parameters(row)
        ]
        if not owners:
            return None
        owner = owners[0]
        argument = self._argument_for(receiver.rows[0], receiver.written, owner, name, depth)
        if argument is None:
            is_inside = f"{place.container}.".startswith(f"{owner.qualified_name}.")
            return None if is_inside else UNKNOWN
        sign = POINTER if file.facts_of(member)[0].type.endswith(POINTER) else ""
        text = f"{argument.text}{sign}"
        return self.of_type(argument.file, argument.container, text, depth - 1)

    def inherited_of(self, place: Place, found: Denoted, step: Step, depth: int) -> Denoted | None:
        """Returns what a member of the value around denotes whose declared type is a type parameter
        of a supertype; `None` for anything else."""
        containers = {row.container for row in found.rows}
        around = self.type_around(place) if len(containers) == 1 and step.name else None
        if around is None or found.kind is not Kind.SYMBOL or not found.rows[0].container:
            return None
        if around.qualified_name in containers or is_type(found.rows[0]):
            return None
        return self.given(place, Denoted(Kind.VALUE, (around,)), found, step, depth)

    def written_by(self, place: Place, step: Step) -> Written | None:
        """Returns the type of what a step makes, as it is written, if it has arguments."""
        text = f"{step.name}{step.types}" if step.is_called and step.types else ""
        return Written(place.file, place.container, text) if text else None

    def _type_name(self, file: FileFacts, member: Row) -> str:
        """Returns the name of the only type that a member, or its result, is declared to be of;
        empty for a type parameter of its own."""
        rules = self.files.rules_of(file)
        facts = file.facts_of(member)
        names = types_in(facts[0].type, rules.wrappers) if rules and len(facts) == 1 else []
        is_own = len(names) == 1 and bool(file.facts_of(member, PARAMETER.format(names[0])))
        return names[0] if len(names) == 1 and not is_own else ""

    def _argument_for(
        self, type_row: Row, written: Written | None, owner: Row, name: str, depth: int
    ) -> Written | None:
        """Returns the argument that a type gives to a parameter of itself or of one of its
        supertypes. written: the type with its own arguments."""
        if depth <= 0 or self.work.is_spent():
            return None
        if type_row.qualified_name == owner.qualified_name and type_row.file == owner.file:
            return self._own_argument(type_row, written, name)
        file = self.files.of(type_row)
        number = file.numbers.get(type_row, NO_SYMBOL)
        aliased = [fact.type for fact in file.facts_of(type_row) if fact.type]
        for text in (*file.bases.get(number, ()), *aliased):
            for base in self.lineages.base(type_row, text, depth - 1).rows:
                if base == type_row or owner not in self.lineages.of(base)[0]:
                    continue
                inner = Written(file, type_row.qualified_name, text)
                found = self._argument_for(base, inner, owner, name, depth - 1)
                if found is None or found.file is not file:
                    return found
                own = self._own_argument(type_row, written, found.text)
                return own if own is not None else found
        return None

    def _own_argument(self, type_row: Row, written: Written | None, name: str) -> Written | None:
        """Returns the argument of a type for one of its own parameters."""
        names = self.files.of(type_row).parameters(type_row)
        if written is None or name not in names:
            return None
        arguments = arguments_in(written.text, type_row.name)
        number = names.index(name)
        return written._replace(text=arguments[number]) if number < len(arguments) else None
