"""Settings: every wrong value is reported on its own line, and the right ones take effect."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.extract.documents.formats import load_formats
from symindex.extract.items.types import shipped_item_types
from symindex.extract.languages.registry import load_languages
from symindex.files.locations import index_folder
from symindex.settings import (
    DEFAULTS,
    Settings,
    check_settings,
    ignored_index_dir,
    is_glob,
    item_types_of,
    language_id,
    read_settings,
    variant_of,
)
from symindex.workspace.workspace import Workspace
from tests.support.command import run_symindex
from tests.support.files import write_files

LANGUAGES = load_languages()
KNOWN = len({*LANGUAGES.by_id, *load_formats().by_id})
GLOBS = "it must be a list of globs like ['src/**', '*.py']"
KEYS = ", ".join(Settings.__struct_fields__)

RIGHT: list[tuple[dict[str, object], Settings]] = [
    ({}, DEFAULTS),
    ({"index_dir": None, "include": None, "limit": None}, DEFAULTS),
    (
        {"include": ["src/**", "/a", "*.py", "[!a]*"], "exclude": []},
        Settings(include=("src/**", "/a", "*.py", "[!a]*")),
    ),
    (
        {"languages": ["PYTHON", "c++", ".rs", "ts"]},
        Settings(languages=("PYTHON", "c++", ".rs", "ts")),
    ),
    (
        {"max_file_bytes": 1, "file_seconds": 1, "limit": 10_000},
        Settings(max_file_bytes=1, file_seconds=1.0, limit=10_000),
    ),
    (
        {"max_file_bytes": 10**8, "file_seconds": 100, "limit": 1},
        Settings(max_file_bytes=10**8, file_seconds=100.0, limit=1),
    ),
    ({"file_seconds": 0.001}, Settings(file_seconds=0.001)),
]

WRONG: dict[str, tuple[dict[str, object], list[str]]] = {
    "unknown keys": (
        {"colour": 1, "max\nbytes": 2},
        [
            f"unknown key 'colour': expected one of {KEYS}",
            f"unknown key 'max\\nbytes': expected one of {KEYS}",
        ],
    ),
    "other types": (
        {
            "include": "src",
            "exclude": [1],
            "languages": {"a": 1},
            "limit": "5",
            "index_dir": 7,
            "file_seconds": True,
        },
        [
            f"include is 'src': {GLOBS}",
            f"exclude is [1]: {GLOBS}",
            "languages is {'a': 1}: it must be a list of languages, as `symindex languages` names them",
            "limit is '5': it must be an integer from 1 to 10,000",
            "index_dir is 7: it must be the path of a folder",
            "file_seconds is True: it must be a number greater than 0 and at most 100",
        ],
    ),
    "out of range": (
        {"limit": 0, "max_file_bytes": 10**10},
        [
            "limit is 0: it must be an integer from 1 to 10,000",
            "max_file_bytes is 10000000000: it must be an integer from 1 to 100,000,000",
        ],
    ),
    "just below the range": (
        {"limit": 0, "max_file_bytes": 0, "file_seconds": 0},
        [
            "limit is 0: it must be an integer from 1 to 10,000",
            "max_file_bytes is 0: it must be an integer from 1 to 100,000,000",
            "file_seconds is 0: it must be a number greater than 0 and at most 100",
        ],
    ),
    "just above the range": (
        {"limit": 10_001, "max_file_bytes": 100_000_001, "file_seconds": 100.001},
        [
            "limit is 10001: it must be an integer from 1 to 10,000",
            "max_file_bytes is 100000001: it must be an integer from 1 to 100,000,000",
            "file_seconds is 100.001: it must be a number greater than 0 and at most 100",
        ],
    ),
    "less than nothing": (
        {"file_seconds": -1.0},
        ["file_seconds is -1.0: it must be a number greater than 0 and at most 100"],
    ),
    "no number": (
        {"file_seconds": float("nan")},
        ["file_seconds is nan: it must be a number greater than 0 and at most 100"],
    ),
    "no whole numbers": (
        {"limit": 2.5},
        ["limit is 2.5: it must be an integer from 1 to 10,000"],
    ),
    "negations": (
        {"include": ["a", "!b"], "exclude": ["!c"]},
        [
            "include contains '!b': a glob cannot begin with ! here; list files to leave out in exclude",
            "exclude contains '!c': a glob cannot begin with ! here; list the only files to read in include",
        ],
    ),
    "globs that are none": (
        {"exclude": ["a[", "", "{x}", "a//b"]},
        [
            f"exclude contains {glob!r}, which is not a glob: a glob looks like src/** or *.py"
            for glob in ("a[", "", "a//b")
        ],
    ),
    "unknown languages": (
        {"languages": ["python", "klingon", "elvish"]},
        [f"languages contains an {LANGUAGES.unknown(word)}" for word in ("klingon", "elvish")],
    ),
}


@pytest.mark.parametrize(("values", "settings"), RIGHT)
def test_right_values(values: dict[str, object], settings: Settings) -> None:
    assert check_settings(values, "here", LANGUAGES) == (settings, [])


@pytest.mark.parametrize(("values", "lines"), WRONG.values(), ids=WRONG)
def test_each_wrong_value_has_its_line_and_the_default(
    values: dict[str, object], lines: list[str]
) -> None:
    right: dict[str, object] = {} if "max_file_bytes" in values else {"max_file_bytes": 77}
    below = Settings(exclude=("below",), languages=("go",))
    settings, problems = check_settings(values | right, "here", LANGUAGES, below)
    assert problems == [f"here: {line}" for line in lines]
    assert settings == check_settings(right, "here", LANGUAGES, below)[0]


def test_a_long_value_is_shown_in_part() -> None:
    (line,) = check_settings({"limit": "x" * 10_000}, "here")[1]
    assert len(line) < 200 and "..." in line


def test_all_problems_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "symindex.toml": "limit = 0\nexclude = ['!a']\nlanguages = ['klingon']\nmax_file_bytes = 9\n"
        },
    )
    place = tmp_path / "symindex.toml"
    lines = [
        f"{place}: limit is 0: it must be an integer from 1 to 10,000",
        f"{place}: exclude contains '!a': a glob cannot begin with ! here; list the only files to read in include",
        f"{place}: languages contains an unknown language 'klingon': `symindex languages` lists the {KNOWN} that there are; "
        "similar: kotlin",
    ]
    assert read_settings(tmp_path, LANGUAGES) == (Settings(max_file_bytes=9), lines)
    with pytest.raises(RequestError) as caught:
        Workspace(tmp_path)
    assert str(caught.value) == "; ".join(lines)
    problems: list[str] = []
    with Workspace(tmp_path, values={"colour": 1}, on_problem=problems.append) as workspace:
        assert problems == [
            *lines,
            f"{tmp_path}: given settings: unknown key 'colour': expected one of {KEYS}",
        ]
        assert workspace.source.indexed.settings == Settings(max_file_bytes=9)


@pytest.mark.parametrize("text", [b"= = =", b"\xff", b"a = 1\na = 2\n"])
def test_a_file_that_is_no_toml(text: bytes, tmp_path: Path) -> None:
    write_files(tmp_path, {"symindex.toml": text})
    settings, (problem,) = read_settings(tmp_path)
    assert settings == DEFAULTS
    assert problem.startswith(f"{tmp_path / 'symindex.toml'}: ") and problem.endswith(
        f"; the keys are {KEYS}"
    )
    assert "\n" not in problem


HOSTILE = {
    "brackets": b"limit = " + b"[" * 60_000,
    "closed brackets": b"limit = " + b"[" * 30_000 + b"]" * 30_000,
    "a few brackets": b"limit = " + b"[" * 300 + b"]" * 300,
    "inline tables": b"limit = " + b"{a=" * 20_000,
    "a dotted key": b".".join([b"a"] * 30_000) + b" = 1",
    "a dotted key in quotes": b" . ".join([b'"\\""'] * 8_000) + b" = 1",
    "a dotted table": b"[" + b".".join([b"a"] * 30_000) + b"]",
    "a dotted key inside": b"a = {" + b".".join([b"'a'"] * 15_000) + b" = 1}",
    "dotted keys": b"\n".join(
        b"k%d.a.a.a.a.a.a.a.a.a.a.a.a.a = 1" % number for number in range(1_500)
    ),
    "many keys": b"\n".join(b"k%d = 1" % number for number in range(6_000)),
    "a long number": b"limit = " + b"9" * 60_000,
    "a long number of letters": b"limit = 0x" + b"f" * 60_000,
    "UTF-16": "limit = 1".encode("utf-16"),
    "other bytes": b"limit = \xff",
    "too large": b"#" * 70_000,
}


@pytest.mark.sample(14)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_settings_take_long_or_say_much(text: bytes, tmp_path: Path) -> None:
    write_files(tmp_path, {"symindex.toml": text})
    began = time.thread_time()
    settings, problems = read_settings(tmp_path)
    assert time.thread_time() - began < 2
    assert settings == DEFAULTS and 1 <= len(problems) <= 21
    for problem in problems:
        assert (
            problem.startswith(f"{tmp_path / 'symindex.toml'}: ")
            and len(problem) < 600
            and "\n" not in problem
        )


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_settings_that_are_no_file(make: Callable[[Path], object], tmp_path: Path) -> None:
    make(tmp_path / "symindex.toml")
    done = run_symindex("search", "x", "--root", str(tmp_path))
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert f"{tmp_path / 'symindex.toml'}: cannot be read: " in done.stderr


def test_a_tree_may_not_ask_for_too_much() -> None:
    many = [f"a{number}" for number in range(1_000)]
    assert check_settings({"exclude": many}, "here")[1] == []
    wild = [f"*a{number}*b*" for number in range(260)]
    for globs, said in (
        ([*many, "b"], "exclude contains 1,001 globs: at most 1,000 are allowed"),
        (["x" * 1_001], "of 1,001 characters: a glob has at most 1,000"),
        (wild, "exclude contains 10 globs too many with wildcards inside: at most 250 are allowed"),
    ):
        settings, (problem,) = check_settings({"exclude": globs}, "here")
        assert said in problem and len(problem) < 300 and settings == DEFAULTS


def test_a_byte_order_mark_is_no_part_of_a_key(tmp_path: Path) -> None:
    write_files(tmp_path, {"symindex.toml": "\ufefflimit = 7\n"})
    assert read_settings(tmp_path) == (Settings(limit=7), [])


@pytest.mark.nightly
def test_passed_settings_override_those_of_the_file(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "a = 1\n", "b.py": "b = 1\n", "c.py": "c = 1\n"})
    write_files(root, {"symindex.toml": "exclude = ['a.py']\nlimit = 3\n"})
    with (
        Workspace(root, tmp_path / "index") as plain,
        Workspace(root, tmp_path / "index", values={"limit": 9}) as same,
        Workspace(root, tmp_path / "index", values={"exclude": ["b.py"]}) as other,
    ):
        for _ in range(2):
            assert [item.name for item in plain.search("").items] == ["b", "c"]
            assert [item.name for item in other.search("").items] == ["a", "c"]
            assert plain.refresh().read == other.refresh().read == 0
        assert (
            plain.source.indexed.settings.limit,
            same.source.indexed.settings.limit,
            other.source.indexed.settings.limit,
        ) == (3, 9, 3)
        assert (
            same.source.indexed.folder == plain.source.indexed.folder != other.source.indexed.folder
        )


def test_which_given_settings_make_another_index(tmp_path: Path) -> None:
    assert variant_of({}) == variant_of({"limit": 5, "index_dir": "x", "include": None}) == ""
    one, other = (
        variant_of({"include": ["a"], "exclude": ["b"]}),
        variant_of({"exclude": ["b"], "include": ["a"]}),
    )
    assert one == other != variant_of({"include": ["b"], "exclude": ["a"]})
    assert index_folder(tmp_path, tmp_path, one) != index_folder(tmp_path, tmp_path)


def test_what_applies_without_settings() -> None:
    assert (
        Settings(
            index_dir="",
            include=(),
            exclude=(),
            languages=(),
            minified=(),
            max_file_bytes=2_000_000,
            file_seconds=10.0,
            limit=256,
            item_types=(),
            overrides={},
            code_fences=False,
        )
        == DEFAULTS
    )
    with pytest.raises(AttributeError):
        DEFAULTS.limit = 1  # type: ignore[misc]
    selection = Settings(include=("a",), exclude=("b",)).selection
    assert (selection.include, selection.exclude) == (("a",), ("b",))


@pytest.mark.parametrize("count", [1, 20, 21, 22])
def test_at_most_twenty_problems_are_listed(count: int) -> None:
    problems = check_settings({f"key{number}": 1 for number in range(count)}, "here")[1]
    rest = {21: ["here: and 1 more problem"], 22: ["here: and 2 more problems"]}.get(count, [])
    assert [line.partition("key'")[0].partition(":")[0] for line in problems] == ["here"] * (
        min(count, 20) + len(rest)
    )
    assert problems[20:] == rest


@pytest.mark.parametrize("length", [98, 99])
def test_a_wrong_value_is_quoted_up_to_100_characters(length: int) -> None:
    (line,) = check_settings({"limit": "v" * length}, "here")[1]
    quoted = f"'{'v' * length}'" if length == 98 else f"'{'v' * 99}..."
    assert line == f"here: limit is {quoted}: it must be an integer from 1 to 10,000"


def test_a_glob_is_as_long_as_its_limit() -> None:
    assert check_settings({"minified": ["x" * 1_000]}, "here")[1] == []
    (line,) = check_settings({"minified": ["x" * 1_001]}, "here")[1]
    assert line.endswith("of 1,001 characters: a glob has at most 1,000")
    wild = [f"*a{number}*b*" for number in range(250)]
    assert check_settings({"exclude": wild}, "here")[1] == []
    (line,) = check_settings({"exclude": [*wild, "*c*d*"]}, "here")[1]
    assert "contains 1 glob too many with wildcards inside: at most 250 are allowed" in line


OWN_TYPE = {"type": "page", "names": ["page.x"]}


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ({"item_types": [OWN_TYPE]}, []),
        ({"item_types": [{"names": ["x"]}]}, ["item_types row 1: "]),
        ({"item_types": [OWN_TYPE, {"type": 5}]}, ["item_types row 2: "]),
        ({"item_types": 5}, ["item_types is 5: it must be tables of [[item_types]], each with"]),
        ({"overrides": {"*.inc": "python"}}, []),
        ({"overrides": {"*.inc": "klingon"}}, ["overrides contains an unknown language 'klingon'"]),
        (
            {"overrides": {"!*.inc": "python"}},
            ["overrides contains '!*.inc': a glob cannot begin with ! here; list the only files"],
        ),
        ({"overrides": ["a"]}, ["overrides is ['a']: it must be a table of globs and languages"]),
        ({"code_fences": 1}, ["code_fences is 1: it must be true or false"]),
        ({"languages": ["klingon"]}, ["languages contains an unknown language 'klingon'"]),
    ],
)
def test_tables_are_checked_entry_by_entry(values: dict[str, object], lines: list[str]) -> None:
    settings, problems = check_settings(values, "here", LANGUAGES)
    assert len(problems) == len(lines)
    for problem, line in zip(problems, lines, strict=True):
        assert problem.startswith(f"here: {line}")
    assert (settings == DEFAULTS) is bool(lines)


def test_languages_are_not_checked_before_they_are_loaded() -> None:
    values = {"languages": ["klingon"], "overrides": {"*.inc": "klingon"}}
    assert check_settings(values, "here")[1] == []


def test_values_that_python_cannot_show_are_described() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    huge = 10**5_000
    lines = check_settings({"limit": huge, "include": deep, "max_file_bytes": 2**70}, "here")[1]
    assert [line.partition(":")[2].partition(":")[0] for line in lines] == [
        " limit is a int that is too long to show",
        " include is a list that is too long to show",
        " max_file_bytes is 1180591620717411303424",
    ]


@pytest.mark.parametrize(
    ("glob", "is_right"),
    [("src/**", True), ("*.py", True), ("!a", False), ("a[", False), ("", False), ("{a,b}", True)],
)
def test_which_texts_are_globs(glob: str, is_right: bool) -> None:
    assert is_glob(glob) is is_right


def test_an_index_folder_that_a_tree_asks_for_is_ignored_with_a_notice(tmp_path: Path) -> None:
    assert ignored_index_dir(tmp_path, DEFAULTS) == []
    assert ignored_index_dir(tmp_path, Settings(index_dir="x")) == [
        f"{tmp_path / 'symindex.toml'}: index_dir is ignored, because a source tree must not choose"
        " where symindex writes; set it with --index-dir or SYMINDEX_INDEX_DIR"
    ]


def test_a_language_by_any_of_its_names() -> None:
    assert {language_id(word) for word in ("Python", "python", ".py", "py")} == {"python"}
    with pytest.raises(RequestError, match="unknown language 'klingon'"):
        language_id("klingon")


def test_the_types_of_items_of_a_tree() -> None:
    assert item_types_of(DEFAULTS) is shipped_item_types()
    own = item_types_of(Settings(item_types=(OWN_TYPE,)))
    row = own.match("page.x")
    assert row is not None and row.type == "page"
    assert shipped_item_types().match("page.x") is None


def test_a_message_about_a_file_is_short(tmp_path: Path) -> None:
    write_files(tmp_path, {"symindex.toml": f"{'k' * 300} = [1\n{'k' * 300}.a = 1\n"})
    (problem,) = read_settings(tmp_path)[1]
    assert problem.endswith(f"; the keys are {KEYS}")
    assert read_settings(tmp_path / "none") == (DEFAULTS, [])
    write_files(tmp_path, {"symindex.toml": f"a = 1\n[{'k' * 300}]\n[{'k' * 300}]\n"})
    (problem,) = read_settings(tmp_path)[1]
    assert len(problem) <= len(f"{tmp_path / 'symindex.toml'}: ...; the keys are {KEYS}") + 200


@pytest.mark.parametrize(("size", "is_read"), [(65_536, True), (65_537, False)])
def test_how_large_a_file_of_settings_may_be(size: int, is_read: bool, tmp_path: Path) -> None:
    write_files(tmp_path, {"symindex.toml": "limit = 7\n".ljust(size, "#")})
    settings, problems = read_settings(tmp_path)
    assert settings == (Settings(limit=7) if is_read else DEFAULTS)
    assert problems == (
        []
        if is_read
        else [f"{tmp_path / 'symindex.toml'}: cannot be read: larger than 65,536 bytes"]
    )
