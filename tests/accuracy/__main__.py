"""Compares the symbols that symindex extracts with those of a language's own parser, on real
projects; see README.md.

    python -m tests.accuracy [LANGUAGE ...] [--show N] [--trees DIR]
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from symindex.extract.languages.registry import Languages, load_languages
from tests.accuracy.compare import Found, Result, compare_file, our_rows
from tests.accuracy.places import AccuracyError, say
from tests.accuracy.projects import files_of, tree_of
from tests.accuracy.table import Difference, Judge, read_differences, read_judges
from tests.accuracy.tools import ALL, ask

HEAD = (
    "| language | judge | project | files | symbols | recall | precision | kind | container | raw recall | raw precision |\n"
    "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def measure(
    id_: str, judge: Judge, rules: Sequence[Difference], languages: Languages, trees: Path | None
) -> Result:
    """Measures a language. Raises AccuracyError if its judge or a project cannot be fetched."""
    language = languages.get(id_)
    files = [
        path
        for project in judge.projects
        for path in files_of(tree_of(project, trees), language, languages, judge.only)
    ]
    files = [path for path in files if not judge.leave or not re.search(judge.leave, str(path))]
    if not files:
        raise AccuracyError("the projects hold no file in it")
    step = max(1, -(-len(files) // judge.limit))
    files = files[::step]
    theirs, unseen = ask(id_, judge, files)
    result = Result()
    for path in files:
        dark = unseen.get(str(path), [])
        if ALL in dark:
            result.unread += 1
            continue
        ours = our_rows(language, path.read_bytes())
        compare_file(result, judge, rules, path, theirs.get(str(path), []), ours, dark)
    return result


def line(id_: str, judge: Judge, result: Result) -> str:
    """Returns the language's row of the table."""
    names = ", ".join(project.split(":")[1] for project in judge.projects)
    missed = sum(1 for difference in result.differences if difference.side == "missed")
    shares = [result.share("missed", result.both), result.share("extra", result.both)]
    shares += [result.share("kind", result.kinds)] if judge.kinds else [None]
    shares += [result.share("container", result.containers)] if result.containers else [None]
    shares += [
        result.share("missed", result.both, raw=True),
        result.share("extra", result.both, raw=True),
    ]
    words = " | ".join(
        "" if share is None else f"{int(share * 10000) / 10000:.4f}" for share in shares
    )
    files = f"{result.files:,}" + (f" ({result.unread} unread)" if result.unread else "")
    return f"| {id_} | {judge.judge} | {names} | {files} | {result.both + missed:,} | {words} |"


def classes(id_: str, result: Result) -> str:
    """Returns the language's classes of differences, the most frequent first."""
    counts = result.classes().most_common()
    rows = [
        f"| {side} | {count:,} | {verdict} | {_plain(why)} |"
        for (side, verdict, why), count in counts
    ]
    return "\n".join(
        [f"### {id_}", "", "| side | count | is | class |", "|---|--:|---|---|", *rows[:40], ""]
    )


def _plain(text: str) -> str:
    return text.replace("|", "\\|")[:160]


def show(differences: Sequence[Found], count: int) -> None:
    """Prints examples of each class that is ours or open."""
    groups: dict[tuple[str, str, str], list[Found]] = defaultdict(list)
    for difference in differences:
        kind = difference.kind if difference.side in ("missed", "extra", "kind") else ""
        groups[difference.side, difference.verdict, difference.why or kind].append(difference)
    for (side, verdict, why), group in sorted(groups.items(), key=lambda item: -len(item[1])):
        if verdict not in ("theirs", "decision"):
            print(f"{side} {verdict} {why}: {len(group)}")
            for one in group[:: max(1, len(group) // count)][:count]:
                print(f"    {one.place} {one.what}  [{one.kind}]")


def main() -> None:
    judges, rules, languages = read_judges(), read_differences(), load_languages()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "language", nargs="*", metavar="LANGUAGE", help=f"default: all of {', '.join(judges)}"
    )
    parser.add_argument(
        "--show",
        type=int,
        default=0,
        metavar="N",
        help="examples of each class that is ours or open",
    )
    parser.add_argument(
        "--trees",
        type=Path,
        metavar="DIR",
        help="where projects are kept; default: the cache folder",
    )
    args = parser.parse_args()
    wanted = args.language or list(judges)
    if unknown := [id_ for id_ in wanted if id_ not in judges]:
        parser.error(f"no judge for {', '.join(unknown)}")
    lines, below = [HEAD], []
    for id_ in wanted:
        try:
            result = measure(id_, judges[id_], rules.get(id_, []), languages, args.trees)
        except AccuracyError as error:
            say(f"{id_}: not measured: {error}")
            continue
        lines.append(line(id_, judges[id_], result))
        below.append(classes(id_, result))
        say(lines[-1])
        if args.show:
            show(result.differences, args.show)
    print("\n".join(lines), "\n", "\n".join(below), sep="\n")


if __name__ == "__main__":
    main()
