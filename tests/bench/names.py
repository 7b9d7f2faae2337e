"""Makes any number of distinct realistic names: words of real identifiers by their real frequency,
in the usual styles."""

from itertools import accumulate
from random import Random
from typing import Final

from tests.bench.words import read_words

STYLES: Final = {"camel": 36, "snake": 30, "pascal": 22, "upper": 12}
"""How many names in a hundred have each style."""

_N_WORDS: Final = {1: 7, 2: 33, 3: 33, 4: 18, 5: 7, 6: 2}
_AFFIXES: Final = (("_", ""), ("__", ""), ("", "_"), ("", "2"), ("", "64"), ("m_", ""))
_AFFIX_SHARE: Final = 0.04


def join_words(words: list[str], style: str) -> str:
    """Joins words in a style."""
    if style == "snake":
        return "_".join(words)
    if style == "upper":
        return "_".join(words).upper()
    humps = "".join(word.capitalize() for word in words)
    return humps if style == "pascal" else words[0] + humps[len(words[0]) :]


def make_names(n_names: int, random: Random) -> list[tuple[str, str]]:
    """Returns distinct names with their styles. Those of few words come first, because they are
    used most."""
    words, counts = read_words()
    cumulative = list(accumulate(counts))
    styles, lengths = list(STYLES), list(_N_WORDS)
    names: dict[str, tuple[int, str]] = {}
    while len(names) < n_names:
        batch = min(100_000, 2 * (n_names - len(names)))
        drawn_styles = random.choices(styles, list(STYLES.values()), k=batch)
        drawn_lengths = random.choices(lengths, list(_N_WORDS.values()), k=batch)
        drawn = iter(random.choices(words, cum_weights=cumulative, k=sum(drawn_lengths)))
        for style, length in zip(drawn_styles, drawn_lengths, strict=True):
            name = join_words([next(drawn) for _ in range(length)], style)
            if random.random() < _AFFIX_SHARE:
                before, after = random.choice(_AFFIXES)
                name = before + name + after
            if len(name) > 1 and len(names) < n_names:
                names.setdefault(name, (length, style))
    return [(name, style) for name, (_, style) in sorted(names.items(), key=lambda row: row[1][0])]
