"""Skipping bodies makes no difference: the symbols are those of the whole file."""

import random
import time

import msgspec
import pytest

from symindex.errors import GrammarError
from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.schema import BodyRules, SuiteRules
from symindex.extract.parse import partial
from symindex.extract.parse.skipping.bodies import SMALL_FILE, bodies_of
from symindex.extract.symbols import extract_symbols
from tests.extract.test_grammars import FILES, language_of
from tests.support import marks

LANGUAGES = {
    language.id: language
    for language in load_languages().by_id.values()
    if bodies_of(language) is not None
}

SEEING_ALL = {
    language.id: Language(
        language.id,
        msgspec.structs.replace(language.rules, bodies=BodyRules(), suites=SuiteRules()),
        language.query,
    )
    for language in LANGUAGES.values()
}


def large_enough(code: str) -> bytes:
    """Adds blank lines, so that the file is large enough for bodies to be skipped."""
    return code.encode() + b"\n" * SMALL_FILE


def left_out(language: str, data: bytes) -> list[str]:
    """Returns the skipped parts of a file."""
    finder = bodies_of(LANGUAGES[language])
    assert finder is not None
    _, bodies = finder.find(data, [])
    return [data[start:end].decode() for start, end in bodies]


def check_same(language: str, data: bytes) -> None:
    symbols = extract_symbols(LANGUAGES[language], data)[0]
    if LANGUAGES[language].rules.bodies.firm:
        assert symbols  # skipping finds more if the grammar cannot read a body
    else:
        assert symbols == extract_symbols(SEEING_ALL[language], data)[0]


