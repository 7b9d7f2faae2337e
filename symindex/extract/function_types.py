"""Finds functions that are declared through a name for their type
(`typedef int handler(int); handler on_click;`).

The type must be defined in the same file; definitions in headers do not count.
"""

from typing import Final

from symindex.extract.languages.rules import CompiledRules
from symindex.extract.records import SymbolRow
from symindex.protocol.kinds import SymbolFlag, SymbolKind

_TYPE: Final = SymbolKind.TYPE.value
_DECLARED_AS: Final = {
    SymbolKind.VARIABLE.value: SymbolKind.FUNCTION.value,
    SymbolKind.FIELD.value: SymbolKind.METHOD.value,
}


def with_functions(rules: CompiledRules, rows: list[SymbolRow]) -> list[SymbolRow]:
    """Returns the symbols of a file, in order, with those declared through a function's type as
    declarations of functions."""
    types: set[str] = set()
    functions = []
    for row in rows:
        signature, kind = row[2], row[4]
        if kind == _TYPE and (
            rules.function_types.is_in(signature) or (types and _type_of(rules, signature) in types)
        ):
            types.add(row[0])
        elif types and kind in _DECLARED_AS and _type_of(rules, signature) in types:
            row = (*row[:4], _DECLARED_AS[kind], row[5] | SymbolFlag.DECLARATION.value, *row[6:])
        functions.append(row)
    return functions


def _type_of(rules: CompiledRules, signature: str) -> str:
    """Returns the name of the type in a declaration that consists of names; else an empty
    string."""
    match = rules.typed_names.regex.match(signature)
    return match[1] if match is not None else ""
