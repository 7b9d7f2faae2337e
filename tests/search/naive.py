"""A naive search: it decides from a symbol's own texts whether the symbol matches a query's tree,
one symbol after the other.

It uses no index, no postings and no word numbers: only names, words (`text/words`), the tiers for
one name (`match/names`) and globs. `test_naive` compares the search of an index with overlays to
it, on random queries (`random_queries`). `python -m tests.search.fuzz_queries 1 10000` compares
them for longer.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Final

from rapidfuzz.distance import OSA

from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols
from symindex.extract.word_lists import ODD_SIGNATURE
from symindex.protocol.kinds import KINDS, TOLD_FLAGS, SymbolKind, expand_kinds
from symindex.search.answer.filters import path_filter
from symindex.search.language.query import And, Node, Not, Or, Term, Words, parse_name
from symindex.search.match.names import Needle, match_strong, tier_of
from symindex.search.words import weights
from symindex.text.folding import MOST_WORDS, fold, squash, strip_marks
from symindex.text.words import STOP_WORDS, stem, words_of

ANY: Final = ("name", "container", "path", "signature", "doc")
"""The fields that a term without a field searches."""

FEW: Final = 10
BEGINNING: Final = 3


class Row:
    """A symbol with its texts and attributes."""

    def __init__(
        self, path: str, language: str, number: int, symbol_id: str, file: FileSymbols
    ) -> None:
        symbol = list(file.symbols)[number]
        self.id, self.path, self.language = symbol_id, path, language
        self.name, self.container, self.signature, self.doc = (
            symbol.name,
            symbol.container,
            symbol.signature,
            symbol.doc,
        )
        self.kind = SymbolKind(symbol.kind)
        self.flags = {
            str(flag.name).lower() for flag in TOLD_FLAGS if (symbol.flags | file.flags) & flag
        }
        self.texts = {name: getattr(self, name) for name in ANY}

    @cached_property
    def words(self) -> dict[str, list[str]]:
        """The words of each field, in order."""
        return {field: words_of(text) for field, text in self.texts.items()}

    @cached_property
    def found_by(self) -> dict[str, set[str]]:
        """The words of each field that queries can find: all words except common English ones in
        docs."""
        words_by_field = {field: {*words} for field, words in self.words.items()}
        return words_by_field | {"doc": words_by_field["doc"] - STOP_WORDS}

    @cached_property
    def parts_of_path(self) -> list[str]:
        """The folders, and the file's name without its last extension."""
        *folders, base = self.path.split("/")
        begin, dot, _ = base.rpartition(".")
        return [*folders, begin if dot and begin else base]

    @cached_property
    def parts_of_container(self) -> list[str]:
        return self.container.split(".") if self.container else []


def read_rows(root: Path) -> list[Row]:
    """Returns the symbols of all files of a tree, by path and place."""
    rows = []
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        name = path.relative_to(root).as_posix()
        file = read_bytes(FileSymbols(name, 1, 1), path.read_bytes(), load_languages())
        seen: Counter[str] = Counter()
        for number, symbol in enumerate(file.symbols):
            symbol_id = f"{name}#{symbol.qualified_name}"
            seen[symbol_id] += 1
            many = f"~{seen[symbol_id]}" if seen[symbol_id] > 1 else ""
            rows.append(Row(name, file.language, number, symbol_id + many, file))
    return rows


def fields_of(field: str) -> tuple[str, ...]:
    """Returns the fields that a term of this field searches."""
    return {"": ANY, "content": ("signature", "doc")}.get(field, (field,))


