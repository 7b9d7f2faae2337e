"""Markdown of the LSAP search contract, and the parts that all Markdown answers share. It is safe
for any text in names, paths and queries.

Code is full of characters that mean something in Markdown. A name is a code span whose fence is
longer than any run of backticks in it. `|` is escaped, because a table splits its cells before it
reads code spans. Line breaks, control characters and bidirectional overrides, which could make a
row look like another, are shown as escapes.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, Protocol

from msgspec import UNSET, UnsetType

from symindex.protocol.search import ITEM_EXTRAS, Range, SearchItem, SearchResponse
from symindex.protocol.search_rows import DECLARATION, Row, Rows, is_declaration
from symindex.text.counts import count_of
from symindex.text.escaping import shorten, show_controls

if TYPE_CHECKING:
    from symindex.protocol.recall import TextHit

TEXT_CHARACTERS: Final = 200
"""Longest hit of text below a table of names, in characters."""

_PLAIN_PATH: Final = re.compile(r"(?! |.*  |.* $)[\w./@+~,=()\[\]{} -]*")

_LISTED_LINES: Final = 5
"""The most other lines of a row that are named."""

_PATH_LINE: Final = re.compile(
    r"(?!\d+[.)] )[A-Za-z0-9./][\w./@+~,=-]*(?: [\w./@+~,=-]+)*", re.ASCII
)
"""A path without a meaning in Markdown as a line of its own."""

_MARKED_PATH: Final = re.compile(
    r"(?<!\w)_.*_(?!\w)"  # emphasis, as in `__init__.py`; underscores inside words mean nothing
    r"|~.*~"  # struck out
    r"|\]\("  # a link
    r"|(?:^|[ (_~])www\.|[\w.+-]@[\w-]+\."  # links that GitHub makes by itself
)
"""A path of plain characters that Markdown does not show as it is."""

_MARKUP: Final = re.compile(
    r"(?<!`)`[^`]+`(?!`)"  # a code span, in which nothing has a meaning
    r"|(^>|^#(?=#{0,5} )|^[+-](?= )|[`*<]|\](?=[(\[:])|&(?=#?\w+;)|\\(?=[!-/:-@\[-`{-~]))"
)
"""The parts of a line of text that Markdown does not show as they are. Underscores are left
alone."""


def fence(text: str, least: int = 1) -> str:
    """Returns more backticks than any run of them in the text."""
    longest = max(map(len, re.findall("`+", text))) if "`" in text else 0
    return "`" * max(least, longest + 1)


def code_span(text: str, in_table: bool = False) -> str:
    """Writes a text as a Markdown code span that nothing in it can end."""
    text = show_controls(text)
    if in_table:
        # A backslash before the pipe would escape the escape, and cannot itself be escaped inside a
        # code span.
        text = re.sub(r"(?<=\\)\|", r"\\x7c", text).replace("|", "\\|")
    if text and "`" not in text:
        return f"`{text}`"
    pad = " " if text.startswith("`") or text.endswith("`") or not text else ""
    return f"{fence(text)}{pad}{text}{pad}{fence(text)}"


def quote(text: str) -> str:
    """Writes a line of text as a Markdown quotation that shows it as it is."""
    return "> " + _MARKUP.sub(
        lambda match: f"\\{match[0]}" if match[1] else match[0], show_controls(text)
    )


def quote_notices(notices: Iterable[str] | UnsetType) -> list[str]:
    """Writes the notices of an answer, each as a paragraph."""
    return [line for notice in notices or () for line in (quote(notice), "")]


class _PagedAnswer(Protocol):
    """A page of an answer."""

    notices: list[str] | UnsetType
    has_more: bool
    pagination_id: str | None


Spelling = Callable[[str, object], str]
"""A function that writes an argument of a request for a front end."""


NextBy = Literal["start_index", "pagination_id"]
"""The argument that leads to the next page."""


def as_field(name: str, value: object) -> str:
    """Writes an argument as a field of a request: `start_index=5`."""
    return f"{name}={value}"


def as_option(name: str, value: object) -> str:
    """Writes an argument as an option of a command: `--start-index 5`."""
    return f"--{name.replace('_', '-')} {value}"


def last_lines(page: _PagedAnswer, spell: Spelling) -> list[str]:
    """Returns the lines below the rows of a page: its notices, and how to get the next page."""
    lines = quote_notices(page.notices)
    return (
        [*lines, *next_page(spell("pagination_id", page.pagination_id))] if page.has_more else lines
    )


def next_page(argument: str) -> tuple[str, str]:
    """Returns the hint to the next page. argument: as the front end writes it."""
    return f"> More results available. Use `{argument}` for next page.", ""


def nearest_names(suggestions: Iterable[str]) -> str:
    """Returns a sentence that offers other names."""
    return f"Nearest names: {', '.join(map(code_span, suggestions))}."


def location(path: str, line: int) -> str:
    """Writes `path:line` for a cell: plain if Markdown shows it as it is, otherwise as a code
    span."""
    place = f"{path}:{line}"
    return (
        place
        if _PLAIN_PATH.fullmatch(path) and not is_marked(path)
        else code_span(place, in_table=True)
    )


def without_folders(container: str, path: str) -> str:
    """Returns a container without a namespace that only repeats the folders of its file."""
    folders = re.split(r"[/.]", path.rpartition("/")[0].lower())
    parts = container.split(".")
    for count in range(min(len(parts) - 1, len(folders)), 0, -1):
        if [part.lower() for part in parts[:count]] == folders[-count:]:
            return ".".join(parts[count:])
    return container


def other_lines(lines: Sequence[int]) -> str:
    """Writes the other lines of a row; empty for none."""
    shown = ", ".join(map(str, lines[:_LISTED_LINES]))
    return (
        f" (+{len(lines)}: {shown}{', …' if len(lines) > _LISTED_LINES else ''})" if lines else ""
    )


def plain_path(path: str) -> str:
    """Writes a path as a line of its own: plain if Markdown shows it as it is, otherwise as a code
    span."""
    return path if _PATH_LINE.fullmatch(path) and not is_marked(path) else code_span(path)


def is_marked(path: str) -> bool:
    """Whether a path of plain characters still means something in Markdown."""
    return _MARKED_PATH.search(path) is not None


def render_search(
    response: SearchResponse,
    next_by: NextBy = "start_index",
    folds: bool = False,
    spell: Spelling = as_field,
    row_name: str = "symbol",
) -> str:
    """Writes the answer as the contract's Markdown, with a column for each field that the request
    includes.

    next_by: the argument that leads to the next page. folds: whether overloads share a row. spell:
    writes arguments for the reader's front end; by default as in the contract. row_name: what the
    request searches for, as in "No symbol matches".
    """
    total, shown = response.total, len(response.items)
    showing = f" (showing {shown})" if response.max_items is not None else ""
    lines = [
        f"# Search: {question_of(response.request.query, response.request.phrasings or ())}",
        f"Found {count_of(total, 'result')}{showing}",
        "",
    ]
    if response.items:
        extras = extras_of(response.request.include or ())
        titles = "".join(f" {field.capitalize()} |" for field in extras)
        lines += [
            f"| Name | Kind | Location |{titles}",
            "|------|------|----------|" + "------|" * len(extras),
        ]
        rows = Rows(response.items).rows if folds else [*map(Row, response.items)]
        for row in rows:
            item = row.item
            container = (
                f" (in {code_span(item.container, in_table=True)})" if item.container else ""
            )
            name = code_span(item.name, in_table=True)
            extra_cells = "".join(f" {_extra(item, field)} |" for field in extras)
            lines.append(
                f"| {name}{container}{times(row)} | {kind_cell(item)} |"
                f" {location(item.file_path, item.line)} |{extra_cells}"
            )
        lines.append("")
        if len(rows) < len(response.items):
            every = code_span(spell("max_items", "N"))
            lines += [
                (
                    f"> (n times): overloads or declarations in one file; {every} gives each its"
                    " own row."
                ),
                "",
            ]
    if not total:
        lines += no_rows(response, row_name)
    return "\n".join([*lines, *below_rows(response, next_by, spell)])


def below_rows(response: SearchResponse, next_by: NextBy, spell: Spelling) -> list[str]:
    """Returns the lines below the rows of a search: notices, text, and the next page."""
    lines = quote_notices(response.notices)
    if response.text:
        lines += ["In text:", "", *text_rows(response), ""]
    if response.has_more:
        has_token = next_by == "pagination_id" and response.pagination_id is not None
        lines += next_page(
            spell(next_by, response.pagination_id)
            if has_token
            else spell("start_index", response.start_index + len(response.items))
        )
    return lines


def no_rows(response: SearchResponse, row_name: str) -> list[str]:
    """Returns the lines of an answer without rows, which offer similar names."""
    near = f" {nearest_names(response.suggestions)}" if response.suggestions else ""
    return [f"> No {row_name} matches.{near}", ""]


def question_of(query: str, phrasings: Sequence[str]) -> str:
    """Writes what was searched for: the query, and how many other phrasings there were."""
    texts = [text for text in (query, *phrasings) if text.strip()]
    others = f" and {count_of(len(texts) - 1, 'other phrasing')}" if len(texts) > 1 else ""
    return f"{code_span(texts[0] if texts else query)}{others}"


def times(row: Row) -> str:
    """Writes how many items share a row, behind its name; empty for one item."""
    return f" ({row.count} times)" if row.count > 1 else ""


def text_rows(response: SearchResponse) -> list[str]:
    """Writes the hits of text below a table of names, as the items of a list."""
    return [_text_row(hit) for hit in response.text or ()]


def _text_row(hit: "TextHit") -> str:
    excerpt = shorten(" ".join(hit.content.split()), TEXT_CHARACTERS)
    return f"- {code_span(hit.title)} {location(hit.source, hit.line)} {code_span(excerpt)}"


def _extra(item: SearchItem, field: str) -> str:
    text = extra_cell(item, field)
    return (
        code_span(text, in_table=True)
        if text and field in ("signature", "doc", "id", "metadata", "snippet")
        else text
    )


def kind_cell(item: SearchItem) -> str:
    """Writes a kind, marked for a mere declaration or a guess (`SearchItem.match`), and the numbers
    of the phrasings that found the item."""
    marks = [
        item.kind,
        *([DECLARATION] if is_declaration(item) else []),
        *([item.match] if item.match else []),
        *([f"by {' '.join(map(str, item.phrasings))}"] if item.phrasings else []),
    ]
    return ", ".join(marks)


def extras_of(include: Iterable[str]) -> list[str]:
    """Returns the fields that a request includes, in the order of their columns."""
    requested = {*include}
    return [field for field in _COLUMNS if field in requested]


_COLUMNS: Final = (
    "score",
    "language",
    "signature",
    "doc",
    "id",
    "range",
    "flags",
    "metadata",
    "snippet",
)
assert {*_COLUMNS} == {*ITEM_EXTRAS}


def extra_cell(item: SearchItem, field: str) -> str:
    """Writes an included field as one line of text."""
    value = getattr(item, field)
    if isinstance(value, dict):
        value = [f"{name}: {entry}" for name, entry in value.items()]
    if isinstance(value, Range):
        return f"{value.start_line}-{value.end_line}"
    return (
        ""
        if value is UNSET
        else " ".join((", ".join(value) if isinstance(value, list) else str(value)).split())
    )
