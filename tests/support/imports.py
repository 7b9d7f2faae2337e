"""What a module imports, in whatever way it says so: read from its text, for the tests of the
structure.

An import is one wherever it stands (in a function, below `if TYPE_CHECKING`), however it names its
module (relatively, as a name of a package, under a name of its own) and whoever carries it out
(`importlib`). Where the name of a module is found out only when the program runs, that is said, for
no reader can know it.
"""

import ast
import importlib.util
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

IMPORTERS: Final = {"__import__", "import_module", "find_spec", "run_module"}
"""What takes the name of a module, by the name of the function. `find_spec` is here because it
imports what the module is in, and whoever asks for a module knows of it."""

RUNNERS: Final = {
    "exec",
    "eval",
    "run_path",
    "exec_module",
    "load_module",
    "spec_from_file_location",
    "resolve_name",
}
"""What runs or finds code of which nothing can be known here."""


class Imports(NamedTuple):
    """What a text imports.

    modules: modules of ours by their whole names; of a package of ours what is taken of it
    (`symindex.__version__`), or the package alone; of others the library. named: modules and
    packages of ours whose names stand in the text as such, as of a process to start. computed:
    lines that import or run what is known only then.
    """

    modules: frozenset[str]
    named: frozenset[str]
    computed: tuple[int, ...]


def read_imports(text: str, package: str, ours: Collection[str]) -> Imports:
    """What a text imports. package: that it stands in; ours: the names of all modules, from which
    the packages follow."""
    return _Reader(ast.parse(text), package, ours).read()


class _Reader:
    def __init__(self, tree: ast.Module, package: str, ours: Collection[str]) -> None:
        self._nodes, self._package, self._ours = list(ast.walk(tree)), package, ours
        self._packages = {
            name[:at] for name in ours for at, character in enumerate(name) if character == "."
        }
        self._modules: set[str] = set()
        self._computed: set[int] = set()
        self._bound: dict[str, str] = {}
        """By what they are called here: packages and modules."""

        self._importers = {name: name for name in IMPORTERS | RUNNERS}
        """By what they are called here, too."""

        self._called: set[int] = set()
        """The ids of nodes that name an importer whose call was read."""

        self._leading = {id(node.value) for node in self._nodes if isinstance(node, ast.Attribute)}
        """The ids of nodes that stand before a dot."""

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
        # `getattr(importlib, "import_module")`; a program for another process.
        self._computed.update(
            line for line, text in texts if any(name in text for name in IMPORTERS)
        )
        named = frozenset(text for _, text in texts if "." in text) & {*self._ours, *self._packages}
        return Imports(frozenset(self._modules), named, tuple(sorted(self._computed)))

    def _add(self, dotted: str) -> None:
        self._modules.add(self._home(dotted))

    def _home(self, dotted: str) -> str:
        """The module that a dotted name is in. Of a package of ours, what is taken of it: that may
        import what it likes."""
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
        given = dict(enumerate(node.args)) | {each.arg: each.value for each in node.keywords}
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
        """Which of the importers and runners a name means; none where it means another thing."""
        if isinstance(node, ast.Attribute):
            return node.attr if node.attr in IMPORTERS | RUNNERS else ""
        return self._importers.get(node.id, "") if isinstance(node, ast.Name) else ""

    def _resolved(self, module: str, package: ast.expr | None) -> str | None:
        is_own = isinstance(package, ast.Name) and package.id == "__package__"
        where = self._package if is_own else _text(package)
        return importlib.util.resolve_name(module, where) if where is not None else None

    def _read_mention(self, node: ast.Name | ast.Attribute) -> None:
        """A package of ours that leads to a module or is passed on; an importer that is passed on
        or called something else."""
        dotted = self._dotted(node)
        if dotted == "sys.modules" or (self._importer(node) and id(node) not in self._called):
            self._computed.add(node.lineno)
        elif dotted.rpartition(".")[0] in self._packages or (
            dotted in self._packages and id(node) not in self._leading
        ):
            self._add(dotted)

    def _dotted(self, node: ast.expr) -> str:
        """The whole name of what `a.b.c` means where `a` was imported; else nothing."""
        if isinstance(node, ast.Name):
            return self._bound.get(node.id, "")
        if isinstance(node, ast.Attribute) and (left := self._dotted(node.value)):
            return f"{left}.{node.attr}"
        return ""


def _texts_in(nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    """The texts of a program and their lines, without what is written about it."""
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
    """The texts of a list or tuple; `None` where they are not known."""
    if node is None:
        return []
    texts = (
        [_text(each) for each in node.elts] if isinstance(node, ast.List | ast.Tuple) else [None]
    )
    known = [text for text in texts if text is not None]
    return known if len(known) == len(texts) else None
