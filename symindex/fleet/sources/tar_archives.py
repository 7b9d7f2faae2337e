"""Unpacks tar archives by the rules of the other archives (`packages/found/archives`).

A tar archive has no list of its members: it is read once, from its beginning to its end. The
library reads some headers as a whole, however large, and would go back where a header says so. So
what it reads from may only go forward, gives no piece that is too large, and ends with the limits.
"""

import gzip
import io
import os
import tarfile
import time
from pathlib import Path
from typing import IO, Any, Final

import zstandard

from symindex.errors import ArchiveError
from symindex.files.access.regular import open_number, open_regular
from symindex.packages.found.archives import (
    DAMAGE,
    MOST_MEMBER_BYTES,
    Unpacked,
    Unpacking,
    complete_folder,
    is_sound,
)

TAR_SUFFIXES: Final = (".tar", ".tar.gz", ".tgz", ".crate", ".tar.zst")

_MOST_HEADER_BYTES: Final = 1_000_000
"""Largest header, in bytes: a name, or attributes. Real ones have less than 10,000."""

_READ_BYTES: Final = 8_192
"""What is passed over at once, in bytes."""

_HEADER_ROOM: Final = 4_096
"""Bytes of the headers and the filling of a member that do not count as content."""

_END_ROOM: Final = 100_000
"""Bytes at the end of an archive, empty blocks, that do not count as content."""

_MOST_WINDOW: Final = 1 << 27
"""Largest window of zstd, in bytes: the memory that an archive may ask for."""


def unpack_tar(
    archive: Path,
    into: Path,
    *,
    most_members: int,
    most_bytes: int,
    most_member_bytes: int = MOST_MEMBER_BYTES,
    seconds: float,
) -> Unpacked:
    """Writes the members of a tar archive below `into`. Like `archives.unpack`."""
    with complete_folder(into) as new:
        deadline = time.monotonic() + seconds
        limits = most_members, most_bytes, most_member_bytes
        return _TarUnpacking(archive, new, (), *limits, deadline).read()


class _TarUnpacking(Unpacking):
    """One reading of a tar archive."""

    __slots__ = ("_n_members",)

    damage = (*DAMAGE, tarfile.TarError, zstandard.ZstdError, gzip.BadGzipFile)

    def _read_members(self) -> None:
        self._n_members = 0
        with open_number(open_regular(self.archive), "rb") as packed:
            self._size = os.fstat(packed.fileno()).st_size
            stream = _Forward(_unpacked(self.archive, packed), self)
            with tarfile.TarFile(fileobj=stream, mode="r", errors="surrogateescape") as opened:
                while member := opened.next():
                    # The library would keep them all.
                    opened.members = []  # type: ignore[attr-defined]
                    self._n_members += 1
                    if self._n_members > self.most_members:
                        raise ArchiveError(f"it has more than {self.most_members:,} members")
                    self._read_member(opened, member)
            stream.read_rest()  # only the end shows whether what is compressed is whole

    def _read_member(self, opened: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        self._check_name(member.name)
        if member.isdir():
            return
        reason = self._reason(member)
        if reason:
            self.done.skipped[reason] += 1
            return
        file = opened.extractfile(member)
        assert file is not None and self.new is not None
        self._write_file(file, self._size, self.new.joinpath(*member.name.split("/")))

    def _reason(self, member: tarfile.TarInfo) -> str:
        """Returns why a member is not written, or an empty text if it is."""
        if not is_sound(member.name):
            return "a name that leads elsewhere"
        if not member.isreg() or member.issparse():
            return "a link or a special file"
        if not self._claim(member.name):
            return "a name that another member has"
        return "larger than is read" if member.size > self.most_member_bytes else ""

    def check_piece(self, size: int, position: int) -> None:
        """Raises ArchiveError if a piece must not be read. position: where, in what is unpacked."""
        if size < 0 or size > _MOST_HEADER_BYTES:
            raise ArchiveError("it has a header that is too large, as in attacks")
        headers = _HEADER_ROOM * self._n_members + _END_ROOM
        self._check_bytes(max(0, position + size - headers), 0, self._size)


class _Forward(io.RawIOBase):
    """What the library reads from: it goes only forward, within the limits of a reading."""

    def __init__(self, stream: IO[bytes], reading: _TarUnpacking) -> None:
        super().__init__()
        self._stream = stream
        self._reading = reading
        self._position = 0

    def read(self, size: int = -1, /) -> bytes:
        self._reading.check_piece(size, self._position)
        pieces = []
        left = size
        while left and (data := self._stream.read(left)):
            pieces.append(data)
            left -= len(data)
        self._position += size - left
        return b"".join(pieces)

    def read_rest(self) -> None:
        """Reads to the end."""
        while self.read(_READ_BYTES):
            pass

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        if whence != os.SEEK_SET or offset < self._position:
            raise ArchiveError("a header points back, as in attacks")
        while self._position < offset:
            if not self.read(min(_READ_BYTES, offset - self._position)):
                raise ArchiveError("it ends too soon: fetch it again")
        return self._position


def _unpacked(archive: Path, packed: IO[bytes]) -> Any:
    """Returns the tar archive within its compression, which its name tells."""
    name = archive.name.lower()
    if name.endswith((".tar.gz", ".tgz", ".crate")):
        return gzip.GzipFile(fileobj=packed)
    if name.endswith(".tar.zst"):
        decompressor = zstandard.ZstdDecompressor(max_window_size=_MOST_WINDOW)
        return decompressor.stream_reader(packed, read_across_frames=True)
    if name.endswith(".tar"):
        return packed
    raise ArchiveError("its name ends in none of .zip, .whl, .jar, " + ", ".join(TAR_SUFFIXES))
