"""The command `symindex`, and `python -m symindex`: the command line."""

import gc
import os
import sys

from symindex.workers.isolation import leave_out_current_folder

leave_out_current_folder()  # must run before any other import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from symindex.workspace.early_walk import EarlyStart

from symindex.serve.daemon import client  # noqa: E402
from symindex.serve.daemon.wire import VARIABLE  # noqa: E402

SHORT = (["search"], ["symbol"], ["outline"], ["refs"])
"""The commands that answer once and end."""

GC_THRESHOLD = 50_000
"""Collection threshold of `index`, in objects: it makes few cycles, but creates objects by the
thousand when it is loaded."""


def ends_at_once() -> bool:
    """Whether the process may exit without cleaning up: cleaning up takes a sixth of its time."""
    return sys.argv[1:2] in SHORT or (sys.argv[1:2] == ["index"] and "--watch" not in sys.argv)


def ask_daemon(ask: "Callable[[], int | None]") -> int | None:
    """Returns the exit code of a command that a daemon has answered; `None` if this process must
    answer it."""
    try:
        return ask()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # otherwise, Python would try it again on exit
        if isinstance(error, BrokenPipeError):  # the reader has seen enough
            return 0
        sys.stderr.write(f"symindex: output: {error.strerror or error}\n")
        return 2


def main() -> None:
    """Runs the command line and exits with its code."""
    _prepare_process()
    try:
        run, early = _load_command_line()
    except KeyboardInterrupt:
        sys.stderr.write("symindex: interrupted\n")
        sys.exit(130)
    except Exception as error:  # the command line, which reports errors, is not loaded yet
        from symindex.serve.faults import tell_fault

        sys.exit(tell_fault(error))
    code: object = 0
    try:
        run()
    except SystemExit as end:
        code = end.code
    finally:
        early.close()
        if os.environ.get(VARIABLE) == "start":
            from symindex.serve.daemon.start import start_daemon

            start_daemon(sys.argv[1:])
    leave(code)


def _load_command_line() -> "tuple[Callable[[], None], EarlyStart]":
    """Returns the command line, and the walk and the worker that start while it loads.

    It leaves the process if the command is an editor's server, or if a daemon answers first.
    """
    streams = sys.stdin, sys.stdout, sys.stderr
    if sys.argv[1:] in (["lsp"], ["lsp", "--stdio"]) and None not in streams:
        # Editors start it like this: without the command line, which takes 45 ms to load.
        from symindex.serve.lsp.run import serve_editor

        serve_editor()
    code = ask_daemon(lambda: client.ask(sys.argv[1:]))
    if code is not None:
        leave(code)
    from symindex.workspace.early_walk import start_early

    early = start_early(sys.argv[1:])
    # The next import in two halves: after the first, the walk may have found a newer file.
    from symindex.serve.cli.caller import Caller

    early.start_worker()
    from symindex.serve.cli.main import main as run

    early.load()
    if client.is_awaited():
        # The command needs this next, and the daemon's answer may arrive meanwhile.
        import symindex.workspace.workspace  # noqa: F401

        code = ask_daemon(client.ask_again)
        if code is not None:
            early.end_walk()
            leave(code)
    return lambda: run(caller=Caller(early)), early


def _prepare_process() -> None:
    """Sets the encoding, the garbage collector and the threads of this process."""
    if os.name == "posix" and sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode:
        # Without UTF-8, some file names could not be read: start again, for child processes too.
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    if sys.argv[1:2] in SHORT or "_SYMINDEX_COMPLETE" in os.environ:
        # The loaded objects stay and the process ends soon, while collecting takes a tenth of its
        # time.
        gc.disable()
    elif ends_at_once():
        gc.set_threshold(GC_THRESHOLD)
    # numpy's linear algebra, which nothing here uses, would start its threads. That takes a sixth
    # of the time of a search.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def leave(code: object) -> "NoReturn":
    """Ends the process."""
    if ends_at_once() and isinstance(code, int):
        for stream in (sys.stdout, sys.stderr):
            try:  # contextlib is not loaded yet when the import path is made safe
                stream.flush()
            except (OSError, ValueError, AttributeError):
                continue  # the stream was flushed before, and its error was reported
        os._exit(code)
    sys.exit(code)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
