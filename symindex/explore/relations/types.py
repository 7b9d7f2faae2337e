"""Supertypes and subtypes of a type: by the bases that definitions name, and, in languages where
that is enough, by methods."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from symindex.errors import RequestError
from symindex.explore.references.module_judge import Verdict
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.references.receivers import OWN, last_name, names_in, own_name
from symindex.explore.relations.resolving import can_inherit, is_type, resolve
from symindex.explore.relations.structural import implemented, implementing
from symindex.explore.relations.uses import RelatedSymbol, Use, UseSearch
from symindex.explore.targets.names import symbols_named
from symindex.explore.targets.type_parts import are_parts_of_one
from symindex.extract.languages.schema import RoleRules
from symindex.resolve.inheritance import Heir, bases_of, heirs_of
from symindex.resolve.reading.expressions import names_of
from symindex.resolve.tree import Row, Tree, read_text
from symindex.text.folding import fold

_ARGUMENTS: Final = re.compile(r"<.*|\[.*|\(.*", re.DOTALL)

_NESTED_ARGUMENTS: Final = re.compile(r"<[^<>]*(?:<[^<>]*>[^<>]*)*>")
"""Matches type arguments, whose commas do not separate bases."""

_QUALIFIES: Final = re.compile(r"\s*(?:\.|::|\\)\s*\w")
"""Matches what follows a name that qualifies another one."""

_NEAR_LINES: Final = 200
"""Lines of a type's body in which every name may be an embedded base; below, only capitalized
ones."""


def subtypes(search: UseSearch, rows: Sequence[Row]) -> dict[Row, list[RelatedSymbol]]:
    """Returns for each type what inherits from it or implements it."""
    bound = [row for row in rows if _is_bound(search, row)]
    heirs = heirs_of(search.resolver, bound) if bound else {}
    by_names = _subtypes_by_names(search, [row for row in rows if row not in heirs])
    unnamed = _subtypes_by_names(search, [row for row in heirs if _has_unnamed(search, row)])
    places = _places_of_others(search, heirs)
    below = {
        row: [
            one
            for heir in of_row
            for one in (
                places.get((row, heir.file.path, _bare(heir.name)), [])
                if heir.file is not None
                else [_related(search, heir.row, heir.name, heir)]
            )
        ]
        for row, of_row in heirs.items()
    }
    found = {row: below[row] if row in below else by_names[row] for row in rows}
    for row, of_row in found.items():
        known = {related.row for related in of_row}
        of_row += [
            one._replace(is_unsure=True) if one.row is not None and is_type(one.row) else one
            for one in unnamed.get(row, ())  # a type around one without a name is only its place
            if one.row is None or one.row not in known
        ]
        known |= {related.row for related in of_row}
        of_row += [one for one in implementing(search.resolver, row) if one.row not in known]
    return {row: unique(sorted(of_row, key=_is_unsure)) for row, of_row in found.items()}


def _places_of_others(
    search: UseSearch, heirs: Mapping[Row, Sequence[Heir]]
) -> dict[tuple[Row, str, str], list[RelatedSymbol]]:
    """Returns where code implements types for those that the tree does not define, by the type, the
    file and the name of the other."""
    found: dict[tuple[Row, str, str], list[RelatedSymbol]] = {}
    for row, of_row in heirs.items():
        outside = {(heir.file.path, _bare(heir.name)): heir for heir in of_row if heir.file}
        files = {heir.file.path: heir.file.file for heir in outside.values() if heir.file}
        names = [names_of(heir.written)[-1] for heir in outside.values()]
        uses = search.find(names, only=[*files.values()], keeps=_is_implemented) if files else []
        for use in uses:
            heir = outside.get((use.file.path, _bare(use.mention.kin)))
            if heir is not None and not _holds_for_bound(search, use, row):
                related = RelatedSymbol(
                    heir.name, None, use.at, use.mention.text, heir.others, is_place=True
                )
                key = row, use.file.path, _bare(heir.name)
                found.setdefault(key, []).append(related._replace(is_unsure=bool(heir.others)))
    return found


def _is_implemented(use: Use) -> bool:
    return use.mention.role == "inherit" and bool(use.mention.kin)


def _holds_for_bound(search: UseSearch, use: Use, row: Row) -> bool:
    """Whether a type is implemented for all types with a bound, which is a type of the tree."""
    related = inheriting(search.tree, use, row, others=0)
    return any(one.row is not None and is_type(one.row) for one in related)


def _bare(name: str) -> str:
    """Returns the name of a type as code writes it, without blanks."""
    return "".join(name.split())


def _is_unsure(related: RelatedSymbol) -> bool:
    return related.is_unsure


def _has_unnamed(search: UseSearch, row: Row) -> bool:
    """Whether types without names, which are no symbols, may inherit in a symbol's language."""
    rules = search.resolver.files.rules_of(search.resolver.files.of(row))
    return rules is not None and rules.anonymous_types


