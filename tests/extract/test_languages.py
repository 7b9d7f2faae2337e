"""The languages as a whole: the table on their page, their tiers, formats without a folder, and
users' own folders."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows
from tree_sitter_language_pack import SupportedLanguage

from symindex.extract.languages.registry import load_languages, pack_languages, unpack_languages
from symindex.extract.summary import check_languages, summarize_languages
from symindex.protocol.kinds import SymbolKind
from tests.extract.test_language_faults import broken
from tests.support.command import SYMINDEX, run, run_program
from tests.support.files import write_files

PAGE = Path(__file__).parents[2] / "grammars" / "README.md"
MARKED = re.compile(
    r"(<!-- table of languages: .*? -->\n)(.*?)(<!-- end of the table -->)", re.DOTALL
)


def table() -> str:
    rows = ["", "| language | tier | finds | files |", "|---|---|---|---|"]
    for row in summarize_languages():
        finds = ", ".join([*row.kinds, *(f"code in {language}" for language in row.embeds)])
        rows.append(
            f"| {row.name} (`{row.id}`) | {row.tier} | {finds} | {' '.join(f'`{name}`' for name in row.files)} |"
        )
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
    named = {
        name: why for name, why in re.findall(r"^\| `(\w+)` \| (\S.*) \|$", left_out, re.MULTILINE)
    }
    used = {language.rules.grammar for language in load_languages().by_id.values()}
    assert named.keys() == {*get_args(SupportedLanguage)} - used


def test_the_promised_number_of_languages_exists() -> None:
    rows = summarize_languages()
    assert load_languages().faults == ()
    assert len(rows) >= 110
    assert sum(row.tier == "full" for row in rows) >= 40


def test_no_two_languages_claim_a_file() -> None:
    assert [line.text for line in check_languages() if line.is_fault] == []


def test_a_users_own_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session on the page works as printed."""
    session = re.search(
        r"```console\n(\$ mkdir -p languages/pipeline.*?)```", PAGE.read_text("utf-8"), re.DOTALL
    )
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
        words = (
            command.replace('"$SYMINDEX_GRAMMARS"', str(tmp_path / "languages"))
            .partition(" | ")[0]
            .split()
        )
        words = [
            str(tmp_path / "languages" / "a.pipeline") if word == "../a.pipeline" else word
            for word in words
        ]
        said = run(*words).out
        assert [line.split() for line in output.splitlines()] == [
            line.split()
            for line in said.splitlines()
            if "| grep" not in command or "pipeline" in line
        ]


