"""Reports on an index: its state, what a refresh did, and the packages of a project."""

import msgspec


class DocumentCounts(msgspec.Struct, kw_only=True):
    """How many sections and items an index contains. items: by type, the most frequent first.
    problems: how many items have metadata that could not be read completely. problem_places: the
    first SHOWN_PROBLEMS of them, by path, each with its problem."""

    sections: int
    items: dict[str, int]
    problems: int
    problem_places: list[str]


class Skipped(msgspec.Struct, kw_only=True):
    """Files or folders that were left out for the same reason. paths: the first SHOWN_PATHS of
    them."""

    reason: str
    count: int
    paths: list[str]


class RefreshReport(msgspec.Struct, kw_only=True):
    """The result of a refresh.

    files: how many the index contains, with files without symbols. read: how many of them were
    parsed this time. bytes: the size of the index. skipped: files that were left out, by reason.
    notices: faults that were found and repaired. sections, items: how many there are besides
    symbols.
    """

    root: str
    files: int
    symbols: int
    bytes: int
    seconds: float
    read: int
    removed: int
    skipped: list[Skipped]
    notices: list[str]
    sections: int
    items: int


class LanguageCount(msgspec.Struct, kw_only=True):
    """The share of one language in the index. with_errors: files with syntax that the grammar could
    not read."""

    language: str
    files: int = 0
    symbols: int = 0
    bytes: int = 0
    with_errors: int = 0


class StatusReport(msgspec.Struct, kw_only=True):
    """The contents of an index, and which files were left out and why. broken: path and line where
    an error cuts a container. conflicted: paths of files with the markers of an unfinished merge.
    files: all files in the index, with documents and files without a language. with_symbols: files
    with symbols. age_seconds: the time since the index was last written. notes: the number of the
    project's notes by category."""

    root: str
    index_path: str
    index_bytes: int
    age_seconds: float
    generation: str
    files: int
    with_symbols: int
    symbols: int
    languages: list[LanguageCount]
    skipped: list[Skipped]
    unsupported: dict[str, int]
    odd_encoding: list[str]
    broken: list[str] = []
    conflicted: list[str] = []
    columns: dict[str, int]
    documents: DocumentCounts
    notes: dict[str, int] = {}


class RootStatus(msgspec.Struct, kw_only=True):
    """The state of one of several roots. name: the prefix of its paths; empty for a single root.
    state: `opening`, `indexing`, `ready`, `cancelled`, `failed` or `missing`. done, total: files,
    during indexing. error: the last error. notices: why changes are noticed late. report: the
    report on its index; `None` if there is no index yet."""

    root: str
    name: str
    state: str
    done: int
    total: int
    error: str
    notices: list[str]
    report: StatusReport | None


class PackageRow(msgspec.Struct, kw_only=True):
    """A package in the report.

    state: `indexed`, `missing` (nothing to index), `waiting` (not indexed yet) or `failed`. files,
    symbols, bytes: the size of its index; bytes on the disk. left_out: for each reason, the number
    of files that were not read, or of folders of tests. why: the reason for the state; empty if it
    is indexed.
    """

    ecosystem: str
    name: str
    version: str
    state: str
    is_direct: bool
    files: int
    symbols: int
    bytes: int
    left_out: dict[str, int]
    why: str


class DepsReport(msgspec.Struct, kw_only=True):
    """A report on the packages of a project. states: the number of packages in each state. files,
    symbols, bytes: the sum over all packages, each index once. place: the folder of the indexes."""

    root: str
    place: str
    packages: list[PackageRow]
    states: dict[str, int]
    files: int
    symbols: int
    bytes: int
    notices: list[str]
