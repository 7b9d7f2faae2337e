"""The query as a tree that prints itself. What each form means is in `symindex/search/README.md`.

A printed tree parses to the same tree (`search/language/parse_query`). So what a word, a field and
a negation look like stands here.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from symindex.files.ignore.globs import path_regex
from symindex.text.separators import SEPARATOR

LISTED: Final = ("kind", "type", "lang", "is", "space")
"""The fields whose values are words of a closed list; several may be given, divided by commas."""

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
"""A word; `()` behind its first character is a part of it, as in `login()`."""

FIELD: Final = re.compile(r"([A-Za-z_]+):")
"""What may be the name of a field, with its colon."""

NEGATION: Final = re.compile(r'[-!](?=["(]|(?![-!=>])[^\s()"]*[\w*])')
"""A minus or an exclamation mark that means NOT. `--flag`, `->`, `!=` and a minus by itself are
text."""

_NO_FIELD: Final = re.compile(r"[A-Za-z_]+:(?:[:=/\\]|(?:\w+:)+$)")
"""A colon that ends no field: `std::foo`, `x:=5`, `C:/x`, `http://x`, `initWithFrame:style:`."""

_URL: Final = re.compile(r"\w+://")
_DRIVE: Final = re.compile(r"[A-Za-z]:(?=[/\\])")


def field_of(word: str) -> str:
    """The field that a word begins with, as it was typed, known or not; empty if it begins with
    none. `name::a` is a word."""
    match = FIELD.match(word)
    if match is None or word.startswith("::", match.end() - 1):
        return ""
    return match[1] if match[1].lower() in FIELDS or not _NO_FIELD.match(word) else ""


def is_url(word: str) -> bool:
    """Whether a word is to be looked for as it stands, because its slashes divide no names."""
    return _URL.match(word) is not None


def quoted(text: str) -> str:
    """A text as a phrase."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Everything(msgspec.Struct, frozen=True):
    """The empty query: the best of the index."""

    def __str__(self) -> str:
        return ""


class Name(msgspec.Struct, frozen=True):
    """One word.

    literal: the word as typed, which may itself be a name that holds a separator. qualifiers: what
    containers or the path must match, in order. name: what the name must match; empty lists
    members. in_path: whether the last separator was a slash, so that the last qualifier may be a
    folder or file as well. parameters: those that were typed behind it, as they stand.
    """

    literal: str
    qualifiers: tuple[str, ...]
    name: str
    in_path: bool = False
    parameters: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether only a name is to match."""
        return not self.qualifiers and self.literal == self.name and not self.parameters

    def __str__(self) -> str:
        if self.parameters:
            return f"{self.literal}({self.parameters})"
        return (
            f"({self.literal})" if self.literal.endswith((";", "{")) else self.literal
        )  # else it would be a line of code


class Term(msgspec.Struct, frozen=True):
    """A word, wildcard or phrase of a boolean query; `field` is empty where none was named."""

    field: str
    text: str
    is_phrase: bool = False

    @property
    def is_wildcard(self) -> bool:
        """Whether it holds a `*` for any characters."""
        return "*" in self.text and not self.is_phrase

    @property
    def is_path_glob(self) -> bool:
        """Whether it may mean files though it names no field: a wildcard that holds a slash, or an
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
        """Whether it can stand in a list with commas."""
        return self.field in LISTED and self._is_word() and not self.text.startswith(":")

    def _is_word(self) -> bool:
        """Whether its text is read as a word where it stands."""
        if (
            self.is_phrase
            or not WORD.fullmatch(self.text)
            or (self.field in LISTED and "," in self.text)
        ):
            return False
        if self.field:
            return True
        return self.text not in KEYWORDS and not (
            NEGATION.match(self.text) or field_of(self.text) or is_url(self.text)
        )


class And(msgspec.Struct, frozen=True):
    """All of them."""

    parts: "tuple[Node, ...]"

    def __str__(self) -> str:
        return f"({' AND '.join(map(str, self.parts))})"


class Or(msgspec.Struct, frozen=True):
    """Any of them."""

    parts: "tuple[Node, ...]"

    def __str__(self) -> str:
        words = [part for part in self.parts if isinstance(part, Term) and part.is_listed]
        if len(words) == len(self.parts) and len({word.field for word in words}) == 1:
            return f"{words[0].field}:{','.join(word.text for word in words)}"
        # AND binds closer, so it needs no parentheses; with them the text might nest deeper than
        # the one that was parsed.
        return f"({' OR '.join(str(part)[1:-1] if isinstance(part, And) else str(part) for part in self.parts)})"  # noqa: E501


class Not(msgspec.Struct, frozen=True):
    """All but it."""

    part: "Node"

    def __str__(self) -> str:
        return f"NOT {self.part}"


class Words(msgspec.Struct, frozen=True):
    """Several words without an operator, in any parentheses: a question in plain words. All are
    wanted, some may do."""

    texts: tuple[str, ...]

    def __str__(self) -> str:
        # A colon keeps a keyword from being one; a blank behind it, from being a field.
        return f"({' '.join(f'{text}: ' if text in KEYWORDS else text for text in self.texts)})"


Node = Term | And | Or | Not
Query = Everything | Name | Words | Node


def map_terms(node: Node, change: Callable[[Term], Node]) -> Node:
    """The tree with every term replaced."""
    if isinstance(node, Term):
        return change(node)
    if isinstance(node, Not):
        return Not(map_terms(node.part, change))
    return type(node)(tuple(map_terms(part, change) for part in node.parts))


def fields_in(node: Node) -> Iterator[str]:
    """The fields that its terms name."""
    if isinstance(node, Term):
        if node.field:
            yield node.field
    else:
        for part in (node.part,) if isinstance(node, Not) else node.parts:
            yield from fields_in(part)


def parse_name(word: str) -> Name:
    """A word as a possibly qualified name: `Auth.login`, `Auth::login`, `Auth#login`, `auth/login`,
    `Auth.` for members."""
    bare = _DRIVE.sub("", word, count=1).replace("()", "") or word
    if not bare.endswith("::"):
        bare = bare.removesuffix(":") or bare  # `Auth:` is on the way to `Auth::login`
    parts = SEPARATOR.split(bare)
    if not any(parts):
        return Name(word, (), bare)
    *qualifiers, name = parts
    in_path = SEPARATOR.findall(bare)[-1:] in (["/"], ["\\"])
    return Name(word, tuple(part for part in qualifiers if part), name, in_path)


def separators_of(query: Name) -> list[str]:
    """The separators of a qualified name as they were typed."""
    return SEPARATOR.findall(query.literal)
