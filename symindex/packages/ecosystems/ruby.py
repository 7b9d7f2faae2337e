"""Ruby: the gems that `Gemfile.lock` names, in the folders where Bundler, RubyGems and Ruby version
managers install them."""

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


class _LockedGem(NamedTuple):
    """A locked gem. section: `GEM`, `GIT` or `PATH`. remote, revision: its repository."""

    name: str
    version: str
    section: str
    remote: str
    revision: str


def find(project: Project) -> Iterator[Package]:
    """Yields the gems of all lock files."""
    folders = project.places(_LOCK)
    homes = list(_homes(project)) if folders else []
    seen: set[tuple[str, str, str]] = set()
    for folder in folders:
        source = os.path.join(folder, _LOCK)
        locked, direct = _read_lock(project.text(source, MOST_BYTES))
        bundled = os.path.join(folder, "vendor", "bundle")
        bundled_homes = [
            place
            for kind in ("ruby", "jruby")
            for place in project.newest(os.path.join(bundled, kind))
        ]
        for gem in locked:
            key = (gem.name, gem.version, gem.section)
            if project.is_over(len(seen)):
                return
            # A path gem is a part of the project or of a neighbouring folder.
            if key in seen or gem.section == "PATH":
                continue
            seen.add(key)
            if project.package("gem", gem.name, gem.version, None, source=source) is None:
                continue
            root = _find_gem(project, gem, [*bundled_homes, *homes])
            missing = (
                ""
                if root
                else f"not installed: run `bundle install` next to {project.relative(source)}"
            )
            package = project.package(
                "gem",
                gem.name,
                gem.version,
                root,
                source=source,
                modules=(gem.name,),
                is_direct=gem.name in direct,
                missing=missing,
            )
            if package is not None:
                yield package


def _read_lock(text: str) -> tuple[list[_LockedGem], set[str]]:
    locked, direct = {}, set()
    section, options = "", {"remote": "", "revision": ""}
    for line in text.splitlines():
        if line[:1].strip():
            section, options = line.strip(), {"remote": "", "revision": ""}
        elif section == "DEPENDENCIES" and (dependency := _DEPENDENCY.match(line)):
            direct.add(dependency[1])
        elif option := _OPTION.match(line):
            options[option[1]] = option[2]
        elif section in ("GEM", "GIT", "PATH") and (gem := _GEM.match(line)):
            # A gem may be locked for several platforms, each of which is part of the version.
            locked[gem[1], gem[2]] = _LockedGem(
                gem[1], gem[2], section, options["remote"], options["revision"]
            )
    return list(locked.values()), direct


def _find_gem(project: Project, gem: _LockedGem, homes: list[str]) -> str | None:
    if gem.section == "GIT":
        repository = gem.remote.rstrip("/").rpartition("/")[2].removesuffix(".git")
        if not re.fullmatch("[0-9a-f]{12,64}", gem.revision) or not re.fullmatch(
            r"[\w.-]{1,200}", repository
        ):
            return None
        ending = os.path.join("bundler", "gems", f"{repository}-{gem.revision[:12]}")
    else:
        ending = os.path.join("gems", f"{gem.name}-{gem.version}")
    return next(
        (place for home in homes if project.is_folder(place := os.path.join(home, ending))), None
    )


def _homes(project: Project) -> Iterator[str]:
    """Yields the folders with gems: those that the user has named, then the usual ones."""
    for variable in ("BUNDLE_PATH", "GEM_HOME"):
        configured = project.variable(variable)
        if configured:
            yield configured
            yield from project.newest(os.path.join(configured, "ruby"))
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
