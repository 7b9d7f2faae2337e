"""Every cache of the package is in a table: asked for with each input changed, or of a class whose
key cannot lack an input."""

import ast
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest

from symindex.configuration import read_configuration
from symindex.errors import SymindexError
from symindex.extract.languages import language_cache
from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.records import FileSymbols
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.ignore.git_folder import git_folder
from symindex.files.ignore.git_repository import ask_git
from symindex.recall.chunks import vectors
from symindex.recall.document_texts import KeptTexts, TextReader, TextSource
from symindex.serve.web.content.highlight import Highlighter
from tests.support.caches import PACKAGE, Perturbed, caches, check_perturbed, tree_of
from tests.support.files import write_files
from tests.support.git import git
from tests.support.static_models import safetensors


def _configuration(folder: Path, _: str) -> dict[str, Perturbed]:
    file = Path(os.environ["XDG_CONFIG_HOME"]) / "symindex/config.toml"
    write_files(file.parent, {file.name: "agent_memory = true\n"})
    write_files(folder, {"other.toml": 'user_roots = ["/a"]\n'})

    def ask() -> object:
        try:
            return read_configuration()
        except SymindexError as error:
            return str(error)

    def anew() -> object:
        import symindex.configuration

        symindex.configuration._read.cache_clear()
        return ask()

    def replace() -> None:
        other = (
            write_files(folder, {"new": "agent_memory = null\n".replace("null", "!!!!")}) / "new"
        )
        status = file.stat()
        os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
        other.replace(file)

    return {
        "content of the same size and time": Perturbed(ask, replace, anew),
        "who may write it": Perturbed(ask, lambda: file.chmod(0o666), anew),
        "the variable": Perturbed(
            ask, lambda: os.environ.update(SYMINDEX_CONFIG=str(folder / "other.toml")), anew
        ),
    }


def _silent_git(folder: Path, _: str) -> dict[str, Perturbed]:
    root = folder / "repository"
    root.mkdir()
    git(root, "init", "-q")
    whole = (root / ".git/config").read_text()
    (root / ".git/config").write_text("[core\n")

    def ask() -> object:
        return ask_git(root, root, git_folder(root))

    def anew() -> object:
        import symindex.files.ignore.git_repository as module

        module._silent.clear()
        return ask()

    excluding = f"{whole}[core]\n\texcludesFile = own\n"
    return {
        "the configuration": Perturbed(
            ask, lambda: (root / ".git/config").write_text(excluding), anew
        )
    }


def _texts(folder: Path, changed: str) -> dict[str, Perturbed]:
    write_files(folder, {f"{root}/a.md": f"# {root}\n\nText\n" for root in ("one", "two")})
    skill = "---\nname: x\ndescription: y\n---\n# Title\n\nText\n"
    write_files(folder, {"one/.claude/skills/x/SKILL.md": skill})
    languages = load_languages(check=False)
    by_rules = Languages(languages.by_id.values())
    by_rules.item_types = type(languages.item_types)([])
    now: dict[str, Any] = {
        "root": "one",
        "path": "a.md",
        "language": "markdown",
        "rules": languages,
    }

    if changed == "the rules":
        now["path"] = ".claude/skills/x/SKILL.md"

    def ask(kept: KeptTexts) -> object:
        source = TextSource(folder / now["root"], now["rules"])
        symbols = cast(FileSymbols, SimpleNamespace(language=now["language"], digest=b""))
        return TextReader({"": source}, 10_000, kept, {})(now["path"], symbols, 10_000)._rows

    def changing(**values: Any) -> Perturbed:
        kept = KeptTexts()
        return Perturbed(lambda: ask(kept), lambda: now.update(values), lambda: ask(KeptTexts()))

    return {
        "the root": changing(root="two"),
        "the language": changing(language="python"),
        "the content": Perturbed(
            (kept_ask := changing()).ask,
            lambda: write_files(folder, {"one/a.md": "# other\n\nText\n"}),
            kept_ask.ask_anew,
        ),
        "the rules": changing(rules=by_rules),
    }


