"""Parts of the command line, called directly: when there are colours, output files, typed and shown
paths, messages, completion."""

import io
import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import RequestError, StorageError
from symindex.serve.cli import common_options, completion, output
from symindex.serve.cli.common_options import (
    TreeOptions,
    _check_size,
    _with_options,
    check_form,
    has_styles,
    read_given,
)
from symindex.serve.cli.current_folder import CurrentFolder, _below, is_explicit, literal
from symindex.serve.cli.output import find_output, own_stream, writing
from symindex.serve.cli.search_options import pairs
from symindex.serve.cli.shown_answer import ask_for_symbol, shown_message
from tests.support.files import write_files

COLOURS: list[tuple[bool, dict[str, str], str, bool]] = [  # terminal, environment, --color, colours
    (True, {}, "auto", True),
    (False, {}, "auto", False),
    (False, {}, "always", True),
    (True, {}, "never", False),
    (True, {"NO_COLOR": "1"}, "auto", False),
    (True, {"NO_COLOR": "", "TERM": "xterm"}, "auto", True),
    (False, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, "auto", False),
    (False, {"FORCE_COLOR": "1"}, "auto", True),
    (False, {"FORCE_COLOR": "0"}, "auto", False),
    (False, {"CLICOLOR_FORCE": ""}, "auto", False),
    (False, {"CLICOLOR_FORCE": "2"}, "auto", True),
    (True, {"TERM": "dumb"}, "auto", False),
    (True, {"CLICOLOR": "0"}, "auto", False),
    (True, {"CLICOLOR": "1"}, "auto", True),
]


@pytest.mark.parametrize("number", range(len(COLOURS)))
def test_when_there_are_colours(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    is_terminal, environment, wish, has = COLOURS[number]
    user = SimpleNamespace(is_terminal=is_terminal, environment=environment)
    monkeypatch.setattr(common_options, "caller", lambda: user)
    monkeypatch.setattr(common_options, "_wish", lambda _: wish)
    assert has_styles() is has


@pytest.mark.parametrize(
    ("form", "as_json", "is_refused"),
    [
        ("lines", True, True),
        ("lines", False, False),
        (None, True, False),
        ("json", True, False),
        ("markdown", True, False),
    ],
)
def test_forms_that_contradict_each_other(
    form: str | None, as_json: bool, is_refused: bool
) -> None:
    if not is_refused:
        check_form(form, as_json)
        return
    with pytest.raises(RequestError, match="--json and --format lines contradict each other"):
        check_form(form, as_json)


@pytest.mark.parametrize(("n", "is_read"), [(5, True), (6, False)])
def test_standard_input_is_read_whole_or_refused(n: int, is_read: bool) -> None:
    for stream, unit in ((io.BytesIO(b"x" * n), "bytes"), (io.StringIO("x" * n), "characters")):
        some: Any = stream
        if is_read:
            assert len(read_given(some, 5, "it", "divide it")) == 5
        else:
            with pytest.raises(RequestError) as caught:
                read_given(some, 5, "it", "divide it")
            assert str(caught.value) == f"it has more than 5 {unit}: divide it"


def test_messages_name_the_options_that_the_user_typed() -> None:
    command = click.Command("x", params=[
        click.Option(["-n", "--max-items", "max_items"]), click.Option(["--depth"]), click.Argument(["query"])
    ])  # fmt: skip
    with click.Context(command):
        assert _with_options("max_items is wrong") == "--max-items is wrong"
        assert _with_options("the depth and max_items") == "the depth and --max-items"
        assert _with_options("depth is 0") == "--depth is 0"
        assert _with_options("start_index and query") == "start_index and query"
        from symindex.requests import OR_NULL

        assert _with_options(f"max_items is 5{OR_NULL}") == "--max-items is 5, or 0 for all"
        assert _with_options(f"depth is 5{OR_NULL}") == "--depth is 5, or left out"
        assert _with_options(f"start_index is 5{OR_NULL}") == f"start_index is 5{OR_NULL}"
    assert _with_options("max_items is wrong") == "max_items is wrong"


def test_options_of_the_tree_as_arguments() -> None:
    assert TreeOptions("r", None).options() == ["--root=r"]
    assert TreeOptions(None, "i", "cwd").options() == ["--index-dir=i"]


def test_a_home_folder_is_read_if_the_user_confirms_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    asked: list[str] = []
    answers = [True, False]
    user = SimpleNamespace(may_be_asked=True)
    monkeypatch.setattr(common_options, "caller", lambda: user)
    monkeypatch.setattr(click, "confirm", lambda text, err: asked.append(text) or answers.pop(0))
    _check_size(str(tmp_path))
    message = f"{tmp_path} is your home folder, not a project"
    assert asked == [f"{message}: read all of it?"]
    for may_be_asked in (True, False):
        user.may_be_asked = may_be_asked
        with pytest.raises(RequestError) as caught:
            _check_size(str(tmp_path))
        assert (
            str(caught.value)
            == f"{message}: go to a project, or use --root {tmp_path} to read all of it"
        )
    with pytest.raises(RequestError, match=r"^/ is the whole disk, not a project"):
        _check_size("/")
    (tmp_path / "project").mkdir()
    _check_size(str(tmp_path / "project"))
    (tmp_path / "symindex.toml").touch()
    _check_size(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("-", 1),
        ("/dev/stdout", 1),
        ("/dev/stderr", 2),
        ("/dev/fd/7", 7),
        ("/proc/self/fd/10", 10),
        ("/dev/fd/", None),
        ("/dev/fd/1234567890", None),
        ("x", None),
    ],
)
def test_names_of_own_streams(name: str, number: int | None) -> None:
    assert own_stream(name) == number


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_files(tmp_path / "tree", {"a/b/c.py": "", "a/x.py": "", "top.py": ""})
    (root / "link").symlink_to("/etc/passwd")
    (root / "inner").symlink_to(tmp_path)
    (tmp_path / "outer").symlink_to(tmp_path / "tree" / "a")
    monkeypatch.chdir(tmp_path)
    return root


