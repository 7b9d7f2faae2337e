"""What git says about a tree counts if it applies to the tree; nothing hangs, and no link is
followed."""

import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.files.ignore import git_command
from symindex.files.ignore.git_reader import GitReader
from symindex.files.ignore.git_repository import files_above, git_state, rules_above
from symindex.files.ignore.gitignore import MOST_BYTES
from symindex.files.locations import find_root
from symindex.files.skips import Skip, SkipReason
from symindex.files.walk import walk_tree
from tests.support.command import run_program, run_python, run_symindex
from tests.support.files import write_files
from tests.support.git import git

WANTED = load_languages().wanted(1_000_000)


def init(root: Path) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "-q", str(root)], check=True, timeout=30)
    return root


def walked(root: Path) -> tuple[list[str], list[str]]:
    """Returns the Python files of a tree, and the messages about ignore rules."""
    walk = walk_tree(root, WANTED)
    said = [
        f"{skip.path}: {skip.detail}"
        for skip in walk.skips
        if skip.reason == SkipReason.IGNORE_LIMIT
    ]
    return [path for path in walk.files.paths if path.endswith(".py")], said


TRAPS: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
}


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "make"),
    [(".git/info/exclude", os.mkfifo), (".gitignore", TRAPS["a link to a device"])],
)
def test_rules_above_the_root_that_are_no_file(
    place: str, make: Callable[[Path], object], tmp_path: Path
) -> None:
    top = init(tmp_path / "top")
    write_files(top, {"in/a.py": "a = 1\n"})
    (top / place).unlink(missing_ok=True)
    make(top / place)
    command = [sys.executable, "-m", "symindex", "status", "--root", str(top / "in")]
    done = run_program(command)
    assert done.returncode == 0 and f"{top / place} (" in done.stdout


@pytest.mark.parametrize("make", TRAPS.values(), ids=TRAPS)
def test_a_git_file_without_a_repository(make: Callable[[Path], object], tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "a = 1\n"})
    make(tmp_path / ".git")
    assert walked(tmp_path)[0] == ["a.py"]
    assert git_state(tmp_path) and files_above(tmp_path)


def test_excludes_that_are_long_are_read_in_part(tmp_path: Path) -> None:
    top = init(tmp_path / "top")
    write_files(
        top,
        {"a.py": "", "b.py": "", ".git/info/exclude": b"a.py\n" + b"#" * MOST_BYTES + b"\nb.py\n"},
    )
    assert walked(top) == (
        ["b.py"],
        [f"{top / '.git/info/exclude'}: the part beyond {MOST_BYTES:,} bytes"],
    )


