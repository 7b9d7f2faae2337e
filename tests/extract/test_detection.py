"""The language of a file: by its name, its first line, its modelines, its content, and the rules of
the tree."""

from pathlib import Path

import pytest

from symindex.extract.documents.formats import load_formats
from symindex.extract.languages.file_hints import mode_of
from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.tree_rules import TreeRules, tree_rules
from symindex.files.index_place import SETTINGS_NAME
from symindex.files.walk import walk_tree
from symindex.protocol.grep import GrepRequest
from symindex.protocol.kinds import SymbolFlag
from symindex.protocol.search import SearchRequest
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files

GENERATED, VENDORED = SymbolFlag.GENERATED.value, SymbolFlag.VENDORED.value


def detected(path: str, text: str = "", tree: TreeRules | None = None) -> str:
    language = load_languages().choose((), tree).by_content(path, text.encode())
    return language.id if language is not None else ""


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("# vim: set ft=ruby:\n", "ruby"),
        ("x = 1\n" * 100 + "/* vim: ts=8 filetype=c */", "c"),
        ("# -*- mode: Ruby -*-\n", "ruby"),
        ("#!/x\n# -*- mode: python-ts; coding: utf-8 -*-\n", "python"),
        ("# -*- coding: utf-8 -*-\n", ""),
        ("// -*- c++ -*-\n", "c++"),
        ("\n\n\n# -*- ruby -*-\n", ""),
        ("a\n" * 20 + "# vim: ft=ruby\n" + "a\n" * 20, ""),
        ("vim: ft=", ""),
        ("-*- -*-", ""),
        ("vim:" * 100_000, ""),
        ("-*-" * 100_000, ""),
    ],
)
def test_what_a_file_tells_editors(text: str, mode: str) -> None:
    assert mode_of(text.encode()) == mode


