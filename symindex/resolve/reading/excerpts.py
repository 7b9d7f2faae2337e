"""Places in a file as answers show them: line, column, and the line's text or, of a long line, the
part around the place."""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

MOST_TEXT: Final = 200
"""Most characters of a line that are shown."""

_MOST_BYTES: Final = 4 * MOST_TEXT
"""Bytes of a line that are read on each side of a name: enough for the characters."""


MOST_CALL: Final = 1000
"""Most bytes of a call that are read for its arguments."""

_COMMENT: Final = re.compile(r"(?<![:\"\w])//.*")

NOT_BOUND: Final = -1
NOT_KNOWN: Final = -2
"""Values of `Mention.binding` if nothing binds the name, or if that is unknown
(`extract/parse/bindings`)."""


class Mention(msgspec.Struct, array_like=True, frozen=True):
    """A place in a file, and what the parser tells about the name there.

    Attributes:
        start_byte: in the text as it is read for the index.
        line, column, text: as in `protocol.Reference`; columns are characters.
        role: of the name; empty if unknown. It and the other fields of `extract/parse/roles.Role`
            come from there.
        name: the name itself.
        binding: start of the name that binds this one locally, or NOT_BOUND, or NOT_KNOWN if the
            rules of the language do not tell.
        imports_all: whether its file has an import that does not list names.
        origin: module and name from which its receiver is imported; empty if it is not.
        local: what the functions around it declare the first names of its receiver, and of the
            values that these get, to be (`extract/parse/local_types`).
        imports: what brings its name, or the first name of its receiver, into its file: local name,
            module, name in the module.
        declared_at: start of the first declaration of a bare name in the functions around it;
            NOT_BOUND if there is none.
        holders: what a member that is named without a receiver is a member of, written as in
            `local`: the type around a key.
        at: where the name begins in `text`, from 0.
        given: what the functions around it declare the first names of its arguments to be, where it
            may mean one of several functions.
        call: the text from the name to the end of its arguments, where its line does not show that.
    """

    start_byte: int
    line: int
    column: int
    text: str
    role: str = ""
    receiver: str = ""
    kin: str = ""
    name: str = ""
    is_bound: bool = False
    is_module: bool = False
    is_label: bool = False
    is_outside: bool = False
    is_of_value: bool = False
    is_variable: bool = False
    is_datum: bool = False
    suffix: str = ""
    binding: int = NOT_KNOWN
    imports_all: bool = False
    origin: tuple[str, str] = ("", "")
    local: dict[str, list[str]] = {}
    imports: list[tuple[str, str, str]] = []
    holders: list[str] = []
    declared_at: int = NOT_BOUND
    at: int = 0
    given: dict[str, list[str]] = {}
    call: str = ""

    @property
    def bound_at(self) -> int:
        """The start of the name that binds this one locally; NOT_BOUND if it is not known to be
        local."""
        is_bare = not (self.receiver or self.is_label or self.is_datum or self.holders)
        is_value = is_bare and self.role in ("read", "write")
        return max(self.binding, self.declared_at if is_value else NOT_BOUND, NOT_BOUND)

    @property
    def before(self) -> str:
        """The text of the line before the name, as far as it is shown."""
        return self.text[: self.at]

    @property
    def onward(self) -> str:
        """The text of the line from the name, as far as it is shown."""
        return self.text[self.at :]

    @property
    def called(self) -> str:
        """The text from the name to the end of its arguments, as far as it is known."""
        return self.call or self.onward


def call_at(text: bytes, mention: Mention) -> str:
    """Returns the text from a name to the end of the arguments that it is called with, on one line,
    and the brace of a block that follows them; empty if its line shows that, or if it is longer
    than MOST_CALL bytes."""
    is_cut = mention.onward.endswith("…")
    if not is_cut and _end_of_call(mention.onward):
        return ""
    start = mention.start_byte
    lines = text[start : start + MOST_CALL].decode("utf-8", "ignore").split("\n")
    written = " ".join(_COMMENT.sub("", line).strip() for line in lines)
    end = _end_of_call(written)
    return written[:end] + " {" * (end > 0 and written[end:].lstrip().startswith("{"))


def _end_of_call(text: str) -> int:
    """Returns the end of the first group of parentheses; 0 if it is not closed."""
    depth = 0
    for match in re.finditer(r"[()]", text):
        depth += 1 if match[0] == "(" else -1
        if depth <= 0:
            return match.end()
    return 0


def excerpts(text: bytes, starts: Sequence[int]) -> list[Mention]:
    """Returns the places that begin at these bytes. starts: in ascending order."""
    mentions = []
    line, line_start, last_start, column = 1, 0, 0, 1
    for start in starts:
        breaks = text.count(b"\n", last_start, start)
        if breaks:
            line += breaks
            line_start = last_start = text.rfind(b"\n", last_start, start) + 1
            column = 1
        column += len(text[last_start:start].decode("utf-8", "replace"))
        last_start = start
        before, onward = _excerpt(text, line_start, start)
        mentions.append(Mention(start, line, column, before + onward, at=len(before)))
    return mentions


def _excerpt(text: bytes, line_start: int, start: int) -> tuple[str, str]:
    """Returns the line before and from a place, or the part of a long line around it: at most
    MOST_TEXT characters."""
    first = max(line_start, start - _MOST_BYTES)
    while first > line_start and text[first] & 0xC0 == 0x80:  # in the middle of a character
        first -= 1
    end = text.find(b"\n", start, start + _MOST_BYTES)
    is_whole = end >= 0 or start + _MOST_BYTES >= len(text)
    text_after = (
        text[start : end if end >= 0 else start + _MOST_BYTES].decode("utf-8", "ignore").rstrip()
    )
    text_before = text[first:start].decode("utf-8", "replace").lstrip()
    if len(text_before) + len(text_after) <= MOST_TEXT and first == line_start and is_whole:
        return text_before, text_after
    most_before = max(MOST_TEXT // 4, MOST_TEXT - len(text_after) - 1)
    if len(text_before) > most_before or first > line_start:
        text_before = "…" + text_before[-(most_before - 1) :]
    room = MOST_TEXT - len(text_before)
    is_cut = len(text_after) > room or not is_whole
    return text_before, text_after[: room - 1] + "…" if is_cut else text_after
