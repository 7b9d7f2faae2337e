"""The paths of a fleet, as a command sees them: they begin with the name of a repository, and none
is relative to the current folder."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from symindex.errors import RequestError
from symindex.serve.cli.current_folder import CurrentFolder, Style, is_explicit, literal

if TYPE_CHECKING:
    from symindex.workspace.answers import Answers


class FleetFolder(CurrentFolder):
    """The paths of a fleet: what is typed and shown is what the fleet has."""

    def __init__(self) -> None:
        top = Path("/").resolve()
        super().__init__(top, str(top), None, "root")

    def path(self, text: str) -> str:
        """Returns a path as it is. Raises RequestError for one of this machine."""
        if text != "." and is_explicit(text):
            raise _is_of_this_machine(text)
        return "" if text == "." else text.rstrip("/")

    def glob(self, text: str) -> str:
        """Returns a glob as it is. Raises RequestError for one of this machine."""
        bare = text.removeprefix("!")
        if bare.startswith(("./", "../", "~/")) or bare in (".", "..", "~"):
            raise _is_of_this_machine(bare)
        return text

    def places(self, paths: Sequence[str], check_readable: Callable[[str], object]) -> list[str]:
        """Returns files and folders as globs that match only them."""
        return [f"/{literal(path)}" if path else "**" for path in map(self.path, paths)]

    def symbol(self, text: str) -> str:
        return text

    def is_also_from_root(self, text: str) -> bool:
        return False

    def shown(self, path: str, style: Style | None = None) -> str:
        return path

    def link_base(self) -> None:
        """Returns `None`: the files are not on this machine."""
        return


def _is_of_this_machine(path: str) -> RequestError:
    return RequestError(
        f"{path}: paths in a fleet begin with the repository, as owner/name/src, and are not"
        " relative to the current folder"
    )


@contextmanager
def opened_fleet(place: str) -> "Iterator[tuple[Answers, CurrentFolder]]":
    """Opens a fleet. Yields its answers, and its paths as a command sees them."""
    from symindex.serve.fleet_answers import open_answers  # loads numpy

    answers = open_answers(place)
    try:
        yield answers, FleetFolder()
    finally:
        answers.close()
