"""The fixtures as material for attacks: sources and tokens of every language and document
format."""

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
    """One fixture. ending: of the file's name, which determines its language. place: the path that
    it must have; empty for any."""

    language: str
    ending: str
    data: bytes
    place: str = ""

    def path(self, stem: str) -> str:
        """Returns its path in a tree, apart from those with other stems."""
        return f"{stem}/{self.place}" if self.place else f"{stem}{self.ending}"


@cache
def sources() -> tuple[Source, ...]:
    """Returns all fixtures, ordered by path."""
    paths = sorted(path for path in FIXTURES.glob("*/*") if path.is_file() and path.suffix)
    registry = load_languages()
    # Some are recognised only by their whole name.
    code = tuple(
        Source(
            path.parent.name,
            path.suffix,
            path.read_bytes(),
            "" if registry.by_name(f"a{path.suffix}") else path.name,
        )
        for path in paths
    )
    return code + documents()


@cache
def documents() -> tuple[Source, ...]:
    """Returns the fixtures of documents and items; the language of each is the ending of its
    format."""
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
    """Returns the languages whose files are read anywhere, with the most common ending of each."""
    endings: dict[str, list[str]] = {}
    for source in sources():
        if not source.place or source.ending in load_formats().document_extensions:
            endings.setdefault(source.language, []).append(source.ending)
    return {
        language: max(sorted(set(extensions)), key=extensions.count)
        for language, extensions in sorted(endings.items())
    }


@cache
def tokens(language: str) -> tuple[bytes, ...]:
    """Returns the words and runs of signs in a language's fixtures, each once."""
    unique_tokens = {
        token
        for source in sources()
        if source.language == language
        for token in _TOKEN.findall(source.data)
    }
    return tuple(sorted(token for token in unique_tokens if len(token) <= 12))


@cache
def signs(language: str) -> tuple[bytes, ...]:
    """Returns the tokens that nest: those that are not words, and words that often precede one."""
    data = b"\n".join(source.data for source in sources() if source.language == language)
    openings = set(re.findall(rb"\w{1,10} ?[({\[<]|[({\[<]", data))
    return tuple(
        sorted(openings | {token for token in tokens(language) if not token[:1].isalnum()})
    )
