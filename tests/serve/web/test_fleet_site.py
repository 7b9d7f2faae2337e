"""The page over a fleet: what it shows, and what it has no meaning for."""

from collections.abc import Iterator

import pytest

from symindex.editor.page_reader import PageReader
from symindex.errors import RequestError
from symindex.serve.web.fleet_site import FleetSite
from symindex.serve.web.pages import tree_page
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files
from tests.support.web_pages import Answer, Pages

FILES = {
    "shop/src/a.py": "class Store:\n    '''Keeps things.'''\n    def put(self): pass\n\ndef use():\n    Store().put()\n",
    "shop/README.md": "# Shop\n\nSee [the code](src/a.py).\n",
    "bank/src/a.py": "class Store:\n    def put(self): pass\n",
    "bank/logo.png": "not a picture",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FleetSite]:
    folder = tmp_path_factory.mktemp("fleet")
    with Workspace(write_files(folder / "all", FILES), folder / "indexes") as workspace:
        workspace.refresh()
        site = FleetSite(workspace)
        yield site
        site.close()


def get(site: FleetSite, address: str) -> Answer:
    return Pages(site).get(address)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "status", "text"),
    [
        ("/", 200, "2 repositories"),
        ("/search?q=Store", 200, "src/a.py"),
        ("/search?q=Store&within=bank", 200, "/bank/-/symbol/src/a.py%23Store"),
        ("/search?q=Keeps&in=text", 200, "/shop/-/src/a.py"),
        ("/shop/-/", 200, "What matters most here"),
        ("/shop/-/src/", 200, "a.py"),
        ("/shop/-/src/a.py", 200, "Keeps things."),
        ("/shop/-/src/a.py?lines=3&part=lines", 200, "put"),
        ("/shop/-/src/a.py?view=raw", 200, "class Store"),
        ("/shop/-/src/a.py?at=6:5", 200, "/shop/-/symbol/src/a.py%23Store"),
        ("/shop/-/symbol/src/a.py%23Store", 200, "Keeps things."),
        ("/shop/-/symbol/src/a.py%23Store.put?show=callers&part=panel", 200, "use"),
        ("/-/help", 200, "Examples from here"),
        ("/shop/-/src/a.py?view=blame", 404, "a fleet has the files of one commit"),
        ("/shop/-/src/a.py?view=history", 404, "a fleet has the files of one commit"),
        ("/shop/-/src/a.py?view=permalink", 404, "a fleet has the files of one commit"),
        ("/shop@v1/-/src/a.py", 404, "a fleet has the files of one commit"),
        ("/shop/-/?since=v1", 404, "a fleet has the files of one commit"),
        ("/nothing/-/", 404, "no repository"),
        ("/shop/-/nothing.py", 404, ""),
        ("/shop/-/.git/config?view=raw", 404, "belongs to version control"),
    ],
)
def test_pages(site: FleetSite, address: str, status: int, text: str) -> None:
    answer = get(site, address)
    assert (answer.status, text in answer.text) == (status, True), answer.text


@pytest.mark.slow
def test_nothing_is_offered_that_is_not_there(site: FleetSite) -> None:
    for address in ("/shop/-/src/a.py", "/shop/-/", "/shop/-/symbol/src/a.py%23Store"):
        text = get(site, address).text
        for offer in ("view=blame", "view=history", "view=permalink", "Changed since", "data-root"):
            assert offer not in text, (address, offer)


@pytest.mark.slow
def test_how_many_repositories_are_listed(site: FleetSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_page, "MOST_REPOSITORIES", 2)
    assert "more are not listed" not in get(site, "/").text
    monkeypatch.setattr(tree_page, "MOST_REPOSITORIES", 1)
    assert "1 more are not listed" in get(site, "/").text


def test_the_repository_of_a_path(site: FleetSite) -> None:
    assert [repository.name for repository in site.repositories] == ["bank", "shop"]
    repository, inside = site.place("shop/src/a.py")
    assert (repository.name, inside) == ("shop", "src/a.py")
    repository, inside = site.place("gone/src/a.py")
    assert (repository.name, inside) == ("gone", "src/a.py")


def test_what_a_page_reads(site: FleetSite) -> None:
    reader = site.reader
    assert isinstance(reader, PageReader)
    found = reader.named_in_file("bank/src/a.py", (0, 7))
    assert (found.name, [symbol.id for symbol in found.candidates]) == (
        "Store",
        ["bank/src/a.py#Store"],  # its definition, not that of another repository
    )
    assert reader.named_in_file("shop/src/a.py", (3, 0)).candidates == []
    assert reader.has_symbols_named("put") and not reader.has_symbols_named("pu")
    assert reader.file_bytes("bank/logo.png", 100) == b"not a picture"
    for path, error in (
        ("bank/logo.png", "has more than 5 bytes"),
        ("bank/nothing", "cannot be read|no such"),
    ):
        with pytest.raises(RequestError, match=error):
            reader.file_bytes(path, 5)
