"""The pages over source trees on this machine, whose indexes are kept up to date."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from markupsafe import Markup

from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.errors import shown
from symindex.protocol.status import RootStatus
from symindex.serve.web.site import Repository, Site
from symindex.workspace.watched_tree import WatchedTrees


class TreeSite(Site):
    """The pages of a workspace. is_local: see `Site`."""

    def __init__(
        self,
        roots: Sequence[Path],
        index_dir: str | None,
        trees: WatchedTrees,
        is_local: bool = True,
    ) -> None:
        self.workspace = FollowedWorkspace(trees)
        for root in roots:
            self.workspace.folders.add(root, "", index_dir)
        super().__init__(self.workspace, self.workspace, is_local)

    def close(self) -> None:
        """Stops following the roots and ends the workers."""
        self.workspace.close()
        super().close()

    @cached_property
    def repositories(self) -> tuple[Repository, ...]:
        folders = self.workspace.folders.all
        return tuple(
            Repository(
                # `/-/` separates a repository from a path.
                "-~" if folder.name == "-" else folder.name,
                f"{folder.name}/" if len(folders) > 1 else "",
                folder.root,
            )
            for folder in folders
        )

    def status_of(self, repository: Repository) -> RootStatus | None:
        for folder in self.workspace.folders.all:
            if folder.root == repository.root:
                return self.workspace.folders.status_of(folder)
        return None

    def _told(self, text: str) -> Markup:
        for repository in self.repositories:
            text = text.replace(shown(repository.root or ""), repository.name)
        return super()._told(text)
