"""The command line. Exit codes as ripgrep's: 0 found, 1 nothing found, 2 error; 130 when interrupted."""

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeVar

import click
import msgspec
from msgspec import UNSET

from symindex import __version__
from symindex.errors import RequestError, SymindexError
from symindex.protocol import ITEM_EXTRAS, SearchRequest, SearchResponse
from symindex.serve.cli.common_options import (
    COMPLETE,
    json_option,
    kind_option,
    lang_option,
    open_workspace,
    path_option,
    progress_bar,
    refresh,
    tell,
    token_option,
    with_place,
    write_json,
    write_styled,
    write_text,
)
from symindex.serve.cli.explore import outline, symbol
from symindex.serve.cli.export import export
from symindex.serve.cli.refs import refs
from symindex.serve.faults import tell_fault
from symindex.text.escaping import show_controls

if TYPE_CHECKING:
    from symindex.index.report import RefreshReport
    from symindex.workspace import Workspace

TERMINAL_ROWS: Final = 50
"""How many rows a terminal shows unless told otherwise."""

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as shells have it."""

_Command = TypeVar("_Command", bound=Callable[..., Any])

CONTEXT: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group(context_settings=CONTEXT)
@click.version_option(__version__, "-V", "--version", message="symindex %(version)s")
def cli() -> None:
    """Find any symbol of any codebase in milliseconds.

    symindex reads source code with tree-sitter, without building it, and keeps an index that follows the files.

    \b
    symindex search AuthService            a class, wherever it is
    symindex search ibfo                   initBookForOfficial, by its humps
    symindex search Auth.login             a method of Auth
    symindex search kind:class NOT test    a boolean query
    """


@cli.command()
@click.argument("query", nargs=-1)
@with_place
@kind_option("Only this kind. Repeatable.")
@lang_option
@path_option
@click.option(
    "-n",
    "--max-items",
    type=int,
    metavar="N",
    help=f"At most N results; 0 for all. Default: all; {TERMINAL_ROWS} on a terminal.",
)
@click.option("--start-index", type=int, default=0, metavar="N", help="Skip the first N results.")
@token_option
@click.option(
    "--fuzzy/--no-fuzzy",
    default=None,
    help="Force or forbid typos and scattered letters. Default: where fewer than 10 match otherwise.",
)
@click.option(
    "-i",
    "--include",
    "include",
    multiple=True,
    metavar="FIELD",
    help=f"More about each result: {', '.join(ITEM_EXTRAS)}. Repeatable.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "json", "table"]),
    help="Default: table on a terminal, markdown elsewhere.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--next-by",
    type=click.Choice(["start_index", "pagination_id"]),
    default="start_index",
    help="Which hint to the next page Markdown gives.",
)
@click.option("--no-refresh", is_flag=True, help="Search the index as it is, without looking for changed files.")
@click.option("--wait", is_flag=True, help="Wait for the first index of a large tree; no early answer from a part of it.")
def search(
    query: tuple[str, ...], root: str | None, index_dir: str | None, kinds: tuple[str, ...], languages: tuple[str, ...],
    paths: tuple[str, ...], max_items: int | None, start_index: int, pagination_id: str | None, fuzzy: bool | None,
    include: tuple[str, ...], form: str | None, as_json: bool, next_by: str, no_refresh: bool, wait: bool,
) -> int:  # fmt: skip
    """Search for symbols; makes or refreshes the index first.

    Where a large tree has no index yet, the answer comes at once from the files that can hold the name, and the index is
    made in the background; a notice says so.

    \b
    QUERY is one of
      a name          AuthService, authserv, auth_service; humps: ASrv; inside: ervice; with typos: AuthServise
      a qualified one Auth.login, Auth::login, auth/login; Auth. for the members of Auth
      nothing         the best of the tree
      a boolean query auth AND (login OR logout) NOT test, "exact words", get*Name, kind:class, path:src,
                      with the fields name container path kind lang doc signature id space;
                      NOT is written out: -test is an error

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    form = "json" if as_json else form or ("table" if sys.stdout.isatty() else "markdown")
    if max_items is None and form == "table" and sys.stdout.isatty():
        max_items = TERMINAL_ROWS
    request = SearchRequest(
        query=" ".join(query),
        kinds=list(kinds) or None,
        max_items=None if max_items == 0 else max_items,
        start_index=start_index,
        pagination_id=pagination_id,
        languages=list(languages) or UNSET,
        paths=list(paths) or UNSET,
        fuzzy=UNSET if fuzzy is None else fuzzy,
        include=list(include) or UNSET,
    )
    from symindex.workspace import AS_IT_IS, CURRENT, CURRENT_OR_PART  # here, because it loads numpy

    with open_workspace(root, index_dir) as workspace:
        if no_refresh:
            workspace.load()
        with progress_bar() as progress:
            patience = AS_IT_IS if no_refresh else CURRENT if wait else CURRENT_OR_PART
            response = workspace.search(request, patience=patience, progress=progress)
    _write_response(response, form, next_by)
    return 0 if response.total else 1


