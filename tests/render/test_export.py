"""Export: the symbols and files, their order, and where the output goes."""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.explore.listing import ListedFile
from symindex.extract.containment import find_outer
from symindex.extract.records import Symbol
from symindex.protocol.kinds import SymbolKind
from symindex.render.exports import export as renderer
from symindex.render.exports.export import render_export, sort_lines
from symindex.serve.cli.output import OutputFile, own_stream, writing
from tests.support.command import run, run_program, run_unprivileged, started
from tests.support.exports import NASTY, exported, json_tags, tags_in
from tests.support.files import Maker, write_files


@pytest.mark.nightly
@pytest.mark.slow
def test_updates_make_no_difference(tmp_path: Path) -> None:
    """Files of overlays appear at their places; hidden files and deleted files do not appear."""
    root = write_files(
        tmp_path / "tree", {f"f{number}.py": f"def f{number}(): pass\n" for number in range(30)}
    )
    exported(root, "--index-dir", str(tmp_path / "one"))
    for number in (3, 17, 29):
        (root / f"f{number}.py").write_text(f"class New{number}:\n    def again(self): pass\n")
        (root / f"f{number}0.py").write_text(f"class New{number}0: pass\n")
        (root / f"f{number - 1}.py").unlink()
        exported(root, "--index-dir", str(tmp_path / "one"))
    for form in ("jsonl", "ctags"):
        updated = exported(root, "--index-dir", str(tmp_path / "one"), "--format", form)
        assert updated == exported(root, "--index-dir", str(tmp_path / "two"), "--format", form)
        assert "New17" in updated and "f17(" not in updated and "f16(" not in updated


@pytest.mark.nightly
@pytest.mark.slow
def test_every_field_of_a_symbol_is_listed(make_workspace: Maker, nasty: Path) -> None:
    """The listed symbols have every field of those extracted from the file."""
    from symindex.extract.summary import open_source
    from symindex.extract.symbols import extract_symbols

    workspace = make_workspace(NASTY)
    files = {file.path: file for file in workspace.source.indexed.export()}
    assert [*files] == sorted(path for path, content in NASTY.items() if content)
    for path, file in files.items():
        expected, _ = extract_symbols(*open_source(workspace.root / path, None))
        plain = [
            Symbol(*(getattr(symbol, field) for field in Symbol.__struct_fields__))
            for symbol in file.symbols
        ]
        assert [symbol.qualified_name for symbol in plain] == [
            symbol.qualified_name for symbol in expected
        ]
        for ours, theirs in zip(plain, expected, strict=True):
            assert {k: getattr(ours, k) for k in Symbol.__struct_fields__ if k != "flags"} == {
                k: getattr(theirs, k) for k in Symbol.__struct_fields__ if k != "flags"
            }


def test_a_container_among_namesakes_is_the_enclosing_one() -> None:
    def at(name: str, container: str, start: int, end: int) -> Symbol:
        return Symbol(
            name, SymbolKind.CLASS, container, 0, start, end, 0, 0, start, start + 1, 0, 0, "", ""
        )

    same = [at("A", "", number * 10, number * 10 + 9) for number in range(20)]
    inner = [at("b", "A", number * 10 + 5, number * 10 + 6) for number in range(20)]
    symbols = [symbol for pair in zip(same, inner, strict=True) for symbol in pair]
    assert find_outer(symbols) == [number for even in range(0, 40, 2) for number in (-1, even)]
    assert find_outer([*same[:3], at("b", "A", 500, 501), at("c", "Gone", 600, 601)]) == [
        -1,
        -1,
        -1,
        0,
        -1,
    ]


@given(
    st.lists(st.binary(max_size=6).map(lambda data: data.replace(b"\n", b"") + b"\n")),
    st.integers(1, 40),
)
def test_sorted_lines(lines: list[bytes], run_bytes: int) -> None:
    assert [*sort_lines(lines, run_bytes)] == sorted(lines)


def test_long_lines_are_sorted_across_what_is_read_at_a_time() -> None:
    lines = [bytes([65 + number % 26]) * (30_000 + number) + b"\n" for number in range(40)]
    assert [*sort_lines(lines, 200_000)] == sorted(lines)


@pytest.mark.parametrize("form", ["jsonl", "scip"])
def test_what_is_written_is_not_kept(make_workspace: Maker, form: str) -> None:
    """The next file is requested only after the previous one has been written."""
    workspace = make_workspace({f"f{number}.py": "def f(): pass\n" for number in range(9)})
    asked: list[str] = []

    def files() -> Iterator[ListedFile]:
        for file in workspace.source.indexed.export():
            asked.append(file.path)
            yield file

    pieces = render_export(files(), form, workspace.source.languages, workspace.root)
    for count, _ in enumerate(pieces, 0 if form == "scip" else 1):
        assert len(asked) == count


