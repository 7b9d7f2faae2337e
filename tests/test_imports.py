"""The reader of imports, on which the tests of the structure rest, recognises every way to
import."""

import pytest

from tests.support.imports import Imports, read_imports

OURS = {
    "top.errors",
    "top.files.regular",
    "top.serve.cli.main",
    "top.serve.cli.parts",
    "top.serve.door",
    "top.session",
}

READ: dict[str, set[str]] = {
    "import json": {"json"},
    "import numpy.typing as npt": {"numpy"},
    "from numpy import typing": {"numpy"},
    "import json, top.errors": {"json", "top.errors"},
    "import topper.errors": {"topper"},
    "import top": {"top"},
    "import top.serve.cli.main": {"top.serve.cli.main"},
    "import top.serve.cli.main as x": {"top.serve.cli.main"},
    "import top.serve.cli": {"top.serve.cli"},
    "from top.serve.cli.main import main": {"top.serve.cli.main"},
    "from top.serve.cli import main": {"top.serve.cli.main"},
    "from top.serve import cli": {"top.serve.cli"},
    "from top.serve import door as x": {"top.serve.door"},
    "from top import session, errors": {"top.session", "top.errors"},
    "from top import __version__": {"top.__version__"},
    "from top import Workspace": {"top.Workspace"},
    "from top.errors import *": {"top.errors"},
    "from top.serve import *": {"top.serve"},
    # Relative imports.
    "from . import door": {"top.serve.door"},
    "from . import cli": {"top.serve.cli"},
    "from .door import x": {"top.serve.door"},
    "from .cli import main": {"top.serve.cli.main"},
    "from .cli.main import run": {"top.serve.cli.main"},
    "from .. import session": {"top.session"},
    "from ..files import regular": {"top.files.regular"},
    "from ..files.regular import x": {"top.files.regular"},
    # Imports anywhere in a module.
    "if TYPE_CHECKING:\n    from top.serve import door": {"top.serve.door"},
    "try:\n    import top.session\nexcept ImportError:\n    import json": {"top.session", "json"},
    "def f():\n    import top.session": {"top.session"},
    "async def f():\n    import top.session": {"top.session"},
    "class C:\n    from ..errors import x": {"top.errors"},
    "match x:\n    case 1:\n        import top.session": {"top.session"},
    # Attributes of a package that was imported for something else.
    "import top.errors\ntop.session.Session()": {"top.errors", "top.session"},
    "import top.errors\nx = top.Workspace": {"top.errors", "top.Workspace"},
    "import top.errors\nvars(top)": {"top.errors", "top"},
    "import top.serve as x\nx.cli.main.run()": {"top.serve", "top.serve.cli", "top.serve.cli.main"},
    "from top import serve\nserve.door.open()": {"top.serve", "top.serve.door"},
    "from top import errors\nerrors.session": {"top.errors"},
    "import json\njson.top.session": {"json"},
    # Imports by function calls.
    "import importlib\nimportlib.import_module('top.session')": {"importlib", "top.session"},
    "import importlib as i\ni.import_module(name='top.session')": {"importlib", "top.session"},
    "from importlib import import_module\nimport_module('mcp.types')": {"importlib", "mcp"},
    "from importlib import import_module as x\nx('top.session')": {"importlib", "top.session"},
    "import_module('.door', 'top.serve')": {"top.serve.door"},
    "import_module('..session', package=__package__)": {"top.session"},
    "__import__('top.session')": {"top.session"},
    "__import__('top.serve.cli')": {"top.serve.cli"},
    "__import__('top.serve.cli', fromlist=['main', 'parts'])": {
        "top.serve.cli.main",
        "top.serve.cli.parts",
    },
    "__import__('top.serve', None, None, ('cli',))": {"top.serve.cli"},
    "import builtins\nbuiltins.__import__('top.session')": {"builtins", "top.session"},
    "importlib.util.find_spec('mcp')": {"mcp"},
    "runpy.run_module('top.session', run_name='__main__')": {"top.session"},
    "runpy.run_module(mod_name='top.session')": {"top.session"},
    # Texts that import nothing.
    "x = 'import top.session'": set(),
    "'''import top.session'''": set(),
    "top.session": set(),
    "other.load('top')": set(),
}


@pytest.mark.parametrize("text", READ)
def test_imports_are_read(text: str) -> None:
    imports = read_imports(text, "top.serve", OURS)
    assert imports._replace(named=frozenset()) == Imports(frozenset(READ[text]), frozenset(), ())


COMPUTED = [
    "import_module(name)",
    "import_module(f'top.{name}')",
    "import_module('top.' + name)",
    "import_module(*names)",
    "import_module(**names)",
    "import_module('.door', package)",
    "__import__(name)",
    "__import__('top', fromlist=names)",
    "__import__('top', fromlist=[name])",
    "__import__('door', globals(), None, (), 1)",
    "__import__('door', level=1)",
    "importlib.util.find_spec(name)",
    "load = importlib.import_module",
    "from importlib import import_module as load; read(load)",
    "read(__import__)",
    "getattr(importlib, 'import_module')",
    "run('-c', '__import__(name).main()')",
    "exec(text)",
    "builtins.eval(text)",
    "from builtins import exec as run; run(text)",
    "runpy.run_path(path)",
    "loader.exec_module(module)",
    "pkgutil.resolve_name('top:session')",
    "import sys; sys.modules['top.session']",
    "import sys as s; s.modules.get(name)",
    "from sys import modules as known",
]


@pytest.mark.parametrize("text", COMPUTED)
def test_what_cannot_be_read_is_reported(text: str) -> None:
    assert read_imports(f"x = 1\n{text}", "top.serve", OURS).computed == (2,)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("start('top.session')", {"top.session"}),
        ("x = {'a': ['top.serve']}", {"top.serve"}),
        ("def f():\n    '''top.session'''\n    x = 'top.errors'", {"top.errors"}),
        ("x = 1\n'''top.session'''", set()),
        ("x = 'top', 'top.toml', 'about top.session'", set()),
    ],
)
def test_modules_named_in_texts_are_read(text: str, named: set[str]) -> None:
    """A started process runs the module that a string names."""
    assert read_imports(text, "top.serve", OURS) == Imports(frozenset(), frozenset(named), ())


def test_an_import_from_above_the_top_is_refused() -> None:
    with pytest.raises(ImportError, match="beyond top-level"):
        read_imports("from ... import x", "top.serve", OURS)
