"""The report on a project's packages: which are indexed, and why others are not."""

from collections import Counter
from collections.abc import Sequence

from symindex.errors import one_of, shown
from symindex.packages.indexes.environment import Environment
from symindex.protocol.status import DepsReport, PackageRow


def report_packages(
    root: str, environment: Environment, notices: Sequence[str] = (), ecosystems: Sequence[str] = ()
) -> DepsReport:
    """Makes the report. ecosystems: the ones to report; empty for all. Raises RequestError for one
    without packages."""
    present = {package.ecosystem for package in environment.packages}
    for ecosystem in ecosystems:
        if ecosystem not in present:
            raise one_of("ecosystem", ecosystem, present)
    rows, counted = [], set()
    n_files = n_symbols = n_bytes = 0
    for status in environment.status():
        package = status.package
        if ecosystems and package.ecosystem not in ecosystems:
            continue
        if status.place not in counted:
            counted.add(status.place)
            n_files, n_symbols, n_bytes = (
                n_files + status.files,
                n_symbols + status.symbols,
                n_bytes + status.n_bytes,
            )
        rows.append(
            PackageRow(
                ecosystem=package.ecosystem,
                name=shown(package.name),
                version=shown(package.version),
                state=status.state,
                is_direct=package.is_direct,
                files=status.files,
                symbols=status.symbols,
                bytes=status.n_bytes,
                left_out=dict(status.left_out),
                why=shown(status.why),
            )
        )
    states = dict(sorted(Counter(row.state for row in rows).items()))
    return DepsReport(
        root=shown(root),
        place=shown(environment.place),
        packages=rows,
        states=states,
        files=n_files,
        symbols=n_symbols,
        bytes=n_bytes,
        notices=[shown(notice) for notice in notices],
    )
