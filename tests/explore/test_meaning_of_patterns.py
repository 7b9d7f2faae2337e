"""What names in patterns and keys of literals mean: members of the values, not local names."""

from symindex import Workspace
from tests.support.files import Maker

CODE = (
    "interface Owner { name: string; size: number }\n"
    "export function f(owner: Owner) {\n  const { name, size: other } = owner;\n"
    "  const { size } = owner;\n  const next: Owner = { name, size: 1 };\n  return name + other;\n}\n"
    "export const g = ({ name }) => name;\n"
)


def _meaning(tree: Workspace, place: str) -> tuple[str, str]:
    found = tree.symbol(place)
    return found.symbol.id if found.symbol else "", str(found.notices)


def test_a_pattern_takes_a_member(make_workspace: Maker) -> None:
    tree = make_workspace({"a.ts": CODE})
    for place in ("a.ts:3:11", "a.ts:3:17", "a.ts:4:11", "a.ts:5:31"):
        assert _meaning(tree, place)[0].startswith("a.ts#Owner."), place


def test_a_local_name_is_told(make_workspace: Maker) -> None:
    tree = make_workspace({"a.ts": CODE})
    for place in ("a.ts:6:10", "a.ts:8:21", "a.ts:8:32"):
        assert "is a local name" in _meaning(tree, place)[1], place
