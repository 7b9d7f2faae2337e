"""Any content of a project's files leads to packages or notices, in limited time, and to no place
outside that the project chose."""

import os
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symindex.packages.ecosystems import poms
from symindex.packages.ecosystems.properties import LONGEST_TEXT, PropertyValues
from symindex.packages.found import project as project_module
from symindex.packages.found.ecosystems import find_packages
from symindex.packages.found.package import fault_of
from symindex.packages.found.project import MOST_NOTICES
from symindex.text.versions import version_key
from tests.packages.test_ecosystems import CASES, GEMS, LOCK, pom
from tests.packages.trees import find
from tests.support.command import run_python
from tests.support.files import write_files

READ = [
    "pyproject.toml", "requirements.txt", "setup.cfg", "Pipfile", "uv.lock", ".venv/pyvenv.cfg",
    ".venv/lib/python3.11/site-packages/a-1.dist-info/METADATA", ".venv/lib/python3.11/site-packages/a-1.dist-info/RECORD",
    ".venv/lib/python3.11/site-packages/a-1.dist-info/direct_url.json", ".venv/lib/python3.11/site-packages/a.pth",
    ".venv/lib/python3.11/site-packages/a.egg-link", "package.json", "package-lock.json", "node_modules/a/package.json", "go.mod",
    "go.sum", "vendor/modules.txt", "Cargo.lock", "rust-toolchain", "pom.xml", "build.gradle", "gradle.lockfile",
    "gradle/libs.versions.toml", "gradle.properties", "Gemfile.lock", "composer.json", "composer.lock",
    "vendor/composer/installed.json",
]  # fmt: skip
"""The files of a project that are read."""

HUGE: dict[str, bytes] = {
    "nothing": b"",
    "NUL": bytes(10_000),
    "no text": b"\xff\xfe" * 5_000,
    "brackets": b"[" * 200_000,
    "braces": b'{"a":' * 100_000,
    "one long line": b"a" * 900_000,
    "dots": b"../" * 200_000,
    "keys of many parts": b".".join([b"a"] * 100_000) + b" = 1",
    "quotes": b'"' * 300_000,
    "blanks": b" \t" * 300_000,
    "blank lines": b"\n " * 300_000,
    "elements": b"<a>" * 200_000,
    "properties": b"${a}" * 100_000,
    "coordinates": b"'a:b:" * 100_000,
    "requirements": b'[[package]]\nname = "a\n' * 30_000,
    "equals": b"a = 'b' x\n" * 50_000,
    "too large": b"x" * 9_000_000,
}


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", HUGE)
def test_no_file_takes_long(name: str, tmp_path: Path) -> None:
    write_files(tmp_path / "project", dict.fromkeys(READ, HUGE[name]))
    began = time.monotonic()
    listing = find_packages(tmp_path / "project", {}, tmp_path)
    assert time.monotonic() - began < 8
    assert len(listing.notices) <= MOST_NOTICES + 1
    assert all(notice.isprintable() and len(notice) < 400 for notice in listing.notices)


SEEDS = [GEMS, LOCK, pom("a"), '{"name": "a", "version": "1", "dependencies": {"b": "1"}, "packages": [{"name": "x/y"}]}',
         "home = /usr/bin\nversion = 3.11.2\n", "Name: a\nVersion: 1\n\n", "require a v1\nreplace a => b v2\n",
         "a/b.py,sha256=x,1\n"]  # fmt: skip


