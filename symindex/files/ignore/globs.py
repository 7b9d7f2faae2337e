r"""Globs as git reads them (its wildmatch.c) to regular expressions: `*`, `?`, `[a-z]`,
`[[:alpha:]]`, `\`, `**` between slashes.

No glob takes long, however many stars it has: if the first occurrence of a piece between two stars
leads to no match, no later one does. So each piece is an atomic group, and nothing is tried twice.
"""

import re
from typing import Final, NamedTuple

NEXT_PART: Final = r".*?(?<![^/])"
"""Matches any number of whole parts of a path, from the beginning of a part on."""

_STAR: Final = "*"
_STARS: Final = "**"

_TOKEN: Final = re.compile(
    r"(?P<stars>\*+)|(?P<slash>/)|(?P<any>\?)|\\(?P<escaped>.)|(?P<plain>[^\\])", re.DOTALL
)

_ELEMENT: Final = re.compile(r"\[:([^\]]*):\]|\\?(.)(?:-(?!\])\\?(.))?", re.DOTALL)
"""Of a bracket: a named class, or a character and perhaps the end of its range."""

_CLASSES: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t-\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
"""The classes of POSIX in the C locale, which is git's."""


class Glob(NamedTuple):
    """regex: for the whole glob, without anchors. is_name: whether the glob holds no slash, so that
    it is matched against the last part of a path alone. only_folders: whether it ends with a
    slash."""

    regex: str
    is_name: bool
    only_folders: bool


def parse_glob(glob: str) -> Glob | None:
    """The expression of a glob; `None` for one that can match nothing, for instance because a
    bracket is not closed."""
    only_folders = glob.endswith("/")
    path = glob.removesuffix("/")
    is_name = "/" not in path
    parts = _split(path.removeprefix("/"))
    if parts is None or not all(parts):
        return None
    return Glob(_part(parts[0]) if is_name else _path(parts), is_name, only_folders)


def plain_glob(glob: str) -> str:
    r"""A glob as users write it for paths, in git's spelling: `./src` is `src`, and `src\lib` is
    `src/lib`."""
    return "*" if glob in (".", "./") else glob.removeprefix("./").replace("\\", "/")


def path_regex(glob: str) -> str | None:
    """The expression, to be matched from the beginning of a path, of a glob for paths. As in
    .gitignore and ripgrep's -g, a glob without an inner slash matches a name at any depth, and a
    folder's name matches all files below it; as in shells and editors, `{a,b}` is either of both. A
    name may hold brackets (`app/[id]/page.tsx`), so that they stand for themselves, too.

    `None` for one that can match nothing, or has too many braces.
    """
    forms = _without_braces(plain_glob(glob))
    expressions = [_path_regex(form) for form in forms]
    named = (
        _path_regex(form.replace("[", "[[]"))
        for form, expression in zip(forms, expressions, strict=True)
        if expression
    )
    expressions += [expression for expression in named if expression not in expressions]
    known = [expression for expression in expressions if expression is not None]
    return "|".join(known) if known and len(forms) <= MOST_FORMS else None


def _path_regex(glob: str) -> str | None:
    parsed = parse_glob(glob)
    if parsed is None:
        return None
    below = "/" if parsed.only_folders else r"(?:/|\Z)"
    return (NEXT_PART if parsed.is_name else "") + parsed.regex + below


MOST_FORMS: Final = 64
"""Globs that one with braces may stand for."""

_BRACES: Final = re.compile(r"\{([^{}]*)\}")


def _without_braces(glob: str) -> list[str]:
    """The globs that one with braces stands for, and itself, as a name may hold braces; more than
    the most where there are too many."""
    done: dict[str, None] = {glob: None}
    left = [glob]
    while left and len(done) <= MOST_FORMS:
        form = left.pop()
        braces = next((found for found in _BRACES.finditer(form) if "," in found[1]), None)
        if braces is not None:
            choices = braces[1].split(",")[: MOST_FORMS + 1]
            several = [form[: braces.start()] + each + form[braces.end() :] for each in choices]
            left += several
            done.update(dict.fromkeys(several))
    return list(done)


def _split(path: str) -> list[list[str]] | None:
    """The parts between slashes, each a list of stars and expressions for one character; `None` for
    what can match nothing."""
    parts: list[list[str]] = [[]]
    at = 0
    while at < len(path):
        if path[at] == "[":
            bracket = _read_bracket(path, at + 1)
            if bracket is None:
                return None
            expression, at = bracket
            parts[-1].append(expression)
            continue
        token = _TOKEN.match(path, at)
        if token is None:  # a backslash at the end
            return None
        at = token.end()
        if token["slash"]:
            parts.append([])
        elif token["stars"]:
            parts[-1].append(_STAR if token["stars"] == "*" else _STARS)
        else:
            parts[-1].append(
                "[^/]" if token["any"] else re.escape(token["escaped"] or token["plain"])
            )
    return parts


def _read_bracket(path: str, at: int) -> tuple[str, int] | None:
    """The expression of the bracket that opens before `at`, and where it ends; `None` where it does
    not, or names no class."""
    negated = path[at : at + 1] in ("!", "^")
    first = at = at + negated
    ranges = ""
    while at < len(path) and (path[at] != "]" or at == first):
        element = _ELEMENT.match(path, at)
        assert element is not None
        at = element.end()
        name, low, high = element.groups()
        if name is not None:
            if name not in _CLASSES:
                return None
            ranges += _CLASSES[name]
        else:
            ranges += re.escape(low) + (
                f"{re.escape(low)}-{re.escape(high)}" if high and low <= high else ""
            )
    return (f"(?!/)[{'^' * negated}{ranges}]", at + 1) if at < len(path) else None


def _path(parts: list[list[str]]) -> str:
    """The expression of parts with slashes between them; a part that is just `**` stands for any
    number of parts."""
    runs: list[list[str]] = [[]]
    for part in parts:
        if part == [_STARS]:
            runs.append([])
        else:
            runs[-1].append(_part(part))
    joined = ["/".join(run) for run in runs]
    if len(joined) == 1:
        return joined[0]
    first, *middle, last = joined
    between = "".join(f"(?>{NEXT_PART}{run}/)" for run in middle if run)
    return (f"{first}/" if first else "") + between + (NEXT_PART + last if last else ".+")


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
