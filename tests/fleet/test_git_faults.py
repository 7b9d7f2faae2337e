"""What git says when it fails, and the sentence that people get."""

import pytest

from symindex.errors import RequestError, StorageError, SymindexError
from symindex.fleet.sources.git_faults import git_fault, late_fault

URL = "https://example.org/team/web"

SAID: dict[str, tuple[type[SymindexError], str]] = {
    "fatal: could not read Username for 'https://example.org': terminal prompts disabled": (RequestError, "asks for a password"),
    "git@example.org: Permission denied (publickey).": (RequestError, "asks for a password"),
    "fatal: unable to access 'x': The requested URL returned error: 403": (RequestError, "asks for a password"),
    "remote: Repository not found.\nfatal: repository 'https://x/' not found": (RequestError, "there is no such repository any more"),
    "remote: The project you were looking for could not be found\nfatal: repository 'x' not found": (RequestError, "there is no such repository any more"),
    "Host key verification failed.": (RequestError, "ssh does not know the key of the server"),
    "fatal: couldn't find remote ref refs/heads/x": (RequestError, "the branch or tag has gone"),
    "fatal: unable to access 'x': Could not resolve host: example.org": (StorageError, "there is no machine of that name"),
    "ssh: Could not resolve hostname example.org: Name or service not known": (StorageError, "there is no machine of that name"),
    "fatal: unable to access 'x': Failed to connect to 127.0.0.1 port 1": (StorageError, "does not accept connections"),
    "ssh: connect to host x port 22: Connection timed out": (StorageError, "the server is too slow"),
    "error: RPC failed; curl 28 Operation too slow. Less than 100 bytes/sec": (StorageError, "the server is too slow"),
    "fatal: unable to access 'x': SSL certificate problem: self signed certificate": (StorageError, "the certificate of the server is not trusted"),
    "fatal: dumb http transport does not support shallow capabilities": (RequestError, "offers only files, and no git"),
    "fatal: detected dubious ownership in repository at '/x'": (RequestError, "belongs to another user of this machine"),
    "error: object 1: hasDotdot: contains '..'\nfatal: fsck error in packed object": (StorageError, "damaged, incomplete or forged"),
    "fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output": (StorageError, "our disk is full"),
    "fatal: transport 'ext' not allowed": (RequestError, "git does not know the protocol"),
    "warning: x\nfatal: something new \x1b[31m\nmore": (StorageError, r"git fails: fatal: something new \x1b[31m; try again"),
    "": (StorageError, "git fails: it says nothing; try again"),
    "\xff": (StorageError, "git fails: \xff; try again"),
    "x" * 5_000: (StorageError, "git fails: xxx"),
}  # fmt: skip


@pytest.mark.parametrize(("said", "expected"), SAID.items(), ids=[text[:40] for text in SAID])
def test_what_people_get(said: str, expected: tuple[type[SymindexError], str]) -> None:
    error = git_fault(said.encode(), URL)
    assert type(error) is expected[0]
    text = str(error)
    assert text.startswith(f"{URL}: ") and expected[1] in text
    assert "\n" not in text and "\x1b" not in text and len(text) < 400


def test_a_hostile_text_takes_no_time() -> None:
    git_fault(b"Repository " * 9_000, URL)
    git_fault(b"project " * 12_000, URL)


def test_the_time_that_was_up() -> None:
    assert (
        str(late_fault(URL, 600.0))
        == f"{URL}: not done within 600 s: try again, or raise `seconds`"
    )
