"""Opens the answers of a fleet: of a service by its address, or of a store in this process."""

from typing import TYPE_CHECKING, Final

from symindex.errors import RequestError, shown

if TYPE_CHECKING:
    from symindex.fleet.fleet import Fleet
    from symindex.protocol.fleet import FleetStatus
    from symindex.workspace.answers import Answers

FLEET: Final = "SYMINDEX_FLEET"
"""The environment variable with the address or the store of a fleet."""

_SERVICES: Final = ("http://", "https://")


def open_answers(place: str) -> "Answers":
    """Opens a fleet. place: the address of a service, or a store: `s3://`, `file://`, a folder.

    Raises RequestError for an address that is none, and if the extra is not installed.
    """
    if is_service(place):
        # Deferred, because a store needs no client, and a client no store.
        from symindex.serve.api.client import RemoteAnswers

        return RemoteAnswers(place)
    return open_store(place)


def open_store(place: str) -> "Fleet":
    """Opens a store. Raises RequestError for a service, and if the extra is not installed."""
    if is_service(place):
        raise RequestError(
            f"{shown(place)}: is a service, not a store: expected s3://, gs://, file:// or a folder"
        )
    from symindex.fleet.fleet import open_fleet  # needs no extra until a store is opened

    return open_fleet(place)


def is_service(place: str) -> bool:
    """Whether a fleet is named by the address of a service."""
    return place.lower().startswith(_SERVICES)


def status_of(answers: "Answers") -> "FleetStatus":
    """Returns what answers say of the fleet that they are made from. Raises RequestError for those
    of source trees."""
    import msgspec

    from symindex.protocol.fleet import FleetStatus

    tell = getattr(answers, "status", None)
    told = tell() if tell is not None else None
    if isinstance(told, FleetStatus):
        return told
    try:
        return msgspec.convert(told, FleetStatus)  # another process has said it
    except msgspec.ValidationError:
        raise RequestError("what is asked serves source trees, which have no status here") from None


def repository_names(answers: "Answers") -> list[str]:
    """Returns the names of the repositories that answers are about: those in the table of their
    snapshot, or else the folders at the top."""
    from symindex.protocol.overview import FolderRequest
    from symindex.workspace.answers import folder_of

    table = getattr(answers.source.view().snapshot, "repositories", None)
    if table:
        return [repository.name for repository in table]
    top = folder_of(answers, FolderRequest())
    return [entry.name for entry in top.entries if entry.is_folder]
