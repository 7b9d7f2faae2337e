"""`fleet.toml`: what it may say, and what each mistake is told."""

from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.fleet.catalogue.catalogue import read_catalogue
from symindex.fleet.catalogue.names import clashes, why_bad_name, why_bad_ref
from symindex.fleet.catalogue.repository import Limits
from tests.support.files import write_files


def read(folder: Path, text: str) -> list[tuple[str, str, str, str]]:
    write_files(folder, {"fleet.toml": text})
    catalogue = read_catalogue(folder / "fleet.toml")
    return [
        (row.name, row.kind, row.location.replace(str(folder), "TMP"), row.ref)
        for row in catalogue.repositories
    ]


def test_everything_at_once(tmp_path: Path) -> None:
    text = """
store = "s3://fleet"
source_folder = "sources"
max_files = 10
seconds = 5

[[repository]]
url = "https://github.com/pallets/click.git"
token_env = "GH"

[[repository]]
url = "git@example.org:team/web.git"
refs = ["main", "v1.2"]

[[repository]]
folder = "../local/tools"

[[repository]]
archive = "src.zip"
name = "jdk"

[[list]]
file = "urls.txt"
token_env = "GH"

[[organisation]]
forge = "github"
name = "pallets"

[[organisation]]
forge = "gitlab"
url = "https://git.example.org/api/v4/"
name = "team/platform"
include = ["*/web-*"]
forks = true
"""
    lines = "# ours\n\nhttps://example.org/a/one  # the first\nhttps://example.org/a/two.git name=b/2 ref=dev\n"
    write_files(tmp_path, {"urls.txt": lines})
    assert read(tmp_path, text) == [
        ("pallets/click", "git", "https://github.com/pallets/click.git", ""),
        ("team/web@main", "git", "git@example.org:team/web.git", "main"),
        ("team/web@v1.2", "git", "git@example.org:team/web.git", "v1.2"),
        ("tools", "folder", str(tmp_path.parent / "local/tools"), ""),
        ("jdk", "archive", "TMP/src.zip", ""),
        ("a/one", "git", "https://example.org/a/one", ""),
        ("b/2", "git", "https://example.org/a/two.git", "dev"),
    ]
    catalogue = read_catalogue(tmp_path / "fleet.toml")
    assert catalogue.limits == Limits(max_files=10, seconds=5)
    assert (catalogue.store, catalogue.source_folder) == ("s3://fleet", str(tmp_path / "sources"))
    assert [row.token_env for row in catalogue.repositories] == ["GH", "", "", "", "", "GH", "GH"]
    assert [row.url for row in catalogue.organisations] == [
        "https://api.github.com",
        "https://git.example.org/api/v4",
    ]
    assert catalogue.repositories[5].place == f"{tmp_path}/urls.txt:3"


def test_an_empty_catalogue(tmp_path: Path) -> None:
    assert read(tmp_path, "") == []


def entry(*lines: str) -> str:
    return "\n".join(["[[repository]]", *lines, ""])


ONE = "TMP/fleet.toml: [[repository]] 1"

