"""Which uses of a symbol are shown, and how certainly."""

from symindex.workspace.workspace import Workspace


def bound_lines(tree: Workspace, symbol: str) -> list[str]:
    """Returns the places of a symbol's references as `path:line` in order, those that may be
    another's with a question mark, without its definitions and imports."""
    places = [
        (file.file_path, item.line, item.column, "?" if item.is_unsure else "")
        for file in tree.references(symbol, all=True).files
        for item in file.items
        if not item.definition and item.role != "import"
    ]
    return [f"{path}:{line}{mark}" for path, line, _, mark in sorted(places)]
