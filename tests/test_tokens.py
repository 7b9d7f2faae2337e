"""The estimate of tokens, against a public tokenizer: npm's `gpt-tokenizer`, which ships its vocabulary."""

import json
import os
import random
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

from symindex.protocol import SearchRequest
from symindex.render.markdown import render_search
from symindex.render.outline import render_outline
from symindex.render.symbol import render_symbol
from symindex.tokens import cut_to_tokens, estimate_tokens
from symindex.workspace import Workspace

VERSION = "3.4.0"
"""Of gpt-tokenizer."""

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "symindex-tests"
HOME = {name: value for name, value in os.environ.items() if name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
"""The user's own, before the tests get a home of theirs: npm keeps its settings there."""

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "fixtures" / "symbols"

SCRIPT = """
import { readFileSync } from "node:fs";
const { texts, encoding } = JSON.parse(readFileSync(0, "utf-8"));
const { countTokens } = await import(encoding);
console.log(JSON.stringify(texts.map((text) => countTokens(text))));
"""

OTHER_TEXTS = {
    "arabic": "لم يتم حفظ التغييرات التي أجريت على هذا الملف. هل تريد حفظها الآن؟",
    "japanese": "このファイルに加えられた変更は保存されていません。今すぐ保存しますか。",
    "chinese": "对此文件所做的更改尚未保存。您现在要保存它们吗。请选择一个选项。",
    "korean": "이 파일의 변경 사항이 저장되지 않았습니다. 지금 저장하시겠습니까?",
    "german": "Die Änderungen an dieser Datei wurden nicht gespeichert. Möchten Sie sie jetzt überprüfen und speichern?",
    "french": "Les modifications apportées à ce fichier n'ont pas été enregistrées. Voulez-vous les vérifier maintenant ?",
}


@pytest.fixture(scope="module")
def package() -> Path:
    """The tokenizer, fetched once."""
    folder = CACHE / f"gpt-tokenizer-{VERSION}"
    if (folder / "package" / "package.json").exists():
        return folder / "package"
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    with tempfile.TemporaryDirectory() as made:
        command = ["npm", "pack", "--silent", f"gpt-tokenizer@{VERSION}"]
        done = subprocess.run(
            command, cwd=made, capture_output=True, text=True, check=False, env={**os.environ, **HOME}, timeout=300
        )
        archives = list(Path(made).glob("*.tgz"))
        if done.returncode or not archives:
            pytest.skip(f"npm cannot fetch gpt-tokenizer: {done.stderr.strip()[-200:]}")
        with tarfile.open(archives[0]) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # which came with 3.11.4
            wanted = ("package/esm/", "package/LICENSE", "package/package.json")
            # Whoever runs beside us finds all of it or nothing.
            archive.extractall(made, [member for member in archive if member.name.startswith(wanted)])
        folder.mkdir(parents=True, exist_ok=True)
        try:
            shutil.move(Path(made, "package"), folder / "package")
        except OSError:
            if not (folder / "package" / "package.json").exists():
                raise
    return folder / "package"


def count(package: Path, texts: list[str]) -> list[int]:
    """How many tokens the tokenizer finds."""
    encoding = (package / "esm" / "encoding" / "o200k_base.js").as_uri()
    sent = json.dumps({"texts": texts, "encoding": encoding})
    done = subprocess.run(["node", "--input-type=module", "-e", SCRIPT], input=sent, capture_output=True, text=True, check=True)
    return [int(number) for number in json.loads(done.stdout)]


def test_the_estimate_is_near_a_tokenizers_count(package: Path, tmp_path: Path) -> None:
    """Code of every language that has fixtures, our own code and pages, answers: rather too many than too few."""
    texts: dict[str, str] = {}
    for folder in sorted(FIXTURES.iterdir()):
        if folder.is_dir():
            texts[folder.name] = "\n".join(path.read_text("utf-8") for path in sorted(folder.iterdir()) if path.is_file())
    texts["our code"] = "\n".join(path.read_text() for path in sorted((ROOT / "symindex").rglob("*.py"))[:40])
    texts["our pages"] = "\n".join(path.read_text() for path in sorted((ROOT / "symindex").rglob("*.md")))
    with Workspace(ROOT / "symindex", tmp_path) as workspace:
        workspace.refresh()
        found = workspace.search(SearchRequest(query="re", max_items=200))
        texts["table"] = render_search(found)
        texts["paths"] = "\n".join(item.file_path for item in found.items)
        texts["outline"] = render_outline(workspace.outline(""))
        texts["signatures"] = render_outline(workspace.outline("source", include=["signature"]))
        texts["symbol"] = render_symbol(workspace.symbol("Workspace", max_tokens=3_000))
    ratios = {
        name: estimate_tokens(text) / true
        for (name, text), true in zip(texts.items(), count(package, list(texts.values())), strict=True)
    }
    assert len(ratios) > 20
    assert {name: round(ratio, 2) for name, ratio in ratios.items() if not 0.85 <= ratio <= 1.25} == {}


def test_other_languages_are_not_far_off(package: Path) -> None:
    """Scripts differ more from tokenizer to tokenizer than this."""
    true = count(package, list(OTHER_TEXTS.values()))
    ratios = {name: estimate_tokens(text) / number for (name, text), number in zip(OTHER_TEXTS.items(), true, strict=True)}
    assert {name: round(ratio, 2) for name, ratio in ratios.items() if not 0.75 <= ratio <= 1.7} == {}


def test_a_cut_has_as_many_tokens_as_it_may_have() -> None:
    chance = random.Random(1)
    text = (ROOT / "symindex" / "workspace.py").read_text()
    for _ in range(50):
        start, most = chance.randrange(len(text)), chance.randrange(1, 300)
        cut = cut_to_tokens(text[start:], most)
        assert text[start:].startswith(cut)
        assert estimate_tokens(cut) == min(most, estimate_tokens(text[start:]))
    assert cut_to_tokens("", 5) == cut_to_tokens("word", 0) == ""
    assert cut_to_tokens(" " * 1_000, 5) == " " * 1_000