def test_where_output_is_written(tree: Path, tmp_path: Path) -> None:
    assert find_output("out", tree, False) == ("out", tmp_path / "out", tmp_path)
    assert find_output("tree/a/../tags", tree, False)[1:] == (tree / "tags", tree)
    assert find_output("outer/b/tags", tree, False)[1:] == (tree / "a" / "b" / "tags", tree)
    assert find_output("tree/link", tree, True)[1:] == (Path("/etc/passwd"), Path("/etc"))
    for name, message in (
        ("", "output '' is not a path: name a file to write, or - for standard output"),
        ("a\0b", "is not a path"),
        ("tree", "tree: this is a folder; name a file to write"),
        (
            "tree/link",
            "tree/link: this is a symbolic link, and is not followed; name its target, or use --follow-links",
        ),
        (
            "tree/inner/x",
            f"tree/inner/x: {tree}/inner is a symbolic link inside the source tree, and is not followed; name a file elsewhere, or use --follow-links",
        ),
    ):
        with pytest.raises(RequestError) as caught:
            find_output(name, tree, False)
        assert message in str(caught.value)


def test_forty_links_on_the_way_to_an_output_file_are_followed(tmp_path: Path, tree: Path) -> None:
    chain = tmp_path / "chain"
    chain.mkdir()
    (chain / "0").symlink_to(tmp_path)
    for number in range(1, 42):
        (chain / f"{number}").symlink_to(chain / f"{number - 1}")
    assert find_output("chain/39/out", tree, False).path == tmp_path / "out"
    with pytest.raises(RequestError, match="chain/40/out: too many symbolic links; name a file"):
        find_output("chain/40/out", tree, False)


