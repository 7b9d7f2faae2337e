"""Signature lines: where they belong, what they cover, and the verdict on invalid ones."""

import base64
import hashlib
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import IntegrityError, RequestError, StorageError
from symindex.extract.texts.file_text import digest_of
from symindex.fetch.comment_marks import mark_for
from symindex.fetch.integrity import BINDING, judge
from symindex.fetch.keys import generate_signing_key
from symindex.fetch.sign_file import sign_files
from symindex.fetch.signature import check, content_digest, content_of, find_signature, sign
from symindex.fetch.trust import TrustedKey

KEY, OTHER = generate_signing_key(), generate_signing_key()
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


class Keys:
    """A test's keys, without a store."""

    def __init__(self, *keys: TrustedKey) -> None:
        self.keys = keys

    def called(self, fingerprint: str) -> list[TrustedKey]:
        return [key for key in self.keys if key.key.is_called(fingerprint)]


TRUST = Keys(TrustedKey("alice", KEY.public))

LINE = b"@"
"""Marks where the line belongs."""

PLACES = {
    "tool.py": b"@x = 1\n",
    "shebang.py": b"#!/usr/bin/env python\n@x = 1\n",
    "coding.py": b"#!/usr/bin/python\n# -*- coding: latin-1 -*-\n@x = '\xe9'\n",
    "late-coding.py": b"# Copyright\n# vim: set fileencoding=utf-8 :\n@x = 1\n",
    "empty.py": b"@",
    "no-break.py": b"@x = 1",
    "doc.md": b"@# Title\n\nText.\n",
    "front.md": b"---\ntitle: x\n---\n@# Title\n",
    "front-dots.md": b"---\ntitle: x\n...\n@# Title\n",
    "front.toml.md": b"+++\ntitle = 'x'\n+++\n@# Title\n",
    "rule.md": b"@---\n\nA rule that is never closed.\n",
    "bom.md": b"\xef\xbb\xbf@# Title\n",
    "bom-front.md": b"\xef\xbb\xbf---\na: 1\n---\n@# Title\n",
    "crlf.md": b"---\r\na: 1\r\n---\r\n@# Title\r\nText\r\n",
    "page.html": b"@<!DOCTYPE html>\n<p>\n",
    "data.xml": b"<?xml version='1.0'?>\n@<a/>\n",
    "index.php": b"<?php\n@echo 1;\n",
    "style.css": b'@charset "utf-8";\n@a { }\n',
    "Dockerfile": b"# syntax=docker/dockerfile:1\n@FROM scratch\n",
    "Makefile": b"@all:\n",
    "query.SQL": b"@select 1;\n",
    "page.mdx": b"@# Title\n",
    "text.rst": b"@Title\n=====\n",
}


def marked(text: bytes) -> tuple[bytes, int]:
    """Returns the bytes without the mark (the last one), and its offset."""
    offset = text.rindex(LINE)
    return text[:offset] + text[offset + 1 :], offset


@pytest.mark.parametrize(("name", "text"), PLACES.items(), ids=PLACES)
def test_the_line_is_first_except_after_what_must_precede_it(name: str, text: bytes) -> None:
    content, offset = marked(text)
    signed = sign(content, KEY, name, NOW)
    line = signed[offset : len(signed) - len(content) + offset]
    assert signed == content[:offset] + line + content[offset:]
    assert b"symindex:signed:2026-05-01T1" in line and line.endswith(
        b"\r\n" if b"\r\n" in content else b"\n"
    )
    assert (
        content_of(signed) == content
        and content_digest(signed) == hashlib.sha256(content).hexdigest()
    )
    assert check(signed, TRUST, name) == (
        "valid",
        "",
        KEY.public.fingerprint,
        "alice",
        find_signature(signed, name).time,  # type: ignore[union-attr]
    )
    assert sign(signed, KEY, name, NOW) == signed
    assert content_of(sign(signed, OTHER, name)) == content


