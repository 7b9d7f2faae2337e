"""Decides what each client gets: which tools, and Markdown alone or data as well.

The protocol does not say which of the two a client passes to its model. Claude Code 2.1.330, Codex
0.169.0 and Qwen Code 0.24.4 pass only the data if there is any: JSON of two to four times the
tokens, without the hints. Gemini CLI and opencode pass the text; other hosts are reported to pass
both. So agent hosts get Markdown alone, and tools without output schemas, because a schema promises
data. Other programs get both.
"""

import re
from importlib.resources import files
from typing import Any, Final, Literal, NamedTuple

from symindex.dialects.dialect import Dialect
from symindex.serve.mcp.fleet_tools import FLEET_TOOLS
from symindex.serve.mcp.tools import TOOLS, WRITE_TOOLS, are_writes_on

Choice = Literal["auto", "always", "never"]
"""Which clients get data: those that are not agent hosts, all, or no client."""

AGENTS: Final = (
    "amp",
    "antigravity",
    "chatgpt",
    "claude",
    "cline",
    "codex",
    "continue",
    "copilot",
    "crush",
    "cursor",
    "factory",
    "gemini",
    "githubcopilot",
    "goose",
    "jan",
    "jetbrains",
    "junie",
    "kilocode",
    "kimi",
    "kiro",
    "librechat",
    "mistral",
    "opencode",
    "qdev",
    "qwen",
    "roocode",
    "visualstudiocode",
    "vscode",
    "windsurf",
    "xcode",
    "zed",
)
"""How the names of agent hosts begin, reduced to letters and digits. The source is npm's
mcp-client-capabilities."""


def _as_text(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in tool.items() if key != "outputSchema"} for tool in tools]


def wants_data(client: str, choice: Choice = "auto") -> bool:
    """Whether the client with this name, which may be empty, gets data as well as Markdown."""
    if choice != "auto":
        return choice == "always"
    return not re.sub(r"[\W_]", "", client).lower().startswith(AGENTS)


class Offer(NamedTuple):
    """What a server offers.

    choice: which clients get data. dialects: the systems whose tools it lists. has_own: whether it
    lists symindex's own tools. is_fleet: whether these are about a fleet of repositories.
    """

    choice: Choice = "auto"
    dialects: tuple[Dialect, ...] = ()
    has_own: bool = True
    is_fleet: bool = False

    @property
    def instructions(self) -> str:
        """How to use the tools, written for a model and usable as a rule file of an agent."""
        page = "fleet_instructions.md" if self.is_fleet else "instructions.md"
        own_text = (
            [(files("symindex.serve.mcp") / page).read_text(encoding="utf-8")]
            if self.has_own
            else []
        )
        return "\n\n".join([*own_text, *(dialect.instructions for dialect in self.dialects)])

    def tools_for(self, client: str) -> list[dict[str, Any]]:
        """Returns the result of `tools/list` for the client with this name."""
        own = FLEET_TOOLS if self.is_fleet else [*TOOLS, *(WRITE_TOOLS if are_writes_on() else ())]
        tools = [*own] if self.has_own else []
        tools += [tool.schema() for dialect in self.dialects for tool in dialect.tools]
        return tools if wants_data(client, self.choice) else _as_text(tools)


OWN_TOOLS: Final = Offer()
