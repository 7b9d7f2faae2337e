"""Reads the user's own configuration: `config.toml` in the configuration folder, which no source
tree can set.

It names the user's own items and languages and the registries to search, and sets how strictly
signatures are checked, whether the memory of coding agents is searched, and by which model recall
compares meanings. `SYMINDEX_CONFIG` names another file; if it is empty, there is no configuration.
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from symindex.errors import RequestError
from symindex.files.access.owners import why_not_ours
from symindex.files.access.regular import closing, open_regular, read_open
from symindex.files.user_folders import config_folder
from symindex.text.decoding import check_toml_keys, decoder_of

CONFIG_VARIABLE: Final = "SYMINDEX_CONFIG"
FILE_NAME: Final = "config.toml"
MOST_BYTES: Final = 65_536

Verify = Literal["off", "warn", "intact", "require"]


class ConfiguredRegistry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A registry of items. name: its name in answers. source: a folder, or the address of its index
    document. sha256: the digest that the document must have; empty accepts any. allow_private:
    whether its address may be a private one."""

    name: str
    source: str
    sha256: str = ""
    allow_private: bool = False


class Configuration(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The keys of `config.toml`.

    user_roots: folders, absolute or below `~`, whose items are read. home: whether items are also
    read from the places in the home folder that the table of item types names. registries: the
    registries of items; there are none by default. grammars: folders of the user's own languages
    (`grammars/README.md`), absolute or below `~`. verify: the reaction to items without a valid
    signature: nothing, a notice, an error for those that were changed since they were signed, or an
    error for all. agent_memory: whether notes are searched together with the files in which coding
    agents store their memory in the home folder. recall_model: the folder of the static embedding
    model by which recall compares meanings, absolute or below `~`; empty for that of the extra.
    """

    user_roots: Annotated[tuple[str, ...], Meta(max_length=20)] = ()
    home: bool = True
    registries: Annotated[tuple[ConfiguredRegistry, ...], Meta(max_length=20)] = ()
    grammars: Annotated[tuple[str, ...], Meta(max_length=20)] = ()
    verify: Verify = "intact"
    agent_memory: bool = False
    recall_model: str = ""


def configuration_folder() -> Path:
    """Returns the folder of the user's configuration, by the conventions of the system."""
    return Path(config_folder())


def configuration_file() -> Path | None:
    """Returns the file of the user's configuration, which may not exist; `None` if
    `SYMINDEX_CONFIG` is empty. Raises RequestError for a relative path."""
    name = os.environ.get(CONFIG_VARIABLE)
    if name == "":
        return None
    path = Path(name) if name is not None else configuration_folder() / FILE_NAME
    if not path.is_absolute():  # it would mean another file in each current folder
        raise RequestError(f"{CONFIG_VARIABLE} is {name!r}: it must be an absolute path")
    return path


def read_configuration() -> Configuration:
    """Returns the user's configuration; the defaults if there is no file. Raises RequestError for a
    file that cannot be read."""
    path = configuration_file()
    if path is None:
        return Configuration()
    try:
        status = path.stat()
    except OSError:
        return Configuration()
    return _read(
        path, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
    )  # ctime also tells a change of mode or owner


@lru_cache(maxsize=4)
def _read(path: Path, mtime_ns: int, ctime_ns: int, size: int, inode: int) -> Configuration:
    import tomllib  # deferred, because most users have no such file

    decoder_of(Configuration)
    try:
        with closing(open_regular(path, follow=True)) as number:
            status = os.fstat(number)
            if why := why_not_ours(status, is_by_hand=True):
                hint = "look at it, then make it yours alone"
                raise RequestError(
                    f"{path}: {why}, so nothing in it is trusted; {hint}: chmod go-w, or copy it"
                )
            text = read_open(number, MOST_BYTES, status.st_size).decode()
        check_toml_keys(text)
        values: dict[str, Any] = tomllib.loads(text)
        return msgspec.convert(values, Configuration)
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, msgspec.ValidationError, RecursionError) as error:
        keys = ", ".join(Configuration.__struct_fields__)
        raise RequestError(
            f"{path}: {str(error).splitlines()[0][:200]}; the keys are {keys}"
        ) from None
