"""Names with letters outside ASCII are whole names in each language, even if its grammar does not
accept the letters."""

import re
from pathlib import Path
from typing import Final

import pytest

from symindex.extract.languages.language import Language
from symindex.extract.symbols import extract_symbols
from symindex.extract.texts.source_text import with_ascii_letters
from tests.extract.test_grammars import language_of
from tests.support.pages import ROOT

MOST_NAMES: Final = 3
"""Most names to respell in one file."""

MEANT: Final = frozenset({"constructor", "default", "init", "inside", "keymap", "main", "this"})
"""Words of a language, or names derived from the file's name: another spelling would change their
meaning."""

OTHERS: Final = {
    ("bitbake", "SUMMARY"), ("bitbake", "LICENSE"), ("bitbake", "DEPENDS"), ("cpp", "Channel"), ("meson", "sources"),
    ("ninja", "cflags"), ("objc", "Shape"), ("rust", "Both"), ("tsx", "handle"), ("typescript", "handle"), ("udev", "SCALES"),
}  # fmt: skip
"""Names that a rule of the language reads: macros, settings, and forms in which the rule
substitutes the rest."""


def beyond_ascii(name: str) -> str:
    """Returns a name with letters outside ASCII, in the same case."""
    return ("GRÖS" if name.isupper() else "Größe" if name[0].isupper() else "größe") + name[4:]


def lost_names(language: Language, text: str) -> list[str]:
    """Returns the names of a file that are found as they are, but not with letters outside
    ASCII."""
    names = dict.fromkeys(symbol.name for symbol in extract_symbols(language, text.encode())[0])
    chosen = [name for name in names if re.fullmatch(r"[A-Za-z]{4,}", name) and name not in MEANT][
        :MOST_NAMES
    ]
    lost = []
    for name in chosen:
        new = beyond_ascii(name)
        other = re.sub(rf"\b{name}\b", new, text).encode()
        if new not in {symbol.name for symbol in extract_symbols(language, other)[0]}:
            lost.append(name)
    return lost


FOLDERS: Final = [
    path for path in sorted((ROOT / "fixtures" / "symbols").iterdir()) if path.is_dir()
]


@pytest.mark.sample(60)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_names_beyond_ascii(folder: Path) -> None:
    files = [
        path for path in sorted(folder.iterdir()) if path.is_file() and path.stat().st_size < 10_000
    ]
    lost = []
    for path in files[:2]:
        if (text := path.read_bytes()).isascii():
            language = language_of(path)
            lost += [(language.id, name) for name in lost_names(language, text.decode())]
    assert [pair for pair in lost if pair not in OTHERS] == []


def test_letters_are_replaced_in_as_many_bytes() -> None:
    text = "Ä größe — “x” 大 é\u0301"
    changed = with_ascii_letters(text.encode())
    assert len(changed) == len(text.encode()) and changed.decode().startswith(
        "ZZ grzzzze — “x” zzz zz"
    )
    plain = b"plain"
    assert with_ascii_letters(plain) is plain