def test_firm_bodies_are_skipped_near_errors_and_in_small_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A grammar loses what follows a body that it cannot read, unless the file is repaired."""
    monkeypatch.setattr(
        partial.PartialParser, "_repaired", lambda self, source, _: self.parse_with_rules(source)
    )
    [path] = [path for path in FILES if path.name == "Hard.hx"]
    data = marks.read_marks(path.read_bytes().decode())[0].encode()
    counts = [
        len(extract_symbols(languages["haxe"], data)[0]) for languages in (LANGUAGES, SEEING_ALL)
    ]
    assert counts[0] > 2 * counts[1]


CODE = "call(1); call(2); call(3); call(4)"

# For each language: code, and its number of skipped bodies. CODE ends a line, or a body.
CASES: dict[str, list[tuple[str, int]]] = {
    "c": [
        (
            "int a(void) { char *s = \"}{\"; char c = '{'; CODE; /* } */ // }\n }\nint b(void) { CODE; }",
            2,
        ),
        ('int a(void)\n{\n  char *s = "\\"}\\\\";\n  CODE;\n}\nint b;', 1),
        ("int a(x, y)\n  int x;\n  char *y;\n{\n  CODE;\n}\nint b;", 0),
        ("int a(void) {\n  struct in { int x; };\n  CODE;\n}", 0),
        ("int a(void) {\n#define INNER 1\n  CODE;\n}", 0),
        (
            "int a(void) {\n#ifdef X\n  if (x) {\n#else\n  if (y) {\n#endif\n  CODE; } }\nint b(void) { CODE; }",
            0,
        ),
        ("int a(void) { CODE;\nint b(void) { CODE; }", 0),
        (
            "struct s { int x; int y; int z; int a_long_name; };\nstruct s f(struct s a) { CODE; }",
            1,
        ),
        ("struct __attribute__((packed)) { int first; int second; } v;", 0),
        (
            "static const int table[] = {\n  1, 2, 3, /* } */ 4, 5, 6, 7, 8, 9, 10, 11,\n};\nint b;",
            1,
        ),
        ("int a(void) {\r\n  CODE;\r\n}\r\nint b(void) {\r\n  CODE;\r\n}\r\n", 2),
        ("#error don't\nint a(void) { CODE; }", 1),
        ('char *s = ";\nint a(void) { CODE; }', 0),
        ("int a(void) <% CODE; CODE; %>\nint b;", 0),
        ("int a(void) {\n#if X\n  if (x) {\n#endif\n  CODE;\n#if X\n  }\n#endif\n}\nint b;", 1),
        ("int first;\nMARKED(static int a(int x)) { CODE; CODE; }\nint b;", 1),
    ],
    "cpp": [
        ('void a() { auto s = R"x(}" {)x"; CODE; }\nint n = 1\'000\'000;\nvoid b() { CODE; }', 2),
        ("struct A : B {\n  A(int x) : B(x), y(x) { CODE; }\n  ~A() { CODE; }\n  int y;\n};", 2),
        ("template <class T> auto a(T t) -> decltype(t) { CODE; }", 1),
        (
            "class A {\n  bool operator==(const A &o) const noexcept { CODE; }\n  int get() const override { CODE; }\n};",
            2,
        ),
        ("void a() {\n  auto f = [](int x) { return x; };\n  CODE;\n}", 0),
        ("void a() {\n  using T = int;\n  CODE;\n}", 0),
        ("void a()\n{\n  run([&] { CODE; });\n}", 1),
        ('TEST_CASE("x") {\n  SECTION("inner") {\n    CODE;\n  }\n}', 1),
        ("namespace n {\nvoid a(int x = f({1, 2})) { CODE; }\n}", 1),
    ],
    "csharp": [
        (
            "class A {\n"
            '  void M() { var s = @"}""{"; var t = $"{x}}}"; CODE; }\n'
            "  int P { get { CODE; return 1; } set { CODE; } }\n"
            "}",
            3,
        ),
        ("class A<T> where T : new()\n{\n  A(int x) : base(x)\n  {\n    CODE;\n  }\n}", 0),
        ("class A {\n  public void M<T>(T x) where T : class\n  {\n    CODE;\n  }\n}", 1),
        ("class A {\n  void M() {\n    int Local(int y) { CODE; return y; }\n    CODE;\n  }\n}", 1),
        ("class A {\n  void M() {\n    int Local(int y) => y;\n    CODE;\n  }\n}", 0),
        ('class A {\n  string s = """\n    } " {\n    """;\n  void M() { CODE; }\n}', 1),
        ("record R(int X, int Y) {\n  public int Z { get; set; }\n  void M() { CODE; }\n}", 1),
        (
            'class A {\n  [Attr("}")] void M() { CODE; }\n  #region don\'t\n  void N() { CODE; }\n  #endregion\n}',
            2,
        ),
        (
            "class A {\n  static readonly F f = run(() => {\n    // a comment\n    CODE;\n  });\n}",
            1,
        ),
    ],
    "go": [
        (
            "package p\nfunc a() { s := `}{`; c := '{'; t := \"}\"; CODE }\nfunc (r *T) b(x int) (int, error) {\n\tCODE\n}",
            2,
        ),
        ("package p\nfunc a(x interface{}, y struct{}) {\n\tCODE\n}", 1),
        ("package p\nfunc a() {\n\tf := func() { CODE }\n\tCODE\n}", 1),
        ("package p\nfunc a() {\n\ttype in struct{ x int }\n\tCODE\n}", 0),
        ('package p\nfunc a(t *testing.T) {\n\tt.Run("x", func(t *testing.T) { CODE })\n}', 1),
        ("package p\nfunc a() {\n\tgo func() { CODE }()\n\tdefer func() { CODE }()\n}", 1),
        ("package p\nvar a = run(func() {\n\t// a comment\n\tCODE\n})\n", 1),
        ("package p\nfunc a[T any](x T) map[string]T {\n\tCODE\n}", 1),
    ],
    "java": [
        (
            'class A {\n  void a() throws B, C { char c = \'{\'; String s = "}\\""; CODE; }\n  A(int x) { CODE; }\n}',
            1,
        ),
        (
            'class A {\n  void a() {\n    var s = """\n      } " {\n      """;\n    CODE;\n  }\n  void b() { CODE; }\n}',
            2,
        ),
        (
            "class A {\n  void a() {\n    run(new B() {\n      public int in(int x) { CODE; }\n    });\n    CODE;\n  }\n}",
            1,
        ),
        ("class A {\n  void a() {\n    class In { int x; }\n    CODE;\n  }\n}", 0),
        (
            'enum E {\n  PLUS("+") {\n    int of(int x) { CODE; }\n  };\n  E(String s) { CODE; }\n}',
            1,
        ),
        (
            '@A({1, 2})\nclass B {\n  @C("}") <T extends D<T>> T a(final T... x)\n  {\n    CODE;\n  }\n}',
            1,
        ),
        ("record R(int x) {\n  R { CODE; }\n  static int a() { CODE; }\n}", 1),
    ],
    "javascript": [
        (
            "function a() { const s = `}${f({x: '}'})}{`; const r = /[/\"}]/; CODE; }\nfunction b() { CODE; }",
            2,
        ),
        ("function a() {\n  const f = (x) => { CODE; };\n  CODE;\n}", 1),
        ("function a() {\n  this.x = function () { CODE; };\n}", 1),
        (
            "const f = (function (a) { CODE; });\nx.y = (function () { CODE; });\nnamed = function () { CODE; };",
            3,
        ),
        (
            "function a() {\n  const f = (function () { CODE; });\n  const g = ((x) => { CODE; });\n  CODE;\n}",
            2,
        ),
        (
            "function a() {\n  const o = { in: { f() { CODE; }, g: function () { CODE; } } };\n  CODE;\n}",
            2,
        ),
        ("function a() {\n  const o = {\n    get x() { CODE; },\n  };\n  CODE;\n}", 1),
        ("(function () {\n  var own = 1;\n  CODE;\n})();", 0),
        ("define(['a'], function (a) {\n  var own = 1;\n  CODE;\n});", 0),
        ("require(['a'], function (a) {\n  var own = 1;\n  CODE;\n});", 0),
        ("function a() {\n  return { 'b:c'(x) { CODE; }, \"d{}\"() { CODE; } };\n}", 0),
        (
            "function a() {\n  const f = b || ((x) => x);\n  const g = b ?? (function () { CODE; });\n}",
            1,
        ),
        ("class A {\n  #p = 1;\n  get x() { CODE; }\n  static async *b(c = {}) { CODE; }\n}", 2),
        ("describe('s', () => {\n  it('c', async () => { CODE; });\n});", 1),
        ("const a = run(function () {\n  // a comment\n  CODE;\n});", 1),
        ("if (x) {\n  var a = 1;\n  CODE;\n}", 0),
        ("const a = { m() { CODE; }, f: function () { CODE; }, g: () => { CODE; } };", 3),
        ("function a({ x, y } = {}, z) { CODE; }", 1),
    ],
    "haxe": [
        (
            'class A {\n  function a(f:Int->Void):Map<Int, B> { var s = "}{"; var r = ~/}/; CODE; }\n  var b = 1;\n}',
            1,
        ),
        ("class A {\n  function a() { function inner() {} }\n}", 0),
    ],
    "kotlin": [
        (
            'fun a(x: Int = 1): Int { val s = "${f { "}" }}"; val t = """}"{"""; CODE }\nfun b() { CODE }',
            1,
        ),
        (
            "class A(val x: Int) {\n  fun <T> a(f: (T) -> Unit): List<T> where T : B { CODE }\n  val y: Int get() { CODE }\n}",
            1,
        ),
        ("fun a() {\n  fun local() { CODE }\n  CODE\n}", 1),
        ("fun a() {\n  val f = { x: Int -> CODE }\n  CODE\n}", 0),
        ("fun a() {\n  run(object : B {\n    override fun c() { CODE }\n  })\n}", 1),
    ],
    "php": [
        (
            "<?php\nfunction a(array $x = []): ?int { $s = '}'; $t = \"{$x['}']}\"; CODE; }\nfunction b() { CODE; }",
            2,
        ),
        (
            "<?php\n"
            "class A {\n"
            "  public function a() {\n"
            "    $s = <<<EOT\n"
            "}} ' {\n"
            "EOT;\n"
            "    CODE;\n"
            "  }\n"
            "  function b() { CODE; } # don't\n"
            "}",
            2,
        ),
        ("<?php\nfunction a() {\n  define('INNER', 1);\n  CODE;\n}", 0),
        (
            "<?php\nfunction a() {\n  $f = function () use ($x) { CODE; };\n  return new class { function in() { CODE; } };\n}",
            2,
        ),
        ("<?php\nif ($x) {\n  $a = 1;\n  CODE;\n}", 0),
        ("<p>don't {</p>\n<?php function a() { CODE; } ?>\n", 0),
    ],
    "python": [
        (
            'def a(x={"}": 1}, *, y="):"):\n    """Doc of a."""\n    s = """\ndef no(): pass\n"""\n    CODE\ndef b(): return 1',
            0,
        ),
        ("def a():\n    # a comment\n    CODE\n    # the last\n# of b\ndef b():\n    CODE", 2),
        (
            "class A:\n"
            "    def a(self) -> 'B':\n"
            "        '''Doc.'''\n"
            "        CODE\n"
            "\n"
            "    @property\n"
            "    def b(self):\n"
            "        CODE\n",
            2,
        ),
        ("def a():\n    def local():\n        CODE\n    CODE\n", 1),
        ("def a():\n    f = lambda x: x\n    CODE\n", 0),
        ("def a():\n    x = (\n1)\n    CODE\ndef b():\n    CODE\n", 1),
        (
            "async def a(\n    x,  # ):\n    y,\n):\n    if x:\n        CODE\n    else:\n        CODE  # end\n",
            1,
        ),
        ("if x:\n\tdef a():\n\t\tCODE\nelse:\n\tdef a():\n\t\tCODE\n", 2),
        ("def a():\r\n    CODE\r\n\r\ndef b():\r\n    CODE\r\n", 2),
    ],
    "ruby": [
        ("def a(x = '}')\n  CODE\nend\n\ndef b\n  CODE\nrescue A\n  CODE\nend\n", 2),
        (
            "class A\n"
            "  def a\n"
            "    s = <<~EOS\n"
            "      def no\n"
            "      end\n"
            "    EOS\n"
            "    CODE\n"
            "  end\n"
            "\n"
            "  def self.b(*) # c\n"
            "    CODE\n"
            "  end\n"
            "end\n",
            1,
        ),
        (
            "class A\n  def a\n    s = <<-EOS\n  end\n    EOS\n    CODE\n  end\n  def b\n    CODE\n  end\nend\n",
            1,
        ),
        ("def a\n  define_method(:inner) { 1 }\n  CODE\nend\n", 0),
        ("def a; CODE end\ndef b = 1\ndef c() = CODE\n", 0),
        ("def a\n  x = 1 if y\nCODE\nend\ndef b\n  CODE\nend\n", 1),
    ],
    "rust": [
        (
            "fn a<'a>(x: &'a str) -> &'a str { let c = '{'; let s = r#\"}\"{\"#; CODE; }\nfn b() { CODE; }",
            2,
        ),
        (
            "impl A {\n    pub fn a(&self) -> impl Fn(u8) -> u8 where A: B { CODE; }\n}\nfn b(x: [u8; 4]) { CODE; }",
            1,
        ),
        ("fn a() {\n    fn local() { CODE; }\n    CODE;\n}", 1),
        ("fn a() {\n    let f = |x: u8| { CODE; };\n    CODE;\n}", 0),
        ("fn a() {\n    //! Doc of a.\n    CODE;\n}", 0),
        ("macro_rules! m { ($x:expr) => { $x } }\nfn a() { /* /* } */ { */ CODE; }", 1),
        ("cfg_rt! {\n    pub fn a() { CODE; }\n    pub fn b() { CODE; }\n}", 2),
    ],
    "typescript": [
        (
            "function a<T>(x: T, y?: { z: T }): x is T { CODE; }\nexport const b = async (x: A): Promise<void> => { CODE; };",
            2,
        ),
        (
            "class A {\n  constructor(private x: B) { super(x); CODE; }\n  m(): void { CODE; }\n}\ninterface I { m(): { a: 1 } }",
            2,
        ),
        ("function a() {\n  interface In { x: 1 }\n  type T = 1;\n  CODE;\n}", 0),
        ("namespace N {\n  export function a() { CODE; }\n}", 1),
        ("type F = (x: string) => {\n  first: string;\n  second: string;\n};\nconst y = 1;", 1),
    ],
    "tsx": [
        (
            "function A() {\n  const x = 1;\n  CODE;\n  return <p>don't {x} // {`}`}</p>;\n}\nfunction B() { CODE; }",
            2,
        ),
    ],
    "flow": [
        ("type P = {| +a: string |};\nfunction a(p: ?P): T { CODE; }\nfunction b() { CODE; }", 2),
    ],
}


