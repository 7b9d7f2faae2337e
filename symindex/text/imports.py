"""Reads which names a file imports, and from where, without a syntax tree.

The import statements of many languages are alike: a word that imports, a module, and the imported
names in braces, parentheses or a row, each perhaps with another name. One reader serves them all.
It skips what it does not understand: a name without an origin may come from anywhere.
"""

import itertools
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

MOST_CHARACTERS: Final = 400_000
"""Characters of a file that are read: imports are at its beginning, except in tests."""

MOST_STATEMENTS: Final = 3_000

_MOST_NAMES: Final = 500
"""Most names of one statement."""

_GROUP: Final = (
    r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]{0,2000}+\}){0,2000}+\}){0,4000}+\}|\([^(){}]{0,4000}+\)"
)
_STATEMENT: Final = re.compile(
    r"(?:^|;)[ \t]*(?:(?:pub(?:\([\w: ]{1,40}\))?|export|global|open|private|public)[ \t]+){0,2}"
    rf"(?P<word>import|from|use|using|alias|require)\b(?P<rest>(?:{_GROUP}|[^\n;{{}}()]){{1,400}})",
    re.MULTILINE,
)
_REQUIRED: Final = re.compile(
    r"\b(?:const|let|var|local)\s+(?P<names>[\w$]{1,80}|\{[^{}]{0,2000}\})\s*=\s*(?:await\s+)?(?:require|import)\s*\(?\s*"
    r"[\"'](?P<module>[^\"'\n]{1,200})[\"']"
)
_TEXT: Final = re.compile(r"[\"'`](?P<module>[^\"'`\n]{1,200})[\"'`]")
_QUOTED: Final = re.compile(
    r"(?:(?P<name>[\w.]{1,80})[ \t]+)?[\"`](?P<module>[^\"`\n]{1,200})[\"`]"
)
_RENAMED: Final = re.compile(
    r"^(?P<own>[\w$.:\\]+?)(?:\s+as\s+|\s*=>\s*|\s*:\s+|,\s*as:\s*)(?P<name>[\w$.]+)$"
)
_ALIASED: Final = re.compile(r"^(?P<name>[\w$]+)\s*=\s*(?P<own>[\w$.:\\]+)")
_PATH: Final = re.compile(r"[\w$]+(?:(?:::|[.\\])[\w$]+)*")
_BETWEEN: Final = re.compile(r"::|[.\\/]")
_PREFIX: Final = re.compile(
    r"^(?:type|static|typeof|unless|qualified|function|const|class|struct|func|protocol)\s+"
)


class Origin(NamedTuple):
    """Where an imported name comes from.

    module: as written, with dots instead of all separators except slashes. name: what is imported
    from the module; empty for the module itself.
    """

    module: str
    name: str = ""

    @property
    def is_relative(self) -> bool:
        """Whether the module is given relative to the importing file, so that it is not a
        library."""
        return _RELATIVE.match(self.module) is not None

    @property
    def words(self) -> list[str]:
        """The names in the module, as folders and containers are named, without a domain or scope
        before them or a version after them."""
        parts = [part for part in self.module.split("/") if part]
        if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
            parts = parts[:-1]
        if len(parts) > 1:
            parts = (
                parts[3 if "." in parts[0] and parts[0][0] != "." else parts[0].startswith("@") :]
                or parts[-1:]
            )
        return [word.replace("-", "_") for part in parts for word in _WORD.findall(part)]


_WORD: Final = re.compile(r"[\w-]+")
_VERSION: Final = re.compile(r"v\d+")
_RELATIVE: Final = re.compile(r"\.|[@~#]?/|(?:crate|self|super|this)\b")


def imported_names(text: str) -> dict[str, Origin]:
    """Returns where each name comes from that the imports of a text bind: for `use shop::Cart`, the
    name `Cart` from `shop`."""
    if len(text) > MOST_CHARACTERS:  # a name that is cut is another name
        text = text[:MOST_CHARACTERS].rpartition("\n")[0]
    origins: dict[str, Origin] = {}
    for statement in itertools.islice(_STATEMENT.finditer(text), MOST_STATEMENTS):
        for name, origin in _bound(statement["word"], statement["rest"].strip()):
            origins.setdefault(name, origin)
    for required in itertools.islice(_REQUIRED.finditer(text), MOST_STATEMENTS):
        names, module = required["names"], required["module"]
        for name, origin in (
            _items(names.strip("{}"), module)
            if names.startswith("{")
            else [(names, Origin(module))]
        ):
            origins.setdefault(name, origin)
    return origins


