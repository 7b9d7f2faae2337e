"""Finds the encoding of a file that is not in UTF-8: the one that it declares, or the most likely
one.

Declarations are the coding line of Python (PEP 263), Ruby and Emacs, the modelines of Vim,
`encoding` of XML, `charset` of HTML and CSS, and `inputenc` of LaTeX. Without one, chardet judges a
sample of the text around bytes beyond ASCII. A character of Shift_JIS, GBK or Big5 may end with the
byte of a backslash, so the file is recoded before it is parsed.
"""

import re
from collections import Counter
from collections.abc import Iterator
from encodings import normalize_encoding
from encodings.aliases import aliases
from itertools import islice
from typing import Final, NamedTuple

HEAD_BYTES: Final = 4_096
TAIL_BYTES: Final = 1_000
"""Bytes at the top of a file that may contain a declaration; those of Vim and Emacs may also be at
the end."""

SAMPLE_RUNS: Final = 4_000
"""Most runs of bytes beyond ASCII that are judged: a large file takes as long as one of 60 KB."""

MOST_BAD: Final = 0.05
"""Largest share of broken characters in a text that is still taken to be in an encoding."""

_CONTEXT: Final = 12
"""Bytes around a run that are judged with it: the rest of its word."""


class Decoded(NamedTuple):
    """A decoded text. encoding: the one that it was decoded from. untrue: the encoding that the
    file declares, if the file is not in it."""

    text: str
    encoding: str
    untrue: str = ""


def decode_legacy(data: bytes) -> Decoded:
    """Decodes bytes that are not UTF-8. Takes milliseconds, and gives the same result for the same
    bytes in every process."""
    declared = declared_encoding(data)
    codec = _codec(declared)
    if codec and codec != "utf_8" and (text := _decode(data, codec)) is not None:
        return Decoded(text, codec)
    runs = [*islice(_RUN.finditer(data), SAMPLE_RUNS)]
    codec = _guess(data, runs)
    text = _decode(data, codec)
    return (
        Decoded(text, codec, declared)
        if text is not None
        else Decoded(data.decode("latin-1"), "latin_1", declared)
    )


def decode_shifted(data: bytes) -> Decoded | None:
    """Decodes ASCII with escapes for other characters, if it declares an encoding with these
    escapes and is in it."""
    codec = _codec(declared_encoding(data))
    text = _decode(data, codec) if codec.startswith(_SHIFTED) else None
    return Decoded(text, codec) if text is not None else None


_SHIFTED: Final = ("iso2022_", "hz")


def wide_without_mark(data: bytes) -> str:
    """Returns the codec of a text in UTF-16 or UTF-32 without a byte order mark; empty for other
    bytes. Its ASCII characters show it: zeros on one side of nearly every letter, hardly any on the
    other. All of its characters must be printable."""
    head = data[:HEAD_BYTES]
    for codec, width, low in _WIDE:
        zeros = [head[number::width].count(0) for number in range(width)]
        n_low, (*other_bytes, least) = zeros.pop(low), sorted(zeros, reverse=True)
        n_units = len(head) // width
        is_likely = (
            least > _LEAST_ZEROS * n_units
            and least > 8 * n_low
            and all(candidate == n_units for candidate in other_bytes)
        )
        if len(data) % width or not is_likely:
            continue
        try:
            text = head.decode(codec, "strict" if len(data) <= HEAD_BYTES else "ignore")
        except UnicodeDecodeError:
            continue
        if all(character.isprintable() or character in "\t\n\r\f\ufeff" for character in text):
            return codec
    return ""


_LEAST_ZEROS: Final = 0.1
_WIDE: Final = (("utf-32-le", 4, 0), ("utf-32-be", 4, 3), ("utf-16-le", 2, 0), ("utf-16-be", 2, 1))
"""Codecs, each with its bytes per unit, and the position of the ASCII letter in a unit."""


def untrue_of_utf8(data: bytes) -> str:
    """Returns the encoding that a text in UTF-8 wrongly declares; empty if it declares UTF-8 or
    none."""
    declared = declared_encoding(data)
    return (
        f"utf_8; {declared}, which it declares, is not true"
        if _codec(declared) not in ("", "utf_8")
        else ""
    )


