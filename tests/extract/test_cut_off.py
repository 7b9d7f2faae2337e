"""Files that end too early, files with several faults, and pages with a half-typed part: all other
symbols are found in their containers, and the file is reported as broken.

`cut_off.txt` and `several_faults.txt` contain sources, each with some of the names that a reader
sees in it; those in `open_texts.txt` have all of them.
"""

import re
from pathlib import Path
from time import process_time

import pytest
import tree_sitter

from symindex.extract.blocks import blocks_of
from symindex.extract.languages.registry import load_languages
from symindex.extract.parse.partial import _MOST_TEXTS
from symindex.extract.parse.query import compile_query
from symindex.extract.parse.repair import cut_off, half_typed
from symindex.extract.parse.repair.open_text import OpenTexts
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols
from tests.support.whole import check_whole, whole_file


def cases(name: str) -> dict[str, str]:
    text = (Path(__file__).parent / name).read_text()
    return {
        f"{number}-{name}": rest
        for number, (name, rest) in enumerate(re.findall(r"(?ms)^=== (\S+)\n(.*?\n--- .*?)$", text))
    }


CUT = cases("cut_off.txt")
OPEN = cases("open_texts.txt")
FAULTS = cases("several_faults.txt")
WHOLE = Path(__file__).with_name("cut_off_symbols.txt")
"""All that is read of each source."""


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


def read(name: str, text: str) -> FileSymbols:
    return read_bytes(
        FileSymbols(name.rpartition("-")[2], len(text), 0), text.encode(), load_languages()
    )


def names(result: FileSymbols) -> set[str]:
    return {symbol.qualified_name for symbol in result.symbols}


@pytest.mark.sample(9)
@pytest.mark.parametrize("case", CUT)
def test_unclosed_code_keeps_its_names(case: str, update: bool) -> None:
    text, _, wanted = CUT[case].rpartition("\n--- ")
    result = read(case, text)
    check_whole(WHOLE, f"cut {case}", whole_file(result), update)
    assert set(wanted.split()) <= names(result)
    assert result.broken_line


@pytest.mark.sample(33)
@pytest.mark.parametrize("case", OPEN)
def test_nothing_is_defined_in_a_text_without_an_end(case: str, update: bool) -> None:
    text, _, wanted = OPEN[case].rpartition("\n--- ")
    result = read(case, text)
    check_whole(WHOLE, f"open {case}", whole_file(result), update)
    assert names(result) == set(wanted.split())
    assert result.has_error


@pytest.mark.sample(6)
@pytest.mark.parametrize("case", FAULTS)
def test_several_faults_take_only_their_lines(case: str, update: bool) -> None:
    text, _, wanted = FAULTS[case].rpartition("\n--- ")
    result = read(case, text)
    check_whole(WHOLE, f"faults {case}", whole_file(result), update)
    assert set(wanted.split()) <= names(result)
    assert result.has_error


VUE = """<template>
  <div :class="{ a: b }"><p>{{ x.y }}</p></div>
</template>
<script setup lang="ts">
import { ref } from 'vue'
const count = ref<number>(1)
function inc() { count.value++ }
function last() {}
</script>
<style scoped>
.a { color: red }
</style>
"""


@pytest.mark.parametrize(
    ("whole", "half"),
    [
        ('b }">', "b >"),
        ("from 'vue'", "from "),
        ("count.value++ }", "count.value++"),
        ("</template>", "<templ"),
        ("</script>", ""),
        ("{{ x.y }}", "{{ x."),
    ],
)
@pytest.mark.parametrize("name", ["a.vue", "a.svelte"])
def test_a_half_typed_part_of_a_page_leaves_the_others(name: str, whole: str, half: str) -> None:
    assert whole in VUE
    assert {"count", "inc", "last", "a"} <= names(read(name, VUE.replace(whole, half)))


def test_front_matter_and_a_script_that_is_never_closed() -> None:
    text = "---\nconst one = 1;\n---\n<div>{one\n<script>\nfunction two() {\n  if (x) {\n"
    assert {"one", "two"} <= names(read("a.astro", text))


