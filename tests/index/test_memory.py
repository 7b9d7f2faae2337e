"""What an index in the making takes of memory: bounds by symbol, and files without names for what is needed only at the end.

Memory is what Python and numpy have asked for, which hardly differs from run to run. `python -m tests.bench cold` weighs whole
processes.
"""

import os
from pathlib import Path

import pytest

from symindex.errors import StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.build import build_index
from symindex.index.intake import Intake
from symindex.index.scratch import Scratch
from symindex.session.indexed_root import IndexedRoot
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
"""In a process of its own: what other tests leave running would count, too."""


@pytest.mark.slow
def test_a_build_takes_so_much_for_a_symbol(tmp_path: Path) -> None:
    """Before the scratch was there, and columns were made one after the other, it was 182 bytes until all is read, and 499 at the
    most. Of a million symbols, where what does not depend on their number counts little, 1,270 MB at the most became 469."""
    done = run_python(BUILD, tmp_path, str(SYMBOLS), cwd=ROOT)
    assert not done.returncode, done.stderr
    n_symbols, kept, peak = map(int, done.stdout.split())
    assert n_symbols == SYMBOLS
    assert (kept < 110 * SYMBOLS, peak < 420 * SYMBOLS) == (True, True), (kept / SYMBOLS, peak / SYMBOLS)


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


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a full disk is hard to come by on this system")
def test_a_full_disk_is_told_and_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def before(): pass\n"})
    with IndexedRoot(root, tmp_path / "index") as workspace:
        workspace.refresh()
        stored = {path: path.read_bytes() for path in workspace.folder.iterdir()}
        with open("/dev/full", "w+b", buffering=0) as full, monkeypatch.context() as patch:
            patch.setattr(PrivateFolder, "scratch", lambda _: full)
            with pytest.raises(StorageError, match="No space left on device; make room or name another place with --index-dir"):
                workspace.refresh(rebuild=True)
        assert {path: path.read_bytes() for path in workspace.folder.iterdir()} == stored
        assert workspace.refresh(rebuild=True).symbols == 1


def test_what_has_become_shorter_is_told(tmp_path: Path) -> None:
    with open(tmp_path / "file", "w+b") as file:
        scratch = Scratch(file, tmp_path)
        scratch.add(b"12345678")
        file.truncate(4)
        with pytest.raises(StorageError, match="has become shorter"):
            scratch.read(0, 8)
