"""Completion in a bash that loads it as a user's bash does."""

import os
import sys
from pathlib import Path

import pytest

from tests.support.command import run, run_program
from tests.support.files import write_files
from tests.support.git import git

SCRIPT = r"""
eval "$(_SYMINDEX_COMPLETE=bash_source symindex)"
COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { echo "compopt $*"; }
_symindex_completion symindex
echo "${COMPREPLY[*]}"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_files(tmp_path / "tree", {"a.py": "x = 1\n", "doc.md": "# Doc\n"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "x")
    git(root, "tag", "v1.0")
    program = tmp_path / "bin" / "symindex"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symindex "$@"\n')
    program.chmod(0o755)
    assert run("add", str(root / "doc.md"), "--source", "handbook", "--root", str(root)).code == 0
    return root


def completed(root: Path, *words: str) -> list[str]:
    path = f"{root.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = run_program(
        ["bash", "-c", SCRIPT, "bash", "symindex", *words],
        cwd=root,
        env={**os.environ, "PATH": path},
    )
    assert done.stderr == ""
    return done.stdout.split()


CASES = [
    (("sear",), ["search"]), (("search", "--kind", "cla"), ["class"]), (("search", "-k", "CL"), ["class"]),
    (("search", "--lang", "pyth"), ["python"]), (("search", "--type", "sec"), ["section"]),
    (("refs", "x", "--role", "inh"), ["inherit"]),
    (("changed", "ma"), ["main"]), (("changed", "v"), ["v1.0"]), (("changed", "HE"), ["HEAD"]),
    (("search", "--format", "li"), ["lines"]),
    (("search", "--space", "sys"), ["system"]), (("recall", "--source", "han"), ["handbook"]), (("forget", "h"), ["handbook"]),
    (("search", "--include", "sig"), ["signature"]), (("search", "--kind", "zzz"), []), (("search", "--paths", "c"), ["cwd"]),
]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize(("words", "offered"), CASES)
def test_words(words: tuple[str, ...], offered: list[str], root: Path) -> None:
    assert completed(root, *words) == offered


@pytest.mark.nightly
@pytest.mark.parametrize(
    "words",
    [("outline", "a"), ("symbol", "a"), ("search", "-p", "a"), ("grep", "x", "a"), ("map", "a")],
)
def test_paths_are_left_to_the_shell(words: tuple[str, ...], root: Path) -> None:
    assert completed(root, *words) == ["compopt", "-o", "default"]


NAMES = [
    (("symbol", "get_c"), ["get_cat", "get_cow"]), (("refs", "get_d"), ["get_dog"]), (("search", "get_d"), ["get_dog"]),
    (("hierarchy", "Farm.fe"), ["Farm.feed"]), (("symbol", "get_cat", "Fa"), ["Farm"]),
]  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize(("words", "offered"), NAMES)
def test_names_of_symbols_come_from_the_index_alone(
    words: tuple[str, ...], offered: list[str], root: Path
) -> None:
    names = "def get_cat(): pass\ndef get_cow(): pass\ndef get_dog(): pass\nclass Farm:\n    def feed(self): pass\n"
    write_files(root, {"farm.py": names})
    # no index exists, and completion makes none
    assert completed(root, *words) == ["compopt", "-o", "default"]
    assert run("index", "--root", str(root)).code == 0
    write_files(root, {"farm.py": "def get_new(): pass\n"})
    completions = completed(root, *words)
    assert sorted(completions[3:]) == offered and completions[:3] == ["compopt", "-o", "default"]


@pytest.mark.nightly
def test_outside_of_a_repository(tmp_path: Path, root: Path) -> None:
    git_folder = root / ".git"
    git_folder.rename(tmp_path / "elsewhere")
    assert completed(root, "changed", "ma") == []


@pytest.mark.nightly
@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_offered_as_much(shell: str, root: Path) -> None:
    for words, offered in [
        *CASES,
        (("outline", "a"), None),
        (("search", "-k", "function,meth"), ["function,method"]),
    ]:
        typed = ["symindex", *words]
        asked = {
            "_SYMINDEX_COMPLETE": f"{shell}_complete",
            "COMP_WORDS": " ".join(typed),
            "COMP_CWORD": str(len(words)) if shell == "zsh" else words[-1],
        }
        done = run_program(
            [sys.executable, "-m", "symindex"], cwd=root, env={**os.environ, **asked}
        )
        lines = done.stdout.strip().splitlines()
        kinds = lines[::3] if shell == "zsh" else [line.partition(",")[0] for line in lines]
        keys = (
            lines[1::3]
            if shell == "zsh"
            else [line.partition(",")[2].partition("\t")[0] for line in lines]
        )
        if offered is None:
            assert (kinds, keys) == (["file"], [words[-1]])
        else:
            assert keys == offered and {*kinds} <= {"plain"}, words


@pytest.mark.nightly
def test_scripts_for_each_shell() -> None:
    for shell in ("bash", "zsh", "fish"):
        done = run_program(
            [sys.executable, "-m", "symindex"],
            env={**os.environ, "_SYMINDEX_COMPLETE": f"{shell}_source"},
        )
        assert done.returncode == 0 and f"_SYMINDEX_COMPLETE={shell}_complete" in done.stdout
