"""Restores: processes write notes while their database and its log are damaged, and are killed.

Each round has up to six writers, some of them hooks, which never wait long; a process that locks
the database now and then; and random damage to the bytes, the header, the length or the whole file
of the database or its log. Afterwards, every acknowledged note is there once, and none is waiting.
"""

import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from symindex.recall.notes.notes import Notes
from tests.attack.figures import Figures

WRITER: Final = """
import json, sys, time
from pathlib import Path
from symindex.errors import SymindexError
from symindex.recall.notes.notes import Notes

name, folder, is_hook, count, closes = sys.argv[1], Path(sys.argv[2]), sys.argv[3] == "hook", int(sys.argv[4]), sys.argv[5]
notes = Notes(Path("/p"), folder)
print("begun", flush=True)
for number in range(count):
    text, begun = f"{name}-{number}", time.monotonic()
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": text}
    try:
        notes.record(json.dumps(event).encode(), "claude-code") if is_hook else notes.add(text)
    except SymindexError as error:
        print(f"error {time.monotonic() - begun:.3f} {error}", flush=True)
    else:
        print(f"kept {time.monotonic() - begun:.3f} {text}", flush=True)
    if closes == "closes":
        notes.close()
notes.close()
"""

MOST_WRITERS: Final = 6
NOTES: Final = 12
"""Number of notes of a writer."""

HOOK_SECONDS: Final = 3.0
"""Time limit of a hook for a note, in seconds: two seconds of waiting, and its work on a busy
machine."""

LOCK_SECONDS: Final = 2.0
END_SECONDS: Final = 120.0


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of rounds."""
    figures = Figures(count, Counter(), [])
    with tempfile.TemporaryDirectory(prefix="symindex-restores") as top:
        kept: set[str] = set()
        for number in range(count):
            if number % 8 == 0:
                kept = set()
            chance, before = random.Random(f"{seed} {number}"), len(figures.faults)
            folder = Path(top) / f"notes{number // 8}"
            _round(folder, f"r{number}", chance, kept, figures)
            figures.faults.extend(
                f"round {number}: {fault}" for fault in lost_or_doubled(folder, kept)
            )
            for fault in figures.faults[before:]:
                say(f"restores: {fault}")
        say(f"restores: {count} rounds, {len(figures.faults)} faults")
    return figures


def start_writer(
    name: str, folder: Path, kind: str = "add", count: int = NOTES, closes: str = ""
) -> "subprocess.Popen[bytes]":
    """Starts a process that stores notes and prints each stored one, without buffering."""
    command = [sys.executable, "-c", WRITER, name, str(folder), kind, str(count), closes]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)


def _round(
    folder: Path, name: str, chance: random.Random, kept: set[str], figures: Figures
) -> None:
    if not folder.exists():  # a database without a backup cannot be restored
        with Notes(Path("/p"), folder) as notes:
            kept.add(notes.add(f"{name}-first").text)
    kinds = [chance.choice(["add", "add", "hook"]) for _ in range(chance.randint(2, MOST_WRITERS))]
    writers = [
        start_writer(f"{name}-{number}", folder, kind, closes=chance.choice(["closes", ""]))
        for number, kind in enumerate(kinds)
    ]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
    killed = chance.sample(range(len(writers)), k=chance.randint(0, 2))
    for step in range(chance.randint(1, 4)):
        time.sleep(chance.random() ** 2 * 0.5)
        if chance.random() < 0.2:
            _lock(folder, chance.random() * LOCK_SECONDS)
            figures.contained["locked"] += 1
        else:
            figures.contained[damage(folder, chance)] += 1
        if step < len(killed):
            writers[killed[step]].send_signal(signal.SIGKILL)
            figures.contained["killed"] += 1
    for number, (writer, kind) in enumerate(zip(writers, kinds, strict=True)):
        try:
            output = writer.communicate(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            figures.faults.append(f"{name}: a writer does not end")
            writer.kill()
            output = writer.communicate()
        said, errors = (part.decode() for part in output)
        if "Traceback" in errors or (writer.returncode and number not in killed):
            figures.faults.append(f"{name}: a writer has ended: {errors.strip()[-500:]}")
        for word, seconds, text in (
            line.split(" ", 2) for line in said.splitlines() if line.count(" ") >= 2
        ):
            if kind == "hook" and float(seconds) > HOOK_SECONDS:
                figures.faults.append(f"{name}: a hook has waited {seconds} s")
            if word == "kept":
                kept.add(text)
            else:
                figures.contained["refused"] += 1


def damage(folder: Path, chance: random.Random) -> str:
    """Damages the database or its log, and returns how."""
    path = folder / chance.choice(["notes.db", "notes.db", "notes.db-wal"])
    kind = chance.choice(["header", "bytes", "page", "cut", "emptied", "garbage", "deleted"])
    with suppress(FileNotFoundError):
        size = path.stat().st_size
        if kind == "deleted":
            path.unlink()
            return f"{path.suffix} {kind}"
        with path.open("r+b") as file:
            if kind == "header":
                file.write(chance.randbytes(100))
            elif kind in ("bytes", "page"):
                length = 4_096 if kind == "page" else chance.randint(1, 50)
                file.seek(chance.randrange(max(size, 1)) // length * length)
                file.write(chance.randbytes(length))
            elif kind == "garbage":
                file.write(chance.randbytes(size))
            else:
                file.truncate(chance.randrange(max(size, 1)) if kind == "cut" else 0)
    return f"{path.suffix} {kind}"


def _lock(folder: Path, seconds: float) -> None:
    """Holds the writers' lock for a while."""
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"file:{folder / 'notes.db'}?mode=rw", uri=True)) as connection,
    ):
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)
        connection.rollback()


def lost_or_doubled(folder: Path, kept: set[str]) -> list[str]:
    """Returns the faults in the notes of a damaged folder, a line each."""
    with Notes(Path("/p"), folder) as notes:
        try:
            texts = Counter(note.text for note in notes.export())
        except Exception as error:
            return [f"cannot be exported: {type(error).__name__}: {error}"]
        waiting = [notice for notice in notes.take_notices() if " wait in " in notice]
    lost, doubled = (
        sorted(kept - texts.keys()),
        sorted(text for text, times in texts.items() if times > 1),
    )
    faults = [f"{len(lost)} lost: {', '.join(lost[:5])}"] if lost else []
    faults += [f"{len(doubled)} doubled: {', '.join(doubled[:5])}"] if doubled else []
    return faults + waiting
