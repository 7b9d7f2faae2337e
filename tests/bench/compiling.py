"""Measures what compiling each language's query costs, and which of its patterns are expensive.

    python -m tests.bench.compiling                         # the most common languages, a line each
    python -m tests.bench.compiling cpp ruby --patterns 5   # with the five most expensive patterns

For each node with children in a pattern, tree-sitter analyses the whole parse table of the grammar.
So the cost is spread over the patterns, and shows which of them are worth rewriting
(`grammars/README.md`). Times are processor times, the least of several rounds.
"""

import argparse
import itertools
import sys
import time

import tree_sitter

from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import load_languages
from symindex.extract.parse.grammar import load_grammar
from symindex.extract.parse.query import CompiledQuery
from symindex.extract.parse.skipping.pattern_words import read_patterns

FIRST = [
    "python",
    "typescript",
    "tsx",
    "javascript",
    "php",
    "java",
    "kotlin",
    "rust",
    "bash",
    "ruby",
    "go",
    "c",
    "cpp",
    "csharp",
]

_KEPT: list[object] = []
"""Compiled queries: freeing one while others are in use has crashed py-tree-sitter 0.26."""


def milliseconds(grammar: tree_sitter.Language, text: str, rounds: int = 3) -> float:
    """Returns how long a query takes to compile."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        _KEPT.append(tree_sitter.Query(grammar, text))
        times.append(time.process_time() - began)
    return 1000 * min(times)


def as_workers_compile(
    language: Language, grammar: tree_sitter.Language, rounds: int = 3
) -> tuple[float, float]:
    """Returns how long a worker takes to compile before it has met a word, and after it has met
    each word at every type of node."""
    rules, first, whole = language.rules, [], []
    for _ in range(rounds):
        began = time.process_time()
        query = CompiledQuery(
            language.id,
            grammar,
            language.query,
            rules.query_depth,
            rules.query_root,
            rules.search_words,
        )
        _KEPT.append(query)
        first.append(time.process_time() - began)
        if query._words is not None:
            for pattern in [query._texts[number] for number in query._worded]:
                for word, root in itertools.product(pattern.words, pattern.roots):
                    query._parts_for(query._words._asked(word.encode()).patterns, root)
        whole.append(time.process_time() - began)
    return 1000 * min(first), 1000 * min(whole)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("languages", nargs="*", default=FIRST)
    parser.add_argument(
        "--patterns",
        type=int,
        default=0,
        metavar="N",
        help="show the N dearest patterns of each language",
    )
    args = parser.parse_args()
    languages, first, whole = load_languages(check=False), 0.0, 0.0
    for language_id in args.languages:
        language = languages.by_id[language_id]
        grammar = load_grammar(language)
        costs = as_workers_compile(language, grammar)
        print(f"{language_id:<12} {costs[0]:7.1f} ms, with all words {costs[1]:7.1f} ms")
        first, whole = first + costs[0], whole + costs[1]
        if args.patterns:
            nothing = milliseconds(grammar, "(ERROR) @_")
            texts = [
                language.query[pattern.start : pattern.end]
                for pattern in read_patterns(language.query, grammar)
            ]
            dear = sorted(
                ((milliseconds(grammar, text) - nothing, text) for text in texts), reverse=True
            )
            for cost, text in dear[: args.patterns]:
                print(f"  {cost:.1f} ms\n    " + text.replace("\n", "\n    "))
    print(f"{'all':<12} {first:7.1f} ms, with all words {whole:7.1f} ms")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
