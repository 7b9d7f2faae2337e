"""An attribute of an element of markup is a use of the member that its component declares."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

COMPONENTS = (
    'import React from "react";\n'
    "export type Props = { title: string; size: number };\n"
    "export type Others = { title: string };\n"
    "export function Panel({ title }: Props) { return null; }\n"
    "export const Row = (props: Others) => null;\n"
    "export const Fc: React.FC<Props> = ({ title }) => null;\n"
    "export class Cls extends React.PureComponent<Props> { }\n"
    "export const Any = wrap(Panel);\nexport const Kept = React.memo(Panel);\n"
    "export const Many = <T extends object>(props: Props & React.Of<T>) => null;\n"
)

MADE = (
    'import { observer } from "lib";\nimport { Panel } from "./c";\nexport default lazy(Panel);\n'
)

CASES: dict[str, tuple[str, list[str], list[str]]] = {
    # by name: an element, and the uses of Props.title and Others.title
    "a function": ('<Panel title="a" />', ["3"], []),
    "with type parameters": ('<Many title="a" />', ["3"], []),
    "with children": ('<Panel title="a">x</Panel>', ["3"], []),
    "another": ('<Row title="a" />', [], ["3"]),
    "a declared type": ('<Fc title="a" />', ["3"], []),
    "a class": ('<Cls title="a" />', ["3"], []),
    "a module's": ('<all.Panel title="a" />', ["3"], []),
    "unknown": ('<Any title="a" />', ["3?"], ["3?"]),
    "decorated": ('<Kept title="a" />', ["3"], []),
    "decorated elsewhere": ('<Seen title="a" />', ["3"], []),
    "a library's of a component": ('<Made title="a" />', ["3?"], ["3?"]),
    "a library's": ('<Lib title="a" />', [], []),
    "the browser's": ('<div title="a" />', [], []),
}


@pytest.mark.parametrize("name", CASES)
def test_an_attribute_is_bound(make_workspace: Maker, name: str) -> None:
    element, *expected = CASES[name]
    code = (
        'import { Panel, Row, Fc, Cls, Any, Kept, Many } from "./c";\n'
        'import * as all from "./c"; import { Lib } from "lib"; import Made from "./made"; import Seen from "./seen";\n'
        f"export const use = () => {element};\n"
    )
    tree = make_workspace(
        {
            "c.tsx": COMPONENTS,
            "made.tsx": MADE,
            "seen.tsx": MADE.replace("lazy", "observer"),
            "use.tsx": code,
        }
    )
    for symbol, lines in zip(("Props.title", "Others.title"), expected, strict=True):
        found = [one for one in bound_lines(tree, f"c.tsx#{symbol}") if "use" in one]
        assert found == [f"use.tsx:{line}" for line in lines], symbol


def test_a_pattern_takes_what_a_component_is_given(make_workspace: Maker) -> None:
    tree = make_workspace({"c.tsx": COMPONENTS})
    assert bound_lines(tree, "c.tsx#Props.title") == ["c.tsx:4", "c.tsx:6"]


def test_what_a_component_is_given_as_members_is_used_by_its_name(make_workspace: Maker) -> None:
    code = (
        "const One = () => <div/>;\nconst Two = () => <div/>;\nconst Panel = () => <div/>;\n"
        "export const Toast = Object.assign(Panel, { One, Second: Two });\n"
        "export const x = <Toast><Toast.One/><Toast.Second/></Toast>;\n"
        "export const other = { One: 1 };\nother.One;\n"
    )
    workspace = make_workspace({"a.tsx": code})
    assert bound_lines(workspace, "a.tsx#One") == ["a.tsx:4", "a.tsx:5"]
    assert bound_lines(workspace, "a.tsx#Two") == ["a.tsx:4"]
