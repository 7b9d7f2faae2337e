"""The jobs of workers, called in this process: parsing, documents in editors, added content, dumps;
and how files are given to workers, tried again and put in order."""

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import RequestError, StorageError
from symindex.extract.languages.registry import load_languages, pack_languages
from symindex.extract.records import FileSymbols, ReadTask
from symindex.files.skips import SkipReason
from symindex.text.decoding import decode
from symindex.workers import added_text, document_job, dump, many_trees, parse_job, parsing
from symindex.workers.added_text import Converter, GivenUpError
from symindex.workers.child import Cause, Exit
from symindex.workers.document_messages import (
    Ask,
    Change,
    Close,
    DocumentsSetup,
    Message,
    Open,
    ParsedDocument,
    Word,
)
from symindex.workers.framing import Job
from symindex.workers.many_trees import TreeTasks, read_trees
from symindex.workers.parsing import Batch, Parsing, _Batches
from tests.support.files import write_files
from tests.support.pdf import pdf_of


@pytest.fixture(autouse=True)
def _collects() -> Iterator[None]:
    """A job turns garbage collection off in its process."""
    yield
    gc.enable()


def parser(max_file_bytes: int = 1_000_000) -> Callable[..., dict[str, FileSymbols]]:
    """Makes the parsing job; it answers a folder and paths."""
    job = parsing.parse_job(load_languages(check=False), max_file_bytes, 5.0)
    assert (job.module, job.processor_seconds) == ("symindex.workers.parse_job", 5.0)
    handle = parse_job.prepare(job.setup)

    def parse(root: Path, *paths: str) -> dict[str, FileSymbols]:
        sent: list[bytes] = []
        order = parse_job.Parse(os.fsencode(root), [ReadTask(path) for path in paths])
        handle(msgspec.msgpack.encode(order), sent.append)
        results = [decode(answer, FileSymbols) for answer in sent]
        assert [result.path for result in results] == list(paths)
        return {result.path: result for result in results}

    return parse


def test_the_symbols_of_a_file_may_take_forty_times_its_size_and_a_megabyte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"a.py": "def one(): pass\n"})
    parse = parser()
    result = parse(tmp_path, "a.py")["a.py"]
    assert [symbol.name for symbol in result.symbols] == ["one"]
    n_bytes = len(msgspec.msgpack.encode(result))
    for most, is_kept in ((n_bytes, True), (n_bytes - 1, False)):
        monkeypatch.setattr(parse_job, "LEAST_ANSWER_BYTES", most - 40 * result.size)
        (left,) = parse(tmp_path, "a.py").values()
        assert (left.skip == "") is is_kept
        if not is_kept:
            assert left.skip == SkipReason.MEMORY and len(left.symbols) == 0
            assert left.detail == f"symbols of {n_bytes:,} bytes" and left.size == result.size


def test_a_file_for_which_python_has_no_memory_costs_itself_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import symindex.extract.read as read

    write_files(tmp_path, {"a.py": "def one(): pass\n", "b.py": "def two(): pass\n"})
    really = read.read_file

    def read_file(tree: Any, task: ReadTask, *rest: Any) -> FileSymbols:
        if task.path == "a.py":
            raise MemoryError
        return really(tree, task, *rest)

    monkeypatch.setattr(read, "read_file", read_file)
    results = parser()(tmp_path, "a.py", "b.py")
    assert (results["a.py"].skip, results["a.py"].detail) == (SkipReason.MEMORY, "")
    assert [symbol.name for symbol in results["b.py"].symbols] == ["two"]
    assert not gc.isenabled()


TASKS = st.lists(
    st.tuples(st.sampled_from(["a.py", "b.go", "c.PY", "d"]), st.integers(0, 300_000)), max_size=30
)


