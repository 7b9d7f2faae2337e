"""Options and fixtures that all tests share."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the marks of fixtures/symbols to what is extracted")
