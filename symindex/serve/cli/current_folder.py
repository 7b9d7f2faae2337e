"""Converts paths between the current folder, where the user types and reads them, and the root.

Internally, all paths are relative to the root. A path, glob or id that the user types becomes one
relative to the root; paths in answers are converted back (`cli/shown_answer`), so that each opens
from the current folder. Queries with their field `path` stay relative to the root, as in all front
ends.
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
"""What shown paths are relative to."""

_BEHIND_PATH: Final = re.compile(r"#|::|:(?=\d)")
"""Separates a path from the symbol or line in it."""

_MOST_ENDS: Final = 8
"""Most places at which a text is split into a path and the rest."""

_GLOB: Final = frozenset("*?[")


class CurrentFolder:
    """A root as seen from the current folder.

    root: the workspace's root. here: the current folder, absolute. given: the root as typed; `None`
    if it was not. style: how answers show paths; `None` for relative to the current folder in text,
    and to the root in JSON. typed: the typed text by the path from the root that it became.
    """

    def __init__(
        self, root: Path, here: str, given: str | None = None, style: Style | None = None
    ) -> None:
        self.here: str = os.path.realpath(here)
        self.root = root
        self.style = style
        self._tops = [*dict.fromkeys((str(root), os.path.realpath(root)))]
        below = next(
            (path for top in self._tops if (path := _below(self.here, top)) is not None), None
        )
        self.is_inside: bool = below is not None
        self._parts = below.split("/") if below else []
        start = (
            "" if self.is_inside else Path(os.path.expanduser(given) if given else root).as_posix()
        )
        self.typed: dict[str, str] = {}
        self._starts = {"cwd": start, "root": "", "absolute": root.as_posix()}

    def path(self, text: str) -> str:
        """Converts a typed path or glob to one from the root; an empty text stays empty. Raises
        RequestError for a path outside of the root."""
        if not text or "\0" in text:
            return text
        typed = self._expanded(text)
        absolute = os.path.join(self.here, typed)
        _check_link(absolute, text)
        is_pattern = not _GLOB.isdisjoint(typed) and not os.path.lexists(absolute)
        path = self._from_root(
            os.path.join(self.here, self._with_names(typed)) if is_pattern else absolute
        )
        if path is None:
            if not self.is_inside and not is_explicit(typed):
                return text  # from here it leads to no root, so it is relative to the root
            raise RequestError(f"{text}: is outside of the root {self._tops[0]}")
        real = os.path.realpath(absolute)
        if os.path.lexists(absolute) and all(_below(real, top) is None for top in self._tops):
            raise RequestError(f"{text}: a link leads out of the source tree, to {real}")
        return self._known(self._with_literal_folder(path) if is_pattern else path, text)

    def glob(self, text: str) -> str:
        """Converts a typed glob, perhaps with a leading `!`, to one from the root.

        A glob without a slash matches at any depth below the current folder, as in .gitignore. The
        path of an existing file matches that file, even if it contains wildcards; a link matches
        its target. Raises RequestError for a glob outside of the root.
        """
        negation, glob = ("!", text[1:]) if text.startswith("!") else ("", text)
        plain = glob.replace("\\", "/") if os.name == "nt" else glob
        if self.is_inside and "\0" not in plain:
            if self._is_link(plain):
                return f"{negation}/{literal(self.path(plain))}"
            plain = self._with_names(plain)
        if not self._is_of_folder(plain):
            return f"{negation}{plain}"
        is_name = "/" not in plain.rstrip("/") and not is_explicit(plain)
        if is_name and self.is_inside:
            return f"{negation}/{literal('/'.join(self._parts))}/**/{plain}"
        path = self.path(plain)
        if path == plain and not self.is_inside:
            return text
        is_folder = plain.endswith("/") or os.path.isdir(self.root / path)
        return (
            f"{negation}/{path}{'/' if is_folder else ''}"
            if path not in ("", ".")
            else f"{negation}**"
        )

    def globs(self, globs: list[str] | UnsetType) -> list[str] | UnsetType:
        """Converts all globs of an option."""
        return [self.glob(glob) for glob in globs] if globs is not UNSET and globs else globs

    def places(self, paths: Sequence[str], check_readable: Callable[[str], object]) -> list[str]:
        """Converts typed files and folders to globs from the root that match only them.

        check_readable: raises RequestError, with the reason, for a path that cannot be read. Raises
        RequestError for a path that does not exist, as grep and ripgrep do.
        """
        globs = []
        for typed in paths:
            path = self.path(typed)
            if not os.access(self.root / path, os.R_OK):
                check_readable(path)
                if not os.path.lexists(self.root / path):
                    raise RequestError(f"{typed}: no such file or folder")
            globs.append(f"/{literal(path)}" if path else "**")
        return globs

    def _is_link(self, path: str) -> bool:
        """Whether a typed path exists and leads elsewhere through a link."""
        absolute = os.path.join(self.here, self._expanded(path))
        is_link = os.path.islink(absolute) or os.path.realpath(absolute) != os.path.normpath(
            absolute
        )
        return bool(path) and is_link and os.path.lexists(absolute)

    def _with_names(self, glob: str) -> str:
        """Escapes the first parts of a glob as long as files or folders with exactly these names
        exist."""
        if _GLOB.isdisjoint(glob):
            return glob
        parts, folder = glob.split("/"), self.here
        for number, part in enumerate(parts):
            folder = os.path.join(folder, part or os.sep)
            if not os.path.lexists(folder):
                break
            parts[number] = literal(part)
        return "/".join(parts)

    def _is_of_folder(self, glob: str) -> bool:
        """Whether a glob differs from the glob of the same text at the root."""
        if glob.startswith("/"):  # anchored at the root, as in .gitignore, or absolute
            fixed = re.split(r"[*?\[]", glob, maxsplit=1)[0].rstrip("/")
            return (
                bool(fixed)
                and os.path.lexists(fixed)
                and not os.path.lexists(f"{self._tops[0]}{fixed}")
            )
        return bool(glob) and (bool(self._parts) or not self.is_inside or is_explicit(glob))

    def symbol(self, text: str) -> str:
        """Converts a text that may mean a symbol: an id, a name in a file, a place, a path. It is
        treated as a path only if it names an existing file or folder or begins with `./` or `../`;
        a name stays unchanged."""
        ends = [match.start() for match in _BEHIND_PATH.finditer(text)][:_MOST_ENDS]
        for end in [*ends, len(text)]:
            path = os.path.join(self.here, self._expanded(text[:end]))
            if end and "\0" not in path and os.path.lexists(path):
                _check_link(path, text[:end])
                from_root = self._from_root(path)
                if from_root is not None:
                    return self._known((from_root or ".") + text[end:], text)
        if text.startswith(("./", "../")) and ends:
            return self.path(text[: ends[0]]) + text[ends[0] :]
        return text

    def is_also_from_root(self, text: str) -> bool:
        """Whether the path in a typed symbol names one file from the root and another from the
        current folder."""
        if not self._parts:
            return False
        ends = [match.start() for match in _BEHIND_PATH.finditer(text)][:_MOST_ENDS]
        return self.symbol(text) != text and any(
            os.path.isfile(self.root / text[:end]) for end in ends if "\0" not in text
        )

    def shown(self, path: str, style: Style | None = None) -> str:
        """Converts a path from the root, or an id or place that begins with one, to the form that
        is shown. A path in a package begins with a label, and stays unchanged."""
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
        """The path from the root to the current folder; empty at the root and outside of it."""
        return "/".join(self._parts)

    def is_root(self, style: Style) -> bool:
        """Whether paths in this style equal paths from the root."""
        return not self._parts and self._starts[style] in ("", ".")

    def link_base(self) -> Path | None:
        """Returns the folder that shown paths are relative to, for links to their files; `None` if
        these are not on this machine."""
        return self.root if self.style == "root" else Path(self.here)

    def _known(self, path: str, text: str) -> str:
        self.typed[path] = text
        return path

    def _expanded(self, text: str) -> str:
        return (
            os.path.expanduser(text)
            if text.startswith("~") and not os.path.lexists(os.path.join(self.here, text))
            else text
        )

    def _from_root(self, absolute: str) -> str | None:
        """Converts an absolute path, which may lead into the root by a link, to one from the root.
        Returns `None` if it is outside."""
        ways = (os.path.realpath(absolute), os.path.normpath(absolute))
        return next(
            (path for way in ways for top in self._tops if (path := _below(way, top)) is not None),
            None,
        )

    def _with_literal_folder(self, glob: str) -> str:
        """Escapes the first parts of a glob if they are those of the current folder."""
        parts, same = glob.split("/"), 0
        while same < min(len(self._parts), len(parts)) and self._parts[same] == parts[same]:
            same += 1
        return "/".join([*map(literal, parts[:same]), *parts[same:]])


def _below(path: str, top: str) -> str | None:
    """Returns the path from a folder to a path below it; empty for the folder itself, `None` for a
    path that is not below it."""
    if path == top:
        return ""
    start = top.rstrip(os.sep) + os.sep
    return path[len(start) :].replace(os.sep, "/") if path.startswith(start) else None


def _check_link(absolute: str, typed: str) -> None:
    """Raises RequestError for a broken link."""
    if not os.path.islink(absolute):
        return
    try:
        os.stat(absolute)
    except OSError as error:
        why = (
            "does not exist"
            if isinstance(error, FileNotFoundError)
            else f"cannot be read ({error.strerror or error})"
        )
        raise RequestError(
            f"{typed}: this is a link to {os.readlink(absolute)}, which {why}"
        ) from None


def is_explicit(path: str) -> bool:
    """Whether a path is absolute, or begins with `.`, `..` or `~`."""
    return path in (".", "..", "~") or path.startswith(("./", "../", "~/")) or os.path.isabs(path)


def literal(path: str) -> str:
    """Returns a glob that matches only this path."""
    return re.sub(r"[*?\[]", r"[\g<0>]", path)
