"""The estimate of tokens, against a public tokenizer: npm's `gpt-tokenizer`, which ships its
vocabulary."""

import json
import random
from pathlib import Path

import pytest

from symindex.protocol.search import SearchRequest
from symindex.render.markdown import render_search
from symindex.render.outline import render_outline
from symindex.render.symbol import render_symbol
from symindex.serve.mcp.client_profiles import OWN_TOOLS
from symindex.serve.mcp.tools import TOOLS
from symindex.text.token_budget import cut_to_tokens, estimate_tokens
from symindex.workspace.workspace import Workspace
from tests.bench.places import BenchError
from tests.bench.tokenizer import count_tokens
from tests.support.npm import CACHE

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures" / "symbols"

DENSE = {"astro", "dtd", "html", "properties", "readline", "xcompose"}
"""Languages of markup and settings: short lines of words that are single tokens."""

OTHER_TEXTS = {
    "arabic": "لم يتم حفظ التغييرات التي أجريت على هذا الملف. هل تريد حفظها الآن؟",
    "japanese": "このファイルに加えられた変更は保存されていません。今すぐ保存しますか。",
    "chinese": "对此文件所做的更改尚未保存。您现在要保存它们吗。请选择一个选项。",
    "korean": "이 파일의 변경 사항이 저장되지 않았습니다. 지금 저장하시겠습니까?",
    "german": "Die Änderungen an dieser Datei wurden nicht gespeichert. Möchten Sie sie jetzt überprüfen und speichern?",
    "french": "Les modifications apportées à ce fichier n'ont pas été enregistrées. Voulez-vous les vérifier maintenant ?",
}


def count(texts: list[str]) -> list[int]:
    """Returns the number of tokens that the tokenizer finds. Skips the test, with the reason, if it
    is not available."""
    try:
        return count_tokens(CACHE, texts)
    except BenchError as error:
        pytest.skip(str(error))


@pytest.mark.nightly
@pytest.mark.slow
def test_the_estimate_is_near_a_tokenizers_count(tmp_path: Path) -> None:
    """The estimate is near the count, rather too high than too low, for code in every language with
    fixtures, our own code and pages, and answers."""
    texts: dict[str, str] = {}
    for folder in sorted(FIXTURES.iterdir()):
        if folder.is_dir():
            texts[folder.name] = "\n".join(
                path.read_text("utf-8") for path in sorted(folder.iterdir()) if path.is_file()
            )
    texts["our code"] = "\n".join(
        path.read_text() for path in sorted((ROOT / "symindex").rglob("*.py"))[:40]
    )
    texts["our pages"] = "\n".join(
        path.read_text() for path in sorted((ROOT / "symindex").rglob("*.md"))
    )
    with Workspace(ROOT / "symindex", tmp_path) as workspace:
        workspace.refresh()
        response = workspace.search(SearchRequest(query="re", max_items=200))
        texts["table"] = render_search(response)
        texts["paths"] = "\n".join(item.file_path for item in response.items)
        texts["outline"] = render_outline(workspace.outline(""))
        texts["signatures"] = render_outline(workspace.outline("extract", include=["signature"]))
        texts["symbol"] = render_symbol(workspace.symbol("Workspace", max_tokens=3_000))
    ratios = {
        name: estimate_tokens(text) / true
        for (name, text), true in zip(texts.items(), count(list(texts.values())), strict=True)
    }
    assert len(ratios) > 20
    most = {name: 1.3 if name in DENSE else 1.25 for name in ratios}
    assert {
        name: round(ratio, 2) for name, ratio in ratios.items() if not 0.85 <= ratio <= most[name]
    } == {}


@pytest.mark.nightly
def test_the_tools_cost_little() -> None:
    """This counts names, descriptions and schemas, as the server lists them."""
    data, text = count([json.dumps(TOOLS), json.dumps(OWN_TOOLS.tools_for("claude-code"))])
    assert text < data < 1_800


@pytest.mark.nightly
def test_other_languages_are_not_far_off() -> None:
    """Tokenizers differ more on these scripts than the permitted error."""
    true = count(list(OTHER_TEXTS.values()))
    ratios = {
        name: estimate_tokens(text) / number
        for (name, text), number in zip(OTHER_TEXTS.items(), true, strict=True)
    }
    assert {
        name: round(ratio, 2) for name, ratio in ratios.items() if not 0.75 <= ratio <= 1.7
    } == {}


def test_a_cut_has_as_many_tokens_as_it_may_have() -> None:
    chance = random.Random(1)
    text = (ROOT / "symindex" / "workspace" / "workspace.py").read_text()
    for _ in range(50):
        start, most = chance.randrange(len(text)), chance.randrange(1, 300)
        cut = cut_to_tokens(text[start:], most)
        assert text[start:].startswith(cut)
        assert estimate_tokens(cut) == min(most, estimate_tokens(text[start:]))
    assert cut_to_tokens("", 5) == cut_to_tokens("word", 0) == ""
    assert cut_to_tokens(" " * 1_000, 5) == " " * 1_000
