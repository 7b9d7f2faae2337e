"""Random trees, edits and queries from a seed, on which `naive` and the index are compared."""

import random
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from symindex.protocol.kinds import SymbolKind
from symindex.search.language.fields import FLAGS
from symindex.text.folding import strip_marks
from symindex.text.words import STOP_WORDS, words_of
from tests.search.naive import Row
from tests.support.files import Files, write_files
from tests.support.mixed_tree import TREE

ODD: Final[Files] = {
    "odd/größe.py": '''
class GrößenTabelle:
    """Die Größe der “Tabelle”; is it the naïve one…"""
    def prüfe_größe(self, länge: int) -> int: pass
    def ist_naïve(self): """Is it? — To be, or not to be.\n\n    And so on; the IsIt of_theThe."""
class 数据库: """数据库 opens the file system."""
def 数据库Open(): pass
def straße_ﬁle(ﬁle): pass
''',
    "odd/punctuation.cc": (
        "// Compares a->b with c::d. The one and only.\nstruct P {\n  bool operator==(const P& o) const { return true; }\n"
        "  P* operator->() { return this; }\n  void lie(int tying); // lying\n};\n"
        "/** To be and not to be: it is of the -> in. */\nvoid tie_knot(P a, P::b c) {}\n/* ... */\nvoid dots() {}\n"
    ),
    "odd/of_the/in.py": (
        "class The:\n    def of(self): pass\n    def the_the(self): 'The the.'\ndef is_in(a, the, of): 'Is in the of.'\n"
        "def parses_files(parsed): 'Parsing of files, and so on; parser.'\ndef x1y2(): 'x1 y2 X 1.'\n"
    ),
    "odd/long.py": "def test_"
    + "_".join(f"word{number}" for number in range(70))
    + "(): 'Of many words.'\n",
    "odd/titles.ts": (
        'describe("of the cart: with #odd / things", () => {\n  it("adds. up in the end", () => {});\n'
        '  it("größe über alles", () => {});\n});\n'
    ),
}

PROJECT: Final = Path(__file__).parents[2] / "symindex"


