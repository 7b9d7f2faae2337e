"""Finds the imports of a module in its text, for the tests of the structure.

It finds an import wherever it is (in a function, below `if TYPE_CHECKING`), however it names its
module (relative, as an attribute of a package, with an alias) and however it is done (`importlib`).
It reports names of modules that are only computed at run time, because no reader can determine
them.
"""

import ast
import importlib.util
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

IMPORTERS: Final = {"__import__", "import_module", "find_spec", "run_module"}
"""Functions that take the name of a module. `find_spec` is one of them, because it imports the
parent of the module, and code that looks for a module depends on it."""

RUNNERS: Final = {
    "exec",
    "eval",
    "run_path",
    "exec_module",
    "load_module",
    "spec_from_file_location",
    "resolve_name",
}
"""Functions that run or find code which cannot be determined from the text."""


class Imports(NamedTuple):
    """The imports in a text.

    modules: our modules by their full names; for our packages, the imported name in them
    (`symindex.__version__`) or the package alone; for others, the library. named: our modules and
    packages whose names are texts in the code, for example for a process to start. computed: lines
    that import or run code determined only at run time.
    """

    modules: frozenset[str]
    named: frozenset[str]
    computed: tuple[int, ...]


def read_imports(text: str, package: str, ours: Collection[str]) -> Imports:
    """Returns the imports in a text. package: the package that the text is in. ours: the names of
    all modules, which imply the packages."""
    return _Reader(ast.parse(text), package, ours).read()


class _Reader:
    def __init__(self, tree: ast.Module, package: str, ours: Collection[str]) -> None:
        self._nodes, self._package, self._ours = list(ast.walk(tree)), package, ours
        self._packages = {
            name[:position]
            for name in ours
            for position, character in enumerate(name)
            if character == "."
        }
        self._modules: set[str] = set()
        self._computed: set[int] = set()
        self._bound: dict[str, str] = {}
        """Full names of packages and modules, by their local names."""

        self._importers = {name: name for name in IMPORTERS | RUNNERS}
        """Importers and runners, by their local names."""

        self._called: set[int] = set()
        """Ids of nodes that name an importer whose call has been read."""

        self._leading = {id(node.value) for node in self._nodes if isinstance(node, ast.Attribute)}
        """Ids of nodes to the left of a dot."""

    def read(self) -> Imports:
        for node in self._nodes:
            if isinstance(node, ast.Import):
                self._read_import(node)
            elif isinstance(node, ast.ImportFrom):
                self._read_import_from(node)
        for node in self._nodes:
            if isinstance(node, ast.Call):
                self._read_call(node)
        for node in self._nodes:
            if isinstance(node, ast.Name | ast.Attribute):
                self._read_mention(node)
        texts = [*_texts_in(self._nodes)]
        # `getattr(importlib, "import_module")`; a program for another process
        self._computed.update(
            line for line, text in texts if any(name in text for name in IMPORTERS)
        )
        named = frozenset(text for _, text in texts if "." in text) & {*self._ours, *self._packages}
        return Imports(frozenset(self._modules), named, tuple(sorted(self._computed)))

    def _add(self, dotted: str) -> None:
        self._modules.add(self._home(dotted))

    def _home(self, dotted: str) -> str:
        """Returns the module of a dotted name. For a name in our packages, returns the name itself,
        because its own imports are arbitrary."""
        parts = dotted.split(".")
        begins = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
        return next((begin for begin in begins if begin not in self._packages), dotted)

    def _read_import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(alias.name)
            top = alias.name.partition(".")[0]
            self._bound[alias.asname or top] = alias.name if alias.asname else top

    def _read_import_from(self, node: ast.ImportFrom) -> None:
        base = importlib.util.resolve_name("." * node.level + (node.module or ""), self._package)
        for alias in node.names:
            name, here = f"{base}.{alias.name}", alias.asname or alias.name
            self._add(base if alias.name == "*" else name)
            if alias.name in IMPORTERS | RUNNERS:
                self._importers[here] = alias.name
            if name == "sys.modules":
                self._computed.add(node.lineno)
            self._bound[here] = name

    def _read_call(self, node: ast.Call) -> None:
        importer = self._importer(node.func)
        if importer not in IMPORTERS:
            return
        self._called.add(id(node.func))
        given = dict(enumerate(node.args)) | {
            keyword.arg: keyword.value for keyword in node.keywords
        }
        module = _text(given.get(0, given.get("name", given.get("mod_name"))))
        parts: list[str] | None = []
        if importer == "__import__":
            parts = (
                _texts(given.get(3, given.get("fromlist")))
                if not {4, "level"} & given.keys()
                else None
            )
        elif module is not None and module.startswith("."):
            module = self._resolved(module, given.get(1, given.get("package")))
        if module is None or parts is None:
            self._computed.add(node.lineno)
        else:
            for dotted in [f"{module}.{part}" for part in parts] or [module]:
                self._add(dotted)

    def _importer(self, node: ast.expr) -> str:
        """Returns the importer or runner that a name refers to, or an empty text."""
        if isinstance(node, ast.Attribute):
            return node.attr if node.attr in IMPORTERS | RUNNERS else ""
        return self._importers.get(node.id, "") if isinstance(node, ast.Name) else ""

    def _resolved(self, module: str, package: ast.expr | None) -> str | None:
        is_own = isinstance(package, ast.Name) and package.id == "__package__"
        where = self._package if is_own else _text(package)
        return importlib.util.resolve_name(module, where) if where is not None else None

    def _read_mention(self, node: ast.Name | ast.Attribute) -> None:
        """Adds packages of ours that lead to a module or are passed on, and importers that are
        passed on or renamed."""
        dotted = self._dotted(node)
        if dotted == "sys.modules" or (self._importer(node) and id(node) not in self._called):
            self._computed.add(node.lineno)
        elif dotted.rpartition(".")[0] in self._packages or (
            dotted in self._packages and id(node) not in self._leading
        ):
            self._add(dotted)

    def _dotted(self, node: ast.expr) -> str:
        """Returns the full name of `a.b.c` if `a` was imported, or an empty text."""
        if isinstance(node, ast.Name):
            return self._bound.get(node.id, "")
        if isinstance(node, ast.Attribute) and (left := self._dotted(node.value)):
            return f"{left}.{node.attr}"
        return ""


def _texts_in(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yields the texts of a program with their lines, except docstrings."""
    written = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in written
        ):
            yield node.lineno, node.value


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _texts(node: ast.expr | None) -> list[str] | None:
    """Returns the texts of a list or tuple, or `None` if they are not literals."""
    if node is None:
        return []
    texts = (
        [_text(element) for element in node.elts]
        if isinstance(node, ast.List | ast.Tuple)
        else [None]
    )
    literals = [text for text in texts if text is not None]
    return literals if len(literals) == len(texts) else None
