"""What a function calls, and what calls it."""

from collections.abc import Sequence
from typing import NamedTuple

from symindex.errors import RequestError
from symindex.explore.references.alias_judge import AliasJudge
from symindex.explore.references.module_judge import UNSURE, Verdict
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.references.receivers import OWN, names_in, own_name
from symindex.explore.references.symbol_facts import DISTINCTIVE
from symindex.explore.relations.resolving import is_callable, is_type, resolve
from symindex.explore.relations.uses import (
    RejectedUse,
    RelatedSymbol,
    Use,
    UseSearch,
    aliases_in,
)
from symindex.extract.parse.roles import DEFINING
from symindex.resolve.bound_use import bound_use
from symindex.resolve.denoted import Kind
from symindex.resolve.overloading import Overloads
from symindex.resolve.tree import Row, read_text


def callees(search: UseSearch, row: Row) -> list[RelatedSymbol]:
    """Returns what a symbol's code calls, in the order of the calls, each resolved to its likeliest
    definition. It judges calls as `callers` does, so that both directions agree. A call that may
    mean several symbols, or a library's, gives only the name and the number of symbols with it."""
    try:
        lines = read_text(search.tree, row.file, search.limits.max_file_bytes).lines
    except RequestError as error:
        search.note_unread(row.file.path, str(error).removeprefix(f"{row.file.path}: "))
        return []
    first, last = row.lines
    names = names_in("\n".join(lines[first - 1 : last]))

    def is_call(use: Use) -> bool:
        return use.mention.role == "call" and first <= use.mention.line <= last and not use.defines

    uses_in_file = search.find(names, only=[row.file])
    by_name: dict[str, list[Use]] = {}
    for use in uses_in_file:
        by_name.setdefault(use.name, []).append(use)
    judged: dict[Row, _Judged] = {}
    related_symbols: dict[object, RelatedSymbol] = {}
    calls: dict[object, list[Use]] = {}
    for use in filter(is_call, uses_in_file):
        related = _callee(search, row, use, by_name[use.name], judged)
        key = related.row or related.name
        related_symbols.setdefault(key, related)
        calls.setdefault(key, []).append(use)
    return [related._replace(uses=calls[key]) for key, related in related_symbols.items()]


_JudgedName = tuple[str, Row, ReferenceJudge | AliasJudge]
"""A name, the symbol that it may mean, and a judge of its uses."""


class _Judged(NamedTuple):
    """The judge of a definition, and its verdicts on the uses of its name in a file. verdicts: by
    the `id` of a use."""

    judge: ReferenceJudge
    verdicts: dict[int, Verdict]


def _callee(
    search: UseSearch,
    row: Row,
    use: Use,
    same_name: Sequence[Use],
    judged: dict[Row, _Judged],
) -> RelatedSymbol:
    """Returns what one call in a symbol's code calls. same_name: all uses of its name in the file.
    judged: cache, by definition."""
    text = use.mention.text
    bound = bound_use(search.resolver, use.file.path, use.mention, use.scope.qualified_name).denoted
    if bound.kind is Kind.FOREIGN:
        return RelatedSymbol(use.name, None, use.at, text)
    if bound.kind is Kind.SYMBOL and bound.rows:
        overloads = Overloads(search.resolver, bound.rows[0])
        meant = overloads.meant(use.mention, bound, use.file.path, use.scope.qualified_name)
        bound = bound._replace(rows=meant or bound.rows)
    if bound.kind is Kind.SYMBOL and len(bound.rows) == 1 and is_callable(bound.rows[0]):
        return RelatedSymbol(bound.rows[0].qualified_name, bound.rows[0], use.at, text)
    few = [*filter(is_callable, bound.rows)] if bound.kind is Kind.SYMBOL else []
    accepts = few.__contains__ if few else is_callable
    resolved = resolve(search.tree, use.name, row, accepts, use.mention.receiver)
    if resolved is None or resolved.row.name != use.name:
        return RelatedSymbol(use.name, None, use.at, text)
    callee = resolved.row
    if callee not in judged:
        mentions, scopes = [same.mention for same in same_name], [same.scope for same in same_name]
        judge = ReferenceJudge(search.tree, callee)
        verdicts = judge.judge(use.file.path, use.file.known_language, mentions, scopes)
        judged[callee] = _Judged(judge, dict(zip(map(id, same_name), verdicts, strict=True)))
    judge, verdict = judged[callee].judge, judged[callee].verdicts[id(use)]
    if verdict is Verdict.OTHER:
        return RelatedSymbol(use.name, None, use.at, text, resolved.others)
    is_unsure = verdict in UNSURE
    is_imported = is_unsure and bool(use.mention.receiver) and bool(use.mention.origin[0])
    is_far = not resolved.is_near and (resolved.others or _may_be_of_any_library(use, callee))
    if is_imported or is_far:
        return RelatedSymbol(use.name, None, use.at, text, resolved.others + 1)
    return RelatedSymbol(
        callee.qualified_name, callee, use.at, text, resolved.others, is_unsure=is_unsure
    )


