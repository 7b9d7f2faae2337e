"""Makes the status of a fleet from a generation."""

import time
from collections.abc import Iterable, Sequence

from symindex.fleet.stored.generation import Generation, RepositoryState
from symindex.protocol.fleet import FleetStatus, RepositoryStatus


def status_of(
    address: str,
    generation: Generation,
    notices: Sequence[str] = (),
    catalogued: Iterable[str] = (),
) -> FleetStatus:
    """Returns the status of a generation of the store at an address. notices: about the whole.
    catalogued: the repositories that a catalogue names; those that no run has seen are missing."""
    now = int(time.time())
    rows = [_row(state, now) for state in generation.repositories.values()]
    unseen = set(catalogued) - generation.repositories.keys()
    rows += [RepositoryStatus(name=name, state="missing") for name in unseen]
    rows.sort(key=lambda row: row.name)
    states = dict.fromkeys(("current", "behind", "failed", "missing"), 0)
    for row in rows:
        states[row.state] += 1
    return FleetStatus(
        store=address,
        generation=generation.number,
        made=generation.made,
        version=generation.version,
        symbols=sum(row.symbols for row in rows),
        files=sum(row.files for row in rows),
        source_bytes=sum(row.source_bytes for row in rows),
        shards=len(generation.shards),
        loose=len(generation.loose()),
        states=states,
        repositories=rows,
        notices=[*notices],
    )


def _row(state: RepositoryState, now: int) -> RepositoryStatus:
    built = state.built
    row = RepositoryStatus(
        name=state.name,
        state="missing" if built is None else "current",
        location=state.location,
        branch=state.branch,
        newest=state.commit,
        failure=state.failure,
    )
    if built is not None:
        row.commit, row.files, row.symbols = built.commit, built.files, built.symbols
        row.source_bytes, row.left_out = built.source_bytes, built.left_out
        row.age_seconds = max(0, now - built.at)
        if state.failure is not None:
            row.state = "failed"
        elif state.commit and state.commit != built.commit:
            row.state = "behind"
    return row
