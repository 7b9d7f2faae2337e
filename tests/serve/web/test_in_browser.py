"""The pages in Chromium: live search, keys, cards, the panel, back and forward; for everyone; and
nothing that a repository contains runs, fetches or covers anything."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.browser import Watched, chromium, packed_script_bytes, require_browser, served
from tests.support.files import write_files
from tests.support.git import git
from tests.support.hostile_tree import write_hostile_tree

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(300)]

PACKAGE = Path(__file__).parents[3] / "symindex"

FIRST_PAGE_BYTES = 150_000
SCRIPT_BYTES = 30_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    require_browser()
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the pages of two repositories: our own package, and a small one."""
    folder = tmp_path_factory.mktemp("web")
    root = write_files(
        folder / "small",
        {
            "one.py": "class Kettle:\n    def boil(self):\n        return Kettle()\n\n\ndef tea():\n"
            "    return Kettle().boil()\n",
            "README.md": "# Small\n\n[one](one.py)\n",
        },
    )
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "x")
    with served(PACKAGE, root, home=folder / "home") as address:
        yield address


@pytest.fixture
def watched(browser: Any, base: str) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    watched = Watched(context, base)
    yield watched
    assert not watched.faults
    context.close()


def wait_for_index(watched: Watched) -> None:
    for _ in range(100):
        watched.visit("/search?q=FollowedWorkspace")
        if watched.tab.locator(".row").count():
            return
        watched.tab.wait_for_timeout(300)
    raise AssertionError(watched.tab.inner_text("main"))


def type_query(watched: Watched, query: str) -> None:
    watched.tab.keyboard.press("/")
    watched.tab.keyboard.type(query)
    watched.tab.wait_for_function(
        "query => new URLSearchParams(location.search).get('q') === query", arg=query
    )


def test_the_last_key_wins_and_escape_goes_back(watched: Watched) -> None:
    wait_for_index(watched)
    watched.visit("/small/-/one.py")
    watched.tab.wait_for_timeout(200)
    type_query(watched, "Kettle")
    assert watched.tab.locator("#live .row").first.inner_text().startswith("C")
    assert "Kettle" in watched.tab.locator("#live .row").first.inner_text()
    assert "results" in watched.tab.locator("#status").inner_text()
    assert not watched.tab.locator("#main").is_visible()
    watched.tab.keyboard.press("Escape")
    watched.tab.wait_for_function("location.pathname === '/small/-/one.py'")
    assert watched.tab.locator("#main").is_visible()
    assert not watched.tab.locator("#live").is_visible()


def test_rows_are_reached_by_keys(watched: Watched) -> None:
    wait_for_index(watched)
    watched.visit("/")
    type_query(watched, "Kettle")
    watched.tab.keyboard.press("ArrowDown")
    watched.tab.keyboard.press("Enter")
    watched.tab.wait_for_url("**/small/-/symbol/one.py%23Kettle")
    watched.tab.keyboard.press("r")
    watched.tab.wait_for_selector("#dock .uses a")
    assert "3 references in 1 file" in watched.tab.locator("#dock h2").inner_text()
    watched.tab.keyboard.press("j")
    watched.tab.keyboard.press("Enter")
    watched.tab.wait_for_url("**/small/-/one.py#L*")
    watched.tab.wait_for_selector("#dock .uses a")  # it is still open
    watched.tab.keyboard.press("]")
    watched.tab.wait_for_timeout(300)
    assert re.search(r"#L\d+$", watched.tab.url)
    watched.tab.keyboard.press("Escape")
    assert not watched.tab.locator("#dock").is_visible()
    watched.tab.keyboard.press("?")
    watched.tab.wait_for_url("**/-/help")


def test_a_click_on_a_name_opens_its_card_and_enter_goes_there(watched: Watched) -> None:
    wait_for_index(watched)
    watched.visit("/small/-/one.py")
    watched.tab.locator("code a", has_text="Kettle").last.click()
    card = watched.tab.wait_for_selector(".floating .card")
    assert "one.py:1" in card.inner_text()
    assert urlsplit(watched.tab.url).query == ""
    watched.tab.keyboard.press("Enter")
    watched.tab.wait_for_url("**/small/-/one.py#L1")
    assert watched.tab.locator(".l.on").count() == 1
    assert not watched.tab.locator(".floating").count()


def test_lines_are_chosen_and_shared(watched: Watched) -> None:
    wait_for_index(watched)
    watched.visit("/small/-/one.py")
    watched.tab.locator("#L2 > .n").click()
    watched.tab.locator("#L5 > .n").click(modifiers=["Shift"])
    assert watched.tab.url.endswith("/small/-/one.py#L2-L5")
    assert watched.tab.locator(".l.on").count() == 4
    watched.tab.go_back()
    assert watched.tab.url.endswith("#L2")
    watched.tab.wait_for_function("document.querySelectorAll('.l.on').length === 1")
    watched.visit("/symindex/-/search/answer/answer.py#L200-L203")
    watched.tab.wait_for_function("document.querySelectorAll('.l.on').length === 4")


