"""Assigns the bindings of a file to its symbols, and packs them for the index.

Members that methods assign are found by a pattern in the whole text, because bodies are mostly not
parsed.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from symindex.extract.captures import BindingMatch
from symindex.extract.file_bindings import (
    ALL,
    AMBIENT,
    DEFAULT,
    INCLUDED,
    INJECTED,
    INNER,
    NO_SYMBOL,
    PARAMETER,
    STATIC,
    Base,
    Import,
    TypeFact,
    one_line,
    pack_bindings,
)
from symindex.extract.languages.language import Language
from symindex.extract.languages.schema import BindingRules
from symindex.extract.records import SymbolRow
from symindex.protocol.kinds import CALLABLE_KINDS, KINDS, SymbolKind

_CALLABLE = frozenset(kind.value for kind in CALLABLE_KINDS)
_WITH_RESULT = _CALLABLE | {SymbolKind.PROPERTY.value}
_TYPES = frozenset(
    {SymbolKind.OBJECT.value, *(kind.value for kind in SymbolKind if KINDS[kind].quality == 0)}
)
_MODULES = frozenset({SymbolKind.MODULE.value})
_WITH_MODULES = _TYPES | _MODULES


def bindings_of(
    language: Language, data: bytes, rows: Sequence[SymbolRow], matches: Sequence[BindingMatch]
) -> bytes:
    """Returns the packed facts of a file. rows: its symbols, in order. matches: of its query."""
    if not language.bindings:
        return b""
    symbols = _Symbols(rows)
    heirs = _WITH_MODULES if language.rules.roles.mixins else _TYPES
    imports, bases, types = [], [], []
    injected = [(one.name_byte, one.end_byte) for one in matches if "injected" in one.texts]
    for match in matches:
        texts, place = match.texts, match.name_byte
        if texts.keys() & _OF_USES:
            continue
        if texts.get("inherits"):
            owner = texts.get("owner", "")
            around = symbols.around(place, _MODULES if owner else heirs)
            if owner or around != NO_SYMBOL:
                bases.append(Base(around, texts["inherits"], owner))
        elif texts.get("returns"):
            around = symbols.around(place, _WITH_RESULT)
            if around != NO_SYMBOL:
                value = texts.get("value", "")
                types.append(TypeFact(around, "", "" if value else texts["returns"], value))
        elif "parameter" in texts:
            around = symbols.around(place, _TYPES | _CALLABLE)
            if around != NO_SYMBOL:
                name = PARAMETER.format(texts["parameter"])
                types.append(TypeFact(around, name, texts.get("type", ""), ""))
        elif "static" in texts:
            if place in symbols.named_at:
                types.append(TypeFact(symbols.named_at[place], STATIC, STATIC, ""))
        elif "ambient" in texts:
            if place in symbols.named_at:
                types.append(TypeFact(symbols.named_at[place], AMBIENT, AMBIENT, ""))
        elif "member" in texts:
            of_object = symbols.named_at.get(place, NO_SYMBOL)
            around = of_object if "declared" in texts else symbols.around(place, _TYPES)
            if around != NO_SYMBOL:
                own = own_text(language.rules.bindings, texts["name"]) if "name" in texts else ""
                facts = texts.get("type", ""), texts.get("value", own)
                types.append(TypeFact(around, texts["member"], *facts))
        elif "declared" in texts:
            types += _declared(language, symbols, match)
        else:
            imports.append(_placed(language, symbols, match))
            if any(start <= place < end for start, end in injected):
                imports.append(imports[-1]._replace(local=f"{INJECTED}{imports[-1].local}"))
    if pattern := language.rules.bindings.members:
        types += _assigned(pattern, data, symbols)
    if pattern := language.rules.bindings.returned:
        types += _returned(pattern, data, symbols)
    if pattern := language.rules.bindings.results:
        types += _results(pattern, data, rows)
    if (pattern := language.rules.bindings.ambient) and _compiled(pattern).match(data):
        types.append(TypeFact(NO_SYMBOL, AMBIENT, AMBIENT, ""))
    if language.rules.bindings.relative:
        imports = _with_one_package(imports)
    return pack_bindings(imports, bases, types)


def _with_one_package(imports: Sequence[Import]) -> list[Import]:
    """Joins the packages that a file declares one inside the other."""
    own = [one.module for one in imports if not one.local and not one.name]
    others = [one for one in imports if one.local or one.name]
    return [*([Import("", ".".join(own), "")] if own else []), *others]


def _placed(language: Language, symbols: "_Symbols", match: BindingMatch) -> Import:
    """Returns the import that a match found; one of all names, in a language in which imports count
    where they are written, with the symbol around it."""
    found = import_of(language, match)
    if found.name != ALL or found.local or not language.rules.bindings.relative:
        return found
    around = symbols.around(match.name_byte, _WITH_MODULES | _CALLABLE)
    return found if around == NO_SYMBOL else found._replace(local=f"{INNER}{around}")


def import_of(language: Language, match: BindingMatch) -> Import:
    """Returns the import that a match found. Without another name, a module is called by its first
    name where names of modules are dotted, and by its last elsewhere."""
    texts = match.texts
    module, name = _unquoted(texts.get("path", "")), _unquoted(texts.get("name", ""))
    if "package" in texts:
        return Import("", ".".join(filter(None, _BETWEEN.split(texts["package"]))), "")
    if "included" in texts:
        return Import("", _unquoted(texts["included"]), INCLUDED)
    if "default" in texts:
        return Import(texts["default"], module, DEFAULT)
    if "all" in texts and "name" not in texts:
        local = ALL if "everywhere" in texts else texts.get("alias", "")
        return Import(local, module, "" if "alias" in texts else ALL)
    parts = _BETWEEN.split(module)
    if not name and len(parts) > 1 and language.rules.bindings.modules in _WHOLE_NAMES:
        return Import(texts.get("alias") or parts[-1], ".".join(parts[:-1]), parts[-1])
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    own = parts[0 if language.rules.bindings.modules == "dotted" else -1]
    local = texts.get("alias") or _BETWEEN.split(name)[-1] or own
    return Import("" if local in language.rules.bindings.nameless else local, module, name)


_OF_USES: Final = frozenset(
    {"key", "self", "unbound", "opened", "within", "global", "outer", "injected"}
)
"""Captures that are read again where a use needs them, and are not stored."""

_WHOLE_NAMES: Final = ("packages", "global")
"""The rules for modules by which a path ends with the name of what is imported."""

_VERSION: Final = re.compile(r"v\d{1,3}")
_BETWEEN: Final = re.compile(r"[./\\]|::")


def _unquoted(text: str) -> str:
    return text.strip("'\"`<>")


def _declared(language: Language, symbols: "_Symbols", match: BindingMatch) -> Iterator[TypeFact]:
    """Yields what a declaration says about a symbol or about a member that is none. Those of
    parameters and local variables are read again where they are needed, but those of constructors
    give members their types."""
    texts, place = match.texts, match.name_byte
    facts = texts.get("type", ""), "" if texts.get("type") else texts.get("value", "")
    if "nth" in texts or not any(facts):
        return
    number = symbols.named_at.get(place)
    if "taken" in texts:
        if number is not None and facts[1]:
            yield TypeFact(number, "", "", f"{facts[1]}.{texts['taken']}")
        return
    if number is not None:
        yield TypeFact(number, "", *facts)
        return
    if texts["declared"] in language.rules.bindings.defaults:  # exported without a name
        yield TypeFact(NO_SYMBOL, texts["declared"], *facts)
        return
    if "primary" in texts and (around := symbols.around(place, _TYPES)) != NO_SYMBOL:
        yield TypeFact(around, texts["declared"], *facts)
        return
    around = symbols.around(place, _CALLABLE)
    if texts.get("type") and symbols.name(around) in language.rules.bindings.constructors:
        yield TypeFact(around, texts["declared"], texts["type"], "")
    member = own_member(language.rules.bindings.own, texts["declared"])
    if member and (around := symbols.around(place, _TYPES)) != NO_SYMBOL:
        yield TypeFact(around, member, *facts)


def own_text(rules: BindingRules, name: str) -> str:
    """Returns how a stored fact writes the name of a member of its own type."""
    return f"{rules.this[0]}::{name}" if rules.this else ""


def own_member(pattern: str, text: str) -> str:
    """Returns the member that a name with `self` before it names; empty for another name. pattern:
    what is before the member."""
    match = _compiled(pattern).match(text.encode()) if pattern else None
    rest = text.encode()[match.end() :].decode() if match is not None else ""
    return rest if rest.replace("_", "a").replace("$", "a").isalnum() else ""


def _assigned(pattern: str, data: bytes, symbols: "_Symbols") -> Iterator[TypeFact]:
    """Yields the members that methods assign, each with what it gets."""
    for match in _compiled(pattern).finditer(data):
        around = symbols.around(match.start(), _TYPES)
        if around == NO_SYMBOL:
            continue
        groups = match.groupdict()
        name, type_ = one_line(match["name"]), one_line(groups.get("type") or b"")
        value = one_line(groups.get("value") or b"")
        if name and (type_ or value):
            yield TypeFact(around, name, type_, "" if type_ else value)


def _returned(pattern: str, data: bytes, symbols: "_Symbols") -> Iterator[TypeFact]:
    """Yields the members of objects that functions return, each with the name of what it gets."""
    for match in _compiled(pattern).finditer(data):
        around = symbols.around(match.start(), _CALLABLE)
        if around == NO_SYMBOL:
            continue
        for part in _GROUP.sub(b"", match["members"]).split(b","):
            member = _MEMBER.fullmatch(part.strip())
            if member is not None:
                name = member["name"].decode()
                value = member["value"]
                yield TypeFact(around, name, "", value.decode() if value else name)


def _results(pattern: str, data: bytes, rows: Sequence[SymbolRow]) -> Iterator[TypeFact]:
    """Yields what functions return, as their last expression says. Columns of a row as in
    `_Symbols`."""
    for number, row in enumerate(rows):
        if row[4] not in _CALLABLE or row[7] - row[6] > LONGEST_FUNCTION:
            continue
        match = _compiled(pattern).match(data[row[6] : row[7]].rstrip())
        if match is not None and (value := one_line(match["value"])):
            yield TypeFact(number, "", "", value)


LONGEST_FUNCTION: Final = 4000
"""Most bytes of a function whose last expression is read."""

_MEMBER: Final = re.compile(rb"(?P<name>[A-Za-z_$][\w$]*)(?:\s*:\s*(?P<value>[A-Za-z_$][\w$]*))?")
"""A member of an object that gets what a name denotes."""

_GROUP: Final = re.compile(rb"\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)|\[[^\[\]]*+\]")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> "re.Pattern[bytes]":
    return re.compile(pattern.encode(), re.MULTILINE)


class _Symbols:
    """The symbols of a file by place. named_at: by the start of the name. Columns of a row are
    those of `records.SymbolRow`: 4 is its kind, 6 its start, 7 its end, 10 its name's start."""

    def __init__(self, rows: Sequence[SymbolRow]) -> None:
        self.named_at: dict[int, int] = {row[10]: i for i, row in enumerate(rows)}
        self._rows = rows
        self._order = sorted(range(len(rows)), key=lambda i: (rows[i][6], -rows[i][7]))
        self._starts = [rows[i][6] for i in self._order]
        self._parents: list[int] = []  # by position in the order, -1 for none
        open_: list[int] = []
        for at, number in enumerate(self._order):
            while open_ and rows[self._order[open_[-1]]][7] <= rows[number][6]:
                open_.pop()
            self._parents.append(open_[-1] if open_ else -1)
            open_.append(at)

    def name(self, number: int) -> str:
        return self._rows[number][0] if number != NO_SYMBOL else ""

    def around(self, place: int, kinds: frozenset[str]) -> int:
        """Returns the innermost symbol of these kinds around a place, or NO_SYMBOL."""
        at = bisect_right(self._starts, place) - 1
        while at >= 0:
            number = self._order[at]
            row = self._rows[number]
            if row[7] > place and row[4] in kinds:
                return number
            at = self._parents[at]
        return NO_SYMBOL