def test_the_line_of_a_kind() -> None:
    assert sign(b"x\n", KEY, "a.md", NOW).startswith(b"<!-- symindex:signed:2026-05-01T")
    assert (
        sign(b"x\n", KEY, ".md", NOW)
        .split(b"\n")[0]
        .endswith(KEY.public.fingerprint.encode() + b" -->")
    )
    assert sign(b"x\n", KEY, "a.go", NOW).startswith(b"// symindex:signed:")
    for name, data in [
        ("package.json", b"{}"),
        ("LICENSE", b"x"),
        ("a.md", b"\xff\xfea\0"),
        ("a.php", b"<p>\n"),
    ]:
        with pytest.raises(RequestError, match=name):
            sign(data, KEY, name)


def test_front_matter_at_the_end_of_a_file_gets_a_line_break() -> None:
    signed = sign(b"---\na: 1\n---", KEY, "a.md", NOW)
    assert (
        signed.startswith(b"---\na: 1\n---\n<!-- symindex:signed:")
        and check(signed, TRUST, "a.md").state == "valid"
    )


def test_no_line_holds_what_xml_forbids() -> None:
    assert all(b"--" not in sign(b"<a>%d</a>" % n, KEY, ".py", NOW) for n in range(200))


DOC = b"---\na: 1\n---\n# Title\nText\n"
SIGNED = sign(DOC, KEY, "a.md", NOW)
SIGNATURE = find_signature(SIGNED, "a.md")
assert SIGNATURE is not None
AT = len(b"---\na: 1\n---\n")
WHOLE_LINE = SIGNED[AT : len(SIGNED) - len(DOC) + AT]
VALUE = base64.urlsafe_b64encode(SIGNATURE.value).rstrip(b"=")
OTHER_VALUE = base64.urlsafe_b64encode(OTHER.sign(SIGNATURE.signed)).rstrip(b"=")


def line_of(data: bytes) -> bytes:
    return data.replace(b"# Title", WHOLE_LINE + b"# Title")


FAULTS: dict[str, tuple[bytes, str, str]] = {
    "no line": (DOC, "missing", "a.md: is not signed; look at it and sign it: symindex sign a.md"),
    "text about one": (DOC + WHOLE_LINE, "missing", "symindex sign a.md"),
    "a change": (SIGNED + b".", "changed", "has changed since it was signed; undo the change, or"),
    "a change of a line break": (SIGNED.replace(b"Text\n", b"Text\r\n"), "changed", "has changed"),
    "a byte order mark": (b"\xef\xbb\xbf" + SIGNED, "changed", "has changed"),
    "CRLF everywhere": (SIGNED.replace(b"\n", b"\r\n"), "changed", "has changed"),
    "another digest": (SIGNED.replace(SIGNATURE.sha256.encode(), b"0" * 64), "changed", "has changed"),
    "a change with its digest": (
        SIGNED.replace(b"Text", b"Evil").replace(
            SIGNATURE.sha256.encode(), hashlib.sha256(DOC.replace(b"Text", b"Evil")).hexdigest().encode()
        ),
        "bad signature",
        "its signature was not made with the key that it names, alice; get the file again, or",
    ),
    "another time": (SIGNED.replace(b"signed:2026", b"signed:2027"), "bad signature", "was not made with"),
    "another's signature": (SIGNED.replace(VALUE, OTHER_VALUE), "bad signature", "was not made with"),
    "another key": (sign(DOC, OTHER, "a.md"), "unknown key", f"{OTHER.public.fingerprint}, a key that you do not trust;"),
    "two lines": (line_of(SIGNED), "bad signature", "has several signature lines"),
    "ten lines": (SIGNED.replace(WHOLE_LINE, WHOLE_LINE * 10), "bad signature", "has several signature lines"),
    "a garbled one": (SIGNED.replace(b"signed:2026", b"signed:2o26"), "bad signature", "has a garbled signature line"),
    "a short one": (DOC.replace(b"# T", b"<!-- symindex:signed: -->\n# T"), "bad signature", "garbled"),
    "a huge one": (DOC.replace(b"# T", b"<!-- symindex:signed:" + b"x" * 3_000_000 + b"\n# T"), "bad signature", "3,000,022 by"),
    "moved before the front matter": (WHOLE_LINE + DOC, "bad signature", "is not in its place"),
    "moved into the text": (DOC.replace(b"Text\n", WHOLE_LINE + b"Text\n"), "missing", "is not signed"),
    "no comment": (SIGNED.replace(b"<!-- sym", b'""" sym'), "bad signature", "is not a comment"),
    "not closed": (SIGNED.replace(b" -->", b""), "bad signature", "is not a comment"),
    "another comment": (SIGNED.replace(b"<!-- sym", b"# sym").replace(b" -->", b""), "bad signature", "is not a comment"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "state", "words"), FAULTS.values(), ids=FAULTS)
