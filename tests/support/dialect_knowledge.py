"""The stored knowledge of a project, for context-mode and Sibyl: added content, notes of three
sessions, typed entities."""

import json
import time
from pathlib import Path
from typing import Final

from tests.support.dialect_world import CURRENT_SESSION, PROJECT, World, make_world, page
from tests.support.files import write_files

DAY: Final = 86_400
NOW: Final = time.time()
FILLER: Final = "Morning light falls on quiet meadows beyond our village. "


def date(days: float) -> str:
    """Returns the ISO date of this number of days ago."""
    return time.strftime("%Y-%m-%d", time.gmtime(NOW - days * DAY))


CODE: Final = """```javascript
useEffect(() => {
  const timer = setInterval(tick, 1000)
  return () => clearInterval(timer) // REACTCODE cleanup pattern
}, [])
```
"""
HANDBOOK: Final = {
    "Warm store": "A cached answer is served first, says STEMCACHED.",
    "Cold store": "It caches each page for a day, says STEMCACHES.",
    "Odd store": "The word cach is a stem, says STEMCACH.",
    "Tone": "A mellifluous voice, WHOLEWORD.",
    "Antitone": "A word like unmellifluously, PARTWORD.",
    "Dock alpha": f"FARWORDS The zeppelin waits. {FILLER * 12}Its hangar is closed.",
    "Dock beta": f"NEARWORDS The zeppelin hangar waits. {FILLER * 12}It is closed.",
    "Quagga habits": "It grazes at noon, INTITLE.",
    "Other animals": "A quagga grazes at noon, INBODY.",
    "Chronicle": f"CHRONICLEBEGIN {FILLER * 60}The heliograph flashed at NOONMARK. {FILLER * 60}CHRONICLEEND",
    "Flags": "Its qz flag doubles the speed, SHORTWORD.",
    "缓存策略": "缓存策略很重要 CJKMARK",
    "Getter": "A get of some value GETMARK",
    "User": "How to use such a value USEMARK",
    "Tester": "To test such a value TESTMARK",
    "Runner": "To run such a value RUNMARK",
    "Adder": "To add such a value ADDMARK",
    "Talents": "Their skills are rare, SKILLMARK.",
    "Faces": "Their smiles are rare, SMILEMARK.",
    "Ends": "It comes last, LASTMARK.",
    "Rows": "It has a list, LISTMARK.",
    "Tents": "A yurt stands there, YURTMARK.",
    "Heat": "Of thermoregulation in mammals, THERMOMARK.",
    **{f"Burrow {number:02}": f"The wombat digs here, WOMBAT{number:02}." for number in range(12)},
}
SAME_TITLE: Final = (
    "\n## Setup\n\nThe axolotl tank one, SETUPONE.\n\n## Setup\n\nThe axolotl tank two, SETUPTWO.\n"
)
ADDED: Final = {
    "handbook": "".join(f"\n## {title}\n\n{body}\n" for title, body in HANDBOOK.items())
    + SAME_TITLE,
    "react-docs": "# Effects\n\n## useEffect explained\n\nThe cleanup pattern of useEffect in words, REACTPROSE.\n\n"
    f"## useEffect in practice\n\n{CODE}",
    "issue-#683": "# Issue\n\n## Root cause\n\nThe root cause is a race, ROOTMARK.\n\n"
    "## Proposed fix\n\nThe proposed fix is a lock, FIXMARK.\n\n"
    "## Test coverage\n\nThe test coverage is thin, COVERMARK.\n",
    "next-docs": "# Next.js\n\n## Middleware\n\nNext.js middleware configuration stands in middleware.ts, NEXTMARK.\n\n"
    "## Tarsier routes\n\nThe tarsier routes of documents, TARSIERDOC.\n",
    "api-docs": "# API reference\n\n## Endpoints\n\nThe API reference lists endpoints, APIMARK.\n",
}
CATEGORIES: Final = (
    "decision",
    "error",
    "error-resolution",
    "blocker",
    "plan",
    "user-prompt",
    "rejected-approach",
    "compaction",
)
# Days ago, session, category, text; oldest first.
NOTES: Final = (
    (60, "session-old", "decision", "We decided about caching: keep nothing OLDCACHE"),
    (60, "session-old", "error", "The last deploy failed, the kookaburra laughed OLDBIRD"),
    (59, "session-old", "plan", "Plan: the last user migration OLDPLAN"),
    (3, "session-before", "decision", "We decided about caching: put it behind a flag BEFORECACHE"),
    (3, "session-before", "error", "The kookaburra failed once more BEFOREBIRD"),
    (3, "session-before", "user-prompt", "Please make the login page faster BEFOREPROMPT"),
    (0.04, CURRENT_SESSION, "decision", "We decided about caching: an LRU of 512 entries NOWCACHE"),
    (0.03, CURRENT_SESSION, "error", "A kookaburra again NOWBIRD"),
    (0.03, CURRENT_SESSION, "skill", "Active skills: deploy and review NOWSKILLS"),
    (0.02, CURRENT_SESSION, "blocker", "Open: staging has no certificate NOWBLOCKER"),
    (0.01, CURRENT_SESSION, "user-prompt", "Please fix the login page for guests NOWPROMPT"),
    *(
        (0.005, CURRENT_SESSION, category, f"A wallaby for NOTE:{category}:")
        for category in CATEGORIES
    ),
)


