"""Properties that are computed once."""

import threading

from symindex.text.made_once import made_once


class Slow:
    def __init__(self) -> None:
        self.n_made = 0
        self.begun = threading.Event()
        self.may_end = threading.Event()

    @made_once
    def value(self) -> int:
        """Its doc."""
        self.n_made += 1
        self.begun.set()
        assert self.may_end.wait(20)
        return 7


def test_a_value_is_made_once_and_kept() -> None:
    one = Slow()
    one.may_end.set()
    assert (one.value, one.value, one.n_made) == (7, 7, 1)
    assert Slow.value.__doc__ == "Its doc."


def test_no_object_waits_for_another_of_its_class() -> None:
    slow, quick = Slow(), Slow()
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert slow.begun.wait(20)
    quick.may_end.set()
    asking = threading.Thread(target=lambda: quick.value, daemon=True)
    asking.start()
    asking.join(10)
    is_made = "value" in vars(quick)
    slow.may_end.set()
    thread.join()
    assert is_made
