"""The structure of the package: the map is true, imports go one way, and knowledge that belongs in
one module stays there."""

import ast
import functools
import itertools
import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from symindex.extract.languages.registry import load_languages
from tests.support.imports import Imports, read_imports

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "symindex"
MAP = (PACKAGE / "README.md").read_text()
MODULES = sorted(
    path.relative_to(PACKAGE).with_suffix("").as_posix()
    for path in PACKAGE.rglob("*.py")
    if "node_modules" not in path.parts
)
NAMED = [name for name in MODULES if not name.endswith("__init__") and name != "__main__"]


OURS = {f"symindex.{name.replace('/', '.')}" for name in NAMED} | {"symindex.__main__"}


@functools.cache
def imports_of(name: str) -> Imports:
    """Returns what a module imports, at the top or inside functions."""
    return read_imports((PACKAGE / f"{name}.py").read_text(), package_of(name), OURS)


def package_of(name: str) -> str:
    """Returns the package that contains a module; a package's own module counts as the package."""
    return ".".join(["symindex", *name.split("/")[:-1]])


def inside(names: Iterable[str]) -> set[str]:
    """Returns the names in `names` that belong to this project."""
    return {name for name in names if name.split(".")[0] == "symindex"}


def import_order() -> list[str]:
    block = re.search(r"## Import order.*?```\n(.*?)```", MAP, re.DOTALL)
    assert block is not None
    return block[1].split()


STARTED = {
    ("packages/indexes/package_build", "symindex.__main__"): "likewise for the command `deps`",
    (
        "index/update",
        "symindex.__main__",
    ): "the command `index` builds an index, and outlives the search that needs it",
    (
        "serve/daemon/start",
        "symindex.__main__",
    ): "a daemon is the command `serve`, and outlives the search that starts it",
}
"""The modules that start a process of a package above their own, and why."""


def out_of_order(name: str, imports: Imports) -> set[str]:
    """Returns the imports of a module that the order forbids. Nothing may be imported from a
    package itself except the version: everything else is in its modules."""
    order = import_order()
    above = order[: order.index(name.split("/")[0]) + 1]
    started = {module for module in inside(imports.named) if (name, module) not in STARTED}
    modules = inside(imports.modules) - {"symindex.__version__"}
    return (modules - OURS) | {
        module
        for module in modules | started
        if module.removeprefix("symindex.").split(".")[0] not in above
    }


def test_imports_go_one_way() -> None:
    assert {
        name: forbidden for name in NAMED if (forbidden := out_of_order(name, imports_of(name)))
    } == {}


@pytest.mark.parametrize(
    "text",
    [
        "import symindex",
        "import symindex.serve.cli.main",
        "import symindex.serve.cli.main as x",
        "import symindex.errors\nsymindex.serve.cli.main",
        "from symindex import serve",
        "from symindex import Workspace",
        "from symindex.serve import cli",
        "from symindex.serve.cli import main",
        "from symindex.serve.cli.main import main",
        "from .. import workspace",
        "from ..index import store",
        "if TYPE_CHECKING:\n    from symindex.serve.cli.main import main",
        "def run():\n    from symindex.serve.cli.main import main",
        "import importlib\nimportlib.import_module('symindex.serve.cli.main')",
        "python_command('symindex.serve.cli.main')",
        "__import__('symindex.serve.cli', fromlist=['main'])",
        "from symindex.extract import no_module",
    ],
)
def test_no_import_gets_around_the_order(text: str) -> None:
    """A module of `text` is caught in every form of import of a later module or of a package."""
    assert out_of_order("extract/read", read_imports(text, "symindex.extract", OURS))


def test_listed_starts_still_exist() -> None:
    assert all(started in imports_of(name).named for name, started in STARTED)