def _bound(word: str, rest: str) -> Iterator[tuple[str, Origin]]:
    """Yields the names that one statement binds, each with its origin."""
    if word == "from":
        module_name, has_names, names = rest.partition(" import ")
        yield from _items(names.strip().strip("()"), module_name.strip()) if has_names else ()
        return
    if word == "import" and rest.startswith("("):  # a block of modules in quotes
        for module_text in _QUOTED.finditer(rest):
            yield module_text["name"] or _last(module_text["module"]), Origin(module_text["module"])
        return
    names_before, separator, after_from = rest.rpartition(" from ")
    if separator and (module := _TEXT.match(after_from.strip())):
        yield from _of_text(names_before, module["module"])
        return
    if quoted := _QUOTED.match(rest):
        yield quoted["name"] or _last(quoted["module"]), Origin(quoted["module"])
        return
    yield from _of_tree(_PREFIX.sub("", rest), "")


def _of_text(names: str, module: str) -> Iterator[tuple[str, Origin]]:
    """Yields the names of `import main, {a as b}, * as all from "module"`."""
    outside, brace, inside = _PREFIX.sub("", names.strip()).partition("{")
    for part in outside.split(","):
        name = part.strip().removeprefix("*").strip().removeprefix("as ").strip()
        if re.fullmatch(r"[\w$]+", name):
            yield name, Origin(module)
    if brace:
        yield from _items(inside.partition("}")[0], module)


def _of_tree(rest: str, prefix: str) -> Iterator[tuple[str, Origin]]:
    """Yields the names of `a::b::{c, d as e}`, `a.b.C`, `X = a.b.C`, `a.b, as: c`."""
    if aliased := _ALIASED.match(rest):
        yield aliased["name"], _divide(_dotted(aliased["own"]))
        return
    head, brace, inside = rest.partition("{")
    if not brace:
        yield from _items(rest, prefix, is_path=True)
        return
    base = _dotted(f"{prefix}.{head.strip().rstrip('.:' + chr(92))}".strip("."))
    for part in _divided(inside.rpartition("}")[0]):
        if "{" in part:
            yield from _of_tree(part, base)
        elif part == "self":
            yield _last(base), Origin(base)
        else:
            yield from _items(part, base, is_path=True)


def _divided(text: str) -> Iterator[str]:
    """Yields the parts between the commas outside of braces."""
    depth = start = 0
    for offset, sign in enumerate(text[: MOST_CHARACTERS // 10]):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and not depth:
            yield text[start:offset].strip()
            start = offset + 1
    yield text[start:].strip()


def _items(names: str, module: str, is_path: bool = False) -> Iterator[tuple[str, Origin]]:
    """Yields the names in a row. is_path: each may be a path, whose last name it binds."""
    as_other = _RENAMED.match(names.strip())
    for item in [names] if as_other else names.split(",")[:_MOST_NAMES]:
        part = _PREFIX.sub("", item.strip())
        renamed = as_other or _RENAMED.match(part)
        path = _PATH.match(renamed["own"] if renamed else part)
        if path is None:
            continue
        own_name = _dotted(path[0])
        origin = _divide(f"{module}.{own_name}".strip(".")) if is_path else Origin(module, own_name)
        yield (renamed["name"] if renamed else _last(own_name)), origin


def _divide(path: str) -> Origin:
    """Divides a path into the module and the name that is imported from it."""
    module, _, name = path.rpartition(".")
    return Origin(module, name) if module else Origin(path)


def _dotted(path: str) -> str:
    return path.replace("::", ".").replace("\\", ".").strip(".")


def _last(module: str) -> str:
    """Returns the name by which a module is used: its last part that is not a version."""
    parts = [part for part in _BETWEEN.split(module) if part]
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts = parts[:-1]
    return (parts[-1] if parts else "").replace("-", "_")
