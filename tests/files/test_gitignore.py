"""Ignore rules, compared with git itself: the same tree and patterns give the same files."""

import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.files.ignore.gitignore import MOST_BYTES, MOST_FILES, IgnoreFile
from symindex.files.ignore.glob_set import MOST_EXPRESSIONS
from symindex.files.skips import SkipReason
from symindex.files.walk import FileFilter, walk_tree
from tests.support.command import run_program
from tests.support.files import write_files

WANTED = load_languages().wanted(1_000_000)

TREE = [
    "a.py", "b.py", "keep.py", "build/x.py", "build/keep.py", "src/a.py", "src/build/y.py", "src/deep/er/z.py", "src/x y.py",
    "src/#hash.py", "src/!bang.py", "docs/a.py", "docs/sub/a.py", "logs/a.log.py", "logs/b.py", "src/temp1.py", "src/tempx.py",
]  # fmt: skip

CASES = {
    "name": {".gitignore": "a.py\n"},
    "folder": {".gitignore": "build/\n"},
    "anchored": {".gitignore": "/build\n/a.py\n"},
    "negation": {".gitignore": "*.py\n!keep.py\n"},
    "negated below an ignored folder stays ignored": {".gitignore": "build/\n!build/keep.py\n"},
    "contents and negation": {".gitignore": "build/*\n!build/keep.py\n"},
    "contents by stars": {".gitignore": "build/**\n!build/keep.py\n"},
    "folder taken back, patterns inside still hold": {".gitignore": "a.py\ndocs/\n!docs/\n"},
    "star stars": {".gitignore": "**/er/\ndocs/**/a.py\n"},
    "order": {".gitignore": "!a.py\na.py\n"},
    "classes": {".gitignore": "src/temp[0-9].py\nsrc/[!t]*y.py\n"},
    "question mark": {".gitignore": "?.py\n"},
    "escapes": {".gitignore": "\\#hash.py\n\\!bang.py\nx\\ y.py\n"},
    "comments and blanks": {".gitignore": "# a.py\n\n   \n"},
    "trailing blanks": {".gitignore": "a.py   \n"},
    "nested": {"src/.gitignore": "a.py\n/deep/er\n"},
    "nested over outer": {".gitignore": "*.py\n", "src/.gitignore": "!a.py\n!temp*.py\ntemp1.py\n"},
    "exclude file": {".git/info/exclude": "b.py\n", ".gitignore": "!b.py\na.py\n"},
    "all but folders": {".gitignore": "/*\n!/src/\n"},
    "only slashes": {".gitignore": "*/\n"},
    "crlf": {".gitignore": "a.py\r\nbuild/\r\n"},
    "posix classes": {".gitignore": "src/temp[[:digit:]].py\n[[:alpha:]].py\n[[:nonsense:]]*\n"},
    "a range the wrong way round": {".gitignore": "[z-a].py\n[k-a]eep.py\n"},
    "odd brackets": {".gitignore": "[]a].py\n[!]b].py\n[a-].py\n[[].py\n[\\]a].py\n[&&b].py\n"},
    "brackets that stay open": {".gitignore": "[a.py\n[[:alpha:].py\nb[\n"},
    "stars that are not between slashes": {".gitignore": "src/t**.py\n***/er\n"},
    "line ends of other systems": {".gitignore": "a.py\rb.py\nkeep.py\x0b\nlogs\u2028\n"},
    "bytes of letters": {".gitignore": "caf?.py\n", "src/café.py": ""},
    "byte order mark": {".gitignore": "\ufeffa.py\n"},
}


def make_tree(root: Path, files: dict[str, str]) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for path in TREE:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x = 1\n")
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())


def git_files(root: Path) -> list[str]:
    done = run_program(
        ["git", "-C", str(root), "ls-files", "-z", "--others", "--exclude-standard"], check=True
    )
    return sorted(path for path in done.stdout.split("\0") if path.endswith(".py"))


def walked(root: Path) -> list[str]:
    files = walk_tree(root, WANTED).files
    return [file.path for file in files if file.path.endswith(".py")]


@pytest.mark.parametrize("files", CASES.values(), ids=CASES)
def test_as_git(files: dict[str, str], tmp_path: Path) -> None:
    make_tree(tmp_path, files)
    assert walked(tmp_path) == git_files(tmp_path)