@pytest.mark.sample(83)
@pytest.mark.parametrize(
    ("language", "code", "count"),
    [(language, code, count) for language, cases in CASES.items() for code, count in cases],
)
def test_cases(language: str, code: str, count: int) -> None:
    data = large_enough(code.replace("CODE", CODE))
    assert len(left_out(language, data)) == count
    check_same(language, data)


BROKEN = [
    ("c", "int a=(void) { CODE; }\nint b(void) { CODE; }"),
    ("cpp", "struct A : B {\n  A(int x) : B(x), y@(x) { CODE; }\n  ~A() { CODE; }\n};"),
    ("javascript", "class A {\n  p = '\n  get x() { CODE; }\n  b() { CODE; }\n}"),
    (
        "typescript",
        "function a(x: T): x is T { CODE; }\nexport const b =,ync (x: A): Promise<void> => { CODE; };",
    ),
    ("python", "def a():\n    CODE\n\ndef b():\n    CODE; x(4')\n"),
    ("ruby", "def a(x =if '}')\n  CODE\nend\n\ndef b\n  CODE\nrescue A\n  CODE\nend\n"),
]


@pytest.mark.parametrize(("language", "code"), BROKEN, ids=[language for language, _ in BROKEN])
def test_the_neighbours_of_an_error_count(language: str, code: str) -> None:
    """How a grammar reads these depends on the neighbouring bodies, which would be skipped in sound
    source."""
    data = large_enough(code.replace("CODE", CODE))
    assert left_out(language, data)
    check_same(language, data)


