/** The page of a file: line ranges in the address, more lines on scrolling, the symbol in view. */

import { FetchError, fetchPart, problem } from "./fragments";
import { announce, readSettings } from "./settings";

type Range = [number, number];

export function parseRange(hash: string): Range | undefined {
  const match = /^#L(\d+)(?:-L?(\d+))?$/.exec(hash);
  if (!match) return undefined;
  const first = Number(match[1]);
  const last = Number(match[2] ?? first);
  return first <= last ? [first, last] : [last, first];
}

function lineAt(number: number): HTMLElement | null {
  return document.getElementById(`L${number}`);
}

function showRange(): void {
  for (const line of Array.from(document.querySelectorAll(".l.on"))) line.classList.remove("on");
  const range = parseRange(location.hash);
  if (!range) return;
  const [first, last] = range;
  const top = lineAt(first);
  if (!top) {
    const count = Number(document.body.dataset.lines ?? 0);
    const wanted = new URL(location.href);
    if (first <= count && wanted.searchParams.get("lines") !== String(first)) {
      wanted.searchParams.set("lines", String(first));
      location.replace(wanted.href);
    } else {
      announce(`There is no line ${first}`);
    }
    return;
  }
  for (let number = first; number <= last; number++) {
    const line = lineAt(number);
    if (!line) break;
    line.classList.add("on");
  }
  const past = document.getElementById("history");
  if (past instanceof HTMLAnchorElement) {
    past.search = `?view=history&lines=${first}-${last}`;
    past.textContent = first === last ? `History of line ${first}` : `History of lines ${first}-${last}`;
  }
  const box = top.getBoundingClientRect();
  if (box.top < 100 || box.bottom > innerHeight) top.scrollIntoView({ block: "center" });
}

function chooseLines(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>("pre > .l > a.n");
  if (!link || event.ctrlKey || event.metaKey || !document.body.dataset.path) return;
  event.preventDefault();
  const range = parseRange(link.hash);
  if (!range) return;
  const before = parseRange(location.hash);
  const from = event.shiftKey && before ? before[0] : range[0];
  const [first, last] = from <= range[1] ? [from, range[1]] : [range[1], from];
  history.pushState(null, "", first === last ? `#L${first}` : `#L${first}-L${last}`);
  showRange();
}

function loadOnScroll(): void {
  const link = document.querySelector<HTMLAnchorElement>("a.after");
  const pre = document.querySelector("#main .code pre");
  if (!link || !pre) return;
  let isLoading = false;
  const watcher = new IntersectionObserver(async (entries) => {
    if (isLoading || !entries.some((entry) => entry.isIntersecting)) return;
    isLoading = true;
    const next = Number(link.dataset.next);
    const address = new URL(link.href);
    address.searchParams.set("lines", `${next}-${next + 499}`);
    try {
      pre.append(await fetchPart(address.href, "lines"));
    } catch (error) {
      link.replaceWith(problem(error));
      watcher.disconnect();
      return;
    }
    const last = pre.lastElementChild?.id.slice(1);
    const following = Number(last) + 1;
    if (!last || following <= next || following > Number(document.body.dataset.lines)) {
      link.remove();
      watcher.disconnect();
    } else {
      link.dataset.next = String(following);
      link.search = `?lines=${following}`;
    }
    isLoading = false;
    if (link.isConnected) {
      watcher.unobserve(link);
      watcher.observe(link);
    }
  }, { rootMargin: "1200px" });
  watcher.observe(link);
}

/** Marks the symbol in view in the outline, and shows its containers at the top. */
function followOutline(): void {
  const links = Array.from(document.querySelectorAll<HTMLAnchorElement>(".outline a[data-line]"));
  const trail = document.getElementById("trail");
  if (!links.length) return;
  let isDue = false;
  const update = (): void => {
    isDue = false;
    const top = document.elementFromPoint(innerWidth / 2, 130)?.closest(".l");
    const line = Number(top?.id.slice(1) ?? 0);
    const around = links.filter((link) => Number(link.dataset.line) <= line && line <= Number(link.dataset.end));
    for (const link of links) link.classList.toggle("now", link === around[around.length - 1]);
    const marked = around[around.length - 1];
    const list = marked?.closest<HTMLElement>(".outline");
    if (list) {
      const place = marked.getBoundingClientRect().top - list.getBoundingClientRect().top;
      if (place < 0 || place > list.clientHeight - 20) list.scrollTop += place - list.clientHeight / 2;
    }
    if (trail) trail.textContent = around.map((link) => link.lastChild?.textContent ?? "").join(" › ");
  };
  addEventListener("scroll", () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(update);
  }, { passive: true });
  update();
}

function startEditor(): void {
  const { root, path } = document.body.dataset;
  const template = readSettings().editor;
  const acts = document.querySelector(".bar .acts");
  if (!root || !path || !acts || !/^[a-z][a-z0-9+.-]*:/i.test(template) || /^(javascript|data|vbscript):/i.test(template)) return;
  const link = document.createElement("a");
  link.textContent = "Open in editor";
  const update = (): void => {
    const line = parseRange(location.hash)?.[0] ?? 1;
    link.href = template.replace("{path}", encodeURI(`${root}/${path}`)).replace("{line}", String(line));
  };
  link.addEventListener("pointerdown", update);
  link.addEventListener("focus", update);
  update();
  acts.append(link);
}

/** Replaces the address by the one with the commit; the server says if there is none. */
export async function permalink(): Promise<void> {
  const asked = document.body.dataset.permalink;
  if (!asked) return;
  const response = await fetch(asked, { credentials: "same-origin" });
  if (!response.ok) {
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const text = page.querySelector(".problem")?.textContent ?? "There is no commit to link to";
    document.querySelector(".bar")?.after(problem(new FetchError(text)));
    announce(text);
    return;
  }
  history.pushState(null, "", new URL(response.url).pathname + location.hash);
  void navigator.clipboard?.writeText(location.href);
  announce("The address names the commit now, and was copied");
}

export function startFile(): void {
  document.addEventListener("click", chooseLines);
  addEventListener("hashchange", showRange);
  addEventListener("popstate", showRange);
  if (document.body.dataset.page === "file") {
    showRange();
    loadOnScroll();
    followOutline();
    startEditor();
  }
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-copy]");
    if (!button) return;
    void navigator.clipboard?.writeText(button.dataset.copy ?? "").then(() => announce("Copied"));
  });
}