def _kept_languages(folder: Path, _: str) -> dict[str, Perturbed]:
    own = folder / "grammars"
    query = "(setting . (setting_name) @name) @definition.key\n(comment) @doc\n"
    rules = 'name = "One"\ngrammar = "ini"\nextensions = [".abc"]\n'
    write_files(own, {"one/language.toml": rules, "one/symbols.scm": query})
    write_files(
        folder,
        {"more/two/language.toml": rules.replace("abc", "xyz"), "more/two/symbols.scm": query},
    )
    os.environ["SYMINDEX_GRAMMARS"] = str(own)
    place = PrivateFolder(folder / "kept", folder)

    def ask() -> object:
        """Asks as a new process does."""
        language_cache._LOADED.clear()
        load_languages.__globals__["_load"].cache_clear()
        languages = language_cache.load_kept_languages(place)
        language_cache.keep_languages(languages, place)
        assert not languages.faults
        return languages.digest, sorted(languages.by_id)

    def anew() -> object:
        (place.path / language_cache.NAME).unlink()
        return ask()

    def replace() -> None:
        file = own / "one/symbols.scm"
        status = file.stat()
        file.write_text(query.replace("(comment) @doc", ";comment) @doc"))
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    return {
        "a query of the same size and time": Perturbed(ask, replace, anew),
        "the variable": Perturbed(
            ask,
            lambda: os.environ.update(SYMINDEX_GRAMMARS=f"{own}{os.pathsep}{folder / 'more'}"),
            anew,
        ),
    }


def _model(folder: Path, _: str) -> dict[str, Perturbed]:
    """Models that cannot be used, each for another reason."""
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "symindex/config.toml"
    write_files(folder, {"one/model.safetensors": "x" * 99, "one/tokenizer.json": "{}"})
    write_files(folder, {"two/model.safetensors": safetensors({}), "two/tokenizer.json": "{}"})
    write_files(config.parent, {config.name: f'recall_model = "{folder}/one"\n'})
    file = folder / "one/model.safetensors"

    def ask() -> object:
        try:
            return vectors._model()
        except SymindexError as error:
            return str(error)

    def anew() -> object:
        vectors._loaded.cache_clear()
        return ask()

    def replace() -> None:
        status = file.stat()
        file.write_bytes(safetensors({}).ljust(99))
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    def name_other() -> None:
        config.write_text(f'recall_model = "{folder}/two"\n')

    return {
        "content of the same size and time": Perturbed(ask, replace, anew),
        "the folder": Perturbed(ask, name_other, anew),
    }


def _worker_answers(_: Path, changed: str) -> dict[str, Perturbed]:
    highlighter = Highlighter()
    now = {"text": "if x then y", "path": "a.lua", "language": ""}
    if changed == "the language":
        now["language"] = "python"

    def ask() -> object:
        return [*highlighter.highlight(**now).lines]

    def anew() -> object:
        highlighter._answers._kept.clear()
        answer = ask()
        highlighter.close()
        return answer

    return {
        "the text": Perturbed(ask, lambda: now.update(text="if x then 1"), anew),
        "the name of the file": Perturbed(ask, lambda: now.update(path="a.sql"), anew),
        "the language": Perturbed(ask, lambda: now.update(language="lua"), anew),
    }


WORLDS: Final[Mapping[str, Callable[[Path, str], dict[str, Perturbed]]]] = {
    "configuration:_read": _configuration,
    "recall.chunks.vectors:_loaded": _model,
    "files.ignore.git_repository:_silent": _silent_git,
    "recall.document_texts:KeptTexts.__init__.self._texts": _texts,
    "extract.languages.language_cache:_LOADED": _kept_languages,
    "serve.web.content.worker_answers:WorkerAnswers.__init__.self._kept": _worker_answers,
}

