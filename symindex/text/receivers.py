"""Receivers as text: the first name, `cart` of `cart.items[0].price`; long ones made short."""

import re
from typing import Final

_FIRST_NAME: Final = re.compile(
    r"(?:(?:await|co_await|new|clone|mut|try)\s+|[\\&*(]){0,4}([$@]{0,2}[^\W\d][\w$]*)"
)
_CALLED: Final = re.compile(r"[\w>)]\s?$")
_PART: Final = re.compile(
    r"""(?P<open>[({\[])|(?P<close>[)}\]])|(?P<comment>//|/\*)|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'"""
    r"""|(?P<quote>["'`])"""
)

_ARGUMENT_PART: Final = re.compile(r"""[(\[{)\]},]|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'""")
_ARGUMENT: Final = re.compile(
    r"\s*(?:\w+\s*(?::(?!:)|=(?![=>]))\s*)?(?:(?:ref|out|in|await)\s+|[&*]){0,2}"
    r"(?P<name>[$@]{0,2}[^\W\d][\w$]*)"
)
"""An argument, perhaps behind its label."""

MOST_ARGUMENTS: Final = 8
"""Most arguments of a call whose declarations are looked for."""

MOST_RECEIVER: Final = 160
"""Longest receiver, in characters: of a longer one, the end is kept."""


def first_name(receiver: str) -> str:
    """Returns the first name of a receiver, `shop` for `shop::Cart` and `(await shop.cart())`;
    empty if its beginning was cut."""
    match = _FIRST_NAME.match(receiver) if len(receiver) < MOST_RECEIVER else None
    return match[1] if match is not None else ""


def first_names_of_arguments(text: str) -> list[str]:
    """Returns the first names of the arguments in parentheses that a text begins with, as far as
    these are shown: `a` and `shop` for `(a, 1, shop.cart(b))`."""
    names: list[str] = []
    depth = 0
    for part in _ARGUMENT_PART.finditer(text):
        depth += (part[0] in "([{") - (part[0] in ")]}")
        if depth <= 0:
            break
        if depth == 1 and part[0] in "(," and len(names) < MOST_ARGUMENTS:
            name = _ARGUMENT.match(text, part.end())
            names += [name["name"]] if name is not None else []
    return names


def without_arguments(receiver: str) -> str:
    """Returns a receiver without the arguments of its calls, which say nothing of its type:
    `shop().open()` for `shop("a").open(b)`. Code that cannot be read this way is returned as it
    is."""
    kept: list[str] = []
    at, depth, sign = 0, 0, ""
    for part in _PART.finditer(receiver):
        if part["comment"] or part["quote"]:
            return receiver
        if part["open"]:
            if not depth:
                kept.append(receiver[at : part.start()])
                is_called = part["open"] != "[" and _CALLED.search(receiver[: part.start()])
                sign, at = part["open"] if is_called else "", part.start()
            depth += 1
        elif part["close"]:
            depth -= 1
            if depth < 0:
                return receiver
            if not depth:
                kept.append(sign + part["close"] if sign else receiver[at : part.end()])
                at = part.end()
    return "".join(kept) + receiver[at:] if not depth else receiver
