"""A question, or one of its phrasings, and what it matches."""

from collections.abc import Sequence, Set
from typing import NamedTuple

import msgspec

from symindex.protocol.recall import TextRequest
from symindex.recall.chunks.matchers import Matches
from symindex.recall.chunks.question import Question
from symindex.recall.chunks.symbol_lookup import NameHit, NamesFound, SymbolLookup
from symindex.text.escaping import shorten
from symindex.text.words import ASKING_WORDS


class Asked(NamedTuple):
    """A phrasing and what it matches.

    Attributes:
        number: its place among the phrasings, from 1.
        text: as it was written.
        named: the symbols that a search for names finds.
        matches: what it matches in chunks.
        in_symbols: its words that occur in names, signatures or docs of symbols.
    """

    number: int
    text: str
    question: Question
    named: NamesFound
    matches: Matches
    in_symbols: Set[str]

    @property
    def symbols(self) -> Sequence[NameHit]:
        """The best symbols by name."""
        return self.named.hits

    @property
    def n_symbols(self) -> int:
        """How many symbols match."""
        return self.named.total

    @property
    def is_partial(self) -> bool:
        """Whether nothing contains all of its words, as far as the words of documents are
        stored."""
        n_words = len(self.question.words)
        if not ASKING_WORDS.isdisjoint(self.question.words):
            return False
        in_chunks = any((held == n_words).any() for held in self.matches.held)
        in_symbols = self.n_symbols > 0 and not self.named.is_partial
        return n_words > 1 and not in_chunks and not in_symbols

    @property
    def is_exact(self) -> bool:
        """Whether it is the name of a symbol."""
        return any(symbol.is_exact for symbol in self.symbols)

    @property
    def meant(self) -> Question:
        """The question with the words that replaced misspelt ones."""
        instead = self.matches.instead
        words = dict.fromkeys(instead.get(word, word) for word in self.question.words)
        return msgspec.structs.replace(self.question, words=tuple(words))

    @property
    def rarity(self) -> dict[str, float]:
        """How much each of these words decides."""
        instead = self.matches.instead
        return {instead.get(word, word): share for word, share in self.matches.rarity.items()}

    @property
    def is_empty(self) -> bool:
        """Whether it matches nothing."""
        columns = (*self.matches.by_stem, *self.matches.by_part)
        return not self.n_symbols and not any(scores.any() for scores in columns)

    def notices(self, is_brief: bool) -> list[str]:
        """Returns notices about words that were not found or were replaced, and about a question
        that was cut. is_brief: whether words that were not found are left out."""
        own = [self.named.notice] if self.named.notice else []
        if self.is_exact:
            return own
        words_elsewhere = self.question.words if self.named.notice else self.in_symbols
        missing = [word for word in self.matches.missing if word not in words_elsewhere]
        common = [word for word in missing if word in ASKING_WORDS]
        missing = [word for word in missing if word not in ASKING_WORDS]
        notices = [
            f'"{shorten(word, 40)}" occurs nowhere: searched for "{other}"'
            for word, other in self.matches.instead.items()
        ]
        notices += [f'"{shorten(word, 40)}" occurs nowhere' for word in missing if not is_brief]
        if common and len(common) == len(self.question.words):
            quoted = ", ".join(f'"{word}"' for word in common)
            notices.append(f"{quoted}: too common to be searched for in documents")
        if self.question.is_cut:
            notices.append("the query is too long: only its beginning was searched for")
        return [*notices, *own]


def count_symbols(asked: Sequence[Asked], names: SymbolLookup | None, request: TextRequest) -> int:
    """Returns how many symbols match any of the phrasings."""
    if len(asked) == 1 or names is None or not any(one.n_symbols for one in asked):
        return asked[0].n_symbols
    named = [one for one in asked if one.n_symbols]
    first, others = named[0], [one.text for one in named[1:]]
    return names.find(first.text, first.question, request, 1, others).total
