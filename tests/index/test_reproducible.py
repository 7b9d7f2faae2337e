"""The same files give the same symbols and the same bytes, next to any other files, in any process
and order."""

import os
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec
import pytest

from symindex.extract.items.types import pack_item_types, shipped_item_types
from symindex.extract.languages.registry import load_languages, pack_languages
from symindex.extract.records import FileSymbols, ReadTask, Symbol
from symindex.files.forked_walk import usable_cores
from symindex.index.store import FILE_NAME
from symindex.workers import parsing
from symindex.workers.framing import Job
from symindex.workers.memory_limit import worker_memory
from symindex.workers.parse_job import Parse, ParseSetup
from symindex.workers.pool import Slot
from tests.support.command import run_program
from tests.support.files import Files, Maker, write_files
from tests.support.rows import ids, merged, without_stamps

pytestmark = pytest.mark.nightly

NEIGHBOURS: Final[Files] = {
    "tool": "#!/usr/bin/env python3\ndef shared(): pass\n",
    "run": "#!/bin/sh\nshared() { :; }\n",
    "notes": "shared() { :; }\n",
    "list.h": "static int shared(void);\nstruct class { int namespace; };\n",
    "A.java": "class A { private int shared() { return 1; } }\n",
    "B.java": "interface B { int shared(); }\n",
    "Broken.java": "class C { int shared() { return 1; } int }}\n",
    "a.go": "package a\n\nfunc shared() {}\n",
    "a.py": "def shared(): pass\n",
    "b.py": "class B:\n    '''shared'''\n    @staticmethod\n    def shared(): pass\n",
    "a.rs": "pub fn shared() {}\n",
}
"""Files whose name determines the language, files whose content does, and one symbol name that
occurs in all of them."""

LANGUAGES_OF: Final = {
    "tool": "python", "run": "bash", "notes": "", "list.h": "c", "A.java": "java", "B.java": "java", "Broken.java": "java",
    "a.go": "go", "a.py": "python", "b.py": "python", "a.rs": "rust",
}  # fmt: skip


def read_in_turn(root: Path, paths: Iterable[str]) -> list[FileSymbols]:
    """Returns what a new process reads, without the mtimes."""
    order = Parse(os.fsencode(root), [ReadTask(path) for path in paths])
    setup = ParseSetup(
        pack_languages(load_languages()), [], 1_000_000, pack_item_types(shipped_item_types())
    )
    slot = Slot(
        Job("symindex.workers.parse_job", msgspec.msgpack.encode(setup), 10.0, worker_memory())
    )
    try:
        results = [
            msgspec.msgpack.decode(answer, type=FileSymbols)
            for answer in slot.ask(msgspec.msgpack.encode(order))
        ]
    finally:
        slot.close()
    return [msgspec.structs.replace(result, mtime_ns=0) for result in results]


@pytest.mark.slow
def test_symbols_do_not_depend_on_neighbours_or_processes(make_workspace: Maker) -> None:
    """Each file is read alone, after each other file, and among many files in several processes."""
    together = make_workspace(
        {
            **NEIGHBOURS,
            **{f"f{i}.py": f"def shared(): pass\nclass K{i}: pass\n" for i in range(100)},
        }
    )
    with ThreadPoolExecutor(usable_cores()) as threads:
        alone = {
            result.path: result
            for (result,) in threads.map(
                lambda path: read_in_turn(together.root, [path]), NEIGHBOURS
            )
        }
    assert {path: result.language for path, result in alone.items()} == LANGUAGES_OF
    pairs = [path for one in NEIGHBOURS for other in NEIGHBOURS for path in (one, other)]
    for result in read_in_turn(together.root, pairs):
        assert result == alone[result.path]
    listed = {
        file.path: (file.known.language, file.symbols) for file in together.source.indexed.export()
    }
    expected = {
        path: (result.language, with_flags(result))
        for path, result in alone.items()
        if result.symbols.count
    }
    assert {path: listed[path] for path in NEIGHBOURS if path in listed} == expected
    assert NEIGHBOURS.keys() - expected.keys() == {"notes"}
    assert alone["Broken.java"].has_error and len(listed) == len(expected) + 100


