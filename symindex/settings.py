"""What a user can set for a workspace: `symindex.toml` at its root, over the defaults."""

import codecs
import hashlib
import os
from pathlib import Path
from typing import Final

import msgspec
from platformdirs import user_cache_path

from symindex.errors import RequestError

SETTINGS_NAME: Final = "symindex.toml"

LARGEST_FILE_BYTES: Final = 1_000_000_000
LONGEST_FILE_SECONDS: Final = 86_400.0


class Settings(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The keys of `symindex.toml`.

    index_dir: where the index is kept; relative to the root. Empty: in the user's cache directory.
    max_file_bytes: larger files are skipped.
    file_seconds: a file that takes longer is given up.
    """

    index_dir: str = ""
    max_file_bytes: int = 2_000_000
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


def current_folder() -> Path:
    """The folder this process stands in. Raises RequestError where somebody has deleted it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise RequestError(
            "the current folder was deleted: go to one that exists, or name folders by their whole paths"
        ) from None


def find_root(start: Path) -> Path:
    """The nearest folder upwards that holds `symindex.toml` or `.git`, else `start` itself."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / SETTINGS_NAME).exists() or (folder / ".git").exists():
            return folder
    return start


def index_folder(root: Path, index_dir: str | os.PathLike[str] | None, settings: Settings) -> Path:
    """Where the index of `root` is kept: as told, as set, or a folder of its own in the user's cache directory.

    The folder's name holds a digest of the root's path, so one `index_dir` can serve many workspaces.
    """
    name = f"{root.name or 'root'}-{hashlib.blake2b(str(root).encode('utf-8', 'surrogateescape'), digest_size=6).hexdigest()}"
    if index_dir is not None:
        folder = _expand(index_dir, "")
        return (folder if folder.is_absolute() else current_folder() / folder) / name
    if settings.index_dir:
        return root / _expand(settings.index_dir, f"{root / SETTINGS_NAME}: ") / name
    return user_cache_path("symindex") / name


def _expand(folder: str | os.PathLike[str], place: str) -> Path:
    text = os.fspath(folder)
    if not text or "\0" in text:
        raise RequestError(f"{place}index_dir {text!r} is not a path: name a folder for the index")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise RequestError(f"{place}index_dir {text!r}: {str(error).rstrip('.')}; name a folder for the index") from None
