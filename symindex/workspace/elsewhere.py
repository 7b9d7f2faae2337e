"""Finds a name elsewhere after a search found nothing exact: in packages, in excluded files, or in
the text of files. Finds a symbol where it is: in the project, its packages, or its notes.

The names of packages come from a table and cost a command about a millisecond
(`packages/indexes/name_table`). Excluded files are searched for a tenth of a second at most
(`search/unindexed/excluded`).
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from symindex.errors import RequestError
from symindex.extract.word_lists import is_token
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.left_out import tell_left_out
from symindex.files.locations import PACKAGES
from symindex.files.skips import Skip
from symindex.protocol.explore import SymbolRequest, SymbolResponse
from symindex.protocol.search import SearchResponse, TextCount
from symindex.protocol.search_options import NARROWING
from symindex.text.folding import squashed

if TYPE_CHECKING:
    from symindex.resolve.tree import Tree
    from symindex.search.answer.plan import Plan
    from symindex.workspace.answer_source import AnswerSource

MOST_PACKAGES_NAMED: Final = 3
"""Number of packages that a notice names."""

_PLAIN: Final = re.compile(r"[^\W\d]\w+")


class Unfound(NamedTuple):
    """The name that a search asks for and its first page does not have, as its last part; empty if
    there is none. may_be_in_packages: whether it was searched for among all symbols of the
    project."""

    name: str = ""
    may_be_in_packages: bool = False


def find_unfound(plan: "Plan", response: SearchResponse) -> Unfound:
    """Returns the name that is not on a page. It may be qualified and restricted to paths; then
    packages are not asked for it."""
    if not plan.is_first_page or plan.phrasings or not plan.given.isdisjoint(_OTHER_SYMBOLS):
        return Unfound()
    text = plan.text
    name = last_name(text)
    first = response.items[0].name if response.items else ""  # exact if any is
    if not name or squashed(first) == squashed(name):
        return Unfound()
    return Unfound(name, name == text.strip() and "paths" not in plan.given)


_OTHER_SYMBOLS: Final = {*NARROWING, "sort_by"} - {"paths", "proximity"}
"""The fields that restrict a request to some symbols, or sort them."""


def last_name(text: str) -> str:
    """Returns the last part of a plain name, which may be qualified; empty for any other text."""
    bare = text.strip().removesuffix("()")
    name = _SEPARATORS.split(bare)[-1]
    return name if _PLAIN.fullmatch(name) and " " not in bare else ""


_SEPARATORS: Final = re.compile(r"\.|::|#|->|/|\\")


def tell_excluded(name: str, skip: Skip) -> str:
    """Returns the notice about a file that contains a name and is not in the index."""
    return f"`{name}` occurs in {tell_left_out(skip).replace(' is not', ', which is not', 1)}"


def tell_packages(folders: Sequence[PrivateFolder], name: str) -> list[str]:
    """Returns the notice about packages that have a name, or an empty list. folders: the index
    folders of the projects that were searched."""
    from symindex.packages.indexes.name_table import (
        kept_packages_with,
    )  # deferred, because most names are found

    labels = dict.fromkeys(
        label
        for folder in folders
        for label in kept_packages_with(folder, PrivateFolder(folder.path.parent / PACKAGES), name)
    )
    if not labels:
        return []
    names = ", ".join([*labels][:MOST_PACKAGES_NAMED])
    n_more = len(labels) - MOST_PACKAGES_NAMED
    rest = f" and {n_more} more" if n_more > 0 else ""
    return [
        f"nothing in the project is called `{name}`; packages had it when they were last indexed:"
        f" {names}{rest}; ask for the symbol, or search with space: system"
    ]


SECONDS: Final = 0.15
"""Time limit of the search for a text."""

NAME_SECONDS: Final = 0.015
"""Time limit of the search for a single name, which is typed and searched again at every letter.
The files that mention it come first."""

LEAST_LETTERS: Final = 3


def is_text(plan: "Plan", response: SearchResponse) -> bool:
    """Whether a plain text was searched for among all symbols, on a first page, and nothing was
    found."""
    if response.total or plan.phrasings or not plan.is_first_page:
        return False
    text = plan.text.strip()
    is_wide = plan.narrowing is None and plan.given.isdisjoint(NARROWING)
    return is_wide and len(text) >= LEAST_LETTERS and text.isprintable()


def count_elsewhere(tree: "Tree", query: str, most_bytes: int) -> TextCount | None:
    """Returns how many lines contain the text of a query, as far as the time allows; `None` for
    none."""
    from symindex.explore.grep.search import (
        count_text,
    )  # deferred, because most searches find something

    text = query.strip()
    is_name = is_token(text)
    count = count_text(
        tree, text, most_bytes, NAME_SECONDS if is_name else SECONDS, text if is_name else ""
    )
    return count if count.lines else None


def symbol_anywhere(
    source: "AnswerSource", tree: "Tree", request: SymbolRequest, waits: bool
) -> SymbolResponse:
    """Looks for a symbol in the project, then in packages, then among notes and content. waits: as
    for `Spaces.build_for_symbol`."""
    from symindex.explore.symbol import symbol
    from symindex.recall.recalled_text import as_symbol, hit_of

    limits, spaces = source.file_limits, source.spaces
    if request.used_in is not None or request.symbol.count(":") > 1:
        from symindex.workspace.spaces.library_symbols import find_used

        used = find_used(tree, spaces, request, limits, waits)
        if used is not None:
            return used
    refusal: RequestError | None = None
    response = SymbolResponse(request=request, symbol=None, others=[], total=0)
    try:
        response = symbol(tree, request, limits[0])
    except RequestError as error:
        refusal = error
    if not response.total and spaces:
        from symindex.workspace.spaces.library_symbols import find_symbol

        of_packages = find_symbol(spaces, request, limits[0], waits)
        if of_packages is not None and (of_packages.total or refusal is None):
            of_packages.suggestions = of_packages.suggestions or response.suggestions
            return of_packages
    if not response.total and (text := hit_of(source, request.symbol)) is not None:
        return as_symbol(text, request)
    if refusal is not None:
        raise refusal
    return response
