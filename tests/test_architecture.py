"""The structure: the map is true, imports go one way, and what only one module may know only one module knows."""

import ast
import re
from pathlib import Path

import pytest

from symindex.extract.languages.registry import load_languages

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "symindex"
MAP = (PACKAGE / "README.md").read_text()
MODULES = sorted(
    path.relative_to(PACKAGE).with_suffix("").as_posix() for path in PACKAGE.rglob("*.py") if "node_modules" not in path.parts
)
NAMED = [name for name in MODULES if not name.endswith("__init__") and name != "__main__"]


def imports_of(name: str) -> set[str]:
    """The modules that a module imports, at the top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse((PACKAGE / f"{name}.py").read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def import_order() -> list[str]:
    block = re.search(r"## Import order.*?```\n(.*?)```", MAP, re.DOTALL)
    assert block is not None
    return block[1].split()


@pytest.mark.parametrize("name", NAMED)
def test_imports_go_one_way(name: str) -> None:
    order = import_order()
    own = order.index(name.split("/")[0])
    inside = [module.split(".")[1] for module in imports_of(name) if module.startswith("symindex.")]
    assert all(order.index(other) <= own for other in inside)


def test_no_cycles() -> None:
    graph = {
        name: [m.removeprefix("symindex.").replace(".", "/") for m in imports_of(name) if m.startswith("symindex.")]
        for name in NAMED
    }
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, f"imports in a circle: {' -> '.join([*path, name])}"
        if name not in done and name in graph:
            for other in graph[name]:
                visit(other, (*path, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def test_the_map_names_every_module() -> None:
    assert sorted(re.findall(r"^\| `([\w/]+)` \|", MAP, re.MULTILINE)) == NAMED


@pytest.mark.parametrize("page", ["symindex/README.md", ".github/SECURITY.md"])
def test_every_test_that_a_page_names_exists(page: str) -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / page).read_text())
    assert len(named) > 10
    for file, test in named:
        text = (ROOT / file).read_text()
        assert not test or f"def {test}(" in text, f"{file}::{test}"


@pytest.mark.parametrize(
    ("library", "knower"),
    [
        ("tree_sitter", "extract/parse"),
        ("tree_sitter_language_pack", "extract/parse"),
        ("mmap", "index/store"),
        ("watchfiles", "files/watch/events"),
        ("click", "serve/cli"),
        ("symindex.workers.process", "workers/pool"),
        ("pygls", "serve/lsp"),
        ("mcp", "serve/mcp"),
    ],
)
def test_only_one_module_knows(library: str, knower: str) -> None:
    knowers = {name for name in NAMED if any(f"{m}.".startswith(f"{library}.") for m in imports_of(name))}
    assert knowers
    assert all(name == knower or name.startswith(f"{knower}/") for name in knowers)


OPENERS = {
    "files/access/private_folder": "what we write, in folders of the user's own",
    "index/store": "the index's own files",
    "workers/process": "a file in memory",
    "workers/memory_limit": "the kernel's word for the memory of this process",
    "files/watch/events": "the kernel's list of what is mounted",
    "workers/worker": "the standard streams",
    "files/forked_walk": "the null device, for the standard streams",
    "serve/cli/export": "the standard output",
    "serve/streams": "the standard streams, and the null device",
    "serve/peer_user": "the kernel's list of its sockets",
    "serve/log": "the log, where the user has it written",
    "serve/cli/output": "the output, where the user has it written",
    "serve/cli/main": "the null device, for streams that are closed",
    "serve/mcp/fast_handshake": "a file of the package",
}
"""The modules that open files themselves, and which: none of them takes a path from a tree."""

OPENING = {"read_bytes", "read_text", "write_bytes", "write_text", "fdopen", "mmap", "touch"}


def opens_files(name: str) -> bool:
    """Whether a module opens files by its own means: `open`, `os.open`, or the methods of a path."""
    for node in ast.walk(ast.parse((PACKAGE / f"{name}.py").read_text())):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id == "open":
                return True
            if isinstance(called, ast.Attribute):
                is_os = isinstance(called.value, ast.Name) and called.value.id in ("os", "io")
                if called.attr in OPENING or (called.attr == "open" and is_os):
                    return True
    return False


def test_files_of_a_tree_are_opened_in_one_place() -> None:
    assert {name for name in NAMED if opens_files(name)} - OPENERS.keys() == {"files/access/regular", "files/access/beneath"}
    assert all(opens_files(name) for name in OPENERS)


def test_no_language_is_named_in_python_code() -> None:
    ids = set(load_languages().by_id)
    for name in MODULES:
        tree = ast.parse((PACKAGE / f"{name}.py").read_text())
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                assert node.value not in ids, f"{name}: names the language {node.value!r}"


@pytest.mark.parametrize("name", NAMED)
def test_a_module_opens_with_its_idea_and_stays_small(name: str) -> None:
    text = (PACKAGE / f"{name}.py").read_text()
    tree = ast.parse(text)
    assert ast.get_docstring(tree)
    assert len(text.splitlines()) <= 500
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            # A command's options are its interface, not its length.
            length = (node.end_lineno or 0) - node.body[0].lineno + 1
            assert length <= 60, f"{name}: {node.name} has {length} lines"


@pytest.mark.parametrize("folder", ["grammars", "fixtures", "tests", "symindex"])
def test_every_room_has_a_readme(folder: str) -> None:
    assert (ROOT / folder / "README.md").stat().st_size > 200


def test_every_file_of_tests_is_on_their_page() -> None:
    page = (ROOT / "tests" / "README.md").read_text()
    names = [path.relative_to(ROOT / "tests").with_suffix("").as_posix() for path in (ROOT / "tests").rglob("test_*.py")]
    assert [name for name in names if f"`{name}`" not in page] == []
