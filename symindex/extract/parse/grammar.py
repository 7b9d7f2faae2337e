"""Loads grammars by name: from the pack, or from an installed package."""

import importlib
import importlib.util
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Final, get_args

import tree_sitter

from symindex.errors import GrammarError, like_it
from symindex.extract.languages.language import Language
from symindex.extract.parse.query_errors import known_words

_PACKAGES: Final = "tree-sitter-"

_PACK: Final = "tree_sitter_language_pack"


def load_by_name(name: str) -> tree_sitter.Language:
    """Loads the grammar that `grammar` in a `language.toml` names. Raises ValueError that suggests
    a right name."""
    if name.startswith(_PACKAGES):
        return _of_package(name)
    with suppress(
        ImportError, AttributeError, OSError, TypeError, ValueError
    ):  # then the pack reports the fault
        if (grammar := _of_pack(name)) is not None:
            return grammar
    from tree_sitter_language_pack import (
        get_language,
    )  # here, because it takes longer than twenty grammars

    try:
        return get_language(name)  # type: ignore[arg-type]  # from data
    except LookupError:
        raise ValueError(f"no such grammar in the pack{_meant(name)}") from None
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"the pack cannot load it: {error}") from None


def _of_pack(name: str) -> tree_sitter.Language | None:
    """Loads a grammar of the pack from its own file; returns `None` if there is none of that name.
    The pack's module would also load all grammars that are separate packages."""
    pack = importlib.util.find_spec(_PACK)
    if pack is None or not re.fullmatch(r"[a-z0-9_]{1,80}", name):
        return None
    for folder in pack.submodule_search_locations or ():
        for suffix in EXTENSION_SUFFIXES:
            path = os.path.join(folder, "bindings", f"{name}{suffix}")
            if os.path.isfile(path):
                spec = importlib.util.spec_from_file_location(f"{_PACK}.bindings.{name}", path)
                if spec is not None and spec.loader is not None:
                    module = importlib.util.module_from_spec(spec)
                    spec.loader.exec_module(module)
                    return tree_sitter.Language(module.language())
    return None


def _meant(name: str) -> str:
    """Returns a hint at the name that was probably meant."""
    from tree_sitter_language_pack import SupportedLanguage  # here, as above

    package = _PACKAGES + re.sub(r"^tree-sitter-", "", name.replace("_", "-"))
    if (
        re.fullmatch(r"[a-z0-9-]{1,80}", package)
        and importlib.util.find_spec(package.replace("-", "_")) is not None
    ):
        return f", but a package is installed: {package!r}"
    return (
        f"{like_it(name, get_args(SupportedLanguage))}; a grammar of an installed package is named"
        f" {_PACKAGES}NAME"
    )


def _of_package(name: str) -> tree_sitter.Language:
    """Loads the grammar of an installed package. It follows the conventions of tree-sitter's own
    bindings: `tree-sitter-foo` has a module `tree_sitter_foo` with a function `language`, and
    `tree-sitter-foo:bar` means its function `language_bar`."""
    package, _, part = name.partition(":")
    if not re.fullmatch(r"[a-z0-9-]{1,80}", package):
        raise ValueError("not the name of a package: use lower-case letters, digits and hyphens")
    module_name = package.replace("-", "_")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(f"{error}; install that package next to symindex") from None
    except (ImportError, OSError) as error:
        raise ValueError(
            f"installed, but it cannot be loaded here: {error}; install it in a build for this"
            " system"
        ) from None
    function = getattr(module, f"language_{part}" if part else "language", None)
    if not callable(function):
        raise ValueError(f"that package has no such grammar{_others(package, vars(module))}")
    try:
        grammar = tree_sitter.Language(function())
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"that package does not provide a grammar: {error}") from None
    oldest, newest = tree_sitter.MIN_COMPATIBLE_LANGUAGE_VERSION, tree_sitter.LANGUAGE_VERSION
    if not oldest <= grammar.abi_version <= newest:  # an incompatible grammar would end the process
        raise ValueError(
            f"made for format {grammar.abi_version} of tree-sitter, which reads {oldest} to"
            f" {newest}; install another version of that package"
        )
    return grammar


def _others(package: str, names: Iterable[str]) -> str:
    """Returns a hint at the names that a package has instead."""
    parts = [
        f"{package}:{name.removeprefix('language_')}"
        for name in sorted(names)
        if name.startswith("language_")
    ]
    have = [*([package] if "language" in names else []), *parts]
    if have:
        return f", but {' '.join(have)}"
    return (
        "; for a grammar of the pack write its name alone"
        if package == "tree-sitter-language-pack"
        else " at all"
    )


def load_grammar(language: Language) -> tree_sitter.Language:
    """Loads the grammar of a language, once. Raises GrammarError if the pack does not have it, or
    if the rules name unknown nodes."""
    rules = language.rules
    root = (rules.query_root,) if rules.query_root else ()
    nodes = (
        ("identifiers", tuple(rules.identifiers)),
        ("bare_code", tuple(rules.bare_code)),
        ("query_root", root),
    )
    return _load(language.id, rules.grammar, nodes)


@cache
def _load(
    language_id: str, name: str, nodes: tuple[tuple[str, tuple[str, ...]], ...]
) -> tree_sitter.Language:
    """Loads a grammar and checks the nodes that rules name. nodes: keys of the rules, each with the
    types of nodes that it names."""
    file = f"grammars/{language_id}/language.toml"
    try:
        grammar = load_by_name(name)
    except ValueError as error:
        raise GrammarError(f"{file}: grammar {name!r}: {error}", "grammar") from None
    for key, node_types in nodes:
        for node_type in node_types:
            if grammar.id_for_node_kind(node_type, True) is None:
                near = like_it(node_type, known_words(grammar, "node"))
                raise GrammarError(
                    f"{file}: {key}: {node_type!r} is not a node of the grammar {name}{near}",
                    key,
                    node_type,
                )
    return grammar
