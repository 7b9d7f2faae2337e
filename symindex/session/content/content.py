"""Added content as one object: add, list, forget, search.

A source that came from a file follows it: before an answer, files that have changed are read again, a few at a time, and those
that are gone leave with a notice.
"""

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import urlsplit

from symindex.errors import RequestError, SymindexError
from symindex.extract.documents.chunks import chunks_of
from symindex.extract.documents.to_text import MOST_BYTES, ReadContent, to_text
from symindex.files.access.regular import read_regular
from symindex.files.locations import index_folder
from symindex.index.arrays import Mask
from symindex.index.prose.build_chunks import Chunk
from symindex.index.prose.chunk_index import ChunkIndex
from symindex.index.prose.kept_chunks import KeptChunks, within
from symindex.search.prose.contract import TextHit, TextRequest, TextResponse, TextSection, check_text_request
from symindex.search.prose.matchers import Matches, Segment, match
from symindex.search.prose.question import Question, read_question
from symindex.search.prose.rank import ChunkText, rank
from symindex.session.content.content_store import ContentStore, Source, StoredChunk, now_ms
from symindex.text.escaping import shorten
from symindex.text.windows import cut_windows
from symindex.text.words import deciding, stem, words_of

DATA_DIR_VARIABLE: Final = "SYMINDEX_DATA_DIR"
"""Names the folder for what the user has added, in place of the system's data folder."""

STANDARD_INPUT: Final = "standard input"
LONGEST_LABEL: Final = 200

MOST_OF_PAGE: Final = 10_000_000
"""Bytes of a page of the web."""

MOST_REFRESHED: Final = 20
MOST_REFRESHED_BYTES: Final = 20_000_000
"""What is read again before one answer; what else has changed is marked as stale."""

USAGE_HINT: Final = "items show pieces around the matches; ask again with include_content for the whole of each chunk"


