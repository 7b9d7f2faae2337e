"""Links of an Elixir project, from the events of its compilation, which `truth_elixir.exs` writes.

A command: `python -m tests.bench.truth_elixir ROOT FILE... --into LINKS`. The files are below the
folder ROOT; files of tests count too. Debian's `elixir` must be installed.
"""

import argparse
import ast
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from tests.bench.truth_links import Heir, Link, Links

KINDS: Final = ("function", "macro", "module", "class", "interface", "trait", "struct", "method")
_TRACER: Final = Path(__file__).with_suffix(".exs")
_BEFORE: Final = re.compile(r"[&\s]*(?:[A-Z@_]\w*(?:\.\w+)*)?\s*\.?\s*")
"""What may be between the place of a call and its name."""

_VARIABLE: Final = re.compile(r"(?:^\s*|[({,]\s*)([a-z_]\w*)(?=\s+=\s|\.\()")
_ALIAS: Final = re.compile(r"[A-Z]\w*(?:\.[A-Z]\w*)*")


class Project:
    """The modules of a project and their functions, by the lines that define them."""

    def __init__(self, root: Path, rows: list[list[Any]]) -> None:
        self.root, self.rows = root, rows
        self.modules = dict[str, tuple[str, int]]()
        self.functions = dict[tuple[str, str, int], tuple[str, int]]()
        for row in rows:
            if row[0] == "define":
                _, path, line, module, definitions, _ = row
                self.modules[module] = path, line
                for name, arity, _, at, written_in in definitions:
                    known = (path, at) if not written_in else ("", 0)
                    self.functions[module, name, arity] = known
        self._lines = dict[str, list[str]]()

    def lines(self, path: str) -> list[str]:
        """Returns the lines of a file, of which the first has number 0."""
        if path not in self._lines:
            file = self.root / path
            text = file.read_text("utf-8") if file.is_file() else ""
            self._lines[path] = ["", *text.split("\n")]
        return self._lines[path]

    def links(self) -> Iterator[Link]:
        """Yields the links of calls and of names of modules whose places can be found."""
        for row in self.rows:
            if row[0] == "call":
                _, path, line, column, module, name, arity, _ = row
                found = self._find(path, line, column, name)
                if found is not None:
                    target = self.functions.get((module, name, arity))
                    yield self._link((path, line, found), target, module in self.modules, name)
            elif row[0] == "module":
                _, path, line, column, module, _ = row
                last = module.rpartition(".")[2]
                for at in self._find_module(path, line, column, last):
                    yield self._link((path, *at), self.modules.get(module), False, last)
        for path in {row[1] for row in self.rows if row[0] == "define"}:
            yield from self._variables(path)

    def _variables(self, path: str) -> Iterator[Link]:
        """Yields links that lead nowhere: of variables that get a value or are called."""
        for line, text in enumerate(self.lines(path)):
            for found in _VARIABLE.finditer(text):
                yield Link(path, line, found.start(1) + 1, "", 0, 0)

    def _link(
        self, place: tuple[str, int, int], target: tuple[str, int] | None, is_ours: bool, name: str
    ) -> Link:
        """Returns a link; what the project's macros define is at no line, and not exact."""
        path, line = target or ("", 0)
        is_written = not path or re.search(rf"\b{re.escape(name)}", self._line(path, line))
        is_exact = bool(path and is_written) or (not is_ours and target is None)
        return Link(*place, path, line, line, is_exact)

    def _line(self, path: str, line: int) -> str:
        lines = self.lines(path)
        return lines[line] if 0 < line < len(lines) else ""

    def _find(self, path: str, line: int, column: int, name: str) -> int | None:
        """Returns the column of a called name at or after a place."""
        text = self._line(path, line)
        word = re.compile(rf"(?<![\w@:]){re.escape(name)}(?![\w?!]|:\s)")
        at = word.search(text, max(0, column - 1)) if column else None
        if at is None or not _BEFORE.fullmatch(text[column - 1 : at.start()]):
            return None
        return at.start() + 1

    def _find_module(
        self, path: str, line: int, column: int, last: str
    ) -> Iterator[tuple[int, int]]:
        """Yields the place of the last part of a module's name at a place, or in the braces of the
        `alias` there."""
        text = self._line(path, line)
        if not column:
            return
        if (alias := _ALIAS.match(text, column - 1)) is not None:
            if alias[0].rpartition(".")[2] == last:
                yield line, alias.end() - len(last) + 1
            return
        if text[column - 1 :].startswith(("alias ", "import ", "require ", "use ")):
            for number in range(line, line + 12):
                text = self._line(path, number)
                if number > line and text.strip().startswith(("alias ", "import ", "def")):
                    return
                found = re.search(rf"\b{re.escape(last)}\b(?!\.)", text)
                if found is not None:
                    yield number, found.start() + 1
                    return
                if "}" in text or ("{" not in text and number == line):
                    return

    def heirs(self) -> Iterator[Heir]:
        """Yields the modules with behaviours, protocols and modules that they use."""
        found = set[tuple[str, str]]()
        for row in self.rows:
            if row[0] == "define":
                found |= {(row[3], base) for base in row[5]}
            elif row[0] == "call" and self._line(row[1], row[2]).lstrip().startswith("use "):
                found |= {(row[7], row[4])} if row[5] == "__using__" else set()
        for heir, base in sorted(found):
            if heir in self.modules and base in self.modules and heir != base:
                path, line = self.modules[heir]
                base_path, base_line = self.modules[base]
                yield Heir(path, line, line, base_path, base_line, base_line)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.truth_elixir", description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("files", nargs="+", help="files to compile")
    parser.add_argument("--into", type=Path, required=True, help="the file of links")
    options = parser.parse_args(words)
    root = options.root.resolve()
    with tempfile.NamedTemporaryFile("r") as rows:
        command = ["elixir", str(_TRACER), str(root), rows.name, *options.files]
        subprocess.run(command, cwd=root, check=True)
        project = Project(root, [ast.literal_eval(line) for line in rows.read().splitlines()])
    known = Links(
        str(root), [*KINDS], list(project.links()), list(project.heirs()), leads_to_symbols=True
    )
    options.into.write_bytes(msgspec.json.encode(known))
    print(f"{root.name}: {len(known.links)} links, {len(known.heirs)} heirs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
