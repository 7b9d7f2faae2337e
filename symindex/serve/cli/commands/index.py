"""`symindex index` and `status`."""

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from symindex.serve.cli import common_options as common
from symindex.serve.cli.shown_answer import shown_data, shown_message, shown_text
from symindex.text.counts import count_of
from symindex.text.escaping import show_controls

if TYPE_CHECKING:
    from symindex.protocol.status import RefreshReport
    from symindex.workspace.workspace import Workspace


@click.command()
@common.with_tree
@click.option("--rebuild", is_flag=True, help="Read every file again, even if it has not changed.")
@click.option(
    "--watch",
    is_flag=True,
    help="Keep the index current until Ctrl-C; report each update on standard error.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print JSON only; with --watch, one object per line.",
)
def index(tree: common.TreeOptions, rebuild: bool, watch: bool, as_json: bool) -> int:
    """Build the index, or bring it up to date. With --watch, keep it current."""
    with tree.workspace() as workspace:
        with common.progress_bar() as progress:
            report = workspace.refresh(progress, rebuild)
        lines = [
            (
                f"{show_controls(report.root)}: {count_of(report.symbols, 'symbol')} of"
                f" {count_of(report.files, 'file')}, {count_of(report.bytes, 'byte')},"
                f" {report.seconds:.2f} s ({report.read:,} read, {report.removed:,} gone)"
            ),
            *(
                [f"  {count_of(report.sections, 'section')}, {count_of(report.items, 'item')}"]
                if report.sections or report.items
                else []
            ),
            *(f"  skipped, {row.reason}: {row.count:,}" for row in report.skipped),
            *(f"  {show_controls(notice)}" for notice in report.notices),
        ]
        if as_json:
            common.print_json(report)
        else:
            common.print_text("\n".join(lines) + "\n")
        return _follow(workspace, as_json) if watch else 0


def _follow(workspace: "Workspace", as_json: bool) -> int:
    """Keeps the index current until Ctrl-C, and reports each update."""
    import queue

    from symindex.serve.daemon.listener import answering

    sys.stdout.flush()
    update: queue.SimpleQueue[RefreshReport | Exception] = queue.SimpleQueue()
    watcher = workspace.source.indexed.follow(update.put, update.put)
    shown = ""
    try:
        common.tell(f"watching {workspace.root}; press Ctrl-C to stop")
        with answering(workspace.source.indexed):
            while True:
                with suppress(queue.Empty):
                    # With a timeout, because on some systems Ctrl-C cannot interrupt a wait without
                    # one.
                    _print_update(update.get(timeout=0.5), as_json)
                handler, shown = shown, watcher.hindrance
                if shown not in ("", handler):
                    common.tell(shown)
    except KeyboardInterrupt as end:
        workspace.unfollow()
        common.tell("stopped watching; the index is at its last update")
        return 128 + end.args[0] if end.args else common.INTERRUPTED


def _print_update(update: "RefreshReport | Exception", as_json: bool) -> None:
    if isinstance(update, Exception):
        common.tell(
            f"an update failed: {update}"
            if str(update).strip()
            else f"an update failed: {type(update).__name__}"
        )
    elif as_json:
        common.print_json(update)
        sys.stdout.flush()
    else:
        lines = [
            f"updated in {update.seconds:.2f} s: {count_of(update.read, 'file')} read,"
            f" {update.removed:,} gone"
        ]
        lines += [f"  {show_controls(notice)}" for notice in update.notices]
        common.print_text("\n".join(lines) + "\n", err=True)


@click.command()
@common.with_paths
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="List every skipped file, and the size of each part of the index.",
)
@common.json_option
def status(tree: common.TreeOptions, verbose: bool, as_json: bool) -> int:
    """Show what is indexed: files by language, and what was skipped and why."""
    with tree.opened() as (workspace, folder):
        common.refresh(workspace)
        report, notices = workspace.status(), workspace.source.take_notices()
    if as_json:
        common.print_json(shown_data(folder, report))
    else:
        from symindex.render.report import render_status

        common.print_text(
            render_status(
                shown_text(folder, report),
                [shown_message(folder, notice) for notice in notices],
                verbose,
            )
        )
    return 0
