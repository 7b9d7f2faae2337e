"""Every notice that an answer can carry: where the code writes it, and what causes it.

`templates` finds the notices in the code: the texts that are added to a list of notices or returned
by a function whose docstring says that it returns some, and the paragraphs below the rows of a page.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from tests.support.files import Files

PACKAGE: Final = Path(__file__).parents[2] / "symindex"
TESTS: Final = Path(__file__).parents[1]

HOLE: Final = "{}"
"""A value in a template."""

_CALLS: Final = frozenset({"notice", "notify", "add_notice", "add_notices", "limit_reached"})
"""Functions that add their arguments to an answer's notices."""

_LIST: Final = re.compile(r"(?:^|[._])(?:notices?|warnings)$")
"""Names of variables and attributes that contain notices."""

_RETURNS: Final = re.compile(
    r"(?:Returns|Adds|Yields|Writes|Explains)\b[^.]*\b(?:notices?|explanation|explains)\b"
)
"""How the docstring of a function begins that returns notices."""

_EXPLAINING: Final = (
    "search/answer/explain_empty.py",
    "search/answer/query_pieces.py",
    "explore/missing.py",
)
"""Modules that contain nothing but notices: the explanations of empty answers."""

_LEAST_WORDS: Final = 3
"""Shorter texts are parts of a notice, such as a number with its noun."""


class Template(NamedTuple):
    """A notice as the code writes it, with `{}` for each value."""

    path: str
    line: int
    text: str

    @property
    def pieces(self) -> list[str]:
        """The texts between the values."""
        return [piece.strip() for piece in self.text.split(HOLE)]


def text_of(node: ast.AST) -> str | None:
    """Returns a string of source code, with `{}` for each value; `None` for any other expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values
        )
    return None


def _without_docstrings(tree: ast.AST) -> ast.AST:
    """Returns a tree without its docstrings and the texts below constants."""
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                child.value = ast.Constant(None)
    return ast.Pass() if isinstance(tree, ast.Expr) else tree


def _texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Raise):
        return
    text = text_of(node)
    if text is not None:
        if len(re.findall(r"[A-Za-z]{2,}", text)) >= _LEAST_WORDS and " " in text.strip():
            yield node.lineno, text  # type: ignore[attr-defined]
        return
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


def _is_list(node: ast.AST) -> bool:
    return _LIST.search(ast.unparse(node)) is not None


def _sources(node: ast.AST) -> list[ast.AST]:
    """Returns the expressions of a node whose value becomes a notice."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            into_list = (
                name in ("append", "extend", "insert")
                and isinstance(node.func, ast.Attribute)
                and _is_list(node.func.value)
            )
            expressions: list[ast.AST] = [*node.args] if name in _CALLS or into_list else []
            return expressions + [word.value for word in node.keywords if word.arg == "notices"]
        case ast.AugAssign(target=target) | ast.NamedExpr(target=target):
            return [node.value] if _is_list(target) else []
        case ast.AnnAssign(target=target, value=value) if value is not None:
            return [value] if _is_list(target) else []
        case ast.Assign(targets=targets):
            return [node.value] if any(map(_is_list, targets)) else []
        case ast.FunctionDef():
            if not _RETURNS.match(" ".join((ast.get_docstring(node) or "").split())):
                return []
            sources = (ast.Return, ast.Yield, ast.Assign)
            return [inner for inner in ast.walk(node) if isinstance(inner, sources)]
    return []


@cache
def templates() -> list[Template]:
    """Returns the notices that the package contains, by file and line."""
    notices = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if name in _EXPLAINING:
            notices |= {
                Template(name, line, text)
                for statement in tree.body
                for line, text in _texts(_without_docstrings(statement))
            }
        for node in ast.walk(tree):
            for source in _sources(node):
                notices |= {Template(name, line, text) for line, text in _texts(source)}
            text = text_of(node) or ""
            if name.startswith("render/") and text.startswith("> ") and [*_texts(node)]:
                notices.add(Template(name, node.lineno, text))  # type: ignore[attr-defined]
    return sorted(notices)


@cache
def quoted_in(path: str) -> str:
    """Returns all strings of a file of tests, one after the other."""
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return "\n".join(filter(None, map(text_of, ast.walk(tree))))


