"""The trust store: the accepted keys, their names, and where they are stored."""

import base64
import hashlib
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from symindex.errors import IntegrityError, RequestError, StorageError
from symindex.fetch import trust as trust_module
from symindex.fetch.keys import PublicKey, generate_signing_key, parse_public_key
from symindex.fetch.signature import check, sign
from symindex.fetch.trust import TrustStore, trust_folder

KEY, OTHER = generate_signing_key(), generate_signing_key()
PUBLIC = KEY.public


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "config" / "trust")


FORMS = {
    "OpenSSH": PUBLIC.line,
    "OpenSSH with a comment": f"{PUBLIC.line} alice@example.org\n",
    "PEM": PUBLIC.pem,
    "base64": base64.b64encode(PUBLIC.raw).decode(),
    "base64url": base64.urlsafe_b64encode(PUBLIC.raw).decode().rstrip("="),
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("as_file", [False, True])
def test_every_form_of_a_key(text: str, as_file: bool, store: TrustStore, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(text)
    added = store.add(str(tmp_path / "key") if as_file else text)
    assert added.key.raw == PUBLIC.raw and store.list() == [added]
    assert added.name == ("alice@example.org" if "alice" in text else added.name)
    assert store.add(text) == added  # adding it again changes nothing
    assert (
        store.called(PUBLIC.fingerprint) == [added] and store.called(OTHER.public.fingerprint) == []
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("", "not a public key: expected an Ed25519 key as an OpenSSH line"),
        ("nowhere", "nowhere: no such file, and not a public key"),
        (".", r"\.: not a regular file: name a file"),
        ("ssh-rsa AAAAB3NzaC1yc2E= x", "a key of the kind ssh-rsa: expected an Ed25519 key"),
        (PUBLIC.line[:-9], "not a public key"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "not a public key"),
        (KEY.pem.decode(), "this is a private key, which nobody else may see"),
        ("a\0b", "not a public key"),
        ("A" * 5_000, "File name too long"),
    ],
    ids=[
        "empty",
        "nowhere",
        "folder",
        "rsa",
        "cut",
        "no pem",
        "private",
        "nul",
        "long",
    ],  # the keys are new in each run
)
def test_what_is_no_key(given: str, words: str, store: TrustStore) -> None:
    with pytest.raises(RequestError, match=words):
        store.add(given)
    assert not store.folder.exists()


def test_keys_of_other_programs(store: TrustStore, tmp_path: Path) -> None:
    """Private keys of `ssh-keygen` can sign as well."""
    for passphrase in ("", "secret"):
        made = tmp_path / f"id{passphrase}"
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "me@here", "-f", made],
            check=True,
            timeout=30,
        )
    store.add(str(tmp_path / "id.pub"))
    signed = sign(b"x = 1\n", store.signing_key(tmp_path / "id"), "a.py")
    assert check(signed, store, "a.py").key_name == "me@here"
    for name, words in [
        ("idsecret", "has a passphrase, which symindex does not ask for"),
        ("id.pub", "not a private key"),
        ("no", "No such"),
    ]:
        with pytest.raises(RequestError, match=words):
            store.signing_key(tmp_path / name)
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-f", tmp_path / "ec"], check=True, timeout=30
    )
    with pytest.raises(RequestError, match="a key of another kind"):
        store.signing_key(tmp_path / "ec")


def test_names_and_fingerprints(store: TrustStore) -> None:
    first, second = store.add(PUBLIC.line, "alice"), store.add(OTHER.public.line, "bob")
    assert [key.name for key in store.list()] == ["alice", "bob"]
    for given, name, words in [
        (
            PUBLIC.line,
            "carol",
            "is already trusted, as alice; to rename it: symindex trust remove alice",
        ),
        (generate_signing_key().public.line, "ALICE", "another key is already called alice"),
        (generate_signing_key().public.line, "../x", "cannot be the name of a key"),
        (generate_signing_key().public.line, "x" * 65, "cannot be the name of a key"),
    ]:
        with pytest.raises(RequestError, match=words):
            store.add(given, name)
    for which, words in [
        ("carol", r"no key 'carol': the keys are alice \(SHA256"),
        ("SHA256:" + first.fingerprint[7:12], "needs 6 char"),
    ]:
        with pytest.raises(RequestError, match=words):
            store.remove(which)
    assert store.remove(first.fingerprint[7:15]) == first
    assert store.remove("bob") == second
    with pytest.raises(
        RequestError, match="none is trusted yet; add one with: symindex trust add KEY"
    ):
        store.remove("bob")


