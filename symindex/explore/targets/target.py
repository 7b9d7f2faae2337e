"""Finds the symbols that a text means: an id, a name, a name in a file, a place."""

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Final, NamedTuple

from symindex.errors import RequestError, is_unicode
from symindex.explore.missing import NO_FILES, skip_of, told_of
from symindex.explore.targets.inherited import find_inherited, tell_inherited
from symindex.explore.targets.lines import symbol_at
from symindex.explore.targets.names import (
    CLEARLY,
    by_likelihood,
    differ_in_case,
    find_similar,
    has_parts_left_out,
    how_they_differ,
    symbols_named,
)
from symindex.explore.targets.type_parts import largest_parts
from symindex.explore.trace.frames import as_code_names, parse_frame
from symindex.explore.trace.located import Locator
from symindex.files.left_out import tell_left_out
from symindex.files.skips import SkipReason, tell_unread
from symindex.protocol.kinds import CALLABLE_KINDS, KINDS
from symindex.resolve.tree import (
    IndexedFile,
    Row,
    Tree,
    files_like,
    find_file,
    read_text,
    rows_of,
    shown_path,
)
from symindex.search.answer.nearest import suggest
from symindex.text.separators import with_dots

LONGEST: Final = 1_000
"""Longest text that may mean a symbol, in characters."""

_SUGGESTED: Final = 3

_MOST_COMPARED: Final = 12
"""Most symbols whose code is read to tell definitions from declarations."""

_PLACE: Final = re.compile(r"(?P<path>.+?):(?P<line>\d+)(?::\d+)?", re.DOTALL)

_MERE_PLACE: Final = re.compile(r"\S+:\d+(?::\d+)?")

_FILE_AND_NAME: Final = re.compile(r"(?P<path>[^:#]*\.\w+)::?(?P<name>[^:#\s].*)")

_KEYWORD_AND_NAME: Final = re.compile(r"[a-z]+ +(?P<name>[^\s(]+)(?:\(.*)?")

_NUMBERED: Final = re.compile(r"(?P<name>.+)~(?P<number>\d+)", re.DOTALL)


class Target(NamedTuple):
    """The symbols that a text means.

    Attributes:
        rows: likeliest first.
        is_sure: whether only the first is meant.
        suggestions: other names to request if nothing was found.
        focus: the requested line, 0 for none.
        is_part: whether only the last parts of the name match.
        is_inherited: whether the type in the name only inherits them.
    """

    rows: list[Row]
    is_sure: bool
    suggestions: Sequence[str] = ()
    notices: Sequence[str] = ()
    focus: int = 0
    is_part: bool = False
    is_inherited: bool = False


def find_target(tree: Tree, text: str, most_bytes: int) -> Target:
    """Returns the symbols that a text means. most_bytes: largest file that is read. Raises
    RequestError for a file or line that does not exist."""
    if len(text) > LONGEST:
        raise RequestError(
            f"the symbol has {len(text):,} characters: name one by its id, its name, or as"
            " path:line"
        )
    if not is_unicode(text):
        raise RequestError(f"symbol {text!r} is not valid Unicode: give it as UTF-8")
    if not text.strip():
        raise RequestError(
            "the symbol is empty: name one by its id (path#Name), its name (Type.method), or as"
            " path:line"
        )
    bare = text.strip().strip("`")  # Markdown puts code in backticks
    target = (
        _of_frame(tree, bare)
        or _in_named_file(tree, text)
        or _at_place(tree, bare)
        or _in_file_before(tree, bare)
        or _by_name(tree, bare, most_bytes)
    )
    if (inherited := _inherited(tree, bare, target)) is not None:
        return inherited
    if not target.rows and (name := as_code_names(bare)) not in ("", bare):
        spelt = _by_name(tree, name, most_bytes)
        target = spelt if spelt.rows else target
    if not target.rows and (keyword := _KEYWORD_AND_NAME.fullmatch(bare)):
        by_name = _by_name(tree, keyword["name"], most_bytes)
        return by_name if by_name.rows else target
    if not target.rows and "/" in bare.partition("#")[0]:
        target = _in_lost_file(tree, bare, most_bytes) or target
    if not target.rows:
        refuse_left_out(tree, bare)
    elif notice := file_not_there(tree, bare, target.rows[0]):
        if not bare.endswith(target.rows[0].name):
            target = _in_lost_file(tree, bare, most_bytes) or target
            notice = file_not_there(tree, bare, target.rows[0])
        return target._replace(notices=[notice, *target.notices], is_part=True)
    return target


