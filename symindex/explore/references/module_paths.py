"""Which module a path means, as `super::load` and `crate::shop::load` do, in languages whose files
are modules.

Modules are told by the names of folders and files and by the modules in a file: `src/shop.rs#cart`
is `("src", "shop", "cart")`.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

from symindex.explore.references.nameless import is_nameless

_SIGN: Final = re.compile(r"\s*::\s*")

Module = tuple[str, ...]


def module_of(path: str, container: str) -> Module:
    """The module of a symbol in a file. container: of the module inside the file; empty for
    none."""
    *folders, file = path.split("/")
    stem = file.partition(".")[0]
    return (*folders, *([] if is_nameless(path) else [stem]), *filter(None, container.split(".")))


def is_of_module(
    receiver: str, words: Sequence[str], around: Module, own: Module, others: Collection[Module]
) -> bool | None:
    """Whether a path leads to a module. `None` where that is not known: it may hand on the names of
    others.

    Args:
        words: those that begin a path: for the root of all modules, for the one around, for the one
        above that. around: the module in which the path is written. own: the module that is asked
        for; others: those of namesakes.
    """
    root, here, above = words
    names = _SIGN.split(receiver)
    if names[0] == root:
        mine, best = (
            _root(own, names[1:], around),
            min((_root(each, names[1:], around) for each in others), default=_NO_ROOT),
        )
        return (mine < best) if mine != best else None
    while names and names[0] in (here, above):
        around = around[:-1] if names.pop(0) == above else around
    meant = (*around, *names)
    if meant in others:
        return None if meant == own else False
    return True if meant == own else None


_NO_ROOT: Final = 1_000


def _root(module: Module, names: Sequence[str], around: Module) -> int:
    """How many names lead to the root from which some names lead to a module, if that is also above
    `around`."""
    depth = len(module) - len(names)
    fits = depth >= 0 and [*module[depth:]] == [*names] and module[:depth] == around[:depth]
    return depth if fits else _NO_ROOT


def is_relative(receiver: str, words: Sequence[str]) -> bool:
    """Whether a path begins with one of the words."""
    return bool(words) and _SIGN.split(receiver)[0] in words
