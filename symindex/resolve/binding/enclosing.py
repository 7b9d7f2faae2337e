"""What is around a place: its type, and the parameters of that type's constructors."""

from symindex.extract.languages.schema import BindingRules
from symindex.resolve.denoted import Place, is_type
from symindex.resolve.reading.files import FileFacts, Files
from symindex.resolve.tree import Row


def type_around(files: Files, place: Place) -> Row | None:
    """Returns the innermost type around a place."""
    name = place.container
    while name:
        rows = [row for row in place.file.types_by_name.get(name, ()) if files.is_type(row)]
        if rows:
            return max(rows, key=is_type)
        name = name.rpartition(".")[0]
    outer = place.container.split(".")
    for name in reversed(outer):  # a method outside of its type's file
        types = [row for row in files.named(name) if is_type(row)]
        folder = place.file.path.rpartition("/")[0]
        near = [row for row in types if row.file.path.rpartition("/")[0] == folder]
        if near:
            return near[0]
    return None


def parameters(rules: BindingRules | None, file: FileFacts, container: str) -> dict[str, list[str]]:
    """Returns the typed parameters of the constructors of a type."""
    local: dict[str, list[str]] = {}
    for name in rules.constructors if rules is not None else ():
        for row in file.by_name.get(f"{container}.{name}", ()):
            number = file.numbers[row]
            for (symbol, parameter), facts in file.types.items():
                if symbol == number and parameter:
                    local[parameter] = [f":{fact.type}" for fact in facts if fact.type]
    return local
