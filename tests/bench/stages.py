"""Where the processor time of a cold index goes, stage by stage: in the workers and in the main
process.

    python -m tests.bench.stages FOLDER...

A whole `symindex index --rebuild` runs three times, and bare parsing of the same files after it;
the least counts. Then all files are read in one process with a timer around each stage; the table
shows its seconds, and microseconds per symbol. A timer counts only the stage itself, without the
stages inside it. Timed functions are called only a few times per file, so the timers cost little.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

import symindex
from symindex.extract import read, records, symbols
from symindex.extract.languages.registry import load_languages
from symindex.extract.parse import definitions, partial, query
from symindex.extract.parse.skipping import bodies, query_parts
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.access.beneath import Beneath
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.walk import MAX_FILE_BYTES
from symindex.index import build, intake
from symindex.index.store import Store
from symindex.text.decoding import decoder_of
from tests.bench.adapter import parsed_files
from tests.bench.process import run_command

STAGES: Final[list[tuple[str, Any, str]]] = [
    ("words of texts", records, "pack_tokens"),
    ("words of the file", read, "pack_mentions"),
    ("packing", read, "pack_rows"),
    ("documents", read, "_describe"),
    ("symbols", symbols, "_read_rows"),
    ("nesting", symbols, "nest_definitions"),
    ("free the trees", symbols, "parse_definitions"),
    ("captures", definitions._QueryRun, "collect"),
    ("definitions", definitions._QueryRun, "finish"),
    ("ranges, rows", definitions, "set_ranges"),
    ("query", query.CompiledQuery, "matches"),
    ("compile", query_parts.QueryParts, "__init__"),
    ("compile", definitions, "compile_query"),
    ("repairs", partial.PartialParser, "_apply_rules"),
    ("parser's text", definitions, "parser_text"),
    ("parse", partial.PartialParser, "parse_once"),
    ("bodies", bodies.Bodies, "find"),
    ("bodies", bodies.Suites, "find"),
    ("digest", read, "digest_of"),
    ("read, detect", read, "read_file"),
    ("main: take in", intake.Intake, "add"),
    ("main: words", build, "_word_columns"),
    ("main: words", intake.TokenCollector, "add"),
    ("main: names", build, "_columns_of_names"),
    ("main: rows", build, "_by_symbol"),
    ("main: mentions", build, "_mention_columns"),
    ("main: files", build, "_file_columns"),
    ("main: details", build, "pack_block"),
    ("main: rest of the build", build, "_join"),
    ("main: write", Store, "save_base"),
]
"""The stages and their functions."""


class Timers:
    """Processor seconds by stage. Each thread has its own stack."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._local = threading.local()

    def run(self, stage: str, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """Calls a function as a stage."""
        stack = self._local.__dict__.setdefault("stack", [])
        stack.append(0.0)
        began = time.thread_time()
        try:
            return function(*args, **named)
        finally:
            took = time.thread_time() - began
            self.seconds[stage] += took - stack.pop()
            if stack:
                stack[-1] += took

    def wrap(self, stage: str, owner: Any, name: str) -> None:
        """Puts a timer around a function of a module or a class."""
        function = getattr(owner, name)
        setattr(owner, name, lambda *args, **named: self.run(stage, function, *args, **named))


def read_in_stages(root: Path, paths: list[str]) -> tuple[dict[str, float], int]:
    """Returns the seconds of each stage, and the number of symbols."""
    timers = Timers()
    for stage, owner, name in STAGES:
        timers.wrap(stage, owner, name)
    languages = load_languages(check=False)
    encode, decode = msgspec.msgpack.Encoder().encode, decoder_of(FileSymbols).decode
    results = []
    gc.disable()  # as in a worker
    with Beneath(root) as tree:
        for path in paths:
            file = read.read_file(tree, ReadTask(path), languages, MAX_FILE_BYTES)
            results.append(timers.run("main: decode", decode, timers.run("encode", encode, file)))
    gc.enable()
    n_symbols = sum(result.symbols.count for result in results)
    with tempfile.TemporaryDirectory() as folder:
        index = build.build_index(intake.hand_over(results), salt=_RULES)
        Store(PrivateFolder(Path(folder) / "index"), _RULES).save_base(index)
    return dict(timers.seconds), n_symbols


_RULES: Final = b"0" * 16
_SPLIT: Final = """
import json, os, resource, sys
end, pid = os._exit, os.getpid()
def tell(code):
    if os.getpid() == pid:
        own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        print(json.dumps([use.ru_utime + use.ru_stime for use in (own, others)]), file=sys.stderr, flush=True)
    end(code)
os._exit = tell
from symindex.__main__ import main
main()
"""


def run_whole(root: Path, index_dir: str) -> tuple[float, float]:
    """Returns the seconds of the main process and of the workers, for a whole cold index."""
    command = [
        sys.executable,
        "-c",
        _SPLIT,
        "index",
        "--root",
        str(root),
        "--index-dir",
        index_dir,
        "--rebuild",
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    own, others = json.loads(done.stderr.splitlines()[-1])
    return own, others


def measure(root: Path, n_workers: int) -> dict[str, Any]:
    """Returns all figures of a tree."""
    with tempfile.TemporaryDirectory() as index_dir:
        whole = min((run_whole(root, index_dir) for _ in range(3)), key=sum)
        with symindex.open(root, index_dir) as workspace:
            workspace.load()
            rows = parsed_files(workspace)
            paths = [file.path for file, _ in workspace.source.indexed.snapshot.files_and_counts()]
        listed = Path(index_dir) / "files.tsv"
        listed.write_text("".join(f"{grammar}\t{file}\n" for grammar, file in rows))
        command = [sys.executable, "-m", "tests.bench.bare", listed, str(n_workers)]
        bare = min(run_command(command).cpu_seconds for _ in range(3))  # type: ignore[arg-type]
    n_bytes = sum(os.path.getsize(file) for _, file in rows)
    stages, n_symbols = read_in_stages(root, paths)
    return {
        "tree": root.name, "MB": n_bytes / 1e6, "symbols": n_symbols, "main": whole[0], "workers": whole[1], "bare": bare,
        "stages": stages,
    }  # fmt: skip


def tell(costs: dict[str, Any]) -> None:
    total = costs["main"] + costs["workers"]
    print(
        f"{costs['tree']}: {costs['MB']:.1f} MB, {costs['symbols']:,} symbols; {total:.2f} s = main {costs['main']:.2f} + "
        f"workers {costs['workers']:.2f}; bare {costs['bare']:.2f} s, {total / costs['bare']:.2f} times"
    )
    for stage in dict.fromkeys([*(stage for stage, _, _ in STAGES), *costs["stages"]]):
        seconds = costs["stages"].get(stage, 0.0)
        print(
            f"  {stage:26} {seconds:7.3f} s {seconds / max(costs['symbols'], 1) * 1e6:7.2f} µs/symbol"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count(), help="processes of bare parsing"
    )
    args = parser.parse_args()
    if len(args.folders) == 1:
        tell(measure(args.folders[0], args.workers))
        return
    for folder in args.folders:  # each in a separate process, because timers cannot be removed
        subprocess.run(
            [sys.executable, "-m", "tests.bench.stages", folder, "--workers", str(args.workers)],
            check=True,
        )


if __name__ == "__main__":
    main()
