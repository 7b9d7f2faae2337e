"""Reads the query of a request as a tree, with languages given by their ids."""

from symindex.extract.languages.registry import Languages
from symindex.protocol.search import SearchRequest
from symindex.search.language.fields import with_language_ids
from symindex.search.language.parse_query import parse_in_field, parse_query
from symindex.search.language.query import Everything, Name, Query, Words


def read_query(request: SearchRequest, languages: Languages) -> Query:
    """Returns the tree. Raises RequestError for a syntax error and for an unknown language."""
    if request.whole_words is True and request.query.strip():
        return with_language_ids(parse_in_field(request.query, ""), languages)
    query = parse_query(request.query)
    return (
        query
        if isinstance(query, Everything | Name | Words)
        else with_language_ids(query, languages)
    )
