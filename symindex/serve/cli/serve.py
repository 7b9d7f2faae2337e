"""`symindex serve`: follows a tree, and answers the searches of other commands about it."""

import time
from typing import Final

import click

from symindex.serve.cli import common_options as common

TICK_SECONDS: Final = 0.5


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
    """Follow the tree, and answer `symindex search` about it, in a tenth of its time.

    It listens at a socket in the folder of the index, for your own user alone. `symindex lsp`, `mcp` and `index --watch` do the
    same for the trees that they follow, so this is for where none of them runs. A search asks whoever is there, and does the work
    itself where nobody is; it starts nothing, unless SYMINDEX_DAEMON=start is in its environment.
    """
    from symindex.serve.daemon.listener import answering, may_listen, other_answers

    if not may_listen():
        common.tell("SYMINDEX_DAEMON is off, or this system has no sockets for it: nothing is served")
        return 2
    with tree.workspace() as workspace:
        if other_answers(workspace):
            common.tell("another process answers for this tree already")
            return 0
        with common.progress_bar() as progress:
            workspace.refresh(progress)
        from symindex.serve.cli import main as _  # noqa: F401  here, so that the first question does not wait for it

        watcher = workspace.follow()
        with answering(workspace) as daemon:
            common.tell(f"answers for {workspace.root} until Ctrl-C" + _until(idle_minutes))
            try:
                while not idle_minutes or time.monotonic() < daemon.last + idle_minutes * 60:
                    time.sleep(TICK_SECONDS)
            except KeyboardInterrupt:
                pass
        del watcher
    return 0


def _until(idle_minutes: float) -> str:
    return f", or {idle_minutes:g} minutes without a question" if idle_minutes else ""
