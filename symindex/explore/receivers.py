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


_NAME: Final = re.compile(r"(?:[^\W\d]|\$)[\w$]*")


def names_in(text: str) -> list[str]:
    """The names in a text, each once. In some languages a `$` is a part of a name, in others it is a mark before one."""
    found = _NAME.findall(text)
    return [*dict.fromkeys(form for name in found for form in (name, name.strip("$")) if form.strip("$"))]


def own_name(name: str) -> str:
    """The last part of a qualified name, as `Cart` of `shop::Cart` and `$Cart` of `shop.$Cart`."""
    return _BETWEEN.split(name.strip())[-1] or name


_BETWEEN: Final = re.compile(r"::|[.\\\s]")


def is_declared_as(code: str, receiver: str, type_name: str) -> bool:
    """Whether code says that what a name is taken from is of a type: `c *Cart`, `cart: Cart`, `Cart cart`, `cart = new Cart(`."""
    name = last_name(receiver)
    if not name or not type_name or receiver.endswith((")", "]")):
        return False
    name, type_name = re.escape(name), r"(?:\.|::|\\)".join(map(re.escape, type_name.split(".")))
    words = r"(?:(?:new|mut|dyn|any|some|const)[ \t]{1,8}|[&*?\"']){0,4}(?:\w{1,80}(?:\.|::|\\)){0,8}"
    behind = rf"(?<!\w){name}[ \t]{{0,8}}(?::=|[:=]|[ \t])[ \t]{{0,8}}{words}{type_name}(?!\w)"
    before = rf"(?<!\w){type_name}(?:<[^<>\n]{{0,200}}>)?[ \t*&?]{{1,12}}\$?{name}(?!\w)"
    return re.search(f"{behind}|{before}", code) is not None
