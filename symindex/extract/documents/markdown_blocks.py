"""Scans the block structure of Markdown (CommonMark with GitHub's tables) as far as it decides
which lines are headings.

A line in code, HTML or a table is not a heading; one in a quote or list may be. So the scanner
follows containers and leaves line by line, and skips runs of lines that cannot begin anything at
once. The time is linear in the size of the text.
"""

import re
from collections.abc import Generator, Iterator
from typing import Final, NamedTuple

MOST_CONTAINERS: Final = 50
"""Deepest nesting of quotes and lists; deeper markers are text."""

_REST: Final = re.compile(rb"[^\n]*+\n?")
_BLANK_LINES: Final = re.compile(rb"(?:[ \t]*+\n)++")
_INDENT: Final = re.compile(rb"[ \t]*+")

_TEXT_SIGN: Final = rb"""(?:[^\x00-\x20#>`~<=\-+*_|:0-9]|\d++(?![.)\d])|[*_]{1,2}+(?=[^\s*_])|`{1,2}+(?!`)|:(?![ \t:|-]))"""  # noqa: E501
_PLAIN_LINES: Final = re.compile(
    rb" {0,3}+%b[^\n]*+\n(?:[ \t]*+%b[^\n]*+\n)*+" % (_TEXT_SIGN, _TEXT_SIGN)
)
_MORE_LINES: Final = re.compile(rb"(?:[ \t]*+%b[^\n]*+\n)++" % _TEXT_SIGN)
"""Lines that open no block, whatever the indentation after the first."""

_ATX: Final = re.compile(rb"(#{1,6})(?=[ \t\n])[ \t]*+([^\n]*)")
_CLOSING_SIGNS: Final = re.compile(rb"(?:^|(?<=[ \t]))#++[ \t]*+\Z")
_UNDERLINE: Final = re.compile(rb"(=++|-++)[ \t]*+$", re.MULTILINE)
_BREAK: Final = re.compile(
    rb"(?:(?:\*[ \t]*+){3,}+|(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$", re.MULTILINE
)
_MARKER: Final = re.compile(rb"(?:[-+*]|(\d{1,9})[.)])(?=[ \t\n])")
_FENCE: Final = re.compile(rb"`{3,}+(?=[^`\n]*+\n)|~{3,}+")
_FENCE_END: Final = re.compile(rb"(`{3,}+|~{3,}+)[ \t]*+$", re.MULTILINE)
_CLOSING_FENCE: Final = re.compile(rb"^ {0,3}(`{3,}+|~{3,}+)[ \t]*+$", re.MULTILINE)
_DELIMITERS: Final = re.compile(
    rb"(?!-[ \t]*+$)(?!-[ \t])\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$",
    re.MULTILINE,
)
_ROWS: Final = re.compile(rb"(?: {0,3}+\|[^\n]*+\n)++")
_DEFINITION: Final = re.compile(
    rb"[ \t]*+\[(?:[^\[\]\\]|\\.)++\]:[ \t]*+\n?[ \t]*+(?:<[^<>\n]*+>|[^<\s]\S*+)"
    rb"(?:(?:[ \t]++|[ \t]*+\n[ \t]*+)(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\))(?=[ \t]*+\n))?+[ \t]*+\n"
)

