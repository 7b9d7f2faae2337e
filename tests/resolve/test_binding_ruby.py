"""References in Ruby are bound by nesting, ancestors, parts of classes and values that are made."""

import pytest

from symindex.extract.bound import LONGEST_FUNCTION
from symindex.workspace.workspace import Workspace
from tests.support.bound import bound_lines
from tests.support.files import Maker

BASE = {
    "lib/shop.rb": (
        "module Shop\n  class Item\n    def add; end\n  end\n"
        "  module Runs\n    def run; end\n    def add; end\n  end\n"
        "  class Base\n    def up; end\n    class Error < StandardError; def why; end; end\n  end\n"
        "  class Cart < Base\n    include Runs\n    attr_reader :item\n"
        "    def initialize(x)\n      @item = Item.new(x)\n      @any = x\n    end\n"
        "    def add; end\n    DEFAULT = Item.new\n  end\nend\n"
    ),
    "lib/more.rb": "module Shop\n  class Cart\n    def more; end\n  end\n  module Extra; def extra; end; end\nend\nShop::Cart.include(Shop::Extra)\n",
    "lib/item.rb": "class Item\n  def add; end\n  def why; end\nend\nclass Cart; def up; end; end\n",
}  # fmt: skip

CART, ITEM, RUNS = (
    "lib/shop.rb#Shop.Cart.add",
    "lib/shop.rb#Shop.Item.add",
    "lib/shop.rb#Shop.Runs.run",
)
TOP, UP, MORE = "lib/item.rb#Item.add", "lib/shop.rb#Shop.Base.up", "lib/more.rb#Shop.Cart.more"
WHY, TYPE, TOP_TYPE = "lib/shop.rb#Shop.Base.Error.why", "lib/shop.rb#Shop.Item", "lib/item.rb#Item"

