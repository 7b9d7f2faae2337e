"""Which of several symbols of a name is likelier meant: how central it is, whether others can see
it, and what was shown last."""

import re
from collections.abc import Sequence
from typing import Any, Final

from symindex.explore.tree import Row, Tree
from symindex.protocol.kinds import SymbolFlag
from symindex.search.names.centrality import central_points

NOT_EXPORTED: Final = 0.7
"""What a symbol counts that is not visible to all, in a language that says so of others."""

STANDS_IN: Final = 0.4
"""What one counts that stands in for another: a mock, a stub, a shim."""

NEAR: Final = 1.3
"""What one counts more in a file that was shown last, or beside one."""

CLEARLY: Final = 1.5
"""So many times as likely as the next one is as good as sure, where there are many."""

_STAND_INS: Final = re.compile(
    r"(?:^|[/_.-])(?:mock|mocks|fake|fakes|stub|stubs|shim|shims|dummy|compat)(?:[/_.-]|$)",
    re.IGNORECASE,
)


def by_likelihood(tree: Tree, rows: Sequence[Row]) -> list[tuple[float, Row]]:
    """The symbols with their likelihoods, which only compare with each other, the likeliest
    first."""
    parts = [part for part in tree.snapshot.parts if part.index.n_symbols]
    memo: Any = tree.snapshot.memo
    if "likelihood" not in memo:
        memo["likelihood"] = {
            id(part): points for part, points in zip(parts, central_points(parts), strict=True)
        }
    says_exported = any(row.flags & SymbolFlag.EXPORTED for row in rows)
    recent = [path.rpartition("/")[0] for path in tree.recent]

    def likelihood(row: Row) -> float:
        points = float(memo["likelihood"][id(row.part)][row.number])
        if says_exported and not row.flags & SymbolFlag.EXPORTED:
            points *= NOT_EXPORTED
        path = row.file.path
        if _STAND_INS.search(path):
            points *= STANDS_IN
        return points * (NEAR if path in tree.recent or path.rpartition("/")[0] in recent else 1.0)

    return sorted(
        ((likelihood(row), row) for row in rows), key=lambda pair: -pair[0]
    )  # of equals, as they were
