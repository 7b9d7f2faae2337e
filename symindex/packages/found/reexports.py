"""Finds what a module offers that is defined elsewhere: `from .api import get`,
`export * from './client'`.

Code uses packages by other names than those of the defining files. The lines that connect them are
few and simple, so they are read as text, by patterns. Nothing is run; a name that the patterns miss
is only not found this way.
"""

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from posixpath import dirname, join, normpath
from typing import Any, Final, NamedTuple

EVERYTHING: Final = "*"
DEFAULT: Final = "default"
"""JavaScript's name for the thing that represents a module."""


class Reexport(NamedTuple):
    """The origin of a module's name.

    module: as the file writes it; empty for the file itself. original: the name there; empty for
    the module itself. is_instance: the name is a value of that type, so it only leads to members.
    """

    module: str
    original: str
    is_instance: bool = False


class ModuleRules(NamedTuple):
    """How the modules of an ecosystem lead to others.

    leads: text and name -> re-exports, the surest first. files: path of a file, and a module that
    it names -> paths where the module may be; empty for another package, or for the same one by its
    full name.
    """

    leads: Callable[[str, str], Iterator[Reexport]]
    files: Callable[[str, str], list[str]]


def modules_in(base: str, endings: tuple[str, ...], indexes: tuple[str, ...]) -> list[str]:
    """Returns the files that a module without an ending may mean."""
    inner = [join(base, name) for name in indexes]
    return [*(f"{base}{ending}" for ending in endings if base), *inner]


# Python

_PYTHON_ENDINGS: Final = (".py", ".pyi")
_PYTHON_INDEXES: Final = ("__init__.py", "__init__.pyi")

_FROM: Final = re.compile(
    r"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^()]{0,50000}\)|[^\n(;]+)", re.MULTILINE
)
_IMPORT_AS: Final = re.compile(
    r"^[ \t]*import[ \t]+([\w.]+)[ \t]+as[ \t]+(\w+)[ \t]*(?:#.*)?$", re.MULTILINE
)
_IMPORT: Final = re.compile(
    r"^[ \t]*import[ \t]+(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*(?:#.*)?$", re.MULTILINE
)
_ALIAS: Final = re.compile(
    r"^((?:\w+[ \t]*=[ \t]*){1,9})([A-Za-z_][\w.]*)[ \t]*(?:#.*)?$", re.MULTILINE
)
_INSTANCE: Final = re.compile(
    r"^(\w+)[ \t]*(?::[ \t]*([A-Za-z_][\w.]*)[^=\n]*)?(?:=[ \t]*([A-Za-z_][\w.]*)\(|$)",
    re.MULTILINE,
)
_COMMENT: Final = re.compile(r"#[^\n]*")
_FOR_SYSTEM: Final = re.compile(
    r"""[ \t]*(?:el)?if[ \t]+\(?(?:sys\.platform|os\.name|platform\.system\(\))(?:[ \t]*==[ \t]*|\.startswith\()['"](\w+)['"]"""  # noqa: E501
)
_THIS_SYSTEM: Final = frozenset((sys.platform, os.name, platform.system()))
_LONGEST_BLOCK: Final = 5_000
"""How far above a line its condition is searched for, in characters."""


def python_leads(text: str, name: str) -> Iterator[Reexport]:
    for match in _ALIAS.finditer(text):
        if name in (part.strip() for part in match[1].split("=")) and match[2] != name:
            yield Reexport("", match[2])
    for match in _INSTANCE.finditer(text):
        if match[1] == name and (match[2] or match[3]):
            yield Reexport("", match[2] or match[3], is_instance=True)
    star_imports: list[Reexport] = []
    of_others: list[Reexport] = []
    joined = text.replace("\\\n", " ")
    for match in _FROM.finditer(joined):
        for part in _COMMENT.sub("", match[2]).strip("() \t\n").split(","):
            original, _, alias = part.strip().partition(" as ")
            if (alias or original).strip() == name:
                lead = Reexport(match[1], original.strip())
                if _is_for_another_system(joined, match.start()):
                    of_others.append(lead)
                else:
                    yield lead
            elif original == EVERYTHING:
                star_imports.append(Reexport(match[1], EVERYTHING))
    for match in _IMPORT_AS.finditer(text):
        if match[2] == name:
            yield Reexport(match[1], "")
    for match in _IMPORT.finditer(joined):
        if name in map(str.strip, match[1].split(",")):
            yield Reexport(name, "")
    yield from of_others
    yield from star_imports


