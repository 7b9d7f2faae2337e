"""Python: the environment that counts, the files of each distribution, and broken or hostile
ones."""

import os
from pathlib import Path

import pytest

from tests.packages.trees import all_shown, find, shown
from tests.support.files import Files

PACKAGES = "project/.venv/lib/python3.11/site-packages"

REAL_PYTHON: Files = {
    f"system/usr/lib/python3.11/{name}": ""
    for name in (
        "os.py", "site.py", "encodings/__init__.py", "collections/__init__.py", "json/__init__.py", "test/test_os.py",
        "idlelib/idle.py", "idlelib/idle_test/test_it.py", "dist-packages/apt.py",
        "site-packages/x.py", "lib-dynload/x.so", "LICENSE.txt",
    )
}  # fmt: skip
LIBRARY = "python:stdlib@3.11.2* system/usr/lib/python3.11 [collections encodings idlelib/idle.py json os.py site.py]"

VENV: Files = {"project/.venv/pyvenv.cfg": "home = {top}/system/usr/bin\nversion = 3.11.2\n"}


def distribution(name: str, version: str, record: str, base: str = PACKAGES, **more: str) -> Files:
    """Returns a distribution with empty files."""
    folder = f"{base}/{name}-{version}.dist-info"
    paths = [line.partition(",")[0] for line in record.splitlines()]
    return {
        f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: s\n\nVersion: 0\n",
        f"{folder}/RECORD": f"{record}\n{name}-{version}.dist-info/METADATA,,\n../../../bin/{name},,\n",
        **{
            f"{base}/{path}": ""
            for path in paths
            if path and not path.startswith(("/", "..", "C:"))
        },
        **{f"{folder}/{key}": text for key, text in more.items()},
    }


