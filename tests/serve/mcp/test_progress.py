"""Messages during long work: progress, cancellation, and why changes appear late."""

from pathlib import Path

import pytest

from tests.support.files import write_files
from tests.support.mcp_client import LEGACY, MODERN, McpClient

pytestmark = pytest.mark.nightly

N_FILES = 900


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = "".join(f"def f{n}(a, b):\n    return a + b\n\n\n" for n in range(60))
    return write_files(
        tmp_path_factory.mktemp("large") / "tree",
        {f"d{n % 40}/m{n}.py": text for n in range(N_FILES)},
    )


@pytest.mark.slow
@pytest.mark.parametrize("version", [MODERN, LEGACY])
def test_a_call_that_waits_for_the_index_tells_how_far_it_is(
    version: str, large: Path, tmp_path: Path
) -> None:
    with McpClient([large], tmp_path / "indexes", version) as client:
        call = {"name": "outline", "arguments": {"depth": 1}}
        followed = client.begin("tools/call", call, {"progressToken": "outline"})
        silent = client.begin("tools/call", call)
        given_up = client.begin("tools/call", call, {"progressToken": "given up"})
        client.send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": given_up},
            }
        )
        for number in (followed, silent):
            assert (
                f"{60 * N_FILES:,} symbols in {N_FILES:,} files"
                in client.wait(number)["result"]["content"][0]["text"]
            )
        steps = [
            message["params"]
            for message in client.told
            if message["method"] == "notifications/progress"
        ]
        ours = [step for step in steps if step["progressToken"] == "outline"]
        assert ours and {step["progressToken"] for step in steps} <= {"outline", "given up"}
        done = [step["progress"] for step in ours]
        assert done == sorted(set(done)) and all(
            step.get("total", N_FILES) == N_FILES for step in ours
        )
        assert client.call("status")["structuredContent"]["roots"][0]["state"] == "ready"
        assert client.odd == []


@pytest.mark.slow
def test_the_status_says_why_changes_are_seen_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"})
    with McpClient([root], tmp_path / "indexes") as client:
        assert "cannot be watched" not in client.until("status", "Up to date")
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    with McpClient([root], tmp_path / "indexes") as client:
        assert "Up to date" in client.until(
            "status", f"> {root}: cannot be watched and is checked from time to time"
        )
        write_files(root, {"a.py": "def other(): pass\n"})
        client.until("search", "| `other` |", query="other")