def _is_for_another_system(text: str, start: int) -> bool:
    """Whether the line at `start` is in a block for another system:
    `if sys.platform == "win32":`."""
    indent = _indent(text[start : start + 200])
    lines = text[max(start - _LONGEST_BLOCK, 0) : start].split("\n") if indent else ()
    above = next((line for line in reversed(lines) if line.strip() and _indent(line) < indent), "")
    condition = _FOR_SYSTEM.match(above)
    return condition is not None and condition[1] not in _THIS_SYSTEM


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def python_files(path: str, module: str) -> list[str]:
    """Returns the files that a module may be: relative to the file, or else to the top of the
    package."""
    dots = len(module) - len(module.lstrip("."))
    base = dirname(path) if dots else ""
    for _ in range(dots - 1):
        base = dirname(base)
    return modules_in(
        join(base, *filter(None, module.split("."))), _PYTHON_ENDINGS, _PYTHON_INDEXES
    )


# JavaScript

_SCRIPT_ENDINGS: Final = (".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".js", ".mjs", ".cjs", ".jsx")
_SCRIPT_INDEXES: Final = tuple(f"index{ending}" for ending in _SCRIPT_ENDINGS)
_COMPILED: Final = re.compile(r"\.(?:[mc]?js|jsx|[mc]?ts|tsx)$")
_DECLARATION: Final = re.compile(r"\.d\.[mc]?ts$")

_STRING: Final = r"""['"]([^'"\n]{1,300})['"]"""
_EXPORTED: Final = re.compile(
    rf"\bexport\s+(?:type\s+)?\{{([^{{}}]{{0,50000}})\}}(?:\s*from\s*{_STRING})?"
)
_EXPORTED_ALL: Final = re.compile(
    rf"\bexport\s+(?:type\s+)?\*\s*(?:as\s+(\w+)\s+)?from\s*{_STRING}"
)
_IMPORTED: Final = re.compile(
    rf"^[ \t]*import\s+(?:type\s+)?([\w$*{{}}, \t\r\n]{{1,20000}}?)\s+from\s*{_STRING}",
    re.MULTILINE,
)
_REQUIRED: Final = re.compile(
    rf"\b(?:import|const|let|var)\s+([\w$]+)\s*=\s*(?:_interop\w+\(|__importDefault\()?require\(\s*{_STRING}\s*\)"
)
_SAME: Final = re.compile(
    r"\b(?:import|const|let|var)\s+([\w$]+)\s*=\s*([A-Za-z_$][\w$.]*)\s*(?:;|$)", re.MULTILINE
)
_ALL_OF_FILE: Final = re.compile(
    rf"\bmodule\.exports\s*=\s*require\(\s*{_STRING}\s*\)|^///\s*<reference\s+path={_STRING}",
    re.MULTILINE,
)
_ALL_OF_NAME: Final = re.compile(
    r"^[ \t]*(?:export\s*=|export\s+default|(?:exports\s*=\s*)?module\.exports\s*=)\s*([\w$]++)(?:\s*+;)?+[ \t\r]*+$",  # noqa: E501
    re.MULTILINE,
)
_TYPED: Final = re.compile(r"\b(?:const|let|var)\s+([\w$]+)\s*:\s*(typeof\s+)?([A-Za-z_$][\w$.]*)")
_GETTER: Final = re.compile(
    r"""\bdefineProperty\(exports,\s*['"]([\w$]+)['"],\s*\{[^{}]{0,200}\{\s*return\s+([\w$.]+);?\s*\}"""
)
_ON_EXPORTS: Final = re.compile(
    rf"\bexports\.([\w$]+)\s*=\s*(?:require\(\s*{_STRING}\s*\)|([\w$.]+)\s*[;\n])"
)


def script_leads(text: str, name: str) -> Iterator[Reexport]:
    imported = dict(_imported(text))
    for match in _EXPORTED.finditer(text):
        for original, exported in _listed(match[1]):
            if exported == name and match[2]:
                yield Reexport(match[2], original)
            elif exported == name and original in imported:
                yield imported[original]
            elif exported == name and original != name:
                yield Reexport("", original)
    for match in _EXPORTED_ALL.finditer(text):
        if match[1] == name:
            yield Reexport(match[2], "")
    for match in _ON_EXPORTS.finditer(text):
        if match[1] == name:
            yield Reexport(match[2], "") if match[2] else Reexport("", match[3])
    for pattern in _SAME, _GETTER:
        for match in pattern.finditer(text):
            if match[1] == name and match[2] != name:
                yield Reexport("", match[2])
    for match in _TYPED.finditer(text):
        if match[1] == name:
            yield Reexport("", match[3], is_instance=not match[2])
    if name == DEFAULT:
        for match in _ALL_OF_NAME.finditer(text):
            yield Reexport("", match[1])
    if name in imported:
        yield imported[name]
    for match in _EXPORTED_ALL.finditer(text):
        if not match[1]:
            yield Reexport(match[2], EVERYTHING)
    for match in _ALL_OF_FILE.finditer(text):
        yield Reexport(match[1] or f"./{match[2]}", EVERYTHING)
    for match in _ALL_OF_NAME.finditer(text):
        if match[1] in imported:
            yield Reexport(imported[match[1]].module, EVERYTHING)


def _listed(text: str) -> Iterator[tuple[str, str]]:
    """Yields the names in braces: (original name, name from outside)."""
    for part in text.split(","):
        words = part.split()
        words = words[1:] if words[:1] == ["type"] and len(words) > 1 else words
        if words:
            yield words[0], words[-1]


def _imported(text: str) -> Iterator[tuple[str, Reexport]]:
    for match in _IMPORTED.finditer(text):
        outside, _, inside = match[1].partition("{")
        for original, local in _listed(inside.partition("}")[0]):
            yield local, Reexport(match[2], original)
        for words in map(str.split, outside.split(",")):
            if words:
                yield words[-1], Reexport(match[2], "" if words[0] == EVERYTHING else DEFAULT)
    for match in _REQUIRED.finditer(text):
        yield match[1], Reexport(match[2], "")


def script_files(path: str, module: str) -> list[str]:
    """Returns the files that a relative module may be; nothing for another package."""
    if not module.startswith("."):
        return []
    return script_places(normpath(join(dirname(path), module)))


def script_places(base: str) -> list[str]:
    """Returns the files that a path in a package may mean; declarations first, because they say
    more."""
    bare = _DECLARATION.sub("", base)
    bare = _COMPILED.sub("", bare) if bare == base else bare
    base = "" if base == "." else base
    bare = "" if bare == "." else bare
    explicit = [base] if _COMPILED.search(base) else []
    return list(
        dict.fromkeys(
            [
                *(explicit if _DECLARATION.search(base) else []),
                *modules_in(bare, _SCRIPT_ENDINGS, ()),
                *explicit,
                *modules_in(base, (), _SCRIPT_INDEXES),
            ]
        )
    )


_MOST_ENTRIES: Final = 40


def script_entries(manifest: Mapping[str, Any], inner: str) -> list[str]:
    """Returns the files that a package offers under a path (empty for the package itself): first by
    its manifest, then by convention."""
    offered = manifest.get("exports")
    key = f"./{inner}" if inner else "."
    chosen = (
        offered.get(
            key,
            offered
            if not inner and not any(str(value).startswith(".") for value in offered)
            else None,
        )
        if (isinstance(offered, dict))
        else offered
        if not inner
        else None
    )
    values = [manifest.get(value) for value in ("types", "typings")] if not inner else []
    values += sorted(_strings(chosen, 0), key=lambda value: _DECLARATION.search(value) is None)[
        :_MOST_ENTRIES
    ]
    values += [manifest.get(value) for value in ("main", "module")] if not inner else []
    paths = [normpath(value.lstrip("/")) for value in values if isinstance(value, str)]
    newer = _newer_types(manifest, [*paths, "index.d.ts"]) if not inner else []
    places = [place for path in (*newer, *paths) for place in script_places(path)]
    return [
        value
        for value in dict.fromkeys([*places, *script_places(inner)])
        if not value.startswith("../")
    ]


def _newer_types(manifest: Mapping[str, Any], paths: Sequence[str]) -> list[str]:
    """Returns where the types for current compilers are, if the manifest's `typesVersions` says
    so."""
    ranges = manifest.get("typesVersions")
    newest = (
        next((ranges[value] for value in ranges if value.startswith((">", "*"))), None)
        if isinstance(ranges, dict)
        else None
    )
    moved = newest.get("*") if isinstance(newest, dict) else None
    below = (
        [value for value in moved if isinstance(value, str) and value.count("*") == 1]
        if isinstance(moved, list)
        else []
    )
    return [normpath(value.replace("*", path)) for path in paths for value in below[:_MOST_ENTRIES]]


def _strings(offered: object, depth: int) -> list[str]:
    if isinstance(offered, str):
        return [offered]
    if isinstance(offered, dict) and depth < 6:
        return [
            text
            for inner in list(offered.values())[:_MOST_ENTRIES]
            for text in _strings(inner, depth + 1)
        ]
    return []


_PYTHON: Final = ModuleRules(python_leads, python_files)
_SCRIPT: Final = ModuleRules(script_leads, script_files)

STANDARD_LIBRARY: Final = "python"
"""The ecosystem of a standard library whose modules are all files, except the compiled ones."""

MODULE_RULES: Final[Mapping[str, ModuleRules]] = {
    STANDARD_LIBRARY: _PYTHON,
    "pypi": _PYTHON,
    "npm": _SCRIPT,
}
"""Ecosystem -> the rules of its modules."""
