"""Where the code of a type sets a member that is no symbol: `self.tool = tool` in a method."""

import re
from typing import NamedTuple

from symindex.explore.relations.uses import Use, UseSearch
from symindex.resolve.denoted import Denoted, is_type
from symindex.resolve.tree import Row, read_text


class Setting(NamedTuple):
    """Where a member is set first. owner: its type. line: in the file of the type."""

    owner: Row
    line: int


def setting_of(search: UseSearch, use: Use, receiver: Denoted) -> Setting | None:
    """Returns where the member of a value is set that a use means; `None` if a symbol is meant, or
    nothing is known. receiver: the value."""
    resolver = search.resolver
    for row in receiver.rows if use.mention.receiver else ():
        if not is_type(row):
            continue
        for owner in resolver.lineages.of(row)[0]:
            if resolver.own_members(owner, use.name):
                return None
            file = resolver.files.of(owner)
            rules = resolver.files.rules_of(file)
            if rules is None or not rules.members or not file.facts_of(owner, use.name):
                continue
            if line := _line_of(search, owner, rules.members, use.name):
                return Setting(owner, line)
    return None


def _line_of(search: UseSearch, owner: Row, pattern: str, name: str) -> int:
    """Returns the line of a type that sets a member first; 0 if there is none."""
    data = read_text(search.tree, owner.file, search.limits.max_file_bytes).data
    first, last = owner.lines
    for match in re.compile(pattern.encode(), re.MULTILINE).finditer(data):
        line = data.count(b"\n", 0, match.start("name")) + 1
        if match["name"] == name.encode() and first <= line <= last:
            return line
    return 0