_TAG: Final = (
    rb"""(?:<[a-zA-Z][a-zA-Z0-9-]*+(?:[ \t]++[a-zA-Z_:][a-zA-Z0-9_.:-]*+"""
    rb"""(?:[ \t]*+=[ \t]*+(?:[^\s"'=<>`]++|'[^'\n]*+'|"[^"\n]*+"))?+)*+"""
    rb"""[ \t]*+/?>|</[a-zA-Z][a-zA-Z0-9-]*+[ \t]*+>)[ \t]*+$"""
)
_BLOCK_TAGS: Final = (
    rb"address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset"
    rb"|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav"
    rb"|noframes|ol|optgroup|option|p|param|search|section|source|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
_HTML: Final = re.compile(
    rb"(?im)<(?:(?P<verbatim>(?:script|pre|style|textarea)(?=[\s>]))|(?P<comment>!--)|(?P<instruction>\?)|(?P<cdata>!\[CDATA\[)"
    rb"|(?P<declaration>![a-z])|(?P<block>/?(?:"
    + _BLOCK_TAGS
    + rb")(?=[\s>]|/>)))|(?P<tag>"
    + _TAG
    + rb")"
)
_HTML_ENDS: Final = {
    "verbatim": re.compile(rb"(?i)</(?:script|pre|style|textarea)>"),
    "comment": re.compile(rb"-->"),
    "instruction": re.compile(rb"\?>"),
    "cdata": re.compile(rb"\]\]>"),
    "declaration": re.compile(rb">"),
}
_EMPTY_LINE: Final = re.compile(rb"^[ \t]*+$", re.MULTILINE)


class Block(NamedTuple):
    """A heading or a piece of HTML.

    level: 0 for HTML. title_start, title_end: the title with its markup; all of a piece of HTML.
    """

    level: int
    start_byte: int
    end_byte: int
    title_start: int
    title_end: int


def find_blocks(data: bytes, start: int) -> Iterator[Block]:
    """Yields the headings and pieces of HTML of a text in which every line, including the last,
    ends with a line feed."""
    return _Scanner(data, start).scan()


class _Scanner:
    """The state of the scan.

    containers: the open containers: the width of each list item, -1 for a quote. leaf: the kind of
    leaf that is open in the innermost container at the end of the last line: paragraph, table,
    fence or HTML.
    """

    def __init__(self, data: bytes, start: int) -> None:
        self.data = data
        self.at = start
        self.containers: list[int] = []
        self.leaf = ""
        self.paragraph = start  # the start of the open paragraph
        self.fence = b""
        self.html_kind = ""
        self.html_start = start
        self.is_empty_item = False  # whether the innermost list item has no content yet

    def scan(self) -> Iterator[Block]:
        data, size = self.data, len(self.data)
        while self.at < size:
            if run := _BLANK_LINES.match(data, self.at):
                yield from self._blank()
                self.at = run.end()
            elif self.leaf == "paragraph" and (run := _MORE_LINES.match(data, self.at)):
                self.at = run.end()
            elif (
                not self.containers and not self.leaf and (run := _PLAIN_LINES.match(data, self.at))
            ):
                self.paragraph, self.leaf = self.at, "paragraph"
                self.at = run.end()
            elif (
                not self.containers and self.leaf == "table" and (run := _ROWS.match(data, self.at))
            ):
                self.at = run.end()
            elif not self.containers and self.leaf in ("fence", "html"):
                yield from self._leave_at_once()
            else:
                yield from self._line()
        if self.leaf == "html":
            yield from self._html_block(size)

    def _html_block(self, end: int) -> Iterator[Block]:
        """Yields the HTML that ends here, if it can contain a heading."""
        if self.html_kind in ("block", "tag"):
            yield Block(0, self.html_start, end, self.html_start, end)

    def _blank(self) -> Iterator[Block]:
        """Handles a blank line: it ends paragraphs, tables, quotes, some HTML, and an empty list
        item."""
        has_quote = -1 in self.containers
        if self.leaf == "html" and (has_quote or self.html_kind not in _HTML_ENDS):
            yield from self._html_block(self.at)
            self.leaf = ""
        if has_quote:
            self._close(self.containers.index(-1))
        elif self.is_empty_item:
            self._close(len(self.containers) - 1)
        elif self.leaf in ("paragraph", "table"):
            self.leaf = ""

    def _leave_at_once(self) -> Iterator[Block]:
        """Skips to the end of a fence or of HTML that no container can end."""
        data = self.data
        if self.leaf == "fence":
            self.leaf = ""
            for match in _CLOSING_FENCE.finditer(data, self.at):
                if match[1].startswith(self.fence):
                    self.at = self._line_end(match.end())
                    return
            self.at = len(data)
            return
        end = _HTML_ENDS.get(self.html_kind, _EMPTY_LINE).search(data, self.at)
        self.at = (
            len(data)
            if end is None
            else end.start()
            if self.html_kind not in _HTML_ENDS
            else self._line_end(end.end())
        )
        self.leaf = ""
        yield from self._html_block(self.at)

    def _line_end(self, offset: int) -> int:
        return self.data.find(b"\n", offset) + 1 or len(self.data)

    def _indent(self, offset: int, column: int) -> tuple[int, int]:
        """Returns the end of the blanks at `at`, and the column there."""
        match = _INDENT.match(self.data, offset)
        assert match is not None
        blanks = match[0]
        if b"\t" not in blanks:
            return match.end(), column + len(blanks)
        for sign in blanks:
            column += 4 - column % 4 if sign == 9 else 1
        return match.end(), column

    def _line(self) -> Iterator[Block]:
        """Handles a line that is not blank."""
        data, begin = self.data, self.at
        self.at = self._line_end(begin)
        offset, end_column = self._indent(begin, 0)
        indent = column = end_column
        matched = 0
        for width in self.containers:
            if width < 0:
                if indent > 3 or data[offset] != 62:
                    break
                offset, indent, column = self._behind_quote(offset, column)
            elif indent >= width:
                indent -= width
            elif data[offset] != 10:
                break
            matched += 1
        is_inside = matched == len(self.containers)
        if self.leaf in ("fence", "html"):
            if is_inside:
                yield from self._verbatim_line(offset, indent)
                return
            if self.leaf == "html":
                yield from self._html_block(begin)
            self.leaf = ""
        elif not is_inside and self.leaf == "table":
            self.leaf = ""
        if data[offset] == 10:  # a blank line in a quote
            del self.containers[matched:]
            self.leaf = ""
            self.is_empty_item = False
            return
        yield from self._open(offset, column, indent, matched)

    def _behind_quote(self, offset: int, column: int) -> tuple[int, int, int]:
        """Returns the start of the content after a `>`, its indentation and its column."""
        following, end_column = self._indent(offset + 1, column + 1)
        indent = end_column - column - 1
        return following, indent - (indent > 0), end_column

    def _verbatim_line(self, offset: int, indent: int) -> Iterator[Block]:
        data = self.data
        if self.leaf == "fence":
            match = _FENCE_END.match(data, offset) if indent < 4 else None
            if match and match[1].startswith(self.fence):
                self.leaf = ""
        elif self.html_kind in _HTML_ENDS and _HTML_ENDS[self.html_kind].search(
            data, offset, self.at
        ):
            self.leaf = ""
            yield from self._html_block(self.at)
        elif self.html_kind not in _HTML_ENDS and data[offset] == 10:
            self.leaf = ""
            yield from self._html_block(offset)

    def _open(self, offset: int, column: int, indent: int, matched: int) -> Iterator[Block]:
        """Handles what the rest of a line opens or continues. matched: how many of the open
        containers continue."""
        data = self.data
        self.is_empty_item = False
        while True:
            in_paragraph = self.leaf == "paragraph"
            is_inside = matched == len(self.containers)
            if indent > 3:
                if not in_paragraph:
                    self._close(matched)
                return
            sign = data[offset]
            if (
                in_paragraph
                and is_inside
                and sign in b"|:-="
                and (yield from self._continue_paragraph(offset))
            ):
                return
            if len(self.containers) >= MOST_CONTAINERS and matched >= MOST_CONTAINERS:
                pass
            elif sign == 62:
                self._close(matched)
                self.containers.append(-1)
                matched += 1
                offset, indent, column = self._behind_quote(offset, column)
                if data[offset] == 10:
                    return
                continue
            elif (
                sign in b"-+*0123456789"
                and not _BREAK.match(data, offset)
                and (marker := _MARKER.match(data, offset))
            ):
                following, end_column = self._indent(marker.end(), column + marker.end() - offset)
                is_empty = data[following] == 10
                if not (in_paragraph and is_inside and (is_empty or marker[1] not in (None, b"1"))):
                    self._close(matched)
                    blanks = end_column - column - (marker.end() - offset)
                    padding = blanks if blanks <= 4 and not is_empty else 1
                    self.containers.append(indent + marker.end() - offset + padding)
                    matched += 1
                    if is_empty:
                        self.is_empty_item = True
                        return
                    offset, column, indent = following, end_column, blanks - padding
                    continue
            yield from self._open_leaf(offset, matched)
            return

    def _close(self, matched: int) -> None:
        """Closes the containers that do not continue, and the open leaf."""
        del self.containers[matched:]
        self.leaf = ""
        self.is_empty_item = False

    def _continue_paragraph(self, offset: int) -> Generator[Block, None, bool]:
        """Returns whether a line turns the paragraph above it into a table or a heading."""
        data = self.data
        if _DELIMITERS.match(data, offset) and self._is_table(offset):
            self.leaf = "table"
            return True
        match = _UNDERLINE.match(data, offset)
        if match is None:
            return False
        begin = self.paragraph
        while (definition := _DEFINITION.match(data, begin, offset)) and definition.end() > begin:
            begin = definition.end()
        line = data.rfind(b"\n", 0, offset) + 1
        if begin >= line:
            return False
        begin, end = self._trim(begin, line)
        yield Block(1 if match[1].startswith(b"=") else 2, begin, self.at, begin, end)
        self.leaf = ""
        return True

    def _trim(self, begin: int, end: int) -> tuple[int, int]:
        text = self.data[begin:end]
        return end - len(text.lstrip()), begin + len(text.rstrip())

    def _is_table(self, offset: int) -> bool:
        """Whether the line above, which belongs to the paragraph, has as many cells as the
        delimiter row at `at`."""
        data = self.data
        line = data.rfind(b"\n", 0, offset) + 1
        begin = data.rfind(b"\n", 0, line - 1) + 1
        if (
            begin > self.paragraph
            and -1 not in self.containers
            and self._indent(begin, 0)[1] > sum(self.containers) + 3
        ):
            return False  # a line indented this far only continues the text
        header = data[max(begin, self.paragraph) : line]
        if -1 in self.containers:
            header = header.lstrip(b"> \t")
        return b"|" in header and _n_cells(header) == _n_cells(data[offset : self.at])

    def _open_leaf(self, offset: int, matched: int) -> Iterator[Block]:
        """Opens a heading, a fence, HTML or a thematic break; or text, which continues a paragraph
        wherever it is."""
        data, sign = self.data, self.data[offset]
        if sign == 35 and (atx := _ATX.match(data, offset)):
            self._close(matched)
            begin, end = self._trim(*atx.span(2))
            title = _CLOSING_SIGNS.sub(b"", data[begin:end]).rstrip()
            yield Block(len(atx[1]), offset, self.at, begin, begin + len(title))
        elif sign in b"`~" and (fence := _FENCE.match(data, offset)):
            self._close(matched)
            self.leaf, self.fence = "fence", fence[0]
        elif sign in b"-*_" and _BREAK.match(data, offset):
            self._close(matched)
        elif (
            sign == 60
            and (html := _HTML.match(data, offset))
            and not (html["tag"] and self.leaf in ("paragraph", "table"))
        ):
            self._close(matched)
            self.html_kind = html.lastgroup or ""
            ending = _HTML_ENDS.get(self.html_kind)
            if not (ending and ending.search(data, offset, self.at)):
                self.leaf, self.html_start = "html", offset
        elif self.leaf not in ("paragraph", "table"):
            self._close(matched)
            self.leaf, self.paragraph = "paragraph", offset


def _n_cells(row: bytes) -> int:
    """Counts the cells of a table row."""
    row = row.strip()
    n_pipes = row.count(b"|") - row.count(b"\\|")
    return n_pipes + 1 - row.startswith(b"|") - (row.endswith(b"|") and not row.endswith(b"\\|"))
