"""Builds the tree of scopes, which shows the definitions around each definition; `extract/symbols`
turns it into symbols.

A definition encloses the definitions in its body. It is placed by its name, because the name of a C
typedef comes after the fields of its struct and still encloses them.
"""

from bisect import bisect_right
from operator import attrgetter, itemgetter
from typing import Final

import msgspec

from symindex.extract.captures import Captures, Definition, Marker, Scope
from symindex.extract.containment import OpenRanges
from symindex.protocol.kinds import CALLABLE_KINDS, SymbolKind

_FUNCTION_KINDS: Final = frozenset(kind.value for kind in CALLABLE_KINDS) | {
    SymbolKind.PROPERTY.value
}
"""Kinds whose body runs, so that its variables are local. A property's body is its accessor."""

_VALUE_KINDS: Final = frozenset(
    kind.value
    for kind in (
        SymbolKind.PROPERTY,
        SymbolKind.FIELD,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
    )
)
"""Kinds whose value may have code."""

_MOST_DEEP: Final = 200
"""Most definitions around one whose value is looked into for code."""


class ScopeNode(msgspec.Struct):
    """A definition that may become a symbol, a scope that only qualifies names, or (with neither)
    the file.

    start, end: the range whose definitions it encloses. sections, named, visibility: the settings
    of markers directly inside it: from a place on, for a name, for all. `extract/symbols` fills in
    the rest, parents first. outer: the nearest node around it that qualifies names: a symbol, or a
    scope with a container. in_function: whether it is directly inside a function, not counting
    dropped values. path: the qualified name; for a scope, the prefix of the names in it. flags:
    bits of SymbolFlag. first: the start of its attributes. next_comment: as returned by `Docs.of`.
    """

    start: int
    end: int
    kind: str
    definition: Definition | None = None
    scope: Scope | None = None
    parent: "ScopeNode | None" = None
    sections: list[Marker] | None = None
    named: dict[str, str] | None = None
    visibility: str = ""
    outer: "ScopeNode | None" = None
    in_function: bool = False
    name: str = ""
    container: str = ""
    path: str = ""
    flags: int = 0
    doc: str = ""
    first: int = 0
    next_comment: int = 0
    dropped: bool = False
    resolved: bool = False

    def find_outer(self) -> None:
        """Sets `outer` and `in_function`, from the parent."""
        parent = self.parent
        if parent is None:
            return
        if (
            parent.definition is not None and not parent.dropped
        ):  # most are in a class or a function
            self.outer = parent
            self.in_function = parent.kind in _FUNCTION_KINDS
            return
        is_transparent = parent.dropped or (parent.definition is None and parent.container == "")
        self.outer = parent.outer if is_transparent else parent
        if parent.scope is not None:
            setting = parent.scope.pattern.settings.scope
            keeps = (
                parent.scope.container is None or setting == "data"
            )  # else its members are looked up by name, like a class's
            self.in_function = setting == "function" or (parent.in_function and keeps)
        elif parent.kind in _FUNCTION_KINDS:
            self.in_function = True
        elif parent.dropped:
            self.in_function = parent.in_function

    def visibility_at(self, byte: int) -> str:
        """Returns the visibility that the markers directly inside this node set at a place, empty
        if none does."""
        sections = self.sections or []
        number = bisect_right(sections, byte, key=_MARKER_BYTE)
        return sections[number - 1].pattern.settings.visibility if number else self.visibility

    def add_marker(self, marker: Marker) -> None:
        """Adds a marker directly inside this node; markers come in order."""
        settings = marker.pattern.settings
        if settings.scope == "container":
            self.visibility = settings.visibility
        elif marker.name is None:
            if self.sections is None:
                self.sections = []
            self.sections.append(marker)
        else:
            if self.named is None:
                self.named = {}
            self.named[marker.name] = settings.visibility


_MARKER_BYTE: Final = attrgetter("byte")
_START: Final = attrgetter("start")


