"""Caches: the list of those in the code, and tables of what must change their answers.

A case asks through a cache, changes one input, and asks again: the answer must be that of somebody
who asks for the first time.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

PACKAGE: Final = Path(__file__).parents[2] / "symindex"

DECORATORS: Final = frozenset({"cache", "lru_cache", "cached_property", "made_once"})
WEAK: Final = frozenset({"WeakKeyDictionary", "WeakValueDictionary"})
EMPTY: Final = frozenset({"dict", "OrderedDict", "defaultdict"})
MEMOS: Final = frozenset({"memo", "kept"})


class Found(NamedTuple):
    """A cache in the code.

    kind: `function` and `property` for those of functools, `memo` for a function that uses a memo
    of an index or a snapshot, `table` for a dict of a module or of an object, `file` for a class
    that writes a cache to the disk. name: `module:qualified.name`, without `symindex.`.
    """

    kind: str
    name: str


@cache
def caches() -> frozenset[Found]:
    """Returns the caches of the package."""
    paths = [path for path in PACKAGE.rglob("*.py") if _MAY_HAVE.search(path.read_text("utf-8"))]
    return frozenset(entry for path in paths for entry in _of_file(path))


_MAY_HAVE: Final = re.compile(
    r"\bcache\b|lru_cache|cached_property|made_once|Weak\w+Dict|\.memo\b|\.kept\b"
    r"|= (?:\{\}|\w*[dD]ict\()"
)


@cache
def tree_of(path: Path) -> ast.Module:
    """Parses a file once."""
    return ast.parse(path.read_text("utf-8"))


def _of_file(path: Path) -> Iterator[Found]:
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)

    def visit(node: ast.AST, scope: tuple[str, ...]) -> Iterator[Found]:
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = (*scope, child.name)
                for decorator in child.decorator_list:
                    if (name := _called(decorator)) in DECORATORS:
                        kind = (
                            "property" if name in ("cached_property", "made_once") else "function"
                        )
                        yield Found(kind, f"{module}:{'.'.join(inner)}")
            for kind, name in _caches_in(child, scope):
                yield Found(kind, f"{module}:{'.'.join(filter(None, (*scope, name)))}")
            yield from visit(child, inner)

    yield from visit(tree_of(path), ())


def _caches_in(node: ast.AST, scope: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yields the kinds and names of caches that a node itself makes or uses."""
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        target = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
        made = node.value
        makes = isinstance(made, ast.Call) and _called(made.func) in ("cache", "lru_cache")
        if isinstance(made, ast.Call) and (makes or _called(made) in ("cache", "lru_cache")):
            yield "function", target
        elif _is_empty_dict(made) and (not scope or target.startswith("self.")):
            yield "table", target
    if isinstance(node, ast.Attribute) and node.attr in MEMOS and scope:
        yield "memo", ""


def _is_empty_dict(made: ast.expr) -> bool:
    if isinstance(made, ast.Dict):
        return not made.keys
    if not isinstance(made, ast.Call) or made.args:
        return False
    return _called(made) in WEAK or (_called(made) in EMPTY and not made.keywords)


def _called(node: ast.expr) -> str:
    """Returns the last name of a name, an attribute, or the function of a call."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


class RecordingMemo(dict[Any, Any]):
    """A memo that records which functions found something in it, as `caches` names them."""

    def __init__(self, hits: set[str]) -> None:
        super().__init__()
        self._hits = hits

    def get(self, key: Any, default: Any = None) -> Any:
        if key in self.keys():
            self._note()
            return super().__getitem__(key)
        return default

    def __getitem__(self, key: Any) -> Any:
        self._note()
        return super().__getitem__(key)

    def _note(self) -> None:
        frame = sys._getframe(2)
        module = frame.f_globals["__name__"].removeprefix("symindex.")
        self._hits.add(f"{module}:{frame.f_code.co_qualname.replace('.<locals>', '')}")


class Perturbed(NamedTuple):
    """One input of a cache. ask: asks through the cache. change: changes the input. ask_anew: asks
    as if for the first time; by default, `ask` after `clear`."""

    ask: Callable[[], object]
    change: Callable[[], object]
    ask_anew: Callable[[], object]


def check_perturbed(case: Perturbed) -> None:
    """Checks that a cache tells apart what was before a change and what is after it."""
    before = case.ask()
    assert case.ask() == before, "the same question has two answers"
    case.change()
    after, anew = case.ask(), case.ask_anew()
    assert anew != before, "the change changes nothing: it tests no cache"
    assert after == anew, f"the cache answers {after!r} instead of {anew!r}"
