"""Reads the versions of a changelog: one item for each heading that names one, with its date."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from symindex.extract.documents.document import Document, Section
from symindex.extract.items.field_values import cut_text
from symindex.extract.items.item import BOUNDARY, Value
from symindex.extract.items.tasks import MOST_PARTS, ItemPart

_NUMBER: Final = (
    r"\d{1,5}(?:\.(?:\d{1,8}|[x*])){1,4}(?:[-.+_]?[0-9A-Za-z]+(?:[.+-][0-9A-Za-z]+){0,6})?"
)

MOST_TEXT: Final = 100_000
"""Most characters of a version's own text."""

_HEADING: Final = re.compile(
    rf"""(?:(?P<before>\d{{4}}-\d{{2}}-\d{{2}})\s*[,:\u2013\u2014-]?\s*)?
    [^\w@]{{0,3}}(?:(?P<package>@?[A-Za-z][\w./-]{{0,60}})[\s@]\s*)?
    (?:(?:version|release|ver\.?)\s*:?\s*)?
    [\[(]?(?P<version>unreleased|upcoming|(?<![\w.])[vV]?(?:{_NUMBER})(?![\w])|[vV]\d{{1,5}}(?![\w.]))\]?
    (?P<rest>.{{0,200}})""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_PACKAGE: Final = frozenset({"version", "release", "ver", "v", "what's", "changelog"})

_ISO: Final = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b")
_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_MONTH: Final = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_WRITTEN: Final = (
    re.compile(
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\b", re.IGNORECASE
    ),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+{_MONTH},?[\s-]+(?P<year>\d{{4}})\b",
        re.IGNORECASE,
    ),
)
_SENTENCE: Final = re.compile(
    r"[.)]?\s+(?!released?\b|final\b|lts\b|beta\b|alpha\b|rc)\w+\s+\w+\s|\.\s+\w", re.IGNORECASE
)
_LINK_TARGET: Final = re.compile(r"\]\([^()\s]*\)")


def changelog_versions(data: bytes, document: Document) -> Iterator[ItemPart]:
    """Returns the versions in the order of the file. Each ends where the next one begins, even at a
    heading of a lower level: many changelogs write `## 2.9.1` below `# 3.0.0`."""
    chosen: list[tuple[Section, _VersionHeading]] = []
    end = 0
    for section in document.sections:
        heading = _version_of(section)
        if heading is None:
            continue
        # Inside a version, a package with a version is a dependency, and the version itself is a
        # repetition.
        if (
            section.start_byte < end
            and chosen
            and (heading.package or heading.version == chosen[-1][1].version)
        ):
            continue
        chosen.append((section, heading))
        end = max(end, section.end_byte)
        if len(chosen) > MOST_PARTS:
            break
    inside = iter(document.sections)
    following = next(inside, None)
    for number, (section, heading) in enumerate(chosen):
        stop = chosen[number + 1][0].start_byte if number + 1 < len(chosen) else section.end_byte
        stop = min(stop, section.end_byte)
        texts: list[str] = []
        while following is not None and following.start_byte < stop:
            if following.start_byte >= section.start_byte:
                texts.append(f"{following.title}\n{BOUNDARY}{following.text}")
            following = next(inside, None)
        end = section.start_byte + len(data[section.start_byte : stop].rstrip())
        place = section.start_byte, end, section.title_start, section.title_end
        yield ItemPart(
            heading.version,
            _fields_of(section, heading),
            *place,
            cut_text(f"\n{BOUNDARY}\n".join(texts), MOST_TEXT),
        )


def _fields_of(section: Section, heading: "_VersionHeading") -> dict[str, Value]:
    fields: dict[str, Value] = {"version": heading.version, "title": section.title}
    date = date_in(f"{heading.before} {heading.rest}") or date_in(section.text[:200])
    if date:
        fields["date"] = date
    if heading.package:
        fields["package"] = heading.package
    if heading.version == "unreleased" or "unreleased" in section.text[:40].lower():
        fields["status"] = "unreleased"
    elif "yanked" in heading.rest.lower():
        fields["status"] = "yanked"
    return fields


class _VersionHeading(NamedTuple):
    """The parts of a heading: the version, the package, the text after it, and a date before it."""

    version: str
    package: str
    rest: str
    before: str


def _version_of(section: Section) -> _VersionHeading | None:
    """Parses a heading that names a version; returns `None` for other headings."""
    title = _LINK_TARGET.sub("]", section.title.strip()[:300])
    match = _HEADING.match(title)
    if match is None:
        return None
    version = (
        match["version"].lower()
        if match["version"][:1] in "uU"
        else match["version"].removeprefix("v").removeprefix("V")
    )
    if version == "upcoming":
        version = "unreleased"
    rest = match["rest"]
    # A heading that continues with words is a sentence about a version, and `2.5. Title` is a
    # numbered section.
    if _SENTENCE.match(rest) is not None and not date_in(rest):
        return None
    package = match["package"] or ""
    return _VersionHeading(
        version, "" if package.lower() in _NO_PACKAGE else package, rest, match["before"] or ""
    )


def date_in(text: str) -> str:
    """Returns the first date of a text in ISO form; empty if there is none."""
    iso = _ISO.search(text)
    if iso is not None and 1 <= int(iso[2]) <= 12 and 1 <= int(iso[3]) <= 31:
        return f"{iso[1]}-{int(iso[2]):02}-{int(iso[3]):02}"
    for pattern in _WRITTEN:
        match = pattern.search(text)
        if match is not None:
            month = _MONTHS.index(match["month"].lower()) + 1
            return cut_text(f"{match['year']}-{month:02}-{int(match['day']):02}")
    return ""
