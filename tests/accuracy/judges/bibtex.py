"""bibtexparser: entries by their keys, and abbreviations."""

import json
import logging
import sys

import bibtexparser
from bibtexparser.model import DuplicateBlockKeyBlock, Entry, ParsingFailedBlock, String


def main() -> None:
    logging.disable(logging.WARNING)
    for path in sys.stdin.read().splitlines():
        with open(path, encoding="utf-8", errors="replace") as file:
            library = bibtexparser.parse_string(file.read(), parse_stack=[])
        for block in library.blocks:
            if isinstance(block, DuplicateBlockKeyBlock):
                block = block.ignore_error_block
            if isinstance(block, Entry | String):
                kind = "entry" if isinstance(block, Entry) else "string"
                print(
                    json.dumps(
                        {
                            "path": path,
                            "line": block.start_line + 1,
                            "name": block.key,
                            "container": "",
                            "kind": kind,
                        }
                    )
                )
            elif isinstance(block, ParsingFailedBlock):
                lines = [block.start_line + 1, block.start_line + 1 + (block.raw or "").count("\n")]
                print(json.dumps({"path": path, "skip": lines}))


main()
