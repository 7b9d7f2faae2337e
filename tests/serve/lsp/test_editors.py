"""The editors' configurations: each one on their page parses, starts `symindex lsp`, and uses only
settings that the server has."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from symindex.serve.lsp.configuration import KEYS
from symindex.settings import LARGEST_LIMIT, Settings
from tests.editors.run import find_emacs, find_neovim
from tests.support.command import run_program
from tests.support.npm import HOME
from tests.support.pages import EDITORS as EDITORS_PAGE
from tests.support.pages import PAGES, ROOT, editor_block, section, set_up

pytestmark = [pytest.mark.nightly, pytest.mark.slow]

EDITORS = ROOT / "symindex" / "serve" / "editors"
BY_EDITOR = set_up(EDITORS_PAGE)

# The server's options, with their defaults as an editor shows them.
OPTIONS: dict[str, Any] = {
    "limit": Settings().limit,
    "include": [],
    "exclude": [],
    "languages": [],
    "indexDir": "",
    "definition": False,
    "hover": False,
    "references": False,
    "implementation": False,
    "typeHierarchy": False,
    "callHierarchy": False,
}


def program(*names: str) -> str:
    """Returns a program's path, in this environment or on the PATH; skips the test if the program
    is missing."""
    for name in names:
        path = shutil.which(
            name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        )
        if path:
            return path
    pytest.skip(f"{names[0]} is not installed")


def run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    done = run_program(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_editor_says_whether_it_was_tried() -> None:
    assert set(BY_EDITOR) == {
        "Neovim",
        "Helix",
        "Emacs",
        "VS Code",
        "Vim and coc.nvim",
        "Sublime Text",
        "Others",
    }
    for editor, text in BY_EDITOR.items():
        assert text.strip().startswith(("Tried ", "Not tried")), editor


def test_the_table_of_options_is_the_servers() -> None:
    options = section("Options", PAGES[EDITORS_PAGE])
    assert options is not None
    shown: dict[str, Any] = {}
    for names, default in re.findall(
        r"^\| ((?:`\w+`(?:, )?)+) \| `([^`]*)` \|", options, re.MULTILINE
    ):
        shown |= {name: json.loads(default) for name in re.findall(r"`(\w+)`", names)}
    assert shown == OPTIONS
    assert set(OPTIONS) == set(KEYS)


def test_the_extension_offers_the_options_with_their_defaults() -> None:
    manifest = json.loads((EDITORS / "vscode" / "package.json").read_text())
    offered = {
        name.removeprefix("symindex."): entry["default"]
        for name, entry in manifest["contributes"]["configuration"]["properties"].items()
    }
    assert (
        manifest["contributes"]["configuration"]["properties"]["symindex.limit"]["maximum"]
        == LARGEST_LIMIT
    )
    own = {"command": "symindex", "args": ["lsp"], "trace.server": "off"}
    assert offered == OPTIONS | own


@pytest.mark.parametrize(
    ("editor", "path_to_options"),
    [
        ("VS Code", []),
        ("Vim and coc.nvim", ["languageserver", "symindex", "initializationOptions"]),
        ("Sublime Text", ["clients", "symindex", "initializationOptions"]),
    ],
)
def test_json_sets_known_options(editor: str, path_to_options: list[str]) -> None:
    options = json.loads(editor_block(editor, "json"))
    for key in path_to_options:
        options = options[key]
    names = {name.removeprefix("symindex.") for name in options} - {"command"}
    assert names and names <= set(OPTIONS)


def test_json_starts_the_server() -> None:
    coc = json.loads(editor_block("Vim and coc.nvim", "json"))["languageserver"]["symindex"]
    assert [coc["command"], *coc["args"]] == ["symindex", "lsp"]
    assert coc["filetypes"] == ["*"]
    sublime = json.loads(editor_block("Sublime Text", "json"))["clients"]["symindex"]
    assert sublime["command"] == ["symindex", "lsp"]


def test_helix() -> None:
    shown = tomllib.loads(editor_block("Helix", "toml"))
    full = tomllib.loads((EDITORS / "helix" / "languages.toml").read_text())
    assert shown["language-server"] == full["language-server"]
    server = full["language-server"]["symindex"]
    assert [server["command"], *server["args"]] == ["symindex", "lsp"]
    assert set(server["config"]) <= set(OPTIONS)
    assert all(language in full["language"] for language in shown["language"])
    assert all(language["language-servers"][-1] == "symindex" for language in full["language"])


def test_neovim(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Neovim itself accepts the configuration and enables it for any file type; the root is the
    nearest one, as in every front end."""
    neovim = find_neovim(pytestconfig.cache.mkdir("editors"))
    (tmp_path / "outer" / "inner" / ".git").mkdir(parents=True)
    (tmp_path / "outer" / "symindex.toml").touch()
    script = tmp_path / "init.lua"
    script.write_text(
        editor_block("Neovim", "lua")
        + 'local config, roots = vim.lsp.config["symindex"], {}\n'
        + 'for _, path in ipairs({ "outer/inner/a.txt", "outer/b.txt", "c.txt" }) do\n'
        + "  config.root_dir(vim.fn.bufadd(path), function(root) table.insert(roots, root) end)\n"
        + "end\n"
        + "local any = vim.lsp.is_enabled('symindex') and config.filetypes == nil\n"
        + "io.write(vim.json.encode({ config.cmd, any, config.init_options, roots }))\n"
    )
    command, any_file, options, roots = json.loads(
        run([neovim, "--clean", "-l", str(script)], tmp_path)
    )
    assert (command, any_file) == (["symindex", "lsp"], True)
    assert set(options) <= set(OPTIONS)
    assert [Path(root) for root in roots] == [
        tmp_path / "outer" / "inner",
        tmp_path / "outer",
        tmp_path,
    ]