@settings(max_examples=30)
@given(TASKS, st.lists(st.integers(0, 3), min_size=60, max_size=60))
def test_every_file_is_given_to_one_worker(named: list[tuple[str, int]], slots: list[int]) -> None:
    """A batch has files of one extension, largest first; a worker changes its extension when none of
    it is left."""
    tasks = [(ReadTask(f"{number}/{name}"), size) for number, (name, size) in enumerate(named)]
    sizes = {task.path: size for task, size in tasks}
    batches = _Batches(Path("/r"), tasks)
    given_out: list[str] = []
    last: dict[int, str] = {}
    assert batches.is_ended
    for slot in slots:
        batch = batches.next_for(slot)
        if batch is None:
            break
        paths = [task.path for task in batch.left]
        endings = {os.path.splitext(path)[1].lower() for path in paths}
        assert (batch.tree, batch.root) == (0, Path("/r")) and len(endings) == 1
        (ending,) = endings
        left = {os.path.splitext(path)[1].lower() for path in set(sizes) - {*given_out}}
        if slot in last and last[slot] in left:
            assert ending == last[slot]
        last[slot] = ending
        assert [(-sizes[path], path) for path in paths] == sorted(
            (-sizes[path], path) for path in paths
        )
        assert len(paths) == 1 or sum(sizes[path] for path in paths) <= 400_000
        given_out += paths
    assert len(given_out) == len({*given_out})
    assert batches.next_for(0) is None and sorted(given_out) == sorted(sizes)


def parsing_pool(root: Path, paths: list[str]) -> tuple[Parsing, Batch]:
    job = Job("symindex.workers.parse_job", b"", 5.0)
    pool = Parsing(job, 1, _Batches(root, []))
    assert pool._slots[0]._answer_seconds == 30.0  # six times the processor time, by the clock
    return pool, Batch(7, root, [ReadTask(path) for path in paths])


@pytest.mark.parametrize(
    ("cause", "n_tries", "reason"),
    [
        (Cause.CRASHED, 2, SkipReason.CRASHED),
        (Cause.KILLED, 4, SkipReason.KILLED),
        (Cause.OUT_OF_TIME, 1, SkipReason.TIME_LIMIT),
        (Cause.OUT_OF_MEMORY, 1, SkipReason.MEMORY),
    ],
)
def test_how_often_a_file_is_tried(
    cause: Cause, n_tries: int, reason: SkipReason, tmp_path: Path
) -> None:
    """Crashes are counted for each file of each folder."""
    write_files(tmp_path, {"a.py": "x", "b.py": ""})
    pool, batch = parsing_pool(tmp_path, ["a.py", "b.py"])
    another = Batch(8, tmp_path, [ReadTask("a.py")] * 9)
    for number in range(n_tries):
        assert batch.left[0].path == "a.py"
        results = pool.lose(batch, Exit(cause, "signal 11"))
        if number + 1 < n_tries:
            assert results == [] and [task.path for task in batch.left] == ["b.py", "a.py"]
            assert pool.lose(another, Exit(cause, "signal 11")) == []
            batch.left.rotate(1)
    assert [task.path for task in batch.left] == ["b.py"]
    ((tree, result),) = results
    assert (tree, result.path, result.skip, result.size) == (7, "a.py", reason, 1)
    assert result.detail == {"TIME_LIMIT": "5 s", "MEMORY": "1,000 MB", "CRASHED": "signal 11"}.get(
        reason.name, ""
    )


