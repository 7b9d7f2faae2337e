"""The parts of a query that the explanation of an empty answer tells apart."""

from typing import Final, NamedTuple

from symindex.search.language.query import And, Name, Node, Not, Or, Query, Term, Words
from symindex.search.words.terms import TEXT_FIELDS
from symindex.text.escaping import shorten

LONGEST: Final = 60
"""Longest part of a query, or glob, in a message, in characters."""

NOWHERE: Final = {
    "": "no {row} contains it",
    "name": "no name resembles it",
    "container": "no container resembles it",
    "path": "no path resembles it",
    "doc": "no doc contains it",
    "signature": "no signature contains it",
    "content": "no signature or doc contains it",
    "kind": "no {row} is of this kind",
    "type": "no {row} is of this type",
    "lang": "no {row} is in this language",
    "is": "no {row} has this flag",
    "space": "nothing that was searched is in this space; the option space selects spaces",
    "id": "no {row} has this id",
    "repo": "no {row} is in this repository",
    "branch": "no {row} is on this branch",
}
"""The message for a term that finds nothing, by its field. row: the name of a row. Any other field
is a metadata field."""


class QueryPiece(NamedTuple):
    """A part of the query. text: as the message shows it. nowhere: the message if it finds nothing;
    empty for a group, whose parts are tried instead, and for a negated part. names, paths: the
    texts to compare with names and paths, or empty."""

    query: Query
    text: str
    nowhere: str
    names: str = ""
    paths: str = ""


def divided(query: Query) -> list[QueryPiece]:
    """Returns the parts of a query that are explained separately. The answer itself suggests
    similar names."""
    if isinstance(query, And | Or):
        return [_piece(part) for part in dict.fromkeys(query.parts)]
    if isinstance(query, Words):
        return [
            QueryPiece(Words((text,)), code(text), NOWHERE[""], text)
            for text in dict.fromkeys(query.texts)
        ]
    if isinstance(query, Name) and query.qualifiers:
        pieces = [_qualifier_piece(text) for text in dict.fromkeys(query.qualifiers)]
        name_pieces = (
            [QueryPiece(Term("name", query.name), code(query.name), NOWHERE["name"])]
            if query.name
            else []
        )
        return [*pieces, *name_pieces]
    return [_piece(query)] if isinstance(query, Term | Not) else []


def _qualifier_piece(qualifier: str) -> QueryPiece:
    either = Or((Term("container", qualifier), Term("path", qualifier)))
    return QueryPiece(
        either, code(qualifier), "no container or path resembles it", qualifier, qualifier
    )


def _piece(node: Node) -> QueryPiece:
    text = code(str(node))
    if isinstance(node, Not):
        return QueryPiece(node, text, "")
    if not isinstance(node, Term):
        return QueryPiece(node, text, "")
    if node.is_phrase and not node.field:
        return QueryPiece(node, text, "its words are nowhere next to each other")
    is_text = node.field in TEXT_FIELDS and not node.is_wildcard and node.field != "path"
    name = (
        node.text.rpartition("#")[2].rpartition(".")[2]
        if node.field == "id"
        else node.text
        if is_text
        else ""
    )
    nowhere = NOWHERE.get(node.field) or f"no item has it as its {node.field}"
    return QueryPiece(node, text, nowhere, name, node.text if node.field == "path" else "")


def code(text: str) -> str:
    """Returns a text as a message quotes it."""
    return f"`{shorten(text, LONGEST)}`"
