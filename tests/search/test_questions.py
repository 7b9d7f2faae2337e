"""Questions in plain words: the rows of the answer, their order, and the notice about words that no
row contains."""

from collections.abc import Iterator

import pytest

from symindex.index import overlay
from symindex.search.words import word_cache
from symindex.search.words.weights import DIVERSE
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files

FILES: Files = {
    "net/retry.py": """
class Backoff:
    '''How long to wait before a request is tried again.'''
    def next_delay(self, attempt): pass
    def reset(self): pass

def retryRequest(request, backoff): pass
""",
    "net/client.py": """
class Client:
    '''Sends requests.'''
    def send(self, request): pass
    def parsing_errors(self): pass
""",
    "config.py": """
def load_settings(path):
    '''Parses the file of the settings.'''
class 設定: pass
def go(x): pass
""",
    "tests/test_retry.py": "def test_retry_backoff(): pass\n",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("questions")
    with Workspace(write_files(folder / "tree", FILES), folder / "index") as made:
        made.refresh()
        yield made


def ask(workspace: Workspace, query: str) -> tuple[list[str], list[str]]:
    """Returns the names that a question finds, and the notices."""
    response = workspace.search(query)
    return [item.name for item in response.items], list(response.notices or ())


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("where is the retry backoff", "Backoff"),  # a test never ranks before the code it tests
        ("how are settings parsed", "load_settings"),  # forms of words
        ("parse errors", "parsing_errors"),
        ("wait before trying again", "Backoff"),  # a doc
        ("client send", "Client"),  # a type of that name
        ("設定 config", "設定"),
        ("the go", "go"),  # two letters
    ],
)
def test_the_first_row_answers(query: str, first: str, workspace: Workspace) -> None:
    assert ask(workspace, query)[0][0] == first


def test_rows_that_hold_all_words_come_before_those_that_hold_some(workspace: Workspace) -> None:
    names, notices = ask(workspace, "request backoff")
    assert {*names[:2]} == {"retryRequest", "Backoff"} and {"Client", "send"} < {*names}
    assert notices == ["2 symbols contain both words; the others contain some of them"]


COMPACTION: Files = {
    # only the declaration describes what it does
    "db.cc": "void CompactRange(int begin) {}\nstruct Range { int keys; };\n",
    "db.h": "// Compacts a range of keys.\nvoid CompactRange(int begin);\n",
    "keys.cc": "struct Keys {};\nstruct Range2 {};\nvoid range_keys() {}\n",
    "tests/compact_range_keys_test.cc": "void compact_range_keys() {}\n",
    "guide.py": "def read(x):\n    '''How to compact what has ranges, and keys.'''\n",
}


def test_a_type_named_like_one_word_never_comes_before_rows_with_all(make_workspace: Maker) -> None:
    """Nor does a test come before the code it tests."""
    workspace = make_workspace(COMPACTION)
    items = workspace.search("compact a range of keys").items
    marks = [
        item.match == "some words" for item in items if not item.file_path.startswith("tests/")
    ]
    assert marks == sorted(marks) and set(marks) == {False, True}
    assert (items[0].name, items[0].file_path) == ("CompactRange", "db.cc")
    for limit in range(1, len(items)):
        assert workspace.search("compact a range of keys", max_items=limit).items == items[:limit]
    first = workspace.search("test that compacts a range of keys").items[0]
    assert first.file_path == "tests/compact_range_keys_test.cc"


LONG_DOC = " ".join(f"word{number}" for number in range(60))
LONG: Files = {
    "parser.py": "class HeaderParser:\n    def parse_http_header(self): pass\n",
    "notes.py": f"def notes():\n    '''Notes.\n\n    {LONG_DOC} parse http header strictly\n    '''\n",
}


@pytest.mark.parametrize(
    ("query", "first"),
    [("header strictly", "notes"), ("parse http header strictly", "parse_http_header")],
)
def test_of_three_words_most_in_a_name_are_better_than_all_in_a_long_doc(
    query: str, first: str, make_workspace: Maker
) -> None:
    workspace = make_workspace(LONG)
    items = workspace.search(query, include=["score"]).items
    assert items[0].name == first
    # No row of a longer question is certain as long as some have only a part of it.
    assert (items[0].score < 0.5) == (first != "notes")  # type: ignore[operator]


LOADERS = {
    f"{name}.py": f"def load_{name}(path):\n    '''Loads settings.'''\n    return path\n"
    for name in "abc"
}


@pytest.mark.nightly
def test_a_file_that_repeats_a_word_of_the_question_comes_first(make_workspace: Maker) -> None:
    """The word is in no symbol. An edit and a new index agree on it."""
    workspace = make_workspace(LOADERS)
    names = [item.name for item in workspace.search("load settings again").items]
    assert names == ["load_a", "load_b", "load_c"]
    body = "    again = 1\n    return again + path\n"
    write_files(workspace.root, {"b.py": LOADERS["b.py"].replace("    return path\n", body)})
    workspace.refresh()
    edited = workspace.search("load settings again", include=["score"])
    assert [item.name for item in edited.items] == ["load_b", "load_a", "load_c"]
    workspace.refresh(rebuild=True)
    assert workspace.search("load settings again", include=["score"]).items == edited.items
    write_files(workspace.root, {"b.py": LOADERS["b.py"].replace("return path", "return again")})
    workspace.refresh()
    assert workspace.search("load settings again").items[0].name == "load_a"  # once is not enough


