"""The option `--fleet`, with which a command asks a fleet of repositories instead of the tree here.

Paths in a fleet begin with the name of a repository. None is relative to the current folder.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from symindex.errors import RequestError
from symindex.serve.cli import common_options as common
from symindex.serve.cli.caller import caller
from symindex.serve.cli.current_folder import CurrentFolder, Style, is_explicit, literal
from symindex.serve.fleet_answers import FLEET

if TYPE_CHECKING:
    from symindex.workspace.answers import Answers

_OF_TREES: Final = ("root", "index_dir")
"""Options that choose a tree here."""


def with_fleet(*useless: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Adds `--fleet` and the options of `with_paths`. The command gets them as its first argument.

    useless: the parameters of the command that mean nothing in a fleet.
    """

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @click.option(
            "--fleet",
            metavar="ADDRESS|STORE",
            help=(
                "Ask a fleet of repositories instead of the tree here: a service (https://...) or"
                f" a store (s3://..., file://..., a folder). Default: {FLEET}."
            ),
        )
        @common.with_paths
        @wraps(command)
        def run(tree: common.TreeOptions, fleet: str | None, **options: Any) -> int:
            return command(_chosen(tree, fleet, useless), **options)

        return run

    return decorate


def _chosen(
    tree: common.TreeOptions, fleet: str | None, useless: Sequence[str]
) -> common.TreeOptions:
    """Returns the options with the fleet that is meant, if one is. Raises RequestError for options
    that mean nothing there."""
    typed = _typed_options()
    place = fleet if fleet is not None else caller().environment.get(FLEET, "")
    if not place or (fleet is None and not typed.keys().isdisjoint(_OF_TREES)):
        return tree  # --root is stronger than the environment
    for name in (*_OF_TREES, *useless):
        if name in typed:
            raise RequestError(f"{typed[name]}: {_means_nothing(fleet)}")
    if tree.style not in (None, "root"):
        raise RequestError(f"--paths {tree.style}: {_means_nothing(fleet)}")
    return tree._replace(fleet=place, is_fleet_typed=fleet is not None)


def _typed_options() -> dict[str, str]:
    """Returns the options of the command line that were typed, by parameter."""
    context = click.get_current_context()
    typed = click.core.ParameterSource.COMMANDLINE
    return {
        str(param.name): max(param.opts, key=len)
        for param in context.command.params
        if param.name and context.get_parameter_source(param.name) is typed
    }


def _means_nothing(fleet: str | None) -> str:
    if fleet is None:
        return f"means nothing in a fleet, which {FLEET} names; --fleet '' asks the tree here"
    return "means nothing in a fleet: leave it out, or leave out --fleet"


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
    from symindex.serve.fleet_answers import close, open_answers  # loads numpy

    answers = open_answers(place)
    try:
        yield answers, FleetFolder()
    finally:
        close(answers)
