"""`symindex web`: the page in the browser."""

import os
import sys

import click

from symindex.serve.cli import common_options as common


@click.command()
@click.argument("roots", nargs=-1, metavar="[ROOT]...", type=click.Path())
@common.index_dir_option()
@click.option(
    "--http",
    default="127.0.0.1:7658",
    show_default=True,
    metavar="HOST:PORT",
    help="The address to listen on; port 0 means any free port.",
)
@click.option(
    "--allowed-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Another host name by which browsers reach this server. Repeatable.",
)
@click.option("--open", "is_opened", is_flag=True, help="Open the page in your browser.")
def web(
    roots: tuple[str, ...],
    index_dir: str | None,
    http: str,
    hosts: tuple[str, ...],
    is_opened: bool,
) -> int:
    """Serve source trees as a page in the browser: search as you type, read code, follow
    definitions and references.

    ROOT: the root of a source tree. Default: as in `symindex search`. The page is read-only, keeps
    the indexes up to date, and runs without JavaScript, except for live search and keys. If other
    machines can reach it, visitors must give the token in SYMINDEX_WEB_TOKEN.
    """
    from symindex.files.locations import current_folder, find_root
    from symindex.serve.streams import end_cleanly, parse_address, read_roots
    from symindex.serve.web.run import serve

    folders = read_roots(roots or [str(find_root(current_folder()))], "ROOT")
    host, port = parse_address("--http", http, 7658)
    end_cleanly()  # until the server handles signals itself
    try:
        code = serve(folders, host, port, hosts, index_dir, is_opened)
    except KeyboardInterrupt:
        code = 0
    sys.stderr.flush()
    os._exit(code)  # waiting threads must not delay the end
