"""Asks a git server where a branch or tag is.

That is one short answer, so a repository that has not changed costs no more. A server may name
another address of the repository, as it does when that was renamed: it is followed on the same
server, and said. On another server it is not, because nobody has named that one.
"""

import re
from typing import Final, NamedTuple
from urllib.parse import urljoin

from symindex.errors import EmptyFolderError, RequestError, StorageError
from symindex.fetch.http_reader import REDIRECTS, Answer, origin_of, request
from symindex.files.ignore.git_command import GitAnswer
from symindex.fleet.catalogue.addresses import shown_address, transport_of
from symindex.fleet.catalogue.names import shown_name
from symindex.fleet.catalogue.repository import Repository
from symindex.fleet.sources.git_faults import REDIRECTED, git_fault, late_fault
from symindex.fleet.sources.git_program import Run, ask_git, authorization_of, network_environment
from symindex.text.escaping import shorten, show_controls

RESOLVE_SECONDS: Final = 60.0
"""Time to ask a server where a branch is, in seconds. Most answer within half a second."""

MOST_MOVES: Final = 3
"""Most redirects that are followed."""

_MOST_ANSWER: Final = 65_536
"""Most bytes of an answer about one name. It also has what the server says to people."""

_MOST_BRANCHES: Final = 1_000_000
"""Most bytes of a list of branches, from which a message names some."""

_SHOWN_BRANCHES: Final = 5
_LONGEST_SHOWN: Final = 300
_MOST_GREETING: Final = 16_000_000
"""Most bytes of a server's first answer, which may list all references."""


_LINE: Final = re.compile(
    r"^(?:ref: (?P<leads>refs/\S+)|(?P<hash>[0-9a-f]{40}(?:[0-9a-f]{24})?))\t(?P<name>\S+)$",
    re.MULTILINE,
)
_ADVERTISEMENT: Final = "application/x-git-upload-pack-advertisement"
_SERVICE: Final = "/info/refs?service=git-upload-pack"
_BRANCH: Final = "refs/heads/"
_TAG: Final = "refs/tags/"


class Resolved(NamedTuple):
    """Where a branch or tag is on its server. reference: its full name there. target: the hash it
    leads to. commit: likewise, through an annotated tag. branch: its name for people. location: the
    address that has answered."""

    reference: str
    target: str
    commit: str
    branch: str
    location: str


def resolve(repository: Repository, run: Run) -> Resolved:
    """Asks the server of a repository for the commit of its branch or tag. Raises EmptyFolderError
    for a repository without commits, RequestError, StorageError."""
    location = repository.location
    for _ in range(MOST_MOVES + 1):
        answer = _list(repository, location, _names(repository.ref), run, _MOST_ANSWER)
        if answer.is_late:
            raise late_fault(location, min(run.seconds, RESOLVE_SECONDS))
        if answer.code == 0:
            return _read(repository, location, answer.said, run)
        if not REDIRECTED.search(answer.said):
            raise git_fault(answer.said, location)
        location = _moved_to(repository, location, run)
    raise StorageError(
        f"{shown_address(repository.location)}: redirects more than {MOST_MOVES} times: give the"
        " address that it leads to"
    )


def moved_notices(repository: Repository, location: str) -> list[str]:
    """Returns a line if a repository has answered at another address than the catalogue has."""
    if location == repository.location:
        return []
    return [
        f"{shown_address(repository.location)} has moved to {shown_address(location)}: change the"
        " address in the catalogue"
    ]


def _names(ref: str) -> list[str]:
    """Returns the names to ask for. A branch counts before a tag, as in `git clone`."""
    if not ref:
        return ["HEAD"]
    if ref.startswith("refs/"):
        return [ref, f"{ref}^{{}}"]
    return [_BRANCH + ref, _TAG + ref, f"{_TAG}{ref}^{{}}"]


def _list(
    repository: Repository, location: str, names: list[str], run: Run, most_bytes: int
) -> GitAnswer:
    return ask_git(
        run.within(RESOLVE_SECONDS),
        ["ls-remote", "--symref", "--", location, *names],
        most_bytes,
        environment=network_environment(repository, location),
    )


