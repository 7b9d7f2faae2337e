"""Compares the meaning of a question and of texts by a static embedding model: an extra, off unless
requested.

The model is a table of vectors of word pieces in the package `wordllama` (code MIT; its metadata
names codebooks of LLaMA 2 and Phi-3 as the origin of the weights). Nothing is downloaded. Only the
best hits are read, so no index contains vectors, and what words do not find, meaning does not find.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from symindex.index.columns.arrays import F64
from symindex.recall.chunks.rank import ChunkText

PIECE: Final = 800
STEP: Final = 600
PIECES: Final = 8
"""Length and distance of the overlapping pieces of a text, in characters, and the most pieces of a
text; the nearest piece counts."""

MISSING: Final = "vectors need an extra: pip install wordllama; answered by words alone"


def is_installed() -> bool:
    """Whether the extra is installed."""
    return find_spec("wordllama") is not None


@lru_cache(maxsize=1)
def _model() -> Any:
    import wordllama  # type: ignore[import-not-found,unused-ignore]  # here, because it is an extra

    # The model would look for its tokenizer in a cache first, and download it.
    return wordllama.WordLlama.load(
        disable_download=True, cache_dir=Path(wordllama.__file__).parent
    )


def nearness(question: str, texts: Sequence[ChunkText]) -> F64:
    """Returns how near each text is, 0 to 1; the nearest has 1."""
    pieces: list[str] = []
    owners: list[int] = []
    for number, (title, text, _) in enumerate(texts):
        for start in range(0, max(len(text), 1), STEP)[:PIECES]:
            pieces.append(f"{title.replace('>', ' ')}. {text[start : start + PIECE]}")
            owners.append(number)
    best = np.zeros(len(texts))
    if pieces:
        model = _model()
        similar = model.embed(pieces, norm=True) @ model.embed([question], norm=True)[0]
        np.maximum.at(best, owners, np.clip(similar, 0, 1))
    return best / max(float(best.max(initial=0)), 1e-9)
