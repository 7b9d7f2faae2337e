"""The time that an editor waits: a server answers `initialize` before it loads anything that the
answer does not need."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from tests.support.command import run_python
from tests.support.files import write_files
from tests.support.hanging_language import own_environment
from tests.support.lsp_client import framed, start_server

FIRST_ANSWER_SECONDS = 0.9
"""Time limit for the first answer, in seconds; it usually takes 0.25 s."""

HELLO = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'


@pytest.mark.nightly
@pytest.mark.parametrize("options", [[], ["--stdio"]])
def test_the_handshake_needs_neither_the_command_line_nor_the_index(options: list[str]) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "symindex", "lsp", *options]
    exit_ = b'{"jsonrpc": "2.0", "method": "exit"}'
    done = subprocess.run(
        command, input=framed(exit_), capture_output=True, timeout=60, check=False
    )
    loaded = {
        line.rpartition("|")[2].strip()
        for line in done.stderr.decode().splitlines()
        if line.startswith("import time:")
    }
    assert "symindex.serve.lsp.handshake" in loaded
    assert not loaded & {
        "click",
        "symindex.serve.cli",
        "numpy",
        "symindex.editor",
        "symindex.workspace",
        "symindex.search",
        "lsprotocol",
        "cattrs",
    }
    assert done.returncode == 1  # `exit` without `shutdown`


@pytest.mark.nightly
def test_it_ends_with_what_it_was_asked_for() -> None:
    """The fast start and the command line, which other options use, end alike."""
    messages = [
        HELLO,
        b'{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}',
        b'{"jsonrpc": "2.0", "method": "exit"}',
    ]
    sent = b"".join(map(framed, messages))
    answers = [
        subprocess.run(
            [sys.executable, "-m", "symindex", "lsp", *options],
            input=sent,
            capture_output=True,
            timeout=60,
            check=True,
        )
        for options in ([], ["--log-level", "warning"])
    ]
    assert (
        answers[0].stdout == answers[1].stdout
        and b'{"id":2,"jsonrpc":"2.0","result":null}' in answers[0].stdout
    )
    assert answers[0].stderr == answers[1].stderr == b""


@pytest.mark.nightly
@pytest.mark.slow
def test_the_first_symbols_come_soon_after_the_start(tmp_path: Path) -> None:
    """The index exists. The test counts processor time, since the machine has other work."""
    root = write_files(
        tmp_path / "tree", {f"{n}.py": f"def thing_{n}(): pass\n" for n in range(50)}
    )
    environment = own_environment(tmp_path / "home")
    taken = []
    for _ in range(3):
        client = start_server(env=environment)
        client.initialize(root)
        assert client.names("thing_7")[:1] == ["thing_7"]
        assert client.process is not None
        used = psutil.Process(client.process.pid).cpu_times()
        taken.append(used.user + used.system)
        if len(taken) == 1:
            client.wait_indexed()
        assert client.leave() == 0
    print(" ".join(f"{seconds:.2f}" for seconds in taken))
    assert min(taken[1:]) < FIRST_ANSWER_SECONDS


@pytest.mark.nightly
@pytest.mark.slow
def test_types_made_on_demand_are_equal() -> None:
    """Classes created on demand have the same fields, field types and objects."""
    script = """
        import sys
        if sys.argv[1] == "lazily":
            from symindex.serve.lsp.lazy_types import load_types_lazily
            load_types_lazily()
        from lsprotocol import converters, types
        import attrs
        if sys.argv[1] == "lazily":
            kinds = [each for each in vars(types).values() if isinstance(each, type)]
            assert not [kind for kind in kinds if isinstance(vars(kind).get("__attrs_attrs__"), tuple)]
        converter = converters.get_converter()
        for name, kind in types.ALL_TYPES_MAP.items():
            if isinstance(kind, type) and attrs.has(kind):
                print(name, [(field.name, field.type, field.default, field.validator) for field in attrs.fields(kind)])
        place = types.Position(1, 2)
        print(place, place == types.Position(1, 2), place < types.Position(1, 3), converter.unstructure(place))
        print(types.Location("a", types.Range(place, place)) == types.Location("a", types.Range(place, place)))
        message = {"jsonrpc": "2.0", "id": 1, "method": "workspace/symbol", "params": {"query": "x"}}
        print(converter.structure(message, types.WorkspaceSymbolRequest))
    """
    lazily, at_once = (run_python(textwrap.dedent(script), how) for how in ("lazily", "at once"))
    assert (lazily.returncode, lazily.stderr) == (0, "")
    assert len(lazily.stdout.splitlines()) > 500
    addresses = re.compile(" at 0x[0-9a-f]+")
    assert addresses.sub("", lazily.stdout) == addresses.sub("", at_once.stdout)
