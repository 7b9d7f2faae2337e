"""Added content is converted within limits of time and memory, in its own process, and the answer
is bounded."""

import os
import signal
from collections.abc import Iterator

import msgspec
import pytest

from symindex.errors import RequestError, StorageError
from symindex.extract.documents.chunks import MOST_BYTES, MOST_TITLE
from symindex.extract.documents.nesting import TITLE_CHARACTERS
from symindex.text.decoding import decode
from symindex.workers import added_text
from symindex.workers.added_text import ConvertedChunk, Converter, GivenUpError
from symindex.workers.memory_limit import MEMORY_VARIABLE
from symindex.workers.pool import Slot
from tests.support.pdf import pdf_of


@pytest.fixture
def converter() -> Iterator[Converter]:
    converter = Converter()
    yield converter
    converter.close()


def chunks(converter: Converter, data: bytes, name: str) -> list[ConvertedChunk]:
    return [*converter.convert(data, name, "", "label").chunks()]


@pytest.mark.nightly
def test_a_text_and_its_metadata(converter: Converter) -> None:
    read = converter.convert(
        b"---\ntags: [a, b]\n---\nopening\n\n# One\n\nwords\n", "x.md", "", "label"
    )
    assert read.facts == {"tags": ["a", "b"]}
    assert [*read.chunks()] == [
        ("label", "opening\n\n", 4, False),
        ("One", "# One\n\nwords\n", 6, False),
    ]
    with pytest.raises(RequestError, match="is binary"):
        converter.convert(b"\0", "x.bin", "", "label")
    assert chunks(converter, b"still there", "x") == [("label", "still there", 1, False)]


@pytest.mark.nightly
def test_a_bomb_of_time_is_given_up_and_the_next_text_read(
    converter: Converter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(added_text, "PDF_SECONDS", 0.8)
    with pytest.raises(
        GivenUpError,
        match=r"^bomb\.pdf: gave no answer within the time limit \(0\.8 s\): .*divide it",
    ) as caught:
        chunks(converter, pdf_of("words", 200_000), "bomb.pdf")
    assert "\n" not in str(caught.value)
    assert chunks(converter, b"alpha", "x") == [("label", "alpha", 1, False)]


@pytest.mark.nightly
def test_a_bomb_of_memory_is_given_up(
    converter: Converter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MEMORY_VARIABLE, "100")
    with pytest.raises(GivenUpError, match=r"^big\.html: .*100 MB"):
        chunks(converter, b"<html>" + b"<p>" * 3_000_000 + b"a" * 20_000_000, "big.html")


def test_a_failing_reader_is_reported_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("of a text")

    monkeypatch.setattr(added_text, "to_text", fail)
    answers: list[bytes] = []
    added_text.prepare(b"")(
        msgspec.msgpack.encode(added_text._TextOrder(b"", "x.md", "", "label")), answers.append
    )
    assert decode(answers[0], added_text._FirstAnswer).error.startswith(
        "x.md: cannot be read (ValueError)"
    )


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_a_killed_process_does_not_condemn_its_text(converter: Converter) -> None:
    read = converter.convert(b"# T\n\nwords\n" * 30_000, "x.md", "", "label")
    assert isinstance(converter._slot, Slot) and converter._slot._process is not None
    os.kill(converter._slot._process._process.pid, signal.SIGKILL)
    with pytest.raises(StorageError, match="try again"):
        list(read.chunks())


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"<html><title>" + b"t " * 500_000 + b"</title>" + b"<p>words</p>" * 3_000, "x.html"),
        (
            b"".join(b"#" * level + b" " + b"t" * 199 + b"\n" for level in range(1, 7))
            + b"words\n\n" * 3_000,
            "x.md",
        ),
        (b'{"' + b"k" * 1_000_000 + b'": {"b": [' + b"1," * 5_000 + b"1]}}", "x.json"),
    ],
    ids=["title", "headings", "key"],
)
def test_titles_and_texts_are_bounded(converter: Converter, data: bytes, name: str) -> None:
    titled_chunks = chunks(converter, data, name)
    assert titled_chunks
    assert all(
        len(title) <= MOST_TITLE and len(text.encode()) <= MOST_BYTES
        for title, text, _, _ in titled_chunks
    )
    if name == "x.html":
        assert {len(title) for title, *_ in titled_chunks} == {TITLE_CHARACTERS}


def test_more_chunks_than_are_kept_are_refused(
    converter: Converter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(added_text, "MOST_CHUNKS", 20)
    convert = added_text.prepare(b"")
    for n_chunks, is_refused in ((20, False), (21, True)):
        answers: list[bytes] = []
        text = b"# T\n\nwords\n" * n_chunks
        convert(
            msgspec.msgpack.encode(added_text._TextOrder(text, "x.md", "", "label")), answers.append
        )
        error = decode(answers[0], added_text._FirstAnswer).error
        assert ("more than 20 passages" in error, len(answers)) == (
            is_refused,
            1 if is_refused else 2,
        )
