"""The commands that show parts of files: output, exit codes, and hints that a shell can run."""

import json
import re
import shlex
from pathlib import Path

import pytest

from symindex.protocol.explore import OutlineResponse, SymbolResponse
from tests.support.command import Ran, run
from tests.support.files import write_files

METHODS = "".join(f"    def method_{n}(self):\n        return {n}\n\n" for n in range(200))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    root = write_files(
        tmp_path / "a tree",
        {"-odd it's/long.py": f"class Long:\n{METHODS}", "b.py": "def one(): pass\n", "c.xyz": ""},
    )
    monkeypatch.chdir(root)  # paths are relative to the current folder
    return ["--root", str(root), "--index-dir", str(tmp_path / "index")]


def follow(ran: Ran) -> list[str]:
    """Returns the arguments of the answer's last hint, as a shell parses them, without the
    program's name."""
    hints = re.findall(r"`(symindex [^`]*)`", ran.out)
    return shlex.split(hints[-1])[1:]


@pytest.mark.slow
def test_symbol(place: list[str]) -> None:
    ran = run("symbol", "one", *place)
    assert (ran.code, ran.err) == (0, "")
    assert (
        ran.out
        == "# Symbol: `b.py#one`\nfunction, python, line 1\n\n```python\n1 def one(): pass\n```\n"
    )
    assert run("symbol", "nothing_like_it", *place).code == 1
    for arguments, words in [
        (["b.py:9"], "b.py has 1 line: there is no line 9"),
        (["c.xyz:2"], "c.xyz has 1 line: there is no line 2"),
        (["one", "--lines", "x"], "expected a range as 120-180"),
        (["one", "--max-tokens", "0"], "--max-tokens is 0"),
        ([""], "the symbol is empty"),
    ]:
        ran = run("symbol", *arguments, *place)
        assert (ran.code, ran.out) == (2, "") and words in ran.err and ran.err.count("\n") == 1


def test_symbol_as_json_has_every_field(place: list[str]) -> None:
    ran = run("symbol", "Long.method_7", "--siblings", "--max-tokens", "200", "--json", *place)
    assert ran.code == 0
    answer = json.loads(ran.out)
    assert set(answer) == set(SymbolResponse.__struct_fields__) - {
        "notices",
        "suggestions",
        "candidates",
        "text",
    }
    assert set(answer["symbol"]) == {
        "id", "name", "kind", "language", "file_path", "line", "range", "container", "container_chain", "signature", "doc",
        "flags", "code", "code_start_line", "code_end_line", "is_whole", "more_lines", "members", "hidden_members", "siblings",
        "hidden_siblings", "focus", "head",
    }  # fmt: skip


@pytest.mark.slow
def test_outline(place: list[str]) -> None:
    ran = run("outline", *place, "--max-tokens", "100")
    assert ran.code == 0 and ran.out.startswith("# Outline: `.`\n202 symbols in 2 files\n")
    assert set(json.loads(run("outline", *place, "--json").out)) == set(
        OutlineResponse.__struct_fields__
    ) - {"notices"}
    assert run("outline", *place, "b.py", "--kind", "class").code == 1
    for arguments, words in [
        (["nowhere"], "no file or folder 'nowhere'"),
        (["b.py", "--kind", "klass"], "unknown kind 'klass': expected one of"),
        (["../x"], "is outside of the root"),
        (["b.py", "--depth", "0"], "depth is 0"),
    ]:
        ran = run("outline", *place, *arguments)
        assert (ran.code, ran.out) == (2, "") and words in ran.err and ran.err.count("\n") == 1


@pytest.mark.nightly
def test_hints_name_the_tree_and_can_be_run(place: list[str]) -> None:
    ran = run("outline", *place, "--max-tokens", "60")
    for _ in range(4):
        ran = run(*follow(ran))
        assert ran.code == 0 and "long.py" in ran.out.split("\n")[0]
        if "`symindex" not in ran.out:
            break
    ran = run("symbol", "Long", *place, "--max-tokens", "300")
    assert "method_0" in run(*follow(ran)).out


def test_a_place_of_a_use_is_relative_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(
        tmp_path / "tree",
        {
            ".git/HEAD": "",
            "near/use.py": "from near.one import go\n\n\ngo()\n",
            "near/one.py": "def go(): pass\n",
            "far/use.py": "from far.two import go\n\n\ngo()\n",
            "far/two.py": "def go(): pass\n",
        },
    )
    monkeypatch.chdir(tmp_path / "tree" / "far")
    for place in ("use.py", "use.py:4", "./use.py"):
        ran = run("symbol", "go", "--used-in", place, "--index-dir", str(tmp_path / "index"))
        assert ran.code == 0 and ran.out.startswith("# Symbol: `two.py#go`"), (place, ran)
    ran = run("symbol", "use.py:4:1", "--index-dir", str(tmp_path / "index"))
    assert ran.out.startswith("# Symbol: `two.py#go`")
