"""Files with long lines: data counts as source code, minified code does not."""

import random
import time

import pytest

from symindex.extract.texts.minified import MINIFIED_FILE_BYTES, is_minified
from tests.extract.test_bad_source import read
from tests.support.files import Maker

BASE64 = "iVBORw0KGgoAAAANSUhEUg" * 1_500
NUMBERS = ",".join(f"0x{number % 256:02x}" for number in range(20_000))
BUNDLE = "".join(
    f"function a{n}(t,e){{var n=t.x,r=e[{n}];return n>r?(e=n,t.y=r):c(n,r)}}" for n in range(200)
)
STYLES = "".join(f".a{n}{{color:#fff;margin:{n}px}}" for n in range(500))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "icon.ts",
            f'export const ICON = "data:image/png;base64,{BASE64}";\nexport function named() {{ return ICON; }}\n',
        ),
        ("svg.js", f"export const SVG = '{'<path d=M1 />; ' * 1_000}';\nfunction named() {{}}\n"),
        ("template.js", f"const page = `{'<a b=c>d</a>; ' * 1_000}`;\nfunction named() {{}}\n"),
        (
            "table.c",
            f"static const unsigned char t[] = {{{NUMBERS}}};\nint named(int i) {{ return t[i]; }}\n",
        ),
        (
            "rows.c",
            "struct p t[] = {"
            + '{1, 2, "x;y=z"},' * 2_000
            + "};\nint named(int i) { return t[i].a; }\n",
        ),
        ("one.py", f'def named(): return "{"a" * 20_000}"\n'),
        (
            "list.py",
            f"WORDS = [{', '.join(repr(f'word{n}') for n in range(3_000))}]\ndef named(): pass\n",
        ),
        (
            "map.js",
            f"function named() {{}}\n//# sourceMappingURL=data:application/json;base64,{BASE64}\n",
        ),
        ("comment.rb", f"# {'words of a licence, ' * 1_000}\ndef named; end\n"),
    ],
)
def test_long_lines_of_data_are_read(name: str, text: str) -> None:
    result = read(name, text.encode())
    assert result.skip == "" and "named" in [symbol.name for symbol in result.symbols]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bundle.js", BUNDLE),
        (
            "licence.js",
            f"/*! a licence\n * of some lines\n */\n{BUNDLE}\n//# sourceMappingURL=bundle.js.map\n",
        ),
        ("strings.js", f'{BUNDLE}var s="{BASE64[:5_000]}";'),
        (
            "wrapped.js",
            "\n".join(BUNDLE[start : start + 520] for start in range(0, len(BUNDLE), 520)),
        ),
        ("style.css", STYLES),
    ],
)
def test_bundles_are_left_out(name: str, text: str) -> None:
    assert read(name, text.encode()).skip == "minified"


def test_small_files_are_never_minified() -> None:
    assert not is_minified(BUNDLE[:MINIFIED_FILE_BYTES].encode())
    assert is_minified(BUNDLE[: MINIFIED_FILE_BYTES + 1].encode())


@pytest.mark.nightly
def test_long_lines_take_milliseconds() -> None:
    begun = time.process_time()
    noise = bytes(random.Random(1).choice(b"\"'`{}=;a") for _ in range(50_000))
    for line in (
        b'"' * 2_000_000,
        b"'\\" * 1_000_000,
        b"{" * 2_000_000,
        noise * 40,
        b"{a" * 1_000_000,
        (b"`" + b"a" * 400 + b"\n") * 5_000,
    ):
        is_minified(line)
    assert time.process_time() - begun < 2


@pytest.mark.nightly
def test_a_setting_takes_a_file_in(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {"dist/a.js": BUNDLE, "dist/b.js": BUNDLE, "symindex.toml": 'minified = ["dist/a.js"]\n'}
    )
    workspace.refresh()
    assert {skip.reason: skip.paths for skip in workspace.status().skipped} == {
        "minified": ["dist/b.js"]
    }


def test_a_bundle_after_data_is_minified_but_a_long_string_is_not() -> None:
    code = b"function f(a){var b=a;return b;}" * 2_000
    assert is_minified(b"var t=[" + b"'x',1," * 2_000 + b"];" + code)
    data = b"var t=[" + b"'x',1," * 20_000 + b"];\n"
    assert is_minified(data + code + b"\n")
    assert not is_minified(data + code + b"\nshort = 1;" * 2_000)
    assert not is_minified(b"var css='" + b"a{color:red;b=c;}" * 4_000 + b"';")
    assert not is_minified(b"var t=[" + b"'x',1," * 20_000 + b"];" + b"f();" * 20)
