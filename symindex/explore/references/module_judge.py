"""Whether a module, path or qualifier in code leads to the place of a symbol.

Nothing is resolved: names of folders, files, containers and roots are compared.
"""

import itertools
import posixpath
import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from symindex.explore.references.module_paths import (
    folder_of,
    is_of_module,
    is_relative,
    module_of,
)
from symindex.explore.references.receivers import OF_ALL, last_name
from symindex.explore.references.scopes import Scope, scopes_around
from symindex.explore.references.symbol_facts import Namesakes, SymbolFacts, SymbolPlace
from symindex.explore.targets.names import symbols_named
from symindex.resolve.reading.excerpts import Mention
from symindex.text.folding import fold
from symindex.text.imports import Origin
from symindex.text.receivers import first_name

_NAMES: Final = re.compile(r"\w+")

_FILE_ENDING: Final = re.compile(r"\.\w{1,5}\Z")


class Verdict(Enum):
    """Whether an occurrence means the symbol. UNKNOWN: it may, but nothing is known about the type
    of its receiver."""

    IS = "is"
    MAY_BE = "may be"
    UNKNOWN = "unknown"
    OTHER = "other"


UNSURE: Final = (Verdict.MAY_BE, Verdict.UNKNOWN)


class ModuleJudge:
    """Judges the modules and paths that occurrences of one symbol's name are taken from."""

    def __init__(self, symbol: SymbolFacts, namesakes: Namesakes) -> None:
        self._symbol, self._namesakes = symbol, namesakes
        self.place: SymbolPlace = SymbolPlace(symbol)
        self._own_module = module_of(symbol.path, symbol.row.container)

    @property
    def undecided(self) -> Verdict:
        """The verdict where no rule applies: doubt only if namesakes exist."""
        return Verdict.MAY_BE if self._namesakes.count else Verdict.IS

    def of_whole_name(self, module: str) -> Verdict | None:
        """Judges by a whole qualified name, in a language that writes these: the symbol's own, or
        that of a namesake."""
        row = self._symbol.row
        if not self._symbol.rules.dotted or not module:
            return None
        whole = f"{module}.{last_name(row.name)}"
        if whole == row.qualified_name:
            return Verdict.IS
        is_namesake = any(
            match.row.qualified_name == whole for match in symbols_named(self._symbol.tree, whole)
        )
        return Verdict.OTHER if is_namesake else None

    def of_import(self, path: str, module: str) -> Verdict:
        """Judges a name that a file imports from a module, by the names of folders and files."""
        if verdict := self.of_whole_name(module):
            return verdict
        symbol, others = self._symbol, self._namesakes
        # A relative path to a file: it is that file or not.
        if module.startswith(".") and "/" in module:
            relative = posixpath.join(folder_of(path), _FILE_ENDING.sub("", module))
            target = posixpath.normpath(relative)
            if target == _FILE_ENDING.sub("", symbol.path):
                return Verdict.IS
            if target in (_FILE_ENDING.sub("", other) for other in others.paths):
                return Verdict.OTHER
        names = _NAMES.findall(_FILE_ENDING.sub("", module) if "/" in module else module)
        # The file's own folder or one above, which may re-export what is defined below it.
        if not names:
            folder = folder_of(path)
            if folder == folder_of(symbol.path):
                return Verdict.MAY_BE if folder in others.twin_folders else Verdict.IS
            is_of_others = folder in map(folder_of, others.paths)
            return Verdict.OTHER if is_of_others else Verdict.MAY_BE
        # The longest common end of names decides between the symbol and its namesakes.
        own_length = _shared_end(names, symbol.path, symbol.row.container)
        longest_other = max((_shared_end(names, *place) for place in others.places), default=0)
        if own_length < longest_other:
            return Verdict.OTHER
        if self.is_foreign(Origin(module)):
            return Verdict.MAY_BE
        if own_length > longest_other:
            return Verdict.IS
        return Verdict.MAY_BE if own_length or symbol.rules.imports_names else self.undecided

    def of_path(self, path: str, receiver: str, scope: Scope) -> Verdict | None:
        """Judges by a path such as `super::load`, in a language with words that begin one."""
        words = self._symbol.rules.path_words
        if not words:
            return None
        modules = [
            name for name in scopes_around(scope.qualified_name) if self._symbol.is_module(name)
        ]
        around = module_of(path, modules[-1] if modules else "")
        is_own = is_of_module(receiver, words, around, self._own_module, self._namesakes.modules)
        if is_own is not None:
            return Verdict.IS if is_own else Verdict.OTHER
        return Verdict.MAY_BE if is_relative(receiver, words) else None

    def is_foreign(self, origin: Origin) -> bool:
        """Whether the names of a module do not match the symbol's place: neither its last name
        nor, if it has several, its first does."""
        words = [fold(word) for word in origin.words]
        if origin.is_relative or not words:
            return False
        return words[-1] not in self.place.folded or words[0] not in self.place.top

    def imports_elsewhere(self, mentions: Sequence[Mention]) -> bool:
        """Whether a file imports the name from a module other than the symbol's. mentions: all
        of that file."""
        modules = [
            mention.receiver
            for mention in mentions
            if mention.role == "import" and not mention.is_module
        ]
        return any(self.is_foreign(Origin(module)) for module in modules)

    def is_taken_from_elsewhere(self, mention: Mention) -> bool:
        """Whether the receiver of a name is imported from elsewhere, or qualified by a place
        other than the symbol's."""
        symbol = self._symbol
        module, name = mention.origin
        names = _NAMES.findall(mention.receiver)
        if module:
            is_type = len(names) == 1 and name == symbol.container and symbol.is_member
            whole = module if is_type else ".".join(filter(None, (module, name, *names[1:])))
            return self.is_foreign(Origin(whole))
        is_path = (
            first_name(mention.receiver)
            and not mention.receiver.endswith((")", "]"))
            and mention.receiver[:1] not in OF_ALL
        )
        return (
            bool(is_path)
            and symbol.is_member
            and len(names) > 1
            and names[-1] == symbol.container
            and self.is_foreign(Origin(".".join(names[:-1])))
        )


def _shared_end(names: Sequence[str], path: str, container: str) -> int:
    """Returns how many of the last names of a module are the last parts of a path, with or without
    its file name, or of a container."""
    parts = path.rpartition(".")[0].replace("-", "_").split("/")
    longest = max(_common_end(names, end) for end in (parts, parts[:-1], container.split(".")))
    return 1 if not longest and names[-1] in parts else longest


def _common_end(names: Sequence[str], parts: Sequence[str]) -> int:
    pairs = zip(reversed(names), reversed(parts), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
