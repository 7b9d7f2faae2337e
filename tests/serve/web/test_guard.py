"""Who gets a page: this user's browser, at our own name, and nobody else's page."""

from collections.abc import Iterator

import pytest

from symindex.serve.web.guard import LOGIN, POLICY
from tests.support.files import write_files
from tests.support.web_pages import Pages, pages_of

TOKEN = "a-long-enough-token"


@pytest.fixture(scope="module")
def open_pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    folder = tmp_path_factory.mktemp("guard")
    root = write_files(folder / "app", {"a.py": "def found(): pass\n", "p.svg": "<svg/>"})
    with pages_of(root, index_dir=folder / "index") as pages:
        yield pages


@pytest.fixture(scope="module")
def closed_pages(open_pages: Pages) -> Pages:
    return Pages(open_pages.site, TOKEN)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:7658",
        "localhost.evil.example",
        "",
        "127.0.0.2",
        "localhost@evil",
    ],
)
def test_a_host_that_is_not_ours_is_refused(open_pages: Pages, host: str) -> None:
    answer = open_pages.get("/", {"host": host})
    assert answer.status == 421
    assert b"<html" not in answer.body


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:7658", "127.0.0.1:1"])
def test_our_own_names_are_served(open_pages: Pages, host: str) -> None:
    assert open_pages.get("/", {"host": host}).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://localhost:1"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
        {"sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate", "sec-fetch-dest": "object"},
    ],
)
def test_a_request_of_another_page_is_refused(open_pages: Pages, headers: dict[str, str]) -> None:
    assert open_pages.get("/search?q=found", headers).status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://localhost"},
        {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"},
        {"sec-fetch-site": "none", "sec-fetch-mode": "navigate"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
    ],
)
def test_our_own_page_and_a_link_are_served(open_pages: Pages, headers: dict[str, str]) -> None:
    assert open_pages.get("/search?q=found", headers).status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_only_reading_is_allowed(open_pages: Pages, method: str) -> None:
    answer = open_pages.get("/search?q=found", method=method)
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "address",
    ["/", "/search?q=found", "/search?q=%22", "/nothing/-/", "/app/-/a.py", "/-/help", "/x/-/../y"],
)
def test_every_page_has_the_policy(open_pages: Pages, address: str) -> None:
    headers = open_pages.get(address).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_the_policy_allows_nothing_but_our_own_files() -> None:
    rules = dict(rule.strip().split(" ", 1) for rule in POLICY.split(";"))
    assert rules.pop("default-src") == "'none'"
    assert rules.pop("frame-ancestors") == "'none'"
    assert rules.pop("base-uri") == "'none'"
    assert set(rules.values()) == {"'self'"}


def test_a_picture_can_run_and_fetch_nothing(open_pages: Pages) -> None:
    answer = open_pages.get("/app/-/p.svg?view=raw")
    policy = answer.headers["content-security-policy"]
    assert answer.headers["content-type"] == "image/svg+xml"
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert open_pages.get("/app/-/a.py?view=raw").headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize("address", ["/", "/search?q=found", "/app/-/a.py", "/-/help", "/nothing"])
def test_without_the_token_there_is_only_the_login(closed_pages: Pages, address: str) -> None:
    answer = closed_pages.get(address)
    assert (answer.status, answer.headers["location"], answer.body) == (303, LOGIN, b"")
    form = closed_pages.get(LOGIN)
    assert form.status == 200 and 'name="token"' in form.text
    assert "app" not in form.text.replace("application", "")


def test_the_form_sets_a_cookie_that_only_the_browser_reads(closed_pages: Pages) -> None:
    answer = closed_pages.get(LOGIN, method="POST", body=f"token={TOKEN}".encode())
    cookie = answer.headers["set-cookie"]
    assert (answer.status, answer.headers["location"]) == (303, "/")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert TOKEN not in cookie
    sent = cookie.partition(";")[0]
    assert closed_pages.get("/search?q=found", {"cookie": sent}).status == 200
    assert closed_pages.get("/search?q=found", {"cookie": sent[:-1]}).status == 303
    assert closed_pages.get("/search?q=found", {"cookie": "symindex="}).status == 303


@pytest.mark.parametrize(
    "body", [b"", b"token=", b"token=wrong", b"&" * 20, b"a=b&c=d&e=f", b"token=" + b"x" * 5000]
)
def test_a_wrong_token_is_said_to_be_wrong(closed_pages: Pages, body: bytes) -> None:
    answer = closed_pages.get(LOGIN, method="POST", body=body)
    if len(body) > 4096:
        assert answer.status == 413
        return
    assert answer.status == 303 and "set-cookie" not in answer.headers
    assert "not the token" in closed_pages.get(answer.headers["location"]).text


def test_a_program_may_send_the_token(closed_pages: Pages) -> None:
    right = {"authorization": f"Bearer {TOKEN}"}
    assert closed_pages.get("/search?q=found", right).status == 200
    assert closed_pages.get("/search?q=found", {"authorization": "Bearer "}).status == 303


def test_a_login_form_of_another_page_is_refused(closed_pages: Pages) -> None:
    body = f"token={TOKEN}".encode()
    headers = {"origin": "https://evil.example"}
    assert closed_pages.get(LOGIN, headers, "POST", body).status == 403
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert closed_pages.get(LOGIN, followed, "POST", body).status == 403
