"""Exported tags, as lines and as JSON: how readtags, Vim and universal-ctags read them."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from symindex.extract.records import Symbol
from symindex.protocol.kinds import SymbolKind
from symindex.render.exports.tags import PATTERN_BYTES, _LinePatterns, parameters_of
from tests.editors.run import find_ctags, find_vim
from tests.support.command import run_program
from tests.support.exports import ODD, ODD_TREE, exported, json_tags, places, tags_in
from tests.support.files import write_files

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


@pytest.mark.nightly
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
    # Both in the path and in the pattern.
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
    # An editor decodes the file as well, so the line is the same for it.
    "latin.py": [
        "odd	latin.py	/^def odd(x='é'): pass$/;\"	function	line:3	language:Python	signature:(x='é')",
        "both	latin.py	/^def both(x='Ã©'): pass$/;\"	function	line:4	language:Python	signature:(x='Ã©')",
        'plain	latin.py	/^def plain(): pass$/;"	function	line:2	language:Python	signature:()',
    ],
    "feed.py": [
        'after_feed	feed.py	1;"	function	line:1	language:Python	signature:()',
        "bell	feed.py	2;\"	function	line:2	language:Python	signature:(x='\\a')",
    ],
    # Whole characters, a `$` at the cut, and two lines with the same beginning.
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


@pytest.mark.nightly
@pytest.mark.slow
def test_escaped_values_and_tags_without_a_pattern(nasty: Path) -> None:
    lines = tags_in(exported(nasty)).split("\n")
    for path, expected in LINES.items():
        assert sorted(line for line in lines if line.split("\t")[1:2] == [path]) == sorted(expected)


@pytest.mark.nightly
def test_a_pattern_has_no_more_bytes_than_the_file_says(nasty: Path) -> None:
    text = exported(nasty)
    assert f"!_TAG_PATTERN_LENGTH_LIMIT	{PATTERN_BYTES}	" in text
    patterns = [tag["pattern"] for tag in json_tags(nasty) if "pattern" in tag]
    assert (
        max(
            len(re.sub(r"\\(.)", r"\1", pattern[2:-1]).removesuffix("$").encode())
            for pattern in patterns
        )
        == PATTERN_BYTES
    )


@pytest.mark.nightly
def test_lines_are_sorted_by_their_bytes(nasty: Path) -> None:
    lines = exported(nasty).encode().split(b"\n")[:-1]
    assert lines == sorted(lines)
    assert len(lines) > 60 and lines[9].startswith(b"!_TAG_") and not lines[10].startswith(b"!")


@pytest.mark.nightly
def test_readtags_finds_every_tag(nasty: Path, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    find_ctags(pytestconfig.cache.mkdir("editors"))
    file = tmp_path / "tags"
    # readtags compares names without their escapes, so `\x21` breaks its binary search, in
    # universal-ctags' files as well.
    some = ("--path", "!ops.rb")
    exported(nasty, "-o", str(file), *some)

    def read(*options: str) -> list[str]:
        return run_program(["readtags", "-t", str(file), "-en", *options], check=True).stdout.split(
            "\n"
        )[:-1]

    def fields_of(line: str) -> tuple[str, ...]:
        name, path, *fields = line.split("\t")
        fields_by_name = dict(field.partition(":")[::2] for field in fields if ":" in field)
        scope = next(
            (
                f"{kind}:{fields_by_name[kind]}"
                for kind in SymbolKind
                if kind != "file" and kind in fields_by_name
            ),
            "",
        )
        return (
            name,
            path,
            fields_by_name["kind"],
            fields_by_name["line"],
            fields_by_name["language"],
            scope,
            fields_by_name.get("signature", ""),
        )

    def expected_of(tag: dict[str, Any]) -> tuple[str, ...]:
        scope = f"{tag['scopeKind']}:{tag['scope']}" if "scope" in tag else ""
        path = (
            tag["path"].replace("\\", "\\\\").replace("\t", "\\t")
        )  # readtags prints paths as they are in the file
        fields = (tag["kind"], str(tag["line"]), tag["language"], scope, tag.get("signature", ""))
        return (tag["name"], f"{os.path.relpath(nasty, tmp_path)}/{path}", *fields)

    tags = json_tags(nasty, *some)
    assert len(read("-l")) == len(tags) > 60
    for name in {tag["name"] for tag in tags} - {
        "!",
        "logs \t in",
    }:  # readtags does not find these in universal-ctags' files either
        expected = [expected_of(tag) for tag in tags if tag["name"] == name]
        assert sorted(map(fields_of, read("-", name))) == sorted(expected)
    assert {line.split("\t")[0] for line in read("-p", "unm")} == {"unmarked"}


@pytest.mark.slow
def test_a_name_is_no_line_of_a_format(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Whatever a file or symbol is called, readers of the format see one record with one name."""
    find_ctags(pytestconfig.cache.mkdir("editors"))
    root = write_files(tmp_path / "odd", ODD_TREE)
    tags = json_tags(root)
    assert {tag["path"] for tag in tags} >= {
        path.name for path in root.iterdir() if path.suffix != ".kt"
    }
    assert {tag["name"] for tag in tags} >= {
        f"{letter}{number}" for letter in "fC" for number in range(len(ODD))
    }
    assert {tag["name"] for tag in tags} >= {"e\x1bf", "r\u202el"}
    file = root / "tags"
    exported(root, "-o", str(file))
    done = run_program(["readtags", "-t", str(file), "-en", "-l"], text=False, check=True)
    read = [line.split("\t") for line in done.stdout.decode().split("\n")[:-1]]  # type: ignore[attr-defined]
    unescaped = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r", "\\v": "\v", "\\f": "\f"}
    escape = re.compile(r"(?:\\x[0-9a-f]{2})+|\\.")

    def as_it_is(text: str) -> str:
        return escape.sub(
            lambda match: (
                unescaped.get(match[0]) or bytes.fromhex(match[0].replace("\\x", "")).decode()
            ),
            text,
        )

    paths = [as_it_is(fields[1]) for fields in read]
    beyond = re.compile(
        r"(?:\\x[89a-f][0-9a-f])+"
    )  # `readtags` decodes only ASCII escapes in names
    names = [beyond.sub(lambda match: as_it_is(match[0]), fields[0]) for fields in read]
    lines = [
        next(field[5:] for field in fields[2:] if field.startswith("line:")) for fields in read
    ]
    kinds = [
        [field[5:] for field in fields[2:] if field.startswith("kind:")][-1] for fields in read
    ]  # a pattern may contain a tab
    assert sorted(zip(names, paths, map(int, lines), kinds, strict=True)) == sorted(
        (tag["name"], tag["path"], tag["line"], tag["kind"]) for tag in tags
    )


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


