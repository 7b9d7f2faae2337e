"""Measures the page in Chromium: from a key to painted rows, and the bytes of pages.

    python -m tests.bench.page TREE [TREE...]

Queries are typed letter by letter, each key 150 ms after the last one. A row counts as painted in
the frame after the one in which it was put into the page.
"""

import argparse
import gzip
import statistics
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.support.browser import STATIC, chromium, served

QUERIES: Final = (
    "queryset", "parse_query", "HttpResponse", "fllwdwrk", "get_", "model form", "render template",
    "read a file", "addEventListener", "cfg",
)  # fmt: skip
"""Names, initials, misspelt names and questions."""

KEY_PAUSE_MS: Final = 150

WATCH: Final = """
() => {
  window.painted = [];
  let pressed = 0;
  addEventListener("keydown", () => { pressed = performance.now(); }, true);
  new MutationObserver((changes) => {
    if (!pressed || !changes.some((change) => change.target.closest?.("#live"))) return;
    const since = pressed;
    requestAnimationFrame(() => setTimeout(() => window.painted.push(performance.now() - since)));
    pressed = 0;
  }).observe(document.body, { childList: true, subtree: true });
}
"""


def measure(tab: Any, base: str) -> list[float]:
    """Returns the milliseconds from each key to painted rows."""
    times: list[float] = []
    for query in QUERIES:
        tab.goto(base + "/-/help")
        tab.evaluate(WATCH)
        tab.keyboard.press("/")
        for letter in query:
            tab.keyboard.type(letter)
            tab.wait_for_timeout(KEY_PAUSE_MS)
        times += tab.evaluate("window.painted")
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="+", type=Path)
    trees = parser.parse_args().trees
    with (
        tempfile.TemporaryDirectory() as home,
        served(*trees, home=Path(home)) as base,
        chromium() as browser,
    ):
        tab = browser.new_page()
        wait_until_indexed(tab, base, len(trees))
        measure(tab, base)  # the first answers read the index
        times = sorted(measure(tab, base))
        script = len(gzip.compress((STATIC / "page.js").read_bytes()))
        print(f"{tab.goto(base + '/').text().count('symbols in')} trees indexed")
        print(
            f"key to painted rows, {len(times)} keys: median {statistics.median(times):.0f} ms,"
            f" p95 {times[len(times) * 95 // 100]:.0f} ms, most {times[-1]:.0f} ms"
        )
        print(f"script, packed: {script:,} bytes")
        for path in ("/", "/search?q=queryset", "/-/help"):
            print(f"{path}: {len(tab.goto(base + path).body()):,} bytes")


def wait_until_indexed(tab: Any, base: str, n_trees: int) -> None:
    for _ in range(600):
        text = tab.goto(base + "/").text()
        if text.count("symbols in") >= n_trees:
            return
        tab.wait_for_timeout(1_000)
    raise SystemExit("the index was not built within ten minutes")


if __name__ == "__main__":
    main()
