"""Which files are wanted, as far as can be said without loading the languages: what was true when an index was last refreshed."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from symindex.source.walk import Wanted

NAME: Final = "languages.names"


def guess_wanted(folder: Path, max_file_bytes: int) -> Wanted | None:
    """What `keep_names` has written into `folder`; `None` where that is not there. It may have become wrong."""
    try:
        extensions, _, names = (folder / NAME).read_text("utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return Wanted(frozenset(extensions.split()), frozenset(names.split("\0")) - {""}, max_file_bytes)


def keep_names(extensions: frozenset[str], names: frozenset[str], folder: Path) -> None:
    """Writes down which extensions and names some language claims."""
    new = folder / f"{NAME}.new"
    with suppress(OSError):  # it is a matter of time only
        new.write_text(" ".join(sorted(extensions)) + "\n" + "\0".join(sorted(names)), "utf-8")
        os.replace(new, folder / NAME)