def test_what_is_wrong_has_a_name_and_a_remedy(data: bytes, state: str, words: str) -> None:
    verdict = check(data, TRUST, "a.md")
    assert (verdict.state, verdict.signed_at) == (state, "")
    assert (
        words in verdict.message
        and verdict.message.startswith("a.md: ")
        and "symindex " in verdict.message
    )
    assert "\n" not in verdict.message and len(verdict.message) < 400
    mended = sign(data, KEY, "a.md")
    assert check(mended, TRUST, "a.md").state == "valid"


def rye_line(
    content: bytes, mark: bytes = b"# %s", time: bytes = b"2026-05-01T12:00:00Z", name: bytes = b""
) -> bytes:
    """Returns the line with which rye signs the content."""
    digest = hashlib.sha256(content).hexdigest().encode()
    name = name or hashlib.sha256(KEY.public.pem.encode()).hexdigest()[:16].encode()
    return (
        mark
        % b":".join([b"rye:signed", time, digest, base64.urlsafe_b64encode(KEY.sign(digest)), name])
        + b"\n"
    )


RYE_PLACES = {
    "a.py": (b"@x = 1\n", b"# %s"),
    "shebang.sh": (b"#!/bin/sh\n@echo x\n", b"# %s"),
    "a.md": (b"@# Title\n", b"<!-- %s -->"),
    "front.md": (b"@---\na: 1\n---\n# Title\n", b"<!-- %s -->"),
    "bom.yaml": (b"\xef\xbb\xbf@a: 1\n", b"# %s"),
    "a.ts": (b"@let x = 1\n", b"// %s"),
    "a.vim": (b"@echo 1\n", b'" %s'),
}


@pytest.mark.parametrize(("name", "case"), RYE_PLACES.items(), ids=RYE_PLACES)
def test_lines_of_rye_are_read(name: str, case: tuple[bytes, bytes]) -> None:
    content, offset = marked(case[0])
    line = rye_line(content, case[1])
    data = content[:offset] + line + content[offset:]
    # rye signs only the digest, so the time is not reported.
    assert check(data, TRUST, name) == ("valid", "", KEY.public.fingerprint, "alice", "")
    assert judge(data, None, TRUST, "require", name).signed_at == ""
    assert check(data + b".", TRUST, name).state == "changed"
    assert check(data, Keys(), name).state == "unknown key"
    mended = sign(data, KEY, name)
    assert check(mended, TRUST, name).signed_at and content_of(mended) == content


