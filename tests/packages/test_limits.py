"""Limits of what is read to find packages, and the notices past a limit."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import pytest

from symindex.files.walk import FileFilter
from symindex.packages.ecosystems.poms import _texts
from symindex.packages.ecosystems.properties import LONGEST_TEXT, PropertyValues
from symindex.packages.found.archives import unpack
from symindex.packages.found.package import Package, fault_of
from symindex.packages.found.package_documents import DocumentEndings
from symindex.packages.found.package_files import find_package_files
from symindex.packages.found.project import Project
from symindex.packages.indexes.sources import UnpackBudget
from tests.packages.test_archives import make
from tests.packages.test_ecosystems import needs, pom
from tests.packages.trees import find
from tests.support.files import write_files
from tests.support.limits import Limit, cases, check_limit


@contextmanager
def project(folder: Path, **files: str) -> Iterator[Project]:
    """Opens a project with files; `_` in their names stands for a dot."""
    write_files(folder / "project", {name.replace("_", "."): text for name, text in files.items()})
    with Project(folder / "project", {}, folder / "home", folder / "system") as opened:
        yield opened


def found(folder: Path, files: dict[str, str]) -> tuple[int, list[str]]:
    """Returns how many packages a project has, and the notices about limits."""
    result = find(folder, {f"project/{path}": text for path, text in files.items()})
    return len(result.packages), [
        notice
        for notice in result.notices
        if "only" in notice or "deep" in notice or "not all" in notice
    ]


def read(n: int, folder: Path) -> object:
    with project(folder, a_txt="x" * n) as opened:
        return len(opened.read(opened.place("a.txt"), 5) or b""), opened.notices


def toml(n: int, folder: Path) -> object:
    with project(folder, a_toml="a = 1\n".ljust(n)) as opened:
        return opened.read_toml(opened.place("a.toml")), opened.notices


def json_parts(n: int, folder: Path) -> object:
    with project(folder, a_json='{"a": [' + ",".join(["{}"] * (n - 2)) + "]}") as opened:
        return len((opened.read_json(opened.place("a.json")) or {"a": ()})["a"]), opened.notices


def entries(n: int, folder: Path) -> object:
    with project(folder, **{f"a{number}": "" for number in range(n)}) as opened:
        return len(opened.entries(opened.root)), opened.notices


def places(n: int, folder: Path) -> object:
    with project(folder, **{f"a{number}/go_mod": "" for number in range(n)}) as opened:
        return len(opened.places("go.mod")), opened.notices


def folders_around(n: int, folder: Path) -> object:
    with project(folder, **{f"a{number}/c": "" for number in range(n - 1)}) as opened:
        return len(opened.names_around()) <= 3, opened.notices


def notified(n: int, folder: Path) -> object:
    with project(folder) as opened:
        for number in range(n):
            opened.notify(f"notice {number}")
        return opened.notices


def long_notice(n: int, folder: Path) -> object:
    with project(folder) as opened:
        opened.notify("n" * n)
        return opened.notices


def read_together(n: int, folder: Path) -> object:
    with project(folder, a_txt="x" * n, b_txt="y") as opened:
        opened.begin("Any")
        opened.read(opened.place("a.txt"))
        return opened.text(opened.place("b.txt")), opened.notices


def named(n: int, folder: Path) -> object:
    with project(folder) as opened:
        return opened.is_over(n - 1), opened.notices


def late(n: int, folder: Path) -> object:
    times = iter([0.0, 0.0, float(n)])
    (folder / "project").mkdir()
    with (
        mock.patch("symindex.packages.found.project.time.monotonic", lambda: next(times)),
        project(folder) as opened,
    ):
        return opened.is_late(), opened.notices


def gems(n: int, folder: Path) -> object:
    return found(
        folder,
        {
            "Gemfile.lock": "GEM\n  specs:\n"
            + "".join(f"    a{number} (1)\n" for number in range(n))
        },
    )


def requirement_files(n: int, folder: Path) -> object:
    return found(folder, {f"requirements-{number}.txt": f"a{number}\n" for number in range(n)})


def poms(n: int, folder: Path) -> object:
    modules = "".join(f"<module>m{number}</module>" for number in range(n - 1))
    files = {f"m{number}/pom.xml": pom(f"m{number}") for number in range(n - 1)}
    return found(folder, {"pom.xml": pom("top", f"<modules>{modules}</modules>"), **files})[1]


def dependencies(n: int, folder: Path) -> object:
    return found(folder, {"pom.xml": pom("top", needs(*(f"a{number}:1" for number in range(n))))})


def properties(n: int, folder: Path) -> object:
    own = "".join(f"<p{number}>1</p{number}>" for number in range(n))
    return found(folder, {"pom.xml": pom("top", f"<properties>{own}</properties>")})


def exclusions(n: int, folder: Path) -> object:
    own = "".join(
        f"<exclusion><groupId>g</groupId><artifactId>a{number}</artifactId></exclusion>"
        for number in range(n)
    )
    return found(folder, {"pom.xml": pom("top", needs(f"a:1::<exclusions>{own}</exclusions>"))})


def parents(n: int, folder: Path) -> object:
    files = {
        f"home/.m2/repository/org/x/p{depth}/1.0/p{depth}-1.0.pom": pom(
            f"p{depth}", "", f"p{depth + 1}" if depth < n else ""
        )
        for depth in range(1, n + 1)
    }
    result = find(folder, {"project/pom.xml": pom("top", "", "p1"), **files})
    return [notice for notice in result.notices if "deep" in notice]


def pom_bytes(n: int, folder: Path) -> object:
    result = find(folder, {"project/pom.xml": pom("top", needs("a:1")).ljust(n)})
    return len(result.packages), [notice for notice in result.notices if "pom" in notice]


def expanded(n: int, folder: Path) -> object:
    values = PropertyValues({"p": "x" * n})
    return len(values.expand("${p}")), values.n_refused


def rounds(n: int, folder: Path) -> object:
    chain = {f"p{number}": f"${{p{number + 1}}}" for number in range(n - 1)}
    return PropertyValues({**chain, f"p{n - 1}": "end"}).expand("${p0}")


def name_of_package(n: int, folder: Path) -> object:
    return fault_of("PyPI", "n" * n, "1")[:3]


def version_of_package(n: int, folder: Path) -> object:
    return fault_of("PyPI", "name", "1" * n)[-22:]


def files_of_package(n: int, folder: Path) -> object:
    write_files(folder, {f"{number}.py": "x = 1\n" for number in range(n)})
    return listed(folder)


def bytes_of_package(n: int, folder: Path) -> object:
    write_files(folder, {"a.py": "x" * (n - 1), "b.py": "y"})
    return listed(folder)


def folders_of_package(n: int, folder: Path) -> object:
    write_files(folder, {f"{number}/a.py": "x = 1\n" for number in range(n - 1)})
    return listed(folder)


def listed(folder: Path) -> object:
    package = Package("PyPI", "name", "1", folder, (), (), True, False, "")
    files = find_package_files(package, FileFilter(frozenset({".py"}), frozenset(), 1_000_000))
    return len(files.files), [*files.left_out.values()]


def members_of_archive(n: int, folder: Path) -> object:
    made = make(folder / "a.zip", [(f"{number}.py", b"x") for number in range(n)])
    return unpack(made, folder / "into" / "a", most_members=3).n_files


def bytes_of_archive(n: int, folder: Path) -> object:
    made = make(folder / "a.zip", [("a.py", b"x" * (n - 1)), ("b.py", b"x")])
    return unpack(made, folder / "into" / "a", most_bytes=n if n == 4 else 4).n_bytes


def path_in_archive(n: int, folder: Path) -> object:
    made = make(folder / "a.zip", [("/".join(["d"] * (n - 1)) + "/a.py", b"x"), ("b.py", b"x")])
    done = unpack(made, folder / "into" / "a")
    return done.n_files, sum(done.skipped.values())


def name_in_archive(n: int, folder: Path) -> object:
    made = make(folder / "a.zip", [("n" * n, b"x"), ("b.py", b"x")])
    done = unpack(made, folder / "into" / "a")
    return done.n_files, sum(done.skipped.values())


def folders_in_archive(n: int, folder: Path) -> object:
    made = make(folder / "a.zip", [(f"d{number}/a.py", b"x") for number in range(n)])
    return unpack(made, folder / "into" / "a").n_files


def unpacked(n: int, folder: Path) -> object:
    """Unpacks two archives, of which the first leaves one byte, or none."""
    budget = UnpackBudget(n_bytes=4)
    for number, size in enumerate((n - 1, 1)):
        made = make(folder / f"{number}.zip", [("a.py", b"x" * size)])
        budget.unpack(made, folder / "into" / str(number))
    return "unpacked"


def nested_modules(n: int, folder: Path) -> object:
    """Installs packages nested `n` deep."""
    files = {
        "node_modules/a/" * (level + 1) + "package.json": '{"name": "a", "version": "1"}'
        for level in range(n + 1)
    }
    result = find(
        folder,
        {f"project/{path}": text for path, text in files.items()}
        | {"project/package.json": '{"dependencies": {"a": "1"}}'},
    )
    return [notice for notice in result.notices if "deep" in notice]


def recorded_files(n: int, folder: Path) -> object:
    """Installs a distribution of `n` files."""
    site = "project/.venv/lib/python3.11/site-packages"
    files = {f"{site}/m{number}.py": "" for number in range(n)}
    record = "".join(f"m{number}.py,,\n" for number in range(n))
    metadata = {
        f"{site}/a-1.dist-info/METADATA": "Name: a\nVersion: 1\n",
        f"{site}/a-1.dist-info/RECORD": record,
    }
    result = find(
        folder, {**files, **metadata, "project/.venv/pyvenv.cfg": "", "project/pyproject.toml": ""}
    )
    return [len(package.files) for package in result.packages if package.name == "a"], [
        notice for notice in result.notices if "only" in notice
    ]


def lock_bytes(n: int, folder: Path) -> object:
    lock = "GEM\n  specs:\n    a (1)\n"
    result = find(folder, {"project/Gemfile.lock": lock.ljust(n)})
    return len(result.packages), [
        notice for notice in result.notices if "Gemfile" in notice and "larger" in notice
    ]


def documents_of_package(n: int, folder: Path) -> object:
    write_files(folder, {f"docs/{number}.md": "# Text\n" for number in range(n)})
    package = Package("pypi", "name", "1", folder)
    file_filter = FileFilter(frozenset({".md"}), frozenset(), 1_000_000)
    endings = DocumentEndings(frozenset({".md"}))
    files = find_package_files(package, file_filter, endings)
    return len(files.files), [*files.left_out.values()]


def namespaces(n: int, folder: Path) -> object:
    """Installs a package whose namespaces are in two tables, one of them twice."""
    tables = {
        "psr-4": {"": "src", "A0\\": "src"},
        "psr-0": {f"A{number}": "src" for number in range(n)},
    }
    row = {"name": "a/b", "version": "1", "autoload": tables}
    files = {
        "project/composer.json": "{}",
        "project/vendor/composer/installed.json": json.dumps({"packages": [row]}),
        "project/vendor/a/b/x.php": "",
    }
    result = find(folder, files)
    return [len(package.modules) for package in result.packages], result.notices


def folders_seen(n: int, folder: Path) -> object:
    """Looks around a project whose root has `n` empty folders."""
    with project(folder, a="") as opened:
        (folder / "project/a").unlink()
        for number in range(n):
            (folder / f"project/{number}").mkdir()
        return len(opened.names_around()) - 1, opened.notices


def checkout_folders(n: int, folder: Path) -> object:
    """Searches for a crate that is the last of the `n` folders of a checkout."""
    lock = '[[package]]\nname = "z"\nversion = "1"\nsource = "git+https://a.org/r#0123456789"\n'
    checkout = "home/.cargo/git/checkouts/r-1/0123456"
    files = {f"{checkout}/f{number}/x": "" for number in range(n - 1)}
    result = find(
        folder,
        {"project/Cargo.lock": lock, **files, f"{checkout}/z/Cargo.toml": 'name = "z"\n'},
    )
    return [package.root is not None for package in result.packages if package.name == "z"], [
        notice for notice in result.notices if "only" in notice
    ]


def shared_folders(n: int, folder: Path) -> object:
    """Installs two distributions that share folders, `n - 1` deep. Below the deepest that is
    entered, a shared folder belongs to both."""
    site, shared = "project/.venv/lib/python3.11/site-packages", "/".join(["s"] * (n - 1))
    files = {"project/.venv/pyvenv.cfg": "", "project/pyproject.toml": ""}
    for name in "ab":
        path = f"{shared}/{name}.py"
        files |= {
            f"{site}/{path}": "",
            f"{site}/{name}-1.dist-info/METADATA": f"Name: {name}\nVersion: 1\n",
            f"{site}/{name}-1.dist-info/RECORD": f"{path},,\n",
        }
    result = find(folder, files)
    return [package.files for package in result.packages if package.ecosystem == "pypi"]


def parents_in_the_project(n: int, folder: Path) -> object:
    """Names `n` parents, each by the path of a file that is no `pom.xml`."""
    files = {}
    for depth in range(n + 1):
        parent = f"p{depth + 1}" if depth < n else ""
        text = pom(f"p{depth}", "", parent)
        path = f"<relativePath>{parent}.xml</relativePath></parent>"
        files[f"project/p{depth}.xml" if depth else "project/pom.xml"] = text.replace(
            "</parent>", path
        )
    return [notice for notice in find(folder, files).notices if "deep" in notice]


LIMITS: list[Limit] = [
    Limit("packages.ecosystems.cargo._MOST_CHECKOUT_FOLDERS", 2, checkout_folders, ([True], []), ([False], ["z: only 2 of 3 folders of its repository are searched"])),
    Limit("packages.ecosystems.distributions._DEEPEST", 3, shared_folders, [("s/s/a.py",), ("s/s/b.py",)], [("s/s/s",), ("s/s/s",)]),
    Limit("packages.ecosystems.poms._DEEPEST", 2, parents_in_the_project, [], ["Maven and Gradle: parents and imports of poms are followed 2 deep"]),
    Limit("packages.found.project._MOST_SEEN", 2, folders_seen, (2, []), (0, ["only the first 1 folders of the project are searched for packages"])),
    Limit("packages.ecosystems.composer.MOST_NAMESPACES", 2, namespaces, ([2], []), ([2], ["Composer: only 2 of 3 namespaces of a/b are listed"])),
    Limit("packages.found.package_documents.MOST_DOCUMENTS", 2, documents_of_package, (2, []), (2, [1])),
    Limit("packages.ecosystems.node._DEEPEST", 1, nested_modules, [], ['node_modules/a/node_modules/a/node_modules: nested too deeply; left out']),
    Limit("packages.ecosystems.distributions.MOST_FILES", 2, recorded_files, ([2], []), ([2], ['.venv/lib/python3.11/site-packages/a-1.dist-info: only 2 of its files are listed'])),
    Limit("packages.ecosystems.distributions._MOST_LINES", 2, recorded_files, ([2], []), ([2], ['Python: only the first 2 files that RECORDs name are listed'])),
    Limit("packages.found.project.MOST_BYTES", 60, lock_bytes, (1, []), (0, ['Gemfile.lock: not read: larger than 60 bytes'])),
    Limit("packages.found.project.MOST_TOML_BYTES", 8, toml, ({"a": 1}, []), ({}, ['a.toml: not read: larger than 8 bytes'])),
    Limit("packages.found.project.MOST_JSON_PARTS", 4, json_parts, (2, []), (0, ['a.json: contains more than 4 objects and lists; left out'])),
    Limit("packages.found.project.MOST_ENTRIES", 2, entries, (2, []), (2, ['.: only 2 of its entries are read'])),
    Limit("packages.found.project.MOST_PLACES", 2, places, (2, []), (2, ['only 2 of 3 folders with a go.mod are searched'])),
    Limit("packages.found.project._MOST_FOLDERS", 3, folders_around, (True, []), (True, ['only the first 3 folders of the project are searched for packages'])),
    Limit("packages.found.project.MOST_NOTICES", 2, notified, ["notice 0", "notice 1"], ['notice 0', 'notice 1', 'more was broken than is listed here']),
    Limit("packages.found.project._LONGEST_NOTICE", 8, long_notice, ["nnnnnnnn"], ['nnnnnnnn…']),
    Limit("packages.found.project.MOST_READ_BYTES", 8, read_together, ("y", []), ('', ['Any: not all packages are listed: their files have more than 8 bytes'])),
    Limit("packages.found.project.MOST_NAMED", 3, named, (False, []), (True, ['not all packages are listed: its files name more than 3'])),
    Limit("packages.found.project.SECONDS", None, late, (False, []), (True, ['not all packages are listed: the time is limited to 10 s for an ecosystem, and 30 s for all'])),
    Limit("packages.found.project.MOST_PACKAGES", 3, gems, (3, []), (3, ['RubyGems: only 3 packages are listed'])),
    Limit("packages.ecosystems.requirements._MOST_FILES", 2, requirement_files, (0, []), (0, ['Python: only the first 2 requirements files are read'])),
    Limit("packages.ecosystems.poms.MOST_POMS", 3, poms, [], ['Maven and Gradle: only the first 3 poms are read']),
    Limit("packages.ecosystems.poms._MOST_DEPENDENCIES", 3, dependencies, (3, []), (3, ['Maven and Gradle: only the first 3 properties, dependencies or versions of a pom are read'])),
    Limit("packages.ecosystems.poms._MOST_PROPERTIES", 3, properties, (0, []), (0, ['Maven and Gradle: only the first 3 properties, dependencies or versions of a pom are read'])),
    Limit("packages.ecosystems.poms._MOST_EXCLUSIONS", 3, exclusions, (1, []), (1, ['Maven and Gradle: only the first 3 exclusions of a dependency are used'])),
    Limit("packages.ecosystems.poms._DEEPEST", 2, parents, [], ["Maven and Gradle: parents and imports of poms are followed 2 deep"]),
    Limit("packages.ecosystems.poms._MOST_BYTES", 600, pom_bytes, (1, []), (0, ['pom.xml: not read: larger than 600 bytes'])),
    Limit("packages.ecosystems.properties.LONGEST_TEXT", 8, expanded, (8, 0), (4, 1)),
    Limit("packages.ecosystems.properties._MOST_ROUNDS", 3, rounds, "end", "${p3}"),
    Limit("packages.found.package.LONGEST_NAME", 8, name_of_package, "", "'nn"),
    Limit("packages.found.package.LONGEST_VERSION", 8, version_of_package, "", 'ot a version (of name)'),
    Limit("packages.found.package_files.MOST_FILES", 2, files_of_package, (2, []), (2, [1])),
    Limit("packages.found.package_files.MOST_BYTES", 8, bytes_of_package, (2, []), (1, [1])),
    Limit("packages.found.package_files.MOST_FOLDERS", 3, folders_of_package, (2, []), (2, [1])),
    Limit("packages.found.archives._DEEPEST", 4, path_in_archive, (2, 0), (1, 1)),
    Limit("packages.found.archives._LONGEST_NAME", 12, name_in_archive, (2, 0), (1, 1)),
    Limit("packages.found.archives._LONGEST_PART", 12, name_in_archive, (2, 0), (1, 1)),
    Limit("packages.found.archives._MOST_FOLDERS", 3, folders_in_archive, 3, 'TMP/a.zip: not unpacked: it has more than 3 folders'),
    Limit("packages.indexes.sources.MOST_BYTES", 4, unpacked, "unpacked", 'TMP/1.zip: not unpacked: one build unpacks up to 4 bytes, in 900 seconds; build again'),
]  # fmt: skip


@cases(LIMITS)
def test_limits_of_packages(case: Limit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_limit(case, monkeypatch, tmp_path)


def test_names_and_values_in_a_pom_have_bounds() -> None:
    sizes = (1, 199, 200, 201, 300)
    pom_text = "<p>" + "".join(f"<{'x' * n}>v</{'x' * n}>" for n in sizes) + "</p>"
    assert {*map(len, _texts(ElementTree.fromstring(pom_text)))} == {1, 199, 200}
    (value,) = _texts(ElementTree.fromstring(f"<p><v> {'x' * 1_200} </v></p>")).values()
    assert value == "x" * LONGEST_TEXT


@pytest.mark.parametrize("size", [100, 101, 3_000])
def test_a_notice_shows_100_characters_of_an_included_path(size: int, tmp_path: Path) -> None:
    listing = find(tmp_path, {"project/requirements.txt": f"  -r {'a' * size} # why\n-r b\n"})
    (notice,) = (notice for notice in listing.notices if "is not read" in notice)
    assert notice.startswith(f"requirements.txt: {'a' * 100!r} is not read: only files named")
