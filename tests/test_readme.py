"""Every command, option and configuration on the README and the front ends' pages runs."""

import os
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

import click
import pytest

import symindex
from symindex.extract.documents.formats import load_formats
from symindex.extract.languages.registry import load_languages
from symindex.extract.summary import summarize_languages
from symindex.serve.cli.main import cli
from symindex.serve.mcp.tools import TOOLS, WRITE_TOOLS
from symindex.settings import Settings, check_settings
from tests import record_session
from tests.support.command import run_program, run_python
from tests.support.files import Files, Maker, write_files
from tests.support.pages import (
    EVERYTHING,
    OWN_PROJECT,
    PAGES,
    README,
    ROOT,
    blocks,
    commands,
    sections,
)

COMMANDS = {
    name: command
    for name in cli.list_commands(click.Context(cli))
    if (command := cli.get_command(click.Context(cli), name))
}

_TEXTS = [text for path, text in PAGES.items() if path not in OWN_PROJECT]
SESSION = sorted(
    {
        pair
        for text in _TEXTS
        for pair in commands(text)
        if re.match(r"(echo .* \| )?symindex ", pair[0])
    }
)
SETUP = [pair for pair in commands(PAGES[README]) if pair[0].startswith("python3 -m venv")]
CONFIGURATIONS = [text for part in sections("Configuration") for text in blocks("toml", part)]


def shell(command: str, tmp_path: Path) -> str:
    """Runs a command of a page in the repository, with this environment's symindex."""
    (tmp_path / "bin").mkdir(exist_ok=True)
    program = tmp_path / "bin" / "symindex"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symindex "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = run_program(["bash", "-c", command], cwd=ROOT, env=environment)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("command", "output"), SESSION, ids=[command for command, _ in SESSION])
def test_the_session_works_when_pasted(command: str, output: str, tmp_path: Path) -> None:
    assert shell(command, tmp_path).strip() == output.strip()


@pytest.mark.parametrize(
    "row", re.findall(r"\| `(\w+)` \| class \| ([\w/.]+):(\d+) \|", SETUP[0][1])
)
def test_the_first_command_shows_lines_of_this_repository(row: tuple[str, str, str]) -> None:
    name, path, line = row
    assert (ROOT / path).read_text().splitlines()[int(line) - 1].startswith(f"class {name}")


@pytest.mark.nightly
@pytest.mark.slow
def test_the_first_command_finds_what_it_shows(tmp_path: Path) -> None:
    """This test runs the search at the end of the set-up; continuous integration and test_wheel run
    the set-up itself."""
    command, output = SETUP[0]
    search = command.split(" && ")[-1].replace(".venv/bin/", "")
    assert shell(search, tmp_path).strip() == output.strip()


@pytest.mark.slow
def test_the_picture_shows_what_the_commands_print() -> None:
    assert record_session.record() == record_session.PICTURE.read_text()


def test_the_front_page_is_short() -> None:
    assert len(PAGES[README].splitlines()) <= 150


def test_set_up_is_two_commands() -> None:
    assert len(SETUP) == 2
    assert PAGES[README].index(SETUP[1][0]) < 1800  # on the first screen
    ci = (ROOT / ".ci" / "run").read_text()
    assert SETUP[1][0] in ci


def test_python_example(tmp_path: Path) -> None:
    code = blocks("python", EVERYTHING)[0]  # the other is that of `test_fleet_page`
    done = run_python(code, cwd=ROOT, check=True)
    assert done.stdout == blocks("text", EVERYTHING)[0]


@pytest.mark.parametrize("text", CONFIGURATIONS)
def test_configuration_example(text: str) -> None:
    settings, problems = check_settings(tomllib.loads(text), "README.md", load_languages())
    assert problems == []
    shown = set(tomllib.loads(text))
    # `index_dir` is ignored in a tree's own settings
    assert shown == set(Settings.__struct_fields__) - {"index_dir"}
    defaults = Settings()
    for key in ("max_file_bytes", "file_seconds", "limit"):
        assert getattr(settings, key) == getattr(defaults, key)


@pytest.mark.slow
@pytest.mark.parametrize("text", CONFIGURATIONS)
def test_the_configuration_makes_items(text: str, tmp_path: Path) -> None:
    # the keys above it select the files of two languages
    rows = text[text.index("[[item_types]]") :]
    runbook = "---\ntitle: Restore\non-call: bo\n---\n# Restore\n"
    write_files(
        tmp_path,
        {
            "symindex.toml": rows,
            "ops/runbooks/db/restore.md": runbook,
            "docs/restore.md": "# Restore\n",
        },
    )
    with symindex.open(tmp_path) as workspace:
        (item,) = workspace.search("", type="runbook", include=["metadata"]).items
    assert item.kind == "runbook" and item.metadata is not None
    assert (item.metadata["id"], item.metadata["title"], item.metadata["on-call"]) == (  # type: ignore[index]
        "db/restore",
        "Restore",
        "bo",
    )


@pytest.mark.slow
@pytest.mark.parametrize("text", CONFIGURATIONS)
def test_the_configuration_leaves_out_what_it_says(text: str, tmp_path: Path) -> None:
    paths = [
        "a.py",
        "b.go",
        "src/c.cc",
        "src/d.go",
        "src/testdata/e.py",
        "lib/x_pb2.py",
        "lib/f.py",
        "lib/g.cc",
    ]
    write_files(tmp_path, {"symindex.toml": text, **{path: "" for path in paths}})
    with symindex.open(tmp_path) as workspace:
        assert sorted(
            file.path for file, _ in workspace.source.indexed.snapshot.files_and_counts()
        ) == [
            "a.py",
            "lib/f.py",
            "src/c.cc",
        ]


