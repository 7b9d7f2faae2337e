"""To which folders or repositories a request is limited: by the beginnings of its paths, and by the
field `repo` of its query."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import UNSET

if TYPE_CHECKING:
    from symindex.search.answer.plan import Plan


class Limit(NamedTuple):
    """The limits of a request. paths: globs. tests: each says of a name whether a repository of
    that name can have hits."""

    paths: Sequence[str] = ()
    tests: Sequence[Callable[[str], bool]] = ()

    def lets(self, name: str) -> bool:
        """Whether the query can have hits in a repository, as far as its name says. A name may end
        with a branch, which a query need not name."""
        names = {name, name.rpartition("@")[0] or name}
        return all(any(map(test, names)) for test in self.tests)


ANYWHERE: Final = Limit()


def limited_to(paths: Sequence[str], names: Collection[str]) -> set[str]:
    """Returns the names with which paths and globs begin. Empty if one of them begins with none: it
    may match anywhere."""
    found: set[str] = set()
    for path in paths:
        if path.startswith("!"):
            continue
        parts = path.removeprefix("/").rstrip("/").split("/")
        if len(parts) == 1:
            return set()  # a glob without a slash matches at any depth
        beginnings = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
        begun = {beginning for beginning in beginnings if beginning in names}
        if not begun:
            return set()
        found |= begun
    return found


def limit_of(request: object) -> Limit:
    """Returns the limit of a request with paths or globs, and of any other."""
    if globs := getattr(request, "paths", UNSET) or ():
        return Limit([*globs])
    path = getattr(request, "path", UNSET) or []
    paths = [path] if isinstance(path, str) else [*path]
    # Unlike a glob, a name is at one place.
    return Limit([f"{one.rstrip('/')}/**" for one in paths])


def limit_of_search(plan: "Plan") -> Limit:
    """Returns the limit of a search."""
    trees = [tree for tree in (plan.query, plan.narrowing) if tree is not None]
    return Limit(plan.paths, [test for tree in trees for test in _tests_of(tree)])


def _tests_of(node: object) -> "Iterator[Callable[[str], bool]]":
    """Yields a test for each term of `repo` that all hits match."""
    # Deferred, because a request without a query needs neither.
    from symindex.search.language.query import And, Term
    from symindex.search.language.repositories import name_filter

    if isinstance(node, And):
        for part in node.parts:
            yield from _tests_of(part)
    elif isinstance(node, Term) and node.field == "repo":
        yield name_filter(node)
