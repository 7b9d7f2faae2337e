"""Searches the registries that the user has configured: their entries become an index in memory,
which is searched like any other. Only the text of a registry's index document is searched, because
the items themselves are not here."""

import msgspec

from symindex.configuration import read_configuration
from symindex.errors import RequestError, SymindexError
from symindex.extract.items.item import ItemFacts, Value
from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols, SymbolRow, pack_rows
from symindex.fetch.registry import RegistryEntry, open_registry
from symindex.index.build import build_index
from symindex.index.snapshot import Snapshot, Space
from symindex.protocol.kinds import SymbolKind
from symindex.protocol.search import SearchResponse, add_notices
from symindex.search.answer.answer import answer
from symindex.search.answer.plan import Plan
from symindex.workspace.spaces.spaces import SpacePart


def search_registries(plan: Plan) -> SearchResponse:
    """Returns the entries that match. A registry that cannot be read gives a notice. Raises
    RequestError if no registry is configured."""
    registries = read_configuration().registries
    if not registries:
        raise RequestError(
            "no registry is configured: name one as [[registries]] in config.toml, with a name and"
            " a source"
        )
    part, notices = registry_part(plan.languages)
    snapshot = Snapshot.joined([part.snapshot], [""], [Space.REGISTRY])
    response = answer(snapshot, plan.without(("space",)))
    response.request = msgspec.structs.replace(plan.request, space="registry")
    add_notices(response, notices)
    return response


def registry_part(languages: Languages) -> tuple[SpacePart, list[str]]:
    """Returns the entries of all registries as one more space, the newest of each item; and a
    notice for each registry that cannot be read."""
    files: list[FileSymbols] = []
    notices: list[str] = []
    for configured in read_configuration().registries:
        try:
            registry = open_registry(
                configured.source, configured.sha256 or None, configured.allow_private
            )
            # Later entries replace earlier ones: the newest comes last.
            newest = {(entry.type, entry.id): entry for entry in registry.list()}
            files += [_as_file(configured.name, entry) for entry in newest.values()]
        except SymindexError as error:
            notices.append(f"{configured.name}: {error}")
    return SpacePart(Snapshot.of(build_index(files)), Space.REGISTRY, {}, languages), notices


def _as_file(registry: str, entry: RegistryEntry) -> FileSymbols:
    """Returns an entry as a file that contains only the item."""
    fields: dict[str, Value] = {
        "version": entry.version,
        "title": entry.title,
        "description": entry.description,
    }
    name = entry.id.rpartition("/")[2]
    row: SymbolRow = (
        name,
        "",
        entry.title,
        entry.description,
        SymbolKind.ITEM.value,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    )
    facts = ItemFacts(entry.type, entry.id, {key: value for key, value in fields.items() if value})
    return FileSymbols(
        f"{registry}/{entry.type}/{entry.id}",
        entry.size,
        0,
        documents=pack_rows([row], [entry.description]),
        items=[(0, facts)],
    )
