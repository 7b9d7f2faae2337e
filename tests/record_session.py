"""Records the README's picture: a terminal in which three commands search the scenario repository.

    python -m tests.record_session

It writes `.github/docs/session.svg`; a test compares that file with a new recording.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT: Final = Path(__file__).parents[1]

PICTURE: Final = ROOT / ".github" / "docs" / "session.svg"

COLUMNS: Final = 84

TRACE: Final = 'File "src/cart.py", line 120, in recalculate'

COMMANDS: Final = (
    ("symindex search calc", ["search", "calc"], ""),
    ("symindex symbol Cart.recalculate", ["symbol", "Cart.recalculate"], ""),
    (f"echo '{TRACE}' | symindex trace", ["trace"], TRACE),
)

# Rich's own template loads a font from the network; this one uses the reader's.
_TEMPLATE: Final = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""

_SPACE: Final = "&#160;"

_CHARACTER_WIDTH: Final = 12.2
"""Width of a character, in units of the picture: Rich draws letters 20 units high and 0.61 as
wide."""

_INDENTED: Final = re.compile(
    r'(?P<head><text class="[\w-]+") x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)"'
    rf' textLength="(?P<length>[\d.]+)"(?P<tail>[^<>]*)>(?P<spaces>(?:{_SPACE})+)(?!</text>)'
)


def record() -> str:
    """Returns the picture as SVG, made from what the commands print now."""
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, legacy_windows=False
    )
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder, "repository")
        shutil.copytree(ROOT / "fixtures" / "scenarios" / "repository", repository)
        for shown, arguments, given in COMMANDS:
            console.print(Text("$ ", "bold green") + Text(shown, "bold"))
            console.print(Text.from_ansi(_output(arguments, given, repository)))
    svg = console.export_svg(
        title="symindex", theme=MONOKAI, code_format=_TEMPLATE, unique_id="session"
    )
    svg = _INDENTED.sub(_without_indent, svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def _without_indent(text: re.Match[str]) -> str:
    """Moves the start of a text element to its first letter, since some viewers drop leading
    spaces."""
    width = text["spaces"].count(_SPACE) * _CHARACTER_WIDTH
    x, length = float(text["x"]) + width, float(text["length"]) - width
    return f'{text["head"]} x="{x:g}" y="{text["y"]}" textLength="{length:g}"{text["tail"]}>'


def _output(arguments: list[str], given: str, repository: Path) -> str:
    environment = os.environ | {
        "COLUMNS": str(COLUMNS),
        "TERM": "xterm-256color",
        "PYTHONPATH": str(ROOT),
        "SYMINDEX_DAEMON": "off",
        "XDG_CACHE_HOME": str(repository.parent / "cache"),
    }
    command = [sys.executable, "-m", "symindex", *arguments, "--color", "always"]
    done = subprocess.run(
        command,
        cwd=repository,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rstrip("\n") + "\n"


if __name__ == "__main__":
    PICTURE.write_text(record())
