"""The throttle counts the calls of one client within its window, whenever they come."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.dialects import throttle
from symindex.dialects.throttle import TAPERED, Throttle, Turn

WINDOW = 10.0
SOFT, HARD = 2, 4
VARIABLES = {
    "SYMINDEX_SEARCH_WINDOW_MS": "10000",
    "SYMINDEX_SEARCH_MAX_RESULTS_AFTER": str(SOFT),
    "SYMINDEX_SEARCH_BLOCK_AFTER": str(HARD),
}


class Clock:
    """A clock that a test moves."""

    now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module", autouse=True)
def _use_clock(clock: Clock) -> object:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(throttle, "time", clock)
        yield


PAUSES = st.lists(
    st.sampled_from([0.0, 1.0, 3.0, WINDOW - 1.0, WINDOW, WINDOW + 1.0, 10 * WINDOW]), max_size=30
)


@given(PAUSES)
def test_the_calls_of_a_window_are_counted(clock: Clock, pauses: list[float]) -> None:
    """As a plain list of all calls counts them, in a window that a pause may outlast."""
    counted, calls = Throttle(VARIABLES), list[float]()
    for pause in pauses:
        clock.now += pause
        calls.append(clock.now)
        turn = counted.take("one")
        assert turn is not None
        number = min(sum(clock.now - WINDOW < call for call in calls), HARD + 1)
        assert (turn.number, turn.cap, turn.seconds) == (number, HARD, WINDOW)
        assert turn.most == (TAPERED if number > SOFT else None)
        assert turn.is_refused is (number > HARD)


@given(st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=HARD + 1, max_size=3 * HARD))
def test_a_refused_client_is_answered_after_its_wait(clock: Clock, pauses: list[float]) -> None:
    def after(extra: float) -> Turn | None:
        """Returns the next turn after the wait of the last and some time."""
        counted, turn = Throttle(VARIABLES), None
        for pause in [10 * WINDOW, *pauses]:
            clock.now += pause
            turn = counted.take("one")
        assert turn is not None and turn.is_refused and 0 < turn.wait <= WINDOW
        clock.now += turn.wait + extra
        return counted.take("one")

    early, late = after(-0.5), after(0.0)
    assert early is not None and early.is_refused
    assert late is not None and not late.is_refused