def test_a_prefix_that_two_keys_have(store: TrustStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add(PUBLIC.line, "alice")
    store.add(OTHER.public.line, "bob")
    monkeypatch.setattr(trust_module, "_SHORTEST_PREFIX", 0)
    with pytest.raises(
        RequestError,
        match=r"may mean several keys: alice \(SHA256:.*, bob .*; give more of the fingerprint",
    ):
        store.remove("")


def test_the_store_is_the_users_alone(store: TrustStore) -> None:
    key = store.make_key()
    store.add(PUBLIC.line, "alice")
    assert store.make_key().public == key.public and [
        trusted_key.name for trusted_key in store.list()
    ] == [
        "alice",
        "own",
    ]
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in store.folder.iterdir()} == {
        "alice.pub": 0o600, "own.key": 0o600, "own.pub": 0o600,
    }  # fmt: skip
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    assert (store.folder / "alice.pub").read_text() == f"{PUBLIC.line} alice\n"
    assert "PRIVATE" not in repr(key) + str(vars(key))


def test_another_process_makes_the_key_first(
    store: TrustStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make() -> object:
        store._files.write("own.key", [OTHER.pem])
        return KEY

    monkeypatch.setattr(trust_module, "generate_signing_key", make)
    assert store.make_key().public.raw == OTHER.public.raw == store.find("own").key.raw


def test_files_that_others_put_there(store: TrustStore, tmp_path: Path) -> None:
    store.add(PUBLIC.line, "alice")
    (store.folder / "notes.txt").write_text("x")
    (store.folder / "-odd.pub").write_text("x")
    assert [key.name for key in store.list()] == ["alice"]
    (store.folder / "bad.pub").write_text("x")
    with pytest.raises(
        StorageError,
        match=r"bad\.pub: not a public key: .*; delete the file, and add the key again",
    ):
        store.list()
    (store.folder / "bad.pub").unlink()
    (tmp_path / "key").write_text(OTHER.public.line)
    (store.folder / "link.pub").symlink_to(tmp_path / "key")
    with pytest.raises(StorageError, match=r"link\.pub: cannot be read: a symbolic link"):
        store.called(OTHER.public.fingerprint)


OPEN_MODES = [0o770, 0o720, 0o702, 0o777, 0o1777]


@pytest.mark.parametrize("mode", OPEN_MODES, ids=oct)
def test_a_folder_that_was_open_to_others_is_not_trusted(mode: int, store: TrustStore) -> None:
    """symindex does not repair the folder's mode either, since then nobody would check its
    content."""
    store.make_key()
    (store.folder / "planted.pub").write_text(PUBLIC.line)
    (store.folder / "planted.pub").chmod(0o600)
    store.folder.chmod(mode)
    signed = sign(b"x = 1\n", KEY, "a.py")
    asks: list[Callable[[], object]] = [
        store.list,
        store.make_key,
        lambda: store.find("planted"),
        lambda: store.add(OTHER.public.line),
        lambda: store.remove("planted"),
        lambda: check(signed, store, "a.py"),
    ]
    for ask in asks:
        with pytest.raises(StorageError) as caught:
            ask()
        message = str(caught.value)
        assert (
            "others may write to this folder, so nothing in it is trusted; look at its files"
            in message
            and "\n" not in message
        )
        assert message.endswith(f"chmod 700 {store.folder}")
    assert stat.S_IMODE(store.folder.stat().st_mode) == mode
    (store.folder / "planted.pub").unlink()
    store.folder.chmod(0o700)
    assert [key.name for key in store.list()] == ["own"]


def test_a_folder_that_others_could_only_read_is_closed(store: TrustStore) -> None:
    added = store.add(PUBLIC.line, "alice")
    store.folder.chmod(0o755)
    assert store.list() == [added] and stat.S_IMODE(store.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666], ids=oct)
def test_a_file_that_others_may_write_to_is_no_key(mode: int, store: TrustStore) -> None:
    store.add(PUBLIC.line, "alice")
    (store.folder / "alice.pub").chmod(mode)
    with pytest.raises(
        StorageError,
        match=r"alice\.pub: cannot be read: others may write to it; check whose key it is, delete",
    ):
        store.called(PUBLIC.fingerprint)
    (store.folder / "alice.pub").chmod(0o644)
    assert store.called(PUBLIC.fingerprint)


