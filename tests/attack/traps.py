"""The traps of a hostile tree. Each silently occupies its place."""

import contextlib
import itertools
import os
import random
import socket
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from tests.attack.sources import sources


class Place(NamedTuple):
    """Where traps are set. tree: the root. outside: an unrelated folder of the user. marks: where
    code of the tree would leave a mark if it ran. done: set when the attack is over."""

    tree: Path
    outside: Path
    marks: Path
    done: threading.Event


Trap = Callable[[Place, random.Random], object]

SECRET: Final = "zq_secret_of_the_user"
"""A symbol outside the tree, which no answer contains."""

CONTROLS: Final = (
    "\n",
    "\t",
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\x7f",
    "\r",
    "\u202e",
    "\u2066",
    "\u200f",
    "\u2028",
    "\x08\x08",
)


def _write(path: Path, content: str | bytes) -> None:
    with contextlib.suppress(OSError):  # the trap is impossible here, or its place is taken
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(path):
            path.write_bytes(
                content
                if isinstance(content, bytes)
                else content.encode("utf-8", "surrogateescape")
            )


def _pipe(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)


def _link(path: Path, target: Path | str) -> None:
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)


def _device(path: Path, number: int) -> None:
    with contextlib.suppress(OSError):  # only root can make these
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, number))


def _folder(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.mkdir(parents=True, exist_ok=True)


def _sparse(path: Path, n_bytes: int) -> None:
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.truncate(n_bytes)


def odd_file(path: Path, place: Place, chance: random.Random) -> None:
    """Puts something in the place of a file that is not a file of ordinary size."""
    kinds: tuple[Callable[[], object], ...] = (
        lambda: _pipe(path),
        lambda: _link(path, "/dev/zero"),
        lambda: _link(path, "/dev/stdin"),
        lambda: _link(path, place.outside / "precious.py"),
        lambda: _link(path, place.outside / "not-there"),
        lambda: _link(path, path.name),
        lambda: _device(path, 5),
        lambda: _sparse(path, 50_000_000_000),
        lambda: _folder(path),
        lambda: _write(path, chance.randbytes(chance.choice((10, 10_000, 3_000_000)))),
        lambda: _write(path, b"\xff\xfe" + chance.randbytes(1_000)),
    )
    chance.choice(kinds)()


# traps anywhere in the tree


def poison(place: Place, _: random.Random) -> None:
    """Adds a module for every name that Python or symindex might import; each leaves a mark when it
    runs."""
    ours = {
        "symindex",
        "numpy",
        "msgspec",
        "click",
        "rich",
        "tree_sitter",
        "sitecustomize",
        "usercustomize",
        "watchfiles",
        "orjson",
    }
    for name in set(sys.stdlib_module_names) | ours:
        code = f"import os\nos.close(os.open({str(place.marks / name)!r}, os.O_CREAT | os.O_WRONLY))\nraise SystemExit(77)\n"
        _write(place.tree / f"{name}.py", code)
    _write(place.tree / "pyvenv.cfg", f"home = {place.tree}\n")


def pipes_and_devices(place: Place, chance: random.Random) -> None:
    """Adds pipes, sockets and devices with names of sources."""
    for number in range(5):
        _pipe(place.tree / f"pipe{number}{chance.choice(sources()).ending}")
    for number, name in ((5, "zero.py"), (9, "random.rs"), (3, "null.go"), (7, "full.c")):
        _device(place.tree / name, number)
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(place.tree / "socket.py"))


def links(place: Place, _: random.Random) -> None:
    """Adds links to devices, out of the tree, to nothing, to themselves and in circles."""
    for name, target in {
        "zero.py": "/dev/zero", "tty.py": "/dev/tty", "mem.c": "/proc/self/mem", "kmsg.go": "/proc/kmsg",
        "environ.sh": "/proc/self/environ",
        "out.py": str(place.outside / "precious.py"), "out": str(place.outside), "up": "..", "top": "/", "self": "self",
        "a": "b", "b": "a", "here": ".", "long.py": "x" * 4_000, "nothing.py": "not-there",
        "tags": str(place.outside / "precious.py"),
    }.items():  # fmt: skip
        _link(place.tree / name, target)


