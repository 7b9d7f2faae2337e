"""Reads reStructuredText: finds sections by the lines drawn under and over their titles.

Titles are at the margin, at the beginning of a block. So the text is read block by block, as far as
needed to know where one begins; indented text is skipped at once. A new style of drawing is one
level below the known ones.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from symindex.extract.documents.document import Document
from symindex.extract.documents.nesting import (
    RAW_TITLE_BYTES,
    Heading,
    nest_lines,
    shorten_title,
    with_line_feeds,
    written,
)

_SIGN: Final = rb"[!-/:-@\[-`{-~]"

_NUMBER: Final = rb"\(?(?:[0-9]++|[a-zA-Z#]|[ivxlcdmIVXLCDM]++)[.)]"

_SKIPPED: Final = re.compile(
    rb"(?:[ \t\f\v]*+\n|[ \t\f\v]++[^\n]++\n)++"
    # explicit markup and anonymous targets: what belongs to them is indented
    rb"|(?:\.\.|__)(?:[ \t][^\n]*+)?\n"
    rb"|(?:[-+*]|\xe2\x80\xa2|\xe2\x80\xa3|\xe2\x81\x83)(?:[ \t][^\n]*+)?\n"
    rb"|%b[ \t][^\n]*+\n(?=[ \t\n]|%b[ \t]|\Z)"
    rb"|:(?![: ])(?:[^:\\\n]|\\[^\n]|:(?![ `\n]))++(?<! ):(?:[ \t][^\n]*+)?\n"
    rb"|\|(?:[ \t][^\n]*+)?\n"
    rb"|>>>(?:[ \t][^\n]*+)?\n(?:[^\n]*[^\s][^\n]*\n)*+"
    rb"|\+-[-+]++\+?[ \t]*+\n(?:[^\n]*[^\s][^\n]*\n)*+" % (_NUMBER, _NUMBER)
)
"""Text that contains no title: blank and indented lines, list items, fields, line blocks, doctests,
grid tables."""

_TABLE: Final = re.compile(rb"=++(?: ++=++)++[ \t]*+\n")
_TABLE_BORDER: Final = re.compile(rb"^=++[ =]*+$", re.MULTILINE)
_LINE: Final = re.compile(rb"[^\n]*+\n?")
_ADORNMENT: Final = re.compile(rb"((%b)\2*+)[ \t]*+(?:\n|\Z)" % _SIGN)
_PARAGRAPH: Final = re.compile(rb"(?:(?![ \t\f\v])[^\n]*[^\s][^\n]*(?:\n|\Z))++")
_BLANK: Final = re.compile(rb"(?:[ \t\f\v]*+\n)*+")

_INLINE: Final = re.compile(
    r"""``(?P<literal>.+?)``(?!`)"""
    r"""|(?P<role>:[a-zA-Z0-9](?:[\w.+:-]*[a-zA-Z0-9])?:)?`(?P<text>[^`\s](?:[^`\\]|\\.)*+)`(?::[a-zA-Z0-9][\w.+-]*+:|__?)?"""
    r"""|(?<![\w*])\*\*(?P<strong>[^\s*](?:.*?[^\s\\])??)\*\*(?!\w)|(?<![\w*])\*(?P<emphasis>[^\s*](?:[^*]*?[^\s\\*])??)\*(?![\w*])"""
    r"""|(?<!\w)\|(?P<substitution>[^\s|](?:[^|]*?[^\s|])??)\|_{0,2}(?!\w)"""
    r"""|(?<![^\s'"(\[{<\-/:])(?P<name>[^\W_]+(?:[-._+:][^\W_]+)*)__?(?![^\s'")\]}>\-/:.,;!?\\])"""
    r"""|\[(?:\#[\w.-]*+|\*|(?P<note>[\w.-]++))\]_(?!\w)"""
    r"""|\\(?:[ \n]|(?P<escaped>.))"""
)
_TARGET: Final = re.compile(r"(?s)(.*\S)\s*<[^<>]*>\Z")
_ROLES: Final = re.compile(rb":[a-zA-Z][\w.+:-]{0,60}:(?=`)")


def read(data: bytes, start: int) -> Document:
    """Returns the sections of a reStructuredText document."""
    data = with_line_feeds(data)
    return nest_lines(data, start, _find_headings(data, start), _plain_text)


def _plain_text(data: bytes) -> str:
    return _ROLES.sub(b"", data).decode("utf-8", "replace").strip()


