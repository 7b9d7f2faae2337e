"""Bare tree-sitter parsing: no indexer on tree-sitter can be faster. It is a command, to be timed
as a whole.

    python -m tests.bench.bare LIST PROCESSES

Each line of LIST is a grammar, a tab, and a path. Every file is read and parsed, and its tree
freed, in forked processes with equal shares of the bytes.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tree_sitter import Parser
from tree_sitter_language_pack import get_language


def share_out(sizes: Sequence[int], n_shares: int) -> list[list[int]]:
    """Returns the numbers of the items in shares of about equal size: the largest first, each to
    the smallest share so far."""
    shares: list[list[int]] = [[] for _ in range(n_shares)]
    totals = [0] * n_shares
    for item in sorted(range(len(sizes)), key=lambda item: -sizes[item]):
        least = totals.index(min(totals))
        shares[least].append(item)
        totals[least] += sizes[item]
    return shares


def parse_files(files: Sequence[tuple[str, str]]) -> int:
    """Parses (grammar, path) pairs; returns the number of bytes."""
    parsers: dict[str, Parser] = {}
    n_bytes = 0
    for grammar, path in files:
        parser = parsers.get(grammar)
        if parser is None:
            parser = parsers[grammar] = Parser(get_language(grammar))  # type: ignore[arg-type]  # a name from data
        with open(path, "rb") as file:
            data = file.read()
        parser.parse(data)
        n_bytes += len(data)
    return n_bytes


def main() -> None:
    rows = [line.split("\t", 1) for line in Path(sys.argv[1]).read_text().splitlines()]
    shares = share_out([os.path.getsize(path) for _, path in rows], int(sys.argv[2]))
    children = []
    for share in shares:
        pid = os.fork()
        if pid == 0:
            parse_files([(rows[i][0], rows[i][1]) for i in share])
            os._exit(0)
        children.append(pid)
    failed = [pid for pid in children if os.waitpid(pid, 0)[1]]
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
