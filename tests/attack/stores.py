"""Damaged and forged objects in the store of a fleet.

A small fleet is opened, with an empty cache and with a full one, after one of its objects was
flipped, cut, lengthened, deleted, exchanged with another or replaced by garbage; forged heads,
tables and generations have the digests that their names promise. Every row that is found, and every
text that is read, is that of the sound fleet; what is missing is said; no error is ours.
"""

import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import SymindexError
from symindex.fleet.fleet import open_fleet
from symindex.fleet.stored.generation import newest_generation
from tests.attack.figures import Figures
from tests.support.fleets import SmallFleet

SECONDS: Final = 20.0
"""Longest time for an opening and its questions, on a busy machine."""

NEWEST: Final = 3
"""The number of the newest generation: an index, a merge, an update."""

QUERIES: Final = ("f1", "f", "Thing", "guide to things", "f1 AND lang:python", "")

REPOSITORIES: Final = {
    f"owner/r{number}": {
        "a.py": f'class Thing{number}:\n    """A thing."""\n    def f{number}(self): ...\n' * 3,
        "docs/guide.md": f"# Guide {number}\n\nA guide to things.\n",
        "b.js": f"export function g{number}() {{ return f{number}() }}\n",
    }
    for number in range(4)
}


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of damaged stores."""
    chance = random.Random(seed)
    outcomes: Counter[str] = Counter()
    faults: list[str] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        sound = Path(folder, "sound")
        small = SmallFleet(sound, REPOSITORIES)
        small.names, late = small.names[:-1], small.names[-1:]
        small.work().index()
        small.work().merge(most_loose=0)
        small.names += late
        small.work().update()
        expected = _answers(Path(small.address), sound / "cache")
        texts = {
            f"{name}/{path}": text.encode()
            for name, files in REPOSITORIES.items()
            for path, text in files.items()
        }
        for number in range(count):
            hurt = Path(folder, f"store{number}")
            shutil.copytree(small.address, hurt)
            how = _damage(hurt, chance)
            cache = Path(folder, f"cache{number}")
            if chance.random() < 0.3:
                shutil.copytree(sound / "cache", cache)
            began = time.monotonic()
            try:
                outcome = _check(hurt, cache, expected, texts)
            except Exception as error:  # any other error is a fault of ours
                outcome = f"{type(error).__name__}: {error}"
            is_fault = outcome not in ("sound", "said", "refused")
            if time.monotonic() - began > SECONDS:
                outcome, is_fault = "slow", True
            if is_fault:
                faults.append(f"{how}: {outcome}")
                say(faults[-1])
            outcomes[outcome if not is_fault else "fault"] += 1
            shutil.rmtree(hurt, ignore_errors=True)
            shutil.rmtree(cache, ignore_errors=True)
    return Figures(count, outcomes, faults)


_Answers = dict[str, set[tuple[str, str, int]]]


def _answers(store: Path, cache: Path) -> _Answers:
    with open_fleet(str(store), cache) as fleet:
        return {
            query: {
                (item.file_path, item.name, item.line)
                for item in fleet.search(query, max_items=200).items
            }
            for query in QUERIES
        }


def _check(store: Path, cache: Path, expected: _Answers, texts: dict[str, bytes]) -> str:
    """Returns what became of a damaged store: `sound`, `said`, `refused`, or what is wrong."""
    try:
        fleet = open_fleet(str(store), cache)
    except SymindexError as error:
        return "refused" if "\n" not in str(error) else f"more than a line: {error}"
    is_said = False
    # Without its newest generation, a store is as it was before.
    is_older = fleet.source.opened.generation.number < NEWEST
    with fleet:
        for query in QUERIES:
            response = fleet.search(query, max_items=200)
            rows = {(item.file_path, item.name, item.line) for item in response.items}
            notices = response.notices or []
            told = any("not searched" in notice for notice in notices)
            is_said = is_said or told
            if query and rows - expected[query]:
                return f"{query!r} finds what is not there: {sorted(rows - expected[query])[:2]}"
            if query and expected[query] - rows and not (told or is_older):
                return f"{query!r} lacks rows in silence"
        for path, text in texts.items():
            try:
                data = fleet.source.texts.get(path)
            except OSError:
                is_said = True
                continue
            if data is not None and data != text:
                return f"{path}: another text"
            if data is None and not (is_said or is_older):
                return f"{path}: lost in silence"
    return "said" if is_said else "sound"


def _damage(store: Path, chance: random.Random) -> str:
    """Damages one object, and returns how."""
    files = sorted(path for path in store.rglob("*") if path.is_file())
    path = chance.choice(files)
    data = path.read_bytes()
    place = chance.randrange(len(data)) if data else 0
    name = path.relative_to(store).as_posix()
    how = chance.choice(
        ("flipped", "cut", "longer", "deleted", "exchanged", "garbage", "empty", "forged")
    )
    if how == "flipped":
        path.write_bytes(
            data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]
        )
    elif how == "cut":
        path.write_bytes(data[:place])
    elif how == "longer":
        path.write_bytes(data + chance.randbytes(chance.randrange(1, 5_000)))
    elif how == "deleted":
        path.unlink()
    elif how == "exchanged":
        path.write_bytes(chance.choice(files).read_bytes())
    elif how == "garbage":
        path.write_bytes(chance.randbytes(len(data)))
    elif how == "empty":
        path.write_bytes(b"")
    else:
        return _forge(store, chance)
    return f"{how} at {place:,}: {name}"


def _forge(store: Path, chance: random.Random) -> str:
    """Adds a generation with odd values: the newest one, changed in one place."""
    from symindex.fleet.stored.store import Store

    newest = newest_generation(Store(str(store)))
    plain = msgspec.to_builtins(newest)
    place, value = _change(plain, chance)
    number = newest.number + 1
    if isinstance(plain, dict):
        plain["number"] = number
    path = store / f"generations/{number:08}"
    path.write_bytes(msgspec.json.encode(plain))
    return f"forged: {place} = {value!r}"


_ODD: Final[tuple[object, ...]] = (
    None, "", "x", "../x", "repositories/../../etc/passwd", "generations/00000001", -1, 0, 2**63, 2**70, 1e400, [], {}, True,
    "owner/r0", "a" * 5_000, "\0", "shards/" + "0" * 32,
)  # fmt: skip


def _change(plain: object, chance: random.Random) -> tuple[str, object]:
    """Changes one value somewhere in a tree of builtins. Returns where, and the new value."""
    where: list[str] = []
    node = plain
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))  # type: ignore[arg-type]
        key = chance.choice(keys)
        where.append(str(key))
        child = node[key]  # type: ignore[index]
        if isinstance(child, dict | list) and child and chance.random() < 0.9:
            node = child
            continue
        value = chance.choice(_ODD)
        node[key] = value  # type: ignore[index]
        return ".".join(where), value
