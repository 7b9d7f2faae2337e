"""Text as HTML in which invisible characters are visible, so that code cannot look different from
what it is.

Which characters these are is decided by `text/escaping`: controls, marks that change the direction
of text, letters and spaces without width, lone surrogates. Each becomes a small marker with its
code point.
"""

import re

from markupsafe import Markup, escape

from symindex.text.escaping import replace_controls


def show_controls_as_html(text: str) -> Markup:
    """Escapes a text for HTML, with a marker for each invisible character. Line feeds and tabs
    remain."""
    # Escaping first is safe: it only adds printable characters.
    return Markup(replace_controls(str(escape(str(text))), _marker))


def _marker(match: re.Match[str]) -> str:
    code_point = f"U+{ord(match[0]):04X}"
    return f'<span class="ctl" title="{code_point}">{code_point}</span>'