def _write_response(response: SearchResponse, form: str, next_by: str) -> None:
    if form == "json":
        write_json(response)
    elif form == "table":
        from rich.console import Console

        from symindex.render.table import print_search

        console = Console(file=sys.stdout, highlight=False)
        with console.capture() as capture:  # printed by ourselves, because rich answers a reader that leaves with exit code 1
            print_search(response, console)
        write_styled(capture.get())
    else:
        from symindex.render.markdown import render_search

        write_text(render_search(response, next_by))  # type: ignore[arg-type]


@cli.command()
@with_place
@click.option("--rebuild", is_flag=True, help="Read every file again, whatever is known.")
@click.option("--watch", is_flag=True, help="Then follow the files until Ctrl-C, with a line on standard error for each update.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else; with --watch an object a line.")
def index(root: str | None, index_dir: str | None, rebuild: bool, watch: bool, as_json: bool) -> int:
    """Make the index, or bring it up to date; with --watch, keep it so."""
    with open_workspace(root, index_dir) as workspace:
        with progress_bar() as progress:
            report = workspace.refresh(progress, rebuild)
        _print_index(report, as_json)
        return _follow(workspace, as_json) if watch else 0


def _print_index(report: "RefreshReport", as_json: bool) -> None:
    if as_json:
        write_json(report)
        return
    lines = [
        f"{show_controls(report.root)}: {report.symbols:,} symbols of {report.files:,} files, {report.bytes:,} bytes, "
        f"{report.seconds:.2f} s ({report.read:,} read, {report.removed:,} gone)",
        *(f"  skipped, {row.reason}: {row.count:,}" for row in report.skipped),
        *(f"  {show_controls(notice)}" for notice in report.notices),
    ]
    write_text("\n".join(lines) + "\n")


def _follow(workspace: "Workspace", as_json: bool) -> int:
    """Keeps the index current until Ctrl-C, and says what each update did."""
    import queue

    sys.stdout.flush()
    said: queue.SimpleQueue[RefreshReport | Exception] = queue.SimpleQueue()
    watcher = workspace.follow(said.put, said.put)
    shown: list[str] = []
    try:
        while True:
            with suppress(queue.Empty):
                # A timeout, because a wait without one cannot be interrupted by Ctrl-C on every system.
                _print_update(said.get(timeout=0.5), as_json)
            standing = watcher.standing
            for line in standing:
                if line not in shown:
                    tell(line)
            shown = standing
    except KeyboardInterrupt:
        workspace.unfollow()
        tell("stopped following; the index is as its last update left it")
        return INTERRUPTED


def _print_update(said: "RefreshReport | Exception", as_json: bool) -> None:
    if isinstance(said, Exception):
        tell(f"an update failed: {said}" if str(said).strip() else f"an update failed: {type(said).__name__}")
    elif as_json:
        write_json(said)
        sys.stdout.flush()
    else:
        lines = [f"updated in {said.seconds:.2f} s: {said.read:,} read, {said.removed:,} gone"]
        lines += [f"  {show_controls(notice)}" for notice in said.notices]
        write_text("\n".join(lines) + "\n", err=True)


