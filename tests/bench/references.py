"""References compared with language servers: for random symbols, which places we list and which a
server lists.

Ours go by names, narrowed by a symbol's id; a server's go by types. The server's places count as
the truth, within the files that both have.

Also a command, which fetches the packages: python -m tests.bench.references
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import numpy as np

import symindex
from symindex.protocol.explore import ROLES, ReferencesRequest
from symindex.protocol.kinds import SymbolFlag
from symindex.resolve.tree import indexed_files, rows_of
from symindex.workspace.workspace import Workspace
from tests.bench.fetch import fetch_package
from tests.bench.lsp_client import Client
from tests.bench.lsp_servers import environment_of
from tests.bench.lsp_trees import Tree
from tests.bench.packages import read_packages
from tests.bench.places import Bench, BenchError, default_folder, say
from tests.bench.truth_data import Place
from tests.bench.truth_servers import command_of, places_of, wait_ready
from tests.bench.unpack import unpack_package

SEED: Final = 19
SECONDS: Final = 120.0
"""Time limit of a server's answer."""

_LEFT_OUT: Final = SymbolFlag.LOCAL | SymbolFlag.TEST | SymbolFlag.DECLARATION
_KINDS: Final = (
    "function",
    "method",
    "class",
    "struct",
    "interface",
    "enum",
    "type",
    "constant",
    "variable",
    "field",
    "property",
)


class Language(NamedTuple):
    """A language and its package. package: of the corpus. folder: the part that counts; the rest is
    only there for the server. suffixes: of the files whose symbols are drawn. id: the editors' id
    of the language."""

    package: str
    folder: str
    suffixes: tuple[str, ...]
    id: str
    server: str


LANGUAGES: Final = {
    "Python": Language("django", "", (".py",), "python", "basedpyright"),
    "C": Language("redis", "redis-7.0.15/src/", (".c",), "c", "clangd"),
    "Go": Language("", "", (".go",), "go", "gopls"),
    "TypeScript": Language("rxjs", "", (".ts",), "typescript", "typescript-language-server"),
}


@dataclass
class Tally:
    """Counts places by role. both: listed by both; ours: only by us; theirs: only by the server.
    sure, sure_ours: the places of `both` and `ours` that we are sure of. wrong: places that we are
    sure of and the server does not list, and places that only the server lists."""

    both: Counter[str] = field(default_factory=Counter)
    ours: Counter[str] = field(default_factory=Counter)
    theirs: Counter[str] = field(default_factory=Counter)
    sure: Counter[str] = field(default_factory=Counter)
    sure_ours: Counter[str] = field(default_factory=Counter)
    n_symbols: int = 0
    wrong: list[str] = field(default_factory=list)

    def row(self, role: str) -> str:
        """Returns a row of the table: the precision of all places, and of those that are not marked
        unsure; the recall of all, and of those."""

        def count(some: Counter[str]) -> int:
            return some.total() if role == "all" else some[role]

        both, ours, theirs = count(self.both), count(self.ours), count(self.theirs)
        sure, sure_ours = count(self.sure), count(self.sure_ours)
        shares = " | ".join(
            (
                _share(both, ours),
                _share(sure, sure_ours),
                _share(both, theirs),
                _share(sure, both + theirs - sure),
            )
        )
        return f"{role} | {both + theirs} | {both + ours} | {shares}"


def _share(good: int, others: int) -> str:
    return f"{good / (good + others):.3f}" if good + others else ""


def compare(
    workspace: Workspace, symbol_id: str, truth: set[Place], tally: Tally, folder: str = ""
) -> None:
    """Adds the places of one symbol. truth: the server's places. folder: the paths that count."""
    name = symbol_id.rpartition("#")[2].rpartition(".")[2].partition("~")[0]
    roles = {
        place: (role, unsure)
        for place, role, unsure in _places(workspace, symbol_id)
        if place[0].startswith(folder)
    }
    by_name = {place: role for place, role, _ in _places(workspace, name)}
    tally.n_symbols += 1
    for place, (role, unsure) in roles.items():
        (tally.both if place in truth else tally.ours)[role] += 1
        if not unsure:
            (tally.sure if place in truth else tally.sure_ours)[role] += 1
            if place not in truth:
                tally.wrong.append(f"wrong {role} {symbol_id} at {':'.join(map(str, place))}")
    for place in sorted(truth - roles.keys()):
        tally.wrong.append(f"missed {symbol_id} at {':'.join(map(str, place))}")
        tally.theirs[by_name.get(place, "under another name")] += 1


def _places(workspace: Workspace, name: str) -> Iterator[tuple[Place, str, bool]]:
    for file in workspace.references(ReferencesRequest(name=name, all=True), seconds=60).files:
        for item in file.items:
            yield (file.file_path, item.line, item.column), item.role, item.is_unsure


