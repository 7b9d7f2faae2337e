"""Installs judges from Debian, npm and PyPI with their ordinary clients, into the cache folder, and
starts them."""

import hashlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from tests.accuracy.compare import Row
from tests.accuracy.places import HERE, JUDGES, AccuracyError, cache
from tests.accuracy.table import Judge

JUDGE_SECONDS = 400
ALL = range(1 << 40)
"""All lines of a file, which the judge cannot read."""


def run(
    command: Sequence[str], folder: Path | None = None, **more: object
) -> subprocess.CompletedProcess[str]:
    """Runs a command. Raises AccuracyError with the last line that it wrote."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, **more
        )  # type: ignore[call-overload]
    except FileNotFoundError:
        raise AccuracyError(f"{command[0]} is not here") from None
    except subprocess.TimeoutExpired:
        raise AccuracyError(f"{command[0]}: no answer in {JUDGE_SECONDS} s") from None
    if done.returncode:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise AccuracyError(
            f"{' '.join(command)[:80]}: {lines[-1].strip() if lines else f'exit code {done.returncode}'}"
        )
    return done


def install(judge: Judge) -> dict[str, str]:
    """Installs what is missing, and returns the environment of the judge."""
    _install_debian(judge.debian)
    environment = {**os.environ, **judge.environment}
    if judge.npm:
        place = _place("npm", judge.npm)
        if not (place / "node_modules").exists():
            place.mkdir(parents=True, exist_ok=True)
            run(
                [
                    "npm",
                    "install",
                    "--silent",
                    "--no-save",
                    "--ignore-scripts",
                    "--prefix",
                    str(place),
                    *judge.npm,
                ],
                place,
            )
        environment["NODE_PATH"] = str(place / "node_modules")
    if judge.pypi:
        place = _place("pypi", judge.pypi)
        if not place.exists():
            part = place.with_name(place.name + ".part")
            run(
                [
                    sys.executable,
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--target",
                    str(part),
                    *judge.pypi,
                ]
            )
            part.rename(place)
        environment["PYTHONPATH"] = str(place)
    environment["TOOLS"] = str(place) if judge.npm or judge.pypi else ""
    return environment


def _place(source: str, packages: Sequence[str]) -> Path:
    digest = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:8]
    return cache() / "tools" / f"{source}-{digest}"


def _install_debian(packages: Sequence[str]) -> None:
    missing = [name for name in packages if not _has_debian(name)]
    if missing:
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing]
        try:
            run(command, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        except AccuracyError as error:
            raise AccuracyError(f"needs Debian's {' '.join(missing)} ({error})") from None


def _has_debian(package: str) -> bool:
    query = ["dpkg-query", "-W", "-f", "${Status}", package]
    try:
        return (
            "ok installed"
            in subprocess.run(query, capture_output=True, text=True, check=False).stdout
        )
    except FileNotFoundError:
        return False


def ask(
    language: str, judge: Judge, files: Sequence[Path]
) -> tuple[dict[str, list[Row]], dict[str, list[range]]]:
    """Returns the rows of each file, and the lines that the judge has not seen. Raises
    AccuracyError."""
    environment = install(judge)
    built = _build(judge, environment)
    words = {
        "{python}": sys.executable,
        "{judges}": str(JUDGES),
        "{tools}": environment["TOOLS"],
        "{built}": str(built),
    }
    command = [_fill(word, {**words, "{language}": language}) for word in judge.run]
    paths = "".join(f"{path}\n" for path in files)
    done = run(command, HERE, input=paths, env=environment, timeout=JUDGE_SECONDS)
    rows: dict[str, list[Row]] = defaultdict(list)
    unseen: dict[str, list[range]] = defaultdict(list)
    for line in filter(None, done.stdout.split("\n")):
        row = json.loads(line)
        if "error" in row:
            unseen[row["path"]].append(ALL)
        elif "skip" in row:
            unseen[row["path"]].append(range(row["skip"][0], row["skip"][1] + 1))
        elif row.get("name"):
            rows[row["path"]].append(
                Row(row["line"], row["name"], row.get("container"), row.get("kind"))
            )
    return rows, unseen


def _build(judge: Judge, environment: dict[str, str]) -> Path:
    """Builds a judge in a compiled language, once per version of its script; returns the folder."""
    if not judge.build:
        return cache()
    script = JUDGES / judge.build[0]
    text = script.read_bytes() + repr(judge.build).encode()
    built = cache() / "built" / f"{script.stem}-{hashlib.sha256(text).hexdigest()[:8]}"
    if not built.exists():
        part = built.with_name(built.name + ".part")
        part.mkdir(parents=True, exist_ok=True)
        words = {"{script}": str(script), "{built}": str(part), "{tools}": environment["TOOLS"]}
        run([_fill(word, words) for word in judge.build[1:]], part, env=environment)
        part.rename(built)
    return built


def _fill(word: str, words: dict[str, str]) -> str:
    for key, value in words.items():
        word = word.replace(key, value)
    return word
