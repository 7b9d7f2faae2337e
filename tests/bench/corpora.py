"""The corpus of real code: fetched, unpacked, and its contents by language."""

import hashlib
import shutil
from collections import Counter
from collections.abc import Collection
from pathlib import Path

import msgspec

from symindex.extract.languages.registry import load_languages
from tests.bench.fetch import fetch_package
from tests.bench.packages import PackageList, read_packages
from tests.bench.places import Bench, BenchError, say
from tests.bench.unpack import unpack_package


class Corpus(msgspec.Struct):
    """The contents of the corpus. digest: differs if the packages differ. missing: packages that
    could not be fetched."""

    digest: str
    files: int
    bytes: int
    languages: dict[str, int]
    missing: list[str]


def make_corpus(bench: Bench, only: Collection[str] = ()) -> list[str]:
    """Makes the corpus, or the missing parts of it; returns what went wrong, a line each. Can run
    again at any time.

    only: the folders of the packages that are needed now; empty: all.
    """
    every = read_packages()
    listed = [package for package in every.packages if package.quick or not bench.quick]
    _drop_others(bench, {package.folder for package in listed})
    wanted = [package for package in listed if not only or package.folder in only]
    errors = []
    for package in wanted:
        target, stamp = bench.code / package.folder, _stamp(bench, package.folder)
        if target.is_dir() and stamp.exists() and stamp.read_text() == every.stamp(package):
            continue
        try:
            archive = fetch_package(package, every, bench.folder / "downloads")
            stamp.unlink(missing_ok=True)
            bench.code.mkdir(parents=True, exist_ok=True)
            count = unpack_package(package, every, archive, target)
        except BenchError as error:
            errors.append(str(error))
            continue
        say(f"unpacked {package.name}: {count:,} files")
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(every.stamp(package))
    _summary_path(bench).unlink(missing_ok=True)
    return errors


def _drop_others(bench: Bench, folders: set[str]) -> None:
    """Removes packages that are no longer listed, and what an interrupted run left."""
    if bench.code.is_dir():
        for folder in bench.code.iterdir():
            if folder.name not in folders:
                shutil.rmtree(folder)


def _stamp(bench: Bench, folder: str) -> Path:
    return bench.folder / "stamps" / bench.code.name / folder


def _summary_path(bench: Bench) -> Path:
    return bench.folder / f"{bench.code.name}.json"


def read_corpus(bench: Bench) -> Corpus:
    """Returns the contents of the corpus, computed once and then remembered. Raises BenchError if
    there is no corpus."""
    if not bench.code.is_dir():
        quick = " --quick" if bench.quick else ""
        raise BenchError(
            f"{bench.code}: no such corpus; make it with: python -m tests.bench corpora{quick}"
        )
    path = _summary_path(bench)
    if not path.exists():
        path.write_bytes(msgspec.json.encode(_count(bench, read_packages())))
    return msgspec.json.decode(path.read_bytes(), type=Corpus)


def _count(bench: Bench, every: PackageList) -> Corpus:
    languages = load_languages()
    n_bytes: Counter[str] = Counter()
    files = 0
    for path in sorted(bench.code.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            language = languages.by_content(path.name, data)
            n_bytes[language.id if language else "none"] += len(data)
            files += 1
    wanted = [package for package in every.packages if package.quick or not bench.quick]
    present = [package for package in wanted if _stamp(bench, package.folder).exists()]
    digest = hashlib.sha256("".join(every.stamp(package) for package in present).encode())
    return Corpus(
        digest=digest.hexdigest()[:12],
        files=files,
        bytes=sum(n_bytes.values()),
        languages=dict(n_bytes.most_common()),
        missing=[package.name for package in wanted if package not in present],
    )


def render_corpus(corpus: Corpus, root: Path) -> str:
    """Returns the bytes by language, as a Markdown table."""
    lines = [f"{root}, corpus {corpus.digest}\n", "| language | MB | share |", "|---|--:|--:|"]
    lines += [
        f"| {language} | {n / 1e6:.1f} | {n / corpus.bytes:.0%} |"
        for language, n in corpus.languages.items()
    ]
    lines.append(f"| all, {corpus.files:,} files | {corpus.bytes / 1e6:.1f} | |")
    if corpus.missing:
        lines.append(f"\nMissing: {', '.join(corpus.missing)}")
    return "\n".join(lines) + "\n"
