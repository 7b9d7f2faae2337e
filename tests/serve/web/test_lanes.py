"""Slow pages wait for each other, and not in front of a search."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from symindex.serve import lanes
from symindex.serve.lanes import BusyError, Lanes
from symindex.serve.web.addresses import Address
from symindex.serve.web.lanes import PLACES, lane_of
from symindex.serve.web.site import Visit
from tests.support.files import write_files
from tests.support.web_pages import Pages, pages_of


@pytest.mark.parametrize(
    ("path", "commit", "parameters", "lane"),
    [
        ("/search", "", {"q": "a"}, "search"),
        ("/search", "", {"q": "a", "part": "live"}, "search"),
        ("/search", "", {"q": "a\nb"}, "slow"),
        ("/search", "", {"q": "a", "in": "text"}, "slow"),
        ("/", "", {}, "page"),
        ("/app/-/a.py", "", {}, "page"),
        ("/app/-/a.py", "", {"view": "code"}, "page"),
        ("/app/-/a.py", "", {"view": "blame"}, "slow"),
        ("/app/-/a.py", "", {"view": "history"}, "slow"),
        ("/app/-/a.py", "", {"view": "raw"}, "slow"),
        ("/app/-/a.py", "", {"at": "1:1"}, "slow"),
        ("/app/-/a.py", "v1", {}, "slow"),
        ("/app/-/", "", {"since": "HEAD"}, "slow"),
        ("/app/-/symbol/a", "", {"show": "references"}, "slow"),
    ],
)
def test_the_lane_of_a_request(
    path: str, commit: str, parameters: dict[str, str], lane: str
) -> None:
    address = Address("app", commit) if path.startswith("/app") else None
    assert lane_of(Visit(path, address, parameters)) == lane


def test_who_waits_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "WAIT_SECONDS", 0.05)

    async def crowd() -> tuple[int, int]:
        all_lanes = Lanes(PLACES)
        n_in, n_busy = 0, 0

        async def hold() -> None:
            nonlocal n_in, n_busy
            try:
                async with all_lanes.place("slow"):
                    n_in += 1
                    await asyncio.sleep(0.3)
            except BusyError:
                n_busy += 1

        crowded = [asyncio.ensure_future(hold()) for _ in range(PLACES["slow"] + 3)]
        await asyncio.sleep(0.1)
        async with all_lanes.place("search"):  # is not in the way
            pass
        await asyncio.gather(*crowded)
        async with all_lanes.place("slow"):  # the places are free again
            pass
        return n_in, n_busy

    assert asyncio.run(crowd()) == (PLACES["slow"], 3)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    folder = tmp_path_factory.mktemp("lanes")
    root = write_files(folder / "app", {"a.py": "def a(): pass\n"})
    with pages_of(root, index_dir=folder / "index") as pages:
        yield pages


def test_a_busy_server_says_so(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def is_full(*_: object) -> AsyncIterator[None]:
        raise BusyError
        yield

    monkeypatch.setattr(Lanes, "place", is_full)
    answer = Pages(pages.site).get("/app/-/a.py?view=blame")
    assert answer.status == 503
    assert "the server is busy with other requests: try again in a moment" in answer.text


def test_a_root_is_not_told_to_visitors_from_elsewhere(pages: Pages, tmp_path: Path) -> None:
    place = str(pages.site.repositories[0].root)
    assert f'data-root="{place}"' in pages.get("/app/-/a.py").text
    pages.site.is_local = False
    try:
        for address in ("/app/-/a.py", "/app/-/a.py?view=blame", "/app/-/?since=v1"):
            assert place not in pages.get(address).text
    finally:
        pages.site.is_local = True
