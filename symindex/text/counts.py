"""Writes numbers with their nouns, in the singular or plural."""


def count_of(count: int, singular: str, several: str = "") -> str:
    """Returns `1 file` or `2,000 files`. singular: what follows the number 1: a noun, or more words
    such as `file was`. several: what follows other numbers; by default the singular with an s."""
    return f"{count:,} {singular if count == 1 else several or f'{singular}s'}"
