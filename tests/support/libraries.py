"""Projects with installed libraries: a virtual environment, and `node_modules`."""

from collections.abc import Mapping
from pathlib import Path

from tests.support.files import write_files

SITE = ".venv/lib/python3.11/site-packages"


def python_project(distributions: Mapping[str, Mapping[str, str]], **files: str) -> dict[str, str]:
    """Returns the files of a Python project. distributions: the installed files, by
    `name-version`."""
    tree = {
        "app.py": "def main():\n    return 1\n",
        ".venv/pyvenv.cfg": "home = /nowhere/at/all\nversion = 3.11.2\n",
        **files,
    }
    for distribution, installed in distributions.items():
        name, _, version = distribution.rpartition("-")
        about = f"{SITE}/{name}-{version}.dist-info"
        tree[f"{about}/METADATA"] = f"Name: {name}\nVersion: {version}\n\n"
        tree[f"{about}/RECORD"] = "".join(f"{path},,\n" for path in installed)
        tree |= {f"{SITE}/{path}": text for path, text in installed.items()}
    return tree


def node_project(packages: Mapping[str, Mapping[str, str]], named: str = "") -> dict[str, str]:
    """Returns the files of a TypeScript project. packages: their files, by folder below
    `node_modules`. named: what the project itself lists."""
    wanted = ", ".join(f'"{name}": "1"' for name in named.split())
    tree = {
        "app.ts": "export function main() { return 1 }\n",
        "package.json": f'{{"name": "app", "dependencies": {{{wanted}}}}}',
    }
    for folder, files in packages.items():
        manifest = {
            "package.json": f'{{"name": "{folder.rpartition("node_modules/")[2]}", "version": "1.0.0"}}'
        }
        tree |= {
            f"node_modules/{folder}/{path}": text for path, text in {**manifest, **files}.items()
        }
    return tree


def make(root: Path, tree: Mapping[str, str]) -> Path:
    write_files(root, dict(tree))
    return root
