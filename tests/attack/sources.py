"""The fixtures as what attacks are made of: sources and tokens of every language, and of every
format of documents."""

import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from symindex.extract.documents.formats import load_formats
from symindex.extract.languages.registry import load_languages

FIXTURES: Final = Path(__file__).parent.parent.parent / "fixtures" / "symbols"
DOCUMENTS: Final = FIXTURES.parent / "documents"

_TOKEN: Final = re.compile(rb"\w+|[^\w\s]+|[^\w\s]")


class Source(NamedTuple):
    """One fixture. ending: of its file's name, by which its language is told. place: where it has
    to lie, with its name; empty for anywhere."""

    language: str
    ending: str
    data: bytes
    place: str = ""

    def path(self, stem: str) -> str:
        """Where it may lie in a tree, apart from those of other stems."""
        return f"{stem}/{self.place}" if self.place else f"{stem}{self.ending}"


@cache
def sources() -> tuple[Source, ...]:
    """All of them, in the order of their paths."""
    paths = sorted(path for path in FIXTURES.glob("*/*") if path.is_file() and path.suffix)
    known = load_languages()
    # Some are known by their whole name alone.
    code = tuple(
        Source(
            path.parent.name,
            path.suffix,
            path.read_bytes(),
            "" if known.by_name(f"a{path.suffix}") else path.name,
        )
        for path in paths
    )
    return code + documents()


@cache
def documents() -> tuple[Source, ...]:
    """Those of documents and items, each with its format's ending as its language."""
    paths = sorted(path for path in DOCUMENTS.rglob("*") if path.is_file())
    return tuple(
        Source(
            path.suffix or path.name,
            path.suffix,
            path.read_bytes(),
            path.relative_to(DOCUMENTS).as_posix(),
        )
        for path in paths
    )


@cache
def languages() -> dict[str, str]:
    """The languages whose files are read wherever they lie, and an ending of each: the most common
    one."""
    endings: dict[str, list[str]] = {}
    for source in sources():
        if not source.place or source.ending in load_formats().document_extensions:
            endings.setdefault(source.language, []).append(source.ending)
    return {
        language: max(sorted(set(found)), key=found.count)
        for language, found in sorted(endings.items())
    }


@cache
def tokens(language: str) -> tuple[bytes, ...]:
    """The words and runs of signs of a language's fixtures, each once."""
    found = {
        token
        for source in sources()
        if source.language == language
        for token in _TOKEN.findall(source.data)
    }
    return tuple(sorted(token for token in found if len(token) <= 12))


@cache
def signs(language: str) -> tuple[bytes, ...]:
    """Those of them that are no words, and the words that are often followed by one: what nests."""
    data = b"\n".join(source.data for source in sources() if source.language == language)
    found = set(re.findall(rb"\w{1,10} ?[({\[<]|[({\[<]", data))
    return tuple(sorted(found | {token for token in tokens(language) if not token[:1].isalnum()}))
