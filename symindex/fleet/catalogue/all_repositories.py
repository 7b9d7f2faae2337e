"""Joins what a catalogue names itself with what the listings of its organisations name.

An entry of the catalogue goes before a listed repository, so that one repository of an organisation
may have another branch. A listing changes without anybody looking, so a clash in it is said, and
stops nothing.
"""

from collections.abc import Callable
from typing import NamedTuple

from symindex.errors import SymindexError
from symindex.fleet.catalogue.catalogue import Catalogue, Organisation
from symindex.fleet.catalogue.forges import Listing, list_organisation
from symindex.fleet.catalogue.names import clashes, shown_name
from symindex.fleet.catalogue.repository import Repository


class Repositories(NamedTuple):
    """All repositories of a fleet. is_whole: whether each organisation was listed to its end: if
    not, a repository that is not here may still be there. notices: what was left out, and why."""

    repositories: list[Repository]
    is_whole: bool
    notices: list[str]


def all_repositories(
    catalogue: Catalogue, listed: Callable[[Organisation], Listing] = list_organisation
) -> Repositories:
    """Returns the repositories of a catalogue, in its order. An organisation that cannot be listed
    is said, and the others are."""
    repositories = [*catalogue.repositories]
    named = {repository.location for repository in repositories}
    notices: list[str] = []
    is_whole = True
    for organisation in catalogue.organisations:
        try:
            listing = listed(organisation)
        except SymindexError as error:
            is_whole = False
            notices.append(f"not listed: {error}")
            continue
        is_whole = is_whole and listing.is_whole
        notices += listing.notices
        repositories += [
            repository
            for repository in listing.repositories
            if repository.location not in named
            and repository.location.removesuffix(".git") not in named
        ]
    refused: set[int] = set()
    pairs = ((repository.name, repository) for repository in repositories)
    for (other, first), (name, second) in clashes(pairs):
        refused.add(id(second))
        notices.append(
            f"{second.place}: left out, because {shown_name(name)} and {shown_name(other)}"
            f" ({first.place}) cannot stand side by side: give one of them a name of its own"
        )
    kept = [repository for repository in repositories if id(repository) not in refused]
    return Repositories(kept, is_whole, notices)
