"""What passes between the stages: tasks to workers, symbols and what is known of their files back.

Apart from the modules that make them, so that who only handles results (the index, a search) does not load a parser.
"""

from typing import Final

import msgspec

from symindex.protocol import SymbolKind

DIGEST_BYTES: Final = 16
"""Of a file's content: BLAKE2b."""


class Symbol(msgspec.Struct, frozen=True, array_like=True):
    """A named definition. Places are byte offsets and 0-based rows; `name_column` counts bytes.

    container: the qualified name of the enclosing symbol, empty at the top of a file.
    """

    name: str
    kind: SymbolKind
    container: str
    flags: int
    start_byte: int
    end_byte: int
    start_row: int
    end_row: int
    name_start: int
    name_end: int
    name_row: int
    name_column: int
    signature: str
    doc: str

    @property
    def qualified_name(self) -> str:
        """Container and name, joined by a dot."""
        return f"{self.container}.{self.name}" if self.container else self.name


class FileSymbols(msgspec.Struct, array_like=True):
    """What reading one file gave.

    path: relative to the root. size, mtime_ns: as stat had them when it was read. digest: of its bytes (BLAKE2b, 16).
    language: its id, empty where it has none. flags: what its head says (generated), as SymbolFlag bits.
    skip: why it has no symbols, empty where it was read; detail: the words of the system or the limit.
    odd_encoding: it is not UTF-8, and how it was read instead, else empty.
    has_error: the grammar could not read all of it; the rest was extracted.
    unchanged: the digest is the one that was expected, and nothing was extracted anew.
    """

    path: str
    size: int
    mtime_ns: int
    digest: bytes = b""
    language: str = ""
    flags: int = 0
    skip: str = ""
    detail: str = ""
    odd_encoding: str = ""
    has_error: bool = False
    unchanged: bool = False
    symbols: list[Symbol] = []


class ReadTask(msgspec.Struct, array_like=True, frozen=True):
    """A file to read. known_digest: of its bytes when it was last read, empty if never."""

    path: str
    known_digest: bytes = b""
