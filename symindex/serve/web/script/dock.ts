/** The panel at the bottom with references, which stays open while one walks from page to page. */

import { fetchPart, problem } from "./fragments";
import { announce } from "./settings";

const PLACE = "symindex.dock";
const AROUND = 5;

interface Kept {
  href: string;
  filter: string;
  scroll: number;
}

let kept: Kept | undefined;

function dock(): HTMLElement {
  return document.getElementById("dock") as HTMLElement;
}

function keep(): void {
  try {
    if (kept) sessionStorage.setItem(PLACE, JSON.stringify(kept));
    else sessionStorage.removeItem(PLACE);
  } catch {
    // the panel is then open on this page only
  }
}

export function isDockOpen(): boolean {
  return !dock().hidden;
}

export function closeDock(): boolean {
  if (!isDockOpen()) return false;
  dock().hidden = true;
  dock().replaceChildren();
  kept = undefined;
  keep();
  return true;
}

function filter(text: string): void {
  const needle = text.toLowerCase();
  for (const file of Array.from(dock().querySelectorAll<HTMLElement>("details.file"))) {
    const isFile = (file.dataset.path ?? "").toLowerCase().includes(needle);
    let n = 0;
    for (const use of Array.from(file.querySelectorAll<HTMLElement>("li"))) {
      use.hidden = !isFile && !use.textContent?.toLowerCase().includes(needle);
      if (!use.hidden) n += 1;
    }
    file.hidden = !n;
  }
}

function head(title: string): HTMLElement {
  const row = document.createElement("div");
  row.className = "dock-head";
  const name = document.createElement("strong");
  name.textContent = readable(title);
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "Filter by path or text";
  field.setAttribute("aria-label", "Filter the references");
  field.value = kept?.filter ?? "";
  field.addEventListener("input", () => {
    filter(field.value);
    if (kept) kept.filter = field.value;
    keep();
  });
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", closeDock);
  row.append(name, field, close);
  return row;
}

/** Decodes a part of an address for a reader. */
function readable(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export async function openDock(href: string, isAgain = false): Promise<void> {
  const address = new URL(href, location.href);
  if (!isAgain) kept = { href: address.pathname + address.search, filter: "", scroll: 0 };
  keep();
  const title = address.pathname.split("%23").pop() ?? "";
  const waiting = document.createElement("p");
  waiting.textContent = "Searching…";
  dock().replaceChildren(head(title), waiting);
  dock().hidden = false;
  let body: Node;
  try {
    body = await fetchPart(href, "dock");
  } catch (error) {
    body = problem(error);
  }
  dock().replaceChildren(head(title), body);
  dock().hidden = false;
  for (const use of Array.from(dock().querySelectorAll<HTMLElement>(".uses li"))) addPreview(use);
  filter(kept?.filter ?? "");
  dock().scrollTop = kept?.scroll ?? 0;
  announce(dock().querySelector("h2")?.textContent ?? "");
}

/** Adds a button to a reference that shows the lines around it. */
function addPreview(use: HTMLElement): void {
  const link = use.querySelector<HTMLAnchorElement>("a");
  if (!link) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "peek";
  button.textContent = "lines";
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", async () => {
    const shown = use.querySelector(".preview");
    button.setAttribute("aria-expanded", String(!shown));
    if (shown) {
      shown.remove();
      return;
    }
    const line = Number(/#L(\d+)/.exec(link.hash)?.[1] ?? 1);
    const around = new URL(link.href);
    around.searchParams.set("lines", `${Math.max(1, line - AROUND)}-${line + AROUND}`);
    around.searchParams.set("mark", String(line));
    const box = document.createElement("div");
    box.className = "preview code";
    const pre = document.createElement("pre");
    try {
      pre.append(await fetchPart(around.href, "preview"));
    } catch (error) {
      pre.append(problem(error));
    }
    box.append(pre);
    use.append(box);
  });
  use.append(button);
}

export function startDock(): void {
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[data-dock]");
    if (!link) return;
    event.preventDefault();
    void openDock(link.href);
  });
  dock().addEventListener("scroll", () => {
    if (kept) kept.scroll = dock().scrollTop;
    keep();
  }, { passive: true });
  kept = readKept();
  if (kept) void openDock(kept.href, true);
}

/** Returns what the last page has kept; other pages of this origin may have changed it. */
function readKept(): Kept | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(PLACE) ?? "null");
    const { href, filter, scroll } = stored as Record<string, unknown>;
    const isOurs = typeof href === "string" && /^\/[^/]/.test(href) && href.includes("/-/symbol/");
    if (!isOurs || typeof filter !== "string" || typeof scroll !== "number") return undefined;
    return { href, filter, scroll };
  } catch {
    return undefined;
  }
}