def _inherited(tree: Tree, text: str, target: Target) -> Target | None:
    """Returns the member that the type in a qualified name inherits; `None` if what was found has
    the name itself, or for any other text."""
    path, mark, name = text.rpartition("#")
    name = re.sub(r"\(\)\Z", "", name)
    own = f".{with_dots(name)}"
    if any(f".{row.qualified_name}".endswith(own) for row in target.rows):
        return None
    of_path = [row for file in _likely_files(tree, path) for row in rows_of(file)] if path else None
    rows = find_inherited(tree, name, of_path if mark else None)
    if not rows:
        return None
    is_sure = len({(row.file.path, row.qualified_name) for row in rows}) == 1
    return Target(rows, is_sure, notices=[tell_inherited(text, rows[0])], is_inherited=True)


def file_not_there(tree: Tree, text: str, row: Row) -> str:
    """Returns a notice if the path of an id is not a file and only the name led to a symbol; empty
    for any other text."""
    path, mark, name = text.partition("#")
    endings = [
        ending for language in tree.languages.by_id.values() for ending in language.rules.extensions
    ]
    if (
        not mark
        or row.file.path.endswith(path.lstrip("./"))
        or not path.endswith(tuple(endings))
        or _files_named(tree, path)
    ):
        return ""
    return f"{path} is not a file of the workspace: {row.id} has the name {name}"


def refuse_left_out(tree: Tree, text: str) -> None:
    """Raises RequestError for a file that exists but is not in the index, alone or followed by a
    name or line."""
    path = _BEHIND_PATH.split(text, maxsplit=1)[0]
    if ("/" in path or "." in path) and "\0" not in path:
        try:
            shown = shown_path(tree, path)
        except RequestError:
            return
        if shown and (left_out := tree.left_out(shown)) is not None:
            raise RequestError(told_of(shown, left_out))


_BEHIND_PATH: Final = re.compile(r"#|:")


def _in_file_before(tree: Tree, text: str) -> Target | None:
    """Returns the target of `path::name` or `path:name`, a notation of other tools; `None` if there
    is none."""
    parts = _FILE_AND_NAME.fullmatch(text)
    target = (
        _in_named_file(tree, f"{parts['path']}#{parts['name'].replace('::', '.')}")
        if parts is not None
        else None
    )
    return target if target is not None and target.rows else None


