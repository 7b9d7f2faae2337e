"""The trees that the editors open."""

from tests.support.files import Files

TREE: Files = {
    "src/auth.py": '''
"""Who may come in."""

class AuthService:
    def login(self, name: str) -> bool:
        """Lets somebody in."""
        return True

    def logout(self) -> None: ...

LIMIT = 3
''',
    "src/http.go": "package http\n\nfunc ParseHeader(line string) int { return 0 }\n",
    "src/shop.ts": "export interface Basket { items: string[] }\nexport function checkOut(basket: Basket) {}\n",
    "lib/deep/one.py": "class InFolder: pass\n",
}

SECOND: Files = {
    "second.go": "package second\n\ntype OnlyInSecond struct{ Name string }\n",
    "second.py": "class Other: pass\n",
}


def large_tree() -> Files:
    """Returns files that take some seconds to read, so that the first requests arrive before the
    index exists."""
    function = (
        "def function_{row}_in_{file}(first, second=None):\n    "
        + "total = first + 1\n    " * 12
        + "return total\n\n\n"
    )
    files: Files = {}
    for number in range(120):
        text = "".join(function.format(row=row, file=number) for row in range(200))
        files[f"package{number % 12}/module{number}.py"] = text  # type: ignore[index]
    files["package7/wanted.py"] = "class TheOneThatIsSought: pass\n"  # type: ignore[index]
    return files
