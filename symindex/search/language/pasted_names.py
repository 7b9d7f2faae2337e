"""Reads names as errors, docs, traces and code write them: `&Mod.fun/3`, `(*T).Method`,
`Foo<T>::bar`, `-[Foo bar:]`, `app.py:12`.

A word is first searched for as it is, since names may contain almost anything. This module returns
what else it may mean: without the marks around it, without arguments and type arguments, without
what only a compiler adds, with a file before it.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from symindex.search.language.query import Name, Query, parse_name
from symindex.text.separators import SEPARATOR

_ARITY: Final = re.compile(r"(?<=[\w!?])/(\d{1,3})$")
_PARAMETERS: Final = re.compile(
    r"(?<=[\w>\])?!])\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?:\s*(?:const|noexcept|&{1,2}))*$"
)

_N_OF_TYPES: Final = re.compile(r"(?<=\w)`\d+")
"""The number of a type's parameters, as runtimes write it."""

_REWRITTEN: Final = (
    (re.compile(r"^[`']+([^`']+)[`']+$"), r"\1"),
    (re.compile(r"^[-+]?\[\s*(\w+)(?:\([\w ]*\))?\s+([\w:]+)\s*\]$"), r"\1.\2"),
    (re.compile(r"^from\s+\.*([\w.]+)\s+import\s+(\w+)(?:\s+as\s+\w+)?$"), r"\1.\2"),
    (re.compile(r"^(?:import|use|using)\s+(?:static\s+)?([\w.:\\]+)(?:\s+as\s+\w+)?;?$"), r"\1"),
    (re.compile(r"^import\s+(?:type\s+)?\{?\s*(\w+)\s*\}?\s+from\s+['\"][^'\"]*['\"];?$"), r"\1"),
    (re.compile(r"^(?:typeof|nameof|sizeof|classOf)\s*\(\s*([\w.:]+)\s*\)$"), r"\1"),
    (re.compile(r"^</?\s*([\w:.-]+)\s*/?>$"), r"\1"),
    (
        re.compile(
            r"^<\s*&?(?:mut )?([\w:.]+)(?:<[^<>]*>)?(?: as [^<>]*(?:<[^<>]*>)?)?\s*/?>(?=::|\.|$)"
        ),
        r"\1",
    ),
    (re.compile(r"(?:^|(?<=[./]))\(\s*[*&]*\s*([\w.:]+)(?:\[[^\[\]]*\])?\s*\)(?=\.)"), r"\1"),
    (re.compile(r"\s*\((?:[^()]*[/\\])?[\w@.+-]+\.\w+:\d+(?::\d+)?\)$"), ""),
    (
        re.compile(
            r"^(?:at |fun |\[\]|\.\.\.|--?(?=\w)|[&*@:$#%?]+(?=[\w(@$:{])|(?<=&)(?:mut|const) )+"
        ),
        "",
    ),
    (re.compile(r"[,;]+$"), ""),
    (re.compile(r"(?<=\w)\s*\{[^{}]*\}$"), ""),
    (_N_OF_TYPES, ""),
    (re.compile(r"(?<=\w)\$[a-z_]+$"), ""),
    (re.compile(r"(?<=[\w?!])\$(?=[A-Za-z_])|(?<=\w)@(?=\w)"), "."),
    (re.compile(r"(?<=\w)\$\d+"), ""),
)
"""What is written around or inside a name, and what replaces it."""

_ARGUMENTS_OF_TYPES: Final = re.compile(
    r"(?<=\w)(?:::)?(?:<[^<>]*>|\[[^\[\]]+\])(?=\W|$)|(?<=:)::<[^<>]*>"
)
_MOST_NESTED: Final = 6
_WITHIN: Final = re.compile(r"(?<=\w)(?:<[\w\s,.:<>&*]+>|\[[A-Z][\w\s,.\[\]]*\])$")
"""The arguments of a type, which may be what is searched for: `Vec<Item>`."""

_MEANS_TYPE: Final = re.compile(r"(?:::|\.)class$")

_ADDED: Final = re.compile(
    r"(?:\{\{?[\w-]+(?:#\d+)?\}?\}|<[\w ]*>|\(anonymous(?: namespace| class)?\)|lambda\W\w+|h[0-9a-f]{16}|func\d+|"  # noqa: E501
    r"prototype|class)"
)
"""A part of a name that a compiler or a run adds, or that only says what is meant: a closure, a
constructor, a hash."""

_OWN: Final = frozenset(
    {"self", "this", "cls", "crate", "super", "static", "parent", "module", "exports", "__module__"}
)
"""First parts of a name, in lower case and without marks, that mean the place where the code is."""

