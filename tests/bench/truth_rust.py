"""Links of Rust crates, from the source pages of `rustdoc --generate-link-to-definition`.

A command: `python -m tests.bench.truth_rust DOC ROOT TREE... --mir FILE... --into LINKS`. The pages
name paths relative to the folder ROOT that rustdoc ran in; TREE is a folder within it.

The pages link each call of a trait's method to the trait. The spans of calls in rustc's MIR say for
which type it is called, and so which implementation it means.
"""

import argparse
import html
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from tests.bench.truth_data import Place
from tests.bench.truth_links import Heir, Link, Links

MOST_LINES: Final = 100
"""How many lines an enumeration may have whose members are named in another crate."""

_TITLE: Final = re.compile(r"Source of the Rust file `([^`]+)`")
_CODE: Final = re.compile(r'<pre class="rust"><code>(.*)</code></pre>', re.S)
_TAG: Final = re.compile(r"<a href=#\d+ id=\d+ data-nosnippet>\d+</a>|<(/?)(\w+)([^>]*)>")
_HREF: Final = re.compile(r'href="([^"]*)"')
_LINES: Final = re.compile(r"^(\d+)(?:-(\d+))?$")
_SOURCE: Final = re.compile(r'<a class="src(?: rightside)?" href="([^"]*)"')
_WORD: Final = re.compile(r"(?:r#)?\w+(?=!?\s*$)")
_HEADER: Final = re.compile(r"(?m)^\s*(?:unsafe\s+)?impl\b[^{;]*?\sfor\s[^{;]*")

_TRAIT: Final = re.compile(
    r"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?trait (\w+)[^:{;]*:([^{;]*)"
)

KINDS: Final = (
    *("function", "method", "struct", "enum", "trait", "type", "constant", "enumMember"),
    *("macro", "module", "interface", "class"),
)


_SPAN: Final = re.compile(r"\+ span: ([^:]+):(\d+):\d+: (\d+):(\d+)")
_CALLEE: Final = re.compile(r"val: Value\((<.*>::(\w+)(?:::<.*>)?)\) }")
_ABSTRACT: Final = re.compile(r"(?:dyn|impl) .*|Self|[A-Z][A-Z0-9]?")


class _Anchor(NamedTuple):
    offset: int
    text: str
    href: str


class _Page:
    """A source page: the text of the file, and its links by offset."""

    def __init__(self, page: Path) -> None:
        self.page = page
        written = page.read_text("utf-8")
        title, code = _TITLE.search(written), _CODE.search(written)
        self.path = html.unescape(title[1]) if title else ""
        self.text, self.anchors = self._read(code[1] if code else "")
        self.starts = [0, *(match.end() for match in re.finditer("\n", self.text))]

    def _read(self, code: str) -> tuple[str, list[_Anchor]]:
        pieces, size, at, open_at, href = list[str](), 0, 0, 0, ""
        anchors = list[_Anchor]()
        for tag in _TAG.finditer(code):
            piece = html.unescape(code[at : tag.start()])
            pieces.append(piece)
            size, at = size + len(piece), tag.end()
            if tag[2] != "a":
                continue
            if not tag[1]:
                found = _HREF.search(tag[3])
                open_at, href = size, html.unescape(found[1]) if found else ""
            elif href:
                anchors.append(_Anchor(open_at, "".join(pieces)[open_at:size], href))
                pieces = ["".join(pieces)]
        pieces.append(html.unescape(code[at:]))
        return "".join(pieces), anchors

    def is_variable(self, anchor: _Anchor, path: str, line: int) -> bool:
        """Whether a link leads to a parameter or a variable in the header of a function with its
        name, whose definition would be linked as well."""
        if path != self.path or not re.fullmatch(r"#\d+", anchor.href) or not anchor.text.islower():
            return False
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        before = self.text[: anchor.offset].rstrip()
        after = self.text[anchor.offset + len(anchor.text) :].lstrip()
        is_plain = not before.endswith((".", "::")) and not after.startswith(("(", "::", "!"))
        header = self.text[self.starts[line - 1] : end]
        return is_plain and re.search(rf"\b{anchor.text}\s*:(?!:)", header) is not None

    def place(self, offset: int) -> tuple[int, int]:
        """Returns the line and column of an offset."""
        line = self.text.count("\n", 0, offset) + 1
        return line, offset - self.starts[line - 1] + 1


