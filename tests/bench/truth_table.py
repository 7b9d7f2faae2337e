"""Our references and subtypes compared with the truth of `truth_data`, and the rows that are wrong.

The definition of the drawn symbol does not count: it is always found.
"""

import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import symindex
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.hierarchy import HierarchyRequest
from symindex.resolve.tree import indexed_files
from symindex.workspace.workspace import Workspace
from tests.bench.places import say
from tests.bench.truth_data import OWN, RELATED, UNKNOWN, Place, Symbol, TreeTruth, Truth, digest_of
from tests.bench.truth_servers import SERVER_OF

COLUMNS: Final = (
    *("language", "half", "names", "rows", "symbols", "uses"),
    *("unmarked right", "or unknown", "shown unmarked", "recall"),
)
_NAMES: Final = {False: "rare", True: "common"}


@dataclass
class Tally:
    """Counts of places. right, wrong, unknown: our unmarked rows; a wrong row counts as many times
    as the truth has places that it represents. uses: of the truth; sure, found: those that we show
    unmarked, and at all."""

    symbols: int = 0
    uses: int = 0
    sure: int = 0
    found: int = 0
    right: int = 0
    wrong: float = 0.0
    unknown: float = 0.0

    def cells(self) -> tuple[str, ...]:
        """Returns the last cells of a row of the table."""
        judged = self.right + self.wrong
        return (
            str(self.symbols),
            str(self.uses),
            share(self.right, judged),
            share(self.right, judged + self.unknown),
            share(self.sure, self.uses),
            share(self.found, self.uses),
        )


def share(part: float, whole: float) -> str:
    """Returns a share with three digits; nothing if there is nothing to divide."""
    return f"{part / whole:.3f}" if whole else ""


class Fault(NamedTuple):
    """A row to look at. what: wrong, missed or marked. receiver: its kind."""

    what: str
    receiver: str
    symbol: str
    place: str
    text: str


Tallies = dict[tuple[str, str, str], Tally]
"""By half, kind of names, and role or `all`."""


@dataclass
class Comparison:
    """What was counted, and the faults of the half that may be seen."""

    tallies: Tallies = field(default_factory=lambda: defaultdict(Tally))
    faults: list[Fault] = field(default_factory=list)

    def count(self, symbol: Symbol, role: str, name: str, by: float = 1) -> None:
        """Adds to one number of every tally that a place of this role belongs to."""
        for names in ("all", _NAMES[symbol.is_common]):
            for rows in ("all", role) if role else ("all",):
                tally = self.tallies[symbol.half, names, rows]
                setattr(tally, name, getattr(tally, name) + by)


def compare(truth: Truth, comparison: Comparison) -> None:
    """Compares all trees of a language."""
    for tree in truth.trees:
        root = Path(tree.folder)
        with (
            tempfile.TemporaryDirectory() as scratch,
            symindex.open(root, Path(scratch, "index")) as workspace,
        ):
            workspace.refresh()
            _check_digest(tree, SERVER_OF[truth.language].suffixes, workspace)
            for symbol in tree.symbols:
                _compare_symbol(workspace, symbol, comparison, set(tree.unseen))


def _check_digest(tree: TreeTruth, suffixes: tuple[str, ...], workspace: Workspace) -> None:
    paths = (file.path for file in indexed_files(workspace.source.tree()))
    some = [path for path in paths if path.endswith(suffixes)]
    if digest_of(Path(tree.folder), some) != tree.digest:
        say(f"{tree.folder}: files have changed since the truth was collected")


class _Row(NamedTuple):
    role: str
    is_unsure: bool


def _rows(workspace: Workspace, name: str) -> dict[Place, _Row]:
    return {
        (file.file_path, item.line, item.column): _Row(item.role, item.is_unsure)
        for file in workspace.references(ReferencesRequest(name=name, all=True), seconds=60).files
        for item in file.items
    }


def _compare_symbol(
    workspace: Workspace, symbol: Symbol, comparison: Comparison, unseen: set[tuple[str, int]]
) -> None:
    rows = _rows(workspace, symbol.id)
    by_name: dict[Place, _Row] | None = None
    verdicts = symbol.verdicts()
    comparison.count(symbol, "", "symbols")

    def blame(what: str, place: Place) -> None:
        if symbol.half == "seen":
            comparison.faults.append(_fault(workspace.root, what, symbol, place))

    for place, row in rows.items():
        verdict = verdicts.get(place, UNKNOWN)
        if place == symbol.name_place or row.is_unsure:
            continue
        if verdict in (OWN, RELATED):
            comparison.count(symbol, row.role, "right")
        elif verdict == UNKNOWN:
            if place in verdicts or symbol.weight == 1.0:
                comparison.count(symbol, row.role, "unknown", symbol.weight)
                blame("unknown", place)
        else:
            comparison.count(symbol, row.role, "wrong", symbol.weight)
            blame("wrong", place)
    for place, verdict in verdicts.items():
        if verdict != OWN or place == symbol.name_place:
            continue
        if (row_or_none := rows.get(place)) is None:
            if by_name is None:
                by_name = _rows(workspace, symbol.name)
            role = by_name[place].role if place in by_name else "not listed by name"
            comparison.count(symbol, role, "uses")
            blame("missed", place)
            continue
        comparison.count(symbol, row_or_none.role, "uses")
        comparison.count(symbol, row_or_none.role, "found")
        if row_or_none.is_unsure:
            blame("marked", place)
        else:
            comparison.count(symbol, row_or_none.role, "sure")
    if symbol.subtypes is not None:
        _compare_subtypes(workspace, symbol, comparison, unseen)


