"""Extracts the qualified name from a mangled one of C++ (Itanium ABI) or Rust: its identifiers,
without types and arguments.

Each identifier follows its length: https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling and
https://doc.rust-lang.org/rustc/symbol-mangling/v0.html.
"""

import re
from typing import Final

_MANGLED: Final = re.compile(r"_{1,2}(?:Z|R)[\w.$@]+")
_NESTED: Final = re.compile(r"_?_Z(?:L|TW|Th[n\d]+_)?N?[rVK]*[RO]?(?:St|Sa|Ss)?")
_LENGTH: Final = re.compile(r"L?(\d+)")


def demangle(text: str) -> str:
    """Returns the qualified name, or the text itself if it is not mangled."""
    if _MANGLED.fullmatch(text) is None:
        return text
    parts = _rust_parts(text) if text.lstrip("_").startswith("R") else _itanium_parts(text)
    return "::".join(parts) or text


def _itanium_parts(text: str) -> list[str]:
    opened = _NESTED.match(text)
    position = opened.end() if opened is not None else 2
    is_nested = "N" in text[:position]
    parts: list[str] = []
    while (length := _LENGTH.match(text, position)) is not None:
        end = length.end() + int(length[1])
        parts.append(text[length.end() : end])
        position = end
        if text[position : position + 1] == "I":  # type arguments
            position = _behind_arguments(text, position)
        if text[position : position + 2] in ("C1", "C2", "C3", "D0", "D1", "D2"):
            parts.append(("~" if text[position] == "D" else "") + parts[-1])
        if not is_nested:
            break
    return [part for part in parts if part != "_GLOBAL__N_1"]


def _behind_arguments(text: str, start: int) -> int:
    """Returns the end of the type arguments that begin at a place."""
    depth, place = 0, start
    while place < len(text):
        length = _LENGTH.match(text, place)
        if length is not None and text[place - 1] not in "LS":
            place = length.end() + int(length[1])
            continue
        if text[place] in "INXJ":
            depth += 1
        elif text[place] == "E":
            depth -= 1
            if not depth:
                return place + 1
        place += 1
    return place


def _rust_parts(text: str) -> list[str]:
    parts: list[str] = []
    position = 2
    while (match := re.compile(r"(?:s[\da-zA-Z]*_)?u?(\d+)_?").search(text, position)) is not None:
        end = match.end() + int(match[1])
        if int(match[1]):
            parts.append(text[match.end() : end])
        position = max(end, match.end())
    return parts