def _may_be_of_any_library(use: Use, row: Row) -> bool:
    """Whether a name of one word with a receiver may be that of any library's module."""
    receiver = use.mention.receiver
    return (
        bool(receiver)
        and receiver not in OWN
        and not row.container
        and not DISTINCTIVE.search(row.name.strip("_"))
    )


def callers(search: UseSearch, rows: Sequence[Row]) -> dict[Row, list[RelatedSymbol]]:
    """Returns for each symbol the symbols that call it, as far as names can tell."""
    tree = search.tree
    judges = {row: ReferenceJudge(tree, row, row in search.together) for row in rows}
    family = frozenset().union(
        *(tree.languages.relatives_of(row.file.known_language) for row in rows)
    )
    by_file: dict[tuple[str, str], list[Use]] = {}
    judged_names: list[_JudgedName] = [
        (name, row, AliasJudge(judge) if number else judge)
        for row, judge in judges.items()
        for number, name in enumerate((own_name(row.name), *judge.aliases))
    ]
    for use in search.find([name for name, _, _ in judged_names], languages=[*family]):
        by_file.setdefault((use.file.path, use.name), []).append(use)
    judged_names += _judged_aliases(search, rows, by_file, [*family])
    # By caller: the surest of its calls, and all calls.
    surest_calls: dict[Row, dict[object, RelatedSymbol]] = {row: {} for row in rows}
    unknown_calls: dict[Row, dict[object, RelatedSymbol]] = {row: {} for row in rows}
    calls: dict[tuple[Row, object], list[Use]] = {}
    for (path, name), uses in by_file.items():
        mentions, scopes = [use.mention for use in uses], [use.scope for use in uses]
        for judged_name, row, judge in judged_names:
            if judged_name != name:
                continue
            verdicts = judge.judge(path, uses[0].file.known_language, mentions, scopes)
            for use, verdict in zip(uses, verdicts, strict=True):
                is_alias = isinstance(judge, AliasJudge)
                is_handed_on = verdict is Verdict.IS and _is_handed_on(use, row)
                if not is_handed_on and (use.defines or (is_alias and verdict is Verdict.OTHER)):
                    continue
                is_call = use.mention.role == "call" or is_handed_on
                if verdict is Verdict.OTHER or not is_call:
                    search.rejected.append(RejectedUse(row, use, verdict is Verdict.IS))
                    continue
                caller = _caller(use, row, judge, verdict)
                key = caller.row or path
                is_unknown = verdict is Verdict.UNKNOWN and caller.is_unsure
                of_row = unknown_calls[row] if is_unknown else surest_calls[row]
                previous = of_row.get(key)
                if previous is None or (previous.is_unsure and not caller.is_unsure):
                    of_row[key] = caller
                calls.setdefault((row, key), []).append(use)
    for row, unknown in unknown_calls.items():
        if not surest_calls[row]:  # then they are all that is known
            surest_calls[row] = unknown
        else:
            search.add_unknown(row, [key for key in unknown if key not in surest_calls[row]])
    return {
        row: sorted(
            (caller._replace(uses=calls[row, key]) for key, caller in of_row.items()),
            key=lambda caller: caller.is_unsure,
        )
        for row, of_row in surest_calls.items()
    }


def _is_handed_on(use: Use, row: Row) -> bool:
    """Whether a definition hands calls of its own name on to a symbol of another type."""
    is_own = use.file.path == row.file.path and use.scope.qualified_name == row.container
    return use.mention.role in DEFINING and bool(use.mention.holders) and not is_own


def _caller(
    use: Use, row: Row, judge: ReferenceJudge | AliasJudge, verdict: Verdict
) -> RelatedSymbol:
    """Returns the caller of a symbol by one call."""
    around, is_unsure = use.around, verdict in UNSURE
    if use.mention.role in DEFINING:
        own = f"{use.scope.qualified_name}.{use.name}"
        around = use.rows.containing(own, use.mention.line) or around
    return RelatedSymbol(
        around.qualified_name if around is not None else use.file.path,
        around,
        use.at,
        use.mention.text,
        int(is_unsure and judge.n_namesakes),
        is_unsure=is_unsure,
    )


def _judged_aliases(
    search: UseSearch,
    rows: Sequence[Row],
    by_file: dict[tuple[str, str], list[Use]],
    family: list[str],
) -> list[_JudgedName]:
    """Returns the other names of the types among the symbols, each with its type and the judge of
    its uses; adds these uses to `by_file`."""
    uses = [use for of_file in by_file.values() for use in of_file]
    aliases = [(alias, row) for row in rows if is_type(row) for alias in aliases_in(uses, row.name)]
    own_names = {own_name(row.name) for row in rows}
    names = [*dict.fromkeys(alias.name for alias, _ in aliases if alias.name not in own_names)]
    for use in search.find(names, languages=family) if names else ():
        by_file.setdefault((use.file.path, use.name), []).append(use)
    return [
        (alias.name, row, ReferenceJudge(search.tree, alias))
        for alias, row in aliases
        if alias.name in names
    ]
