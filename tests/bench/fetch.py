"""Fetches packages from the registries into the download folder, with the registries' ordinary
clients as they are configured.

Debian's packages come through a separate package list, made from the mirror that this machine uses.
So source packages need no `deb-src` line, nothing needs root, and the release is the same on every
machine.
"""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.packages import Package, PackageList
from tests.bench.places import BenchError, say

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def fetch_package(package: Package, every: PackageList, folder: Path) -> Path:
    """Returns the package's file in `folder`, downloaded if it is missing. Raises BenchError."""
    place = folder / f"{package.source}-{package.folder}-{package.version.replace(':', '_')}"
    file = _only_file(place)
    if file is not None and _sha256(file) == package.sha256:
        return file
    say(f"fetching {package.name} {package.version} ({package.source})")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    match package.source:
        case "pip":
            _fetch_pip(package, place)
        case "npm":
            _run(
                ["npm", "pack", "--silent", f"{package.name}@{package.version}"],
                place,
                package,
                "apt-get install npm",
            )
        case "deb":
            _apt(
                every,
                folder,
                ["download", "-qq", f"{package.name}={package.version}"],
                place,
                package,
            )
        case "src":
            wanted = f"{package.name}={package.version}"
            _apt(
                every,
                folder,
                ["source", "-qq", "--download-only", "--tar-only", wanted],
                place,
                package,
            )
    file = _only_file(place)
    if file is None:
        raise BenchError(
            f"{package.name} {package.version}: the client left no file, or several, in {place}"
        )
    digest = _sha256(file)
    if digest != package.sha256:
        raise BenchError(
            f"{package.name} {package.version}: SHA-256 {digest}, not {package.sha256} as in packages.toml"
        )
    return file


def _only_file(place: Path) -> Path | None:
    files = list(place.iterdir()) if place.is_dir() else []
    return files[0] if len(files) == 1 else None


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch_pip(package: Package, place: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ]
    _run(
        [*command, "--only-binary=:all:", f"{package.name}=={package.version}"],
        place,
        package,
        "python -m ensurepip",
    )


def _apt(
    every: PackageList, folder: Path, arguments: Sequence[str], place: Path, package: Package
) -> None:
    options = _apt_options(every, folder, package)
    _run(
        ["apt-get", *options, *arguments],
        place,
        package,
        f"the versions are those of Debian {every.debian}",
    )


def _apt_options(every: PackageList, folder: Path, package: Package) -> list[str]:
    """Returns options that make apt use our own package list; fetches the list if there is none."""
    state = folder / "apt"
    sources, lists = state / "sources.list", state / "lists"
    options = [
        # otherwise apt's own user would need access to our folder
        *("-o", "APT::Sandbox::User=root"),
        *("-o", f"Dir::Etc::sourcelist={sources}"),
        *("-o", f"Dir::Etc::sourceparts={state / 'none'}"),
        *("-o", f"Dir::State::lists={lists}"),
        *("-o", "Dir::Cache::pkgcache="),
        *("-o", "Dir::Cache::srcpkgcache="),
    ]
    if not sources.exists():
        for name in ("none", "lists/partial"):
            (state / name).mkdir(parents=True, exist_ok=True)
        text = _sources(every, state, package)
        try:
            sources.write_text(text)
            _run(
                ["apt-get", *options, "update", "-qq"],
                state,
                package,
                "the mirror must be a Debian mirror",
            )
        except BenchError:
            sources.unlink()
            raise
    return options


def _sources(every: PackageList, state: Path, package: Package) -> str:
    command = [
        "apt-get",
        "indextargets",
        "--format",
        "$(REPO_URI) $(RELEASE) $(COMPONENT)",
        "Created-By: Packages",
    ]
    listed = _run(
        command,
        state,
        package,
        "these packages need a machine with apt: Debian, or a container of it",
    )
    codename = _codename()
    mirrors = sorted(
        {row.split()[0] for row in listed.splitlines() if row.split()[1:] == [codename, "main"]}
    )
    if not mirrors:
        raise BenchError(
            f"{package.name}: apt knows no mirror with main of {codename or 'Debian'}; add one to its sources"
        )
    signed = f"[signed-by={KEYRING}] " if KEYRING.exists() else ""
    return "".join(
        f"{kind} {signed}{mirrors[0]} {every.debian} main\n" for kind in ("deb", "deb-src")
    )


def _codename() -> str:
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return ""
    return next(
        (
            line.partition("=")[2].strip('"')
            for line in lines
            if line.startswith("VERSION_CODENAME=")
        ),
        "",
    )


def _run(command: Sequence[str], folder: Path, package: Package, advice: str) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise BenchError(
            f"{package.name} {package.version}: {command[0]} is not here: {advice}"
        ) from None
    if done.returncode:
        lines = [
            line
            for line in (done.stderr or done.stdout).splitlines()
            if line.strip() and not line.startswith("W")
        ]
        reason = lines[-1].strip() if lines else f"exit code {done.returncode}"
        raise BenchError(f"{package.name} {package.version}: {command[0]}: {reason} ({advice})")
    return done.stdout
