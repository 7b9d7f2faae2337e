"""The code that is changed and the tests that may notice: usually this project's own."""

from pathlib import Path
from typing import Final, NamedTuple

from tests.mutate import COPIED, ROOT


class Project(NamedTuple):
    """A project whose tests pass.

    root: its folder. package: the folder in it whose code is changed. tests: the folder of its
    tests. copied: what its tests need of it. divided: packages in `package` whose folders are
    rooms of their own.
    """

    root: Path
    package: str
    tests: str
    copied: tuple[str, ...]
    divided: tuple[str, ...] = ()

    def modules(self) -> list[str]:
        """The modules of the package, as paths relative to the root."""
        paths = (self.root / self.package).rglob("*.py")
        return sorted(path.relative_to(self.root).as_posix() for path in paths)

    def text(self, file: str) -> str:
        return (self.root / file).read_text("utf-8")

    def room(self, file: str) -> str:
        """The room of a module: its package, or the folder in a divided one. Modules at the top of
        the whole have the name of that."""
        folders = Path(file).relative_to(self.package).parent.parts
        n_shown = 2 if folders and folders[0] in self.divided else 1
        return "/".join(folders[:n_shown]) or self.package


OURS: Final = Project(ROOT, "symindex", "tests", COPIED, ("search", "extract", "serve"))