def test_the_excludes_file_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git's reading of `core.excludesFile` in the tree's `.git/config` applies, as does the user's
    own file."""
    top = init(tmp_path / "top")
    write_files(
        tmp_path,
        {
            "outside": "a.py\n",
            "top/.rules": "b.py\n",
            "top/a.py": "",
            "top/b.py": "",
            "user": "c.py\n",
            "top/c.py": "",
        },
    )
    config = ["git", "-C", str(top), "config", "core.excludesFile"]
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for value, files in [
        (str(tmp_path / "outside"), ["b.py", "c.py"]),
        ("../outside", ["b.py", "c.py"]),
        ("~/outside", ["b.py", "c.py"]),
        ("../nowhere", ["a.py", "b.py", "c.py"]),
        ("/proc/self/environ", ["a.py", "b.py", "c.py"]),
        ("//host/share/rules", ["a.py", "b.py", "c.py"]),
        (str(top / ".rules"), ["a.py", "c.py"]),
        (".rules", ["a.py", "c.py"]),
    ]:
        subprocess.run([*config, value], check=True, timeout=30)
        assert walked(top)[0] == files, value
    (top / "link").symlink_to(tmp_path)
    subprocess.run([*config, "link/outside"], check=True, timeout=30)
    assert walked(top) == (
        ["a.py", "b.py", "c.py"],
        [f"{top / 'link/outside'}: is behind a symbolic link"],
    )
    subprocess.run([*config, str(tmp_path / "outside")], check=True, timeout=30)
    subprocess.run(
        ["git", "config", "--global", "core.excludesFile", str(tmp_path / "user")],
        check=True,
        timeout=30,
    )
    assert walked(top)[0] == ["b.py", "c.py"]  # the nearer file wins
    subprocess.run([*config[:-1], "--unset", "core.excludesFile"], check=True, timeout=30)
    assert walked(top)[0] == ["a.py", "b.py"]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away"
)
def test_the_excludes_file_of_another_user_does_not_count(tmp_path: Path) -> None:
    top = init(tmp_path / "top")
    write_files(tmp_path, {"outside": "a.py\n", "top/a.py": ""})
    subprocess.run(
        ["git", "-C", str(top), "config", "core.excludesFile", "../outside"], check=True, timeout=30
    )
    os.chown(tmp_path / "outside", 12345, -1)
    assert walked(top) == (["a.py"], [f"{tmp_path / 'outside'}: belongs to another user"])


def test_git_that_does_not_answer_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = init(tmp_path / "top")
    real = shutil.which("git")
    write_files(tmp_path, {
        "top/a.py": "", "top/b.py": "", "user": "b.py\n",
        "bin/git": f'#!/bin/sh\ncase "$2" in {top}) sleep 60 ;; *) exec {real} "$@" ;; esac\n',
    })  # fmt: skip
    (tmp_path / "bin" / "git").chmod(0o755)
    subprocess.run(
        ["git", "config", "--global", "core.excludesFile", str(tmp_path / "user")],
        check=True,
        timeout=30,
    )
    monkeypatch.setenv("PATH", str(tmp_path / "bin") + os.pathsep + os.environ["PATH"])
    monkeypatch.setattr(git_command, "SECONDS", 0.5)
    said = ["core.excludesFile: git did not name it within 0.5 s: see .git"]
    assert walked(top) == (["a.py"], said)  # the user's own rules still apply
    began = time.monotonic()
    assert walked(top) == (["a.py"], said)
    assert time.monotonic() - began < 0.5  # the next walk does not wait again


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process")
def test_git_gets_little_memory(tmp_path: Path) -> None:
    """The program waits until its address space is limited to MOST_MEMORY."""
    most = git_command.MOST_MEMORY // 1024
    program = write_files(tmp_path, {
        "git": f'#!/bin/sh\nuntil [ "$(ulimit -v)" = {most} ]; do :; done\necho limited\n',
    }) / "git"  # fmt: skip
    program.chmod(0o755)
    answer = git_command.run_git(str(program), [], 100, 30.0)
    assert answer == git_command.GitAnswer(b"limited\n", 0, False)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process")
def test_a_pack_may_be_larger_than_the_memory_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_command, "MOST_MEMORY", 70_000_000)
    root = write_files(tmp_path / "tree", {"large": os.urandom(80_000_000), "small": "x\n"})
    git(root, "init", "-q")
    git(root, "config", "core.compression", "0")
    git(root, "config", "core.bigFileThreshold", "1m")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "one")
    git(root, "repack", "-q", "-a", "-d")
    answer = GitReader.of(root).ask(["cat-file", "blob", "HEAD:small"], 100, 30.0)
    assert answer == git_command.GitAnswer(b"x\n", 0, False)


INCLUDES = {
    "a pipe": ("[include]\n\tpath = ../pipe\n", "a/pipe: not a regular file"),
    "a pipe, on a condition": (
        '[InCludeIf "gitdir:**"] path = "PIPE"\n',
        "pipe: not a regular file",
    ),
    "a device": ("[include]\npath = /dev/zero\n", "/dev/zero: not a regular file"),
    "a pipe by way of a file": ("[include]\npath = ../first\n", "pipe: not a regular file"),
    "more than there is time for": (
        "[include]\npath = ../round1\n",
        "more than 20 configuration files include one another",
    ),
    "a huge file": ("[include]\npath = ../huge\n", "huge: larger than 1,000,000 bytes"),
}


@pytest.mark.parametrize("kind", INCLUDES)
def test_included_configuration_is_checked_before_git_reads_it(kind: str, tmp_path: Path) -> None:
    top = init(tmp_path / "top")
    os.mkfifo(top / "pipe")
    os.mkfifo(tmp_path / "a pipe")
    write_files(top, {"a.py": "", "first": "[include]\npath = pipe\n", "huge": "#" * 1_000_001})
    write_files(
        top, {f"round{number}": f"[include]\npath = round{number + 1}\n" for number in range(30)}
    )
    config, said = INCLUDES[kind]
    with (top / ".git" / "config").open("a") as file:
        file.write(config.replace("PIPE", str(tmp_path / "a pipe")))
    began = time.monotonic()
    files, why = walked(top)
    assert files == ["a.py"] and len(why) == 1 and said.removeprefix("a/") in why[0]
    assert time.monotonic() - began < git_command.SECONDS


def test_a_configuration_that_includes_files_is_read(tmp_path: Path) -> None:
    top = init(tmp_path / "top")
    write_files(
        top,
        {"a.py": "", "b.py": "", ".rules": "b.py\n", "shared": "[core]\nexcludesFile = .rules\n"},
    )
    subprocess.run(
        ["git", "-C", str(top), "config", "include.path", "../shared"], check=True, timeout=30
    )
    subprocess.run(
        ["git", "-C", str(top), "config", "--add", "include.path", "../not there"],
        check=True,
        timeout=30,
    )
    assert walked(top) == (["a.py"], [])


@pytest.mark.nightly
@pytest.mark.slow
def test_a_failing_git_is_not_mistaken_for_one_without_rules(tmp_path: Path) -> None:
    """Files excluded by the user's own rules stay excluded, whatever a tree makes git read, and
    git's memory is bounded."""
    top = init(tmp_path / "top")
    write_files(tmp_path, {"top/a.py": "", "top/b.py": "", "user": "b.py\n"})
    subprocess.run(
        ["git", "config", "--global", "core.excludesFile", str(tmp_path / "user")],
        check=True,
        timeout=30,
    )
    with (top / ".git" / "config").open("a") as config:
        config.write("[core\n")
    said = ["core.excludesFile: git failed to name it: see .git"]
    assert walked(top) == (["a.py"], said)

    top = init(tmp_path / "other")
    write_files(top, {"a.py": "", "b.py": ""})
    with (top / ".git" / "commondir").open("xb") as file:
        file.truncate(4_000_000_000)
    code = """if True:
        import resource, sys
        from pathlib import Path
        from symindex.files.ignore import git_command
        from symindex.files.ignore.git_folder import GitFolder
        from symindex.files.ignore.git_repository import ask_git
        git_command.SECONDS = 30.0
        top = Path(sys.argv[1])
        otherwise, why = ask_git(top, top, GitFolder(top, top / ".git", top / ".git"))
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(why, otherwise, most < 600_000 or sys.platform != "linux")
    """
    ran = run_python(code, str(top), check=True)
    assert (
        ran.stdout == f"git failed to name it: see .git [('global', '{tmp_path / 'user'}')] True\n"
    )


