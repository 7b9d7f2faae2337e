"""Shards: which repositories belong together, and when they are merged anew."""

import msgspec
import pytest

from symindex.fleet.building import shards as module
from symindex.fleet.building.shards import Group, find_merges, groups_of
from symindex.fleet.stored.generation import Built, Generation, RepositoryState, Shard


def _generation(sizes: dict[str, int], shards: list[Shard] | None = None) -> Generation:
    states = {
        name: RepositoryState(name=name, built=Built(object=f"{name}-1", symbols=size))
        for name, size in sizes.items()
    }
    return Generation(repositories=states, shards=shards or [])


def _shard_of(group: Group, **changed: str) -> Shard:
    return Shard(
        prefix=group.prefix,
        object=f"shard-{group.prefix}",
        n_bytes=1,
        symbols=1,
        members=group.members | changed,
    )


MANY = {f"owner/repository{number}": 10_000 for number in range(1_000)}


def test_each_repository_is_in_one_group() -> None:
    groups = groups_of(_generation(MANY))
    names = [name for group in groups for name in group.members]
    assert sorted(names) == sorted(MANY)
    assert all(len(group.members) * 10_000 <= module.SHARD_SYMBOLS for group in groups)
    assert len(groups) <= 32


def test_a_new_repository_changes_one_group() -> None:
    before = {group.prefix: group for group in groups_of(_generation(MANY))}
    after = {group.prefix: group for group in groups_of(_generation(MANY | {"new/one": 10}))}
    assert sum(before.get(prefix) != group for prefix, group in after.items()) == 1


def test_the_order_of_repositories_makes_no_difference() -> None:
    backwards = dict(reversed(MANY.items()))
    assert groups_of(_generation(MANY)) == groups_of(_generation(backwards))


def test_one_repository_may_be_larger_than_a_shard() -> None:
    sizes = {"large": 5 * module.SHARD_SYMBOLS, "small": 1}
    assert sorted(len(group.members) for group in groups_of(_generation(sizes))) == [1, 1]


def test_as_many_symbols_as_a_shard_may_have() -> None:
    half = module.SHARD_SYMBOLS // 2
    assert len(groups_of(_generation({"a": half, "b": half}))) == 1
    assert len(groups_of(_generation({"a": half, "b": half + 1}))) == 2


def test_a_division_stays_until_half_is_gone() -> None:
    half = module.SHARD_SYMBOLS // 2
    divided = [_shard_of(group) for group in groups_of(_generation({"a": half, "b": half + 1}))]
    assert len(groups_of(_generation({"a": half, "b": 1}, divided))) == 2
    assert len(groups_of(_generation({"a": half - 1, "b": 1}, divided))) == 1


def test_nothing_is_merged_up_to_the_limit() -> None:
    few = dict.fromkeys(map(str, range(module.MOST_LOOSE)), 10)
    assert find_merges(_generation(few)) == ([], [])
    kept, merges = find_merges(_generation(few | {"more": 10}))
    assert not kept
    assert [len(group.members) for group in merges] == [module.MOST_LOOSE + 1]


def test_a_shard_stays_while_few_have_changed() -> None:
    sizes = dict.fromkeys(map(str, range(100)), 10)
    (group,) = groups_of(_generation(sizes))
    for n_changed, n_merges in (0, 0), (module.MOST_LOOSE, 0), (module.MOST_LOOSE + 1, 1):
        changed = {str(number): f"{number}-0" for number in range(n_changed)}
        shard = _shard_of(group, **changed)
        kept, merges = find_merges(_generation(sizes, [shard]))
        assert (len(kept), len(merges)) == (1 - n_merges, n_merges), n_changed


def test_the_shard_with_most_changes_is_merged_first() -> None:
    groups = groups_of(_generation(MANY))
    shards = []
    for number, group in enumerate(groups):
        changed = list(group.members)[: 9 if number == 3 else 1]
        shards.append(_shard_of(group, **dict.fromkeys(changed, "old")))
    kept, merges = find_merges(_generation(MANY, shards))
    assert merges[0] == groups[3]
    loose = sum(
        _generation(MANY).repositories[name].built.object != object_  # type: ignore[union-attr]
        for shard in kept
        for name, object_ in shard.members.items()
    )
    assert loose <= module.MOST_LOOSE


def test_a_shard_that_is_mostly_of_the_past_is_merged() -> None:
    sizes = dict.fromkeys(map(str, range(20)), 10)
    (group,) = groups_of(_generation(sizes))
    for n_gone, n_merges in (20, 0), (21, 1):
        gone = {f"gone{number}": "x" for number in range(n_gone)}
        kept, merges = find_merges(_generation(sizes, [_shard_of(group, **gone)]))
        assert (len(kept), len(merges)) == (1 - n_merges, n_merges)


def test_an_empty_fleet_has_no_groups() -> None:
    assert groups_of(Generation()) == []
    assert find_merges(Generation()) == ([], [])


def test_what_is_not_served_is_in_no_group() -> None:
    generation = _generation({"a": 1})
    states = generation.repositories | {"b": RepositoryState(name="b")}
    (group,) = groups_of(msgspec.structs.replace(generation, repositories=states))
    assert list(group.members) == ["a"]


@pytest.mark.parametrize("limit", [0, 1])
def test_the_limit_may_be_chosen(limit: int) -> None:
    _, merges = find_merges(_generation({"a": 1}), most_loose=limit)
    assert len(merges) == 1 - limit