def _head(written: str) -> str:
    """Returns the last name of a type before its arguments, after the signs before it."""
    signs, rest = re.match(r"((?:&(?:'\w+ )?|mut |\s)*)(.*)", written, re.S).groups()  # type: ignore[union-attr]
    signs = re.sub(r"'\w+|\s", "", signs)
    path = re.match(r"[\w:]*", rest)
    return signs + (path[0].rstrip(":").rpartition("::")[2] if path else "")


class _Traits:
    """Which methods implementations of traits define, by trait, type and name."""

    def __init__(self, pages: Iterable["_Page"]) -> None:
        self.methods = defaultdict[tuple[str, str, str], list[tuple[str, int]]](list)
        self.open = set[str]()
        for page in pages:
            for header in _HEADER.finditer(page.text):
                base, heir, generics = _split(header[0])
                self.open |= {_head(base)} & {_head(base) if _head(heir) in generics else ""}
                end = re.compile(rf"^{_indent(header[0])}}}", re.M).search(page.text, header.end())
                body = page.text[header.end() : end.start() if end else header.end()]
                for name in re.finditer(r"\bfn (\w+)", body):
                    line, _ = page.place(header.end() + name.start(1))
                    self.methods[_head(base), _head(heir), name[1]].append((page.path, line))

    def meant(self, callee: str, name: str) -> list[tuple[str, int]] | None:
        """Returns where the methods are that a callee may mean; empty: the trait's own; `None` if
        it is not known."""
        of, trait = _qualified(callee)
        if not trait or of.startswith("{closure"):
            return None
        if _ABSTRACT.fullmatch(of):
            return []
        found = self.methods.get((_head(trait), _head(of), name), [])
        return None if len(found) > 1 or (not found and _head(trait) in self.open) else found


def _indent(text: str) -> str:
    return text[: len(text) - len(text.lstrip())].rpartition("\n")[2]


def _split(header: str) -> tuple[str, str, set[str]]:
    """Returns the trait, the type and the names of the parameters of a header."""
    before, _, heir = header.rpartition(" for ")
    before = re.sub(r"^\s*(?:unsafe\s+)?impl\s*", "", before)
    depth, end = 0, 0
    for offset, char in enumerate(before.replace("->", "  ")):
        depth += (char == "<") - (char == ">")
        if depth == 0:
            end = offset + (char == ">")
            break
    generics = set(re.findall(r"[<,]\s*(\w+)", before[:end]))
    return before[end:].strip().lstrip("!"), heir.strip(), generics


def _qualified(callee: str) -> tuple[str, str]:
    """Returns the type and the trait of `<Type as Trait>::name`."""
    depth, offset = 0, 0
    at = None
    text = callee.replace("->", "  ")
    for offset, char in enumerate(text):
        depth += (char == "<") - (char == ">")
        if depth == 1 and at is None and text.startswith(" as ", offset):
            at = offset
        if depth == 0:
            break
    return ("", "") if at is None else (callee[1:at], callee[at + 4 : offset])


