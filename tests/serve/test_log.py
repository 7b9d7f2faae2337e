"""The log of a server is bounded, and each record is one line."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from symindex.serve import log


@pytest.fixture
def logger(tmp_path: Path) -> Iterator[logging.Logger]:
    """A logger that writes to the file `log`, as a server's logger does."""
    file = logging.FileHandler(tmp_path / "log", encoding="utf-8")
    file.setFormatter(log._Lines("symindex %(levelname)s %(message)s"))
    made = logging.Logger("test")
    made.addHandler(log._Bounded([file]))
    yield made
    file.close()


def test_what_comes_again_and_again_is_counted(
    logger: logging.Logger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_000.0
    monkeypatch.setattr(log.time, "monotonic", lambda: now)
    for n in range(2_001):
        if n == 2_000:
            now += 60
        logger.warning(f"made up {n}")
    logger.warning("of another kind")
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines == [
        *(f"symindex WARNING made up {n}" for n in range(20)),
        "symindex WARNING made up 2000 (1,980 more lines like this were left out)",
        "symindex WARNING of another kind",
    ]


def test_no_text_looks_like_a_line_of_ours(logger: logging.Logger, tmp_path: Path) -> None:
    logger.warning("%s", "one\nsymindex ERROR two\x1b[2J\u202e\u2028")
    try:
        raise ValueError("one\nsymindex ERROR two " + "x" * 10_000)
    except ValueError:
        logger.exception("broken")
    first, *others = (tmp_path / "log").read_text().splitlines()
    assert first == "symindex WARNING one\\nsymindex ERROR two\\x1b[2J\\u202e\\u2028"
    assert others[0] == "symindex ERROR broken" and all(
        line.startswith("  ") for line in others[1:]
    )
    assert sum(map(len, others)) < log.LONGEST + 20
