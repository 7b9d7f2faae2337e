"""Notes as one object: add, list, show, delete, export, import; and as the collection that
`recall/recall` searches."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any, BinaryIO, Final

import msgspec
import numpy as np

from symindex.files.locations import data_folder, find_root
from symindex.index.columns.arrays import I64, Mask
from symindex.protocol.recall import TextRequest
from symindex.recall.chunk_index.build_chunks import Chunk
from symindex.recall.chunk_index.chunk_index import ChunkIndex
from symindex.recall.chunk_index.kept_chunks import KeptChunks
from symindex.recall.chunks.collection import Shown
from symindex.recall.notes.note import Note, check_category, check_note
from symindex.recall.notes.note_store import NoteFilter, NoteStore, read_lines
from symindex.text.since import read_since

EARLIER: Final = 50
"""Most errors of a session, the last ones, that a call may repair."""

WORDS_OF_NOTES: Final = b"category, text"
"""Version of the words of notes in the columns: other columns are rebuilt."""

_AGENT_FIELDS: Final = frozenset(["category", "session", "author", "links"])
"""Fields besides the text that an agent may write. `source` is set here, and the project is an
existing folder."""


def notes_folder() -> Path:
    """Returns the folder for all notes of the user."""
    return data_folder() / "notes"


class Notes:
    """The notes of the user, seen from one project.

    Args:
        root: of the project; new notes belong to it.
    """

    def __init__(self, root: Path, folder: Path | None = None) -> None:
        self._store = NoteStore(folder or notes_folder())
        self._project = os.fsencode(root).decode("utf-8", "backslashreplace")
        self._notices: list[str] = []

    def close(self) -> None:
        self._store.database.close()

    def __enter__(self) -> "Notes":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def take_notices(self) -> list[str]:
        """Returns warnings since the last call."""
        notices, self._notices = self._notices, []
        return notices + self._store.take_notices()

    def add(
        self,
        text: str,
        *,
        category: str = "learned",
        session: str = "",
        source: str = "",
        author: str = "",
        links: Sequence[str] = (),
    ) -> Note:
        """Stores a note unchanged; it is on disk when this returns. Raises RequestError for one
        that is not valid."""
        note = Note(
            text=text,
            category=category,
            project=self._project,
            session=session,
            source=source,
            author=author,
            links=[*links],
        )
        return self._store.add(note)

    def add_as_is(self, text: str, **fields: Any) -> Note:
        """Stores a person's note as `add` does; a notice warns if it seems to contain a key or
        password."""
        from symindex.recall.notes.scrubbing import listed, scrub

        kept = self.add(text, **fields)
        if kinds := scrub(text)[1]:
            self._notices.append(
                f"the note seems to contain keys or passwords ({listed(kinds)}), and is stored"
                f" unchanged: `symindex note delete {kept.id}` deletes it"
            )
        return kept

    def add_scrubbed(self, text: str, **fields: Any) -> Note:
        """Stores an agent's note as `add` does, without what looks like a key or password in any of
        its fields; the notices tell what was cut."""
        from symindex.recall.notes.scrubbing import (
            scrub,
            told,
        )  # few notes come from agents

        check_note(
            Note(text=text, **fields)
        )  # a text that is too long may be short without its secrets
        scrubbed, kinds = scrub(text)
        for name in fields.keys() & _AGENT_FIELDS:
            values = fields[name] if isinstance(fields[name], list) else [fields[name]]
            results = [scrub(value) for value in values]
            fields[name] = (
                [result for result, _ in results]
                if isinstance(fields[name], list)
                else results[0][0]
            )
            kinds += sum((more for _, more in results), Counter())
        if kinds:
            self._notices.append(told(kinds))
        return self.add(scrubbed, **fields)

    def record(self, data: bytes, agent: str = "") -> Note | None:
        """Stores the note of an event of a coding agent's hook; returns `None` if it has nothing to
        note. Raises RequestError for data that is not an event. The project is that of the folder
        in the event, if it exists."""
        from symindex.recall.notes.hook_events import (
            read_event,
            resolve,
        )  # few notes come from hooks

        if (recorded := read_event(data, agent)) is None:
            return None
        note = recorded.note
        project = (
            str(find_root(Path(recorded.folder)))
            if os.path.isdir(recorded.folder)
            else self._project
        )
        if recorded.is_result:
            self._store.hurry()

            def earlier(category: str) -> list[Note]:
                return self._store.newest_first(
                    NoteFilter(categories=[category], session=note.session), EARLIER
                )[0]

            if (resolved := resolve(recorded, earlier)) is None:
                return None
            note = resolved
        if recorded.cut:
            self._notices.append(recorded.cut)
        return self._store.add_soon(msgspec.structs.replace(note, project=project))

    def _filter(
        self, categories: Sequence[str], session: str, source: str, since: str, all_projects: bool
    ) -> NoteFilter:
        return NoteFilter(
            project=None if all_projects else self._project,
            categories=[check_category(category) for category in categories],
            session=session,
            source=source,
            since_ms=read_since(since) if since else 0,
        )

    def newest_first(
        self,
        *,
        categories: Sequence[str] = (),
        session: str = "",
        source: str = "",
        since: str = "",
        limit: int = 20,
        offset: int = 0,
        all_projects: bool = False,
    ) -> tuple[list[Note], int]:
        """Returns the newest notes first, of equally old ones that with the largest number; and the
        number of all. since: as in `text/since`. Raises RequestError."""
        selection = self._filter(categories, session, source, since, all_projects)
        return self._store.newest_first(selection, limit, offset)

    def counts(self) -> dict[str, int]:
        """Counts the project's notes by category."""
        return self._store.count(NoteFilter(project=self._project))

    def show(self, number: int) -> Note | None:
        """Returns a note by its number."""
        return self._store.get(number)

    def delete(self, number: int) -> bool:
        """Deletes a note; returns whether it existed."""
        return self._store.delete(number)

    def export(self) -> Iterator[Note]:
        """Returns all notes of the user."""
        return self._store.export()

    def take_in(self, lines: BinaryIO | list[bytes]) -> int:
        """Stores exported notes that are new, all or none; returns how many. A RequestError names a
        line that is not a note."""
        return self._store.take_in(read_lines(lines))

    def collection(self, request: TextRequest) -> "NoteCollection":
        """Returns the collection for a search."""
        return NoteCollection(self._store, self._project, request)


