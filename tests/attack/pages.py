"""Hostile addresses of the pages of hostile repositories.

The repository is that of `tests/support/hostile_tree`, beside mutated sources. Each address is made
of odd paths, symbols, commits and parameters. Each gets a page that says what is the matter, within
a bounded time and size; nothing of the repository is markup in it, and nothing outside of the
repository is shown.
"""

import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tests.attack.figures import Figures
from tests.attack.mutants import mutant
from tests.attack.traps import SECRET
from tests.support.hostile_tree import CANARY, write_hostile_tree
from tests.support.web_pages import Answer, Elements, Pages, pages_of

ON_ONE_TREE: Final = 100
"""Number of addresses on one repository."""

FILES: Final = 30

SECONDS: Final = 30.0
"""Longest time for a page, on a busy machine."""

MOST_BYTES: Final = 3_000_000

PARAMETERS: Final = (
    "q", "at", "lines", "view", "part", "show", "role", "page", "since", "mark", "in", "within", "regex",
)  # fmt: skip

VALUES: Final = (
    "", "0", "-1", "1", "1:1", "9:9", "999999999", "9" * 40, "1-2", "2-1", "L1-L5", "L", "0:0", "blame", "history", "raw",
    "permalink", "code", "live", "lines", "preview", "dock", "card", "members", "references", "callers", "callees", "subtypes",
    "supertypes", "tests", "call", "import", "text", "1", "HEAD", "HEAD~1", "main", "x<b>y", "--help", "@{u}", "HEAD:a", ":/x",
    "..", "../..", "main..HEAD", "2040-01-01", "\0", "\r\nX: y", "\udcff", "<script>", "'\"><svg onload=1>", "{{7*7}}", "a*b*c*",
    "(a|b)*c", "[", "x" * 900, "holder0 | kind:class", "Holder0 | | |", "kind:", '"', "NOT NOT a", "a\nb", "\u202e",
    'File "doc0.py", line 2, in holder0\n',
)  # fmt: skip

PARTS: Final = (
    "", "README.md", "code0.js", "doc0.py", "evil.svg", "long.js", "nul.py", "nested.md", "docs/", ".git/config", ".GIT/config",
    "..", "../outside/precious.py", "%2e%2e/outside/precious.py", "..%2f..%2fetc/passwd", "a" * 300, "a/" * 600, "x%00y", "x%0ay",
    "symbol/code0.js%23Holder0", "symbol/%23", "symbol/code0.js%23", "symbol/x%23y~9", "-/-/-", "/etc/passwd", "link/passwd",
)  # fmt: skip

STARTS: Final = (
    "/search", "/", "/-/help", "/-/settings", "/-/static/page.css", "/-/static/../site.py", "/REPO/-/", "/REPO/-/", "/REPO/-/",
    "/REPO@HEAD/-/", "/REPO@main/-/", "/REPO@--help/-/", "/REPO@HEAD:x/-/", "/REPO@:%2fx/-/", "/other/-/", "/REPO", "//", "/%2e%2e/-/",
)  # fmt: skip


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of addresses; several share a repository."""
    figures = Figures(count, Counter(), [])
    for first in range(0, count, ON_ONE_TREE):
        chance = random.Random(f"{seed} {first}")
        with tempfile.TemporaryDirectory(prefix="symindex-pages") as top:
            root = _repository(Path(top), chance)
            with pages_of(root, index_dir=Path(top, "index")) as pages:
                for number in range(first, min(first + ON_ONE_TREE, count)):
                    _ask(pages, _address(chance, root.name), figures, f"{number} of seed {seed}")
        say(
            f"pages: {min(first + ON_ONE_TREE, count):,} of {count:,}, {len(figures.faults)} faults"
        )
    return figures


def _repository(top: Path, chance: random.Random) -> Path:
    (top / "outside").mkdir()
    (top / "outside" / "precious.py").write_text(f"def {SECRET}():\n    pass\n")
    root = write_hostile_tree(top / "evil <b>")
    for number in range(FILES):
        source = mutant(chance)
        path = root / source.path(f"m{number}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.data)
    (root / "link").symlink_to("/etc")
    (root / "precious.py").symlink_to(top / "outside" / "precious.py")
    return root


def _address(chance: random.Random, name: str) -> str:
    path = chance.choice(STARTS).replace("REPO", quote(name))
    if path.endswith("/-/"):
        path += chance.choice(PARTS)
    names = chance.sample(PARAMETERS, chance.randrange(4))
    pairs = [f"{name}={_quoted(chance.choice(VALUES))}" for name in names]
    return path + ("?" + "&".join(pairs) if pairs else "")


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogateescape"), safe="")


def _ask(pages: Pages, address: str, figures: Figures, which: str) -> None:
    began = time.monotonic()
    try:
        answer = pages.get(address)
    except Exception as error:
        figures.faults.append(f"{which}: {address[:200]}: {type(error).__name__}: {error}")
        return
    figures.contained[f"status {answer.status}"] += 1
    if fault := _fault(answer, time.monotonic() - began):
        figures.faults.append(f"{which}: {address[:200]}: {fault}")


def _fault(answer: Answer, seconds: float) -> str:
    """Returns what is wrong with an answer; empty if nothing is."""
    if answer.status not in (200, 300, 303, 400, 404, 503):
        return f"status {answer.status}"
    if seconds > SECONDS:
        return f"took {seconds:.0f} s"
    if len(answer.body) > MOST_BYTES and "html" in answer.headers.get("content-type", ""):
        return f"{len(answer.body):,} bytes"
    if SECRET.encode() in answer.body or b"root:x:0" in answer.body:
        return "shows what is outside"
    if not answer.headers.get("content-type", "").startswith("text/html"):
        return ""
    for tag, attributes in Elements(answer.body.decode("utf-8", "replace")).all:
        if tag in ("iframe", "object", "embed", "style", "base", "math") or (
            tag == "script" and not attributes.get("src", "").startswith("/-/static/page.js?")
        ):
            return f"<{tag}>"
        for name, value in attributes.items():
            is_address = name in ("href", "src", "action", "formaction")
            if (
                name.startswith("on")
                or name == "style"
                or (is_address and CANARY in value and ":" in value[:15])
            ):
                return f"<{tag} {name}={value[:50]}>"
    return ""
