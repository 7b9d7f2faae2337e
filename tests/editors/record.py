"""Records what editors send to `symindex lsp` and what it answers, for fixtures/lsp:
`python -m tests.editors.record`."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Final

from tests.editors.run import ROOT, Editor, find_emacs, find_neovim, run_script, server_folder
from tests.editors.trees import TREE
from tests.serve.lsp import test_emacs, test_neovim

FOLDER: Final = ROOT / "fixtures" / "lsp"
CACHE: Final = ROOT / ".pytest_cache" / "d" / "editors"


def normalise(record: list[Any], root: Path) -> list[Any]:
    """Removes from a record what depends on the machine: `{root}` replaces the tree, `{pid}` the
    editor's process, and numbers the ids of the server's requests."""
    text = json.dumps(record, ensure_ascii=False).replace(str(root), "{root}")
    entries = json.loads(text)
    numbers: dict[str, str] = {}
    for entry in entries:
        message = entry["message"]
        message.pop("jsonrpc")
        if message.get("method") == "initialize":
            message["params"]["processId"] = "{pid}"
        if isinstance(message.get("id"), str):
            message["id"] = numbers.setdefault(message["id"], f"server-{len(numbers) + 1}")
    return [entry for entry in entries if not _is_early_poll(entry["message"], entries)]


def _is_early_poll(message: Any, entries: list[Any]) -> bool:
    """Whether a message belongs to a request that the script repeated until the index existed. Only
    the last of these requests is kept."""
    last = max(
        (
            entry["message"]["id"]
            for entry in entries
            if entry["message"].get("method") == "symindex/search"
        ),
        default=0,
    )
    polls = {
        entry["message"]["id"]
        for entry in entries
        if entry["message"].get("method") == "symindex/search"
    }
    return message.get("id") in polls - {last}


def record(name: str, editor: Editor) -> None:
    """Runs an editor, and writes its traffic to a fixture."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        os.environ["HOME"] = f"{made}/home"
        os.environ |= {
            f"XDG_{kind.upper()}_HOME": f"{made}/{kind}" for kind in ("cache", "config", "state")
        }
        editor.write_tree(folder / "tree", TREE)
        programs = server_folder(folder / "bin", folder / "record.jsonl")
        run_script(
            editor.command_of(editor.program, folder, "record"),
            folder / "tree",
            programs,
            folder / "result.json",
        )
        entries = [json.loads(line) for line in (folder / "record.jsonl").read_text().splitlines()]
        lines = [
            json.dumps(entry, ensure_ascii=False, sort_keys=True)
            for entry in normalise(entries, folder / "tree")
        ]
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    CACHE.mkdir(parents=True, exist_ok=True)
    record("neovim", Editor(find_neovim(CACHE), test_neovim.command_of))
    record("emacs", Editor(find_emacs(CACHE), test_emacs.command_of, test_emacs.write_repository))