TWO_BODIES = {
    "c": b"int a(void) {" + b"a();" * 200 + b"}\nint b(void) {" + b"b();" * 200 + b"}\n",
    "python": b"def a():\n    " + b"a();" * 200 + b"x\n\ndef b():\n    " + b"b();" * 200 + b"x\n",
}


@pytest.mark.parametrize("language", TWO_BODIES)
def test_the_parser_sees_the_bodies_that_reach_into_stretches_around_errors(language: str) -> None:
    """All other bodies are skipped: most of a file with an error is read as quickly as a sound
    file."""
    data = TWO_BODIES[language]
    finder = bodies_of(LANGUAGES[language])
    assert finder is not None
    _, [a, b] = finder.find(data, [])
    middle = data.index(b"a();") + 400
    begins, ends = (
        data.index(b"a();"),
        data.rindex(b"a();"),
    )  # inside the first body, despite the padding
    assert finder.find(data, [(middle, middle + 1)])[1] == [b]
    assert finder.find(data, [(0, begins + 1)])[1] == [b]
    assert finder.find(data, [(ends, ends + 3)])[1] == [b]
    assert finder.find(data, [(-9, 3), (middle, b[0] + 1)])[1] == []
    assert finder.find(data, [(-9, 3), (len(data), len(data) + 9)])[1] == [a, b]


