"""Which program a script is for, by its first lines.

Systems read `#!`. Where the program has no path that is the same everywhere, scripts begin as one
of the shell, which starts the program with the script itself (`exec tclsh "$0"`, in a line that the
other language takes for a comment or a string).
"""

import re
from typing import Final

_HEAD_BYTES: Final = 1_000
_HEAD_LINES: Final = 6

_BLANKED_MARK: Final = b"   "
"""What `file_text` makes of a byte order mark."""

_EXEC: Final = re.compile(
    rb"\bexec[ \t]+(?:(?:/[\w.-]+)*/?env[ \t]+)?(?:\$\{\w+:?-)?(?:[\w.@~-]*/)*([\w.+-]+)"
    rb"[^\n(`]{0,200}?[ \t][\"']?\$\{?0\}?[\"']?(?:[ \t\r;]|$)",
    re.MULTILINE,
)
_NIX: Final = re.compile(rb"^#![ \t]*nix-shell\b[^\n]{0,200}?[ \t]-i[ \t]+([\w.+-]+)", re.MULTILINE)


def interpreters_of(data: bytes) -> list[str]:
    """The words for the program that is to run a file, in lower case, the one that counts most
    first."""
    head = data[:_HEAD_BYTES].removeprefix(_BLANKED_MARK)
    is_script = head.startswith(b"#!")
    first, *others = head.split(b"\n", _HEAD_LINES)[:_HEAD_LINES]
    if not is_script and not first.lstrip(_NOTHING).startswith(b"exec"):
        return []
    lines = b"\n".join([first, *others])
    found = [match[1] for pattern in (_NIX, _EXEC) if (match := pattern.search(lines))]
    words = [word.decode("ascii", "replace").lower() for word in found]
    return (
        words + _of_first_line(first[2:200].decode("ascii", "replace").lower())
        if is_script
        else words
    )


_NOTHING: Final = b":;\"' \t"
"""What shells skip before a command at the beginning of a line, and other languages take for a word
or a comment."""


def _of_first_line(line: str) -> list[str]:
    """The program of a line `#!`; in a template it stands between `@`."""
    words = [word.rsplit("/", 1)[-1].strip("@") for word in line.replace('"', " ").split()]
    words = [word for word in words if word and not word.startswith("-") and "=" not in word]
    return words[1:2] if words[:1] == ["env"] else words[:1]
