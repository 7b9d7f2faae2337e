"""Background work gives way to answers, and still finishes."""

import threading
import time

import pytest

from symindex import background
from symindex.background import answering, give_way, in_background, n_answered


def seconds_of_a_step() -> float:
    began = time.perf_counter()
    give_way()
    return time.perf_counter() - began


def test_a_step_waits_until_the_answer_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "LONGEST_SECONDS", 30.0)
    done: list[str] = []

    def work() -> None:
        with in_background():
            give_way()
        done.append("work")

    with answering():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join(0.2)
        assert thread.is_alive()
        done.append("answer")
    thread.join(5)
    assert done == ["answer", "work"]


def test_a_step_waits_for_a_limited_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "LONGEST_SECONDS", 0.05)
    with answering(), in_background():
        assert seconds_of_a_step() < 5


def test_foreground_work_never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "LONGEST_SECONDS", 30.0)
    with answering():
        assert seconds_of_a_step() < 5


def test_a_search_in_the_background_does_not_count_as_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise warming up would wait for itself."""
    monkeypatch.setattr(background, "LONGEST_SECONDS", 30.0)
    before = n_answered()
    with in_background(), answering():
        assert seconds_of_a_step() < 5
    assert n_answered() == before


def test_answers_are_counted_also_where_they_fail() -> None:
    before = n_answered()
    with pytest.raises(ValueError), answering():
        raise ValueError
    assert n_answered() == before + 1
    with in_background():
        assert seconds_of_a_step() < 5
