"""The signature line of a file: a comment that says who vouches for all other bytes of it, and since when.

    <!-- symindex:signed:2026-05-01T12:00:00Z:<sha256>:<Ed25519, base64url>:SHA256:<fingerprint of the key> -->

The content is the file's bytes without that line and its line break; byte order mark and line breaks count as they are. The
signature is made over the line up to the digest (`<!-- symindex:signed:<time>:<sha256>`), so that neither time nor digest nor the
comment's mark can be exchanged for others: `\"\"\"` in the place of `#` would make text of a program.

The line stands first, but for what must come first in a file: a byte order mark, front matter, `#!`, the line that names the
encoding, `<?`. It counts in that one place, for moved elsewhere it could leave the content as it is and change what it means. A
line in any other place is content. So each signed file has one form, and a text about signatures is not mistaken for one.

Lines of `rye:signed:` are read as well: in the first line or that place, with any of the fingerprints that rye has written. There
only the digest is signed, so their time is not believed. Where rye has signed less than the whole file, the file has "changed".
"""

import base64
import binascii
import codecs
import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, NamedTuple, Protocol

from symindex.errors import RequestError
from symindex.explore.fetch.comment_marks import closing_of, mark_for
from symindex.explore.fetch.keys import SIGNATURE_BYTES, PublicKey, SigningKey

State = Literal["valid", "missing", "changed", "unknown key", "bad signature"]

LONGEST_LINE: Final = 1_000
"""In bytes: a signature line takes about 250."""

_MOST_LINES: Final = 100
"""How many signature lines are looked for, which costs a copy each. From two on it is a fault; signing replaces all of them."""

_MOST_PREAMBLE: Final = 8
"""Lines that must come first; no file has more than three."""

_BEGINNING: Final = re.compile(rb"[ \t]*+(?:(?P<open>[^\w\s]{1,4}|REM)[ \t]*+)?(?P<writer>symindex|rye):signed:")

_BODY: Final = re.compile(
    rb"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z):(?P<sha256>[0-9a-f]{64}):(?P<value>[\w+/-]{86}(?:==)?):"
    rb"(?P<key>[A-Za-z0-9+/:=_.|@-]{8,160})(?P<rest>.*)",
)

