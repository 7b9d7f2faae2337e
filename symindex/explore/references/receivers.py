"""Receivers: what a name is taken from, such as `self` in `self.name`."""

import re
from typing import Final

from symindex.extract.languages.schema import BindingRules
from symindex.resolve.reading.excerpts import Mention
from symindex.text.receivers import first_name

ABOVE: Final = frozenset({"super", "super()", "parent", "base"})
"""Receivers that mean the supertype of the type around them, in any language."""

OWN: Final = ABOVE | {"crate", "self", "this", "cls", "Self", "$this", "static", "@this", "*this"}
"""Receivers that mean the type around them, or its supertype."""


def own_receivers(rules: BindingRules | None) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the receivers of a language that mean the type around them or its supertype, and
    those that mean the supertype; where it has no rules for bindings, those of any language."""
    if rules is None or not rules.modules:
        return OWN, ABOVE
    above = frozenset(form for word in rules.above for form in (word, f"{word}()"))
    return above.union(rules.this), above


OF_ALL: Final = frozenset({"\\", "::"})
"""Receivers that mean the top of all namespaces."""

_LAST_NAME: Final = re.compile(r"(\w+)\W*\Z")


_ARGUMENTS: Final = re.compile(r"(?<=[\w>)\]])(?:\([^()\[\]]*\)|\[[^()\[\]]*\])")


def last_name(receiver: str) -> str:
    """Returns the last name of a receiver, `Cart` for `shop::Cart`, `find` for `find(Cart())`;
    empty if it has none."""
    while "(" in receiver or "[" in receiver:
        shorter = _ARGUMENTS.sub("", receiver)
        if shorter == receiver:
            break
        receiver = shorter
    match = _LAST_NAME.search(receiver)
    return match[1] if match is not None else ""


_NAME: Final = re.compile(r"(?:[^\W\d]|\$)[\w$]*")


def names_in(text: str) -> list[str]:
    """Returns the unique names in a text. A name with `$` is returned with and without it: some
    languages have it in names, others before them."""
    names = _NAME.findall(text)
    return [
        *dict.fromkeys(
            form for name in names for form in (name, name.strip("$")) if form.strip("$")
        )
    ]


def own_name(name: str) -> str:
    """Returns the last part of a qualified name: `Cart` for `shop::Cart`, `$Cart` for
    `shop.$Cart`."""
    return _BETWEEN.split(name.strip())[-1] or name


_BETWEEN: Final = re.compile(r"::|[.\\\s]")


_TOP_VALUES: Final = frozenset(
    {"window", "global", "globalThis", "exports", "module", "root", "_G"}
)
"""Values whose members are the definitions at the top of a file, in any language."""


def is_value(mention: Mention) -> bool:
    """Whether the receiver of a name is a value and not a module: it is not imported, does not
    begin with a capital, and is not one of _TOP_VALUES."""
    first = first_name(mention.receiver)
    return (
        mention.is_of_value
        and not mention.origin[0]
        and bool(first)
        and not first[:1].isupper()
        and first not in _TOP_VALUES
    )
