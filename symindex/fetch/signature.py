"""The signature line of a file: a comment that says who vouches for all other bytes of it, and
since when.

    <!-- symindex:signed:2026-05-01T12:00:00Z:<sha256>:<Ed25519, base64url>:SHA256:<fingerprint of
    the key> -->

The content is the file's bytes without that line and its line break; byte order mark and line
breaks count as they are. The signature is made over the line up to the digest
(`<!-- symindex:signed:<time>:<sha256>`), so that neither time nor digest nor the comment's mark can
be exchanged for others: `\"\"\"` in the place of `#` would make text of a program.

The line is first, but for what must come first in a file: a byte order mark, front matter, `#!`,
the line that names the encoding, `<?`. It counts in that one place, for moved elsewhere it could
leave the content as it is and change what it means. A line in any other place is content. So each
signed file has one form, and a text about signatures is not mistaken for one.

Lines of `rye:signed:` are checked as well. rye signs only the digest, so all else of the line is
held against the one form that it may have: the comment's mark of the file's own kind, one blank,
the fields, the closing mark, the line break of the content. It is the first line, also before front
matter, because rye writes it there; only `#!`, an encoding and the like come before it. What may
differ are the time, which nobody vouches for and which is not repeated; rye's two names of a key;
and its three ways to write 64 bytes (base64, base64url with padding or without). None of these can
end a comment or begin another line. Where rye has signed less than the whole file, the file has
"changed".

A line counts only with the mark that the name of the file asks for (`comment_marks`). In a file
whose kind has no comments no line can be verified. Beyond that a signature says nothing of the
file's name: a signed file that is copied to another place is valid there, under another id. Neither
form has room for an id, a type or a version, and the signer does not know the first two, which come
from where the reader has put the file and from the reader's table of types. `integrity` says so in
each answer. What the content says of itself, such as `id` and `version` in front matter, is signed
with all of it.
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
"""In bytes: a signature line takes about 250."""

_MOST_LINES: Final = 100
"""How many signature lines are looked for, which costs a copy each. From two on it is a fault;
signing replaces all of them."""

_MOST_PREAMBLE: Final = 8
"""Lines that must come first; no file has more than three."""

_BEGINNING: Final = re.compile(
    rb"[ \t]*+(?:(?:[^\w\s]{1,4}|REM)[ \t]*+)?(?P<writer>symindex|rye):signed:"
)
"""What looks like a signature line, so that a garbled one is not taken for none."""

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
"""The fields of a line of each writer."""

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
    """A signature line, or what looks like one.

    content: all other bytes of the file. problem: why it cannot be one; else empty. writer:
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


class Verdict(NamedTuple):
    """What is to be said of a file's signature. message: what is wrong, where, and the command that
    mends it; else empty. key, key_name: the fingerprint and the user's name for it. signed_at: a
    time that the signature vouches for."""

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


def find_signature(data: bytes, name: str) -> Signature | None:
    """The signature line of a file; `None` where none is in its place. name: of the file, or its
    extension, which decides how its comments look."""
    content, lines = _divide(data)
    if not lines:
        return None
    if len(lines) > 1:
        return Signature(content, "has several signature lines")
    try:
        mark = mark_for(name)
    except RequestError:
        return Signature(content, "has a signature line, which cannot count in a file of that kind")
    [(at, line)] = lines
    return _parse(line, content, at, mark)


def _divide(data: bytes) -> tuple[bytes, list[tuple[int, bytes]]]:
    """The content, and each line that looks like a signature where one may count, with its place in
    the content."""
    content = data
    lines: list[tuple[int, bytes]] = []
    while len(lines) < _MOST_LINES:
        at = _first_byte(content)
        if _BEGINNING.match(content, at) is None:
            at = _place(content)
            if _BEGINNING.match(content, at) is None:
                break
        end = _line_end(content, at)
        lines.append((at, content[at:end]))
        content = content[:at] + content[end:]
    return content, lines


