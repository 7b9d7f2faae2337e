"""The subcommands of `note`."""

import json
from pathlib import Path

from tests.support.command import run


def test_a_session(tmp_path: Path) -> None:
    tree = ["--root", str(tmp_path)]
    assert run("note", "list", *tree).code == 1
    assert (
        run(
            "note",
            "add",
            "Rates are limited per user",
            "--category",
            "decision",
            "--link",
            "a.py#Limit",
            *tree,
        ).out
        == "note 1\n"
    )
    assert (
        json.loads(run("note", "add", "It failed", "--category", "error", "--json", *tree).out)[
            "id"
        ]
        == 2
    )
    assert "`Rates are limited per user`" in run("note", "list", *tree).out
    assert [
        note["id"]
        for note in json.loads(run("note", "list", "--category", "error", "--json", *tree).out)[
            "notes"
        ]
    ] == [2]
    shown = run("note", "show", "1", *tree)
    assert shown.code == 0 and "links: `a.py#Limit`" in shown.out
    assert (
        json.loads(run("recall", "why are rates limited", *tree, "--json").out)["note_count"] == 1
    )
    (tmp_path / "all.jsonl").write_text(run("note", "export", *tree).out)
    assert run("note", "import", str(tmp_path / "all.jsonl"), *tree).out == "0 new notes\n"
    assert run("note", "delete", "1", *tree).code == 0
    assert run("note", "delete", "1", *tree).code == run("note", "show", "1", *tree).code == 1


def test_a_secret_that_a_person_writes_down_is_kept_and_reported(tmp_path: Path) -> None:
    tree = ["--root", str(tmp_path)]
    ran = run("note", "add", "the old password=hunter22 is gone", *tree)
    assert (ran.code, ran.out) == (0, "note 1\n") and ran.err.count("\n") == 1
    assert (
        "seems to contain keys or passwords (1 password)" in ran.err
        and "`symindex note delete 1`" in ran.err
    )
    assert "hunter22" in run("note", "show", "1", *tree).out
    assert run("note", "add", "the password is required", *tree).err == ""


def test_each_error_is_reported_on_one_line(tmp_path: Path) -> None:
    tree = ["--root", str(tmp_path)]
    for arguments, message in (
        (["note", "add", " "], "is empty"),
        (["note", "add", "x", "--category", "No Good"], "small letters"),
        (["note", "list", "--since", "soon"], "expected a date"),
        (["recall", "x", "--since", "7"], "expected a date"),
        (["note", "add", "x" * 70_000], "at most 65,536"),
    ):
        ran = run(*arguments, *tree)
        assert ran.code == 2 and message in ran.err and ran.err.count("\n") == 1, ran.err


def test_a_note_cannot_act_on_a_terminal(tmp_path: Path) -> None:
    tree = ["--root", str(tmp_path)]
    run("note", "add", "a \x1b[2J | b\n```\n", *tree)
    assert "\x1b" not in run("note", "list", *tree).out + run("note", "show", "1", *tree).out
