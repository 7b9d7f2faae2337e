"""What a client is sent: Markdown alone, or data too.

The protocol does not say which of the two a client gives its model. Claude Code 2.1.330, Codex 0.169.0 and Qwen Code 0.24.4 pass
on only the data if there is any: JSON of two to four times the tokens, without the hints. Others are said to pass on both. Gemini
CLI and opencode pass on the text. So hosts of agents are sent Markdown alone, and tools without output schemas, which would
promise data. Programs are sent both.
"""

import re
from typing import Any, Final, Literal

from symindex.serve.mcp.tools import TOOLS, WRITE_TOOLS, are_writes_on

Choice = Literal["auto", "always", "never"]
"""Which clients are sent data: by their names, all, none."""

AGENTS: Final = (
    "amp", "antigravity", "chatgpt", "claude", "cline", "codex", "continue", "copilot", "crush", "cursor", "factory", "gemini",
    "githubcopilot", "goose", "jan", "jetbrains", "junie", "kilocode", "kimi", "kiro", "librechat", "mistral", "opencode", "qdev",
    "qwen", "roocode", "visualstudiocode", "vscode", "windsurf", "xcode", "zed",
)  # fmt: skip
"""The beginnings of the names of hosts of agents, in letters and digits; npm's mcp-client-capabilities lists them."""


def _as_text(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in tool.items() if key != "outputSchema"} for tool in tools]


def wants_data(client: str, choice: Choice = "auto") -> bool:
    """Whether a client of that name, which may be empty, is sent data beside Markdown."""
    if choice != "auto":
        return choice == "always"
    return not re.sub(r"[\W_]", "", client).lower().startswith(AGENTS)


def tools_for(client: str, choice: Choice = "auto") -> list[dict[str, Any]]:
    """The result of `tools/list` for a client of that name."""
    tools = [*TOOLS, *WRITE_TOOLS] if are_writes_on() else TOOLS
    return tools if wants_data(client, choice) else _as_text(tools)