FAULTS: dict[str, tuple[str, str]] = {
    "no TOML": ("[[repository]\n", "TMP/fleet.toml: not TOML: Expected ']]' at the end of an array declaration (at line 1, column 13)"),
    "an unknown key": (entry('urls = "x"'), f"{ONE}: Object contains unknown field `urls`; similar: url; the keys are url, folder, archive, name, ref, refs, token_env"),
    "an unknown key at the top": ("stor = 1\n", "TMP/fleet.toml: Object contains unknown field `stor`; similar: store; the keys are repository, list, organisation, store, source_folder, max_repository_bytes, max_files, seconds"),
    "a key like no other": (entry('colour = "x"'), f"{ONE}: Object contains unknown field `colour`; the keys are url, folder, archive, name, ref, refs, token_env"),
    "a table in the plural": ('[[repositories]]\nurl = "x"\n', "TMP/fleet.toml: Object contains unknown field `repositories`; similar: repository, max_repository_bytes; the keys are repository, list, organisation, store, source_folder, max_repository_bytes, max_files, seconds"),
    "a key of a list": ('[[list]]\nfiles = "x"\n', "TMP/fleet.toml: [[list]] 1: Object contains unknown field `files`; similar: file; the keys are file, token_env"),
    "a misspelt forge": ('[[organisation]]\nforge = "gitlub"\nname = "a"\n', "TMP/fleet.toml: [[organisation]] 1 (a): Invalid enum value 'gitlub' - at `$.forge`; similar: gitlab, github; the keys are forge, name, url, token_env, include, exclude, archived, forks"),
    "a wrong type": (entry('url = "https://example.org/a/b"', "ref = 1"), f"{ONE} (https://example.org/a/b): Expected `str`, got `int` - at `$.ref`; the keys are url, folder, archive, name, ref, refs, token_env"),
    "a wrong limit": ("max_files = 0\n", "TMP/fleet.toml: Expected `int` >= 1 - at `$.max_files`; the keys are max_repository_bytes, max_files, seconds"),
    "no source": (entry('name = "a"'), f"{ONE} (a): expected one of url, folder and archive, but has none of them"),
    "two sources": (entry('url = "https://example.org/a"', 'folder = "x"'), f"{ONE} (https://example.org/a): expected one of url, folder and archive, but has url and folder"),
    "a ref of a folder": (entry('folder = "x"', 'ref = "main"'), f"{ONE} (x): only a url has a ref, refs or a token_env"),
    "ref and refs": (entry('url = "https://example.org/a"', 'ref = "b"', 'refs = ["c"]'), f"{ONE} (https://example.org/a): has ref and refs: give only refs"),
    "a ref twice": (entry('url = "https://example.org/a"', 'refs = ["c", "c"]'), f"{ONE} (https://example.org/a): refs has an empty name, or one name twice"),
    "a ref like an option": (entry('url = "https://example.org/a"', 'ref = "--upload-pack=x"'), f"{ONE} (https://example.org/a): ref '--upload-pack=x': git accepts no branch and no tag of that name; give a branch or a tag"),
    "a token in the file": (entry('url = "https://example.org/a"', 'token_env = "ghp_x y"'), f"{ONE} (https://example.org/a): token_env names no environment variable, such as FLEET_TOKEN"),
    "a token for ssh": (entry('url = "git@example.org:a/b"', 'token_env = "T"'), f"{ONE} (git@example.org:a/b): token_env is for addresses that begin with https://"),
    "a password": (entry('url = "https://u:secret@example.org/a"'), f"{ONE} (https://example.org/a): 'https://example.org/a' contains a user or a password, which messages would show: put the token into an environment variable, and name that as token_env"),
    "a bad name": (entry('url = "https://example.org/a"', 'name = "a/../b"'), f"{ONE} (a/../b): name 'a/../b': its part '..' is no name of a folder"),
    "a bad default name": (entry('url = "https://example.org/a/-b"'), f"{ONE} (https://example.org/a/-b): name 'a/-b': its part '-b' begins with a hyphen; give it a name"),
    "a list that is not there": ('[[list]]\nfile = "gone.txt"\n', "TMP/gone.txt: cannot be read: No such file or directory"),
    "an unknown forge": ('[[organisation]]\nforge = "x"\nname = "a"\n', "TMP/fleet.toml: [[organisation]] 1 (a): Invalid enum value 'x' - at `$.forge`; the keys are forge, name, url, token_env, include, exclude, archived, forks"),
    "no API": ('[[organisation]]\nforge = "gitea"\nname = "a"\n', "TMP/fleet.toml: [[organisation]] 1 (a): gitea needs the url of its API, such as https://git.example.org/api/v1"),
    "an API without encryption": ('[[organisation]]\nforge = "gitea"\nname = "a"\nurl = "http://git.example.org/api/v1"\n', "TMP/fleet.toml: [[organisation]] 1 (a): http://git.example.org/api/v1 is not encrypted: give the https address"),
    "one name twice": (entry('url = "https://example.org/A/b"') + entry('url = "https://example.com/a/B"'), "TMP/fleet.toml: two entries have one name: 'A/b' (TMP/fleet.toml: [[repository]] 1 (https://example.org/A/b)) and 'a/B' (TMP/fleet.toml: [[repository]] 2 (https://example.com/a/B)): give one of them another name"),
    "a name in another": (entry('url = "https://example.org/a/b/c"') + entry('folder = "x"', 'name = "a/b"'), "TMP/fleet.toml: two entries have names of which one is a folder of the other: 'a/b/c' (TMP/fleet.toml: [[repository]] 1 (https://example.org/a/b/c)) and 'a/b' (TMP/fleet.toml: [[repository]] 2 (a/b)): give one of them another name"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "fault"), FAULTS.values(), ids=FAULTS)
