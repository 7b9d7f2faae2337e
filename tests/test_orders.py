"""Equals come in one order in every answer, the documented one, whatever was written, indexed or
read first."""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.errors import RequestError
from symindex.protocol.explore import ReferencesRequest
from symindex.recall.notes.note import Note
from symindex.recall.notes.notes import Notes
from symindex.workspace.workspace import Workspace, open_content
from tests.support.command import run_python
from tests.support.files import Files, Maker
from tests.support.orders import HISTORIES, build, check_one_order

FOLDERS = ("b", "a", "d", "c", "Z", "é", "a10", "a9")

SOURCE = (
    "from base import Base, helper\n\n\n"
    "class Same(Base):\n"
    '    """A heron waits."""\n\n'
    "    def wait(self):\n"
    '        return helper("the heron %s waits")\n\n\n'
    "def test_same(box):\n"
    "    return helper(box)\n"
)
BASE = "class Base:\n    pass\n\n\ndef helper(box):\n    raise KeyError\n"

TWINS = {
    "py": '"""A twin."""\n',
    "sh": "# A twin.\n",
    "yaml": "name: twin\n",
    "js": "// A twin.\n",
    "toml": "name = 'twin'\n",
}
"""Items of one type and id, by the ending of their file."""

FILES: Files = {
    "base.py": BASE,
    **{f"src/{folder}/same.py": SOURCE for folder in FOLDERS},
    **{
        f"docs/{folder}.md": "# Heron\n\nThe heron stands still. See `Same.wait`.\n"
        for folder in FOLDERS
    },
    **{
        f".ai/knowledge/{folder}/heron.md": "---\ntitle: Heron\ndescription: A bird\n---\nThe heron stands.\n"
        for folder in FOLDERS
    },
    **{
        f"{folder}/.claude/skills/bird/SKILL.md": "---\nname: bird\ndescription: A bird\n---\nFly.\n"
        for folder in FOLDERS
    },
    **{f".ai/tools/twin.{ending}": TWINS[ending] for ending in ("sh", "py", "yaml", "js", "toml")},
    "tests/test_base.py": (
        "from base import helper\n\n\n"
        + "".join(f"def test_{letter}():\n    assert helper(1)\n\n\n" for letter in "abcd")
    ),
    "docs/many.md": "".join(f"# Egret\n\nAn egret {'stands. ' * 3}\n\n" for _ in range(12)),
}
SETTLED: Files = {
    ".git/HEAD": "ref: refs/heads/main\n",
    **{f"rest/{number}.py": "" for number in range(120)},
}
"""Enough files for changes to become overlays instead of a new base."""

IN_ORDER = ("Z", "a", "a10", "a9", "b", "c", "d", "é")
"""The folders in the order of paths, which is that of their bytes."""


def each(*forms: str) -> list[str]:
    """Returns the places in all folders, form by form."""
    return [form.format(folder) for form in forms for folder in IN_ORDER]


def in_each(*forms: str) -> list[str]:
    """Returns the places in all folders, folder by folder."""
    return [form.format(folder) for folder in IN_ORDER for form in forms]


def look(workspace: Workspace) -> None:
    workspace.recall("heron")


def places(items: Any) -> list[str]:
    return [f"{item.file_path}:{item.line}" for item in items]


def searched(query: str, **fields: Any) -> Callable[[Workspace], Any]:
    return lambda workspace: places(workspace.search(query, **fields).items)


def recalled(query: str, **fields: Any) -> Callable[[Workspace], Any]:
    return lambda workspace: [
        item.id for item in workspace.recall(query, limit=50, **fields).sections[0].items
    ]


def in_files(response: Any) -> list[str]:
    return [f"{file.file_path}:{item.line}" for file in response.files for item in file.items]


def refused(ask: Callable[..., Any], *given: Any) -> str:
    try:
        return f"answered: {ask(*given)}"
    except RequestError as error:
        return str(error)


def failure(workspace: Workspace, item_id: str, **fields: Any) -> str:
    return str(getattr(workspace.fetch(item_id=item_id, **fields), "error", ""))


def related(symbol: str, direction: Any) -> Callable[[Workspace], Any]:
    return lambda workspace: [
        item.id or item.at or item.file_path
        for item in workspace.hierarchy(symbol, direction=direction).items
    ]


SAME = "src/{}/same.py"
ITEM, SECTION = ".ai/knowledge/{}/heron.md:1", "docs/{}.md:1"
OF_TESTS = [f"tests/test_base.py:{line}" for line in (1, 5, 9, 13, 17)]
TESTS = [f"tests/test_base.py#test_{letter}" for letter in "abcd"]
MANY = [f"docs/many.md:{line}" for line in range(1, 48, 4)]

