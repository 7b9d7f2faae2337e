"""Parses the query language: turns text into a tree (`search/language/query`).
`symindex/search/language/README.md` explains what each form means.

One word is a Name, and so is a line of code that defines something (`search/language/pasted_code`).
Words without an operator are Words. Everything else is a boolean expression:

    expression = conjunction { "OR" conjunction }
    conjunction = negation { [ "AND" ] negation }
    negation = ( "NOT" | "-" | "!" ) negation | [ field ":" ] "(" expression ")" | term
    term = [ field ":" ] ( word { "," word } | '"' phrase '"' )      a word with `*` is a wildcard

A minus or exclamation mark is directly before what it negates, and a field directly before its
value. A list with commas needs a field of LISTED. Terms in the parentheses of a field belong to
that field unless they name another.
"""

import re
from typing import Final

import msgspec

from symindex.errors import RequestError, UnfinishedQueryError
from symindex.search.language.pasted_code import defined_name
from symindex.search.language.pasted_names import (
    is_pasted,
    pasted_name,
    with_parameters,
    without_marks_of_types,
)
from symindex.search.language.query import (
    FIELDS,
    KEYWORDS,
    LISTED,
    NEGATION,
    WORD,
    And,
    Everything,
    Node,
    Not,
    Or,
    Query,
    Term,
    Words,
    field_of,
    is_url,
    parse_name,
    quoted,
)
from symindex.text.escaping import shorten

QUERY_CHARACTERS: Final = 1_000
"""Longest query, in characters. A person never types more, and a program that sends more has made a
mistake."""

MOST_NESTED: Final = 100

MOST_WILDCARDS: Final = 32
"""Most different wildcards of a query: each may match most names, and read most texts."""


def parse_query(text: str, notices: list[str] | None = None) -> Query:
    """Returns the tree of a query. notices: gets one for each word that looks like a field and is
    none.

    Raises RequestError for a syntax error, with its place and what was expected there;
    UnfinishedQueryError if the place is the end, as while a query is being typed.
    """
    if len(text) > QUERY_CHARACTERS:
        raise RequestError(
            f"the query has {len(text):,} characters: at most {QUERY_CHARACTERS:,} are read"
        )
    text = text.strip()
    if not text:
        return Everything()
    if is_pasted(text):
        return pasted_name(text)
    name = defined_name(without_marks_of_types(text))
    return with_parameters(_parse(name), text) if name else _parse(text, notices)


def parse_in_field(text: str, field: str, notices: list[str] | None = None) -> Node:
    """Returns the tree of a query whose terms belong to a field unless they name another. notices,
    errors: as for `parse_query`."""
    if len(text) > QUERY_CHARACTERS:
        raise RequestError(
            f"the query has {len(text):,} characters: at most {QUERY_CHARACTERS:,} are read"
        )
    return _Parser(text, _tokenize(text, notices), field).parse()


def lower_case_operators(text: str) -> str | None:
    """Returns the query with its `and`, `or` and `not` in upper case, if these can be operators;
    otherwise `None`. In lower case they are ordinary words, so this is for answers that found
    nothing."""
    changed = _LOWER_OPERATOR.sub(
        lambda match: match[0] if match["phrase"] else match[0].upper(), text
    )
    if changed == text or text.rstrip().endswith(("{", ";")):  # or a line of code
        return None
    try:
        is_boolean = isinstance(parse_query(text), Words | And | Or | Not) and isinstance(
            parse_query(changed), And | Or | Not
        )
    except RequestError:
        return None
    return changed.strip() if is_boolean else None


PHRASE: Final = re.compile(r'"((?:\\["\\]|[^"])*+)("?)')
_ESCAPE: Final = re.compile(r'\\(["\\])')
_LOWER_OPERATOR: Final = re.compile(
    rf"(?P<phrase>{PHRASE.pattern})|(?<![^\s(])(?:and|or|not)(?![^\s()])", re.IGNORECASE
)


