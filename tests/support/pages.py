"""The pages that users read. Tests run what they show; required documentation may be on any of
them."""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]

README: Final = "README.md"
COMMANDS: Final = "symindex/serve/cli/README.md"
EDITORS: Final = "symindex/serve/lsp/README.md"
AGENTS: Final = "symindex/serve/mcp/README.md"

DIALECTS: Final = tuple(
    sorted(str(path.relative_to(ROOT)) for path in (ROOT / "symindex/dialects").glob("*.md"))
)

TASKS: Final = tuple(
    sorted(str(path.relative_to(ROOT)) for path in (ROOT / ".github/docs").glob("*.md"))
)

PAGES: Final = {
    path: (ROOT / path).read_text()
    for path in (README, COMMANDS, EDITORS, AGENTS, *TASKS, *DIALECTS)
}
"""The text of each page, by path."""

OWN_PROJECT: Final = ("symindex/dialects/context_mode.md", "symindex/dialects/sibyl.md")
"""Pages whose commands need a special project, which `tests/dialects/test_pages` makes."""

EVERYTHING: Final = "\n".join(PAGES.values())


def blocks(language: str, text: str) -> list[str]:
    """Returns the code blocks in a language. A longer fence encloses a block that contains
    fences."""
    matches = re.finditer(
        rf"^(?P<fence>```+){language}\n(?P<code>.*?)^(?P=fence)$", text, re.MULTILINE | re.DOTALL
    )
    return [block["code"] for block in matches]


def commands(text: str) -> list[tuple[str, str]]:
    """Returns the commands of all console blocks, with the output shown for each."""
    parts = [
        part
        for block in blocks("console", text)
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    ]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


def section(title: str, text: str) -> str | None:
    """Returns the text below `## title`, or None if there is no such heading."""
    match = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return match and match[1]


def sections(title: str) -> list[str]:
    """Returns that section of every page that has it; fails if none has."""
    parts = [part for text in PAGES.values() if (part := section(title, text)) is not None]
    assert parts, f"no page has a section {title!r}"
    return parts


def set_up(page: str) -> dict[str, str]:
    """Returns the set-up of each program, by name: the parts of a page's section Set-up."""
    return {
        part.partition("\n")[0]: part.partition("\n")[2]
        for part in (section("Set-up", PAGES[page]) or "").split("\n### ")[1:]
    }


def editor_block(editor: str, language: str, position: int = 0) -> str:
    """Returns a code block that an editor's user copies; by default, the first in a language."""
    return blocks(language, set_up(EDITORS)[editor])[position]
