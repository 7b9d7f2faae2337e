"""GHDL's parser, through its XML: design units, their declarations and labels. Names are spelled as
in the source."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as Xml
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

KINDS = {
    "entity_declaration": "entity", "architecture_body": "architecture", "package_declaration": "package",
    "package_body": "package", "configuration_declaration": "configuration", "context_declaration": "context",
    "package_instantiation_declaration": "package", "component_declaration": "component", "subtype_declaration": "type",
    "type_declaration": "type", "enumeration_literal": "literal", "element_declaration": "element",
    "constant_declaration": "constant", "signal_declaration": "signal", "variable_declaration": "variable",
    "file_declaration": "file", "object_alias_declaration": "alias", "non_object_alias_declaration": "alias",
    "attribute_declaration": "attribute", "function_declaration": "function", "procedure_declaration": "procedure",
    "process_statement": "process", "sensitized_process_statement": "process", "block_statement": "block",
    "for_generate_statement": "generate", "if_generate_statement": "generate", "case_generate_statement": "generate",
    "component_instantiation_statement": "instance", "protected_type_body": "type",
}  # fmt: skip
WORD = re.compile(r'\\[^\\]*\\|"[^"]*"|\'.\'|\w+')
LABELS = ("process", "block", "generate", "instance")
SHARED = ("type", "element", "literal")


class Walk:
    """Walks one file. Type names have a column; labels have only that of their statement."""

    def __init__(self, path: str, lines: list[str]) -> None:
        self.path, self.lines = path, lines
        self.file = path.rpartition("/")[2]

    def put(self, node: Xml.Element, scope: Sequence[str], kind: str) -> str:
        line = int(node.get("line", "0"))
        text = self.lines[line - 1].expandtabs() if 0 < line <= len(self.lines) else ""
        match = WORD.match(text, int(node.get("col", "1")) - 1)
        name = node.get("identifier") or node.get("label") or ""
        if kind in LABELS:
            match = re.compile(rf"(?i){re.escape(name)}\b").search(text)
        if match and match.group().lower().strip('"') == name.lower().strip('"'):
            name = match.group()
        if (name and not re.match(r"(?i)P\d+$", name)) or kind not in LABELS:
            row = {
                "path": self.path,
                "line": line,
                "name": name.strip('"'),
                "container": ".".join(scope),
                "kind": kind,
            }
            print(json.dumps(row))
        return name

    def visit(self, node: Xml.Element, scope: Sequence[str], listed: bool = False) -> None:
        kind = node.get("kind", "")
        if (
            kind in ("function_body", "procedure_body")
            or node.get("file", self.file).rpartition("/")[2] != self.file
        ):
            return
        if kind == "non_object_alias_declaration" and node.get("implicit_alias_flag") == "true":
            return
        if kind == "enumeration_literal" and not listed:
            return
        if (
            kind in KINDS
            and node.get("implicit_definition", "IIR_PREDEFINED_NONE") == "IIR_PREDEFINED_NONE"
        ):
            name = (
                self.put(node, scope, KINDS[kind])
                if node.get("identifier") or node.get("label")
                else ""
            )
            inner = [*scope, name] if name else scope
            for part in node:
                if part.tag in ("port_chain", "generic_chain"):
                    for child in part:
                        self.put(child, inner, "port" if part.tag == "port_chain" else "generic")
                elif (
                    KINDS[kind] not in ("function", "procedure", "process")
                    and kind != "package_instantiation_declaration"
                ):
                    self.visit(part, inner)
            return
        for child in node:
            self.visit(child, scope, node.tag == "enumeration_literal_list")


def read(path: str) -> Xml.Element | None:
    """Reads a file, or a body with the package next to it: GHDL also analyses, and needs it."""
    head = re.sub(r"[-_]body(?=\.)", "", path)
    for files in ([path], [head, path]):
        command = ["ghdl", "--file-to-xml", "--std=08", "-frelaxed", "-fsynopsys", *files]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, errors="replace"
        )
        try:
            return Xml.fromstring(done.stdout)
        except Xml.ParseError:
            continue
    return None


def main() -> None:
    paths = sys.stdin.read().splitlines()
    with ThreadPoolExecutor(2) as pool:
        for path, tree in zip(paths, pool.map(read, paths), strict=True):
            if tree is None:
                print(json.dumps({"path": path, "error": "syntax"}))
                continue
            with open(path, encoding="latin-1") as file:
                walk = Walk(path, file.read().split("\n"))
            for element in tree.iter("el"):
                if element.get("kind") == "design_file" and element.get("design_file_filename") in (
                    path,
                    walk.file,
                ):
                    walk.visit(element, ())


main()
