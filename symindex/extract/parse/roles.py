"""Determines the role of an identifier: call, import, type, supertype, write, further definition,
or else read.

The rules of `[roles]` in the language's folder are applied to the syntax tree. `[roles].members`
are the places where a name represents a whole qualified name: in `a.b()`, the call is of `a.b`, so
`b` is called.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import tree_sitter

from symindex.extract.languages.schema import RoleRules
from symindex.text.receivers import MOST_RECEIVER, without_arguments

READ: Final = "read"
CALL: Final = "call"
IMPORT: Final = "import"

DEFINING: Final = ("definition", "declaration")
"""The roles of a name that is not a use: the head of a further clause of a function, its
specification."""

ROLES: Final = (CALL, IMPORT, "type", "inherit", "implement", READ, "write", *DEFINING)
"""All roles that a rule can have."""

FIRST: Final = "^"
LAST: Final = "$"
"""Used instead of a field: the first child of a node, not counting a parenthesis, or the last."""

_TAKEN: Final = re.compile(
    rb"((?:[\w:.]|\([^()]*+\))*(?:\w|\([^()]*+\)|[)\]?\"'}]))\s*(?:\.|::)\s*\Z"
)
"""The receiver before a name, if only the text shows it: names and calls, or their ends."""


class Placed(NamedTuple):
    """A node of a path from the root, and its number among the children of the node before."""

    node: tree_sitter.Node
    number: int


class Role(NamedTuple):
    """What an identifier does.

    role: one of ROLES. receiver: the expression that the name is a member of; for an import, the
    module; else empty. kin: the other type in a declaration that one type implements another; for
    an import, its other name. is_bound: the name is new in the code around it, like a parameter.
    is_module: the name is part of the name of an imported module. is_label: the name belongs to
    what is called or made, like the name of an argument. is_outside: bindings of the code around
    the name are not visible to it, as in the default value of a parameter. is_of_value: the
    receiver is a value (or a module, if the language has one sign for both). is_variable: a sign
    marks the name as a variable. is_datum: the name is a value of its own, such as a symbol or an
    atom, which may be passed on as the name of a member. suffix: what the language adds to the name
    to find what it means; empty if the name is always whole.
    """

    role: str
    receiver: str
    kin: str
    is_bound: bool
    is_module: bool
    is_label: bool
    is_outside: bool
    is_of_value: bool
    is_variable: bool
    is_datum: bool
    suffix: str = ""


class _RoleStep(NamedTuple):
    """One node of a pattern: its type, and the field of the next node, or FIRST or LAST; empty for
    any. words: the node's text must begin with one of these; empty for any text. starts: those of
    the words that have more than one part, such as `self.send`."""

    type: str
    field: str
    words: frozenset[bytes] = frozenset()
    starts: tuple[bytes, ...] = ()


def step_of(part: str) -> _RoleStep:
    """Reads one node of a pattern."""
    outer, bracket, rest = part.partition("[")
    words, _, after = rest.partition("]")
    type_, _, field = f"{outer}{after}".replace("*", "").partition(".")
    every = words.encode().split(b"|") if bracket else []
    longer = tuple(one for one in every if re.search(rb"\w\W+\w|^\W", one))
    return _RoleStep(type_, field, frozenset(every), longer)


class _RoleRule(NamedTuple):
    """A rule of `[roles]`.

    role: the role that it assigns. steps: the nodes from the name outward. node: the type of the
    name's own node, empty for any. With `!` or `+`, it is a field or type of child that the node
    around the name must not have, or must have; slashes lead further in. is_anywhere: the steps may
    begin at any node around the name.
    """

    role: str
    steps: tuple[_RoleStep, ...]
    node: str
    is_anywhere: bool


def _rule(role: str, pattern: str) -> _RoleRule:
    is_anywhere = pattern.endswith("/**")
    pattern, _, node = pattern.removesuffix("/**").partition("@")
    outward = tuple(step_of(part) for part in reversed(pattern.split("/")) if part)
    return _RoleRule(role, outward, node, is_anywhere)


def rules_of(patterns: Sequence[str]) -> list[_RoleRule]:
    """Makes rules of patterns of places, without a role."""
    return [_rule("", pattern) for pattern in patterns]


def fits_any(rules: Sequence[_RoleRule], path: Sequence[Placed]) -> bool:
    """Whether a rule fits the last node of a path."""
    return _any(rules, path, len(path) - 1)


class Roles:
    """A language's rules for roles, parsed once."""

    def __init__(self, rules: RoleRules) -> None:
        self._members = [_rule("", pattern) for pattern in rules.members]
        self._receivers = [*self._members, *(_rule("", pattern) for pattern in rules.receivers)]
        self._qualifiers = rules_of(rules.qualifiers)
        self._variables = rules_of(rules.variables)
        self._values = [_rule("", pattern) for pattern in rules.values]
        self._callbacks = [(_rule("", pattern), of) for pattern, of in rules.callbacks]
        self._data, self._named = rules_of(rules.data), rules_of(rules.named)
        self._rules = [_rule(role, pattern) for role, pattern in rules.rules]
        self._tokens, self._dotted = frozenset(rules.tokens), frozenset(rules.dotted)
        self._binds = [_rule("", pattern) for pattern in rules.binds]
        self._stable = [
            (_rule("", pattern), re.compile(names.encode())) for pattern, names in rules.stable
        ]
        self._modules = [_RoleStep(*pattern.partition(".")[::2]) for pattern in rules.modules]
        self._kin = [
            (_rule("", pattern), field)
            for pattern, field in (*rules.kin, *rules.aliased, *rules.aliases)
        ]
        self._binds += [_rule("", pattern) for pattern, _ in rules.aliases]
        self._outside = [_rule("", pattern) for pattern in rules.outside]
        self._bare_calls = [_rule("", pattern) for pattern in rules.bare_calls]
        self._scopes = frozenset(rules.scopes)
        self._suffixes = [(_rule("", pattern), suffix) for pattern, suffix in rules.suffixes]
        self._passing = re.compile(rules.passing) if rules.passing else None
        self._labels = [(_rule("", pattern), sign.encode()) for pattern, sign in rules.labels]

    def read(self, path: Sequence[Placed], source: bytes, start: int) -> Role:
        """Returns the role of the last node of a path. start: the first byte of its name, after a
        receiver in the same token."""
        is_bound = _any(self._binds, path, len(path) - 1) and not self._is_stable(path)
        top, receiver, inner = len(path) - 1, "", 0
        if path[-1].node.type in self._dotted:
            receiver = (
                source[path[-1].node.start_byte : start]
                .decode("utf-8", "replace")
                .rstrip(".")[-MOST_RECEIVER:]
            )
        while True:
            if (inner or not receiver) and _any(self._receivers, path, top):
                inner = (
                    inner or top
                )  # `b` of `a::b::c` is in the node of `b::c`, inside that of all
                receiver = _text_before(path[top - 1].node, path[inner].node, source)
            if top <= 1 or not _any(self._members, path, top):
                break
            top -= 1
        receiver = receiver or self._qualifier_of(path, top, source)
        is_of_value = any(_any(self._values, path, depth) for depth in range(top, len(path)))
        role = next((rule.role for rule in self._rules if _fits(rule, path, top)), READ)
        name, parent = path[-1].node, path[max(top - 1, 0)].node
        if (
            parent.type in self._tokens or "*" in self._tokens
        ):  # as in the arguments of a macro, where no node groups the tokens
            if role == READ and source[name.end_byte : name.end_byte + 1] == b"(":
                role = CALL
            receiver_match = _TAKEN.search(
                source, max(0, name.start_byte - _MOST_TAKEN), name.start_byte
            )
            is_of_value = is_of_value or (
                bool(self._values)
                and receiver_match is not None
                and receiver_match[0].rstrip().endswith(b".")
            )
            receiver = receiver or (
                receiver_match[1].decode("utf-8", "replace") if receiver_match is not None else ""
            )
        receiver = receiver or self._holder_of(path)
        module, is_module = self._module(path) if role == IMPORT else None, False
        if module is not None:
            is_module = module.start_byte <= name.start_byte < module.end_byte
            text = source[module.start_byte : module.end_byte].decode("utf-8", "replace")
            receiver = text.strip("'\"")[-MOST_RECEIVER:]
        if self._passing is not None and (passed := self._passing.match(receiver)) is not None:
            rest, of = receiver[passed.end() :], passed["of"]
            receiver = f"({of}){rest}" if rest and of[0] == "*" else of + rest
        kin = self._other_types(path, top, source)
        is_label = any(
            _fits(rule, path, len(path) - 1) and _is_before(sign, name, source)
            for rule, sign in self._labels
        )
        is_outside = _any(self._outside, path, len(path) - 1)
        is_variable = fits_any(self._variables, path)
        is_datum = fits_any(self._data, path) and not fits_any(self._named, path)
        marks = (is_bound, is_module, is_label, is_outside, is_of_value, is_variable, is_datum)
        suffixes = (suffix for rule, suffix in self._suffixes if _fits(rule, path, top))
        return Role(role, receiver, kin, *marks, suffix=next(suffixes, ""))

    def _qualifier_of(self, path: Sequence[Placed], top: int, source: bytes) -> str:
        """Returns what a name in the middle of a qualified one is taken from."""
        rule = next((one for one in self._qualifiers if _fits(one, path, top)), None)
        if rule is None:
            return ""
        outer = top - len(rule.steps)
        while outer > 1 and _any(self._members, path, outer):
            outer -= 1
        return _text_before(path[outer].node, path[top].node, source)

    def _is_stable(self, path: Sequence[Placed]) -> bool:
        """Whether a name in a pattern means what has it already, by its form."""
        return any(
            names.match(path[-1].node.text or b"") is not None and _fits(rule, path, len(path) - 1)
            for rule, names in self._stable
        )

    def _other_types(self, path: Sequence[Placed], top: int, source: bytes) -> str:
        """Returns the other types of a line that says which type implements which."""
        types = ""
        for rule, field in self._kin:
            nodes = _beside(path, top - len(rule.steps), field) if _fits(rule, path, top) else []
            if nodes:
                types = ", ".join(
                    source[node.start_byte : node.end_byte].decode("utf-8", "replace")
                    for node in nodes
                )
        return types

    def _holder_of(self, path: Sequence[Placed]) -> str:
        """Returns the value that has the member which a string names; empty for anything else."""
        at = len(path) - 1
        return next((of for rule, of in self._callbacks if _fits(rule, path, at)), "")

    def bare_call_in(self, path: Sequence[Placed], does: Role) -> int | None:
        """Returns the start of the scope, in bytes, in which a bare name calls a method unless the
        name is bound there. For a name that binds, returns the scope of the binding; for any other,
        `None`."""
        if not does.is_bound and (
            does.role != READ or not _any(self._bare_calls, path, len(path) - 1)
        ):
            return None
        return next(
            (
                placed.node.start_byte
                for placed in reversed(path)
                if placed.node.type in self._scopes
            ),
            0,
        )

    def _module(self, path: Sequence[Placed]) -> tree_sitter.Node | None:
        """Returns the module that a name is imported from, if a node around the name contains
        it."""
        for placed in reversed(path):
            for step in self._modules:
                module = (
                    placed.node.child_by_field_name(step.field)
                    if placed.node.type == step.type and step.field
                    else None
                )
                if module is not None:
                    return module
        return None


