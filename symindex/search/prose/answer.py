"""A request to a response: each question against all collections, in one ranking."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final

from symindex.search.prose.collection import Collection, Shown
from symindex.search.prose.contract import TextHit, TextRequest, TextResponse, TextSection
from symindex.search.prose.matchers import Matches, Segment, match
from symindex.search.prose.question import Question, read_question
from symindex.search.prose.rank import ChunkText, rank
from symindex.text.escaping import shorten
from symindex.text.windows import cut_windows
from symindex.text.words import deciding, stem, words_of

USAGE_HINT: Final = "items show pieces around the matches; ask again with include_content for the whole of each"

NOTHING_YET: Final = "nothing was added or noted yet: `symindex add FILE --source LABEL` and `symindex note add TEXT` do that"

MOST_DATED: Final = 1_000
"""So many of the best hits are put in the order of time."""


def answer(request: TextRequest, collections: Sequence[Collection]) -> TextResponse:
    """The response to a request that was checked."""
    questions = _Answer(request, collections)
    sections = [questions.section(query) for query in request.queries]
    notices = [notice for each in collections for notice in each.notices]
    if all(each.is_empty for each in collections):
        notices.append(NOTHING_YET)
    origins = [item.result_origin for section in sections for item in section.items]
    response = TextResponse(
        request=request,
        sections=sections,
        total=sum(section.total for section in sections),
        document_count=origins.count("document"),
        note_count=origins.count("note"),
        usage_hint="" if request.include_content else USAGE_HINT,
    )
    if notices:
        response.notices = notices
    return response


class _Answer:
    """What the questions of one request have in common."""

    def __init__(self, request: TextRequest, collections: Sequence[Collection]) -> None:
        self._request = request
        pairs = [(each, index) for each in collections for index in each.indexes()]
        self._keepers = [each for each, _ in pairs]
        self._all = [Segment(index, each.live(index)) for each, index in pairs]
        self._segments = [Segment(index, each.live(index) & each.wanted(index)) for each, index in pairs]
        self._known: dict[tuple[int, int], Shown] = {}

    def section(self, query: str) -> TextSection:
        """The answer to one question; what is wrong with it is said in its place."""
        question = read_question(query)
        if not question.words:
            empty = "empty" if not query.strip() else "without words"
            error = f"the query is {empty}: give 2 to 4 words of what is looked for"
            return TextSection(query=query, items=[], total=0, has_more=False, error=error)
        found = match(self._segments, question)
        first, last = self._request.offset, self._request.offset + self._request.most
        is_dated = self._request.sort == "timeline"
        ranking = rank(found, question, self._text_of, MOST_DATED if is_dated else last)
        best = ranking.best
        if is_dated:
            best = sorted(best, key=lambda each: -self._shown(each.segment, each.place).time_ms)
        items = [self._hit(*each, question, found) for each in best[first:last]]
        section = TextSection(query=query, items=items, total=ranking.total, has_more=ranking.total > first + len(items))
        if notices := self._notices(question, found, ranking.total):
            section.notices = notices
        return section

    def _shown(self, segment: int, place: int) -> Shown:
        key = segment, place
        if key not in self._known:
            self._known[key] = self._keepers[segment].shown(int(self._all[segment].chunks.ids[place]))
        return self._known[key]

    def _text_of(self, segment: int, place: int) -> ChunkText:
        shown = self._shown(segment, place)
        return ChunkText(shown.title, shown.text)

    def _hit(self, segment: int, place: int, score: float, question: Question, found: Matches) -> TextHit:
        shown = self._shown(segment, place)
        whole = self._request.include_content
        return TextHit(
            id=shown.id,
            title=shown.title,
            source=shown.label,
            line=shown.line,
            content=shown.text if whole else cut_windows(shown.text.strip(), _matcher(question, found), self._request.room),
            score=round(score, 4),
            content_type="code" if shown.is_code else "prose",
            added=datetime.fromtimestamp(shown.time_ms / 1_000, UTC).isoformat(timespec="seconds"),
            result_origin=self._keepers[segment].origin,
            stale=shown.stale,
        )

    def _notices(self, question: Question, found: Matches, total: int) -> list[str]:
        notices = [f'nothing holds "{shorten(word, 40)}": "{other}" was searched for' for word, other in found.instead.items()]
        notices += [f'nothing holds "{shorten(word, 40)}"' for word in found.missing]
        if question.is_cut:
            notices.append("the query is too long: only its beginning was searched for")
        if not total and any(each.n_live for each in self._all):
            hidden = rank(match(self._all, question), question, lambda *_: ChunkText("", ""), 0).total
            if hidden:
                notices.append(f"the filters hide all of {hidden} matches: leave out source, content_type, category or since")
        return notices


def _matcher(question: Question, found: Matches) -> Callable[[str], str]:
    """Which word of a question a word of a text is, for its marks."""
    roots = {stem(word): word for word in deciding((*question.words, *found.instead.values()))}
    return partial(_meant, roots, {})


def _meant(roots: dict[str, str], known: dict[str, str], token: str) -> str:
    if token not in known:
        words = words_of(token)
        known[token] = next((roots[root] for word in words if (root := stem(word)) in roots), "") or next(
            (meant for root, meant in roots.items() if len(root) > 2 and any(root in word for word in words)), ""
        )
    return known[token]
