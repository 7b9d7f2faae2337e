"""Links of a Ruby project, from the calls that `truth_ruby.rb` saw while its tests ran.

A command: `python -m tests.bench.truth_ruby ROOT ROWS --into LINKS`. A call is known by its line: it
counts where its name is on that line, or one of the next three, just once, and other places of the
line are not known. Calls that did not run are not known either.
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from tests.bench.truth_links import Heir, Link, Links

KINDS: Final = ("method", "function", "module", "class")


class Lines:
    """The lines of the files of a tree."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._known = dict[str, list[str]]()

    def at(self, path: str, line: int) -> str:
        if path not in self._known:
            file = self.root / path
            text = file.read_text("utf-8", "replace") if file.is_file() else ""
            self._known[path] = ["", *text.split("\n")]
        lines = self._known[path]
        return lines[line] if 0 < line < len(lines) else ""


def links_of(lines: Lines, calls: list[list[Any]]) -> Iterator[Link]:
    """Yields the links of calls whose place is clear."""
    targets = defaultdict[tuple[str, int, str], list[list[Any]]](list)
    for call in calls:
        targets[call[0], call[1], call[2]].append(call)
    for (path, line, name), rows in targets.items():
        if (place := _place(lines, path, line, name)) is None:
            continue
        for _, _, _, to_path, to_line, is_own_name, above in rows:
            is_written = re.search(rf"\bdef\b.*{re.escape(name)}", lines.at(to_path, to_line))
            is_exact = not to_path or bool(is_own_name and is_written)
            yield Link(path, *place, to_path, to_line, to_line, is_exact)
            for above_path, above_line in above:
                yield Link(path, *place, above_path, above_line, above_line, False)


def _place(lines: Lines, path: str, line: int, name: str) -> tuple[int, int] | None:
    ending = "" if name[-1:] in "?!=" else r"(?![\w?!])"
    word = re.compile(rf"(?<![\w@$:]){re.escape(name.removesuffix('='))}{ending}(?!:\s)")
    for number in range(line, line + 4):
        found = [match.start() for match in word.finditer(lines.at(path, number))]
        if len(found) == 1:
            return number, found[0] + 1
        if found:
            return None
    return None


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.truth_ruby", description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("rows", type=Path, help="what `truth_ruby.rb` wrote")
    parser.add_argument("--into", type=Path, required=True, help="the file of links")
    options = parser.parse_args(words)
    root = options.root.resolve()
    rows = json.loads(options.rows.read_text("utf-8"))
    heirs = [
        Heir(path, line, line, base_path, base_line, base_line)
        for path, line, base_path, base_line in rows["heirs"]
    ]
    known = Links(
        str(root),
        [*KINDS],
        list(links_of(Lines(root), rows["calls"])),
        heirs,
        has_parts=True,
        leads_to_symbols=True,
        are_apart=True,
    )
    options.into.write_bytes(msgspec.json.encode(known))
    print(f"{root.name}: {len(known.links)} links, {len(known.heirs)} heirs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
