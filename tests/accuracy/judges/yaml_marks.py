"""PyYAML: keys of mappings in mappings, to a depth of three."""

import json
import sys

import yaml

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def walk(node: yaml.Node, scope: list[str], path: str) -> None:
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode):
            row = {
                "path": path,
                "line": key.start_mark.line + 1,
                "name": key.value,
                "container": ".".join(scope),
                "kind": "key",
            }
            print(json.dumps(row))
            if isinstance(value, yaml.MappingNode) and not value.flow_style and len(scope) < 2:
                walk(value, [*scope, key.value], path)


def main() -> None:
    for path in sys.stdin.read().splitlines():
        try:
            with open(path, encoding="utf-8") as file:
                documents = list(yaml.compose_all(file, Loader))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            print(json.dumps({"path": path, "error": str(error)[:80]}))
            continue
        for document in documents:
            if isinstance(document, yaml.MappingNode) and not document.flow_style:
                walk(document, [], path)


main()