def is_mostly_utf8(data: bytes) -> bool:
    """Whether few of the characters beyond ASCII are broken, as in UTF-8 with a wrong byte. In a
    text with few such characters, as many may be broken if the others are surely UTF-8, because
    they would not make words in another encoding."""
    n_good = sum(1 for _ in islice(_UTF8.finditer(data), SAMPLE_RUNS))
    n_bad = (
        sum(1 for _ in islice(_RUN.finditer(_UTF8.sub(b"", data)), SAMPLE_RUNS)) if n_good else 1
    )
    if n_bad <= MOST_BAD * n_good:
        return True
    n_sure = n_torn = 0
    for run in islice(_RUN.finditer(data), SAMPLE_RUNS) if n_good else ():
        n_sound = len(_UTF8.sub(b"", run[0]))
        if n_sound > _MOST_LEFT:
            return False
        n_torn += n_sound > 0
        start, end = run.span()
        is_beside = data[max(start - 1, 0) : start].isalpha() or data[end : end + 1].isalpha()
        n_sure += len(run[0]) - n_sound > 2 or (
            n_sound == 0 and (is_beside or run[0][0] in _LEADS_OF_LATIN)
        )
    return n_sure >= max(n_torn, 1)


_LEADS_OF_LATIN: Final = (0xC2, 0xC3)
_MOST_LEFT: Final = 2
"""Most wrong bytes in a row in a file that is otherwise UTF-8."""


def declared_encoding(data: bytes) -> str:
    """Returns the word by which a file declares its encoding; empty if it does not."""
    head = data[:HEAD_BYTES]
    first_two = (
        b"\n".join(head.replace(b"\r", b"\n").split(b"\n", 2)[:2]) if b"coding" in head else b""
    )
    for pattern, part in ((_CODING_LINE, first_two), *((pattern, head) for pattern in _IN_HEAD)):
        if match := pattern.search(part):
            return match[1].decode("ascii")
    tail = data[-TAIL_BYTES:]
    match = _MODELINE.search(head) or _MODELINE.search(tail) or _LOCAL.search(tail)
    return match[1].decode("ascii") if match else ""


_CODING_LINE: Final = re.compile(
    rb"(?m)^[ \t\f]*[^\w\s\"'{(][^\n]{0,300}?coding[:=][ \t]*([\w.-]{2,40})"
)
_IN_HEAD: Final = (
    re.compile(rb"\A\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*[\"']([\w.-]{2,40})"),
    re.compile(rb"\A@charset \"([\w.-]{2,40})\";"),
    re.compile(rb"(?i)<meta\s[^>]{0,300}?\bcharset\s*=\s*[\"']?([\w.-]{2,40})"),
    re.compile(rb"(?m)^[ \t]*\\usepackage\[([\w.-]{2,40})\]\{inputenc\}"),
    re.compile(rb"(?im)^%[ \t]*!TeX[ \t]+encoding[ \t]*=[ \t]*([\w.-]{2,40})"),
)
_MODELINE: Final = re.compile(rb"\b(?:vim?|ex):[^\n]{0,200}?\b(?:fenc|fileencoding)=([\w.-]{2,40})")
_LOCAL: Final = re.compile(rb"(?s)\bLocal Variables:.{0,500}?[ \t]coding:[ \t]*([\w.-]{2,40})")

_NAMES: Final = dict(
    ansinew="cp1252",
    applemac="mac_roman",
    latin1="latin_1",
    iso_latin_1="latin_1",
    latin9="iso8859_15",
    x_mac_roman="mac_roman",
    sjis="shift_jis",
    x_sjis="shift_jis",
    windows_31j="cp932",
    euc_japan="euc_jp",
    euc_korea="euc_kr",
    ks_c_5601_1987="euc_kr",
    chinese_gbk="gbk",
    x_gbk="gbk",
    cn_gb="gb2312",
    cyrillic_koi8="koi8_r",
    utf_8_emacs="utf_8",
)
"""Names from editors and pages that Python does not have."""

_WIDER: Final = dict(
    ascii="",
    latin_1="cp1252",
    iso8859_9="cp1254",
    shift_jis="cp932",
    gb2312="gb18030",
    gbk="gb18030",
    big5="cp950",
    euc_kr="cp949",
    tis_620="cp874",
    utf_8_sig="utf_8",
)
"""Encodings that are decoded as a larger one, as browsers do: it has all of their characters, and
others that people write with them."""

