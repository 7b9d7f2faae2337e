"""The table of item types: the row that claims a file, its id, the rows of users, and the cost for
other files."""

import time
from typing import Any

import pytest

from symindex.errors import is_unicode
from symindex.extract.items.item import WEIGHTS
from symindex.extract.items.types import (
    RESERVED,
    build_item_types,
    pack_item_types,
    shipped_item_types,
    unpack_item_types,
)
from symindex.extract.languages.registry import load_languages
from symindex.files.walk import MAX_FILE_BYTES

TYPES = shipped_item_types()


MATCHES = [
    (".ai/directives/rye/core/create_tool.md", "directive", "rye/core/create_tool"),
    (".ai/tools/rye/bash.py", "tool", "rye/bash"),
    (".ai/tools/x.test.json", "tool", "x.test"),
    (".ai/tools/x.py.bak", "", ""),
    (".ai/knowledge/a/b.yaml", "knowledge", "a/b"),
    ("sub/.ai/tools/a/x.py", "tool", "a/x"),  # the folder of a module in a monorepo
    ("a/b/.ai/tools/x.py", "", ""),
    (".ai/toolset/x.py", "", ""),
    (".claude/skills/pdf/SKILL.md", "skill", "pdf"),
    (".claude/skills/docs/pdf/SKILL.md", "skill", "docs/pdf"),
    ("apps/web/.claude/skills/pdf/skill.md", "skill", "apps/web/pdf"),
    (".claude/skills/pdf/REFERENCE.md", "doc", ".claude/skills/pdf/REFERENCE"),
    (".agents/skills/pdf/SKILL.md", "skill", "pdf"),
    (".github/skills/pdf/SKILL.md", "skill", "pdf"),
    (".opencode/skill/pdf/SKILL.md", "skill", "pdf"),
    ("skills/pdf/SKILL.md", "skill", "pdf"),
    ("plugins/a/skills/pdf/SKILL.md", "skill", "a/pdf"),
    ("pdf/SKILL.md", "skill", "pdf"),
    ("SKILL.md", "skill", "SKILL"),
    (".claude/commands/git/commit.md", "command", "git/commit"),
    (".codex/prompts/a.md", "command", "a"),
    (".github/prompts/a.prompt.md", "command", "a"),
    ("x/a.prompt.md", "command", "x/a"),
    (".gemini/commands/git/fix.toml", "command", "git/fix"),
    (".opencode/command/a.md", "command", "a"),
    (".windsurf/workflows/a.md", "command", "a"),
    ("plugins/a/commands/b.md", "command", "a/b"),
    (".claude/agents/b.md", "agent", "b"),
    (".codex/agents/b.toml", "agent", "b"),
    (".github/agents/b.agent.md", "agent", "b"),
    (".github/chatmodes/b.chatmode.md", "agent", "b"),
    (".cursor/rules/py/a.mdc", "rule", "py/a"),
    ("web/.cursor/rules/a.mdc", "rule", "web/a"),
    (".cursorrules", "rule", ".cursorrules"),
    (".clinerules", "rule", ".clinerules"),
    (".clinerules/a.md", "rule", "a"),
    (".clinerules/workflows/a.md", "command", "a"),
    (".roo/rules-code/a.md", "rule", "rules-code/a"),
    (".github/instructions/py.instructions.md", "rule", "py"),
    ("AGENTS.md", "instructions", "AGENTS"),
    ("src/CLAUDE.md", "instructions", "src/CLAUDE"),
    (".github/copilot-instructions.md", "instructions", ".github/copilot-instructions"),
    ("copilot-instructions.md", "doc", "copilot-instructions"),
    ("README.md", "readme", "README"),
    ("readme", "readme", "readme"),
    ("docs/README.zh-CN.md", "readme", "docs/README.zh-CN"),
    ("CHANGELOG", "changelog", "CHANGELOG"),
    ("CHANGELOG/CHANGELOG-1.30.md", "changelog", "CHANGELOG/CHANGELOG-1.30"),
    ("docs/news.rst", "changelog", "docs/news"),
    ("src/history.py", "", ""),
    ("docs/adr/0001-use.md", "adr", "docs/adr/0001-use"),
    ("pkg/docs/decisions/2.md", "adr", "pkg/docs/decisions/2"),
    ("docs/guide/x.txt", "doc", "docs/guide/x"),
    ("requirements.txt", "", ""),
    ("web/index.html", "", ""),
    ("package.json", "task", "package"),
    ("packages/a/package.json", "task", "packages/a/package"),
    ("package-lock.json", "", ""),
    ("GNUmakefile", "task", "GNUmakefile"),
    ("build/rules.mk", "task", "build/rules"),
    ("Justfile", "task", "Justfile"),
    (".github/workflows/ci.yml", "task", ".github/workflows/ci"),
    ("k8s/ci.yml", "", ""),
    (".gitlab-ci.yml", "task", ".gitlab-ci"),
    (".circleci/config.yml", "task", ".circleci/config"),
    (".cargo/config.toml", "task", ".cargo/config"),
    ("config.toml", "", ""),
    ("Cargo.toml", "manifest", "Cargo"),
    ("src/main.py", "", ""),
    ("LICENSE", "", ""),
    ("", "", ""),
]
"""A path, the type of the file there, and its id; empty if the file is not an item."""


