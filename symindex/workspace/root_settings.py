"""The settings of a root, from `symindex.toml` and the caller, and the languages they select."""

from collections.abc import Callable, Mapping
from pathlib import Path

from symindex.errors import RequestError
from symindex.extract.languages.registry import Languages
from symindex.extract.languages.tree_rules import TreeRules, tree_rules
from symindex.settings import Settings, check_settings, item_types_of, read_settings


class RootSettings:
    """Reads the settings of a root and reports problems in them.

    Args:
        values: settings that override `symindex.toml`.
        on_problem: called with a line for each wrong setting, which then has its default. Default:
            raises RequestError.

    problems: those found by the latest `read`.
    """

    def __init__(
        self,
        root: Path,
        values: Mapping[str, object],
        on_problem: Callable[[str], object] | None,
    ) -> None:
        self._root = root
        self._values = values
        self.on_problem = on_problem
        self.problems: list[str] = []

    def read(self, languages: Languages) -> tuple[Settings, bool]:
        """Returns the current settings, and whether their problems differ from those of the last
        call."""
        settings, problems = read_settings(self._root, languages)
        settings, more_problems = check_settings(
            self._values, f"{self._root}: given settings", languages, settings
        )
        last_problems, self.problems = self.problems, problems + more_problems
        return settings, self.problems != last_problems

    def report(self) -> None:
        """Reports the problems. Raises RequestError for them if nobody else receives them."""
        if self.problems and self.on_problem is None:
            raise RequestError("; ".join(self.problems))
        for problem in self.problems:
            assert self.on_problem is not None
            self.on_problem(problem)

    def rules(self, settings: Settings, languages: Languages) -> TreeRules:
        """Returns what the tree says about the languages of its files."""
        return tree_rules(
            self._root,
            settings.overrides,
            settings.code_fences,
            languages.id_of_name,
            settings.minified,
        )

    def select_languages(self, settings: Settings, languages: Languages) -> Languages:
        """Returns the languages that the settings select, with the rules of the tree."""
        selected = languages.choose(settings.languages, self.rules(settings, languages))
        if settings.item_types:
            selected.item_types = item_types_of(settings)
        return selected
