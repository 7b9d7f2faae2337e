"""The numbers of the ranking in words, as one table.

Fields are weighted by BM25F (S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension to
multiple weighted fields", 2004; k1 is theirs), with the weights of rye_search: name 3, description
2, category 1.5, content 1. Here the description is the first line of a doc, the category is the
containers and the path, and the content is the signature and the rest of the doc. The other numbers
were chosen on ten repositories of a public set of questions (`tests/bench/README.md`). They are
coarse, because finer ones would fit the questions rather than the task.
"""

from typing import Final, overload

import numpy as np

from symindex.index.columns.arrays import F64, I64
from symindex.index.words.text_words import Field
from symindex.protocol.kinds import SymbolFlag

K1: Final = 1.2
"""Saturation: the higher it is, the more repetitions of a word count."""

NAME: Final = 3.0
FIELD_WEIGHTS: Final = {
    Field.SIGNATURE: 1.0,
    Field.SUMMARY: 2.0,
    Field.DOC: 1.0,
    Field.CONTAINER: 1.5,
    Field.FOLDER: 0.75,
    Field.BASE: 0.75,
}
"""What a word counts by the field in which it occurs."""

NAME_B: Final = 0.75
TEXT_B: Final = 0.4
"""How much the length of a name, and of a signature and doc together, lowers what a word in it
counts. It is less for texts, because a symbol with a long doc is usually a central one."""

BEGINNING: Final = 0.2
"""What a word counts that merely begins with the searched word."""

MISSPELT: Final = np.float32(0.3)
"""What a word counts that is near the searched word, if the request allows misspelt words."""

SHORTEST_BEGINNING: Final = 3
"""Fewest letters with which a word also matches words that begin with it: fewer would match very
many."""

ALL_WORDS: Final = 0.7
"""Share of the score that is multiplied by the share of the question that the row contains."""

COVERED_NAME: Final = 0.6
"""Highest bonus for the share of a name's words that are in the question."""

WHOLE_NAME: Final = 0.8
WHOLE_NAME_OF_OTHERS: Final = 0.3
WHOLE_IDENTIFIER: Final = 0.8
"""Bonus of a name that is a word of the question or several in a row, for types and for other
kinds; and of a name that the question writes in one piece, such as `from_json`."""

ONE_LETTER: Final = 0.3
"""What a word of one letter counts, as a factor of its rarity: it is usually part of something
else, as in `C++`."""

USED: Final = 0.5
"""Highest bonus for names that many other files mention."""

KIND_PRIORS: Final = (1.0, 1.0, 0.65, 0.9, 0.8)
"""Factors of the score by KindRow.quality."""

FLAG_PRIORS: Final = (
    (SymbolFlag.LOCAL, 0.7),
    (SymbolFlag.DECLARATION, 0.6),
    (SymbolFlag.PRIVATE, 0.95),
    (SymbolFlag.TEST, 0.4),
    (SymbolFlag.DEPRECATED, 0.6),
    (SymbolFlag.GENERATED | SymbolFlag.VENDORED, 0.5),
)
"""Factors of the score for symbols with one of these flags: a test never precedes what it tests."""

EVIDENCE_POWER: Final = 3
"""The evidence that a file is about the question is the power mean of its rows with this power:
mostly its best row."""

EXACT: Final = 10.0
"""Bonus of a name that is exactly what was searched for: nothing precedes it."""

FILE_NAME: Final = 1.5
FILE_NAME_ALONE: Final = 0.08
"""Factor of that evidence, and bonus, for words of the question in the file's name."""

EVIDENCE: Final = 3.0
"""What that evidence counts compared with the row itself."""

IN_FILE: Final = 0.75
"""Evidence of a file that contains all words of the question, anywhere in its text."""

DIVERSE: Final = 10
SHOWN_FIRST: Final = 2
AGAIN: Final = 0.5
"""Diversity: among the first DIVERSE rows at most SHOWN_FIRST are of one file, and the second is
multiplied by AGAIN."""

MOST_OF_FILE: Final = 4
FURTHER: Final = 0.8
"""Most rows of a file after the diverse ones that are compared with rows of other files. Each
further row is multiplied by FURTHER once more: if the file is right, its best row may not be."""

CONSIDERED: Final = 20_000
"""Most rows that are ranked in full: of more, those with lower scores follow by their scores
alone."""

RANKED_FILES: Final = 100
"""Files whose best rows are ranked by use."""

FUSED: Final = 300
"""Best hits of each order that are fused."""

FEW: Final = 10
"""Fewest rows with all words: if there are fewer, rows with some of the words are added."""

TOGETHER: Final = 2
"""Most words for which rows with all of them precede all others. Of more words, a row with most of
them in its name says more than one with all of them in a long doc."""

RECIPROCAL: Final = 60
"""The constant of reciprocal rank fusion (G. Cormack, C. Clarke, S. Büttcher, 2009): the larger it
is, the less a first rank counts more than a second."""


OF_PHRASINGS: Final = 1
"""This constant for the phrasings of a question. It is small, and `of_phrasing` also multiplies by
the root of the score, because a phrasing that uses the words of the code finds the right hit first
and with a high score, while the others miss it. `tests/bench/README.md` has figures."""


def of_phrasing(ranks: I64, scores: F64) -> F64:
    """Returns what hits of a phrasing add to their fused scores, at most 1. scores: from 0 to 1."""
    values: F64 = (OF_PHRASINGS + 1) / (OF_PHRASINGS + 1 + ranks) * np.sqrt(scores)
    return values


@overload
def reciprocal(rank: int) -> float: ...
@overload
def reciprocal(rank: I64) -> F64: ...
def reciprocal(rank: int | I64) -> float | F64:
    """Returns what a rank in one of several orders adds to the fused score of a hit. The best rank
    is 0."""
    return 1 / (RECIPROCAL + 1 + rank)
