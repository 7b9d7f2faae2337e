"""Hints: the next call, as the reader's front end writes it. Each works when it is pasted."""

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import UNSET

from symindex.protocol.search import SearchResponse, lacks_words
from symindex.render.markdown import code_span
from symindex.text.counts import count_of
from symindex.text.escaping import show_controls
from symindex.text.words import stem, words_of

Hints = Callable[..., str]
"""A function that writes the call of a tool (`search`, `symbol`, `outline`, `references`,
`status`), with arguments of its request by name."""

_COMMANDS: Final = {"references": "refs"}
_POSITIONAL: Final = frozenset({"query", "symbol", "path", "name", "pattern", "since"})
_NAMED_PATHS: Final = frozenset({"changed", "symbol"})
"""Commands whose path is an option."""

_OPTIONS: Final = {
    "kinds": "kind",
    "languages": "lang",
    "paths": "path",
    "phrasings": "or",
    "where": "in",
}


def command_hint(
    tool: str, always: Mapping[str, str | None] | None = None, **arguments: object
) -> str:
    """Writes a command of the command line. always: options of every command; `None` leaves one
    out."""
    words = ["symindex", _COMMANDS.get(tool, tool)]
    common = {name: value for name, value in (always or {}).items() if value is not None}
    positional = _POSITIONAL - {"path"} if tool in _NAMED_PATHS else _POSITIONAL
    options = {name: value for name, value in arguments.items() if name not in positional}
    for name, value in {**common, **options}.items():
        for part in value if isinstance(value, list) else [value]:
            if tool == "outline" and (name, part) == ("include", "signature"):
                words.append("--signatures")
                continue
            if (tool, name, part) == ("symbol", "code", False):
                words.append("--no-code")
                continue
            if tool == "grep" and name == "regex":
                words += [] if part else ["-F"]
                continue
            words.append("--" + _OPTIONS.get(name, name).replace("_", "-"))
            if part is not True:
                words.append(_quote(str(part)))
    texts = [
        str(part)
        for name, value in arguments.items()
        if name in positional
        for part in (value if isinstance(value, list) else [value])
        if part != ""
    ]
    if any(text.startswith("-") for text in texts):
        words.append("--")
    return " ".join([*words, *map(_quote, texts)])


def _quote(text: str) -> str:
    """Quotes a word for a shell. Characters that do not show as themselves are escaped as bash, zsh
    and ksh read them."""
    if show_controls(text) == text:
        return shlex.quote(text)
    escaped = "".join(
        f"\\{letter}" if letter in "'\\" else show_controls(letter) for letter in text
    )
    return f"$'{escaped}'"


def elsewhere_hint(response: SearchResponse, hints: Hints) -> str:
    """Returns the hint of a search that found nothing, if files contain its text; otherwise
    empty."""
    elsewhere = response.elsewhere
    if elsewhere is UNSET:
        return ""
    call = code_span(hints("grep", pattern=elsewhere.text, regex=False))
    count = (
        f"{'' if elsewhere.is_whole else 'at least '}{count_of(elsewhere.lines, 'line')} of"
        f" {count_of(elsewhere.files, 'file')}"
    )
    return f"> As text it is on {count}, for example in strings and comments: {call}\n"


SAY_OTHERWISE: Final = "> Say it in the words of the code, in several ways: `phrasings: [...]`\n"
"""The hint for agents if no symbol contains all the words of a question."""

SAY_WHAT: Final = "> No query: these symbols are used most. Give a name or words as `query`.\n"
"""The hint for agents below the answer to a search without arguments."""

MOST_WORDS: Final = 8
"""Most words of names that a hint offers."""


def vocabulary_hint(response: SearchResponse, hints: Hints) -> str:
    """Returns the hint for a reader at a shell if no symbol contains all the words of a question:
    other words in the names of the nearest rows. Empty for other answers."""
    if not lacks_words(response):
        return ""
    asked = {*map(stem, words_of(response.request.query))}
    names = words_of(" ".join(item.name for item in response.items))
    by_stem = {stem(word): word for word in reversed(names) if len(word) > 2}
    other = (by_stem[root] for root in dict.fromkeys(map(stem, names)) if root in by_stem)
    words = [word for word in other if stem(word) not in asked][:MOST_WORDS]
    near = f"The nearest have the words {', '.join(words)}. " if words else ""
    request = response.request
    filters = {name: value for name in _FILTERS if (value := getattr(request, name))}
    call = hints("search", query=request.query, phrasings=["OTHER WORDS"], **filters)
    return f"> {near}Add the words of the code: {code_span(call)}\n"


_FILTERS: Final = ("kinds", "languages", "paths", "scope", "space", "type")
"""The fields of a request that the hint repeats."""


_ARGUMENTS: Final = {"paths": "path", "languages": "language"}
"""The names in a tool's schema of fields of the request."""


def tool_hint(tool: str, **arguments: object) -> str:
    """Writes the call of an agent's tool: the name, and the arguments as JSON."""
    if tool == "grep":
        scope = arguments.pop("where", "all")
        arguments = {
            "name": arguments.pop("pattern"),
            "in": scope,
            **{name: value for name, value in arguments.items() if value},
        }
        tool = "references"
    if tool == "changed":  # its answers fill the budget anyway
        tool = "outline"
        arguments.pop("max_items", None)
    arguments = {_ARGUMENTS.get(name, name): value for name, value in arguments.items()}
    if arguments.get("include") == ["signature"]:
        arguments.pop("include")
        arguments["signatures"] = True
    if isinstance(path := arguments.get("path"), str):  # the tools declare it as a list
        arguments["path"] = [path]
    written = json.dumps(arguments, ensure_ascii=False)
    # Characters that do not show as themselves are escaped as in JSON.
    return f"{tool} " + "".join(
        letter if show_controls(letter) == letter else json.dumps(letter)[1:-1]
        for letter in written
    )
