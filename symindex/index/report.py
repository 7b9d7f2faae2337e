"""Reports what a refresh did, what an index contains, and what was left out and why."""

import time
from operator import attrgetter
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import shown
from symindex.files.skips import UNREAD, Skip, SkipReason, files_were
from symindex.files.walk import Walk
from symindex.index.columns.document_counts import DocumentCounts, count_documents
from symindex.index.columns.layout import Blob, Columns
from symindex.index.snapshot import Snapshot
from symindex.text.counts import count_of

SHOWN_PATHS: Final = 100


class Skipped(msgspec.Struct, kw_only=True):
    """Files or folders that were left out for one reason. paths: the first SHOWN_PATHS of them."""

    reason: str
    count: int
    paths: list[str]


class RefreshReport(msgspec.Struct, kw_only=True):
    """The result of a refresh.

    files: number in the index, including those without symbols. read: number of files parsed this
    time. bytes: size of the index. skipped: what was left out, by reason. notices: problems that
    were repaired. sections, items: their numbers, besides the symbols.
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
    sections: int
    items: int


class LanguageCount(msgspec.Struct, kw_only=True):
    """One language's share of the index. with_errors: files with syntax that the grammar could not
    read."""

    language: str
    files: int = 0
    symbols: int = 0
    bytes: int = 0
    with_errors: int = 0


class StatusReport(msgspec.Struct, kw_only=True):
    """The contents of the index, and what was left out and why.

    broken: path and line where an error cuts a container. conflicted: paths of files with the
    markers of an unfinished merge. files, with_symbols: all indexed files, including documents and
    files without a language, and those with symbols. age_seconds: since the index was last written.
    notes: number of the project's notes, by category.
    """

    root: str
    index_path: str
    index_bytes: int
    age_seconds: float
    generation: str
    files: int
    with_symbols: int
    symbols: int
    languages: list[LanguageCount]
    skipped: list[Skipped]
    unsupported: dict[str, int]
    odd_encoding: list[str]
    broken: list[str] = []
    conflicted: list[str] = []
    columns: dict[str, int]
    documents: DocumentCounts
    notes: dict[str, int] = {}


class RootStatus(msgspec.Struct, kw_only=True):
    """The state of one of several roots.

    name: prefix of its paths; empty if it is the only root. state: `opening`, `indexing`, `ready`,
    `cancelled`, `failed` or `missing`. done, total: files, during indexing. error: the last one.
    notices: why changes are noticed late. report: on its index, or `None` if there is none yet.
    """

    root: str
    name: str
    state: str
    done: int
    total: int
    error: str
    notices: list[str]
    report: StatusReport | None


def report_status(
    root: Path, index: Path, index_bytes: int, walk: Walk, snapshot: Snapshot
) -> StatusReport:
    """Returns the state of an index. index: the file of its base. walk: of the tree as it is
    now."""
    return StatusReport(
        root=shown(root),
        index_path=shown(index),
        index_bytes=index_bytes,
        age_seconds=_age_of(index),
        generation=f"{snapshot.generation:016x}",
        files=snapshot.n_files,
        with_symbols=sum(1 for _, n_symbols in snapshot.files_and_counts() if n_symbols),
        symbols=snapshot.n_symbols,
        languages=_count_languages(snapshot),
        skipped=skipped(walk, snapshot),
        unsupported=_unsupported(walk, snapshot),
        broken=[
            f"{file.path}:{file.broken_line}"
            for file in sorted(
                (indexed for indexed, _ in snapshot.files_and_counts() if indexed.broken_line),
                key=_PATH,
            )
        ],
        conflicted=sorted(
            file.path for file, _ in snapshot.files_and_counts() if file.is_conflicted
        ),
        odd_encoding=sorted(
            f"{file.path} ({file.odd_encoding})"
            for file, _ in snapshot.files_and_counts()
            if file.odd_encoding
        )[:SHOWN_PATHS],
        columns={
            name: sum(len(getattr(part.index.columns, name)) for part in snapshot.parts)
            for name, kind in Columns.__annotations__.items()
            if kind is Blob
        },
        documents=count_documents(snapshot),
    )


def _age_of(path: Path) -> float:
    try:
        return round(max(time.time() - path.stat().st_mtime, 0.0), 1)
    except OSError:
        return 0.0


def _all_skips(walk: Walk | None, snapshot: Snapshot) -> list[Skip]:
    """Returns what was left out and why, by path, except for reasons that are only counted."""
    listed = [
        reason
        for reason in SkipReason
        if reason not in (SkipReason.UNSUPPORTED, SkipReason.DESELECTED)
    ]
    return sorted([*(walk.skips if walk is not None else ()), *snapshot.files_left_out(*listed)])


def unread(walk: Walk | None, snapshot: Snapshot, prefix: str = "") -> list[Skip]:
    """Returns the files whose code should be in the index but is not. prefix: of their paths in
    answers."""
    return [
        Skip(prefix + path, reason, detail)
        for path, reason, detail in _all_skips(walk, snapshot)
        if reason in UNREAD
    ]


ITEMS_UNREAD: Final = "rules, skills and other items there are not read"
"""Detail of a folder of items that git's rules exclude."""

