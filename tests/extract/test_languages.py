"""The languages as a whole: the table of the page, their tiers, what has no folder and why, and folders of a user's own."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import get_args

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows
from tree_sitter_language_pack import SupportedLanguage

from symindex.extract.languages.registry import load_languages
from symindex.extract.summary import check_languages, summarize_languages
from symindex.protocol.kinds import SymbolKind
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


def test_the_steps_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text("utf-8")
    steps = page.partition("## How to add one\n")[2].partition("\nYou do not need")[0]
    (scm,) = re.findall(r"`(\(ERROR\) .*?)`", steps)
    toml = 'extensions = [".own"]\ndoc.line = ["--"]\n'
    write_files(tmp_path / "mine", {f"own/{name}": text for name, text in broken(scm, toml).items()})
    tree = write_files(tmp_path / "tree", {"a.own": "-- Of carts.\n\nlocal a = {}\n", "b.own": "local local = (\n"})
    file = str(tree / "a.own")
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(tmp_path / "mine"))
    monkeypatch.chdir(tree)
    shown = {
        "symindex status": r"with syntax errors\nown +2 .* 1\n",
        "symindex check FOLDER": "own: ok, 1 patterns, 0 kinds",
        "symindex dump --tree FILE": r"local_declaration: \(variable_declaration\)",
        "symindex dump FILE": r"variable a .* local a = \{\}\n\Z",
        "symindex search kind:section --include doc": r"Of carts\.",
    }
    assert {*re.findall(r"`(symindex .*?)`", steps)} == {*shown, "symindex check"}
    for command, output in shown.items():
        words = command.replace("FOLDER", str(tmp_path / "mine")).replace("FILE", file).split()[1:]
        assert re.search(output, run(*words).out) is not None, command
        if "check" in command:
            scm = "(variable_declaration (_ (_ name: (_) @name))) @definition.variable\n(comment) @doc\n"
            write_files(tmp_path / "mine" / "own", {"symbols.scm": scm})
    assert '"{"' in steps and "'{'" in run("dump", "--tree", "--anonymous", file).out


def test_the_page_names_the_kinds_and_the_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text("utf-8")
    assert f"`<kind>` is one of {', '.join(f'`{kind}`' for kind in SymbolKind)}. If" in page
    monkeypatch.setenv("HOME", "/home")
    monkeypatch.setattr("platformdirs.windows.get_win_folder", lambda _: "%LOCALAPPDATA%")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    for system in Unix, MacOS, Windows:
        folder = system("symindex").user_config_dir.replace("/home", "~")
        separator = "\\" if system is Windows else "/"
        assert f"`{folder.replace('/', separator)}{separator}config.toml`" in page


def broken(scm: str = "(comment) @doc\n", toml: str = "", grammar: str = "lua") -> dict[str, str]:
    """A folder of a language, with a fault in one of its files."""
    return {"language.toml": f'name = "X"\ngrammar = "{grammar}"\n{toml}', "symbols.scm": scm}


FUNCTION = "(function_declaration name: (identifier) @name) @definition.function"

BROKEN = {
    "toml": (broken(toml="extensions = \n"), "language.toml: Invalid value (at line 3"),
    "key": (broken(toml="nane = 3\n"), "language.toml:3: Object contains unknown field `nane`; like it: name"),
    "key like none": (
        broken(toml='[doc]\nxyz = ["--"]\n'),
        "language.toml:4: Object contains unknown field `xyz` - at `$.doc`: expected one of before, behind, block,",
    ),
    "key in table": (
        broken(toml='[doc]\nlime = ["--"]\n'),
        "language.toml:4: Object contains unknown field `lime` - at `$.doc`; like it: line\n",
    ),
    "table": (
        broken(toml='[depricated]\ndoc = "x"\n'),
        "language.toml:3: Object contains unknown field `depricated`; like it: dep",
    ),
    "type": (broken(toml='extensions = ".x"\n'), "language.toml:3: Expected `array`, got `str` - at `$.extensions`"),
    "pattern": (
        broken(toml="declarations = '('\n"),
        "language.toml:3: declarations: missing ), unterminated subpattern at position 0, in '('",
    ),
    "pattern in a list": (
        broken(toml="[doc]\nreplace = [\n  ['a', 'b'],\n  ['(', 'b'],\n]\n"),
        "language.toml:6: doc.replace '(': missing )",
    ),
    "kind in toml": (
        broken(toml='[inside.class]\nfunction = "mehtod"\n'),
        "language.toml:4: inside: unknown kind 'mehtod'; like it: method\n",
    ),
    "visibility": (
        broken(toml='[visibility]\ndefault = "exported"\ninside.class = "public"\n'),
        "language.toml:5: visibility.inside.class: 'public': expected one of exported, private,",
    ),
    "no dot": (
        broken(toml='extensions = [\n  ".x",\n  "y",\n]\n'),
        "language.toml:5: extensions: 'y' has to begin with a dot, in lower case: '.y'",
    ),
    "capitals": (
        broken(toml='extensions = [".QL"]\n'),
        "language.toml:3: extensions: '.QL' has to begin with a dot, in lower case: '.ql'",
    ),
    "content of another": (
        broken(toml='extensions = [".x"]\ncontent = { ".y" = "a" }\n'),
        "language.toml:4: content: '.y' is none of the extensions",
    ),
    "glob": (broken(toml='test_paths = ["["]\n'), "language.toml:3: test_paths: '[': the bracket is not closed; `[[]` stands"),
    "glob of a folder": (
        broken(toml='test_paths = ["spec/"]\n'),
        "language.toml:3: test_paths: 'spec/' is no file: for all in that folder, 'spec/*'",
    ),
    "queries": (broken(toml='queries = ["no-such"]\n'), "language.toml:3: queries: unknown language 'no-such'"),
    "identifiers": (
        broken(toml='identifiers = ["identifer"]\n'),
        "language.toml:3: identifiers: 'identifer' is no node of the grammar lua; like it: identifier\n",
    ),
    "bare code": (
        broken(toml='bare_code = ["no_such"]\n'),
        "language.toml:3: bare_code: 'no_such' is no node of the grammar lua",
    ),
    "grammar": (
        broken(grammar="pythn"),
        "language.toml:2: grammar 'pythn': no such grammar in the pack; like it: python; of an installed package the name is",
    ),
    "module": (
        broken(grammar="tree_sitter_yaml"),
        "language.toml:2: grammar 'tree_sitter_yaml': no such grammar in the pack, but a package is installed: 'tree-sitter-yaml",
    ),
    "package": (
        broken(grammar="tree-sitter-no-such"),
        "language.toml:2: grammar 'tree-sitter-no-such': No module named 'tree_sitter_no_such'; install that package beside",
    ),
    "part of a package": (
        broken(grammar="tree-sitter-yaml:x"),
        "language.toml:2: grammar 'tree-sitter-yaml:x': that package has no such grammar, but tree-sitter-yaml\n",
    ),
    "the pack": (
        broken(grammar="tree-sitter-language-pack"),
        "that package has no such grammar; for a grammar of the pack write its name alone\n",
    ),
    "path": (broken(grammar="tree-sitter-../../os"), "no name of a package: small letters, digits and hyphens\n"),
    "capture": (broken("; a\n(comment) @dock\n"), "symbols.scm:2: unknown capture @dock; like it: @doc\n"),
    "capture like none": (
        broken("(comment) @xyz\n"),
        "symbols.scm:1: unknown capture @xyz: expected one of @body, @container, @def",
    ),
    "kind": (
        broken(FUNCTION.replace("ction", "ktion")),
        "symbols.scm:1, column 2: Invalid node type funktion_declaration; like it: func",
    ),
    "kind of a definition": (
        broken(FUNCTION.replace("function ", "enum_member ").replace(".function", ".enum_member")),
        "symbols.scm:1: unknown capture @definition.enum_member; like it: @definition.enumMember,",
    ),
    "setting": (
        broken("(comment) @doc (#set! flag tset)\n"),
        "symbols.scm:1: unknown setting flag tset; like it: test\n",
    ),
    "setting like none": (
        broken("(comment) @doc (#set! flagg test)\n"),
        "symbols.scm:1: unknown setting flagg test; like it: flag, language\n",
    ),
    "language of no source": (
        broken("(comment) @doc (#set! language lua)\n"),
        "symbols.scm:1: unknown setting language lua: it needs the id of a language, and a @source in the pattern",
    ),
    "predicate": (
        broken('(comment) @doc (#mtach? @doc "a")\n'),
        "symbols.scm:1: unknown predicate #mtach?; like it: #match?,",
    ),
    "capture in a predicate": (
        broken('(comment) @doc (#eq? @dco "a")\n'),
        "symbols.scm:1, column 23: Invalid capture name dco; like it: doc\n",
    ),
    "argument of a predicate": (
        broken("(comment) @doc (#match? @doc)\n"),
        "symbols.scm:1: Invalid predicate: #match? expects 2 arguments, got 1",
    ),
    "expression": (
        broken('(comment) @doc\n((comment) @doc\n  (#match? @doc "a")\n  (#not-match? @doc "\\\\(("))\n'),
        r"symbols.scm:4: expression '\\((': missing ), unterminated subpattern at position 2",
    ),
    "shape": (broken("(comment) @name\n"), "symbols.scm:1: a pattern captures one @definition.<kind> and @name, perhaps with"),
    "doc of a definition": (
        broken(f"((comment) @doc . {FUNCTION})\n"),
        "symbols.scm:1: a pattern captures one @definition.<kind>",
    ),
    "node": (broken("(comment) @doc\n(commend) @doc\n"), "symbols.scm:2, column 2: Invalid node type commend; like it: comment"),
    "text": (
        broken('(comment) @doc\n(block "{{" @doc)\n'),
        'symbols.scm:2, column 9: Invalid node type "{{": the grammar has no such text; see `symindex dump --tree --anonymous',
    ),
    "field": (broken(FUNCTION.replace("name:", "nam:")), "symbols.scm:1, column 23: Invalid field name nam; like it: name"),
    "nowhere": (
        broken(FUNCTION.replace("identifier", "comment")),
        "symbols.scm:1, column 23: Impossible pattern: the grammar never",
    ),
    "bracket": (
        broken("(comment) @doc\n\n(comment\n"),
        "symbols.scm:3: Unexpected EOF: a bracket of the pattern that begins here",
    ),
    "bracket inside": (
        broken(FUNCTION.replace("(identifier)", "(identifier")),
        "symbols.scm:1, column 41: Invalid syntax: a capture stands behind its node, `(node) @capture`; is a bracket missing",
    ),
    "bracket too many": (broken("(comment)) @doc\n"), "symbols.scm:1, column 10: Invalid syntax: nothing is open that this"),
    "quote": (broken('(comment) @doc\n"a\n'), "symbols.scm:2, column 1: Invalid syntax: this quote is not closed"),
    "comment": (broken("# a\n(comment) @doc\n"), "symbols.scm:1, column 1: Invalid syntax: a comment begins with `;`"),
    "syntax": (
        broken("(comment) @doc\n(comment foo) @doc\n"),
        "symbols.scm:2, column 10: Invalid syntax at 'foo) @doc': a pattern is `(node field: (node) @capture) @capture`",
    ),
    "blank": (broken("; nothing\n"), "symbols.scm: no pattern in it; `symindex dump --tree FILE` shows"),
    "no query": ({"language.toml": broken()["language.toml"]}, "symbols.scm: No such file or directory; `symindex dump"),
    "empty": ({}, "language.toml: No such file"),
}

FOUND_BY_CHECK = {
    "role": (
        broken(toml='[roles]\nrules = [\n["invoke", "a.b"]]\n'),
        "language.toml:5: roles.rules: unknown role 'invoke': expected",
    ),
    "role like one": (
        broken(toml='[roles]\nrules = [["reed", "a"]]\n'),
        "language.toml:4: roles.rules: unknown role 'reed'; like it: read",
    ),
    "node of a rule": (
        broken(toml='[roles]\nrules = [\n["call", "chunk"],\n["call", "function_cal.name/**"]]\n'),
        "language.toml:6: roles.rules: 'function_cal', in 'function_cal.name/**', is no node of the grammar lua; like",
    ),
    "field of a rule": (
        broken(toml='[roles]\nrules = [["call", "*/function_call.nam"]]\n'),
        "language.toml:4: roles.rules: 'nam', in '*/function_call.nam', is no field of the grammar lua; like it: name",
    ),
    "node itself": (
        broken(toml='[roles]\nbinds = ["chunk@identifer"]\n'),
        "roles.binds: 'identifer', in 'chunk@identifer', is no node",
    ),
    "field that is asked for": (
        broken(toml='[roles]\nmembers = ["chunk@!nam"]\n'),
        "roles.members: 'nam', in 'chunk@!nam', is no field",
    ),
    "kin": (broken(toml='[roles]\nkin = [["chunk", "nam"]]\n'), "language.toml:4: roles.kin: 'nam', in 'nam', is no field"),
    "siblings": (
        broken("(comment) @doc\n(block (comment) @definition.key @name . (comment) @definition.key)\n"),
        "symbols.scm:2: @definition.key is on two nodes beside each other: capture one, or the node around both",
    ),
}
"""Mistakes with which a language is used all the same."""

ALL: dict[str, tuple[dict[str, str], str]] = {**BROKEN, **FOUND_BY_CHECK}


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What `check` says of each of these folders."""
    top = tmp_path_factory.mktemp("broken")
    for fault, (files, _) in ALL.items():
        (top / fault.replace(" ", "-")).mkdir()
        write_files(top / fault.replace(" ", "-"), files)
    lines = [line.text for line in check_languages([top]) if line.is_fault]
    return {line.partition(": ")[0].replace("-", " "): line.partition(": ")[2].removeprefix(f"{top}/") for line in lines}