@pytest.mark.parametrize(
    ("n_files", "n_asked", "n_cores", "n_workers"),
    [(1, None, 8, 1), (40, None, 8, 1), (41, None, 8, 2), (81, None, 8, 3), (1000, None, 2, 2), (1000, 3, 2, 3), (1000, 0, 2, 2)],
)  # fmt: skip
def test_a_worker_is_started_for_forty_files(
    n_files: int, n_asked: int | None, n_cores: int, n_workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Started(Exception):
        pass

    def start(job: Job, n_slots: int, *_: object) -> None:
        raise Started(n_slots)

    monkeypatch.setattr(parsing, "Parsing", start)
    monkeypatch.setattr(parsing, "usable_cores", lambda: n_cores)
    tasks = [(ReadTask(f"{number}.py"), 1) for number in range(n_files)]
    with pytest.raises(Started) as caught:
        parsing.read_files(Path("/r"), tasks, max_file_bytes=9, file_seconds=1.0, n_workers=n_asked)
    assert caught.value.args == (n_workers,)
    assert parsing.read_files(Path("/r"), [], max_file_bytes=9, file_seconds=1.0) == []


class FakeParsing(SimpleNamespace):
    """A pool that reads each file at once, and hands over one batch at a time."""

    def __init__(self, job: Job, n_slots: int, source: Any, spare: Any = None) -> None:
        import threading

        super().__init__(source=source, n_slots=n_slots, changed=threading.Condition())

    def __enter__(self) -> "FakeParsing":
        return self

    def __exit__(self, *_: object) -> None: ...

    def results(self, tick_seconds: float) -> Iterator[list[tuple[int, FileSymbols]]]:
        yield []
        while (batch := self.source.next_for(0)) is not None or not self.source.is_ended:
            if batch is None:
                yield []
                continue
            yield [(batch.tree, FileSymbols(task.path, 0, 0)) for task in reversed(batch.left)]


def test_files_are_returned_in_the_order_of_their_tasks_or_handed_over_as_they_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parsing, "Parsing", FakeParsing)
    tasks = [
        (ReadTask(f"{number}.{'py' if number % 2 else 'go'}"), number) for number in range(150)
    ]
    done: list[int] = []
    began: list[str] = []
    results = parsing.read_files(
        Path("/r"), tasks, max_file_bytes=9, file_seconds=1.0,
        progress=done.append, meanwhile=lambda: began.append("once"),
    )  # fmt: skip
    assert [result.path for result in results] == [task.path for task, _ in tasks]
    assert done == sorted(done) and done[-1] == 150 and 0 not in done and began == ["once"]
    taken: list[str] = []
    rest = parsing.read_files(
        Path("/r"), tasks, max_file_bytes=9, file_seconds=1.0,
        take=lambda some: taken.extend(result.path for result in some),
    )  # fmt: skip
    assert rest == [] and sorted(taken) == sorted(task.path for task, _ in tasks)


SIZES = st.lists(st.lists(st.integers(0, 500_000), max_size=4), max_size=6)


@settings(max_examples=30)
@given(SIZES, st.sampled_from([0, 1, 400_000, 8_000_000]))
def test_the_files_of_each_folder_are_returned_together_and_in_order(
    folders: list[list[int]], ahead: int
) -> None:
    trees = [
        TreeTasks(
            Path(f"/{number}"),
            [(ReadTask(f"{file_number}.py"), size) for file_number, size in enumerate(sizes)],
        )
        for number, sizes in enumerate(folders)
    ]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(many_trees, "Parsing", FakeParsing)
        patched.setattr(many_trees, "AHEAD_BYTES", max(ahead, 1))
        languages = load_languages(check=False)
        results = list(read_trees(trees, languages=languages, max_file_bytes=9, file_seconds=1.0))
    assert {number: [result.path for result in some] for number, some in results} == {
        number: [f"{file_number}.py" for file_number in range(len(sizes))]
        for number, sizes in enumerate(folders)
    }
    assert len(results) == len(folders)


def test_folders_are_taken_as_long_as_little_waits() -> None:
    """A folder begins when less than the limit is waiting, so memory does not grow with their
    number."""
    begun: list[int] = []

    def trees() -> Iterator[TreeTasks]:
        for number in range(6):
            begun.append(number)
            yield TreeTasks(Path(f"/{number}"), [(ReadTask("a.py"), 4_000_000)])

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(many_trees, "Parsing", FakeParsing)
        results = read_trees(
            trees(), languages=load_languages(check=False), max_file_bytes=9, file_seconds=1.0
        )
        assert next(results)[0] == 0
        assert begun == [0, 1]
        assert [number for number, _ in results] == [1, 2, 3, 4, 5]


class Here(Converter):
    """Converts in this process."""

    def _answers(self, slot: object, order: Any) -> Iterator[bytes]:
        sent: list[bytes] = []
        added_text.prepare(b"")(msgspec.msgpack.encode(order), sent.append)
        return iter(sent)


def converted(
    data: bytes, name: str = "x.md", title: str = "label"
) -> list[tuple[str, str, int, bool]]:
    return [*Here().convert(data, name, "", title).chunks()]


