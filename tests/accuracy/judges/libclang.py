"""libclang: every declaration and macro in a file of C, C++ or Objective-C, except those that a
macro makes and those that `#if` leaves out.

After the language, the command takes compiler options such as the paths of headers (`-I`).
"""

import ctypes
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from clang.cindex import (
    Config,
    CursorKind,
    Index,
    LinkageKind,
    SourceRange,
    TranslationUnit,
    TranslationUnitLoadError,
    TypeKind,
)

K = CursorKind
KINDS = {
    K.OBJC_INTERFACE_DECL: "objcClass", K.OBJC_IMPLEMENTATION_DECL: "implementation", K.OBJC_PROTOCOL_DECL: "protocol",
    K.OBJC_CATEGORY_DECL: "category", K.OBJC_CATEGORY_IMPL_DECL: "category", K.OBJC_INSTANCE_METHOD_DECL: "message",
    K.OBJC_CLASS_METHOD_DECL: "message", K.OBJC_PROPERTY_DECL: "property", K.OBJC_IVAR_DECL: "field",
    K.FUNCTION_DECL: "function", K.CXX_METHOD: "method", K.CONSTRUCTOR: "constructor", K.DESTRUCTOR: "destructor",
    K.STRUCT_DECL: "struct", K.CLASS_DECL: "class", K.UNION_DECL: "union", K.ENUM_DECL: "enum",
    K.ENUM_CONSTANT_DECL: "enumerator",
    K.FIELD_DECL: "field", K.TYPEDEF_DECL: "typedef", K.TYPE_ALIAS_DECL: "typedef", K.VAR_DECL: "variable",
    K.MACRO_DEFINITION: "macro", K.NAMESPACE: "namespace", K.FUNCTION_TEMPLATE: "functionTemplate",
    K.CLASS_TEMPLATE: "classTemplate", K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION: "classTemplate", 
    K.CONVERSION_FUNCTION: "conversion",
}  # fmt: skip
SCOPES = {
    "struct",
    "class",
    "union",
    "enum",
    "namespace",
    "classTemplate",
    "implementation",
    "protocol",
    "category",
    "objcClass",
}
TYPES = {"struct", "class", "union", "enum"}
MODES = {
    "c": "-x c -std=gnu11", "cpp": "-x c++ -std=c++20",
    "objc": "-x objective-c -std=gnu11 -fobjc-runtime=gnustep-2.0 -fblocks -fexceptions -fobjc-exceptions",
}  # fmt: skip
KEEP_GOING = 0x200
"""`CXTranslationUnit_KeepGoing`, which the binding does not name."""

OPERATOR = re.compile(rb"operator\b\s*(?:\(\s*\)|[^\s(][^(;]*|)")
UNNAMED = ("(unnamed", "(anonymous")


class Ranges(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint), ("ranges", ctypes.POINTER(SourceRange))]


def skipped(unit: TranslationUnit, path: str) -> list[tuple[int, int]]:
    """Returns the lines that `#if` leaves out."""
    library = Config().lib
    library.clang_getSkippedRanges.restype = ctypes.POINTER(Ranges)
    ranges = library.clang_getSkippedRanges(unit, unit.get_file(path))
    if not ranges:
        return []
    return [
        (span.start.line, span.end.line) for span in ranges.contents.ranges[: ranges.contents.count]
    ]


def name_of(cursor: object) -> str:
    name = cursor.spelling
    if cursor.kind in (
        K.FUNCTION_TEMPLATE,
        K.CLASS_TEMPLATE,
        K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
        K.CONSTRUCTOR,
        K.DESTRUCTOR,
    ):
        name = name.partition("<")[0] if not name.startswith("operator") else name
    if cursor.kind in (K.OBJC_CATEGORY_DECL, K.OBJC_CATEGORY_IMPL_DECL):
        name = next(
            (child.spelling for child in cursor.get_children() if child.kind == K.OBJC_CLASS_REF),
            "",
        )
    return name


