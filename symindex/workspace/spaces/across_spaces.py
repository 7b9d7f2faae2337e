"""Answers from several spaces: chooses the spaces that a request needs, and joins them into one
snapshot.

A search for symbols is about the project alone, unless the request names a space. Items are looked
for in every space, because an item that hides another says so. A search that stays in the project
loads nothing of this.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from symindex.errors import NO_FOLDER, RequestError
from symindex.index.snapshot import Snapshot, Space
from symindex.packages.ecosystems.c_headers import ECOSYSTEM as HEADERS
from symindex.packages.found.package import Package
from symindex.protocol.freshness import Freshness
from symindex.search.answer.plan import Plan
from symindex.search.answer.universe import Universe
from symindex.search.options.read import EVERY_SPACE
from symindex.text.counts import count_of
from symindex.workspace.answer_source import AnswerSource
from symindex.workspace.left_out import unread_items
from symindex.workspace.repair import with_repair
from symindex.workspace.spaces.spaces import SpacePart, Spaces

if TYPE_CHECKING:
    from symindex.index.update import Progress
    from symindex.protocol.fetch import FetchFailure, FetchRequest, FetchResponse


class NeededSpaces(msgspec.Struct, frozen=True):
    """The spaces, in addition to the project, that an answer is made from.

    builds: whether to wait until all packages are indexed, because the request names their space.
    waits_briefly: whether the request is about items, which any package may contain; other packages
    are then indexed in the background, and the answer waits for them briefly.
    """

    spaces: frozenset[Space]
    builds: bool = False
    waits_briefly: bool = False


NO_SPACES: Final = NeededSpaces(frozenset())

TRIES: Final = 5
"""Number of attempts to index and open packages whose indexes somebody deletes meanwhile."""


def needed_spaces(plan: Plan) -> NeededSpaces:
    """Returns the spaces that a plan needs."""
    options = plan.options
    is_about_items = plan.universe is not Universe.SYMBOLS
    every = frozenset((Space.USER, Space.SYSTEM))
    if not plan.names_a_space:
        return NeededSpaces(every, waits_briefly=True) if is_about_items else NO_SPACES
    if options.space == EVERY_SPACE:
        return NeededSpaces(every, builds=True)
    if is_about_items:  # an item that hides another says so, wherever that is
        return NeededSpaces(every, builds=options.space == Space.SYSTEM.word)
    named_spaces = frozenset(space for space in every if space.word == options.space)
    return NeededSpaces(named_spaces, builds=Space.SYSTEM in named_spaces)


def parts_of(
    spaces: Sequence[Spaces], needed: NeededSpaces, waits: bool, progress: "Progress | None"
) -> tuple[list[SpacePart], list[str]]:
    """Returns the snapshots of the needed spaces of some projects, and notices. waits: whether the
    caller waits until packages are indexed, if the request names their space."""
    parts: list[SpacePart] = []
    notices: list[str] = []
    builds = (needed.builds or needed.waits_briefly) and Space.SYSTEM in needed.spaces
    for project_spaces in spaces:
        for _ in range(TRIES):
            build_notices = (
                project_spaces.build(
                    _waiting(project_spaces, needed), waits and needed.builds, progress
                )
                if builds
                else []
            )
            opened = project_spaces.parts(needed.spaces)
            lacking = _waiting(project_spaces, needed) if builds and not build_notices else []
            if not lacking:
                break
        if lacking:
            build_notices = [
                f"{count_of(len(lacking), 'package was', 'packages were')} not searched:"
                " another process is deleting their indexes; ask again"
            ]
        parts += opened
        notices += [*build_notices, *project_spaces.take_notices()]
    return parts, notices


def _waiting(spaces: Spaces, needed: NeededSpaces) -> list[Package]:
    """Lists the packages to index for a request. Headers contain no items, and indexing them takes
    minutes."""
    return [
        package
        for package in spaces.environment().missing()
        if needed.builds or package.ecosystem != HEADERS
    ]


def join(project: Snapshot, parts: Sequence[SpacePart]) -> Snapshot:
    """Joins the snapshot of a project with those of other spaces."""
    snapshots = [project, *(part.snapshot for part in parts)]
    return Snapshot.joined(
        snapshots, [""] * len(snapshots), [Space.PROJECT, *(part.space for part in parts)]
    )


def fetch_item(
    source: AnswerSource,
    join_spaces: Callable[[Snapshot, Sequence[SpacePart]], Snapshot],
    request: "FetchRequest",
    freshness: Freshness,
) -> "FetchResponse | FetchFailure":
    """Returns an item or the reason why there is none. All spaces are opened even for an item of
    the project, because the answer names what it hides; packages are waited for only if the request
    names their space."""
    from symindex.fetch.by_id import (
        FetchContext,
        fetch_by_id,
    )  # deferred, because most requests search

    needed = NeededSpaces(
        frozenset((Space.USER, Space.SYSTEM)),
        builds=request.source == Space.SYSTEM.word,
        waits_briefly=request.source is None,
    )
    source.bring_up_to_date(freshness)

    def fetch() -> "FetchResponse | FetchFailure":
        parts, notices = parts_of(source.spaces, needed, freshness.packages, None)
        tree = source.tree()
        roots = {**tree.roots}
        for part in parts:
            roots.update(part.roots)
        project = next(iter(tree.roots.values()), None)
        if project is None and request.source != Space.REGISTRY.word:
            raise RequestError(f"fetch: {NO_FOLDER}")
        place = FetchContext(
            join_spaces(tree.snapshot, parts),
            roots,
            project,
            source.languages.item_types,
            notices,
            tree.unread(),
            unread_items(source.walked),
            tree.left_out,
            source.texts,
        )
        return fetch_by_id(place, request)

    answer = with_repair(source, fetch)
    if destination := getattr(answer, "destination_path", None):
        source.on_written(Path(destination))
    return answer