@pytest.mark.parametrize("fault", ALL)
def test_what_is_wrong_is_told_with_its_place_and_what_would_be_right(fault: str, checked: dict[str, str]) -> None:
    told = ALL[fault][1]
    place = f"{fault.replace(' ', '-')}/" if told.startswith(("language.toml", "symbols.scm")) else ""
    assert f"{place}{told}" in checked[fault] + "\n"
    assert "\n" not in checked[fault]


def test_what_is_right_is_no_fault(tmp_path: Path) -> None:
    scm = """
(chunk (comment) @definition.key @name) @definition.key ; the one holds the other
[(comment) @definition.key (block) @definition.key @name] ; either
((block (comment)? @definition.key @name) (#eq? @definition.key "@definition.key @definition.key"))
"""
    roles = 'rules = [["call", "function_call.name"], ["read", "*/chunk/**@identifier"]]\nbinds = ["parameters/*", "@+name"]'
    toml = f'extensions = [".a.b"]\ncontent = {{ ".a.b" = "a" }}\ntest_paths = ["a[[]", "[!a]", "b/*"]\n[roles]\n{roles}\n'
    write_files(tmp_path / "mine", {f"x/{name}": text for name, text in broken(scm, toml).items()})
    assert [line.text for line in check_languages([tmp_path / "mine"])] == ["x: ok, 3 patterns, 1 kinds"]