def test_every_command_is_documented() -> None:
    assert set(re.findall(r"^\| `symindex (\w+)", EVERYTHING, re.MULTILINE)) == set(COMMANDS)


def options_of(command: str) -> set[str]:
    """Returns the long options of a command and of its subcommands."""
    named = COMMANDS[command]
    parts = [named, *(named.commands.values() if isinstance(named, click.Group) else ())]
    options = [
        parameter
        for part in parts
        for parameter in part.params
        if isinstance(parameter, click.Option)
    ]
    return {
        word
        for option in options
        for word in (*option.opts, *option.secondary_opts)
        if word.startswith("--")
    } | {"--help"}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_option_is_documented(command: str) -> None:
    assert options_of(command) <= set(re.findall(r"--[a-z][a-z-]+", EVERYTHING))


def test_every_option_that_is_shown_with_its_command_is_one_of_it() -> None:
    shown = re.findall(r"(?:[`$ ]|^)symindex ([a-z]+) ([^`\n|]*)", EVERYTHING, re.MULTILINE)
    pairs = {
        (command, option)
        for command, rest in shown
        if command in COMMANDS
        for option in re.findall(r"(?<!\S)--[a-z-]+", rest)
    }
    assert len(pairs) > 10
    assert {
        (command, option) for command, option in pairs if option not in options_of(command)
    } == set()


SEARCHED: Files = {
    "auth.py": """
class Auth:
    def login(self): pass
    def logout(self): pass


class AuthService: pass


def recalculate():
    '''The price that the file system keeps.'''
""",
    "src/names.go": "package names\n\nfunc initBookForOfficial() {}\n\nfunc getFullName() {}\n\nvar address = 1\n",
    "web/jar.py": "def parse_cookie(header): pass\n",
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
    "where are cookies parsed": ["parse_cookie"],
    "auth (login OR logout) NOT test": ["logout", "login"],
    '"file system"': ["recalculate"],
    "get*Name": ["getFullName"],
    "kind:class": ["Auth", "AuthService"],
    "lang:go": ["getFullName", "initBookForOfficial", "address"],
    "path:src/**": ["getFullName", "initBookForOfficial", "address"],
    "doc:price": ["recalculate"],
    "Auth.log*": ["login", "logout"],
    "name:(login OR logout)": ["logout", "login", "test_login"],
    "kind:class,function -is:test": [
        "Auth",
        "recalculate",
        "AuthService",
        "parse_cookie",
        "getFullName",
        "initBookForOfficial",
    ],
    "def login(self)": ["login", "test_login"],
    "class Auth:": ["Auth", "AuthService"],
}
"""What each query of the table finds in these files."""


def test_every_query_of_the_table_finds_what_it_says(make_workspace: Maker) -> None:
    for table in sections("Queries"):
        rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        shown = [query for row in rows for query in re.findall(r"`([^`]+)`", row)]
        assert sorted(shown) == sorted(QUERIES)
    workspace = make_workspace(SEARCHED)
    assert {
        query: [item.name for item in workspace.search(query).items] for query in QUERIES
    } == QUERIES


def test_languages_are_the_ones_at_hand() -> None:
    (text,) = sections("Languages")
    listed = (
        " ".join(text.split())
        .partition("The *full* tier includes, among others, ")[2]
        .partition(". ")[0]
    )
    full = {row.name for row in summarize_languages() if row.tier == "full"}
    names = listed.replace(" and ", ", ").split(", ")
    assert len(names) > 40 and {*names} <= full
    tiers = Counter(row.tier for row in summarize_languages())
    tier = r"\*{}\* tier \(more than (\d+)\).*".format
    pattern = r"more than (\d+) languages, in three tiers\. .*" + "".join(
        map(tier, ("basic", "good", "full"))
    )
    match = re.search(pattern, " ".join(text.split()))
    counts = (len(load_languages().by_id), tiers["basic"], tiers["good"], tiers["full"])
    assert match is not None and [*map(int, match.groups())] == [
        (count - 1) // 10 * 10 for count in counts
    ]
    assert f"more than {match[1]} languages" in PAGES[README]
    assert f"more than {match[1]}," in (ROOT / "CHANGELOG.md").read_text()


def test_pages_count_the_tools_of_agents_right() -> None:
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    for path in ("README.md", "symindex/serve/mcp/README.md"):
        matches = re.findall(r"\b(\w+) (?:read-only )?tools\b", (ROOT / path).read_text())
        assert [match for match in matches if match in words] == [words[len(TOOLS)]], path
    assert (
        f"{words[len(WRITE_TOOLS)]} that write"
        in (ROOT / "symindex/serve/mcp/README.md").read_text()
    )


def test_formats_of_documents_are_the_ones_at_hand() -> None:
    (listed,) = re.findall(r"Documents can be in (.*?) format\.", EVERYTHING, re.DOTALL)
    readers = [row.name for row in load_formats().by_id.values() if row.reader]
    assert sorted(re.split(r", | or ", " ".join(listed.split()))) == sorted(readers)


@pytest.mark.parametrize(
    "path",
    [
        *sorted(ROOT.glob("[!.]*/**/README.md")),
        *sorted((ROOT / ".github").rglob("*.md")),
        ROOT / "README.md",
    ],
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_links_lead_somewhere(path: Path) -> None:
    if "node_modules" in path.parts:
        return
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target