def test_what_may_differ_in_a_line_of_rye() -> None:
    """Its time, the two names of the key and three ways to write 64 bytes may differ; a mixture is
    invalid."""
    content = next(
        text for n in range(99) if {*b"-_"} <= {*rye_line(text := b"x = %d\n" % n).split(b":")[6]}
    )
    line = rye_line(content)
    value = line.split(b":")[6]
    standard = value.translate(bytes.maketrans(b"-_", b"+/"))
    raw = hashlib.sha256(KEY.public.raw).hexdigest().encode()
    for good in (
        line.replace(value, standard),
        line.replace(value, value.rstrip(b"=")),
        rye_line(content, time=b"2020-01-01T00:00:00.5Z"),
        rye_line(content, name=raw),
    ):
        assert check(good + content, TRUST, "a.py") == (
            "valid",
            "",
            KEY.public.fingerprint,
            "alice",
            "",
        )
    for bad in (
        standard.rstrip(b"="),
        value[:-1],
        value.replace(b"-", b"+", 1),
        value.replace(b"_", b"/", 1),
        value[:-3] + bytes([value[-3] + 1]) + b"==",  # bits after the last byte
        b" " + value,
    ):
        assert check(line.replace(value, bad) + content, TRUST, "a.py").state == "bad signature", (
            bad
        )
    named = line.replace(line.rstrip().rpartition(b":")[2], KEY.public.fingerprint.encode())
    assert check(named + content, TRUST, "a.py").state == "bad signature"


MARKS = [b"# %s", b'" %s', b"// %s", b"-- %s", b"; %s", b"%% %s", b".. %s", b"REM %s", b"<!-- %s -->", b"/* %s */", b"{/* %s */}",
         b'""" %s', b"<# %s #>", b": %s", b"  # %s", b"#  %s", b"#%s", b"# %s ", b"# %s\r", b"# %s\t", b"\t# %s", b"# %s -->",
         b"# %s # x", b"# %s\x0b", b"# %s\xc2\x85", b"\xef\xbb\xbf# %s", b"%s", b"# %s:", b"# # %s"]  # fmt: skip


@pytest.mark.parametrize("before", [b"", b"#!/bin/sh\n"])
def test_a_line_of_rye_counts_under_the_mark_of_its_kind_alone(before: bytes) -> None:
    """In a shell script, a quote would turn the program after it into text."""
    content = before + b'echo "x"\n'
    for mark in MARKS:
        data = before + rye_line(content, mark) + content[len(before) :]
        assert (check(data, TRUST, "a.sh").state == "valid") == (mark == b"# %s"), mark
    line = rye_line(content)
    lines = [*before.splitlines(True), line, b'echo "x"\n']
    for others in (
        [lines[-2], *lines[:-2], lines[-1]] if before else [lines[-1], line],
        [*lines[:-1], line, lines[-1]],
        [*lines, line],
    ):
        assert check(b"".join(others), TRUST, "a.sh").state != "valid"
    signed = b"".join(lines)
    assert check(signed, TRUST, "b.sh").state == check(signed, TRUST, "Makefile").state == "valid"
    for name in ("a.vim", "a.md", "a.js", "a.sql"):
        verdict = check(signed, TRUST, name)
        assert (
            verdict.state == "bad signature"
            and "is not a comment as symindex writes it in such a file" in verdict.message
        )


def test_a_kind_without_comments_is_never_verified() -> None:
    content = b"{}\n"
    for data in (rye_line(content) + content, sign(content, KEY, "a.py")):
        for name in ("a.json", "a", "LICENSE", "a.txt"):
            verdict = check(data, TRUST, name)
            assert (
                verdict.state == "bad signature"
                and "cannot count in a file of that kind" in verdict.message
            )
            assert "files of that kind have no comments" in verdict.message
    assert "so they cannot be signed" in check(content, TRUST, "a.json").message
    before = rye_line(b"<p>\n", b"// %s")
    assert (
        "before <?, where it is not a comment" in check(before + b"<p>\n", TRUST, "a.php").message
    )


STANDARD_BASE64 = bytes.maketrans(b"-_", b"+/")


