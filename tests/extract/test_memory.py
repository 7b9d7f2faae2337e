"""What a process keeps of the files that it has read: nothing that grows with them."""

import gc
import tracemalloc

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols

LANGUAGES = load_languages()


@pytest.mark.parametrize("ending", [".py", ".java", ".go", ".ts"])
def test_names_that_were_met_are_not_kept(ending: str) -> None:
    """Some names and the words before them are cached, as most come again soon. Ten times as many would be three megabytes."""
    texts = {
        ".py": "def find_{n}_{i}(): pass\n",
        ".java": "class Find{n}{i} {{ int find{n}{i}; }}\n",
        ".go": "func Find{n}{i}() {{}}\n",
        ".ts": "export function find{n}{i}() {{}}\n",
    }

    def read(first: int, last: int) -> int:
        for n in range(first, last):
            text = "".join(texts[ending].format(n=n, i=i) for i in range(100))
            assert read_bytes(FileSymbols(f"f{n}{ending}", 1, 1), text.encode(), LANGUAGES).symbols.count >= 100
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = read(0, 30)
        grown = read(30, 130) - before
    finally:
        tracemalloc.stop()
    assert grown < 300_000
