"""Reads the metadata of an item from its sources: front matter, headings, keys, a module's own
variables and docstring, a directive's tag.

Each source gives fields by name; the first source of a row that has a field wins. Nothing is
executed: of a module, regular expressions see the first few kilobytes.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from symindex.extract.documents.document import Document
from symindex.extract.items.field_values import as_text, cut_text, flatten, names_in
from symindex.extract.items.front_matter import FrontMatter
from symindex.extract.items.item import Value
from symindex.extract.items.item_type import ItemType
from symindex.extract.items.keyed_tree import FormatError, Mapping, Tree
from symindex.extract.items.structured import read_structured, step_into
from symindex.text.entities import without_references

NAMED: Final = ("name", "title", "description", "category", "version", "author", "status", "date")
"""The fields with a meaning of their own; they are texts."""

HEAD_CHARACTERS: Final = 20_000
"""How much of a module or a directive to read: its metadata is at the top."""

LONGEST_DESCRIPTION: Final = 1_000
FEWEST_WORDS: Final = 4
"""Fewest words of a paragraph that describes something."""


class MetadataSource(NamedTuple):
    """The input of a metadata source: a file and what was already read from it."""

    path: str
    data: bytes
    row: ItemType
    document: Document | None
    front: FrontMatter | None


def read_fields(source: MetadataSource) -> tuple[dict[str, Value], str]:
    """Returns the fields of a file, and a line about a fault in its metadata; the line is usually
    empty."""
    fields: dict[str, Value] = {}
    problems: list[str] = []
    for word in source.row.metadata:
        name, _, argument = word.partition(":")
        source_fields, problem = _READERS[name](source, argument)
        name_fields(source_fields, source.row.aliases)
        for key, value in source_fields.items():
            if value != "":
                fields.setdefault(key, value)
        if problem:
            problems.append(problem)
    return {**source.row.fields, **fields}, "; ".join(problems)


def name_fields(fields: dict[str, Value], aliases: dict[str, tuple[str, ...]]) -> None:
    """Fills the named fields from their aliases and converts them to text."""
    for name, alternatives in aliases.items():
        if name not in fields:
            value = next((fields[alias] for alias in alternatives if fields.get(alias)), None)
            if value is not None:
                fields[name] = value
    for name in NAMED:
        if name in fields:
            fields[name] = cut_text(as_text(fields[name]).strip())


def first_paragraph(text: str) -> str:
    """Returns the first paragraph of a plain text that has enough words, on one line; else the
    first paragraph."""
    first = ""
    for paragraph in re.finditer(r"\S[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*+", text[:HEAD_CHARACTERS]):
        text_line = cut_text(" ".join(paragraph[0].split()), LONGEST_DESCRIPTION)
        first = first or text_line
        if len(text_line.split()) >= FEWEST_WORDS:
            return text_line
    return first


SourceFields = tuple[dict[str, Value], str]


def _read_front(source: MetadataSource, _: str) -> SourceFields:
    if source.front is None:
        return {}, ""
    fields = dict(source.front.fields)
    if source.front.authors:
        fields["author"] = source.front.authors
    return fields, source.front.problem


def _read_headings(source: MetadataSource, _: str) -> SourceFields:
    document = source.document
    if document is None:
        return {}, ""
    fields: dict[str, Value] = {}
    sections = document.sections
    # A document whose name is defined elsewhere may begin with the heading of its first section.
    if sections and (
        sections[0].level == 1 or source.front is None or "name" not in source.front.fields
    ):
        fields["title"] = sections[0].title
    described = [
        text
        for section in (document.opening, *(section.text for section in sections[:5]))
        if (text := first_paragraph(section))
    ]
    if described:
        # Badges and links to translations are short, and precede the description of a project.
        fields["description"] = next(
            (section for section in described if len(section.split()) >= FEWEST_WORDS), described[0]
        )
    return fields, ""


_LISTED: Final = re.compile(
    r"^[^\S\n]*+(?:(?:[-*+]|\d++\.)[^\S\n]*+)?[*_]{0,2}(?P<key>status|date|deciders|decision-makers|author|authors)[*_]{0,2}[^\S\n]*+:"
    r"[*_]{0,2}[^\S\n]*(?P<value>[^\n]{1,500})",
    re.MULTILINE | re.IGNORECASE,
)
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def _read_decision(source: MetadataSource, _: str) -> SourceFields:
    """Finds the status and date of a decision: below headings with these names, or in a list at the
    top."""
    document = source.document
    if document is None:
        return {}, ""
    fields: dict[str, Value] = {}
    top = document.opening + "\n" + (document.sections[0].text if document.sections else "")
    for listed in _LISTED.finditer(top[:HEAD_CHARACTERS]):
        fields.setdefault(listed["key"].lower(), listed["value"].strip(" *_"))
    for section in document.sections:
        key = section.title.strip(" :").lower()
        if key in ("status", "date", "deciders", "decision-makers") and (
            value := first_paragraph(section.text)
        ):
            fields.setdefault(key, value)
    status = fields.get("status")
    if (
        isinstance(status, str)
        and "date" not in fields
        and (date := _DATE.search(status)) is not None
    ):
        fields["date"] = date[0]
    return fields, ""


_DUNDER: Final = re.compile(
    r"""^(?:export[ ]+)?(?:const[ ]+|let[ ]+|var[ ]+)?__(?P<name>[a-z]\w{0,60}?)__[ \t]*(?::[^\n=]{0,60})?=[ \t]*"""  # noqa: E501
    r"""(?:"(?P<double>(?:[^"\\\n]|\\.)*+)"|'(?P<single>(?:[^'\\\n]|\\.)*+)'|(?P<word>True|False|true|false|-?\d[\d.]{0,17}))"""
    r"""[ \t]*;?[ \t]*(?:\#[^\n]*|//[^\n]*)?$""",
    re.MULTILINE,
)
_LEADING: Final = re.compile(r"(?:[ \t\r\n]++|\#[^\n]*+\n?+|from __future__[^\n]*+\n)*+")
_DOCSTRING: Final = re.compile(
    r"[rRuU]?(?:\"\"\"(?P<double>.*?)\"\"\"|'''(?P<single>.*?)'''|\"(?P<short>[^\"\n]*)\")",
    re.DOTALL,
)


