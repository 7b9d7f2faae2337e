"""The command line. Exit codes as ripgrep's: 0 found, 1 nothing found, 2 error; 130 when interrupted."""

import io
import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec
from msgspec import UNSET

from symindex import __version__
from symindex.errors import RequestError, SymindexError
from symindex.protocol.search import ITEM_EXTRAS, SearchRequest, SearchResponse
from symindex.render.rye import as_rye, prepare_rye
from symindex.serve.cli import common_options as common
from symindex.serve.cli import explore, grep, kin
from symindex.serve.cli.caller import caller
from symindex.serve.cli.content import add, forget, sources
from symindex.serve.cli.deps import deps
from symindex.serve.cli.export import export
from symindex.serve.cli.fetch import fetch
from symindex.serve.cli.note import note
from symindex.serve.cli.recall import recall, recall_as, related
from symindex.serve.cli.search_options import with_options
from symindex.serve.cli.serve import serve
from symindex.serve.cli.trust import sign, trust
from symindex.serve.faults import tell_fault
from symindex.text.escaping import show_controls

if TYPE_CHECKING:
    from symindex.workspace import IndexedRoot, RefreshReport

TERMINAL_ROWS: Final = 50
"""How many rows a terminal shows unless told otherwise."""

INTERRUPTED: Final = 130
"""The exit code after Ctrl-C, as shells have it."""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "-V", "--version", message="symindex %(version)s")
def cli() -> None:
    """Find any symbol of any codebase in milliseconds.

    symindex reads source code with tree-sitter, without building it, and keeps an index that follows the files.

    \b
    symindex search AuthService            a class, wherever it is
    symindex search ibfo                   initBookForOfficial, by its humps
    symindex search Auth.login             a method of Auth
    symindex search cookies parsed         a question in plain words
    symindex search kind:class NOT test    a boolean query
    """


