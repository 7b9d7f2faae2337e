"""Hostile source archives: bombs, false headers, names that lead elsewhere, endless lists.

The campaign runs the installed commands. Whatever the hostile archive contains, the sound archive
next to it is indexed, and a refused archive leaves no files.
"""

import io
import json
import os
import random
import stat
import struct
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.attack.commands import Attacked, Ran, own_peak_bytes
from tests.attack.figures import Figures
from tests.support.archives import STORED, Member, archive_of, folders_without_end
from tests.support.files import write_files

SECONDS: Final = 100.0
"""Time limit of a command, in seconds. An archive of 200,000 members takes 20 s on an idle
machine."""

MEMORY: Final = 700_000_000
"""Memory limit of the command that unpacks, in bytes: about 150,000,000 for the command, and the
members of a list of 32,000,000 bytes. The system also counts the memory of this process, from which
the command was forked."""

ROOM: Final = 1_300_000_000
"""Limit on disk, in bytes: the limit of one archive, and the overhead of the file system's
blocks."""

_GOOD: Final = Member(
    b"org/x/Sound.java", b"package org.x;\npublic class Sound { public void isFound() {} }\n"
)
_OUTSIDE: Final = "ESCAPED"
_NEED: Final = "<dependency><groupId>org.x</groupId><artifactId>{}</artifactId><version>1</version></dependency>"


def _bomb(chance: random.Random) -> bytes:
    """Returns an archive that unpacks to a large size: by one member, by many, by members at the
    same position, or by nested archives."""
    zeros = bytes(chance.choice((900_000, 7_000_000, 20_000_000)))
    kind = chance.randrange(4)
    if kind == 0:
        return archive_of([Member(b"A.java", zeros, size=chance.choice((None, 10)))])
    if kind == 1:
        return archive_of([Member(b"%d.java" % number, zeros[:900_000]) for number in range(400)])
    if kind == 2:
        shared = [
            Member(b"%d.java" % number, None, b"0.java", 900_000, 900, position=0)
            for number in range(1, chance.choice((50, 60_000, 60_000)))
        ]
        return archive_of([Member(b"0.java", zeros[:900_000]), *shared])
    data = archive_of([Member(b"A.java", zeros)])
    for _ in range(20):
        data = archive_of([Member(b"%d.jar" % number, data) for number in range(3)])
    return data


def _names(chance: random.Random) -> bytes:
    """Returns an archive with odd names and names that lead elsewhere. The first of the latter is
    always a regular file, which would be written."""
    away = chance.choice(
        (
            b"../" * chance.randint(1, 6),
            b"a/" + b"../" * chance.randint(2, 7),
            b"/tmp/",
            b"a\\..\\..\\",
            b"a\0../../",
            b"C:/",
        )
    )
    odd = [
        b"con.java", b"a/AUX/x.java", b"A.java", b"a.JAVA", b"A.java/x.java", b"n" * 60_000, b"../" * 30 + _OUTSIDE.encode(),
        "\u202e\x1b[2J\x9b.java".encode(), b"\xff\xfe.java", b"", b"/", b"a//b", b"./A.java", b" .java ", "e\u0301.java".encode(),
        "\u00e9.java".encode(), b".git/hooks/post-checkout", b"symindex.toml", b".gitignore", b"x" * 250,
    ]  # fmt: skip
    kinds = [stat.S_IFREG, stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK, 0]
    members = [
        Member(
            name,
            b"/etc/passwd",
            mode=chance.choice(kinds) | 0o777,
            flags=chance.choice((0, 0x800, 0x801, 8, 0x808)),
        )
        for name in chance.sample(odd, chance.randint(0, 7))
    ]
    return archive_of([Member(away + _OUTSIDE.encode(), b"/etc/passwd"), *members])


def _list_without_end(chance: random.Random) -> bytes:
    if chance.random() < 0.4:
        return archive_of(
            [Member(name) for name in folders_without_end(chance.choice((5_000, 20_000)))]
        )
    count = chance.choice((65_535, 65_536, 150_000, 210_000))
    return archive_of(
        [Member(b"%x.txt" % number, None, position=0) for number in range(count)],
        count=chance.choice((count, 1, 65_534)),
    )


