"""What a shell may complete where an option or an argument takes one of some words, a path or a
revision.

Nothing here is loaded but for the list that is asked for, and nothing fails: where a list cannot be
had, nothing is offered.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final

import click
from click.shell_completion import CompletionItem

from symindex.errors import SymindexError
from symindex.protocol.kinds import SymbolKind

Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

SECONDS: Final = 2.0
"""How long git is waited for."""

_MOST_BYTES: Final = 1_000_000


def words(found: Callable[[], Iterable[str]], separated: bool = False) -> Completion:
    """Those of some words that begin as what is typed, whatever its case. separated: whether commas
    may stand between several."""

    def complete(
        _context: click.Context, _parameter: click.Parameter, typed: str
    ) -> list[CompletionItem]:
        before, comma, last = typed.rpartition(",") if separated else ("", "", typed)
        with suppress(SymindexError, OSError):
            return [
                CompletionItem(before + comma + each)
                for each in found()
                if each.lower().startswith(last.lower())
            ]
        return []

    return complete


def paths(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Paths, which the shell completes itself."""
    return [CompletionItem(typed, type="file")]


def symbols(
    context: click.Context, _parameter: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Names of symbols by the index as it is, where there is one; else, and beside them, paths."""
    items = [CompletionItem(typed, type="file")]  # first: in bash it drops what stands before it
    around, dot, name = typed.rpartition(".")
    if not name.isidentifier():
        return items
    with suppress(SymindexError, OSError):
        from symindex.workspace.workspace import open_workspace  # here, because it loads numpy

        with open_workspace(
            context.params.get("root"), context.params.get("index_dir")
        ) as workspace:
            if workspace.load_newest():
                workspace.load()
                found = workspace.search(typed, fuzzy=False, max_items=MOST_NAMES).items
                names = (item.name for item in found if item.name.lower().startswith(name.lower()))
                items += [CompletionItem(around + dot + each) for each in dict.fromkeys(names)]
    return items


MOST_NAMES: Final = 100
"""So many symbols are looked at for names to offer."""


def _kinds() -> Iterable[str]:
    return map(str, SymbolKind)


def _languages() -> Iterable[str]:
    from symindex.extract.summary import summarize_languages

    return [row.id for row in summarize_languages()]


def _types() -> Iterable[str]:
    from symindex.extract.items.types import shipped_item_types

    return [
        "symbol",
        "section",
        "item",
        "all",
        *sorted({row.type for row in shipped_item_types().rows}),
    ]


def _roles() -> Iterable[str]:
    from symindex.protocol.explore import ROLES

    return ROLES


def _extras() -> Iterable[str]:
    from symindex.protocol.search import ITEM_EXTRAS

    return ITEM_EXTRAS


def _revisions() -> Iterable[str]:
    from symindex.files.ignore.git_reader import GitReader
    from symindex.files.locations import current_folder, find_root

    asked = GitReader.of(find_root(current_folder())).ask(
        ["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"],
        _MOST_BYTES,
        SECONDS,
    )
    return ["HEAD", *(os.fsdecode(asked.said).split() if asked is not None else [])]


def _sources() -> Iterable[str]:
    from symindex.workspace.workspace import open_content

    with open_content(None) as content:
        return [source.label for source in content.sources()]


kinds, languages, types, roles, extras = (
    words(_kinds, True),
    words(_languages),
    words(_types),
    words(_roles),
    words(_extras),
)
revisions, sources = words(_revisions), words(_sources)
spaces = words(lambda: ("project", "user", "system", "all"))
orders = words(lambda: ("score", "date", "name"))
