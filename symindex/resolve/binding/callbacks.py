"""Parameters of functions without a name, whose types the code around such a function tells:
`const handle: Handler = (event) => …`, `cart.onChange = (event) => …`, `listen((event) => …)`."""

import re
from collections.abc import Sequence

from symindex.protocol.kinds import CALLABLE_KINDS
from symindex.resolve.binding.core import Core
from symindex.resolve.denoted import UNKNOWN, Denoted, Kind, Place, Written, is_type, united
from symindex.resolve.modules.exports import MOST_DEPTH
from symindex.resolve.reading.expressions import (
    arguments_in,
    chain_of,
    end_of_group,
    parameter_type,
    split,
    types_in,
)
from symindex.resolve.tree import Row


def parameter_of(core: Core, place: Place, text: str, depth: int = MOST_DEPTH) -> Denoted:
    """Returns what a parameter denotes. text: its number, a blank, and what is told of the
    function: its type, the variable or member that gets it, or the number of the argument that it
    is and what is called, as in `Place.local`."""
    number, _, told = text.partition(" ")
    found = [
        UNKNOWN
        if not one.text or _is_open(core, one)
        else core.of_type(one.file, one.container, one.text, depth - 1)
        for one in _parameters(core, place, told, int(number), depth - 1)
    ]
    return united(found) if found else UNKNOWN


def _is_open(core: Core, written: Written) -> bool:
    """Whether a type names a type parameter of the code that writes it: what that stands for is
    decided where the function is used."""
    rules = core.files.rules_of(written.file)
    names = types_in(written.text, rules.wrappers if rules is not None else ())
    return any(written.file.parameter(written.container, name) is not None for name in names)


def _parameters(core: Core, place: Place, told: str, number: int, depth: int) -> list[Written]:
    """Returns the type of a parameter, as each of the functions that may be meant writes it."""
    if depth <= 0:
        return []
    sign, text = told[:1], told[1:]
    if sign == ":":
        return _of_type(core, Written(place.file, place.container, text), number, depth)
    if sign == "=":
        return [
            one
            for row in _assigned(core, place, text, depth)
            for one in _of_row(core, row, number, depth)
        ]
    if sign != "(":
        return []
    argument, _, called = text.partition(" ")
    function = core.denoted(place, called, depth)
    if function.kind is not Kind.SYMBOL or any(map(is_type, function.rows)):
        return []
    return [
        one
        for row in function.rows
        for one in _of_type(
            core,
            _written(
                core, row, parameter_type(row.index.signature(row.number), row.name, int(argument))
            ),
            number,
            depth,
        )
    ]


def _assigned(core: Core, place: Place, text: str, depth: int) -> Sequence[Row]:
    """Returns the variable or member that gets a value."""
    chain = chain_of(text)
    if not chain or any(step.is_called or step.n_indexes for step in chain[-1:]):
        return ()
    if len(chain) == 1:
        return () if chain[0].name in place.local else core.name(place, chain[0].name, depth).rows
    holder = core.followed(place, chain[:-1], depth)
    return core.member(holder, chain[-1].name, depth).rows if holder.rows else ()


def _of_row(core: Core, row: Row, number: int, depth: int) -> list[Written]:
    """Returns the type of a parameter of a function, or of the functions that a member may be."""
    signature = row.index.signature(row.number)
    if row.kind in CALLABLE_KINDS:
        return [_written(core, row, parameter_type(signature, row.name, number))]
    declared = re.search(rf"(?<![\w$]){re.escape(row.name)}[?!]?\s*:", signature)
    text = signature[declared.end() :].rstrip(" ;,") if declared is not None else ""
    return _of_type(core, _written(core, row, text), number, depth)


def _written(core: Core, row: Row, text: str) -> Written:
    return Written(core.files.of(row), row.qualified_name, text)


def _of_type(core: Core, written: Written, number: int, depth: int) -> list[Written]:
    """Returns the type of a parameter of the functions of a type; an empty one if that is not
    known."""
    found = []
    for part in split(written.text, "|"):
        bare = part.strip()
        if bare.startswith("(") and end_of_group(bare, 0) == len(bare):
            bare = bare[1:-1].strip()
        if bare in ("undefined", "null", ""):
            continue
        if "=>" in bare:
            found.append(written._replace(text=parameter_type(f"f{bare}", "f", number)))
            continue
        rows = core.of_type(written.file, written.container, bare, depth - 1).rows
        aliases = [(row, text) for row in rows if (text := _alias(row))]
        for row, text in aliases:
            of_alias = _of_type(core, _written(core, row, text), number, depth - 1)
            given = dict(
                zip(core.files.of(row).parameters(row), arguments_in(bare, row.name), strict=False)
            )
            found += [
                written._replace(text=given[one.text]) if one.text in given else one
                for one in of_alias
            ]
        found += [] if aliases else [written._replace(text="")]
    return found if depth > 0 else []


def _alias(row: Row) -> str:
    """Returns the type for which a symbol is another name, as its definition writes it."""
    signature = row.index.signature(row.number)
    name = re.search(rf"\b{re.escape(row.name)}\s*", signature)
    rest = signature[name.end() :] if name is not None and is_type(row) else ""
    if rest.startswith("<") and (end := end_of_group(rest, 0)) > 0:
        rest = rest[end:].lstrip()
    return rest[1:].strip(" ;") if rest.startswith("=") and not rest.startswith("=>") else ""
