"""Finds the name that a pasted line of code defines, so that a definition can be searched for as it
is written in a diff or on a page.

One rule serves all languages: the name follows a word such as `class` or `def` if there is one, and
otherwise precedes the first `(`, `=`, `{` or `;`. A text of another shape is a query. The text is
read once, from left to right.
"""

import re
from itertools import takewhile
from typing import Final, NamedTuple

from symindex.search.language.query import FIELDS, KEYWORDS, WORD
from symindex.text.separators import SEPARATOR

_USED_TYPES: Final = frozenset({"class", "struct", "enum", "union"})
"""Words of _DEFINING that may also precede a type that is merely used: `struct a *b(void)` defines
b."""

_DEFINING: Final = _USED_TYPES | frozenset(
    {
        "interface",
        "trait",
        "protocol",
        "record",
        "object",
        "module",
        "namespace",
        "package",
        "def",
        "defn",
        "defmodule",
        "fn",
        "fun",
        "func",
        "function",
        "sub",
        "proc",
        "procedure",
        "macro",
        "macro_rules!",
        "define",
        "type",
        "typealias",
        "newtype",
        "let",
        "var",
        "val",
        "impl",
        "extension",
        "mixin",
        "actor",
        "table",
        "view",
        "trigger",
    }
)
"""Words that precede the defined name."""

_BETWEEN: Final = frozenset({"mut", "default", "async", "static", "const", "inline", "rec"})
"""Words that may be between such a word and the name."""

_IMPLEMENTING: Final = frozenset({"impl"})
"""Words that precede what is implemented; the defined name may follow a `for`."""

_ATTRIBUTES: Final = frozenset(
    {"pub", "private", "protected", "decltype", "alignas", "__attribute__", "__declspec"}
)
"""Words that may have arguments without being defined; so may names that begin with `@`."""

_CONTROL: Final = frozenset(
    {
        "if",
        "else",
        "elif",
        "unless",
        "for",
        "foreach",
        "while",
        "until",
        "switch",
        "case",
        "catch",
        "return",
        "throw",
    }
)
"""Words before parentheses that define nothing."""

_LINKAGE: Final = re.compile(r'(?<!\S)extern\s+"[^"]*"\s+(?=\w)')
"""`extern "C"` before a definition, which is not a phrase."""

_OWN: Final = re.compile(rf"\$?(?:self|this|cls){SEPARATOR.pattern}")
"""Qualifiers of a name inside the type that it belongs to."""

_COLON: Final = re.compile("(?<=[^:]):(?=[^:])")

_NAME: Final = (
    r"(?:operator(?:\(\)(?=\s*\()|\[\]|[^\w\s()\[\]{};,]+)|[~$@#]?[\w$]+(?:-\w+)*(?:[!?](?!=))?)"
)
_JOINING: Final = rf"(?:{SEPARATOR.pattern}|:(?=\w+\())(?=[\w~$])"
_PIECE: Final = re.compile(
    rf"\s*(?:(?P<name>{_NAME}(?:{_JOINING}{_NAME})*)|(?P<mark>->|=>|::|:=|[=!<>+*/|&^%-]=|\S))"
)

_CLOSING: Final = {"(": ")", "[": "]", "<": ">"}


class _CodePiece(NamedTuple):
    """A name, qualified or not, or a mark. is_glued, is_glued_behind: whether no white space
    precedes or follows it."""

    text: str
    is_name: bool
    is_glued: bool
    is_glued_behind: bool


def defined_name(text: str) -> str:
    """Returns the name that a piece of code defines, qualified by its container if the text shows
    one; empty if the text is not code.

    Passes: divide the text into names and marks; return nothing if it is a query; then try a
    pointer to a function, a name after a defining word, and a name before a mark.
    """
    if WORD.fullmatch(text) and text[-1] not in "{;":
        return ""
    pieces = _divide(_LINKAGE.sub("extern ", text))
    if _is_query(pieces) or (pieces and pieces[0].text in _CONTROL - {"return", "throw"}):
        return ""
    name = _pointer_to_function(pieces) or _behind_word(pieces) or _before_mark(pieces)
    return (
        ""
        if name in _CONTROL
        else _COLON.sub(".", _OWN.sub("", name)).replace("?.", ".").lstrip("@#")
    )


