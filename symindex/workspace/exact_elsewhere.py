"""What a search of the project that found nothing exact says of the packages that have the name,
and of files that are not in the index and hold it.

The first costs a command about a millisecond, and only where it is said: see
`packages/indexes/name_table`. The second looks into files, for a tenth of a second at most: see
`search/unindexed/excluded`.
"""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from symindex.files.access.private_folder import PrivateFolder
from symindex.files.left_out import tell_left_out
from symindex.files.locations import PACKAGES
from symindex.files.skips import Skip
from symindex.protocol.search import SearchRequest, SearchResponse
from symindex.text.folding import fold, squash

MOST_TOLD: Final = 3
"""So many packages are named."""

_PLAIN: Final = re.compile(r"[^\W\d]\w+")


def lacks_exact(request: SearchRequest, response: SearchResponse) -> bool:
    """Whether a request for a plain name among all symbols of the project, and for the first page,
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
    )  # what is exact comes first
    return _PLAIN.fullmatch(name) is not None and first != squash(fold(name))


def excluded_name(request: SearchRequest, response: SearchResponse) -> str:
    """The name that a request asks for, which may be qualified and sought in some paths, where its
    first page holds no such name; empty where it is about something else."""
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
    """The last part of a plain name that may be qualified; empty for any other text."""
    bare = text.strip().removesuffix("()")
    name = _SEPARATORS.split(bare)[-1]
    return name if _PLAIN.fullmatch(name) and " " not in bare else ""


_SEPARATORS: Final = re.compile(r"\.|::|#|->|/|\\")


def tell_excluded(name: str, skip: Skip) -> str:
    """The notice of a file that holds a name and is not in the index."""
    return f"`{name}` stands in {tell_left_out(skip).replace(' is not', ', which is not', 1)}"


def tell_packages(folders: Sequence[PrivateFolder], name: str) -> list[str]:
    """The notice, where there is something to say. folders: of the indexes of the projects that
    were searched."""
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