class Doc:
    """All pages of a folder. Targets are paths and lines."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        pages = map(_Page, sorted(folder.joinpath("src").rglob("*.rs.html")))
        self.pages = {page.page.resolve(): page for page in pages}
        self._texts = dict[Path, str]()

    def target(self, base: Path, href: str) -> tuple[str, int, int] | None:
        """Returns the path and lines that a link leads to; `None` if they are not known."""
        if "://" in href:
            return "", 0, 0
        link, _, fragment = href.partition("#")
        file = (base.parent / link).resolve() if link else base.resolve()
        if (page := self.pages.get(file)) is not None:
            if (lines := _LINES.match(fragment)) is None:
                return page.path, 1, 1
            first = int(lines[1])
            return page.path, first, min(first + 1, int(lines[2] or first))
        if not file.is_file():
            return None
        text = self._texts.setdefault(file, file.read_text("utf-8"))
        found = None
        if fragment and not fragment.startswith("variant."):
            begin = text.find(f'id="{fragment}"')
            found = _SOURCE.search(text, begin) if begin >= 0 else None
        elif (found := _SOURCE.search(text)) is None:
            return None
        of_all = self.target(file, html.unescape(found[1])) if found else None
        if of_all is not None and fragment.startswith("variant."):  # has no link of its own
            return of_all[0], of_all[1], of_all[1] + MOST_LINES
        return of_all


def calls_of(doc: Doc, mir: Iterable[Path]) -> dict[Place, tuple[str, int]]:
    """Returns the definitions that calls of methods of traits mean, by place; without a path if
    they are not known."""
    traits, calls = _Traits(doc.pages.values()), dict[Place, tuple[str, int]]()
    for file in mir:
        span = None
        for line in file.read_text("utf-8").splitlines():
            if (found := _SPAN.search(line)) is not None:
                span = found
            elif span is not None and (callee := _CALLEE.search(line)) is not None:
                name = callee[2]
                place = (span[1], int(span[3]), int(span[4]) - len(name))
                meant = traits.meant(callee[1], name)
                known = ("?", 0) if meant is None else meant[0] if meant else ("", 0)
                if calls.setdefault(place, known) != known:
                    calls[place] = ("?", 0)
    return calls


def links_of(
    doc: Doc, tree: str, calls: Mapping[Place, tuple[str, int]]
) -> tuple[list[Link], list[Heir]]:
    """Returns the links of the files of a tree, and its implementations of traits."""
    links, heirs = list[Link](), list[Heir]()

    def inside(path: str) -> str:
        return path.removeprefix(f"{tree}/") if path.startswith(f"{tree}/") else ""

    for page in doc.pages.values():
        if not inside(page.path):
            continue
        targets = dict[int, tuple[str, int, int]]()
        for anchor in page.anchors:
            word = _WORD.search(anchor.text)
            found = doc.target(page.page, anchor.href)
            if word is None or found is None:
                continue
            line, column = page.place(anchor.offset + word.start())
            path, first, last = found
            if page.is_variable(anchor, path, first):
                path, first, last = "", 0, 0
            targets[anchor.offset] = (inside(path), first, last)
            implementation = calls.get((page.path, line, column), ("", 0))
            is_exact = not implementation[0]
            links.append(Link(inside(page.path), line, column, inside(path), first, last, is_exact))
            if implementation[1]:
                path, first = implementation
                links.append(Link(inside(page.path), line, column, inside(path), first, first))
        heirs += _heirs(page, targets)
        for heir in _supertraits(page, targets):
            heir.path = inside(page.path)
            heirs.append(heir)
    return links, heirs


def _heirs(page: _Page, targets: dict[int, tuple[str, int, int]]) -> Iterator[Heir]:
    for header in _HEADER.finditer(page.text):
        base, _, _ = _split(header[0])
        heir_at = header.start() + header[0].rindex(" for ") + 5
        base_at = header.start() + header[0].rindex(base, 0, heir_at - header.start())
        base_found, heir_found = (_last_link(page, targets, at) for at in (base_at, heir_at))
        if base_found and heir_found and base_found[0] and heir_found[0]:
            yield Heir(*heir_found, *base_found)


def _supertraits(page: _Page, targets: dict[int, tuple[str, int, int]]) -> Iterator[Heir]:
    for header in _TRAIT.finditer(page.text):
        line, _ = page.place(header.start(1))
        for bound in re.finditer(r"[\w:]+(?:<[^>]*>)?", header[2]):
            base = _last_link(page, targets, header.start(2) + bound.start())
            if base and base[0]:
                yield Heir(page.path, line, line, *base)


def _last_link(
    page: _Page, targets: dict[int, tuple[str, int, int]], begin: int
) -> tuple[str, int, int] | None:
    """Returns where the head of a type leads: its last link before arguments."""
    head = re.compile(r"[\s&]*(?:'\w+\s+)?(?:mut\s+)?[\w:]+").match(page.text, begin)
    found = [targets[at] for at in range(begin, head.end()) if at in targets] if head else []
    return found[-1] if found else None


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.truth_rust", description=__doc__)
    parser.add_argument("doc", type=Path, help="the folder that rustdoc wrote")
    parser.add_argument("root", type=Path, help="the folder that rustdoc ran in")
    parser.add_argument("trees", nargs="+", help="folders within it")
    parser.add_argument("--mir", type=Path, nargs="*", default=[], help="spans of calls")
    parser.add_argument("--into", type=Path, required=True, help="a folder for the files of links")
    options = parser.parse_args(words)
    doc = Doc(options.doc)
    calls = calls_of(doc, options.mir)
    for tree in options.trees:
        links, heirs = links_of(doc, tree, calls)
        known = Links(str((options.root / tree).resolve()), [*KINDS], links, heirs, True)
        (options.into / f"{tree}.json").write_bytes(msgspec.json.encode(known))
        print(f"{tree}: {len(links)} links, {len(heirs)} heirs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
