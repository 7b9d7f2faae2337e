"""Reads expressions and types of many languages as chains of names, without a syntax tree.

`await self.store(x).open("a").name` is the chain `self`, `store()`, `open()`, `name`. What is not a
chain - an operator, a literal - cannot be followed, and gives none.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple, Protocol


class ElementRules(Protocol):
    """The names of types that have elements, or stand for their argument."""

    @property
    def collections(self) -> Collection[str]: ...

    @property
    def wrappers(self) -> Collection[str]: ...


class Step(NamedTuple):
    """A name of a chain.

    is_called: whether arguments follow it. is_opened: whether a question mark follows it, which
    takes a value out of its box. reach: `[` if the chain goes on from an element of it, `*` if from
    what it points to. n_indexes: how many indexes follow, each of which takes an element.
    is_given: whether a call gets an argument that is no literal. argument: the text in quotes that
    is the only argument. sign: what is in front of the name: `.`, `->`. types: the arguments of a
    type, with their brackets: `<A>`.
    """

    name: str
    is_called: bool = False
    is_opened: bool = False
    reach: str = ""
    n_indexes: int = 0
    is_given: bool = False
    argument: str = ""
    sign: str = ""
    types: str = ""


Chain = tuple[Step, ...]

ROOT: Final = Step("")
"""Begins a whole name, which no import and nothing around it changes: `\\A\\B`."""

MOST_STEPS: Final = 16
"""Most names of a chain that is followed."""

_BEFORE: Final = re.compile(
    r"(?:(?:await|new(?!\s*(?:\.|\Z))|clone|return|yield|try|co_await|mut|typename)\b\s*|[&*!(]\s*)*"
    r"(?:::)?"
)
_WHOLE: Final = re.compile(r"\\|global::")
_NAME: Final = re.compile(r"[$@]{0,2}[^\W\d][\w$]*")
_SIGN: Final = re.compile(r"\s*(?:\?\.|!!?\.|\?->|->|::|\.|\\)\s*(?:<[^<>]*>\s*)?")
_WAITING: Final = re.compile(r"\((?:await|new)\s")
_ARGUMENTS: Final = re.compile(r"::\s*<")
"""The sign before arguments of types in an expression, which may also be left out."""
_SLICE: Final = re.compile(r":|\.\.")
"""The sign in an index that takes several elements."""
_QUOTED: Final = re.compile(r"""\(\s*(["'])([^"'\\]{1,200})\1\s*\)""")
_LIFETIME: Final = re.compile(r"'[a-z_]\w*+(?!')")
_LITERALS: Final = re.compile(r"""\w?"[^"]*"|\w?'[^']*'""")
_GIVEN: Final = re.compile(r"(?<!\w)[^\W\d]")
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}", "<": ">"}


def chain_of(text: str) -> Chain:
    """Returns the chain of an expression; empty if it is none."""
    text = _ARGUMENTS.sub("<", text)
    if _WAITING.match(text) and (end := end_of_group(text, 0)) < len(text):
        inner = text[1 : end - 1]
        is_call = end > 0 and inner.endswith(")") and bool(chain_of(inner))
        text = inner + text[end:] if is_call else text
    start = _BEFORE.match(text)
    at = start.end() if start is not None else 0
    is_new = "new" in text[:at].split()
    steps: list[Step] = []
    sign = ""
    if whole := _WHOLE.match(text, at):
        steps.append(ROOT)
        at = whole.end()
    while len(steps) <= MOST_STEPS:
        name = _NAME.match(text, at)
        if name is None:
            return ()
        at, is_called, is_opened, reach, n_indexes = name.end(), False, False, "", 0
        is_given = False
        argument = types = ""
        at += text.startswith(" {", at)  # a function as the last argument
        while at < len(text) and text[at] in "([{<!?":
            if text[at] in "!?":
                is_opened = is_opened or text[at] == "?"
                if text[at + 1 : at + 2] in (".", "!", "-", ":", "["):
                    break
                at += 1
                continue
            opener, end = text[at], end_of_group(text, at)
            if end < 0:
                return ()
            if (
                opener == "["
                and text[end : end + 1] not in ("(", "{")
                and not _SLICE.search(text, at, end)
            ):
                reach = "["
                n_indexes += 1
            if opener == "(" and not is_called and (quoted := _QUOTED.fullmatch(text, at, end)):
                argument = quoted[2]
            types = text[at:end] if opener == "<" else types
            is_called = is_called or opener in "({"
            is_given = is_given or (opener in "({" and _gives(text[at + 1 : end]))
            at = end + text.startswith(" {", end)
        steps.append(
            Step(name[0], is_called, is_opened, reach, n_indexes, is_given, argument, sign, types)
        )
        separator = _SIGN.match(text, at)
        if separator is None:
            break
        at, sign = separator.end(), separator[0].partition("<")[0].strip()
    rest = text[at:].strip(" );,")
    if rest or not 0 < len(steps) <= MOST_STEPS:
        return ()
    if is_new and not any(step.is_called for step in steps):
        steps[-1] = Step(steps[-1].name, True)
    elif "*" in text[: start.end() if start is not None else 0] and not steps[-1].reach:
        steps[-1] = steps[-1]._replace(reach="*")
    return tuple(steps)


def with_names(text: str) -> str:
    """Returns an expression with the members of objects as names that it has in quotes:
    `cart.total` for `cart["total"]`."""
    return _KEY.sub(r".\2", text)


_KEY: Final = re.compile(r"(?<=[\w)\]?])\.?\[\s*([\"'`])([^\W\d][\w$]*)\1\s*\]")


def _gives(arguments: str) -> bool:
    """Whether arguments have a name outside quotes."""
    return _GIVEN.search(_LITERALS.sub("", arguments)) is not None


def arguments_of(text: str) -> list[str]:
    """Returns the names among the arguments of a call: `b.B` and `C` for `mixed(b.B, C)`, and of
    calls in them."""
    head, sign, rest = text.partition("(")
    if not sign or not rest.rstrip().endswith(")") or _TYPE.fullmatch(head.strip()) is None:
        return []
    found = []
    for argument in split(rest.rstrip()[:-1], ","):
        is_name = _TYPE.fullmatch(argument) is not None
        found += [argument] if is_name else arguments_of(argument)
    return found


_CAST: Final = re.compile(
    r"\(\s*\(\s*((?:(?:const|struct|union|enum|class)\s+)*[^\W\d][\w$]*(?:(?:::|\.)\w+)*)"
    r"[\s*&]*\)\s*(?=[\w(&*$])"
)


def cast_of(text: str) -> str:
    """Returns the type that a whole expression is converted to: `A` of `((A *)b)`."""
    match = _CAST.match(text)
    is_whole = match is not None and end_of_group(text, 0) == len(text)
    return match[1] if match is not None and is_whole else ""


def end_of_group(text: str, start: int) -> int:
    """Returns the end of a group of brackets, -1 if it is not closed. Quotes are skipped."""
    stack: list[str] = []
    at = start
    while at < len(text):
        sign = text[at]
        if sign == "'" and stack[-1] == ">" and (name := _LIFETIME.match(text, at)) is not None:
            at = name.end() - 1
        elif sign in "\"'`":
            at = text.find(sign, at + 1)
            if at < 0:
                return -1
        elif sign in _CLOSERS and (sign != "<" or not stack or stack[-1] == ">"):
            stack.append(_CLOSERS[sign])
        elif stack and sign == stack[-1]:
            stack.pop()
            if not stack:
                return at + 1
        elif sign in "\n;":
            return -1
        at += 1
    return -1


def alternatives(text: str) -> list[str]:
    """Returns the expressions that an expression chooses from: both sides of `a or b`,
    `a if c else b`, `a ?? b`."""
    whole = re.match(r"(.+?) if .+? else (.+)\Z", text)
    if whole is not None:
        return [whole[1], whole[2]]
    return [part for part in re.split(r"\s(?:or|\|\||\?\?|\?:)\s", text) if part]


_WORDS: Final = re.compile(
    r"(?:(?:const|mut|dyn|impl|ref|out|in|readonly|final|volatile|typename|struct|class|enum|unsafe"
    r"|any|some|inout|borrowing|consuming|escaping|static(?=\s+[\w\\])|lateinit|var|val|let)\b\s*"
    r"|@\w+\s*|[&*?:]\s*|'[a-z_]\w*\s+)*"
)
_NOTHING: Final = frozenset({"None", "null", "undefined", "nil", "void", "Void", "never", "false"})


def types_in(text: str, wrappers: Collection[str] = ()) -> list[str]:
    """Returns the names of the types that a value may have, qualified as written: `A` and `b.B` for
    `Optional[A] | "b.B"`, `A` and `B` for `A & B`. Types of elements do not count.

    wrappers: types that stand for their argument.
    """
    return list(dict.fromkeys(_types_in(text, wrappers, 4)))


def _types_in(text: str, wrappers: Collection[str], depth: int) -> Iterator[str]:
    for part in split(text.strip().strip("\"'`"), "|&"):
        words = _WORDS.match(part)
        bare = part[words.end() if words is not None else 0 :].strip("\"'` ")
        match = _TYPE.match(bare)
        if match is None or match[0] in _NOTHING:
            continue
        name, rest = match[0], bare[match.end() :].lstrip()
        last = re.split(r"[.:\\]", name)[-1]
        is_array = re.match(r"(?:<.*>\s?)?\[[\s,]*\]", rest) is not None
        if rest[:1] in ("<", "[") and (end := end_of_group(rest, 0)) > 0:
            inner = rest[1 : end - 1].strip()
            if rest[0] == "[" and (not inner or inner.isdigit()):
                continue  # an array
            arguments = split(inner, ",")
            if last in wrappers and depth:
                of_all = arguments if last == "Union" else arguments[:1]
                for argument in of_all:
                    yield from _types_in(argument, wrappers, depth - 1)
                continue
            rest = rest[end:].lstrip()
        if not is_array and not rest.startswith("["):
            yield name


def boxed_in(text: str, boxes: Collection[str]) -> str:
    """Returns the type of what a box holds: `A` for `Option<A>`; empty for another type. boxes: the
    names of types that are boxes."""
    words = _WORDS.match(text)
    match = _TYPE.match(text, words.end() if words is not None else 0)
    if match is None or text[match.end() : match.end() + 1] != "<":
        return ""
    end = end_of_group(text, match.end())
    is_box = names_of(match[0])[-1] in boxes and end == len(text.rstrip())
    return split(text[match.end() + 1 : end - 1], ",")[0] if is_box else ""


_TYPE: Final = re.compile(r"\\?[$]?[^\W\d][\w$]*(?:\s?(?:\.|::|\\|->)\s?[$]?[^\W\d][\w$]*)*")


def element_of(text: str, rules: ElementRules, is_index: bool) -> str:
    """Returns the type of the elements of a collection; empty if a type is none. is_index: whether
    at an index, else in a loop, which of some collections takes the keys."""
    types = [part for part in split(text.strip().strip("\"'`"), "|") if part not in _NOTHING]
    if len(types) != 1:
        return ""
    words = _WORDS.match(types[0])
    bare = types[0][words.end() if words is not None else 0 :].strip("\"'` ")
    if bare.endswith("[]"):
        inner = bare[:-2].strip()
        return inner[1:-1] if inner[:1] == "(" and inner[-1:] == ")" else inner
    if (array := _BEFORE_ELEMENT.match(bare)) is not None:
        return bare[array.end() :]
    if bare[:1] == "[" and end_of_group(bare, 0) == len(bare.rstrip("?!")):
        return _element_in(bare.rstrip("?!")[1:-1], is_index)
    match = _TYPE.match(bare)
    rest = bare[match.end() :].lstrip() if match is not None else ""
    end = end_of_group(rest, 0) if rest[:1] in ("<", "[") else -1
    if match is None or end < 0:
        return ""
    name, arguments = names_of(match[0])[-1], split(rest[1 : end - 1], ",")
    if name == "map" and rest[0] == "[" and rest[end:]:
        return rest[end:] if is_index else arguments[0]
    if name in rules.wrappers and not rest[end:].strip():
        return element_of(arguments[0], rules, is_index)
    if arguments[-1] == "...":
        return arguments[0]
    is_known = name in rules.collections and not rest[end:].strip(" ?")
    return arguments[-1 if is_index else 0] if is_known else ""


def _element_in(inner: str, is_index: bool) -> str:
    """Returns the type of the elements of a collection that is written between brackets: `[A]`,
    `[A; 4]`, and at an index `[A: B]`."""
    if len(split(inner, ",")) > 1:
        return ""
    key, *value = split(split(inner, ";")[0], ":")
    return (value[0] if is_index and len(value) == 1 else "") if value else key


def is_collection(text: str, collections: Collection[str]) -> bool:
    """Whether a type is that of a collection with its elements, and not of what iterates it."""
    match = _COLLECTION.fullmatch(text.strip())
    return match is not None and names_of(match["name"])[-1] in collections


def iterated_by(text: str) -> str:
    """Returns the collection that a type iterates: `list<A>` for `list<A>::iterator`; empty for
    another type."""
    match = _ITERATOR.fullmatch(text.strip())
    return match[1] if match is not None else ""


_COLLECTION: Final = re.compile(r"(?:const\s+)?(?P<name>[\w:]+)\s*<.*>[\s&]*(?:const)?[\s&]*")
_ITERATOR: Final = re.compile(r"(.*>)\s*(?:::|\.)\s*\w*iterator")

_BEFORE_ELEMENT: Final = re.compile(r"\[\d*\](?=\S)|(?:<-)?chan(?:<-)?\s+")


def split(text: str, signs: str) -> list[str]:
    """Splits a text at signs outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter in signs and depth <= 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def steps_of(type_name: str) -> Chain:
    """Returns a qualified name as a chain."""
    names = names_of(type_name)
    if whole := _WHOLE.match(type_name):
        return ROOT, *map(Step, names[1:] if whole[0][0].isalpha() else names)
    return tuple(map(Step, names))


def arity_of(text: str, name: str) -> int:
    """Returns how many arguments the types of a name have in a text; -1 if that is not clear."""
    found = set()
    for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
        at = match.end()
        end = end_of_group(text, at) if text[at : at + 1] == "<" else at
        found.add(-1 if end < 0 else len(split(text[at + 1 : end - 1], ",")) if end > at else 0)
    return found.pop() if len(found) == 1 else -1


def arguments_in(text: str, name: str) -> list[str]:
    """Returns the arguments that a text gives to the only type in it, or to the only one of a name;
    none if they differ."""
    parts = split(text.strip().strip("\"'`"), "|&")
    found = []
    for part in parts:
        words = _WORDS.match(part)
        match = _TYPE.match(part, words.end() if words is not None else 0)
        if match is None or (len(parts) > 1 and names_of(match[0])[-1] != name):
            continue
        start = match.end()
        end = end_of_group(part, start) if part[start : start + 1] in ("<", "[") else -1
        found.append(split(part[start + 1 : end - 1], ",") if end > 0 else [])
    return found[0] if found and all(one == found[0] for one in found) else []


def names_of(type_name: str) -> list[str]:
    """Returns the names of a qualified name."""
    return [name for name in re.split(r"\s?(?:\.|::|\\|->|/)\s?", type_name) if name]


OWN_TYPES: Final = (["this"], ["Self"], ["self"], ["static"])
"""Results that are of the receiver's type."""

_ARRAY: Final = re.compile(
    r"[\w.$<>]+(?:\[\d*\])+|\[[^\[\]]*\][\w.*&\[\]]+|\[(?:[^\[\]]|\[[^\[\]]*\])+\][?!]?"
)
_TYPED_LITERAL: Final = re.compile(r"(?:\[\d*\]|map\[[^\[\]]*\])[*\w]")
_UNNAMED: Final = re.compile(r"[*&:\s]*(?:struct\s*\{|\{)")
_PARAMETER: Final = re.compile(r"[A-Z]\d?|T[A-Z]\w*|_\w+")
_LITERAL: Final = re.compile(r"\s*(?:[rbfuRBFU]{0,2}[\"'`]|[\[{\d])")


def is_array(type_text: str) -> bool:
    """Whether a type is that of an array, whose members no program defines."""
    return _ARRAY.fullmatch(type_text.strip(": ")) is not None


def parameter_type(signature: str, name: str, number: int) -> str:
    """Returns the type of a parameter of a function, as its signature writes it after a colon;
    empty if there is none."""
    generic = r"\s*(?:<[^()]*>)?\s*"
    pattern = rf"(?<![\w$]){re.escape(name)}{generic}[=:?]{{0,2}}{generic}\("
    head = re.search(pattern, signature)
    if head is None:
        return ""
    end = end_of_group(signature, head.end() - 1)
    parameters = split(signature[head.end() : end - 1], ",") if end > 0 else []
    if not number < len(parameters):
        return ""
    parameter = parameters[number].strip()
    is_pattern = parameter[:1] in ("{", "[")
    start = max(0, end_of_group(parameter, 0)) if is_pattern else 0
    _, sign, type_ = parameter[start:].partition(":")
    type_ = re.split(r"=(?!>)", type_, maxsplit=1)[0].strip()
    return type_ if sign and "{" not in type_ else ""


_DECORATED: Final = re.compile(r"(?:[\w$]+\.)*(?P<name>[\w$]+)\(\s*(?P<inner>[\w$.]+)\s*\)")


def undecorated(text: str, decorating: Collection[str]) -> str:
    """Returns what a text gives to functions that return it decorated: `Panel` of `memo(Panel)`."""
    match = _DECORATED.fullmatch(text) if decorating else None
    return match["inner"] if match is not None and match["name"] in decorating else text


class Cast(NamedTuple):
    """A value that is taken as one of a type. rest: what follows the cast."""

    type: str
    rest: str


def cast_in(text: str) -> Cast | None:
    """Returns the cast that an expression begins with: `((T) x)`, `(x as T)`, `x.(T)`."""
    match = next((match for one in _CASTS if (match := one.match(text)) is not None), None)
    return Cast(match["type"].strip(), text[match.end() :]) if match is not None else None


def cast_by(text: str, members: Collection[str]) -> Cast | None:
    """Returns the last cast in an expression by a member with the type in brackets behind it:
    `x.to[T].y`.

    members: the names of these.
    """
    for match in reversed([*_BRACKETS.finditer(text)] if members else []):
        end = end_of_group(text, match.end() - 1)
        rest = text[end:]
        if match[1] in members and end > 0 and rest.count("(") == rest.count(")"):
            return Cast(text[match.end() : end - 1].strip(), rest)
    return None


def base_named(text: str, above: Collection[str]) -> Cast | None:
    """Returns the supertype that the word for supertypes names in brackets: `super[Base].run`,
    `super<Base>.run`.

    above: these words.
    """
    match = _BASE.match(text)
    return Cast(match[2], text[match.end() :]) if match is not None and match[1] in above else None


_BASE: Final = re.compile(r"(?:\w{1,100}\.)?(\w{1,20})[\[<]([\w.]{1,200})[\]>](?=\.|\Z|@)")
_BRACKETS: Final = re.compile(r"\.(\w{1,100})\[")
_A_TYPE: Final = r"(?P<type>[^\W\d][\w$.]*(?:<[^()]*>)?(?:\[\])*)"
_CASTS: Final = (
    re.compile(rf"\(\s*\(\s*{_A_TYPE}\s*\)\s*[\w$\"'(](?:[^()]|\([^()]*\))*\)"),
    re.compile(rf"\((?:[^()]|\([^()]*\))+?\sas\s+{_A_TYPE}\s*\)"),
    re.compile(r"[\w.]+\.\(\s*(?P<type>[*\w.]+)\s*\)"),
    re.compile(r"\(?\w+_cast\s*<(?P<type>[^<>()]+(?:<[^<>()]*>)?[^<>()]*)>\s*\([^()]*\)\)?"),
)


def is_typed_literal(text: str) -> bool:
    """Whether an expression is a literal that begins with the type of its elements."""
    return _TYPED_LITERAL.match(text) is not None


def is_unnamed(type_text: str) -> bool:
    """Whether a type is written out where it is used, so that its members are those of no other."""
    return _UNNAMED.match(type_text) is not None


def is_parameter(name: str) -> bool:
    """Whether a type has the usual name of a type parameter."""
    return _PARAMETER.fullmatch(name) is not None


def is_literal(text: str) -> bool:
    """Whether an expression is a literal, whose type no program defines."""
    return _LITERAL.match(text) is not None