def wildcard(pattern: str, text: str) -> bool:
    """Whether a pattern, in which `*` matches any text, matches the whole text."""
    return re.fullmatch(".*?".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None


def _is_bare(term: Term) -> bool:
    return term.field in ("", "doc", "content") and not (term.is_phrase or term.is_wildcard)


class NaiveSearch:
    """Searches rows by comparing each of them. Sets of rows are sets of their numbers."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.term = cache(self._term)
        self.word = cache(self._word)
        self.members = cache(self._members)

    def ids(self, numbers: Iterable[int]) -> set[str]:
        return {self.rows[number].id for number in numbers}

    def find(self, query: Words | Node) -> set[int]:
        """Returns the rows that a tree matches."""
        if not isinstance(query, Words):
            return self._evaluate(query)
        terms = tuple(Term("", text) for text in query.texts)
        return (
            self.plain(query.texts)[0]
            if any(map(words_of, query.texts))
            else self._evaluate(And(terms))
        )

    def _where(self, holds: Callable[[Row], bool]) -> frozenset[int]:
        return frozenset(number for number, row in enumerate(self.rows) if holds(row))

    def _evaluate(self, node: Node) -> set[int]:
        match node:
            case Not(part):
                return {*range(len(self.rows))} - self._evaluate(part)
            case Or(parts):
                return set().union(*map(self._evaluate, parts))
            case And(parts):
                words = [part for part in parts if isinstance(part, Term) and _is_bare(part)]
                common = [word for word in words if word.text.lower() in STOP_WORDS]
                left = (
                    [part for part in parts if part not in common]
                    if len(common) < len(words)
                    else parts
                )
                return set.intersection(*map(self._evaluate, left))
        return {*self.term(node)}

    def _term(self, term: Term) -> frozenset[int]:
        facts = dict.fromkeys(("lang", "is", "space"), self._fact) | {
            "kind": self._kind,
            "type": self._kind,
            "id": self._id,
        }
        if term.field in facts:
            return self._where(lambda row: facts[term.field](row, term))
        fields = fields_of(term.field)
        if term.is_wildcard:
            return self._wildcard(term, fields)
        if term.is_phrase and not (term.field == "path" and "/" in term.text):
            return self._phrase(term.text, fields)
        if term.field == "name":
            return self._names(term.text)
        if term.field in ("container", "path"):
            return self._where(lambda row: _has_part(row, term.field, term.text))
        words = words_of(term.text)
        if not term.field and parse_name(term.text).qualifiers:
            rows = self._phrase(term.text, fields) | self._names(term.text)
        elif len(words) == 1:
            rows = self.word(words[0], fields)
        else:
            rows = self._phrase(term.text, fields)
        if not rows and len(words) == 1 and len(words[0]) >= BEGINNING:
            return self._where(lambda row: _inside(row, words[0], fields))
        return rows

    def _word(self, word: str, fields: tuple[str, ...]) -> frozenset[int]:
        """Returns the rows that contain the word, a word with the same stem, or one that begins
        with it."""
        return self._where(lambda row: _holds(row, word, fields) > 0)

    def _phrase(self, text: str, fields: tuple[str, ...]) -> frozenset[int]:
        """Returns the rows that contain the words of a text next to each other, or the text itself
        if it has no words."""
        words = words_of(text)
        if not words:
            return self._where(
                lambda row: (
                    bool(fold(text))
                    and any(fold(text) in fold(row.texts[field]) for field in fields)
                )
            )
        return self._where(
            lambda row: any(_side_by_side(words, row.words[field]) for field in fields)
        )

    def _wildcard(self, term: Term, fields: tuple[str, ...]) -> frozenset[int]:
        """Returns the rows whose name, adjacent words or path match a wildcard."""
        text = term.text
        if term.field == "path":
            return self._where(lambda row: path_filter([text])(row.path))
        if term.field == "container":
            return self._where(lambda row: wildcard(fold(text), fold(row.container)))
        qualifiers = parse_name(text).qualifiers
        rows: frozenset[int] = frozenset()
        if "name" in fields:
            rows = self._qualified_wildcard(text) if qualifiers else self._whole_name(text)
        if term.field == "name":
            return rows
        if not term.field and term.is_path_glob:
            rows |= self._where(lambda row: path_filter([text])(row.path))
        if not term.field and qualifiers:
            return rows
        patterns = _patterns_of(text)
        return rows | self._where(
            lambda row: any(_stands_in(row, field, patterns) for field in fields)
        )

    def _whole_name(self, text: str) -> frozenset[int]:
        return self._where(lambda row: wildcard(fold(text), fold(row.name)))

    def _qualified_wildcard(self, text: str) -> frozenset[int]:
        query = parse_name(text)
        if not query.name.strip("*"):
            return self.members(query.qualifiers, query.in_path)
        named = self._whole_name(query.name)
        return named & self._where(
            lambda row: _chain(row, query.qualifiers, is_innermost=False, may_be_path=True) > 0
        )

    def _names(self, text: str) -> frozenset[int]:
        """Returns the rows whose names match by a strong tier."""
        query = parse_name(text)
        if not query.name:
            return self.members(query.qualifiers, query.in_path)
        needle, literal = Needle(query.name), Needle(query.literal)

        def holds(row: Row) -> bool:
            is_named = match_strong(needle, row.name, fold(row.name)) > 0
            is_there = (
                not query.qualifiers
                or _chain(row, query.qualifiers, is_innermost=False, may_be_path=True) > 0
            )
            is_literal = (
                literal.text != needle.text and match_strong(literal, row.name, fold(row.name)) > 0
            )
            return (is_named and is_there) or is_literal

        return self._where(holds)

    def _members(self, qualifiers: tuple[str, ...], in_path: bool) -> frozenset[int]:
        """Returns the members of the containers that match best."""
        scores = [
            _chain(row, qualifiers, is_innermost=True, may_be_path=in_path) for row in self.rows
        ]
        if not (best := max(scores, default=0)):
            return frozenset()
        tier = tier_of(min(best, 0.99))
        return frozenset(
            number
            for number, score in enumerate(scores)
            if score and tier_of(min(score, 0.99)) == tier
        )

    def _kind(self, row: Row, term: Term) -> bool:
        wanted = [kind for kind in SymbolKind if _is_meant(term, kind)]
        return KINDS[row.kind].code in expand_kinds(wanted)  # type: ignore[arg-type]

    def _fact(self, row: Row, term: Term) -> bool:
        values = {"lang": {row.language} - {""}, "is": row.flags, "space": {"project"}}[term.field]
        return any(_is_meant(term, word) for word in values)

    def _id(self, row: Row, term: Term) -> bool:
        return wildcard(term.text, row.id) if term.is_wildcard else row.id == term.text

    def plain(self, texts: Sequence[str]) -> tuple[set[int], dict[str, float]]:
        """Returns the rows that plain words find, and each row's score by BM25F alone, by its
        id."""
        every = [word for text in texts for word in words_of(text)]
        words = [*dict.fromkeys([word for word in every if word not in STOP_WORDS] or every)]
        counts_of_words = [self._meant(word) for word in words]
        chosen = [
            number
            for number in range(len(self.rows))
            if all(number in counts for counts in counts_of_words)
        ]
        if len(chosen) < FEW and len(words) > 1:
            chosen = [
                number
                for number in range(len(self.rows))
                if any(number in counts for counts in counts_of_words)
            ]
        total, sums = 0.0, dict.fromkeys(chosen, 0.0)
        for word, counts in zip(words, counts_of_words, strict=True):
            rarity = math.log(1 + (len(self.rows) - len(counts) + 0.5) / (len(counts) + 0.5))
            rarity *= weights.ONE_LETTER if len(word) == 1 else 1
            total += rarity
            for number in sums.keys() & counts.keys():
                sums[number] += rarity * counts[number] / (weights.K1 + counts[number])
        return {*chosen}, {
            self.rows[number].id: score / (total or 1.0) for number, score in sums.items()
        }

    @cache  # noqa: B019  # as long-lived as the class
    def _meant(self, word: str) -> dict[int, float]:
        """Returns the score of a plain word in each row that contains it: whole, or else inside
        words, or else misspelt."""
        counts = self._counts(lambda row, field: _holds(row, word, (field,)), word)
        if not counts and len(word) >= BEGINNING:
            counts = self._counts(
                lambda row, field: _inside(row, word, (field,)),
                word,
                less=lambda other: word in other,
            )
        limit = Needle(word).max_typos
        near: list[set[str]] = [set() for _ in range(limit + 1)]
        for other in self._vocabulary if limit and not counts else ():
            if (distance := OSA.distance(word, other, score_cutoff=limit)) <= limit:
                near[distance].add(other)
        for others in near:
            counts_of_others = [
                self._counts(partial(_is_there, other), other, less=_none)
                for other in sorted(others)
            ]
            if counts_of_others and (best := max(counts_of_others, key=len)):
                return best
        return counts

    @cached_property
    def _vocabulary(self) -> set[str]:
        return {word for row in self.rows for words in row.found_by.values() for word in words}

    def _counts(
        self,
        holds: Callable[[Row, str], object],
        word: str,
        less: Callable[[str], bool] | None = None,
    ) -> dict[int, float]:
        """Returns the weighted sum of BM25F for each row.

        less: selects the words that count less; by default those that begin with the word.
        """
        begins = less or (lambda other: len(word) >= BEGINNING and other.startswith(word))
        counts = {}
        for number, row in enumerate(self.rows):
            if any(holds(row, field) for field in ANY):
                counts[number] = self._weight(row, word, begins, is_beginning=less is None)
        return counts

    @cached_property
    def _lengths(self) -> tuple[float, float]:
        """The mean lengths of names and of texts, at least 1."""
        n = max(len(self.rows), 1)
        names, texts = sum(map(_name_length, self.rows)), sum(map(_text_length, self.rows))
        return max(names / n, 1.0), max(texts / n, 1.0)

    def _weight(
        self, row: Row, word: str, begins: Callable[[str], bool], is_beginning: bool
    ) -> float:
        of_name, of_text = self._lengths
        name_length, text_length = max(_name_length(row), 1) / of_name, _text_length(row) / of_text

        def share(words: Iterable[str]) -> float:
            """Counts the word and its forms in full, and adds the words that count less."""
            words = {*words}
            full = {other for other in words if other == word or stem(other) == stem(word)}
            return bool(full) + (weights.BEGINNING if any(map(begins, words - full)) else 0)

        in_name = min(share(row.words["name"]), 1.0)
        if (
            not in_name
            and is_beginning
            and len(word) >= BEGINNING
            and squash(fold(row.name)).startswith(word)
        ):
            in_name = weights.BEGINNING
        texts = _stored(row)
        by_length = 1 / (1 - weights.TEXT_B + weights.TEXT_B * text_length)
        folder, _, base = row.path.rpartition("/")
        of_fields = weights.FIELD_WEIGHTS
        return (
            in_name * weights.NAME / (1 - weights.NAME_B + weights.NAME_B * name_length)
            + sum(share(texts[field]) * of_fields[field] * by_length for field in texts)
            + share(row.words["container"]) * of_fields[weights.Field.CONTAINER]
            + share(words_of(folder)) * of_fields[weights.Field.FOLDER]
            + share(words_of(base)) * of_fields[weights.Field.BASE]
        )


def _none(_: str) -> bool:
    return False


def _is_meant(term: Term, word: str) -> bool:
    return (
        wildcard(term.text.lower(), word.lower())
        if term.is_wildcard
        else word.lower() == term.text.lower()
    )


def _holds(row: Row, word: str, fields: Iterable[str]) -> int:
    """Returns how well the fields match a word: 2 for the word or one with the same stem, 1 for a
    word that begins with it, else 0."""
    best = 0
    for field in fields:
        words = row.found_by[field]
        if word in words or any(stem(other) == stem(word) for other in words):
            return 2
        begins = len(word) >= BEGINNING and any(other.startswith(word) for other in words)
        if begins or (
            len(word) >= BEGINNING and field == "name" and squash(fold(row.name)).startswith(word)
        ):
            best = 1
    return best


def _is_there(word: str, row: Row, field: str) -> bool:
    return any(other == word or stem(other) == stem(word) for other in row.found_by[field])


def _inside(row: Row, word: str, fields: Iterable[str]) -> bool:
    return any(word in other for field in fields for other in row.found_by[field])


def _side_by_side(wanted: list[str], words: list[str]) -> bool:
    return any(
        words[start : start + len(wanted)] == wanted
        for start in range(len(words) - len(wanted) + 1)
    )


def _patterns_of(text: str) -> list[str]:
    """Returns the words of a wildcard, some of which contain `*`."""
    runs = [run for run in re.split(r"(?:[^\w*]|_)+", strip_marks(text)) if run]
    return [pattern for run in runs for pattern in ([fold(run)] if "*" in run else words_of(run))]


def _stands_in(row: Row, field: str, patterns: list[str]) -> bool:
    """Whether adjacent words match the patterns. `*` does not match a common English word of a
    doc."""
    words, last = row.words[field], len(row.words[field]) - len(patterns)

    def matches(pattern: str, word: str) -> bool:
        return (
            word == pattern
            if "*" not in pattern
            else wildcard(pattern, word) and word in row.found_by[field]
        )

    return bool(patterns) and any(
        all(map(matches, patterns, words[start:])) for start in range(last + 1)
    )


def _has_part(row: Row, field: str, text: str) -> bool:
    """Whether part of the container or the path matches a word by a strong tier, or the path
    contains a text with a slash."""
    if field == "path" and "/" in text:
        return fold(text) in fold(row.path)
    needle = Needle(text)
    parts = (
        row.container.split(".")
        if field == "container"
        else [*row.parts_of_path, row.path.rpartition("/")[2]]
    )
    return any(match_strong(needle, part, fold(part)) > 0 for part in parts)


def _chain(row: Row, qualifiers: Sequence[str], *, is_innermost: bool, may_be_path: bool) -> float:
    """Returns how well containers, or path and containers, match qualifiers in order; 0 if they do
    not.

    is_innermost: the last qualifier must match the symbol's own container, unless the qualifiers
    may be a path.
    """
    score = _in_order(row.parts_of_container, qualifiers, is_innermost)
    if not score and (row.parts_of_container or may_be_path or not is_innermost):
        score = _in_order(
            row.parts_of_path + row.parts_of_container, qualifiers, is_innermost and not may_be_path
        )
    return score


def _in_order(parts: list[str], qualifiers: Sequence[str], is_innermost: bool) -> float:
    """Returns the weakest match of the innermost matching parts, less a little for each part
    skipped between them."""
    position, first, matches = len(parts), None, []
    for qualifier in reversed(qualifiers):
        position -= 1
        while position >= 0 and not _part_score(qualifier, parts[position]):
            position -= 1
        if position < 0:
            return 0.0
        first = position if first is None else first
        matches.append(_part_score(qualifier, parts[position]))
    if is_innermost and first is not None and first < len(parts) - 1:
        return 0.0
    return min(matches) - 0.001 * min(len(parts) - position - len(matches), 9)


@cache
def _part_score(qualifier: str, part: str) -> float:
    if "*" in qualifier:
        return 0.9 if wildcard(fold(qualifier), fold(part)) else 0.0
    return match_strong(Needle(qualifier), part, fold(part))


def _name_length(row: Row) -> int:
    """Returns the number of words in a name, 0 for an odd name."""
    words = row.words["name"]
    return len(words) if row.name.isascii() and len(words) <= MOST_WORDS else 0


@cache
def _stored(row: Row) -> "dict[weights.Field, set[str]]":
    """Returns the words of the signature without the name, of the first line of the doc, and of the
    rest of the doc."""
    head, _, rest = row.doc.partition("\n")
    tokens = {*_tokens(row.signature)}
    tokens = tokens - {row.name} if row.name in tokens else tokens | {ODD_SIGNATURE}
    stored = {weights.Field.SIGNATURE: _divided(tokens)}
    for field, text in ((weights.Field.SUMMARY, head), (weights.Field.DOC, rest)):
        stored[field] = _divided(_tokens(text)) - STOP_WORDS
    return stored


def _tokens(text: str) -> list[str]:
    return re.findall(r"[a-zA-Z0-9_\x80-\U0010ffff]+", text)


def _divided(tokens: Iterable[str]) -> set[str]:
    return {word for token in tokens for word in words_of(token) or [token]}


def _text_length(row: Row) -> int:
    return min(sum(map(len, _stored(row).values())), 255)
