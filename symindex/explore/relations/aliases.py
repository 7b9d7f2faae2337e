"""Other names of a type: `using Cart_st = Cart<...>`, `typedef Cart Basket`, `type Basket = Cart`.
Who uses one uses it."""

import re
from collections.abc import Iterable

from symindex.explore.relations.uses import Use
from symindex.explore.tree import Row
from symindex.protocol.kinds import SymbolKind


def aliases_in(uses: Iterable[Use], name: str) -> list[Row]:
    """The symbols that are other names of a type, by its uses: what they are begins with its name,
    and is no more than it."""
    begins = rf"(?:=\s*|\btypedef\s+)(?:(?:typename|struct|class|enum|union|const)\s+)*(?:\w+(?:::|\.))*{re.escape(name)}\b"  # noqa: E501
    rows = dict.fromkeys(use.around for use in uses if use.name == name)
    return [
        row
        for row in rows
        if row is not None
        and row.kind is SymbolKind.TYPE
        and row.name != name
        and (found := re.search(begins, row.index.signature(row.number))) is not None
        and not re.match(r"\s*[|&\[*]", found.string[found.end() :])
    ]
