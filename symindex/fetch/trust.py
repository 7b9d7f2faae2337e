"""The trust store: the public keys whose signatures a user believes, and the user's own key.

Each key is a file, `<name>.pub`, with a line of OpenSSH; the user's own private key is `own.key`
beside them. The folder stands in the user's configuration and belongs to the user alone
(`files/access/private_folder`): no tree, and nobody else, adds a key. Where others could have added
one, because the folder is theirs or open to them, or a file is, no key counts until the user has
looked: the errors say at what.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
"""What the user's own key is called."""

MOST_KEYS: Final = 1_000

_PUBLIC: Final = ".pub"
_PRIVATE: Final = f"{OWN_NAME}.key"
_LARGEST_FILE: Final = 4_096
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
_SHORTEST_PREFIX: Final = 6
"""Characters of a fingerprint that may stand for all of it."""

_REMEDY: Final = "move it away, and add the keys that you know again: symindex trust add KEY"

_OTHERS_READ: Final = stat.S_IRGRP | stat.S_IROTH


class TrustedKey(NamedTuple):
    """A key that the user trusts, under the name that the user chose."""

    name: str
    key: PublicKey

    @property
    def fingerprint(self) -> str:
        return self.key.fingerprint


class TrustStore:
    """See the module. The folder is made when a key is first written.

    Args:
        folder: instead of the one in the user's configuration.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = trust_folder() if folder is None else Path(os.path.abspath(folder))
        self._files = PrivateFolder(self.folder, otherwise=_REMEDY, is_precious=True)

    def add(self, given: str, name: str = "") -> TrustedKey:
        """Trusts a key from now on.

        given: the key, or the file that holds it. name: what to call it; else what it says of
        itself, or its fingerprint. Adding a key again is no error. Raises RequestError for what is
        no key, and for a name that another key has.
        """
        return self._add(read_public_key(given), name)

    def list(self) -> Sequence[TrustedKey]:
        """The keys, by name. Raises StorageError for a file that holds none: it was not written by
        us."""
        keys = []
        with self._problems("read"):
            names = self._files.names(MOST_KEYS * 2)
        for file in sorted(names, key=lambda name: (name.casefold(), name)):
            name = file.removesuffix(_PUBLIC)
            if file != name and _NAME.fullmatch(name):
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
        """Trusts a key no more. which: its name, or its fingerprint or the beginning of that.
        Raises RequestError where none or several may be meant."""
        found = self.find(which)
        with self._problems("write"):
            self._files.delete(found.name + _PUBLIC)
        return found

    def find(self, which: str) -> TrustedKey:
        """The key of a name or a fingerprint; as `remove`."""
        keys = self.list()
        named = [key for key in keys if which in (key.name, key.fingerprint)]
        prefix = which.removeprefix("SHA256:")
        if not named and len(prefix) >= _SHORTEST_PREFIX:
            named = [
                key for key in keys if key.fingerprint.removeprefix("SHA256:").startswith(prefix)
            ]
        if len(named) == 1:
            return named[0]
        told = ", ".join(f"{key.name} ({key.fingerprint})" for key in named or keys[:5])
        if named:
            raise RequestError(
                f"{which!r} may mean several keys: {told}; give more of the fingerprint"
            )
        if not keys:
            raise RequestError(
                f"no key {which!r}: none is trusted yet; add one with: symindex trust add KEY"
            )
        some = f"{told}, and {len(keys) - 5:,} more" if len(keys) > 5 else told
        hint = (
            f"; a fingerprint needs {_SHORTEST_PREFIX} characters at least"
            if len(prefix) < _SHORTEST_PREFIX
            else ""
        )
        raise RequestError(f"no key {which!r}: there are {some}{hint}")

    def called(self, fingerprint: str) -> Sequence[TrustedKey]:
        """The keys that the fingerprint of a signature may mean."""
        return [key for key in self.list() if key.key.is_called(fingerprint)]

    def signing_key(self, path: Path | None = None) -> SigningKey:
        """The key in a file, or the user's own, which is made when it is first wanted."""
        return self.make_key() if path is None else read_signing_key(path)

    def make_key(self) -> SigningKey:
        """The user's own key; a new one, which is trusted from then on, where there is none."""
        try:
            with self._problems("read", _PRIVATE):
                return self._own_key()
        except StorageError as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
        key = generate_signing_key()
        with self._problems("write", _PRIVATE):
            try:
                self._files.write(_PRIVATE, [key.pem], replaces=False)
            except FileExistsError:  # another process was sooner
                key = self._own_key()
        self._add(key.public, OWN_NAME)
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
        known = next((each for each in keys if each.key.raw == key.raw), None)
        if known is not None and name in ("", known.name):
            return known
        if known is not None:
            raise RequestError(
                f"the key {key.fingerprint} is trusted already, as {known.name}; to rename it:"
                f" symindex trust remove {known.name}"
            )
        name = name or _name_of(key)
        if not _NAME.fullmatch(name):
            raise RequestError(
                f"{name!r} cannot be the name of a key: letters, digits and . _ @ + -, at most 64,"
                " are right"
            )
        if len(keys) >= MOST_KEYS:
            raise RequestError(
                f"{self.folder} holds {len(keys):,} keys, as many as it may; remove one first"
            )
        holder = next((each for each in keys if each.name.casefold() == name.casefold()), None)
        if holder is not None:
            hint = "give another name with --name, or remove that one first"
            raise RequestError(
                f"another key is called {holder.name} already ({holder.fingerprint}); {hint}"
            )
        kept = TrustedKey(name, key._replace(comment=name))
        with self._problems("write", name + _PUBLIC):
            self._files.write(name + _PUBLIC, [kept.key.line.encode() + b"\n"], replaces=False)
        self._files.remove_unfinished()
        return kept

    @contextmanager
    def _problems(self, what: str, file: str = "") -> Iterator[None]:
        """The system's errors as ours."""
        try:
            yield
        except OSError as error:
            place = self.folder / file if file else self.folder
            hint = (
                ""
                if isinstance(error, FileNotFoundError)
                else "; see that it is yours, and that there is room"
            )
            if (
                file and error.errno == errno.EPERM
            ):  # as the folder refuses what others may have written
                hint = (
                    "; look whose key it is, delete the file, and add the key again if you know it:"
                    " symindex trust add KEY"
                )
            raise StorageError(
                f"{place}: cannot be {'read' if what == 'read' else 'written'}:"
                f" {error.strerror}{hint}"
            ) from error


def trust_folder() -> Path:
    """Where the keys are. Raises RequestError where the environment gives no whole path."""
    folder = Path(config_folder()) / "trust"
    if (
        not folder.is_absolute()
    ):  # it would be another place, perhaps a tree's, in each current folder
        raise RequestError(
            f"the configuration folder is {str(folder.parent)!r}: HOME or XDG_CONFIG_HOME must be a"
            " whole path"
        )
    return folder


def _name_of(key: PublicKey) -> str:
    """A name for a key that the user has given none."""
    said = re.sub(r"[^A-Za-z0-9._@+-]+", "-", key.comment).strip("-.")[:64]
    return (
        said
        if _NAME.fullmatch(said)
        else "key-" + re.sub(r"[^A-Za-z0-9]", "", key.fingerprint.removeprefix("SHA256:"))[:12]
    )