class Notice(NamedTuple):
    """A notice.

    words: a part of it without values, which its template contains. tool, fields: a request on FILES
    that causes it; without them, `seen_by` is the file of the tests that cause it, or empty if none
    does yet. not_at: front ends that cannot send this request.
    """

    words: str
    tool: str = ""
    fields: Mapping[str, object] = MappingProxyType({})
    seen_by: str = ""
    not_at: str = ""


_TRACE: Final = 'Traceback (most recent call last):\n  File "py/shop.py", line 1, in pay\n    x\n'
_FEW_BYTES: Final = 2_000_000

FILES: Final[Files] = {
    "py/shop.py": (
        "class Cart:\n    '''Holds things.'''\n\n    def total(self): pass\n\n    def pay(self):\n"
        "        self.total()\n\n\n\n\n\ndef total(a): pass\n\n\nclass Late(Cart):\n"
        "    def total(self): pass\n\n\nclass Later(Late): pass\n\n\nclass Lost(Gone): pass\n"
    ),
    "py/server.py": "def server(): 'Serves a cart.'\n\n\ndef caller(): total(1)\n",
    "py/conflict.py": (
        "<<<<<<< ours\ndef conflicting(): return 1\n=======\ndef conflicting(): return 2\n>>>>>>> theirs\n"
    ),
    "docs/guide.md": "# Guide\n\nHow a cart computes its total.\n",
    "docs/more.md": "# More\n\nAnother cart.\n",
    "notes/one.md": "# One\n\nAlone.\n",
    "huge.py": "def huge(): pass\n#" + "x" * _FEW_BYTES,
}
"""A small tree in which the requests of NOTICES cause them."""

NOTICES: Final = (
    Notice("is past the end: ", "search", {"query": "total", "start_index": 99}),
    Notice(" was searched for", "search", {"query": "servr cart"}),
    Notice("these are the symbols of ", "search", {"query": "py/shop.py"}),
    Notice(": the symbols around it, the innermost first", "search", {"query": "py/shop.py:7"}),
    Notice("no symbol is around line ", "search", {"query": "py/shop.py:11"}),
    Notice("no file of the index is `", "search", {"query": "py/nosuch.py:3"}),
    Notice("` itself; each row ", "search", {"query": "crt"}),
    Notice("operators are upper case: ", "search", {"query": "zzq and yyq"}),
    Notice("without kinds `", "search", {"query": "total", "kinds": ["enum"]}),
    Notice("each alone finds: ", "search", {"query": "Nosuch.total"}),
    Notice("contains the markers of an unfinished merge", "search", {"query": "conflicting"}),
    Notice("nothing is inside of `", "search", {"query": "calls.sys.Cart"}),
    Notice("` occurs in ", "search", {"query": "huge"}),
    Notice(" not read and may contain ", "symbol", {"symbol": "nosuch"}),
    Notice("nothing is written like this; what is shown differs in case", "symbol", {"symbol": "CART"}),
    Notice("nothing has this whole name; what is shown matches its last parts", "symbol", {"symbol": "x.y.Cart.total"}),
    Notice(" is not a file of the workspace: ", "symbol", {"symbol": "nofile.py#Cart"}),
    Notice(": no symbol is on that line; nearest: ", "symbol", {"symbol": "py/shop.py:11"}),
    Notice("no file matches ", "outline", {"path": ["py/shop.py", "nosuch/x.py"]}, not_at="mcp"),
    Notice("no symbols of the kinds ", "outline", {"path": "py/shop.py", "kinds": ["enum"]}, not_at="mcp"),
    Notice(": the file defines nothing", "outline", {"path": "notes"}, not_at="mcp"),
    Notice("the files define nothing", "outline", {"path": "docs"}, not_at="mcp"),
    Notice("`: no symbol contains it", "search", {"query": "zzq yyq"}),
    Notice("no signature or doc contains it", "search", {"query": "content:zzq total"}),
    Notice(" is of this kind", "search", {"query": "kind:enum total"}),
    Notice(" is of this type", "search", {"query": "type:enum total"}),
    Notice(" has this flag", "search", {"query": "is:deprecated total"}),
    Notice(" has this id", "search", {"query": "id:nosuch total"}),
    Notice(" is in this language", "search", {"query": "lang:go total"}),
    Notice("no name resembles it", "search", {"query": "name:zzq total"}),
    Notice(" is of kind ", "search", {"query": "total", "kinds": ["enum"], "languages": ["python"]}),
    Notice(" is of type ", "search", {"query": "total", "type": "enum"}, not_at="mcp"),
    Notice("` matches no file", "search", {"query": "total", "paths": ["nosuch/**"]}),
    Notice(" is not a plain identifier: uses by a sign alone, like operators, are not found", "references", {"name": "operator+"}),
    Notice("not looked into: ", "grep", {"pattern": "total", "paths": ["huge.py"]}),
    Notice(" is searched for, the last part of ", "references", {"name": "Nosuch.total"}),
    Notice(" is not an identifier: only identifiers are searched for", "references", {"name": "a b"}),
    Notice("the filters on language and path leave ", "references", {"name": "total", "paths": ["docs"]}),
    Notice("no file matches the filters on language and path", "references", {"name": "total", "languages": ["go"]}),
    Notice(" is known", "hierarchy", {"symbol": "nosuch"}),
    Notice(" is not defined here: this is what names it as a base", "hierarchy", {"symbol": "Gone"}),
    Notice("focus: nothing is named ", "map", {"path": "py", "focus": ["nosuch"]}),
    Notice(": the line of the frame is outside of it, so another version of the file may have failed", "trace", {"text": _TRACE}),
    Notice("there is no text yet: ", "recall", {"queries": ["cart"], "within": "notes"}),
    Notice('" occurs nowhere: searched for "', "recall", {"queries": ["servr cart"]}),
    Notice('" occurs nowhere', "recall", {"queries": ["cart zzq"]}),
    Notice("leave out some of them", "recall", {"queries": ["cart"], "types": ["task"]}),
    Notice("the only match", "recall", {"queries": ["total"], "source": "guide", "types": ["task"]}),
    Notice("the query is too long: only its beginning was searched for", "recall", {"queries": [" ".join(f"cart{number}" for number in range(200))]}),
)  # fmt: skip
"""The notices that a request on FILES causes."""


