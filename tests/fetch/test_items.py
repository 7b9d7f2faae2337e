"""Items by their ids, without a workspace: several registries, where an item of a type belongs, which
item an id or a path means, and copies."""

import errno
import hashlib
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import UNSET

from symindex.errors import RequestError, StorageError
from symindex.extract.items.types import shipped_item_types
from symindex.extract.languages.registry import load_languages
from symindex.fetch import by_id, copying, locate
from symindex.fetch.by_id import FetchContext, fetch_by_id
from symindex.fetch.copying import copy_item, destination_of
from symindex.fetch.read_request import as_search, check_fetch_request
from symindex.fetch.registry import RegistryEntry, is_address, open_registry
from symindex.fetch.safe_path import split_path
from symindex.fetch.sign_file import sign_files
from symindex.fetch.trust import TrustStore
from symindex.files.skips import Skip, SkipReason
from symindex.index.snapshot import Space
from symindex.protocol.fetch import FetchFailure, FetchRequest, FetchResponse
from symindex.workspace.spaces import registry_search
from tests.support.files import write_files

TYPES = shipped_item_types()


def registry(folder: Path, *items: tuple[str, str, str, str]) -> str:
    """Writes a registry of items (type, id, path, content); returns its folder."""
    entries = [
        {"type": kind, "id": item_id, "version": "1.0", "path": path, "sha256": hashlib.sha256(text.encode()).hexdigest(), "size": len(text)}
        for kind, item_id, path, text in items
    ]  # fmt: skip
    files = {path: text for _, _, path, text in items}
    write_files(
        folder, {"index.json": json.dumps({"symindex_registry": 1, "items": entries}), **files}
    )
    return str(folder)


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets the registries of the user, by name."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def configure(verify: str = "intact", **sources: str) -> None:
        registries = [
            SimpleNamespace(name=name, source=source, sha256="", allow_private=False)
            for name, source in sources.items()
        ]
        configuration = SimpleNamespace(registries=registries, verify=verify)
        monkeypatch.setattr(by_id, "read_configuration", lambda: configuration)

    return configure


def fetch(project: Path | None = None, **request: Any) -> FetchResponse | FetchFailure:
    snapshot: Any = None
    context = FetchContext(snapshot, {}, project, TYPES)
    return fetch_by_id(context, FetchRequest(source="registry", **request))


def fetched(project: Path | None = None, **request: Any) -> FetchResponse:
    answer = fetch(project, **request)
    assert isinstance(answer, FetchResponse), answer
    return answer


def failure(project: Path | None = None, **request: Any) -> str:
    answer = fetch(project, **request)
    assert isinstance(answer, FetchFailure)
    return answer.error


def test_the_first_registry_that_has_an_item_answers(tmp_path: Path, configured: Any) -> None:
    one = registry(tmp_path / "one", ("tool", "a", "a.py", "x = 1\n"))
    two = registry(
        tmp_path / "two", ("tool", "a", "a.py", "x = 2\n"), ("tool", "b", "b.py", "y = 1\n")
    )
    configured(one=one, two=two)
    response = fetched(item_id="a")
    assert (response.content, response.package, response.notices, response.source) == (
        "x = 1\n",
        "one",
        UNSET,
        "registry",
    )
    response = fetched(item_id="b")
    assert (response.content, response.package) == ("y = 1\n", "two")
    assert response.notices == [f"one: {one} has no item 'b'"]
    assert failure(item_id="c") == f"one: {one} has no item 'c'; two: {two} has no item 'c'"
    assert failure(item_id="a", item_type="skill").startswith(
        f"one: {one} has no skill 'a'; it has one of type tool"
    )
    assert fetched(item_id="tool:a").content == "x = 1\n"
    assert "no item 'other:a'" in failure(item_id="other:a")
    configured()
    assert failure(item_id="a").startswith("no registry is configured: name one as [[registries]]")