COMPUTED = {
    "__init__": "the public names, each from the module in the table next to it",
    "workers/worker": "a worker imports its job by name, so that this package imports no package above it",
    "extract/documents/readers": "the reader of a format is imported with the first document of that format; a table names it",
    "extract/parse/grammar": "a user's own language may name the package of its grammar",
    "serve/cli/command_table": "a command is loaded when it is used; a table names its module",
    "serve/api/run": "whether the packages of the extra are installed; a list names them",
    "serve/web/run": "whether the packages of the extra are installed; a list names them",
    "workers/isolation": "a process runs the module that its starter names",
}
"""The modules that import by a name computed at run time, and what they import."""


def test_only_listed_modules_import_computed_names() -> None:
    assert {name for name in MODULES if imports_of(name).computed} == COMPUTED.keys()


DISTRIBUTIONS = {
    "Stemmer": "PyStemmer",
    "markdown_it": "markdown-it-py",
    "mcp_types": "mcp-types",
    "re2": "google-re2",
    "tree_sitter": "tree-sitter",
    "tree_sitter_language_pack": "tree-sitter-language-pack",
    "yaml": "PyYAML",
}
"""Distributions whose packages have another name. Not every wheel lists its packages, so the
installed metadata does not provide this."""


def test_what_is_imported_is_declared() -> None:
    """Each imported library is a dependency or belongs to an extra, and each declared one is
    imported."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    rows = [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    declared = {re.split(r"[^\w.-]", row)[0].lower() for row in rows}
    libraries = {module.split(".")[0] for name in MODULES for module in imports_of(name).modules}
    libraries -= {"symindex", *sys.stdlib_module_names}
    assert {DISTRIBUTIONS.get(library, library).lower() for library in libraries} == declared


def test_packages_import_nothing() -> None:
    """Importing a module also imports the packages around it."""
    packages = {path.parent for path in map(PACKAGE.joinpath, MODULES)} - {PACKAGE}
    assert packages == {
        PACKAGE / name.removesuffix("/__init__") for name in MODULES if name.endswith("/__init__")
    }
    for package in packages:
        (docstring,) = ast.parse((package / "__init__.py").read_text()).body
        assert isinstance(docstring, ast.Expr), package


def test_no_cycles() -> None:
    graph = {
        name: [
            module.removeprefix("symindex.").replace(".", "/")
            for module in inside(imports_of(name).modules)
        ]
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


def test_every_module_is_on_the_page_of_its_package() -> None:
    """The table below `## Modules` names each module by its path from the page's own folder."""
    named = []
    for page in PACKAGE.rglob("README.md"):
        section = re.search(
            r"^## Modules\n(.*?)(?=^## |\Z)", page.read_text(), re.MULTILINE | re.DOTALL
        )
        room = page.parent.relative_to(PACKAGE)
        named += [
            str(room / name)
            for name in re.findall(
                r"^\| `([\w/]+)` \|", section[1] if section else "", re.MULTILINE
            )
        ]
    assert sorted(set(named)) == NAMED


@pytest.mark.parametrize("page", ["symindex/README.md", ".github/SECURITY.md"])
def test_every_test_that_a_page_names_exists(page: str) -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / page).read_text())
    assert len(named) > 10
    for file, test in named:
        text = (ROOT / file).read_text()
        assert not test or f"def {test}(" in text, f"{file}::{test}"


DOORS_CALL = {
    "errors", "protocol", "requests", "cancellation", "settings", "text", "workspace", "editor", "fleet", "render", "dialects", "serve",
}  # fmt: skip
"""What a front end may import: shared terms, the façade, and the code that turns answers into text
or speaks the protocol of another system."""

