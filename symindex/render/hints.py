"""Hints: the very next call, as the reader's door takes it; each works when it is pasted."""

import json
import shlex
from typing import Final, Protocol


class Hints(Protocol):
    """How a call is written."""

    def call(self, tool: str, **arguments: object) -> str:
        """The call of a tool, `search`, `symbol`, `outline`, `references` or `status`, with arguments of its request."""


class ShellHints:
    """Commands of the command line."""

    _COMMANDS: Final = {"references": "refs"}
    _POSITIONAL: Final = frozenset({"query", "symbol", "path", "name"})

    def call(self, tool: str, **arguments: object) -> str:
        words = ["symindex", self._COMMANDS.get(tool, tool)]
        words += [shlex.quote(str(value)) for name, value in arguments.items() if name in self._POSITIONAL and value != ""]
        for name, value in arguments.items():
            if name not in self._POSITIONAL:
                option = "--" + name.replace("_", "-")
                words += [option] if value is True else [option, shlex.quote(str(value))]
        return " ".join(words)


class ToolHints:
    """Tools of an agent: the name and the arguments as JSON."""

    def call(self, tool: str, **arguments: object) -> str:
        return f"{tool} {json.dumps(arguments, ensure_ascii=False)}"


SHELL: Final[Hints] = ShellHints()
TOOLS: Final[Hints] = ToolHints()