@pytest.mark.nightly
def test_no_byte_of_a_line_can_be_changed() -> None:
    """Changing, doubling, omitting or inserting a byte makes the line invalid, except in rye's
    time, which is not signed."""
    content = b"x = 1\n"
    for line in (rye_line(content), sign(content, KEY, "a.py", NOW).removesuffix(content)):
        time = range(line.index(b"2026"), line.index(b"Z") + 1) if b"rye" in line else range(0)
        for offset in range(len(line)):
            others = {
                line[offset] ^ 1,
                line[offset] ^ 32,
                line[offset] ^ 128,
                *b' \n\r\t#"+/-_=:A0',
                0,
            }
            tries = [
                line[:offset] + bytes([other]) + line[offset + 1 :]
                for other in others - {line[offset]}
            ]
            tries += [
                line[:offset] + line[offset + 1 :],
                line[:offset] + line[offset : offset + 1] + line[offset:],
            ]
            tries += [line[:offset] + bytes([other]) + line[offset:] for other in b' \n\r\t#"=:\0']
            for changed in tries:
                # Both alphabets of Base64 are allowed, and a signature may differ between them in
                # one byte.
                is_same = b"rye" in line and changed.translate(STANDARD_BASE64) == line.translate(
                    STANDARD_BASE64
                )
                assert (
                    offset in time
                    or is_same
                    or changed == line
                    or check(changed + content, TRUST, "a.py").state != "valid"
                ), changed


def test_a_valid_signature_says_what_it_binds() -> None:
    """It covers only the bytes: a signed file stays valid under another name, and the answer says
    that the signature does not cover the id."""
    for data in (SIGNED, rye_line(b"# T\n", b"<!-- %s -->") + b"# T\n"):
        said = judge(data, None, TRUST, "require", "elsewhere/other.md")
        assert (said.signature, said.binds, said.binding) == ("valid", "content", BINDING)
    assert "id" in BINDING and "type" in BINDING and "version" in BINDING and "\n" not in BINDING
    for data, verify in ((DOC, "warn"), (SIGNED + b".", "warn"), (SIGNED, "off")):
        assert not judge(data, None, TRUST, verify, "a.md").binds


@pytest.mark.nightly
@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([WHOLE_LINE, b"---\n", b"+++\r\n", b"#!x\n", b"\xef\xbb\xbf", b"<!-- rye:signed:", b"\n",
                                 b"a: 1\n",
                                 WHOLE_LINE[:120], b"<?xml ?>\n", b"# coding: x\n", b"\0", b"\xff"]) | st.binary(max_size=9),
                max_size=12).map(b"".join))  # fmt: skip
def test_any_bytes_can_be_checked_and_signed(data: bytes) -> None:
    check(data, TRUST, "a.md")
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        signed = sign(data, KEY, "a.md")
        assert check(signed, TRUST, "a.md").state == "valid"
        assert content_of(signed) in (
            content_of(data),
            content_of(data) + b"\n",
            content_of(data) + b"\r\n",
        )


@pytest.mark.nightly
def test_a_large_file_takes_no_long_time() -> None:
    for data in (
        b"---\n" + b"-- \n" * 500_000,
        b"#!" + b"a" * 2_000_000,
        b"# " + b"coding" * 300_000,
        b" " * 2_000_000,
    ):
        assert check(data, TRUST, "a.md").state == "missing"


JUDGED: dict[str, tuple[Callable[[], bytes], str, str, str, int]] = {
    "signed": (lambda: SIGNED, "warn", "same", "valid", 0),
    "signed, required": (lambda: SIGNED, "require", "same", "valid", 0),
    "signed, intact": (lambda: SIGNED, "intact", "same", "valid", 0),
    "unsigned, intact": (lambda: DOC, "intact", "same", "missing", 0),
    "unsigned": (lambda: DOC, "warn", "same", "missing", 0),
    "tampered": (lambda: SIGNED + b".", "warn", "same", "changed", 1),
    "not looked at": (lambda: SIGNED + b".", "off", "same", "unchecked", 0),
}