def test_global_excludes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, excludes = tmp_path / "tree", tmp_path / "excludes"
    excludes.write_text("b.py\n/docs\n")
    (tmp_path / "config").write_text(f"[core]\n\texcludesFile = {excludes}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    make_tree(root, {".gitignore": "!src/b.py\n"})
    assert walked(root) == git_files(root)
    assert "b.py" not in walked(root)


def test_rules_from_above_the_root(tmp_path: Path) -> None:
    make_tree(tmp_path, {".gitignore": "/src/a.py\nbuild/\n*x.py\n", "src/.gitignore": "deep/\n"})
    inside = [path.removeprefix("src/") for path in git_files(tmp_path) if path.startswith("src/")]
    assert walked(tmp_path / "src") == inside


RULES_ABOVE = {
    "the user's, of the repository": {"excludes": "/src/a.py\n/deep\n"},
    "the user's, over those of the exclude file": {
        "excludes": "a.py\n",
        "tree/.git/info/exclude": "!a.py\nz.py\n",
    },
    "of the exclude file, of the repository": {"tree/.git/info/exclude": "/src/a.py\n/deep\n"},
    "of the exclude file, below those of the top": {
        "tree/.git/info/exclude": "a.py\n",
        "tree/.gitignore": "!a.py\n",
    },
    "of a folder on the way": {"tree/src/.gitignore": "/deep/er\n/build\n"},
    "of a folder on the way, of itself": {"tree/src/.gitignore": "/er\n"},
    "of a folder on the way, over those of the top": {
        "tree/.gitignore": "z.py\n",
        "tree/src/.gitignore": "!z.py\n",
    },
    "of a folder on the way, below those of the top": {
        "tree/.gitignore": "!z.py\n",
        "tree/src/.gitignore": "z.py\n",
    },
}


@pytest.mark.parametrize("root", ["src", "src/deep"])
@pytest.mark.parametrize("files", RULES_ABOVE.values(), ids=RULES_ABOVE)
def test_rules_from_above_the_root_hold_where_they_stand(
    files: dict[str, str], root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules of a nearer folder win, and each file's rules are relative to its own folder."""
    write_files(
        tmp_path, {"config": f"[core]\n\texcludesFile = {tmp_path / 'excludes'}\n", "excludes": ""}
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    make_tree(tmp_path / "tree", {})
    write_files(tmp_path, dict(files))
    inside = [
        path.removeprefix(f"{root}/")
        for path in git_files(tmp_path / "tree")
        if path.startswith(f"{root}/")
    ]
    assert walked(tmp_path / "tree" / root) == inside


def test_no_repository_is_needed(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("a.py\n")
    (tmp_path / "a.py").write_text("")
    (tmp_path / "b.py").write_text("")
    assert walked(tmp_path) == ["b.py"]


PIECES = [
    "a",
    "b",
    "build",
    "src",
    "temp1",
    ".py",
    "*",
    "?",
    "[a-c]",
    "[!a]",
    "[[:alpha:]]",
    "[z-a]",
    "[]a]",
    "[",
    "]",
    "\\a",
    "\\",
    "#",
    "!",
    " ",
]
"""The parts of random patterns. `**` after letters is left out, since git reads it as if it were
between slashes, contrary to its own manual."""


def random_pattern(chance: random.Random) -> str:
    parts = [
        chance.choice(["**", "*", "".join(chance.choices(PIECES, k=chance.randint(1, 3)))])
        for _ in range(chance.randint(1, 3))
    ]
    return f"{chance.choice(['', '', '!', '/', '!/'])}{'/'.join(parts)}{chance.choice(['', '', '/', '/**', '.py', ' '])}"


@pytest.mark.parametrize("seed", range(30))
def test_random_patterns_as_git(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    places = ["", "src/", "docs/", "src/deep/"]
    make_tree(
        tmp_path,
        {
            f"{place}.gitignore": "\n".join(random_pattern(chance) for _ in range(6))
            for place in places
        },
    )
    assert walked(tmp_path) == git_files(tmp_path)


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(8))
def test_many_random_patterns_as_git(seed: int, tmp_path: Path) -> None:
    """There are enough patterns for expressions to be looked up by the first or last part of their
    matches."""
    chance = random.Random(1000 + seed)
    names = [
        "a",
        "b",
        "keep",
        "build",
        "src",
        "temp1",
        "tempx",
        "x",
        "y",
        "docs",
        "deep",
        "er",
        "logs",
        "a.log",
        "sub",
    ]
    tails = ["*", "?", ".py", "*.py", "[a-z].py", "*y", "?.py", "\\.py", "[0-9]*", "*p*", "", "**"]

    def pattern() -> str:
        parts = [
            f"{chance.choice(['', '', '*', '?', '[a-s]'])}{chance.choice(names)[: chance.randint(1, 5)]}"
            for _ in range(2)
        ]
        parts[0] += chance.choice(["", "*", "", "/**"])
        body = "/".join(parts[chance.randint(0, 1) :]) + chance.choice(tails[:-1])
        return f"{chance.choice(['', '', '!', '!', '/', '**/'])}{body}{chance.choice(['', '', '', '/'])}"

    places = {"": 150, "src/": 60, "docs/": 60}
    make_tree(
        tmp_path,
        {
            f"{place}.gitignore": "\n".join(pattern() for _ in range(n))
            for place, n in places.items()
        },
    )
    assert walked(tmp_path) == git_files(tmp_path)
    assert not [
        skip for skip in walk_tree(tmp_path, WANTED).skips if skip.reason == SkipReason.IGNORE_LIMIT
    ]


FORMS = {
    "stars": "*a{}*b*c*", "one letter first": "a*{}", "a class first": "[a-z]*{}", "stars between slashes": "**/a{}/**/b*",
    "taken back": "!*a{}*b*", "beginnings": "a{}*", "endings": "*a{}", "names": "a{}", "paths": "/a{}/b*/c",
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_many_globs_take_no_product_of_time(form: str) -> None:
    file = IgnoreFile("\n".join(form.format(number) for number in range(10_000)))
    assert file.n_asked <= MOST_EXPRESSIONS
    started = time.thread_time()
    for number in range(200):
        file.decide(f"some/folder{number}/abc{number}.py")
    assert time.thread_time() - started < 5  # trying each pattern on each path took minutes


def test_ignore_rules_that_are_not_applied_are_reported(tmp_path: Path) -> None:
    lines = [f"*a{number}*b*c*" for number in range(MOST_EXPRESSIONS + 50)]
    make_tree(
        tmp_path,
        {
            ".gitignore": "\n".join(lines),
            "src/.gitignore": "x*y*\n*q*r*\n",
            "docs/.gitignore": "/a.py\n",
        },
    )
    (tmp_path / "logs" / ".gitignore").write_bytes(b"b.py\n" + b"#" * MOST_BYTES + b"\n*.py\n")
    (tmp_path / "build" / ".gitignore").write_text("*a" * 1_000 + "\n/x.py\n")
    walk = walk_tree(tmp_path, WANTED)
    said = {skip.path: skip.detail for skip in walk.skips if skip.reason == SkipReason.IGNORE_LIMIT}
    assert said == {
        ".gitignore": "50 globs: too many with wildcards inside, or too long",
        "build/.gitignore": "1 glob: too many with wildcards inside, or too long",
        "logs/.gitignore": "the part beyond 1,048,576 bytes",
        "src/.gitignore": "2 globs: too many with wildcards inside, or too long",
    }
    left_out = {"docs/a.py", "logs/b.py", "build/x.py"}
    assert {path for path in walk.files.paths if path.endswith(".py")} == set(TREE) - left_out


def test_no_more_than_some_ignore_files_are_in_force(tmp_path: Path) -> None:
    deep = tmp_path / "/".join("d" * (MOST_FILES + 5))
    deep.mkdir(parents=True)
    for folder in (deep, *deep.parents):
        if folder.is_relative_to(tmp_path):
            (folder / ".gitignore").write_text("ignored.py\n")
    (deep / "ignored.py").write_text("")
    walk = walk_tree(tmp_path, WANTED)
    assert [skip.reason for skip in walk.skips] == [SkipReason.IGNORE_LIMIT] * 6
    assert walk.ignored == 1


def test_no_pattern_takes_long() -> None:
    started = time.perf_counter()
    assert (
        IgnoreFile("*a" * 30 + "b\n" + "**/a/" * 30 + "b\n" + "a*" * 200 + "b").decide(
            "a/" * 200 + "a" * 200 + ".py"
        )
        is None
    )
    assert time.perf_counter() - started < 5


def test_an_ignore_file_that_is_a_link_or_a_pipe_is_not_read(tmp_path: Path) -> None:
    make_tree(tmp_path, {"patterns": "*.py\n"})
    (tmp_path / ".gitignore").symlink_to("patterns")
    assert walked(tmp_path) == git_files(tmp_path) == sorted(TREE)
    os.mkfifo(tmp_path / "src" / ".gitignore")  # git would wait forever for a writer
    assert walked(tmp_path) == sorted(TREE)


def test_worktrees_and_submodules_have_their_repositorys_exclude_file(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = [
            "-c",
            "user.name=n",
            "-c",
            "user.email=e@example.org",
            "-c",
            "protocol.file.allow=always",
        ]
        subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)

    main = tmp_path / "main"
    make_tree(main, {".git/info/exclude": "b.py\n"})
    git("-C", str(main), "commit", "-q", "--allow-empty", "-m", "first")
    git("-C", str(main), "worktree", "add", "-q", str(tmp_path / "other"))
    git("-C", str(main), "submodule", "--quiet", "add", str(main), "inner")
    (main / ".git" / "modules" / "inner" / "info" / "exclude").write_text("a.py\n")
    for root in (tmp_path / "other", main / "inner"):
        for name in ("a.py", "b.py"):
            (root / name).write_text("")
        assert walked(root) == git_files(root)
    assert walked(tmp_path / "other") == ["a.py"]
    assert walked(main / "inner") == ["b.py"]


@pytest.mark.slow
def test_all_ignore_files_together_have_a_bound(tmp_path: Path) -> None:
    text = "".join(f"name{number}\n" for number in range(50_000))
    files = {f"d{number}/.gitignore": text + f"{number}\n" for number in range(9)}
    root = write_files(tmp_path, {**files, **{f"d{number}/name7": "" for number in range(9)}})
    walk = walk_tree(root, FileFilter(frozenset({".py"}), frozenset(), 1000))
    left_out = [skip for skip in walk.skips if skip.reason == SkipReason.IGNORE_LIMIT]
    assert 1 <= len(left_out) <= 3
    assert {skip.detail for skip in left_out} == {
        "the ignore files of a walk may have 4,000,000 bytes together"
    }
