"""Progress and giving up over the wire, while a tree is indexed for the first time."""

from pathlib import Path

import pytest

from tests.conftest import write_files
from tests.mcp_client import LEGACY, MODERN, McpClient

N_FILES = 900


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = "".join(f"def f{n}(a, b):\n    return a + b\n\n\n" for n in range(60))
    return write_files(tmp_path_factory.mktemp("large") / "tree", {f"d{n % 40}/m{n}.py": text for n in range(N_FILES)})


@pytest.mark.parametrize("version", [MODERN, LEGACY])
def test_a_call_that_waits_for_the_index_tells_how_far_it_is(version: str, large: Path, tmp_path: Path) -> None:
    with McpClient([large], tmp_path / "indexes", version) as client:
        call = {"name": "outline", "arguments": {"depth": 1}}
        told = client.begin("tools/call", call, {"progressToken": "outline"})
        silent = client.begin("tools/call", call)
        given_up = client.begin("tools/call", call, {"progressToken": "given up"})
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": given_up}})
        for number in (told, silent):
            assert f"{60 * N_FILES:,} symbols in {N_FILES:,} files" in client.wait(number)["result"]["content"][0]["text"]
        steps = [message["params"] for message in client.told if message["method"] == "notifications/progress"]
        ours = [step for step in steps if step["progressToken"] == "outline"]
        assert ours and {step["progressToken"] for step in steps} <= {"outline", "given up"}
        done = [step["progress"] for step in ours]
        assert done == sorted(set(done)) and all(step.get("total", N_FILES) == N_FILES for step in ours)
        assert client.call("status")["structuredContent"]["roots"][0]["state"] == "ready"
        assert client.odd == []
