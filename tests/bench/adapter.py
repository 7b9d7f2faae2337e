"""Everything that the suite uses of symindex apart from its public interface."""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import symindex
from symindex.extract.records import FileSymbols
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.build import build_index
from symindex.index.store import Store
from symindex.search.match.names import Needle, match_strong
from symindex.text.folding import fold
from symindex.workspace.workspace import Workspace

DETAIL_COLUMNS = ("block_blob", "block_offset", "block_first")
"""The columns of signatures and docs."""


def parsed_files(workspace: Workspace) -> list[tuple[str, str]]:
    """Returns the grammar and full path of every file with symbols in the index."""
    grammars = {
        language.id: language.rules.grammar
        for language in workspace.source.languages.by_id.values()
    }
    files = [
        file
        for file, _ in workspace.source.indexed.snapshot.files_and_counts()
        if file.language and not file.skip
    ]
    return [
        (grammars[file.language], str(workspace.root / file.path))
        for file in files
        if file.language in grammars
    ]


def save_files(root: Path, index_dir: Path, files: Iterable[FileSymbols]) -> None:
    """Makes an index of these files as if they had been read below `root`."""
    workspace = Workspace(root, index_dir)
    rules = workspace.source.indexed.rules
    Store(PrivateFolder(workspace.source.indexed.folder), rules).save_base(
        build_index(files, salt=rules)
    )


def builder_digest() -> str:
    """Returns a digest that changes whenever the builder might make another index."""
    package = Path(symindex.__file__).parent
    rooms = (package / "protocol", package / "index")
    sources = [*sorted(path for room in rooms for path in room.rglob("*.py"))]
    grammars = Workspace(package).source.languages.digest
    return hashlib.sha256(grammars + b"".join(path.read_bytes() for path in sources)).hexdigest()


def strong_test(query: str) -> Callable[[str], bool]:
    """Returns a test whether a name matches one word by a strong tier, from the name alone, without
    an index."""
    needle = Needle(query)
    return lambda name: match_strong(needle, name, fold(name)) > 0
