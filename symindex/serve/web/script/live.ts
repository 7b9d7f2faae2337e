/** Search as you type. The answer covers the page, which stays as it was below it; Escape, or the
 *  browser's Back, shows it again. */

import { fetchPart, problem } from "./fragments";
import { announce, readSettings } from "./settings";

const RECENT = "symindex.recent";
const MOST_RECENT = 30;

let current: AbortController | undefined;
let section: HTMLElement | undefined;
let keptScroll = 0;
let keptTitle = "";
let again = 0;

/** When to ask again while an index is being built. */
const AGAIN_MS = 1_500;

function field(): HTMLInputElement {
  return document.getElementById("q") as HTMLInputElement;
}

function page(): HTMLElement {
  return document.getElementById("main") as HTMLElement;
}

export function isLive(): boolean {
  return section !== undefined && !section.hidden;
}

/** The part of the document with the rows that keys move through. */
export function shownPart(): HTMLElement {
  return isLive() && section ? section : page();
}

function show(content: Node): void {
  if (!section) {
    section = document.createElement("main");
    section.id = "live";
    page().before(section);
  }
  if (section.hidden || !page().hidden) {
    keptScroll = scrollY;
    keptTitle = document.title;
    page().hidden = true;
    section.hidden = false;
    scrollTo(0, 0);
  }
  section.replaceChildren(content);
  document.title = `${field().value} · symindex`;
}

/** Shows the page again as it was. */
export function endLive(): void {
  current?.abort();
  if (!isLive() || !section) return;
  section.hidden = true;
  page().hidden = false;
  document.title = keptTitle;
  scrollTo(0, keptScroll);
}

/** Returns the address of a search, within the repository of the page if that is chosen. */
function addressOf(query: string): string {
  const scope = document.querySelector<HTMLInputElement>("input[name=within]:checked");
  const within = scope ? `&within=${encodeURIComponent(scope.value)}` : "";
  return `/search?q=${encodeURIComponent(query)}${within}`;
}

async function answer(query: string): Promise<void> {
  current?.abort();
  const own = (current = new AbortController());
  const address = addressOf(query);
  try {
    const rows = await fetchPart(address, "live", own.signal);
    if (own !== current) return;
    const total = rows.querySelector<HTMLElement>("[data-total]")?.dataset.total;
    const isIncomplete = rows.querySelector("[data-incomplete]") !== null;
    show(rows);
    clearTimeout(again);
    if (isIncomplete) again = window.setTimeout(() => isLive() && void answer(query), AGAIN_MS);
    announce(total === undefined ? "" : `${total} results`);
  } catch (error) {
    if (own.signal.aborted) return;
    show(problem(error));
  }
  if (history.state?.live) history.replaceState({ live: query }, "", address);
  else history.pushState({ live: query }, "", address);
}

function typed(): void {
  if (document.body.dataset.page === "text") return; // files take too long to search at each key
  const query = field().value;
  if (query.trim()) void answer(query);
  else leaveLive();
}

/** Goes back to where the visitor was before typing. */
export function leaveLive(): void {
  current?.abort();
  if (history.state?.live) history.back();
  else endLive();
}

function recent(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    return Array.isArray(stored) ? stored.filter((query) => typeof query === "string") : [];
  } catch {
    return [];
  }
}

function remember(query: string): void {
  if (!readSettings().recent || !query.trim()) return;
  const queries = [query, ...recent().filter((other) => other !== query)].slice(0, MOST_RECENT);
  try {
    localStorage.setItem(RECENT, JSON.stringify(queries));
  } catch {
    // the browser keeps nothing
  }
}

function offerRecent(): void {
  const list = document.createElement("datalist");
  list.id = "recent";
  for (const query of readSettings().recent ? recent() : []) {
    const option = document.createElement("option");
    option.value = query;
    list.append(option);
  }
  field().after(list);
  field().setAttribute("list", "recent");
}

export function startLive(): void {
  offerRecent();
  field().addEventListener("input", typed);
  field().addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.trim().includes("\n")) return;
    event.preventDefault(); // a stack trace: the field would join its lines
    location.assign(`/search?q=${encodeURIComponent(text.slice(0, 8000))}`);
  });
  field().form?.addEventListener("submit", (event) => {
    remember(field().value);
    if (!history.state?.live) return;
    event.preventDefault();
    location.replace(addressOf(field().value));
  });
  addEventListener("click", (event) => {
    if (isLive() && (event.target as Element).closest("#live a")) remember(field().value);
  });
  addEventListener("pageshow", () => {
    if (!isLive()) field().value = field().defaultValue;
  });
  addEventListener("popstate", () => {
    const query: unknown = history.state?.live;
    if (typeof query === "string") {
      field().value = query;
      void answer(query);
    } else {
      endLive();
      field().value = field().defaultValue;
    }
  });
}