@pytest.mark.slow
def test_a_tags_file_holds_nothing_that_acts_on_who_shows_it(tmp_path: Path) -> None:
    """It affects neither a terminal nor a reader for which more characters than line feeds end a
    line, and the text is complete."""
    acting = "\x9b2J\x85\u2028\u2029\u202e\u2066\u200e\u061c"
    source = f'describe("says {acting}", () => {{}})\ndescribe("plain \u200d", () => {{}})\n'
    root = write_files(tmp_path / "odd", {f"f{acting}.js": source})
    exported(root, "-o", str(tmp_path / "tags"))
    text = (tmp_path / "tags").read_text()
    assert text.splitlines() == text.split("\n")[:-1] and not set(acting[:1] + acting[3:]) & set(
        text
    )
    tagged = tags_in(text).splitlines()
    assert any(
        line.startswith("says \\xc2\\x9b2J")
        and "\\xe2\\x80\\xae\\xe2\\x81\\xa6" in line
        and '\t1;"\t' in line
        for line in tagged
    )
    assert any(line.startswith("plain \u200d\t") and "/^describe" in line for line in tagged)


def test_vim_goes_to_every_tag(nasty: Path, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    vim = find_vim(pytestconfig.cache.mkdir("editors"))
    exported(nasty, "-o", str(tmp_path / "tags"))
    # Vim compares names and paths literally: it does not find those that need escapes, in
    # universal-ctags' files either.
    wanted = [
        place
        for place in places(json_tags(nasty))
        if not re.search(r"[\\\t!|\x80-\x9f\u2028\u202e]", place[0] + place[1])
    ]
    assert len(wanted) > 50
    (tmp_path / "jumps.vim").write_text(JUMPS)
    (tmp_path / "names.json").write_text(
        json.dumps(sorted({name for name, _, _ in wanted}), ensure_ascii=False)
    )
    variables = {
        "TAGS": tmp_path / "tags",
        "NAMES": tmp_path / "names.json",
        "SEEN": tmp_path / "seen.json",
    }
    environment = {**os.environ, **{name: str(path) for name, path in variables.items()}}
    command = [vim, "-e", "-s", "-N", "-u", "NONE", "-i", "NONE", "-S", str(tmp_path / "jumps.vim")]
    subprocess.run(
        command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, timeout=60, check=False
    )
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert [row for row in seen if row[3]] == []
    assert (
        sorted((name, str(Path(path).relative_to(nasty)), line) for name, path, line, _ in seen)
        == wanted
    )


def test_paths_are_relative_to_the_tags_file(small: Path, tmp_path: Path) -> None:
    inside = small / "deeper" / "tags"
    inside.parent.mkdir()
    exported(small, "-o", str(inside))
    assert f"!_TAG_PROC_CWD	{small}/deeper/	//" in inside.read_text()
    paths = {line.split("\t")[1] for line in tags_in(inside.read_text()).splitlines()}
    assert paths == {"../app.py", "../shop/cart.go", "../shop/pay.go"}
    exported(small, "-o", str(small / "tags"))
    assert (small / "tags").read_text() == exported(small)


def test_json_has_universal_ctags_fields(small: Path) -> None:
    assert exported(small, "--format", "jsonl", "--path", "app.py").splitlines()[4:6] == [
        '{"_type":"tag","name":"go","path":"app.py","pattern":"/^        def go(self, a, b=\\")\\") -> int:$/","language":"Python",'
        '"line":8,"kind":"method","signature":"(self, a, b=\\")\\")","scope":"Outer.Inner","scopeKind":"class","end":9}',
        '{"_type":"tag","name":"step","path":"app.py","pattern":"/^            def step(): ...$/","file":true,"language":"Python",'
        '"line":9,"kind":"function","signature":"()","scope":"Outer.Inner.go","scopeKind":"method","end":9}',
    ]


def test_json_is_as_universal_ctags_writes_it(nasty: Path, pytestconfig: pytest.Config) -> None:
    """Both describe the common symbols alike, except for the names of kinds."""
    ctags = find_ctags(pytestconfig.cache.mkdir("editors"))
    command = [
        ctags,
        "-R",
        "--languages=Python",
        "--fields=+nKlsSe",
        "--output-format=json",
        "-f",
        "-",
        ".",
    ]
    done = run_program(command, text=False, cwd=nasty, check=True)
    theirs = [
        json.loads(line)
        for line in done.stdout.decode("utf-8", "replace").split("\n")  # type: ignore[attr-defined]
        if line
    ]
    ours = {
        (tag["name"], tag["path"], tag["line"]): tag for tag in json_tags(nasty, "--lang", "python")
    }
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
        ):  # our own way to write the ends of long lines and odd bytes
            continue
        compared += 1
        tag["signature"] = tag.get("signature", "").replace(
            "'\\/'", "'\\\\/'"
        )  # universal-ctags interprets escapes in signatures
        for key in ("pattern", "language", "signature", "scope", "end"):
            assert own.get(key, "") == tag.get(key, "") or (key == "end" and key not in tag), (
                key,
                own,
                tag,
            )
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
        (
            "signal",
            "void (*signal(int number, void (*f)(int)))(int)",
            "(int number, void (*f)(int))",
        ),
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


def test_the_search_for_a_repeated_line_begins_before_it() -> None:
    lines = _LinePatterns(b"a\nb\na\na\n")
    assert [lines.of_line(row) for row in range(4)] == [
        ("/^a$/", 0), ("/^b$/", 0), ("/^a$/", 2), ("/^a$/", 3),
    ]  # fmt: skip
