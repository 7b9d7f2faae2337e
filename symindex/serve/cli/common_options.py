"""What commands share: options, the workspace, progress bars, and the output of text and JSON.

Commands write only through this module, so that no text of a source tree acts on a terminal.
Options have the names and values of request fields, so a command passes them on unchanged.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, AnyStr, Final, NamedTuple

import click
import msgspec
from msgspec import UNSET, UnsetType

from symindex.errors import RequestError
from symindex.files.index_place import MARKS, nearest_above
from symindex.files.locations import current_folder
from symindex.requests import OR_NULL
from symindex.serve.cli import completion
from symindex.serve.cli.caller import caller
from symindex.serve.cli.current_folder import CurrentFolder, Style
from symindex.serve.cli.shown_answer import shown_message
from symindex.serve.daemon.wire import OPTION
from symindex.serve.pager import OPTION as OPTION_NO_PAGER
from symindex.text.escaping import escape_json, show_text

if TYPE_CHECKING:
    from symindex.render.hints import Hints
    from symindex.workspace.answers import Answers
    from symindex.workspace.workspace import Progress, Workspace

COMPLETE: Final = "_SYMINDEX_COMPLETE"
"""Environment variable that the shell's completion script sets, as click expects it."""

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as in shells."""

_Command = Callable[..., int]
_Decorator = Callable[[_Command], _Command]


class TreeOptions(NamedTuple):
    """The options that choose a workspace: its root, the folder of its index, and how paths are
    shown; or a fleet in its place (`cli/fleet_options`).

    is_fleet_typed: whether the fleet was typed, and is not the environment's.
    """

    root: str | None
    index_dir: str | None
    style: Style | None = None
    fleet: str = ""
    is_fleet_typed: bool = False

    def options(self) -> list[str]:
        """Returns these options as command-line arguments."""
        options = (("--root", self.root), ("--index-dir", self.index_dir))
        return [f"{name}={value}" for name, value in options if value is not None]

    def workspace(self) -> "Workspace":
        if self.root is None:
            _check_size(caller().folder)
        return caller().open_workspace(self.root, self.index_dir)

    @contextmanager
    def opened(self) -> "Iterator[tuple[Workspace, CurrentFolder]]":
        """Opens the workspace. Yields it with the caller's current folder. Error messages from
        inside show paths as the caller typed them."""
        with self.workspace() as workspace:
            folder = CurrentFolder(workspace.root, caller().folder, self.root, self.style)
            with _as_typed(folder):
                yield workspace, folder

    @contextmanager
    def asked(self) -> "Iterator[tuple[Answers, CurrentFolder]]":
        """Opens the fleet, or else the workspace, as `opened` does."""
        if not self.fleet:
            with self.opened() as opened:
                yield opened
            return
        from symindex.serve.cli.fleet_folder import opened_fleet

        with opened_fleet(self.fleet) as (answers, folder), _as_typed(folder):
            yield answers, folder

    def hints(self) -> "Hints":
        """Returns a function that writes the next command, with this command's options for the
        workspace."""
        from symindex.render.hints import command_hint

        fleet = self.fleet if self.is_fleet_typed else None
        return partial(
            command_hint,
            always={"root": self.root, "index_dir": self.index_dir, "fleet": fleet},
        )


@contextmanager
def _as_typed(folder: CurrentFolder) -> Iterator[None]:
    """Makes error messages from inside show paths and options as the caller typed them."""
    try:
        yield
    except RequestError as error:
        raise type(error)(shown_message(folder, _with_options(str(error)))) from None


_FIELD: Final = re.compile(
    r"\b[a-z]+_[a-z_]+\b|^(?:depth|limit|offset|since|seconds|fuzzy|proximity|filters|fields|scope)\b"
)
"""Words in a message that may be the name of a request field."""


def _with_options(message: str) -> str:
    """Replaces the names of request fields in a message by the options that the user typed."""
    context = click.get_current_context(silent=True)
    params = context.command.params if context is not None else []
    options = {
        param.name: max(param.opts, key=len) for param in params if isinstance(param, click.Option)
    }
    translated = _FIELD.sub(lambda word: options.get(word[0], word[0]), message)
    if translated != message and message.endswith(OR_NULL):
        return translated.removesuffix(OR_NULL) + (
            ", or 0 for all" if message.startswith("max_items ") else ", or left out"
        )
    return translated


def _check_size(folder: str) -> None:
    """Prevents a command without --root from reading a whole disk or home folder, unless the user
    confirms it, or the folder is a project with `.git` or `symindex.toml`. Raises RequestError if
    nobody can be asked, or if the answer is no."""
    root = nearest_above(os.path.realpath(folder), MARKS)
    home = os.path.realpath(os.path.expanduser("~"))
    if root not in (home, os.path.abspath(os.sep)) or any(
        os.path.lexists(os.path.join(root, mark)) for mark in MARKS
    ):
        return
    # a deleted folder counts as the file system's root, and gets an error of its own
    current_folder()
    description = "your home folder" if root == home else "the whole disk"
    if caller().may_be_asked and click.confirm(
        f"{root} is {description}, not a project: read all of it?", err=True
    ):
        return
    raise RequestError(
        f"{root} is {description}, not a project: go to a project, or use --root "
        f"{shlex.quote(root)} to read all of it"
    )


def with_tree(command: _Command) -> _Command:
    """Adds the options that choose a workspace. The command gets them as its first argument."""

    @root_option(
        "Root of the source tree. Default: the nearest parent folder with "
        "symindex.toml or .git, else the current folder."
    )
    @index_dir_option()
    @wraps(command)
    def run(root: str | None, index_dir: str | None, **options: Any) -> int:
        return command(TreeOptions(root, index_dir), **options)

    return run


def with_paths(command: _Command) -> _Command:
    """Adds the options of `with_tree`, and those for showing paths and pages."""

    @choice_option(
        "--paths",
        "cwd root absolute",
        (
            "What paths in the output are relative to. Default: the current folder; in "
            "JSON, the root."
        ),
        "style",
    )
    @with_writing
    @with_tree
    @wraps(command)
    def run(tree: TreeOptions, style: Style | None, **options: Any) -> int:
        return command(tree._replace(style=style), **options)

    return run


def root_option(help_text: str, *names: str, **more: Any) -> _Decorator:
    """Returns the option that names one or several roots."""
    return click.option(
        "--root", *names, type=click.Path(readable=False), metavar="DIR", help=help_text, **more
    )


def index_dir_option(
    help_text: str = "Where to store the index. Default: your cache directory.",
) -> _Decorator:
    return click.option(
        "--index-dir", type=click.Path(readable=False), metavar="DIR", help=help_text
    )


def list_option(*names: str, otherwise: Any = UNSET, **more: Any) -> _Decorator:
    """Returns a repeatable option whose value is a list, or `otherwise` if the option is absent."""
    return click.option(
        *names,
        multiple=True,
        callback=lambda _context, _option, given: list(given) or otherwise,
        **more,
    )


def choice_option(name: str, choices: str, help_text: str, *names: str, **more: Any) -> _Decorator:
    """Returns an option that accepts one of several words. names: its other names."""
    return click.option(name, *names, type=click.Choice(choices.split()), help=help_text, **more)


def kind_option(help_text: str) -> _Decorator:
    def split(
        _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
    ) -> list[str] | None:
        return [kind for text in texts for kind in text.split(",")] or None

    return click.option(
        "-k",
        "--kind",
        "kinds",
        multiple=True,
        callback=split,
        metavar="KIND",
        help=help_text,
        shell_complete=completion.kinds,
    )


def with_filters(command: _Command) -> _Command:
    globs = (
        "Only files below the current folder that match GLOB, written as in .gitignore; a "
        "leading ! excludes files. Repeatable."
    )
    command = list_option(
        "-p", "--path", "paths", metavar="GLOB", help=globs, shell_complete=completion.paths
    )(command)
    return list_option(
        "-l",
        "--lang",
        "languages",
        metavar="LANG",
        help="Only files in this language. Repeatable.",
        shell_complete=completion.languages,
    )(command)


def no_daemon_option(command: _Command) -> _Command:
    """Adds an option that the client of a daemon reads itself (`serve/daemon/client`), before
    options are parsed."""
    return click.option(
        OPTION,
        is_flag=True,
        expose_value=False,
        help=(
            "Do not use a running symindex process (see `symindex serve`). "
            "SYMINDEX_DAEMON=off does the same."
        ),
    )(command)


def token_option(command: _Command) -> _Command:
    return click.option(
        "--pagination-id",
        metavar="TOKEN",
        help="Show the page that this token stands for.",
    )(command)


def json_option(command: _Command) -> _Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON only.")(command)


def with_forms(lines: str) -> _Decorator:
    """Adds the option `--format`, which the command gets as `form`, and its short form `--json`.

    lines: describes a line of `--format lines`.
    """

    def decorate(command: _Command) -> _Command:
        @choice_option(
            "--format",
            "markdown json lines",
            f"Default: markdown. With lines, each result is {lines}.",
            "form",
            default=None,
        )
        @json_option
        @wraps(command)
        def run(*tree: Any, form: str | None, as_json: bool, **options: Any) -> int:
            check_form(form, as_json)
            return command(*tree, form="json" if as_json else form or "markdown", **options)

        return run

    return decorate


def print_lines(text: str, notices: "list[str] | UnsetType") -> None:
    """Writes the rows of `--format lines`, and notices to standard error."""
    print_text(text)
    tell(*(notices or ()))


def check_form(form: str | None, as_json: bool) -> None:
    """Raises RequestError for `--json` together with another `--format`."""
    if as_json and form not in (None, "json", "markdown"):
        raise RequestError(f"--json and --format {form} contradict each other: use one of them")


def print_json(value: Any) -> None:
    """Writes a value as a line of JSON. JSON must be UTF-8, so for any other output encoding it is
    reduced to ASCII."""
    data = escape_json(
        msgspec.json.encode(value), ascii_only=caller().encoding not in ("utf-8", "utf8")
    )
    caller().write_data(data.decode() + "\n")


def print_text(text: str, err: bool = False) -> None:
    """Writes lines for a reader. Control characters are escaped, in code and in pipes too; JSON
    contains them unchanged."""
    caller().write_escaped(text, err)


def print_page(markdown: str, root: Path | None = None) -> None:
    """Writes a page. A pipe gets it unchanged; a terminal gets styles, links to files below `root`,
    and a pager if the page is longer than the terminal."""
    if not has_styles():
        print_styled(show_text(markdown))
        return
    from symindex.render.terminal.terminal_page import style_page  # deferred, because it loads rich

    print_styled(style_page(markdown, root))


def has_styles() -> bool:
    """Whether text gets colours, bold and links: on a terminal, unless `--color` or the environment
    decides otherwise. `NO_COLOR` overrides the variables that force colours."""
    user, wish = caller(), _wish("color")
    environment = user.environment
    if wish != "auto":
        return bool(wish == "always")
    if environment.get("NO_COLOR"):
        return False
    if any(
        environment.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")
    ):
        return True
    return (
        user.is_terminal
        and environment.get("TERM") != "dumb"
        and environment.get("CLICOLOR") != "0"
    )


def _wish(name: str) -> Any:
    context = click.get_current_context(silent=True)
    return {"color": "auto", "pages": True, **(context.meta if context is not None else {})}[name]


def _keep_wish(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Returns the callback of an option that only affects output, and is not passed to the
    command."""
    return lambda context, _option, given: context.meta.__setitem__(name, given)


