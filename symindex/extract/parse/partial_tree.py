"""A syntax tree of what a parser was shown of a source."""

from typing import NamedTuple

import tree_sitter

from symindex.extract.captures import Stretches
from symindex.extract.texts.repaired_text import RepairedText


class PartialTree(NamedTuple):
    """A syntax tree, and the source that the parser saw.

    bodies: the bodies that were left out. jumps: those of them that the parser jumped over; in the
    source the others are blank. mended: how the source was mended, in turn. broken_at: where an
    error cuts a container in the source before that, -1 for none.
    """

    tree: tree_sitter.Tree
    source: bytes
    bodies: Stretches
    jumps: Stretches
    repairs: tuple[RepairedText, ...] = ()
    broken_at: int = -1

    @property
    def has_error(self) -> bool:
        """Whether the grammar could not read all that it saw."""
        return self.tree.root_node.has_error