def _is_bound(search: UseSearch, row: Row) -> bool:
    """Whether the bases of a symbol's language are bound by its rules."""
    return search.resolver.files.rules_of(search.resolver.files.of(row)) is not None


def _related(search: UseSearch, row: Row | None, name: str, heir: Heir) -> RelatedSymbol:
    """Returns what a bound base relates: the subtype or the supertype, with the subtype's place."""
    subtype = heir.row
    if subtype is None:
        return RelatedSymbol(name, row, "", "", heir.others, is_unsure=bool(heir.others))
    try:
        text = search.lines_of(subtype.file)[subtype.line - 1].strip()
    except (RequestError, IndexError):
        text = subtype.index.signature(subtype.number)
    at = f"{subtype.file.path}:{subtype.line}"
    return RelatedSymbol(name, row, at, text, heir.others, is_unsure=bool(heir.others))


def _subtypes_by_names(search: UseSearch, rows: Sequence[Row]) -> dict[Row, list[RelatedSymbol]]:
    """Returns for each type of a language whose bases are not bound what seems to inherit from
    it."""
    if not rows:
        return {}
    tree = search.tree
    subtypes_of_row: dict[Row, list[RelatedSymbol]] = {row: [] for row in rows}
    families = frozenset().union(
        *(tree.languages.relatives_of(row.file.known_language) for row in rows)
    )
    # Uses of the types' names as bases, and imports that rename them.
    by_file: dict[tuple[str, str], list[Use]] = {}
    names = [*dict.fromkeys(own_name(row.name) for row in rows)]
    for use in search.find(
        names,
        languages=[*families],
        keeps=lambda use: use.mention.role == "import" or _is_base(use),
    ):
        by_file.setdefault((use.file.path, use.name), []).append(use)
    judges = _judges_by_name(tree, rows, names, families)
    renamed: dict[tuple[str, str], list[Row]] = {}
    for (path, name), uses in by_file.items():
        for use, row, others, is_unsure in _meant_types(tree, uses, judges[name]):
            if row not in subtypes_of_row:
                continue
            if use.mention.role == "import":
                if use.mention.kin and not use.mention.is_bound:
                    renamed.setdefault((path, own_name(use.mention.kin)), []).append(row)
            elif _may_be_taken_from(search, use, row):
                subtypes_of_row[row] += inheriting(tree, use, row, others, is_unsure)
    # Uses of the other names.
    for use in search.find(
        [name for _, name in renamed],
        languages=[*families],
        keeps=lambda use: use.mention.role == "inherit",
    ):
        for row in renamed.get((use.file.path, use.name), ()):
            subtypes_of_row[row] += inheriting(tree, use, row, others=0)
    return subtypes_of_row


def _is_base(use: Use) -> bool:
    """Whether a use names a base, not only what a base is in: `Outer` of `Outer.Inner`."""
    onward = use.mention.onward[len(use.name) :]
    return use.mention.role == "inherit" and _QUALIFIES.match(onward) is None


def _judges_by_name(
    tree: Tree, rows: Sequence[Row], names: Sequence[str], families: frozenset[str]
) -> dict[str, list[ReferenceJudge]]:
    """Returns judges of the requested types and of all namesakes that can inherit, by name."""
    judges: dict[str, list[ReferenceJudge]] = {}
    for name in names:
        requested = [row for row in rows if own_name(row.name) == name]
        namesakes = [
            row
            for row in (match.row for match in symbols_named(tree, name))
            if name in (row.name, own_name(row.name))
            and row.file.known_language in families
            and can_inherit(tree, row)
        ]
        unique = dict.fromkeys([*requested, *namesakes])
        judges[name] = [ReferenceJudge(tree, row) for row in unique]
    return judges


