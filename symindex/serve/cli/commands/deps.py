"""`symindex deps`: the packages that a project depends on."""

import click

from symindex.serve.cli import common_options as common
from symindex.text.counts import count_of


@click.command()
@common.with_tree
@click.option(
    "--build",
    is_flag=True,
    help="Index the packages that have no index yet, and wait until this is done.",
)
@click.option(
    "--prune", is_flag=True, help="Delete indexes that no project has used for a long time."
)
@common.list_option(
    "--ecosystem",
    "ecosystems",
    otherwise=[],
    metavar="E",
    help="Only packages of this ecosystem, such as npm. Repeatable.",
)
@click.option(
    "--background",
    is_flag=True,
    help="With --build: run at low priority, and build nothing if another build is running.",
)
@common.json_option
def deps(
    tree: common.TreeOptions,
    build: bool,
    prune: bool,
    ecosystems: list[str],
    background: bool,
    as_json: bool,
) -> int:
    """List the packages that the project depends on, and how many of them are indexed.

    Each package is indexed only once, and all projects that use the same copy share its index.

    Exits with 0 if there are packages, 1 if there are none, 2 on errors.
    """
    from symindex.workspace.workspace import open_dependencies

    dependencies = open_dependencies(tree.root, tree.index_dir)
    lines = []
    if build:
        dependencies.report(ecosystems)  # reports an unknown ecosystem before anything is read
        with common.progress_bar("indexing", "packages") as progress:
            built = dependencies.build(progress, ecosystems, background)
        if built.is_waiting:
            lines.append("another process is indexing packages; try again later")
        else:
            lines.append(
                f"indexed    {built.built:,} now, in {built.seconds:.1f} s; {built.known:,} before"
            )
    if prune:
        n_gone = dependencies.prune()
        lines.append(f"dropped    {count_of(n_gone, 'index', 'indexes')}")
    report = dependencies.report(ecosystems)
    if as_json:
        common.print_json(report)
    else:
        from symindex.render.deps import render_deps

        common.print_text(render_deps(report, lines))
    return 0 if report.packages else 1
