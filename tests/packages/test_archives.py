"""Archives: only sound members are written, below one folder and within limits; the folder is
complete or absent."""

import io
import os
import random
import stat
import struct
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symindex.errors import ArchiveError, StorageError
from symindex.packages.found import archives
from symindex.packages.found.archives import unpack


def make(path: Path, members: list[tuple[str, bytes]]) -> Path:
    """Makes an archive of members with exactly these names."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members:
            info = zipfile.ZipInfo("x")
            info.filename = name
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, data)
    return path


def link_in(file: zipfile.ZipFile, name: str, mode: int) -> None:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    file.writestr(info, "/etc/passwd")


def written(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()
    )


def test_only_sources_are_written(tmp_path: Path) -> None:
    members = [
        ("META-INF/MANIFEST.MF", b"m"),
        ("org/x/A.java", b"class A"),
        ("org/x/A.class", b"c"),
        ("org/", b""),
        ("B.JAVA", b"B"),
    ]
    done = unpack(make(tmp_path / "a.jar", members), tmp_path / "private" / "a", (".java",))
    assert written(tmp_path / "private" / "a") == ["B.JAVA", "org/x/A.java"]
    assert (done.n_files, done.n_bytes, done.skipped) == (2, 8, Counter())
    assert (tmp_path / "private/a/org/x/A.java").read_bytes() == b"class A"
    assert stat.S_IMODE((tmp_path / "private/a/org/x/A.java").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "private/a").stat().st_mode) == 0o700
    assert os.listdir(tmp_path / "private") == ["a"]


ELSEWHERE = "a name that leads elsewhere"
ANOTHERS = "a name that another member has"

NAMES: dict[str, str] = {
    "/etc/x": ELSEWHERE, "C:/x": ELSEWHERE, "C:x": ELSEWHERE,
    "a/./x": ELSEWHERE, "a//x": ELSEWHERE, "a\0b": ELSEWHERE, "a\nb": ELSEWHERE, "x" * 300: ELSEWHERE,
    "a/" * 100 + "x": ELSEWHERE,
    "con": ELSEWHERE, "a/AUX.java": ELSEWHERE, "é/" * 63 + "é" * 900: ELSEWHERE,
    "x.": ELSEWHERE, "...": ELSEWHERE, "": ELSEWHERE, "x:stream": ELSEWHERE, "OK": ANOTHERS, "ok/x": ANOTHERS,
    "fine": "", "Dir/x": "", "dir/y": ANOTHERS, "Dir": ANOTHERS, "é": "", "e\u0301": ANOTHERS, "...a": "",
}  # fmt: skip


def test_names(tmp_path: Path) -> None:
    done = unpack(
        make(tmp_path / "a.zip", [("ok", b""), *((name, b"") for name in NAMES)]),
        tmp_path / "private" / "a",
    )
    assert written(tmp_path / "private" / "a") == sorted(
        ["ok", *(name for name, reason in NAMES.items() if not reason)]
    )
    assert (
        done.skipped
        == Counter(filter(None, NAMES.values()))
        == archives.skipped_members(tmp_path / "a.zip")
    )
    assert sorted(os.listdir(tmp_path)) == ["a.zip", "private"]


def test_links_and_other_members_are_left_out(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        link_in(file, "link", stat.S_IFLNK | 0o777)
        link_in(file, "pipe", stat.S_IFIFO)
        file.writestr("other", b"x", zipfile.ZIP_LZMA)
        file.writestr("large", b"x" * 11)
        file.writestr("fits", b"x" * 10)
    done = unpack(tmp_path / "a.zip", tmp_path / "private" / "a", most_member_bytes=10)
    assert written(tmp_path / "private" / "a") == ["fits"]
    assert done.skipped == {
        "a link or a special file": 2,
        "encrypted, or packed by another method": 1,
        "larger than is read": 1,
    }


def zeros(n_bytes: int) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", bytes(n_bytes))
    return data.getvalue()


def named(*names: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for name in names:
            file.writestr(name, b"x")
    return data.getvalue()


def lying(data: bytes) -> bytes:
    """Makes the headers of an archive claim ten bytes for its member."""
    position = data.index(b"PK\x01\x02")
    return (
        data[:22]
        + struct.pack("<L", 10)
        + data[26 : position + 24]
        + struct.pack("<L", 10)
        + data[position + 28 :]
    )


def directory_of(names: Iterable[bytes]) -> bytes:
    """Makes an archive that consists of only a directory."""
    entries = b"".join(
        struct.pack(
            "<4s6H3L5H2L", b"PK\1\2", 20, 20, 0x800, 0, 0, 0, 0, 0, 0, len(name), 0, 0, 0, 0, 0, 0
        )
        + name
        for name in names
    )
    count = min(entries.count(b"PK\1\2"), 65_535)
    return entries + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(entries), 0, 0)


def folders_without_end() -> Iterator[bytes]:
    """Yields names that make 63 folders each."""
    for number in range(30_000):
        yield "/".join(f"{number:x}".ljust(14, "a") for _ in range(63)).encode() + b"/x"


def named_otherwise_inside(n_bytes: int) -> bytes:
    """Makes an archive whose member has a very long name in its own header."""
    data, name = named("a"), b"\x1b\n" * (n_bytes // 2)
    local, rest = data[:26] + struct.pack("<H", len(name)) + data[28:30] + name, data[31:]
    position = rest.index(b"PK\5\6")
    return (
        local
        + rest[: position + 16]
        + struct.pack("<L", len(local) + rest.index(b"PK\1\2"))
        + rest[position + 20 :]
    )


def led_before_the_beginning() -> bytes:
    data = named("a")
    position = data.index(b"PK\1\2")
    return (
        data[: position + 42]
        + struct.pack("<L", 0x7FFFFFFF)
        + data[position + 46 : -6]
        + struct.pack("<L", 0xFFFF)
        + data[-2:]
    )


def overlapping(n: int) -> bytes:
    """Makes an archive of many members that share their data, as bombs without nesting do."""
    data = zeros(190_000)
    start, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    entry = data[start:end]
    entries = b"".join(entry[:-1] + b"a" for _ in range(n))
    return (
        data[:start]
        + entries
        + struct.pack(
            "<4s4H2LH", b"PK\x05\x06", 0, 0, n % 65_536, n % 65_536, len(entries), start, 0
        )
    )


BAD: dict[str, tuple[Callable[[], bytes], dict[str, float], str]] = {
    "a bomb": (
        lambda: zeros(7_000_000),
        {},
        "it unpacks to more than 200 times its size, as bombs do: delete it",
    ),
    "a name that climbs": (
        lambda: named("ok/x", "../up"),
        {},
        "its member ../up leads out of it, as in attacks: delete it",
    ),
    "another that climbs": (lambda: named("a/../../up"), {}, "leads out of it"),
    "one of Windows": (lambda: named("ok", "a\\..\\x"), {}, "leads out of it"),
    "nothing but dots": (lambda: named(".."), {}, "leads out of it"),
    "a header that lies": (lambda: lying(zeros(1_000)), {}, "damaged"),
    "too many bytes": (
        lambda: zeros(100_000),
        {"most_bytes": 99_999},
        "it contains more than 99,999 bytes",
    ),
    "too many members": (
        lambda: overlapping(101),
        {"most_members": 100},
        "it has more than 100 members",
    ),
    "very many members": (lambda: overlapping(300_000), {}, "it has more than 200,000 members"),
    "very many folders": (
        lambda: directory_of(folders_without_end()),
        {},
        "it has more than 100,000 folders",
    ),
    "names that rule terminals": (
        lambda: named("\x1b[2J\n/../" + "u" * 60_000),
        {},
        "its member ?[2J?/../uuu",
    ),
    "a name of its own": (
        lambda: named_otherwise_inside(60_000),
        {},
        "damaged (File name in directory 'a' and header",
    ),
    "a place before its beginning": (led_before_the_beginning, {}, "damaged"),
    "too much time": (lambda: zeros(10), {"seconds": -1.0}, "it takes too long"),
    "no archive": (lambda: b"PK\x03\x04" + bytes(100), {}, "damaged"),
    "nothing": (lambda: b"", {}, "damaged"),
    "a part": (lambda: zeros(1_000)[:-30], {}, "damaged"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_archives_leave_nothing(name: str, tmp_path: Path) -> None:
    content, bounds, said = BAD[name]
    (tmp_path / "a.zip").write_bytes(content())
    began = time.monotonic()
    with pytest.raises(ArchiveError) as caught:
        unpack(tmp_path / "a.zip", tmp_path / "private" / "a", **bounds)  # type: ignore[arg-type]
    assert said in str(caught.value)
    assert str(tmp_path / "a.zip") in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400 + len(str(tmp_path))
    assert os.listdir(tmp_path / "private") == []
    assert time.monotonic() - began < 5


def test_a_list_of_members_that_is_too_long_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "_MOST_DIRECTORY_BYTES", 100_000)
    (tmp_path / "a.zip").write_bytes(overlapping(10_000))
    with pytest.raises(ArchiveError, match="its list of members is too long"):
        unpack(tmp_path / "a.zip", tmp_path / "private" / "a")


def test_what_keeps_it_from_being_written_or_read(tmp_path: Path) -> None:
    archive = make(tmp_path / "a.zip", [("x", b"")])
    (tmp_path / "link.zip").symlink_to(archive)
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    for source, into, said in [
        (tmp_path / "no.zip", tmp_path / "private/a", "no.zip: cannot be read or written"),
        (tmp_path / "link.zip", tmp_path / "private/a", "a symbolic link"),
        (tmp_path / "pipe", tmp_path / "private/a", "not a regular file"),
        (archive, tmp_path / "file/a", "file: cannot be written"),
    ]:
        with pytest.raises(StorageError, match=said):
            unpack(source, into)
    assert os.listdir(tmp_path / "private") == []


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = make(tmp_path / "a.zip", [("x", b"x")])
    monkeypatch.setattr(
        archives, "_NEW_FILE", os.O_WRONLY
    )  # a missing file is refused like any other system error
    with pytest.raises(StorageError, match="cannot be read or written: No such file"):
        unpack(archive, tmp_path / "private/a")
    assert os.listdir(tmp_path / "private") == []


def test_a_later_writer_keeps_existing_data(tmp_path: Path) -> None:
    archive = make(tmp_path / "a.zip", [("x", b"new")])
    (tmp_path / "private/a.0.new").mkdir(parents=True)
    (tmp_path / "private/b.0.new").mkdir()
    os.utime(tmp_path / "private/b.0.new", (0, 0))
    (tmp_path / "private/a").mkdir()
    (tmp_path / "private/a/x").write_text("old")
    unpack(archive, tmp_path / "private/a")
    assert (tmp_path / "private/a/x").read_text() == "old"
    assert sorted(os.listdir(tmp_path / "private")) == ["a", "a.0.new"]


@pytest.mark.nightly
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 255)), max_size=8), st.integers(0, 400)
)
def test_damage_gives_one_line_or_a_whole_folder(
    tmp_path: Path, flips: list[tuple[int, int]], cut: int
) -> None:
    data = bytearray(
        make(tmp_path / "a.zip", [(f"d/{n}.py", b"x = 1\n" * n) for n in range(9)]).read_bytes()
    )
    for position, value in flips:
        data[position % len(data)] = value
    (tmp_path / "a.zip").write_bytes(bytes(data[: len(data) - cut // 4]))
    into = tmp_path / "private" / os.urandom(8).hex()
    try:
        unpack(tmp_path / "a.zip", into)
    except (ArchiveError, StorageError) as error:
        assert "\n" not in str(error)
        assert not into.exists()
    assert sorted(os.listdir(tmp_path)) == ["a.zip", "private"]


def test_a_member_that_has_more_bytes_than_its_header_says_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library itself reads only as many as the header says; it must not matter if it does."""
    sizes = {"a": 12, "b": 10, "c": 11, "d": 300_000}
    archive = make(tmp_path / "a.zip", [(name, b"x") for name in sizes])
    monkeypatch.setattr(
        zipfile.ZipFile, "open", lambda _, member: io.BytesIO(b"x" * sizes[member.filename])
    )
    done = unpack(archive, tmp_path / "private" / "a", most_member_bytes=10)
    assert written(tmp_path / "private" / "a") == ["b"]
    assert (done.n_files, done.n_bytes, done.skipped) == (1, 10, {"larger than is read": 3})


