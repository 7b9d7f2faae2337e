"""The words of a request that a text may be shown around."""

from collections.abc import Iterator

from symindex.search.language.query import Everything, Name, Node, Not, Query, Term, Words
from symindex.search.options.read import Options
from symindex.search.words.occurrences import FIELDS
from symindex.search.words.phrases import patterns_of
from symindex.text.snippet import Run
from symindex.text.words import STOP_WORDS, words_of

MOST_RUNS = 50
"""More are not looked for."""


def sought_words(query: Query, options: Options) -> tuple[Run, ...]:
    """What a request looks for: words that stand side by side, and single ones. Common English
    words only in phrases."""
    runs = [*_of_query(query), *(run for node in options.fields for run in _of_node(node))]
    deciding = [run for run in runs if len(run) > 1 or run[0] not in STOP_WORDS]
    return tuple(dict.fromkeys(deciding or runs))[:MOST_RUNS]


def _of_query(query: Query) -> Iterator[Run]:
    if isinstance(query, Everything):
        return
    if isinstance(query, Name | Words):
        texts = (query.literal,) if isinstance(query, Name) else query.texts
        yield from ((word,) for text in texts for word in words_of(text))
    else:
        yield from _of_node(query)


def _of_node(node: Node) -> Iterator[Run]:
    if isinstance(node, Term):
        if not node.field or node.field in FIELDS:
            run = patterns_of(node.text) if node.is_wildcard else tuple(words_of(node.text))
            if run:
                yield run
    elif not isinstance(node, Not):
        for part in node.parts:
            yield from _of_node(part)
