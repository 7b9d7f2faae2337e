"""What the pages show, without a browser."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from symindex.editor import named_here
from symindex.protocol.search import SearchItem
from symindex.serve.web.pages import search_page
from tests.support.files import write_files
from tests.support.git import git
from tests.support.web_pages import Elements, Pages, pages_of

FILES = {
    "README.md": "# Shop\n\nSells [tea](src/tea.py) and ![a leaf](leaf.png).\n",
    "src/tea.py": (
        '"""Kinds of tea."""\n\n\nclass Tea:\n    """A leaf & water."""\n\n'
        "    def brew(self, minutes: int) -> str:\n        return 'hot' * minutes\n\n\n"
        "def serve_tea() -> str:\n    return Tea().brew(3)\n"
    ),
    "src/long.py": "".join(f"def f{n}():\n    return f{n - 1}\n\n" for n in range(1, 500)),
    "tests/test_tea.py": "from src.tea import Tea\n\n\ndef test_tea():\n    assert Tea().brew(1)\n",
    "web/page.go": "package web\n\nfunc Brew() {}\n",
    "odd/symbol/a#b.py": "def odd_place(): pass\n",
    "web/shared.go": "package web\n\nfunc shared() {}\n",
    "far/away/shared.py": "def shared(): pass\n",
    "web/use.py": "shared()\n",
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    folder = tmp_path_factory.mktemp("pages")
    with pages_of(write_files(folder / "shop", FILES), index_dir=folder / "index") as pages:
        yield pages


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    folder = tmp_path_factory.mktemp("two")
    one = write_files(folder / "one", {"a.py": "def in_one(): pass\n"})
    two = write_files(folder / "two", {"b.py": "def in_two(): pass\n"})
    with pages_of(one, two, index_dir=folder / "index") as pages:
        yield pages


def elements(pages: Pages, address: str, status: int = 200) -> Elements:
    answer = pages.get(address)
    assert answer.status == status, answer.text
    return Elements(answer.text)


def words(html: Elements) -> str:
    return " ".join("".join(html.text).split())


def test_a_row_shows_what_matched_and_where(pages: Pages) -> None:
    html = elements(pages, "/search?q=bre")
    assert html.named("mark")
    assert "brewin Tea src/tea.py:7" in words(html)
    assert "/shop/-/symbol/src/tea.py%23Tea.brew" in html.links()
    assert "/shop/-/src/tea.py#L7" in html.links()


def test_a_typed_query_gets_rows_alone(pages: Pages) -> None:
    answer = pages.get("/search?q=brew&part=live")
    assert "<html" not in answer.text and 'data-total="2"' in answer.text
    assert "/shop/-/symbol/src/tea.py%23Tea.brew" in Elements(answer.text).links()


def test_a_query_that_cannot_be_read_says_what_is_wrong(pages: Pages) -> None:
    html = elements(pages, "/search?q=kind%3Anothing", 400)
    assert "unknown kind 'nothing'" in words(html)


def test_nothing_found_says_what_is_near(pages: Pages) -> None:
    html = words(elements(pages, "/search?q=serve_tee_x"))
    assert "No symbol found" in html or "serve_tea" in html


def test_an_empty_query_shows_what_there_is(pages: Pages, two: Pages) -> None:
    assert "What matters most here" in words(elements(pages, "/search?q="))
    assert "2 repositories" in words(elements(two, "/search?q="))
    assert {"/one/-/", "/two/-/"} <= set(elements(two, "/").links())


def test_a_query_that_is_too_long_is_refused(pages: Pages) -> None:
    assert "at most 10,000 are read" in words(elements(pages, f"/search?q={'x' * 10_001}", 404))
    assert "the address is too long" in words(elements(pages, f"/search?q={'x' * 17_000}", 404))


def test_a_pasted_trace_shows_its_frames(pages: Pages) -> None:
    trace = 'Traceback (most recent call last):%0A  File "src/tea.py", line 12, in serve_tea%0A'
    html = elements(pages, f"/search?q={trace.replace(' ', '%20')}")
    assert "1 of 1 frames are in this tree" in words(html)
    assert "/shop/-/src/tea.py#L12" in html.links()


def test_a_file_links_its_names_to_their_cards(pages: Pages) -> None:
    html = elements(pages, "/shop/-/src/tea.py")
    cards = [link for link in html.links() if "?at=" in link]
    assert "?at=12:12" in cards  # Tea, in serve_tea
    assert not any(link.startswith("?at=5:") for link in cards)  # a docstring
    card = elements(pages, "/shop/-/src/tea.py?at=12:18")
    assert "brew" in words(card)
    assert "/shop/-/src/tea.py#L7" in card.links()


MEANT = {
    "one/cup.py": "class Cup:\n    def fill_up(self): pass\n",
    "two/cup.py": "class Cup:\n    size_now = 1\n\n    def fill_up(self): pass\n",
    "use.py": (
        "import json\nfrom one import cup\nfrom two.cup import Cup\nfrom drinks import Tray\n\n\n"
        "def pour(size_now, unknown):\n    Cup().fill_up()\n    print(size_now)\n"
        "    cup.Cup()\n    Tray()\n    unknown.fill_up()\n"
    ),
    "three/tray.py": "class Tray: pass\n",
}


@pytest.fixture(scope="module")
def meant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    folder = tmp_path_factory.mktemp("meant")
    with pages_of(write_files(folder / "app", MEANT), index_dir=folder / "index") as pages:
        yield pages


@pytest.mark.parametrize(
    ("at", "text", "place"),
    [
        pytest.param("8:5", "", "/two/cup.py#L1", id="an imported name"),
        pytest.param("8:11", "", "/two/cup.py#L4", id="a member of a value whose type is known"),
        pytest.param("10:9", "", "/one/cup.py#L1", id="a name of a module"),
        pytest.param("7:5", "", "/use.py#L7", id="its own definition"),
        pytest.param(
            "9:11", "A local name: line 7 binds it", "/use.py#L7", id="a parameter, not a field"
        ),
        pytest.param("2:17", "A module", "/one/cup.py#L1", id="a module"),
        pytest.param("11:5", "drinks.Tray", "", id="a library's name, not a namesake"),
    ],
)
def test_a_card_shows_what_a_name_is_bound_to(meant: Pages, at: str, text: str, place: str) -> None:
    card = elements(meant, f"/app/-/use.py?at={at}&part=card")
    assert text in words(card) and "Found by name" not in words(card)
    places = {link.removeprefix("/app/-") for link in card.links() if "#L" in link}
    assert places == ({place} if place else set())


def test_a_card_lists_all_of_the_name_if_nothing_binds_it(meant: Pages) -> None:
    card = elements(meant, "/app/-/use.py?at=12:13&part=card")
    assert "Found by name" in words(card)
    assert {"/app/-/one/cup.py#L2", "/app/-/two/cup.py#L4"} <= set(card.links())


def test_a_card_whose_time_is_over_lists_all_of_the_name(
    meant: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named_here, "SECONDS", 0.0)
    assert "Found by name" in words(elements(meant, "/app/-/use.py?at=8:5&part=card"))


def test_a_card_says_that_it_knows_names_alone(pages: Pages) -> None:
    card = elements(pages, "/shop/-/web/use.py?at=1:1")
    assert "Found by name, the likeliest first" in words(card)
    links = card.links()
    # Another language is unlikelier than another folder.
    assert links.index("/shop/-/far/away/shared.py#L1") < links.index("/shop/-/web/shared.go#L3")


@pytest.mark.parametrize(
    ("at", "why"),
    [
        ("x", "expected LINE:COLUMN"),
        ("1:1", "no name at"),
        ("9999:1", "no name at"),
        ("2:1", "no name at"),
    ],
)
def test_a_place_without_a_name_is_said(pages: Pages, at: str, why: str) -> None:
    assert why in words(elements(pages, f"/shop/-/src/tea.py?at={at}", 404))


def shown_lines(html: Elements) -> list[int]:
    return [
        int(given["id"][1:])
        for given in html.named("span")
        if re.fullmatch(r"L\d+", given.get("id", ""))
    ]


def test_a_long_file_is_shown_by_windows(pages: Pages) -> None:
    first = elements(pages, "/shop/-/src/long.py")
    assert shown_lines(first) == [*range(1, 501)]
    assert not first.named("ul") or "notices" not in [
        each.get("class") for each in first.named("ul")
    ]
    assert "/shop/-/src/long.py?lines=501" in first.links()
    later = shown_lines(elements(pages, "/shop/-/src/long.py?lines=1200"))
    assert later[0] == 1100 and 1200 in later
    part = pages.get("/shop/-/src/long.py?part=lines&lines=501-510").text
    assert "<html" not in part and shown_lines(Elements(part)) == [*range(501, 511)]
    assert "there is no line" in words(elements(pages, "/shop/-/src/long.py?lines=99999", 404))


def test_a_symbol_shows_its_doc_code_and_members(pages: Pages) -> None:
    html = elements(pages, "/shop/-/symbol/src/tea.py%23Tea")
    text = words(html)
    assert "A leaf & water." in text and "class Tea" in text and "return 'hot' * minutes" in text
    assert "/shop/-/symbol/src/tea.py%23Tea?show=references" in html.links()


def test_references_say_how_many_and_in_which_role(pages: Pages) -> None:
    html = elements(pages, "/shop/-/symbol/src/tea.py%23Tea?show=references")
    assert "references in 2 files" in words(html)
    assert "/shop/-/tests/test_tea.py#L1" in html.links()
    part = pages.get("/shop/-/symbol/src/tea.py%23Tea?show=references&role=import&part=dock")
    assert "<html" not in part.text
    links = Elements(part.text).links()
    assert "/shop/-/tests/test_tea.py#L1" in links and "/shop/-/src/tea.py#L12" not in links


@pytest.mark.parametrize(
    ("relation", "name"),
    [("callers", "serve_tea"), ("tests", "test_tea"), ("callees", "None found")],
)
def test_relations_of_a_method(pages: Pages, relation: str, name: str) -> None:
    address = f"/shop/-/symbol/src/tea.py%23Tea.brew?show={relation}"
    assert name in words(elements(pages, address))


def test_a_symbol_that_is_gone_says_what_is_nearest(pages: Pages) -> None:
    html = elements(pages, "/shop/-/symbol/src/tea.py%23Tea.brewed", 404)
    assert "is gone" in words(html)
    assert "/shop/-/symbol/src/tea.py%23Tea.brew" in html.links()


def test_a_folder_lists_what_is_in_it(pages: Pages) -> None:
    html = elements(pages, "/shop/-/")
    assert {"/shop/-/src/", "/shop/-/tests/", "/shop/-/README.md"} <= set(html.links())
    assert "/shop/-/src/tea.py" in html.links()  # the link of the README
    assert "/shop/-/leaf.png?view=raw" in [given.get("src") for given in html.named("img")]
    assert pages.get("/shop/-/src").headers["location"] == "/shop/-/src/"
    assert "/shop/-/src/tea.py" in elements(pages, "/shop/-/src/").links()


def test_a_file_may_have_the_form_of_a_symbol(pages: Pages) -> None:
    html = elements(pages, "/search?q=odd_place")
    link = next(link for link in html.links() if link.startswith("/shop/-/odd"))
    assert link == "/shop/-/odd/symbol/a%23b.py#L1"


def test_raw_is_the_bytes_of_the_file(pages: Pages) -> None:
    assert pages.get("/shop/-/src/tea.py?view=raw").text == FILES["src/tea.py"]


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("/nowhere/-/a.py", "no repository 'nowhere'"),
        ("/shop/-/nothing.py", "nothing.py"),
        ("/shop/-/.git/config", "version control"),
        ("/shop/-/.git/config?view=raw", "version control"),
        ("/shop/-/..%2f..%2fetc/passwd", "leads out of the repository"),
        ("/shop/-/..%2f..%2fetc/passwd?view=raw", "leads out of the repository"),
    ],
)
def test_what_is_not_there_is_said_in_a_line(pages: Pages, address: str, why: str) -> None:
    html = elements(pages, address, 404)
    assert why in words(html)
    assert "Traceback" not in words(html) and "internal error" not in words(html)


def test_the_examples_of_the_help_find_something(pages: Pages) -> None:
    html = elements(pages, "/-/help")
    examples = [link for link in html.links() if link.startswith("/search?q=")]
    assert len(examples) >= 5
    for example in examples:
        if "is%3Atest" in example:
            continue
        assert "No symbol found" not in words(elements(pages, example)), example


def test_static_files_may_be_kept(pages: Pages) -> None:
    style = next(
        given["href"]
        for given in elements(pages, "/").named("link")
        if given["rel"] == "stylesheet"
    )
    answer = pages.get(style)
    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]
    assert pages.get("/-/static/site.py").status == 404
    assert pages.get("/-/static/..%2fsite.py").status == 404


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """A repository with two commits, and a file that has changed since."""
    folder = tmp_path_factory.mktemp("past")
    root = write_files(folder / "app", {"a.py": "def one():\n    return 1\n", "b.py": "b = 1\n"})
    commit = ("-c", "user.name=Ann <x>", "-c", "user.email=a@b.example", "commit", "-q", "-m")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, *commit, "first <b>")
    git(root, "tag", "v1")
    write_files(root, {"a.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n"})
    git(root, "add", "-A")
    git(root, *commit, "second")
    write_files(root, {"b.py": "b = 2\n"})
    with pages_of(root, index_dir=folder / "index") as pages:
        yield pages


def test_a_file_in_a_commit(past: Pages) -> None:
    html = elements(past, "/app@v1/-/a.py")
    assert shown_lines(html) == [1, 2] and "as in" in words(html)
    assert not [link for link in html.links() if "?at=" in link]
    assert "there is no line 9" in words(elements(past, "/app@v1/-/a.py?lines=9", 404))
    assert "no version 'v9'" in words(elements(past, "/app@v9/-/a.py", 404))


def test_who_changed_each_line(past: Pages) -> None:
    html = words(elements(past, "/app/-/a.py?view=blame"))
    assert "Ann x: first <b>" in html and ": second" in html
    assert "not committed yet" in words(elements(past, "/app/-/b.py?view=blame"))


def test_the_commits_of_a_file_and_of_lines(past: Pages) -> None:
    assert "second" in words(elements(past, "/app/-/a.py?view=history"))
    html = elements(past, "/app/-/a.py?view=history&lines=1-2")
    assert "first <b>" in words(html) and "second" not in words(html)
    assert "+def one():" in words(html)
    links = [link for link in html.links() if link.startswith("/app@")]
    assert links and past.get(links[0]).status == 200


def test_a_permalink_names_the_commit(past: Pages) -> None:
    answer = past.get("/app/-/a.py?view=permalink")
    assert answer.status == 303
    assert re.fullmatch(r"/app@[0-9a-f]{12}/-/a\.py", answer.headers["location"])
    assert past.get(answer.headers["location"]).status == 200
    refused = words(elements(past, "/app/-/b.py?view=permalink", 404))
    assert "b.py has changes that no commit contains" in refused


def test_what_changed_since_a_commit(past: Pages) -> None:
    html = words(elements(past, "/app/-/?since=v1"))
    assert "changed since v1" in html and "two" in html and "added" in html
    assert "no version 'nothing'" in words(elements(past, "/app/-/?since=nothing", 404))


def test_a_tree_without_git_says_so(pages: Pages) -> None:
    for address in ("/shop/-/src/tea.py?view=blame", "/shop/-/?since=HEAD", "/shop@v1/-/README.md"):
        assert "git" in words(elements(pages, address, 404)), address


ODD: dict[str, str | bytes] = {
    "with space#hash?.py": "def in_odd_file(): pass\n",
    "long.py": "".join(f"def g{n}(): pass\n" for n in range(900)),
    "pic.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 50,
    "blob.bin": b"\0\1\2\3" * 100,
    "padded.py": "def near(): pass\n" + "\n" * 600 + "def far(): pass\n",
    "settings.toml": "limit = 'TIMEOUT_IS_42'\n",
    "evil.html": "<h1>not ours</h1>\n",
}


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """Repositories whose names or files are odd."""
    folder = tmp_path_factory.mktemp("odd")
    one = write_files(folder / "my@tree", ODD)
    two = write_files(folder / "-", {"b.py": "def in_two(): pass\n"})
    (folder / "empty").mkdir()
    with pages_of(one, two, folder / "empty", index_dir=folder / "index") as pages:
        yield pages


def test_every_link_of_a_folder_leads_to_a_page(odd: Pages) -> None:
    for home in (link for link in elements(odd, "/").links() if "/-/" in link):
        for link in elements(odd, home).links():
            if link.startswith("/my@tree/-/") or link.startswith("/-~/-/"):
                assert odd.get(link).status == 200, link
    assert "def in_odd_file" in words(elements(odd, "/my@tree/-/with%20space%23hash%3F.py"))


def test_an_empty_repository_says_so(odd: Pages) -> None:
    assert "There are no files here" in words(elements(odd, "/empty/-/"))


def test_files_that_are_no_text_are_listed_and_explained(odd: Pages) -> None:
    links = elements(odd, "/my@tree/-/").links()
    assert {"/my@tree/-/pic.png", "/my@tree/-/blob.bin"} <= set(links)
    assert "This file is binary" in words(elements(odd, "/my@tree/-/blob.bin"))
    picture = elements(odd, "/my@tree/-/pic.png")
    assert "/my@tree/-/pic.png?view=raw" in [given["src"] for given in picture.named("img")]


def test_far_lines_are_reached_without_a_script(odd: Pages) -> None:
    link = next(
        link
        for link in elements(odd, "/search?q=g850").links()
        if link.startswith("/my@tree/-/long")
    )
    assert link == "/my@tree/-/long.py?lines=851#L851"
    assert 851 in shown_lines(elements(odd, link.partition("#")[0]))
    outline = elements(odd, "/my@tree/-/padded.py").links()
    assert {"#L1", "/my@tree/-/padded.py?lines=602#L602"} <= set(outline)


def test_text_is_found_in_files(odd: Pages) -> None:
    html = elements(odd, "/search?q=TIMEOUT_IS_42&in=text")
    assert "1 line" in words(html) and "/my@tree/-/settings.toml#L1" in html.links()
    assert "/search?q=TIMEOUT_IS_42&in=text" in elements(odd, "/search?q=TIMEOUT_IS_42").links()
    assert "1 line" in words(elements(odd, "/search?q=TIME.*42&in=text&regex=1"))
    refused = words(elements(odd, "/search?q=(&in=text&regex=1", 400))
    assert "regular expression" in refused


def test_a_search_within_a_repository(odd: Pages) -> None:
    html = elements(odd, "/search?q=in&within=my@tree")
    assert "in_odd_file" in words(html) and "in_two" not in words(html)
    query = next(given["value"] for given in html.named("input") if given.get("id") == "q")
    assert query == "in | path:my@tree/**"
    assert 'name="within"' in odd.get("/my@tree/-/").text
    assert 'name="within"' not in odd.get("/search?q=in").text


def test_only_our_own_parts_are_marked_as_such(odd: Pages) -> None:
    assert odd.get("/search?q=in&part=live").headers["x-symindex-part"] == "1"
    assert odd.get("/my@tree/-/long.py?part=lines&lines=1-2").headers["x-symindex-part"] == "1"
    for address in (
        "/my@tree/-/evil.html?view=raw&part=card",
        "/nothing/-/?part=card",
        "/search?q=in",
    ):
        assert "x-symindex-part" not in odd.get(address).headers, address


@pytest.mark.parametrize(
    "address",
    [
        "/shop/-/" + "a" * 300,
        "/shop/-/" + "a" * 300 + "?view=history",
        "/shop/-/" + "a" * 300 + "?view=raw",
        "/shop/-/?since=" + "a" * 300,
        "/-/static/" + "a" * 300,
        "/shop/-/src%0Ax",
        "/sea%0Arch",
        "/shop/-/src/tea.py?at=99999999999:1",
        "/shop/-/src/tea.py?lines=0-0&part=lines",
        "/shop/-/symbol/%23?show=references",
        "/shop/-/symbol/%00%23a",
    ],
)
def test_no_address_is_a_fault(pages: Pages, address: str) -> None:
    answer = pages.get(address)
    assert answer.status in (200, 400, 404), answer.text
    assert "internal error" not in answer.text


def test_large_files_are_not_read_for_a_card(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    from symindex.serve.web.pages import raw_files

    monkeypatch.setattr(raw_files, "MOST_BYTES", 10)
    refused = words(elements(pages, "/shop/-/src/tea.py?view=raw", 404))
    assert "src/tea.py: has more than 10 bytes" in refused


def test_an_unknown_commit_keeps_the_form(past: Pages) -> None:
    html = elements(past, "/app/-/?since=nothing", 404)
    assert [given["value"] for given in html.named("input") if given.get("name") == "since"] == [
        "nothing"
    ]


def test_references_of_the_other_repositories_come_when_asked(two: Pages) -> None:
    symbol = "/one/-/symbol/a.py%23in_one"
    own = elements(two, f"{symbol}?show=references")
    assert f"{symbol}?show=references&all=1" in own.links()
    every = elements(two, f"{symbol}?show=references&all=1")
    assert f"{symbol}?show=references&all=1" not in every.links()
    assert "1 reference in 1 file" in words(every)


def test_an_unfinished_query_is_told_in_place(pages: Pages) -> None:
    answer = pages.get("/search?q=%22bre&part=live")
    assert (answer.status, answer.headers["x-symindex-part"]) == (200, "1")
    assert "/search?q=%22bre&in=text" in Elements(answer.text).links()
    assert "expected a closing quote" in answer.text


def test_text_without_capitals_ignores_case(pages: Pages) -> None:
    assert "Case is ignored" in words(elements(pages, "/search?q=kinds+of+tea&in=text"))
    html = words(elements(pages, "/search?q=Kinds+of&in=text"))
    assert "Case is ignored" not in html and "1 line" in html
    assert "0 lines" in words(elements(pages, "/search?q=KINDS+of&in=text"))


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path: Path) -> None:
    outside = write_files(tmp_path / "outside", {"secret.py": "SECRET_IS_HERE = 1\n"})
    root = write_files(tmp_path / "app", {"a.py": "def one(): pass\n", "b.py": "one()\n"})
    with pages_of(root, index_dir=tmp_path / "index") as pages:
        assert pages.get("/app/-/a.py").status == 200
        (root / "a.py").unlink()
        (root / "a.py").symlink_to(outside / "secret.py")
        for view in ("", "?view=raw", "?at=1:1", "?view=blame", "?part=lines&lines=1-9"):
            answer = pages.get("/app/-/a.py" + view)
            assert answer.status == 404 and "SECRET_IS_HERE" not in answer.text, view
        assert pages.get("/app/-/b.py").status == 200


def test_pages_are_there_while_an_index_is_built_again(tmp_path: Path) -> None:
    root = write_files(tmp_path / "app", {"a.py": "def one(): pass\n"})
    with pages_of(root, index_dir=tmp_path / "index") as pages:
        pages.site.workspace.folders.reindex()
        for _ in range(5):
            for address in ("/", "/search?q=one", "/app/-/a.py", "/app/-/symbol/a.py%23one"):
                assert pages.get(address).status == 200, address
        shutil.rmtree(tmp_path / "index")
        assert "/app/-/a.py#L1" in elements(pages, "/search?q=one").links()
        shutil.rmtree(root)
        assert pages.get("/").status in (200, 404)
        assert "internal error" not in pages.get("/app/-/a.py").text


def test_a_symbol_of_a_package_has_no_wrong_link(two: Pages) -> None:
    item = SearchItem(
        name="get", kind="function", file_path="pypi:httpx@0.27.0/httpx/api.py", line=3,
        container=None, id="pypi:httpx@0.27.0/httpx/api.py#get", package="pypi:httpx@0.27.0",
    )  # fmt: skip
    row = search_page._row(two.site, item)
    assert (row.href, row.place, row.path) == ("", "", item.file_path)
    own = SearchItem(name="b", kind="function", file_path="two/b.py", line=1, container=None)
    assert search_page._row(two.site, own).place == "/two/-/b.py#L1"
