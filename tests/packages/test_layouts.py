"""What is reported of each package: its place and files, the names that code uses for it, why it is
missing, and every notice, in the usual and the unusual layouts of each ecosystem (`layouts.toml`)."""

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tests.packages import test_ecosystems, test_node, test_python
from tests.packages.trees import find, shown
from tests.support.files import Files

PAGE: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("layouts.toml").read_text())
LAYOUTS: Final[dict[str, dict[str, Any]]] = {layout["name"]: layout for layout in PAGE["layout"]}

SHARED: Final[dict[str, Files]] = {
    "REAL_PYTHON": test_python.REAL_PYTHON,
    "VENV": test_python.VENV,
    "JDK": test_ecosystems.JDK,
    "GO": {
        "system/usr/lib/go-1.22/VERSION": "go1.22.3\n",
        "system/usr/lib/go-1.22/src/fmt/print.go": "",
    },
}

OTHER_TABLES: Final[dict[str, tuple[Files, dict[str, str]]]] = {
    **{name: case[:2] for name, case in test_ecosystems.CASES.items()},
    **{name: (case[0], {}) for name, case in test_node.CASES.items()},
    **{name: case[:2] for name, case in test_python.CASES.items()},
}
"""The trees of other tables, which check less of each package."""


def reported(top: Path, files: Files, environment: dict[str, str]) -> list[str]:
    """Writes a tree; returns a line for each package, with `TMP` for its folder, and each notice.
    The hundreds of modules of Python itself are an ellipsis."""
    listing = find(top, files, environment)
    lines = []
    for package in listing.packages:
        modules = "…" if len(package.modules) > 50 else " ".join(package.modules)
        line = shown(top, package) + (f" ({modules})" if modules else "")
        lines.append(line + (f": {package.missing}" if package.missing else ""))
    lines += [f"! {notice}" for notice in listing.notices]
    return [line.replace(str(top), "TMP") for line in lines]


@pytest.mark.parametrize("name", LAYOUTS)
def test_what_is_reported_of_a_layout(name: str, tmp_path: Path) -> None:
    layout = LAYOUTS[name]
    files: dict[str, str | bytes] = dict.fromkeys(layout.get("empty", ()), "")
    for shared in layout.get("with", ()):
        files |= SHARED[shared]
    files |= layout.get("files", {})
    expected = layout["reported"].splitlines()
    assert reported(tmp_path, files, layout.get("environment", {})) == expected


@pytest.mark.parametrize("name", OTHER_TABLES)
def test_what_is_reported_of_the_trees_of_other_tables(name: str, tmp_path: Path) -> None:
    files, environment = OTHER_TABLES[name]
    assert reported(tmp_path, files, environment) == PAGE["reported"][name].splitlines()


GEM_FOLDERS: Final = (
    "home/b", "home/b/ruby/3", "home/g", "home/p", "home/.gem/ruby/3", "home/.local/share/gem/ruby/3",
    "home/.rbenv/versions/3/lib/ruby/gems/3", "home/.asdf/installs/ruby/3/lib/ruby/gems/3",
    "home/.local/share/mise/installs/ruby/3/lib/ruby/gems/3", "home/.rubies/3/lib/ruby/gems/3",
    "home/.rvm/gems/3", "system/var/lib/gems/3", "system/usr/share/rubygems-integration/3",
    "system/usr/lib/ruby/gems/3", "system/usr/local/lib/ruby/gems/3", "system/opt/homebrew/lib/ruby/gems/3",
    "system/usr/local/bundle",
)  # fmt: skip


def test_the_first_folder_with_a_gem_is_the_one_that_the_user_named_most_closely(
    tmp_path: Path,
) -> None:
    versions = range(len(GEM_FOLDERS))
    lock = "".join(f"    g ({number:02})\n" for number in versions)
    # Each folder also has the gems that folders before it have.
    files = {
        f"{folder}/gems/g-{number:02}/a.rb": ""
        for position, folder in enumerate(GEM_FOLDERS)
        for number in range(position + 1)
    }
    listing = find(
        tmp_path,
        {"project/Gemfile.lock": f"GEM\n  specs:\n{lock}", **files},
        {"BUNDLE_PATH": "{top}/home/b", "GEM_HOME": "{top}/home/g", "GEM_PATH": "p:{top}/home/p"},
    )
    assert [package.root for package in listing.packages] == [
        tmp_path / folder / f"gems/g-{number:02}" for number, folder in enumerate(GEM_FOLDERS)
    ]
