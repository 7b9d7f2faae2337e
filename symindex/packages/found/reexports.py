"""What a module offers that is defined elsewhere: `from .api import get`,
`export * from './client'`.

Packages are used by other names than those of the files where things are defined. The lines that
say so are few and plain, so they are read as text, by patterns. Nothing is run, and what the
patterns do not see is only not found this way.
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
"""What JavaScript calls the thing that stands for a module."""


class Lead(NamedTuple):
    """Where a name of a module comes from. module: as the file writes it; empty: the file itself.
    original: the name there; empty: the module itself. is_instance: the name is of a thing of that
    type, so it leads to members alone."""

    module: str
    original: str
    is_instance: bool = False


class Way(NamedTuple):
    """How an ecosystem's modules lead to others. leads: of a text and a name, the surest first.
    files: of the path of a file and a module it names, the paths where that may stand; none where
    the module is of another package, or of the same by its full name."""

    leads: Callable[[str, str], Iterator[Lead]]
    files: Callable[[str, str], list[str]]


def modules_in(base: str, endings: tuple[str, ...], indexes: tuple[str, ...]) -> list[str]:
    """The files that a module without an ending may be."""
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
"""How far above a line the condition is looked for that it depends on."""


def python_leads(text: str, name: str) -> Iterator[Lead]:
    for found in _ALIAS.finditer(text):
        if name in (each.strip() for each in found[1].split("=")) and found[2] != name:
            yield Lead("", found[2])
    for found in _INSTANCE.finditer(text):
        if found[1] == name and (found[2] or found[3]):
            yield Lead("", found[2] or found[3], is_instance=True)
    whole: list[Lead] = []
    of_others: list[Lead] = []
    joined = text.replace("\\\n", " ")
    for found in _FROM.finditer(joined):
        for each in _COMMENT.sub("", found[2]).strip("() \t\n").split(","):
            original, _, other = each.strip().partition(" as ")
            if (other or original).strip() == name:
                lead = Lead(found[1], original.strip())
                if _is_for_another_system(joined, found.start()):
                    of_others.append(lead)
                else:
                    yield lead
            elif original == EVERYTHING:
                whole.append(Lead(found[1], EVERYTHING))
    for found in _IMPORT_AS.finditer(text):
        if found[2] == name:
            yield Lead(found[1], "")
    for found in _IMPORT.finditer(joined):
        if name in map(str.strip, found[1].split(",")):
            yield Lead(name, "")
    yield from of_others
    yield from whole


def _is_for_another_system(text: str, at: int) -> bool:
    """Whether the line that begins at a place is in a block for another system than this one:
    `if sys.platform == "win32":`."""
    indent = _indent(text[at : at + 200])
    lines = text[max(at - _LONGEST_BLOCK, 0) : at].split("\n") if indent else ()
    above = next((line for line in reversed(lines) if line.strip() and _indent(line) < indent), "")
    found = _FOR_SYSTEM.match(above)
    return found is not None and found[1] not in _THIS_SYSTEM


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def python_files(path: str, module: str) -> list[str]:
    """Of a relative module, its place; of another, its place beside the top of the package."""
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


def script_leads(text: str, name: str) -> Iterator[Lead]:
    imported = dict(_imported(text))
    for found in _EXPORTED.finditer(text):
        for original, known in _listed(found[1]):
            if known == name and found[2]:
                yield Lead(found[2], original)
            elif known == name and original in imported:
                yield imported[original]
            elif known == name and original != name:
                yield Lead("", original)
    for found in _EXPORTED_ALL.finditer(text):
        if found[1] == name:
            yield Lead(found[2], "")
    for found in _ON_EXPORTS.finditer(text):
        if found[1] == name:
            yield Lead(found[2], "") if found[2] else Lead("", found[3])
    for pattern in _SAME, _GETTER:
        for found in pattern.finditer(text):
            if found[1] == name and found[2] != name:
                yield Lead("", found[2])
    for found in _TYPED.finditer(text):
        if found[1] == name:
            yield Lead("", found[3], is_instance=not found[2])
    if name == DEFAULT:
        for found in _ALL_OF_NAME.finditer(text):
            yield Lead("", found[1])
    if name in imported:
        yield imported[name]
    for found in _EXPORTED_ALL.finditer(text):
        if not found[1]:
            yield Lead(found[2], EVERYTHING)
    for found in _ALL_OF_FILE.finditer(text):
        yield Lead(found[1] or f"./{found[2]}", EVERYTHING)
    for found in _ALL_OF_NAME.finditer(text):
        if found[1] in imported:
            yield Lead(imported[found[1]].module, EVERYTHING)


def _listed(text: str) -> Iterator[tuple[str, str]]:
    """The names in braces, each with that by which it is known."""
    for each in text.split(","):
        words = each.split()
        words = words[1:] if words[:1] == ["type"] and len(words) > 1 else words
        if words:
            yield words[0], words[-1]


def _imported(text: str) -> Iterator[tuple[str, Lead]]:
    for found in _IMPORTED.finditer(text):
        outside, _, inside = found[1].partition("{")
        for original, known in _listed(inside.partition("}")[0]):
            yield known, Lead(found[2], original)
        for words in map(str.split, outside.split(",")):
            if words:
                yield words[-1], Lead(found[2], "" if words[0] == EVERYTHING else DEFAULT)
    for found in _REQUIRED.finditer(text):
        yield found[1], Lead(found[2], "")


def script_files(path: str, module: str) -> list[str]:
    """Of a relative module, its place; none of a package."""
    if not module.startswith("."):
        return []
    return script_places(normpath(join(dirname(path), module)))


def script_places(base: str) -> list[str]:
    """The files that a path in a package may mean; declarations first, for they say more."""
    bare = _DECLARATION.sub("", base)
    bare = _COMPILED.sub("", bare) if bare == base else bare
    base = "" if base == "." else base
    bare = "" if bare == "." else bare
    named = [base] if _COMPILED.search(base) else []
    return list(
        dict.fromkeys(
            [
                *(named if _DECLARATION.search(base) else []),
                *modules_in(bare, _SCRIPT_ENDINGS, ()),
                *named,
                *modules_in(base, (), _SCRIPT_INDEXES),
            ]
        )
    )


_MOST_ENTRIES: Final = 40


def script_entries(manifest: Mapping[str, Any], inner: str) -> list[str]:
    """The files that a package offers under a path, empty for itself, as its manifest says and then
    by custom."""
    offered = manifest.get("exports")
    key = f"./{inner}" if inner else "."
    chosen = (
        offered.get(
            key,
            offered
            if not inner and not any(str(each).startswith(".") for each in offered)
            else None,
        )
        if (isinstance(offered, dict))
        else offered
        if not inner
        else None
    )
    named = [manifest.get(each) for each in ("types", "typings")] if not inner else []
    named += sorted(_strings(chosen, 0), key=lambda each: _DECLARATION.search(each) is None)[
        :_MOST_ENTRIES
    ]
    named += [manifest.get(each) for each in ("main", "module")] if not inner else []
    paths = [normpath(each.lstrip("/")) for each in named if isinstance(each, str)]
    newer = _newer_types(manifest, [*paths, "index.d.ts"]) if not inner else []
    own = [place for path in (*newer, *paths) for place in script_places(path)]
    return [
        each for each in dict.fromkeys([*own, *script_places(inner)]) if not each.startswith("../")
    ]


def _newer_types(manifest: Mapping[str, Any], paths: Sequence[str]) -> list[str]:
    """Where the types of a package stand for compilers that are not old, if its `typesVersions`
    says so."""
    ranges = manifest.get("typesVersions")
    newest = (
        next((ranges[each] for each in ranges if each.startswith((">", "*"))), None)
        if isinstance(ranges, dict)
        else None
    )
    moved = newest.get("*") if isinstance(newest, dict) else None
    below = (
        [each for each in moved if isinstance(each, str) and each.count("*") == 1]
        if isinstance(moved, list)
        else []
    )
    return [normpath(each.replace("*", path)) for path in paths for each in below[:_MOST_ENTRIES]]


def _strings(offered: object, depth: int) -> list[str]:
    if isinstance(offered, str):
        return [offered]
    if isinstance(offered, dict) and depth < 6:
        return [
            found
            for each in list(offered.values())[:_MOST_ENTRIES]
            for found in _strings(each, depth + 1)
        ]
    return []


_PYTHON: Final = Way(python_leads, python_files)
_SCRIPT: Final = Way(script_leads, script_files)

STANDARD_LIBRARY: Final = "python"
"""The ecosystem of a standard library whose modules are all files, but for what is compiled."""

WAYS: Final[Mapping[str, Way]] = {STANDARD_LIBRARY: _PYTHON, "pypi": _PYTHON, "npm": _SCRIPT}
"""By ecosystem."""
