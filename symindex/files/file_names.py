"""What the name of a file says: its extensions, of what it is a template, and whether Windows takes
it for a device."""

import re
from collections.abc import Iterator
from typing import Final

TEMPLATE_ENDINGS: Final = frozenset({".in", ".example", ".sample", ".dist", ".tmpl", ".template"})
"""What is put behind a whole name, where a program or a person makes the file of that name from
this one. Endings of backups (`~`, `.bak`, `.orig`) are none: what they hold is in the file beside
them."""

_DEVICES: Final = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:[.:].*)?",
    re.IGNORECASE | re.DOTALL,
)
"""Names that Windows keeps for devices, with any extension."""


def suffixes(file_name: str) -> Iterator[str]:
    """The extension of two parts (`.app.src`), then the last one, as they are written. A leading
    dot begins a name, not an extension."""
    dot = file_name.rfind(".")
    second = file_name.rfind(".", 1, dot) if dot > 0 else -1
    if second > 0:
        yield file_name[second:]
    if dot > 0:
        yield file_name[dot:]


def made_from(file_name: str) -> str:
    """The name of the file that is made from this one (`a.sh` of `a.sh.in`); empty where this is no
    template."""
    dot = file_name.rfind(".")
    return file_name[:dot] if dot > 0 and file_name[dot:].lower() in TEMPLATE_ENDINGS else ""


def is_device(part: str) -> bool:
    """Whether a name, one part of a path, is a device's on Windows."""
    return _DEVICES.fullmatch(part) is not None
