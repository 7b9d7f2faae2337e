"""Finds what the functions around a place say about a local name: the type that is declared for it,
the value that it gets, or only that it is local."""

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import tree_sitter

from symindex.extract.bound import import_of
from symindex.extract.captures import BindingMatch
from symindex.extract.file_bindings import (
    AROUND,
    GIVEN,
    NOTHING,
    NTH,
    OPENED,
    SELF,
    SIGNS,
    TAKEN,
    UNBOUND,
    Import,
)
from symindex.extract.languages.language import Language
from symindex.extract.languages.schema import RoleRules
from symindex.extract.parse.roles import begins_with, step_of
from symindex.text.receivers import first_name

MOST_DECLARED: Final = 4
"""Most declarations of a local name that count."""


MOST_FOLLOWED: Final = 3
"""Most steps from a name to the first name of the value that it gets."""


MOST_OF_NAME: Final = 500
"""Most declarations of one name in a file; if there are more, none counts."""


MOST_BODIES: Final = 6
"""Most bodies around a place whose receivers are kept: the values that their code is called for."""


_VALUES: Final = frozenset({*SIGNS, TAKEN, NTH, GIVEN}) - {":"}


class _Range(NamedTuple):
    """Where a declaration counts: in a scope, and there behind a place, if order matters."""

    start: int
    end: int
    behind: int


_OF_HEAD: Final = re.compile("parameter|argument")
"""The types of nodes in which functions and blocks declare their parameters."""


_AT_TOP: Final = _Range(-1, -1, 0)


class _Declared(NamedTuple):
    """A declaration. text: a sign of SIGNS and an expression, or NOTHING. is_in_order: whether it
    counts only behind itself, where it hides those before it."""

    range: _Range
    place: int
    text: str
    is_in_order: bool

    def counts_at(self, place: int) -> bool:
        """Whether a name at a place may be the one that is declared."""
        is_inside = self.range.start <= place < self.range.end
        is_behind = place == self.place or self.range.behind <= place
        return is_inside and (is_behind or not self.is_in_order)


_OUTER: Final = frozenset({"global", "outer"})
_BODIES: Final = frozenset({"self", "unbound", "block"})


class OuterName(NamedTuple):
    """A name that means one outside of a scope: of the file (is_global), or of the scope around.
    start, end: the scope's bytes."""

    name: str
    start: int
    end: int
    is_global: bool


class LocalFacts(NamedTuple):
    """What a file says about some of its names.

    declared: by place, and by name at it, what the functions around it declare the name to be,
    nearest first. imports: by place, the imports of the file and of its functions that bring its
    names in. holders: by place of a member that is named without a receiver, what it is a member
    of. binders: by place, where the code around it declares its name first. given: as `declared`,
    of the names of arguments.
    """

    declared: dict[int, dict[str, list[str]]]
    imports: dict[int, list[Import]]
    holders: dict[int, list[str]]
    binders: dict[int, int]
    given: dict[int, dict[str, list[str]]]


def find_outer_names(
    language: Language, tree: tree_sitter.Tree, found: Iterable[BindingMatch]
) -> Iterator[OuterName]:
    """Yields the names that a scope declares to mean one outside of it. found: the bindings of the
    file."""
    for match in found:
        kind = next(iter(match.texts.keys() & _OUTER), "")
        if not kind:
            continue
        range_ = _scope(tree, match.name_byte, _scopes(language), language.rules.roles)
        if range_ is not None:
            yield OuterName(match.texts[kind], range_.start, range_.end, kind == "global")


def _scopes(language: Language) -> "_Scopes":
    rules = language.rules
    return _Scopes((*rules.roles.blocks, *rules.roles.scopes, *rules.bindings.scopes))


