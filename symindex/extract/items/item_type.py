"""A row of the table of item types: which files it takes, which ids these have, and where their
metadata comes from."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

import msgspec

from symindex.files.ignore.globs import NEXT_PART, parse_glob

SOURCES: Final = frozenset(
    {"front_matter", "headings", "tag", "module", "comment", "decision", "keys"}
)
"""Of metadata; `keys` may name a table: `keys:project`."""

PARTS: Final = frozenset({"versions", "make", "just", "keys"})
"""What a file may hold; `keys` names where: `keys:scripts.*`."""


class ItemType(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """type: its name; several rows may have the same.

    folders: globs from the root of a space; none: anywhere. `**/` at the beginning stands for any
    folders. extensions: with their dots, also double ones (`.prompt.md`). names: of whole files.
    stems: the name up to the first dot,
        together with one of the extensions; a `*` at the end stands for anything. All three ignore
        case.
    id: what the id of a file is. below: its path below the folder, without the extension, after
    what stands before the folder.
        inner: the same without what stands before. path: its whole path without the extension.
        folder: as below, of the folder it is in.
    metadata: where fields come from (SOURCES); the first one that knows a field wins. parts: what
    the file is a list of (PARTS): then its parts are the items. without: parts that are not, as
    globs. whole: the type of an item for a file with parts, if there is to be one. fields: what all
    items of this row have. user_folder: where a copy goes in the user's space; empty: nowhere.
    aliases: other names under which a field is looked for. weights: what a word counts in a field,
    where it is not as in WEIGHTS. replace: of a user's row: the shipped rows of this type are left
    out.
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
        """The id of the file at a path, relative to the root of its space."""
        plain = self._without_extension(path)
        if self.id == "path":
            return plain
        folder = path.rpartition("/")[0]
        place = next(
            filter(None, (find_folder(glob, folder) for glob in self.folders)), Place("", 0)
        )
        chosen = folder if self.id == "folder" else plain
        before = "" if self.id == "inner" else place.before
        return (before + chosen[place.end :].removeprefix("/")) or plain

    def globs(self, document_extensions: frozenset[str]) -> Iterator[str]:
        """Globs for the paths of the row's files that a walk would not select for their name.

        document_extensions: the extensions that some format of documents claims.
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
            each for each in self.extensions if name.endswith(each) and len(each) < len(name)
        ]
        if fitting:
            return path[: -len(max(fitting, key=len))]
        dot = path.rfind(".")
        return path[:dot] if dot > len(path) - len(name) else path


class Place(NamedTuple):
    """before: the path that `**/` stood for, and the names that other stars stood for. end: of the
    folder in the path."""

    before: str
    end: int


def find_folder(glob: str, folder: str) -> Place | None:
    """Where a glob for folders meets a path of folders from the root; `None` where it does not."""
    found = _compile_folder(glob).match(folder)
    if found is None:
        return None
    before = found["before"] or ""
    if "*" in glob.removeprefix("**/"):
        parts = zip(
            glob.removeprefix("**/").split("/"), found[0][len(before) :].split("/"), strict=False
        )
        before += "".join(f"{name}/" for part, name in parts if "*" in part)
    return Place(before, found.end())


@lru_cache(maxsize=512)
def _compile_folder(glob: str) -> re.Pattern[str]:
    anywhere = glob.startswith("**/")
    parsed = parse_glob(glob.removeprefix("**/").removesuffix("/**").strip("/"))
    before = NEXT_PART if anywhere else ""
    return re.compile(
        rf"(?P<before>{before}){parsed.regex if parsed is not None else '(?!)'}(?=/|\Z)", re.DOTALL
    )
