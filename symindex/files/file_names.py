"""Derives facts from the name of a file: its extensions, the file that it is a template for, and
whether Windows takes it for a device."""

import re
from collections.abc import Iterator
from typing import Final

TEMPLATE_ENDINGS: Final = frozenset({".in", ".example", ".sample", ".dist", ".tmpl", ".template"})
"""Suffixes of templates, from which a program or a person makes the file without the suffix. Backup
suffixes (`~`, `.bak`, `.orig`) are excluded: their content is in the file next to them."""

_DEVICES: Final = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:[.:].*)?",
    re.IGNORECASE | re.DOTALL,
)
"""Names that Windows reserves for devices, with any extension."""


def suffixes(file_name: str) -> Iterator[str]:
    """Yields the double extension (`.app.src`), if any, then the last one, as written. A leading
    dot begins a name, not an extension."""
    dot = file_name.rfind(".")
    second = file_name.rfind(".", 1, dot) if dot > 0 else -1
    if second > 0:
        yield file_name[second:]
    if dot > 0:
        yield file_name[dot:]


def made_from(file_name: str) -> str:
    """Returns the name of the file that is made from this template (`a.sh` for `a.sh.in`); empty if
    it is not a template."""
    dot = file_name.rfind(".")
    return file_name[:dot] if dot > 0 and file_name[dot:].lower() in TEMPLATE_ENDINGS else ""


def is_device(part: str) -> bool:
    """Whether Windows takes this path component for a device."""
    return _DEVICES.fullmatch(part) is not None
