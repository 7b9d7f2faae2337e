"""Shows long answers in the user's pager, as git does.

Imports almost nothing, because the client of a daemon uses it as well.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OPTION = "--no-pager"

VARIABLE = "SYMINDEX_PAGER"
"""The environment variable that names a pager for symindex only. `cat`, or an empty value, turns
paging off."""

USUAL = "less"
"""The default pager, if it is installed."""

DEFAULTS = {"LESS": "FRX", "LV": "-c"}
"""Options of the pager unless the user has set some: show colours, and end at once if everything
fits on the screen."""


def show(text: bytes, environment: "Mapping[str, str]", lines: int) -> bool:
    """Shows text in the pager if it is longer than the terminal, and waits for the pager. Returns
    whether it did. A pager that cannot be started is reported on standard error. Raises nothing if
    the user leaves the pager early."""
    if text.count(b"\n") < lines:
        return False
    words = command(environment)
    if not words:
        return False
    import signal
    import subprocess  # deferred, because most answers are short

    handler = signal.getsignal(signal.SIGINT)
    try:
        pager = subprocess.Popen(words, stdin=subprocess.PIPE, env={**DEFAULTS, **environment})
    except OSError as error:
        sys.stderr.write(
            f"symindex: the pager {words[0]!a} cannot be started ({error.strerror}): "
            f"set PAGER, or use {OPTION}\n"
        )
        return False
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C belongs to the pager while it runs
        pager.communicate(text)
    finally:
        signal.signal(signal.SIGINT, handler)
    return True


def command(environment: "Mapping[str, str]") -> "list[str]":
    """Returns the words of the pager's command; empty if the user wants no pager."""
    import shlex
    import shutil

    name = environment.get(VARIABLE, environment.get("PAGER"))
    if name is None:
        return [USUAL] if shutil.which(USUAL) else []
    try:
        words = shlex.split(name)
    except ValueError:  # a quote is not closed
        return []
    return [] if words == ["cat"] else words


def may_page(environment: "Mapping[str, str]") -> bool:
    """Whether answers may go through a pager, because a person reads them."""
    return sys.stdout.isatty() and environment.get("TERM") != "dumb"
