"""Finds a name as an identifier in code of each language, also where the parser does not see it."""

import textwrap
from collections.abc import Iterable
from pathlib import Path

import pytest

from symindex.errors import GrammarError
from symindex.extract.languages.language import Language, read_language
from symindex.extract.languages.registry import load_languages
from symindex.extract.parse import mentions
from symindex.extract.parse.query import compile_query
from symindex.extract.parse.skipping import hidden_bodies
from symindex.text.patterns.whole_words import find_words, forms_of
from tests.support.files import write_files


def find_mentions(language: Language, data: bytes, forms: Iterable[bytes]) -> list[int]:
    """Returns the offsets of the mentions."""
    return [mention.start_byte for mention in mentions.find_mentions(language, data, forms)]


SOURCES = {
    "bash": """
        # target
        «target»() { echo "$«target» ${«target»} target" 'target'; }
        «target»=1; x=${«target»[0]}; «target» --target; trap «target» EXIT; unset «target»; $((«target» + 1))
        cat <<EOF
        a target $«target»
        EOF
    """,
    "c": """
        // target
        /* target */
        #define «target»(x) do { x = "target"; } while (0)
        #define other(x) «target»(x, "target", 'a') /* target */ + _target + «target» // target
        #ifdef «target»
        #endif
        struct «target» { int «target»; } *«target»(struct «target» *«target»)
        { goto «target»; «target»: return «target»->«target»; }
        char *s = "target \\" target";
    """,
    "cpp": """
        // target
        namespace a::«target» { class «target» { ~«target»(); «target» operator+(const «target»& «target»); }; }
        auto s = R"(target)" + std::string("target") + «target»::x<«target»>(a.«target», a->template «target»<int>());
        #define other «target» + "target"
    """,
    "csharp": """
        // target
        /// <see cref="target"/>
        using «target» = A.«target»;
        [«target»] class «target»<T> where T: «target» {
        string @«target» => $"{«target»} target {x:target}" + "target" + @"target"; }
    """,
    "go": """
        package «target»
        import "target"
        // target
        type «target» struct { «target» «target» `target` }
        func («target» *«target») «target»() {
        «target»: for { break «target» }; «target».«target»(«target».X{«target»: "target"}) }
    """,
    "java": """
        package a.«target»;
        /** {@link target} */
        @«target»(«target» = "target") class «target»<«target»> extends a.«target» {
        «target» «target»() { return this.«target»::«target»; } }
    """,
    "javascript": """
        // target
        import { «target» as x, «target» } from "target";
        const { «target», y: «target» } = { «target», «target»: 'target', "target": `a ${«target»} target` };
        class «target» { «target»() { return this.«target» + this.#target + /target/; } get «target»() {} }
        const e = <«target».x «target»={«target»}>target</«target».x>;
    """,
    "kotlin": """
        // target
        package a.«target»
        class «target»(val «target»: «target») {
        fun `«target»`() = "$«target» ${«target»} target" + \"\"\"target\"\"\" + `«target»`() }
    """,
    "php": """
        <?php
        namespace A\\«target»;
        use B\\«target» as other;
        # target
        class «target» { public $«target» = 'target';
        function «target»() { return "$«target» {$this->«target»} target" . $x['target']; } }
        ?>
        target
    """,
    "python": """
        # target
        import a.«target» as «target»
        @«target»
        def «target»(«target»: «target» = 1):
            '''target'''
            return f"{«target»} target {x:{«target»}}" + "target" + «target».«target»(«target»=«target»)
    """,
    "ruby": """
        # target
        attr_accessor :«target»
        def «target»=(v) = @«target» = v
        x.«target» = { «target»: 1, :«target» => "target #{«target»} target", b: %w[target], c: %i[«target»] }
        self.target? + target! + $target
    """,
    "rust": """
        /// target
        mod «target»;
        fn «target»<'«target»>(x: «target») -> &'«target» str {
        println!("{target}", «target», /* target */ a.«target»); r#«target»; "target" }
        macro_rules! m { ($«target»:ident) => { «target»!($«target», "target") } }
        struct S { «target»: «target» }
    """,
    "tsx": """
        // target
        type «target» = «target».x<typeof «target»>;
        const e = <«target» «target»="target" x={«target»}>target</«target»>;
    """,
    "typescript": """
        // target
        interface «target»<T extends «target»> { «target»?: «target»; 'target': `${«target»} target`; }
        function f(this: «target», «target»: string): «target» is string { return «target»!; }
        enum E { «target» = "target" }
    """,
}
"""For each language: code with the name as an identifier, marked «so», and in other roles."""


