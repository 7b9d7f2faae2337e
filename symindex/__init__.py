"""symindex: find any symbol of any codebase in milliseconds.

Example:
    import symindex

    with symindex.open("path/to/project") as workspace:
        for item in workspace.search("AuthService", kinds=["class"], max_items=10).items:
            print(item.name, item.file_path, item.line)

The public API is `__all__`, the requests and responses in `symindex.protocol`, and the errors in
`symindex.errors`. All other packages are internal: a release may change them without notice.
"""

__version__ = "0.1.0"

# Nothing is imported here: this runs before `__main__` has made `sys.path` safe.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from symindex.errors import RequestError, SymindexError, TokenError
    from symindex.protocol.explore import ReferencesRequest, ReferencesResponse
    from symindex.protocol.kinds import SymbolKind
    from symindex.protocol.search import SearchItem, SearchRequest, SearchResponse
    from symindex.serve.fleet_answers import open_answers as open_fleet
    from symindex.workspace.workspace import Workspace
    from symindex.workspace.workspace import open_workspace as open

__all__ = [
    "ReferencesRequest",
    "ReferencesResponse",
    "RequestError",
    "SearchItem",
    "SearchRequest",
    "SearchResponse",
    "SymbolKind",
    "SymindexError",
    "TokenError",
    "Workspace",
    "__version__",
    "open",
    "open_fleet",
]

_MODULES = {
    **{name: "errors" for name in __all__ if name.endswith("Error")},
    **{name: "protocol.search" for name in __all__ if name.startswith("Search")},
    **{name: "protocol.explore" for name in __all__ if name.startswith("References")},
    "SymbolKind": "protocol.kinds",
    "Workspace": "workspace.workspace",
    "open": "workspace.workspace",
    "open_fleet": "serve.fleet_answers",
}
"""The module of each public name."""


def __getattr__(name: str) -> "Any":
    # Deferred, because a worker process imports this package first and does not need numpy.
    if name not in __all__:
        raise AttributeError(f"module 'symindex' has no attribute {name!r}")
    import importlib

    module = importlib.import_module(f"symindex.{_MODULES[name]}")
    return getattr(module, {"open": "open_workspace", "open_fleet": "open_answers"}.get(name, name))


def __dir__() -> "list[str]":
    return __all__