NOISE: Final = random.Random(1).randbytes(6_000)
"""Bytes that do not shrink."""


@pytest.mark.parametrize(
    ("sizes", "is_bomb"),
    [
        ([1_000_000], False),
        ([1_000_001], True),
        ([500_000, 500_000], False),
        ([900_000, 900_000], True),
    ],
)
def test_what_counts_as_a_bomb(sizes: list[int], is_bomb: bool, tmp_path: Path) -> None:
    """A ratio is judged beyond a million bytes: of a member, and of the whole."""
    members = [(f"{number}.py", bytes(size)) for number, size in enumerate(sizes)]
    noise = [("noise", NOISE)] if len(sizes) > 1 else []
    archive = make(tmp_path / "a.zip", [*noise, *members])
    if is_bomb:
        with pytest.raises(ArchiveError, match="more than 200 times its size"):
            unpack(archive, tmp_path / "private" / "a")
    else:
        assert unpack(archive, tmp_path / "private" / "a").n_files == len(members) + len(noise)


def test_all_archives_are_judged_by_their_names_before_anything_is_written(tmp_path: Path) -> None:
    archive = make(tmp_path / "a.zip", [("a/b", b"1"), ("A/c", b"2"), ("a/d", b"3"), ("a/b/c", b"4"), ("a/B", b"5"), ("x/y/z", b"6"), ("x/Y/w", b"7"), ("x/y", b"8"), ("k", b""), ("K/l", b"")])  # fmt: skip
    done = unpack(archive, tmp_path / "private" / "a")
    assert written(tmp_path / "private" / "a") == ["a/b", "a/d", "k", "x/y/z"]
    assert done.skipped == {ANOTHERS: 6} == archives.skipped_members(archive)
    assert not (tmp_path / "private/none").exists()


def test_an_archive_that_is_encrypted_is_left_out(tmp_path: Path) -> None:
    data = bytearray(named("a", "b"))
    for header, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(header) + flags] |= 1
    (tmp_path / "a.zip").write_bytes(data)
    done = unpack(tmp_path / "a.zip", tmp_path / "private" / "a")
    assert written(tmp_path / "private" / "a") == ["b"]
    assert done.skipped == {"encrypted, or packed by another method": 1}


def test_unfinished_folders_are_deleted_after_an_hour(tmp_path: Path) -> None:
    now = time.time()
    ages = {"old.new": 3_700, "young.new": 3_500, "other": 9_999}
    for name, age in ages.items():
        (tmp_path / "private" / name).mkdir(parents=True)
        os.utime(tmp_path / "private" / name, (now - age, now - age))
    (tmp_path / "private/file.new").write_text("")
    os.utime(tmp_path / "private/file.new", (0, 0))
    unpack(make(tmp_path / "a.zip", [("x", b"x")]), tmp_path / "private" / "a")
    assert sorted(os.listdir(tmp_path / "private")) == ["a", "file.new", "other", "young.new"]
