"""The messages between a command and a daemon: one each way, made of fields of bytes.

Imports only `os`, because the client is loaded before everything else. A message is its length in
eight bytes, and its fields; a field is its length in four bytes, and its content. Numbers are
big-endian.
"""

import os

SOCKET_NAME = "daemon.socket"
"""File name of the socket, in the index folder."""

COMMANDS = ("search", "symbol", "outline")
"""The commands that a daemon answers."""

VARIABLE = "SYMINDEX_DAEMON"
"""The environment variable that decides whether a daemon is asked (the default), is not (`off`), or
is also started (`start`)."""

OPTION = "--no-daemon"

FLEET = "SYMINDEX_FLEET"
"""The environment variable of a fleet, which answers in place of a tree."""

_NOT_ASKED = frozenset((OPTION, "--fleet", "--no-refresh", "--request", "-h", "--help"))
"""Options with which no daemon is asked. The file of `--request` may be the command's own standard
input."""


def may_be_asked(arguments: "list[str]") -> bool:
    """Whether a daemon could run a command with these arguments."""
    if os.environ.get(FLEET):
        return False
    return not any(argument.partition("=")[0] in _NOT_ASKED for argument in arguments)


AFFECTING = (
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
"""Environment variables that may affect an answer; a daemon with other values declines. A test
finds the names that the package reads, and fails if one is missing here."""

AFFECTING_PREFIXES = (
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
"""Prefixes of more of these variables: git, package managers and the system's loader have many, and
add new ones."""

NOT_AFFECTING = (
    "SYMINDEX_LSP_TOKEN",
    "SYMINDEX_MCP_TOKEN",
    "SYMINDEX_WEB_TOKEN",
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
"""Exceptions: secrets, variables that the client itself has read, and those that only matter when a
person at a terminal is asked or shown something."""

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
"""Variables that affect how text is written to a terminal."""

MOST_REQUEST_BYTES = 1_000_000
MOST_REPLY_BYTES = 64_000_000
"""Longest answer, in bytes. A longer one is left to the command, which takes far longer to write it
than to find it."""

ANSWERED, DECLINED = b"answered", b"declined"
"""The first field of a reply. After the first come the exit code, standard output and standard
error; after the second comes the reason."""


def pack(fields: "list[bytes]") -> bytes:
    """Encodes a message."""
    payload = b"".join([len(field).to_bytes(4, "big") + field for field in fields])
    return len(payload).to_bytes(8, "big") + payload


def unpack(payload: bytes) -> "list[bytes]":
    """Decodes the fields of a message, without its length. Raises ValueError for an invalid one."""
    fields, offset = [], 0
    while offset < len(payload):
        end = offset + 4 + int.from_bytes(payload[offset : offset + 4], "big")
        if end > len(payload) or offset + 4 > len(payload):
            raise ValueError("a message ends within a field")
        fields.append(payload[offset + 4 : end])
        offset = end
    return fields


def pack_pairs(values: "dict[str, str]") -> bytes:
    """Encodes environment variables as one field."""
    return "\0".join([part for pair in sorted(values.items()) for part in pair]).encode(
        "utf-8", "surrogateescape"
    )


def unpack_pairs(field: bytes) -> "dict[str, str]":
    """Decodes environment variables. Raises ValueError."""
    parts = field.decode("utf-8", "surrogateescape").split("\0") if field else []
    return dict(zip(parts[::2], parts[1::2], strict=True))


def affecting_variables(environment: "dict[str, str]") -> "dict[str, str]":
    """Returns the variables that may affect an answer, each with a digest of its value, which may
    be a secret. A value that names something in the current folder differs from folder to
    folder."""
    from hashlib import blake2b  # deferred, because usually there is no daemon

    digests = {}
    for name, value in environment.items():
        if (name in AFFECTING or name.startswith(AFFECTING_PREFIXES)) and name not in NOT_AFFECTING:
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
    """Returns the current folder if a part of the value names something in it."""
    for part in value.split(os.pathsep):
        if part and part[0] not in "/~" and os.path.lexists(part):
            return "\0" + os.path.realpath(os.curdir)
    return ""
