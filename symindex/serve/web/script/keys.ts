/** Keys for everything that a pointer can do. A switch in the settings turns them off. */

import { closeCard, goToDefinition, nameLink, openCard } from "./card";
import { closeDock, isDockOpen, openDock } from "./dock";
import { permalink } from "./file";
import { isLive, leaveLive, shownPart } from "./live";
import { announce, readSettings } from "./settings";

const HITS = "symindex.hits";

const ROWS = ".hit, .uses a, .entries a, .symbols li > a:first-child, .texts a, .repositories a, .tree a.name";

interface Hits {
  links: string[];
  at: number;
}

function isVisible(element: HTMLElement): boolean {
  return element.offsetParent !== null;
}

function rows(): HTMLAnchorElement[] {
  const inDock = isDockOpen() && document.getElementById("dock")?.contains(document.activeElement);
  const part = inDock ? document.getElementById("dock") : shownPart();
  return Array.from(part?.querySelectorAll<HTMLAnchorElement>(ROWS) ?? []).filter(isVisible);
}

function move(step: number): void {
  const all = rows();
  if (!all.length) return;
  const now = all.indexOf(document.activeElement as HTMLAnchorElement);
  if (now === 0 && step < 0 && isLive()) {
    document.getElementById("q")?.focus();
    return;
  }
  const next = all[now < 0 ? (step > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, now + step))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

/** Keeps the list that a link was chosen from, for the keys [ and ]. */
function keepHits(link: HTMLAnchorElement): void {
  const list = link.closest(".rows, .panel, .symbols, .texts");
  if (!list) return;
  const links = Array.from(list.querySelectorAll<HTMLAnchorElement>(ROWS)).map((row) => row.href);
  const hits: Hits = { links: links.slice(0, 500), at: links.indexOf(link.href) };
  try {
    if (hits.at >= 0) sessionStorage.setItem(HITS, JSON.stringify(hits));
  } catch {
    // without storage, the keys have no list
  }
}

function step(by: number): void {
  const hits = isDockOpen() ? dockHits() : readHits();
  const at = hits ? hits.at + by : -1;
  if (!hits || !(at in hits.links)) {
    announce(by > 0 ? "There is no next hit" : "There is no previous hit");
    return;
  }
  const target = new URL(hits.links[at], location.href);
  if (target.origin !== location.origin) return;
  if (!isDockOpen()) sessionStorage.setItem(HITS, JSON.stringify({ ...hits, at }));
  location.assign(target.href);
}

/** Returns the list that was kept; other pages of this origin may have changed it. */
function readHits(): Hits | undefined {
  try {
    const { links, at } = JSON.parse(sessionStorage.getItem(HITS) ?? "null") as Hits;
    const isList = Array.isArray(links) && links.every((link) => URL.canParse(link, location.href));
    return isList && typeof at === "number" ? { links, at } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the rows of the open panel, and which of them this page shows. */
function dockHits(): Hits {
  const rows = Array.from(document.querySelectorAll<HTMLAnchorElement>(`#dock ${ROWS.replace(/, /g, ", #dock ")}`));
  const links = rows.filter(isVisible).map((row) => row.href);
  return { links, at: links.indexOf(location.href) };
}

/** Returns the address of the references of a candidate on the open card: the one in focus, or the
 *  first; empty if no card is open. */
function cardReferences(focused: Element | null): string {
  const row = focused?.closest(".floating li") ?? document.querySelector(".floating li");
  return row?.querySelector<HTMLAnchorElement>("a[data-dock]")?.href ?? "";
}

async function references(): Promise<void> {
  const focused = document.activeElement;
  const ofCard = cardReferences(focused);
  if (ofCard) {
    closeCard(false);
    await openDock(ofCard);
    return;
  }
  const row = focused instanceof HTMLAnchorElement && focused.pathname.includes("/-/symbol/") ? focused.href : "";
  const symbol = row || document.body.dataset.symbol;
  if (symbol) {
    await openDock(`${symbol.split("?")[0].split("#")[0]}?show=references`);
    document.querySelector<HTMLElement>("#dock .uses a")?.focus();
    return;
  }
  const name = nameLink(focused);
  if (!name) return;
  await openCard(name, true);
  const links = document.querySelectorAll<HTMLAnchorElement>(".floating a[data-dock]");
  if (links.length === 1) {
    closeCard(false);
    await openDock(links[0].href);
  } else {
    links[0]?.focus(); // several symbols have this name: the reader chooses
  }
}

function outline(): void {
  const details = document.querySelector<HTMLDetailsElement>(".outline details");
  if (!details) return;
  details.open = true;
  (details.querySelector<HTMLElement>("a.now") ?? details.querySelector<HTMLElement>("a"))?.focus();
}

async function definition(): Promise<void> {
  const name = nameLink(document.activeElement);
  if (name) await goToDefinition(name);
  else document.querySelector<HTMLAnchorElement>("[aria-label='Symbol'] a")?.click();
}

function escape(): void {
  if (closeCard()) return;
  if (isLive()) {
    leaveLive();
    document.getElementById("q")?.blur();
  } else if (document.activeElement?.id === "q") {
    (document.activeElement as HTMLElement).blur();
  } else if (!closeDock() && history.length > 1) {
    history.back();
  }
}

const KEYS: Record<string, () => void> = {
  "/": () => focusSearch(),
  s: () => focusSearch(),
  j: () => move(1),
  ArrowDown: () => move(1),
  k: () => move(-1),
  ArrowUp: () => move(-1),
  o: outline,
  r: () => void references(),
  d: () => void definition(),
  "[": () => step(-1),
  "]": () => step(1),
  y: () => void permalink(),
  "?": () => location.assign("/-/help"),
  Escape: escape,
};

function focusSearch(): void {
  const field = document.getElementById("q") as HTMLInputElement;
  field.focus();
  field.select();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input:not([type=radio]):not([type=checkbox]), textarea, select");
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const isInField = isTyping(event.target);
  if (isInField) {
    const isSearch = (event.target as HTMLElement).id === "q";
    if (event.key === "Escape" || (isSearch && isLive() && event.key === "ArrowDown")) {
      event.preventDefault();
      KEYS[event.key]();
    }
    return;
  }
  if (event.key !== "Escape" && !readSettings().keys) return;
  const isArrow = event.key.startsWith("Arrow");
  // Arrows scroll unless the focus is on a row.
  if (isArrow && !rows().includes(document.activeElement as HTMLAnchorElement)) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

export function startKeys(): void {
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest("a");
    if (link?.matches(ROWS)) keepHits(link);
  });
}
