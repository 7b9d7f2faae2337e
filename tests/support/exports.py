"""Trees to export, and their exports."""

import codecs
import contextlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.support.command import run

# Awkward code needs long lines.

SMALL: dict[str, str | bytes] = {
    "app.py": """
LIMIT = 3


class Outer(Base):
    size: int = 1

    class Inner:
        def go(self, a, b=")") -> int:
            def step(): ...

    def go(self): ...


class Other:
    def go(self): ...
""",
    "shop/cart.go": "package shop\n\n// A cart.\ntype Cart struct {\n\tTotal int\n}\n",
    "shop/pay.go": "package shop\n\nfunc (c *Cart) Pay(sum int) error {\n\treturn nil\n}\n",
}

LONG = "é" * 60

NASTY: dict[str, str | bytes] = {
    "slashes.py": "def back(a='\\\\/'): pass  # \\ / $ ^ . * [ ] ~ | \" ;\"\nX = 1 # $\ndef two(): pass  # ends in \\\n",
    "tab\there.py": "def in_tab(): pass\n",
    "back\\slash.py": "def in_slash(): pass\n",
    "with space.py": "def in_space(): pass\nclass\tTabbed: pass\n",
    "grüße.py": "class Grüße:\n    def größe(self, maß='ß'): pass\n",
    "windows.py": b"def first(): pass\r\nclass Second:\r\n    def third(self): pass\r\n",
    "mixed.py": b"def unix(): pass\ndef dos(): pass\r\n",
    "mark.py": codecs.BOM_UTF8 + b"def marked(): pass\ndef unmarked(): pass\n",
    "wide.py": "def recoded(): pass\nclass Recoded: pass\n".encode("utf-16"),
    "latin.py": "# caf\xe9\ndef plain(): pass\ndef odd(x='\xe9'): pass\ndef both(x='\xc3\xa9'): pass\n".encode(
        "latin-1"
    ),
    "feed.py": "\x0cdef after_feed(): pass\ndef bell(x='\a'): pass\n",
    "long.py": f"LONG_{'A' * 100} = 1\nLONG_{'A' * 100}_B = 2\nWIDE = '{LONG}'\nDOLLARS = '{'$' * 100}'\nWIDE2 = '{LONG}'\n",
    "same.py": "class A:\n    def f(self): pass\nclass B:\n    def f(self): pass\nclass C:\n    def f(self): pass\n",
    "ops.rb": "class Vec\n  def !\n  end\n  def []=(at, value)\n  end\n  def ==(other)\n  end\n  def ok?\n  end\nend\n",
    "names.js": 'describe("a suite", () => { it("logs \\t in", () => {}) })\nconst o = { "a b": () => 1, f: async (x, y) => 2 }\n',
    "ns.php": "<?php\nnamespace App\\Models;\nclass User { function name(array $a = []) {} }\n",
    "over.cpp": "namespace n { struct S { void m(int); void m(char) const; S(); }; }\nvoid n::S::m(int a) {}\n#define M(x) x\n",
    "gen.rs": "struct P;\nimpl P { pub fn new<F: Fn(u8) -> u8>(f: F) -> P { P } }\nimpl From<u8> for P { fn from(x: u8) -> P { P } }\n",
    "twice.ts": "interface I { a(): void }\ninterface I { b(): void }\nfunction f(x: string): void;\nfunction f(x: any) {}\nlet v = 1; v = 2\n",
    "deep.py": "def outer():\n    class Local:\n        def method(self): pass\n    return Local\n",
    "empty.py": "",
}


ODD = ["a\nb", "a\tb", "a\rb", "x\u2028y", "n\x85m", "v\vw", "f\fg", "e\x1bf", "r\u202el", 'q";\tkind:class', 's $;\\"', "back\\nslash",
       "!_TAG_FILE_SORTED\t1\t", " lead", "[a](b)", "`tick`"]  # fmt: skip
"""Texts that end something in one export format or another."""


ODD_TREE: dict[str, str | bytes] = {
    path: text
    for number, odd in enumerate(ODD)
    for path, text in {
        f"{odd}.py": f'def f{number}(): pass  # $/;"\tkind:macro\n',
        f"m{number}.js": f"class C{number} {{ {json.dumps(odd, ensure_ascii=False)}(a) {{}} }}\n",
        f"k{number}.kt": f"class K{number} {{ fun `{odd.replace('`', '')}`(a: Int) {{}}\n class `{odd.replace('`', '')}` {{}} }}\n",
    }.items()
}


def exported(root: Path, *options: str) -> str:
    """Returns the export of a root, made from within that folder."""
    index = [] if "--index-dir" in options else ["--index-dir", str(root.parent / "index")]
    with contextlib.chdir(root):
        done = run("export", "--root", str(root), *index, *options)
    assert (done.code, done.err) == (0, "")
    return done.out


def tags_in(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("!_TAG_"))


def json_tags(root: Path, *options: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in exported(root, "--format", "jsonl", *options).split("\n")
        if line
    ]


def places(tags: Iterable[dict[str, Any]]) -> list[tuple[str, str, int]]:
    return sorted((tag["name"], tag["path"], tag["line"]) for tag in tags)