DOORS_CALL_BELOW = {
    "symindex.files.locations": "the root is found before the façade is loaded, which loads numpy",
    "symindex.files.access.private_folder": "the right to serve a tree is acquired before the façade is loaded",
    "symindex.files.index_place": "the client of a daemon finishes before the façade is loaded; `lsp` names the file of settings",
    "symindex.files.user_folders": "the client of a daemon finishes before the façade is loaded",
    "symindex.workers.isolation": "client and daemon compare their versions; a daemon starts as a worker does",
    "symindex.extract.summary": "`languages` and `check` are about languages, not about a tree",
    "symindex.extract.items.types": "completion offers words without opening a tree",
    "symindex.files.ignore.git_reader": "completion offers the revisions of git",
    "symindex.workers.child": "the page says why a worker ended that rendered a text",
    "symindex.workers.framing": "workers highlight code and render prose for the page",
    "symindex.workers.memory_limit": "workers highlight code and render prose for the page",
    "symindex.workers.pool": "workers highlight code and render prose for the page",
    "symindex.workers.dump": "`dump` is about one file, not about a tree",
    "symindex.fetch.http_client": "the client of a service is a front end's source of answers",
    "symindex.fetch.read_request": "front ends read a fetch request from a client's fields",
    "symindex.recall.chunks.read_request": "front ends read a question in words from a client's fields",
    "symindex.fetch.trust": "`trust` is about the user's keys, not about a tree",
    "symindex.fetch.sign_file": "`sign` is about some files, not about a tree",
}
"""What else front ends import, and why."""


def test_front_ends_call_the_workspace_and_nothing_below() -> None:
    doors = [name for name in NAMED if name.startswith("serve/")]
    pairs = {(name, module) for name in doors for module in inside(imports_of(name).modules)}
    allowed = {"symindex.__version__", *DOORS_CALL_BELOW}
    below = {
        pair for pair in pairs if pair[1] not in allowed and pair[1].split(".")[1] not in DOORS_CALL
    }
    assert below == set()


RENDER_READS = {
    "symindex.extract.records": "an export writes symbols as they are stored",
    "symindex.explore.listing": "an export receives the files of a tree one by one",
    "symindex.extract.languages.registry": "the names of languages in tags and SCIP are data of the languages",
    "symindex.extract.texts.file_text": "a tags file needs to know whether a file is UTF-8",
    "symindex.extract.summary": "the table of languages",
    "symindex.files.skips": "reports name the reasons for skipped files",
}
"""What `render` imports in addition to `protocol` and `text`, and why."""


def test_render_writes_answers_and_decides_nothing() -> None:
    """`render` depends on `protocol` and `text` only, except for what exports read."""
    modules = {
        module
        for name in NAMED
        if name.startswith("render/")
        for module in inside(imports_of(name).modules)
        if module.split(".")[1] not in ("protocol", "text", "render", "__version__")
    }
    assert modules == RENDER_READS.keys()


PLANNED = {"search/answer/plan", "search/options/read"}
"""The modules of `search` that read a request; all others work on its plan."""


def test_below_the_workspace_a_search_is_a_plan() -> None:
    readers = {
        name
        for name in NAMED
        if name.startswith(("search/", "index/", "explore/"))
        and "SearchRequest" in (PACKAGE / f"{name}.py").read_text()
    }
    assert readers == PLANNED


def test_what_front_ends_call_below_the_workspace_is_still_called() -> None:
    called = {
        module for name in NAMED if name.startswith("serve/") for module in imports_of(name).modules
    }
    assert called >= DOORS_CALL_BELOW.keys()


@pytest.mark.parametrize(
    ("library", "knower"),
    [
        ("tree_sitter", "extract/parse"),
        ("tree_sitter_language_pack", "extract/parse"),
        ("mmap", "index/store index/columns/mapped"),
        ("watchfiles", "files/watch/whole_tree"),
        ("click", "serve/cli"),
        ("pygls", "serve/lsp"),
        ("lsprotocol", "serve/lsp"),
        ("symindex.workers.process", "workers/pool"),
        ("mcp", "serve/mcp"),
        ("mcp_types", "serve/mcp"),
        ("starlette", "serve/api serve/mcp serve/web serve/http_headers serve/slow_bodies"),
        ("uvicorn", "serve/uvicorn_limits"),
        ("jinja2", "serve/web/site"),
        ("pygments", "serve/web/content/lexers serve/web/content/highlight_job"),
        ("markdown_it", "serve/web/content/prose_job"),
        ("nh3", "serve/web/content/safe_html"),
        ("cryptography", "fetch/keys"),
        ("http", "fetch/http_reader fetch/http_client"),
    ],
)
def test_only_one_module_knows(library: str, knower: str) -> None:
    knowers = {name for name in MODULES if library in imports_of(name).modules}
    assert knowers
    for module in knower.split():
        knowers = {name for name in knowers if name != module and not name.startswith(f"{module}/")}
    assert knowers == set()


