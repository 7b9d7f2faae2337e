"""The commands for signatures: output, exit codes, and one line for each error."""

import json
import os
from pathlib import Path

import pytest

from symindex.fetch.keys import generate_signing_key
from symindex.fetch.signature import check
from symindex.fetch.trust import TrustStore
from tests.support.command import run
from tests.support.files import write_files

KEY = generate_signing_key()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def test_keys(home: Path) -> None:
    ran = run("trust", "list")
    assert (ran.code, ran.out, ran.err) == (
        1,
        "",
        "symindex: you do not trust any keys yet: use `symindex trust add KEY`\n",
    )
    ran = run("trust", "add", KEY.public.line, "--name", "alice")
    assert (ran.code, ran.out, ran.err) == (0, f"trusted: {KEY.public.fingerprint}  alice\n", "")
    write_files(home, {"bob.pub": generate_signing_key().public.line + " bob\n"})
    assert json.loads(run("trust", "add", str(home / "bob.pub"), "--json").out)[0]["name"] == "bob"
    ran = run("trust", "list")
    assert ran.code == 0 and [line.split()[1] for line in ran.out.splitlines()] == ["alice", "bob"]
    (first, _) = json.loads(run("trust", "list", "--json").out)
    assert first == {
        "name": "alice",
        "fingerprint": KEY.public.fingerprint,
        "key": f"{KEY.public.line} alice",
    }
    assert (
        run("trust", "remove", KEY.public.fingerprint[:14]).out
        == f"no longer trusted: {KEY.public.fingerprint}  alice\n"
    )
    assert run("trust", "remove", "bob", "--json").code == 0
    assert run("trust", "list", "--json").out == "[]\n"


def test_signing(home: Path) -> None:
    write_files(
        home, {"a.md": "# Title\n", "b/c.py": "#!/usr/bin/python\nx = 1\n", "key.pem": KEY.pem}
    )
    (home / "b" / "c.py").chmod(0o755)
    names = [str(home / "a.md"), str(home / "b" / "c.py")]
    ran = run("sign", *names)
    (own,) = TrustStore().list()
    assert (ran.code, ran.err) == (0, "") and own.name == "own"
    assert [line.split()[:3] for line in ran.out.splitlines()] == [
        ["signed:", name, own.fingerprint] for name in names
    ]
    assert all(
        check(Path(name).read_bytes(), TrustStore(), name).state == "valid" for name in names
    )
    assert (home / "b" / "c.py").stat().st_mode & 0o777 == 0o755
    assert sorted(os.listdir(home / "b")) == ["c.py"]
    ran = run("sign", names[0], "--key", str(home / "key.pem"), "--json")
    (said,) = json.loads(ran.out)
    assert said.keys() == {"file", "key", "signed_at"} and said["key"] == KEY.public.fingerprint
    verdict = check((home / "a.md").read_bytes(), TrustStore(), "a.md")
    assert verdict.state == "unknown key" and "symindex trust add KEY" in verdict.message
    assert run("trust", "add", KEY.public.line, "--name", "alice").code == 0
    assert check((home / "a.md").read_bytes(), TrustStore(), "a.md").key_name == "alice"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trust", "add", "nowhere"], "no such file, and not a public key"),
        (["trust", "remove", "nobody"], "none is trusted yet"),
        (["trust", "nonsense"], "No such command 'nonsense'"),
        (["trust"], "Commands:"),
        (["sign"], "Missing argument"),
        (
            ["sign", "good.md", "nowhere.md"],
            "'nowhere.md': No such file or directory: name a file to sign",
        ),
        (["sign", "good.md", "package.json"], "package.json: cannot have a signature line"),
        (
            ["sign", "good.md", "link.md"],
            "'link.md': a symbolic link: name the file that it leads to",
        ),
        (["sign", "good.md", "."], "not a regular file"),
        (
            ["sign", "good.md", "--key", "nowhere"],
            "nowhere: No such file or directory: name a file with an Ed25519 private key",
        ),
        (["sign", "good.md", "--key", "good.md"], "good.md: not a private key"),
    ],
)
def test_mistakes(
    arguments: list[str], words: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one file cannot be signed, none is signed."""
    write_files(home, {"good.md": "# Title\n", "package.json": "{}"})
    (home / "link.md").symlink_to("good.md")
    monkeypatch.chdir(home)
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "") and words in ran.err
    assert ran.err.count("\n") == 1 or arguments == ["trust"]
    assert (home / "good.md").read_text() == "# Title\n"
