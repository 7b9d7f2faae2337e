"""Text in files with the symbol around it: hits, their order, and pages that lose nothing."""

import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.explore.grep.given_text import grep_given
from symindex.explore.grep.search import grep
from symindex.explore.grep.templates import message_of, share_of
from symindex.files.skips import Skip, SkipReason
from symindex.protocol.freshness import CACHED
from symindex.protocol.grep import GrepRequest, GrepResponse, Where
from symindex.render.grep import render_grep
from symindex.text.patterns.byte_pattern import _required, byte_pattern
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker, write_files

TREE: dict[str, str | bytes] = {
    "src/app.py": (
        "LIMIT = 'not found'\n\n\nclass App:\n    def get(self):\n        # not found: say so\n        raise KeyError('not found')\n"
        "        raise KeyError('not found')\n\n    def put(self):\n        not_found = f'{not_found} not found'\n"
    ),
    "docs/guide.txt": "A page is not found.\n",
    "templates/404.html": "<h1>not found</h1>\n",
    "tests/test_app.py": "def test_get():\n    assert 'not found'\n",
    "wide.py": "x = 'not found'\n".encode("utf-16"),
    "binary.dat": b"not found\0",
    ".gitignore": "build/\n",
    "build/out.txt": "not found\n",
}


@pytest.fixture
def tree(make_workspace: Maker) -> Workspace:
    return make_workspace(TREE)


def rows(response: GrepResponse) -> list[str]:
    return [
        f"{file.file_path}:{row.line} {row.container or '-'}{''.join(f' +{line}' for line in row.lines)}"
        for file in response.files
        for row in file.items
    ]


@pytest.mark.nightly
def test_text_is_found_everywhere_with_production_code_first(tree: Workspace) -> None:
    response = tree.grep("not found")
    assert rows(response) == [
        "src/app.py:1 LIMIT",
        "src/app.py:6 App.get +7 +8",
        "src/app.py:11 App.put.not_found"
        if "App.put.not_found" in str(rows(response))
        else "src/app.py:11 App.put",
        "wide.py:1 x",
        "docs/guide.txt:1 -",
        "templates/404.html:1 -",
        "tests/test_app.py:2 test_get",
    ]
    assert (response.total, response.total_files, response.has_more) == (9, 5, False)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (
            "strings",
            [
                "src/app.py:1 LIMIT",
                "src/app.py:7 App.get +8",
                "src/app.py:11 App.put",
                "wide.py:1 x",
            ],
        ),
        ("comments", ["src/app.py:6 App.get"]),
        ("code", []),
    ],
)
def test_in_one_kind_of_text(tree: Workspace, where: Where, expected: list[str]) -> None:
    response = tree.grep("not found", where=where)
    assert [row for row in rows(response) if not row.startswith("tests/")] == expected
    assert response.total == sum(1 + row.count("+") for row in rows(response))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("where", "columns"),
    [("code", [1, 1]), ("strings", [11, 15]), ("comments", [22])],
)
def test_each_line_is_searched_to_its_end(
    make_workspace: Maker, where: Where, columns: list[int]
) -> None:
    """A hit in another region, earlier in the line, hides none."""
    source = 'seal = "a seal"  # a seal\nseal = seal, "seal"\n'
    response = make_workspace({"a.py": source}).grep("seal", where=where, each_line=True)
    assert [row.column for file in response.files for row in file.items] == columns
    assert response.total == len(columns)


@pytest.mark.nightly
def test_in_code_alone(tree: Workspace) -> None:
    assert rows(tree.grep("not_found", where="code")) == ["src/app.py:11 App.put"]


def test_regular_expressions_and_case(tree: Workspace) -> None:
    assert rows(tree.grep(r"raise \w+\(", regex=True)) == ["src/app.py:7 App.get +8"]
    assert rows(tree.grep("RAISE keyerror", ignore_case=True)) == ["src/app.py:7 App.get +8"]
    assert rows(tree.grep("RAISE")) == []
    assert [row for row in rows(tree.grep("^class App:$", regex=True))] == ["src/app.py:4 App"]


