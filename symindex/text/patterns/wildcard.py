"""Wildcards: `*` is any text. Whether a text matches is read from left to right once, however many
stars there are."""


def matches_wildcard(pattern: str, text: str) -> bool:
    """Whether all of the text matches."""
    first, *others = pattern.split("*")
    if not others:
        return text == pattern
    *middle, last = others
    at, end = len(first), len(text) - len(last)
    if end < at or not (text.startswith(first) and text.endswith(last)):
        return False
    for piece in middle:  # where a piece is found first is as good as where it is found later
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
