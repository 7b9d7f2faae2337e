"""Paths in the shell are relative to the current folder, in arguments and in output; JSON paths are
relative to the root."""

import json
import os
import shlex
from pathlib import Path

import pytest

import symindex
from symindex.errors import RequestError
from symindex.serve.cli.current_folder import CurrentFolder
from tests.support.command import Ran, run, run_symindex
from tests.support.files import write_files
from tests.support.git import git

PLAN = "package a\n\ntype Plan struct {\n\tX int\n}\n"

TREE = {
    "plan.go": "package a\n\ntype Plan struct{}\n",
    "app/plan.go": PLAN,
    "app/[id]/page.ts": "export function page() { return go() }\n",
    "app/sub/deep.go": "package sub\n\nfunc Deep() {}\n",
    "lib/use.go": "package lib\n\nfunc Use() { Deep() }\n",
    "lib/app/plan.go": "package app\n\nfunc Other() {}\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_files(tmp_path / "tree", TREE)
    git(root, "init", "-q")
    return root


def at(folder: Path, *words: str) -> Ran:
    before = os.getcwd()
    os.chdir(folder)
    try:
        return run(*words)
    finally:
        os.chdir(before)


TYPED = [
    ("app", "plan.go", "app/plan.go"), ("app", ".", "app"), ("app", "..", ""), ("app/sub", "../..", ""), ("", "app", "app"),
    ("app", "./sub/../plan.go", "app/plan.go"), ("app", "*.go", "app/*.go"), ("app/[id]", "*.ts", "app/[[]id]/*.ts"),
    ("app/[id]", "page.ts", "app/[id]/page.ts"), ("app", "", ""), ("app", "[id]/page.ts", "app/[id]/page.ts"),
    ("app", "[id]/*.ts", "app/[[]id]/*.ts"), ("app", "[ab]/*.ts", "app/[ab]/*.ts"),
]  # fmt: skip


@pytest.mark.parametrize(("folder", "typed", "meant"), TYPED)
def test_a_typed_path(folder: str, typed: str, meant: str, root: Path) -> None:
    here = CurrentFolder(root, str(root / folder))
    assert here.path(typed) == meant
    if typed:
        assert here.path(str(root / folder / typed)).replace("[[]", "[") == meant.replace(
            "[[]", "["
        )


@pytest.mark.sample(2)
@pytest.mark.parametrize("typed", ["../../x", "../..", "/etc/passwd", "~root"])
def test_what_lies_outside_is_an_error(typed: str, root: Path) -> None:
    with pytest.raises(RequestError, match="is outside of the root"):
        CurrentFolder(root, str(root / "app")).path(typed if typed != "~root" else "/")
    assert at(root / "app", "outline", "../../x").code == 2


GLOBS = [
    ("app", "src/**", "/app/src/**"), ("app", "!src/**", "!/app/src/**"), ("app", "plan.go", "/app/**/plan.go"),
    ("app", ".", "/app/"), ("app", "..", "**"), ("app", "../lib", "/lib/"), ("app", "./plan.go", "/app/plan.go"),
    ("app", "/lib/**", "/lib/**"), ("", "src/**", "src/**"), ("", "*.go", "*.go"), ("", "./plan.go", "/plan.go"),
    ("app/[id]", "*.ts", "/app/[[]id]/**/*.ts"), ("", "app/[id]/page.ts", "app/[[]id]/page.ts"),
    ("", "app/[id]/*", "app/[[]id]/*"),
    ("app", "[id]/page.ts", "/app/[[]id]/page.ts"), ("app", "![id]/**", "!/app/[[]id]/**"), ("app", "[id]", "/app/**/[[]id]"),
    ("app/sub", "../[id]/*.ts", "/app/[[]id]/*.ts"), ("", "app/[ab]/*", "app/[ab]/*"),
]  # fmt: skip


@pytest.mark.parametrize(("folder", "typed", "meant"), GLOBS)
def test_a_typed_glob(folder: str, typed: str, meant: str, root: Path) -> None:
    assert CurrentFolder(root, str(root / folder)).glob(typed) == meant


SHOWN = [
    ("app", "app/plan.go", "plan.go"), ("app", "plan.go", "../plan.go"), ("app/sub", "lib/use.go", "../../lib/use.go"),
    ("app", "application.go", "../application.go"), ("app", "app", "."), ("app", "", ".."), ("", "app/plan.go", "app/plan.go"),
    ("app", "app/a.rb#B.//", "a.rb#B.//"), ("app", "pypi:httpx@0.27.0/a.py", "pypi:httpx@0.27.0/a.py"),
]  # fmt: skip


@pytest.mark.parametrize(("folder", "path", "shown"), SHOWN)
def test_a_shown_path(folder: str, path: str, shown: str, root: Path) -> None:
    assert CurrentFolder(root, str(root / folder)).shown(path) == shown


def test_from_outside_of_the_tree(root: Path) -> None:
    """Paths in the output open from that folder; arguments may be relative to it or to the root."""
    above = CurrentFolder(root, str(root.parent), "tree")
    assert (above.shown("app/plan.go"), above.path("app/plan.go"), above.path("tree/app")) == (
        "tree/app/plan.go",
        "app/plan.go",
        "app",
    )
    ran = at(root.parent, "search", "Deep", "--root", "tree", "--format", "lines")
    assert ran.out == "tree/app/sub/deep.go:3: function Deep\n"


def test_a_folder_that_a_link_leads_to(root: Path) -> None:
    (root.parent / "link").symlink_to(root / "app")
    ran = at(root.parent / "link", "search", "Deep", "--format", "lines")
    assert ran.out == "sub/deep.go:3: function Deep\n"
    (root / "alias").symlink_to(root / "app")
    assert CurrentFolder(root, str(root)).path("alias/plan.go") == "app/plan.go"


def test_a_link_is_what_it_leads_to(root: Path) -> None:
    write_files(root, {"app/i/page.ts": "export function other() {}\n"})
    for link, target in [("app/link.go", "plan.go"), ("alias", "app/sub"), ("app/up", "../lib"), ("out.go", "/etc/hosts"),
                         ("app/gone.go", "nowhere.go"), ("app/loop", "loop")]:  # fmt: skip
        (root / link).symlink_to(target)
    for words in (
        ("search", "Plan", "-p", "app/link.go"),
        ("grep", "Plan", "app/link.go"),
        ("outline", "app/link.go"),
    ):
        assert "plan.go" in at(root, *words).out
    assert "app/sub/deep.go:3" in at(root, "search", "Deep", "-p", "alias").out
    assert (
        at(root / "app", "search", "Use", "-p", "up", "--format", "lines").out
        == "../lib/use.go:3: function Use\n"
    )
    for link, why in [
        ("app/gone.go", "this is a link to nowhere.go, which does not exist"),
        ("app/loop", "this is a link to loop, which cannot be read"),
        ("out.go", "a link leads out of the source tree, to /etc/hosts"),
    ]:
        for words in (
            ("outline", link),
            ("grep", "x", link),
            ("search", "x", "-p", link),
            ("map", link),
            ("changed", "-p", link),
        ):
            ran = at(root, *words)
            assert (ran.code, ran.err.count("\n")) == (2, 1) and f"{link}: {why}" in ran.err, words
    assert "which does not exist" in at(root, "symbol", "app/gone.go:3").err


@pytest.mark.nightly
def test_an_existing_name_is_not_a_glob_at_any_front_end(root: Path) -> None:
    write_files(
        root,
        {
            "app/i/page.ts": "export function page() {}\n",
            "br[1].go": "package a\n\nfunc Odd() {}\n",
        },
    )
    assert (
        at(root, "search", "page", "-p", "app/[id]/page.ts", "--format", "lines").out
        == "app/[id]/page.ts:1: function page\n"
    )
    assert (
        at(root, "search", "Odd", "-p", "br[1].go", "--format", "lines").out
        == "br[1].go:3: function Odd\n"
    )
    with symindex.open(root) as workspace:
        for path in ("app/[id]/page.ts", "app/[id]/*", "app/[id]"):
            assert "app/[id]/page.ts" in [
                item.file_path for item in workspace.search("page", paths=[path]).items
            ]
            assert "app/[id]/page.ts" in [
                file.file_path for file in workspace.grep("page", paths=[path]).files
            ]
            workspace.outline(path)


COMMANDS = [
    ("symbol plan.go#Plan", "# Symbol: `plan.go#Plan`"), ("symbol plan.go:3", "# Symbol: `plan.go#Plan`"),
    ("symbol ../lib/use.go#Use", "# Symbol: `../lib/use.go#Use`"), ("symbol Use", "# Symbol: `../lib/use.go#Use`"),
    ("outline .", "# Outline: `.`"), ("outline ..", "# Outline: `..`"), ("outline", "# Outline: `..`"),
    ("map .", "# Map: `.`"), ("map", "# Map: `..`"), ("refs Deep -p .", "sub/deep.go"), ("refs Deep", "../lib/use.go"),
    ("grep Deep .", "sub/deep.go"), ("grep Deep ../lib", "../lib/use.go"), ("search Use -p ../lib", "../lib/use.go:3"),
    ("search Plan -p plan.go", "plan.go:3"), ("hierarchy Deep -d callers", "../lib/use.go:3"),
    ("search Deep --paths root", "app/sub/deep.go:3"), ("search path:app/sub", "sub/deep.go:3"),
]  # fmt: skip


@pytest.mark.sample(6)
@pytest.mark.parametrize(("line", "shown"), COMMANDS)
def test_commands_in_a_subfolder(line: str, shown: str, root: Path) -> None:
    ran = at(root / "app", *shlex.split(line))
    assert (ran.code, ran.err) == (0, "")
    assert shown in ran.out
    assert "app/app" not in ran.out and ("--paths" in line or "app/sub/deep.go" not in ran.out)


def test_printed_paths_open(root: Path) -> None:
    for folder in ("", "app", "app/sub", "lib"):
        for row in at(root / folder, "search", "", "--format", "lines").out.splitlines():
            assert (root / folder / row.partition(":")[0]).is_file()


def test_an_id_from_the_root_or_from_here(root: Path) -> None:
    """The id in the current folder wins, and the answer names the other one."""
    here = at(root / "lib", "symbol", "app/plan.go#Other")
    assert here.out.startswith("# Symbol: `app/plan.go#Other`") and "another" not in here.out
    pasted = at(root / "lib", "symbol", "app/plan.go#Plan")
    assert pasted.out.startswith("# Symbol: `../app/plan.go#Plan`")
    write_files(root, {"lib/app/plan.go": "package app\n\nfunc Plan() {}\n"})
    both = at(root / "lib", "symbol", "app/plan.go#Plan")
    assert both.out.startswith("# Symbol: `app/plan.go#Plan`") and "../app/plan.go" in both.out


def test_json_and_tokens_do_not_depend_on_the_folder(root: Path) -> None:
    top = json.loads(at(root, "search", "", "--json", "-n", "2", "-p", "/app/**").out)
    below = json.loads(at(root / "app", "search", "", "--json", "-n", "2", "-p", "./**").out)
    assert top == below and {item["file_path"].partition("/")[0] for item in top["items"]} == {
        "app"
    }
    words = ("search", "", "--json", "-n", "2", "--pagination-id", top["pagination_id"])
    assert at(root / "app", *words, "-p", "./**").out == at(root, *words, "-p", "/app/**").out
    moved = json.loads(at(root / "app", "search", "Deep", "--json", "--paths", "cwd").out)
    assert [item["file_path"] for item in moved["items"]] == ["sub/deep.go"]


def test_an_error_names_what_was_typed(root: Path) -> None:
    ran = at(root / "app", "outline", "nope.go")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "'nope.go'; nearest: plan.go, sub/deep.go" in ran.err


@pytest.mark.nightly
def test_a_folder_that_was_deleted(root: Path, tmp_path: Path) -> None:
    script = f'mkdir {tmp_path}/gone && cd {tmp_path}/gone && rmdir {tmp_path}/gone && exec "$@"'
    from tests.support.command import SYMINDEX, run_program

    ran = run_program(["sh", "-c", script, "sh", *SYMINDEX, "search", "Deep"])
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert run_symindex("search", "Deep", "--root", root, cwd=root).returncode == 0


def test_a_link_of_a_name_that_does_not_show_as_itself(root: Path) -> None:
    write_files(
        root,
        {
            "app/new\nline.go": "package a\n\nfunc Odd() {}\n",
            "app/a\\nb.go": "package a\n\nfunc Other() {}\n",
        },
    )
    for words in (("grep", "Odd"), ("refs", "Odd"), ("symbol", "Odd"), ("search", "Odd")):
        assert f"{root}/app/new%0Aline.go" in at(root, *words, "--color", "always").out, words
    assert f"{root}/app/a%5Cnb.go" in at(root, "symbol", "Other", "--color", "always").out


def test_no_page_has_two_empty_lines(root: Path) -> None:
    for words in (
        ("hierarchy", "nosuch"),
        ("hierarchy", "Deep"),
        ("refs", "nosuch"),
        ("symbol", "nosuch"),
        ("outline",),
    ):
        assert "\n\n\n" not in at(root, *words).out