class _QueryToken(msgspec.Struct, frozen=True):
    """A token of a query.

    kind: `word`, `phrase`, a keyword, `-` for a mark that means NOT, `(`, `)` or `end`. start,
    end: its offsets in the query. field: in lower case; for a parenthesis, the field of the terms
    inside. looks_like: the field, which does not exist, that its text seems to name.
    """

    kind: str
    text: str
    start: int
    end: int
    field: str = ""
    looks_like: str = ""


def _parse(text: str, notices: list[str] | None = None) -> Query:
    if text.endswith(":") and field_of(text) == text[:-1] != "" and text[:-1].lower() not in FIELDS:
        return parse_name(text)  # a label, or half of `Auth::login`
    tokens = _tokenize(text, notices)
    if len(tokens) == 1 and tokens[0].kind in KEYWORDS:
        return parse_name(text)
    node = _Parser(text, tokens).parse()
    if isinstance(node, Term) and not (node.field or node.is_phrase or node.is_wildcard):
        return parse_name(node.text)
    is_plain = isinstance(node, And) and all(token.kind in ("word", "(", ")") for token in tokens)
    if is_plain and (texts := _plain_words(node)):
        return Words(tuple(texts))
    return node


def _plain_words(node: Node) -> list[str]:
    """Returns the words of a tree that has nothing else; empty for any other tree."""
    if isinstance(node, Term):
        is_word = not node.is_phrase or is_url(node.text)
        return [node.text] if is_word and not node.field and not node.is_wildcard else []
    if not isinstance(node, And):
        return []
    parts = [_plain_words(part) for part in node.parts]
    return [word for part in parts for word in part] if all(parts) else []


def _tokenize(text: str, notices: list[str] | None) -> list[_QueryToken]:
    tokens: list[_QueryToken] = []
    offset = 0
    while offset < len(text):
        if text[offset].isspace():
            offset += 1
            continue
        token = _read_token(text, offset)
        if token.looks_like and notices is not None:
            notices.append(_no_field(token))
        tokens.append(token)
        offset = token.end
    return tokens


def _read_token(text: str, start: int) -> _QueryToken:
    if negation := NEGATION.match(text, start):
        return _QueryToken("-", negation[0], start, negation.end())
    offset = start
    word = WORD.match(text, offset)
    typed = field_of(word[0]) if word else ""
    field = typed.lower()
    if typed:
        offset += len(typed) + 1
        value = WORD.match(text, offset)
        if field not in FIELDS and (offset == len(text) or text[offset].isspace()):
            return _QueryToken("word", typed, start, offset)  # prose: `hooks: before and after`
        if field not in FIELDS and value is None:  # a parenthesis or a phrase follows
            return _QueryToken("word", typed, start, offset, looks_like=typed)
        if field not in FIELDS and word is not None:
            return _QueryToken("word", word[0], start, word.end(), looks_like=typed)
        if offset == len(text) or text[offset].isspace() or text[offset] == ")":
            raise _error(text, offset, f"a value after {typed}:")
        word = value
    if text[offset] in "()":
        return _QueryToken(text[offset], text[offset], start, offset + 1, field)
    if phrase := PHRASE.match(text, offset):
        if not phrase[2]:
            raise _error(text, len(text), f"a closing quote for the one at character {offset + 1}")
        phrase_text = _ESCAPE.sub(r"\1", phrase[1]).strip()
        if not phrase_text:
            raise _error(text, offset, "some text between the quotes")
        return _QueryToken("phrase", phrase_text, start, phrase.end(), field)
    assert word is not None  # neither white space, nor a parenthesis, nor a quote
    kind = word[0] if word[0] in KEYWORDS and not field else "word"
    return _QueryToken(kind, word[0], start, word.end(), field)


def _no_field(token: _QueryToken) -> str:
    """Returns the notice about a word that looks like a field and is none."""
    name = shorten(token.looks_like, _LONGEST_QUOTED)
    from difflib import get_close_matches  # imported here, because most queries name no field

    near = get_close_matches(token.looks_like.lower(), FIELDS, 1, _NEAR)
    meant = f"; did you mean `{near[0]}:`?" if near else ""
    return f"`{name}:` is no field, so it was searched for as text{meant}"


_NEAR: Final = 0.7
"""Least similarity of a field that may be meant."""

