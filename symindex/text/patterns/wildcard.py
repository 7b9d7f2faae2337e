"""Wildcards: `*` is any text. Whether a text matches is read from left to right once, however many
stars there are."""


def matches_wildcard(pattern: str, text: str) -> bool:
    """Whether all of the text matches."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    start, end = len(first), len(text) - len(last)
    if end < start or not (text.startswith(first) and text.endswith(last)):
        return False
    for piece in middle:  # where a piece is found first is as good as where it is found later
        place = text.find(piece, start, end)
        if place < 0:
            return False
        start = place + len(piece)
    return True
