"""The versions of a changelog: one item for each heading that names one, with its date."""

import re
from collections.abc import Iterator
from typing import Final

from symindex.extract.documents.document import Document, Section
from symindex.extract.items.field_values import cut_text
from symindex.extract.items.item import Value
from symindex.extract.items.tasks import MOST_PARTS, Part

_NUMBER: Final = r"\d{1,5}(?:\.(?:\d{1,8}|[x*])){1,4}(?:[-.+_]?[0-9A-Za-z]+(?:[.+-][0-9A-Za-z]+){0,6})?"

_HEADING: Final = re.compile(
    rf"""(?:(?P<before>\d{{4}}-\d{{2}}-\d{{2}})\s*[,:\u2013\u2014-]?\s*)?
    \W{{0,3}}(?:(?P<package>@?[A-Za-z][\w./-]{{0,60}})[\s@]\s*)?
    (?:(?:version|release|ver\.?)\s*:?\s*)?
    [\[(]?(?P<version>unreleased|upcoming|(?<![\w.])[vV]?(?:{_NUMBER})(?![\w])|[vV]\d{{1,5}}(?![\w.]))\]?
    (?P<rest>.{{0,200}})""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_PACKAGE: Final = frozenset({"version", "release", "ver", "v", "what's", "changelog"})

_ISO: Final = re.compile(r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_WRITTEN: Final = (
    re.compile(rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+{_MONTH},?[\s-]+(?P<year>\d{{4}})\b", re.IGNORECASE),
)
_LINK_TARGET: Final = re.compile(r"\]\([^()\s]*\)")


def changelog_versions(data: bytes, document: Document) -> Iterator[Part]:
    """The versions, in the order of the file. A heading inside of a version names another one only if it is one of its series."""
    outer: tuple[str, int] = ("", 0)
    for section in document.sections[: MOST_PARTS * 10]:
        named = _version_of(section)
        if named is None:
            continue
        version, package, rest, before = named
        if section.start_byte < outer[1] and not version.startswith(re.sub(r"(?:[.x*]|\.0)+$", ".", outer[0])):
            continue
        outer = version, section.end_byte
        fields: dict[str, Value] = {"version": version, "title": section.title}
        date = date_in(f"{before} {rest}") or date_in(section.text[:200])
        if date:
            fields["date"] = date
        if package:
            fields["package"] = package
        if version == "unreleased":
            fields["status"] = "unreleased"
        elif "yanked" in rest.lower():
            fields["status"] = "yanked"
        text = "\n\n".join(
            f"{each.title}\n{each.text}"
            for each in document.sections
            if section.start_byte <= each.start_byte < section.end_byte and each.level >= section.level
        )
        ends = section.start_byte, section.end_byte, section.title_start, section.title_end
        yield Part(version, fields, *ends, text)


def _version_of(section: Section) -> tuple[str, str, str, str] | None:
    """The version, the package, what stands behind it, and the date before it, of a heading that names a version."""
    title = _LINK_TARGET.sub("]", section.title.strip()[:300])
    found = _HEADING.match(title)
    if found is None:
        return None
    version = found["version"].lower() if found["version"][:1] in "uU" else found["version"].removeprefix("v").removeprefix("V")
    if version == "upcoming":
        version = "unreleased"
    rest = found["rest"]
    # A heading that goes on with words is a sentence about a version.
    if re.match(r"\s+(?!\(|released?\b|final|lts|beta|alpha|rc)[a-z]+\s+[a-z]+\s", rest, re.IGNORECASE) and not date_in(rest):
        return None
    package = found["package"] or ""
    return version, "" if package.lower() in _NO_PACKAGE else package, rest, found["before"] or ""


def date_in(text: str) -> str:
    """The first date of a text in ISO form; empty where there is none."""
    iso = _ISO.search(text)
    if iso is not None and 1 <= int(iso[2]) <= 12 and 1 <= int(iso[3]) <= 31:
        return f"{iso[1]}-{int(iso[2]):02}-{int(iso[3]):02}"
    for pattern in _WRITTEN:
        found = pattern.search(text)
        if found is not None:
            month = _MONTHS.index(found["month"].lower()) + 1
            return cut_text(f"{found['year']}-{month:02}-{int(found['day']):02}")
    return ""
