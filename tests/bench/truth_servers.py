"""Asks a language server for the truth about random symbols of a tree."""

import random
import re
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import unquote, urlsplit

import msgspec
import numpy as np

import symindex
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolFlag
from symindex.resolve.tree import indexed_files, rows_of
from symindex.workspace.workspace import Workspace
from tests.bench.lsp_client import Client
from tests.bench.lsp_servers import environment_of
from tests.bench.peers import SERVERS, TYPESCRIPT_SERVER, install, install_npm
from tests.bench.places import Bench, BenchError, say
from tests.bench.truth_data import (
    Place,
    Symbol,
    TreeTruth,
    digest_of,
    judge,
    named_places,
    subtype_at,
)

SEED: Final = 23
SECONDS: Final = 60.0
"""Time limit of an answer."""

READY_SECONDS: Final = 600.0
"""Time limit of its preparations."""

MOST_PLACES: Final = 250
"""How many places of a name are asked about, besides the references."""

N_COMMON: Final = 3
"""A name is common if so many symbols have it."""

_LEFT_OUT: Final = SymbolFlag.LOCAL | SymbolFlag.TEST | SymbolFlag.DECLARATION
_TYPES: Final = ("class", "struct", "interface", "trait", "enum", "type")
_KINDS: Final = (
    *_TYPES,
    *("function", "method", "constant", "variable", "field", "property", "enumMember", "macro"),
)

_PHP_SERVER: Final = ("intelephense", ("intelephense@1.18.5",))


class Server(NamedTuple):
    """A language and its server. suffixes: of the files that count. id: the editors' id of the
    language. opens: whether the server answers only about open files. lists: whether it lists
    references; Debian's gopls ends when it is asked for those of some methods, so that the
    definitions of all places of a name are the truth, and calls of the interface's method are
    related. names: whether a definition's place is that of its name; if not, its line decides.
    overloads: whether each of several functions of one name and type is a symbol of its own, and
    so is each type of one name, as those whose numbers of type parameters differ."""

    command: str
    suffixes: tuple[str, ...]
    id: str
    opens: bool = True
    lists: bool = True
    names: bool = True
    overloads: bool = False


SERVER_OF: Final = {
    "Python": Server("basedpyright", (".py",), "python", opens=False),
    "JavaScript": Server(TYPESCRIPT_SERVER[0], (".js", ".mjs", ".cjs"), "javascript"),
    "TypeScript": Server(TYPESCRIPT_SERVER[0], (".ts", ".tsx"), "typescript"),
    "Go": Server("gopls", (".go",), "go", opens=False, lists=False),
    "C": Server("clangd", (".c", ".h"), "c"),
    "C++": Server("clangd", (".cc", ".cpp", ".h", ".hpp"), "cpp"),
    "PHP": Server("intelephense", (".php",), "php", names=False),
    "Java": Server("javac", (".java",), "java", overloads=True),
    "Kotlin": Server("kotlinc", (".kt",), "kotlin", overloads=True),
    "C#": Server("mcs", (".cs",), "csharp", overloads=True),
    "Scala": Server("scalac", (".scala",), "scala", overloads=True),
    "Rust": Server("rustdoc", (".rs",), "rust"),
    "Elixir": Server("elixir", (".ex", ".exs"), "elixir"),
    "Ruby": Server("ruby", (".rb",), "ruby"),
}


def command_of(bench: Bench, server: str, home: Path) -> list[str]:
    """Returns the command of a server, which is installed if it is missing. Raises BenchError."""
    if server == "gopls":
        if (path := shutil.which(server)) is None:
            raise BenchError("gopls: not on the PATH: apt-get install gopls golang-go")
        return [path]
    if server in (TYPESCRIPT_SERVER[0], _PHP_SERVER[0]):
        packages = _PHP_SERVER if server == _PHP_SERVER[0] else TYPESCRIPT_SERVER
        return [str(install_npm(bench, *packages)), "--stdio"]
    if server == "basedpyright":
        return [str(install(bench, SERVERS[server], "basedpyright-langserver")), "--stdio"]
    words = [f"--compile-commands-dir={home}", "--background-index-priority=normal"]
    return [str(install(bench, SERVERS[server], server)), *words, "--limit-references=0"]


