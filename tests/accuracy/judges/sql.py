"""sqlglot, in the dialect that the path names: tables and columns, views, indexes, routines,
triggers, sequences, schemas."""

import json
import logging
import re
import sys

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType

DIALECTS = (
    ("postgres", "postgres|pgsql|psql"),
    ("mysql", "mysql|mariadb"),
    ("sqlite", "sqlite"),
    ("tsql", "mssql|tsql"),
    ("oracle", "oracle"),
)
KINDS = {
    "TABLE": "table", "VIEW": "view", "INDEX": "index", "FUNCTION": "function", "PROCEDURE": "procedure", "TRIGGER": "trigger",
    "SEQUENCE": "sequence", "SCHEMA": "schema", "DATABASE": "schema", "TYPE": "type",
}  # fmt: skip


def put(path: str, name: exp.Expression | None, scope: list[str], kind: str) -> None:
    if isinstance(name, exp.Identifier) and "line" in name.meta:
        row = {
            "path": path,
            "line": name.meta["line"],
            "name": name.name,
            "container": ".".join(scope),
            "kind": kind,
        }
        print(json.dumps(row))


def parts(table: exp.Table) -> tuple[exp.Expression | None, list[str]]:
    """Returns the name of a table and its qualifiers."""
    return table.this, [
        qualifier.name
        for qualifier in (table.args.get("catalog"), table.args.get("db"))
        if qualifier
    ]


def create(path: str, node: exp.Create) -> None:
    kind = KINDS.get(str(node.args.get("kind")).upper(), "")
    this = node.this
    columns = this.expressions if isinstance(this, exp.Schema) and kind == "table" else []
    while isinstance(this, exp.Schema | exp.UserDefinedFunction):
        this = this.this
    if isinstance(this, exp.Index):
        put(path, this.this, [], kind)
    elif isinstance(this, exp.Table) and kind:
        if kind == "schema":
            put(path, this.this or this.args.get("db"), [], kind)
            return
        name, scope = parts(this)
        put(path, name, scope, kind)
        for column in columns:
            if isinstance(column, exp.ColumnDef):
                put(path, column.this, [*scope, name.name if name else ""], "column")


def alter(path: str, node: exp.Alter) -> None:
    name, scope = parts(node.this)
    for action in node.args.get("actions") or ():
        if isinstance(action, exp.ColumnDef):
            put(path, action.this, [*scope, name.name if name else ""], "column")


def statements(tokens: list[Token]) -> list[list[Token]]:
    statements: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            statements.append([])
        else:
            statements[-1].append(token)
    return [statement for statement in statements if statement]


def judge(path: str, text: str) -> None:
    dialect = next(
        (name for name, words in DIALECTS if re.search(rf"[/._-](?:{words})", path)), "mysql"
    )
    speaks = sqlglot.Dialect.get_or_raise(dialect)
    try:
        tokens = speaks.tokenize(text)
    except SqlglotError as error:
        print(json.dumps({"path": path, "error": str(error)[:80]}))
        return
    for chunk in statements(tokens):
        try:
            [node] = speaks.parser().parse(chunk, text)
        except (SqlglotError, ValueError, AttributeError, TypeError):
            node = None
        if isinstance(node, exp.Create):
            create(path, node)
        elif isinstance(node, exp.Alter) and isinstance(node.this, exp.Table):
            alter(path, node)
        elif node is None or isinstance(node, exp.Command):
            print(json.dumps({"path": path, "skip": [chunk[0].line, chunk[-1].line]}))


def main() -> None:
    logging.disable(logging.WARNING)
    for path in sys.stdin.read().splitlines():
        with open(path, encoding="utf-8", errors="replace") as file:
            judge(path, file.read())


main()