def test_tests_come_after_many_rows_with_all_words(make_workspace: Maker) -> None:
    files: Files = {
        f"m{number}.py": f"def send_mail_of_kind_{number}(letter): pass\n" for number in range(12)
    }
    files["tests/test_send_mail.py"] = "def send_mail(): pass\n\n\ndef test_mail_send(): pass\n"  # type: ignore[index]
    workspace = make_workspace(files)
    paths = [item.file_path for item in workspace.search("mail that is sent").items]
    assert len(paths) == 14 and paths.index("tests/test_send_mail.py") == 12
    assert (
        workspace.search("test mail that is sent").items[0].file_path == "tests/test_send_mail.py"
    )


def test_words_that_no_row_holds_are_named(workspace: Workspace) -> None:
    names, notices = ask(workspace, "zebra settings")
    assert names == ["load_settings"]
    assert notices == ['1 of 2 words: no symbol contains "zebra"']


def test_misspelt_words_are_corrected_one_by_one(workspace: Workspace) -> None:
    names, notices = ask(workspace, "retyr setings")
    assert {"retryRequest", "load_settings"} <= {*names}
    assert notices[:2] == [
        'no symbol contains "retyr": "retry" was searched for',
        'no symbol contains "setings": "settings" was searched for',
    ]
    response = workspace.search("retyr setings", fuzzy=False)
    assert response.total == 0 and "was searched for" not in str(response.notices)


def test_common_words_decide_nothing_unless_there_are_no_others(workspace: Workspace) -> None:
    assert ask(workspace, "what is the client of this") == ask(workspace, "client of")
    assert ask(workspace, "AND".join([" the ", " retry "]))[0] == ask(workspace, "retry kind:*")[0]


def test_one_word_is_joined_by_its_parts_where_no_name_begins_with_it(workspace: Workspace) -> None:
    assert "Backoff" in ask(workspace, "delay_request")[0] or ask(workspace, "wait_again")[0] == [
        "Backoff"
    ]
    assert ask(workspace, "retryReq")[0] == ["retryRequest"]


def test_a_score_is_between_0_and_1(workspace: Workspace) -> None:
    for query in ("retry backoff", "the", "zebra settings client"):
        for item in workspace.search(query, include=["score"]).items:
            assert isinstance(item.score, float) and 0 < item.score < 1


def test_the_first_rows_are_of_many_files_and_further_ones_of_theirs_follow(
    make_workspace: Maker,
) -> None:
    many = "".join(f"def send_mail_{n}(): pass\n" for n in range(8))
    files: Files = {
        "mail.py": many,
        **{f"m{n}.py": f"def mail_{'more_' * n}send(): pass\n" for n in range(1, 31)},
    }
    items = make_workspace(files).search("send mail").items
    shown = [item.file_path for item in items[:DIVERSE]]
    assert shown.count("mail.py") == 2 and len({*shown}) == DIVERSE - 1
    assert [item.file_path for item in items[:20]].count("mail.py") > 2


def test_symbols_that_other_files_use_come_first_among_equals(make_workspace: Maker) -> None:
    files: Files = {
        "a.py": "def send_mail_one(): pass\n",
        "b.py": "def send_mail_two(): pass\n",
        **{f"u{n}.py": "send_mail_two()\n" for n in range(9)},
    }
    assert ask(make_workspace(files), "send mail")[0] == ["send_mail_two", "send_mail_one"]


def test_cached_words_belong_to_the_snapshot(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit changes lengths and frequencies, and the cache stays small."""
    monkeypatch.setattr(overlay, "FEW_SYMBOLS", 10**9)
    workspace = make_workspace(
        {
            "a.py": "def send_mail(letter, to): 'Letters.'\ndef send(): pass\n",
            "b.py": "def mail(x): pass\n",
        }
    )
    for limit in (word_cache.MOST_PLACES, 60):
        monkeypatch.setattr(word_cache, "MOST_PLACES", limit)
        for number in range(3):
            write_files(
                workspace.root,
                {
                    "c.py": f"def read_{number}(a, b, c):\n    '''{'Some long text. ' * number * 9}'''\n"
                },
            )
            workspace.refresh(paths={"c.py"})
            assert len(workspace.source.indexed.snapshot.parts) > 1
            fresh = Workspace(workspace.root, workspace.root.parent / f"fresh{limit}-{number}")
            fresh.refresh()
            for query in ("send mail", "mail read", "letter mail", "to AND mail", "long text"):
                mine, other = (
                    tree.search(query, include=["score"]).items for tree in (workspace, fresh)
                )
                assert mine == other