def test_the_fields_of_an_item_and_of_its_entry(tmp_path: Path, configured: Any) -> None:
    text = "---\ntitle: Own\nname: mine\ncategory: core\n---\n# T\n"
    source = registry(
        tmp_path / "one", ("directive", "a/b", "files/x.md", text), ("thing", "t", "t.bin", "x")
    )
    configured(one=source)
    response = fetched(item_id="a/b")
    # The fields of the contract cannot be replaced by those of the item.
    assert {name: response.metadata[name] for name in ("name", "extension", "path")} == {
        "name": "x", "extension": ".md", "path": f"{source}/files/x.md",
    }  # fmt: skip
    assert (
        response.metadata["title"],
        response.metadata["category"],
        response.metadata["version"],
    ) == (
        "Own",
        "core",
        "1.0",
    )
    assert "description" not in response.metadata
    assert response.integrity.indexed == "unknown" and response.integrity.signature == "missing"
    other = fetched(item_id="t")
    assert other.metadata == {
        "name": "t",
        "extension": ".bin",
        "path": f"{source}/t.bin",
        "version": "1.0",
    }
    assert (
        failure(tmp_path, item_id="t", destination="project")
        == "items of type thing have no place of their own in a space"
    )
    assert failure(item_id="a/b", destination="project").startswith(
        "fetch: a copy goes to the project: "
    )


def test_problems_of_a_signature_are_notices(tmp_path: Path, configured: Any) -> None:
    write_files(tmp_path, {"a.py": "x = 1\n"})
    sign_files([str(tmp_path / "a.py")], TrustStore(tmp_path / "trust").make_key())
    signed = (tmp_path / "a.py").read_text()
    configured(
        one=registry(tmp_path / "one", ("tool", "a", "a.py", signed + "y = 2\n")), verify="warn"
    )
    response = fetched(item_id="a")
    assert (
        response.notices is not UNSET and "has changed since it was signed" in response.notices[0]
    )
    assert fetched(item_id="a", verify="off").notices is UNSET
    assert "integrity: a.py: has changed" in failure(item_id="a", verify="intact")


def test_a_copy_says_where_it_is_and_what_it_hides(tmp_path: Path, configured: Any) -> None:
    configured(one=registry(tmp_path / "one", ("tool", "a/b", "x.py", "x = 1\n")))
    for name in ("project", "home"):
        (tmp_path / name).mkdir()
    response = fetched(tmp_path / "project", item_id="a/b", destination="project")
    path = tmp_path / "project/.ai/tools/a/b.py"
    assert (response.copied_to, response.destination_path) == (
        "project",
        str(path),
    ) and path.read_text() == "x = 1\n"
    assert response.notices == [f"edit {path}; it is an item of the project space from now on"]
    assert "already exists; `symindex fetch --force` replaces it" in failure(
        tmp_path / "project", item_id="a/b", destination="project"
    )
    assert (
        fetched(tmp_path / "project", item_id="a/b", destination="project", force=True).notices
        == response.notices
    )
    fetched(tmp_path / "project", item_id="a/b", destination="user")
    assert (tmp_path / "home/.ai/tools/a/b.py").read_text() == "x = 1\n"


PLACES = [
    ("tool", "a/b", "x.py", ".ai/tools/a/b.py"), ("tool", "a", "x.YAML", ""), ("tool", "a", "x.yaml", ".ai/tools/a.yaml"),
    ("skill", "a", "SKILL.md", ".claude/skills/a/SKILL.md"), ("skill", "a", "other.md", ""), ("knowledge", "a", "x.yml", ".ai/knowledge/a.yml"),
    ("nothing", "a", "x.py", ""), ("tool", "a", "x", ""),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "item_id", "name", "place"), PLACES)
def test_the_place_of_an_item_of_a_registry(kind: str, item_id: str, name: str, place: str) -> None:
    entry = RegistryEntry(kind, item_id, "1", "0" * 64, 0)
    assert by_id._place_of_type(TYPES, entry, name) == place