_BEFORE_NAME: Final = re.compile(
    r"(?P<path>[\w@.+~/\\-]*\.[A-Za-z]\w{0,9})(?:::?|#)(?P<name>[^\s:#\d].*)"
)
_PLACE: Final = re.compile(
    r"(?:at |in )?\(?(?P<path>[\w@.+~/\\-]*\.[A-Za-z]\w{0,9})(?::(?P<line>\d{1,9})(?::\d+)?(?:(?::|,)?(?:\s.*|in .*)?|\)))?:?",  # noqa: E501
    re.DOTALL,
)


_BUILT: Final = re.compile(r".+\.(?=[a-z])[a-z0-9]{1,4}")


_OF_FRAME: Final = re.compile(r"^File \"([^\"]+)\", line (\d+).*$", re.DOTALL)


class Reading(NamedTuple):
    """What a word may mean. arity: the number of parameters; `None` if it is not given. parameters:
    the typed parameters. is_bare: whether something was left out."""

    query: Name
    arity: int | None = None
    parameters: str = ""
    is_bare: bool = True


class PastedPlace(NamedTuple):
    """The end of a path, in parts, and a line; 0 for none."""

    parts: tuple[str, ...]
    line: int

    @property
    def may_be_built(self) -> bool:
        """Whether the file may be built from another, with another suffix."""
        return _BUILT.fullmatch(self.parts[-1]) is not None


def readings_of(query: Name) -> list[Reading]:
    """Returns what a name may mean, the likeliest first, including the name as typed."""
    typed = Reading(query, parameters=query.parameters, is_bare=False)
    if len(query.literal) > LONGEST:
        return [typed]
    readings = [typed]
    arity = _ARITY.search(query.literal)
    bare, parameters = _bare(query.literal[: arity.start()] if arity else query.literal)
    if bare and bare != query.literal:
        reading = Reading(
            _name(bare), int(arity[1]) if arity else None, parameters or query.parameters
        )
        readings = (
            [reading, typed] if arity or _MEANS_TYPE.search(query.literal) else [typed, reading]
        )
    if arguments := _WITHIN.search(query.literal):
        readings += [
            Reading(_name(alternative), None, "")
            for alternative in re.findall(r"[\w.:]+", arguments[0])
        ][:_MOST_NESTED]
    for text in (query.literal, bare):
        if in_file := _BEFORE_NAME.fullmatch(text):
            inside, parameters = _bare(in_file["name"])
            folders = [
                part
                for part in re.split(r"[/\\]", in_file["path"].rpartition(".")[0])
                if part not in ("", ".", "..")
            ]
            name = _name(inside)
            of_file = Name(query.literal, (*folders, *name.qualifiers), name.name, name.in_path)
            readings.append(Reading(of_file, int(arity[1]) if arity else None, parameters))
    return [
        *dict.fromkeys(
            alternative for reading in readings for alternative in (reading, *_without_own(reading))
        )
    ]


def _without_own(reading: Reading) -> Iterator[Reading]:
    """Yields the reading without `self` and similar words at its beginning."""
    qualifiers = [*reading.query.qualifiers]
    while qualifiers and qualifiers[0].lower().strip("$?&@") in _OWN:
        del qualifiers[0]
        yield reading._replace(query=_with(reading.query, qualifiers), is_bare=True)


def shortened(reading: Reading) -> Iterator[Reading]:
    """Yields the reading without its first qualifiers, down to the last one. For a type, yields it
    without any as well, if the qualifiers can only be its package, which need not be a folder."""
    qualifiers = reading.query.qualifiers
    is_in_package = (
        len(qualifiers) > 1
        and all(map(str.islower, qualifiers))
        and reading.query.name[:1].isupper()
    )
    for count in range(1, len(qualifiers) + is_in_package):
        yield reading._replace(query=_with(reading.query, qualifiers[count:]), is_bare=True)


def _with(query: Name, qualifiers: list[str] | tuple[str, ...]) -> Name:
    return Name(
        query.name if not qualifiers else ".".join((*qualifiers, query.name)),
        tuple(qualifiers),
        query.name,
    )


def _bare(text: str) -> tuple[str, str]:
    """Returns a name without what is written around it, and its parameters."""
    text, parameters = text.strip(), ""
    for pattern, instead in _REWRITTEN:
        text = pattern.sub(instead, text)
    if written := _PARAMETERS.search(text):
        text, parameters = text[: written.start()], written[1].strip()
    text, operator, sign = text.partition("operator")
    for _ in range(_MOST_NESTED):
        shorter = _ARGUMENTS_OF_TYPES.sub("", text)
        if shorter == text:
            break
        text = shorter
    text += operator + sign
    parts = SEPARATOR.split(_single_colon(text))
    own_parts = [part for part in parts if not _ADDED.fullmatch(part)]
    if len(own_parts) < len(parts):
        return ".".join(part for part in own_parts if part), parameters
    return text, parameters


def _single_colon(text: str) -> str:
    """Returns `module:function` with a dot. The selector of an object, which ends with a colon, is
    unchanged."""
    return re.sub(r"(?<=\w):(?=[a-z_]\w*$)", ".", text)


