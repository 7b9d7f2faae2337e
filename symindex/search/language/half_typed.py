"""Completes queries while they are being typed, so that an editor shows rows at each letter instead
of an error."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from symindex.errors import RequestError, UnfinishedQueryError
from symindex.protocol.kinds import SymbolKind
from symindex.search.language.fields import FLAGS, SPACES
from symindex.search.language.parse_query import PHRASE, QUERY_CHARACTERS, parse_query

_WORDS: Final[Mapping[str, Collection[str]]] = {
    "kind": [*SymbolKind],
    "type": [*SymbolKind],
    "is": FLAGS,
    "space": SPACES,
}
"""The words of the fields with closed lists, except languages."""

_LAST_VALUE: Final = re.compile(
    r"(?:^|[\s(!-])(kind|type|is|space|lang):(?:[^\s,()\"]+,)*([^\s,()\"*]+)$", re.IGNORECASE
)

_MOST_DROPPED: Final = 3
"""Most words at the end of a query that may be incomplete: `a AND NOT kind:`."""


def finish_query(text: str, languages: Collection[str]) -> str:
    """Returns the part of a refused query that can be searched for.

    Half a value means all values that begin with it; an open phrase or parenthesis is closed;
    incomplete words at the end are left out. Empty if that leaves nothing, or if the query is
    refused for another reason. languages: the words of `lang`.
    """
    if len(text) > QUERY_CHARACTERS:
        return ""
    completed = _with_whole_value(text, languages)
    if completed == text and not _is_unfinished(text):
        return ""
    for shorter in _shorter(completed):
        closed = shorter + _closers(shorter)
        if shorter.strip() and _can_be_read(closed):
            return closed
    return ""


def _with_whole_value(text: str, languages: Collection[str]) -> str:
    """Returns the text with a wildcard after half a value at its end."""
    value = _LAST_VALUE.search(text)
    if value is None:
        return text
    typed, words = (
        value[2].lower(),
        [word.lower() for word in _WORDS.get(value[1].lower(), languages)],
    )
    is_half = typed not in words and any(word.startswith(typed) for word in words)
    return f"{text}*" if is_half else text


def _shorter(text: str) -> Iterator[str]:
    yield text
    yield text.rstrip(",")
    for _ in range(_MOST_DROPPED):
        text = text.rsplit(None, 1)[0] if len(text.split(None, 1)) > 1 else ""
        yield text


def _closers(text: str) -> str:
    """Returns the quote and the parentheses that a text lacks."""
    phrases = [*PHRASE.finditer(text)]
    is_open = bool(phrases) and not phrases[-1][2]
    outside = PHRASE.sub("", text)
    return '"' * is_open + ")" * (outside.count("(") - outside.count(")"))


def _is_unfinished(text: str) -> bool:
    try:
        parse_query(text)
    except UnfinishedQueryError:
        return True
    except RequestError:
        return False
    return False


def _can_be_read(text: str) -> bool:
    try:
        parse_query(text)
    except RequestError:
        return False
    return True
