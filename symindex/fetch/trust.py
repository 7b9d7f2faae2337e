"""The trust store: the public keys whose signatures a user trusts, and the user's own key.

Each key is a file, `<name>.pub`, with one OpenSSH line; the user's own private key is `own.key` in
the same folder. The folder is in the user's configuration and belongs to the user alone
(`files/access/private_folder`), so no tree and no other user can add a key. If others could have
added one, because the folder or a file belongs to them or is open to them, no key counts until the
user has checked; the error says what to check.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import RequestError, StorageError
from symindex.fetch.keys import (
    PublicKey,
    SigningKey,
    generate_signing_key,
    parse_public_key,
    parse_signing_key,
    read_public_key,
    read_signing_key,
)
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.access.regular import closing, read_open
from symindex.files.user_folders import config_folder

OWN_NAME: Final = "own"
"""Name of the user's own key."""

MOST_KEYS: Final = 1_000

_PUBLIC: Final = ".pub"
_PRIVATE: Final = f"{OWN_NAME}.key"
_LARGEST_FILE: Final = 4_096
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
_SHORTEST_PREFIX: Final = 6
"""Shortest beginning of a fingerprint that can identify a key, in characters."""

_REMEDY: Final = "move it away, and add the keys that you know again: symindex trust add KEY"

_OTHERS_READ: Final = stat.S_IRGRP | stat.S_IROTH


class TrustedKey(NamedTuple):
    """A trusted key, with the name that the user chose."""

    name: str
    key: PublicKey

    @property
    def fingerprint(self) -> str:
        return self.key.fingerprint


