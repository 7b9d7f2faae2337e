"""A request includes every environment variable that can affect its answer: the tests find their
names in the package's own code."""

import ast
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import symindex
from symindex.serve.daemon import exchange, wire
from tests.support.command import SYMINDEX, run_symindex, started
from tests.support.daemon import answer_to, serving
from tests.support.files import write_files
from tests.support.two_worlds import VARIABLES, make_worlds, variables_of
from tests.support.waiting import SECONDS, until

pytestmark = pytest.mark.nightly

PACKAGE: Final = Path(symindex.__file__).parent
NAME: Final = re.compile(r"_?[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
NAMED_AS_VARIABLE: Final = re.compile(r"variable|environ", re.IGNORECASE)

NO_ANSWER: Final = {
    "PAGER": "the client shows the answer in the pager",
    "_SYMINDEX_COMPLETE": "with it, no daemon is asked",
    "RAY_ADDRESS": "it names the cluster of `fleet index`, which no daemon answers",
    "ROOT": "the word for an argument in messages, no variable",
    "OPENBLAS_NUM_THREADS": "the package sets it, but does not read it",
}
"""Variables that the package reads but that do not affect an answer, with the reason."""


def _constants(tree: ast.AST) -> dict[str, list[str]]:
    """Returns the strings in the top-level constants of a module."""
    return {
        target.id: [
            leaf.value
            for leaf in ast.walk(node.value)
            if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
        ]
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def _texts(node: ast.AST, constants: dict[str, list[str]]) -> Iterator[str]:
    for leaf in ast.walk(node):
        if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str):
            yield leaf.value
        elif isinstance(leaf, ast.Name | ast.Attribute):
            yield from constants.get(leaf.id if isinstance(leaf, ast.Name) else leaf.attr, [])


@cache
def _read_names() -> set[str]:
    """Returns the names that the package looks up in an environment, and those in its tables of
    variables."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    constants: dict[str, list[str]] = {}
    for tree in trees:
        for name, texts in _constants(tree).items():
            constants.setdefault(name, []).extend(texts)
    names: set[str] = set()
    for tree in trees:
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and node.args
                and re.search(
                    r"environ(ment)?[.]get|getenv|[.]variable$|(?<!is)_folder$",
                    ast.unparse(node.func),
                )
            ):
                names.update(_texts(node.args[0], constants))
            elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith(
                ("environ", "environment")
            ):
                names.update(_texts(node.slice, constants))
            elif isinstance(node, ast.For) and NAMED_AS_VARIABLE.search(ast.unparse(node.target)):
                names.update(_texts(node.iter, constants))
    return {name for name in names if NAME.fullmatch(name)}


def test_each_variable_that_the_package_reads_is_compared_or_known_not_to_matter() -> None:
    names = _read_names()
    assert {
        "VIRTUAL_ENV",
        "GOPATH",
        "GEM_PATH",
        "RUSTUP_TOOLCHAIN",
        "PATH",
        "XDG_CACHE_HOME",
        "MAVEN_OPTS",
    } <= names
    settled = {*wire.SHOWN, *wire.NOT_AFFECTING, *NO_ANSWER}
    assert (
        sorted(name for name in names - settled if not wire.affecting_variables({name: "x"})) == []
    )


def test_another_value_is_another_question_and_the_value_is_not_sent() -> None:
    for name in sorted(_read_names() - {*wire.SHOWN, *wire.NOT_AFFECTING, *NO_ANSWER}):
        one, other = (
            wire.affecting_variables({name: "secret-one"}),
            wire.affecting_variables({name: "secret-two"}),
        )
        assert one != other != {}, name
        assert one != {}, name
        assert "secret" not in str((one, other)), name


def _names_to_vary() -> list[str]:
    """Returns the names that the package reads, those in the tables, and one name for each
    prefix."""
    beginnings = [f"{beginning}ANYTHING" for beginning in wire.AFFECTING_PREFIXES]
    return sorted(
        {*_read_names(), *wire.AFFECTING, *beginnings, *VARIABLES, *wire.SHOWN}
        - {*wire.NOT_AFFECTING, *NO_ANSWER}
    )


@contextmanager
def _served(top: Path, monkeypatch: pytest.MonkeyPatch, world: str) -> Iterator[Path]:
    """Yields a tree for which a process with this environment answers."""
    monkeypatch.setattr(exchange, "HEAD_SECONDS", SECONDS)
    monkeypatch.delenv(wire.VARIABLE, raising=False)
    tree = make_worlds(top)
    for name, value in variables_of(top, world).items():
        monkeypatch.setenv(name, value)
    with started([*SYMINDEX, "serve", "--root", str(tree)]) as process:
        until(lambda: answer_to(["search", "main_thing", "--root", str(tree)]))
        yield tree
        process.terminate()
        process.wait(SECONDS)


def _alone(words: list[str]) -> tuple[int, bytes, bytes]:
    ran = run_symindex(*words, "--no-daemon", text=False)
    return ran.returncode, ran.stdout, ran.stderr  # type: ignore[return-value]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix sockets")
def test_no_variable_makes_a_daemon_answer_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each variable, a process with one value gets a request from a client with another: it declines,
    or its answer equals the command's to the byte. The tree has libraries of each ecosystem, which
    only the variables lead to.

    The sets of names that git reads, and that package managers may read in future, are open. So
    whole prefixes are compared, and this test tries one name for each.
    """
    words = ["search", "lib_", "--space", "all"]
    with _served(tmp_path, monkeypatch, "one") as tree:
        words += ["--root", str(tree)]
        own = _alone(words)
        for language in ("py", "go", "std", "rb", "rs"):
            assert f"lib_{language}_one".encode() in own[1], own
        until(lambda: answer_to(words))  # it declines while the libraries are indexed
        assert answer_to(words) == own
        differ = []
        for name in _names_to_vary():
            other = variables_of(tmp_path, "other").get(name, str(tmp_path / "other"))
            with monkeypatch.context() as elsewhere:
                elsewhere.setenv(name, other)
                answer = answer_to(words)
                if answer is not None and answer != _alone(words):
                    differ.append(name)
                assert answer is None or name in wire.SHOWN, name
        assert differ == []
        assert answer_to(words) == own


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix sockets")
def test_what_is_replaced_on_the_disk_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer checks the virtual environment and the user's configuration; the current folder
    and the umask have no effect."""
    with _served(tmp_path, monkeypatch, "one") as tree:
        words = ["search", "lib_", "--space", "all", "--root", str(tree)]
        _alone(words)
        until(lambda: answer_to(words))
        (tmp_path / "one" / "venv").rename(tmp_path / "before")
        (tmp_path / "other" / "venv").rename(tmp_path / "one" / "venv")
        own = _alone(words)
        assert b"lib_py_other" in own[1] and b"lib_py_one" not in own[1]
        assert answer_to(words) in (None, own)

        monkeypatch.chdir(tmp_path / "other")
        before = os.umask(0o777)
        try:
            answer = answer_to(["search", "main_thing", "--root", str(tree)])
            assert answer == _alone(["search", "main_thing", "--root", str(tree)])
        finally:
            os.umask(before)


def test_a_value_that_names_something_in_the_current_folder_is_compared_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "venv").mkdir()
    here = wire.affecting_variables({"VIRTUAL_ENV": "venv", "PATH": "/bin:venv", "LANG": "C"})
    monkeypatch.chdir(tmp_path)
    there = wire.affecting_variables({"VIRTUAL_ENV": "venv", "PATH": "/bin:venv", "LANG": "C"})
    assert (
        here["VIRTUAL_ENV"] != there["VIRTUAL_ENV"]
        and here["PATH"] != there["PATH"]
        and here["LANG"] == there["LANG"]
    )


def test_an_upgrade_is_another_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This applies to symindex and to a package that it uses: the folder of each changes."""
    packages = write_files(tmp_path / "lib" / "site-packages", {"numpy/__init__.py": ""})
    own = write_files(tmp_path / "own", {"symindex/__init__.py": ""})
    monkeypatch.setattr(exchange.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(exchange.sys, "path", [str(packages)])
    monkeypatch.setattr(exchange, "PACKAGE_PARENT", str(own))
    identities = [exchange.identity_now()]
    for folder in (packages, own / "symindex"):
        os.utime(folder, ns=(0, 12345))
        identities.append(exchange.identity_now())
    assert len({*identities}) == 3


COPIED: Final = (
    "git_command.py",
    "subprocess.py",
    "isolation.py",
    "wire.py",
    "exchange.py",
    "listener.py",
)
"""The files that use the environment as a whole: to compare it, or to pass it on to git or to our
own workers. Prefixes cover the names that git reads; a test of the package's code shows that
workers read only names in the tables."""


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix sockets")
def test_a_daemon_reads_no_variable_that_is_in_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fast_watch: None
) -> None:
    """This covers what it reads while answering, also in libraries, which the test of the package's
    code does not see."""
    monkeypatch.setattr(exchange, "HEAD_SECONDS", SECONDS)
    tree = make_worlds(tmp_path)
    for name, value in variables_of(tmp_path, "one").items():
        monkeypatch.setenv(name, value)
    names: set[str] = set()
    environment_class: Any = type(os.environ)
    read = environment_class.__getitem__

    def noted(self: Any, name: str) -> str:
        caller = sys._getframe(1)
        while caller.f_back is not None and caller.f_code.co_filename.endswith(
            ("_collections_abc.py", "<frozen os>", "os.py")
        ):
            caller = caller.f_back
        if (
            threading.current_thread().name == "symindex-answer"
            and not caller.f_code.co_filename.endswith(COPIED)
        ):
            names.add(name)
        return str(read(self, name))

    with serving(tree):
        monkeypatch.setattr(environment_class, "__getitem__", noted)
        for words in (
            ["search", "main_thing"],
            ["search", "lib_", "--space", "all"],
            ["outline", "app.py"],
            ["symbol", "main_thing"],
        ):
            until(lambda words=words: answer_to([*words, "--root", str(tree)]))  # type: ignore[misc]
        monkeypatch.setattr(environment_class, "__getitem__", read)
    assert {
        "VIRTUAL_ENV",
        "GOPATH",
        "GEM_PATH",
        "CARGO_HOME",
        "RUSTUP_TOOLCHAIN",
        "JAVA_HOME",
    } & names
    settled = {*wire.SHOWN, *wire.NOT_AFFECTING, *NO_ANSWER}
    assert (
        sorted(name for name in names - settled if not wire.affecting_variables({name: "x"})) == []
    )