def test_a_string_that_is_never_closed_amid_a_file_is_no_end() -> None:
    text = 'contract A {\n  string x = "half;\n  function one() public {\n  }\n}\ncontract B {\n}\n'
    assert {"A", "B"} <= names(read("a.sol", text))


def test_a_whole_file_of_a_language_without_blocks_is_not_called_broken() -> None:
    for name, text in (
        ("a.sol", "contract A {\n  uint x;\n}\n"),
        ("a.ml", "let f x = match x with _ -> begin () end\n"),
    ):
        assert read(name, text).broken_line == 0


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "text", ["begin " * 20_000, "struct\n" * 20_000, "(* " * 20_000, "let x = (\n" * 20_000]
)
def test_what_is_never_closed_takes_bounded_time(text: str) -> None:
    started = process_time()
    read("a.ml", text)
    assert process_time() - started < 20


@pytest.mark.parametrize("depth", [200, 201])
def test_enough_open_blocks_are_closed(depth: int) -> None:
    text = "contract A {\n function f() public {\n" + "".join(
        f"{' ' * n}if (a) {{\n" for n in range(3, depth + 1)
    )
    assert ("A.f" in names(read("a.sol", text))) == (depth == 200)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.f90",
            "module shapes\n  implicit none\ncontains\n  subroutine draw(x)\n    integer, intent(in) :: x\n",
        ),
        ("a.hs", "add :: Int -> Int\nadd x = let y =\n"),
    ],
)
def test_a_file_that_is_mostly_errors_says_so(name: str, text: str) -> None:
    assert read(f"0-{name}", text).broken_line


def test_the_beginning_of_a_comment_in_a_string_opens_none() -> None:
    text = 'class A {\n    String s = "/lamps/*";\n    void first() { }\n)]} %$ {[(\n    void last() { }\n}\n'
    assert {"A", "A.s", "A.first", "A.last"} <= names(read("0-a.java", text))


@pytest.mark.parametrize(
    ("name", "row"),
    [("Dockerfile", "RUN cat <<E{0}\n}}\n"), ("a.cmake", "set(x{0} [{1}[\n}}\n]]x(\n")],
    ids=["docker", "cmake"],
)
def test_texts_without_an_end_are_hidden_a_few_times_at_most(
    monkeypatch: pytest.MonkeyPatch, name: str, row: str
) -> None:
    """Each costs one more parse of the whole file, so their number is limited."""
    ranges: list[tuple[int, int] | None] = []
    find = OpenTexts.find

    def counted(self: OpenTexts, source: bytes) -> tuple[int, int] | None:
        ranges.append(find(self, source))
        return ranges[-1]

    monkeypatch.setattr(OpenTexts, "find", counted)
    read(f"0-{name}", "".join(row.format(number, "=" * number) for number in range(60)))
    assert len(ranges) == _MOST_TEXTS and None not in ranges


def test_a_closer_closes_the_nearest_opener_alone() -> None:
    endings = cut_off.Endings(load_languages(check=False).by_id["c"])
    tokens = [(number, number + 1, kind) for number, kind in enumerate("(([)")]
    assert cut_off._open_at(endings, tokens, 9) == [(0, "(")]
    assert cut_off._open_at(endings, tokens, 3) == [(0, "("), (1, "("), (2, "[")]


@pytest.mark.parametrize(
    ("source", "is_closed"),
    [
        ("void f() {\nx();\n}\n", True),
        ("void f() {\nx();\n  }\n", False),
        ("void f() {\nx(); }\n", False),
        ("void f() {\nx();\n", False),
    ],
)
def test_a_block_is_closed_by_a_closer_in_its_column(source: str, is_closed: bool) -> None:
    language = load_languages(check=False).by_id["c"]
    blocks, data = blocks_of(language), source.encode()
    assert blocks is not None
    parser = tree_sitter.Parser(compile_query(language).grammar)
    block = parser.parse(data).root_node.children[0].children[-1]
    assert half_typed._is_closed(block, block.children[-1], data, blocks) is is_closed
