"""Frames of libraries whose files and functions are called like the tree's; inherited functions."""

import pytest

from symindex.workspace.workspace import Workspace
from tests.support.files import Maker

TREE: dict[str, str | bytes] = {
    "src/main/java/shop/core/Utils.java": (
        "package shop.core;\n\npublic class Utils {\n  void close() {\n  }\n}\n"
    ),
    "src/main/java/shop/core/Pool.java": (
        "package shop.core;\n\npublic class Pool extends Utils {\n  void fill() {\n  }\n}\n"
    ),
    "shop/__init__.py": "",
    "shop/http/__init__.py": "",
    "shop/http/client.py": "class Client:\n    def get_json(self):\n        pass\n",
    "go.mod": "module example.com/shop\n",
    "daemon/daemon.go": "package daemon\n\nfunc New() {\n}\n",
    "vendor/example.com/other/daemon/new.go": "package daemon\n\nfunc NewOther() {\n}\n",
    "packages/ui/src/button.js": "export function press() {\n  return 1\n}\n",
}


@pytest.fixture
def tree(make_workspace: Maker) -> Workspace:
    return make_workspace(TREE)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("\tat shop.core.Utils.close(Utils.java:4)", "src/main/java/shop/core/Utils.java"),
        ("\tat s.c.Utils.close(Utils.java:4)", "src/main/java/shop/core/Utils.java"),
        ("\tat app//shop.core.Utils.close(Utils.java:4)", "src/main/java/shop/core/Utils.java"),
        ("\tat Utils.close(Utils.java:4)", "src/main/java/shop/core/Utils.java"),
        ("\tat com.other.Utils.close(Utils.java:4)", ""),
        ("\tat com.other.Missing.close(Utils.java:4)", ""),
        (
            '  File "/x/site-packages/shop/http/client.py", line 3, in get_json',
            "shop/http/client.py",
        ),
        ('  File "/home/u/code/shop/http/client.py", line 3, in get_json', "shop/http/client.py"),
        ('  File "/x/site-packages/other/http/client.py", line 3, in get_json', ""),
        ('  File "/usr/lib/python3.11/http/client.py", line 3, in get_json', ""),
        ("\t/go/pkg/mod/example.com/shop@v1.0.0/daemon/daemon.go:3 +0x1", "daemon/daemon.go"),
        ("\t/go/pkg/mod/example.com/else@v1.0.0/daemon/daemon.go:3 +0x1", ""),
        ("example.com/shop/daemon.New(0x1)", "daemon/daemon.go"),
        ("example.com/else/daemon.New(0x1)", ""),
        (
            "example.com/other/daemon.NewOther(0x1)",
            "vendor/example.com/other/daemon/new.go",
        ),
        ("    at press (/app/node_modules/@org/ui/src/button.js:2:3)", "packages/ui/src/button.js"),
        ("    at press (/app/node_modules/other/src/button.js:2:3)", ""),
    ],
)
def test_a_frame_of_a_library_is_elsewhere(tree: Workspace, line: str, path: str) -> None:
    frames = [frame.file_path for frame in tree.trace(line).frames]
    assert frames == ([path] if path else []), line


def test_an_inherited_function_is_that_of_the_supertype(tree: Workspace) -> None:
    frame = tree.trace("\tat shop.core.Pool.close(Unknown Source)").frames[0]
    assert frame.symbol is not None
    assert (frame.symbol.name, frame.file_path) == ("close", "src/main/java/shop/core/Utils.java")
    assert not tree.trace("\tat shop.core.Pool.drain(Unknown Source)").frames
