"""What a file tells editors of its language: the modelines of Vim and Emacs.

Vim looks at the first and last five lines (`:help modeline`), Emacs at the first two (its manual,
"Specifying File Variables").
"""

import re
from typing import Final

_HEAD_BYTES: Final = 1_000
_TAIL_BYTES: Final = 500

_VIM: Final = re.compile(
    rb"(?:^|[ \t])(?:vim?|ex):[^\n]*?\b(?:ft|filetype|syntax)=([A-Za-z0-9_+#-]{1,30})"
)
_EMACS: Final = re.compile(
    rb"-\*-(?:[^\n]{0,200}?\bmode:)?[ \t]*([A-Za-z0-9_+#-]{1,30})[ \t]*(?:;[^\n]{0,200}?)?-\*-"
)


def mode_of(data: bytes) -> str:
    """The word for the language that a file gives to editors; empty where it gives none."""
    lines = data[:_HEAD_BYTES].split(b"\n", 5)
    first_two = b"\n".join(lines[:2])
    if b"-*-" in first_two and (match := _EMACS.search(first_two)):
        return _word(match)
    for part in b"\n".join(lines[:5]), b"\n".join(data[-_TAIL_BYTES:].split(b"\n")[-6:]):
        if b"=" in part and (match := _VIM.search(part)):
            return _word(match)
    return ""


def _word(match: re.Match[bytes]) -> str:
    return match[1].decode("ascii").lower().removesuffix("-mode").removesuffix("-ts")
