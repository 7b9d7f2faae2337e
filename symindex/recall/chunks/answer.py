"""Answers a request: matches each question against names, text and notes, and ranks all hits."""

import math
import time
from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
from msgspec import UNSET

from symindex.cancellation import check_wanted
from symindex.errors import RequestError
from symindex.protocol.recall import TextHit, TextRequest, TextResponse, TextSection
from symindex.recall.chunks.asked import Asked, count_symbols
from symindex.recall.chunks.chunk_hits import ChunkHits, WordsOfQuestion
from symindex.recall.chunks.collection import Collection, order_of_places
from symindex.recall.chunks.copies import without_copies
from symindex.recall.chunks.fusion import (
    GRAPH_WEIGHT,
    LOOKED_AT,
    Candidate,
    Merged,
    block_for,
    blocks_of,
    candidates_of,
    coverage,
    fuse_phrasings,
    merge,
    recency,
)
from symindex.recall.chunks.matchers import (
    Matches,
    Segment,
    any_matches,
    match,
    shares_covered,
)
from symindex.recall.chunks.named_types import check_types
from symindex.recall.chunks.question import Question, read_question, without_words_of_time
from symindex.recall.chunks.rank import OrderOf, Ranked, rank
from symindex.recall.chunks.symbol_lookup import (
    NOTHING_NAMED,
    NameHit,
    NamesFound,
    SymbolLookup,
    nearest_in_names,
    words_in_symbols,
)
from symindex.recall.chunks.vectors import Comparisons
from symindex.text.counts import count_of
from symindex.text.words import stem, words_of

USAGE_HINT: Final = (
    "items are shown as excerpts: `symindex symbol ID` shows a whole item, and include_content"
    " shows all hits in full"
)

NOTHING_YET: Final = (
    "there is no text yet: `symindex add FILE --source LABEL` and `symindex note add TEXT` add some"
)

NO_DATE: Final = 'symbols have no date: sort "timeline" shows documents and notes'

MOST_DATED: Final = 1_000
"""Most hits that a timeline sorts by date: the best ones."""

WELL: Final = 0.6
"""Share of the best hit's coverage that a hit needs to come first in a timeline; all others follow,
however new."""

FAIR: Final = 0.4
"""Share of the best hit's coverage that a hit needs to be a result at all, where entities are
requested."""

CATEGORY_BOOST: Final = 1.7
"""Factor on the coverage of a note whose category is named by the question (`last user prompt`): if
it also covers the rest, all other notes match less well."""

SECONDS: Final = 10.0
"""Longest time for all questions of a request, in seconds. Sections not reached by then say so."""

NEIGHBOURS_OF: Final = 3
"""Best hits whose neighbours are added."""

MOST_NEIGHBOURS: Final = 50
"""Most neighbours that follow the hits."""


def answer(
    request: TextRequest, collections: Sequence[Collection], names: SymbolLookup | None = None
) -> TextResponse:
    """Answers a request that was checked. names: looks up symbols; `None` leaves them out."""
    if request.by_entity:
        check_types(request, collections)
    questions = _Answers(request, collections, names)
    sections = [questions.section(query) for query in request.queries]
    notices = [notice for collection in collections for notice in collection.notices]
    notices += questions.comparisons.notices()
    is_about_text = names is None or request.within in ("text", "notes")
    is_empty = all(collection.is_empty for collection in collections)
    if is_about_text and is_empty and not any(section.total for section in sections):
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


