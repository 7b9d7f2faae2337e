"""Ed25519 keys: how they are written, and what they sign.

A public key is 32 bytes. It is read from each form that people have it in: a line of OpenSSH, PEM,
or base64 of the bytes; for none of them a library is needed. Signing and checking need the
`cryptography` package, an extra that is loaded when it is first used: only this module knows it.
"""

import base64
import binascii
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from symindex.errors import IntegrityError, RequestError
from symindex.files.access.regular import read_regular

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_KEY_BYTES: Final = 32
_LARGEST_FILE: Final = 65_536
"""Bytes of a file with a key, which takes a few hundred."""

_SSH_NAME: Final = b"ssh-ed25519"
_SSH_START: Final = len(_SSH_NAME).to_bytes(4, "big") + _SSH_NAME + _KEY_BYTES.to_bytes(4, "big")
"""What stands before the key in OpenSSH's form: two fields, each behind its length."""

_DER_START: Final = bytes.fromhex("302a300506032b6570032100")
"""What stands before the key in DER (RFC 8410), and so in PEM."""

_PEM: Final = re.compile(
    r"-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]{1,400}?)\s*-----END PUBLIC KEY-----"
)

_FORMS: Final = (
    "an OpenSSH line (ssh-ed25519 AAAA...), PEM (BEGIN PUBLIC KEY) or base64 of its 32 bytes"
)


class PublicKey(NamedTuple):
    """raw: its 32 bytes. comment: what the line said of it, as OpenSSH's lines do."""

    raw: bytes
    comment: str = ""

    @property
    def fingerprint(self) -> str:
        """As OpenSSH would write it, but of the key alone, without the name of its kind."""
        return "SHA256:" + base64.b64encode(hashlib.sha256(self.raw).digest()).decode().rstrip("=")

    @property
    def line(self) -> str:
        """The key as a line of OpenSSH."""
        return (
            f"{_SSH_NAME.decode()} {base64.b64encode(_SSH_START + self.raw).decode()}"
            f" {self.comment}".rstrip()
        )

    @property
    def pem(self) -> str:
        """The key in PEM."""
        body = base64.b64encode(_DER_START + self.raw).decode()
        return f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n"

    def is_called(self, fingerprint: str) -> bool:
        """Whether a signature's fingerprint means this key: ours, or one of those that `rye` has
        written: hexadecimal digits of the digest of the PEM, or of the key."""
        digests = (
            hashlib.sha256(self.pem.encode()).hexdigest()[:16],
            hashlib.sha256(self.raw).hexdigest(),
        )
        return fingerprint == self.fingerprint or fingerprint in digests

    def has_signed(self, message: bytes, signature: bytes) -> bool:
        """Whether this key made a signature of a message. Raises IntegrityError without the
        library."""
        try:
            from cryptography.exceptions import InvalidSignature
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        except ImportError:
            raise _lacks_library("signatures cannot be checked") from None
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


class SigningKey:
    """A private key. `pem` and `repr` are apart, so that no log shows one by chance."""

    def __init__(self, key: "Ed25519PrivateKey") -> None:
        self._key = key
        self.public = PublicKey(key.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)

    @property
    def pem(self) -> bytes:
        """PKCS8, without a passphrase."""
        from cryptography.hazmat.primitives.serialization import (
            Encoding,
            NoEncryption,
            PrivateFormat,
        )

        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def parse_public_key(text: str) -> PublicKey:
    """A public key in any of its forms. Raises RequestError, which says what was given instead."""
    text = text.strip()
    if "PRIVATE KEY-----" in text:
        raise RequestError(
            "this is a private key, which nobody else may see: give its public key, as `ssh-keygen"
            " -y -f FILE` says"
        )
    words = text.split(None, 2)
    if words[:1] == [_SSH_NAME.decode()] and len(words) > 1 and "\n" not in text:
        raw = _unwrap(words[1], _SSH_START)
    elif pem := _PEM.fullmatch(text):
        raw = _unwrap("".join(pem[1].split()), _DER_START)
    else:
        raw = _unwrap(text.replace("-", "+").replace("_", "/"), b"")
    if raw is None:
        other = re.match(r"(ssh-rsa|ssh-dss|ecdsa-sha2-\w+|sk-[\w.@-]+)\s", text)
        is_other = f"a key of the kind {other[1]}" if other else "not a public key"
        raise RequestError(f"{is_other}: expected an Ed25519 key as {_FORMS}")
    return PublicKey(
        raw, words[2].strip() if len(words) > 2 and words[0] == _SSH_NAME.decode() else ""
    )


def _unwrap(text: str, start: bytes) -> bytes | None:
    """The 32 bytes behind a start, of a text in base64."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    return (
        data[len(start) :]
        if data.startswith(start) and len(data) == len(start) + _KEY_BYTES
        else None
    )


def read_public_key(given: str) -> PublicKey:
    """A public key, or the file that holds it. Raises RequestError."""
    try:
        return parse_public_key(given)
    except RequestError as error:
        if "\n" in given or not given.strip() or "\0" in given:
            raise
        as_text = error
    try:
        return parse_public_key(read_regular(given, _LARGEST_FILE, follow=True).decode())
    except FileNotFoundError:
        raise RequestError(f"{_cut(given)}: no such file, and {as_text}") from None
    except OSError as error:
        raise RequestError(
            f"{_cut(given)}: {error.strerror}: name a file with a public key"
        ) from None
    except UnicodeDecodeError:
        raise RequestError(f"{given}: not a public key: expected {_FORMS}") from None
    except RequestError as error:
        raise RequestError(f"{given}: {error}") from None


def read_signing_key(path: Path) -> SigningKey:
    """The private key in a file: PEM (PKCS8) or OpenSSH's own. Raises RequestError, and
    IntegrityError without the library."""
    try:
        data = read_regular(path, _LARGEST_FILE, follow=True)
    except OSError as error:
        raise RequestError(
            f"{path}: {error.strerror}: name a file with an Ed25519 private key"
        ) from None
    return parse_signing_key(data, str(path))


def parse_signing_key(data: bytes, place: str) -> SigningKey:
    """A private key. place: where it stands, for errors. Raises RequestError."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import (
            load_pem_private_key,
            load_ssh_private_key,
        )
    except ImportError:
        raise _lacks_library("nothing can be signed") from None
    load = load_ssh_private_key if b"BEGIN OPENSSH" in data[:100] else load_pem_private_key
    expected = "expected an Ed25519 private key, PEM (PKCS8) or OpenSSH"
    try:
        key = load(data, password=None)
    except TypeError:
        hint = (
            "`ssh-keygen -p -N '' -f COPY` takes it from a copy, or leave --key out to sign with"
            " your own key of symindex"
        )
        raise RequestError(
            f"{place}: has a passphrase, which symindex does not ask for; {hint}"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise RequestError(f"{place}: not a private key: {expected}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise RequestError(f"{place}: a key of another kind: {expected}")
    return SigningKey(key)


def generate_signing_key() -> SigningKey:
    """A new key. Raises IntegrityError without the library."""
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError:
        raise _lacks_library("nothing can be signed") from None
    return SigningKey(Ed25519PrivateKey.generate())


def _lacks_library(what: str) -> IntegrityError:
    return IntegrityError(
        f"{what}: the `cryptography` package is missing; install it with: pip install cryptography"
    )


def _cut(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:100]}..."
