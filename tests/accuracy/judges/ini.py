"""Python's configparser: sections and keys, at the line that it is reading when it reports them."""

import configparser
import json
import re
import sys
from collections.abc import Iterator


class Lines:
    """A file that remembers the number of the last line read."""

    def __init__(self, text: str) -> None:
        self.lines, self.at = text.splitlines(keepends=True), 0

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            self.at += 1
            yield line


class Reader(configparser.RawConfigParser):
    """Reports each section and key."""

    def __init__(self, path: str, lines: Lines) -> None:
        super().__init__(
            strict=False, allow_no_value=True, default_section="\0", empty_lines_in_values=False
        )
        self.path, self.lines, self.section, self.found = path, lines, "", []
        self.SECTCRE = self

    def match(self, value: str) -> re.Match[str] | None:
        """Replaces the pattern of section headers."""
        match = configparser.RawConfigParser.SECTCRE.match(value)
        if match:
            self.section = match["header"]
            self.say(self.section, "", "section")
        return match

    def optionxform(self, optionstr: str) -> str:
        self.say(optionstr, self.section, "key")
        return optionstr

    def say(self, name: str, container: str, kind: str) -> None:
        row = {
            "path": self.path,
            "line": self.lines.at,
            "name": name,
            "container": container,
            "kind": kind,
        }
        self.found.append(json.dumps(row))


def main() -> None:
    for path in sys.stdin.read().splitlines():
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = Lines(file.read())
        reader = Reader(path, lines)
        try:
            reader.read_file(lines)
        except configparser.Error as error:
            print(json.dumps({"path": path, "error": str(error)[:80]}))
            continue
        print("\n".join(reader.found))


main()