@cli.command()
@click.argument("query", nargs=-1)
@common.with_tree
@common.kind_option("Only this kind. Repeatable.")
@common.with_filters
@click.option(
    "-n", "--max-items", type=int, metavar="N", help=f"At most N results; 0 for all. Default: all; {TERMINAL_ROWS} on a terminal."
)
@click.option("--start-index", type=int, default=0, metavar="N", help="Skip the first N results.")
@common.token_option
@click.option(
    "--fuzzy/--no-fuzzy",
    default=None,
    callback=lambda _context, _option, given: UNSET if given is None else given,
    help="Force or forbid typos and scattered letters. Default: only if fewer than 10 match otherwise.",
)
@with_options
@common.list_option("-i", "--include", metavar="FIELD", help=f"More about each result: {', '.join(ITEM_EXTRAS)}. Repeatable.")
@common.choice_option(
    "--in",
    "names text notes all",
    "What is searched; text and notes as by `symindex recall`. Default: names.",
    "within",
    default="names",
)
@common.choice_option(
    "--format",
    "markdown json table rye",
    "Default: table on a terminal, markdown elsewhere. rye: JSON in the form of rye_search.",
    "form",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@common.choice_option(
    "--next-by", "start_index pagination_id", "Which hint to the next page Markdown gives.", default="start_index"
)
@click.option("--no-refresh", is_flag=True, help="Search the index as it is, without looking for changed files.")
@click.option("--wait", is_flag=True, help="Wait for the first index of a large tree; no early answer from a part of it.")
@common.no_daemon_option
def search(
    tree: common.Tree, query: tuple[str, ...], max_items: int | None, form: str | None, as_json: bool, next_by: Any,
    no_refresh: bool, wait: bool, within: str, **fields: Any,
) -> int:  # fmt: skip
    """Search for symbols; makes or refreshes the index first.

    If a large tree has no index yet, the answer comes at once from the files that can hold the name, and the index is
    made in the background; a notice says so.

    \b
    QUERY is one of
      a name          AuthService, authserv, auth_service; humps: ASrv; inside: ervice; with typos: AuthServise
      a qualified one Auth.login, Auth::login, auth/login; Auth. for the members of Auth
      plain words     where are cookies parsed: what holds all of them or their forms, then what holds some
      nothing         what is central to the tree
      a boolean query auth AND (login OR logout) NOT test, "exact words", get*Name, kind:class, path:src,
                      with the fields name container path doc signature content id kind type lang is space;
                      'login -test' in quotes, as -test alone is taken for options

    Exits with 0 if something was found, 1 if nothing was, 2 on errors.
    """
    if within != "names":
        return recall_as(tree, within, " ".join(query), max_items, as_json or form == "json", fields)
    form = "json" if as_json else form or ("table" if caller().is_terminal else "markdown")
    is_data = form in ("json", "rye")
    is_first = max_items is None and fields["limit"] is UNSET and not is_data and caller().is_terminal
    is_lean = is_first and fields["sort_by"] in (UNSET, "score")
    request = SearchRequest(query=" ".join(query), max_items=max_items or None, **fields)
    if form == "rye":
        if max_items == 0 and request.limit is UNSET:  # all
            request.limit = None
        prepare_rye(request)
    from symindex.render.lean_pages import WHOLE_PAGE, lean_rule, tell_tail  # here, because it loads numpy
    from symindex.workspace import AS_IT_IS, CURRENT, CURRENT_OR_PART

    rule = None if is_data else WHOLE_PAGE._replace(most=TERMINAL_ROWS if is_first else None)
    if is_lean:
        rule = lean_rule(request.query, TERMINAL_ROWS)

    with tree.workspace() as workspace:
        if no_refresh:
            workspace.load()
        with common.progress_bar() as progress:
            patience = AS_IT_IS if no_refresh else CURRENT if wait else CURRENT_OR_PART
            response = workspace.search(request, patience=patience, progress=progress, rule=rule)
    if is_lean:
        tell_tail(response)
    _write_response(response, form, next_by, is_lean, workspace.root)
    return 0 if response.total else 1


def _write_response(response: SearchResponse, form: str, next_by: Any, folds: bool, root: Path) -> None:
    if form == "json":
        common.print_json(response)
    elif form == "rye":
        common.print_json(as_rye(response))
    elif form == "table":
        from rich.console import Console

        from symindex.render.table import print_search

        console = Console(highlight=False, **caller().console_options())
        with console.capture() as capture:  # printed by ourselves, because rich answers a reader that leaves with exit code 1
            print_search(response, console, folds, root)
        common.print_styled(capture.get())
        if response.text:
            from symindex.render.markdown import text_rows

            common.print_text("\n".join(["In text:", *text_rows(response), ""]))
    else:
        from symindex.render.markdown import render_search

        common.print_text(render_search(response, next_by, folds))
    if response.elsewhere is not UNSET and form in ("markdown", "table"):
        from symindex.render.hints import command_hint, elsewhere_hint

        common.print_text(elsewhere_hint(response, command_hint))


@cli.command()
@common.with_tree
@click.option("--rebuild", is_flag=True, help="Read every file again, whatever is known.")
@click.option("--watch", is_flag=True, help="Then follow the files until Ctrl-C, with a line on standard error for each update.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else; with --watch an object a line.")
def index(tree: common.Tree, rebuild: bool, watch: bool, as_json: bool) -> int:
    """Make the index, or bring it up to date; with --watch, keep it so."""
    with tree.workspace() as workspace:
        with common.progress_bar() as progress:
            report = workspace.refresh(progress, rebuild)
        lines = [
            f"{show_controls(report.root)}: {report.symbols:,} symbols of {report.files:,} files, {report.bytes:,} bytes, "
            f"{report.seconds:.2f} s ({report.read:,} read, {report.removed:,} gone)",
            *([f"  {report.sections:,} sections, {report.items:,} items"] if report.sections or report.items else []),
            *(f"  skipped, {row.reason}: {row.count:,}" for row in report.skipped),
            *(f"  {show_controls(notice)}" for notice in report.notices),
        ]
        if as_json:
            common.print_json(report)
        else:
            common.print_text("\n".join(lines) + "\n")
        return _follow(workspace, as_json) if watch else 0


def _follow(workspace: "IndexedRoot", as_json: bool) -> int:
    """Keeps the index current until Ctrl-C, and says what each update did."""
    import queue

    from symindex.serve.daemon.listener import answering

    sys.stdout.flush()
    said: queue.SimpleQueue[RefreshReport | Exception] = queue.SimpleQueue()
    watcher = workspace.follow(said.put, said.put)
    shown = ""
    try:
        with answering(workspace):
            while True:
                with suppress(queue.Empty):
                    # A timeout, because a wait without one cannot be interrupted by Ctrl-C on every system.
                    _print_update(said.get(timeout=0.5), as_json)
                before, shown = shown, watcher.hindrance
                if shown not in ("", before):
                    common.tell(shown)
    except KeyboardInterrupt:
        workspace.unfollow()
        common.tell("stopped following; the index is as its last update left it")
        return INTERRUPTED


def _print_update(said: "RefreshReport | Exception", as_json: bool) -> None:
    if isinstance(said, Exception):
        common.tell(f"an update failed: {said}" if str(said).strip() else f"an update failed: {type(said).__name__}")
    elif as_json:
        common.print_json(said)
        sys.stdout.flush()
    else:
        lines = [f"updated in {said.seconds:.2f} s: {said.read:,} read, {said.removed:,} gone"]
        lines += [f"  {show_controls(notice)}" for notice in said.notices]
        common.print_text("\n".join(lines) + "\n", err=True)


@cli.command()
@common.with_tree
@click.option("-v", "--verbose", is_flag=True, help="Name every skipped file, and the size of every column.")
@common.json_option
def status(tree: common.Tree, verbose: bool, as_json: bool) -> int:
    """Show what the index holds: files by language, and what was skipped and why."""
    with tree.workspace() as workspace:
        common.refresh(workspace)
        report, notices = workspace.status(), workspace.take_notices()
    if as_json:
        common.print_json(report)
    else:
        from symindex.render.report import render_status

        common.print_text(render_status(report, notices, verbose))
    return 0


@cli.command()
@common.json_option
def languages(as_json: bool) -> int:
    """List the languages and the formats of documents, and what symindex finds in each."""
    from symindex.extract.summary import language_faults, summarize_formats, summarize_languages

    rows, formats = summarize_languages(), summarize_formats()
    for fault in language_faults():
        common.print_text(f"symindex: left out: {fault}\n", err=True)
    if as_json:
        common.print_json([*rows, *formats])
    else:
        from symindex.render.report import render_languages

        common.print_text(render_languages(rows, formats))
    return 0


@cli.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path, readable=False))
def check(folders: tuple[Path, ...]) -> int:
    """Check language folders: their rules, their queries, their captures.

    FOLDERS are language folders, or hold them; default: those that symindex uses (set SYMINDEX_GRAMMARS to add your own).
    """
    from symindex.extract.summary import check_languages

    faults = 0
    for line in check_languages(list(folders) or None):
        faults += line.is_fault
        common.print_text(line.text + "\n", err=line.is_fault)
    return 2 if faults else 0


