"""What an answer depends on in the environment is part of the question: the names are found in the package itself."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import symindex
from symindex.serve.daemon import wire

PACKAGE: Final = Path(symindex.__file__).parent
NAME: Final = re.compile(r"_?[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
NAMED_AS_VARIABLE: Final = re.compile(r"variable|environ", re.IGNORECASE)

NO_ANSWER: Final = {
    "PAGER": "the client asks nobody where a pager would show the page",
    "_SYMINDEX_COMPLETE": "with it nobody is asked",
    "OPENBLAS_NUM_THREADS": "it is set, not read",
}
"""The variables that the package reads and an answer does not depend on, with the reason."""


def _constants(tree: ast.AST) -> dict[str, list[str]]:
    """The texts that top-level names of a module hold."""
    return {
        target.id: [leaf.value for leaf in ast.walk(node.value) if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)]
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def _texts(node: ast.AST, constants: dict[str, list[str]]) -> Iterator[str]:
    for leaf in ast.walk(node):
        if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str):
            yield leaf.value
        elif isinstance(leaf, ast.Name | ast.Attribute):
            yield from constants.get(leaf.id if isinstance(leaf, ast.Name) else leaf.attr, [])


def _read_names() -> set[str]:
    """The names that are looked up in an environment, and those in tables of names of variables."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    constants: dict[str, list[str]] = {}
    for tree in trees:
        for name, texts in _constants(tree).items():
            constants.setdefault(name, []).extend(texts)
    found: set[str] = set()
    for tree in trees:
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and node.args
                and re.search(r"environ(ment)?[.]get|getenv|[.]variable$|_folder$", ast.unparse(node.func))
            ):
                found.update(_texts(node.args[0], constants))
            elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith(("environ", "environment")):
                found.update(_texts(node.slice, constants))
            elif isinstance(node, ast.For) and NAMED_AS_VARIABLE.search(ast.unparse(node.target)):
                found.update(_texts(node.iter, constants))
    return {name for name in found if NAME.fullmatch(name)}


def test_each_variable_that_the_package_reads_is_compared_or_known_not_to_matter() -> None:
    names = _read_names()
    assert {"VIRTUAL_ENV", "GOPATH", "GEM_PATH", "RUSTUP_TOOLCHAIN", "PATH", "XDG_CACHE_HOME", "MAVEN_OPTS"} <= names
    settled = {*wire.SHOWN, *wire.NOT_MEANT, *NO_ANSWER}
    assert sorted(name for name in names - settled if not wire.meant({name: "x"})) == []


@pytest.mark.parametrize("name", sorted(_read_names() - {*wire.SHOWN, *wire.NOT_MEANT, *NO_ANSWER}))
def test_another_value_is_another_question_and_the_value_is_not_sent(name: str) -> None:
    one, other = wire.meant({name: "secret-one"}), wire.meant({name: "secret-two"})
    assert one != other != {}
    assert one != {}
    assert "secret" not in str((one, other))
