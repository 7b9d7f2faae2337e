"""The first name of a receiver: `cart` in `cart.items[0].price`."""

import re
from typing import Final

_FIRST_NAME: Final = re.compile(
    r"(?:(?:await|co_await|new)\s+|[\\&*(]){0,4}([$@]{0,2}[^\W\d][\w$]*)"
)

MOST_RECEIVER: Final = 60
"""Longest receiver, in characters: of a longer one, the end is kept."""


def first_name(receiver: str) -> str:
    """Returns the first name of a receiver, `shop` for `shop::Cart` and `(await shop.cart())`;
    empty if its beginning was cut."""
    match = _FIRST_NAME.match(receiver) if len(receiver) < MOST_RECEIVER else None
    return match[1] if match is not None else ""
