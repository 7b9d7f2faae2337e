"""Threads look up the types that they decode one at a time (`symindex/decoding`)."""

import pytest

from tests.support.command import run_python

RACE = """
import sys, threading
import msgspec
from symindex.text.decoding import decode, decoder_of

INNER = "class Inner(msgspec.Struct, array_like=True):\\n" + "".join(
    f"    g{at}: 'dict[str, list[int] | None] | None' = None\\n" for at in range(30)
)
OUTER = "class Outer(msgspec.Struct, array_like=True):\\n    first: 'list[int] | None' = None\\n" + "".join(
    f"    h{at}: 'dict[str, Inner] | None' = None\\n" for at in range(20)
)
sys.setswitchinterval(1e-6)
for _ in range(20):
    exec(INNER + OUTER)
    data = msgspec.msgpack.encode(Outer(first=[1]))
    barrier, found = threading.Barrier(4), []
    def run():
        barrier.wait()
        found.append(decode(data, Outer).first)
    threads = [threading.Thread(target=run) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [[1]] * 4
    assert decoder_of(Outer) is decoder_of(Outer)
print("fine")
"""


@pytest.mark.nightly
def test_threads_that_decode_a_new_type_at_once() -> None:
    """With `msgspec.msgpack.decode` itself, this causes a segmentation fault (msgspec 0.22)."""
    done = run_python(RACE)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
