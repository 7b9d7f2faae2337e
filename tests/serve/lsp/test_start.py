"""What an editor waits for: a server that it starts answers `initialize` before anything is loaded that this does not need."""

import subprocess
import sys

import pytest

from tests.support.lsp_client import framed

HELLO = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'


@pytest.mark.parametrize("options", [[], ["--stdio"]])
def test_the_handshake_needs_neither_the_command_line_nor_the_index(options: list[str]) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "symindex", "lsp", *options]
    exit_ = b'{"jsonrpc": "2.0", "method": "exit"}'
    done = subprocess.run(command, input=framed(exit_), capture_output=True, timeout=60, check=False)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines() if line.startswith("import time:")}
    assert "symindex.serve.lsp.handshake" in loaded
    assert not loaded & {"click", "symindex.serve.cli", "numpy", "symindex.session", "symindex.search", "lsprotocol", "cattrs"}
    assert done.returncode == 1  # `exit` without `shutdown`


def test_it_ends_with_what_it_was_asked_for() -> None:
    """The same as by way of the command line, which other options take."""
    messages = [HELLO, b'{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}', b'{"jsonrpc": "2.0", "method": "exit"}']
    sent = b"".join(map(framed, messages))
    answers = [
        subprocess.run(
            [sys.executable, "-m", "symindex", "lsp", *options], input=sent, capture_output=True, timeout=60, check=True
        )
        for options in ([], ["--log-level", "warning"])
    ]
    assert answers[0].stdout == answers[1].stdout and b'"id":2,"result":null' in answers[0].stdout
    assert answers[0].stderr == answers[1].stderr == b""
