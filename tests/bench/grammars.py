"""Measures what each language costs: its query compared with its own parse, and the time to compile
the query.

    python -m tests.bench.grammars FOLDER... [--only ID ...]

A FOLDER contains code in any languages: real projects, or a checkout of github-linguist/linguist,
which has some of nearly all in `samples`. A file has the language that symindex detects, and the
first megabytes of each language are used. A query may take 40 % of the time that its grammar takes
to parse the same files. Small files say little, because each match has the same cost.

`walk` is the time of tree-sitter's cursor over the tree with a query that finds only errors, also
as a share of the parse: no query of the whole tree costs less. `least` adds the cost of making as
many matches, with one capture in each; the rest of the query's time is for trying patterns.
`as read` is the query of the trees that an index makes, without the bodies that the parser need not
see (`[bodies]`) and with the repairs, as a share of the parse of the whole files. Times are
processor times, the least of several rounds.
"""

import argparse
import gc
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import tree_sitter

from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.rules import parser_text
from symindex.extract.parse.grammar import load_grammar
from symindex.extract.parse.partial import PartialParser
from symindex.extract.parse.query import CompiledQuery, compile_query
from symindex.extract.texts.file_text import to_utf8

MOST_BYTES = 500_000
"""Size limit of a file."""

LANGUAGE_BYTES = 1_500_000
"""Size limit of all files in a language."""

ROUNDS = 3
LIMIT = 0.40


class Cost(NamedTuple):
    """Times in seconds: to parse the files of a language, to walk their trees, to make as many
    matches as the query, to run the query, and to run it over the trees of an index."""

    parse: float
    walk: float
    matches: float
    query: float
    as_read: float


_KEPT: Final[list[tree_sitter.Query]] = []
"""Queries that stay alive: freeing one while others are in use has crashed the binding."""


def _least(run: Callable[[], object]) -> float:
    """Returns the processor time of the fastest of several rounds."""
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return min(times)


def measure(language: Language, compiled: CompiledQuery, texts: list[bytes]) -> Cost:
    """Returns what the files of a language cost."""
    reader = PartialParser(language)
    read = [reader.parse(parser_text(language, text), None) for text in texts]
    parser = tree_sitter.Parser(compiled.grammar)
    trees = [parser.parse(text) for text in texts]
    errors, nodes = (
        tree_sitter.Query(compiled.grammar, query) for query in ("(ERROR) @error", "(_) @node")
    )
    _KEPT.extend((errors, nodes))

    def run(query: tree_sitter.Query) -> int:
        n_matches = 0
        for tree in trees:
            cursor = tree_sitter.QueryCursor(query)
            if compiled.depth:
                cursor.set_max_start_depth(compiled.depth)
            n_matches += len(cursor.matches(tree.root_node))
        return n_matches

    walk = _least(lambda: run(errors))
    match_seconds = max(_least(lambda: run(nodes)) - walk, 0) / max(run(nodes), 1)
    n_matches = sum(
        len(compiled.matches(tree, text)[0]) for tree, text in zip(trees, texts, strict=True)
    )
    return Cost(
        max(_least(lambda: [parser.parse(text) for text in texts]), 1e-9),
        walk,
        match_seconds * n_matches,
        _least(
            lambda: [compiled.matches(tree, text) for tree, text in zip(trees, texts, strict=True)]
        ),
        _least(
            lambda: [
                compiled.matches(partial_tree.tree, partial_tree.source) for partial_tree in read
            ]
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    gc.disable()  # as in workers
    languages = load_languages(check=False)
    texts: dict[str, list[bytes]] = defaultdict(list)
    sizes: Counter[str] = Counter()
    for path in (path for folder in args.folders for path in sorted(folder.rglob("*"))):
        if (
            path.suffix in (".gz", ".xz", ".deb")
            or not path.is_file()
            or path.stat().st_size >= MOST_BYTES
        ):
            continue
        named = {language.id for language in languages.by_name(path.name)} - {
            language_id for language_id in sizes if sizes[language_id] > LANGUAGE_BYTES
        }
        if not named or (args.only and not named & set(args.only)):
            continue
        data = to_utf8(path.read_bytes())[0]
        language = languages.by_content(path.name, data)
        if (
            language is None
            or (args.only and language.id not in args.only)
            or sizes[language.id] > LANGUAGE_BYTES
        ):
            continue
        sizes[language.id] += len(data)
        texts[language.id].append(data)
    heads = (
        ("files", 6),
        ("KB", 8),
        ("parse MB/s", 12),
        ("walk", 7),
        ("least", 7),
        ("query/parse", 13),
        ("as read", 9),
    )
    print(
        f"{'language':18}"
        + "".join(f"{head:>{width}}" for head, width in heads)
        + f"{'compile ms':>12}"
    )
    n_over = n_least = n_read = 0
    for language_id in sorted(texts):
        language = languages.by_id[language_id]
        load_grammar(language)
        started = time.process_time()
        compiled = compile_query(language)
        compile_ms = (time.process_time() - started) * 1000
        cost = measure(language, compiled, texts[language_id])
        size, ratio = sum(map(len, texts[language_id])), cost.query / cost.parse
        walk, least = cost.walk / cost.parse, (cost.walk + cost.matches) / cost.parse
        as_read = cost.as_read / cost.parse
        n_over, n_least, n_read = (
            n_over + (ratio > LIMIT),
            n_least + (least > LIMIT),
            n_read + (as_read > LIMIT),
        )
        mark = "  over" if ratio > LIMIT else ""
        print(
            f"{language_id:18}{len(texts[language_id]):6}{size / 1000:8.0f}{size / cost.parse / 1e6:12.1f}{walk:7.2f}{least:7.2f}"
            f"{ratio:13.2f}{as_read:9.2f}{compile_ms:12.0f}{mark}"
        )
    print(
        f"{n_over} of {len(texts)} over {LIMIT:.0%}; of {n_least} no query could be below it; as read {n_read}"
    )


if __name__ == "__main__":
    main()
