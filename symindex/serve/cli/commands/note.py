"""`symindex note add`, `list`, `show`, `delete`, `export`, `import` and `hook`."""

import sys
from typing import Any

import click

from symindex.serve.cli import common_options as common
from symindex.text.counts import count_of

_MOST_READ = 1_000_000
"""Most bytes that are read: more than a note may have, so that a note that is too long is refused
rather than cut."""


@click.group()
def note() -> None:
    """Record decisions, errors and their fixes; `symindex recall` finds them."""


@note.command("add")
@click.argument("text", metavar="TEXT|-")
@common.with_tree
@click.option(
    "--category",
    default="learned",
    metavar="WORD",
    help="Category: decision, error, plan or any other word. Default: learned.",
)
@click.option(
    "--session",
    envvar="SYMINDEX_SESSION",
    default="",
    metavar="ID",
    help="Id of the agent session that writes the note.",
)
@click.option(
    "--source", default="", metavar="NAME", help="Name of the program that writes the note."
)
@click.option(
    "--author", default="", metavar="NAME", help="Name of the person who writes the note."
)
@common.list_option(
    "--link",
    "links",
    otherwise=[],
    metavar="ID",
    help="Id of a symbol that the note is about. Repeatable.",
)
@common.json_option
def add_note(tree: common.TreeOptions, text: str, as_json: bool, **fields: Any) -> int:
    """Add a note about the project.

    The note is on disk by the time the command exits. If the text seems to contain a key or a
    password, you get a warning, but the note is stored unchanged.
    """
    from symindex.workspace.workspace import open_notes

    if text == "-":
        given = common.read_given(
            sys.stdin.buffer, _MOST_READ, "the note", "`symindex add` keeps longer texts"
        )
        text = given.decode("utf-8", "surrogateescape")
    with open_notes(tree.root) as notes:
        kept = notes.add_as_is(text, **fields)
        common.tell(*notes.take_notices())
    if as_json:
        common.print_json(kept)
    else:
        common.print_text(f"note {kept.id}\n")
    return 0


@note.command("list")
@common.with_tree
@common.list_option(
    "--category",
    "categories",
    otherwise=[],
    metavar="WORD",
    help="Only notes of this category. Repeatable.",
)
@click.option("--session", default="", metavar="ID", help="Only notes of this agent session.")
@click.option("--source", default="", metavar="TEXT", help="Only notes whose source contains TEXT.")
@click.option(
    "--since",
    default="",
    metavar="WHEN",
    help="Only notes since a date (2026-05-31), or within a period (12h, 7d, 2w, 3mo, 1y).",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 1_000),
    default=20,
    metavar="N",
    help="List at most N notes. Default: 20.",
)
@click.option(
    "--offset", type=click.IntRange(0), default=0, metavar="N", help="Skip the first N notes."
)
@click.option("--all-projects", is_flag=True, help="Include the notes of other projects.")
@common.json_option
def list_notes(tree: common.TreeOptions, as_json: bool, **filters: Any) -> int:
    """List notes, newest first.

    Exits with 0 if there are any, 1 if there are none, 2 on errors.
    """
    from symindex.render.notes import render_notes
    from symindex.workspace.workspace import open_notes

    with open_notes(tree.root) as notes:
        notes_page, total = notes.newest_first(**filters)
        common.tell(*notes.take_notices())
    if as_json:
        common.print_json({"notes": notes_page, "total": total})
    else:
        common.print_page(render_notes(notes_page, total))
    return 0 if notes_page else 1


@note.command("show")
@click.argument("number", type=click.IntRange(1))
@common.with_tree
@common.json_option
def show_note(tree: common.TreeOptions, number: int, as_json: bool) -> int:
    """Show note NUMBER. `symindex note list` shows the numbers."""
    from symindex.render.notes import render_note
    from symindex.workspace.workspace import open_notes

    with open_notes(tree.root) as notes:
        note = notes.show(number)
        common.tell(*notes.take_notices())
    if note is None:
        common.tell(f"there is no note {number}: `symindex note list` lists all notes")
        return 1
    if as_json:
        common.print_json(note)
    else:
        common.print_page(render_note(note))
    return 0


@note.command("delete")
@click.argument("number", type=click.IntRange(1))
@common.with_tree
def delete_note(tree: common.TreeOptions, number: int) -> int:
    """Delete note NUMBER. `symindex note list` shows the numbers."""
    from symindex.workspace.workspace import open_notes

    with open_notes(tree.root) as notes:
        is_gone = notes.delete(number)
        common.tell(*notes.take_notices())
    if not is_gone:
        common.tell(f"there is no note {number}: `symindex note list` lists all notes")
    return 0 if is_gone else 1


@note.command("export")
@common.with_tree
def export_notes(tree: common.TreeOptions) -> int:
    """Write all notes of all projects to standard output, as JSON lines."""
    from symindex.workspace.workspace import open_notes

    with open_notes(tree.root) as notes:
        for note in notes.export():
            common.print_json(note)
        common.tell(*notes.take_notices())
    return 0


@note.command("import")
@click.argument("file", type=click.File("rb"), metavar="FILE|-")
@common.with_tree
def import_notes(tree: common.TreeOptions, file: Any) -> int:
    """Import what `note export` wrote. Notes that already exist are left unchanged."""
    from symindex.workspace.workspace import open_notes

    with open_notes(tree.root) as notes:
        n_new = notes.take_in(file)
        common.tell(*notes.take_notices())
    common.print_text(f"{count_of(n_new, 'new note')}\n")
    return 0


@note.command("hook")
@common.with_tree
@click.option(
    "--agent",
    default="",
    metavar="NAME",
    help="Agent: claude-code, gemini-cli or cursor. Default: detected from the event.",
)
def record_event(tree: common.TreeOptions, agent: str) -> int:
    """Record an event from a coding agent's hook.

    Reads the event as JSON from standard input. Prompts, decisions, plans, errors and their fixes
    become notes; other events are ignored. Secrets are removed from notes, and a message on
    standard error says so; nothing else is printed.

    Exits with 0, or with 1 on errors; never with 2, which would block the agent.
    """
    from symindex.errors import SymindexError
    from symindex.workspace.workspace import open_notes

    try:
        with open_notes(tree.root) as notes:
            notes.record(sys.stdin.buffer.read(_MOST_READ + 1), agent)
            common.tell(*notes.take_notices())
    except SymindexError as error:
        common.tell(str(error))
        return 1
    return 0
