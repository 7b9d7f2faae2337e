"""Changes of source before parsing (`mend`, `repair`, `[branches]`), on repeated pieces of source.

This reveals regular expressions whose time grows with the square of a text, which would make
reading a file take seconds until it is given up.
"""

import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.rules import parser_text, rules_of, substitute
from symindex.extract.parse.branches import take_branches
from tests.attack.figures import Figures, keep
from tests.attack.sources import signs, sources, tokens

BYTES: Final = 20_000
SECONDS: Final = 1.0
"""Time limit, in seconds; linear work takes far less for this size."""

_BETWEEN: Final = (b"", b" ", b"\n", b"\n  ", b"\t")


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of inputs, each in one language."""
    chance = random.Random(seed)
    languages = load_languages(check=False).by_id
    candidates = sorted(
        language
        for language in {source.language for source in sources()} & languages.keys()
        if languages[language].rules.mend
        or languages[language].rules.repair
        or languages[language].rules.branches.open
    )
    faults: list[str] = []
    for number in range(count):
        language = languages[chance.choice(candidates)]
        words = [*signs(language.id), *tokens(language.id), *_BETWEEN[1:]]
        piece = b"".join(
            chance.choice(words) + chance.choice(_BETWEEN) for _ in range(chance.randint(1, 3))
        )
        data = (b"x\n" + piece * (BYTES // len(piece)))[:BYTES]
        started = time.process_time()
        text = parser_text(language, data)
        substitute(rules_of(language).repairs, take_branches(language.rules.branches, text))
        took = time.process_time() - started
        if took > SECONDS:
            keep(f"substitutions_{language.id}_{number}", data)
            faults.append(f"{language.id}: {took:.1f} s for {len(data):,} bytes of {piece!r}")
            say(faults[-1])
    return Figures(count, Counter(), faults)
