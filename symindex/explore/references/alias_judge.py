"""Judges uses of the other names under which files import a symbol."""

from collections.abc import Sequence
from typing import NamedTuple

from symindex.explore.references.module_judge import Verdict
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.references.scopes import Scope
from symindex.resolve.reading.excerpts import Mention


class AliasJudge(NamedTuple):
    """Judges uses of a name under which files import a symbol: they are certain, or another's."""

    of_name: ReferenceJudge
    n_namesakes: int = 0

    def judge(
        self, path: str, language: str, mentions: Sequence[Mention], scopes: Sequence[Scope]
    ) -> list[Verdict]:
        """Returns one verdict per mention of a file, as `ReferenceJudge.judge`."""
        if language not in self.of_name.family:
            return [Verdict.OTHER] * len(mentions)
        judgements = [
            self.of_name.judge_alias(path, *pair) for pair in zip(mentions, scopes, strict=True)
        ]
        return [Verdict.OTHER if one is None else one.verdict for one in judgements]