class NoteCollection:
    """The notes of a project and those of none, as a collection that is searched."""

    origin = "note"

    def __init__(self, store: NoteStore, project: str, request: TextRequest) -> None:
        self._store, self._request = store, request
        self._since_ms = read_since(request.since) if request.since else 0
        self._project, self._live = project, NoteFilter(project=project)
        self._hidden: list[int] = []
        self._newest: dict[int, int] = {}
        self.is_empty: bool = not store.exists()

    @property
    def notices(self) -> list[str]:
        return self._store.take_notices()

    def indexes(self) -> list[ChunkIndex]:
        store = self._store
        if self.is_empty or not (newest := store.newest()):
            return []
        identity = store.identity() + WORDS_OF_NOTES
        kept = KeptChunks(
            store.database.folder,
            identity,
            lambda number: (Chunk(*row) for row in store.after(number)),
        )
        return kept.segments(newest, store.n_after)

    def live(self, index: ChunkIndex) -> Mask:
        return self._mask(index, self._live)

    def groups(self, index: ChunkIndex) -> I64:
        return index.ids

    def order(self, index: ChunkIndex, places: I64) -> I64:
        """See `Collection`: the newest first."""
        numbers = index.ids[places].tolist()
        last = len(self._newest)
        return np.array([self._newest.get(number, last) for number in numbers], dtype=np.int64)

    def digests(self, index: ChunkIndex, places: I64) -> list[str]:
        """See `Collection`."""
        return [""] * len(places)

    def documents(self, index: ChunkIndex) -> Mask:
        return np.zeros(len(index), dtype=bool)

    def types(self) -> set[str]:
        categories = [] if self.is_empty else self._store.count(self._live)
        return {"note", "episode", *categories}

    def selected(self, index: ChunkIndex) -> Mask:
        request = self._request
        mask = np.zeros(len(index), dtype=bool)
        if request.content_type != "code":
            mask[index.places_of(np.array(self._wanted(), dtype=np.int64))] = True
        return mask

    def _wanted(self) -> list[int]:
        """Returns the numbers of the notes that the filters select, newest first."""
        request, store = self._request, self._store
        if (
            request.language
            or request.status
            or request.assignee
            or request.source_id
            or self.is_empty
        ):
            return []
        categories = [check_category(category) for category in request.category]
        selection = NoteFilter(
            project=self._project, categories=categories, since_ms=self._since_ms
        )
        notes, _ = store.newest_first(selection, -1)
        self._newest = {note.id: place for place, note in enumerate(notes)}
        notes = [note for note in notes if _passes(note, request)]
        self._hidden = []
        if request.this_session and request.sort == "relevance":
            session = request.session or self._newest_session()
            self._hidden = [note.id for note in notes if note.session not in ("", session)]
            notes = [note for note in notes if note.session in ("", session)]
        return [note.id for note in notes]

    def _newest_session(self) -> str:
        """Returns the session of the newest note that has one."""
        notes, _ = self._store.newest_first(self._live, -1)
        return next((note.session for note in notes if note.session), "")

    def hidden(self, index: ChunkIndex) -> Mask:
        """See `Collection`."""
        mask = np.zeros(len(index), dtype=bool)
        mask[index.places_of(np.array(self._hidden, dtype=np.int64))] = True
        return mask

    def listed(self) -> list[int]:
        return self._wanted()

    def _mask(self, index: ChunkIndex, wanted: NoteFilter) -> Mask:
        mask = np.zeros(len(index), dtype=bool)
        mask[index.places_of(np.array(self._store.numbers(wanted), dtype=np.int64))] = True
        return mask

    def shown(self, number: int) -> Shown:
        note = self._store.get(number) or Note(text="")
        facts = {
            "category": note.category,
            "session": note.session,
            "source": note.source,
            "author": note.author,
            "links": note.links,
        }
        facts = {name: value for name, value in facts.items() if value}
        return Shown(
            f"note:{number}",
            note.title,
            note.text,
            note.category,
            1,
            False,
            note.time_ms,
            type="note",
            facts=facts,
        )


def _passes(note: Note, request: TextRequest) -> bool:
    sources = [text.casefold() for text in (request.source, request.source_name) if text]
    if any(text not in note.category and text not in note.source.casefold() for text in sources):
        return False
    if request.types and not {"note", "episode", note.category} & {
        type_name.casefold() for type_name in request.types
    }:
        return False
    return not request.project or request.project in (note.project, PurePath(note.project).name)


def when(note: Note) -> str:
    """Returns the time of a note, in ISO 8601."""
    return datetime.fromtimestamp(note.time_ms / 1_000, UTC).isoformat(timespec="seconds")
