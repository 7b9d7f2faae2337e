"""reStructuredText: sections by what is drawn under and over their titles.

Titles stand at the margin, at the beginning of a block. So the text is read block by block, as far
as it takes to know where one begins; what is indented is skipped at once. A way of drawing that is
new is a level below those that are known.
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
"""Whatever no title can be in: blank and indented lines, list items, fields, line blocks, doctests,
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


def read(data: bytes, start: int = 0) -> Document:
    """The sections of a reStructuredText document."""
    data = with_line_feeds(data)
    return nest_lines(data, start, _find_headings(data, start), _plain_text)


def _plain_text(data: bytes) -> str:
    return _ROLES.sub(b"", data).decode("utf-8", "replace").strip()


def _find_headings(data: bytes, start: int) -> Iterator[Heading]:
    """The titles at the margin, with the level of how they are drawn."""
    styles: dict[bytes, int] = {}
    at, size = start, len(data)
    while at < size:
        if skipped := _SKIPPED.match(data, at):
            at = skipped.end()
        elif table := _TABLE.match(data, at):
            at = _behind_table(data, table.end())
        elif (adornment := _ADORNMENT.match(data, at)) and (
            drawn := _behind_adornment(data, adornment)
        ) is not None:
            title, at = drawn
            if title:
                level = styles.setdefault(adornment[2] * 2, len(styles) + 1)
                yield _heading(data, level, adornment.start(), *title.span(), at)
        else:
            title = _LINE.match(data, at)
            assert title is not None
            underline = _ADORNMENT.match(data, title.end())
            if underline and _is_as_wide(underline[1], title[0]):
                at = underline.end()
                level = styles.setdefault(underline[2], len(styles) + 1)
                yield _heading(data, level, title.start(), *title.span(), at)
            else:
                at = _behind_paragraph(data, at)


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
    """Whether a line is drawn wide enough to make a title of what is above: four signs are enough
    for any."""
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
    """What a line of signs at the beginning of a block makes: a title below it or none, and where
    it ends. None if it is text."""
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


def _behind_table(data: bytes, at: int) -> int:
    """Where a simple table ends: at its third border, or at the second if a blank line follows."""
    end = at
    for number, border in enumerate(_TABLE_BORDER.finditer(data, at)):
        end = border.end() + 1
        following = _LINE.match(data, end)
        if number or following is None or not following[0].strip():
            break
    return end


def _behind_paragraph(data: bytes, at: int) -> int:
    """Where a paragraph ends that begins here. If it announces a literal block that is quoted and
    not indented, behind that."""
    paragraph = _PARAGRAPH.match(data, at)
    assert paragraph is not None
    at = paragraph.end()
    if not data[max(0, at - 200) : at].rstrip().endswith(b"::"):
        return at
    blank = _BLANK.match(data, at)
    quoted = blank.end() if blank else at
    if quoted == at or not re.match(_SIGN, data[quoted : quoted + 1]):
        return at
    sign = data[quoted]
    while quoted < len(data) and data[quoted] == sign:
        quoted = data.find(b"\n", quoted) + 1 or len(data)
    return quoted


def plain_title(text: str) -> str:
    """A title without inline markup."""
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
