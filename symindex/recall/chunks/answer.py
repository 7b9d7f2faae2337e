"""A request to a response: each question against names, text and notes, in one ranking."""

import time
from collections.abc import Callable, Sequence, Set
from functools import partial
from itertools import accumulate
from typing import Final, NamedTuple, Protocol

import numpy as np

from symindex.cancellation import check_wanted
from symindex.errors import RequestError, one_of
from symindex.index.columns.arrays import Mask
from symindex.protocol.kinds import SymbolKind
from symindex.protocol.recall import ENTITY_TYPES, TextHit, TextRequest, TextResponse, TextSection
from symindex.recall.chunks.collection import Collection, Shown, iso
from symindex.recall.chunks.fusion import (
    GRAPH_WEIGHT,
    Candidate,
    RankedList,
    coverage,
    fuse,
    titled,
)
from symindex.recall.chunks.matched_words import matcher
from symindex.recall.chunks.matchers import Matches, Segment, match, shares_held
from symindex.recall.chunks.question import Question, read_question, without_words_of_time
from symindex.recall.chunks.rank import ChunkText, Meaning, Ranked, rank
from symindex.recall.chunks.recency import recency
from symindex.recall.chunks.vectors import MISSING, is_installed, nearness
from symindex.text.counts import count_of
from symindex.text.escaping import shorten
from symindex.text.snippets import cut_windows
from symindex.text.words import stem, words_of

USAGE_HINT: Final = (
    "items show pieces: `symindex symbol ID` shows what has that id whole, include_content the"
    " whole of each hit"
)

NOTHING_YET: Final = (
    "there is no text yet: `symindex add FILE --source LABEL` and `symindex note add TEXT` add some"
)

MOST_DATED: Final = 1_000
"""So many of the best hits are put in the order of time."""

WELL: Final = 0.6
"""In a timeline, hits that cover at least this share of what the best hit covers come before all
others, however new."""

FAIR: Final = 0.4
"""Where entities are asked for, a hit that covers less than this share of what the best hit covers
is no result."""

CALLED: Final = 1.7
"""What the share counts of a note whose category the question names, as `last user prompt` does:
where it holds the rest of the question, too, all other notes match worse."""

CANDIDATES: Final = 100
"""How many of the best hits of each origin are fused and ordered by age, however few are shown, so
that the first hits are the same for every limit. Pages behind them add as many again."""

SECONDS: Final = 10.0
"""How long the questions of a request may take together. The sections of those that are left say
that there was no time."""

BESIDE: Final = 3
NEIGHBOURS: Final = 50
"""How many of the best hits are asked for their neighbours, and how many neighbours may follow the
hits."""


_TOLD_ALREADY: Final = ("type", "item_type")
"""Metadata that a hit has as fields of its own."""


class NameHit(NamedTuple):
    """A symbol that was found by its name. key: the same as of its doc. is_exact: its name is the
    question. texts: what is said of it, for how much of a question it covers."""

    key: tuple[str, ...]
    hit: TextHit
    is_exact: bool
    texts: tuple[str, ...]


class Names(Protocol):
    """The search for names, and what is beside a hit, as the workspace does them."""

    def find(
        self, query: str, question: Question, request: TextRequest, most: int
    ) -> tuple[list[NameHit], int]:
        """The best, and how many there are. Raises RequestError for a query that has no meaning
        there."""

    def whole(self, found: str) -> str:
        """The signature, the doc and the code of the symbol of an id; empty where there is none."""

    def beside(self, hits: Sequence[TextHit], most: int) -> list[NameHit]:
        """What stands beside some hits, the nearest first."""


