"""References in C are bound by includes, declarations and the types of receivers."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "shop/item.h": (
        "typedef struct item item_t;\n"
        "struct item { int len; item_t *next; union { int a; } u; struct item *(*make)(int); };\n"
        "struct item *item_new(int n);\n"
        "extern struct item *the_item;\n"
    ),
    "shop/item.c": '#include "item.h"\nstruct item *the_item;\nstruct item *item_new(int n) { return 0; }\n',
    "shop/cart.h": '#include "item.h"\n' "struct cart { int len; struct item *items[4]; };\ntypedef struct cart cart_t, *cart_p;\n",
    # another program with its own types of these names
    "other/item.h": "struct item { int len; };\n",
    "other/main.c": '#include "item.h"\nint other(struct item *x) { return x->len; }\n',
}  # fmt: skip

ITEM, CART = "shop/item.h#item.len", "shop/cart.h#cart.len"
INCLUDES = '#include <stdio.h>\n#include "shop/cart.h"\n#include "shop/item.h"\n'

CASES: dict[str, tuple[str, list[str], list[str]]] = {
    # by name: the code of main.c after its includes, the lines bound to item.len and to cart.len
    "parameter": ("int f(struct item *x) { return x->len; }\n", ["4"], []),
    "typedef": ("int f(item_t *x, const cart_t *y, cart_p z) {\n\treturn x->len\n\t+ y->len\n\t+ z->len; }\n", ["5"], ["6", "7"]),
    "local variable": ("void f(void) {\n\tstruct cart c, *d = 0;\n\tc.len = 1;\n\td->len = 2;\n}\n", [], ["6", "7"]),
    "array": ("struct cart all[3];\nint f(int i) { return all[i].len; }\n", [], ["5"]),
    "field": ("int f(struct cart *c) { return c->items[1]->next->len; }\n", ["4"], []),
    "result": ("int f(void) { return item_new(1)->len; }\n", ["4"], []),
    "function in a field": ("int f(struct item *x) { return x->make(1)->len; }\n", ["4"], []),
    "variable of another file": ("int f(void) { return the_item->len; }\n", ["4"], []),
    "cast": ("int f(void *p) {\n\treturn ((struct cart *)p)->len;\n}\n", [], ["5"]),
    "dereference": ("int f(struct cart **p) { return (*p)->len; }\n", [], ["4"]),
    "inner block": (
        "int f(struct item *x) {\n\tfor (struct cart *x = 0; ; ) {\n\t\treturn x->len;\n\t}\n\treturn x->len;\n}\n",
        ["8"], ["6"],
    ),
    "type of the library": ("int f(FILE *x) { return x->len; }\n", [], []),
    "type that the tree lacks": ("int f(struct stat *x) { return x->len; }\n", [], []),
    "type without a name": ("int f(void) {\n\tstruct { int len; } x;\n\treturn x.len;\n}\n", ["6?"], ["6?"]),
    "enum": ("int f(enum item x) { return x->len; }\n", ["4?"], ["4?"]),
    "macro": ("#define LEN(p) ((p)->len)\n", ["4?"], ["4?"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound_by_its_receiver(make_workspace: Maker, name: str) -> None:
    code, of_item, of_cart = CASES[name]
    tree = make_workspace({**BASE, "main.c": INCLUDES + code})
    for symbol, expected in ((ITEM, of_item), (CART, of_cart)):
        lines = [line for line in bound_lines(tree, symbol) if line.startswith("main.c:")]
        assert lines == [f"main.c:{line}" for line in expected], symbol


def test_a_type_is_that_of_an_included_file(make_workspace: Maker) -> None:
    tree = make_workspace({
        **BASE,
        "shop/all.h": '#include "item.h"\n',
        "main.c": '#include "shop/all.h"\nint f(struct item *x) { return x->len; }\n',
    })  # fmt: skip
    assert bound_lines(tree, ITEM) == ["main.c:2"]
    assert bound_lines(tree, "other/item.h#item.len") == ["other/main.c:2"]


def test_a_type_that_no_included_file_defines_is_not_known(make_workspace: Maker) -> None:
    tree = make_workspace({**BASE, "main.c": "int f(struct item *x) { return x->len; }\n"})
    assert "main.c:1?" in bound_lines(tree, ITEM)
    assert "main.c:1?" in bound_lines(tree, "other/item.h#item.len")


def test_an_announced_type_has_the_members_of_its_definition(make_workspace: Maker) -> None:
    tree = make_workspace({
        "api.h": "typedef struct hidden hidden;\nhidden *hidden_new(void);\n",
        "api.c": '#include "api.h"\nstruct hidden { int len; };\n',
        "main.c": '#include "api.h"\nint f(hidden *h) { return h->len + hidden_new()->len; }\n',
        "more.c": "struct more { int len; };\n",
    })  # fmt: skip
    assert bound_lines(tree, "api.c#hidden.len") == ["main.c:2", "main.c:2"]
    assert bound_lines(tree, "more.c#more.len") == []


def test_a_declaration_and_its_definition_are_one(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a/run.h": "int run(int n);\n",
        "a/run.c": '#include "run.h"\nint run(int n) { return n; }\n',
        "b/run.c": "static int run(int n) { return n; }\nint own(void) { return run(1); }\n",
        "main.c": '#include "a/run.h"\nint f(void) { return run(1); }\n',
    })  # fmt: skip
    assert bound_lines(tree, "a/run.c#run") == ["main.c:2"]
    assert bound_lines(tree, "b/run.c#run") == ["b/run.c:2"]


def test_types_and_other_symbols_may_share_a_name(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.h": "struct view { int len; };\nextern struct pane { int len; } *view;\nint use(struct view *v);\n",
        "a.c": '#include "a.h"\nint use(struct view *v) {\n\treturn v->len;\n}\nint own(void) {\n\treturn view->len;\n}\n',
    })  # fmt: skip
    assert bound_lines(tree, "a.h#view.len") == ["a.c:3"]
    assert bound_lines(tree, "a.h#pane.len") == ["a.c:6"]


def test_alternatives_of_one_file_may_each_be_meant(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.h": "#ifdef X\nstruct view { int len; int x; };\n#else\nstruct view { int len; };\n#endif\n",
        "a.c": '#include "a.h"\nint f(struct view *v) { return v->len; }\n',
        "b.c": "struct other { int len; };\n",
    })  # fmt: skip
    assert bound_lines(tree, "a.h#view.len") == ["a.c:2"]
    assert bound_lines(tree, "a.h#view.len~2") == ["a.c:2"]


def test_a_struct_and_the_function_of_its_name_are_two(make_workspace: Maker) -> None:
    """Wherever either is used: in the head and the body of the function, in a macro."""
    tree = make_workspace({
        "t.h": "struct parse { int n; };\nstruct args *parse(const struct parse *, int);\n#define CALL(x) parse((x), 1)\n",
        "t.c": (
            '#include "t.h"\nstruct args *\nparse(const struct parse *p, int n)\n{\n'
            "\tstruct parse copy = *p;\n\treturn parse(&copy, 2);\n}\n"
        ),
    })  # fmt: skip
    assert bound_lines(tree, "t.h#parse") == ["t.c:3", "t.c:5", "t.h:2"]
    assert bound_lines(tree, "t.c#parse") == ["t.c:6", "t.h:3"]
    defined = {
        symbol: [
            (file.file_path, item.line)
            for file in tree.references(symbol, all=True).files
            for item in file.items
            if item.definition or item.role == "declaration"
        ]
        for symbol in ("t.h#parse", "t.c#parse")
    }
    assert defined == {"t.h#parse": [("t.h", 1)], "t.c#parse": [("t.c", 3), ("t.h", 2)]}
