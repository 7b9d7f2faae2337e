"""Changes, traces and reports as text: each page to the byte."""

from typing import Any

import msgspec
import pytest

from symindex.extract.records import Symbol
from symindex.extract.summary import FormatSummary, LanguageSummary
from symindex.files.skips import SkipReason
from symindex.protocol.changes import ChangedFile, ChangedRequest, ChangedResponse, ChangedSymbol
from symindex.protocol.explore import SymbolLine
from symindex.protocol.kinds import SymbolFlag, SymbolKind
from symindex.protocol.status import (
    DepsReport,
    DocumentCounts,
    LanguageCount,
    PackageRow,
    RootStatus,
    Skipped,
    StatusReport,
)
from symindex.protocol.trace import TraceFrame, TraceResponse
from symindex.render.changed import render_changed
from symindex.render.deps import render_deps
from symindex.render.report import (
    columns_of,
    render_languages,
    render_roots,
    render_status,
    render_symbols,
)
from symindex.render.terminal.lines import changed_lines
from symindex.render.trace import render_trace


def symbol(name: str, status: str = "changed", line: int = 3, **more: Any) -> ChangedSymbol:
    return ChangedSymbol(name=name, kind="method", status=status, line=line, **more)


TESTS = [
    SymbolLine(name=name, kind="function", file_path="t.py", line=1, end_line=1, id=f"t.py#{name}")
    for name in ("t", "u")
]
CHANGED_FILES = [
    ChangedFile(file_path="a.py", status="changed", symbols=[
        symbol("A", "added"), symbol("A.f", "added"), symbol("A.g", "added", 4), symbol("A.h", "removed"),
        symbol("Ab", "added"), symbol("B"), symbol("B.f", tests=TESTS),
    ]),
    ChangedFile(file_path="__n__.py", status="added", symbols=[]),
    ChangedFile(file_path="c.py", status="renamed", symbols=[], renamed_from="__c__.py"),
]  # fmt: skip
CHANGED_ROWS = """a.py
- + 3 `A` method (+2)
- - 3 `A.h` method
- + 3 `Ab` method
- ~ 3 `B` method
- ~ 3 `B.f` method; tests: `t.py#t`, `t.py#u`

`__n__.py` (added)
- (outside of all symbols)

c.py (renamed from `__c__.py`)
"""


def test_changes() -> None:
    response = ChangedResponse(
        request=ChangedRequest(since="v1"), commit="0123456789abcdef", files=CHANGED_FILES, total=7,
        total_files=3, notices=["slow"],
    )  # fmt: skip
    head = "# Changed since `v1`\n\n7 symbols in 3 files, compared with commit 0123456789ab\n\n"
    assert render_changed(response) == f"{head}{CHANGED_ROWS}\n> slow\n"
    assert changed_lines(response).splitlines()[-3:] == [
        "a.py:3: changed method B.f",
        "__n__.py:1: added file",
        "c.py:1: renamed file",
    ]
    less = msgspec.structs.replace(response, total=1_007, notices=[])
    head = head.replace("7 symbols", "1,007 symbols")
    assert render_changed(less) == (
        f"{head}{CHANGED_ROWS}\n> 1,000 more: `symindex changed --max-items 2014 v1`, "
        "or of one file: `symindex changed --path c.py v1`\n"
    )
    less.request.path = "src"
    assert "`symindex changed --path src --max-items 2014 --room 9 v1`" in render_changed(
        less, room=9
    )


def frame(number: int, **more: Any) -> TraceFrame:
    return TraceFrame(number=number, text="", file_path="a.py", line=3, **more)


