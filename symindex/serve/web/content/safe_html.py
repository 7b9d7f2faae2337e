"""Reduces HTML of strangers to harmless elements, and takes out the links and pictures whose
addresses the caller has to map.

ammonia, which parses as a browser does, removes all other elements and attributes. What it leaves
is well-formed. A second pass over that decides about addresses: a link may lead to `http`, `https`
or `mailto`; a picture from elsewhere is never loaded; a relative address is left to the caller.
"""

import re
from html.parser import HTMLParser
from itertools import groupby
from typing import Final

import msgspec
import nh3
from markupsafe import Markup, escape

from symindex.serve.web.content.lexers import CLASSES
from symindex.serve.web.content.visible import show_controls_as_html
from symindex.text.escaping import show_controls

ANCHOR: Final = "user-content-"
"""What the id of each heading begins with, so that it is no id of the page itself."""

LINK_END: Final = '" rel="noopener noreferrer nofollow"'


class Reference(msgspec.Struct, array_like=True, frozen=True):
    """A relative link or picture. address: as it was written. before, after: the HTML around the
    address that the caller maps it to. otherwise: the HTML if the caller maps it to nothing."""

    address: str
    before: str
    after: str
    otherwise: str


_ATTRIBUTES: Final = {
    "*": set[str](),  # otherwise two that ammonia allows everywhere
    "a": {"href", "title"},
    "abbr": {"title"},
    "details": {"open"},
    "img": {"src", "alt", "title", "width", "height", "align"},
    "ol": {"start"},
    **{block: {"align"} for block in ("p", "div", "table", "tr")},
    **{cell: {"align", "colspan", "rowspan"} for cell in ("th", "td")},
    **{heading: {"align", "id"} for heading in ("h1", "h2", "h3", "h4", "h5", "h6")},
}

_TAGS: Final = {
    "a", "abbr", "b", "blockquote", "br", "caption", "cite", "code", "dd", "del", "details",
    "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6",
    "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s",
    "samp", "small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "tt", "u", "ul", "var", "wbr",
}  # fmt: skip

_VALUES: Final = {
    "align": re.compile("left|center|right|justify"),
    "colspan": re.compile(r"[0-9]{1,3}"),
    "height": re.compile(r"[0-9]{1,4}%?"),
    "rowspan": re.compile(r"[0-9]{1,3}"),
    "start": re.compile(r"-?[0-9]{1,9}"),
    "width": re.compile(r"[0-9]{1,4}%?"),
}
"""What the values of some attributes must look like."""


def _check_value(tag: str, attribute: str, value: str) -> str | None:
    if attribute == "id":
        return ANCHOR + value
    pattern = _VALUES.get(attribute)
    return value if pattern is None or pattern.fullmatch(value) else None


_CLEANER: Final = nh3.Cleaner(
    tags=_TAGS,
    # Their content is no prose.
    clean_content_tags={"script", "style", "svg", "math", "template", "title", "noscript"},
    attributes=_ATTRIBUTES,
    attribute_filter=_check_value,
    allowed_classes={"span": set(CLASSES)},
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
)


def sanitise(html: str) -> list[str | Reference]:
    """Returns the harmless parts of an HTML text, in pieces to be joined. html: without lone
    surrogates."""
    pieces = _Pieces()
    pieces.feed(_CLEANER.clean(html))
    pieces.close()
    return pieces.joined()


class _Pieces(HTMLParser):
    """The second pass. Its input is what ammonia writes: no comments, each value in double
    quotes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str | Reference] = []
        self._n_open_links = 0

    def joined(self) -> list[str | Reference]:
        joined: list[str | Reference] = []
        for is_html, pieces in groupby(self._pieces, lambda piece: isinstance(piece, str)):
            if is_html:
                joined.append("".join(map(str, pieces)))
            else:
                joined += pieces
        return joined

    def handle_data(self, data: str) -> None:
        self._pieces.append(show_controls_as_html(data))

    def handle_endtag(self, tag: str) -> None:
        self._n_open_links -= tag == "a"
        self._pieces.append(f"</{tag}>")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "a":
            self._n_open_links += 1
            self._pieces.append(_link(values))
        elif tag == "img":
            self._pieces.append(_picture(values, self._n_open_links > 0))
        else:
            self._pieces.append(f"<{tag}{_attributes(values)}>")


def _attributes(values: dict[str, str]) -> Markup:
    return Markup("").join(
        Markup(' {}="{}"').format(name, show_controls(value)) for name, value in values.items()
    )


def _link(values: dict[str, str]) -> str | Reference:
    address, is_relative = _read_address(values.pop("href", ""))
    end = f"{LINK_END}{_attributes(values)}>"
    if not address:
        return "<a>"
    if is_relative:
        return Reference(address, '<a href="', end, "<a>")
    return f'<a href="{escape(address)}{end}'


def _picture(values: dict[str, str], is_in_link: bool) -> str | Reference:
    """Returns a picture of this site, a link to one from elsewhere, or the alternative text."""
    address, is_relative = _read_address(values.pop("src", ""))
    text = str(show_controls_as_html(values.get("alt", "")))
    if not address or address.startswith("#"):
        return text
    if is_relative:
        return Reference(address, '<img src="', f'" loading="lazy"{_attributes(values)}>', text)
    text = text or str(show_controls_as_html(address))
    return text if is_in_link else f'<a href="{escape(address)}{LINK_END}>{text}</a>'


_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):", re.I)


def _read_address(value: str) -> tuple[str, bool]:
    """Returns the address in an attribute, and whether the caller has to map it; an empty one if it
    may not be used."""
    # Browsers ignore these characters, and read a backslash as a slash.
    address = re.sub(r"[\t\n\r]", "", value).strip("".join(map(chr, range(33))))
    if address.startswith("#"):
        anchor = address[1:].removeprefix(ANCHOR)
        return (f"#{ANCHOR}{anchor}" if anchor else ""), False
    if re.match(r"[/\\]{2}", address):  # another site
        return "https://" + address.lstrip("/\\"), False
    scheme = _SCHEME.match(address)
    if scheme is None:
        return address, True
    if scheme[1].lower() != "mailto" and not re.match(r"//[^/]", address[scheme.end() :]):
        return "", False  # browsers read `http:a.html` as an address on this site
    return (address if scheme[1].lower() in ("http", "https", "mailto") else ""), False
