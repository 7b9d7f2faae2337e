"""The page about a company's code: its commands, run in order, and its Python."""

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import pytest

import symindex
from tests.support.files import write_files
from tests.support.fleets import TWO

PAGE: Final = Path(__file__).parent.parent / ".github/docs/search-a-companys-code.md"
COMMANDS: Final = [
    command
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    for command in block.splitlines()
    if command.startswith("symindex ")
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a catalogue of one repository, which stands for the page's."""
    folder = tmp_path_factory.mktemp("company")
    click = TWO["pallets/click"]
    core = click["src/core.py"] + "\n\ndef make_context():  # TODO\n    return Context()\n"
    write_files(folder / "click", {"src/click/core.py": core, "more.py": "make_context()\n"})
    (folder / "fleet.toml").write_text(
        'store = "store"\n[[repository]]\nfolder = "click"\nname = "click"\n'
    )
    return folder


def _run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    words = re.findall(r'"[^"]*"|\S+', command)
    arguments = [word.strip('"') for word in words[1:]]
    return subprocess.run(
        [sys.executable, "-m", "symindex", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_each_command_of_the_page_works(folder: Path) -> None:
    ran = [command for command in COMMANDS if "serve" not in command]
    assert len(ran) >= 7
    for command in ran:
        result = _run(folder, command)
        assert result.returncode == 0, (command, result.stdout, result.stderr)
        assert "click" in result.stdout or "generation" in result.stdout, command


def test_the_server_of_the_page_answers(folder: Path) -> None:
    _run(folder, "symindex fleet update")
    (command,) = (command for command in COMMANDS if "serve" in command)
    words = command.replace("7661", "0").split()[1:]
    with subprocess.Popen(
        [sys.executable, "-m", "symindex", *words], cwd=folder, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stderr is not None
            line = server.stderr.readline()
            address = re.search(r"http://[\d.]+:\d+", line)
            assert address is not None, line
            ends = time.monotonic() + 20
            while time.monotonic() < ends:
                try:
                    assert urlopen(f"{address[0]}/healthz", timeout=5).status == 200
                    break
                except OSError:
                    time.sleep(0.1)
        finally:
            server.terminate()


def test_the_python_of_the_page_works(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _run(folder, "symindex fleet update")
    (code,) = re.findall(
        r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    monkeypatch.chdir(folder)
    exec(code, {"symindex": symindex})
    assert capsys.readouterr().out.splitlines() == ["click/src/click/core.py 4"]
