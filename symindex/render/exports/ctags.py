"""A tags file, as universal-ctags writes it: the extended format of Vi's, version 2, with long
names of kinds.

    name<Tab>path<Tab>address;"<Tab>kind<Tab>line:N<Tab>language:L<Tab>scopeKind:scope<Tab>file:<Tab>signature:(...)

The address is `/^pattern$/`; the number of the line if there is no pattern; or `N;/^pattern$/`, to
be searched after line N, if an earlier line is equal. Lines are sorted by their bytes
(`render/exports/export`), because readers do a binary search.

Readers compare names, paths and patterns by their bytes, so characters beyond ASCII are written as
they are. Control characters beyond ASCII, line and paragraph separators, and characters that change
the direction of text are not: they act on a terminal, and some readers take them for the end of a
line. Their UTF-8 bytes are written in the format's escapes for bytes (`\\xe2\\x80\\xae`). A line
that contains one has no pattern. Other invisible characters (a joiner in an emoji, or in a word of
Persian) belong to names that people use; the program that shows a tags file escapes them.
"""

import re
from typing import Final

from symindex import __version__
from symindex.render.exports.tags import PATTERN_BYTES, Tag

_ESCAPES: Final = {
    "\\": r"\\",
    "\t": r"\t",
    "\n": r"\n",
    "\r": r"\r",
    "\a": r"\a",
    "\b": r"\b",
    "\v": r"\v",
    "\f": r"\f",
}
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\\\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def header(folder: str) -> list[bytes]:
    """Returns the first lines of a tags file, sorted. folder: its paths are relative to this
    folder."""
    fields = [
        ("FILE_ENCODING", "utf-8", ""),
        ("FILE_FORMAT", "2", 'extended format; --format=1 will not append ;" to lines'),
        ("FILE_SORTED", "1", "0=unsorted, 1=sorted, 2=foldcase"),
        ("OUTPUT_EXCMD", "mixed", "number, pattern, mixed, or combineV2"),
        ("OUTPUT_FILESEP", "slash", "slash or backslash"),
        ("OUTPUT_MODE", "u-ctags", "u-ctags or e-ctags"),
        ("PATTERN_LENGTH_LIMIT", str(PATTERN_BYTES), "0 for no limit"),
        ("PROC_CWD", escape(folder.rstrip("/") + "/"), ""),
        ("PROGRAM_NAME", "symindex", ""),
        ("PROGRAM_VERSION", __version__, ""),
    ]
    return [_encode(f"!_TAG_{name}\t{value}\t/{comment}/\n") for name, value, comment in fields]


def tag_line(tag: Tag, search_after: int, prefix: str = "") -> bytes:
    """Returns the line of a tag. search_after: see `tags_of`. prefix: the path from the tags file's
    folder to the root."""
    name = escape(tag.name)
    # these lines would come before, or among, the lines of the header
    if name.startswith((" ", "!")):
        name = rf"\x{ord(name[0]):02x}{name[1:]}"
    address = tag.pattern or str(tag.line)
    if search_after and tag.pattern:
        address = f"{search_after};{address}"
    fields = [
        name,
        escape(prefix + tag.path),
        f'{address};"',
        tag.kind,
        f"line:{tag.line}",
        f"language:{escape(tag.language)}",
    ]
    if tag.scope:
        fields.append(f"{tag.scope_kind}:{escape(tag.scope)}")
    if tag.file:
        fields.append("file:")
    if tag.signature:
        fields.append(f"signature:{escape(tag.signature)}")
    return _encode("\t".join(fields) + "\n")


def escape(text: str) -> str:
    """Escapes a text for a name, a path or the value of a field."""
    return _UNSAFE.sub(
        lambda match: (
            _ESCAPES.get(match[0]) or "".join(rf"\x{byte:02x}" for byte in match[0].encode())
        ),
        text,
    )


def _encode(text: str) -> bytes:
    """Encodes a path. A path outside of the tree may not be text, and keeps its bytes."""
    return text.encode("utf-8", "surrogateescape")
