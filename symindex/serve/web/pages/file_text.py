"""The text of a file that a page shows: as it is now or in a commit, and windows of it as HTML."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.protocol.explore import ASK_FOR_OUTLINE, SymbolRequest
from symindex.protocol.freshness import SOON
from symindex.serve.web.addresses import Address
from symindex.serve.web.content.code_lines import Line, shown_lines
from symindex.serve.web.site import Repository, Site

WINDOW: Final = 500
"""Lines of code on a page; more would make a page of half a megabyte."""

MOST_HTML: Final = 90_000
"""Characters of code on a page, as HTML; a window ends earlier if its lines are long."""

LINE_HTML: Final = 60
"""Characters of HTML around the code of a line."""

_LINES: Final = re.compile(r"L?(\d{1,9})(?:-L?(\d{1,9}))?")

_LAST_LINE: Final = 10_000_000


class ShownText(NamedTuple):
    """The text of a file. code: all of it; of a commit, the lines from `first` on. path: as in
    answers."""

    path: str
    code: str
    first: int
    language: str
    n_lines: int
    commit: str
    notices: list[str]


def read_text(
    site: Site, repository: Repository, address: Address, lines: tuple[int, int]
) -> ShownText:
    """Reads a file. lines: the first and last line that are shown. Raises RequestError for a file
    or a commit that cannot be shown."""
    path = repository.answer_path(address.path)
    if address.commit:
        window = f"{lines[0]}-{lines[1]}"
        old = site.answers.file_at(path, revision=address.commit, lines=window, freshness=SOON)
        text, commit, notices = old.text, old.commit, old.notices or ()
    else:
        request = SymbolRequest(symbol=path, lines=f"1-{_LAST_LINE}")
        now = site.answers.symbol(request, freshness=SOON)
        if not now.text:
            raise RequestError(f"{address.path}: no such file")
        text, commit = now.text, ""
        # The outline is beside the text.
        notices = [told for told in now.notices or () if not told.endswith(ASK_FOR_OUTLINE)]
        if lines[0] > text.n_lines:
            raise RequestError(
                f"{address.path} has {text.n_lines:,} lines: there is no line {lines[0]:,}"
            )
    return ShownText(
        path, text.code, text.code_start_line, text.language, text.n_lines, commit, [*notices]
    )


def window_of(
    site: Site, text: ShownText, first: int, last: int, address: str = ""
) -> tuple[list[Line], str]:
    """Returns lines of a file as HTML, as many as a page may have, and why they are not
    highlighted. address: the page of the file, if the lines are shown on another page."""
    # The first lines of a file decide how later ones are read.
    highlighted = site.highlighter.highlight(text.code, text.path, text.language)
    tokens = highlighted.lines[first - text.first : last - text.first + 1]
    # The names of an old version have other places now.
    is_known = (lambda _: False) if text.commit else names_known(site)
    return fitting(shown_lines(tokens, first, is_known, address)), highlighted.why_plain


def fitting(lines: list[Line]) -> list[Line]:
    """Returns as many lines as fit on a page, at least one."""
    room = MOST_HTML
    for number, line in enumerate(lines):
        room -= len(line.code) + LINE_HTML
        if room < 0 and number:
            return lines[:number]
    return lines


def names_known(site: Site) -> Callable[[str], bool]:
    """Returns a function that says whether the index has symbols of a name, for one page."""
    return lru_cache(maxsize=None)(site.reader.has_symbols_named)


def lines_of(text: str) -> tuple[int, int] | None:
    """Parses `10`, `10-20` or `L10-L20`; returns `None` for anything else."""
    match = _LINES.fullmatch(text)
    if match is None:
        return None
    first = max(1, int(match[1]))
    return first, max(first, int(match[2] or first))
