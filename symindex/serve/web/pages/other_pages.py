"""The pages that show no code: the query language, the settings, the login."""

from symindex.serve.web.site import Page, Site, Visit


def help_page(site: Site, visit: Visit) -> Page:
    """Returns the query language, with examples from these repositories, and the keys."""
    return Page("help.html", {"title": "Help", "examples": examples(site)})


def settings_page(site: Site, visit: Visit) -> Page:
    return Page("settings.html", {"title": "Settings"})


def login_page(site: Site, visit: Visit) -> Page:
    return Page("login.html", {"title": "Log in", "is_wrong": bool(visit.get("wrong"))})


def examples(site: Site) -> list[tuple[str, str]]:
    """Returns queries with what they find, made of symbols that these repositories have."""
    from symindex.protocol.freshness import SOON

    response = site.answers.search("", max_items=40, include=["language"], freshness=SOON)
    items = response.items
    if not items:
        return []
    first = items[0]
    rows = [(first.name, "a name, or a part of it; case and _ do not matter")]
    short = "".join(letter for letter in first.name if letter.isupper())
    if len(short) > 1:
        rows.append((short, "the first letters of its words"))
    member = next((item for item in items if item.container), None)
    if member is not None:
        inner = (member.container or "").rpartition(".")[2]
        rows.append((f"{inner}.{member.name}", "a member of a type"))
        rows.append((f"{inner}.", "all members of a type"))
    rows.append((f"{first.name} kind:{first.kind}", "only symbols of a kind"))
    if first.language:
        rows.append((f"{first.name} lang:{first.language}", "only one language"))
    if "/" in first.file_path:
        folder = first.file_path.rpartition("/")[0]
        rows.append((f"{first.name} path:{folder}/", "only in a folder"))
    rows.append((f"{first.name} is:test", "only tests; NOT is:test leaves them out"))
    rows.append((f"{first.name} OR {items[-1].name}", "one of two; AND, NOT and ( ) work, too"))
    return rows
