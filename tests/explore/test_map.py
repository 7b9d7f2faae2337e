"""Maps: the most referenced symbols come first, within the budget; symbols in focus come before
them."""

import pytest

from symindex.errors import RequestError
from symindex.protocol.overview import MapResponse
from symindex.render.outline import render_map
from symindex.text.token_budget import estimate_tokens
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker

CORE = "class Engine:\n    def start(self):\n        pass\n\n\nclass Unused:\n    pass\n\n\ndef helper():\n    pass\n"
USES = {
    f"app/use{n}.py": f"from core.engine import Engine\n\n\nclass Use{n}:\n    engine = Engine()\n"
    for n in range(12)
}
TREE: dict[str, str | bytes] = {
    "core/engine.py": CORE,
    **USES,
    "tests/test_engine.py": "from app.use3 import Use3\n\n\nclass TestUse:\n    def test_it(self):\n        Use3()\n",
    "parts/wheel.py": "class Wheel:\n    pass\n",
    "parts/car.py": "from parts.wheel import Wheel\n\n\nclass Car:\n    wheels = [Wheel()]\n",
}


@pytest.fixture
def tree(make_workspace: Maker) -> Workspace:
    return make_workspace(TREE)


def names(response: MapResponse) -> list[str]:
    return [symbol.name for file in response.files for symbol in file.symbols]


def test_symbols_with_references_come_first(tree: Workspace) -> None:
    response = tree.map(max_tokens=60)
    assert response.files[0].file_path == "core/engine.py" and names(response)[0] == "Engine"
    assert "TestUse" not in names(tree.map()) and "Unused" in names(tree.map())
    assert (response.files_in_all, response.symbols_in_all) == (16, tree.outline().symbols)
    assert [(folder.name, folder.files) for folder in response.folders] == [
        ("app", 12),
        ("parts", 2),
        ("core", 1),
        ("tests", 1),
    ]


@pytest.mark.sample(2)
@pytest.mark.parametrize("room", [1, 40, 100, 400, 2_000])
def test_a_budget_is_kept(tree: Workspace, room: int) -> None:
    assert estimate_tokens(render_map(tree.map(max_tokens=room))) < room + 100


def test_a_focus_brings_what_it_refers_to(tree: Workspace) -> None:
    assert names(tree.map(max_tokens=30))[0] == "Engine"
    for focus in ("parts/car.py", "Car", "parts/car.py#Car"):
        assert names(tree.map(max_tokens=30, focus=[focus]))[0] == "Wheel"


def test_a_folder_and_a_glob(tree: Workspace) -> None:
    assert set(names(tree.map("parts"))) == {"Wheel", "Car"} | {
        name for name in names(tree.map("parts")) if "." in name
    }
    assert {file.file_path for file in tree.map("app/use1*.py").files} == {
        "app/use1.py",
        "app/use10.py",
        "app/use11.py",
    }


@pytest.mark.nightly
def test_edits_count_at_once(tree: Workspace) -> None:
    tree.map()
    (tree.root / "core/engine.py").write_text(CORE.replace("Engine", "Motor"))
    tree.refresh()
    assert "Engine" not in names(tree.map()) and "Motor" in names(tree.map())


def test_bad_input(tree: Workspace, make_workspace: Maker) -> None:
    for given in (
        {"path": "nowhere"},
        {"path": "../x"},
        {"max_tokens": 0},
        {"path": "/etc"},
        {"focus": [1]},
        {"focus": ["\ud800"]},
    ):
        with pytest.raises(RequestError):
            tree.map(**given)
    assert names(tree.map(focus=["nothing of this name", ""]))
    with pytest.raises(RequestError, match="the index contains no source files"):
        make_workspace({"notes.xyz": "x"}).map()


def test_no_name_of_a_tree_breaks_the_page(make_workspace: Maker) -> None:
    text = render_map(make_workspace({"`a`\x1b[31m\n.py": "class A:\n    pass\n"}).map())
    assert "\x1b" not in text and "class A" in text