def test_filters(tree: Workspace) -> None:
    assert {row.split(":")[0] for row in rows(tree.grep("not found", paths=["docs/**", "templates/**"]))} == {
        "docs/guide.txt", "templates/404.html",
    }  # fmt: skip
    assert all(".py:" in row for row in rows(tree.grep("not found", languages=["python"])))


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", [".", "./", "./src", "./src/app.py", "src/app.py"])
def test_a_path_that_was_searched_is_not_called_left_out(path: str, tree: Workspace) -> None:
    response = tree.grep("raise KeyError", paths=[path])
    assert response.files and response.notices is UNSET


def test_more_lines_of_a_given_text_than_wanted_are_counted() -> None:
    answers = [
        grep_given(b"alpha\n" * 3, GrepRequest(pattern="alpha", max_items=n)) for n in (1, 2, 3)
    ]
    assert [response.total for response in answers] == [3, 3, 3]
    assert [response.notices for response in answers] == [
        ["2 more lines: raise max_items"],
        ["1 more line: raise max_items"],
        UNSET,
    ]


@pytest.mark.sample(2)
@pytest.mark.parametrize("each_line", [False, True])
@pytest.mark.parametrize("where", ["all", "strings"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_pages_joined_are_the_whole(
    tree: Workspace, size: int, where: Where, each_line: bool
) -> None:
    """The rows and the counts: each page counts what the pages before have counted."""
    whole = tree.grep("not found", where=where, each_line=each_line)
    joined: list[str] = []
    token, n_known, n_lines = None, 0, 0
    while True:
        page = tree.grep(
            "not found", where=where, each_line=each_line, max_items=size, pagination_id=token
        )
        joined += rows(page)
        n_lines += sum(1 + len(row.lines) for file in page.files for row in file.items)
        assert max(n_known, n_lines) <= page.at_least <= whole.at_least
        if page.total is not None:
            assert (page.total, page.total_files) == (whole.total, whole.total_files)
        n_known = page.at_least
        if not page.has_more:
            break
        token = page.pagination_id
        assert token is not None and len(token) < 200
    assert joined == rows(whole)
    assert page.total == page.at_least == whole.total == n_lines


def test_a_token_of_another_search_is_refused(tree: Workspace) -> None:
    token = tree.grep("not found", max_items=1).pagination_id
    with pytest.raises(RequestError, match="belongs to another search"):
        tree.grep("other", pagination_id=token)
    with pytest.raises(RequestError, match="token"):
        tree.grep("not found", pagination_id="nonsense")


def test_a_page_goes_on_where_its_file_is_gone(tree: Workspace) -> None:
    first = tree.grep("not found", max_items=2)
    (tree.root / "src/app.py").unlink()
    assert rows(tree.grep("not found", pagination_id=first.pagination_id))[0] == "wide.py:1 x"


MESSAGES = {
    "def load(name):\n    raise ValueError(f'cannot load the plugin {name!r}: it has no entry point')\n": (
        "cannot load the plugin 'cart': it has no entry point", 2
    ),
    "def check(x):\n    message = (\n        'The value %s of field %s is not '\n        'a valid choice for this list.'\n    )\n": (
        "The value 3 of field colour is not a valid choice for this list.", 3
    ),
    "def run():\n    log('connection to', host, 'was refused after', n, 'attempts to reach it')\n": (
        "connection to db1.example.org was refused after 7 attempts to reach it", 2
    ),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("source", "expected"), MESSAGES.items(), ids=[text for text, _ in MESSAGES.values()]
)
def test_a_message_with_values_in_it(
    make_workspace: Maker, source: str, expected: tuple[str, int]
) -> None:
    text, line = expected
    decoys = {
        f"d{n}.py": f"def f{n}():\n    return 'the value of the list is valid {n}'\n"
        for n in range(30)
    }
    response = make_workspace({"a/main.py": source, **decoys}).grep(text)
    assert response.is_near and response.total == 0
    assert [(file.file_path, file.items[0].line) for file in response.files] == [
        ("a/main.py", line)
    ]
    assert (
        "No file contains this whole text. These places contain most of its words"
        in render_grep(response)
    )


JOINED = [
    "throw new E('Coupon ' . $n . ' expired on ' . date('c'));",
    "throw new Error('Coupon ' + n + ' expired on ' + fmt('c'));",
    'raise "Coupon #{n} expired on #{d["x"]}"',
    r'"Coupon \(n) expired on \(f(d))"',
    's"Coupon $n expired on ${d("x")}"',
    'echo "Coupon $1 expired on $(date +%F)"',
    'io_lib:format("Coupon ~s expired on ~p", [N])',
    '"Coupon " ++ n ++ " expired on " ++ show "x"',
    'paste0("Coupon ", n, " expired on ", format(d, "%F"))',
    'printf("Coupon %" PRIu64 " expired on %s", n, d);',
    'error("Coupon " .. n .. " expired on " .. os.date("%c"))',
    'os << "Coupon " << n << " expired on " << fmt("x");',
]


@pytest.mark.parametrize("line", JOINED)
def test_values_between_the_strings_of_a_message_may_hold_strings(line: str) -> None:
    assert share_of(line, message_of("Coupon XMAS expired on 2024-01-01")) > 0.7


TEMPLATES = {
    "raise E(f'duplicate {name}')": "duplicate flavour of the month",
    "raise E('{} is unsupported'.format(x))": "shiny-new-thing is unsupported",
    "raise E('%s: unknown option' % name)": "frob: unknown option",
    "raise E('%(verbose)s invalid' % names)": "Number of pages invalid",
    "throw new Error(`unreachable ${host}`)": "unreachable db1.example.org",
    'raise Oops, "misplaced #{thing} here"': "misplaced comma here",
    'throw new E("Cart [{$id}] gone");': "Cart [17] gone",
    'throw new E("Target class [$concrete] missing.");': "Target class [App\\Foo] missing.",
    'panic("refused " + host + " twice")': "refused db1.example.org twice",
    'fatalError("Expected \\(kind) token")': "Expected closing token",
    'bail!("overflowed by {n:>5} bytes")': "overflowed by 12 bytes",
    "__('The :attribute must match.')": "The password must match.",
    "$this->fail('rejected ' . $name . '!');": "rejected admin!",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize(("line", "message"), TEMPLATES.items())
def test_a_template_of_few_fixed_words(make_workspace: Maker, line: str, message: str) -> None:
    """The source line is found by the message made from it, though the line contains few of its
    words."""
    source = f"class A:\n    {line}\n"
    response = make_workspace(
        {"a/main.txt": source, "a/z.txt": "nothing of it, and must not be"}
    ).grep(message)
    assert [(file.file_path, [row.line for row in file.items]) for file in response.files] == [
        ("a/main.txt", [2])
    ]
    assert response.is_near


def test_hits_in_tests_alone_do_not_end_the_search(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a/main.py": "def load(name):\n    raise ValueError(f'no plugin {name!r}')\n",
        "tests/test_main.py": "def test_it():\n    assert \"no plugin 'cart'\"\n",
        "CHANGES.md": "# Changes\n\nSays no plugin 'cart'.\n",
    })  # fmt: skip
    response = tree.grep("no plugin 'cart'")
    assert [file.file_path for file in response.files] == [
        "CHANGES.md",
        "tests/test_main.py",
    ] and not response.is_near
    assert [
        (file.file_path, file.items[0].line, file.items[0].container) for file in response.near
    ] == [("a/main.py", 2, "load")]
    assert render_grep(response).index("a/main.py") < render_grep(response).index("CHANGES.md")
    assert (
        not tree.grep("no plugin").near
        and not tree.grep("cart").near
        and not tree.grep("no plugin 'cart'", regex=True).near
    )


@pytest.mark.nightly
def test_a_template_of_short_words_next_to_values(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "a.py": 'def say(value, choices):\n    return f"{value!r} is not one of {choices}."\n\n\nX = "one"\n'
        }
    )
    response = tree.grep("'md6' is not one of 'md5', 'sha1'.", where="strings")
    assert response.is_near and [
        (file.file_path, file.items[0].line) for file in response.files
    ] == [("a.py", 2)]
    two = make_workspace({"a.py": 'def say(a, b):\n    return f"{a} is not {b}"\n\n\nX = "one"\n'})
    assert two.grep("cart is not full", where="strings").is_near


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("count", "said"), [(10, ""), (11, "1 other text matches"), (14, "4 other texts match")]
)
def test_templates_that_are_not_shown_are_counted(
    make_workspace: Maker, count: int, said: str
) -> None:
    files = {
        f"f{number:02}.py": 'def check(n):\n    raise ValueError(f"byteCount < 0: {n}")\n'
        for number in range(count)
    }
    response = make_workspace(files).grep("byteCount < 0: -1", where="strings")
    assert len(response.files) == min(count, 10)
    expected = [f"{said} as well, but not shown: narrow the search to paths"] if said else []
    assert [notice for notice in response.notices or () if "as well" in notice] == expected


