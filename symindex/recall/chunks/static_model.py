"""Reads a static embedding model: a vector for each token, and the tokenizer that divides texts.

Such models are published as `model.safetensors` and `tokenizer.json` (Model2Vec), or the same below
`0_StaticEmbedding` (sentence-transformers). The vector of a text is the mean of those of its
tokens. Only numbers and tables are read: a model contains nothing that runs, and nothing is
downloaded.

Tensors: `embeddings` or `embedding.weight`, a row for each token; optionally `weights`, the weight
of each token, and `mapping`, the row of each token where several tokens share one.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from math import prod
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from symindex.errors import RequestError
from symindex.files.access.regular import read_regular
from symindex.index.columns.arrays import F64, I64
from symindex.text.escaping import shorten

MOST_MODEL_BYTES: Final = 1_000_000_000
MOST_TOKENIZER_BYTES: Final = 64_000_000
MOST_HEADER_BYTES: Final = 1_000_000
"""Largest files of a model, and the largest description of its tensors. The vectors stay in memory;
the largest published ones have 600 MB."""

VECTORS: Final = "model.safetensors"
TOKENIZER: Final = "tokenizer.json"
NESTED: Final = "0_StaticEmbedding"

MOST_WORDS: Final = 50_000
"""Most words whose tokens are kept."""

PROBE: Final = "where are the cookies parsed"
"""A text that shows whether a tokenizer divides words alone as it does in a text."""

_TYPES: Final[Mapping[str, str]] = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I8": "<i1", "I64": "<i8", "I32": "<i4"
}  # fmt: skip
"""The types of numbers that are read, as safetensors and numpy name them."""

_NUMBER_BYTES: Final = 8


class ModelFiles(NamedTuple):
    """The files of a model."""

    vectors: Path
    tokenizer: Path

    @property
    def stamps(self) -> tuple[tuple[int, ...], ...]:
        """What changes when a file changes. Raises RequestError for one that is not there."""
        return tuple(map(_stamp, self))


def files_in(folder: Path) -> ModelFiles:
    """Returns the files of the model in a folder, which may not exist."""
    nested = folder / NESTED
    place = nested if (nested / VECTORS).exists() else folder
    return ModelFiles(place / VECTORS, place / TOKENIZER)


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _unreadable(path: Path, error: OSError | ValueError) -> RequestError:
    reason = getattr(error, "strerror", None) or "not a path"
    expected = f"the folder of a model contains {VECTORS} and {TOKENIZER}"
    return RequestError(f"{path}: cannot be read: {reason}; {expected}")


def _read(path: Path, most_bytes: int) -> bytes:
    try:
        return read_regular(path, most_bytes, follow=True)
    except OSError as error:
        raise _unreadable(path, error) from None


class StaticModel:
    """The vectors of texts."""

    def __init__(
        self,
        tokenizer: Any,
        unknown: int | None,
        table: NDArray[Any],
        weights: NDArray[np.float32] | None = None,
        mapping: NDArray[Any] | None = None,
    ) -> None:
        """unknown: the token for what the tokenizer does not know, which has no meaning. weights,
        mapping: by token."""
        self._tokenizer, self._unknown = tokenizer, unknown
        self._table, self._weights, self._mapping = table, weights, mapping
        self._n_tokens = len(table if mapping is None else mapping)
        self._before = self._before_words()
        self._known_words: dict[str, Sequence[int]] = {}

    def embed(self, texts: Sequence[str]) -> F64:
        """Returns the vectors of texts, of length 1; zero for a text without known tokens. Raises
        RequestError for a text that the tokenizer cannot divide."""
        owners, tokens = self._divided(texts)
        mask = tokens < self._n_tokens
        if self._unknown is not None:
            mask &= tokens != self._unknown
        used, place_of = np.unique(tokens[mask], return_inverse=True)
        cells = owners[mask] * len(used) + place_of
        counts = np.bincount(cells, minlength=len(texts) * len(used)).astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            vectors = counts.reshape(len(texts), len(used)) @ self._vectors_of(used)
            exact = vectors.astype(np.float64)
            lengths = np.sqrt(np.einsum("ij,ij->i", exact, exact))[:, np.newaxis]
            is_any = np.isfinite(lengths) & (lengths > 0)
            return np.where(is_any, exact / np.where(is_any, lengths, 1.0), 0.0)

    def _vectors_of(self, tokens: I64) -> NDArray[np.float32]:
        rows = tokens if self._mapping is None else self._mapping[tokens]
        vectors: NDArray[np.float32] = self._table[rows].astype(np.float32)
        return vectors if self._weights is None else vectors * self._weights[tokens, np.newaxis]

    def _divided(self, texts: Sequence[str]) -> tuple[I64, I64]:
        """Returns the tokens of all texts, and the number of the text of each. Words are divided
        once: most occur many times."""
        words = [[text] if self._before is None else text.split() for text in texts]
        unique = [*dict.fromkeys(chain.from_iterable(words))]
        token_ids = {} if self._before is None else self._known_words
        if new := [word for word in unique if word not in token_ids]:
            if len(token_ids) + len(new) > MOST_WORDS:
                token_ids = self._known_words = {}
                new = unique
            token_ids.update(
                zip(new, self._ids([f"{self._before or ''}{w}" for w in new]), strict=True)
            )
        ids = [token_ids[word] for word in unique]
        n_ids = np.array([*map(len, ids)], np.int64)
        flat = np.fromiter(chain.from_iterable(ids), np.int64, int(n_ids.sum()))
        number_of = {word: number for number, word in enumerate(unique)}
        n_words = [*map(len, words)]
        every = chain.from_iterable(words)
        numbers = np.fromiter(map(number_of.__getitem__, every), np.int64, sum(n_words))
        lengths = n_ids[numbers]
        # The tokens of a word are a run of `flat`: here is the place of each token of each word.
        shifts = (np.cumsum(n_ids) - n_ids)[numbers] - (np.cumsum(lengths) - lengths)
        places = np.arange(int(lengths.sum())) + np.repeat(shifts, lengths)
        owners = np.repeat(np.repeat(np.arange(len(texts)), n_words), lengths)
        return owners, flat[places]

    def _before_words(self) -> str | None:
        """Returns what to put before each word so that words have the tokens that they have in a
        text, where most occur many times; `None` if words cannot be divided alone."""
        whole, *_ = self._ids([PROBE])
        for before in ("", " "):
            first, *others = PROBE.split()
            alone = self._ids([first, *(f"{before}{word}" for word in others)])
            if [*chain.from_iterable(alone)] == whole:
                return before
        return None

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        # A text may contain half of a surrogate pair, which no tokenizer takes.
        valid = [text.encode("utf-8", "replace").decode() for text in texts]
        with _as_request_error("the tokenizer of the model fails"):
            divided = self._tokenizer.encode_batch_fast(valid, add_special_tokens=False)
        return [encoding.ids for encoding in divided]


def read_model(files: ModelFiles) -> StaticModel:
    """Reads a model. Raises RequestError for files that are no model, with what is wrong."""
    tensors = _Tensors(files.vectors)
    table = tensors.read(("embeddings", "embedding.weight"), 2, ("F64", "F32", "F16", "I8"))
    weights = tensors.read(("weights",), 1, ("F64", "F32", "F16"), is_optional=True)
    mapping = tensors.read(("mapping",), 1, ("I64", "I32"), is_optional=True)
    assert table is not None
    if mapping is not None and not 0 <= mapping.min() <= mapping.max() < len(table):
        raise tensors.wrong(f"mapping names rows that are not among its {len(table):,} embeddings")
    text = _read(files.tokenizer, MOST_TOKENIZER_BYTES)
    tokenizer, unknown = _read_tokenizer(files.tokenizer, text)
    n_tokens = tokenizer.get_vocab_size(with_added_tokens=True)
    for name, column in (("weights", weights), ("mapping", mapping), ("embeddings", table)):
        if column is not None and len(column) < n_tokens:
            if name == "embeddings" and mapping is not None:
                continue
            raise tensors.wrong(
                f"has {len(column):,} {name} for the {n_tokens:,} tokens of {files.tokenizer.name}"
            )
    exact = None if weights is None else weights.astype(np.float32)
    return StaticModel(tokenizer, unknown, table, exact, mapping)


class _Tensor(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


class _Tensors:
    """The tensors of a safetensors file. Raises RequestError for a file that is none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._data = _read(path, MOST_MODEL_BYTES)
        n_bytes = int.from_bytes(self._data[:_NUMBER_BYTES], "little")
        self._start = _NUMBER_BYTES + n_bytes
        if n_bytes > MOST_HEADER_BYTES or self._start > len(self._data):
            raise self.wrong("is no safetensors file")
        try:
            self._described = msgspec.json.decode(
                self._data[_NUMBER_BYTES : self._start], type=dict[str, msgspec.Raw]
            )
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise self.wrong("is no safetensors file") from None

    def wrong(self, problem: str) -> RequestError:
        """Returns the error about something that is wrong in the file."""
        return RequestError(f"{self._path}: {problem}")

    def read(
        self,
        names: Sequence[str],
        n_dimensions: int,
        types: Sequence[str],
        *,
        is_optional: bool = False,
    ) -> NDArray[Any] | None:
        """Returns the first of some tensors that the file has; `None` if it has none and that is
        all right. Raises RequestError for one that is not as a model needs it."""
        name = next((name for name in names if name in self._described), None)
        if name is None:
            if is_optional:
                return None
            raise self.wrong(f"contains no {' or '.join(names)}: is it a static model?")
        try:
            tensor = msgspec.json.decode(self._described[name], type=_Tensor)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise self.wrong(f"{name} is described wrongly") from None
        if tensor.dtype not in types:
            given = shorten(tensor.dtype, 20)
            raise self.wrong(f"{name} is {given}: expected one of {', '.join(types)}")
        if len(tensor.shape) != n_dimensions or min(tensor.shape) < 1:
            shape = shorten(" x ".join(map(str, tensor.shape)) or "a single number", 60)
            needed = "rows of vectors" if n_dimensions == 2 else "a number for each token"
            raise self.wrong(f"{name} is {shape}: expected {needed}")
        return self._numbers(name, tensor)

    def _numbers(self, name: str, tensor: _Tensor) -> NDArray[Any]:
        dtype = np.dtype(_TYPES[tensor.dtype])
        first, last = tensor.data_offsets
        n_numbers = prod(tensor.shape)
        is_inside = 0 <= first <= last <= len(self._data) - self._start
        if not is_inside or last - first != n_numbers * dtype.itemsize:
            raise self.wrong(f"{name} is cut off, or has another size than it states")
        flat: NDArray[Any] = np.frombuffer(self._data, dtype, n_numbers, self._start + first)
        with np.errstate(over="ignore", invalid="ignore"):  # any infinite number makes the sum so
            if not np.isfinite(flat.sum(dtype=np.float64)):
                raise self.wrong(f"{name} contains NaN or infinite numbers")
        return flat.reshape(tensor.shape)