CASES: dict[str, tuple[Callable[[Workspace], Any], Any]] = {
    # search: by shorter name, path, line, column
    "search": (searched("Same", max_items=8), each(f"{SAME}:4")),
    "search a container": (searched("Same."), each(f"{SAME}:7")),
    "search words": (searched("heron waits", max_items=8), each(f"{SAME}:4")),
    "search typos": (searched("Smae", fuzzy=True, max_items=8), each(f"{SAME}:4")),
    "search by date": (searched("wait", sort_by="date"), each(f"{SAME}:7")),
    "search by name": (searched("wait", sort_by="name"), each(f"{SAME}:7")),
    "search sections": (searched("heron", type="section"), each(SECTION)),
    "search items": (searched("heron", type="knowledge"), each(ITEM)),
    "search a question": (lambda w: [hit.id for hit in w.search("where does the heron stand still").text or ()], each(SECTION)[:3]),
    "filters that hide": (lambda w: w.search("Same", kinds=["enum"]).notices, None),
    # references and text: by path and line
    "references": (lambda w: in_files(w.references("helper")), ["base.py:5", *in_each(f"{SAME}:1", f"{SAME}:8", f"{SAME}:12"), *OF_TESTS]),
    "references of an id": (lambda w: in_files(w.references("base.py#helper")), ["base.py:5", *in_each(f"{SAME}:1", f"{SAME}:8", f"{SAME}:12"), *OF_TESTS]),
    "references by role": (lambda w: in_files(w.references(ReferencesRequest(name="helper", role="call"))), [*in_each(f"{SAME}:8", f"{SAME}:12"), *OF_TESTS[1:]]),
    "files with most references": (lambda w: w.references("helper").most, [("tests/test_base.py", 5), *((path, 3) for path in each(SAME)[:4])]),
    "grep": (lambda w: in_files(w.grep("heron", paths=["src/**"])), in_each(f"{SAME}:5", f"{SAME}:8")),
    "grep strings": (lambda w: in_files(w.grep("heron", where="strings")), in_each(f"{SAME}:5", f"{SAME}:8")),
    "grep templates": (lambda w: in_files(w.grep("the heron Ada waits")), each(f"{SAME}:8")),
    "grep words": (lambda w: in_files(w.grep("a wild heron stands still for long")), each("docs/{}.md:3")),
    # symbols and their relations: likeliest first, then by path and line
    "symbols of a name": (lambda w: [line.id for line in w.symbol("wait").others], each(f"{SAME}#Same.wait")),
    "symbols of a file's end": (lambda w: [line.id for line in w.symbol("same.py#wait").others], each(f"{SAME}#Same.wait")),
    "a name that the file lacks": (lambda w: w.symbol("same.py#Sme").suggestions, each(f"{SAME}#Same")[:3]),
    "a container that is wrong": (lambda w: w.symbol("Else.wait").suggestions, None),
    "a name that is none": (lambda w: w.symbol("Smee").suggestions, None),
    "a file that is none": (lambda w: refused(w.outline, "src/e/same.py"), "no file or folder 'src/e/same.py'; nearest: src/Z/same.py, src/a/same.py, src/a10/same.py"),
    "a folder that is none": (lambda w: refused(w.outline, "dcos"), "no file or folder 'dcos'; nearest: docs"),
    "callers": (related("base.py#helper", "callers"), [*in_each(f"{SAME}#Same.wait", f"{SAME}#test_same"), *TESTS]),
    "callees": (related("src/a/same.py#Same.wait", "callees"), None),
    "subtypes": (related("base.py#Base", "subtypes"), each(f"{SAME}#Same")),
    "tests": (related("base.py#helper", "tests"), [*each(f"{SAME}#test_same"), *TESTS]),
    "a trace": (lambda w: [(frame.file_path, frame.others) for frame in w.trace('File "same.py", line 8, in wait').frames], [("src/Z/same.py", 7)]),
    # overviews: by path, or the heaviest first
    "outline": (lambda w: [item.name for item in w.outline("src").items], each("src/{}")),
    "map": (lambda w: [file.file_path for file in w.map("src").files], each(SAME)),
    "map's scores": (lambda w: [(s.name, s.score) for file in w.map("").files for s in file.symbols], None),
    "map's folders": (lambda w: [folder.name for folder in w.map("src").folders], each("{}")),
    "a map with a focus": (lambda w: [file.file_path for file in w.map("", focus=["Same"]).files], None),
    "status": (lambda w: [(row.language, row.files) for row in w.status().languages], None),
    "export": (lambda w: [file.path for file in w.source.indexed.export()], None),
    # recall: documents by path and line
    "recall": (recalled("heron"), None),
    "recall words": (recalled("heron stands"), None),
    "recall text": (recalled("heron", within="text", types=["document"]), each(SECTION)),
    "recall docs": (recalled("heron", within="text", types=["symbol"]), each(f"{SAME}#Same")),
    "recall items": (recalled("heron", types=["knowledge"]), each("knowledge:{}/heron")),
    "recall a long file": (recalled("egret", within="text"), MANY),
    "recall a timeline": (recalled("heron", sort="timeline", types=["knowledge"]), each("knowledge:{}/heron")),
    "recall a list": (recalled("", types=["knowledge"]), each("knowledge:{}/heron")),
    "recall entities": (recalled("heron", by_entity=True), None),
    "related": (lambda w: [row.hit.id for row in (w.related("docs/a.md:1") or (None, []))[1]], None),
    # fetch: by path
    "fetch": (lambda w: places(w.fetch(query="heron", scope="knowledge", limit=None).items), each(ITEM)),  # type: ignore[union-attr]
    "fetch an ambiguous id": (lambda w: failure(w, "twin"), "twin is ambiguous: tool twin (.ai/tools/twin.js), tool twin (.ai/tools/twin.py), tool twin (.ai/tools/twin.sh), tool twin (.ai/tools/twin.toml), tool twin (.ai/tools/twin.yaml); name one by its path"),
    "fetch a misspelt id": (lambda w: failure(w, "e/heron"), "Item not found: e/heron; did you mean Z/heron?"),
    "fetch a distant id": (lambda w: failure(w, "a/heorn"), "Item not found: a/heorn; did you mean a/heron?"),
    "fetch another type": (lambda w: failure(w, "twin", item_type="knowledge"), None),
}  # fmt: skip
"""What is asked, and the documented order of the answer; `None` where it is only compared."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Workspace]]:
    """The same tree by several histories."""
    top = tmp_path_factory.mktemp("orders")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SYMINDEX_DATA_DIR", str(top / "data"))
        worlds = {name: build(top / name, name, FILES, SETTLED, look) for name in HISTORIES}
        assert {len(world.source.indexed.snapshot.parts) for world in worlds.values()} >= {1, 2, 3}
        yield worlds
        for world in worlds.values():
            world.close()


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", CASES)
def test_equals_have_one_order(name: str, worlds: Mapping[str, Workspace]) -> None:
    ask, expected = CASES[name]
    check_one_order({history: ask(world) for history, world in worlds.items()}, expected)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYMINDEX_DATA_DIR", str(tmp_path / "data"))
    return tmp_path


def permutations(rows: list[Any]) -> list[list[Any]]:
    """Returns a few permutations: as they are, backwards, and one half before the other."""
    return [rows, rows[::-1], [*rows[::2], *rows[1::2]], [*rows[1::2][::-1], *rows[::2]]]


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(4))
def test_notes_come_newest_first(number: int, make_workspace: Maker, data: Path) -> None:
    """Equally good notes do so too, in whatever order they were imported."""
    workspace = make_workspace({"a.py": "a = 1\n"})
    project = str(workspace.root)
    written = [
        Note(
            text=f"The heron of day {day} waits",
            uid=f"{day:032x}",
            time_ms=1_700_000_000_000 + day,
            project=project,
        )
        for day in range(6)
    ]
    with Notes(workspace.root) as notes:
        for note in permutations(written)[number]:
            notes.take_in([msgspec.json.encode(note)])
        listed = [note.text for note in notes.newest_first()[0]]
        pages = [notes.newest_first(limit=1, offset=place)[0][0].text for place in range(6)]
    newest = [note.text for note in reversed(written)]
    assert listed == newest == pages
    for fields in ({"within": "notes"}, {"sort": "timeline"}, {"types": ["note"]}):
        (section,) = workspace.recall("heron waits", limit=50, **fields).sections
        assert [item.content.replace("**", "") for item in section.items] == newest, fields


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(4))
def test_added_content_comes_by_label(number: int, make_workspace: Maker, data: Path) -> None:
    workspace = make_workspace({"a.py": "a = 1\n"})
    labels = ["b", "a", "Z", "é", "a10", "a9"]
    with open_content(workspace.root) as content:
        for label in permutations(labels)[number]:
            content.add(
                f"# Egret\n\nThe egret of pool {label:>3} stands.\n".encode(), label, f"{label}.md"
            )
    (section,) = workspace.recall("egret", within="text", limit=50).sections
    assert [item.source for item in section.items] == sorted(labels)


DUMP = """
import sys
from pathlib import Path
from tests.support.orders import build
from tests.test_orders import CASES, FILES, SETTLED, look

if __name__ == "__main__":
    world = build(Path(sys.argv[1]), "the odd ones later", FILES, SETTLED, look)
    for name, (ask, _) in CASES.items():
        print(name, ascii(ask(world)))
    world.close()
"""


@pytest.mark.nightly
def test_the_seed_of_hashes_decides_nothing(tmp_path: Path) -> None:
    """Another seed gives another order of sets of text."""
    printed = []
    for seed in ("1", "2", "3"):
        variables = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "SYMINDEX_DATA_DIR": str(tmp_path / seed),
        }
        done = run_python(
            DUMP, tmp_path / f"world{seed}", env=variables, cwd=Path(__file__).parent.parent
        )
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout.replace(f"world{seed}", "world").splitlines())
    assert len(printed[0]) == len(CASES) and printed[0] == printed[1] == printed[2]