@pytest.mark.parametrize(
    "fault", ["toml", "key", "pattern", "glob", "identifiers", "package", "capture", "node", "no query", "empty"]
)
def test_a_folder_that_is_wrong_is_left_out_and_the_others_go_on(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, told = BROKEN[fault]
    told = told.strip()
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
    assert f"{tmp_path / 'mine' / 'python'}/{told}" in checked.err
    shown = run("dump", "--tree", "--lang", "python", str(root / "a.py"))
    if fault in ("identifiers", "package"):
        assert shown.err.startswith(f"symindex: {tmp_path / 'mine' / 'python'}/{told}")
    elif fault not in ("toml", "key", "empty"):
        assert shown.out.startswith("(chunk)")


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
    assert (
        "symindex: --grammar 'no-such': no such grammar in the pack; of an"
        in run("dump", "--tree", "--grammar", "no-such", str(source)).err
    )
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
        == f"symindex: {tmp_path}/file: Not a directory; name a language folder, or a folder of such\n"
    )
    assert run("check", str(tmp_path / "none")).code == 2
    assert "no folder in it" in run("check", str(tmp_path / "empty")).err
    assert (
        f"lua: {tmp_path}/b/lua counts, and {tmp_path}/a/lua does not"
        in run("check", str(tmp_path / "a"), str(tmp_path / "b")).out
    )