@pytest.mark.parametrize("is_last_ended", [False, True])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("modeline", "n_first", "n_last"),
    [("# vim: ft=ruby", 5, 5), ("# vim: set ft=ruby ts=2:", 5, 5), ("# -*- ruby -*-", 2, 0)],
)
def test_the_lines_that_editors_look_at(
    modeline: str, n_first: int, n_last: int, line_end: str, is_last_ended: bool
) -> None:
    """However the lines end: with and without a line break behind the last one."""
    n_lines = 20
    for number in range(n_lines):
        lines = ["x = 1"] * n_lines
        lines[number] = modeline
        text = line_end.join(lines) + line_end * is_last_ended
        is_looked_at = number < n_first or number >= n_lines - n_last
        assert mode_of(text.encode()) == "ruby" * is_looked_at, number
    assert mode_of(modeline.encode() + line_end.encode() * is_last_ended) == "ruby"


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.py", "", "python"),
        ("A.PY", "", "python"),
        ("run", "#!/usr/bin/env -S python3 -u\n", "python"),
        ("run", "   #!/bin/sh\n", "bash"),  # spaces in place of the byte order mark
        ("run", "    #!/bin/sh\n", ""),
        ("run", "# vim: ft=sh\n", "bash"),
        ("run", "just text\n", ""),
        ("run.log", "#!/bin/sh\n", ""),
        ("run", "#!/usr/bin/env escript\n", "erlang"),
        ("run", "#!/usr/bin/env -S A=1 elixir\n", "elixir"),
        ("run", "#!/usr/bin/Rscript --vanilla\n", "r"),
        ("run", "#! @SHELL@\n", "bash"),
        ("run", "#!/usr/bin/env nix-shell\n#! nix-shell -p python3 -i python3\n", "python"),
        ("run", '#!/bin/sh\n# the next line restarts it \\\nexec tclsh "$0" "$@"\n', "tcl"),
        ("run", '#!/bin/sh\n#|\nexec racket -um "$0" "$@"\n|#\n', "racket"),
        ("run", ':;exec emacs -batch -l "$0"\n', "elisp"),
        ("run", "#!/bin/sh\neval 'exec perl -x -wS $0 ${1+\"$@\"}'\n", "perl"),
        ("run", '#!/bin/sh\nexec node "$(dirname "$0")/x.js"\n', "bash"),
        ("run", '#!/bin/sh\nexec sudo "$0" "$@"\n', "bash"),
        ("run", "#!/usr/bin/env perl6\n", ""),
        ("a.pl", "#!/usr/bin/env swipl\n", ""),
        ("a.pl", "/* -*- Prolog -*- */\n", ""),
        ("a.m", "% vim: ft=mercury ts=4\n", ""),
        ("a.m", "x = 1;\n", "matlab"),
        ("a.js.flow", "", "flow"),
        ("a.js", "/**\n * Copyright\n *\n * @flow strict-local\n */\n", "flow"),
        ("a.js", "#!/usr/bin/env node\n// Copyright\n'use strict';\n// @flow\n", "flow"),
        ("a.mjs", "let a;\nexport type A = {| b: string |};\n", "flow"),
        ("a.js", "import {b} from 'b';\nimport type {A} from 'a';\n", "flow"),
        ("a.js", "function f(a: string) {}\n", "flow"),
        ("a.js", "let a;\n// @flow in a later comment\n", "javascript"),
        (
            "a.js",
            "import type from 'type';\nconst s = (a ? b: c);\nfunction f(a = {b: 1}) {}\n",
            "javascript",
        ),
        ("a.js", "/* " * 100_000, "javascript"),
        ("a.m", 'include "draw.m";\n', ""),
        ("a.cgi", "#!/usr/bin/ruby\n", "ruby"),
        ("a.t", "#!/bin/sh\n", "bash"),
        ("a.ts", "#!/usr/bin/env node\n", "typescript"),
        ("a.l", "/* -*-C-*- */\n%%\n", ""),
        ("a.inc", "native int f();\nfunction void g(int a);\n", ""),
        ("a.inc", "{ $x }\nprocedure f; assembler;\nasm\n  mov eax, 1\nend;\n", "pascal"),
        ("a.i", "%include <typemaps/x.swg>\n", ""),
        ("a.pp", "{$mode delphi}\nprocedure f(a: word); overload;\n", "pascal"),
        ("a.pp", "class a {\n}\n", "puppet"),
        ("a.v", 'Reserved Notation "x + y" (at level 3).\n', ""),
        ("a.sc", "Finalizer {\n\tvar a;\n\tis { ^a.isNil }\n}\n", ""),
        ("a.bb", "(/ 1 0)\n", "clojure"),
        ("a.bb", 'SUMMARY = "x"\n', "bitbake"),
        ("a.mysql", "A licence.\n", ""),
        ("a.mysql", "CREATE TABLE a (b int);\n", "sql"),
        ("a.c.in", "", "c"),
        ("x.cmake.in", "", "cmake"),
        ("CMakeLists.txt.in", "", "cmake"),
        ("Makefile.in", "", "make"),
        ("Makefile.am", "", "make"),
        ("make.sh.in", "", "bash"),
        ("a.h.in", "class A {\n public:\n};\n", "cpp"),
        ("x-config.in", "#! @SHELL@\n", "bash"),
        ("MANIFEST.in", "include a.py\n", ""),
        ("config.json.example", "", "json"),
        ("a.cs.pp", "", "csharp"),
        ("a.app.src", "{application, a, []}.\n", "erlang"),
        ("a.c~", "int a;\n", ""),
        ("a.c.orig", "int a;\n", ""),
        ("a.c.bak", "int a;\n", ""),
        ("a.h", "class A {\n public:\n};\n", "cpp"),
        ("a.h", "struct a { int b; };\n", "c"),
        ("a.h", "/* -*- mode: c++ -*- */\nstruct a { int b; };\n", "cpp"),
        ("a.py", "# vim: ft=ruby\n", "python"),
        ("Rakefile", "", "ruby"),
    ],
)
def test_files(path: str, text: str, language: str) -> None:
    assert detected(path, text) == language


@pytest.mark.parametrize(
    ("name", "is_taken"),
    [("a.c.in", True), ("Makefile.in", True), ("x-config.in", True), ("a.zzz.in", False), ("a.c~", False), ("a.c.bak", False),
     ("a.in.in.in.c", True), ("a.c.in.in", True), ("a.md.in", True), ("a.cs.pp", True), ("in", True), (".in", True)],
)  # fmt: skip
def test_a_walk_takes_what_may_be_in_a_language(name: str, is_taken: bool) -> None:
    assert load_languages().wanted(1_000).takes(name) is is_taken