def answer(
    request: TextRequest, collections: Sequence[Collection], names: Names | None = None
) -> TextResponse:
    """The response to a request that was checked."""
    if request.by_entity:
        _check_types(request, collections)
    questions = _Answer(request, collections, names)
    sections = [questions.section(query) for query in request.queries]
    notices = [notice for each in collections for notice in each.notices]
    if request.vectors and not is_installed():
        notices.append(MISSING)
    if names is None and all(each.is_empty for each in collections):
        notices.append(NOTHING_YET)
    origins = [item.result_origin for section in sections for item in section.items]
    response = TextResponse(
        request=request,
        sections=sections,
        total=sum(section.total for section in sections),
        symbol_count=origins.count("symbol"),
        document_count=origins.count("document"),
        note_count=origins.count("note"),
        graph_count=origins.count("graph"),
        usage_hint="" if request.include_content else USAGE_HINT,
    )
    if notices:
        response.notices = notices
    return response


def _check_types(request: TextRequest, collections: Sequence[Collection]) -> None:
    """Raises RequestError for a type that nothing has."""
    known = {
        *ENTITY_TYPES,
        "symbol",
        *map(str.casefold, SymbolKind),
        *(word for each in collections for word in each.types()),
    }
    for word in request.types:
        if word.casefold() not in known:
            raise one_of("type", word[:100], [*ENTITY_TYPES, *sorted(known - {*ENTITY_TYPES})])


