"""What a server was started with holds for all its clients, whatever they say."""

from pathlib import Path
from typing import NamedTuple


class Bounds(NamedTuple):
    """roots: only what lies in these folders is read, where there are any; links are resolved. index_dir: where indexes are kept.

    Either of them keeps clients from saying where indexes are kept.
    """

    roots: tuple[Path, ...] = ()
    index_dir: str | None = None

    @property
    def keep_index_dir(self) -> bool:
        """Whether a client has no say in where indexes are kept."""
        return bool(self.roots) or self.index_dir is not None
