"""To which folders or repositories the paths of a request limit it."""

from collections.abc import Collection, Sequence

from msgspec import UNSET


def limited_to(paths: Sequence[str], names: Collection[str]) -> set[str]:
    """Returns the names with which paths and globs begin. Empty if one of them begins with none: it
    may match anywhere."""
    found: set[str] = set()
    for path in paths:
        if path.startswith("!"):
            continue
        parts = path.removeprefix("/").rstrip("/").split("/")
        if len(parts) == 1:
            return set()  # a glob without a slash matches at any depth
        beginnings = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
        begun = {beginning for beginning in beginnings if beginning in names}
        if not begun:
            return set()
        found |= begun
    return found


def paths_of(request: object) -> list[str]:
    """Returns the paths and globs of a request; empty if it has none."""
    if globs := getattr(request, "paths", UNSET) or ():
        return [*globs]
    path = getattr(request, "path", UNSET) or []
    paths = [path] if isinstance(path, str) else [*path]
    return [f"{one.rstrip('/')}/**" for one in paths]  # unlike a glob, a name is at one place
