"""A line for each row, as compilers and grep write places: for fzf, the quickfix list of Vim, and
scripts.

What does not show as itself is escaped, so a row is one line.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from symindex.protocol.changes import ChangedResponse
from symindex.protocol.explore import FileReferences, OutlineItem, OutlineResponse
from symindex.protocol.grep import FileText
from symindex.protocol.hierarchy import KinItem
from symindex.protocol.search import SearchResponse
from symindex.text.counts import count_of
from symindex.text.escaping import show_controls


def render_lines(response: SearchResponse) -> str:
    """`path:line: kind name`, the name with its container; behind a guess, why it is there."""
    return _lines(
        f"{item.file_path}:{item.line}: {item.kind}"
        f" {f'{item.container}.{item.name}' if item.container else item.name}"
        + (f" ({item.match})" if item.match else "")
        for item in response.items
    )


def tell_rest(response: SearchResponse) -> list[str]:
    """What else is to be said of an answer, a line each; it does not belong between the rows."""
    told = []
    if not response.total:
        near = f"; nearest names: {', '.join(response.suggestions)}" if response.suggestions else ""
        told.append(f"no symbol matches{near}")
    elif response.has_more:
        shown = response.start_index + len(response.items)
        told.append(f"{count_of(response.total, 'result')}; the next: --start-index {shown}")
    return [*told, *(response.notices or ())]


def hit_lines(files: Iterable[FileReferences | FileText]) -> str:
    """`path:line:column: text` of references or of text."""

    def rows() -> Iterator[str]:
        for file in files:
            for item in file.items:
                yield f"{file.file_path}:{item.line}:{item.column}: {item.text.strip()}"

    return _lines(rows())


def outline_lines(response: OutlineResponse, shown: Callable[[str], str]) -> str:
    """`path:line: kind name`, the name with what it stands in; of a file or folder that is closed
    its path. shown: a path as it is to be read."""

    def rows(items: Sequence[OutlineItem], path: str, around: str) -> Iterator[str]:
        for item in items:
            if item.kind in ("file", "folder") and not item.line:
                if not item.items:  # closed, or without symbols
                    yield f"{shown(item.name)}{'/' if item.kind == 'folder' else ''}:1: {item.kind}"
                yield from rows(item.items, item.name, "")
                continue
            name = f"{around}.{item.name}" if around else item.name
            yield f"{shown(path)}:{item.line}: {item.kind} {name}"
            yield from rows(item.items, path, name)

    return _lines(rows(response.items, response.path, ""))


def kin_lines(items: Sequence[KinItem]) -> str:
    """`path:line: kind name` of a hierarchy, level by level below each; without what is not defined
    in the workspace."""

    def rows(some: Sequence[KinItem]) -> Iterator[str]:
        for item in some:
            if item.file_path and not item.again:
                mark = (
                    f" (or {item.others:,} more)"
                    if item.others
                    else " (may be another)"
                    if item.is_unsure
                    else ""
                )
                yield f"{item.file_path}:{item.line}: {item.kind} {item.name}{mark}"
            yield from rows(item.items)

    return _lines(rows(items))


def changed_lines(response: ChangedResponse) -> str:
    """`path:line: status kind name`; of a file where only what is outside of symbols has changed,
    its first line."""
    return _lines(
        row
        for file in response.files
        for row in (
            [
                f"{file.file_path}:{each.line}: {each.status} {each.kind} {each.name}"
                for each in file.symbols
            ]
            or [f"{file.file_path}:1: {file.status} file"]
        )
    )


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{show_controls(row)}\n" for row in rows)
