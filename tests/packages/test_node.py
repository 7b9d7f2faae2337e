"""JavaScript: how npm, pnpm and Yarn install packages, and links that lead out of the project."""

import json
import time
from pathlib import Path

import pytest

from symindex.packages.ecosystems import node
from symindex.packages.found import project
from symindex.packages.found.ecosystems import find_packages
from tests.packages.trees import all_shown, find
from tests.support.files import Files

MODULES = "project/node_modules"


def manifest(name: str, version: str, **more: object) -> str:
    return json.dumps({"name": name, "version": version, **more})


APP = json.dumps(
    {
        "name": "app",
        "dependencies": {"a": "^1", "@s/b": "1", "own": "workspace:*"},
        "devDependencies": {"gone": "2"},
    }
)

CASES: dict[str, tuple[Files, list[str], str]] = {
    "nested, scoped, aliased": (
        {
            "project/package.json": APP,
            "project/package-lock.json": '{"packages": {"node_modules/gone": {"version": "2.5.0"}}}',
            f"{MODULES}/a/package.json": "\ufeff" + manifest("a", "1.0.0"),
            f"{MODULES}/a/index.js": "",
            f"{MODULES}/a/node_modules/c/package.json": manifest("c", "2.0.0"),
            f"{MODULES}/a/node_modules/a/package.json": manifest("a", "0.1.0"),
            f"{MODULES}/@s/b/package.json": manifest("@s/b", "1.2.3-rc.1+x"),
            f"{MODULES}/@s/b/node_modules/c/package.json": manifest("c", "2.0.0"),
            f"{MODULES}/c/package.json": manifest("c", "3.0.0"),
            f"{MODULES}/alias/package.json": manifest("real", "4.0.0"),
            f"{MODULES}/.bin/a": "", f"{MODULES}/.cache/x/package.json": manifest("x", "1"), f"{MODULES}/no/index.js": "",
        },
        [
            f"npm:@s/b@1.2.3-rc.1+x* {MODULES}/@s/b [package.json]", f"npm:a@1.0.0* {MODULES}/a [index.js package.json]",
            "npm:gone@2.5.0* ?", f"npm:a@0.1.0 {MODULES}/a/node_modules/a", f"npm:c@2.0.0 {MODULES}/@s/b/node_modules/c",
            f"npm:c@3.0.0 {MODULES}/c", f"npm:real@4.0.0 {MODULES}/alias",
        ],
        "",
    ),
    "projects in the project": (
        {
            "project/package.json": '{"name": "app"}',
            "project/packages/one/package.json": json.dumps({"name": "one", "dependencies": {"a": "1", "b": "1"}}),
            f"{MODULES}/a/package.json": manifest("a", "1.0.0"),
            "project/packages/one/node_modules/b/package.json": manifest("b", "1.0.0"),
        },
        [f"npm:a@1.0.0* {MODULES}/a", "npm:b@1.0.0* project/packages/one/node_modules/b"],
        "",
    ),
    "Plug'n'Play": (
        {
            "project/package.json": APP, "project/.pnp.cjs": "",
            "project/yarn.lock": '__metadata:\n  version: 8\n\n"@s/b@npm:1":\n  version: 1.0.0\n  resolution: "@s/b@npm:1.0.0"\n',
        },
        ["npm:@s/b@1.0.0* ?"],
        "set `nodeLinker: node-modules` in .yarnrc.yml",
    ),
    "nothing installed": (
        {"project/package.json": APP, "project/pnpm-lock.yaml": ""}, ["npm:@s/b@* ?", "npm:a@* ?", "npm:gone@* ?"], "",
    ),
    "no project of it": ({f"{MODULES}/a/package.json": manifest("a", "1")}, [], ""),
    "names, versions and files that are not sound": (
        {
            "project/package.json": '{"dependencies": {"../../x": "1", "z\\u0000": "1"}}',
            f"{MODULES}/a/package.json": manifest("../../a", "1"), f"{MODULES}/b/package.json": manifest("b", "1/../2"),
            f"{MODULES}/c/package.json": manifest("c\n", "1"), f"{MODULES}/d/package.json": manifest("d", "9" * 1000),
            f"{MODULES}/e/package.json": "[" * 100_000, f"{MODULES}/f/package.json": b"\xff\xfe\0",
            f"{MODULES}/g/package.json": '{"name": ["g"]}', f"{MODULES}/h/package.json": '{"name": "h"}',
            f"{MODULES}/i/package.json": manifest("i", "1") + " " * project.MOST_MANIFEST_BYTES,
            f"{MODULES}/ok/package.json": manifest("ok", "1"),
        },
        [f"npm:ok@1 {MODULES}/ok"],
        "node_modules/i/package.json: not read: larger than 1,000,000 bytes",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_layouts(name: str, tmp_path: Path) -> None:
    files, expected, said = CASES[name]
    listing = find(tmp_path, files)
    assert all_shown(tmp_path, listing) == expected
    assert said in "\n".join(listing.notices)
    assert all(notice.isprintable() for notice in listing.notices)


def test_stores_and_links(tmp_path: Path) -> None:
    """The packages are installed as by pnpm, with the project's own package, a circular link, and
    links that lead out of the project."""
    store = f"{MODULES}/.pnpm"
    find(
        tmp_path,
        {
            "project/package.json": '{"dependencies": {"a": "1", "out": "1", "own": "1"}}',
            f"{store}/a@1.0.0/node_modules/a/package.json": manifest("a", "1.0.0"),
            f"{store}/a@2.0.0/node_modules/a/package.json": manifest("a", "2.0.0"),
            f"{store}/@s+b@1.0.0/node_modules/@s/b/package.json": manifest("@s/b", "1.0.0"),
            f"{store}/node_modules/x": "",
            "project/packages/own/package.json": manifest("own", "1.0.0"),
            "home/secret/package.json": manifest("secret", "1.0.0"),
        },
    )
    modules = tmp_path / MODULES
    (modules / "a").symlink_to(".pnpm/a@1.0.0/node_modules/a")
    (modules / "own").symlink_to("../packages/own")
    (modules / "round").symlink_to("../node_modules")
    (modules / "out").symlink_to(tmp_path / "home/secret")
    (modules / ".pnpm/a@1.0.0/node_modules/b").symlink_to("../../@s+b@1.0.0/node_modules/@s/b")
    listing = find(tmp_path, {})
    assert all_shown(tmp_path, listing) == [
        f"npm:a@1.0.0* {store}/a@1.0.0/node_modules/a",
        "npm:out@* ?",
        f"npm:@s/b@1.0.0 {store}/@s+b@1.0.0/node_modules/@s/b",
        f"npm:a@2.0.0 {store}/a@2.0.0/node_modules/a",
    ]
    assert listing.packages[1].missing.startswith(
        "node_modules/out is a link that leads out of the project"
    )


def test_a_folder_that_is_a_link(tmp_path: Path) -> None:
    find(
        tmp_path,
        {"project/package.json": "{}", "home/node_modules/a/package.json": manifest("a", "1")},
    )
    (tmp_path / MODULES).symlink_to(tmp_path / "home/node_modules")
    listing = find(tmp_path, {})
    assert listing.packages == []
    assert listing.notices == ["node_modules: not read: is behind a symbolic link"]


def test_many_entries_take_bounded_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files: Files = {"project/package.json": "{}"}
    files |= {  # type: ignore[operator]
        f"{MODULES}/p{number}/package.json": manifest(f"p{number}", "1") for number in range(300)
    }
    monkeypatch.setattr(node, "_MOST_LOOKED_AT", 100)
    listing = find(tmp_path, files)
    assert 100 <= len(listing.packages) <= 101
    assert "npm: only the first 100 folders of node_modules are searched" in listing.notices
    monkeypatch.setattr(project, "MOST_ENTRIES", 10)
    assert len(find(tmp_path, {}).packages) == 10
    assert len(find(tmp_path, {}, seconds=-1).packages) <= 1


@pytest.mark.slow
def test_five_hundred_packages_take_a_blink(tmp_path: Path) -> None:
    files: Files = {"project/package.json": "{}"}
    files |= {  # type: ignore[operator]
        f"{MODULES}/p{number}/package.json": manifest(f"p{number}", "1") for number in range(500)
    }
    find(tmp_path, files)
    began = time.monotonic()
    assert len(find_packages(tmp_path / "project", {}, tmp_path / "home").packages) == 500
    assert time.monotonic() - began < 1
