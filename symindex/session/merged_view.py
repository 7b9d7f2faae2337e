"""The indexes of several folders as one, with what is unsaved over them.

What is unsaved lies over the index of its folder as one more overlay; a folder that lies in another one is left out of that.
"""

import functools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from symindex.errors import shown
from symindex.extract.records import FileSymbols
from symindex.index.arrays import I64
from symindex.index.build import build_index
from symindex.index.overlay import Layers, Update
from symindex.index.snapshot import Part, Snapshot
from symindex.session.roots import View
from symindex.session.watched_tree import WatchedTree
from symindex.workers.document_messages import Seen


class Folder(NamedTuple):
    """A folder of a client. path: as the client names it; root: where that really is. name: unlike those of the others."""

    path: Path
    root: Path
    name: str
    tree: WatchedTree

    @property
    def has_index(self) -> bool:
        """Whether there is an index to answer from."""
        return self.tree.layers is not None

    @property
    def is_being_built(self) -> bool:
        """Whether it has no index yet, but will."""
        return not self.has_index and self.tree.is_being_built

    @property
    def will_be_there(self) -> bool:
        """Whether it is opened, or has no index yet, but will."""
        return self.tree.state == "opening" or self.is_being_built

    @property
    def is_behind(self) -> bool:
        """Whether it has an index, of which it is not known yet whether it shows the tree as it is."""
        return self.has_index and self.tree.is_catching_up

    @property
    def may_be_behind(self) -> bool:
        """The same, also before its index is opened."""
        return self.tree.state == "opening" or self.is_behind

    @property
    def why_a_part(self) -> str:
        """What must be said of an answer; empty where the index shows the tree as it is."""
        state = self.tree.state
        if self.will_be_there:
            why = "the index is still being built; this is a part"
        elif not self.has_index:
            why = f"there is no index (indexing: {state}); a search finds what stands in the files as it is typed"
        elif self.is_behind:
            why = "what has changed since the index was made is still being read; this may be a part"
        elif state in ("cancelled", "failed"):
            why = f"the index could not be brought up to date (indexing: {state}); what has changed since may be missing"
        else:
            return ""
        return f"{shown(self.path)}: {why}"


class OpenDocument(NamedTuple):
    """An open document. place: the folder and the path in it, `None` outside of all."""

    path: Path | None
    place: tuple[Folder, str] | None


@dataclass(frozen=True)
class FoldersView(View):
    """What is known of several folders. lacking: those without an index. folders: by part of the snapshot (`id`). seen: the open
    documents that lie over them, by folder and path."""

    folders: Mapping[int, Folder] = field(default_factory=dict)
    seen: Mapping[tuple[str, str], tuple[str, Seen]] = field(default_factory=dict)
    lacking: Sequence[Folder] = ()


def make_view(
    folders: tuple[Folder, ...],
    opened: dict[str, OpenDocument],
    seen: dict[str, Seen],
    layers: list[Layers | None],
) -> FoldersView:
    """What there is now. opened, seen: the open documents, and those of them that were read; layers: by folder."""
    snapshots: list[Snapshot] = []
    prefixes: list[str] = []
    owners: list[Folder] = []
    over: dict[tuple[str, str], tuple[str, Seen]] = {}
    for folder, known in zip(folders, layers, strict=True):
        unsaved = {
            document.place[1]: (key, seen[key])
            for key, document in opened.items()
            if document.place is not None and document.place[0] is folder and key in seen
        }
        unsaved = {path: pair for path, pair in unsaved.items() if _is_unsaved(folder, known, path, pair[1])}
        over.update({(folder.name, path): pair for path, pair in unsaved.items()})
        files = [pair[1].file for _, pair in sorted(unsaved.items())]
        snapshot = _with_files(known, files)
        if snapshot is not None:
            snapshots.append(_without(snapshot, _inner_folders(folder, folders)))
            prefixes.append(f"{folder.name}/" if len(folders) > 1 else "")
            owners.extend([folder] * len(snapshot.parts))
    joined = Snapshot.joined(snapshots, prefixes)
    by_part = {id(part): owner for part, owner in zip(joined.parts, owners, strict=True)}
    missing = [folder for folder, known in zip(folders, layers, strict=True) if known is None]
    return FoldersView(joined, missing, folders=by_part, seen=over, lacking=missing)


def with_files(view: FoldersView, found: Sequence[tuple[Folder, list[FileSymbols]]], is_prefixed: bool) -> FoldersView:
    """A view with files of folders that have no index; what is open there is in it already."""
    snapshots, prefixes = [view.snapshot], [""]
    owners = [view.folders[id(part)] for part in view.snapshot.parts]
    for folder, files in found:
        snapshots.append(Snapshot.of(build_index([file for file in files if (folder.name, file.path) not in view.seen])))
        prefixes.append(f"{folder.name}/" if is_prefixed else "")
        owners.append(folder)
    joined = Snapshot.joined(snapshots, prefixes)
    by_part = {id(part): owner for part, owner in zip(joined.parts, owners, strict=True)}
    return replace(view, snapshot=joined, folders=by_part, is_last=False)


def _is_unsaved(folder: Folder, layers: Layers | None, path: str, seen: Seen) -> bool:
    """Whether a document is not as the index has its file, and one that the index would take."""
    if layers is not None:
        known = layers.find(path)
        if known is not None:
            return known[0].index.file(known[1]).digest != seen.file.digest
    workspace = folder.tree.indexed
    return workspace is not None and workspace.wants(path)


def _with_files(layers: Layers | None, files: list[FileSymbols]) -> Snapshot | None:
    if layers is None:
        return Snapshot.of(build_index(files)) if files else None
    return layers.with_overlay(layers.update(Update(files, {}, []))).snapshot if files else layers.snapshot


def _inner_folders(folder: Folder, folders: tuple[Folder, ...]) -> list[str]:
    """The paths, in a folder, of others that lie in it: what is there is theirs."""
    inner = []
    for other in folders:
        if other is not folder and other.root != folder.root:
            with suppress(ValueError):
                inner.append(other.root.relative_to(folder.root).as_posix() + "/")
    return inner


def _without(snapshot: Snapshot, inner: list[str]) -> Snapshot:
    """A snapshot without what lies in some of its folders."""
    if not inner:
        return snapshot
    parts = []
    for part in snapshot.parts:
        outside = np.array([not path.startswith(tuple(inner)) for path in part.index.paths.all], dtype=bool)
        live = outside if part.live is None else outside & part.live
        parts.append(Part(part.index, part.base, live, functools.partial(_order_of, part)))
    return Snapshot(parts, snapshot.generation)


def _order_of(part: Part) -> I64:
    return part.file_order
