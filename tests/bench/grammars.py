"""What each language costs: its query beside its own parse, and how long the query takes to compile.

    python -m tests.bench.grammars FOLDER [--only ID ...]

FOLDER holds code of any languages, as a checkout of github-linguist/linguist does in `samples`. A file is in the language that
symindex detects. A query may take 40 % of the time that its grammar takes to parse the same files; small files say little, for
each match costs the same. `walk` is what the cursor of tree-sitter takes to pass over the tree for a query that finds errors
alone, also as a share of the parse: no query of the whole tree costs less. Time is that of the process, the least of several
rounds.
"""

import argparse
import time
from collections import defaultdict
from pathlib import Path

import tree_sitter

from symindex.extract.file_text import to_utf8
from symindex.extract.languages.registry import load_languages
from symindex.extract.parse.query import compile_query, load_grammar

MOST_BYTES = 2_000_000
ROUNDS = 3
LIMIT = 0.40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    languages = load_languages(check=False)
    texts: dict[str, list[bytes]] = defaultdict(list)
    for path in sorted(path for path in args.folder.rglob("*") if path.is_file() and path.stat().st_size < MOST_BYTES):
        data = to_utf8(path.read_bytes())[0]
        language = languages.by_content(path.name, data)
        if language is not None and (not args.only or language.id in args.only):
            texts[language.id].append(data)
    print(f"{'language':18}{'files':>6}{'KB':>8}{'parse MB/s':>12}{'walk':>7}{'query/parse':>13}{'compile ms':>12}")
    kept: list[tree_sitter.Query] = []  # to free a query while others are in use has crashed the binding
    for known in sorted(texts):
        language = languages.by_id[known]
        load_grammar(language)
        started = time.process_time()
        compiled = compile_query(language)
        compile_ms = (time.process_time() - started) * 1000
        grammar_parser = tree_sitter.Parser(compiled.grammar)
        errors = tree_sitter.Query(compiled.grammar, "(ERROR) @error")
        kept.append(errors)
        parse_s, walk_s, query_s = [], [], []
        for _ in range(ROUNDS):
            started = time.process_time()
            trees = [grammar_parser.parse(text) for text in texts[known]]
            parse_s.append(time.process_time() - started)
            started = time.process_time()
            for tree in trees:
                walker = tree_sitter.QueryCursor(errors)
                if compiled.depth:
                    walker.set_max_start_depth(compiled.depth)
                walker.matches(tree.root_node)
            walk_s.append(time.process_time() - started)
            started = time.process_time()
            for tree, text in zip(trees, texts[known], strict=True):
                compiled.matches(tree, text)
            query_s.append(time.process_time() - started)
        size, ratio = sum(map(len, texts[known])), min(query_s) / max(min(parse_s), 1e-9)
        walk = min(walk_s) / max(min(parse_s), 1e-9)
        mark = "  over" if ratio > LIMIT else ""
        speed = size / max(min(parse_s), 1e-9) / 1e6
        files = len(texts[known])
        print(f"{known:18}{files:6}{size / 1000:8.0f}{speed:12.1f}{walk:7.2f}{ratio:13.2f}{compile_ms:12.0f}{mark}")


if __name__ == "__main__":
    main()