_LONGEST_QUOTED: Final = 40
"""Longest word, in characters, that a notice repeats in full."""


def _error(text: str, offset: int, expected: str) -> RequestError:
    place = "the end" if offset >= len(text) else f"character {offset + 1}"
    return _request_error(text, offset, f"query, at {place}: expected {expected}")


def _request_error(text: str, offset: int, message: str) -> RequestError:
    return (UnfinishedQueryError if offset >= len(text) else RequestError)(message)


class _Parser:
    """A recursive descent parser with a method for each line of the grammar above."""

    def __init__(self, text: str, tokens: list[_QueryToken], field: str = "") -> None:
        self._text = text
        self._tokens = [*tokens, _QueryToken("end", "", len(text), len(text))]
        self._at = 0
        self._field = field
        """The field of the enclosing parentheses, or of the whole query; empty if there is none."""
        self._wildcards: set[Term] = set()

    def parse(self) -> Node:
        # Parentheses around the whole query do not count as nested: a printed tree has them, and
        # must not be deeper than the typed one.
        node = self._expression(-1 if self._is_enclosed() else 0)
        if self._next.kind != "end":
            raise self._error(
                "a word, AND, OR, NOT or the end; this closes no parenthesis: put it in quotes to"
                " search for it"
            )
        return node

    def _is_enclosed(self) -> bool:
        depth = 0
        for number, token in enumerate(self._tokens):
            depth += (token.kind == "(") - (token.kind == ")")
            if depth == 0:
                return number == len(self._tokens) - 2 and not self._tokens[0].field
        return False

    @property
    def _next(self) -> _QueryToken:
        return self._tokens[self._at]

    def _error(self, expected: str) -> RequestError:
        return _error(self._text, self._next.start, expected)

    def _take(self, kind: str) -> bool:
        """Consumes the next token if it is of this kind, and returns whether it was."""
        is_next = self._next.kind == kind
        self._at += is_next
        return is_next

    def _expression(self, depth: int) -> Node:
        parts = [self._conjunction(depth)]
        while self._take("OR"):
            parts.append(self._conjunction(depth))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _conjunction(self, depth: int) -> Node:
        parts = [self._negation(depth)]
        while self._take("AND") or self._next.kind not in ("end", ")", "OR"):
            parts.append(self._negation(depth))
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _negation(self, depth: int) -> Node:
        if depth == MOST_NESTED:
            raise self._error(f"fewer than {MOST_NESTED} nested parentheses and negations")
        token = self._next
        if self._take("NOT") or self._take("-"):
            return Not(self._negation(depth + 1))
        if self._take("("):
            outer, self._field = self._field, token.field or self._field
            node = self._expression(depth + 1)
            self._field = outer
            if not self._take(")"):
                raise self._error(f"a parenthesis that closes the one at character {token.end}")
            return node
        if token.kind in ("word", "phrase"):
            self._at += 1
            return self._term(token)
        after_token = f" after {self._tokens[self._at - 1].text}" if self._at else ""
        remedy = (
            f"; to search for the word, put it in quotes: {quoted(token.text)}"
            if token.kind in KEYWORDS
            else ""
        )
        raise self._error(f"a word, a phrase, NOT or an opening parenthesis{after_token}{remedy}")

    def _term(self, token: _QueryToken) -> Node:
        field = token.field or self._field
        if token.kind == "phrase":
            return Term(field, token.text, is_phrase=True)
        if field in LISTED and "," in token.text:
            words = token.text.split(",")
            if not all(words):
                offset = token.end if not words[-1] else token.start
                raise _error(
                    self._text,
                    offset,
                    f"a word on either side of each comma of {token.text}, without white space",
                )
            return Or(tuple(Term(field, word) for word in words))
        term = Term(field, token.text, is_phrase=not token.field and is_url(token.text))
        if term.is_wildcard and field not in LISTED:
            self._wildcards.add(term)
            if len(self._wildcards) > MOST_WILDCARDS:
                raise _error(
                    self._text, token.start, f"at most {MOST_WILDCARDS} wildcards; this is one more"
                )
        return term
