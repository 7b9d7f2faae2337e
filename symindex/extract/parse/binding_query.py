"""Runs a language's `bindings.scm`: what a file imports, what its types inherit from, and the types
and values of what it declares.

The captures of a pattern; each is optional unless stated otherwise:

- an import: `@path`, the module, needed unless the language names the imported thing whole, and
  several times if the code writes its parts apart;
  `@name`, what is imported from it; `@alias`, its name here; `@all`, a sign that all is imported;
  `@everywhere`, a sign that this counts in other files too;
  `@default`, the name here of what the module exports without a name;
- code that is put into the modules that use the one around: `@injected`; its imports count there;
- a file that is included: `@included`;
- the package that the file declares: `@package`;
- a base: `@inherits`, and `@owner`, the subtype, where the base is not inside its definition;
- a declaration: `@declared`, a name or a member of `self`, with `@type` or `@value`; of a local
  name, also with `@entered`, the value that a statement enters, with `@element` or `@indexed`, what
  it is an element of in a loop or at an index; with `@taken`, it is the member of this name of a
  value of the type; with `@within`, it counts in this node alone; with `@through`, the key of a
  pattern around, what that names has the member;
- a parameter of a function without a name: `@nth`, with `@declared`, and with what tells the type
  of the function, given like that of a local name, or with `@called` and `@argument`;
- a local name that means one outside of its scope: `@global`, one of the file, or `@outer`, one of
  the scope around;
- a member that is named without a receiver: `@key`, with what it is a member of, given like the
  type of a local name, or with `@called`, the function that `@argument` is given to; with
  `@called` alone, the name of an argument of it; with `@component`, what gets a value for it as an
  element of markup;
- the body of a type: `@self`, with `@type`, what it extends, if the type has no name; code in the
  body of a type whose `this` is not a value of that type: `@unbound`; code that is given to a
  function, which may call it for a value of its own: `@block`, with `@called`, the function, and
  `@argument` if it is not the last one; code that sees the members
  of a `@value` by their bare names: `@opened`;
- a parameter of a type, which its code uses as a member: `@member`, with `@type`; a member of an
  object, with `@value`, and `@declared`, the name of the object; another name of a member, with
  `@name`, its own;
- a parameter of the type around, which all of its code sees: `@primary`, with `@declared` and
  `@type`;
- a result: `@returns`, a type inside the head of a function, or a sign before the `@value`;
- a member of a type itself, which its values do not have: `@static`, its name;
- a name that a file declares for all files: `@ambient`;
- a type parameter: `@parameter`, with `@type`, its bound.
"""

import re
from functools import cache
from typing import Final

import tree_sitter

from symindex.errors import GrammarError
from symindex.extract.captures import BindingMatch
from symindex.extract.file_bindings import LONGEST, POINTER, one_line
from symindex.extract.languages.language import BINDINGS, QUERY_OF, Language
from symindex.extract.parse.grammar import load_grammar
from symindex.extract.parse.patterns import MOST_MATCHES
from symindex.extract.parse.query_errors import tell_query_error
from symindex.extract.parse.skipping.pattern_words import PatternText, blank_patterns, divide
from symindex.text.receivers import without_arguments

CAPTURES: Final = frozenset(
    {
        "package",
        "included",
        "path",
        "name",
        "alias",
        "all",
        "everywhere",
        "default",
        "inherits",
        "owner",
        "declared",
        "key",
        "member",
        "taken",
        "through",
        "nth",
        "within",
        "global",
        "outer",
        "injected",
        "type",
        "value",
        "entered",
        "element",
        "indexed",
        "called",
        "argument",
        "component",
        "self",
        "unbound",
        "block",
        "opened",
        "returns",
        "parameter",
        "primary",
        "static",
        "ambient",
    }
)

MOST_FOUND: Final = 50_000
"""Most bindings of a file."""

MOST_SOURCE: Final = 4000
"""Most bytes of an expression whose calls are read."""

MOST_ARGUMENTS: Final = 20
"""Most arguments of a call that are counted."""

_PLACES: Final = (
    "key",
    "self",
    "unbound",
    "block",
    "opened",
    "declared",
    "member",
    "inherits",
    "returns",
    "parameter",
    "alias",
    "name",
    "default",
    "path",
    "all",
    "package",
    "included",
    "global",
    "outer",
    "injected",
    "static",
    "ambient",
)
"""The captures whose start is that of a match, in the order of preference."""


_SCOPES: Final = ("within", "self", "unbound", "block", "opened", "injected")
"""Captures whose facts hold in the whole captured node."""


def find_bindings(language: Language, tree: tree_sitter.Tree, source: bytes) -> list[BindingMatch]:
    """Returns the bindings in a tree, in order; none for a language without `bindings.scm`. Raises
    GrammarError for a bad query."""
    if not language.bindings:
        return []
    query = _compile(language.id, load_grammar(language), language.bindings)
    cursor = tree_sitter.QueryCursor(query, match_limit=MOST_MATCHES)
    found = []
    for _, nodes in cursor.matches(tree.root_node):
        texts = {
            capture: ""
            if capture in _SCOPES
            else _path(of_capture, source)
            if capture == "path"
            else _text(of_capture, source)
            for capture, of_capture in nodes.items()
            if capture in CAPTURES
        }
        if "declared" in texts:  # a symbol is a name behind a sign
            texts["declared"] = texts["declared"].lstrip(":")
        if texts.get("inherits") == "":
            texts["inherits"] = _name_of_type(nodes["inherits"][0], source)
        if "nth" in texts:
            texts["nth"] = str(_number(nodes["nth"][0]))
        if "through" in texts:
            texts["through"] = f"{nodes['through'][0].start_byte} {texts['through']}"
        if language.rules.bindings.accessors and texts.get("type") and "declared" in nodes:
            is_pointer = _is_pointer(nodes["type"][0], nodes["declared"][0], source)
            texts["type"] += POINTER * is_pointer
        if "called" in texts and "argument" in nodes:
            texts["called"] = f"{_number(nodes['argument'][0])} {texts['called']}"
        place = next((nodes[capture][0] for capture in _PLACES if capture in nodes), None)
        if place is not None:
            scope = next((nodes[capture][0] for capture in _SCOPES if capture in nodes), None)
            start = place.start_byte if scope is None else scope.start_byte
            found.append(BindingMatch(start, texts, scope.end_byte if scope is not None else 0))
        if len(found) >= MOST_FOUND:
            break
    return sorted(found, key=lambda match: match.name_byte)