def typed_names(cursor: object, path: str, names: dict[tuple[int, int], str]) -> None:
    """Adds to `names`, by the place of each unnamed type, the first typedef, member or variable of
    that type."""
    for child in cursor.get_children():
        if child.location.file is None or child.location.file.name != path:
            continue
        kind = kind_of(child)
        if kind in ("typedef", "field", "variable"):
            of = child.underlying_typedef_type if kind == "typedef" else child.type
            while of.kind in (TypeKind.POINTER, TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
                of = of.get_pointee() if of.kind == TypeKind.POINTER else of.element_type
            place = of.get_declaration().location
            names.setdefault((place.line, place.column), child.spelling)
        elif kind is None or kind in SCOPES:
            typed_names(child, path, names)


def container_of(cursor: object, names: dict[tuple[int, int], str]) -> str:
    """Returns the names of the semantic parents, joined by dots. An unnamed type gets the name of
    the first declaration of that type."""
    parts: list[str] = []
    parent = cursor.semantic_parent
    while parent is not None and parent.kind != K.TRANSLATION_UNIT:
        name = name_of(parent)
        if name and any(word in name for word in UNNAMED):
            name = names.get((parent.location.line, parent.location.column), "")
        if name:
            parts.append(name)
        parent = parent.semantic_parent
    return ".".join(reversed(parts))


def kind_of(cursor: object) -> str | None:
    try:
        return KINDS.get(cursor.kind)
    except ValueError:  # the binding is too old for this kind
        return None


def walk(
    cursor: object,
    path: str,
    lines: Sequence[bytes],
    names: dict[tuple[int, int], str],
    out: set[tuple[int, str, str | None, str]],
) -> None:
    for child in cursor.get_children():
        place = child.location
        if place.file is None or place.file.name != path:
            if (
                child.kind in (K.NAMESPACE, K.LINKAGE_SPEC, K.UNEXPOSED_DECL)
                and child.extent.start.file
                and child.extent.start.file.name == path
            ):
                walk(child, path, lines, names, out)
            continue
        kind = kind_of(child)
        if kind:
            name = name_of(child)
            text = lines[place.line - 1][place.column - 1 :] if place.line <= len(lines) else b""
            if name.startswith("operator") and (written := OPERATOR.match(text)):
                name = " ".join(written[0].decode("utf-8", "replace").split())
            start = child.extent.start
            # A method begins with its sign; without one, it belongs to a property.
            if kind == "message" and lines[start.line - 1][start.column - 1 : start.column] not in (
                b"+",
                b"-",
            ):
                continue
            written = name.partition(":")[0] if kind == "message" else name
            if name and b" ".join(text.split()).startswith(written.encode()):
                if kind in TYPES and not child.is_definition():
                    kind = "forward"
                container = None if kind == "macro" else container_of(child, names)
                local = child.linkage == LinkageKind.NO_LINKAGE and kind == "variable"
                if not local:
                    out.add((place.line, name, container, kind))
        if kind is None or kind in SCOPES:
            walk(child, path, lines, names, out)


def main() -> None:
    language = sys.argv[1]
    arguments = [*MODES[language].split(), "-ferror-limit=0", *sys.argv[2:]]
    builtin = sorted(Path("/usr/lib/gcc").glob("*/*/include"))
    arguments += [f"-isystem{builtin[-1]}"] if builtin else []
    options = (
        TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        | TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
        | TranslationUnit.PARSE_INCOMPLETE
    )
    # Projects in Objective-C generate a header when they are built; without it, parsing would stop.
    if language == "objc":
        options |= KEEP_GOING
    index = Index.create()
    for path in sys.stdin.read().splitlines():
        parents = [f"-I{folder}" for folder in list(Path(path).parents)[:4]] + [
            f"-I{folder}/include" for folder in list(Path(path).parents)[:4]
        ]
        try:
            unit = index.parse(path, [*arguments, *parents], options=options)
        except TranslationUnitLoadError as error:
            print(json.dumps({"path": path, "error": str(error)}))
            continue
        symbols: set[tuple[int, str, str | None, str]] = set()
        with open(path, "rb") as file:
            names: dict[tuple[int, int], str] = {}
            typed_names(unit.cursor, path, names)
            walk(unit.cursor, path, file.read().split(b"\n"), names, symbols)
        for start, end in skipped(unit, path):
            print(json.dumps({"path": path, "skip": [start, end]}))
        for line, name, container, kind in sorted(symbols, key=str):
            print(
                json.dumps(
                    {"path": path, "line": line, "name": name, "container": container, "kind": kind}
                )
            )


main()
