"""Servers of git: they ask for passwords, redirect, vanish, say nothing, or send too much."""

import base64
import os
import time
from pathlib import Path

import pytest

from symindex.errors import RequestError, StorageError
from symindex.fleet.catalogue.repository import Limits
from symindex.fleet.sources.sync import sync
from tests.fleet.git_server import Answers, Asked, Rule, serving, silent
from tests.fleet.repositories import LIMITS, at, bring, commit, files_of, hash_of, make_repository

TOKEN = "s3cr3t-t0k3n"


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "web/team/there", {"a.py": "x = 1\n"})


def test_a_server_of_git(there: Path, tmp_path: Path) -> None:
    with serving(tmp_path / "web") as server:
        repository = at(f"{server.url}/team/there")
        done = bring(repository, tmp_path)
        assert (files_of(done), done.branch) == ({"a.py": b"x = 1\n"}, "main")
        server.asked.clear()
        assert bring(repository, tmp_path) == done
        # What has not changed costs one short question.
        assert [asked.path.rpartition("/")[2] for asked in server.asked] == [
            "refs?service=git-upload-pack",
            "git-upload-pack",
        ]
        commit(there, {"a.py": "x = 2\n"})
        assert files_of(bring(repository, tmp_path)) == {"a.py": b"x = 2\n"}


def needing_token(asked: Asked) -> Answers | None:
    expected = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
    if asked.headers.get("authorization") == f"Basic {expected}":
        return None
    return Answers(401, {"WWW-Authenticate": 'Basic realm="x"'})


