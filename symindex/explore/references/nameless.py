"""Files whose names say nothing of what is in them, as `mod.rs` and `index.ts`: their folder is
what has a name."""

from typing import Final

_STEMS: Final = frozenset(
    {"__init__", "__main__", "index", "init", "lib", "main", "mod", "program"}
)


def is_nameless(path: str) -> bool:
    """Whether every folder may have a file of this name."""
    return path.rpartition("/")[2].partition(".")[0].lower() in _STEMS
