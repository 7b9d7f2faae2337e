"""Searches the text of all files for the names of symbols that may be unused.

A name counts as used wherever it is a whole word: in code, strings, comments, documents, settings.
So a symbol counts as unused only if its name occurs nowhere else.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from symindex.explore.grep.reading import FilePass, language_of
from symindex.explore.unused.candidates import Candidate, CodeFile, Reach
from symindex.explore.unused.evidence import FileEvidence
from symindex.extract.languages.language import compile_bytes
from symindex.extract.word_lists import tokens_in
from symindex.protocol.grep import GrepRequest
from symindex.resolve.tree import Row, Tree

LEAST_PART: Final = 2
"""Fewest characters of a text that counts as the beginning or the end of a name."""

_ASCII: Final = bytes(code if code < 128 else ord(" ") for code in range(256))

FileCandidates = tuple[CodeFile, list[Candidate]]


class Unused(NamedTuple):
    """A symbol that its own file does not use. reach: from where it could be used. own: where its
    file names it nevertheless."""

    row: Row
    reach: Reach
    own: str


class NameSearch:
    """One pass over all files, each of which is read once.

    Args:
        files: those with candidates, by path, each with these.
        most_bytes: larger files are not read.
        seconds: limit for all files.

    Attributes:
        reading: the pass, with what it could not read.
    """

    def __init__(
        self, tree: Tree, files: Mapping[str, FileCandidates], most_bytes: int, seconds: float
    ) -> None:
        self._tree = tree
        self._found: list[Unused] = []
        self._anywhere = _Names()
        self._in_folder: dict[str, _Names] = {}
        self._parts: dict[str, set[tuple[str, str]]] = {}
        self._seek(files)
        self.reading = FilePass(tree, GrepRequest(pattern="."), most_bytes, seconds)
        for path, data in self.reading:
            if path in files:
                self._judge(*files[path], data)
            self._take_names(path, data)
            self._take_parts(path, data)

    @property
    def is_whole(self) -> bool:
        return self.reading.n_read == self.reading.n_files

    def unused(self) -> Iterator[Unused]:
        """Yields the symbols that nothing names, in no order. Those that several files may use are
        among them only if all files were read."""
        for one in self._found:
            names = self._names_for(one.reach, one.row.file.path)
            if names is not None and not (self.is_whole and _token(one.row.name) in names.sought):
                continue
            if not self._is_computed(one.row):
                yield one

    def _seek(self, files: Mapping[str, FileCandidates]) -> None:
        """Collects the names that are searched in more than one file."""
        for path, (file, candidates) in files.items():
            may_be_shared = bool(file.language.rules.unused.shared)
            for candidate in candidates:
                reach = candidate.reach
                if may_be_shared and reach is Reach.FILE:
                    reach = Reach.TREE
                names = self._names_for(reach, path)
                if names is not None:
                    names.sought.add(_token(candidate.row.name))

    def _names_for(self, reach: Reach, path: str) -> "_Names | None":
        """Returns the names among which one is searched; `None` if its own file decides."""
        if reach is Reach.FOLDER:
            return self._in_folder.setdefault(path.rpartition("/")[0], _Names())
        return self._anywhere if reach in {Reach.TREE, Reach.ANYWHERE} else None

    def _judge(self, file: CodeFile, candidates: Iterable[Candidate], data: bytes) -> None:
        evidence = FileEvidence(file, data)
        for candidate in candidates:
            own = evidence.speaks_for(candidate)
            if own:
                self._found.append(Unused(candidate.row, evidence.reach(candidate), own))

    def _take_names(self, path: str, data: bytes) -> None:
        """Drops the names that are in two files."""
        in_folder = self._in_folder.get(path.rpartition("/")[0])
        texts = [data] if data.isascii() else [data, data.translate(_ASCII)]
        for text in texts:
            tokens = tokens_in(text)
            self._anywhere.take(path, tokens)
            if in_folder is not None:
                in_folder.take(path, tokens)

    def _take_parts(self, path: str, data: bytes) -> None:
        """Collects texts that become parts of names."""
        language = self._tree.languages.by_id.get(language_of(self._tree, path))
        if language is None or not language.rules.unused.computed:
            return
        parts = self._parts.setdefault(language.id, set())
        for match in compile_bytes(language.rules.unused.computed).finditer(data):
            for place, part in match.groupdict().items():
                if part and len(part) >= LEAST_PART:
                    parts.add((place, part.decode("utf-8", "replace")))

    def _is_computed(self, row: Row) -> bool:
        """Whether code may compute a name: it begins or ends with a text that is put together with
        others."""
        language = row.file.known_language
        kin = {language, *self._tree.languages.relatives_of(language)}
        parts = [several for one in kin if (several := self._parts.get(one))]
        return bool(parts) and any(
            part in several for part in _parts_of(row.name) for several in parts
        )


def _parts_of(name: str) -> Iterator[tuple[str, str]]:
    """Yields what a name may begin with, to the end of a word, and what it may end with."""
    for place in range(LEAST_PART, len(name)):
        if name[place] == "_" or name[place - 1] == "_" or name[place].isupper():
            yield "begin", name[:place]
        if name[place] == "_":
            yield "end", name[place:]


class _Names:
    """Names that are searched. sought: those that are in one file at most, so far."""

    def __init__(self) -> None:
        self.sought: set[bytes] = set()
        self._first: dict[bytes, str] = {}

    def take(self, path: str, tokens: Iterable[bytes]) -> None:
        """Notes the words of a file."""
        for token in self.sought.intersection(tokens):
            if self._first.setdefault(token, path) != path:
                self.sought.discard(token)


def _token(name: str) -> bytes:
    """Returns the word by which texts contain a name: without the signs in front of it."""
    tokens = tokens_in(name.encode())
    return max(tokens, key=len, default=b"")