def test_the_steps_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text("utf-8")
    steps = page.partition("## How to add one\n")[2].partition("\nYou do not need")[0]
    (scm,) = re.findall(r"`(\(ERROR\) .*?)`", steps)
    toml = 'extensions = [".own"]\ndoc.line = ["--"]\n'
    write_files(
        tmp_path / "mine", {f"own/{name}": text for name, text in broken(scm, toml).items()}
    )
    tree = write_files(
        tmp_path / "tree", {"a.own": "-- Of carts.\n\nlocal a = {}\n", "b.own": "local local = (\n"}
    )
    file = str(tree / "a.own")
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(tmp_path / "mine"))
    monkeypatch.chdir(tree)
    shown = {
        "symindex status": r"with syntax errors\nown +2 .* 1\n",
        "symindex check FOLDER": "own: ok, 1 pattern, 0 kinds",
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


@pytest.mark.nightly
def test_only_the_languages_that_are_met_cost_anything() -> None:
    """Detection loads no grammar. A file loads its own grammar and compiles its own query, once."""
    code = """if True:
        from symindex.extract.languages.registry import load_languages
        from symindex.extract.parse.grammar import _load
        from symindex.extract.parse.query import _compile
        from symindex.extract.symbols import extract_symbols
        languages = load_languages()
        for name, text in (("a.h", b"int a;"), ("a.m", b"@interface A"), ("run", b"#!/bin/sh"), ("b.sql", b"SELECT 1;")):
            assert languages.by_content(name, text) is not None
        print(_load.cache_info().currsize, _compile.cache_info().currsize)
        for _ in range(2):
            assert extract_symbols(languages.by_content("a.lua", b""), b"function f() end")[0]
        print(_load.cache_info().currsize, _compile.cache_info().currsize, _compile.cache_info().misses)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "0", "1", "1", "1"]


def test_a_tree_is_shown_before_there_is_a_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = write_files(
        tmp_path / "mine", {"x/language.toml": 'name = "X"\ngrammar = "lua"\nextensions = [".x"]\n'}
    )
    source = write_files(tmp_path, {"a.x": "local a = 1\n"}) / "a.x"
    assert run("dump", "--tree", str(source)).err.startswith(
        f"symindex: {source}: no language for it"
    )
    assert run("dump", "--tree", "--grammar", "lua", str(source)).out.startswith("(chunk)")
    assert run("dump", "--tree", "--grammar", "tree-sitter-yaml", str(source)).out.startswith(
        "(stream)"
    )
    assert (
        "symindex: --grammar 'no-such': no such grammar in the pack; a grammar"
        in run("dump", "--tree", "--grammar", "no-such", str(source)).err
    )
    assert "--grammar needs --tree" in run("dump", "--grammar", "lua", str(source)).err
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(mine))
    assert run("dump", "--tree", str(source)).out.startswith("(chunk)")
    assert "symbols.scm: No such file" in run("dump", str(source)).err


@pytest.mark.nightly
def test_a_folder_reports_files_that_two_languages_claim(tmp_path: Path) -> None:
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
    assert (
        run("check", str(tmp_path / "two")).code == 0
    )  # a language with the name of a shipped one replaces it


@pytest.mark.nightly
def test_folders_that_are_not_accepted(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"file": "", "empty/x": "", "a/lua/language.toml": "", "b/lua/language.toml": ""}
    )
    assert (
        run("check", str(tmp_path / "file")).err
        == f"symindex: {tmp_path}/file: Not a directory; name a language folder, or a folder of language folders\n"
    )
    assert run("check", str(tmp_path / "none")).code == 2
    assert "no folder in it" in run("check", str(tmp_path / "empty")).err
    assert (
        f"lua: {tmp_path}/b/lua is used, {tmp_path}/a/lua is not"
        in run("check", str(tmp_path / "a"), str(tmp_path / "b")).out
    )


def test_a_language_folder_itself_may_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = write_files(
        tmp_path / "mine" / "own", {**broken(toml='extensions = [".own"]\n'), "notes/x": ""}
    )
    assert run("check", str(mine)).out == "own: ok, 1 pattern, 0 kinds\n"
    monkeypatch.chdir(mine)
    assert run("check", ".").out == "own: ok, 1 pattern, 0 kinds\n"
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(mine))
    assert load_languages().by_id["own"].rules.extensions == [".own"]
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(mine / "notes"))
    notice = f"symindex: ignored: {mine / 'notes'}: no folder in it; name a language folder, or a folder of language folders\n"
    assert run("languages").err == notice


def test_a_package_that_cannot_be_loaded_is_not_to_be_installed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "raise ImportError('b.so: invalid ELF header')\n"
    write_files(
        tmp_path / "packages",
        {"tree_sitter_foreign.py": text, "tree_sitter_odd.py": "def language(): return 'x'\n"},
    )
    monkeypatch.syspath_prepend(tmp_path / "packages")
    write_files(tmp_path / "mine" / "a", broken(grammar="tree-sitter-foreign"))
    write_files(tmp_path / "mine" / "b", broken(grammar="tree-sitter-odd"))
    foreign, odd = (line.text for line in check_languages([tmp_path / "mine"]) if line.is_fault)
    assert foreign.endswith(
        "'tree-sitter-foreign': installed, but it cannot be loaded here: b.so: invalid ELF header; "
        "install it in a build for this system"
    )
    assert "'tree-sitter-odd': that package does not provide a grammar: " in odd


def test_a_grammar_of_another_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package was built for a later tree-sitter."""
    import ctypes
    import types

    made = (ctypes.c_uint32 * 4_096)(99)  # a grammar begins with the version of its format
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    name = ctypes.c_char_p(b"tree_sitter.Language")
    package = types.ModuleType("tree_sitter_later")
    package.language = lambda: capsule(ctypes.addressof(made), name, None)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tree_sitter_later", package)
    write_files(tmp_path / "mine" / "later", broken(grammar="tree-sitter-later"))
    assert re.search(
        r"grammar 'tree-sitter-later': made for format 99 of tree-sitter, which reads .*; install another version",
        "".join(line.text for line in check_languages([tmp_path / "mine"])),
    )


@pytest.mark.nightly
@pytest.mark.slow
def test_a_tree_gives_no_grammar(tmp_path: Path) -> None:
    """The user's configuration names a package that is not installed, and the tree contains a
    module of that name."""
    mine = write_files(
        tmp_path / "mine",
        {f"x/{name}": text for name, text in broken(grammar="tree-sitter-evil").items()},
    )
    touch = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    root = write_files(
        tmp_path / "tree", {"tree_sitter_evil.py": touch, "tree_sitter_evil/__init__.py": touch}
    )
    for command in (
        ["search", "x"],
        ["check", str(mine)],
        ["dump", "--tree", "--grammar", "tree-sitter-evil", "tree_sitter_evil.py"],
    ):
        done = run_program(
            [*SYMINDEX, *command], cwd=root, env={**os.environ, "SYMINDEX_GRAMMARS": str(mine)}
        )
        assert "No module named 'tree_sitter_evil'" in done.stdout + done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.nightly
def test_languages_of_which_some_are_chosen_know_their_own_extensions() -> None:
    """Earlier questions to other sets of languages change nothing; sets are equal if their digests
    are."""
    every = load_languages()
    assert {".py", ".go"} <= every.extensions
    chosen = every.choose(["python"])
    assert ".py" in chosen.extensions and ".go" not in chosen.extensions
    assert chosen.choose([]).extensions == every.extensions
    kept = unpack_languages(pack_languages(chosen), ["go"])
    assert (kept.digest, kept.extensions) == (every.digest, every.choose(["go"]).extensions)
