"""A repository of a fleet: its name, and where its files come from."""

import hashlib
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

_DIGEST_BYTES: Final = 16

MOST_REPOSITORY_BYTES: Final = 1_000_000_000
"""Default limit of what one repository takes: of what git fetches, and of its files."""

MOST_FILES: Final = 300_000
"""Default limit of the files of one repository."""

SECONDS: Final = 600.0
"""Default time to bring one repository up to date."""

LARGEST_BYTES: Final = 100_000_000_000
LARGEST_FILES: Final = 5_000_000
LARGEST_SECONDS: Final = 86_400.0


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one repository may take. max_repository_bytes: of what is fetched, and of its files.
    seconds: to bring it up to date."""

    max_repository_bytes: Annotated[int, Meta(ge=1, le=LARGEST_BYTES)] = MOST_REPOSITORY_BYTES
    max_files: Annotated[int, Meta(ge=1, le=LARGEST_FILES)] = MOST_FILES
    seconds: Annotated[float, Meta(gt=0, le=LARGEST_SECONDS)] = SECONDS


Kind = Literal["git", "folder", "archive"]


class Repository(msgspec.Struct, frozen=True):
    """A repository.

    name: unique in its fleet. location: the address of a git repository, or an absolute path. ref:
    a branch or a tag; empty for the default branch. token_env: the environment variable that holds
    the token for the address. place: the entry of the catalogue, for messages.
    """

    name: str
    kind: Kind
    location: str
    ref: str = ""
    token_env: str = ""
    place: str = ""

    @property
    def folder_name(self) -> str:
        """The name of our folder for its files: a digest, because its own names are a stranger's.
        It depends on where the files come from, so an entry with a new name fetches nothing."""
        text = "\0".join((self.kind, self.location, self.ref))
        data = text.encode("utf-8", "surrogateescape")
        return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()
