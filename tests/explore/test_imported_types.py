"""A type or function that a file imports from elsewhere is not the namesake in the workspace."""

import pytest

from tests.support.files import Maker
from tests.support.related import marked_names

OF_LIBRARY = {
    "py": ("from click import Command\n", "def go(c: Command):\n    c.run()\n"),
    "ts": ('import {Command} from "commander";\n', "export function go(c: Command) { c.run(); }\n"),
    "java": (
        "package app; import org.lib.Command;\n",
        "class Use { void go(Command c) { c.run(); } }\n",
    ),
    "php": ("<?php\nuse Symfony\\Console\\Command;\n", "function go(Command $c) { $c->run(); }\n"),
    "rs": ("use clap::Command;\n", "fn go(c: &Command) { c.run(); }\n"),
}


OWN_TYPE = {
    "py": "class Command:\n    def run(self): pass\n",
    "ts": "export class Command { run() {} }\n",
    "java": "package core; public class Command { public void run() {} }\n",
    "php": "<?php\nnamespace Core;\nclass Command { function run() {} }\n",
    "rs": "pub struct Command;\nimpl Command { pub fn run(&self) {} }\n",
}


@pytest.mark.nightly
@pytest.mark.parametrize("suffix", OF_LIBRARY)
def test_a_type_that_is_imported_from_elsewhere_is_another(
    make_workspace: Maker, suffix: str
) -> None:
    imported, used = OF_LIBRARY[suffix]
    crate: dict[str, str | bytes] = {}
    if suffix == "rs":
        crate = {"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": "mod app;\nmod core;\n"}
        crate |= {"src/app/mod.rs": "mod use_;\n", "src/core/mod.rs": "pub mod command;\n"}
    own_path, use_path = f"src/core/command.{suffix}", f"src/app/use_.{suffix}"
    tree = make_workspace({**crate, own_path: OWN_TYPE[suffix], use_path: imported + used})
    callers = tree.hierarchy("Command.run", direction="callers").items
    # That `clap` is a library is known only if a manifest names it.
    assert [item.is_unsure for item in callers] == ([True] if suffix == "rs" else [])
    own = imported.replace("click", "core.command").replace('"commander"', '"../core/command"')
    own = (
        own.replace("org.lib", "core")
        .replace("Symfony\\Console", "Core")
        .replace("clap", "crate::core::command")
    )
    tree = make_workspace({**crate, own_path: OWN_TYPE[suffix], use_path: own + used})
    assert [
        item.is_unsure for item in tree.hierarchy("Command.run", direction="callers").items
    ] == [False]


FOREIGN = {
    "rs": ({
        "src/command.rs": "pub struct Command;\nimpl Command { pub fn new() {} }\nfn mine() { Command::new(); }\n"
                          "fn os() { std::process::Command::new(); }\n",
        "src/cli.rs": "use clap::{\n    builder::X,\n    Command,\n};\nfn spawn() { Command::new(); }\n",
        "src/job.rs": "use crate::{command::Command, x::Y};\nfn own() { Command::new(); }\n",
    }, "Command.new", ["mine", "own", "spawn?"]),
    "go": ({
        "core/command.go": "package core\ntype Command struct{}\nfunc (c *Command) Run() {}\nfunc StartAll() {}\n",
        "app/use.go": 'package app\nimport "os/exec"\nfunc a(c *exec.Command) { c.Run() }\n',
        "app/own.go": 'package app\nimport "x.com/y/z/core"\nfunc b(c *core.Command) { c.Run() }\n',
    }, "Command.Run", ["b"]),
    "ts": ({
        "command.ts": "export class Command { run() {} }\n",
        "use.ts": 'import {\n  Command,\n} from "commander"\nexport function a(c: Command) { c.run() }\n',
        "own.ts": 'import {Command} from "./command"\nexport function b(c: Command) { c.run() }\n',
    }, "command.ts#Command.run", ["b"]),
    "kt": ({
        "core/Command.kt": "package core\nclass Command { fun run() {} }\n",
        "app/Use.kt": "package app\nimport org.lib.Command\nfun a(c: Command) { c.run() }\n",
        "app/Own.kt": "package app\nimport core.Command\nfun b(c: Command) { c.run() }\n",
    }, "Command.run", ["b"]),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("language", FOREIGN)
def test_a_librarys_type_of_that_name_is_an_uncertain_meaning(
    make_workspace: Maker, language: str
) -> None:
    files, symbol, expected = FOREIGN[language]
    assert sorted(
        marked_names(make_workspace(files).hierarchy(symbol, direction="callers").items)
    ) == sorted(expected)


@pytest.mark.nightly
def test_a_function_of_an_imported_package_is_another(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "core/run.go": "package core\nfunc CommandContext() {}\nfunc own() { CommandContext() }\n",
            "app/use.go": 'package app\nimport "os/exec"\nfunc a() { exec.CommandContext() }\n',
            "app/far.go": 'package app\nimport c "x.com/y/z/core"\nfunc b() { c.CommandContext() }\n',
        }
    )
    assert marked_names(tree.hierarchy("CommandContext", direction="callers").items) == ["b", "own"]


