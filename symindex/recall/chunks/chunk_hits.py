"""Turns matched chunks into hits: reads each chunk once, cuts pieces around its matches, marks the
words of the question."""

from collections.abc import Sequence
from typing import Final

from symindex.protocol.recall import TextHit, TextRequest
from symindex.recall.chunks.collection import Collection, Shown, iso
from symindex.recall.chunks.matchers import Matches, Segment
from symindex.recall.chunks.question import Question
from symindex.recall.chunks.rank import MOST_READ, ChunkText
from symindex.text.snippets import CUT, cut_windows, find_passage
from symindex.text.words import beginnings_of_each, deciding, stem, words_of

_OWN_FIELDS: Final = ("type", "item_type")
"""Metadata that a hit shows in fields of its own."""


class ChunkHits:
    """The chunks of one request as they are shown. collections: the collection of each segment."""

    def __init__(
        self, request: TextRequest, collections: Sequence[Collection], segments: Sequence[Segment]
    ) -> None:
        self._request, self._collections, self._segments = request, collections, segments
        self._shown: dict[tuple[int, int], Shown] = {}

    def shown(self, segment: int, place: int) -> Shown:
        """Returns a chunk, read at most once."""
        key = segment, place
        if key not in self._shown:
            number = int(self._segments[segment].chunks.ids[place])
            self._shown[key] = self._collections[segment].shown(number)
        return self._shown[key]

    def text_of(self, segment: int, place: int) -> ChunkText:
        """Returns the text of a chunk for ranking; the category of a note is one of its words."""
        shown = self.shown(segment, place)
        is_note = self._collections[segment].origin == "note"
        text = f"{shown.label}\n{shown.text}" if is_note else shown.text
        return ChunkText(shown.title, text, shown.weight)

    def hit(self, segment: int, place: int, score: float, words: "WordsOfQuestion") -> TextHit:
        """Returns a chunk as a hit."""
        origin = self._collections[segment].origin
        return self.as_hit(self.shown(segment, place), origin, score, words)

    def as_hit(
        self, shown: Shown, origin: str, score: float, words: "WordsOfQuestion | None" = None
    ) -> TextHit:
        """Returns a chunk as a hit, with its whole text or the pieces around its matches. The line
        of a long text is that of its best passage."""
        request, content, line = self._request, shown.text, shown.line
        if not request.include_content:
            start = 0
            if words is not None and len(content) > MOST_READ:
                start = find_passage(content, words.beginnings)
                line += content.count("\n", 0, start)
            is_match = _none if words is None else words.__getitem__
            content = cut_windows(content[start:].strip(), is_match, request.room, request.marks)
            content = f"{CUT} {content}" if start else content
        metadata = {
            name: value
            for name, value in shown.facts.items()
            if name not in _OWN_FIELDS and "\0" not in name
        }
        return TextHit(
            id=shown.id,
            type=shown.type,
            title=shown.title,
            source=shown.label,
            line=line,
            content=content,
            score=round(score, 4),
            content_type="code" if shown.is_code else "prose",
            added=iso(shown.time_ms) if shown.time_ms else "",
            result_origin=origin,
            stale=shown.stale,
            metadata=metadata,
            url=shown.url,
            is_document=shown.is_document,
        )


def _none(_: str) -> str:
    return ""


class WordsOfQuestion(dict[str, str]):
    """Maps a word of a text to the word of the question that it is or contains, else to empty.

    beginnings: those of the words of the question, in all forms.
    """

    def __init__(self, question: Question, matches: Matches) -> None:
        super().__init__()
        words = deciding((*question.words, *matches.instead.values()))
        self._roots = {stem(word): word for word in words}
        self.beginnings: set[str] = beginnings_of_each(self._roots)
        self._beginnings = {begin[:3] for begin in self.beginnings}

    def __missing__(self, token: str) -> str:
        # Most words of a text are ruled out by the first letters of the question's words.
        if token.isascii() and not any(map(token.lower().__contains__, self._beginnings)):
            return ""
        words = words_of(token)
        meant = next(
            (self._roots[root] for word in words if (root := stem(word)) in self._roots), ""
        )
        if not meant and len(token) > 2:
            containing = (
                word
                for root, word in self._roots.items()
                if len(root) > 2 and any(root in part for part in words)
            )
            meant = next(containing, "")
        self[token] = meant
        return meant