SYMBOL = SymbolLine(name="f", kind="method", file_path="a.py", line=1, end_line=9, container="A")
TRACES: dict[str, tuple[dict[str, Any], str]] = {
    "all frames in the workspace": (
        {"frames": [frame(1, symbol=SYMBOL, code="f()"), frame(2, symbol=msgspec.structs.replace(SYMBOL, container=None), others=2)], "total": 2, "looked_up": 2},
        "# Trace: 2 frames, 2 in the workspace\n\n- 1. `a.py:3` `A.f` method: `f()`\n- 2. `a.py:3` `f` method (or 2 more)\n",
    ),
    "frames elsewhere": (
        {"frames": [frame(2), frame(3), frame(5)], "total": 7, "looked_up": 7, "notices": ["old"]},
        "# Trace: 7 frames, 3 in the workspace\n\n- … 1 elsewhere\n- 2. `a.py:3`\n- 3. `a.py:3`\n- … 1 elsewhere\n"
        "- 5. `a.py:3`\n- … 2 elsewhere\n\n> old\n",
    ),
    "one frame elsewhere": (
        {"frames": [], "total": 1, "looked_up": 1},
        "# Trace: 1 frame, 0 in the workspace\n\n- … 1 elsewhere\n",
    ),
    "frames that were not looked up": (
        {"frames": [frame(1), frame(3), frame(1_007), frame(1_008)], "total": 1_008, "looked_up": 5},
        "# Trace: 1,008 frames, 4 in the workspace\n\n- 1. `a.py:3`\n- … 1 elsewhere\n- 3. `a.py:3`\n"
        "- … 1,003 not looked up\n- 1007. `a.py:3`\n- 1008. `a.py:3`\n\n"
        "> Only the first 3 and the last 2 were looked up: ask again with the others.\n",
    ),
    "elsewhere around what was not looked up": (
        {"frames": [], "total": 9, "looked_up": 4},
        "# Trace: 9 frames, 0 in the workspace\n\n- … 2 elsewhere\n- … 5 not looked up\n- … 2 elsewhere\n\n"
        "> Only the first 2 and the last 2 were looked up: ask again with the others.\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TRACES)
def test_traces(case: str) -> None:
    fields, expected = TRACES[case]
    assert render_trace(TraceResponse(**fields)) == expected


# Five examples are shown for people (`_FEW`), three for models (`_FEW_SKIPS`).
PATHS = [f"p{number}" for number in range(7)]
NO_DOCUMENTS = DocumentCounts(sections=0, items={}, problems=0, problem_places=[])
PLAIN = StatusReport(
    root="/r", index_path="/i", index_bytes=1_234, age_seconds=9, generation="g", files=1,
    with_symbols=1, symbols=1, languages=[], skipped=[], unsupported={}, odd_encoding=[], columns={},
    documents=NO_DOCUMENTS,
)  # fmt: skip
FULL = msgspec.structs.replace(
    PLAIN,
    files=2_000,
    with_symbols=1_500,
    symbols=3_000,
    languages=[LanguageCount(language="python", files=1_500, symbols=3_000, bytes=70_000, with_errors=1), LanguageCount(language="go")],
    skipped=[
        Skipped(reason=SkipReason.MINIFIED, count=1_007, paths=PATHS),
        Skipped(reason=SkipReason.TOO_LARGE, count=5, paths=PATHS[:5]),
        Skipped(reason=SkipReason.IGNORED, count=3, paths=[]),
        Skipped(reason=SkipReason.UNSUPPORTED, count=6, paths=PATHS[:6]),
    ],
    unsupported={".b": 1, ".a": 1, ".z": 1_002, ".c": 1, ".d": 1, ".e": 1},
    odd_encoding=PATHS[:6],
    broken=PATHS[:6],
    conflicted=["q:1"],
    columns={"names": 5, "rows": 1_000_000},
    documents=DocumentCounts(sections=1_001, items={"skill": 1_002, "rule": 1}, problems=1_006, problem_places=PATHS[:6]),
    notes={"decision": 1_003, "idea": 1},
)  # fmt: skip

PLAIN_STATUS = """root       /r
index      /i
           1,234 bytes, written 9 seconds ago, generation g
symbols    1 in 1 file
documents  0 sections, 0 items

language  files  symbols  bytes  with syntax errors
"""
FULL_STATUS = """root       /r
index      /i
           1,234 bytes, written 9 seconds ago, generation g
symbols    3,000 in 1,500 of 2,000 files
documents  1,001 sections, 1,003 items (skill 1,002, rule 1)
notes      decision 1,003, idea 1

language  files  symbols   bytes  with syntax errors
python    1,500    3,000  70,000                   1
go            0        0       0                   0

skipped
     1,007  minified (`minified` in symindex.toml includes files)
            p0
            p1
            p2
            p3
            p4
            and 1,002 more (--verbose)
         5  larger than the size limit (`max_file_bytes` in symindex.toml)
            p0
            p1
            p2
            p3
            p4
         3  ignored by git's rules
         6  no language for it
            p0
            p1
            p2
            p3
            p4
            and 1 more (--verbose)
            .z 1,002, .a 1, .b 1, .c 1, .d 1

not in UTF-8, or not in the encoding that they declare: 6
            p0
            p1
            p2
            p3
            p4

broken by an error, so members may appear outside of their class: 6 (`symindex search is:broken`)
            p0
            p1
            p2
            p3
            p4

with the markers of an unfinished merge: 1 (`symindex search is:conflicted`)
            q:1

items whose metadata has a problem: 1,006
            p0
            p1
            p2
            p3
            p4
"""


def test_the_report_on_an_index() -> None:
    assert render_status(PLAIN, [], verbose=False) == PLAIN_STATUS
    assert render_status(FULL, ["slow"], verbose=False) == f"{FULL_STATUS}note: slow\n"


def test_a_verbose_report_lists_everything() -> None:
    all_paths = "".join(f"            p{number}\n" for number in range(7))
    six = all_paths.removesuffix("            p6\n")
    five = six.removesuffix("            p5\n")
    columns = "\ncolumns\n       1,000,000  rows\n               5  names\n"
    expected = (
        FULL_STATUS.replace(f"{five}            and 1,002 more (--verbose)", f"{all_paths}            and 1,000 more")
        .replace(f"{five}            and 1 more (--verbose)\n", six)
        .replace(".d 1\n", ".d 1, .e 1\n")
    )  # fmt: skip
    first, rest = expected.split("\nnot in UTF-8")
    expected = f"{first}\nnot in UTF-8{rest.replace(five, six)}{columns}"
    assert render_status(FULL, [], verbose=True) == expected
    assert render_status(PLAIN, [], verbose=True) == f"{PLAIN_STATUS}\ncolumns\n"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "0 seconds"), (119, "119 seconds"), (120, "2 minutes"), (7_199, "120 minutes"),
        (7_200, "2 hours"), (172_799, "48 hours"), (172_800, "2 days"), (864_000, "10 days"),
    ],
)  # fmt: skip
def test_an_age_is_in_the_largest_unit_of_which_it_has_two(seconds: int, expected: str) -> None:
    report = msgspec.structs.replace(PLAIN, age_seconds=seconds)
    assert f"written {expected} ago," in render_status(report, [], verbose=False)