@cli.command()
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.option("-l", "--lang", help="Read it as this language. Default: by its name and content.")
@click.option("--tree", is_flag=True, help="Print the syntax tree instead.")
@click.option("--anonymous", is_flag=True, help="With --tree: unnamed nodes (punctuation, keywords) too.")
@click.option("--grammar", default="", metavar="NAME", help="With --tree: by this grammar, for which no language is needed.")
@common.json_option
def dump(file: Path, lang: str | None, tree: bool, anonymous: bool, grammar: str, as_json: bool) -> int:
    """Show what symindex sees in FILE: its symbols, or its syntax tree. For authors of queries."""
    from symindex.render.report import render_symbols
    from symindex.workers.dump import see_symbols, see_tree

    if grammar and not tree:
        raise RequestError("--grammar shows the syntax tree by a grammar: give --tree, too")
    if tree:
        common.print_text(see_tree(file, lang, anonymous, grammar))
        return 0
    symbols = see_symbols(file, lang)
    if as_json:
        common.print_json([msgspec.structs.asdict(symbol) for symbol in symbols])
    else:
        common.print_text(render_symbols(symbols))
    return 0 if symbols else 1


@cli.command()
@click.option("--tcp", metavar="HOST:PORT", help="Serve many clients there, instead of one on the standard streams.")
@click.option("--socket", metavar="PATH", help="Serve many clients of your user at a Unix socket; the better of the two.")
@common.root_option(
    "A folder that clients may open, with all below. Repeatable. Default: all you may read.", "roots", multiple=True
)
@common.index_dir_option("Where to keep the index, whatever a client sets.")
@common.choice_option("--log-level", "error warning info debug", "Default: warning.", "level", default="warning")
@click.option("--log-file", type=click.Path(readable=False), metavar="FILE", help="Write the log to FILE, too.")
@click.option("--stdio", is_flag=True, hidden=True, help="The default, as some editors give it.")
def lsp(tcp: str | None, socket: str | None, roots: tuple[str, ...], index_dir: str | None, stdio: bool, **log: Any) -> int:
    """Serve editors: a language server that finds symbols of all languages at once.

    It speaks on standard input and output unless --tcp or --socket is given, and logs to standard error. With --tcp clients must
    send the token that is in SYMINDEX_LSP_TOKEN, or else the one that is shown at the start.
    """
    from symindex.serve.log import set_up_logging
    from symindex.serve.lsp.configuration import Bounds
    from symindex.serve.streams import parse_address, read_roots

    if sum((tcp is not None, socket is not None, stdio)) > 1:
        raise RequestError("--tcp, --socket and --stdio are different ways to reach the server: give one of them")
    bounds = Bounds(tuple(read_roots(roots)), index_dir)
    set_up_logging(**log)
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
@common.root_option("A tree to answer about. Repeatable. Default: as for search.", "roots", multiple=True)
@common.index_dir_option()
@click.option("--http", metavar="HOST:PORT", help="Serve any number of clients there, instead of one on the standard streams.")
@click.option(
    "--allowed-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="With --http: one more name by which clients reach it. Repeatable.",
)
@common.choice_option(
    "--structured-content",
    "auto always never",
    "Whether answers hold data beside Markdown; auto: not for hosts of agents, whose models would read it instead.",
    "choice",
    default="auto",
    show_default=True,
)
def mcp(roots: tuple[str, ...], index_dir: str | None, http: str | None, hosts: tuple[str, ...], choice: Any) -> int:
    """Serve agents: search, symbol, outline, references and status as tools of the Model Context Protocol.

    It speaks on standard input and output unless --http is given, and keeps the indexes of the roots current. If other
    machines can reach it, clients must send the token that is in SYMINDEX_MCP_TOKEN.
    """
    from symindex.serve.mcp.run import serve

    code = serve(roots, http, hosts, index_dir, choice)
    sys.stderr.flush()
    os._exit(code)  # threads that wait for something must not hold up the end


