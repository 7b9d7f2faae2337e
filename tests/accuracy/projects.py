"""Fetches real projects from the registries, by name and version, into trees in the cache
folder."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import Languages
from tests.accuracy.places import AccuracyError, cache, say
from tests.accuracy.tools import run

LARGEST = 2_000_000


def tree_of(project: str, trees: Path | None = None) -> Path:
    """Returns the folder of `source:name@version[:folder]`, and fetches it if it is missing."""
    source, rest = project.split(":", 1)
    package, _, folder = rest.partition(":")
    if source == "here":
        return Path(package)
    name, _, version = package.rpartition("@")
    place = (trees or cache() / "trees") / f"{source}-{package.replace('/', '-').replace(':', '_')}"
    if not place.exists():
        say(f"fetching {project}")
        part = place.with_name(place.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        (part / ".archive").mkdir(parents=True)
        _fetch(source, name, version, part / ".archive")
        for archive in sorted((part / ".archive").iterdir()):
            _unpack(archive, part)
        shutil.rmtree(part / ".archive")
        part.rename(place)
    tree = place / folder
    if not tree.exists():
        raise AccuracyError(f"{project}: holds no {folder}")
    return tree


def _fetch(source: str, name: str, version: str, place: Path) -> None:
    match source:
        case "npm":
            run(["npm", "pack", "--silent", f"{name}@{version}"], place)
        case "pip":
            run(
                [
                    sys.executable,
                    "-m",
                    "pip",
                    "download",
                    "--quiet",
                    "--no-deps",
                    f"{name}=={version}",
                ],
                place,
            )
        case "sdist":
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--no-binary=:all:",
            ]
            run([*command, f"{name}=={version}"], place)
        case "deb":
            run(
                [
                    "apt-get",
                    *_apt_sources(),
                    "download",
                    "-qq",
                    f"{name}={version}" if version else name,
                ],
                place,
            )
        case "src":
            wanted = f"{name}={version}" if version else name
            run(
                [
                    "apt-get",
                    *_apt_sources(),
                    "source",
                    "-qq",
                    "--download-only",
                    "--tar-only",
                    wanted,
                ],
                place,
            )
        case _:
            raise AccuracyError(f"{source}: pip, sdist, npm, deb or src")


def _apt_sources() -> list[str]:
    """Returns apt's options for a separate package list that also has sources, fetched once."""
    state = cache() / "apt"
    sources, lists = state / "sources.list", state / "lists"
    options = [
        "-o",
        "APT::Sandbox::User=root",
        "-o",
        f"Dir::Etc::sourcelist={sources}",
        "-o",
        f"Dir::Etc::sourceparts={state}/none",
    ]
    options += [
        "-o",
        f"Dir::State::lists={lists}",
        "-o",
        "Dir::Cache::pkgcache=",
        "-o",
        "Dir::Cache::srcpkgcache=",
        "-o",
        "Acquire::Retries=3",
    ]
    if not sources.exists():
        for name in ("none", "lists/partial"):
            (state / name).mkdir(parents=True, exist_ok=True)
        targets = run(
            [
                "apt-get",
                "indextargets",
                "--format",
                "$(REPO_URI) $(COMPONENT)",
                "Created-By: Packages",
            ]
        ).stdout
        mirrors = sorted(
            {
                row.split()[0]
                for row in targets.splitlines()
                if row.split()[1:] == ["main"] and "security" not in row
            }
        )
        if not mirrors:
            raise AccuracyError("apt knows no mirror of Debian's main")
        key = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
        sources.write_text(
            "".join(f"{kind} {key}{mirrors[0]} bookworm main\n" for kind in ("deb", "deb-src"))
        )
        run(["apt-get", *options, "update", "-qq"])
    return options


def _unpack(archive: Path, place: Path) -> None:
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as file:
            file.extractall(place)
    elif archive.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", str(archive), str(place)], check=True)
    else:
        with tarfile.open(archive) as file:
            file.extractall(place, filter="data")


def files_of(folder: Path, language: Language, languages: Languages, only: str = "") -> list[Path]:
    """Returns the files of a tree in the language, up to LARGEST bytes."""
    paths = [folder] if folder.is_file() else sorted(folder.rglob(only or "*"))
    files = []
    for path in paths:
        fits = path.is_file() and not path.is_symlink() and 0 < path.stat().st_size <= LARGEST
        if fits and languages.by_content(path.name, path.read_bytes()) is language:
            files.append(path)
    return files
