"""A tree in which names have namesakes, bases, overrides, callers and texts of many forms, for
`test_answers`."""

from typing import Final

from tests.support.files import Files

LONG: Final = (
    "def long_one(count):\n"
    + "".join(f"    step_{number} = count + {number}  # step {number}\n" for number in range(40))
    + "    return step_39\n"
)

TREE: Final[Files] = {
    "src/shop/__init__.py": "from shop.cart import Cart, total_of\n\n__all__ = ['Cart', 'total_of']\n",
    "src/shop/base.py": (
        '"""The base of carts."""\n\n\nclass Base:\n    """Has items.\n\n    More of it.\n    """\n\n'
        "    limit = 10\n\n    def __init__(self, name):\n        self.name = name\n\n"
        "    def total(self):\n        raise NotImplementedError\n\n    def items(self):\n        return []\n"
    ),
    "src/shop/cart.py": (
        "from functools import cached_property\n\nfrom shop.base import Base\nfrom shop.base import Base as Root\n\n\n"
        "class Cart(Base):\n    \"\"\"A cart.\"\"\"\n\n    def total(self):\n        found = 0\n        for item in self.items():\n"
        "            found += item.price  # the total so far\n        return found\n\n    @cached_property\n"
        "    def first(self):\n        return self.items()[0]\n\n    class Line:\n        price = 1\n\n"
        "        def total(self):\n            return self.price\n\n\nclass Big(Root):\n    def total(self):\n"
        "        return super().total()\n\n\nclass Huge(Big):\n    def items(self):\n        return [1]\n\n\n"
        "def total_of(cart: Cart) -> int:\n    if cart is None:\n        raise ValueError('no cart was given')\n"
        "    return cart.total()\n\n\ndef _hidden():\n    def inner():\n        return total_of(None)\n    return inner\n"
    ),
    "src/shop/use.py": (
        "import shop.cart\nfrom shop.cart import Cart, total_of as summed\n\nTOTAL = 'total'\n\n\n"
        "def run(carts):\n    cart = Cart('x')\n    cart.limit = 3\n    cart.total()\n    print(summed(cart), cart.first)\n"
        "    for each in carts:\n        each.total()\n    return shop.cart.total_of(cart)\n\n\n"
        "def other(total):\n    # total is a number here\n    return total + 1\n"
    ),
    "src/long.py": LONG,
    "tests/test_cart.py": (
        "from shop.cart import Cart, total_of\n\n\nclass TestCart:\n    def test_total(self):\n        assert Cart('a').total() == 0\n\n\n"
        "def test_total_of():\n    assert total_of(Cart('b')) == 0\n\n\ndef helper():\n    raise ValueError('no cart was given')\n"
    ),
    "vendor/lib.py": "def total_of(cart):\n    return cart\n",
    "web/cart.ts": (
        "export interface Priced {\n  total(): number;\n}\n\nexport class WebCart implements Priced {\n  private n = 0;\n"
        "  total(): number { return this.n; }\n  add(n: number): void;\n  add(n: string): void;\n  add(n: any): void { this.n += 1; }\n}\n\n"
        "export const make = (): WebCart => new WebCart();\n"
    ),
    "web/view.ts": (
        "import { WebCart, make as build } from './cart';\n\nexport function show(): string {\n  const cart = build();\n  cart.add(1);\n"
        "  return `Total is ${cart.total()} for ${name} today`;\n}\n"
    ),
    "java/com/acme/Shape.java": (
        "package com.acme;\n\npublic abstract class Shape {\n  protected int side;\n  public abstract int area();\n"
        "  public int area(int by) { return by * area(); }\n}\n"
    ),
    "java/com/acme/Square.java": (
        "package com.acme;\n\nimport java.util.List;\n\npublic class Square extends Shape implements Comparable<Square> {\n"
        "  public Square(int side) { this.side = side; }\n  @Override\n  public int area() { return side * side; }\n"
        "  public int compareTo(Square other) { return area(2) - other.area(); }\n}\n"
    ),
    "go/store/store.go": (
        "package store\n\n// Store keeps.\ntype Store interface {\n\tGet(key string) string\n}\n\n// Memory keeps in memory.\n"
        "type Memory struct {\n\tdata map[string]string\n}\n\n// Get returns one.\nfunc (m *Memory) Get(key string) string {\n"
        "\treturn m.data[key]\n}\n\nfunc Open() Store {\n\treturn &Memory{}\n}\n"
    ),
    "go/main.go": "package main\n\nimport \"x/store\"\n\nfunc main() {\n\ts := store.Open()\n\ts.Get(\"total\")\n}\n",
    "c/list.h": "struct list;\nint list_size(struct list *l);\n#define LIST_MAX 10\n",
    "c/list.c": (
        "#include \"list.h\"\n\nstruct list { int n; };\n\nint list_size(struct list *l)\n{\n\treturn l->n;\n}\n\n"
        "static int grow(struct list *l)\n{\n\tif (list_size(l) >= LIST_MAX)\n\t\treturn -1;\n\treturn ++l->n;\n}\n"
    ),
    "rust/src/lib.rs": (
        "pub trait Area { fn area(&self) -> u32; }\n\npub struct Tile { pub side: u32 }\n\nimpl Area for Tile {\n"
        "    fn area(&self) -> u32 { self.side * self.side }\n}\n\npub fn sum(tiles: &[Tile]) -> u32 {\n"
        "    tiles.iter().map(|t| t.area()).sum()\n}\n"
    ),
    "docs/guide.md": (
        "# Guide\n\nHow the total is made.\n\n## Carts\n\nA cart has items.\n\nIts total is their sum.\n\n### Lines\n\nEach line.\n\n"
        "## Shapes\n\n```python\ntotal = 1\n```\n"
    ),
    "notes.txt": "total\nno cart was given\n",
    "data.json": '{"total": {"items": [1], "cart": "total"}}\n',
    ".claude/skills/cart/SKILL.md": "---\nname: cart\ndescription: fills carts\n---\n# Cart\n\nFill it.\n",
    "empty.py": "",
}  # fmt: skip
