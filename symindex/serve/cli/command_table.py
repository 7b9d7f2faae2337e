"""Lists the commands and loads each when it is used: loading all of them takes a fifth of the time
of a search."""

import difflib
import importlib
from typing import Final

import click

_GROUPS: Final = {
    "Find": {
        "search": "Find symbols by name, part of a name, or plain words",
        "grep": "Find text in files, with its enclosing symbol",
        "recall": "Ask in plain words about code, documents and notes",
        "trace": "Show the code that a stack trace points to",
    },
    "Read": {
        "symbol": "Show a symbol with its code, or lines of a file",
        "outline": "List the symbols of a file, a folder or the source tree",
        "map": "Show the most important symbols of a source tree",
        "fetch": "Show an item: a skill, rule, task, command, ...",
    },
    "Relate": {
        "refs": "List the uses of an identifier in code",
        "hierarchy": "Show subtypes, supertypes, callers, callees or tests",
        "changed": "List the symbols that changed since a commit",
        "unused": "List the symbols that nothing uses",
        "related": "Show symbols, sections and notes related to a result",
    },
    "Remember": {
        "note": "Add, list, show and delete notes",
        "add": "Add a document for recall to search",
        "sources": "List the added documents",
        "forget": "Delete an added document",
    },
    "Index": {
        "index": "Build or refresh the index; --watch keeps it up to date",
        "status": "Show what is indexed, and what was skipped and why",
        "deps": "List the packages that the project depends on",
        "export": "Write all symbols as a tags file, JSON lines or SCIP",
    },
    "Many repositories": {
        "fleet": "Index many repositories into a store, and look after it",
    },
    "Serve": {
        "lsp": "Run a language server for editors",
        "mcp": "Run an MCP server with tools for agents",
        "web": "Serve a page in the browser: search, read, follow references",
        "serve": "Watch a source tree, so that commands answer faster",
    },
    "Set up": {
        "languages": "List languages, and what symindex finds in each",
        "check": "Check language definitions",
        "dump": "Show the symbols of a file, or its syntax tree",
        "trust": "Manage the keys whose signatures you trust",
        "sign": "Sign files",
    },
}
"""The commands by group, in the order of the help, with a line about each."""

_MODULES: Final = {
    "index": ("index", "status"),
    "explore": ("symbol", "trace", "outline", "refs"),
    "relations": ("hierarchy", "map", "changed"),
    "languages": ("languages", "check", "dump"),
    "serve": ("lsp", "mcp", "serve"),
    "trust": ("trust", "sign"),
    "content": ("add", "sources", "forget"),
    "recall": ("recall", "related"),
}
"""Modules that define several commands, or one with another name. Any other module has the name of
its command."""

_PLACES: Final = {command: command for commands in _GROUPS.values() for command in commands} | {
    command: module for module, commands in _MODULES.items() for command in commands
}

_FUNCTIONS: Final = {"map": "show_map"}
"""Functions that do not have the name of their command."""


class Commands(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_PLACES)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands by group, without loading them."""
        width = max(map(len, _PLACES))
        for title, commands in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width), summary) for name, summary in commands.items()]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command that the arguments begin with. `help` and `version` stand for the
        options with these names. Raises click.UsageError, which suggests similar commands."""
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
            hint = (
                f"did you mean {' or '.join(near)}?"
                if near
                else f"to search for it, use `symindex search {name}`"
            )
            raise click.UsageError(f"no such command {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _PLACES.get(cmd_name)
        if module is None:
            return None
        command = getattr(
            importlib.import_module(f"symindex.serve.cli.commands.{module}"),
            _FUNCTIONS.get(cmd_name, cmd_name),
        )
        assert isinstance(command, click.Command)
        return command