def test_versions_of_packages_may_begin_with_a_letter() -> None:
    item: Any = SimpleNamespace(label="system:npm:a@v1.2")
    for version in ("1.2", "v1.2"):
        by_id._check_version(item, version)
    with pytest.raises(RequestError, match=r"^npm:a has no version '1.3' here: v1.2 is installed$"):
        by_id._check_version(item, "1.3")


@pytest.mark.parametrize(
    ("path", "item_id", "may_be"),
    [("x/deploy.md", "rye/deploy", True), ("deploy.md", "deploy/part", True), ("deploy.md", "deploy.txt", True), ("deployed.md", "deploy", False),
     ("deploy/x.md", "deploy", False), ("a.b.md", "a.b", False), ("a.b.md", "a.b.c", True)],
)  # fmt: skip
def test_an_unread_file_may_be_an_item_by_its_name(path: str, item_id: str, may_be: bool) -> None:
    assert by_id._may_be(path, item_id) is may_be


def test_why_a_path_is_not_in_the_index_is_said() -> None:
    skip = Skip("a.md", SkipReason.TOO_LARGE)
    asked: list[str] = []

    def left_out(path: str) -> Skip | None:
        asked.append(path)
        return skip if path == "a.md" else None

    snapshot: Any = None
    context = FetchContext(snapshot, {}, None, TYPES, left_out=left_out)
    (reason,) = by_id._left_out(context, "a.md")
    assert "a.md" in reason and "larger" in reason
    assert [by_id._left_out(context, path) for path in ("b.md", "/a.md", "a\0")] == [[], [], []]
    assert asked == ["a.md", "b.md"]


# Which item an id means


def item(
    path: str,
    place: tuple[int, int] = (0, 9),
    kind: str = "tool",
    item_id: str = "a",
    space: Space = Space.PROJECT,
) -> Any:
    return SimpleNamespace(
        path=path, place=place, facts=SimpleNamespace(type=kind, id=item_id), part=SimpleNamespace(space=space), label=f"label of {path}",
        summary=f"{kind} {item_id} ({path})",
    )  # fmt: skip


def test_an_ambiguous_id_lists_its_items_in_order() -> None:
    one = item("a.md")
    assert locate._only([one], "a") is one
    with pytest.raises(RequestError) as caught:
        locate._only([item("b.md"), item("a.md", (5, 9)), item("a.md")], "a")
    assert (
        str(caught.value)
        == "a is ambiguous: tool a (a.md), tool a (a.md), tool a (b.md); name one by its path"
    )
    with pytest.raises(RequestError, match=r"; name the item_type$"):
        locate._only([item("b.md"), item("a.md", kind="skill")], "a")
    with pytest.raises(RequestError, match=r" and 1 more; name one by its path$"):
        locate._only([item(f"{number}.md") for number in range(6)], "a")


def test_where_else_an_item_is(monkeypatch: pytest.MonkeyPatch) -> None:
    items = [
        item("b.md", space=Space.SYSTEM),
        item("c.md", kind="skill"),
        item("a.md", (4, 5)),
        item("a.md"),
    ]
    monkeypatch.setattr(locate, "_by_id", lambda *_: [*items])
    listed = "skill in label of c.md"
    assert locate._elsewhere([], "a", None).startswith(
        "; there is: tool in label of a.md, tool in label of a.md, "
    )
    assert locate._elsewhere([], "a", "task").startswith(
        " as a task; there is: tool in label of a.md"
    )
    assert locate._elsewhere([], "a", None).endswith(f"{listed}, tool in label of b.md")


MEANT = [
    ("tools/deploy", "deploy"), ("deploy.md", "deploy"), ("a/b/deploy.md", "deploy"), ("tool.rye.bash", "rye/bash"), ("bash", "rye/bash"),
    ("x/bash", "rye/bash"), ("deplyo", "deploy"), ("zzz", ""), ("rye/bsh", "rye/bash"), ("deploi.sh", ""), ("dep", ""),
]  # fmt: skip


