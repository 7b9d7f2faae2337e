"""The query as a tree that prints itself. `symindex/search/language/README.md` explains what each
form means.

A printed tree parses to the same tree (`search/language/parse_query`). So this module also defines
what a word, a field and a negation look like.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from symindex.files.ignore.globs import path_regex
from symindex.text.separators import SEPARATOR

LISTED: Final = ("kind", "type", "lang", "is", "space", "repo", "branch")
"""The fields whose values are words of a list, or names. Several values may be given, separated by
commas."""

METADATA: Final = (
    "title",
    "description",
    "category",
    "version",
    "author",
    "status",
    "date",
    "tags",
)
"""The fields of items that a query can name; the options `fields` and `filters` can name any."""

FIELDS: Final = (
    "name",
    "container",
    "path",
    "doc",
    "signature",
    "content",
    "id",
    *LISTED,
    *METADATA,
)
KEYWORDS: Final = ("AND", "OR", "NOT")

WORD: Final = re.compile(r'[^\s()"](?:[^\s()"]|\(\))*')
"""A word. `()` after its first character belongs to it, as in `login()`."""

FIELD: Final = re.compile(r"([A-Za-z_]+):")
"""The name of a field, with its colon."""

NEGATION: Final = re.compile(r'[-!](?=["(]|(?![-!=>])[^\s()"]*[\w*])')
"""A minus or an exclamation mark that means NOT. `--flag`, `->`, `!=` and a single minus are
text."""

_NO_FIELD: Final = re.compile(r"[A-Za-z_]+:(?:[:=/\\]|(?:\w+:)+$)")
"""A colon that does not end a field: `std::foo`, `x:=5`, `C:/x`, `http://x`,
`initWithFrame:style:`."""

_URL: Final = re.compile(r"\w+://")
_DRIVE: Final = re.compile(r"[A-Za-z]:(?=[/\\])")


def field_of(word: str) -> str:
    """Returns the field that a word begins with, as typed, known or not; empty if it begins with
    none. `name::a` is a word."""
    match = FIELD.match(word)
    if match is None or word.startswith("::", match.end() - 1):
        return ""
    return match[1] if match[1].lower() in FIELDS or not _NO_FIELD.match(word) else ""


def is_url(word: str) -> bool:
    """Whether a word is searched for as it is, because its slashes do not separate names."""
    return _URL.match(word) is not None


def quoted(text: str) -> str:
    """Returns a text as a phrase."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Everything(msgspec.Struct, frozen=True):
    """The empty query: the most central symbols of the index."""

    def __str__(self) -> str:
        return ""


