"""Ed25519 keys: reads, writes, signs and verifies.

A public key is 32 bytes. It is read from every common form: an OpenSSH line, PEM, or base64 of the
bytes. None of these needs a library. Signing and verifying need the `cryptography` package, an
optional dependency that is imported on first use, and only by this module.
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
"""Largest file with a key, in bytes; a key takes a few hundred."""

_SSH_NAME: Final = b"ssh-ed25519"
_SSH_START: Final = len(_SSH_NAME).to_bytes(4, "big") + _SSH_NAME + _KEY_BYTES.to_bytes(4, "big")
"""The bytes before the key in OpenSSH's format: two fields, each preceded by its length."""

_DER_START: Final = bytes.fromhex("302a300506032b6570032100")
"""The bytes before the key in DER (RFC 8410), and therefore in PEM."""

_PEM: Final = re.compile(
    r"-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/=\s]{1,400}?)\s*-----END PUBLIC KEY-----"
)

_FORMS: Final = (
    "an OpenSSH line (ssh-ed25519 AAAA...), PEM (BEGIN PUBLIC KEY) or base64 of its 32 bytes"
)


class PublicKey(NamedTuple):
    """A public key. raw: its 32 bytes. comment: the comment at the end of its OpenSSH line."""

    raw: bytes
    comment: str = ""

    @property
    def fingerprint(self) -> str:
        """The fingerprint in OpenSSH's form, but of the 32 bytes alone, without the name of the key
        type."""
        return "SHA256:" + base64.b64encode(hashlib.sha256(self.raw).digest()).decode().rstrip("=")

    @property
    def line(self) -> str:
        """The key as an OpenSSH line."""
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
        """Whether the fingerprint of a signature means this key. It may be ours or one of the two
        that `rye` writes: hexadecimal digits of the digest of the PEM, or of the key."""
        digests = (
            hashlib.sha256(self.pem.encode()).hexdigest()[:16],
            hashlib.sha256(self.raw).hexdigest(),
        )
        return fingerprint == self.fingerprint or fingerprint in digests

    def has_signed(self, message: bytes, signature: bytes) -> bool:
        """Whether this key signed a message. Raises IntegrityError without the library."""
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
    """A private key. Its `repr` does not contain `pem`, so that no log shows the key by
    accident."""

    def __init__(self, key: "Ed25519PrivateKey") -> None:
        self._key = key
        self.public: PublicKey = PublicKey(key.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)

    @property
    def pem(self) -> bytes:
        """The key as PKCS8, without a passphrase."""
        from cryptography.hazmat.primitives.serialization import (
            Encoding,
            NoEncryption,
            PrivateFormat,
        )

        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def parse_public_key(text: str) -> PublicKey:
    """Parses a public key in any of its forms. Raises RequestError, which says what the text is
    instead."""
    text = text.strip()
    if "PRIVATE KEY-----" in text:
        raise RequestError(
            "this is a private key, which nobody else may see: give its public key, which"
            " `ssh-keygen -y -f FILE` prints"
        )
    words = text.split(None, 2)
    if words[:1] == [_SSH_NAME.decode()] and len(words) > 1 and "\n" not in text:
        raw = _unwrap(words[1], _SSH_START)
    elif pem := _PEM.fullmatch(text):
        raw = _unwrap("".join(pem[1].split()), _DER_START)
    else:
        raw = _unwrap(text.replace("-", "+").replace("_", "/"), b"")
    if raw is None:
        foreign_kind = re.match(r"(ssh-rsa|ssh-dss|ecdsa-sha2-\w+|sk-[\w.@-]+)\s", text)
        is_other = f"a key of the kind {foreign_kind[1]}" if foreign_kind else "not a public key"
        raise RequestError(f"{is_other}: expected an Ed25519 key as {_FORMS}")
    return PublicKey(
        raw, words[2].strip() if len(words) > 2 and words[0] == _SSH_NAME.decode() else ""
    )


def _unwrap(text: str, start: bytes) -> bytes | None:
    """Decodes base64 and returns the 32 bytes after `start`, or `None` for any other data."""
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
    """Returns a public key, given as text or as the name of its file. Raises RequestError."""
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
    """Reads a private key from a file in PEM (PKCS8) or OpenSSH's format. Raises RequestError, or
    IntegrityError without the library."""
    try:
        data = read_regular(path, _LARGEST_FILE, follow=True)
    except OSError as error:
        raise RequestError(
            f"{path}: {error.strerror}: name a file with an Ed25519 private key"
        ) from None
    return parse_signing_key(data, str(path))


def parse_signing_key(data: bytes, place: str) -> SigningKey:
    """Parses a private key. place: its file, for errors. Raises RequestError."""
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
            "`ssh-keygen -p -N '' -f COPY` removes it from a copy, or leave --key out to sign with"
            " your own symindex key"
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
    """Makes a new key. Raises IntegrityError without the library."""
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError:
        raise _lacks_library("nothing can be signed") from None
    return SigningKey(Ed25519PrivateKey.generate())


def _lacks_library(consequence: str) -> IntegrityError:
    return IntegrityError(
        f"{consequence}: the `cryptography` package is missing; install it with:"
        " pip install cryptography"
    )


def _cut(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:100]}..."
