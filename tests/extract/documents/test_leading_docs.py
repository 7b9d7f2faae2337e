"""The leading doc of a code file in each language: its docstring or first comment, without
licences, settings, and docs of definitions."""

import ast
import sysconfig
import time
from pathlib import Path

import pytest

from symindex.extract.documents.leading_docs import HEAD_BYTES, leading_doc
from symindex.extract.languages.registry import load_languages

APACHE = "Copyright 2020 The Authors\n{0} Licensed under the Apache License, Version 2.0"

CASES = [
    ("python", '"""About."""\nimport x\n', "About."),
    ("python", "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n# " + APACHE.format("#") + "\n\nr'''A\n\n  b'''\n", "A\n\nb"),
    ("python", '# About.\n\nimport x\n', "About."),
    ("python", '# About.\nimport x\n', "About."),
    ("python", "# Of the class.\nclass A: pass\n", None),
    ("python", '"a" + b\n', None),
    ("python", 'x = 1\n"""no"""\n', None),
    ("rust", "// " + APACHE.format("//") + "\n\n//! About.\n//!\n//! More.\nstruct A;\n", "About.\n\nMore."),
    ("rust", "/// Of the type.\nstruct A;\n", None),
    ("rust", "#![no_std]\n//! About.\nfn a() {}\n", "About."),
    ("go", "// " + APACHE.format("//") + "\n\n//go:build linux\n\n// Package a is about.\npackage a\n", "Package a is about."),
    ("java", "/* " + APACHE.format("*") + " */\npackage a;\n\n/** Of the class. */\nclass A {}\n", None),
    ("java", "/** About. */\npackage a;\n", "About."),
    ("javascript", "/**\n * @license\n */\n\n/**\n * @fileoverview About.\n */\nfunction a() {}\n", "@fileoverview About."),
    ("javascript", "'use strict';\n/* eslint-disable */\n// About.\nconst a = require('a');\n", "About."),
    ("typescript", "/** Of the function. */\nexport function a() {}\n", None),
    ("tsx", "// About.\nimport a from 'a'\n", "About."),
    ("c", "/* vim: set ts=4: */\n/*\n * About a.\n *\n * Copyright (C) 2020 A\n * more\n */\n#include <a.h>\n", "About a."),
    ("c", "#ifndef A_H\n#define A_H\n\n/** @file\n * About. */\nint a(void);\n", "@file\nAbout."),
    ("cpp", "//===- a.h - About --------*- C++ -*-===//\n//\n// This file is distributed under x\n\nclass A;\n", "a.h - About"),
    ("cpp", "// a.h\n// Copyright x\n\nclass A;\n", None),
    ("csharp", "// About.\n\nusing A;\n", "About."),
    ("kotlin", '@file:JvmName("A")\n// About.\npackage a\n', "About."),
    ("php", "<?php\n\ndeclare(strict_types=1);\n\n/* About. */\nnamespace A;\n", "About."),
    ("ruby", "# frozen_string_literal: true\n\n# About.\n\nclass A; end\n", "About."),
    ("ruby", "# Of the class.\nclass A; end\n", None),
    ("bash", "#!/bin/sh\n# About.\nset -e\n", "About."),
    ("bash", "#!/bin/sh\n# Of the function.\na() { :; }\n", None),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "expected"), CASES)
def test_leading_doc(language: str, text: str, expected: str | None) -> None:
    doc = leading_doc(text.encode(), load_languages().by_id[language])
    assert (doc and doc[2]) == expected
    if doc:
        assert doc[2].split()[-1] in text.encode()[doc[0] : doc[1]].decode()
        assert text.encode()[doc[0] : doc[1]].strip() == text.encode()[doc[0] : doc[1]]


@pytest.mark.nightly
def test_docstrings_of_the_standard_library() -> None:
    """Each docstring that Python's own parser sees is found at its place, and no other string
    is."""
    language = load_languages().by_id["python"]
    n_docs = 0
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:80]:
        data = path.read_bytes()
        first = next(iter(ast.parse(data).body), None)
        doc = leading_doc(data, language)
        is_doc = (
            isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
        )
        if is_doc:
            assert doc and data.count(b"\n", 0, doc[0]) + 1 == first.lineno, path  # type: ignore[union-attr]
            assert data.count(b"\n", 0, doc[1]) + 1 == first.end_lineno or doc[1] == HEAD_BYTES  # type: ignore[union-attr]
            n_docs += 1
        else:
            assert not doc or data[doc[0] : doc[0] + 1] == b"#", path
    assert n_docs > 40


@pytest.mark.sample(28)
@pytest.mark.slow
@pytest.mark.parametrize("language", load_languages().by_id)
def test_any_head_is_quick(language: str) -> None:
    """The number of open comments does not matter."""
    rules = load_languages().by_id[language]
    for piece in (
        "#",
        "# a\n",
        "//",
        "// a\n",
        "/*",
        "/* a */",
        "/* a */\n",
        '"""',
        '"',
        "'",
        "\n",
        " ",
        "=begin\n",
        "<?php\n",
        "#define\n",
        "\xff",
        "-*-",
    ):
        data = (piece * 100_000).encode()
        begin = time.process_time()
        leading_doc(data, rules)
        assert time.process_time() - begin < 0.5, piece
