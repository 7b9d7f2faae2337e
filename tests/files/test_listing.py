"""Which files are listed, skipped and explained, called directly: names, filters, walks, spot checks,
listings of text files, the cached filter, places."""

import os
import stat
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.files import forked_walk, locations, spot_check, text_files, walk
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.change_stamp import change_stamp
from symindex.files.file_names import is_device, made_from, suffixes
from symindex.files.filter_cache import cached_filter, store_filter
from symindex.files.forked_walk import ForkedWalk, _add, _Watch
from symindex.files.ignore import git_inspection, git_repository
from symindex.files.ignore.git_command import find_git
from symindex.files.ignore.git_folder import ForeignGitError, git_folder
from symindex.files.ignore.selection import Selection
from symindex.files.index_place import index_name, nearest_above
from symindex.files.left_out import tell_left_out, why_left_out
from symindex.files.skips import (
    Skip,
    SkipReason,
    escaped_name,
    name_of_escaped,
    tell_not_looked_into,
    tell_skip,
    tell_unread,
)
from symindex.files.text_files import TextFiles
from symindex.files.user_folders import cache_folder, config_folder, own_data_folder
from symindex.files.walk import FileFilter, FoundFile, FoundFiles, Walk, walk_folders, walk_tree
from tests.support.files import write_files
from tests.support.git import git

often = settings(max_examples=50)

FILTER: Final = FileFilter(
    frozenset({".py", ".app.src"}),
    frozenset({"Makefile.am"}),
    100,
    deselected=frozenset({".go", "BUILD.x"}),
    items=("skills/*.txt",),
    excluded_names=frozenset({"no.py", "none"}),
)


@pytest.mark.parametrize(
    ("name", "endings", "target"),
    [
        ("a.py", [".py"], ""),
        ("a.app.src", [".app.src", ".src"], ""),
        (".bashrc", [], ""),
        (".a.b", [".b"], ""),
        ("a", [], ""),
        ("a.sh.in", [".sh.in", ".in"], "a.sh"),
        ("a.TMPL", [".TMPL"], "a"),
        (".in", [], ""),
        ("a.b.c.d", [".c.d", ".d"], ""),
        ("a..b", ["..b", ".b"], ""),
    ],
)
def test_extensions_and_templates(name: str, endings: list[str], target: str) -> None:
    assert ([*suffixes(name)], made_from(name)) == (endings, target)


@pytest.mark.parametrize(
    ("part", "is_one"),
    [
        ("con", True),
        ("NUL.txt", True),
        ("com1", True),
        ("com10", False),
        ("lpt²", True),
        ("console", False),
        ("aux :x", True),
        ("CONIN$", True),
    ],
)
def test_names_of_devices(part: str, is_one: bool) -> None:
    assert is_device(part) is is_one


@pytest.mark.parametrize(
    ("path", "is_taken"),
    [
        ("a.py", True), ("a.PY", True), ("a.app.src", True), ("a.APP.src", True), ("b.src", False),
        ("Makefile.am", True), ("makefile.am", False), ("x/y", True), (".hidden", True), ("no.py", False),
        ("none", False), ("a.py.in", True), ("a.x.in", False), ("Makefile.am.in", True), ("no.py.in", False),
        ("skills/a.txt", True), ("Skills/A.TXT", True), ("skills/b/a.txt", False), ("a.txt", False), ("d.go", False),
    ],
)  # fmt: skip
def test_which_files_a_filter_takes(path: str, is_taken: bool) -> None:
    assert FILTER.takes_path(path) is is_taken
    assert FILTER._replace(items=("skills/*",)).takes_item("skills/x.y.z") is True
    assert FILTER._replace(items=()).takes_item("skills/a.txt") is False


ROWS: Final = st.lists(
    st.tuples(st.sampled_from("abcé"), st.integers(0, 9), st.integers(-9, 9), st.integers(0, 9)),
    unique_by=lambda row: row[0],
)


