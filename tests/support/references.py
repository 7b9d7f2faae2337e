"""Trees that use a name often, and where it was found."""

from symindex.protocol.explore import ReferencesResponse


def places(response: ReferencesResponse) -> list[str]:
    return [
        f"{file.file_path}:{item.line}:{item.column}"
        for file in response.files
        for item in file.items
    ]


def many(n_files: int) -> dict[str, str | bytes]:
    """Returns files in several folders, some of them tests, that call `item` on many lines, on some
    lines twice."""
    return {
        f"{'tests' if number % 3 == 0 else 'src'}/{'x' * (number * 7)}/m{number}.py": "".join(
            f"def f{line}(): return item({'item' if line % 2 else line})\n"
            for line in range(number)
        )
        for number in range(n_files)
    }