@pytest.mark.nightly
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_nothing_raises(tmp_path: Path, data: st.DataObject) -> None:
    """Each file contains a text of some format, with parts cut, repeated, or replaced by awkward
    ones."""
    files = {}
    for path in READ:
        text = data.draw(st.sampled_from(SEEDS))
        start, end = sorted(
            data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))))
        )
        awkward = data.draw(
            st.sampled_from(
                ["", "../", "\0", "\n", '"', "{", "[", "<", "/etc/passwd", "\ud7ff", "%2e%2e/"]
            )
        )
        files[path] = (
            text[:start] + awkward + text[data.draw(st.sampled_from([start, end])) :]
        ).encode()
    write_files(tmp_path / "project", files)
    listing = find_packages(tmp_path / "project", {"PATH": ""}, tmp_path / "home")
    for package in listing.packages:
        assert fault_of(package.ecosystem, package.name, package.version) == ""
        assert ".." not in package.label
        assert all(
            ".." not in file.split("/") and not file.startswith("/") for file in package.files
        )


@pytest.mark.parametrize(
    "name", [next(iter(CASES)), "RubyGems", "parents, tables, properties, what is needed in turn"]
)
def test_the_order_is_always_the_same(name: str, tmp_path: Path) -> None:
    files, environment, _, _ = CASES[name]
    first = find(tmp_path, files, environment)
    assert first == find(tmp_path, {}, environment)
    keys = [(package.ecosystem, not package.is_direct, package.name) for package in first.packages]
    assert keys == sorted(keys)


def test_an_empty_folder_and_none(tmp_path: Path) -> None:
    assert find_packages(tmp_path, {}, tmp_path) == ([], [])
    assert find_packages(tmp_path / "no", {"VIRTUAL_ENV": "/no"}, tmp_path).packages == []


@pytest.mark.parametrize(
    ("ecosystem", "name", "version", "is_sound"),
    [
        ("pypi", "zope.interface", "6.0", True), ("pypi", "a" * 301, "1", False), ("pypi", ".a", "1", False),
        ("pypi", "a/b", "1", False), ("pypi", "a", "1!2.0+local.1", True), ("pypi", "a", "1 2", False),
        ("pypi", "a", "1" * 129, False), ("pypi", "a", "", True), ("npm", "@types/node", "20.0.0-beta.1", True),
        ("npm", "@a/b/c", "1", False), ("npm", "@../b", "1", False), ("npm", "a\0", "1", False), ("npm", "a\n", "1", False),
        ("npm", "a", "1\n", False), ("npm", "", "1", False),
        ("go", "golang.org/x/net", "v0.0.0-20230101000000-abcdef+incompatible", True), ("go", "/etc", "v1", False),
        ("go", "a/../b", "v1", False), ("go", "a//b", "v1", False), ("go", "a\\b", "v1", False), ("go", "C:/x", "v1", False),
        ("maven", "org.x:a", "1.0", True), ("maven", "a", "1.0", False), ("maven", "a:b:c", "1.0", False),
        ("maven", "a:b", "[1,2)", False), ("composer", "a/b", "dev-main", True), ("composer", "a", "1", False),
        ("composer", "../b", "1", False), ("gem", "é", "1", False),
    ],
)  # fmt: skip
def test_names_and_versions(ecosystem: str, name: str, version: str, is_sound: bool) -> None:
    assert (fault_of(ecosystem, name, version) == "") is is_sound


def test_versions_in_order() -> None:
    order = ["1.0-alpha", "1.0-rc1", "1.0-rc2", "1.0", "1.0.1", "1.2", "1.10", "2"]
    assert sorted(reversed(order), key=version_key) == order


def _xml(properties: str, dependencies: str) -> str:
    return (
        "<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version>"
        f"<properties>{properties}</properties><dependencies>{dependencies}</dependencies></project>"
    )


def _needs(version: str, count: int) -> str:
    return "".join(
        f"<dependency><groupId>g.x</groupId><artifactId>a{n}</artifactId><version>{version}</version></dependency>"
        for n in range(count)
    )