@pytest.mark.parametrize(("path", "type_name", "item_id"), MATCHES)
def test_match(path: str, type_name: str, item_id: str) -> None:
    row = TYPES.match(path)
    assert ((row.type, row.id_of(path)) if row is not None else ("", "")) == (type_name, item_id)
    assert TYPES.takes(path) == (row is not None)


@pytest.mark.parametrize("path", [path for path, type_name, _ in MATCHES if type_name])
def test_a_walk_takes_every_item(path: str) -> None:
    """The walk ignores case, because the table does."""
    wanted, (folder, _, name) = load_languages().wanted(MAX_FILE_BYTES), path.rpartition("/")
    for spelt in (name, name.upper(), name.capitalize()):
        assert wanted.takes_path(f"{folder}/{spelt}" if folder else spelt), spelt


def test_names_of_types_are_no_kinds_of_symbols() -> None:
    assert RESERVED.isdisjoint(TYPES.names)
    assert {
        "directive",
        "tool",
        "knowledge",
        "skill",
        "command",
        "agent",
        "rule",
        "instructions",
    } < {*TYPES.names}
    assert {"readme", "doc", "adr", "changelog", "task", "manifest"} < {*TYPES.names}
    assert TYPES.rows_of("tool")[0].user_folder == "~/.ai/tools"
    assert TYPES.rows_of("tool")[0].weights == {}
    assert WEIGHTS == {
        "title": 3.0,
        "name": 3.0,
        "description": 2.0,
        "category": 1.5,
        "content": 1.0,
    }


def test_the_shipped_rows_pass_the_checks_of_users_rows() -> None:
    _, problems = build_item_types(
        [{"type": row.type, "extensions": [".x"], "folders": row.folders} for row in TYPES.rows]
    )
    assert problems == []


def test_workers_get_the_same_table() -> None:
    copy = unpack_item_types(pack_item_types(TYPES))
    assert copy.rows == TYPES.rows and copy.digest == TYPES.digest and len(TYPES.digest) == 16
    changed, _ = build_item_types([{"type": "runbook", "extensions": [".md"]}])
    assert changed.digest != TYPES.digest


def test_a_users_row_precedes_the_shipped_ones() -> None:
    rows = [
        {
            "type": "runbook",
            "folders": ["ops/*/runbooks"],
            "extensions": [".MD"],
            "weights": {"title": 9},
        },
        {"type": "skill", "folders": ["prompts/**"], "names": ["PROMPT.md"], "id": "folder"},
    ]
    types, problems = build_item_types(rows)
    assert problems == []
    runbook = types.match("ops/db/runbooks/a/b.md")
    assert (
        runbook is not None
        and runbook.type == "runbook"
        and runbook.id_of("ops/db/runbooks/a/b.md") == "db/a/b"
    )
    assert runbook.weights == {"title": 9} and runbook.metadata == ("front_matter", "headings")
    skill = types.match("prompts/x/PROMPT.md")
    assert skill is not None and (skill.type, skill.id_of("prompts/x/PROMPT.md")) == ("skill", "x")
    shipped = types.match(".claude/skills/x/SKILL.md")
    assert shipped is not None and shipped.type == "skill"
    assert types.names == sorted({*TYPES.names, "runbook"})