CASES: Final = [
    ("configuration:_read", "content of the same size and time"),
    ("configuration:_read", "who may write it"),
    ("configuration:_read", "the variable"),
    ("recall.chunks.vectors:_loaded", "content of the same size and time"),
    ("recall.chunks.vectors:_loaded", "the folder"),
    ("files.ignore.git_repository:_silent", "the configuration"),
    ("recall.document_texts:KeptTexts.__init__.self._texts", "the root"),
    ("recall.document_texts:KeptTexts.__init__.self._texts", "the language"),
    ("recall.document_texts:KeptTexts.__init__.self._texts", "the content"),
    ("recall.document_texts:KeptTexts.__init__.self._texts", "the rules"),
    ("extract.languages.language_cache:_LOADED", "a query of the same size and time"),
    ("extract.languages.language_cache:_LOADED", "the variable"),
    ("serve.web.content.worker_answers:WorkerAnswers.__init__.self._kept", "the text"),
    ("serve.web.content.worker_answers:WorkerAnswers.__init__.self._kept", "the name of the file"),
    ("serve.web.content.worker_answers:WorkerAnswers.__init__.self._kept", "the language"),
]


@pytest.mark.parametrize(("cache", "changed"), CASES, ids=[": ".join(case) for case in CASES])
def test_a_cache_follows_its_input(
    cache: str, changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMINDEX_CONFIG", "")  # so that what a case sets is unset later
    monkeypatch.delenv("SYMINDEX_CONFIG")
    monkeypatch.setenv("SYMINDEX_GRAMMARS", "")
    monkeypatch.setattr(language_cache, "_LOADED", {})
    check_perturbed(WORLDS[cache](tmp_path, changed)[changed])


ELSEWHERE: Final = {
    # `tests/workspace/test_caches.py`: after a change of each input, the answers of a new workspace.
    "files.text_files:TextFiles.__init__.self._folders",
    # `tests/search/test_caches.py`: first answers, whatever was asked before. The keys of these are
    # an index or a snapshot, which never change.
    "editor.odd_places:_CACHE",
    "search.answer.items:_BY_PLACE",
    "search.names.shadows:_KNOWN",
    "search.words.item_weights:_KNOWN",
    "search.words.word_cache:_KEPT",
    "search.words.word_cache:_WordCache.__init__.self._words",
    "index.columns.columns:Index.__init__.self.kept",
    "index.columns.columns:Index.__init__.self.memo",
    "index.snapshot:Snapshot.__init__.self.memo",
}
"""Tables that other tests perturb; they also use every memo."""

OF_THE_PACKAGE: Final = {
    "dialects.table:_turns": "a table of the package",
    "explore.trace.frames:_patterns": "a table of the package",
    "explore.trace.frames:_spellings": "a table of the package",
    "explore.trace.frames:_table": "a table of the package",
    "extract.documents.formats:load_formats": "a table of the package",
    "extract.documents.readers:_reader_of": "a module of the package",
    "extract.items.types:shipped_item_types": "a table of the package",
    "extract.languages.language:_upper_case_letters": "Unicode",
    "extract.languages.registry:_load": "the folders are read once by a process; a daemon gives way"
    " after a change (`user_stamp`), and the cache file is a case",
    "extract.reading_rules:_chardet": "the installed chardet",
    "extract.reading_rules:_tables": "tables of the package",
    "fetch.comment_marks:_tables": "a table of the package",
    "extract.parse.grammar:_load": "a grammar of an installed package",
    "files.ignore.git_folder:_worktree_of": "git reads the bytes that are the key, and no includes",
    "recall.notes.hook_events:_agents": "a table of the package",
    "recall.notes.secret_rules:rules": "a table of the package",
    "search.names.shadows:movable_types": "a table of the package",
    "serve.lsp.converter:message_converter": "types of the protocol",
    "explore.trace.frames:_libraries": "a table of the package",
    "serve.web.content.lexers:_aliases": "a table of the package",
    "serve.web.content.lexers:_lexer_names": "the installed Pygments",
    "text.word_tables:_common_words": "a table of the package",
    "text.word_tables:_synonyms": "a table of the package",
    "text.words:_tokens": "a pattern",
    "text.words:_word": "a pattern",
    "workers.freed_memory:_glibc": "the system's library",
}
"""Cached functions without arguments, or that read files, with what they depend on."""

READS: Final = re.compile(
    r"(?:os\.|Path\.)?(?:environ|getenv|getcwd|cwd|home|expanduser|stat|lstat|scandir|listdir|exists"
    r"|realpath|resolve|time|monotonic|time_ns)|open|open_\w+|read|read_\w+|run_git|load_\w+|loads?"
    r"|find_languages|import_module|version|files"
)
"""Matches names that a function uses which depends on more than its arguments."""


def _nodes(name: str) -> ast.AST:
    module, _, qualified = name.partition(":")
    node: ast.AST = tree_of(PACKAGE / (module.replace(".", "/") + ".py"))
    for part in qualified.split("."):
        inner = [
            definition
            for definition in ast.walk(node)
            if isinstance(definition, ast.FunctionDef | ast.ClassDef) and definition.name == part
        ]
        node = inner[0] if inner else node
    return node


@pytest.mark.nightly
@pytest.mark.slow
def test_a_cached_function_depends_on_its_arguments_alone() -> None:
    """A cached function with arguments has all of them in its key. What else it may read is in a
    table: a case, or a reason. A function inside another is cached for one call of that."""
    listed = {*WORLDS, *OF_THE_PACKAGE}
    functions = {cache.name for cache in caches() if cache.kind == "function"}
    for name in sorted(functions - listed):
        if "." in name.partition(":")[2]:
            continue
        node = _nodes(name)
        if not isinstance(node, ast.FunctionDef):  # a class, whose rules of a language are the key
            continue
        assert node.args.args, f"{name} depends on something without a name"
        called = {
            ast.unparse(call.func).rpartition(".")[2]
            for call in ast.walk(node)
            if isinstance(call, ast.Call)
        }
        assert not {*filter(READS.fullmatch, called)}, name
    assert not OF_THE_PACKAGE.keys() - functions, "a reason without a cache"


NO_CACHES: Final = {
    # Each belongs to an object of one answer, or of one file that is read, whose other inputs do
    # not change: the key is the rest.
    "explore.grep.reading:FilePass",
    "explore.references.known_files:KnownFiles",
    "explore.references.symbol_facts:SymbolFacts",
    "explore.relations.relation_tree:RelationTree",
    "explore.relations.tests_of:_TestsByUse",
    "explore.relations.types:_Bases",
    "explore.relations.uses:UseSearch",
    "explore.targets.libraries:Libraries",
    "explore.unused.search:NameSearch",
    "explore.unused.search:_Names",
    "extract.clauses:Repeated",
    "extract.items.yaml_tree:_TreeBuilder",
    "extract.parse.bindings:Bindings",
    "extract.parse.branches:_BranchChooser",
    "extract.parse.definitions:_QueryRun",
    "extract.parse.local_types:_Declarations",
    "extract.parse.mentions:_Leaves",
    "extract.parse.repair.units:_Units",
    "extract.parse.statements:_StatementPass",
    "extract.scopes:ScopeNode",
    "files.walk:Walk",
    "index.columns.strings:InternTable",
    "index.overlay:_FileOrder",
    "packages.ecosystems.poms:_PomCache",
    "protocol.search_rows:Rows",
    "recall.chunk_index.build_chunks:_ColumnBuilder",
    "recall.chunks.chunk_hits:ChunkHits",
    "recall.chunks.static_model:StaticModel",
    "recall.chunks.rank:_WordFinder",
    "recall.content.commit_dates:CommitDates",
    "recall.content.tree_files:TreeFiles",
    "recall.notes.notes:NoteCollection",
    "resolve.binding.core:Core",
    "resolve.binding.lineage:Lineages",
    "resolve.heads:Heads",
    "resolve.virtual:VirtualMember",
    "resolve.modules.ambient:Ambient",
    "resolve.modules.exports:Exports",
    "resolve.modules.imported_files:_Reader",
    "resolve.modules.includes:Includes",
    "resolve.modules.module_files:Modules",
    "resolve.modules.packages:Packages",
    "resolve.modules.project_imports:ProjectImports",
    "search.answer.contents:Contents",
    "workers.parsing:_Batches",
    # Each belongs to an object that never changes: rules, a query, an index.
    "extract.items.types:ItemTypes",
    "extract.items.types:_Lookup",
    "extract.languages.registry:Languages",
    "extract.parse.skipping.pattern_words:_QueryReader",
    "extract.parse.skipping.query_parts:QueryParts",
    "extract.parse.skipping.word_search:WordSearch",
    "files.ignore.glob_set:GlobSet",
    "index.repositories:Repositories",
    "files.ignore.glob_set:_Expressions",
    "index.columns.columns:Index",
    "recall.chunk_index.chunk_index:ChunkIndex",
    "search.language.qualifiers:_Parts",
    "serve.lsp.lazy_types:_NAMED",
    "text.decoding:_KNOWN",
    # The state of something that goes on: documents, connections, calls, watches.
    "dialects.throttle:Throttle",
    "editor.edited_documents:EditedDocuments",
    "editor.followed_folders:FollowedFolders",
    "editor.open_documents:OpenDocuments",
    "files.watch.inotify:Inotify",
    "fleet.building.ray_driver:_Run",
    "fleet.cache:LocalCache",
    "fleet.stored.store:_MEMORY",
    "recall.notes.note_copies:NoteCopies",
    "recall.notes.note_store:NoteStore",
    "serve.cli.current_folder:CurrentFolder",
    "serve.listening:Connections",
    "serve.log:_Bounded",
    "serve.lsp.progress:ProgressBars",
    "serve.lsp.server:Server",
    "serve.web.fleet_site:FleetSite",
    # Opened once for a root, and told of its changes.
    "serve.mcp.handlers:ToolHandlers",
    "workspace.watched_tree:WatchedTrees",
    # Packages as they were when they were opened; changes of their stamps
    # are in `tests/packages/test_package_key.py`.
    "packages.indexes.environment:Environment",
    "packages.indexes.locations:Locations",
    # For some seconds, of one root, prefix, selection and plan.
    "editor.background_scan:BackgroundScans",
}
"""Dicts that are no cache, or cannot lack an input, by the class that has them."""

UNCHANGING: Final = {
    # Indexes, snapshots and their parts, rows and columns.
    *("Index", "Row", "StringTable", "PathTable", "Part", "PackedBlock", "NameWords", "TextWords"),
    *("HiddenRows", "Snapshot", "SmallIntegers", "Mentions", "IntegerRuns", "ChunkIndex"),
    # Rules, patterns and types of items.
    *(
        "Language",
        "Languages",
        "Formats",
        "CompiledRules",
        "TreeRules",
        "ItemTypes",
        "_Alternatives",
    ),
    *("QueryParts", "CompiledQuery"),
    # Objects of one answer, of one walk, or of one file that is read.
    *(
        "_File",
        "Plan",
        "OneMoment",
        "RowsInFile",
        "_ProseRows",
        "_Humps",
        "SourceTable",
        "PartFilter",
        "Comparisons",
    ),
    *("Locator", "Counter", "Cell", "Tracked"),
    *("BoundUse", "CodeFile", "Crates", "FileFacts", "Includes", "Manifests", "Modules", "Origin"),
    *("Overloads", "SymbolFacts", "VirtualMember"),
    # Where the files of a snapshot are.
    "_Layout",
    # A table that was read once; the languages that a query to a server may name.
    *("PackTable", "RemoteSource"),
    # Packages as they were when they were opened.
    *("Environment", "Dependencies"),
    # `recent`: no cache, what was shown.
    "AnswerSource",
    # The rows of one snapshot.
    "_TreeRows",
    # The roots that the server was started with.
    "TreeSite",
}
"""Classes whose properties are read once, because what they are made from does not change."""


@pytest.mark.nightly
def test_every_table_and_property_is_listed() -> None:
    listed = {*WORLDS, *ELSEWHERE}
    tables = {cache.name for cache in caches() if cache.kind == "table"} - listed
    owners = {name: re.sub(r"\.\w+\.self\.\w+\Z", "", name) for name in tables}
    assert not {name for name, owner in owners.items() if owner not in NO_CACHES}
    assert not NO_CACHES - {*owners.values()}, "a reason without a table"
    names = {cache.name for cache in caches() if cache.kind == "property"}
    classes = {name.partition(":")[2].partition(".")[0] for name in names}
    assert classes == UNCHANGING