def _beside(path: Sequence[Placed], depth: int, field: str) -> list[tree_sitter.Node]:
    """Returns the node of a field, or the nodes of a type, next to the child that follows
    `path[at]`."""
    node, following = path[depth].node, path[depth + 1].node
    field_node = node.child_by_field_name(field)
    return (
        [field_node]
        if field_node is not None
        else [child for child in node.named_children if child.type == field and child != following]
    )


def _is_before(sign: bytes, name: tree_sitter.Node, source: bytes) -> bool:
    """Whether a sign follows a name, and is not doubled."""
    rest = source[name.end_byte : name.end_byte + _MOST_BLANKS].lstrip()
    return rest.startswith(sign) and not (sign and rest.startswith(2 * sign))


_MOST_BLANKS: Final = 40
"""Most bytes between a name and its sign."""

_MOST_SOURCE: Final = 2000
"""Most bytes of a receiver that are read."""

_MOST_TAKEN: Final = 60
"""Likewise, where only the text shows the receiver."""


def _any(rules: Sequence[_RoleRule], path: Sequence[Placed], top: int) -> bool:
    return any(_fits(rule, path, top) for rule in rules)


def _fits(rule: _RoleRule, path: Sequence[Placed], top: int) -> bool:
    if rule.node.startswith(("!", "+")):
        has_field = bool(top) and _has(path[top - 1].node, rule.node[1:])
        if has_field == (rule.node[0] == "!"):
            return False
    elif rule.node and path[top].node.type != rule.node:
        return False
    if not rule.is_anywhere:
        return _fits_at(rule.steps, path, top)
    return any(_fits_at(rule.steps, path, depth) for depth in range(top, 0, -1))


