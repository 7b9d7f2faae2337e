"""Bombs: files for which parsing, or a later step, exceeds its limits: nesting, quadratic growth.

The campaign uses known bombs of each language, and random repetitions of pieces of its fixtures.
Each file is read, or left out for a reported reason, within its limits of time and memory, and the
files next to it are found. This holds for everything that parses: `index`, a search without an
index, `refs`, `dump` and an editor's open document.
"""

import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import TimeoutError as LateError
from pathlib import Path
from typing import Final

from symindex.editor.open_documents import OpenDocuments
from symindex.errors import RequestError
from symindex.files.skips import UNREAD, SkipReason
from tests.attack.commands import Attacked, Ran
from tests.attack.figures import Figures, keep
from tests.attack.sources import languages, signs, tokens

ROUND: Final = 5
"""Number of bombs in a tree."""

FILE_SECONDS: Final = 3
"""The time limit that the tree sets, in seconds: lower than the default, so that more bombs fit
into the time."""

MOST_BYTES: Final = 1_900_000
"""Size limit, in bytes: larger files are not read."""

LINE: Final = 80
"""Length of a line: a file with a longer average counts as minified and is not parsed."""

OPENINGS: Final = tuple(
    opening.encode()
    for opening in (
        "(", "[", "{", "<", "((", "[[", "{{", "A<", "x=>", "$(", "`", "${", "`${", '"${', "if(", "if(x){", "#if 1\n",
        "class A{", "*", "!", "-",
        "~", "@", "&", "a?", "a?b:", "a.", "a::", "A\\", "a->", "a(", "f(x)", "x[", "T<U,", "List<", "() => ",
        "function(){", "def f():\n ",
        "if x:\n", "lambda:", "lambda x:", "not ", "await ", "new ", "typeof ", "else ", "else if(x){}", "try{",
        "for(;;)", "while(1)", "do ",
        "namespace a{", "module A\n", "begin\n", "case x\n", "struct {", "union{", "enum A{", "match x {", "fn f(){",
        "impl A{", "mod a{", "|x|",
        "&mut ", "dyn ", "func(", "func() {", "go func(){", "chan ", "map[a]", "[]", "*[]", "interface{", "<a>",
        "<a b={", "<?php ", "?>", "$$",
        "$x->", "<<EOF\n", "<<<E\n", '"#{', "%w(", "#{", "/*", "/**\n", "# ", "## ", "> ", "- ", "//", "'", '"',
        '"""', 'f"{', "f'{", "r#\"",
        "\\\n", "template<", "template<class A>", "decltype(", "operator ", "__attribute__((", "[[", "@A(", "#[a(",
        "#define A(", "a,", "a=", "a|b|",
        "x => {", "async ", "yield ", "return ", "throw ", "when(x){", "{ it -> ", "fun f(){", "object {",
        "case $x in a)", "[[ ", "$((",
        "<(", "function f {", "extends ", "A extends B ? ", "keyof ", "unsafe ", "using(x)", "from x in ", "select ",
        "where T: ", "get {",
    )
)  # fmt: skip
"""Pieces to repeat, in any language. A piece that a language does not have is an error at every
position, which also takes parsers long."""

CLOSINGS: Final = {b"(": b")", b"[": b"]", b"{": b"}", b"<": b">"}


def _known(chance: random.Random) -> tuple[str, bytes]:
    """Returns a repeated opening."""
    language = chance.choice(sorted(languages()))
    return language, _repeated([chance.choice(OPENINGS)], chance)


def _by_chance(chance: random.Random) -> tuple[str, bytes]:
    """Returns a few repeated tokens of a language."""
    language = chance.choice(sorted(languages()))
    kinds = (signs(language), tokens(language))
    return language, _repeated(
        [chance.choice(chance.choice(kinds)) for _ in range(chance.randint(1, 4))], chance
    )


