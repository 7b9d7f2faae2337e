"""Everyday questions of coding agents about Python projects: drawn at random, with answers that
Python's own `ast` establishes.

None of us wrote them, and none was looked at before its kind was drawn. Concepts must be written by
hand; they come from `prose_questions`, whose authors did not know the search.
"""

import ast
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from tests.bench.prose import read_questions

KINDS: Final = (
    "definition", "body", "members", "callers", "implementations", "trace", "error text", "concept", "changed", "tests",
    "misspelt", "overview",
)  # fmt: skip

_ASIDE: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|docs?|docs_src|examples?|bench|extra|scripts|_vendor)/|(?:^|/)conftest\.py$"
)

_TEST: Final = re.compile(r"(?:^|/)(?:tests?|testing)/|(?:^|/)test_\w+\.py$")


class Asked(msgspec.Struct, frozen=True):
    """A question and its right answer.

    text: as a person would ask it. tool, arguments: the first call of an agent. places:
    `path:line`; a right answer shows all of them, or one if `any_is_enough`. words: what a right
    answer also contains, all of them or `least`. pattern, flags: what a good user of ripgrep would
    search for. window: whether 60 lines are read afterwards. position: the place, if the question
    gives one.
    """

    kind: str
    text: str
    tool: str
    arguments: dict[str, Any]
    places: tuple[str, ...]
    pattern: str
    words: tuple[str, ...] = ()
    any_is_enough: bool = False
    flags: tuple[str, ...] = ()
    window: bool = True
    position: str = ""
    least: int = 0


class Defined(msgspec.Struct, frozen=True):
    """A function or class of the project. bases, methods: of a class. calls: names that it calls.
    raises: texts."""

    path: str
    name: str
    owner: str
    line: int
    end: int
    is_class: bool
    bases: tuple[str, ...]
    methods: tuple[str, ...]
    calls: tuple[tuple[str, int], ...]
    raises: tuple[tuple[str, int], ...]

    @property
    def qualified(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


def read_project(root: Path) -> list[Defined]:
    """Returns all functions and classes that `ast` reads, except those inside functions."""
    symbols: list[Defined] = []
    for file in sorted(root.rglob("*.py")):
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            continue
        symbols += _defined(tree, file.relative_to(root).as_posix(), "")
    return symbols


def _defined(node: ast.AST, path: str, owner: str) -> Iterator[Defined]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If | ast.Try):
            yield from _defined(child, path, owner)
        if not isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        is_class = isinstance(child, ast.ClassDef)
        bases = tuple(_last(base) for base in getattr(child, "bases", ()))
        methods = tuple(
            member.name
            for member in child.body
            if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)
        )
        calls = (
            ()
            if is_class
            else tuple(
                (_last(call.func), call.lineno)
                for call in ast.walk(child)
                if isinstance(call, ast.Call)
            )
        )
        raises = () if is_class else tuple(_raised(child))
        last = child.end_lineno or child.lineno
        yield Defined(
            path,
            child.name,
            owner,
            child.lineno,
            last,
            is_class,
            bases,
            methods if is_class else (),
            calls,
            raises,
        )
        if is_class:
            yield from _defined(child, path, f"{owner}.{child.name}" if owner else child.name)


def _last(node: ast.AST) -> str:
    """Returns the last part of a name; empty for other expressions."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _raised(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Yields the raised messages: their text with values put in, and the line where they begin."""
    for descendant in ast.walk(node):
        if (
            isinstance(descendant, ast.Raise)
            and isinstance(descendant.exc, ast.Call)
            and descendant.exc.args
        ):
            message = descendant.exc.args[0]
            text = _printed(message)
            if text is not None:
                yield text, message.lineno