@pytest.mark.parametrize(
    ("name", "text", "format_id"),
    [
        ("a.md", "# Title\n", "markdown"),
        ("a.md.in", "# Title\n", "markdown"),
        ("a.md", ";; Machine.\n(define_insn)\n", ""),
        ("a.asc", "= Title\n", "asciidoc"),
        ("a.asc", "-----BEGIN PGP SIGNATURE-----\n", ""),
        ("a.rst.txt", "Title\n=====\n", "restructuredtext"),
        ("rules.txt", "[Adblock Plus 2.0]\n", ""),
    ],
)
def test_formats(name: str, text: str, format_id: str) -> None:
    assert load_formats().of_file(name, text.encode()) == format_id


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "\n",
        " ",
        "\t",
        "(",
        "a ",
        "a\n",
        "a: ",
        "; ",
        "#",
        "use Test;\n",
        "'",
        "{\n",
        "%",
        "a(",
        "a = ",
        "@",
    ],
)
def test_hostile_content_takes_no_time(piece: str) -> None:
    """Each pattern for the content of files runs on 64 KB of one repeated text."""
    import time

    data = (piece * 70_000)[:70_000].encode()
    for language in load_languages().by_id.values():
        for extension in language.rules.content:
            started = time.process_time()
            load_languages().by_content(f"a{extension}", data)
            assert time.process_time() - started < 2, (language.id, extension)


def read(tmp_path: Path, attributes: str, **overrides: str) -> TreeRules:
    (tmp_path / ".gitattributes").write_text(attributes)
    return tree_rules(tmp_path, overrides, False, load_languages().id_of_name)


@pytest.mark.parametrize(
    ("attributes", "path", "language"),
    [
        ("*.inc linguist-language=PHP", "a/b.inc", "php"),
        ("*.inc text linguist-language=php eol=lf", "b.inc", "php"),
        ("lib/*.h linguist-language=C++", "lib/a.h", "cpp"),
        ("lib/*.h linguist-language=C++", "a.h", "c"),
        ("*.h linguist-language=C\nb/** linguist-language=C++", "b/a.h", "cpp"),
        ('"with blank.x" linguist-language=Ruby', "with blank.x", "ruby"),
        ("*.rb linguist-language=NoSuchLanguage", "a.rb", ""),
        ("# *.rb linguist-language=PHP", "a.rb", "ruby"),
        ("[attr]x linguist-language=PHP", "a.rb", "ruby"),
        ("*.rb linguist-language", "a.rb", "ruby"),
        ("*.rb -linguist-language", "a.rb", "ruby"),
        ("linguist-language=PHP", "a.rb", "ruby"),
        ("*[ linguist-language=PHP", "a.rb", "ruby"),
        ("*.rb linguist-language=PHP\0", "a.rb", ""),
    ],
)
def test_attributes_say_the_language(
    tmp_path: Path, attributes: str, path: str, language: str
) -> None:
    assert detected(path, "", read(tmp_path, attributes)) == language


def test_attributes_say_what_was_generated_or_copied(tmp_path: Path) -> None:
    rules = read(
        tmp_path,
        "gen/** linguist-generated\ngen/hand.py -linguist-generated\nlib/* linguist-vendored=true\n"
        "vendor/own/** linguist-vendored=false\n",
    )
    assert rules.with_flags("gen/a.py", 0) == GENERATED
    assert rules.with_flags("gen/hand.py", GENERATED) == 0
    assert rules.with_flags("lib/a.py", 1) == 1 | VENDORED
    assert rules.with_flags("vendor/own/a.py", VENDORED) == 0
    assert rules.with_flags("vendor/other/a.py", VENDORED) == VENDORED


