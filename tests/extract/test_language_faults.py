"""Each fault in a language folder is reported in one line, with its place and a hint; the other
languages still work."""

import shutil
from pathlib import Path

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.summary import check_languages
from symindex.workspace.workspace import Workspace
from tests.support.command import run
from tests.support.files import write_files

GRAMMARS = Path(__file__).parents[2] / "grammars"


def broken(scm: str = "(comment) @doc\n", toml: str = "", grammar: str = "lua") -> dict[str, str]:
    """Makes a language folder with a fault in one of its files."""
    return {"language.toml": f'name = "X"\ngrammar = "{grammar}"\n{toml}', "symbols.scm": scm}


FUNCTION = "(function_declaration name: (identifier) @name) @definition.function"

BROKEN = {
    "toml": (broken(toml="extensions = \n"), "language.toml: Invalid value (at line 3"),
    "key": (
        broken(toml="nane = 3\n"),
        "language.toml:3: Object contains unknown field `nane`; similar: name",
    ),
    "key like none": (
        broken(toml='[doc]\nxyz = ["--"]\n'),
        "language.toml:4: Object contains unknown field `xyz` - at `$.doc`: expected one of before, behind, block,",
    ),
    "key in table": (
        broken(toml='[doc]\nlime = ["--"]\n'),
        "language.toml:4: Object contains unknown field `lime` - at `$.doc`; similar: line\n",
    ),
    "table": (
        broken(toml='[depricated]\ndoc = "x"\n'),
        "language.toml:3: Object contains unknown field `depricated`; similar: dep",
    ),
    "type": (
        broken(toml='extensions = ".x"\n'),
        "language.toml:3: Expected `array`, got `str` - at `$.extensions`",
    ),
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
        "language.toml:4: inside: unknown kind 'mehtod'; similar: method\n",
    ),
    "visibility": (
        broken(toml='[visibility]\ndefault = "exported"\ninside.class = "public"\n'),
        "language.toml:5: visibility.inside.class: 'public': expected one of exported, private,",
    ),
    "no dot": (
        broken(toml='extensions = [\n  ".x",\n  "y",\n]\n'),
        "language.toml:5: extensions: 'y' must begin with a dot, in lower case: '.y'",
    ),
    "capitals": (
        broken(toml='extensions = [".QL"]\n'),
        "language.toml:3: extensions: '.QL' must begin with a dot, in lower case: '.ql'",
    ),
    "content of another": (
        broken(toml='extensions = [".x"]\ncontent = { ".y" = "a" }\n'),
        "language.toml:4: content: '.y' is not one of the extensions",
    ),
    "glob": (
        broken(toml='test_paths = ["["]\n'),
        "language.toml:3: test_paths: '[': the bracket is not closed; write `[[]`",
    ),
    "glob of a folder": (
        broken(toml='test_paths = ["spec/"]\n'),
        "language.toml:3: test_paths: 'spec/' is not a file: for all files in that folder, write 'spec/*'",
    ),
    "queries": (
        broken(toml='queries = ["no-such"]\n'),
        "language.toml:3: queries: unknown language 'no-such'",
    ),
    "identifiers": (
        broken(toml='identifiers = ["identifer"]\n'),
        "language.toml:3: identifiers: 'identifer' is not a node of the grammar lua; similar: identifier\n",
    ),
    "bare code": (
        broken(toml='bare_code = ["no_such"]\n'),
        "language.toml:3: bare_code: 'no_such' is not a node of the grammar lua",
    ),
    "query root": (
        broken(toml='query_root = "chunks"\n'),
        "language.toml:3: query_root: 'chunks' is not a node of the grammar lua; similar: chunk\n",
    ),
    "name escapes": (
        broken(toml="name_escapes = true\n"),
        "language.toml:3: Expected `str`, got `bool` - at `$.name_escapes`",
    ),
    "word of name escapes": (
        broken(toml='name_escapes = "entity"\n'),
        "language.toml:3: Invalid enum value 'entity' - at `$.name_escapes`; similar: entities\n",
    ),
    "setting kind": (
        broken("((chunk (variable_declaration) @part) (#set! kind constnt))\n"),
        "symbols.scm:1: unknown setting kind constnt; similar: constant\n",
    ),
    "part alone": (
        broken("(chunk (variable_declaration) @part)\n"),
        "or @part alone with (#set! kind constant)",
    ),
    "grammar": (
        broken(grammar="pythn"),
        "language.toml:2: grammar 'pythn': no such grammar in the pack; similar: python; a grammar of an installed package is named",
    ),
    "module": (
        broken(grammar="tree_sitter_yaml"),
        "language.toml:2: grammar 'tree_sitter_yaml': no such grammar in the pack, but a package is installed: 'tree-sitter-yaml",
    ),
    "package": (
        broken(grammar="tree-sitter-no-such"),
        "language.toml:2: grammar 'tree-sitter-no-such': No module named 'tree_sitter_no_such'; install that package next to",
    ),
    "part of a package": (
        broken(grammar="tree-sitter-yaml:x"),
        "language.toml:2: grammar 'tree-sitter-yaml:x': that package has no such grammar, but tree-sitter-yaml\n",
    ),
    "the pack": (
        broken(grammar="tree-sitter-language-pack"),
        "that package has no such grammar; for a grammar of the pack write its name alone\n",
    ),
    "path": (
        broken(grammar="tree-sitter-../../os"),
        "not the name of a package: use lower-case letters, digits and hyphens\n",
    ),
    "capture": (
        broken("; a\n(comment) @dock\n"),
        "symbols.scm:2: unknown capture @dock; similar: @doc\n",
    ),
    "capture like none": (
        broken("(comment) @xyz\n"),
        "symbols.scm:1: unknown capture @xyz: expected one of @body, @container, @def",
    ),
    "kind": (
        broken(FUNCTION.replace("ction", "ktion")),
        "symbols.scm:1, column 2: Invalid node type funktion_declaration; similar: func",
    ),
    "kind of a definition": (
        broken(FUNCTION.replace("function ", "enum_member ").replace(".function", ".enum_member")),
        "symbols.scm:1: unknown capture @definition.enum_member; similar: @definition.enumMember,",
    ),
    "setting": (
        broken("(comment) @doc (#set! flag tset)\n"),
        "symbols.scm:1: unknown setting flag tset; similar: test\n",
    ),
    "setting like none": (
        broken("(comment) @doc (#set! flagg test)\n"),
        "symbols.scm:1: unknown setting flagg test; similar: flag, language\n",
    ),
    "language of no source": (
        broken("(comment) @doc (#set! language lua)\n"),
        "symbols.scm:1: unknown setting language lua: it needs the id of a language, and a @source in the pattern",
    ),
    "predicate": (
        broken('(comment) @doc (#mtach? @doc "a")\n'),
        "symbols.scm:1: unknown predicate #mtach?; similar: #match?,",
    ),
    "predicate that passes too much": (
        broken('((comment) @doc (#not-any-of? @doc "a" "b"))\n'),
        "symbols.scm:1: unknown predicate #not-any-of?: write a `#not-eq?` for each word",
    ),
    "capture in a predicate": (
        broken('(comment) @doc (#eq? @dco "a")\n'),
        "symbols.scm:1, column 23: Invalid capture name dco; similar: doc\n",
    ),
    "argument of a predicate": (
        broken("(comment) @doc (#match? @doc)\n"),
        "symbols.scm:1: Invalid predicate: #match? expects 2 arguments, got 1",
    ),
    "expression": (
        broken(
            '(comment) @doc\n((comment) @doc\n  (#match? @doc "a")\n  (#not-match? @doc "\\\\(("))\n'
        ),
        r"symbols.scm:4: expression '\\((': missing ), unterminated subpattern at position 2",
    ),
    "shape": (
        broken("(comment) @name\n"),
        "symbols.scm:1: a pattern captures one @definition.<kind> and @name, perhaps with",
    ),
    "doc of a definition": (
        broken(f"((comment) @doc . {FUNCTION})\n"),
        "symbols.scm:1: a pattern captures one @definition.<kind>",
    ),
    "node": (
        broken("(comment) @doc\n(commend) @doc\n"),
        "symbols.scm:2, column 2: Invalid node type commend; similar: comment",
    ),
    "text": (
        broken('(comment) @doc\n(block "{{" @doc)\n'),
        'symbols.scm:2, column 9: Invalid node type "{{": the grammar has no such text; see `symindex dump --tree --anonymous',
    ),
    "field": (
        broken(FUNCTION.replace("name:", "nam:")),
        "symbols.scm:1, column 23: Invalid field name nam; similar: name",
    ),
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
        "symbols.scm:1, column 41: Invalid syntax: a capture follows its node, `(node) @capture`; is a bracket missing",
    ),
    "bracket too many": (
        broken("(comment)) @doc\n"),
        "symbols.scm:1, column 10: Invalid syntax: this bracket closes nothing",
    ),
    "quote": (
        broken('(comment) @doc\n"a\n'),
        "symbols.scm:2, column 1: Invalid syntax: this quote is not closed",
    ),
    "comment": (
        broken("# a\n(comment) @doc\n"),
        "symbols.scm:1, column 1: Invalid syntax: a comment begins with `;`",
    ),
    "syntax": (
        broken("(comment) @doc\n(comment foo) @doc\n"),
        "symbols.scm:2, column 10: Invalid syntax at 'foo) @doc': a pattern is `(node field: (node) @capture) @capture`",
    ),
    "blank": (
        broken("; nothing\n"),
        "symbols.scm: no pattern in it; `symindex dump --tree FILE` shows",
    ),
    "no query": (
        {"language.toml": broken()["language.toml"]},
        "symbols.scm: No such file or directory; `symindex dump",
    ),
    "empty": ({}, "language.toml: No such file"),
}