def test_a_private_key_that_others_may_read_signs_nothing(store: TrustStore) -> None:
    store.make_key()
    for mode in (0o640, 0o604):
        (store.folder / "own.key").chmod(mode)
        with pytest.raises(
            StorageError, match=r"own\.key: others may read your private key: delete it"
        ):
            store.make_key()
    (store.folder / "own.key").chmod(0o620)
    with pytest.raises(StorageError, match="others may write to it"):
        store.make_key()


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files to others"
)
def test_a_file_of_another_user_is_no_key(store: TrustStore) -> None:
    store.add(PUBLIC.line, "alice")
    os.chown(store.folder / "alice.pub", 12_345, 12_345)
    with pytest.raises(
        StorageError,
        match=r"alice\.pub: cannot be read: belongs to another user; check whose key it is",
    ):
        store.list()
    os.chown(store.folder / "alice.pub", 0, 0)
    os.chown(store.folder, 12_345, 12_345)
    with pytest.raises(
        StorageError,
        match="belongs to another user; move it away, and add the keys that you know again",
    ):
        store.list()


def test_a_folder_that_is_no_whole_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert TrustStore().folder == tmp_path / "symindex" / "trust"
    # A relative path is invalid, according to the specification.
    monkeypatch.setenv("XDG_CONFIG_HOME", "tree/config")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert TrustStore().folder == tmp_path / ".config" / "symindex" / "trust"
    monkeypatch.setenv("HOME", "tree")
    with pytest.raises(RequestError, match="HOME or XDG_CONFIG_HOME must be an absolute path"):
        trust_folder()


def test_pem_of_others_is_read_whatever_its_line_breaks() -> None:
    assert parse_public_key(PUBLIC.pem.replace("\n", "\r\n") + "\n\n").raw == PUBLIC.raw


def test_an_error_lists_at_most_five_keys(store: TrustStore) -> None:
    for number in range(5):
        store.add(generate_signing_key().public.line, f"key{number}")
    listed = ", ".join(f"{key.name} ({key.fingerprint})" for key in store.list())
    with pytest.raises(RequestError) as caught:
        store.find("other!")
    assert str(caught.value) == f"no key 'other!': the keys are {listed}"
    for name, more in (("z", 1), ("zz", 2)):
        store.add(generate_signing_key().public.line, name)
        with pytest.raises(RequestError) as caught:
            store.find("other")
        hint = "; a fingerprint needs 6 characters at least"
        assert str(caught.value) == f"no key 'other': the keys are {listed}, and {more} more{hint}"


def test_keys_are_listed_by_name_whatever_its_case(store: TrustStore) -> None:
    for name in ("b", "C", "A", "a.b"):
        store.add(generate_signing_key().public.line, name)
    assert [key.name for key in store.list()] == ["A", "a.b", "b", "C"]


