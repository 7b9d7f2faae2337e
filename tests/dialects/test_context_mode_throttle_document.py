"""Tests what ctx_search's document says about repeated calls and changed sources: the counter, the
caps, their variables, staleness."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.dialect_client import Answer, DialectServer, environment
from tests.support.dialect_world import World, make_world
from tests.support.files import write_files

BURROWS = "".join(
    f"\n## Burrow {number:02}\n\nThe wombat digs here, WOMBAT{number:02}.\n" for number in range(9)
)
COUNTER = re.compile(r"#(\d+)/(\d+)")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = make_world(tmp_path_factory.mktemp("throttle"), {".git/HEAD": "ref: refs/heads/main\n"})
    write_files(world.root.parent / "added", {"burrows.md": BURROWS})
    world.run("add", str(world.root.parent / "added" / "burrows.md"), "--source", "burrows")
    return world


def ask(server: DialectServer, number: int = 1) -> list[Answer]:
    """Asks one question this number of times and returns the answers."""
    return [server.call("ctx_search", {"queries": ["wombat"]}) for _ in range(number)]


def found(answer: Answer) -> int:
    return len(set(re.findall("WOMBAT[0-9]+", answer.plain)))


@pytest.fixture(scope="module")
def nine(world: World) -> Iterator[list[Answer]]:
    with world.serve("context-mode") as server:
        yield ask(server, 9)


@pytest.mark.sample(7)
@pytest.mark.parametrize("number", range(1, 9))
def test_each_answer_carries_the_counter(nine: list[Answer], number: int) -> None:
    counter = COUNTER.search(nine[number - 1].plain)
    assert counter, nine[number - 1].plain
    assert int(counter[1]) == number


@pytest.mark.parametrize("number", range(1, 4))
def test_the_first_calls_have_all_results(nine: list[Answer], number: int) -> None:
    assert found(nine[number - 1]) == 3


@pytest.mark.parametrize("number", range(4, 9))
def test_results_taper_after_three_calls(nine: list[Answer], number: int) -> None:
    assert found(nine[number - 1]) == 1


def test_calls_block_after_eight(nine: list[Answer]) -> None:
    assert "WOMBAT" not in nine[8].text
    assert re.search(r"wait [1-9][0-9]? s", nine[8].text), nine[8].text
    assert nine[8].text and "Traceback" not in nine[8].text


@pytest.mark.nightly
@pytest.mark.parametrize("prefix", ["CONTEXT_MODE_SEARCH", "SYMINDEX_SEARCH"])
def test_the_caps_are_set_by_variables(world: World, prefix: str) -> None:
    with world.serve(
        "context-mode", **{f"{prefix}_MAX_RESULTS_AFTER": "1", f"{prefix}_BLOCK_AFTER": "2"}
    ) as server:
        first, second, third = ask(server, 3)
    assert (found(first), found(second)) == (3, 1)
    assert "WOMBAT" not in third.text


@pytest.mark.nightly
@pytest.mark.parametrize("prefix", ["CONTEXT_MODE_SEARCH", "SYMINDEX_SEARCH"])
def test_the_window_is_set_by_a_variable(world: World, prefix: str) -> None:
    with world.serve(
        "context-mode", **{f"{prefix}_WINDOW_MS": "1", f"{prefix}_BLOCK_AFTER": "1"}
    ) as server:
        assert [found(answer) for answer in ask(server, 3)] == [3, 3, 3]


@pytest.mark.nightly
def test_a_batch_is_one_call(world: World) -> None:
    with world.serve("context-mode") as server:
        answers = [server.call("ctx_search", {"queries": ["wombat", "burrow"]}) for _ in range(2)]
    counters = [COUNTER.search(answer.plain) for answer in answers]
    assert [counter and counter[1] for counter in counters] == ["1", "2"]


@pytest.mark.nightly
def test_another_connection_counts_for_itself(world: World) -> None:
    with world.serve("context-mode") as one, world.serve("context-mode") as other:
        ask(one, 4)
        counter = COUNTER.search(ask(other)[0].plain)
    assert counter and counter[1] == "1"


@pytest.mark.nightly
def test_old_content_of_a_changed_file_is_never_shown_silently(
    world: World, tmp_path: Path
) -> None:
    file = tmp_path / "den.md"
    file.write_text("# Den\n\nThe aardwolf sleeps, BEFOREMARK.\n")
    world.run("add", str(file), "--source", "den")
    with world.serve("context-mode") as server:
        assert "BEFOREMARK" in server.call("ctx_search", {"queries": ["aardwolf"]}).plain
        file.write_text("# Den\n\nThe aardwolf sleeps no more, AFTERMARK.\n")
        text = server.call("ctx_search", {"queries": ["aardwolf"]}).plain
    assert "AFTERMARK" in text or re.search("stale|changed|out of date|outdated", text), text


@pytest.mark.sample(2)
@pytest.mark.parametrize("value", ["abc", "-5", "0", "2.5"])
def test_a_variable_that_is_not_a_number_is_refused_at_the_start(
    value: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "symindex", "mcp", "--root", str(tmp_path), "--dialect", "context-mode"],
        env=environment(tmp_path / "home", CONTEXT_MODE_SEARCH_WINDOW_MS=value),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == f"symindex: CONTEXT_MODE_SEARCH_WINDOW_MS is {value!r}: expected an integer from 1\n"
    )
