"""The option `fields`: queries about one field each, which a hit must match besides the query
itself.

They only leave out hits: the query alone decides the order.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from symindex.errors import RequestError, one_of
from symindex.search.language.parse_query import parse_in_field
from symindex.search.language.query import FIELDS, And, Node, Not, Or, Term, map_terms
from symindex.search.options.given import read_text

ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "title": ("name", "container", "title"),
    "category": ("container", "path", "category"),
    "description": ("doc", "description"),
    "body": ("content",),
    "file": ("path",),
    "file_path": ("path",),
    "language": ("lang",),
    "flags": ("is",),
}
"""Other names of fields, as items have them: the fields of symbols, and last the field of items.
The title of a symbol is its qualified name."""

_METADATA: Final = re.compile(r"[\w.-]{1,100}")
"""A possible name of a metadata field."""


def read_fields(fields: Mapping[str, Any]) -> tuple[Node, ...]:
    """Reads a tree for each field. Raises RequestError for an unknown field, which lists the
    fields, and for a query with a syntax error."""
    return tuple(_read(name, value) for name, value in sorted(fields.items()))


def _read(name: str, value: Any) -> Node:
    if name not in FIELDS and name not in ALIASES and not _METADATA.fullmatch(name):
        raise one_of("field of fields", name[:100], sorted({*FIELDS, *ALIASES}))
    text = read_text(f"fields: {name}", value, '"login"')
    fields = ALIASES.get(name, (name,))
    try:
        # A term may match any of several fields; a term that names a field of its own keeps it.
        node = parse_in_field(text, fields[0] if len(fields) == 1 else "")
    except RequestError as error:
        raise RequestError(f"fields: {name}: {error}") from None
    return node if len(fields) == 1 else map_terms(node, lambda term: _in_any(term, fields))


def _in_any(term: Term, fields: tuple[str, ...]) -> Node:
    if term.field:
        return term
    *of_symbols, of_items = (Term(field, term.text, term.is_phrase) for field in fields)
    # For an item, only the field of this name counts: its name is not its title, its text is not
    # its description, and its folder is not its category.
    return Or(
        (
            And(
                (
                    of_symbols[0] if len(of_symbols) == 1 else Or(tuple(of_symbols)),
                    Not(Term("type", "item")),
                )
            ),
            of_items,
        )
    )
