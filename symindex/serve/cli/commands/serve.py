"""The commands that keep running: `symindex lsp` for editors, `mcp` for agents, and `serve`, which
answers for other commands."""

import os
import sys
import time
from pathlib import Path
from typing import Any, Final

import click

from symindex.errors import RequestError
from symindex.serve.cli import common_options as common

ANOTHER: Final = "another process already serves this source tree"
"""Message of a second process, which then ends."""

TICK_SECONDS: Final = 0.5
"""How often `serve` checks whether to end."""

IDENTITY_TICKS: Final = 10
"""Number of these checks after which it also checks whether symindex was upgraded: it cannot answer
clients of the new version."""


@click.command()
@click.option(
    "--tcp",
    metavar="HOST:PORT",
    help=(
        "Listen on this address for any number of clients, instead of serving one client on "
        "standard input and output."
    ),
)
@click.option(
    "--socket",
    metavar="PATH",
    help="Listen on this Unix socket, which only you can access. Safer than --tcp.",
)
@common.root_option(
    (
        "A folder that clients may open, including its subfolders. Repeatable. Default: "
        "any folder that you can read."
    ),
    "roots",
    multiple=True,
)
@common.index_dir_option("Where to store the index. Overrides the client's setting.")
@common.choice_option(
    "--log-level", "error warning info debug", "Default: warning.", "level", default="warning"
)
@click.option(
    "--log-file",
    type=click.Path(readable=False),
    metavar="FILE",
    help="Also write the log to FILE.",
)
@click.option("--stdio", is_flag=True, hidden=True, help="The default. Some editors pass it.")
def lsp(
    tcp: str | None,
    socket: str | None,
    roots: tuple[str, ...],
    index_dir: str | None,
    stdio: bool,
    **log: Any,
) -> int:
    """Run a language server that finds symbols in all languages.

    The server uses standard input and output unless --tcp or --socket is given, and logs to
    standard error. With --tcp, clients must send a token: the one in SYMINDEX_LSP_TOKEN, or else
    one that is printed at startup.
    """
    from symindex.serve.log import set_up_logging
    from symindex.serve.lsp.configuration import Bounds
    from symindex.serve.lsp.run import end_process, serve_streams
    from symindex.serve.streams import parse_address, read_roots

    if sum((tcp is not None, socket is not None, stdio)) > 1:
        raise RequestError("--tcp, --socket and --stdio exclude each other: use one of them")
    bounds = Bounds(tuple(read_roots(roots)), index_dir)
    set_up_logging(**log)
    if tcp is None and socket is None:
        end_process(serve_streams(bounds))
    from symindex.serve.lsp.listener import serve_socket, serve_tcp

    end_process(
        serve_tcp(*parse_address("--tcp", tcp, 7659), bounds)
        if tcp is not None
        else serve_socket(socket or "", bounds)
    )


@click.command()
@common.root_option(
    "Root of a source tree to serve. Repeatable. Default: as in `symindex search`.",
    "roots",
    multiple=True,
)
@common.index_dir_option()
@click.option(
    "--http",
    metavar="HOST:PORT",
    help=(
        "Listen on this address for any number of clients, instead of serving one client on "
        "standard input and output."
    ),
)
@click.option(
    "--allowed-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="With --http: another host name that clients may use to reach this server. Repeatable.",
)
@common.choice_option(
    "--structured-content",
    "auto always never",
    (
        "Whether answers contain structured data as well as Markdown. auto: not for agents, "
        "because many would pass the data to the model instead of the Markdown."
    ),
    "choice",
    default="auto",
    show_default=True,
)
@click.option(
    "--dialect",
    "dialects",
    multiple=True,
    metavar="NAME",
    help=(
        "Offer the tools of another system instead of symindex's own: rye, context-mode, sibyl "
        "or lsap. Repeatable; --dialect symindex adds symindex's own tools."
    ),
)
@click.option(
    "--fleet",
    metavar="ADDRESS|STORE",
    help=(
        "Answer from a fleet of repositories instead of source trees here: a service "
        "(https://...) or a store (s3://..., file://..., a folder)."
    ),
)
def mcp(
    roots: tuple[str, ...],
    index_dir: str | None,
    http: str | None,
    hosts: tuple[str, ...],
    choice: Any,
    dialects: Any,
    fleet: str | None,
) -> int:
    """Run a Model Context Protocol server with symbol search and related tools for agents.

    The server uses standard input and output unless --http is given, and keeps the indexes of its
    roots up to date. If other machines can reach it, clients must send the token in
    SYMINDEX_MCP_TOKEN.
    """
    from symindex.dialects.dialect import OWN
    from symindex.dialects.table import choose
    from symindex.serve.mcp.client_profiles import Offer
    from symindex.serve.mcp.run import serve
    from symindex.serve.streams import end_cleanly

    if fleet and (roots or index_dir or dialects):
        name = "--root" if roots else "--index-dir" if index_dir else "--dialect"
        raise RequestError(f"{name}: means nothing in a fleet: leave it out, or leave out --fleet")
    offer = Offer(choice, choose(dialects), not dialects or OWN in dialects, bool(fleet))

    end_cleanly()  # until the server handles signals itself
    try:
        code = serve(roots, http, hosts, index_dir, offer, fleet or "")
    except KeyboardInterrupt:
        code = 0
    sys.stderr.flush()
    os._exit(code)  # waiting threads must not delay the end