@cli.command()
@with_place
@click.option("-v", "--verbose", is_flag=True, help="Name every skipped file, and the size of every column.")
@json_option
def status(root: str | None, index_dir: str | None, verbose: bool, as_json: bool) -> int:
    """Say what the index holds: files by language, and what was skipped and why."""
    with open_workspace(root, index_dir) as workspace:
        refresh(workspace)
        report, notices = workspace.status(), workspace.take_notices()
    if as_json:
        write_json(report)
        return 0
    from symindex.render.report import render_status

    write_text(render_status(report, notices, verbose))
    return 0


@cli.command()
@json_option
def languages(as_json: bool) -> int:
    """List the languages, and what symindex finds in each."""
    from symindex.extract.languages.registry import load_languages
    from symindex.extract.summary import summarize_language

    rows = [summarize_language(language) for language in load_languages().by_id.values()]
    if as_json:
        write_json(rows)
        return 0
    from symindex.render.report import render_languages

    write_text(render_languages(rows))
    return 0


@cli.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path, readable=False))
def check(folders: tuple[Path, ...]) -> int:
    """Check language folders: their rules, their queries, their captures.

    FOLDERS hold language folders; default: those that symindex uses (set SYMINDEX_GRAMMARS to add your own).
    """
    from symindex.extract.summary import check_languages

    faults = 0
    for line in check_languages(list(folders) or None):
        faults += line.is_fault
        write_text(line.text + "\n", err=line.is_fault)
    return 2 if faults else 0


@cli.command()
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.option("-l", "--lang", help="Read it as this language. Default: by its name and content.")
@click.option("--tree", is_flag=True, help="Print the syntax tree instead.")
@click.option("--anonymous", is_flag=True, help="With --tree: unnamed nodes (punctuation, keywords) too.")
@json_option
def dump(file: Path, lang: str | None, tree: bool, anonymous: bool, as_json: bool) -> int:
    """Show what symindex sees in FILE: its symbols, or its syntax tree. For authors of queries."""
    from symindex.render.report import render_symbols
    from symindex.settings import DEFAULTS
    from symindex.workers.dump import see_symbols, see_tree

    if tree:
        write_text(see_tree(file, lang, anonymous, DEFAULTS.file_seconds))
        return 0
    symbols = see_symbols(file, lang, DEFAULTS.file_seconds)
    if as_json:
        write_json([msgspec.structs.asdict(symbol) for symbol in symbols])
    else:
        write_text(render_symbols(symbols))
    return 0 if symbols else 1


@cli.command()
@click.option("--tcp", metavar="HOST:PORT", help="Serve many clients there, instead of one on the standard streams.")
@click.option("--socket", metavar="PATH", help="Serve many clients of your user at a Unix socket; the better of the two.")
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(readable=False),
    metavar="DIR",
    help="A folder that clients may open, or what lies below. Repeatable. Default: all that you may read.",
)
@click.option(
    "--index-dir", type=click.Path(readable=False), metavar="DIR", help="Where to keep the index, whatever a client sets."
)
@click.option(
    "--log-level", type=click.Choice(["error", "warning", "info", "debug"]), default="warning", help="Default: warning."
)
@click.option("--log-file", type=click.Path(readable=False), metavar="FILE", help="Write the log to FILE, too.")
@click.option("--stdio", is_flag=True, hidden=True, help="What editors say for the default.")
def lsp(
    tcp: str | None,
    socket: str | None,
    roots: tuple[str, ...],
    index_dir: str | None,
    log_level: str,
    log_file: str | None,
    stdio: bool,
) -> int:
    """Serve editors: a language server that finds symbols of all languages at once.

    It speaks on standard input and output unless --tcp or --socket is given, and logs to standard error. With --tcp clients must
    send the token that is in SYMINDEX_LSP_TOKEN, or else the one that is told at the start.
    """
    from symindex.serve.log import set_up_logging
    from symindex.serve.lsp.client_limits import Bounds
    from symindex.serve.streams import parse_address, read_roots

    if sum((tcp is not None, socket is not None, stdio)) > 1:
        raise RequestError("--tcp, --socket and --stdio are different ways to reach the server: give one of them")
    bounds = Bounds(tuple(read_roots(roots)), index_dir)
    set_up_logging(log_level, log_file)
    # We log the same as pygls, shorter.
    logging.getLogger("pygls").setLevel(logging.DEBUG if log_level == "debug" else logging.CRITICAL)
    if tcp is None and socket is None:
        from symindex.serve.lsp.run import serve_streams

        code = serve_streams(bounds)
    else:
        from symindex.serve.lsp.listener import serve_socket, serve_tcp

        code = serve_tcp(*parse_address("--tcp", tcp, 7659), bounds) if tcp is not None else serve_socket(socket or "", bounds)
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)  # threads that wait for something must not hold up the end