def wait_ready(client: Client) -> None:
    """Waits until the server has reported no progress for some seconds."""
    until, quiet = time.monotonic() + READY_SECONDS, 0
    while quiet < 10 and time.monotonic() < until:
        time.sleep(1)
        quiet = 0 if client.is_busy else quiet + 1


class Asker(Protocol):
    """Answers questions about the places of one tree."""

    server: Server
    texts: dict[str, str]

    def references(self, symbol: Symbol) -> set[Place]:
        """Returns the references of a symbol within the tree."""

    def definitions(self, places: Iterable[Place]) -> dict[Place, list[Place]]:
        """Returns the definitions of each place."""

    def subtypes(self, symbol: Symbol, references: set[Place]) -> list[tuple[str, int]]:
        """Returns the types that inherit from a type directly, by paths and lines."""


class _ServerAsker:
    """A conversation about the places of one tree."""

    def __init__(self, client: Client, root: Path, server: Server, texts: dict[str, str]) -> None:
        self.client, self.root, self.server, self.texts = client, root, server, texts
        self.opened: list[str] = []
        self._definitions: dict[Place, list[Place]] = {}

    def open(self, path: str) -> None:
        """Opens a file in the editor."""
        if path in self.opened:
            return
        uri = (self.root / path).as_uri()
        text = (self.root / path).read_text("utf-8", "replace")
        document = {"uri": uri, "languageId": self.server.id, "version": 1, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": document})
        self.opened.append(path)

    def _close(self) -> None:
        """Closes old files, but not the first, without which some servers forget the tree."""
        while len(self.opened) > 20:
            uri = (self.root / self.opened.pop(1)).as_uri()
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def ask(self, method: str, places: Sequence[Place], **fields: Any) -> list[set[Place] | None]:
        """Returns the places within the tree in each answer, and `None` without an answer. A place
        outside the tree has an empty path."""
        numbers = []
        for path, line, column in places:
            if self.server.opens:
                self.open(path)
            params = {
                "textDocument": {"uri": (self.root / path).as_uri()},
                "position": {"line": line - 1, "character": column - 1},
                **fields,
            }
            numbers.append(self.client.send(f"textDocument/{method}", params))
        answers = [self.client.wait(number, SECONDS) for number in numbers]
        self._close()
        return [
            None
            if answer is None or answer.failure
            else places_of(self.root, msgspec.json.decode(answer.result))
            for answer in answers
        ]

    def references(self, symbol: Symbol) -> set[Place]:
        """Returns the references of a symbol within the tree."""
        place = symbol.name_place
        if not self.server.lists:
            known = self.definitions(named_places(symbol.name, self.texts))
            (related,) = self.ask("implementation", [place]) if symbol.kind == "method" else [None]
            meant = {place, *(related or ())}
            return {use for use, found in known.items() if meant & {use, *found}}
        context = {"includeDeclaration": True}
        (found,) = self.ask("references", [place], context=context)
        return {self._last_part(use, symbol.name) for use in found or () if use[0]}

    def _last_part(self, place: Place, name: str) -> Place:
        """Returns the place of the name within a qualified name that begins at a place."""
        path, line, column = place
        text = self.texts.get(path, "").split("\n")[line - 1 : line]
        qualifier = re.compile(rf"(?:\w*\\)+(?={re.escape(name)}\b)")
        match = qualifier.match(text[0], column - 1) if text else None
        return (path, line, match.end() + 1) if match else place

    def definitions(self, places: Iterable[Place]) -> dict[Place, list[Place]]:
        """Returns the definitions of each place, file by file; each place is asked about once."""
        wanted = set(places)
        missing = sorted(wanted - self._definitions.keys())
        for first in range(0, len(missing), 100):
            some = missing[first : first + 100]
            for place, found in zip(some, self.ask("definition", some), strict=True):
                self._definitions[place] = sorted(found or ())
            if first % 2000 == 1900:
                say(f"truth: {first:,} of {len(missing):,} places")
        return {place: self._definitions[place] for place in wanted}

    def subtypes(self, symbol: Symbol, references: set[Place]) -> list[tuple[str, int]]:
        """Returns the types whose header names a type as a base, or what implements it."""
        if not self.server.lists:
            (found,) = self.ask("implementation", [symbol.name_place])
            return sorted({place[:2] for place in found or () if place[0]})
        subtypes = set()
        for path, line, column in references:
            text = (self.root / path).read_text("utf-8", "replace")
            offset = sum(len(row) + 1 for row in text.split("\n")[: line - 1]) + column - 1
            name = subtype_at(text, offset, is_python=self.server.id == "python")
            if name is not None:
                subtypes.add((path, text.count("\n", 0, name) + 1))
        return sorted(subtypes - {symbol.name_place[:2]})


def places_of(root: Path, answer: Any) -> set[Place]:
    """Returns the places of a server's answer, those outside the tree with an empty path."""
    places = set()
    for location in [answer] if isinstance(answer, dict) else answer or []:
        path = Path(unquote(urlsplit(location.get("uri") or location["targetUri"]).path))
        start = (location.get("range") or location["targetSelectionRange"])["start"]
        inside = path.relative_to(root).as_posix() if path.is_relative_to(root) else ""
        places.add((inside, start["line"] + 1, start["character"] + 1))
    return places


def _compile_commands(root: Path, server: Server, paths: Iterable[str]) -> bytes:
    """Returns a `compile_commands.json` for clangd: every folder above a file, and every folder
    named `include`, has headers. More flags are in a `compile_flags.txt` of the tree."""
    flags = root / "compile_flags.txt"
    more = flags.read_text().split() if flags.exists() else []
    beside = sorted(path for path in root.rglob("include") if path.is_dir())
    rows = []
    for path in (root / path for path in paths if Path(path).suffix[:2] != ".h"):
        above = [folder for folder in path.parents if folder.is_relative_to(root)]
        includes = [f"-I{folder}" for folder in (*above, *beside)]
        compiler = "cc" if server.id == "c" else "c++"
        arguments = [compiler, "-D_GNU_SOURCE", *more, *includes, "-c", str(path)]
        rows.append({"directory": str(root), "file": str(path), "arguments": arguments})
    return msgspec.json.encode(rows)


class Drawn(NamedTuple):
    """All symbols of a tree. symbols: the eligible ones in random order, without places. own: the
    places of all definitions of an id, overloads included, but not the field that a function is
    called like. kinds: of the definitions, by their places."""

    symbols: list[Symbol]
    own: dict[tuple[str, bool], set[Place]]
    kinds: dict[Place, str]

    def own_of(self, symbol: Symbol, has_overloads: bool) -> set[Place]:
        """Returns the places of the definitions of a symbol. has_overloads: whether each
        overload is a symbol of its own. A type and its companion object are one symbol."""
        own = self.own[_own_key(symbol.id, symbol.kind)]
        if has_overloads:
            own = {place for place in own if self.kinds[place] != symbol.kind}
        return own | {symbol.name_place}


def _own_key(symbol_id: str, kind: str) -> tuple[str, bool]:
    return symbol_id.partition("~")[0], kind in CALLABLE_KINDS


def draw(workspace: Workspace, suffixes: tuple[str, ...], are_apart: bool = False) -> Drawn:
    """Returns the symbols of the files with these suffixes. are_apart: whether each definition is a
    symbol of its own."""
    symbols, names = [], Counter[str]()
    own = defaultdict[tuple[str, bool], set[Place]](set)
    kinds = dict[Place, str]()
    for file in indexed_files(workspace.source.tree()):
        if not file.path.endswith(suffixes):
            continue
        for row in rows_of(file):
            column = int(row.index.name_columns_of(np.array([row.number]))[0]) + 1
            place = (file.path, row.line, column)
            own[(row.id, True) if are_apart else _own_key(row.id, str(row.kind))].add(place)
            kinds[place] = str(row.kind)
            name = row.id.rpartition("#")[2].rpartition(".")[2].partition("~")[0]
            if not row.flags & SymbolFlag.LOCAL:
                names[name] += 1
            if row.kind in _KINDS and not row.flags & _LEFT_OUT:
                symbols.append(Symbol(row.id, name, str(row.kind), place, False, {}))
    for symbol in symbols:
        symbol.is_common = names[symbol.name] >= N_COMMON
    symbols.sort(key=lambda symbol: symbol.id)
    random.Random(SEED).shuffle(symbols)
    return Drawn(symbols, own, kinds)


def choose(asker: Asker, drawn: Drawn, n_symbols: int) -> Iterator[tuple[Symbol, set[Place]]]:
    """Yields symbols that the server knows by their places, and their references: half of them with
    common names, at most a third of each half without a use, and a quarter more types with
    subtypes."""
    room = {True: n_symbols // 2, False: n_symbols - n_symbols // 2}
    unused = {is_common: n // 3 for is_common, n in room.items()}
    n_types = n_symbols // 4
    for symbol in drawn.symbols:
        is_wanted = room[symbol.is_common] > 0
        if not is_wanted and not (n_types and symbol.kind in _TYPES):
            continue
        references = {place for place in asker.references(symbol) if place[0] in asker.texts}
        if symbol.name_place not in references or not symbol.name:
            continue
        if symbol.kind in _TYPES and (asker.server.lists or symbol.kind == "interface"):
            symbol.subtypes = asker.subtypes(symbol, references)
        if is_wanted and (len(references) > 1 or unused[symbol.is_common] > 0):
            room[symbol.is_common] -= 1
            unused[symbol.is_common] -= len(references) == 1
        elif symbol.subtypes and len(references) < 500:
            n_types -= 1
        else:
            continue
        yield symbol, references
        if not (any(room.values()) or n_types):
            break


def collect(bench: Bench, language: str, root: Path, n_symbols: int) -> TreeTruth:
    """Asks about so many random symbols of a tree, half of them with common names. Raises
    BenchError."""
    server = SERVER_OF[language]
    with (
        tempfile.TemporaryDirectory() as scratch,
        symindex.open(root, Path(scratch, "index")) as workspace,
    ):
        workspace.refresh()
        drawn = draw(workspace, server.suffixes)
        files = [file.path for file in indexed_files(workspace.source.tree())]
        texts = {
            path: (root / path).read_text("utf-8", "replace")
            for path in files
            if path.endswith(server.suffixes)
        }
        home = Path(scratch, "home")
        home.mkdir()
        (home / "compile_commands.json").write_bytes(_compile_commands(root, server, texts))
        command = command_of(bench, server.command, home)
        with Client(command, home, environment_of(home)) as client:
            if language == "PHP":
                client.options = {"storagePath": str(home)}
            client.initialize(root, SECONDS)
            asker = _ServerAsker(client, root, server, texts)
            asker.open(drawn.symbols[0].name_place[0])
            wait_ready(client)
            chosen = list(choose(asker, drawn, n_symbols))
            say(f"truth: {language}: {root.name}: {len(chosen)} symbols")
            return TreeTruth(str(root), judged(asker, drawn, chosen), digest_of(root, texts))


def judged(
    asker: Asker,
    drawn: Drawn,
    chosen: list[tuple[Symbol, set[Place]]],
) -> list[Symbol]:
    """Returns the symbols with the verdicts of their places."""
    places: dict[str, set[Place]] = {}
    for symbol, references in chosen:
        named = named_places(symbol.name, asker.texts)
        sample = random.Random(symbol.name).sample(named, min(MOST_PLACES, len(named)))
        others, some = set(named) - references, set(sample) - references
        symbol.weight = len(others) / len(some) if some else 1.0
        places[symbol.id] = references | some
    definitions = asker.definitions(place for some in places.values() for place in some)
    for symbol, references in chosen:
        own = drawn.own_of(symbol, asker.server.overloads)
        if asker.server.command == "clangd":  # at a definition, its declaration, and the reverse
            own |= {*definitions[symbol.name_place]} & references
        known = {place: definitions[place] for place in places[symbol.id]}
        if asker.server.command == "clangd":  # guesses a definition of words in comments
            known = {
                place: found if place in references or own.isdisjoint(found) else []
                for place, found in known.items()
            }
        if not asker.server.names:
            by_line = {place[:2]: place for place in own}
            known = {
                place: [by_line.get(other[:2], other) for other in found]
                for place, found in known.items()
            }
        follows = asker.server.command == TYPESCRIPT_SERVER[0]
        verdicts = judge(own, references, known, follows)
        symbol.places = {verdict: some for verdict, some in verdicts.items() if some}
    return [symbol for symbol, _ in chosen]