CASES: dict[str, tuple[Files, dict[str, str], list[str], str]] = {
    "whose each file is": (
        {
            **REAL_PYTHON, **VENV,
            **distribution("Plain_One", "1.0", "plain/__init__.py,sha256=x,1\nplain/deep/a.py,,\nsix.py,,\n_fast.so,,"),
            **distribution("shared-a", "2", "space/a/__init__.py,,\nspace/a/b.py,,"),
            **distribution("shared-b", "3", 'space/b.py,,\n"space/c,d/x.py",,'),
            "project/pyproject.toml": "[project]\ndependencies = ['plain.one>=1; x', 'gone[x]~=2', 'win; os_name']",
            f"{PACKAGES}/space/c,d/x.py": "", "project/uv.lock": '[[package]]\nname = "gone"\nversion = "2.1"\n',
        }, {},
        [
            "pypi:gone@2.1* ?", f"pypi:plain-one@1.0* {PACKAGES} [plain six.py]",
            f"pypi:shared-a@2 {PACKAGES} [space/a]", f"pypi:shared-b@3 {PACKAGES} [space/b.py space/c,d]", LIBRARY,
        ],
        "Python packages are those of .venv (in the project's folder)",
    ),
    "the active one comes first": (
        {
            **REAL_PYTHON, **VENV, **distribution("inner", "1", "inner.py,,"),
            "home/env/pyvenv.cfg": "version_info = 3.11.2.final.0\nhome = {top}/system/usr/bin\n",
            **distribution("outer", "1", "outer.py,,", "home/env/lib/python3.11/site-packages"),
        },
        {"VIRTUAL_ENV": "{top}/home/env"},
        ["pypi:outer@1 home/env/lib/python3.11/site-packages [outer.py]", LIBRARY],
        "(VIRTUAL_ENV)",
    ),
    "an active one that is gone": (
        {**REAL_PYTHON, **VENV}, {"VIRTUAL_ENV": "{top}/home/no"}, [LIBRARY], "which is not a virtual environment",
    ),
    "conda, for a project of Python": (
        {
            "project/setup.py": "", "home/conda/conda-meta/history": "",
            **{path.replace("system/usr", "home/conda"): "" for path in REAL_PYTHON},
            "home/conda/include/python3.11/patchlevel.h": '#define PY_VERSION  "3.11.9"\n',
        },
        {"CONDA_PREFIX": "{top}/home/conda"},
        ["python:stdlib@3.11.9* home/conda/lib/python3.11 [collections encodings idlelib/idle.py json os.py site.py]"],
        "(CONDA_PREFIX)",
    ),
    "none": ({"project/a.py": ""}, {"CONDA_PREFIX": "{top}/no"}, [], "no virtual environment was found: activate one"),
    "Windows": (
        {
            "project/venv/pyvenv.cfg": "home = {top}/home/Python311\nversion = 3.11.2\n",
            **{path.replace("system/usr/lib/python3.11", "home/Python311/Lib"): "" for path in REAL_PYTHON},
            "home/Python311/python.exe": "",
            **distribution("one", "1", "one.py,,", "project/venv/Lib/site-packages"),
        }, {},
        [
            "pypi:one@1 project/venv/Lib/site-packages [one.py]",
            "python:stdlib@3.11.2* home/Python311/Lib [collections encodings idlelib/idle.py json os.py site.py]",
        ],
        "",
    ),
    "older metadata, none, and what is left over": (
        {
            **REAL_PYTHON, **VENV,
            f"{PACKAGES}/old-1.5-py3.11.egg-info/PKG-INFO": "Name: old\nVersion: 1.5\n", f"{PACKAGES}/old/__init__.py": "",
            f"{PACKAGES}/old-1.5-py3.11.egg-info/top_level.txt": "old\n../../../../secret\n",
            f"{PACKAGES}/flat-2.egg-info": "Name: flat\nVersion: 2\n", f"{PACKAGES}/flat.py": "",
            f"{PACKAGES}/empty-1.dist-info/INSTALLER": "pip", f"{PACKAGES}/~ip-23.dist-info/METADATA": "Name: pip\nVersion: 23\n",
        }, {},
        ["pypi:empty@1 ?", f"pypi:flat@2 {PACKAGES} [flat.py]", f"pypi:old@1.5 {PACKAGES} [old]", LIBRARY],
        "~ip-23.dist-info is left over from an interrupted installation: delete it",
    ),
    "two versions of one": (
        {**REAL_PYTHON, **VENV, **distribution("two", "1.9", "two.py,,"), **distribution("two", "1.10", "two.py,,")}, {},
        [f"pypi:two@1.10 {PACKAGES} [two.py]", LIBRARY],
        "two is installed in several versions",
    ),
    "editable ones": (
        {
            **REAL_PYTHON, **VENV, "home/other/src/other/__init__.py": "",
            **distribution("own", "1", "__editable__.pth,,", **{"direct_url.json": '{"url":"file://{top}/project","dir_info":{"editable":true}}'}),
            **distribution("other", "1", "x.pth,,", **{"direct_url.json": '{"dir_info": {"editable": true}, "url": "file://{top}/home/other"}'}),
            f"{PACKAGES}/more.pth": "{top}/home/other\nimport os\n",
        }, {},
        ["pypi:other@1 ?", LIBRARY],
        "more.pth: adds",
    ),
    "editable, of the user's own environment": (
        {
            **REAL_PYTHON, "home/env/pyvenv.cfg": "version = 3.11.2\nhome = {top}/system/usr/bin\n",
            "home/other/src/other/__init__.py": "",
            **distribution(
                "other", "1", "x.pth,,", "home/env/lib/python3.11/site-packages",
                **{"direct_url.json": '{"dir_info": {"editable": true}, "url": "file://{top}/home/other"}'},
            ),
        }, {"VIRTUAL_ENV": "{top}/home/env"},
        ["pypi:other@1 home/other/src [other]", LIBRARY],
        "",
    ),
    "a configuration that names what is no Python": (
        {"project/.venv/pyvenv.cfg": "home = {top}/home/bin\nversion = 3.11.2", "home/lib/python3.11/os.py": ""}, {},
        ["python:stdlib@3.11.2* ?"],
        "it has no site-packages",
    ),
    "a configuration that is not sound": (
        {"project/.venv/pyvenv.cfg": b"home = ../../..\0\nversion = ../3.11"}, {}, [], "names no home of Python",
    ),
    "names, versions and paths that lead elsewhere": (
        {
            **REAL_PYTHON, **VENV,
            **distribution("good", "1", "good/a.py\n../../x.py,,\n/etc/passwd,,\nC:\\x.py,,\n./y.py,,\ngood/../../z.py,,\nno.py"),
            f"{PACKAGES}/a-1.dist-info/METADATA": "Name: ../../a\nVersion: 1\n",
            f"{PACKAGES}/b-1.dist-info/METADATA": "Name: b\nVersion: ../1\n",
            f"{PACKAGES}/c-1.dist-info/METADATA": f"Name: {'c' * 1000}\nVersion: 1\n",
            f"{PACKAGES}/d-1.dist-info/METADATA": "Name: d\x1b[31m\0\nVersion: 1\n",
        }, {},
        [f"pypi:good@1 {PACKAGES} [good no.py]", LIBRARY],
        "b-1.dist-info: '../1' is not a version (of b); left out",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_environments(name: str, tmp_path: Path) -> None:
    files, environment, expected, said = CASES[name]
    listing = find(tmp_path, files, environment)
    assert all_shown(tmp_path, listing) == expected
    assert said in "\n".join(listing.notices)
    assert "__editable__.pth" not in "\n".join(listing.notices)  # it belongs to a distribution
    assert all(notice.isprintable() for notice in listing.notices)


def test_links_lead_nowhere(tmp_path: Path) -> None:
    """No environment, folder, metadata or package is read through a link that leads out of the
    project."""
    outside: Files = {
        **distribution("secret", "1", "secret.py,,", "home/env/lib/python3.11/site-packages"),
        "home/env/pyvenv.cfg": "",
    }
    files: Files = {
        **REAL_PYTHON,
        **VENV,
        **distribution("one", "1", "one.py,,\nlinked.py,,\ninner/x.py,,"),
        **outside,
    }
    find(tmp_path, files)
    packages = tmp_path / PACKAGES
    (packages / "linked.py").unlink()
    (packages / "linked.py").symlink_to(tmp_path / "home/env/pyvenv.cfg")
    (packages / "secret-1.dist-info").symlink_to(
        tmp_path / "home/env/lib/python3.11/site-packages/secret-1.dist-info"
    )
    (tmp_path / "project/venv").symlink_to(tmp_path / "home/env")
    listing = find(tmp_path, {})
    assert all_shown(tmp_path, listing) == [
        f"pypi:one@1 {PACKAGES} [inner one.py]",
        "pypi:secret@1 ?",
        LIBRARY,
    ]
    (tmp_path / "project/.venv").rename(tmp_path / "home/gone")
    listing = find(tmp_path, {"project/a.py": ""})
    assert listing.packages == []
    assert (
        "venv: a link that leads out of the project: activate the environment to have it read"
        in listing.notices
    )


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    find(tmp_path, {**REAL_PYTHON, **VENV, **distribution("one", "1", "one.py,,")})
    (tmp_path / PACKAGES).chmod(0)
    listing = find(tmp_path, {})
    (tmp_path / PACKAGES).chmod(0o700)
    assert all_shown(tmp_path, listing) == [LIBRARY]
    assert any("not read: Permission denied" in notice for notice in listing.notices)


def test_files_that_are_gone_hide_no_others_in_a_shared_folder(tmp_path: Path) -> None:
    gone = ("space/gone.py", "space/none/x.py")
    record = "".join(f"{path},,\n" for path in (*gone, "__pycache__/x.pyc", "a:b.py", "space/a.py"))
    files = {
        **REAL_PYTHON, **VENV, **distribution("one", "1", record),
        **distribution("two", "1", "space/none/x.py,,\nspace/b.py,,"),
    }  # fmt: skip
    for path in gone:
        files.pop(f"{PACKAGES}/{path}")
    packages = [shown(tmp_path, package) for package in find(tmp_path, files).packages]
    assert packages[:2] == [
        f"pypi:one@1 {PACKAGES} [space/a.py]", f"pypi:two@1 {PACKAGES} [space/b.py]",
    ]  # fmt: skip
