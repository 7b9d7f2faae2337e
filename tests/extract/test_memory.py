"""A process keeps nothing that grows with the number of files that it has read."""

import pytest

from tests.support.command import run_python

pytestmark = pytest.mark.nightly

READ = """
import gc, sys, tracemalloc
from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols
ending, row = sys.argv[1:]
languages = load_languages(check=False)
def read(first, last):
    for n in range(first, last):
        text = "".join(row.format(n=n, i=i) + chr(10) for i in range(100))
        assert read_bytes(FileSymbols(f"f{n}{ending}", 1, 1), text.encode(), languages).symbols.count >= 100
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
tracemalloc.start()
before = read(0, 30)
print(read(30, 130) - before)
"""
"""This runs in its own process, since the remains of other tests would count."""

ROWS = {
    ".py": "def find_{n}_{i}(): pass",
    ".java": "class Find{n}{i} {{ int find{n}{i}; }}",
    ".go": "func Find{n}{i}() {{}}",
    ".ts": "export function find{n}{i}() {{}}",
}


@pytest.mark.parametrize("ending", ROWS)
def test_names_that_were_met_are_not_kept(ending: str) -> None:
    """Some names and the words before them are cached, since most occur again soon. A cache ten
    times as large would take three megabytes."""
    done = run_python(READ, ending, ROWS[ending])
    assert not done.returncode, done.stderr
    assert int(done.stdout) < 300_000
