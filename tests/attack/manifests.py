"""Hostile manifests and lock files of every ecosystem.

Packages are listed within bounded time and memory, and a notice reports each limit.
"""

import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.attack.figures import Figures
from tests.support.command import run_program
from tests.support.files import write_files

SECONDS: Final = 40.0
"""Time limit of a listing, in seconds: the limit of all ecosystems is 30 s of wall time, checked
between files."""

MEMORY: Final = 500_000_000
"""Bytes by which the listing process may grow."""

_PROGRAM: Final = """
import json, resource, sys, time
from pathlib import Path
from symindex.packages.found.ecosystems import find_packages
first, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
found = find_packages(Path(sys.argv[1]) / "project", {"PATH": ""}, Path(sys.argv[1]) / "home")
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - first) * 1024
print(json.dumps([time.monotonic() - began, grown, len(found.packages), found.notices]))
"""

_POM: Final = "<project><artifactId>a</artifactId><properties>{}</properties><dependencies>{}</dependencies></project>"
_NEED: Final = "<dependency><groupId>g.x</groupId><artifactId>a{n}</artifactId><version>{version}</version></dependency>"


def _lines(line: str, n_bytes: int, place: int) -> str:
    """Repeats a line with numbers as often as it fits."""
    return "".join(
        line.replace("#", f"{place}x{number}") for number in range(n_bytes // (len(line) + 6))
    )


def _pom(chance: random.Random, place: int) -> str:
    size = chance.choice((1, 100, 500))
    if chance.random() < 0.5:
        return _POM.format(
            f"<p>{'x' * size}</p>",
            "".join(_NEED.format(n=n, version="${p}" * 120) for n in range(2_000)),
        )
    return _POM.format(
        _lines("<p#>${p}</p#>", 900_000, place),
        "".join(_NEED.format(n=f"{place}x{n}", version="1") for n in range(8_000)),
    )


_MAKERS: Final[dict[str, Callable[[random.Random, int], str]]] = {
    "pom.xml": _pom,
    "build.gradle": lambda _, place: (
        f"a = '{'x' * 190}'\n" + _lines(f"'g.x:a#:{'$a' * 90}'\n", 900_000, place)
    ),
    "gradle.lockfile": lambda _, place: _lines("g.x:a#:1=c\n", 3_000_000, place),
    "Cargo.lock": lambda _, place: _lines(
        '[[package]]\nname = "a#"\nversion = "1"\nsource = "x"\n', 3_000_000, place
    ),
    "Gemfile.lock": lambda _, place: "GEM\n" + _lines("    a# (1)\n", 3_000_000, place),
    "composer.lock": lambda chance, place: (
        '{"packages": ['
        + chance.choice(("{},", _lines('{"name": "a/b#"},', 20, place))) * 300_000
        + "{}]}"
    ),
    "package.json": lambda _, place: (
        '{"dependencies": {' + _lines('"a#": "1",', 900_000, place) + '"z": "1"}}'
    ),
    "go.mod": lambda _, place: "module a\nrequire (\n" + _lines("a# v1\n", 900_000, place) + ")\n",
    "requirements.txt": lambda _, place: _lines("a#\n", 900_000, place),
    "pyproject.toml": lambda chance, place: chance.choice(
        ("a=" + "[" * 100_000, _lines("[a#]\n", 250_000, place))
    ),
}


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of projects."""
    figures = Figures(count, Counter(), [])
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        name = chance.choice(sorted(_MAKERS))
        files = {
            f"project/m{place}/{name}": _MAKERS[name](chance, place)
            for place in range(chance.choice((1, 12, 30)))
        }
        where = f"project {number} of seed {seed}: {len(files)} x {name}"
        with tempfile.TemporaryDirectory(prefix="symindex-manifests") as top:
            write_files(Path(top), files)
            done = run_program([sys.executable, "-c", _PROGRAM, top], timeout=SECONDS * 3)
        if done.returncode:
            figures.faults.append(f"{where}: {done.stderr.strip().rpartition(chr(10))[2]}")
            continue
        seconds, grown, n_packages, notices = json.loads(done.stdout)
        figures.contained["said" if notices else "listed"] += 1
        if seconds > SECONDS or grown > MEMORY:
            figures.faults.append(f"{where}: {seconds:.1f} s, {grown:,} bytes")
        if n_packages >= 20_000 and not any("packages are listed" in notice for notice in notices):
            figures.faults.append(f"{where}: cut without a word")
        say(f"manifests: {number + 1:,} of {count:,}, {len(figures.faults)} faults")
    return figures
