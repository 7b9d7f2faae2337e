"""What a search of the project that found nothing exact says of the packages that have the name.

It costs a command about a millisecond, and only where it is said: see `index/packages/name_table`.
"""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from symindex.files.access.private_folder import PrivateFolder
from symindex.files.locations import PACKAGES
from symindex.protocol.search import SearchRequest, SearchResponse
from symindex.text.folding import fold, squash

MOST_TOLD: Final = 3
"""So many packages are named."""

_PLAIN: Final = re.compile(r"[^\W\d]\w+")


def lacks_exact(request: SearchRequest, response: SearchResponse) -> bool:
    """Whether a request for a plain name among all symbols of the project, and for the first page, found nothing exact."""
    name = request.query.strip()
    given = (request.languages, request.paths, request.scope, request.space, request.type, request.sort_by, request.fields,
             request.filters)  # fmt: skip
    if request.kinds or request.pagination_id or request.start_index or any(each is not UNSET for each in given):
        return False
    first = squash(fold(response.items[0].name)) if response.items else ""  # what is exact comes first
    return _PLAIN.fullmatch(name) is not None and first != squash(fold(name))


def tell_packages(folders: Sequence[PrivateFolder], name: str) -> list[str]:
    """The notice, where there is something to say. folders: of the indexes of the projects that were searched."""
    from symindex.index.packages.name_table import kept_packages_with  # here, because most names are found

    found = dict.fromkeys(
        label for folder in folders for label in kept_packages_with(folder, PrivateFolder(folder.path.parent / PACKAGES), name)
    )
    if not found:
        return []
    told = ", ".join([*found][:MOST_TOLD])
    more = f" and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
    return [
        f"nothing in the project is called `{name}`; packages had it when they were last looked at: {told}{more}; "
        "ask for the symbol, or search with space: system"
    ]