def _printed(node: ast.AST) -> str | None:
    """Returns a message as it would be printed, with made-up values."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and (text := _printed(node.left)) is not None
    ):
        return re.sub(r"%(?:\(\w+\))?[srd]", "Widget7", text)
    if isinstance(node, ast.JoinedStr):
        parts = [
            part.value if isinstance(part, ast.Constant) else "Widget7" for part in node.values
        ]
        return "".join(map(str, parts))
    return None


def draw(name: str, root: Path, chance: random.Random, count: int) -> list[Asked]:
    """Returns up to `count` questions of each kind about a project."""
    every = read_project(root)
    production = [symbol for symbol in every if not _ASIDE.search(symbol.path)]
    by_name: dict[str, list[Defined]] = {}
    for symbol in every:
        by_name.setdefault(symbol.name, []).append(symbol)
    unique = [
        symbol
        for symbol in production
        if len(by_name[symbol.name]) == 1
        and len(symbol.name) > 5
        and not symbol.name.startswith("_")
    ]
    makers = {
        "definition": (_definition(symbol) for symbol in _lot(unique, chance)),
        "body": (
            _body(symbol)
            for symbol in _lot(
                [symbol for symbol in unique if 8 < symbol.end - symbol.line < 60], chance
            )
        ),
        "members": (
            _members(symbol)
            for symbol in _lot(
                [symbol for symbol in unique if 3 < len(symbol.methods) < 20], chance
            )
        ),
        "callers": _callers(_lot(unique, chance), every),
        "implementations": _implementations(
            _lot([symbol for symbol in unique if symbol.is_class], chance), every
        ),
        "trace": _traces(
            _lot(
                [
                    symbol
                    for symbol in production
                    if symbol.end - symbol.line > 6 and not symbol.is_class
                ],
                chance,
            ),
            name,
            chance,
        ),
        "error text": _errors(_lot(production, chance), root),
        "concept": _concepts(name, every),
        "tests": _tests(_lot([symbol for symbol in unique if not symbol.is_class], chance), every),
        "overview": _overview(root, unique),
        "misspelt": (
            _misspelt(symbol, chance)
            for symbol in _lot([symbol for symbol in unique if len(symbol.name) > 9], chance)
        ),
    }
    return [asked for some in makers.values() for asked, _ in zip(some, range(count), strict=False)]


def _lot(some: Sequence[Defined], chance: random.Random) -> list[Defined]:
    return chance.sample(some, len(some))


def _place(symbol: Defined) -> str:
    return f"{symbol.path}:{symbol.line}"


def _head(symbol: Defined) -> str:
    return rf"^\s*(async def|def|class) {symbol.name}\b"


def _definition(symbol: Defined) -> Asked:
    text = f"Where is {symbol.qualified} defined?"
    return Asked(
        "definition",
        text,
        "search",
        {"query": symbol.qualified},
        (_place(symbol),),
        _head(symbol),
        window=False,
    )


def _body(symbol: Defined) -> Asked:
    places = (f"{symbol.path}:{symbol.line + 1}", f"{symbol.path}:{symbol.end}")
    return Asked(
        "body",
        f"Show {symbol.qualified}",
        "symbol",
        {"symbol": symbol.qualified},
        places,
        _head(symbol),
    )


def _members(symbol: Defined) -> Asked:
    text = f"What methods has {symbol.qualified}?"
    return Asked(
        "members",
        text,
        "symbol",
        {"symbol": symbol.qualified},
        (),
        _head(symbol),
        words=symbol.methods,
    )


def _callers(some: Sequence[Defined], every: Sequence[Defined]) -> Iterator[Asked]:
    for symbol in some:
        lines = {
            f"{other.path}:{line}"
            for other in every
            for name, line in other.calls
            if name == symbol.name
        }
        owners = {
            other.path for other in every if any(name == symbol.name for name, _ in other.calls)
        }
        if not symbol.is_class and 1 < len(lines) < 8 and len(owners) > 1:
            text, pattern = f"Who calls {symbol.qualified}?", rf"\b{symbol.name}\("
            arguments = {"name": symbol.name, "role": "call"}
            yield Asked(
                "callers",
                text,
                "references",
                arguments,
                tuple(sorted(lines)),
                pattern,
                window=False,
            )


def _implementations(some: Sequence[Defined], every: Sequence[Defined]) -> Iterator[Asked]:
    for symbol in some:
        below = tuple(
            _place(other)
            for other in every
            if symbol.name in other.bases and not _ASIDE.search(other.path)
        )
        if 1 < len(below) < 10:
            text, pattern = f"What inherits from {symbol.name}?", rf"class \w+\(.*\b{symbol.name}\b"
            arguments = {"symbol": symbol.qualified, "depth": 1}
            yield Asked(
                "implementations", text, "hierarchy", arguments, below, pattern, window=False
            )


def _traces(some: Sequence[Defined], project: str, chance: random.Random) -> Iterator[Asked]:
    for symbol in some:
        line = chance.randint(symbol.line + 2, symbol.end)
        frame = f'File "/home/ann/venv/lib/python3.12/site-packages/{symbol.path}", line {line}, in {symbol.name}'
        yield Asked("trace", f"What is at {frame}?", "symbol", {"symbol": frame}, (f"{symbol.path}:{line}",), "", (symbol.name,),
                    position=f"{symbol.path}:{line}")  # fmt: skip


def _errors(some: Sequence[Defined], root: Path) -> Iterator[Asked]:
    for symbol in some:
        for text, line in symbol.raises:
            if len(text.split()) > 4 and "\n" not in text:
                pieces = sorted(re.split(r"Widget7|['\"]", text), key=len)
                near = tuple(f"{symbol.path}:{number}" for number in range(line, line + 6))
                yield Asked("error text", f"Where does this come from: {text}", "references", {"name": text, "in": "all"}, near,
                            pieces[-1].strip(), any_is_enough=True, flags=("-F",), window=False)  # fmt: skip
                break


def _concepts(project: str, every: Sequence[Defined]) -> Iterator[Asked]:
    """Yields the questions that symbols answer; documents answer the others."""
    by_place = {f"{symbol.path}#{symbol.qualified}": symbol for symbol in every}
    for question in read_questions(project):
        places = tuple(
            _place(by_place[answer]) for answer in question.answers if answer in by_place
        )
        if places:
            words = "|".join(word for word in re.findall(r"\w+", question.text) if len(word) > 3)
            yield Asked("concept", question.text, "search", {"query": question.text}, places, words, any_is_enough=True,
                        flags=("-i",), window=False)  # fmt: skip


def _tests(some: Sequence[Defined], every: Sequence[Defined]) -> Iterator[Asked]:
    for symbol in some:
        tests = [
            other
            for other in every
            if _TEST.search(other.path) and any(name == symbol.name for name, _ in other.calls)
        ]
        if 0 < len(tests) < 6:
            text, pattern, flags = (
                f"Which tests are of {symbol.qualified}?",
                rf"\b{symbol.name}\b",
                ("-g", "*test*"),
            )
            arguments = {"symbol": symbol.qualified, "direction": "tests"}
            places = tuple(map(_place, tests))
            yield Asked(
                "tests", text, "hierarchy", arguments, places, pattern, (), True, flags, False
            )


def _overview(root: Path, unique: Sequence[Defined]) -> Iterator[Asked]:
    """Yields a question for the classes that the project's own documentation names most often, by
    its roles; an overview should contain most of them."""
    named: Counter[str] = Counter()
    for file in sorted(
        path
        for path in root.rglob("*")
        if path.suffix in (".rst", ".txt", ".md") and path.is_file()
    ):
        named.update(
            re.findall(
                r":class:`[~!]?(?:[^`<>]*<)?(?:\w+\.)*(\w+)>?`", file.read_text("utf-8", "replace")
            )
        )
    classes = {symbol.name for symbol in unique if symbol.is_class}
    most = tuple(name for name, _ in named.most_common() if name in classes)[:DOCUMENTED]
    if len(most) == DOCUMENTED:
        yield Asked("overview", "What are the main types here?", "outline", {"max_tokens": 2_000}, (), r"^class \w+", most,
                    window=False, least=DOCUMENTED // 2 + 1)  # fmt: skip


DOCUMENTED: Final = 5


def _misspelt(symbol: Defined, chance: random.Random) -> Asked:
    position = chance.randint(3, len(symbol.name) - 3)
    wrong = symbol.name[:position] + symbol.name[position + 1 :]
    return Asked(
        "misspelt",
        f"Where is {wrong}?",
        "search",
        {"query": wrong},
        (_place(symbol),),
        wrong[:5],
        flags=("-i",),
        window=False,
    )