def _meant_types(
    tree: Tree, uses: Sequence[Use], judges: Sequence[ReferenceJudge]
) -> Iterator[tuple[Use, Row, int, bool]]:
    """Yields each use of a name in a file with each type that it means: those that are sure, or
    else all that are possible; then the number of other possible types, and whether it is
    unsure."""
    mentions, scopes = [use.mention for use in uses], [use.scope for use in uses]
    file = uses[0].file
    verdicts = [judge.judge(file.path, file.known_language, mentions, scopes) for judge in judges]
    for number, use in enumerate(uses):
        of_use = [(judge.row, row[number]) for judge, row in zip(judges, verdicts, strict=True)]
        sure = [row for row, verdict in of_use if verdict is Verdict.IS]
        possible = [row for row, verdict in of_use if verdict is Verdict.MAY_BE]
        parts = [
            row for row in possible if any(are_parts_of_one(tree, row, other) for other in sure)
        ]
        is_elsewhere = not sure and any(
            judge.row in possible and judge.modules.imports_elsewhere(mentions) for judge in judges
        )
        for row in [*sure, *parts] or possible:
            yield use, row, 0 if sure else len(possible) - 1, is_elsewhere


def may_inherit(search: UseSearch, row: Row, direction: str) -> list[RelatedSymbol]:
    """Returns places that may name the symbol as a base though no rule is sure, such as a call that
    creates a type. For supertypes: places where something is implemented for it."""
    roles = ("inherit", "implement", "read") if direction == "subtypes" else ("implement",)
    name, family = own_name(row.name), search.tree.languages.relatives_of(row.file.known_language)

    def keeps(use: Use) -> bool:
        is_own_code = use.file.path == row.file.path and _contains(row, use)
        # An implementation is named after both of its types.
        is_own_name = use.defines and use.mention.role != "implement"
        is_local = use.mention.is_bound or (not use.mention.receiver and use.mention.binding >= 0)
        return (
            use.mention.role in roles
            and not is_local
            and not is_own_name
            and not is_own_code
            and _may_hand_on(search, use, row)
        )

    uses = _not_of_others(search, row, search.find([name], languages=[*family], keeps=keeps))
    return [
        RelatedSymbol(use.scope.qualified_name or use.file.path, None, use.at, use.mention.text)
        for use in uses
    ]


def _not_of_others(search: UseSearch, row: Row, uses: Sequence[Use]) -> list[Use]:
    """Leaves out the uses that mean a local name or another symbol."""
    judge = ReferenceJudge(search.tree, row)
    by_file: dict[str, list[Use]] = {}
    for use in uses:
        by_file.setdefault(use.file.path, []).append(use)
    found = []
    for path, of_file in by_file.items():
        mentions, scopes = [use.mention for use in of_file], [use.scope for use in of_file]
        verdicts = judge.judge(path, of_file[0].file.known_language, mentions, scopes)
        pairs = zip(of_file, verdicts, strict=True)
        found += [use for use, verdict in pairs if verdict is not Verdict.OTHER]
    return found


def _may_hand_on(search: UseSearch, use: Use, row: Row) -> bool:
    """Whether a use passes a type on instead of taking a member from it, and does not mean a
    namesake elsewhere."""
    before = r"[\w$]" if use.mention.receiver else r"[\w$.:]"
    passed_on = re.search(
        rf"(?<!{before}){re.escape(use.name)}(?![\w$])(?!\s*(?:\.|::|->|\[|\\))", use.mention.text
    )
    return passed_on is not None and _may_be_taken_from(search, use, row)


def all_subtypes(search: UseSearch, row: Row) -> list[Row]:
    """Returns the subtypes of a type at any depth, level by level."""
    return [related.row for related in all_below(search, row) if related.row is not None]


