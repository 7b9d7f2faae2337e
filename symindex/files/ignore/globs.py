r"""Translates git's globs (its wildmatch.c) to regular expressions: `*`, `?`, `[a-z]`,
`[[:alpha:]]`, `\`, `**` between slashes.

No glob takes long, however many stars it has: if the first occurrence of a piece between two stars
does not lead to a match, no later one does. So each piece is an atomic group, and nothing is tried
twice.
"""

import re
from typing import Final, NamedTuple

NEXT_PART: Final = r".*?(?<![^/])"
"""Matches any number of whole path components, from the beginning of one on."""

_STAR: Final = "*"
_STARS: Final = "**"

_TOKEN: Final = re.compile(
    r"(?P<stars>\*+)|(?P<slash>/)|(?P<any>\?)|\\(?P<escaped>.)|(?P<plain>[^\\])", re.DOTALL
)

_ELEMENT: Final = re.compile(r"\[:([^\]]*):\]|\\?(.)(?:-(?!\])\\?(.))?", re.DOTALL)
"""An element of a bracket: a named class, or a character and perhaps the end of its range."""

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
"""The POSIX classes in the C locale, which git uses."""


class Glob(NamedTuple):
    """regex: matches the whole glob; it has no anchors. is_name: whether the glob contains no
    slash, so that it is matched against the last component alone. only_folders: whether it ends
    with a slash."""

    regex: str
    is_name: bool
    only_folders: bool


def parse_glob(glob: str) -> Glob | None:
    """Translates a glob; returns `None` if it cannot match anything, for instance because a bracket
    is not closed."""
    only_folders = glob.endswith("/")
    path = glob.removesuffix("/")
    is_name = "/" not in path
    parts = _split(path.removeprefix("/"))
    if parts is None or not all(parts):
        return None
    return Glob(_part(parts[0]) if is_name else _path(parts), is_name, only_folders)


def plain_glob(glob: str) -> str:
    r"""Converts a glob for paths, as users write it, to git's spelling: `./src` becomes `src`, and
    `src\lib` becomes `src/lib`."""
    return "*" if glob in (".", "./") else glob.removeprefix("./").replace("\\", "/")


def path_regex(glob: str) -> str | None:
    """Translates a glob for paths to an expression that is matched from the beginning of a path. As
    in .gitignore and ripgrep's -g, a glob without an inner slash matches a name at any depth, and a
    folder's name matches all files below it. As in shells and editors, `{a,b}` matches either. A
    name may contain brackets (`app/[id]/page.tsx`), so brackets also match themselves.

    Returns `None` if the glob cannot match anything or has too many braces.
    """
    forms = _without_braces(plain_glob(glob))
    expressions = [_path_regex(form) for form in forms]
    literal = (
        _path_regex(form.replace("[", "[[]"))
        for form, expression in zip(forms, expressions, strict=True)
        if expression
    )
    expressions += [expression for expression in literal if expression not in expressions]
    valid = [expression for expression in expressions if expression is not None]
    return "|".join(valid) if valid and len(forms) <= MOST_FORMS else None


def _path_regex(glob: str) -> str | None:
    parsed = parse_glob(glob)
    if parsed is None:
        return None
    below = "/" if parsed.only_folders else r"(?:/|\Z)"
    return (NEXT_PART if parsed.is_name else "") + parsed.regex + below


MOST_FORMS: Final = 64
"""Most globs that one glob with braces may expand to."""

_BRACES: Final = re.compile(r"\{([^{}]*)\}")


def _without_braces(glob: str) -> list[str]:
    """Expands the braces of a glob. The result includes the glob itself, because a name may contain
    braces, and has more than MOST_FORMS entries if there are too many."""
    done: dict[str, None] = {glob: None}
    pending = [glob]
    while pending and len(done) <= MOST_FORMS:
        form = pending.pop()
        braces = next((match for match in _BRACES.finditer(form) if "," in match[1]), None)
        if braces is not None:
            choices = braces[1].split(",")[: MOST_FORMS + 1]
            several = [form[: braces.start()] + choice + form[braces.end() :] for choice in choices]
            pending += several
            done.update(dict.fromkeys(several))
    return list(done)


def _split(path: str) -> list[list[str]] | None:
    """Splits a glob at its slashes. Each part is a list of stars and of expressions for one
    character. Returns `None` if the glob cannot match anything."""
    parts: list[list[str]] = [[]]
    offset = 0
    while offset < len(path):
        if path[offset] == "[":
            bracket = _read_bracket(path, offset + 1)
            if bracket is None:
                return None
            expression, offset = bracket
            parts[-1].append(expression)
            continue
        token = _TOKEN.match(path, offset)
        if token is None:  # a backslash at the end
            return None
        offset = token.end()
        if token["slash"]:
            parts.append([])
        elif token["stars"]:
            parts[-1].append(_STAR if token["stars"] == "*" else _STARS)
        else:
            parts[-1].append(
                "[^/]" if token["any"] else re.escape(token["escaped"] or token["plain"])
            )
    return parts


def _read_bracket(path: str, offset: int) -> tuple[str, int] | None:
    """Translates the bracket that opens before `at`; also returns where it ends. `None` if it is
    not closed or names an unknown class."""
    negated = path[offset : offset + 1] in ("!", "^")
    first = offset = offset + negated
    ranges = ""
    while offset < len(path) and (path[offset] != "]" or offset == first):
        element = _ELEMENT.match(path, offset)
        assert element is not None
        offset = element.end()
        name, low, high = element.groups()
        if name is not None:
            if name not in _CLASSES:
                return None
            ranges += _CLASSES[name]
        else:
            ranges += re.escape(low) + (
                f"{re.escape(low)}-{re.escape(high)}" if high and low <= high else ""
            )
    return (f"(?!/)[{'^' * negated}{ranges}]", offset + 1) if offset < len(path) else None


def _path(parts: list[list[str]]) -> str:
    """Joins the expressions of parts with slashes. A part that is just `**` matches any number of
    components."""
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
