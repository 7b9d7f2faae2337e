"""Reads what a file says of its own language: `#!` and shells that start another program with it,
and the modelines of Vim and Emacs.

Where a program has no path that is the same everywhere, scripts begin as shell scripts that start
the program with the script itself (`exec tclsh "$0"`, in a line that the other language takes for
a comment or a string). Vim looks at the first and last five lines (`:help modeline`), Emacs at the
first two (its manual, "Specifying File Variables").
"""

import re
from typing import Final

_HEAD_BYTES: Final = 1_000
_HEAD_LINES: Final = 6

_BLANKED_MARK: Final = b"   "
"""The blanks that `file_text` leaves of a byte order mark."""

_EXEC: Final = re.compile(
    rb"\bexec[ \t]+(?:(?:/[\w.-]+)*/?env[ \t]+)?(?:\$\{\w+:?-)?(?:[\w.@~-]*/)*([\w.+-]+)"
    rb"[^\n(`]{0,200}?[ \t][\"']?\$\{?0\}?[\"']?(?:[ \t\r;]|$)",
    re.MULTILINE,
)
_NIX: Final = re.compile(rb"^#![ \t]*nix-shell\b[^\n]{0,200}?[ \t]-i[ \t]+([\w.+-]+)", re.MULTILINE)


def interpreters_of(data: bytes) -> list[str]:
    """Returns the words for the program that runs a file, in lower case, the most important
    first."""
    head = data[:_HEAD_BYTES].removeprefix(_BLANKED_MARK)
    is_script = head.startswith(b"#!")
    first, *more_lines = head.split(b"\n", _HEAD_LINES)[:_HEAD_LINES]
    if not is_script and not first.lstrip(_NOTHING).startswith(b"exec"):
        return []
    lines = b"\n".join([first, *more_lines])
    programs = [match[1] for pattern in (_NIX, _EXEC) if (match := pattern.search(lines))]
    words = [word.decode("ascii", "replace").lower() for word in programs]
    return (
        words + _of_first_line(first[2:200].decode("ascii", "replace").lower())
        if is_script
        else words
    )


_NOTHING: Final = b":;\"' \t"
"""Characters that shells skip before a command at the beginning of a line, and that other languages
read as a word or a comment."""


def _of_first_line(line: str) -> list[str]:
    """Returns the program of a `#!` line; a template has it between `@`."""
    words = [word.rsplit("/", 1)[-1].strip("@") for word in line.replace('"', " ").split()]
    words = [word for word in words if word and not word.startswith("-") and "=" not in word]
    return words[1:2] if words[:1] == ["env"] else words[:1]


_TAIL_BYTES: Final = 500

_VIM: Final = re.compile(
    rb"(?:^|[ \t])(?:vim?|ex):[^\n]*?\b(?:ft|filetype|syntax)=([A-Za-z0-9_+#-]{1,30})"
)
_EMACS: Final = re.compile(
    rb"-\*-(?:[^\n]{0,200}?\bmode:)?[ \t]*([A-Za-z0-9_+#-]{1,30})[ \t]*(?:;[^\n]{0,200}?)?-\*-"
)


def mode_of(data: bytes) -> str:
    """Returns the word for its language that a file gives to editors; empty if it gives none."""
    lines = data[:_HEAD_BYTES].split(b"\n", 5)
    first_two = b"\n".join(lines[:2])
    if b"-*-" in first_two and (match := _EMACS.search(first_two)):
        return _mode_word(match)
    tail = data[-_TAIL_BYTES:].removesuffix(b"\n").split(b"\n")
    for part in b"\n".join(lines[:5]), b"\n".join(tail[-5:]):
        if b"=" in part and (match := _VIM.search(part)):
            return _mode_word(match)
    return ""


def _mode_word(match: re.Match[bytes]) -> str:
    return match[1].decode("ascii").lower().removesuffix("-mode").removesuffix("-ts")
