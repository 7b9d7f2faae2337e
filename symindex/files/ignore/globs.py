r"""Globs as git reads them (its wildmatch.c) to regular expressions: `*`, `?`, `[a-z]`, `[[:alpha:]]`, `\`, `**` between slashes.

No glob takes long, however many stars it has: where a piece between two stars is found first is as good as where it is found
later, so each piece is an atomic group and no place is tried twice.
"""

import re
from typing import Final, NamedTuple

NEXT_PART: Final = r".*?(?<![^/])"
"""The expression of whole parts of a path, none or more, at the beginning of one."""

_STAR: Final = "*"
_STARS: Final = "**"

_CLASSES: Final = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9", "graph": "!-~",
    "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": r" \t-\r", "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
"""The classes of POSIX in the C locale, which is git's."""


class Glob(NamedTuple):
    """regex: of all that the glob says, to be put between a beginning and an end. is_name: it holds no slash, and is asked of
    the last part of a path alone. only_folders: it ends with a slash."""

    regex: str
    is_name: bool
    only_folders: bool


def parse_glob(glob: str) -> Glob | None:
    """The expression of a glob; `None` where nothing can match it, as where a bracket is not closed."""
    only_folders = glob.endswith("/")
    path = glob.removesuffix("/")
    is_name = "/" not in path
    parts = _split(path.removeprefix("/"))
    if parts is None or not all(parts):
        return None
    return Glob(_part(parts[0]) if is_name else _path(parts), is_name, only_folders)


def plain_glob(glob: str) -> str:
    r"""A glob as users write it for paths, in git's spelling: `./src` is `src`, and `src\lib` is `src/lib`."""
    return "*" if glob in (".", "./") else glob.removeprefix("./").replace("\\", "/")


def path_regex(glob: str) -> str | None:
    """The expression, to be matched at the beginning of a path, of what a glob for paths lets through, as in .gitignore and
    ripgrep's -g: without a slash inside it matches a name at any depth, and a folder's name matches all below it.

    `None` where nothing can match it.
    """
    parsed = parse_glob(plain_glob(glob))
    if parsed is None:
        return None
    below = "/" if parsed.only_folders else r"(?:/|\Z)"
    return (NEXT_PART if parsed.is_name else "") + parsed.regex + below


def _split(path: str) -> list[list[str]] | None:
    """The parts between slashes; each a list of stars and expressions of one character."""
    parts: list[list[str]] = [[]]
    at = 0
    while at < len(path):
        character = path[at]
        if character == "[":
            read = _read_class(path, at)
            if read is None:
                return None
            expression, at = read
            parts[-1].append(expression)
            continue
        at += 1
        if character == "*":
            many = path.startswith("*", at)
            while path.startswith("*", at):
                at += 1
            parts[-1].append(_STARS if many else _STAR)
        elif character == "?":
            parts[-1].append("[^/]")
        elif character == "/":
            parts.append([])
        elif character != "\\":
            parts[-1].append(re.escape(character))
        elif at < len(path):
            parts[-1].append(re.escape(path[at]))
            at += 1
        else:
            return None
    return parts


def _read_class(path: str, at: int) -> tuple[str, int] | None:
    """The expression of the class that opens at `at`, and where it ends; `None` where it does not end or names no class."""
    at += 1
    negated = path[at : at + 1] in ("!", "^")
    at += negated
    ranges: list[str] = []
    previous = ""
    first = at
    while at < len(path) and (path[at] != "]" or at == first):
        character = path[at]
        if character == "-" and previous and path[at + 1 : at + 2] not in ("", "]"):
            at += 2 if path[at + 1] == "\\" else 1
            if at < len(path) and previous <= path[at]:
                ranges.append(f"{re.escape(previous)}-{re.escape(path[at])}")
            previous = ""
        elif character == "[" and (named := re.compile(r"\[:([^\]]*):\]").match(path, at)):
            if named[1] not in _CLASSES:
                return None
            ranges.append(_CLASSES[named[1]])
            at, previous = named.end() - 1, ""
        else:
            at += character == "\\"
            previous = path[at : at + 1]
            ranges.append(re.escape(previous))
        at += 1
    return (f"(?!/)[{'^' * negated}{''.join(ranges)}]", at + 1) if at < len(path) else None


def _path(parts: list[list[str]]) -> str:
    """The parts with slashes between; `**` alone in a part stands for any number of parts."""
    expression, run = "", ""
    after_stars = False
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        if part != [_STARS]:
            run += _part(part) + ("" if is_last else "/")
        elif is_last:
            run += ".+"
        if is_last or part == [_STARS]:
            if after_stars and run:
                run = NEXT_PART + run
                expression += run if is_last else f"(?>{run})"
            else:
                expression += run
            after_stars, run = part == [_STARS], ""
    return expression


def _part(part: list[str]) -> str:
    runs = [""]
    for piece in part:
        if piece in (_STAR, _STARS):
            runs.append("")
        else:
            runs[-1] += piece
    if len(runs) == 1:
        return runs[0]
    if not any(runs):
        return "[^/]+"
    first, *middle, last = runs
    return first + "".join(f"(?>[^/]*?{run})" for run in middle if run) + "[^/]*" + last
