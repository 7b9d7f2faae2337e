"""`symindex fleet`: many repositories in a store, brought up to date, looked after and served."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symindex.errors import RequestError
from symindex.serve.cli import common_options as common

if TYPE_CHECKING:
    from collections.abc import Callable

    from symindex.fleet.stored.generation import Generation
    from symindex.fleet.work import FleetWork
    from symindex.protocol.fleet import FleetStatus


@click.group()
def fleet() -> None:
    """Index many repositories into a store, and search them as one.

    A catalogue, fleet.toml, names the repositories and the store: a folder, or a URL such as
    s3://bucket/fleet. `update` brings the store up to date; run it as often as you like. Then
    search with --fleet STORE.
    """


def _with_work(command: "Callable[..., int]") -> "Callable[..., int]":
    """Adds the options of a command that works on the store."""
    options: list[Any] = [
        click.option(
            "--catalogue",
            default="fleet.toml",
            show_default=True,
            metavar="FILE",
            help="The catalogue of the repositories.",
        ),
        click.option(
            "--store", metavar="STORE", help="The store. Default: what the catalogue names."
        ),
        common.choice_option(
            "--executor",
            "local ray",
            "What runs the work: processes of this machine, or the Ray cluster of RAY_ADDRESS.",
            default="local",
            show_default=True,
        ),
        click.option(
            "--workers",
            type=click.IntRange(0),
            default=0,
            metavar="N",
            help="Processes that parse. Default: one for each core.",
        ),
        click.option(
            "--batch",
            type=click.IntRange(1),
            metavar="I",
            help="With --of: do only this share of the repositories, counted from 1.",
        ),
        click.option(
            "--of",
            type=click.IntRange(1),
            metavar="N",
            help="The number of processes that do a share each, on any machines.",
        ),
        common.json_option,
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _command(name: str, doc: str, verified: str = "") -> None:
    """Adds a command that runs a step. verified: what --verify does."""

    def run(**options: Any) -> int:
        return _run(name, **options)

    command = _with_work(run)
    if verified:
        command = click.option("--verify", is_flag=True, help=verified)(command)
    fleet.command(name, help=doc)(command)


_command(
    "update",
    """Bring the store up to date: sync, index and merge.

    Exits with 0 if everything is up to date, 1 if some repositories failed, 2 on errors.""",
    "Read all that is served, and make anew what is damaged.",
)
_command(
    "sync",
    """Bring the sources up to date: fetch new commits, list organisations, unpack archives.

    Exits as update does.""",
)
_command(
    "index",
    """Index the repositories that have changed, and write them to the store.

    Exits as update does.""",
    "Read the objects of all repositories, and make the damaged ones anew.",
)
_command(
    "merge",
    """Merge the repositories that have changed into the shards of the store.

    Exits as update does.""",
    "Read all shards, and make the damaged ones anew.",
)


def _run(
    step: str,
    catalogue: str,
    store: str | None,
    executor: str,
    workers: int,
    batch: int | None,
    of: int | None,
    as_json: bool,
    verify: bool = False,
) -> int:
    from symindex.fleet.open_work import open_work

    if (batch is None) != (of is None) or (batch is not None and of is not None and batch > of):
        raise RequestError("--batch I and --of N belong together, with I from 1 to N")
    with common.progress_bar(step, "repositories") as progress:
        work = open_work(
            Path(catalogue),
            store,
            executor,
            workers,
            (batch, of) if batch is not None and of is not None else None,
            None if progress is None else lambda _, done, total: progress(done, total),
        )
        generation = _run_step(work, step, verify)
    if as_json:
        common.print_json(work.reports)
    else:
        from symindex.render.fleet import render_steps

        common.print_text(render_steps(work.reports, work.store.address))
    has_failed = any(report.failed for report in work.reports)
    # The share of one process may be empty; a whole fleet should not.
    is_empty = batch is None and not generation.repositories
    return 1 if has_failed or is_empty else 0


def _run_step(work: "FleetWork", step: str, verify: bool) -> "Generation":
    if step == "sync":
        return work.sync()
    if step == "merge":
        return work.merge(verify=verify)
    return work.index(verify=verify) if step == "index" else work.update(verify=verify)


def _with_store(command: "Callable[..., int]") -> "Callable[..., int]":
    """Adds the options of a command that only needs the store."""
    options: list[Any] = [
        click.option(
            "--catalogue",
            default="fleet.toml",
            show_default=True,
            metavar="FILE",
            help="The catalogue: it names the store, unless --store does, and the repositories.",
        ),
        click.option("--store", metavar="STORE", help="The store."),
        common.json_option,
    ]
    for option in reversed(options):
        command = option(command)
    return command


@fleet.command()
@click.option("--failed", "only_failed", is_flag=True, help="List only what is not up to date.")
@click.option(
    "--fleet",
    "place",
    metavar="ADDRESS|STORE",
    help="Ask a service (https://...) or a store, without a catalogue.",
)
@_with_store
def status(
    catalogue: str, store: str | None, place: str | None, only_failed: bool, as_json: bool
) -> int:
    """List the repositories: what is served of each, of which commit, how old it is, and what
    failed.

    Exits with 0 if everything is served, 1 if something is missing or failed, 2 on errors.
    """
    report = _status_of_store(catalogue, store) if place is None else _status_at(place)
    rows = [row for row in report.repositories if not only_failed or row.state != "current"]
    if as_json:
        report.repositories = rows
        common.print_json(report)
    else:
        from symindex.render.fleet import render_status

        common.print_text(render_status(report, rows))
    states = report.states
    bad = states.get("failed", 0) + states.get("missing", 0) + len(report.notices)
    return 1 if bad or not report.repositories else 0


def _status_of_store(catalogue: str, store: str | None) -> "FleetStatus":
    from symindex.fleet.open_work import catalogued, open_store
    from symindex.fleet.status import status_of
    from symindex.fleet.stored.generation import find_newest, tell_damaged

    opened = open_store(Path(catalogue), store)
    newest = find_newest(opened)
    notices = [notice] if (notice := tell_damaged(newest)) else []
    return status_of(opened.address, newest.generation, notices, catalogued(Path(catalogue)))


def _status_at(place: str) -> "FleetStatus":
    """Returns the status of a service, or of a store by itself."""
    from symindex.serve.fleet_answers import open_answers, status_of

    for name in "catalogue", "store":
        typed = click.get_current_context().get_parameter_source(name)
        if typed is click.core.ParameterSource.COMMANDLINE:
            raise RequestError(f"--{name}: --fleet names the fleet already: leave one of them out")
    answers = open_answers(place)
    try:
        return status_of(answers)
    finally:
        answers.close()


@fleet.command()
@click.option(
    "--days",
    type=click.FloatRange(0),
    default=7,
    show_default=True,
    metavar="N",
    help="Keep the generations of the last N days.",
)
@click.option("--dry-run", is_flag=True, help="Only count what would be deleted.")
@_with_store
def gc(catalogue: str, store: str | None, days: float, dry_run: bool, as_json: bool) -> int:
    """Delete what no generation of the last days needs. The newest generation always stays, and so
    does everything that is younger than a day."""
    from symindex.fleet.open_work import open_store
    from symindex.fleet.stored.gc import collect
    from symindex.text.counts import count_of

    report = collect(open_store(Path(catalogue), store), days, is_trial=dry_run)
    if as_json:
        common.print_json(report)
    else:
        word = "to delete" if dry_run else "deleted"
        common.print_text(
            f"{word:<11} {count_of(report.deleted, 'object')}, {count_of(report.n_bytes, 'byte')}\n"
            f"{'kept':<11} {count_of(report.kept, 'object')},"
            f" {count_of(report.kept_bytes, 'byte')},"
            f" {count_of(report.generations, 'generation')}\n"
        )
    return 0


@fleet.command()
@click.argument("store")
@click.option(
    "--http",
    default="127.0.0.1:7661",
    show_default=True,
    metavar="HOST:PORT",
    help="The address to listen on; port 0 means any free port.",
)
@click.option(
    "--allowed-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Another host name by which clients reach this server. Repeatable.",
)
def serve(store: str, http: str, hosts: tuple[str, ...]) -> int:
    """Serve the newest generation in STORE: requests as JSON at /v1, tools for agents at /mcp, and
    a page in the browser at /.

    STORE is s3://BUCKET/FOLDER, file://FOLDER or a folder. If other machines can reach the server,
    clients must send the token in SYMINDEX_FLEET_TOKEN; a visitor of the page types it.
    """
    from symindex.serve.api.run import check_installed
    from symindex.serve.api.run import serve as serve_answers
    from symindex.serve.fleet_answers import open_store
    from symindex.serve.streams import end_cleanly, parse_address

    host, port = parse_address("--http", http, 7661)
    check_installed()
    end_cleanly()  # until the server handles signals itself
    try:
        with open_store(store) as answers:
            answers.follow()
            code = serve_answers(answers, host, port, hosts)
    except KeyboardInterrupt:
        code = 0
    sys.stderr.flush()
    os._exit(code)  # waiting threads must not delay the end
