"""The answer to a trace, which all doors share."""

import msgspec
from msgspec import UNSET, UnsetType

from symindex.protocol.explore import SymbolLine


class TraceFrame(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A frame that lies in the workspace, or that may.

    number: among all frames, from 1. text: as it stands in the trace. file_path, line: the place,
    as answers show paths; code: that line. symbol: the one around it, or the one that is named.
    others: how many more symbols or files may be meant.
    """

    number: int
    text: str
    file_path: str = ""
    line: int = 0
    code: str = ""
    symbol: SymbolLine | None = None
    others: int = 0


class TraceResponse(msgspec.Struct, kw_only=True):
    """The frames of a trace that lie in the workspace, in order. total: how many frames it has;
    looked_up: how many of them were looked up."""

    frames: list[TraceFrame]
    total: int
    looked_up: int
    notices: list[str] | UnsetType = UNSET
