"""All regular expressions of the package, and texts that are hard for them.

Python's `re` backtracks: if two parts of an expression can match the same text, it tries every way
to divide that text, and its time grows with the square of the text or doubles with each character.
Measuring finds such expressions: each gets texts made of its own characters, repeated, with an end
that prevents a match.
"""

import ast
import importlib
import pkgutil
import random
import re
import signal
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

import symindex
from symindex.extract.documents import formats, leading_docs
from symindex.extract.languages import language as languages
from symindex.extract.languages.registry import load_languages
from symindex.extract.parse import branches
from symindex.extract.parse.skipping.regex_literals import sre, sre_parser

TOP: Final = Path(symindex.__file__).parent

_METHODS: Final = {"match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"}

_MAY_MATCH: Final = re.compile(
    r"\b(?:match|search|fullmatch|subn?|split|findall|finditer)\(|\bre\.compile\("
)

_FILLING: Final = "a \n"
"""Characters that most expressions accept, for texts that an expression's own characters do not
make."""

_MOST_SIGNS: Final = 5
_MANY: Final = 100
"""Repeats of up to this number take bounded time."""

_SEEDS: Final = 6
"""Number of matching texts that are made for each expression."""


class Pattern(NamedTuple):
    """An expression. where: the module, and the line, name or key. anchored: whether it is only
    matched at one position, never searched."""

    where: str
    regex: re.Pattern[Any]
    anchored: bool = False


@cache
def all_patterns() -> tuple[Pattern, ...]:
    """Returns the patterns of all modules and tables, each once."""
    unique: dict[tuple[Any, int], Pattern] = {}
    for pattern in [*_of_modules(), *_of_languages(), *_of_tables()]:
        key = (pattern.regex.pattern, pattern.regex.flags)
        previous = unique.get(key)
        unique[key] = (
            pattern
            if previous is None or (previous.anchored and not pattern.anchored)
            else previous
        )
    return tuple(unique.values())


