"""The packages of the code corpus, as listed in `packages.toml`."""

import hashlib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

import msgspec

from tests.bench.places import HERE


class Package(msgspec.Struct, forbid_unknown_fields=True, frozen=True, rename={"source": "from"}):
    """One package; the head of `packages.toml` explains the fields."""

    name: str
    source: Literal["pip", "npm", "deb", "src"]
    version: str
    sha256: str
    inside: str = ""
    include: list[str] = []
    exclude: list[str] = []
    quick: bool = False

    @property
    def folder(self) -> str:
        """The name of its folder in the corpus."""
        return self.name.removeprefix("@").replace("/", "-")

    def wants(self, path: str) -> bool:
        """Whether a path below the package's root belongs in the corpus, whatever its suffix."""
        included = not self.include or any(fnmatchcase(path, glob) for glob in self.include)
        return included and not any(fnmatchcase(path, glob) for glob in self.exclude)


class PackageList(
    msgspec.Struct, forbid_unknown_fields=True, frozen=True, rename={"packages": "package"}
):
    """The content of `packages.toml`. debian: the release of the versions of `deb` and `src`
    packages."""

    debian: str
    suffixes: list[str]
    packages: list[Package]

    def stamp(self, package: Package) -> str:
        """Returns a digest that changes whenever the package's part of the corpus would."""
        return hashlib.sha256(msgspec.json.encode([package, self.suffixes])).hexdigest()


def read_packages(path: Path = HERE / "packages.toml") -> PackageList:
    """Returns the list. Raises msgspec.ValidationError with the name of a wrong key."""
    return msgspec.toml.decode(path.read_bytes(), type=PackageList)