def test_templates_of_hostile_lines_take_no_time() -> None:
    message = message_of("the value of the list " * 2_000)
    began = time.monotonic()
    for line in (
        "'{" * 1_000,
        "'" + "{the}" * 390 + "'",
        "'%" * 900 + "the'",
        '"\\' * 600,
        "'the '+" * 280,
        "$" * 1_990,
        "`" + ":a" * 900,
    ):
        share_of(line, message)
    assert time.monotonic() - began < 1


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "text", ["zqxj lorem frobnicate wibble", "zqx", "q z", "??!!", "the of a is"]
)
def test_a_message_of_nobody_finds_nothing(tree: Workspace, text: str) -> None:
    response = tree.grep(text)
    assert not response.files and not response.is_near and response.at_least == 0


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "is empty"),
        ("\n", "is empty"),
        ("x" * 3_000, "has 3,000 characters"),
        ("\ud800", "not valid Unicode"),
    ],
)
def test_patterns_that_cannot_be(tree: Workspace, pattern: str, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        tree.grep(pattern)


@pytest.mark.sample(2)
@pytest.mark.parametrize("pattern", ["a(b", "[", "a{1000}{1000}{1000}", r"(?<=a)b", r"\1", "*"])
def test_expressions_that_cannot_be_read(tree: Workspace, pattern: str) -> None:
    with pytest.raises(RequestError, match="cannot be read"):
        tree.grep(pattern, regex=True)


def test_wrong_requests(tree: Workspace) -> None:
    for fields in (
        {"where": "nowhere"},
        {"max_items": 0},
        {"paths": ["x"] * 2_000},
        {"regex": "yes"},
    ):
        with pytest.raises(RequestError):
            tree.grep(GrepRequest(pattern="x", **fields))


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["(a*)*b", "(a|a)*c", "(a+)+$", "(?:a?){200}a{200}"])
def test_an_expression_that_never_ends_in_other_engines(
    make_workspace: Maker, pattern: str
) -> None:
    workspace = make_workspace({"a.txt": "a" * 100_000, "b.py": "x = '" + "a" * 5_000 + "'\n"})
    began = time.monotonic()
    workspace.grep(pattern, regex=True, seconds=20.0)
    assert time.monotonic() - began < 15


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("pattern", [".", ".*", "", "^", r"\w*", "x*"])
def test_an_expression_that_matches_everything(make_workspace: Maker, pattern: str) -> None:
    workspace = make_workspace({"a.txt": "some text\n" * 50_000, "b.py": "def f(): pass\n" * 50})
    if not pattern:
        with pytest.raises(RequestError, match="empty"):
            workspace.grep(pattern, regex=True)
        return
    response = workspace.grep(pattern, regex=True, max_items=5)
    assert (
        response.at_least == 5_050
        and sum(len(row.lines) for file in response.files for row in file.items) <= 5_050
    )
    assert len(render_grep(response)) < 5_000


