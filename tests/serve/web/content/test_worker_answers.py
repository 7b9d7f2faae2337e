"""Answers of workers: within limits, kept, and for several requests at the same time."""

import threading
import time
from collections.abc import Iterator

import msgspec
import pytest

from symindex.errors import RequestError, StorageError
from symindex.serve.web.content import worker_answers
from symindex.serve.web.content.worker_answers import WorkerAnswer, WorkerAnswers
from symindex.workers.memory_limit import MEMORY_VARIABLE
from symindex.workers.pool import Slot
from tests.support.waiting import until


def order(*words: str) -> bytes:
    return msgspec.msgpack.encode(words)


@pytest.fixture
def answers() -> Iterator[WorkerAnswers]:
    made = WorkerAnswers("tests.workers.word_job", 0.5)
    yield made
    made.close()


def test_an_answer_is_computed_once(answers: WorkerAnswers) -> None:
    first = answers.ask(order("pid"))
    assert first.data.isdigit() and first.fault == ""
    assert answers.ask(order("segv")) == WorkerAnswer(b"", "crashed")
    # By now another process would answer.
    assert answers.ask(order("pid")) == first
    assert answers.ask(order("pid", "x")).data != first.data + b"x"


@pytest.mark.slow
def test_why_there_is_no_answer(answers: WorkerAnswers) -> None:
    assert answers.ask(order("compute")).fault == "took too long"
    assert answers.ask(order("wait")).fault == "took too long"
    assert answers.ask(order("memory")).fault == "needed too much memory"
    assert answers.ask(order("kill")).fault == "was interrupted"
    assert answers.ask(order("x")).data == b"x"


def test_what_was_given_up_is_tried_again_after_a_minute(
    answers: WorkerAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bytes] = []
    original = Slot.ask

    def ask(slot: Slot, sent: bytes) -> Iterator[bytes]:
        asked.append(sent)
        return original(slot, sent)

    monkeypatch.setattr(Slot, "ask", ask)
    now = time.monotonic()
    monkeypatch.setattr("symindex.serve.web.content.worker_answers.time.monotonic", lambda: now)
    for seconds, n_asked in ((0, 1), (59, 1), (61, 2)):
        monkeypatch.setattr(
            "symindex.serve.web.content.worker_answers.time.monotonic",
            lambda late=seconds: now + late,
        )
        assert answers.ask(order("exit")).fault == "crashed"
        assert len(asked) == n_asked
    # Somebody else has ended it: that says nothing about the text.
    answers.ask(order("kill"))
    answers.ask(order("kill"))
    assert len(asked) == 4


def test_a_process_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: Slot) -> None:
        raise StorageError("no more processes")

    monkeypatch.setattr(Slot, "start", start)
    answers = WorkerAnswers("tests.workers.word_job", 0.5)
    assert answers.ask(order("x")).fault == "could not be started"
    answers.close()


def test_an_invalid_limit_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY_VARIABLE, "much")
    with pytest.raises(RequestError, match="must be megabytes"):
        WorkerAnswers("tests.workers.word_job", 0.5)


def test_answers_are_kept_up_to_a_size(
    answers: WorkerAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_answers, "MOST_KEPT_BYTES", 3 * (100 + worker_answers._ENTRY_BYTES))
    one, two, three, four = (order(letter * 100) for letter in "1234")
    for asked in (one, two, three, one, four):
        answers.ask(asked)
    assert [kept.answer.data[:1] for kept in answers._kept.values()] == [b"3", b"1", b"4"]
    assert answers._kept_bytes == 3 * (100 + worker_answers._ENTRY_BYTES)
    assert answers.ask(order("5" * 2_000)).data == b"5" * 2_000  # too large to be kept
    assert (answers._kept_bytes, len(answers._kept)) == (0, 0)


@pytest.mark.slow
def test_two_work_at_the_same_time_and_others_wait_for_them(
    answers: WorkerAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_answers, "WAIT_SECONDS", 0.05)
    faults: list[str] = []
    threads = [
        threading.Thread(
            target=lambda word=word: faults.append(answers.ask(order("wait", word)).fault)
        )
        for word in "ab"
    ]
    for thread in threads:
        thread.start()
    until(lambda: answers._free.empty(), "two busy workers")
    assert answers.ask(order("c")).fault == "had to wait for other texts for too long"
    monkeypatch.setattr(worker_answers, "WAIT_SECONDS", 60.0)
    assert answers.ask(order("c")).data == b"c"
    for thread in threads:
        thread.join()
    assert faults == ["took too long"] * 2


def test_many_threads_get_their_own_answers(answers: WorkerAnswers) -> None:
    got: dict[str, bytes] = {}
    words = [f"word{number}" for number in range(12)]
    threads = [
        threading.Thread(target=lambda word=word: got.update({word: answers.ask(order(word)).data}))
        for word in words * 2
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {word: word.encode() for word in words}


@pytest.mark.own_workers
def test_closing_ends_what_is_going_on() -> None:
    answers = WorkerAnswers("tests.workers.word_job", 60.0)
    faults: list[str] = []
    thread = threading.Thread(target=lambda: faults.append(answers.ask(order("wait")).fault))
    thread.start()
    until(lambda: any(slot._process is not None for slot in answers._slots), "a worker")
    answers.close()
    thread.join()
    assert faults == ["was interrupted"]
    assert answers.ask(order("x")).fault == "was interrupted"
    assert not any(slot.is_running for slot in answers._slots)
