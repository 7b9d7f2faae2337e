"""What a name is taken from, as `self` in `self.name`."""

import re
from typing import Final

OWN: Final = frozenset(
    {"self", "this", "cls", "super", "super()", "Self", "$this", "static", "parent", "base", "@this", "*this"}
)  # fmt: skip
"""Receivers that mean the type around them, in whatever language."""

_LAST_NAME: Final = re.compile(r"(\w+)\W*\Z")


def last_name(receiver: str) -> str:
    """The last name of a receiver, as `Cart` of `shop::Cart`; empty where it has none."""
    found = _LAST_NAME.search(receiver)
    return found[1] if found is not None else ""