def test_files_as_they_are_now(tree: Workspace) -> None:
    tree.grep("not found")
    write_files(
        tree.root,
        {
            "new/deep/fresh.txt": "brand new text\n",
            "src/app.py": "def other():\n    return 'brand new text'\n",
        },
    )
    response = tree.grep("brand new text")
    assert rows(response) == ["src/app.py:2 -", "new/deep/fresh.txt:1 -"]
    assert (
        response.notices is not UNSET
        and "src/app.py has changed since it was indexed" in response.notices[0]
    )
    (tree.root / "new/deep/fresh.txt").unlink()
    (tree.root / ".gitignore").write_text("src/\n")
    assert rows(tree.grep("brand new text")) == []


def test_a_link_leads_nowhere(make_workspace: Maker, tmp_path: Path) -> None:
    workspace = make_workspace({"a.txt": "inside\n"})
    (tmp_path / "outside.txt").write_text("secret text\n")
    (workspace.root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (workspace.root / "folder").symlink_to(tmp_path)
    assert rows(workspace.grep("secret text")) == []


def test_hits_of_one_line_count_once(make_workspace: Maker) -> None:
    response = make_workspace({"a.py": "def f():\n    return 'x x x'\n"}).grep("x")
    assert (rows(response), response.total) == (["a.py:2 f"], 1)


def test_literals_over_several_lines(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "def f():\n    a = 1\n    b = 2\n"})
    assert rows(workspace.grep("a = 1\n    b")) == ["a.py:2 f"]