def root(state: str, **more: Any) -> RootStatus:
    fields: dict[str, Any] = {
        "root": "/r", "name": "", "done": 0, "total": 0, "error": "", "notices": [], "report": None,
    }  # fmt: skip
    return RootStatus(state=state, **(fields | more))


COVERED = """
1 symbol in 1 file; written 9 seconds ago
Files by language: none
Documents: 0 sections, 0 items
"""
ROOTS: dict[str, tuple[RootStatus, str]] = {
    "ready": (
        root("ready", report=PLAIN), f"Up to date, and watching for edits.\n{COVERED}",
    ),
    "one of several": (root("ready", name="a"), "Its paths begin with `a/`\nUp to date, and watching for edits.\n"),
    "missing": (root("missing"), "The root does not exist.\n"),
    "opening": (
        root("opening"),
        "Being indexed; meanwhile a search finds names all the same, from the files.\n",
    ),
    "indexing": (
        root("indexing", done=1_001, total=2_000, report=PLAIN),
        "Being indexed, 1,001 of 2,000 files read; meanwhile answers come from the index as it was.\n"
        f"{COVERED}",
    ),
    "failed": (
        root("failed", error="no space", notices=["slow"]),
        "Indexing failed: answers come from what there was before.\n> no space\n> slow\n",
    ),
    "cancelled": (
        root("cancelled"), "Indexing cancelled: answers come from what there was before.\n",
    ),
    "with everything": (
        root("ready", report=FULL),
        """Up to date, and watching for edits.

3,000 symbols in 1,500 of 2,000 files; written 9 seconds ago
Files by language: python 1,500, go 0
Documents: 1,001 sections, 1,003 items (skill 1,002, rule 1)
- items whose metadata has a problem: 1,006 (`p0`, `p1`, `p2`)
- broken by an error, so members may appear outside of their class: 6 (`symindex search is:broken`): `p0`, `p1`, `p2`
- with the markers of an unfinished merge: 1 (`symindex search is:conflicted`): `q:1`
- skipped, minified: 1,007 (`p0`, `p1`, `p2`)
- skipped, larger than the size limit: 5 (`p0`, `p1`, `p2`)
- skipped, ignored by git's rules: 3
- skipped, no language for it: 6 (`.z` 1,002, `.a` 1, `.b` 1, `.c` 1, `.d` 1)
notes: decision 1,003, idea 1
""",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ROOTS)
def test_the_state_of_a_root(case: str) -> None:
    status, expected = ROOTS[case]
    assert render_roots([status]) == f"# Status: `/r`\n{expected}"


def test_roots_follow_each_other() -> None:
    page = render_roots([root("missing"), root("ready")])
    assert page == (
        "# Status: `/r`\nThe root does not exist.\n\n"
        "# Status: `/r`\nUp to date, and watching for edits.\n"
    )


LANGUAGES = [
    LanguageSummary(
        id="python", name="Python", tier="full", files=["*.py"], kinds=["class", "method"],
        containers=True, signatures=True, docs=True, flags=True, embeds=["sql"],
    ),
    LanguageSummary(
        id="ini", name="INI", tier="basic", files=["*.ini"], kinds=["key"], containers=False,
        signatures=False, docs=True, flags=False, embeds=[],
    ),
]  # fmt: skip
FORMATS = [
    FormatSummary(id="markdown", name="Markdown", files=["*.md", "*.mdx"], sections=True),
    FormatSummary(id="csv", name="CSV", files=["*.csv"], sections=False),
]
LANGUAGE_TABLE = """language  name    tier   finds                             kinds
python    Python  full   containers signatures docs flags  class method +sql
ini       INI     basic  docs                              key

format    name      finds           files
markdown  Markdown  sections items  *.md *.mdx
csv       CSV       items           *.csv
"""


def test_the_languages_and_formats() -> None:
    assert render_languages(LANGUAGES, FORMATS) == LANGUAGE_TABLE
    assert render_languages(LANGUAGES, FORMATS, 200).split() == LANGUAGE_TABLE.split()
    wrapped = render_languages(LANGUAGES, FORMATS, 30).split("\n")
    assert wrapped[:2] == ["language  name    tier   finds", "    kinds"]
    assert max(map(len, wrapped)) <= 30 and "" in wrapped[:-1]
    narrow = render_languages(LANGUAGES, FORMATS, 6)
    assert "containers" in narrow.split()  # a word that is longer than the line stays whole


def test_numbers_are_on_the_right_of_their_column_and_texts_on_the_left() -> None:
    rows = [("n", "text", "both"), ("1,000", "a", "1"), ("7", "bcdef", "x")]
    assert columns_of(*rows) == [
        "    n  text   both",
        "1,000  a      1",
        "    7  bcdef  x",
    ]


def test_the_symbols_of_a_file() -> None:
    symbol = Symbol(
        name="f", kind=SymbolKind.METHOD, container="A", flags=SymbolFlag.TEST | SymbolFlag.LOCAL,
        start_byte=0, end_byte=9, start_row=2, end_row=4, name_start=3, name_end=4, name_row=3,
        name_column=7, signature="def f()", doc="One.\nTwo.",
    )  # fmt: skip
    bare = msgspec.structs.replace(symbol, container="", flags=SymbolFlag.ODD_PLACE, doc="")
    assert render_symbols([symbol, bare]) == (
        "4:7 [3-5] method A.f !local !test  def f()\n    One.\n4:7 [3-5] method f  def f()\n"
    )
    assert render_symbols([]) == "no symbols\n"


def package(name: str, **more: Any) -> PackageRow:
    fields: dict[str, Any] = {
        "ecosystem": "pypi", "version": "1", "state": "indexed", "is_direct": True, "files": 1_000,
        "symbols": 2_000, "bytes": 3_000, "left_out": {}, "why": "",
    }  # fmt: skip
    return PackageRow(name=name, **(fields | more))


def test_the_packages_of_a_project() -> None:
    report = DepsReport(
        root="/r", place="/p", files=1, symbols=2_000, bytes=3_000, notices=["slow"],
        states={"indexed": 1_001, "failed": 1},
        packages=[
            package("a", left_out={"tests": 2, "binary": 3}),
            package("bc", is_direct=False, state="failed", why="broken", left_out={"large": 5, "tests": 1_003, "binary": 2}),
        ],
    )  # fmt: skip
    assert render_deps(report, ["indexed 1 package"]) == (
        """indexed 1 package
root       /r
indexes    /p
packages   1,001 indexed, 1 failed
symbols    2,000 in 1 file, 3,000 bytes

package    state    files  symbols  bytes  direct  why
pypi:a@1   indexed  1,000    2,000  3,000  yes
pypi:bc@1  failed   1,000    2,000  3,000          broken

left out
     1,005  tests
         5  binary
         5  large
note: slow
"""
    )
    empty = DepsReport(
        root="/r", place="/p", files=0, symbols=0, bytes=0, notices=[], states={}, packages=[]
    )
    assert render_deps(empty) == (
        "root       /r\nindexes    /p\npackages   none found\nsymbols    0 in 0 files, 0 bytes\n\n"
    )
