"""A tree's names and code on a terminal and in JSON: nothing in them controls the terminal, and all
values stay distinct."""

import json
import os
import pty
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from symindex.serve.cli import main as door
from symindex.text.escaping import escape_json, show_controls, show_text
from tests.support.command import run, run_program
from tests.support.files import write_files

EVIL = "\x1b[41mred\x1b]0;title\x07\x9b2J\u202egnp\u2066\u200f\u061c\x7f\x85\u2028\u2029\U000e0041"
EVIL += "\u00ad\u3164\u115f\u034f\u180e\U000e0101"
"""Colours, a window's title, an erased screen, text from right to left, line ends, invisible
characters."""

TREE = {
    f"d{EVIL}/f{EVIL}.py": f"class Cart:\n    '''Holds {EVIL}.'''\n    def total(self, a='{EVIL}'): pass  # {EVIL}\n",
    f"suite{EVIL}.js": f'describe("says {EVIL}", () => {{}})\nconst o = {{ "key {EVIL}": () => Cart }}\n',
    f"data.x{EVIL}": "no language\n",
}
SOURCE = next(iter(TREE))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The options that select the tree and its index. The folder of the tree has a hostile name as
    well."""
    top = tmp_path_factory.mktemp("hostile")
    options = [
        "--root",
        str(write_files(top / f"root{EVIL}", TREE)),
        "--index-dir",
        str(top / "index"),
    ]
    assert run("index", *options).code == 0
    return options


def on_terminal(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[str, int]:
    """Returns the content of a terminal that receives standard output and standard error, and the
    exit code."""
    leader, follower = pty.openpty()

    def read() -> Iterator[bytes]:
        with open(leader, "rb", buffering=0) as source:
            try:
                yield from iter(lambda: source.read(65536), b"")
            except OSError:  # on Linux, the writers have closed the terminal
                return

    with ThreadPoolExecutor(1) as executor:
        reading = executor.submit(lambda: b"".join(read()))
        with open(follower, "w", encoding="utf-8") as terminal, monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", terminal)
            patch.setattr(sys, "stderr", terminal)
            with pytest.raises(SystemExit) as ended:
                door.main([*arguments])
        seen = reading.result(timeout=30).decode().replace("\r\n", "\n")
    return seen, int(str(ended.value.code))


COMMANDS = [
    "search {place}",
    "search -i signature -i doc -i id {place}",
    "search --format markdown {place}",
    "search --json -i signature -i doc -i id {place}",
    "symbol Cart {place}",
    "symbol Cart --siblings {place}",
    "symbol total --max-tokens 20 {place}",
    "symbol Cart --json {place}",
    "outline {place}",
    "outline --signatures --json {place}",
    "refs Cart {place}",
    "refs Cart --json {place}",
    "status -v {place}",
    "status --json {place}",
    "index {place}",
    "index --json {place}",
    "export {place}",
    "export --format jsonl {place}",
    "export -o /dev/stdout {place}",
    "grep Cart {place}",
    "map {place}",
    "dump {file}",
    "dump --json {file}",
    "dump --tree --anonymous {file}",
]

MISTAKES = [
    "{evil}",
    "search --{evil}",
    "search x --kind {evil} {place}",
    "search x --lang {evil} {place}",
    "search x --path [{evil} {place}",
    "search x --format {evil} {place}",
    "search kind:{evil} {place}",
    "search x -n {evil} {place}",
    "search x --pagination-id {evil} {place}",
    "search x --root {evil}",
    "symbol {evil} {place}",
    "outline {evil} {place}",
    "refs {evil} {place}",
    "export -o /{evil}/tags {place}",
    "export --format scip {place}",
    "dump {evil}",
    "dump --lang {evil} {file}",
    "check {evil}",
    "lsp --log-file /{evil}/log",
    "lsp --tcp {evil}",
    "mcp --root {evil}",
]


def words_of(command: str, place: list[str]) -> list[str]:
    values = {"{evil}": EVIL, "{file}": f"{place[1]}/{SOURCE}"}
    words: list[str] = []
    for word in command.split():
        if word == "{place}":
            words += place
        else:
            words.append(re.sub(r"\{\w+\}", lambda match: values[match[0]], word))
    return words


@pytest.mark.sample(12)
@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS + MISTAKES)
def test_nothing_of_a_tree_acts_on_a_terminal(
    command: str, place: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", "cat")
    seen, code = on_terminal(monkeypatch, *words_of(command, place))
    assert seen and (code == 0 if command in COMMANDS else code in (1, 2))
    assert "\x1b[41m" not in seen
    plain = seen
    if command.startswith(
        ("search", "symbol", "outline", "refs", "grep", "map")
    ):  # these pages contain colours and links of their own
        plain = re.sub(r"\x1b\[[\d;]*m|\x1b\]8;[!-~]*\x1b\\", "", seen)
    assert plain == show_text(plain)
    if code == 2:
        assert seen.startswith("symindex: ") and seen.count("\n") == 1


@pytest.mark.sample(7)
@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [command for command in COMMANDS if "--json" in command or "jsonl" in command]
)
def test_json_is_escaped_in_a_pipe_too_and_means_the_same(command: str, place: list[str]) -> None:
    out = run(*words_of(command, place)).out
    assert show_text(out) == out
    assert EVIL.partition("\x85")[0] in "".join(
        texts(json.loads(line) for line in out.splitlines())
    )


def texts(value: object) -> Iterator[str]:
    """Yields all strings in some JSON, including names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts([*value, *value.values()])
    elif not isinstance(value, int | float | None):
        for element in value:  # type: ignore[attr-defined]
            yield from texts(element)