class Name(msgspec.Struct, frozen=True):
    """One word.

    literal: the word as typed, which may itself be a name that contains a separator. qualifiers:
    what containers or the path must match, in order. name: what the name must match; empty to list
    members. in_path: whether the last separator was a slash, so that the last qualifier may also be
    a folder or file. parameters: the parameters typed after it, unchanged.
    """

    literal: str
    qualifiers: tuple[str, ...]
    name: str
    in_path: bool = False
    parameters: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether the query is only about a name."""
        return not self.qualifiers and self.literal == self.name and not self.parameters

    def __str__(self) -> str:
        if self.parameters:
            return f"{self.literal}({self.parameters})"
        return (
            f"({self.literal})" if self.literal.endswith((";", "{")) else self.literal
        )  # otherwise it would be a line of code


class Term(msgspec.Struct, frozen=True):
    """A word, wildcard or phrase of a boolean query. `field` is empty if none was named."""

    field: str
    text: str
    is_phrase: bool = False

    @property
    def is_wildcard(self) -> bool:
        """Whether it contains a `*`, which is any text."""
        return "*" in self.text and not self.is_phrase

    @property
    def is_path_glob(self) -> bool:
        """Whether it may mean files although it names no field: a wildcard with a slash, or an
        extension (`*.py`)."""
        is_path = "/" in self.text or self.text.startswith("*.")
        return self.is_wildcard and not self.field and is_path and path_regex(self.text) is not None

    def __str__(self) -> str:
        text = self.text if self._is_word() else quoted(self.text)
        if self.field and text.startswith(":"):  # `name::a` is a word
            text = f"({text})"
        return f"{self.field}:{text}" if self.field else text

    @property
    def is_listed(self) -> bool:
        """Whether it can be in a list with commas."""
        return self.field in LISTED and self._is_word() and not self.text.startswith(":")

    def _is_word(self) -> bool:
        """Whether its text is read as a word in its place."""
        if (
            self.is_phrase
            or not WORD.fullmatch(self.text)
            or (self.field in LISTED and "," in self.text)
        ):
            return False
        if self.field:
            return True
        if self.text in KEYWORDS or NEGATION.match(self.text) or is_url(self.text):
            return False
        field = field_of(self.text)
        return not field or (
            field.lower() not in FIELDS and WORD.match(self.text, len(field) + 1) is not None
        )


class And(msgspec.Struct, frozen=True):
    """All of the parts must match."""

    parts: "tuple[Node, ...]"

    def __str__(self) -> str:
        return f"({' AND '.join(map(str, self.parts))})"


class Or(msgspec.Struct, frozen=True):
    """Any of the parts must match."""

    parts: "tuple[Node, ...]"

    def __str__(self) -> str:
        words = [part for part in self.parts if isinstance(part, Term) and part.is_listed]
        if len(words) == len(self.parts) and len({word.field for word in words}) == 1:
            return f"{words[0].field}:{','.join(word.text for word in words)}"
        # AND binds closer, so it needs no parentheses; with them the text might be nested deeper
        # than the parsed one.
        return f"({' OR '.join(str(part)[1:-1] if isinstance(part, And) else str(part) for part in self.parts)})"  # noqa: E501


class Not(msgspec.Struct, frozen=True):
    """The part must not match."""

    part: "Node"

    def __str__(self) -> str:
        return f"NOT {self.part}"


class Words(msgspec.Struct, frozen=True):
    """Several words without an operator, in any parentheses: a question in plain words. Rows with
    all words are best, but some may be enough."""

    texts: tuple[str, ...]

    def __str__(self) -> str:
        # A colon keeps a word from being a keyword; the blank after it keeps it from being a field.
        return f"({' '.join(f'{text}: ' if text in KEYWORDS else text for text in self.texts)})"


Node = Term | And | Or | Not
Query = Everything | Name | Words | Node


def map_terms(node: Node, change: Callable[[Term], Node]) -> Node:
    """Returns the tree with every term replaced."""
    if isinstance(node, Term):
        return change(node)
    if isinstance(node, Not):
        return Not(map_terms(node.part, change))
    return type(node)(tuple(map_terms(part, change) for part in node.parts))


def fields_in(node: Node) -> Iterator[str]:
    """Yields the fields that the terms of a tree name."""
    if isinstance(node, Term):
        if node.field:
            yield node.field
    else:
        for part in (node.part,) if isinstance(node, Not) else node.parts:
            yield from fields_in(part)


def parse_name(word: str) -> Name:
    """Returns a word as a possibly qualified name: `Auth.login`, `Auth::login`, `Auth#login`,
    `auth/login`, `Auth.` for members."""
    bare = _DRIVE.sub("", word, count=1).replace("()", "") or word
    if not bare.endswith("::"):
        bare = bare.removesuffix(":") or bare  # `Auth:` is an unfinished `Auth::login`
    parts = SEPARATOR.split(bare)
    if not any(parts):
        return Name(word, (), bare)
    *qualifiers, name = parts
    in_path = SEPARATOR.findall(bare)[-1:] in (["/"], ["\\"])
    return Name(word, tuple(part for part in qualifiers if part), name, in_path)


def separators_of(query: Name) -> list[str]:
    """Returns the separators of a qualified name as typed."""
    return SEPARATOR.findall(query.literal)