_FENCE: Final = re.compile(rb"(---|\+\+\+)[ \t]*\r?\n")
_CLOSINGS: Final = {
    b"---": re.compile(rb"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE),
    b"+++": re.compile(rb"^\+\+\+[ \t]*\r?(?:\n|\Z)", re.MULTILINE),
}

_PREAMBLE: Final = re.compile(
    rb"#![^\n]*(?:\n|\Z)|<\?xml[^\n>]*\?>[ \t]*\r?(?:\n|\Z)|<\?(?!xml)[^\n>]*(?:\n|\Z)|@charset[^\n]*(?:\n|\Z)"
    rb"|#[ \t]*(?:syntax|escape|check)=[^\n]*(?:\n|\Z)"
)

_ENCODING: Final = re.compile(rb"(?:[ \t\f]*(?:#[^\n]*)?\r?\n)?[ \t\f]*#[^\n]*coding[:=][^\n]*(?:\n|\Z)")
"""The line that names a file's encoding, which is the first or the second (PEP 263)."""

_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Signature(NamedTuple):
    """A signature line, or what looks like one.

    content: all other bytes of the file. problem: why it cannot be one; else empty. writer: `symindex` or `rye`.
    signed: the bytes that the key has signed. time: as written, in UTC. key: a fingerprint.
    """

    content: bytes
    problem: str = ""
    writer: str = ""
    signed: bytes = b""
    time: str = ""
    sha256: str = ""
    value: bytes = b""
    key: str = ""


class Verdict(NamedTuple):
    """What is to be said of a file's signature. message: what is wrong, where, and the command that mends it; else empty.
    key, key_name: the fingerprint and the user's name for it. signed_at: a time that the signature vouches for."""

    state: State
    message: str = ""
    key: str = ""
    key_name: str = ""
    signed_at: str = ""


class Trusted(Protocol):
    """A key of the user's choice."""

    @property
    def name(self) -> str: ...
    @property
    def key(self) -> PublicKey: ...


class Trust(Protocol):
    """The keys that a user trusts."""

    def called(self, fingerprint: str) -> Sequence[Trusted]:
        """Those that a signature's fingerprint may mean."""


def find_signature(data: bytes) -> Signature | None:
    """The signature line of a file; `None` where none stands in its place."""
    content = data
    found: list[tuple[int, bytes]] = []
    while len(found) < _MOST_LINES:
        at = _first_byte(content)
        if _BEGINNING.match(content, at) is None:
            at = _place(content)
            if _BEGINNING.match(content, at) is None:
                break
        end = _line_end(content, at)
        found.append((at, content[at:end]))
        content = content[:at] + content[end:]
    if not found:
        return None
    if len(found) > 1:
        return Signature(content, "has several signature lines")
    return _parse(found[0][1], content, is_in_place=_place(content) == found[0][0])


def _parse(line: bytes, content: bytes, is_in_place: bool) -> Signature:
    """What a line says that begins as a signature does."""
    if len(line) > LONGEST_LINE:
        return Signature(content, f"has a signature line of {len(line):,} bytes")
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    begun = _BEGINNING.match(line)
    parts = _BODY.fullmatch(line, begun.end()) if begun is not None else None
    if begun is None or parts is None:
        return Signature(content, "has a garbled signature line")
    opening, writer = (begun["open"] or b"").decode("utf-8", "replace"), begun["writer"].decode()
    closing = closing_of(opening)
    if closing is None or parts["rest"].strip() != closing.encode():
        return Signature(content, "has a signature line that is no comment")
    try:
        value = base64.b64decode(parts["value"][:86].translate(bytes.maketrans(b"-_", b"+/")) + b"==", validate=True)
    except binascii.Error:
        return Signature(content, "has a garbled signature line")
    time, sha256 = parts["time"].decode(), parts["sha256"].decode()
    if writer == "rye":
        signed = sha256.encode()
    elif not is_in_place:
        return Signature(content, "has a signature line before what must stand first")
    else:
        signed = _signed(opening, time, sha256)
        if not line.startswith(signed + b":") or len(value) != SIGNATURE_BYTES:
            return Signature(content, "has a garbled signature line")
    return Signature(content, "", writer, signed, time, sha256, value, parts["key"].decode())


def content_of(data: bytes) -> bytes:
    """The content of a file: all of it but the signature line."""
    found = find_signature(data)
    return found.content if found is not None else data


def content_digest(data: bytes) -> str:
    """The sha256 of the content, in hexadecimal."""
    return hashlib.sha256(content_of(data)).hexdigest()


def sign(data: bytes, key: SigningKey, extension: str, now: datetime | None = None) -> bytes:
    """A file with a signature line, in place of one that it has.

    extension: of its name, or the name, which decides how comments look. now: instead of the current time.
    Raises RequestError for a file that can have no such line.
    """
    mark = mark_for(extension)
    if data.startswith(_UTF_16):
        raise RequestError(f"{extension}: is in UTF-16, in which no signature line is read: save it as UTF-8")
    content = content_of(data)
    if find_signature(content) is not None:
        raise RequestError(f"{extension}: has more than {_MOST_LINES} signature lines: delete them first")
    at = _place(content)
    if mark.after and not content[_first_byte(content) : at].startswith(mark.after.encode()):
        raise RequestError(f"{extension}: a comment means something only behind {mark.after}, which must be its first line")
    line_break = b"\r\n" if content[: content.find(b"\n") + 1].endswith(b"\r\n") else b"\n"
    if at == len(content) and at > _first_byte(content) and not content.endswith(b"\n"):
        content += line_break  # of a file that ends with its front matter
        at = len(content)
    sha256 = hashlib.sha256(content).hexdigest()
    moment = (now or datetime.now(UTC)).astimezone(UTC).replace(microsecond=0)
    while True:
        time = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
        value = base64.urlsafe_b64encode(key.sign(_signed(mark.open, time, sha256))).rstrip(b"=").decode()
        if "--" not in value:
            break
        moment -= timedelta(seconds=1)  # XML allows no two hyphens in a comment; another time gives another signature
    line = mark.wrap(f"symindex:signed:{time}:{sha256}:{value}:{key.public.fingerprint}").encode()
    return content[:at] + line + line_break + content[at:]


def check(data: bytes, trust: Trust, name: str) -> Verdict:
    """Whether a file is what a trusted key has signed. name: of the file, for the message. Raises IntegrityError where no library
    for signatures is installed."""
    found = find_signature(data)
    again = f"look at it and sign it: symindex sign {name}"
    if found is None:
        return Verdict("missing", f"{name}: is not signed; {again}")
    if found.problem:
        return Verdict("bad signature", f"{name}: {found.problem}; {again}")
    if hashlib.sha256(found.content).hexdigest() != found.sha256:
        return Verdict("changed", f"{name}: has changed since it was signed; undo the change, or {again}", found.key)
    known = trust.called(found.key)
    if not known:
        hint = "if you trust whoever has it, get the key from them: symindex trust add KEY"
        return Verdict("unknown key", f"{name}: is signed with {found.key}, a key that you have not named; {hint}", found.key)
    for each in known:
        if each.key.has_signed(found.signed, found.value):
            signed_at = found.time if found.writer == "symindex" else ""
            return Verdict("valid", "", each.key.fingerprint, each.name, signed_at)
    told = f"{name}: its signature was not made with the key that it names, {known[0].name}; get the file again, or {again}"
    return Verdict("bad signature", told, found.key)


def _signed(opening: str, time: str, sha256: str) -> bytes:
    return f"{opening} symindex:signed:{time}:{sha256}".encode()


def _first_byte(data: bytes) -> int:
    return len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0


def _line_end(data: bytes, at: int) -> int:
    return data.find(b"\n", at) + 1 or len(data)


def _place(data: bytes) -> int:
    """Where the signature line of a file belongs that has none."""
    at = _first_byte(data)
    if fence := _FENCE.match(data, at):
        closing = _CLOSINGS[fence[1]].search(data, fence.end())
        if closing is not None:
            return closing.end()
    if encoding := _ENCODING.match(data, at):
        return encoding.end()
    for _ in range(_MOST_PREAMBLE):
        line = _PREAMBLE.match(data, at)
        if line is None or line.end() == at:
            break
        at = line.end()
    return at
