"""Packages for tests, and a store for their indexes."""

from pathlib import Path

from symindex.extract.languages.registry import load_languages
from symindex.packages.found.package import Package
from symindex.packages.indexes.environment import Environment
from symindex.packages.indexes.package_build import BuildReport, build_packages
from symindex.packages.indexes.package_store import PackageStore
from symindex.protocol.search import SearchRequest
from symindex.search.answer.answer import answer
from symindex.search.answer.plan import make_plan
from tests.support.files import Files, write_files

RULES = b"r" * 16


def make_package(place: Path, files: Files, name: str = "thing", version: str = "1.0") -> Package:
    """Makes a package in its own folder."""
    write_files(place, files)
    return Package("npm", name, version, place, modules=(name,))


def make_store(tmp_path: Path) -> PackageStore:
    return PackageStore(tmp_path / "cache" / "packages", RULES)


def build(store: PackageStore, *packages: Package, wait_seconds: float = 0.0) -> BuildReport:
    """Builds indexes in this process, with one worker."""
    return build_packages(
        packages, store, load_languages(check=False), n_workers=1, wait_seconds=wait_seconds
    )


def find(environment: Environment, query: str) -> list[str]:
    """Returns the ids that a search of all packages finds."""
    request = SearchRequest(query=query, include=["id"], fuzzy=False)
    return [
        str(item.id)
        for item in answer(
            environment.snapshot(),
            make_plan(request, load_languages(check=False)),
        ).items
    ]
