"""Draws mutants by lot: of each room equally many, of a room's lines each with the same chance.

cosmic-ray has many variants of some operators (eleven for each `+`) and one of others. So a line is
drawn first, then a place on it, then one of the mutants of this place.

Left out is what cannot change behaviour: annotations, `if TYPE_CHECKING`, and decorators that only
type checkers read. Left out are also the two operators for which cosmic-ray needs names of
variables, and which put random numbers in their place.
"""

import ast
import difflib
import functools
import random
import warnings
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator, operator_names

from tests.mutants.lines import digest_of
from tests.mutants.project import Project

_TYPE_DECORATORS: Final = {"final", "overload", "override", "runtime_checkable"}
_INERT: Final = {"name", "newline", "string", "endmarker"}
_PUNCTUATION: Final = set("()[]{},:;.=") | {"->", "..."}
_LONGEST_SHOWN: Final = 160
"""Longest part of changed code that a table shows, in characters."""


class Mutant(msgspec.Struct, frozen=True):
    """A change of one place. occurrence: its number among those of its operator in the file.
    before, after: the changed lines. digest: of the whole text of the changed file."""

    room: str
    file: str
    line: int
    operator: str
    occurrence: int
    before: str
    after: str
    digest: str

    @property
    def key(self) -> tuple[str, str, int, str]:
        """What is equal only for the same change of the same text."""
        return self.file, self.operator, self.occurrence, self.digest


class _Place(msgspec.Struct, frozen=True):
    """Where an operator can act: (line, column) of its start, and its number in the file."""

    start: tuple[int, int]
    operator: str
    occurrence: int


@functools.cache
def operators() -> dict[str, Operator]:
    """The operators, by name."""
    classes = {name.partition("/")[2]: get_operator(name) for name in operator_names()}
    return {name: made() for name, made in classes.items() if not made.arguments()}


def draw(project: Project, seed: int, count: int, within: str = "") -> list[Mutant]:
    """Draws mutants of all rooms in turn. within: only rooms of this name, or in the package of this
    name. The mutants of a room depend on the seed and its code alone."""
    rooms: dict[str, list[str]] = {}
    for file in project.modules():
        room = project.room(file)
        if not within or f"{room}/".startswith(f"{within}/"):
            rooms.setdefault(room, []).append(file)
    drawn: list[Mutant] = []
    streams = [
        _drawn_in(project, room, files, random.Random(f"{seed} {room}"))
        for room, files in sorted(rooms.items())
    ]
    while streams and len(drawn) < count:
        for stream in [*streams]:
            if (mutant := next(stream, None)) is None:
                streams.remove(stream)
            elif len(drawn) < count:
                drawn.append(mutant)
    return drawn


def mutated(project: Project, mutant: Mutant) -> str:
    """The text of the file after the change."""
    return _change(project.text(mutant.file), mutant.operator, mutant.occurrence)


def _change(text: str, operator: str, occurrence: int) -> str:
    return mutate_code(text, operators()[operator], occurrence) or text


def _drawn_in(
    project: Project, room: str, files: list[str], lot: random.Random
) -> Iterator[Mutant]:
    lines = [
        (file, number)
        for file in files
        for number, line in enumerate(project.text(file).splitlines(), 1)
        if line.strip()
    ]
    # A line comes again as long as it has places that have not been drawn.
    places: dict[str, dict[int, list[_Place]]] = {}
    while lines:
        index = lot.randrange(len(lines))
        file, number = lines[index]
        if file not in places:
            places[file] = _places(project.text(file))
        on_line = places[file].get(number, [])
        if not on_line:
            lines[index] = lines[-1]
            lines.pop()
            continue
        start = lot.choice(sorted({place.start for place in on_line}))
        place = lot.choice([place for place in on_line if place.start == start])
        on_line.remove(place)
        if (mutant := _made(project.text(file), room, file, place)) is not None:
            yield mutant


def _made(text: str, room: str, file: str, place: _Place) -> Mutant | None:
    """The mutant of a place, or `None` if it is the same program, or Python itself objects to it:
    no syntax, or `is` with a literal."""
    try:
        changed = _change(text, place.operator, place.occurrence)
    except AttributeError:  # cosmic-ray cannot replace an exception with a dotted name
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)
            compile(changed, file, "exec", dont_inherit=True)
        if ast.dump(ast.parse(changed)) == ast.dump(ast.parse(text)):
            return None
    except (SyntaxError, SyntaxWarning):
        return None
    old, new = text.splitlines(), changed.splitlines()
    before: list[str] = []
    after: list[str] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if kind != "equal":
            before += old[a:b]
            after += new[c:d]
    return Mutant(
        room,
        file,
        place.start[0],
        place.operator,
        place.occurrence,
        _shown(before),
        _shown(after),
        digest_of(changed),
    )


def _shown(lines: list[str]) -> str:
    text = " ".join(" ".join(lines).split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _places(text: str) -> dict[int, list[_Place]]:
    """The places of a file by line."""
    left_out = _without_effect(text)
    places: dict[int, list[_Place]] = {}
    nodes = [node for node in ast_nodes(get_ast(text)) if not is_inert(node)]
    for name, operator in operators().items():
        starts = (start for node in nodes for start, _end in operator.mutation_positions(node))
        for occurrence, start in enumerate(starts):
            if not any(first <= start < last for first, last in left_out):
                places.setdefault(start[0], []).append(_Place(start, name, occurrence))
    return places


def is_inert(node: Any) -> bool:
    """Whether no operator acts on a node itself: most nodes, which would take most of the time."""
    return node.type in _INERT or (node.type == "operator" and node.value in _PUNCTUATION)


def _without_effect(text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where a change has no effect when the program runs: from and to (line, column)."""
    lines = text.splitlines()

    def column(number: int, offset: int) -> int:  # from bytes to characters
        return len(lines[number - 1].encode()[:offset].decode(errors="replace"))

    nodes: list[ast.AST | None] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            nodes.append(node.returns)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            nodes += [
                decorator
                for decorator in node.decorator_list
                if _name(decorator) in _TYPE_DECORATORS
            ]
        elif isinstance(node, ast.arg | ast.AnnAssign):
            nodes.append(node.annotation)
            if isinstance(node, ast.AnnAssign) and _name(node.annotation) == "TypeAlias":
                nodes.append(node.value)
        elif isinstance(node, ast.If) and _name(node.test) == "TYPE_CHECKING":
            nodes += [node.test, *node.body]
    return [
        (
            # One column earlier: the `@` of a decorator.
            (node.lineno, max(column(node.lineno, node.col_offset) - 1, 0)),
            (node.end_lineno, column(node.end_lineno, node.end_col_offset)),
        )
        for node in nodes
        if isinstance(node, ast.expr | ast.stmt)
        and node.end_lineno is not None
        and node.end_col_offset is not None
    ]


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
