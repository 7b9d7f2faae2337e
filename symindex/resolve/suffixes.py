"""Names that mean what is called by them with a suffix: `[Route]` is a use of `RouteAttribute`."""

from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import Denoted, Kind, Place, is_type
from symindex.resolve.reading.excerpts import Mention
from symindex.resolve.tree import Row


def type_in_full(resolver: Resolver, place: Place, mention: Mention) -> Denoted | None:
    """Returns the type that a mention means by its whole name, if that has a base: any other type
    only happens to be called like one. `None` if there is none."""
    name = f"{mention.name}{mention.suffix}"
    if mention.receiver:
        found = resolver.member(resolver.denoted(place, mention.receiver), name)
        if found.kind is not Kind.SYMBOL and resolver.is_packaged(place.file):
            found = resolver.packages.member(place.file, mention.receiver, name)
    else:
        found = resolver.name(place._replace(is_type=True, is_free=True), name)
    is_one = found.kind is Kind.SYMBOL and any(_has_base(resolver, row) for row in found.rows)
    return found if is_one else None


def shorter_names(resolver: Resolver, row: Row) -> list[str]:
    """Returns the names of a type without a suffix of its language."""
    language = resolver.tree.languages.by_id.get(row.file.known_language)
    suffixes = language.rules.roles.suffixes if language is not None else []
    if not any(row.name.endswith(suffix) for _, suffix in suffixes) or not _has_base(resolver, row):
        return []
    names = (row.name.removesuffix(suffix) for _, suffix in suffixes)
    return [name for name in dict.fromkeys(names) if name and name != row.name]


def _has_base(resolver: Resolver, row: Row) -> bool:
    if not is_type(row):
        return False
    parts = resolver.packages.parts(row)
    facts = ((resolver.files.of(part), part) for part in parts)
    return any(file.bases.get(file.numbers[part]) for file, part in facts)
