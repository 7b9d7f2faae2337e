"""What stands inside what: the tree of drafts that `source/symbols` turns into symbols.

A definition encloses what stands in its body, and nothing where it has none. Names, not definitions, are placed: a C
typedef's name stands after the fields of its struct, and still encloses them.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from symindex.protocol import CALLABLE_KINDS, SymbolFlag, SymbolKind
from symindex.source.parse import Definition, Marker, Parsed, Scope

_FUNCTION_KINDS: Final = CALLABLE_KINDS | {SymbolKind.PROPERTY}
"""Kinds whose body runs: what it names is local. A property's body is its accessor."""

NO_FLAGS: Final = SymbolFlag(0)


@dataclass(slots=True, eq=False)
class Draft:
    """A definition on its way to become a symbol, a scope that only qualifies names, or (with neither) the file.

    start, end: the bytes it encloses. sections, named, everywhere: the visibility markers directly inside it.
    name, container, kind, flags, doc, dropped: filled in by `source/symbols`, parents first.
    """

    start: int
    end: int
    kind: SymbolKind
    definition: Definition | None = None
    scope: Scope | None = None
    parent: "Draft | None" = None
    sections: list[Marker] = field(default_factory=list)
    named: dict[str, Marker] = field(default_factory=dict)
    everywhere: Marker | None = None
    name: str = ""
    container: str = ""
    flags: SymbolFlag = NO_FLAGS
    doc: str = ""
    dropped: bool = False
    resolved: bool = False

    @property
    def qualified_name(self) -> str:
        """Container and name, joined by a dot; a scope's is what it qualifies names with."""
        return f"{self.container}.{self.name}" if self.container and self.name else self.container or self.name

    @property
    def outer(self) -> "Draft | None":
        """The nearest enclosing draft that qualifies names: a symbol that was kept, or a scope with a container."""
        step = self.parent
        while step is not None and (step.dropped or (step.definition is None and step.container == "")):
            step = step.parent
        return step

    @property
    def is_open(self) -> bool:
        """Whether it is a scope that neither qualifies names nor makes them local."""
        return self.scope is not None and not self.scope.function and self.scope.container is None

    @property
    def in_function(self) -> bool:
        """Whether it stands directly inside a function, not counting the values that were dropped between."""
        step = self.parent
        while step is not None and (step.is_open or (step.dropped and step.kind not in _FUNCTION_KINDS)):
            step = step.parent
        if step is None:
            return False
        return step.scope.function if step.scope is not None else step.kind in _FUNCTION_KINDS

    def section_before(self, byte: int) -> Marker | None:
        """The last marker directly inside this draft that stands before `byte`."""
        at = bisect_right(self.sections, byte, key=lambda marker: marker.byte)
        return self.sections[at - 1] if at else self.everywhere


def nest(parsed: Parsed, size: int) -> list[Draft]:
    """The drafts of all definitions of a file of `size` bytes, in the order of their names, each with its parent."""
    drafts = [_draft_definition(definition) for definition in parsed.definitions]
    _extend_to_rest(drafts, size)
    # A scope counts as a class where rules ask for the kind of the container: its functions are methods.
    scopes = [Draft(scope.start_byte, scope.end_byte, SymbolKind.CLASS, scope=scope) for scope in parsed.scopes]
    for draft in scopes:
        if draft.scope is not None and draft.scope.visibility:
            draft.everywhere = Marker(draft.start, draft.scope.visibility, None, True, draft.scope.pattern)
    opening = sorted((d for d in [*drafts, *scopes] if d.start < d.end), key=lambda d: (d.start, -d.end))
    stack = [Draft(0, size + 1, SymbolKind.FILE)]
    opened = 0
    for byte, thing in _places(drafts, parsed.markers, scopes):
        while opened < len(opening) and opening[opened].start <= byte:
            draft = opening[opened]
            opened += 1
            while len(stack) > 1 and stack[-1].end <= draft.start:
                stack.pop()
            if draft.scope is not None:
                draft.parent = stack[-1]
            stack.append(draft)
        while len(stack) > 1 and stack[-1].end <= byte:
            stack.pop()
        if isinstance(thing, Marker):
            if thing.everywhere:
                stack[-1].everywhere = thing
            elif thing.name is None:
                stack[-1].sections.append(thing)
            else:
                stack[-1].named[thing.name] = thing
        elif thing.definition is not None:
            if thing.definition.settings.get("place") == "file":
                thing.parent = stack[0]
            else:
                thing.parent = next(draft for draft in reversed(stack) if draft is not thing)
    return drafts


def _places(drafts: list[Draft], markers: list[Marker], scopes: list[Draft]) -> list[tuple[int, Draft | Marker]]:
    places: list[tuple[int, Draft | Marker]] = [(d.definition.name_start, d) for d in drafts if d.definition is not None]
    places.extend((marker.byte, marker) for marker in markers)
    places.extend((scope.start, scope) for scope in scopes)
    places.sort(key=lambda place: place[0])
    return places


def _draft_definition(definition: Definition) -> Draft:
    return Draft(definition.inside_byte, definition.inside_end, definition.kind, definition)


def _extend_to_rest(drafts: list[Draft], size: int) -> None:
    """`(#set! extent rest)`: the definition reaches to the next one of that sort, or to the end of the file."""
    before: Draft | None = None
    for draft in drafts:
        definition = draft.definition
        if definition is not None and definition.settings.get("extent") == "rest":
            if before is not None:
                before.end = definition.start_byte
            draft.start, draft.end = definition.name_end, size
            before = draft
