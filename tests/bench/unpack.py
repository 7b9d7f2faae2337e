"""Unpacks the needed files of a package's archive, in any format, as plain files."""

import io
import os
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from tests.bench.packages import Package, PackageList
from tests.bench.places import BenchError


def unpack_package(package: Package, every: PackageList, archive: Path, target: Path) -> int:
    """Writes the package's share of the corpus to the folder `target`, which appears only when it
    is complete.

    Returns the number of files. Raises BenchError if there are none.
    """
    part = target.parent / f".{target.name}.part"
    for folder in (part, target):
        shutil.rmtree(folder, ignore_errors=True)
    members = _members_of(archive)
    if package.inside:
        whole = next((data for path, data in members if path == package.inside), None)
        if whole is None:
            raise BenchError(f"{package.name} {package.version}: holds no {package.inside}")
        members = _zip_members(io.BytesIO(whole))
    count = 0
    for path, data in members:
        if os.path.splitext(path)[1] in every.suffixes and package.wants(path):
            place = part / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            count += 1
    if not count:
        raise BenchError(f"{package.name} {package.version}: nothing in it is included")
    part.rename(target)
    return count


def _members_of(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yields paths and contents of the regular files, except those that would be outside the
    tree."""
    if archive.suffix in (".whl", ".zip"):
        return _zip_members(archive)
    if archive.suffix == ".deb":
        return _deb_members(archive)
    return _tar_members(archive)


def _deb_members(archive: Path) -> Iterator[tuple[str, bytes]]:
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", str(archive)], stdout=subprocess.PIPE
    ) as process:
        yield from _tar_members(process.stdout)


def _tar_members(archive: Path | IO[bytes] | None) -> Iterator[tuple[str, bytes]]:
    with (
        tarfile.open(archive)
        if isinstance(archive, Path)
        else tarfile.open(fileobj=archive, mode="r|") as tar
    ):
        for member in tar:
            path = _safe(member.name)
            if member.isreg() and path:
                file = tar.extractfile(member)
                assert file is not None
                yield path, file.read()


def _zip_members(archive: Path | io.BytesIO) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as file:
        for member in file.infolist():
            path = _safe(member.filename)
            if not member.is_dir() and path:
                yield path, file.read(member)


def _safe(name: str) -> str:
    path = PurePosixPath(name)
    return "" if path.is_absolute() or ".." in path.parts else str(path)
