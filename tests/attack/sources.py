"""The annotated fixtures as what attacks are made of: sources and tokens of every language."""

import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

FIXTURES: Final = Path(__file__).parent.parent.parent / "fixtures" / "symbols"

_TOKEN: Final = re.compile(rb"\w+|[^\w\s]+|[^\w\s]")


class Source(NamedTuple):
    """One fixture. ending: of its file's name, by which its language is told."""

    language: str
    ending: str
    data: bytes


@cache
def sources() -> tuple[Source, ...]:
    """All of them, in the order of their paths."""
    paths = sorted(path for path in FIXTURES.glob("*/*") if path.is_file() and path.suffix)
    return tuple(Source(path.parent.name, path.suffix, path.read_bytes()) for path in paths)


@cache
def languages() -> dict[str, str]:
    """The languages, and an ending of each: the most common one."""
    endings: dict[str, list[str]] = {}
    for source in sources():
        endings.setdefault(source.language, []).append(source.ending)
    return {language: max(sorted(set(found)), key=found.count) for language, found in sorted(endings.items())}


@cache
def tokens(language: str) -> tuple[bytes, ...]:
    """The words and runs of signs of a language's fixtures, each once."""
    found = {token for source in sources() if source.language == language for token in _TOKEN.findall(source.data)}
    return tuple(sorted(token for token in found if len(token) <= 12))


@cache
def signs(language: str) -> tuple[bytes, ...]:
    """Those of them that are no words, and the words that are often followed by one: what nests."""
    data = b"\n".join(source.data for source in sources() if source.language == language)
    found = set(re.findall(rb"\w{1,10} ?[({\[<]|[({\[<]", data))
    return tuple(sorted(found | {token for token in tokens(language) if not token[:1].isalnum()}))
