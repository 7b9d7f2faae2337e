"""Static embedding models: folders as they are published, those that are none, and the answers that
they change.

Each test runs with a small library that divides at spaces, and again with the real one where the
extra `vectors` is installed.
"""

import json
import os
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.protocol.recall import TextResponse
from symindex.recall.chunks import vectors
from symindex.recall.chunks.static_model import StaticModel, files_in, read_model
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.workspace.request_fields import TextFields
from symindex.workspace.workspace import Workspace
from tests.support.command import run, run_program
from tests.support.files import write_files
from tests.support.static_models import library, safetensors, tokenizer_of, write_model

HAS_EXTRA = find_spec("tokenizers") is not None
NO_EXTRA = "needs the extra `vectors`: pip install wordllama"

WORDS = {"north": (0, 1), "east": (1, 0), "south": (0, -1)}


@pytest.fixture(
    params=[
        "small",
        pytest.param("real", marks=pytest.mark.skipif(not HAS_EXTRA, reason=NO_EXTRA)),
    ],
)
def _library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library that divides texts."""
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    if request.param == "small":
        monkeypatch.setitem(sys.modules, "tokenizers", library())


with_library = pytest.mark.usefixtures("_library")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path / "model", WORDS)


def model(folder: Path) -> StaticModel:
    return read_model(files_in(folder))


def embedded(folder: Path, *texts: str) -> list[list[float]]:
    rounded: list[list[float]] = model(folder).embed(texts).round(3).tolist()
    return rounded


# Models


@with_library
def test_the_vector_of_a_text_is_the_mean_of_its_tokens_with_length_1(folder: Path) -> None:
    diagonal = [0.707, 0.707]
    assert embedded(folder, "north", "North  east", "north east north", "south") == [
        [0.0, 1.0], diagonal, [0.447, 0.894], [0.0, -1.0],
    ]  # fmt: skip
    # Nothing is cut off, filled up, or put around a text, whatever the tokenizer's file says.
    assert embedded(folder, "north north north east east east") == [diagonal]


@with_library
def test_a_text_without_known_words_has_no_direction(folder: Path) -> None:
    texts = ["", " ", "west", "north south", "\ud800", "west north \ud800"]
    assert embedded(folder, *texts) == [[0.0, 0.0]] * 5 + [[0.0, 1.0]]
    assert model(folder).embed([]).shape == (0, 2)


@with_library
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8"])
@pytest.mark.parametrize("name", ["embeddings", "embedding.weight"])
@pytest.mark.parametrize("place", ["", "0_StaticEmbedding"])
def test_models_as_they_are_published(tmp_path: Path, dtype: str, name: str, place: str) -> None:
    table = np.array([[9, 9], *WORDS.values()], dtype)
    tensors: dict[str, Any] = {"embeddings": None, name: table}
    write_model(tmp_path / place, WORDS, **tensors)
    (tmp_path / "config.json").write_text('{"normalize": false}')
    assert embedded(tmp_path, "north east") == [[0.707, 0.707]]


@with_library
def test_weights_and_rows_of_tokens(tmp_path: Path) -> None:
    weights = np.array([1, 3, 4, 1], "float32")
    write_model(tmp_path / "weights", WORDS, weights=weights)
    assert embedded(tmp_path / "weights", "north east") == [[0.8, 0.6]]
    table = np.array([[0, 1], [1, 0]], "float16")
    for dtype in ("int32", "int64"):
        mapping = np.array([0, 1, 0, 0], dtype)
        write_model(tmp_path / dtype, WORDS, embeddings=table, mapping=mapping, weights=weights)
        assert embedded(tmp_path / dtype, "north east", "south") == [[0.6, 0.8], [0.0, 1.0]]


@with_library
def test_numbers_too_large_to_add_have_no_direction(tmp_path: Path) -> None:
    write_model(tmp_path, {"north": (3e38, 1), "east": (1, 0)})
    assert embedded(tmp_path, "north " * 9, "east") == [[0.0, 0.0], [1.0, 0.0]]


@with_library
def test_tokens_without_a_vector_do_not_count(folder: Path) -> None:
    """A vocabulary may have holes: fewer words than its largest number."""
    page = json.loads((folder / "tokenizer.json").read_bytes())
    page["model"]["vocab"] = {"[UNK]": 0, "north": 1, "east": 4}
    page["post_processor"] = None
    (folder / "tokenizer.json").write_text(json.dumps(page))
    assert embedded(folder, "north east", "east") == [[0.0, 1.0], [0.0, 0.0]]


class Doubling:
    """A tokenizer whose token is the number of letters of a word, and that of a space 0; it counts
    what it divides. joined: whether a space belongs to the word behind it; `None` for one whose
    tokens depend on the whole text."""

    def __init__(self, joined: bool | None) -> None:
        self.joined = joined
        self.divided: list[str] = []

    def encode_batch_fast(self, texts: list[str], add_special_tokens: bool) -> list[Any]:
        self.divided += texts
        return [SimpleNamespace(ids=self._ids(text)) for text in texts]

    def _ids(self, text: str) -> list[int]:
        if self.joined is None:
            return [len(text) % 7]
        words = text.replace(" ", "\0 ").split("\0") if self.joined else text.split()
        return [len(word) for word in words if word]


@pytest.mark.parametrize("joined", [False, True, None])
def test_words_are_divided_once_if_that_gives_the_tokens_of_the_text(joined: bool | None) -> None:
    tokenizer, table = Doubling(joined), np.random.default_rng(1).random((9, 4))
    texts = ["a bb a", "bb a bb ccc", "", "ccc a bb a"]
    model = StaticModel(tokenizer, None, table)
    tokenizer.divided.clear()
    for _ in range(2):
        vectors = model.embed(texts)
        for text, vector in zip(texts, vectors, strict=True):
            # Alone, the first word of a text has what precedes all others.
            whole = f" {text}" if joined and text else text
            total = sum((table[token] for token in tokenizer._ids(whole)), np.zeros(4))
            length = np.linalg.norm(total)
            assert np.allclose(vector, total / length if length else total, atol=1e-6), text
    if joined is None:
        assert tokenizer.divided == texts * 2
    else:
        assert [word.strip() for word in tokenizer.divided] == ["a", "bb", "ccc"]


def test_words_that_are_kept_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symindex.recall.chunks.static_model.MOST_WORDS", 3)
    tokenizer = Doubling(False)
    model = StaticModel(tokenizer, None, np.eye(9))
    tokenizer.divided.clear()
    for text in ("a bb", "a ccc", "a dddd", "dddd a", "a bb ccc dddd", "dddd"):
        assert model.embed([text]).astype(bool).sum() == len(text.split())
    assert tokenizer.divided == ["a", "bb", "ccc", "a", "dddd", "a", "bb", "ccc", "dddd"]


@with_library
def test_the_token_for_the_unknown_does_not_count(folder: Path) -> None:
    for changed in (
        {"unk_token": "east"},
        {"type": "Unigram", "unk_id": 2, "vocab": [[word, -1.0] for word in ("", *WORDS)]},
    ):
        (folder / "tokenizer.json").write_bytes(tokenizer_of([*WORDS], **changed))
        assert embedded(folder, "north east west", "east", "west") == [[0, 1], [0, 0], [0, 0]]


NO_FILE = "the folder of a model contains model.safetensors and tokenizer.json"


def test_a_folder_that_is_no_model_is_reported_with_what_would_be_right(tmp_path: Path) -> None:
    def fault(folder: Path) -> str:
        with pytest.raises(RequestError) as caught:
            files = files_in(folder)
            assert files.stamps and read_model(files)
        return str(caught.value).replace(str(tmp_path), "TMP")

    absent = "cannot be read: No such file or directory; " + NO_FILE
    assert fault(tmp_path / "none") == "TMP/none/model.safetensors: " + absent
    assert fault(tmp_path / "n\0ne").endswith("cannot be read: not a path; " + NO_FILE)
    half = write_model(tmp_path / "half", WORDS)
    (half / "tokenizer.json").unlink()
    assert fault(half) == "TMP/half/tokenizer.json: " + absent
    (half / "tokenizer.json").mkdir()
    assert fault(half) == f"TMP/half/tokenizer.json: cannot be read: not a regular file; {NO_FILE}"
    (half / "model.safetensors").unlink()
    os.mkfifo(half / "model.safetensors")
    assert "model.safetensors: cannot be read: not a regular file; " in fault(half)


TABLE = np.array([[9, 9], *WORDS.values()], "float32")
NOTHING = "is no safetensors file"
CUT = "embeddings is cut off, or has another size than it states"


def with_header(header: bytes) -> bytes:
    return len(header).to_bytes(8, "little") + header


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", NOTHING),
        (b"\x00" * 7, NOTHING),
        (b"version https://git-lfs.github.com/spec/v1\n", NOTHING),
        (with_header(b"{}")[:-1], NOTHING),
        (with_header(b"[]"), NOTHING),
        (with_header(b'{"\xff": 1}'), NOTHING),
        (with_header(b"[" * 5_000), NOTHING),
        (with_header(b"{}"), "contains no embeddings or embedding.weight: is it a static model?"),
        (with_header(b'{"embeddings": 1}'), "embeddings is described wrongly"),
        (with_header(b'{"embeddings": {"dtype": "F32", "shape": [1, 2]}}'), "embeddings is described wrongly"),
        (safetensors({"embeddings": TABLE.view("uint16")}), "embeddings is BF16: expected one of F64, F32, F16, I8"),
        (safetensors({"embeddings": TABLE}, dtype="x" * 99), f"embeddings is {'x' * 20}…: expected one of F64, F32, F16, I8"),
        (safetensors({"embeddings": TABLE.astype("int64")}), "embeddings is I64: expected one of F64, F32, F16, I8"),
        (safetensors({"embeddings": TABLE.ravel()}), "embeddings is 8: expected rows of vectors"),
        (safetensors({"embeddings": TABLE.reshape(2, 2, 2)}), "embeddings is 2 x 2 x 2: expected rows of vectors"),
        (safetensors({"embeddings": TABLE}, shape=[]), "embeddings is a single number: expected rows of vectors"),
        (safetensors({"embeddings": TABLE}, shape=[4, 0]), "embeddings is 4 x 0: expected rows of vectors"),
        (safetensors({"embeddings": TABLE}, shape=[-4, -2]), "embeddings is -4 x -2: expected rows of vectors"),
        (safetensors({"embeddings": TABLE}, shape=[10**30, 10**30]), CUT),
        (safetensors({"embeddings": TABLE}, shape=[4, 3]), CUT),
        (safetensors({"embeddings": TABLE}, data_offsets=[1, 33]), CUT),
        (safetensors({"embeddings": TABLE}, data_offsets=[-8, 24]), CUT),
        (safetensors({"embeddings": TABLE})[:-1], CUT),
        (safetensors({"embeddings": np.full_like(TABLE, np.nan)}), "embeddings contains NaN or infinite numbers"),
        (safetensors({"embeddings": np.full((4, 2), np.inf, "float16")}), "embeddings contains NaN or infinite numbers"),
        (safetensors({"embeddings": TABLE, "weights": TABLE}), "weights is 4 x 2: expected a number for each token"),
        (safetensors({"embeddings": TABLE, "weights": np.array([1, -np.inf, np.inf, 1])}), "weights contains NaN or infinite numbers"),
        (safetensors({"embeddings": TABLE, "mapping": TABLE[:, 0]}), "mapping is F32: expected one of I64, I32"),
        (safetensors({"embeddings": TABLE, "mapping": np.array([0, 4])}), "mapping names rows that are not among its 4 embeddings"),
        (safetensors({"embeddings": TABLE, "mapping": np.array([0, -1])}), "mapping names rows that are not among its 4 embeddings"),
    ],
)  # fmt: skip
def test_a_file_without_vectors_is_reported(folder: Path, data: bytes, said: str) -> None:
    (folder / "model.safetensors").write_bytes(data)
    with pytest.raises(RequestError) as caught:
        model(folder)
    assert str(caught.value) == f"{folder / 'model.safetensors'}: {said}"


@with_library
@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({"embeddings": TABLE[:3]}, "has 3 embeddings for the 4 tokens of tokenizer.json"),
        ({"weights": TABLE[:3, 0]}, "has 3 weights for the 4 tokens of tokenizer.json"),
        ({"mapping": np.array([0, 1, 2])}, "has 3 mapping for the 4 tokens of tokenizer.json"),
    ],
)
def test_a_model_of_another_size_than_its_vocabulary(
    folder: Path, tensors: dict[str, Any], said: str
) -> None:
    write_model(folder, WORDS, **tensors)
    with pytest.raises(RequestError) as caught:
        model(folder)
    assert str(caught.value) == f"{folder / 'model.safetensors'}: {said}"


@with_library
def test_a_file_that_is_no_tokenizer(folder: Path) -> None:
    file = folder / "tokenizer.json"
    no_json = "is no tokenizer: expected JSON with a model"
    other = tokenizer_of(["north"], type="Other")
    for data in (b"", b"[]", b"{}", b'{"model": 1}', b'{"model": {}}\xff', b"[" * 5_000):
        file.write_bytes(data)
        with pytest.raises(RequestError) as caught:
            model(folder)
        assert str(caught.value) == f"{file}: {no_json}"
    for data in (other, b'{"model": {"type": "Other", "vocab": {}}}'):
        file.write_bytes(data)
        with pytest.raises(RequestError, match=r"tokenizer\.json: is no tokenizer: \w+") as caught:
            model(folder)
        assert "\n" not in str(caught.value) and "expected JSON" not in str(caught.value)


@with_library
def test_a_tokenizer_that_fails_is_reported(folder: Path) -> None:
    (folder / "tokenizer.json").write_bytes(tokenizer_of([*WORDS], unk_token="[NONE]"))
    with pytest.raises(RequestError, match=r"^the tokenizer of the model fails: WordLevel error"):
        model(folder).embed(["west"])


def test_a_bug_of_the_library_is_an_error_and_an_interruption_is_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = library()
    monkeypatch.setitem(sys.modules, "tokenizers", made)
    panic = type("PanicException", (BaseException,), {})
    for error, expected in (
        (panic("out of range"), RequestError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ):

        def fail(text: str, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr(made.Tokenizer, "from_str", fail)
        with pytest.raises(expected) as caught:
            model(folder)
        assert expected is KeyboardInterrupt or "is no tokenizer: out of range" in str(caught.value)  # fmt: skip


def test_the_library_is_an_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(RequestError) as caught:
        model(folder)
    said = f"{folder / 'tokenizer.json'}: needs an extra: pip install tokenizers"
    assert str(caught.value) == said


@pytest.mark.nightly
@settings(max_examples=30)
@given(st.data())
def test_any_change_of_a_file_leaves_a_model_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = write_model(tmp_path_factory.getbasetemp() / "changed", WORDS)
    for name in ("model.safetensors", "tokenizer.json"):
        whole = bytearray((folder / name).read_bytes())
        for place, byte in data.draw(
            st.lists(st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)), max_size=3)
        ):
            whole[place] = byte
        (folder / name).write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "tokenizers", library())
        try:
            embeddings = model(folder).embed(["north east", "west"])
        except RequestError:
            return
    assert np.isfinite(embeddings).all()


@pytest.mark.skipif(find_spec("wordllama") is None, reason=NO_EXTRA)
def test_the_installed_model_gives_the_vectors_of_its_own_package() -> None:
    """In a process of its own, because importing that package changes logging."""
    program = """
