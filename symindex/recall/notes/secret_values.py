"""Decides whether a value is a secret, by itself and by the name that it is assigned to.

Callers pass at most `MOST_JUDGED` characters of a value, which limits the time of the expressions
here.
"""

import math
import re
from collections import Counter
from typing import Final

from symindex.recall.notes.secret_rules import rules

MOST_JUDGED: Final = 300
"""Characters of a value by which it is judged: longer than a password, and short enough for each of
100,000 assignments."""

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""Matches a word of a name, in any usual spelling."""

_REFERENCE: Final = re.compile(
    r"\$\{.*|\$[A-Za-z_]\w*|%[A-Za-z_]\w*%|\{\{.*|\$\(.*|<[\w .|/-]+>?|[*.xX•#_-]+|\[secret\].*|\[\w+\]|\{\w*\}?|%[sdrv]|\.\.\.",  # noqa: E501
    re.ASCII,
)
"""Matches a value that refers to a secret elsewhere, or that is masked."""

_CODE: Final = re.compile(
    r"!?(?:await )?[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)*[(\[{].*|(?:[A-Za-z_]\w*(?:\.|::|->|\?\.))+[A-Za-z_]\w*",  # noqa: E501
    re.ASCII,
)
"""Matches a computed value: a call, a subscript, an attribute."""

_PATH: Final = re.compile(
    r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@ -]{1,40})+/?|[\w.-]+/[\w./-]*\.\w{1,5}|https?://[^@]*",
    re.ASCII,
)
"""Matches a path or an address."""

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""Matches an identifier, which alone is not a secret."""

_YOURS: Final = re.compile(
    r"(?i)(?:your|my|the|some|insert|replace|change|enter|put)[-_ ].*(?:here|me|key|token|secret|password|it)[>\])]?"  # noqa: E501
    r"|change_?me|todo|tbd|n/a"
)
"""Matches a placeholder, as documentation has."""

_PHRASE: Final = re.compile(r"[A-Za-z]{2,}(?:[-.][A-Za-z]{2,}){2,}")
"""Matches three or more words joined in one, a common form of passwords."""


def is_variable(name: str) -> bool:
    """Whether a name is written like an environment variable."""
    return name.isupper() and len(name) > 2


def is_secret(name: str, divided: str, value: str, quoted: bool, after: bytes, alone: bool) -> bool:
    """Whether a value is a secret, by its name. divided: the separator between them. after: the
    byte after the value. alone: whether nothing else is on its line."""
    strength, variable = _strength(name), is_variable(name)
    if not strength or is_innocent(value):
        return False
    if not quoted and is_code(
        value + (after.decode("latin-1") if after in (b"(", b"[", b"{") else "")
    ):
        return variable and divided == "=" and not re.search(r"[(\[{]", value)
    if strength == "described":
        return is_random(value, 20) and not _UUID.fullmatch(value)
    if strength == "weak":
        return _is_weak_secret(name, value, quoted, variable and divided == "=")
    if "," in divided and not re.search(r"[0-9!@#$%^&*]", value):
        return False
    if quoted:
        return len(value) >= 3 and not (value.count(" ") > 5 and not re.search(r"\d", value))
    if variable and divided == "=":
        return len(value) >= 3
    if re.search(r"[^A-Za-z_.-]", value):
        return len(value) >= 4 and not re.fullmatch(r"\d{1,3}|[\W_]+", value)
    if _PHRASE.fullmatch(value) and ":" in divided:
        return True
    tight = divided.strip("\"'`\\]") in ("=", "%3D", "\\u003d", ":")
    is_call = after in (b",", b")") or "_" in value
    return (
        len(value) >= 5 and not is_call and value.islower() and ((tight and after != b",") or alone)
    )


def _is_weak_secret(name: str, value: str, quoted: bool, is_set: bool) -> bool:
    """Whether a value is a secret if its name says so only weakly. is_set: whether it is set as an
    environment variable."""
    if " " in value or (not quoted and value.isidentifier() and not re.search(r"\d", value)):
        return False
    words = [word.lower() for word in _WORD.findall(name)]
    only = len(words) == 1 and words[0] in (
        "key",
        "hash",
        "code",
        "nonce",
        "keys",
        "sig",
        "signature",
        "salt",
    )
    least = 16 if only else 6 if is_set else 8
    is_hex = re.fullmatch(r"[0-9a-f]+", value) is not None or _UUID.fullmatch(value) is not None
    return _is_mixed(value, least) and not (only and is_hex)


def _strength(name: str) -> str:
    """Returns how much a name tells about its value: `strong`, `weak`, `described` (for example the
    length of a password), or nothing."""
    table, words = rules(), [word.lower() for word in _WORD.findall(name)]
    while words and words[-1].isdigit():
        words.pop()
    if not words:
        return ""
    for length in range(1, min(3, len(words)) + 1):
        if " ".join(words[-length:]) in table.strong or "".join(words[-length:]) in table.strong:
            return "strong"
    last = words[-1]
    if (
        last.endswith(("password", "passwd", "secret", "apikey", "passphrase"))
        and last not in table.innocent
    ):
        return "strong"
    if last in table.weak or last.endswith(("token", "key", "pass", "pwd")):
        return "weak"
    if last in table.describing or len(words) > 1:
        return "described"
    return "weak" if last in table.services else ""


def is_random_variable(name: str, value: str) -> bool:
    """Whether an environment variable has a random value that its name does not explain."""
    words, value = {word.lower() for word in _WORD.findall(name)}, value.rstrip(",;:.)]}")
    return not words & rules().hashes and is_random(value, 24) and not is_innocent(value)


def is_innocent(value: str) -> bool:
    """Whether a value is a reference, a placeholder, a path, or an ordinary word."""
    return bool(
        value.lower().strip("\"'`.,;:!?()[]{}") in rules().innocent
        or _REFERENCE.fullmatch(value)
        or _YOURS.fullmatch(value)
        or (is_path(value) and not any(_is_mixed(part, 20) for part in re.split(r"[/\\]", value)))
    )


def is_code(value: str) -> bool:
    """Whether a value is computed."""
    return _CODE.fullmatch(value) is not None


def is_path(value: str) -> bool:
    """Whether a value is a path or an address."""
    return _PATH.fullmatch(value) is not None


def is_random(value: str, least: int) -> bool:
    """Whether a value mixes small letters, capitals and digits without order, and has no character
    that keys lack."""
    return (
        all(re.search(kind, value) for kind in (r"[a-z]", r"[A-Z]", r"\d"))
        and re.fullmatch(r"[\w+/=~.-]+", value, re.ASCII) is not None
        and _is_mixed(value, least)
    )


def _is_mixed(value: str, least: int) -> bool:
    """Whether a value is long enough, has letters and digits, and is not a word."""
    if len(value) < least or " " in value:
        return False
    has_digit, has_letter = re.search(r"\d", value), re.search(r"[A-Za-z]", value)
    if not (has_digit and has_letter) and not (
        len(value) >= 20 and (has_digit or re.search(r"[a-z][A-Z]{2}|[A-Z]{2}[a-z][A-Z]", value))
    ):
        return False
    return _entropy(value) >= min(3.0, 0.75 * math.log2(len(value)))


def _entropy(value: str) -> float:
    """Returns the Shannon entropy of a text, in bits per character."""
    counts = Counter(value)
    total = sum(counts.values())
    return -sum(count / total * math.log2(count / total) for count in counts.values())
