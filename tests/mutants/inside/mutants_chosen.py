"""A pytest plugin that runs chosen tests in a chosen order, and stops at the first that fails.

It imports a file only when its turn comes, so a mutant that the first file notices costs the import
of one file. The file that MUTANTS_CHOSEN names has the order (`Order`), and says where
to write which test is running and which has failed.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

MOST_MEMORY: Final = 6 << 30
"""Most bytes of address space: a mutant may append to a list without end."""

_ORDER: Final[dict[str, Any]] = json.loads(Path(os.environ["MUTANTS_CHOSEN"]).read_text())
_STATE: Final[dict[str, Any]] = {"running": "", "since": 0.0, "n_run": 0, "failed": "", "how": ""}


def _write_state(**changes: object) -> None:
    _STATE.update(changes)
    part = Path(f"{_ORDER['state']}.part")
    part.write_text(json.dumps(_STATE))
    part.replace(_ORDER["state"])


def pytest_configure() -> None:
    """Limits the memory and the signals of this process. The state tells that it has begun."""
    try:
        import resource
    except ImportError:  # not POSIX
        pass
    else:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, hard))
    _write_state()


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> bool:
    """Collects nothing before it is needed."""
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Runs the chosen tests. Each test is told the next, so fixtures live as long as usual."""
    items = _items(session) if _ORDER["files"] else iter(())
    item = next(items, None)
    while item is not None and not session.testsfailed:
        following = next(items, None)
        if session.testsfailed:  # the next file cannot be collected
            break
        _write_state(running=item.nodeid, since=time.time())
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        _write_state(n_run=_STATE["n_run"] + 1)
        item = following
    session.testscollected = _STATE["n_run"]
    return True


def _items(session: pytest.Session) -> Iterator[pytest.Item]:
    files = dict.fromkeys(file for file, _wanted in _ORDER["files"])
    # All files at once, because fixtures belong to folders; but no file is imported yet.
    modules = {module.nodeid: module for module in session.perform_collect([*files], False)}
    collected: dict[str, list[pytest.Item]] = {}
    for file, wanted in _ORDER["files"]:
        if file not in collected:
            _write_state(running=file, since=time.time())
            collected[file] = [*session.genitems(modules[file])]
            if session.testsfailed:
                _write_state(failed=file, how="collection")
                return
        for item in collected[file]:
            if item.nodeid in wanted:
                item.add_marker(pytest.mark.timeout(wanted[item.nodeid]), append=False)
                yield item


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Notes the first failure, and whether a time limit caused it."""
    if report.failed and not _STATE["failed"]:
        how = "hang" if "Timeout" in str(report.longrepr)[-200:] else "failure"
        _write_state(failed=report.nodeid, how=how)
