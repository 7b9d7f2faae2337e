"""The names and paths most similar to a text that was not found."""

from collections.abc import Iterable, Iterator
from typing import Final

from symindex.index.snapshot import Snapshot
from symindex.search.answer.filters import Filter, PartFilter
from symindex.search.match.lookup import names_like
from symindex.text.folding import fold, squashed

SUGGESTIONS: Final = 3
"""The most suggestions."""

_EXAMINED: Final = 50
"""Most similar names that are examined; some may belong to files that are gone or filtered."""

_LEAST_LIKENESS: Final = 60.0
_LEAST_PATH_LIKENESS: Final = 70.0
"""Least similarity, of 100, of a suggested name or path. Parts of paths are short words, which
easily resemble each other."""

_MOST_PATHS: Final = 50_000
"""Most folders and files that are examined."""


def suggest(snapshot: Snapshot, name: str) -> list[str]:
    """Returns the names most similar to one that was not found, best first."""
    return nearest_names([PartFilter(part, Filter()) for part in snapshot.parts], name)


def nearest_names(filters: Iterable[PartFilter], name: str) -> list[str]:
    """Returns the names of symbols that pass a filter and are most similar to one that was not
    found; never that name itself."""
    from rapidfuzz import (
        fuzz,
        process,
    )  # imported here, because most searches find something and this import takes 15 ms

    near: list[tuple[float, str, str, str]] = []
    for chosen in filters:
        index = chosen.index
        numbers = names_like(index, name)
        folded = fold("\0".join(index.names.take(numbers))).split("\0") if len(numbers) else []
        for _, score, number in process.extract(
            fold(name), folded, scorer=fuzz.ratio, limit=_EXAMINED, score_cutoff=_LEAST_LIKENESS
        ):
            candidate = index.names[int(numbers[number])]
            if (
                candidate != name
                and chosen.keeps(index.rows_of_names(numbers[number : number + 1])).any()
            ):
                near.append((-score, squashed(candidate), fold(candidate), candidate))
    return list(dict.fromkeys(candidate for *_, candidate in sorted(near)))[:SUGGESTIONS]


def nearest_paths(snapshot: Snapshot, text: str) -> list[str]:
    """Returns the folders, each followed by a slash, and the files most similar to a path that was
    not found, or to a part of it."""
    from rapidfuzz import fuzz, process

    folded, near = fold(text).strip("/"), list[tuple[float, str]]()
    for part in snapshot.parts:
        every = part.index.paths.all
        files = [part.prefix + every[number] for number in part.live_files()[:_MOST_PATHS]]
        paths = [*dict.fromkeys(folder for path in files for folder in _folders_of(path)), *files]
        compared = [
            fold(path.rstrip("/") if "/" in folded else path.rstrip("/").rpartition("/")[2])
            for path in paths
        ]
        for _, score, place in process.extract(
            folded, compared, scorer=fuzz.ratio, limit=_EXAMINED, score_cutoff=_LEAST_PATH_LIKENESS
        ):
            near.append((-score, paths[place]))
    return list(dict.fromkeys(path for _, path in sorted(near) if path != text))[:SUGGESTIONS]


def nearest_of(names: Iterable[str], text: str) -> list[str]:
    """Returns those of some names that are most similar to a text, as a whole or in their last
    component."""
    from rapidfuzz import fuzz, process

    folded, near = fold(text).strip("/*"), list[tuple[float, str]]()
    by_form: dict[str, list[str]] = {}
    for name in names:
        for form in {fold(name), fold(name).rpartition("/")[2]}:
            by_form.setdefault(form, []).append(name)
    for form, score, _ in process.extract(
        folded, [*by_form], scorer=fuzz.ratio, limit=_EXAMINED, score_cutoff=_LEAST_LIKENESS
    ):
        near += [(-score, name) for name in by_form[form]]
    return list(dict.fromkeys(name for _, name in sorted(near)))[:SUGGESTIONS]


def _folders_of(path: str) -> Iterator[str]:
    """Returns the folders around a file, each followed by a slash."""
    return (path[:end] for end in range(1, len(path)) if path[end - 1] == "/")
