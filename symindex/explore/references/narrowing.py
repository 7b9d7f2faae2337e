"""Decides which occurrences of a name mean one symbol: by what they are bound to (`binding`), else
as far as names can tell.

The rules about names:

- where the symbol is visible;
- a method has a receiver, a function does not;
- a member of `self` belongs to the type around it;
- a file that defines a namesake means its own, and so does a function with a parameter or variable
  of that name;
- in a language that imports names, a file uses no foreign name without an import.

An occurrence that contradicts a rule means another symbol. If no rule decides, it may mean another
symbol where namesakes exist.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from symindex.explore.references.module_judge import UNSURE, ModuleJudge, Verdict
from symindex.explore.references.module_paths import folder_of
from symindex.explore.references.receivers import OF_ALL, is_value, last_name
from symindex.explore.references.scopes import Scope, depth_of, scopes_around
from symindex.explore.references.shadows import OF_TYPES, Shadows
from symindex.explore.references.symbol_facts import Namesakes, SymbolFacts
from symindex.explore.references.unseen import (
    ALSO_USES,
    has_other_whole_name,
    is_given_to_macro,
    is_named_by_chance,
    is_of_local_object,
    is_plain_variable,
    is_unseen,
    of_constructor,
)
from symindex.extract.file_bindings import DEFAULT
from symindex.extract.parse.roles import DEFINING
from symindex.protocol.kinds import SymbolKind
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import Kind
from symindex.resolve.judge import Answer, BoundUse
from symindex.resolve.reading.excerpts import NOT_BOUND, NOT_KNOWN, Mention
from symindex.resolve.reading.expressions import types_in
from symindex.resolve.reading.files import is_title
from symindex.resolve.rule_names import rule_of, rule_of_bare
from symindex.resolve.tree import Row, Tree
from symindex.resolve.uses import Bound
from symindex.text.folding import fold, squash


class Judgement(NamedTuple):
    """Whether an occurrence means the symbol.

    Attributes:
        others: how many other symbols it may mean, as far as that is known.
        bound: what the resolver bound it to; `None` if names decided.
    """

    verdict: Verdict
    others: int = 0
    bound: Bound | None = None


class ReferenceJudge:
    """Judges occurrences of the name of one symbol.

    Attributes:
        row: the symbol. with_overloads: whether its overloads count as the symbol itself.
        n_namesakes: other symbols with its name.
        modules: judges modules and qualifiers by the symbol's place.
    """

    def __init__(self, tree: Tree, row: Row, with_overloads: bool = False) -> None:
        self.row = row
        self._tree = tree
        self._symbol = SymbolFacts(tree, row)
        self._namesakes = Namesakes(self._symbol)
        self.modules: ModuleJudge = ModuleJudge(self._symbol, self._namesakes)
        self.n_namesakes: int = self._namesakes.count
        self._uses = BoundUse(tree, row, with_overloads)

    def judge(
        self, path: str, language: str, mentions: Sequence[Mention], scopes: Sequence[Scope]
    ) -> list[Verdict]:
        """Returns one verdict per mention of a file. scopes: the scope around each mention."""
        return [one.verdict for one in self.judgements(path, language, mentions, scopes)]

    def judgements(
        self, path: str, language: str, mentions: Sequence[Mention], scopes: Sequence[Scope]
    ) -> list[Judgement]:
        """Returns the verdicts with what decided them."""
        by_names = self._by_names(path, language, mentions, scopes)
        verdicts = [
            one if scope.names or mention.role in DEFINING else self._narrowed(mention, one)
            for mention, scope, one in zip(mentions, scopes, by_names, strict=True)
        ]
        if not self._uses.is_ruled or language not in self._symbol.family:
            return [self._of_names(verdict) for verdict in verdicts]
        facts = [*zip(mentions, scopes, verdicts, strict=True)]
        judgements = [self._bound(path, *fact) for fact in facts]
        if path == self._symbol.path or not is_given_to_macro(self._symbol, mentions, scopes):
            return judgements
        return [
            Judgement(Verdict.MAY_BE, one.others, one.bound) if one.verdict is Verdict.IS else one
            for one in judgements
        ]

    def _narrowed(self, mention: Mention, verdict: Verdict) -> Verdict:
        if mention.is_datum and verdict is Verdict.IS:
            return Verdict.MAY_BE
        return of_constructor(self._symbol, self.row, mention, verdict)

    def _of_names(self, verdict: Verdict) -> Judgement:
        return Judgement(verdict, self.n_namesakes if verdict in UNSURE else 0)

    @property
    def resolver(self) -> Resolver:
        return self._uses.resolver

    @property
    def family(self) -> frozenset[str]:
        """The languages whose code can use the symbol."""
        return self._symbol.family

    @property
    def aliases(self) -> list[str]:
        """The other names under which files import the symbol."""
        return self._uses.aliases

    def rule(self, path: str, mention: Mention, judgement: Judgement) -> str:
        """Says by which rule a use was bound to the symbol; as in `protocol/explore.Reference`."""
        if mention.role == "import":
            return "import"
        if judgement.bound is not None:
            return rule_of(judgement.bound, path, mention)
        is_near = folder_of(path) == folder_of(self._symbol.path) or bool(mention.imports)
        is_by_name = mention.receiver or judgement.verdict in UNSURE or not self._uses.is_ruled
        if is_by_name or not is_near:
            return "name"
        return rule_of_bare(mention, path == self._symbol.path)

    def judge_alias(self, path: str, mention: Mention, scope: Scope) -> Judgement | None:
        """Judges a use of another name; `None` if it is not certainly one of the symbol. An import
        is listed by the name that it renames, if there is one."""
        names = [one[2] for one in mention.imports if one[0] == mention.name]
        if mention.role == "import" and not {*names} & {"", DEFAULT}:
            return None
        answer, bound = self._uses.finding(path, mention, scope.qualified_name)
        return Judgement(Verdict.IS, 0, bound) if answer is Answer.OWN else None

    def _by_names(
        self, path: str, language: str, mentions: Sequence[Mention], scopes: Sequence[Scope]
    ) -> list[Verdict]:
        symbol = self._symbol
        is_other_use = self._namesakes.are_for_others and not symbol.is_test(path)
        is_other_use = is_other_use or is_title(self.row)  # which no code names
        if language not in symbol.family or is_other_use:
            return [Verdict.OTHER] * len(mentions)
        if not symbol.is_visible_in(path):
            opened = (symbol.opens(mention.receiver) for mention in mentions)
            return [Verdict.MAY_BE if is_open else Verdict.OTHER for is_open in opened]
        pairs = [*zip(mentions, scopes, strict=True)]
        shadows = Shadows(pairs, self.row.qualified_name, path == symbol.path)
        if symbol.is_member:
            hides = self._hides(pairs, shadows, language)
            return [
                self._of_definition(path, scope)
                if scope.names
                else self._of_clause(path, scope)
                if mention.role in DEFINING
                else Verdict.OTHER
                if hides(mention, scope)
                else Verdict.IS
                if path == symbol.path and shadows.bind(mention) == self.row.qualified_name
                else self._of_member(path, mention, scope)
                for mention, scope in pairs
            ]
        bare = self._of_bare_name(path, mentions)
        return [self._of_non_member(path, *pair, shadows, bare) for pair in pairs]

    def _bound(self, path: str, mention: Mention, scope: Scope, verdict: Verdict) -> Judgement:
        """Returns the verdict of the resolver, if it has one, instead of one by names."""
        is_name = bool(scope.names) or mention.role in DEFINING
        is_own = mention.role in DEFINING and verdict is Verdict.IS
        # An embedded type names its field as well.
        is_use = mention.holders or (mention.role in ALSO_USES and verdict is not Verdict.IS)
        if is_name and (is_own or not is_use):
            is_here = self._uses.is_defined_at(path, mention.line) if scope.names else None
            is_other = scope.names and self._uses.defines_overload(path, mention.line)
            if is_here is None and not is_other:
                return self._of_names(verdict)
            return self._of_names(Verdict.IS if is_here else Verdict.OTHER)
        answer, bound = self._uses.finding(path, mention, scope.qualified_name)
        if answer in (Answer.OWN, Answer.OTHER):
            return Judgement(Verdict.IS if answer is Answer.OWN else Verdict.OTHER, 0, bound)
        if answer is Answer.AMONG and bound is not None:
            return Judgement(Verdict.MAY_BE, self._uses.count_others(bound), bound)
        is_doubtful = (
            answer is Answer.POSSIBLE
            or self._may_be_unnamed(mention)
            or is_named_by_chance(self._symbol, path, mention)
        )
        is_of_any = not mention.receiver or self._uses.is_of_given_value(mention)
        is_open = bool(mention.holders) or is_of_any or verdict is Verdict.UNKNOWN
        is_of_few = bound is not None and bound.denoted.kind is Kind.SYMBOL
        is_possible = (is_open or is_of_few) and answer is Answer.POSSIBLE
        is_marked = is_possible or (
            verdict is Verdict.IS and (is_doubtful or self._is_of_any_value(mention))
        )
        by_names = self._of_names(Verdict.MAY_BE if is_marked else verdict)
        is_sure = by_names.verdict not in UNSURE
        others = self._uses.count_others(bound) if bound is not None and not is_sure else 0
        return Judgement(by_names.verdict, others, bound) if others else by_names

    def _is_of_any_value(self, mention: Mention) -> bool:
        """Whether a member is taken from a value that nothing tells the type of: a library's may
        have a member of this name."""
        symbol, name = self._symbol, last_name(mention.receiver)
        if not symbol.is_member or not mention.receiver or mention.receiver in symbol.own:
            return False
        declared = [
            last_name(type_name)
            for text in mention.local.get(mention.receiver, ())
            for type_name in (types_in(text[1:]) if text[:1] == ":" else ())
        ]
        is_declared = symbol.container in declared  # as a library's type, which code extends
        is_named = squash(fold(name)) == squash(fold(symbol.container))
        is_of_other = self.n_namesakes and self._uses.is_of_field
        is_named = is_named and not (is_of_other or self._uses.is_in_function)
        return not is_declared and not is_named  # fields of many types may have one name

    def _may_be_unnamed(self, mention: Mention) -> bool:
        """Whether a receiver of an unknown type may be of a type without a name, where most code
        names types by what they have."""
        is_member_of_value = self._symbol.is_member and bool(mention.receiver)
        return self._symbol.rules.structural and (bool(mention.local) or is_member_of_value)

    # Definitions

    def _of_definition(self, path: str, scope: Scope) -> Verdict:
        """Judges a place that is the name of a symbol."""
        symbol = self._symbol
        if scope.qualified_name != self.row.container:
            return Verdict.OTHER
        if path == symbol.path:
            return Verdict.IS
        is_elsewhere = symbol.is_member or (
            scope.names == "declaration" and not symbol.rules.imports_names
        )
        is_own = is_elsewhere and path not in self._namesakes.twin_paths
        return Verdict.IS if is_own else Verdict.OTHER

    def _of_clause(self, path: str, scope: Scope) -> Verdict:
        """Judges the head of a further clause or a specification: the symbol's own if it is in
        its code or next to it."""
        is_own = path == self._symbol.path and scope.qualified_name in (
            self.row.qualified_name,
            self.row.container,
        )
        return Verdict.IS if is_own else Verdict.OTHER

    # Members

    def _hides(
        self, pairs: Sequence[tuple[Mention, Scope]], shadows: Shadows, language: str
    ) -> Callable[[Mention, Scope], bool]:
        """Returns a function that tells whether a bare name is a variable's, where members are
        used by bare names. The body of a type binds its own members."""
        if self._symbol.needs_receiver:
            return lambda mention, scope: False
        if any(mention.binding != NOT_KNOWN for mention, _ in pairs):
            rules = self._tree.languages.by_id.get(language)
            calls_apart = rules is not None and rules.rules.roles.calls_apart
            return lambda mention, scope: (
                not (calls_apart and mention.role == "call") and shadows.hide(mention, scope)
            )
        if self.row.kind is not SymbolKind.METHOD and not self._symbol.rules.bare_calls:
            return lambda mention, scope: False
        outside = [
            (mention, scope)
            for mention, scope in pairs
            if scope.qualified_name != self.row.container
        ]
        local = Shadows(outside, self.row.qualified_name, False)
        return lambda mention, scope: (
            mention.role == "read" and not mention.is_variable and local.hide(mention, scope)
        )

    def _of_member(self, path: str, mention: Mention, scope: Scope) -> Verdict:
        """Judges an occurrence of a member's name: by its use, then by where it is written, then
        by its receiver."""
        symbol, namesakes, receiver = self._symbol, self._namesakes, mention.receiver
        if receiver in OF_ALL or (mention.is_variable and symbol.is_called):
            return Verdict.OTHER
        if is_plain_variable(symbol, self.row, mention):
            return Verdict.OTHER
        if namesakes.has_twin_by_use and symbol.is_called != (mention.role == "call"):
            return Verdict.OTHER
        if mention.is_label and self.row.kind in (SymbolKind.METHOD, SymbolKind.CONSTRUCTOR):
            return Verdict.OTHER
        if mention.role == "import":  # rare, and then from the member's type
            return Verdict.IS if last_name(receiver) == symbol.container else Verdict.OTHER
        around = scope.qualified_name.split(".")
        is_inside = symbol.container in around and path not in namesakes.twin_paths
        if namesakes.has_like_type:
            is_inside = f"{scope.qualified_name}.".startswith(f"{self.row.container}.")
        is_inside = is_inside and not self._uses.is_in_namesake(path, scope.qualified_name)
        is_own = not receiver or receiver in symbol.own - symbol.above
        inner_types = self._types_around(mention, scope)
        if is_inside and is_own:
            below = around[around.index(symbol.container) + 1 :]
            if not inner_types.isdisjoint(below):  # a type inside has its own member of this name
                return Verdict.OTHER
        if receiver in symbol.above:
            return Verdict.OTHER if is_inside else Verdict.MAY_BE
        if receiver in symbol.own or (not receiver and not symbol.needs_receiver):
            if is_inside:
                return Verdict.MAY_BE if mention.is_label else Verdict.IS
            is_open = not inner_types and path not in namesakes.twin_paths
            by_name = Verdict.MAY_BE if self._uses.is_ruled else self._by_name_alone
            return by_name if is_open else Verdict.OTHER
        if not receiver:
            return self._of_bare_member(path, mention, scope)
        return self._of_taken_member(mention)

    def _of_bare_member(self, path: str, mention: Mention, scope: Scope) -> Verdict:
        """Judges a member's name without a receiver, where members need one. In the body of the
        type it may be the member; elsewhere only where a value gets its fields, or a pattern takes
        them from one."""
        is_at_type = scope.qualified_name == self.row.container and not mention.holders
        if is_at_type and path not in self._namesakes.twin_paths:
            return Verdict.IS
        is_set = mention.role == "write" and not mention.is_bound
        return Verdict.MAY_BE if is_set else self._of_pattern(mention)

    def _of_pattern(self, mention: Mention) -> Verdict:
        """Judges a bare name that is a member only in a pattern, which takes it from some value."""
        if not (mention.is_bound and mention.holders):
            return Verdict.OTHER
        return Verdict.MAY_BE if self._by_name_alone is Verdict.IS else Verdict.UNKNOWN

    def _of_taken_member(self, mention: Mention) -> Verdict:
        """Judges a member's name by its receiver, which is not the type around it."""
        container, types = self._symbol.container, self._namesakes.named_types
        name = last_name(mention.receiver)
        if self.modules.is_taken_from_elsewhere(mention):
            is_open = name == container or name not in types
            return Verdict.MAY_BE if is_open else Verdict.OTHER
        if name == container:
            is_unclear = self._namesakes.twin_paths or self._namesakes.has_like_type
            return Verdict.MAY_BE if is_unclear else Verdict.IS
        if squash(fold(name)) == squash(fold(container)):
            return self._by_name_alone  # `cart.total`: the variable may be of any type
        is_of_other = name in types and not mention.receiver.endswith(")")
        is_unknown = self._by_name_alone is Verdict.MAY_BE
        return Verdict.OTHER if is_of_other else Verdict.UNKNOWN if is_unknown else Verdict.IS

    # Functions, types and variables

    def _of_non_member(
        self, path: str, mention: Mention, scope: Scope, shadows: Shadows, bare: Verdict
    ) -> Verdict:
        """Judges an occurrence of the name of a symbol that is not a member. bare: the verdict on
        a name without a receiver in this file."""
        if scope.names and mention.role not in ALSO_USES:
            is_other = has_other_whole_name(self.row, mention)
            return Verdict.OTHER if is_other else self._of_definition(path, scope)
        if mention.role in DEFINING:
            return self._of_clause(path, scope)
        if mention.is_module or self._is_hidden_by_nearer(path, mention, scope):
            return Verdict.OTHER
        if not mention.receiver and is_unseen(self._symbol, self.row, mention, scope):
            return Verdict.OTHER
        if not mention.receiver and self._symbol.is_key:
            return self._of_pattern(mention)
        symbol = self._symbol
        if shadows.hide(mention, scope):
            is_open = shadows.may_hide(mention, scope) or symbol.may_be_supplied(path)
            return Verdict.MAY_BE if is_open else Verdict.OTHER
        if mention.is_variable and symbol.is_fixed:
            return Verdict.OTHER
        is_bare_write = mention.role == "write" and not (mention.receiver or mention.is_bound)
        if mention.is_label or (is_bare_write and self._is_never_written(path)):
            return Verdict.OTHER
        if mention.role == "import":
            is_other_file = path != symbol.path
            return (
                self.modules.of_import(path, mention.receiver) if is_other_file else Verdict.OTHER
            )
        if mention.receiver:
            return self._of_taken(path, mention, scope, bare)
        if mention.is_of_value and symbol.is_free and not symbol.rules.modules_by_dot:
            return Verdict.OTHER
        # A file that defines both a type and a value of this name: the use tells them apart.
        if symbol.rules.types_apart and path in self._namesakes.twin_paths:
            return bare if symbol.is_type == (mention.role in OF_TYPES) else Verdict.OTHER
        return bare

    def _of_taken(self, path: str, mention: Mention, scope: Scope, bare: Verdict) -> Verdict:
        """Judges a name with a receiver: a whole qualified name, then a path, then the names of
        modules."""
        symbol, modules, receiver = self._symbol, self.modules, mention.receiver
        if verdict := modules.of_whole_name(receiver):
            return verdict
        if mention.is_of_value and symbol.is_free and not symbol.rules.modules_by_dot:
            return Verdict.OTHER
        if receiver in OF_ALL:
            return Verdict.OTHER if self.row.container else bare
        if not mention.is_of_value and (verdict := modules.of_path(path, receiver, scope)):
            return verdict
        if receiver in symbol.own or receiver.endswith((")", "]")):
            if symbol.is_type:
                return modules.undecided
            return Verdict.MAY_BE if self._uses.is_of_objects else Verdict.OTHER
        name = last_name(receiver)
        if modules.is_taken_from_elsewhere(mention):
            may_be = symbol.rules.imports_names or name in modules.place.names
            return Verdict.MAY_BE if may_be else Verdict.OTHER
        is_own, is_others = name in modules.place.names, name in self._namesakes.module_names
        has_paths = bool(symbol.rules.values) and not symbol.rules.modules_by_dot
        decides = path != symbol.path or (has_paths and not mention.is_of_value)
        if is_own != is_others and (is_own or decides):
            return Verdict.IS if is_own else Verdict.OTHER
        if not (symbol.is_free and is_value(mention)):
            is_of_unknown_type = symbol.is_type and self._uses.is_ruled and name[:1].isupper()
            return Verdict.MAY_BE if is_of_unknown_type else self._by_name_alone
        is_possible = is_of_local_object(mention) or self._uses.is_of_objects
        return Verdict.MAY_BE if is_possible else Verdict.OTHER

    def _of_bare_name(self, path: str, mentions: Sequence[Mention]) -> Verdict:
        """Judges names without a receiver in a file, by what the file imports and defines."""
        symbol, modules = self._symbol, self.modules
        if path == symbol.path:
            return Verdict.IS
        imports = [
            modules.of_import(path, mention.receiver)
            for mention in mentions
            if mention.role == "import" and not mention.is_module
        ]
        if Verdict.IS in imports:
            return Verdict.IS
        if imports and all(verdict is Verdict.OTHER for verdict in imports):
            return Verdict.OTHER
        if path in self._namesakes.top_paths:
            return Verdict.OTHER
        if modules.imports_elsewhere(mentions):
            return Verdict.MAY_BE
        if symbol.rules.imports_names:
            may_be = imports or any(mention.imports_all for mention in mentions)
            return Verdict.MAY_BE if may_be else Verdict.OTHER
        folder = folder_of(path)
        is_near = not imports and folder == folder_of(symbol.path)
        is_nearest = is_near and folder not in self._namesakes.twin_folders
        return Verdict.IS if is_nearest else modules.undecided

    def _is_hidden_by_nearer(self, path: str, mention: Mention, scope: Scope) -> bool:
        """Whether a bare name means a namesake of the same sort that is defined nearer: in an
        inner container around it, or at the top of its file."""
        if mention.receiver or mention.binding >= 0:  # `Shadows` decides these
            return False
        if self._symbol.rules.open_bodies and mention.binding == NOT_BOUND:
            return bool(self.row.container)  # no function or type around binds it
        own_depth = depth_of((self.row.container,), scope)
        is_of_top = (
            bool(self.row.container)
            and not own_depth
            and path == self._symbol.path
            and path in self._namesakes.alike_top_paths
        )
        nearer = set(self._namesakes.containers).intersection(scopes_around(scope.qualified_name))
        if mention.binding == NOT_BOUND:
            nearer = {name for name in nearer if not self._symbol.is_function(name)}
        return is_of_top or depth_of(nearer, scope) > own_depth

    def _types_around(self, mention: Mention, scope: Scope) -> set[str]:
        """Returns the last names of what is around a mention and has a member of this name;
        without functions, where the binding of the name is known."""
        around = [
            name
            for name in scopes_around(scope.qualified_name)
            if name.rpartition(".")[2] in self._namesakes.types
        ]
        is_bound_known = mention.binding == NOT_BOUND
        return {
            name.rpartition(".")[2]
            for name in around
            if not (is_bound_known and self._symbol.is_function(name))
        }

    def _is_never_written(self, path: str) -> bool:
        """Whether an assigned name is another's: types and functions are defined, not assigned."""
        symbol = self._symbol
        return symbol.is_fixed and (path != symbol.path or not symbol.rules.imports_names)

    @property
    def _by_name_alone(self) -> Verdict:
        """The verdict on a name with an unknown receiver: a name of one word may be that of any
        library's member."""
        is_open = self.n_namesakes or self._symbol.is_common
        return Verdict.MAY_BE if is_open else Verdict.IS
