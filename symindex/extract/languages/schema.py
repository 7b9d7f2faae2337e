"""The keys of `language.toml`, which `grammars/README.md` explains. Any other key is an error. Also
finds the line of a key for messages, because the TOML parser does not report it."""

import re
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from symindex.protocol.kinds import SymbolKind

Pair: TypeAlias = tuple[str, str]
Substitution: TypeAlias = Annotated[list[str], msgspec.Meta(min_length=2, max_length=4)]
"""A pattern, its replacement, the character that pads the replacement, and a pattern for the places
where it is made."""


class DocRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[doc]`: how comments are recognised by their text."""

    line: list[str] = []
    block: list[Pair] = []
    quotes: list[Pair] = []
    skip: str = ""
    replace: list[Pair] = []
    file_string: bool = False
    of_file: str = ""
    before: str = ""
    behind: str = ""


class VisibilityRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[visibility]`: the language's conventions for what other files can see."""

    default: str = ""
    inside: dict[str, str] = {}
    exported_words: list[str] = []
    private_words: list[str] = []
    private_words_outside: list[str] = []
    neither_words: list[str] = []
    exported_names: str = ""
    private_names: str = ""


class MarkRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[test]` and `[deprecated]`: patterns that set a flag."""

    head: str = ""
    header: str = ""
    names: str = ""
    doc: str = ""


class BodyRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[bodies]`: bodies between braces that the parser can skip (`extract/parse/skipping`)."""

    signs: list[str] = []
    breaks: str = ""
    quiet: list[str] = []
    comments: str = "(?!)"
    heads: list[str] = []
    values: list[str] = []
    others: list[str] = []
    inner: str = ""
    inside: list[str] = []
    behind: str = ""
    filler: str = ""
    firm: bool = False


class SuiteRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[suites]`: bodies that are delimited by lines and that the parser can skip."""

    body: str = ""
    filler: str = ""
    closer: str = ""
    inside: list[str] = []


class BlockRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[blocks]`: how the blocks of a broken file are found (`extract/blocks`)."""

    pairs: tuple[tuple[str, str, str], ...] = ((r"\{", r"\}", "}"),)
    brackets: str = "()[]"
    quiet: list[str] = []
    unclosed: list[str] = []
    texts: tuple[tuple[str, str], ...] = ()
    between: str = ""
    heads: str = ""
    filler: str = ""
    words: tuple[tuple[str, str], ...] = ()
    rests: tuple[str, ...] = ()
    end: str = ";"
    islands: tuple[tuple[str, str], ...] = ()
    flat: str = ""
    indents: bool = True


class BranchRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[branches]`: the lines of a preprocessor's conditionals (`extract/parse/branches`)."""

    open: str = ""
    next: str = ""
    close: str = ""
    negated: str = ""
    quiet: str = ""
    goes_on: str = ""
    continues: str = ""


class StatementRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[statements]`: routines that the grammar does not know (`extract/parse/statements`)."""

    begins: str = ""
    heads: tuple[tuple[str, ...], ...] = ()
    comments: str = ""
    hides: str = ""
    quiet: tuple[str, ...] = ()
    names: str = ""
    tags: str = ""
    separators: str = ""
    delimiter: str = ""
    stops: str = ""
    bodies: str = ""
    declares: str = ""
    opens: str = ""
    closes: str = ""
    goes_on: str = ""


class RoleRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[roles]`: the roles of identifiers (`extract/parse/roles`)."""

    private: str = ""
    opened: str = ""
    methods_have_receivers: bool = False
    fields_have_receivers: bool = False
    imports_names: bool = False
    imports_all: str = ""
    types_apart: bool = False
    types_merge: bool = False
    structural: bool = False
    mixins: bool = False
    dotted: list[str] = []
    members: list[str] = []
    receivers: list[str] = []
    qualifiers: list[str] = []
    values: list[str] = []
    variables: list[str] = []
    path_words: list[str] = []
    modules_by_dot: bool = False
    modules: list[str] = []
    tokens: list[str] = []
    kin: list[Pair] = []
    aliased: list[Pair] = []
    aliases: list[Pair] = []
    binds: list[str] = []
    stable: list[Pair] = []
    outside: list[str] = []
    quoted: list[str] = []
    quoted_names: list[str] = []
    labels: list[Pair] = []
    suffixes: list[Pair] = []
    callbacks: list[Pair] = []
    data: list[str] = []
    named: list[str] = []
    bare_calls: list[str] = []
    scopes: list[str] = []
    blocks: list[str] = []
    type_bodies: list[str] = []
    open_bodies: bool = False
    closed_functions: bool = False
    declarations_create: bool = False
    locals: list[str] = []
    hoisted: list[str] = []
    binds_in_order: bool = False
    calls_apart: bool = False
    extensions: str = ""
    passing: str = ""
    rules: list[Pair] = []


class BindingRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[bindings]`: how names are bound across files (`resolve`); `bindings.scm` finds the
    facts.

    this: the words for the type around, or for a value of it, which no program declares. above:
    those for its supertype. own: a pattern for what is before a member of the type around
    (`self.`). members: a pattern with the groups name, and type or value, for members that methods
    assign. returned: a pattern with the group members for the members of an object that a function
    returns. results: a pattern for the text of a function, with the group value for the expression
    that is its result. importers: functions that return the module whose name is their argument.
    modules: how the name of a module leads to files (`resolve/modules/module_files`). wrappers:
    types whose values are used as those of their argument, as `Optional`. constructors: the names
    of constructors, whose parameters give members their types. builtins: names that no program
    defines. defaults: the names that symbols have where a module exports them without a name,
    likeliest first. implicit_interfaces: whether a type implements an interface by having its
    methods. protocols: bases of classes that any other class implements by having their members.
    anonymous_types: whether a type without a name may have bases. open_functions: whether functions
    and constants of no namespace are seen in all of them. imports_types: whether a type of another
    package or namespace is used only in a file that imports it. overloads: whether a type may have
    several functions of one name, which their parameters tell apart. hides_overloads: whether those
    hide the inherited ones, and definitions apart from declarations lack what is given for missing
    arguments. overriding: what of its parameters, besides their number, tells which method of its
    name a method overrides: their types, or the labels of arguments too. makers: the methods of
    every type that return a value of it. keepers: the methods of every type that return the value
    itself. boxes: types that hold a value, which `openers` return. open_types: whether types may
    have members of traits that no definition names for them. delegates: the names of inner types
    whose members the type around them has as well. companions: matches the signatures of such
    types. scopes: node types that open a scope for the names declared in them, besides those of
    `[roles]`. elements: whether an index leads to a value of the type that is declared for the
    whole. accessors: members by which a value gives access to those of other values. pointers:
    wrappers that have members of their own: `wrapped`, or all that no `arrow` is before, the sign
    of members of what is wrapped. optionals: members that values of an optional type have
    themselves. collections: types whose values have elements of their last argument at an index,
    and of their first in a loop. getters: methods of such values that return an element; views:
    those that return a collection of the elements. extensions: whether code may add members to
    types that it does not define. variants: a pattern for signatures of symbols that are defined
    once for each platform. conversions: a pattern for signatures of types and functions that turn
    values into values of a type without being named. relative: whether names of packages begin with
    those around, in imports and where a file declares several. injectors: functions whose code, and
    that of those beside them, is put into the types that inherit from theirs. bare_results: whether
    functions are called without parentheses. mixed_in: the kinds of bases whose members hide those
    of the superclass. bare_calls: matches what is before the name of a function that is called
    without parentheses; any other name without them is a variable, where the code around declares
    one. reopened: a pattern for signatures of types that other places open again, all of which
    define one type. explicit: a pattern for signatures of members that only values of one interface
    have, with the group of for its name. contextual: a pattern for signatures of members that a
    name behind a dot alone can mean, besides cases and types. calls_past_values: whether a call
    passes over a local value of a type in builtins and means a function of its name. reflected:
    matches receivers that are a type as a value. enum_makers: functions of every enumeration that
    return one of its values. hooks: the names of functions and members that may give members to the
    types which inherit from theirs. typers: members of every value that are its type. enterers:
    methods of a value that a statement enters, which return what it gives a name. descriptors:
    methods of a value in the body of a type, which return what the member of values of that type
    is. functions: types of functions that are written by name, and how many of their arguments are
    not the type of a parameter. components: types of components, and bases of classes, whose first
    argument is the type of what a component is given. decorating: functions that return the
    function or type that they are given, decorated. takes_fields: whether a type without a
    constructor takes its fields as named arguments. ambient: matches the text of files whose names
    at the top all files see. callers: the methods of every value that return what a function does
    which they are given. block_types: matches the type of functions that are called for a value,
    with the group of for the type of the value. nameless: what imports write instead of a name that
    they give. supplied: a pattern for the code in front of the names of functions whose results
    parameters of tests get that are called like them. suppliers: files without their endings whose
    functions of this sort count in a folder. proxies: objects of libraries that have what a project
    defines. literals: patterns for literals, each with the name of the type of its value, to which
    code may add."""

    this: list[str] = []
    above: list[str] = []
    own: str = ""
    members: str = ""
    returned: str = ""
    results: str = ""
    importers: list[str] = []
    modules: Literal[
        "", "dotted", "files", "folders", "packages", "global", "crates", "includes"
    ] = ""
    wrappers: list[str] = []
    constructors: list[str] = []
    builtins: list[str] = []
    calls_past_values: bool = False
    defaults: list[str] = []
    implicit_interfaces: bool = False
    protocols: list[str] = []
    anonymous_types: bool = False
    open_functions: bool = False
    imports_types: bool = False
    overloads: bool = False
    overriding: Literal["", "types", "labels"] = ""
    hides_overloads: bool = False
    makers: list[str] = []
    keepers: list[str] = []
    boxes: list[str] = []
    openers: list[str] = []
    open_types: bool = False
    delegates: list[str] = []
    companions: str = ""
    scopes: list[str] = []
    elements: bool = False
    accessors: list[str] = []
    pointers: list[str] = []
    arrow: str = ""
    optionals: list[str] = []
    wrapped: list[str] = []
    collections: list[str] = []
    getters: list[str] = []
    views: list[str] = []
    extensions: bool = False
    variants: str = ""
    conversions: str = ""
    objects: bool = False
    any_types: list[str] = []
    casts: list[str] = []
    cast_members: list[str] = []
    project_files: str = ""
    project_imports: str = ""
    relative: bool = False
    injectors: list[str] = []
    bare_results: bool = False
    literals: list[Pair] = []
    mixed_in: list[SymbolKind] = []
    bare_calls: str = ""
    reopened: str = ""
    explicit: str = ""
    reflected: str = ""
    contextual: str = ""
    enum_makers: list[str] = []
    hooks: list[str] = []
    typers: list[str] = []
    enterers: list[str] = []
    descriptors: list[str] = []
    functions: dict[str, int] = {}
    components: list[str] = []
    decorating: list[str] = []
    takes_fields: bool = False
    ambient: str = ""
    callers: list[str] = []
    block_types: str = ""
    nameless: list[str] = []
    supplied: str = ""
    suppliers: list[str] = []
    proxies: list[str] = []


class UnusedRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`[unused]`: which symbols may be told unused (`explore/unused`).

    judged: whether any may. names: symbols that something outside of the code calls: entry points
    and hooks. decorator: finds a decorator, with its name as the first group. decorators: those
    that register nothing. bases: bases that call no member and register no subtype; any other, if
    given, may. members: where members with a private word are used: in their file, or anywhere.
    expressions: what is in front of a definition that is a value, whose name is for itself. shared:
    a file whose private symbols other files see. computed: a text that becomes a part of a name,
    as the group `begin` or `end`. declaring: files whose symbols other programs read.
    layouts: a file whose fields may be there for their place alone. extracted: what follows the
    name of a definition that tools read in the source.
    """

    judged: bool = False
    names: str = ""
    decorator: str = ""
    decorators: list[str] = []
    bases: list[str] = []
    members: Literal["", "file"] = ""
    expressions: str = ""
    shared: str = ""
    computed: str = ""
    declaring: list[str] = []
    layouts: str = ""
    extracted: str = ""


class LanguageFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A `language.toml`."""

    name: str
    grammar: str
    extensions: list[str] = []
    filenames: list[str] = []
    editor_ids: list[str] = []
    aliases: list[str] = []
    relatives: list[str] = []
    dialect_of: str = ""
    format_names: dict[str, str] = {}
    interpreters: list[str] = []
    others: list[str] = []
    content: dict[str, str] = {}
    queries: list[str] = []
    query_depth: int = 0
    query_root: str = ""
    search_words: bool = False
    line_feeds: bool = False
    ascii_letters: bool = False
    separators: list[str] = []
    name_trim: str = ""
    name_prefix: str = ""
    name_until: str = ""
    name_escapes: Literal["", "backslash", "entities"] = ""
    blank_names: str = ""
    attributes: str = ""
    declarations: str = ""
    parts: str = ""
    file_parts: str = ""
    directives: str = ""
    function_types: str = ""
    typed_names: str = ""
    inside: dict[str, dict[str, str]] = {}
    constructors: list[str] = []
    constants: str = ""
    mend: list[Substitution] = []
    repair: list[Substitution] = []
    repair_signs: list[str] = []
    repair_near: list[Substitution] = []
    repairs_of: list[str] = []
    once: list[str] = []
    clauses: list[str] = []
    arity: bool = False
    test_paths: list[str] = []
    identifiers: list[str] = []
    identifier_prefixes: list[str] = []
    ignores_case: bool = False
    bare_code: list[str] = []
    doc: DocRules = DocRules()
    visibility: VisibilityRules = VisibilityRules()
    test: MarkRules = MarkRules()
    deprecated: MarkRules = MarkRules()
    bodies: BodyRules = BodyRules()
    suites: SuiteRules = SuiteRules()
    blocks: BlockRules = BlockRules()
    branches: BranchRules = BranchRules()
    statements: StatementRules = StatementRules()
    roles: RoleRules = RoleRules()
    bindings: BindingRules = BindingRules()
    unused: UnusedRules = UnusedRules()


_TABLE: Final = re.compile(r"\s*\[\[?([\w.\s-]+)\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(r"\s*([\w.-]+)\s*=")


def line_of(text: str, key: str, word: str = "") -> int:
    """Returns the number of the line with a dotted key, or of the first line with a word in the
    key's value; 0 if there is none."""
    table = full = ""
    first = 0
    for number, line in enumerate(text.split("\n"), 1):
        if (opened := _TABLE.match(line)) is not None and '"' not in line:
            table = full = "".join(opened[1].split())
        elif (key_match := _KEY.match(line)) is not None:
            full = f"{table}.{key_match[1]}" if table else key_match[1]
        if not _is_around(full, key) and not _is_around(key, full):
            continue
        if full != key and not _has_word(line, word or key.rpartition(".")[2]):
            continue
        first = first or number
        if not word or _has_word(line, word):
            return number
    return first


def _is_around(outer: str, inner: str) -> bool:
    return bool(outer) and f"{inner}.".startswith(f"{outer}.")


def _has_word(line: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", line) is not None