OPENERS = {
    "files/access/private_folder": "our own files, in the user's own folders",
    "packages/found/archives": "members of archives, in a new folder of the user's",
    "files/access/new_file": "copied and signed files below a root, opened folder by folder",
    "index/store": "the index's own files",
    "text/word_tables": "our own tables of words",
    "explore/trace/frames": "our own tables of the forms of traces",
    "workers/memory_limit": "the kernel's report on the memory of this process",
    "files/watch/events": "the kernel's list of mounts",
    "workers/worker": "the standard streams",
    "files/forked_walk": "the null device, for the standard streams",
    "serve/cli/commands/export": "the standard output",
    "fleet/building/ray_driver": "the standard streams",
    "serve/streams": "the standard streams, and the null device",
    "serve/peer_user": "the kernel's list of its sockets",
    "serve/unix_peer": "the folder of a socket whose path is too long for an address",
    "__main__": "the null device, after the reader of standard output has gone",
    "serve/log": "the log file that the user chose",
    "serve/cli/output": "the output file that the user chose",
    "serve/cli/main": "the null device, for streams that are closed",
    "serve/mcp/client_profiles": "a file of the package",
    "serve/web/content/lexers": "a file of the package",
    "serve/web/site": "the style and the script of the package",
}
"""The modules that open files themselves, and which files: none of them uses a path from a source
tree."""

OPENING = {
    "read_bytes", "read_text", "write_bytes", "write_text", "fdopen", "mmap", "touch", "fromfile", "tofile", "memmap", "copyfile",
}  # fmt: skip


