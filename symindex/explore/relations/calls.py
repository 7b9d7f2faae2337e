"""What a function calls, and what calls it."""

from collections.abc import Sequence
from typing import Final

from symindex.errors import RequestError
from symindex.explore.references.module_judge import Verdict
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.references.receivers import OWN, is_declared_as, last_name, names_in
from symindex.explore.references.symbol_facts import DISTINCTIVE
from symindex.explore.relations.aliases import aliases_in
from symindex.explore.relations.resolving import is_callable, is_type, resolve
from symindex.explore.relations.types import Related
from symindex.explore.relations.uses import Beside, Use, UseSearch
from symindex.explore.tree import Row, read_text
from symindex.text.folding import fold, squash
from symindex.text.imports import Origin, imported_names


def callees(search: UseSearch, row: Row) -> list[Related]:
    """What is called in a symbol's code, in the order of the calls, each resolved to its likeliest
    definition. A caller is judged in the same way, so that both directions agree. Of what may be
    one of several, or a library's, only the name is given, and how many symbols have it."""
    try:
        lines = read_text(search.tree, row.file, search.limits.max_file_bytes).lines[
            row.lines[0] - 1 : row.lines[1]
        ]
    except RequestError as error:
        search.tell_unread(row.file.path, str(error).removeprefix(f"{row.file.path}: "))
        return []
    names = names_in("\n".join(lines))

    def is_call(use: Use) -> bool:
        return (
            use.mention.role == "call"
            and row.lines[0] <= use.mention.line <= row.lines[1]
            and not use.defines
        )

    every = [*search.find(names, only=row.file)]
    by_name: dict[str, list[Use]] = {}
    for use in every:
        by_name.setdefault(use.name, []).append(use)
    judged: dict[Row, dict[int, Verdict]] = {}
    found: dict[object, Related] = {}
    uses: dict[object, list[Use]] = {}
    for use in filter(is_call, every):
        related = _callee(search, row, use, by_name[use.name], judged)
        key = related.row or related.name
        found.setdefault(key, related)
        uses.setdefault(key, []).append(use)
    return [related._replace(uses=uses[key]) for key, related in found.items()]


def _callee(
    search: UseSearch,
    row: Row,
    use: Use,
    like_it: Sequence[Use],
    judged: dict[Row, dict[int, Verdict]],
) -> Related:
    """What one call in a symbol's code calls. like_it: what has its name in the file. judged: what
    was found before."""
    resolved = resolve(search.tree, use.name, row, is_callable, use.mention.receiver)
    at, text = f"{row.file.path}:{use.mention.line}", use.mention.text
    if resolved is None or resolved.row.name != use.name:
        return Related(use.name, None, at, text)
    meant = resolved.row
    if meant not in judged:
        mentions, scopes = [each.mention for each in like_it], [each.scope for each in like_it]
        verdicts = ReferenceJudge(search.tree, meant).judge(
            use.file.path, use.file.known_language, mentions, scopes
        )
        judged[meant] = {id(each): verdict for each, verdict in zip(like_it, verdicts, strict=True)}
    if judged[meant][id(use)] is Verdict.OTHER:
        return Related(use.name, None, at, text, resolved.others)
    is_unsure = judged[meant][id(use)] is Verdict.MAY_BE
    is_imported = is_unsure and bool(use.mention.receiver) and bool(use.mention.origin[0])
    if is_imported or (
        not resolved.is_near and (resolved.others or _is_of_any_library(use, meant))
    ):
        return Related(use.name, None, at, text, resolved.others + 1)
    return Related(
        meant.qualified_name,
        meant,
        at,
        text,
        resolved.others,
        is_unsure=is_unsure or _is_of_any_type(use, meant),
    )


def _is_of_any_library(use: Use, row: Row) -> bool:
    """Whether a name of one word, taken from something, may be that of any library's module."""
    receiver = use.mention.receiver
    return (
        bool(receiver)
        and receiver not in OWN
        and not row.container
        and not DISTINCTIVE.search(row.name.strip("_"))
    )


def _is_of_any_type(use: Use, row: Row) -> bool:
    """Whether a member's name of one word is taken from something that may be of any type, and is
    not called like its own."""
    receiver, container = use.mention.receiver, row.container.rpartition(".")[2]
    if not receiver or not container or receiver in OWN or DISTINCTIVE.search(row.name.strip("_")):
        return False
    return squash(fold(last_name(receiver))) != squash(fold(container))


