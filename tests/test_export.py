"""Export: what other programs read of it, with these programs themselves (readtags, Vim, ctags, SCIP's own bindings)."""

import codecs
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.protocol import SymbolKind
from symindex.reading.listing import ListedFile, find_outer
from symindex.render import export as renderer
from symindex.render.export import render_export
from symindex.render.tags import PATTERN_BYTES, parameters_of
from symindex.sorting import sort_lines
from symindex.source.records import Symbol
from tests.conftest import Files, Maker, run_unprivileged, write_files
from tests.editors.run import find_ctags, find_vim
from tests.test_cli import run

HOME = {name: value for name, value in os.environ.items() if name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
"""The user's own, before the tests get a home of theirs: npm keeps its settings there."""

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "symindex-tests"

SMALL: Files = {
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

# Lines of tags files are long.
# ruff: noqa: E501

SMALL_TAGS = """
Cart	shop/cart.go	/^type Cart struct {$/;"	struct	line:4	language:Go
Inner	app.py	/^    class Inner:$/;"	class	line:7	language:Python	class:Outer
LIMIT	app.py	/^LIMIT = 3$/;"	constant	line:1	language:Python
Other	app.py	/^class Other:$/;"	class	line:14	language:Python
Outer	app.py	/^class Outer(Base):$/;"	class	line:4	language:Python
Pay	shop/pay.go	/^func (c *Cart) Pay(sum int) error {$/;"	method	line:3	language:Go	struct:Cart	signature:(sum int)
Total	shop/cart.go	/^	Total int$/;"	field	line:5	language:Go	struct:Cart
go	app.py	/^        def go(self, a, b=")") -> int:$/;"	method	line:8	language:Python	class:Outer.Inner	signature:(self, a, b=")")
go	app.py	/^    def go(self): ...$/;"	method	line:11	language:Python	class:Outer	signature:(self)
go	app.py	14;/^    def go(self): ...$/;"	method	line:15	language:Python	class:Other	signature:(self)
size	app.py	/^    size: int = 1$/;"	field	line:5	language:Python	class:Outer
step	app.py	/^            def step(): ...$/;"	function	line:9	language:Python	method:Outer.Inner.go	file:	signature:()
"""

LONG = "é" * 60

NASTY: Files = {
    "slashes.py": "def back(a='\\\\/'): pass  # \\ / $ ^ . * [ ] ~ | \" ;\"\nX = 1 # $\ndef two(): pass  # ends in \\\n",
    "tab\there.py": "def in_tab(): pass\n",
    "back\\slash.py": "def in_slash(): pass\n",
    "with space.py": "def in_space(): pass\nclass\tTabbed: pass\n",
    "grüße.py": "class Grüße:\n    def größe(self, maß='ß'): pass\n",
    "windows.py": b"def first(): pass\r\nclass Second:\r\n    def third(self): pass\r\n",
    "mixed.py": b"def unix(): pass\ndef dos(): pass\r\n",
    "mark.py": codecs.BOM_UTF8 + b"def marked(): pass\ndef unmarked(): pass\n",
    "wide.py": "def recoded(): pass\nclass Recoded: pass\n".encode("utf-16"),
    "latin.py": "# caf\xe9\ndef plain(): pass\ndef odd(x='\xe9'): pass\ndef both(x='\xc3\xa9'): pass\n".encode("latin-1"),
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


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_files(tmp_path / "small", SMALL)


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("nasty") / "a tree", NASTY)


def exported(root: Path, *options: str) -> str:
    index = [] if "--index-dir" in options else ["--index-dir", str(root.parent / "index")]
    done = run("export", "--root", str(root), *index, *options)
    assert (done.code, done.err) == (0, "")
    return done.out


def tags_in(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("!_TAG_"))


def json_tags(root: Path, *options: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported(root, "--format", "jsonl", *options).split("\n") if line]


def places(tags: Iterable[dict[str, Any]]) -> list[tuple[str, str, int]]:
    return sorted((tag["name"], tag["path"], tag["line"]) for tag in tags)


# Tags files.


def test_a_tags_file(small: Path) -> None:
    text = exported(small)
    assert text.startswith(f"""!_TAG_FILE_ENCODING	utf-8	//
!_TAG_FILE_FORMAT	2	/extended format; --format=1 will not append ;" to lines/
!_TAG_FILE_SORTED	1	/0=unsorted, 1=sorted, 2=foldcase/
!_TAG_OUTPUT_EXCMD	mixed	/number, pattern, mixed, or combineV2/
!_TAG_OUTPUT_FILESEP	slash	/slash or backslash/
!_TAG_OUTPUT_MODE	u-ctags	/u-ctags or e-ctags/
!_TAG_PATTERN_LENGTH_LIMIT	96	/0 for no limit/
!_TAG_PROC_CWD	{small}/	//
!_TAG_PROGRAM_NAME	symindex	//
""")
    assert tags_in(text) == SMALL_TAGS.removeprefix("\n")


LINES = {
    # In the path and in the pattern.
    "slashes.py": [
        r"""X	slashes.py	/^X = 1 # \$$/;"	variable	line:2	language:Python""",
        r"""back	slashes.py	/^def back(a='\\\\\/'): pass  # \\ \/ $ ^ . * [ ] ~ | " ;"$/;"	function	line:1	language:Python	"""
        r"""signature:(a='\\\\/')""",
        r"""two	slashes.py	/^def two(): pass  # ends in \\$/;"	function	line:3	language:Python	signature:()""",
    ],
    "tab\\there.py": [
        'in_tab	tab\\there.py	/^def in_tab(): pass$/;"	function	line:1	language:Python	signature:()'
    ],
    "back\\\\slash.py": [
        'in_slash	back\\\\slash.py	/^def in_slash(): pass$/;"	function	line:1	language:Python	signature:()'
    ],
    "windows.py": [
        'Second	windows.py	/^class Second:$/;"	class	line:2	language:Python',
        'first	windows.py	/^def first(): pass$/;"	function	line:1	language:Python	signature:()',
        'third	windows.py	/^    def third(self): pass$/;"	method	line:3	language:Python	class:Second	signature:(self)',
    ],
    "mixed.py": [
        'dos	mixed.py	2;"	function	line:2	language:Python	signature:()',
        'unix	mixed.py	/^def unix(): pass$/;"	function	line:1	language:Python	signature:()',
    ],
    "mark.py": [
        'marked	mark.py	/^def marked(): pass$/;"	function	line:1	language:Python	signature:()',
        'unmarked	mark.py	/^def unmarked(): pass$/;"	function	line:2	language:Python	signature:()',
    ],
    "wide.py": [
        'Recoded	wide.py	/^class Recoded: pass$/;"	class	line:2	language:Python',
        'recoded	wide.py	/^def recoded(): pass$/;"	function	line:1	language:Python	signature:()',
    ],
    # Where the line cannot stand in the file, its number.
    "latin.py": [
        "odd	latin.py	3;\"	function	line:3	language:Python	signature:(x='\ufffd')",
        "both	latin.py	4;\"	function	line:4	language:Python	signature:(x='é')",
        'plain	latin.py	/^def plain(): pass$/;"	function	line:2	language:Python	signature:()',
    ],
    "feed.py": [
        'after_feed	feed.py	1;"	function	line:1	language:Python	signature:()',
        "bell	feed.py	2;\"	function	line:2	language:Python	signature:(x='\\a')",
    ],
    # Whole characters, a `$` at the end of what is cut, and the same beginning twice.
    "long.py": [
        f"DOLLARS	long.py	/^DOLLARS = '{'$' * 84}\\$/;\"	constant	line:4	language:Python",
        f'LONG_{"A" * 100}	long.py	/^LONG_{"A" * 91}/;"	constant	line:1	language:Python',
        f'LONG_{"A" * 100}_B	long.py	1;/^LONG_{"A" * 91}/;"	constant	line:2	language:Python',
        f"WIDE	long.py	/^WIDE = '{'é' * 44}/;\"	constant	line:3	language:Python",
        f"WIDE2	long.py	/^WIDE2 = '{'é' * 43}/;\"	constant	line:5	language:Python",
    ],
    "ops.rb": [
        'Vec	ops.rb	/^class Vec$/;"	class	line:1	language:Ruby',
        '[]=	ops.rb	/^  def []=(at, value)$/;"	operator	line:4	language:Ruby	class:Vec	signature:(at, value)',
        r'\x21	ops.rb	/^  def !$/;"	operator	line:2	language:Ruby	class:Vec',
        '==	ops.rb	/^  def ==(other)$/;"	operator	line:6	language:Ruby	class:Vec	signature:(other)',
        'ok?	ops.rb	/^  def ok?$/;"	method	line:8	language:Ruby	class:Vec',
    ],
}


def test_what_is_escaped_and_what_has_no_pattern(nasty: Path) -> None:
    lines = tags_in(exported(nasty)).split("\n")
    for path, expected in LINES.items():
        assert sorted(line for line in lines if line.split("\t")[1:2] == [path]) == sorted(expected)


def test_a_pattern_has_no_more_bytes_than_the_file_says(nasty: Path) -> None:
    text = exported(nasty)
    assert f"!_TAG_PATTERN_LENGTH_LIMIT	{PATTERN_BYTES}	" in text
    patterns = [tag["pattern"] for tag in json_tags(nasty) if "pattern" in tag]
    assert max(len(re.sub(r"\\(.)", r"\1", pattern[2:-1]).removesuffix("$").encode()) for pattern in patterns) == PATTERN_BYTES


def test_lines_are_sorted_by_their_bytes(nasty: Path) -> None:
    lines = exported(nasty).encode().split(b"\n")[:-1]
    assert lines == sorted(lines)
    assert len(lines) > 60 and lines[9].startswith(b"!_TAG_") and not lines[10].startswith(b"!")


def test_readtags_finds_every_tag(nasty: Path, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    find_ctags(pytestconfig.cache.mkdir("editors"))
    file = tmp_path / "tags"
    # It compares names without their escapes, so that `\x21` leads its search by halves astray, in universal-ctags' files too.
    some = ("--path", "!ops.rb")
    exported(nasty, "-o", str(file), *some)

    def read(*options: str) -> list[str]:
        return subprocess.run(
            ["readtags", "-t", str(file), "-en", *options], capture_output=True, text=True, check=True
        ).stdout.split("\n")[:-1]

    def fields_of(line: str) -> tuple[str, ...]:
        name, path, *fields = line.split("\t")
        found = dict(field.partition(":")[::2] for field in fields if ":" in field)
        scope = next((f"{kind}:{found[kind]}" for kind in SymbolKind if kind != "file" and kind in found), "")
        return (name, path, found["kind"], found["line"], found["language"], scope, found.get("signature", ""))

    def expected_of(tag: dict[str, Any]) -> tuple[str, ...]:
        scope = f"{tag['scopeKind']}:{tag['scope']}" if "scope" in tag else ""
        path = tag["path"].replace("\\", "\\\\").replace("\t", "\\t")  # readtags shows paths as they stand in the file
        fields = (tag["kind"], str(tag["line"]), tag["language"], scope, tag.get("signature", ""))
        return (tag["name"], f"{os.path.relpath(nasty, tmp_path)}/{path}", *fields)

    tags = json_tags(nasty, *some)
    assert len(read("-l")) == len(tags) > 60
    for name in {tag["name"] for tag in tags} - {"!", "logs \t in"}:  # which it does not find in universal-ctags' files neither
        expected = [expected_of(tag) for tag in tags if tag["name"] == name]
        assert sorted(map(fields_of, read("-", name))) == sorted(expected)
    assert {line.split("\t")[0] for line in read("-p", "unm")} == {"unmarked"}


JUMPS = """
set nocompatible noswapfile hidden viminfo= fileencodings=ucs-bom,utf-8,latin1 encoding=utf-8
let &tags = $TAGS
let seen = []
for name in json_decode(join(readfile($NAMES), ''))
  let total = len(taglist('\\V\\C\\^' . escape(name, '\\') . '\\$'))
  for number in range(1, total)
    enew!
    try
      execute 'silent ' . number . 'tag ' . name
      call add(seen, [name, expand('%:p'), line('.'), ''])
    catch
      call add(seen, [name, '', 0, v:exception])
    endtry
  endfor
endfor
call writefile([json_encode(seen)], $SEEN)
qall!
"""


def test_vim_goes_to_every_tag(nasty: Path, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    vim = find_vim(pytestconfig.cache.mkdir("editors"))
    exported(nasty, "-o", str(tmp_path / "tags"))
    # Vim takes names and paths as they stand there: what had to be escaped it does not find, in universal-ctags' files neither.
    wanted = [place for place in places(json_tags(nasty)) if not re.search(r"[\\\t!|]", place[0] + place[1])]
    assert len(wanted) > 50
    (tmp_path / "jumps.vim").write_text(JUMPS)
    (tmp_path / "names.json").write_text(json.dumps(sorted({name for name, _, _ in wanted}), ensure_ascii=False))
    told = {"TAGS": tmp_path / "tags", "NAMES": tmp_path / "names.json", "SEEN": tmp_path / "seen.json"}
    environment = {**os.environ, **{name: str(path) for name, path in told.items()}}
    command = [vim, "-e", "-s", "-N", "-u", "NONE", "-i", "NONE", "-S", str(tmp_path / "jumps.vim")]
    subprocess.run(command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, timeout=60, check=False)
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert [row for row in seen if row[3]] == []
    assert sorted((name, str(Path(path).relative_to(nasty)), line) for name, path, line, _ in seen) == wanted


def test_paths_are_relative_to_the_tags_file(small: Path, tmp_path: Path) -> None:
    inside = small / "deeper" / "tags"
    inside.parent.mkdir()
    exported(small, "-o", str(inside))
    assert f"!_TAG_PROC_CWD	{small}/deeper/	//" in inside.read_text()
    paths = {line.split("\t")[1] for line in tags_in(inside.read_text()).splitlines()}
    assert paths == {"../app.py", "../shop/cart.go", "../shop/pay.go"}
    exported(small, "-o", str(small / "tags"))
    assert (small / "tags").read_text() == exported(small)


# JSON.


def test_json_has_universal_ctags_fields(small: Path) -> None:
    assert exported(small, "--format", "jsonl", "--path", "app.py").splitlines()[4:6] == [
        '{"_type":"tag","name":"go","path":"app.py","pattern":"/^        def go(self, a, b=\\")\\") -> int:$/","language":"Python",'
        '"line":8,"kind":"method","signature":"(self, a, b=\\")\\")","scope":"Outer.Inner","scopeKind":"class","end":9}',
        '{"_type":"tag","name":"step","path":"app.py","pattern":"/^            def step(): ...$/","file":true,"language":"Python",'
        '"line":9,"kind":"function","signature":"()","scope":"Outer.Inner.go","scopeKind":"method","end":9}',
    ]


def test_json_is_as_universal_ctags_writes_it(nasty: Path, pytestconfig: pytest.Config) -> None:
    """What both find they describe alike, but for the words for kinds."""
    ctags = find_ctags(pytestconfig.cache.mkdir("editors"))
    command = [ctags, "-R", "--languages=Python", "--fields=+nKlsSe", "--output-format=json", "-f", "-", "."]
    done = subprocess.run(command, cwd=nasty, capture_output=True, check=True)
    theirs = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").split("\n") if line]
    ours = {(tag["name"], tag["path"], tag["line"]): tag for tag in json_tags(nasty, "--lang", "python")}
    compared = 0
    for tag in theirs:
        tag["path"] = tag["path"].removeprefix("./")
        own = ours.get((tag["name"], tag["path"], tag["line"]))
        if own is None or tag["path"] in (
            "long.py",
            "mark.py",
            "feed.py",
            "latin.py",
            "mixed.py",
        ):  # ends of long lines, odd bytes: our own way
            continue
        compared += 1
        tag["signature"] = tag.get("signature", "").replace("'\\/'", "'\\\\/'")  # it reads escapes in signatures
        for key in ("pattern", "language", "signature", "scope", "end"):
            assert own.get(key, "") == tag.get(key, "") or (key == "end" and key not in tag), (key, own, tag)
        assert own.keys() <= {*tag.keys(), "end", "file"}, (own, tag)
    assert compared > 18


def symbol_of(kind: SymbolKind, name: str, signature: str) -> Symbol:
    return Symbol(name, kind, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, signature, "")


@pytest.mark.parametrize(
    ("name", "signature", "expected"),
    [
        ("f", "def f(a, b=(1, 2)) -> int", "(a, b=(1, 2))"),
        ("f", "def f(a=\")\", b=')')", "(a=\")\", b=')')"),
        ("f", "fn f<'a, F: Fn(u8) -> u8>(x: &'a str) -> u8", "(x: &'a str)"),
        ("from", "impl From<from> for P fn from(x: u8)", "(x: u8)"),
        ("Map", "func Map[K comparable, V any](m map[K]V) []V", "(m map[K]V)"),
        ("f", "const f = async (x, y) =>", "(x, y)"),
        ("f", "var f = function g(x)", "(x)"),
        ("f", "f?(x): void", "(x)"),
        ("operator()", "int operator()(int a) const", "(int a)"),
        ("signal", "void (*signal(int number, void (*f)(int)))(int)", "(int number, void (*f)(int))"),
        ("f", "def off(a), f(b)", "(b)"),
        ("f", "def f(" + "a" * 180 + "…", "(" + "a" * 180 + "…"),
        ("f", "def f a, b", ""),
        ("f", "", ""),
    ],
)
def test_parameters(name: str, signature: str, expected: str) -> None:
    assert parameters_of(symbol_of(SymbolKind.FUNCTION, name, signature)) == expected


def test_what_is_not_called_has_no_parameters() -> None:
    assert parameters_of(symbol_of(SymbolKind.CLASS, "Outer", "class Outer(Base)")) == ""


# SCIP.

READER = {"@sourcegraph/scip-typescript": "0.4.0", "google-protobuf": "3.21.4"}
"""The bindings that SCIP's makers generate from its schema come with their indexer of TypeScript."""

READ = """
const {scip} = require("@sourcegraph/scip-typescript/dist/src/scip.js")
const index = scip.Index.deserializeBinary(require("fs").readFileSync(process.argv[1]))
process.stdout.write(JSON.stringify({...index.toObject(), again: Buffer.from(index.serializeBinary()).toString("base64")}))
"""


@pytest.fixture(scope="module")
def scip_reader() -> Path:
    """SCIP's own bindings and the protobuf library that they use, fetched once. The folder to run node in."""
    folder = CACHE / f"scip-{READER['@sourcegraph/scip-typescript']}"
    if (folder / "complete").exists():
        return folder
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    for name, version in READER.items():
        with tempfile.TemporaryDirectory() as made:
            command = ["npm", "pack", "--silent", f"{name}@{version}"]
            done = subprocess.run(
                command, cwd=made, capture_output=True, text=True, check=False, env={**os.environ, **HOME}, timeout=300
            )
            archives = list(Path(made).glob("*.tgz"))
            if done.returncode or not archives:
                pytest.skip(f"npm cannot fetch {name}: {done.stderr.strip()[-200:]}")
            with tarfile.open(archives[0]) as archive:
                archive.extraction_filter = getattr(tarfile, "data_filter", None)  # which came with 3.11.4
                archive.extractall(Path(made) / "unpacked")
            target = folder / "node_modules" / name
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(Path(made) / "unpacked" / "package", target)
    (folder / "complete").touch()
    return folder


def read_scip(reader: Path, index: Path) -> dict[str, Any]:
    """An index as SCIP's own bindings see it; fails where they do not know what is in it."""
    done = subprocess.run(["node", "-e", READ, str(index)], cwd=reader, capture_output=True, text=True, check=True)
    seen: dict[str, Any] = json.loads(done.stdout)
    # These bindings are older than `position_encoding`: the two bytes of each document that say UTF-8, which stand last.
    unknown = b"\x30\x01" * len(seen["documents"])
    assert len(codecs.decode(seen.pop("again").encode(), "base64")) + len(unknown) == index.stat().st_size
    assert index.read_bytes().endswith(unknown[:2])
    return seen


def without_defaults(value: Any) -> Any:
    """A message as it was written: the bindings fill in what was not."""
    if isinstance(value, dict):
        return {key: without_defaults(each) for key, each in value.items() if each not in ("", 0, [], None)}
    return [without_defaults(each) for each in value] if isinstance(value, list) else value


def test_scip_s_own_reader_reads_it(small: Path, tmp_path: Path, scip_reader: Path) -> None:
    exported(small, "--format", "scip", "-o", str(tmp_path / "index.scip"), "--path", "shop/cart.go", "--path", "app.py")
    seen = without_defaults(read_scip(scip_reader, tmp_path / "index.scip"))
    from symindex import __version__

    assert seen["metadata"] == {
        "tool_info": {"name": "symindex", "version": __version__},
        "project_root": f"file://{quote(str(small))}",
        "text_document_encoding": 1,
    }
    python, go = seen["documents"]
    cart = "symindex . . . `shop/cart.go`/Cart#"
    assert go == {
        "language": "Go",
        "relative_path": "shop/cart.go",
        "occurrences": [
            {"range": [3, 5, 9], "symbol": cart, "symbol_roles": 1, "enclosing_range": [3, 0, 5, 1]},
            {"range": [4, 1, 6], "symbol": f"{cart}Total.", "symbol_roles": 1, "enclosing_range": [4, 1, 10]},
        ],
        "symbols": [
            {
                "symbol": cart,
                "documentation": ["A cart."],
                "kind": 49,
                "display_name": "Cart",
                "signature_documentation": {"language": "Go", "text": "type Cart struct"},
            },
            {
                "symbol": f"{cart}Total.",
                "kind": 15,
                "display_name": "Total",
                "signature_documentation": {"language": "Go", "text": "Total int"},
            },
        ],
    }
    file = "symindex . . . `app.py`/"
    assert [row["symbol"] for row in python["symbols"]] == [
        f"{file}LIMIT.", f"{file}Outer#", f"{file}Outer#size.", f"{file}Outer#Inner#", f"{file}Outer#Inner#go().", "local 0",
        f"{file}Outer#go().", f"{file}Other#", f"{file}Other#go().",
    ]  # fmt: skip
    assert python["symbols"][5]["enclosing_symbol"] == f"{file}Outer#Inner#go()."


SIMPLE: Final = r"[A-Za-z0-9_+$-]+"
IDENTIFIER: Final = rf"(?:{SIMPLE}|`(?=[^`]*[^A-Za-z0-9_+$-])(?:[^`]|``)+`)"
DESCRIPTOR: Final = rf"(?:{IDENTIFIER}[/#.:!]|{IDENTIFIER}\((?:{SIMPLE})?\)\.|\[{IDENTIFIER}\]|\({IDENTIFIER}\))"
GLOBAL_SYMBOL: Final = re.compile(rf"symindex \. \. \. (?:{DESCRIPTOR})+")
LOCAL_SYMBOL: Final = re.compile(rf"local {SIMPLE}")


def test_scip_symbols_are_as_its_grammar_has_them(nasty: Path, tmp_path: Path, scip_reader: Path) -> None:
    """What `scip lint` looks for: symbols that are none, are there twice, or have an occurrence alone. And places are right."""
    exported(nasty, "--format", "scip", "-o", str(tmp_path / "index.scip"))
    seen = read_scip(scip_reader, tmp_path / "index.scip")
    names: list[str] = []
    for document in seen["documents"]:
        symbols = [row["symbol"] for row in document["symbols"]]
        assert symbols == [row["symbol"] for row in document["occurrences"]] and len(set(symbols)) == len(symbols)
        names += symbols
        data = (nasty / document["relative_path"]).read_bytes()
        data = data.decode("utf-16").encode() if data.startswith(codecs.BOM_UTF16_LE) else data
        lines = data.split(b"\n")
        for row, occurrence in zip(document["symbols"], document["occurrences"], strict=True):
            form = LOCAL_SYMBOL if row["symbol"].startswith("local ") else GLOBAL_SYMBOL
            assert form.fullmatch(row["symbol"]), row
            line, start, end = occurrence["range"]
            if row["display_name"] not in ("logs \t in", "App.Models"):  # which are written otherwise
                assert lines[line][start:end].decode("utf-8", "replace").strip("\"'") == row["display_name"]
            first, column, *last = occurrence["enclosing_range"]
            assert (first, column) <= (line, start) and (line, end) <= (last[0] if len(last) == 2 else first, last[-1])
    assert len({*names}) == len(names) and sum(name.startswith("local ") for name in names) == 2
    top = "symindex . . . `over.cpp`/n/S#"
    assert [name for name in names if name.startswith(top)] == [top, f"{top}m().", f"{top}m(+1).", f"{top}S().", f"{top}m(+2)."]
    assert {row["language"] for row in seen["documents"]} == {
        "Python", "Ruby", "JavaScript", "PHP", "CPP", "Rust", "TypeScript",
    }  # fmt: skip


def test_scip_calls_a_language_as_its_schema_does(tmp_path: Path, scip_reader: Path) -> None:
    """All names are in the schema's list, which the bindings have as an enumeration."""
    from symindex.source.languages import load_languages

    script = 'process.stdout.write(Object.keys(require("@sourcegraph/scip-typescript/dist/src/scip.js").scip.Language).join(" "))'
    known = subprocess.run(["node", "-e", script], cwd=scip_reader, capture_output=True, text=True, check=True).stdout.split()
    named = {language.rules.format_names.get("scip", language.name) for language in load_languages().by_id.values()}
    assert named <= {*known} and len(named) > 10


# Listing.


def test_updates_make_no_difference(tmp_path: Path) -> None:
    """Files of overlays come where they belong; those that they hide, and files that are gone, do not."""
    root = write_files(tmp_path / "tree", {f"f{number}.py": f"def f{number}(): pass\n" for number in range(30)})
    exported(root, "--index-dir", str(tmp_path / "one"))
    for number in (3, 17, 29):
        (root / f"f{number}.py").write_text(f"class New{number}:\n    def again(self): pass\n")
        (root / f"f{number}0.py").write_text(f"class New{number}0: pass\n")
        (root / f"f{number - 1}.py").unlink()
        exported(root, "--index-dir", str(tmp_path / "one"))
    for form in ("jsonl", "ctags"):
        updated = exported(root, "--index-dir", str(tmp_path / "one"), "--format", form)
        assert updated == exported(root, "--index-dir", str(tmp_path / "two"), "--format", form)
        assert "New17" in updated and "f17(" not in updated and "f16(" not in updated


def test_all_that_is_known_is_told(make_workspace: Maker, nasty: Path) -> None:
    """The symbols of the list are those that a file's reading gives, to the last field."""
    from symindex.source.summary import dump_symbols

    workspace = make_workspace(NASTY)
    files = {file.path: file for file in workspace.export()}
    assert [*files] == sorted(path for path, content in NASTY.items() if content)
    for path, file in files.items():
        expected = dump_symbols(workspace.root / path, None)
        plain = [Symbol(*(getattr(each, field) for field in Symbol.__struct_fields__)) for each in file.symbols]
        assert [each.qualified_name for each in plain] == [each.qualified_name for each in expected]
        for ours, theirs in zip(plain, expected, strict=True):
            assert {k: getattr(ours, k) for k in Symbol.__struct_fields__ if k != "flags"} == {
                k: getattr(theirs, k) for k in Symbol.__struct_fields__ if k != "flags"
            }


def test_of_several_of_a_name_the_one_around_is_meant() -> None:
    def at(name: str, container: str, start: int, end: int) -> Symbol:
        return Symbol(name, SymbolKind.CLASS, container, 0, start, end, 0, 0, start, start + 1, 0, 0, "", "")

    same = [at("A", "", number * 10, number * 10 + 9) for number in range(20)]
    inner = [at("b", "A", number * 10 + 5, number * 10 + 6) for number in range(20)]
    symbols = [symbol for pair in zip(same, inner, strict=True) for symbol in pair]
    assert find_outer(symbols) == [number for even in range(0, 40, 2) for number in (-1, even)]
    assert find_outer([*same[:3], at("b", "A", 500, 501), at("c", "Gone", 600, 601)]) == [-1, -1, -1, 0, -1]


@given(st.lists(st.binary(max_size=6).map(lambda data: data.replace(b"\n", b"") + b"\n")), st.integers(1, 40))
def test_sorted_lines(lines: list[bytes], run_bytes: int) -> None:
    assert [*sort_lines(lines, run_bytes)] == sorted(lines)


def test_long_lines_are_sorted_across_what_is_read_at_a_time() -> None:
    lines = [bytes([65 + number % 26]) * (30_000 + number) + b"\n" for number in range(40)]
    assert [*sort_lines(lines, 200_000)] == sorted(lines)


@pytest.mark.parametrize("form", ["jsonl", "scip"])
def test_what_is_written_is_not_kept(make_workspace: Maker, form: str) -> None:
    """Each file is asked for when the one before it has been written."""
    workspace = make_workspace({f"f{number}.py": "def f(): pass\n" for number in range(9)})
    asked: list[str] = []

    def files() -> Iterator[ListedFile]:
        for file in workspace.export():
            asked.append(file.path)
            yield file

    pieces = render_export(files(), form, workspace.languages, workspace.root)
    for count, _ in enumerate(pieces, 0 if form == "scip" else 1):
        assert len(asked) == count


# The command.


def test_filters(nasty: Path) -> None:
    names = [tag["name"] for tag in json_tags(nasty, "--kind", "class", "--lang", "python", "--path", "*.py", "--path", "!grü*")]
    assert names == ["Local", "A", "B", "C", "Recoded", "Second", "Tabbed"]
    assert {tag["kind"] for tag in json_tags(nasty, "-k", "METHOD", "-k", "struct")} == {"method", "struct"}
    # What encloses a symbol is told though it is not asked for.
    (tag,) = json_tags(nasty, "--kind", "method", "--path", "deep.py")
    assert (tag["scope"], tag["scopeKind"]) == ("outer.Local", "class")


def test_the_same_files_give_the_same_bytes(nasty: Path, tmp_path: Path) -> None:
    for form in ("ctags", "jsonl", "scip"):
        made = []
        for number in range(2):
            file = tmp_path / f"{form}{number}"
            exported(nasty, "--format", form, "-o", str(file), "--index-dir", str(tmp_path / f"index{number}"))
            made.append(file.read_bytes())
        assert made[0] == made[1] != b""


def test_what_is_said_of_a_file(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "out"
    assert exported(small, "-o", str(file)) == f"{file}: 12 symbols of 3 files, {file.stat().st_size:,} bytes\n"
    assert file.stat().st_mode & 0o777 == 0o666 & ~_umask()
    file.chmod(0o640)
    exported(small, "-o", str(file), "--format", "jsonl")
    assert file.stat().st_mode & 0o777 == 0o640 and file.read_text().startswith('{"_type":"tag"')
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("small", "index")] == ["out"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_link_stays_one(small: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    exported(small, "-o", str(tmp_path / "link"))
    assert (tmp_path / "link").is_symlink() and "!_TAG_" in (tmp_path / "target").read_text()


def test_a_pipe_is_written_to_directly(small: Path) -> None:
    command = f'"{sys.executable}" -m symindex export --root "{small}" -o /dev/stdout | grep -c ^'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "22\n"


def test_what_goes_wrong_leaves_what_was_there(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tags"
    file.write_text("before")

    def fail(lines: Iterable[bytes]) -> Iterator[bytes]:
        yield b"some\n"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(renderer, "sort_lines", fail)
    done = run("export", "--root", str(small), "-o", str(file))
    assert (done.code, done.err) == (2, f"symindex: {file}: No space left on device; what was there before is still there\n")
    assert file.read_text() == "before" and [path.name for path in tmp_path.glob(".*")] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kind", "klass"], "unknown kind 'klass': legal are array, boolean,"),
        (["--lang", "klingon"], "unknown language 'klingon': legal are bash,"),
        (["--format", "etags"], "'etags' is not one of 'ctags', 'jsonl', 'scip'"),
        (["--path", "\udcff"], "path glob '\\udcff' is not valid Unicode: give it as UTF-8"),
        (["-o", "{tmp}/none/tags"], "{tmp}/none/tags: No such file or directory; name a file in a folder that can be written to"),
        (["-o", ""], "output '' is not a path: name the file to write, or - for standard output"),
        (["-o", "{tmp}"], "{tmp}: a folder, not a file; name the file to write"),
        (["--root", "{tmp}/none"], "{tmp}/none: no such folder"),
    ],
)
def test_mistakes_get_one_line(small: Path, tmp_path: Path, options: list[str], said: str) -> None:
    done = run("export", "--root", str(small), *(option.replace("{tmp}", str(tmp_path)) for option in options))
    assert done.code == 2 and done.out == ""
    assert said.replace("{tmp}", str(tmp_path)) in done.err and done.err.count("\n") == 1


def test_a_folder_that_must_not_be_written_to(small: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    done = run_unprivileged(["export", "--root", str(small), "--index-dir", str(tmp_path / "index"), "-o", str(closed / "tags")])
    assert done.returncode == 2
    assert done.stderr == f"symindex: {closed / 'tags'}: Permission denied; name a file in a folder that can be written to\n"


def test_nothing_to_export_says_why(small: Path, tmp_path: Path) -> None:
    done = run("export", "--root", str(small), "--kind", "macro")
    assert (done.code, done.err) == (1, "symindex: without the filters on kind, language and path there are 12\n")
    assert done.out.startswith("!_TAG_FILE_ENCODING") and tags_in(done.out) == ""
    (tmp_path / "void").mkdir()
    done = run("export", "--root", str(tmp_path / "void"), "--format", "jsonl")
    assert (done.code, done.out, done.err) == (1, "", "symindex: the index is empty: no source files were found\n")


def test_a_file_that_changes_meanwhile(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tags have line numbers, which are those of its symbols, and the next run is asked for."""
    from symindex.workspace import Workspace

    export = Workspace.export

    def late(self: Workspace, *arguments: Any) -> Iterator[ListedFile]:
        (small / "app.py").write_text("def other(): pass\n")
        return export(self, *arguments)

    monkeypatch.setattr(Workspace, "export", late)
    done = run("export", "--root", str(small))
    assert done.code == 0
    assert done.err == "symindex: 1 files have changed while this was written, app.py for one; run it again\n"
    assert (
        'Outer	app.py	4;"	class	line:4' in done.out and 'Cart	shop/cart.go	/^type Cart struct {$/;"' in done.out
    )