def _read(repository: Repository, location: str, said: bytes, run: Run) -> Resolved:
    """Reads the answer to `_names`. The server may add other names, which do not count."""
    hashes: dict[str, str] = {}
    branch = repository.ref
    for line in _LINE.finditer(said.decode("utf-8", "replace")):
        if line["hash"]:
            hashes.setdefault(line["name"], line["hash"])
        elif line["name"] == "HEAD" and line["leads"].startswith(_BRANCH):
            branch = branch or line["leads"].removeprefix(_BRANCH)
    for name in _names(repository.ref):
        if name in hashes:
            peeled = hashes.get(f"{name}^{{}}", hashes[name])
            return Resolved(name, hashes[name], peeled, branch, location)
    raise _missing(repository, location, run)


def _missing(repository: Repository, location: str, run: Run) -> RequestError:
    """Returns the error for a branch that is not there, with those that are."""
    answer = _list(repository, location, [f"{_BRANCH}*"], run, _MOST_BRANCHES)
    text = answer.said.decode("utf-8", "replace")
    names = [line["name"] for line in _LINE.finditer(text) if line["hash"]]
    shown = shown_address(location)
    if not names and answer.code == 0:
        _check_speaks_git(repository, location, run)
        return EmptyFolderError(f"{shown}: has no commit yet")
    branches = ", ".join(name.removeprefix(_BRANCH) for name in names[:_SHOWN_BRANCHES])
    more = ", ..." * (len(names) > _SHOWN_BRANCHES)
    there = f"; it has {shorten(show_controls(branches), _LONGEST_SHOWN)}{more}" if names else ""
    if not repository.ref:
        return RequestError(f"{shown}: its default branch is not there: give a ref{there}")
    return RequestError(
        f"{shown}: there is no branch or tag {shown_name(repository.ref)}: give another ref{there}"
    )


def _moved_to(repository: Repository, location: str, run: Run) -> str:
    """Returns the address that a server names instead of another one. Raises StorageError for one
    on another server: the token must not go there, and nobody has named it."""
    shown = shown_address(location)
    url, answer = _ask_server(repository, location, run)
    target = answer.headers.get("location", "")
    if answer.status not in REDIRECTS or not target:
        raise StorageError(f"{shown}: redirects, and does not say where to; try again later")
    try:
        moved = urljoin(url, target)
        is_same_server = origin_of(moved) == origin_of(url)
    except (ValueError, RequestError):
        raise StorageError(
            f"{shown}: redirects to {shown_address(target)!r}, which is no address of a repository"
        ) from None
    if not is_same_server:
        raise StorageError(
            f"{shown}: redirects to another server, {shown_address(moved)}: if that is right, give"
            " that address in the catalogue"
        )
    base = moved.removesuffix(_SERVICE)
    if base == moved or "?" in base:
        raise StorageError(
            f"{shown}: redirects to {shown_address(moved)}, which is no git repository: check the"
            " address"
        )
    return base


def _check_speaks_git(repository: Repository, location: str, run: Run) -> None:
    """Raises StorageError for a web server that answers with a page, such as a login: git takes
    that for a repository without commits, and all files would go."""
    if transport_of(location) in ("https", "http"):
        _, answer = _ask_server(repository, location, run)
        if answer.headers.get("content-type", "").partition(";")[0].strip() != _ADVERTISEMENT:
            raise StorageError(
                f"{shown_address(location)}: answers with a page, and not as a git server: check"
                " that the address is right, and that no login or proxy is in between"
            )


def _ask_server(repository: Repository, location: str, run: Run) -> tuple[str, Answer]:
    """Asks a server as git begins to; returns the address and the answer."""
    url = location.rstrip("/") + _SERVICE
    headers = {"Authorization": authorization_of(repository)} if repository.token_env else {}
    seconds = min(run.left, RESOLVE_SECONDS)
    return url, request(url, _MOST_GREETING, origin_of(url), headers, seconds)
