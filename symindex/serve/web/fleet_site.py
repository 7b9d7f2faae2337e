"""The pages over a fleet of repositories, whose files are those of one commit each."""

from collections.abc import Sequence

from symindex.editor.page_reader import PageReader
from symindex.errors import RequestError
from symindex.protocol.freshness import SOON
from symindex.protocol.status import RootStatus
from symindex.serve.fleet_answers import repository_names
from symindex.serve.web.site import Repository, Site
from symindex.workspace.answers import Answers


class FleetSite(Site):
    """The pages of a fleet. Closing it leaves the answers open."""

    has_history = False

    def __init__(self, answers: Answers) -> None:
        self._reader = PageReader(answers)
        super().__init__(answers, self._reader, is_local=False)
        self._of_snapshot: tuple[object, dict[str, Repository]] = (None, {})
        self._notes: dict[str, str] = {}

    def close(self) -> None:
        self._reader.close()
        super().close()

    @property
    def repositories(self) -> Sequence[Repository]:
        return [*self._by_name().values()]

    def repository(self, name: str) -> Repository:
        """See `Site`: there may be thousands."""
        known = self._by_name().get(name)
        return known if known is not None else super().repository(name)

    def place(self, path: str) -> tuple[Repository, str]:
        """Returns the repository of a path in an answer, and the path in it."""
        known, end = self._by_name(), path.find("/")
        while end >= 0:
            repository = known.get(path[:end])
            if repository is not None:
                return repository, repository.inside(path)
            end = path.find("/", end + 1)
        owner, _, inside = path.partition("/")  # of a generation before or after
        return Repository(owner, f"{owner}/"), inside

    def status_of(self, repository: Repository) -> RootStatus | None:
        return None

    def note_on(self, repository: Repository) -> str:
        """See `Site`: the branch, the commit and the size."""
        self._by_name()
        return self._notes.get(repository.name, "")

    def is_folder(self, repository: Repository, path: str) -> bool:
        try:
            at = repository.answer_path(path).rstrip("/")
            return bool(self.reader.folder(at, freshness=SOON).entries)
        except RequestError:
            return not path

    def _by_name(self) -> dict[str, Repository]:
        """The repositories of the generation that is served now."""
        snapshot, known = self._of_snapshot
        current = self.answers.source.view().snapshot
        if snapshot is not current:
            names = repository_names(self.answers)
            known = {name: Repository(name, f"{name}/") for name in names}
            # An empty query lists the repositories of a fleet.
            rows = self.answers.search("", include=["signature"]).items
            self._notes = {row.name: row.signature or "" for row in rows if row.name in known}
            self._of_snapshot = (current, known)
        return known
