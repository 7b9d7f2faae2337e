"""The status of a fleet: what is served of each repository, how old it is, and what failed."""

from collections.abc import Mapping

import msgspec


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a repository is not up to date.

    step: `sync` or `index`. why: one line. since: when it failed first, in seconds since 1970.
    """

    step: str
    why: str
    since: int


class RepositoryStatus(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The status of a repository.

    state: `current`, `behind` (an older commit is served), `failed` (what was served before still
    is) or `missing` (nothing is served). commit: the served one; newest: the one that is known of
    the source. age_seconds: since it was indexed. failure: of the last attempt.
    """

    name: str
    state: str
    location: str = ""
    branch: str = ""
    commit: str = ""
    newest: str = ""
    files: int = 0
    symbols: int = 0
    source_bytes: int = 0
    left_out: Mapping[str, int] = {}
    age_seconds: int | None = None
    failure: Failure | None = None


class FleetStatus(msgspec.Struct, kw_only=True):
    """The status of a fleet. generation: its number; 0 if there is none. made: when, in seconds
    since 1970. loose: repositories that are searched beside the shards. notices: why this is not
    the newest generation, or not all of it."""

    store: str
    generation: int
    made: int
    version: str
    symbols: int
    files: int
    source_bytes: int
    shards: int
    loose: int
    states: dict[str, int]
    repositories: list[RepositoryStatus]
    notices: list[str] = []


class StepReport(msgspec.Struct, kw_only=True):
    """What a step did.

    step: its name. done: repositories, or shards, that were brought up to date. unchanged: those
    that were. failed: name -> why. seconds: how long it took. generation: the newest one now.
    written: how many objects were written, with the generation. notices: about repositories that
    did not fail. removed: repositories that the catalogue has no more, and that are not served any
    more.
    """

    step: str
    done: int = 0
    unchanged: int = 0
    failed: dict[str, str] = {}
    removed: list[str] = []
    notices: list[str] = []
    seconds: float = 0.0
    generation: int = 0
    written: int = 0
