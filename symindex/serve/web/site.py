"""What all pages share: the answers, the repositories, and how a page becomes HTML."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import jinja2
from markupsafe import Markup

from symindex import __version__
from symindex.editor.named_here import NamedHere
from symindex.errors import RequestError, like_it, shown
from symindex.protocol.freshness import CACHED, Freshness
from symindex.protocol.overview import FolderResponse
from symindex.protocol.status import RootStatus
from symindex.serve.web import addresses
from symindex.serve.web.addresses import Address
from symindex.serve.web.content.highlight import Highlighter
from symindex.serve.web.content.prose import ProseRenderer
from symindex.serve.web.content.visible import show_controls_as_html
from symindex.text.counts import count_of
from symindex.workspace.answers import Answers

STATIC: Final = Path(__file__).parent / "static"

STATIC_TYPES: Final = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
"""The static files, with their types."""

SCRIPT: Final = "page.js"
"""The bundled script. It is absent in a source tree until it was built."""


class Repository(NamedTuple):
    """A repository. name: in addresses. prefix: of its paths in answers. root: its folder; `None`
    if it is not on this machine."""

    name: str
    prefix: str
    root: Path | None = None

    def inside(self, path: str) -> str:
        """Returns a path of an answer relative to this repository."""
        return path.removeprefix(self.prefix)

    def answer_path(self, path: str) -> str:
        """Returns a path in this repository as answers have it."""
        return self.prefix + path


class Visit(NamedTuple):
    """A request for a page. address: of a page in a repository. part: the name of the fragment that
    the script asks for; empty for a whole page."""

    path: str
    address: Address | None
    parameters: Mapping[str, str]

    @property
    def part(self) -> str:
        return self.parameters.get("part", "")

    def get(self, name: str) -> str:
        return self.parameters.get(name, "")


@dataclass
class Page:
    """A page to render. template: its file, or that of a fragment. context: its variables."""

    template: str
    context: dict[str, Any]
    status: int = 200


class FileReader(Protocol):
    """What pages read besides answers. All paths are as in answers; all methods raise
    RequestError."""

    def folder(self, path: str, *, freshness: Freshness = CACHED) -> FolderResponse:
        """Returns the files and folders in a folder."""

    def file_bytes(self, path: str, most_bytes: int) -> bytes:
        """Returns the bytes of a file."""

    def named_in_file(self, path: str, place: tuple[int, int]) -> NamedHere:
        """Returns the name at a line and a column, 0-based, and the symbols that it may mean."""

    def has_symbols_named(self, name: str) -> bool:
        """Whether there are symbols of exactly this name."""


class Site(ABC):
    """The pages over some answers. Any thread may use it.

    answers: to requests. reader: of files and folders. is_local: whether all visitors are the user
    of this process, on this machine. has_history: whether there are working copies, so that git
    knows the history of files.
    """

    has_history = True

    def __init__(self, answers: Answers, reader: FileReader, is_local: bool) -> None:
        self.answers, self.reader, self.is_local = answers, reader, is_local
        self.highlighter, self.prose = Highlighter(), ProseRenderer()
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader("symindex.serve.web"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["visible"] = show_controls_as_html
        self._templates.filters["told"] = self._told
        self._templates.filters["count"] = lambda number: f"{number:,}"
        self._templates.filters["age"] = _age
        self._templates.globals.update(
            symbol_address=addresses.symbol_address,
            address_of=addresses.address_of,
            search_address=addresses.search_address,
            with_parameters=addresses.with_parameters,
            at_line=addresses.at_line,
            version=__version__,
            static=self.static,
        )

    def close(self) -> None:
        """Ends the workers."""
        self.highlighter.close()
        self.prose.close()

    @property
    @abstractmethod
    def repositories(self) -> Sequence[Repository]:
        """The repositories, in the order of the home page."""

    @abstractmethod
    def status_of(self, repository: Repository) -> RootStatus | None:
        """Returns the state of a repository; `None` if it has none of its own."""

    def note_on(self, repository: Repository) -> str:
        """Returns what is served of a repository, in a line; empty if there is nothing to say."""
        return ""

    def check_history(self) -> None:
        """Raises RequestError if git knows nothing of the files."""
        if not self.has_history:
            raise RequestError(
                "a fleet has the files of one commit, and no history: ask for it where the"
                " repository is kept"
            )

    def repository(self, name: str) -> Repository:
        """Returns the repository of a name. Raises RequestError if there is none."""
        for repository in self.repositories:
            if repository.name == name:
                return repository
        names = [repository.name for repository in self.repositories]
        listed = f"; there are {', '.join(names[:5])}"
        near = like_it(name, names) or listed
        raise RequestError(f"no repository {shown(name)[:100]!r}{near}")

    def with_whole_name(self, address: Address) -> Address:
        """Returns an address with the name of its repository, which may contain an `@`, as that of
        a commit does."""
        whole = f"{address.repository}@{address.commit}"
        if address.commit and any(whole == repository.name for repository in self.repositories):
            return address._replace(repository=whole, commit="")
        return address

    def place(self, path: str) -> tuple[Repository, str]:
        """Returns the repository of a path in an answer, and the path in it."""
        for repository in self.repositories:
            if path.startswith(repository.prefix):
                return repository, repository.inside(path)
        return self.repositories[0], path

    def is_folder(self, repository: Repository, path: str) -> bool:
        """Whether a path in a repository is a folder."""
        if not path:
            return True
        return self.answers.source.is_folder(repository.answer_path(path))

    def _told(self, text: str) -> Markup:
        """Returns a message or a notice as HTML, with the names of repositories instead of their
        places on this machine."""
        return show_controls_as_html(text)

    def file_address(self, path: str, line: int = 0) -> str:
        """Returns the address of a path in an answer."""
        repository, inside = self.place(path)
        return addresses.at_line(addresses.address_of(repository.name, inside), line)

    def symbol_address(self, symbol: str) -> str:
        """Returns the address of a symbol by its id in an answer."""
        repository, inside = self.place(symbol)
        return addresses.symbol_address(repository.name, inside)

    def static(self, name: str) -> str:
        """Returns the address of a static file, with a digest of its content, so that browsers may
        keep it; empty if the file is absent."""
        data = self.static_file(name)
        if data is None:
            return ""
        return f"/-/static/{name}?{hashlib.blake2b(data, digest_size=6).hexdigest()}"

    def static_file(self, name: str) -> bytes | None:
        """Returns the bytes of a static file; `None` if there is none of that name."""
        path = STATIC / name
        return path.read_bytes() if name in STATIC_TYPES and path.is_file() else None

    def render(self, page: Page, visit: Visit) -> Markup:
        """Renders a page or a fragment as HTML."""
        template = self._templates.get_template(page.template)
        return Markup(
            template.render(
                site=self,
                visit=visit,
                repositories=self.repositories,
                has_script=self.static_file(SCRIPT) is not None,
                **page.context,
            )
        )


def _age(seconds: float) -> str:
    """Returns how long ago something was, in the largest unit that fits."""
    for name, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            return f"{count_of(int(seconds // length), name)} ago"
    return "just now"