GROWING: dict[str, tuple[dict[str, str], str]] = {
    "properties of a pom": (
        {"pom.xml": _xml(f"<p>{'x' * 500}</p>", _needs("${p}" * 124, 1_000))},
        "pom.xml: 1,000 values with properties are longer than 500 characters, or 4,000,000 in sum; they are not replaced",
    ),
    "properties in properties": (
        {
            "pom.xml": _xml(
                "".join(f"<p{n}>{f'${{p{n + 1}}}' * 80}</p{n}>" for n in range(9)),
                _needs("${p0}", 300),
            )
        },
        "pom.xml: 300 values with properties are longer than 500 characters, or 4,000,000 in sum; they are not replaced",
    ),
    "variables of a build": (
        {
            "build.gradle": f"a = '{'x' * 190}'\n"
            + "".join(f"'g.x:a{n}:{'$a' * 90}'\n" for n in range(1_000))
        },
        "build.gradle: the version of g.x:a0 has more than 128 characters; left out",
    ),
    "objects in JSON": (
        {"composer.lock": '{"packages": [' + "{}," * 400_001 + "{}]}"},
        "composer.lock: contains more than 400,000 objects and lists; left out",
    ),
}


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", GROWING)
def test_expansion_of_a_file_is_bounded_and_reported(name: str, tmp_path: Path) -> None:
    files, notice = GROWING[name]
    write_files(tmp_path / "project", files)
    tracemalloc.start()
    try:
        listing = find_packages(tmp_path / "project", {}, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 12_000_000
    finally:
        tracemalloc.stop()
    assert notice in listing.notices


def test_a_value_may_be_as_long_as_its_bound() -> None:
    values = {"p": "x" * 250, "q": "${p}${p}", "circle": "${circle}", "other": "${none}"}
    fields = PropertyValues(values)
    assert fields.expand("${q}") == "x" * LONGEST_TEXT and not fields.n_refused
    assert fields.expand("${q}y") == "${q}y" and fields.n_refused == 1  # type: ignore[comparison-overlap]
    assert fields.expand("${circle}-${other}") == "${circle}-${none}"


@pytest.mark.parametrize(
    ("limit", "value", "files", "notice"),
    [
        ("MOST_READ_BYTES", 10, {"Cargo.toml": "", "Cargo.lock": "x" * 11, "a/Cargo.lock": "x"},
         "Cargo: not all packages are listed: their files have more than 10 bytes"),
        ("MOST_NAMED", 3, {"Gemfile.lock": "GEM\n" + "".join(f"    a{n} (1)\n" for n in range(9))},
         "RubyGems: not all packages are listed: its files name more than 3"),
        ("MOST_NAMED", 3, {"gradle.lockfile": "".join(f"g.x:a{n}:1=c\n" for n in range(9))},
         "Maven and Gradle: not all packages are listed: its files name more than 3"),
        ("MOST_SECONDS", -1.0, {"pom.xml": _xml("", _needs("1", 2))},
         "Maven and Gradle: not all packages are listed: the time is limited to 10 s for an ecosystem, and -1 s for all"),
    ],
)  # fmt: skip
def test_all_files_of_an_ecosystem_have_a_bound_together(
    limit: str,
    value: float,
    files: dict[str, str],
    notice: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_files(tmp_path / "project", files)
    monkeypatch.setattr(project_module, limit, value)
    listing = find_packages(tmp_path / "project", {}, tmp_path)
    assert notice in listing.notices
    assert len(listing.packages) <= 6


def test_a_limit_is_reported_even_if_much_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(
        tmp_path / "project",
        {"Gemfile.lock": "GEM\n" + "".join(f"    .{n} (1)\n" for n in range(300))},
    )
    monkeypatch.setattr(project_module, "MOST_NAMED", 200)
    notices = find_packages(tmp_path / "project", {}, tmp_path).notices
    assert notices[0].startswith("RubyGems: not all packages") and len(notices) == MOST_NOTICES + 2


def test_poms_that_are_not_kept_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, environment, _, _ = CASES["parents, tables, properties, what is needed in turn"]
    first = find(tmp_path, files, environment)
    monkeypatch.setattr(poms, "_MOST_CACHED_BYTES", 0)
    assert find(tmp_path, {}, environment) == first


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs pipes and links")
def test_requirements_include_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("top-secret\n")
    root = tmp_path / "project"
    included = [
        "../secret.txt",
        "pipe",
        "link.txt",
        str(secret),
        "requirements.txt",
        "requirements-dev.txt",
    ]
    lines = "".join(f"-r {name}\n--requirement={name}\n-c {name}\n" for name in included)
    write_files(
        root,
        {
            "requirements.txt": f"a\n{lines}",
            "requirements-dev.txt": f"b\n-r requirements.txt\n{lines}",
        },
    )
    write_files(
        root,
        {
            f"requirements/{number}.txt": f"c{number}\n-r {number + 1}.txt\n"
            for number in range(2_000)
        },
    )
    write_files(
        root,
        {
            ".venv/pyvenv.cfg": "home = /nowhere/at/all\nversion = 3.11.2\n",
            ".venv/lib/python3.11/site-packages/x.py": "",
        },
    )
    os.mkfifo(root / "pipe")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(root / "requirements-pipe.txt")
    (root / "requirements-link.txt").symlink_to(tmp_path / "secret.txt")
    listing = find_packages(root, {"PATH": ""}, tmp_path / "home")
    names = {package.name for package in listing.packages}
    assert {"a", "b"} <= names
    assert not any("secret" in name for name in names)
    assert any(
        "'../secret.txt' is not read: only files named requirements*.txt" in notice
        for notice in listing.notices
    )
    assert any(
        "only the first 20 requirements files are read" in notice for notice in listing.notices
    )


POM_THAT_EXPANDS = """
import resource, sys, time
from pathlib import Path
from symindex.packages.found.ecosystems import find_packages
first, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
found = find_packages(Path(sys.argv[1]), {"PATH": ""}, Path(sys.argv[1]) / "home")
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - first) // 1_000
print(grown, round(time.monotonic() - began, 1), *found.notices, sep="\\n")
"""


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs the memory of a process in kilobytes")
@pytest.mark.parametrize(
    "kind", ["each holds the one before it", "one in many fields", "long values", "many values"]
)
def test_properties_of_a_pom_that_expand_take_no_memory(kind: str, tmp_path: Path) -> None:
    """The file has 1.5 MB; reading it once took 2.2 GB."""
    field = "${p9}" * 16
    pairs = {
        "each holds the one before it": [
            f"<p0>{'x' * 900}</p0>",
            *(f"<p{n}>{f'${{p{n - 1}}}' * 40}</p{n}>" for n in range(1, 10)),
        ],
        "one in many fields": [f"<p9>{'x' * 1_000}</p9>"],
        "long values": [f"<p9>{'x' * 600_000}</p9>"],
        "many values": [
            f"<q{n}>${{p{n}}}${{p9}}</q{n}><p{n}>${{q{n - 1}}}{'y' * 20}</p{n}>"
            for n in range(9, 9_000)
        ],
    }[kind]
    need = "<dependency><groupId>{0}</groupId><artifactId>a{1}{0}</artifactId><version>{0}</version></dependency>"
    head = f"<project><artifactId>a</artifactId><version>1</version><properties>{''.join(pairs)}</properties><dependencies>"
    n_needs = (1_500_000 - len(head)) // len(need.format(field, 1))
    text = (
        head
        + "".join(need.format(field, number) for number in range(n_needs))
        + "</dependencies></project>"
    )
    write_files(tmp_path, {"pom.xml": text, **{f"m{number}/pom.xml": text for number in range(3)}})
    done = run_python(POM_THAT_EXPANDS, tmp_path)
    assert done.returncode == 0, done.stderr
    megabytes, seconds, *notices = done.stdout.splitlines()
    assert int(megabytes) < 150, done.stdout
    assert float(seconds) < 20, done.stdout
    assert notices
