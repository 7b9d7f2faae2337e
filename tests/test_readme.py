"""Every command, option and configuration that a README shows is run."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

import symindex
from symindex.extract.languages.registry import load_languages
from symindex.serve.cli.main import cli
from symindex.settings import Settings, check_settings
from tests.conftest import Files, Maker, write_files

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """(command, output) of every console block."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


SESSION = [pair for pair in commands() if pair[0].startswith("symindex ")]
SETUP = [pair for pair in commands() if pair[0].startswith("python3 -m venv")]


def shell(command: str, tmp_path: Path) -> str:
    """Runs a command of the README in the repository, with this environment's symindex."""
    (tmp_path / "bin").mkdir(exist_ok=True)
    program = tmp_path / "bin" / "symindex"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symindex "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.parametrize(("command", "output"), SESSION, ids=[command for command, _ in SESSION])
def test_the_session_works_when_pasted(command: str, output: str, tmp_path: Path) -> None:
    assert shell(command, tmp_path).strip() == output.strip()


def test_the_first_command_finds_what_it_shows(tmp_path: Path) -> None:
    """The set-up itself is run by continuous integration and by test_wheel; here, the search at its end."""
    command, output = SETUP[0]
    search = command.split(" && ")[-1].replace(".venv/bin/", "")

    def without_lines(text: str) -> str:
        return re.sub(r":\d+ \|", ":N |", text).strip()

    assert without_lines(shell(search, tmp_path)) == without_lines(output)


def test_set_up_is_two_commands() -> None:
    assert len(SETUP) == 2
    assert README.index(SETUP[1][0]) < 1800  # on the first screen
    ci = (ROOT / ".ci" / "run").read_text()
    assert SETUP[1][0] in ci


def test_python_example(tmp_path: Path) -> None:
    (code,) = blocks("python")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == blocks("text")[0]


def test_configuration_example() -> None:
    (text,) = blocks("toml", README.split("## Configuration")[1])
    settings, problems = check_settings(tomllib.loads(text), "README.md", load_languages())
    assert problems == []
    shown = set(re.findall(r"^(\w+) =", text, re.MULTILINE))
    assert shown == set(Settings.__struct_fields__) - {"index_dir"}  # which is not followed
    defaults = Settings()
    for key in ("max_file_bytes", "file_seconds", "limit"):
        assert getattr(settings, key) == getattr(defaults, key)


def test_the_configuration_leaves_out_what_it_says(tmp_path: Path) -> None:
    (text,) = blocks("toml", README.split("## Configuration")[1])
    paths = ["a.py", "b.go", "src/c.cc", "src/d.go", "src/testdata/e.py", "lib/x_pb2.py", "lib/f.py", "lib/g.cc"]
    write_files(tmp_path, {"symindex.toml": text, **{path: "" for path in paths}})
    with symindex.open(tmp_path) as workspace:
        assert [file.path for file in workspace.snapshot.files()] == ["a.py", "lib/f.py", "src/c.cc"]


def test_every_command_is_documented() -> None:
    assert set(re.findall(r"^\| `symindex (\w+)", README, re.MULTILINE)) == set(cli.commands)


def test_every_option_of_search_is_documented() -> None:
    shown = set(re.findall(r"--[a-z][a-z-]+", README))
    search = cli.commands["search"]
    options = {
        word for parameter in search.params if isinstance(parameter, click.Option)
        for word in (*parameter.opts, *parameter.secondary_opts) if word.startswith("--")
    }  # fmt: skip
    assert options <= shown


SEARCHED: Files = {
    "auth.py": """
class Auth:
    def login(self): pass
    def logout(self): pass


class AuthService: pass


def recalculate():
    '''The price, in exact words.'''
""",
    "src/names.go": "package names\n\nfunc initBookForOfficial() {}\n\nfunc getFullName() {}\n\nvar address = 1\n",
    "tests/test_auth.py": "def test_login(): pass\n",
    "pointer.h": "struct unique_ptr { int x; };\n",
}

QUERIES = {
    "AuthService": ["AuthService"],
    "authservice": ["AuthService"],
    "auth_service": ["AuthService"],
    "ibfo": ["initBookForOfficial"],
    "inBkOff": ["initBookForOfficial"],
    "u_p": ["unique_ptr"],
    "calc": ["recalculate"],
    "lgoin": ["login", "test_login"],
    "adress": ["address"],
    "Auth.login": ["login", "test_login"],  # its file has `auth` in its name
    "Auth::login": ["login", "test_login"],
    "auth/login": ["login", "test_login"],
    "Auth.": ["login", "logout"],
    "auth (login OR logout) NOT test": ["login", "logout"],
    '"exact words"': ["recalculate"],
    "get*Name": ["getFullName"],
    "kind:class": ["Auth", "AuthService"],
    "lang:go": ["getFullName", "initBookForOfficial", "address"],
    "path:src/**": ["getFullName", "initBookForOfficial", "address"],
    "doc:price": ["recalculate"],
}
"""What each query of the table finds among these."""


def test_every_query_of_the_table_finds_what_it_says(make_workspace: Maker) -> None:
    table = README.split("## Queries")[1].split("## Commands")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    shown = [query for row in rows for query in re.findall(r"`([^`]+)`", row)]
    assert sorted(shown) == sorted(QUERIES)
    workspace = make_workspace(SEARCHED)
    assert {query: [item.name for item in workspace.search(query).items] for query in shown} == QUERIES


def test_languages_are_the_ones_at_hand() -> None:
    listed = README.split("## Languages")[1].split(". A language is")[0]
    names = [re.sub(r" \(.*", "", name).strip() for name in listed.split(",")]
    assert sorted(names, key=str.lower) == sorted((language.name for language in load_languages().by_id.values()), key=str.lower)


@pytest.mark.parametrize(
    "path", [*sorted(ROOT.glob("[!.]*/**/README.md")), ROOT / "README.md"], ids=lambda p: str(p.relative_to(ROOT))
)
def test_links_lead_somewhere(path: Path) -> None:
    if any(part.startswith(".") or part == "node_modules" for part in path.relative_to(ROOT).parts):
        return
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target