@pytest.mark.parametrize(("item_id", "meant"), MEANT)
def test_the_id_that_was_probably_meant(
    item_id: str, meant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = [SimpleNamespace(id=fact_id) for fact_id in ("rye/bash", "deploy", "other")]
    monkeypatch.setattr(locate, "facts_in", lambda _: facts)
    parts: Any = [None]
    assert locate._meant(parts, item_id) == (f"; did you mean {meant}?" if meant else "")


# Copies

REMEDIES = {
    errno.ENOSPC: "make room on that disk", errno.EROFS: "can only be read", errno.EACCES: "get permission", errno.EPERM: "get permission",
    errno.ENOTDIR: "is not a folder: move it away", errno.EFBIG: "larger than that disk allows", errno.ENAMETOOLONG: "choose a shorter place",
    errno.EDQUOT: "make room in your quota", errno.EIO: "see what is there",
}  # fmt: skip


@pytest.mark.parametrize("number", REMEDIES)
def test_an_error_of_the_system_has_a_remedy(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> Path:
        raise OSError(number, os.strerror(number), "file")

    monkeypatch.setattr(copying, "write_new", refuse)
    with pytest.raises(StorageError) as caught:
        copy_item(b"", tmp_path, "a.md")
    assert str(caught.value).startswith(f"file: cannot be written: {os.strerror(number)}; ")
    assert REMEDIES[number] in str(caught.value)
    with pytest.raises(StorageError, match="none: no such folder; make it first, or copy the item"):
        copy_item(b"", tmp_path / "none", "a.md")


DESTINATIONS = [
    (".ai/tools/a/b.py", "tool", "project", "project", ".ai/tools/a/b.py"), (".ai/tools/a/b.py", "tool", "user", "home", ".ai/tools/a/b.py"),
    ("pkg/.ai/tools/a.py", "tool", "project", "project", ".ai/tools/a.py"), ("x/.claude/skills/s/SKILL.md", "skill", "user", "home", ".claude/skills/s/SKILL.md"),
    ("x/.claude/skills/s/SKILL.md", "skill", "project", "project", ".claude/skills/s/SKILL.md"),
    ("x/.github/skills/s/SKILL.md", "skill", "project", "project", ".github/skills/s/SKILL.md"),
    ("x/.github/skills/s/SKILL.md", "skill", "user", "home", ".copilot/skills/s/SKILL.md"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "kind", "space", "root", "relative"), DESTINATIONS)
def test_a_copy_keeps_the_folders_of_its_item(
    path: str, kind: str, space: str, root: str, relative: str
) -> None:
    destination = destination_of(TYPES, path, kind, space, Path("project"), Path("home"))
    assert destination == (Path(root), relative)


def test_what_has_no_place_in_another_space() -> None:
    for path, kind, words in ((".ai/tools/a.py", "skill", ".ai/tools/a.py is not a whole skill: only items that are files"), ("x.py", "tool", "x.py is not a whole tool"), ("package.json", "manifest", "items of type manifest have no place of their own in another space; these have: agent, command")):  # fmt: skip
        with pytest.raises(RequestError) as caught:
            destination_of(TYPES, path, kind, "user", Path("project"), Path("home"))
        assert str(caught.value).startswith(words)


# Requests and registries


def test_a_fetch_by_query_is_a_search() -> None:
    for source, space in (
        (None, UNSET),
        ("project", "project"),
        ("user", "user"),
        ("system", "system"),
        ("local", "all"),
        ("registry", "all"),
    ):
        search = as_search(
            FetchRequest(query="q", scope="tool", source=source, limit=3, offset=2, fuzzy=True)
        )
        assert (
            search.query,
            search.scope,
            search.space,
            search.limit,
            search.offset,
            search.fuzzy,
        ) == ("q", "tool", space, 3, 2, True)


WRONG = [
    ({"item_id": "a", "scope": "tool"}, "scope belongs to a fetch by query: leave it out"), ({"item_id": "a", "fuzzy": True}, "fuzzy belongs"),
    ({"query": "a", "scope": "tool", "version": "1"}, "version belongs to a fetch by item_id: leave it out"), ({"query": "a"}, "needs a scope"),
    ({"query": "a", "scope": "tool", "verify": "warn"}, "verify belongs to a fetch by item_id"), ({"item_id": "a", "verify": "x" * 101}, f"unknown verify {'x' * 100!r}"),
    ({"item_id": "a", "destination": "x"}, "unknown destination 'x': expected one of project, user"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "words"), WRONG)
def test_a_contradictory_request_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_fetch_request(FetchRequest(**fields))
    assert words in str(caught.value)


def test_pins_and_addresses(tmp_path: Path) -> None:
    source = registry(tmp_path / "one", ("tool", "a", "a.py", "x"))
    digest = hashlib.sha256((tmp_path / "one/index.json").read_bytes()).hexdigest()
    for pin in (digest, f" SHA256:{digest.upper()} ", None, ""):
        assert len(open_registry(source, pin).list()) == 1
    for pin in ("x" * 101, digest[:-1], f"sha256:sha256:{digest}"):
        with pytest.raises(RequestError) as caught:
            open_registry(source, pin)
        assert f"the pin {pin[:100]!r} is not a digest" in str(caught.value)
    for text, expected in {
        "https://a": True,
        "x+y.z-1://a": True,
        "http:/a": False,
        "1http://a": False,
        "/a": False,
        "h://": False,
    }.items():
        assert is_address(text) is expected


def test_a_long_path_is_shown_cut() -> None:
    for length in (100, 101):
        path = "/".ljust(length, "x")
        with pytest.raises(RequestError) as caught:
            split_path(path, "id")
        shown = path if length == 100 else f"{path[:100]}..."
        assert (
            str(caught.value)
            == f"id {shown!r} is absolute: expected a relative path such as tools/deploy.md"
        )


FAULTS = {
    "": "is empty", "a\0": "contains NUL", "a\u202eb": "contains invisible characters", "a\\b": "contains a backslash", "C:x": "begins with a drive",
    "a%2Fb": "contains percent-encoded characters", "a%zz": "", "a?b": "contains ?", "a//b": "contains an empty part", "a/./b": "contains '.' as a part",
    "a/..": "contains '..' as a part", " a": "contains ' a', which begins or ends with a blank or a dot", "a.": "begins or ends with a blank or a dot",
    ".git/x": "contains '.git', where git keeps", "GIT~1": "where git keeps", ".gitignore": "", "con": "a device on Windows", "\ud800": "is not Unicode",
    "a\x85": "contains invisible characters", "ä/b c.md": "", "\uff0egit": "where git keeps", "é" * 100: "", "é" * 101: "contains a part of 202 bytes, more than 200",
}  # fmt: skip


@pytest.mark.parametrize("path", FAULTS, ids=range(len(FAULTS)))
def test_which_paths_are_safe(path: str) -> None:
    if not FAULTS[path]:
        assert split_path(path) == path.split("/")
    else:
        with pytest.raises(RequestError) as caught:
            split_path(path)
        assert FAULTS[path] in str(caught.value)


def test_items_of_two_types_with_one_id_are_both_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = ("tool", "x/a", "a.py", "a = 1\n"), ("directive", "x/a", "a.md", "# A\n")
    team = SimpleNamespace(
        name="team", source=registry(tmp_path / "one", *items), sha256="", allow_private=False
    )
    configuration = SimpleNamespace(registries=[team])
    monkeypatch.setattr(registry_search, "read_configuration", lambda: configuration)
    part, notices = registry_search.registry_part(load_languages(check=False))
    (index,) = [part.index for part in part.snapshot.parts]
    assert index.documents is not None and index.documents.n_symbols == 2 and notices == []
