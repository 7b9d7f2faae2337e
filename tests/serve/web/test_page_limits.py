"""Each limit of the pages: what is shown at the limit, and what is said one past it."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from symindex.serve.web import addresses, app, guard
from symindex.serve.web.content import code_lines
from symindex.serve.web.pages import (
    card,
    file_text,
    history_page,
    raw_files,
    search_page,
    symbol_page,
    text_page,
    tree_page,
)
from tests.support.files import write_files
from tests.support.git import git
from tests.support.web_pages import Elements, Pages, pages_of


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    folder = tmp_path_factory.mktemp("limits")
    doc, longer = "d" * search_page.LONGEST_DOC, "e" * (search_page.LONGEST_DOC + 1)
    card_doc, longer_card = "f" * card.LONGEST_DOC, "g" * (card.LONGEST_DOC + 1)
    files = {
        "docs.py": f'def fits():\n    """{doc}"""\n\n\ndef longer():\n    """{longer}"""\n',
        "cards.py": f'def at():\n    """{card_doc}"""\n\n\ndef past():\n    """{longer_card}"""\n\n\n'
        "at()\npast()\n",
        **{f"same{n}.py": "def same(): pass\n" for n in range(card.MOST_CANDIDATES)},
        "uses.py": "same()\n",
        "many.py": "class Many:\n    one = 1\n    two = 2\n    three = 3\n",
    }
    with pages_of(write_files(folder / "app", files), index_dir=folder / "index") as pages:
        yield pages


def test_the_length_of_an_address(pages: Pages) -> None:
    query = "x" * (addresses.LONGEST - len("/search") - len("q="))
    assert "the address is too long" not in pages.get(f"/search?q={query}").text
    refused = pages.get(f"/search?q={query}x")
    assert refused.status == 404
    assert "the address is too long: at most 16,000 characters are read" in refused.text


def test_the_number_of_parameters(pages: Pages) -> None:
    more = "&".join(f"p{number}=1" for number in range(app.MOST_PARAMETERS - 1))
    assert pages.get(f"/search?q=fits&{more}").status == 200
    refused = pages.get(f"/search?q=fits&{more}&one=2")
    assert refused.status == 404 and "more than 30 parameters" in refused.text


def test_the_length_of_a_query(pages: Pages) -> None:
    at = pages.get(f"/search?q={'x' * search_page.LONGEST_QUERY}")
    assert "at most 10,000 are read" not in at.text
    past = pages.get(f"/search?q={'x' * (search_page.LONGEST_QUERY + 1)}")
    assert "the query has 10,001 characters: at most 10,000 are read" in past.text


def test_the_doc_of_a_row(pages: Pages) -> None:
    assert f">{'d' * search_page.LONGEST_DOC}<" in pages.get("/search?q=fits").text
    assert f">{'e' * search_page.LONGEST_DOC}…<" in pages.get("/search?q=longer").text


def test_the_doc_on_a_card(pages: Pages) -> None:
    assert f">{'f' * card.LONGEST_DOC}<" in pages.get("/app/-/cards.py?at=9:1").text
    assert f">{'g' * card.LONGEST_DOC}…<" in pages.get("/app/-/cards.py?at=10:1").text


def test_the_candidates_on_a_card(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "more of this name" not in pages.get("/app/-/uses.py?at=1:1").text
    monkeypatch.setattr(card, "MOST_CANDIDATES", card.MOST_CANDIDATES - 1)
    text = pages.get("/app/-/uses.py?at=1:1").text
    assert "and 1 more of this name" in text and 'href="/search?q=same"' in text


def test_the_length_of_a_line() -> None:
    whole = "x" * code_lines.LONGEST_LINE
    at, past = code_lines.shown_lines([[("", whole)], [("", whole[:10]), ("s", whole)]], first=1)
    assert (at.code, at.n_hidden) == (whole, 0)
    assert past.n_hidden == 10 and past.code.count("x") == code_lines.LONGEST_LINE


def test_the_code_on_a_page(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Lines after" not in pages.get("/app/-/cards.py").text
    monkeypatch.setattr(file_text, "MOST_HTML", 200)
    text = pages.get("/app/-/cards.py").text
    links = Elements(text).links()
    after = next(link for link in links if "?lines=" in link)
    assert "Lines after" in text and 'id="L1"' in text and 'id="L10"' not in text
    assert pages.get(after).status == 200


def test_the_time_for_references(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"/app/-/symbol/{quote('same0.py#same')}?show=references"
    assert "At least" not in pages.get(address).text
    monkeypatch.setattr(symbol_page, "SECONDS", 0.0)
    assert "At least" in pages.get(address).text


def test_the_members_of_a_symbol(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbol_page, "MOST_MEMBERS", 3)
    address = "/app/-/symbol/many.py%23Many"
    assert "not shown" not in pages.get(address).text + pages.get(f"{address}?part=members").text
    monkeypatch.setattr(symbol_page, "MOST_MEMBERS", 2)
    assert "1 more member is not shown" in pages.get(address).text
    assert "1 more member is not shown" in pages.get(f"{address}?part=members").text


def test_the_files_of_a_folder(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = pages.site.repositories[0].root
    assert folder is not None
    n_files = len([*folder.iterdir()])
    monkeypatch.setattr(tree_page, "MOST_ENTRIES", n_files)
    assert "are not listed" not in pages.get("/app/-/").text
    monkeypatch.setattr(tree_page, "MOST_ENTRIES", n_files - 2)
    assert "2 more files and folders are not listed" in pages.get("/app/-/").text


def test_the_time_for_text(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "At least" not in pages.get("/search?q=same&in=text").text
    monkeypatch.setattr(text_page, "SECONDS", 0.0)
    assert "At least" in pages.get("/search?q=same&in=text").text


def test_the_size_of_a_raw_file(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    size = len(pages.get("/app/-/uses.py?view=raw").body)
    monkeypatch.setattr(raw_files, "MOST_BYTES", size)
    assert pages.get("/app/-/uses.py?view=raw").status == 200
    monkeypatch.setattr(raw_files, "MOST_BYTES", size - 1)
    assert pages.get("/app/-/uses.py?view=raw").status == 404


def test_the_differences_of_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_files(tmp_path / "app", {"a.py": "one = 1\n"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "x")
    with pages_of(root, index_dir=tmp_path / "index") as pages:
        text = pages.get("/app/-/a.py?view=history&lines=1").text
        assert "+one = 1" in text
        size = len("@@ -0,0 +1,1 @@\n+one = 1")
        monkeypatch.setattr(history_page, "MOST_PATCHES", size)
        assert "+one = 1" in pages.get("/app/-/a.py?view=history&lines=1").text
        monkeypatch.setattr(history_page, "MOST_PATCHES", 5)
        assert "+one = 1" not in pages.get("/app/-/a.py?view=history&lines=1").text


def test_the_body_of_a_login(pages: Pages) -> None:
    closed = Pages(pages.site, "a-long-enough-token")
    at = b"token=" + b"x" * (guard.MOST_BODY - 6)
    assert closed.get(guard.LOGIN, method="POST", body=at).status == 303
    assert closed.get(guard.LOGIN, method="POST", body=at + b"x").status == 413


def test_a_relation_is_one_of_the_list(pages: Pages, tmp_path: Path) -> None:
    assert pages.get("/app/-/symbol/docs.py%23fits?show=nothing").status == 200
