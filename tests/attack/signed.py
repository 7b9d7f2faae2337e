"""Changed signed files, and key stores that others could have written: no changed file is valid.

Both writers sign files of every kind that has comments. The campaign changes the signature line's
mark, blanks, place, fields and line breaks, the content, the file's name and the key. In a line of
rye, the time, the encoding of the 64 bytes and the name of the key may differ; any other changed
file that is valid is a fault.
"""

import base64
import hashlib
import os
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

from symindex.errors import SymindexError
from symindex.fetch.comment_marks import CommentMark, _tables, mark_for
from symindex.fetch.integrity import judge
from symindex.fetch.keys import SigningKey, generate_signing_key
from symindex.fetch.signature import check, sign
from symindex.fetch.trust import TrustStore
from tests.attack.figures import Figures, keep

_BODIES: Final = (
    b"x = 1\n", b"", b"#!/bin/sh\necho hi\n", b"---\nid: a\nversion: 1\n---\n# T\n", b"+++\na = 1\n+++\nx\n", b"\xef\xbb\xbfx\n",
    b"#!/usr/bin/python\n# -*- coding: utf-8 -*-\nx\n", b"<?xml version='1.0'?>\n<a/>\n", b"<?php\necho 1;\n", b"a\r\nb\r\n",
    b"---\r\na: 1\r\n---\r\nx\r\n", b'@charset "utf-8";\na { }\n', b"# syntax=docker/dockerfile:1\nFROM x\n", b"x", b"\n\nx\n",
)  # fmt: skip

_MARKS: Final = (
    b"#",
    b"//",
    b"<!--",
    b"{/*",
    b"/*",
    b"--",
    b";",
    b"%",
    b"..",
    b'"',
    b"REM",
    b"'",
    b'"""',
    b"",
    b"##",
    b":",
    b"rem",
)
_BLANKS: Final = (
    b" ",
    b"\t",
    b"\r",
    b"\n",
    b"\0",
    b"\x0b",
    b"\x0c",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"\\",
    b"  ",
    b"\xef\xbb\xbf",
)

