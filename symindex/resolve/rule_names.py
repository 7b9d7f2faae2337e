"""Says by which rule a use was bound."""

from symindex.resolve.denoted import Kind
from symindex.resolve.reading.excerpts import Mention
from symindex.resolve.uses import Bound


def rule_of(bound: Bound, path: str, mention: Mention) -> str:
    """Says in a few words by which rule a use in the file `path` was bound."""
    around, rows = bound.receiver, bound.denoted.rows
    if mention.holders and around.rows:
        return f"key of {around.rows[0].name}"
    if mention.receiver:
        if around.kind is Kind.VALUE and around.rows:
            return f"type of receiver: {around.rows[0].name}"
        owner = rows[0].container.rpartition(".")[2] if rows else ""
        return f"member of {owner}" if owner else "module"
    return rule_of_bare(mention, any(row.file.path == path for row in rows))


def rule_of_bare(mention: Mention, is_same_file: bool) -> str:
    """Says by which rule a name without a receiver was bound. is_same_file: whether its file
    defines the symbol."""
    if is_same_file:
        return "scope"
    is_named = any(one[0] == mention.name for one in mention.imports)
    return "import" if is_named or mention.imports_all else "package"