_TAKEN: Final = frozenset(
    [
        "utf_8",
        *(f"iso8859_{number}" for number in range(2, 17) if number != 12),
        *(
            f"cp{number}"
            for number in (437, 850, 852, 855, 858, 866, 874, 932, 949, 950, *range(1250, 1259))
        ),
        *(
            "koi8_r",
            "koi8_u",
            "koi8_t",
            "mac_roman",
            "mac_cyrillic",
            "mac_latin2",
            "kz1048",
            "ptcp154",
        ),
        *(
            "shift_jis_2004",
            "shift_jisx0213",
            "euc_jp",
            "euc_jis_2004",
            "euc_jisx0213",
            "gb18030",
            "big5hkscs",
            "johab",
            "hz",
        ),
        *(
            "iso2022_jp",
            "iso2022_jp_1",
            "iso2022_jp_2",
            "iso2022_jp_3",
            "iso2022_jp_2004",
            "iso2022_jp_ext",
            "iso2022_kr",
        ),
    ]
)
"""Encodings of text. A file may not choose others of Python's codecs, which unpack data or run
escapes."""


def _codec(name: str) -> str:
    """Returns the codec of a declared name; empty if it is not allowed."""
    plain = re.sub(r"_(?:unix|dos|mac)$", "", normalize_encoding(name).lower())
    plain = _NAMES.get(plain, plain)
    canonical = aliases.get(plain, plain)
    codec = _WIDER.get(canonical, canonical)
    return codec if codec in _TAKEN else ""


_NARROWER: Final = {"cp1252": "latin_1", "cp950": "big5hkscs", "euc_jp": "euc_jis_2004"}
"""Encodings that are tried if a text is not in the usual encoding of a family."""


def _decode(data: bytes, codec: str) -> str | None:
    """Decodes bytes in this encoding, unless many of them are wrong."""
    for candidate in filter(None, (codec, _NARROWER.get(codec))):
        try:
            return data.decode(candidate)
        except UnicodeDecodeError:
            continue
    text = data.decode(codec, "replace")
    n_beyond = len(text) - len(text.encode("ascii", "ignore"))
    return text if text.count("\ufffd") <= MOST_BAD * n_beyond else None


_RUN: Final = re.compile(rb"[\x80-\xff]++")
_UTF8: Final = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)

_LATIN: Final = ("cp1252", "iso8859-1", "cp1250", "iso8859-2", "iso8859-15", "cp1254", "cp1257")
_DOUBLE: Final = ("cp932", "gb18030", "cp950", "cp949")
_COMMON: Final = (*_DOUBLE, "euc-jp", "cp1251", "koi8-r", "iso8859-5")
_OTHERS: Final = (*_COMMON, "koi8-u", "iso8859-5", "cp866", "cp1253", "iso8859-7")
_SURE: Final = 0.1
_ENOUGH_RUNS: Final = 8
"""Least confidence in what chardet says of few words."""


def _guess(data: bytes, runs: list[re.Match[bytes]]) -> str:
    """Returns the encoding that a text looks most like."""
    sample = b"\n".join(dict.fromkeys(_pieces(data, runs)))
    if _is_of_macintosh(data, runs):
        return "mac_roman"
    if candidates := _torn_in(data):
        return _ask(sample, candidates)[0]
    if codec := _has_kana(data, runs):
        return codec
    if _is_latin(data, runs):
        codec, confidence = _ask(sample, _LATIN)
        return codec if confidence >= _SURE or len(runs) >= _ENOUGH_RUNS else "cp1252"
    return _ask(sample, _OTHERS if len(runs) >= _ENOUGH_RUNS else _COMMON)[0]


def _is_of_macintosh(data: bytes, runs: list[re.Match[bytes]]) -> bool:
    """Whether the accented letters are those of Mac OS Roman: bytes that are capitals or signs in
    other encodings, which do not follow a small ASCII letter, in a text with hardly any of the
    bytes that are small letters elsewhere."""
    n_single = n_strong = n_others = 0
    firsts = set()
    for run in runs:
        start, end = run.span()
        if end - start > 2:
            return False
        if data[start - 1 : start].islower():
            firsts.add(data[start])
            n_strong += end - start == 1 and data[start] in _OF_MACINTOSH
        n_single += end - start == 1
        n_others += max(run[0]) >= _SMALL_ELSEWHERE
    return 2 * n_single >= len(runs) and (
        n_strong > n_others or (not n_others and firsts >= _GERMAN_OF_MACINTOSH)
    )


_OF_MACINTOSH: Final = frozenset((0x87, 0x88, 0x89, 0x8A, 0x8B, 0x8D, 0x8E, 0x8F, 0x90))
_GERMAN_OF_MACINTOSH: Final = frozenset((0x9A, 0x9F))
"""Letters that only German has both of. One alone may be a small letter of Central Europe."""

_SMALL_ELSEWHERE: Final = 0xDF


