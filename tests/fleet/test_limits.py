"""Limits of catalogues, of the files of repositories and of what lies in a store: at each, and one
past it."""

import itertools
import os
import struct
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import msgspec
import pytest
import zstandard

from symindex.errors import IndexFileError
from symindex.extract.languages.registry import load_languages
from symindex.files.walk import MAX_FILE_BYTES
from symindex.fleet.building.reading_plan import KnownContent, TreeToRead, make_plan
from symindex.fleet.building.tasks import find_object
from symindex.fleet.cache import LocalCache
from symindex.fleet.catalogue.addresses import read_address
from symindex.fleet.catalogue.catalogue import read_catalogue
from symindex.fleet.catalogue.names import why_bad_name, why_bad_ref
from symindex.fleet.catalogue.repository import Limits
from symindex.fleet.catalogue.tokens import read_token
from symindex.fleet.catalogue.url_list import read_list
from symindex.fleet.stored.generation import Generation, RepositoryState, publish
from symindex.fleet.stored.repository_object import head_length, make_object
from symindex.fleet.stored.source_pack import PackTable, unpack
from symindex.fleet.stored.store import Store
from symindex.fleet.work import _size_of
from symindex.index.build import build_index
from symindex.index.store import index_file
from tests.fleet.repositories import bring, files_of, make_repository
from tests.support.files import write_files
from tests.support.limits import SAME, Limit, cases, check_limit


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


def unread(n: int, folder: Path) -> object:
    """Plans a tree with files that are too large."""
    root = folder / "tree"
    root.mkdir()
    for number in range(n):
        (root / f"{number}.py").touch()
        os.truncate(root / f"{number}.py", MAX_FILE_BYTES + 1)
    languages = load_languages()
    plan = make_plan(TreeToRead("a/b", str(root)), languages, b"", KnownContent())
    return len(plan.skips), plan.left_out


def writers(n: int, folder: Path) -> object:
    """Publishes while others do so before all but the last of `n` attempts."""
    store = Store(f"memory://{folder}")
    tries = itertools.count(1)

    def adding(generation: Generation, name: str) -> Generation:
        states = generation.repositories | {name: RepositoryState(name=name)}
        return msgspec.structs.replace(generation, repositories=states)

    def change(generation: Generation) -> Generation:
        if (number := next(tries)) < n:
            publish(store, lambda newest: adding(newest, f"other{number}"))
        return adding(generation, "own")

    return publish(store, change).number


def long_head(n: int, folder: Path) -> object:
    """Reads an object whose head has `n` bytes with its start."""
    store, rules = Store(f"memory://{folder}"), bytes(16)
    index = build_index([], (), rules)
    content = b"".join(index_file(index, rules))
    for length in range(n):
        name, pieces = make_object(
            "00",
            rules,
            (content, index.columns.generation),
            (0, 0, 0),
            ({}, [("x" * length, "reason")]),
            (PackTable([], [], []), []),
        )
        if len(pieces[0]) + len(pieces[1]) == n:
            break
    else:
        raise AssertionError("no path makes the head so long")
    store.write(name, b"".join(pieces))
    found = find_object(store, "00")
    cache = LocalCache(store, rules, folder / "cache")
    return found is not None and found.object == name, cache.repository(name).n_files


def head_of(n: int, folder: Path) -> object:
    try:
        return head_length(struct.pack("<8sII", b"SYMFLEET", 1, n), "x")
    except IndexFileError as error:
        return str(error).partition(";")[0]


def frame(n: int, folder: Path) -> object:
    """Unpacks frames that say their size, and that do not."""
    sizes = []
    for says_size in True, False:
        compressor = zstandard.ZstdCompressor(write_content_size=says_size).compressobj(
            size=n if says_size else -1
        )
        data = compressor.compress(bytes(n)) + compressor.flush()
        try:
            sizes.append(str(len(unpack(data)) == n))
        except IndexFileError as error:
            sizes.append(str(error))
    return sizes


def many_files(n: int, folder: Path) -> object:
    """Adds up the sizes of a file in each of `n` nested folders."""
    write_files(folder, {f"tree/{'d/' * level}f": "x" for level in range(n)})
    return _size_of(str(folder / "tree"))


FORGE = "TMP/fleet.toml: [[organisation]] 1 (o): Expected"
KEYS = "the keys are forge, name, url, token_env, include, exclude, archived, forks"
TOP = "the keys are repository, list, organisation, store, source_folder, max_repository_bytes, max_files, seconds"
OF_LIMITS = "the keys are max_repository_bytes, max_files, seconds"

TOO_LARGE = "larger than the size limit"

LIMITS = [
    Limit("fleet.building.reading_plan.MOST_SKIPS", 2, unread, (2, {TOO_LARGE: 2}), (2, {TOO_LARGE: 3})),
    Limit("fleet.stored.generation.MOST_TRIES", 3, writers, 3, "memory://TMP: others keep writing generations; try again later"),
    Limit("fleet.stored.repository_object.HEAD_BYTES", 200, long_head, (True, 0), SAME),
    Limit("fleet.stored.repository_object.MOST_HEAD_BYTES", 100, head_of, 116, "x: damaged (a head of 101 bytes)"),
    Limit("fleet.stored.source_pack.MOST_FRAME_BYTES", 300_000, frame, ["True", "True"], ["a source pack is damaged (a frame of more than 300,000 bytes)", "a source pack is damaged (decompression error: did not decompress full frame)"]),
    Limit("fleet.work._MOST_COUNTED", 2, many_files, 2, 3, unit=2),
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
