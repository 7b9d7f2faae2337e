"""The memory of a build: limits per symbol, and unnamed files for data that is needed only at the
end.

Memory means what Python and numpy allocate, which hardly differs from run to run.
`python -m tests.bench cold` measures whole processes.
"""

import io
import os
from pathlib import Path
from typing import Any

import pytest

from symindex.errors import StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.index import scratch
from symindex.index.build import build_index
from symindex.index.intake import Intake
from symindex.index.scratch import Scratch
from symindex.workspace.indexed_root import IndexedRoot
from tests.bench.synthetic import Shape, make_files
from tests.mutate import ROOT
from tests.support.command import run_python
from tests.support.files import write_files
from tests.support.rows import without_stamps

SYMBOLS = 60_000


BUILD = """
import sys, tracemalloc
from pathlib import Path
import msgspec
from symindex.extract.records import FileSymbols
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.build import build_index
from symindex.index.intake import Intake
from symindex.index.scratch import Scratch
from symindex.text.decoding import decode
from tests.bench.synthetic import Shape, make_files
symbols = int(sys.argv[2])
read = [msgspec.msgpack.encode(file) for file in make_files(Shape(symbols // 3, symbols, symbols // 50))]
with Scratch.in_folder(PrivateFolder(Path(sys.argv[1]))) as scratch:
    tracemalloc.start()
    intake = Intake(scratch)
    for answer in read:
        intake.add([decode(answer, FileSymbols)])
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    index = build_index(intake)
    _, peak = tracemalloc.get_traced_memory()
print(index.n_symbols, kept, peak)
"""
"""Runs in its own process, so that nothing left by other tests counts."""


@pytest.mark.nightly
@pytest.mark.slow
def test_the_memory_of_a_build_per_symbol_is_limited(tmp_path: Path) -> None:
    """Without the scratch file, and with all columns made at once, a symbol took 182 bytes until
    all files were read, and 499 at most. With a million symbols, where constant costs matter
    little, the peak fell from 1,270 MB to 469 MB."""
    done = run_python(BUILD, tmp_path, str(SYMBOLS), cwd=ROOT)
    assert not done.returncode, done.stderr
    n_symbols, kept, peak = map(int, done.stdout.split())
    assert n_symbols == SYMBOLS
    assert (kept < 110 * SYMBOLS, peak < 420 * SYMBOLS) == (True, True), (
        kept / SYMBOLS,
        peak / SYMBOLS,
    )


MERGE = """
import sys, tracemalloc
from symindex.index.build import build_index
from symindex.packages.indexes.environment_base import merge
from tests.bench.synthetic import Shape, make_files
symbols, n_indexes = int(sys.argv[1]), 20
shape = Shape(symbols // 3 // n_indexes, symbols // n_indexes, symbols // 50)
indexes = [(build_index(make_files(shape)), f"repository{n}/") for n in range(n_indexes)]
tracemalloc.start()
index = merge(indexes, b"")
_, peak = tracemalloc.get_traced_memory()
print(index.n_symbols, peak)
"""


@pytest.mark.nightly
@pytest.mark.slow
def test_the_memory_of_a_merge_per_symbol_is_limited() -> None:
    """It takes 483 bytes; when all indexes were read at once, it took 1,146."""
    done = run_python(MERGE, str(SYMBOLS), cwd=ROOT)
    assert not done.returncode, done.stderr
    n_symbols, peak = map(int, done.stdout.split())
    assert n_symbols == SYMBOLS
    assert peak < 600 * SYMBOLS, peak / SYMBOLS


def test_a_file_makes_no_difference_and_leaves_nothing(tmp_path: Path) -> None:
    files = list(make_files(Shape(300, 1_000, 30)))
    with Scratch.in_folder(PrivateFolder(tmp_path)) as scratch:
        intake = Intake(scratch)
        intake.add(files)
        columns = build_index(intake).columns
        assert scratch.size
        assert os.name == "nt" or not list(tmp_path.iterdir())
    assert without_stamps(columns) == without_stamps(build_index(files).columns)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system offers no full disk")
def test_a_full_disk_makes_the_rest_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full from the first byte, or halfway. If the data exceeds the memory limit, an
    error says so, and the old index stays."""
    root = write_files(tmp_path / "tree", {"a.py": "def before(): pass\n"})
    with IndexedRoot(root, tmp_path / "index") as workspace:
        workspace.refresh()
        stored = {path: path.read_bytes() for path in workspace.folder.iterdir()}
        for most in (-1, scratch.MOST_IN_MEMORY):
            with open("/dev/full", "w+b", buffering=0) as full, monkeypatch.context() as patch:
                patch.setattr(PrivateFolder, "scratch", lambda _, full=full: full)
                patch.setattr(scratch, "MOST_IN_MEMORY", most)
                if most > 0:
                    assert workspace.refresh(rebuild=True).symbols == 1
                    continue
                with pytest.raises(
                    StorageError, match="No space left on device; make room or name another place"
                ):
                    workspace.refresh(rebuild=True)
                assert {path: path.read_bytes() for path in workspace.folder.iterdir()} == stored
        assert workspace.refresh(rebuild=True).symbols == 1


class Filling(io.FileIO):
    """A file on a disk with room for a given number of bytes."""

    room = 100

    def write(self, data: Any) -> int:
        taken = min(len(data), self.room - self.tell())
        if taken <= 0:
            raise OSError(28, "No space left on device")
        return super().write(data[:taken])


def test_what_was_written_before_the_disk_was_full_is_kept(tmp_path: Path) -> None:
    kept = Scratch(Filling(tmp_path / "file", "w+b"), tmp_path)
    pieces = [bytes([number]) * 7 for number in range(40)]
    places = [kept.add(piece) for piece in pieces]
    assert [kept.read(place, 7) for place in places] == pieces and kept.size == 280


def test_a_shortened_text_is_reported(tmp_path: Path) -> None:
    with open(tmp_path / "file", "w+b") as file:
        scratch = Scratch(file, tmp_path)
        scratch.add(b"12345678")
        file.truncate(4)
        with pytest.raises(StorageError, match="has become shorter"):
            scratch.read(0, 8)
