"""The memories that coding agents write in the user's folder: Markdown files that are searched with
the notes.

They are read only if the user's configuration allows it (`agent_memory`), only at the places that
the agents document, and through no link. Each answer reads them anew: they are few and short.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from symindex.configuration import read_configuration
from symindex.extract.documents.chunks import chunks_of
from symindex.files.access.beneath import Beneath
from symindex.index.columns.arrays import I64, Mask
from symindex.protocol.recall import TextRequest
from symindex.recall.chunk_index.build_chunks import Chunk, build_chunks
from symindex.recall.chunk_index.chunk_columns import open_chunks
from symindex.recall.chunk_index.chunk_index import ChunkIndex
from symindex.recall.chunks.collection import Shown
from symindex.text.since import read_since

PLACES: Final = (
    (".claude/", "CLAUDE.md"),
    (".claude/projects/{project}/memory/", "*.md"),
    (".codex/", "AGENTS.md"),
    (".codex/memories/", "*.md"),
    (".gemini/", "GEMINI.md"),
)
"""Folders below the home folder, and names of files there. project: the root's path, with `-` for
each character that is not an ASCII letter or digit."""

MOST_BYTES: Final = 200_000
MOST_FILES: Final = 100
"""Largest file that is read, in bytes, and most files of a place."""

TYPE: Final = "memory"


class _Piece(NamedTuple):
    path: str
    title: str
    text: str
    line: int
    is_code: bool
    time_ms: int


class AgentMemory:
    """The memories about a project and those about all projects, as a collection that is searched.

    Args:
        root: of the project.
        home: the user's folder.
    """

    origin = "note"

    def __init__(self, root: Path, request: TextRequest, home: Path | None = None) -> None:
        self._request = request
        self.notices: list[str] = []
        is_allowed = read_configuration().agent_memory
        self._pieces = (
            [*_read(home or Path(os.path.expanduser("~")), root, self.notices)]
            if is_allowed
            else []
        )
        self.is_empty: bool = not self._pieces

    def indexes(self) -> list[ChunkIndex]:
        """Returns the word columns of all pieces; the number of a piece is its place in the list,
        from 1."""
        pieces = (
            Chunk(number, piece.title, piece.text) for number, piece in enumerate(self._pieces, 1)
        )
        return [open_chunks(build_chunks(pieces))] if self._pieces else []

    def live(self, index: ChunkIndex) -> Mask:
        return np.ones(len(index), dtype=bool)

    def selected(self, index: ChunkIndex) -> Mask:
        return np.array([self._passes(piece) for piece in self._pieces], dtype=bool)

    def hidden(self, index: ChunkIndex) -> Mask:
        """See `Collection`. No piece has a session."""
        return np.zeros(len(index), dtype=bool)

    def groups(self, index: ChunkIndex) -> I64:
        return index.ids

    def order(self, index: ChunkIndex, places: I64) -> I64:
        """See `Collection`: the newest first, then by path and line."""
        times = np.array([-piece.time_ms for piece in self._pieces], dtype=np.int64)
        ranks = np.empty(len(times), dtype=np.int64)
        ranks[np.argsort(times, kind="stable")] = np.arange(len(times))
        return ranks[index.ids[places] - 1]

    def digests(self, index: ChunkIndex, places: I64) -> list[str]:
        """See `Collection`."""
        return [""] * len(places)

    def documents(self, index: ChunkIndex) -> Mask:
        return np.zeros(len(index), dtype=bool)

    def types(self) -> set[str]:
        return {TYPE} if self._pieces else set()

    def _passes(self, piece: _Piece) -> bool:
        request = self._request
        if any(
            (
                request.language,
                request.category,
                request.status,
                request.project,
                request.assignee,
                request.source_id,
            )
        ):
            return False
        sources = [text.casefold() for text in (request.source, request.source_name) if text]
        if any(text not in piece.path.casefold() for text in sources):
            return False
        if request.types and not {TYPE, "note", "episode"} & {
            type_name.casefold() for type_name in request.types
        }:
            return False
        if request.content_type is not None and piece.is_code != (request.content_type == "code"):
            return False
        return not request.since or piece.time_ms >= read_since(request.since)

    def listed(self) -> list[int]:
        chosen = [number for number, piece in enumerate(self._pieces, 1) if self._passes(piece)]
        return sorted(chosen, key=lambda number: -self._pieces[number - 1].time_ms)

    def shown(self, number: int) -> Shown:
        piece = self._pieces[number - 1]
        piece_id = f"{TYPE}:{piece.path}:{piece.line}"
        return Shown(
            piece_id,
            piece.title,
            piece.text,
            piece.path,
            piece.line,
            piece.is_code,
            piece.time_ms,
            type=TYPE,
        )

    def find(self, piece_id: str) -> Shown | None:
        """Returns the piece with an id; `None` if there is none."""
        every = (self.shown(number) for number in range(1, len(self._pieces) + 1))
        return next((piece for piece in every if piece.id == piece_id), None)


def _read(home: Path, root: Path, notices: list[str]) -> Iterator[_Piece]:
    project = re.sub(r"[^0-9A-Za-z]", "-", str(root))
    with Beneath(home) as tree:
        for place, name in PLACES:
            folder = place.format(project=project)
            for path in _files(tree, folder, name, notices):
                try:
                    data, time_ms = (
                        tree.read(path, MOST_BYTES),
                        tree.lstat(path).st_mtime_ns // 1_000_000,
                    )
                except FileNotFoundError:
                    continue
                except OSError as error:
                    notices.append(f"~/{path} is not searched: {error.strerror or error}")
                    continue
                text = data.decode("utf-8", "replace").encode()
                for chunk in chunks_of(text, "markdown"):
                    piece = text[chunk.start : chunk.end].decode("utf-8", "replace")
                    yield _Piece(
                        f"~/{path}",
                        chunk.title or path,
                        piece,
                        chunk.line + 1,
                        chunk.is_code,
                        time_ms,
                    )


def _files(tree: Beneath, folder: str, name: str, notices: list[str]) -> list[str]:
    if not name.startswith("*"):
        return [folder + name]
    try:
        with os.scandir(tree.folder(folder)) as entries:
            names = sorted(entry.name for entry in entries if entry.name.endswith(name[1:]))
    except OSError:
        return []
    if len(names) > MOST_FILES:
        notices.append(
            f"~/{folder}: only the first {MOST_FILES:,} of {len(names):,} files are searched"
        )
    return [folder + file_name for file_name in names[:MOST_FILES]]
