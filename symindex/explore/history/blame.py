"""Answers a request for the commits that last changed the lines of a file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from symindex.explore.git_history import Commit, blame, commits_named
from symindex.explore.history.committed_file import (
    lines_now,
    lines_then,
    read_committed,
    requested_lines,
    shallow_notices,
)
from symindex.protocol.history import BlameHunk, BlameRequest, BlameResponse
from symindex.protocol.search import add_notices
from symindex.resolve.tree import Tree
from symindex.text.counts import count_of


def blame_lines(tree: Tree, request: BlameRequest, most_bytes: int) -> BlameResponse:
    """Answers a request. Raises RequestError if git, the repository, the file or the lines are
    missing."""
    lines = requested_lines(request.lines)
    file = read_committed(tree, request.path, request.revision, most_bytes)
    window = (
        lines_then(file, lines) if request.revision else lines_now(tree, file, lines, most_bytes)
    )
    response = BlameResponse(
        request=request,
        path=file.file.shown,
        commit=file.commit,
        is_changed=window.is_changed,
        start_line=window.first,
        end_line=window.last,
        n_lines=window.n_lines,
        hunks=[],
    )
    commits = {"": Commit("", "", "", "")}
    names = ["" for _ in window.numbers]
    if ranges := [*_ranges(window.numbers)]:
        repository = file.file.repository
        blamed = blame(repository, file.file.path, file.commit, ranges)
        found = commits_named(repository, [*dict.fromkeys(blamed.commits.values())])
        commits |= {commit.commit: commit for commit in found.items}
        names = [blamed.commits.get(number, "?") if number else "" for number in window.numbers]
        if n_unknown := sum(name not in commits for name in names):
            unknown = count_of(n_unknown, "line is", "lines are")
            why = blamed.missing or found.missing or "git did not name it"
            add_notices(response, [f"the commit of {unknown} not known: {why}"])
        if blamed.first:
            add_notices(response, shallow_notices(repository))
    if n_new := names.count(""):
        add_notices(response, [f"{count_of(n_new, 'line is', 'lines are')} not committed yet"])
    response.hunks = [*_hunks(window.first, names, commits)]
    return response


def _ranges(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yields the first and last numbers of runs of consecutive ones, without zeros."""
    # Consecutive numbers are equally far from their places.
    wanted = enumerate(number for number in numbers if number)
    for _, group in groupby(wanted, key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        yield run[0], run[-1]


def _hunks(first: int, names: Sequence[str], commits: Mapping[str, Commit]) -> Iterator[BlameHunk]:
    """Yields neighbouring lines of one commit together, without those of unknown commits. names:
    the hash for each line, from the first one on."""
    line = first
    for name, group in groupby(names):
        start, line = line, line + len([*group])
        if (commit := commits.get(name)) is not None:
            yield BlameHunk(
                start_line=start,
                end_line=line - 1,
                commit=commit.commit,
                author=commit.author,
                date=commit.date,
                subject=commit.subject,
            )
