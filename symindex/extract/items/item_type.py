"""A row of the table of item types: the files that it claims, their ids, and the sources of their
metadata."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

import msgspec

from symindex.files.ignore.globs import NEXT_PART, parse_glob

SOURCES: Final = frozenset(
    {"front_matter", "headings", "tag", "module", "comment", "decision", "keys"}
)
"""The sources of metadata; `keys` may name a table: `keys:project`."""

PARTS: Final = frozenset({"versions", "make", "just", "keys"})
"""The kinds of parts that a file may contain; `keys` names where: `keys:scripts.*`."""


class ItemType(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row.

    type: its name; several rows may share one. folders: globs from the root of a space; none:
    anywhere. A leading `**/` matches any folders. extensions: with their dots, including double
    ones (`.prompt.md`). names: whole file names. stems: the name up to the first dot, combined with
    one of the extensions; a final `*` matches anything. All three ignore case. id: how to make the
    id of a file. `below`: its path below the folder, without the extension, after the path above
    the folder. `inner`: the path below the folder alone. `path`: its whole path without the
    extension. `folder`: like `below`, for the folder that contains it. metadata: the sources of
    fields (SOURCES); the first one that has a field wins. parts: what the file lists (PARTS); the
    parts are then the items. without: globs for parts to leave out. whole: the type of an
    additional item for the whole file. fields: fields of all items of this row. aliases: other
    names of fields. weights: weights of words per field, where they differ from WEIGHTS.
    user_folder: where a copy goes in the user's space; empty: nowhere. replace: for a user's row:
    leave out the shipped rows of this type.
    """

    type: str
    folders: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    id: Literal["below", "inner", "path", "folder"] = "below"
    metadata: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    whole: str = ""
    fields: dict[str, str] = {}
    user_folder: str = ""
    aliases: dict[str, tuple[str, ...]] = {}
    weights: dict[str, float] = {}
    replace: bool = False

    def id_of(self, path: str) -> str:
        """Returns the id of a file. path: relative to the root of its space."""
        plain = self._without_extension(path)
        if self.id == "path":
            return plain
        folder = path.rpartition("/")[0]
        place = next(
            filter(None, (find_folder(glob, folder) for glob in self.folders)), FolderMatch("", 0)
        )
        chosen = folder if self.id == "folder" else plain
        prefix = "" if self.id == "inner" else place.before
        return (prefix + chosen[place.end :].removeprefix("/")) or plain

    def globs(self, document_extensions: frozenset[str]) -> Iterator[str]:
        """Yields globs for the paths of the row's files that a walk would not select by name.

        document_extensions: the extensions that some document format claims.
        """
        endings = [
            extension
            for extension in self.extensions
            if extension[extension.rindex(".") :] not in document_extensions
        ]
        for folder in self.folders or ("",):
            top = folder.removesuffix("/**").strip("/")
            for name in self.names:
                # A walk selects every file without an extension, and all documents.
                if "." in name[1:] and name[name.rindex(".") :] not in document_extensions:
                    yield f"{top}/**/{name}" if top else name
            for extension in endings:
                for stem in self.stems or ("*",):
                    yield f"{top}/**/{stem}{extension}" if top else f"{stem}{extension}"

    def _without_extension(self, path: str) -> str:
        name = path[path.rfind("/") + 1 :].lower()
        fitting = [
            extension
            for extension in self.extensions
            if name.endswith(extension) and len(extension) < len(name)
        ]
        if fitting:
            return path[: -len(max(fitting, key=len))]
        dot = path.rfind(".")
        return path[:dot] if dot > len(path) - len(name) else path


class FolderMatch(NamedTuple):
    """Where a glob for folders matches.

    before: the path that `**/` matched, and the names that other stars matched. end: the end of the
    match in the path.
    """

    before: str
    end: int


def find_folder(glob: str, folder: str) -> FolderMatch | None:
    """Matches a glob for folders against a path of folders from the root; returns `None` if it does
    not match."""
    match = _compile_folder(glob).match(folder)
    if match is None:
        return None
    prefix = match["before"] or ""
    if "*" in glob.removeprefix("**/"):
        parts = zip(
            glob.removeprefix("**/").split("/"), match[0][len(prefix) :].split("/"), strict=False
        )
        prefix += "".join(f"{name}/" for part, name in parts if "*" in part)
    return FolderMatch(prefix, match.end())


@lru_cache(maxsize=512)
def _compile_folder(glob: str) -> re.Pattern[str]:
    anywhere = glob.startswith("**/")
    parsed = parse_glob(glob.removeprefix("**/").removesuffix("/**").strip("/"))
    prefix = NEXT_PART if anywhere else ""
    return re.compile(
        rf"(?P<before>{prefix}){parsed.regex if parsed is not None else '(?!)'}(?=/|\Z)", re.DOTALL
    )