class Content:
    """The content that was added for one project.

    Args:
        folder: the user's own, of this project.
    """

    def __init__(self, folder: Path) -> None:
        self._store = ContentStore(folder)
        self._stale: set[str] = set()

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> "Content":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_file(self, path: Path, label: str) -> Source:
        """Adds a file, which is followed. Raises RequestError for one that cannot be read."""
        path = path.absolute()
        return self.add(_read_file(path), label, str(path), path.name, path=path)

    def add_stream(self, stream: BinaryIO, label: str) -> Source:
        """Adds what a stream holds."""
        data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise RequestError(f"{STANDARD_INPUT}: more than {MOST_BYTES:,} bytes, the most that can be added; divide it")
        return self.add(data, label, STANDARD_INPUT)

    def add_page(self, url: str, label: str, allow_private: bool = False) -> Source:
        """Adds a page of the web. Raises RequestError for an address that is refused, StorageError for a server that does not
        answer as it should."""
        from symindex.explore.fetch.http_reader import origin_of, read_url  # here, because few sources are pages

        data = read_url(url, MOST_OF_PAGE, origin_of(url) if allow_private else None)
        return self.add(data, label, url, urlsplit(url).path)

    def add(
        self, data: bytes, label: str, origin: str, name: str = "", content_type: str = "", path: Path | None = None
    ) -> Source:
        """Adds a source, or replaces the one of its label.

        name: of the file, whose ending tells the format. content_type: of an HTTP answer. path: of a file that is followed.
        Raises RequestError for what is no text, or too large.
        """
        label = _checked_label(label)
        read = to_text(data, name or origin, content_type)
        status = path.stat() if path is not None else None
        source = Source(
            label=label,
            origin=origin,
            path=str(path) if path is not None else "",
            digest=blake2b(data, digest_size=16).hexdigest(),
            size=len(data),
            mtime_ns=status.st_mtime_ns if status is not None else 0,
            added_ms=now_ms(),
        )
        return self._store.replace(source, _stored_chunks(read, label))

    def sources(self) -> list[Source]:
        """All, by label."""
        return self._store.sources()

    def forget(self, label: str) -> bool:
        """Deletes a source; whether there was one."""
        return self._store.exists() and self._store.forget(label)

    def refresh(self, sources: Sequence[Source]) -> list[str]:
        """Reads files that have changed again; returns notices."""
        notices, n_bytes, n_read = [], 0, 0
        self._stale = set()
        for source in sources:
            if not source.path:
                continue
            path = Path(source.path)
            try:
                status = path.stat()
            except OSError:
                self._store.forget(source.label)
                notices.append(f"{source.label}: its file is gone, and its content with it ({source.path})")
                continue
            if (status.st_mtime_ns, status.st_size) == (source.mtime_ns, source.size):
                continue
            if n_read >= MOST_REFRESHED or n_bytes + status.st_size > MOST_REFRESHED_BYTES:
                self._stale.add(source.label)
                continue
            n_read, n_bytes = n_read + 1, n_bytes + status.st_size
            try:
                data = read_regular(path, MOST_BYTES, follow=True)
                if blake2b(data, digest_size=16).hexdigest() == source.digest:
                    self._store.note_unchanged(source, status.st_mtime_ns, status.st_size)
                else:
                    self.add(data, source.label, source.origin, path.name, path=path)
            except (OSError, SymindexError) as error:
                self._stale.add(source.label)
                notices.append(f"{source.label}: its file has changed and cannot be read ({error})")
        if self._stale:
            told = ", ".join(sorted(self._stale)[:3])
            notices.append(f"{len(self._stale)} sources are stale, as their files have changed: {told}; add them again")
        return notices

    def search(self, request: TextRequest | None = None, **given: Any) -> TextResponse:
        """Answers each question. request: or its fields as arguments. Raises RequestError for one that cannot be answered."""
        request = request if request is not None else TextRequest(**given)
        check_text_request(request)
        notices = self.refresh(self._store.sources())
        sources = self._store.sources()
        segments = self._segments(sources)
        answer = _Answer(self._store, request, sources, segments, self._stale)
        sections = [answer.section(query) for query in request.queries]
        if not sources:
            notices.append("nothing was added yet: `symindex add FILE --source LABEL` adds a text")
        response = TextResponse(
            request=request,
            sections=sections,
            total=sum(section.total for section in sections),
            document_count=sum(len(section.items) for section in sections),
            usage_hint="" if request.include_content else USAGE_HINT,
        )
        if notices:
            response.notices = notices
        return response

    def _segments(self, sources: Sequence[Source]) -> list[ChunkIndex]:
        newest = max((source.last for source in sources), default=0)
        if not newest:
            return []
        store = self._store

        def n_newer(number: int) -> int:
            return sum(max(0, source.last - max(source.first, number + 1) + 1) for source in sources)

        kept = KeptChunks(store.folder, store.identity(), lambda number: (Chunk(*row) for row in store.after(number)))
        return kept.segments(newest, n_newer)


def _read_file(path: Path) -> bytes:
    """The bytes of a file that is added. Raises RequestError in a line."""
    try:
        return read_regular(path, MOST_BYTES, follow=True)
    except OSError as error:
        try:
            size = path.stat().st_size
        except OSError:
            size = 0
        if size > MOST_BYTES:
            raise RequestError(f"{path}: {size:,} bytes: at most {MOST_BYTES:,} can be added; divide it") from None
        raise RequestError(f"{path}: cannot be read: {error.strerror or error}") from None


def _checked_label(label: str) -> str:
    if not label.strip() or len(label) > LONGEST_LABEL or not label.isprintable():
        raise RequestError(f"source {shorten(label, 40)!r}: give a label of 1 to {LONGEST_LABEL} printable characters")
    return label.strip()


def _stored_chunks(read: ReadContent, label: str) -> list[StoredChunk]:
    title = read.title or label
    return [
        StoredChunk(each.title or title, read.text[each.start : each.end].decode("utf-8", "replace"), each.line + 1, each.is_code)
        for each in chunks_of(read.text, read.format_id)
    ]


