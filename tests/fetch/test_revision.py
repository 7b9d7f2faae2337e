"""Files at revisions: which ones are found; git runs nothing in a stranger's repository."""

import os
import subprocess
from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.explore import git_objects
from symindex.fetch.item_content import file_at_revision
from tests.support.files import write_files

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    **{f"GIT_{who}_{what}": "x@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", root, *words],
        env=ENVIRONMENT,
        check=True,
        capture_output=True,
        text=True,
        timeout=30,
    )
    return done.stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for number in (1, 2, 3):
        write_files(
            root,
            {
                "src/a.py": f"x = {number}\n",
                f"src/only{number}.py": "",
                "odd [name]*.py": "odd",
                "Ü.py": b"\xff\0\r\n",
            },
        )
        (root / "link.py").unlink(missing_ok=True)
        (root / "link.py").symlink_to("src/a.py")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", f"{number}")
        git(root, "tag", f"v1.{number}")
    write_files(root, {"src/a.py": "x = 'not committed'\n"})
    return root


def test_a_file_at_each_revision(root: Path) -> None:
    first = git(root, "rev-parse", "v1.1")
    for version, text in [
        ("v1.1", "1"),
        ("HEAD", "3"),
        ("main~1", "2"),
        (first, "1"),
        (first[:9], "1"),
        ("v1.3^", "2"),
        ("@", "3"),
    ]:
        assert file_at_revision(root, "src/a.py", version) == f"x = {text}\n".encode()
    assert (
        file_at_revision(root / "src", "a.py", "v1.2") == b"x = 2\n"
    )  # a root inside the repository
    assert file_at_revision(root, "odd [name]*.py", "HEAD") == b"odd"
    assert file_at_revision(root, "Ü.py", "HEAD") == b"\xff\0\r\n"
    assert (root / "src/a.py").read_text() == "x = 'not committed'\n"


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("path", "version", "words"),
    [
        ("src/a.py", "v9", r"has no version 'v9'; it has the tags v1\.\d, v1\.\d, v1\.\d$"),
        ("src/a.py", "v1.30", r"has no version 'v1\.30'; it has the tags v1\.3"),
        ("src/only3.py", "v1.1", r"src/only3\.py is not there at version 'v1\.1'; it has the tags v1\.\d, v1\.\d$"),
        ("src", "v1.1", "src is a folder at version"),
        ("link.py", "v1.1", r"link\.py is a symbolic link at version"),
        ("../tree/src/a.py", "HEAD", "is not a path below"),
        ("/etc/passwd", "HEAD", "is not a path below"),
        *[("src/a.py", bad, "is not a revision: expected a tag, a branch, a hash") for bad in [
            "", "-h", "--output=x", "--upload-pack=x", "HEAD:src/a.py", "a b", "a\nb", "a\0b", "x" * 201,
        ]],
        ("src/a.py", "HEAD^{tree}", "has no version"),
        ("src/a.py", "HEAD@{nonsense}", "has no version"),
        ("src/a.py", "*", "has no version"),
    ],
)  # fmt: skip
def test_what_is_not_there(path: str, version: str, words: str, root: Path) -> None:
    with pytest.raises(RequestError, match=words) as caught:
        file_at_revision(root, path, version)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_sizes_and_places(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RequestError, match="has 6 bytes, more than 5"):
        file_at_revision(root, "src/a.py", "HEAD", 5)
    assert file_at_revision(root, "src/a.py", "HEAD", 6) == b"x = 3\n"
    assert file_at_revision(root, "src/only1.py", "HEAD") == b""
    with pytest.raises(
        RequestError, match="not in a git repository, so nothing is known about earlier versions"
    ):
        file_at_revision(tmp_path, "a.py", "HEAD")
    (tmp_path / "fake" / ".git").mkdir(parents=True)
    with pytest.raises(RequestError, match="git does not read this repository"):
        file_at_revision(tmp_path / "fake", "a.py", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(root / ".git"))  # as in a hook
    with pytest.raises(RequestError, match="git does not read this repository"):
        file_at_revision(tmp_path / "fake", "a.py", "HEAD")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RequestError, match="git is not installed"):
        file_at_revision(root, "src/a.py", "HEAD")


