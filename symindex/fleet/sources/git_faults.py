"""Says in one sentence why git failed, with what would be right.

git tells people by its text, and scripts by nothing but its exit code. So its text is searched for
the few faults that happen; any other is quoted, in one line, as git says it.
"""

import re
from typing import Final, NamedTuple

from symindex.errors import RequestError, StorageError, SymindexError
from symindex.fleet.catalogue.addresses import shown_address
from symindex.text.escaping import shorten, show_controls

_LONGEST_QUOTED: Final = 200

REDIRECTED: Final = re.compile(rb"returned error: 30[12378]")
"""Matches what git says when the server names another address."""


class _Fault(NamedTuple):
    """A fault; the first that matches counts. said: matches git's text. meaning: the sentence after
    the address. is_server: whether to try again, and not to change the catalogue."""

    said: str
    meaning: str
    is_server: bool = False


_FAULTS: Final = (
    _Fault(
        "No space left|Disk quota|could not set 'core",
        "our disk is full, or not to be written: free some space, and run it again",
        True,
    ),
    _Fault(
        "could not read (?:Username|Password)|Authentication failed|terminal prompts disabled"
        r"|returned error: 40[13]|Permission denied \(|HTTP Basic: Access denied",
        "asks for a password, or refuses the token: set token_env to the name of an environment"
        " variable with a token that may read it, or check that it still exists",
    ),
    _Fault(
        "Host key verification failed",
        "ssh does not know the key of the server: connect to it once with ssh, and check the key",
    ),
    _Fault(
        r"[Rr]epository .{0,2000}not found|returned error: (?:404|410)"
        "|does not appear to be a git repository|Repository not found|[Pp]roject .{0,200}not found",
        "there is no such repository any more, or it may not be read: check the address, and"
        " whether it needs a token_env",
    ),
    _Fault("couldn't find remote ref", "the branch or tag has gone: give another as ref"),
    _Fault(
        "Could not resolve host|[Nn]ame or service not known|Could not resolve hostname",
        "there is no machine of that name: check the address and the network",
        True,
    ),
    _Fault(
        "Connection refused|Failed to connect|Couldn't connect|No route to host",
        "the server does not accept connections: try again later",
        True,
    ),
    _Fault(
        "timed out|[Tt]imeout|Operation too slow|too slow",
        "the server is too slow: try again later",
        True,
    ),
    _Fault(
        "SSL certificate|certificate verify|server certificate|self.signed",
        "the certificate of the server is not trusted: add its authority to the system's, or name"
        " it in GIT_SSL_CAINFO",
        True,
    ),
    _Fault(
        "dumb http transport does not support shallow",
        "the server offers only files, and no git: name the address of a git server",
    ),
    _Fault(
        "dubious ownership|unsafe repository",
        "belongs to another user of this machine, so git does not read it: fetch it as that user",
    ),
    _Fault(
        "fsck error|fsck failed|unterminated|malformed|is corrupt|bad object|invalid index-pack"
        "|possible repository corruption|inflate|early EOF|unresolved deltas|index-pack died",
        "what the server sends is damaged, incomplete or forged: check the repository there with"
        " git fsck",
        True,
    ),
    _Fault(
        "transport '.{1,40}' not allowed",
        "git does not know the protocol of the address here",
    ),
)

_COMPILED: Final = [(re.compile(fault.said), fault) for fault in _FAULTS]


def git_fault(said: bytes, location: str) -> SymindexError:
    """Returns the error for what git said when it failed."""
    text = said.decode("utf-8", "replace")
    shown = shown_address(location)
    for pattern, fault in _COMPILED:
        if pattern.search(text):
            kind = StorageError if fault.is_server else RequestError
            return kind(f"{shown}: {fault.meaning}")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    faults = [line for line in lines if line.startswith(("fatal:", "error:"))]
    quoted = shorten(show_controls((faults or lines or ["it says nothing"])[-1]), _LONGEST_QUOTED)
    return StorageError(f"{shown}: git fails: {quoted}; try again, or look at it with git")


def late_fault(location: str, seconds: float) -> StorageError:
    """Returns the error for a repository whose time is up."""
    return StorageError(
        f"{shown_address(location)}: not done within {seconds:g} s: try again, or raise `seconds`"
    )