def _pieces(data: bytes, runs: list[re.Match[bytes]]) -> Iterator[bytes]:
    """Returns the runs with the ASCII around them. Near runs stay together, so that no two-byte
    character is cut in half."""
    start = end = -1
    for run in runs:
        if start >= 0 and run.start() - end > _CONTEXT:
            yield data[start : end + _CONTEXT]
            start = -1
        if start < 0:
            start = max(run.start() - _CONTEXT, end, 0)
        end = run.end()
    yield data[max(start, 0) : end + _CONTEXT]


def _ask(sample: bytes, among: tuple[str, ...]) -> tuple[str, float]:
    """Returns chardet's answer and its confidence. If nothing fits, the first encoding."""
    import chardet  # here, because few files need it

    guesses = chardet.detect(
        sample, include_encodings=among, compat_names=False, no_match_encoding=among[0]
    )
    return _codec(guesses["encoding"] or among[0]), guesses["confidence"]


def _is_latin(data: bytes, runs: list[re.Match[bytes]]) -> bool:
    """Whether most runs are accented letters among ASCII letters, or single signs."""
    n_latin = 0
    signs = {sign.start() for sign in islice(_SIGN.finditer(data), len(runs))}
    for run in runs:
        start, end = run.span()
        is_beside = data[start - 1 : start].isalpha() or data[end : end + 1].isalpha()
        is_word = end - start <= 2 and is_beside and not run[0].translate(None, _LETTERS)
        n_latin += (
            is_word
            or start in signs
            or (end - start == 1 and (data[start] >= 0xA0 or data[end : end + 1].isspace()))
        )
    return n_latin >= 0.6 * len(runs)


_SIGN: Final = re.compile(
    rb"(?<![\x80-\xff])(?:(?<=[\s(])[\x91\x93](?=\w)|(?<=[\w.,!?)])[\x92\x94](?=[\w\s.,;:!?)])|(?<=[\w\s])[\x85\x96\x97](?=[\w\s])"
    rb"|(?<=\w)\x99(?=\W))(?![\x80-\xff])"
)
"""Quotation marks, apostrophes, dashes and the like in the encodings of Windows, at places where
prose has them."""

_LETTERS: Final = bytes((*range(0xA1, 0x100), 0x8A, 0x8C, 0x8E, 0x9A, 0x9C, 0x9E, 0x9F))
"""Accented letters of the Latin encodings of Windows."""


def _has_kana(data: bytes, runs: list[re.Match[bytes]]) -> str:
    """Returns the Japanese encoding of a text with many kana, all in one row of its table; empty if
    there is none."""
    pairs = [run[0][number] for run in runs for number in range(0, len(run[0]) - 1, 2)]
    if (
        3 * sum(lead in (0xA4, 0xA5) for lead in pairs) > len(pairs)
        and _decode(data, "euc_jp") is not None
    ):
        return "euc_jp"
    leads = sum(run[0].count(0x82) + run[0].count(0x83) for run in runs)
    return (
        "cp932"
        if 3 * leads > sum(len(run[0]) for run in runs) and _decode(data, "cp932") is not None
        else ""
    )


_BREAKING: Final = re.compile(rb"[\x81-\xfe]\\(?=[\"'\r\n]|\Z)")


def _torn_in(data: bytes) -> tuple[str, ...]:
    """Returns the encodings in which a backslash after a byte beyond ASCII is half a character, if
    it cannot be a backslash: it would join the next line to a comment, or leave a string open."""
    votes: Counter[bool] = Counter()
    pairs = set()
    for match in islice(_BREAKING.finditer(data), 100):
        pairs.add(match[0])
        line_start, line_end = (
            data.rfind(b"\n", 0, match.start()) + 1,
            data.find(b"\n", match.end()),
        )
        line = data[line_start : line_end if line_end >= 0 else len(data)][:2_000]
        quote = data[match.end() : match.end() + 1]
        if quote in (b'"', b"'"):
            as_escape, as_letter = (
                _ESCAPE.sub(b"", text).count(quote) % 2 for text in (line, _PAIR.sub(b"", line))
            )
            votes[as_letter < as_escape] += 1
        else:
            votes[True] += 1
    if votes[True] <= votes[False]:
        return ()
    return tuple(
        codec
        for codec in _DOUBLE
        if all("\\" not in pair.decode(codec, "ignore") for pair in pairs)
    )


_PAIR: Final = re.compile(rb"[\x81-\xfe][\x40-\xfe]")
_ESCAPE: Final = re.compile(rb"\\.")