def _is_query(pieces: list[_CodePiece]) -> bool:
    """Whether a text is a query, whatever else it contains: a keyword anywhere; or, outside of
    brackets and before the body, a phrase, a field or a negation."""
    if any(piece.text in KEYWORDS for piece in pieces):
        return True
    number = 0
    while number < len(pieces) and pieces[number].text not in ("=", ":=", "=>", "->", "{"):
        piece = pieces[number]
        is_field = (
            piece.text.lower() in FIELDS
            and pieces[number + 1 : number + 2]
            and pieces[number + 1].text == ":"
        )
        is_negated = piece.text in ("-", "!") and piece.is_glued_behind and not piece.is_glued
        if piece.text == '"' or is_negated or (is_field and pieces[number + 1].is_glued_behind):
            return True
        number = _behind_group(pieces, number) if piece.text in ("(", "[") else number + 1
    return False


def _divide(text: str) -> list[_CodePiece]:
    pieces, end = [], 0
    while match := _PIECE.match(text, end):
        start, end = match.start(match.lastgroup or 0), match.end()
        is_glued = start > 0 and not text[start - 1].isspace()
        is_glued_behind = end < len(text) and not text[end].isspace()
        pieces.append(
            _CodePiece(
                text[start:end],
                match.lastgroup == "name",
                start > 0 and is_glued,
                end < len(text) and is_glued_behind,
            )
        )
    return pieces


def _behind_group(pieces: list[_CodePiece], start: int) -> int:
    """Returns the place after the bracket that closes the one at `start`; the end if none does."""
    opening, depth = pieces[start].text, 0
    for number in range(start, len(pieces)):
        depth += (pieces[number].text == opening) - (pieces[number].text == _CLOSING[opening])
        if not depth:
            return number + 1
    return len(pieces)


def _pointer_to_function(pieces: list[_CodePiece]) -> str:
    """Returns the name in `typedef int (*name)(int);`, whether it is a type, a variable, or a
    function that returns such a pointer."""
    if not pieces or (pieces[0].text != "typedef" and pieces[-1].text not in (";", "{")):
        return ""
    start = next(
        (number for number, piece in enumerate(pieces) if not piece.is_name and piece.text != "*"),
        len(pieces),
    )
    if not start or [piece.text for piece in pieces[start : start + 2]] != ["(", "*"]:
        return ""
    end = _behind_group(pieces, start)
    if end >= len(pieces) or pieces[end].text != "(" or not pieces[end].is_glued:
        return ""
    names = list(takewhile(lambda piece: piece.is_name, pieces[start + 2 : end]))
    return names[-1].text if names else ""


def _defines(piece: _CodePiece) -> bool:
    return piece.is_name and piece.text.lstrip("#") in _DEFINING


def _behind_word(pieces: list[_CodePiece]) -> str:
    """Returns the name after the first word of _DEFINING, if only names and brackets precede that
    word."""
    number = 0
    while number < len(pieces) and not _defines(pieces[number]):
        if pieces[number].text in _CLOSING:
            number = _behind_group(pieces, number)
        elif pieces[number].is_name or pieces[number].text == "#":
            number += 1
        else:
            return ""
    word, owner = "", ""
    while number < len(pieces) and (
        _defines(pieces[number])
        or pieces[number].text in _BETWEEN
        or pieces[number].text in ("<", "(")
    ):
        end = _behind_group(pieces, number) if pieces[number].text in _CLOSING else number + 1
        if pieces[number].text == "(":
            owner = _owner(pieces[number + 1 : end - 1])
        elif _defines(pieces[number]):
            word = pieces[number].text
        number = end
    if word in _IMPLEMENTING:
        number = next(
            (place + 1 for place in range(number, len(pieces)) if pieces[place].text == "for"),
            number,
        )
    if number >= len(pieces) or not pieces[number].is_name:
        return ""
    name, number = _extended(pieces, number)
    rest = pieces[number:]
    is_used = rest and (
        rest[0].text in ("*", "&")
        or (len(rest) > 1 and rest[0].is_name and rest[1].text in ("(", "=", ";", "["))
    )
    if (word in _USED_TYPES and is_used) or not _has_shape(rest):
        return ""
    return f"{owner}.{name}" if owner else name


