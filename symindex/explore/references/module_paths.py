"""Names of modules, and which module a path such as `super::load` or `crate::shop::load` means.

A module is a tuple of names: those of folders and of the file, then of the modules inside the file.
`src/shop.rs#cart` is `("src", "shop", "cart")`.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

_SIGN: Final = re.compile(r"\s*::\s*")

Module = tuple[str, ...]

_NAMELESS_STEMS: Final = frozenset(
    {"__init__", "__main__", "index", "init", "lib", "main", "mod", "program"}
)


def is_nameless(path: str) -> bool:
    """Whether a file name, such as `mod.rs` or `index.ts`, says nothing about its content, so that
    the folder gives the module its name."""
    return path.rpartition("/")[2].partition(".")[0].lower() in _NAMELESS_STEMS


def folder_of(path: str) -> str:
    """Returns the folder of a file, empty at the top."""
    return path.rpartition("/")[0]


def module_names(path: str, container: str) -> frozenset[str]:
    """Returns the names by which code may call the place of a symbol: its folders, its file and
    its container."""
    return frozenset([*path.rpartition(".")[0].split("/"), *container.split(".")]) - {""}


def module_of(path: str, container: str) -> Module:
    """Returns the module of a symbol in a file. container: the module inside the file; may be
    empty."""
    *folders, file = path.split("/")
    stem = file.partition(".")[0]
    return (*folders, *([] if is_nameless(path) else [stem]), *filter(None, container.split(".")))


def is_of_module(
    receiver: str, words: Sequence[str], around: Module, own: Module, others: Collection[Module]
) -> bool | None:
    """Whether a path leads to a module; `None` where that is unknown, as a module may re-export
    names of others.

    Args:
        receiver: the path.
        words: the three that begin a path: for the root of all modules, the module around, and
            the one above it.
        around: the module that contains the path.
        own: the module in question.
        others: the modules of namesakes.
    """
    root, here, above = words
    names = _SIGN.split(receiver)
    if names[0] == root:
        own_depth = _root_depth(own, names[1:], around)
        other_depths = (_root_depth(other, names[1:], around) for other in others)
        nearest_other = min(other_depths, default=_NO_ROOT)
        return (own_depth < nearest_other) if own_depth != nearest_other else None
    while names and names[0] in (here, above):
        around = around[:-1] if names.pop(0) == above else around
    target = (*around, *names)
    if target in others:
        return None if target == own else False
    return True if target == own else None


_NO_ROOT: Final = 1_000
"""The depth used where no root fits: larger than any real depth."""


def _root_depth(module: Module, names: Sequence[str], around: Module) -> int:
    """Returns the depth of the root from which the names lead to a module, if that root is also
    above `around`; else _NO_ROOT."""
    depth = len(module) - len(names)
    is_root = depth >= 0 and [*module[depth:]] == [*names] and module[:depth] == around[:depth]
    return depth if is_root else _NO_ROOT


def is_relative(receiver: str, words: Sequence[str]) -> bool:
    """Whether a path begins with one of the words."""
    return bool(words) and _SIGN.split(receiver)[0] in words
