"""A pytest plugin that gives each test its own context, and notes how long the test takes.

Fixtures of a wider scope than a test, and the processes that tests start, have the test file as
their context: other tests of the file depend on them, too.
"""

import importlib
import json
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

_MEASURING: Final = importlib.import_module("mutants_measuring")
_FILE: Final = "MUTANTS_TEST_FILE"
_TESTS: Final[dict[str, list[Any]]] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    file = item.nodeid.partition("::")[0]
    if os.environ.get(_FILE) != file:
        os.environ[_FILE] = file
        # Workers that another file has left would count for that.
        if support := sys.modules.get("tests.support.warm_workers"):
            support.WARM.close()
    _TESTS[item.nodeid] = [0.0, True]
    _MEASURING.switch(item.nodeid)
    result = yield
    _MEASURING.switch("")
    return result


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    if fixturedef.scope == "function":
        return (yield)
    _MEASURING.switch(os.environ[_FILE])
    try:
        return (yield)
    finally:
        _MEASURING.switch(next(reversed(_TESTS)))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # In the main process of pytest-xdist, reports come from others.
    if test := _TESTS.get(report.nodeid):
        test[0] += report.duration
        test[1] = test[1] and report.outcome != "failed"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    _MEASURING.save()
    path = Path(os.environ["MUTANTS_RECORD"], f"tests-{os.getpid()}.json")
    path.write_text(json.dumps(_TESTS))