def drawn(workspace: Workspace, language: Language) -> list[tuple[str, Place]]:
    """Returns all eligible symbols in random order: ids and places of their names."""
    symbols = []
    for file in indexed_files(workspace.source.tree()):
        if file.path.endswith(language.suffixes) and file.path.startswith(language.folder):
            for row in rows_of(file):
                if row.kind in _KINDS and not row.flags & _LEFT_OUT:
                    symbols.append(
                        (
                            row.id,
                            (
                                file.path,
                                row.line,
                                int(row.index.name_columns_of(np.array([row.number]))[0]) + 1,
                            ),
                        )
                    )
    random.Random(SEED).shuffle(symbols)
    return symbols


def measure(bench: Bench, name: str, n_symbols: int, tree: Path | None = None) -> Tally:
    """Counts the places of this number of symbols of a language. tree: instead of the package.
    Raises BenchError."""
    language = LANGUAGES[name]
    root = tree or _tree(bench, language)
    if tree is not None:
        language = language._replace(folder="")
    tally = Tally()
    with (
        tempfile.TemporaryDirectory() as scratch,
        symindex.open(root, Path(scratch, "index")) as workspace,
    ):
        workspace.refresh()
        home = Path(scratch, "home")
        home.mkdir()
        (home / "compile_commands.json").write_bytes(Tree(name, root, home).compile_commands())
        paths = {
            file.path
            for file in indexed_files(workspace.source.tree())
            if file.path.startswith(language.folder)
        }
        with Client(command_of(bench, language.server, home), home, environment_of(home)) as client:
            client.initialize(root, SECONDS)
            opened = set[str]()
            for symbol_id, (path, line, column) in drawn(workspace, language):
                uri = (root / path).as_uri()
                if path not in opened:
                    opened.add(path)
                    text = (root / path).read_text("utf-8", "replace")
                    document = {"uri": uri, "languageId": language.id, "version": 1, "text": text}
                    client.notify("textDocument/didOpen", {"textDocument": document})
                    if len(opened) == 1:
                        wait_ready(client)
                place = {"line": line - 1, "character": column - 1}
                params = {
                    "textDocument": {"uri": uri},
                    "position": place,
                    "context": {"includeDeclaration": True},
                }
                answer = client.ask("textDocument/references", params, SECONDS)
                if answer is None or answer.failure is not None:
                    continue
                truth = {
                    place
                    for place in places_of(root, msgspec.json.decode(answer.result))
                    if place[0] in paths
                }
                if (path, line, column) not in truth:
                    continue  # the server reads the place as another symbol, or none
                compare(workspace, symbol_id, truth, tally, language.folder)
                if not tally.n_symbols % 20:
                    say(f"references: {name}: {tally.n_symbols} symbols; all: {tally.row('all')}")
                if tally.n_symbols == n_symbols:
                    break
    return tally


def _tree(bench: Bench, language: Language) -> Path:
    """Returns the unpacked package, with the settings that its server needs."""
    every = read_packages()
    (listed,) = [package for package in every.packages if package.name == language.package]
    package = msgspec.structs.replace(listed, exclude=[])
    root = bench.folder / "references" / package.folder
    if not root.is_dir():
        root.parent.mkdir(parents=True, exist_ok=True)
        unpack_package(
            package, every, fetch_package(package, every, bench.folder / "downloads"), root
        )
    if language.id == "typescript":
        (root / "tsconfig.json").write_text(
            '{"compilerOptions": {"strict": true, "target": "es2019", "noEmit": true}}\n'
        )
    return root


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.references", description=__doc__)
    parser.add_argument("--only", choices=LANGUAGES, help="only this language")
    parser.add_argument(
        "--symbols",
        type=int,
        default=200,
        metavar="N",
        help="how many of each language; default 200",
    )
    parser.add_argument("--tree", type=Path, help="a folder instead of the package; with --only")
    parser.add_argument(
        "--wrong", type=int, default=0, metavar="N", help="print N of the wrong places"
    )
    options = parser.parse_args(words)
    if options.tree is not None and options.only is None:
        parser.error("--tree: needs --only")
    if options.only == "Go" and options.tree is None:
        parser.error("--only Go: needs --tree")
    bench = Bench(default_folder())
    columns = (
        "language",
        "role",
        "the server's",
        "ours",
        "precision",
        "of those not marked unsure",
        "recall",
        "recall of those",
    )
    lines = [f"| {' | '.join(columns)} |", "|---|---|--:|--:|--:|--:|--:|--:|"]
    for name in LANGUAGES:
        if options.only == name or (options.only is None and LANGUAGES[name].package):
            try:
                tally = measure(bench, name, options.symbols, options.tree)
            except BenchError as error:
                say(str(error))
                return 2
            roles = [
                role
                for role in (*ROLES, "under another name")
                if tally.both[role] + tally.ours[role] + tally.theirs[role]
            ]
            lines += [
                f"| {name}, {tally.n_symbols} | {tally.row(role)} |" for role in ("all", *roles)
            ]
            print("\n".join(tally.wrong[: options.wrong]))
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
