"""What the completion of a shell asks for, in click's way, and a word about everything else that the variable may hold."""

import click

from symindex.errors import RequestError
from symindex.serve.cli.common_options import COMPLETE
from symindex.text.escaping import show_controls


def complete(cli: click.Command, wanted: str) -> int:
    """Writes what a shell asks for and returns 0. Raises RequestError: click says nothing, with the code of nothing found."""
    from click.shell_completion import shell_complete

    try:
        code = shell_complete(cli, {}, "symindex", COMPLETE, wanted)
    except (KeyError, ValueError):  # the words that a shell has so far are missing, or are no words
        code = 1
    if code:
        raise RequestError(f"{COMPLETE}={show_controls(wanted)}: is for the completion of shells; unset it, or say bash_source")
    return 0