@often
@given(ROWS, st.integers(0, 4))
def test_columns_of_files(rows: list[tuple[str, int, int, int]], number: int) -> None:
    files = FoundFiles()
    for path, size, mtime, stamp in rows:
        files.paths.append(path)
        files.sizes.append(size)
        files.mtimes.append(mtime)
        files.stamps.append(stamp)
    expected = [FoundFile(*row) for row in rows]
    assert list(files) == expected and len(files) == len(rows)
    assert files.since(number) == expected[number:]
    copy = FoundFiles(
        files.blob, files.sizes.tobytes(), files.mtimes.tobytes(), files.stamps.tobytes()
    )
    assert list(copy) == expected and copy.blob == files.blob
    copy.sort()
    assert list(copy) == sorted(expected)
    assert [copy[i] for i in range(len(rows))] == sorted(expected)


TREE: Final[dict[str, str | bytes]] = {
    "a.py": "x", "b.txt": "x", "c.go": "x", "BUILD.x": "x", "symindex.toml": "", "big.py": "x" * 101,
    "exact.py": "x" * 100, "skills/a.txt": "x", ".gitignore": "ignored/\n*.log.py\n", ".ignore": "hidden.py\n",
    "ignored/a.py": "x", "x.log.py": "x", "hidden.py": "x", "node_modules/a.py": "x", "venv/pyvenv.cfg": "",
    "venv/a.py": "x", "bare/HEAD": "", "bare/config": "", "bare/objects/x": "", "bare/refs/x": "", "sub/b.py": "x",
    "sub/deep/c.py": "x", "out/d.py": "x", "partly/HEAD": "", "partly/config": "", "partly/objects/x.py": "",
}  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = write_files(tmp_path / "tree", TREE)
    (root / "link.py").symlink_to("a.py")
    os.mkfifo(root / "pipe.py")
    os.close(os.open(os.fsencode(root) + b"/bad\xff.py", os.O_CREAT | os.O_WRONLY))
    return root


CHOSEN: Final = FILTER._replace(selection=Selection(exclude=("out/**",)))

FILES: Final = [
    "a.py",
    "exact.py",
    "partly/HEAD",
    "partly/config",
    "partly/objects/x.py",
    "skills/a.txt",
    "sub/b.py",
    "sub/deep/c.py",
]

SKIPS: Final = [
    Skip("bad\\xff.py", SkipReason.BAD_NAME),
    Skip("bare/", SkipReason.REPOSITORY),
    Skip("big.py", SkipReason.TOO_LARGE, "101 bytes"),
    Skip("link.py", SkipReason.SYMLINK),
    Skip("node_modules/", SkipReason.DEPENDENCIES),
    Skip("pipe.py", SkipReason.NOT_A_FILE),
    Skip("venv/", SkipReason.DEPENDENCIES),
]


def test_what_a_walk_takes_skips_and_counts(tree: Path) -> None:
    taken = [".gitignore", ".ignore", *FILES]
    for walked in (walk_tree(tree, CHOSEN), forked(tree)):
        assert walked.files.paths == taken
        assert walked.skips == SKIPS
        assert (walked.ignored, walked.hidden, walked.deselected) == (2, 1, 3)
        assert walked.ignored_paths == ["hidden.py", "ignored/", "x.log.py"]
        assert walked.unsupported == {".txt": 1}
        for file in walked.files:
            status = os.lstat(tree / file.path)
            assert file[1:] == (status.st_size, status.st_mtime_ns, change_stamp(status))
    folders = {"", "partly/", "partly/objects/", "skills/", "sub/", "sub/deep/"}
    assert walk_tree(tree, CHOSEN).folders.keys() == folders
    assert walk_folders(tree, CHOSEN.selection).keys() == folders


def forked(root: Path, since_ns: int = sys.maxsize) -> Walk:
    walking = ForkedWalk(root, CHOSEN, since_ns)
    try:
        walked = walking.result()
        assert walked is not None
        return walked
    finally:
        walking.close()


