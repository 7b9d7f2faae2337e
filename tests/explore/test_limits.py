"""Limits of exploring: text, traces, symbols, relations and changes, and what an answer says past a
limit."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest

from symindex.errors import RequestError, StorageError
from symindex.explore.git_objects import check_revision
from symindex.explore.grep.given_text import grep_given
from symindex.explore.grep.search import _Page
from symindex.explore.grep.templates import message_of, share_of
from symindex.explore.references.mentions import MentionSearch, _Batch
from symindex.explore.references.references import last_part
from symindex.explore.trace.frames import parse_frame
from symindex.protocol.explore import TextRange
from symindex.protocol.grep import GrepRequest
from symindex.resolve.reading.excerpts import excerpts
from symindex.workers.child import Cause, Exit
from symindex.workspace.workspace import Workspace, open_workspace
from tests.support.files import write_files
from tests.support.git import git
from tests.support.libraries import make, python_project
from tests.support.limits import Limit, cases, check_limit

N_FILES = 6

TREE = {
    ".gitignore": "build/\n",
    "far.py": "".join(f"def far_{number}():\n    pass\n\n\n" for number in range(N_FILES)) + "#\n" * 40,
    "deep.py": "class Level0:\n    pass\n" + "".join(f"\n\nclass Level{number}(Level{number - 1}):\n    pass\n" for number in range(1, N_FILES)),
    **{f"many/{number}.txt": "many\n" * number for number in (3, 4)},
    **{f"twins/{name}_{number}.py": f"def twin_{name}():\n    return {number}\n" for name in (2, 3, 4, 5) for number in range(name)},
    "used.py": "def used():\n    pass\n",
    **{f"folder_{number}/same.py": "def same():\n    return 1\n" for number in range(N_FILES)},
    **{f"build/{number}.txt": "hidden\n" for number in range(N_FILES)},
    **{f"raises/{number}.py": f'def raises(x):\n    raise KeyError(f"no plugin {{x}} in place")  # {number}\n' for number in range(12)},
    **{f"pages/{number}.txt": "quick brown foxes jumped yesterday\n" for number in range(N_FILES)},
    **{f"calls/{number}.py": f"from used import used\n\n\ndef caller_{number}():\n    used()\n" for number in range(N_FILES)},
}  # fmt: skip

PADDED = 60
"""Fewest bytes of a file whose size is at a limit."""

LIBRARY = python_project(
    {
        "web-1.0": {
            "web/__init__.py": "",
            "web/chain_0.py": "def offered():\n    return 1\n",
            **{f"web/chain_{n}.py": f"from .chain_{n - 1} import offered\n" for n in range(1, 5)},
            **{f"web/long_{n}.py": "from .chain_0 import offered\n".ljust(n, "#") for n in range(PADDED - 1, PADDED + 2)},
        }
    }
)  # fmt: skip

shared: dict[str, Workspace] = {}


@pytest.fixture(scope="module", autouse=True)
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("limits")
    with Workspace(write_files(folder / "tree", TREE), folder / "index") as workspace:
        workspace.refresh()
        shared["tree"] = workspace
        yield
        shared.pop("library", workspace).close()


def notices(response: Any) -> str:
    return "; ".join(response.notices or ())


def offered_by(module: str, folder: Path) -> str:
    """Returns what is said about the symbol that a module of a library offers."""
    if "library" not in shared:
        root = make(folder / "library", LIBRARY)
        shared["library"] = open_workspace(root, folder / "indexes")
    return notices(shared["library"].symbol(f"web.{module}.offered"))


def imports_followed(n: int, folder: Path) -> object:
    return offered_by(f"chain_{n}", folder)


def files_followed(n: int, folder: Path) -> object:
    return offered_by(f"chain_{n - 1}", folder)


def size_of_module(n: int, folder: Path) -> object:
    return offered_by(f"long_{n}", folder)


def characters_before_the_last_file(n: int, folder: Path) -> object:
    return offered_by(f"long_{n - 1}", folder)


IN_LIBRARY = "not in the project; from the system space: pypi:web@1.0"


def cut_in_library(module: str) -> str:
    return (
        f"{IN_LIBRARY}; the search of modules for `web.{module}.offered` reached a limit: they may"
        " define it in a file that was not searched"
    )


def given_lines(n: int, folder: Path) -> object:
    response = grep_given(b"alpha\n" * n, GrepRequest(pattern="alpha"))
    return response.total, response.at_least, notices(response)


def changed_since(n: int, folder: Path) -> object:
    page = _Page(GrepRequest(pattern="x"), None)
    page._changed = [f"{number}.py" for number in range(n)]
    return notices(page.response(None, None, 0)).replace(
        " has changed since it was indexed: its symbols are left out", ""
    )


def templates(n: int, folder: Path) -> object:
    paths = [f"raises/{number}.py" for number in range(n)]
    response = shared["tree"].grep("no plugin cart in place", paths=paths)
    return len(response.files), notices(response)


def near_places(n: int, folder: Path) -> object:
    paths = [f"pages/{number}.txt" for number in range(n)]
    response = shared["tree"].grep("quick brown foxes jumped today", paths=paths)
    return len(response.files), notices(response)


def named_paths(n: int, folder: Path) -> object:
    paths = [f"build/{number}.txt" for number in range(n)]
    response = shared["tree"].grep("hidden", paths=paths)
    said = [notice for notice in response.notices or () if "looked into" in notice]
    return len(said), said[-1].partition(":")[0]


def template_line(n: int, folder: Path) -> object:
    line = 'raise KeyError(f"no plugin {x} in place")'
    return share_of(line.ljust(n), message_of("no plugin cart in place")) > 0


def frames(n: int, folder: Path) -> object:
    response = shared["tree"].trace('File "far.py", line 1, in far_0\n' * n)
    return len(response.frames), response.looked_up, response.total


def lines_of_trace(n: int, folder: Path) -> object:
    response = shared["tree"].trace('File "far.py", line 1, in far_0\n' * n)
    return response.total, notices(response)


def line_of_trace(n: int, folder: Path) -> object:
    line = 'File "far.py", line 1, in far_0'
    return parse_frame(line.rjust(n)) is not None


def other_versions(n: int, folder: Path) -> object:
    trace = "".join(f'File "far.py", line 40, in far_{number}\n' for number in range(n))
    said = shared["tree"].trace(trace).notices or []
    return [notice.partition(", which is")[0] for notice in said]


def touched(n: int, folder: Path) -> object:
    response = shared["tree"].symbol(f"far.py:1-{4 * n - 2}")
    assert isinstance(response.text, TextRange)
    return [line.name for line in response.text.touched or ()], notices(response)


def folders_of_map(n: int, folder: Path) -> object:
    response = shared["tree"].map(path=f"folder_[0-{n - 1}]/**")
    return len(response.folders), notices(response)


def levels(n: int, folder: Path) -> object:
    response = shared["tree"].hierarchy(f"Level{N_FILES - 1 - n}", direction="subtypes", depth=9)
    count, items = 0, response.items
    while items:
        count, items = count + 1, items[0].items
    return count, notices(response)


def default_levels(n: int, folder: Path) -> object:
    response = shared["tree"].hierarchy(f"Level{N_FILES - 1 - n}", direction="subtypes")
    return notices(response)


def elsewhere(n: int, folder: Path) -> object:
    response = shared["tree"].symbol("same", path="deep.py")
    return notices(response)


def long_name(n: int, folder: Path) -> object:
    return last_part("n" * n)


def long_symbol(n: int, folder: Path) -> object:
    return shared["tree"].symbol("n" * n).total


def revision(n: int, folder: Path) -> object:
    check_revision("r" * n)
    return "looked up"


def long_line(n: int, folder: Path) -> object:
    return excerpts(b"x" * n, [0])[0].text


def compared(n: int, folder: Path) -> object:
    """Returns the names of the files that changed when `n` of them were renamed."""
    root = folder / "tree"
    write_files(
        root,
        {
            f"old_{number}.py": f"def first_{number}():\n    return {number}\n"
            for number in range(n)
        },
    )
    commit(root)
    for number in range(n):
        (root / f"old_{number}.py").rename(root / f"new_{number}.py")
    with Workspace(root, folder / "index") as workspace:
        response = workspace.changed("HEAD")
    return sorted(file.file_path for file in response.files), notices(response)


def moved_bytes(n: int, folder: Path) -> object:
    """Returns the notices about a file of `n` bytes that was moved, and about another one."""
    root = folder / "tree"
    large = "x = 1\n".ljust(n, "#")
    write_files(root, {"old.py": large, "gone.py": "def small():\n    return 1\n"})
    commit(root)
    (root / "old.py").rename(root / "new.py")
    (root / "gone.py").rename(root / "there.py")
    with Workspace(root, folder / "index") as workspace:
        response = workspace.changed("HEAD")
    return [f"{file.file_path} {file.status}" for file in response.files], notices(response)


def listing(n: int, folder: Path) -> object:
    """Returns what changed in a tree whose listing takes one byte less than `n`."""
    root = folder / "tree"
    write_files(root, {f"{'a' * (n - 66)}.py": "x = 1\n"})
    commit(root)
    with Workspace(root, folder / "index") as workspace:
        try:
            return workspace.changed("HEAD").total_files
        except RequestError as error:
            return re.sub("[0-9a-f]{12}", "HASH", str(error).replace(str(folder), "TMP"))


def levels_of_outline(n: int, folder: Path) -> object:
    """Returns how many of `n` classes inside each other are not shown."""
    text = "".join(f"{' ' * number}class C{number}:\n" for number in range(n)) + " " * n + "pass\n"
    with Workspace(write_files(folder / "tree", {"x.py": text}), folder / "index") as workspace:
        return workspace.outline("x.py").hidden


def meant_symbols(n: int, folder: Path) -> object:
    files = {f"{number}.py": f"class C{number}:\n    def go(self): pass\n" for number in range(n)}
    with Workspace(write_files(folder / "tree", files), folder / "index") as workspace:
        response = workspace.hierarchy("go", direction="callers")
    return len(response.candidates or ()), notices(response)


def submodules(n: int, folder: Path) -> object:
    """Returns which of `n` changed submodules are compared."""
    root = folder / "tree"
    write_files(root, {f"sub{number}/a.py": "def f():\n    return 1\n" for number in range(n)})
    for number in range(n):
        commit(root / f"sub{number}")
    commit(root)
    write_files(root, {f"sub{number}/a.py": "def f():\n    return 2\n" for number in range(n)})
    with Workspace(root, folder / "index") as workspace:
        response = workspace.changed("HEAD")
    return len(response.files), notices(response)


def one_large(n: int, folder: Path) -> object:
    """Returns what is said of a small file in place of one of `n` bytes."""
    root = folder / "tree"
    write_files(root, {"old.py": "x = 1\n".ljust(n, "#")})
    commit(root)
    (root / "old.py").unlink()
    write_files(root, {"new.py": "y = 1\n"})
    with Workspace(root, folder / "index") as workspace:
        return notices(workspace.changed("HEAD"))


def listed_tests(n: int, folder: Path) -> object:
    """Returns how many tests are listed for a changed symbol that `n` tests use."""
    root = folder / "tree"
    tests = "".join(f"\n\ndef test_{number}():\n    assert area(2)\n" for number in range(n))
    write_files(
        root,
        {
            "shape.py": "def area(x):\n    return x\n",
            "tests/test_shape.py": f"from shape import area\n{tests}",
        },
    )
    commit(root)
    write_files(root, {"shape.py": "def area(x):\n    return x * 2\n"})
    with Workspace(root, folder / "index") as workspace:
        response = workspace.changed("HEAD", tests=True)
    return len(response.files[0].symbols[0].tests), notices(response)


def symbols_with_tests(n: int, folder: Path) -> object:
    root = folder / "tree"
    before = "".join(f"def area_{number}(x):\n    return x\n\n\n" for number in range(n))
    write_files(root, {"shape.py": before})
    commit(root)
    write_files(root, {"shape.py": before.replace("return x", "return 2")})
    with Workspace(root, folder / "index") as workspace:
        return notices(workspace.changed("HEAD", tests=True))


def commit(root: Path, subject: str = "first") -> None:
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", subject)


def lines_of_file(n: int, folder: Path) -> object:
    """Searches a file of `n` lines with a text."""
    response = shared["tree"].grep("many", paths=[f"many/{n}.txt"])
    return response.total, response.at_least, notices(response)


def namesakes(n: int, folder: Path) -> object:
    response = shared["tree"].hierarchy(f"twin_{n + 1}", direction="callers")
    return notices(response)


def candidates(n: int, folder: Path) -> object:
    response = shared["tree"].symbol(f"twin_{n}")
    return len(response.candidates or ()), len(response.others)


def long_path(n: int, folder: Path) -> object:
    try:
        return shared["tree"].outline("p/" * (n // 2)).files
    except RequestError as error:
        return str(error)[-30:]


def lost_processes(n: int, folder: Path) -> object:
    """Loses `n - 1` processes in a row before one has searched a batch."""
    order = _Batch([0])
    with suppress(StorageError):
        for _ in range(n - 1):
            MentionSearch.lose(cast(MentionSearch, None), order, Exit(Cause.CRASHED, "code 9"))
        return "goes on"
    return "StorageError"


def tags(n: int, folder: Path) -> object:
    root = folder / "tree"
    write_files(root, {"a.py": "a = 1\n"})
    commit(root)
    for number in range(n):
        git(root, "tag", f"v{number}")
    with Workspace(root, folder / "index") as workspace:
        return workspace.changed("v-none")


LIMITS: list[Limit] = [
    Limit("explore.references.mentions.MOST_EXITS", 2, lost_processes, "goes on", "StorageError"),
    Limit("explore.targets.libraries._DEEPEST", 2, imports_followed, IN_LIBRARY, cut_in_library("chain_3"), is_slow=True),
    Limit("explore.targets.libraries.MOST_STEPS", 3, files_followed, IN_LIBRARY, cut_in_library("chain_3")),
    Limit("explore.targets.libraries.MOST_PLACES", 3, files_followed, IN_LIBRARY, cut_in_library("chain_3")),
    Limit("explore.targets.libraries.MOST_TEXT", PADDED, size_of_module, IN_LIBRARY, cut_in_library(f"long_{PADDED + 1}")),
    Limit("explore.targets.libraries.MOST_LOOKED_THROUGH", PADDED, characters_before_the_last_file, IN_LIBRARY, cut_in_library(f"long_{PADDED}")),
    Limit("explore.relations.hierarchy.SHOWN_OTHERS", 3, namesakes, "twins/4_1.py#twin_4, twins/4_2.py#twin_4, twins/4_3.py#twin_4 have this name too: ask for one by its id", 'twins/5_1.py#twin_5, twins/5_2.py#twin_5, twins/5_3.py#twin_5 and 1 more have this name too: ask for one by its id'),
    Limit("explore.symbol.MOST_CANDIDATES", 2, candidates, (2, 2), (0, 3)),
    Limit("files.access.beneath.LONGEST_PATH", None, long_path, "p/p/p/p/p/p/p/p/p/p/p/p/p/p/p'", "acters: at most 4,096 are read", 2),
    Limit("text.patterns.byte_pattern.MOST_LINES", 3, lines_of_file, (3, 3, ""), (None, 3, 'only the first 3 lines with it were searched in many/4.txt')),
    Limit("explore.git_objects._SHOWN_TAGS", 2, tags, "TMP/tree has no version 'v-none'; it has the tags v0, v1", "TMP/tree has no version 'v-none'; it has the tags v0, v1, ..."),
    Limit("explore.grep.given_text.MOST_LINES", 2, given_lines, (2, 2, ""), (None, 2, 'only the first 2 lines with it were counted')),
    Limit("explore.grep.search._SHOWN_PATHS", 2, changed_since, "0.py; 1.py", "0.py; 1.py; 1 more file has changed since then"),
    Limit("explore.grep.near_texts.MOST_TEMPLATES", None, templates, (10, ""), (10, "1 other text matches as well, but not shown: narrow the search to paths")),
    Limit("explore.grep.near_texts.MOST_PLACES", 2, near_places, (2, ""), (2, '1 other place is good enough and not shown: narrow the search to paths')),
    Limit("explore.grep.near_texts.MOST_PLACES", 2, near_places, (2, ""), (2, '2 other places are good enough and not shown: narrow the search to paths'), unit=2),
    Limit("explore.grep.reading._MOST_NAMED", 2, named_paths, (2, "not looked into"), (3, 'of 1 further path, it is not known whether they were looked into')),
    Limit("explore.grep.templates.MOST_LINE", 60, template_line, True, False),
    Limit("explore.trace.frames.MOST_FRAMES", 2, frames, (2, 2, 2), (2, 2, 3)),
    Limit("explore.trace.frames.MOST_LINES", 4, lines_of_trace, (4, ""), (4, "1 line was not read, in the middle; frames there are not counted")),
    Limit("explore.trace.frames.LONGEST_LINE", 50, line_of_trace, True, False),
    Limit("explore.trace.trace._MOST_NOTICES", 2, other_versions, ["frame 1 names far_0", "frame 2 names far_1"], ['frame 1 names far_0', 'frame 2 names far_1', '1 other frame is outside of the functions that they name']),
    Limit("explore.text_range.MOST_TOUCHED", 2, touched, (["far_0", "far_1"], ""), (['far_0', 'far_1'], '1 more symbol is in these lines: ask for an outline of the file')),
    Limit("explore.overview.map.MOST_FOLDERS", 2, folders_of_map, (2, ""), (2, '1 smaller folder is not listed')),
    Limit("explore.relations.relation_tree.MOST_DEPTH", 2, levels, (2, ""), (2, 'there are more levels than 2: ask about one of the last'), is_slow=True),
    Limit("explore.relations.relation_tree.TYPE_DEPTH", 2, default_levels, "", 'there are more levels than 2: ask for a larger depth'),
    Limit("explore.references.references.MOST_NAME", 8, long_name, "nnnnnnnn", 'the name nnnnnnnnn has 9 characters: at most 8 are searched for'),
    Limit("explore.targets.target.LONGEST", 8, long_symbol, 0, 'the symbol has 9 characters: name one by its id, its name, or as path:line'),
    Limit("explore.git_objects.LONGEST_REVISION", 8, revision, "looked up", "version 'rrrrrrrrr' is not a revision: expected a tag, a branch, a hash, or one such as HEAD~3"),
    Limit("resolve.reading.excerpts.MOST_TEXT", 8, long_line, "xxxxxxxx", "xxxxxxx…"),
    Limit("explore.changes.versions.MOST_RENAMED_FILES", 2, compared, (["new_0.py", "new_1.py"], ""), (['new_0.py', 'new_1.py', 'new_2.py', 'old_0.py', 'old_1.py', 'old_2.py'], '3 files are gone and 3 are new, more than 2: renamed ones were not searched for'), is_slow=True),
    Limit("explore.changes.versions.MOST_RENAMED_BYTES", 40, moved_bytes, (["new.py renamed", "there.py renamed"], ""), (["new.py added", "old.py removed", "there.py renamed"], "2 files are gone or new and larger than 40 bytes: not compared for renames")),
    Limit("explore.changes.versions.MOST_RENAMED_BYTES", 40, one_large, "", "1 file is gone or new and larger than 40 bytes: not compared for renames"),
    Limit("explore.changes.changed.MOST_SUBMODULES", 1, submodules, (1, ""), (1, "2 submodules: the first 1 were compared, the others are left out"), is_slow=True),
    Limit("explore.outline.MOST_LEVELS", 3, levels_of_outline, 0, 1),
    Limit("explore.relations.hierarchy.MOST_CANDIDATES", 3, meant_symbols, (3, "3 symbols have this name: ask for one by its id"), (3, "4 symbols have this name: ask for one by its id")),
    Limit("explore.git_objects._MOST_LISTING", 80, listing, 0, "TMP/tree: git cannot list the files of commit HASH: see git fsck"),
    Limit("explore.changes.changed.MOST_TESTS", 2, listed_tests, (2, ""), (2, 'only the 2 likeliest tests of a symbol are listed'), is_slow=True),
    Limit("explore.changes.changed.MOST_TESTED", 2, symbols_with_tests, "", "tests were searched only for the first 2 symbols", is_slow=True),
]  # fmt: skip


@pytest.mark.sample(30)
@cases(LIMITS)
def test_limits_of_exploring(case: Limit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    check_limit(case, monkeypatch, tmp_path)
