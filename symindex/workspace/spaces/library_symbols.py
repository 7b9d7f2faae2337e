"""Finds a symbol that the project does not have in its packages: an agent's `httpx.Client.get` is
simply answered.

It first follows the language's rules, by the names that modules offer
(`explore/targets/libraries`), then searches by name alone in any package that may have it. Nothing
here is loaded if the project has the symbol.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from symindex.errors import RequestError, is_unicode
from symindex.explore.definition import find_definitions
from symindex.explore.relations.uses import Limits, UseSearch
from symindex.explore.symbol import show_target
from symindex.explore.targets.libraries import Libraries, likeliest
from symindex.explore.targets.target import Target, find_defined, find_target
from symindex.explore.text_range import MODULE_LINES, show_range
from symindex.packages.found.package import Package
from symindex.packages.found.reexports import MODULE_RULES, STANDARD_LIBRARY
from symindex.protocol.explore import SymbolRequest, SymbolResponse
from symindex.protocol.kinds import CALLABLE_KINDS
from symindex.protocol.search import LABEL_IN_PATH, add_notices
from symindex.resolve.tree import Row, Tree
from symindex.text.separators import SEPARATOR
from symindex.workspace.spaces.spaces import Spaces

MOST_MODULES: Final = 3
"""Number of modules of each package that are searched for an unqualified name."""


COMPLETE_ECOSYSTEMS: Final = frozenset({STANDARD_LIBRARY})
"""Ecosystems whose modules are known completely: a name that they do not offer is compiled, and
another symbol with that name would be wrong."""


def find_symbol(
    spaces: Sequence[Spaces], request: SymbolRequest, most_bytes: int, waits: bool = True
) -> SymbolResponse | None:
    """Returns the answer from the first project whose packages have the symbol; `None` if none has
    it. waits: as for `Spaces.build_for_symbol`."""
    text = request.symbol.strip().strip("`").removesuffix("()")
    notices: list[str] = []
    if not is_unicode(text):  # names of packages are
        return None
    for project_spaces in spaces:
        packages = project_spaces.packages_for(text)
        if not packages:
            continue
        notices += project_spaces.build_for_symbol(packages, waits)
        match, is_whole = _find(project_spaces, text, packages, most_bytes)
        if not is_whole:
            notices.append(
                f"the search of modules for `{text}` reached a limit: they may define it in a file"
                " that was not searched"
            )
        if match is None:
            notices += _tell_modules(project_spaces, text) if is_whole else []
            continue
        tree, target = match
        response = show_target(tree, target, request, most_bytes)
        paths = (
            [response.symbol.file_path]
            if response.symbol is not None
            else [line.file_path for line in response.others]
        )
        names = dict.fromkeys(
            label[0] for path in paths if (label := LABEL_IN_PATH.match(path)) is not None
        )
        add_notices(
            response, [f"not in the project; from the system space: {', '.join(names)}", *notices]
        )
        return response
    if notices:
        return SymbolResponse(request=request, symbol=None, others=[], total=0, notices=notices)
    return None


def find_used(
    tree: Tree,
    spaces: Sequence[Spaces],
    request: SymbolRequest,
    file_limits: tuple[int, float],
    waits: bool,
) -> SymbolResponse | None:
    """Returns what a name means where it is used, in the project or in its packages; `None` if the
    request does not ask for that. Raises RequestError for a place that does not exist.

    file_limits: as for `explore/relations/uses.Limits`. waits: as for `Spaces.build_for_symbol`.
    """
    limits = Limits(*file_limits, seconds=file_limits[1])
    found = find_definitions(UseSearch(tree, limits), request)
    if found is None:
        return None
    response: SymbolResponse | None = None
    if found.library:
        asked = msgspec.structs.replace(request, symbol=found.library, used_in=None)
        response = find_symbol(spaces, asked, limits.max_file_bytes, waits)
    elif found.path:
        lines = 1, MODULE_LINES, False
        response = show_range(tree, found.path, *lines, request, limits.max_file_bytes)
    if response is None:
        return show_target(tree, found.target, request, limits.max_file_bytes)
    response.request = request
    add_notices(response, found.target.notices)
    return response


def _find(
    spaces: Spaces, text: str, packages: Sequence[Package], most_bytes: int
) -> tuple[tuple[Tree, Target] | None, bool]:
    """Returns the symbol that a text means and its tree, if there is one, and whether all files
    that may offer it were searched."""
    is_whole = True
    if LABEL_IN_PATH.match(text) is None:
        libraries = Libraries(spaces.open_module)
        names = [text] if SEPARATOR.search(text) else _in_modules(packages, text)
        for name in names:
            if (match := libraries.find(name)) is not None:
                tree, rows = match
                return (tree, Target(_defined_first(tree, rows, most_bytes), True)), True
        is_whole = not libraries.is_cut
    return _by_name(spaces, text, packages, most_bytes), is_whole


def _tell_modules(spaces: Spaces, text: str) -> list[str]:
    """Returns the notice about a name that a known module should have and does not."""
    for package, module, rest in spaces.environment().packages_of(text)[:1]:
        if rest:
            return [
                f"`{module}` is a module of {package.label}, whose sources define no `{rest}`: it"
                " may be compiled"
            ]
    return []


def _in_modules(packages: Sequence[Package], name: str) -> list[str]:
    """Returns a name qualified by each module that may offer it. A standard library has too many
    modules to try."""
    with_modules = [
        package
        for package in packages
        if package.ecosystem in MODULE_RULES and package.ecosystem != STANDARD_LIBRARY
    ]
    return [
        f"{module}.{name}" for package in with_modules for module in package.modules[:MOST_MODULES]
    ]


def _by_name(
    spaces: Spaces, text: str, packages: Sequence[Package], most_bytes: int
) -> tuple[Tree, Target] | None:
    """Finds a name anywhere in the packages."""
    part, rest = spaces.part_for_symbol(text, packages)
    tree = Tree(part.snapshot, spaces.languages, part.roots)
    # What a package offers is often defined under another path.
    names = [text] if not rest else [text, rest, SEPARATOR.split(rest)[-1]]
    is_whole = all(package.ecosystem in COMPLETE_ECOSYSTEMS for package in packages)
    refused: RequestError | None = None
    for number, name in enumerate(dict.fromkeys(names)):
        try:
            target = find_target(tree, name, most_bytes)
        except RequestError as error:
            refused = refused or error
            continue
        is_alike = bool(target.notices) or (number > 0 and not SEPARATOR.search(name))
        if not target.rows or (is_alike and is_whole):
            continue
        if not is_alike and target.is_sure:
            return tree, target
        rows = likeliest(target.rows, [spaces.prefix_of(package) for package in packages])
        is_sure = not is_alike and (len(part.roots) == 1 or bool(rest))
        return tree, target._replace(
            rows=_defined_first(tree, rows, most_bytes) if is_sure else rows, is_sure=is_sure
        )
    if refused is not None and LABEL_IN_PATH.match(text) is not None:
        raise refused
    return None


def _defined_first(tree: Tree, rows: Sequence[Row], most_bytes: int) -> list[Row]:
    """Sorts symbols: first those with the name and file of the first one, its definition at the
    very front, then the others."""
    first = rows[0]
    alike = [
        row
        for row in rows
        if row.qualified_name == first.qualified_name and row.file.path == first.file.path
    ]
    callables = [row for row in alike if row.kind in CALLABLE_KINDS]
    defined = (
        find_defined(tree, callables, most_bytes)
        if first in callables and len(callables) > 1
        else None
    )
    ordered = [*([defined] if defined is not None else []), *alike, *rows]
    return list(dict.fromkeys(ordered))
