"""What a user can set for a workspace: `symindex.toml` at its root, over the defaults."""

import codecs
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import RequestError
from symindex.places import SETTINGS_NAME
from symindex.source.walk import MAX_FILE_BYTES

LARGEST_FILE_BYTES: Final = 1_000_000_000
LONGEST_FILE_SECONDS: Final = 86_400.0


class Settings(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The keys of `symindex.toml`.

    index_dir: where the index is kept; relative to the root. Empty: in the user's cache directory.
    max_file_bytes: larger files are skipped.
    file_seconds: of the processor's time; a file that takes longer is given up.
    """

    index_dir: str = ""
    max_file_bytes: int = MAX_FILE_BYTES
    file_seconds: float = 10.0


def read_settings(root: Path) -> Settings:
    """The settings of a workspace. Raises RequestError that names the key that is wrong."""
    path = root / SETTINGS_NAME
    try:
        settings = msgspec.toml.decode(path.read_bytes().removeprefix(codecs.BOM_UTF8), type=Settings)
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.MsgspecError, ValueError) as error:
        legal = ", ".join(Settings.__struct_fields__)
        raise RequestError(f"{path}: {str(error).splitlines()[0]}; legal keys are {legal}") from None
    if not 1 <= settings.max_file_bytes <= LARGEST_FILE_BYTES:
        raise RequestError(f"{path}: max_file_bytes is {settings.max_file_bytes}: it must be 1 to {LARGEST_FILE_BYTES:,}")
    if not 0 < settings.file_seconds <= LONGEST_FILE_SECONDS:
        raise RequestError(
            f"{path}: file_seconds is {settings.file_seconds}: it must be greater than 0 and at most {LONGEST_FILE_SECONDS:,.0f}"
        )
    return settings