def all_below(search: UseSearch, row: Row) -> list[RelatedSymbol]:
    """Returns the subtypes of a type at any depth, level by level, and the places where code
    implements them for types that the workspace does not define."""
    level, found = [row], {row: RelatedSymbol(row.name, row, "", "")}
    outside: list[RelatedSymbol] = []
    while level:
        below = [
            one._replace(is_unsure=one.is_unsure or found[row].is_unsure)
            for row, of_type in subtypes(search, level).items()
            for one in of_type
        ]
        outside += [one for one in below if one.is_place]
        fresh = {one.row: one for one in below if one.row is not None and one.row not in found}
        level = [*fresh]
        found.update(fresh)
    return [*[*found.values()][1:], *outside]


def _may_be_taken_from(search: UseSearch, use: Use, row: Row) -> bool:
    """Whether the receiver of a base may lead to a type: it names a part of the type's place, or is
    an alias in its file."""
    receiver = use.mention.receiver
    if not receiver or use.mention.kin or receiver in OWN or is_named_by(row, receiver):
        return True
    try:
        text = "\n".join(search.lines_of(use.file))
    except RequestError:
        return True
    name = re.escape(last_name(receiver))
    return re.search(rf"\bas\s+{name}\b|\b{name}\s*=[^=]", text) is not None


def inheriting(
    tree: Tree, use: Use, base: Row | None, others: int, is_unsure: bool = False
) -> list[RelatedSymbol]:
    """Returns the type that inherits from another by this use, if any. base: the other type; `None`
    if the workspace does not define it."""
    text = use.mention.text
    if use.mention.kin:
        name = _ARGUMENTS.sub("", use.mention.kin).strip("&*' ")
        near = next(iter(use.rows.types), base)
        own_type = name.rpartition("::")[2]
        # What is implemented for all types with a bound holds for what implements the bound:
        # `impl<T: Bound> Base for T`.
        bound = re.search(
            rf"(?:[<,]|\bwhere)\s{{0,9}}{re.escape(own_type)}\s{{0,9}}:\s{{0,9}}(?:\w+::)*(\w+)",
            text,
        )
        type_name = bound[1] if bound else own_type
        resolved = resolve(tree, type_name, near, is_type) if near is not None else None
        row = resolved.row if resolved else None
        if row == base:
            return []
        n_others = resolved.others if resolved else 0
        return [RelatedSymbol(name, row, use.at, text, n_others, is_unsure=is_unsure)]
    # An implementation may be named after what it implements.
    row = use.around or use.rows.containing(use.name, use.mention.line)
    if row is None or row == base:
        return []
    return [RelatedSymbol(row.qualified_name, row, use.at, text, others, is_unsure=is_unsure)]


def _may_import(row: Row, use: Use) -> bool:
    """Whether an import may be of a type: its module shares a name with the type's place, or it
    names no module."""
    words = names_in(use.mention.receiver)
    if words:
        return any(is_named_by(row, word, anywhere=True) for word in words)
    is_bare = re.search(rf"(?:^|\s){re.escape(use.name)}\b", use.mention.text) is not None
    return not (is_bare and row.container and not use.mention.receiver)


def is_named_by(row: Row, receiver: str, anywhere: bool = False) -> bool:
    """Whether a receiver may mean the place of a symbol: its container, its file or a folder.
    anywhere: also what is around the container."""
    name = last_name(receiver)
    containers = row.qualified_name.rpartition(".")[0].split(".")
    places = [
        *(containers if anywhere else containers[-1:]),
        *row.file.path.rpartition(".")[0].replace("-", "_").split("/"),
    ]
    return name in places or fold(name) in map(fold, places)


def _contains(row: Row, use: Use) -> bool:
    return row.lines[0] <= use.mention.line <= row.lines[1]


