"""What stands inside what: the tree of drafts that `extract/symbols` turns into symbols.

A definition encloses what stands in its body, and nothing where it has none. Names, not definitions, are placed: a C
typedef's name stands after the fields of its struct, and still encloses them.
"""

from bisect import bisect_right
from operator import attrgetter, itemgetter
from typing import Final

import msgspec

from symindex.extract.captures import Definition, Marker, Parsed, Scope
from symindex.extract.containment import OpenRanges
from symindex.protocol import CALLABLE_KINDS, SymbolKind

_FUNCTION_KINDS: Final = frozenset(kind.value for kind in CALLABLE_KINDS) | {SymbolKind.PROPERTY.value}
"""Kinds whose body runs: what it names is local. A property's body is its accessor."""


class Draft(msgspec.Struct):
    """A definition on its way to become a symbol, a scope that only qualifies names, or (with neither) the file.

    start, end: the bytes it encloses. sections, named, everywhere: the visibility markers directly inside it, `None` where there
    are none.
    The rest is filled in by `extract/symbols`, parents first. outer: the nearest enclosing draft that qualifies names: a symbol
    that was kept, or a scope with a container. in_function: it stands directly inside a function, not counting the values that
    were dropped between. path: the qualified name; a scope's is what it qualifies names with. flags: bits of SymbolFlag.
    first: where the attributes before it begin, else where it does.
    """

    start: int
    end: int
    kind: str
    definition: Definition | None = None
    scope: Scope | None = None
    parent: "Draft | None" = None
    sections: list[Marker] | None = None
    named: dict[str, Marker] | None = None
    everywhere: Marker | None = None
    outer: "Draft | None" = None
    in_function: bool = False
    name: str = ""
    container: str = ""
    path: str = ""
    flags: int = 0
    doc: str = ""
    first: int = 0
    dropped: bool = False
    resolved: bool = False

    def find_outer(self) -> None:
        """Fills in what follows from the parent, which is resolved."""
        parent = self.parent
        if parent is None:
            return
        is_passed = parent.dropped or (parent.definition is None and parent.container == "")
        self.outer = parent.outer if is_passed else parent
        if parent.scope is not None:
            is_open = not parent.scope.function and parent.scope.container is None
            self.in_function = parent.in_function if is_open else parent.scope.function
        elif parent.kind in _FUNCTION_KINDS:
            self.in_function = True
        elif parent.dropped:
            self.in_function = parent.in_function

    def section_before(self, byte: int) -> Marker | None:
        """The last marker directly inside this draft that stands before `byte`."""
        if not self.sections:
            return self.everywhere
        at = bisect_right(self.sections, byte, key=_MARKER_BYTE)
        return self.sections[at - 1] if at else self.everywhere

    def mark(self, marker: Marker) -> None:
        """Adds a marker that stands directly inside this draft."""
        if marker.everywhere:
            self.everywhere = marker
        elif marker.name is None:
            if self.sections is None:
                self.sections = []
            self.sections.append(marker)
        else:
            if self.named is None:
                self.named = {}
            self.named[marker.name] = marker


_MARKER_BYTE: Final = attrgetter("byte")


def nest(parsed: Parsed, size: int) -> list[Draft]:
    """The drafts of all definitions of a file of `size` bytes, in the order of their names, each with its parent."""
    drafts = [Draft(d.inside_byte, d.inside_end, d.kind, d) for d in parsed.definitions]
    _extend_to_rest(drafts, size)
    # A scope counts as a class where rules ask for the kind of the container: its functions are methods.
    scopes = [Draft(scope.start_byte, scope.end_byte, SymbolKind.CLASS.value, scope=scope) for scope in parsed.scopes]
    for draft in scopes:
        if draft.scope is not None and draft.scope.visibility:
            draft.everywhere = Marker(draft.start, draft.scope.visibility, None, True, draft.scope.pattern)
    file = Draft(0, size + 1, SymbolKind.FILE.value)
    all_drafts = [file, *drafts, *scopes]
    starts, ends = [d.start for d in all_drafts], [d.end for d in all_drafts]
    ends[0] = size + 2  # it never ends
    order = [number for number, start in enumerate(starts) if start < ends[number]]
    order.sort(key=ends.__getitem__, reverse=True)
    order.sort(key=starts.__getitem__)
    ranges = OpenRanges(starts, ends, order)
    for byte, thing in _places(drafts, parsed.markers, scopes):
        opened = ranges.at(byte)
        innermost = all_drafts[opened[-1]]
        if isinstance(thing, Marker):
            innermost.mark(thing)
        elif thing.definition is not None:
            if thing.definition.settings.is_file_wide:
                thing.parent = file
            else:
                thing.parent = innermost if innermost is not thing else all_drafts[opened[-2]]
    for scope, around in zip(scopes, ranges.around[1 + len(drafts) :], strict=True):
        scope.parent = all_drafts[around] if around >= 0 else None
    return drafts


def _places(drafts: list[Draft], markers: list[Marker], scopes: list[Draft]) -> list[tuple[int, Draft | Marker]]:
    """What is to be placed, in the order of the places; drafts come in the order of theirs."""
    places: list[tuple[int, Draft | Marker]] = [(d.definition.name_start, d) for d in drafts if d.definition is not None]
    if markers or scopes:
        places.extend([(marker.byte, marker) for marker in markers])
        places.extend([(scope.start, scope) for scope in scopes])
        places.sort(key=itemgetter(0))
    return places


def _extend_to_rest(drafts: list[Draft], size: int) -> None:
    """`(#set! extent rest)`: the definition reaches to the next one of that sort, or to the end of the file."""
    before: Draft | None = None
    for draft in drafts:
        definition = draft.definition
        if definition is not None and definition.settings.extends_to_next:
            if before is not None:
                before.end = definition.start_byte
            draft.start, draft.end = definition.name_end, size
            before = draft