for _command in (
    explore.symbol,
    explore.trace,
    explore.outline,
    explore.refs,
    grep.grep,
    kin.hierarchy,
    kin.show_map,
    kin.changed,
    export,
    fetch,
    deps,
    trust,
    sign,
    add,
    sources,
    forget,
    recall,
    related,
    note,
    serve,
):
    cli.add_command(_command)


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits with its code. Whatever a user can cause ends with one line, not with a traceback."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller; and no other file must get its number
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for what the terminal's encoding cannot show
    code = _run(arguments)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # Python would try it again on exit, and make the exit code its own
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


def _run(arguments: list[str] | None) -> int:
    try:
        if wanted := os.environ.get(common.COMPLETE):
            return _complete(wanted)
        return run_command(sys.argv[1:] if arguments is None else arguments)
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


def run_command(arguments: list[str]) -> int:
    """Runs a command for its caller (`cli/caller`) and returns the exit code. What is wrong with the arguments is told; other
    errors are raised."""
    try:
        # Not click's own main, which handles Ctrl-C before we can.
        with cli.make_context("symindex", list(arguments)) as context:
            code = cli.invoke(context)
        caller().flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        common.print_text(error.format_message() + "\n", err=True)
        return 2
    except click.UsageError as error:
        help_line = f"; see {error.ctx.command_path} --help" if error.ctx is not None else ""
        return _fail(f"{error.format_message().rstrip('.')}{help_line}")
    except click.ClickException as error:
        return _fail(error.format_message())
    except RequestError as error:
        return _fail(str(error))


def _complete(wanted: str) -> int:
    """Writes what the completion of a shell requests. Raises RequestError, where click would return 1 without a message."""
    from click.shell_completion import shell_complete

    with suppress(KeyError, ValueError):  # the words typed so far are missing, or are no words
        if shell_complete(cli, {}, "symindex", common.COMPLETE, wanted) == 0:
            return 0
    raise RequestError(
        f"{common.COMPLETE}={show_controls(wanted)}: is for the completion of shells; unset it, or say bash_source"
    )


def _fail(message: str) -> int:
    with suppress(OSError):  # it cannot be written; the exit code still says it
        common.tell(message)
    return 2