def find_local_facts(
    language: Language,
    tree: tree_sitter.Tree,
    source: bytes,
    found: Sequence[BindingMatch],
    names: Mapping[int, str],
    arguments: Mapping[int, Sequence[str]],
) -> LocalFacts:
    """Returns what is known of names. found: the bindings of the file. names: by the place where
    each is used. Where one is that of a member without a receiver, the first name of what it is a
    member of counts as well. arguments: the names that are given to what is called at a place."""
    rules = language.rules
    scopes = _scopes(language)
    outer = {(one.name, one.start) for one in find_outer_names(language, tree, found)}
    matches: dict[str, list[BindingMatch]] = {}
    imports: dict[str, list[BindingMatch]] = {}
    holders: dict[int, list[str]] = {}
    for match in found:
        texts = match.texts
        if texts.keys() & _OUTER:
            continue
        if "key" in texts:
            if match.name_byte in names and "through" not in texts:
                holders.setdefault(match.name_byte, []).append(_text_of(match))
        elif texts.keys() & {"member", "injected", "static", "ambient"}:
            continue
        elif texts.keys() & _BODIES:
            matches.setdefault(SELF, []).append(match)
        elif "opened" in texts:
            matches.setdefault(OPENED, []).append(match)
        elif "declared" in texts:
            matches.setdefault(texts["declared"], []).append(match)
        elif not texts.keys() & {"inherits", "returns", "parameter"}:
            imports.setdefault(import_of(language, match).local, []).append(match)
    if any("through" in match.texts for match in found):
        _follow(found, names, matches, holders)
    holders = {place: _surest(its) for place, its in holders.items()}
    firsts = {place: [first_name_in(text) for text in holders.get(place, ())] for place in names}
    declared = _Declarations(tree, rules.roles, scopes, matches, outer)
    return LocalFacts(
        {
            place: declared.at(place, [names[place], *firsts[place], SELF, AROUND, OPENED])
            for place in names
        },
        {
            place: [
                import_of(language, match)
                for local in dict.fromkeys((name, *firsts[place]))
                for match in declared.nearest(imports.get(local, ()), place)
            ]
            for place, name in names.items()
        },
        holders,
        {
            place: binder
            for place, name in names.items()
            for sigil in {"", source[place - 1 : place].decode("ascii", "ignore")}
            if (binder := declared.binder(f"{sigil}{name}", place)) is not None
        },
        {place: declared.at(place, its) for place, its in arguments.items()},
    )


def _follow(
    found: Sequence[BindingMatch],
    names: Collection[int],
    matches: Mapping[str, list[BindingMatch]],
    holders: dict[int, list[str]],
) -> None:
    """Adds what is known of the names in patterns that are inside of others: the key of the pattern
    around names the value that has them. Changes matches and holders."""
    keys: dict[int, str] = {}
    for match in found:  # those around are before those inside
        texts, place = match.texts, match.name_byte
        if "key" in texts and "through" not in texts:
            told = _text_of(match)
            if told != NOTHING or place not in keys:
                keys[place] = told
        if "through" not in texts:
            continue
        around, _, name = texts["through"].partition(" ")
        holder = keys.get(int(around), NOTHING)
        told = f"{TAKEN}{name} {holder}" if holder != NOTHING else NOTHING
        if "key" in texts:
            keys[place] = told
            if place in names:
                holders.setdefault(place, []).append(told)
        elif told != NOTHING:
            inner = match._replace(texts={**texts, _HOLDER: told})
            matches[texts["declared"]].append(inner)


_HOLDER: Final = "holder"
"""The key, in the texts of a match, for the value whose member a name takes."""


def _text_of(match: BindingMatch) -> str:
    """Returns what a match says about the type of its name."""
    texts = match.texts
    if _HOLDER in texts:
        return f"{TAKEN}{texts['taken']} {texts[_HOLDER]}"
    if "unbound" in texts:
        return UNBOUND
    if "block" in texts:
        return f"{GIVEN}{texts['called']}" if texts.get("called") else UNBOUND
    told = next(
        (f"{sign}{texts[kind]}" for sign, kind in SIGNS.items() if texts.get(kind)), NOTHING
    )
    if "nth" in texts and told != NOTHING:
        told = f"{NTH}{texts['nth']} {told}"
    return f"{TAKEN}{texts['taken']} {told}" if "taken" in texts and told != NOTHING else told


def first_name_in(text: str) -> str:
    """Returns the first name of what a declaration says about another."""
    if text[:1] in (TAKEN, NTH):
        return first_name_in(text.partition(" ")[2])
    is_numbered = text[:1] in ("(", GIVEN) and text[1:2].isdigit()
    return first_name(text[1:].partition(" ")[2] if is_numbered else text[1:])


