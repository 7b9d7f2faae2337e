"""Which files are wanted, as far as can be said without loading the languages: what was true when an index was last refreshed."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from symindex.source.selection import Selection
from symindex.source.walk import Wanted

NAME: Final = "languages.names"


def guess_wanted(folder: Path, languages: Sequence[str], max_file_bytes: int, selection: Selection) -> Wanted | None:
    """What `keep_wanted` has written into `folder`; `None` where that is not there, or is of other languages. It may have become
    wrong.

    languages: those that are chosen, as the settings name them.
    """
    try:
        lines = (folder / NAME).read_text("utf-8").split("\n")
        words, extensions, names, unchosen = ([part for part in line.split("\0") if part] for line in lines)
    except (OSError, ValueError):
        return None
    if words != list(languages):
        return None
    return Wanted(frozenset(extensions), frozenset(names), max_file_bytes, selection, frozenset(unchosen))


def keep_wanted(folder: Path, languages: Sequence[str], wanted: Wanted) -> None:
    """Writes down what is wanted where these languages are chosen, unless that is known."""
    if guess_wanted(folder, languages, wanted.max_file_bytes, wanted.selection) == wanted:
        return
    lines = (languages, sorted(wanted.extensions), sorted(wanted.names), sorted(wanted.unchosen))
    new = folder / f"{NAME}.new"
    with suppress(OSError):  # it is a matter of time only
        new.write_text("\n".join("\0".join(line) for line in lines), "utf-8")
        os.replace(new, folder / NAME)
