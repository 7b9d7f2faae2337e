"""The request and response of a stack trace."""

import msgspec
from msgspec import UNSET, UnsetType

from symindex.protocol.explore import SymbolLine


class TraceRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for the frames of a stack trace, or of a compiler's messages.

    Args:
        text: as it was printed.
        folder: the folder, relative to the root, where paths are looked for first.
    """

    text: str
    folder: str = ""


class TraceFrame(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A frame in the workspace, or possibly in it.

    number: its number among all frames, from 1. text: the text of the trace. file_path, line: its
    place, with the path as in answers. code: that line. symbol: the enclosing symbol, or the one
    that is named. others: how many more symbols or files may be meant.
    """

    number: int
    text: str
    file_path: str = ""
    line: int = 0
    code: str = ""
    symbol: SymbolLine | None = None
    others: int = 0


class TraceResponse(msgspec.Struct, kw_only=True):
    """The frames of a trace that are in the workspace, in order. total: how many frames the trace
    has. looked_up: how many of them were looked up; if not all, half of them from the beginning and
    half from the end."""

    frames: list[TraceFrame]
    total: int
    looked_up: int
    notices: list[str] | UnsetType = UNSET
