"""How a line becomes a comment in a file of some kind: by its name or its extension, as
`comment_marks.toml` lists them."""

import functools
import tomllib
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.files.access.regular import read_regular

_TABLE: Final = Path(__file__).with_suffix(".toml")
_LARGEST_TABLE: Final = 100_000


class CommentMark(NamedTuple):
    """What opens a comment, and what closes it, if anything has to. after: what the first line must
    begin with."""

    open: str
    close: str = ""
    after: str = ""

    def wrap(self, text: str) -> str:
        """A text as a line of its own."""
        return f"{self.open} {text} {self.close}".rstrip()


def mark_for(name: str) -> CommentMark:
    """The mark for a file, by its name or path, or an extension alone (`.md`). Raises RequestError
    for one that has none."""
    by_name, by_extension = _tables()
    last = name.replace("\\", "/").rpartition("/")[2].lower()
    mark = by_name.get(last) or by_extension.get(last.rpartition(".")[2] if "." in last else "")
    if mark is None:
        kind = f".{last.rpartition('.')[2]}" if "." in last else "that name"
        hint = "sign a file of a kind that has, such as .md, .py, .yaml or .toml"
        raise RequestError(
            f"{name}: no signature line can stand in it, because files of {kind} have no comments"
            f" that symindex knows; {hint}"
        )
    return mark


@functools.cache
def _tables() -> tuple[dict[str, CommentMark], dict[str, CommentMark]]:
    by_name: dict[str, CommentMark] = {}
    by_extension: dict[str, CommentMark] = {}
    for row in tomllib.loads(read_regular(_TABLE, _LARGEST_TABLE).decode())["marks"]:
        mark = CommentMark(row["open"], row.get("close", ""), row.get("after", ""))
        by_name |= dict.fromkeys(row.get("names", ()), mark)
        by_extension |= dict.fromkeys(row["extensions"], mark)
    return by_name, by_extension
