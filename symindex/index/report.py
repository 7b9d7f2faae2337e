"""Reports: what a refresh did, what an index holds, and what was left out and why."""

import time
from collections import Counter
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import shown
from symindex.files.skips import UNREAD, Skip, SkipReason
from symindex.files.walk import Walk
from symindex.index.snapshot import Snapshot


class Skipped(msgspec.Struct, kw_only=True):
    """Files or folders that were left out for one reason. paths: the first of them, at most `SHOWN_PATHS`."""

    reason: str
    count: int
    paths: list[str]


SHOWN_PATHS: Final = 100


class RefreshReport(msgspec.Struct, kw_only=True):
    """What a refresh did.

    files: that hold the index's symbols or were looked at for them. read: how many of them were parsed this time.
    bytes: of the index file. skipped: what was left out, by reason. notices: what went wrong and was mended.
    """

    root: str
    files: int
    symbols: int
    bytes: int
    seconds: float
    read: int
    removed: int
    skipped: list[Skipped]
    notices: list[str]


class LanguageCount(msgspec.Struct, kw_only=True):
    """One language's share of the index; with_errors: files in which the grammar met something that it could not read."""

    language: str
    files: int
    symbols: int
    bytes: int
    with_errors: int


class StatusReport(msgspec.Struct, kw_only=True):
    """What the index holds, and what was skipped and why. age_seconds: since the index was last written."""

    root: str
    index_path: str
    index_bytes: int
    age_seconds: float
    generation: str
    files: int
    symbols: int
    languages: list[LanguageCount]
    skipped: list[Skipped]
    unsupported: dict[str, int]
    odd_encoding: list[str]
    columns: dict[str, int]


class RootStatus(msgspec.Struct, kw_only=True):
    """How one of several roots stands. name: what its paths begin with, empty where it is the only one. state: `opening`,
    `indexing`, `ready`, `cancelled`, `failed` or `missing`. done, total: files, while it is indexed. error: what went wrong last.
    notices: why changes are seen late. report: of its index, `None` where there is none yet."""

    root: str
    name: str
    state: str
    done: int
    total: int
    error: str
    notices: list[str]
    report: StatusReport | None


def report_status(root: Path, index: Path, index_bytes: int, walk: Walk, snapshot: Snapshot) -> StatusReport:
    """How an index stands. index: its file, of the base; walk: of the tree, as it is now."""
    return StatusReport(
        root=shown(root),
        index_path=shown(index),
        index_bytes=index_bytes,
        age_seconds=age_of(index),
        generation=f"{snapshot.generation:016x}",
        files=snapshot.n_files,
        symbols=snapshot.n_symbols,
        languages=count_languages(snapshot),
        skipped=skipped(walk, snapshot),
        unsupported=unsupported(walk, snapshot),
        odd_encoding=[file.path for file in snapshot.files() if file.odd_encoding][:SHOWN_PATHS],
        columns=snapshot.column_bytes(),
    )


def age_of(path: Path) -> float:
    """How many seconds ago a file was written, to a tenth; 0 where there is none."""
    try:
        return round(max(time.time() - path.stat().st_mtime, 0.0), 1)
    except OSError:
        return 0.0


def all_skips(walk: Walk | None, snapshot: Snapshot) -> list[Skip]:
    """What was left out and why, by reason and path; without what is only counted: files that are ignored, not chosen, or
    without a language."""
    skips: list[Skip] = list(walk.skips) if walk is not None else []
    skips.extend(
        Skip(file.path, SkipReason(file.skip), file.detail)
        for file in snapshot.skipped_files()
        if file.skip not in (SkipReason.UNSUPPORTED, SkipReason.UNCHOSEN)
    )
    return sorted(skips)


def unread(walk: Walk | None, snapshot: Snapshot, prefix: str = "") -> list[Skip]:
    """The files whose code is not in the index though it should be. prefix: what their paths are shown with."""
    return [Skip(prefix + path, reason, detail) for path, reason, detail in all_skips(walk, snapshot) if reason in UNREAD]


def skipped(walk: Walk, snapshot: Snapshot) -> list[Skipped]:
    """What was left out, by reason."""
    by_reason: dict[SkipReason, list[str]] = {}
    for skip in all_skips(walk, snapshot):
        by_reason.setdefault(skip.reason, []).append(f"{skip.path} ({skip.detail})" if skip.detail else skip.path)
    report = [Skipped(reason=r, count=len(paths), paths=paths[:SHOWN_PATHS]) for r, paths in by_reason.items()]
    if walk.ignored:
        report.append(Skipped(reason=SkipReason.IGNORED, count=walk.ignored, paths=[]))
    n_unchosen = unchosen(walk, snapshot)
    if n_unchosen:
        report.append(Skipped(reason=SkipReason.UNCHOSEN, count=n_unchosen, paths=[]))
    n_unsupported = sum(unsupported(walk, snapshot).values())
    if n_unsupported:
        report.append(Skipped(reason=SkipReason.UNSUPPORTED, count=n_unsupported, paths=[]))
    return sorted(report, key=lambda row: row.reason)


def unchosen(walk: Walk, snapshot: Snapshot) -> int:
    """How many files and folders the settings leave out, of folders the topmost; of some files only the content tells that."""
    return walk.unchosen + sum(file.skip == SkipReason.UNCHOSEN for file in snapshot.skipped_files())


def unsupported(walk: Walk, snapshot: Snapshot) -> dict[str, int]:
    """Files without a language, by extension; those without an extension were looked into for a `#!` line."""
    no_extension = sum(file.skip == SkipReason.UNSUPPORTED for file in snapshot.skipped_files())
    return walk.unsupported | ({"(no extension)": no_extension} if no_extension else {})


def why_index_empty(walk: Walk | None, snapshot: Snapshot) -> str:
    """What explains an index without symbols."""
    skips = all_skips(walk, snapshot)
    if skips:
        return f"the index is empty: {len(skips):,} skipped, as {skips[0].path} ({skips[0].reason}); see `symindex status`"
    n_unchosen = unchosen(walk, snapshot) if walk is not None else 0
    if n_unchosen:
        return f"the index is empty: {n_unchosen:,} {SkipReason.UNCHOSEN}; see `symindex status`"
    unsupported = dict(walk.unsupported) if walk is not None else {}
    if unsupported:
        most = sorted(unsupported, key=lambda extension: -unsupported[extension])[:3]
        return f"the index is empty: no language for {', '.join(most)} files; see `symindex languages`"
    if snapshot.n_files:
        return f"the index is empty: {snapshot.n_files:,} files were read, and none holds a symbol"
    return "the index is empty: no source files were found"


def count_languages(snapshot: Snapshot) -> list[LanguageCount]:
    """Each language's share, the largest first."""
    files: Counter[str] = Counter()
    symbols: Counter[str] = Counter()
    n_bytes: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    for file, count in snapshot.files_and_counts():
        if file.language and not file.skip:
            files[file.language] += 1
            symbols[file.language] += count
            n_bytes[file.language] += file.size
            errors[file.language] += file.has_error
    return [
        LanguageCount(language=name, files=files[name], symbols=symbols[name], bytes=n_bytes[name], with_errors=errors[name])
        for name in sorted(files, key=lambda name: (-symbols[name], name))
    ]
