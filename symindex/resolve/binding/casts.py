"""What expressions denote that say their type: casts, and members that convert values."""

from symindex.extract.file_bindings import SELF
from symindex.resolve.binding.core import Core
from symindex.resolve.denoted import UNKNOWN, Denoted, Place
from symindex.resolve.modules.exports import MOST_DEPTH
from symindex.resolve.reading.expressions import Cast, base_named, cast_by, cast_in, chain_of


class Casts(Core):
    """The part of a resolver for these."""

    def is_given_type(self, place: Place, text: str) -> bool:
        """Whether an expression begins with a function that is given the type of its result."""
        rules = self.files.rules_of(place.file)
        name = text.lstrip("(").partition("<")[0].strip()
        return rules is not None and name in rules.casts

    def cast(self, place: Place, text: str, depth: int = MOST_DEPTH) -> Denoted:
        """Returns what an expression denotes that begins with a cast; UNKNOWN for another."""
        return self._after(place, cast_in(text), depth) or UNKNOWN

    def converted(self, place: Place, text: str, depth: int = MOST_DEPTH) -> Denoted | None:
        """Returns what an expression denotes that a member converts to a type, or that names one of
        the supertypes; `None` for another."""
        rules = self.files.rules_of(place.file)
        if rules is None:
            return None
        cast = base_named(text, rules.above) or cast_by(text, rules.cast_members)
        return self._after(place, cast, depth)

    def _after(self, place: Place, cast: Cast | None, depth: int) -> Denoted | None:
        """Returns what a cast and what follows it denotes; `None` for none."""
        if cast is None:
            return None
        denoted = self.of_type(place.file, place.container, cast.type, depth - 1)
        if not cast.rest.strip():
            return denoted
        chain = chain_of(f"{SELF}{cast.rest}")
        return self.along(place, denoted, chain, depth) if chain else UNKNOWN
