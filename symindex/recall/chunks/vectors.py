"""Compares the meaning of a question and of texts by a static embedding model, where there is one.

That is the model in the folder that the user's configuration names (`recall_model`), or else the
one in the package `wordllama`, an extra (code MIT; its metadata names codebooks of LLaMA 2 and
Phi-3 as the origin of the weights). Of that package only the two files are read: importing it takes
longer than a question, and changes how the process logs. Nothing is downloaded. Only the best hits
are read, so no index contains vectors, and what words do not find, meaning does not find.
"""

import os
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from symindex.configuration import read_configuration
from symindex.errors import RequestError
from symindex.index.columns.arrays import F64
from symindex.protocol.recall import TextRequest
from symindex.recall.chunks.question import Question
from symindex.recall.chunks.rank import ChunkText, Meaning
from symindex.recall.chunks.static_model import ModelFiles, StaticModel, files_in, read_model
from symindex.text.escaping import shorten

PIECE: Final = 800
STEP: Final = 600
PIECES: Final = 8
"""Length and distance of the overlapping pieces of a text, in characters, and the most pieces of a
text; the nearest piece counts."""

BY_WORDS: Final = "; answered by words alone"

MISSING: Final = f"vectors need an extra: pip install wordllama{BY_WORDS}"

_INSTALLED: Final = (
    "weights/l2_supercat_256.safetensors",
    "tokenizers/l2_supercat_tokenizer_config.json",
)
"""The files of the model in its package."""


def has_model() -> bool:
    """Whether the user's configuration names a model, or the extra is installed."""
    return bool(read_configuration().recall_model) or _package() is not None


def _package() -> Path | None:
    """Returns the folder of the installed model."""
    spec = find_spec("wordllama")
    places = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(places))) if places and find_spec("tokenizers") is not None else None


def _files() -> ModelFiles:
    """Returns the files of the model. Raises RequestError if there is none."""
    if named := read_configuration().recall_model:
        folder = os.path.expanduser(named)
        if not os.path.isabs(folder):  # it would be another folder in each current one
            raise RequestError(
                f"recall_model in config.toml is {shorten(named, 200)!r}: it must be an absolute"
                " path, or below ~"
            )
        return files_in(Path(folder))
    if (package := _package()) is None:
        raise RequestError(MISSING.removesuffix(BY_WORDS))
    vectors, tokenizer = _INSTALLED
    return ModelFiles(package / vectors, package / tokenizer)


@lru_cache(maxsize=1)
def _loaded(files: ModelFiles, stamps: tuple[tuple[int, ...], ...]) -> StaticModel | str:
    """Returns a model, or why it cannot be used: neither is read again until its files change."""
    try:
        return read_model(files)
    except RequestError as error:
        return str(error)


def _model() -> Any:
    files = _files()
    model = _loaded(files, files.stamps)
    if isinstance(model, str):
        raise RequestError(model)
    return model


class Comparisons:
    """The comparisons by meaning of one request. They never fail: an answer by words alone says
    why it is one."""

    def __init__(self, request: TextRequest) -> None:
        self._request, self._fault = request, ""

    @cached_property
    def _has_model(self) -> bool:
        return has_model()

    def of(self, question: Question) -> Meaning | None:
        """Returns the comparison for a question; `None` for one word or a name, where it is not
        wanted, and where there is no model."""
        is_wanted = self._request.vectors is not False and self._request.use_enhanced
        has_several = len(question.words) > 1 and len(question.text.split()) > 1
        if not (is_wanted and has_several and self._has_model):
            return None

        def compare(texts: Sequence[ChunkText]) -> F64 | None:
            try:
                return nearness(question.text, texts)
            except RequestError as error:
                self._fault = str(error)
                return None

        return compare

    def notices(self) -> list[str]:
        """Returns the notice about a model that cannot be used, or is not there though the request
        asks for it."""
        if self._request.vectors and not self._has_model:
            return [MISSING]
        return [f"{self._fault}{BY_WORDS}"] if self._fault else []


def nearness(question: str, texts: Sequence[ChunkText]) -> F64:
    """Returns how near each text is, 0 to 1; the nearest has 1. Raises RequestError for a model
    that cannot be used."""
    pieces: list[str] = []
    owners: list[int] = []
    for number, (title, text, _) in enumerate(texts):
        for start in range(0, max(len(text), 1), STEP)[:PIECES]:
            pieces.append(f"{title.replace('>', ' ')}. {text[start : start + PIECE]}")
            owners.append(number)
    best = np.zeros(len(texts))
    if pieces:
        model = _model()
        similar = model.embed(pieces) @ model.embed([question])[0]
        np.maximum.at(best, owners, np.clip(similar, 0, 1))
    return best / max(float(best.max(initial=0)), 1e-9)
