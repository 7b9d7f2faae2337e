"""In which language a file is: by its name, its first line, what it tells editors, its content, and what the tree says."""

from pathlib import Path

import pytest

from symindex.extract.languages.modelines import mode_of
from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.tree_rules import TreeRules, tree_rules
from symindex.files.locations import SETTINGS_NAME
from symindex.files.walk import walk_tree
from symindex.protocol.kinds import SymbolFlag
from symindex.workspace import Workspace
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


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.py", "", "python"),
        ("A.PY", "", "python"),
        ("run", "#!/usr/bin/env -S python3 -u\n", "python"),
        ("run", "# vim: ft=sh\n", "bash"),
        ("run", "just text\n", ""),
        ("run.log", "#!/bin/sh\n", ""),
        ("a.h", "class A {\n public:\n};\n", "cpp"),
        ("a.h", "struct a { int b; };\n", "c"),
        ("a.h", "/* -*- mode: c++ -*- */\nstruct a { int b; };\n", "cpp"),
        ("a.py", "# vim: ft=ruby\n", "python"),
        ("Rakefile", "", "ruby"),
    ],
)
def test_files(path: str, text: str, language: str) -> None:
    assert detected(path, text) == language


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
def test_attributes_say_the_language(tmp_path: Path, attributes: str, path: str, language: str) -> None:
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
    assert (rules.language_of("a.inc"), rules.language_of("old/a.inc"), rules.language_of("a.py")) == ("php", "ruby", None)


@pytest.mark.slow
def test_attributes_are_followed_when_they_change(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.inc": "class A\nend\n", "b.odd": "def b(): pass\n", "gen/c.py": "def c(): pass\n"})
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
        found = workspace.search("", include=["flags"]).items
        assert {item.name: "generated" in (item.flags or []) for item in found if item.kind != "key"} == {
            "A": False, "b": False, "c": True
        }  # fmt: skip


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
    names = {name for each in rules for name in each.filenames} | {f"a{end}" for each in rules for end in each.extensions}
    names = {name for name in names if name.lower() != SETTINGS_NAME}
    write_files(tmp_path, {f"{number}/{name}": "" for number, name in enumerate(sorted(names))})
    found = {file.path.partition("/")[2] for file in walk_tree(tmp_path, load_languages().wanted(1000)).files}
    assert names - found == set()