def with_flags(result: FileSymbols) -> list[Symbol]:
    """Returns the symbols of a file, with the file's flags."""
    return [
        msgspec.structs.replace(symbol, flags=symbol.flags | result.flags)
        for symbol in result.symbols
    ]


def many_files() -> Files:
    """Returns files of several languages and of none, with similar names; some are left out of the
    index."""
    files: Files = {
        f"d{i % 3}/f{i}.py": f"class C{i}:\n    def m{i}(self): pass\n" for i in range(100)
    }
    names = ("Value", "value", "VALUE", "va_lue", "valUe", "größe", "Größe")
    for i in range(7):
        files[f"d{i % 3}/J{i}.java"] = f"class J{i} {{ int {names[i]}() {{ return 1; }} }}\n"  # type: ignore[index]
        files[f"e{i % 3}/g{i}.go"] = f"package g\n\n// Says {i}.\nfunc {names[-i]}() {{}}\n"  # type: ignore[index]
        files[f"e{i % 3}/r{i}.rs"] = f"fn {names[i - 3]}() {{}}\n"  # type: ignore[index]
    return {
        **files,
        "binary.py": b"\0\1",
        "min.js": "x=1;" * 5_000,
        "odd.py": b"a = 1  # \xe9\n",
        "notes": "words\n",
    }


@pytest.mark.slow
def test_same_files_same_bytes(make_workspace: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some files arrive later than others, in another order, and with another number of workers."""
    files = many_files()
    monkeypatch.setattr(parsing, "usable_cores", lambda: 1)
    one = make_workspace(dict(files))
    monkeypatch.setattr(parsing, "usable_cores", lambda: 3)
    other = make_workspace({path: files[path] for path in list(files)[::-2]})
    write_files(other.root, {path: files[path] for path in reversed(files)})  # type: ignore[arg-type, var-annotated]
    for path in files:
        os.utime(one.root / path, ns=(5, 5))
        os.utime(other.root / path, ns=(5, 5))
    other.refresh()
    one.refresh(rebuild=True)
    assert ids(one) == ids(other)
    assert without_stamps(merged(one)) == without_stamps(merged(other))
    other.refresh(rebuild=True)
    assert without_stamps(one.source.indexed.snapshot.parts[0].index.columns) == without_stamps(
        other.source.indexed.snapshot.parts[0].index.columns
    )


@pytest.mark.slow
@pytest.mark.own_workers
def test_a_machine_of_64_cores_makes_the_same_bytes(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "usable_cores", lambda: 1)
    workspace = make_workspace(many_files())
    workspace.refresh(rebuild=True)
    alone = without_stamps(workspace.source.indexed.snapshot.parts[0].index.columns)
    monkeypatch.setattr(parsing, "usable_cores", lambda: 64)
    monkeypatch.setattr(parsing, "FILES_PER_WORKER", 2)
    monkeypatch.setattr(parsing, "BATCH_BYTES", 100)
    workspace.refresh(rebuild=True)
    assert without_stamps(workspace.source.indexed.snapshot.parts[0].index.columns) == alone


@pytest.mark.slow
def test_every_process_makes_the_same_bytes(tmp_path: Path) -> None:
    """The order of Python's sets differs between the processes. The stamps are equal, since the
    files are."""
    root = write_files(tmp_path / "tree", many_files())
    made = []
    for seed in ("1", "2"):
        command = [
            sys.executable,
            "-m",
            "symindex",
            "index",
            "--root",
            str(root),
            "--index-dir",
            str(tmp_path / seed),
        ]
        run_program(command, text=False, env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
        (index,) = (tmp_path / seed).rglob(FILE_NAME)
        made.append(index.read_bytes())
    assert made[0] == made[1]