@pytest.mark.parametrize(
    ("text", "regex", "data", "expected"),
    [
        ("a", False, b"xa\na a\n", [(1, 2), (3, 4)]),
        ("x*", True, b"ax\nxx\n", [(0, 0), (3, 5)]),
        ("$", True, b"a\nb\n", [(1, 1), (3, 3)]),
        ("x*", True, b"a\n\nb", [(0, 0), (2, 2), (3, 3)]),
        ("x*", True, b"", []),
        ("é", False, "é\n".encode(), [(0, 2)]),
        (".", True, b"\xff\xfe\nz", [(3, 4)]),
        (r"a\n *b", True, b"a\n  b\nab\n", [(0, 5)]),
        ("(?s)a.*b", True, b"a\n\nb\n", [(0, 4)]),
        ("(?is)A.b", True, b"a\nb\n", [(0, 3)]),
        (r"a\s+b", True, b"a\nb\n", []),
        (r"a\\n", True, b"a\nn\na\\n\n", [(4, 7)]),
        (r"\n", True, b"a\nb\n", [(1, 2), (3, 4)]),
    ],
)
def test_the_first_hit_of_each_line(
    text: str, regex: bool, data: bytes, expected: list[tuple[int, int]]
) -> None:
    assert byte_pattern(text, regex, False).first_of_lines(data, 100) == expected


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        ("not found", "not found"),
        (r"raise \w+\(", "raise "),
        ("abc+d", "abc"),
        ("abc?d", "ab"),
        ("abc*", "ab"),
        ("ab{2,3}cd", "cd"),
        ("(abc)?d", "d"),
        ("(abc)+", ""),
        ("abc|d", ""),
        ("(?i)abc", ""),
        ("[abc]def", "def"),
        ("[]abc]def", "def"),
        (r"[\]abc]def", "def"),
        (r"\bfoo\.bar\b", "foo.bar"),
        (r"\x41bc", "bc"),
        (r"\x{41}bc", "bc"),
        (r"\pLbc", "bc"),
        (r"\p{Greek}bc", "bc"),
        (r"\Qa.b\E", ""),
        ("[[:alpha:]]bc", "bc"),
        ("^abc$", "abc"),
        ("a.c", "a"),
        ("", ""),
    ],
)
def test_literals_that_every_hit_contains(pattern: str, required: str) -> None:
    assert _required(pattern) == required


@pytest.mark.nightly
@given(st.text("ab.*+?()[]{}|\\^$12,", max_size=12), st.text("ab.12", max_size=20))
def test_what_is_required_loses_no_hit(pattern: str, text: str) -> None:
    """A search finds the same hits with and without the filter for a literal that every hit
    contains."""
    try:
        expression = byte_pattern(pattern or "a", True, False)
    except RequestError:
        return
    data = text.encode()
    assert expression.holds(data) == expression._replace(literal=b"").holds(data)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "text",
    [
        "words that stand here\nand some more words",
        "long words " * 180,
        " ".join(f"word{n}" * 9 for n in range(38)),
        "été à \ufffd  mots",
    ],
)
def test_texts_that_occur_nowhere(tree: Workspace, text: str) -> None:
    """Texts of several lines, of very many or very long words, and of other characters are not
    found and cause no error."""
    assert tree.grep(text[:2_000]).at_least == 0


def test_an_empty_document_counts_instead_of_its_file(make_workspace: Maker) -> None:
    """Text deleted in an editor is no longer found, neither whole nor by its words."""
    workspace = make_workspace({"a.py": "raise ValueError('the cart is already closed')\n"})
    texts = ("cart is already", "the cart 17 is already open")
    assert all(workspace.grep(text).at_least for text in texts)
    for text in texts:
        request = GrepRequest(pattern=text)
        response = workspace._read_tree(
            lambda tree, request=request: grep(  # type: ignore[misc]
                tree._replace(texts={"a.py": b""}), request, 1_000_000, 5.0, seconds=5.0
            ),
            CACHED,
        )
        assert response.at_least == 0