def unmarked(marked: str) -> tuple[bytes, list[int]]:
    """Returns the code, and the offsets of the marked names."""
    data, starts = b"", []
    for number, piece in enumerate(textwrap.dedent(marked).split("«")):
        if number:
            starts.append(len(data))
        data += piece.replace("»", "").encode()
    return data, starts


def shown(data: bytes, starts: list[int]) -> list[str]:
    """Returns places as lines, with a bar before the name."""
    places = []
    for start in starts:
        line, number = (
            data[: data.find(b"\n", start)].rpartition(b"\n")[2],
            data.count(b"\n", 0, start) + 1,
        )
        column = start - data.rfind(b"\n", 0, start) - 1
        places.append(f"{number}: {line[:column].decode()}|{line[column:].decode()}")
    return places


def test_every_language_says_what_its_identifiers_are() -> None:
    assert SOURCES.keys() <= load_languages().by_id.keys()
    silent = [
        language
        for language in load_languages().by_id.values()
        if not (language.rules.identifiers or language.embeds or language.is_data)
    ]
    assert silent == []


@pytest.mark.parametrize("language", SOURCES)
def test_identifiers_and_nothing_else(language: str) -> None:
    data, starts = unmarked(SOURCES[language])
    offsets = find_mentions(load_languages().by_id[language], data, forms_of("target"))
    assert shown(data, offsets) == shown(data, starts)


@pytest.mark.sample(5)
@pytest.mark.slow
@pytest.mark.parametrize("language_id", SOURCES)
def test_any_bytes(language_id: str) -> None:
    """Broken source causes no error: cut, doubled, or with undecodable bytes."""
    data, _ = unmarked(SOURCES[language_id])
    language = load_languages().by_id[language_id]
    for broken in (
        data[: len(data) // 2],
        data[len(data) // 3 :],
        data.replace(b"}", b"{"),
        data.replace(b" ", b" \xff\xfe "),
    ):
        words = find_words(broken, [b"target"])
        assert set(find_mentions(language, broken, [b"target"])) <= {start for start, _ in words}


@pytest.mark.nightly
def test_a_flat_file_of_one_name_takes_no_time() -> None:
    """Finding a place does not visit all of its neighbours, which would take a minute."""
    data = b"x = [" + b"item, " * 20_000 + b"]\n" + b"item\n" * 20_000
    assert len(find_mentions(load_languages().by_id["python"], data, [b"item"])) == 40_000


def test_names_rewritten_for_the_parser_are_still_found() -> None:
    data = b"static void f(int a UNUSED)\n{\n    UNUSED;\n}\nint broken(\n"
    offsets = find_mentions(load_languages().by_id["c"], data, [b"UNUSED"])
    assert offsets == [data.index(b"UNUSED"), data.rindex(b"UNUSED")]


def test_an_unknown_node_type_is_reported(tmp_path: Path) -> None:
    toml = 'name = "Odd"\ngrammar = "c"\nidentifiers = ["identifier", "identifire"]\n'
    write_files(tmp_path / "odd", {"language.toml": toml, "symbols.scm": "(comment) @doc\n"})
    with pytest.raises(
        GrammarError, match=r"odd/language.toml: identifiers: 'identifire' is not a node"
    ):
        compile_query(read_language(tmp_path / "odd", {"odd": tmp_path / "odd"}))


@pytest.mark.sample(2)
@pytest.mark.parametrize("language_id", SOURCES)
def test_bodies_that_the_parser_does_not_see_change_nothing(
    language_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    language = load_languages().by_id[language_id]
    names = {language_id, "name", "value", "String", "self", "this", "x"}
    for path in sorted(
        (Path(__file__).parents[2] / "fixtures" / "symbols" / language_id).iterdir()
    ):
        data = path.read_bytes()
        with_bodies = {name: find_mentions(language, data, forms_of(name)) for name in names}
        with monkeypatch.context() as patch:
            patch.setattr(hidden_bodies, "bodies_of", lambda _: None)
            patch.setattr(mentions, "touches", lambda *_: True)
            assert {
                name: find_mentions(language, data, forms_of(name)) for name in names
            } == with_bodies, path.name