@pytest.mark.slow
def test_filters(nasty: Path) -> None:
    names = [
        tag["name"]
        for tag in json_tags(
            nasty, "--kind", "class", "--lang", "python", "--path", "*.py", "--path", "!grü*"
        )
    ]
    assert names == ["Local", "A", "B", "C", "Recoded", "Second", "Tabbed"]
    assert {tag["kind"] for tag in json_tags(nasty, "-k", "METHOD", "-k", "struct")} == {
        "method",
        "struct",
    }
    # A symbol's container is named even if it is not selected itself.
    (tag,) = json_tags(nasty, "--kind", "method", "--path", "deep.py")
    assert (tag["scope"], tag["scopeKind"]) == ("outer.Local", "class")


@pytest.mark.slow
def test_the_same_files_give_the_same_bytes(nasty: Path, tmp_path: Path) -> None:
    for form in ("ctags", "jsonl", "scip"):
        made = []
        for number in range(2):
            file = tmp_path / f"{form}{number}"
            exported(
                nasty,
                "--format",
                form,
                "-o",
                str(file),
                "--index-dir",
                str(tmp_path / f"index{number}"),
            )
            made.append(file.read_bytes())
        assert made[0] == made[1] != b""


def test_the_message_about_a_written_file(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "out"
    assert (
        exported(small, "-o", str(file))
        == f"{file}: 12 symbols of 3 files, {file.stat().st_size:,} bytes\n"
    )
    assert file.stat().st_mode & 0o777 == 0o666 & ~_umask()
    file.chmod(0o640)
    exported(small, "-o", str(file), "--format", "jsonl")
    assert file.stat().st_mode & 0o777 == 0o640 and file.read_text().startswith('{"_type":"tag"')
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("small", "index")] == [
        "out"
    ]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("target", ["target", "none/target"])
def test_a_link_is_not_written_through_unless_told_to(
    target: str, small: Path, tmp_path: Path
) -> None:
    """A tree may contain a link with the usual name of a tags file that leads to any file of the
    user's."""
    link = small / "tags"
    link.symlink_to(tmp_path / target)
    (tmp_path / "target").write_text("mine")
    done = run("export", "--root", str(small), "-o", str(link))
    assert (done.code, done.out, done.err) == (2, "", f"symindex: {link}: this is a symbolic link, and is not followed; "
        "name its target, or use --follow-links\n")  # fmt: skip
    assert (tmp_path / "target").read_text() == "mine" and not (tmp_path / "none").exists()
    if target == "target":
        exported(small, "-o", str(link), "--follow-links")
        assert link.is_symlink() and "!_TAG_" in (tmp_path / "target").read_text()


