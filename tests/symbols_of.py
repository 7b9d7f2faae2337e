"""Prints every symbol of every file of some folders with all its fields, one file a line: what an
optimisation must not change.

    python -m tests.symbols_of FOLDER... > before      # in the tree before the change
    python -m tests.symbols_of FOLDER... > after       # in the tree after it
    cmp before after

Each file is read in the language that symindex detects. Files above the size limit are left out.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from symindex.extract.languages.registry import load_languages
from symindex.extract.symbols import extract_rows
from symindex.extract.texts.file_text import to_utf8

MOST_BYTES = 2_000_000


def symbols_of(folder: Path, only: list[str]) -> Iterator[bytes]:
    """Yields a line of JSON for each file: its path, its language, whether it has errors, its
    symbols."""
    languages = load_languages(check=False)
    for path in sorted(
        path for path in folder.rglob("*") if path.is_file() and path.stat().st_size < MOST_BYTES
    ):
        data = to_utf8(path.read_bytes())[0]
        language = languages.by_content(path.name, data)
        if language is not None and (not only or language.id in only):
            rows, (has_error, *_), _ = extract_rows(language, data)
            yield msgspec.json.encode([str(path.relative_to(folder)), language.id, has_error, rows])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--only", nargs="*", default=[], help="ids of languages")
    args = parser.parse_args()
    for folder in args.folders:
        for line in symbols_of(folder, args.only):
            sys.stdout.buffer.write(line + b"\n")


if __name__ == "__main__":
    main()
