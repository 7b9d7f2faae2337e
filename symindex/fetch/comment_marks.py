"""Which marks make a line a comment in a file, by the file's name or extension, as
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
    """The marks of a comment. open, close: what begins and ends it. after: what the first line of
    the file must begin with."""

    open: str
    close: str = ""
    after: str = ""

    def wrap(self, text: str) -> str:
        """Returns the text as a comment on a line of its own."""
        return f"{self.open} {text} {self.close}".rstrip()


def mark_for(name: str) -> CommentMark:
    """Returns the mark for a file. name: a name, a path, or only an extension (`.md`). Raises
    RequestError for a kind of file without comments."""
    by_name, by_extension = _tables()
    last = name.replace("\\", "/").rpartition("/")[2].lower()
    mark = by_name.get(last) or by_extension.get(last.rpartition(".")[2] if "." in last else "")
    if mark is None:
        kind = f".{last.rpartition('.')[2]}" if "." in last else "that name"
        hint = "sign a file of a kind that has, such as .md, .py, .yaml or .toml"
        raise RequestError(
            f"{name}: cannot have a signature line, because files of {kind} have no comments"
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
