"""Source nested more deeply than anybody writes, in every language, costs at most its own time
limit and affects no other file."""

import time
from pathlib import Path

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.records import ReadTask
from symindex.files.skips import SkipReason
from symindex.workers.parsing import read_files
from tests.support.files import Files, write_files

pytestmark = pytest.mark.nightly

LANGUAGES = sorted(load_languages().by_id)
N_GROUPS = 8


@pytest.mark.slow
@pytest.mark.parametrize("group", range(N_GROUPS))
def test_deep_nesting_costs_at_most_the_time_limit(group: int, tmp_path: Path) -> None:
    """50,000 open brackets, closed or not, in every language, are read or given up, and the file
    next to them is read."""
    files: Files = {"good.py": "def good(): pass\n"}
    for language in LANGUAGES[group::N_GROUPS]:
        extensions = load_languages().by_id[language].rules.extensions
        ending = extensions[0] if extensions else ""
        files[f"open_{language}{ending}"] = "(\n" * 50_000 + "x\n"  # type: ignore[index]
        files[f"closed_{language}{ending}"] = "{\n" * 50_000 + "x\n" + "}\n" * 50_000  # type: ignore[index]
    write_files(tmp_path, files)
    tasks = [(ReadTask(path), 20_000) for path in files]
    started = time.perf_counter()
    results = {
        result.path: result
        for result in read_files(tmp_path, tasks, max_file_bytes=1_000_000, file_seconds=0.2)
    }
    given_up = [path for path, result in results.items() if result.skip == SkipReason.TIME_LIMIT]
    assert time.perf_counter() - started < 10 + 1.0 * len(given_up)
    assert {result.skip for result in results.values()} <= {
        "",
        SkipReason.TIME_LIMIT,
        SkipReason.UNSUPPORTED,
    }
    assert [symbol.name for symbol in results["good.py"].symbols] == ["good"]
