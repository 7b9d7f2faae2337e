"""The next call, as a command and as a tool's arguments."""

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.protocol.search import SearchRequest, SearchResponse, TextCount
from symindex.render.hints import command_hint, elsewhere_hint, tool_hint

CALLS: list[tuple[str, dict[str, Any], str, str]] = [
    ("search", {"query": ""}, "symindex search", 'search {"query": ""}'),
    (
        "search",
        {"query": "a b", "kinds": ["class", "enum"], "languages": ["go"], "paths": ["x", "!y"]},
        "symindex search --kind class --kind enum --lang go --path x --path '!y' 'a b'",
        'search {"query": "a b", "kinds": ["class", "enum"], "language": ["go"], "path": ["x", "!y"]}',
    ),
    (
        "references", {"name": "a.py#f"},
        "symindex refs 'a.py#f'", 'references {"name": "a.py#f"}',
    ),
    ("outline", {"path": "src"}, "symindex outline src", 'outline {"path": ["src"]}'),
    ("outline", {"path": ["a b", "!c"]}, "symindex outline 'a b' '!c'", 'outline {"path": ["a b", "!c"]}'),
    (
        "outline", {"path": "-x", "include": ["signature"], "max_tokens": 9},
        "symindex outline --signatures --max-tokens 9 -- -x",
        'outline {"path": ["-x"], "max_tokens": 9, "signatures": true}',
    ),
    (
        "outline", {"path": "x", "include": ["doc"]},
        "symindex outline --include doc x", 'outline {"path": ["x"], "include": ["doc"]}',
    ),
    (
        "search", {"query": "x", "include": ["signature"]},
        "symindex search --include signature x", 'search {"query": "x", "signatures": true}',
    ),
    (
        "symbol", {"symbol": "f", "path": "a.py", "code": False, "siblings": True},
        "symindex symbol --path a.py --no-code --siblings f",
        'symbol {"symbol": "f", "path": ["a.py"], "code": false, "siblings": true}',
    ),
    ("symbol", {"symbol": "f", "code": 1}, "symindex symbol --code 1 f", 'symbol {"symbol": "f", "code": 1}'),
    (
        "changed", {"since": "v1", "path": "a.py", "max_items": 9},
        "symindex changed --path a.py --max-items 9 v1", 'outline {"since": "v1", "path": ["a.py"]}',
    ),
    ("grep", {"pattern": "f.", "regex": True}, "symindex grep f.", 'references {"name": "f.", "in": "all", "regex": true}'),
    (
        "grep", {"pattern": "-f", "regex": False, "where": "code"},
        "symindex grep -F --in code -- -f", 'references {"name": "-f", "in": "code"}',
    ),
    ("status", {}, "symindex status", "status {}"),
    ("symbol", {"symbol": "größe\u202e"}, "symindex symbol $'größe\\u202e'", 'symbol {"symbol": "größe\\u202e"}'),
    ("symbol", {"symbol": "a'\\\n"}, "symindex symbol $'a\\'\\\\\\n'", 'symbol {"symbol": "a\'\\\\\\n"}'),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments", "command", "call"), CALLS)
def test_a_call(tool: str, arguments: dict[str, Any], command: str, call: str) -> None:
    assert command_hint(tool, **arguments) == command
    assert tool_hint(tool, **arguments) == call


def test_options_of_every_command_come_first_and_may_be_left_out() -> None:
    always = {"root": "/a b", "index_dir": None}
    assert command_hint("symbol", always, symbol="f", lines="1-2") == (
        "symindex symbol --root '/a b' --lines 1-2 f"
    )


@given(st.text(st.characters(codec="ascii", min_codepoint=32), min_size=1))
def test_a_shell_reads_a_word_back(text: str) -> None:
    words = shlex.split(command_hint("symbol", symbol=text)) if text.isprintable() else [text]
    assert words[-1] == text


def elsewhere(**more: Any) -> str:
    fields: dict[str, Any] = {"text": "a b", "lines": 1, "files": 1_002}
    count = TextCount(**(fields | more))
    response = SearchResponse(
        request=SearchRequest(query="q"), items=[], start_index=0, max_items=None, total=0,
        has_more=False, pagination_id=None, elsewhere=count,
    )  # fmt: skip
    return elsewhere_hint(response, command_hint)


def test_a_text_that_no_symbol_has() -> None:
    end = ", for example in strings and comments: `symindex grep -F 'a b'`\n"
    assert elsewhere() == f"> As text it is on 1 line of 1,002 files{end}"
    assert elsewhere(is_whole=False, lines=2, files=1) == (
        f"> As text it is on at least 2 lines of 1 file{end}"
    )