def test_an_output_file_replaces_the_old_one_when_it_is_complete(
    tree: Path, tmp_path: Path
) -> None:
    mask = os.umask(0o027)
    try:
        place = find_output("tree/a/tags", tree, False)
        with writing(place) as stream:
            stream.write(b"one")
            assert not (tree / "a" / "tags").exists()
        assert stat.S_IMODE((tree / "a" / "tags").stat().st_mode) == 0o640
        (tree / "a" / "tags").chmod(0o757)
        with pytest.raises(ZeroDivisionError), writing(place) as stream:
            stream.write(b"two")
            raise ZeroDivisionError
        assert (tree / "a" / "tags").read_text() == "one"
        with writing(place) as stream:
            stream.write(b"three")
        assert (tree / "a" / "tags").read_text() == "three"
        assert stat.S_IMODE((tree / "a" / "tags").stat().st_mode) == 0o750
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(mask)
    assert sorted(os.listdir(tree / "a")) == ["b", "tags", "x.py"]
    with (
        pytest.raises(StorageError) as caught,
        writing(find_output("none/tags", tree, False)),
    ):
        pass
    assert (
        str(caught.value)
        == "none/tags: No such file or directory; name a file in a writable folder"
    )


def test_a_pipe_is_written_directly_and_what_was_put_in_its_place_is_not(
    tree: Path, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        place = find_output("pipe", tree, False)
        with writing(place) as stream:
            stream.write(b"rows")
        assert os.read(reading, 9) == b"rows"
        (tmp_path / "plain").touch()
        with pytest.raises(StorageError, match="pipe: the file was replaced while it was opened"):
            output._open_special(place, str(tmp_path / "pipe"), None, os.stat(tmp_path / "plain"))
    finally:
        os.close(reading)
    late = output.OutputFile("late", tmp_path / "late", tmp_path)
    (tmp_path / "late").symlink_to("plain")
    with pytest.raises(RequestError, match="late: this is a symbolic link"), writing(late):
        pass
    (tmp_path / "late").unlink()
    (tmp_path / "late").mkdir()
    with pytest.raises(RequestError, match="late: this is a folder"), writing(late):
        pass
    swapped = output.OutputFile("x", tree / "inner" / "x", tree)
    with (
        pytest.raises(StorageError, match=r"x: .*; name a file in a writable folder"),
        writing(swapped),
    ):
        pass


PARTS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3)


@settings(max_examples=40)
@given(PARTS, PARTS)
def test_a_shown_path_leads_from_the_current_folder_to_the_file(
    here: list[str], path: list[str]
) -> None:
    folder = CurrentFolder(Path("/r/t"), "/".join(["/r/t", *here]))
    shown = folder.shown("/".join(path))
    assert os.path.normpath(os.path.join("/r/t", *here, shown)) == "/".join(["/r/t", *path])
    assert folder.shown("/".join(path), "root") == "/".join(path)
    assert folder.shown("/".join(path), "absolute") == "/".join(["/r/t", *path])
    assert folder.is_root("cwd") is folder.is_root("root") is (not here)
    assert folder.below == "/".join(here) and not folder.is_root("absolute")
    outside = CurrentFolder(Path("/r/t"), "/r", "t")
    assert outside.shown("/".join(path)) == "/".join(["t", *path])
    assert outside.link_base() == Path("/r") and not outside.is_inside


@pytest.mark.parametrize(
    ("path", "top", "below"),
    [
        ("/a", "/a", ""),
        ("/a/b", "/a", "b"),
        ("/ab", "/a", None),
        ("/a/b", "/", "a/b"),
        ("/", "/a", None),
    ],
)
def test_a_path_below_a_folder(path: str, top: str, below: str | None) -> None:
    assert _below(path, top) == below


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        (".", True),
        ("..", True),
        ("~", True),
        ("./a", True),
        ("../a", True),
        ("~/a", True),
        ("/a", True),
        (".a", False),
        ("a/..", False),
        ("~a", False),
    ],
)
def test_paths_that_say_where_they_begin(path: str, is_one: bool) -> None:
    assert is_explicit(path) is is_one
    assert literal("a[b]*?") == "a[[]b][*][?]"