def write_tree(root: Path, share: float) -> Path:
    """Writes a tree of many languages with some of the project's own files.

    share: the share of those files.
    """
    write_files(root, {**TREE, **ODD})
    for path in sorted(PROJECT.rglob("*.py")):
        if random.Random(path.relative_to(PROJECT).as_posix()).random() < share:
            target = root / "symindex" / path.relative_to(PROJECT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return root


class TreeEditor:
    """Changes files of a tree as people do: adds and removes pieces of other files, and adds,
    deletes and renames files."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root, self.chance = root, chance

    def files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file())

    def edit(self) -> None:
        chance, files = self.chance, self.files()
        path, other = chance.choice(files), chance.choice(files)
        action = chance.choice(["append", "append", "cut", "delete", "rename", "add", "swap"])
        lines = path.read_bytes().splitlines(keepends=True)
        if action == "append":
            same = [file for file in files if file.suffix == path.suffix]
            path.write_bytes(path.read_bytes() + b"\n" + chance.choice(same).read_bytes())
        elif action == "cut":
            start = chance.randrange(len(lines) + 1)
            path.write_bytes(b"".join(lines[:start] + lines[start + chance.randrange(20) :]))
        elif action == "delete":
            path.unlink()
        elif action == "rename":
            target = (
                path.parent
                / f"{chance.choice(['new', 'the_cart', 'größe', 'x'])}{chance.randrange(9)}{path.suffix}"
            )
            path.replace(target)
        elif action == "add":
            target = other.parent / f"added_{chance.randrange(99)}{path.suffix}"
            target.write_bytes(path.read_bytes())
        elif path.suffix == other.suffix:
            other.write_bytes(path.read_bytes())


ABSENT: Final = ("zyxwv", "qqfrob", "Nowhere.at", "xylophone_zz", "ñandú")
GLOBS: Final = ("src/**", "*.py", "symindex/*/*.py", "**/s*", "odd/", "*/net/*.go", "[a-m]*.ts")
MARKS: Final = ("->", "==", "…", "...", "_", "“", "😀", "\u0301", "(--)")
LITERALS: Final = ("->", "::", "==", "…", "()", "...", ": ", "“", "_")


class QueryMaker:
    """Makes queries from the words of a tree."""

    def __init__(self, rows: Sequence[Row], chance: random.Random, n_words: int = 250) -> None:
        """n_words: the number of words to choose from. Few words repeat often, so that cached
        results are reused."""
        self.chance = chance
        self._rows = rows
        every = sorted({word for row in rows for words in row.words.values() for word in words})
        odd = [word for word in every if not word.isascii()]
        self._words = self._some(every, n_words) + odd + self._some(sorted(STOP_WORDS), 12)
        self._names = self._some(
            sorted({row.name for row in rows if " " not in row.name}), n_words // 2
        )
        self._qualified = self._some(
            sorted({f"{row.container}.{row.name}" for row in rows if row.container}), n_words // 4
        )
        self._containers = self._some(
            sorted({row.container for row in rows if row.container}), n_words // 4
        )
        self._paths = self._some(sorted({row.path for row in rows}), n_words // 4)
        self._ids = self._some(sorted(row.id for row in rows), n_words // 8)
        self._phrases = [self._phrase() for _ in range(n_words)]
        self._wildcards = [self._wildcard() for _ in range(n_words // 2)]
        self._forms = [self._form() for _ in range(n_words)]

    def _some(self, things: list[str], count: int) -> list[str]:
        return self.chance.sample(things, min(count, len(things)))

    def _form(self) -> str:
        """Returns a word in another form."""
        chance, word = self.chance, self.chance.choice(self._words)
        position = chance.randrange(len(word))
        forms = [
            word + "s",
            word + "ing",
            word.removesuffix("e") + "ed",
            word[: position + 1],
            word[position:],
            word.upper(),
            word.title(),
        ]
        forms += [
            word[:position] + word[position + 1 :],
            word[:position] + "z" + word[position:],
            chance.choice(ABSENT),
            strip_marks(word),
        ]
        forms += [
            chance.choice(self._names).replace("_", ""),
            f"{word}_{chance.choice(self._words)}",
        ]
        return chance.choice(forms) or word

    def _phrase(self) -> str:
        """Returns a piece of a text, usually of whole words."""
        chance, row = self.chance, self.chance.choice(self._rows)
        text = row.texts[
            chance.choice(["name", "container", "path", "signature", "doc", "doc", "doc"])
        ]
        words = words_of(text)
        if not words or chance.random() < 0.1:
            return chance.choice(LITERALS)
        start = chance.randrange(len(words))
        some = words[start : start + chance.randint(1, 3)]
        if chance.random() < 0.1:
            some.reverse()
        if chance.random() < 0.3:
            begin = chance.randrange(len(text))
            piece = text[begin : begin + chance.randint(2, 15)].replace("\n", " ").strip()
            return re.sub(r'["\\\0]', "", piece).strip() or "the"
        return chance.choice([" ", " ", "_", "-", ". "]).join(some)

    def _wildcard(self) -> str:
        chance = self.chance
        if chance.random() < 0.1:
            return chance.choice(["*", *GLOBS])
        word = chance.choice([*self._words, *self._names, *self._containers, *self._qualified])
        low, high = sorted(chance.choices(range(len(word) + 1), k=2))
        word = word[:low] + "*" + word[high if chance.random() < 0.7 else low :]
        if chance.random() < 0.2:
            word += f"-{chance.choice(self._words)[:2]}*"
        return re.sub(r'[\s()":]', "", word) or "*"

    def _bare(self) -> str:
        chance = self.chance
        pool = chance.choice(
            [self._words] * 5
            + [self._forms] * 3
            + [self._names] * 2
            + [self._qualified, self._wildcards]
        )
        return _as_word(chance.choice(pool))

    def _fact(self) -> str:
        chance = self.chance
        match chance.choice(["kind", "type", "lang", "is", "space", "id"]):
            case "kind" | "type" as field:
                return f"{field}:{chance.choice([*map(str, SymbolKind), 'c*', 'class,method', 'function,field', '*'])}"
            case "lang":
                return f"lang:{chance.choice(['python', 'go', 'cpp', 'typescript', 'python,go', '*t*', 'rust,java'])}"
            case "is":
                return f"is:{chance.choice([*FLAGS, 'test,local', '*ed'])}"
            case "space":
                return f"space:{chance.choice(['project', 'user', '*', 'user,system'])}"
        symbol_id = chance.choice(self._ids)
        if re.search(r'[\s()"]', symbol_id):
            return f'id:"{symbol_id}"'
        cut = chance.randrange(len(symbol_id))
        return f"id:{chance.choice([symbol_id, symbol_id[:cut] + '*', '*' + symbol_id[cut:]])}"

    def _fielded(self) -> str:
        chance = self.chance
        field = chance.choice(["name", "container", "path", "doc", "signature", "content"])
        own = {
            "container": self._containers,
            "path": self._paths,
            "name": self._names + self._qualified,
        }.get(field, self._words)
        value = _as_word(
            chance.choice(chance.choice([own, own, self._words, self._forms, self._wildcards]))
        )
        if field == "path" and "/" in value and chance.random() < 0.5:
            value = value.rpartition("/")[0]
        if chance.random() < 0.3:
            value = f'"{chance.choice(self._phrases)}"'
        elif chance.random() < 0.2:
            value = f"({value} {chance.choice(['OR', 'AND', '', 'OR NOT'])} {self._bare()})"
        return f"{chance.choice([field, field, field.upper()])}:{value or '*'}"

    def _term(self) -> str:
        chance = self.chance.random()
        if chance < 0.45:
            return self._bare()
        if chance < 0.6:
            return f'"{self.chance.choice(self._phrases)}"'
        return self._fielded() if chance < 0.82 else self._fact()

    def _part(self, depth: int) -> str:
        chance = self.chance
        if depth == 0 or chance.random() < 0.5:
            return chance.choice(["", "", "", "", "-", "NOT ", "!"]) + self._term()
        joined = chance.choice([" ", " AND ", " OR ", " OR "]).join(
            self._part(depth - 1) for _ in range(chance.randint(2, 3))
        )
        return f"{chance.choice(['', '', 'NOT ', '-'])}({joined})"

    def boolean(self) -> str:
        """Returns terms of all kinds, joined by operators."""
        chance = self.chance
        parts = [self._part(2) for _ in range(chance.randint(1, 3))]
        return (
            "".join(part + chance.choice([" ", " AND ", " OR "]) for part in parts[:-1]) + parts[-1]
        )

    def plain(self) -> str:
        """Returns several words."""
        chance = self.chance
        pools = [self._words] * 5 + [self._forms, self._forms, self._names]
        if chance.random() < 0.2:
            pools = [*pools[: chance.choice([0, 3])], list(MARKS)]
        return " ".join(
            _as_word(chance.choice(chance.choice(pools))) for _ in range(chance.randint(2, 5))
        )


def _as_word(text: str) -> str:
    """Returns a text that is parsed as a word or a phrase."""
    return (
        f'"{text}"'
        if re.search(r'[\s():"]|^[-!]|^(AND|OR|NOT)$', text.replace("()", "")) and '"' not in text
        else text
    )
