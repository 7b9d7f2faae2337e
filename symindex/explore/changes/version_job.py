"""The worker's side of comparing two versions of a file: the symbols of both are read, and compared by their own text."""

import gc
import hashlib
from collections.abc import Callable
from functools import cache

import msgspec

from symindex.extract.file_text import BINARY_BYTES, to_utf8
from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import unpack_languages
from symindex.workers.framing import Handler


class Versions(msgspec.Struct, array_like=True, frozen=True):
    """Two versions of a file; empty where it was not there. language: its id."""

    language: str
    old: bytes
    new: bytes


class Difference(msgspec.Struct, array_like=True, frozen=True):
    """A symbol that differs: its qualified name, kind, status and line."""

    name: str
    kind: str
    status: str
    line: int


class _Known(msgspec.Struct, array_like=True, frozen=True):
    kind: str
    line: int
    text: bytes


def prepare(setup: bytes) -> Handler:
    """The handler of orders, which are Versions. setup: the languages, packed."""
    languages = cache(lambda: unpack_languages(setup).by_id)
    decode, encode = msgspec.msgpack.Decoder(Versions).decode, msgspec.msgpack.Encoder().encode
    gc.disable()  # what a file takes is freed when it is done, but for few cycles

    def compare(order: bytes, tell: Callable[[bytes], None]) -> None:
        versions = decode(order)
        language = languages()[versions.language]
        old, new = _symbols(language, versions.old), _symbols(language, versions.new)
        tell(encode(_differences(old, new)))

    return compare


def _symbols(language: Language, data: bytes) -> dict[tuple[str, int], _Known]:
    """By qualified name, and which of that name: kind, line, and a digest of the symbol's own text, without blanks and without
    the symbols in it."""
    from symindex.extract.symbols import extract_symbols  # here, because it loads the parser

    text = to_utf8(data)[0]
    if not text or text.find(b"\0", 0, BINARY_BYTES) >= 0:
        return {}
    found = extract_symbols(language, text)[0]
    inner: dict[int, list[tuple[int, int]]] = {}
    order = sorted(range(len(found)), key=lambda at: (found[at].start_byte, -found[at].end_byte))
    opened: list[int] = []
    for at in order:
        while opened and found[opened[-1]].end_byte <= found[at].start_byte:
            opened.pop()
        if opened:
            inner.setdefault(opened[-1], []).append((found[at].start_byte, found[at].end_byte))
        opened.append(at)
    known: dict[tuple[str, int], _Known] = {}
    for at, symbol in enumerate(found):
        name = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
        number = 0
        while (name, number) in known:
            number += 1
        own, place = b"", symbol.start_byte
        for first, last in inner.get(at, []):
            own, place = own + text[place:first], max(place, last)
        own += text[place : symbol.end_byte]
        digest = hashlib.blake2b(b"".join(own.split()), digest_size=16).digest()
        known[name, number] = _Known(str(symbol.kind), symbol.name_row + 1, digest)
    return known


def _differences(old: dict[tuple[str, int], _Known], new: dict[tuple[str, int], _Known]) -> list[Difference]:
    changed = [
        Difference(key[0], each.kind, "changed" if key in old else "added", each.line)
        for key, each in new.items()
        if key not in old or old[key].text != each.text
    ]
    removed = [Difference(key[0], each.kind, "removed", each.line) for key, each in old.items() if key not in new]
    return sorted([*changed, *removed], key=lambda each: (each.line, each.name, each.status))
