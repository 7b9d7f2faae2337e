"""`symindex languages`, `check` and `dump`: commands about languages rather than a source tree."""

from pathlib import Path

import click
import msgspec

from symindex.errors import RequestError
from symindex.serve.cli import common_options as common
from symindex.serve.cli.caller import caller
from symindex.text.escaping import show_text


@click.command()
@common.with_writing
@common.json_option
def languages(as_json: bool) -> int:
    """List the supported languages and document formats, and what symindex finds in each."""
    from symindex.extract.summary import language_faults, summarize_formats, summarize_languages

    rows, formats = summarize_languages(), summarize_formats()
    for fault in language_faults():
        common.print_text(f"symindex: ignored: {fault}\n", err=True)
    if as_json:
        common.print_json([*rows, *formats])
    else:
        from symindex.render.report import render_languages

        width = caller().columns if caller().is_terminal else None
        common.print_styled(show_text(render_languages(rows, formats, width)))
    return 0


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path, readable=False))
def check(folders: tuple[Path, ...]) -> int:
    """Check language definitions: folders that contain a language.toml and a symbols.scm.

    FOLDERS are language folders, or parents of language folders. Default: those that symindex uses;
    set SYMINDEX_GRAMMARS to add your own.
    """
    from symindex.workers.dump import check_apart

    faults = 0
    for line in check_apart(list(folders) or None):
        faults += line.is_fault
        common.print_text(line.text + "\n", err=line.is_fault)
    return 2 if faults else 0


@click.command()
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.option(
    "-l", "--lang", help="Language of the file. Default: detected from its name and content."
)
@click.option("--tree", is_flag=True, help="Print the syntax tree instead of the symbols.")
@click.option(
    "--anonymous", is_flag=True, help="With --tree: include unnamed nodes (punctuation, keywords)."
)
@click.option(
    "--grammar",
    default="",
    metavar="NAME",
    help="With --tree: parse with this grammar; no language definition is needed.",
)
@common.json_option
def dump(
    file: Path, lang: str | None, tree: bool, anonymous: bool, grammar: str, as_json: bool
) -> int:
    """Show what symindex finds in FILE: its symbols, or its syntax tree.

    Use this when you write a language's query file, symbols.scm.
    """
    from symindex.render.report import render_symbols
    from symindex.workers.dump import see_symbols, see_tree

    if grammar and not tree:
        raise RequestError("--grammar needs --tree")
    if tree:
        common.print_text(see_tree(file, lang, anonymous, grammar))
        return 0
    symbols, faults = see_symbols(file, lang)
    for line in faults.notices_for(str(file)):
        common.print_text(f"symindex: {line}\n", err=True)
    if as_json:
        common.print_json([msgspec.structs.asdict(symbol) for symbol in symbols])
    else:
        common.print_text(render_symbols(symbols))
    return 0 if symbols else 1
