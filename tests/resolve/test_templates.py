"""Templates use the symbols of the language whose code they contain."""

import pytest

from tests.support.bound import bound_lines
from tests.support.files import Maker

TEMPLATES = {
    # by the template's path: the code that defines, its symbol, and the template
    "views/x.html.erb": (
        "app/h.rb", "module H\n  def errors_for(o); end\nend\n", "H.errors_for",
        "<div>\n  <%= errors_for @cart %>\n  <a href=\"<%= errors_for(1) %>\">x</a>\n</div>\n",
    ),
    "lib/x.html.eex": (
        "lib/a.ex", "defmodule App.View do\n  def full_name(u), do: u.name\nend\n", "App.View.full_name",
        "<div>\n  <%= App.View.full_name(@user) %>\n  <p class=\"<%= App.View.full_name(1) %>\">x</p>\n</div>\n",
    ),
    "lib/x.html.heex": (
        "lib/a.ex", "defmodule App.View do\n  def full_name(u), do: u.name\nend\n", "App.View.full_name",
        "<div>\n  <%= App.View.full_name(@user) %>\n  <p class={App.View.full_name(1)}>x</p>\n</div>\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", TEMPLATES)
def test_a_template_uses_what_its_code_names(make_workspace: Maker, path: str) -> None:
    of, code, name, template = TEMPLATES[path]
    workspace = make_workspace({of: code, path: template})
    lines = [line.rstrip("?") for line in bound_lines(workspace, f"{of}#{name}")]
    assert lines == [f"{path}:2", f"{path}:3"]