class PackageNotice(NamedTuple):
    """A notice about the packages of a project. files: a tree as in `tests/packages/trees`."""

    words: str
    files: Files
    environment: Mapping[str, str] = MappingProxyType({})


_ENVIRONMENT: Final = "project/.venv/pyvenv.cfg"
_SITE: Final = "project/.venv/lib/python3.11/site-packages/"
_PYTHON: Final = "version = 3.11.2\nhome = /usr/bin\n"
_POM: Final = (
    "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId>"
    "<version>1</version></project>"
)

PACKAGE_NOTICES: Final = (
    PackageNotice("no JDK was found: install one with its sources, or set JAVA_HOME", {"project/pom.xml": _POM}),
    PackageNotice(": it has no site-packages: recreate it", {_ENVIRONMENT: _PYTHON}),
    PackageNotice(
        ": it includes the system's packages, which are not listed",
        {_ENVIRONMENT: f"{_PYTHON}include-system-site-packages = true\n", f"{_SITE}x.py": ""},
    ),
    PackageNotice(": names no home of Python, so", {_ENVIRONMENT: "version = 3.11.2\n", f"{_SITE}x.py": ""}),
    PackageNotice(": not valid TOML; left out", {"project/pyproject.toml": "[[["}),
    PackageNotice(": not a JSON object; left out", {"project/package.json": "[1]"}),
    PackageNotice(
        ": not a valid package.json: reinstall",
        {"project/package.json": "{}", "project/node_modules/x/package.json": "["},
    ),
    PackageNotice(
        ": names no version: reinstall",
        {"project/package.json": "{}", "project/node_modules/x/package.json": "{}"},
    ),
    PackageNotice(
        ": no version in its metadata: reinstall",
        {_ENVIRONMENT: _PYTHON, f"{_SITE}x-1.dist-info/METADATA": "Name: x\n", f"{_SITE}x.py": ""},
    ),
    PackageNotice(
        ", which is not read: make it a root of your own",
        {_ENVIRONMENT: _PYTHON, f"{_SITE}x.pth": "{top}/elsewhere\n", "elsewhere/a.py": ""},
    ),
    PackageNotice(
        "more was broken than is listed here",
        {
            "project/package.json": "{}",
            **{f"project/node_modules/p{number}/package.json": "[" for number in range(101)},
        },
    ),
    PackageNotice(
        ", which is not a virtual environment: unset it",
        {"project/a.py": ""},
        {"VIRTUAL_ENV": "{top}/nowhere"},
    ),
    PackageNotice(
        "npm packages are not read: they are",
        {"project/package.json": '{"dependencies": {"x": "1"}}', "project/.pnp.cjs": ""},
    ),
)  # fmt: skip
"""The notices that a project's own files cause."""
