"""What a qualified name means in the packages of a project: its definition, wherever that is."""

from pathlib import Path

import pytest

from symindex.workspace.workspace import open_workspace
from tests.support.libraries import make, node_project, python_project

PYTHON = python_project(
    {
        "web-1.0": {
            "web/__init__.py": (
                "from .api import (\n    get,  # of the module\n    put as send,\n)\nfrom .models import *\nfrom . import deep\n"
                "s = attributes = attrs = get\ndefault = Client()\nfrom other import borrowed\n"
            ),
            "web/api.py": "def get(url):\n    '''Gets.'''\n    return url\n\ndef put(url):\n    return url\n",
            "web/old.py": "def get(old):\n    return old\n\ndef lost():\n    return 1\n",
            "web/models.py": (
                "from .bases import Base\nclass Client(Base):\n    def own(self):\n        return 1\n"
                "@overload\ndef many(a: int) -> int: ...\n@overload\ndef many(a: str) -> str: ...\ndef many(a):\n    return a\n"
            ),
            "web/bases.py": "class Base:\n    def inherited(self):\n        return 1\n",
            "web/deep/__init__.py": "from web.models import Client as Other\n",
            "web/loop.py": "from .loop2 import x\n",
            "web/loop2.py": "from .loop import x\n",
            "web/fast.pyi": "def compiled(a: int) -> int: ...\n",
        },
        "other-2.0": {
            "other/__init__.py": "from ._hidden import borrowed\n",
            "other/_hidden.py": "def borrowed():\n    return 1\n",
        },
    }
)

NODE = node_project(
    {
        "react": {"index.js": "function useState(a) { return a }\nexports.useState = useState;\n"},
        "@types/react": {
            "index.d.ts": (
                "export = React;\nexport as namespace React;\ndeclare namespace React {\n"
                "  function useState<S>(initial: S): S;\n  function useState(): undefined;\n}\n"
            ),
        },
        "kit": {
            "package.json": (
                '{"name": "kit", "version": "1.0.0", "exports": {".": {"types": "./lib/main.d.ts"}, "./sub": "./lib/sub.js"}}'
            ),
            "lib/main.d.ts": (
                "import { inner } from './parts';\nexport { inner, made as created } from './parts';\nexport * from 'peer';\n"
                "declare const kit: KitStatic;\nexport default kit;\ninterface KitStatic { open(path: string): void; }\n"
            ),
            "lib/parts.d.ts": "export declare function inner(a: number): void;\nexport declare function made(): void;\n",
            "lib/sub.js": "exports.below = function below(a) { return a };\n",
            "page.d.ts": "import Page from './lib/page'\nexport default Page\n",
            "lib/page.d.ts": "export declare class Page { show(): void; }\nexport default Page;\n",
        },
        "peer": {"index.d.ts": "export declare function offered(a: string): void;\n"},
        "old/node_modules/peer": {
            "package.json": '{"name": "peer", "version": "0.1.0"}',
            "index.d.ts": "export declare function offered(old: 1): void;\n",
        },
        "@types/node": {
            "fs.d.ts": 'declare module "fs" {\n  export function readFileSync(path: string): Buffer;\n}\n',
            "fs/promises.d.ts": 'declare module "fs/promises" {\n  function readFile(path: string): void;\n}\n',
        },
    },
    named="react kit peer",
)  # fmt: skip

