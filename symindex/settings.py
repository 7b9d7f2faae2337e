"""What a user can set for a workspace: `symindex.toml` at its root, over the defaults."""

import hashlib
from pathlib import Path
from typing import Final

import msgspec
from platformdirs import user_cache_path

from symindex.errors import RequestError

SETTINGS_NAME: Final = "symindex.toml"


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
        settings = msgspec.toml.decode(path.read_bytes(), type=Settings)
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.MsgspecError, ValueError) as error:
        legal = ", ".join(Settings.__struct_fields__)
        raise RequestError(f"{path}: {str(error).splitlines()[0]}; legal keys are {legal}") from None
    if settings.max_file_bytes < 1 or settings.file_seconds <= 0:
        raise RequestError(f"{path}: max_file_bytes and file_seconds must be greater than 0")
    return settings


def find_root(start: Path) -> Path:
    """The nearest folder upwards that holds `symindex.toml` or `.git`, else `start` itself."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / SETTINGS_NAME).exists() or (folder / ".git").exists():
            return folder
    return start


def index_folder(root: Path, index_dir: str | Path | None, settings: Settings) -> Path:
    """Where the index of `root` is kept: as told, as set, or a folder of its own in the user's cache directory.

    The folder's name holds a digest of the root's path, so one `index_dir` can serve many workspaces.
    """
    name = f"{root.name or 'root'}-{hashlib.blake2b(str(root).encode('utf-8', 'surrogateescape'), digest_size=6).hexdigest()}"
    if index_dir is not None:
        return Path(index_dir).expanduser().absolute() / name
    if settings.index_dir:
        return root / Path(settings.index_dir).expanduser() / name
    return user_cache_path("symindex") / name
