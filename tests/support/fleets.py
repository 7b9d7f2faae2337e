"""Small fleets: folders as repositories, indexed into a store."""

from collections.abc import Mapping
from pathlib import Path

from symindex.fleet.building.executors import Executor, run_locally
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.fleet import Fleet, open_fleet
from symindex.fleet.stored.store import Store
from symindex.fleet.work import FleetWork

Files = Mapping[str, str]
"""Path -> text."""

TWO: dict[str, Files] = {
    "pallets/click": {
        "src/core.py": 'class Context:\n    """The state of a command."""\n\n    def invoke(self):\n'
        "        return run_command(self)\n\n\ndef run_command(context):\n    return context\n",
        "docs/testing.md": "# Testing commands\n\nUse the runner to call a command.\n",
    },
    "google/gson": {
        "Gson.java": "/** Writes JSON. */\npublic class Gson {\n  String toJson(Object o) "
        '{ return "x"; }\n}\n',
        "README.md": "# Gson\n\nConverts objects.\n",
    },
}


class SmallFleet:
    """Repositories in folders, and a store. Each run is one by a new process: it remembers only
    what is on the disk."""

    def __init__(self, folder: Path, repositories: Mapping[str, Files] = TWO) -> None:
        self.folder = folder
        self.address = str(folder / "store")
        self.names: list[str] = []
        for name, files in repositories.items():
            self.put(name, files)

    def root(self, name: str) -> Path:
        return self.folder / "source" / name.replace("/", "-")

    def put(self, name: str, files: Files) -> None:
        """Adds files to a repository, which is added if it is new."""
        for path, text in files.items():
            place = self.root(name) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        self.root(name).mkdir(parents=True, exist_ok=True)
        if name not in self.names:
            self.names.append(name)

    @property
    def store(self) -> Store:
        return Store(self.address, creates=True)

    def work(
        self, executor: Executor = run_locally, machine: str = "one", *, is_whole: bool = True
    ) -> FleetWork:
        """Returns a run. machine: one name for each machine, which remembers its own runs."""
        repositories = [Repository(name, "folder", str(self.root(name))) for name in self.names]
        return FleetWork(
            self.store,
            repositories,
            self.folder / machine,
            Limits(),
            executor=executor,
            n_workers=1,
            is_whole=is_whole,
        )

    def open(self, cache: str = "cache") -> Fleet:
        return open_fleet(self.address, self.folder / cache)
