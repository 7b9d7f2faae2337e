"""The plan of a search: a request, read once.

The workspace makes it (`workspace/roots`). Everything below works on the plan: the query as a tree,
the meaning of the options, the filter, the rows to search, and the page. The request itself is only
repeated in the response.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from symindex.extract.languages.registry import Languages
from symindex.protocol.search import SearchRequest, SearchResponse
from symindex.requests import check_request
from symindex.search.answer.filters import Filter
from symindex.search.answer.lean_pages import ITEMS_PER_ROW, add_tail_notice
from symindex.search.answer.universe import Universe, universe_of
from symindex.search.language.fields import with_language_ids
from symindex.search.language.narrowing import divide_at_bars
from symindex.search.language.parse_query import parse_in_field, parse_query
from symindex.search.language.phrasings import Phrasing, read_phrasings
from symindex.search.language.query import Everything, Name, Node, Query, Words, parse_name
from symindex.search.options.narrow import narrowings
from symindex.search.options.read import SCORE, Options, read_options, with_own_names


class PageRule(NamedTuple):
    """What a front end adds to the page of a request.

    include: more fields of the items. most: the most items on the page; `None` for as many as the
    request or a lean page asks for. lean_rows: the most rows of a lean page
    (`search/answer/lean_pages`); `None` for an ordinary one.
    """

    include: Sequence[str] = ()
    most: int | None = None
    lean_rows: int | None = None


_AS_REQUESTED: Final = PageRule()

SENTENCE_WORDS: Final = 3
"""Fewest words of a sentence; two are often the words of a name."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A search request, read once.

    request: as it was sent, with `max_items` and `start_index` under these names. text: the query
    as it was typed, up to the bar that narrows it. narrowing: the tree after the bar, which all
    hits must match. phrasings: if the question has several, each as it was read; the query is then
    a tree that matches whatever one of them matches. notices: about phrasings that are not
    searched. given: the fields of the request that have a value. language_words: the languages as
    the request names them. max_items, start_index, token: the page; they differ from the request's
    if a front end asks again for fewer rows.
    """

    request: SearchRequest
    languages: Languages
    query: Query
    options: Options
    given: frozenset[str]
    kinds: tuple[str, ...]
    language_words: tuple[str, ...]
    paths: tuple[str, ...]
    max_items: int | None
    start_index: int
    token: str | None
    page: PageRule
    text: str
    narrowing: Node | None = None
    phrasings: tuple[Phrasing, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def include(self) -> list[str]:
        """The fields of the page's items besides those of the contract."""
        return [*(self.request.include or ()), *self.page.include]

    @property
    def is_first_page(self) -> bool:
        return not self.start_index and self.token is None

    @property
    def names_a_space(self) -> bool:
        return self.request.space is not UNSET

    @property
    def needs_spaces(self) -> bool:
        """Whether the request may be about more than the symbols of the project."""
        return self.names_a_space or self.universe is not Universe.SYMBOLS

    @cached_property
    def universe(self) -> Universe:
        """The rows to search."""
        return universe_of(self.kinds, self.query, self.options)

    @cached_property
    def filter(self) -> Filter:
        """The filter, with the distance between words. Raises RequestError for an unknown
        language."""
        options = self.options
        if options.between is None:
            return self.plain_filter
        # Imported here because few requests use it.
        from symindex.search.options.proximity import near_each_other

        near = near_each_other(
            self.query, options.between, options.weak is not False, options.tolerance
        )
        plain = self.plain_filter
        return msgspec.structs.replace(plain, narrowings=(*plain.narrowings, near))

    @cached_property
    def plain_filter(self) -> Filter:
        """The filter, without the parts that depend on the query. Raises RequestError for an
        unknown language."""
        return Filter(
            self.kinds,
            frozenset().union(*map(self.languages.ids_of, self.language_words)),
            self.paths,
            narrowings(self.options, self.languages),
        )

    def strict(self) -> "Plan":
        """Returns the plan without typos and scattered letters."""
        return replace(self, options=msgspec.structs.replace(self.options, weak=False, edits=None))

    def without(self, fields: Iterable[str]) -> "Plan":
        """Returns the plan without some of the fields that only leave out rows
        (`protocol/search_options.NARROWING`)."""
        dropped = {*fields}
        return replace(
            self,
            options=self.options.without(dropped),
            given=self.given - dropped,
            kinds=() if "kinds" in dropped else self.kinds,
            language_words=() if "languages" in dropped else self.language_words,
            paths=() if "paths" in dropped else self.paths,
        )

    @property
    def is_sentence(self) -> bool:
        """Whether it asks in a sentence, or in several phrasings, for the best rows."""
        is_long = isinstance(self.query, Words) and len(self.query.texts) >= SENTENCE_WORDS
        return (is_long or bool(self.phrasings)) and self.options.sort_by == SCORE

    @property
    def as_one(self) -> "Plan":
        """The plan for the first phrasing alone."""
        return self.alone(self.phrasings[0]) if self.phrasings else self

    def alone(self, phrasing: Phrasing) -> "Plan":
        """Returns the plan for one of the phrasings, as if it were the query."""
        return replace(self, text=phrasing.text, query=phrasing.query, phrasings=())

    def sized(self, max_items: int | None) -> "Plan":
        """Returns the plan for a page of another size."""
        return replace(self, max_items=max_items)

    def of_any_size(self, rows: int, may_be_lean: bool, include: Sequence[str]) -> "Plan":
        """Returns the plan for a page of at most `rows` rows, whose tokens do not depend on this
        number. It is a lean page, where it may be, if the request names neither a number of rows
        nor an order. include: more fields of its items."""
        is_lean = may_be_lean and self.max_items is None and self.options.sort_by == SCORE
        rule = {"lean_rows": rows} if is_lean else {"most": rows}
        return replace(self, max_items=None, page=self.page._replace(include=include, **rule))

    def starting_at(self, start_index: int) -> "Plan":
        """Returns the plan for the page that begins at a hit, whatever token the request has."""
        return replace(self, start_index=start_index, token=None)

    def paged(self, **rule: Any) -> "Plan":
        """Returns the plan with other fields of its `PageRule`."""
        return replace(self, page=self.page._replace(**rule))

    @property
    def most_items(self) -> int | None:
        """The most items on the page; `None` for all."""
        page, limits = self.page, [self.max_items, self.page.most]
        if page.most is None and page.lean_rows is not None:
            limits.append(page.lean_rows * ITEMS_PER_ROW)
        return min((limit for limit in limits if limit is not None), default=None)

    def add_tail_notice(self, response: SearchResponse) -> None:
        """Adds a notice to a lean page whose tail was cut; does nothing to other pages."""
        if self.page.lean_rows is not None:
            add_tail_notice(response, self.query)


