"""The command line. The exit codes are those of ripgrep: 0 if something was found, 1 if nothing
was, 2 on errors; and 130 when interrupted."""

import io
import os
import sys
from contextlib import suppress
from typing import Final

import click

from symindex import __version__
from symindex.errors import EmptyFolderError, RequestError, SymindexError
from symindex.serve.cli import common_options as common
from symindex.serve.cli.caller import OWN, Caller
from symindex.serve.cli.command_table import Commands
from symindex.serve.faults import tell_fault
from symindex.text.escaping import show_controls


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, "-V", "--version", message="symindex %(version)s")
def cli() -> None:
    """Find any symbol in any codebase in milliseconds.

    symindex parses source code with tree-sitter, without building it, and keeps its index up to
    date as files change.

    \b
    symindex search AuthService        a class, anywhere in the source tree
    symindex search ibfo               finds initBookForOfficial
    symindex search Auth.login         a method of Auth
    symindex search cookies parsed     a query in plain words
    symindex search kind:class NOT x   a boolean query
    """


def main(arguments: list[str] | None = None, caller: Caller = OWN) -> None:
    """Runs the command line and exits with its code. Every error that a user can cause is shown as
    one line, without a traceback."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the parent; no other file may get its number
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(
                errors="backslashreplace"
            )  # for characters that the terminal's encoding lacks
    code = _run(arguments, caller)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # Python would try again on exit, and change the exit code
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


def _run(arguments: list[str] | None, caller: Caller) -> int:
    try:
        if shell := os.environ.get(common.COMPLETE):
            return _complete(shell)
        return run_command(sys.argv[1:] if arguments is None else arguments, caller)
    except SymindexError as error:
        return _fail(str(error))
    except (KeyboardInterrupt, click.exceptions.Abort):
        _fail("interrupted; the index is unchanged")
        return common.INTERRUPTED
    except BrokenPipeError:
        return 0  # the reader has closed the pipe, as `| head` does
    except OSError as error:
        return _fail(f"{error.filename or 'output'}: {error.strerror or error}")
    except Exception as error:
        return tell_fault(error)


def run_command(arguments: list[str], caller: Caller = OWN) -> int:
    """Runs a command for a caller and returns the exit code. Errors in the arguments are reported;
    other errors are raised."""
    try:
        # click's own main would handle Ctrl-C before we can.
        with cli.make_context("symindex", list(arguments), obj=caller) as context:
            code = cli.invoke(context)
        caller.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        caller.write_escaped(error.format_message() + "\n", err=True)
        return 2
    except click.UsageError as error:
        help_line = f"; see {error.ctx.command_path} --help" if error.ctx is not None else ""
        return _fail(
            f"{error.format_message().rstrip('.')}{_own_way(error, arguments)}{help_line}", caller
        )
    except click.ClickException as error:
        return _fail(error.format_message(), caller)
    except EmptyFolderError as error:
        _fail(str(error), caller)
        return 1
    except RequestError as error:
        return _fail(str(error), caller)


_OF_ALL: Final = {
    "-t": "-l LANG selects a language",
    "-g": "-p GLOB selects files",
    "-o": "`> FILE` writes to a file",
    "--glob": "-p GLOB selects files",
    "--include": "-p GLOB selects files",
    "--exclude": "-p '!GLOB' excludes files",
    "--hidden": "hidden files are always read",
    "--no-ignore": "`symindex status` shows what is skipped, and why",
    "--no-heading": "--format lines prints one line per row",
    "--vimgrep": "--format lines prints one line per row",
}
"""What to use instead of an option of ripgrep, fd or git, in any command."""

_CODE_AROUND: Final = "`symindex symbol FILE:LINE` shows the code around a line"
_FILES: Final = "`--format lines | cut -d: -f1 | sort -u` lists the files"

_OWN_WAYS: Final = {
    "grep": {
        "-w": r"\bPATTERN\b matches whole words",
        "-e": "PATTERN is the first argument",
        "-c": "each page begins with the count",
        "-S": "-i ignores case",
        "-v": "lines without a match cannot be listed",
        "-o": "--format lines prints one line per row",
        "-r": "folders are always searched",
        "-R": "folders are always searched",
        "-E": "PATTERN is always a regular expression",
        "-P": "PATTERN uses RE2's syntax, without lookaround",
        **dict.fromkeys(("-U", "--multiline"), r"(?s) and \n match across lines"),
        "--count": "each page begins with the count",
        "-l": f"-l LANG selects a language; {_FILES}",
        "--files-with-matches": _FILES,
        **dict.fromkeys(("-A", "-B", "-C"), _CODE_AROUND),
    },
    "search": {
        "-w": "a whole name always comes first",
        "-e": "QUERY is the first argument",
        "-c": "each page begins with the count",
        "-F": "`symindex grep -F` finds literal text",
        "-E": "`symindex grep` searches for a regular expression",
        "--files": "`symindex outline --depth 1 PATH` lists files",
    },
    "refs": {
        "-w": "only whole identifiers match",
        "-c": "each page begins with the count",
        **dict.fromkeys(("-A", "-B", "-C"), _CODE_AROUND),
    },
    "symbol": {
        "-n": "--max-tokens N limits the answer",
        **dict.fromkeys(("-A", "-B", "-C"), _CODE_AROUND),
    },
    "outline": {
        "-n": "--max-tokens N or --depth N limits the answer",
        "-d": "--depth N limits the levels",
        "-L": "--depth N limits the levels",
    },
    "map": {"-n": "--max-tokens N limits the answer"},
    "changed": {
        "--name-only": _FILES,
        "--stat": "each page begins with the counts",
        "--cached": "staged and unstaged changes are both shown",
        "--staged": "staged and unstaged changes are both shown",
    },
}
"""What to use instead of an option of ripgrep, fd or git, by command."""


def _own_way(error: click.UsageError, arguments: list[str]) -> str:
    """Returns a hint for a user who typed an option of ripgrep, fd or git; empty if there is no
    hint."""
    command = (error.ctx.info_name if error.ctx is not None else None) or "".join(arguments[:1])
    if isinstance(error, (click.NoSuchOption, click.BadOptionUsage)):
        ways = _OWN_WAYS.get(command, {})
        options = (
            {name for param in error.ctx.command.params for name in param.opts}
            if error.ctx is not None
            else set()
        )
        of_all = {
            option: way
            for option, way in _OF_ALL.items()
            if not way.startswith("-") or way.split()[0] in options
        }
        way = ways.get(error.option_name) or (
            "" if error.option_name in options else of_all.get(error.option_name, "")
        )
        return f"; {way}" if way else ""
    is_count = (
        isinstance(error, click.BadParameter)
        and error.param is not None
        and error.param.name == "max_items"
    )
    return (
        "; lines are always numbered, and -n N shows N rows"
        if is_count and command == "grep"
        else ""
    )


def _complete(shell: str) -> int:
    """Writes the words that a shell's completion requests. Raises RequestError for an invalid
    request, for which click would return 1 without a message."""
    from click.shell_completion import shell_complete

    with suppress(KeyError, ValueError):  # the words typed so far are missing or invalid
        if shell_complete(cli, {}, "symindex", common.COMPLETE, shell) == 0:
            return 0
    raise RequestError(
        f"{common.COMPLETE}={show_controls(shell)}: this variable is for shell "
        "completion; unset it, or set it to bash_source"
    )


def _fail(message: str, caller: Caller = OWN) -> int:
    with suppress(OSError):  # if it cannot be written, the exit code still reports it
        caller.tell(message)
    return 2
