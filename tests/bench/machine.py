"""The circumstances of the figures: the machine, the versions, the commit."""

import os
import platform
import subprocess
from typing import Any

from symindex import __version__
from tests.bench.places import REPOSITORY, say


def describe_machine() -> dict[str, Any]:
    """Returns the processor's model, cores that this process may use, memory in GB, system, Python,
    and the load before the run."""
    return {
        "cpu": _cpu_model(),
        "cores": count_cores(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load": load(),
    }


def load() -> float:
    """Returns how many processes wanted to run at once in the last minute, on average; this suite
    alone makes it about the number of cores."""
    return round(os.getloadavg()[0], 2)


def warn_if_busy() -> None:
    """Warns if others use the machine: wall seconds and their ratios are then not worth keeping."""
    if load() > count_cores() + 0.7:
        say(
            f"the machine is busy (load {load()}, {count_cores()} cores): wall seconds will not mean much"
        )


def describe_version() -> dict[str, str]:
    """Returns symindex's version and the commit, with a `+` if files differ from it."""
    commit, status = (
        _git("rev-parse", "--short=12", "HEAD"),
        _git("status", "--porcelain", "--", "symindex", "grammars"),
    )
    return {"version": __version__, "commit": commit + ("+" if status else "")}


def count_cores() -> int:
    """Returns how many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cpu_model() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            return next(
                (line.partition(":")[2].strip() for line in file if line.startswith("model name")),
                platform.machine(),
            )
    except OSError:
        return platform.processor() or platform.machine()


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return done.stdout.strip()
