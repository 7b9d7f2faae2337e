"""Routines in languages of statements, which the grammar reads as short statements."""

import re
import time

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.parse.mentions import find_mentions
from symindex.extract.parse.statements import hide_statements

SQL = load_languages().by_id["sql"].rules.statements

REST = "SELECT 3;"
CASES = [
    (
        "a batch",
        f"CREATE PROC a AS\nSELECT 12;\nSELECT 2\nGO\n{REST}",
        f"CREATE VIEW a AS SELECT NOT 1\n; \n{REST}",
    ),
    (
        "a semicolon",
        f"CREATE FUNCTION a() RETURNS int RETURN 1 + 11 + 1;\n{REST}",
        f"CREATE VIEW a AS SELECT NOT 1;\n{REST}",
    ),
    (
        "a delimiter",
        f"DELIMITER $$\nCREATE EVENT a DO BEGIN x; y; END$$\nDELIMITER ;\n{REST}",
        f" \nCREATE VIEW a AS SELECT ~1; \n \n{REST}",
    ),
    (
        "a block",
        f"CREATE TRIGGER a AFTER INSERT ON t BEGIN x; END;\n{REST}",
        f"CREATE VIEW a (t)AS SELECT ~1;\n{REST}",
    ),
    (
        "not END IF",
        f"CREATE PROC a BEGIN IF x THEN y; END IF; z; END;\n{REST}",
        f"CREATE VIEW a AS SELECT NOT 1;\n{REST}",
    ),
    (
        "END CASE",
        f"CREATE PROC a BEGIN CASE x WHEN 1 THEN y; END CASE; END;\n{REST}",
        f"CREATE VIEW a AS SELECT NOT 1;\n{REST}",
    ),
    (
        "behind declarations",
        f"CREATE PROC a IS c INT; BEGIN d; END;\n{REST}",
        f"CREATE VIEW a AS SELECT NOT 1;\n{REST}",
    ),
    (
        "the next one",
        "CREATE PROC a AS SELECT 1\n\nCREATE PROC b AS SELECT 2",
        "CREATE VIEW a AS SELECT ?\n\nCREATE VIEW b AS SELECT ?",
    ),
    (
        "not in text",
        f"CREATE FUNCTION a() AS $x$ ; $$ '$x$;\n{REST}",
        f"CREATE VIEW a AS SELECT NOT 1;\n{REST}",
    ),
    ("nothing", "CREATE PROCEDURE a AS BEGIN\nSELECT 'x", "CREATE VIEW a AS SELECT NOT 1"),
    (
        "of a table that is not typed to its end, the next",
        "CREATE TABLE a (b int, c te\nCREATE PROC d AS SELECT 12",
        "CREATE TABLE a (b int, c );\nCREATE VIEW d AS SELECT ? ",
    ),
    ("what is around it", f"IF OBJECT_ID('x') IS NULL\nBEGIN\n{REST}\nEND", f" \n \n{REST}\n "),
]


@pytest.mark.parametrize(
    ("source", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_what_ends_a_routine(source: str, expected: str) -> None:
    hidden = hide_statements(SQL, source.encode()).decode()
    assert len(hidden) == len(source)
    assert re.sub("  +", " ", re.sub("11+", "1", hidden)) == expected


@pytest.mark.parametrize("name", ["a", "[a b]", '"a"', "`a`", "x.y.[z]", "Größe"])
def test_the_place_of_a_name_is_unchanged(name: str) -> None:
    source = f"CREATE PROCEDURE {name} AS SELECT 12345\n".encode()
    hidden = hide_statements(SQL, source)
    assert len(hidden) == len(source) and hidden.find(name.encode()) == source.find(name.encode())


@pytest.mark.parametrize(
    "source", ["", "SELECT 1;\n", "CREATE TABLE a (b int);\n", "-- CREATE PROC a AS SELECT 1\n"]
)
def test_what_holds_no_routine_stays(source: str) -> None:
    assert hide_statements(SQL, source.encode()) == source.encode()


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "source",
    [
        "CREATE PROC a AS SELECT 1\n" * 20_000,
        "CREATE PROC a AS BEGIN\n" * 20_000,
        "DELIMITER $$\n" * 30_000,
        "CREATE PROC a AS\n" + "".join(f"$a{number}$ " for number in range(60_000)),
        "CREATE PROC a AS\n" + "'" * 300_001,
        "CREATE PROC a AS\n" + "/*" * 150_000,
        "CREATE PROC a AS\n" + "q'[" * 30_000,
        "CREATE TRIGGER a " * 20_000,
        "GO\n" * 100_000 + "CREATE PROC a AS SELECT 1",
    ],
    ids=[
        "heads",
        "blocks",
        "delimiters",
        "tags",
        "quotes",
        "comments",
        "brackets",
        "triggers",
        "batches",
    ],
)
def test_what_is_hostile_takes_no_long_time(source: str) -> None:
    start = time.process_time()
    assert len(hide_statements(SQL, source.encode())) == len(source)
    assert time.process_time() - start < 3


def test_what_routines_use_is_found_though_the_grammar_sees_none_of_it() -> None:
    source = b"""CREATE PROC a AS
BEGIN
  IF @x = 1 EXEC dbo.Used 1, 1; -- Used in a comment
  EXEC [dbo].[Used] 'Used in a text';
  EXEC('Used');
END
GO
CREATE FUNCTION b() RETURNS void AS $$ BEGIN PERFORM Used(1); END $$;
"""
    language = load_languages().by_id["sql"]
    lines = [
        source.count(b"\n", 0, mention.start_byte)
        for mention in find_mentions(language, source, [b"Used"])
    ]
    assert lines == [2, 3, 7]
