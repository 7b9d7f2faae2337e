"""The answers of roots that are read from a tree: outlines, references, text, traces, maps,
hierarchies, changes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import UNSET, UnsetType

from symindex.extract.languages.registry import Languages
from symindex.index.update import Progress
from symindex.protocol.freshness import AS_IT_IS, Patience
from symindex.protocol.search import Noticed
from symindex.requests import check_request, check_types

if TYPE_CHECKING:
    from symindex.explore.tree import Tree
    from symindex.protocol.changes import ChangedResponse
    from symindex.protocol.explore import (
        OutlineRequest,
        OutlineResponse,
        ReferencesRequest,
        ReferencesResponse,
    )
    from symindex.protocol.grep import GrepRequest, GrepResponse
    from symindex.protocol.hierarchy import Direction, HierarchyRequest, HierarchyResponse
    from symindex.protocol.overview import MapResponse
    from symindex.protocol.trace import TraceResponse

_Response = TypeVar("_Response", bound=Noticed)


class Explored(ABC):
    """See the module. What each method needs is loaded when it is first called, because most
    requests search. All are as fresh as `workspace/roots.Roots.search`, and raise RequestError for
    what has no answer."""

    @property
    @abstractmethod
    def _file_limits(self) -> tuple[int, float]:
        """The most bytes and seconds that a file may take in any of the roots: what was indexed is
        also shown."""

    @property
    @abstractmethod
    def languages(self) -> Languages:
        """The languages of the files."""

    @property
    @abstractmethod
    def folders_by_prefix(self) -> Mapping[str, tuple[Path, Languages]]:
        """The folder of each root and the languages of its files, by what stands before its paths
        where they are shown."""

    @abstractmethod
    def _read_tree(self, read: "Callable[[Tree], _Response]", patience: Patience) -> _Response:
        """An answer from indexes; those that are being built are waited for."""

    def outline(
        self,
        path: "str | list[str] | OutlineRequest" = "",
        *,
        depth: int | None = None,
        kinds: list[str] | None = None,
        max_tokens: int | None = None,
        include: list[str] | UnsetType = UNSET,
        patience: Patience = AS_IT_IS,
    ) -> "OutlineResponse":
        """What is defined in a file, a folder, or the files that a glob matches, as a tree. As
        fresh as `search`.

        path: a whole OutlineRequest, or its path or paths with the other fields as arguments.
        Raises RequestError if it does not exist.
        """
        from symindex.explore.outline import outline
        from symindex.protocol.explore import OutlineRequest

        if not isinstance(path, OutlineRequest):
            path = OutlineRequest(
                path=path, depth=depth, kinds=kinds, max_tokens=max_tokens, include=include
            )
        check_types(path)
        return self._read_tree(lambda tree: outline(tree, path), patience)

    def references(
        self,
        name: "str | ReferencesRequest",
        seconds: float = 10.0,
        progress: Progress | None = None,
        *,
        patience: Patience = AS_IT_IS,
    ) -> "ReferencesResponse":
        """Where an identifier occurs in code, by its name. As fresh as `search`.

        name: a whole request, or its name. seconds: after which the answer holds what was found so
        far, and a token to continue. progress: called with the number of files read. Raises what
        `explore/references/references.find_references` does.
        """
        from symindex.explore.references.references import find_references
        from symindex.protocol.explore import ReferencesRequest

        request = name if isinstance(name, ReferencesRequest) else ReferencesRequest(name=name)
        check_request(request)

        def find(tree: "Tree") -> "ReferencesResponse":
            return find_references(
                tree, request, *self._file_limits, seconds=seconds, progress=progress
            )

        return self._read_tree(find, patience)

    def grep(
        self,
        pattern: "str | GrepRequest",
        seconds: float = 10.0,
        progress: Progress | None = None,
        *,
        patience: Patience = AS_IT_IS,
        **given: Any,
    ) -> "GrepResponse":
        """Where a text or a regular expression occurs in files, and in which symbols. As fresh as
        `search`.

        pattern: a whole request, or its pattern with the other fields as arguments. The others are
        those of `references`.
        """
        from symindex.explore.grep.search import grep
        from symindex.protocol.grep import GrepRequest

        request = (
            pattern if isinstance(pattern, GrepRequest) else GrepRequest(pattern=pattern, **given)
        )

        def find(tree: "Tree") -> "GrepResponse":
            return grep(tree, request, *self._file_limits, seconds=seconds, progress=progress)

        return self._read_tree(find, patience)

    def trace(
        self, text: str, folder: str = "", *, patience: Patience = AS_IT_IS
    ) -> "TraceResponse":
        """The frames of a pasted stack trace, or of the messages of a compiler, that lie in the
        workspace. Raises RequestError where no line of it is a frame. folder: in which its paths
        are looked for first, from the root."""
        from symindex.explore.trace.trace import trace

        return self._read_tree(
            lambda tree: trace(tree, text, self._file_limits[0], folder), patience
        )

    def as_shown(self, globs: Sequence[str]) -> list[str]:
        """Paths and globs as answers show them: an absolute one below a root is relative to it. The
        others are as they were."""
        from symindex.explore.tree import shown_path

        tree = self._folders_alone
        return [
            "!" * glob.startswith("!") + shown_path(tree, bare)
            if Path(bare := glob.removeprefix("!")).is_absolute()
            else glob
            for glob in globs
        ]

    @property
    def _folders_alone(self) -> "Tree":
        """The tree without its index, which may still be built."""
        from symindex.explore.tree import Tree
        from symindex.index.snapshot import Snapshot

        return Tree(
            Snapshot([], 0),
            self.languages,
            {prefix: root for prefix, (root, _) in self.folders_by_prefix.items()},
        )

    def is_folder(self, path: str) -> bool:
        """Whether a path of a request names a folder of a root, a root, or all of them."""
        from symindex.errors import RequestError
        from symindex.explore.tree import place_of, shown_path

        tree = self._folders_alone
        if not tree.roots:
            return False  # not known yet: an outline waits for them
        shown = shown_path(tree, path)
        try:
            return not shown or f"{shown}/" in tree.roots or place_of(tree, shown).is_dir()
        except RequestError:  # it begins with no root: then it may be the end of a path
            return False

    def map(
        self,
        path: str | list[str] = "",
        *,
        focus: Sequence[str] = (),
        max_tokens: int = 2_000,
        patience: Patience = AS_IT_IS,
    ) -> "MapResponse":
        """The symbols of a tree or a folder that matter most, as many as the tokens hold. The
        arguments are the fields of a MapRequest. Raises RequestError for what is not there."""
        from symindex.explore.overview.map import make_map
        from symindex.protocol.overview import MapRequest

        request = MapRequest(path=path, focus=[*focus], max_tokens=max_tokens)
        check_types(request)
        return self._read_tree(lambda tree: make_map(tree, request), patience)

    def hierarchy(
        self,
        symbol: "str | HierarchyRequest",
        direction: "Direction" = "subtypes",
        *,
        depth: int | None = None,
        max_items: int = 100,
        seconds: float = 10.0,
        patience: Patience = AS_IT_IS,
    ) -> "HierarchyResponse":
        """What a symbol is related to, as a tree: subtypes, supertypes, callers, callees or tests.

        symbol: a whole request, or its symbol with the other fields as arguments. seconds: for one
        pass over the files.
        """
        from symindex.explore.relations.hierarchy import hierarchy
        from symindex.explore.relations.uses import Limits
        from symindex.protocol.hierarchy import HierarchyRequest

        request = symbol
        if not isinstance(request, HierarchyRequest):
            request = HierarchyRequest(
                symbol=request, direction=direction, depth=depth, max_items=max_items
            )
        check_types(request)
        return self._read_tree(
            lambda tree: hierarchy(tree, request, Limits(*self._file_limits, seconds)), patience
        )

    def changed(
        self,
        since: str = "HEAD",
        *,
        path: str | list[str] = "",
        tests: bool = False,
        max_items: int = 200,
        seconds: float = 10.0,
        patience: Patience = AS_IT_IS,
    ) -> "ChangedResponse":
        """The symbols that were added, changed or removed since a commit. The arguments are the
        fields of a ChangedRequest; seconds: for one pass over the files."""
        from symindex.explore.changes.changed import changed
        from symindex.explore.relations.uses import Limits
        from symindex.protocol.changes import ChangedRequest

        request = ChangedRequest(since=since, path=path, tests=tests, max_items=max_items)
        check_types(request)
        return self._read_tree(
            lambda tree: changed(tree, request, Limits(*self._file_limits, seconds)), patience
        )