def _has(node: tree_sitter.Node, part: str) -> bool:
    """Whether a node has a field, or a child of that type; after a slash, whether that has the
    rest."""
    part, _, rest = part.partition("/")
    field = node.child_by_field_name(part)
    parts = [child for child in node.children if child.type == part] if field is None else [field]
    return any(not rest or _has(child, rest) for child in parts)


def _fits_at(steps: Sequence[_RoleStep], path: Sequence[Placed], depth: int) -> bool:
    for step in steps:
        if not depth:
            return False
        parent = path[depth - 1].node
        if step.type and parent.type != step.type:
            return False
        if step.field and not _stands_at(step.field, parent, path[depth].number):
            return False
        if step.words and not begins_with(parent, step):
            return False
        depth -= 1
    return True


def _stands_at(field: str, parent: tree_sitter.Node, number: int) -> bool:
    if field == FIRST:
        return number == 0 or (number == 1 and parent.child(0).type == "(")
    if field == LAST:
        return number == parent.child_count - 1
    return parent.field_name_for_child(number) == field


def begins_with(node: tree_sitter.Node, step: _RoleStep) -> bool:
    """Whether the text of a node begins with one of the words of a step."""
    if _first_word(node) in step.words:
        return True
    text = node.text or b"" if step.starts else b""
    return any(re.match(rb"%s(?![\w?!])" % re.escape(start), text) for start in step.starts)


