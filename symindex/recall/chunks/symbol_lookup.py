"""What recall needs from the symbols of the workspace: search by name, code, callers, related
symbols.

`recall/recall.RootSymbols` implements it; recall itself never reads the symbol index.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from symindex.protocol.explore import SymbolResponse
from symindex.protocol.freshness import Freshness
from symindex.protocol.hierarchy import Direction, HierarchyResponse, RelatedItem
from symindex.protocol.recall import TextHit, TextRequest, TextSection
from symindex.protocol.search import SearchRequest
from symindex.recall.chunks.question import Question
from symindex.search.match.names import edits_for
from symindex.search.words.misspelt import by_distance
from symindex.text.words import stem, words_of


class NameHit(NamedTuple):
    """A symbol that was found by its name.

    Attributes:
        key: identifies the symbol; its doc, found as text, has the same key.
        hit: the symbol as it is shown.
        is_exact: whether the question is its name.
        texts: its name, container, path, signature and doc, to measure how much of a question it
            covers.
    """

    key: tuple[str, ...]
    hit: TextHit
    is_exact: bool
    texts: tuple[str, ...]


class NamesFound(NamedTuple):
    """The best symbols for a question, the number of all, a notice if not all of them were
    compared with the filters of the request, and whether none contains all of its words."""

    hits: Sequence[NameHit]
    total: int
    notice: str = ""
    is_partial: bool = False


NOTHING_NAMED: Final = NamesFound((), 0)


class Lookups(Protocol):
    """Answers about symbols, as `workspace/answers` gives them."""

    def hierarchy(
        self,
        symbol: str,
        *,
        direction: Direction,
        max_items: int,
        seconds: float,
        freshness: Freshness,
    ) -> HierarchyResponse: ...

    def symbol(self, symbol: str, *, freshness: Freshness) -> SymbolResponse: ...


class SymbolLookup(Protocol):
    """Looks up symbols in the workspace."""

    def find(
        self,
        query: str,
        question: Question,
        request: TextRequest,
        most: int,
        phrasings: Sequence[str] = (),
    ) -> NamesFound:
        """Returns the best symbols for a question, which may have other phrasings. Raises
        RequestError for a query that is not valid as a search for names."""

    def named(self, request: SearchRequest) -> list[NameHit]:
        """Returns the symbols that a search finds."""

    def ask(self, request: TextRequest) -> list[TextSection]:
        """Answers a request by text alone, without names."""

    def calls(
        self, symbol_id: str, direction: Direction, most: int, seconds: float
    ) -> list[RelatedItem]:
        """Returns callers or callees of a symbol, as `explore/relations/hierarchy` finds them."""

    def whole(self, symbol_id: str) -> str:
        """Returns signature, doc and code of a symbol, empty if there is none."""

    def neighbours(self, hits: Sequence[TextHit], most: int) -> list[NameHit]:
        """Returns what is related to these hits, nearest first."""


def nearest_in_names(word: str, symbols: Sequence[NameHit]) -> str:
    """Returns the word in the names of symbols that is nearest to a misspelt one; empty if none is
    near enough. A search has found these symbols, perhaps by that word."""
    words = {part for symbol in symbols for text in symbol.texts[:2] for part in words_of(text)}
    near = by_distance([sorted(words)], word, edits_for(len(word)))
    return near[0][0] if near else ""


def words_in_symbols(question: Question, symbols: Sequence[NameHit]) -> set[str]:
    """Returns the words of a question that occur in the names, signatures and docs of symbols."""
    stems = {
        stem(word)
        for symbol in symbols
        for text in (*symbol.texts[:2], *symbol.texts[3:])
        for word in words_of(text)
    }
    return {word for word in question.words if stem(word) in stems}
