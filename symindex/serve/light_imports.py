"""Loads libraries without what nothing here needs of them: of numpy the type hints and docstrings, which are half of the time
that it takes to load; and for msgspec the standard library's `typing` instead of `typing_extensions`, which takes as long.

For our own commands only, never for a program that uses symindex as a library. What is left out is there as soon as somebody
asks for it.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

HINTS: Final = "numpy._typing"
DOCSTRINGS: Final = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")
"""Modules that do nothing but add docstrings."""


_TYPING: Final = "typing_extensions"


def load_msgspec_lightly() -> None:
    """Loads it now. It takes two words from `typing_extensions` where that can be loaded, and else from `typing`."""
    if _TYPING not in sys.modules:
        sys.modules[_TYPING] = None  # type: ignore[assignment]  # it cannot be loaded for a moment
        try:
            import msgspec  # noqa: F401
        finally:
            del sys.modules[_TYPING]


def load_numpy_lightly() -> None:
    """From now on, numpy is loaded in this way."""
    if "numpy" not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder:
    """Puts something light in the place of modules; it is its own loader."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name == HINTS or name in DOCSTRINGS else None  # type: ignore[arg-type]  # as duck

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Hints(spec.name) if spec.name == HINTS else ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


class _Hints(ModuleType):
    """Stands for the type hints: knows the one that numpy itself writes down while it loads."""

    def __getattr__(self, name: str) -> Any:
        if _is_loading("numpy"):
            if name == "NDArray":
                return list  # it is given a type in brackets
            if name == "__path__":  # asked for at each import from a module
                raise AttributeError(name)
        return getattr(_load_hints(), name)


def _is_loading(name: str) -> bool:
    return bool(getattr(sys.modules[name].__spec__, "_initializing", False))


def _load_hints() -> ModuleType:
    """The real module, from now on."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    if isinstance(sys.modules.get(HINTS), _Hints):
        del sys.modules[HINTS]
    return importlib.import_module(HINTS)
