"""The worker's job of searching files for a name: first their bytes, then the identifiers of files
whose bytes contain it.

The first answer to a list of files tells for each file whether it contains the name, or why it
could not be read. Then each file that contains it is parsed and answered on its own, so the caller
knows which file a process hangs on. The parser is loaded only then.
"""

import contextlib
import gc
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final

import msgspec

from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import Languages, unpack_languages
from symindex.extract.records import FileSymbols
from symindex.extract.texts.file_text import BINARY_BYTES, digest_of, to_utf8
from symindex.files.access.beneath import Beneath
from symindex.resolve.reading.excerpts import Mention, call_at, excerpts
from symindex.text.imports import Origin, imported_names
from symindex.text.patterns.byte_pattern import MOST_LINES, byte_pattern
from symindex.text.patterns.whole_words import find_words
from symindex.text.receivers import first_name
from symindex.workers.framing import Handler


class Sought(msgspec.Struct, array_like=True, frozen=True):
    """What a search looks for, and where.

    Attributes:
        roots: folders without links, as the system's bytes.
        forms: of the name, from `text/patterns/whole_words`.
        text: searched instead of a name.
        where: the region of a file that counts for `text` (`extract/parse/regions`).
    """

    roots: list[bytes]
    forms: list[bytes]
    max_file_bytes: int
    text: "SoughtText | None" = None
    where: str = ""


_MOST_HITS: Final = 4 * MOST_LINES
"""Most hits of a file whose regions are determined."""


class SoughtText(msgspec.Struct, array_like=True, frozen=True):
    """The arguments of `text/patterns/byte_pattern.byte_pattern`."""

    text: str
    is_regex: bool
    ignores_case: bool


class FileToSearch(msgspec.Struct, array_like=True, frozen=True):
    """A file to search.

    Attributes:
        root: its number.
        path: relative to the root.
        language: its id.
        digest: of the bytes that were indexed.
        text: replaces the file on disk; an unsaved document.
        problem: why it cannot be read, if the caller knows already.
    """

    root: int
    path: str
    language: str
    digest: bytes
    text: bytes | None = None
    problem: str = ""


ToSearch = tuple[Sought, list[FileToSearch]]
"""An order: what is sought, and the files."""


class SymbolRange(msgspec.Struct, array_like=True, frozen=True):
    """Where a symbol and its name are, in bytes, and its name, kind and signature. flags:
    SymbolFlag."""

    start_byte: int
    end_byte: int
    name_start: int
    name_end: int
    container: str
    name: str
    kind: str
    flags: int
    signature: str = ""


class FileMentions(msgspec.Struct, array_like=True, frozen=True):
    """The mentions in one file.

    Attributes:
        symbols: read from the file; `None` if those in the index are current.
        problem: why the file could not be searched, else empty.
        is_cut: whether more lines have the text than are searched.
    """

    mentions: list[Mention] = []
    symbols: list[SymbolRange] | None = None
    problem: str = ""
    is_cut: bool = False


def prepare(setup: bytes) -> Handler:
    """Returns the handler of orders, which are files with what is sought in them. setup: the packed
    languages. So a worker can serve one search after another."""
    languages = cache(lambda: unpack_languages(setup))
    encode, decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(ToSearch).decode
    gc.disable()  # reference counts free almost all memory of a file; few cycles remain

    def search(order: bytes, tell: Callable[[bytes], None]) -> None:
        sought, files = decode(order)
        scanned = list(_scan(files, sought))
        tell(encode([isinstance(result, bytes) or result for result in scanned]))
        for file, data in zip(files, scanned, strict=True):
            if isinstance(data, bytes):
                tell(encode(_find_mentions(languages(), file, data, sought)))

    return search


def _scan(files: Sequence[FileToSearch], sought: Sought) -> Iterator[bytes | str | bool]:
    """Yields for each file its bytes if they contain the name, `False` if not, or the reason why
    they could not be read."""
    pattern = (
        byte_pattern(*msgspec.structs.astuple(sought.text)) if sought.text is not None else None
    )
    with contextlib.ExitStack() as stack:
        trees = [stack.enter_context(Beneath(os.fsdecode(root))) for root in sought.roots]
        for file in files:
            if file.problem:
                yield file.problem
                continue
            try:
                data = (
                    file.text
                    if file.text is not None
                    else trees[file.root].read(file.path, sought.max_file_bytes)
                )
            except OSError as error:
                yield error.strerror or str(error)
                continue
            if len(data) > sought.max_file_bytes:
                yield f"larger than {sought.max_file_bytes:,} bytes"
                continue
            text = to_utf8(data)[0]
            holds = pattern.holds(text) if pattern is not None else find_words(text, sought.forms)
            holds = holds and text.find(b"\0", 0, BINARY_BYTES) < 0
            yield data if holds else False