_RYE_FREE: Final = re.compile(
    rb"rye:signed:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z:([0-9a-f]{64}):([\w+/-]{86})(?:==)?:([0-9a-f]{16}|[0-9a-f]{64})"
)
"""The parts of a line of rye that may differ: its time, its padding, the name of its key."""


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of changed files; one in fifty is a key store."""
    contained: Counter[str] = Counter()
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="symindex-signed") as folder:
        store = TrustStore(Path(folder, "trust"))
        key, other = store.make_key(), generate_signing_key()
        for number in range(count):
            chance = random.Random(f"{seed} {number}")
            try:
                if number % 50 == 49:
                    contained[_attack_store(Path(folder, f"store-{number}"), chance)] += 1
                else:
                    contained[_attack_file(store, key, other, chance, number)] += 1
            except Exception as error:
                faults.append(f"file {number} of seed {seed}: {type(error).__name__}: {error}")
    say(f"signed: {count:,} changes, {len(faults):,} faults")
    return Figures(count, contained, faults)


def _attack_file(
    store: TrustStore, key: SigningKey, other: SigningKey, chance: random.Random, number: int
) -> str:
    by_name, by_extension = _tables()
    name = chance.choice([*by_name, *(f"a.{extension}" for extension in by_extension)])
    mark, body = mark_for(name), chance.choice(_BODIES)
    writer = chance.choice(["symindex", "rye"])
    try:
        signed = sign(body, key, name) if writer == "symindex" else _sign_as_rye(body, key, mark)
    except SymindexError:
        return "no line can be in it"
    verdict = check(signed, store, name)
    if verdict.state != "valid":
        assert writer == "rye", f"{name}: what was signed is {verdict.message}"
        return f"by rye, {verdict.state}"  # PHP before `<?`
    changed, changed_name = signed, name
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        changed, changed_name = _changed(changed, changed_name, other, chance, [*by_extension])
    again = check(changed, store, changed_name)
    assert "\n" not in again.message
    if again.state == "valid" and not _is_as_signed(signed, changed, changed_name, mark, writer):
        keep(f"signed-{number}", changed)
        raise AssertionError(f"{changed_name} by {writer} is valid, changed to {changed[:400]!r}")
    said = judge(changed, None, store, "warn", changed_name)
    assert (said.binds == "content") == (again.state == "valid")
    return f"by {writer}, {again.state}"


def _is_as_signed(
    before: bytes, after: bytes, new_name: str, mark: CommentMark, writer: str
) -> bool:
    """Whether two valid files differ only in what the signature does not cover. rye does not sign
    the file's name, so its line may carry another comment mark if the file is renamed to a kind
    with that mark."""
    new_mark = mark_for(new_name)
    if new_mark != mark:
        if writer == "symindex":
            return False
        old_line, new_line = (
            comment_mark.wrap("\0").encode().split(b"\0") for comment_mark in (mark, new_mark)
        )
        pattern = (
            re.escape(new_line[0])
            + rb"(rye:signed:[^\r\n]*?)"
            + re.escape(new_line[1])
            + rb"(?=[\r\n])"
        )
        after = re.sub(pattern, lambda match: old_line[0] + match[1] + old_line[1], after, count=1)
    return _RYE_FREE.sub(_known_parts, before) == _RYE_FREE.sub(_known_parts, after)


def _known_parts(match: re.Match[bytes]) -> bytes:
    return b"rye:signed:" + match[1] + match[2].translate(bytes.maketrans(b"-_", b"+/"))


def _sign_as_rye(body: bytes, key: SigningKey, mark: CommentMark) -> bytes:
    digest = hashlib.sha256(body).hexdigest()
    value = base64.urlsafe_b64encode(key.sign(digest.encode())).decode()
    name = hashlib.sha256(key.public.raw).hexdigest()
    line = mark.wrap(f"rye:signed:2026-05-01T12:00:00Z:{digest}:{value}:{name}").encode()
    lines = body.splitlines(True)
    row = 0
    while (
        row < len(lines)
        and row < 3
        and re.match(rb"#!|<\?xml|<\?php|@charset|# syntax|# -\*-", lines[row])
    ):
        row += 1
    start = 3 if body.startswith(b"\xef\xbb\xbf") else sum(map(len, lines[:row]))
    return (
        body[:start]
        + line
        + (b"\r\n" if lines and lines[0].endswith(b"\r\n") else b"\n")
        + body[start:]
    )


def _changed(
    data: bytes, name: str, other: SigningKey, chance: random.Random, extensions: list[str]
) -> tuple[bytes, str]:
    lines = data.splitlines(True)
    row = next((number for number, line in enumerate(lines) if b":signed:" in line), 0)
    line = lines[row] if lines else b""
    kind = chance.choice(
        [
            "mark",
            "mark",
            "blank",
            "move",
            "double",
            "byte",
            "byte",
            "cut",
            "break",
            "name",
            "key",
            "time",
            "bom",
            "base64",
            "content",
        ]
    )
    if kind == "name":
        return data, chance.choice(
            ["a", "a.json", f"b.{chance.choice(extensions)}", f"b.{chance.choice(extensions)}"]
        )
    if kind == "bom":
        return (
            data.removeprefix(b"\xef\xbb\xbf")
            if data.startswith(b"\xef\xbb\xbf")
            else b"\xef\xbb\xbf" + data
        ), name
    if kind == "content":
        place = chance.randrange(len(data) + 1)
        return data[:place] + chance.choice([*_BLANKS, b"x", b"---\n", b"#!/bin/x\n"]) + data[
            place:
        ], name
    if kind == "move":
        rest = lines[:row] + lines[row + 1 :]
        rest.insert(chance.randrange(len(rest) + 1), line)
        return b"".join(rest), name
    if kind == "double":
        lines.insert(chance.randrange(len(lines) + 1), line)
        return b"".join(lines), name
    new = _changed_line(line, kind, other, chance)
    return b"".join([*lines[:row], new, *lines[row + 1 :]]), name


def _changed_line(line: bytes, kind: str, other: SigningKey, chance: random.Random) -> bytes:
    place = chance.randrange(len(line) + 1)
    if kind == "mark":
        return re.sub(
            rb"^\S* ?",
            lambda _: chance.choice(_MARKS) + chance.choice((b" ", b"", b"  ")),
            line,
            count=1,
        )
    if kind == "blank":
        place = chance.choice([0, len(line.rstrip()), line.find(b":signed:"), place, len(line)])
        return line[:place] + chance.choice(_BLANKS) + line[place:]
    if kind == "byte" and line:
        return (
            line[: place - 1] + bytes([line[place - 1] ^ (1 << chance.randrange(8))]) + line[place:]
            if place
            else line
        )
    if kind == "cut":
        return line[:place] + line[place + chance.choice((1, 2, 9)) :]
    if kind == "break":
        return line.rstrip(b"\r\n") + chance.choice([b"", b"\r\n", b"\n", b"\r", b"\n\n"])
    if kind == "key":
        return re.sub(
            rb"SHA256:[\w+/]{43}|[0-9a-f]{64}(?=\s|$)", other.public.fingerprint.encode(), line
        )
    if kind == "time":
        return line.replace(b"2026-05", b"2027-06").replace(b"Z:", b".5Z:")
    if kind == "base64":
        return chance.choice(
            [
                line.replace(b"-", b"+"),
                line.replace(b"_", b"/"),
                line.replace(b"==", b""),
                line.replace(b"==", b"="),
            ]
        )
    return line


def _attack_store(folder: Path, chance: random.Random) -> str:
    """Makes a store with keys that others could have put there: they count for nothing, and a line
    says why."""
    store = TrustStore(folder)
    store.make_key()
    planted = generate_signing_key()
    (folder / "own2.pub").write_text(planted.public.line)
    (folder / "own2.pub").chmod(0o600)
    way = chance.choice(["folder", "file", "link", "owner", "pipe"])
    if way == "folder":
        folder.chmod(0o700 | chance.choice([0o020, 0o002, 0o022, 0o077, 0o1002]))
    elif way == "file":
        (folder / "own2.pub").chmod(0o600 | chance.choice([0o020, 0o002, 0o022, 0o066]))
    elif way == "owner" and os.geteuid() == 0:
        os.chown(chance.choice([folder, folder / "own2.pub"]), 12_345, -1)
    elif way == "pipe":
        (folder / "own2.pub").unlink()
        os.mkfifo(folder / "own2.pub", 0o600)
    else:
        (folder / "own2.pub").rename(folder.parent / f"{folder.name}.pub")
        (folder / "own2.pub").symlink_to(folder.parent / f"{folder.name}.pub")
    signed = sign(b"x\n", planted, "a.py")
    mode = folder.stat().st_mode
    try:
        verdict = check(signed, store, "a.py")
    except SymindexError as error:
        assert "\n" not in str(error) and folder.stat().st_mode == mode
        return f"store refused, {way}"
    raise AssertionError(f"a planted key is {verdict.state} ({way})")
