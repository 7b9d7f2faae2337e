"""Numbers agree with their nouns when there is one of each thing."""

import re
from pathlib import Path

import pytest

from symindex.text.counts import count_of
from tests.support.command import run
from tests.support.files import write_files
from tests.support.git import git

ONE_OF_SEVERAL = re.compile(
    r"(?<![\w.:,-])1 (?!(?:is|was|has|class|matches|holds|waits)\b)(?:new |more |other )?[a-z]+s\b"
)
"""Finds a plural after 1, such as `1 files`."""

GRAMMARS = Path(__file__).parents[3] / "grammars"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_files(
        tmp_path_factory.mktemp("one") / "tree",
        {"a.py": "def only():\n    pass\n", "b.md": "# Only\n"},
    )
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "x")
    write_files(
        root,
        {"a.py": "def only():\n    return only\n", "../trace": '  File "a.py", line 1, in only\n'},
    )
    return root


COMMANDS = [
    "index", "status", "search only", "search only --format table", "search only --format lines",
    "search only --start-index 9", "search 'only nothing_else'", "search onyl", "search zzz", "symbol only",
    "symbol a.py:9", "symbol a.py:1", "outline", "outline --max-tokens 1", "refs only", "refs only --role call",
    "refs only --role read", "refs only -l go", "grep only", "grep -F zzz", "grep only -n 1", "hierarchy only",
    "hierarchy only -d callers", "hierarchy only -d tests", "map", "changed", "changed --tests", "unused", "trace {root}/../trace",
    "deps", "note add x", "note list", "recall only", "recall only only", "recall zzz -n 1", "add {root}/b.md", "sources",
    "related a.py#only", "export --format jsonl -o {root}/../tags", "note export", "check {grammars}/gomod",
]  # fmt: skip


def test_one_of_each(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    wrong = []
    for command in COMMANDS:
        words = [
            word.strip("'").format(root=tree, grammars=GRAMMARS)
            for word in re.findall(r"'[^']*'|\S+", command)
        ]
        ran = run(*words)
        assert ran.code in (0, 1, 2) and ran.out + ran.err, command
        wrong += [f"{command}: {match[0]}" for match in ONE_OF_SEVERAL.finditer(ran.out + ran.err)]
    assert wrong == []


def test_count_of() -> None:
    assert [count_of(count, "file") for count in (0, 1, 2, 1_000)] == [
        "0 files",
        "1 file",
        "2 files",
        "1,000 files",
    ]
    assert [count_of(count, "query was", "queries were") for count in (1, 21)] == [
        "1 query was",
        "21 queries were",
    ]