def _of_modules() -> Iterator[Pattern]:
    """Yields the patterns that modules have compiled, and those that calls of `re` in functions
    compile."""
    texts = {path: path.read_text("utf-8") for path in sorted(TOP.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items() if _MAY_MATCH.search(text)}
    called = {path: _called_methods([tree]) for path, tree in trees.items()}
    anywhere = _called_methods(trees.values())
    for module_info in pkgutil.walk_packages([str(TOP)], "symindex."):
        if module_info.name.endswith("__main__"):
            continue
        module = importlib.import_module(module_info.name)
        path = TOP.joinpath(*module_info.name.split(".")[1:])
        source = path / "__init__.py" if module_info.ispkg else path.with_suffix(".py")
        for name, value in vars(module).items():
            if value is not re:
                methods = (called.get(source, {}) if name.startswith("_") else anywhere).get(
                    name, {"search"}
                )
                for regex in _inside(value):
                    yield Pattern(
                        f"{module_info.name}.{name}", regex, methods <= {"match", "fullmatch"}
                    )
        if source in trees:
            yield from _of_calls(module_info.name, trees[source], vars(module))


def _called_methods(trees: Any) -> dict[str, set[str]]:
    """Returns the matching methods that the package calls on each name."""
    called: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in _METHODS:
                owner = node.value.value if isinstance(node.value, ast.Subscript) else node.value
                name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
                called.setdefault(name, set()).add(node.attr)
    return called


def _inside(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    """Yields the expressions in a value: in containers, class attributes, and results of cached
    functions without arguments."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 3 and isinstance(value, dict):
        for element in value.values():
            yield from _inside(element, depth + 1)
    elif depth < 3 and isinstance(value, list | tuple | set | frozenset):
        for element in value:
            yield from _inside(element, depth + 1)
    elif depth < 2 and isinstance(value, type) and value.__module__.startswith("symindex."):
        for element in vars(value).values():
            yield from _inside(element, depth + 1)
    elif depth == 0 and hasattr(value, "cache_info"):
        function = value.__wrapped__
        is_alone = not getattr(getattr(function, "__code__", None), "co_argcount", 1)
        if is_alone and "re.Pattern" in str(function.__annotations__.get("return")):
            yield from _inside(value(), 1)


def _of_calls(module: str, tree: ast.AST, names: dict[str, Any]) -> Iterator[Pattern]:
    at_one_place = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in {"match", "fullmatch"}
    }
    for node in _of_functions(tree):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            continue
        if node.func.value.id != "re" or node.func.attr not in {*_METHODS, "compile"}:
            continue
        index = {"sub": 4, "subn": 4, "split": 3}.get(
            node.func.attr, 1 if node.func.attr == "compile" else 2
        )
        given = [
            *node.args[index : index + 1],
            *(word.value for word in node.keywords if word.arg == "flags"),
        ]
        try:
            text = eval(compile(ast.Expression(node.args[0]), module, "eval"), dict(names))
            flags = (
                eval(compile(ast.Expression(given[0]), module, "eval"), dict(names)) if given else 0
            )
            regex = re.compile(text, flags)
        except (NameError, TypeError, KeyError, AttributeError, re.error):
            # a pattern put together at the call, from escaped literals and from the tables of
            # languages
            continue
        yield Pattern(
            f"{module}:{node.lineno}",
            regex,
            node.func.attr in {"match", "fullmatch"} or id(node) in at_one_place,
        )


def _of_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes in functions; patterns that a module compiles itself are found by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from ast.walk(node)


def _of_languages() -> Iterator[Pattern]:
    for language in load_languages(check=False).by_id.values():
        rules, name = language.rules, f"{language.id}/language.toml"
        for key in languages._PATTERNS:
            if pattern := attrgetter(key)(rules):
                yield Pattern(
                    f"{name} {key}", languages.compile_pattern(pattern), key in _ANCHORED_KEYS
                )
        for extension, pattern in rules.content.items():
            yield Pattern(f"{name} content.{extension}", languages.compile_pattern(pattern))
        for key, pairs in (
            ("doc.replace", rules.doc.replace),
            ("mend", rules.mend),
            ("repair", rules.repair),
            ("repair_near", rules.repair_near),
        ):
            for row in pairs:
                for pattern in (row[0], *row[3:]):
                    yield Pattern(f"{name} {key}", languages.compile_pattern(pattern))
        for pattern in rules.repair_signs:
            yield Pattern(f"{name} repair_signs", languages.compile_pattern(pattern))
        if rules.branches.open:
            for part, regex in vars(branches._BranchPatterns(rules.branches)).items():
                if isinstance(regex, re.Pattern):
                    yield Pattern(f"{name} branches, {part}", regex, part in _ANCHORED_KEYS)
        head = leading_docs._HeadRules(language)
        for part in ("comment", "before", "behind"):
            if (regex := getattr(head, part)) is not None:
                yield Pattern(f"{name} head, {part}", regex, anchored=True)
        for _, regex in head.quotes:
            yield Pattern(f"{name} head, quotes", regex, anchored=True)


_ANCHORED_KEYS: Final = frozenset(
    {"doc.behind", "doc.before", "branches.continues", "continues", "typed_names"}
)
"""Yields the patterns of languages: keys that are matched at one position, and attributes made of
them."""


def _of_tables() -> Iterator[Pattern]:
    spellings = tomllib.loads(
        files("symindex.explore.trace").joinpath("spellings.toml").read_text("utf-8")
    )
    for pattern, _ in spellings["rules"]:
        yield Pattern("spellings.toml", re.compile(pattern))
    table = tomllib.loads(Path(formats.__file__).with_suffix(".toml").read_text("utf-8"))
    for pattern in _values_of(table, ("content", "unlike")):
        yield Pattern("formats.toml", re.compile(pattern, re.MULTILINE))


def _values_of(table: Any, keys: tuple[str, ...], is_inside: bool = False) -> Iterator[str]:
    """Yields the texts below these keys, at any depth."""
    if isinstance(table, dict):
        for key, value in table.items():
            yield from _values_of(value, keys, is_inside or key in keys)
    elif isinstance(table, list):
        for value in table:
            yield from _values_of(value, keys, is_inside)
    elif is_inside and isinstance(table, str):
        yield table


def repeats_much(pattern: Pattern) -> bool:
    """Whether anything in an expression can repeat so often that time could grow with the text."""
    return any(most >= _MANY for _, most, _ in _repeats(_tree(pattern)))


def _bodies(tree: Any) -> Iterator[Any]:
    """Yields the bodies of all repeats, nested ones too."""
    return (body for _, _, body in _repeats(tree))


def _repeats(tree: Any) -> Iterator[tuple[int, int, Any]]:
    for kind, value in tree:
        if str(kind) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            yield value[0], int(value[1]), value[2]
            yield from _repeats(value[2])
        elif str(kind) == "SUBPATTERN":
            yield from _repeats(value[3])
        elif str(kind) == "ATOMIC_GROUP":
            yield from _repeats(value)
        elif str(kind) in ("ASSERT", "ASSERT_NOT"):
            yield from _repeats(value[1])
        elif str(kind) == "BRANCH":
            for branch in value[1]:
                yield from _repeats(branch)


def _tree(pattern: Pattern) -> Any:
    source, flags = pattern.regex.pattern, pattern.regex.flags
    return sre_parser.parse(source, flags & ~re.UNICODE if isinstance(source, bytes) else flags)


class _TakesLong(BaseException):
    """The processor clock ended a match."""


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    def end(*_: object) -> None:
        raise _TakesLong

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds_of(pattern: Pattern, text: str, most: float) -> float:
    """Returns the processor time of all matches in a text, ended at about `most` seconds."""
    subject: Any = (
        text.encode("utf-8", "replace") if isinstance(pattern.regex.pattern, bytes) else text
    )
    run: Callable[[], object] = lambda: pattern.regex.match(subject)  # noqa: E731
    if not pattern.anchored:
        run = lambda: sum(1 for _ in pattern.regex.finditer(subject))  # noqa: E731
    begun = time.process_time()
    try:
        with _limit(most):
            run()
    except _TakesLong:
        return most
    return time.process_time() - begun


def hard_texts(pattern: Pattern) -> Iterator[tuple[str, str, str]]:
    """Yields beginnings, bodies to repeat after them, and ends: made of an expression's characters
    and of texts that it matches."""
    tree = _tree(pattern)
    chance = random.Random(0)
    signs: dict[str, int] = {}
    _count_signs(tree, signs)
    alphabet = [*sorted(signs, key=lambda sign: -signs[sign])[:_MOST_SIGNS], *_FILLING]
    pumps: dict[str, None] = dict.fromkeys(alphabet)
    pumps.update(
        dict.fromkeys("".join(pair) for pair in product(dict.fromkeys(alphabet), repeat=2))
    )
    begins: dict[str, None] = {"": None}
    for _ in range(_SEEDS):
        whole = _sample(tree, chance)
        pumps[whole[:40]] = None
        cut = chance.randrange(len(whole) + 1)
        begins[whole[:cut][:60]] = None
        pumps[whole[cut : cut + chance.randrange(1, 12)]] = None
    for body in _bodies(tree):
        pumps.update(dict.fromkeys(_sample(body, chance)[:40] for _ in range(2)))
    pumps.pop("", None)
    for pump in pumps:
        for begin in [*begins][:2] if len(pump) < 3 else [*begins][:3]:
            yield begin, pump, chance.choice(["", "\n", "!", *alphabet])
            if len(pump) != 2:
                yield begin, pump, "\0"


def _count_signs(tree: Any, signs: dict[str, int]) -> None:
    """Counts how often each character is in an expression."""
    for item in _walk(tree):
        if item[0] in (sre.LITERAL, sre.NOT_LITERAL) and item[1] < 0x3000:
            signs[chr(item[1])] = signs.get(chr(item[1]), 0) + 1


def _walk(tree: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(tree, sre_parser.SubPattern):
        for item in tree:
            yield from _walk(item)
    elif isinstance(tree, tuple | list):
        if len(tree) == 2 and isinstance(tree[1], int) and not isinstance(tree[0], int):
            yield tree[0], tree[1]
        for part in tree:
            if isinstance(part, tuple | list | sre_parser.SubPattern):
                yield from _walk(part)


def _sample(tree: Any, chance: random.Random) -> str:
    """Returns a text that a tree roughly matches; it ignores lookarounds."""
    return "".join(_sample_of(str(kind), value, chance) for kind, value in tree)


def _sample_of(kind: str, value: Any, chance: random.Random) -> str:
    if kind == "LITERAL":
        return chr(value)
    if kind == "NOT_LITERAL":
        return "b" if value == 97 else "a"
    if kind == "ANY":
        return chance.choice("a \"'")
    if kind == "IN":
        return _of_class(value, chance)
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, body = value
        times = chance.choice([least, min(most, least + 1), min(most, least + 2)])
        return "".join(_sample(body, chance) for _ in range(min(times, 90)))
    if kind == "SUBPATTERN":
        return _sample(value[3], chance)
    if kind == "ATOMIC_GROUP":
        return _sample(value, chance)
    if kind == "BRANCH":
        return _sample(chance.choice(value[1]), chance)
    if kind == "GROUPREF_EXISTS":
        return _sample(value[1], chance)
    return ""


_OF_CATEGORY: Final = {
    "WORD": "a0_",
    "DIGIT": "07",
    "SPACE": " \t\n",
    "NOT_WORD": " \"'.",
    "NOT_DIGIT": "a ",
    "NOT_SPACE": "a.\"'",
}


def _of_class(items: Any, chance: random.Random) -> str:
    if str(items[0][0]) == "NEGATE":
        good = [
            sign for sign in "a0 _.\"'\\/\t(<" if not any(_has(item, sign) for item in items[1:])
        ]
        return chance.choice(good or ["\x01"])
    item = chance.choice(items)
    if str(item[0]) == "LITERAL":
        return chr(item[1])
    if str(item[0]) == "RANGE":
        return chr(chance.choice(item[1]))
    return chance.choice(_OF_CATEGORY[str(item[1]).removeprefix("CATEGORY_").removeprefix("UNI_")])


def _has(item: Any, sign: str) -> bool:
    kind = str(item[0])
    if kind == "LITERAL":
        return bool(chr(item[1]) == sign)
    if kind == "RANGE":
        return bool(item[1][0] <= ord(sign) <= item[1][1])
    return bool(
        re.match(
            {
                "WORD": r"\w",
                "DIGIT": r"\d",
                "SPACE": r"\s",
                "NOT_WORD": r"\W",
                "NOT_DIGIT": r"\D",
                "NOT_SPACE": r"\S",
            }[str(item[1]).removeprefix("CATEGORY_")],
            sign,
        )
    )