def _compare_subtypes(
    workspace: Workspace, symbol: Symbol, comparison: Comparison, unseen: set[tuple[str, int]]
) -> None:
    """Counts direct subtypes as the rows `subtypes`."""
    request = HierarchyRequest(symbol=symbol.id, depth=1, max_items=10_000)
    items = workspace.hierarchy(request, seconds=60).items
    ours = {
        (item.file_path, item.line): item.is_unsure
        for item in items
        # a server of structural types lists only the types that implement an interface
        if item.file_path and not (item.file_path.endswith(".go") and item.kind == "interface")
    }
    theirs = set(symbol.subtypes or ())
    path, line, _ = symbol.name_place
    for place in {(path, line), *unseen}:
        ours.pop(place, None)
    tallies = [
        comparison.tallies[symbol.half, names, "subtypes"]
        for names in ("all", _NAMES[symbol.is_common])
    ]
    for tally in tallies:
        tally.symbols += 1
        tally.uses += len(theirs)
        tally.found += len(theirs & ours.keys())
        tally.sure += sum(place in theirs and not unsure for place, unsure in ours.items())
        tally.right += sum(place in theirs and not unsure for place, unsure in ours.items())
        tally.wrong += sum(place not in theirs and not unsure for place, unsure in ours.items())
    if symbol.half == "seen":
        for what, some in (("wrong", ours.keys() - theirs), ("missed", theirs - ours.keys())):
            for path, line in sorted(some):
                comparison.faults.append(
                    Fault(f"{what} subtype", "", symbol.id, f"{path}:{line}", "")
                )


_SELF: Final = re.compile(r"(?:\b(?:self|this|cls)|\$this)\s*(?:\.|\?\.|->|::)\s*#?$")
_RECEIVER: Final = re.compile(r"([\w$)\]}\"'`]+)\s*[!?]?\s*(?:\.|->|::)\s*#?$")


def receiver_kind(before: str) -> str:
    """Returns what is in front of a name in its line: its kind of receiver."""
    if _SELF.search(before):
        return "self"
    match = _RECEIVER.search(before)
    if match is None:
        return "at the start of a line" if before.strip() in ("", ".") else "none"
    receiver = match[1]
    if receiver[-1] in ")]}\"'`":
        return {")": "a call", "]": "an element"}.get(receiver[-1], "a literal")
    if re.search(r"[\w$)\]]\s*[!?]?\s*(?:\.|->|::)\s*$", before[: match.start(1)]):
        return "a member"
    return "a capitalized name" if receiver[0].isupper() else "a name"


def _fault(root: Path, what: str, symbol: Symbol, place: Place) -> Fault:
    path, line, column = place
    lines = (root / path).read_text("utf-8", "replace").split("\n")
    text = lines[line - 1] if line <= len(lines) else ""
    receiver = receiver_kind(text[: column - 1])
    where = f"{root.name}/{path}:{line}:{column}"
    return Fault(what, receiver, symbol.id, where, text.strip()[:120])


def table(language: str, tallies: Tallies) -> Iterator[str]:
    """Yields the rows of a language: first of all names, then of rare and common ones, by role."""
    for half in ("seen", "unseen"):
        for names in ("all", "rare", "common"):
            roles = [key[2] for key in tallies if key[:2] == (half, names) and key[2] != "all"]
            for rows in ("all", *sorted(roles)) if names == "all" else ("all", "subtypes"):
                if (tally := tallies.get((half, names, rows))) is not None:
                    cells = (language, half, names, rows, *tally.cells())
                    yield f"| {' | '.join(cells)} |"


def fault_lines(faults: Iterable[Fault], n_rows: int) -> Iterator[str]:
    """Yields the faults by what they are and by kind of receiver, the most frequent kinds first, at
    most so many of each kind, with no more than three of a symbol."""
    groups = defaultdict[tuple[str, str], list[Fault]](list)
    for fault in faults:
        groups[fault.what, fault.receiver].append(fault)
    for (what, receiver), rows in sorted(
        groups.items(), key=lambda item: (item[0][0], -len(item[1]))
    ):
        yield f"{what}, receiver: {receiver or 'a type'}: {len(rows)}"
        of_symbol, shown = Counter[str](), 0
        for row in rows:
            of_symbol[row.symbol] += 1
            if of_symbol[row.symbol] <= 3 and shown < n_rows:
                shown += 1
                yield f"  {row.place}: {row.text}\n      of {row.symbol}"
