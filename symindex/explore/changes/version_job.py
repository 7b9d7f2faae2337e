"""The worker's job of comparing two versions of a file: both are read as for the index, and their
symbols and sections are compared by their own text."""

import gc
import hashlib
import re
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Final

import msgspec

from symindex.extract.documents.formats import load_formats
from symindex.extract.languages.registry import Languages, unpack_languages
from symindex.extract.languages.rules import RulePattern, rules_of
from symindex.extract.records import FileSymbols
from symindex.extract.texts.file_text import to_utf8
from symindex.protocol.kinds import SymbolKind
from symindex.workers.framing import Handler


class Versions(msgspec.Struct, array_like=True, frozen=True):
    """Two versions of a file.

    Attributes:
        language: its id, or that of its document format.
        old, new: contents, empty if the file did not exist.
        was, path: the old and the new path.
    """

    language: str
    old: bytes
    new: bytes
    was: str = ""
    path: str = ""


class Difference(msgspec.Struct, array_like=True, frozen=True):
    """A symbol that differs: its qualified name, kind, status and line."""

    name: str
    kind: str
    status: str
    line: int


class _Version(msgspec.Struct, array_like=True, frozen=True):
    """A symbol in one version of a file.

    text: a digest of its own text, without blanks, without the symbols in it, and without lines of
    conditionals before its name: whether it begins with one depends on the code around it.
    """

    kind: str
    line: int
    signature: str
    text: bytes


def prepare(setup: bytes) -> Handler:
    """Returns the handler of orders, which are Versions. setup: the languages, packed."""
    languages = cache(lambda: unpack_languages(setup))
    decode, encode = msgspec.msgpack.Decoder(Versions).decode, msgspec.msgpack.Encoder().encode
    gc.disable()  # reference counts free almost all memory of a file; few cycles remain

    def compare(order: bytes, tell: Callable[[bytes], None]) -> None:
        versions = decode(order)
        old = _symbols(languages(), versions.language, versions.was, versions.old)
        new = _symbols(languages(), versions.language, versions.path, versions.new)
        tell(encode(_differences(old, new)))

    return compare


def _symbols(
    languages: Languages, language: str, path: str, data: bytes
) -> dict[str, list[_Version]]:
    """Returns the symbols of a file by qualified name, those of one name in their order."""
    from symindex.extract.read import read_bytes  # loads the parser

    formats = load_formats().by_id
    read = read_bytes(
        FileSymbols(path, 0, 0),
        data,
        languages,
        otherwise=languages.by_id.get(language) if language not in formats else None,
        otherwise_format=language if language in formats else "",
    )
    sections = (
        [document for document in read.documents if document.kind == SymbolKind.SECTION]
        if read.language in formats
        else []
    )
    symbols, text = [*read.symbols, *sections], to_utf8(data)[0]
    inner: dict[int, list[tuple[int, int]]] = {}
    order = sorted(
        range(len(symbols)),
        key=lambda number: (symbols[number].start_byte, -symbols[number].end_byte),
    )
    opened: list[int] = []
    for number in order:
        while opened and symbols[opened[-1]].end_byte <= symbols[number].start_byte:
            opened.pop()
        if opened:
            inner.setdefault(opened[-1], []).append(
                (symbols[number].start_byte, symbols[number].end_byte)
            )
        opened.append(number)
    by_name: dict[str, list[_Version]] = {}
    code = languages.by_id.get(read.language)
    directives = rules_of(code).directives if code is not None and code.rules.directives else None
    for number, symbol in enumerate(symbols):
        name = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
        own_text, place = b"", symbol.start_byte
        if directives is not None and place < symbol.name_start < place + _LONGEST_HEAD:
            own_text, place = (
                _without_conditionals(directives, text[place : symbol.name_start]),
                symbol.name_start,
            )
        for first, last in inner.get(number, []):
            own_text, place = own_text + text[place:first], max(place, last)
        own_text += text[place : symbol.end_byte]
        digest = hashlib.blake2b(b"".join(own_text.split()), digest_size=16).digest()
        by_name.setdefault(name, []).append(
            _Version(str(symbol.kind), symbol.name_row + 1, symbol.signature, digest)
        )
    return by_name


_LONGEST_HEAD: Final = 4_000
"""Bytes before a name in which lines of conditionals are searched."""


def _without_conditionals(directives: RulePattern, head: bytes) -> bytes:
    """Returns the text before a name without lines of conditionals; the text in their branches
    stays."""

    def kept(match: re.Match[str]) -> str:
        sign = match[0].lstrip()[:1]
        return "\n".join(
            line for line in match[0].split("\n") if not line.lstrip().startswith(sign)
        )

    return directives.replace(kept, head.decode("latin-1")).encode("latin-1")


def _differences(
    old: dict[str, list[_Version]], new: dict[str, list[_Version]]
) -> list[Difference]:
    """Returns the differences, ordered by line. Symbols of one name are paired by equal texts, then
    by equal signatures, then in their order."""
    differences: list[Difference] = []
    for name in old.keys() | new.keys():
        old_rest, new_rest = old.get(name, []), new.get(name, [])
        old_rest, new_rest, _ = _without_equals(
            old_rest, new_rest, lambda version: (version.kind, version.text)
        )
        old_rest, new_rest, changed = _without_equals(
            old_rest, new_rest, lambda version: (version.kind, version.signature)
        )
        n_paired = min(len(old_rest), len(new_rest))
        changed += new_rest[:n_paired]
        differences += [
            Difference(name, version.kind, "changed", version.line) for version in changed
        ]
        differences += [
            Difference(name, version.kind, "added", version.line) for version in new_rest[n_paired:]
        ]
        differences += [
            Difference(name, version.kind, "removed", version.line)
            for version in old_rest[n_paired:]
        ]
    return sorted(differences, key=lambda version: (version.line, version.name, version.status))


def _without_equals(
    old: list[_Version], new: list[_Version], key: Callable[[_Version], tuple[str, bytes | str]]
) -> tuple[list[_Version], list[_Version], list[_Version]]:
    """Removes pairs of symbols with equal keys. Returns the rest of both lists, and the new symbols
    that were paired."""
    waiting: dict[tuple[str, bytes | str], list[_Version]] = {}
    for version in reversed(old):
        waiting.setdefault(key(version), []).append(version)
    rest, paired = list[_Version](), list[_Version]()
    for version in new:
        equals = waiting.get(key(version))
        if equals:
            equals.pop()
            paired.append(version)
        else:
            rest.append(version)
    return sorted(chain(*waiting.values()), key=lambda version: version.line), rest, paired
