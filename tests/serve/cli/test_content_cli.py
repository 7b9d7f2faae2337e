"""The commands `add`, `sources`, `forget` and `recall`."""

import json
from pathlib import Path

import pytest

from tests.support.command import run


def test_a_session(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "design.md").write_text(
        "# Caching\n\nResponses are cached for an hour.\n\n```\ncache.get()\n```\n"
    )
    tree = ["--root", str(tmp_path / "tree")]
    assert run("sources", *tree).code == run("recall", "cache", *tree).code == 1
    added = run("add", str(tmp_path / "design.md"), "--source", "design", *tree)
    assert added.code == 0 and "`design`" in added.out
    ran = run("recall", "how are responses cached", *tree)
    assert ran.code == 0 and "## `Caching`" in ran.out
    assert "```\nResponses are cached for an hour.\n" in ran.out.replace(
        "# Caching\n\n", ""
    )  # as the user wrote it
    answer = json.loads(run("recall", "caching", "nothing-of-this", *tree, "--json").out)
    assert [section["total"] for section in answer["sections"]] == [1, 0]
    listed = json.loads(run("sources", *tree, "--json").out)
    assert [source["label"] for source in listed] == ["design"]
    assert run("forget", "design", *tree).code == 0
    gone = run("forget", "design", *tree)
    assert gone.code == 1 and "symindex sources" in gone.err


@pytest.mark.nightly
def test_words_without_quotes_are_questions_of_their_own(tmp_path: Path) -> None:
    tree = ["--root", str(tmp_path)]
    (tmp_path / "a.md").write_text("# Prompts\n\nHow prompts are shown.\n")
    assert (
        run("recall", "how", "prompts", *tree).err
        == "symindex: 2 questions of one word each; use quotes to ask one question\n"
    )
    for words in (["how prompts"], ["prompts"], ["how prompts", "shown"]):
        assert run("recall", *words, *tree).err == ""


def test_each_error_is_reported_on_one_line(tmp_path: Path) -> None:
    tree = ["--root", str(tmp_path)]
    (tmp_path / "x.bin").write_bytes(b"\0\1")
    for arguments, message in (
        (["add", str(tmp_path / "none.md")], "cannot be read"),
        (["add", str(tmp_path / "x.bin")], "is binary"),
        (["add", str(tmp_path)], "cannot be read"),
        (["add", "-"], "--source"),
        (
            ["add", "http://127.0.0.1:9/"],
            "http://127.0.0.1:9/: the address is on this machine or a private network: use --allow-private",
        ),
        (["recall", "x", "--limit", "0"], "expected 1 to 50"),
    ):
        ran = run(*arguments, *tree)
        assert ran.code == 2 and message in ran.err and ran.err.count("\n") == 1, ran.err


def test_a_link_of_the_project_leads_out_of_it_only_if_its_end_is_named(tmp_path: Path) -> None:
    root, outside = tmp_path.resolve() / "tree", tmp_path.resolve() / "outside"
    for folder in (root / "docs", outside):
        folder.mkdir(parents=True)
        (folder / "x.md").write_text("alpha")
    (root / "file.md").symlink_to(outside / "x.md")
    (root / "folder").symlink_to(outside)
    (root / "inside.md").symlink_to("docs/x.md")
    (tmp_path / "tree-link").symlink_to(root)
    (tmp_path / "elsewhere.md").symlink_to(outside / "x.md")
    tree = ["--root", str(root)]
    for place in (root / "file.md", root / "folder" / "x.md", tmp_path / "tree-link" / "file.md"):
        refused = run("add", str(place), *tree)
        assert (
            refused.code == 2
            and f"leads out of the project, to {outside / 'x.md'}" in refused.err
            and not refused.out
        )
    for place, real in (
        (root / "inside.md", root / "docs" / "x.md"),
        (tmp_path / "tree-link" / "docs" / "x.md", root / "docs" / "x.md"),
        (tmp_path / "elsewhere.md", outside / "x.md"),
    ):
        added = run("add", str(place), *tree)
        assert (
            added.code == 0
            and f"this is a link to {real}" in added.err
            and f"`{real}`" in added.out
        )
    assert run("add", str(outside / "x.md"), *tree).err == ""


def test_a_text_without_text_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text("<html><p></p>")
    assert (
        "`x.html`: no text was found in it"
        in run("add", str(tmp_path / "x.html"), "--root", str(tmp_path)).out
    )


@pytest.mark.nightly
def test_a_hostile_text_cannot_leave_its_fence(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("# A `b` \x1b[31m\n\nalpha\n\n````\n```\n````\n\x1b[2J\n")
    run("add", str(tmp_path / "x.md"), "--root", str(tmp_path))
    out = run("recall", "alpha", "--root", str(tmp_path)).out
    assert "\x1b" not in out and "`````" in out
