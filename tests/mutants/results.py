"""The results of a seed: appended as they come, and written as a page."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tests.mutants.draw import Mutant
from tests.mutants.trial import Result


class Equivalent(msgspec.Struct, forbid_unknown_fields=True):
    """A mutant that no test can notice. line: the line before the change. after: that after it;
    empty: each mutant of the operator on the line. why: why both are the same program."""

    file: str
    line: str
    operator: str
    why: str
    after: str = ""

    def is_about(self, mutant: Mutant) -> bool:
        return (self.file, self.line, self.operator) == (
            mutant.file,
            mutant.before,
            mutant.operator,
        ) and self.after in ("", mutant.after)


class _Equivalents(msgspec.Struct, forbid_unknown_fields=True):
    equivalent: list[Equivalent] = []


def read_equivalents(path: Path) -> list[Equivalent]:
    """The mutants that are known to be equivalent."""
    return msgspec.toml.decode(path.read_bytes(), type=_Equivalents).equivalent


class Results:
    """The results in a file, one line each; of the same mutant, the last counts."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[tuple[str, str, int, str], Result]:
        if not self._path.exists():
            return {}
        # A run that was killed may have left half a line.
        results = {}
        for line in self._path.read_bytes().splitlines():
            try:
                result = msgspec.json.decode(line, type=Result)
            except msgspec.DecodeError:
                continue
            results[result.mutant.key] = result
        return results

    def add(self, result: Result) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            file.write(b"\n" + msgspec.json.encode(result))


def page(
    title: str, results: Sequence[Result], equivalents: Sequence[Equivalent], n_drawn: int
) -> str:
    """The page: the score of each room, then what no test noticed."""
    why = {
        result.mutant.key: entry.why
        for result in results
        for entry in equivalents
        if entry.is_about(result.mutant)
    }
    counted = [result for result in results if result.mutant.key not in why]
    rooms: dict[str, list[Result]] = defaultdict(list)
    for result in counted:
        rooms[result.mutant.room].append(result)
    lines = [title, ""]
    if len(results) < n_drawn:
        lines += [f"{n_drawn - len(results)} of {n_drawn} mutants have not been tried.", ""]
    lines += [
        "| room | mutants | noticed | survived | not reached | not decided | score |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *(_row(f"`{room}`", group) for room, group in sorted(rooms.items())),
        _row("all", counted),
        "",
    ]
    for outcome, heading in (
        ("survived", "No test noticed"),
        ("not reached", "No test reaches the line"),
        ("not decided", "The tests did not end in time"),
    ):
        group = [result for result in counted if result.outcome == outcome]
        lines += _listed(f"{heading} ({len(group)})", group)
    equivalent = [result for result in results if result.mutant.key in why]
    lines += _listed(f"Equivalent, and not counted ({len(equivalent)})", equivalent, why)
    return "\n".join(lines).rstrip() + "\n"


def score(results: Sequence[Result]) -> float | None:
    """The share of noticed mutants among those that are decided."""
    decided = [result for result in results if result.outcome != "not decided"]
    if not decided:
        return None
    return sum(result.outcome == "noticed" for result in decided) / len(decided)


def _row(name: str, results: Sequence[Result]) -> str:
    counts = [
        sum(result.outcome == outcome for result in results)
        for outcome in ("noticed", "survived", "not reached", "not decided")
    ]
    share = score(results)
    shown = "" if share is None else f"{share:.2f}"
    return f"| {name} | {len(results)} | {' | '.join(map(str, counts))} | {shown} |"


def _listed(
    heading: str,
    results: Sequence[Result],
    why: dict[tuple[str, str, int, str], str] | None = None,
) -> list[str]:
    if not results:
        return []
    lines = [f"## {heading}", ""]
    for result in sorted(results, key=lambda result: (result.mutant.file, result.mutant.line)):
        mutant = result.mutant
        lines += [
            f"- `{mutant.file}:{mutant.line}` {mutant.operator}:",
            f"  {_code(mutant.before)} → {_code(mutant.after)}",
        ]
        if why:
            lines.append(f"  {why[mutant.key]}")
    lines.append("")
    return lines


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"