FOUND_BY_CHECK = {
    "role": (
        broken(toml='[roles]\nrules = [\n["invoke", "a.b"]]\n'),
        "language.toml:5: roles.rules: unknown role 'invoke': expected",
    ),
    "role like one": (
        broken(toml='[roles]\nrules = [["reed", "a"]]\n'),
        "language.toml:4: roles.rules: unknown role 'reed'; similar: read",
    ),
    "node of a rule": (
        broken(toml='[roles]\nrules = [\n["call", "chunk"],\n["call", "function_cal.name/**"]]\n'),
        "language.toml:6: roles.rules: 'function_cal', in 'function_cal.name/**', is not a node of the grammar lua; similar",
    ),
    "field of a rule": (
        broken(toml='[roles]\nrules = [["call", "*/function_call.nam"]]\n'),
        "language.toml:4: roles.rules: 'nam', in '*/function_call.nam', is not a field of the grammar lua; similar: name",
    ),
    "node itself": (
        broken(toml='[roles]\nbinds = ["chunk@identifer"]\n'),
        "roles.binds: 'identifer', in 'chunk@identifer', is not a node",
    ),
    "field that is asked for": (
        broken(toml='[roles]\nmembers = ["chunk@!nam"]\n'),
        "roles.members: 'nam', in 'chunk@!nam', is not a field",
    ),
    "kin": (
        broken(toml='[roles]\nkin = [["chunk", "nam"]]\n'),
        "language.toml:4: roles.kin: 'nam', in 'nam', is not a field",
    ),
    "siblings": (
        broken(
            "(comment) @doc\n(block (comment) @definition.key @name . (comment) @definition.key)\n"
        ),
        "symbols.scm:2: @definition.key is on two sibling nodes: capture one of them, or the node around both",
    ),
    "bindings": (
        {**broken(FUNCTION), "bindings.scm": "(function_declaration name: (nothing) @declared)\n"},
        "bindings.scm:1, column 30: Invalid node type nothing; similar: string",
    ),
    "capture of bindings": (
        {
            **broken(FUNCTION),
            "bindings.scm": "(function_declaration name: (identifier) @declare)\n",
        },
        "bindings.scm: unknown capture @declare",
    ),
}
"""Mistakes that leave a language usable."""