def test_typed_symbols_with_paths(tree: Path) -> None:
    folder = CurrentFolder(tree, str(tree / "a"))
    for typed, meant in (
        ("b/c.py#f", "a/b/c.py#f"), ("b/c.py:3", "a/b/c.py:3"), ("b/c.py::f", "a/b/c.py::f"), ("../top.py", "top.py"),
        ("..", "."), ("name", "name"), ("b/c.py:x", "b/c.py:x"), ("#f", "#f"), ("./none.py#f", "a/none.py#f"), ("top.py", "top.py"),
    ):  # fmt: skip
        assert folder.symbol(typed) == meant, typed
    write_files(tree, {"x.py": "", "a/only.py": ""})
    assert folder.is_also_from_root("x.py#f") and not folder.is_also_from_root("only.py#f")
    assert not CurrentFolder(tree, str(tree)).is_also_from_root("x.py#f")


def test_paths_in_a_message_are_shown_from_the_current_folder(tree: Path) -> None:
    folder = CurrentFolder(tree, str(tree / "a"))
    message = "see a/b/c.py, top.py. Not none.py, a or /etc/passwd"
    assert shown_message(folder, message) == "see b/c.py, ../top.py. Not none.py, a or /etc/passwd"
    assert shown_message(CurrentFolder(tree, str(tree)), message) == message
    folder.path("x.py")
    assert shown_message(folder, "'a/x.py' and a/x.py.") == "'x.py' and x.py."
    long = "w " * 198 + "top.py top.py"
    assert shown_message(folder, long) == "w " * 198 + "../top.py top.py"


def test_a_symbol_from_here_comes_before_one_from_the_root(tree: Path) -> None:
    write_files(tree, {"x.py": ""})
    folder = CurrentFolder(tree, str(tree / "a"))
    responses: dict[str, Any] = {}

    def ask(text: str) -> Any:
        if text not in responses:
            raise RequestError(f"{text}: not there")
        return responses[text]

    def answer(total: int) -> Any:
        return SimpleNamespace(total=total, notices=None)

    responses["x.py#f"] = answer(1)
    assert ask_for_symbol(folder, ask, "x.py#f") is responses["x.py#f"]
    responses["a/x.py#f"] = answer(0)
    assert ask_for_symbol(folder, ask, "x.py#f") is responses["x.py#f"]
    responses["a/x.py#f"] = answer(1)
    both = ask_for_symbol(folder, ask, "x.py#f")
    assert both is responses["a/x.py#f"]
    assert both.notices == ["relative to the root, x.py#f names another symbol: ../x.py#f"]
    del responses["x.py#f"]
    responses["a/x.py#f"] = answer(1)
    assert ask_for_symbol(folder, ask, "x.py#f").notices is None


@pytest.mark.parametrize(
    ("typed", "separated", "offered"),
    [
        ("", False, ["class", "Const"]),
        ("c", False, ["class", "Const"]),
        ("CO", False, ["Const"]),
        ("x,co", True, ["x,Const"]),
        ("x,co", False, []),
    ],
)
def test_words_that_a_shell_offers(typed: str, separated: bool, offered: list[str]) -> None:
    nothing: Any = None
    complete = completion.words(lambda: ["class", "Const"], separated)
    assert [item.value for item in complete(nothing, nothing, typed)] == offered

    def fail() -> list[str]:
        raise OSError

    assert completion.words(fail)(nothing, nothing, typed) == []
    assert [(item.value, item.type) for item in completion.paths(nothing, nothing, "x")] == [
        ("x", "file")
    ]


def test_the_name_of_a_pair_ends_at_its_first_equals_sign() -> None:
    given_pairs = ["version=>=1.2", "Kind=class", "kind=enum", "title="]
    assert pairs("--filter", given_pairs, joined=False) == {
        "version": ">=1.2",
        "kind": ["class", "enum"],
        "title": "",
    }
    assert pairs("--field", ["name=a OR b", "name=c=d", "doc=e"], joined=True) == {
        "name": "(a OR b) (c=d)",
        "doc": "e",
    }
    for wrong in ("kind", "=class", ""):
        with pytest.raises(RequestError, match="expected a field and a value, as --filter kind="):
            pairs("--filter", [wrong], joined=False)