import numpy, pathlib, wordllama
from symindex.recall.chunks import vectors
own = wordllama.WordLlama.load(disable_download=True, cache_dir=pathlib.Path(wordllama.__file__).parent)
texts = ["where are cookies parsed", "def parse(text): ...", "über 漢字 \U0001f600", "x" + " x" * 800]
print(numpy.abs(own.embed(texts, norm=True) - vectors._model().embed(texts)).max() < 1e-6)
"""
    done = run_program([sys.executable, "-c", program])
    assert done.stdout == "True\n", done.stderr


# Answers

TREE = {
    ".git/HEAD": "",
    "docs/a.md": "# Compass\n\nnorth north west needle\n",
    "docs/b.md": "# Map\n\neast east west needle\n",
    "docs/c.md": "# Sewing\n\nwest needle sewing\n",
    "needle.py": "def needle_west(): ...\n",
}
ROWS = {
    "compass": (1, 0), "map": (0, 1), "sewing": (-1, 0), "north": (1, 0), "east": (0, 1), "towards": (0, 1),
    "west": (0.01, 0.01), "needle": (0.01, 0.01),
}  # fmt: skip
QUESTION = "west needle towards"
"""Three sections have two of its words each; meaning prefers the one about the map."""

Front = dict[str, list[Any]]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = write_files(tmp_path_factory.mktemp("meaning") / "tree", TREE)
    with Workspace(root, root.parent / "indexes") as made:
        made.refresh()
        made.recall("first")
        yield made


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model that the user's configuration names."""
    monkeypatch.setattr(vectors, "_package", lambda: None)
    file = tmp_path / "config.toml"
    file.write_text(f'recall_model = "{tmp_path}/model"\n')
    monkeypatch.setenv("SYMINDEX_CONFIG", str(file))
    return write_model(tmp_path / "model", ROWS)


