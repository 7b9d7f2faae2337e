"""References when something fails: time, processes, or files and roots that change or cannot be
read."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from symindex.cancellation import NotWantedError, wanted_until
from symindex.errors import TokenError
from symindex.explore.references import mentions
from symindex.explore.references.candidates import candidates_of
from symindex.explore.references.mention_job import Sought, ToSearch
from symindex.protocol.explore import ReferencesRequest, ReferencesResponse
from symindex.workers import pool
from symindex.workers.process import Process
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker, write_files
from tests.support.hanging_language import HANGS
from tests.support.references import many, places


@pytest.mark.slow
def test_the_time_is_over(make_workspace: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each answer advances by at least one file, and the next page continues there."""
    workspace = make_workspace(many(6))
    whole = places(workspace.references("item"))
    monkeypatch.setattr(pool, "BATCH_TASKS", 2)
    pages: list[ReferencesResponse] = []
    token = None
    while not pages or token is not None:
        pages.append(
            workspace.references(ReferencesRequest(name="item", pagination_id=token), seconds=0)
        )
        token = pages[-1].pagination_id
    assert len(pages) == 6
    assert [place for page in pages for place in places(page)] == whole
    assert all(
        "out of time: at least" in str(page.notices) and page.total is None for page in pages[:-1]
    )
    assert str(pages[0].notices).endswith(
        "1 of 6 files were searched, the next page goes on from there']"
    )
    assert pages[-1].total == len(whole)