def supertypes(search: UseSearch, row: Row) -> list[RelatedSymbol]:
    """Returns what a type inherits from or implements by its code, and the interfaces whose methods
    it has where that is enough."""
    if _is_bound(search, row):
        bound = [
            _related(
                search, heir.base, heir.base.qualified_name if heir.base else heir.written, heir
            )
            for heir in bases_of(search.resolver, row)
        ]
        return unique([*bound, *implemented(search.resolver, row)])
    tree, rules = search.tree, _rules(search.tree, row)
    names = [name for name in names_in(row.index.signature(row.number)) if name != row.name]
    if rules.structural or rules.mixins:  # bases are embedded in the body
        names += _names_in_body(search, row)
    bases = _Bases(search, row)
    # Bases that the head or body of the type names.
    heads: list[Use] = []
    for use in search.find(
        names,
        only=[row.file],
        keeps=lambda use: bases.is_base(use) or use.mention.role == "import",
    ):
        if use.mention.role == "import" and not use.mention.is_module:
            bases.note_import(use)
        elif use.mention.role == "inherit":
            heads.append(use)
    for use in heads:
        bases.add(use, use.name)
    # Bases that are implemented for it elsewhere.
    if rules.kin:
        family = [*tree.languages.relatives_of(row.file.known_language)]
        for use in search.find(
            [row.name], languages=family, keeps=lambda use: use.mention.role == "implement"
        ):
            for base in _NESTED_ARGUMENTS.sub("", use.mention.kin).split(","):
                if name := _ARGUMENTS.sub("", base).strip().rpartition("::")[2]:
                    bases.add(use, name)
    related_symbols = [*bases.found, *implemented(search.resolver, row)]
    return unique(related for related in related_symbols if related.row != row)


class _Bases:
    """Collects the bases of one type and resolves each by the imports of its file."""

    def __init__(self, search: UseSearch, row: Row) -> None:
        self._tree, self._row = search.tree, row
        self._has_mixins = _rules(search.tree, row).mixins
        self._aliases: dict[str, str] = {}
        self._imports: dict[str, Use] = {}
        self.found: list[RelatedSymbol] = []

    def is_base(self, use: Use) -> bool:
        """Whether a use names a base of the type."""
        return (
            use.mention.role == "inherit"
            and use.scope.qualified_name == self._row.qualified_name
            and _contains(self._row, use)
        )

    def note_import(self, use: Use) -> None:
        """Remembers an import, or the original of a name that an import renames."""
        if use.mention.is_bound and use.mention.kin:
            self._aliases[use.name] = own_name(use.mention.kin)
        elif not use.mention.kin:
            self._imports[use.name] = use

    def add(self, use: Use, name: str) -> None:
        """Adds the base that a use names."""
        tree, row, receiver = self._tree, self._row, use.mention.receiver
        imported, original = self._imports.get(name), self._aliases.get(name, name)

        def is_possible(base: Row) -> bool:
            return can_inherit(tree, base) and (
                imported is None or bool(receiver) or _may_import(base, imported)
            )

        whole = f"{receiver}.{original}" if receiver and self._has_mixins else original
        resolved = resolve(tree, whole, row, is_possible, receiver) or resolve(
            tree, original, row, is_possible, receiver
        )
        if resolved is not None and receiver and receiver not in OWN:
            qualifiers = {receiver, self._aliases.get(receiver.partition(".")[0], receiver)}
            if not any(is_named_by(resolved.row, qualifier) for qualifier in qualifiers):
                resolved, name = None, f"{receiver}.{name}"
        self.found.append(
            RelatedSymbol(
                resolved.row.qualified_name if resolved else name,
                resolved.row if resolved else None,
                use.at,
                use.mention.text,
                resolved.others if resolved else 0,
            )
        )


def _names_in_body(search: UseSearch, row: Row) -> list[str]:
    """Returns the names in the body of a type; those of embedded bases are among them."""
    try:
        lines = read_text(search.tree, row.file, search.limits.max_file_bytes).lines
    except RequestError as error:
        search.note_unread(row.file.path, str(error).removeprefix(f"{row.file.path}: "))
        return []
    first, last = row.lines
    near = lines[first - 1 : min(last, first + _NEAR_LINES)]
    far = lines[first + _NEAR_LINES : last]
    return [
        *names_in("\n".join(near)),
        *(name for name in names_in("\n".join(far)) if name[:1].isupper()),
    ]


def _rules(tree: Tree, row: Row) -> RoleRules:
    language = tree.languages.by_id.get(row.file.known_language)
    return language.rules.roles if language is not None else RoleRules()


def unique(related: Iterable[RelatedSymbol]) -> list[RelatedSymbol]:
    """Returns the first entry for each symbol, or for each name that has none."""
    by_symbol: dict[object, RelatedSymbol] = {}
    for entry in related:
        by_symbol.setdefault(entry.row or (entry.name, entry.is_place and entry.at), entry)
    return list(by_symbol.values())
