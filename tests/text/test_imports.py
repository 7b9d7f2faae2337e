"""What the imports of many languages bind, read from their text."""

import time

import pytest

from symindex.text.imports import Origin, imported_names

BOUND = {
    'import {Command, A as B} from "commander"\nimport * as c from "../core/h"\nimport main from "x"': {
        "Command": ("commander", "Command"), "B": ("commander", "A"), "c": ("../core/h", ""), "main": ("x", ""),
    },
    "use clap::{\n  builder::X, Arg,\n  Command as Cmd,\n};\npub use std::process::Command;\nuse std::fs::{File, self};": {
        "X": ("clap.builder", "X"), "Arg": ("clap", "Arg"), "Cmd": ("clap", "Command"),
        "Command": ("std.process", "Command"), "File": ("std.fs", "File"), "fs": ("std.fs", ""),
    },
    "import org.lib.Command\nimport a.b.C as D": {"Command": ("org.lib", "Command"), "D": ("a.b", "C")},
    "from click import (A,\n    B as C)\nfrom .y import z\nimport numpy as np": {
        "A": ("click", "A"), "C": ("click", "B"), "z": (".y", "z"), "np": ("numpy", ""),
    },
    'import "os/exec"\nimport (\n  "fmt"\n  ex "os/exec2"\n  "github.com/x/y/v2"\n)': {
        "exec": ("os/exec", ""), "fmt": ("fmt", ""), "ex": ("os/exec2", ""), "y": ("github.com/x/y/v2", ""),
    },
    "use Symfony\\Component\\Command;\nuse A\\{B, C as D};": {
        "Command": ("Symfony.Component", "Command"), "B": ("A", "B"), "D": ("A", "C"),
    },
    "using Foo = A.B.C;": {"Foo": ("A.B", "C")},
    "  alias A.B, as: C\n  alias A.{D, E}": {"C": ("A", "B"), "D": ("A", "D"), "E": ("A", "E")},
    'const x = require("m")\nconst {a, b: c} = require("./n");': {"x": ("m", ""), "a": ("./n", "a"), "c": ("./n", "b")},
    "import scala.mutable.{Map => MMap, Set}": {"MMap": ("scala.mutable", "Map"), "Set": ("scala.mutable", "Set")},
    "important = from_here(x)": {},
    "use x::{a,b::{c,d},e as f,self};": {
        "a": ("x", "a"), "c": ("x.b", "c"), "d": ("x.b", "d"), "f": ("x", "e"), "x": ("x", ""),
    },
    "import {a,b as c,type D} from './m'": {"a": ("./m", "a"), "c": ("./m", "b"), "D": ("./m", "D")},
    "import type {E} from 'm'; import f, * as g from 'n'": {"E": ("m", "E"), "f": ("n", ""), "g": ("n", "")},
    "export {h} from 'm'": {}, "pub(crate) use a::b;": {"b": ("a", "b")}, "global using A.B;": {"B": ("A", "B")},
    "import x \"a/b-c\"": {"x": ("a/b-c", "")}, "import \"a/b-c\"": {"b_c": ("a/b-c", "")},
    "import (\n\"v1\"\n\"y/v2\"\n\"z/\"\n)": {"v1": ("v1", ""), "y": ("y/v2", ""), "z": ("z/", "")},
    "from . import a,b": {"a": (".", "a"), "b": (".", "b")}, "from a import *": {},
    "import a.b.C, d.E": {"C": ("a.b", "C"), "E": ("d", "E")}, "import java.util.*;": {"util": ("java", "util")},
    "const {a, b: c} = await import('m')": {"a": ("m", "a"), "c": ("m", "b")},
    "local j = require 'json'": {"j": ("json", "")}, "import a; import b": {"a": ("a", ""), "b": ("b", "")},
    "import a.x\nimport b.x": {"x": ("a", "x")}, "use function A\\b;": {"b": ("A", "b")},
    "use A\\{B, function c};": {"B": ("A", "B"), "c": ("A", "c")},
}  # fmt: skip


@pytest.mark.parametrize("text", BOUND)
def test_what_imports_bind(text: str) -> None:
    assert imported_names(text) == BOUND[text]


WORDS = {
    "os/exec": ["os", "exec"],
    "github.com/x/y/v2": ["y"],
    "github.com/x/y/internal/exec": ["internal", "exec"],
    "@scope/pkg": ["pkg"],
    "react-dom": ["react_dom"],
    "std.process": ["std", "process"],
    "v2": ["v2"],
    "x/v2": ["x"],
    "@scope": ["scope"],
    "github.com/x": ["x"],
    "github.com/x/y": ["y"],
    "a/b/v10": ["a", "b"],
    "a/v2/b": ["a", "v2", "b"],
}


@pytest.mark.parametrize("module", WORDS)
def test_the_words_of_a_module(module: str) -> None:
    assert Origin(module).words == WORDS[module] and not Origin(module).is_relative


def test_modules_named_relative_to_the_file() -> None:
    assert all(
        Origin(module).is_relative
        for module in ("./n", "..", ".y", "crate.a", "super", "@/app/x", "~/x", "#/x")
    )


HOSTILE = [
    "use a::{" * 60_000,
    "import {" + "a," * 100_000,
    "import " * 60_000,
    "from x import (" * 20_000,
    "const {" * 50_000,
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_no_text_takes_long(number: int) -> None:
    start = time.process_time()
    imported_names(HOSTILE[number])
    assert time.process_time() - start < 1