def odd_names(place: Place, chance: random.Random) -> None:
    """Adds names of files, folders and symbols that would control a terminal, or are not text at
    all."""
    for number, control in enumerate(CONTROLS):
        _write(place.tree / f"odd{control}name{number}.py", f"def in_odd_{number}(): pass\n")
        _write(
            place.tree / f"folder{control}{number}" / "a.js",
            f"// {control}\nit('odd{control}symbol', () => {{}})\n",
        )
    for name in (
        b"not-\xff-text.py",
        b"\xc3\x28.go",
        b"-n.py",
        b"--json.py",
        b"#x.py",
        b"a#b:1.py",
        b"%s%n.py",
        b"x" * 252 + b".py",
        b" .py",
    ):
        path = os.path.join(os.fsencode(place.tree), name)
        # Some systems do not allow these names.
        with contextlib.suppress(OSError), open(path, "xb") as file:
            file.write(b"def in_odd_name(): pass\n")
    control = chance.choice(CONTROLS)
    _write(
        place.tree / "doc.py",
        f'def odd_doc(a="{control}"):\n    """Says {control} this\n    and {control}."""\n',
    )
    _write(
        place.tree / "sym.ts",
        f"describe('odd{control}symbol', () => {{ it(`{control}`, () => {{}}) }})\nclass A {{ 'odd{control}m'() {{}} }}\n",
    )


def deep_folders(place: Place, _: random.Random) -> None:
    """Adds 500 nested folders, some with names so long that no path reaches the last."""
    for name, depth in (("d", 500), ("n" * 250, 30)):
        with contextlib.suppress(OSError):
            number = os.open(place.tree, os.O_RDONLY)
            for _level in range(depth):
                os.mkdir(name, dir_fd=number)
                inner = os.open(name, os.O_RDONLY, dir_fd=number)
                os.close(number)
                number = inner
            os.close(os.open("deep.py", os.O_CREAT | os.O_WRONLY, dir_fd=number))
            os.close(number)


def unreadable(place: Place, _: random.Random) -> None:
    """Adds files and folders that the user may not read."""
    _write(place.tree / "closed" / "a.py", "def closed(): pass\n")
    _write(place.tree / "closed.py", "def closed(): pass\n")
    _write(place.tree / "listed" / "a.py", "def listed(): pass\n")
    for name, mode in (("closed", 0), ("closed.py", 0), ("listed", 0o444)):
        (place.tree / name).chmod(mode)


def hard_link(place: Place, _: random.Random) -> None:
    """Adds a hard link to a file of the user that is not source."""
    with contextlib.suppress(OSError):
        os.link(place.outside / "precious.txt", place.tree / "hard.txt")


def huge(place: Place, _: random.Random) -> None:
    """Adds sparse files of a terabyte, and one just below the limit."""
    for name in ("huge.py", "huge.txt", "huge", "huge.rs"):
        _sparse(place.tree / name, 1_000_000_000_000)
    _sparse(place.tree / "limit.c", 1_999_999)


def growing(place: Place, _: random.Random) -> None:
    """Adds a file that is longer at each look."""

    def grow() -> None:
        with contextlib.suppress(OSError):
            for number in range(3_000):
                if place.done.wait(0.01):
                    break
                with (place.tree / "growing.py").open("ab") as file:
                    file.write(b"def grows_%d(): pass\n" % number * 100)

    threading.Thread(target=grow, daemon=True).start()