def _find_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yields the titles at the margin, with the level of their style."""
    styles: dict[bytes, int] = {}
    offset, size = start, len(data)
    while offset < size:
        if skipped := _SKIPPED.match(data, offset):
            offset = skipped.end()
        elif table := _TABLE.match(data, offset):
            offset = _behind_table(data, table.end())
        elif (adornment := _ADORNMENT.match(data, offset)) and (
            drawn := _behind_adornment(data, adornment)
        ) is not None:
            title, offset = drawn
            if title:
                level = styles.setdefault(adornment[2] * 2, len(styles) + 1)
                yield _heading(data, level, adornment.start(), *title.span(), offset)
        else:
            title = _LINE.match(data, offset)
            assert title is not None
            underline = _ADORNMENT.match(data, title.end())
            if underline and _is_as_wide(underline[1], title[0]):
                offset = underline.end()
                level = styles.setdefault(underline[2], len(styles) + 1)
                yield _heading(data, level, title.start(), *title.span(), offset)
            else:
                offset = _behind_paragraph(data, offset)


def _heading(
    data: bytes, level: int, start: int, title_start: int, title_end: int, end: int
) -> Heading:
    line = data[title_start:title_end]
    title_end = title_start + len(line.rstrip())
    title_start += len(line) - len(line.lstrip())
    raw = data[title_start : min(title_end, title_start + RAW_TITLE_BYTES)].decode(
        "utf-8", "replace"
    )
    title = plain_title(raw) or shorten_title(raw)
    return Heading(
        level, start, end, title_start, title_end, title, written(data, title_start, title_end)
    )


def _is_as_wide(adornment: bytes, title: bytes) -> bool:
    """Whether a drawn line is wide enough to make a title of the text above: four signs are enough
    for any title."""
    if len(adornment) >= 4:
        return True
    text = title[:100].decode("utf-8", "replace").rstrip()
    width = sum(
        2 if unicodedata.east_asian_width(sign) in "WF" else not unicodedata.combining(sign)
        for sign in text
    )
    return width <= len(adornment)


def _behind_adornment(
    data: bytes, adornment: re.Match[bytes]
) -> tuple[re.Match[bytes] | None, int] | None:
    """Interprets a line of signs at the beginning of a block. Returns the title below it, or `None`
    for no title, and the end; or only `None` if the line is text."""
    is_short = len(adornment[1]) < 4
    line = _LINE.match(data, adornment.end())
    assert line is not None
    if not line[0].strip():
        return None if is_short else (None, adornment.end())
    if _ADORNMENT.match(line[0]):
        return None if is_short else (None, line.end())
    under = _LINE.match(data, line.end())
    assert under is not None
    if under[0].rstrip() == adornment[1] and _is_as_wide(adornment[1], line[0]):
        return line, under.end()
    return None if is_short else (None, under.end())


def _behind_table(data: bytes, offset: int) -> int:
    """Returns the end of a simple table: its third border, or the second if a blank line
    follows."""
    end = offset
    for number, border in enumerate(_TABLE_BORDER.finditer(data, offset)):
        end = border.end() + 1
        following = _LINE.match(data, end)
        if number or following is None or not following[0].strip():
            break
    return end


def _behind_paragraph(data: bytes, offset: int) -> int:
    """Returns the end of the paragraph that begins here. If it announces a quoted, unindented
    literal block, returns the end of that."""
    paragraph = _PARAGRAPH.match(data, offset)
    assert paragraph is not None
    offset = paragraph.end()
    if not data[max(0, offset - 200) : offset].rstrip().endswith(b"::"):
        return offset
    blank = _BLANK.match(data, offset)
    quoted = blank.end() if blank else offset
    if quoted == offset or not re.match(_SIGN, data[quoted : quoted + 1]):
        return offset
    sign = data[quoted]
    while quoted < len(data) and data[quoted] == sign:
        quoted = data.find(b"\n", quoted) + 1 or len(data)
    return quoted


def plain_title(text: str) -> str:
    """Removes inline markup from a title."""
    return shorten_title(_INLINE.sub(_without_markup, text[:RAW_TITLE_BYTES]))


def _without_markup(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if match["text"] is None:
        return match[kind] or "" if kind else ""
    text = match["text"]
    if target := _TARGET.match(text):
        text = target[1]
    elif match["role"] and text.startswith("~"):
        text = text.rpartition(".")[2].removeprefix("~")
    return text.removeprefix("!") if match["role"] else text