ASKED = {
    "of the module": ("web.get", "pypi:web@1.0/web/api.py#get"),
    "by another name": ("web.send", "pypi:web@1.0/web/api.py#put"),
    "an alias": ("web.s", "pypi:web@1.0/web/api.py#get"),
    "through a star": ("web.Client", "pypi:web@1.0/web/models.py#Client"),
    "a member": ("web.Client.own", "pypi:web@1.0/web/models.py#Client.own"),
    "an inherited member": ("web.Client.inherited", "pypi:web@1.0/web/bases.py#Base.inherited"),
    "of an instance": ("web.default.own", "pypi:web@1.0/web/models.py#Client.own"),
    "of a module inside": ("web.deep.Other.own", "pypi:web@1.0/web/models.py#Client.own"),
    "from another package": ("web.borrowed", "pypi:other@2.0/other/_hidden.py#borrowed"),
    "an overload": ("web.models.many", "pypi:web@1.0/web/models.py#many~3"),
    "of compiled code": ("web.fast.compiled", "pypi:web@1.0/web/fast.pyi#compiled"),
    "what no module offers": ("web.lost", "pypi:web@1.0/web/old.py#lost"),
    "as a call": ("web.get()", "pypi:web@1.0/web/api.py#get"),
    "the name alone": ("borrowed", "pypi:other@2.0/other/_hidden.py#borrowed"),
    "types of a package": ("react.useState", "npm:@types/react@1.0.0/index.d.ts#React.useState"),
    "in another case": ("React.useState", "npm:@types/react@1.0.0/index.d.ts#React.useState"),
    "one of several, alone": ("useState", "npm:@types/react@1.0.0/index.d.ts#React.useState"),
    "by the manifest": ("kit.inner", "npm:kit@1.0.0/lib/parts.d.ts#inner"),
    "exported by another name": ("kit.created", "npm:kit@1.0.0/lib/parts.d.ts#made"),
    "of a peer, at the top": ("kit.offered", "npm:peer@1.0.0/index.d.ts#offered"),
    "not the nested version": ("peer.offered", "npm:peer@1.0.0/index.d.ts#offered"),
    "of the thing that is the module": ("kit.open", "npm:kit@1.0.0/lib/main.d.ts#KitStatic.open"),
    "by a path": ("kit/sub.below", "npm:kit@1.0.0/lib/sub.js#below"),
    "what a path stands for": ("kit/page", "npm:kit@1.0.0/lib/page.d.ts#Page"),
    "of the runtime": ("fs.readFileSync", "npm:@types/node@1.0.0/fs.d.ts#fs.readFileSync"),
    "of the runtime, as imported": ("node:fs.readFileSync", "npm:@types/node@1.0.0/fs.d.ts#fs.readFileSync"),
    "of a module of the runtime": ("fs/promises.readFile", "npm:@types/node@1.0.0/fs/promises.d.ts#fs/promises.readFile"),
    "an id": ("npm:peer@0.1.0/index.d.ts#offered", "npm:peer@0.1.0/index.d.ts#offered"),
}  # fmt: skip


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("libraries")
    make(top / "python", PYTHON)
    make(top / "node", NODE)
    return top


@pytest.mark.sample(13)
@pytest.mark.parametrize("case", ASKED)
def test_it_is_found_at_the_first_call(
    projects: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    asked, expected = ASKED[case]
    project = "python" if expected.startswith("pypi") else "node"
    with open_workspace(projects / project, projects / "indexes") as workspace:
        response = workspace.symbol(asked)
    assert response.symbol is not None, response
    assert response.symbol.id == expected
    assert expected.partition("/")[0] in str(response.notices) or expected.startswith("npm:@types")


@pytest.mark.parametrize(
    "asked",
    ["web.loop.x", "web.nothing", "web.get.nothing", "nothing.at.all", "web.", ".web", "web..get"],
)
def test_nothing_is_made_up(projects: Path, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    with open_workspace(projects / "python", projects / "indexes") as workspace:
        response = workspace.symbol(asked)
    assert response.symbol is None or response.symbol.name == "get"


def test_an_answer_says_that_a_symbol_is_from_packages_or_that_a_module_lacks_it(
    projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    with open_workspace(projects / "python", projects / "indexes") as workspace:
        response, lacking = workspace.symbol("web.get"), workspace.symbol("web.nothing")
    assert response.notices == ["not in the project; from the system space: pypi:web@1.0"]
    assert lacking.symbol is None and lacking.notices == [
        "`web` is a module of pypi:web@1.0, whose sources define no `nothing`: it may be compiled"
    ]
