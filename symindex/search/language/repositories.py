"""The fields `repo` and `branch`: the rows of repositories whose name, or whose branch, a glob
matches.

A glob matches a whole name or its last components, ignoring case: `click` and `pallets/*` match
`pallets/click`. With a slash before it, it matches the whole name alone. In a snapshot without a
table of repositories, the trees are the repositories, named as their paths begin.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Final

import numpy as np

from symindex.errors import RequestError
from symindex.files.ignore.globs import NEXT_PART, parse_glob
from symindex.index.columns.arrays import Mask
from symindex.index.repositories import Repository
from symindex.index.snapshot import Part, Snapshot
from symindex.search.answer.nearest import nearest_of
from symindex.search.language.query import And, Node, Or, Term


def name_filter(term: Term) -> Callable[[str], bool]:
    """Returns a test of whether a term matches a name or a branch. Raises RequestError for a glob
    that cannot match anything."""
    text = term.text.casefold()
    is_whole, bare = text.startswith("/"), text.strip("/")
    parsed = None if term.is_phrase else parse_glob(bare)
    if parsed is None and not term.is_phrase:
        raise RequestError(
            f"{term.field} {term.text!r} cannot be read as a glob: it looks like click or pallets/*"
        )
    regex = re.escape(bare) if parsed is None else parsed.regex
    pattern = re.compile(f"{'' if is_whole else NEXT_PART}(?:{regex})", re.DOTALL)
    return lambda name: pattern.fullmatch(name.casefold()) is not None


def exact_values(names: Iterable[str]) -> dict[str, str]:
    """Returns, by name, the value of `repo` that matches it alone among these names."""
    every = [*names]
    endings = Counter(
        ending
        for name in every
        for ending in accumulate(
            reversed(name.casefold().split("/")), lambda end, part: f"{part}/{end}"
        )
    )
    values = {}
    for name in every:
        text = name if endings[name.casefold()] == 1 else f"/{name}"
        term = Term("repo", text, _PLAIN.fullmatch(text) is None)
        values[name] = str(term).removeprefix("repo:")
    return values


_PLAIN: Final = re.compile(r"[\w./@+-]+")
"""A name that is read as it is, as a word and as a glob."""


def rows_of_repositories(part: Part, term: Term) -> Mask:
    """Returns, by row, whether its repository matches a term of `repo` or `branch`."""
    matches, index = name_filter(term), part.index
    if part.repositories is None:
        is_tree = term.field == "repo" and part.prefix != "" and matches(part.prefix.rstrip("/"))
        return np.full(index.n_symbols, is_tree)
    files = np.zeros(index.n_files, dtype=bool)
    for repository, start, end in part.repositories.ranges(index, part.prefix):
        if any(map(matches, _texts_of(repository, term.field))):
            files[start:end] = True
    mask: Mask = index.spread_files(files).astype(bool)
    return mask


def _texts_of(repository: Repository, field: str) -> tuple[str, ...]:
    """Returns the texts that a term of a field may match: the name of a repository, of which
    several branches are read, also without its branch."""
    if field == "branch":
        return (repository.branch,)
    name, _, branch = repository.name.rpartition("@")
    is_of_branch = bool(name) and branch == repository.branch
    return (repository.name, name) if is_of_branch else (repository.name,)


def unmatched(node: Node, snapshot: Snapshot) -> Iterator[str]:
    """Yields a reason for each term of `repo` or `branch` in a tree that no repository matches."""
    if isinstance(node, And | Or):
        for part in node.parts:
            yield from unmatched(part, snapshot)
    elif isinstance(node, Term) and (why := why_unmatched(node, snapshot)):
        yield f"`{node}`: {why}"


def why_unmatched(term: Term, snapshot: Snapshot) -> str:
    """Returns why no repository matches a term of `repo` or `branch`, with the names most like it;
    empty if one does, and for other fields."""
    if term.field not in ("repo", "branch"):
        return ""
    names = _names(snapshot, term.field)
    if not names:
        what = "repositories" if term.field == "repo" else "branches"
        return f"the index knows no {what}; the field `path` selects folders"
    if any(map(name_filter(term), names)):
        return ""
    noun = "has this name" if term.field == "repo" else "is read from this branch"
    near = nearest_of(names, term.text)
    listed = f"; nearest: {', '.join(f'`{name}`' for name in near)}" if near else ""
    return f"no repository {noun}{listed}"


def _names(snapshot: Snapshot, field: str) -> list[str]:
    """Returns the names of all repositories, or the names of their branches."""
    table = snapshot.repositories
    if table is not None:
        every = (text for repository in table for text in _texts_of(repository, field))
    else:
        every = (part.prefix.rstrip("/") if field == "repo" else "" for part in snapshot.parts)
    return sorted({*every} - {""})