def test_files_are_passed_on_while_a_walk_goes_on(tree: Path) -> None:
    write_files(tree, {f"many{number}/{i}.py": "" for number in range(3) for i in range(60)})
    portions: list[list[FoundFile]] = []
    walked = walk_tree(tree, CHOSEN, portions.append)
    assert sorted(file for portion in portions for file in portion) == list(walked.files)
    assert len(portions) > 1 and all(len(portion) >= 100 for portion in portions[:-1])


@pytest.mark.parametrize(
    ("path", "skip"),
    [
        ("a.py", None),
        ("none.py", None),
        ("none/none.py", None),
        ("sub", None),
        ("sub/", None),
        ("b.txt", Skip("b.txt", SkipReason.UNSUPPORTED)),
        ("ignored/a.py", Skip("ignored/", SkipReason.IGNORED)),
        ("ignored", Skip("ignored/", SkipReason.IGNORED)),
        ("x.log.py", Skip("x.log.py", SkipReason.IGNORED)),
        ("hidden.py", Skip("hidden.py", SkipReason.HIDDEN)),
        ("venv/a.py", Skip("venv/", SkipReason.DEPENDENCIES)),
        ("venv", Skip("venv/", SkipReason.DEPENDENCIES)),
        ("bare/HEAD", Skip("bare/", SkipReason.REPOSITORY)),
        ("big.py", Skip("big.py", SkipReason.TOO_LARGE, "101 bytes")),
        ("link.py", Skip("link.py", SkipReason.SYMLINK)),
        ("out/d.py", Skip("out/", SkipReason.DESELECTED)),
        ("out", Skip("out", SkipReason.DESELECTED)),
        (".git/config", None),
    ],
)
def test_why_a_path_is_left_out(path: str, skip: Skip | None, tree: Path) -> None:
    assert why_left_out(tree, path, CHOSEN) == skip


