"""Reads, checks and writes the signature line of a file: a comment that names the key that signed
all other bytes of the file, and the time.

    <!-- symindex:signed:2026-05-01T12:00:00Z:<sha256>:<Ed25519, base64url>:SHA256:<key> -->

The content of a file is all its bytes except that line and its line break; byte order mark and line
breaks count as they are. The signature covers the line up to the digest
(`<!-- symindex:signed:<time>:<sha256>`), so that neither time, digest nor comment mark can be
exchanged: `\"\"\"` instead of `#` would turn a program into text.

The line is the first, after what must come first in a file: a byte order mark, front matter, `#!`,
the line that names the encoding, `<?`. It counts only there: elsewhere it could change what the
file means and leave the content as it is. A line in any other place is content. So each signed file
has one form, and a text about signatures is not mistaken for a signed one.

Lines that begin with `rye:signed:` are checked too. rye signs only the digest, so the rest of the
line must have exactly the form that rye writes: the comment mark of the file's kind, one blank, the
fields, the closing mark, the line break of the content. It comes first, even before front matter,
because rye puts it there; only `#!`, an encoding and the like come before it. Only three details
may vary: the time, which is not signed and therefore not reported; rye's two names of a key; and
its three ways to write 64 bytes (base64, or base64url with or without padding). None of these can
end a comment or begin another line. Where rye has signed only a part of the file, the file counts
as "changed".

A line counts only with the comment mark that the file's name asks for (`comment_marks`), so a file
whose kind has no comments cannot be verified. Apart from that, a signature says nothing about the
file's name: a copy in another place is valid there, under another id. Neither form includes an id,
a type or a version. The signer does not know the first two, which depend on where the reader put
the file and on the reader's table of types. `integrity` says so in each answer. An `id` or
`version` that the content itself states, as in front matter, is signed with the content.
"""

import base64
import codecs
import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, Protocol

from symindex.errors import RequestError
from symindex.fetch.comment_marks import CommentMark, mark_for
from symindex.fetch.keys import PublicKey, SigningKey
from symindex.protocol.fetch import State

LONGEST_LINE: Final = 1_000
"""Longest signature line, in bytes; one takes about 250."""

_MOST_LINES: Final = 100
"""Most signature lines that are looked for, because each costs a copy of the file. Two or more are
an error; signing replaces all of them."""

_MOST_PREAMBLE: Final = 8
"""Most lines that must come first; no real file has more than three."""

_BEGINNING: Final = re.compile(
    rb"[ \t]*+(?:(?:[^\w\s]{1,4}|REM)[ \t]*+)?(?P<writer>symindex|rye):signed:"
)
"""The beginning of anything like a signature line, so that a garbled one is not overlooked."""

_FIELDS: Final = (
    rb"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z):(?P<sha256>[0-9a-f]{64}):"
)
_BODIES: Final = {
    "symindex": re.compile(
        _FIELDS + rb"(?P<value>[A-Za-z0-9_-]{86}):(?P<key>SHA256:[A-Za-z0-9+/]{43})"
    ),
    "rye": re.compile(
        _FIELDS
        + rb"(?P<value>[A-Za-z0-9_-]{86}(?:==)?|[A-Za-z0-9+/]{86}==):(?P<key>[A-Za-z0-9+/=_.|@-]{8,160})"  # noqa: E501
    ),
}
"""Writer -> the fields of its signature line."""