class _Scopes:
    """The nodes that open a scope. patterns: their types, perhaps with the words that their code
    begins with: `call[def|defp]`."""

    def __init__(self, patterns: Iterable[str]) -> None:
        steps = [step_of(pattern) for pattern in patterns]
        self._plain = frozenset(step.type for step in steps if not step.words)
        self._worded = {step.type: step for step in steps if step.words}

    def has(self, node: tree_sitter.Node) -> bool:
        """Whether a node opens a scope."""
        step = self._worded.get(node.type)
        return node.type in self._plain or (step is not None and begins_with(node, step))


class _Declarations:
    """The declarations of a file. The scopes are found of those alone whose name is asked for."""

    def __init__(
        self,
        tree: tree_sitter.Tree,
        rules: RoleRules,
        scopes: _Scopes,
        matches: Mapping[str, Sequence[BindingMatch]],
        outer: Container[tuple[str, int]],
    ) -> None:
        self._tree, self._rules, self._scopes, self._matches = tree, rules, scopes, matches
        self._outer = outer
        bodies = [one for one in matches.get(SELF, ()) if "self" in one.texts]
        self._bodies = [(one.name_byte, one.end_byte) for one in bodies]
        self._known: dict[str, list[_Declared]] = {}

    def at(self, place: int, names: Iterable[str]) -> dict[str, list[str]]:
        """Returns what counts at a place: of names, and of the first names of the values that they
        get."""
        found: dict[str, list[str]] = {}
        fresh = [*names]
        for _ in range(MOST_FOLLOWED):
            told = {name: self.of(name, place) for name in fresh if name not in found}
            found.update(told)
            fresh = [
                first_name_in(text)
                for texts in told.values()
                for text in texts
                if text[0] in _VALUES
            ]
        if self._bodies and found.get(SELF) == [NOTHING]:  # in a type with a name
            del found[SELF]
        return {name: texts for name, texts in found.items() if texts}

    def nearest(self, matches: Sequence[BindingMatch], place: int) -> list[BindingMatch]:
        """Returns the matches in the innermost scope around a place that has any."""
        if len(matches) < 2:
            return [*matches]
        ranges = [
            (self._range(match) or _Range(-1, -1, -1))[:2] for match in matches[:MOST_OF_NAME]
        ]
        around = [(start, end) for start, end in ranges if start < 0 or start <= place < end]
        innermost = max(around, default=(-1, -1))
        return [match for match, own in zip(matches, ranges, strict=False) if own == innermost]

    def binder(self, name: str, place: int) -> int | None:
        """Returns where the scopes around a place declare a name first. What is no parameter is
        declared in an inner scope only if no outer one has the name."""
        if name not in self._matches or len(self._matches[name]) > MOST_OF_NAME:
            return None
        firsts: dict[int, int] = {}
        for one in sorted(self._declared(name), key=lambda one: one.place):
            if one.counts_at(place):
                firsts.setdefault(one.range.start, one.place)
        found: int | None = None
        for _, first in sorted(firsts.items(), reverse=True):
            if found is None or (first < found and not self._is_parameter(found)):
                found = first
        return found

    def _is_parameter(self, place: int) -> bool:
        """Whether the name at a place is in the head of the scope around it."""
        node = self._tree.root_node.descendant_for_byte_range(place, place)
        while node is not None and node.parent is not None:
            if self._scopes.has(node.parent):
                return _OF_HEAD.search(node.type) is not None
            node = node.parent
        return False

    def _declared(self, name: str) -> list[_Declared]:
        if name not in self._known:
            self._known[name] = [
                _Declared(range_, match.name_byte, _text_of(match), range_.behind > 0)
                for match in self._matches.get(name, ())
                if self._counts(match)
                and (range_ := self._range(match)) is not None
                and (name, range_.start) not in self._outer
            ]
        return self._known[name]

    def of(self, name: str, place: int) -> list[str]:
        """Returns what the code around a place declares a name to be, nearest first."""
        if name == AROUND:
            return _beyond(self._declared(SELF), place)
        declared = self._declared(name)
        if name in (SELF, OPENED):  # a file has as many as types
            return _around(declared, place)
        return _around(declared, place) if len(declared) <= MOST_OF_NAME else [NOTHING]

    def _counts(self, match: BindingMatch) -> bool:
        """Whether a match tells something: outside of types, any `this` may be meant."""
        start = match.name_byte
        return "unbound" not in match.texts or any(
            first < start < end for first, end in self._bodies
        )

    def _range(self, match: BindingMatch) -> _Range | None:
        """Returns where a declaration counts; `None` at the top of a file."""
        if match.end_byte:
            return _Range(match.name_byte, match.end_byte, 0)
        return _scope(self._tree, match.name_byte, self._scopes, self._rules)