class _Answers:
    """Answers the questions of one request. Segments are the chunk indexes of all collections, in
    order; lists by segment run in that order."""

    def __init__(
        self,
        request: TextRequest,
        collections: Sequence[Collection],
        names: SymbolLookup | None,
    ) -> None:
        self._request, self._collections, self._names = request, collections, names
        pairs = [
            (collection, index) for collection in collections for index in collection.indexes()
        ]
        self._collection_of = [collection for collection, _ in pairs]
        live = [collection.live(index) for collection, index in pairs]
        self._all = [Segment(index, mask) for (_, index), mask in zip(pairs, live, strict=True)]
        self._selected = [
            Segment(index, mask & collection.selected(index))
            for (collection, index), mask in zip(pairs, live, strict=True)
        ]
        self._hidden = [collection.hidden(index) for collection, index in pairs]
        self._not_hidden = [mask & ~hidden for mask, hidden in zip(live, self._hidden, strict=True)]
        self._hits = ChunkHits(request, self._collection_of, self._all)
        self._deadline = time.monotonic() + SECONDS
        self.comparisons = Comparisons(request)
        # One more than the page needs, to know whether others follow.
        self._block = block_for(1 + len(request.phrasings))
        n_blocks = -(-(request.offset + request.most + 1) // self._block)
        self._n_candidates = n_blocks * self._block
        self._now_ms = time.time_ns() // 1_000_000
        grouped = pairs if request.by_entity else []
        self._documents = [collection.documents(index) for collection, index in grouped]
        self._groups = [collection.groups(index) for collection, index in grouped]

    def section(self, query: str) -> TextSection:
        """Answers one question; an error becomes part of its section."""
        check_wanted()
        if time.monotonic() > self._deadline:
            return _refused(query, f"not answered within {SECONDS:g} s: ask for fewer at once")
        request = self._request
        texts = [*([query] if query.strip() else []), *request.phrasings]
        if not any(map(str.strip, texts)):
            texts = []
            if request.has_filters:
                return self._listed(query)
        asked: list[Asked] = []
        refusals: list[str] = []
        for number, text in enumerate(texts or [query], start=1):
            if texts and not text.strip():
                refusals.append(f"phrasing {number} is empty")
                continue
            if (earlier := texts.index(text) + 1 if texts else 1) < number:
                refusals.append(f"phrasing {number} repeats phrasing {earlier}")
                continue
            try:
                asked.append(self._ask(number, text))
            except RequestError as error:
                refusals.append(
                    f"phrasing {number} is not searched: {error}" if len(texts) > 1 else str(error)
                )
        if not asked:
            return _refused(query, refusals[0])
        section = (
            self._timeline(query, asked[0])
            if request.sort == "timeline"
            else self._fused(query, asked)
        )
        n_others = self._n_of_other_sessions(asked[0].question)
        notices = [*refusals, *self._notices_of(asked, bool(section.total or n_others))]
        if request.sort == "timeline" and "symbol" in map(str.casefold, request.types):
            notices.append(NO_DATE)
        if request.sort == "timeline" and section.total > MOST_DATED:
            dated = f"only the best {MOST_DATED:,} of {section.total:,} matches are sorted by date"
            notices.append(f"{dated}: give more words or a filter")
        if n_others:
            words = "note of another session matches", "notes of other sessions match"
            others = count_of(n_others, *words)
            notices.append(f'{others}: sort "timeline" shows {"it" if n_others == 1 else "them"}')
        self._tell(section, notices)
        return section

    def _ask(self, number: int, text: str) -> Asked:
        """Matches a phrasing with names and chunks. Raises RequestError for one without an
        answer."""
        request = self._request
        question = read_question(text)
        if request.sort == "timeline":
            question = without_words_of_time(question)
        if not question.words:
            problem = "empty" if not text.strip() else "without words"
            raise RequestError(
                f"the query is {problem}: give 2 to 4 words to search for, or types to list"
            )
        named = self._symbols(text, question)
        in_symbols = words_in_symbols(question, named.hits)
        matches = match(self._selected, question, request.use_enhanced, in_symbols)
        for word in [word for word in matches.missing if word not in in_symbols]:
            if near := nearest_in_names(word, named.hits):
                matches.instead[word] = near
                matches.missing.remove(word)
        if request.by_entity:
            matches, symbols = self._without_weak(question, matches, named.hits)
            named = named._replace(hits=symbols, total=len(symbols))
        matches = without_copies(matches, self._all, self._collection_of, self._hits)
        return Asked(number, text, question, named, matches, in_symbols)

    def _notices_of(self, asked: Sequence[Asked], has_any: bool) -> list[str]:
        """Returns the notices about how the phrasings were understood, and about filters that hide
        all matches."""
        notices = []
        for one in asked:
            own = one.notices(is_brief=has_any and len(asked) > 1)
            if not has_any and not one.is_exact:
                own += self._hidden_by_filters(one.question)
            prefix = f"phrasing {one.number}: " if len(asked) > 1 else ""
            notices += [f"{prefix}{notice}" for notice in own]
            if has_any and len(asked) > 1 and one.is_empty:
                notices.append(f"phrasing {one.number} matches nothing")
        return notices

    def _tell(self, section: TextSection, notices: list[str]) -> None:
        """Adds notices to a section, and the one of a page past the end."""
        offset = self._request.offset
        if section.total and not section.items and offset:
            notices = [
                f"offset {offset} is past the end: there"
                f" {'is' if section.total == 1 else 'are'} {count_of(section.total, 'result')}",
                *notices,
            ]
        if notices:
            section.notices = notices

    def _symbols(self, query: str, question: Question) -> NamesFound:
        """Returns the best symbols by name."""
        request = self._request
        is_about_names = request.within in ("names", "text", "all") and request.sort != "timeline"
        if self._names is None or not is_about_names:
            return NOTHING_NAMED
        try:
            return self._names.find(query, question, request, self._n_candidates)
        except RequestError:
            if request.within == "names":
                raise
            return NOTHING_NAMED  # documents may contain a text that is no valid query for names

    def _fused(self, query: str, asked: Sequence[Asked]) -> TextSection:
        """Returns a page of the hits of all phrasings and origins in one order, without its
        notices."""
        request = self._request
        first, last = request.offset, request.offset + request.most
        if len(asked) == 1:
            fused = self._merged(asked[0], last)
        else:
            alone = [self._merged(phrasing, self._n_candidates) for phrasing in asked]
            fused = fuse_phrasings(
                [phrasing.number for phrasing in asked], alone, last, self._block
            )
        # The neighbours of the best hits may follow.
        is_over = not fused.has_more and (len(fused.rows) > first or not first)
        needs_best = is_over and not any(one.is_exact for one in asked)
        hits = fused.hits(0 if needs_best else first)
        if needs_best:
            hits = [*hits, *self._neighbours(hits, last - len(hits))][first:]
        if request.include_content and self._names is not None:
            for hit in hits:
                code = self._names.whole(hit.id) if hit.result_origin == "symbol" else ""
                hit.content = code or hit.content
        matching = any_matches([phrasing.matches for phrasing in asked])
        total = count_symbols(asked, self._names, request) + sum(
            int(np.count_nonzero(mask)) for mask in matching
        )
        section = TextSection(query=query, items=hits, total=total, has_more=fused.has_more)
        section.is_partial = all(one.is_partial for one in asked) or UNSET
        if request.by_entity:
            section.n_documents = sum(
                int(np.count_nonzero(mask & documents))
                for mask, documents in zip(matching, self._documents, strict=True)
            )
        return section

    def _merged(self, asked: Asked, most: int) -> Merged:
        """Returns the best symbols and chunks for a phrasing."""
        symbols = candidates_of(asked.symbols, asked.meant, asked.rarity)
        return merge([symbols, self._ranked(asked)], most, self._block)

    def _without_weak(
        self, question: Question, matches: Matches, symbols: Sequence[NameHit]
    ) -> tuple[Matches, Sequence[NameHit]]:
        """Keeps one chunk per item, and drops what covers less of the question than FAIR allows."""
        shares = shares_covered(self._selected, question, matches, self._groups)
        matches = matches.one_per_group(self._groups)
        covered = [
            1.0 if symbol.is_exact else coverage(symbol.texts, question, matches.rarity)
            for symbol in symbols
        ]
        best = (
            float(share[(stems + parts) > 0].max(initial=0.0))
            for share, stems, parts in zip(shares, matches.by_stem, matches.by_part, strict=True)
        )
        least = FAIR * max([*covered, *best], default=0.0)
        kept = [symbol for symbol, share in zip(symbols, covered, strict=True) if share >= least]
        return matches.only([share >= least for share in shares]), kept

    def _timeline(self, query: str, asked: Asked) -> TextSection:
        """Returns a page of good matches, newest first, then of weak ones, newest first; equally
        old ones by relevance."""
        request, question, matches = self._request, asked.question, asked.matches
        order_of = self._order_of(range(len(self._all)))
        ranking = rank(matches, question, self._hits.text_of, MOST_DATED, order_of=order_of)
        shares = shares_covered(self._selected, question, matches)
        stems = {stem(word) for word in question.words}
        rows: list[tuple[float, int, Ranked]] = []
        for ranked in ranking.best:
            shown = self._hits.shown(ranked.segment, ranked.place)
            share = float(shares[ranked.segment][ranked.place])
            is_note = self._collection_of[ranked.segment].origin == "note"
            if is_note and stems.issuperset(map(stem, words_of(shown.label))):
                share *= CATEGORY_BOOST
            rows.append((share, shown.time_ms, ranked))
        least = WELL * max((share for share, _, _ in rows), default=0.0)
        dated = sorted(rows, key=lambda row: (row[0] < least, -row[1]))
        page = dated[request.offset : request.offset + request.most]
        words = WordsOfQuestion(question, matches)
        section = TextSection(
            query=query,
            items=[self._hits.hit(*ranked, words) for _, _, ranked in page],
            total=ranking.total,
            has_more=len(dated) > request.offset + len(page),
        )
        if request.by_entity:
            section.n_documents = matches.count(self._documents)
        return section

    def _ranked(self, asked: Asked) -> list[Candidate]:
        """Returns the chunks that match a phrasing best, in order."""
        request, question, matches = self._request, asked.question, asked.matches
        ranking = rank(
            matches,
            asked.meant,
            self._hits.text_of,
            self._n_candidates,
            None if asked.is_exact else self.comparisons.of(question),
            self._order_of(range(len(self._all))),
        )
        best = ranking.best
        if request.boost_recent:
            best = [ranked._replace(score=ranked.score * self._recency(ranked)) for ranked in best]
        if request.session or request.boost_recent:
            best = [
                ranked
                for block in blocks_of(best, self._block)
                for ranked in sorted(block, key=self._by_session_and_age)
            ]
        words = WordsOfQuestion(question, matches)
        first = [self._hits.shown(ranked.segment, ranked.place) for ranked in best[:LOOKED_AT]]
        covered = max(
            (coverage((one.title, one.text), asked.meant, asked.rarity) for one in first),
            default=0.0,
        )
        share = math.sqrt(covered)
        return [
            Candidate(
                ("text", str(ranked.segment), str(ranked.place)),
                ranked.score * share,
                partial(self._hits.hit, *ranked, words),
            )
            for ranked in best
        ]

    def _by_session_and_age(self, ranked: Ranked) -> tuple[bool, float]:
        """Returns the sort key of a chunk: the session of the request first, then what its age left
        of its score, if that counts."""
        request = self._request
        is_of_other = bool(request.session) and self._is_of_other_session(ranked)
        return is_of_other, -ranked.score if request.boost_recent else 0.0

    def _recency(self, ranked: Ranked) -> float:
        return recency(self._hits.shown(ranked.segment, ranked.place).time_ms, self._now_ms)

    def _order_of(self, segments: Sequence[int]) -> OrderOf:
        pairs = [(self._collection_of[number], self._all[number].chunks) for number in segments]
        return order_of_places(self._collections, pairs)

    def _is_of_other_session(self, ranked: Ranked) -> bool:
        facts = self._hits.shown(ranked.segment, ranked.place).facts
        return facts.get("session") != self._request.session

    def _neighbours(self, hits: Sequence[TextHit], most: int) -> list[TextHit]:
        """Returns neighbours of the best hits, which follow all hits if the page has room."""
        request = self._request
        is_wanted = (
            request.include_graph
            and request.use_enhanced
            and request.within == "all"
            and not request.by_entity
            and not request.has_filters
        )
        if self._names is None or not is_wanted or not hits or most <= 0:
            return []
        ids = {hit.id for hit in hits}
        neighbours = [
            neighbour.hit
            for neighbour in self._names.neighbours(hits[:NEIGHBOURS_OF], MOST_NEIGHBOURS)
            if neighbour.hit.id not in ids
        ]
        for hit in neighbours:
            hit.score = round(hits[-1].score * GRAPH_WEIGHT, 4)
        return neighbours[:most]

    def _listed(self, query: str) -> TextSection:
        """Lists what the filters select, newest first: the answer to a question without words."""
        shown = [
            (collection, collection.shown(number))
            for collection in self._collections
            for number in collection.listed()
        ]
        first_with: dict[str, Collection] = {}
        shown = [  # without copies in later collections
            (collection, chunk)
            for collection, chunk in shown
            if first_with.setdefault(chunk.text, collection) is collection
        ]
        shown.sort(key=lambda pair: -pair[1].time_ms)
        first, last = self._request.offset, self._request.offset + self._request.most
        items = [
            self._hits.as_hit(chunk, collection.origin, 0.0)
            for collection, chunk in shown[first:last]
        ]
        n_documents = sum(chunk.is_document for _, chunk in shown)
        section = TextSection(
            query=query,
            items=items,
            total=len(shown),
            has_more=len(shown) > last,
            n_documents=n_documents,
        )
        self._tell(section, [])
        return section

    def _hidden_by_filters(self, question: Question) -> list[str]:
        """Returns the notice about filters that hide all matches."""
        filters = self._request.filters_given
        if not filters or not any(segment.n_live for segment in self._all):
            return []
        n_hidden = match(self._all, question).count(self._not_hidden)
        hidden = "the only match" if n_hidden == 1 else f"all {n_hidden} matches"
        notice = f"the filters hide {hidden} ({', '.join(filters)}): leave out some of them"
        return [notice] if n_hidden else []

    def _n_of_other_sessions(self, question: Question) -> int:
        """Counts notes that match well and are hidden only because of their session."""
        if not any(mask.any() for mask in self._hidden):
            return 0
        segments = [
            Segment(segment.chunks, hidden if segment.live is None else segment.live | hidden)
            for segment, hidden in zip(self._selected, self._hidden, strict=True)
        ]
        matches = match(segments, question, self._request.use_enhanced)
        covered = shares_covered(segments, question, matches)
        shares = [
            np.where(stems + parts > 0, share, 0.0)
            for share, stems, parts in zip(covered, matches.by_stem, matches.by_part, strict=True)
        ]
        least = WELL * max((float(share.max(initial=0.0)) for share in shares), default=0.0)
        return sum(
            int(np.count_nonzero((share >= max(least, 1e-9)) & hidden))
            for share, hidden in zip(shares, self._hidden, strict=True)
        )


def _refused(query: str, error: str) -> TextSection:
    return TextSection(query=query, items=[], total=0, has_more=False, error=error)