def _lies(chance: random.Random) -> bytes:
    """Returns a sound archive with changed bytes in its headers, junk around it, or a false list in
    the long form."""
    members = [
        Member(b"%d.java" % number, b"class A { void a() {} }\n" * 30, method=chance.choice((0, 8)))
        for number in range(9)
    ]
    numbers = [0, 1, 0xFFFF, 0xFFFFFFFE, 0x7FFFFFFF]
    members.append(
        Member(
            b"lie.java",
            b"x",
            size=chance.choice(numbers),
            packed_size=chance.choice(numbers),
            method=STORED,
        )
    )
    members.append(Member(b"place.java", b"x", position=chance.choice(numbers)))
    members.append(
        Member(b"inner.java", b"x", chance.choice((b"../x", b"\x1b\n" * 30_000, b"inner.java")))
    )
    junk = bytes(chance.randrange(256) for _ in range(100)) * 1_000
    data = bytearray(
        archive_of(
            members,
            before=chance.choice((b"", junk)),
            comment=chance.choice((b"", junk[:65_535], b"PK\5\6" * 9)),
        )
    )
    heads = [position for position in range(len(data)) if data[position : position + 2] == b"PK"]
    for _ in range(chance.randrange(4)):
        position = chance.choice(heads) + chance.randrange(46)
        new = chance.choice(
            (
                b"\xff\xff",
                b"\0\0",
                b"\xff" * 4,
                b"\xff" * 8,
                struct.pack("<L", chance.randrange(2**32)),
            )
        )
        data[position : position + len(new)] = new
    if chance.random() < 0.3:
        end, huge = data.rfind(b"PK\5\6"), [44, 0, 2**31, 2**40, 2**63, 2**64 - 1]
        record = struct.pack(
            "<4sQ2H2L4Q",
            b"PK\6\6",
            *[chance.choice(huge), 45, 45, 0, 0],
            *chance.choices(huge, k=4),
        )
        data[end:end] = record + struct.pack("<4sLQL", b"PK\6\7", 0, chance.choice([end, *huge]), 1)
    return bytes(data) + chance.choice((b"", b"", junk[:500]))


def _other_files(chance: random.Random) -> bytes:
    """Returns something that is not an archive, a part of one, or one with unusual compression."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", chance.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))) as opened:
        opened.writestr("A.java", bytes(900_000))
    whole = data.getvalue()
    return chance.choice(
        (
            b"",
            b"PK",
            whole,
            whole[: chance.randrange(len(whole))],
            b"PK\5\6" * 5_000_000,
            b"\x1f\x8b" + bytes(999),
        )
    )


_MAKERS: Final[dict[str, Callable[[random.Random], bytes]]] = {
    "bomb": _bomb,
    "names": _names,
    "list without end": _list_without_end,
    "lies": _lies,
    "other": _other_files,
}
_SHORT: Final = ("names", "lies", "other")
"""The kinds that take about a second."""


def _put(place: Path, data: bytes, chance: random.Random, outside: Path) -> str:
    """Puts a file where an artifact's sources are, or sometimes a link or a pipe. Returns a word
    for it."""
    place.parent.mkdir(parents=True)
    kind = chance.randrange(12)
    if kind == 0:
        os.mkfifo(place)
    elif kind == 1:
        place.symlink_to(chance.choice((outside, Path("/dev/zero"), place)))
    else:
        place.write_bytes(data)
        return ""
    return ", a pipe or a link"


def _size_below(folder: Path) -> int:
    """Returns the size on disk, in bytes of whole blocks."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


