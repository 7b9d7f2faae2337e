"""A request to what a scout must look for, and in which files.

A scout finds files by texts that every hit's file must hold. A query without such a text (an empty one, `kind:class`, `NOT test`)
can only be answered by an index.
"""

import re
from collections.abc import Callable

from symindex.extract.languages.registry import Languages
from symindex.files.walk import FoundFile
from symindex.protocol import SearchRequest, check_request
from symindex.search.query import And, Name, Or, Query, Term, parse_name, parse_query
from symindex.search.unindexed.prefilter import Atom, Sought, make_atom

_Group = list[Atom]
"""A file must hold one of them."""


def read_question(request: SearchRequest) -> Sought | None:
    """What the files with hits of a request hold; `None` where a scout cannot answer it.

    Raises RequestError for what has no possible answer.
    """
    check_request(request)
    query = parse_query(request.query)
    groups = _groups_of(query)
    if not groups:
        return None
    return Sought(groups, _name_of(query))


def _name_of(query: Query) -> str:
    """The name that hits have, or their container where members are asked for; empty where none is asked for."""
    if isinstance(query, Name):
        return query.name or query.qualifiers[-1]
    if isinstance(query, Term) and query.field in ("", "name") and not query.is_phrase and not query.is_wildcard:
        return parse_name(query.text).name
    if isinstance(query, And):
        return max(map(_name_of, query.parts), key=len)
    return ""


def _groups_of(query: Query) -> list[_Group]:
    """Groups of atoms of all of which a hit's file holds one; none where nothing can be said."""
    if isinstance(query, Name):
        parts = [(part, True) for part in query.qualifiers] + ([(query.name, False)] if query.name else [])
        atoms = [make_atom(part, in_path) for part, in_path in parts]
        # A part that nothing can be said of does not narrow the search, but another one may.
        return [[atom] for atom in atoms if atom is not None]
    if isinstance(query, And):
        return [group for part in query.parts for group in _groups_of(part)]
    if isinstance(query, Or):
        alternatives = [_groups_of(part) for part in query.parts]
        if not all(alternatives):
            return []
        return [[atom for groups in alternatives for atom in _most_telling(groups)]]
    if isinstance(query, Term):
        return _groups_of_term(query)
    return []


def _most_telling(groups: list[_Group]) -> _Group:
    return max(groups, key=lambda group: min(len(atom.text) for atom in group))


def _groups_of_term(term: Term) -> list[_Group]:
    if term.field in ("kind", "lang", "space", "path"):
        return []
    text = term.text.partition("#")[2] if term.field == "id" else term.text
    in_path = term.field == ""
    if not term.is_phrase and not term.is_wildcard and term.field in ("", "name"):
        atom = make_atom(parse_name(text).name, in_path)
        return [[atom]] if atom is not None else []
    # White space may be folded, dots and the numbers of ids are not in the file, and `*` is anything.
    pieces = [piece for piece in re.split(r"[\s.*~]+", text) if piece]
    atom = make_atom(max(pieces, key=len), in_path) if pieces else None
    return [[atom]] if atom is not None else []


def file_filter(request: SearchRequest, languages: Languages) -> Callable[[FoundFile], bool]:
    """Whether the request's filters on path and language let a file through; by language only where its name tells that.

    Raises RequestError for an unknown language or a glob that cannot be read.
    """
    wanted = {languages.get(word).id for word in request.languages or ()}
    is_path: Callable[[str], bool] | None = None
    if request.paths:
        from symindex.search.filters import path_filter  # here, because it loads numpy, which takes its time

        is_path = path_filter(request.paths)

    def lets_through(file: FoundFile) -> bool:
        if is_path is not None and not is_path(file.path):
            return False
        possible = languages.by_name(file.path.rpartition("/")[2]) if wanted else []
        return not possible or any(language.id in wanted for language in possible)

    return lets_through
