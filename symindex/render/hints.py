"""Hints: the next call, as the reader's door takes it. Each works when it is pasted."""

import json
import shlex
from collections.abc import Mapping
from typing import Final, Protocol

from symindex.text.escaping import show_controls


class Hints(Protocol):
    def call(self, tool: str, **arguments: object) -> str:
        """The call of a tool (`search`, `symbol`, `outline`, `references`, `status`) with arguments of its request, as text."""


class ShellHints:
    """Commands of the command line. always: options of every command, absent where `None`."""

    _COMMANDS: Final = {"references": "refs"}
    _POSITIONAL: Final = frozenset({"query", "symbol", "path", "name"})
    _OPTIONS: Final = {"kinds": "kind", "languages": "lang", "paths": "path"}

    def __init__(self, always: Mapping[str, str | None] | None = None) -> None:
        self._always = {name: value for name, value in (always or {}).items() if value is not None}

    def call(self, tool: str, **arguments: object) -> str:
        words = ["symindex", self._COMMANDS.get(tool, tool)]
        named = {name: value for name, value in arguments.items() if name not in self._POSITIONAL}
        for name, value in {**self._always, **named}.items():
            for each in value if isinstance(value, list) else [value]:
                if tool == "outline" and (name, each) == ("include", "signature"):
                    words.append("--signatures")
                    continue
                words.append("--" + self._OPTIONS.get(name, name).replace("_", "-"))
                if each is not True:
                    words.append(_quote(str(each)))
        texts = [str(value) for name, value in arguments.items() if name in self._POSITIONAL and value != ""]
        if any(text.startswith("-") for text in texts):
            words.append("--")
        return " ".join([*words, *map(_quote, texts)])


def _quote(text: str) -> str:
    """A word for a shell; what would not show as itself is escaped as bash, zsh and ksh read it."""
    if show_controls(text) == text:
        return shlex.quote(text)
    escaped = "".join(f"\\{letter}" if letter in "'\\" else show_controls(letter) for letter in text)
    return f"$'{escaped}'"


class ToolHints:
    """Tools of an agent: the name and the arguments as JSON."""

    def call(self, tool: str, **arguments: object) -> str:
        if arguments.get("include") == ["signature"]:
            arguments.pop("include")
            arguments["signatures"] = True
        written = json.dumps(arguments, ensure_ascii=False)
        # What would not show as itself is escaped as JSON has it.
        return f"{tool} " + "".join(each if show_controls(each) == each else json.dumps(each)[1:-1] for each in written)


SHELL: Final[Hints] = ShellHints()
TOOLS: Final[Hints] = ToolHints()
