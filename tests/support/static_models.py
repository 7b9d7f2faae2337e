"""Small static embedding models, and a library of tokenizers that divides at spaces, for tests where
the extra `vectors` is not installed."""

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

UNKNOWN: Final = "[UNK]"

TYPES: Final = {
    "float64": "F64", "float32": "F32", "float16": "F16", "int8": "I8", "int64": "I64", "int32": "I32", "uint16": "BF16",
}  # fmt: skip
"""The names of types in a safetensors file."""


def safetensors(tensors: Mapping[str, NDArray[Any]], **changed: Any) -> bytes:
    """Returns the bytes of a file with tensors. changed: fields of each tensor's description that
    say something else."""
    described: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, tensor in tensors.items():
        own = tensor.tobytes()
        described[name] = {
            "dtype": TYPES[tensor.dtype.name],
            "shape": tensor.shape,
            "data_offsets": [len(data), len(data) + len(own)],
            **changed,
        }
        data += own
    header = json.dumps(described).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + data


def tokenizer_of(words: Sequence[str], **changed: Any) -> bytes:
    """Returns the file of a tokenizer that knows some words; the unknown token is the first.
    changed: fields of its model that say something else."""
    vocabulary = {word: number for number, word in enumerate([UNKNOWN, *words])}
    page: dict[str, Any] = {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
        "padding": {
            "strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 1, "pad_type_id": 0,
            "pad_token": words[0],
        },
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "BertProcessing", "sep": [words[0], 1], "cls": [words[0], 1],
        },
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": UNKNOWN, **changed},
    }  # fmt: skip
    return json.dumps(page).encode()


def write_model(
    folder: Path, rows: Mapping[str, Sequence[float]], dtype: str = "float32", **tensors: Any
) -> Path:
    """Writes a model in which each word has a vector, and returns its folder. tensors: others of
    its file, or None for one that is left out."""
    table = np.array([[9.0] * len(next(iter(rows.values()))), *rows.values()], dtype)
    every = {"embeddings": table, **tensors}
    folder.mkdir(parents=True, exist_ok=True)
    given = {name: tensor for name, tensor in every.items() if tensor is not None}
    (folder / "model.safetensors").write_bytes(safetensors(given))
    (folder / "tokenizer.json").write_bytes(tokenizer_of([*rows]))
    return folder


class _Tokenizer:
    """Divides at spaces, as the real one does with such a file, and cuts and fills up until it is
    told not to."""

    def __init__(self, page: Any) -> None:
        read = page["model"]["vocab"]
        names = read if isinstance(read, dict) else {row[0]: n for n, row in enumerate(read)}
        self._vocabulary: dict[str, int] = names
        unknown = names.get(page["model"].get("unk_token") or "")
        self._unknown = page["model"].get("unk_id", unknown)
        self._most, self._least = 2, 9

    @classmethod
    def from_str(cls, text: str) -> "_Tokenizer":
        page = json.loads(text)
        if page["model"].get("type") not in ("WordLevel", "Unigram"):
            raise Exception("data did not match any variant\nof untagged enum ModelWrapper")
        return cls(page)

    def no_padding(self) -> None:
        self._least = 0

    def no_truncation(self) -> None:
        self._most = 1_000_000

    def get_vocab_size(self, with_added_tokens: bool) -> int:
        return len(self._vocabulary)

    def token_to_id(self, token: str) -> int | None:
        return self._vocabulary.get(token)

    def encode_batch_fast(self, texts: Sequence[str], add_special_tokens: bool) -> list[Any]:
        return [SimpleNamespace(ids=self._ids(text, add_special_tokens)) for text in texts]

    def _ids(self, text: str, add_special_tokens: bool) -> list[int]:
        text.encode()  # half of a surrogate pair is refused
        words = text.lower().replace(".", " . ").split()
        ids = [self._vocabulary.get(word, self._unknown) for word in words]
        if None in ids:
            raise Exception("WordLevel error: Missing [UNK] token from the vocabulary")
        special = [1] if add_special_tokens else []
        padding = [1] * (self._least - len(ids))
        return [*special, *(one for one in ids if one is not None)][: self._most] + padding


def library() -> ModuleType:
    """Returns the library."""
    made = ModuleType("tokenizers")
    made.Tokenizer = _Tokenizer  # type: ignore[attr-defined]
    return made