def _first_word(node: tree_sitter.Node) -> bytes:
    """Returns the text of the first leaf of a node: the function of a call without a receiver, or
    the sign of an operator."""
    cursor = node.walk()
    while cursor.goto_first_child():
        pass
    return (cursor.node and cursor.node.text) or b""


_BEFORE_KEY: Final = re.compile(r"\[ ?[\"'`]\Z")
"""What is in front of the name of a member in quotes: `cart["total"]`."""


def _text_before(outer: tree_sitter.Node, inner: tree_sitter.Node, source: bytes) -> str:
    """Returns the text of a node before a part of it, without the sign between them, and without
    arguments if it is too long."""
    start = max(outer.start_byte, inner.start_byte - _MOST_SOURCE)
    text = source[start : inner.start_byte].decode("utf-8", "replace")
    text = " ".join(text.split())
    if len(text) >= MOST_RECEIVER and start == outer.start_byte:
        text = without_arguments(text)
    text = _BEFORE_KEY.sub("", text)
    return "::" if text == "::" else _SIGNS.sub("", text)[-MOST_RECEIVER:]


_SIGNS: Final = re.compile(r"(?<![.:?!&*$ -])(?:->|[.:?!&*$ -])+\Z")
"""The signs between a receiver and a name: not the end of the arguments of a type."""
