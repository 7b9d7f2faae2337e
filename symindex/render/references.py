"""Writes references as Markdown: a line for each, with few tokens, and safe for any text in paths
and code."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec import UNSET

from symindex.protocol.explore import ROLES, Reference, ReferencesResponse
from symindex.render.hierarchy import doubt_of
from symindex.render.markdown import (
    Spelling,
    as_field,
    code_span,
    last_lines,
    nearest_names,
    other_lines,
    plain_path,
    without_folders,
)
from symindex.text.counts import count_of
from symindex.text.escaping import shorten
from symindex.text.snippets import mark_spans

_LONG_NAME: Final = 200
"""Longest name that is repeated, in characters."""


def render_references(
    response: ReferencesResponse, spell: Spelling = as_field, show: Callable[[str], str] = str
) -> str:
    """Writes the occurrences by file, each with its line, enclosing symbol and code. show: writes
    the text of a line."""
    lines = [
        f"# References: {code_span(shorten(response.symbol or response.name, _LONG_NAME))}",
        _count(response),
        "",
    ]
    is_long = response.has_more and len(response.most) > 1
    if is_long:
        lines += [
            "Most: " + ", ".join(f"{plain_path(path)} {count}" for path, count in response.most),
            "",
        ]
    by_scope = response.request.role not in (UNSET, None)
    is_sure = True
    for file in response.files:
        if is_sure and file.items[0].is_unsure:
            is_sure = False
            lines += ["Uncertain:", ""]
        lines += [
            plain_path(file.file_path),
            *(_scopes if by_scope else _rows)(file.items, file.file_path, show),
            "",
        ]
    if not response.files and not response.has_more:
        lines += [_why_nothing(response), ""]
    return "\n".join([*lines, *last_lines(response, spell)])


def marker(response: ReferencesResponse) -> Callable[[str], str]:
    """Marks the name in the text of a line, for a terminal."""
    words = re.findall(r"\w+", response.name)
    word = re.compile(rf"\b{words[-1]}\b") if words and response.name.endswith(words[-1]) else None
    return lambda text: (
        mark_spans(text, (match.span() for match in word.finditer(text)))
        if word is not None
        else text
    )


_SHOWN_ROLES: Final = frozenset(ROLES) - {"read"}
"""Roles that a line of code does not always show by itself."""


def _count(response: ReferencesResponse) -> str:
    """Says how many occurrences are known, and with which roles."""
    shown = sum(len(file.items) for file in response.files)
    showing = f" (showing {shown})" if response.request.max_items is not None else ""
    number = response.at_least if response.total is None else response.total
    roles = (
        f": {', '.join(count_of(count, role) for role, count in response.roles.items())}"
        if number > 1
        else ""
    )
    excluded = (
        f"; {response.narrowed:,} that mean something else left out" if response.narrowed else ""
    )
    if response.unknown:
        excluded += (
            f"; {response.unknown:,} with a receiver of unknown type left out (all lists them)"
        )
    by_name = ", by name" if not response.symbol else ""
    if response.total is None:
        return f"Found at least {count_of(number, 'reference')}{by_name}{showing}{roles}{excluded}"
    files = count_of(response.total_files or 0, "file")
    return (
        "Found"
        f" {count_of(number, 'reference')}{f' in {files}' if number else ''}{by_name}{showing}{roles}{excluded}"  # noqa: E501
    )


def _how_sure(item: Reference) -> Iterator[str]:
    """Yields whether a reference may be another's, and by which rule it was bound."""
    if doubt := doubt_of(item.others, item.is_unsure):
        yield doubt
    if item.rule:
        yield f"by {item.rule}"


def _rows(items: Sequence[Reference], path: str, show: Callable[[str], str]) -> Iterator[str]:
    """Writes a row for each line, which says so if it contains the name several times."""
    for _, same in groupby(
        items, key=lambda item: (item.line, item.container, item.role, item.text)
    ):
        item, *repeats = same
        container = f" {code_span(without_folders(item.container, path))}" if item.container else ""
        words = [item.role] if item.role in _SHOWN_ROLES else []
        words += [f"{1 + len(repeats)} times"] if repeats else []
        words += _how_sure(item)
        remarks = f" ({', '.join(words)})" if words else ""
        yield f"- {item.line}{container}{remarks}: {code_span(show(' '.join(item.text.split())))}"


def _scopes(items: Sequence[Reference], path: str, show: Callable[[str], str]) -> Iterator[str]:
    """Writes a row for each enclosing symbol, with its lines."""
    for container, same in groupby(items, key=lambda item: item.container):
        item, *repeats = same
        words = f" {code_span(without_folders(container, path))}" if container else ""
        words += f" ({remarks})" if (remarks := ", ".join(_how_sure(item))) else ""
        words += other_lines(
            list(
                dict.fromkeys(
                    reference.line for reference in repeats if reference.line != item.line
                )
            )
        )
        yield f"- {item.line}{words}: {code_span(show(' '.join(item.text.split())))}"


def _why_nothing(response: ReferencesResponse) -> str:
    if response.at_least:
        return "> No more references."
    if (
        response.roles or response.narrowed or response.unknown
    ):  # the name occurs, but with other roles, or perhaps for another symbol
        roles = ", ".join(count_of(count, role) for role, count in response.roles.items())
        narrowed = f"{response.narrowed:,} that mean something else" if response.narrowed else ""
        unknown = (
            f"{response.unknown:,} with a receiver of unknown type" if response.unknown else ""
        )
        kind = (
            "has that role"
            if response.request.role not in (UNSET, None)
            else "certainly means this symbol"
        )
        left_out = ", ".join(filter(None, [roles, narrowed, unknown]))
        return f"> No reference {kind}; left out: {left_out}."
    return "> No reference has that name." + (
        f" {nearest_names(response.suggestions)}" if response.suggestions else ""
    )
