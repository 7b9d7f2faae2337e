"""Keeps one branch of each conditional (`#if`) whose branches are not complete pieces of code.

A grammar reads code before the preprocessor, so it sees all branches of a conditional. That works
if each branch is a row of statements. It fails if each branch opens a block that is closed after
the conditional, or if the branches are parts of one statement. Then only one branch is kept,
without the lines of the conditional, as a compiler would see it. Complete branches all stay, so
that what they define is found. If each branch begins another function and one body follows them
all, every branch except the last gets an empty body.
"""

import re
from functools import lru_cache
from typing import Final

from symindex.extract.languages.schema import BranchRules

_FARTHEST_STATEMENT: Final = 2_000
"""How far before a conditional the beginning of a statement is searched for, in characters."""


def take_branches(rules: BranchRules, source: bytes) -> bytes:
    """Blanks all except one branch of each conditional whose branches are incomplete. Returns the
    same object if there is nothing to blank."""
    if not rules.open:
        return source
    # One character for each byte, and a line break before the first line, as before all others.
    patterns, text = _patterns(rules), "\n" + source.decode("latin-1")
    if patterns.lines.search(text) is None:
        return source
    blanks = _BranchChooser(patterns, text).blanks()
    if not blanks:
        return source
    pieces, end_of_last = [], 1
    # a range inside another one begins before the end of that one
    for start, end, filler in sorted(blanks):
        if start >= end_of_last:
            pieces += [text[end_of_last:start], filler, _blank(text[start + len(filler) : end])]
            end_of_last = end
    return "".join([*pieces, text[end_of_last:]]).encode("latin-1")


class _BranchPatterns:
    """The compiled rules. A missing rule becomes a pattern that never matches."""

    def __init__(self, rules: BranchRules) -> None:
        kinds = rf"(?P<open>{rules.open})|(?P<next>{rules.next})|(?P<close>{rules.close})"
        line = rf"[ \t]*+(?:{kinds})(?:[^\\\n]|\\[\s\S])*+"
        # A pattern that begins with a character is found many times faster than one with `^`.
        self.lines = re.compile(rf"\n(?P<line>{line})", re.MULTILINE)
        self.lines_of_statement = re.compile(rf"^{line}", re.MULTILINE)
        self.quiet = re.compile(rules.quiet or "(?!)", re.MULTILINE)
        self.negated = re.compile(rules.negated or "(?!)")
        self.goes_on = re.compile(rules.goes_on or "(?!)")
        self.continues = re.compile(rules.continues or "(?!)")


_patterns: Final = lru_cache(maxsize=16)(_BranchPatterns)


class _Branch:
    """One branch of a conditional.

    line_start: the start of its `#if` or `#else` line. start, end: the range of its text. depth:
    the number of braces that it opens minus those that it closes. lowest: the least value of that
    number anywhere in the text.
    """

    def __init__(self, line: re.Match[str]) -> None:
        self.line_start, self.start = line.span("line")
        self.end = self.start
        self.depth = self.lowest = 0

    def add(self, depth: int, lowest: int) -> None:
        """Adds the braces of the next part of the branch's text."""
        self.lowest = min(self.lowest, self.depth + lowest)
        self.depth += depth


class _Conditional:
    """A conditional, from `#if` to `#endif`."""

    def __init__(self, line: re.Match[str], is_negated: bool) -> None:
        self.condition, self.is_negated = (
            (line.groupdict().get("condition") or "").strip(" \t\r()"),
            is_negated,
        )
        self.branches = [_Branch(line)]