def _repeated(pieces: list[bytes], chance: random.Random) -> bytes:
    """Returns pieces repeated many times, in lines, with or without the closing brackets."""
    piece = chance.choice((b"", b" ")).join(pieces)
    times = min(chance.choice((1_000, 10_000, 50_000, 100_000, 200_000)), MOST_BYTES // len(piece))
    data = chance.choice((b"", b"", b"x = ", b"class A {\n", b"<?php\n")) + in_lines(piece, times)
    closing = bytes(
        CLOSINGS[bytes([sign])][0] for sign in reversed(piece) if bytes([sign]) in CLOSINGS
    )
    if closing and chance.random() < 0.4:
        data += b"\n" + in_lines(closing, times)
    return data[:MOST_BYTES]


def in_lines(piece: bytes, times: int) -> bytes:
    """Repeats a piece, in lines of ordinary length."""
    if b"\n" in piece:
        return piece * times
    in_a_line = max(LINE // len(piece), 1)
    lines, rest = divmod(times, in_a_line)
    return (piece * in_a_line + b"\n") * lines + piece * rest


DEFINITIONS: Final = {
    "python": b"%s%s = 1\n",
    "javascript": b"%sfunction %s() {}\n",
    "c": b"%sint %s;\n",
    "go": b"%svar %s int\n",
    "rust": b"%sfn %s() {}\n",
    "java": b"%sclass %s {}\n",
    "ruby": b"%sdef %s; end\n",
    "bash": b"%s%s() { :; }\n",
}
"""A definition by language, with places for a prefix and a name."""


def _same_name(chance: random.Random) -> tuple[str, bytes]:
    """Returns as many symbols with one name as fit."""
    language = chance.choice(sorted(DEFINITIONS))
    line = DEFINITIONS[language] % (b"", b"same")
    return language, line * min(100_000, MOST_BYTES // len(line))


def _long_name(chance: random.Random) -> tuple[str, bytes]:
    """Returns one name of up to a megabyte, among enough lines that the file does not count as
    minified."""
    language = chance.choice(sorted(DEFINITIONS))
    name = b"n" * chance.choice((10_000, 100_000, 1_000_000))
    return language, DEFINITIONS[language] % (b"", name) + (
        DEFINITIONS[language] % (b"", b"short")
    ) * 60_000


def _deep_names(chance: random.Random) -> tuple[str, bytes]:
    """Returns nested definitions, whose qualified names together grow with the square of the
    depth."""
    language, opening, closing = chance.choice(
        (
            ("java", b"class %s {\n", b"}\n"),
            ("csharp", b"namespace %s {\n", b"}\n"),
            ("cpp", b"namespace %s {\n", b"}\n"),
            ("typescript", b"namespace %s {\n", b"}\n"),
            ("ruby", b"module %s\n", b"end\n"),
            ("rust", b"mod %s {\n", b"}\n"),
            ("kotlin", b"class %s {\n", b"}\n"),
            ("javascript", b"function %s() {\n", b"}\n"),
            ("php", b"function %s() {\n", b"}\n"),
        )
    )
    name = b"A" + b"n" * chance.choice((0, 100, 1_000))
    depth = min(
        chance.choice((100, 1_000, 10_000, 50_000)),
        MOST_BYTES // (len(opening) + len(name) + len(closing)),
    )
    return language, (b"<?php\n" if language == "php" else b"") + (
        opening % name
    ) * depth + closing * depth


def _indented(chance: random.Random) -> tuple[str, bytes]:
    """Returns blocks nested by indentation."""
    depth = chance.choice((100, 500, 1_500))
    return "python", b"".join(
        b" " * level + chance.choice((b"class A:\n", b"def f():\n", b"if x:\n"))
        for level in range(depth)
    )


_KINDS: Final = (
    *(_known,) * 8,
    *(_by_chance,) * 8,
    *(_same_name, _long_name, _deep_names, _deep_names, _indented),
)


def bomb(chance: random.Random) -> tuple[str, bytes]:
    """Returns a language and a source."""
    return chance.choice(_KINDS)(chance)


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of bombs."""
    figures = Figures(count, Counter(), [])
    for first in range(0, count, ROUND):
        chance = random.Random(f"{seed} {first}")
        some = [bomb(chance) for _ in range(min(ROUND, count - first))]
        with (
            tempfile.TemporaryDirectory(prefix="symindex-bombs") as top,
            Attacked(Path(top)) as attacked,
        ):
            before = len(figures.faults)
            _attack(
                Path(top) / "tree",
                attacked,
                some,
                chance,
                figures,
                f"seed {seed}, bombs from {first}",
            )
            figures.faults.extend(f"left behind: {command}" for command in attacked.left_behind())
            for number, (language, data) in enumerate(some):
                if len(figures.faults) > before:
                    keep(f"bomb-{seed}-{first + number}{languages()[language]}", data)
        say(f"bombs: {first + len(some):,} of {count:,}, {len(figures.faults)} faults")
    return figures


def _attack(
    root: Path,
    attacked: Attacked,
    some: list[tuple[str, bytes]],
    chance: random.Random,
    figures: Figures,
    where: str,
) -> None:
    root.mkdir()
    (root / "symindex.toml").write_text(f"file_seconds = {FILE_SECONDS}\n")
    (root / "beside.py").write_text("def lies_beside(): pass\n")
    paths = [f"bomb{number}{languages()[language]}" for number, (language, _) in enumerate(some)]
    for path, (_, data) in zip(paths, some, strict=True):
        (root / path).write_bytes(data)
    # Each file may take twice its limit, and six times as long on a busy machine.
    seconds = 60.0 + 12 * FILE_SECONDS * len(some)

    def ask(*arguments: str) -> Ran:
        ran = attacked.run(arguments, root, seconds)
        figures.faults.extend(f"{where}: {fault}" for fault in ran.faults())
        return ran

    early = ask("search", "lies_beside")
    if b"lies_beside" not in early.out:
        figures.faults.append(f"{where}: a search without an index does not find what lies beside")
    report = ask("index", "--json")
    if report.code == 0:
        sources = dict(zip(paths, (data for _, data in some), strict=True))
        for row in json.loads(report.out)["skipped"]:
            figures.contained[row["reason"]] += row["count"]
            named = (
                {path.partition(" ")[0] for path in row["paths"]}
                if row["reason"] in UNREAD
                else set()
            )
            for path in named & sources.keys():
                keep(f"{where.replace(' ', '-').replace(',', '')}-{path}", sources[path])
            if row["reason"] == SkipReason.KILLED:
                figures.faults.append(f"{where}: {row['reason']}, and nobody has killed it")
    doors = [
        ("refs", "lies_beside"),
        ("dump", chance.choice(paths)),
        ("outline",),
        ("export",),
        ("search", "same", "-n", "3"),
    ]
    for arguments in chance.sample(doors, 2):
        ran = ask(*arguments)
        if arguments[0] == "refs" and b"beside.py" not in ran.out:
            figures.faults.append(f"{where}: references do not hold what lies beside")
    answer = ask("search", "lies_beside")
    if b"lies_beside" not in answer.out:
        figures.faults.append(
            f"{where}: a search does not find what lies beside: {answer.out[:200]!r}"
        )
    figures.faults.extend(
        f"{where}: {fault}" for fault in _open(paths[0], some[0][1], figures.contained)
    )


def _open(path: str, data: bytes, contained: Counter[str]) -> list[str]:
    """Opens a bomb as an editor does, and then another document."""
    notices: list[str] = []
    documents = OpenDocuments(
        "utf-16", max_file_bytes=MOST_BYTES, file_seconds=FILE_SECONDS, on_notice=notices.append
    )
    try:
        documents.open("bomb", path, "", data.decode("utf-8", "replace"))
        documents.open("beside", "beside.py", "", "def lies_beside(): pass\n")
        try:
            skip = documents.parsed("bomb").result(60.0).file.skip
            if skip:
                contained[f"open: {skip}"] += 1
        except RequestError as error:
            contained[f"open: {str(error).partition(': ')[2]}"] += 1
        seen = documents.parsed("beside").result(60.0)
        return (
            []
            if [symbol.name for symbol in seen.file.symbols] == ["lies_beside"]
            else ["another document is not read"]
        )
    except (LateError, OSError, ValueError) as error:
        return [f"an open document: {type(error).__name__} {error}"]
    finally:
        documents.stop()
