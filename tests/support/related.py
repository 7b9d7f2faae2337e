"""Short forms of hierarchies, to compare them with what a test expects."""

from symindex.protocol.hierarchy import RelatedItem


def nested_names(items: list[RelatedItem], depth: int = 0) -> list[str]:
    """Returns the names of a tree, with a dot for each level."""
    return [
        line
        for item in items
        for line in ["." * depth + item.name, *nested_names(item.items, depth + 1)]
    ]


def marked_names(items: list[RelatedItem]) -> list[str]:
    """Returns the names of a level, with a question mark where another symbol may be meant."""
    return [f"{item.name}{'?' if item.is_unsure or item.others else ''}" for item in items]
