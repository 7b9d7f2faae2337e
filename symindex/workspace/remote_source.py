"""The source of answers that another process makes: it reads requests, and holds nothing else."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from symindex.extract.languages.language_cache import keep_languages, load_kept_languages
from symindex.extract.languages.registry import Languages
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.locations import remote_folder
from symindex.index.snapshot import Snapshot
from symindex.index.update import Progress
from symindex.protocol.freshness import Freshness
from symindex.settings import Settings
from symindex.workspace.answer_source import AnswerSource, View
from symindex.workspace.left_out import WalkedRoot

if TYPE_CHECKING:
    from symindex.recall.recall import Recall
    from symindex.resolve.tree import Tree
    from symindex.search.answer.plan import Plan
    from symindex.workspace.spaces.spaces import Spaces


class RemoteSource(AnswerSource):
    """See the module. is_folder: asks the other process whether a path is a folder."""

    def __init__(self, is_folder: Callable[[str], bool]) -> None:
        self._is_folder = is_folder

    @cached_property
    def languages(self) -> Languages:
        """The shipped languages and the user's own: those that a query here may name. They are
        kept in a folder of their own, because reading them takes longer than an answer."""
        folder = PrivateFolder(remote_folder())
        languages = load_kept_languages(folder)
        keep_languages(languages, folder)
        return languages

    @property
    def all_settings(self) -> Sequence[Settings]:
        return ()

    @property
    def folders_by_prefix(self) -> Mapping[str, tuple[Path, Languages]]:
        return {}

    @property
    def walked(self) -> Sequence[tuple[str, WalkedRoot]]:
        return ()

    @property
    def spaces(self) -> "Sequence[Spaces]":
        return ()

    @property
    def index_folders(self) -> Sequence[PrivateFolder]:
        return ()

    def recalled(self) -> "Iterator[tuple[Recall, Snapshot, str]]":
        return iter(())

    def view(self) -> NoReturn:
        raise AssertionError("the index is in another process")

    def tree_of(self, view: View) -> "Tree":
        raise AssertionError("the index is in another process")

    def unindexed_views(self, plan: "Plan", freshness: Freshness) -> Iterator[View]:
        return iter(())

    def bring_up_to_date(self, freshness: Freshness, progress: Progress | None = None) -> bool:
        """Does nothing: the other process does."""
        return False

    def take_notices(self) -> list[str]:
        return []

    def why_empty(self, plan: "Plan", view: View) -> list[str]:
        return []

    def repair(self, error: Exception) -> bool:
        return False

    @property
    def n_repairs(self) -> int:
        return 0

    def on_unindexed_answer(self) -> None:
        """Does nothing: there is no root."""

    def on_written(self, path: Path) -> None:
        """Does nothing: there is no root."""

    def wait_for_changes(self) -> None:
        """Does nothing: the other process does."""

    def is_folder(self, path: str) -> bool:
        return self._is_folder(path)

    def shown_paths(self, globs: Sequence[str]) -> list[str]:
        """Returns the globs as they are: no path of this machine is meant."""
        return [*globs]