def test_why_a_path_is_left_out_beyond_the_recorded_ones(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MOST_IGNORED", 0)
    assert why_left_out(tree, "x.log.py", CHOSEN) == Skip("x.log.py", SkipReason.IGNORED)
    assert why_left_out(tree, "hidden.py", CHOSEN) == Skip("hidden.py", SkipReason.HIDDEN)
    assert why_left_out(tree, "ignored/a.py", CHOSEN) == Skip("ignored/", SkipReason.IGNORED)


REMEDIES: list[tuple[Skip, str]] = [
    (Skip("a.js", SkipReason.MINIFIED), 'minified; minified = ["a.js"] in symindex.toml includes it'),
    (Skip("a", SkipReason.TOO_LARGE, "5 bytes"), "larger than the size limit (5 bytes); max_file_bytes in symindex.toml raises the limit"),
    (Skip("a/node_modules/b", SkipReason.IGNORED), "ignored by git's rules; packages are searched by space: system"),
    (Skip("a", SkipReason.IGNORED), "ignored by git's rules; git add -f includes it, or a .gitignore without that rule"),
    (Skip("a", SkipReason.HIDDEN), "ignored by rules for searchers (.ignore, .rgignore); a .rgignore with !PATH includes it"),
    (Skip("a", SkipReason.BAD_NAME), "its name is not valid Unicode; a name in UTF-8 includes it"),
    (Skip("a", SkipReason.DEPENDENCIES), "installed dependencies or a cache; packages are searched by space: system"),
    (Skip("a", SkipReason.BINARY), "binary"),
]  # fmt: skip


@pytest.mark.parametrize(("skip", "text"), REMEDIES)
def test_how_to_include_what_is_left_out(skip: Skip, text: str) -> None:
    assert tell_left_out(skip) == f"{skip.path} is not in the index: {text}"


def test_what_is_said_of_files_that_were_not_read() -> None:
    skips = [Skip(name, SkipReason.BINARY) for name in "abcd"]
    assert tell_unread([], "uses") == ""
    assert tell_unread(skips[:1], "uses") == "1 file was not read and may contain uses: a (binary)"
    assert tell_unread(skips[:3], "uses").endswith("uses: a (binary), b (binary), c (binary)")
    assert tell_unread(skips, "uses") == (
        "4 files were not read and may contain uses: a (binary), b (binary), c (binary) and 1 more"
    )
    assert tell_not_looked_into(["a", "b", "c"]) == "3 files were not looked into: a, b, c"
    assert tell_not_looked_into([*"abcde"]) == "5 files were not looked into: a, b, c and 2 more"
    assert tell_skip(skips[0]) == "a: binary"
    assert tell_skip(Skip("a", SkipReason.BINARY, "x")) == "a: binary (x)"


@often
@given(st.binary(max_size=9))
def test_names_that_are_no_text_are_escaped_and_read_back(name: bytes) -> None:
    path = os.fsdecode(name)
    shown = escaped_name(path)
    shown.encode()
    if b"\\" not in name:
        assert name_of_escaped(shown) == path


CHECKED: list[tuple[str, bool | None]] = [  # found, missing, or None for a walk
    ("a.py", True),
    ("sub/b.py", True),
    ("exact.py", True),
    ("new.py", False),
    ("sub/new.py", False),
    ("big.py", None),
    ("link.py", None),
    ("b.txt", None),
    (".gitignore", None),
    ("pyvenv.cfg", None),
    (".git", None),
    ("sub/deep", None),
    ("nowhere/a.py", None),
    ("x.log.py", None),
    ("out/d.py", None),
    ("pipe.py", None),
    ("\udcff.py", None),
]


@pytest.mark.parametrize(("path", "is_found"), CHECKED)
def test_what_a_spot_check_looks_at(path: str, is_found: bool | None, tree: Path) -> None:
    walked = walk_tree(tree, CHOSEN)
    check = spot_check.spot_check(tree, [path, "a.py", path], walked, CHOSEN)
    if is_found is None:
        assert check is None
        return
    assert check is not None
    files = {file.path: file for file in walked.files}
    paths = sorted({path, "a.py"} if is_found else {"a.py"})
    assert check.found == [files[name] for name in paths]
    assert check.missing == ([] if is_found else [path])


def test_a_spot_check_notices_what_a_file_has_become(tree: Path) -> None:
    walked = walk_tree(tree, CHOSEN)
    (tree / "a.py").write_text("x" * 100)
    assert spot_check.spot_check(tree, ["a.py"], walked, CHOSEN) is not None
    (tree / "a.py").write_text("x" * 101)
    assert spot_check.spot_check(tree, ["a.py"], walked, CHOSEN) is None
    (tree / "sub").rename(tree / "moved")
    assert spot_check.spot_check(tree, ["sub/b.py"], walked, CHOSEN) is None
    (tree / "sub").symlink_to("moved")
    assert spot_check.spot_check(tree, ["sub/b.py"], walked, CHOSEN) is None


@pytest.mark.parametrize(
    ("path", "with_walk", "without"),
    [
        ("a.py", True, True),
        ("sub/new.py", True, True),
        ("a.txt", False, False),
        (".git/a.py", False, False),
        ("node_modules/a.py", False, False),
        ("new/folder/a.py", True, True),
        ("new/node_modules/a.py", False, False),
        ("ignored/a.py", False, True),
        ("x.log.py", False, True),
        (".gitignore", False, False),
        ("out/d.py", False, True),
    ],
)
def test_which_files_a_walk_would_select(
    path: str, with_walk: bool, without: bool, tree: Path
) -> None:
    walked = walk_tree(tree, CHOSEN)
    assert spot_check.is_selected(path, walked, CHOSEN) is with_walk
    assert spot_check.is_selected(path, None, CHOSEN) is without


def settled(root: Path) -> None:
    """Makes everything in a tree older than the time after which a stamp is reliable."""
    old = time.time_ns() - 10_000_000_000
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            os.utime(path, ns=(old, old))


def test_only_folders_that_have_changed_are_listed_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(tree)
    listing = TextFiles(tree, CHOSEN)
    entered: list[str] = []
    enter = text_files.enter_folder
    monkeypatch.setattr(
        text_files, "enter_folder", lambda *call: (entered.append(call[1]), enter(*call))[1]
    )
    first = listing.paths()
    assert "b.txt" in first and "big.py" in first and "hidden.py" not in first and "c.go" in first
    assert first == sorted(first) and "" in entered and "sub/deep/" in entered
    entered.clear()
    assert listing.paths() == first and entered == [] and listing.unlisted() == []
    write_files(tree, {"sub/deep/new.txt": "x"})
    assert listing.paths() == sorted([*first, "sub/deep/new.txt"]) and entered == ["sub/deep/"]
    entered.clear()
    listing.paths()
    assert entered == ["sub/deep/"]  # it may change again without a new stamp
    settled(tree)
    listing.paths()
    entered.clear()
    write_files(tree, {".ignore": "deep/\nhidden.py\n"})
    assert "sub/deep/c.py" not in listing.paths()


@pytest.mark.parametrize(
    ("age", "is_settled"), [(2_000_000_001, True), (2_000_000_000, False), (0, False)]
)
def test_a_stamp_is_reliable_after_two_seconds(age: int, is_settled: bool) -> None:
    stamps = [(), (10**10 - age, 5, 5)]
    assert text_files._are_settled(stamps, 10**10) is is_settled
    assert text_files._are_settled([()], 10**10) is True


LANGUAGES: Final = ["go", "python"]


def test_a_stored_filter_is_returned_for_its_languages_and_rules(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path / "i")
    chosen = Selection(exclude=("x",))
    assert cached_filter(folder, LANGUAGES, 100, chosen) is None
    store_filter(folder, LANGUAGES, FILTER._replace(selection=chosen), b"\x01\xab")
    expected = FILTER._replace(selection=chosen)
    for rules in (None, b"\x01\xab"):
        assert cached_filter(folder, LANGUAGES, 100, chosen, rules) == expected
    assert cached_filter(folder, LANGUAGES, 7, chosen) == expected._replace(max_file_bytes=7)
    assert cached_filter(folder, ["go"], 100, chosen) is None
    assert cached_filter(folder, LANGUAGES, 100, chosen, b"\x02") is None
    name = next((tmp_path / "i").iterdir())
    before = name.stat().st_ino
    store_filter(folder, LANGUAGES, expected, b"\x01\xab")
    assert name.stat().st_ino == before
    store_filter(folder, LANGUAGES, expected, b"\x02")
    assert name.stat().st_ino != before
    for word in ("a\nb", "a\0b"):
        store_filter(folder, LANGUAGES, expected._replace(items=(word,)), b"\x03")
        assert cached_filter(folder, LANGUAGES, 100, chosen, b"\x03") is None
    name.write_bytes(b"damaged")
    assert cached_filter(folder, LANGUAGES, 100, chosen) is None
    (tmp_path / "file").touch()
    store_filter(PrivateFolder(tmp_path / "file" / "i"), LANGUAGES, FILTER, b"")


def test_the_name_of_an_index_says_of_which_root_and_variant() -> None:
    name = index_name("/home/me/project")
    assert name.startswith("project-") and len(name) == len("project-") + 12
    assert index_name("/home/me/project", "v") == f"{name}-v"
    assert index_name("/home/you/project") != name
    assert index_name("/").startswith("root-")
    assert index_name("/" + "n" * 61).startswith("n" * 60 + "-")


def test_a_root_is_the_nearest_folder_with_a_mark(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    assert nearest_above(str(deep), ("mark", "other")) == str(deep)
    (tmp_path / "a" / "other").touch()
    assert nearest_above(str(deep), ("mark", "other")) == str(tmp_path / "a")
    (tmp_path / "a" / "b" / "mark").touch()
    assert nearest_above(str(deep), ("mark", "other")) == str(tmp_path / "a" / "b")
    assert locations.find_root(deep) == deep


def test_places_of_indexes_and_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    root = Path("/r")
    name = index_name("/r")
    monkeypatch.delenv("SYMINDEX_INDEX_DIR", raising=False)
    assert locations.index_folder(root, None) == Path(cache_folder()) / name
    assert locations.index_folder(root, "i", "v") == tmp_path / "i" / f"{name}-v"
    assert locations.index_folder(root, "~/i") == Path(os.environ["HOME"], "i", name)
    monkeypatch.setenv("SYMINDEX_INDEX_DIR", "/x/../y")
    assert locations.index_folder(root, None) == Path("/y") / name
    assert locations.packages_folder(None) == Path("/y/packages")
    monkeypatch.setenv("SYMINDEX_INDEX_DIR", "y")
    with pytest.raises(RequestError, match="SYMINDEX_INDEX_DIR is 'y': it must be an absolute"):
        locations.index_folder(root, None)
    for wrong in ("", "a\0b"):
        with pytest.raises(RequestError, match="is not a path: name a folder for the index"):
            locations.index_folder(root, wrong)
    with pytest.raises(RequestError, match="name a folder for the index"):
        locations.index_folder(root, "~nobody-with-this-name/i")
    assert locations.data_folder() == Path(own_data_folder())
    monkeypatch.setenv("SYMINDEX_DATA_DIR", "/d")
    assert locations.data_folder() == Path("/d")
    monkeypatch.setenv("SYMINDEX_DATA_DIR", "d")
    with pytest.raises(RequestError, match="SYMINDEX_DATA_DIR is 'd': it must be an absolute"):
        locations.data_folder()


def test_folders_of_the_user_follow_the_conventions_of_the_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", "/home/me")
    for variable, folder, default in (
        ("XDG_CACHE_HOME", cache_folder, ".cache"),
        ("XDG_CONFIG_HOME", config_folder, ".config"),
        ("XDG_DATA_HOME", own_data_folder, ".local/share"),
    ):
        for value, place in (
            ("/x", "/x"),
            ("relative", f"/home/me/{default}"),
            ("", f"/home/me/{default}"),
        ):
            monkeypatch.setenv(variable, value)
            assert folder() == f"{place}/symindex"


def test_the_first_file_that_is_new_is_reported_once() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    try:
        walked = Walk()
        watch = _Watch(walked, 100, writing)
        walked.files.mtimes.extend([99, time.time_ns() + 10**12])
        watch.look()
        with pytest.raises(BlockingIOError):
            os.read(reading, 9)
        walked.files.mtimes.extend([100, 101])
        watch.look()
        walked.files.mtimes.append(102)
        watch.look()
        assert os.read(reading, 9) == b"!"
    finally:
        os.close(reading)
        os.close(writing)


def test_a_forked_walk_reports_new_files_and_an_early_end(tree: Path) -> None:
    old = ForkedWalk(tree, CHOSEN, time.time_ns() + 10**12)
    assert old.result() is not None and not old.has_newer
    old.close()
    new = ForkedWalk(tree, CHOSEN, 0)
    assert new.result() is not None and new.has_newer and new.has_newer
    new.close()
    ended = ForkedWalk(tree / "none", CHOSEN)
    walked = ended.result()
    assert walked is None or walked.skips[0].reason is SkipReason.UNREADABLE
    ended.close()
    assert forked_walk._unpack(b"") is None and forked_walk._unpack(b"N") is None


def test_the_parts_of_a_forked_walk_are_added_up() -> None:
    one, two = Walk(), Walk()
    for number, part in enumerate((one, two), start=1):
        part.files.paths.append(f"f{number}")
        part.files.sizes.append(number)
        part.files.mtimes.append(number)
        part.files.stamps.append(number)
        part.skips.append(Skip(f"s{number}", SkipReason.BINARY))
        part.unsupported = {".x": number, f".{number}": number}
        part.ignored, part.hidden, part.deselected = number, 10 * number, 100 * number
        part.ignored_paths = [f"i{number}{i}" for i in range(150)]
    began = one.began_ns
    _add(one, two)
    assert list(one.files) == [FoundFile("f1", 1, 1, 1), FoundFile("f2", 2, 2, 2)]
    assert [skip.path for skip in one.skips] == ["s1", "s2"]
    assert one.unsupported == {".x": 3, ".1": 1, ".2": 2}
    assert (one.ignored, one.hidden, one.deselected) == (3, 30, 300)
    assert len(one.ignored_paths) == 200 and one.ignored_paths[150] == "i20"
    again = forked_walk._unpack(forked_walk._pack(one))
    assert again is not None and list(again.files) == list(one.files) and again.skips == one.skips
    assert (again.ignored, again.hidden, again.deselected, again.began_ns) == (3, 30, 300, began)
    assert (again.unsupported, again.ignored_paths) == (one.unsupported, one.ignored_paths)


def test_a_walk_is_forked_where_it_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    for platform, cores, can in (("linux", 2, True), ("linux", 1, False), ("darwin", 8, False)):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(sys, "platform", platform)
            patched.setattr(forked_walk, "usable_cores", lambda cores=cores: cores)
            assert forked_walk.can_fork() is can
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 5, 7})
    assert forked_walk.usable_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    for count, cores in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert forked_walk.usable_cores() == cores


