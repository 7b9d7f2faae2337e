"""The words of sections and items against a plain count: which sections contain and repeat a word,
how long they are, and that an older index hands them on unchanged."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols
from symindex.extract.word_lists import MOST_REPEATS
from symindex.index.build import build_index
from symindex.index.columns.columns import Index
from symindex.index.words import build_words
from symindex.index.words.text_words import Field, pack_lengths, read_lengths
from symindex.recall.chunk_index.tree_index import tree_chunks
from symindex.text.words import ASKING_WORDS, divide, tokens_of
from tests.support.rows import without_stamps

LANGUAGES = load_languages()

TEXTS = st.lists(
    st.sampled_from(
        ["zebra", "Zebra", "zoo", "max_age", "maxAge", "a/b.py", "--all", "while", "what", "é"]
    ),
    max_size=12,
).map(" ".join)
"""Texts with identifiers of several words, words of programs, and words that only ask."""

DOCUMENTS = st.lists(st.lists(TEXTS, min_size=1, max_size=3), min_size=1, max_size=3)


def read(documents: list[list[str]], first: int = 0) -> list[FileSymbols]:
    """Returns documents with a section for each text."""
    files = []
    for number, texts in enumerate(documents, first):
        text = "".join(f"# Title\n\n{text}\n\n" for text in texts)
        files.append(read_bytes(FileSymbols(f"g{number}.md", 1, 1), text.encode(), LANGUAGES))
    return files


def prose(index: Index) -> Index:
    assert index.documents is not None
    return index.documents


def counted(text: str) -> Counter[str]:
    """Counts the words of a text: an identifier as a whole, and each of its words once."""
    words: Counter[str] = Counter()
    for token, count in Counter(tokens_of(text)).items():
        divided = divide(token)
        for word in {*divided.words, divided.whole, ""} - ASKING_WORDS - {""}:
            words[word] += min(count, MOST_REPEATS)
    return words


def in_sections(documents: list[list[str]]) -> list[Counter[str]]:
    """Returns the words of each text, document by document, after those of the document itself,
    which are not counted."""
    rows = []
    for texts in documents:
        counts = [*map(counted, texts)]
        rows += [Counter({word for count in counts for word in (*count, "title")}), *counts]
    return rows


def first_rows(documents: list[list[str]]) -> set[int]:
    """Returns the rows of the documents themselves."""
    return {*np.cumsum([0, *(1 + len(texts) for texts in documents)]).tolist()}


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS)
def test_lists_contain_the_sections_with_a_word_and_those_that_repeat_it(
    documents: list[list[str]],
) -> None:
    index = prose(build_index(read(documents)))
    expected = in_sections(documents)
    assert index.n_symbols == len(expected)
    wholes = first_rows(documents)
    for field, least in ((Field.DOC, 1), (Field.REPEATED, 2), (Field.OFTEN, 4)):
        words, places = index.text_words.all_in(field)
        found = {
            (index.text_words.texts[word], place)
            for word, place in zip(words.tolist(), places.tolist(), strict=True)
            if least == 1 or place not in wholes
        }
        assert found == {
            (word, place)
            for place, counts in enumerate(expected)
            for word, count in counts.items()
            if count >= least and (least == 1 or place not in wholes)
        }, field
    known = {0: 0, 1: 1, 2: 2, 3: 2}  # what the lists tell
    lengths = read_lengths(index.u8("content_lengths")).tolist()
    for place, counts in enumerate(expected):
        size = sum(known.get(count, 4) for count in counts.values())
        assert place in wholes or lengths[place] == pytest.approx(size, rel=0.03, abs=0.01)


@settings(max_examples=20, deadline=None)
@given(DOCUMENTS, DOCUMENTS)
def test_an_older_index_hands_its_words_on(old: list[list[str]], new: list[list[str]]) -> None:
    whole = build_index([*read(old), *read(new, len(old))])
    older = build_index(read(old))
    every = np.arange(older.n_files)
    joined = build_index(read(new, len(old)), [(older, every)])
    assert without_stamps(joined.columns) == without_stamps(whole.columns)
    assert without_stamps(build_index([], [(older, every)]).columns) == without_stamps(
        older.columns
    )


def test_words_are_counted_across_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [["zebra zebra zoo", "zoo max_age zoo zoo zoo"], ["zebra max_age max_age"]]
    expected = without_stamps(build_index(read(documents)).columns)
    monkeypatch.setattr(build_words, "_MOST_KEYS", 1)
    assert without_stamps(build_index(read(documents)).columns) == expected


def test_lengths_of_texts_are_stored_within_three_per_cent() -> None:
    lengths = np.array([0, 1, 2, 10, 1_000, 60_000, 62_000, 70_000])
    read_again = read_lengths(np.frombuffer(pack_lengths(lengths), dtype=np.uint8))
    assert read_again[:7] == pytest.approx(lengths[:7], rel=0.03)
    assert read_again[7] == pytest.approx(62_500, rel=0.01)  # the largest


def test_counts_of_a_word_in_a_section() -> None:
    """A heading counts in title and text, the headings above it in the title."""
    text = "# Zebra\n\nzoo\n\n## Lion\n\nzebra zoo zoo\n\n## Ant\n\nzoo zoo zoo zoo ant\n"
    file = read_bytes(FileSymbols("a.md", 1, 1), text.encode(), LANGUAGES)
    chunks = tree_chunks(prose(build_index([file])), 5)
    assert chunks.ids.tolist() == [5, 6, 7, 8]  # the first is the document

    def counts(word: str) -> dict[int, tuple[float, float]]:
        number = chunks.words.find(word)
        assert number is not None
        counts = {place: (0.0, 0.0) for place in range(1, len(chunks))}
        for found in chunks.find([number]):
            assert not found.word.any()
            for place in found.chunk.tolist():
                if place in counts:
                    title, content = counts[place]
                    more = float(found.in_title), float(found.in_content)  # one for all chunks
                    counts[place] = title + more[0], round(content + more[1], 1)
        return counts

    assert counts("zebra") == {1: (1, 1), 2: (1, 1), 3: (1, 0)}
    assert counts("zoo") == {1: (0, 1), 2: (0, 2.4), 3: (0, 6)}
    assert counts("ant") == {1: (0, 0), 2: (0, 0), 3: (1, 2)}
    assert chunks.title_lengths.tolist()[1:] == [1, 2, 2]
    both = [chunks.words.find(word) for word in ("ant", "lion")]
    pairs = {
        pair
        for found in chunks.find([number for number in both if number is not None])
        for pair in zip(found.word.tolist(), found.chunk.tolist(), strict=True)
    }
    assert {pair for pair in pairs if pair[1]} == {(0, 3), (1, 2)}
