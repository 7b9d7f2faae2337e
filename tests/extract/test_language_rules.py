"""Languages made for tests: the words that find one, the files they claim, the rules of a tree, and
rules applied to names, heads and sources."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import GrammarError, RequestError
from symindex.extract.blocks import blocks_of
from symindex.extract.documents.formats import _compile, load_formats
from symindex.extract.documents.leading_docs import _rules_of as _head_rules_of
from symindex.extract.items.item_type import _compile_folder
from symindex.extract.items.types import shipped_item_types
from symindex.extract.languages import language as language_module
from symindex.extract.languages.file_hints import interpreters_of, mode_of
from symindex.extract.languages.language import (
    Language,
    _upper_case_letters,
    compile_bytes,
    compile_pattern,
    find_languages,
    grammar_folders,
    in_folder,
    read_language,
    read_rules,
)
from symindex.extract.languages.registry import (
    Languages,
    load_languages,
    pack_languages,
    unpack_languages,
)
from symindex.extract.languages.rules import (
    CompiledRules,
    RulePattern,
    parser_text,
    rules_of,
    substitute,
    substitute_in,
)
from symindex.extract.languages.schema import (
    BodyRules,
    DocRules,
    LanguageFile,
    MarkRules,
    VisibilityRules,
    line_of,
)
from symindex.extract.languages.tree_rules import TreeRules, tree_rules
from symindex.extract.parse.author_tools import _words_of
from symindex.extract.parse.repair.cut_off import endings_of
from symindex.extract.parse.repair.islands import islands_of
from symindex.extract.parse.repair.open_text import open_texts_of
from symindex.extract.parse.skipping.bodies import bodies_of
from symindex.extract.parse.skipping.byte_patterns import signs_of
from symindex.extract.parse.skipping.regex_literals import _parsed
from symindex.extract.path_flags import _tests_of
from symindex.extract.reading_rules import _chardet, _tables
from symindex.extract.symbols import extract_symbols
from symindex.extract.texts.comment_text import comment_text_of
from symindex.protocol.kinds import SymbolFlag
from tests.support.files import write_files

FUNCTION = "(a) @definition.function\n"
KEY = "(a) @definition.key\n"


def language(id: str, query: str = FUNCTION, **rules: Any) -> Language:
    return Language(
        id, LanguageFile(name=rules.pop("name", id.title()), grammar="c", **rules), query
    )


ONE = language(
    "one", name="First One", extensions=[".o", ".x"], aliases=["uno"], editor_ids=["one-ed"],
    interpreters=["Oney"], content={".x": "^ONE"}, filenames=["Onefile"],
)  # fmt: skip
TWO = language("two", extensions=[".t", ".x"], queries=["one"], aliases=["one"], dialect_of="one")
DATA = language("zdata", KEY, extensions=[".d", ".o"], relatives=["two"])
ALL = Languages([TWO, DATA, ONE])


def ids(languages: list[Language]) -> list[str]:
    return [language.id for language in languages]


@pytest.mark.parametrize(
    ("word", "named", "meant"),
    [
        ("one", "one", "one"),
        (" ONE ", "one", "one"),
        ("First One", "one", "one"),
        ("uno", "one", "one"),
        ("one-ed", "one", "one"),
        ("ONEY", "one", "one"),
        (".t", "two", "two"),
        ("t", "two", "two"),
        ("x", "two", "two"),
        (".x", "two", "two"),
        ("o", "zdata", "zdata"),
        ("markdown", None, "markdown"),
        ("MD", None, "markdown"),
        (".yml", None, "yaml"),
        ("Plain Text", None, "text"),
        ("nothing", None, None),
        ("", None, None),
    ],
)
def test_words_for_languages(word: str, named: str | None, meant: str | None) -> None:
    assert ALL.id_of_name(word) == named
    if meant is not None:
        assert ALL.id_of(word) == meant
    else:
        with pytest.raises(RequestError, match="unknown language"):
            ALL.id_of(word)


def test_an_unknown_language_has_similar_words() -> None:
    message = str(ALL.unknown(" ONN"))
    assert message.startswith("unknown language ' ONN': `symindex languages` lists the ")
    assert message.endswith(" that there are; similar: one, json")
    assert str(ALL.unknown("qqq")).endswith(" that there are")
    assert str(ALL.unknown("zdaqqqq")).endswith("; similar: zdata")  # half of the letters
    assert str(ALL.unknown("zdaqqqqq")).endswith("are")
    assert str(ALL.unknown("z" * 60)).endswith("are")


@pytest.mark.parametrize(
    ("path", "text", "language_id"),
    [
        ("a.t", b"", "two"),
        ("a.T", b"", "two"),
        ("a.x", b"ONE", "one"),
        ("a.x", b"\nONE", "one"),
        ("a.x", b"two", "two"),
        ("a.x", b"\n" * 65_533 + b"ONE", "one"),
        ("a.x", b"\n" * 65_534 + b"ONE", "two"),
        ("a.x", b"# vim: ft=one\n", "one"),
        ("a.x", b"#!/bin/oney\n", "two"),
        ("a.o", b"", "one"),
        ("Onefile", b"", "one"),
        ("onefile", b"", None),
        ("run", b"#!/bin/oney3.1\n", "one"),
        ("run", b"# vim: ft=two\n", "two"),
        ("run.z", b"#!/bin/oney\n", None),
        (".run", b"#!/bin/oney\n", "one"),
        ("run.in", b"#!/bin/oney\n", "one"),
        ("a.t.in", b"", "two"),
        ("a.z", b"", None),
    ],
)
def test_the_language_of_a_file(path: str, text: bytes, language_id: str | None) -> None:
    language = ALL.by_content(f"dir/{path}", text)
    assert (language.id if language is not None else None) == language_id


def test_the_languages_of_a_name() -> None:
    assert ids(ALL.by_name("a.x")) == ["one", "two"] and ids(ALL.by_name("a/b.d")) == ["zdata"]
    assert ids(ALL.by_name("a.o")) == ["one", "zdata"] and ALL.by_name("a") == []
    assert ALL.may_be("a.x", {"two"}) and not ALL.may_be("a.t", {"one"})
    assert ALL.may_be("a", {"one"}) and ALL.may_be("a.x", {"zdata"})
    assert ALL.may_be("a.o", {"two"}) is True  # the first line of a script may decide
    assert not ALL.may_be("a.d", {"two"})


def test_languages_are_related_by_their_queries() -> None:
    assert ALL.relatives_of("one") == {"one", "two"}
    assert ALL.relatives_of("two") == {"one", "two", "zdata"}
    assert ALL.relatives_of("zdata") == {"two", "zdata"}
    assert ALL.relatives_of("none") == {"none"}
    assert ALL.ids_of("one") == {"one", "two"} and ALL.ids_of("two") == {"two"}


def test_code_is_neither_data_nor_documents() -> None:
    assert ALL.code("one") is ONE and ALL.code("zdata") is None and ALL.code("none") is None
    shipped = load_languages()
    assert shipped.code("python") is not None and shipped.code("json") is None
    assert shipped.code("markdown") is None
    for query, is_data in (
        (KEY, True), (FUNCTION, False), (KEY + FUNCTION, False), ("; @definition.key\n", False),
        (KEY + '(#set! language "c")', False), (KEY + "(b) @language", False),
    ):  # fmt: skip
        assert language("q", query).is_data is is_data
    assert language("q", "@language").embeds and language("q", "#set! language").embeds
    assert not language("q", "language").embeds


def test_chosen_languages_are_read_and_the_others_known() -> None:
    chosen = ALL.choose(["two"])
    assert chosen.chosen == {"two"} and ALL.chosen == frozenset()
    assert chosen.is_chosen(TWO) and not chosen.is_chosen(ONE) and ALL.is_chosen(ONE)
    assert chosen.extensions == {".t", ".x"} and ALL.extensions == {".o", ".x", ".t", ".d"}
    assert ALL.takes_format("markdown") and not chosen.takes_format("markdown")
    assert ALL.choose(["markdown"]).takes_format("markdown")
    assert ALL.choose(["one"]).chosen == {"one", "two"}
    wanted = chosen.wanted(1_000)
    for name, is_taken in (("a.t", True), ("a.x", True), ("a.o", False)):
        assert wanted.takes(name) is is_taken
    rules = TreeRules(overrides=(("*.odd", "two"), ("*.other", "one")))
    assert ALL.choose(["two"], rules).wanted(1).takes_path("a.odd")
    assert not ALL.choose(["two"], rules).wanted(1).takes_path("a.other")
    assert ALL.choose([]).tree is ALL.tree and ALL.choose([], rules).tree is rules


def test_packed_languages_are_the_same() -> None:
    rules = TreeRules(overrides=(("*.odd", "two"),))
    copy = unpack_languages(pack_languages(ALL.choose([], rules)), ["one"])
    assert [*copy.by_id] == ["one", "two", "zdata"] and copy.chosen == {"one"}
    assert copy.tree == rules and copy.digest == ALL.digest and len(copy.digest) == 16
    assert copy.reading_digest != ALL.reading_digest
    assert copy.choose([], ALL.tree).reading_digest == ALL.reading_digest
    assert Languages([ONE, TWO]).digest != ALL.digest
    assert language("one").digest != language("one", KEY).digest
    assert language("one").digest != language("one", extensions=[".q"]).digest
    assert len(ONE.digest) == 16 and ONE.digest is ONE.digest
    assert ALL.packed_item_types == copy.packed_item_types
    copy.keep_item_types(b"kept")
    assert copy.packed_item_types == b"kept"
    copy.item_types = ALL.item_types
    assert copy.packed_item_types == ALL.packed_item_types


# The rules of a tree.


def test_the_last_rule_of_a_tree_decides() -> None:
    rules = TreeRules(
        overrides=(("*.o", "two"), ("sub/**", "one"), ("none.*", "")),
        flags=(("g/**", 4, True), ("g/x", 4, False)),
        minified=("dist/*.js",),
    )
    assert [rules.language_of(path) for path in ("a.o", "sub/a.o", "a.z", "none.x")] == [
        "two", "one", None, "",
    ]  # fmt: skip
    assert TreeRules().language_of("a.o") is None
    assert rules.takes_minified("dist/a.js") and not rules.takes_minified("a.js")
    assert not TreeRules().takes_minified("dist/a.js")
    tree = ALL.choose([], rules)
    languages = [tree.by_content(path, b"") for path in ("a.o", "sub/q", "none.t", "a.t")]
    assert [language and language.id for language in languages] == ["two", "one", None, "two"]
    assert [ids(tree.by_name(path)) for path in ("a.o", "none.t")] == [["two"], []]


GENERATED, VENDORED = SymbolFlag.GENERATED.value, SymbolFlag.VENDORED.value


@pytest.mark.parametrize(
    ("line", "overrides", "flags"),
    [
        ("*.a linguist-language=one", (("*.a", "one"),), ()),
        ("*.a linguist-language=First-One", (("*.a", "one"),), ()),
        ("*.a linguist-language=Klingon", (("*.a", ""),), ()),
        ("*.a linguist-language", (), ()),
        ('"a b.x" linguist-vendored', (), (("a b.x", VENDORED, True),)),
        ('"a\\"b" linguist-vendored', (), (('a"b', VENDORED, True),)),
        ("*.a linguist-generated linguist-vendored=false", (), (("*.a", GENERATED, True), ("*.a", VENDORED, False))),
        ("*.a -linguist-generated", (), (("*.a", GENERATED, False),)),
        ("*.a !linguist-generated", (), (("*.a", GENERATED, False),)),
        ("*.a linguist-generated=FALSE", (), (("*.a", GENERATED, False),)),
        ("*.a linguist-generated=true", (), (("*.a", GENERATED, True),)),
        ("# linguist-generated x", (), ()),
        ("[attr]x linguist-generated", (), ()),
        ("  *.a text linguist-detectable", (), ()),
    ],
)  # fmt: skip
def test_lines_of_attributes(
    line: str, overrides: tuple[Any, ...], flags: tuple[Any, ...], tmp_path: Path
) -> None:
    write_files(tmp_path, {".gitattributes": f"* text\n{line}\n"})
    rules = tree_rules(tmp_path, {"*.mine": "two"}, True, ALL.id_of_name, ["m"])
    assert rules == TreeRules((*overrides, ("*.mine", "two")), flags, True, "", ("m",))


def test_flags_of_a_tree_are_set_and_cleared() -> None:
    rules = TreeRules(
        flags=(("a*", GENERATED, True), ("ab", GENERATED, False), ("a*", VENDORED, True))
    )
    both = GENERATED | VENDORED
    for path, before, after in (
        ("ac", 0, both), ("ab", both, VENDORED), ("ab", GENERATED | 1, VENDORED | 1), ("b", 5, 5),
    ):  # fmt: skip
        assert rules.with_flags(path, before) == after


@pytest.mark.parametrize(
    ("n_lines", "unread"), [(1_000, ""), (1_001, "everything beyond 1,000 lines")]
)
def test_attributes_of_a_tree_are_bounded(n_lines: int, unread: str, tmp_path: Path) -> None:
    write_files(tmp_path, {".gitattributes": "*.a linguist-vendored\nx text\n" * n_lines})
    rules = tree_rules(tmp_path, {}, False, ALL.id_of_name)
    assert (len(rules.flags), rules.unread) == (1_000, unread)
    many = {f"*a{number}*b*": "one" for number in range(251)}
    assert tree_rules(tmp_path / "none", many, False, ALL.id_of_name).unread == (
        "1 glob: too many with wildcards inside, or too long"
    )
    line = "*.a linguist-vendored\n"
    for size, n_flags in ((200_000, 2), (200_001, 1)):
        text = line + "#" * (size - 2 * len(line) - 1) + "\n" + line
        write_files(tmp_path, {".gitattributes": text})
        assert len(tree_rules(tmp_path, {}, False, ALL.id_of_name).flags) == n_flags


def test_rules_do_not_change() -> None:
    """They are shared by all files and threads."""
    for id in ("c", "python", "sql"):  # languages with tables of every kind
        assert extract_symbols(load_languages().by_id[id], b"x = 1;\n") is not None
    assert [*_words_of(ONE.rules.roles)] == []
    assert rules_of(ONE) is rules_of(ONE)
    for struct, name in (
        (TreeRules(), "flags"), (ONE, "id"), (ONE.rules, "name"), (DocRules(), "line"),
        (VisibilityRules(), "default"), (MarkRules(), "head"), (BodyRules(), "signs"),
        *((getattr(ONE.rules, table), getattr(ONE.rules, table).__struct_fields__[0])
          for table in ("suites", "blocks", "branches", "statements", "roles")),
    ):  # fmt: skip
        with pytest.raises(AttributeError):
            setattr(struct, name, None)
    for table in ("doc", "visibility", "test", "bodies", "suites", "blocks", "branches", "statements", "roles"):  # fmt: skip
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"name": "x", "grammar": "c", table: {"colour": 1}}, LanguageFile)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"name": "x", "grammar": "c", "colour": 1}, LanguageFile)
    assert len({ONE, TWO, language("one")}) == 3  # a language is equal to itself alone


def test_what_a_language_leaves_out_is_off(tmp_path: Path) -> None:
    write_files(tmp_path, {"language.toml": 'name = "x"\ngrammar = "c"\n'})
    rules = read_rules(tmp_path)
    assert rules == LanguageFile(name="x", grammar="c")
    values = msgspec.to_builtins(rules)
    left = {key: value for key, value in values.items() if value and not isinstance(value, dict)}
    assert left == {"name": "x", "grammar": "c"}
    flags = {
        f"{table}.{key}": value
        for table, inner in values.items()
        if isinstance(inner, dict)
        for key, value in inner.items()
        if value and isinstance(value, bool)
    }
    assert flags == {"blocks.indents": True}


# Hints in files.


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"#!/bin/sh -e", ["sh"]),
        (b"#!/usr/bin/env -S A=1 -u python3 x", ["python3"]),
        (b"#!env", []),
        (b"#! /opt/@PERL@\n", ["perl"]),
        (b'#!"/a b/c"\n', ["a"]),
        (b"#!", []),
        (b"# !/bin/sh", []),
        (b"#!" + b" " * 190 + b"/bin/x", ["x"]),
        (b"#!" + b" " * 198 + b"x", []),
        (b"#!" + b" " * 197 + b"xy", ["x"]),
        (b'#!/bin/sh\nexec tclsh "$0"\n', ["tclsh", "sh"]),
        (b"#!/bin/sh\n\n\n\n\nexec x $0\n", ["x", "sh"]),
        (b"#!/bin/sh\n\n\n\n\n\nexec x $0\n", ["sh"]),
        (b"exec ruby ${0}\n", ["ruby"]),
        (b':;exec a/b-1 "$0";\n', ["b-1"]),
        (b"exec ruby x\n", []),
        (b"echo exec ruby $0\n", []),
        (b"#!nix-shell -p x -i Bash\n", ["bash", "nix-shell"]),
        (b"   #!/bin/sh\n", ["sh"]),
        (b"#!/bin/sh\nexec env ${A:-x} $0\n", ["x", "sh"]),
        (b"#!/bin/sh" + b"\n#" * 2 + b" " * 980 + b"\nexec x $0\n", ["sh"]),
        (b"", []),
    ],
)
def test_the_programs_of_a_script(data: bytes, words: list[str]) -> None:
    assert interpreters_of(data) == words


@pytest.mark.parametrize(
    ("data", "mode"),
    [
        (b"x" * 1_000 + b"\n" + b"# vim: ft=a\n" + b"y\n" * 300, ""),
        (b"# vim: ft=a" + b"\n" * 600, "a"),
        (b"\n" * 600 + b"# vim: ft=a", "a"),
        (b"\n" * 600 + b"# vim: ft=a " + b"x" * 488, "a"),
        (b"\n" * 600 + b"# vim: ft=a " + b"x" * 500, ""),
        (b"# -*- Emacs-Lisp-mode -*-", "emacs-lisp"),
        (b"# -*- mode: c++-ts; x: y -*-", "c++"),
        (b"# -*-" + b"x" * 199 + b" mode: a -*-", "a"),
        (b"# -*-" + b"x" * 200 + b" mode: a -*-", ""),
        (b"# vim: filetype=" + b"a" * 30 + b"\n", "a" * 30),
        (b"# vim: filetype=" + b"a" * 31 + b"\n", "a" * 30),
        (b"# ex: syntax=X\n", "x"),
        (b"# vim: tw=3 ft= x\n", ""),
        (b"novim: ft=x\n", ""),
    ],
)
def test_modes_for_editors(data: bytes, mode: str) -> None:
    assert mode_of(data) == mode


# Folders of languages.


def test_folders_of_languages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(
        tmp_path, {"a/one/x": "", "a/.hid/x": "", "a/_own/x": "", "a/file": "", "b/one/x": "", "c/language.toml": ""},
    )  # fmt: skip
    assert find_languages([tmp_path / "a", tmp_path / "b"]) == {"one": tmp_path / "b/one"}
    assert find_languages([tmp_path / "b", tmp_path / "a"]) == {"one": tmp_path / "a/one"}
    assert find_languages([tmp_path / "c"]) == {"c": tmp_path / "c"}
    with pytest.raises(GrammarError, match="name a language folder, or a folder of language"):
        find_languages([tmp_path / "none"])
    monkeypatch.setenv("SYMINDEX_GRAMMARS", f"{tmp_path}/a::{tmp_path}/b")
    assert grammar_folders()[1:] == [tmp_path / "a", tmp_path / "b"]
    assert grammar_folders()[0].name == "grammars" and (grammar_folders()[0] / "python").is_dir()
    monkeypatch.setenv("SYMINDEX_GRAMMARS", "r" * 300)
    with pytest.raises(RequestError) as caught:
        grammar_folders()
    assert str(caught.value) == (
        f"SYMINDEX_GRAMMARS contains '{'r' * 200}': paths must be absolute"
    )


def test_a_language_builds_on_others(tmp_path: Path) -> None:
    base = 'name = "Base"\ngrammar = "c"\nrepair = [["a", "b"]]\nmend = [["x", "y"]]\n'
    own = 'name = "Own"\ngrammar = "c"\nqueries = ["base"]\nrepairs_of = ["base"]\nrepair = [["a", "b"], ["c", "d"]]\n'
    write_files(
        tmp_path,
        {
            "base/language.toml": base + '[branches]\nopen = "#if"\n', "base/symbols.scm": "(x) @doc\r\n",
            "own/language.toml": own, "own/symbols.scm": "(y) @doc\n",
        },
    )  # fmt: skip
    siblings = find_languages([tmp_path])
    read = read_language(siblings["own"], siblings)
    assert read.id == "own" and read.rules.repair == [["a", "b"], ["c", "d"]]
    assert read.rules.mend == [["x", "y"]] and read.rules.branches.open == "#if"
    assert read.query == "; symbols.scm of base\n(x) @doc\n\n; symbols.scm of own\n(y) @doc\n"
    write_files(tmp_path, {"own/language.toml": own + '[branches]\nopen = "#own"\n'})
    assert read_language(siblings["own"], siblings).rules.branches.open == "#own"
    alone = read_language(siblings["base"], {})
    assert alone.query == "; symbols.scm of base\n(x) @doc\n"
    for key, message in (("queries", "language.toml:3: queries"), ("repairs_of", "repairs_of")):
        write_files(
            tmp_path, {"own/language.toml": own.replace(f'{key} = ["base"]', f'{key} = ["bas"]')}
        )
        with pytest.raises(GrammarError) as caught:
            read_language(siblings["own"], siblings)
        assert message in str(caught.value) and "unknown language 'bas'; similar: base" in str(
            caught.value
        )


@pytest.mark.parametrize(("size", "is_read"), [(200_000, True), (200_001, False)])
def test_a_file_of_a_language_has_a_limit(size: int, is_read: bool, tmp_path: Path) -> None:
    write_files(tmp_path, {"language.toml": 'name = "X"\ngrammar = "c"\n'.ljust(size, "#")})
    if is_read:
        assert read_rules(tmp_path).name == "X"
    else:
        with pytest.raises(GrammarError, match="larger than 200,000 bytes; a language folder"):
            read_rules(tmp_path)
    assert language_module.MOST_FILE_BYTES == 200_000


def test_an_error_is_told_at_its_folder(tmp_path: Path) -> None:
    write_files(tmp_path, {"language.toml": 'name = "X"\n\nidentifiers = [\n"a",\n"b"]\n'})
    folders = {"x": tmp_path}
    for error, message in (
        (GrammarError("grammars/x/symbols.scm:3: odd"), f"{tmp_path}/symbols.scm:3: odd"),
        (GrammarError("grammars/x/language.toml: odd", "identifiers", "b"), f"{tmp_path}/language.toml:5: odd"),
        (GrammarError("grammars/x/language.toml: odd", "none"), f"{tmp_path}/language.toml: odd"),
        (GrammarError("grammars/y/symbols.scm: odd"), "grammars/y/symbols.scm: odd"),
        (GrammarError("other: odd"), "other: odd"),
    ):  # fmt: skip
        assert str(in_folder(error, folders)) == message
    lost = in_folder(GrammarError("grammars/x/language.toml: odd", "a"), {"x": tmp_path / "none"})
    assert str(lost) == f"{tmp_path}/none/language.toml: odd"


def test_the_shipped_languages_are_in_the_package_or_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = "site/symindex/extract/languages/language.py"
    write_files(tmp_path, {place: "", "site/grammars/a/x": "", "grammars/a/x": ""})
    monkeypatch.setattr(language_module, "__file__", str(tmp_path / place))
    assert grammar_folders() == [tmp_path / "site/grammars"]
    write_files(tmp_path, {"site/symindex/grammars/a/x": ""})
    assert grammar_folders() == [tmp_path / "site/symindex/grammars"]


def test_what_is_made_of_rules_is_made_once() -> None:
    """Making it takes longer than most uses of it."""
    language = load_languages().by_id["c"]
    cached: list[tuple[Any, Any]] = [
        (compile_pattern, r"\p{Lu}a"), (compile_bytes, "a"), (rules_of, language), (comment_text_of, language),
        (_tests_of, language), (_head_rules_of, language), (blocks_of, language), (endings_of, language),
        (open_texts_of, language), (signs_of, language), (bodies_of, language), (_compile_folder, "a*b"), (_compile, "a"),
        (islands_of, load_languages().by_id["astro"]), (_parsed, compile_pattern("a")),
    ]  # fmt: skip
    for make, argument in cached:
        assert make(argument) is make(argument) is not None, make
    assert _chardet() is _chardet() and _tables() is _tables()
    assert _upper_case_letters() is _upper_case_letters()
    assert load_languages() is load_languages() and load_formats() is load_formats()
    assert shipped_item_types() is shipped_item_types()


TOML = """name = "X"
a = [
  "w",
  "v",
]  # w
[ t . u ]
a = "w.x"
b.c = 1
[[r]]
d = "a"
"""


@pytest.mark.parametrize(
    ("key", "word", "line"),
    [
        ("name", "", 1), ("a", "", 2), ("a", "v", 4), ("a", "w", 3), ("a", "z", 2), ("t.u.a", "", 7),
        ("t.u.a", "w", 7), ("t.u.b.c", "", 8), ("t.u", "", 6), ("r.d", "", 10), ("r", "a", 10), ("none", "", 0),
        ("t", "u", 6), ("d", "", 0),
    ],
)  # fmt: skip
def test_the_line_of_a_key(key: str, word: str, line: int) -> None:
    assert line_of(TOML, key, word) == line


# Rules applied to texts.


@pytest.mark.parametrize(
    ("pattern", "text", "is_found"),
    [
        ("", "", False),
        ("", "x", False),
        ("abc", "xabcx", True),
        ("^a", "b\na", True),
        (r"\p{Lu}b", "Éb", True),
        (r"\p{Lu}b", "éb", False),
        ("a b|c", "c", True),
    ],
)
def test_patterns_are_found_in_texts(pattern: str, text: str, is_found: bool) -> None:
    rule = RulePattern(pattern)
    assert rule.is_in(text) is is_found
    assert rule.replace("-", text) == (
        compile_pattern(pattern).sub("-", text) if is_found else text
    )
    assert rule.can_be_in(text) or not is_found


def test_words_of_a_pattern_rule_out_files() -> None:
    rule = RulePattern("a long  word|other")
    assert rule.can_be_in_file("xlongx") and rule.can_be_in_file("other")
    assert not rule.can_be_in_file("a word")
    assert RulePattern(" |x").can_be_in_file("") and not RulePattern("").can_be_in_file("x")
    assert compile_bytes("^é") is compile_bytes("^é") and compile_bytes("^é").search(
        "a\né".encode()
    )


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["ab", "a+", "(a)b", "b", "a|bb", "x"]),
        st.sampled_from(["", "z", r"\1", "zzzz", r"<\g<0>>"]),
        st.sampled_from([" ", "-"]),
        st.sampled_from(["", r"\([^)]*\)"]),
    ),
    max_size=3,
)


def slowly_substituted(rows: list[tuple[str, str, str, str]], text: str) -> str:
    """Makes each replacement by the rules: cut or padded to the length of its match."""

    def fitted(match: re.Match[str], template: str, padding: str) -> str:
        return match.expand(template).ljust(len(match[0]), padding)[: len(match[0])]

    for pattern, template, padding, place in rows:

        def inner(part: str, row: tuple[str, str, str] = (pattern, template, padding)) -> str:
            return re.sub(row[0], lambda match: fitted(match, row[1], row[2]), part, flags=re.M)

        text = re.sub(place, lambda match: inner(match[0]), text) if place else inner(text)
    return text


@pytest.mark.nightly
@given(ROWS, st.text("abx()\n ", max_size=20))
def test_substitutions_are_those_of_a_slow_editor(
    rows: list[tuple[str, str, str, str]], text: str
) -> None:
    rows = [row for row in rows if r"\1" not in row[1] or "(" in row[0]]
    own = Language("s", LanguageFile(name="S", grammar="c", mend=[[*row] for row in rows]), "")
    data = text.encode()
    expected = slowly_substituted(rows, text).encode()
    output = substitute(CompiledRules(own).substitutions, data)
    assert output == expected and (output is data) == (expected == data)


@pytest.mark.nightly
@given(
    st.text("ab\n", max_size=24),
    st.lists(st.tuples(st.integers(0, 24), st.integers(0, 6)), max_size=3),
)
def test_substitutions_in_lines_touch_no_others(text: str, places: list[tuple[int, int]]) -> None:
    own = Language("s", LanguageFile(name="S", grammar="c", mend=[["a", "x"]]), "")
    data = text.encode()
    stretches = sorted(
        (min(start, len(data)), min(start + size, len(data))) for start, size in places
    )
    touched: set[int] = set()
    for start, end in stretches:
        first = data.rfind(b"\n", 0, start)
        last = data.find(b"\n", end)
        touched.update(range(max(first, 0), last if last >= 0 else len(data)))
    expected = bytes(
        ord("x") if byte == ord("a") and place in touched else byte
        for place, byte in enumerate(data)
    )
    assert substitute_in(CompiledRules(own).substitutions, data, stretches) == expected


def test_a_parser_sees_a_text_by_the_rules() -> None:
    plain = language("plain")
    assert parser_text(plain, "a\r\né".encode()) == "a\r\né".encode()
    assert parser_text(language("feeds", line_feeds=True), b"a\r\nb") == b"a \nb"
    assert parser_text(language("ascii", ascii_letters=True), "é".encode()) == b"zz"
    assert rules_of(plain) is rules_of(plain)


MARKED = language(
    "marked", blank_names="^_$", constants="^[A-Z]+$",
    visibility=VisibilityRules(
        exported_words=["pub", "@a.b"], private_words=["priv"], private_words_outside=["file"],
        neither_words=["mid"], exported_names="^[A-Z]", private_names="^_",
    ),
    test=MarkRules(head="@Test", names="^test_"), deprecated=MarkRules(head="@Old", names="old$"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("_", (True, False, "private", 0)),
        ("AB", (False, True, "exported", 0)),
        ("_A", (False, False, "private", 0)),
        ("a", (False, False, "", 0)),
        ("test_old", (False, False, "", SymbolFlag.TEST | SymbolFlag.DEPRECATED)),
        ("test_x", (False, False, "", SymbolFlag.TEST)),
    ],
)
def test_what_a_name_says(name: str, facts: tuple[Any, ...]) -> None:
    assert CompiledRules(MARKED).of_name(name) == facts


@pytest.mark.parametrize(
    ("head", "outside", "visibility", "flags"),
    [
        ("", False, None, 0),
        ("static priv pub", False, "private", 0),
        ("pub priv", False, "exported", 0),
        ("file", False, None, 0),
        ("file", True, "private", 0),
        ("mid priv", False, "", 0),
        ('"priv" pub', False, "exported", 0),
        ("@a.b", False, "exported", 0),
        ("@Test @Old x", False, None, SymbolFlag.TEST | SymbolFlag.DEPRECATED),
        ("x " * 100 + "priv", False, "private", 0),
        ("x" * 196 + " pub", True, "exported", 0),
    ],
)
def test_what_the_words_before_a_name_say(
    head: str, outside: bool, visibility: str | None, flags: int
) -> None:
    assert CompiledRules(MARKED).of_head(head, outside) == (visibility, flags)


def test_names_are_trimmed_by_the_rules() -> None:
    rules = CompiledRules(language("q", name_trim="'\"", name_prefix="<", name_until=">"))
    assert rules.quoted_part is not None
    parts = [
        match["quoted"] or match["enclosed"]
        for match in rules.quoted_part.finditer("'a'.<b>.\"c\"")
    ]
    assert parts == ["a", "b", "c"] and rules.quoted_part.search("x'a'") is None
    assert CompiledRules(language("q")).quoted_part is None
    assert not rules.trims_plain_names
    assert CompiledRules(language("q", name_until="x")).trims_plain_names
    own = CompiledRules(language("q", constructors=["=", "new"]))
    assert own.constructors == {"new"} and own.type_names_construct
    near = CompiledRules(language("q", repair=[["a", "b"]], repair_near=[["c", "d"], ["e", "f", " ", "g"], ["h", "i", "-"]]))  # fmt: skip
    assert [len(part) for part in (near.repairs, near.near_repairs, near.placed_repairs)] == [
        1,
        2,
        1,
    ]