def _name(text: str) -> Name:
    return parse_name(_single_colon(text))


def place_of(text: str) -> PastedPlace | None:
    """Returns the place in a file that a text means; `None` for any other text."""
    match = (
        _PLACE.fullmatch(_OF_FRAME.sub(r"\1:\2", text.strip())) if len(text) <= LONGEST else None
    )
    if match is None:
        return None
    parts = [part for part in re.split(r"[/\\]", match["path"]) if part not in ("", ".", "..", "~")]
    return PastedPlace(tuple(parts), int(match["line"] or 0)) if parts else None


_PASTED: Final = (
    re.compile(r"from\s+[\w.]+\s+import\s+\w+(?:\s+as\s+\w+)?"),
    re.compile(r"(?:import|use|using)\s+(?:static\s+)?\w+(?:(?:\.|::|\\)\w+)+(?:\s+as\s+\w+)?;?"),
    re.compile(r"import\s+(?:type\s+)?(?:\w+|\{\s*\w+\s*\})\s+from\s+['\"][^'\"]*['\"];?"),
    re.compile(r"(?:typeof|nameof|sizeof|classOf)\([\w.:]+\)"),
    re.compile(r"[%&][\w.]+\{[^{}]*\}"),
    re.compile(r"[A-Za-z_][\w.:]*<[\w\s,.:<>&*?]*>(?:\.|::)[\w~]+(?:\([^()]*\))?"),
    re.compile(r"File \"[^\"]+\", line \d+(?:, in [\w<>.]+)?"),
    re.compile(r"(?:fun |&)?\??[\w.]+:[\w]+[!?]?/\d{1,3}"),
    re.compile(r"[-+]?\[\w+(?:\(\w*\))? [\w:]+\]"),
    re.compile(r"(?:[\w@./-]+[./])?\(\s*[*&]+[\w.]+(?:\[[^\[\]]*\])?\)\.[\w.]+(?:\(\))?"),
    re.compile(
        r"<&?(?:mut )?[\w:.]+(?:<[^<>]*>)?(?: as [^<>]+(?:<[^<>]*>)?)?\s*/?>(?:(?:::|\.)\w+)*"
    ),
    re.compile(r"(?:[\w.]+::)*\(anonymous(?: namespace)?\)(?:::[\w~]+)+"),
    re.compile(r"&(?:mut |const )?[A-Za-z_][\w:.]*|\*(?:mut |const )[A-Za-z_][\w:.]*"),
    re.compile(
        r"(?:at )?(?:[\w$<>]+\.)*[\w$<>]+ ?\((?:[^()\s]*[/\\])?[\w@.+-]+\.\w+:\d+(?::\d+)?\)"
    ),
    re.compile(r"[\w@.+~/\\-]*\.[A-Za-z]\w{0,9}:\d{1,9}(?::\d+)?(?::?\s.*|:?in .*|:)?"),
)
"""Texts of several words, or with marks of the query language, that can only be names or places."""


def is_pasted(text: str) -> bool:
    """Whether a text is a single name, although it contains spaces, colons or other marks of the
    query language."""
    return len(text) <= LONGEST and any(pattern.fullmatch(text) for pattern in _PASTED)


LONGEST: Final = 300
"""Longest text, in characters, that is read as a pasted name."""


def pasted_name(text: str) -> Name:
    """Returns the name that a pasted text is. Its literal is the text without a final `;`, which
    would make it code, so that it prints itself."""
    readings = readings_of(parse_name(text))
    bare = next((reading.query for reading in readings if reading.is_bare), readings[0].query)
    return Name(text.rstrip(";"), bare.qualifiers, bare.name, bare.in_path)


def without_marks_of_types(text: str) -> str:
    """Returns a text without the marks that runtimes write after the names of generic types."""
    return _N_OF_TYPES.sub("", text)


def with_parameters(query: Query, text: str) -> Query:
    """Returns the name that a piece of code defines or calls, with its parameters, if the text is
    nothing else."""
    written = _PARAMETERS.search(text) if len(text) <= LONGEST else None
    if (
        not isinstance(query, Name)
        or written is None
        or not written[1].strip()
        or text != f"{query.literal}({written[1]})"
    ):
        return query
    return Name(query.literal, query.qualifiers, query.name, query.in_path, written[1])


def is_word(query: Name) -> bool:
    """Whether a name is a mere word, which means nothing else."""
    return query.is_plain and _WORD.fullmatch(query.name) is not None


_WORD: Final = re.compile(r"\w+")


def pointed_to(text: str) -> Name | None:
    """Returns the name after the stars of a pointer; `None` for any other wildcard."""
    name = text.lstrip("*")
    return parse_name(name) if name != text and re.fullmatch(r"[\w.:]+", name) else None