def test_a_file_grows_as_one_scrolls(watched: Watched) -> None:
    wait_for_index(watched)
    path = max(
        (path for path in PACKAGE.rglob("*.css")), key=lambda path: path.stat().st_size
    ).relative_to(PACKAGE)
    watched.visit(f"/symindex/-/{path.as_posix()}")
    assert watched.tab.locator(".l").count() > 50


def test_back_shows_the_rows_where_they_were(watched: Watched) -> None:
    wait_for_index(watched)
    watched.visit("/search?q=path")
    watched.tab.evaluate("scrollTo(0, 700)")
    watched.tab.wait_for_timeout(100)
    watched.tab.locator(".row .hit").nth(15).click()
    watched.tab.wait_for_url("**/-/symbol/**")
    watched.tab.go_back()
    watched.tab.wait_for_function("scrollY > 600")


PAGES = [
    "/",
    "/search?q=path",
    "/search?q=read+a+file+safely",
    "/symindex/-/",
    "/symindex/-/serve/",
    "/symindex/-/errors.py",
    "/symindex/-/README.md",
    "/symindex/-/symbol/errors.py%23RequestError",
    "/symindex/-/symbol/errors.py%23RequestError?show=references",
    "/symindex/-/symbol/errors.py%23SymindexError?show=subtypes",
    "/symindex/-/symbol/errors.py%23Gone",
    "/symindex/-/errors.py?at=42:8",
    "/-/help",
    "/-/settings",
    "/nothing",
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_for_everyone(browser: Any, base: str, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    watched = Watched(context, base)
    wait_for_index(watched)
    violations = []
    for path in PAGES:
        watched.visit(path)
        found = axe.Axe().run(watched.tab).response["violations"]
        violations += [
            (path, violation["id"], [node["html"][:120] for node in violation["nodes"][:3]])
            for violation in found
        ]
    context.close()
    assert not violations


@pytest.mark.parametrize("width", [360, 1440])
def test_no_page_is_wider_than_its_window(browser: Any, base: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 740})
    watched = Watched(context, base)
    wait_for_index(watched)
    too_wide = {}
    for path in PAGES:
        watched.visit(path)
        over = watched.tab.evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            too_wide[path] = over
    context.close()
    assert not too_wide and not watched.faults


def test_every_page_works_without_a_script(browser: Any, base: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    watched = Watched(context, base)
    wait_for_index(watched)
    watched.tab.fill("#q", "Kettle")
    watched.tab.click("button[type=submit]")
    watched.tab.locator(".row .hit").first.click()
    assert "class Kettle" in watched.tab.inner_text("main")
    watched.tab.click("text=References")
    assert "3 references in 1 file" in watched.tab.inner_text("main")
    watched.tab.locator(".uses a").nth(1).click()
    assert re.search(r"/small/-/one\.py#L\d+$", watched.tab.url)
    watched.tab.locator("code a", has_text="Kettle").last.click()
    assert "What this name may mean" in watched.tab.inner_text("main")
    context.close()
    assert not watched.faults


def test_pages_and_script_are_small(watched: Watched) -> None:
    wait_for_index(watched)
    assert packed_script_bytes() <= SCRIPT_BYTES
    large = {}
    for path in PAGES:
        n_bytes = len(watched.visit(path).body())
        if n_bytes > FIRST_PAGE_BYTES:
            large[path] = n_bytes
    assert not large


@pytest.mark.parametrize("runs_script", [True, False])
def test_a_hostile_repository_runs_nothing(browser: Any, tmp_path: Path, runs_script: bool) -> None:
    """Follows the links of a repository in which every field is an attack."""
    root = write_hostile_tree(tmp_path / "evil <b>repository")
    with served(root, home=tmp_path / "home") as base:
        context = browser.new_context(java_script_enabled=runs_script)
        watched = Watched(context, base)
        waiting = ["/", "/search?q=Holder0", "/search?q=holder", "/search?q=Title", "/-/help"]
        seen: set[str] = set()
        while waiting and len(seen) < 120:
            path = waiting.pop(0)
            if path in seen:
                continue
            seen.add(path)
            response = watched.visit(path)
            assert response.status < 500, path
            if response.headers["content-type"].startswith("text/html"):
                links = watched.tab.eval_on_selector_all("a[href]", "all => all.map(a => a.href)")
                inside = [link for link in links if link.startswith(base)]
                for link in inside:
                    parts = urlsplit(link)
                    kind = re.sub(r"\d+", "0", parts.path + parts.query)
                    if sum(kind == re.sub(r"\d+", "0", other) for other in waiting) < 3:
                        waiting.append(parts.path + ("?" + parts.query if parts.query else ""))
                assert not watched.tab.locator(
                    "main iframe, main script, main form:not(#settings):not(.since), main style"
                ).count()
            if runs_script:
                assert watched.tab.evaluate("window.canary") is None, path
        context.close()
    assert len(seen) > 40
    assert not watched.faults