def notes() -> str:
    """Returns the notes in the form that `note import` reads, without their project."""
    lines = []
    for number, (days, session, category, text) in enumerate(NOTES, 1):
        about = {
            "id": number,
            "uid": f"{number:032x}",
            "time_ms": int((NOW - days * DAY) * 1000),
            "session": session,
        }
        lines.append(
            {"text": text, "category": category, "source": "", "author": "", "links": [], **about}
        )
    return "\n".join(json.dumps(line) for line in lines)


def entity(kind: str, number: str, title: str, body: str, **fields: str) -> str:
    return page(body, type=kind, id=number, title=title, **fields)


LONG: Final = f"The recommended OAuth flow uses PKCE. {FILLER * 80}OAUTHEND"
STATUSES: Final = ("backlog", "todo", "doing", "blocked", "review", "done", "archived")
TYPES: Final = ("pattern", "rule", "template", "topic", "episode", "task", "project")
ENTITIES: Final = {
    "oauth": entity(
        "pattern", "pattern_abc123", "OAuth 2.0 PKCE Flow", f"OAuth implementation patterns. {LONG}",
        category="authentication", languages="[typescript, python]", source="handbook-of-auth",
    ),
    "errors-py": entity("pattern", "pattern_err_py", "Error handling", "Error handling patterns of code.", language="python"),
    "errors-go": entity("pattern", "pattern_err_go", "Error handling", "Error handling patterns of values.", language="go"),
    "rule-py": entity("rule", "rule_err_py", "Errors", "Rules for error handling patterns.", language="python"),
    "template-py": entity("template", "template_err", "Errors", "A template for error handling patterns.", language="python"),
    "episode-new": entity("episode", "episode_new", "Debugging", "Debugging insights from a race.", date=date(2)),
    "episode-mid": entity("episode", "episode_mid", "Debugging", "Debugging insights from a leak.", date=date(10)),
    "episode-old": entity("episode", "episode_old", "Debugging", "Debugging insights from a crash.", date=date(100)),
    "store": entity("project", "proj_abc123", "Storefront", "The storefront project."),
    "depot": entity("project", "proj_xyz789", "Warehouse", "The warehouse project."),
    "login": entity(
        "task", "task_login", "Log in", "Add authentication.", status="todo", project="proj_abc123", assignee="Ada"
    ),
    "logout": entity(
        "task", "task_logout", "Log out", "Remove authentication.", status="doing", project="proj_abc123", assignee="Grace"
    ),
    "signup": entity("task", "task_signup", "Sign up", "Begin authentication.", status="done", project="proj_abc123"),
    "scan": entity("task", "task_scan", "Scan", "Skip authentication.", status="todo", project="proj_xyz789"),
    **{f"sloth-{name}": entity("task", f"task_{name}", "Sloth", f"A sloth sleeps, {name}.", status=name) for name in STATUSES},
    **{f"kiwi-{kind}": entity(kind, f"{kind}_kiwi", "Kiwi", f"The kiwi runs, {kind}.") for kind in TYPES},
    **{f"walrus-{n:02}": entity("topic", f"topic_walrus_{n:02}", "Walrus", f"A walrus {n}.") for n in range(12)},
    "lemur-new": entity("topic", "topic_lemur_new", "Lemur", "A lemur leaps left.", date=date(1)),
    "lemur-year": entity("topic", "topic_lemur_year", "Lemur", "A lemur leaps right.", date=date(365)),
    "lemur-old": entity("topic", "topic_lemur_old", "Lemur", "A lemur leaps above.", date=date(3000)),
    "lemur-undated": entity("topic", "topic_lemur_undated", "Lemur", "A lemur leaps below."),
    "tarsier": entity("topic", "topic_tarsier", "Tarsier", "The tarsier routes of the graph."),
}  # fmt: skip


def make_knowledge(top: Path, **variables: str) -> World:
    """Makes a world whose project has entities, added content and notes of three sessions."""
    graph = {f"docs/graph/{name}.md": text for name, text in ENTITIES.items()}
    world = make_world(top, {**PROJECT, **graph}, **variables)
    given = "".join(
        json.dumps({**json.loads(line), "project": str(world.root)}) + "\n"
        for line in notes().splitlines()
    )
    world.run("note", "import", "-", given=given)
    write_files(top / "added", {f"{label}.md": text for label, text in ADDED.items()})
    for label in ADDED:
        world.run("add", str(top / "added" / f"{label}.md"), "--source", label)
    return world