class _Division(msgspec.Struct):
    """The part of a tokenizer's file that names the unknown token."""

    unk_token: str | None = None
    unk_id: int | None = None


class _TokenizerFile(msgspec.Struct):
    model: _Division


def _read_tokenizer(path: Path, data: bytes) -> tuple[Any, int | None]:
    """Returns a tokenizer that neither cuts nor fills up texts, and its unknown token. Raises
    RequestError for a file that is none."""
    try:
        division = msgspec.json.decode(data, type=_TokenizerFile).model
        text = data.decode()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise RequestError(f"{path}: is no tokenizer: expected JSON with a model") from None
    # It warns about every fork after it has used threads.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import tokenizers  # type: ignore[import-not-found,unused-ignore]  # here, because it is an extra
    except ImportError:
        raise RequestError(f"{path}: needs an extra: pip install tokenizers") from None
    with _as_request_error(f"{path}: is no tokenizer"):
        tokenizer = tokenizers.Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    unknown = division.unk_id
    if unknown is None and division.unk_token is not None:
        unknown = tokenizer.token_to_id(division.unk_token)
    return tokenizer, unknown


@contextmanager
def _as_request_error(problem: str) -> Iterator[None]:
    """Turns the errors of tokenizers into RequestError: some are plain `Exception`, and those of a
    bug in it are not even that."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise RequestError(f"{problem}: {shorten(reason, 200)}") from None
