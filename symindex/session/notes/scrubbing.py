"""Text without keys and passwords: what a rule set of a secret scanner recognises, and random values of assignments.

A value is hidden as a whole before a text is cut, so no half of it is kept. Every pattern is one of RE2, and each value is read
once: the time is linear in the text.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
import re2  # type: ignore[import-untyped]

from symindex.files.access.regular import read_regular
from symindex.text.decoding import decoder_of

HIDDEN: Final = "[secret]"

_MOST_RULE_BYTES: Final = 1_000_000
_NAME_BYTES: Final = 80
"""How far a name is read to the left of the word that makes it one of a secret."""

_LONGEST_VALUE: Final = 4_000
"""Bytes of a quoted value whose closing quote is missing."""

_BEGIN: Final = r"(?:^|[^0-9A-Za-z]|\\[nrtbf]|%[0-9A-F]{2})"
_QUOTE: Final = r"(?:\\*[\"'`]|\\*&quot;|\\*u0022|%22|\\*&#3[49];)"
_WORDS: Final = (
    r"passw(?:or)?[dt]|passphrase|passcode|pass|pwd|pw|psk|kennwort|secret|token|key|cred|auth|cookie|sess|sid|jwt|sig|hmac|bearer|otp"
    r"|salt|pepper|pin|csrf|xsrf|nonce|hash|dsn|connection|webhook|code|license|mnemonic|seed.?phrase|pat|sas"
)
_TYPE: Final = (
    r":\s{0,3}(?:&(?:'static )?)?(?:str|string|String|SecretStr|Final(?:\[str\])?|bytes|Optional\[str\]|str \| None|any)\s{0,3}="
)
_VARIABLE: Final = re2.compile(rb"(?:^|[\s;&\"'`]|\\n)([A-Z][A-Z0-9_]{2,60})=")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_UNQUOTED: Final = re2.compile(rb"(?:[^\s\"'`<>,;&|\\)}\]]|\\+[^nrt\"'`\\\s/u])+")
_LINE: Final = re2.compile(rb"(?:[^\s\"'`\\]|\\+[^nrt\"'`\\\s/u])+")
_REFERENCE: Final = re.compile(
    r"\$\{.*|\$[A-Za-z_]\w*|%[A-Za-z_]\w*%|\{\{.*|\$\(.*|<[\w .|/-]+>?|[*.xX•#_-]+|\[secret\].*|\[\w+\]|\{\w*\}?|%[sdrv]|\.\.\.",
    re.ASCII,
)
_CODE: Final = re.compile(
    r"!?(?:await )?[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)*[(\[{].*|(?:[A-Za-z_]\w*(?:\.|::|->|\?\.))+[A-Za-z_]\w*",
    re.ASCII,
)
_PATH: Final = re.compile(
    r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@ -]{1,40})+/?|[\w.-]+/[\w./-]*\.\w{1,5}|https?://[^@]*", re.ASCII
)
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_YOURS: Final = re.compile(
    r"(?i)(?:your|my|the|some|insert|replace|change|enter|put)[-_ ].*(?:here|me|key|token|secret|password|it)[>\])]?"
    r"|change_?me|todo|tbd|n/a"
)
_DESCRIBED: Final = frozenset(
    [
        "id",
        "file",
        "path",
        "dir",
        "url",
        "uri",
        "name",
        "type",
        "length",
        "size",
        "count",
        "limit",
        "ttl",
        "expiry",
        "expires",
        "expire",
        "policy",
        "field",
        "header",
        "prefix",
        "suffix",
        "max",
        "min",
        "hint",
        "reset",
        "label",
        "index",
        "error",
        "errors",
        "rotation",
        "version",
        "format",
        "algorithm",
        "alg",
        "usage",
        "budget",
        "kind",
        "class",
        "at",
        "in",
        "method",
        "provider",
        "manager",
        "store",
        "mode",
        "lifetime",
        "age",
        "ref",
        "arn",
        "env",
        "var",
        "variable",
        "column",
        "regex",
        "pattern",
        "s",
    ]
)
_HASHES: Final = frozenset(
    [
        "integrity",
        "sha",
        "checksum",
        "digest",
        "etag",
        "uuid",
        "commit",
        "content",
        "image",
        "src",
        "build",
        "version",
        "path",
        "url",
        "rev",
        "revision",
        "md5",
    ]
)


class _Rule(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    keywords: list[str]
    pattern: str


class _Rules(msgspec.Struct, forbid_unknown_fields=True):
    tokens: list[_Rule]
    blocks: list[_Rule]
    commands: list[_Rule]
    strong: frozenset[str]
    weak: frozenset[str]
    services: frozenset[str]
    innocent: frozenset[str]


@lru_cache(maxsize=1)
def rules() -> _Rules:
    """The rules of `secret_rules.toml`."""
    decoder_of(_Rules)
    data = read_regular(Path(__file__).with_name("secret_rules.toml"), _MOST_RULE_BYTES, follow=True)
    return msgspec.toml.decode(data, type=_Rules)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> "re2._Regexp[bytes]":
    options = re2.Options()
    options.max_mem = 64 << 20
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(pattern.replace("@B", _BEGIN).replace("@Q", _QUOTE).encode(), options)


@lru_cache(maxsize=1)
def _assignment() -> "re2._Regexp[bytes]":
    """A name that has to do with secrets, and what divides it from its value."""
    words = f"{_WORDS}|{'|'.join(sorted(rules().services))}"
    return _compiled(
        rf"(?i)(?:{words})[\w.\-]{{0,60}}({_QUOTE}?\]?(?:\[\])?\s{{0,3}}(?:{_TYPE}|:=|=>|->|={{1,3}}|!=|\?=|:|%3D|\\u003d|&#61;)\s{{0,3}}|{_QUOTE}\s{{0,3}},\s{{0,3}})"
    )


def scrub(text: str) -> tuple[str, Counter[str]]:
    """A text with `[secret]` in the place of each key and password, and how many of each kind there were."""
    data = text.encode("utf-8", "replace")
    kinds: Counter[str] = Counter()
    lowered = data.lower()
    for group in (rules().blocks, rules().tokens, rules().commands):
        spans = [
            (begin, end, rule.kind)
            for rule in group
            if any(word.encode() in lowered for word in rule.keywords)
            for begin, end in _matches(rule, data)
        ]
        if spans:
            data = _without(data, spans, kinds)
            lowered = data.lower()
    for spans_of in (_assigned, _variables):
        if spans := [*spans_of(data)]:
            data = _without(data, spans, kinds)
    return data.decode("utf-8", "replace"), kinds


def told(kinds: Counter[str]) -> str:
    """What was cut, in a line; empty where nothing was."""
    if not kinds:
        return ""
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return f"what looks like keys or passwords was cut, and is {HIDDEN} in the note: {listed}"


def _matches(rule: _Rule, data: bytes) -> Iterator[tuple[int, int]]:
    for match in _compiled(rule.pattern).finditer(data):
        number = match.lastindex or 0
        begin, end = match.span(number)
        value = data[begin:end].decode("utf-8", "replace")
        if rule.kind == "url-password" and re.match(r"\d{1,5}(?:[/?#]|$)", value):
            continue
        if rule in rules().commands and _is_innocent(value.strip(" .,;:)")):
            continue
        if rule.kind in ("spoken", "login-pair") and (len(value) < 5 or _CODE.fullmatch(value) or _PATH.fullmatch(value)):
            continue
        yield begin, end


def _without(data: bytes, spans: list[tuple[int, int, str]], kinds: Counter[str]) -> bytes:
    """Bytes with the mark in the place of spans, which may overlap."""
    pieces, at, hidden = [], 0, HIDDEN.encode()
    for begin, end, kind in sorted(spans):
        if end <= at:
            continue
        if begin >= at:
            pieces += [data[at:begin], hidden]
            kinds[kind] += 1
        at = end
    return b"".join([*pieces, data[at:]])


def _assigned(data: bytes) -> Iterator[tuple[int, int, str]]:
    """The values of assignments to names of secrets."""
    over = 0
    for match in _assignment().finditer(data):
        if match.start() < over:
            continue
        name, begins = _name_before(data, match.start(), match.start(1))
        divided = data[match.start(1) : match.end()]
        begin, end, quoted = _value_at(data, match.end(), _is_variable(name) and divided == b"=")
        value = data[begin:end].decode("utf-8", "replace")
        after = data[end : end + 1]
        follows = data[end : end + 40].split(b"\n")[0].strip(b" \t\r,;\"'\\")
        line = data[data.rfind(b"\n", max(0, begins - 80), begins) + 1 : begins].strip(b" \t-")
        alone = not follows and not line
        if value and _is_secret(name, divided.decode("utf-8", "replace"), value, quoted, after, alone):
            over = end
            yield begin, end, "password" if re.search("(?i)pass|pwd|pw", name) else "assignment"


def _name_before(data: bytes, word: int, end: int) -> tuple[str, int]:
    """A name as a whole, and where it begins. word: where the word in it begins that was recognised."""
    begin = word
    while begin > max(0, word - _NAME_BYTES) and (data[begin - 1 : begin].isalnum() or data[begin - 1] in b"_-.$"):
        begin -= 1
    if begin and data[begin - 1] == 0x5C and data[begin] in b"nrt":
        begin += 1  # an escape that is written out
    return data[begin:end].decode("utf-8", "replace").strip("-.$"), begin


def _value_at(data: bytes, at: int, is_variable: bool) -> tuple[int, int, bool]:
    """Where a value is, and whether it is in quotes. What follows an opening quote belongs to it until the quote that is escaped
    as often, at most to the end of the line."""
    if block := re.compile(rb"[|>][-+]?[ \t]*(?:\r?\n|\\n)[ \t]+|!!?\w+ +").match(data, at):
        at = block.end()
    opening = re.compile(rb"(?:[bBrRuUfF@$L]{0,2})(\\*)([\"'`]|&quot;|u0022)|(%22)").match(data, at)
    if opening is None:
        found = (_LINE if is_variable else _UNQUOTED).match(data, at)
        return (at, found.end(), False) if found else (at, at, False)
    quote, depth, begin = opening[2] or opening[3], len(opening[1] or b""), opening.end()
    most = min(len(data), begin + _LONGEST_VALUE)
    line_end = data.find(b"\n", begin, most)
    most = line_end if line_end >= 0 else most
    end = data.find(quote, begin, most)
    while end >= 0:
        slashes = end
        while slashes > begin and data[slashes - 1] == 0x5C:
            slashes -= 1
        if end - slashes <= depth:
            return begin, slashes, True
        end = data.find(quote, end + 1, most)
    return begin, most, True


def _variables(data: bytes) -> Iterator[tuple[int, int, str]]:
    """The values of variables of the environment that are random, whatever their name."""
    for match in _VARIABLE.finditer(data):
        begin, end, _ = _value_at(data, match.end(), True)
        value = data[begin:end].decode("utf-8", "replace")
        words = {word.lower() for word in _WORD.findall(match[1].decode())}
        if not words & _HASHES and _is_random(value, 24) and _has_all_kinds(value) and not _is_innocent(value):
            yield begin, end, "random"


def _is_variable(name: str) -> bool:
    return name.isupper() and len(name) > 2


def _strength(name: str) -> str:
    """How much a name says of its value: `strong`, `weak`, `described` (such as the length of a password), or nothing."""
    known, words = rules(), [word.lower() for word in _WORD.findall(name)]
    while words and words[-1].isdigit():
        words.pop()
    if not words:
        return ""
    for least in (1, 2, 3):
        last = " ".join(words[-least:]) if len(words) >= least else ""
        if last in known.strong or "".join(words[-least:]) in known.strong:
            return "strong"
    joined = words[-1]
    if joined.endswith(("password", "passwd", "secret", "apikey", "passphrase")) and joined not in known.innocent:
        return "strong"
    if words[-1] in known.weak or words[-1].endswith(("token", "key", "pass", "pwd")):
        return "weak"
    if words[-1] in _DESCRIBED or len(words) > 1:
        return "described"
    return "weak" if words[-1] in known.services else ""


def _is_secret(name: str, divided: str, value: str, quoted: bool, after: bytes, alone: bool) -> bool:
    strength, is_variable = _strength(name), _is_variable(name)
    tight = divided.strip("\"'`\\]") in ("=", "%3D", "\\u003d", ":")
    if not strength or _is_innocent(value):
        return False
    if not quoted and _CODE.fullmatch(value + (after.decode("latin-1") if after in (b"(", b"[", b"{") else "")):
        return is_variable and divided == "=" and not re.search(r"[(\[{]", value)
    if strength == "described":
        return _is_random(value, 20) and _has_all_kinds(value) and not _UUID.fullmatch(value)
    if strength == "weak":
        if " " in value or (not quoted and value.isidentifier() and not re.search(r"\d", value)):
            return False
        words = [word.lower() for word in _WORD.findall(name)]
        only = len(words) == 1 and words[0] in ("key", "hash", "code", "nonce", "keys", "sig", "signature", "salt")
        least = 16 if only else 6 if is_variable and divided == "=" else 8
        is_hex = re.fullmatch(r"[0-9a-f]+", value) is not None or _UUID.fullmatch(value) is not None
        return _is_random(value, least) and not (only and is_hex)
    if "," in divided and not re.search(r"[0-9!@#$%^&*]", value):
        return False
    if quoted:
        return len(value) >= 3 and not (value.count(" ") > 5 and not re.search(r"\d", value))
    if is_variable and divided == "=":
        return len(value) >= 3
    if re.search(r"[^A-Za-z_.-]", value):
        return len(value) >= 4 and not re.fullmatch(r"\d{1,3}|[\W_]+", value)
    is_call = after in (b",", b")") or "_" in value
    return len(value) >= 5 and not is_call and value.islower() and ((tight and after != b",") or alone)


def _is_innocent(value: str) -> bool:
    """Whether a value is a reference, a placeholder, a path, or a word that says nothing."""
    return bool(
        value.lower().strip("\"'`.,;:!?()[]{}") in rules().innocent
        or _REFERENCE.fullmatch(value)
        or _YOURS.fullmatch(value)
        or (_PATH.fullmatch(value) and not any(_is_random(part, 20) for part in re.split(r"[/\\]", value)))
    )


def _is_random(value: str, least: int) -> bool:
    """Whether a value is long enough, of letters and digits, and no word."""
    if len(value) < least or " " in value:
        return False
    has_digit, has_letter = re.search(r"\d", value), re.search(r"[A-Za-z]", value)
    if not (has_digit and has_letter) and not (
        len(value) >= 20 and (has_digit or re.search(r"[a-z][A-Z]{2}|[A-Z]{2}[a-z][A-Z]", value))
    ):
        return False
    return _entropy(value) >= min(3.0, 0.75 * math.log2(len(value)))


def _has_all_kinds(value: str) -> bool:
    return (
        all(re.search(kind, value) for kind in (r"[a-z]", r"[A-Z]", r"\d"))
        and re.fullmatch(r"[\w+/=~.-]+", value, re.ASCII) is not None
    )


def _entropy(value: str) -> float:
    """Shannon's, in bits a character."""
    counts = Counter(value[:_LONGEST_VALUE])
    total = sum(counts.values())
    return -sum(count / total * math.log2(count / total) for count in counts.values())
