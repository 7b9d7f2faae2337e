"""Short inputs for every grammar: one and two bytes, random tokens, nested signs and words.

Each language runs in a separate process, which is ended when an input takes too long, and restarted
after that input. An input that ends or delays a grammar here does the same in a worker, where it is
contained; but a grammar that fails on so little is not worth having.

    python -m tests.attack grammars --count 1500000     most inputs of two bytes; an hour or two on one core
"""

import os
import random
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Final, NamedTuple

from symindex.extract.languages.registry import load_languages
from symindex.extract.symbols import extract_symbols
from tests.attack.figures import Figures, keep
from tests.attack.sources import signs, sources, tokens

FEW: Final = 40
"""Least inputs per language: a short run uses fewer languages instead."""

SECONDS: Final = 10.0
MEMORY: Final = 2_000_000_000
"""Limits of an input: a worker gives up beyond them, too. Nested inputs may be given up."""

KNOWN: Final = frozenset({"objc"})
"""Languages whose grammar never ends on some random tokens, as `grammars/README.md` says."""

SOUP_BYTES: Final = 1_000
NESTED: Final = (1_000, 20_000)

_ALSO: Final = b"\n\t\r \0\x0c\x1a\x7f\xc3\xa9\xff\"'`\\()[]{}<>#/*-+=:;,.!?@$%^&|~_xX01"
"""Bytes that are in every alphabet."""


class Input(NamedTuple):
    data: bytes
    is_nested: bool = False


def inputs(language: str, seed: int) -> Iterator[Input]:
    """Yields the inputs of a language, endlessly; the same seed gives the same inputs."""
    chance = random.Random(f"{seed} {language}")
    letters = sorted(
        {*b"".join(source.data for source in sources() if source.language == language), *_ALSO}
    )
    pairs = [bytes(pair) for pair in product(letters, repeat=2)]
    chance.shuffle(pairs)
    every = iter([b"", *(bytes([letter]) for letter in letters), *pairs])
    words = tokens(language) or (b"x",)
    nesting = [*signs(language), *words]
    while True:
        for _ in range(40):
            if (one := next(every, None)) is not None:
                yield Input(one)
        for _ in range(8):
            between = chance.choice((b"", b" ", b"\n"))
            yield Input(
                between.join(chance.choice(words) for _ in range(chance.randint(1, 60)))[
                    :SOUP_BYTES
                ]
            )
        piece = b" ".join(
            chance.choice(nesting) for _ in range(chance.randint(1, 2))
        ) + chance.choice((b"", b" ", b"\n"))
        yield Input(
            piece * (chance.choice(NESTED) if chance.random() < 0.05 else 100), is_nested=True
        )


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of inputs of all languages together."""
    languages = sorted({source.language for source in sources()} & load_languages().by_id.keys())
    chosen = random.Random(seed).sample(languages, max(1, min(len(languages), count // FEW)))
    contained: Counter[str] = Counter()
    faults: list[str] = []
    share = max(count // len(chosen), 1)
    for language in sorted(chosen):
        first = 0
        while first < share:
            first, why = _run_child(language, seed, first, share)
            if not why:
                continue
            data, is_nested = next(islice(inputs(language, seed), first, None))
            keep(f"{language}_{first}", data)
            message = f"{language}: {why} on {len(data):,} bytes, {data[:60]!r}"
            if (not is_nested and language not in KNOWN) or why.startswith("raised"):
                faults.append(message)
            else:
                contained[why] += 1
            say(message)
            first += 1
    return Figures(share * len(chosen), contained, faults)


def _run_child(language: str, seed: int, first: int, end: int) -> tuple[int, str]:
    """Gives a language its inputs from `first` on, in a process. Returns the number of the input
    that ended it, and how; `end` and an empty text if all were read."""
    command = [
        sys.executable,
        "-m",
        "tests.attack.grammars",
        language,
        str(seed),
        str(first),
        str(end),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stderr is not None
        number, why, patience = first, "", SECONDS + 30  # includes its start
        while True:
            ready, _, _ = select.select([child.stdout], [], [], patience)
            if not ready:
                child.kill()
                why = "never ends"
                break
            numbers = os.read(child.stdout.fileno(), 65_536).split()
            if not numbers:
                break
            number, patience = int(numbers[-1]), SECONDS
        last = child.stderr.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
        code = child.wait()
    if why or code:
        return number, why or (
            f"raised {last[:200]}"
            if code == 1
            else f"ended by signal {-code}"
            if code < 0
            else f"ended: {code}"
        )
    return end, ""


def _child(language: str, seed: int, first: int, end: int) -> None:
    """Prints the number of each input before reading it, in a line that its parent always reads
    whole."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    languages = load_languages(check=False)
    definition = languages.by_id[language]
    for number, (data, _) in enumerate(islice(inputs(language, seed), first, end), first):
        os.write(1, b"%d\n" % number)
        extract_symbols(definition, data)


if __name__ == "__main__":
    _child(sys.argv[1], *map(int, sys.argv[2:]))
