"""What the parts of the resolver share: the files of a tree, and the steps that each part takes for
the others."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from symindex.extract.file_bindings import (
    TypeFact,
)
from symindex.resolve.binding.lineage import Lineages
from symindex.resolve.denoted import (
    Denoted,
    Place,
)
from symindex.resolve.heads import Heads
from symindex.resolve.modules.ambient import Ambient
from symindex.resolve.modules.exports import MOST_DEPTH, Exports, Work
from symindex.resolve.modules.packages import Packages
from symindex.resolve.reading.expressions import (
    Chain,
    Step,
)
from symindex.resolve.reading.files import FileFacts, Files
from symindex.resolve.tree import Row, Tree


class Core(ABC):
    """The state of a resolver. It keeps what it has read: make one a request.

    The methods are those of its parts: `names`, `members`, `typed` and `resolver`.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.files: Files = Files(tree, {}, {})
        self.packages: Packages = Packages(self.files)
        self.heads: Heads = Heads(tree)
        self.work: Work = Work()
        self.exports: Exports = Exports(
            self.files, self.packages, self.work, self.denoted, self.member
        )
        self.ambient: Ambient = Ambient(self.files, self.exports)
        self.lineages: Lineages = Lineages(self.files, self.packages, self.of_type, MOST_DEPTH)
        self.block_values: dict[str, Denoted] = {}
        self._types: dict[Row, Denoted] = {}
        self.being_typed: set[Row] = set()
        self._of_traits: dict[str, bool] = {}
        self._around: dict[tuple[str, str], Row | None] = {}

    @abstractmethod
    def denoted(self, place: Place, text: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what an expression denotes."""

    @abstractmethod
    def followed(self, place: Place, chain: Chain, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a chain of names denotes."""

    @abstractmethod
    def name(self, place: Place, name: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a bare name denotes."""

    @abstractmethod
    def type_at(self, file: FileFacts, whole: str) -> Row | None:
        """Returns the type with a whole name that a file sees, of its own ones if names of other
        files are not seen."""

    @abstractmethod
    def is_packaged(self, file: FileFacts) -> bool:
        """Whether the names of a file are found by whole names."""

    @abstractmethod
    def along(self, place: Place, denoted: Denoted, chain: Chain, depth: int) -> Denoted:
        """Returns what the names of a chain denote that follow its first one, which denotes
        something."""

    @abstractmethod
    def stepped(self, place: Place, denoted: Denoted, step: Step, depth: int) -> Denoted:
        """Returns what a name denotes that follows something."""

    @abstractmethod
    def type_around(self, place: Place) -> Row | None:
        """Returns the type around a place, which its file may import."""

    @abstractmethod
    def lacks_constant(self, file: FileFacts, name: str) -> bool:
        """Whether no symbol has a name that begins with a capital, in a language in which any file
        sees all of these."""

    @abstractmethod
    def declared_as(self, place: Place, texts: Sequence[str], depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a declared name denotes. texts: what its declarations say, as in
        `Place.local`; all of them count."""

    @abstractmethod
    def member(self, denoted: Denoted, name: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a member of something denotes."""

    @abstractmethod
    def member_of_type(self, type_row: Row, name: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what a member of a type or of its supertypes denotes. FOREIGN if none of them
        has it, and all are known."""

    @abstractmethod
    def is_hooked(self, lineage: Sequence[Row]) -> bool:
        """Whether a function of a type or of its supertypes may give the type more members."""

    @abstractmethod
    def extended_in(self, file: FileFacts, container: str, depth: int) -> list[Row]:
        """Returns the types of a name to which a file only adds members."""

    @abstractmethod
    def own_members(self, type_row: Row, name: str) -> tuple[Row, ...]:
        """Returns the members of a name that a type itself defines, in any of its files."""

    @abstractmethod
    def is_wrappers(self, denoted: Denoted, name: str, before: str) -> bool | None:
        """Whether a member is one of the wrapper of a value; `None` if that is not known.

        before: the code in front of its name.
        """

    @abstractmethod
    def of_facts(self, row: Row, facts: Sequence[TypeFact], depth: int) -> Denoted:
        """Returns what the type of a symbol denotes, by what is known of it."""

    @abstractmethod
    def of_type(
        self, file: FileFacts, container: str, text: str, depth: int = MOST_DEPTH
    ) -> Denoted:
        """Returns the values of a type as it is written in a file, inside a container."""