@pytest.mark.parametrize(
    ("files", "path"),
    [
        pytest.param(
            {
                "one/engine.py": "class BigEngine:\n    pass\n",
                "two/engine.py": "class BigEngine:\n    pass\n",
                **{
                    f"app/use{n}.py": "from two.engine import BigEngine\n\nengine = BigEngine()\n"
                    for n in range(6)
                },
            },
            "two/engine.py",
            id="imported by name",
        ),
        pytest.param(
            {
                "one/engine.py": "class BigEngine:\n    pass\n",
                "two/__init__.py": "from .engine import BigEngine\n",
                "two/engine.py": "class BigEngine:\n    pass\n",
                **{
                    f"app/use{n}.py": "from two import BigEngine\n\nengine = BigEngine()\n"
                    for n in range(6)
                },
            },
            "two/engine.py",
            id="handed on",
        ),
        pytest.param(
            {
                "one/engine.ts": "export class BigEngine {}\n",
                "two/engine.ts": "export class BigEngine {}\n",
                **{
                    f"app/use{n}.ts": "import { BigEngine } from '../two/engine'\nnew BigEngine()\n"
                    for n in range(6)
                },
            },
            "two/engine.ts",
            id="a file by its path",
        ),
        pytest.param(
            {
                "a/one/BigEngine.java": "package a.one;\npublic class BigEngine {}\n",
                "a/two/BigEngine.java": "package a.two;\npublic class BigEngine {}\n",
                **{
                    f"a/two/Use{n}.java": f"package a.two;\nclass Use{n} {{ BigEngine it; }}\n"
                    for n in range(6)
                },
            },
            "a/two/BigEngine.java",
            id="one package",
        ),
        pytest.param(
            {
                "go.mod": "module example.com/app\n",
                "one/engine.go": "package one\n\ntype BigEngine struct{}\n",
                "two/engine.go": "package two\n\ntype BigEngine struct{}\n",
                **{
                    f"app{n}/use.go": f'package app{n}\n\nimport "example.com/app/two"\n\n'
                    "var e two.BigEngine\n"
                    for n in range(6)
                },
            },
            "two/engine.go",
            id="a folder as a package",
        ),
        pytest.param(
            {
                "one/engine.h": "struct big_engine { int power; };\n",
                "two/engine.h": "struct big_engine { int power; };\n",
                **{
                    f"app/use{n}.c": '#include "two/engine.h"\n\nstatic struct big_engine it;\n'
                    for n in range(6)
                },
            },
            "two/engine.h",
            id="included",
        ),
        pytest.param(
            {
                "Cargo.toml": '[package]\nname = "app"\n',
                "src/lib.rs": "mod one;\nmod two;\n" + "".join(f"mod use{n};\n" for n in range(6)),
                "src/one.rs": "pub struct BigEngine;\n",
                "src/two.rs": "pub struct BigEngine;\n",
                **{
                    f"src/use{n}.rs": "use crate::two::BigEngine;\n\nfn run(e: BigEngine) {}\n"
                    for n in range(6)
                },
            },
            "src/two.rs",
            id="a module of a crate",
        ),
        pytest.param(
            {
                "one/Engine.cs": "namespace One { public class BigEngine {} }\n",
                "two/Engine.cs": "namespace Two { public class BigEngine {} }\n",
                **{
                    f"app/Use{n}.cs": "using Two;\n\nnamespace App { class Use { BigEngine it; } }\n"
                    for n in range(6)
                },
            },
            "two/Engine.cs",
            id="a namespace that is used",
        ),
    ],
)
def test_a_name_leads_to_what_its_file_imports(
    make_workspace: Maker, files: dict[str, str | bytes], path: str
) -> None:
    """Both files define the name, and nobody means the other one."""
    scores = _scores(make_workspace(files).map())
    other = path.replace("two", "one")
    assert scores[path] > 20 * scores[other], scores


def test_a_name_of_a_library_leads_nowhere(make_workspace: Maker) -> None:
    files: dict[str, str | bytes] = {
        "one/engine.py": "class BigEngine:\n    pass\n",
        "two/engine.py": "class BigEngine:\n    pass\n",
    }
    users = range(6)
    mine = {f"app/use{n}.py": "engine = BigEngine()\n" for n in users}
    used = _scores(make_workspace({**files, **mine}).map())
    library = {
        f"app/use{n}.py": f"from motors import BigEngine\n{code}"
        for n, code in enumerate(mine.values())
    }
    unused = _scores(make_workspace({**files, **library}).map())
    assert min(used.values()) > 20 * max(unused.values()) > 0, (used, unused)


def _scores(response: MapResponse) -> dict[str, float]:
    """Returns the score of the engine of each file that has one."""
    return {
        file.file_path: symbol.score
        for file in response.files
        for symbol in file.symbols
        if symbol.name.rpartition(".")[2].lower().replace("_", "") == "bigengine"
    }
