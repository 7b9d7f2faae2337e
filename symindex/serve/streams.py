"""What servers share: streams for messages, addresses, roots, request ids, and ending on a
signal."""

import contextlib
import os
import signal
import threading
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import IO, Any, Final

from symindex.errors import RequestError, is_unicode

LSP_TOKEN: Final = "SYMINDEX_LSP_TOKEN"
MCP_TOKEN: Final = "SYMINDEX_MCP_TOKEN"
WEB_TOKEN: Final = "SYMINDEX_WEB_TOKEN"
FLEET_TOKEN: Final = "SYMINDEX_FLEET_TOKEN"
"""The environment variables with the tokens that clients must send."""


_fleet_token = ""
"""The token that was removed from the environment: a server may be a fleet's client."""


def is_request_id(value: Any, fractions: bool) -> bool:
    """Whether a value may be the id of a JSON-RPC request: a number or a string. A string with an
    unpaired surrogate may not, because it cannot be sent back.

    fractions: whether any number is allowed, as in LSP; MCP allows integers of 64 bits.
    """
    if isinstance(value, str):
        return is_unicode(value)
    if isinstance(value, bool):
        return False
    if fractions:
        return isinstance(value, int | float)
    return isinstance(value, int) and abs(value) < 2**63


def drop_tokens() -> None:
    """Removes the tokens from the environment, which child processes inherit."""
    global _fleet_token
    _fleet_token = os.environ.get(FLEET_TOKEN, "") or _fleet_token
    for variable in (LSP_TOKEN, MCP_TOKEN, WEB_TOKEN, FLEET_TOKEN):
        os.environ.pop(variable, None)


def fleet_token() -> str:
    """Returns the token that this process sends to a fleet, also after `drop_tokens`; empty for
    none."""
    return os.environ.get(FLEET_TOKEN, "") or _fleet_token


def standard_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Returns standard input and output for messages only. All other output goes to standard
    error."""
    source, target = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return os.fdopen(source, "rb"), os.fdopen(target, "wb")


def parse_address(option: str, text: str, example: int) -> tuple[str, int]:
    """Parses `HOST:PORT`, `:PORT` or `PORT`. The default host is this machine. Raises RequestError,
    which names the option."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise RequestError(
            f"{option} {text!r}: expected HOST:PORT or PORT, such as "
            f"127.0.0.1:{example}; 0 means any free port"
        )
    return host, int(port)


def read_roots(roots: Sequence[str], option: str = "--root") -> list[Path]:
    """Returns the folders that an option names, each once, with links resolved. Raises RequestError
    for a path that is not a folder."""
    for root in roots:
        if not os.path.isdir(root):
            is_there = os.path.exists(root)
            raise RequestError(
                f"{option} {root[:200]}: {'not a folder' if is_there else 'no such folder'}"
            )
    return list(dict.fromkeys(Path(root).resolve() for root in roots))


def ending_signals() -> list[int]:
    """Returns the signals that end a server, which then cleans up: Ctrl-C, and the others unless
    they are ignored, as `nohup` ignores the end of the terminal."""
    return [
        signal.SIGINT,
        *(number for number in _asking_signals() if signal.getsignal(number) != signal.SIG_IGN),
    ]


def ignore_signals() -> None:
    """Lets only Ctrl-C interrupt this process from now on: it is already ending, and a second
    signal must not break that."""
    for number in _asking_signals():
        signal.signal(number, signal.SIG_IGN)


def end_cleanly() -> None:
    """Makes SIGTERM and SIGHUP end this process as Ctrl-C does, so that it removes its socket. The
    KeyboardInterrupt contains the number of the signal. Signals that are ignored or handled already
    stay as they are."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in _asking_signals():
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(number: int, _: object) -> None:
    ignore_signals()
    raise KeyboardInterrupt(number)


def _asking_signals() -> list[int]:
    """Returns the signals other than Ctrl-C that ask a process to end. The second is sent when its
    terminal is closed."""
    return [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


def run_until_stopped(serving: Coroutine[Any, Any, int]) -> int:
    """Runs a server until it ends or a signal cancels it; returns the exit code."""
    import asyncio  # deferred, because the MCP server answers before this is loaded

    async def run() -> int:
        task = asyncio.ensure_future(serving)
        is_asked = False

        def end() -> None:
            nonlocal is_asked
            if not is_asked:  # a second signal must not break the end
                is_asked = True
                task.cancel()

        for number in ending_signals():
            with contextlib.suppress(NotImplementedError, ValueError):
                asyncio.get_running_loop().add_signal_handler(number, end)
        try:
            return await task
        except asyncio.CancelledError:
            return 0

    return asyncio.run(run())
