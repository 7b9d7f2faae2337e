"""Answers requests for a file in a commit, and for the current commit."""

import os
from pathlib import Path

from symindex.errors import RequestError
from symindex.explore.git_objects import open_repository
from symindex.explore.history.committed_file import (
    RepositoryFile,
    find_in_repository,
    lines_of,
    lines_then,
    not_committed,
    read_committed,
    repository_of,
    requested_lines,
)
from symindex.extract.texts.file_text import text_of
from symindex.protocol.explore import TextRange
from symindex.protocol.history import (
    FileAtRequest,
    FileAtResponse,
    Head,
    HeadRequest,
    HeadResponse,
)
from symindex.protocol.search import add_notices
from symindex.resolve.tree import Tree, find_file, language_of, place_of, read_bytes, shown_path


def file_at(tree: Tree, request: FileAtRequest, most_bytes: int) -> FileAtResponse:
    """Returns lines of a file as it was in a commit. Raises RequestError if git, the repository,
    the commit, the file or the lines are missing."""
    lines = requested_lines(request.lines)
    file = read_committed(tree, request.path, request.revision, most_bytes)
    window = lines_then(file, lines)
    shown = file.file.shown
    now = find_file(tree, shown)
    return FileAtResponse(
        request=request,
        commit=file.commit,
        text=TextRange(
            file_path=shown,
            language=now.known_language if now is not None else language_of(tree, shown),
            code="\n".join(lines_of(file.text)[window.first - 1 : window.last]),
            code_start_line=window.first,
            code_end_line=window.last,
            n_lines=window.n_lines,
            touched=[],
            more_lines="",
        ),
    )


def head(tree: Tree, request: HeadRequest, most_bytes: int) -> HeadResponse:
    """Returns the current commit of a path, or of each root. Raises RequestError if it has none."""
    response = HeadResponse(request=request, heads=[])
    shown = shown_path(tree, request.path)
    roots = [prefix for prefix in tree.roots if not shown or prefix == f"{shown}/"]
    for prefix in roots:
        try:
            repository, _ = open_repository(Path(os.path.realpath(tree.roots[prefix])))
            commit = repository.commit("HEAD")
        except RequestError as error:
            if len(roots) == 1:
                raise
            add_notices(response, [f"{prefix.rstrip('/')} has no current commit: {error}"])
        else:
            response.heads.append(Head(path=prefix.rstrip("/"), commit=commit, status=""))
    if roots:
        return response
    if (place := place_of(tree, shown)).is_dir():
        repository, _ = repository_of(place / "any")
        response.heads = [Head(path=shown, commit=repository.commit("HEAD"), status="")]
        return response
    file = find_in_repository(tree, shown)
    commit = file.repository.commit("HEAD")
    is_committed = file.repository.blob_of(file.path, commit) is not None
    is_there = shown in tree.texts or os.path.lexists(file.place)
    if not is_committed and not is_there:
        raise not_committed(tree, file)
    status = "added" if not is_committed else "removed" if not is_there else ""
    response.heads = [Head(path=shown, commit=commit, status=status)]
    if not status:
        try:
            is_same = _is_same(tree, file, commit, most_bytes)
            response.heads[0].status = "unchanged" if is_same else "changed"
        except RequestError as error:
            add_notices(response, [f"{shown} is not compared with its commit: {error}"])
    return response


def _is_same(tree: Tree, file: RepositoryFile, commit: str, most_bytes: int) -> bool:
    """Whether a file equals its version in a commit, line by line. Raises RequestError if one of
    them cannot be read."""
    old = file.repository.read(file.path, commit, "HEAD", most_bytes)
    new = read_bytes(tree, file.shown, most_bytes)
    return old == new or lines_of(text_of(old)) == lines_of(text_of(new))
