"""The numbers of the ranking in words, as one table.

Fields are weighted by BM25F (S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension to
multiple weighted fields", 2004; k1 as there), with the weights of rye_search: names 3, a
description 2, a category 1.5, content 1. Here the description is the first line of a doc, the
category containers and the path, content the signature and the rest of the doc. The other numbers
were chosen on ten repositories of a public set of questions (`tests/bench/README.md`); they are
coarse, because finer ones fit the questions and not the task.
"""

from typing import Final, overload

import numpy as np

from symindex.index.columns.arrays import F64, I64
from symindex.index.words.text_words import Field
from symindex.protocol.kinds import SymbolFlag

K1: Final = 1.2
"""How slowly more of the same word counts less."""

NAME: Final = 3.0
FIELD_WEIGHTS: Final = {
    Field.SIGNATURE: 1.0,
    Field.SUMMARY: 2.0,
    Field.DOC: 1.0,
    Field.CONTAINER: 1.5,
    Field.FOLDER: 0.75,
    Field.BASE: 0.75,
}
"""What a word counts by where it stands; Field, or the name."""

NAME_B: Final = 0.75
TEXT_B: Final = 0.4
"""How much the length of a name, and of signature and doc together, counts against a word that
stands there: as there for names, less for texts, because a symbol with a long doc is mostly a
central one."""

BEGINNING: Final = 0.2
"""What a word counts that only begins with the one that was asked for."""

MISSPELT: Final = np.float32(0.3)
"""What a word counts that is near to the one that was asked for, where a request wants such words
beside it."""

SHORTEST_BEGINNING: Final = 3
"""Fewer letters are no beginning of a word: they would be that of very many."""

ALL_WORDS: Final = 0.7
"""The share of the score that is multiplied by the share of the question that a row holds."""

COVERED_NAME: Final = 0.6
"""The most that is added for the share of a name's words that the question holds."""

WHOLE_NAME: Final = 0.8
WHOLE_NAME_OF_OTHERS: Final = 0.3
WHOLE_IDENTIFIER: Final = 0.8
"""What is added to a type, and to anything else, whose name is a word of the question or several in
a row; and to what the question names in one piece, as `from_json`."""

ONE_LETTER: Final = 0.3
"""What a word of one letter counts, of what its rarity would give it: it is mostly a part of
something else, as in `C++`."""

USED: Final = 0.5
"""The most that is added for names that many other files mention."""

KIND_PRIORS: Final = (1.0, 1.0, 0.65, 0.9, 0.8)
"""By KindRow.quality: what the score is multiplied by."""

FLAG_PRIORS: Final = (
    (SymbolFlag.LOCAL, 0.7),
    (SymbolFlag.DECLARATION, 0.6),
    (SymbolFlag.PRIVATE, 0.95),
    (SymbolFlag.TEST, 0.4),
    (SymbolFlag.DEPRECATED, 0.6),
    (SymbolFlag.GENERATED | SymbolFlag.VENDORED, 0.5),
)
"""What the score of a symbol with one of these flags is multiplied by: tests never bury what they
test."""

EVIDENCE_POWER: Final = 3
"""The evidence that a file is about the question is the power mean, of this power, over its rows:
mostly its best row."""

EXACT: Final = 10.0
"""What is added for the very name that was asked for: nothing comes before it."""

FILE_NAME: Final = 1.5
FILE_NAME_ALONE: Final = 0.08
"""What the words of the question in a file's name multiply that evidence by, and add to it."""

EVIDENCE: Final = 3.0
"""What that evidence counts beside the row itself."""

DIVERSE: Final = 10
SHOWN_FIRST: Final = 2
AGAIN: Final = 0.5
"""An answer in words has to be diverse: among so many first rows, so many may be of one file, the
second multiplied by this."""

MOST_OF_FILE: Final = 4
FURTHER: Final = 0.8
"""Behind them, so many rows of a file are compared with those of others, each further one
multiplied by this once more: where the file is right, the best row may not be."""

CONSIDERED: Final = 20_000
"""Of more rows than so many, those of lower scores follow by these alone."""

RANKED_FILES: Final = 100
"""So many files are looked at for their best rows."""

FUSED: Final = 300
"""So many of the best hits of two orders are fused."""

FEW: Final = 10
"""Where fewer rows hold all words, those that hold some of them are taken in."""

RECIPROCAL: Final = 60
"""The constant of reciprocal rank fusion (G. Cormack, C. Clarke, S. Büttcher, 2009): the larger it
is, the less a first rank counts more than a second."""


@overload
def reciprocal(rank: int) -> float: ...
@overload
def reciprocal(rank: I64) -> F64: ...
def reciprocal(rank: int | I64) -> float | F64:
    """Returns what a rank in one of several orders adds to the fused score of a hit. The best rank
    is 0."""
    return 1 / (RECIPROCAL + 1 + rank)
