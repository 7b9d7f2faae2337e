"""A short run of every attack campaign, and the command that runs long ones."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.attack import __main__ as attack
from tests.attack.figures import Figures
from tests.support.command import run_program

pytestmark = pytest.mark.nightly

pytest.importorskip("resource", reason="needs POSIX limits and resource usage")

SHORT = {
    "mutants": (1, 8), "bombs": (2, 1), "kills": (1, 1), "trees": (7, 2), "doors": (1, 12), "sockets": (1, 12),
    "index_flips": (1, 2), "swaps": (1, 1), "copies": (1, 4), "texts": (1, 4), "added": (1, 6), "questions": (1, 10),
    "grammars": (1, 60), "repeated": (1, 2), "substitutions": (1, 60), "revisions": (1, 3), "signed": (1, 400),
    "manifests": (1, 2), "registries": (1, 40), "clients": (1, 12), "vanished": (1, 4), "secrets": (1, 60),
    "environments": (1, 6), "archives": (1, 1), "restores": (1, 1), "pages": (1, 40), "stores": (1, 10),
}  # fmt: skip
"""A seed and a count for each campaign, so that it takes about a second."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs processes and files as on Linux")
@pytest.mark.parametrize("name", [*attack.campaigns()])
def test_a_short_run_finds_no_fault(name: str) -> None:
    figures = attack.run_one(name, *SHORT[name], lambda _: None)
    assert not figures.faults
    assert figures.attacks


def test_every_campaign_has_its_counts_and_is_described() -> None:
    assert SHORT.keys() == attack.COUNTS.keys()
    readme = (Path(attack.__file__).parent / "README.md").read_text()
    assert [name for name in attack.COUNTS if f"| `{name}` |" not in readme] == []


@pytest.mark.slow
def test_the_command_names_its_campaigns() -> None:
    command = [sys.executable, "-m", "tests.attack", "--list"]
    done = run_program(command, cwd=Path(__file__).parent.parent)
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == [*attack.campaigns()]


def test_faults_are_reported_with_the_command_that_repeats_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(seed: int, count: int, say: object) -> Figures:
        return Figures(count, Counter(binary=seed), ["it hangs"] if seed == 8 else [])

    class Module:
        pass

    Module.run = staticmethod(run)  # type: ignore[attr-defined]
    monkeypatch.setattr(attack, "campaigns", lambda: {"mutants": Module})
    assert attack.main(["mutants", "--seed", "7", "--count", "30"]) == 0
    assert attack.main(["--seed", "8", "--count", "30"]) == 1
    printed = capsys.readouterr().out
    assert (
        "FAULT: it hangs\n  again: python -m tests.attack mutants --seed 8 --count 30\n" in printed
    )
    assert printed.splitlines()[-1].split() == ["mutants", "30", "1", "8", "binary"]


def test_a_campaign_that_fails_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attack, "campaigns", dict)
    assert attack.run_one("mutants", 1, 1, lambda _: None).faults == [
        "the campaign has ended: KeyError: 'mutants'"
    ]
