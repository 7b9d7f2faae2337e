"""Tells whether a line of source is the template of a message: a string with placeholders, or
strings with values between them.

The fixed pieces of a template must occur in the message, whole and in order; everything between
them is values. So a template with one fixed word finds a message, though no two consecutive words
are the same.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

MOST_LINE: Final = 2_000
"""Longest line that is read, in characters; longer ones are data."""

LEAST_LETTERS: Final = 5
"""Fewest letters in the fixed pieces: with fewer a template fits any message."""

LEAST_SHARE: Final = 0.15
"""Share of the message's letters that the fixed pieces must contain."""

_LITERAL: Final = re.compile(
    r'"((?:[^"\\]|\\.){0,400}+)"|\'((?:[^\'\\]|\\.){0,400}+)\'|`((?:[^`\\]|\\.){0,400}+)`'
)
"""Longest literal, in characters; longer or unclosed literals are not searched."""

_PLACEHOLDER: Final = re.compile(
    r"""[$#]?\{\{?[^{}]*\}?\}               # ${x} #{x} {} {0} {x!r} {{x}}
    | %(?:\(\w+\)|\d+\$)?[-+#0 ]*\d*(?:\.\d+)?(?:hh|ll|[hlLzjt])?[a-zA-Z@]   # %s %(name)s %1$s %ld %@
    | \\\([^()]*\)                           # \(x)
    | \$\w+(?:->\w+)?                        # $x $x->y
    | ~\d*[a-zA-Z](?!\w)                      # ~s
    | %\Z                                    # "%" PRIu64
    | (?<!\w):[a-z_]\w*                      # :name
    """,  # noqa: E501
    re.VERBOSE,
)

_ESCAPE: Final = re.compile(r"\\(.)")
_BLANK: Final = re.compile(r"\s+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_PUT_TOGETHER: Final = re.compile(
    r"\A\s*[A-Z][A-Z_]++\w*+\s*\Z|\A\s*,[^,]*,\s*\Z|\+|\.\.|<<|<>|\^|&|\.(?=\s)|(?<=\s)\."
)
"""Matches the code between strings that are joined with values."""

_ARGUMENT: Final = re.compile(r"\w\s{0,4}[(\[]\s{0,4}\Z|[^\w\s]\s{0,4}[a-z]\w{0,40}\s{1,4}\Z")
_INSIDE: Final = re.compile(
    r"[$#]\{[^{}\n]{0,200}\}|(?:\\|\$)\((?:[^()\n]|\([^()\n]{0,100}\)){0,200}\)|\{\w[\w.]{0,40}\[[\"'][^{}\n]{0,80}\}"
)
"""Matches a value inside a literal, which may contain quotes itself."""


class Message(NamedTuple):
    """A printed message. text: with single blanks. letters: how many it has."""

    text: str
    letters: int


def message_of(text: str) -> Message:
    """Prepares a message for comparison."""
    folded = _BLANK.sub(" ", text).strip()
    return Message(folded, len(_LETTER.findall(folded)))


def share_of(line: str, message: Message) -> float:
    """Returns the share of a message's letters in the fixed pieces of the best template of a line;
    0 if it has none."""
    if len(line) > MOST_LINE:
        return 0.0
    letters = max((_letters(pieces, message.text) for pieces in _templates(line)), default=0)
    share = letters / max(message.letters, 1)
    return share if letters >= LEAST_LETTERS and share >= LEAST_SHARE else 0.0


def _templates(line: str) -> Iterator[list[str]]:
    """Yields the fixed pieces of each template of a line."""
    line = _INSIDE.sub("{}", line)
    literals = list(_LITERAL.finditer(line))
    together: list[str] = []
    for number, literal in enumerate(literals):
        pieces = _PLACEHOLDER.split(next(group for group in literal.groups() if group is not None))
        if len(pieces) > 1:
            yield pieces
        code_after = (
            line[literal.end() : literals[number + 1].start()]
            if number + 1 < len(literals)
            else line[literal.end() :]
        )
        code_before = (
            line[literals[number - 1].end() : literal.start()]
            if number
            else line[: literal.start()]
        )
        if together and _ARGUMENT.search(
            code_before
        ):  # an argument of a call between the strings: `'expired on ' . date('c')`
            continue
        if _PUT_TOGETHER.search(code_after) or (_PUT_TOGETHER.search(code_before) and together):
            together += pieces
    if any(
        piece != piece.strip() for piece in together
    ):  # a text around values has blanks; a mere word is data
        yield together


def _letters(pieces: Sequence[str], message: str) -> int:
    """Returns the number of letters in the pieces if they occur in the message in order, else 0."""
    place = letters = 0
    for number, piece in enumerate(pieces):
        text = _BLANK.sub(
            " ", _ESCAPE.sub(lambda match: " " if match[1] in "nrt" else match[1], piece)
        )
        n_letters = len(_LETTER.findall(text))
        if not n_letters:
            continue  # signs and blanks between values
        bare = text.strip()
        start = r"(?<!\w)" if bare[0].isalpha() and (text[0] == " " or not number) else ""
        match = re.compile((start if text == bare else "") + re.escape(text)).search(message, place)
        match = match or re.compile(start + re.escape(bare)).search(message, place)
        if match is None:
            return 0
        place, letters = match.end(), letters + n_letters
    return letters