def with_writing(command: _Command) -> _Command:
    """Adds the options of all commands that show pages."""
    no_pager = click.option(
        OPTION_NO_PAGER,
        "pages",
        flag_value=False,
        default=True,
        is_flag=True,
        expose_value=False,
        callback=_keep_wish("pages"),
        help="Do not use a pager. SYMINDEX_PAGER=cat does this for all commands.",
    )
    colours = choice_option(
        "--color",
        "auto always never",
        "When to use colours, bold and links. Default: auto, which means on a terminal.",
        default="auto",
        expose_value=False,
        callback=_keep_wish("color"),
    )
    return colours(no_pager(command))


def print_styled(text: str) -> None:
    """Writes lines that contain colours, through a pager if they are long. `show_controls` must
    have escaped every part of them."""
    caller().show(text, _wish("pages"))


def tell(*messages: str) -> None:
    """Writes each message as one line to standard error."""
    caller().tell(*messages)


def refresh(workspace: "Answers") -> None:
    """Brings the index up to date, with a progress bar on a terminal. The next answer contains the
    notices."""
    from symindex.protocol.freshness import CURRENT  # deferred, because it loads numpy

    with progress_bar() as progress:
        source = workspace.source
        source.is_compared = source.bring_up_to_date(CURRENT, progress)
    caller().is_about_to_end()


def read_given(stream: IO[AnyStr], most: int, name: str, remedy: str) -> AnyStr:
    """Reads a stream to its end. Raises RequestError if there is more than the command takes, so
    that nothing is cut silently.

    most: bytes, or characters of a text stream. name, remedy: for the message.
    """
    data = stream.read(most + 1)
    if len(data) > most:
        unit = "bytes" if isinstance(data, bytes) else "characters"
        raise RequestError(f"{name} has more than {most:,} {unit}: {remedy}")
    return data


@contextmanager
def progress_bar(title: str = "indexing", unit: str = "files") -> Iterator["Progress | None"]:
    """Shows a progress bar while files are read, if standard error is a terminal."""
    if not caller().shows_progress:
        yield None
        return
    bar: Any = None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            if total < 100 and unit == "files":
                return
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
            )

            bar = Progress(
                TextColumn(title),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn(unit),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            bar.start()
            bar.add_task(title, total=total)
        bar.update(bar.task_ids[0], completed=done)

    try:
        yield show
    finally:
        if bar is not None:
            bar.stop()
