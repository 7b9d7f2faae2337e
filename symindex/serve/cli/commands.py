"""The commands, each loaded when it is named: all of them together take a fifth of the time of a search."""

import difflib
import importlib
from typing import Final

import click

_MODULES: Final = {
    "search": ("search",),
    "index": ("index", "status"),
    "explore": ("symbol", "trace", "outline", "refs"),
    "grep": ("grep",),
    "kin": ("hierarchy", "map", "changed"),
    "languages": ("languages", "check", "dump"),
    "serve": ("lsp", "mcp", "serve"),
    "export": ("export",),
    "fetch": ("fetch",),
    "deps": ("deps",),
    "trust": ("trust", "sign"),
    "content": ("add", "sources", "forget"),
    "recall": ("recall", "related"),
    "note": ("note",),
}
"""The commands by the module that holds them."""

_PLACES: Final = {command: module for module, commands in _MODULES.items() for command in commands}

_FUNCTIONS: Final = {"map": "show_map"}
"""Where a command is not called as it is named."""


class Commands(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_PLACES)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with. `help` and `version` mean the options of these names. Raises
        click.UsageError, with what is spelt like it."""
        name, *rest = args
        if name == "version":
            ctx.command.main(["--version"], prog_name=ctx.info_name, standalone_mode=False)
            ctx.exit()
        if name == "help" and not rest:
            ctx.command.main(["--help"], prog_name=ctx.info_name, standalone_mode=False)
            ctx.exit()
        if name == "help":
            return super().resolve_command(ctx, [*rest, "--help"])
        if name not in _PLACES and not name.startswith("-"):
            near = difflib.get_close_matches(name, _PLACES, 2, 0.7)
            hint = f"did you mean {' or '.join(near)}?" if near else f"`symindex search {name}` searches for it"
            raise click.UsageError(f"no such command {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _PLACES.get(cmd_name)
        if module is None:
            return None
        command = getattr(importlib.import_module(f"symindex.serve.cli.{module}"), _FUNCTIONS.get(cmd_name, cmd_name))
        assert isinstance(command, click.Command)
        return command