def _in_lost_file(tree: Tree, text: str, most_bytes: int) -> Target | None:
    """Returns the symbols with exactly the name in `path#name`, if there is no such file; those
    first whose paths end most like it. Returns `None` if there are none."""
    path, mark, name = text.partition("#")
    if not (mark and path and name) or path.startswith("../") or _files_named(tree, path):
        return None
    target = _by_name(tree, name, most_bytes)
    rows = [row for row in target.rows if row.qualified_name == name]
    if not rows:
        return None
    ending = path.split("/")[::-1]

    def n_alike(row: Row) -> int:
        pairs = zip(ending, row.file.path.split("/")[::-1], strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    rows.sort(key=n_alike, reverse=True)
    return target._replace(rows=rows, is_part=False)


def _in_named_file(tree: Tree, text: str) -> Target | None:
    """Returns the target of `path#name`; `None` if nothing before a `#` is a file."""
    candidates = []
    for sharp in re.finditer("#", text):
        name = text[sharp.end() :]
        targets: list[Target] = []
        for file in _files_named(tree, text[: sharp.start()]):
            rows = rows_of(file)
            target = _in_file(file, rows, name.strip())
            if target is not None:
                targets.append(target)
            candidates.append((file, rows, name))
        if targets:  # in several files, if the beginning of their paths is left out
            meant = [row for target in targets for row in target.rows]
            return Target(meant, len(targets) == 1 and targets[0].is_sure)
    if not candidates:
        return None
    from rapidfuzz import process  # takes 15 ms

    near = []
    for file, rows, name in candidates:
        names = list(dict.fromkeys(row.qualified_name for row in rows))
        extracted = process.extract(name, names, limit=_SUGGESTED, score_cutoff=50)
        near += [(score, f"{file.path}#{target}") for target, score, _ in extracted]
    near.sort(key=lambda pair: -pair[0])
    paths = " or ".join(dict.fromkeys(file.path for file, _, _ in candidates[:_SUGGESTED]))
    return Target(
        [], False, [text for _, text in near[:_SUGGESTED]], [f"nothing in {paths} has this name"]
    )


def _files_named(tree: Tree, path: str) -> list[IndexedFile]:
    """Returns the files that a path means: several only if its beginning is left out."""
    if not path.strip() or "\0" in path:
        return []
    try:
        file = find_file(tree, shown_path(tree, path))
    except RequestError:
        if "/" in path:
            raise
        return []
    return [file] if file is not None else files_like(tree, path)


def _likely_files(tree: Tree, path: str) -> list[IndexedFile]:
    """Returns the files that a text means, which may be no path."""
    with suppress(RequestError):
        return _files_named(tree, path)
    return []


def _in_file(file: IndexedFile, rows: list[Row], name: str) -> Target | None:
    """Returns the symbols of a file that a name means: the one with that id, or those with that
    name."""
    wanted_id = f"{file.path}#{name}"
    numbered = _NUMBERED.fullmatch(name)
    plain = numbered["name"] if numbered is not None else name
    for row in rows:
        if row.name and plain.endswith(row.name) and row.id == wanted_id:
            return Target([row], True)
    dotted = with_dots(re.sub(r"\(\)$", "", plain))
    for matches in (
        [row for row in rows if row.qualified_name == dotted],
        [row for row in rows if row.qualified_name.endswith(f".{dotted}") or row.name == plain],
        [row for row in rows if f".{row.qualified_name}".lower().endswith(f".{dotted}".lower())],
    ):
        if matches:
            return Target(matches, len(matches) == 1)
    return None


def _at_place(tree: Tree, text: str) -> Target | None:
    """Returns the target of `path:line`; `None` for any other text, and for a line outside all
    symbols."""
    place = _PLACE.fullmatch(text)
    if place is None:
        return None
    file = file_of_place(tree, place["path"])
    row = symbol_at(file, int(place["line"])) if file is not None else None
    return Target([row], True, focus=int(place["line"])) if row is not None else None


def file_of_place(tree: Tree, path: str) -> IndexedFile | None:
    """Returns the file that a path means, which may come from another machine; `None` if there is
    none. Raises RequestError if there are several."""
    files = Locator(tree).find(path)
    if len(files) > 1:
        shown = ", ".join(file.path for file in files[:_SUGGESTED])
        raise RequestError(
            f"{len(files)} paths end with {path}:"
            f" {shown}{', ...' if len(files) > _SUGGESTED else ''}"
        )
    return files[0] if files else None


def _of_frame(tree: Tree, text: str) -> Target | None:
    """Returns the target of a line of a trace: the place that it names, or else the symbol; `None`
    for any other text, including a mere place."""
    frame = parse_frame(text) if _MERE_PLACE.fullmatch(text) is None else None
    if frame is None or not frame.path:
        return None
    files = Locator(tree).find(frame.path, as_code_names(frame.symbol), frame.line)
    row = symbol_at(files[0], frame.line) if len(files) == 1 else None
    if row is not None:
        return Target([row], True, focus=frame.line)
    return _by_name(tree, as_code_names(frame.symbol), _NO_BYTES) if frame.symbol else None


_NO_BYTES: Final = 0
"""Reads no file to tell definitions from declarations."""


def _by_name(tree: Tree, text: str, most_bytes: int) -> Target:
    meant = symbols_named(tree, text)
    if not meant:
        if (files := _files_named(tree, text)) and len(files) == 1:
            if files[0].known.skip not in ("", SkipReason.UNSUPPORTED):
                raise RequestError(tell_left_out(skip_of(files[0])))
            raise RequestError(f"{files[0].path} is a file: its outline lists what it defines")
        if not tree.snapshot.n_symbols:
            return Target([], False, notices=[NO_FILES])
        alike = find_similar(tree, text)
        near = alike[:_SUGGESTED] or suggest(
            tree.snapshot, re.split(r"\W+", text.rstrip("()"))[-1] or text
        )
        return Target([], False, near, [*filter(None, [tell_unread(tree.unread(), "it")])])
    is_part = has_parts_left_out(meant)
    are_several = differ_in_case(meant) and len({one.row.qualified_name for one in meant}) > 1
    notices = [*filter(None, [how_they_differ(meant)])]
    likely = [match for match in meant if match.likely == meant[0].likely]
    largest = (
        {*largest_parts(tree, [match.row for match in likely])}
        if len(likely) > 1
        else {meant[0].row}
    )
    likely, others = [match for match in likely if match.row in largest], meant[len(likely) :]
    rows = [match.row for match in (*likely, *others)]
    if len(likely) == 1 and (not are_several or KINDS[rows[0].kind].quality == 0):
        return Target(
            [rows[0], *(row for row in rows[1:] if not _is_shown_with(row, rows[0]))],
            True,
            notices=notices,
            is_part=is_part,
        )
    defined = find_defined(tree, [match.row for match in likely], most_bytes)
    if defined is not None:
        return Target(
            [defined, *(row for row in rows if row != defined)],
            True,
            notices=notices,
            is_part=is_part,
        )
    ranked = by_likelihood(tree, [match.row for match in likely])
    rows = [*(row for _, row in ranked), *(match.row for match in others)]
    is_clear = len(ranked) > FEW and ranked[0][0] >= CLEARLY * ranked[1][0] and not are_several
    return Target(rows, is_clear, notices=notices, is_part=is_part)


FEW: Final = 3
"""Most possible symbols that are all shown instead of the likeliest."""


def _is_shown_with(row: Row, shown: Row) -> bool:
    """Whether the code that is shown contains a namesake: in `typedef struct node {...} node` there
    are two."""
    first, last = shown.lines
    return (
        row.qualified_name == shown.qualified_name
        and row.file.path == shown.file.path
        and first <= row.line <= last
    )


def find_defined(tree: Tree, meant: Sequence[Row], most_bytes: int) -> Row | None:
    """Returns the only definition among declarations of one thing, which end with their signatures
    or with three dots as a body; `None` if there is not exactly one."""
    if (
        len(meant) > _MOST_COMPARED
        or len({row.qualified_name for row in meant}) > 1
        or meant[0].kind not in CALLABLE_KINDS
    ):
        return None
    defining = []
    for row in meant:
        start_byte, end_byte, *_ = row.index.places(row.number)
        try:
            data = read_text(tree, row.file, most_bytes).data
        except RequestError:
            return None
        text = data[start_byte:end_byte].decode("utf-8", "replace")
        packed = _packed(text)
        if not packed.endswith((_packed(row.index.signature(row.number)), ":...", "->...")):
            defining.append(row)
    return defining[0] if len(defining) == 1 else None


def _packed(text: str) -> str:
    """Removes white space, and what ends a declaration."""
    return re.sub(r"\s+", "", text).rstrip(";,")