def ignore_files(place: Place, chance: random.Random) -> None:
    """Adds ignore files that are large, slow to match, or not files."""
    path = place.tree / ".gitignore"
    kinds: tuple[Callable[[], object], ...] = (
        lambda: _write(
            path,
            "x" * 79
            + "\n"
            + "".join(f"/folder/number{number}/file*.txt\n" for number in range(200_000)),
        ),
        lambda: _write(path, "".join(f"a*{number}*b?[c-d]*e\n" for number in range(40_000))),
        lambda: _write(path, "".join(f"{'**/' * 20}*a*b*c*d*{number}\n" for number in range(500))),
        lambda: _write(path, "*" * 100_000 + "x\n" + "[" * 50_000 + "\n" + "\\" * 50_001 + "\n"),
        lambda: _write(path, b"\xff\0\n" * 1_000_000),
        lambda: odd_file(path, place, chance),
        lambda: odd_file(path, place, chance),
    )
    chance.choice(kinds)()
    for folder in ("sub", "sub/sub"):
        _write(place.tree / folder / "a.py", "def in_sub(): pass\n")
        odd_file(place.tree / folder / ".gitignore", place, chance)


def settings(place: Place, chance: random.Random) -> None:
    """Adds a `symindex.toml` that is nested, huge, odd, or refers to other traps."""
    path, outside = place.tree / "symindex.toml", place.outside
    folders = (
        str(outside),
        "../outside",
        ".",
        "~",
        "/",
        "/dev",
        "sub",
        "out",
        "here/sub",
        "\\u0000",
        "x" * 5_000,
        "/proc/self",
        "$HOME",
        "",
    )
    contents: tuple[str | bytes, ...] = (
        "a = " + "[" * 100_000,
        "a = " + "[" * 100_000 + "]" * 100_000,
        "a" + ".a" * 100_000 + " = 1\n",
        "[a" + ".a" * 100_000 + "]\n",
        "a = " + "{a=" * 50_000,
        "\n".join(f"key{number} = {number}" for number in range(100_000)),
        "limit = " + "9" * 100_000,
        'include = ["' + "**/" * 10_000 + 'x"]\n',
        'exclude = ["' + "[" * 10_000 + '"]\n',
        "include = [" + '"a*b*c*d*e*f*g*h*",' * 20_000 + "]\n",
        "file_seconds = 1e308\nmax_file_bytes = 1000000000\n",
        "file_seconds = nan\nlimit = -1\nlanguages = ['\\u001b[31m', '\\u202e']\n",
        "index_dir = 1979-05-27\n",
        b"\xff\xfe\0\0",
        b"# \x1b[31m\n" + b"\0" * 100,
        '"\\u001b[2J\\u202e" = 1\n',
    )
    kinds: tuple[Callable[[], object], ...] = (
        lambda: _write(path, f'index_dir = "{chance.choice(folders)}"\n'),
        lambda: _write(path, f'index_dir = "{chance.choice(folders)}"\n'),
        lambda: _write(path, chance.choice(contents)),
        lambda: _write(path, chance.choice(contents)),
        lambda: odd_file(path, place, chance),
    )
    chance.choice(kinds)()


