"""Matches wildcards, in which `*` is any text. The text is read once from left to right, however
many stars there are."""


def matches_wildcard(pattern: str, text: str) -> bool:
    """Whether the whole text matches."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    start, end = len(first), len(text) - len(last)
    if end < start or not (text.startswith(first) and text.endswith(last)):
        return False
    for piece in middle:  # the first occurrence of a piece is as good as any later one
        place = text.find(piece, start, end)
        if place < 0:
            return False
        start = place + len(piece)
    return True