ALL: dict[str, tuple[dict[str, str], str]] = {**BROKEN, **FOUND_BY_CHECK}


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The output of `check` for each of these folders."""
    top = tmp_path_factory.mktemp("broken")
    for fault, (files, _) in ALL.items():
        (top / fault.replace(" ", "-")).mkdir()
        write_files(top / fault.replace(" ", "-"), files)
    lines = [line.text for line in check_languages([top]) if line.is_fault]
    return {
        line.partition(": ")[0].replace("-", " "): line.partition(": ")[2].removeprefix(f"{top}/")
        for line in lines
    }


@pytest.mark.parametrize("fault", ALL)
def test_each_error_is_reported_with_its_place_and_remedy(
    fault: str, checked: dict[str, str]
) -> None:
    message = ALL[fault][1]
    place = (
        f"{fault.replace(' ', '-')}/"
        if message.startswith(("language.toml", "symbols.scm"))
        else ""
    )
    assert f"{place}{message}" in checked[fault] + "\n"
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
    assert [line.text for line in check_languages([tmp_path / "mine"])] == [
        "x: ok, 3 patterns, 1 kind"
    ]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "fault",
    [
        "toml",
        "key",
        "pattern",
        "glob",
        "identifiers",
        "package",
        "capture",
        "node",
        "no query",
        "empty",
    ],
)
def test_a_folder_that_is_wrong_is_left_out_and_the_others_go_on(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, message = BROKEN[fault]
    message = message.strip()
    (tmp_path / "mine" / "python").mkdir(parents=True)  # meant to replace the shipped one
    write_files(tmp_path / "mine" / "python", files)
    shutil.copytree(GRAMMARS / "ruby", tmp_path / "mine" / "my_ruby")
    config = tmp_path / "config.toml"
    config.write_text(f"grammars = ['{tmp_path / 'mine'}']\n")
    monkeypatch.setenv("SYMINDEX_CONFIG", str(config))
    languages = load_languages()
    assert len(languages.faults) == 1
    assert message in languages.faults[0]
    assert {"python", "my_ruby"} <= languages.by_id.keys()
    root = write_files(tmp_path / "tree", {"a.py": "def f(): pass\n"})
    with Workspace(root, tmp_path / "index") as workspace:
        response = workspace.search("f")
    assert [item.name for item in response.items] == ["f"]
    assert any(message in line for line in response.notices or [])
    checked = run("check", str(tmp_path / "mine"))
    assert (checked.code, "my_ruby: ok" in checked.out) == (2, True)
    assert f"{tmp_path / 'mine' / 'python'}/{message}" in checked.err
    shown = run("dump", "--tree", "--lang", "python", str(root / "a.py"))
    if fault in ("identifiers", "package"):
        assert shown.err.startswith(f"symindex: {tmp_path / 'mine' / 'python'}/{message}")
    elif fault not in ("toml", "key", "empty"):
        assert shown.out.startswith("(chunk)")