_LAST: Final = (SkipReason.WORKTREE, SkipReason.DEPENDENCIES)
_MAY_HOLD: Final = (*sorted(UNREAD), SkipReason.BINARY, *_LAST)


def list_left_out(walk: Walk | None, snapshot: Snapshot) -> list[Skip]:
    """Returns the files and folders that are not in the index and may contain code: files first,
    other working trees and dependencies last."""
    skips = [skip for skip in _all_skips(walk, snapshot) if skip.reason in _MAY_HOLD]
    skips += [
        Skip(path, SkipReason.IGNORED) for path in (walk.ignored_paths if walk is not None else ())
    ]
    return sorted(skips, key=lambda skip: (skip.reason in _LAST, skip.path.endswith("/")))


def skipped(walk: Walk, snapshot: Snapshot) -> list[Skipped]:
    """Returns what was left out, by reason."""
    by_reason: dict[SkipReason, list[str]] = {}
    for skip in _all_skips(walk, snapshot):
        by_reason.setdefault(skip.reason, []).append(
            f"{skip.path} ({skip.detail})" if skip.detail else skip.path
        )
    report = [
        Skipped(reason=r, count=len(paths), paths=paths[:SHOWN_PATHS])
        for r, paths in by_reason.items()
    ]
    counted = {  # Such files may be very many, and nobody expects them in the index.
        SkipReason.IGNORED: walk.ignored,
        SkipReason.HIDDEN: walk.hidden,
        SkipReason.DESELECTED: _deselected(walk, snapshot),
        SkipReason.UNSUPPORTED: sum(_unsupported(walk, snapshot).values()),
    }
    listed = {row.reason: row for row in report}
    for reason, count in counted.items():
        if reason in listed:
            # The count includes the listed files.
            listed[reason].count = max(count, listed[reason].count)
        elif count:
            report.append(Skipped(reason=reason, count=count, paths=[]))
    return sorted(report, key=lambda row: row.reason)


def _deselected(walk: Walk, snapshot: Snapshot) -> int:
    """Returns how many files and folders (topmost only) the settings exclude. The language of some
    files shows only in their content."""
    return walk.deselected + len(snapshot.files_left_out(SkipReason.DESELECTED))


def _unsupported(walk: Walk, snapshot: Snapshot) -> dict[str, int]:
    """Returns the number of files without a language, by extension; those without an extension were
    checked for a `#!` line."""
    no_extension = len(snapshot.files_left_out(SkipReason.UNSUPPORTED))
    return walk.unsupported | ({"(no extension)": no_extension} if no_extension else {})


def why_index_empty(walk: Walk | None, snapshot: Snapshot) -> str:
    """Returns a sentence that explains an index without symbols."""
    documents = snapshot.documents.n_symbols
    message = "the index is empty"
    if documents:
        message = (
            "the index contains no symbols, but"
            f" {count_of(documents, 'section or item', 'sections and items')}"
        )
    skips = _all_skips(walk, snapshot)
    if skips:
        return (
            f"{message}: {len(skips):,} skipped, such as {skips[0].path} ({skips[0].reason}); see"
            " `symindex status`"
        )
    if walk is not None:
        n_deselected = _deselected(walk, snapshot)
        if n_deselected:
            return f"{message}: {n_deselected:,} {SkipReason.DESELECTED}; see `symindex status`"
        if walk.unsupported:
            extensions = sorted(
                walk.unsupported, key=lambda extension: -walk.unsupported[extension]
            )[:3]
            kinds = f"no language for {', '.join(extensions)} files"
            return f"{message}: {kinds}; see `symindex languages`"
    if documents:
        return message
    if snapshot.n_files:
        return f"the index is empty: {files_were(snapshot.n_files)} read, and no symbol was found"
    return "the index is empty: no source files were found"


_PATH: Final = attrgetter("path")


def _count_languages(snapshot: Snapshot) -> list[LanguageCount]:
    """Returns each language's share, the largest first."""
    counts: dict[str, LanguageCount] = {}
    for file, n_symbols in snapshot.files_and_counts():
        if file.language and not file.skip:
            count = counts.setdefault(file.language, LanguageCount(language=file.language))
            count.files += 1
            count.symbols += n_symbols
            count.bytes += file.size
            count.with_errors += file.has_error
    return sorted(counts.values(), key=lambda count: (-count.symbols, count.language))