def _faults(runs: list[Ran], cache: Path, top: Path) -> list[str]:
    faults = [fault for ran in runs for fault in ran.faults()]
    faults += [
        f"{ran.peak_bytes // 1_000_000} MB of memory"
        for ran in runs
        if ran.peak_bytes > MEMORY + own_peak_bytes()
    ]
    unpacked = next(cache.rglob("unpacked"), cache / "none")
    names = os.listdir(unpacked) if unpacked.is_dir() else []
    faults += [f"left: {name}" for name in names if name.endswith(".new")]
    if (taken := _size_below(cache)) > ROOM:
        faults.append(f"{taken:,} bytes on the disk")
    faults += [
        f"written outside: {path}" for path in (*top.rglob(_OUTSIDE), *Path("/tmp").glob(_OUTSIDE))
    ]
    for path in unpacked.rglob("*"):
        if not (path.is_dir() or stat.S_ISREG(path.lstat().st_mode)):
            faults.append(f"a link or a special file was made: {path.name!r}")
    if runs[0].code == 0:
        rows = {row["name"]: row for row in json.loads(runs[0].out)["packages"]}
        faults += [
            f"{name}: {row['state']} without a word"
            for name, row in rows.items()
            if row["state"] == "failed" and not row["why"]
        ]
        if rows["org.x:sound"]["state"] != "indexed":
            faults.append(
                f"the sound archive is {rows['org.x:sound']['state']}: {rows['org.x:sound']['why'][:200]}"
            )
        n_refused = sum(row["state"] == "failed" for row in rows.values())
        if len(names) + n_refused > len(rows):
            faults.append(
                f"{len(names)} folders are left, of {len(rows)} archives and {n_refused} that were refused"
            )
    if b"isFound" not in runs[1].out:
        faults.append(f"the sound archive's symbol is not found: {runs[1].err[-200:]!r}")
    for ran in runs:
        if any(sign in ran.out + ran.err for sign in (b"\x1b", b"\x9b.java")):
            faults.append("a terminal is ruled")
    return faults


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of projects with two hostile archives each, or up to three
    of the quick kinds."""
    figures = Figures(count, Counter(), [])
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        kinds = [chance.choice([*_MAKERS] if count > 3 else _SHORT) for _ in range(2)]
        with (
            tempfile.TemporaryDirectory(prefix="symindex-archives") as name,
            Attacked(Path(name)) as attacked,
        ):
            top = Path(name)
            needs = "".join(_NEED.format(artifact) for artifact in ("sound", "a0", "a1"))
            pom = (
                f"<project><artifactId>p</artifactId><dependencies>{needs}</dependencies></project>"
            )
            write_files(
                top, {"tree/pom.xml": pom, "tree/A.java": "class A { }\n", "outside": _OUTSIDE}
            )
            repository = attacked.home / ".m2/repository/org/x"
            (repository / "sound/1").mkdir(parents=True)
            # Otherwise every command would unpack this machine's own archives.
            attacked.environment["JAVA_HOME"] = str(top / "jdk")
            write_files(top, {"jdk/release": 'JAVA_VERSION="21"\n', "jdk/lib/none": ""})
            (top / "jdk/lib/src.zip").write_bytes(
                archive_of([Member(b"java.base/java/J.java", b"class J { }\n")])
            )
            (repository / "sound/1/sound-1-sources.jar").write_bytes(archive_of([_GOOD]))
            words = [
                kind
                + _put(
                    repository / f"a{place}/1/a{place}-1-sources.jar",
                    _MAKERS[kind](chance),
                    chance,
                    top / "outside",
                )
                for place, kind in enumerate(kinds)
            ]
            runs = [
                attacked.run(["deps", "--build", "--json"], top / "tree", SECONDS),
                attacked.run(["search", "isFound", "--space", "all"], top / "tree", SECONDS),
            ]
            left = attacked.left_behind()
            where = f"project {number} of seed {seed} ({'; '.join(words)})"
            faults = _faults(runs, attacked.home / "cache", top) + [
                f"left behind: {command}" for command in left
            ]
            figures.faults.extend(f"{where}: {fault}" for fault in faults)
            if runs[0].code == 0:
                states = [
                    row["state"]
                    for row in json.loads(runs[0].out)["packages"]
                    if row["name"] in ("org.x:a0", "org.x:a1")
                ]
                figures.contained.update(state for state in states if state != "missing")
        say(f"archives: {number + 1:,} of {count:,}, {len(figures.faults)} faults")
    return figures
