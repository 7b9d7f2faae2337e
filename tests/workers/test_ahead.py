"""A worker that a command forks from itself before it has threads: a worker like the others."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from symindex.workers.framing import CAN_SIGNAL_END
from tests.support.command import run_python
from tests.support.files import write_files
from tests.support.waiting import SECONDS, until

pytestmark = pytest.mark.skipif(not CAN_SIGNAL_END, reason="only where a worker ends with its parent can it be forked")

BEGIN = """
import os, sys, threading, msgspec
from symindex.extract.languages.registry import load_languages
from symindex.extract.records import FileSymbols, ReadTask
from symindex.workers.parse_job import Parse
from symindex.workers.parsing import begin_spare, parse_job
kept_open = open(os.devnull)
sys.stdout.write("said before\\n")  # which the worker must not say again
"""

READ = """
worker = spare.take(parse_job(load_languages(check=False), 1_000_000, 10.0))
def read(path):
    order = msgspec.msgpack.encode(Parse(os.fsencode({root!r}), [ReadTask(path)]))
    return [msgspec.msgpack.decode(answer, type=FileSymbols) for answer in worker.answers(order)]
"""


def lines(code: str, root: Path) -> list[str]:
    done = run_python(BEGIN + code.replace("READ", READ).format(root=str(root)))
    assert done.returncode == 0 and not done.stderr, done.stderr
    said, *others = done.stdout.splitlines()
    assert said == "said before" and said not in others
    return others


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "tree", {"a.py": "def one(): pass\ndef two(): pass\n"})


def test_it_reads_as_others_do(root: Path) -> None:
    code = """
spare = begin_spare()
READ
print(type(worker).__name__, read("a.py")[0].symbols.count, read("no.py")[0].skip, worker.is_alive)
pid = worker._process.pid
print(sorted(map(int, os.listdir(f"/proc/{{pid}}/fd")))[:5], os.getpgid(pid) == pid)
worker.close()
print(worker.is_alive)
"""
    forked, files, ended = lines(code, root)
    assert forked == "_ForkedAhead 2 unreadable True" and ended == "False"
    assert files == "[0, 1, 2, 3, 4] True"  # the streams, what it ends with, and its own copy of one


@pytest.mark.parametrize("before", ["threading.Thread(target=threading.Event().wait, daemon=True).start()", "import numpy"])
def test_a_command_that_must_not_fork_starts_one(before: str, root: Path) -> None:
    """With threads, or with so much mapped that little would be left of the limit."""
    code = f"""
{before}
spare = begin_spare()
READ
print(type(worker).__name__, read("a.py")[0].symbols.count)
worker.close()
"""
    assert lines(code, root) == ["Process 2"]


def test_it_has_the_limit_of_memory(root: Path) -> None:
    code = """
import resource
spare = begin_spare()
READ
print(resource.prlimit(worker._process.pid, resource.RLIMIT_AS)[0] == worker.job.most_memory)
worker.close()
"""
    assert lines(code, root) == ["True"]


def test_it_ends_with_the_command(root: Path) -> None:
    code = BEGIN + "spare = begin_spare(); print(spare._process._process.pid, flush=True); threading.Event().wait()"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        command.stdout.readline()
        pid = int(command.stdout.readline())
        os.kill(pid, 0)
        command.send_signal(signal.SIGKILL)
        command.wait(SECONDS)
        until(lambda: not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split(") ")[1][:1])


def test_what_goes_wrong_in_it_is_told(root: Path) -> None:
    code = """
import symindex.workers.worker as worker
worker.main = lambda make_ready: 1 / 0
spare = begin_spare()
process = spare._process
assert spare.take(parse_job(load_languages(check=False), 1_000_000, 10.0)) is None
print(process.wait())
"""
    done = run_python(BEGIN + code)
    assert done.returncode == 0 and done.stdout.endswith("\n1\n") and "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize(("chosen", "count"), [("known", 2), ("Languages([known.get('c')])", 0)])
def test_it_makes_ready_what_the_file_needs(chosen: str, count: int, root: Path) -> None:
    """Before there is a job; and whatever the languages of the job are, these count."""
    code = f"""
from symindex.extract.languages.registry import Languages
from symindex.extract.parse import query
from symindex.workers import parse_job as job_module
known, make_ready = load_languages(check=False), job_module.make_ready
def tell(*given):
    make_ready(*given)
    sys.stderr.write(f"ready: {{{{query._compile.cache_info().currsize}}}}")
job_module.make_ready = tell
spare = begin_spare(known, "some.py")
worker = spare.take(parse_job({chosen}, 1_000_000, 10.0))
order = msgspec.msgpack.encode(Parse(os.fsencode({str(root)!r}), [ReadTask("a.py")]))
found = [msgspec.msgpack.decode(answer, type=FileSymbols) for answer in worker.answers(order)]
print(found[0].symbols.count, worker._last_output())
worker.close()
"""
    assert lines(code, root) == [f"{count} b'ready: 1'"]