def test_emacs(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Emacs reads both pieces; the first gives Eglot the command for the modes that it names."""
    emacs = find_emacs(pytestconfig.cache.mkdir("editors"))
    script = tmp_path / "init.el"
    script.write_text(
        "(setq eglot-server-programs nil)\n"
        + "(provide 'eglot)\n"
        + editor_block("Emacs", "elisp")
        + editor_block("Emacs", "elisp", 1)
        + """(princ (json-encode (list (cdar eglot-server-programs) (and (memq 'python-mode (caar eglot-server-programs)) t)
                               (and (commandp 'symindex-find) t))))\n"""
    )
    values = json.loads(run([emacs, "-Q", "--batch", "-l", "json", "-l", str(script)], tmp_path))
    assert values == [["symindex", "lsp", "initializationOptions", {"limit": 500}], True, True]


def test_the_emacs_command_compiles_without_a_warning(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    emacs = find_emacs(pytestconfig.cache.mkdir("editors"))
    shutil.copy(EDITORS / "emacs" / "symindex.el", tmp_path)
    strict = "(setq byte-compile-error-on-warn t)"
    run(
        [emacs, "-Q", "--batch", "--eval", strict, "-f", "batch-byte-compile", "symindex.el"],
        tmp_path,
    )
    assert (tmp_path / "symindex.elc").exists()


def test_the_extension_builds_lints_and_passes_its_tests(tmp_path: Path) -> None:
    npm = program("npm")
    folder = tmp_path / "vscode"
    shutil.copytree(
        EDITORS / "vscode",
        folder,
        ignore=shutil.ignore_patterns("node_modules", "out", "package-lock.json", "*.vsix"),
    )
    environment = os.environ | HOME
    install = [npm, "install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]
    done = run_program(install, cwd=folder, env=environment, timeout=300)
    if re.search(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED", done.stderr):
        pytest.skip("the npm registry cannot be reached")
    assert done.returncode == 0, done.stdout + done.stderr
    run([npm, "run", "--silent", "lint"], folder, environment)
    passed = run([npm, "test", "--silent"], folder, environment)
    assert re.search(r"^\W+ pass [1-9]", passed, re.MULTILINE), passed
    assert (folder / "out" / "extension.js").exists()
