"""The limits of the tests themselves: signals that a shell ignores end processes again, and no test
hangs forever."""

import signal
import sys
import textwrap
from pathlib import Path

import pytest

from tests.support.command import run_program, run_python
from tests.support.files import write_files
from tests.support.processes import is_running, needs_proc, wait_for_ends

ROOT = Path(__file__).parent.parent


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs inherited signals")
def test_signals_that_were_ignored_are_those_of_a_terminal_again() -> None:
    """A shell starts a background job, as in `(python -m pytest &)`, with SIGINT ignored."""
    child = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, end=' ')"
    script = f"""
        import subprocess, sys
        child = [sys.executable, "-c", {child!r}]
        subprocess.run(child, check=True)
        from tests.support.processes import reset_signals
        reset_signals()
        subprocess.run(child, check=True)
    """
    done = run_python(
        textwrap.dedent(script),
        cwd=ROOT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        check=True,
    )
    assert done.stdout == "False True "


HANGING = """
import sys
from tests.support.command import run_program, started

def test_waits_for_a_program():
    run_program([sys.executable, "-c", "import os, signal; open('one', 'w').write(str(os.getpid())); signal.pause()"])

def test_waits_beside_a_program():
    with started([sys.executable, "-c", "import os, signal; print(os.getpid(), flush=True); signal.pause()"]) as process:
        open("two", "w").write(process.stdout.readline())
        process.stdout.read()

def test_goes_on():
    pass
"""


@pytest.mark.nightly
@pytest.mark.slow
@needs_proc
def test_a_test_that_hangs_fails_and_leaves_no_process(tmp_path: Path) -> None:
    """This also holds in the worker processes of pytest, where the tests after the hanging one
    still run."""
    write_files(
        tmp_path,
        {"test_hanging.py": HANGING, "pytest.ini": "[pytest]\ntimeout = 2\naddopts = -n 1\n"},
    )
    environment = {"PYTHONPATH": str(ROOT)}
    # the default would delete what earlier runs have left
    own = f"--basetemp={tmp_path / 'temporary'}"
    done = run_program(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", own],
        cwd=tmp_path,
        env=environment,
        stdin=-1,
    )
    assert "2 failed, 1 passed" in done.stdout, done.stdout
    assert done.stdout.count("Timeout (>2.0s)") >= 2
    left = [int((tmp_path / name).read_text()) for name in ("one", "two")]
    wait_for_ends(left)
    assert not any(map(is_running, left))
