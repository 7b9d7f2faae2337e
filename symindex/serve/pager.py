"""Long answers on a terminal go through the user's pager, as git's do.

It imports almost nothing, because the client of a daemon uses it, too.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OPTION = "--no-pager"

VARIABLE = "SYMINDEX_PAGER"
"""The environment variable that names a pager for symindex alone; `cat`, or nothing, for none."""

USUAL = "less"
"""The pager where the user has named none, if it is installed."""

DEFAULTS = {"LESS": "FRX", "LV": "-c"}
"""What a pager is told where the user has told it nothing: show colours, and end at once where all
fits on the screen."""


def show(text: bytes, environment: "Mapping[str, str]", lines: int) -> bool:
    """Shows text in the pager if it is longer than the terminal, and waits for that; whether it
    did. A pager that cannot be started is said on standard error. Raises nothing for one that is
    left early."""
    if text.count(b"\n") < lines:
        return False
    words = command(environment)
    if not words:
        return False
    import signal
    import subprocess  # here, because most answers are short

    own = signal.getsignal(signal.SIGINT)
    try:
        pager = subprocess.Popen(words, stdin=subprocess.PIPE, env={**DEFAULTS, **environment})
    except OSError as error:
        sys.stderr.write(
            f"symindex: the pager {words[0]!a} cannot be started ({error.strerror}): set PAGER, or"
            f" say {OPTION}\n"
        )
        return False
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's while it runs
        pager.communicate(text)
    finally:
        signal.signal(signal.SIGINT, own)
    return True


def command(environment: "Mapping[str, str]") -> "list[str]":
    """The words of the pager's command; none where the user wants none."""
    import shlex
    import shutil

    named = environment.get(VARIABLE, environment.get("PAGER"))
    if named is None:
        return [USUAL] if shutil.which(USUAL) else []
    try:
        words = shlex.split(named)
    except ValueError:  # a quote is not closed
        return []
    return [] if words == ["cat"] else words


def may_page(environment: "Mapping[str, str]") -> bool:
    """Whether answers may be paged: a person reads them."""
    return sys.stdout.isatty() and environment.get("TERM") != "dumb"