class _Written:
    """What the code around calls says of what they are taken from. It answers each question once,
    and stops after _MOST_CHARACTERS: a later question has the answer "not known"."""

    def __init__(self, search: UseSearch) -> None:
        self._search = search
        self._of_types: dict[object, bool] = {}
        self._imported: dict[str, dict[str, Origin]] = {}
        self._n_left = _MOST_CHARACTERS

    def is_of_its_type(self, use: Use, row: Row, judge: ReferenceJudge) -> bool:
        """Whether the code around a call says that what it is taken from is of a member's type."""
        receiver, around = use.mention.receiver, use.around
        if not receiver or not row.container or around is None:
            return False
        is_name = "." not in receiver and "->" not in receiver
        type_name = judge.type_name(around.qualified_name)
        key = use.file.path, receiver, type_name, around if is_name else None
        if key not in self._of_types:
            lines = self._lines(use)
            code = "\n".join(lines[around.lines[0] - 1 : around.lines[1]] if is_name else lines)
            self._n_left -= len(code)

            def is_foreign(place: str) -> bool:
                return judge.modules.is_foreign(Origin(".".join(names_in(place))))

            self._of_types[key] = self._n_left > 0 and is_declared_as(
                code, receiver, type_name, is_foreign
            )
        return self._of_types[key]

    def is_of_library(self, use: Use, row: Row, judge: ReferenceJudge) -> bool:
        """Whether the file of a use imports a type of the name of a member's own from where that is
        not."""
        container, path = row.container.rpartition(".")[2], use.file.path
        if not container or path == row.file.path:
            return False
        if path not in self._imported:
            self._imported[path] = imported_names("\n".join(self._lines(use)))
        origin = self._imported[path].get(container)
        return origin is not None and judge.modules.is_foreign(origin)

    def _lines(self, use: Use) -> list[str]:
        try:
            return self._search.lines_of(use.file)[:_MOST_LINES]
        except RequestError:
            return []


_MOST_CHARACTERS: Final = 30_000_000
"""Of code that is looked through for types, in one answer: a second or two."""

_MOST_LINES: Final = 5_000
"""Of code in which it is looked for what a name is."""


def callers(search: UseSearch, rows: Sequence[Row]) -> dict[Row, list[Related]]:
    """The symbols in which each of some symbols is called, as far as names can tell."""
    tree, written = search.tree, _Written(search)
    judges = {row: ReferenceJudge(tree, row) for row in rows}
    family = frozenset().union(
        *(tree.languages.relatives_of(row.file.known_language) for row in rows)
    )
    by_file: dict[tuple[str, str], list[Use]] = {}
    for use in search.find([row.name for row in rows], languages=[*family]):
        by_file.setdefault((use.file.path, use.name), []).append(use)
    pairs = [(row.name, row, judge) for row, judge in judges.items()]
    pairs += _pairs_of_aliases(search, rows, by_file, [*family])
    found: dict[Row, dict[object, Related]] = {row: {} for row in rows}
    calls: dict[tuple[Row, object], list[Use]] = {}
    for (path, name), uses in by_file.items():
        mentions, scopes = [use.mention for use in uses], [use.scope for use in uses]
        for own_name, row, judge in pairs:
            if own_name != name:
                continue
            verdicts = judge.judge(path, uses[0].file.known_language, mentions, scopes)
            for use, verdict in zip(uses, verdicts, strict=True):
                if use.defines:
                    continue
                if verdict is Verdict.OTHER or use.mention.role != "call":
                    search.beside.append(Beside(row, use, verdict is Verdict.IS))
                    continue
                around = use.around
                shown = around.qualified_name if around is not None else path
                is_unsure = verdict is Verdict.MAY_BE and not (
                    judge.is_unique and written.is_of_its_type(use, row, judge)
                )
                is_unsure = is_unsure or (
                    use.mention.receiver not in OWN and written.is_of_library(use, row, judge)
                )
                others = int(is_unsure and judge.n_namesakes)
                related = Related(
                    shown,
                    around,
                    f"{path}:{use.mention.line}",
                    use.mention.text,
                    others,
                    is_unsure=is_unsure,
                )
                known = found[row].get(around or path)
                if known is None or (known.is_unsure and not is_unsure):
                    found[row][around or path] = related
                calls.setdefault((row, around or path), []).append(use)
    return {
        row: sorted(
            (each._replace(uses=calls[row, key]) for key, each in some.items()),
            key=lambda each: each.is_unsure,
        )
        for row, some in found.items()
    }


def _pairs_of_aliases(
    search: UseSearch,
    rows: Sequence[Row],
    by_file: dict[tuple[str, str], list[Use]],
    family: list[str],
) -> list[tuple[str, Row, ReferenceJudge]]:
    """Other names of those symbols that are types, each with its symbol and the judge of its uses;
    adds these to `by_file`."""
    uses = [use for some in by_file.values() for use in some]
    aliases = [(alias, row) for row in rows if is_type(row) for alias in aliases_in(uses, row.name)]
    names = [
        *dict.fromkeys(
            alias.name for alias, _ in aliases if alias.name not in {row.name for row in rows}
        )
    ]
    for use in search.find(names, languages=family) if names else ():
        by_file.setdefault((use.file.path, use.name), []).append(use)
    return [
        (alias.name, row, ReferenceJudge(search.tree, alias))
        for alias, row in aliases
        if alias.name in names
    ]