def make_plan(request: SearchRequest, languages: Languages, page: PageRule = _AS_REQUESTED) -> Plan:
    """Reads a request. Raises RequestError for one that cannot be answered. Wrong options are
    reported first, then wrong types, then a query with a syntax error."""
    request = with_own_names(request)
    options = read_options(request)
    check_request(request)
    read = partial(read_query, languages=languages, is_whole=request.whole_words is True)
    text, narrowing = divide_at_bars(request.query)
    plan = plan_of(request, Everything(), languages, options, page)
    if narrowing is not None:
        plan = replace(plan, text=text, narrowing=with_language_ids(narrowing, languages))
    if not request.phrasings:
        notices: list[str] = []
        return replace(plan, query=read(text, notices), notices=tuple(notices))

    def read_alone(text: str, notices: list[str]) -> Query:
        query = read(text, notices)
        _ = plan.alone(Phrasing(1, text, query)).filter  # raises for words that cannot be near
        return query

    phrasings = read_phrasings(
        text,
        request.phrasings,
        read_alone,
        lambda query: universe_of(plan.kinds, query, options).rows,
    )
    return replace(
        plan,
        query=phrasings.query,
        text=phrasings.text,
        phrasings=phrasings.searched if len(phrasings.searched) > 1 else (),
        notices=phrasings.notices,
    )


def plan_of_name(request: SearchRequest, languages: Languages) -> Plan:
    """The plan of a request that the program makes itself, for a name and without options except
    `fuzzy`. A name is not parsed; anything else is read as `make_plan` reads it."""
    if not _PLAIN_NAME.fullmatch(request.query):
        return make_plan(request, languages)
    options = Options(weak=request.fuzzy if isinstance(request.fuzzy, bool) else None)
    return plan_of(request, parse_name(request.query), languages, options)


_PLAIN_NAME: Final = re.compile(r"(?!(?:AND|OR|NOT)$)[A-Za-z_]\w*(?:(?:\.|::|#)\w+)*\.?", re.ASCII)


def plan_of(
    request: SearchRequest,
    query: Query,
    languages: Languages,
    options: Options | None = None,
    page: PageRule = _AS_REQUESTED,
) -> Plan:
    """Returns the plan of a request whose query and options are already read."""
    values = msgspec.structs.asdict(request)
    return Plan(
        request=request,
        languages=languages,
        query=query,
        options=options or Options(),
        given=frozenset(name for name, value in values.items() if value and value is not UNSET),
        kinds=tuple(request.kinds or ()),
        language_words=tuple(request.languages or ()),
        paths=tuple(request.paths or ()),
        max_items=request.max_items,
        start_index=request.start_index,
        token=request.pagination_id,
        page=page,
        text=request.query,
    )


def read_query(
    text: str, notices: list[str], *, languages: Languages, is_whole: bool = False
) -> Query:
    """Returns the tree of a query. Raises RequestError for a syntax error and for an unknown
    language. notices: see `parse_query`. is_whole: see `SearchRequest.whole_words`."""
    if is_whole and text.strip():
        return with_language_ids(parse_in_field(text, "", notices), languages)
    query = parse_query(text, notices)
    return (
        query
        if isinstance(query, Everything | Name | Words)
        else with_language_ids(query, languages)
    )