def test_a_language_folder_itself_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = write_files(tmp_path / "mine" / "own", {**broken(toml='extensions = [".own"]\n'), "notes/x": ""})
    assert run("check", str(mine)).out == "own: ok, 1 patterns, 0 kinds\n"
    monkeypatch.chdir(mine)
    assert run("check", ".").out == "own: ok, 1 patterns, 0 kinds\n"
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(mine))
    assert load_languages().by_id["own"].rules.extensions == [".own"]
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(mine / "notes"))
    told = f"symindex: left out: {mine / 'notes'}: no folder in it; name a language folder, or a folder of such\n"
    assert run("languages").err == told


def test_a_package_that_cannot_be_loaded_is_not_to_be_installed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "raise ImportError('b.so: invalid ELF header')\n"
    write_files(tmp_path / "packages", {"tree_sitter_foreign.py": text, "tree_sitter_odd.py": "def language(): return 'x'\n"})
    monkeypatch.syspath_prepend(tmp_path / "packages")
    write_files(tmp_path / "mine" / "a", broken(grammar="tree-sitter-foreign"))
    write_files(tmp_path / "mine" / "b", broken(grammar="tree-sitter-odd"))
    foreign, odd = run("check", str(tmp_path / "mine")).err.splitlines()
    assert foreign.endswith(
        "'tree-sitter-foreign': installed, but it cannot be loaded here: b.so: invalid ELF header; "
        "install it in a build for this system"
    )
    assert "'tree-sitter-odd': what that package gives is no grammar: " in odd


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