def test_which_git_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git in the tree is never used, whether it is in the current folder or below."""
    root = tmp_path / "tree"
    ran = tmp_path / "ran"
    for folder in (root, root / "bin", tmp_path / "own"):
        write_files(folder, {"git": f"#!/bin/sh\ntouch {ran}\n"})
        (folder / "git").chmod(0o755)
    monkeypatch.chdir(root)
    (tmp_path / "way").symlink_to(root / "bin")
    monkeypatch.setenv(
        "PATH",
        os.pathsep.join(["", ".", "bin", str(root), str(root / "bin"), str(tmp_path / "way")]),
    )
    assert git_command.find_git(root) is None
    rules_above(root, [])
    assert not ran.exists()
    monkeypatch.setenv("PATH", os.pathsep.join(["", str(root / "bin"), str(tmp_path / "own")]))
    assert git_command.find_git(root) == str(tmp_path / "own" / "git")


def test_a_git_folder_elsewhere_must_name_the_tree(tmp_path: Path) -> None:
    common = write_files(
        tmp_path / "common", {"info/exclude": "a.py\n", "worktrees/x/commondir": "../..\n"}
    )
    folder = common / "worktrees" / "x"
    root = write_files(tmp_path / "tree", {"a.py": "", ".git": f"gitdir: {folder}\n"})
    files, said = walked(root)
    assert (
        files == ["a.py"]
        and len(said) == 1
        and said[0].startswith(f".git/info/exclude: {root / '.git'}: leads to {folder}, ")
    )
    assert git_state(root) == [root / ".git" / "HEAD", root / ".git" / "index"]
    (folder / "gitdir").write_text(f"{root / '.git'}\n")
    assert walked(root)[0] == []  # now the rule applies
    (common / "info" / "exclude").unlink()
    (common / "info" / "exclude").symlink_to(tmp_path / "rules")
    (tmp_path / "rules").write_text("a.py\n")
    assert walked(root)[0] == ["a.py"]
    (root / ".git").write_text("gitdir: " + "x" * 5_000)
    assert walked(root)[0] == ["a.py"]


def test_what_git_writes_when_it_changes_many_files(tmp_path: Path) -> None:
    """The change is noticed in a repository, from a folder inside it, and in a worktree and a
    submodule, each of which has a git folder of its own."""

    def run_git(root: Path, *arguments: str) -> None:
        identity = [
            "-c",
            "user.name=n",
            "-c",
            "user.email=e@example.org",
            "-c",
            "protocol.file.allow=always",
        ]
        subprocess.run(
            ["git", *identity, "-C", str(root), *arguments],
            check=True,
            capture_output=True,
            timeout=30,
        )

    main = init(tmp_path / "main")
    write_files(main, {"in/a.py": "a = 1\n"})
    run_git(main, "add", ".")
    run_git(main, "commit", "-q", "-m", "first")
    run_git(main, "worktree", "add", "-q", str(tmp_path / "other"))
    run_git(main, "submodule", "--quiet", "add", str(main), "inner")
    for root, folder in {
        main: ".git",
        main / "in": ".git",
        tmp_path / "other": ".git/worktrees/other",
        tmp_path / "other" / "in": ".git/worktrees/other",
        main / "inner": ".git/modules/inner",
    }.items():
        files = git_state(root)
        assert files == [main / folder / "HEAD", main / folder / "index"], root
        before = [file.read_bytes() for file in files]
        run_git(root, "checkout", "-q", "--orphan", f"new-{root.name}")
        write_files(root, {"new.py": "new = 1\n"})
        run_git(root, "add", "new.py")
        assert all(file.read_bytes() != was for file, was in zip(files, before, strict=True)), root


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away"
)
@pytest.mark.parametrize("mark", ["symindex.toml", ".git"])
def test_a_strangers_file_above_chooses_no_root(mark: str, tmp_path: Path) -> None:
    start = tmp_path / "a" / "b"
    start.mkdir(parents=True)
    (tmp_path / mark).mkdir()
    assert find_root(start) == tmp_path
    os.chown(tmp_path / mark, 12345, -1)
    assert find_root(start) == start
    (tmp_path / ".gitignore").write_text("*.py\n")
    write_files(start, {"a.py": ""})
    assert walked(start)[0] == ["a.py"]
    os.chown(start, 12345, -1)
    assert find_root(start) == tmp_path


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away"
)
def test_a_strangers_rules_above_the_root_do_not_count(tmp_path: Path) -> None:
    top = init(tmp_path / "top")
    write_files(top, {".gitignore": "*.py\n", "in/a.py": ""})
    assert walked(top / "in")[0] == []
    os.chown(top / ".gitignore", 12345, -1)
    assert walked(top / "in") == (["a.py"], [f"{top / '.gitignore'}: belongs to another user"])


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("what", ["pipe", "folder", "/dev/zero", "hole"])
def test_dump_of_what_is_no_source_file(what: str, tmp_path: Path) -> None:
    path = tmp_path / "it.py"
    if what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    elif what == "hole":
        path.touch()
        os.truncate(path, 1 << 40)
    else:
        path.symlink_to(what)
        assert stat.S_ISCHR(path.stat().st_mode)
    done = run_symindex("dump", str(path))
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and not done.stdout
    assert (
        "not a regular file" in done.stderr
        or "larger than 100,000,000 bytes" in done.stderr
        or "directory" in done.stderr
    )


def test_a_skip_above_the_root_names_its_whole_path(tmp_path: Path) -> None:
    top = init(tmp_path / "top")
    (top / ".gitignore").mkdir()
    (top / "in").mkdir()
    skips: list[Skip] = []
    rules_above(top / "in", skips)
    assert skips == [Skip(str(top / ".gitignore"), SkipReason.IGNORE_LIMIT, "not a regular file")]
