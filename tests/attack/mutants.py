"""Mutants: changed real sources of all languages, in a tree that is indexed and asked.

Each file is read, or left out for a reported reason. Input that ends a worker is contained. An
exception, a file that is not accounted for, a hang, or a calling process that grows is a fault.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from symindex.errors import RequestError
from symindex.files.skips import SkipReason
from symindex.workspace.workspace import Workspace
from tests.attack.commands import own_peak_bytes, within
from tests.attack.figures import Figures, keep
from tests.attack.sources import Source, languages, sources, tokens

ROUND: Final = 300
"""Number of mutants in a tree."""

ROUND_SECONDS: Final = 400.0
"""Time limit of a tree, in seconds: some files may each take their limit of ten seconds."""

MOST_GROWTH: Final = 500_000_000
"""Bytes by which the process that requests the index may grow; other processes read the files."""

NOISE: Final = (
    b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", "\u202e".encode(), "\u2066".encode(),
    "\u2028".encode(), "\x85".encode(), "e\u0301".encode(), "\U0001d4b3".encode(), b"\r", b"\r\n", b"\n", b"\t", b"\x1b[31m",
    b"\\", b"\\\n",
    b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"'", b'"', b"`", b'"""', b"/*", b"*/", b"//", b"#", b"<!--", b"-->", b"${",
    b"#{", b"<<EOF\n", b"=begin\n", b"%w(", b"<?php ", b"?>", b"#if 1\n", b"#endif\n", b"@", b";", b":", b",", b"=>",
    b"->", b"...",
)  # fmt: skip
"""Pieces that are inserted, apart from tokens: brackets, quotes, comments, line ends, bytes that
are not text, bidirectional text."""


def mutant(chance: random.Random) -> Source:
    """Returns a source with a few changes."""
    source = chance.choice(sources())
    data = bytearray(source.data)
    for _ in range(chance.choice((1, 1, 2, 3, 5, 8, 40))):
        chance.choice(_CHANGES)(data, chance, source)
    ending = (
        source.ending if chance.random() < 0.95 else chance.choice(sorted(languages().values()))
    )
    return Source(source.language, ending, bytes(data[:MOST_BYTES]), source.place)


MOST_BYTES: Final = 1_900_000
"""Size limit, in bytes: changes can multiply a file, and larger files are not read."""


def _span(data: bytearray, chance: random.Random, most: int = 200) -> slice:
    offset = chance.randrange(len(data) + 1)
    return slice(offset, offset + chance.randrange(most))


def _flip(data: bytearray, chance: random.Random, _: Source) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _delete(data: bytearray, chance: random.Random, _: Source) -> None:
    del data[_span(data, chance)]


def _double(data: bytearray, chance: random.Random, _: Source) -> None:
    span = _span(data, chance)
    data[span] = data[span] * chance.choice((2, 2, 3, 100))


def _splice(data: bytearray, chance: random.Random, _: Source) -> None:
    other = bytearray(chance.choice(sources()).data)
    data[_span(data, chance)] = other[_span(other, chance, 2_000)]


def _insert(data: bytearray, chance: random.Random, source: Source) -> None:
    offset = chance.randrange(len(data) + 1)
    data[offset:offset] = chance.choice(
        tokens(source.language) if chance.random() < 0.5 else NOISE
    ) * chance.choice((1, 1, 1, 2, 50))


def _move(data: bytearray, chance: random.Random, _: Source) -> None:
    span = _span(data, chance)
    piece = data[span]
    del data[span]
    offset = chance.randrange(len(data) + 1)
    data[offset:offset] = piece


def _truncate(data: bytearray, chance: random.Random, _: Source) -> None:
    del data[chance.randrange(len(data) + 1) :]


def _repeat_line(data: bytearray, chance: random.Random, _: Source) -> None:
    lines = data.split(b"\n")
    index = chance.randrange(len(lines))
    lines[index] = b"\n".join(  # type: ignore[call-overload]
        [lines[index]] * (1_000 if chance.random() < 0.1 else chance.randint(2, 20))
    )
    data[:] = b"\n".join(lines)


def _shuffle_lines(data: bytearray, chance: random.Random, _: Source) -> None:
    lines = data.split(b"\n")
    chance.shuffle(lines)
    data[:] = b"\n".join(lines)


