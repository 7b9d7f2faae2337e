"""The languages as a whole: the table of the page, their tiers, what has no folder and why, and folders of a user's own."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import get_args

import pytest
from tree_sitter_language_pack import SupportedLanguage

from symindex.extract.languages.registry import load_languages
from symindex.extract.summary import summarize_languages
from symindex.workspace import Workspace
from tests.support.command import SYMINDEX, run, run_program
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


def broken(scm: str = "(comment) @doc\n", toml: str = "", grammar: str = "lua") -> dict[str, str]:
    """A folder of a language, with a fault in one of its files."""
    return {"language.toml": f'name = "X"\ngrammar = "{grammar}"\n{toml}', "symbols.scm": scm}


FUNCTION = "(function_declaration name: (identifier) @name) @definition.function"

BROKEN = {
    "toml": (broken(toml="extensions = \n"), "language.toml: Invalid value (at line 3"),
    "key": (broken(toml="nane = 3\n"), "language.toml:3: Object contains unknown field `nane`: expected one of name, grammar,"),
    "key in table": (
        broken(toml='[doc]\nlime = ["--"]\n'),
        "language.toml:4: Object contains unknown field `lime` - at `$.doc`: exp",
    ),
    "type": (broken(toml='extensions = ".x"\n'), "language.toml:3: Expected `array`, got `str` - at `$.extensions`"),
    "pattern": (broken(toml="constants = '('\n"), "constants: missing )"),
    "kind in toml": (
        broken(toml='[inside.class]\nfunction = "mehtod"\n'),
        "unknown kind 'mehtod': expected one of array, boolean",
    ),
    "queries": (broken(toml='queries = ["no-such"]\n'), "unknown language in queries 'no-such': expected one of "),
    "identifiers": (broken(toml='identifiers = ["no_such"]\n'), "'no_such' is no node of the grammar lua"),
    "grammar": (broken(grammar="no-such"), "no grammar 'no-such'"),
    "package": (broken(grammar="tree-sitter-no-such"), "install that package"),
    "part of a package": (broken(grammar="tree-sitter-yaml:x"), "that package has no such grammar"),
    "path": (broken(grammar="tree-sitter-../../os"), "no name of a package"),
    "capture": (broken("; a\n(comment) @dock\n"), "symbols.scm:2: unknown capture @dock: expected one of @name, @doc,"),
    "kind": (
        broken(FUNCTION.replace("ction", "ktion")),
        "symbols.scm:1, column 1: Invalid node type funktion_declaration; like it: func",
    ),
    "kind of a definition": (
        broken(f"{FUNCTION}x"),
        "symbols.scm:1: unknown capture @definition.functionx: expected one of @name",
    ),
    "setting": (
        broken("(comment) @doc (#set! flag tset)\n"),
        "symbols.scm:1: unknown setting flag tset: expected one of visibility",
    ),
    "predicate": (
        broken('(comment) @doc (#mtach? @doc "a")\n'),
        "symbols.scm:1: unknown predicate '#mtach?': expected one of #any",
    ),
    "shape": (broken("(comment) @name\n"), "symbols.scm:1: a pattern captures one @definition.<kind> and @name, or"),
    "node": (broken("(comment) @doc\n(commend) @doc\n"), "symbols.scm:2, column 1: Invalid node type commend; like it: comment"),
    "field": (broken(FUNCTION.replace("name:", "nam:")), "symbols.scm:1, column 22: Invalid field name nam; like it: name"),
    "nowhere": (
        broken(FUNCTION.replace("identifier", "comment")),
        "symbols.scm:1, column 22: Impossible pattern: the grammar never",
    ),
    "bracket": (
        broken("(comment) @doc\n\n(comment\n"),
        "symbols.scm:3: Unexpected EOF: a bracket of the pattern that begins here",
    ),
    "syntax": (broken("(comment) @doc\n(comment foo) @doc\n"), "symbols.scm:2, column 9: Invalid syntax"),
    "blank": (broken("; nothing\n"), "symbols.scm: no pattern in it; `symindex dump --tree FILE` shows"),
    "no query": ({"language.toml": broken()["language.toml"]}, "symbols.scm: No such file or directory; `symindex dump"),
    "empty": ({}, "language.toml: No such file"),
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
    checked = run("check", str(tmp_path / "mine"))
    assert (checked.code, "my_ruby: ok" in checked.out) == (2, True)
    assert f"{tmp_path / 'mine' / 'python'}/{told}" in checked.err or told in checked.err
    if fault not in (
        "empty",
        "grammar",
        "package",
        "part of a package",
        "path",
        "toml",
        "key",
        "key in table",
        "type",
        "identifiers",
    ):
        assert run("dump", "--tree", "--lang", "python", str(root / "a.py")).out.startswith("(chunk)")


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


def test_a_tree_is_shown_before_there_is_a_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = write_files(tmp_path / "mine", {"x/language.toml": 'name = "X"\ngrammar = "lua"\nextensions = [".x"]\n'})
    source = write_files(tmp_path, {"a.x": "local a = 1\n"}) / "a.x"
    assert run("dump", "--tree", str(source)).err.startswith(f"symindex: {source}: no language for it")
    assert run("dump", "--tree", "--grammar", "lua", str(source)).out.startswith("(chunk)")
    assert run("dump", "--tree", "--grammar", "tree-sitter-yaml", str(source)).out.startswith("(stream)")
    assert "no grammar 'no-such' in the pack" in run("dump", "--tree", "--grammar", "no-such", str(source)).err
    assert "give --tree, too" in run("dump", "--grammar", "lua", str(source)).err
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(mine))
    assert run("dump", "--tree", str(source)).out.startswith("(chunk)")
    assert "symbols.scm: No such file" in run("dump", str(source)).err


def test_what_two_languages_claim_is_told_of_a_folder_too(tmp_path: Path) -> None:
    claims = 'extensions = [".py", ".mine", ".h"]\nfilenames = ["Rakefile"]\ninterpreters = ["lua"]\ncontent = {".h" = "^x"}\n'
    write_files(tmp_path / "one" / "mine", broken(toml=claims))
    write_files(tmp_path / "two" / "yours", broken(toml='extensions = [".mine"]\n'))
    write_files(tmp_path / "two" / "lua", broken(toml='extensions = [".lua"]\n'))
    checked = run("check", str(tmp_path / "one"))
    assert checked.code == 2
    assert checked.err.splitlines() == [
        "mine and python all claim the extension .py: all but one need a pattern for it under [content]",
        "mine and ruby all claim the file name Rakefile: only one of them can have it",
        "mine and lua all claim the interpreter lua: only one of them can have it",
    ]
    both = run("check", str(tmp_path / "one"), str(tmp_path / "two")).err
    assert "mine and yours all claim the extension .mine" in both
    assert run("check", str(tmp_path / "two")).code == 0  # what has a shipped one's name is in its place


def test_folders_that_are_none(tmp_path: Path) -> None:
    write_files(tmp_path, {"file": "", "empty/x": "", "a/lua/language.toml": "", "b/lua/language.toml": ""})
    assert (
        run("check", str(tmp_path / "file")).err
        == f"symindex: {tmp_path}/file: Not a directory; name a folder of language folders\n"
    )
    assert run("check", str(tmp_path / "none")).code == 2
    assert "no folder in it" in run("check", str(tmp_path / "empty")).err
    assert (
        f"lua: {tmp_path}/b/lua counts, and {tmp_path}/a/lua does not"
        in run("check", str(tmp_path / "a"), str(tmp_path / "b")).out
    )


def test_a_grammar_of_another_time_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is made for a tree-sitter of later years."""
    import ctypes
    import types

    made = (ctypes.c_uint32 * 4_096)(99)  # a grammar begins with the version of its format
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    name = ctypes.c_char_p(b"tree_sitter.Language")
    package = types.ModuleType("tree_sitter_later")
    package.language = lambda: capsule(ctypes.addressof(made), name, None)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tree_sitter_later", package)
    write_files(tmp_path / "mine" / "later", broken(grammar="tree-sitter-later"))
    assert re.search(
        r"grammar 'tree-sitter-later': made in format 99 of tree-sitter, which reads .*; install that package",
        run("check", str(tmp_path / "mine")).err,
    )


@pytest.mark.slow
def test_a_tree_gives_no_grammar(tmp_path: Path) -> None:
    """A module of the tree that has the name of a package, which the user's configuration names and has not installed."""
    mine = write_files(tmp_path / "mine", {f"x/{name}": text for name, text in broken(grammar="tree-sitter-evil").items()})
    touch = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    root = write_files(tmp_path / "tree", {"tree_sitter_evil.py": touch, "tree_sitter_evil/__init__.py": touch})
    for command in (
        ["search", "x"],
        ["check", str(mine)],
        ["dump", "--tree", "--grammar", "tree-sitter-evil", "tree_sitter_evil.py"],
    ):
        done = run_program([*SYMINDEX, *command], cwd=root, env={**os.environ, "SYMINDEX_GRAMMARS": str(mine)})
        assert "No module named 'tree_sitter_evil'" in done.stdout + done.stderr
    assert not (tmp_path / "ran").exists()