@click.command()
@common.with_tree
@click.option(
    "--idle",
    "idle_minutes",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    metavar="MINUTES",
    help="Stop after this many minutes without a request; 0: never.",
)
def serve(tree: common.TreeOptions, idle_minutes: float) -> int:
    """Watch the source tree, so that `symindex search` and other commands answer six times as fast.

    The server listens on a socket in the index folder that only you can access.
    `symindex lsp`, `mcp` and `index --watch` do the same for the source trees that they watch, so
    you need this only if none of them is running. Commands use a server if one is running;
    otherwise they do the work themselves. They do not start a server unless SYMINDEX_DAEMON=start
    is set.

    Exits with 0 on Ctrl-C, SIGTERM or SIGHUP, after --idle minutes without a request, or if another
    process already serves this source tree; exits with 2 if it cannot listen.
    """
    from symindex.files.access.private_folder import PrivateFolder
    from symindex.files.locations import check_own_folders
    from symindex.serve.daemon.client import find_place
    from symindex.serve.daemon.listener import connect_to, may_listen
    from symindex.serve.daemon.turn import check_can_listen, take
    from symindex.serve.streams import end_cleanly

    if not may_listen():
        common.tell("cannot serve: SYMINDEX_DAEMON is off, or this system has no Unix sockets")
        return 2
    end_cleanly()
    try:
        place = find_place(tree.options())
        if place is not None and os.path.isdir(
            place[0]
        ):  # otherwise opening the workspace reports the problem
            check_own_folders(Path(place[0]))
            folder = PrivateFolder(Path(place[1]).parent, Path(place[0]))
            if connect_to(folder) or not take(folder):
                common.tell(ANOTHER)
                return 0
            check_can_listen(str(folder.path), os.path.basename(place[1]))
        return _answer(tree, idle_minutes)
    except KeyboardInterrupt:
        return 0


def _answer(tree: common.TreeOptions, idle_minutes: float) -> int:
    from symindex.protocol.search import SearchRequest
    from symindex.serve.daemon.exchange import IDENTITY, identity_now
    from symindex.serve.daemon.listener import answering, connect_to
    from symindex.serve.daemon.wire import SOCKET_NAME

    with tree.workspace() as workspace:
        with common.progress_bar() as progress:
            workspace.refresh(progress)
        # Loaded now, so that the first request does not wait for them.
        from symindex.render import markdown  # noqa: F401
        from symindex.serve.cli import main  # noqa: F401
        from symindex.serve.cli.commands import search  # noqa: F401

        workspace.source.plan(SearchRequest(query=""))

        workspace.follow()
        place = workspace.source.indexed.place
        with answering(workspace.source.indexed) as daemon:
            common.tell(f"serving {workspace.root} until Ctrl-C" + _until(idle_minutes))
            ticks = 0
            while not idle_minutes or daemon.idle_seconds < idle_minutes * 60:
                time.sleep(TICK_SECONDS)
                ticks += 1
                if daemon.refusal:
                    is_another = connect_to(place)
                    common.tell(ANOTHER if is_another else daemon.refusal)
                    return 0 if is_another else 2
                if daemon.is_listening and not os.path.lexists(place / SOCKET_NAME):
                    common.tell("stopped: its socket was removed")
                    break
                if ticks % IDENTITY_TICKS == 0 and identity_now() != IDENTITY:
                    common.tell("stopped: symindex or one of its packages was replaced")
                    break
    return 0


def _until(idle_minutes: float) -> str:
    return (
        f", or {idle_minutes:g} minute{'' if idle_minutes == 1 else 's'} without a request"
        if idle_minutes
        else ""
    )
