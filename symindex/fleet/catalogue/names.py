"""Decides what a repository may be called, and which names cannot stand side by side.

The name is the first part of every path in answers, and a value of `repo:` in queries. So it reads
like a relative path on every system, and no name is a folder of another one.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final, TypeVar

LONGEST_NAME: Final = 200
"""Longest name, in characters."""

_SHOWN: Final = 60

_UNSAFE: Final = re.compile(r'[\\:*?"<>|]')
"""Characters with a meaning in paths of some system, in globs, or in queries."""

_BAD_REF: Final = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|\A[-/.]|[/.]\Z|/\.|\A@\Z|\A\Z")
"""Signs of a name that git accepts for no branch and no tag."""

_LONGEST_REF: Final = 200

_T = TypeVar("_T")


def why_bad_name(name: str) -> str:
    """Returns why no repository may have a name, or an empty text if one may."""
    if not name:
        return "it is empty"
    if len(name) > LONGEST_NAME:
        return f"it has {len(name):,} characters, more than {LONGEST_NAME}"
    if not name.isprintable():
        return "it contains a control character, a line break or an invisible character"
    if sign := _UNSAFE.search(name):
        return f"it contains {sign[0]}"
    for part in name.split("/"):
        if part in ("", ".", ".."):
            return f"its part {part!r} is no name of a folder"
        if part.startswith("-"):
            return f"its part {part!r} begins with a hyphen"
        if part.rstrip(". ").casefold() in (".git", "git~1"):
            return f"its part {part!r} is git's own"
        if part != part.strip():
            return f"its part {part!r} begins or ends with a blank"
    return ""


def why_bad_ref(ref: str) -> str:
    """Returns why git accepts no branch or tag of a name, or an empty text if it does."""
    if len(ref) > _LONGEST_REF:
        return f"it has {len(ref):,} characters, more than {_LONGEST_REF}"
    if not ref.isprintable() or _BAD_REF.search(ref) or ref.endswith(".lock") or ".lock/" in ref:
        return "git accepts no branch and no tag of that name"
    return ""


def clashes(named: Iterable[tuple[str, _T]]) -> Iterable[tuple[tuple[str, _T], tuple[str, _T]]]:
    """Yields the pairs of names that are equal, or of which the second is a folder of the first or
    the first of the second; all without regard to case. Of each name only its first clash."""
    seen: dict[str, tuple[str, _T]] = {}
    above: dict[str, tuple[str, _T]] = {}
    for pair in named:
        key = _folded(pair[0])
        parts = key.split("/")
        folders = ["/".join(parts[:n]) for n in range(1, len(parts))]
        other = seen.get(key) or above.get(key)
        other = other or next((seen[folder] for folder in folders if folder in seen), None)
        if other is not None:
            yield other, pair
            continue
        seen[key] = pair
        for folder in folders:
            above.setdefault(folder, pair)


def shown_name(name: str) -> str:
    """Returns a name for a message: quoted, and not too long."""
    return repr(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}...")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())