def test_the_settings_come_after_the_attributes(tmp_path: Path) -> None:
    rules = read(tmp_path, "*.inc linguist-language=PHP", **{"old/*.inc": "ruby"})
    assert (
        rules.language_of("a.inc"),
        rules.language_of("old/a.inc"),
        rules.language_of("a.py"),
    ) == ("php", "ruby", None)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("attributes", "notice"),
    [
        ("*.a text\n" * 3_000, ""),
        ("*.a linguist-generated\n" * 1_000, ""),
        ("*.a linguist-generated\n" * 1_001, "everything beyond 1,000 lines"),
        ("*.a text\n" * 30_000 + "*.b linguist-generated\n", "everything beyond 200,000 bytes"),
        (
            "".join(f"a*x{n}*b linguist-generated\n" for n in range(900)),
            "globs: too many with wildcards inside, or too long",
        ),
    ],
    ids=["other lines", "as many", "lines", "bytes", "globs"],
)
def test_attributes_that_are_not_applied_are_reported(
    tmp_path: Path, attributes: str, notice: str
) -> None:
    assert read(tmp_path, attributes).unread.endswith(notice)
    root = write_files(tmp_path / "tree", {"a.py": "def f(): pass\n", ".gitattributes": attributes})
    with Workspace(root, tmp_path / "index") as workspace:
        notices = workspace.search("f").notices or []
        status = [
            line
            for row in workspace.status().skipped
            for line in row.paths
            if "attributes" in row.reason
        ]
    assert [notice in line for line in notices if "attributes" in line] == [True] * bool(notice)
    assert len(status) == bool(notice)


@pytest.mark.slow
def test_attributes_are_followed_when_they_change(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "tree",
        {"a.inc": "class A\nend\n", "b.odd": "def b(): pass\n", "gen/c.py": "def c(): pass\n"},
    )
    with Workspace(root, tmp_path / "index") as workspace:
        assert [item.name for item in workspace.search("").items if item.kind != "key"] == ["c"]
    write_files(
        root,
        {
            ".gitattributes": "*.inc linguist-language=Ruby\ngen/** linguist-generated\n",
            "symindex.toml": 'overrides = {"*.odd" = "py"}\n',
        },
    )
    with Workspace(root, tmp_path / "index") as workspace:
        items = workspace.search("", include=["flags"]).items
        assert {item.name: "generated" in (item.flags or []) for item in items if item.kind != "key"} == {
            "A": False, "b": False, "c": True
        }  # fmt: skip


@pytest.mark.sample(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    "attributes",
    ["*.a linguist-language=" + "x" * 100_000, "* linguist-generated\n" * 100_000, "a*b*c*d*e*" * 5_000 + " linguist-vendored",
     "".join(f"*x*{n}*y*{n} linguist-generated\n" for n in range(5_000)), '"' + "\\" * 100_000 + ' linguist-generated'],
    ids=["word", "lines", "stars", "globs", "quotes"],
)  # fmt: skip
def test_hostile_attributes_take_no_time(tmp_path: Path, attributes: str) -> None:
    import time

    started = time.process_time()
    rules = read(tmp_path, attributes)
    for n in range(2_000):
        rules.with_flags(f"some/folder/axbxcxdx{n}.py", 0)
        rules.language_of(f"some/folder/a{n}.py")
    assert time.process_time() - started < 5


def test_every_name_of_a_language_is_walked(tmp_path: Path) -> None:
    rules = [language.rules for language in load_languages().by_id.values()]
    names = {name for rule_set in rules for name in rule_set.filenames} | {
        f"a{end}" for rule_set in rules for end in rule_set.extensions
    }
    names = {name for name in names if name.lower() != SETTINGS_NAME}
    write_files(tmp_path, {f"{number}/{name}": "" for number, name in enumerate(sorted(names))})
    walked_names = {
        file.path.partition("/")[2]
        for file in walk_tree(tmp_path, load_languages().wanted(1000)).files
    }
    assert names - walked_names == set()


def test_a_request_for_a_language_includes_its_dialects(tmp_path: Path) -> None:
    files = {
        "a.js": "function typed(a: ?string) {}\n",
        "b.js": "function plain() {}\n",
        "c.ts": "function other() {}\n",
    }
    workspace = Workspace(write_files(tmp_path, files))

    def found(query: str, languages: list[str] | None = None) -> list[str]:
        return sorted(
            row.name
            for row in workspace.search(SearchRequest(query=query, languages=languages)).items  # type: ignore[arg-type]
        )

    assert found("", ["js"]) == found("lang:javascript") == ["plain", "typed"]
    assert found("", ["flow"]) == ["typed"]
    assert found("NOT lang:javascript") == ["other"]
    assert [
        file.file_path
        for file in workspace.grep(GrepRequest(pattern="function", languages=["javascript"])).files
    ] == [
        "a.js",
        "b.js",
    ]
    assert load_languages().choose(["javascript"]).chosen == {"flow", "javascript"}
