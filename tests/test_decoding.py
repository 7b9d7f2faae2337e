"""Types that threads decode are looked up one at a time (`symindex/decoding`)."""

import subprocess
import sys

RACE = """
import sys, threading
import msgspec
from symindex.decoding import decode, decoder_of

sys.setswitchinterval(1e-6)
for number in range(60):
    fields = [(f"f{at}", "list[int] | None", None) for at in range(40)]
    kind = msgspec.defstruct(f"Kind{number}", fields, array_like=True)
    data = msgspec.msgpack.encode(kind(f0=[1]))
    barrier, found = threading.Barrier(4), []
    def run():
        barrier.wait()
        found.append(decode(data, kind).f0)
    threads = [threading.Thread(target=run) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [[1]] * 4
    assert decoder_of(kind) is decoder_of(kind)
print("fine")
"""


def test_threads_that_decode_a_new_type_at_once() -> None:
    done = subprocess.run([sys.executable, "-c", RACE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
