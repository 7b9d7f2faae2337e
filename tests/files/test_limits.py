"""Limits of reading folders, ignore rules and repositories, and what is reported past a limit."""

from pathlib import Path

import pytest

from symindex.files.ignore.git_folder import note
from symindex.files.ignore.glob_set import GlobSet
from symindex.files.ignore.globs import path_regex
from symindex.files.index_place import index_name
from symindex.files.skips import Skip, SkipReason, tell_not_looked_into, tell_unread
from symindex.files.walk import FileFilter, walk_tree
from tests.support.files import write_files
from tests.support.git import git
from tests.support.limits import SAME, Limit, cases, check_limit


def walked(folder: Path, files: dict[str, str]) -> object:
    """Returns the files of a walk, and what it left out."""
    write_files(folder, {".git/HEAD": "", **files})
    walk = walk_tree(folder, FileFilter(frozenset({".py"}), frozenset(), 100))
    return sorted(file.path for file in walk.files), [
        str(skip.path) + ": " + str(skip.detail) for skip in walk.skips
    ]


def ignore_file(n: int, folder: Path) -> object:
    return walked(folder, {".gitignore": "a.py\n" + "#" * (n - 6) + "\n", "a.py": "", "b.py": ""})


def ignore_files(n: int, folder: Path) -> object:
    nested = {f"{'d/' * level}.gitignore": "a.py\n" for level in range(n)}
    return walked(folder, {**nested, f"{'d/' * (n - 1)}a.py": "", "b.py": ""})


def expressions(n: int, folder: Path) -> object:
    return GlobSet([f"*x{number}*" for number in range(n)]).n_left_out


def expression(n: int, folder: Path) -> object:
    return GlobSet(["*" + "g" * (n - 1)]).n_left_out


def forms(n: int, folder: Path) -> object:
    glob = "{" + ",".join(f"a{number}" for number in range(n - 1)) + "}"
    return path_regex(glob) is not None


def ignored(n: int, folder: Path) -> object:
    write_files(
        folder,
        {".git/HEAD": "", ".gitignore": "x*\n", **{f"x{number}.py": "" for number in range(n)}},
    )
    walk = walk_tree(folder, FileFilter(frozenset({".py"}), frozenset(), 100))
    return len(walk.ignored_paths)


def root_name(n: int, folder: Path) -> object:
    return len(index_name("/" + "r" * n).partition("-")[0])


def unread(n: int, folder: Path) -> object:
    return tell_unread([Skip(f"{number}.py", SkipReason.TOO_LARGE) for number in range(n)], "them")


def not_looked_into(n: int, folder: Path) -> object:
    return tell_not_looked_into([f"{number}.py" for number in range(n)])


def ignore_bytes(n: int, folder: Path) -> object:
    """Walks with two ignore files of `n` bytes together."""
    return walked(
        folder,
        {".gitignore": "#" * (n - 6) + "\n", "d/.gitignore": "a.py\n", "d/a.py": "", "b.py": ""},
    )


def note_of_git(n: int, folder: Path) -> object:
    write_files(folder, {"HEAD": "h" * n})
    return note(folder, "HEAD")


def name_of_excludes(n: int, folder: Path) -> object:
    """Walks a tree whose configuration names a file with rules so that git's answer has `n`
    bytes."""
    top = folder.resolve() / "tree"
    write_files(top, {"a.py": "", "b.py": "", ".rules": "a.py\n"})
    git(top, "init", "-q")
    git(top, "config", "core.excludesFile", "./" * ((n - 14) // 2) + ".rules")
    walk = walk_tree(top, FileFilter(frozenset({".py"}), frozenset(), 100))
    return [file.path for file in walk.files if file.path.endswith(".py")], [
        f"{skip.path}: {skip.detail}" for skip in walk.skips
    ]


LIMITS: list[Limit] = [
    Limit("files.ignore.git_repository._MOST_BYTES", 60, name_of_excludes, (["b.py"], []), (["a.py", "b.py"], ["core.excludesFile: git named it with more than 60 bytes: see .git"]), unit=2),
    Limit("files.walk.MOST_IGNORE_BYTES", 20, ignore_bytes, ([".gitignore", "b.py", "d/.gitignore"], []), (['.gitignore', 'b.py', 'd/.gitignore', 'd/a.py'], ['d/.gitignore: the ignore files of a walk may have 20 bytes together'])),
    Limit("files.ignore.git_folder.LONGEST_NOTE", 8, note_of_git, "hhhhhhhh", ""),
    Limit("files.ignore.gitignore.MOST_BYTES", 20, ignore_file, ([".gitignore", "b.py"], []), (['.gitignore', 'b.py'], ['.gitignore: the part beyond 20 bytes'])),
    Limit("files.ignore.gitignore.MOST_FILES", 2, ignore_files, ([".gitignore", "b.py", "d/.gitignore"], []), (['.gitignore', 'b.py', 'd/.gitignore', 'd/d/.gitignore'], ['d/d/.gitignore: 2 other ignore files are in force there'])),
    Limit("files.ignore.glob_set.LONGEST_EXPRESSION", 8, expression, 0, 1),
    Limit("files.ignore.glob_set.MOST_EXPRESSIONS", None, expressions, 0, 1),
    Limit("files.ignore.globs.MOST_FORMS", 4, forms, True, False),
    Limit("files.walk.MOST_IGNORED", 2, ignored, 2, SAME),
    Limit("files.index_place._LONGEST_NAME", 8, root_name, 8, SAME),
    Limit("files.skips._NAMED", 2, unread, "2 files were not read and may contain them: 0.py (larger than the size limit), 1.py (larger than the size limit)", '3 files were not read and may contain them: 0.py (larger than the size limit), 1.py (larger than the size limit) and 1 more'),
    Limit("files.skips._NAMED", 2, not_looked_into, "2 files were not looked into: 0.py, 1.py", '3 files were not looked into: 0.py, 1.py and 1 more'),
]  # fmt: skip


@cases(LIMITS)
def test_limits_of_files(case: Limit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_limit(case, monkeypatch, tmp_path)
