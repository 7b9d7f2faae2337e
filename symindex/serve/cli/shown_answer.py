"""Answers whose paths are as the person reads them: those from the root are turned into those from
the current folder."""

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
"""Fields that hold a path, or a place."""

_LISTS: Final = frozenset({"candidates", "problem_places", "odd_encoding", "paths"})
"""Fields that hold several."""

_WORD: Final = re.compile(r"(?<![\w.@+~/-])[.@+~/-]*+\w[\w.@+~/-]*+")
"""What in a message may be a path."""

_MOST_WORDS: Final = 200
"""So many words of a message are looked at."""


def shown_text(folder: CurrentFolder, answer: _Answer, **typed: Any) -> _Answer:
    """An answer for text. typed: fields of its request as they were typed."""
    style = folder.style or "cwd"
    if folder.is_root(style):
        return answer
    turned: _Answer = _turned(folder, style, answer)
    request = getattr(turned, "request", None)
    if request is not None and typed:
        turned.request = msgspec.structs.replace(request, **typed)  # type: ignore[attr-defined]
    return turned


def shown_data(folder: CurrentFolder, answer: _Answer) -> _Answer:
    """An answer for JSON, whose paths are from the root unless others were asked for."""
    return shown_text(folder, answer) if folder.style is not None else answer


def with_shown_notices(folder: CurrentFolder, answer: _Answer) -> _Answer:
    """An answer of which the notices alone are turned."""
    told = copy(answer)
    if getattr(told, "notices", UNSET):
        told.notices = [shown_message(folder, each) for each in told.notices]  # type: ignore[attr-defined]
    return told


def shown_message(folder: CurrentFolder, text: str) -> str:
    """A message: its words that name something of the tree are turned."""
    style = folder.style or "cwd"
    if folder.is_root(style):
        return text
    left = _MOST_WORDS
    for found, typed in folder.typed.items():
        text = text.replace(repr(found), repr(typed))

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
    """The answer about a symbol that was typed. Its path is from the current folder, or from the
    root, as in JSON: where both mean something, the current folder's wins, and the other is
    said."""
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
        add_notices(answer, [f"from the root, {text} is another symbol: {folder.shown(text)}"])  # type: ignore[arg-type]
    return answer


def _has_found(answer: object) -> bool:
    return bool(
        getattr(answer, "total", None)
        or getattr(answer, "at_least", None)
        or getattr(answer, "symbol", None)
    )


def _turned(folder: CurrentFolder, style: Style, value: Any) -> Any:
    if isinstance(value, list):
        return [_turned(folder, style, each) for each in value]
    if not isinstance(value, msgspec.Struct) or getattr(value, "space", UNSET) not in (
        UNSET,
        None,
        "project",
    ):
        return value
    moved = copy(value)
    for name in value.__struct_fields__:
        held = getattr(value, name)
        if (held and name != "request") or name == "path":  # an empty path is the root's
            setattr(moved, name, _field(folder, style, value, name, held))
    return moved


def _field(folder: CurrentFolder, style: Style, owner: Any, name: str, held: Any) -> Any:
    """The value of a field, turned."""
    if isinstance(held, str):
        return folder.shown(held, style) if name in _PATHS or _is_path(owner, name, held) else held
    if name == "notices":
        return [shown_message(folder, each) for each in held]
    if name in _LISTS and isinstance(held[0], str):
        return [folder.shown(each, style) for each in held]
    if name == "most":  # of references: files with their counts
        return [(folder.shown(path, style), count) for path, count in held]
    return _turned(folder, style, held)


def _is_path(owner: Any, name: str, held: str) -> bool:
    """Whether a field holds a path by what stands beside it."""
    if name == "symbol":  # the id of what references are of
        return "#" in held
    if name == "name":
        return isinstance(owner, OutlineItem) and owner.kind in ("folder", "file")
    if name == "id" and isinstance(owner, OutlineItem):
        return True
    place = getattr(owner, "file_path", "") or (
        getattr(owner, "source", "") if hasattr(owner, "result_origin") else ""
    )
    if name == "source" and hasattr(owner, "result_origin"):
        return owner.id.startswith(held) or owner.type not in ("document", "note")
    return name == "id" and bool(place) and held.startswith((f"{place}#", f"{place}:"))
