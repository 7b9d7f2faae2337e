"""Listings of organisations: the pages of the three forges, and servers that never end, repeat
themselves, fail, or lead elsewhere."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from symindex.errors import RequestError, StorageError
from symindex.fleet.catalogue import forges
from symindex.fleet.catalogue.all_repositories import all_repositories
from symindex.fleet.catalogue.catalogue import Catalogue, Forge, Organisation, read_catalogue
from symindex.fleet.catalogue.forges import Listing, list_organisation
from symindex.fleet.catalogue.repository import Limits, Repository
from tests.fleet.git_server import Answers, Asked, Rule, serving, silent
from tests.support.files import write_files

TOKEN: Final = "s3cr3t"
Row = dict[str, Any]


def row_of(forge: Forge, name: str, url: str, **more: Any) -> Row:
    if forge == "gitlab":
        return {"path_with_namespace": name, "http_url_to_repo": f"{url}/{name}.git", **more}
    return {"full_name": name, "clone_url": f"{url}/{name}.git", **more}


class FakeForge:
    """Answers as one of the forges: an organisation `team`, a user `me`, and pages of two."""

    paths: Final[dict[Forge, tuple[str, str]]] = {
        "github": ("/orgs/team/repos", "/users/me/repos"),
        "gitlab": ("/groups/team%2Fsub/projects", "/users/me/projects"),
        "gitea": ("/orgs/team/repos", "/users/me/repos"),
    }

    def __init__(self, forge: Forge, rows: Callable[[str], list[Row]], link: bool = True) -> None:
        self.forge, self.rows, self.link, self.url = forge, rows, link, ""

    def __call__(self, asked: Asked) -> Answers | None:
        path, _, query = asked.path.partition("?")
        if path not in self.paths[self.forge]:
            return Answers(404, {}, b"{}")
        page = int((re.search(r"\bpage=(\d+)", query) or ["", "1"])[1])
        rows = self.rows(self.url)
        body = json.dumps(rows[2 * page - 2 : 2 * page]).encode()
        headers = {}
        if 2 * page < len(rows):
            base = re.sub(r"&page=\d+", "", asked.path)
            following = f"{self.url}{base}&page={page + 1}"
            first = f'<{self.url}{base}&page=1>; rel="first", '
            headers = {"Link": f'{first}<{following}>; rel="next"'}
            headers = headers if self.link else {"X-Next-Page": str(page + 1)}
        return Answers(200, headers, body)


def organisation(forge: Forge, url: str, **more: Any) -> Organisation:
    name = "team/sub" if forge == "gitlab" else "team"
    return Organisation(forge, **{"name": name, "url": url, "place": "fleet.toml", **more})


def names(listing: Listing) -> list[str]:
    return [repository.name for repository in listing.repositories]


HEADERS: Final[dict[Forge, tuple[str, str]]] = {
    "github": ("authorization", f"Bearer {TOKEN}"),
    "gitlab": ("private-token", TOKEN),
    "gitea": ("authorization", f"token {TOKEN}"),
}


@pytest.mark.parametrize(
    ("forge", "link"), [("github", True), ("gitlab", True), ("gitlab", False), ("gitea", True)]
)
def test_all_pages_are_read(forge: Forge, link: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGE", TOKEN)
    forked = {"forked_from_project": {"id": 1}} if forge == "gitlab" else {"fork": True}
    empty: dict[Forge, Row] = {
        "github": {"size": 0, "pushed_at": None},
        "gitlab": {"empty_repo": True},
        "gitea": {"empty": True},
    }
    fake = FakeForge(
        forge,
        lambda url: [
            row_of(forge, "team/a", url, size=3),
            row_of(forge, "team/b", url, archived=True),
            row_of(forge, "team/c", url, **forked),
            row_of(forge, "team/d", url, **empty[forge]),
            row_of(forge, "team/sub/e", url),
        ],
        link,
    )
    with serving(None, fake) as server:
        fake.url = server.url
        listing = list_organisation(organisation(forge, server.url, token_env="FORGE"))
        assert names(listing) == ["team/a", "team/sub/e"]
        assert listing.repositories[0] == Repository(
            "team/a", "git", f"{server.url}/team/a.git", "", "FORGE", "fleet.toml: team/a"
        )
        assert listing.notices == [
            "fleet.toml: left out: 1 archived",
            "fleet.toml: left out: 1 empty",
            "fleet.toml: left out: 1 forks",
        ]
        assert listing.is_whole
        assert len(server.asked) == 3
        for asked in server.asked:
            name, value = HEADERS[forge]
            assert asked.headers[name] == value and TOKEN not in asked.path
        every = organisation(forge, server.url, archived=True, forks=True)
        assert len(names(list_organisation(every))) == 4


@pytest.mark.parametrize("forge", ["github", "gitlab", "gitea"])
def test_a_user_is_listed_if_there_is_no_organisation(forge: Forge) -> None:
    fake = FakeForge(forge, lambda url: [row_of(forge, "me/a", url)])
    with serving(None, fake) as server:
        fake.url = server.url
        assert names(list_organisation(organisation(forge, server.url, name="me"))) == ["me/a"]
        with pytest.raises(RequestError, match="knows no organisation, group or user 'nobody'"):
            list_organisation(organisation(forge, server.url, name="nobody"))


def test_globs_choose_names() -> None:
    fake = FakeForge(
        "gitea",
        lambda url: [row_of("gitea", f"team/{name}", url) for name in ("web-a", "Web-b", "x")],
    )
    with serving(None, fake) as server:
        fake.url = server.url
        chosen = organisation("gitea", server.url, include=("team/web-*",), exclude=("*-b",))
        listing = list_organisation(chosen)
    assert names(listing) == ["team/web-a"]
    assert listing.notices == [
        "fleet.toml: left out: 1 excluded",
        "fleet.toml: left out: 1 not included",
    ]


def test_addresses_elsewhere_and_bad_names_are_left_out() -> None:
    def rows(url: str) -> list[Row]:
        elsewhere = [
            "https://10.0.0.1/a/b.git", "file:///etc", "/etc", "ext::sh", "-x", "git@127.0.0.1:a/b", "", f"{url}x/a",
            url.replace("http://", "http://u:p@") + "/a/b",
        ]  # fmt: skip
        return [
            *({"full_name": f"team/{n}", "clone_url": text} for n, text in enumerate(elsewhere)),
            row_of("gitea", "team/../x", url),
            row_of("gitea", "team/a\nb", url),
            {"full_name": 1, "clone_url": None},
            {},
            row_of("gitea", "team/ok", url),
        ]

    fake = FakeForge("gitea", rows)
    with serving(None, fake) as server:
        fake.url = server.url
        listing = list_organisation(organisation("gitea", server.url))
    assert names(listing) == ["team/ok"]
    assert listing.notices == [
        "fleet.toml: left out: 2 with a name that no repository may have",
        "fleet.toml: left out: 9 with an address on another server",
        "fleet.toml: left out: 2 without a name or an address",
    ]


def endless(asked: Asked) -> Answers:
    page = int((re.search(r"\bpage=(\d+)", asked.path) or ["", "1"])[1])
    url = f"http://{asked.headers['host']}"
    rows = [row_of("gitea", f"team/r{page}", url)]
    headers = {"Link": f'<{url}/orgs/team/repos?limit=50&page={page + 1}>; rel="next"'}
    return Answers(200, headers, json.dumps(rows).encode())


def repeating(asked: Asked) -> Answers:
    return Answers(200, {"Link": f'<{asked.path}>; rel="next"'}, json.dumps([row_of("gitea", "team/a", f"http://{asked.headers['host']}")]).encode())  # fmt: skip


def test_a_listing_that_pages_for_ever_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forges, "MOST_PAGES", 5)
    with serving(None, endless) as server:
        listing = list_organisation(organisation("gitea", server.url))
    assert (len(listing.repositories), listing.is_whole) == (5, False)
    cut = "fleet.toml: the listing has more than 5 pages: only 5 repositories are read"
    assert listing.notices == [cut]


def test_a_listing_of_too_many_repositories_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forges, "MOST_LISTED", 3)
    with serving(None, endless) as server:
        listing = list_organisation(organisation("gitea", server.url))
    assert (len(listing.repositories), listing.is_whole) == (3, False)
    assert listing.notices[-1].endswith(
        "has more than 3 repositories: only 3 repositories are read"
    )


def test_a_listing_that_repeats_itself_is_cut() -> None:
    with serving(None, repeating) as server:
        listing = list_organisation(organisation("gitea", server.url))
        assert len(server.asked) == 2
    assert (names(listing), listing.is_whole) == (["team/a"], False)
    assert listing.notices == [
        "fleet.toml: the listing repeats itself: only 1 repositories are read"
    ]


def test_a_slow_listing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forges, "LISTING_SECONDS", 0.0)
    with serving(None, endless) as server:
        listing = list_organisation(organisation("gitea", server.url))
    assert (names(listing), listing.is_whole) == (["team/r1"], False)
    assert "takes longer than 0 s" in listing.notices[-1]


def says(status: int, body: bytes = b"", **headers: str) -> Rule:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: Answers(status, named, body)


FAULTS: dict[str, tuple[Rule, str]] = {
    "no token": (says(401), "refuses (401): check the token in token_env"),
    "forbidden": (says(403), "refuses (403): check the token"),
    "too often": (says(429), "wants to be asked less often: try again later"),
    "too often by GitHub": (says(403, X_RateLimit_Remaining="0"), "wants to be asked less often"),
    "broken": (says(502), "fails (502 Bad Gateway): try again later"),
    "no JSON": (says(200, b"<html>"), "is no listing of repositories: check that the url is"),
    "no list": (says(200, b"{}"), "is no listing of repositories"),
    "no rows": (says(200, b"[1]"), "is no listing of repositories"),
    "deep JSON": (says(200, b"[" * 100_000), "is no listing of repositories"),
    "a redirect elsewhere": (says(302, Location="https://example.org/"), "leads to another server"),
    "a redirect to itself": (says(302, Location="/"), "redirects more than 3 times"),
    "a redirect to nowhere": (says(302, Location="http://["), "leads to another server, http://["),
    "a next page elsewhere": (
        says(200, b"[{}]", Link='<https://example.org/x>; rel="next"'),
        "leads to another server, https://example.org/x, where the token must not go",
    ),
}


@pytest.mark.parametrize(("rule", "fault"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_forge_is_one_sentence(
    rule: Rule, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORGE", TOKEN)
    with serving(None, rule) as server, pytest.raises((RequestError, StorageError)) as caught:
        list_organisation(organisation("github", server.url, token_env="FORGE"))
    text = str(caught.value)
    assert text.startswith("fleet.toml: ") and fault in text
    assert "\n" not in text and TOKEN not in text


def test_a_page_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forges, "MOST_PAGE_BYTES", 10)
    long = says(200, b"[" + b" " * 20 + b"]")
    with serving(None, long) as server, pytest.raises(StorageError, match="more than 10"):
        list_organisation(organisation("gitea", server.url))


def test_a_forge_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forges, "PAGE_SECONDS", 0.2)
    with silent() as url, pytest.raises(StorageError, match=r"did not answer within 0\.2 s"):
        list_organisation(organisation("gitea", url))


def test_a_catalogue_with_its_organisations(tmp_path: Path) -> None:
    fake = FakeForge(
        "gitea",
        lambda url: [row_of("gitea", f"team/{name}", url) for name in ("a", "b", "C/d", "e")],
    )
    with serving(None, fake) as server:
        fake.url = server.url
        write_files(
            tmp_path,
            {
                "fleet.toml": f"""
                [[repository]]
                url = "{server.url}/team/a"
                ref = "dev"

                [[repository]]
                folder = "c"
                name = "team/c"

                [[organisation]]
                forge = "gitea"
                url = "{server.url}"
                name = "team"

                [[organisation]]
                forge = "gitea"
                url = "{server.url}"
                name = "gone"
                """
            },
        )
        catalogue = read_catalogue(tmp_path / "fleet.toml")
        found = all_repositories(catalogue)
    assert [(row.name, row.ref) for row in found.repositories] == [
        ("team/a", "dev"),
        ("team/c", ""),
        ("team/b", ""),
        ("team/e", ""),
    ]
    assert not found.is_whole
    assert len(found.notices) == 2
    assert "left out, because 'team/C/d' and 'team/c' (" in found.notices[1]
    assert ") cannot stand side by side: give one of them a name" in found.notices[1]
    assert found.notices[0].startswith("not listed: ")


def test_a_catalogue_without_organisations() -> None:
    one = Repository("a", "folder", "/a")
    assert all_repositories(Catalogue((one,), (), Limits(), "", "")) == ([one], True, [])
