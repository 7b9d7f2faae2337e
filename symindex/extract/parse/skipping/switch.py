"""The switch that turns off all that this package skips.

Set `IS_ON` to False to parse whole files, to run whole queries, and to search every pattern in
every text. The symbols stay the same, only slower: `tests/extract/test_skipping.py` compares them.
"""

IS_ON = True
"""Whether anything is skipped. Compiled rules and queries are cached, so set it before the first
language is used."""