def _parse(line: bytes, content: bytes, at: int, mark: CommentMark) -> Signature:
    """What a line says that begins as a signature does. at: where it is in the content. Nothing in
    it may be other than the writer makes it, but for what the module's docstring names."""
    if len(line) > LONGEST_LINE:
        return Signature(content, f"has a signature line of {len(line):,} bytes")
    begun = _BEGINNING.match(line)
    assert begun is not None
    writer = begun["writer"].decode()
    before, after = (
        f"{mark.open} {writer}:signed:".encode(),
        f" {mark.close}".rstrip().encode() + _line_break(content),
    )
    if not line.startswith(before) or not line.endswith(after):
        if line.startswith(before) and line.rstrip(b"\r\n").endswith(after.rstrip(b"\r\n")):
            return Signature(
                content, "has a signature line with another line break than its content"
            )
        return Signature(
            content,
            "has a signature line that is no comment as symindex writes it in a file of that kind",
        )
    if at != (_place(content) if writer == "symindex" else _place_of_rye(content)):
        return Signature(content, "has a signature line that is not in its place")
    if mark.after and not content[_first_byte(content) : at].startswith(mark.after.encode()):
        return Signature(
            content, f"has a signature line before {mark.after}, where it is no comment"
        )
    parts = _BODIES[writer].fullmatch(line, len(before), len(line) - len(after))
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
    """The content of a file: all of it but the signature line."""
    return _divide(data)[0]


def content_digest(data: bytes) -> str:
    """The sha256 of the content, in hexadecimal."""
    return hashlib.sha256(content_of(data)).hexdigest()


def sign(data: bytes, key: SigningKey, extension: str, now: datetime | None = None) -> bytes:
    """A file with a signature line, in place of one that it has.

    extension: of its name, or the name, which decides how comments look. now: instead of the
    current time. Raises RequestError for a file that can have no such line.
    """
    mark = mark_for(extension)
    if data.startswith(_UTF_16):
        raise RequestError(
            f"{extension}: is in UTF-16, in which no signature line is read: save it as UTF-8"
        )
    content = content_of(data)
    if _divide(content)[1]:
        raise RequestError(
            f"{extension}: has more than {_MOST_LINES} signature lines: delete them first"
        )
    at = _place(content)
    if mark.after and not content[_first_byte(content) : at].startswith(mark.after.encode()):
        raise RequestError(
            f"{extension}: a comment means something only behind {mark.after}, which must be its"
            " first line"
        )
    line_break = _line_break(content)
    if at == len(content) and at > _first_byte(content) and not content.endswith(b"\n"):
        content += line_break  # of a file that ends with its front matter
        at = len(content)
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
        moment -= timedelta(
            seconds=1
        )  # XML allows no two hyphens in a comment; another time gives another signature
    line = mark.wrap(f"symindex:signed:{time}:{sha256}:{value}:{key.public.fingerprint}").encode()
    return content[:at] + line + line_break + content[at:]


def check(data: bytes, trust: Trust, name: str) -> Verdict:
    """Whether a file is what a trusted key has signed. name: of the file, for the message. Raises
    IntegrityError where no library for signatures is installed."""
    found = find_signature(data, name)
    again = _remedy(name)
    if found is None:
        return Verdict("missing", f"{name}: is not signed; {again}")
    if found.problem:
        return Verdict("bad signature", f"{name}: {found.problem}; {again}")
    if hashlib.sha256(found.content).hexdigest() != found.sha256:
        return Verdict(
            "changed",
            f"{name}: has changed since it was signed; undo the change, or {again}",
            found.key,
        )
    known = trust.called(found.key)
    if not known:
        hint = "if you trust whoever has it, get the key from them: symindex trust add KEY"
        return Verdict(
            "unknown key",
            f"{name}: is signed with {found.key}, a key that you have not named; {hint}",
            found.key,
        )
    for each in known:
        if each.key.has_signed(found.signed, found.value):
            signed_at = found.time if found.writer == "symindex" else ""
            return Verdict("valid", "", each.key.fingerprint, each.name, signed_at)
    told = (
        f"{name}: its signature was not made with the key that it names, {known[0].name}; get the"
        f" file again, or {again}"
    )
    return Verdict("bad signature", told, found.key)


def _remedy(name: str) -> str:
    """What to do about a file that cannot be verified."""
    try:
        mark_for(name)
    except RequestError:
        return (
            "no comment is known in files of that kind, so none can be signed: keep it as a kind"
            " that has, such as .md or .py"
        )
    return f"look at it and sign it: symindex sign {name}"


def _signed(opening: str, time: str, sha256: str) -> bytes:
    return f"{opening} symindex:signed:{time}:{sha256}".encode()


def _first_byte(data: bytes) -> int:
    return len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0


def _line_end(data: bytes, at: int) -> int:
    return data.find(b"\n", at) + 1 or len(data)


def _line_break(content: bytes) -> bytes:
    """What ends the signature line of a content: what ends its first line."""
    return b"\r\n" if content[: content.find(b"\n") + 1].endswith(b"\r\n") else b"\n"


def _place_of_rye(content: bytes) -> int:
    """Where the line of rye is in a content: before its front matter."""
    at = _first_byte(content)
    return at if _FENCE.match(content, at) else _place(content)


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
