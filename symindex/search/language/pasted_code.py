"""Pasted code: the name that a line of it defines, so that a definition can be searched for as it
stands in a diff or on a page.

One rule for all languages: the name stands behind a word such as `class` or `def`, if there is one,
and else directly before the first `(`, `=`, `{` or `;`. What has not that shape is a query. The
text is read once, from left to right.
"""

import re
from itertools import takewhile
from typing import Final, NamedTuple

from symindex.search.language.query import FIELDS, KEYWORDS, WORD
from symindex.text.separators import SEPARATOR

_USED_TYPES: Final = frozenset({"class", "struct", "enum", "union"})
"""These also stand before a type that is only used: `struct a *b(void)` defines b."""

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
"""Behind these words stands the name that is defined."""

_BETWEEN: Final = frozenset({"mut", "default", "async", "static", "const", "inline", "rec"})
"""These words may stand in between."""

_IMPLEMENTING: Final = frozenset({"impl"})
"""Behind these stands what is implemented; the name that is defined may come behind a `for`."""

_ATTRIBUTES: Final = frozenset(
    {"pub", "private", "protected", "decltype", "alignas", "__attribute__", "__declspec"}
)
"""These words, and names that begin with `@`, may have arguments without being defined."""

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
"""What stands before parentheses and defines nothing."""

_LINKAGE: Final = re.compile(r'(?<!\S)extern\s+"[^"]*"\s+(?=\w)')
"""`extern "C"` before what is defined: no phrase."""

_OWN: Final = re.compile(rf"\$?(?:self|this|cls){SEPARATOR.pattern}")
"""What a name may be qualified with inside the type that it belongs to."""

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
    """A name, qualified or not, or a mark. is_glued, is_glued_behind: whether no white space is
    before it, or behind it."""

    text: str
    is_name: bool
    is_glued: bool
    is_glued_behind: bool


def defined_name(text: str) -> str:
    """The name that a piece of code defines, behind that of its container where the text shows one;
    empty if it is no code."""
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
    """Whether a text is a query, whatever else it holds: a keyword anywhere; a phrase, a field or a
    negation where code has its name and parameters, outside of these."""
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
    """Where what opens here is closed, one further; the end where it is not."""
    opening, depth = pieces[start].text, 0
    for number in range(start, len(pieces)):
        depth += (pieces[number].text == opening) - (pieces[number].text == _CLOSING[opening])
        if not depth:
            return number + 1
    return len(pieces)


def _pointer_to_function(pieces: list[_CodePiece]) -> str:
    """The name in `typedef int (*name)(int);`, be it a type, a variable, or a function that returns
    such a pointer."""
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
    """The name behind the first word of _DEFINING, if nothing but names and groups comes before
    that."""
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
    """The name at a place, with what follows the arguments of a type that it extends
    (`List<T>.first`); and where it ends."""
    name, end = pieces[start].text, start + 1
    while end < len(pieces) and pieces[end].text == "<":
        after = _behind_group(pieces, end)
        if after + 1 >= len(pieces) or pieces[after].text != "." or not pieces[after + 1].is_name:
            break
        name, end = f"{name}.{pieces[after + 1].text}", after + 2
    return name, end


def _owner(receiver: list[_CodePiece]) -> str:
    """The type of a receiver in parentheses: `(s *Server[T])`."""
    names = []
    for piece in receiver:
        if piece.text in ("[", "<"):
            break
        names += [piece.text] if piece.is_name else []
    return names[-1] if names else ""


def _has_shape(rest: list[_CodePiece]) -> bool:
    """Whether what follows a name behind a word is code."""
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
    """The name directly before the first mark that definitions have behind their names."""
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
            # `login() test` are two words, and in `it("logs in")` there is a phrase.
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