@pytest.mark.nightly
def test_a_full_page_counts_the_others_while_there_is_time(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(many(6))
    n_places = len(places(workspace.references("item")))
    monkeypatch.setattr("symindex.explore.references.references.COUNT_SECONDS", 60.0)
    counted = workspace.references("item", max_items=1)
    monkeypatch.setattr("symindex.explore.references.references.COUNT_SECONDS", 0.0)
    uncounted = workspace.references("item", max_items=1)
    assert (counted.total, counted.at_least, counted.has_more) == (n_places, n_places, True)
    assert (uncounted.total, uncounted.has_more) == (None, True)
    assert 1 < uncounted.at_least < n_places


@pytest.mark.nightly
def test_it_ends_when_no_client_waits(make_workspace: Maker) -> None:
    workspace = make_workspace(many(3))
    given_up = threading.Event()
    with wanted_until(given_up):
        assert workspace.references("item").total
        given_up.set()
        with pytest.raises(NotWantedError):
            workspace.references("item")


def test_progress(make_workspace: Maker) -> None:
    reports: list[tuple[int, int]] = []
    make_workspace(many(6)).references(
        "item", progress=lambda done, total: reports.append((done, total))
    )
    assert reports
    assert reports[-1] == (6, 6)
    assert reports == sorted(reports)


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_named_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml = HANGS + 'identifiers = ["WORD"]\n'
    write_files(
        tmp_path / "grammars" / "hangs", {"language.toml": toml, "symbols.scm": "(comment) @doc\n"}
    )
    monkeypatch.setenv("SYMINDEX_GRAMMARS", str(tmp_path / "grammars"))
    files: dict[str, str | bytes] = {
        "b.hang": "",
        "c.py": "x = 1\n",
        "symindex.toml": "file_seconds = 0.5\n",
    }
    with Workspace(write_files(tmp_path / "tree", files), tmp_path / "index") as workspace:
        workspace.refresh()
        (workspace.root / "b.hang").write_text("x")  # the file was empty when it was read
        response = workspace.references("x")
    assert places(response) == ["c.py:1:1"]
    assert response.total is None
    assert response.notices == ["1 file was not looked into: b.hang (took longer than 0.5 s)"]


@pytest.mark.slow
def test_a_process_that_dies_costs_its_file(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process may die while it searches bytes, which another process then repeats, or while it
    parses."""
    workspace = make_workspace({f"m{number}.py": "item\n" for number in range(5)})
    whole = places(workspace.references("item"))
    n_answers = 0
    receive = Process.receive

    def die_at(number: int) -> None:
        def receive_or_die(self: Process) -> bytes | None:
            nonlocal n_answers
            n_answers += 1
            if n_answers == number + 1:  # the first message says that the process is ready
                self._process.terminate()
                self.wait()
                while receive(self) is not None:  # the answer sent before it died
                    pass
                return None
            return receive(self)

        nonlocal n_answers
        n_answers = 0
        monkeypatch.setattr(Process, "receive", receive_or_die)

    die_at(1)
    assert places(workspace.references("item")) == whole
    die_at(3)  # the second file that contains the name
    response = workspace.references("item")
    assert places(response) == [whole[0], *whole[2:]]
    assert "m1.py (ended the process that read it" in str(response.notices)


@pytest.mark.nightly
def test_files_come_in_order_whichever_worker_finishes_first(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace({f"m{number}.py": "item\n" for number in range(6)})
    workspace.refresh()
    tree = workspace.source.tree()
    monkeypatch.setattr(pool, "BATCH_TASKS", 2)
    original, last_done = Process.answers, threading.Event()

    def answers(self: Process, order: bytes) -> Iterator[bytes]:
        paths = [file.path for file in msgspec.msgpack.decode(order, type=ToSearch)[1]]
        assert "m0.py" not in paths or last_done.wait(30)
        yield from original(self, order)
        if "m5.py" in paths:
            last_done.set()

    monkeypatch.setattr(Process, "answers", answers)
    sought = Sought(mentions.real_roots(tree), [b"item"], 1000)
    files = candidates_of(tree, [], []).files
    with mentions.MentionSearch(tree, sought, files, 10.0, n_workers=2) as lookers:
        seen = list(lookers.in_order(60.0))
    assert [file.number for file in seen] == list(range(6))
    assert all(file.mentions is not None and len(file.mentions.mentions) == 1 for file in seen)


@pytest.mark.nightly
def test_files_that_are_not_as_they_were(make_workspace: Maker, tmp_path: Path) -> None:
    """Files that vanished, grew, or became binary, a link or a pipe are left out with a notice, or
    read as they are now."""
    names = ["binary", "changed", "gone", "grown", "link", "pipe", "plain"]
    files: dict[str, str | bytes] = {f"{name}.py": "item\n" for name in names}
    workspace = make_workspace(
        {**files, "folder/a.py": "item\n", "symindex.toml": "max_file_bytes = 1000\n"}
    )
    workspace.references("item")
    outside = write_files(
        tmp_path / "outside", {"a.py": "item\n", "folder/a.py": "item = secret\n"}
    )
    root = workspace.root
    (root / "binary.py").write_bytes(b"item\0\n")
    (root / "changed.py").write_text("class A:\n    def f(self):\n        item()\n")
    (root / "gone.py").unlink()
    (root / "grown.py").write_text("item\n" * 1000)
    (root / "link.py").unlink()
    (root / "link.py").symlink_to(outside / "a.py")
    (root / "pipe.py").unlink()
    os.mkfifo(root / "pipe.py")
    (root / "folder" / "a.py").unlink()
    (root / "folder").rmdir()
    (root / "folder").symlink_to(outside / "folder")
    response = workspace.references("item")
    assert places(response) == ["changed.py:3:9", "plain.py:1:1"]
    assert response.files[0].items[0].container == "A.f"
    assert response.total is None
    (notice,) = response.notices or []
    assert notice.startswith(
        "5 files were not looked into: folder/a.py (is behind a symbolic link), gone.py (No such file"
    )
    assert notice.endswith(" and 2 more")


@pytest.mark.nightly
def test_a_root_that_is_gone(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "item\n"})
    workspace.references("item")
    (workspace.root / "a.py").unlink()
    workspace.root.rmdir()
    response = workspace.references("item")
    assert response.files == []
    assert "1 file was not looked into: a.py" in str(response.notices)


def test_files_that_were_not_read_are_reported(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            "symindex.toml": "max_file_bytes = 20_000\n",
            "src/a.py": "item = 1\n",
            "src/big.py": "item = 2\n" * 3_000,
            "web/min.js": "var " + "a=1;" * 2_000,
            "b.go": "package b\n",
        }
    )
    big, both = "src/big.py (larger than the size limit)", "2 files were not read and may contain"
    response = workspace.references("item")
    assert response.total == 1 and response.notices == [
        f"1 file was not read and may contain more: {big}"
    ]
    assert workspace.references("nowhere").notices == [f"{both} some: {big}, web/min.js (minified)"]
    assert not workspace.references(ReferencesRequest(name="item", paths=["!src/big.py"])).notices
    assert not workspace.references(ReferencesRequest(name="b", languages=["go"])).notices
    assert workspace.symbol("nowhere").notices == [f"{both} it: {big}, web/min.js (minified)"]
    assert workspace.search("nowhere").notices == [f"{both} it: {big}, web/min.js (minified)"]


MEMBER_OF_TWO: dict[str, str | bytes] = {
    "cart.py": "class Cart:\n    def total(self): pass\n",
    "bill.py": "class Bill:\n    def total(self): pass\n",
    "b_known.py": "from cart import Cart\n\n\ndef known(cart: Cart):\n    cart.total()\n",
    "a_unknown.py": "def one(x):\n    x.total()\n    x.total()\n",
    "tests/test_a.py": "def test_it(y):\n    y.total()\n",
}


def listed(response: ReferencesResponse) -> list[str]:
    return [f"{file.file_path}:{item.line}" for file in response.files for item in file.items]


def test_uses_with_receivers_of_unknown_type_are_counted_and_listed_on_request(
    make_workspace: Maker,
) -> None:
    tree = make_workspace(MEMBER_OF_TWO)
    response = tree.references("cart.py#Cart.total")
    assert (listed(response), response.unknown) == (["b_known.py:5", "cart.py:2"], 3)
    assert response.total == 2
    whole = tree.references("cart.py#Cart.total", all=True)
    assert listed(whole) == [
        "b_known.py:5",
        "cart.py:2",
        "a_unknown.py:2",
        "a_unknown.py:3",
        "tests/test_a.py:2",
    ]
    assert (whole.unknown, whole.total) == (0, 5)
    assert [item.is_unsure for file in whole.files for item in file.items].count(True) == 3
    # Each page has the counts, and the pages end after the last use that is known.
    pages = [tree.references("cart.py#Cart.total", max_items=1)]
    while pages[-1].pagination_id is not None:
        pages.append(
            tree.references(
                "cart.py#Cart.total", max_items=1, pagination_id=pages[-1].pagination_id
            )
        )
    assert [line for page in pages for line in listed(page)] == ["b_known.py:5", "cart.py:2"]
    assert {(page.total, page.unknown) for page in pages} == {(2, 3)}
    with pytest.raises(TokenError):
        tree.references("cart.py#Cart.total", all=True, pagination_id=pages[0].pagination_id)


def test_uses_with_receivers_of_unknown_type_are_listed_if_there_are_no_others(
    make_workspace: Maker,
) -> None:
    tree = make_workspace(MEMBER_OF_TWO)
    response = tree.references("bill.py#Bill.total")
    lines = ["bill.py:2", "a_unknown.py:2", "a_unknown.py:3", "tests/test_a.py:2"]
    assert (listed(response), response.unknown, response.total) == (lines, 0, 4)
    assert listed(tree.references("bill.py#Bill.total", max_items=4)) == lines
    # They do not fit: they are only counted.
    short = tree.references("bill.py#Bill.total", max_items=3)
    assert (listed(short), short.unknown, short.has_more) == (["bill.py:2"], 3, False)
    of_role = tree.references("bill.py#Bill.total", role="read")
    assert (listed(of_role), of_role.unknown) == ([], 0)