def _around(declared: Iterable[_Declared], place: int) -> list[str]:
    """Returns the declarations that count at a place: those of the innermost scope that has any,
    nearest first; those behind the place last. Where order matters, the nearest alone."""
    around = [one for one in declared if one.counts_at(place)]
    if not around:
        return []
    start = max(one.range.start for one in around)
    inner = _told([one for one in around if one.range.start == start])
    before = [one for one in inner if one.place <= place]
    ordered = sorted(before or inner, key=lambda one: -one.place)
    ordered = [one for one in ordered if one.text != UNBOUND] or ordered
    if ordered[0].is_in_order:
        ordered = [one for one in ordered if one.place == ordered[0].place]
    return list(dict.fromkeys(one.text for one in ordered))[:MOST_DECLARED]


def _beyond(declared: Iterable[_Declared], place: int) -> list[str]:
    """Returns what each body around a place is called for, from the inside outward, up to that of a
    type with a name, without the innermost."""
    texts: list[str] = []
    around = [one for one in declared if one.counts_at(place)]
    while around and len(texts) < MOST_BODIES and texts[-1:] != [NOTHING]:
        start = max(one.range.start for one in around)
        texts.append(_told([one for one in around if one.range.start == start])[0].text)
        around = [one for one in around if one.range.start < start]
    return texts[1:]


def _surest(holders: Sequence[str]) -> list[str]:
    """Returns the facts about a holder that tell most. The place of a parameter in an unnamed
    function counts only if nothing else is known."""
    known = [one for one in holders if one != NOTHING]
    direct = [one for one in known if one[:1] != NTH]
    return direct or known or [*holders]


def _told(declared: Sequence[_Declared]) -> list[_Declared]:
    """Leaves out the declarations of a place that say less than what another pattern found there: a
    type counts before a value."""
    most: dict[int, int] = {}
    for one in declared:
        most[one.place] = min(most.get(one.place, len(_SIGNS)), _rank(one.text))
    return [one for one in declared if _rank(one.text) == most[one.place]]


def _rank(text: str) -> int:
    """Returns how little a declaration says: less for more."""
    is_nth = text[:1] == TAKEN and text.partition(" ")[2][:1] == NTH
    return _SIGNS.index(NTH if is_nth else text[:1])


_SIGNS: Final = (*SIGNS, TAKEN, NTH, GIVEN, UNBOUND, NOTHING)


def _scope(tree: tree_sitter.Tree, place: int, scopes: _Scopes, rules: RoleRules) -> _Range | None:
    """Returns the range of the innermost function or block around a name, and where its declaration
    ends in it, if order matters; `None` at the top."""
    cursor, innermost = tree.walk(), None  # from above: a node finds its parent from the root
    within, is_of_type = None, False
    while (node := cursor.node) is not None and node.start_byte <= place < node.end_byte:
        if innermost is not None and within is None:
            within = node
        if scopes.has(node) and (node.start_byte < place or _begins_head(node)):
            innermost, within, is_of_type = node, None, False
        is_of_type = is_of_type or node.type in rules.type_bodies
        if cursor.goto_first_child_for_byte(place) is None:
            break
    if innermost is None:
        return None
    behind = 0
    if rules.binds_in_order and not is_of_type and innermost.type in rules.blocks:
        behind = max(1, place if within is None else _end_of_declaration(within, place))
    return _Range(innermost.start_byte, innermost.end_byte, behind)


def _begins_head(node: tree_sitter.Node) -> bool:
    """Whether a function begins with its parameters: `x => x + 1`."""
    heads = (node.child_by_field_name(field) for field in ("parameter", "parameters"))
    return any(head is not None and head.start_byte == node.start_byte for head in heads)


def _end_of_declaration(node: tree_sitter.Node, place: int) -> int:
    """Returns from where the name at a place counts that a statement declares: behind it, or, if
    the name is in an expression, behind the name."""
    before = (node.text or b"")[: place - node.start_byte]
    is_value = _EQUALS.search(before) is not None
    return node.end_byte if "declaration" in node.type and not is_value else place


_EQUALS: Final = re.compile(rb"(?<![=!<>])=(?!=)")
