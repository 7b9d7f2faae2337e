"""What a workspace keeps between requests follows everything that it depends on: after a change of
any input, its answers are those of a new workspace with an empty cache."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import pytest

from symindex.errors import SymindexError
from symindex.workspace.workspace import Workspace
from tests.support.caches import Perturbed, check_perturbed
from tests.support.files import write_files
from tests.support.git import git
from tests.support.waiting import until

FILES: Final = {
    "one.py": "def alpha():\n    '''Says alpha.'''\n    return 1\n",
    "guide.md": "# The alpha\n\nText about alpha.\n\n## Other\n\nalpha again\n",
    "sub/three.py": "def alpha(): pass\n",
    "sub/note.txt": "alpha here\n",
    "sub/.gitignore": "xxx.txt\n",
    "log/x.txt": "alpha in log\n",
    "tool.h": "int alpha(int x);\n",
    "left.zzz": "alpha zzz\n",
    ".gitignore": "*.zzz\n.gitignore\n",
    "nest/inner.txt": "alpha inner\n",
    "nest/kept.ign": "alpha kept\n",
    "nest/.gitignore": "*.ign\n",
}

_VARYING: Final = frozenset({"request", "index_generation", "score", "added", "duration_ms"})

Ask = Callable[[Workspace], object]


def text(tree: Workspace) -> object:
    return tree.grep("alpha")


def names(tree: Workspace) -> object:
    return tree.search("alpha", include=["language", "doc"])


def words(tree: Workspace) -> object:
    return tree.recall("alpha", within="text")


def content(tree: Workspace) -> object:
    return tree.search("content:alpha", type="all", include=["snippet"])


def items(tree: Workspace) -> object:
    return tree.search("", type="item", include=["metadata"])


def outline(tree: Workspace) -> object:
    return tree.outline("guide.md")


def rewrite(path: Path, text: str) -> None:
    """Overwrites a file with another text, without changing its size and mtime."""
    status = os.stat(path)
    assert status.st_size == len(text.encode())
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _alphb(name: str) -> Callable[[Path], None]:
    return lambda root: rewrite(root / name, FILES[name].replace("alpha", "alphb"))


def _write(name: str, text: str) -> Callable[[Path], object]:
    return lambda root: write_files(root, {name: text})


def _global_excludes(_: Path) -> None:
    write_files(Path(os.environ["XDG_CONFIG_HOME"]), {"git/ignore": "log/\n"})


def _other_excludes(root: Path) -> None:
    write_files(root.parent, {"excludes": "log/\n"})
    write_files(
        Path(os.environ["HOME"]),
        {".gitconfig": f"[core]\n\texcludesFile = {root.parent}/excludes\n"},
    )


MANUAL: Final = '[[item_types]]\ntype = "manual"\nnames = ["guide.md"]\nextensions = [".md"]\n'

INPUTS: Final[dict[str, tuple[Ask, Callable[[Path], object]]]] = {
    "code of the same size and time": (names, _alphb("one.py")),
    "prose of the same size and time": (words, _alphb("guide.md")),
    "content of the same size and time": (content, _alphb("guide.md")),
    "an outline of the same size and time": (outline, _alphb("guide.md")),
    "text of the same size and time": (text, _alphb("sub/note.txt")),
    "a file that grows beyond the limit": (text, _write("sub/note.txt", "alpha\n" * 400_000)),
    "an ignore file that ignores itself": (text, _write(".gitignore", "*.txt\n.gitignore\n")),
    "an ignore file of the same size": (
        text,
        lambda root: rewrite(root / "sub/.gitignore", "not*txt\n"[:8]),
    ),
    "rules for searchers": (text, _write("sub/.ignore", "note.txt\n")),
    "rules for searchers above the root": (
        text,
        lambda root: write_files(root.parent, {".ignore": "log/\n"}),
    ),
    "info/exclude": (text, _write(".git/info/exclude", "log/\n")),
    "the user's excludes": (text, _global_excludes),
    "another file of the user's excludes": (text, _other_excludes),
    "what git tracks": (text, lambda root: git(root, "add", "-f", "left.zzz")),
    "info/exclude of a nested repository": (text, _write("nest/.git/info/exclude", "inner.txt\n")),
    "what a nested repository tracks": (
        text,
        lambda root: git(root / "nest", "add", "-f", "kept.ign"),
    ),
    "types of items, and items": (items, _write("symindex.toml", MANUAL)),
    "types of items, and text": (words, _write("symindex.toml", MANUAL)),
    "types of items, and content": (content, _write("symindex.toml", MANUAL)),
    "the selection": (text, _write("symindex.toml", 'exclude = ["log/**"]\n')),
    "the language of a file": (names, _write(".gitattributes", "*.h linguist-language=C++\n")),
    "the language of a text": (words, _write(".gitattributes", "*.py linguist-language=Ruby\n")),
}


def answer(tree: Workspace, ask: Ask) -> object:
    try:
        response = ask(tree)
    except SymindexError as error:
        return str(error)
    return _settled(msgspec.to_builtins(response))


def _settled(value: object) -> object:
    """Returns an answer without what differs from index to index."""
    if isinstance(value, dict):
        return {key: _settled(inner) for key, inner in value.items() if key not in _VARYING}
    return [_settled(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("name", INPUTS)
def test_answers_follow_every_input(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fast_watch: None
) -> None:
    # Otherwise the list of files trusts no stamp of files that were written just now.
    monkeypatch.setattr("symindex.files.text_files._SETTLED_NS", -(10**9))
    ask, change = INPUTS[name]
    root = write_files(tmp_path / "tree", FILES)
    git(root, "init", "-q")
    git(root / "nest", "init", "-q")
    git(root, "add", "one.py")
    with Workspace(root, tmp_path / "index") as tree:
        tree.refresh()
        tree.follow()

        def through_the_cache() -> object:
            until(lambda: tree.source.indexed.settle(20))
            return answer(tree, ask)

        def anew() -> object:
            with Workspace(root, tmp_path / "new") as other:
                other.refresh()
                return answer(other, ask)

        check_perturbed(Perturbed(through_the_cache, lambda: change(root), anew))
        if ask is words:  # its texts are on the disk
            with Workspace(root, tmp_path / "index") as later:
                assert answer(later, ask) == anew()