def test_a_mistake_names_its_entry_and_what_is_right(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(RequestError) as caught:
        read(tmp_path, text)
    assert str(caught.value).replace(str(tmp_path), "TMP") == fault


@pytest.mark.parametrize(
    "line",
    ["https://example.org/a x", "https://example.org/a name=", "https://example.org/a ref=a ref=b"],
)
def test_a_mistake_in_a_list_names_its_line(tmp_path: Path, line: str) -> None:
    write_files(tmp_path, {"urls.txt": f"# x\n{line}\n"})
    with pytest.raises(RequestError, match=r"urls\.txt:2: '.*' is not understood: after the"):
        read(tmp_path, '[[list]]\nfile = "urls.txt"\n')


@pytest.mark.parametrize(
    "line", ["ext::sh", "https://example.org/ ref=x", "- x=1", "https://example.org/a ref=-x"]
)
def test_a_bad_address_in_a_list_names_its_line(tmp_path: Path, line: str) -> None:
    write_files(tmp_path, {"urls.txt": f"https://example.org/ok\n{line}\n"})
    with pytest.raises(RequestError, match=r"^\S+/urls\.txt:2: "):
        read(tmp_path, '[[list]]\nfile = "urls.txt"\n')


def test_a_catalogue_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="there is no such file: write one with an entry"):
        read_catalogue(tmp_path / "fleet.toml")
    with pytest.raises(RequestError, match="cannot be read"):
        read_catalogue(tmp_path)


@pytest.mark.parametrize("text", ["x = " + "[" * 5_000, "a." * 5_000 + "b = 1", "\udcff"])
def test_hostile_toml_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "fleet.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RequestError) as caught:
        read_catalogue(tmp_path / "fleet.toml")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "name", ["a", "pallets/click", ".github", "a/.github", "a b", "x@release/1", "Ä/é", "a" * 200]
)
def test_names_that_may_be(name: str) -> None:
    assert why_bad_name(name) == ""


@pytest.mark.parametrize(
    "name",
    ["", "/a", "a/", "a//b", ".", "a/..", "-a", "a/-b", ".git", "a/.GIT/b", ".git.", "a\nb", "a\x00", "a\u2028b", "a\u202eb",
     "a\\b", "repo:x", "a*", "a" * 201, " a", "a /b", "git~1"],
)  # fmt: skip
def test_names_that_may_not_be(name: str) -> None:
    assert why_bad_name(name)


@pytest.mark.parametrize("ref", ["main", "v1.2", "release/1", "refs/heads/x", "a@b", "ünï"])
def test_refs_that_git_accepts(ref: str) -> None:
    assert why_bad_ref(ref) == ""


@pytest.mark.parametrize("ref", ["", "-x", "a b", "a..b", "a~1", "a^", "a:b", "a*", "a\\b", "a@{1}", "/a", "a/", "a//b", "a.lock", "a.lock/b", ".a", "a/.b", "a.", "@", "a\nb", "x" * 201])  # fmt: skip
def test_refs_that_git_refuses(ref: str) -> None:
    assert why_bad_ref(ref)


def test_which_names_clash() -> None:
    def pairs(*names: str) -> list[tuple[str, str]]:
        return [(a[0], b[0]) for a, b in clashes((name, None) for name in names)]

    assert pairs("a", "b/c", "b/d", "ab") == []
    assert pairs("a", "A", "b") == [("a", "A")]
    assert pairs("a/b", "a") == [("a/b", "a")]
    assert pairs("a", "A/b/c", "x") == [("a", "A/b/c")]
    assert pairs("e\u0301", "\u00e9") == [("e\u0301", "\u00e9")]


def test_thousands_of_entries_are_read_in_time(tmp_path: Path) -> None:
    lines = "".join(f"https://example.org/g{n % 97}/r{n}\n" for n in range(5_000))
    write_files(tmp_path, {"urls.txt": lines})
    assert len(read(tmp_path, '[[list]]\nfile = "urls.txt"\n')) == 5_000
