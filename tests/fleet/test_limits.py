"""Limits of catalogues and of the files of repositories: at each, and one past it."""

import os
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from symindex.fleet.catalogue.addresses import read_address
from symindex.fleet.catalogue.catalogue import read_catalogue
from symindex.fleet.catalogue.names import why_bad_name, why_bad_ref
from symindex.fleet.catalogue.repository import Limits
from symindex.fleet.catalogue.tokens import read_token
from symindex.fleet.catalogue.url_list import read_list
from tests.fleet.repositories import bring, files_of, make_repository
from tests.support.files import write_files
from tests.support.limits import Limit, cases, check_limit


def long_address(n: int, folder: Path) -> object:
    return len(read_address("/" + "x" * (n - 1), folder).location) == n


def read(folder: Path, text: str) -> object:
    write_files(folder, {"fleet.toml": text})
    catalogue = read_catalogue(folder / "fleet.toml")
    return len(catalogue.repositories), len(catalogue.organisations)


def large_catalogue(n: int, folder: Path) -> object:
    return read(folder, "#" * (n - 1) + "\n")


def repositories(n: int, folder: Path) -> object:
    return read(folder, "".join(f'[[repository]]\nfolder = "f{k}"\n' for k in range(n)))


def organisations(n: int, folder: Path) -> object:
    return read(
        folder, "".join(f'[[organisation]]\nforge = "github"\nname = "o{k}"\n' for k in range(n))
    )


def globs(n: int, folder: Path) -> object:
    text = f'[[organisation]]\nforge = "github"\nname = "o"\ninclude = {["a"] * n}\n'
    return read(folder, text)


def long_glob(n: int, folder: Path) -> object:
    return read(
        folder, f'[[organisation]]\nforge = "github"\nname = "o"\ninclude = ["{"a" * n}"]\n'
    )


def refs(n: int, folder: Path) -> object:
    return read(folder, f'[[repository]]\nurl = "x"\nrefs = {[f"r{k}" for k in range(n)]}\n')


def setting(name: str) -> Callable[[int, Path], object]:
    return lambda n, folder: read(folder, f"{name} = {n}\n")


def long_token(n: int, folder: Path) -> object:
    with mock.patch.dict(os.environ, {"T": "x" * n}):
        return len(read_token("T", "place"))


def large_list(n: int, folder: Path) -> object:
    write_files(folder, {"urls.txt": "#" * (n - 1) + "\n"})
    return [*read_list(folder / "urls.txt")]


def long_path(n: int, folder: Path) -> object:
    there = make_repository(folder / "there", {"d/" + "x" * (n - 2): "x", "ok": "x"})
    return len(files_of(bring(there, folder)))


def long_listing(n: int, folder: Path) -> object:
    """The list of one file has 62 bytes and its path."""
    there = make_repository(folder / "there", {"x" * (n - 63): "x"})
    with mock.patch("symindex.fleet.sources.git_tree._LEAST_LISTING", 0):
        return len(files_of(bring(there, folder, Limits(max_files=1, seconds=60))))


FORGE = "TMP/fleet.toml: [[organisation]] 1 (o): Expected"
KEYS = "the keys are forge, name, url, token_env, include, exclude, archived, forks"
TOP = "the keys are repository, list, organisation, store, source_folder, max_repository_bytes, max_files, seconds"
OF_LIMITS = "the keys are max_repository_bytes, max_files, seconds"

LIMITS = [
    Limit("fleet.catalogue.addresses.LONGEST_ADDRESS", 12, long_address, True, "'/xxxxxxxxxxxx' is not an address: expected one such as https://example.org/team/web.git, git@host:team/web, or the path of a folder"),
    Limit("fleet.catalogue.catalogue.MOST_BYTES", 100, large_catalogue, (0, 0), "TMP/fleet.toml: cannot be read: larger than 100 bytes"),
    Limit("fleet.catalogue.catalogue.MOST_REPOSITORIES", 2, repositories, (2, 0), "TMP/fleet.toml: more than 2 repositories: divide them into fleets"),
    Limit("fleet.catalogue.catalogue.MOST_ORGANISATIONS", None, organisations, (0, 100), f"TMP/fleet.toml: Expected `array` of length <= 100 - at `$.organisation`; {TOP}"),
    Limit("fleet.catalogue.catalogue._MOST_GLOBS", None, globs, (0, 1), f"{FORGE} `array` of length <= 100 - at `$.include`; {KEYS}"),
    Limit("fleet.catalogue.catalogue._LONGEST_GLOB", None, long_glob, (0, 1), f"{FORGE} `str` of length <= 200 - at `$.include[0]`; {KEYS}"),
    Limit("fleet.catalogue.catalogue._MOST_REFS", None, refs, (50, 0), "TMP/fleet.toml: [[repository]] 1 (x): Expected `array` of length <= 50 - at `$.refs`; the keys are url, folder, archive, name, ref, refs, token_env"),
    Limit("fleet.catalogue.names.LONGEST_NAME", 5, lambda n, _: why_bad_name("x" * n), "", "it has 6 characters, more than 5"),
    Limit("fleet.catalogue.names._LONGEST_REF", 5, lambda n, _: why_bad_ref("x" * n), "", "it has 6 characters, more than 5"),
    Limit("fleet.catalogue.repository.LARGEST_BYTES", None, setting("max_repository_bytes"), (0, 0), f"TMP/fleet.toml: Expected `int` <= 100000000000 - at `$.max_repository_bytes`; {OF_LIMITS}"),
    Limit("fleet.catalogue.repository.LARGEST_FILES", None, setting("max_files"), (0, 0), f"TMP/fleet.toml: Expected `int` <= 5000000 - at `$.max_files`; {OF_LIMITS}"),
    Limit("fleet.catalogue.repository.LARGEST_SECONDS", None, setting("seconds"), (0, 0), f"TMP/fleet.toml: Expected `float` <= 86400.0 - at `$.seconds`; {OF_LIMITS}"),
    Limit("fleet.catalogue.tokens._LONGEST_TOKEN", 5, long_token, 5, "place: T is no token: it is too long, or not one line"),
    Limit("fleet.catalogue.url_list.MOST_LIST_BYTES", 100, large_list, [], "TMP/urls.txt: cannot be read: larger than 100 bytes"),
    Limit("fleet.sources.git_tree._LONGEST_PATH", 12, long_path, 2, 1),
    Limit("fleet.sources.git_tree._ENTRY_BYTES", 100, long_listing, 1, "TMP/there: the paths of its files have more than 100 bytes: raise `max_files`, or leave it out"),
]  # fmt: skip


@cases(LIMITS)
def test_at_a_limit_and_past_it(
    case: Limit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    check_limit(case, monkeypatch, tmp_path)
