"""Which words of a text are those of a question, for the pieces that are shown and their marks."""

from collections.abc import Callable

from symindex.recall.chunks.matchers import Matches
from symindex.recall.chunks.question import Question
from symindex.text.words import beginnings_of, deciding, stem, words_of


def matcher(question: Question, found: Matches) -> Callable[[str], str]:
    """Which word of a question a word of a text is, for its marks."""
    return _Meant(
        {stem(word): word for word in deciding((*question.words, *found.instead.values()))}
    ).__getitem__


class _Meant(dict[str, str]):
    """By word of a text, that of the question which it is, or holds; else empty."""

    def __init__(self, roots: dict[str, str]) -> None:
        super().__init__()
        self._roots = roots
        self._begins = {begin[:3] for root in roots for begin in beginnings_of(root)}

    def __missing__(self, token: str) -> str:
        if token.isascii() and not any(map(token.lower().__contains__, self._begins)):
            return ""
        words = words_of(token)
        meant = next(
            (self._roots[root] for word in words if (root := stem(word)) in self._roots), ""
        )
        if not meant and len(token) > 2:
            meant = next(
                (
                    word
                    for root, word in self._roots.items()
                    if len(root) > 2 and any(root in each for each in words)
                ),
                "",
            )
        self[token] = meant
        return meant
