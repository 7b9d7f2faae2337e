"""Lists a folder: the files and folders in it, with what the index knows of them."""

from collections.abc import Iterable

import numpy as np

from symindex.explore.missing import nothing_there
from symindex.index.snapshot import Part
from symindex.protocol.overview import FolderEntry, FolderRequest, FolderResponse
from symindex.resolve.tree import IndexedFile, Tree, shown_path


def list_folder(tree: Tree, request: FolderRequest) -> FolderResponse:
    """Answers a request. Raises RequestError for a path that is no folder with files."""
    path = shown_path(tree, request.path)
    before = f"{path}/" if path else ""
    entries: dict[str, FolderEntry] = {}
    for part in tree.snapshot.parts:
        _add_part(entries, part, before)
    for prefix, paths in tree.listed().items():
        _add_others(entries, (prefix + inside for inside in paths), before)
    if not entries and path and f"{path}/" not in tree.roots:
        raise nothing_there(tree, path)
    rows = sorted(entries.values(), key=lambda entry: (not entry.is_folder, entry.name.lower()))
    return FolderResponse(request=request, path=path, entries=rows)


def _add_others(entries: dict[str, FolderEntry], paths: Iterable[str], before: str) -> None:
    """Adds the files below a folder that the index leaves out, such as pictures."""
    for path in paths:
        if path.startswith(before):
            name, slash, _ = path[len(before) :].partition("/")
            entries.setdefault(name, FolderEntry(name=name, is_folder=bool(slash)))


def _add_part(entries: dict[str, FolderEntry], part: Part, before: str) -> None:
    """Adds what a part of the snapshot has below a folder. before: its path with a slash."""
    index, numbers = part.index, np.array(part.live_files(), dtype=np.int64)
    counts = index.file_first[1:] - index.file_first[:-1]
    for number, inside in zip(numbers.tolist(), index.paths.take(numbers), strict=True):
        path = part.prefix + inside
        if not path.startswith(before):
            continue
        name, slash, _ = path[len(before) :].partition("/")
        entry = entries.setdefault(name, FolderEntry(name=name, is_folder=bool(slash)))
        entry.symbols += int(counts[number])
        entry.files += 1
        if not slash:
            entry.language = IndexedFile.of(part, number).known_language