CASES: dict[str, tuple[str, dict[str, list[str]]]] = {
    # by name: the body of a class in the module, in line 3, and the uses of each symbol
    "nesting": ("def f; Item.new.add; end", {ITEM: ["3"], TOP: [], TYPE: ["3"], TOP_TYPE: []}),
    "a whole name": ("def f; Shop::Cart.new.add; end", {CART: ["3"], ITEM: [], TOP: []}),
    "an inner class": ("def f; Base::Error.new.why; end", {WHY: ["3"], "lib/item.rb#Item.why": []}),
    "a value": ("def f; x = Cart.new(1); x.add; end", {CART: ["3"], ITEM: []}),
    "a value of more than one": ("def f; x = Cart.new; x = Item.new; x.add; end", {CART: ["3?"], ITEM: ["3?"], TOP: []}),
    "a parameter": ("def f(x); x.add; end", {CART: ["3?"], ITEM: ["3?"], TOP: ["3?"]}),
    "a block": ("def f; x = Cart.new; y { |x| x.add }; y { x.add }; end", {CART: ["3?", "3"], ITEM: ["3?"]}),
    "a block of its own": ("y { x = Cart.new; x.add }", {CART: ["3"], ITEM: []}),
    "a reader": ("def f; Cart.new.item.add; end", {CART: [], ITEM: ["3"], TOP: []}),
    "a variable": ("def f; @x.add; end\ndef g\n@x = Item.new\nend", {CART: [], ITEM: ["3"], TOP: []}),
    "an unknown variable": ("def f; @x.add; end\ndef g(y)\n@x = y\nend", {CART: ["3?"], ITEM: ["3?"]}),
    "a constant": ("def f; Cart::DEFAULT.add; end", {CART: [], ITEM: ["3"]}),
    "a mixin": ("def f; Cart.new.run; Cart.new.more; end", {RUNS: ["3"], MORE: ["3"]}),
    "a mixin from outside": ("def f; Cart.new.extra; end", {"lib/more.rb#Shop.Extra.extra": ["3"]}),
    "an inherited method": ("def f; Cart.new.up; end", {UP: ["3"], "lib/item.rb#Cart.up": []}),
    "an exception": ("def f; rescue Base::Error => e; e.why; end", {WHY: ["3"], "lib/item.rb#Item.why": []}),
    "a value of the language": ("def f; x = String.new; x.add; x = []; x.add; end", {CART: [], ITEM: []}),
    "a class without a name": ("def f; @x = Class.new(Cart); more; end", {MORE: ["3?"]}),
    "a class of a constant": ("X = Class.new(Cart) { def f; more; end }", {MORE: ["3"]}),
    "self": ("def add; end\ndef f; add; self.add; end", {CART: [], ITEM: []}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_use_is_bound(make_workspace: Maker, name: str) -> None:
    body, expected = CASES[name]
    code = f"module Shop\nclass Use\n{body}\nend\nend\n"
    tree = make_workspace({**BASE, "lib/use.rb": code})
    for symbol, lines in expected.items():
        found = [line for line in bound_lines(tree, symbol) if "use.rb" in line]
        assert found == [f"lib/use.rb:{line}" for line in lines], symbol


def test_a_method_of_a_subclass_is_its_own(make_workspace: Maker) -> None:
    code = "module Shop\nclass Sub < Cart\n  def up; super; end\n  def g; up; add; end\nend\nend\n"
    tree = make_workspace({**BASE, "lib/sub.rb": code})
    assert bound_lines(tree, "lib/sub.rb#Shop.Sub.up") == ["lib/sub.rb:4"]
    assert bound_lines(tree, UP) == []
    assert bound_lines(tree, CART) == ["lib/sub.rb:4"]


def test_parts_of_a_class_have_the_bases_of_all(make_workspace: Maker) -> None:
    tree = make_workspace(BASE)
    below = tree.hierarchy("lib/shop.rb#Shop.Runs", direction="subtypes")
    assert [item.name for item in below.items] == ["Shop.Cart"]
    below = tree.hierarchy("lib/more.rb#Shop.Extra", direction="subtypes")
    assert [item.name for item in below.items] == ["Shop.Cart"]
    below = tree.hierarchy("lib/item.rb#Cart", direction="subtypes")
    assert not below.items


def _tree_with(make_workspace: Maker, body: str) -> Workspace:
    return make_workspace({**BASE, "lib/use.rb": f"module Shop\n{body}end\n"})


def test_a_method_may_be_overridden_where_it_is_called_by_its_name_alone(
    make_workspace: Maker,
) -> None:
    body = "class A\ndef f; step; end\ndef step; end\nend\nclass B < A\ndef step; end\nend\n"
    tree = _tree_with(make_workspace, body)
    assert bound_lines(tree, "lib/use.rb#Shop.A.step") == ["lib/use.rb:3"]
    assert bound_lines(tree, "lib/use.rb#Shop.B.step") == ["lib/use.rb:3?"]


def test_a_bare_name_calls_no_method_of_a_type_around_its_own(make_workspace: Maker) -> None:
    body = "class A\ndef self.step; end\nclass In\ndef f; step; end\nend\nend\n"
    body += "module Shows; def step; end; end\n"
    tree = _tree_with(make_workspace, body)
    assert bound_lines(tree, "lib/use.rb#Shop.A.step") == ["lib/use.rb:5?"]


def test_the_class_of_self_has_its_methods(make_workspace: Maker) -> None:
    body = "class A\ndef self.add; end\ndef f; self.class.add; end\nend\n"
    tree = _tree_with(make_workspace, body)
    assert bound_lines(tree, "lib/use.rb#Shop.A.add") == ["lib/use.rb:4"]
    assert "lib/use.rb:4" not in bound_lines(tree, CART)


def test_an_assignment_may_call_another_method(make_workspace: Maker) -> None:
    body = "class A\ndef self.way; end\ndef self.way=(x); end\nend\nA.way = A.way\n"
    tree = _tree_with(make_workspace, body)
    assert bound_lines(tree, "lib/use.rb#Shop.A.way") == ["lib/use.rb:6?", "lib/use.rb:6"]


def test_any_part_of_a_class_has_its_subclasses(make_workspace: Maker) -> None:
    tree = _tree_with(make_workspace, "class Sub < Cart; end\n")
    for part in ("lib/shop.rb#Shop.Cart", "lib/more.rb#Shop.Cart"):
        below = tree.hierarchy(part, direction="subtypes")
        assert [item.name for item in below.items] == ["Shop.Sub"], part


def test_blocks_with_titles_are_in_the_class_around_them(make_workspace: Maker) -> None:
    own = "module Helper\n  def dir(*a); 1; end\nend\nclass Unit\n  include Helper\nend\n"
    tests = (
        'class CartTest < Unit\n  def m; dir("a"); end\n  context "x" do\n    setup do\n'
        '      @a = dir("b")\n    end\n    should "y" do\n      dir("c")\n    end\n  end\nend\n'
    )
    files = {"helper.rb": own, "steps.rb": "def dir(*f); 2; end\n", "test/cart_test.rb": tests}
    tree = make_workspace({**files})
    lines = [f"test/cart_test.rb:{line}" for line in (2, 5, 8)]
    assert bound_lines(tree, "helper.rb#Helper.dir") == lines
    assert bound_lines(tree, "steps.rb#dir") == []


MADE = {
    "a.rb": (
        "class Cart\n  def add; end\n  def self.make(x)\n    return if x\n    Cart.new\n  end\n"
        "  def own\n    @own ||= Other.new\n  end\n  def many\n    return 1 if own\n    Cart.new\n  end\n"
        "  def peer\n    self.class.new\n  end\nend\n"
        "class Other\n  def add; end\n  def back\n    if x\n      Cart.new\n    end\n  end\nend\n"
    ),
    "spec/a_spec.rb": (
        "describe Cart do\n  let(:cart) { Cart.new }\n  let(:other) { Other.new }\n"
        "  subject { Cart.make(1) }\n  before do\n    @cart = Cart.new\n  end\n"
        "  def helper\n    @helper ||= Other.new\n  end\n  it 'adds' do\n    cart.add\n    other.add\n"
        "    subject.add\n    @cart.add\n    helper.add\n    Cart.make(2).add\n    cart.own.add\n"
        "    cart.many.add\n    cart.peer.add\n    Other.new.back.add\n  end\nend\n"
        "describe 'far' do\n  it 'adds' do\n    @cart.add\n  end\nend\n"
    ),
}


def test_results_of_methods_and_values_that_tests_share_have_their_types(
    make_workspace: Maker,
) -> None:
    tree = make_workspace(MADE)
    for symbol, lines in (
        ("a.rb#Cart.add", ["12", "14", "15", "17", "19?", "20", "21?", "26?"]),
        ("a.rb#Other.add", ["13", "16", "18", "19?", "21?", "26?"]),
    ):
        assert bound_lines(tree, symbol) == [f"spec/a_spec.rb:{line}" for line in lines], symbol
    assert "spec/a_spec.rb:12" not in bound_lines(tree, "a.rb#Cart.make")
    assert "spec/a_spec.rb:2" in bound_lines(tree, "a.rb#Cart")


@pytest.mark.parametrize(("more", "mark"), [(0, ""), (LONGEST_FUNCTION, "?")])
def test_the_result_of_a_long_method_is_not_read(
    make_workspace: Maker, more: int, mark: str
) -> None:
    lines = "    step\n" * (more // 9 + 1)
    make = f"  def self.make\n{lines}    Cart.new\n  end\n"
    code = f"class Cart\n  def add; end\n{make}end\nclass Other; def add; end; end\n"
    tree = make_workspace({"a.rb": code, "b.rb": "Cart.make.add\n"})
    assert bound_lines(tree, "a.rb#Cart.add") == [f"b.rb:1{mark}"]


def test_a_base_is_in_the_module_that_qualifies_it(make_workspace: Maker) -> None:
    tree = make_workspace({
        "a.rb": (
            "module Shop\n  module Plans\n    class Base; end\n    class Own < Base; end\n  end\nend\n"
            "module Records\n  class Made; end\nend\n"
            "class User < Records::Base; end\nclass Admin < User; end\n"
            "class Third < Unknown::Base; end\nclass Fourth < Shop::Plans::Base; end\n"
        ),
    })  # fmt: skip
    below = tree.hierarchy("a.rb#Shop.Plans.Base", direction="subtypes")
    assert [item.name for item in below.items] == ["Shop.Plans.Own", "Fourth"]
    above = tree.hierarchy("a.rb#User", direction="supertypes")
    assert (above.items, above.outside) == ([], ["Records::Base"])


NAMED = (
    "class Trims < Lib::Base\n"
    "  before_action :trim, only: [:trim], if: :trim\n"
    "  private :trim\n"
    "  def trim; end\n"
    "  def f(opts)\n"
    "    trim if opts[:trim]\n"
    "    BACK[:trim] = add(:trim, :x)\n"
    "    x.respond_to?(:trim)\n"
    "    send(:trim, :trim)\n"
    "    self.send(:trim)\n"
    "    self.sends(:trim)\n"
    "    x.map(&:trim)\n"
    "  end\nend\n"
)


def test_a_symbol_is_a_certain_use_only_where_it_names_a_method_of_self(
    make_workspace: Maker,
) -> None:
    tree = make_workspace({"a.rb": NAMED})
    assert bound_lines(tree, "a.rb#Trims.trim") == [
        f"a.rb:{line}"
        for line in (
            "2",
            "2?",
            "2",
            "3",
            "6",
            "6?",
            "7?",
            "7?",
            "8?",
            "9",
            "9?",
            "10",
            "11?",
            "12?",
        )
    ]
    for line, column, is_bound in ((6, 19, False), (7, 11, False), (9, 11, True), (3, 13, True)):
        found = tree.symbol(f"a.rb:{line}:{column}")
        assert ("is bound to a.rb" in " ".join(found.notices or [])) == is_bound, line


def test_a_module_that_a_test_opens_again_is_the_one_that_the_library_defines(
    make_workspace: Maker,
) -> None:
    tree = make_workspace(
        {
            "lib/kiq.rb": 'module Kiq\n  VERSION = "1"\n  def self.start; end\nend\n',
            "lib/kiq/job.rb": "module Kiq\n  module Job\n  end\nend\n",
            "test/a_test.rb": "module Kiq\n  class Tui; end\nend\n",
            "test/b_test.rb": "class My\n  include Kiq::Job\nend\nKiq.start\n",
        }
    )
    for place in ("test/b_test.rb:2:11", "test/b_test.rb:4:1"):
        found = tree.symbol(place)
        assert found.symbol and found.symbol.id == "lib/kiq.rb#Kiq"
        assert [one.id for one in found.others] == ["lib/kiq/job.rb#Kiq", "test/a_test.rb#Kiq"]
        assert found.notices and found.notices[0].endswith(
            "is bound to lib/kiq.rb#Kiq; what else has its name defines other parts of it"
        )


def test_methods_of_one_name_in_parts_of_a_module_are_all_possible(make_workspace: Maker) -> None:
    tree = make_workspace(
        {
            "lib/pure.rb": "module Idna\n  def self.code; end\nend\n",
            "lib/ext/native.rb": "module Idna\n  def self.code; end\n  def self.one; end\nend\n",
            "lib/ext/use.rb": "Idna.code\nIdna.one\n",
            "test/idna_test.rb": "module Idna\n  def self.one; end\nend\n",
        }
    )
    for path in ("lib/pure.rb", "lib/ext/native.rb"):
        assert bound_lines(tree, f"{path}#Idna.code") == ["lib/ext/use.rb:1?"]
    assert bound_lines(tree, "lib/ext/native.rb#Idna.one") == ["lib/ext/use.rb:2"]


def test_the_title_of_a_test_is_no_type(make_workspace: Maker) -> None:
    spec = "describe Thor do\n  let(:shell) { 1 }\n  it('a') { shell }\nend\n"
    tree = make_workspace(
        {
            "lib/shell.rb": "class Thor\n  module Shell\n    def shell; end\n  end\nend\n",
            "lib/use.rb": "class Thor\n  include Made\n  module Acts\n    def f; shell; end\n  end\n  def g; shell; end\nend\n",
            "spec/a_spec.rb": spec,
        }
    )
    assert bound_lines(tree, "lib/shell.rb#Thor.Shell.shell")[:2] == [
        "lib/use.rb:4?",
        "lib/use.rb:6?",
    ]


def test_a_reader_and_a_method_of_one_name_are_one(make_workspace: Maker) -> None:
    code = "class Cart\n  attr_accessor :made\n  def made\n    @made ||= 1\n  end\n  def f; made; end\nend\n"
    tree = make_workspace({"a.rb": f"{code}Cart.made, x = 1, 2\n"})
    assert bound_lines(tree, "a.rb#Cart.made") == ["a.rb:4", "a.rb:6", "a.rb:8"]
    assert bound_lines(tree, "a.rb#Cart.made~2") == ["a.rb:6"]


def test_a_module_may_give_more_members_to_what_it_is_mixed_into(make_workspace: Maker) -> None:
    body = (
        "module Loud\ndef self.included(base)\nbase.extend(Parts)\nend\n"
        "module Parts\ndef shared; end\nend\nend\nclass Dog\ninclude Loud\nend\n"
        "class Cat\nend\nDog.shared\nCat.shared\n"
    )
    tree = _tree_with(make_workspace, body)
    assert bound_lines(tree, "lib/use.rb#Shop.Loud.Parts.shared") == ["lib/use.rb:15?"]


def test_methods_of_a_class_are_apart_from_those_of_its_values(make_workspace: Maker) -> None:
    body = (
        "class Animal\ndef self.go; end\nend\nclass Dog < Animal\ndef go; end\n"
        "def a; self.class.go; end\ndef b; go; self.go; end\ndef self.c; go; self.go; end\n"
        "class << self\ndef d; go; end\nend\nend\nDog.go\nDog.new.go\n"
    )
    tree = _tree_with(make_workspace, body)
    of_class, of_value = (
        bound_lines(tree, f"lib/use.rb#Shop.{name}") for name in ("Animal.go", "Dog.go")
    )
    assert of_class == [f"lib/use.rb:{line}" for line in (7, 9, 9, 11, 14)]
    assert of_value == [f"lib/use.rb:{line}" for line in (8, 8, 15)]
    both = _tree_with(make_workspace, "class One\ndef self.go; end\ndef go; end\nend\nOne.go\n")
    assert bound_lines(both, "lib/use.rb#Shop.One.go") == ["lib/use.rb:6"]
    assert bound_lines(both, "lib/use.rb#Shop.One.go~2") == []


def test_a_bare_name_calls_no_accessor_of_a_module_around_its_type(make_workspace: Maker) -> None:
    code = (
        "module Outer\n  class << self\n    attr_accessor :setting\n    def helper; end\n"
        "    def own\n      setting\n    end\n  end\n"
        "  class Inner\n    def go\n      helper\n      setting\n    end\n  end\nend\n"
    )
    tree = make_workspace({"a.rb": code})
    assert bound_lines(tree, "a.rb#Outer.setting") == ["a.rb:6", "a.rb:12?"]
    assert bound_lines(tree, "a.rb#Outer.helper") == ["a.rb:11?"]


def test_a_method_of_a_class_makes_a_value_of_it(make_workspace: Maker) -> None:
    body = "class One\ndef self.go\nnew.go\nend\ndef go; end\nend\n"
    tree = _tree_with(make_workspace, body)
    assert bound_lines(tree, "lib/use.rb#Shop.One.go") == []
    assert bound_lines(tree, "lib/use.rb#Shop.One.go~2") == ["lib/use.rb:4"]


def test_a_bare_name_that_is_assigned_is_a_variable(make_workspace: Maker) -> None:
    code = (
        "class Acc\n  attr_accessor :size\n  def name; @name; end\n  def a; name = 1; name + 2; end\n"
        "  def g; name ||= 3; name; end\n  def h; x, name = 1, 2; name; end\n"
        "  def j; case {name: 1}; in {name:}; name; end; end\n  def k; name + size; end\n"
        "  def l; self.size = 2; end\n  def m\n    size = 3\n    size + @size\n  end\nend\n"
    )
    workspace = make_workspace({"a.rb": code})
    assert bound_lines(workspace, "a.rb#Acc.name") == ["a.rb:8"]
    assert sorted(bound_lines(workspace, "a.rb#Acc.size")) == ["a.rb:12", "a.rb:8", "a.rb:9"]