def test_nothing_of_a_repository_runs(root: Path, tmp_path: Path) -> None:
    """The configuration, attributes and hooks of the repository name programs."""
    proof = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{proof}'\nexit 1\n")
    program.chmod(0o755)
    for name in [
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy",
        "core.alternateRefsCommand",
        "diff.external", "diff.x.textconv", "diff.x.command", "filter.x.smudge", "filter.x.clean", "filter.x.process",
        "credential.helper", "gpg.program", "pager.cat-file", "pager.ls-tree", "pager.rev-parse", "pager.for-each-ref",
        "interactive.diffFilter", "remote.origin.uploadpack", "alias.cat-file", "alias.rev-parse", "alias.ls-tree",
        "uploadpack.packObjectsHook", "sequence.editor",
    ]:  # fmt: skip
        git(root, "config", name, str(program))
    git(root, "config", "alias.for-each-ref", f"!{program}")
    git(root, "config", "filter.x.required", "true")
    git(root, "config", "protocol.allow", "always")
    git(root, "config", "core.hooksPath", str(tmp_path / "hooks"))
    write_files(
        root, {".git/info/attributes": "* filter=x diff=x working-tree-encoding=UTF-16 eol=crlf\n"}
    )
    for hook in (
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
    ):
        write_files(tmp_path, {f"hooks/{hook}": program.read_text()})
        (tmp_path / "hooks" / hook).chmod(0o755)
    assert file_at_revision(root, "src/a.py", "v1.1") == b"x = 1\n"
    with pytest.raises(RequestError, match="it has the tags"):
        file_at_revision(root, "src/none.py", "v1.1")
    assert not proof.exists()


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "url",
    ["ext::sh -c 'echo >PROOF'", "file://SOURCE", "PROGRAM@host:x", "ssh://-oProxyCommand=x/y"],
)
def test_nothing_that_is_missing_is_fetched(url: str, root: Path, tmp_path: Path) -> None:
    """A partial clone fetches nothing from its remote, by any program or address in its
    configuration."""
    proof = tmp_path / "proof"
    blob = git(root, "rev-parse", "HEAD:src/a.py")
    git(root, "config", "extensions.partialClone", "origin")
    git(root, "config", "core.repositoryFormatVersion", "1")
    git(root, "config", "remote.origin.promisor", "true")
    git(
        root,
        "config",
        "remote.origin.url",
        url.replace("PROOF", str(proof)).replace("SOURCE", str(root)),
    )
    git(root, "config", "remote.origin.uploadpack", f"touch {proof}; git-upload-pack")
    git(root, "config", "protocol.ext.allow", "always")
    git(root, "config", "core.sshCommand", f"touch {proof}; false")
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(RequestError, match=r"only parts|cannot be read"):
        file_at_revision(root, "src/a.py", "HEAD")
    assert not proof.exists()


def test_replaced_and_grafted_history_does_not_count(root: Path) -> None:
    git(
        root,
        "replace",
        git(root, "rev-parse", "HEAD:src/a.py"),
        git(root, "rev-parse", "v1.1:src/a.py"),
    )
    git(root, "replace", git(root, "rev-parse", "v1.2"), git(root, "rev-parse", "v1.1"))
    write_files(
        root,
        {
            ".git/info/grafts": f"{git(root, 'rev-parse', 'HEAD')} {git(root, 'rev-parse', 'v1.1')}\n"
        },
    )
    assert file_at_revision(root, "src/a.py", "HEAD") == b"x = 3\n"
    assert (
        file_at_revision(root, "src/a.py", "v1.2")
        == file_at_revision(root, "src/a.py", "HEAD~1")
        == b"x = 2\n"
    )


def test_git_that_does_not_answer_is_not_waited_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_objects, "SECONDS", 0.5)
    write_files(root.parent, {"bin/git": "#!/bin/sh\nsleep 60\n"})
    (root.parent / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(root.parent / "bin") + os.pathsep + os.environ["PATH"])
    with pytest.raises(RequestError, match=r"git did not answer within 0.5 s"):
        file_at_revision(root, "src/a.py", "HEAD")