def test_a_token_opens_a_repository_and_is_nowhere_else(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEB_TOKEN", TOKEN)
    with serving(tmp_path / "web", needing_token) as server:
        done = bring(at(f"{server.url}/team/there", token_env="WEB_TOKEN"), tmp_path)
    assert done.commit == hash_of(there)
    for path in (tmp_path / "ours").rglob("*"):
        assert path.is_dir() or TOKEN.encode() not in path.read_bytes()


@pytest.mark.parametrize("token", [None, "wrong"])
def test_a_password_is_asked_of_nobody(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    asking = tmp_path / "askpass"
    asking.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\necho x\n")
    asking.chmod(0o700)
    monkeypatch.setenv("GIT_ASKPASS", str(asking))
    monkeypatch.setenv("SSH_ASKPASS", str(asking))
    if token:
        monkeypatch.setenv("WEB_TOKEN", token)
    with serving(tmp_path / "web", needing_token) as server, pytest.raises(RequestError) as caught:
        bring(at(f"{server.url}/team/there", token_env="WEB_TOKEN" if token else ""), tmp_path)
    assert str(caught.value) == (
        f"{server.url}/team/there: asks for a password, or refuses the token: set token_env to the"
        " name of an environment variable with a token that may read it, or check that it still"
        " exists"
    )
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize("value", [None, "", "a\nb", "x" * 5_000, "\xe9"])
def test_what_is_no_token_is_said_without_it(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.delenv("WEB_TOKEN", raising=False)
    if value is not None:
        monkeypatch.setenv("WEB_TOKEN", value)
    with pytest.raises(RequestError) as caught:
        bring(at("https://example.org/a", token_env="WEB_TOKEN"), tmp_path)
    fault = "is no token: it is too long, or not one line"
    missing = "fleet.toml: [[repository]] 1: the environment has no WEB_TOKEN: set it to the token"
    expected = f"fleet.toml: [[repository]] 1: WEB_TOKEN {fault}" if value else missing
    assert str(caught.value) == expected


def moved(to: str) -> Rule:
    def rule(asked: Asked) -> Answers | None:
        if asked.path.startswith("/old/"):
            return Answers(301, {"Location": to + asked.path.removeprefix("/old")})
        return None

    return rule


def test_a_renamed_repository_is_followed_and_said(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEB_TOKEN", TOKEN)
    with serving(tmp_path / "web", moved("/team")) as server:
        for _ in range(2):
            done = bring(at(f"{server.url}/old/there", token_env="WEB_TOKEN"), tmp_path)
            assert done.commit == hash_of(there)
            assert done.notices == (
                f"{server.url}/old/there has moved to {server.url}/team/there: change the address"
                " in the catalogue",
            )


def test_a_redirect_to_another_server_gets_nothing(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEB_TOKEN", TOKEN)
    with serving(tmp_path / "web") as other, serving(None, moved(f"{other.url}/team")) as server:
        with pytest.raises(StorageError) as caught:
            bring(at(f"{server.url}/old/there", token_env="WEB_TOKEN"), tmp_path)
        assert str(caught.value) == (
            f"{server.url}/old/there: redirects to another server,"
            f" {other.url}/team/there/info/refs?service=git-upload-pack: if that is right, give that"
            " address in the catalogue"
        )
        assert other.asked == []


@pytest.mark.parametrize(
    ("to", "fault"),
    [
        ("/old", "redirects more than 3 times: give the address that it leads to"),
        (
            "file:///etc",
            "redirects to 'file:///etc/there/info/refs?service=git-upload-pack', which",
        ),
        ("http://[", "which is no address of a repository"),
        ("/login?to=", "which is no git repository"),
    ],
)
def test_odd_redirects(tmp_path: Path, to: str, fault: str) -> None:
    with serving(None, moved(to)) as server, pytest.raises((StorageError, RequestError)) as caught:
        bring(at(f"{server.url}/old/there"), tmp_path)
    assert fault in str(caught.value)


def says(status: int, body: bytes = b"", **headers: str) -> Rule:
    return lambda _: Answers(status, headers, body)


FAULTS: dict[str, tuple[Rule, str]] = {
    "gone": (says(404), "there is no such repository any more, or it may not be read"),
    "gone for good": (says(410), "there is no such repository any more"),
    "forbidden": (says(403), "asks for a password, or refuses the token"),
    "broken": (says(500), "git fails: fatal: unable to access"),
    "a page": (says(200, b"<html>hello"), "answers with a page, and not as a git server"),
    "nothing": (says(200), "answers with a page, and not as a git server"),
    "a redirect to nowhere": (says(302), "redirects, and does not say where to"),
    "escapes": (
        says(200, b"003fERR \x1b[31mhello" + b"x" * 48 + b"\n"),
        "git fails: ",
    ),
}


@pytest.mark.parametrize(("rule", "fault"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_server_is_one_sentence(tmp_path: Path, rule: Rule, fault: str) -> None:
    with serving(None, rule) as server, pytest.raises((StorageError, RequestError)) as caught:
        bring(at(f"{server.url}/team/there"), tmp_path)
    text = str(caught.value)
    assert text.startswith(f"{server.url}/team/there: ") and fault in text
    assert "\n" not in text and "\x1b" not in text and len(text) < 500


def test_a_repository_without_a_commit_on_a_server(tmp_path: Path) -> None:
    make_repository(tmp_path / "web/there")
    with serving(tmp_path / "web") as server:
        done = bring(at(f"{server.url}/there"), tmp_path)
    assert (done.commit, done.notices) == ("", (f"{server.url}/there: has no commit yet",))


def test_a_login_page_does_not_empty_a_repository(there: Path, tmp_path: Path) -> None:
    is_behind_login = False

    def rule(asked: Asked) -> Answers | None:
        return Answers(200, {"Content-Type": "text/html"}, b"<html>") if is_behind_login else None

    with serving(tmp_path / "web", rule) as server:
        done = bring(at(f"{server.url}/team/there"), tmp_path)
        is_behind_login = True
        with pytest.raises(StorageError, match="answers with a page"):
            bring(at(f"{server.url}/team/there"), tmp_path)
    assert files_of(done) == {"a.py": b"x = 1\n"}


def test_a_server_without_git(there: Path, tmp_path: Path) -> None:
    """Files that a web server offers as they are."""
    info = (f"{hash_of(there)}\trefs/heads/main\n").encode()

    def rule(asked: Asked) -> Answers | None:
        if "/info/refs" in asked.path:
            return Answers(200, {"Content-Type": "text/plain"}, info)
        return Answers(200, {}, b"ref: refs/heads/main\n") if "HEAD" in asked.path else None

    with serving(None, rule) as server, pytest.raises(RequestError, match="offers only files"):
        bring(at(f"{server.url}/there"), tmp_path)


def test_a_server_that_says_nothing(tmp_path: Path) -> None:
    began = time.monotonic()
    with silent() as url, pytest.raises(StorageError) as caught:
        sync(at(f"{url}/there"), tmp_path / "ours", Limits(seconds=0.5))
    expected = f"{url}/there: not done within 0.5 s: try again, or raise `seconds`"
    assert str(caught.value) == expected
    assert time.monotonic() - began < 5


def test_a_question_has_less_time_than_a_fetch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symindex.fleet.sources.git_remote.RESOLVE_SECONDS", 0.3)
    with silent() as url, pytest.raises(StorageError, match=r"not done within 0\.3 s"):
        bring(at(f"{url}/there"), tmp_path)


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with silent() as url:
        pass
    with pytest.raises(StorageError, match="the server does not accept connections: try again"):
        bring(at(f"{url}/there"), tmp_path)


def test_no_other_protocol_is_spoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if an address comes here that the catalogue would refuse."""
    marked = tmp_path / "ran"
    for location in (f"ext::touch {marked}", "git://127.0.0.1:1/x", "ftp://127.0.0.1:1/x"):
        with pytest.raises((RequestError, StorageError)):
            bring(at(location), tmp_path)
    assert not marked.exists()


def test_a_cancelled_fetch_ends_soon(tmp_path: Path) -> None:
    began = time.monotonic()
    with silent() as url, pytest.raises(StorageError, match="cancelled"):
        sync(
            at(f"{url}/there"),
            tmp_path / "ours",
            LIMITS,
            is_cancelled=lambda: time.monotonic() > began + 0.3,
        )
    assert time.monotonic() - began < 5


def test_a_fetch_that_is_too_large_ends_early(tmp_path: Path) -> None:
    make_repository(tmp_path / "web/there", {"a.bin": os.urandom(3_000_000)})
    with (
        serving(tmp_path / "web") as server,
        pytest.raises(RequestError, match="fetches more than"),
    ):
        bring(at(f"{server.url}/there"), tmp_path, Limits(max_repository_bytes=500_000, seconds=60))


def test_ssh_is_the_users_own_and_asks_nothing(
    there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin/ssh"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/words\nfor last; do :; done\nexec sh -c "$last"\n'
    )
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    done = bring(at(f"git@example.org:{there}"), tmp_path)
    assert done.commit == hash_of(there)
    assert "-oBatchMode=yes" in (tmp_path / "words").read_text()
    own = tmp_path / "own"
    program.rename(own)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(own))
    commit(there, {"a.py": "x = 2\n"})
    assert bring(at(f"git@example.org:{there}"), tmp_path).commit == hash_of(there)
    assert "BatchMode" not in (tmp_path / "words").read_text()
