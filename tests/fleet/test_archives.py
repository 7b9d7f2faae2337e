"""Archives of a catalogue: unpacked within limits, and again when they have changed."""

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from symindex.errors import RequestError
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources import tar_archives
from symindex.fleet.sources.checkout import Checkout
from symindex.fleet.sources.sync import sync
from tests.fleet.repositories import LIMITS, files_of

FILES = {"a.py": b"x = 1\n", "sub/b.go": b"package b\n"}


def zipped(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return target.getvalue()


def tarred(files: dict[str, bytes], more: Callable[[tarfile.TarFile], None] | None = None) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as file:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
        if more is not None:
            more(file)
    return target.getvalue()


def packed(name: str, files: dict[str, bytes]) -> bytes:
    if name.endswith((".zip", ".jar", ".whl")):
        return zipped(files)
    data = tarred(files)
    if name.endswith(".zst"):
        return zstandard.compress(data)
    return data if name.endswith(".tar") else gzip.compress(data)


def unpack(tmp_path: Path, name: str, data: bytes | None, limits: Limits = LIMITS) -> Checkout:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    archive = Repository("a", "archive", str(tmp_path / name))
    return sync(archive, tmp_path / "ours", limits)


ALL = ["a.zip", "a.jar", "a.whl", "a.tar", "a.tar.gz", "a.tgz", "a.crate", "a.tar.zst", "A.TGZ"]


@pytest.mark.parametrize("name", ALL)
def test_every_kind_is_unpacked(tmp_path: Path, name: str) -> None:
    done = unpack(tmp_path, name, packed(name.lower(), FILES))
    assert files_of(done) == FILES
    assert (done.commit, done.tree, done.notices) == ("", "", ())


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_it_is_unpacked_again_only_if_it_has_changed(tmp_path: Path, name: str) -> None:
    first = unpack(tmp_path, name, packed(name, FILES))
    (first.root / "a.py").write_text("ours")
    again = unpack(tmp_path, name, None)
    assert files_of(again)["a.py"] == b"ours"
    other = packed(name, {"a.py": b"x = 2\n"})
    status = (tmp_path / name).stat()
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(other)
    os.utime(tmp_path / name, ns=(status.st_atime_ns, status.st_mtime_ns))
    second = unpack(tmp_path, name, None)
    assert files_of(second) == {"a.py": b"x = 2\n"}
    assert os.listdir(second.root.parent) == [second.root.name]


def add(kind: bytes, name: str = "x", linked: str = "") -> Callable[[tarfile.TarFile], None]:
    def more(file: tarfile.TarFile) -> None:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, linked
        file.addfile(member)

    return more


SKIPPED: dict[str, tuple[bytes, str]] = {
    "a link": (
        tarred(FILES, add(tarfile.SYMTYPE, linked="/etc/passwd")),
        "a link or a special file",
    ),
    "a hard link": (tarred(FILES, add(tarfile.LNKTYPE, linked="a.py")), "a link or a special file"),
    "a device": (tarred(FILES, add(tarfile.CHRTYPE)), "a link or a special file"),
    "a pipe": (tarred(FILES, add(tarfile.FIFOTYPE)), "a link or a special file"),
    "an absolute name": (tarred({**FILES, "/etc/x": b"x"}), "a name that leads elsewhere"),
    "a line break": (tarred({**FILES, "x\ny": b"x"}), "a name that leads elsewhere"),
    "a name twice": (tarred(FILES, add(tarfile.REGTYPE, "A.py")), "a name that another member has"),
    "a large member": (tarred({**FILES, "x": b"\0" * 8_000_001}), "larger than is read"),
}


@pytest.mark.parametrize(("data", "reason"), SKIPPED.values(), ids=SKIPPED)
def test_what_is_left_out_is_said(tmp_path: Path, data: bytes, reason: str) -> None:
    done = unpack(tmp_path, "a.tar", data)
    assert files_of(done) == FILES
    assert done.notices == (f"left out: 1 {reason}",)


def header(**fields: object) -> bytes:
    member = tarfile.TarInfo("x")
    for name, value in fields.items():
        setattr(member, name, value)
    return member.tobuf(tarfile.GNU_FORMAT)


BOMB = gzip.compress(tarred({f"{n}": b"\0" * 5_000_000 for n in range(20)}))

FAULTS: dict[str, tuple[str, bytes, str]] = {
    "out": ("a.tar", tarred({"../x": b"x"}), "not unpacked: its member ../x leads out of it"),
    "out on Windows": ("a.tar", tarred({"a\\..\\x": b"x"}), "leads out of it"),
    "no archive": ("a.tar", b"x" * 2_000, "damaged (invalid header): fetch it again"),
    "nothing": ("a.tar", b"", "damaged (empty file): fetch it again"),
    "no gzip": ("a.tgz", b"x" * 2_000, "damaged (Not a gzipped file"),
    "cut gzip": ("a.tgz", gzip.compress(tarred(FILES))[:-20], "damaged (Compressed file ended"),
    "no zstd": ("a.tar.zst", b"x" * 2_000, "damaged (zstd decompress error"),
    "a window of a gigabyte": ("a.tar.zst", b"\x28\xb5\x2f\xfd\x00\xa0" + b"\0" * 100, "damaged (zstd"),
    "a bomb": ("a.tgz", BOMB, "it unpacks to more than 200 times its size, as bombs do"),
    "a large header": ("a.tar", header(type=tarfile.XHDTYPE, size=2_000_000) + b"x" * 2_001_000, "it has a header that is too large, as in attacks"),
    "a long name": ("a.tar", header(type=tarfile.GNUTYPE_LONGNAME, size=2_000_000) + b"x" * 2_001_000, "it has a header that is too large"),
    "a cut member": ("a.tar", header(size=1_000) + b"x" * 10, "damaged ("),
    "a member beyond the end": ("a.tar", header(size=7_000_000) + b"x" * 512 + header(), "damaged (|it ends too soon"),
    "another kind": ("a.rar", b"x", "its name ends in none of .zip, .whl, .jar, .tar, .tar.gz"),
    "no zip": ("a.zip", b"x" * 100, "damaged ("),
}  # fmt: skip


@pytest.mark.parametrize(("name", "data", "fault"), FAULTS.values(), ids=FAULTS)
def test_a_bad_archive_is_one_sentence(tmp_path: Path, name: str, data: bytes, fault: str) -> None:
    with pytest.raises(RequestError) as caught:
        unpack(tmp_path, name, data)
    text = str(caught.value)
    assert text.startswith(f"{tmp_path / name}: ") and "\n" not in text and len(text) < 600
    assert any(part in text for part in fault.split("|")), text
    (own,) = (tmp_path / "ours").iterdir()
    assert not [*own.rglob("files/*")]


@pytest.mark.parametrize("name", ["a.zip", "a.tar"])
def test_the_limits_of_the_catalogue(tmp_path: Path, name: str) -> None:
    data = packed(name, {"a": os.urandom(500), "b": os.urandom(500)})
    exact = Limits(max_files=2, max_repository_bytes=5_000, seconds=60)
    assert len(files_of(unpack(tmp_path, name, data, exact))) == 2
    other = packed(name, {"a": b"", "b": b"", "c": b""})
    with pytest.raises(RequestError, match="it has more than 2 members"):
        unpack(tmp_path, name, other, exact)
    large = packed(name, {"a": os.urandom(3_000), "b": os.urandom(400_000)})
    with pytest.raises(RequestError, match="it contains more than 5,000 bytes"):
        unpack(tmp_path, name, large, exact)
    with pytest.raises(RequestError, match="it takes too long"):
        many = packed(name, {f"{n}.py": b"" for n in range(3_000)})
        unpack(tmp_path, name, many, Limits(seconds=1e-6))


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_the_operator_may_name_a_link(tmp_path: Path, name: str) -> None:
    (tmp_path / f"real-{name}").write_bytes(packed(name, FILES))
    (tmp_path / name).symlink_to(f"real-{name}")
    assert files_of(unpack(tmp_path, name, None)) == FILES


def test_an_archive_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot be read: No such file or directory; check the"):
        unpack(tmp_path, "a.zip", None)


def test_the_largest_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tar_archives, "_MOST_HEADER_BYTES", 8_192)
    name = "/".join(["d" * 50] * 10)
    assert files_of(unpack(tmp_path, "a.tar", tarred({name: b"x"}))) == {name: b"x"}
