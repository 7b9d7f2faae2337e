"""The commands, each loaded when it is named: all of them together take a fifth of the time of a
search."""

import difflib
import importlib
from typing import Final

import click

_GROUPS: Final = {
    "Find": {
        "search": "Symbols by name, part of a name, qualified name or plain words",
        "grep": "A text or a regular expression in files, with its symbols",
        "recall": "Questions in words: symbols, documents, added texts, notes",
        "trace": "The places of the tree that a stack trace names",
    },
    "Read": {
        "symbol": "A symbol's place, doc, code and members; lines of a file",
        "outline": "What is defined in a file, a folder or the tree",
        "map": "The symbols that matter most in the tree or a folder",
        "fetch": "An item with its content: a skill, rule, task, command, ...",
    },
    "Relate": {
        "refs": "Where an identifier occurs in code",
        "hierarchy": "Subtypes, supertypes, callers, callees, tests",
        "changed": "The symbols that changed since a commit",
        "related": "What is beside a hit of recall",
    },
    "Remember": {
        "note": "Add, list, show and delete notes",
        "add": "Add a text to what recall searches",
        "sources": "List what was added",
        "forget": "Delete what was added under a label",
    },
    "Index": {
        "index": "Make or refresh the index; --watch follows the tree",
        "status": "What the index holds, and what was skipped and why",
        "deps": "The packages that the project depends on",
        "export": "All symbols for other programs: tags, JSON lines, SCIP",
    },
    "Serve": {
        "lsp": "A language server for editors",
        "mcp": "Tools for agents (Model Context Protocol)",
        "serve": "Follow the tree, so that other commands answer faster",
    },
    "Set up": {
        "languages": "List the languages, and what is found in each",
        "check": "Check language folders",
        "dump": "What symindex sees in a file, or its syntax tree",
        "trust": "Whose signatures count",
        "sign": "Sign files",
    },
}
"""The commands as the help lists them, with what each is for."""

_MODULES: Final = {
    "index": ("index", "status"),
    "explore": ("symbol", "trace", "outline", "refs"),
    "kin": ("hierarchy", "map", "changed"),
    "languages": ("languages", "check", "dump"),
    "serve": ("lsp", "mcp", "serve"),
    "trust": ("trust", "sign"),
    "content": ("add", "sources", "forget"),
    "recall": ("recall", "related"),
}
"""The modules that hold several commands, or one of another name; others are called as their
command."""

_PLACES: Final = {command: command for commands in _GROUPS.values() for command in commands} | {
    command: module for module, commands in _MODULES.items() for command in commands
}

_FUNCTIONS: Final = {"map": "show_map"}
"""Where a command is not called as it is named."""


class Commands(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_PLACES)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands in groups, without loading them."""
        width = max(map(len, _PLACES))
        for title, commands in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), said) for name, said in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with. `help` and `version` mean the options of these
        names. Raises click.UsageError, with what is spelt like it."""
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
                else f"`symindex search {name}` searches for it"
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
