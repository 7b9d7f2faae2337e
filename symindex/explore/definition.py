"""What a name means at a place where it is used: the symbols that it is bound to or may be bound
to, a name of a library, or a local name."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.explore.assigned import Setting, setting_of
from symindex.explore.references.module_judge import UNSURE, Verdict
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.references.receivers import last_name
from symindex.explore.references.references import last_part
from symindex.explore.references.shadows import OF_TYPES
from symindex.explore.relations.uses import Use, UseSearch
from symindex.explore.targets.names import symbols_named
from symindex.explore.targets.target import Target, file_of_place, find_target
from symindex.extract.file_bindings import ALL, DEFAULT
from symindex.protocol.explore import SymbolRequest
from symindex.protocol.kinds import SymbolFlag, SymbolKind
from symindex.resolve.bound_use import bound_use
from symindex.resolve.denoted import UNKNOWN, Denoted, Kind, is_type
from symindex.resolve.held import is_of_context
from symindex.resolve.modules import extensions
from symindex.resolve.overloading import Overloads
from symindex.resolve.reading.expressions import chain_of
from symindex.resolve.reading.files import is_title
from symindex.resolve.tree import IndexedFile, Row, Tree, read_text, rows_of
from symindex.resolve.uses import Bound, bare_in_unnamed, held_use
from symindex.text.escaping import shorten
from symindex.text.separators import BETWEEN_NAMES

MOST_JUDGED: Final = 20
"""Most symbols of a name that are compared with a use that nothing binds."""

MOST_USES: Final = 100
"""Most uses of a name in one place whose meanings are looked for."""

_PLACE: Final = re.compile(r"(?P<path>.+?):(?P<line>\d{1,9}):(?P<column>\d{1,9})", re.DOTALL)
_LINE: Final = re.compile(r"(?P<path>.+?):(?P<line>\d{1,9})", re.DOTALL)

_WORDS: Final = (r"\w+", r"[\w$]+", r"[\w$]+[?!]", r"[^\s()\[\]{}\"'`,;|]+")
"""Forms of identifiers, from that of most languages to that of Lisp."""


class Meaning(NamedTuple):
    """What a name means at a place.

    Attributes:
        use: of the name.
        rows: the symbols, likeliest first.
        is_sure: whether the name is bound to them; else it may mean any one of them.
        library: the whole name of what a library defines, as far as the code tells; empty for
            anything else.
        local: the start of the name that binds this one in the code around it, in bytes; -1 if it
            is not a local name.
        paths: the files of the module that the name means.
        is_by_name: whether the symbols only have the name, and nothing binds it to one of them.
        is_foreign: whether it is bound to what the workspace does not define.
        setting: where a member is set that is no symbol.
    """

    use: Use
    rows: Sequence[Row] = ()
    is_sure: bool = False
    library: str = ""
    local: int = -1
    paths: Sequence[str] = ()
    is_by_name: bool = False
    is_foreign: bool = False
    setting: Setting | None = None


class _Judged(NamedTuple):
    """The symbols that a use may mean by names. is_sure: whether it means the first. is_possible:
    whether it may mean any, as the lists of their uses say."""

    rows: list[Row]
    is_sure: bool
    is_possible: bool


def meaning_of(
    search: UseSearch,
    use: Use,
    uses: Sequence[Use],
    judged: dict[Row, list[Verdict]] | None = None,
) -> Meaning:
    """Returns what one use of a name means.

    Args:
        uses: all uses of the name in its file.
        judged: cache for several calls with the same uses: the verdicts of each symbol.
    """
    if use.defines:
        line = use.mention.line
        alike = [row for row in rows_of(use.file) if row.name == use.name]
        named = [row for row in alike if row.line == line] or [
            row for row in alike[::-1] if row.lines[0] <= line <= row.lines[1]
        ]  # another clause of a function
        return Meaning(use, named[:1], bool(named))
    if (row := _own_of_body(use, uses)) is not None:
        return Meaning(use, [row], True)
    file = search.resolver.files.at(use.file.path)
    is_free = is_of_context(search.resolver, file, use.mention) or _takes_member(search, use)
    if not is_free and (local := _local_place(use, uses)) >= 0:
        return Meaning(use, local=local)
    if use.mention.is_module:
        return Meaning(use, paths=(paths := _module_paths(search, use)), is_sure=len(paths) == 1)
    bound, receiver = _bound(search, use)
    if bound.kind is not Kind.SYMBOL and (setting := setting_of(search, use, receiver)):
        return Meaning(use, setting=setting)
    if bound.kind is Kind.SYMBOL and bound.rows:
        rows = _by_role(search, use, bound.rows)
        is_sure = len({(row.file.path, row.qualified_name) for row in rows}) == 1
        around = use.scope.qualified_name
        overloads = Overloads(search.resolver, rows[0])
        if fit := overloads.meant(use.mention, bound, use.file.path, around):
            rows, is_sure = fit, len(fit) == 1
        if is_sure:
            rows = [*dict.fromkeys((*search.resolver.packages.openings(rows[0]), *rows))]
        return Meaning(use, [*_defined_apart(search, rows), *rows], is_sure)
    if bound.kind is Kind.MODULE and (paths := _files_of(search.tree, bound)):
        return Meaning(use, paths=paths, is_sure=len(paths) == 1)
    is_foreign = bound.kind is Kind.FOREIGN
    foreign = Meaning(use, library=_library_name(use), is_foreign=True)
    is_added = is_foreign and _may_be_added(search, use, receiver)
    if is_foreign and not (is_added or use.mention.receiver):
        return foreign
    found = _by_judges(search.tree, use, uses, {} if judged is None else judged)
    if is_foreign and not (is_added or found.is_possible):
        return foreign
    rows, is_sure, _ = found
    return Meaning(use, rows, is_sure, is_by_name=not is_sure, is_foreign=is_added)


def _bound(search: UseSearch, use: Use) -> Bound:
    """Returns what a use is bound to, and its receiver: in a type without a name, a bare name is a
    member of that if it has one; if that is not known, no member of the types around is meant for
    certain."""
    fact = (search.resolver, use.file.path, use.mention, use.scope.qualified_name)
    if use.mention.holders:
        held = held_use(*fact)
        is_key = use.mention.is_label or use.mention.role == "write"
        is_foreign = held.denoted.kind is Kind.FOREIGN and is_key
        if held.denoted.kind is Kind.SYMBOL or is_foreign:
            return held
    unnamed = bare_in_unnamed(*fact) if use.mention.local and not use.mention.receiver else None
    if unnamed is not None and unnamed.denoted.kind is Kind.SYMBOL:
        return unnamed
    bound = bound_use(*fact)
    is_member = any(row.container for row in bound.denoted.rows)
    return Bound(UNKNOWN) if unnamed is not None and is_member else bound


def _own_of_body(use: Use, uses: Sequence[Use]) -> Row | None:
    """Returns the symbol that a bare name means because the code directly around defines it: a
    member in the body of its type (`alias = run`), or the only local function of this name."""
    mention = use.mention
    if mention.receiver or mention.binding < 0:
        return None
    definer = next((one for one in uses if one.mention.start_byte == mention.binding), None)
    if definer is None or (around := definer.around) is None:
        return None
    first, last = around.lines
    alike = [row for row in rows_of(use.file) if row.name == use.name and row != around]
    beside = [
        row
        for row in alike
        if row.container == around.qualified_name and first <= row.lines[0] <= last
    ]
    if not is_type(around) and (not definer.defines or len(beside) > 1):
        return None
    return next((row for row in alike if row.line == definer.mention.line), None)


def _takes_member(search: UseSearch, use: Use) -> bool:
    """Whether a name in a pattern declares a local name for a member that is known."""
    mention = use.mention
    if not (mention.is_bound and mention.holders and mention.bound_at == mention.start_byte):
        return False
    fact = (search.resolver, use.file.path, mention, use.scope.qualified_name)
    return held_use(*fact).denoted.kind is Kind.SYMBOL


def _local_place(use: Use, uses: Sequence[Use]) -> int:
    """Returns the start of the name that binds a use in the code around it; negative if it is no
    local name, or a symbol."""
    mention = use.mention
    if mention.receiver or mention.is_label:
        return -1
    place = mention.binding if mention.binding >= 0 else mention.bound_at
    symbols = (one.mention.start_byte for one in uses if one.defines)
    return -1 if place in symbols else place


def _may_be_added(search: UseSearch, use: Use, receiver: Denoted) -> bool:
    """Whether the tree has a member of a used name that it adds to types of libraries."""
    files, ambient = search.resolver.files, search.resolver.ambient
    return bool(use.mention.receiver) and any(
        search.resolver.is_added_elsewhere(row)
        or extensions.receiver_of(files, row) is not None
        or (not receiver.rows and ambient.may_be_of_library(row))
        for row in files.named(use.name)
        if row.file.known_language in search.tree.languages.relatives_of(use.file.known_language)
    )


def _by_role(search: UseSearch, use: Use, rows: Sequence[Row]) -> Sequence[Row]:
    """Returns the symbols that a use can mean by its role, where a type and a value may have one
    name; all if none can."""
    language = search.tree.languages.by_id.get(use.file.known_language)
    is_import = use.mention.role == "import"
    if language is None or not language.rules.roles.types_apart or is_import:
        return rows
    every = [
        twin
        for row in rows
        for twin in search.resolver.files.of(row).by_name.get(row.qualified_name, ())
    ]
    is_of_type = use.mention.role in OF_TYPES
    return [row for row in every if is_type(row) == is_of_type] or rows


def _defined_apart(search: UseSearch, rows: Sequence[Row]) -> list[Row]:
    """Returns the definitions in other files of symbols that are only declared."""
    files, packages = search.resolver.files, search.resolver.packages
    declared = [row for row in rows if row.flags & SymbolFlag.DECLARATION]
    found = [
        other
        for row in declared
        for other in files.named(row.name)
        if not other.flags & SymbolFlag.DECLARATION and packages.are_one(row, other)
    ]
    return [*dict.fromkeys(row for row in found if row not in rows)]


def _module_paths(search: UseSearch, use: Use) -> list[str]:
    """Returns the files of the module that a part of its name in an import means."""
    file = search.resolver.files.of_file(use.file)
    ends = re.compile(rf"(?<![\w$]){re.escape(use.name)}(?![\w$])")
    names = {
        one.module[: ends_at.end()]
        for one in file.bindings.imports
        if (ends_at := ends.search(one.module)) is not None
    }
    found = [search.resolver.exports.module(file, name) for name in sorted(names)]
    paths = [path for module in found for path in _files_of(search.tree, module)]
    return [*dict.fromkeys(paths)]


def _files_of(tree: Tree, module: Denoted) -> list[str]:
    return [] if module.is_package else [path for path in module.paths if tree.snapshot.find(path)]


def _by_judges(
    tree: Tree, use: Use, uses: Sequence[Use], judged: dict[Row, list[Verdict]]
) -> _Judged:
    """Returns the symbols that a use may mean by names: each symbol of the name is asked which uses
    in the file are its own."""
    family = tree.languages.relatives_of(use.file.known_language)
    candidates = [
        meant.row
        for meant in symbols_named(tree, use.name)
        if meant.row.file.known_language in family and meant.row.kind is not SymbolKind.CONSTRUCTOR
        if not is_title(meant.row)
    ]
    language = tree.languages.by_id.get(use.file.known_language)
    if language is not None and not language.rules.ignores_case:
        candidates = [row for row in candidates if not _differ_in_case(row.name, use.name)]
    owner = last_name(use.mention.receiver)  # what is called like the receiver is likelier

    def order(row: Row) -> tuple[bool, bool, int]:
        is_named = bool(owner) and row.container.rpartition(".")[2] == owner
        return not is_named, *_distance(row.file.path, use.file.path)

    candidates.sort(key=order)
    mentions, scopes = [one.mention for one in uses], [one.scope for one in uses]
    number = next(number for number, one in enumerate(uses) if one is use)
    by_verdict: dict[Verdict, list[Row]] = {verdict: [] for verdict in Verdict}
    for row in candidates[:MOST_JUDGED]:
        if row not in judged:
            judge = ReferenceJudge(tree, row)
            judged[row] = judge.judge(use.file.path, use.file.known_language, mentions, scopes)
        by_verdict[judged[row][number]].append(row)
    ordered = (Verdict.IS, *UNSURE)
    found = [row for verdict in ordered for row in by_verdict[verdict]]
    is_whole = len(candidates) <= MOST_JUDGED
    is_sure = is_whole and len(found) == 1 and bool(by_verdict[Verdict.IS])
    return _Judged(found or candidates[:MOST_JUDGED], is_sure, bool(found))


def _differ_in_case(name: str, other: str) -> bool:
    return name != other and name.casefold() == other.casefold()


def _distance(path: str, other: str) -> tuple[bool, int]:
    """Returns a sort key of paths, smaller for those that share more folders with another."""
    pairs = zip(path.split("/"), other.split("/"), strict=False)
    shared = next((n for n, (left, right) in enumerate(pairs) if left != right), 99)
    return path != other, -shared


def _library_name(use: Use) -> str:
    """Returns the whole name of what a use means in a library, by the import of its first name:
    `requests.Session.get` for `s.get`, where `s` is declared to be a `Session`."""
    mention = use.mention
    steps = [step.name for step in chain_of(mention.receiver)] if mention.receiver else []
    if mention.role == "import":
        return f"{mention.receiver}.{mention.name}" if mention.receiver else mention.name
    declared = (mention.local.get(steps[0], []) or [""])[0] if steps else ""
    if declared[:1] in (":", "="):
        steps = [*(step.name for step in chain_of(declared[1:])), *steps[1:]]
    names = [*steps, mention.name]
    for local, module, name in mention.imports:
        if local == names[0]:
            is_named = name not in ("", ALL, DEFAULT)
            return ".".join([module, *([name] if is_named else []), *names[1:]])
    for local, module, name in _imports_of(use):
        if local == names[0]:
            return ".".join([module, *([name] if name else []), *names[1:]])
    return ".".join(names) if steps else ""


def _imports_of(use: Use) -> Iterable[tuple[str, str, str]]:
    origin = use.mention.origin
    first = chain_of(use.mention.receiver)
    return [(first[0].name, *origin)] if origin[0] and first else []


def uses_at(search: UseSearch, text: str, within: str | None) -> list[tuple[Use, list[Use]]]:
    """Returns the uses that a request means, each with all uses of the name in its file; none if
    the text is no place of a name. Raises RequestError for a place that does not exist.

    text: `path:line:column`, or a name that is used within a place. within: `path#symbol`,
    `path:line` or a path; `None` for none.
    """
    if within is not None:
        return _within(search, text.strip().strip("`"), within.strip().strip("`"))
    place = _PLACE.fullmatch(text.strip().strip("`"))
    file = file_of_place(search.tree, place["path"]) if place is not None else None
    if place is None or file is None:
        return []
    line, column = int(place["line"]), int(place["column"])
    for name in _names_at(search, file, line, column):
        uses = search.find([name], only=[file])
        for use in uses:
            after = column - use.mention.column
            if use.mention.line == line and 0 <= after <= len(name):
                return [(use, uses)]
    return []


def _names_at(search: UseSearch, file: IndexedFile, line: int, column: int) -> list[str]:
    """Returns what may be the name at a place, by several forms of names."""
    lines = read_text(search.tree, file, search.limits.max_file_bytes).lines
    if line > len(lines):
        return []
    code = lines[line - 1]
    around = code[max(0, column - 1 - _FURTHEST) : column + _FURTHEST]
    place = min(column - 1, _FURTHEST)
    words = [word for form in _WORDS for word in re.finditer(form, around)]
    return [*dict.fromkeys(word[0] for word in words if word.start() <= place <= word.end())]


_FURTHEST: Final = 400
"""Most characters of a name on each side of a place in it."""


def _within(search: UseSearch, text: str, within: str) -> list[tuple[Use, list[Use]]]:
    """Returns the uses of a name within a symbol, on a line, or in a file."""
    if not within:
        raise RequestError("used_in is empty: give path#symbol, path:line or a path")
    text = text.removesuffix("()")
    name, file, lines = last_part(text), None, (1, 10**9)
    place = _LINE.fullmatch(within)
    if place is not None:
        file, lines = file_of_place(search.tree, place["path"]), (int(place["line"]),) * 2
    elif "#" not in within:
        file = file_of_place(search.tree, within)
    if file is None:
        rows = find_target(search.tree, within, search.limits.max_file_bytes).rows
        if not rows:
            raise RequestError(
                f"{shorten(within, 100)} is no place of the workspace: give path#symbol, path:line"
                " or a path"
            )
        file, lines = rows[0].file, rows[0].lines
    receiver = BETWEEN_NAMES.split(text)[-2:-1]
    uses = search.find([name], only=[file])
    meant = [
        use
        for use in uses
        if lines[0] <= use.mention.line <= lines[1]
        and (not receiver or last_name(use.mention.receiver) == receiver[0])
    ]
    if not meant:
        raise RequestError(
            f"{shorten(text, 100)} is not used in {shorten(within, 100)}: give a name that occurs"
            " in its code"
        )
    return [(use, uses) for use in meant]


class Definitions(NamedTuple):
    """What a request for the definition of a used name leads to. library: the whole name of what a
    library may define, empty for none. path: of the module that the name means, empty for none."""

    target: Target
    library: str = ""
    path: str = ""


def find_definitions(search: UseSearch, request: SymbolRequest) -> Definitions | None:
    """Returns what the name that is used at a place means; `None` if the request is for no such
    place. Raises RequestError for a place that does not exist."""
    pairs = uses_at(search, request.symbol, request.used_in)
    if not pairs:
        return None
    judged: dict[Row, list[Verdict]] = {}  # all are uses of one name in one file
    meanings = [meaning_of(search, use, uses, judged) for use, uses in pairs[:MOST_USES]]
    first = meanings[0]
    rows = [*dict.fromkeys(row for meaning in meanings for row in meaning.rows)]
    firsts = {meaning.rows[0] for meaning in meanings if meaning.rows}
    is_sure = all(meaning.is_sure for meaning in meanings) and len(firsts) == 1
    by_meaning = {
        (*one.rows, one.library, one.local, *one.paths, one.setting): one for one in meanings[::-1]
    }
    notices = [*filter(None, (_notice(search, one) for one in [*by_meaning.values()][::-1]))]
    if len(pairs) > MOST_USES:
        notices.append(f"only the first {MOST_USES} of {len(pairs):,} uses there were looked at")
    if rows:
        return Definitions(Target(rows, is_sure or len(rows) == 1, notices=notices))
    if first.local >= 0 and first.use.around is not None:
        line = line_of_local(search, first)
        return Definitions(Target([first.use.around], True, notices=notices, focus=line))
    if first.setting is not None:
        owner, line = first.setting
        return Definitions(Target([_innermost(owner, line)], True, notices=notices, focus=line))
    library = next((one.library for one in meanings if one.library), "")
    path = next(iter(first.paths), "")
    return Definitions(Target([], False, notices=notices), library, path)


def _innermost(owner: Row, line: int) -> Row:
    """Returns the innermost symbol of a type around a line of it."""
    inner = [row for row in rows_of(owner.file) if row.lines[0] <= line <= row.lines[1]]
    return max(inner, key=lambda row: (row.lines[0], -row.lines[1]), default=owner)


_OF_PARTS: Final = "; what else has its name defines other parts of it"


def line_of_local(search: UseSearch, meaning: Meaning) -> int:
    """Returns the line that binds a local name."""
    data = read_text(search.tree, meaning.use.file, search.limits.max_file_bytes).data
    return data.count(b"\n", 0, meaning.local) + 1


def _list(rows: Sequence[Row]) -> str:
    more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return ", ".join(row.id for row in rows[:_SHOWN]) + more


_SHOWN: Final = 5
"""Most symbols that a notice names."""


def _notice(search: UseSearch, meaning: Meaning) -> str:
    """Returns a notice on how a use is bound; empty if it is the definition itself."""
    use = meaning.use
    at = f"`{use.name}` at {use.at}:{use.mention.column}"
    if use.defines:
        return ""
    if meaning.local >= 0:
        return f"{at} is a local name: line {line_of_local(search, meaning)} binds it"
    if meaning.setting is not None:
        owner, line = meaning.setting
        return f"{at} is no symbol but a member of {owner.id}: line {line} sets it"
    if meaning.paths:
        return f"{at} is the module {' or '.join(meaning.paths)}"
    if meaning.rows and meaning.is_sure:
        first = meaning.rows[0]
        is_opened = len(search.resolver.packages.openings(first)) > 1
        return f"{at} is bound to {first.id}{_OF_PARTS if is_opened else ''}"
    if meaning.rows and not meaning.is_by_name:
        return f"{at} may be bound to any one of {_list(meaning.rows)}"
    if meaning.rows and (receiver := use.mention.receiver):
        told = shorten(receiver, 60)
        if meaning.is_foreign:
            return f"{at} has a receiver of a type that the workspace does not define: `{told}`"
        return f"{at} has a receiver of unknown type: `{told}`"
    if meaning.rows:
        return f"{at} could not be bound: what has its name is shown"
    if meaning.library:
        return f"{at} means `{meaning.library}`, of which the workspace has no known definition"
    return f"{at} has no definition that was found in the workspace"
