"""Writes a line for each row, as compilers and grep write places: for fzf, Vim's quickfix list, and
scripts.

Characters that do not show as themselves are escaped, so a row is always one line.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from symindex.protocol.changes import ChangedResponse
from symindex.protocol.explore import FileReferences, OutlineItem, OutlineResponse
from symindex.protocol.grep import FileText
from symindex.protocol.hierarchy import RelatedItem
from symindex.protocol.search import SearchResponse
from symindex.protocol.unused import UnusedResponse
from symindex.render.hierarchy import doubt_of
from symindex.text.counts import count_of
from symindex.text.escaping import show_controls


def render_lines(response: SearchResponse) -> str:
    """Writes `path:line: kind name`, the name with its container; a guess is followed by its
    reason."""
    return _lines(
        f"{item.file_path}:{item.line}: {item.kind}"
        f" {f'{item.container}.{item.name}' if item.container else item.name}"
        + (f" ({item.match})" if item.match else "")
        for item in response.items
    )


def rest_of_answer(response: SearchResponse) -> list[str]:
    """Returns the rest of the answer, a line each, which does not belong between the rows."""
    messages = []
    if not response.total:
        near = f"; nearest names: {', '.join(response.suggestions)}" if response.suggestions else ""
        messages.append(f"no symbol matches{near}")
    elif response.has_more:
        shown = response.start_index + len(response.items)
        messages.append(f"{count_of(response.total, 'result')}; the next: --start-index {shown}")
    return [*messages, *(response.notices or ())]


def hit_lines(files: Iterable[FileReferences | FileText]) -> str:
    """Writes `path:line:column: text` for references or text."""

    def rows() -> Iterator[str]:
        for file in files:
            for item in file.items:
                yield f"{file.file_path}:{item.line}:{item.column}: {item.text.strip()}"

    return _lines(rows())


def outline_lines(response: OutlineResponse, shown: Callable[[str], str]) -> str:
    """Writes `path:line: kind name`, the name with its container; for a closed file or folder its
    path. shown: writes a path."""

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


def hierarchy_lines(items: Sequence[RelatedItem]) -> str:
    """Writes `path:line: kind name` for a hierarchy, each level below its parent; without symbols
    that the workspace does not define."""

    def rows(siblings: Sequence[RelatedItem]) -> Iterator[str]:
        for item in siblings:
            if item.file_path and not item.again:
                doubt = doubt_of(item.others, item.is_unsure)
                mark = f" ({doubt})" if doubt else ""
                yield f"{item.file_path}:{item.line}: {item.kind} {item.name}{mark}"
            yield from rows(item.items)

    return _lines(rows(items))


def changed_lines(response: ChangedResponse) -> str:
    """Writes `path:line: status kind name`; for a file that has only changed outside of symbols,
    its first line."""
    return _lines(
        row
        for file in response.files
        for row in (
            [
                f"{file.file_path}:{symbol.line}: {symbol.status} {symbol.kind} {symbol.name}"
                for symbol in file.symbols
            ]
            or [f"{file.file_path}:1: {file.status} file"]
        )
    )


def unused_lines(response: UnusedResponse) -> str:
    """Writes `path:line: kind name (reason)`."""
    return _lines(
        f"{file.file_path}:{symbol.line}: {symbol.kind} {symbol.name} ({symbol.reason})"
        for file in response.files
        for symbol in file.symbols
    )


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{show_controls(row)}\n" for row in rows)
