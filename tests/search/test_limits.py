"""Limits of queries, options and settings, and the errors past a limit."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from symindex.configuration import read_configuration
from symindex.protocol.search import SearchRequest
from symindex.requests import check_texts
from symindex.search.answer.contents import listed
from symindex.search.answer.text_fields import check_wildcard
from symindex.search.language.parse_query import parse_query
from symindex.search.match.names import Needle, match_strong
from symindex.search.options.exact_values import read_filters
from symindex.search.options.given import read_text
from symindex.search.options.scopes import read_scopes, read_types
from symindex.settings import read_settings
from symindex.text.imports import imported_names
from symindex.text.patterns.byte_pattern import byte_pattern
from symindex.workspace.workspace import Workspace
from tests.support.files import write_files
from tests.support.limits import Limit, cases, check_limit

TREE = {
    **{f"mod_{number}/same2.py": f"def found_{number}():\n    pass\n" for number in range(2)},
    **{f"mod_{number}/same3.py": f"def found_{number}():\n    pass\n" for number in range(3)},
    "data.yaml": "",
}

shared: dict[str, Workspace] = {}


@pytest.fixture(scope="module", autouse=True)
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("limits")
    with Workspace(write_files(folder / "tree", TREE), folder / "index") as workspace:
        workspace.refresh()
        shared["tree"] = workspace
        yield


def search(query: str, **fields: Any) -> str:
    return "; ".join(shared["tree"].search(SearchRequest(query=query, **fields)).notices or ())


def nested(n: int, folder: Path) -> object:
    return str(parse_query("NOT " * (n - 1) + "alpha"))


def wildcards(n: int, folder: Path) -> object:
    return str(parse_query(" OR ".join(f"a{number}*" for number in range(n))))[:2]


def wildcard(n: int, folder: Path) -> object:
    return check_wildcard("w" * n)


def values(n: int, folder: Path) -> object:
    return len(read_filters({"category": [str(number) for number in range(n)]}))


def scopes(n: int, folder: Path) -> object:
    return len(read_scopes(["all"] * n))


def types(n: int, folder: Path) -> object:
    return len(read_types(["all"] * n))


def option(n: int, folder: Path) -> object:
    return len(read_text("scope", "s" * n, '"path:a"'))


def words_near(n: int, folder: Path) -> object:
    return search(
        " ".join(f"word{'x' * number}" for number in range(n)), proximity={"enabled": True}
    )


def distance(n: int, folder: Path) -> object:
    search("alpha beta", proximity={"enabled": True, "max_distance": n})
    return "searched"


def globs(n: int, folder: Path) -> object:
    return check_texts(["*.py"] * n)


def pattern(n: int, folder: Path) -> object:
    return byte_pattern("p" * n, False, False).holds(b"x")


def files_of_name(n: int, folder: Path) -> object:
    return search(f"same{n}.py")


def globs_of_settings(n: int, folder: Path) -> object:
    return settings(folder, f"exclude = {[f'{number}' for number in range(n)]}")


def glob_of_settings(n: int, folder: Path) -> object:
    return settings(folder, f"exclude = ['{'g' * n}']")


def bytes_of_settings(n: int, folder: Path) -> object:
    return settings(folder, "limit = 5".ljust(n))


def bytes_of_file(n: int, folder: Path) -> object:
    return settings(folder, f"max_file_bytes = {n}")


def seconds_of_file(n: int, folder: Path) -> object:
    return settings(folder, f"file_seconds = {n}")


def limit_of_settings(n: int, folder: Path) -> object:
    return settings(folder, f"limit = {n}")


def problems_of_settings(n: int, folder: Path) -> object:
    return [
        line.rpartition(": ")[2][:14]
        for line in settings(folder, "\n".join(f"k{number} = 1" for number in range(n)))
    ]


def settings(folder: Path, text: str) -> list[str]:
    write_files(folder, {"symindex.toml": text})
    return [problem.replace(str(folder), "TMP") for problem in read_settings(folder)[1]]


def files_told(n: int, folder: Path) -> object:
    return listed([str(number) for number in range(n)])


def parts_tried(n: int, folder: Path) -> object:
    return search(" OR ".join(f"w{number:02}q" for number in range(n - 1)))[-25:]


def words_of_a_name(n: int, folder: Path) -> object:
    name = "_".join(["ab"] * (n - 1) + ["zx"])
    return match_strong(Needle("abzx"), name, name) > 0


def globs_without_files(n: int, folder: Path) -> object:
    return search("found_0", paths=[f"none_{number}/**" for number in range(n)])


def types_of_items(n: int, folder: Path) -> object:
    """Returns what is said about a type that no item of a tree with `n` types has."""
    paths = [".ai/directives/a.md", ".ai/tools/a.py", "README.md"][:n]
    files = {
        path: "---\ntitle: A\n---\n# A\n" if path.endswith("md") else "a = 1\n" for path in paths
    }
    with Workspace(write_files(folder / "tree", files), folder / "index") as workspace:
        return (workspace.search("a", type="task").notices or [""])[0]


def imported(n: int, folder: Path) -> object:
    return [*imported_names("from m import own".rjust(n))]


def configuration(n: int, folder: Path) -> object:
    write_files(folder, {"config.toml": "agent_memory = true".ljust(n)})
    with mock.patch.dict(os.environ, {"SYMINDEX_CONFIG": str(folder / "config.toml")}):
        return read_configuration().agent_memory


LIMITS: list[Limit] = [
    Limit("configuration.MOST_BYTES", 30, configuration, True, 'TMP/config.toml: cannot be read: larger than 30 bytes'),
    Limit("search.answer.contents.MOST_TOLD", 2, files_told, "0, 1", '0, 1 and 1 more'),
    Limit("search.answer.explain_empty.MOST_TOLD", 2, globs_without_files, "`none_0/**` matches no file; `none_1/**` matches no file; without paths `none_0/**`, `none_1/**`: 2", '`none_0/**` matches no file; `none_1/**` matches no file; 1 more glob matches no file; without paths `none_0/**`, `none_1/**`, `none_2/**`: 2'),
    Limit("search.answer.explain_empty.MOST_TYPES", 2, types_of_items, "no section or item is of type `task`: the tree has directive, tool", "no section or item is of type `task`: the tree has directive, readme and 1 more"),
    Limit("search.answer.explain_empty.MOST_SEARCHES", 4, parts_tried, "q`: no symbol contains it", " not all parts were tried"),
    Limit("text.folding.MOST_WORDS", None, words_of_a_name, True, False),
    Limit("text.imports.MOST_CHARACTERS", 40, imported, ["own"], []),
    Limit("search.language.parse_query.MOST_NESTED", 3, nested, "NOT NOT alpha", 'query, at character 13: expected fewer than 3 nested parentheses and negations'),
    Limit("search.language.parse_query.MOST_WILDCARDS", 2, wildcards, "(a", 'query, at character 15: expected at most 2 wildcards; this is one more'),
    Limit("search.answer.text_fields.WILDCARD_BYTES", 8, wildcard, None, 'wildcard of 9 bytes: at most 8 are read'),
    Limit("search.options.exact_values.MOST_VALUES", 3, values, 1, 'filters: category has 4 values: at most 3 are allowed'),
    Limit("search.options.scopes.MOST_SCOPES", 3, scopes, 1, 'scope has 4 strings: at most 3 are allowed'),
    Limit("search.options.scopes.MOST_SCOPES", 3, types, 1, 'type has 4 strings: at most 3 are allowed'),
    Limit("search.options.given.LONGEST", 8, option, 8, 'scope has 9 characters: at most 8 are read'),
    Limit("search.options.proximity.MOST_WORDS", 3, words_near, "`word`: no symbol contains it; `wordx`: no symbol contains it; `wordxx`: no symbol contains it", 'proximity: 4 words: at most 3 are looked for near each other'),
    Limit("search.options.read.MOST_BETWEEN", 3, distance, "searched", 'proximity: max_distance is 4: it must be an integer from 0 to 3'),
    Limit("requests.MOST_PATHS", 3, globs, None, 'paths has 4 globs: at most 3 are allowed'),
    Limit("text.patterns.byte_pattern.LONGEST", 8, pattern, False, 'the pattern has 9 characters: at most 8 are looked for'),
    Limit("search.names.named_files._MOST_FILES", 2, files_of_name, "`mod_0/same2.py` and 1 more are files: these are the symbols of them", '`mod_0/same3.py` and 1 more are files: these are the symbols of them; the symbols of 1 more file are not listed'),
    Limit("settings.MOST_GLOBS", 3, globs_of_settings, [], ['TMP/symindex.toml: exclude contains 4 globs: at most 3 are allowed']),
    Limit("settings.LONGEST_GLOB", 8, glob_of_settings, [], ["TMP/symindex.toml: exclude contains 'ggggggggg', of 9 characters: a glob has at most 8"]),
    Limit("settings.MOST_BYTES", 20, bytes_of_settings, [], ['TMP/symindex.toml: cannot be read: larger than 20 bytes']),
    Limit("settings.LARGEST_FILE_BYTES", None, bytes_of_file, [], ['TMP/symindex.toml: max_file_bytes is 100000001: it must be an integer from 1 to 100,000,000']),
    Limit("settings.LONGEST_FILE_SECONDS", None, seconds_of_file, [], ['TMP/symindex.toml: file_seconds is 101: it must be a number greater than 0 and at most 100']),
    Limit("settings.LARGEST_LIMIT", None, limit_of_settings, [], ['TMP/symindex.toml: limit is 10001: it must be an integer from 1 to 10,000']),
    Limit("settings._SHOWN_PROBLEMS", 2, problems_of_settings, ["expected one o", "expected one o"], ['expected one o', 'expected one o', 'and 1 more pro']),
]  # fmt: skip


@cases(LIMITS)
def test_limits_of_search(case: Limit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_limit(case, monkeypatch, tmp_path)