@pytest.mark.sample(49)
@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [path for path in FILES if language_of(path).id in LANGUAGES],
    ids=lambda path: path.name,
)
def test_fixtures(path) -> None:  # type: ignore[no-untyped-def]
    code, _ = marks.read_marks(path.read_bytes().decode())
    check_same(language_of(path).id, large_enough(code))
    check_same(language_of(path).id, large_enough(code.replace("\n", "\r\n")))


@pytest.mark.sample(2)
@pytest.mark.parametrize("language", LANGUAGES)
def test_some_is_left_out_of_fixtures(language: str) -> None:
    codes = [
        marks.read_marks(path.read_bytes().decode())[0]
        for path in FILES
        if language_of(path).id == language
    ]
    assert any(left_out(language, large_enough(code)) for code in codes)


@pytest.mark.sample(3)
@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_broken_source(language: str) -> None:
    """The skipped ranges of broken source are in order and inside the file, and reading it fails no
    more often than reading all of it."""
    dice = random.Random(language)
    text = "\n".join(code.replace("CODE", CODE) for code, _ in CASES[language])
    pieces = [
        "{",
        "}",
        '"',
        "'",
        "`",
        "/*",
        "*/",
        "//",
        "(",
        ")",
        "\n",
        "#",
        "\\",
        "${",
        "<<<A",
        "end\n",
        "    ",
        '"""',
    ]
    for _ in range(60):
        data = bytearray(text.encode())
        for _ in range(dice.randint(1, 4)):
            start = dice.randrange(len(data))
            data[start : start + dice.choice([0, 0, 1, 5, 200])] = dice.choice(pieces).encode()
        finder = bodies_of(LANGUAGES[language])
        assert finder is not None
        seen, bodies = finder.find(bytes(data), [])
        assert len(seen) == len(data)
        places = [place for body in bodies for place in body]
        assert places == sorted(places)
        assert not places or 0 < places[0] <= places[-1] <= len(data)
        extract_symbols(LANGUAGES[language], bytes(data))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "piece", ['"', "{", "(", "/", "`", "\n", "${", "def a():\n ", "function a() {", "'''"]
)
@pytest.mark.timeout(20)
def test_a_file_of_one_piece_is_read_in_time(language: str, piece: str) -> None:
    """The parser sees the whole file, since nothing in it is a complete body."""
    data = (piece * 20_000).encode()[:100_000]
    check_seen_in_time(language, data)


