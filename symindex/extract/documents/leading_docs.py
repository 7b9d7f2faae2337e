"""What a code file says of itself: the docstring of the file, or the first comment that describes it.

No file is parsed for it: every code file of a tree pays for the look, and most have no such text. What the language's rules say of
comments is enough. Licences, editor settings and the doc of the first definition are no documentation of the file.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from symindex.extract.comment_text import comment_text_of
from symindex.extract.languages.language import Language, compile_pattern

HEAD_BYTES: Final = 16_384
"""So much of a file is looked at. A docstring that ends behind it is cut."""

_SHEBANG: Final = re.compile(rb"\s*+#![ \t]*+/[^\n]*+(?:\n|\Z)")
_SPACE: Final = re.compile(rb"\s*+")
_BEHIND_STRING: Final = re.compile(rb"[ \t]*+(?:[#;\r\n]|\Z)")

_NOTICE: Final = re.compile(
    r"(?i)\bcopyright\b|©|\(c\)\s*+\d{4}|\bSPDX-|\ball rights reserved\b|\bpermission is hereby granted\b|\bpublic domain\b"
    r"|\blicen[sc]ed (?:under|to|with|by)\b|\bredistribution and use\b|\bis free software\b|^@licen[sc]e\b|^licen[sc]e:"
    r"|\b(?:MIT|BSD|Apache|ISC|[LA]?GPL|MPL|GNU|Mozilla|Boost|Eclipse|zlib)\b.{0,40}\blicen[sc]e\b"
    r"|\bthis (?:file|program|library|software|code|source(?: code| file)?|module|work|project) is"
    r" (?:part of|free|released|distributed|subject|licen[sc]ed|governed|provided)\b"
)
"""Where a licence or a copyright notice begins; the rest of the comment belongs to it."""

_SETTINGS: Final = re.compile(r"-\*-.*?-\*-|^(?:vim?|ex|kate):.*|^(?:en)?coding[:=].*|^[^\w]+$")
_WORDS: Final = re.compile(r"\w[\W_]+\w")


class _Comment(NamedTuple):
    """A comment at the head of a file: a block, or line comments on adjacent lines."""

    start: int
    end: int
    is_block: bool


class _Rules:
    """What a language says of the head of a file, as patterns for bytes."""

    def __init__(self, language: Language) -> None:
        doc = language.rules.doc
        runs = [
            rb"(?:[ \t]*+%b%b[^\n]*+(?:\n|\Z))++"
            % (b"".join(b"(?!%b)" % re.escape(other.encode()) for other in _inner(marker, doc.line)), re.escape(marker.encode()))
            for marker in doc.line
        ]
        blocks = [rb"%b(?s:.*?)%b" % (re.escape(opening.encode()), re.escape(closing.encode())) for opening, closing in doc.block]
        self.comment = re.compile(rb"\s*+(?:(?P<block>%b)|(?P<lines>%b))" % (b"|".join(blocks) or b"(?!)", b"|".join(runs) or b"(?!)"))
        self.before = re.compile(rb"\s*+(?:%b)[^\n]*+(?:\n|\Z)" % doc.before.encode()) if doc.before else None
        self.behind = re.compile(doc.behind.encode() or b"(?!)")
        self.of_file = compile_pattern(doc.of_file) if doc.of_file else None
        quotes = sorted(doc.quotes, key=lambda pair: -len(pair[0])) if doc.file_string else []
        self.quotes = [(opening.encode(), _string_end(closing)) for opening, closing in quotes]
        self.text = comment_text_of(language)


def _inner(marker: str, markers: list[str]) -> list[str]:
    """The markers that open another kind of comment, though they begin like this one (`//!`)."""
    return [other for other in markers if other != marker and other.startswith(marker) and other.endswith("!")]


def _string_end(closing: str) -> re.Pattern[bytes]:
    """What a string holds after its opening, up to the end of its closing quotes."""
    inside = r"(?:[^\\]|\\.)*?" if len(closing) > 1 else r"(?:[^\\\n]|\\.)*?"
    return re.compile((inside + re.escape(closing)).encode(), re.DOTALL)


@lru_cache(maxsize=64)
def _rules_of(language: Language) -> _Rules:
    return _Rules(language)


def leading_doc(data: bytes, language: Language) -> tuple[int, int, str] | None:
    """Where the documentation of a code file begins and ends, and its text without markers; None where it has none."""
    rules = _rules_of(language)
    head = data[:HEAD_BYTES]
    at = shebang.end() if (shebang := _SHEBANG.match(head)) else 0
    found: tuple[int, int, str] | None = None
    for comment, following in _comments(head, at, rules):
        at = comment.end
        raw = head[comment.start : comment.end].decode("utf-8", "replace")
        is_of_file = rules.of_file is not None and rules.of_file.search(raw) is not None
        if (found and not is_of_file) or (not is_of_file and _is_attached(head, comment, following, rules)):
            continue
        if text := _described(raw, comment, rules):
            found = comment.start, comment.end, text
            if is_of_file:
                break
    return _file_string(head, at, rules) or found if rules.quotes else found


def _comments(head: bytes, at: int, rules: _Rules) -> Iterator[tuple[_Comment, int]]:
    """The comments before the first code, and where what follows each of them begins."""
    while True:
        while rules.before and (header := rules.before.match(head, at)):
            at = header.end()
        match = rules.comment.match(head, at)
        if match is None:
            return
        is_block = match["block"] is not None
        start, at = match.span("block" if is_block else "lines")
        space = _SPACE.match(head, at)
        following = space.end() if space else at
        yield _Comment(start, at - (head[at - 1 : at] == b"\n"), is_block), following


def _is_attached(head: bytes, comment: _Comment, following: int, rules: _Rules) -> bool:
    """Whether a comment documents the definition below it: no blank line between, and that is no header of the file."""
    if following == len(head) or head.count(b"\n", comment.end, following) > 1:
        return False
    return not (rules.behind.match(head, following) or rules.comment.match(head, following))


def _described(raw: str, comment: _Comment, rules: _Rules) -> str:
    """What a comment says before a notice begins, without the settings of editors."""
    lines: list[str] = []
    is_cut = False
    for line in rules.text.doc_lines([raw] if comment.is_block else raw.splitlines()):
        if _NOTICE.search(line):
            is_cut = True
            break
        lines.append(_SETTINGS.sub("", line).strip())
    text = "\n".join(lines).strip()
    return "" if is_cut and not _WORDS.search(text) else text


def _file_string(head: bytes, at: int, rules: _Rules) -> tuple[int, int, str] | None:
    """The string that a file begins with, if it stands for itself."""
    space = _SPACE.match(head, at)
    start = space.end() if space else at
    for opening, ending in rules.quotes:
        if not head.startswith(opening, start):
            continue
        match = ending.match(head, start + len(opening))
        if match is None and len(head) < HEAD_BYTES:
            return None
        end = match.end() if match else len(head)
        if match and not _BEHIND_STRING.match(head, end):
            return None
        text = "\n".join(rules.text.doc_lines([head[start:end].decode("utf-8", "replace")])).strip()
        return (start, end, text) if text else None
    return None
