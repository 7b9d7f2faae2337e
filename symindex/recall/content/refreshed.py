"""Reads changed files of added content again, a few before each answer.

`files/access/followed` decides whether a file is still the one that was added. A file that is gone,
was replaced, cannot be read or was given up keeps its stored content, is marked as stale, and is
named in a notice. No answer waits long: a file that was given up is not tried again until it
changes, and after some seconds no further file is begun.
"""

import errno
import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

from symindex.errors import RequestError, SymindexError
from symindex.extract.documents.to_text import MOST_BYTES
from symindex.files.access.followed import FileIdentity, FollowedFile, is_moved, why_another
from symindex.recall.content.content_store import ContentStore, Followed, Source
from symindex.text.escaping import shorten

MOST_REFRESHED: Final = 20
MOST_REFRESHED_BYTES: Final = 20_000_000
"""Limits on files and bytes that are read again before one answer. Other changed files are marked
as stale."""

SECONDS: Final = 5.0
"""Processor seconds for one file that is read again, and seconds by the clock for all of them: the
answer waits for it."""

MOST_NOTICES: Final = 5
"""Most sources that get a notice of their own; the others are counted."""

_AGAIN: Final = "what was added is kept; add it again if it is right"

_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR})


class Refreshed:
    """Keeps added files up to date.

    Args:
        add: as `Content.add`.

    Attributes:
        stale: labels of sources whose content is older than their files.
        notices: for the answer.
    """

    def __init__(self, store: ContentStore, add: Callable[..., Source]) -> None:
        self.stale: set[str] = set()
        self.notices: list[str] = []
        self._store, self._add = store, add
        self._n_read = self._n_bytes = 0
        self._until = 0.0

    def refresh(self, sources: Sequence[Source]) -> None:
        """Reads changed files again. Raises StorageError if the database cannot be read."""
        followed = self._store.followed()
        self._until = time.monotonic() + SECONDS
        notices: list[str] = []
        for source in sources:
            if not source.path:
                continue
            try:
                notice = self._refresh(source, followed.get(source.label))
            except SymindexError as error:
                self.stale.add(source.label)
                notice = f"cannot be read again ({error})"
            if notice:
                notices.append(f"{source.label}: {notice}")
        self.notices += notices[:MOST_NOTICES]
        if len(notices) > MOST_NOTICES:
            n_more = len(notices) - MOST_NOTICES
            self.notices.append(f"others whose files are gone or cannot be read again: {n_more}")
        if self.stale:
            labels = ", ".join(sorted(self.stale)[:3])
            words = (
                "source is stale, as its file has"
                if len(self.stale) == 1
                else "sources are stale, as their files have"
            )
            self.notices.append(f"{len(self.stale)} {words} changed or gone: {labels}")

    def _refresh(self, source: Source, followed: Followed | None) -> str:
        """Reads one file again if it has changed; returns a notice about it. Raises
        SymindexError."""
        try:
            with FollowedFile(source.path) as file:
                return self._follow(source, followed, file)
        except OSError as error:
            self.stale.add(source.label)
            # perhaps only briefly: git replaces files when it changes branches
            if error.errno in _GONE:
                return (
                    f"its file is gone ({source.path}); what was added is kept until `symindex"
                    " forget` removes it"
                )
            return (
                f"its file is not read any more ({source.path}: {error.strerror or error});"
                f" {_AGAIN}"
            )

    def _follow(self, source: Source, followed: Followed | None, file: FollowedFile) -> str:
        """Reads a file. Raises OSError, SymindexError."""
        now = file.identity
        before = followed.taken if followed is not None else None
        if (now.mtime_ns, now.size) == (source.mtime_ns, source.size) and (
            before is None or _is_same(before, now)
        ):
            return ""
        self.stale.add(source.label)
        if (
            followed is not None
            and followed.given_up is not None
            and _is_same(followed.given_up, now)
        ):
            return _not_read(followed.reason)
        if why := why_another(before, now):
            return f"its file is not the one that was added: {why} ({source.path}); {_AGAIN}"
        if (
            self._n_read >= MOST_REFRESHED
            or self._n_bytes + now.size > MOST_REFRESHED_BYTES
            or time.monotonic() > self._until
        ):
            return ""
        self._n_read, self._n_bytes = self._n_read + 1, self._n_bytes + now.size
        data = file.read(MOST_BYTES)
        if blake2b(data, digest_size=16).hexdigest() == source.digest:
            self._store.note_unchanged(source, now)
        elif is_moved(before, now):
            return (
                f"its file has changed, and so has its folder, which was replaced ({source.path});"
                f" {_AGAIN}"
            )
        else:
            path = Path(source.path)
            try:
                self._add(
                    data,
                    source.label,
                    source.origin,
                    path.name,
                    path=path,
                    taken=now,
                    seconds=SECONDS,
                )
            except RequestError as error:
                reason = shorten(str(error), 300)
                self._store.note_given_up(source, Followed(before or now, now, reason))
                return _not_read(reason)
        self.stale.discard(source.label)
        return ""


def _not_read(reason: str) -> str:
    """Returns the remark about a source whose changed file could not be read."""
    return f"its file has changed, but its new content was not read: {reason}; {_AGAIN}"


def _is_same(before: FileIdentity, now: FileIdentity) -> bool:
    return before._replace(n_names=1) == now._replace(n_names=1)