@cli.command()
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(readable=False),
    metavar="DIR",
    help="A tree to answer about. Repeatable. Default: as for search.",
)
@click.option(
    "--index-dir", type=click.Path(readable=False), metavar="DIR", help="Where to keep the index. Default: your cache directory."
)
@click.option("--http", metavar="HOST:PORT", help="Serve any number of clients there, instead of one on the standard streams.")
@click.option(
    "--allowed-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="With --http: one more name by which clients reach it. Repeatable.",
)
@click.option(
    "--structured-content",
    "choice",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Whether answers hold data beside Markdown; auto: not for hosts of agents, whose models would read it instead.",
)
def mcp(roots: tuple[str, ...], index_dir: str | None, http: str | None, hosts: tuple[str, ...], choice: Any) -> int:
    """Serve agents: search, symbol, outline, references and status as tools of the Model Context Protocol.

    It speaks on standard input and output unless --http is given, and keeps the indexes of the roots current. Where others than
    this machine can reach it, clients must send the token that is in SYMINDEX_MCP_TOKEN.
    """
    from symindex.serve.mcp.run import find_roots, serve_http, serve_stdio

    found = find_roots(roots)
    code = serve_http(http, hosts, found, index_dir, choice) if http is not None else serve_stdio(found, index_dir, choice)
    sys.stderr.flush()
    os._exit(code)  # threads that wait for something must not hold up the end


cli.add_command(symbol)
cli.add_command(outline)
cli.add_command(refs)
cli.add_command(export)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits with its code. Whatever a user can cause ends with one line, not with a traceback."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller; and no other file must get its number
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        _make_tolerant(stream)
    code = _run(arguments)
    for stream in (sys.stdout, sys.stderr):
        _let_go(stream)
    sys.exit(code)


def _make_tolerant(stream: IO[str]) -> None:
    """Whatever the terminal's encoding cannot show is escaped, not fatal."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _let_go(stream: IO[str]) -> None:
    """What cannot be written is not tried again: Python would on exit, and make the exit code its own."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(arguments: list[str] | None) -> int:
    try:
        if wanted := os.environ.get(COMPLETE):
            from symindex.serve.cli.completion import complete

            return complete(cli, wanted)
        # Not click's own main, which answers Ctrl-C before we can.
        with cli.make_context("symindex", sys.argv[1:] if arguments is None else arguments) as context:
            code = cli.invoke(context)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        write_text(error.format_message() + "\n", err=True)
        return 2
    except click.UsageError as error:
        help_line = f"; see {error.ctx.command_path} --help" if error.ctx is not None else ""
        return _fail(f"{error.format_message().rstrip('.')}{help_line}")
    except click.ClickException as error:
        return _fail(error.format_message())
    except SymindexError as error:
        return _fail(str(error))
    except (KeyboardInterrupt, click.exceptions.Abort):
        _fail("interrupted; the index is as it was before")
        return INTERRUPTED
    except BrokenPipeError:
        return 0  # the reader has seen enough (`| head`)
    except OSError as error:
        return _fail(f"{error.filename or 'output'}: {error.strerror or error}")
    except Exception as error:
        return tell_fault(error)


def _fail(message: str) -> int:
    with suppress(OSError):  # nobody can be told; the exit code still says it
        tell(message)
    return 2


if __name__ == "__main__":
    main()
