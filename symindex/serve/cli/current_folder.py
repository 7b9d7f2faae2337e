"""Paths as they are from the current folder: what a person types in a shell, and what they read
there.

Inside, all paths are from the root. A path, a glob or an id that is typed is turned into one from
the root; those of an answer are turned back (`cli/shown_answer`), so that each opens from where the
person stands. Queries, with their field `path`, are about the root, as all doors have them.
"""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

from msgspec import UNSET, UnsetType

from symindex.errors import RequestError
from symindex.protocol.search import LABEL_IN_PATH

Style = Literal["cwd", "root", "absolute"]
"""Where the paths of an answer begin."""

_BEHIND_PATH: Final = re.compile(r"#|::|:(?=\d)")
"""What may stand between a path and what is meant of it."""

_MOST_ENDS: Final = 8
"""So many times a text is taken for a path with something behind it."""

_GLOB: Final = frozenset("*?[")


class CurrentFolder:
    """A root as it is seen from a folder.

    root: the folder of the tree. here: the current folder, absolute. given: the root as it was
    typed, `None` if it was not. style: of the paths of answers; `None` for the current folder's in
    text, and the root's in JSON. typed: what was typed, by what that is from the root.
    """

    def __init__(
        self, root: Path, here: str, given: str | None = None, style: Style | None = None
    ) -> None:
        self.here, self.root, self.style = os.path.realpath(here), root, style
        self._tops = [*dict.fromkeys((str(root), os.path.realpath(root)))]
        below = next(
            (found for top in self._tops if (found := _below(self.here, top)) is not None), None
        )
        self.is_inside = below is not None
        self._parts = below.split("/") if below else []
        start = (
            "" if self.is_inside else Path(os.path.expanduser(given) if given else root).as_posix()
        )
        self.typed: dict[str, str] = {}
        self._starts = {"cwd": start, "root": "", "absolute": root.as_posix()}

    def path(self, text: str) -> str:
        """The path from the root of a path or a glob that was typed; empty for an empty one. Raises
        RequestError for what lies outside of the tree."""
        if not text or "\0" in text:
            return text
        typed = self._expanded(text)
        whole = os.path.join(self.here, typed)
        _check_link(whole, text)
        is_pattern = not _GLOB.isdisjoint(typed) and not os.path.lexists(whole)
        found = self._from_root(
            os.path.join(self.here, self._with_names(typed)) if is_pattern else whole
        )
        if found is None:
            if not self.is_inside and not _is_explicit(typed):
                return text  # it leads into no tree from here, so that it is from the root
            raise RequestError(f"{text}: lies outside of the tree {self._tops[0]}")
        real = os.path.realpath(whole)
        if os.path.lexists(whole) and all(_below(real, top) is None for top in self._tops):
            raise RequestError(f"{text}: a link leads out of the tree, to {real}")
        return self._known(self._with_literal_folder(found) if is_pattern else found, text)

    def glob(self, text: str) -> str:
        """The glob from the root of one that was typed, which may begin with `!`. One of a name
        alone matches at any depth of the current folder, as in .gitignore. What is there means
        itself, whatever signs it holds, and a link what it leads to. Raises RequestError for what
        lies outside of the tree."""
        negation, glob = ("!", text[1:]) if text.startswith("!") else ("", text)
        plain = glob.replace("\\", "/") if os.name == "nt" else glob
        if self.is_inside and "\0" not in plain:
            if self._is_link(plain):
                return f"{negation}/{_literal(self.path(plain))}"
            plain = self._with_names(plain)
        if not self._is_of_folder(plain):
            return f"{negation}{plain}"
        is_name = "/" not in plain.rstrip("/") and not _is_explicit(plain)
        if is_name and self.is_inside:
            return f"{negation}/{_literal('/'.join(self._parts))}/**/{plain}"
        found = self.path(plain)
        if found == plain and not self.is_inside:
            return text
        is_folder = plain.endswith("/") or os.path.isdir(self.root / found)
        return (
            f"{negation}/{found}{'/' if is_folder else ''}"
            if found not in ("", ".")
            else f"{negation}**"
        )

    def globs(self, given: list[str] | UnsetType) -> list[str] | UnsetType:
        """All globs of an option, as far as it is given."""
        return [self.glob(each) for each in given] if given is not UNSET and given else given

    def places(self, given: Sequence[str], check_readable: Callable[[str], object]) -> list[str]:
        """Files and folders that were typed, as globs from the root that match them alone. Raises
        RequestError for what is not there, as grep and ripgrep do. check_readable: raises
        RequestError for a path that cannot be read, and says why."""
        found = []
        for each in given:
            path = self.path(each)
            if not os.access(self.root / path, os.R_OK):
                check_readable(path)
                if not os.path.lexists(self.root / path):
                    raise RequestError(f"{each}: there is no such file or folder")
            found.append(f"/{_literal(path)}" if path else "**")
        return found

    def _is_link(self, path: str) -> bool:
        """Whether something is there at a path that was typed, and lies elsewhere."""
        whole = os.path.join(self.here, self._expanded(path))
        is_link = os.path.islink(whole) or os.path.realpath(whole) != os.path.normpath(whole)
        return bool(path) and is_link and os.path.lexists(whole)

    def _with_names(self, glob: str) -> str:
        """A glob whose first parts stand for themselves as far as there are files and folders of
        these very names."""
        if _GLOB.isdisjoint(glob):
            return glob
        parts, folder = glob.split("/"), self.here
        for number, part in enumerate(parts):
            folder = os.path.join(folder, part or os.sep)
            if not os.path.lexists(folder):
                break
            parts[number] = _literal(part)
        return "/".join(parts)

    def _is_of_folder(self, glob: str) -> bool:
        """Whether a glob means another one from the root."""
        if glob.startswith("/"):  # at the root's top, as in .gitignore, or absolute
            fixed = re.split(r"[*?\[]", glob, maxsplit=1)[0].rstrip("/")
            return (
                bool(fixed)
                and os.path.lexists(fixed)
                and not os.path.lexists(f"{self._tops[0]}{fixed}")
            )
        return bool(glob) and (bool(self._parts) or not self.is_inside or _is_explicit(glob))

    def symbol(self, text: str) -> str:
        """The same for what may mean a symbol: an id, a name in a file, a place, a path. Only what
        names a file or a folder that is there, or says that it is one (`./`, `../`), is taken for a
        path; a name stays as it is."""
        ends = [match.start() for match in _BEHIND_PATH.finditer(text)][:_MOST_ENDS]
        for end in [*ends, len(text)]:
            path = os.path.join(self.here, self._expanded(text[:end]))
            if end and "\0" not in path and os.path.lexists(path):
                _check_link(path, text[:end])
                found = self._from_root(path)
                if found is not None:
                    return self._known((found or ".") + text[end:], text)
        if text.startswith(("./", "../")) and ends:
            return self.path(text[: ends[0]]) + text[ends[0] :]
        return text

    def is_also_from_root(self, text: str) -> bool:
        """Whether the path in what may mean a symbol is that of a file from the root, and another
        one from here."""
        if not self._parts:
            return False
        ends = [match.start() for match in _BEHIND_PATH.finditer(text)][:_MOST_ENDS]
        return self.symbol(text) != text and any(
            os.path.isfile(self.root / text[:end]) for end in ends if "\0" not in text
        )

    def shown(self, path: str, style: Style | None = None) -> str:
        """A path from the root, or an id or a place that begins with one, as it is read. In a
        package it has a label for a place, and stays as it is."""
        style = style or self.style or "cwd"
        if LABEL_IN_PATH.match(path) or os.path.isabs(path):
            return path
        if style != "cwd" or not self.is_inside:
            start = self._starts[style]
            return (
                (f"{start.rstrip('/')}/{path}" if path else start)
                if start not in ("", ".")
                else path
            )
        if path in ("", "."):
            return "/".join([".."] * len(self._parts)) or path
        parts, same = path.split("/"), 0
        while same < min(len(self._parts), len(parts)) and self._parts[same] == parts[same]:
            same += 1
        return "/".join([".."] * (len(self._parts) - same) + parts[same:]) or "."

    @property
    def below(self) -> str:
        """The way from the root down to here; empty at the root, and elsewhere."""
        return "/".join(self._parts)

    def is_root(self, style: Style) -> bool:
        """Whether paths of this style are those from the root."""
        return not self._parts and self._starts[style] in ("", ".")

    def link_base(self) -> Path:
        """The folder from which the paths of text lead to their files."""
        return self.root if self.style == "root" else Path(self.here)

    def _known(self, found: str, text: str) -> str:
        self.typed[found] = text
        return found

    def _expanded(self, text: str) -> str:
        return (
            os.path.expanduser(text)
            if text.startswith("~") and not os.path.lexists(os.path.join(self.here, text))
            else text
        )

    def _from_root(self, whole: str) -> str | None:
        """The path from the root of an absolute one, which may lead there by a link; `None` where
        it lies outside."""
        ways = (os.path.realpath(whole), os.path.normpath(whole))
        return next(
            (
                found
                for way in ways
                for top in self._tops
                if (found := _below(way, top)) is not None
            ),
            None,
        )

    def _with_literal_folder(self, glob: str) -> str:
        """A glob whose first parts are the current folder's, which stand for themselves."""
        parts, same = glob.split("/"), 0
        while same < min(len(self._parts), len(parts)) and self._parts[same] == parts[same]:
            same += 1
        return "/".join([*map(_literal, parts[:same]), *parts[same:]])


def _below(path: str, top: str) -> str | None:
    """The way from a folder down to a path, empty for itself; `None` where the path lies
    elsewhere."""
    if path == top:
        return ""
    start = top.rstrip(os.sep) + os.sep
    return path[len(start) :].replace(os.sep, "/") if path.startswith(start) else None


def _check_link(whole: str, typed: str) -> None:
    """Raises RequestError for a link that leads nowhere."""
    if not os.path.islink(whole):
        return
    try:
        os.stat(whole)
    except OSError as error:
        why = (
            "is not there"
            if isinstance(error, FileNotFoundError)
            else f"cannot be read ({error.strerror or error})"
        )
        raise RequestError(f"{typed}: a link to {os.readlink(whole)}, which {why}") from None


def _is_explicit(path: str) -> bool:
    """Whether a path says where it begins."""
    return path in (".", "..", "~") or path.startswith(("./", "../", "~/")) or os.path.isabs(path)


def _literal(path: str) -> str:
    """A path as a glob that matches it alone."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)