def rows(response: TextResponse) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in response.sections[0].items]


def documents(response: TextResponse) -> list[str]:
    return [hit.source for hit in response.sections[0].items if hit.source.startswith("docs")]


@with_library
@pytest.mark.usefixtures("named")
def test_a_model_that_is_named_is_used_unless_the_request_says_no(tree: Workspace) -> None:
    alone = tree.recall(QUESTION, vectors=False)
    assert documents(alone)[0] != "docs/b.md" and alone.notices is UNSET
    asked: list[TextFields] = [{}, {"vectors": None}, {"vectors": True}]
    for fields in asked:
        response = tree.recall(QUESTION, **fields)
        assert documents(response)[0] == "docs/b.md" and response.notices is UNSET
    assert rows(tree.recall(QUESTION, use_enhanced=False, vectors=True)) == rows(
        tree.recall(QUESTION, use_enhanced=False, vectors=False)
    )


def test_words_and_names_need_no_model(
    tree: Workspace, named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of the model would show that it was read."""
    (named / "model.safetensors").unlink()
    for question in ("needle", "the needle", "needle_west", "Needle.west", "unheard of"):
        for within in ("all", "names", "text", "notes"):
            response = tree.recall(question, within=within)
            assert "safetensors" not in str(response.notices), (question, within)
    asked: list[TextFields] = [
        {"within": "names"},
        {"within": "notes"},
        {"sort": "timeline"},
        {"vectors": False},
    ]
    for fields in asked:
        assert "safetensors" not in str(tree.recall(QUESTION, **fields).notices)


def test_a_model_that_cannot_be_used_is_a_notice_and_the_answer_is_by_words(
    tree: Workspace, named: Path
) -> None:
    alone = rows(tree.recall(QUESTION, vectors=False))
    (named / "model.safetensors").write_bytes(b"")
    said = f"{named}/model.safetensors: is no safetensors file; answered by words alone"
    asked: list[TextFields] = [{}, {"vectors": True}]
    for fields in asked:
        response = tree.recall(QUESTION, **fields)
        assert rows(response) == alone and response.notices == [said]
    assert tree.recall([QUESTION, QUESTION + " map"]).notices == [said]  # once for all questions
    where = ["--root", str(tree.root), "--index-dir", str(tree.root.parent / "indexes")]
    page, data = run("recall", QUESTION, *where), run("recall", QUESTION, "--json", *where)
    assert said.replace("_", "\\_") in page.out or said in page.out, page.out
    assert json.loads(data.out)["notices"] == [said]


@pytest.mark.parametrize("path", ["models", "./models", "../models", "x" * 900])
def test_a_relative_path_names_no_model(tree: Workspace, named: Path, path: str) -> None:
    (named.parent / "config.toml").write_text(f'recall_model = "{path}"\n')
    shown = path if len(path) < 200 else path[:200] + "…"
    assert tree.recall(QUESTION).notices == [
        f"recall_model in config.toml is '{shown}': it must be an absolute path, or below ~;"
        " answered by words alone"
    ]


@with_library
def test_a_path_may_begin_at_home(
    tree: Workspace, named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(named.parent))
    (named.parent / "config.toml").write_text('recall_model = "~/model"\n')
    assert documents(tree.recall(QUESTION))[0] == "docs/b.md"


def test_a_tree_cannot_name_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_package", lambda: None)
    root = write_files(tmp_path / "tree", {**TREE, "symindex.toml": 'recall_model = "/m"\n'})
    said: list[str] = []
    with Workspace(root, tmp_path / "indexes", on_problem=said.append) as workspace:
        assert workspace.recall(QUESTION).notices is UNSET
    assert "unknown key 'recall_model'" in said[0]


@with_library
@pytest.mark.usefixtures("named")
def test_every_front_end_compares_by_meaning_and_can_leave_it(
    tree: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = ["--root", str(tree.root), "--index-dir", str(tree.root.parent / "indexes"), "--json"]
    agent = ToolHandlers([tree.root], str(tree.root.parent / "indexes"))
    try:
        for vectors_field in (None, True, False):
            option = {None: [], True: ["--vectors"], False: ["--no-vectors"]}[vectors_field]
            shell = json.loads(run("recall", QUESTION, "--in", "text", *option, *where).out)
            asked = {"query": QUESTION, "in": "text"} | (
                {} if vectors_field is None else {"vectors": vectors_field}
            )
            data: Any = agent.answer("search", asked, threading.Event()).data
            expected = rows(tree.recall(QUESTION, within="text", vectors=vectors_field))
            assert rows(data) == expected
            items = shell["sections"][0]["items"]
            assert [(hit["id"], hit["score"]) for hit in items] == expected
            is_by_meaning = expected[0][0].startswith("docs/b.md")
            assert is_by_meaning == (vectors_field is not False)
    finally:
        agent.workspace.close()


@with_library
def test_a_model_is_read_once_until_its_files_change(
    tree: Workspace, named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []

    def reading(files: Any) -> StaticModel:
        read.append(files)
        return read_model(files)

    monkeypatch.setattr(vectors, "read_model", reading)
    tree.recall(QUESTION)
    tree.recall(QUESTION)
    assert len(read) == 1
    (named / "model.safetensors").write_bytes(b"")
    assert tree.recall(QUESTION).notices and tree.recall(QUESTION).notices
    assert len(read) == 2
    write_model(named, ROWS)
    assert tree.recall(QUESTION).notices is UNSET and len(read) == 3


@pytest.mark.parametrize("wanted", [None, True, False])
def test_without_a_model_only_a_request_for_one_is_answered_with_a_notice(
    tree: Workspace, monkeypatch: pytest.MonkeyPatch, wanted: bool | None
) -> None:
    monkeypatch.setattr(vectors, "_package", lambda: None)
    response = tree.recall(QUESTION, vectors=wanted)
    assert response.notices == ([vectors.MISSING] if wanted else UNSET)
    assert rows(response) == rows(tree.recall(QUESTION, vectors=False))