def nest_definitions(captures: Captures, size: int) -> list[ScopeNode]:
    """Returns the nodes of all definitions of a file of `size` bytes, in the order of their names,
    each with its parent."""
    nodes = [
        ScopeNode(d.inside_byte, d.inside_end, d.pattern.kind, d) for d in captures.definitions
    ]
    _extend_to_rest(nodes, size)
    # A scope counts as a class where rules ask for the kind of the container: its functions are
    # methods.
    scopes = [
        ScopeNode(
            s.start_byte,
            s.end_byte,
            SymbolKind.CLASS.value,
            scope=s,
            visibility=s.pattern.settings.visibility,
        )
        for s in captures.scopes
    ]
    file = ScopeNode(0, size + 2, SymbolKind.FILE.value)  # it never ends
    # Each script of a page is a file of its own.
    files = [
        file,
        *(ScopeNode(start, end + 1, SymbolKind.FILE.value) for start, end in captures.pieces),
    ]
    all_nodes = [*files, *nodes, *scopes]
    starts, ends = [node.start for node in all_nodes], [node.end for node in all_nodes]
    order = [number for number, start in enumerate(starts) if start < ends[number]]
    order.sort(key=ends.__getitem__, reverse=True)
    order.sort(key=starts.__getitem__)
    ranges = OpenRanges(starts, ends, order)
    places: list[tuple[int, ScopeNode | Marker]] = [
        (d.definition.name_start, d) for d in nodes if d.definition is not None
    ]
    if captures.markers or scopes:  # definitions are in the order of their places
        places.extend([(marker.byte, marker) for marker in captures.markers])
        places.extend([(scope.start, scope) for scope in scopes])
        places.sort(key=itemgetter(0))
    for byte, item in places:
        opened = ranges.at(byte)
        innermost = all_nodes[opened[-1]]
        if isinstance(item, Marker):
            innermost.add_marker(item)
        elif item.definition is not None:
            if item.definition.pattern.settings.place == "file":
                item.parent = file
            elif item.start >= item.end or innermost.start < item.start:
                item.parent = innermost
            else:
                item.parent = _around(item, [all_nodes[number] for number in opened])
    for scope, around in zip(scopes, ranges.around[len(files) + len(nodes) :], strict=True):
        scope.parent = all_nodes[around] if around >= 0 else None
    _place_in_values(nodes, scopes)
    return nodes


def _place_in_values(nodes: list[ScopeNode], scopes: list[ScopeNode]) -> None:
    """Places the scopes in the value of a definition inside it, even though its body is another or
    it has none: `client = make(new Auth() { … })`."""
    values = [node for node in nodes if node.kind in _VALUE_KINDS and node.definition is not None]
    functions = [s for s in scopes if s.scope and s.scope.pattern.settings.scope == "function"]
    if not values or not functions:
        return
    starts = [node.definition.start_byte if node.definition else 0 for node in values]
    ends = [node.definition.end_byte if node.definition else 0 for node in values]
    order = sorted(range(len(values)), key=lambda number: (starts[number], -ends[number]))
    ranges = OpenRanges(starts, ends, order)
    for scope in sorted(functions, key=_START):
        opened = ranges.at(scope.start)
        around = opened[-1] if opened else -1
        outer_start = scope.parent.start if scope.parent is not None else -1
        is_in_value = around >= 0 and outer_start < starts[around] and scope.end <= ends[around]
        if is_in_value and not _is_inside(values[around], scope):
            scope.parent = values[around]


def _is_inside(node: ScopeNode, scope: ScopeNode) -> bool:
    """Whether a node is inside a scope, or too deep to tell."""
    step: ScopeNode | None = node
    for _ in range(_MOST_DEEP):
        if step is None or step is scope:
            return step is scope
        step = step.parent
    return True


def _around(item: ScopeNode, opened: list[ScopeNode]) -> ScopeNode:
    """Returns the innermost of some nodes around the name of a node that begins before it, or is
    longer. So no node is around itself, even if the names of two are in the ranges of both, as with
    two ids of one QML object."""
    return next(
        node for node in reversed(opened) if (node.start, -node.end) < (item.start, -item.end)
    )


def _extend_to_rest(nodes: list[ScopeNode], size: int) -> None:
    """Extends definitions with `(#set! extent rest)` to the next one with it, or to the end of the
    file."""
    previous: ScopeNode | None = None
    for node in nodes:
        definition = node.definition
        if definition is not None and definition.pattern.settings.extent == "rest":
            if previous is not None:
                previous.end = definition.start_byte
            node.start, node.end = definition.name_end, size
            previous = node
