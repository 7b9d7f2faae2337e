"""Ruby: the gems that `Gemfile.lock` names, in the folders where Bundler, RubyGems and the managers
of Rubies install them."""

import os
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from symindex.packages.found.package import Package
from symindex.packages.found.project import MOST_BYTES, Project

_LOCK: Final = "Gemfile.lock"

_GEM: Final = re.compile(r"^    ([\w.-]{1,200}) \(([\w.+-]{1,100})\)$")
_DEPENDENCY: Final = re.compile(r"^  ([\w.-]{1,200})!?(?: \(|$)")
_OPTION: Final = re.compile(r"^  (remote|revision): (\S{1,1000})$")


class _Locked(NamedTuple):
    """section: `GEM`, `GIT`, `PATH`. remote, revision: of a repository."""

    name: str
    version: str
    section: str
    remote: str
    revision: str


def find(project: Project) -> Iterator[Package]:
    """The gems of all lock files."""
    folders = project.places(_LOCK)
    homes = list(_homes(project)) if folders else []
    seen: set[tuple[str, str, str]] = set()
    for folder in folders:
        source = os.path.join(folder, _LOCK)
        locked, direct = _read_lock(project.text(source, MOST_BYTES))
        bundled = os.path.join(folder, "vendor", "bundle")
        own = [
            place
            for kind in ("ruby", "jruby")
            for place in project.newest(os.path.join(bundled, kind))
        ]
        for each in locked:
            key = (each.name, each.version, each.section)
            if project.is_over(len(seen)):
                return
            if (
                key in seen or each.section == "PATH"
            ):  # a path is a part of the project, or a neighbour
                continue
            seen.add(key)
            if project.package("gem", each.name, each.version, None, source=source) is None:
                continue
            root = _find_gem(project, each, [*own, *homes])
            missing = (
                ""
                if root
                else f"not installed: run `bundle install` beside {project.relative(source)}"
            )
            package = project.package(
                "gem",
                each.name,
                each.version,
                root,
                source=source,
                modules=(each.name,),
                is_direct=each.name in direct,
                missing=missing,
            )
            if package is not None:
                yield package


def _read_lock(text: str) -> tuple[list[_Locked], set[str]]:
    locked, direct = {}, set()
    section, said = "", {"remote": "", "revision": ""}
    for line in text.splitlines():
        if line[:1].strip():
            section, said = line.strip(), {"remote": "", "revision": ""}
        elif section == "DEPENDENCIES" and (named := _DEPENDENCY.match(line)):
            direct.add(named[1])
        elif option := _OPTION.match(line):
            said[option[1]] = option[2]
        elif section in ("GEM", "GIT", "PATH") and (gem := _GEM.match(line)):
            # One gem may be locked for several platforms: the plain one comes first, or whichever
            # is installed.
            locked[gem[1], gem[2]] = _Locked(
                gem[1], gem[2], section, said["remote"], said["revision"]
            )
    return list(locked.values()), direct


def _find_gem(project: Project, each: _Locked, homes: list[str]) -> str | None:
    if each.section == "GIT":
        repository = each.remote.rstrip("/").rpartition("/")[2].removesuffix(".git")
        if not re.fullmatch("[0-9a-f]{12,64}", each.revision) or not re.fullmatch(
            r"[\w.-]{1,200}", repository
        ):
            return None
        ending = os.path.join("bundler", "gems", f"{repository}-{each.revision[:12]}")
    else:
        ending = os.path.join("gems", f"{each.name}-{each.version}")
    return next(
        (place for home in homes if project.is_folder(place := os.path.join(home, ending))), None
    )


def _homes(project: Project) -> Iterator[str]:
    """The folders of gems: what the user has named, then where they usually are."""
    for variable in ("BUNDLE_PATH", "GEM_HOME"):
        named = project.variable(variable)
        if named:
            yield named
            yield from project.newest(os.path.join(named, "ruby"))
    for part in project.environment.get("GEM_PATH", "").split(os.pathsep):
        if os.path.isabs(part) and "\0" not in part:
            yield os.path.realpath(part)
    home, usr = project.home, os.path.join(project.system, "usr")
    yield from project.newest(os.path.join(home, ".gem", "ruby"))
    yield from project.newest(os.path.join(home, ".local", "share", "gem", "ruby"))
    for versions in (
        ".rbenv/versions",
        ".asdf/installs/ruby",
        ".local/share/mise/installs/ruby",
        ".rubies",
    ):
        for version in project.newest(os.path.join(home, versions), "lib", "ruby", "gems"):
            yield from project.newest(version)
    yield from project.newest(os.path.join(home, ".rvm", "gems"))
    yield from project.newest(os.path.join(project.system, "var", "lib", "gems"))
    yield from project.newest(os.path.join(usr, "share", "rubygems-integration"))
    for place in (
        os.path.join(usr, "lib"),
        os.path.join(usr, "local", "lib"),
        os.path.join(project.system, "opt/homebrew/lib"),
    ):
        yield from project.newest(os.path.join(place, "ruby", "gems"))
    yield os.path.join(usr, "local", "bundle")
