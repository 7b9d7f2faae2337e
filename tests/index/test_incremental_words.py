"""The words and the use of names in an index with overlays equal those of an index built from
scratch, after any edits."""

import random
from pathlib import Path

import numpy as np
import pytest

from symindex.index import overlay
from symindex.index.snapshot import Part, Snapshot
from symindex.index.words.text_words import Field
from symindex.search.names.usage import usage
from symindex.search.words.bm25f import count_live, mean_lengths
from symindex.search.words.meaning import Meaning
from symindex.search.words.occurrences import ANY, Counter, find_word
from symindex.workspace.workspace import Workspace
from tests.search.random_queries import TreeEditor, write_tree


def ids_by_place(part: Part) -> list[str]:
    return [part.index.symbol_id(row) for row in part.index.row_at.tolist()]


def live_places(part: Part) -> list[bool]:
    return part.hidden.live[part.index.row_at].tolist()


def postings(snapshot: Snapshot) -> set[tuple[str, str, str]]:
    """Returns each word with its field and its owner: a symbol, a container, a folder or a live
    file."""
    triples = set()  # type: ignore[var-annotated]
    for part in snapshot.parts:
        index, ids, places = part.index, ids_by_place(part), live_places(part)
        files = part.live_files()
        rows = np.flatnonzero(part.hidden.live)
        containers = set(index.container_of(rows).tolist())
        folders = set(index.folder_of[files].tolist())
        field_owners = {
            Field.CONTAINER: {number: index.containers[number] for number in containers},
            Field.FOLDER: {number: index.folders[number] for number in folders},
            Field.BASE: {number: index.paths[number] for number in files},
        }
        texts = {place: symbol_id for place, symbol_id in enumerate(ids) if places[place]}
        for field in Field:
            owners = field_owners.get(field, texts)
            words, held = index.text_words.all_in(field)
            pairs = zip(words.tolist(), held.tolist(), strict=True)
            triples.update(
                (index.text_words.texts[word], field.name, owners[number])
                for word, number in pairs
                if number in owners
            )
    return triples


def lengths(snapshot: Snapshot) -> dict[str, int]:
    """Returns the number of words in the signature and doc of each symbol, by its id."""
    counts = {}
    for part in snapshot.parts:
        rows = zip(
            ids_by_place(part),
            part.index.u8("text_lengths").tolist(),
            live_places(part),
            strict=True,
        )
        counts.update({symbol_id: length for symbol_id, length, is_live in rows if is_live})
    return counts


def mentions(snapshot: Snapshot) -> dict[int, int]:
    """Returns the number of live files that mention each name, by the name's hash."""
    counts: dict[int, int] = {}
    for part in snapshot.parts:
        seen = part.index.mentions
        assert seen.count(seen.hashes, part.live).tolist() == seen.counts(part.live).tolist()
        for number, count in zip(
            seen.hashes.tolist(), seen.counts(part.live).tolist(), strict=True
        ):
            counts[number] = counts.get(number, 0) + count
    return {number: count for number, count in counts.items() if count}


def used(snapshot: Snapshot, names: list[str]) -> list[float]:
    numbers = [{name: part.index.find_name(name) for name in names} for part in snapshot.parts]
    known_numbers = [
        {name: number for name, number in of_part.items() if number is not None}
        for of_part in numbers
    ]
    return usage(snapshot.parts, names, known_numbers).tolist()


def frequencies(snapshot: Snapshot, words: list[str]) -> list[tuple[int, float]]:
    """Returns the number of symbols that contain each word, and the number for all words
    together."""
    pairs = []
    of_all = mean_lengths(snapshot.parts)
    counters = [Counter(part.index, of_all) for part in snapshot.parts]
    for word in words:
        where = [find_word(counter, Meaning.of(word), ANY) for counter in counters]
        counts = [
            count
            for part, one in zip(snapshot.parts, where, strict=True)
            for count, is_live in zip(
                one.counts.tolist(),
                part.hidden.live[part.index.row_at[one.places]].tolist(),
                strict=True,
            )
            if is_live
        ]
        frequency = sum(map(count_live, snapshot.parts, where))
        assert frequency == len(counts)
        pairs.append((frequency, sum(sorted(counts))))
    return pairs


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_words_and_use_are_those_of_an_index_built_at_once(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    monkeypatch.setattr(overlay, "FEW_SYMBOLS", chance.choice([40, 10**9]))
    monkeypatch.setattr(overlay, "MOST_OVERLAYS", chance.choice([2, 8]))
    root = write_tree(tmp_path / "tree", share=0.03)
    editor, most = TreeEditor(root, chance), 0
    with Workspace(root, tmp_path / "index") as workspace:
        workspace.refresh()
        for step in range(6):
            for _ in range(chance.choice([1, 3, 8])):
                editor.edit()
            workspace.refresh()
            with Workspace(root, tmp_path / f"full{step}") as full:
                full.refresh()
                one, other = workspace.source.indexed.snapshot, full.source.indexed.snapshot
                most = max(most, len(one.parts))
                assert postings(one) == postings(other)
                assert lengths(one) == lengths(other)
                assert mean_lengths(one.parts) == mean_lengths(other.parts)
                assert mentions(one) == mentions(other)
                names = sorted(
                    {name for part in (*one.parts, *other.parts) for name in part.index.names.all}
                )
                assert used(one, names) == used(other, names)
                words = sorted(
                    {
                        word
                        for part in one.parts
                        for word in part.index.text_words.texts
                        if word.isalnum()
                    }
                )
                some = chance.sample(words, min(len(words), 60))
                assert frequencies(one, some) == frequencies(other, some)
    assert most > 1
