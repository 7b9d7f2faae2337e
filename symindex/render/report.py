"""Writes plain reports: the state of an index, the languages, the symbols of one file."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from symindex.extract.records import Symbol
from symindex.extract.summary import FormatSummary, LanguageSummary
from symindex.files.skips import SkipReason
from symindex.protocol.kinds import TOLD_FLAGS
from symindex.protocol.status import DocumentCounts, RootStatus, StatusReport
from symindex.render.markdown import code_span, quote
from symindex.text.counts import count_of
from symindex.text.escaping import show_controls

_FEW: Final = 5
"""The most examples in a list, unless all are requested."""

_INCLUDED_BY: Final = {
    SkipReason.MINIFIED.value: " (`minified` in symindex.toml includes files)",
    SkipReason.TOO_LARGE.value: " (`max_file_bytes` in symindex.toml)",
}

_FEW_SKIPS: Final = 3
"""The most skipped files that a model is shown for one reason."""


def render_status(report: StatusReport, notices: Sequence[str], verbose: bool) -> str:
    """Writes the contents of an index, and which files were skipped and why."""
    lines = [
        f"root       {show_controls(report.root)}",
        f"index      {show_controls(report.index_path)}",
        (
            f"           {report.index_bytes:,} bytes, written {_age(report.age_seconds)} ago,"
            f" generation {report.generation}"
        ),
        f"symbols    {report.symbols:,} in {_files(report)}",
        f"documents  {_documents(report.documents)}",
        *([f"notes      {_notes(report.notes)}"] if report.notes else []),
        "",
    ]
    lines += columns_of(
        ("language", "files", "symbols", "bytes", "with syntax errors"),
        *(
            (
                row.language,
                *(f"{n:,}" for n in (row.files, row.symbols, row.bytes, row.with_errors)),
            )
            for row in report.languages
        ),
    )
    lines += _skipped(report, verbose)
    if report.odd_encoding:
        lines += [
            "",
            f"not in UTF-8, or not in the encoding that they declare: {len(report.odd_encoding):,}",
        ]
        lines += [
            f"            {show_controls(path)}"
            for path in report.odd_encoding[: None if verbose else _FEW]
        ]
    for title, paths in _cut_files(report):
        lines += ["", title]
        lines += [
            f"            {show_controls(path)}" for path in paths[: None if verbose else _FEW]
        ]
    if (documents := report.documents).problems:
        lines += ["", f"items whose metadata has a problem: {documents.problems:,}"]
        lines += [
            f"            {show_controls(place)}"
            for place in documents.problem_places[: None if verbose else _FEW]
        ]
    if verbose:
        lines += ["", "columns"]
        lines += [
            f"  {size:>14,}  {name}"
            for name, size in sorted(report.columns.items(), key=lambda pair: -pair[1])
        ]
    lines += [f"note: {show_controls(notice)}" for notice in notices]
    return "\n".join(lines) + "\n"


def _skipped(report: StatusReport, verbose: bool) -> list[str]:
    """Returns the reasons for which files were skipped, each with examples."""
    lines = ["", "skipped"] if report.skipped else []
    for skip in report.skipped:
        lines.append(f"  {skip.count:>8,}  {skip.reason}{_INCLUDED_BY.get(skip.reason, '')}")
        shown = skip.paths if verbose else skip.paths[:_FEW]
        lines += [f"            {show_controls(path)}" for path in shown]
        if skip.paths and skip.count > len(shown):
            rest = skip.count - len(shown)
            lines.append(f"            and {rest:,} more{'' if verbose else ' (--verbose)'}")
        if skip.reason == SkipReason.UNSUPPORTED:
            suffixes = _unsupported(report)[: None if verbose else _FEW]
            lines.append(
                "            "
                + ", ".join(f"{show_controls(suffix)} {count:,}" for suffix, count in suffixes)
            )
    return lines


def _cut_files(report: StatusReport) -> list[tuple[str, list[str]]]:
    """Lists files that an error or an unfinished merge has cut, with their number and the option
    that lists them all."""
    rows = (
        (
            "broken by an error, so members may appear outside of their class",
            "is:broken",
            report.broken,
        ),
        ("with the markers of an unfinished merge", "is:conflicted", report.conflicted),
    )
    return [
        (f"{title}: {len(paths):,} (`symindex search {query}`)", paths)
        for title, query, paths in rows
        if paths
    ]


def _notes(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{category} {count:,}" for category, count in counts.items())


def render_roots(rows: Sequence[RootStatus]) -> str:
    """Writes the state of roots as Markdown for a model: which files are covered, which are not,
    and how fresh the index is."""
    lines: list[str] = []
    for row in rows:
        lines.append(f"# Status: {code_span(row.root)}")
        if row.name:
            lines.append(f"Its paths begin with {code_span(row.name + '/')}")
        lines.append(_state_of(row))
        lines += [quote(notice) for notice in (row.error, *row.notices) if notice]
        if row.report is not None:
            lines += ["", *_coverage(row.report)]
            if row.report.notes:
                lines.append(f"notes: {_notes(row.report.notes)}")
        lines.append("")
    return "\n".join(lines)


def _state_of(row: RootStatus) -> str:
    if row.state == "missing":
        return "The root does not exist."
    if row.state in ("opening", "indexing"):
        done = f", {row.done:,} of {count_of(row.total, 'file')} read" if row.total else ""
        source = (
            "answers come from the index as it was"
            if row.report
            else "a search finds names all the same, from the files"
        )
        return f"Being indexed{done}; meanwhile {source}."
    if row.state in ("failed", "cancelled"):
        return f"Indexing {row.state}: answers come from what there was before."
    return "Up to date, and watching for edits."


def _files(report: StatusReport) -> str:
    """Says how many files contain the symbols, and of how many, if others contain none."""
    if report.with_symbols == report.files:
        return count_of(report.files, "file")
    return f"{report.with_symbols:,} of {count_of(report.files, 'file')}"


def _coverage(report: StatusReport) -> list[str]:
    languages = ", ".join(
        f"{language.language} {language.files:,}" for language in report.languages
    )
    lines = [
        (
            f"{count_of(report.symbols, 'symbol')} in {_files(report)}; written"
            f" {_age(report.age_seconds)} ago"
        ),
        f"Files by language: {languages or 'none'}",
        f"Documents: {_documents(report.documents)}",
    ]
    if (documents := report.documents).problems:
        examples = ", ".join(map(code_span, documents.problem_places[:_FEW_SKIPS]))
        lines.append(f"- items whose metadata has a problem: {documents.problems:,} ({examples})")
    for title, paths in _cut_files(report):
        lines.append(f"- {title}: {', '.join(map(code_span, paths[:_FEW_SKIPS]))}")
    for skip in report.skipped:
        examples = ", ".join(map(code_span, skip.paths[:_FEW_SKIPS]))
        if skip.reason == SkipReason.UNSUPPORTED:
            examples = ", ".join(
                f"{code_span(suffix)} {count:,}" for suffix, count in _unsupported(report)[:_FEW]
            )
        lines.append(
            f"- skipped, {skip.reason}: {skip.count:,}" + (f" ({examples})" if examples else "")
        )
    return lines


def _documents(counts: DocumentCounts) -> str:
    by_type = ", ".join(f"{show_controls(name)} {count:,}" for name, count in counts.items.items())
    items = count_of(sum(counts.items.values()), "item")
    return f"{count_of(counts.sections, 'section')}, {items}" + (f" ({by_type})" if by_type else "")


def _unsupported(report: StatusReport) -> list[tuple[str, int]]:
    """Returns the suffixes of files without a language, the most frequent first."""
    return sorted(report.unsupported.items(), key=lambda pair: (-pair[1], pair[0]))


def _age(seconds: float) -> str:
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def render_languages(
    rows: Sequence[LanguageSummary], formats: Sequence[FormatSummary], width: int | None = None
) -> str:
    """Writes a table of the languages and what their queries find, and one of the formats of
    documents. width: the terminal's, in columns; longer rows are wrapped."""
    table = [
        (
            row.id,
            row.name,
            row.tier,
            " ".join(
                word for word in ("containers", "signatures", "docs", "flags") if getattr(row, word)
            ),
            " ".join([*row.kinds, *(f"+{embedded}" for embedded in row.embeds)]),
        )
        for row in rows
    ]
    finds = {True: "sections items", False: "items"}
    of_formats = [(row.id, row.name, finds[row.sections], " ".join(row.files)) for row in formats]
    lines = columns_of(("language", "name", "tier", "finds", "kinds"), *table)
    lines += ["", *columns_of(("format", "name", "finds", "files"), *of_formats)]
    if width is not None:
        from textwrap import wrap  # imported here, because few answers need it

        wrapped = partial(
            wrap,
            width=width,
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines = [part for line in lines for part in wrapped(line) or [""]]
    return "\n".join(lines) + "\n"


def render_symbols(symbols: Sequence[Symbol]) -> str:
    """Writes one line for each symbol: place, kind, qualified name, flags, signature; and below it
    the first line of its doc."""
    lines = []
    for symbol in symbols:
        flags = "".join(
            f" !{flag.name.lower()}" for flag in TOLD_FLAGS if flag.name and symbol.flags & flag
        )
        lines.append(
            f"{symbol.name_row + 1}:{symbol.name_column}"
            f" [{symbol.start_row + 1}-{symbol.end_row + 1}] {symbol.kind}"
            f" {show_controls(symbol.qualified_name)}{flags}  {show_controls(symbol.signature)}"
        )
        if symbol.doc:
            lines.append(f"    {show_controls(symbol.doc.splitlines()[0])}")
    return "\n".join(lines) + "\n" if lines else "no symbols\n"


def columns_of(*rows: tuple[str, ...]) -> list[str]:
    """Aligns rows in columns; the first row contains the titles. Columns of numbers are aligned to
    the right."""
    columns = []
    for column in zip(*rows, strict=True):
        is_number = all(cell.replace(",", "").isdigit() for cell in column[1:])
        width = max(map(len, column))
        columns.append([cell.rjust(width) if is_number else cell.ljust(width) for cell in column])
    return ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
