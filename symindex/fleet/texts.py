"""The files of all repositories by their shown paths, read from source packs when they are asked
for."""

from collections.abc import Iterator, Mapping

from symindex.errors import IndexFileError, StorageError
from symindex.fleet.cache import LocalCache


class UnreadableTextError(OSError):
    """A file whose source pack cannot be read. strerror: why."""


class PackedTexts(Mapping[str, bytes]):
    """Reads files from source packs. objects: name of a repository -> name of its object."""

    def __init__(self, cache: LocalCache, objects: Mapping[str, str]) -> None:
        self._cache, self._objects = cache, objects

    def repository_of(self, path: str) -> str:
        """Returns the repository whose name begins a path; empty if there is none."""
        end = path.find("/")
        while end >= 0:
            if path[:end] in self._objects:
                return path[:end]
            end = path.find("/", end + 1)
        return ""

    def __getitem__(self, path: str) -> bytes:
        """Returns a file. Raises KeyError for a path that is in no pack, and UnreadableTextError if
        the store refuses or something is damaged."""
        name = self.repository_of(path)
        if not name:
            raise KeyError(path)
        try:
            files = self._cache.files(self._objects[name])
            place = files.table.find(path[len(name) + 1 :])
            if place is None:
                raise KeyError(path)
            frame, start, end = place
            content = self._cache.frame(files, frame)
        except (StorageError, IndexFileError) as error:
            raise UnreadableTextError(5, str(error)) from None
        if end > len(content):
            raise UnreadableTextError(5, "its source pack is damaged")
        return content[start:end]

    def __bool__(self) -> bool:
        """Whether there are repositories. A mapping would read the tables of all packs."""
        return bool(self._objects)

    def __iter__(self) -> Iterator[str]:
        for name, object_ in self._objects.items():
            for path in self._cache.files(object_).table.paths:
                yield f"{name}/{path}"

    def __len__(self) -> int:
        return sum(1 for _ in self)
