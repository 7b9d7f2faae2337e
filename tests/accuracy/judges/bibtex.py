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
        for each in library.blocks:
            if isinstance(each, DuplicateBlockKeyBlock):
                each = each.ignore_error_block
            if isinstance(each, Entry | String):
                kind = "entry" if isinstance(each, Entry) else "string"
                print(
                    json.dumps(
                        {
                            "path": path,
                            "line": each.start_line + 1,
                            "name": each.key,
                            "container": "",
                            "kind": kind,
                        }
                    )
                )
            elif isinstance(each, ParsingFailedBlock):
                lines = [each.start_line + 1, each.start_line + 1 + (each.raw or "").count("\n")]
                print(json.dumps({"path": path, "skip": lines}))


main()
