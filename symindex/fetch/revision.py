"""A file as it was at a revision of its git repository: read from the repository, not checked
out."""

from pathlib import Path

from symindex.errors import RequestError
from symindex.explore.git_objects import check_revision, open_repository
from symindex.files.walk import MAX_FILE_BYTES


def file_at_revision(
    root: Path, path: str, revision: str, most_bytes: int = MAX_FILE_BYTES
) -> bytes:
    """The bytes of a file at a revision.

    root: of the tree, anywhere in the repository. path: of the file, relative to the root.
    revision: a tag, a branch, a hash, or what git takes for a commit (`HEAD~3`). Raises
    RequestError where one of these is not there, with tags that are.
    """
    check_revision(revision)
    if not {"", ".", ".."}.isdisjoint(path.split("/")) or "\0" in path:
        raise RequestError(f"{path!r} is no path below {root}: expected one such as src/main.py")
    repository, above = open_repository(root)
    return repository.read(above + path, repository.commit(revision), revision, most_bytes)
