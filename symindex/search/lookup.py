"""Names against an index: the scores of all rows for one word, qualified or not.

Names are matched once for each distinct name, not for each symbol. Masks of letters rule out most names before any is looked at.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import Index
from symindex.index.fold import fold, letter_mask
from symindex.search.names import BAND_TOLERANCE, BANDS, Needle, match_strong, match_subsequence, match_typo, tier_of
from symindex.search.query import Name

Scores = NDArray[np.float64]
"""One score a row, 0.0 where it does not match."""


def strong_scores(index: Index, query: Name) -> Scores:
    """The scores of all rows by the strong tiers, qualifiers included."""
    if not query.name:
        return _member_scores(index, query)
    scores = qualify(index, query, strong_name_scores(index, Needle(query.name)))
    if query.literal != query.name:
        whole = Needle(query.literal)
        # A name may itself hold what looks like a separator: test titles, `operator->`.
        scores = np.maximum(scores, _spread(index, strong_name_scores(index, whole)))
    return scores


def _spread(index: Index, by_name: Scores) -> Scores:
    """From scores of names to scores of rows."""
    return by_name[index.u32("name")] if len(by_name) else np.zeros(index.n_symbols)


def strong_name_scores(index: Index, needle: Needle) -> Scores:
    """The scores of all distinct names by the strong tiers."""
    scores = np.zeros(len(index.names))
    wanted = np.uint64(needle.mask)
    found = np.flatnonzero((index.u64("name_letters") & wanted) == wanted)
    if not len(found):
        return scores
    # Humps are two or more runs that begin words: the first letter does, and of two letters both do.
    initials = np.uint64(letter_mask(needle.squashed[:2] if len(needle.squashed) == 2 else needle.squashed[:1]))
    humps = (index.u64("name_initials")[found] & initials) == initials
    if len(needle.squashed) < 2:
        humps[:] = False
    names, folded = index.names.take(found), index.folded.take(found)
    scores[found] = [
        match_strong(needle, name, fold_of_name, hump)
        for name, fold_of_name, hump in zip(names, folded, humps.tolist(), strict=True)
    ]
    return scores


def weak_name_scores(index: Index, needle: Needle) -> Scores:
    """The scores of all distinct names by the weak tiers; those that a strong tier matches may have one too."""
    scores = np.zeros(len(index.names))
    missing = np.bitwise_count(np.uint64(needle.mask) & ~index.u64("name_letters"))
    near = missing <= needle.max_typos
    near &= index.folded.lengths >= max(len(needle.folded) - needle.max_typos, 1)
    found = np.flatnonzero(near)
    names, folded, complete = index.names.take(found), index.folded.take(found), (missing[found] == 0).tolist()
    scores[found] = [
        match_typo(needle, name, fold_of_name) or (match_subsequence(needle, name, fold_of_name) if whole else 0.0)
        for name, fold_of_name, whole in zip(names, folded, complete, strict=True)
    ]
    return scores


def qualify(index: Index, query: Name, by_name: Scores) -> Scores:
    """Scores of rows from those of their names; with qualifiers a match has the tier of its weaker part."""
    scores = _spread(index, by_name)
    if not query.qualifiers:
        return scores
    rows = np.flatnonzero(scores)
    scores[rows] = _join_parts(scores[rows], _qualifier_scores(index, query, rows))
    return scores


_LOWEST, _HIGHEST = np.array(sorted(BANDS.values())).T


def _join_parts(of_names: Scores, of_qualifiers: Scores) -> Scores:
    """Half the place within the weaker part's tier is that part's, half is the better part's: a member of exactly `Auth` comes
    before a shorter one of `Auths`."""
    weaker, better = np.minimum(of_names, of_qualifiers), np.maximum(of_names, of_qualifiers)
    tier = np.maximum(np.searchsorted(_LOWEST - BAND_TOLERANCE, weaker) - 1, 0)
    low, high = _LOWEST[tier], _HIGHEST[tier]
    return np.where(weaker > 0, low + (high - low) * ((weaker - low) / (high - low) + better) / 2, 0.0)


def _member_scores(index: Index, query: Name) -> Scores:
    """`Auth.`: the members of what matches best; those of lesser matches would only bury them."""
    rows = np.arange(index.n_symbols)
    found = _qualifier_scores(index, query, rows)
    scores = np.zeros(index.n_symbols)
    if len(found) and found.max() > 0:
        best = tier_of(float(found.max()))
        kept = np.array([score > 0 and tier_of(score) is best for score in found.tolist()])
        scores[rows] = np.where(kept, np.minimum(found, 0.99), 0.0)
    return scores


_GAP = 0.001
"""What each container or folder between two parts of a qualified name costs: enough to order, too little to change tiers."""


def _qualifier_scores(index: Index, query: Name, rows: NDArray[np.int64]) -> Scores:
    """For each row, how well its path and containers match the qualifiers, in order; 0.0 for no match."""
    containers = index.u32("container")[rows].astype(np.int64)
    files = index.u32("file")[rows].astype(np.int64)
    keys, inverse = np.unique(containers * index.n_files + files, return_inverse=True)
    needles = [Needle(part) for part in query.qualifiers]
    matched: dict[tuple[int, str], float] = {}

    def score_part(number: int, part: str) -> float:
        key = (number, part)
        if key not in matched:
            matched[key] = match_strong(needles[number], part, fold(part), True)
        return matched[key]

    by_container: dict[int, float] = {}
    scores = np.zeros(len(keys))
    for at, key in enumerate(keys.tolist()):
        container, file = divmod(key, index.n_files)
        if container not in by_container:
            parts = index.containers[container].split(".") if container else []
            by_container[container] = _score_chain(parts, len(needles), score_part, innermost=not query.name)
        score = by_container[container]
        if not score and (container or query.name or query.in_path):
            parts = path_parts(index.paths[file]) + (index.containers[container].split(".") if container else [])
            is_member = not (query.name or query.in_path)
            score = _score_chain(parts, len(needles), score_part, innermost=is_member)
        scores[at] = score
    return scores[inverse]


def path_parts(path: str) -> list[str]:
    """The folders of a path and the name of its file without the extension."""
    *folders, name = path.split("/")
    dot = name.rfind(".")
    return [*folders, name[:dot] if dot > 0 else name]


def _score_chain(parts: list[str], n_needles: int, score_part: Callable[[int, str], float], innermost: bool = False) -> float:
    """The needles in order against the parts, innermost last: the weakest match, less a little for every part skipped.

    innermost: the last needle must match the last part, as members must be the container's own.
    """
    number, at, gaps, weakest = n_needles - 1, len(parts) - 1, 0, 1.0
    while number >= 0:
        while at >= 0 and not (score := score_part(number, parts[at])):
            at -= 1
            gaps += 1
        if at < 0 or (innermost and gaps):
            return 0.0
        innermost = False
        weakest = min(weakest, score)
        number, at = number - 1, at - 1
    return max(weakest - _GAP * min(gaps, 9), 0.01)