def test_a_key_that_another_process_adds_meanwhile_stays(
    store: TrustStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = store.add(PUBLIC.line, "alice")
    monkeypatch.setattr(TrustStore, "list", lambda _: [])
    with pytest.raises(StorageError, match=r"alice\.pub: cannot be written: .*; check that it is"):
        store.add(OTHER.public.line, "alice")
    monkeypatch.undo()
    assert store.list() == [first]


def test_a_new_key_that_cannot_be_trusted_is_deleted(
    store: TrustStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(PUBLIC.line, "own")  # its name is taken
    with pytest.raises(RequestError, match="another key is already called own"):
        store.make_key()
    assert not (store.folder / "own.key").exists()

    def make() -> object:  # another process is faster
        store._files.write("own.key", [OTHER.pem])
        return KEY

    monkeypatch.setattr(trust_module, "generate_signing_key", make)
    with pytest.raises(RequestError, match="another key is already called own"):
        store.make_key()
    assert (store.folder / "own.key").read_bytes() == OTHER.pem
    store.remove("own")
    assert store.make_key().public.raw == OTHER.public.raw
    assert store.list() == []  # that process trusts it, or has failed


@pytest.mark.parametrize(
    ("comment", "name"),
    [
        ("me@here", "me@here"),
        ("  Ada Lovelace (home) ", "Ada-Lovelace-home"),
        ("--.x", "x"),
        ("é", ""),
        ("", ""),
        ("a" * 65, "a" * 64),
        ("_a", ""),
    ],
)
def test_the_name_of_a_key_without_one(comment: str, name: str, store: TrustStore) -> None:
    letters = "".join(filter(str.isalnum, PUBLIC.fingerprint.removeprefix("SHA256:")))
    assert store.add(f"{PUBLIC.line} {comment}").name == (name or f"key-{letters[:12]}")


def test_what_is_no_key_is_quoted_up_to_its_length(store: TrustStore, tmp_path: Path) -> None:
    for length in (100, 101):
        name = str(tmp_path / "x").ljust(length, "y")
        with pytest.raises(RequestError) as caught:
            store.add(name)
        shown = name if length == 100 else f"{name[:100]}..."
        assert str(caught.value).startswith(f"{shown}: no such file, and not a public key")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(RequestError, match="binary: not a public key: expected an OpenSSH line"):
        store.add(str(tmp_path / "binary"))
    (tmp_path / "text").write_text("no key")
    with pytest.raises(RequestError, match="text: not a public key: expected an Ed25519 key as"):
        store.add(str(tmp_path / "text"))
    for given in ("a\nb", " "):
        with pytest.raises(RequestError, match=r"^not a public key: expected an Ed25519 key"):
            store.add(given)


KINDS = {
    "ssh-rsa AAAA": "a key of the kind ssh-rsa", "ssh-dss AAAA x": "a key of the kind ssh-dss",
    "ecdsa-sha2-nistp256 AAAA": "a key of the kind ecdsa-sha2-nistp256",
    "sk-ssh-ed25519@openssh.com AAAA": "a key of the kind sk-ssh-ed25519@openssh.com",
    "ssh-rsa": "not a public key", "ssh-ed25519": "not a public key", "ssh-ed25519 AAAA": "not a public key",
    f"ssh-ed25519 {base64.b64encode(PUBLIC.raw).decode()}": "not a public key",
    base64.b64encode(PUBLIC.raw + b"x").decode(): "not a public key",
    base64.b64encode(PUBLIC.raw[:-1]).decode(): "not a public key",
    PUBLIC.line.replace(" ", "\n"): "not a public key", f"wrong {PUBLIC.line.split()[1]}": "not a public key",
    PUBLIC.pem.replace("PUBLIC KEY-----\n", "PUBLIC KEY-----", 1): "not a public key",
}  # fmt: skip


@pytest.mark.parametrize("given", KINDS, ids=range(len(KINDS)))
def test_keys_of_other_kinds(given: str) -> None:
    with pytest.raises(RequestError) as caught:
        parse_public_key(given)
    assert str(caught.value).startswith(f"{KINDS[given]}: expected an Ed25519 key as")


def test_the_comment_of_a_key_is_the_rest_of_its_line() -> None:
    for comment in ("", "a", "a b  c"):
        key = parse_public_key(f"  {PUBLIC.line}   {comment} \n")
        assert (key.raw, key.comment) == (PUBLIC.raw, comment)
        assert parse_public_key(key.line) == key
    assert parse_public_key(PUBLIC.pem) == PUBLIC


def test_the_names_of_a_key_in_signatures() -> None:
    pem = hashlib.sha256(PUBLIC.pem.encode()).hexdigest()
    raw = hashlib.sha256(PUBLIC.raw).hexdigest()
    assert all(map(PUBLIC.is_called, [PUBLIC.fingerprint, pem[:16], raw]))
    assert not any(map(PUBLIC.is_called, [pem, pem[:15], pem[:17], raw[:16], "", "SHA256:"]))
    assert PUBLIC.has_signed(b"a", KEY.sign(b"a")) and not PUBLIC.has_signed(b"b", KEY.sign(b"a"))
    assert not PUBLIC.has_signed(b"a", KEY.sign(b"a")[:-1])
    assert not PublicKey(b"short").has_signed(b"a", KEY.sign(b"a"))


def test_without_the_library_nothing_can_be_signed(
    store: TrustStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_bytes(KEY.pem)
    for name in ("", ".exceptions", ".hazmat.primitives.asymmetric.ed25519"):
        monkeypatch.setitem(sys.modules, f"cryptography{name}", None)
    for path in (None, tmp_path / "key"):
        with pytest.raises(
            IntegrityError, match=r"^nothing can be signed: the `cryptography` pack"
        ):
            store.signing_key(path)
    with pytest.raises(IntegrityError, match=r"^signatures cannot be checked: the `cryptography`"):
        PUBLIC.has_signed(b"a", b"b")


def test_the_file_of_a_key_may_be_a_link(store: TrustStore, tmp_path: Path) -> None:
    """The user names it."""
    for name, content in (("public", PUBLIC.line.encode()), ("private", KEY.pem)):
        (tmp_path / name).write_bytes(content)
        (tmp_path / f"link to {name}").symlink_to(name)
    assert store.add(str(tmp_path / "link to public")).key.raw == PUBLIC.raw
    assert store.signing_key(tmp_path / "link to private").public.raw == PUBLIC.raw


def test_a_key_that_is_gone_meanwhile_is_named(
    store: TrustStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = store.add(PUBLIC.line, "alice")
    (store.folder / "alice.pub").unlink()
    monkeypatch.setattr(TrustStore, "list", lambda _: [added])
    with pytest.raises(StorageError) as caught:
        store.remove("alice")
    assert str(caught.value) == f"{store.folder}: cannot be written: No such file or directory"