@pytest.mark.parametrize(
    ("make", "verify", "indexed", "signature", "problems"), JUDGED.values(), ids=JUDGED
)
def test_integrity(
    make: Callable[[], bytes], verify: str, indexed: str, signature: str, problems: int
) -> None:
    data = make()
    said = judge(data, digest_of(data), TRUST, verify, "a.md")
    assert (said.indexed, said.signature, len(said.problems)) == (indexed, signature, problems)
    assert judge(data, None, TRUST, verify, "a.md").indexed == "unknown"
    if verify != "require":
        changed = judge(data, digest_of(b""), TRUST, verify, "a.md")
        assert changed.indexed == "changed" and "symindex index" in changed.problems[0]


def test_what_was_changed_since_it_was_signed_is_an_error() -> None:
    with pytest.raises(
        IntegrityError,
        match=r"^integrity: a\.md: has changed since it was signed; .* sign a\.md; .*warn",
    ):
        judge(SIGNED + b".", None, TRUST, "intact", "a.md")
    with pytest.raises(IntegrityError, match=r"^integrity: a\.md: "):
        judge(SIGNED + SIGNED.splitlines()[0], None, TRUST, "intact", "a.md")


@pytest.mark.parametrize("case", [case for case in FAULTS if FAULTS[case][1] == "bad signature"])
def test_a_bad_signature_is_an_error_unless_it_is_only_warned_of(case: str) -> None:
    data, _, words = FAULTS[case]
    with pytest.raises(IntegrityError, match="--verify warn") as caught:
        judge(data, None, TRUST, "intact", "a.md")
    assert words in str(caught.value)
    assert words in judge(data, None, TRUST, "warn", "a.md").problems[0]


@pytest.mark.parametrize("case", [case for case in FAULTS if case != "text about one"])
def test_what_is_required_is_an_error(case: str) -> None:
    data, _, words = FAULTS[case]
    with pytest.raises(IntegrityError) as caught:
        judge(data, digest_of(data), TRUST, "require", "a.md")
    assert words in str(caught.value)
    with pytest.raises(IntegrityError, match="has changed since it was indexed"):
        judge(SIGNED, digest_of(b""), TRUST, "require", "a.md")
    with pytest.raises(
        RequestError, match="unknown verify 'maybe': expected one of intact, off, require, warn"
    ):
        judge(data, None, TRUST, "maybe", "a.md")


def test_without_the_library_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("", ".exceptions", ".hazmat.primitives.asymmetric.ed25519"):
        monkeypatch.setitem(sys.modules, f"cryptography{name}", None)
    with pytest.raises(
        IntegrityError,
        match=r"the `cryptography` package is missing; install it with: pip install cryptography",
    ):
        check(SIGNED, TRUST, "a.md")
    said = judge(SIGNED, None, TRUST, "warn", "a.md")
    assert said.signature == "unchecked" and "pip install" in said.problems[0]
    with pytest.raises(IntegrityError, match="pip install"):
        judge(SIGNED, None, TRUST, "require", "a.md")
    assert check(SIGNED + b".", TRUST, "a.md").state == "changed"
    assert check(DOC, TRUST, "a.md").state == "missing"


def test_a_signature_may_be_of_any_key_that_its_name_means() -> None:
    class Namesakes(Keys):
        def called(self, fingerprint: str) -> list[TrustedKey]:
            return list(self.keys)

    first, second = TrustedKey("first", OTHER.public), TrustedKey("alice", KEY.public)
    assert check(SIGNED, Namesakes(first, second), "a.md").key_name == "alice"
    verdict = check(SIGNED, Namesakes(first, TrustedKey("other", OTHER.public)), "a.md")
    assert verdict.state == "bad signature"
    assert "with the key that it names, first; get the file again" in verdict.message


def test_lines_that_come_first_are_few() -> None:
    """The line comes after eight of them; a ninth is content."""
    for n in (8, 9, 12):
        head = b"# syntax=x\n" * n
        signed = sign(head + b"FROM x\n", KEY, "Dockerfile", NOW)
        assert signed.startswith(b"# syntax=x\n" * min(n, 8) + b"# symindex:signed:")
        assert check(signed, TRUST, "Dockerfile").state == "valid"


