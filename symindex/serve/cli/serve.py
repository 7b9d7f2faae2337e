"""The commands that stay: `symindex lsp` for editors, `mcp` for agents, `serve` for the searches of other commands."""

import os
import sys
import time
from typing import TYPE_CHECKING, Any, Final

import click

from symindex.errors import RequestError
from symindex.serve.cli import common_options as common

if TYPE_CHECKING:
    from symindex.workspace import PrivateFolder

TICK_SECONDS: Final = 0.5
"""How often `serve` looks whether it is to end."""

LOCK_NAME: Final = "daemon.lock"
"""The file in the folder of the index that one `serve` at a time has locked, from before it loads anything."""

_KEPT: Final[list[object]] = []
"""The lock, which an unreferenced one would give up."""


@click.command()
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
    from symindex.serve.lsp.run import end_process, serve_streams
    from symindex.serve.streams import parse_address, read_roots

    if sum((tcp is not None, socket is not None, stdio)) > 1:
        raise RequestError("--tcp, --socket and --stdio are different ways to reach the server: give one of them")
    bounds = Bounds(tuple(read_roots(roots)), index_dir)
    set_up_logging(**log)
    if tcp is None and socket is None:
        end_process(serve_streams(bounds))
    from symindex.serve.lsp.listener import serve_socket, serve_tcp

    end_process(serve_tcp(*parse_address("--tcp", tcp, 7659), bounds) if tcp is not None else serve_socket(socket or "", bounds))


@click.command()
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


@click.command()
@common.with_tree
@click.option(
    "--idle",
    "idle_minutes",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    metavar="MINUTES",
    help="End after so many minutes without a question; 0: never.",
)
def serve(tree: common.Tree, idle_minutes: float) -> int:
    """Follow the tree, and answer `symindex search` about it, in a sixth of its time.

    It listens at a socket in the folder of the index, for your own user alone. `symindex lsp`, `mcp` and `index --watch` do the
    same for the trees that they follow, so this is for where none of them runs. A search asks whoever is there, and does the work
    itself where nobody is; it starts nothing, unless SYMINDEX_DAEMON=start is in its environment.
    """
    from symindex.serve.daemon.listener import answering, connect_to, may_listen
    from symindex.serve.daemon.wire import SOCKET_NAME

    if not may_listen():
        common.tell("SYMINDEX_DAEMON is off, or this system has no sockets for it: nothing is served")
        return 2
    with tree.workspace() as workspace:
        if not _is_first(workspace.place) or connect_to(workspace.place):
            common.tell("another process answers for this tree already")
            return 0
        with common.progress_bar() as progress:
            workspace.refresh(progress)
        # Here, so that the first question does not wait for them.
        from symindex.render import lean_pages, markdown  # noqa: F401
        from symindex.serve.cli import main, search  # noqa: F401

        workspace.follow()
        with answering(workspace) as daemon:
            common.tell(f"answers for {workspace.root} until Ctrl-C" + _until(idle_minutes))
            try:
                while not idle_minutes or time.monotonic() < daemon.last + idle_minutes * 60:
                    time.sleep(TICK_SECONDS)
                    if daemon.is_refused or (daemon.is_listening and not os.path.lexists(workspace.place / SOCKET_NAME)):
                        common.tell("another process answers for this tree, or nobody can listen there: the end")
                        break
            except KeyboardInterrupt:
                pass
    return 0


def _is_first(folder: "PrivateFolder") -> bool:
    """Whether no other process serves the tree or is about to; the right to is kept until this process ends. Where no such right
    can be had, nobody can listen either."""
    from filelock import FileLock, Timeout  # here, because the servers do without it

    lock = FileLock(folder / LOCK_NAME, mode=0o600)
    try:
        folder.make()
        lock.acquire(timeout=0)
    except (Timeout, OSError):
        return False
    _KEPT.append(lock)
    return True


def _until(idle_minutes: float) -> str:
    return f", or {idle_minutes:g} minutes without a question" if idle_minutes else ""
