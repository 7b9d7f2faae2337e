"""What an answer without an index rests on, as a sentence for whoever asked.

Totals are those of the part that was searched. The strong tiers alone answer: a scan does not look for files with names that the
needle misspells.
"""

from symindex.search.unindexed.work_queue import ScoutReport


def describe_part(report: ScoutReport, query: str) -> str:
    """What the answer rests on, as a sentence."""
    of_files = f"{report.total_files:,} files" if report.walked else f"the {report.total_files:,} files found so far"
    if report.complete:
        found = f"all {report.candidates:,} of {of_files} that hold `{query}` were searched"
        if report.candidates == 1:
            found = f"the one of {of_files} that holds `{query}` was searched"
        elif not report.candidates:
            found = f"none of {of_files} holds `{query}`"
    elif report.walked and report.scanned_files + len(report.unreadable) == report.total_files:
        found = f"{report.candidates:,} of {of_files} hold `{query}`, the likeliest {report.parsed:,} of them were searched"
    else:
        found = (
            f"{report.scanned_files:,} of {of_files} were looked through, {report.candidates:,} hold `{query}`, the likeliest "
            f"{report.parsed:,} of them were searched"
        )
    for words, paths in (("could not be read", report.unreadable), ("were given up", report.given_up)):
        if paths:
            found += f"; {len(paths):,} {words}, as {paths[0]}"
    return f"the index is still being built: {found}; misspelt and abbreviated names are found when it is there"