def test_the_time_of_a_signature_is_moved_until_it_has_no_two_hyphens() -> None:
    """It is the nearest earlier second for which XML allows the comment."""

    class Signer:
        public = KEY.public

        def __init__(self) -> None:
            self.values = iter(
                [b"\xfb\xef\xbe" * 21 + b"x", b"\xfb\xef\xbe" + b"x" * 61, b"x" * 64]
            )

        def sign(self, _message: bytes) -> bytes:
            return next(self.values)

    signed = sign(b"<a/>\n", Signer(), "a.xml", NOW.replace(microsecond=7))  # type: ignore[arg-type]
    assert signed.startswith(b"<!-- symindex:signed:2026-05-01T11:59:58Z:")


MARKED = {
    "a.py": "# x", "A.PY": "# x", "dir.md/a.py": "# x", "dir\\a.md": "<!-- x -->", ".md": "<!-- x -->", "a.b.css": "/* x */",
    "makefile": "# x", "dir/Makefile": "# x", "a.sql": "-- x", "a.mdx": "{/* x */}", "a.rst": ".. x", "a.vim": '" x',
}  # fmt: skip


@pytest.mark.parametrize("name", MARKED)
def test_the_comment_of_a_kind_of_file(name: str) -> None:
    assert mark_for(name).wrap("x") == MARKED[name]


def test_a_kind_of_file_without_comments_is_named() -> None:
    for name, kind in (("a.json", "of .json"), ("b/LICENSE", "of that name"), ("x.md/LICENSE", "of that name")):  # fmt: skip
        with pytest.raises(RequestError) as caught:
            mark_for(name)
        assert str(caught.value) == (
            f"{name}: cannot have a signature line, because files {kind} have no comments that"
            " symindex knows; sign a file of a kind that has, such as .md, .py, .yaml or .toml"
        )


def test_files_are_signed_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "link.py").symlink_to("a.py")
    names = [str(tmp_path / name) for name in ("a.py", "link.py", "none.py")]
    for bad, hint in ((names[1], "name the file that it leads to"), (names[2], "name a file to sign")):  # fmt: skip
        with pytest.raises(RequestError, match=hint):
            sign_files([names[0], bad], KEY)
    assert (tmp_path / "a.py").read_text() == "x = 1\n"
    (done,) = sign_files(names[:1], KEY)
    signature = find_signature((tmp_path / "a.py").read_bytes(), "a.py")
    assert signature is not None
    assert done == (names[0], KEY.public.fingerprint, signature.time)
    reads = iter([b"y = 1\n", b"y = 2\n"])
    monkeypatch.setattr("symindex.fetch.sign_file.read_regular", lambda *_: next(reads))
    with pytest.raises(StorageError, match=r"a\.py: has just changed; look at it, and sign it"):
        sign_files(names[:1], KEY)
    reads = iter([b"y = 1\n", b"y = 1\n"])

    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("symindex.fetch.sign_file.write_new", refuse)
    with pytest.raises(StorageError, match="cannot be signed: No space left on device; check that"):
        sign_files(names[:1], KEY)


def test_an_item_whose_signature_cannot_be_checked_is_still_compared_with_the_index(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise IntegrityError("no way to check")

    monkeypatch.setattr("symindex.fetch.integrity.check", fail)
    trust: Any = None
    verdict = judge(b"new", digest_of(b"old"), trust, "warn", "a.md")
    assert verdict.problems == [
        "a.md: has changed since it was indexed; update the index: symindex index",
        "a.md: no way to check",
    ]
    assert judge(b"same", digest_of(b"same"), trust, "intact", "a.md").problems == [
        "a.md: no way to check"
    ]
    with pytest.raises(IntegrityError, match=r"^no way to check$"):
        judge(b"new", digest_of(b"old"), trust, "require", "a.md")
