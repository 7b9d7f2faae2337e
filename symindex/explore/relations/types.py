"""Types above and below a type: by what definitions inherit from, and, where a language asks for no
more, by their methods."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.explore.references.module_judge import Verdict
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.references.receivers import OWN, last_name, names_in, own_name
from symindex.explore.relations.resolving import Resolved, has_kin, is_type, resolve
from symindex.explore.relations.uses import Use, UseSearch
from symindex.explore.resolve.names import symbols_named
from symindex.explore.resolve.type_parts import are_parts_of_one
from symindex.explore.tree import Row, Tree, read_text, rows_of_container
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind
from symindex.text.folding import fold

_BARE: Final = re.compile(r"<.*|\[.*|\(.*", re.DOTALL)

_NESTED: Final = re.compile(r"<[^<>]*(?:<[^<>]*>[^<>]*)*>")
"""Type arguments, in which a comma divides no bases."""

_INTERFACES: Final = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})


class Related(NamedTuple):
    """A symbol beside another. row: `None` where it is not in the workspace. at, text: where that
    is said. uses: all calls, of what calls or is called. is_unsure, is_by_name: as of a KinItem."""

    name: str
    row: Row | None
    at: str
    text: str
    others: int = 0
    uses: Sequence[Use] = ()
    is_unsure: bool = False
    is_by_name: bool = False


def subtypes(search: UseSearch, rows: Sequence[Row]) -> dict[Row, list[Related]]:
    """What inherits from each of some types, or implements it."""
    tree = search.tree
    found: dict[Row, list[Related]] = {row: [] for row in rows}
    families = frozenset().union(
        *(tree.languages.relatives_of(row.file.known_language) for row in rows)
    )
    names = [*dict.fromkeys(own_name(row.name) for row in rows)]

    def keeps(use: Use) -> bool:
        return use.mention.role in ("inherit", "import")

    by_file: dict[tuple[str, str], list[Use]] = {}
    for use in search.find(names, languages=[*families], keeps=keeps):
        by_file.setdefault((use.file.path, use.name), []).append(use)
    named = {name: [row for row in rows if own_name(row.name) == name] for name in names}
    judges = {
        name: [
            ReferenceJudge(tree, row)
            for row in dict.fromkeys([*named[name], *_types(tree, name, families)])
        ]
        for name in names
    }
    renamed: dict[tuple[str, str], list[Row]] = {}
    for (path, name), uses in by_file.items():
        for use, row, others, is_unsure in _meant(tree, uses, judges[name]):
            if row not in found:
                continue
            if use.mention.role == "import":
                if use.mention.kin and not use.mention.is_bound:
                    renamed.setdefault((path, own_name(use.mention.kin)), []).append(row)
            elif _is_taken_from(search, use, row):
                found[row] += inheriting(tree, use, row, others, is_unsure)
    other_names = [name for _, name in renamed]
    for use in search.find(
        other_names, languages=[*families], keeps=lambda use: use.mention.role == "inherit"
    ):
        for row in renamed.get((use.file.path, use.name), ()):
            found[row] += inheriting(tree, use, row, others=0)
    for row in rows:
        if _is_structural(tree, row) and row.kind in _INTERFACES:
            known = {below.row for below in found[row]}
            found[row] += [
                Related(each.qualified_name, each, _place(each), "")
                for each in _with_methods(tree, row)
                if each not in known
            ]
    return {row: _each_once(some) for row, some in found.items()}


def may_inherit(search: UseSearch, row: Row, direction: str) -> list[Related]:
    """Where a name is used by which the symbol may be inherited from, though no rule is sure of it,
    as in a call that makes a type; above a type, where something is said to be implemented for
    it."""
    roles = ("inherit", "implement", "read") if direction == "subtypes" else ("implement",)
    name, family = own_name(row.name), search.tree.languages.relatives_of(row.file.known_language)

    def keeps(use: Use) -> bool:
        is_own = use.file.path == row.file.path and _holds(row, use)
        is_name = (
            use.defines and use.mention.role != "implement"
        )  # what implements is named by both
        return (
            use.mention.role in roles
            and not is_name
            and not is_own
            and _may_say_so(search, use, row)
        )

    uses = search.find([name], languages=[*family], keeps=keeps)
    return [
        Related(
            use.scope.qualified_name or use.file.path,
            None,
            f"{use.file.path}:{use.mention.line}",
            use.mention.text,
        )
        for use in uses
    ]


def _may_say_so(search: UseSearch, use: Use, row: Row) -> bool:
    """Whether a use hands a type on, rather than take a member from it, and is not of a namesake
    elsewhere."""
    before = r"[\w$]" if use.mention.receiver else r"[\w$.:]"
    handed_on = re.search(
        rf"(?<!{before}){re.escape(use.name)}(?![\w$])(?!\s*(?:\.|::|->|\[))", use.mention.text
    )
    return handed_on is not None and _is_taken_from(search, use, row)


def all_subtypes(search: UseSearch, row: Row) -> list[Row]:
    """What inherits from a type, or from what does: level by level."""
    level, found = [row], dict.fromkeys([row])
    while level:
        below = [
            each.row
            for some in subtypes(search, level).values()
            for each in some
            if each.row is not None
        ]
        level = [each for each in dict.fromkeys(below) if each not in found]
        found.update(dict.fromkeys(level))
    return list(found)[1:]


def _types(tree: Tree, name: str, families: frozenset[str]) -> list[Row]:
    """The types of a name, those that a search for it would show later too."""
    rows = [meant.row for meant in symbols_named(tree, name)]
    rows = [
        row
        for row in rows
        if name in (row.name, own_name(row.name)) and row.file.known_language in families
    ]
    return [row for row in rows if has_kin(tree, row)]


def _meant(
    tree: Tree, uses: Sequence[Use], judges: Sequence[ReferenceJudge]
) -> Iterator[tuple[Use, Row, int, bool]]:
    """Each use of a name in a file, with the types that it means: those that surely are meant, or
    else all that may be, with the number of the others, and whether it is not sure."""
    mentions, scopes = [use.mention for use in uses], [use.scope for use in uses]
    file = uses[0].file
    verdicts = [judge.judge(file.path, file.known_language, mentions, scopes) for judge in judges]
    for at, use in enumerate(uses):
        of_use = [(judge.row, some[at]) for judge, some in zip(judges, verdicts, strict=True)]
        sure = [row for row, verdict in of_use if verdict is Verdict.IS]
        may_be = [row for row, verdict in of_use if verdict is Verdict.MAY_BE]
        parts = [row for row in may_be if any(are_parts_of_one(tree, row, each) for each in sure)]
        is_elsewhere = not sure and any(
            judge.row in may_be and judge.modules.imports_elsewhere(mentions) for judge in judges
        )
        yield from (
            (use, row, 0 if sure else len(may_be) - 1, is_elsewhere)
            for row in [*sure, *parts] or may_be
        )


def _is_taken_from(search: UseSearch, use: Use, row: Row) -> bool:
    """Whether what a base is taken from may lead to a type: it names a part of its place, or stands
    for something else there."""
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
) -> list[Related]:
    """The type that a use says inherits from another, if any. base: that; `None` where the
    workspace does not define it."""
    at, text = f"{use.file.path}:{use.mention.line}", use.mention.text
    if use.mention.kin:
        name = _BARE.sub("", use.mention.kin).strip("&*' ")
        near = next(iter(use.rows.types), base)
        own = name.rpartition("::")[2]
        # What is implemented for all types of a bound is so for what implements that:
        # `impl<T: Bound> Base for T`.
        bound = re.search(
            rf"(?:[<,]|\bwhere)\s{{0,9}}{re.escape(own)}\s{{0,9}}:\s{{0,9}}(?:\w+::)*(\w+)", text
        )
        resolved = (
            resolve(tree, bound[1] if bound else own, near, is_type) if near is not None else None
        )
        below = Related(
            name,
            resolved.row if resolved else None,
            at,
            text,
            resolved.others if resolved else 0,
            is_unsure=is_unsure,
        )
        return [below] if below.row != base else []
    row = use.around or use.rows.holding(
        use.name, use.mention.line
    )  # what implements may be named after what it implements
    return (
        [Related(row.qualified_name, row, at, text, others, is_unsure=is_unsure)]
        if row is not None and row != base
        else []
    )


def _is_imported(row: Row, use: Use) -> bool:
    """Whether an import may be of a type: a part of its module's name is one of where the type
    stands, or it names no module."""
    words = names_in(use.mention.receiver)
    if words:
        return any(is_named_by(row, word, anywhere=True) for word in words)
    is_bare = re.search(rf"(?:^|\s){re.escape(use.name)}\b", use.mention.text) is not None
    return not (is_bare and row.container and not use.mention.receiver)


def is_named_by(row: Row, receiver: str, anywhere: bool = False) -> bool:
    """Whether what a name is taken from may be where a symbol stands: its container, its file or a
    folder. anywhere: also what stands around the container."""
    name = last_name(receiver)
    containers = row.qualified_name.rpartition(".")[0].split(".")
    places = [
        *(containers if anywhere else containers[-1:]),
        *row.file.path.rpartition(".")[0].replace("-", "_").split("/"),
    ]
    return name in places or fold(name) in map(fold, places)


def _holds(row: Row, use: Use) -> bool:
    return row.lines[0] <= use.mention.line <= row.lines[1]


def supertypes(search: UseSearch, row: Row) -> list[Related]:
    """What a type says it inherits from or implements, and the interfaces whose methods it has
    where that is enough."""
    tree = search.tree
    names = [name for name in names_in(row.index.signature(row.number)) if name != row.name]
    found: list[Related] = []
    heads: list[Use] = []
    aliases: dict[str, str] = {}
    imports: dict[str, Use] = {}

    def add(use: Use, name: str) -> None:
        receiver, imported = use.mention.receiver, imports.get(name)
        original = aliases.get(name, name)

        def is_meant(each: Row) -> bool:
            return has_kin(tree, each) and (
                imported is None or bool(receiver) or _is_imported(each, imported)
            )

        whole = f"{receiver}.{original}" if receiver and _has_mixins(tree, row) else original
        resolved: Resolved | None = resolve(tree, whole, row, is_meant, receiver) or resolve(
            tree, original, row, is_meant, receiver
        )
        if resolved is not None and receiver and receiver not in OWN:
            named = {receiver, aliases.get(receiver.partition(".")[0], receiver)}
            if not any(is_named_by(resolved.row, each) for each in named):
                resolved, name = None, f"{receiver}.{name}"
        at = f"{use.file.path}:{use.mention.line}"
        shown = resolved.row.qualified_name if resolved else name
        found.append(
            Related(
                shown,
                resolved.row if resolved else None,
                at,
                use.mention.text,
                resolved.others if resolved else 0,
            )
        )

    def is_in_head(use: Use) -> bool:
        return (
            use.mention.role == "inherit"
            and use.scope.qualified_name == row.qualified_name
            and _holds(row, use)
        )

    if _is_structural(tree, row) or _has_mixins(
        tree, row
    ):  # what is embedded stands inside the body
        names += _embedded(search, row)
    for use in search.find(
        names, only=row.file, keeps=lambda use: is_in_head(use) or use.mention.role == "import"
    ):
        if use.mention.role == "import" and not use.mention.is_module:
            if use.mention.is_bound and use.mention.kin:
                aliases[use.name] = own_name(use.mention.kin)
            elif not use.mention.kin:
                imports[use.name] = use
        elif use.mention.role == "inherit":
            heads.append(use)
    for use in heads:
        add(use, use.name)
    if _has_kin(tree, row):
        family = [*tree.languages.relatives_of(row.file.known_language)]
        for use in search.find(
            [row.name], languages=family, keeps=lambda use: use.mention.role == "implement"
        ):
            for base in _NESTED.sub("", use.mention.kin).split(","):
                if name := _BARE.sub("", base).strip().rpartition("::")[2]:
                    add(use, name)
    if _is_structural(tree, row) and row.kind not in _INTERFACES:
        found += [
            Related(each.qualified_name, each, _place(each), "")
            for each in _interfaces_of(tree, row)
        ]
    return _each_once(each for each in found if each.row != row)


def _embedded(search: UseSearch, row: Row) -> list[str]:
    """The names in the body of a type, among which are those of what it embeds."""
    try:
        lines = read_text(search.tree, row.file, search.limits.max_file_bytes).lines
    except RequestError as error:
        search.tell_unread(row.file.path, str(error).removeprefix(f"{row.file.path}: "))
        return []
    near, far = (
        lines[row.lines[0] - 1 : min(row.lines[1], row.lines[0] + 200)],
        lines[row.lines[0] + 200 : row.lines[1]],
    )
    return [
        *names_in("\n".join(near)),
        *(name for name in names_in("\n".join(far)) if name[:1].isupper()),
    ]


def _is_structural(tree: Tree, row: Row) -> bool:
    known = tree.languages.by_id.get(row.file.known_language)
    return known is not None and known.rules.roles.structural


def _has_mixins(tree: Tree, row: Row) -> bool:
    known = tree.languages.by_id.get(row.file.known_language)
    return known is not None and known.rules.roles.mixins


def _has_kin(tree: Tree, row: Row) -> bool:
    known = tree.languages.by_id.get(row.file.known_language)
    return known is not None and bool(known.rules.roles.kin)


def _methods(tree: Tree, row: Row) -> frozenset[str]:
    """The methods of a type, in whatever file of its folder they stand."""
    folder = row.file.path.rpartition("/")[0]
    members = rows_of_container(tree, row.qualified_name)
    return frozenset(
        each.name
        for each in members
        if each.kind in CALLABLE_KINDS and each.file.path.rpartition("/")[0] == folder
    )


def _with_methods(tree: Tree, row: Row) -> list[Row]:
    """The types that have all methods of an interface."""
    wanted = _methods(tree, row)
    if not wanted:
        return []
    rarest = min(wanted, key=lambda name: len(symbols_named(tree, name)))
    owners = {
        (each.row.container, each.row.file.path.rpartition("/")[0])
        for each in symbols_named(tree, rarest)
        if each.row.container and each.row.file.known_language == row.file.known_language
    }
    return [
        type_row
        for container, folder in sorted(owners)
        for type_row in _types_named(tree, container, folder)
        if type_row != row
        and type_row.kind not in _INTERFACES
        and wanted <= _methods(tree, type_row)
    ]


def _types_named(tree: Tree, name: str, folder: str) -> list[Row]:
    rows = [meant.row for meant in symbols_named(tree, name)]
    return [
        row
        for row in rows
        if row.qualified_name == name
        and is_type(row)
        and row.file.path.rpartition("/")[0] == folder
    ][:1]


def _interfaces_of(tree: Tree, row: Row) -> list[Row]:
    """The interfaces whose methods a type has."""
    has = _methods(tree, row)
    owners = {
        (each.row.container, each.row.file.path.rpartition("/")[0])
        for name in has
        for each in symbols_named(tree, name)
        if each.row.container and each.row.file.known_language == row.file.known_language
    }
    return [
        each
        for container, folder in sorted(owners)
        for each in _types_named(tree, container, folder)
        if each.kind in _INTERFACES and (wanted := _methods(tree, each)) and wanted <= has
    ]


def _place(row: Row) -> str:
    return f"{row.file.path}:{row.line}"


def _each_once(found: Iterable[Related]) -> list[Related]:
    kept: dict[object, Related] = {}
    for each in found:
        kept.setdefault(each.row or each.name, each)
    return list(kept.values())