class _Answer:
    """What the questions of one request have in common."""

    def __init__(
        self, request: TextRequest, collections: Sequence[Collection], names: Names | None
    ) -> None:
        self._request, self._names = request, names
        self._collections = collections
        pairs = [(each, index) for each in collections for index in each.indexes()]
        self._keepers = [each for each, _ in pairs]
        live = [each.live(index) for each, index in pairs]
        self._all = [Segment(index, mask) for (_, index), mask in zip(pairs, live, strict=True)]
        self._segments = [
            Segment(index, mask & each.wanted(index))
            for (each, index), mask in zip(pairs, live, strict=True)
        ]
        self._hidden = [each.hidden(index) for each, index in pairs]
        self._filtered = [mask & ~hidden for mask, hidden in zip(live, self._hidden, strict=True)]
        self._known: dict[tuple[int, int], Shown] = {}
        self._deadline = time.monotonic() + SECONDS
        self._n_candidates = -(-(request.offset + request.most) // CANDIDATES) * CANDIDATES
        self._now_ms = time.time_ns() // 1_000_000
        self._documents = (
            [each.documents(index) for each, index in pairs] if request.by_entity else []
        )
        self._groups = [each.groups(index) for each, index in pairs] if request.by_entity else []

    def section(self, query: str) -> TextSection:
        """The answer to one question; what is wrong with it is said in its place."""
        check_wanted()
        if time.monotonic() > self._deadline:
            return _refused(query, f"not answered within {SECONDS:g} s: ask for fewer at once")
        question = read_question(query)
        if self._request.sort == "timeline":
            question = without_words_of_time(question)
        if not question.words:
            if not query.strip() and self._request.has_filters:
                return self._listed(query)
            empty = "empty" if not query.strip() else "without words"
            return _refused(
                query,
                f"the query is {empty}: give 2 to 4 words of what is looked for, or types to list",
            )
        try:
            named, n_named = self._named(query, question)
        except RequestError as error:
            return _refused(query, str(error))
        in_names = _in_names(question, named)
        found = match(self._segments, question, self._request.use_enhanced, in_names)
        if self._request.by_entity:
            found, named = self._without_weak(question, found, named)
            n_named = len(named)
        found = found.only(self._without_copies(found))
        is_exact = any(each.is_exact for each in named)
        if self._request.sort == "timeline":
            items, total = self._timeline(question, found)
        else:
            items, total = self._fused(question, found, named)
            total += n_named
        has_more = bool(items) and total > self._request.offset + len(items)
        section = TextSection(query=query, items=items, total=total, has_more=has_more)
        if self._request.by_entity:
            section.n_documents = found.count(self._documents)
        n_others = self._n_of_other_sessions(question)
        notices = (
            [] if is_exact else self._notices(question, found, in_names, bool(total or n_others))
        )
        if n_others:
            many = count_of(
                n_others, "note of another session matches", "notes of other sessions match"
            )
            notices.append(f'{many}: sort "timeline" shows {"it" if n_others == 1 else "them"}')
        if notices:
            section.notices = notices
        return section

    def _named(self, query: str, question: Question) -> tuple[list[NameHit], int]:
        """The best symbols by name, and how many there are."""
        request = self._request
        if (
            self._names is None
            or request.within not in ("names", "all")
            or request.sort == "timeline"
        ):
            return [], 0
        try:
            return self._names.find(query, question, request, self._n_candidates)
        except RequestError:
            if request.within == "names":
                raise
            return [], 0  # a text in no query language; documents may hold it

    def _fused(
        self, question: Question, found: Matches, named: Sequence[NameHit]
    ) -> tuple[list[TextHit], int]:
        """The hits of all origins in one order, and how many of them are no symbols."""
        first, last = self._request.offset, self._request.offset + self._request.most
        lists = [RankedList([_named(each, question, found) for each in named])]
        total = 0
        for origin in ("document", "note"):
            segments = [at for at, keeper in enumerate(self._keepers) if keeper.origin == origin]
            candidates, n_found = self._ranked(question, found, segments)
            lists.append(RankedList(candidates))
            total += n_found
        hits = fuse(lists, last)
        if not any(each.is_exact for each in named):
            hits += self._neighbours(hits, last - len(hits))
        page = hits[first:last]
        if self._request.include_content and self._names is not None:
            for hit in page:
                hit.content = (
                    self._names.whole(hit.id) if hit.result_origin == "symbol" else ""
                ) or hit.content
        return page, total

    def _without_copies(self, found: Matches) -> list[Mask]:
        """By segment and place: whether no earlier collection has a match with the same text. A
        file of the tree may have been added, too."""
        matching = [
            (stems + parts) > 0 for stems, parts in zip(found.by_stem, found.by_part, strict=True)
        ]
        masks = [np.ones(len(each), dtype=bool) for each in matching]
        documents = [at for at, keeper in enumerate(self._keepers) if keeper.origin == "document"]
        for at in documents:
            before = [
                other
                for other in documents
                if other < at and self._keepers[other] is not self._keepers[at]
            ]
            lengths = self._all[at].chunks.lengths[matching[at]]
            texts: set[str] = set()
            for other in before:
                alike = (
                    matching[other]
                    & masks[other]
                    & np.isin(self._all[other].chunks.lengths, lengths)
                )
                texts.update(
                    self._shown(other, place).text for place in np.flatnonzero(alike).tolist()
                )
            for place in np.flatnonzero(matching[at]).tolist() if texts else ():
                masks[at][place] = self._shown(at, place).text not in texts
        return masks

    def _without_weak(
        self, question: Question, found: Matches, named: Sequence[NameHit]
    ) -> tuple[Matches, list[NameHit]]:
        """One chunk of each item, without those that cover less of the question than FAIR
        allows."""
        shares = shares_held(self._segments, question, found, self._groups)
        found = found.one_of_each(self._groups)
        covered = [
            1.0 if each.is_exact else coverage(each.texts, question, found.rarity) for each in named
        ]
        matching = (
            float(some[(stems + parts) > 0].max(initial=0.0))
            for some, stems, parts in zip(shares, found.by_stem, found.by_part, strict=True)
        )
        least = FAIR * max([*covered, *matching], default=0.0)
        kept = [each for each, share in zip(named, covered, strict=True) if share >= least]
        return found.only([some >= least for some in shares]), kept

    def _timeline(self, question: Question, found: Matches) -> tuple[list[TextHit], int]:
        """What matches well, the newest first; then what matches badly, the newest first. And how
        many there are."""
        request = self._request
        ranking = rank(found, question, self._text_of, MOST_DATED)
        shares = shares_held(self._segments, question, found)
        asked = {stem(word) for word in question.words}
        rows: list[tuple[float, int, Ranked]] = []
        for each in ranking.best:
            shown, share = (
                self._shown(each.segment, each.place),
                float(shares[each.segment][each.place]),
            )
            if self._keepers[each.segment].origin == "note" and asked.issuperset(
                map(stem, words_of(shown.label))
            ):
                share *= CALLED
            rows.append((share, shown.time_ms, each))
        least = WELL * max((share for share, _, _ in rows), default=0.0)
        dated = sorted(rows, key=lambda row: (row[0] < least, -row[1]))
        is_match = matcher(question, found)
        page = dated[request.offset : request.offset + request.most]
        return [self._hit(*each, is_match) for _, _, each in page], ranking.total

    def _text_of(self, segment: int, place: int) -> ChunkText:
        """The text of a chunk as it is ranked: a note's category is one of its words."""
        shown = self._shown(segment, place)
        is_note = self._keepers[segment].origin == "note"
        return ChunkText(
            shown.title, f"{shown.label}\n{shown.text}" if is_note else shown.text, shown.weight
        )

    def _ranked(
        self, question: Question, found: Matches, segments: Sequence[int]
    ) -> tuple[list[Candidate], int]:
        request = self._request

        def text_of(segment: int, place: int) -> ChunkText:
            return self._text_of(segments[segment], place)

        ranking = rank(
            found.of(segments), question, text_of, self._n_candidates, self._meaning(question)
        )
        best = [each._replace(segment=segments[each.segment]) for each in ranking.best]
        if request.session:
            best.sort(
                key=lambda each: (
                    self._shown(each.segment, each.place).facts.get("session") != request.session
                )
            )
        candidates = []
        is_match = matcher(question, found)
        for each in best:
            shown = self._shown(each.segment, each.place)
            covered = coverage((shown.title, shown.text, shown.label), question, found.rarity)
            key = (
                ("symbol", shown.id)
                if shown.facts.get("item_type") == "symbol"
                else ("text", shown.id)
            )
            factor = recency(shown.time_ms, self._now_ms) if request.boost_recent else 1.0
            share = titled(shown.title, question, found.rarity)
            candidates.append(
                Candidate(
                    key,
                    covered,
                    partial(self._hit, *each, is_match),
                    False,
                    each.score,
                    factor,
                    share,
                )
            )
        shares = [
            *accumulate((each.titled for each in reversed(candidates)), max)
        ]  # titles count in the order already
        return [
            each._replace(titled=share)
            for each, share in zip(candidates, reversed(shares), strict=True)
        ], ranking.total

    def _meaning(self, question: Question) -> Meaning | None:
        """Compares texts with a question of several words, where that is asked for and there."""
        if not self._request.vectors or len(question.words) < 2 or not is_installed():
            return None
        return partial(nearness, question.text)

    def _neighbours(self, hits: Sequence[TextHit], most: int) -> list[TextHit]:
        """The neighbours of the best hits, which follow all hits where there is room."""
        request = self._request
        wants = (
            request.include_graph
            and request.use_enhanced
            and request.within == "all"
            and not request.by_entity
        )
        if self._names is None or not wants or request.has_filters or not hits or most <= 0:
            return []
        known = {hit.id for hit in hits}
        near = [
            each.hit
            for each in self._names.beside(hits[:BESIDE], NEIGHBOURS)
            if each.hit.id not in known
        ]
        for hit in near:
            hit.score = round(hits[-1].score * GRAPH_WEIGHT, 4)
        return near[:most]

    def _listed(self, query: str) -> TextSection:
        """What the filters let through, the newest first: for a question without words."""
        numbers = [(each, number) for each in self._collections for number in each.listed()]
        texts: dict[str, Collection] = {}
        shown = [(each, each.shown(number)) for each, number in numbers]
        shown = [
            (keeper, each)
            for keeper, each in shown
            if texts.setdefault(each.text, keeper) is keeper
        ]  # else a copy
        shown.sort(key=lambda pair: -pair[1].time_ms)
        first, last = self._request.offset, self._request.offset + self._request.most
        items = [
            self._as_hit(each, keeper.origin, 0.0, lambda _: "")
            for keeper, each in shown[first:last]
        ]
        has_more = bool(items) and len(shown) > first + len(items)
        n_documents = sum(each.is_document for _, each in shown)
        return TextSection(
            query=query, items=items, total=len(shown), has_more=has_more, n_documents=n_documents
        )

    def _shown(self, segment: int, place: int) -> Shown:
        key = segment, place
        if key not in self._known:
            self._known[key] = self._keepers[segment].shown(
                int(self._all[segment].chunks.ids[place])
            )
        return self._known[key]

    def _hit(
        self, segment: int, place: int, score: float, is_match: Callable[[str], str]
    ) -> TextHit:
        return self._as_hit(
            self._shown(segment, place), self._keepers[segment].origin, score, is_match
        )

    def _as_hit(
        self, shown: Shown, origin: str, score: float, is_match: Callable[[str], str]
    ) -> TextHit:
        whole = self._request.include_content
        facts = {
            name: value
            for name, value in shown.facts.items()
            if name not in _TOLD_ALREADY and "\0" not in name
        }
        return TextHit(
            id=shown.id,
            type=shown.type,
            title=shown.title,
            source=shown.label,
            line=shown.line,
            content=shown.text
            if whole
            else cut_windows(shown.text.strip(), is_match, self._request.room, self._request.marks),
            score=round(score, 4),
            content_type="code" if shown.is_code else "prose",
            added=iso(shown.time_ms) if shown.time_ms else "",
            result_origin="symbol" if shown.facts.get("item_type") == "symbol" else origin,
            stale=shown.stale,
            metadata=facts,
            url=shown.url,
            is_document=shown.is_document,
        )

    def _notices(
        self, question: Question, found: Matches, in_names: Set[str], is_any: bool
    ) -> list[str]:
        notices = [
            f'nothing holds "{shorten(word, 40)}": "{other}" was searched for'
            for word, other in found.instead.items()
        ]
        notices += [
            f'nothing holds "{shorten(word, 40)}"' for word in found.missing if word not in in_names
        ]
        if question.is_cut:
            notices.append("the query is too long: only its beginning was searched for")
        if not is_any and any(each.n_live for each in self._all):
            hidden = match(self._all, question).count(self._filtered)
            if hidden and (given := self._request.filters_given):
                many = "the only match" if hidden == 1 else f"all {hidden} matches"
                notices.append(
                    f"the filters hide {many} ({', '.join(given)}): leave out some of them"
                )
        return notices

    def _n_of_other_sessions(self, question: Question) -> int:
        """How many notes match well that only their session hides."""
        if not any(mask.any() for mask in self._hidden):
            return 0
        pairs = zip(self._segments, self._hidden, strict=True)
        both = [
            Segment(each.chunks, hidden if each.live is None else each.live | hidden)
            for each, hidden in pairs
        ]
        found = match(both, question, self._request.use_enhanced)
        shares = [
            np.where(stems + parts > 0, share, 0.0)
            for share, stems, parts in zip(
                shares_held(both, question, found), found.by_stem, found.by_part, strict=True
            )
        ]
        least = WELL * max((float(share.max(initial=0.0)) for share in shares), default=0.0)
        return sum(
            int(np.count_nonzero((share >= max(least, 1e-9)) & hidden))
            for share, hidden in zip(shares, self._hidden, strict=True)
        )


def _refused(query: str, error: str) -> TextSection:
    return TextSection(query=query, items=[], total=0, has_more=False, error=error)


def _in_names(question: Question, named: Sequence[NameHit]) -> set[str]:
    """The words of a question that names of symbols hold."""
    held = {stem(word) for each in named for text in each.texts[:2] for word in words_of(text)}
    return {word for word in question.words if stem(word) in held}


def _itself(hit: TextHit) -> TextHit:
    return hit


def _named(each: NameHit, question: Question, found: Matches) -> Candidate:
    covered = coverage(each.texts, question, found.rarity)
    share = titled(each.hit.title, question, found.rarity)
    return Candidate(
        each.key, covered, partial(_itself, each.hit), each.is_exact, each.hit.score, 1.0, share
    )