class _BranchChooser:
    """Decides about each conditional of a text when it is closed, inner conditionals first."""

    def __init__(self, patterns: _BranchPatterns, text: str) -> None:
        self._patterns = patterns
        self._code = patterns.quiet.sub(_blank_match, text)
        self._blanks: list[tuple[int, int, str]] = []
        self._holds: dict[
            str, bool
        ] = {}  # by condition: whether it holds, once a branch was chosen by it

    def blanks(self) -> list[tuple[int, int, str]]:
        """Returns the ranges to blank, each with the text that replaces its beginning."""
        stack: list[_Conditional] = []
        line_end = 0
        for line in self._patterns.lines.finditer(self._code):
            if stack:
                stack[-1].branches[-1].add(*self._depths(line_end, line.start("line")))
                stack[-1].branches[-1].end = line.start("line")
            line_end = line.end()
            if line["open"] is not None:
                stack.append(
                    _Conditional(line, self._patterns.negated.match(line[0].lstrip()) is not None)
                )
            elif stack and line["next"] is not None:
                stack[-1].branches.append(_Branch(line))
            elif stack:
                around = self._decide(stack.pop(), line)
                if stack:
                    stack[-1].branches[-1].add(*around)
        return self._blanks

    def _depths(self, start: int, end: int) -> tuple[int, int]:
        """Returns the braces that a range opens minus those it closes, and the least value of that
        number in the range."""
        code = self._code
        if code.find("{", start, end) < 0 and code.find("}", start, end) < 0:
            return 0, 0
        depth = lowest = 0
        for brace in _BRACE.findall(code, start, end):
            depth += 1 if brace == "{" else -1
            lowest = min(lowest, depth)
        return depth, lowest

    def _decide(self, conditional: _Conditional, close: re.Match[str]) -> tuple[int, int]:
        """Blanks the branches of a conditional that are not kept. Returns the depths of the kept
        one."""
        branches = conditional.branches
        if body := self._empty_body(branches, close):
            self._blanks += [
                (branch.line_start, branch.start, body if number else "")
                for number, branch in enumerate(branches)
            ]
            self._blanks.append((*close.span("line"), ""))
            return branches[-1].depth, 0
        is_whole = all(branch.depth == 0 and branch.lowest == 0 for branch in branches)
        if is_whole and not self._is_in_statement(branches, close):
            return 0, 0
        chosen = self._choose(conditional)
        for branch in branches:
            self._blanks.append(
                (branch.line_start, branch.start if branch is chosen else branch.end, "")
            )
        self._blanks.append((*close.span("line"), ""))
        return (chosen.depth, chosen.lowest) if chosen is not None else (0, 0)

    def _empty_body(self, branches: list[_Branch], close: re.Match[str]) -> str:
        """Returns the text that ends the functions begun by the branches, if each branch begins a
        function of another name and one body follows all of them; else an empty string."""
        depth = branches[0].depth
        if len(branches) < 2 or any(
            branch.depth != depth or branch.lowest < 0 for branch in branches
        ):
            return ""
        if depth > 1 or (depth == 0 and _BODY.match(self._code, close.end()) is None):
            return ""
        if _WITHIN.search(self._last_statement(1, branches[0].line_start)):
            return ""
        names = [self._name_of_function(branch) for branch in branches]
        if not all(names) or len(set(names)) < len(names):
            return ""
        return "}" if depth else "{}"

    def _name_of_function(self, branch: _Branch) -> str:
        """Returns the name of the function that a branch begins and does not end; else an empty
        string."""
        header_end = branch.end
        depth = 0
        for brace in _BRACE.finditer(self._code, branch.start, branch.end) if branch.depth else ():
            if depth == 0:
                header_end = brace.start()
            depth += 1 if brace[0] == "{" else -1
        header = _HEADER.fullmatch(self._last_statement(branch.start, header_end))
        if header is None:
            return ""
        return header["name"] or _ARGUMENT.sub("", header["selector"])

    def _choose(self, conditional: _Conditional) -> _Branch | None:
        """Chooses the first branch with code in it, unless an earlier conditional with the same
        condition decided otherwise."""
        condition, branches = conditional.condition, conditional.branches
        holds = self._holds.get(condition)
        if holds is not None and holds == conditional.is_negated:
            return branches[1] if len(branches) > 1 else None
        chosen = next(
            (branch for branch in branches if self._code[branch.start : branch.end].strip()),
            branches[0],
        )
        if condition and holds is None:
            self._holds[condition] = (chosen is branches[0]) != conditional.is_negated
        return chosen

    def _is_in_statement(self, branches: list[_Branch], close: re.Match[str]) -> bool:
        """Whether a statement continues from before the conditional into its branches, or from a
        branch past its end."""
        goes_on, continues, code = self._patterns.goes_on, self._patterns.continues, self._code
        head = self._last_statement(1, branches[0].line_start)
        if (
            head.count("(") > head.count(")")
            or goes_on.search(head)
            or continues.match(code, close.end())
        ):
            return True
        for branch in branches:
            if continues.match(code, branch.start, branch.end):
                return True
            tail = self._last_statement(branch.start, branch.end)
            if tail.count("(") != tail.count(")") or goes_on.search(tail):
                return True
        return False

    def _last_statement(self, first: int, end: int) -> str:
        """Returns the text after the last semicolon or brace of a range."""
        code, farthest = self._code, max(first, end - _FARTHEST_STATEMENT)
        start = max(farthest, *(code.rfind(sign, farthest, end) + 1 for sign in ";{}"))
        if start == farthest > first and (line := _LINE_END.search(code, start, end)):
            start = line.end()  # not in the middle of a directive
        return self._patterns.lines_of_statement.sub("", code[start:end]).strip()


_LINE_END: Final = re.compile(r"(?<!\\)(?<!\\\r)\n")
_BRACE: Final = re.compile(r"[{}]")
_BODY: Final = re.compile(r"\s*+\{")
_WITHIN: Final = re.compile(r"(?:\A|\n)[ \t]*+(?!@)[^\n]*[\w*&=(,]\Z")
"""The end of an unfinished statement, such as the type before the name of a function."""

_HEADER: Final = re.compile(
    r"[-+]\s*+\([^(){};=]*+\)\s*+(?P<selector>[^{};=]++)|[^(){};=]*?(?P<name>\w++)\s*+\([^{};]*\)[^(){};=]*+"
)

_ARGUMENT: Final = re.compile(r"\([^()]*+\)\s*+\w*+")
"""An argument between the parts of a selector."""


def _blank(text: str) -> str:
    """Replaces a text by blanks, except its line breaks."""
    if "\n" not in text:
        return " " * len(text)
    return "\n".join([" " * len(line) for line in text.split("\n")])


def _blank_match(match: re.Match[str]) -> str:
    return _blank(match[0])