def test_added_text_becomes_chunks_with_titles_and_lines() -> None:
    text = b"---\ntags: [a]\n---\nopening\n\n# One\n\nwords\n\n```\ncode\n```\n"
    read = Here().convert(text, "x.md", "", "label")
    assert read.facts == {"tags": ["a"]}
    assert [*read.chunks()] == [
        ("label", "opening\n\n", 4, False),
        ("One", "# One\n\nwords\n\n```\ncode\n```\n", 6, False),
    ]
    assert converted(b"---\na: 1\n---\nwords", "x.txt") == [
        ("label", "---\na: 1\n---\nwords", 1, False)
    ]
    assert converted(b"") == []
    page = b"<html><head><title>Own  title</title></head><body><p>words</p></body></html>"
    ((title, _, line, _),) = converted(page, "x.html")
    assert (title, line) == ("Own title", 1)


def test_chunks_are_sent_in_answers_of_a_megabyte(monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"".join(b"# H%d\n\nwords\n\n" % number for number in range(10))
    whole = converted(text)
    length = len(whole[0][1])
    for most, sizes in ((length - 1, [1] * 10), (length, [2] * 5), (10**6, [10])):
        monkeypatch.setattr(added_text, "_FRAME_BYTES", most)
        sent: list[bytes] = []
        order = added_text._TextOrder(text, "x.md", "", "label")
        added_text._convert(msgspec.msgpack.encode(order), sent.append)
        batches = [decode(answer, list[added_text.ConvertedChunk]) for answer in sent[1:]]
        assert [len(batch) for batch in batches] == sizes
        assert [chunk for batch in batches for chunk in batch] == whole


@pytest.mark.parametrize(
    ("constant", "limit", "text", "message"),
    [
        ("MOST_BYTES", 19, b"# A\n\none\n\n# B\n\ntwo\n", ""),
        (
            "MOST_BYTES",
            18,
            b"# A\n\none\n\n# B\n\ntwo\n",
            "x.md: is more than 18 bytes of text; divide it",
        ),
        ("MOST_CHUNKS", 2, b"# A\n\none\n\n# B\n\ntwo\n", ""),
        (
            "MOST_CHUNKS",
            1,
            b"# A\n\none\n\n# B\n\ntwo\n",
            "x.md: is more than 1 passages of text; divide it",
        ),
    ],
)
def test_added_text_that_is_too_long_is_refused(
    constant: str, limit: int, text: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(added_text, constant, limit)
    if not message:
        assert len(converted(text)) == 2
        return
    with pytest.raises(RequestError) as caught:
        converted(text)
    assert str(caught.value) == message
    with pytest.raises(RequestError) as caught:
        converted(text, "n" * 90 + ".md")
    assert str(caught.value).startswith("n" * 80 + "…: is more than")


def test_a_fault_of_a_reader_is_told_and_a_lack_of_memory_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faults: list[Exception] = [KeyError("x"), MemoryError(), KeyError("x")]

    def fail(*_: object) -> None:
        raise faults.pop(0)

    monkeypatch.setattr(added_text, "to_text", fail)
    with pytest.raises(RequestError) as caught:
        converted(b"x")
    assert str(caught.value) == "x.md: cannot be read (KeyError); add plain text of it instead"
    with pytest.raises(MemoryError):
        converted(b"x")
    with pytest.raises(RequestError, match="label: cannot be read"):
        converted(b"x", name="")


class FakeSlot:
    """Records the limits of each worker, and ends as told."""

    made: Final[list["FakeSlot"]] = []
    exit: Exit | None = None

    def __init__(self, job: Job, seconds: float) -> None:
        self.job, self.seconds, self.is_closed = job, seconds, False
        FakeSlot.made.append(self)

    def ask(self, order: bytes) -> Iterator[bytes]:
        yield msgspec.msgpack.encode(added_text._FirstAnswer())

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def slots(monkeypatch: pytest.MonkeyPatch) -> list[FakeSlot]:
    FakeSlot.made.clear()
    monkeypatch.setattr(FakeSlot, "exit", None)
    monkeypatch.setattr(added_text, "Slot", FakeSlot)
    return FakeSlot.made


def test_a_text_has_ten_seconds_a_pdf_a_minute_and_another_limit_another_process(
    slots: list[FakeSlot],
) -> None:
    converter = Converter()
    converter.convert(b"a", "a", "", "")
    converter.convert(b"b", "b", "", "")
    converter.convert(pdf_of("x", 1), "c", "", "")
    converter.convert(b"d", "d", "", "", seconds=3.0)
    converter.convert(pdf_of("x", 1), "e", "", "", seconds=3.0)
    limits = [(slot.job.processor_seconds, slot.seconds, slot.is_closed) for slot in slots]
    assert limits == [(10.0, 20.0, True), (60.0, 120.0, True), (3.0, 6.0, False)]
    assert {slot.job.most_memory for slot in slots} == {1_000_000_000}
    converter.close()
    converter.close()
    assert slots[-1].is_closed


@pytest.mark.parametrize(
    ("end", "error", "message"),
    [
        (
            Exit(Cause.OUT_OF_TIME, "signal 9"),
            GivenUpError,
            "page: gave no answer within the time limit (10 s): it cannot be added as it is; divide it, or make plain text of it",
        ),
        (
            Exit(Cause.CRASHED, "signal 11"),
            GivenUpError,
            "page: crashed the process that parsed it (signal 11): it cannot be added as it is; divide it, or make plain text of it",
        ),
        (
            Exit(Cause.KILLED, "signal 15"),
            StorageError,
            "page: not read yet: the process that parsed it was killed: try again",
        ),
    ],
)
def test_what_is_said_of_a_text_whose_process_ends(
    end: Exit,
    error: type[Exception],
    message: str,
    slots: list[FakeSlot],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(FakeSlot, "exit", end)
    for name, title in (("page", "label"), ("", "page")):
        with pytest.raises(error) as caught:
            list(Converter().convert(b"x", name, "", title).chunks())
        assert str(caught.value) == message


class Documents:
    """The job of open documents, in this process."""

    def __init__(self, encoding: Any = "utf-16", max_file_bytes: int = 1_000_000) -> None:
        setup = DocumentsSetup(
            pack_languages(load_languages(check=False)), max_file_bytes, encoding
        )
        self._handle = document_job.prepare(msgspec.msgpack.encode(setup))

    def tell(self, *messages: Message) -> list[bytes]:
        sent: list[bytes] = []
        self._handle(msgspec.msgpack.encode(list(messages)), sent.append)
        return sent

    def symbols(self, *messages: Message, key: str = "k") -> ParsedDocument:
        (answer,) = self.tell(*messages, Ask(key, "symbols"))
        return decode(answer, ParsedDocument)

    def word(self, line: int, column: int) -> Word:
        (answer,) = self.tell(Ask("k", "word", (line, column)))
        return decode(answer, Word)


def opened(text: str, path: str = "a.py", language: str = "python") -> Open:
    return Open("k", path, language, text.encode())


SOURCE: Final = "class A:\n    def café(self): pass\n\ndef b(): pass\n"


def test_documents_are_edited_asked_and_closed_one_by_one() -> None:
    documents = Documents()
    assert documents.tell(opened(SOURCE), Open("l", "b.py", "", b"def other(): pass\n")) == []
    parsed = documents.symbols()
    assert [(symbol.name, spot.parent) for symbol, spot in parsed.everything] == [
        ("A", -1), ("café", 0), ("b", -1)
    ]  # fmt: skip
    assert parsed.spots[1][:4] == ((1, 4), (1, 24), (1, 8), (1, 12))
    assert not parsed.is_prose and parsed.outline == [*parsed.everything]
    changed = documents.symbols(Change("k", (3, 4), (3, 5), b"changed"))
    assert [symbol.name for symbol, _ in changed.everything] == ["A", "café", "changed"]
    (text,) = documents.tell(Ask("k", "text"))
    assert decode(text, bytes).decode() == SOURCE.replace("b()", "changed()")
    assert documents.symbols(Change("k", None, None, b""), key="k").spots == []
    assert [symbol.name for symbol, _ in documents.symbols(key="l").everything] == ["other"]
    documents.tell(Close("l"))
    with pytest.raises(KeyError):
        documents.symbols(key="l")


def test_the_word_of_the_editor_is_used_where_the_path_does_not_tell() -> None:
    documents = Documents()
    source = "def b(): pass\n"
    for path, language, names in (
        ("Untitled-1", "python", ["b"]),
        ("Untitled-1", "unheard of", []),
        ("a.go", "python", []),
        ("a.py", "go", ["b"]),
    ):
        parsed = documents.symbols(opened(source, path, language))
        assert [symbol.name for symbol, _ in parsed.everything] == names, (path, language)
    parsed = documents.symbols(opened("# Title\n", "Untitled-2", "markdown"))
    assert [row.name for row, _ in parsed.everything] == ["Title"] and parsed.is_prose


def test_a_document_at_the_size_limit_is_read_and_one_past_it_is_not() -> None:
    source = "def b(): pass\n"
    exact = Documents(max_file_bytes=len(source)).symbols(opened(source))
    assert [symbol.name for symbol, _ in exact.everything] == ["b"] and exact.file.digest
    past = Documents(max_file_bytes=len(source) - 1).symbols(opened(source))
    assert past.spots == [] and past.file.skip == SkipReason.TOO_LARGE
    assert past.file.detail == f"more than {len(source) - 1:,} bytes"


def test_the_outline_of_a_page_is_its_headings_and_of_data_its_named_items() -> None:
    page = "---\nname: skill\ndescription: d\n---\n# One\n\nSetext\ntwo lines\n===\n\n## Inner\n"
    parsed = Documents().symbols(opened(page, "SKILL.md", "markdown"))
    assert parsed.is_prose
    rows = [(row.name, spot.parent) for row, spot in parsed.outline]
    assert rows == [("One", -1), ("Setext two lines", -1), ("Inner", 1)]
    spot = parsed.outline[1][1]
    assert (spot.name_start, spot.name_end) == ((6, 0), (6, 6))
    assert all(row.kind == "section" for row, _ in parsed.outline)


WORDS: list[tuple[int, str, list[str]]] = [
    (0, "Auth", []),
    (4, "Auth", []),
    (5, "Service", ["Auth"]),
    (12, "Service", ["Auth"]),
    (14, "größe", ["Auth", "Service"]),
    (19, "größe", ["Auth", "Service"]),
    (20, "x1$", []),
    (23, "x1$", []),
    (24, "", []),
    (25, "", []),
    (28, "", []),
    (99, "a", []),
]


@pytest.mark.sample(11)
@pytest.mark.parametrize(("column", "name", "qualifiers"), WORDS)
def test_the_word_at_a_place_or_before_it(column: int, name: str, qualifiers: list[str]) -> None:
    documents = Documents("utf-32")
    text = "Auth.Service::größe(x1$, 1a) a"
    documents.tell(opened(f"\n{text}\n"))
    word = documents.word(1, column)
    assert (word.name, word.qualifiers) == (name, qualifiers)
    if name:
        start = text.index(name)
        start = len(text) - 1 if column == 99 else start
        assert (word.start, word.end) == ((1, start), (1, start + len(name)))
    else:
        assert word.start == word.end == (1, column)


def test_what_a_dump_says_of_a_file(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "def one(): pass\n", "b.nothing": "x"})

    def dumped(name: str, *rest: Any) -> dump._Dump:
        sent: list[bytes] = []
        order = dump._DumpOrder(os.fsencode(tmp_path / name), *rest)
        dump.prepare(b"")(msgspec.msgpack.encode(order), sent.append)
        (answer,) = sent
        return decode(answer, dump._Dump)

    symbols = dumped("a.py", None).symbols
    assert symbols is not None and [symbol.name for symbol in symbols] == ["one"]
    tree = dumped("a.py", None, True)
    assert tree.symbols is None and "(function_definition" in tree.tree and "(def)" not in tree.tree
    assert "(def)" in dumped("a.py", None, True, True).tree
    assert "(function_definition" in dumped("a.py", None, True, False, "python").tree
    assert dumped("a.py", "go").error == "" and dumped("a.py", "go").symbols == []
    for rest in ((None,), (None, True)):
        assert dumped("none.py", *rest).error == (
            f"{tmp_path}/none.py: No such file or directory; name a source file"
        )
    assert "b.nothing" in dumped("b.nothing", None).error


@pytest.mark.parametrize("room", [0, -1])
def test_a_dump_at_its_limit_is_whole(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"a.py": "def one(): pass\n"})
    order = dump._DumpOrder(os.fsencode(tmp_path / "a.py"), None)
    whole = dump._dumped(order)
    monkeypatch.setattr(dump, "MOST_ANSWER_BYTES", len(whole) + room)
    error = decode(dump._dumped(order), dump._Dump).error
    assert error == (
        f"{tmp_path}/a.py: what its queries find takes more than {len(whole) - 1:,} bytes"
        if room
        else ""
    )


def test_a_check_names_each_language_before_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def check(folders: Any, begin: Callable[[str], None]) -> Iterator[dump.CheckLine]:
        asked.append(folders)
        begin("one")
        yield dump.CheckLine("one: ok", False)
        begin("two")
        yield dump.CheckLine("two: broken", True)

    monkeypatch.setattr(dump, "check_languages", check)
    for folders in (None, [b"/a", b"/b\xff"]):
        sent: list[bytes] = []
        handle = dump.prepare(dump.CHECK)
        handle(msgspec.msgpack.encode(dump._CheckOrder(folders)), sent.append)
        answers = [decode(answer, dump._CheckAnswer) for answer in sent]
        assert [answer.begins or answer.line for answer in answers] == [
            "one", dump.CheckLine("one: ok", False), "two", dump.CheckLine("two: broken", True)
        ]  # fmt: skip
    assert asked == [None, [Path("/a"), Path(os.fsdecode(b"/b\xff"))]]


class EndedSlot:
    """A worker that ends at its order, after some answers."""

    answers: tuple[bytes, ...] = ()
    exit: Exit | None = Exit(Cause.CRASHED, "signal 11")
    made: Final[list["EndedSlot"]] = []

    def __init__(self, job: Job, seconds: float) -> None:
        assert (job.processor_seconds, seconds) == (10.0, 60.0)
        self.is_closed = False
        EndedSlot.made.append(self)

    def ask(self, order: bytes) -> Iterator[bytes]:
        yield from self.answers

    def close(self) -> None:
        self.is_closed = True


def test_what_is_said_when_the_process_of_a_dump_or_a_check_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dump, "Slot", EndedSlot)
    for see in (
        lambda: dump.see_symbols(Path("a.py"), None),
        lambda: dump.see_tree(Path("a.py"), None, False),
    ):
        with pytest.raises(RequestError) as caught:
            see()
        assert str(caught.value) == "a.py: crashed the process that parsed it (signal 11)"
    assert [line for line in dump.check_apart(None)] == [
        dump.CheckLine(
            "symindex: cannot be checked: crashed the process that parsed it (signal 11);"
            " the languages after it were not checked",
            True,
        )
    ]
    answers = (
        dump._CheckAnswer(begins="one"),
        dump._CheckAnswer(dump.CheckLine("one: ok", False)),
        dump._CheckAnswer(begins="two"),
    )
    monkeypatch.setattr(EndedSlot, "answers", tuple(map(msgspec.msgpack.encode, answers)))
    monkeypatch.setattr(EndedSlot, "exit", Exit(Cause.KILLED, "signal 9"))
    first, last = dump.check_apart([Path("/a")])
    assert first.text == "one: ok"
    assert last.text == (
        "two: cannot be checked: not read yet: the process that parsed it was killed;"
        " the languages after it were not checked"
    )
    monkeypatch.setattr(EndedSlot, "exit", None)
    assert [line.text for line in dump.check_apart(None)] == ["one: ok"]
    answer = dump._Dump(error="a.py: refused")
    monkeypatch.setattr(EndedSlot, "answers", (msgspec.msgpack.encode(answer),))
    with pytest.raises(RequestError, match=r"^a\.py: refused$"):
        dump.see_symbols(Path("a.py"), None)
    assert all(slot.is_closed for slot in EndedSlot.made)
