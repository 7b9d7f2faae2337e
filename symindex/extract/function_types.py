"""What is declared through a name for a function's type
(`typedef int handler(int); handler on_click;`) is a function.

Which type a name stands for is known in the file that says so, and only there: what a header says
of it is not.
"""

from typing import Final

from symindex.extract.languages.rules import Rules
from symindex.extract.records import SymbolRow
from symindex.protocol.kinds import SymbolFlag, SymbolKind

_TYPE: Final = SymbolKind.TYPE.value
_DECLARED_AS: Final = {
    SymbolKind.VARIABLE.value: SymbolKind.FUNCTION.value,
    SymbolKind.FIELD.value: SymbolKind.METHOD.value,
}


def with_functions(rules: Rules, rows: list[SymbolRow]) -> list[SymbolRow]:
    """The symbols of a file, in order; those that are declared through a function's type as
    declarations of functions."""
    types: set[str] = set()
    found = []
    for row in rows:
        signature, kind = row[2], row[4]
        if kind == _TYPE and (
            rules.function_types.is_in(signature) or (types and _type_of(rules, signature) in types)
        ):
            types.add(row[0])
        elif types and kind in _DECLARED_AS and _type_of(rules, signature) in types:
            row = (*row[:4], _DECLARED_AS[kind], row[5] | SymbolFlag.DECLARATION.value, *row[6:])
        found.append(row)
    return found


def _type_of(rules: Rules, signature: str) -> str:
    """The name of the type that a declaration of mere names says, or empty."""
    match = rules.typed_names.regex.match(signature)
    return match[1] if match is not None else ""
