"""The distributions of a Python environment: what is installed in its `site-packages`, and which
files belong to which of them.

A distribution names its files one by one (`RECORD`). What a folder holds mostly belongs to one of
them: then the folder is named instead of its files. A folder that several share (`google`, `zope`)
is entered, as often as needed.
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from symindex.packages.ecosystems.requirements import Required, normal_name
from symindex.packages.found.package import Package
from symindex.packages.found.project import MOST_BYTES, MOST_PACKAGES, Entry, Project
from symindex.text.versions import version_key

MOST_FILES: Final = 5_000
"""How many files and folders of one distribution are named."""

_MOST_LINES: Final = 1_000_000
"""How many lines of all RECORD files are kept at a time. An environment of 500 packages has
200,000."""

_DEEPEST: Final = 8
"""How far shared folders are entered."""

_HEADERS_BYTES: Final = 32_768
"""Name and version stand at the beginning of the metadata; what follows is prose."""

_HEADER: Final = re.compile(r"^(Name|Version):[ \t]*([^\r\n]*)", re.MULTILINE)

_NOT_SOURCE: Final = (".pyc", ".pth", ".egg-link", ".so", ".pyd", ".dylib", ".dll")


@dataclass(slots=True)
class _Distribution:
    """folder: of its metadata, or the file that is all of it. lines: of its RECORD, up to their
    first comma."""

    name: str
    version: str
    folder: str
    lines: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    modules: set[str] = field(default_factory=set)
    missing: str = ""
    elsewhere: str = ""


def find_distributions(
    project: Project, folders: Iterable[str], required: Required
) -> Iterator[Package]:
    """The distributions in some `site-packages`, and what the project requires but has not."""
    seen: set[str] = set()
    shown = ""
    for folder in folders:
        shown = shown or project.relative(folder)
        found: dict[str, _Distribution] = {}
        for each in _read_all(project, folder):
            other = found.get(each.name)
            if other is not None:
                project.say(
                    f"{project.relative(folder)}: {each.name} is installed in several versions:"
                    " install it anew"
                )
            if other is None or version_key(other.version) < version_key(each.version):
                found[each.name] = each
        _share_out(
            project, folder, [each for each in found.values() if each.lines and not each.elsewhere]
        )
        for each in found.values():
            seen.add(each.name)
            package = _package(project, folder, each, required)
            if package is not None:
                yield package
    if shown:
        for name in sorted(required.needed.keys() - seen):
            source = required.needed[name]
            missing = f"not installed in {shown}: {source} names it; run `pip install {name}`"
            absent = project.package(
                "pypi",
                name,
                required.versions.get(name, ""),
                None,
                source=source,
                is_direct=True,
                missing=missing,
            )
            if absent is not None:
                yield absent


def _package(
    project: Project, folder: str, found: _Distribution, required: Required
) -> Package | None:
    is_direct = found.name in required.names
    if not required.names:  # then what was asked for by name is what counts
        is_direct = project.is_file(os.path.join(found.folder, "REQUESTED"))
    files, root, missing = tuple(sorted(found.files)), folder, found.missing
    if found.elsewhere:
        if project.is_in_tree(found.elsewhere):
            return None  # the project itself
        if project.is_inside(folder) or not project.is_folder(found.elsewhere):
            missing = (
                f"editable, elsewhere: {found.elsewhere} is not read for an environment in the"
                " project's folder"
            )
        source = os.path.join(found.elsewhere, "src")
        root = source if project.is_folder(source) else found.elsewhere
        listed = {each.name for each in project.entries(root)} if not missing else set()
        files = tuple(
            sorted(listed & {name for each in found.modules for name in (each, f"{each}.py")})
        )
    elif not files and not missing:
        missing = (
            "it has no files of source"
            if found.lines
            else "it does not say which files it has: install it anew"
        )
    return project.package(
        "pypi",
        found.name,
        found.version,
        root,
        source=found.folder,
        files=files,
        modules=tuple(found.modules),
        is_direct=is_direct,
        missing=missing,
    )


def _read_all(project: Project, folder: str) -> Iterator[_Distribution]:
    entries = {each.name: each for each in project.entries(folder)}
    claimed: set[str] = set()
    n_packages = n_lines = 0
    for name, entry in entries.items():
        stem, dot, ending = name.rpartition(".")
        if ending not in ("dist-info", "egg-info", "egg-link") or not dot:
            continue
        n_packages += 1
        if n_packages > MOST_PACKAGES or project.is_exhausted():
            project.say_limit(
                f"only the first {n_packages - 1:,} distributions of {project.relative(folder)} are"
                " listed"
            )
            return
        if stem.startswith(("~", "-")):
            project.say(
                f"{project.relative(folder)}: {name} is left of an interrupted installation:"
                " delete it"
            )
            continue
        place = os.path.join(folder, name)
        found = (
            _read_link(project, place, stem)
            if ending == "egg-link"
            else _read_one(project, place, stem, entry)
        )
        if found is None:
            continue
        if ending == "dist-info":
            _read_record(project, found, _MOST_LINES - n_lines)
            n_lines += len(found.lines)
        if not found.lines and not found.elsewhere:
            _read_modules(project, found, entries)
        claimed.update(line for line in found.lines if line.endswith(".pth"))
        yield found
    for name in entries:
        if name.endswith(".pth") and name not in claimed:
            _read_paths(project, folder, name)


def _read_one(project: Project, place: str, stem: str, entry: Entry) -> _Distribution | None:
    """What a folder of metadata says; its own name says so, too, where the metadata does not."""
    names = ("METADATA",) if place.endswith(".dist-info") else ("PKG-INFO",)
    data = None
    for path in (
        [place]
        if not entry.is_folder and not entry.is_link
        else [os.path.join(place, name) for name in names]
    ):
        data = data if data is not None else project.read_start(path, _HEADERS_BYTES)
    headers, _, _ = (data or b"").decode("utf-8", "replace").replace("\r\n", "\n").partition("\n\n")
    said = dict(reversed(_HEADER.findall(headers)))
    parts = stem.split("-")
    name, version = said.get("Name", "").strip() or parts[0], said.get("Version", "").strip()
    if not version:
        version = parts[1] if len(parts) > 1 else ""
        project.say(
            f"{project.relative(place)}: no version in its metadata: install {parts[0]} anew"
        )
    if not version:
        return None
    return _Distribution(normal_name(name), version, place)


def _read_link(project: Project, place: str, stem: str) -> _Distribution:
    """An editable installation of older tools: a file that names a folder."""
    named = (
        (project.read_start(place, 4_096) or b"")
        .decode("utf-8", "replace")
        .partition("\n")[0]
        .strip()
    )
    found = _Distribution(normal_name(stem), "", place)
    found.elsewhere = named if os.path.isabs(named) and "\0" not in named else ""
    found.missing = "" if found.elsewhere else "it names no folder: install it anew"
    return found


def _read_record(project: Project, found: _Distribution, most_lines: int) -> None:
    text = project.text(os.path.join(found.folder, "RECORD"), MOST_BYTES)
    lines = text.splitlines()
    if len(lines) > most_lines:
        project.say_limit(f"only the first {_MOST_LINES:,} files that RECORDs name are listed")
    found.lines = [
        line[1:].split('"', 1)[0] if line[:1] == '"' else line.split(",", 1)[0]
        for line in lines[:most_lines]
    ]
    url = project.read_start(os.path.join(found.folder, "direct_url.json"), _HEADERS_BYTES)
    if url is not None and re.search(rb'"editable"\s*:\s*true', url):
        address = re.search(rb'"url"\s*:\s*"file://([^"\\]*)"', url)
        path = (
            f"/{unquote(address[1].decode('utf-8', 'replace')).partition('/')[2]}"
            if address
            else ""
        )
        found.elsewhere = os.path.realpath(path) if os.path.isabs(path) and "\0" not in path else ""
        found.missing = (
            "" if found.elsewhere else "editable, but its metadata names no folder: install it anew"
        )
        listed = project.text(os.path.join(found.folder, "top_level.txt"), _HEADERS_BYTES).split()
        found.modules |= {
            name for name in listed or [found.name.replace("-", "_")] if name.isidentifier()
        }


def _read_modules(project: Project, found: _Distribution, entries: dict[str, Entry]) -> None:
    """The files of a distribution that does not list them, from the names of its modules."""
    names = project.text(os.path.join(found.folder, "top_level.txt"), _HEADERS_BYTES).split()
    for name in names or [found.name.replace("-", "_")]:
        for file in (name, f"{name}.py"):
            entry = entries.get(file)
            if entry is not None and not entry.is_link and name.isidentifier():
                found.files.append(file)
                found.modules.add(name)


def _read_paths(project: Project, folder: str, name: str) -> None:
    """What a file of paths adds that belongs to no distribution."""
    text = project.text(os.path.join(folder, name), _HEADERS_BYTES)
    for line in text.splitlines()[:100]:
        if os.path.isabs(line) and "\0" not in line and not project.is_in_tree(line):
            place = project.relative(os.path.join(folder, name))
            project.say(f"{place}: adds {line}, which is not read: make it a root of your own")


def _share_out(project: Project, folder: str, distributions: list[_Distribution]) -> None:
    """Says which files and folders belong to each distribution. Paths that lead out are passed
    over: so do those of programs (`../../../bin/x`), and those of an attacker."""
    entries = {each.name: each for each in project.entries(folder)}
    level = [(each, "", each.lines) for each in distributions]
    for depth in range(_DEEPEST):
        owners: dict[str, int] = {}
        split = []
        for found, base, lines in level:
            if project.is_late():
                return
            heads = _heads(lines, len(base))
            split.append((found, base, lines, heads))
            for head in heads:
                owners[head] = owners.get(head, 0) + 1
        level = []
        for found, base, lines, heads in split:
            shared = []
            for head, is_folder in heads.items():
                if project.is_late():
                    return
                name = head[len(base) :]
                entry = entries.get(name) if depth == 0 else None
                if (
                    name in ("", ".", "..", "__pycache__")
                    or "\\" in name
                    or ":" in name
                    or "\0" in name
                ):
                    continue
                if depth == 0 and (entry is None or entry.is_link or entry.is_folder != is_folder):
                    continue
                place = os.path.join(folder, head)
                if depth and not (
                    project.is_folder(place) if is_folder else project.is_file(place)
                ):
                    continue
                if is_folder and owners[head] > 1 and depth < _DEEPEST - 1:
                    shared.append(f"{head}/")
                else:
                    _claim(project, found, head, is_folder)
            for start in shared:
                level.append((found, start, [line for line in lines if line.startswith(start)]))


def _heads(lines: list[str], skipped: int) -> dict[str, bool]:
    """The first parts of paths behind so many characters, and whether they are folders."""
    if not skipped:
        return {line.partition("/")[0]: "/" in line for line in lines}
    heads = {}
    for line in lines:
        end = line.find("/", skipped)
        heads[line if end < 0 else line[:end]] = end >= 0
    return heads


def _claim(project: Project, found: _Distribution, head: str, is_folder: bool) -> None:
    if is_folder and head.endswith((".dist-info", ".egg-info", ".data", ".libs")):
        return
    parts = head.split("/")
    if not is_folder:
        parts[-1] = parts[-1].partition(".")[0]
        if parts[-1] == "__init__":
            parts.pop()
    is_name = all(part.isidentifier() for part in parts) and not parts[-1].endswith("__mypyc")
    if parts and is_name and (is_folder or head.endswith((".py", ".so", ".pyd"))):
        found.modules.add(".".join(parts))
    if is_folder or not head.endswith(_NOT_SOURCE):
        if len(found.files) < MOST_FILES:
            found.files.append(head)
        else:
            project.say(
                f"{project.relative(found.folder)}: only {MOST_FILES:,} of its files are listed"
            )
