"""Answers with text: everything is read from source packs. What was read stays when the store is
gone; what was not says why."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symindex.fleet.cache import LocalCache
from symindex.fleet.fleet import Fleet
from symindex.fleet.stored.generation import newest_generation
from symindex.fleet.texts import PackedTexts, UnreadableTextError
from tests.support.fleets import TWO, SmallFleet

WORLD = TWO | {
    "acme/user": {
        "guide.md": "# Guide\n\nHow to begin.\n\n## More\n\nA lantern -> a door.\n",
        "app.py": "from click import run_command\n\n\ndef use():\n    return run_command(1)\n",
        ".claude/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: How to deploy\n---\n"
        "# Deploy\n\nPush the button.\n",
    }
}
TRACE = (
    'Traceback (most recent call last):\n  File "/srv/src/core.py", line 5, in invoke\n'
    "    return run_command(self)\n"
)
CORE = "pallets/click/src/core.py"
CODE = "def run_command(context):\n    return context"


def _lines(files: list[Any]) -> list[str]:
    return [f"{file.file_path}:{item.line}: {item.text}" for file in files for item in file.items]


def _code(fleet: Fleet) -> object:
    detail = fleet.symbol(f"{CORE}#run_command").symbol
    return detail and detail.code


def _outline(fleet: Fleet) -> object:
    response = fleet.outline("pallets/click")
    return response.files, response.symbols


def _trace(fleet: Fleet) -> object:
    (frame,) = fleet.trace(TRACE).frames
    return frame.file_path, frame.line, frame.code, frame.symbol and frame.symbol.name


def _callers(fleet: Fleet) -> object:
    items = fleet.hierarchy("run_command", direction="callers").items
    return [(item.id, item.text) for item in items]


def _item(fleet: Fleet) -> object:
    return getattr(fleet.fetch("acme/user/deploy"), "content", None)


def _recalled(fleet: Fleet) -> object:
    (section,) = fleet.recall(["runner"]).sections
    return [(item.id, item.content) for item in section.items]


def _snippets(fleet: Fleet) -> object:
    response = fleet.search("lantern", type="all", include=["snippet"])
    return [(item.name, item.snippet) for item in response.items]


ANSWERS: dict[str, tuple[Callable[[Fleet], object], object]] = {
    "symbol": (_code, CODE),
    "outline": (_outline, (2, 3)),
    "references": (
        lambda fleet: _lines(fleet.references("run_command").files),
        [
            "acme/user/app.py:1: from click import run_command",
            "acme/user/app.py:5: return run_command(1)",
            f"{CORE}:5: return run_command(self)",
            f"{CORE}:8: def run_command(context):",
        ],
    ),
    "grep": (
        lambda fleet: _lines(fleet.grep("runner").files),
        ["pallets/click/docs/testing.md:3: Use the runner to call a command."],
    ),
    "map": (
        lambda fleet: [file.file_path for file in fleet.map("").files],
        [CORE, "google/gson/Gson.java", "acme/user/app.py"],
    ),
    "trace": (_trace, (CORE, 5, "return run_command(self)", "invoke")),
    "hierarchy": (
        _callers,
        [
            ("acme/user/app.py#use", "return run_command(1)"),
            (f"{CORE}#Context.invoke", "return run_command(self)"),
        ],
    ),
    "fetch": (_item, WORLD["acme/user"][".claude/skills/deploy/SKILL.md"]),
    "recall": (
        _recalled,
        [
            (
                "pallets/click/docs/testing.md:1",
                "# Testing commands\n\nUse the runner to call a command.",
            )
        ],
    ),
    "a snippet": (
        _snippets,
        [
            ("More", "A lantern -> a door."),
            ("guide", "Guide\nHow to begin.\nMore\nA lantern -> a door."),
        ],
    ),
}


@pytest.fixture(scope="module", params=["loose", "merged"])
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SmallFleet:
    fleet = SmallFleet(tmp_path_factory.mktemp("fleet"), WORLD)
    fleet.work().update()
    if request.param == "merged":
        fleet.work().merge(most_loose=0)
    return fleet


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_needs_no_clone(small: SmallFleet, name: str) -> None:
    ask, expected = ANSWERS[name]
    with small.open() as fleet:
        assert ask(fleet) == expected


def _copied(small: SmallFleet, folder: Path) -> SmallFleet:
    """Returns the same store in another folder, which may be deleted."""
    shutil.copytree(small.address, folder / "store")
    other = SmallFleet(folder, {})
    other.names = small.names
    return other


@pytest.mark.parametrize("name", ANSWERS)
def test_what_was_read_stays_when_the_store_is_gone(
    small: SmallFleet, name: str, tmp_path: Path
) -> None:
    other = _copied(small, tmp_path)
    ask, expected = ANSWERS[name]
    with other.open() as fleet:
        assert ask(fleet) == expected
    with other.open() as fleet:  # as another process, which only has the copies
        shutil.rmtree(other.address)
        assert ask(fleet) == expected
        assert not fleet.search("toJson").notices


@pytest.mark.parametrize(
    ("ask", "where"),
    [
        (lambda fleet: fleet.symbol(f"{CORE}#run_command"), f"{CORE}: cannot be read"),
        (lambda fleet: fleet.references("run_command"), "files were not looked into: acme/user"),
        (lambda fleet: fleet.grep("runner"), "files were not looked into: acme/user"),
        (lambda fleet: fleet.trace(TRACE), ": symbols are from the index, without lines of code"),
        (lambda fleet: fleet.hierarchy("run_command", direction="callers"), "not looked into"),
        (lambda fleet: fleet.recall(["runner"]), "but not shown: pallets/click/docs"),
        (
            lambda fleet: fleet.search("lantern", type="all", include=["snippet"]),
            "cannot be read, so only their words in the index count",
        ),
    ],
    ids=["symbol", "references", "grep", "trace", "hierarchy", "recall", "a snippet"],
)
def test_what_was_not_read_says_why(
    small: SmallFleet, ask: Callable[[Fleet], Any], where: str, tmp_path: Path
) -> None:
    other = _copied(small, tmp_path)
    with other.open() as fleet:
        shutil.rmtree(other.address)
        response = ask(fleet)
        said = " ".join(response.notices or [])
        assert where in said
        assert "is not in the store; run `symindex fleet update`" in said, said
        assert "No such file" not in said


def test_names_and_structure_need_no_source(small: SmallFleet, tmp_path: Path) -> None:
    other = _copied(small, tmp_path)
    with other.open() as fleet:
        shutil.rmtree(other.address)
        for name in "outline", "map":
            ask, expected = ANSWERS[name]
            assert ask(fleet) == expected
        assert _trace(fleet) == (CORE, 5, "", "invoke")
        assert _item(fleet) is None


def _texts(small: SmallFleet) -> PackedTexts:
    states = newest_generation(small.store).repositories
    objects = {name: state.built.object for name, state in states.items() if state.built}
    cache = LocalCache(small.store, small.work().rules, small.folder / "copies")
    return PackedTexts(cache, objects)


def test_a_pack_has_the_files_of_its_repository(small: SmallFleet) -> None:
    texts = _texts(small)
    files = {
        f"{name}/{path}": text for name, files in WORLD.items() for path, text in files.items()
    }
    assert {path: data.decode() for path, data in texts.items()} == files
    assert len(texts) == len(files)
    assert texts and not PackedTexts(LocalCache(small.store, b""), {})
    for path in (
        "",
        "/",
        "acme",
        "acme/user",
        "acme/user/",
        "acme/user/app",
        "x/y/z",
        "/acme/user/app.py",
    ):
        assert path not in texts
        assert texts.get(path) is None
    assert texts.repository_of("acme/user/a/b") == "acme/user"


def test_the_error_of_a_file_is_that_of_the_store(small: SmallFleet, tmp_path: Path) -> None:
    texts = _texts(_copied(small, tmp_path))
    shutil.rmtree(tmp_path / "store")
    with pytest.raises(UnreadableTextError) as caught:
        texts[CORE]
    assert "is not in the store" in str(caught.value)


def test_a_question_reads_only_what_it_shows(small: SmallFleet, tmp_path: Path) -> None:
    """The packs of other repositories are not looked at."""
    other = _copied(small, tmp_path)
    with other.open() as fleet:
        assert fleet.recall(["runner"]).sections[0].items
    read = [path for path in (tmp_path / "cache").rglob("*-source/*") if path.name != "head"]
    built = newest_generation(other.store).repositories["pallets/click"].built
    assert built is not None
    assert {path.parent.name for path in read} == {f"{built.object.replace('/', '-')}-source"}
    assert {path.name for path in read} == {"table", "0"}
