"""Which documents of a package are read: what its author has written to those who use it.

A package's README, its changelog and its guides answer questions. Its licences, its data in text
files, and the thousands of pages that a tool has made of its code do not; nor are the scripts and
jobs in its manifests those of the project. Of the folders that agents read (`.ai`, `.claude`)
everything is taken, as in a project.
"""

import re
from typing import Final, NamedTuple

from symindex.packages.found.package import Package

MOST_DOCUMENTS: Final = 200
"""Of one package, beside those in folders that agents read."""

DOCUMENTS: Final = "documents that are not its guides"
TOO_MANY_DOCUMENTS: Final = f"beyond its first {MOST_DOCUMENTS} documents"
"""Why files are left out."""

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


class Formats(NamedTuple):
    """The endings of files that are documents, and of those that are data: in lower case, with
    their dots."""

    documents: frozenset[str] = frozenset()
    data: frozenset[str] = frozenset()


def is_left_out(path: str, package: Package, formats: Formats) -> bool:
    """Whether a file is a document that is not read. path: below the package's root."""
    folders, _, name = path.rpartition("/")
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    if ending not in formats.documents and ending not in formats.data:
        return False
    above = folders.split("/") if folders else []
    if any(folder.startswith(".") for folder in above):
        return False
    if ending in formats.data or _LEGAL.match(name) or _MARKED_UP.search(name):
        return True
    top = 1 if package.files else 0  # the folders that such a package names are its own
    if len(above) > top and above[top].lower() not in _FOLDERS:
        return True
    return _PLAIN.search(name) is not None and _GUIDE.match(name) is None


def is_document(path: str, formats: Formats) -> bool:
    """Whether a file counts among the documents of its package."""
    return path[path.rfind(".") :].lower() in formats.documents and "/." not in f"/{path}"