def _join_lines(data: bytearray, chance: random.Random, _: Source) -> None:
    span = _span(data, chance, 1_000)
    data[span] = data[span].replace(b"\n", chance.choice((b"", b" ", b"\r", b"\r\n")))


_CHANGES: Final = (
    *(_flip, _delete, _double, _splice, _insert, _move, _truncate),
    *(_flip, _delete, _insert, _insert, _splice, _repeat_line, _shuffle_lines, _join_lines),
)


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of mutants."""
    figures, before = Figures(count, Counter(), []), own_peak_bytes()
    for first in range(0, count, ROUND):
        some = {
            number: mutant(random.Random(f"{seed} {number}"))
            for number in range(first, min(first + ROUND, count))
        }
        with tempfile.TemporaryDirectory(prefix="symindex-mutants") as top:
            try:
                with within(ROUND_SECONDS, f"mutants {first} to {first + len(some)}"):
                    _attack(Path(top), some, figures, random.Random(seed), f"mutant-{seed}")
            except Exception as error:  # any exception is a fault
                figures.faults.append(
                    f"mutants {first} to {first + len(some)}: {type(error).__name__}: {error}"
                )
        say(f"mutants: {first + len(some):,} of {count:,}, {len(figures.faults)} faults")
    if own_peak_bytes() - before > MOST_GROWTH:
        figures.faults.append(
            f"mutants: this process grew by {(own_peak_bytes() - before) // 1_000_000:,} MB"
        )
    return figures


def _attack(
    top: Path, some: dict[int, Source], figures: Figures, chance: random.Random, name: str
) -> None:
    root, paths = (
        top / "tree",
        {number: source.path(f"m{number}") for number, source in some.items()},
    )
    for number, source in some.items():
        path = root / paths[number]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.data)
    with Workspace(root, top / "index") as workspace:
        figures.faults.extend(f"mutants: {notice}" for notice in workspace.refresh().notices)
        files = {
            file.path: file for file, _ in workspace.source.indexed.snapshot.files_and_counts()
        }
        for number, source in some.items():
            file = files.get(paths[number])
            if file is None:
                figures.faults.append(
                    f"mutant {number} ({paths[number]}): not in the index, and no reason told"
                )
            elif file.skip:
                figures.contained[file.skip] += 1
                if file.skip == SkipReason.KILLED:
                    figures.faults.append(
                        f"mutant {number} ({paths[number]}): {file.skip}, and nobody has killed it"
                    )
                if file.skip not in EXPECTED:
                    keep(f"{name}-{paths[number]}", source.data)
        for number in chance.sample(sorted(some), min(len(some), ASKED)):
            _ask(workspace, paths[number], some[number], chance)


ASKED: Final = 10
"""Number of files of a tree that questions are about."""

REFERENCES: Final = 0.3
"""Share of these files for which references are requested, too; other processes search for them."""

EXPECTED: Final = frozenset((SkipReason.BINARY, SkipReason.MINIFIED, SkipReason.UNSUPPORTED))
"""Reasons that reveal nothing about a parser."""


def _ask(workspace: Workspace, path: str, source: Source, chance: random.Random) -> None:
    """Asks for names that a file may contain; gets an answer or a RequestError."""
    word = chance.choice(tokens(source.language)).decode("utf-8", "replace")
    piece = source.data[_span(bytearray(source.data), chance, 60)].decode("utf-8", "replace")
    asks: list[tuple[Callable[[str], object], str]] = [(workspace.outline, path)]
    if source.place:
        anything = partial(workspace.search, type="all", include=["metadata", "snippet"])
        asks += [
            (ask, query)
            for ask in (anything, lambda text: workspace.fetch(item_id=text))
            for query in (word, piece)
        ]
        asks += [(anything, ""), (anything, f'"{word}"'), (anything, f"content:{word}")]
    asks += [
        (ask, query) for ask in (workspace.search, workspace.symbol) for query in (word, piece)
    ]
    if chance.random() < REFERENCES:
        asks.append((workspace.references, chance.choice((word, piece))))
    for ask, query in asks:
        try:
            ask(query)
        except RequestError:
            pass
        except Exception as error:
            raise AssertionError(f"{query!r}: {type(error).__name__}: {error}") from error
