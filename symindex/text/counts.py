"""Numbers with their nouns, in the singular and the plural."""


def count_of(count: int, singular: str, several: str = "") -> str:
    """`1 file`, `2,000 files`. one: what follows the number 1: a noun, or more words, as
    `file was`. several: what follows other numbers; the noun with an s unless it is given."""
    return f"{count:,} {singular if count == 1 else several or f'{singular}s'}"
