"""What a language's folder may say in its `language.toml`: a key that is not here is an error."""

import msgspec


class DocRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How comments are told from their text.

    line: markers that open a line comment, longest first.
    block: pairs that open and close a block comment; leading `*` of the lines inside are dropped.
    quotes: pairs around docstrings, tried in order.
    skip: a comment that matches this pattern is not documentation (editor settings, licence heads).
    replace: pairs of a pattern and its replacement, for markup in the lines of a doc; a line that they leave empty goes.
    """

    line: list[str] = []
    block: list[list[str]] = []
    quotes: list[list[str]] = []
    skip: str = ""
    replace: list[list[str]] = []


class VisibilityRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The language's convention for what other files can see.

    default: `exported`, `private`, or empty where the language does not say.
    exported_words, private_words, neither_words: words in the header before the name; the first that is found decides.
    private_words_outside: the same, for what stands in no type (`static`, which says something else of members).
    exported_names, private_names: patterns for the name itself, tried after the words.
    inside: the default inside a container of some kind; `container` means as visible as that is.
    """

    default: str = ""
    inside: dict[str, str] = {}
    exported_words: list[str] = []
    private_words: list[str] = []
    private_words_outside: list[str] = []
    neither_words: list[str] = []
    exported_names: str = ""
    private_names: str = ""


class MarkRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Patterns that set a flag on a symbol: searched in its header (attributes included), in `head`, which is the part of
    the header before the name (a parameter's attributes are not in it), in its name, or in its doc."""

    head: str = ""
    header: str = ""
    names: str = ""
    doc: str = ""


class BodyRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Bodies between braces that define nothing, so that the parser need not see them (`extract/bodies`). The patterns are
    searched in bytes; those of a list are tried one after the other.

    signs: texts of which a file holds one where it is worth the pass; none: it always is.
    breaks: the characters with which strings, comments and the like begin.
    quiet: what begins with them: stretches in which braces mean nothing, and a break that opens none. A file that holds a break
        which is neither is parsed as it is.
    comments: what counts for nothing in what follows, but not in `inside`.
    heads: what ends, up to blanks, where a body's brace stands. It is searched from the brace or semicolon before on; a pattern
        that begins with `\\A` is all that stands there.
    values: the same for lists of values.
    others: what is found there where the brace is none of a body all the same.
    inner: what begins there, at a brace in a body, where something is defined with that brace.
    inside: what is found in a body where something may be defined. Such a body is seen; the bodies in it are judged one by one.
    behind: what stands behind a body that is seen.
    filler: what the parser sees in place of a function's body, where the grammar could take empty braces for something else.
    """

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


class SuiteRules(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The same where not braces but lines tell how far a body reaches.

    body: a pattern that reads on to the next body and over it, or to the end. Of its groups, `first` begins where the first
        statement does, `kept` is a docstring, and `rest` ends with the last statement.
    filler: what the parser sees in place of the first statement where no docstring is kept. closer: what the body ends with.
    inside: what is found in a body where something may be defined.
    """

    body: str = ""
    filler: str = ""
    closer: str = ""
    inside: list[str] = []


class LanguageFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The schema of `language.toml`.

    name: as people write it. grammar: the grammar's name in the language pack.
    extensions (with the dot, lower case), filenames, interpreters: how files are recognised.
    editor_ids: what editors call the language, where that is neither its id nor its name.
    format_names: what formats of other programs call it (`render/export`), where that is not its name.
    content: for an extension that several languages claim, a pattern that decides for this one; the claimant without a
        pattern gets the rest.
    queries: languages whose `symbols.scm` come before this one's own.
    separators: what the language writes between the parts of a qualified name, other than `.`; they become dots in containers
        and in the names of namespaces.
    name_trim: quotes, cut from a captured name that begins and ends with the same one.
    name_prefix: what may open a name and is no part of it.
    name_until: what ends a name that is not quoted, though the grammar's token goes on (`alias ll=ls`).
    blank_names: names that define nothing (`_`).
    attributes: a pattern for what may stand before the header and does not belong into the signature.
    declarations: a pattern for signatures that only say that something stands elsewhere (`extern int x`); what a pattern of the
        query finds may be said to be such by `(#set! role declaration)`.
    parts: a pattern for signatures of types that may be written in several places, which are then one (`partial class`).
    file_parts: the same, for places in one file.
    directives: a pattern for lines amid the header that do not belong into the signature (`#if`).
    inside: what a definition becomes directly inside a container of some kind: `inside.class.function = "method"`.
    constructors: names that make a method a constructor; `=` stands for the name of the enclosing type.
    constants: names that make a variable, a field, or a property without code of its own a constant.
    mend: pairs of a pattern and its replacement, for correct source that the grammar cannot read: the parser sees it with
        these replaced. A replacement is padded with blanks, or with the character that stands third, to the length of what it
        replaces. A pattern that begins with a literal is found fast. repair: the same, for a file that the grammar met
        errors in.
    once: kinds of which only the first of a qualified name counts (the languages where assigning is defining).
    test_paths: globs of files that hold tests.
    identifiers: types of the nodes that are identifiers, each a whole name; where references are looked for.
    identifier_prefixes: what may open such a node beside `name_prefix` and is no part of the name (`@name`).
    bare_code: types of nodes that hold code as bare text (the body of a macro); it is read by itself.
    bodies, suites: what the parser need not see.
    """

    name: str
    grammar: str
    extensions: list[str] = []
    filenames: list[str] = []
    editor_ids: list[str] = []
    format_names: dict[str, str] = {}
    interpreters: list[str] = []
    content: dict[str, str] = {}
    queries: list[str] = []
    separators: list[str] = []
    name_trim: str = ""
    name_prefix: str = ""
    name_until: str = ""
    blank_names: str = ""
    attributes: str = ""
    declarations: str = ""
    parts: str = ""
    file_parts: str = ""
    directives: str = ""
    inside: dict[str, dict[str, str]] = {}
    constructors: list[str] = []
    constants: str = ""
    mend: list[list[str]] = []
    repair: list[list[str]] = []
    once: list[str] = []
    test_paths: list[str] = []
    identifiers: list[str] = []
    identifier_prefixes: list[str] = []
    bare_code: list[str] = []
    doc: DocRules = DocRules()
    visibility: VisibilityRules = VisibilityRules()
    test: MarkRules = MarkRules()
    deprecated: MarkRules = MarkRules()
    bodies: BodyRules = BodyRules()
    suites: SuiteRules = SuiteRules()
