"""The languages as a whole: the table of the page, their tiers, what has no folder and why, and folders of a user's own."""

import re
import shutil
from pathlib import Path
from typing import get_args

import pytest
from tree_sitter_language_pack import SupportedLanguage

from symindex.extract.languages.registry import load_languages
from symindex.extract.summary import summarize_languages
from symindex.workspace import Workspace
from tests.support.command import run
from tests.support.files import write_files

PAGE = Path(__file__).parents[2] / "grammars" / "README.md"
MARKED = re.compile(r"(<!-- table of languages: .*? -->\n)(.*?)(<!-- end of the table -->)", re.DOTALL)


def table() -> str:
    rows = ["", "| language | tier | finds | files |", "|---|---|---|---|"]
    for row in summarize_languages():
        finds = ", ".join([*row.kinds, *(f"code in {each}" for each in row.embeds)])
        rows.append(f"| {row.name} (`{row.id}`) | {row.tier} | {finds} | {' '.join(f'`{each}`' for each in row.files)} |")
    return "\n".join([*rows, "", ""])


def test_the_table_of_the_page_is_what_the_queries_yield(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text("utf-8")
    match = MARKED.search(page)
    assert match is not None
    if request.config.getoption("--update"):
        PAGE.write_text(page[: match.start(2)] + table() + page[match.end(2) :], "utf-8")
    else:
        assert match[2] == table()


def test_every_grammar_of_the_pack_is_used_or_left_out_with_a_reason() -> None:
    left_out = PAGE.read_text("utf-8").partition("### Grammars of the pack without a folder")[2]
    named = {name: why for name, why in re.findall(r"^\| `(\w+)` \| (\S.*) \|$", left_out, re.MULTILINE)}
    used = {language.rules.grammar for language in load_languages().by_id.values()}
    assert named.keys() == {*get_args(SupportedLanguage)} - used


def test_as_many_languages_as_are_promised() -> None:
    rows = summarize_languages()
    assert load_languages().faults == ()
    assert len(rows) >= 110
    assert sum(row.tier == "full" for row in rows) >= 40


def test_no_two_languages_claim_a_file() -> None:
    from symindex.extract.summary import check_languages

    assert [line.text for line in check_languages() if line.is_fault] == []


def test_a_language_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session of the page, as it stands there."""
    session = re.search(r"```console\n(\$ mkdir -p languages/pipeline.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert session is not None
    files = dict(re.findall(r"\$ cat > ([\w.]+) <<'END'\n(.*?)END\n", session[1], re.DOTALL))
    source = re.search(r"\$ printf '(.*?)' > \.\./a\.pipeline", session[1])
    assert source is not None
    write_files(tmp_path / "languages" / "pipeline", files)
    write_files(tmp_path / "languages", {"a.pipeline": source[1].replace("\\n", "\n")})
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(tmp_path / "languages"))
    shown = re.findall(r"\$ symindex ([^\n]*)\n(.*?)(?=\$ |\Z)", session[1], re.DOTALL)
    assert len(shown) == 4
    for command, output in shown:
        words = command.replace('"$SYMINDEX_GRAMMARS"', str(tmp_path / "languages")).partition(" | ")[0].split()
        words = [str(tmp_path / "languages" / "a.pipeline") if word == "../a.pipeline" else word for word in words]
        said = run(*words).out
        assert [line.split() for line in output.splitlines()] == [
            line.split() for line in said.splitlines() if "| grep" not in command or "pipeline" in line
        ]


BROKEN = {
    "toml": ({"language.toml": "name = ", "symbols.scm": ""}, "language.toml"),
    "grammar": ({"language.toml": 'name = "X"\ngrammar = "no-such"\n', "symbols.scm": ""}, "no grammar 'no-such'"),
    "package": ({"language.toml": 'name = "X"\ngrammar = "tree-sitter-no-such"\n', "symbols.scm": ""}, "install that package"),
    "path": ({"language.toml": 'name = "X"\ngrammar = "tree-sitter-../../os"\n', "symbols.scm": ""}, "no name of a package"),
    "capture": (
        {"language.toml": 'name = "X"\ngrammar = "lua"\n', "symbols.scm": "(comment) @dock\n"},
        "symbols.scm:1: unknown capture",
    ),
    "query": ({"language.toml": 'name = "X"\ngrammar = "lua"\n', "symbols.scm": "(comment\n"}, "symbols.scm"),
    "empty": ({}, "No such file"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_folder_that_is_wrong_is_left_out_and_the_others_go_on(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, told = BROKEN[fault]
    (tmp_path / "mine" / "python").mkdir(parents=True)  # which was to replace the shipped one
    write_files(tmp_path / "mine" / "python", files)
    shutil.copytree(PAGE.parent / "ruby", tmp_path / "mine" / "my_ruby")
    config = tmp_path / "config.toml"
    config.write_text(f"grammars = ['{tmp_path / 'mine'}']\n")
    monkeypatch.setenv("SYMINDEX_CONFIG", str(config))
    languages = load_languages()
    assert len(languages.faults) == 1
    assert told in languages.faults[0]
    assert {"python", "my_ruby"} <= languages.by_id.keys()
    root = write_files(tmp_path / "tree", {"a.py": "def f(): pass\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        found = workspace.search("f")
    assert [item.name for item in found.items] == ["f"]
    assert any(told in line for line in found.notices or [])


def test_a_tree_loads_no_language(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree",
        {
            "symindex.toml": "grammars = ['.']\n",
            "config.toml": "grammars = ['.']\n",
            "grammars/odd/language.toml": "name = 'Odd'\n",
        },
    )
    ran = run("search", "x", "--root", str(root), "--index-dir", str(tmp_path / "index"))
    assert "unknown key 'grammars'" in ran.err
    assert "odd" not in load_languages().by_id