class _Answer:
    """What the questions of one request have in common."""

    def __init__(
        self, store: ContentStore, request: TextRequest, sources: Sequence[Source], indexes: Sequence[ChunkIndex], stale: set[str]
    ) -> None:
        self._store, self._request, self._stale = store, request, stale
        self._sources = sorted(sources, key=lambda source: source.first)
        self._all = [Segment(index, within(index, _ranges(self._sources))) for index in indexes]
        wanted = [each for each in self._sources if request.source.casefold() in each.label.casefold()]
        is_filtered = bool(request.source) or request.content_type is not None
        self._segments, self._is_filtered = self._all, is_filtered
        if is_filtered:
            self._segments = [Segment(each.chunks, self._filtered(each.chunks, wanted)) for each in self._all]

    def _filtered(self, index: ChunkIndex, wanted: Sequence[Source]) -> Mask:
        mask = within(index, _ranges(wanted))
        if self._request.content_type is not None:
            import numpy as np  # loaded already

            is_code = np.zeros(len(index), dtype=bool)
            is_code[index.places_of(np.array(self._store.code_chunks(), dtype=np.int64))] = True
            mask &= is_code if self._request.content_type == "code" else ~is_code
        return mask

    def section(self, query: str) -> TextSection:
        """The answer to one question; what is wrong with it is said in its place."""
        question = read_question(query)
        if not question.words:
            empty = "empty" if not query.strip() else "without words"
            error = f"the query is {empty}: give 2 to 4 words of what is looked for"
            return TextSection(query=query, items=[], total=0, has_more=False, error=error)
        found = match(self._segments, question)
        first, most = self._request.offset, self._request.most
        ranking = rank(found, question, self._text_of, first + most)
        items = [self._hit(*each, question, found) for each in ranking.best[first:]]
        section = TextSection(query=query, items=items, total=ranking.total, has_more=ranking.total > first + len(items))
        if notices := self._notices(question, found, ranking.total):
            section.notices = notices
        return section

    def _text_of(self, segment: int, place: int) -> ChunkText:
        number = int(self._all[segment].chunks.ids[place])
        found = self._store.chunks([number]).get(number)
        return ChunkText(found.title, found.text) if found is not None else ChunkText("", "")

    def _hit(self, segment: int, place: int, score: float, question: Question, found: Matches) -> TextHit:
        number = int(self._all[segment].chunks.ids[place])
        chunk = self._store.chunks([number]).get(number) or StoredChunk("", "", 1, False)
        source = next(each for each in self._sources if each.first <= number <= each.last)
        whole = self._request.include_content
        content = chunk.text if whole else cut_windows(chunk.text.strip(), _matcher(question, found), self._request.room)
        return TextHit(
            id=f"chunk:{number}",
            title=chunk.title,
            source=source.label,
            line=chunk.line,
            content=content,
            score=round(score, 4),
            content_type="code" if chunk.is_code else "prose",
            added=datetime.fromtimestamp(source.added_ms / 1_000, UTC).isoformat(timespec="seconds"),
            stale=source.label in self._stale,
        )

    def _notices(self, question: Question, found: Matches, total: int) -> list[str]:
        notices = [f'nothing holds "{shorten(word, 40)}": "{other}" was searched for' for word, other in found.instead.items()]
        notices += [f'nothing holds "{shorten(word, 40)}"' for word in found.missing]
        if question.is_cut:
            notices.append("the query is too long: only its beginning was searched for")
        if not total and self._is_filtered:
            hidden = rank(match(self._all, question), question, lambda *_: ChunkText("", ""), 0).total
            if hidden:
                notices.append(f"the filters hide all of {hidden} matches: leave out source or content_type")
        return notices


def _ranges(sources: Sequence[Source]) -> list[tuple[int, int]]:
    return [(source.first, source.last) for source in sources]


def _matcher(question: Question, found: Matches) -> Callable[[str], str]:
    """Which word of a question a word of a text is, for its marks."""
    roots = {stem(word): word for word in deciding((*question.words, *found.instead.values()))}
    return partial(_meant, roots, {})


def _meant(roots: dict[str, str], known: dict[str, str], token: str) -> str:
    if token not in known:
        words = words_of(token)
        known[token] = next((roots[root] for word in words if (root := stem(word)) in roots), "") or next(
            (meant for root, meant in roots.items() if len(root) > 2 and any(root in word for word in words)), ""
        )
    return known[token]


def content_folder(root: Path) -> Path:
    """The folder of a project's content, in the user's data folder, or where SYMINDEX_DATA_DIR says."""
    name = index_folder(root, os.sep).name
    if variable := os.environ.get(DATA_DIR_VARIABLE, ""):
        if not os.path.isabs(variable):
            raise RequestError(f"{DATA_DIR_VARIABLE} is {variable!r}: it must be a whole path")
        return Path(variable) / "content" / name
    from platformdirs import user_data_path  # here, because few requests need it

    return user_data_path("symindex") / "content" / name
