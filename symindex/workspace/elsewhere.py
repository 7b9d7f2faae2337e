"""Finds a name elsewhere after a search found nothing exact: in packages, in excluded files, or in
the text of files.

The names of packages come from a table and cost a command about a millisecond
(`packages/indexes/name_table`). Excluded files are searched for a tenth of a second at most
(`search/unindexed/excluded`).
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from symindex.extract.word_lists import is_token
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.left_out import tell_left_out
from symindex.files.locations import PACKAGES
from symindex.files.skips import Skip
from symindex.protocol.search import SearchRequest, SearchResponse, TextCount
from symindex.text.folding import fold, squash

if TYPE_CHECKING:
    from symindex.explore.tree import Tree

MOST_TOLD: Final = 3
"""Number of packages that a notice names."""

_PLAIN: Final = re.compile(r"[^\W\d]\w+")


def lacks_exact(request: SearchRequest, response: SearchResponse) -> bool:
    """Whether a request for a plain name, among all symbols of the project and for the first page,
    found nothing exact."""
    name = request.query.strip()
    given = (
        request.languages,
        request.paths,
        request.scope,
        request.space,
        request.type,
        request.sort_by,
        request.fields,
        request.filters,
    )
    if (
        request.kinds
        or request.pagination_id
        or request.start_index
        or any(each is not UNSET for each in given)
    ):
        return False
    first = (
        squash(fold(response.items[0].name)) if response.items else ""
    )  # exact matches come first
    return _PLAIN.fullmatch(name) is not None and first != squash(fold(name))


def excluded_name(request: SearchRequest, response: SearchResponse) -> str:
    """Returns the name that a request asks for, perhaps qualified and within some paths, if the
    first page does not have it; empty for other requests."""
    given = (
        request.languages,
        request.scope,
        request.space,
        request.type,
        request.sort_by,
        request.fields,
        request.filters,
    )
    if (
        request.kinds
        or request.pagination_id
        or request.start_index
        or any(each is not UNSET for each in given)
    ):
        return ""
    name = last_name(request.query)
    first = squash(fold(response.items[0].name)) if response.items else ""
    return name if first != squash(fold(name)) else ""


def last_name(text: str) -> str:
    """Returns the last part of a plain name, which may be qualified; empty for any other text."""
    bare = text.strip().removesuffix("()")
    name = _SEPARATORS.split(bare)[-1]
    return name if _PLAIN.fullmatch(name) and " " not in bare else ""


_SEPARATORS: Final = re.compile(r"\.|::|#|->|/|\\")


def tell_excluded(name: str, skip: Skip) -> str:
    """Returns the notice about a file that contains a name and is not in the index."""
    return f"`{name}` stands in {tell_left_out(skip).replace(' is not', ', which is not', 1)}"


def tell_packages(folders: Sequence[PrivateFolder], name: str) -> list[str]:
    """Returns the notice about packages that have a name, or an empty list. folders: the index
    folders of the projects that were searched."""
    from symindex.packages.indexes.name_table import (
        kept_packages_with,
    )  # here, because most names are found

    found = dict.fromkeys(
        label
        for folder in folders
        for label in kept_packages_with(folder, PrivateFolder(folder.path.parent / PACKAGES), name)
    )
    if not found:
        return []
    told = ", ".join([*found][:MOST_TOLD])
    more = f" and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
    return [
        f"nothing in the project is called `{name}`; packages had it when they were last looked at:"
        f" {told}{more}; ask for the symbol, or search with space: system"
    ]


SECONDS: Final = 0.15
"""Time limit of the search for a text."""

NAME_SECONDS: Final = 0.015
"""Time limit of the search for a single name, which is typed and searched again at every letter.
The files that mention it come first."""

LEAST_LETTERS: Final = 3

_NARROWED: Final = (
    "kinds",
    "languages",
    "paths",
    "fields",
    "filters",
    "proximity",
    "scope",
    "space",
    "type",
)


def is_text(request: SearchRequest, response: SearchResponse) -> bool:
    """Whether a plain text was searched among all symbols, on a first page, and nothing was
    found."""
    if response.total or request.start_index or request.pagination_id is not None:
        return False
    text = request.query.strip()
    return (
        len(text) >= LEAST_LETTERS
        and text.isprintable()
        and not any(getattr(request, name) for name in _NARROWED)
    )


def count_elsewhere(tree: "Tree", request: SearchRequest, most_bytes: int) -> TextCount | None:
    """Counts the lines that contain the text of a request; `None` if none was found within the time
    limit."""
    from symindex.explore.grep.search import (
        count_text,
    )  # here, because most searches find something

    text = request.query.strip()
    is_name = is_token(text)
    found = count_text(
        tree, text, most_bytes, NAME_SECONDS if is_name else SECONDS, text if is_name else ""
    )
    return found if found.lines else None
