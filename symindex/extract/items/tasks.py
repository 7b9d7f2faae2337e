"""Finds what can be run: the targets and recipes of a file, and the scripts and jobs that its keys
name."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from symindex.extract.items.field_values import MOST_ENTRIES, as_text, cut_text, flatten
from symindex.extract.items.item import Value
from symindex.extract.items.keyed_tree import Mapping, Tree
from symindex.extract.items.structured import KeyedPart, find_parts

MOST_PARTS: Final = 2_000
"""Most tasks of one file."""
MOST_RULES: Final = 20_000
"""Most rules to read in one file; a target may have several."""
LONGEST_NAME: Final = 200


class ItemPart(NamedTuple):
    """A part of a file that is an item of its own. Positions are bytes; the name is the range from
    name_start to name_end."""

    name: str
    fields: dict[str, Value]
    start: int
    end: int
    name_start: int
    name_end: int
    text: str


_COMMANDS: Final = (
    "command",
    "cmd",
    "cmds",
    "commands",
    "run",
    "script",
    "shell",
    "sequence",
    "shell_script",
)
_DESCRIPTIONS: Final = ("description", "desc", "help", "summary")
_TITLES: Final = ("title", "name", "displayName", "label")


def keyed_tasks(
    path: str, data: bytes, pattern: str, excluded: tuple[str, ...]
) -> Iterator[ItemPart]:
    """Returns the parts that a pattern of keys names. Raises FormatError."""
    for part in find_parts(path, data, pattern, excluded):
        fields = _fields_of(part)
        start = data.rfind(b"\n", 0, part.key_start) + 1
        if data[start : part.key_start].strip(b" \t\"'-?["):
            start = part.key_start  # something else precedes it on the line
        end = max(part.end, part.key_end)
        text = cut_text(data[start:end].decode("utf-8", "replace"))
        yield ItemPart(
            part.name,
            fields,
            start,
            start + len(data[start:end].rstrip()),
            *_without_quotes(data, part),
            text,
        )


def _without_quotes(data: bytes, part: KeyedPart) -> tuple[int, int]:
    quoted = part.key_end - part.key_start >= 2 and data[part.key_start : part.key_start + 1] in (
        b'"',
        b"'",
    )
    return part.key_start + quoted, part.key_end - quoted


def _fields_of(part: KeyedPart) -> dict[str, Value]:
    value = part.value
    if not isinstance(value, Mapping):
        command = _command(value)
        return {"command": command} if command else {}
    fields: dict[str, Value] = {}
    for name, keys in (("title", _TITLES), ("description", _DESCRIPTIONS)):
        summary = next(
            (
                summary
                for key in keys
                if isinstance(summary := value.get(key), str) and summary and summary != part.name
            ),
            "",
        )
        if summary:
            fields[name] = cut_text(" ".join(summary.split()))
    command = next((command for key in _COMMANDS if (command := _command(value.get(key)))), "")
    if command:
        fields["command"] = command
    used = {*_COMMANDS, *_DESCRIPTIONS, *_TITLES}
    rest, _ = flatten(
        Mapping(
            [
                entry
                for entry in value.entries
                if entry.key not in used and not _is_list_of_mappings(entry.value)
            ]
        )
    )
    return {**rest, **fields}


def _is_list_of_mappings(value: Tree) -> bool:
    """Whether a value is a list of mappings: the steps of a job, which are content."""
    return isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value)


def _command(value: Tree) -> str:
    """Returns a command as written, or several on a line each."""
    if isinstance(value, list):
        return cut_text("\n".join(filter(None, map(_command, value[:MOST_ENTRIES]))))
    if isinstance(value, Mapping):
        return next((command for key in _COMMANDS if (command := _command(value.get(key)))), "")
    return "" if value is None else cut_text(as_text(value).strip())


_DEFINE: Final = re.compile(rb"^(?:(?P<opens>define)|endef)\b", re.MULTILINE)
_TARGET: Final = re.compile(
    rb"^(?P<names>(?!(?:define|endef|ifn?eq|ifn?def|else|endif|s?include|export|override|unexport|vpath)\b)"
    rb"[A-Za-z0-9_][^\s:=\#$%]*+(?:[ \t]+[^\s:=\#$%]++)*+)[ \t]*::?(?![:=])(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_ASSIGNED: Final = re.compile(rb"\s*(?:(?:export|override|private)\s+)*[\w.-]+\s*(?:[:?+!]{0,3}=)")


def make_targets(data: bytes) -> Iterator[ItemPart]:
    """Returns the targets with a literal name: no patterns, no special targets, none named by a
    variable. A target with several rules is taken from the first one that has a recipe."""
    text = _without_definitions(data)
    targets: dict[str, ItemPart] = {}
    with_recipe: set[str] = set()
    for rule in islice(_TARGET.finditer(text), MOST_RULES):
        rest, hashes, comment = rule["rest"].partition(b"##")
        if _ASSIGNED.match(rest):
            continue
        end = _end_of_recipe(text, rule.end())
        has_recipe = end > rule.end() or b";" in rest
        fields: dict[str, Value] = {}
        described = (
            comment.strip().decode("utf-8", "replace")
            if hashes
            else _comment_above(data, rule.start())
        )
        if described:
            fields["description"] = cut_text(described)
        needs = rest.partition(b"#")[0].partition(b";")[0].decode("utf-8", "replace").split()
        if needs:
            fields["needs"] = [
                cut_text(need, LONGEST_NAME) for need in needs[:MOST_ENTRIES] if need != "|"
            ]
        written = cut_text(data[rule.start() : end].decode("utf-8", "replace"))
        for name in re.finditer(rb"[^\s]+", rule["names"]):
            key = name[0].decode("utf-8", "replace")
            offset = rule.start() + name.start()
            if key not in targets or (has_recipe and key not in with_recipe):
                targets[key] = ItemPart(
                    key, fields, rule.start(), end, offset, offset + len(name[0]), written
                )
                with_recipe |= {key} if has_recipe else set()
        if len(targets) > MOST_PARTS:  # the reader of items reports that there are more
            break
    yield from sorted(targets.values(), key=lambda part: part.name_start)


def _without_definitions(data: bytes) -> bytes:
    """Blanks multi-line variables, which may contain rules for `eval`."""
    pieces: list[bytes] = []
    offset, start = 0, -1
    for match in _DEFINE.finditer(data):
        if match["opens"]:
            start = match.start() if start < 0 else start
        elif start >= 0:
            pieces += [data[offset:start], re.sub(rb"[^\n]", b" ", data[start : match.start()])]
            offset, start = match.start(), -1
    return b"".join([*pieces, data[offset:]])


def _end_of_recipe(text: bytes, offset: int) -> int:
    """Returns the end of the lines that a rule runs: those that begin with a tab, with blank lines
    and comments between them."""
    end = offset
    while True:
        stop = text.find(b"\n", offset + 1)
        stop = len(text) if stop < 0 else stop
        line = text[offset + 1 : stop]
        if offset >= len(text) or (line.strip() and not line.startswith((b"\t", b"#"))):
            return end
        if line.startswith(b"\t") and line.strip():
            end = stop
        offset = stop


_RECIPE_HEAD: Final = re.compile(
    rb"^@?(?P<name>[A-Za-z_][\w-]*+)(?P<parameters>(?:[ \t](?:'[^'\n]*+'|\"[^\"\n]*+\"|[^\n:'\"])*+)?):(?!=)(?P<rest>[^\n]*)$",  # noqa: E501
    re.MULTILINE,
)
_ATTRIBUTE_LINE: Final = re.compile(rb"^\[(?P<inside>[^\n]*)\][ \t]*\r?$")
_ATTRIBUTE: Final = re.compile(
    r"""(?P<key>[a-z][\w-]*)(?:\s*[:(]\s*["'](?P<value>[^"'\n]*)["']\s*\)?)?"""
)
_NO_RECIPE: Final = (b"set", b"alias", b"import", b"export", b"mod", b"unexport")


def just_recipes(data: bytes) -> Iterator[ItemPart]:
    """Returns the recipes, with the comment and the attributes above them."""
    n_parts = 0
    for head in _RECIPE_HEAD.finditer(data):
        if head["name"] in _NO_RECIPE and head["parameters"].strip():
            continue
        fields: dict[str, Value] = {}
        offset = head.start()
        while (line := _line_above(data, offset)) is not None and (
            recipes := _ATTRIBUTE_LINE.match(line)
        ) is not None:
            offset -= len(line) + 1
            for attribute in _ATTRIBUTE.finditer(recipes["inside"].decode("utf-8", "replace")):
                fields.setdefault(
                    attribute["key"], attribute["value"] if attribute["value"] is not None else True
                )
        described = fields.pop("doc", None) or _comment_above(data, offset)
        if isinstance(described, str) and described:
            fields["description"] = cut_text(described)
        parameters = head["parameters"].decode("utf-8", "replace").split()
        if parameters:
            fields["parameters"] = [
                cut_text(parameter, LONGEST_NAME) for parameter in parameters[:MOST_ENTRIES]
            ]
        needs = re.findall(
            r"[A-Za-z_][\w-]*", head["rest"].partition(b"#")[0].decode("utf-8", "replace")
        )
        if needs:
            fields["needs"] = [*needs[:MOST_ENTRIES]]
        body = _BODY.match(data, head.end())
        end = head.start() + len(
            data[head.start() : body.end() if body is not None else head.end()].rstrip()
        )
        text = cut_text(data[head.start() : end].decode("utf-8", "replace"))
        yield ItemPart(head["name"].decode(), fields, head.start(), end, *head.span("name"), text)
        n_parts += 1
        if n_parts > MOST_PARTS:  # as above
            return


_BODY: Final = re.compile(rb"(?:\n(?:[ \t][^\n]*+|(?=\n[ \t])))*+")


def _line_above(data: bytes, start: int) -> bytes | None:
    """Returns the line directly before the line that begins at `start`."""
    if start <= 0:
        return None
    return data[data.rfind(b"\n", 0, start - 1) + 1 : start - 1]


def _comment_above(data: bytes, start: int) -> str:
    """Joins the comment lines directly above a line."""
    lines: list[str] = []
    while (
        len(lines) < 20
        and (line := _line_above(data, start)) is not None
        and line.lstrip().startswith(b"#")
    ):
        start -= len(line) + 1
        words = line.strip().lstrip(b"#").strip().decode("utf-8", "replace")
        if re.search(r"\w", words) and not words.startswith("!"):
            lines.append(words)
        elif lines:
            break
    return " ".join(reversed(lines))[:1_000]