def git_folder(place: Place, chance: random.Random) -> None:
    """Adds a `.git` that is not one, or whose files and settings lead to something that hangs or
    would run a command."""
    git = place.tree / ".git"
    if os.path.lexists(git) and (git.is_symlink() or not git.is_dir()):
        return  # another trap has taken the place
    if chance.random() < 0.3:
        kinds: tuple[Callable[[], object], ...] = (
            lambda: odd_file(git, place, chance),
            lambda: _write(git, f"gitdir: {place.outside}\n"),
            lambda: _write(git, "gitdir: /dev/zero\n"),
            lambda: _write(git, "gitdir: " + "../" * 100_000),
            lambda: _write(git, "gitdir: .git\n"),
        )
        chance.choice(kinds)()
        return
    _write(git / "HEAD", "ref: refs/heads/main\n")
    _folder(git / "refs")
    _folder(git / "objects")
    command = f"touch {place.marks / 'git'}"
    lines = (
        "[core]\n"
        + "".join(
            f"\t{key} = {command}\n"
            for key in ("fsmonitor", "pager", "sshCommand", "editor", "askPass")
        ),
        "[core]\n\texcludesFile = /dev/zero\n",
        f"[core]\n\texcludesFile = {git / 'pipe'}\n",
        f"[core]\n\texcludesFile = {place.outside / 'precious.txt'}\n",
        f"[core]\n\tworktree = {place.outside}\n",
        f"[include]\n\tpath = {git / 'pipe'}\n",
        "[include]\n\tpath = /dev/zero\n",
        "[include]\n\tpath = config\n",
        f'[includeIf "gitdir:**"]\n\tpath = {git / "pipe"}\n',
        "[extensions]\n\tworktreeConfig = true\n[core]\n\trepositoryformatversion = 99\n",
        "[core\n" + "x" * 100_000,
        "[alias]\n" + "".join(f"\ta{number} = !{command}\n" for number in range(30_000)),
    )
    _pipe(git / "pipe")
    if chance.random() < 0.8:
        _write(git / "config", "".join(chance.sample(lines, 2)))
    for name in (
        "config",
        "info/exclude",
        "commondir",
        "index",
        "HEAD",
        "config.worktree",
        "packed-refs",
    ):
        if chance.random() < 0.3:
            odd_file(git / name, place, chance)
    if chance.random() < 0.3:
        _write(
            git / "commondir", chance.choice((str(place.outside), "/dev", "../" * 1_000, "pipe"))
        )
    _write(git / "info" / "exclude", "ignored_*\n")


def items(place: Place, chance: random.Random) -> None:
    """Adds items that lead out, control a terminal, are not files or have endless metadata."""
    control = chance.choice(CONTROLS)
    run = f"!!python/object/apply:os.system ['touch {place.marks / 'yaml'}']"
    skill = f'---\nname: plain_thing\ndescription: "odd{control}"\nversion: {run}\n---\n'
    bomb = "a: &a [x]\n"
    for old, new in itertools.pairwise("abcdefghi"):
        bomb += f"{new}: &{new} [{', '.join([f'*{old}'] * 8)}]\n"
    _write(
        place.tree / ".claude" / "skills" / "plain_thing" / "SKILL.md",
        skill + f"# odd{control}heading\n",
    )
    _write(place.tree / ".claude" / "skills" / "bomb" / "SKILL.md", f"---\n{bomb}---\n# Bomb\n")
    _write(
        place.tree / ".claude" / "skills" / "long" / "SKILL.md",
        "---\n" + "key: &k [*k]\n" * 100_000 + "---\n",
    )
    _write(
        place.tree / ".ai" / "tools" / f"odd{control}tool.py",
        f'__version__ = "{control}"\n"""Says {control}"""\n',
    )
    _link(place.tree / ".ai" / "tools" / "out.py", place.outside / "precious.py")
    _link(place.tree / ".ai" / "knowledge", place.outside)
    _link(place.tree / ".claude" / "commands", "../..")
    for name in (
        ".claude/skills/odd/SKILL.md",
        ".cursor/rules/odd.mdc",
        "package.json",
        "Makefile",
        ".github/workflows/a.yml",
    ):
        odd_file(place.tree / name, place, chance)
    _write(place.tree / "package.json", '{"scripts": ' + '{"a": ' * 50_000)
    _write(
        place.tree / "Makefile",
        f"plain_thing: ; touch {place.marks / 'make'}\nx := $(shell touch {place.marks / 'make'})\n",
    )
    _write(place.tree / "README.md", f"# Odd {control} heading\n" + "[" * 100_000)