def check_bindings(language: Language) -> None:
    """Raises GrammarError for a bad `bindings.scm`."""
    if language.bindings:
        _compile(language.id, load_grammar(language), language.bindings)


def _is_pointer(type_: tree_sitter.Node, declared: tree_sitter.Node, source: bytes) -> bool:
    """Whether a name is declared as a pointer to values of a type, or as an array of them."""
    if type_.end_byte > declared.start_byte:  # as `using P = A*`
        return _STAR.match(source, type_.end_byte) is not None
    is_array = _INDEX.match(source, declared.end_byte) is not None
    return is_array or POINTER.encode() in source[type_.end_byte : declared.start_byte]


_STAR: Final = re.compile(rb"\s*(?:const\b\s*)?\*")
_INDEX: Final = re.compile(rb"\s*\[")


def _path(nodes: list[tree_sitter.Node], source: bytes) -> str:
    return "::".join(_text([node], source) for node in nodes)


def _text(nodes: list[tree_sitter.Node], source: bytes) -> str:
    start, end = nodes[0].start_byte, nodes[-1].end_byte
    text = source[start:end] if end - start <= 4 * LONGEST else _head_of_call(nodes[0], source)
    shown = one_line(text) or _without_keys(source[start : min(end, start + MOST_SOURCE)])
    return shown or one_line(_head_of_call(nodes[0], source))


def _without_keys(text: bytes) -> str:
    """Returns a long type without the names of members that it picks: `Pick<A, 'b' | 'c'>`."""
    kept = _KEYS.sub(b"", text)
    return one_line(kept) if kept.count(b"<") == kept.count(b">") > 0 else ""


def _number(node: tree_sitter.Node) -> int:
    """Returns the number of a node among the named nodes beside it, without comments."""
    number, before = 0, node.prev_named_sibling
    while before is not None and number < MOST_ARGUMENTS:
        number += not before.is_extra
        before = before.prev_named_sibling
    return number


def _head_of_call(node: tree_sitter.Node, source: bytes) -> bytes:
    """Returns a long call with its arguments left out: `make(…).open(…)` is still `make().open()`.
    A long type without a name keeps its beginning."""
    if unnamed := _UNNAMED.match(source, node.start_byte, node.end_byte):
        return unnamed[0] + b"}"
    last = node.children[-1] if node.children else node
    head = _HEAD.fullmatch(source[node.start_byte : last.start_byte].strip())
    if head is not None and source.startswith(b"(", last.start_byte):
        return head[1] + b"()"
    if node.end_byte - node.start_byte > MOST_SOURCE:
        return b""
    text = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    return without_arguments(" ".join(text.split())).encode()


def _name_of_type(node: tree_sitter.Node, source: bytes) -> str:
    """Returns a long type with its arguments left out: `A` for `A<…>`."""
    name = _TYPE_NAME.match(source, node.start_byte, node.end_byte)
    return one_line(name[0]) if name is not None else ""


_KEY: Final = rb"""(?:'[\w$-]{1,100}'|"[\w$-]{1,100}")"""
_KEYS: Final = re.compile(rb"\s*" + _KEY + rb"(?:\s*\|\s*" + _KEY + rb")+")
"""Matches several names of members, one or another."""
_TYPE_NAME: Final = re.compile(rb"[\w$.:\\]{1,200}+(?=\s*(?:[<\[]|$))")
_UNNAMED: Final = re.compile(rb"[\[\]*\d\w. ]{0,40}?struct\s*\{")
_HEAD: Final = re.compile(rb"((?:new\s+|await\s+)?[\w$.:\\]{1,200}+)\s*(?:<[^()]*>)?")


def _possible(text: str, grammar: tree_sitter.Language) -> str:
    """Blanks the patterns of the languages that a query builds on which the grammar cannot match: a
    node that it does not have, or has elsewhere."""
    own_start = text.rfind("\n" + QUERY_OF)
    if own_start < 0:
        return text

    def is_impossible(pattern: PatternText) -> bool:
        try:
            tree_sitter.Query(grammar, text[pattern.start : pattern.end])
        except tree_sitter.QueryError:
            return True
        return False

    return blank_patterns(text, [*filter(is_impossible, divide(text[:own_start], grammar))])


# Without a bound: freeing a compiled query while others are in use has crashed py-tree-sitter 0.26.
@cache
def _compile(language_id: str, grammar: tree_sitter.Language, text: str) -> tree_sitter.Query:
    try:
        query = tree_sitter.Query(grammar, _possible(text, grammar))
    except tree_sitter.QueryError as error:
        told = tell_query_error(language_id, grammar, text, str(error))
        raise GrammarError(told.replace("/symbols.scm:", f"/{BINDINGS}:", 1)) from None
    names = {query.capture_name(number) for number in range(query.capture_count)}
    if unknown := sorted(name for name in names - CAPTURES if not name.startswith("_")):
        raise GrammarError(f"grammars/{language_id}/{BINDINGS}: unknown capture @{unknown[0]}")
    return query
