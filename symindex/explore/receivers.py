"""What a name is taken from, as `self` in `self.name`."""

import re
from typing import Final

ABOVE: Final = frozenset({"super", "super()", "parent", "base"})
"""Receivers that mean the type above the one around them, in whatever language."""

OWN: Final = ABOVE | {"self", "this", "cls", "Self", "$this", "static", "@this", "*this"}
"""Receivers that mean the type around them, or the one above it."""

_LAST_NAME: Final = re.compile(r"(\w+)\W*\Z")


def last_name(receiver: str) -> str:
    """The last name of a receiver, as `Cart` of `shop::Cart`; empty where it has none."""
    found = _LAST_NAME.search(receiver)
    return found[1] if found is not None else ""