def _find_mentions(
    languages: Languages, file: FileToSearch, data: bytes, sought: Sought
) -> FileMentions:
    """Returns the mentions in one file. Damaged bytes give fewer mentions, never an error."""
    language, text = languages.by_id[file.language], to_utf8(data)[0]
    mentions, is_cut = (
        _regions(language, text, sought)
        if sought.text is not None
        else (_identifiers(languages, language, text, sought.forms), False)
    )
    if not mentions or digest_of(data) == file.digest:
        return FileMentions(mentions, is_cut=is_cut)
    from symindex.extract.read import read_bytes  # few files have changed

    read = read_bytes(FileSymbols(file.path, 0, 0), data, languages, otherwise=language)
    symbols = msgspec.convert([*read.symbols], list[SymbolRange], from_attributes=True)
    return FileMentions(mentions, symbols, is_cut=is_cut)


def _identifiers(
    languages: Languages, language: Language, text: bytes, forms: Sequence[bytes]
) -> list[Mention]:
    from symindex.extract.parse.mentions import find_mentions  # loads the parser

    identifiers = find_mentions(language, text, forms, languages)
    shown = excerpts(text, [identifier.start_byte for identifier in identifiers])
    pattern = language.rules.roles.imports_all
    imports_all = bool(pattern) and re.search(pattern.encode(), text, re.MULTILINE) is not None
    is_asked = any(
        identifier.does.role == "import" or identifier.does.receiver for identifier in identifiers
    )
    imported = imported_names(text.decode("utf-8", "replace")) if is_asked else {}
    mentions = (
        msgspec.structs.replace(
            mention,
            **identifier.does._asdict(),
            binding=identifier.binding,
            local={name: [*texts] for name, texts in identifier.local.items()},
            imports=[*identifier.imports],
            holders=[*identifier.holders],
            declared_at=identifier.declared_at,
            given={name: [*texts] for name, texts in identifier.given.items()},
            imports_all=imports_all,
            call=call_at(text, mention) if identifier.does.role == "call" else "",
            name=text[identifier.start_byte : identifier.end_byte].decode("utf-8", "replace"),
        )
        for mention, identifier in zip(shown, identifiers, strict=True)
    )
    return [_with_origin(mention, imported) for mention in mentions] if imported else [*mentions]


def _with_origin(mention: Mention, imported: dict[str, Origin]) -> Mention:
    """Returns a mention with what the imports of its file tell: the origin of its receiver; for an
    import its module, if the rules of the language do not tell that."""
    if mention.role != "import":
        origin = imported.get(first_name(mention.receiver)) if mention.receiver else None
        return (
            mention
            if origin is None
            else msgspec.structs.replace(mention, origin=(origin.module, origin.name))
        )
    origin = imported.get(mention.name) if not mention.receiver and not mention.is_module else None
    is_named = origin is not None and origin.name == mention.name
    return (
        msgspec.structs.replace(mention, receiver=origin.module)
        if origin is not None and is_named
        else mention
    )


def _regions(language: Language, text: bytes, sought: Sought) -> tuple[list[Mention], bool]:
    """Returns the first hit of each line in the region that counts, and whether there are more than
    are searched."""
    from symindex.extract.parse.regions import regions_at  # loads the parser

    assert sought.text is not None
    places = byte_pattern(*msgspec.structs.astuple(sought.text)).every(text, _MOST_HITS + 1)
    is_cut, places = len(places) > _MOST_HITS, places[:_MOST_HITS]
    starts: list[int] = []
    previous, is_taken = 0, False
    for (start, _), region in zip(places, regions_at(language, text, places), strict=True):
        is_taken = is_taken and text.find(b"\n", previous, start) < 0
        previous = start
        if region == sought.where and not is_taken:
            is_taken = True
            starts.append(start)
    return excerpts(text, starts[:MOST_LINES]), is_cut or len(starts) > MOST_LINES