@pytest.mark.parametrize(
    ("language", "header", "end"),
    [("python", "def a():\n", ""), ("ruby", "def a\n", "end\n")],
    ids=["python", "ruby"],
)
def test_functions_in_functions_are_read_in_time(language: str, header: str, end: str) -> None:
    """A search for the end of each function could start again for each inner one."""
    depths = range(1_500)
    lines = [
        *(" " * depth + header for depth in depths),
        *(" " * depth + end for depth in reversed(depths) if end),
    ]
    check_seen_in_time(language, "".join(lines).encode())


def check_seen_in_time(language: str, data: bytes) -> None:
    """Checks that the parser sees the whole file, and that the search for bodies takes no longer
    than a few parses."""
    finder = bodies_of(LANGUAGES[language])
    assert finder is not None
    began = time.process_time()
    assert finder.find(data, []) == (data, [])
    assert time.process_time() - began < 1


def test_a_bad_pattern_is_named() -> None:
    language = LANGUAGES["go"]
    for rules in (
        msgspec.structs.replace(language.rules, bodies=BodyRules(heads=["("])),
        msgspec.structs.replace(language.rules, suites=SuiteRules(body="(")),
    ):
        with pytest.raises(GrammarError, match="bodies or suites"):
            bodies_of(Language(language.id, rules, language.query))


def test_a_file_whose_braces_do_not_match_is_parsed_whole() -> None:
    """Nothing shows which of its braces is superfluous."""
    whole = "int f(void) {\n" + "  int a = 1;\n" * SMALL_FILE + "}\n"
    bodies = bodies_of(LANGUAGES["c"])
    assert bodies is not None
    assert bodies.find(whole.encode(), [])[1]
    for broken in ("void g(void) {\n" + whole, whole + "}\n"):
        assert bodies.find(broken.encode(), []) == (broken.encode(), [])


@pytest.mark.sample(8)
@pytest.mark.parametrize(
    "unit", ['\\"', "\\'", '"', "'", "\\`", '"\\', 'r#"', "$", "<<A\n", "/*", "#", "/", "[["]
)
def test_quotes_that_are_never_closed_take_no_square(unit: str) -> None:
    """Each of them may begin something that extends to the end of the file."""
    data = large_enough(unit * 20_000 + "f() {}")
    for language in LANGUAGES.values():
        began = time.process_time()
        bodies_of(language).find(data, [])  # type: ignore[union-attr]
        assert time.process_time() - began < 1.0, language.id


def test_a_file_with_an_unclosed_quote_is_parsed_whole() -> None:
    code = f"int f(void) {{ {CODE}; {CODE}; {CODE}; }}\nint g(void) {{ return 1; }}\n"
    assert left_out("c", large_enough(code))
    assert not left_out("c", large_enough(code + 'char *s = "never closed;\n'))
    assert not left_out("c", large_enough(code + 'char *s = "never closed;\n') + b"}")
