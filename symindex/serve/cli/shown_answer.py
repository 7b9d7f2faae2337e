"""Converts the paths in an answer from the root to the current folder, or to the style that the
user chose."""

import os
import re
from collections.abc import Callable
from copy import copy
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.protocol.explore import OutlineItem
from symindex.protocol.search import add_notices
from symindex.serve.cli.current_folder import CurrentFolder, Style

_Answer = TypeVar("_Answer")

_PATHS: Final = frozenset({"file_path", "renamed_from", "path", "at"})
"""Fields that contain a path, or a place."""

_LISTS: Final = frozenset({"candidates", "problem_places", "odd_encoding", "paths"})
"""Fields that contain several paths."""

_WORD: Final = re.compile(r"(?<![\w.@+~/-])[.@+~/-]*+\w[\w.@+~/-]*+")
"""A word of a message that may be a path."""

_MOST_WORDS: Final = 200
"""Most words of a message that are checked."""


def shown_text(folder: CurrentFolder, answer: _Answer, **typed: Any) -> _Answer:
    """Converts an answer for output as text. typed: fields of its request, as they were typed."""
    style = folder.style or "cwd"
    if folder.is_root(style):
        return answer
    turned: _Answer = _turned(folder, style, answer)
    request = getattr(turned, "request", None)
    if request is not None and typed:
        turned.request = msgspec.structs.replace(request, **typed)  # type: ignore[attr-defined]
    return turned


def shown_data(folder: CurrentFolder, answer: _Answer) -> _Answer:
    """Converts an answer for output as JSON: paths stay relative to the root unless --paths is
    given."""
    return shown_text(folder, answer) if folder.style is not None else answer


def with_shown_notices(folder: CurrentFolder, answer: _Answer) -> _Answer:
    """Returns a copy of an answer with only its notices converted."""
    shown = copy(answer)
    if getattr(shown, "notices", UNSET):
        shown.notices = [shown_message(folder, notice) for notice in shown.notices]  # type: ignore[attr-defined]
    return shown


def shown_message(folder: CurrentFolder, text: str) -> str:
    """Converts the words of a message that are paths in the source tree."""
    style = folder.style or "cwd"
    if folder.is_root(style):
        return text
    left = _MOST_WORDS
    for from_root, typed in folder.typed.items():
        text = text.replace(repr(from_root), repr(typed))

    def turned(word: re.Match[str]) -> str:
        nonlocal left
        left -= 1
        path = word[0].rstrip(".")
        if path in folder.typed:
            return folder.typed[path] + word[0][len(path) :]
        is_path = (
            left > 0
            and ("/" in path or "." in path)
            and not os.path.isabs(path)
            and os.path.lexists(folder.root / path)
        )
        return folder.shown(path) + word[0][len(path) :] if is_path else word[0]

    return _WORD.sub(turned, text)


def ask_for_symbol(folder: CurrentFolder, ask: Callable[[str], _Answer], text: str) -> _Answer:
    """Answers for a typed symbol. Its path is relative to the current folder, or to the root as in
    JSON. If both name a symbol, the one from the current folder wins, and a notice names the
    other."""
    meant = folder.symbol(text)
    if not folder.is_also_from_root(text):
        return ask(meant)
    try:
        answer = ask(meant)
    except RequestError:
        return ask(text)
    if not _has_found(answer):
        return ask(text)
    try:
        is_other = _has_found(ask(text))
    except RequestError:
        is_other = False
    if is_other:
        notice = f"relative to the root, {text} names another symbol: {folder.shown(text)}"
        add_notices(answer, [notice])  # type: ignore[arg-type]
    return answer


def _has_found(answer: object) -> bool:
    return bool(
        getattr(answer, "total", None)
        or getattr(answer, "at_least", None)
        or getattr(answer, "symbol", None)
    )


def _turned(folder: CurrentFolder, style: Style, value: Any) -> Any:
    if isinstance(value, list):
        return [_turned(folder, style, element) for element in value]
    if not isinstance(value, msgspec.Struct) or getattr(value, "space", UNSET) not in (
        UNSET,
        None,
        "project",
    ):
        return value
    moved = copy(value)
    for name in value.__struct_fields__:
        field_value = getattr(value, name)
        if (field_value and name != "request") or name == "path":  # an empty path is the root
            setattr(moved, name, _field(folder, style, value, name, field_value))
    return moved


def _field(folder: CurrentFolder, style: Style, owner: Any, name: str, value: Any) -> Any:
    """Returns the value of a field, with its paths converted."""
    if isinstance(value, str):
        return (
            folder.shown(value, style) if name in _PATHS or _is_path(owner, name, value) else value
        )
    if name == "notices":
        return [shown_message(folder, element) for element in value]
    if name in _LISTS and isinstance(value[0], str):
        return [folder.shown(element, style) for element in value]
    if name == "most":  # of references: files with their counts
        return [(folder.shown(path, style), count) for path, count in value]
    return _turned(folder, style, value)


def _is_path(owner: Any, name: str, value: str) -> bool:
    """Whether a field contains a path, judging by the other fields."""
    if name == "symbol":  # the id of the symbol that is referred to
        return "#" in value
    if name == "name":
        return isinstance(owner, OutlineItem) and owner.kind in ("folder", "file")
    if name == "id" and isinstance(owner, OutlineItem):
        return True
    place = getattr(owner, "file_path", "") or (
        getattr(owner, "source", "") if hasattr(owner, "result_origin") else ""
    )
    if name == "source" and hasattr(owner, "result_origin"):
        return owner.id.startswith(value) or owner.type not in ("document", "note")
    return name == "id" and bool(place) and value.startswith((f"{place}#", f"{place}:"))