class TrustStore:
    """The keys in a folder, which is made when the first key is written.

    Args:
        folder: instead of the one in the user's configuration.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder: Path = trust_folder() if folder is None else Path(os.path.abspath(folder))
        self._files = PrivateFolder(self.folder, otherwise=_REMEDY, is_precious=True)

    def add(self, given: str, name: str = "") -> TrustedKey:
        """Trusts a key from now on.

        given: the key, or the file that contains it. name: what to call it; by default its own
        comment, or its fingerprint. Adding a key twice is not an error. Raises RequestError for
        text that is not a key, and for a name that another key has.
        """
        return self._add(read_public_key(given), name)

    def list(self) -> Sequence[TrustedKey]:
        """Returns the keys, by name. Raises StorageError for a file without a key, which we did not
        write."""
        keys = []
        with self._problems("read"):
            names = self._files.names(MOST_KEYS * 2)
        public = [file.removesuffix(_PUBLIC) for file in names if file.endswith(_PUBLIC)]
        for name in sorted(public, key=lambda name: (name.casefold(), name)):
            file = name + _PUBLIC
            if _NAME.fullmatch(name):
                with self._problems("read", file):
                    data = self._files.read(file, _LARGEST_FILE)
                try:
                    keys.append(TrustedKey(name, parse_public_key(data.decode("utf-8", "replace"))))
                except RequestError as error:
                    raise StorageError(
                        f"{self.folder / file}: {error}; delete the file, and add the key again"
                    ) from None
        return keys

    def remove(self, which: str) -> TrustedKey:
        """Stops trusting a key. which: its name, its fingerprint, or the beginning of its
        fingerprint. Raises RequestError if no key or several match."""
        trusted = self.find(which)
        with self._problems("write"):
            self._files.delete(trusted.name + _PUBLIC)
        return trusted

    def find(self, which: str) -> TrustedKey:
        """Returns the key with a name or fingerprint, as for `remove`."""
        keys = self.list()
        matches = [key for key in keys if which in (key.name, key.fingerprint)]
        prefix = which.removeprefix("SHA256:")
        if not matches and len(prefix) >= _SHORTEST_PREFIX:
            matches = [
                key for key in keys if key.fingerprint.removeprefix("SHA256:").startswith(prefix)
            ]
        if len(matches) == 1:
            return matches[0]
        names = ", ".join(f"{key.name} ({key.fingerprint})" for key in matches or keys[:5])
        if matches:
            raise RequestError(
                f"{which!r} may mean several keys: {names}; give more of the fingerprint"
            )
        if not keys:
            raise RequestError(
                f"no key {which!r}: none is trusted yet; add one with: symindex trust add KEY"
            )
        listed = f"{names}, and {len(keys) - 5:,} more" if len(keys) > 5 else names
        hint = (
            f"; a fingerprint needs {_SHORTEST_PREFIX} characters at least"
            if len(prefix) < _SHORTEST_PREFIX
            else ""
        )
        raise RequestError(f"no key {which!r}: the keys are {listed}{hint}")

    def called(self, fingerprint: str) -> Sequence[TrustedKey]:
        """Returns the keys that the fingerprint of a signature may mean."""
        return [key for key in self.list() if key.key.is_called(fingerprint)]

    def signing_key(self, path: Path | None = None) -> SigningKey:
        """Returns the key in a file, or the user's own, which is made on first use."""
        return self.make_key() if path is None else read_signing_key(path)

    def make_key(self) -> SigningKey:
        """Returns the user's own key. If there is none, makes a new one and trusts it."""
        try:
            with self._problems("read", _PRIVATE):
                return self._own_key()
        except StorageError as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
        key = made = generate_signing_key()
        with self._problems("write", _PRIVATE):
            try:
                self._files.write(_PRIVATE, [key.pem], replaces=False)
            except FileExistsError:  # Another process was faster.
                key = self._own_key()
        try:
            self._add(key.public, OWN_NAME)
        except BaseException:
            # The next call would find a key that nobody trusts, and not make one.
            if key is made:
                with suppress(OSError, StorageError):
                    self._files.delete(_PRIVATE)
            raise
        return key

    def _own_key(self) -> SigningKey:
        with closing(self._files.open(_PRIVATE)) as number:
            status = os.fstat(number)
            if hasattr(os, "geteuid") and status.st_mode & _OTHERS_READ:
                raise StorageError(
                    f"{self.folder / _PRIVATE}: others may read your private key: delete it with"
                    " own.pub, and sign again; or, if you are sure that nobody has read it,"
                    " chmod 600"
                )
            return parse_signing_key(
                read_open(number, _LARGEST_FILE, status.st_size), str(self.folder / _PRIVATE)
            )

    def _add(self, key: PublicKey, name: str) -> TrustedKey:
        keys = self.list()
        existing = next((trusted for trusted in keys if trusted.key.raw == key.raw), None)
        if existing is not None and name in ("", existing.name):
            return existing
        if existing is not None:
            raise RequestError(
                f"the key {key.fingerprint} is already trusted, as {existing.name}; to rename it:"
                f" symindex trust remove {existing.name}"
            )
        name = name or _name_of(key)
        if not _NAME.fullmatch(name):
            raise RequestError(
                f"{name!r} cannot be the name of a key: use letters, digits and . _ @ + -, at"
                " most 64"
            )
        if len(keys) >= MOST_KEYS:
            raise RequestError(
                f"{self.folder} contains {len(keys):,} keys, the most allowed; remove one first"
            )
        holder = next(
            (trusted for trusted in keys if trusted.name.casefold() == name.casefold()), None
        )
        if holder is not None:
            hint = "give another name with --name, or remove that one first"
            raise RequestError(
                f"another key is already called {holder.name} ({holder.fingerprint}); {hint}"
            )
        added = TrustedKey(name, key._replace(comment=name))
        with self._problems("write", name + _PUBLIC):
            self._files.write(name + _PUBLIC, [added.key.line.encode() + b"\n"], replaces=False)
        self._files.remove_unfinished()
        return added

    @contextmanager
    def _problems(self, action: str, file: str = "") -> Iterator[None]:
        """Turns errors of the system into StorageError."""
        try:
            yield
        except OSError as error:
            place = self.folder / file if file else self.folder
            hint = (
                ""
                if isinstance(error, FileNotFoundError)
                else "; check that it is yours, and that there is room"
            )
            # The folder refuses a file that others may have written.
            if file and error.errno == errno.EPERM:
                hint = (
                    "; check whose key it is, delete the file, and add the key again if you know"
                    " it: symindex trust add KEY"
                )
            raise StorageError(
                f"{place}: cannot be {'read' if action == 'read' else 'written'}:"
                f" {error.strerror}{hint}"
            ) from error


def trust_folder() -> Path:
    """Returns the folder of the keys. Raises RequestError if the environment gives no absolute
    path."""
    folder = Path(config_folder()) / "trust"
    # A relative path would mean another folder, perhaps a tree's, in each working directory.
    if not folder.is_absolute():
        raise RequestError(
            f"the configuration folder is {str(folder.parent)!r}: HOME or XDG_CONFIG_HOME must be"
            " an absolute path"
        )
    return folder


def _name_of(key: PublicKey) -> str:
    """Returns a name for a key that the user has not named."""
    name = re.sub(r"[^A-Za-z0-9._@+-]+", "-", key.comment).strip("-.")[:64]
    return (
        name
        if _NAME.fullmatch(name)
        else "key-" + re.sub(r"[^A-Za-z0-9]", "", key.fingerprint.removeprefix("SHA256:"))[:12]
    )