BASES = {
    "php": ({
        "Command.php": "<?php\nnamespace Core;\nclass Command {}\n",
        "Use.php": "<?php\nnamespace App;\nuse Symfony\\Console\\Command;\nclass Sub extends Command {}\n",
        "Own.php": "<?php\nnamespace App;\nuse Core\\{Command, Other};\nclass Own extends Command {}\n",
    }, "Core.Command", ["App.Own"]),
    "scala": ({
        "core/Command.scala": "package core\nclass Command\n",
        "app/Use.scala": "package app\nimport org.lib.Command\nclass Sub extends Command\n",
        "app/Own.scala": "package app\nimport core.{Command => C, Command}\nclass Own extends Command\n",
    }, "core/Command.scala#Command", ["Own"]),
    "kt": ({
        "core/H.kt": "package core\nopen class Handler\n",
        "app/H.kt": "package app\nopen class Handler\nclass Near : Handler()\n",
        "app/M.kt": "package app\nimport core.Handler\nclass Mine : Handler()\n",
    }, "core/H.kt#Handler", ["Mine"]),
    "php alias": ({
        "a.php": "<?php\nnamespace App;\nclass Handler {}\nclass Near extends Handler {}\n",
        "b.php": "<?php\nnamespace App;\nuse Core\\Handler as H;\nclass Ali extends H {}\n",
        "c.php": "<?php\nnamespace Core;\nclass Handler {}\n",
    }, "a.php#App.Handler", ["App.Near"]),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("language", BASES)
def test_an_imported_base_is_the_one_of_its_module(make_workspace: Maker, language: str) -> None:
    files, symbol, expected = BASES[language]
    assert sorted(marked_names(make_workspace(files).hierarchy(symbol).items)) == sorted(expected)


def test_namesakes_of_unrelated_languages_change_nothing(make_workspace: Maker) -> None:
    files = {
        "rs/lib.rs": "pub mod core { pub trait Handler {} }\n"
        "pub mod app { pub trait Handler {} pub struct Near; impl Handler for Near {}\n"
        "pub struct Full; impl crate::core::Handler for Full {} }\n",
        "ts/core/handler.ts": "export class Handler {}\n",
        "ts/app/mine.ts": 'import * as c from "../core/handler"\nexport class Full extends c.Handler {}\n',
        "py/core/base.py": "class Handler: pass\n",
        "php/c.php": "<?php\nnamespace Core;\nclass Handler {}\n",
    }
    tree = make_workspace(files)
    assert marked_names(tree.hierarchy("rs/lib.rs#app.Handler").items) == ["app.Near"]
    assert marked_names(tree.hierarchy("rs/lib.rs#core.Handler").items) == ["app.Full"]
    assert marked_names(tree.hierarchy("ts/core/handler.ts#Handler").items) == ["Full"]


def test_an_import_may_name_the_ending_of_a_file(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "core/schemas.ts": "export function merge(a) {}\n",
            "old/schemas.ts": "export function merge(a) {}\n",
            "core/compile.ts": "import { merge } from './schemas.js';\nexport function go() { add(merge); }\n",
        }
    )
    uncalled = tree.hierarchy("core/schemas.ts#merge", direction="callers").uncalled
    assert uncalled is not None and [place.at for place in uncalled.first] == ["core/compile.ts:2"]
