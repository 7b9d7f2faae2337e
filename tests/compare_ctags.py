"""Compares what symindex and universal-ctags find in the same files, symbol by symbol.

    python -m tests.compare_ctags LANGUAGE FOLDER [--show 10] [--kind KIND] [--ctags-language NAME]

A symbol is a name on a line. The table counts, for each of ctags' kinds, what both found and what
only ctags found, and, for each of our kinds, what only we found; examples follow. Every difference
is either a fault to repair or a decision to record in `grammars/README.md`.
"""

import argparse
import json
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

from symindex.extract.languages.registry import load_languages
from symindex.extract.symbols import extract_symbols


def ctags_symbols(files: list[Path], ctags_language: str) -> dict[str, list[tuple[int, str, str]]]:
    """Returns (line, name, kind) of each symbol that universal-ctags finds, by file."""
    done = subprocess.run(
        [
            "ctags",
            f"--language-force={ctags_language}",
            "--output-format=json",
            "--fields=+nK",
            "-L",
            "-",
            "-f",
            "-",
        ],
        input="\n".join(map(str, files)),
        capture_output=True,
        text=True,
        check=True,
    )
    symbols: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for line in filter(
        None, done.stdout.split("\n")
    ):  # `splitlines` also splits at characters that end no line
        tag = json.loads(line)
        if tag["_type"] == "tag":
            symbols[tag["path"]].append((tag["line"], tag["name"], tag["kind"]))
    return symbols


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("language")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--ctags-language", help="ctags' name of the language, where it differs from ours"
    )
    parser.add_argument("--show", type=int, default=6, help="examples of each kind of difference")
    parser.add_argument("--kind", help="show only this kind of difference")
    args = parser.parse_args()
    languages = load_languages()
    language = languages.get(args.language)
    files = [
        path
        for path in sorted(args.folder.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and path.stat().st_size < 2_000_000
        and languages.by_content(path.name, path.read_bytes()) is language
    ]
    theirs = ctags_symbols(files, args.ctags_language or language.rules.name)
    both: Counter[str] = Counter()
    only_theirs: dict[str, list[str]] = defaultdict(list)
    only_ours: dict[str, list[str]] = defaultdict(list)
    for path in files:
        ours = [
            (s.name_row + 1, s.name, str(s.kind))
            for s in extract_symbols(language, path.read_bytes())[0]
        ]
        our_places = {(line, name) for line, name, _ in ours}
        their_places = {(line, name) for line, name, _ in theirs[str(path)]}
        for line, name, kind in theirs[str(path)]:
            if (line, name) in our_places:
                both[kind] += 1
            else:
                only_theirs[kind].append(f"{path}:{line} {name}")
        for line, name, kind in ours:
            if (line, name) not in their_places:
                only_ours[kind].append(f"{path}:{line} {name}")
    print(f"{len(files)} files\n{'ctags kind':24}{'both':>8}{'only ctags':>12}")
    for kind in sorted({*both, *only_theirs}):
        print(f"{kind:24}{both[kind]:>8}{len(only_theirs[kind]):>12}")
    print(f"{'our kind':24}{'only ours':>20}")
    for kind in sorted(only_ours):
        print(f"{kind:24}{len(only_ours[kind]):>20}")
    for title, differences in (("only ctags", only_theirs), ("only ours", only_ours)):
        for kind, places in sorted(differences.items()):
            if args.kind in (None, kind):
                step = max(1, len(places) // args.show)
                print(f"\n{title}: {kind}")
                print("\n".join(f"  {place}" for place in places[::step][: args.show]))


if __name__ == "__main__":
    main()
