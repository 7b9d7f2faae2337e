"""Plain words: rows that hold all of them; where these are few, rows that hold some, and the answer says so."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from symindex.index.arrays import I64
from symindex.search.filters import PartFilter
from symindex.search.hits import Selection
from symindex.search.words.bm25f import Scores, score_words
from symindex.search.words.meaning import Meaning
from symindex.search.words.occurrences import find_word
from symindex.search.words.order import Question, WordHits, diversified
from symindex.search.words.weights import FEW, ONE_LETTER
from symindex.text.words import STOP_WORDS, words_of


def question_of(texts: Sequence[str]) -> Question:
    """What the words of a query ask for. Common English words decide only where there are no others."""
    divided = [words_of(text) for text in texts]
    words = [word for some in divided for word in some]
    deciding = [word for word in words if word not in STOP_WORDS] or words
    runs = ["".join(words[at : at + length]) for length in (1, 2, 3) for at in range(len(words) - length + 1)]
    names = dict.fromkeys(sorted({*runs} - STOP_WORDS), False)
    identifiers = [some for some in divided if len(some) > 1]
    names |= dict.fromkeys(map("".join, identifiers), True)
    return Question(tuple(dict.fromkeys(deciding)), tuple(word for some in identifiers for word in some), names)


def select_plain(filters: Sequence[PartFilter], texts: Sequence[str]) -> Selection:
    """The hits of a query of plain words."""
    question = question_of(texts)
    finders = [partial(find_word, meaning=Meaning.of(word)) for word in question.words]
    shares = [ONE_LETTER if len(word) == 1 else 1.0 for word in question.words]
    found = score_words([chosen.part for chosen in filters], finders, shares)
    places = [_held(chosen, scores, len(finders)) for chosen, scores in zip(filters, found.scores, strict=True)]
    notices: list[str] = []
    if sum(map(len, places)) < FEW and len(finders) > 1:
        places = [_held(chosen, scores, 1) for chosen, scores in zip(filters, found.scores, strict=True)]
    hits = [WordHits.of(chosen, question, scores, at) for chosen, scores, at in zip(filters, found.scores, places, strict=True)]
    return Selection(diversified(hits), notices=tuple(notices))


def _held(chosen: PartFilter, scores: Scores, count: int) -> I64:
    places = np.flatnonzero(scores.n_held >= count)
    if chosen.lets_all:
        return places
    return places[chosen.keeps(chosen.index.row_at[places].astype(np.int64))]