def test_a_root_that_cannot_be_read_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    assert walk.check_root(tmp_path / "link") == tmp_path
    for path, message in (
        (tmp_path / "none", "no such folder; name one that exists"),
        (tmp_path / "file", "a file, not a folder; name the folder to search in"),
        (Path("~nobody-with-this-name"), "cannot be read: "),
    ):
        with pytest.raises(RequestError) as caught:
            walk.check_root(path)
        assert str(caught.value).startswith(f"{path}: {message}")
    with pytest.raises(RequestError, match="is not a path: name a folder"):
        walk.check_root(Path("a\0b"))
    with pytest.raises(RequestError, match="a part of this path has become a link"):
        walk.check_unmoved(tmp_path / "link")
    with pytest.raises(RequestError, match="no such folder"), walk.staying(tmp_path):
        tmp_path.rename(tmp_path.with_name("moved"))
    tmp_path.with_name("moved").rename(tmp_path)


def test_stamps_differ_with_the_inode_and_the_time_of_change() -> None:
    def stamp(ctime: int, inode: int) -> int:
        status: Any = SimpleNamespace(st_ctime_ns=ctime, st_ino=inode)
        return change_stamp(status)

    stamps = {stamp(ctime, inode) for ctime in range(20) for inode in range(20)}
    assert len(stamps) == 400 and all(0 <= one < 2**64 for one in stamps)
    assert stamp(2**64 - 1, 0) == 2**64 - 1 and stamp(2**64, 0) == 0
    assert stat.S_ISREG(os.stat(__file__).st_mode)


def test_a_git_index_and_a_configuration_at_their_size_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the limit no file counts as tracked, and git is not asked."""
    write_files(tmp_path, {"a.py": "", ".gitignore": "a.py\n"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-f", "a.py")
    size = (tmp_path / ".git" / "index").stat().st_size
    for most, is_read in ((size, True), (size - 1, False)):
        monkeypatch.setattr(git_repository, "MOST_INDEX", most)
        assert ("a.py" in walk_tree(tmp_path, FILTER).files.paths) is is_read
    folder, program = git_folder(tmp_path), find_git(tmp_path)
    assert folder is not None and program is not None
    size = (tmp_path / ".git" / "config").stat().st_size
    monkeypatch.setattr(git_inspection, "MOST_CONFIG", size)
    git_inspection.check_config(folder, program)
    monkeypatch.setattr(git_inspection, "MOST_CONFIG", size - 1)
    with pytest.raises(ForeignGitError, match=f"config: larger than {size - 1} bytes, and part of"):
        git_inspection.check_config(folder, program)
