"""The option `--fleet`: a command asks a fleet of repositories instead of the tree here."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final

import click

from symindex.errors import RequestError
from symindex.serve.cli import common_options as common
from symindex.serve.cli.caller import caller
from symindex.serve.fleet_answers import FLEET

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
