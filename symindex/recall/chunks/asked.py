"""A question, or one of its phrasings, and what it matches."""

from collections.abc import Sequence, Set
from typing import NamedTuple

import msgspec

from symindex.recall.chunks.matchers import Matches
from symindex.recall.chunks.question import Question
from symindex.recall.chunks.symbol_lookup import NameHit
from symindex.text.escaping import shorten


class Asked(NamedTuple):
    """A phrasing and what it matches.

    Attributes:
        number: its place among the phrasings, from 1.
        text: as it was written.
        symbols: the best symbols by name.
        n_symbols: how many match.
        matches: what it matches in chunks.
        in_symbols: its words that occur in names, signatures or docs of symbols.
        names_notice: the notice about the search for names; empty for none.
    """

    number: int
    text: str
    question: Question
    symbols: Sequence[NameHit]
    n_symbols: int
    matches: Matches
    in_symbols: Set[str]
    names_notice: str

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
        own = [self.names_notice] if self.names_notice else []
        if self.is_exact:
            return own
        words_elsewhere = self.question.words if self.names_notice else self.in_symbols
        missing = [word for word in self.matches.missing if word not in words_elsewhere]
        notices = [
            f'"{shorten(word, 40)}" occurs nowhere: searched for "{other}"'
            for word, other in self.matches.instead.items()
        ]
        notices += [f'"{shorten(word, 40)}" occurs nowhere' for word in missing if not is_brief]
        if self.question.is_cut:
            notices.append("the query is too long: only its beginning was searched for")
        return [*notices, *own]
