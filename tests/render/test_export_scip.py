"""Exported SCIP, as SCIP's own bindings read it."""

import codecs
import json
import os
import re
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest

from tests.support.command import run_program
from tests.support.exports import ODD_TREE, exported, json_tags
from tests.support.files import write_files
from tests.support.npm import CACHE, HOME

READER = {"@sourcegraph/scip-typescript": "0.4.0", "google-protobuf": "3.21.4"}
"""The bindings, generated from SCIP's schema, are part of the indexer for TypeScript."""

READ = """
const {scip} = require("@sourcegraph/scip-typescript/dist/src/scip.js")
const index = scip.Index.deserializeBinary(require("fs").readFileSync(process.argv[1]))
const again = Buffer.from(index.serializeBinary()).toString("base64")
const sizes = index.documents.map((each) => each.serializeBinary().length)
process.stdout.write(JSON.stringify({...index.toObject(), again, sizes}))
"""


@pytest.fixture(scope="module")
def scip_reader() -> Path:
    """SCIP's own bindings and the protobuf library that they use, downloaded once; the folder in
    which to run node."""
    folder = CACHE / f"scip-{READER['@sourcegraph/scip-typescript']}"
    if (folder / "complete").exists():
        return folder
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    for name, version in READER.items():
        with tempfile.TemporaryDirectory() as made:
            command = ["npm", "pack", "--silent", f"{name}@{version}"]
            done = run_program(command, cwd=made, env={**os.environ, **HOME}, timeout=300)
            archives = list(Path(made).glob("*.tgz"))
            if done.returncode or not archives:
                pytest.skip(f"npm cannot fetch {name}: {done.stderr.strip()[-200:]}")
            with tarfile.open(archives[0]) as archive:
                archive.extraction_filter = getattr(
                    tarfile, "data_filter", None
                )  # Python has this since 3.11.4
                archive.extractall(Path(made) / "unpacked")
            target = folder / "node_modules" / name
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(Path(made) / "unpacked" / "package", target)
    (folder / "complete").touch()
    return folder


def read_scip(reader: Path, index: Path) -> dict[str, Any]:
    """Returns an index as SCIP's own bindings see it; fails if it contains fields that they do not
    have."""
    done = run_program(["node", "-e", READ, str(index)], cwd=reader, check=True)
    seen: dict[str, Any] = json.loads(done.stdout)
    # These bindings are older than `position_encoding`: the last two bytes of each document, which
    # mean UTF-8. The length before a document takes another byte from 128 on.
    unknown = sum(2 + (size < 128 <= size + 2) for size in seen.pop("sizes"))
    assert (
        len(codecs.decode(seen.pop("again").encode(), "base64")) + unknown == index.stat().st_size
    )
    assert index.read_bytes().endswith(b"\x30\x01")
    return seen


def without_defaults(value: Any) -> Any:
    """Returns a message as it was written, without the defaults that the bindings add."""
    if isinstance(value, dict):
        return {
            key: without_defaults(element)
            for key, element in value.items()
            if element not in ("", 0, [], None)
        }
    return [without_defaults(element) for element in value] if isinstance(value, list) else value


@pytest.mark.nightly
def test_scip_s_own_reader_reads_it(small: Path, tmp_path: Path, scip_reader: Path) -> None:
    exported(
        small,
        "--format",
        "scip",
        "-o",
        str(tmp_path / "index.scip"),
        "--path",
        "shop/cart.go",
        "--path",
        "app.py",
    )
    seen = without_defaults(read_scip(scip_reader, tmp_path / "index.scip"))
    from symindex import __version__

    assert seen["metadata"] == {
        "tool_info": {"name": "symindex", "version": __version__},
        "project_root": f"file://{quote(str(small))}",
        "text_document_encoding": 1,
    }
    python, go = seen["documents"]
    cart = "symindex . . . `shop/cart.go`/Cart#"
    assert go == {
        "language": "Go",
        "relative_path": "shop/cart.go",
        "occurrences": [
            {
                "range": [3, 5, 9],
                "symbol": cart,
                "symbol_roles": 1,
                "enclosing_range": [3, 0, 5, 1],
            },
            {
                "range": [4, 1, 6],
                "symbol": f"{cart}Total.",
                "symbol_roles": 1,
                "enclosing_range": [4, 1, 10],
            },
        ],
        "symbols": [
            {
                "symbol": cart,
                "documentation": ["A cart."],
                "kind": 49,
                "display_name": "Cart",
                "signature_documentation": {"language": "Go", "text": "type Cart struct"},
            },
            {
                "symbol": f"{cart}Total.",
                "kind": 15,
                "display_name": "Total",
                "signature_documentation": {"language": "Go", "text": "Total int"},
            },
        ],
    }
    file = "symindex . . . `app.py`/"
    assert [row["symbol"] for row in python["symbols"]] == [
        f"{file}LIMIT.", f"{file}Outer#", f"{file}Outer#size.", f"{file}Outer#Inner#", f"{file}Outer#Inner#go().", "local 0",
        f"{file}Outer#go().", f"{file}Other#", f"{file}Other#go().",
    ]  # fmt: skip
    assert python["symbols"][5]["enclosing_symbol"] == f"{file}Outer#Inner#go()."


