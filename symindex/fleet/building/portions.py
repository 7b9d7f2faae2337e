"""Portions of a large repository that are made by different processes: each is an object for a
while, until one process joins them."""

from collections import Counter
from typing import Final

from symindex.extract.languages.registry import Languages
from symindex.fleet.building.build import (
    BuiltObject,
    MadePortion,
    Portion,
    RepositoryChangedError,
    make_portion,
    portions_of,
    read_portions,
    write_object,
)
from symindex.fleet.building.reading_plan import ReadingPlan
from symindex.fleet.stored.repository_object import (
    check_piece,
    head_length,
    make_object,
    read_head,
)
from symindex.fleet.stored.source_pack import read_table
from symindex.fleet.stored.store import Store
from symindex.index.store import index_file, read_index

FOLDER: Final = "portions"


def write_portion(
    store: Store,
    plan: ReadingPlan,
    numbers: tuple[int, int],
    languages: Languages,
    rules: bytes,
    n_workers: int | None,
) -> str:
    """Reads a portion of a repository and writes its object. Returns the name.

    numbers: of the portion, and how many there should be. Raises RepositoryChangedError if the
    repository has changed since they were counted.
    """
    portions = list(portions_of(plan))
    number, count = numbers
    if len(portions) != count:
        raise RepositoryChangedError("changed while it was read; the next run tries again")
    portion: Portion = portions[number]
    (made,) = (
        make_portion(portion, results, rules)
        for _, results in read_portions([portion], languages, n_workers)
    )
    left_out = made.left_out + (Counter(plan.left_out) if not number else Counter())
    index = made.indexed
    name, pieces = make_object(
        f"{plan.key}.{number}.{count}",
        rules,
        (b"".join(index_file(index, rules)), index.columns.generation),
        (index.n_files, index.n_symbols, made.source_bytes),
        (dict(left_out), plan.skips if not number else []),
        made.pack,
        FOLDER,
    )
    store.write(name, b"".join(pieces))
    return name


def join_portions(store: Store, key: str, rules: bytes, names: list[str]) -> BuiltObject:
    """Joins the portions of a repository and deletes their objects. names: in order. Raises
    StorageError and IndexFileError."""
    made: list[MadePortion] = []
    skips: list[tuple[str, str]] = []
    for name in names:
        data = store.read(name)
        length = head_length(data, name)
        head = read_head(data[:length], name)
        pieces = [
            check_piece(data[start : start + size], piece, name)
            for (start, size), piece in zip(
                head.places(length), [head.index, head.table, *head.frames], strict=True
            )
        ]
        index = read_index(pieces[0], rules, name)
        source = read_table(pieces[1]), pieces[2:]
        made.append(MadePortion(index, source, Counter(head.left_out), head.source_bytes))
        skips += head.skips
    built = write_object(store, key, rules, made, {}, skips)
    store.delete(names)
    return built