def test_no_folder_of_the_tree_leads_out_of_it(small: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (small / "out").symlink_to(outside)
    (small / "inner").symlink_to("shop")
    (tmp_path / "tree").symlink_to(small)
    (tmp_path / "far").symlink_to(small / "out")
    for named in (
        "small/out/tags",
        "tree/out/tags",
        "small/shop/../out/tags",
        "small/inner/tags",
        "far/tags",
    ):
        done = run("export", "--root", str(small), "-o", str(tmp_path / named))
        assert (
            done.code == 2
            and "is a symbolic link inside the source tree, and is not followed" in done.err
        )
    assert [*outside.iterdir()] == [] and not (small / "shop" / "tags").exists()
    exported(small, "-o", str(small / "out" / "tags"), "--follow-links")
    assert (
        "\tapp.py\t" not in (outside / "tags").read_text()
        and "\t../small/app.py\t" in (outside / "tags").read_text()
    )
    exported(
        small, "-o", str(tmp_path / "tree" / "shop" / "tags")
    )  # the user chose the path to the tree, which may contain links
    assert (small / "shop" / "tags").is_file()


@pytest.mark.parametrize("swapped", ["shop", "shop/tags"])
def test_a_link_that_comes_meanwhile_is_not_followed(
    swapped: str, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that was checked is written, though reading the tree takes time in between."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "tags").write_text("mine")

    def late(place: OutputFile) -> AbstractContextManager[IO[bytes]]:
        if swapped == "shop":
            (small / "shop").rename(small / "was")
            (small / "shop").symlink_to(outside)
        else:
            (small / "shop" / "tags").symlink_to(outside / "tags")
        return writing(place)

    monkeypatch.setattr("symindex.serve.cli.commands.export.writing", late)
    done = run("export", "--root", str(small), "-o", str(small / "shop" / "tags"))
    assert done.code == 2 and done.err.count("\n") == 1
    assert (outside / "tags").read_text() == "mine" and len([*outside.iterdir()]) == 1


def test_an_unfinished_file_is_private(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def look(lines: Iterable[bytes]) -> Iterator[bytes]:
        seen.extend(file.stat().st_mode & 0o777 for file in tmp_path.glob(".symindex.*"))
        yield from sorted(lines)

    monkeypatch.setattr(renderer, "sort_lines", look)
    file = tmp_path / "tags"
    file.touch()
    file.chmod(0o4777)  # an archive may set such a mode
    exported(small, "-o", str(file))
    assert seen == [0o600] and file.stat().st_mode & 0o7777 == 0o777 & ~_umask()


def test_a_pipe_is_written_to_directly(small: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with started(["grep", "-c", "^", tmp_path / "pipe"]) as reader:
        assert run("export", "--root", str(small), "-o", str(tmp_path / "pipe")).code == 0
        assert reader.stdout is not None and reader.stdout.read() == "22\n"
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert run("export", "--root", str(small), "-o", "/dev/null").code == 0


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("named", ["-o /dev/stdout", "-o /dev/fd/7 7>&1"])
def test_streams_that_are_open_already_are_written_to(named: str, small: Path) -> None:
    """Their names are links, but whoever opened the streams chose their targets; this includes
    `>(...)` in a shell."""
    assert [*map(own_stream, ("-", "/dev/stderr", "/proc/self/fd/9", "/dev/fd/x", "fd/1"))] == [
        1,
        2,
        9,
        None,
        None,
    ]
    command = f'"{sys.executable}" -m symindex export --root "{small}" {named} | grep -c ^'
    done = run_program(["bash", "-c", command], check=True)
    assert done.stdout == "22\n"


def test_what_goes_wrong_leaves_what_was_there(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tags"
    file.write_text("before")

    def fail(lines: Iterable[bytes]) -> Iterator[bytes]:
        yield b"some\n"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(renderer, "sort_lines", fail)
    done = run("export", "--root", str(small), "-o", str(file))
    assert (done.code, done.err) == (
        2,
        f"symindex: {file}: No space left on device; the old file is unchanged\n",
    )
    assert file.read_text() == "before" and [path.name for path in tmp_path.glob(".*")] == []


@pytest.mark.sample(4)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kind", "klass"], "unknown kind 'klass': expected one of array, boolean,"),
        (["--lang", "klingon"], "unknown language 'klingon': `symindex languages` lists the "),
        (["--format", "etags"], "'etags' is not one of 'ctags', 'jsonl', 'scip'"),
        (["--path", "\udcff"], "path glob '\\udcff' is not valid Unicode: give it as UTF-8"),
        (
            ["-o", "{tmp}/none/tags"],
            "{tmp}/none/tags: No such file or directory; name a file in a writable folder",
        ),
        (["-o", ""], "output '' is not a path: name a file to write, or - for standard output"),
        (["-o", "{tmp}"], "{tmp}: this is a folder; name a file to write"),
        (["--root", "{tmp}/none"], "{tmp}/none: no such folder"),
    ],
)
def test_mistakes_get_one_line(small: Path, tmp_path: Path, options: list[str], said: str) -> None:
    done = run(
        "export",
        "--root",
        str(small),
        *(option.replace("{tmp}", str(tmp_path)) for option in options),
    )
    assert done.code == 2 and done.out == ""
    assert said.replace("{tmp}", str(tmp_path)) in done.err and done.err.count("\n") == 1


@pytest.mark.nightly
@pytest.mark.slow
def test_a_folder_that_must_not_be_written_to(small: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    done = run_unprivileged(
        [
            "export",
            "--root",
            str(small),
            "--index-dir",
            str(tmp_path / "index"),
            "-o",
            str(closed / "tags"),
        ]
    )
    assert done.returncode == 2
    assert (
        done.stderr
        == f"symindex: {closed / 'tags'}: Permission denied; name a file in a writable folder\n"
    )


def test_nothing_to_export_says_why(small: Path, tmp_path: Path) -> None:
    done = run("export", "--root", str(small), "--kind", "macro")
    assert (done.code, done.err) == (
        1,
        "symindex: no symbol is of kind `macro`\nsymindex: without kinds `macro`: 12\n",
    )
    assert done.out.startswith("!_TAG_FILE_ENCODING") and tags_in(done.out) == ""
    (tmp_path / "void").mkdir()
    done = run("export", "--root", str(tmp_path / "void"), "--format", "jsonl")
    assert (done.code, done.out, done.err) == (
        1,
        "",
        "symindex: the index is empty: no source files were found\n",
    )


def test_a_file_that_changes_meanwhile(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tags contain the line numbers of its symbols, and a message asks for another run."""
    from symindex.workspace.indexed_root import IndexedRoot

    export = IndexedRoot.export

    def late(self: IndexedRoot, *arguments: Any) -> Iterator[ListedFile]:
        (small / "app.py").write_text("def other(): pass\n")
        return export(self, *arguments)

    monkeypatch.setattr(IndexedRoot, "export", late)
    monkeypatch.chdir(small)  # paths are those of the current folder
    done = run("export", "--root", str(small))
    assert done.code == 0
    assert (
        done.err
        == "symindex: 1 file has changed during the export, such as app.py; run the export again\n"
    )
    assert (
        'Outer	app.py	4;"	class	line:4' in done.out
        and 'Cart	shop/cart.go	/^type Cart struct {$/;"' in done.out
    )
