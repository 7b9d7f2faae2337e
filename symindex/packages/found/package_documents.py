"""Decides which documents of a package are read: those that its author wrote for its users.

A package's README, changelog and guides answer questions. Its licences, its data in text files and
the thousands of pages that a tool generated from its code do not; nor are the scripts and jobs in
its manifests those of the project. Folders that agents read (`.ai`, `.claude`) are read completely,
as in a project.
"""

import re
from typing import Final, NamedTuple

from symindex.packages.found.package import Package

MOST_DOCUMENTS: Final = 200
"""Most documents of one package, not counting those in folders that agents read."""

DOCUMENTS: Final = "documents that are not its guides"
TOO_MANY_DOCUMENTS: Final = f"beyond its first {MOST_DOCUMENTS} documents"
"""Reasons for leaving files out."""

_GUIDE: Final = re.compile(
    r"(?:readme|chang|histor|news|release|migrat|upgrad|usage|guide)", re.IGNORECASE
)
_LEGAL: Final = re.compile(
    r"(?:licen[cs]e|copying|notice|authors|contributors|third.?party|code.of.conduct|security)",
    re.IGNORECASE,
)
_FOLDERS: Final = frozenset({"doc", "docs", "guide", "guides"})
_MARKED_UP: Final = re.compile(r"\.(?:html?|xhtml|ipynb)$", re.IGNORECASE)
_PLAIN: Final = re.compile(r"\.te?xt$", re.IGNORECASE)


class DocumentEndings(NamedTuple):
    """File name endings of documents and of data, in lower case, with their dots."""

    documents: frozenset[str] = frozenset()
    data: frozenset[str] = frozenset()


def is_left_out(path: str, package: Package, endings: DocumentEndings) -> bool:
    """Whether a file is a document that is not read. path: relative to the package's root."""
    folders, _, name = path.rpartition("/")
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    if ending not in endings.documents and ending not in endings.data:
        return False
    above = folders.split("/") if folders else []
    if any(folder.startswith(".") for folder in above):
        return False
    if ending in endings.data or _LEGAL.match(name) or _MARKED_UP.search(name):
        return True
    top = 1 if package.files else 0  # The folders that such a package names are its own.
    if len(above) > top and above[top].lower() not in _FOLDERS:
        return True
    return _PLAIN.search(name) is not None and _GUIDE.match(name) is None


def is_document(path: str, endings: DocumentEndings) -> bool:
    """Whether a file counts as a document of its package."""
    return path[path.rfind(".") :].lower() in endings.documents and "/." not in f"/{path}"
