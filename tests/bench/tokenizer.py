"""A public tokenizer: npm's `gpt-tokenizer`, which includes its vocabulary."""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.bench.places import BenchError

VERSION: Final = "3.4.0"
"""Version of gpt-tokenizer."""

ENCODING: Final = "o200k_base"

_HOME: Final = {
    name: value
    for name, value in os.environ.items()
    if name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
}
"""The user's own folders, read before tests get a home: npm keeps its settings there."""

_SCRIPT: Final = """
import { readFileSync } from "node:fs";
const { texts, encoding } = JSON.parse(readFileSync(0, "utf-8"));
const { countTokens } = await import(encoding);
console.log(JSON.stringify(texts.map((text) => countTokens(text))));
"""


def count_tokens(folder: Path, texts: Sequence[str]) -> list[int]:
    """Returns how many tokens each text has. folder: where the tokenizer is kept. Raises BenchError
    if it cannot be fetched."""
    encoding = (_fetch(folder) / "esm" / "encoding" / f"{ENCODING}.js").as_uri()
    sent = json.dumps({"texts": texts, "encoding": encoding})
    return [
        int(number)
        for number in json.loads(_run(["node", "--input-type=module", "-e", _SCRIPT], folder, sent))
    ]


def _fetch(folder: Path) -> Path:
    """Returns the package, fetched once."""
    place = folder / f"gpt-tokenizer-{VERSION}"
    if (place / "package" / "package.json").exists():
        return place / "package"
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise BenchError("node and npm are not here: apt-get install nodejs npm")
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        _run(["npm", "pack", "--silent", f"gpt-tokenizer@{VERSION}"], Path(made))
        with tarfile.open(next(Path(made).glob("*.tgz"))) as archive:
            # Python has the filter since 3.11.4.
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            wanted = ("package/esm/", "package/LICENSE", "package/package.json")
            archive.extractall(
                made, [member for member in archive if member.name.startswith(wanted)]
            )
        # A rename, so that another process finds all of the package or nothing.
        try:
            Path(made, "package").rename(place / "package")
        except OSError:
            if not (place / "package" / "package.json").exists():
                raise
    return place / "package"


def _run(command: Sequence[str], folder: Path, sent: str = "") -> str:
    environment = {**os.environ, **_HOME}
    done = subprocess.run(
        command,
        cwd=folder,
        input=sent,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=300,
    )
    if done.returncode:
        raise BenchError(
            f"gpt-tokenizer: {command[0]}: {(done.stderr.strip() or 'no word why').splitlines()[-1]}"
        )
    return done.stdout