def _read_module(source: MetadataSource, _: str) -> SourceFields:
    """Reads the variables between double underscores that are texts, numbers or booleans, and the
    docstring."""
    text = _head(source)
    fields: dict[str, Value] = {}
    for variable in _DUNDER.finditer(text):
        string = variable["double"] if variable["double"] is not None else variable["single"]
        if string is not None:
            fields.setdefault(variable["name"], cut_text(re.sub(r"\\(.)", r"\1", string)))
        else:
            fields.setdefault(
                variable["name"],
                variable["word"]
                if variable["word"][0] not in "TtFf"
                else variable["word"][0] in "Tt",
            )
    preamble = _LEADING.match(text)
    docstring = _DOCSTRING.match(text, preamble.end() if preamble is not None else 0)
    if docstring is not None and (
        string := first_paragraph(next(filter(None, docstring.groups()), ""))
    ):
        fields.setdefault("description", string)
    return fields, ""


_COMMENT: Final = re.compile(
    r"(?:\#![^\n]*\n)?\s*+(?:/\*(?:\*++(?!/))?+(?P<block>.*?)\*/|(?P<lines>(?:[ \t]*+(?:\#|//)[^\n]*+\n?+)+))",  # noqa: E501
    re.DOTALL,
)


def _read_comment(source: MetadataSource, _: str) -> SourceFields:
    """Reads the comment that a script begins with."""
    comment = _COMMENT.match(_head(source))
    if comment is None:
        return {}, ""
    lines = (comment["block"] or comment["lines"] or "").split("\n")
    text = "\n".join(
        re.sub(r"^\s*(?:\*|\#+|//+)?\s?", "", line) for line in lines if "signed:" not in line
    )
    description = first_paragraph(text)
    return ({"description": description} if description else {}), ""


_ATTRIBUTE: Final = re.compile(
    r"""\b(?P<key>[A-Za-z_][\w.-]{0,60})\s*=\s*(?:"(?P<double>[^"<>]*)"|'(?P<single>[^'<>]*)')"""
)
_CHILD: Final = re.compile(
    r"<(?P<key>[A-Za-z_][\w.-]{0,60})(?P<attributes>[^<>]{0,1000})>(?P<value>[^<]*)</(?P=key)>"
)


def _read_tag(source: MetadataSource, _: str) -> SourceFields:
    """Reads the attributes of a tag with the name of the type, such as
    `<directive name="x" version="1.0.0">`, and the content of its `<metadata>`."""
    text = _head(source)
    opening = re.search(rf"<{re.escape(source.row.type)}\b(?P<attributes>[^<>]{{0,2000}})>", text)
    if opening is None:
        return {}, ""
    fields: dict[str, Value] = {}
    for match in _ATTRIBUTE.finditer(opening["attributes"]):
        fields.setdefault(match["key"], _unescaped(match["double"] or match["single"] or ""))
    start = text.find("<metadata", opening.end())
    end = text.find("</metadata>", start)
    for child in _CHILD.finditer(text, start, end) if 0 <= start < end else ():
        fields.setdefault(child["key"], _unescaped(child["value"]))
    return fields, ""


def _unescaped(text: str) -> str:
    return cut_text(" ".join(without_references(text).split()))


def _read_keys(source: MetadataSource, argument: str) -> SourceFields:
    """Reads the keys at the top of a structured file, or in the table that the argument names."""
    try:
        tree = read_structured(source.path, source.data)
    except FormatError as error:
        return {}, f"line {error.line}: {error.reason}"
    for key in argument.split(".") if argument else ():
        tree = step_into(tree, key)
    if not isinstance(tree, Mapping):
        return {}, ""
    fields, cut = flatten(_without_bulk(tree))
    authors = names_in(tree.get("author")) or names_in(tree.get("authors"))
    if authors:
        fields["author"] = authors
    return fields, cut


_BULK: Final = re.compile(
    r"(?i).*dependencies|scripts|exports|overrides|resolutions|prompt|body|instructions|developer_instructions"
)


def _without_bulk(tree: Mapping) -> Tree:
    """Leaves out lists of other packages and long texts, which are content rather than metadata."""
    return Mapping([entry for entry in tree.entries if not _BULK.fullmatch(entry.key)])


def _head(source: MetadataSource) -> str:
    return source.data[:HEAD_CHARACTERS].decode("utf-8", "replace").replace("\r\n", "\n")


_READERS: Final[dict[str, Callable[[MetadataSource, str], SourceFields]]] = {
    "front_matter": _read_front,
    "headings": _read_headings,
    "decision": _read_decision,
    "module": _read_module,
    "comment": _read_comment,
    "tag": _read_tag,
    "keys": _read_keys,
}
