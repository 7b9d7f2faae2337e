"""Which files were moved: of those that are gone and those that are new, the pairs with most lines
in common, as git has it."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from symindex.cancellation import check_wanted

MOST_FILES: Final = 100
"""Where more are gone, or new, none is taken for moved: each is compared with each."""

MOST_BYTES: Final = 500_000
"""A larger file is not compared."""

LEAST: Final = 0.5
"""The share of a file's bytes that must be in lines of both."""


def find_renames(
    gone: Sequence[tuple[str, bytes]], new: Sequence[tuple[str, bytes]]
) -> dict[int, int]:
    """By the number of a new file, that of the one that it was. gone, new: paths and contents."""
    lines = [[Counter(data.split(b"\n")) for _, data in files] for files in (gone, new)]
    sizes = [[len(data) for _, data in files] for files in (gone, new)]
    likely: list[tuple[float, bool, int, int]] = []
    for number, has in enumerate(lines[1]):
        check_wanted()
        for before, had in enumerate(lines[0]):
            largest, smallest = (
                max(sizes[1][number], sizes[0][before]),
                min(sizes[1][number], sizes[0][before]),
            )
            if smallest < LEAST * largest or not smallest:
                continue
            shared = sum(
                min(count, has[line]) * (len(line) + 1)
                for line, count in had.items()
                if line in has and line
            )
            if shared >= LEAST * largest:
                is_other = _name_of(gone[before][0]) != _name_of(new[number][0])
                likely.append((-shared / largest, is_other, number, before))
    found: dict[int, int] = {}
    for _, _, number, before in sorted(likely):
        if number not in found and before not in found.values():
            found[number] = before
    return found


def _name_of(path: str) -> str:
    return path.rpartition("/")[2]
