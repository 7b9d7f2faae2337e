"""Completes the values of options and arguments in a shell: words, paths, symbols and revisions.

Only the requested list is loaded. Nothing fails: if a list is not available, nothing is offered.
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
"""How long to wait for git, in seconds."""

_MOST_BYTES: Final = 1_000_000


def words(list_words: Callable[[], Iterable[str]], separated: bool = False) -> Completion:
    """Returns a completion that offers the words that begin with the typed text, in any case.

    separated: whether the value may be several words with commas between them.
    """

    def complete(
        _context: click.Context, _parameter: click.Parameter, typed: str
    ) -> list[CompletionItem]:
        first, comma, last = typed.rpartition(",") if separated else ("", "", typed)
        with suppress(SymindexError, OSError):
            return [
                CompletionItem(first + comma + word)
                for word in list_words()
                if word.lower().startswith(last.lower())
            ]
        return []

    return complete


def paths(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Lets the shell complete paths."""
    return [CompletionItem(typed, type="file")]


def symbols(
    context: click.Context, _parameter: click.Parameter, typed: str
) -> list[CompletionItem]:
    """Offers symbol names from the existing index, if there is one, and paths."""
    items = [CompletionItem(typed, type="file")]  # first: bash drops everything before it
    around, dot, name = typed.rpartition(".")
    if not name.isidentifier():
        return items
    with suppress(SymindexError, OSError):
        from symindex.workspace.workspace import open_workspace  # deferred, because it loads numpy

        with open_workspace(
            context.params.get("root"), context.params.get("index_dir")
        ) as workspace:
            if workspace.source.indexed.load_newest():
                workspace.load()
                hits = workspace.search(typed, fuzzy=False, max_items=MOST_NAMES).items
                names = (item.name for item in hits if item.name.lower().startswith(name.lower()))
                items += [
                    CompletionItem(around + dot + symbol_name)
                    for symbol_name in dict.fromkeys(names)
                ]
    return items


MOST_NAMES: Final = 100
"""Most symbols that are searched for names to offer."""


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

    result = GitReader.of(find_root(current_folder())).ask(
        ["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"],
        _MOST_BYTES,
        SECONDS,
    )
    return ["HEAD", *(os.fsdecode(result.said).split() if result is not None else [])]


def _sources() -> Iterable[str]:
    from symindex.workspace.workspace import open_content

    with open_content(None) as content:
        return [source.label for source in content.sources()]


kinds: Completion = words(_kinds, True)
languages: Completion = words(_languages)
types: Completion = words(_types)
roles: Completion = words(_roles)
extras: Completion = words(_extras)
revisions: Completion = words(_revisions)
sources: Completion = words(_sources)
spaces: Completion = words(lambda: ("project", "user", "system", "all"))
orders: Completion = words(lambda: ("score", "date", "name"))
