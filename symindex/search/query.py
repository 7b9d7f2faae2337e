"""The query language: text to a tree that prints itself. What each form means is in `symindex/search/README.md`.

One word is a Name. Several words, or an operator, are a boolean expression over the fields of a symbol:

expression = conjunction { "OR" conjunction }
conjunction = negation { [ "AND" ] negation }
negation = "NOT" negation | "(" expression ")" | term
term = [ field ":" ] ( word | '"' phrase '"' )      a word with `*` is a wildcard
"""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final

import msgspec

from symindex.errors import RequestError
from symindex.text.separators import SEPARATOR

FIELDS: Final = ("name", "container", "path", "kind", "lang", "doc", "signature", "id", "space")
KEYWORDS: Final = ("AND", "OR", "NOT")


class Everything(msgspec.Struct, frozen=True):
    """The empty query: the best of the index."""

    def __str__(self) -> str:
        return "everything"


class Name(msgspec.Struct, frozen=True):
    """One word.

    literal: the word as typed, which may itself be a name that holds a separator.
    qualifiers: what containers or the path must match, in order. name: what the name must match; empty lists members.
    in_path: whether the last separator was a slash, so that the last qualifier may be a folder or file as well.
    """

    literal: str
    qualifiers: tuple[str, ...]
    name: str
    in_path: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether only a name is to match."""
        return not self.qualifiers and self.literal == self.name

    def __str__(self) -> str:
        return ".".join([*self.qualifiers, self.name or "*"])


class Term(msgspec.Struct, frozen=True):
    """A word, wildcard or phrase of a boolean query; `field` is empty where none was named."""

    field: str
    text: str
    is_phrase: bool = False

    @property
    def is_wildcard(self) -> bool:
        """Whether it holds a `*` for any characters."""
        return "*" in self.text and not self.is_phrase

    def __str__(self) -> str:
        text = f'"{self.text}"' if self.is_phrase else self.text
        return f"{self.field}:{text}" if self.field else text


class _Several(msgspec.Struct, frozen=True):
    parts: "tuple[Node, ...]"

    def __str__(self) -> str:
        return f"({f' {type(self).__name__.upper()} '.join(map(str, self.parts))})"


class And(_Several, frozen=True):
    """All of them."""


class Or(_Several, frozen=True):
    """Any of them."""


class Not(msgspec.Struct, frozen=True):
    """All but it."""

    part: "Node"

    def __str__(self) -> str:
        return f"NOT {self.part}"


Node = Term | And | Or | Not
Query = Everything | Name | Node


def map_terms(node: Node, change: Callable[[Term], Term]) -> Node:
    """The tree with every term replaced."""
    if isinstance(node, Term):
        return change(node)
    if isinstance(node, Not):
        return Not(map_terms(node.part, change))
    return type(node)(tuple(map_terms(part, change) for part in node.parts))


QUERY_CHARACTERS: Final = 1_000
"""The longest query; nobody types more, and a program that sends more has made a mistake."""

_OPERATOR = re.compile(rf'["*\s]|^\(|^(?:{"|".join(FIELDS)}):(?!:)')


def parse_query(text: str) -> Query:
    """The tree of a query. Raises RequestError for a syntax error, with its place and what was expected there."""
    if len(text) > QUERY_CHARACTERS:
        raise RequestError(f"the query has {len(text):,} characters: at most {QUERY_CHARACTERS:,} are read")
    text = text.strip()
    if not text:
        return Everything()
    if not _OPERATOR.search(text):
        return parse_name(text)
    tokens = _tokenize(text)
    if len(tokens) == 1 and tokens[0].kind == "word" and not tokens[0].field and "*" not in text:
        return parse_name(text)
    _refuse_minus(text, tokens)
    return _Parser(text, tokens).parse()


def parse_name(word: str) -> Name:
    """A word as a possibly qualified name: `Auth.login`, `Auth::login`, `Auth#login`, `auth/login`, `Auth.` for members."""
    bare = word.removesuffix("()") if len(word) > 2 else word
    parts = SEPARATOR.split(bare)
    if not any(parts):
        return Name(word, (), bare)
    *qualifiers, name = parts
    in_path = SEPARATOR.findall(bare)[-1:] in (["/"], ["\\"])
    return Name(word, tuple(part for part in qualifiers if part), name, in_path)


def separators_of(query: Name) -> list[str]:
    """The separators of a qualified name as they were typed."""
    return SEPARATOR.findall(query.literal)


class _Token(msgspec.Struct, frozen=True):
    """kind: `word`, `phrase`, a keyword, `(`, `)` or `end`. at: its offset in the query."""

    kind: str
    text: str
    at: int
    field: str = ""


_TOKEN = re.compile(
    r"""\s*(?:
        (?P<paren>[()])
      | (?P<empty>[A-Za-z]+:)(?=[\s()]|$)
      | (?:(?P<field>[A-Za-z]+):(?!:))?(?:"(?P<phrase>(?:\\.|[^"\\])*)(?P<close>"?)|(?P<word>[^\s()"]+))
    )""",
    re.VERBOSE,
)


def _tokenize(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _error(text, at, "a word, a phrase or a parenthesis")
        start = match.start() + len(match[0]) - len(match[0].lstrip())
        at = match.end()
        field = match["field"] or ""
        if field and field not in FIELDS:
            if match["word"] is not None and len(text.split()) == 1:
                return [_Token("word", text, 0)]
            raise RequestError(
                f"query, character {start + 1}: unknown field {field!r}: expected one of {', '.join(FIELDS)}; "
                f'put it in quotes to search for it: "{match[0].strip()}"'
            )
        if match["paren"]:
            tokens.append(_Token(match["paren"], match["paren"], start))
        elif match["empty"]:
            raise _error(text, start + len(match["empty"]), f"a value after {match['empty']}")
        elif match["phrase"] is not None:
            if not match["close"]:
                raise _error(text, len(text), f"a closing quote for the one at character {match.start('phrase')}")
            phrase = re.sub(r"\\(.)", r"\1", match["phrase"]).strip()
            if not phrase:
                raise _error(text, match.start("phrase"), "some text between the quotes")
            tokens.append(_Token("phrase", phrase, start, field))
        else:
            kind = match["word"] if match["word"] in KEYWORDS and not field else "word"
            tokens.append(_Token(kind, match["word"], start, field))
    return tokens


_MINUS = re.compile(r'-(?:[\w*]|(?=["(]))')
"""A minus as other query languages use it, to exclude a term. `--flag`, `->` and a minus by itself do not."""


def _refuse_minus(text: str, tokens: list[_Token]) -> None:
    """Raises RequestError for a minus that seems to mean NOT. It would be read as a part of the word, and the query would find
    just what it should exclude. A minus in a query of one term, or behind NOT, is a part of the word."""
    if sum(token.kind in ("word", "phrase") for token in tokens) < 2:
        return
    for before, token in pairwise([_Token("end", "", 0), *tokens]):
        if token.kind == "word" and not token.field and before.text != "NOT" and _MINUS.match(text, token.at):
            expected = "NOT: a minus leaves nothing out"
            if word := token.text[1:]:
                expected = f'NOT {word}: a minus leaves nothing out; in quotes it is searched for: "-{word}"'
            raise _error(text, token.at, expected)


def _error(text: str, at: int, expected: str) -> RequestError:
    place = "the end" if at >= len(text) else f"character {at + 1}"
    return RequestError(f"query, at {place}: expected {expected}")


class _Parser:
    """Recursive descent over the tokens, with a method for each line of the grammar above."""

    def __init__(self, text: str, tokens: list[_Token]) -> None:
        self._text = text
        self._tokens = [*tokens, _Token("end", "", len(text))]
        self._at = 0

    def parse(self) -> Node:
        node = self._expression()
        if self._next.kind != "end":
            raise self._error("a word, AND, OR, NOT or the end; this closes no parenthesis")
        return node

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _error(self, expected: str) -> RequestError:
        return _error(self._text, self._next.at, expected)

    def _take(self, kind: str) -> bool:
        """Whether the next token is of this kind; it is then consumed."""
        is_next = self._next.kind == kind
        self._at += is_next
        return is_next

    def _expression(self, depth: int = 0) -> Node:
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
        if depth == 100:
            raise self._error("fewer than 100 nested parentheses and negations")
        token = self._next
        if self._take("NOT"):
            return Not(self._negation(depth + 1))
        if self._take("("):
            node = self._expression(depth + 1)
            if not self._take(")"):
                raise self._error(f"a parenthesis that closes the one at character {token.at + 1}")
            return node
        if token.kind in ("word", "phrase"):
            self._at += 1
            return Term(token.field, token.text, token.kind == "phrase")
        before = f" after {self._tokens[self._at - 1].text}" if self._at else ""
        raise self._error(f"a word, a phrase, NOT or an opening parenthesis{before}")