def opens_files(text: str) -> bool:
    """Whether a text opens files by its own means: `open`, `os.open`, or the methods of a path."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and node.id == "open" and isinstance(node.ctx, ast.Load):
            return True
        if (
            isinstance(node, ast.ImportFrom)
            and node.module in ("os", "io")
            and any(alias.name == "open" for alias in node.names)
        ):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called, given = (
                node.func,
                [argument.value for argument in node.args if isinstance(argument, ast.Constant)],
            )
            is_os = isinstance(called.value, ast.Name) and called.value.id in ("os", "io", "codecs")
            is_path = not node.args or any(
                re.fullmatch("[rwabx+t]+", str(value)) for value in given
            )
            if called.attr in OPENING or (called.attr == "open" and (is_os or is_path)):
                return True
    return False


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("open(path)", True),
        ("read(path, opener=open)", True),
        ("os.open(path, os.O_RDONLY)", True),
        ("from os import open as os_open", True),
        ("io.open(path)", True),
        ("codecs.open(path, 'r', 'utf-8')", True),
        ("path.open()", True),
        ("path.open('rb')", True),
        ("path.open(encoding='utf-8')", True),
        ("path.read_bytes()", True),
        ("numpy.fromfile(path)", True),
        ("os.supports_dir_fd >= {os.open}", False),
        ("documents.open(key, '', text)", False),
        ("def open(path): pass", False),
    ],
)
def test_code_that_opens_files_is_found(text: str, opens: bool) -> None:
    assert opens_files(text) is opens


@pytest.mark.slow
def test_files_of_a_tree_are_opened_in_one_place() -> None:
    openers = {name for name in MODULES if opens_files((PACKAGE / f"{name}.py").read_text())}
    assert openers == OPENERS.keys() | {"files/access/regular", "files/access/beneath"}


def words_of(text: str) -> set[str]:
    """Returns everything in a program that could name a language, in lower case: its strings, and
    its names longer than one letter."""
    texts: set[object] = set()
    names: set[str | None] = set()
    nodes = [*ast.walk(ast.parse(text))]
    written = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and id(node) not in written:
            texts.add(node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value)
        elif isinstance(node, ast.keyword | ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Name):
            names.add(node.id)
    long = {word.lower() for word in texts | names if isinstance(word, str) and len(word) > 1}
    return long | {word for word in texts if isinstance(word, str)}


@pytest.mark.parametrize(
    "text",
    [
        "x == 'go'",
        "x == b'go'",
        "x = {'go': 1}",
        "x = 'Go'",
        "x = f'go{y}'",
        "x(go=1)",
        "Language.GO",
        "GO = 1",
    ],
)
def test_code_that_names_a_language_is_found(text: str) -> None:
    assert "go" in words_of(text)


NAMED_AFTER_LANGUAGES = {
    "packages/ecosystems/c_headers": {"c"},
    "packages/ecosystems/cargo": {"rust"},
    "packages/found/ecosystems": {"go", "python"},
    "packages/ecosystems/go": {"go"},
    "packages/ecosystems/jvm": {"java"},
    "packages/found/package": {"go"},
    "packages/ecosystems/python": {"python"},
    "packages/found/reexports": {"python"},
    "packages/ecosystems/requirements": {"python"},
    "packages/ecosystems/ruby": {"ruby"},
    "serve/daemon/wire": {"go", "python", "ruby"},
}
"""Package ecosystems, with their folders, programs and variables, that share the name of a
language. Their places are a convention of the ecosystem and do not affect how a language is
read."""


ORDINARY_WORDS = {
    "asm", "css", "d", "dtd", "fish", "flow", "func", "hack", "html", "ini", "json", "make", "markdown", "properties", "proto",
    "r", "readline", "ron", "scheme", "sql", "toml", "v", "xml", "yaml",
}  # fmt: skip
"""Ids of languages that are also ordinary words, or formats that programs read and write: using
them does not name a language."""


@pytest.mark.slow
def test_no_language_is_named_in_python_code() -> None:
    language_ids = load_languages().by_id.keys() - ORDINARY_WORDS
    named = {
        name: words_of((PACKAGE / f"{name}.py").read_text()) & language_ids for name in MODULES
    }
    assert {name: words for name, words in named.items() if words} == NAMED_AFTER_LANGUAGES


@pytest.mark.slow
def test_a_module_opens_with_its_idea_and_stays_small() -> None:
    assert [fault for name in MODULES for fault in oversights(name)] == []


def oversights(name: str) -> list[str]:
    """Returns what a module lacks and which of its parts are too long."""
    text = (PACKAGE / f"{name}.py").read_text()
    tree = ast.parse(text)
    problems = [] if ast.get_docstring(tree) else [f"{name}: no docstring"]
    if (length := len(text.splitlines())) > 500:
        problems.append(f"{name}: {length} lines")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            # The options of a command are its interface and do not count as its length.
            length = (node.end_lineno or 0) - node.body[0].lineno + 1
            if length > 60:
                problems.append(f"{name}: {node.name} has {length} lines")
    return problems


@pytest.mark.parametrize("folder", ["grammars", "fixtures", "tests", "symindex"])
def test_every_top_folder_has_a_readme(folder: str) -> None:
    assert (ROOT / folder / "README.md").stat().st_size > 200


def test_every_file_of_tests_is_on_their_page() -> None:
    page = (ROOT / "tests" / "README.md").read_text()
    names = [
        path.relative_to(ROOT / "tests").with_suffix("").as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
    ]
    assert [name for name in names if f"`{name}`" not in page] == []
