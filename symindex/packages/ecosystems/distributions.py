"""The distributions in a Python environment's `site-packages`, and the files that belong to each.

A distribution lists its files one by one (`RECORD`). If a folder belongs to one distribution, the
folder is named instead of its files. A folder that several share (`google`, `zope`) is entered as
deep as necessary.
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from symindex.packages.ecosystems.requirements import Requirements, normal_name
from symindex.packages.found.package import Package
from symindex.packages.found.project import MOST_BYTES, MOST_PACKAGES, FolderEntry, Project
from symindex.text.versions import version_key

MOST_FILES: Final = 5_000
"""Most files and folders that are named for one distribution."""

_MOST_LINES: Final = 1_000_000
"""Most lines of RECORD files in memory at a time. An environment of 500 packages has 200,000."""

_DEEPEST: Final = 8
"""Deepest level of shared folders that is entered."""

_HEADERS_BYTES: Final = 32_768
"""Bytes of metadata that are read: name and version are at the beginning, the rest is prose."""

_HEADER: Final = re.compile(r"^(Name|Version):[ \t]*([^\r\n]*)", re.MULTILINE)

_NOT_SOURCE: Final = (".pyc", ".pth", ".egg-link", ".so", ".pyd", ".dylib", ".dll")


@dataclass(slots=True)
class _Distribution:
    """A distribution. folder: its metadata folder, or the file that is all of its metadata. lines:
    the paths in its RECORD. elsewhere: the folder of an editable installation."""

    name: str
    version: str
    folder: str
    lines: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    modules: set[str] = field(default_factory=set)
    missing: str = ""
    elsewhere: str = ""


def find_distributions(
    project: Project, folders: Iterable[str], required: Requirements
) -> Iterator[Package]:
    """Yields the distributions in the `site-packages` folders, and the missing ones that the
    project requires."""
    seen: set[str] = set()
    shown = ""
    for folder in folders:
        shown = shown or project.relative(folder)
        by_name: dict[str, _Distribution] = {}
        for distribution in _read_all(project, folder):
            previous = by_name.get(distribution.name)
            if previous is not None:
                project.notify(
                    f"{project.relative(folder)}: {distribution.name} is installed in several"
                    " versions: reinstall it"
                )
            if previous is None or version_key(previous.version) < version_key(
                distribution.version
            ):
                by_name[distribution.name] = distribution
        _share_out(
            project,
            folder,
            [
                distribution
                for distribution in by_name.values()
                if distribution.lines and not distribution.elsewhere
            ],
        )
        for distribution in by_name.values():
            seen.add(distribution.name)
            package = _package(project, folder, distribution, required)
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
    project: Project, folder: str, distribution: _Distribution, required: Requirements
) -> Package | None:
    is_direct = distribution.name in required.names
    # Then the distributions that the user installed by name count as direct.
    if not required.names:
        is_direct = project.is_file(os.path.join(distribution.folder, "REQUESTED"))
    files, root, missing = tuple(sorted(distribution.files)), folder, distribution.missing
    if distribution.elsewhere:
        if project.is_in_tree(distribution.elsewhere):
            return None  # The project itself.
        if project.is_inside(folder):
            missing = (
                f"editable, elsewhere: {distribution.elsewhere} is not read for an environment in"
                " the project's folder"
            )
        elif not project.is_folder(distribution.elsewhere):
            missing = f"editable, but {distribution.elsewhere} is no folder: reinstall it"
        source = os.path.join(distribution.elsewhere, "src")
        root = source if project.is_folder(source) else distribution.elsewhere
        listed = {entry.name for entry in project.entries(root)} if not missing else set()
        files = tuple(
            sorted(
                listed
                & {name for module in distribution.modules for name in (module, f"{module}.py")}
            )
        )
    elif not files and not missing:
        missing = (
            "it has no source files"
            if distribution.lines
            else "it does not list its files: reinstall it"
        )
    return project.package(
        "pypi",
        distribution.name,
        distribution.version,
        root,
        source=distribution.folder,
        files=files,
        modules=tuple(distribution.modules),
        is_direct=is_direct,
        missing=missing,
    )


def _read_all(project: Project, folder: str) -> Iterator[_Distribution]:
    entries = {listed.name: listed for listed in project.entries(folder)}
    claimed: set[str] = set()
    n_packages = n_lines = 0
    for name, entry in entries.items():
        stem, dot, ending = name.rpartition(".")
        if ending not in ("dist-info", "egg-info", "egg-link") or not dot:
            continue
        n_packages += 1
        if n_packages > MOST_PACKAGES or project.is_exhausted():
            project.notify_limit(
                f"only the first {n_packages - 1:,} distributions of {project.relative(folder)} are"
                " listed"
            )
            return
        if stem.startswith(("~", "-")):
            project.notify(
                f"{project.relative(folder)}: {name} is left over from an interrupted installation:"
                " delete it"
            )
            continue
        place = os.path.join(folder, name)
        distribution = (
            _read_link(project, place, stem)
            if ending == "egg-link"
            else _read_one(project, place, stem, entry)
        )
        if distribution is None:
            continue
        if ending == "dist-info":
            _read_record(project, distribution, _MOST_LINES - n_lines)
            n_lines += len(distribution.lines)
        if not distribution.lines and not distribution.elsewhere:
            _read_modules(project, distribution, entries)
        claimed.update(line for line in distribution.lines if line.endswith(".pth"))
        yield distribution
    for name in entries:
        if name.endswith(".pth") and name not in claimed:
            _read_paths(project, folder, name)


def _read_one(project: Project, place: str, stem: str, entry: FolderEntry) -> _Distribution | None:
    """Reads name and version from a metadata folder, or from its own name where the metadata lacks
    them."""
    names = ("METADATA",) if place.endswith(".dist-info") else ("PKG-INFO",)
    data = None
    for path in (
        [place]
        if not entry.is_folder and not entry.is_link
        else [os.path.join(place, name) for name in names]
    ):
        data = data if data is not None else project.read_start(path, _HEADERS_BYTES)
    headers, _, _ = (data or b"").decode("utf-8", "replace").replace("\r\n", "\n").partition("\n\n")
    fields = dict(reversed(_HEADER.findall(headers)))
    parts = stem.split("-")
    name, version = fields.get("Name", "").strip() or parts[0], fields.get("Version", "").strip()
    if not version:
        version = parts[1] if len(parts) > 1 else ""
        project.notify(
            f"{project.relative(place)}: no version in its metadata: reinstall {parts[0]}"
        )
    if not version:
        return None
    return _Distribution(normal_name(name), version, place)


def _read_link(project: Project, place: str, stem: str) -> _Distribution:
    """Reads an `.egg-link`, the editable installation of older tools: a file that names a
    folder."""
    target = (
        (project.read_start(place, 4_096) or b"")
        .decode("utf-8", "replace")
        .partition("\n")[0]
        .strip()
    )
    distribution = _Distribution(normal_name(stem), "", place)
    distribution.elsewhere = target if os.path.isabs(target) and "\0" not in target else ""
    distribution.missing = "" if distribution.elsewhere else "it names no folder: reinstall it"
    return distribution


def _read_record(project: Project, distribution: _Distribution, most_lines: int) -> None:
    text = project.text(os.path.join(distribution.folder, "RECORD"), MOST_BYTES)
    lines = text.splitlines()
    if len(lines) > most_lines:
        project.notify_limit(f"only the first {_MOST_LINES:,} files that RECORDs name are listed")
    distribution.lines = [
        line[1:].split('"', 1)[0] if line[:1] == '"' else line.split(",", 1)[0]
        for line in lines[:most_lines]
    ]
    url = project.read_start(os.path.join(distribution.folder, "direct_url.json"), _HEADERS_BYTES)
    if url is not None and re.search(rb'"editable"\s*:\s*true', url):
        address = re.search(rb'"url"\s*:\s*"file://([^"\\]*)"', url)
        path = (
            f"/{unquote(address[1].decode('utf-8', 'replace')).partition('/')[2]}"
            if address
            else ""
        )
        distribution.elsewhere = (
            os.path.realpath(path) if os.path.isabs(path) and "\0" not in path else ""
        )
        distribution.missing = (
            ""
            if distribution.elsewhere
            else "editable, but its metadata names no folder: reinstall it"
        )
        listed = project.text(
            os.path.join(distribution.folder, "top_level.txt"), _HEADERS_BYTES
        ).split()
        distribution.modules |= {
            name for name in listed or [distribution.name.replace("-", "_")] if name.isidentifier()
        }


def _read_modules(
    project: Project, distribution: _Distribution, entries: dict[str, FolderEntry]
) -> None:
    """Finds the files of a distribution without a RECORD, by the names of its modules."""
    names = project.text(os.path.join(distribution.folder, "top_level.txt"), _HEADERS_BYTES).split()
    for name in names or [distribution.name.replace("-", "_")]:
        for file in (name, f"{name}.py"):
            entry = entries.get(file)
            if entry is not None and not entry.is_link and name.isidentifier():
                distribution.files.append(file)
                distribution.modules.add(name)


def _read_paths(project: Project, folder: str, name: str) -> None:
    """Adds a notice for each folder that a `.pth` file adds and that belongs to no distribution."""
    text = project.text(os.path.join(folder, name), _HEADERS_BYTES)
    for line in text.splitlines()[:100]:
        if os.path.isabs(line) and "\0" not in line and not project.is_in_tree(line):
            place = project.relative(os.path.join(folder, name))
            project.notify(f"{place}: adds {line}, which is not read: make it a root of your own")


def _share_out(project: Project, folder: str, distributions: list[_Distribution]) -> None:
    """Assigns files and folders to the distributions, level by level from the top.

    Each level first counts how many distributions share each entry; then an entry of one
    distribution is claimed as a whole, and a shared folder is left to the next level. Paths that
    lead out of the folder are ignored: they are installed programs (`../../../bin/x`), or an
    attack.
    """
    entries = {entry.name: entry for entry in project.entries(folder)}
    level = [(distribution, "", distribution.lines) for distribution in distributions]
    for depth in range(_DEEPEST):
        owners: dict[str, int] = {}
        split = []
        for distribution, base, lines in level:
            if project.is_late():
                return
            heads = _heads(lines, len(base))
            split.append((distribution, base, lines, heads))
            for head in heads:
                owners[head] = owners.get(head, 0) + 1
        level = []
        for distribution, base, lines, heads in split:
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
                    _claim(project, distribution, head, is_folder)
            for start in shared:
                level.append(
                    (distribution, start, [line for line in lines if line.startswith(start)])
                )


def _heads(lines: list[str], skipped: int) -> dict[str, bool]:
    """Returns the next part of each path after `skipped` characters -> whether it is a folder."""
    if not skipped:
        return {line.partition("/")[0]: "/" in line for line in lines}
    heads = {}
    for line in lines:
        end = line.find("/", skipped)
        heads[line if end < 0 else line[:end]] = end >= 0
    return heads


def _claim(project: Project, distribution: _Distribution, head: str, is_folder: bool) -> None:
    if is_folder and head.endswith((".dist-info", ".egg-info", ".data", ".libs")):
        return
    parts = head.split("/")
    if not is_folder:
        parts[-1] = parts[-1].partition(".")[0]
        if parts[-1] == "__init__":
            parts.pop()
    is_name = all(part.isidentifier() for part in parts) and not parts[-1].endswith("__mypyc")
    if parts and is_name and (is_folder or head.endswith((".py", ".so", ".pyd"))):
        distribution.modules.add(".".join(parts))
    if is_folder or not head.endswith(_NOT_SOURCE):
        if len(distribution.files) < MOST_FILES:
            distribution.files.append(head)
        else:
            project.notify(
                f"{project.relative(distribution.folder)}: only {MOST_FILES:,} of its files are"
                " listed"
            )