def test_a_row_may_replace_the_shipped_ones() -> None:
    types, problems = build_item_types(
        [{"type": "adr", "folders": ["rfcs"], "extensions": [".md"], "replace": True}]
    )
    assert problems == []
    of = [row.type if (row := types.match(path)) else "" for path in ("rfcs/1.md", "docs/adr/1.md")]
    assert of == ["adr", "doc"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({}, "missing required field `type`"),
        ("words", "Expected `object`"),
        ({"type": 1, "extensions": [".md"]}, "$.type"),
        (
            {"type": "x", "extension": [".md"]},
            "unknown field `extension`; the keys are type, folders",
        ),
        ({"type": "x"}, "neither extensions nor names"),
        ({"type": "Class", "extensions": [".md"]}, "not a kind of symbol"),
        ({"type": "class", "extensions": [".md"]}, "not a kind of symbol"),
        ({"type": "all", "extensions": [".md"]}, "not a kind of symbol"),
        ({"type": "x\ny", "extensions": [".md"]}, r"'x\ny'"),
        ({"type": "x", "extensions": ["md"]}, "begin with a dot"),
        ({"type": "x", "extensions": [".md"], "folders": ["../other"]}, "a glob from the root"),
        ({"type": "x", "extensions": [".md"], "folders": ["a[b"]}, "a glob from the root"),
        ({"type": "x", "extensions": [".md"], "folders": ["**/"]}, "a glob from the root"),
        (
            {"type": "x", "extensions": [".md"], "metadata": ["eval"]},
            "must be one of comment, decision",
        ),
        ({"type": "x", "extensions": [".md"], "parts": ["run"]}, "must be one of just, keys"),
        ({"type": "x", "extensions": [".md"], "weights": {"title": -1}}, "0 to 100"),
        (
            {"type": "x", "extensions": [".md"], "weights": {"heading": 1}},
            "must be one of title, name, description",
        ),
        ({"type": "x", "extensions": [".md"] * 51}, "more than 50 entries"),
        ({"type": "x", "extensions": [".md"], "id": "name"}, "$.id"),
        ({"type": "x", "names": ["\ud800" * 3], "extensions": 1}, "$.extensions"),
    ],
)
def test_a_wrong_row_is_left_out_and_reported(row: Any, said: str) -> None:
    types, problems = build_item_types([row, {"type": "right", "extensions": [".zz"]}])
    (problem,) = problems
    assert (
        problem.startswith("item_types, row 1: ")
        and said in problem
        and "\n" not in problem
        and is_unicode(problem)
    )
    assert types.takes("a.zz") and len(types.rows) == len(TYPES.rows) + 1


def test_a_tree_does_not_choose_where_we_write() -> None:
    row = {"type": "x", "extensions": [".zz"], "user_folder": "~/.ssh"}
    types, problems = build_item_types([row])
    assert (
        types.rows[0].user_folder != "~/.ssh"
        and "must not choose where symindex writes" in problems[0]
    )
    types, problems = build_item_types([row], trusted=True)
    assert types.rows[0].user_folder == "~/.ssh" and not problems
    for folder in ("/etc", "~/../x", "x"):
        assert (
            "user_folder" in build_item_types([{**row, "user_folder": folder}], trusted=True)[1][0]
        )


def test_too_many_rows_are_reported() -> None:
    types, problems = build_item_types([{"type": "x", "extensions": [".zz"]}] * 101)
    assert len(types.rows) == len(TYPES.rows) + 100 and "more than 100 rows" in problems[0]


def test_code_files_cost_little() -> None:
    """Half a microsecond for each file; the bound leaves room for a busy machine."""
    paths = [f"src/package{n % 500}/module{n}.py" for n in range(20_000)]
    assert not any(map(TYPES.takes, paths))
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        for path in paths:
            TYPES.match(path)
        taken.append((time.perf_counter() - started) / len(paths))
    assert min(taken) < 3e-6
