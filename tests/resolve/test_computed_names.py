"""What a name in brackets is made of is used there: keys of types and classes, and keys of mapped
types."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

NOTE = (
    'export enum Note { A = "a" }\nexport enum Other { A = "a" }\nexport const KEY = "k";\n'
    "export const sym = Symbol();\n"
)

CASES: dict[str, tuple[str, dict[str, list[str]]]] = {
    # by name: code, and the uses of each symbol
    "an interface": (
        "interface P { [Note.A]: string;\n [KEY](): void }\n",
        {"Note": ["2"], "Note.A": ["2"], "Other.A": [], "KEY": ["3"]},
    ),
    "a type": ("type P = {\n [Other.A]: string };\n", {"Other": ["3"], "Other.A": ["3"], "Note.A": []}),
    "a class": (
        "class P { [Note.A] = 1;\n get [KEY]() { return 1; }\n static [sym]() {} }\n",
        {"Note.A": ["2"], "KEY": ["3"], "sym": ["4"]},
    ),
    "an object": ("const P = { [Note.A]: 1,\n [KEY]() {} };\n", {"Note.A": ["2"], "KEY": ["3"]}),
    "a mapped type": ("type P = { [one in Note]?: boolean };\n", {"Note": ["2"], "Other": []}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_name_is_used_in_brackets(make_workspace: Maker, name: str) -> None:
    code, uses = CASES[name]
    imports = "import { Note, Other, KEY, sym } from './a';\n"
    tree = make_workspace({"a.ts": NOTE, "use.ts": f"{imports}{code}"})
    for symbol, lines in uses.items():
        assert bound_lines(tree, f"a.ts#{symbol}") == [f"use.ts:{line}" for line in lines], symbol


def test_a_use_in_its_own_file(make_workspace: Maker) -> None:
    tree = make_workspace({"a.ts": f"{NOTE}interface P {{ [Note.A]: string }}\n"})
    assert bound_lines(tree, "a.ts#Note.A") == ["a.ts:5"]