SIMPLE: Final = r"[A-Za-z0-9_+$-]+"

IDENTIFIER: Final = rf"(?:{SIMPLE}|`(?=[^`]*[^A-Za-z0-9_+$-])(?:[^`]|``)+`)"

DESCRIPTOR: Final = (
    rf"(?:{IDENTIFIER}[/#.:!]|{IDENTIFIER}\((?:{SIMPLE})?\)\.|\[{IDENTIFIER}\]|\({IDENTIFIER}\))"
)

GLOBAL_SYMBOL: Final = re.compile(rf"symindex \. \. \. (?:{DESCRIPTOR})+")

LOCAL_SYMBOL: Final = re.compile(rf"local {SIMPLE}")


@pytest.mark.nightly
@pytest.mark.slow
def test_scip_symbols_are_as_its_grammar_has_them(
    nasty: Path, tmp_path: Path, scip_reader: Path
) -> None:
    """The checks of `scip lint`: no symbol is invalid, repeated, or has an occurrence without a
    description. The places are also right."""
    exported(nasty, "--format", "scip", "-o", str(tmp_path / "index.scip"))
    seen = read_scip(scip_reader, tmp_path / "index.scip")
    names: list[str] = []
    for document in seen["documents"]:
        symbols = [row["symbol"] for row in document["symbols"]]
        assert symbols == [row["symbol"] for row in document["occurrences"]] and len(
            set(symbols)
        ) == len(symbols)
        names += symbols
        data = (nasty / document["relative_path"]).read_bytes()
        data = data.decode("utf-16").encode() if data.startswith(codecs.BOM_UTF16_LE) else data
        lines = data.split(b"\n")
        for row, occurrence in zip(document["symbols"], document["occurrences"], strict=True):
            form = LOCAL_SYMBOL if row["symbol"].startswith("local ") else GLOBAL_SYMBOL
            assert form.fullmatch(row["symbol"]), row
            line, start, end = occurrence["range"]
            if row["display_name"] not in (
                "logs \t in",
                "App.Models",
            ):  # their source is spelled in another way
                assert (
                    lines[line][start:end].decode("utf-8", "replace").strip("\"'")
                    == row["display_name"]
                )
            first, column, *last = occurrence["enclosing_range"]
            assert (first, column) <= (line, start) and (line, end) <= (
                last[0] if len(last) == 2 else first,
                last[-1],
            )
    assert len({*names}) == len(names) and sum(name.startswith("local ") for name in names) == 2
    top = "symindex . . . `over.cpp`/n/S#"
    assert [name for name in names if name.startswith(top)] == [
        top,
        f"{top}m().",
        f"{top}m(+1).",
        f"{top}S().",
        f"{top}m(+2).",
    ]
    assert {row["language"] for row in seen["documents"]} == {
        "Python", "Ruby", "JavaScript", "PHP", "CPP", "Rust", "TypeScript",
    }  # fmt: skip


def test_scip_uses_the_language_names_of_its_schema(tmp_path: Path, scip_reader: Path) -> None:
    """All names are in the schema's list, an enumeration in the bindings."""
    from symindex.extract.languages.registry import load_languages

    script = 'process.stdout.write(Object.keys(require("@sourcegraph/scip-typescript/dist/src/scip.js").scip.Language).join(" "))'
    schema_names = run_program(["node", "-e", script], cwd=scip_reader, check=True).stdout.split()
    named = {
        language.rules.format_names.get("scip", language.rules.name)
        for language in load_languages().by_id.values()
    }
    plain = {re.sub(r"\W", "", name).lower(): name for name in schema_names}
    assert {name: plain.get(re.sub(r"\W", "", name).lower(), name) for name in named} == {
        name: name for name in named
    }
    assert len(named & {*schema_names}) > 50


@pytest.mark.nightly
@pytest.mark.slow
def test_a_name_is_one_document_or_symbol_however_odd(tmp_path: Path, scip_reader: Path) -> None:
    root = write_files(tmp_path / "odd", ODD_TREE)
    exported(root, "--format", "scip", "-o", str(tmp_path / "index.scip"))
    documents = read_scip(scip_reader, tmp_path / "index.scip")["documents"]
    names = [
        (document["relative_path"], row["display_name"])
        for document in documents
        for row in document["symbols"]
    ]
    assert names == [(tag["path"], tag["name"]) for tag in json_tags(root)]
    symbols = [row["symbol"] for document in documents for row in document["symbols"]]
    assert len({*symbols}) == len(symbols)
