"""The addresses of pages: what they mean, and that they come back as they were made."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.serve.web.addresses import (
    Address,
    address_of,
    parse,
    search_address,
    symbol_address,
    with_parameters,
)


@pytest.mark.parametrize(
    ("raw", "meaning"),
    [
        (b"/", None),
        (b"/search", Address("search")),
        (b"/-/help", None),
        (b"/app/-/", Address("app")),
        (b"/app", Address("app")),
        (b"/app/", Address("app")),
        (b"/app/-/src/a.py", Address("app", path="src/a.py")),
        (b"/app/-/src/", Address("app", path="src")),
        (b"/host/owner/app/-/a.py", Address("host/owner/app", path="a.py")),
        (b"/app@v1.2/-/a.py", Address("app", "v1.2", "a.py")),
        (b"/app@feature/x/-/a.py", Address("app", "feature/x", "a.py")),
        (b"/a@b@v1/-/a.py", Address("a@b", "v1", "a.py")),
        (b"/app@--help/-/a.py", Address("app@--help", path="a.py")),
        (b"/app/-/symbol/a.py%23A.b", Address("app", symbol="a.py#A.b")),
        (b"/app/-/symbol/a.py%23A.b~2", Address("app", symbol="a.py#A.b~2")),
        (b"/app/-/symbol/a.py", Address("app", path="symbol/a.py")),
        (b"/app/-//symbol/a%23b.py", Address("app", path="symbol/a#b.py")),
        (b"/app/-/a%2fb.py", Address("app", path="a/b.py")),
        (b"/app/-/%ff.py", Address("app", path="\udcff.py")),
        (b"/app/-/a%20b.py", Address("app", path="a b.py")),
        (b"/app/-/x/-/y", Address("app", path="x/-/y")),
    ],
)
def test_an_address_means(raw: bytes, meaning: Address | None) -> None:
    assert parse(raw) == meaning


@pytest.mark.parametrize(
    "raw",
    [
        b"/app/-/../x",
        b"/app/-/..%2fx",
        b"/app/-/%2e%2e/x",
        b"/app/-/a/..",
        b"/app/-/a%00b",
    ],
)
def test_no_address_leads_out_of_its_repository(raw: bytes) -> None:
    with pytest.raises(RequestError, match="leads out of the repository"):
        parse(raw)


PATHS = st.lists(
    st.text(
        st.characters(exclude_characters="/\0", exclude_categories=()), min_size=1, max_size=8
    ).filter(
        lambda part: (
            part != ".."
            and not any("\ud800" <= c < "\udc80" or "\udd00" <= c < "\ue000" for c in part)
        )
    ),
    min_size=1,
    max_size=4,
).map("/".join)


@given(PATHS, st.sampled_from(["", "v1", "0123abcd"]))
def test_the_address_of_a_path_comes_back(path: str, commit: str) -> None:
    try:
        known = path.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return  # no file has this name
    raw = address_of("app", path, commit=commit).encode("ascii")
    assert parse(raw) == Address("app", commit, known)


@given(
    PATHS,
    st.text(min_size=1, max_size=8).filter(lambda name: "\0" not in name and "/../" not in name),
)
def test_the_address_of_a_symbol_comes_back(path: str, name: str) -> None:
    symbol = f"{path}#{name}"
    if ".." in symbol.split("/"):
        return
    try:
        known = symbol.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return
    assert parse(symbol_address("app", symbol).encode("ascii")) == Address("app", symbol=known)


def test_parameters_are_encoded_and_empty_ones_left_out() -> None:
    assert search_address("a&b #", page=None, role="") == "/search?q=a%26b+%23"
    assert with_parameters({}) == ""
    assert search_address("\udcff") == "/search?q=%FF"
