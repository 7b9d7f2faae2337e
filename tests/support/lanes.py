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
        nightly = [item for item in items if self._waits(item)]
        if nightly:
            config.hook.pytest_deselected(items=nightly)
            left_out = set(nightly)
            items[:] = [item for item in items if item not in left_out]
        config.stash[_COUNT] = len(nightly)
        if hasattr(config, "workeroutput"):  # this is a worker of pytest-xdist
            config.workeroutput["n_nightly"] = len(nightly)

    def _waits(self, item: pytest.Item) -> bool:
        is_named = any(item.nodeid.startswith(argument) for argument in self._named)
        return item.get_closest_marker("nightly") is not None and not is_named

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
