"""Two lanes of tests: each push runs most tests; `.ci/nightly` also runs those that take long.

The mark `nightly` puts a test into the nightly lane. A test that is named by its id
(`pytest tests/test_wheel.py::test_...`) always runs, so repairing a nightly test needs no option.
"""

from typing import Any

import pytest

_COUNT: pytest.StashKey[int] = pytest.StashKey()


class Lanes:
    """The pytest plugin that leaves nightly tests out of a push and reports how many there are."""

    def __init__(self, config: pytest.Config) -> None:
        self._is_push = not config.getoption("nightly")
        self._named = [argument for argument in config.args if "::" in argument]
        config.stash[_COUNT] = 0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        if not self._is_push:
            return
        sampled_out = _sampled_out(items)
        nightly = [item for item in items if self._waits(item, sampled_out)]
        if nightly:
            config.hook.pytest_deselected(items=nightly)
            left_out = set(nightly)
            items[:] = [item for item in items if item not in left_out]
        config.stash[_COUNT] = len(nightly)
        if hasattr(config, "workeroutput"):  # this is a worker of pytest-xdist
            config.workeroutput["n_nightly"] = len(nightly)

    def _waits(self, item: pytest.Item, sampled_out: set[pytest.Item]) -> bool:
        if item.get_closest_marker("nightly") is None and item not in sampled_out:
            return False
        return not any(item.nodeid.startswith(argument) for argument in self._named)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Takes the count from a worker of pytest-xdist; every worker collects all tests."""
        count = getattr(node, "workeroutput", {}).get("n_nightly", 0)
        node.config.stash[_COUNT] = max(node.config.stash[_COUNT], count)

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        if count := config.stash[_COUNT]:
            terminalreporter.write_line(
                f"{count:,} tests of the nightly lane did not run: `bash .ci/nightly` runs them"
            )


def _sampled_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """Returns the cases that the mark `sample(n)` leaves to the nightly lane."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sample") is not None:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out: set[pytest.Item] = set()
    for group in cases.values():
        mark = group[0].get_closest_marker("sample")
        assert mark is not None
        (n_kept,) = mark.args
        kept = {i * len(group) // n_kept for i in range(min(n_kept, len(group)))}
        left_out.update(item for place, item in enumerate(group) if place not in kept)
    return left_out