def test_a_lack_of_time_is_reported(tree: Workspace) -> None:
    response = tree.grep("not found", seconds=0.0)
    assert (
        response.total is None
        and response.notices is not UNSET
        and "out of time: 0 of" in response.notices[0]
        and response.notices[0].endswith("; narrow with paths")
    )


@pytest.mark.slow
def test_a_file_that_is_being_rewritten(tree: Workspace) -> None:
    """Every answer describes one moment: a row shows a line that existed then."""
    path, stop = tree.root / "src" / "app.py", threading.Event()
    texts = ["x = 'not found'\n" * count for count in (1, 500, 3)] + [""]

    def rewrite() -> None:
        while not stop.is_set():
            for text in texts:
                path.write_text(text)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        for _ in range(30):
            for where in ("all", "strings"):
                response = tree.grep("not found", where=where, paths=["src/**"])
                assert all("not found" in row.text for file in response.files for row in file.items)
            tree.symbol("src/app.py:1-3") if path.stat().st_size else None
    except RequestError as error:  # the file was truncated after its size was read
        assert "there is no line" in str(error)
    finally:
        stop.set()
        writer.join()


def test_an_empty_answer_reports_a_file_that_is_too_large(tmp_path: Path) -> None:
    write_files(
        tmp_path / "tree",
        {
            "long.py": f"x = '{'a' * 3_000_000}'\ndef after_long(): pass\n",
            "b.py": "def other(): pass\n",
        },
    )
    with Workspace(tmp_path / "tree", tmp_path / "index") as workspace:
        workspace.refresh()
        assert "long.py (larger than the size limit)" in " ".join(
            workspace.grep("after_long").notices or []
        )
        assert "long.py" not in " ".join(workspace.grep("other").notices or [])


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("folder", "paths", "said"),
    [
        ("", None, "a.py, lib/b.py, lib/c.py and 1 more"),
        ("lib/", None, "lib/b.py, lib/c.py, lib/d.py"),
        ("lib/", ["lib/b.py"], "lib/b.py"),
        ("lib/", ["a.py"], ""),
        ("lib", None, ""),
    ],
)
def test_rows_of_folders_that_the_index_could_not_read_lack_symbols_and_say_so(
    make_workspace: Maker, folder: str, paths: list[str] | None, said: str
) -> None:
    """Files in such a folder are searched as text. In code alone, only what the index contains is
    searched."""
    workspace = make_workspace({"other.py": "x = 1\n"})
    files = ["a.py", "lib/b.py", "lib/c.py", "lib/d.py"]
    write_files(workspace.root, {path: "def f():\n    go(1)\n" for path in files})
    skips = [
        Skip(folder, SkipReason.UNREADABLE, "Too many open files"),
        Skip("lib/", SkipReason.CRASHED),
    ]

    def found(where: Where) -> GrepResponse:
        request = GrepRequest(pattern="go", where=where)
        if paths is not None:
            request.paths = paths
        return workspace._read_tree(
            lambda tree: grep(
                tree._replace(unread=lambda: skips), request, 1_000_000, 5.0, seconds=5.0
            ),
            CACHED,
        )

    notice = f"the index could not read the folder of {said}: languages and symbols are left out"
    assert found("all").notices == ([notice] if said else UNSET)
    in_code = found("code")
    assert in_code.files == []
    assert f"1 file was not looked into: {folder or '.'} (unreadable)" in (in_code.notices or [])


def test_each_line_is_a_row_where_that_is_wanted(make_workspace: Maker) -> None:
    tree = make_workspace({"a.py": "def f():\n    go(1)\n    go(2)\n\ngo(3)\n"})
    assert [item.lines for item in tree.grep("go").files[0].items] == [[3], []]
    whole = [
        (item.line, item.text, item.container)
        for item in tree.grep("go", each_line=True).files[0].items
    ]
    assert whole == [(2, "go(1)", "f"), (3, "go(2)", "f"), (5, "go(3)", None)]
    first = tree.grep("go", each_line=True, max_items=2)
    rest = tree.grep("go", each_line=True, max_items=2, pagination_id=first.pagination_id)
    assert [item.line for page in (first, rest) for item in page.files[0].items] == [2, 3, 5]