@pytest.mark.nightly
@pytest.mark.slow
def test_json_is_json_in_every_encoding(tmp_path: Path) -> None:
    file = tmp_path / "a.js"
    file.write_text('const o = { "größe 🎉 日本": () => 1 }\n')
    command = [sys.executable, "-m", "symindex", "dump", "--json", str(file)]
    done = run_program(
        command, text=False, env={**os.environ, "PYTHONIOENCODING": "latin-1"}, check=True
    )
    assert done.stdout.isascii() and "größe 🎉 日本" in [
        symbol["name"] for symbol in json.loads(done.stdout)
    ]


def test_what_does_not_show_is_escaped() -> None:
    assert (
        show_controls("\xad\u034f\u3164\ufe01\ufe0e\ufe0f\U000e0101")
        == "\\xad\\u034f\\u3164\\ufe01\ufe0e\ufe0f\\U000e0101"
    )
    assert (
        show_controls("a\tb\nc\x1b\x9b\u202e\U000e0041é")
        == "a\\tb\\nc\\x1b\\x9b\\u202e\\U000e0041é"
    )
    assert show_text("a\tb\nc\r\x1b") == "a\tb\nc\\r\\x1b"
    data = '{"é":"\x7f\u2028\U000e0041"}'.encode()
    assert escape_json(data) == '{"é":"\\u007f\\u2028\\udb40\\udc41"}'.encode()
    assert escape_json(data, ascii_only=True) == b'{"\\u00e9":"\\u007f\\u2028\\udb40\\udc41"}'
    assert (
        json.loads(escape_json(data))
        == json.loads(escape_json(data, ascii_only=True))
        == json.loads(data)
    )


def test_there_is_one_way_out() -> None:
    """Commands write all their output through `parts`, which escapes it; a server prints only its
    address."""
    folder = Path(door.__file__).parent
    ways = re.compile(r"click\.(?:s?echo|secho)\(|\bprint\(|\.write\(|json\.encode\(")
    users = {file.stem for file in folder.glob("*.py") if ways.search(file.read_text())}
    assert users == {"common_options", "caller"}


def test_code_is_safe_to_read_in_a_pipe_too(place: list[str]) -> None:
    """A pager may show the output, or a model may read it and be misled as people are. JSON
    contains the code unchanged."""
    out = run("symbol", "Cart", *place).out
    assert show_text(out) == out and "\\u202egnp" in out
    code = json.loads(run("symbol", "Cart", "--json", *place).out)["symbol"]["code"]
    assert EVIL in code and code in TREE[SOURCE]