_FENCE: Final = re.compile(rb"(---|\+\+\+)[ \t]*\r?\n")
_CLOSINGS: Final = {
    b"---": re.compile(rb"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE),
    b"+++": re.compile(rb"^\+\+\+[ \t]*\r?(?:\n|\Z)", re.MULTILINE),
}

_PREAMBLE: Final = re.compile(
    rb"#![^\n]*(?:\n|\Z)|<\?xml[^\n>]*\?>[ \t]*\r?(?:\n|\Z)|<\?(?!xml)[^\n>]*(?:\n|\Z)|@charset[^\n]*(?:\n|\Z)"  # noqa: E501
    rb"|#[ \t]*(?:syntax|escape|check)=[^\n]*(?:\n|\Z)"
)

_ENCODING: Final = re.compile(
    rb"(?:[ \t\f]*(?:#[^\n]*)?\r?\n)?[ \t\f]*#[^\n]*coding[:=][^\n]*(?:\n|\Z)"
)
"""The line that names a file's encoding, which is the first or the second (PEP 263)."""

_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")

_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Signature(NamedTuple):
    """A signature line, or a line that looks like one.

    content: all other bytes of the file. problem: why the line is not valid, or empty. writer:
    `symindex` or `rye`. signed: the bytes that the key has signed. time: as written, in UTC. key: a
    fingerprint.
    """

    content: bytes
    problem: str = ""
    writer: str = ""
    signed: bytes = b""
    time: str = ""
    sha256: str = ""
    value: bytes = b""
    key: str = ""


class SignatureVerdict(NamedTuple):
    """The verdict on a file's signature.

    message: what is wrong, where, and the command that repairs it; else empty. key, key_name: the
    fingerprint, and the user's name for the key. signed_at: the signed time.
    """

    state: State
    message: str = ""
    key: str = ""
    key_name: str = ""
    signed_at: str = ""


class Trusted(Protocol):
    """A key that the user trusts."""

    @property
    def name(self) -> str: ...
    @property
    def key(self) -> PublicKey: ...


class Trust(Protocol):
    """The keys that a user trusts."""

    def called(self, fingerprint: str) -> Sequence[Trusted]:
        """Returns the keys that the fingerprint of a signature may mean."""


def find_signature(data: bytes, name: str) -> Signature | None:
    """Returns the signature line of a file, or `None`. name: the file's name or extension, which
    decides the form of its comments."""
    content, lines = _divide(data)
    if not lines:
        return None
    if len(lines) > 1:
        return Signature(content, "has several signature lines")
    try:
        mark = mark_for(name)
    except RequestError:
        return Signature(content, "has a signature line, which cannot count in a file of that kind")
    [(offset, line)] = lines
    return _parse(line, content, offset, mark)


def _divide(data: bytes) -> tuple[bytes, list[tuple[int, bytes]]]:
    """Splits a file into its content and the lines that look like signatures in a place where one
    may count, each with its offset in the content."""
    content = data
    lines: list[tuple[int, bytes]] = []
    while len(lines) < _MOST_LINES:
        offset = _first_byte(content)
        if _BEGINNING.match(content, offset) is None:
            offset = _place(content)
            if _BEGINNING.match(content, offset) is None:
                break
        end = _line_end(content, offset)
        lines.append((offset, content[offset:end]))
        content = content[:offset] + content[end:]
    return content, lines


def _parse(line: bytes, content: bytes, offset: int, mark: CommentMark) -> Signature:
    """Parses a line that begins like a signature. offset: its place in the content. Every detail
    must be as the writer makes it, except those that the module's docstring names."""
    if len(line) > LONGEST_LINE:
        return Signature(content, f"has a signature line of {len(line):,} bytes")
    begun = _BEGINNING.match(line)
    assert begun is not None
    writer = begun["writer"].decode()
    opening, closing = (
        f"{mark.open} {writer}:signed:".encode(),
        f" {mark.close}".rstrip().encode() + _line_break(content),
    )
    if not line.startswith(opening) or not line.endswith(closing):
        if line.startswith(opening) and line.rstrip(b"\r\n").endswith(closing.rstrip(b"\r\n")):
            return Signature(
                content, "has a signature line with another line break than its content"
            )
        return Signature(
            content,
            "has a signature line that is not a comment as symindex writes it in such a file",
        )
    if offset != (_place(content) if writer == "symindex" else _place_of_rye(content)):
        return Signature(content, "has a signature line that is not in its place")
    if mark.after and not content[_first_byte(content) : offset].startswith(mark.after.encode()):
        return Signature(
            content, f"has a signature line before {mark.after}, where it is not a comment"
        )
    parts = _BODIES[writer].fullmatch(line, len(opening), len(line) - len(closing))
    value = (
        base64.urlsafe_b64decode(parts["value"][:86].translate(_URL_SAFE) + b"==")
        if parts is not None
        else b""
    )
    if parts is None or base64.urlsafe_b64encode(value)[:86] != parts["value"][:86].translate(
        _URL_SAFE
    ):
        return Signature(content, "has a garbled signature line")
    time, sha256 = parts["time"].decode(), parts["sha256"].decode()
    signed = sha256.encode() if writer == "rye" else _signed(mark.open, time, sha256)
    return Signature(content, "", writer, signed, time, sha256, value, parts["key"].decode())


def content_of(data: bytes) -> bytes:
    """Returns the content of a file: everything except its signature line."""
    return _divide(data)[0]


def content_digest(data: bytes) -> str:
    """Returns the sha256 of the content, in hexadecimal."""
    return hashlib.sha256(content_of(data)).hexdigest()


def sign(data: bytes, key: SigningKey, extension: str, now: datetime | None = None) -> bytes:
    """Returns a file with a new signature line, which replaces an old one.

    extension: the file's extension or name, which decides the form of its comments. now: the time
    to write, for tests. Raises RequestError for a file that cannot have a signature line.
    """
    mark = mark_for(extension)
    if data.startswith(_UTF_16):
        raise RequestError(
            f"{extension}: is in UTF-16, in which signature lines are not read: save it as UTF-8"
        )
    content = content_of(data)
    if _divide(content)[1]:
        raise RequestError(
            f"{extension}: has more than {_MOST_LINES} signature lines: delete them first"
        )
    offset = _place(content)
    if mark.after and not content[_first_byte(content) : offset].startswith(mark.after.encode()):
        raise RequestError(f"{extension}: comments need {mark.after} as the first line")
    line_break = _line_break(content)
    if offset == len(content) and offset > _first_byte(content) and not content.endswith(b"\n"):
        content += line_break  # A file that ends with its front matter.
        offset = len(content)
    sha256 = hashlib.sha256(content).hexdigest()
    moment = (now or datetime.now(UTC)).astimezone(UTC).replace(microsecond=0)
    while True:
        time = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
        value = (
            base64.urlsafe_b64encode(key.sign(_signed(mark.open, time, sha256)))
            .rstrip(b"=")
            .decode()
        )
        if "--" not in value:
            break
        # XML allows no two hyphens in a comment; another time gives another signature.
        moment -= timedelta(seconds=1)
    line = mark.wrap(f"symindex:signed:{time}:{sha256}:{value}:{key.public.fingerprint}").encode()
    return content[:offset] + line + line_break + content[offset:]


def check(data: bytes, trust: Trust, name: str) -> SignatureVerdict:
    """Checks whether a trusted key has signed a file as it is. name: the file's name, for the
    message. Raises IntegrityError if the library for signatures is not installed."""
    signature = find_signature(data, name)
    again = _remedy(name)
    if signature is None:
        return SignatureVerdict("missing", f"{name}: is not signed; {again}")
    if signature.problem:
        return SignatureVerdict("bad signature", f"{name}: {signature.problem}; {again}")
    if hashlib.sha256(signature.content).hexdigest() != signature.sha256:
        return SignatureVerdict(
            "changed",
            f"{name}: has changed since it was signed; undo the change, or {again}",
            signature.key,
        )
    candidates = trust.called(signature.key)
    if not candidates:
        hint = "if you trust its owner, get the key from them: symindex trust add KEY"
        return SignatureVerdict(
            "unknown key",
            f"{name}: is signed with {signature.key}, a key that you do not trust; {hint}",
            signature.key,
        )
    for candidate in candidates:
        if candidate.key.has_signed(signature.signed, signature.value):
            signed_at = signature.time if signature.writer == "symindex" else ""
            return SignatureVerdict(
                "valid", "", candidate.key.fingerprint, candidate.name, signed_at
            )
    message = (
        f"{name}: its signature was not made with the key that it names, {candidates[0].name};"
        f" get the file again, or {again}"
    )
    return SignatureVerdict("bad signature", message, signature.key)


def _remedy(name: str) -> str:
    """Returns what to do about a file that cannot be verified."""
    try:
        mark_for(name)
    except RequestError:
        return (
            "files of that kind have no comments, so they cannot be signed: use a kind that has,"
            " such as .md or .py"
        )
    return f"look at it and sign it: symindex sign {name}"


def _signed(opening: str, time: str, sha256: str) -> bytes:
    return f"{opening} symindex:signed:{time}:{sha256}".encode()


def _first_byte(data: bytes) -> int:
    return len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0


def _line_end(data: bytes, start: int) -> int:
    return data.find(b"\n", start) + 1 or len(data)


def _line_break(content: bytes) -> bytes:
    """Returns the line break for the signature line: that of the content's first line."""
    return b"\r\n" if content[: content.find(b"\n") + 1].endswith(b"\r\n") else b"\n"


def _place_of_rye(content: bytes) -> int:
    """Returns where rye puts its line in a content: before the front matter."""
    start = _first_byte(content)
    return start if _FENCE.match(content, start) else _place(content)


def _place(data: bytes) -> int:
    """Returns where the signature line belongs in a file that has none."""
    offset = _first_byte(data)
    if fence := _FENCE.match(data, offset):
        closing = _CLOSINGS[fence[1]].search(data, fence.end())
        if closing is not None:
            return closing.end()
    if encoding := _ENCODING.match(data, offset):
        return encoding.end()
    for _ in range(_MOST_PREAMBLE):
        line = _PREAMBLE.match(data, offset)
        if line is None or line.end() == offset:
            break
        offset = line.end()
    return offset
