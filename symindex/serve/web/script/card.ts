/** The card of a name: a click shows what it may mean, a second one, or Enter, goes there. */

import { fetchPart, problem } from "./fragments";
import { readSettings } from "./settings";

const HOVER_MS = 350;

let card: HTMLElement | undefined;
let opener: HTMLAnchorElement | undefined;
let current: AbortController | undefined;

export function nameLink(target: EventTarget | null): HTMLAnchorElement | null {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>("pre > .l > code a") : null;
  // Only our own links: a document of a repository has links, too.
  const isOurs = link?.origin === location.origin && /^\?at=\d+:\d+$/.test(link.search);
  return isOurs && !link?.closest(".prose") ? link : null;
}

export function closeCard(isFocusBack = true): boolean {
  current?.abort();
  if (!card) return false;
  card.remove();
  card = undefined;
  if (isFocusBack) opener?.focus({ preventScroll: true });
  return true;
}

/** Goes to a definition; in the same file it only scrolls. */
export function go(link: HTMLAnchorElement): void {
  closeCard(false);
  location.assign(link.href);
}

function place(box: HTMLElement, link: HTMLElement): void {
  const at = link.getBoundingClientRect();
  const isLow = at.bottom > innerHeight * 0.6;
  box.style.left = `${Math.max(8, Math.min(at.left + scrollX, scrollX + innerWidth - box.offsetWidth - 16))}px`;
  box.style.top = `${scrollY + (isLow ? at.top - box.offsetHeight - 4 : at.bottom + 4)}px`;
}

export async function openCard(link: HTMLAnchorElement, takesFocus: boolean): Promise<void> {
  if (card && opener === link) {
    const first = card.querySelector<HTMLAnchorElement>("a.hit");
    if (first && takesFocus) go(first);
    return;
  }
  closeCard(false);
  opener = link;
  const own = (current = new AbortController());
  const box = document.createElement("div");
  box.className = "floating";
  try {
    box.append(await fetchPart(link.href, "card", own.signal));
  } catch (error) {
    if (own.signal.aborted) return;
    box.append(problem(error));
  }
  if (own !== current) return;
  card = box;
  document.body.append(box);
  place(box, link);
  if (takesFocus) box.querySelector<HTMLAnchorElement>("a")?.focus({ preventScroll: true });
}

/** Shows the candidates of a name and goes to the first one. */
export async function goToDefinition(link: HTMLAnchorElement): Promise<void> {
  await openCard(link, true);
  const first = card?.querySelector<HTMLAnchorElement>("a.hit");
  if (first) go(first);
}

export function startCards(): void {
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const link = nameLink(event.target);
    if (link) {
      event.preventDefault();
      void openCard(link, true);
    } else if (card && (!card.contains(event.target as Node) || (event.target as Element).closest("a"))) {
      closeCard(false);
    }
  });
  let timer = 0;
  document.addEventListener("pointerover", (event) => {
    clearTimeout(timer);
    const link = nameLink(event.target);
    if (!link || event.pointerType !== "mouse" || !readSettings().hover) return;
    timer = window.setTimeout(() => void openCard(link, false), HOVER_MS);
  });
}
