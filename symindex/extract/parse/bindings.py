"""Finds which bare names are bound by a block or function around them, and which are free.

A binding counts in the innermost node around it that opens a scope, by the language's rules: in all
of the scope, or from the end of the binding's statement. A name directly in the body of a type is a
member of the type and binds nothing, but in a language with open bodies it binds the name in the
statements behind it, without the functions in them.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

import tree_sitter

from symindex.extract.languages.schema import RoleRules
from symindex.extract.parse.roles import Placed, Role, fits_any, rules_of

UNKNOWN: Final = -2
"""The language has no rules for bindings."""

FREE: Final = -1
"""No block or function around the name binds it."""


class _Region(NamedTuple):
    """The range in which a binding counts, in bytes, the place where its name begins, and that of
    the scope."""

    start: int
    end: int
    name_start: int
    scope: int


class Bindings:
    """The bindings of one file: all names are added first, in any order, then resolved.

    outer: the names that resolve() found to bind nothing, since their scope declares that they mean
    a name around it (Python's `global` and `nonlocal`).
    """

    def __init__(self, rules: RoleRules) -> None:
        self._blocks, self._functions = frozenset(rules.blocks), frozenset(rules.scopes)
        self._type_bodies, self._in_order = frozenset(rules.type_bodies), rules.binds_in_order
        self._locals, self._hoisted = rules_of(rules.locals), rules_of(rules.hoisted)
        self._regions: dict[bytes, list[_Region]] = {}
        self._left: dict[tuple[bytes, int], list[_Region]] = {}
        self._open_bodies = rules.open_bodies
        self._members: dict[tuple[bytes, int], list[tuple[int, int]]] = {}
        self._body_of: dict[int, int] = {}
        self._unseen: dict[int, int] = {}
        self.outer: set[int] = set()

    def add(self, name: bytes, path: Sequence[Placed], does: Role) -> None:
        """A name that may bind something. path: the nodes from the root to it."""
        if not self._blocks:
            return
        is_local = fits_any(self._locals, path)
        if does.is_outside:
            around = (
                at for at in range(len(path) - 2, -1, -1) if path[at].node.type in self._blocks
            )
            depth = next(around, 0)
            if not _is_in_body(path, depth):
                self._unseen[path[-1].node.start_byte] = path[depth].node.start_byte
        if self._open_bodies:
            self._add_to_body(name, path, does, is_local)
        if not is_local and not does.is_bound:
            return
        scopes = self._functions if fits_any(self._hoisted, path) else self._blocks
        # the name of a function is bound outside of the function
        for depth in range(len(path) - 2 - is_local, -1, -1):
            node = path[depth].node
            if node.type in scopes:
                start = self._start(path, depth) if not is_local else node.start_byte
                self._regions.setdefault(name, []).append(
                    _Region(start, node.end_byte, path[-1].node.start_byte, node.start_byte)
                )
                return
            if node.type in self._type_bodies:
                return

    def _add_to_body(self, name: bytes, path: Sequence[Placed], does: Role, is_local: bool) -> None:
        """Adds a name whose innermost scope is the body of a type."""
        place = path[-1].node.start_byte
        for depth in range(len(path) - 2 - is_local, -1, -1):
            node = path[depth].node
            is_inside = _is_in_body(path, depth)
            if node.type in self._blocks and (is_inside or not does.is_outside):
                return
            if node.type in self._type_bodies and is_inside:
                self._body_of[place] = node.start_byte
                if is_local or does.is_bound:
                    statement = path[min(depth + 2, len(path) - 1)].node
                    of_name = self._members.setdefault((name, node.start_byte), [])
                    of_name.append((statement.end_byte, place))
                return

    def _member_at(self, place: int, name: bytes) -> int | None:
        """Returns the name in the body of a type that a name directly in it means."""
        members = self._members.get((name, self._body_of.get(place, FREE)), ())
        behind = bisect_right(members, (place, place))
        return members[behind - 1][1] if behind else None

    def leave(self, name: bytes, scope: tuple[int, int], is_global: bool) -> None:
        """Says that a name means one outside of a scope: of the file, or of the scope around."""
        self._left[name, scope[0]] = [_Region(*scope, FREE, scope[0])] if is_global else []

    def _kept(self, name: bytes) -> list[_Region]:
        """Returns where a name is bound, and where it is free inside of that, outermost last."""
        kept: list[_Region] = []
        for region in self._regions.get(name, ()):
            if (name, region.scope) in self._left:
                self.outer.add(region.name_start)
            else:
                kept.append(region)
        for (left, _), free in self._left.items():
            kept += free if left == name else []
        return sorted(kept, key=lambda region: (-region.start, region.end, -region.name_start))

    def _start(self, path: Sequence[Placed], depth: int) -> int:
        """Returns the byte from which a binding counts in the scope `path[at]`."""
        scope, inner, name = path[depth].node, path[depth + 1].node, path[-1].node
        body = scope.child_by_field_name("body")
        source = next(
            filter(None, map(scope.child_by_field_name, ("value", "right", "collection"))), None
        )
        if (
            body is not None
            and source is not None
            and inner.end_byte <= source.start_byte <= body.start_byte
        ):
            # the collection that a loop iterates over does not see the loop variable
            return body.start_byte
        if not self._in_order:
            return scope.start_byte
        if inner == name or inner.child_by_field_name("condition") is not None:
            return _end_with_value(name)
        return inner.end_byte

    def resolve(self, names: Sequence[tuple[int, bytes]]) -> list[int]:
        """Returns for each name the start of the name that binds it, or FREE or UNKNOWN. names: in
        order, each with its start."""
        otherwise = FREE if self._blocks else UNKNOWN
        left = (name for name, _ in self._left)
        waiting = {name: self._kept(name) for name in {*self._regions, *left}}
        for members in self._members.values():
            members.sort()
        own = {
            region.name_start
            for regions in waiting.values()
            for region in regions
            if region.name_start != FREE
        }
        opened: dict[bytes, list[_Region]] = {}
        bindings = []
        for start, name in names:
            stack, later = opened.setdefault(name, []), waiting.get(name, [])
            while later and later[-1].start <= start:
                stack.append(later.pop())
            while stack and stack[-1].end <= start:
                stack.pop()
            unseen = self._unseen.get(start)
            innermost = next(
                (region.name_start for region in reversed(stack) if region.scope != unseen),
                otherwise,
            )
            member = self._member_at(start, name) if start not in own else None
            innermost = innermost if member is None else member
            bindings.append(start if start in own else innermost)
        return bindings


def _end_with_value(name: tree_sitter.Node) -> int:
    """Returns the end of a name, or of the value that it gets, which does not see it."""
    sign = name.next_sibling
    value = sign.next_sibling if sign is not None and sign.type == "=" else None
    return value.end_byte if value is not None else name.end_byte


def _is_in_body(path: Sequence[Placed], depth: int) -> bool:
    """Whether a path leads into the body of its node at a depth."""
    body = path[depth].node.child_by_field_name("body")
    return body is not None and body == path[depth + 1].node