def _extended(pieces: list[_CodePiece], start: int) -> tuple[str, int]:
    """Returns the name at a place, with what follows the arguments of a type that it extends
    (`List<T>.first`), and where it ends."""
    name, end = pieces[start].text, start + 1
    while end < len(pieces) and pieces[end].text == "<":
        after = _behind_group(pieces, end)
        if after + 1 >= len(pieces) or pieces[after].text != "." or not pieces[after + 1].is_name:
            break
        name, end = f"{name}.{pieces[after + 1].text}", after + 2
    return name, end


def _owner(receiver: list[_CodePiece]) -> str:
    """Returns the type of a receiver in parentheses: `(s *Server[T])`."""
    names = []
    for piece in receiver:
        if piece.text in ("[", "<"):
            break
        names += [piece.text] if piece.is_name else []
    return names[-1] if names else ""


def _has_shape(rest: list[_CodePiece]) -> bool:
    """Whether the text after a name that follows a defining word is code."""
    if not rest:
        return False
    first, last = rest[0], rest[-1]
    if first.text == "(" and (first.is_glued or last.text == "("):
        return True
    if first.text == ":" and not first.is_glued_behind:
        return True
    if first.text in ("<", "[", "{") or any(piece.text in ("=", ":=") for piece in rest):
        return True
    is_field = last.text == ":" and len(rest) > 1 and rest[-2].text.lower() in FIELDS
    return last.text in ("{", ":", ";", "=>") and not is_field


def _before_mark(pieces: list[_CodePiece]) -> str:
    """Returns the name directly before the first mark that may follow the name of a definition."""
    number, name, name_end = 0, "", -1
    has_body = bool(pieces) and pieces[-1].text in ("{", ";")
    while number < len(pieces):
        piece, is_behind, number = pieces[number], number == name_end, number + 1
        if piece.is_name:
            has_arguments = (
                number < len(pieces) and pieces[number].text == "(" and pieces[number].is_glued
            )
            if has_arguments and (piece.text in _ATTRIBUTES or piece.text.startswith("@")):
                number = _behind_group(pieces, number)
            elif not _defines(piece):
                name, name_end = piece.text, number
        elif piece.text == "(":
            end = _behind_group(pieces, number - 1)
            # `login() test` is two words, and `it("logs in")` contains a phrase.
            is_query = pieces[number : number + 1] and (
                pieces[number].text == '"'
                or (
                    end == number + 1
                    and all(piece.is_name or piece.text in "()" for piece in pieces[end:])
                )
            )
            if is_behind and (piece.is_glued or has_body) and not is_query:
                return name
            number = end
        elif piece.text == "[" or (
            piece.text == "<" and (piece.is_glued_behind or (is_behind and piece.is_glued))
        ):
            number = _behind_group(pieces, number - 1)
            name_end = number if is_behind else name_end
        elif piece.text in ("=", ":=", "::", "{", ";"):
            is_divided = not piece.is_glued_behind and (
                piece.text in ("{", ";") or number < len(pieces)
            )
            return name if is_behind and (is_divided or not piece.is_glued) else ""
        elif piece.text == ":":
            has_value = is_behind and any(later.text == "=" for later in pieces[number:])
            return name if has_value and not piece.is_glued_behind else ""
        elif piece.text == "<" or (
            piece.text == "*" and piece.is_glued_behind and (piece.is_glued or number == 1)
        ):
            return ""  # a comparison, or a wildcard in a word
    return ""
