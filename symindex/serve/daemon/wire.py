"""What a command and a daemon say to each other: one message each way, made of fields of bytes.

It imports nothing but `os`, because the client is loaded before everything else. A message is eight
bytes of its length and its fields; a field is four bytes of its length and itself. Numbers have the
highest byte first.
"""

import os

SOCKET_NAME = "daemon.socket"
"""Of the socket, in the folder of the index."""

COMMANDS = ("search", "symbol", "outline")
"""The commands that a daemon answers."""

VARIABLE = "SYMINDEX_DAEMON"
"""The environment variable that says whether a daemon is asked (default), is not (`off`), or is
started, too (`start`)."""

OPTION = "--no-daemon"

_NOT_ASKED = frozenset((OPTION, "--no-refresh", "--request", "-h", "--help"))
"""With one of these, no daemon is asked. The file of `--request` may be the command's own standard
input."""


def may_be_asked(arguments: "list[str]") -> bool:
    """Whether a daemon could answer a command with these arguments."""
    return not any(argument.partition("=")[0] in _NOT_ASKED for argument in arguments)


MEANT = (
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PATH",
    "TZ",
    "VIRTUAL_ENV",
    "M2_HOME",
    "M2_REPO",
    "CPATH",
    "SUDO_UID",
    "WATCHFILES_FORCE_POLLING",
)
"""The variables of the environment on which an answer may depend, with those that begin as follows;
a daemon that has others declines. A test finds the names that the package reads, and fails for one
that is missing here."""

MEANT_BEGINNINGS = (
    "SYMINDEX_",
    "GIT_",
    "XDG_",
    "CONDA_",
    "CARGO_",
    "RUSTUP_",
    "GO",
    "GEM_",
    "BUNDLE_",
    "RUBY",
    "PYTHON",
    "JAVA_",
    "MAVEN_",
    "GRADLE_",
    "NODE_",
    "NPM_CONFIG_",
    "npm_config_",
    "C_INCLUDE_",
    "CPLUS_INCLUDE_",
    "LANG",
    "LC_",
    "LD_",
    "DYLD_",
)
"""The beginnings of their names: git, the package managers and the system's loader of programs have
many, and add more."""

NOT_MEANT = (
    "SYMINDEX_LSP_TOKEN",
    "SYMINDEX_MCP_TOKEN",
    "SYMINDEX_INDEX_DIR",
    "SYMINDEX_TRACEBACK",
    "SYMINDEX_PAGER",
    VARIABLE,
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_PAGER",
    "XDG_SESSION_ID",
    "XDG_RUNTIME_DIR",
)
"""The exceptions: secrets, what the client itself has read, and what only a person at a terminal is
asked or shown by."""

SHOWN = (
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
    "COLUMNS",
    "LINES",
)
"""The variables by which a terminal is written to."""

MOST_REQUEST_BYTES = 1_000_000
MOST_REPLY_BYTES = 64_000_000
"""What is longer is left to the command itself, which takes far longer to write it than to find
it."""

ANSWERED, DECLINED = b"answered", b"declined"
"""The first field of a reply. Behind the one are the exit code, standard output and standard error;
behind the other is why."""


def pack(fields: "list[bytes]") -> bytes:
    """A message."""
    payload = b"".join([len(field).to_bytes(4, "big") + field for field in fields])
    return len(payload).to_bytes(8, "big") + payload


def unpack(payload: bytes) -> "list[bytes]":
    """The fields of a message, without its length. Raises ValueError for what is none."""
    fields, at = [], 0
    while at < len(payload):
        end = at + 4 + int.from_bytes(payload[at : at + 4], "big")
        if end > len(payload) or at + 4 > len(payload):
            raise ValueError("a message ends within a field")
        fields.append(payload[at + 4 : end])
        at = end
    return fields


def pack_pairs(values: "dict[str, str]") -> bytes:
    """Variables of the environment as a field."""
    return "\0".join([part for pair in sorted(values.items()) for part in pair]).encode(
        "utf-8", "surrogateescape"
    )


def unpack_pairs(field: bytes) -> "dict[str, str]":
    """The reverse. Raises ValueError."""
    parts = field.decode("utf-8", "surrogateescape").split("\0") if field else []
    return dict(zip(parts[::2], parts[1::2], strict=True))


def meant(environment: "dict[str, str]") -> "dict[str, str]":
    """The variables on which an answer may depend, each with a digest of its value: the value may
    hold a secret.

    A value that names something in the current folder is another one in another folder.
    """
    from hashlib import blake2b  # here, because mostly nobody is there to ask

    digests = {}
    for name, value in environment.items():
        if (name in MEANT or name.startswith(MEANT_BEGINNINGS)) and name not in NOT_MEANT:
            text = (
                value
                if value.startswith(os.sep) and os.pathsep not in value
                else value + _current_folder(value)
            )
            digests[name] = blake2b(
                text.encode("utf-8", "surrogateescape"), digest_size=16
            ).hexdigest()
    return digests


def _current_folder(value: str) -> str:
    """The current folder, where a part of a value names something in it."""
    for part in value.split(os.pathsep):
        if part and part[0] not in "/~" and os.path.lexists(part):
            return "\0" + os.path.realpath(os.curdir)
    return ""
