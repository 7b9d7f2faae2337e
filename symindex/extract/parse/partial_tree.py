"""The syntax tree of the visible part of a source."""

from typing import NamedTuple

import tree_sitter

from symindex.extract.captures import Stretches
from symindex.extract.texts.repaired_text import RepairedText


class PartialTree(NamedTuple):
    """A syntax tree, and the source that the parser saw.

    bodies: the hidden bodies. jumps: the bodies that the parser jumped over; in the source, the
    others are blank. repairs: the repaired texts that led to the source, in order. broken_at: where
    an error cuts a container in the source before repairs, -1 if nowhere.
    """

    tree: tree_sitter.Tree
    source: bytes
    bodies: Stretches
    jumps: Stretches
    repairs: tuple[RepairedText, ...] = ()
    broken_at: int = -1

    @property
    def has_error(self) -> bool:
        """Whether the grammar failed to read something that it saw."""
        return self.tree.root_node.has_error