def packages(place: Place, chance: random.Random) -> None:
    """Adds packages that are elsewhere, are endless, or would run when asked about themselves."""
    site = place.tree / ".venv" / "lib" / "python3.11" / "site-packages"
    _write(
        place.tree / ".venv" / "pyvenv.cfg",
        f"home = {place.outside}\nversion = 3.11.2\ninclude-system-site-packages = true\n",
    )
    _write(place.tree / ".venv" / "bin" / "python", f"#!/bin/sh\ntouch {place.marks / 'python'}\n")
    _write(
        site / "odd.pth", f"import os; os.mkdir({str(place.marks / 'pth')!r})\n{place.outside}\n"
    )
    _write(site / "odd-1.dist-info" / "METADATA", "Metadata-Version: 2.1\nName: odd\nVersion: 1\n")
    _write(
        site / "odd-1.dist-info" / "RECORD",
        "../../../../../outside/precious.py,,\n/etc/passwd,,\nodd/a.py,,\n" * 1_000,
    )
    _write(site / "odd" / "a.py", "def plain_thing(): pass\n")
    _link(site / "odd" / "out.py", place.outside / "precious.py")
    _link(site / "out", place.outside)
    for name in ("METADATA", "RECORD", "direct_url.json"):
        odd_file(site / "other-2.dist-info" / name, place, chance)
    modules, control = place.tree / "node_modules", chance.choice(CONTROLS)
    _link(modules / "out", place.outside)
    _link(modules / "round", ".")
    _write(modules / "odd" / "package.json", '{"name": "odd", "version": "1.0.0", "main": "../../../outside/precious.py", '
           f'"types": "{control.encode("unicode_escape").decode()}", "exports": {{"./*": "../*"}}}}')  # fmt: skip
    _write(modules / "odd" / "index.js", "exports.plain_thing = function plain_thing() {}\n")
    odd_file(modules / "other" / "package.json", place, chance)
    go = (
        f"module a\n\nrequire x/y v1.0.0\nreplace x/y => {place.outside}\nreplace z => ../outside\n"
    )
    manifests = {"go.mod": go, "Gemfile.lock": "GEM\n  specs:\n" + "    a (1)\n" * 100_000,
                 "Cargo.lock": "[[package]]\nname = 1\n" * 50_000, "pom.xml": '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'
                 "<project><dependencies>" + "<dependency>" * 50_000,
                 "composer.json": '{"config": {"vendor-dir": "/"}}'}  # fmt: skip
    for name, content in manifests.items():
        if chance.random() < 0.5:
            odd_file(place.tree / name, place, chance)
        _write(place.tree / name, content)


def many(place: Place, _: random.Random) -> None:
    """Adds an unreasonable number of files."""
    for number in range(2_000):
        _write(
            place.tree / "many" / f"d{number % 50}" / f"f{number}.py",
            f"def many_{number}(): pass\n",
        )


TRAPS: Final[tuple[Trap, ...]] = (
    *(
        poison,
        pipes_and_devices,
        links,
        odd_names,
        deep_folders,
        unreadable,
        hard_link,
        huge,
        growing,
    ),
    *(
        ignore_files,
        settings,
        git_folder,
        git_folder,
        settings,
        ignore_files,
        many,
        items,
        items,
        packages,
    ),
)


def lay(place: Place, chance: random.Random) -> list[str]:
    """Makes a hostile tree, and the user's files outside it. Returns the names of its traps."""
    place.tree.mkdir(parents=True)
    place.marks.mkdir()
    _write(place.outside / "precious.py", f"def {SECRET}(): pass\n")
    _write(place.outside / "precious.txt", f"what the user has written, and {SECRET}\n")
    _write(place.outside / ".gitignore", "*\n")
    chosen = chance.sample(TRAPS, chance.randint(2, 7))
    for trap in chosen:
        trap(place, chance)
    _write(
        place.tree / "plain.py",
        "def plain_thing(): pass\nclass Plain:\n    def method(self): plain_thing()\n",
    )
    return [trap.__name__ for trap in chosen]
