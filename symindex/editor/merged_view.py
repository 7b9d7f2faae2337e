"""Joins the indexes of several folders into one view, with unsaved documents over them.

The unsaved documents of a folder form one more overlay over its index. A folder inside of another
one is left out of the outer one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from symindex.errors import shown
from symindex.extract.records import FileSymbols
from symindex.files.spot_check import is_selected
from symindex.index.build import build_index
from symindex.index.overlay import Layers
from symindex.index.snapshot import Part, Snapshot
from symindex.workers.document_messages import ParsedDocument
from symindex.workspace.answer_source import View
from symindex.workspace.watched_tree import WatchedTree


class Folder(NamedTuple):
    """A folder of a client. path: as the client names it. root: the path without links. name:
    unique among the folders."""

    path: Path
    root: Path
    name: str
    tree: WatchedTree


def prefixed(folders: Sequence[Folder]) -> list[tuple[str, Folder]]:
    """Returns the folders, each with the prefix of its paths in answers: its name, if there are
    several folders."""
    return [(f"{folder.name}/" if len(folders) > 1 else "", folder) for folder in folders]


MOST_FOLDERS_NAMED: Final = 3
"""Number of folders that a notice names if it is about more of them."""


def grouped(folders: Iterable[Folder], reason: Callable[[Folder], str]) -> list[str]:
    """Returns notices about folders. Folders with the same reason share a notice; a folder with an
    empty reason has none."""
    by_reason: dict[str, list[str]] = {}
    for folder in folders:
        if why := reason(folder):
            by_reason.setdefault(why, []).append(shown(folder.path))
    notices = []
    for why, paths in by_reason.items():
        if len(paths) > MOST_FOLDERS_NAMED + 1:
            notices.append(
                f"{', '.join(paths[:MOST_FOLDERS_NAMED])} and"
                f" {len(paths) - MOST_FOLDERS_NAMED} other folders: {why}"
            )
        else:
            notices += [f"{path}: {why}" for path in paths]
    return notices


class OpenDocument(NamedTuple):
    """An open document. place: the folder and the path in it; `None` outside of all folders."""

    path: Path | None
    place: tuple[Folder, str] | None


class FolderSnapshot(NamedTuple):
    """A folder of a view. snapshot: of its index and its unsaved documents; `None` if it has
    neither."""

    prefix: str
    folder: Folder
    snapshot: Snapshot | None


@dataclass(frozen=True)
class FoldersView(View):
    """A view of several folders.

    missing: the folders without an index. folders: by the prefix of their paths. unsaved: the
    unsaved documents with their keys, by the name of the folder and the path in it. sources: the
    parts of the snapshot, in the order of the folders.
    """

    missing: Sequence[Folder] = ()
    folders: Mapping[str, Folder] = field(default_factory=dict)
    unsaved: Mapping[tuple[str, str], tuple[str, ParsedDocument]] = field(default_factory=dict)
    sources: Sequence[FolderSnapshot] = ()


def make_view(
    folders: tuple[Folder, ...],
    opened: dict[str, OpenDocument],
    parsed: dict[str, ParsedDocument],
    layers: list[Layers | None],
) -> FoldersView:
    """Returns the current view. opened: the open documents. parsed: the symbols of those that were
    parsed. layers: the index of each folder."""
    sources: list[FolderSnapshot] = []
    unsaved: dict[tuple[str, str], tuple[str, ParsedDocument]] = {}
    inner = _inner_folders(folders)
    for (prefix, folder), indexed in zip(prefixed(folders), layers, strict=True):
        edited = {
            document.place[1]: (key, parsed[key])
            for key, document in opened.items()
            if document.place is not None
            and document.place[0] is folder
            and key in parsed
            and _is_unsaved(folder, indexed, document.place[1], parsed[key])
        }
        unsaved.update({(folder.name, path): pair for path, pair in edited.items()})
        files = [edited[path][1].file for path in sorted(edited)]
        sources.append(
            FolderSnapshot(
                prefix, folder, _without(_with_overlay(indexed, files), inner[folder.root])
            )
        )
    missing = [folder for folder, index in zip(folders, layers, strict=True) if index is None]
    return _joined(
        FoldersView(
            Snapshot([], 0),
            missing=missing,
            folders=dict(prefixed(folders)),
            unsaved=unsaved,
            sources=sources,
        )
    )


def with_files(view: FoldersView, files_by_folder: Mapping[str, list[FileSymbols]]) -> FoldersView:
    """Returns a view with more files of folders that have no index. files_by_folder: by the
    folder's name. Open documents are left out, because the view contains them already."""
    sources: list[FolderSnapshot] = []
    for source in view.sources:
        name = source.folder.name
        files = [
            file for file in files_by_folder.get(name, ()) if (name, file.path) not in view.unsaved
        ]
        sources.append(source)
        if name in files_by_folder:
            sources.append(source._replace(snapshot=Snapshot.of(build_index(files))))
    return _joined(replace(view, sources=sources, is_last=False))


def _joined(view: FoldersView) -> FoldersView:
    """Returns a view with the snapshot of all its sources. Each source is a tree of its own in the
    snapshot, so that hits are ordered by folder."""
    parts = [
        (source.snapshot, source.prefix) for source in view.sources if source.snapshot is not None
    ]
    return replace(
        view,
        snapshot=Snapshot.joined(
            [snapshot for snapshot, _ in parts], [prefix for _, prefix in parts]
        ),
    )


def _is_unsaved(folder: Folder, layers: Layers | None, path: str, document: ParsedDocument) -> bool:
    """Whether a document differs from its file in the index, or has no file there but would be
    indexed."""
    stored = stored_digest(layers, path)
    if stored is not None:
        return stored != document.file.digest
    indexed = folder.tree.indexed
    return indexed is not None and is_selected(path, indexed.walk, indexed.wanted)


def stored_digest(layers: Layers | None, path: str) -> bytes | None:
    """Returns the digest of a file in the index; `None` if the file is not indexed."""
    place = layers.snapshot.find(path) if layers is not None else None
    return place[0].index.file(place[1]).digest if place is not None else None


def _with_overlay(layers: Layers | None, files: list[FileSymbols]) -> Snapshot | None:
    if layers is None:
        return Snapshot.of(build_index(files)) if files else None
    return layers.with_overlay(layers.update(files)).snapshot if files else layers.snapshot


def _inner_folders(folders: tuple[Folder, ...]) -> dict[Path, tuple[str, ...]]:
    """Returns, for each root, the paths in it of other folders. Takes linear time, because there
    may be hundreds of folders."""
    inner: dict[Path, dict[str, None]] = {folder.root: {} for folder in folders}
    for root in inner:
        for outer in root.parents:
            if outer in inner:
                inner[outer][root.relative_to(outer).as_posix() + "/"] = None
    return {root: tuple(paths) for root, paths in inner.items()}


def _without(snapshot: Snapshot | None, inner: tuple[str, ...]) -> Snapshot | None:
    """Returns a snapshot without the files of inner folders."""
    if snapshot is None or not inner:
        return snapshot
    parts = []
    for part in snapshot.parts:
        outside = np.array(
            [not path.startswith(inner) for path in part.index.paths.all], dtype=bool
        )
        live = outside if part.live is None else outside & part.live
        parts.append(Part(part.index, part.base, live, lambda part=part: part.file_order))  # type: ignore[misc]
        parts[-1].tree = part.tree
    return Snapshot(parts, snapshot.generation)
