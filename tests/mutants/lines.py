"""What a line of a module belongs to, when it runs, and what depends on it."""

import ast
import functools
import hashlib
from collections.abc import Iterator
from typing import Final

from tests.mutants.project import Project

_CACHES: Final = {"cache", "lru_cache", "cached_property", "made_once"}
"""Decorators of functions that only their first caller runs."""


def digest_of(text: str) -> str:
    """A short name of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class Lines:
    """The lines of a module. digest: of its text."""

    def __init__(self, text: str) -> None:
        self.digest = digest_of(text)
        self._module = ast.parse(text)
        self._spans: list[tuple[int, int, int]] = []  # of each statement: first, end of head, last
        self._inside: set[int] = set()
        self._cached: dict[int, str] = {}
        self._mentions: dict[str, set[int]] = {}
        for node in ast.walk(self._module):
            if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
                self._spans.append(_span(node))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._add_function(node)
            elif name := _name(node):
                self._mentions.setdefault(name, set()).add(node.lineno)  # type: ignore[attr-defined]

    def _add_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        inside = range(node.body[0].lineno, _span(node)[2] + 1)
        self._inside.update(inside)
        decorators = {
            _name(part) for decorator in node.decorator_list for part in ast.walk(decorator)
        }
        if decorators & _CACHES:
            self._cached.update(dict.fromkeys(inside, node.name))

    def statement(self, line: int) -> set[int]:
        """The lines of the smallest statement around a line; of a statement that contains others,
        its head."""
        around = [span for span in self._spans if span[0] <= line <= span[2]]
        if not around:
            return {line}
        first, head, _last = min(around, key=lambda span: span[2] - span[0])
        return {*range(first, head + 1), line}

    def runs_once(self, line: int) -> bool:
        """Whether a line runs when the module is imported, or in a function that is cached."""
        return line not in self._inside or line in self._cached

    def defined(self, line: int) -> tuple[set[str], set[int]]:
        """The names that a line which runs once decides, and the lines in functions that are part
        of their definition."""
        if line in self._cached:
            return {self._cached[line]}, set()
        (statement,) = (
            node for node in self._module.body if _span(node)[0] <= line <= _span(node)[2]
        )
        names = _defined(statement)
        parts = {
            number for number in range(statement.lineno, _span(statement)[2] + 1)
        } & self._inside
        changed = True
        while changed:  # constants and classes that are made of it
            more = {
                name
                for node in self._module.body
                if any(_name(part) in names for part in _outside_functions(node))
                for name in _defined(node)
            }
            changed = not more <= names
            names |= more
        return names, parts

    def naming(self, module: str, names: set[str]) -> set[str]:
        """The functions of this text that mention a module by its name, or one of some names that
        the text imports from there."""
        local = {
            alias.asname or alias.name
            for node in self._module.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if f"{node.module}.{alias.name}" == module
            or (node.module == module and alias.name in names)
        }
        return {
            node.name
            for node in ast.walk(self._module)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and any(isinstance(part, ast.Name) and part.id in local for part in ast.walk(node))
        }

    def using(self, names: set[str]) -> set[int]:
        """The lines in functions that mention one of some names."""
        return {line for name in names for line in self._mentions.get(name, ())} & self._inside


class Code:
    """All modules of a project, read when they are needed."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.lines = functools.cache(lambda module: Lines(project.text(module)))

    def digest(self, module: str) -> str:
        return self.lines(module).digest

    def dependent(self, module: str, line: int) -> dict[str, set[int]]:
        """The lines in functions, by module, that depend on a line which runs once."""
        names, parts = self.lines(module).defined(line)
        lines_by_module = {module: parts}
        for other in self._project.modules():
            if using := self.lines(other).using(names):
                lines_by_module[other] = lines_by_module.get(other, set()) | using
        return lines_by_module


def _span(node: ast.AST) -> tuple[int, int, int]:
    """The first line of a statement, the last of its head, and its last."""
    place = node.pattern if isinstance(node, ast.match_case) else node
    first = min(part.lineno for part in [place, *getattr(node, "decorator_list", [])])
    children = [
        _span(child)
        for child in ast.iter_child_nodes(node)
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
    ]
    last = max([place.end_lineno, *(child[2] for child in children)])  # type: ignore[attr-defined]
    head = max(first, min(child[0] for child in children) - 1) if children else last
    return first, head, last


def _outside_functions(statement: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement that run with the module."""
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        yield statement
        for child in ast.iter_child_nodes(statement):
            yield from _outside_functions(child)


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _defined(statement: ast.stmt) -> set[str]:
    """The names that a statement at the top of a module defines."""
    return {*_names(statement)}


def _names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
